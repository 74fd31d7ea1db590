//! Where in a hand things lie.

use glam::{Mat3, Quat, Vec3A};

use super::PropKind;
use crate::{
    humanoid::{Human, Limb, Side, facing},
    math::Transform,
    skeleton::{JointIndex, Skeleton},
};

/// Radius of the ball, metres: one of volleyball's little brothers.
pub const BALL_RADIUS_M: f32 = 0.09;
/// Half the side of the box, metres.
pub const BOX_HALF_M: f32 = 0.14;
/// Radius of the stick, metres.
pub const STICK_RADIUS_M: f32 = 0.016;
/// Half the length of the stick, metres.
pub const STICK_HALF_M: f32 = 0.55;
/// Half the thickness of a hand, metres.
const PALM_M: f32 = 0.02;

/// A hand at rest, in model space.
struct Palm {
    centre: Vec3A,
    /// From the wrist to the fingers.
    along: Vec3A,
    /// Out of the palm.
    normal: Vec3A,
}

/// How a thing lies in a joint's own space when it is held there: across the
/// palm of a hand, at the end of any other bone.
pub(super) fn joint_from_prop(
    skeleton: &Skeleton,
    joint: JointIndex,
    kind: &PropKind,
) -> Transform {
    let rest = skeleton.rest_model();
    let place = rest.joints()[usize::from(joint)];
    let palm = Palm::of(skeleton, joint);
    let off_m = match kind {
        PropKind::Ball => BALL_RADIUS_M + PALM_M,
        PropKind::Box => BOX_HALF_M + PALM_M,
        PropKind::Stick => STICK_RADIUS_M + PALM_M,
        PropKind::File(_) => PALM_M,
    };
    // Y of a prop is its long axis: across the palm, thumb side up.
    let y = palm.normal.cross(palm.along).normalize_or(Vec3A::Y);
    let axes = Mat3::from_cols(y.cross(palm.along).into(), y.into(), palm.along.into());
    let model_from_prop = Transform {
        rotation: Quat::from_mat3(&axes).normalize(),
        translation: palm.centre + palm.normal * off_m,
    };
    place.inverse() * model_from_prop
}

impl Palm {
    fn of(skeleton: &Skeleton, joint: JointIndex) -> Self {
        let rest = skeleton.rest_model();
        let human = Human::find(skeleton);
        let side = { Side::BOTH.into_iter() }
            .find(|side| human.first(side.role(Limb::Hand)) == Some(joint));
        let from = rest.joints()[usize::from(joint)].translation;
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
        let wanted = match along.y.abs() > 0.7 {
            true => towards_body,
            false if side.is_some() => Vec3A::NEG_Y,
            false => towards_body,
        };
        let normal = wanted - along * along.dot(wanted);
        Self {
            centre: match side {
                Some(_) => (from + to) / 2.0,
                None => to,
            },
            along,
            normal: normal.normalize_or(along.any_orthonormal_vector()),
        }
    }
}
