//! The search for the coarsest grid that keeps the promise.

use super::{
    TightClip,
    cross_channel::{self, Links},
    encode_context::{EncodeContext, STILL, lever},
    encoder_skeleton::EncoderSkeleton,
    extract,
    grid::{Grid, MAX_EXPONENT, MAX_GROWTH, SCALES, quarter_power},
    model::MAX_MAGNITUDE,
    precision,
    quantise::{PassResult, PassSettings},
    stream::{self, CONSTANT_STEP, ChannelPlan, ClipParts},
};
use crate::{
    clip::RawClip,
    codec::{CompressError, Stop, check_input, metric::ErrorTable},
    skeleton::Skeleton,
};

impl TightClip {
    /// Compresses a clip so that, decoded, no measuring point of any joint at
    /// any source frame lies farther than `tolerance_cm` from where it was.
    pub fn compress(
        skeleton: &Skeleton,
        clip: &RawClip,
        tolerance_cm: f64,
    ) -> Result<Self, CompressError> {
        Self::compress_until(skeleton, clip, tolerance_cm, Stop::NEVER)
    }

    /// The same, unless it is stopped between two attempts.
    pub fn compress_until(
        skeleton: &Skeleton,
        clip: &RawClip,
        tolerance_cm: f64,
        stop: Stop<'_>,
    ) -> Result<Self, CompressError> {
        check_input(skeleton, clip, tolerance_cm)?;
        let asked_m = tolerance_cm / 100.0;
        // The order matters: channels, then weights of the joints, then links
        // and grid at those weights.
        let hierarchy = EncoderSkeleton::new(skeleton);
        let source = extract::extract(skeleton, clip, &hierarchy.reach_m, asked_m);
        let mut context = EncodeContext::new(skeleton, &hierarchy, &source, clip, asked_m)?;
        precision::check(&context, clip, asked_m)?;
        stop.check()?;
        balance(&mut context, asked_m);
        stop.check()?;
        let (links, choice) = search(&context, asked_m, stop);
        let mut tolerance_m = asked_m;
        for _ in 0..MAX_VERIFICATIONS {
            stop.check()?;
            // Where the encoder itself cannot hold it, more attempts could not
            // either.
            let Some((settings, result)) = finish(&context, &links, choice, tolerance_m) else {
                break;
            };
            let Ok(tight) = assemble(&context, clip, &settings, &result) else {
                break;
            };
            let measured = ErrorTable::measure_clip(skeleton, clip, &tight).summary();
            if measured.max_cm <= tolerance_cm {
                return Ok(tight);
            }
            // The run time computes in single precision: leave room for that.
            // Half as much again as was too much, at least a thousandth of
            // what was asked, never so much that steps collapse.
            let excess_m = measured.max_cm / 100.0 - asked_m;
            tolerance_m -= (excess_m * 1.5).clamp(asked_m * 0.001, tolerance_m * 0.3);
        }
        // Coarser than was asked in any case.
        let promised_m = precision::promised_m(&context, clip).max(2.0 * asked_m);
        Err(CompressError::too_fine(tolerance_cm, promised_m * 100.0))
    }
}

fn assemble(
    context: &EncodeContext<'_>,
    clip: &RawClip,
    settings: &PassSettings,
    result: &PassResult,
) -> Result<TightClip, crate::codec::DecodeError> {
    let bytes = stream::write(&ClipParts {
        frames: clip.frames(),
        fps: clip.fps,
        skeleton: context.skeleton,
        tracks: &context.source.tracks,
        plans: &settings.plans,
        grid: &settings.grid,
        links: &settings.links,
        knots: &result.knots,
        blocks: &result.blocks,
    });
    TightClip::from_bytes(bytes, context.skeleton)
}

/// What the search varies.
#[derive(Clone, Copy, Debug)]
struct GridChoice {
    scale: f64,
    growth: u8,
    start: u8,
    decay: u8,
    round_up_from: f32,
}

impl GridChoice {
    /// Where every search starts. A step moves the measuring points by the scale
    /// (the root of the sum of squares over all of them) and rounding errs by
    /// half of it, so the scale may exceed the tolerance.
    fn usual(tolerance_m: f64) -> Self {
        Self {
            scale: tolerance_m * 1.2,
            growth: 10,
            start: 2,
            decay: 1,
            round_up_from: 0.65,
        }
    }
}

fn settings(
    context: &EncodeContext<'_>,
    links: &Links,
    choice: GridChoice,
    tolerance_m: f64,
) -> PassSettings {
    let scale = (choice.scale as f32).clamp(*SCALES.start(), *SCALES.end());
    let source = context.source;
    let mut plans = Vec::new();
    // `coded` ascends as `channel` does.
    let mut coded = context.coded.iter().zip(&context.exponents).peekable();
    for channel in 0..source.layout.channels.len() {
        plans.push(match coded.next_if(|&(&at, _)| at == channel) {
            Some((_, &exponent)) => {
                ChannelPlan::Coded(exponent.max(least_exponent(context.largest[channel], scale)))
            }
            None => constant_plan(context, channel, scale, tolerance_m),
        });
    }
    let mut grid = Grid {
        scale,
        exponents: Vec::new(),
        growth: choice.growth,
        start: choice.start,
        decay: choice.decay,
    };
    let (_, constants) = stream::apply_plans(&plans, &mut grid);
    PassSettings {
        plans,
        grid,
        links: links.clone(),
        constants,
        round_up_from: choice.round_up_from,
        tolerance_m,
    }
}

/// Exponent of the finest steps in which residuals of a channel can be stored: a
/// knot may leave its prediction by twice the largest value.
fn least_exponent(largest: f64, scale: f32) -> i32 {
    let finest = 2.0 * largest / f64::from(MAX_MAGNITUDE);
    let exponent = (finest / f64::from(scale)).log2() * 4.0;
    // Of a largest value of nothing: minus infinity, which is the least.
    (exponent.ceil() as i32).clamp(-MAX_EXPONENT, MAX_EXPONENT)
}

fn constant_plan(
    context: &EncodeContext<'_>,
    channel: usize,
    scale: f32,
    tolerance_m: f64,
) -> ChannelPlan {
    let value = context.middles[channel];
    // Exact to the part of the tolerance below which a channel counts as
    // constant, and no finer: fewer bits to store.
    let fine = STILL * tolerance_m / lever(context.hierarchy, &context.source.layout, channel);
    // No finer than what can be stored, which is as fine as single precision; a
    // fifth is for the rounding of exponents.
    let wanted = fine.max(value.abs() * 1.2 / f64::from(MAX_MAGNITUDE));
    // Zero is the commonest constant and takes next to nothing.
    if value.abs() < wanted / 2.0 {
        return ChannelPlan::Constant(0, 0);
    }
    let ratio = wanted / f64::from(scale * CONSTANT_STEP);
    let exponent = ((ratio.log2() * 4.0).floor() as i32).clamp(-MAX_EXPONENT, MAX_EXPONENT);
    let step = f64::from(scale * quarter_power(exponent) * CONSTANT_STEP);
    ChannelPlan::Constant(exponent, (value / step).round() as i32)
}

/// Blocks that a probe codes, so that the search takes the same time for
/// clips of all lengths.
const PROBED_BLOCKS: usize = 12;

/// How often a clip is coded anew when the measurement finds an excess. Excesses
/// come of single precision at run time, and are small.
const MAX_VERIFICATIONS: usize = 6;

/// Part of the blocks that may need finer steps: a few hard moments are cheaper
/// boosted than by a finer grid for all.
const MAX_BOOSTED: f64 = 0.4;

/// Steps of the search at most, five rounds of all moves.
const MAX_STEPS: usize = 40;

/// Finest scale that is tried, in tolerances.
const FINEST: f64 = 1e-2;

/// How often joints are weighed anew, and how eagerly: 1 would make up for the
/// whole imbalance at once. That joints use up the tolerance alike is not worth
/// every price: much below it pays best (corpus: 0.75 → 0.3 gains 2–3 %).
const BALANCING: usize = 3;
const EAGERNESS: f64 = 0.3;

/// The search tries these moves from the best point so far: factors for the
/// scale, differences for growth and rounding.
const MOVES: [(f64, i8, f32); 8] = [
    (1.12, 0, 0.0),
    (0.89, 0, 0.0),
    (0.9, 2, 0.0),
    (1.11, -2, 0.0),
    (0.9, 0, 0.06),
    (1.11, 0, -0.06),
    (1.0, 2, 0.0),
    (1.0, 0, 0.06),
];

/// Finds what takes the fewest bits within the tolerance, judged by a part of
/// the clip.
fn search(context: &EncodeContext<'_>, tolerance_m: f64, stop: Stop<'_>) -> (Links, GridChoice) {
    let links = fit_links(context, tolerance_m);
    let stride = probe_stride(context);
    let price = |choice: GridChoice| {
        // The result is thrown away: whatever ends the search soonest.
        if stop.is_asked() {
            return 0.0;
        }
        let settings = settings(context, &links, choice, tolerance_m);
        let result = context.probe(&settings, stride, tolerance_m);
        // Where most blocks need finer steps than the rest of the grid says, the
        // grid is wrong, whatever it costs.
        if result.worst_m <= tolerance_m && result.boosted <= MAX_BOOSTED {
            result.bits
        } else {
            f64::INFINITY
        }
    };
    let mut choice = GridChoice::usual(tolerance_m);
    // Downhill needs somewhere to start that holds the tolerance at all.
    while price(choice).is_infinite() && choice.scale > tolerance_m * FINEST {
        choice.scale *= 0.8;
    }
    choice = descend(choice, price);
    let cheapest = |choices: [GridChoice; 4]| {
        let priced = choices.map(|choice| (price(choice), choice)).into_iter();
        priced
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(choice, |(_, choice)| choice)
    };
    // These two change what residuals cost, not what they are: the errors
    // stay, so they can be chosen last and one by one.
    let start = cheapest([0, 1, 2, 3].map(|start| GridChoice { start, ..choice })).start;
    let decay = cheapest([0, 1, 2, 3].map(|decay| GridChoice { decay, ..choice })).decay;
    let choice = GridChoice {
        start,
        decay,
        ..choice
    };
    (links, choice)
}

/// Codes the whole clip, with smaller steps if some frame elsewhere in it
/// needs them; `None` when no steps will do.
fn finish(
    context: &EncodeContext<'_>,
    links: &Links,
    mut choice: GridChoice,
    tolerance_m: f64,
) -> Option<(PassSettings, PassResult)> {
    // Bolder with every attempt: 0.9, 0.81, 0.66, 0.43 of the step before.
    let mut factor = 0.9;
    loop {
        let settings = settings(context, links, choice, tolerance_m);
        let result = context.pass(&settings);
        if result.worst_m <= tolerance_m {
            return Some((settings, result));
        }
        if choice.scale < tolerance_m * FINEST {
            return None;
        }
        choice.scale *= factor;
        factor *= factor;
    }
}

/// Follows [`MOVES`] downhill until none leads on.
fn descend(mut choice: GridChoice, price: impl Fn(GridChoice) -> f64) -> GridChoice {
    let mut bits = price(choice);
    let mut idle = 0;
    for (factor, growth, rounding) in MOVES.into_iter().cycle().take(MAX_STEPS) {
        let tried = GridChoice {
            scale: choice.scale * factor,
            growth: choice.growth.saturating_add_signed(growth).min(MAX_GROWTH),
            // Below a half rounding would be away from zero, near 1 all
            // truncated.
            round_up_from: (choice.round_up_from + rounding).clamp(0.5, 0.95),
            ..choice
        };
        let tried_bits = price(tried);
        if tried_bits < bits {
            (bits, choice, idle) = (tried_bits, tried, 0);
        } else {
            idle += 1;
        }
        if idle == MOVES.len() {
            break;
        }
    }
    choice
}

fn probe_stride(context: &EncodeContext<'_>) -> usize {
    context.blocks().div_ceil(PROBED_BLOCKS).max(1)
}

fn no_links(context: &EncodeContext<'_>) -> Links {
    vec![Vec::new(); context.coded.len()]
}

/// How channels are best predicted from one another at about the final steps.
fn fit_links(context: &EncodeContext<'_>, tolerance_m: f64) -> Links {
    let choice = GridChoice::usual(tolerance_m);
    let grid = settings(context, &no_links(context), choice, tolerance_m).grid;
    let width = grid.width();
    let frames = context
        .source
        .values
        .chunks_exact(context.layout().channels.len());
    let values: Vec<f32> = frames
        .flat_map(|row| context.coded.iter().map(|&at| row[at] as f32))
        .collect();
    let noise = cross_channel::rounding_noise(&mean_ratios(context, &grid), width);
    cross_channel::fit(&values, context.frames, &grid, noise)
}

/// Weighs joints so that all use up the tolerance alike: those at the ends of
/// long chains with few degrees of freedom err more at equal weights.
fn balance(context: &mut EncodeContext<'_>, tolerance_m: f64) {
    let links = no_links(context);
    let choice = GridChoice::usual(tolerance_m);
    let stride = probe_stride(context);
    let mut weights = vec![1.0; context.skeleton.len()];
    for _ in 0..BALANCING {
        let settings = settings(context, &links, choice, tolerance_m);
        let squares = context
            .probe(&settings, stride, f64::INFINITY)
            .joint_squares;
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        if mean.is_nan() || mean <= 0.0 {
            return;
        }
        for (weight, square) in weights.iter_mut().zip(&squares) {
            // A joint that errs more than the mean is made heavier. One that
            // hardly errs keeps half of its weight a round, so it can come back.
            *weight *= (square / mean).max(0.1).powf(EAGERNESS);
        }
        context.update_weights(&weights);
    }
}

/// Mean over time of how channels undo their ancestors' errors, in steps.
fn mean_ratios(context: &EncodeContext<'_>, grid: &Grid) -> Vec<f64> {
    let width = grid.width();
    let steps = grid.steps();
    let mut ratios = vec![0.0; width * width];
    for at in 0..width {
        let pairs = context.ancestry.range(at);
        for (pair, &above) in pairs.zip(context.ancestry.of(at)) {
            let sum: f64 = context
                .factors()
                .iter()
                .map(|f| f64::from(f.ratios[pair]))
                .sum();
            let mean = sum / context.factors().len() as f64;
            // From units of the channels to steps, in which noise is counted.
            ratios[at * width + above] = mean * f64::from(steps[above] / steps[at]);
        }
    }
    ratios
}
