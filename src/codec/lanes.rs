//! Eight quaternions at a time.
//!
//! Kernels of the runtime samplers are written once over [`Simd`] and run on
//! the widest instructions the machine has. None of them fuses a product with a
//! sum, so that all machines round alike: what an encoder measured here is what
//! a player shows elsewhere. Arrays of vectors are written out instead of mapped:
//! a closure that is not inlined would run without those instructions.

use fearless_simd::{Simd, SimdFloat, SimdInt, f32x4, f32x8, i32x4, i32x8};
use glam::Quat;

/// Quaternions in a vector.
pub(super) const LANES: usize = 8;

/// The shortest value taken for a rotation. A curve through the origin comes
/// only from damaged files; the floor keeps even that finite.
const LEAST_SQUARE: f32 = 1e-20;

/// Eight quaternions: all x, all y, all z, all w.
#[derive(Clone, Copy)]
pub(super) struct Quats<S: Simd>(pub [f32x8<S>; 4]);

impl<S: Simd> Quats<S> {
    #[inline(always)]
    pub fn dot(self, other: Self) -> f32x8<S> {
        let [ax, ay, az, aw] = self.0;
        let [bx, by, bz, bw] = other.0;
        // In pairs: two sums at once, and one order for all machines.
        (ax * bx + ay * by) + (az * bz + aw * bw)
    }

    #[inline(always)]
    pub fn normalised(self) -> Self {
        let square = self.dot(self).max(LEAST_SQUARE);
        let simd = square.simd;
        // Not the approximate reciprocal root, which differs between makers.
        let scale = simd.splat_f32x8(1.0) / square.sqrt();
        let [x, y, z, w] = self.0;
        Self([x * scale, y * scale, z * scale, w * scale])
    }

    /// One after the other.
    #[inline(always)]
    pub fn to_array(self) -> [Quat; LANES] {
        let [x, y, z, w] = self.0;
        let simd = x.simd;
        let ((x0, x1), (y0, y1)) = (simd.split_f32x8(x), simd.split_f32x8(y));
        let ((z0, z1), (w0, w1)) = (simd.split_f32x8(z), simd.split_f32x8(w));
        let [a, b, c, d] = transpose4([x0, y0, z0, w0]);
        let [e, f, g, h] = transpose4([x1, y1, z1, w1]);
        [
            Quat::from_array(*a),
            Quat::from_array(*b),
            Quat::from_array(*c),
            Quat::from_array(*d),
            Quat::from_array(*e),
            Quat::from_array(*f),
            Quat::from_array(*g),
            Quat::from_array(*h),
        ]
    }
}

/// Square matrices transposed, for one kind of number: four by four, and eight
/// by eight.
macro_rules! transpose {
    ($four:ident, $vector4:ident, $eight:ident, $vector8:ident, $split:ident, $combine:ident) => {
        #[inline(always)]
        fn $four<S: Simd>([a, b, c, d]: [$vector4<S>; 4]) -> [$vector4<S>; 4] {
            // Two rounds of interleaving transpose four by four.
            let ((low_ac, high_ac), (low_bd, high_bd)) = (a.interleave(c), b.interleave(d));
            let ((x, y), (z, w)) = (low_ac.interleave(low_bd), high_ac.interleave(high_bd));
            [x, y, z, w]
        }

        /// Number 0 of eight rows, number 1 of all of them, and so on.
        #[inline(always)]
        pub(super) fn $eight<S: Simd>(rows: [$vector8<S>; LANES]) -> [$vector8<S>; LANES] {
            let simd = rows[0].simd;
            let [a, b, c, d, e, f, g, h] = rows;
            // Four quarters, each transposed, the two off the diagonal
            // exchanged.
            let ((a, i), (b, j)) = (simd.$split(a), simd.$split(b));
            let ((c, k), (d, l)) = (simd.$split(c), simd.$split(d));
            let ((e, m), (f, n)) = (simd.$split(e), simd.$split(f));
            let ((g, o), (h, p)) = (simd.$split(g), simd.$split(h));
            let [a, b, c, d] = $four([a, b, c, d]);
            let [e, f, g, h] = $four([e, f, g, h]);
            let [i, j, k, l] = $four([i, j, k, l]);
            let [m, n, o, p] = $four([m, n, o, p]);
            [
                simd.$combine(a, e),
                simd.$combine(b, f),
                simd.$combine(c, g),
                simd.$combine(d, h),
                simd.$combine(i, m),
                simd.$combine(j, n),
                simd.$combine(k, o),
                simd.$combine(l, p),
            ]
        }
    };
}

transpose!(
    transpose4,
    f32x4,
    transpose8,
    f32x8,
    split_f32x8,
    combine_f32x4
);
transpose!(
    transpose4_words,
    i32x4,
    transpose8_words,
    i32x8,
    split_i32x8,
    combine_i32x4
);

/// Number of bits set in each lane.
#[inline(always)]
pub(super) fn count_ones<S: Simd>(bits: i32x8<S>) -> i32x8<S> {
    // Sums of bits in pairs, fours, bytes (Hacker's Delight, 5-1). Shifts keep
    // the sign, hence the masks.
    let pairs = bits - ((bits >> 1) & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + ((pairs >> 2) & 0x3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f;
    let halves = bytes + (bytes >> 8);
    (halves + (halves >> 16)) & 0x3f
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[inline(always)]
    fn check<S: Simd>(simd: S) {
        let rows: [[i32; LANES]; LANES] =
            std::array::from_fn(|row| std::array::from_fn(|word| (10 * row + word) as i32));
        let words = transpose8_words(rows.map(|row| simd.load_array_i32x8(row)));
        let numbers = rows.map(|row| simd.load_array_f32x8(row.map(|word| word as f32)));
        for (at, (word, number)) in words.into_iter().zip(transpose8(numbers)).enumerate() {
            let expected: [i32; LANES] = std::array::from_fn(|row| rows[row][at]);
            assert_eq!(*word, expected);
            assert_eq!(*number, expected.map(|word| word as f32));
        }
        let bits = [0, 1, -1, i32::MIN + 1, 0xf0f0, 7, i32::MAX, i32::MIN];
        let counted = count_ones(simd.load_array_i32x8(bits));
        assert_eq!(*counted, bits.map(|bits: i32| bits.count_ones() as i32));

        let parts: [[f32; LANES]; 4] =
            std::array::from_fn(|part| std::array::from_fn(|lane| (lane * 4 + part) as f32 - 9.0));
        let quats = Quats(parts.map(|part| simd.load_array_f32x8(part)));
        let expected: [Quat; LANES] =
            std::array::from_fn(|lane| Quat::from_array(parts.map(|part| part[lane])));
        assert_eq!(quats.to_array(), expected);
        for (found, q) in quats.normalised().to_array().into_iter().zip(expected) {
            assert_close!(found, q.normalize(), 1e-6, "{found} of {q}");
        }
        let zero = Quats([simd.splat_f32x8(0.0); 4]).normalised().to_array();
        assert!(zero.iter().all(|q| q.is_finite()));
    }

    #[test]
    fn lanes_agree_with_one_at_a_time() {
        let level = Level::new();
        dispatch!(level, simd => check(simd));
    }
}
