//! Pelvis, waist, ribs, breast and shoulder girdle.

use glam::Vec3A;

use super::{Sketch, round};
use crate::{
    body::{anatomy::Anatomy, field::Profile},
    skeleton::JointIndex,
};

impl Sketch<'_> {
    /// Heights run along the line from the hips' joints to the shoulders',
    /// which is 0.50 in the reference.
    pub(super) fn trunk(&mut self, anatomy: &Anatomy) {
        let (hips, shoulders) = (self.hips(anatomy), self.shoulders(anatomy));
        let apart = |a, b| (self.at(a) - self.at(b)).length() / self.scale;
        let hip_joint = apart(anatomy.legs[0].thigh, anatomy.legs[1].thigh) / 2.0;
        let arm_joint = apart(anatomy.arms[0].upper, anatomy.arms[1].upper) / 2.0;
        let hip = (hip_joint + 0.078).clamp(0.145, 0.185);
        // Ribs as wide as shoulders leave room for, within what people have.
        let rib = (arm_joint - 0.030).clamp(0.125, 0.160);
        let waist = 0.55 * (hip + rib) * 0.78;
        let sections = [
            (-0.11, [hip * 0.62, hip * 0.62, 0.072, 0.080]),
            (0.00, [hip * 0.93, hip * 0.93, 0.081, 0.095]),
            (0.12, [hip * 0.98, hip * 0.98, 0.088, 0.098]),
            (0.24, [hip * 0.90, hip * 0.90, 0.094, 0.086]),
            (0.41, [waist, waist, 0.092, 0.074]),
            (0.58, [rib * 0.92, rib * 0.92, 0.096, 0.082]),
            (0.76, [rib, rib, 0.102, 0.102]),
            (0.90, [rib * 0.90, rib * 0.90, 0.082, 0.106]),
            (1.02, [rib * 0.58, rib * 0.58, 0.054, 0.090]),
        ];
        let ends = [hips, shoulders];
        let sides = [self.frame * Vec3A::Z, self.frame * Vec3A::X];
        let spine = self.spaced(&anatomy.spine, 0.08);
        let profile = Profile {
            squareness: [0.1, 0.35],
            ..round(&sections, [0.050, 0.050])
        };
        self.loft(ends, sides, profile, &spine);
        for side in [1.0, -1.0] {
            let buttock = hips + self.off(side * hip * 0.46, -0.006, -0.046);
            self.egg(buttock, [0.078, 0.086, 0.072], &spine[..1])
                .blend_m *= 1.1;
        }
        self.girdle(anatomy, &spine);
    }

    /// What leads from the ribs to the arms.
    fn girdle(&mut self, anatomy: &Anatomy, spine: &[JointIndex]) {
        let (hips, shoulders) = (self.hips(anatomy), self.shoulders(anatomy));
        let chest = &spine[spine.len() - 1..];
        for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
            let shoulder = self.at(arm.upper);
            // Breast muscle: from the breastbone out to the arm.
            let inner = hips.lerp(shoulders, 0.80) + self.off(side * 0.052, 0.0, 0.062);
            let outer = shoulder.lerp(shoulders, 0.24) + self.off(0.0, -0.038, 0.026);
            self.cone(inner, outer, [0.038, 0.034], chest).blend_m *= 1.8;
            // The broad back, down to the waist.
            let blade = shoulder.lerp(shoulders, 0.28) + self.off(0.0, -0.050, -0.024);
            let waist = hips.lerp(shoulders, 0.48) + self.off(side * 0.070, 0.0, -0.016);
            self.cone(blade, waist, [0.052, 0.044], spine).blend_m *= 2.0;
            // Collarbone and shoulder blade.
            let mut girdle = arm.clavicle.clone();
            girdle.extend_from_slice(chest);
            let inner = shoulders + self.off(side * 0.045, -0.004, -0.020);
            let outer = shoulder + self.off(side * -0.024, -0.010, -0.004);
            self.cone(inner, outer, [0.050, 0.036], &girdle).blend_m *= 1.6;
        }
    }
}
