//! The compact clip and its decoder.

use fearless_simd::Level;

use super::{
    block::{BlockDecoder, CodedBlock, SlotSteps},
    decode_pose::{DecodedFrame, PoseDecoder},
    frame_order::{self, BLOCK, Neighbours},
    stream::{self, Head},
};
use crate::{
    clip::{ClipCursor, ClipShape, SampleClip},
    codec::{DecodeError, bytes::SharedBytes},
    skeleton::{LocalPose, Skeleton},
};

/// A clip in the fewest bytes that keep every measured point within a promised
/// distance. Made by [`TightClip::compress`] or from bytes; shared freely.
#[derive(Clone, Debug)]
pub struct TightClip {
    /// Tells cursors which clip they are warm for.
    id: u64,
    joints: usize,
    /// The instructions sampling may use.
    level: Level,
    head: Head,
    slot_steps: SlotSteps,
    pose_decoder: PoseDecoder,
    /// A frame's values as the pose decoder wants them: coded channels, which are
    /// filled in, then constant ones, then a zero.
    values: Vec<f32>,
    bytes: SharedBytes,
    /// Where each block begins in `bytes`, and where the last ends.
    block_starts: Vec<usize>,
}

/// Two clips are the same when their bytes are.
impl PartialEq for TightClip {
    fn eq(&self, other: &Self) -> bool {
        self.joints == other.joints && *self.bytes == *other.bytes
    }
}

/// A decoded frame and which it is.
#[derive(Clone, Debug, Default)]
struct CachedFrame {
    index: Option<usize>,
    frame: DecodedFrame,
}

/// What a player of a [`TightClip`] keeps: the block it is in, and the two
/// frames around its time.
#[derive(Clone, Debug, Default)]
pub struct TightCursor {
    clip: u64,
    block: Option<usize>,
    decoder: BlockDecoder,
    around: [CachedFrame; 2],
}

/// Times this close to a frame, in frames, give the frame itself: far more than
/// rounding, far less than can be seen.
const ON_FRAME: f64 = 1e-6;

impl TightClip {
    /// Reads what [`Self::to_bytes`] gave, for the same skeleton.
    pub fn from_bytes(
        bytes: impl Into<SharedBytes>,
        skeleton: &Skeleton,
    ) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        let (head, mut at) = stream::read(&bytes, skeleton)?;
        let mut block_starts = vec![at];
        for length in &head.block_bytes {
            at += length;
            block_starts.push(at);
        }
        // Coded channels first, in their order, then the others.
        // Decoded rows are then copied to the front in one go.
        let mut positions = vec![usize::MAX; head.constants.len()];
        for (position, &channel) in head.coded.iter().enumerate() {
            positions[channel] = position;
        }
        let mut values = vec![0.0; head.coded.len()];
        for (position, &constant) in positions.iter_mut().zip(&head.constants) {
            if *position == usize::MAX {
                *position = values.len();
                values.push(constant);
            }
        }
        values.push(0.0);
        Ok(Self {
            id: crate::codec::next_clip_id(),
            joints: skeleton.len(),
            level: Level::new(),
            slot_steps: SlotSteps::new(&head.grid),
            pose_decoder: PoseDecoder::new(
                &head.layout,
                |channel| positions[channel],
                values.len() - 1,
            ),
            values,
            head,
            bytes,
            block_starts,
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

    /// Decodes a whole block into the cursor.
    fn load_block(&self, block: usize, cursor: &mut TightCursor) {
        let (Some(first), Some(last)) = (self.knot(block), self.knot(block + 1)) else {
            return; // `read` made sure of knots on both sides of every block
        };
        let coded = CodedBlock {
            stream: &self.bytes[self.block_starts[block]..self.block_starts[block + 1]],
            knots: [first, last],
            neighbours: Neighbours {
                before: block.checked_sub(1).and_then(|before| self.knot(before)),
                after: self.knot(block + 2),
            },
            frames_left: self.head.frames - block * BLOCK,
            grid: &self.head.grid,
            cross_predictor: &self.head.cross_predictor,
        };
        cursor.decoder.decode(self.level, &self.slot_steps, &coded);
        cursor.block = Some(block);
    }

    fn warm(&self, cursor: &mut TightCursor) {
        if cursor.clip == self.id {
            return;
        }
        let longest = self.head.block_bytes.iter().max().copied();
        *cursor = TightCursor {
            clip: self.id,
            decoder: BlockDecoder::new(&self.slot_steps, longest.unwrap_or(0)),
            ..TightCursor::default()
        };
        for decoded in &mut cursor.around {
            decoded.frame.values.clone_from(&self.values);
        }
    }

    /// Makes sure `cursor.around[slot]` is frame `index`.
    fn load_frame(&self, index: usize, slot: usize, cursor: &mut TightCursor) {
        if cursor.around[slot].index == Some(index) {
            return;
        }
        if !self.head.coded.is_empty() {
            let last_block = frame_order::blocks(self.head.frames).saturating_sub(1);
            let block = (index / BLOCK).min(last_block);
            let row = match self.knot(index / BLOCK) {
                Some(knot) if index.is_multiple_of(BLOCK) => knot,
                _ => {
                    // A knot needs no block; another frame's block is decoded
                    // whole.
                    if cursor.block != Some(block) {
                        self.load_block(block, cursor);
                    }
                    cursor.decoder.row(index - block * BLOCK)
                }
            };
            let values = cursor.around[slot].frame.values.iter_mut();
            #[allow(clippy::manual_clamp)] // `max` first: what is not a number becomes one
            for (value, &decoded) in values.zip(row) {
                *value = decoded.max(-MAX_VALUE).min(MAX_VALUE);
            }
        }
        let decoded = &mut cursor.around[slot];
        self.pose_decoder
            .decode_rotations(self.level, &mut decoded.frame);
        decoded.index = Some(index);
    }
}

/// Values farther out only occur in damaged streams.
const MAX_VALUE: f32 = 1e9;

impl TightClip {
    /// Coded samples of all channels.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.head.frames * self.head.coded.len()
    }
}

impl SampleClip for TightClip {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.head.frames,
            fps: self.head.fps,
            joints: self.joints,
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        assert_eq!(
            self.joints,
            skeleton.len(),
            "the clip is for another skeleton"
        );
        let cursor = cursor.of::<TightCursor>();
        self.warm(cursor);
        let last = self.head.frames - 1;
        // `max` first: it turns what is not a number into the start.
        let position = (time_secs * self.head.fps).max(0.0).min(last as f64);
        // Seconds times rate is off by rounding; a whole frame shall give just
        // that frame, as measured by the encoder.
        let nearest = position.round();
        if (position - nearest).abs() < ON_FRAME {
            let index = nearest as usize;
            let slot = usize::from(cursor.around[1].index == Some(index));
            self.load_frame(index, slot, cursor);
            let frame = &cursor.around[slot].frame;
            return self.pose_decoder.write(self.level, skeleton, frame, pose);
        }
        let before = position as usize;
        if cursor.around[1].index == Some(before) {
            // Playing forward, the frame after becomes the one before.
            cursor.around.swap(0, 1);
        }
        self.load_frame(before, 0, cursor);
        self.load_frame(before + 1, 1, cursor);
        let t = (position - before as f64) as f32;
        let around = cursor.around.each_ref().map(|decoded| &decoded.frame);
        self.pose_decoder
            .blend(self.level, skeleton, around, t, pose);
    }
}
