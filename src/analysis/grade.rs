//! How far a motion is from another of the same skeleton.

use crate::{
    clip::RawClip,
    math::quat::angle_between,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// The difference of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameError {
    /// Angle between a joint's rotations in its parent, over joints that move.
    pub mean_deg: f64,
    /// The largest of them.
    pub max_deg: f64,
    /// Distance between a joint's places in model space, over all joints.
    pub mean_cm: f64,
    /// The largest of them.
    pub max_cm: f64,
}

/// The difference of two motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grade {
    /// Frame by frame, as many as both have.
    pub frames: Vec<FrameError>,
    /// Over all frames and joints.
    pub total: FrameError,
    /// Joint and frame of the largest angle; where no angle differs, of the
    /// largest distance.
    pub worst: (usize, usize),
}

/// Compares frame with frame, as far as both go.
///
/// # Panics
/// When a clip is made for another number of joints.
#[must_use]
pub fn grade(skeleton: &Skeleton, mine: &RawClip, reference: &RawClip) -> Grade {
    let turning = turning_joints(skeleton, [mine, reference]);
    let mut poses = [Posed::default(), Posed::default()];
    let mut grade = Grade::default();
    let (mut most_deg, mut most_cm) = (0.0, 0.0);
    let mut farthest = (0, 0);
    for frame in 0..mine.frames().min(reference.frames()) {
        for (pose, clip) in poses.iter_mut().zip([mine, reference]) {
            pose.set(skeleton, clip, frame);
        }
        let [a, b] = &poses;
        let angle = |&joint: &usize| {
            let [a, b] = [a, b].map(|pose| pose.local.joints()[joint].rotation);
            match a == b {
                // Roundings of the product would make the same differ.
                true => 0.0,
                false => f64::from(angle_between(a, b)).to_degrees(),
            }
        };
        let way = |joint: usize| {
            let [a, b] = [a, b].map(|pose| pose.model.joints()[joint].translation);
            100.0 * f64::from(a.distance(b))
        };
        let angles: Vec<f64> = turning.iter().map(angle).collect();
        let ways: Vec<f64> = (0..skeleton.len()).map(way).collect();
        for (&joint, &deg) in turning.iter().zip(&angles) {
            if deg > most_deg {
                (most_deg, grade.worst) = (deg, (joint, frame));
            }
        }
        for (joint, &cm) in ways.iter().enumerate() {
            if cm > most_cm {
                (most_cm, farthest) = (cm, (joint, frame));
            }
        }
        grade.frames.push(FrameError {
            mean_deg: mean(&angles),
            max_deg: largest(&angles),
            mean_cm: mean(&ways),
            max_cm: largest(&ways),
        });
    }
    if most_deg == 0.0 {
        grade.worst = farthest;
    }
    grade.total = total(&grade.frames);
    grade
}

/// Joints that turn in either clip: to count others would make every error
/// look smaller.
fn turning_joints(skeleton: &Skeleton, clips: [&RawClip; 2]) -> Vec<usize> {
    let turns = |joint: &usize| {
        let mut animated = clips.iter().flat_map(|clip| &clip.animated);
        animated.any(|own| usize::from(*own) == *joint)
    };
    (0..skeleton.len()).filter(turns).collect()
}

fn total(frames: &[FrameError]) -> FrameError {
    let all = |of: fn(&FrameError) -> f64| frames.iter().map(of).collect::<Vec<f64>>();
    FrameError {
        mean_deg: mean(&all(|it| it.mean_deg)),
        max_deg: largest(&all(|it| it.max_deg)),
        mean_cm: mean(&all(|it| it.mean_cm)),
        max_cm: largest(&all(|it| it.max_cm)),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

#[derive(Default)]
struct Posed {
    local: LocalPose,
    model: ModelPose,
}

impl Posed {
    fn set(&mut self, skeleton: &Skeleton, clip: &RawClip, frame: usize) {
        clip.frame_pose(skeleton, frame, &mut self.local);
        self.model.compute(skeleton, &self.local);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::testing;
    use glam::{Quat, Vec3};

    fn clip(joints: usize, turn: f32) -> RawClip {
        RawClip {
            fps: 30.0,
            joints,
            animated: vec![0],
            rotations: vec![Quat::IDENTITY, Quat::from_rotation_y(turn)],
            root_translations: vec![Vec3::ZERO; 2],
            ..RawClip::default()
        }
    }

    #[test]
    fn angles_and_distances_are_those_of_the_turn() {
        let skeleton = testing::cmu_like();
        let (a, b) = (clip(skeleton.len(), 0.0), clip(skeleton.len(), 0.2));
        let same = grade(&skeleton, &b, &b);
        assert_eq!(same.total, FrameError::default());
        let found = grade(&skeleton, &b, &a);
        let degrees = f64::from(0.2f32).to_degrees();
        assert_close!(found.total.max_deg, degrees, 1e-5);
        assert_close!(found.total.mean_deg, degrees / 2.0, 1e-5);
        assert_eq!(found.worst, (0, 1));
        assert_eq!(found.frames[0], FrameError::default());
        // A chord: whoever is r away from the axis moves 2 r sin(turn / 2).
        let mut model = ModelPose::default();
        model.compute(&skeleton, skeleton.rest());
        let far = model.joints().iter().map(|it| it.translation);
        let far = far.map(|p| f64::from(p.with_y(0.0).length()));
        let chord = 200.0 * far.fold(0.0, f64::max) * (0.1f64).sin();
        assert_close!(found.total.max_cm, chord, 1e-4);
    }
}
