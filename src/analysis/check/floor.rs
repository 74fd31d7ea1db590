//! The floor: where it is, what goes below it, and who hangs in the air.
//!
//! Captures are made on floors that tilt by a degree and lie some centimetres
//! off; so the floor of a clip is where its own feet stand, and a foot is below
//! it when it is lower there than it ever stands.

use std::ops::Range;

use super::{Finding, FindingKind};
use crate::{
    analysis::{
        motion::PosedMotion,
        robust::{median, ranked, runs},
    },
    clip::{FootContacts, sole_height_m},
    humanoid::carrier,
};

/// The ground may lie so far from 0, metres: shoes, markers, a carpet.
const GROUND_M: f32 = 0.05;
/// A foot so far below where either of the feet stands around then is below
/// the floor: on tiptoe the ball of a foot sinks by some centimetres, metres …
const BELOW_M: f32 = 0.05;
/// … for at least this long, seconds.
const BELOW_SECS: f64 = 0.05;
/// So far above the floor nobody stands on it, metres …
const ABOVE_M: f32 = 0.08;
/// … and who does so for this long floats, or jumps, seconds.
const ABOVE_SECS: f64 = 0.5;
/// Metres a second squared.
const GRAVITY: f32 = 9.81;
/// Who falls at less than this share of gravity hangs.
const FALLS: f32 = 0.35;
/// A rate is doubted when things fall so many times too fast or too slowly.
const ODD_FALL: f32 = 2.2;
/// A flight that tells the rate lasts so many frames at least.
const FLIGHT_FRAMES: usize = 6;

/// Rates that flights tell agree within this factor.
const AGREE: f32 = 1.8;

/// What the floor of a motion is.
pub(in crate::analysis) struct Ground {
    /// Metres over 0.
    pub height_m: f32,
    /// Frames at which any foot stands.
    stands: Vec<bool>,
}

impl Ground {
    /// Where the feet stand; `None` of those who have none, or stand nowhere.
    pub fn of(motion: &PosedMotion<'_>) -> Option<Self> {
        let paths = motion.legs.iter().map(|leg| {
            let ball = usize::from(leg.joints.ball);
            (0..motion.frames())
                .map(|frame| motion.place(frame, ball))
                .collect()
        });
        let paths: Vec<Vec<_>> = paths.collect();
        let sole_m = sole_height_m(motion.skeleton);
        let (contacts, height_m) = FootContacts::of_paths(&paths, motion.fps(), false, sole_m);
        let mut stands = vec![false; motion.frames()];
        for stance in contacts.iter().flat_map(FootContacts::stances) {
            stands[stance].fill(true);
        }
        stands.contains(&true).then_some(Self { height_m, stands })
    }
}

pub(super) fn findings(motion: &PosedMotion<'_>) -> Vec<Finding> {
    let Some(ground) = Ground::of(motion) else {
        return Vec::new();
    };
    let mut findings: Vec<Finding> = off(motion, &ground).into_iter().collect();
    findings.extend(below(motion));
    findings.extend(airborne(motion, &ground));
    findings
}

/// How high the ground of a motion lies, where that is far from 0.
pub(in crate::analysis) fn floor_height_m(motion: &PosedMotion<'_>) -> Option<f32> {
    let ground = Ground::of(motion)?;
    (ground.height_m.abs() > GROUND_M).then_some(ground.height_m)
}

/// A floor that is not where files have it.
fn off(motion: &PosedMotion<'_>, ground: &Ground) -> Option<Finding> {
    let centimetres = 100.0 * f64::from(ground.height_m);
    let side = if ground.height_m > 0.0 {
        "above"
    } else {
        "below"
    };
    (ground.height_m.abs() > GROUND_M).then(|| Finding {
        kind: FindingKind::Floor,
        joint: None,
        start_frame: 0,
        end_frame: motion.frames() - 1,
        value: centimetres,
        unit: "cm",
        message: format!(
            "the feet stand {:.1} cm {side} the floor",
            centimetres.abs()
        ),
    })
}

/// The lowest point of all joints and bone ends, frame by frame.
fn lowest(motion: &PosedMotion<'_>) -> Vec<f32> {
    let of = |frame: usize| {
        let model = &motion.models[frame];
        let ends = (0..motion.skeleton.len()).map(|joint| {
            let end = model.bone_end(motion.skeleton, joint);
            end.y.min(model.joints()[joint].translation.y)
        });
        ends.fold(f32::INFINITY, f32::min)
    };
    (0..motion.frames()).map(of).collect()
}

/// Feet that sink below where they stand.
fn below(motion: &PosedMotion<'_>) -> Vec<Finding> {
    let least = motion.frames_in(BELOW_SECS, 2);
    let balls = motion.legs.iter().map(|leg| usize::from(leg.joints.ball));
    let heights = |ball: usize| -> Vec<f32> {
        let frames = 0..motion.frames();
        frames.map(|k| motion.place(k, ball).y).collect()
    };
    let feet: Vec<(usize, Vec<f32>)> = balls.map(|ball| (ball, heights(ball))).collect();
    let stand = |(_, heights): &(usize, Vec<f32>)| standing_height(motion, heights);
    let stands: Vec<Vec<f32>> = feet.iter().map(stand).collect();
    let floor = |k: usize| stands.iter().map(|it| it[k]).fold(f32::INFINITY, f32::min);
    let mut findings = Vec::new();
    for (ball, heights) in &feet {
        let sunk = runs(heights.len(), |k| heights[k] < floor(k) - BELOW_M);
        for run in sunk.into_iter().filter(|run| run.len() >= least) {
            let depth = run
                .clone()
                .map(|k| floor(k) - heights[k])
                .fold(0.0, f32::max);
            findings.push(sinks(motion, *ball, &run, depth));
        }
    }
    findings
}

fn sinks(motion: &PosedMotion<'_>, ball: usize, run: &Range<usize>, depth_m: f32) -> Finding {
    let centimetres = 100.0 * f64::from(depth_m);
    Finding {
        kind: FindingKind::Floor,
        joint: Some(ball),
        start_frame: run.start,
        end_frame: run.end - 1,
        value: -centimetres,
        unit: "cm",
        message: format!(
            "{} is {centimetres:.1} cm below where the feet stand else",
            motion.name(ball)
        ),
    }
}

/// For every frame the height at which this foot rests around then: the fifth
/// of its heights within two seconds.
fn standing_height(motion: &PosedMotion<'_>, heights: &[f32]) -> Vec<f32> {
    let around = motion.frames_in(2.0, 1);
    let stride = (around / 8).max(1);
    let mut known = Vec::new();
    for centre in (0..heights.len()).step_by(stride) {
        let first = centre.saturating_sub(around);
        let last = (centre + around + 1).min(heights.len());
        known.push(ranked(&mut heights[first..last].to_vec(), 0.2));
    }
    (0..heights.len()).map(|k| known[k / stride]).collect()
}

/// Stretches in which nothing touches the floor: flights that fall as things
/// do, bodies that hang, and flights that tell of another rate.
fn airborne(motion: &PosedMotion<'_>, ground: &Ground) -> Vec<Finding> {
    let lowest = lowest(motion);
    let floor = ranked(&mut lowest.clone(), 0.1);
    let least = motion.frames_in(ABOVE_SECS, 3);
    let hips = usize::from(carrier(motion.skeleton));
    let mut findings = Vec::new();
    let mut falls: Vec<f32> = Vec::new();
    let mut hanging: Vec<(Range<usize>, f32)> = Vec::new();
    // A foot that stands up there stands on something: a stair, a box.
    for run in runs(lowest.len(), |k| {
        lowest[k] > floor + ABOVE_M && !ground.stands[k]
    }) {
        // At the ends of a clip the flight may be somebody else's affair.
        let inside = run.start > 0 && run.end < lowest.len();
        let falls_at = fall(motion, hips, &run);
        let share = falls_at / GRAVITY;
        if inside && run.len() >= FLIGHT_FRAMES && share > 0.02 {
            falls.push(share);
        }
        if run.len() >= least && share < FALLS {
            let height = run.clone().map(|k| lowest[k] - floor).fold(0.0, f32::max);
            hanging.push((run, height));
        }
    }
    let share = median(&mut falls.clone());
    let agree = falls.iter().all(|it| it.max(share) < AGREE * it.min(share));
    let odd_rate = !(1.0 / ODD_FALL..ODD_FALL).contains(&share);
    if odd_rate && agree && falls.len() > 1 {
        findings.push(rate(motion, share));
    }
    findings.extend(hanging.iter().map(|(run, height)| floats(run, *height)));
    findings
}

/// Metres a second squared at which a joint falls, by the parabola that fits a
/// run of frames best.
fn fall(motion: &PosedMotion<'_>, joint: usize, run: &Range<usize>) -> f32 {
    let count = run.len() as f32;
    let middle = (count - 1.0) / 2.0;
    let heights: Vec<f32> = run.clone().map(|k| motion.place(k, joint).y).collect();
    let mean = heights.iter().sum::<f32>() / count;
    // Least squares on t² less its mean, which is orthogonal to 1 and t.
    let square = |i: usize| (i as f32 - middle).powi(2);
    let mean_square = (0..heights.len()).map(square).sum::<f32>() / count;
    let (mut above, mut below) = (0.0, 0.0);
    for (i, height) in heights.iter().enumerate() {
        let basis = square(i) - mean_square;
        above += basis * (height - mean);
        below += basis * basis;
    }
    let fps = motion.fps() as f32;
    if below > 0.0 {
        -2.0 * above / below * fps * fps
    } else {
        0.0
    }
}

fn floats(run: &Range<usize>, height_m: f32) -> Finding {
    let centimetres = 100.0 * f64::from(height_m);
    Finding {
        kind: FindingKind::Floor,
        joint: None,
        start_frame: run.start,
        end_frame: run.end - 1,
        value: centimetres,
        unit: "cm",
        message: format!(
            "nothing touches the floor, and the body does not fall: it floats {centimetres:.0} cm above it"
        ),
    }
}

/// Things fall by the square of the rate: g' = g · (true rate / stated rate)².
fn rate(motion: &PosedMotion<'_>, share: f32) -> Finding {
    let factor = f64::from(share.sqrt());
    Finding {
        kind: FindingKind::Rate,
        joint: None,
        start_frame: 0,
        end_frame: motion.frames() - 1,
        value: factor,
        unit: "factor",
        message: format!(
            "jumps fall {share:.1} times as fast as things do: at {:.0} frames a second they \
             would fall as they should (--fps says another rate)",
            motion.fps() / factor
        ),
    }
}
