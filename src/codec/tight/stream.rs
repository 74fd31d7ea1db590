//! The bytes of a clip.
//!
//! ```text
//! u8      version
//! varint  frames
//! varint  frames a second × 2, or 1 and an f64 if that is not a whole number
//! f32     scale of all steps
//! u8      growth of steps per level (5 bits)
//! u8      start (2 bits), decay (2 bits) of the model
//! varint  length of the head
//! head    one entropy-coded stream: which joints turn and how, which channels
//!         are constant, steps, knots, lengths of the blocks
//! blocks  one stream each, of four lanes
//! ```
//! Numbers are little-endian; a varint has seven bits a byte, low ones first.
//! With no coded channels there are no knots and no blocks.

use super::{
    channels::{ChannelLayout, RotationCode, Tracks},
    cross_channel::{CrossPredictor, Links, MAX_GAIN, MAX_SOURCES},
    frame_order,
    grid::{Grid, MAX_EXPONENT, MAX_GROWTH, SCALES},
    model,
    rows::{Dequantiser, KnotModel, Series},
    tans::{Decoder, Encoder},
};
use crate::{
    codec::{
        DecodeError, bad_field,
        bytes::{ByteReader, put_varint},
    },
    skeleton::{JointIndex, Skeleton},
};

/// The version this code writes, and the only one it reads.
pub(super) const VERSION: u8 = 2;

/// More frames than any capture has (103 days at 120 a second); keeps arithmetic
/// on them in 32 bits.
pub(super) const MAX_FRAMES: u32 = 1 << 30;

/// Steps above this only occur in damaged streams.
const MAX_STEP: f32 = 1e4;

/// Knots may take so many bytes of memory for every byte of the clip. Blocks in
/// which nothing stirs need half of it.
const MOST_BYTES_A_BYTE: usize = 128;

/// Channels that a head of no length may have.
const FREE_CHANNELS: usize = 16;

/// A constant channel is a multiple of this part of its step.
pub(super) const CONSTANT_STEP: f32 = 0.25;

/// Everything but the blocks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub frames: usize,
    pub fps: f64,
    pub tracks: Tracks,
    pub layout: ChannelLayout,
    /// Indices of the channels that vary.
    pub coded: Vec<usize>,
    /// Values of the channels that do not, 0 at the others.
    pub constants: Vec<f32>,
    pub grid: Grid,
    pub cross_predictor: CrossPredictor,
    /// Decoded knots, one row of coded channels each.
    pub knots: Vec<f32>,
    /// Bytes of each block.
    pub block_bytes: Vec<usize>,
}

/// What the encoder knows of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChannelPlan {
    /// Varies; rounded to steps of this exponent.
    Coded(i32),
    /// Stands at a multiple of [`CONSTANT_STEP`] of the step of this exponent.
    Constant(i32, i32),
}

/// The parts of a clip, ready to be written.
pub(super) struct ClipParts<'a> {
    pub frames: usize,
    pub fps: f64,
    pub skeleton: &'a Skeleton,
    pub tracks: &'a Tracks,
    pub plans: &'a [ChannelPlan],
    pub grid: &'a Grid,
    pub links: &'a Links,
    /// Residuals of the knots.
    pub knots: &'a [Vec<i32>],
    pub blocks: &'a [Vec<u8>],
}

/// The whole clip as bytes.
pub(super) fn write(parts: &ClipParts<'_>) -> Vec<u8> {
    let mut head = Encoder::default();
    write_tracks(&mut head, parts.skeleton, parts.tracks);
    write_plans(&mut head, parts.plans);
    write_links(&mut head, parts.links);
    let mut model = KnotModel::new(parts.grid.width());
    for knot in parts.knots {
        model.write(knot, Some(&mut head));
    }
    // With the lengths any block is found without decoding those before it.
    write_lengths(&mut head, parts.blocks);
    let head = head.finish(1);
    let mut bytes = vec![VERSION];
    put_varint(&mut bytes, parts.frames as u32);
    // Rates are nearly always whole: doubled they are even, and 1 is left to
    // say that eight bytes follow.
    if parts.fps.fract() == 0.0 && parts.fps < 65_536.0 {
        put_varint(&mut bytes, parts.fps as u32 * 2);
    } else {
        put_varint(&mut bytes, 1);
        bytes.extend(parts.fps.to_le_bytes());
    }
    bytes.extend(parts.grid.scale.to_le_bytes());
    bytes.push(parts.grid.growth);
    bytes.push(parts.grid.start | parts.grid.decay << 2);
    put_varint(&mut bytes, head.len() as u32);
    bytes.extend(head);
    bytes.extend(parts.blocks.iter().flatten());
    bytes
}

fn write_tracks(head: &mut Encoder, skeleton: &Skeleton, tracks: &Tracks) {
    let further = !(tracks.offsets.is_empty() && tracks.stretches.is_empty());
    model::write_flag(head, further);
    for joint in 0..skeleton.len() as JointIndex {
        let rotation = tracks
            .rotations
            .binary_search_by_key(&joint, |track| track.0);
        // In the skeleton's order, so that no joint is named.
        model::write_flag(head, rotation.is_err());
        if let Ok(at) = rotation {
            write_code(head, tracks.rotations[at].1);
        }
        if further {
            let listed = |list: &[JointIndex]| u32::from(list.binary_search(&joint).is_ok());
            head.bits(listed(&tracks.offsets), 1);
            head.bits(listed(&tracks.stretches), 1);
        }
    }
}

fn read_tracks(head: &mut Decoder<'_>, skeleton: &Skeleton) -> Tracks {
    let mut tracks = Tracks::default();
    let further = model::read_flag(head);
    for joint in 0..skeleton.len() as JointIndex {
        if !model::read_flag(head) {
            tracks.rotations.push((joint, read_code(head)));
        }
        if further {
            if head.bits(1) == 1 {
                tracks.offsets.push(joint);
            }
            if head.bits(1) == 1 {
                tracks.stretches.push(joint);
            }
        }
    }
    tracks
}

fn write_code(head: &mut Encoder, code: RotationCode) {
    // Captures turn joints about their own axes: that takes 0.09 bits.
    model::write_flag(head, code != RotationCode::Dofs);
    match code {
        RotationCode::Dofs => {}
        RotationCode::Axes => head.bits(0, 1),
        RotationCode::Vector(mean) => {
            head.bits(1, 1);
            for byte in mean {
                head.bits(u32::from(byte as u8), 8);
            }
        }
    }
}

fn read_code(head: &mut Decoder<'_>) -> RotationCode {
    if !model::read_flag(head) {
        RotationCode::Dofs
    } else if head.bits(1) == 0 {
        RotationCode::Axes
    } else {
        RotationCode::Vector([0; 3].map(|_: i32| head.bits(8) as u8 as i8))
    }
}

fn write_plans(head: &mut Encoder, plans: &[ChannelPlan]) {
    // Differences from channel to channel: 8 quarter octaves, a factor of
    // four, is what is expected of the first.
    let mut exponents = Series::new(8);
    let mut last = 0;
    for &plan in plans {
        model::write_flag(head, matches!(plan, ChannelPlan::Constant(..)));
        let (ChannelPlan::Coded(exponent) | ChannelPlan::Constant(exponent, _)) = plan;
        exponents.write(head, exponent - last);
        last = exponent;
        if let ChannelPlan::Constant(_, multiple) = plan {
            Series::new(0).write(head, multiple);
        }
    }
}

fn read_plans(head: &mut Decoder<'_>, channels: usize) -> Result<Vec<ChannelPlan>, DecodeError> {
    let mut exponents = Series::new(8);
    let mut last = 0i32;
    let mut plans = Vec::with_capacity(channels);
    for _ in 0..channels {
        let constant = model::read_flag(head);
        last = last.saturating_add(exponents.read(head));
        if last.abs() > MAX_EXPONENT {
            return Err(bad_field(
                "the exponent of a step",
                last.unsigned_abs(),
                "at most 128",
            ));
        }
        plans.push(if constant {
            ChannelPlan::Constant(last, Series::new(0).read(head))
        } else {
            ChannelPlan::Coded(last)
        });
    }
    Ok(plans)
}

fn source_bits(at: usize) -> u32 {
    usize::BITS - at.saturating_sub(1).leading_zeros()
}

fn write_links(head: &mut Encoder, links: &Links) {
    let mut counts = Series::new(1);
    let mut gains = Series::new(8);
    for (at, sources) in links.iter().enumerate() {
        counts.write(head, sources.len() as i32);
        for &(source, gain) in sources {
            // Only channels before this one can be meant: few bits for the
            // first.
            head.bits(source as u32, source_bits(at));
            gains.write(head, gain);
        }
    }
}

fn read_links(head: &mut Decoder<'_>, width: usize) -> Links {
    let mut counts = Series::new(1);
    let mut gains = Series::new(8);
    let links = (0..width).map(|at| {
        // Held to what is possible, so that damage gives another clip at
        // worst.
        let count = counts.read(head).clamp(0, MAX_SOURCES.min(at) as i32);
        let sources = (0..count).map(|_| {
            let source = (head.bits(source_bits(at)) as usize).min(at - 1);
            (source, gains.read(head).clamp(-MAX_GAIN, MAX_GAIN))
        });
        sources.collect()
    });
    links.collect()
}

/// How far lengths of blocks differ, roughly, before any is known.
const LENGTH_DIFFERENCE: i32 = 8;

/// Length of each block against that of the block before it.
fn write_lengths(head: &mut Encoder, blocks: &[Vec<u8>]) {
    let mut differences = Series::new(LENGTH_DIFFERENCE);
    let mut last = 0;
    for block in blocks {
        let length = block.len() as i32;
        differences.write(head, length - last);
        last = length;
    }
}

fn truncated(what: &'static str, needed: usize, left: usize) -> DecodeError {
    DecodeError::Truncated {
        what,
        needed: needed as u64,
        left: left as u64,
    }
}

/// Reads everything but the blocks and says where those begin.
pub(super) fn read(bytes: &[u8], skeleton: &Skeleton) -> Result<(Head, usize), DecodeError> {
    let mut reader = ByteReader::new(bytes);
    let version = reader.u8("the version")?;
    if version != VERSION {
        return Err(bad_field("the version", version, "2"));
    }
    let frames = reader.varint("the number of frames")?;
    if !(1..=MAX_FRAMES).contains(&frames) {
        return Err(bad_field("the number of frames", frames, "1 to 2³⁰"));
    }
    let fps = read_rate(&mut reader)?;
    let scale = reader.f32("the scale of the steps")?;
    if !SCALES.contains(&scale) {
        return Err(bad_field(
            "the scale of the steps",
            scale.to_bits(),
            "1e-9 to 1e3",
        ));
    }
    let growth = reader.u8("the growth of the steps")?;
    if growth > MAX_GROWTH {
        return Err(bad_field("the growth of the steps", growth, "at most 31"));
    }
    let start = reader.u8("the start of the model")?;
    if start > 15 {
        return Err(bad_field("the start of the model", start, "at most 15"));
    }
    let size = reader.varint("the length of the head")? as usize;
    let mut head = Decoder::new(reader.take("the head", size)?, 1);
    let mut grid = Grid {
        scale,
        exponents: Vec::new(),
        growth,
        start: start & 3,
        decay: start >> 2,
    };
    let frames = frames as usize;
    let tracks = read_tracks(&mut head, skeleton);
    let layout = ChannelLayout::new(skeleton, &tracks);
    // Whatever a channel is, the head spends four bits on it.
    let least = layout.channels.len().saturating_sub(FREE_CHANNELS) / 2;
    if size < least {
        return Err(truncated("the head", least, size));
    }
    let plans = read_plans(&mut head, layout.channels.len())?;
    let (coded, constants) = apply_plans(&plans, &mut grid);
    if let Some(step) = grid.steps().iter().find(|&&step| step > MAX_STEP) {
        return Err(bad_field("a step", step.to_bits(), "at most 1e4"));
    }
    let blocks = if coded.is_empty() {
        0
    } else {
        frame_order::blocks(frames)
    };
    // Knots are decoded now, so that a seek costs one block.
    // A few bytes must not claim more knots than memory for them is fair.
    let least = blocks.max((blocks + 1).saturating_mul(coded.len() * 4) / MOST_BYTES_A_BYTE);
    if least > bytes.len() {
        return Err(truncated("the blocks", least, reader.left()));
    }
    let cross_predictor = CrossPredictor::new(&read_links(&mut head, grid.width()), &grid);
    let knots = read_knots(&mut head, &grid, &cross_predictor, blocks + 1)?;
    let block_bytes = read_lengths(&mut head, blocks, reader.left())?;
    let head = Head {
        frames,
        fps,
        tracks,
        layout,
        coded,
        constants,
        grid,
        cross_predictor,
        knots,
        block_bytes,
    };
    Ok((head, bytes.len() - reader.left()))
}

fn read_rate(reader: &mut ByteReader<'_>) -> Result<f64, DecodeError> {
    let what = "the frame rate";
    let whole = reader.varint(what)?;
    let fps = match whole {
        1 => reader.f64(what)?,
        even if even % 2 == 0 => f64::from(even / 2),
        odd => return Err(bad_field(what, odd, "even, or 1")),
    };
    if !(fps.is_finite() && fps > 0.0) {
        return Err(bad_field(what, fps.to_bits(), "a positive number"));
    }
    Ok(fps)
}

/// Which channels are coded and where the others stand; fills in the grid's
/// exponents.
pub(super) fn apply_plans(plans: &[ChannelPlan], grid: &mut Grid) -> (Vec<usize>, Vec<f32>) {
    // For all channels first: constants need steps of their own.
    grid.exponents = plans
        .iter()
        .map(|&(ChannelPlan::Coded(exponent) | ChannelPlan::Constant(exponent, _))| exponent)
        .collect();
    let steps = grid.steps();
    let constants = plans.iter().zip(&steps).map(|(&plan, step)| match plan {
        ChannelPlan::Coded(_) => 0.0,
        ChannelPlan::Constant(_, multiple) => multiple as f32 * (step * CONSTANT_STEP),
    });
    let constants = constants.collect();
    let coded: Vec<usize> = (0..plans.len())
        .filter(|&at| matches!(plans[at], ChannelPlan::Coded(_)))
        .collect();
    grid.exponents = coded.iter().map(|&at| grid.exponents[at]).collect();
    (coded, constants)
}

/// Knots farther out than this only occur in damaged streams.
const MAX_KNOT: f32 = 1e9;

fn read_knots(
    head: &mut Decoder<'_>,
    grid: &Grid,
    cross_predictor: &CrossPredictor,
    count: usize,
) -> Result<Vec<f32>, DecodeError> {
    let width = grid.width();
    if width == 0 {
        return Ok(Vec::new());
    }
    let steps = grid.steps();
    let mut knots: Vec<f32> = Vec::with_capacity(count * width);
    let mut model = KnotModel::new(width);
    let mut row = vec![0.0; width];
    let mut corrections = vec![0.0; width];
    let without_cross = CrossPredictor::new(&vec![Vec::new(); width], grid);
    for knot in 0..count {
        predict_next_knot(&knots, width, &mut row);
        // The first knot is predicted from nothing: what it misses is itself.
        let cross_predictor = if knot == 0 {
            &without_cross
        } else {
            cross_predictor
        };
        let dequantiser = Dequantiser {
            steps: &steps,
            boost: 1.0,
            cross_predictor,
        };
        model.read(head, &dequantiser, &mut corrections, &mut row);
        if row.iter().any(|value| value.abs() > MAX_KNOT) {
            return Err(bad_field("a knot", knot as u64, "within 1e9"));
        }
        knots.extend_from_slice(&row);
    }
    Ok(knots)
}

/// Predicts the knot that comes after all of `knots`.
pub(super) fn predict_next_knot(knots: &[f32], width: usize, out: &mut [f32]) {
    let mut rows = knots.rchunks_exact(width.max(1));
    let last = rows.next();
    frame_order::predict_knot(rows.next(), last, out);
}

fn read_lengths(
    head: &mut Decoder<'_>,
    blocks: usize,
    available: usize,
) -> Result<Vec<usize>, DecodeError> {
    let mut differences = Series::new(LENGTH_DIFFERENCE);
    let mut last = 0i32;
    let mut sum = 0usize;
    let mut lengths = Vec::with_capacity(blocks);
    for _ in 0..blocks {
        last = last.saturating_add(differences.read(head));
        // Each at least 0; whether they fill the bytes is checked below.
        lengths.push(length(last)?);
        sum += last as usize;
    }
    match sum {
        sum if sum > available => Err(truncated("the blocks", sum, available)),
        sum if sum < available => Err(DecodeError::Leftover((available - sum) as u64)),
        _ => Ok(lengths),
    }
}

fn length(found: i32) -> Result<usize, DecodeError> {
    let negative = |_| {
        bad_field(
            "the length of a block",
            found.unsigned_abs(),
            "not negative",
        )
    };
    usize::try_from(found).map_err(negative)
}
