//! The search for the coarsest grid that keeps the promise.

use super::{
    TightClip,
    channels::Layout,
    couple::{self, Links},
    extract::{self, Source},
    grid::{Grid, MAX_EXPONENT, SCALES},
    mass::Ancestry,
    quantise::{Outcome, Settings, Subject},
    rig::Rig,
    stream::{self, CONSTANT_STEP, ChannelPlan, Parts},
};
use crate::{
    clip::RawClip,
    codec::{CompressError, check_input, metric::ErrorTable},
    skeleton::{LocalPose, Skeleton},
};

/// A channel that moves points by no more than this part of the tolerance is
/// constant.
const STILL: f64 = 0.02;

impl TightClip {
    /// Compresses a clip so that, decoded, no measuring point of any joint at
    /// any source frame lies farther than `tolerance_cm` from where it was.
    pub fn compress(
        skeleton: &Skeleton,
        clip: &RawClip,
        tolerance_cm: f32,
    ) -> Result<Self, CompressError> {
        check_input(skeleton, clip, f64::from(tolerance_cm))?;
        let asked_m = f64::from(tolerance_cm) / 100.0;
        let rig = Rig::new(skeleton);
        let source = extract::extract(skeleton, clip, &rig.reach_m, asked_m);
        let mut subject = subject(skeleton, &rig, &source, clip, asked_m);
        balance(&mut subject, asked_m);
        let mut tolerance_m = asked_m;
        let mut found_cm = f64::INFINITY;
        for _ in 0..4 {
            let (settings, outcome) = search(&subject, tolerance_m);
            if let Ok(tight) = assemble(&subject, clip, &settings, &outcome) {
                let measured = ErrorTable::measure_clip(skeleton, clip, &tight).summary();
                if measured.max_cm <= f64::from(tolerance_cm) {
                    return Ok(tight);
                }
                found_cm = found_cm.min(measured.max_cm);
            }
            // The run time computes in single precision: leave room for that.
            tolerance_m -= (found_cm / 100.0 - asked_m).clamp(asked_m * 0.001, asked_m * 0.2);
        }
        Err(CompressError::TooFine {
            asked_cm: f64::from(tolerance_cm),
            promised_cm: found_cm,
        })
    }
}

fn assemble(
    subject: &Subject<'_>,
    clip: &RawClip,
    settings: &Settings,
    outcome: &Outcome,
) -> Result<TightClip, crate::codec::DecodeError> {
    let bytes = stream::write(&Parts {
        frames: clip.frames(),
        fps: clip.fps,
        skeleton: subject.skeleton,
        tracks: &subject.source.tracks,
        plans: &settings.plans,
        grid: &settings.grid,
        links: &settings.links,
        knots: &outcome.knots,
        blocks: &outcome.blocks,
    });
    TightClip::from_bytes(&bytes, subject.skeleton)
}

/// Everything that does not depend on the grid.
fn subject<'a>(
    skeleton: &'a Skeleton,
    rig: &'a Rig,
    source: &'a Source,
    clip: &RawClip,
    tolerance_m: f64,
) -> Subject<'a> {
    let layout = &source.layout;
    let coded = varying(rig, source, tolerance_m);
    let joints: Vec<usize> =
        coded.iter().map(|&at| usize::from(layout.channels[at].joint)).collect();
    let above = |joint: usize| (0..joints.len()).filter(|&at| rig.is_above(joints[at], joint)).collect();
    let movers = (0..skeleton.len()).map(above).collect();
    let mut placed = Vec::with_capacity(clip.frames() * skeleton.len());
    let mut pose = LocalPose::default();
    let mut frame_placed = Vec::new();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        rig.place(&pose, &mut frame_placed);
        placed.extend_from_slice(&frame_placed);
    }
    let mut subject = Subject {
        skeleton,
        rig,
        source,
        frames: clip.frames(),
        ancestry: Ancestry::new(rig, layout, &coded),
        coded,
        joints,
        movers,
        factors: Vec::new(),
        placed,
    };
    subject.compute_factors(&vec![1.0; skeleton.len()]);
    subject
}

/// Smallest and largest value of a channel.
fn extent(source: &Source, channel: usize) -> (f64, f64) {
    let width = source.layout.channels.len();
    let values = source.values.iter().skip(channel).step_by(width);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
}

/// How far a channel moves points for every unit it changes.
fn lever(rig: &Rig, layout: &Layout, channel: usize) -> f64 {
    use super::channels::ChannelKind;
    let channel = layout.channels[channel];
    match channel.kind {
        ChannelKind::Rotation(..) => rig.reach_m[usize::from(channel.joint)],
        ChannelKind::Translation(_) | ChannelKind::Stretch => 1.0,
    }
}

fn varying(rig: &Rig, source: &Source, tolerance_m: f64) -> Vec<usize> {
    let all = 0..source.layout.channels.len();
    all.filter(|&channel| {
        let (low, high) = extent(source, channel);
        (high - low) / 2.0 * lever(rig, &source.layout, channel) > STILL * tolerance_m
    })
    .collect()
}

/// Shape of the grid apart from its scale.
#[derive(Clone, Copy, Debug)]
struct Shape {
    growth: u8,
    start: u8,
    decay: u8,
    round_up_from: f32,
}

fn settings(
    subject: &Subject<'_>,
    links: &Links,
    shape: Shape,
    scale: f64,
    tolerance_m: f64,
) -> Settings {
    let scale = (scale as f32).clamp(*SCALES.start(), *SCALES.end());
    let source = subject.source;
    let mut plans = Vec::new();
    let mut coded = subject.coded.iter().zip(exponents(subject)).peekable();
    for channel in 0..source.layout.channels.len() {
        plans.push(match coded.next_if(|&(&at, _)| at == channel) {
            Some((_, exponent)) => ChannelPlan::Coded(exponent),
            None => constant_plan(subject, channel, scale, tolerance_m),
        });
    }
    let mut grid = Grid {
        scale,
        exponents: Vec::new(),
        growth: shape.growth,
        start: shape.start,
        decay: shape.decay,
    };
    let (_, constants) = stream::apply_plans(&plans, &mut grid);
    Settings {
        plans,
        grid,
        links: links.clone(),
        constants,
        round_up_from: shape.round_up_from,
        tolerance_m,
    }
}

fn constant_plan(
    subject: &Subject<'_>,
    channel: usize,
    scale: f32,
    tolerance_m: f64,
) -> ChannelPlan {
    let (low, high) = extent(subject.source, channel);
    let value = (low + high) / 2.0;
    let wanted =
        STILL * tolerance_m / lever(subject.rig, &subject.source.layout, channel);
    if value.abs() < wanted / 2.0 {
        return ChannelPlan::Constant(0, 0);
    }
    let ratio = wanted / f64::from(scale * CONSTANT_STEP);
    let exponent = ((ratio.log2() * 4.0).floor() as i32).clamp(-MAX_EXPONENT, MAX_EXPONENT);
    let mut grid = Grid {
        scale,
        exponents: vec![exponent],
        growth: 0,
        start: 0,
        decay: 0,
    };
    grid.exponents.truncate(1);
    let step = f64::from(grid.steps()[0] * CONSTANT_STEP);
    ChannelPlan::Constant(exponent, (value / step).round() as i32)
}

/// Steps so that what is left of every channel's error weighs the same.
fn exponents(subject: &Subject<'_>) -> Vec<i32> {
    (0..subject.coded.len())
        .map(|at| {
            let squares = subject.factors.iter().map(|f| f64::from(f.diagonal[at]).powi(2));
            let mean = squares.sum::<f64>() / subject.factors.len() as f64;
            let exponent = (-mean.sqrt().log2() * 4.0).round() as i32;
            exponent.clamp(-MAX_EXPONENT, MAX_EXPONENT)
        })
        .collect()
}

/// Blocks that a probe codes, so that the search takes the same time for
/// clips of all lengths.
const PROBED_BLOCKS: usize = 12;

/// The search walks these ways from the best shape so far: factors for the
/// scale, differences for growth and rounding.
const WAYS: [(f64, i32, f32); 8] = [
    (1.12, 0, 0.0),
    (0.89, 0, 0.0),
    (0.9, 2, 0.0),
    (1.11, -2, 0.0),
    (0.9, 0, 0.06),
    (1.11, 0, -0.06),
    (1.0, 2, 0.0),
    (1.0, 0, 0.06),
];

/// Finds the settings that take the fewest bits within the tolerance.
fn search(subject: &Subject<'_>, tolerance_m: f64) -> (Settings, Outcome) {
    let stride = subject.blocks().div_ceil(PROBED_BLOCKS).max(1);
    let mut shape = Shape {
        growth: 10,
        start: 2,
        decay: 1,
        round_up_from: 0.65,
    };
    let unlinked = vec![Vec::new(); subject.coded.len()];
    let guess = settings(subject, &unlinked, Shape { growth: 10, ..shape }, tolerance_m * 1.3, tolerance_m);
    let width = subject.coded.len();
    let all = subject.source.layout.channels.len();
    let coded_values: Vec<f32> = subject.source.values.chunks_exact(all).flat_map(|row| subject.coded.iter().map(|&at| row[at] as f32)).collect();
    let links = if width == 0 || std::env::var("NOLINK").is_ok() { unlinked } else { couple::fit(&coded_values, subject.frames, &guess.grid, couple::rounding_noise(&mean_ratios(subject, &guess.grid), width)) };
    if std::env::var("TT").is_ok() { eprintln!("links {}", links.iter().map(Vec::len).sum::<usize>()); }
    let price = |shape: Shape, scale: f64| {
        let outcome = subject.probe(&settings(subject, &links, shape, scale, tolerance_m), stride);
        if outcome.worst_m <= tolerance_m { outcome.bits } else { f64::INFINITY }
    };
    let mut scale = tolerance_m * 1.4;
    let mut bits = price(shape, scale);
    while bits.is_infinite() && scale > tolerance_m * 1e-4 {
        scale *= 0.7;
        bits = price(shape, scale);
    }
    let mut idle = 0;
    for way in (0..WAYS.len()).cycle().take(40) {
        let (factor, growth, rounding) = WAYS[way];
        let tried = Shape {
            growth: shape.growth.saturating_add_signed(growth as i8).min(31),
            round_up_from: (shape.round_up_from + rounding).clamp(0.5, 0.95),
            ..shape
        };
        let tried_bits = price(tried, scale * factor);
        if tried_bits < bits {
            (bits, shape, scale) = (tried_bits, tried, scale * factor);
            idle = 0;
        } else {
            idle += 1;
        }
        if idle == WAYS.len() {
            break;
        }
    }
    if std::env::var("TT").is_ok() { eprintln!("shape {shape:?} scale/tol {:.3} blocks {}", scale/tolerance_m, subject.blocks()); }
    let starts = (0..4).map(|start| Shape { start, ..shape });
    let decays = (0..4).map(|decay| Shape { decay, ..shape });
    let cheaper = |shapes: Vec<Shape>| {
        let priced = shapes.into_iter().map(|tried| (price(tried, scale), tried));
        priced.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(shape, |(_, tried)| tried)
    };
    shape = Shape { start: cheaper(starts.collect()).start, decay: cheaper(decays.collect()).decay, ..shape };
    if std::env::var("TT").is_ok() { eprintln!("shape {shape:?}"); }
    loop {
        let settings = settings(subject, &links, shape, scale, tolerance_m);
        let outcome = subject.pass(&settings);
        if outcome.worst_m <= tolerance_m || scale < tolerance_m * 1e-4 {
            return (settings, outcome);
        }
        scale *= 0.9;
    }
}

/// Weighs joints so that all use up the tolerance alike: those at the ends of
/// long chains with few degrees of freedom err more at equal weights.
fn balance(subject: &mut Subject<'_>, tolerance_m: f64) {
    let unlinked = vec![Vec::new(); subject.coded.len()];
    let shape = Shape {
        growth: 10,
        start: 1,
        decay: 1,
        round_up_from: 0.65,
    };
    let stride = subject.blocks().div_ceil(PROBED_BLOCKS).max(1);
    let mut weights = vec![1.0; subject.skeleton.len()];
    for _ in 0..3 {
        let settings = settings(subject, &unlinked, shape, tolerance_m * 1.25, tolerance_m);
        let squares = subject.probe(&settings, stride).joint_squares;
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        if mean.is_nan() || mean <= 0.0 {
            return;
        }
        for (weight, square) in weights.iter_mut().zip(&squares) {
            *weight *= (square / mean).max(0.1).powf(0.75);
        }
        subject.compute_factors(&weights);
    }
}

/// Mean over time of how channels undo their ancestors' errors, in steps.
fn mean_ratios(subject: &Subject<'_>, grid: &Grid) -> Vec<f64> {
    let width = grid.width();
    let steps = grid.steps();
    let mut ratios = vec![0.0; width * width];
    for at in 0..width {
        let pairs = subject.ancestry.range(at);
        for (pair, &above) in pairs.zip(subject.ancestry.of(at)) {
            let sum: f64 = subject.factors.iter().map(|f| f64::from(f.ratios[pair])).sum();
            let mean = sum / subject.factors.len() as f64;
            ratios[at * width + above] = mean * f64::from(steps[above] / steps[at]);
        }
    }
    ratios
}
