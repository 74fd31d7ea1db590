//! How much of its allowance a value of a track uses up, at one frame.
//!
//! A joint moves every measuring point it carries. Points are held in the
//! space of the joint's parent as decoded, relative to the joint, so that one
//! small rotation (or shift) gives the errors of all.

use fearless_simd::{Level, Simd, SimdFloat, dispatch};
use glam::{Mat3A, Quat, Vec3A, Vec4};

use crate::codec::{lanes::LANES, metric::POINT_DISTANCE_M};

/// Says how bad a value shown at a frame is: 1 is the most that is allowed.
pub(super) trait Judge {
    /// Error over allowance.
    fn ratio(&self, frame: usize, shown: Vec4) -> f32;
}

/// What a rotation is judged by at one frame.
pub(super) struct Aim {
    /// The rotation that restores the joint's source orientation.
    pub rotation: Quat,
    /// Where the joint already is off.
    pub shift: Vec3A,
}

/// Judges the rotation of a joint that carries others.
pub(super) struct RotationJudge {
    level: Level,
    aims: Vec<Aim>,
    /// The joint's own measuring points.
    own: Vec<[Vec3A; 3]>,
    own_scale: f32,
    /// Carried joints in eights (x, y and z of each), frame after frame.
    carried: Vec<[[f32; LANES]; 3]>,
    /// 1 / allowance of each.
    scales: Vec<[f32; LANES]>,
}

impl RotationJudge {
    /// Allowances in metres: the joint's own, then one for each joint carried.
    pub fn new(frames: usize, own_m: f32, carried_m: &[f32]) -> Self {
        let eights = carried_m.len().div_ceil(LANES);
        Self {
            level: Level::new(),
            aims: Vec::with_capacity(frames),
            own: Vec::with_capacity(frames),
            own_scale: 1.0 / own_m,
            carried: Vec::with_capacity(frames * eights),
            scales: in_eights(carried_m)
                .map(|eight| eight.map(|m| 1.0 / m))
                .collect(),
        }
    }

    /// Adds a frame: the aim, and where the source has the carried joints.
    pub fn push(&mut self, aim: Aim, carried: &[Vec3A]) {
        let axes = [Vec3A::X, Vec3A::Y, Vec3A::Z];
        self.own
            .push(axes.map(|axis| aim.rotation * (axis * POINT_DISTANCE_M)));
        let split = |eight: [Vec3A; LANES]| [0, 1, 2].map(|i: usize| eight.map(|p| p[i]));
        self.carried.extend(in_eights(carried).map(split));
        self.aims.push(aim);
    }

    /// The larger of `own` and the worst ratio of a carried joint, when points
    /// move by `rows` (a matrix and a shift).
    #[inline(always)]
    fn worst_carried<S: Simd>(
        &self,
        simd: S,
        frame: usize,
        rows: &[[f32; 4]; 3],
        swing_m: f32,
        own: f32,
    ) -> f32 {
        let count = self.scales.len();
        let eights = &self.carried[frame * count..(frame + 1) * count];
        let mut worst = simd.splat_f32x8(own);
        for ([x, y, z], scale) in eights.iter().zip(&self.scales) {
            let x = simd.load_array_ref_f32x8(x);
            let y = simd.load_array_ref_f32x8(y);
            let z = simd.load_array_ref_f32x8(z);
            let a = x * rows[0][0] + y * rows[0][1] + z * rows[0][2] + rows[0][3];
            let b = x * rows[1][0] + y * rows[1][1] + z * rows[1][2] + rows[1][3];
            let c = x * rows[2][0] + y * rows[2][1] + z * rows[2][2] + rows[2][3];
            let error = (a * a + b * b + c * c).sqrt() + swing_m;
            worst = worst.max_precise(error * simd.load_array_ref_f32x8(scale));
        }
        let (low, high) = simd.split_f32x8(worst);
        let [a, b, c, d] = *low.max_precise(high);
        a.max(b).max(c.max(d))
    }
}

/// Groups of eight, the last filled up with its own last value.
fn in_eights<T: Copy>(values: &[T]) -> impl Iterator<Item = [T; LANES]> + '_ {
    values
        .chunks(LANES)
        .map(|chunk| std::array::from_fn(|i| chunk[i.min(chunk.len() - 1)]))
}

impl Judge for RotationJudge {
    #[inline]
    fn ratio(&self, frame: usize, shown: Vec4) -> f32 {
        let Aim { rotation, shift } = self.aims[frame];
        let turn = Quat::from_vec4(shown) * rotation.conjugate();
        let moved = Mat3A::from_quat(turn) - Mat3A::IDENTITY;
        let own = self.own[frame].map(|point| (shift + moved * point).length_squared());
        let own = own[0].max(own[1]).max(own[2]).sqrt() * self.own_scale;

        if self.scales.is_empty() {
            return own;
        }
        // The carried joints' own points add at most their swing to the error.
        let swing_m = 2.0 * POINT_DISTANCE_M * turn.xyz().length();
        let row = |i: usize| [moved.x_axis[i], moved.y_axis[i], moved.z_axis[i], shift[i]];
        let rows = [row(0), row(1), row(2)];
        dispatch!(self.level, simd => self.worst_carried(simd, frame, &rows, swing_m, own))
    }
}

/// Judges a translation or a stretch: all points it carries move alike.
pub(super) struct ShiftJudge {
    /// Along which the value counts; `None` for all three components.
    pub direction: Option<Vec3A>,
    /// Source values as displacements.
    pub source: Vec<Vec3A>,
    /// `model_from_shift` as decoded.
    pub turns: Vec<Quat>,
    /// What the points err by when the value is the source's, frame after
    /// frame; a single zero a frame when nothing errs yet.
    pub base: Vec<Vec3A>,
    /// Error that the orientation adds at measuring points.
    pub swing_m: Vec<f32>,
    /// 1 / allowance of each point.
    pub scales: Vec<f32>,
}

impl ShiftJudge {
    /// The displacement that a value stands for.
    pub fn displacement(&self, value: Vec4) -> Vec3A {
        match self.direction {
            Some(direction) => direction * value.x,
            None => value.truncate().into(),
        }
    }
}

impl Judge for ShiftJudge {
    fn ratio(&self, frame: usize, shown: Vec4) -> f32 {
        let off = self.turns[frame] * (self.displacement(shown) - self.source[frame]);
        let count = self.scales.len();
        let base = &self.base[frame * count..(frame + 1) * count];
        let ratios = base.iter().zip(&self.scales);
        ratios
            .map(|(&base, scale)| ((base + off).length() + self.swing_m[frame]) * scale)
            .fold(0.0, f32::max)
    }
}
