//! Loops out of captures that do not close.
//!
//! A capture of a walk begins and ends anywhere. The best loop in it is the
//! pair of frames that look and move most alike; what little still differs
//! between them is spread over the whole loop, so that the seam is exact.

use glam::{Quat, Vec3, Vec3A};

use super::{RawClip, root_motion};
use crate::{
    math::{Transform, quat},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A loop keeps at least this share of the clip …
const LEAST_FRACTION: f64 = 0.4;
/// … and lasts at least this long, seconds.
const LEAST_SECS: f64 = 0.5;
/// Seconds by which velocities count against positions.
const VELOCITY_SECS: f32 = 0.1;
/// Metres (mean over joints) below which a clip counts as closed …
const CLOSED_M: f32 = 0.004;
/// … and the same for velocities times [`VELOCITY_SECS`], which at the ends
/// of a clip are one-sided and less exact.
const CLOSED_MOVING_M: f32 = 0.03;
/// Radians of turn in a loop that are no intention.
const STRAIGHT_RAD: f64 = 0.15;
/// Frames compared in the first, coarse search.
const COARSE_FRAMES: usize = 200;

/// The clip cut to its best loop, last frame equal to the first up to the way
/// travelled. A clip that closes already, or is too short, keeps its frames.
#[must_use]
pub fn looped(skeleton: &Skeleton, clip: &RawClip) -> RawClip {
    let shapes = Shapes::of(skeleton, clip);
    let last = clip.frames().saturating_sub(1);
    let [apart_m, moving_m] = shapes.differences(0, last);
    // A single frame has no end that could differ from its start.
    if last == 0 || (apart_m < CLOSED_M && moving_m < CLOSED_MOVING_M) {
        return clip.clone();
    }
    let (first, last) = shapes.best_pair(clip.fps);
    let mut cut = cut(clip, first, last);
    close(&mut cut, skeleton.root_rest());
    // Last, because it moves the place on the ground and the body with it: as
    // seen from there, what `close` has closed stays closed.
    straighten(&mut cut, skeleton.root_rest());
    cut
}

/// Joint positions of every frame, seen from the pelvis' place on the ground.
struct Shapes {
    joints: usize,
    points: Vec<Vec3A>,
    velocities: Vec<Vec3A>,
}

impl Shapes {
    fn of(skeleton: &Skeleton, clip: &RawClip) -> Self {
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let (joints, frames) = (skeleton.len(), clip.frames());
        let mut points = Vec::with_capacity(frames * joints);
        for (frame, ground) in root_motion::raw_path(clip, skeleton.root_rest())
            .into_iter()
            .enumerate()
        {
            clip.frame_pose(skeleton, frame, &mut local);
            let ground_from_world = ground.transform().inverse();
            local.joints_mut()[0] = ground_from_world * local.joints()[0];
            model.compute(skeleton, &local);
            points.extend(model.joints().iter().map(|joint| joint.translation));
        }
        let at = |frame: usize, joint: usize| points[frame * joints + joint];
        let velocity = |index: usize| {
            let (frame, joint) = (index / joints, index % joints);
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(frames - 1));
            let frames = (after - before).max(1) as f32;
            (at(after, joint) - at(before, joint)) * (clip.fps as f32 / frames)
        };
        let velocities = (0..points.len()).map(velocity).collect();
        Self {
            joints,
            points,
            velocities,
        }
    }

    /// Root mean square differences over the joints, metres: of positions,
    /// and of velocities times [`VELOCITY_SECS`].
    fn differences(&self, a: usize, b: usize) -> [f32; 2] {
        let (a, b) = (a * self.joints, b * self.joints);
        let mean = |values: &[Vec3A], scale: f32| {
            let pairs = values[a..].iter().zip(&values[b..]).take(self.joints);
            let sum: f32 = pairs.map(|(a, b)| a.distance_squared(*b)).sum();
            scale * (sum / self.joints as f32).sqrt()
        };
        [
            mean(&self.points, 1.0),
            mean(&self.velocities, VELOCITY_SECS),
        ]
    }

    fn distance(&self, a: usize, b: usize) -> f32 {
        let [apart_m, moving_m] = self.differences(a, b);
        apart_m.hypot(moving_m)
    }

    /// Coarse over the whole clip, then fine around the winner.
    fn best_pair(&self, fps: f64) -> (usize, usize) {
        let last = self.points.len() / self.joints - 1;
        let least = (LEAST_FRACTION * last as f64).max(LEAST_SECS * fps).ceil() as usize;
        if least >= last {
            return (0, last);
        }
        // All pairs of a minute at 120 Hz are nine million comparisons of whole
        // poses; every 36th frame first makes that seven thousand.
        let stride = (last / COARSE_FRAMES).max(1);
        let starts = (0..=last - least).step_by(stride);
        let pairs = starts.flat_map(|a| (a + least..=last).step_by(stride).map(move |b| (a, b)));
        let (a, b) = self.nearest(pairs, last).unwrap_or((0, last));
        let around = |x: usize| x.saturating_sub(stride)..=(x + stride).min(last);
        let pairs = around(a).flat_map(|a| around(b).map(move |b| (a, b)));
        let fine = pairs.filter(|(a, b)| b - a >= least);
        self.nearest(fine, last).unwrap_or((a, b))
    }

    /// The pair with the least distance; of like ones the longer loop.
    fn nearest(
        &self,
        pairs: impl Iterator<Item = (usize, usize)>,
        last: usize,
    ) -> Option<(usize, usize)> {
        let cost = |&(a, b): &(usize, usize)| {
            let fraction = (b - a) as f32 / last as f32;
            // A short loop has to be up to half as good again: more laps a
            // minute show the seam more often.
            self.distance(a, b) * (1.5 - 0.5 * fraction)
        };
        pairs
            .map(|pair| (cost(&pair), pair))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, pair)| pair)
    }
}

fn cut(clip: &RawClip, first: usize, last: usize) -> RawClip {
    let animated = clip.animated.len();
    let mut cut = clip.clone();
    cut.rotations = clip.rotations[first * animated..(last + 1) * animated].to_vec();
    cut.root_translations = clip.root_translations[first..=last].to_vec();
    for track in &mut cut.translations {
        track.values = track.values[first..=last].to_vec();
    }
    for track in &mut cut.stretches {
        track.values = track.values[first..=last].to_vec();
    }
    cut
}

/// Turns every joint by a growing share of what it lacks at the end.
fn close(clip: &mut RawClip, rest: Quat) {
    let (animated, last) = (clip.animated.len(), clip.frames() - 1);
    let path = root_motion::raw_path(clip, rest);
    let root_is_animated = clip.animated.first() == Some(&0);
    for track in usize::from(root_is_animated)..animated {
        let lacking =
            quat::log(clip.rotations[track] * clip.rotations[last * animated + track].conjugate());
        for frame in 0..=last {
            let fraction = frame as f32 / last as f32;
            let rotation = &mut clip.rotations[frame * animated + track];
            // On the left, in the parent's axes, where `lacking` was measured:
            // at the last frame the product is the first one.
            *rotation = (quat::exp(lacking * fraction) * *rotation).normalize();
        }
    }
    // The root closes as seen from its place on the ground.
    let pelvis = |frame: usize, clip: &RawClip| {
        path[frame].transform().inverse() * root_motion::root_transform(clip, frame)
    };
    let (start, end) = (pelvis(0, clip), pelvis(last, clip));
    let lacking = quat::log(start.rotation * end.rotation.conjugate());
    let lacking_m = Vec3::from(start.translation - end.translation);
    for (frame, ground) in path.iter().enumerate() {
        let fraction = frame as f32 / last as f32;
        let old = ground.transform().inverse() * root_motion::root_transform(clip, frame);
        let closed = Transform::new(
            quat::exp(lacking * fraction) * old.rotation,
            old.position() + lacking_m * fraction,
        );
        let world = ground.transform() * closed;
        clip.root_translations[frame] = world.position();
        if root_is_animated {
            clip.rotations[frame * animated] = world.rotation.normalize();
        }
    }
    for track in &mut clip.translations {
        ramp(&mut track.values, last);
    }
    // A correction can carry a quaternion into the other half of the sphere;
    // neighbours must keep to one, as samplers and codecs rely on it.
    align_signs(&mut clip.rotations, animated);
}

/// A loop that turns a little each time leads in a circle; nobody walks
/// straight in a studio. The turn is taken out step by step, feet included.
fn straighten(clip: &mut RawClip, rest: Quat) {
    let path = root_motion::raw_path(clip, rest);
    let (animated, last) = (clip.animated.len(), clip.frames() - 1);
    let heading_change = path[last].heading - path[0].heading;
    if heading_change.abs() > STRAIGHT_RAD || clip.animated.first() != Some(&0) {
        return;
    }
    let mut before = clip.root_translations[0];
    for frame in 1..=last {
        let back = Quat::from_rotation_y((-heading_change * frame as f64 / last as f64) as f32);
        // Steps are turned, not places: the way keeps its length, and a foot
        // that stands hardly slides.
        let step = clip.root_translations[frame] - before;
        before = clip.root_translations[frame];
        clip.root_translations[frame] = clip.root_translations[frame - 1] + back * step;
        let rotation = &mut clip.rotations[frame * animated];
        *rotation = (back * *rotation).normalize();
    }
}

fn ramp(values: &mut [Vec3], last: usize) {
    let lacking = values[0] - values[last];
    for (frame, value) in values.iter_mut().enumerate() {
        *value += lacking * (frame as f32 / last as f32);
    }
}

fn align_signs(rotations: &mut [Quat], animated: usize) {
    for i in animated..rotations.len() {
        rotations[i] = quat::align_sign(rotations[i], rotations[i - animated]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, NO_PARENT};
    use std::f32::consts::TAU;

    fn pendulum() -> Skeleton {
        let joint = |name: &str, parent, y: f32| Joint {
            name: name.into(),
            parent,
            rest: Transform::from_translation(Vec3::Y * y),
            tip: Vec3::Y,
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        };
        let joints = vec![
            joint("root", NO_PARENT, 1.0),
            joint("arm", 0, 1.0),
            joint("hand", 1, 1.0),
        ];
        Skeleton::new("pendulum", joints).unwrap()
    }

    /// Swings once a second for 2.7 s while it travels and drifts a little.
    fn swinging() -> RawClip {
        let frames = 0..270;
        let angle = |i: usize| 0.8 * (TAU * i as f32 / 100.0).sin() + 0.0002 * i as f32;
        RawClip {
            fps: 100.0,
            joints: 3,
            animated: vec![0, 1],
            rotations: frames
                .clone()
                .flat_map(|i| [Quat::from_rotation_y(0.3), Quat::from_rotation_x(angle(i))])
                .collect(),
            root_translations: frames
                .map(|i| Vec3::new(0.01 * i as f32, 1.0 + 0.0001 * i as f32, 0.0))
                .collect(),
            ..RawClip::default()
        }
    }

    #[test]
    fn the_loop_found_is_a_whole_number_of_swings_and_closes() {
        let skeleton = pendulum();
        let looped = looped(&skeleton, &swinging());
        assert_eq!(looped.validate(), Ok(()));
        let secs = looped.duration_secs();
        assert_close!(secs, secs.round(), 0.03);
        let last = looped.frames() - 1;
        let (start, end) = (
            looped.frame_rotations(0)[1],
            looped.frame_rotations(last)[1],
        );
        assert!(quat::angle_between(start, end) < 1e-4);
        let travelled = looped.root_translations[last] - looped.root_translations[0];
        assert!(travelled.y.abs() < 1e-5, "the height closes: {travelled}");
        assert_close!(travelled.x, secs as f32, 0.01, "the way stays: {travelled}");
    }

    #[test]
    fn closed_short_and_single_frame_clips_keep_their_frames() {
        let skeleton = pendulum();
        let mut clip = cut(&swinging(), 0, 200);
        close(&mut clip, Quat::IDENTITY);
        assert!(looped(&skeleton, &clip) == clip);
        let short = cut(&swinging(), 0, 20);
        assert_eq!(looped(&skeleton, &short).frames(), 21);
        let single = cut(&swinging(), 5, 5);
        assert!(looped(&skeleton, &single) == single);
    }
}
