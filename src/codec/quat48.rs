//! Unit quaternions in 48 bits: the smallest three components at 15 bits each.
//!
//! The largest component follows from the unit length; two bits say which one
//! it is, and one bit its sign, so that q and −q stay apart and curves through
//! packed keys need no sign repair.

use fearless_simd::{Select, Simd, SimdFloat, SimdInt, f32x8, i32x8};
use glam::Quat;

use super::lanes::Quats;

/// A packed unit quaternion. Three words, on disk little-endian, low word
/// first; component numbers run x = 0, y = 1, z = 2, w = 3:
///
/// | word | bits 0–14 | bit 15 |
/// |---|---|---|
/// | 0 | component `largest + 1 mod 4` | low bit of `largest` |
/// | 1 | component `largest + 2 mod 4` | high bit of `largest` |
/// | 2 | component `largest + 3 mod 4` | 1 when component `largest` is negative |
///
/// A 15-bit field `n` stands for `(n − 16383) / (16383 √2)`, so 0 is exact and
/// the range is the ±1/√2 that a component which is not the largest can reach.
/// The field 32767 is never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quat48(pub [u16; 3]);

/// Bytes of a packed quaternion.
pub const QUAT48_BYTES: usize = 6;

/// The field that stands for 0.
const ZERO: f32 = 16383.0;
/// Distance of neighbouring values.
const STEP: f32 = std::f32::consts::FRAC_1_SQRT_2 / ZERO;
const FIELD: u16 = 0x7fff;

/// No packed quaternion is farther than this from its source, in radians of
/// rotation.
///
/// Rounding moves each of the three stored components by at most h = STEP / 2,
/// so their vector v by at most √3 h. The quaternion moves on the unit sphere
/// over the straight line from v to its rounded value, by an arc of at most
/// √3 h / d, where d is the smallest value the largest component takes on that
/// line. Every |vᵢ| ≤ d gives 1 − d² = |v|² ≤ 3 d², that is d ≥ ½ at the start
/// and d > 0.4999 all along. The rotation turns by twice the arc:
/// 2 √3 h / 0.4999 = 1.496e-4, and f32 arithmetic adds less than 4e-7.
pub const QUAT48_MAX_ANGLE_RAD: f32 = 1.5e-4;

impl Quat48 {
    /// Rounds a unit quaternion to the nearest packed components.
    #[must_use]
    pub fn pack(q: Quat) -> Self {
        let q = q.to_array();
        let larger = |best: usize, i: usize| if q[i].abs() > q[best].abs() { i } else { best };
        let largest = (1..4).fold(0, larger);
        let negative = q[largest] < 0.0;
        let field = |i: usize| {
            // Cyclic from the largest on: unpacking is then a rotation of
            // places.
            let value = q[(largest + i) & 3] / STEP + ZERO;
            value.round().clamp(0.0, 2.0 * ZERO) as u16
        };
        let flag = |set: bool| u16::from(set) << 15;
        Self([
            field(1) | flag(largest & 1 != 0),
            field(2) | flag(largest & 2 != 0),
            field(3) | flag(negative),
        ])
    }

    /// The quaternion; of unit length when it was packed from one, and finite
    /// whatever the bits.
    #[must_use]
    pub fn unpack(self) -> Quat {
        let value = |word: u16| (f32::from(word & FIELD) - ZERO) * STEP;
        let [a, b, c] = self.0.map(value);
        // Summed in this order in `unpack8` too: the two must agree bit for
        // bit. Below zero only for words that no encoder wrote.
        let size = ((1.0 - a * a) - (b * b + c * c)).max(0.0).sqrt();
        let [low, high, negative] = self.0.map(|word| usize::from(word >> 15));
        let largest = low | high << 1;
        let mut q = [0.0; 4];
        q[largest] = if negative == 1 { -size } else { size };
        for (i, component) in [a, b, c].into_iter().enumerate() {
            q[(largest + 1 + i) & 3] = component;
        }
        Quat::from_array(q)
    }

    /// The bytes on disk.
    #[must_use]
    pub fn to_bytes(self) -> [u8; QUAT48_BYTES] {
        let [a, b, c] = self.0.map(u16::to_le_bytes);
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    }

    /// Reads the bytes on disk.
    #[inline]
    #[must_use]
    pub fn from_bytes(bytes: [u8; QUAT48_BYTES]) -> Self {
        let [a, b, c, d, e, f] = bytes;
        Self([[a, b], [c, d], [e, f]].map(u16::from_le_bytes))
    }
}

/// The flag of a word.
const FLAG: i32 = 1 << 15;

/// Unpacks eight at once, without a branch, from their words 0, 1 and 2.
#[inline(always)]
pub(super) fn unpack8<S: Simd>(
    simd: S,
    word0: i32x8<S>,
    word1: i32x8<S>,
    word2: i32x8<S>,
) -> Quats<S> {
    let (a, b, c) = (component8(word0), component8(word1), component8(word2));
    let flag = simd.splat_i32x8(FLAG);
    // Words are not negative here, so the top one of 16 bits is a comparison.
    let (low, high) = (word0.simd_ge(flag), word1.simd_ge(flag));
    let square = (simd.splat_f32x8(1.0) - a * a) - (b * b + c * c);
    let size = square.max(0.0).sqrt();
    let d = word2.simd_ge(flag).select(-size, size);
    // Rotate (d, a, b, c) by one position where `largest` is odd, then by two
    // where its high bit is set.
    let (x, y) = (low.select(c, d), low.select(d, a));
    let (z, w) = (low.select(a, b), low.select(b, c));
    Quats([
        high.select(z, x),
        high.select(w, y),
        high.select(x, z),
        high.select(y, w),
    ])
}

#[inline(always)]
fn component8<S: Simd>(word: i32x8<S>) -> f32x8<S> {
    let field: f32x8<S> = (word & i32::from(FIELD)).to_float();
    (field - ZERO) * STEP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use crate::{codec::lanes::LANES, math::quat::angle_between};
    use fearless_simd::{Level, dispatch};

    #[test]
    fn golden_bytes() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let cases = [
            // largest = w (3 = both flags), the rest 0 = 0x3fff.
            (Quat::IDENTITY, [0xff, 0xbf, 0xff, 0xbf, 0xff, 0x3f]),
            (-Quat::IDENTITY, [0xff, 0xbf, 0xff, 0xbf, 0xff, 0xbf]),
            // largest = x (0), y and z 0, w at the top of its range.
            (
                Quat::from_xyzw(half + 1e-6, 0.0, 0.0, half - 1e-6),
                [0xff, 0x3f, 0xff, 0x3f, 0xfe, 0x7f],
            ),
            // largest = y (1) and negative; z = 0.6 → 0x3fff + 13901.
            (
                Quat::from_xyzw(0.0, -0.8, 0.6, 0.0),
                [0x4c, 0xf6, 0xff, 0x3f, 0xff, 0xbf],
            ),
        ];
        for (q, bytes) in cases {
            assert_eq!(Quat48::pack(q).to_bytes(), bytes, "{q}");
            assert_eq!(Quat48::from_bytes(bytes), Quat48::pack(q));
            assert!(angle_between(q, Quat48::from_bytes(bytes).unpack()) < QUAT48_MAX_ANGLE_RAD);
        }
    }

    #[test]
    fn the_bound_holds_and_is_nearly_reached() {
        let mut random = Random::new(1);
        let mut widest = 0f32;
        for i in 0..200_000 {
            let q = if i % 2 == 0 {
                random.rotation()
            } else {
                // Near (½, ½, ½, ½) the bound is sharpest.
                let q = random.rotation() * 1e-3 + Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
                q.normalize()
            };
            let back = Quat48::pack(q).unpack();
            assert_close!(back.length(), 1.0, 1e-6, "{q}");
            assert!(q.dot(back) > 0.0, "the sign is kept: {q}");
            widest = widest.max(angle_between(q, back));
        }
        assert!(widest < QUAT48_MAX_ANGLE_RAD, "{widest}");
        assert!(
            widest > 0.9 * QUAT48_MAX_ANGLE_RAD,
            "a loose bound: {widest}"
        );
    }

    #[test]
    fn packing_what_was_unpacked_changes_nothing() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let once = Quat48::pack(random.rotation()).unpack();
            let again = Quat48::pack(once).unpack();
            // Where two components tie, either may be the one left out.
            assert!(angle_between(once, again) < QUAT48_MAX_ANGLE_RAD);
            assert_close!(once, again, 1e-4);
        }
    }

    #[inline(always)]
    fn eight_agree<S: Simd>(simd: S, packed: [Quat48; LANES]) {
        let word = |i: usize| simd.load_array_i32x8(packed.map(|q| i32::from(q.0[i])));
        let eight = unpack8(simd, word(0), word(1), word(2)).to_array();
        for (one, eight) in packed.iter().zip(eight) {
            let one = one.unpack();
            assert!(one.is_finite());
            assert_eq!(one, eight);
        }
    }

    #[test]
    fn eight_at_once_agree_with_one_for_all_bits() {
        let level = Level::new();
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let packed = [(); LANES].map(|()| Quat48([(); 3].map(|()| random.bits() as u16)));
            dispatch!(level, simd => eight_agree(simd, packed));
        }
    }
}
