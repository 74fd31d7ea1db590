//! How much of its allowance a value of a track uses up, at one frame.
//!
//! A joint moves every measuring point it carries. Points are held in the
//! space of the joint's parent as decoded, relative to the joint, so that one
//! small rotation (or shift) gives the errors of all.

use glam::{Mat3A, Quat, Vec3A, Vec4};
use wide::f32x4;

use crate::codec::metric::POINT_DISTANCE_M;

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
    aims: Vec<Aim>,
    /// The joint's own measuring points.
    own: Vec<[Vec3A; 3]>,
    own_scale: f32,
    /// Carried joints in fours, frame after frame.
    carried: Vec<[f32x4; 3]>,
    /// 1 / allowance of each.
    scales: Vec<f32x4>,
}

impl RotationJudge {
    /// Allowances in metres: the joint's own, then one for each joint carried.
    pub fn new(frames: usize, own_m: f32, carried_m: &[f32]) -> Self {
        let fours = carried_m.len().div_ceil(4);
        Self {
            aims: Vec::with_capacity(frames),
            own: Vec::with_capacity(frames),
            own_scale: 1.0 / own_m,
            carried: Vec::with_capacity(frames * fours),
            scales: in_fours(carried_m)
                .map(|m| f32x4::splat(1.0) / f32x4::new(m))
                .collect(),
        }
    }

    /// Adds a frame: the aim, and where the source has the carried joints.
    pub fn push(&mut self, aim: Aim, carried: &[Vec3A]) {
        let axes = [Vec3A::X, Vec3A::Y, Vec3A::Z];
        self.own
            .push(axes.map(|axis| aim.rotation * (axis * POINT_DISTANCE_M)));
        let component = |four: [Vec3A; 4], i: usize| f32x4::new(four.map(|p| p[i]));
        self.carried
            .extend(in_fours(carried).map(|four| [0, 1, 2].map(|i| component(four, i))));
        self.aims.push(aim);
    }
}

/// Groups of four, the last filled up with its own last value.
fn in_fours<T: Copy>(values: &[T]) -> impl Iterator<Item = [T; 4]> + '_ {
    values.chunks(4).map(|chunk| {
        let at = |i: usize| chunk[i.min(chunk.len() - 1)];
        [at(0), at(1), at(2), at(3)]
    })
}

impl Judge for RotationJudge {
    #[inline]
    fn ratio(&self, frame: usize, shown: Vec4) -> f32 {
        let Aim { rotation, shift } = self.aims[frame];
        let turn = Quat::from_vec4(shown) * rotation.conjugate();
        let moved = Mat3A::from_quat(turn) - Mat3A::IDENTITY;
        let own = self.own[frame].map(|point| (shift + moved * point).length_squared());
        let own = own[0].max(own[1]).max(own[2]).sqrt() * self.own_scale;

        // The carried joints' own points add at most their swing to the error.
        let swing = f32x4::splat(2.0 * POINT_DISTANCE_M * turn.xyz().length());
        let row = |i: usize| {
            let row = [moved.x_axis[i], moved.y_axis[i], moved.z_axis[i], shift[i]];
            row.map(f32x4::splat)
        };
        let rows = [row(0), row(1), row(2)];
        let count = self.scales.len();
        let fours = &self.carried[frame * count..(frame + 1) * count];
        let mut worst = f32x4::splat(own);
        for ([x, y, z], scale) in fours.iter().zip(&self.scales) {
            let [a, b, c] = [0, 1, 2].map(|i: usize| {
                let [along_x, along_y, along_z, shift] = rows[i];
                along_x * *x + along_y * *y + along_z * *z + shift
            });
            let error = (a * a + b * b + c * c).sqrt() + swing;
            worst = worst.max(error * *scale);
        }
        let [a, b, c, d] = worst.to_array();
        a.max(b).max(c.max(d))
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
