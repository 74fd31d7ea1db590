//! How much of its allowance a value of a track uses up, at one frame.
//!
//! A joint moves itself and all joints below. Those are held in the space of the
//! joint's parent as decoded, relative to the joint, so that one small rotation
//! (or translation) gives the errors of all, each that of a ball
//! ([`metric`](crate::codec::metric)).

use fearless_simd::{Level, Simd, SimdFloat, dispatch};
use glam::{Mat3A, Quat, Vec3A, Vec4};

use crate::codec::{
    lanes::LANES,
    metric::{BALL_RADIUS_M, ball_error_m},
};

/// Says how bad a value shown at a frame is: 1 is the most that is allowed.
pub(super) trait Tolerance {
    /// Error over allowance.
    fn error_ratio(&self, frame: usize, shown: Vec4) -> f32;
}

/// What a rotation is measured against at one frame.
pub(super) struct RotationTarget {
    /// The rotation that restores the joint's source orientation.
    pub rotation: Quat,
    /// Where the joint already is off.
    pub offset: Vec3A,
}

/// Of the rotation of a joint, over all joints below it.
pub(super) struct RotationTolerance {
    level: Level,
    targets: Vec<RotationTarget>,
    own_scale: f32,
    /// Joints below in eights (x, y and z of each), frame after frame.
    descendants: Vec<[[f32; LANES]; 3]>,
    /// 1 / allowance of each.
    scales: Vec<[f32; LANES]>,
}

impl RotationTolerance {
    /// Allowances in metres: the joint's own, then one for each joint below.
    pub fn new(frames: usize, own_m: f32, descendants_m: &[f32]) -> Self {
        let eights = descendants_m.len().div_ceil(LANES);
        Self {
            level: Level::new(),
            targets: Vec::with_capacity(frames),
            own_scale: 1.0 / own_m,
            descendants: Vec::with_capacity(frames * eights),
            scales: in_eights(descendants_m)
                .map(|eight| eight.map(|m| 1.0 / m))
                .collect(),
        }
    }

    /// Adds a frame: the target, and where the source has the joints
    /// below.
    pub fn push(&mut self, target: RotationTarget, descendants: &[Vec3A]) {
        let split = |eight: [Vec3A; LANES]| [0, 1, 2].map(|i: usize| eight.map(|p| p[i]));
        self.descendants.extend(in_eights(descendants).map(split));
        self.targets.push(target);
    }

    /// The larger of `own` and the worst ratio of a joint below, when points
    /// move by `rows` (a matrix and an offset).
    #[inline(always)]
    fn worst_descendant<S: Simd>(
        &self,
        simd: S,
        frame: usize,
        rows: &[[f32; 4]; 3],
        swing_m: Vec3A,
        own: f32,
    ) -> f32 {
        let count = self.scales.len();
        let eights = &self.descendants[frame * count..(frame + 1) * count];
        let mut worst = simd.splat_f32x8(own);
        let [u, v, w] = swing_m.to_array();
        let swing_squared = swing_m.length_squared();
        for ([x, y, z], scale) in eights.iter().zip(&self.scales) {
            let x = simd.load_array_ref_f32x8(x);
            let y = simd.load_array_ref_f32x8(y);
            let z = simd.load_array_ref_f32x8(z);
            // Eight joints at a time; nothing is fused, so that every machine
            // chooses the same keys.
            let a = x * rows[0][0] + y * rows[0][1] + z * rows[0][2] + rows[0][3];
            let b = x * rows[1][0] + y * rows[1][1] + z * rows[1][2] + rows[1][3];
            let c = x * rows[2][0] + y * rows[2][1] + z * rows[2][2] + rows[2][3];
            let (x, y, z) = (b * w - c * v, c * u - a * w, a * v - b * u);
            let across = (x * x + y * y + z * z).sqrt();
            let error = (a * a + b * b + c * c + across * 2.0 + swing_squared).sqrt();
            worst = worst.max_precise(error * simd.load_array_ref_f32x8(scale));
        }
        // Halves first: four comparisons of single numbers fewer.
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

impl Tolerance for RotationTolerance {
    #[inline]
    fn error_ratio(&self, frame: usize, shown: Vec4) -> f32 {
        let RotationTarget { rotation, offset } = self.targets[frame];
        // What is left of the rotation after the target is undone, in the
        // space of the parent; (R − 1)·p is how far it moves a point p.
        let error = Quat::from_vec4(shown) * rotation.conjugate();
        let swing_m = Vec3A::from(error.xyz()) * (2.0 * BALL_RADIUS_M);
        let own = ball_error_m(offset, swing_m) * self.own_scale;
        if self.scales.is_empty() {
            return own;
        }
        let moved = Mat3A::from_quat(error) - Mat3A::IDENTITY;
        let row = |i: usize| [moved.x_axis[i], moved.y_axis[i], moved.z_axis[i], offset[i]];
        let rows = [row(0), row(1), row(2)];
        dispatch!(self.level, simd => self.worst_descendant(simd, frame, &rows, swing_m, own))
    }
}

/// Of a translation or a stretch: all points below move alike.
pub(super) struct TranslationTolerance {
    /// Along which the value counts; `None` for all three components.
    pub direction: Option<Vec3A>,
    /// Source values as displacements.
    pub source: Vec<Vec3A>,
    /// Rotation of the space that the value is in, as decoded.
    pub model_from_value: Vec<Quat>,
    /// What the points err by when the value is the source's, frame after
    /// frame; a single zero a frame when nothing errs yet.
    pub base: Vec<Vec3A>,
    /// What the error of orientation adds, as [`ball_error_m`] takes it.
    pub swing_m: Vec<Vec3A>,
    /// 1 / allowance of each point.
    pub scales: Vec<f32>,
}

impl TranslationTolerance {
    /// The displacement that a value stands for.
    pub fn displacement(&self, value: Vec4) -> Vec3A {
        match self.direction {
            Some(direction) => direction * value.x,
            None => value.truncate().into(),
        }
    }
}

impl Tolerance for TranslationTolerance {
    fn error_ratio(&self, frame: usize, shown: Vec4) -> f32 {
        // All points move alike; what they erred by before is added to each.
        let off = self.model_from_value[frame] * (self.displacement(shown) - self.source[frame]);
        let count = self.scales.len();
        let base = &self.base[frame * count..(frame + 1) * count];
        let ratios = base.iter().zip(&self.scales);
        ratios
            .map(|(&base, scale)| ball_error_m(base + off, self.swing_m[frame]) * scale)
            .fold(0.0, f32::max)
    }
}
