//! Nobody moves: a pose that was written again and again, or a recording that
//! stopped; and bodies that fall or stand as none on earth does.

use super::{Finding, FindingKind};
use crate::{
    analysis::{motion::PosedMotion, robust::runs},
    humanoid::{Stature, StatureSource},
};

/// Held for so long, seconds, a body is still: breathing alone moves it.
const LEAST_SECS: f64 = 1.0;
/// Steps below this are none, in quaternion parts and metres: roundings.
const HELD: f32 = 2e-5;
/// People, children and giants included, metres.
const PEOPLE_M: [f32; 2] = [0.9, 2.4];

pub(super) fn findings(motion: &PosedMotion<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = unit(motion).into_iter().collect();
    let frames = motion.frames();
    let steps = frames.saturating_sub(1);
    let least = motion.frames_in(LEAST_SECS, 1);
    let held = runs(steps, |step| is_held(motion, step));
    for run in held {
        let whole = run.len() == steps;
        // Poses are files too, of a frame or a few.
        if run.len() >= least {
            findings.push(finding(motion, run.start, run.end, whole));
        }
    }
    findings
}

fn is_held(motion: &PosedMotion<'_>, step: usize) -> bool {
    let clip = motion.clip;
    let [a, b] = [step, step + 1].map(|frame| clip.frame_rotations(frame));
    let turned = a.iter().zip(b).any(|(a, b)| (*a - *b).length() > HELD);
    let [from, to] = [step, step + 1].map(|frame| clip.root_translations[frame]);
    let morphs = clip.morphs.iter();
    let changed = morphs
        .map(|track| (track.values[step] - track.values[step + 1]).abs())
        .any(|change| change > HELD);
    let slid = clip.translations.iter();
    let slid = slid
        .map(|track| track.values[step].distance(track.values[step + 1]))
        .any(|way| way > HELD);
    !turned && !changed && !slid && from.distance(to) <= HELD
}

fn finding(motion: &PosedMotion<'_>, start: usize, end: usize, whole: bool) -> Finding {
    let secs = (end - start) as f64 / motion.fps();
    let message = match whole {
        true => format!("all {} frames hold one pose", motion.frames()),
        false => format!("nobody moves for {secs:.2} s"),
    };
    Finding {
        kind: FindingKind::Still,
        joint: None,
        start_frame: start,
        end_frame: end,
        value: secs,
        unit: "s",
        message,
    }
}

/// A person's bones that make no person's height.
fn unit(motion: &PosedMotion<'_>) -> Option<Finding> {
    let stature = Stature::of(motion.skeleton);
    let [least, most] = PEOPLE_M;
    let is_person = stature.from != StatureSource::RestPose;
    let odd = is_person && !(least..=most).contains(&stature.height_m);
    odd.then(|| Finding {
        kind: FindingKind::Unit,
        joint: None,
        start_frame: 0,
        end_frame: motion.frames().saturating_sub(1),
        value: f64::from(stature.height_m) * 100.0,
        unit: "cm",
        message: format!(
            "a person of {:.2} m: is the unit right? (--file-unit says another)",
            stature.height_m
        ),
    })
}
