//! Offsets over a clip: a pose made by hand is laid over a stretch of it with
//! ease in and out. The commonest repair of a capture: a hand out of a thigh, a
//! foot out of the floor, hips a little lower.
//!
//! An offset is how far a joint is drawn from where the motion has it, in the
//! body's heading, and is solved anew in every frame: pinned feet stay where
//! each frame has them, limits hold, and what is not drawn moves as it did. The
//! outcome is a clip like any other: it plays, compresses and is exported.

use glam::{Quat, Vec3, Vec3A};

use super::{Drag, DragSolver};
use crate::{
    clip::RawClip,
    humanoid::{JointLimits, LimitSource, facing},
    math::ease,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Seconds of ease where none are chosen.
pub const EASE_SECS: f64 = 0.25;

/// One joint, drawn aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointOffset {
    /// Which joint.
    pub joint: JointIndex,
    /// Metres in the heading of the body: left, up, forward.
    pub offset: Vec3,
}

/// A pose made by hand over a stretch of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetLayer {
    /// What lists call it.
    pub name: String,
    /// What is drawn aside.
    pub offsets: Vec<JointOffset>,
    /// Ends that stay where the motion has them.
    pub pins: Vec<JointIndex>,
    /// Who follows.
    pub solver: DragSolver,
    /// From and to, seconds of the clip.
    pub range_secs: (f64, f64),
    /// Seconds in which it comes and goes, within the range.
    pub ease_secs: f64,
    /// Switched off it changes nothing.
    pub on: bool,
}

impl OffsetLayer {
    /// How much of it shows, 0 to 1: smooth at both ends, and full from the start
    /// where it begins with the clip, or to the end where it ends with it.
    #[must_use]
    pub fn weight(&self, secs: f64, duration_secs: f64) -> f32 {
        let (from, to) = self.range_secs;
        if !self.on || secs < from || secs > to {
            return 0.0;
        }
        let ramp = |past_secs: f64, whole: bool| match whole || self.ease_secs <= 0.0 {
            true => 1.0,
            false => ease::smoothstep((past_secs / self.ease_secs).clamp(0.0, 1.0) as f32),
        };
        // Half a hundredth of a second: a range ends at frames.
        let rise = ramp(secs - from, from <= 0.005);
        let fall = ramp(to - secs, to >= duration_secs - 0.005);
        rise.min(fall)
    }

    /// Who follows each joint, found once.
    pub(super) fn pulls(&self, skeleton: &Skeleton) -> Vec<(Drag, Vec3)> {
        let pull = |it: &JointOffset| {
            let mut pull = Drag::of(skeleton, it.joint);
            let others = self.offsets.iter().map(|it| it.joint);
            let pins: Vec<JointIndex> = { self.pins.iter().copied() }
                .chain(others.filter(|&other| other != it.joint))
                .collect();
            pull.set_pins(&pins);
            pull.solve_by(skeleton, self.solver);
            (pull, it.offset)
        };
        let known = |it: &&JointOffset| usize::from(it.joint) < skeleton.len();
        self.offsets.iter().filter(known).map(pull).collect()
    }
}

/// From the body's heading (left, up, forward) to model space.
#[must_use]
pub fn heading(skeleton: &Skeleton, model: &ModelPose) -> Quat {
    let ahead = facing(skeleton, model).unwrap_or(Vec3::Z);
    Quat::from_rotation_y(ahead.x.atan2(ahead.z))
}

/// A clip with layers over it and, on request, joints held within limits; the
/// same clip where neither changes anything.
#[must_use]
pub fn with_offsets(
    skeleton: &Skeleton,
    clip: &RawClip,
    layers: &[OffsetLayer],
    clamp: Option<LimitSource>,
) -> RawClip {
    let limits = clamp.map(|source| JointLimits::of(skeleton, source));
    let layers: Vec<_> = { layers.iter().filter(|layer| layer.on) }
        .map(|layer| (layer, layer.pulls(skeleton)))
        .collect();
    if limits.is_none() && layers.is_empty() {
        return clip.clone();
    }
    let mut model = ModelPose::default();
    let pose = |frame: usize| {
        let mut pose = LocalPose::default();
        clip.frame_pose(skeleton, frame, &mut pose);
        let secs = frame as f64 / clip.fps;
        for (layer, pulls) in &layers {
            let weight = layer.weight(secs, clip.duration_secs());
            if weight > 0.0 {
                model.compute(skeleton, &pose);
                draw_aside(skeleton, (pulls, weight), &mut pose, &mut model);
            }
        }
        if let Some(limits) = &limits {
            clamp_pose(limits, &mut pose);
        }
        pose
    };
    let poses: Vec<LocalPose> = (0..clip.frames()).map(pose).collect();
    RawClip::from_poses(&clip.name, skeleton, clip.fps, &poses)
}

/// Draws joints aside by a share of their offsets.
pub(super) fn draw_aside(
    skeleton: &Skeleton,
    (pulls, weight): (&[(Drag, Vec3)], f32),
    pose: &mut LocalPose,
    model: &mut ModelPose,
) {
    let turn = heading(skeleton, model);
    for (pull, offset) in pulls {
        let at = model.joints()[usize::from(pull.joint())].translation;
        let target = at + Vec3A::from(turn * *offset) * weight;
        pull.apply(skeleton, target, pose, model);
    }
}

/// Brings every joint of a pose back to its limit.
pub fn clamp_pose(limits: &JointLimits, pose: &mut LocalPose) {
    for (joint, limit) in limits.iter() {
        let rotation = &mut pose.joints_mut()[usize::from(joint)].rotation;
        *rotation = limit.clamped(*rotation, 0.0);
    }
}
