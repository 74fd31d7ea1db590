//! Loops in captures that do not close.
//!
//! A capture of a walk begins and ends anywhere. The best loop in it is the
//! pair of frames that look and move most alike; [`LoopedClip`](super::LoopedClip) spreads what
//! little still differs between them over the whole loop, so that the seam is
//! exact.

use std::ops::RangeInclusive;

use glam::Vec3A;

use super::{RawClip, root_motion};
use crate::skeleton::{LocalPose, ModelPose, Skeleton};

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
/// Frames compared in the first, coarse search.
const COARSE_FRAMES: usize = 200;

/// Scales and weights of morph targets within this are the same.
const CLOSED_VALUE: f32 = 1e-3;

/// The first and last frame of a clip's best loop. `None` for a clip that closes
/// already or has a single frame; one that is too short to search, or lacks no
/// more than scales and morph weights, is a loop as it is.
#[must_use]
pub fn find_loop(skeleton: &Skeleton, clip: &RawClip) -> Option<RangeInclusive<usize>> {
    let last = clip.frames().saturating_sub(1);
    // A single frame has no end that could differ from its start.
    if last == 0 {
        return None;
    }
    let shapes = Shapes::of(skeleton, clip);
    let [apart_m, moving_m] = shapes.differences(0, last);
    if apart_m < CLOSED_M && moving_m < CLOSED_MOVING_M {
        return (!values_close(clip)).then_some(0..=last);
    }
    let (first, last) = shapes.best_pair(clip.fps);
    Some(first..=last)
}

/// What [`Shapes`] do not see: how scales and morph weights begin and end.
fn values_close(clip: &RawClip) -> bool {
    let last = clip.frames() - 1;
    let scales = clip.scales.iter().map(|track| &track.values);
    let scales = scales.map(|values| (values[0] - values[last]).abs().max_element());
    let morphs = clip.morphs.iter().map(|track| &track.values);
    let morphs = morphs.map(|values| (values[0] - values[last]).abs());
    scales.chain(morphs).all(|apart| apart < CLOSED_VALUE)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::{LoopedClip, MorphTrack, Track},
        math::quat,
        skeleton::{Joint, NO_PARENT},
    };
    use glam::{Quat, Vec3};
    use std::{f32::consts::TAU, sync::Arc};

    fn pendulum() -> Skeleton {
        let joint = |name: &str, parent, y: f32| Joint::new(name, parent, Vec3::Y * y, Vec3::Y);
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

    /// The clip's best loop, frame by frame.
    fn looped(skeleton: &Skeleton, clip: &RawClip) -> RawClip {
        let frames = find_loop(skeleton, clip).unwrap();
        let looped = LoopedClip::new(skeleton, Arc::new(clip.clone()), frames);
        RawClip::sampled_from("", skeleton, &looped)
    }

    fn cut(clip: &RawClip, last: usize) -> RawClip {
        RawClip {
            rotations: clip.rotations[..2 * (last + 1)].to_vec(),
            root_translations: clip.root_translations[..=last].to_vec(),
            ..clip.clone()
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
        let closed = looped(&skeleton, &swinging());
        assert_eq!(find_loop(&skeleton, &closed), None);
        let short = cut(&swinging(), 20);
        assert_eq!(find_loop(&skeleton, &short), Some(0..=20));
        let single = cut(&swinging(), 0);
        assert_eq!(find_loop(&skeleton, &single), None);
    }

    #[test]
    fn scales_and_morphs_are_cut_and_close_too() {
        let mut clip = swinging();
        let ramp = |i: usize| 1.0 + 0.001 * i as f32;
        clip.scales = vec![Track {
            joint: 1,
            values: (0..270).map(|i| Vec3::splat(ramp(i))).collect(),
        }];
        clip.morphs = vec![MorphTrack {
            morph: 2,
            values: (0..270).map(ramp).collect(),
        }];
        let looped = looped(&pendulum(), &clip);
        assert_eq!(looped.validate(), Ok(()));
        let last = looped.frames() - 1;
        let (scales, morphs) = (&looped.scales[0].values, &looped.morphs[0].values);
        assert_close!(scales[last], scales[0], 1e-5);
        assert_close!(morphs[last], morphs[0], 1e-5);
    }

    #[test]
    fn a_clip_that_lacks_a_morph_weight_alone_is_a_loop_as_it_is() {
        let mut closed = looped(&pendulum(), &swinging());
        let frames = closed.frames();
        closed.morphs = vec![MorphTrack {
            morph: 0,
            values: (0..frames).map(|i| i as f32 / frames as f32).collect(),
        }];
        assert_eq!(find_loop(&pendulum(), &closed), Some(0..=frames - 1));
        let values = &looped(&pendulum(), &closed).morphs;
        assert!(
            values
                .iter()
                .flat_map(|track| &track.values)
                .all(|v| v.abs() < 1e-5)
        );
    }
}
