//! Joints of a capture that turn over for a few frames and back.
//!
//! Where a solver of markers meets a limb it can pose in two ways (a deep
//! squat, a straight arm), it may take the other one for a moment. The limb
//! ends where it should, so nobody sees it; averaged with a joint that did not
//! flip, it throws the limb about.

use std::{ops::Range, sync::Arc};

use crate::{
    clip::RawClip,
    math::quat::{align_sign, nlerp},
};

/// No joint turns this far within a frame, radians, and back.
const FLIP_RAD: f32 = 1.2;
/// Joints that turn at least this far together with it, radians, make up for
/// it.
const COMPANION_RAD: f32 = 0.12;
/// What lasts longer is meant, seconds.
const LONGEST_SECS: f64 = 0.15;

/// The clip with flips bridged from the frame before to the frame after; the
/// clip itself where there is none.
pub(super) fn without_flips(clip: &Arc<RawClip>) -> Arc<RawClip> {
    let flips: Vec<Range<usize>> = (0..clip.animated.len())
        .flat_map(|track| flips_of(clip, track))
        .collect();
    if flips.is_empty() {
        return Arc::clone(clip);
    }
    let mut mended = RawClip::clone(clip);
    for flip in flips {
        for track in 0..clip.animated.len() {
            let turns = [flip.start, flip.end].map(|frame| turn_rad(clip, track, frame));
            if turns.iter().all(|&turn| turn > COMPANION_RAD) {
                bridge(&mut mended, track, &flip);
            }
        }
    }
    align_signs(&mut mended);
    Arc::new(mended)
}

/// Over and back is a whole turn, after which a quaternion has changed sign.
fn align_signs(clip: &mut RawClip) {
    let count = clip.animated.len();
    for index in count..clip.rotations.len() {
        clip.rotations[index] = align_sign(clip.rotations[index], clip.rotations[index - count]);
    }
}

/// How far a joint turns from the frame before.
fn turn_rad(clip: &RawClip, track: usize, frame: usize) -> f32 {
    let at = |frame: usize| clip.frame_rotations(frame)[track];
    at(frame - 1).angle_between(at(frame))
}

fn flips_of(clip: &RawClip, track: usize) -> Vec<Range<usize>> {
    let longest = (LONGEST_SECS * clip.fps) as usize;
    let jumps = (1..clip.frames()).filter(|&frame| turn_rad(clip, track, frame) > FLIP_RAD);
    let jumps: Vec<usize> = jumps.collect();
    let is_flip = |pair: &&[usize]| {
        let ends = [pair[0] - 1, pair[1]].map(|frame| clip.frame_rotations(frame)[track]);
        pair[1] - pair[0] <= longest && ends[0].angle_between(ends[1]) < FLIP_RAD
    };
    let flips = jumps.windows(2).filter(is_flip);
    flips.map(|pair| pair[0]..pair[1]).collect()
}

fn bridge(clip: &mut RawClip, track: usize, flip: &Range<usize>) {
    let count = clip.animated.len();
    let [before, after] =
        [flip.start - 1, flip.end].map(|frame| clip.rotations[frame * count + track]);
    for frame in flip.clone() {
        let part = (frame + 1 - flip.start) as f32 / (flip.len() + 1) as f32;
        clip.rotations[frame * count + track] = nlerp(before, after, part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn a_joint_that_turns_over_and_back_is_bridged_and_a_turn_that_is_meant_stays() {
        let swing = |frame: usize| Quat::from_rotation_x(0.01 * frame as f32);
        let rotation = |frame: usize| match frame {
            40..45 => swing(frame) * Quat::from_rotation_y(3.1),
            60.. => swing(frame) * Quat::from_rotation_y(1.5),
            _ => swing(frame),
        };
        let clip = Arc::new(RawClip {
            fps: 120.0,
            joints: 1,
            animated: vec![0],
            rotations: (0..100).map(rotation).collect(),
            root_translations: vec![Vec3::ZERO; 100],
            ..RawClip::default()
        });
        let mended = without_flips(&clip);
        for frame in 0..100 {
            let wanted = if frame < 60 {
                swing(frame)
            } else {
                rotation(frame)
            };
            let off = mended.rotations[frame].angle_between(wanted);
            assert!(off < 1e-3, "frame {frame}: {off}");
        }
    }
}
