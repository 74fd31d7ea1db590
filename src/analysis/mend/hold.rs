//! Feet that slide, held: what the sole travels is taken back while the foot is
//! down, and given back in its next swing.

use glam::{Vec2, Vec3A};

use crate::{
    analysis::{
        check::{FootTrack, Slide, slides, slides_beyond},
        motion::PosedMotion,
    },
    humanoid::LegChain,
    math::ease::smoothstep,
    skeleton::{LocalPose, ModelPose},
};

/// A foot is given back its own way within this time at most, seconds.
const FADE_SECS: f64 = 0.4;
/// … and in no swing that is shorter: it would be thrown back, seconds.
const LEAST_SWING_SECS: f64 = 0.2;
/// Near a slide that is found smaller ones are held too, metres …
const LEAST_M: f32 = 0.005;
/// … within this time, seconds.
const NEAR_SECS: f64 = 0.3;
/// A leg is straight at this share of its length.
const STRAIGHT: f32 = 0.999;

/// Holds all feet that slide.
pub(super) fn hold(motion: &PosedMotion<'_>, poses: &mut [LocalPose]) {
    let (found, near) = (slides(motion), motion.frames_in(NEAR_SECS, 1));
    let small = slides_beyond(motion, LEAST_M).into_iter();
    let slides = small.filter(|it| {
        let beside = |known: &Slide| {
            let of_leg = known.leg == it.leg;
            let before = it.frames.start <= known.frames.end + near;
            of_leg && before && known.frames.start <= it.frames.end + near
        };
        found.iter().any(beside)
    });
    let slides: Vec<Slide> = slides.collect();
    for (leg, chain) in motion.legs.iter().enumerate() {
        let own: Vec<&Slide> = slides.iter().filter(|it| it.leg == leg).collect();
        if own.is_empty() {
            continue;
        }
        let track = FootTrack::of(motion, chain);
        let offsets = offsets(motion, &track, &own);
        move_foot(motion, chain, &offsets, poses);
    }
}

/// What to move the foot by, frame by frame, metres.
fn offsets(motion: &PosedMotion<'_>, track: &FootTrack, slides: &[&Slide]) -> Vec<Vec2> {
    let count = motion.frames();
    let fade = motion.frames_in(FADE_SECS, 2);
    let least_swing = motion.frames_in(LEAST_SWING_SECS, 2);
    let mut offsets = vec![Vec2::ZERO; count];
    let mut held = Vec2::ZERO;
    let mut next = slides.iter();
    let mut slide = next.next();
    // A fade under way: what was held, and since when.
    let mut swing: Option<(Vec2, usize, usize)> = None;
    for (frame, offset) in offsets.iter_mut().enumerate() {
        if slide.is_some_and(|it| frame >= it.frames.end) {
            slide = next.next();
        }
        if slide.is_some_and(|it| it.frames.contains(&frame)) {
            swing = None;
            // By the mean of the speeds at both ends of the step.
            let before = track.sole_mps[frame.saturating_sub(1)];
            let step = (before + track.sole_mps[frame]) / 2.0;
            held -= step / motion.fps() as f32;
        } else if !track.down[frame] && held != Vec2::ZERO && swing.is_none() {
            let lands = (frame..count).find(|&k| track.down[k]).unwrap_or(count);
            if lands - frame >= least_swing {
                swing = Some((held, frame, fade.min(lands - frame)));
            }
        }
        if let Some((from, since, frames)) = swing {
            let share = ((frame + 1 - since) as f32 / frames as f32).min(1.0);
            held = from * (1.0 - smoothstep(share));
            if share >= 1.0 {
                (held, swing) = (Vec2::ZERO, None);
            }
        }
        *offset = held;
    }
    offsets
}

fn move_foot(motion: &PosedMotion<'_>, leg: &LegChain, offsets: &[Vec2], poses: &mut [LocalPose]) {
    let mut model = ModelPose::default();
    for (pose, offset) in poses.iter_mut().zip(offsets) {
        if *offset == Vec2::ZERO {
            continue;
        }
        model.compute(motion.skeleton, pose);
        let by = Vec3A::new(offset.x, 0.0, offset.y);
        let joints = [leg.joints.hip, leg.joints.knee, leg.joints.ankle];
        let [hip, knee, ankle] = joints.map(|it| model.joints()[usize::from(it)].translation);
        let length = hip.distance(knee) + knee.distance(ankle);
        match hip.distance(ankle + by) < STRAIGHT * length {
            true => leg.place_foot(motion.skeleton, by, pose, &mut model),
            false => leg.shift_foot(motion.skeleton, by, pose, &mut model),
        }
    }
}
