//! Palm, four fingers and a thumb.

use glam::{Mat3A, Quat, Vec3A};

use super::Sketch;
use crate::{
    body::{anatomy::Arm, field::Part},
    skeleton::JointIndex,
};

/// From a little before the wrist's joint to the tip of the middle finger.
const HAND_LENGTH: f32 = 0.172;

/// Knuckle across the palm, spread at the tip, length, radius: index finger
/// first. They stand apart by more than a cell of the grid, so that none merge.
const FINGERS: [[f32; 4]; 4] = [
    [0.0300, 0.0120, 0.072, 0.0086],
    [0.0102, 0.0040, 0.080, 0.0089],
    [-0.0102, -0.0050, 0.074, 0.0086],
    [-0.0294, -0.0140, 0.058, 0.0078],
];

/// The space of a hand: along the fingers, to the thumb, out of the palm.
struct Palm {
    start: Vec3A,
    along: Vec3A,
    thumb_side: Vec3A,
    down: Vec3A,
    /// How much longer than the reference.
    stretch: f32,
    unit: f32,
}

impl Palm {
    /// Offset in reference metres along, out of the back, to the thumb.
    fn put(&self, along: f32, back: f32, thumb: f32) -> Vec3A {
        let offset =
            self.along * (along * self.stretch) - self.down * back + self.thumb_side * thumb;
        self.start + offset * self.unit
    }
}

impl Sketch<'_> {
    /// 17 cm from the wrist's crease.
    pub(super) fn hand(&mut self, arm: &Arm, side: f32) {
        let palm = self.palm(arm, side);
        let unit = self.scale;
        let frame = Mat3A::from_cols(
            palm.along,
            palm.thumb_side.cross(palm.along),
            palm.thumb_side,
        );
        let frame = Quat::from_mat3a(&frame).normalize();
        let hand = [arm.hand];
        let half = Vec3A::new(0.034 * palm.stretch, 0.004, 0.0265) * unit;
        let block = Part::slab(palm.put(0.050, 0.0, 0.0), frame, half, 0.0105 * unit, &hand);
        self.push(block.blend(0.022 * unit));
        let heel = [palm.put(0.014, 0.0, 0.0), palm.put(0.070, 0.0, 0.004)];
        self.cone(heel[0], heel[1], [0.021, 0.014], &hand).blend_m *= 0.7;
        let ball = [
            palm.put(0.028, -0.008, 0.018),
            palm.put(0.050, -0.008, 0.030),
        ];
        self.cone(ball[0], ball[1], [0.016, 0.013], &hand).blend_m *= 0.5;
        for (index, finger) in FINGERS.into_iter().enumerate() {
            match &arm.single_fingers {
                Some(joints) => self.jointed_finger(&palm, finger[3], &joints[index]),
                None => self.finger(&palm, finger, arm),
            }
        }
        self.thumb(&palm, arm);
    }

    fn palm(&self, arm: &Arm, side: f32) -> Palm {
        let (elbow, wrist) = (self.at(arm.fore[0]), self.at(arm.hand));
        let far = self.fingertip(arm).unwrap_or(self.end(arm.hand));
        let along = (far - wrist).try_normalize();
        let along = along.unwrap_or((wrist - elbow).normalize_or(Vec3A::X));
        let thumb_side = self.palm_across(arm);
        let thumb_side = (thumb_side - along * thumb_side.dot(along)).normalize_or(Vec3A::Z);
        let unit = self.scale;
        let start = wrist - along * (0.012 * unit);
        Palm {
            start,
            along,
            thumb_side,
            // Palms face down where arms stand out, towards the body where they hang.
            down: along.cross(thumb_side) * side,
            // Captures often end the hand at the knuckles; longer ones are kept.
            stretch: ((far - start).length() / (HAND_LENGTH * unit)).clamp(1.08, 1.3),
            unit,
        }
    }

    fn finger(&mut self, palm: &Palm, [z, spread, length, radius]: [f32; 4], arm: &Arm) {
        let mut joints = arm.fingers.clone();
        if joints.is_empty() {
            joints.push(arm.hand);
        }
        let unit = self.scale;
        let bone = |share: f32, spread: f32, down: f32| {
            let along = palm.along * (length * palm.stretch * share);
            (along + palm.thumb_side * spread + palm.down * down) * unit
        };
        let knuckle = palm.put(0.082 - (z - 0.0095f32).abs() * 0.18, 0.003, z);
        let middle = knuckle + bone(0.52, spread * 0.6, 0.005);
        let tip = middle + bone(0.48, spread * 0.4, 0.014);
        self.cone(knuckle, middle, [radius * 1.06, radius], &joints)
            .blend_m = 0.007 * unit;
        self.cone(middle, tip, [radius, radius * 0.86], &joints)
            .blend_m = 0.006 * unit;
    }

    fn thumb(&mut self, palm: &Palm, arm: &Arm) {
        let unit = self.scale;
        let joints = [arm.thumb.unwrap_or(arm.hand)];
        let base = palm.put(0.026, -0.008, 0.024);
        let middle = palm.put(0.058, -0.016, 0.050);
        let tip = palm.put(0.086, -0.020, 0.060);
        self.cone(base, middle, [0.0135, 0.0105], &joints).blend_m = 0.014 * unit;
        self.cone(middle, tip, [0.0105, 0.0088], &joints).blend_m = 0.008 * unit;
    }

    /// The end of the middle finger.
    fn fingertip(&self, arm: &Arm) -> Option<Vec3A> {
        let middle = arm.single_fingers.as_ref().and_then(|it| it[1].last());
        let last = middle.or(arm.fingers.last());
        last.map(|&joint| self.end(joint))
    }

    /// A finger along its own joints.
    fn jointed_finger(&mut self, palm: &Palm, radius: f32, joints: &[JointIndex]) {
        let unit = self.scale;
        let mut ends: Vec<Vec3A> = joints.iter().map(|&it| self.at(it)).collect();
        // Many rigs end the last bone in its own joint.
        let last = joints[joints.len() - 1];
        let bone = self.end(last) - self.at(last);
        let least = 0.018 * unit;
        let tip = bone.normalize_or(palm.along) * bone.length().clamp(least, 2.0 * least);
        ends.push(self.at(last) + tip);
        let taper = 0.14 / joints.len() as f32;
        for (bone, ends) in ends.windows(2).enumerate() {
            let radii = [bone, bone + 1].map(|it| radius * (1.06 - taper * it as f32));
            self.cone(ends[0], ends[1], radii, joints).blend_m = 0.006 * unit;
        }
        // From the palm to the knuckle.
        let root = palm.start + (ends[0] - palm.start) * 0.55;
        let hand = self.cone(root, ends[0], [radius * 1.1; 2], &joints[..1]);
        hand.blend_m = 0.012 * unit;
    }
}
