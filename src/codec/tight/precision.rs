//! What single precision itself costs on a clip: the finest tolerance that makes
//! sense, found before any search begins.

use super::{encode_context::EncodeContext, encoder_skeleton::Reconstruction};
use crate::{
    clip::RawClip,
    codec::{
        CompressError,
        metric::{BallError, joint_error_m},
    },
    skeleton::{LocalPose, ModelPose},
};

/// Frames that are looked at; rounding is alike in all.
const FRAMES: usize = 500;
/// A tolerance of so many errors of rounding can be promised: rounding to a grid
/// adds its own, and there are harder frames than those looked at (corpus).
const PROMISED: f64 = 3.0;
/// Below so many it is not even tried.
const TRIED: f64 = 1.0;

/// The tolerance in metres that can be promised.
pub(super) fn promised_m(context: &EncodeContext<'_>, clip: &RawClip) -> f64 {
    PROMISED * rounding_m(context, clip)
}

/// Refuses what single precision cannot hold.
pub(super) fn check(
    context: &EncodeContext<'_>,
    clip: &RawClip,
    asked_m: f64,
) -> Result<(), CompressError> {
    let promised_m = promised_m(context, clip);
    if asked_m * PROMISED < promised_m * TRIED {
        return Err(CompressError::too_fine(asked_m * 100.0, promised_m * 100.0));
    }
    Ok(())
}

/// Largest error when all channels have the source's values but for their last
/// bit, up and down by turns: what a prediction and its correction come to in
/// single precision.
fn rounding_m(context: &EncodeContext<'_>, clip: &RawClip) -> f64 {
    let skeleton = context.skeleton;
    let width = context.layout().channels.len();
    let mut reconstruction = Reconstruction::new(context.layout(), &vec![0.0; width]);
    let mut source = LocalPose::default();
    let mut model = [ModelPose::default(), ModelPose::default()];
    let mut errors = Vec::new();
    let mut worst_m = 0f64;
    for frame in (0..context.frames).step_by(context.frames.div_ceil(FRAMES)) {
        let values = reconstruction.frame.values.iter_mut().enumerate();
        for ((at, rounded), &value) in values.zip(context.values_at(frame)) {
            *rounded = match at % 2 {
                0 => (value as f32).next_up(),
                _ => (value as f32).next_down(),
            };
        }
        reconstruction.errors(skeleton, context.model_pose_at(frame), &mut errors);
        worst_m = errors
            .iter()
            .map(BallError::length_m)
            .fold(worst_m, f64::max);
        // Once more as at run time.
        clip.frame_pose(skeleton, frame, &mut source);
        model[0].compute(skeleton, &source);
        model[1].compute(skeleton, reconstruction.pose(skeleton));
        let pairs = model[0].joints().iter().zip(model[1].joints());
        let run_time = pairs.map(|(a, b)| f64::from(joint_error_m(a, b)));
        worst_m = run_time.fold(worst_m, f64::max);
    }
    worst_m
}
