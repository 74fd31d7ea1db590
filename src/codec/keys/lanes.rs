//! Eight tracks at a time: finding their keys, the cubics between them, and
//! the rotations at a moment.
//!
//! The rotations of a chunk are dealt out to lanes of groups. The cursor holds the cubics of a group and for which frames they are good;
//! when one lane's segment is over, the whole group is made anew, which costs
//! little more than one track would alone.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdInt, SimdMask, f32x8, i32x8};

use super::{Timing, layout::KEY_BYTES};
use crate::{
    codec::{
        lanes::{LANES, Quats, count_ones, transpose8_words},
        quat48::unpack8,
    },
    math::Transform,
    skeleton::JointIndex,
};

/// Eight rotations that vary; lanes beyond the last track repeat it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Offset of each track's first key in the clip's bytes.
    pub keys_at: [i32; LANES],
    /// The last key of each track; at least 1.
    pub last_keys: [i32; LANES],
    /// Whose rotation each track is.
    pub joints: [JointIndex; LANES],
    /// How many lanes are no repetition.
    pub count: usize,
}

/// Which of 32 frames have a key, and how many keys come before them, of the
/// eight tracks of a group: one cache line says where a frame lies among the
/// keys of all.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct KeyMap {
    pub has_key: [i32; LANES],
    pub keys_before: [i32; LANES],
}

/// Frames of a [`KeyMap`].
pub(super) const MAP_FRAMES: usize = 32;

/// The cubics of eight tracks, each between two keys.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Cubics {
    /// Constant first; of each power x, y, z and w.
    coefficients: [[[f32; LANES]; 4]; 4],
    /// Frame of the key each starts at.
    start: [i32; LANES],
    /// Frame of the next key; the past before it is loaded.
    end: [i32; LANES],
    per_frame: [f32; LANES],
}

impl Cubics {
    /// Good for no frame.
    pub const EMPTY: Self = Self {
        coefficients: [[[0.0; LANES]; 4]; 4],
        start: [0; LANES],
        end: [-1; LANES],
        per_frame: [0.0; LANES],
    };

    /// True when every lane is between its keys.
    #[inline(always)]
    pub fn hold<S: Simd>(&self, simd: S, frame: u32) -> bool {
        let frame = simd.splat_i32x8(frame as i32);
        // One lane outside its segment loads all eight: the eight rows of keys
        // are fetched together in little more time than one.
        let begun = simd.load_array_ref_i32x8(&self.start).simd_le(frame);
        let going = simd.load_array_ref_i32x8(&self.end).simd_gt(frame);
        (begun & going).all_true()
    }

    /// Sets the cubics between the keys `first` and the next ones.
    #[inline(always)]
    pub fn load<S: Simd>(
        &mut self,
        simd: S,
        bytes: &[u8],
        group: &Group,
        first: i32x8<S>,
        timing: Timing,
    ) {
        let [a, b, c, d, e, f, g, h] = transpose8_words(rows(simd, bytes, group, first));
        // Transposed: every other word holds frame (low half) and word 0 of a
        // key, the one after it words 1 and 2; one vector for each of eight
        // tracks.
        let frames = [a & 0xffff, c & 0xffff, e & 0xffff, g & 0xffff];
        let [before, length, after] = [
            (frames[1] - frames[0]).to_float::<f32x8<S>>(),
            (frames[2] - frames[1]).to_float(),
            (frames[3] - frames[2]).to_float(),
        ];
        let weights = match timing {
            Timing::Uniform => Weights::uniform(simd),
            Timing::Knots => Weights::knots(simd, before, length, after),
            Timing::Straight => Weights::straight(simd),
        };
        let keys = [
            value(simd, a, b),
            value(simd, c, d),
            value(simd, e, f),
            value(simd, g, h),
        ];
        self.set_part(0, &weights, &keys);
        self.set_part(1, &weights, &keys);
        self.set_part(2, &weights, &keys);
        self.set_part(3, &weights, &keys);
        frames[1].store_slice(&mut self.start);
        frames[2].store_slice(&mut self.end);
        let per_frame = simd.splat_f32x8(1.0) / length;
        per_frame.store_slice(&mut self.per_frame);
    }

    #[inline(always)]
    fn set_part<S: Simd>(&mut self, part: usize, weights: &Weights<S>, keys: &[Quats<S>; 4]) {
        let [a, b, c, d] = weights.cubic([
            keys[0].0[part],
            keys[1].0[part],
            keys[2].0[part],
            keys[3].0[part],
        ]);
        a.store_slice(&mut self.coefficients[0][part]);
        b.store_slice(&mut self.coefficients[1][part]);
        c.store_slice(&mut self.coefficients[2][part]);
        d.store_slice(&mut self.coefficients[3][part]);
    }

    #[inline(always)]
    fn part_at<S: Simd>(&self, part: usize, u: f32x8<S>) -> f32x8<S> {
        let simd = u.simd;
        let [a, b, c, d] = &self.coefficients;
        let cubic = simd.load_array_ref_f32x8(&d[part]) * u;
        let cubic = (cubic + simd.load_array_ref_f32x8(&c[part])) * u;
        let cubic = (cubic + simd.load_array_ref_f32x8(&b[part])) * u;
        cubic + simd.load_array_ref_f32x8(&a[part])
    }

    /// Writes the rotations at `frame + fraction`.
    #[inline(always)]
    pub fn write<S: Simd>(
        &self,
        simd: S,
        group: &Group,
        (frame, fraction): (u32, f32),
        joints: &mut [Transform],
    ) {
        // Whole frames subtract exactly, however late in the clip.
        let start = simd.load_array_ref_i32x8(&self.start);
        let since: f32x8<S> = (simd.splat_i32x8(frame as i32) - start).to_float();
        let u = (since + fraction) * simd.load_array_ref_f32x8(&self.per_frame);
        let parts = [
            self.part_at(0, u),
            self.part_at(1, u),
            self.part_at(2, u),
            self.part_at(3, u),
        ];
        let rotations = Quats(parts).normalised().to_array();
        let lanes = rotations.iter().zip(&group.joints).take(group.count);
        for (&rotation, &joint) in lanes {
            joints[usize::from(joint)].rotation = rotation;
        }
    }
}

/// The keys that start the segments of `frame` in a group.
#[inline(always)]
pub(super) fn first_keys<S: Simd>(simd: S, group: &Group, map: &KeyMap, frame: u32) -> i32x8<S> {
    // Bits of later frames are shifted out at the top; what is left are the
    // keys up to this frame.
    let later = (MAP_FRAMES as u32 - 1) - frame % MAP_FRAMES as u32;
    let up_to_frame = simd.load_array_ref_i32x8(&map.has_key) << later;
    let keys = count_ones(up_to_frame) + simd.load_array_ref_i32x8(&map.keys_before);
    // The first frame has a key, and the last key starts nothing.
    (keys - 1).min(simd.load_array_ref_i32x8(&group.last_keys) - 1)
}

/// Four keys around the segments that the keys `first` start, each as words of
/// 32 bits: frame and word 0, words 1 and 2.
#[inline(always)]
fn rows<S: Simd>(simd: S, bytes: &[u8], group: &Group, first: i32x8<S>) -> [i32x8<S>; LANES] {
    let last = simd.load_array_ref_i32x8(&group.last_keys);
    let inside = first.simd_gt(0) & (first + 2).simd_le(last);
    if inside.all_true() {
        // Four keys in a row, nearly always: one read of 32 bytes a track.
        let at = *((first - 1) * KEY_BYTES as i32 + simd.load_array_ref_i32x8(&group.keys_at));
        return [
            row(simd, bytes, at[0]),
            row(simd, bytes, at[1]),
            row(simd, bytes, at[2]),
            row(simd, bytes, at[3]),
            row(simd, bytes, at[4]),
            row(simd, bytes, at[5]),
            row(simd, bytes, at[6]),
            row(simd, bytes, at[7]),
        ];
    }
    let first = *first;
    let mut rows = [simd.splat_i32x8(0); LANES];
    for (lane, row) in rows.iter_mut().enumerate() {
        let track = &bytes[group.keys_at[lane] as usize..];
        *row = simd.load_array_i32x8(row_at_end(track, first[lane], group.last_keys[lane]));
    }
    rows
}

/// Four keys in a row.
#[inline(always)]
fn row<S: Simd>(simd: S, bytes: &[u8], at: i32) -> i32x8<S> {
    let at = at as usize;
    let mut words = [0; LANES];
    // Always there, as loading has checked; asked once instead of in every
    // word.
    if let Some(keys) = bytes.get(at..at + 4 * KEY_BYTES) {
        for (word, bytes) in words.iter_mut().zip(keys.as_chunks::<4>().0) {
            *word = i32::from_le_bytes(*bytes);
        }
    }
    simd.load_array_i32x8(words)
}

/// The same where a key may be missing on either side: its neighbour stands in.
#[inline(never)]
fn row_at_end(track: &[u8], first: i32, last: i32) -> [i32; LANES] {
    let (words, _) = track.as_chunks::<4>();
    let mut row = [0; LANES];
    for (i, word) in row.iter_mut().enumerate() {
        // Two words a key; the outer key that is missing repeats its
        // neighbour, which gives the differences of length 0 that tangents
        // look for.
        let key = (first - 1 + i as i32 / 2).clamp(0, last) as usize;
        *word = i32::from_le_bytes(words[key * (KEY_BYTES / 4) + i % 2]);
    }
    row
}

/// The rotations of eight keys.
#[inline(always)]
fn value<S: Simd>(simd: S, low: i32x8<S>, high: i32x8<S>) -> Quats<S> {
    unpack8(
        simd,
        (low >> 16) & 0xffff,
        high & 0xffff,
        (high >> 16) & 0xffff,
    )
}

/// The tangents at both ends of eight segments, times their lengths, as weights
/// of the three differences between their keys: [`super::curve::Tangents`].
struct Weights<S: Simd> {
    start: [f32x8<S>; 3],
    end: [f32x8<S>; 3],
}

impl<S: Simd> Weights<S> {
    #[inline(always)]
    fn uniform(simd: S) -> Self {
        let (none, half) = (simd.splat_f32x8(0.0), simd.splat_f32x8(0.5));
        Self {
            start: [half, half, none],
            end: [none, half, half],
        }
    }

    #[inline(always)]
    fn straight(simd: S) -> Self {
        let (none, one) = (simd.splat_f32x8(0.0), simd.splat_f32x8(1.0));
        Self {
            start: [none, one, none],
            end: [none, one, none],
        }
    }

    /// By the frames before, in and after the segments.
    #[inline(always)]
    fn knots(simd: S, before: f32x8<S>, length: f32x8<S>, after: f32x8<S>) -> Self {
        let none = simd.splat_f32x8(0.0);
        let one = simd.splat_f32x8(1.0);
        let two = simd.splat_f32x8(2.0);
        let (has_before, has_after) = (before.simd_gt(none), after.simd_gt(none));
        let per_before = one / (before * (before + length));
        let per_after = one / (after * (after + length));
        let square = length * length;
        // Where `before` is 0 the division gave no usable number: not
        // chosen.
        let far_before = has_before.select(square * per_before, none);
        let near_before = has_before.select(before * before * per_before, one);
        let far_after = has_after.select(square * per_after, none);
        let near_after = has_after.select(after * after * per_after, one);
        // Without an outer key the parabola of the other end serves.
        Self {
            start: [
                far_before,
                has_before.select(near_before, two - near_after),
                has_before.select(none, -far_after),
            ],
            end: [
                has_after.select(none, -far_before),
                has_after.select(near_after, two - near_before),
                far_after,
            ],
        }
    }

    /// The cubics' coefficients, constant first, in u = 0..=1.
    #[inline(always)]
    fn cubic(&self, keys: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
        let [before, rise, after] = [keys[1] - keys[0], keys[2] - keys[1], keys[3] - keys[2]];
        let [a, b, c] = self.start;
        let start = before * a + rise * b + after * c;
        let [a, b, c] = self.end;
        let end = before * a + rise * b + after * c;
        // As `curve::cubic`, operation for operation.
        let beyond = start - rise;
        let bend = beyond + (end - rise);
        [keys[1], start, -beyond - bend, bend]
    }
}
