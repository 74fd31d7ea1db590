//! Where the mass of a human body is: segments after de Leva, *Adjustments to
//! Zatsiorsky-Seluyanov's segment inertia parameters* (1996), the mean of women
//! and men.

use glam::Vec3A;

use crate::{
    humanoid::{Human, Limb, Role, Side},
    skeleton::{ModelPose, Skeleton},
};

/// Share of the mass, and of the way from the nearer joint to the farther.
const TRUNK: f32 = 0.4302;
const HEAD: f32 = 0.0681;
const UPPER_ARM: [f32; 2] = [0.0263, 0.5763];
const FOREARM: [f32; 2] = [0.0150, 0.4567];
const HAND: [f32; 2] = [0.0059, 0.77];
const THIGH: [f32; 2] = [0.1447, 0.3854];
const SHIN: [f32; 2] = [0.0457, 0.4428];
const FOOT: [f32; 2] = [0.0133, 0.4208];
/// Of the trunk from the shoulders' middle to that of the hips.
const TRUNK_AT: f32 = 0.4389;

/// A body's segments as joints.
pub(super) struct Masses {
    /// Mass, from, to (the end of the bone for `None`), share of the way.
    segments: Vec<(f32, usize, Option<usize>, f32)>,
    /// Shoulders and hips.
    trunk: [[usize; 2]; 2],
}

impl Masses {
    /// `None` where no human is found.
    pub fn of(human: &Human) -> Option<Self> {
        let joint = |role: Role| human.first(role).map(usize::from);
        let both = |limb: Limb| {
            let [left, right] = Side::BOTH.map(|side| joint(side.role(limb)));
            Some([left?, right?])
        };
        let mut segments = vec![(HEAD, joint(Role::Head)?, None, 0.5)];
        for side in 0..2 {
            let of = |limb: Limb| both(limb).map(|it| it[side]);
            let (hand, foot) = (of(Limb::Hand), of(Limb::Foot)?);
            segments.push((
                UPPER_ARM[0],
                of(Limb::UpperArm)?,
                of(Limb::Forearm),
                UPPER_ARM[1],
            ));
            segments.push((FOREARM[0], of(Limb::Forearm)?, hand, FOREARM[1]));
            segments.extend(hand.map(|it| (HAND[0], it, None, HAND[1])));
            segments.push((THIGH[0], of(Limb::Thigh)?, of(Limb::Shin), THIGH[1]));
            segments.push((SHIN[0], of(Limb::Shin)?, Some(foot), SHIN[1]));
            segments.push((FOOT[0], foot, of(Limb::Toes), FOOT[1]));
        }
        let trunk = [both(Limb::UpperArm)?, both(Limb::Thigh)?];
        Some(Self { segments, trunk })
    }

    /// In the pose's own space.
    pub fn centre(&self, skeleton: &Skeleton, model: &ModelPose) -> Vec3A {
        let place = |joint: usize| model.joints()[joint].translation;
        let middle = |[a, b]: [usize; 2]| (place(a) + place(b)) / 2.0;
        let [shoulders, hips] = self.trunk.map(middle);
        let mut sum = shoulders.lerp(hips, TRUNK_AT) * TRUNK;
        let mut mass = TRUNK;
        for &(share, from, to, along) in &self.segments {
            let end = to.map_or_else(|| model.bone_end(skeleton, from), place);
            sum += place(from).lerp(end, along) * share;
            mass += share;
        }
        // Hands that a skeleton has not weigh nothing.
        sum / mass
    }
}
