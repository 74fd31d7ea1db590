//! Thigh, shank and foot.

use glam::{Mat3A, Quat, Vec3A};

use super::{Sketch, round};
use crate::body::{
    anatomy::Leg,
    field::{LimbSection, Part, Profile},
};

/// Hip to knee: outward, inward, front, back.
const THIGH: [LimbSection; 6] = [
    (0.00, [0.059, 0.062, 0.064, 0.064]),
    (0.16, [0.071, 0.078, 0.074, 0.074]),
    (0.38, [0.071, 0.074, 0.077, 0.073]),
    (0.62, [0.062, 0.063, 0.067, 0.062]),
    (0.84, [0.0530, 0.0545, 0.0540, 0.0520]),
    (1.00, [0.0470, 0.0480, 0.0455, 0.0440]),
];

/// Knee to ankle, likewise: the calf bulges to the back, and lower on the
/// inner side.
const SHANK: [LimbSection; 7] = [
    (0.00, [0.0470, 0.0480, 0.0455, 0.0440]),
    (0.11, [0.0490, 0.0500, 0.0470, 0.0540]),
    (0.27, [0.0520, 0.0530, 0.0435, 0.0660]),
    (0.46, [0.0450, 0.0485, 0.0405, 0.0580]),
    (0.68, [0.0350, 0.0365, 0.0370, 0.0430]),
    (0.88, [0.0310, 0.0315, 0.0335, 0.0360]),
    (1.00, [0.0340, 0.0350, 0.0335, 0.0370]),
];

impl Sketch<'_> {
    pub(super) fn leg(&mut self, leg: &Leg, side: f32) {
        let (hip, knee, ankle) = (self.at(leg.thigh), self.at(leg.shin), self.at(leg.foot));
        let front = self.hinge_side(hip, knee, 0.0, 0.0, 1.0);
        let out = self.frame * Vec3A::X * side;
        self.loft(
            [hip, knee],
            [front, out],
            round(&THIGH, [0.090, 0.045]),
            &[leg.thigh],
        )
        .blend_m *= 1.4;
        let shin = [leg.shin];
        self.loft(
            [knee, ankle],
            [front, out],
            round(&SHANK, [0.045, 0.026]),
            &shin,
        )
        .blend_m *= 0.5;
        let cap = knee + front * (0.028 * self.scale);
        self.egg(cap, [0.023, 0.032, 0.019], &shin).blend_m *= 0.9;
    }

    /// Heel, instep, ball and toes. The sole lies 2.2 cm under the ball,
    /// square to the shin: captures define the foot with the leg splayed.
    pub(super) fn foot(&mut self, leg: &Leg, side: f32) {
        let (knee, ankle) = (self.at(leg.shin), self.at(leg.foot));
        let ball = self.end(leg.foot);
        let bone = ball - ankle;
        let toe_end = leg.toes.map(|toes| self.end(toes));
        let shin_down = (ankle - knee).normalize_or(self.frame * -Vec3A::Y);
        let ahead = toe_end.map_or(bone, |end| end - ankle);
        let ahead = ahead - shin_down * ahead.dot(shin_down);
        let ahead = ahead.normalize_or(self.frame * Vec3A::Z);
        let down = (shin_down - ahead * shin_down.dot(ahead)).normalize_or(shin_down);
        let unit = self.scale;
        let ball = if bone.length() > 0.05 * unit {
            ball
        } else {
            ankle + (ahead * 0.13 + down * 0.04) * unit
        };
        let sole = (ball - ankle).dot(down).max(0.012 * unit) + 0.022 * unit;
        let reach = (ball - ankle).dot(ahead).max(0.08 * unit);
        let length = toe_end.map_or(0.06 * unit, |end| (end - ball).dot(ahead).max(0.05 * unit));
        self.sole(
            leg,
            side,
            [ankle + down * sole, ahead, down],
            [reach, length],
        );
    }

    /// A foot from the point of the sole under the ankle: `reach` metres to the
    /// ball, `length` more to the toes' ends.
    fn sole(
        &mut self,
        leg: &Leg,
        side: f32,
        [floor, ahead, down]: [Vec3A; 3],
        [reach, length]: [f32; 2],
    ) {
        let unit = self.scale;
        let mut joints = vec![leg.foot];
        joints.extend(leg.toes);
        let out = self.frame * Vec3A::X * side;
        let ankle_m = (self.at(leg.foot) - floor).dot(-down) / unit;
        // Two centimetres above the sole, from the ankle to the toes' ends.
        let axis = floor - down * (0.020 * unit);
        let ends = [axis, axis + ahead * (reach + length)];
        let ball = reach / (reach + length);
        let instep = (ankle_m - 0.016).clamp(0.030, 0.060);
        let heel = -0.036 * unit / (reach + length);
        let foot = [
            (heel, [0.0290, 0.0300, 0.034, 0.030]),
            (0.0, [0.0330, 0.0330, instep + 0.004, 0.030]),
            (0.34 * ball, [0.0360, 0.0335, instep - 0.004, 0.028]),
            (0.68 * ball, [0.0430, 0.0370, instep * 0.72, 0.027]),
            (ball, [0.0470, 0.0430, 0.0230, 0.026]),
            (0.5 + 0.5 * ball, [0.0400, 0.0420, 0.0130, 0.026]),
            (0.72 + 0.28 * ball, [0.0290, 0.0390, 0.0090, 0.026]),
        ];
        let profile = Profile {
            squareness: [0.25; 2],
            ..round(&foot, [0.024, 0.020])
        };
        self.loft(ends, [-down, out], profile, &joints);
        // People stand on flat soles.
        let frame = Mat3A::from_cols(ahead.cross(-down).normalize_or(out), -down, ahead);
        let size = Vec3A::new(0.08 * unit, 0.05 * unit, reach + length);
        let ground = Part::slab(
            floor + down * (0.055 * unit),
            Quat::from_mat3a(&frame).normalize(),
            size,
            0.005 * unit,
            &joints,
        );
        self.push(ground.blend(0.010 * unit).carved());
    }
}
