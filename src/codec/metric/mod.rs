//! How far a decoded clip is from its source, in the space where it is seen.
//!
//! The error of a joint at a source frame is the farthest that any point within
//! 3 cm of the joint is from where the source has it, in object space
//! ([`joint_error_m`]). It feels the translation of a joint and its rotation
//! alike, and through the hierarchy those of all its ancestors.
//!
//! Nothing here knows how a clip was compressed: the decoder is a closure.
//! Poses are carried through the hierarchy twice, in single precision as at run
//! time and in double precision as it should be, and the larger error counts:
//! ten metres from the origin the two are a micrometre apart.

mod ball;
mod between_frames;
mod exact_pose;

pub(super) use ball::{BallError, ball_error_m};
pub use ball::{joint_error_m, scaled_error_m, shell_error_m};
pub use between_frames::HalfFrameError;
pub(super) use exact_pose::{ExactJoint, exact_model_pose};

use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Over which points a clip's errors were measured when it was compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorMeasure {
    /// All within 3 cm of a joint ([`joint_error_m`]).
    #[default]
    Ball,
    /// Three of them ([`shell_error_m`]), as version 0.1 did.
    ThreePoints,
}

impl ErrorMeasure {
    /// What `spline` and `tight` promise by it, in the words that all of the
    /// program says it in.
    #[must_use]
    pub fn promise(self) -> &'static str {
        match self {
            Self::Ball => {
                "at every source frame no point within 3 cm of any joint moves by more than the \
                 tolerance"
            }
            Self::ThreePoints => {
                "at every source frame none of three points 3 cm from any joint moves by more than \
                 the tolerance"
            }
        }
    }
}

/// Radius of the ball around a joint in which errors are measured, in metres.
pub const BALL_RADIUS_M: f32 = 0.03;

/// The errors of every joint and frame of a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorTable {
    joints: usize,
    /// Frame after frame, one value per joint.
    errors_m: Vec<f32>,
    max_rotation_rad: f32,
    max_shell_m: f32,
    max_weight: f32,
}

/// An error table in a few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSummary {
    /// Largest error.
    pub max_cm: f64,
    /// Mean over joints and frames.
    pub mean_cm: f64,
    /// 99 of 100 joint-frames err no more than this.
    pub p99_cm: f64,
    /// Joint and frame of the largest error.
    pub worst: (usize, usize),
    /// Largest angle between a joint's source and decoded local rotation.
    pub max_rotation_deg: f64,
    /// Largest error at the three points alone that others measure at,
    /// [`shell_error_m`].
    pub shell_cm: f64,
    /// Largest difference of a morph target's weight, in per cent of a whole one.
    pub max_weight_percent: f64,
}

impl ErrorTable {
    /// Compares a decoder with the source at every source frame. `decode`
    /// receives the time in seconds.
    pub fn measure(
        skeleton: &Skeleton,
        source: &RawClip,
        mut decode: impl FnMut(f64, &mut LocalPose),
    ) -> Self {
        let mut table = Self {
            joints: skeleton.len(),
            errors_m: Vec::with_capacity(skeleton.len() * source.frames()),
            ..Self::default()
        };
        let mut local = [LocalPose::default(), LocalPose::default()];
        let mut model = [ModelPose::default(), ModelPose::default()];
        let mut exact = [Vec::new(), Vec::new()];
        // Squares of chords are compared, and one arc sine is taken at the
        // end.
        let mut widest_chord_squared = 0.0f32;
        for frame in 0..source.frames() {
            source.frame_pose(skeleton, frame, &mut local[0]);
            decode(frame as f64 / source.fps, &mut local[1]);
            for ((model, exact), local) in model.iter_mut().zip(&mut exact).zip(&local) {
                model.compute(skeleton, local);
                exact_model_pose(skeleton.parents(), local, exact);
            }
            match model.iter().any(|it| it.shape(0).is_some()) {
                true => table.push_scaled(&model),
                false => table.push_frame(&model, &exact),
            }
            table.max_weight = table.max_weight.max(widest_weight(&local));
            widest_chord_squared = widest_chord_squared.max(widest_chord(&local));
        }
        // A chord c between unit quaternions spans half the rotation's angle.
        table.max_rotation_rad = 4.0 * (widest_chord_squared.sqrt() / 2.0).min(1.0).asin();
        table
    }

    fn push_frame(&mut self, model: &[ModelPose; 2], exact: &[Vec<ExactJoint>; 2]) {
        let pairs = model[0].joints().iter().zip(model[1].joints());
        let exact = exact[0].iter().zip(&exact[1]);
        for ((source, decoded), (exact_source, exact_decoded)) in pairs.zip(exact) {
            let error_m = BallError::between(exact_source, exact_decoded).length_m() as f32;
            self.errors_m
                .push(error_m.max(joint_error_m(source, decoded)));
            self.max_shell_m = self.max_shell_m.max(shell_error_m(source, decoded));
        }
    }

    /// Where joints scale. The exact pose knows of no scale, and characters that
    /// have any stand where they are: single precision does.
    fn push_scaled(&mut self, model: &[ModelPose; 2]) {
        for joint in 0..self.joints {
            let error_m = scaled_error_m(&model[0].affine(joint), &model[1].affine(joint));
            self.errors_m.push(error_m);
            let [source, decoded] = [&model[0], &model[1]].map(|it| &it.joints()[joint]);
            self.max_shell_m = self.max_shell_m.max(shell_error_m(source, decoded));
        }
    }

    /// Compares a compressed clip, sampled as at run time, with its source.
    pub fn measure_clip(skeleton: &Skeleton, source: &RawClip, clip: &dyn SampleClip) -> Self {
        let mut cursor = ClipCursor::default();
        Self::measure(skeleton, source, |time_secs, pose| {
            clip.sample(skeleton, time_secs, &mut cursor, pose);
        })
    }

    /// Several tables as one, for figures over many clips. Where joints and
    /// frames of the whole have no meaning, `worst` has none either.
    #[must_use]
    pub fn joined<'a>(tables: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self {
            joints: 1,
            ..Self::default()
        };
        for table in tables {
            all.errors_m.extend(&table.errors_m);
            all.max_rotation_rad = all.max_rotation_rad.max(table.max_rotation_rad);
            all.max_shell_m = all.max_shell_m.max(table.max_shell_m);
            all.max_weight = all.max_weight.max(table.max_weight);
        }
        all
    }

    /// Joints a frame.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.errors_m.len() / self.joints.max(1)
    }

    /// Errors in metres, frame after frame, one value per joint.
    #[must_use]
    pub fn errors_m(&self) -> &[f32] {
        &self.errors_m
    }

    /// Error of one joint at one frame.
    #[must_use]
    pub fn error_m(&self, joint: usize, frame: usize) -> f32 {
        self.errors_m[frame * self.joints + joint]
    }

    /// The table in a few numbers.
    #[must_use]
    pub fn summary(&self) -> ErrorSummary {
        if self.errors_m.is_empty() {
            return ErrorSummary::default();
        }
        let sum: f64 = self.errors_m.iter().copied().map(f64::from).sum();
        let by_size = |a: &&f32, b: &&f32| a.total_cmp(b);
        let numbered = self.errors_m.iter().enumerate();
        let (at, &max) = numbered
            .max_by(|(_, a), (_, b)| by_size(a, b))
            .unwrap_or((0, &0.0));
        let mut sorted = self.errors_m.clone();
        // Nearest rank: the smallest value that 99 % do not exceed.
        let rank = (sorted.len() * 99).div_ceil(100) - 1;
        let (_, &mut p99, _) = sorted.select_nth_unstable_by(rank, f32::total_cmp);
        ErrorSummary {
            max_cm: f64::from(max) * 100.0,
            mean_cm: sum * 100.0 / self.errors_m.len() as f64,
            p99_cm: f64::from(p99) * 100.0,
            worst: (at % self.joints, at / self.joints),
            max_rotation_deg: f64::from(self.max_rotation_rad.to_degrees()),
            shell_cm: f64::from(self.max_shell_m) * 100.0,
            max_weight_percent: f64::from(self.max_weight) * 100.0,
        }
    }
}

/// The largest difference of any morph target's weight.
fn widest_weight(local: &[LocalPose; 2]) -> f32 {
    let count = local[0].morphs().len().max(local[1].morphs().len());
    let off = (0..count).map(|morph| (local[0].morph(morph) - local[1].morph(morph)).abs());
    off.fold(0.0, f32::max)
}

/// Square of the longest chord between the two poses' rotations, q and −q
/// being one rotation.
fn widest_chord(local: &[LocalPose; 2]) -> f32 {
    let pairs = local[0].joints().iter().zip(local[1].joints());
    let squared = pairs.map(|(a, b)| {
        let (a, b) = (a.rotation, b.rotation);
        (a - b).length_squared().min((a + b).length_squared())
    });
    squared.fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, NO_PARENT};
    use glam::{Quat, Vec3, Vec3A};

    /// Two joints 1 m apart on X.
    fn pair() -> Skeleton {
        let joint = |name: &str, parent, x: f32| Joint::new(name, parent, Vec3::X * x, Vec3::X);
        Skeleton::new("pair", vec![joint("a", NO_PARENT, 0.0), joint("b", 0, 1.0)]).unwrap()
    }

    fn still(frames: usize) -> RawClip {
        RawClip {
            fps: 50.0,
            joints: 2,
            animated: vec![0, 1],
            rotations: vec![Quat::IDENTITY; frames * 2],
            root_translations: vec![Vec3::ZERO; frames],
            ..RawClip::default()
        }
    }

    #[test]
    fn a_turned_root_errs_by_the_chord_its_child_sweeps() {
        let (skeleton, clip) = (pair(), still(200));
        let angle = 0.02f32;
        let table = ErrorTable::measure(&skeleton, &clip, |time_secs, pose| {
            pose.copy_from(skeleton.rest());
            if (time_secs * 50.0).round() == 130.0 {
                // −q: the sign must not count as an error of 180°.
                pose.joints_mut()[0].rotation = -Quat::from_rotation_z(angle);
            }
        });
        let summary = table.summary();
        let chord = |radius: f64| 2.0 * radius * (f64::from(angle) / 2.0).sin() * 100.0;
        // The farthest point of the child's ball lies 1.03 m out.
        assert_close!(summary.max_cm, chord(1.03), 1e-4, "{summary:?}");
        assert_close!(f64::from(table.error_m(0, 130)) * 100.0, chord(0.03), 1e-4);
        assert_eq!(summary.worst, (1, 130));
        let mean = (chord(1.03) + chord(0.03)) / 400.0;
        assert_close!(summary.mean_cm, mean, 1e-6, "{summary:?}");
        assert_eq!(summary.p99_cm, 0.0, "2 of 400 lie above");
        let degrees = f64::from(angle).to_degrees();
        assert_close!(summary.max_rotation_deg, degrees, 1e-3);
        assert_eq!((table.joints(), table.frames()), (2, 200));
    }

    #[test]
    fn a_shift_errs_by_its_length_everywhere() {
        let (skeleton, clip) = (pair(), still(5));
        let table = ErrorTable::measure(&skeleton, &clip, |_, pose| {
            pose.copy_from(skeleton.rest());
            pose.joints_mut()[0].translation += Vec3A::new(0.003, 0.0, 0.004);
        });
        let summary = table.summary();
        for found in [summary.max_cm, summary.mean_cm, summary.p99_cm] {
            assert_close!(found, 0.5, 1e-5, "{summary:?}");
        }
        assert_eq!(summary.max_rotation_deg, 0.0);
    }

    #[test]
    fn a_perfect_decoder_errs_nowhere() {
        let (skeleton, clip) = (pair(), still(3));
        let table = ErrorTable::measure(&skeleton, &clip, |time_secs, pose| {
            clip.sample(&skeleton, time_secs, &mut ClipCursor::default(), pose);
        });
        assert_eq!(table.summary().max_cm, 0.0);
    }
}
