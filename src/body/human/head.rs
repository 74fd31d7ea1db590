//! Neck, trapezius and head.

use glam::Vec3A;

use super::{Sketch, round};
use crate::{
    body::{
        anatomy::Anatomy,
        field::{LimbSection, Profile},
    },
    skeleton::JointIndex,
};

/// Height of the head, in reference metres.
const CROWN_ABOVE_CHIN: f32 = 0.222;

/// Skull and jaw from the chin's underside to where the head is broadest, by
/// height above the chin; sideways, sideways, face, back of the head, from the
/// line between the ears.
const SKULL: [LimbSection; 8] = [
    (0.018, [0.039, 0.039, 0.073, 0.016]),
    (0.036, [0.052, 0.052, 0.076, 0.024]),
    (0.056, [0.0595, 0.0595, 0.079, 0.042]),
    (0.078, [0.0640, 0.0640, 0.080, 0.064]),
    (0.098, [0.0675, 0.0675, 0.081, 0.082]),
    (0.118, [0.0700, 0.0700, 0.0870, 0.092]),
    (0.134, [0.0735, 0.0735, 0.0910, 0.0965]),
    (0.150, [0.0755, 0.0755, 0.0915, 0.0975]),
];

impl Sketch<'_> {
    pub(super) fn neck_and_head(&mut self, anatomy: &Anatomy) {
        let shoulders = self.shoulders(anatomy);
        let chin = self.chin(anatomy);
        let base = shoulders + self.off(0.0, -0.010, -0.022);
        let chest = anatomy.spine[anatomy.spine.len() - 1];
        let mut neck = anatomy.neck.clone();
        neck.push(anatomy.head);
        let mut neck = self.spaced(&neck, 0.04);
        if anatomy.neck.is_empty() {
            neck.push(chest);
        }
        let top = chin + self.off(0.0, 0.060, -0.008);
        let sections = [
            (0.0, [0.066, 0.066, 0.058, 0.064]),
            (0.35, [0.058, 0.058, 0.055, 0.058]),
            (0.65, [0.054, 0.054, 0.053, 0.055]),
            (1.0, [0.054, 0.054, 0.050, 0.058]),
        ];
        let sides = [self.frame * Vec3A::Z, self.frame * Vec3A::X];
        self.loft([base, top], sides, round(&sections, [0.03, 0.03]), &neck);
        self.trapezius(anatomy, [base, chin]);
        self.head(chin, &[anatomy.head]);
    }

    /// Where the chin's underside is, on the line between the ears.
    fn chin(&self, anatomy: &Anatomy) -> Vec3A {
        let skull = self.at(anatomy.head);
        let up = self.frame * Vec3A::Y;
        let crown = (self.end(anatomy.head) - skull).dot(up) / self.scale;
        if crown > 0.14 {
            // A head bone this long ends at the crown, not at the brow.
            return skull + self.off(0.0, crown - CROWN_ABOVE_CHIN, 0.0);
        }
        // The chin is lower than the joint at the skull's base; a skeleton whose
        // head starts lower (many BVH files) still gets a neck of human length.
        let rise = (skull - self.shoulders(anatomy)).dot(up) / self.scale;
        skull + self.off(0.0, (rise - 0.025).max(0.132) - rise, 0.0)
    }

    /// From the nape down to the tips of the shoulders.
    fn trapezius(&mut self, anatomy: &Anatomy, [base, chin]: [Vec3A; 2]) {
        let chest = anatomy.spine[anatomy.spine.len() - 1];
        let shoulders = self.shoulders(anatomy);
        for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
            let mut owners = vec![chest];
            owners.extend(&arm.clavicle);
            // Up the neck of a person: of a longer one muscles leave the rest free.
            let rise = ((chin - base) * 0.56).clamp_length_max(0.11 * self.scale);
            let nape = base + rise + self.off(side * 0.022, 0.0, -0.016);
            let slope = self.at(arm.upper).lerp(shoulders, 0.30) + self.off(0.0, 0.002, -0.012);
            self.cone(nape, slope, [0.034, 0.031], &owners).blend_m *= 2.0;
        }
    }

    /// Offsets from the chin up and from the line between the ears forward.
    fn head(&mut self, chin: Vec3A, head: &[JointIndex]) {
        let at = |sketch: &Self, left, up, forward: f32| chin + sketch.off(left, up, forward);
        let unit = self.scale;
        let sides = [self.frame * Vec3A::Z, self.frame * Vec3A::X];
        // One reference metre long, so that shares are heights.
        let ends = [chin, chin + self.off(0.0, 1.0, 0.0)];
        let crown = CROWN_ABOVE_CHIN - SKULL[SKULL.len() - 1].0;
        let profile = Profile {
            squareness: [0.75, 0.0],
            ..round(&SKULL, [0.018, crown])
        };
        self.loft(ends, sides, profile, head).blend_m = 0.030 * unit;
        for side in [1.0, -1.0] {
            let socket = at(self, side * 0.033, 0.107, 0.094);
            let part = self.egg(socket, [0.020, 0.0125, 0.018], head);
            part.carve = true;
            part.blend_m = 0.016 * unit;
            let lid = at(self, side * 0.031, 0.106, 0.0625);
            self.egg(lid, [0.015, 0.0125, 0.0130], head).blend_m = 0.008 * unit;
            let cheek = at(self, side * 0.043, 0.083, 0.046);
            self.egg(cheek, [0.016, 0.016, 0.016], head).blend_m = 0.036 * unit;
            let ear = at(self, side * 0.0700, 0.094, -0.008);
            self.egg(ear, [0.0105, 0.028, 0.0155], head).blend_m = 0.010 * unit;
            let wing = at(self, side * 0.0105, 0.0715, 0.083);
            self.egg(wing, [0.0080, 0.0075, 0.0100], head).blend_m = 0.008 * unit;
        }
        let nose = [at(self, 0.0, 0.110, 0.082), at(self, 0.0, 0.0755, 0.0945)];
        self.cone(nose[0], nose[1], [0.0060, 0.0095], head).blend_m = 0.016 * unit;
        let point = at(self, 0.0, 0.018, 0.060);
        self.egg(point, [0.022, 0.016, 0.017], head).blend_m = 0.024 * unit;
        for (up, forward, half, radius) in [
            (0.0515, 0.0795, 0.015, 0.0055),
            (0.0420, 0.0780, 0.012, 0.0060),
        ] {
            let lip = [
                at(self, half, up, forward - 0.003),
                at(self, -half, up, forward - 0.003),
            ];
            self.cone(lip[0], lip[1], [radius; 2], head).blend_m = 0.010 * unit;
        }
    }
}
