//! Solids of a human body between the landmarks of its skeleton.
//!
//! Lengths come from the skeleton. Breadths, depths and girths are those of a
//! slim adult 1.70 m tall, scaled by the length of leg and trunk: about the
//! means of men and women of the ANSUR II survey (Gordon et al. 2014), with
//! limbs and waist a tenth slimmer, since soldiers are sturdy. Head height
//! (0.13 of stature) and hand length (0.108) are Drillis & Contini's after
//! Winter. `Sketch` holds the frame all offsets are given in: left, up,
//! forward of the body.

mod arm;
mod hand;
mod head;
mod leg;
mod trunk;

use glam::{Quat, Vec3A};

use super::{
    anatomy::Anatomy,
    field::{LimbSection, Part, Profile},
    lens::Lens,
};
use crate::skeleton::{JointIndex, ModelPose, Skeleton};

/// Leg plus trunk of the body the girths were drawn for, in metres.
const REFERENCE_M: f32 = 1.35;

/// A limb of elliptic sections.
fn round(sections: &[LimbSection], caps: [f32; 2]) -> Profile<'_> {
    Profile {
        sections,
        caps,
        squareness: [0.0; 2],
    }
}

struct Sketch<'a> {
    skeleton: &'a Skeleton,
    pose: &'a ModelPose,
    /// Columns left, up, forward.
    frame: Quat,
    scale: f32,
    parts: Vec<Part>,
}

/// All solids of the body, trunk first.
pub(super) fn human_parts(skeleton: &Skeleton, pose: &ModelPose, anatomy: &Anatomy) -> Vec<Part> {
    let mut sketch = Sketch {
        skeleton,
        pose,
        frame: anatomy.frame(pose),
        scale: 1.0,
        parts: Vec::with_capacity(96),
    };
    sketch.scale = sketch.height_scale(anatomy);
    sketch.trunk(anatomy);
    sketch.neck_and_head(anatomy);
    for (side, leg) in [1.0, -1.0].into_iter().zip(&anatomy.legs) {
        sketch.leg(leg, side);
        sketch.foot(leg, side);
    }
    for (side, arm) in [1.0, -1.0].into_iter().zip(&anatomy.arms) {
        sketch.arm(arm);
        sketch.hand(arm, side);
    }
    sketch.parts
}

/// Finer grids for hands, feet and head, where nothing else lies beyond them.
pub(super) fn lenses(
    skeleton: &Skeleton,
    pose: &ModelPose,
    anatomy: &Anatomy,
    parts: &[Part],
) -> Vec<Lens> {
    let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
    let up = anatomy.frame(pose) * Vec3A::Y;
    let ankle = at(anatomy.legs[0].foot);
    let scale = (at(anatomy.head) - ankle).length() / 1.45;
    let lens = |origin: Vec3A, direction: Vec3A, magnification: f32, own: Vec<JointIndex>| {
        let ramp_m = if magnification > 3.0 { 0.09 } else { 0.06 } * scale;
        let direction = direction.normalize_or(up);
        // By solids: a joint that moves none, such as a root far off, is in nobody's
        // way.
        let foreign = parts.iter().any(|part| {
            let (centre, radius) = part.ball();
            let beyond = (centre - origin).dot(direction) + 0.6 * radius > 0.05 * scale;
            beyond && !part.carve && !part.joints.iter().any(|it| own.contains(it))
        });
        (!foreign).then_some(Lens {
            origin,
            direction,
            magnification,
            ramp_m,
        })
    };
    let with_below = |top: JointIndex| {
        let mut own = vec![top];
        own.extend(skeleton.below(top));
        own
    };
    let [own, other] = [0, 1].map(|side| with_below(anatomy.legs[side].foot));
    let ankles = (ankle + at(anatomy.legs[1].foot)) / 2.0;
    let feet = [own, other].concat();
    // The first that the grid goes through: from between the feet it spreads those
    // of splayed legs far enough to lie beyond the planes of the hands.
    let mut found = vec![lens(ankles + up * (0.05 * scale), -up, 1.6, feet)];
    found.push(lens(
        at(anatomy.head) - up * (0.045 * scale),
        up,
        2.3,
        with_below(anatomy.head),
    ));
    let left = anatomy.frame(pose) * Vec3A::X;
    for (arm, out) in anatomy.arms.iter().zip([left, -left]) {
        let (elbow, wrist) = (at(arm.fore[0]), at(arm.hand));
        let along = (wrist - elbow).normalize_or(up);
        let own = with_below(arm.fore[0]);
        // Sideways, not along the arm: feet are on this side of the plane.
        found.push(lens(wrist - along * (0.05 * scale), out, 3.9, own));
    }
    found.into_iter().flatten().collect()
}

impl Sketch<'_> {
    fn at(&self, joint: JointIndex) -> Vec3A {
        self.pose.joints()[usize::from(joint)].translation
    }

    fn end(&self, joint: JointIndex) -> Vec3A {
        self.pose.bone_end(self.skeleton, usize::from(joint))
    }

    /// Offset given in reference metres along left, up, forward.
    fn off(&self, left: f32, up: f32, forward: f32) -> Vec3A {
        self.frame * Vec3A::new(left, up, forward) * self.scale
    }

    fn cone(&mut self, a: Vec3A, b: Vec3A, radii: [f32; 2], joints: &[JointIndex]) -> &mut Part {
        let radii = radii.map(|radius| radius * self.scale);
        self.push(Part::cone(a, b, radii, joints).blend(0.03 * self.scale))
    }

    /// A limb with cross-sections in reference metres; see [`Part::loft`].
    fn loft(
        &mut self,
        ends: [Vec3A; 2],
        front_and_outward: [Vec3A; 2],
        profile: Profile<'_>,
        joints: &[JointIndex],
    ) -> &mut Part {
        let part = Part::loft(ends, front_and_outward, self.scale, profile, joints);
        self.push(part.blend(0.03 * self.scale))
    }

    fn egg(&mut self, centre: Vec3A, half: [f32; 3], joints: &[JointIndex]) -> &mut Part {
        let half = Vec3A::from(half) * self.scale;
        let part = Part::ellipsoid(centre, self.frame, half, joints);
        self.push(part.blend(0.04 * self.scale))
    }

    fn push(&mut self, part: Part) -> &mut Part {
        self.parts.push(part);
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    fn height_scale(&self, anatomy: &Anatomy) -> f32 {
        let leg = &anatomy.legs[0];
        let thigh = (self.at(leg.thigh) - self.at(leg.shin)).length();
        let shin = (self.at(leg.shin) - self.at(leg.foot)).length();
        let trunk = (self.shoulders(anatomy) - self.hips(anatomy)).length();
        ((thigh + shin + trunk) / REFERENCE_M).max(1e-3)
    }

    /// Joints of a chain at least so far apart, the first and the last among
    /// them: skin that follows dozens of vertebrae could keep only four.
    fn spaced(&self, chain: &[JointIndex], least: f32) -> Vec<JointIndex> {
        let mut kept: Vec<JointIndex> = Vec::new();
        let last = chain.last().copied();
        for &joint in chain {
            let far = |&other: &JointIndex| {
                let apart = (self.at(joint) - self.at(other)).length();
                apart >= least * self.scale
            };
            if kept.last().is_none_or(far) {
                kept.push(joint);
            } else if Some(joint) == last {
                if kept.len() > 1 {
                    kept.pop();
                }
                kept.push(joint);
            }
        }
        kept
    }

    fn hips(&self, anatomy: &Anatomy) -> Vec3A {
        (self.at(anatomy.legs[0].thigh) + self.at(anatomy.legs[1].thigh)) / 2.0
    }

    fn shoulders(&self, anatomy: &Anatomy) -> Vec3A {
        (self.at(anatomy.arms[0].upper) + self.at(anatomy.arms[1].upper)) / 2.0
    }

    /// A body direction made perpendicular to a limb.
    fn hinge_side(&self, from: Vec3A, to: Vec3A, left: f32, up: f32, forward: f32) -> Vec3A {
        let along = (to - from).normalize_or(Vec3A::Y);
        let wish = self.frame * Vec3A::new(left, up, forward);
        let side = wish - along * wish.dot(along);
        side.normalize_or(along.any_orthonormal_vector())
    }
}
