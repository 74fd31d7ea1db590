//! Upper arm and forearm.

use glam::Vec3A;

use super::{Sketch, round};
use crate::body::{anatomy::Arm, field::LimbSection};

/// Shoulder to elbow of an arm held out: above, below, front, back.
const UPPER_ARM: [LimbSection; 6] = [
    (0.00, [0.035, 0.042, 0.045, 0.046]),
    (0.17, [0.0475, 0.046, 0.0505, 0.0510]),
    (0.36, [0.043, 0.045, 0.047, 0.0485]),
    (0.56, [0.0405, 0.0415, 0.0455, 0.0445]),
    (0.80, [0.0370, 0.0370, 0.0370, 0.0370]),
    (1.00, [0.0345, 0.0345, 0.0330, 0.0340]),
];

/// Elbow to wrist: back of the hand, palm, thumb, little finger.
const FOREARM: [LimbSection; 6] = [
    (0.00, [0.0330, 0.0330, 0.0345, 0.0345]),
    (0.12, [0.0370, 0.0385, 0.0405, 0.0395]),
    (0.28, [0.0375, 0.0395, 0.0410, 0.0395]),
    (0.52, [0.0325, 0.0335, 0.0345, 0.0345]),
    (0.78, [0.0235, 0.0240, 0.0285, 0.0285]),
    (1.00, [0.0195, 0.0195, 0.0270, 0.0270]),
];

impl Sketch<'_> {
    pub(super) fn arm(&mut self, arm: &Arm) {
        let (shoulder, elbow) = (self.at(arm.upper), self.at(arm.fore[0]));
        let wrist = self.at(arm.hand);
        let up = self.frame * Vec3A::Y;
        let front = self.hinge_side(shoulder, elbow, 0.0, 0.0, 1.0);
        let upper = [shoulder, elbow];
        self.loft(
            upper,
            [front, up],
            round(&UPPER_ARM, [0.034, 0.032]),
            &[arm.upper],
        )
        .blend_m *= 1.5;
        let thumb = self.palm_across(arm);
        let fore = arm.fore.clone();
        self.loft(
            [elbow, wrist],
            [thumb, up],
            round(&FOREARM, [0.032, 0.018]),
            &fore,
        )
        .blend_m *= 0.5;
    }

    /// From the little finger's side to the thumb's, in the plane of the palm.
    pub(super) fn palm_across(&self, arm: &Arm) -> Vec3A {
        let wrist = self.at(arm.hand);
        let elbow = self.at(arm.fore[0]);
        if let Some([index, _, _, little]) = &arm.single_fingers {
            return (self.at(index[0]) - self.at(little[0])).normalize_or(self.frame * Vec3A::Z);
        }
        let thumb = arm.thumb.map(|thumb| {
            let along = (wrist - elbow).normalize_or(Vec3A::X);
            let bone = self.end(thumb) - self.at(thumb);
            let bone = if bone.length() > 1e-4 {
                bone
            } else {
                self.at(thumb) - wrist
            };
            bone - along * bone.dot(along)
        });
        thumb
            .and_then(Vec3A::try_normalize)
            .unwrap_or_else(|| self.hinge_side(elbow, wrist, 0.0, 0.0, 1.0))
    }
}
