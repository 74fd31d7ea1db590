//! The compact clip and its decoder.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{
    channels::{Frame, Trigonometry},
    grid::BOOSTS,
    model::{self, Mean},
    pyramid::{self, BLOCK, LEVELS, Neighbours},
    rans::{Decoder, Encoder},
    rows::{self, LANES, RowTools},
    stream::{self, Head},
};
use crate::{
    codec::{DecodeError, SampleClip, bytes::SharedBytes},
    math::quat::nlerp,
    skeleton::{LocalPose, Skeleton},
};

/// A clip in the fewest bytes that keep every measured point within a promised
/// distance. Made by [`TightClip::compress`] or from bytes; shared freely.
#[derive(Clone, Debug)]
pub struct TightClip {
    /// Tells cursors which clip they are warm for.
    id: u64,
    joints: usize,
    head: Head,
    /// Steps of every level.
    steps: Vec<f32>,
    bytes: SharedBytes,
    /// Where each stream of each block begins in `bytes`, and where the last
    /// ends.
    stream_starts: Vec<usize>,
}

/// Two clips are the same when their bytes are.
impl PartialEq for TightClip {
    fn eq(&self, other: &Self) -> bool {
        self.joints == other.joints && *self.bytes == *other.bytes
    }
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// A decoded frame and which it is.
#[derive(Clone, Debug, Default)]
struct Decoded {
    index: Option<usize>,
    frame: Frame,
}

/// What a player of a [`TightClip`] keeps: the block it is in, and the two
/// frames around its time.
#[derive(Clone, Debug, Default)]
pub struct TightCursor {
    clip: u64,
    block: Option<usize>,
    /// BLOCK + 1 frames of coded channels.
    rows: Vec<f32>,
    predicted: Vec<f32>,
    missed: Vec<f32>,
    means: Vec<Mean>,
    around: [Decoded; 2],
    blend: Frame,
    trigonometry: Trigonometry,
}

/// Times this close to a frame, in frames, give the frame itself.
const ON_FRAME: f64 = 1e-6;

impl TightClip {
    /// Reads what [`Self::to_bytes`] gave, for the same skeleton.
    pub fn from_bytes(
        bytes: impl Into<SharedBytes>,
        skeleton: &Skeleton,
    ) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        let (head, mut at) = stream::read(&bytes, skeleton)?;
        let mut stream_starts = vec![at];
        for length in head.block_bytes.iter().flatten() {
            at += length;
            stream_starts.push(at);
        }
        Ok(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            joints: skeleton.len(),
            steps: head.grid.steps(),
            head,
            bytes,
            stream_starts,
        })
    }

    /// The clip as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes.to_vec()
    }

    /// The clip as bytes, without a copy.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of numbers a frame: channels that vary.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.head.coded.len()
    }

    fn knot(&self, index: usize) -> Option<&[f32]> {
        let width = self.head.coded.len();
        self.head.knots.get(index * width..(index + 1) * width)
    }

    fn stream(&self, block: usize, lane: usize) -> &[u8] {
        let at = block * LANES + lane;
        &self.bytes[self.stream_starts[at]..self.stream_starts[at + 1]]
    }

    /// Decodes a whole block into the cursor.
    fn load_block(&self, block: usize, cursor: &mut TightCursor) {
        let width = self.head.coded.len();
        let TightCursor {
            rows,
            predicted,
            missed,
            means,
            ..
        } = cursor;
        let (Some(first), Some(last)) = (self.knot(block), self.knot(block + 1)) else {
            return; // `read` made sure of knots on both sides of every block
        };
        rows[..width].copy_from_slice(first);
        rows[BLOCK * width..].copy_from_slice(last);
        let neighbours = Neighbours {
            before: block.checked_sub(1).and_then(|before| self.knot(before)),
            after: self.knot(block + 2),
        };
        let mut decoders = [0, 1].map(|lane| Decoder::new(self.stream(block, lane)));
        let boost = read_boost(&mut decoders[0]);
        let frames_left = self.head.frames - block * BLOCK;
        let mut last_level = 1;
        self.head
            .grid
            .start_means([first, last], &self.steps[width..2 * width], means);
        for (level, at) in pyramid::order() {
            if level != last_level {
                self.head.grid.next_level(means);
                last_level = level;
            }
            pyramid::predict(rows, neighbours, (level, at), predicted);
            if at < frames_left {
                let tools = RowTools {
                    steps: &self.steps[level * width..(level + 1) * width],
                    boost,
                    coupling: &self.head.coupling,
                };
                rows::read_row(means, &mut decoders, &tools, missed, predicted);
            }
            rows[at * width..(at + 1) * width].copy_from_slice(predicted);
        }
        cursor.block = Some(block);
    }

    fn warm(&self, cursor: &mut TightCursor) {
        if cursor.clip == self.id {
            return;
        }
        let width = self.head.coded.len();
        *cursor = TightCursor {
            clip: self.id,
            rows: vec![0.0; (BLOCK + 1) * width],
            predicted: vec![0.0; width],
            missed: vec![0.0; width],
            means: vec![0; width],
            ..TightCursor::default()
        };
        for frame in cursor.around.iter_mut().map(|decoded| &mut decoded.frame) {
            frame.values.clone_from(&self.head.constants);
        }
        cursor.blend.values.clone_from(&self.head.constants);
    }

    /// Makes sure `cursor.around[slot]` is frame `index`.
    fn load_frame(&self, index: usize, slot: usize, cursor: &mut TightCursor) {
        if cursor.around[slot].index == Some(index) {
            return;
        }
        let width = self.head.coded.len();
        if width > 0 {
            let last_block = pyramid::blocks(self.head.frames).saturating_sub(1);
            let block = (index / BLOCK).min(last_block);
            let in_block = index - block * BLOCK;
            let row = match self.knot(index / BLOCK) {
                Some(knot) if index.is_multiple_of(BLOCK) => knot,
                _ => {
                    if cursor.block != Some(block) {
                        self.load_block(block, cursor);
                    }
                    &cursor.rows[in_block * width..(in_block + 1) * width]
                }
            };
            let values = &mut cursor.around[slot].frame.values;
            for (&channel, &value) in self.head.coded.iter().zip(row) {
                values[channel] = value;
            }
        }
        let decoded = &mut cursor.around[slot];
        self.head
            .layout
            .compose(&mut decoded.frame, &mut cursor.trigonometry);
        decoded.index = Some(index);
    }

    fn blend(&self, t: f32, cursor: &mut TightCursor) {
        let [from, to] = &cursor.around;
        let pairs = from.frame.rotations.iter().zip(&to.frame.rotations);
        cursor.blend.rotations.clear();
        cursor
            .blend
            .rotations
            .extend(pairs.map(|(&a, &b)| nlerp(a, b, t)));
        let pairs = from.frame.values.iter().zip(&to.frame.values);
        cursor.blend.values.clear();
        cursor
            .blend
            .values
            .extend(pairs.map(|(a, b)| a + (b - a) * t));
    }
}

/// How much finer than usual the steps of a block are.
pub(super) fn write_boost(encoder: &mut Encoder, boost: usize) {
    model::write_flag(encoder, boost > 0);
    if boost > 0 {
        encoder.bits(boost as u32, 2);
    }
}

fn read_boost(decoder: &mut Decoder<'_>) -> f32 {
    if model::read_flag(decoder) {
        BOOSTS[decoder.bits(2) as usize]
    } else {
        BOOSTS[0]
    }
}

impl SampleClip for TightClip {
    type Cursor = TightCursor;

    fn frames(&self) -> usize {
        self.head.frames
    }

    fn fps(&self) -> f64 {
        self.head.fps
    }

    fn joints(&self) -> usize {
        self.joints
    }

    fn keys(&self) -> usize {
        self.head.frames * self.head.coded.len()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut TightCursor,
        pose: &mut LocalPose,
    ) {
        assert_eq!(
            self.joints,
            skeleton.len(),
            "the clip is for another skeleton"
        );
        self.warm(cursor);
        let last = self.head.frames - 1;
        // `max` first: it turns what is not a number into the start.
        let position = (time_secs * self.head.fps).max(0.0).min(last as f64);
        let nearest = position.round();
        if (position - nearest).abs() < ON_FRAME {
            let index = nearest as usize;
            let slot = usize::from(cursor.around[1].index == Some(index));
            self.load_frame(index, slot, cursor);
            let frame = &cursor.around[slot].frame;
            return self.head.layout.write_pose(skeleton, frame, pose);
        }
        let before = position as usize;
        if cursor.around[1].index == Some(before) {
            cursor.around.swap(0, 1);
        }
        self.load_frame(before, 0, cursor);
        self.load_frame(before + 1, 1, cursor);
        self.blend((position - before as f64) as f32, cursor);
        self.head.layout.write_pose(skeleton, &cursor.blend, pose);
    }
}

const _: () = assert!(LEVELS > 0 && BLOCK.is_power_of_two());
