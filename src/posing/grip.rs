//! Where in a hand things lie.

use glam::{Mat3, Quat, Vec3A};

use super::PropKind;
use crate::{
    humanoid::{Human, Limb, Side, facing},
    math::Transform,
    skeleton::{JointIndex, Skeleton},
};

/// Radius of the ball, metres: a handball's.
pub const BALL_RADIUS_M: f32 = 0.09;
/// Half the side of the box, metres.
pub const BOX_HALF_M: f32 = 0.14;
/// Radius of the stick, metres.
pub const STICK_RADIUS_M: f32 = 0.016;
/// Half the length of the stick, metres.
pub const STICK_HALF_M: f32 = 0.55;
/// Half the thickness of a hand, metres.
const PALM_M: f32 = 0.02;

/// A hand, or the end of any other bone, in its joint's own space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Palm {
    pub centre: Vec3A,
    /// From the wrist to the fingers.
    pub along: Vec3A,
    /// Out of the palm.
    pub normal: Vec3A,
}

/// How a thing lies in a joint's own space when it is held there: across the
/// palm of a hand, at the end of any other bone.
pub(super) fn joint_from_prop(
    skeleton: &Skeleton,
    joint: JointIndex,
    kind: &PropKind,
) -> Transform {
    let palm = Palm::of(skeleton, joint);
    let off_m = match kind {
        PropKind::Ball => BALL_RADIUS_M,
        PropKind::Box => BOX_HALF_M,
        PropKind::Stick | PropKind::File(_) => 0.0,
    };
    // Y of a prop is its long axis: across the palm.
    let (y, z) = (palm.across(), palm.along);
    let axes = Mat3::from_cols(y.cross(z).into(), y.into(), z.into());
    let rotation = Quat::from_mat3(&axes).normalize();
    Transform::new(rotation, palm.point_for(kind) + palm.normal * off_m)
}

impl Palm {
    pub fn of(skeleton: &Skeleton, joint: JointIndex) -> Self {
        let rest = skeleton.rest_model();
        let human = Human::find(skeleton);
        let side = { Side::BOTH.into_iter() }
            .find(|side| human.first(side.role(Limb::Hand)) == Some(joint));
        let place = rest.joints()[usize::from(joint)];
        let from = place.translation;
        let hand = side.map(|side| human.part(side.role(Limb::Hand)));
        let last = hand.and_then(|hand| hand.last().copied()).unwrap_or(joint);
        let to = rest.bone_end(skeleton, usize::from(last));
        let along = (to - from).normalize_or(Vec3A::Y);
        let front = facing(skeleton, &rest).map_or(Vec3A::Z, Vec3A::from);
        // Arms that are held out look down with their palms, arms that hang look
        // at the body.
        let towards_body = match side {
            Some(Side::Left) => -Vec3A::Y.cross(front),
            Some(Side::Right) => Vec3A::Y.cross(front),
            None => front,
        };
        let hangs = along.y.abs() > 0.7 || side.is_none();
        let wanted = if hangs { towards_body } else { Vec3A::NEG_Y };
        let normal = wanted - along * along.dot(wanted);
        let normal = normal.normalize_or(along.any_orthonormal_vector());
        let own = |vector: Vec3A| place.rotation.conjugate() * vector;
        let centre = match side {
            Some(_) => (from + to) / 2.0,
            None => to,
        };
        Self {
            centre: own(centre - from),
            along: own(along),
            normal: own(normal),
        }
    }

    /// Along which a thing lies across the palm. Of both hands held out before
    /// the body, palms down, it points to the left.
    pub fn across(&self) -> Vec3A {
        // Looking along +Z with the palm down, along × normal is Z × −Y = +X:
        // left, of either hand.
        self.along.cross(self.normal).normalize_or(Vec3A::Y)
    }

    /// Where the surface, or the middle of what is thin, meets the palm.
    pub fn point_for(&self, kind: &PropKind) -> Vec3A {
        let off_m = match kind {
            PropKind::Stick => PALM_M + STICK_RADIUS_M,
            PropKind::Ball | PropKind::Box | PropKind::File(_) => PALM_M,
        };
        self.centre + self.normal * off_m
    }
}
