//! What the joints of a human can do: for each part a swing cone, wider one way
//! than the other, and a twist. Angles are counted from standing upright with
//! the arms hanging, whatever the skeleton's rest pose is: its limbs are turned
//! there first, each by the shortest way.

use glam::{Quat, Vec3, Vec3A};

use super::OwnLimit;
use crate::{
    humanoid::{Human, Limb, Role, Side},
    math::{ik, quat},
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// Ranges of a joint, degrees from standing with the arms hanging.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRange {
    /// Forwards; of a knee backwards, of a foot upwards, of a hand to its palm.
    pub flexion_deg: [f32; 2],
    /// Away from the middle of the body; of a clavicle upwards.
    pub abduction_deg: [f32; 2],
    /// About the bone.
    pub twist_deg: [f32; 2],
}

const fn range(flexion: [f32; 2], abduction: [f32; 2], twist_deg: f32) -> JointRange {
    JointRange {
        flexion_deg: flexion,
        abduction_deg: abduction,
        twist_deg: [-twist_deg, twist_deg],
    }
}

/// The ranges of a part as a whole: after *Joint Motion: Method of Measuring
/// and Recording*, American Academy of Orthopaedic Surgeons (1965), rounded up,
/// since a joint of a capture stands for several of a body (a shoulder for the
/// blade, a wrist for the two bones of the forearm).
#[must_use]
pub const fn range_of(role: Role) -> Option<JointRange> {
    Some(match role {
        Role::Spine => range([-45.0, 95.0], [-45.0, 45.0], 55.0),
        Role::Neck | Role::Head => range([-70.0, 70.0], [-55.0, 55.0], 90.0),
        Role::Left(limb) | Role::Right(limb) => match limb {
            Limb::Clavicle => range([-30.0, 35.0], [-20.0, 45.0], 45.0),
            Limb::UpperArm => range([-70.0, 180.0], [-55.0, 170.0], 100.0),
            Limb::Forearm => range([-10.0, 155.0], [-15.0, 15.0], 95.0),
            Limb::Hand => range([-90.0, 90.0], [-45.0, 45.0], 60.0),
            Limb::Thigh => range([-40.0, 135.0], [-45.0, 65.0], 60.0),
            Limb::Shin => range([-10.0, 155.0], [-15.0, 15.0], 40.0),
            Limb::Foot => range([-65.0, 45.0], [-40.0, 40.0], 45.0),
            Limb::Toes => range([-60.0, 85.0], [-25.0, 25.0], 25.0),
            _ => return None,
        },
        Role::Hips => return None,
    })
}

/// A joint of a human: a swing cone about the middle of its range, and a twist
/// about its bone. `parent_from_joint = middle · swing · twist`.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanLimit {
    /// Parent from joint in the middle of the cone.
    pub middle: Quat,
    /// Along the bone, in the joint.
    pub bone: Vec3A,
    /// Axis of flexion in the joint, across the bone.
    pub flexion_axis: Vec3A,
    /// Half the range of flexion and of abduction, radians: the cone's two radii.
    pub swing_rad: [f32; 2],
    /// Least and most twist, radians.
    pub twist_rad: [f32; 2],
}

impl HumanLimit {
    /// Axis of abduction in the joint.
    #[must_use]
    pub fn abduction_axis(&self) -> Vec3A {
        self.bone.cross(self.flexion_axis)
    }

    /// The same swing and twist every way from a middle: the simple cone that
    /// somebody states by hand. `None` without a bone.
    #[must_use]
    pub fn about(middle: Quat, bone: Vec3A, swing_rad: f32, twist_rad: f32) -> Option<Self> {
        let bone = bone.try_normalize()?;
        Some(Self {
            middle,
            bone,
            flexion_axis: bone.any_orthonormal_vector(),
            swing_rad: [swing_rad; 2],
            twist_rad: [-twist_rad, twist_rad],
        })
    }

    /// Swing as a rotation vector along the two axes, and the twist; radians from
    /// the middle.
    #[must_use]
    pub fn turn(&self, local: Quat) -> ([f32; 2], f32) {
        let (swing, twist) = quat::swing_twist(self.middle.conjugate() * local, self.bone.into());
        let swing = Vec3A::from(quat::log(swing));
        let twist = Vec3A::from(quat::log(twist)).dot(self.bone);
        let axes = [self.flexion_axis, self.abduction_axis()];
        (axes.map(|axis| axis.dot(swing)), twist)
    }

    /// The rotation of such a swing and twist: inverse of [`Self::turn`].
    #[must_use]
    pub fn rotation(&self, swing: [f32; 2], twist: f32) -> Quat {
        let swing = self.flexion_axis * swing[0] + self.abduction_axis() * swing[1];
        let swing = quat::exp(Vec3::from(swing));
        (self.middle * swing * quat::exp(Vec3::from(self.bone * twist))).normalize()
    }

    /// How many times as far from the middle as the edge of the cone.
    #[must_use]
    pub fn ratio(&self, [flexion, abduction]: [f32; 2]) -> f32 {
        (flexion / self.swing_rad[0]).hypot(abduction / self.swing_rad[1])
    }

    pub(super) fn excess_rad(&self, local: Quat) -> f32 {
        let (swing, twist) = self.turn(local);
        let (ratio, from_middle) = (self.ratio(swing), swing[0].hypot(swing[1]));
        let beyond_cone = if ratio > 1.0 {
            from_middle * (1.0 - 1.0 / ratio)
        } else {
            0.0
        };
        let [least, most] = self.twist_rad;
        beyond_cone.max(least - twist).max(twist - most).max(0.0)
    }

    pub(super) fn clamped(&self, local: Quat, allowed_rad: f32) -> Quat {
        if self.excess_rad(local) <= allowed_rad {
            return local;
        }
        let (swing, twist) = self.turn(local);
        let (ratio, from_middle) = (self.ratio(swing), swing[0].hypot(swing[1]));
        let share = match ratio > 1.0 {
            true => ((from_middle / ratio + allowed_rad) / from_middle).min(1.0),
            false => 1.0,
        };
        let twist = twist.clamp(
            self.twist_rad[0] - allowed_rad,
            self.twist_rad[1] + allowed_rad,
        );
        self.rotation(swing.map(|it| it * share), twist)
    }
}

/// The human limits of a skeleton, one for each joint that has some.
#[must_use]
pub fn human_limits(skeleton: &Skeleton) -> Vec<Option<HumanLimit>> {
    let mut limits = vec![None; skeleton.len()];
    let human = Human::find(skeleton);
    let rest = skeleton.rest_model();
    let Some(body) = human.frame(&rest) else {
        return limits;
    };
    let stance = Stance::new(skeleton, &human, &rest, body);
    for role in human.roles() {
        let joints = bending_joints(&human, role);
        for &joint in joints {
            let Some(range) = range_of(role) else {
                continue;
            };
            // Captures put more of a bend into some joints than into others: of n
            // joints each may do more than its n-th part.
            let joints = trunk_joints(&human, role).max(joints.len()).max(1);
            let shared = (joints as f32).sqrt();
            limits[usize::from(joint)] = stance.limit(joint, role, (range, shared));
        }
    }
    limits
}

/// Long bones bend in their first joint; those after it only twist.
fn bending_joints(human: &Human, role: Role) -> &[JointIndex] {
    let part = human.part(role);
    match role.limb() {
        Some(limb) if limb != Limb::Clavicle => &part[..part.len().min(1)],
        _ => part,
    }
}

/// Neck and head share what the neck can do.
fn trunk_joints(human: &Human, role: Role) -> usize {
    match role {
        Role::Neck | Role::Head => human.part(Role::Neck).len() + human.part(Role::Head).len(),
        _ => 0,
    }
}

/// The skeleton upright with its arms hanging.
struct Stance<'a> {
    skeleton: &'a Skeleton,
    rest: &'a ModelPose,
    /// Model space from left, up, forward.
    body: Quat,
    /// Turns from rest in model space.
    turns: Vec<Quat>,
    /// Along the bone at rest, in model space.
    bones: Vec<Option<Vec3A>>,
}

impl<'a> Stance<'a> {
    fn new(skeleton: &'a Skeleton, human: &Human, rest: &'a ModelPose, body: Quat) -> Self {
        let mut roles = vec![None; skeleton.len()];
        for role in human.roles() {
            for &joint in human.part(role) {
                roles[usize::from(joint)] = Some(role);
            }
        }
        let mut stance = Self {
            skeleton,
            rest,
            body,
            turns: Vec::with_capacity(skeleton.len()),
            bones: (0..skeleton.len())
                .map(|joint| bone(skeleton, human, rest, joint, &roles))
                .collect(),
        };
        for (joint, role) in roles.iter().enumerate() {
            let parent = usize::from(skeleton.parents()[joint]);
            let inherited = stance.turns.get(parent).copied().unwrap_or(Quat::IDENTITY);
            let turn = stance.turn(joint, *role, inherited);
            stance.turns.push(turn);
        }
        stance
    }

    fn turn(&self, joint: usize, role: Option<Role>, inherited: Quat) -> Quat {
        match role.and_then(Role::limb) {
            Some(Limb::UpperArm | Limb::Forearm | Limb::Hand | Limb::Thigh | Limb::Shin) => {
                let down = self.body * Vec3A::NEG_Y;
                self.bones[joint].map_or(inherited, |bone| {
                    (ik::arc(inherited * bone, down) * inherited).normalize()
                })
            }
            // Soles are flat on the ground at rest and in this stance.
            Some(Limb::Foot) | None if role.is_some() => Quat::IDENTITY,
            _ => inherited,
        }
    }

    fn limit(
        &self,
        joint: JointIndex,
        role: Role,
        (range, shared): (JointRange, f32),
    ) -> Option<HumanLimit> {
        let index = usize::from(joint);
        let (stands, bone) = (
            self.turns[index] * self.rest.joints()[index].rotation,
            self.bones[index]?,
        );
        let bone_model = (self.turns[index] * bone).try_normalize()?;
        let [mut flexion, abduction] = axes(role).map(|axis| self.body * axis);
        // A joint that its file lets turn about one axis alone has that hinge.
        let own = OwnLimit::of(&self.skeleton.joints()[index]).and_then(|own| own.hinge());
        if let Some(hinge) = own {
            let rest = self.skeleton.joints()[index].rest.rotation;
            let hinge = stands * (rest.conjugate() * hinge);
            flexion = hinge * if hinge.dot(flexion) < 0.0 { -1.0 } else { 1.0 };
        }
        let [flexion_range, abduction_range, twist] =
            [range.flexion_deg, range.abduction_deg, range.twist_deg]
                .map(|it| it.map(|deg| (deg / shared).to_radians()));
        let to_middle = flexion * middle(flexion_range) + abduction * middle(abduction_range);
        let middle_model = (quat::exp(to_middle.into()) * stands).normalize();
        let parent = usize::from(self.skeleton.parents()[index]);
        let above = self.turns.get(parent).map_or(Quat::IDENTITY, |turn| {
            *turn * self.rest.joints()[parent].rotation
        });
        let bone = (stands.conjugate() * bone_model).normalize();
        let flexion_axis = stands.conjugate() * flexion;
        let flexion_axis = flexion_axis - bone * bone.dot(flexion_axis);
        Some(HumanLimit {
            middle: (above.conjugate() * middle_model).normalize(),
            bone,
            flexion_axis: flexion_axis.try_normalize()?,
            swing_rad: [half(flexion_range), half(abduction_range)],
            twist_rad: twist,
        })
    }
}

fn middle([least, most]: [f32; 2]) -> f32 {
    f32::midpoint(least, most)
}

fn half([least, most]: [f32; 2]) -> f32 {
    (most - least) / 2.0
}

/// Axes of flexion and abduction in the frame of the body: left, up, forward.
/// A turn about one takes the bone, hanging or upright, the way the range says.
fn axes(role: Role) -> [Vec3A; 2] {
    let (limb, out) = match role {
        Role::Left(limb) => (limb, 1.0),
        Role::Right(limb) => (limb, -1.0),
        // Upwards bones bow forward about the left axis.
        Role::Hips | Role::Spine | Role::Neck | Role::Head => return [Vec3A::X, Vec3A::Z],
    };
    match limb {
        Limb::Clavicle => [Vec3A::NEG_Y * out, Vec3A::Z * out],
        Limb::Shin => [Vec3A::X, Vec3A::Z * out],
        Limb::Hand => [Vec3A::NEG_Z * out, Vec3A::NEG_X],
        Limb::Foot | Limb::Toes => [Vec3A::NEG_X, Vec3A::Y * out],
        _ => [Vec3A::NEG_X, Vec3A::Z * out],
    }
}

/// From a joint to the next part, or to the end of its bone.
fn bone(
    skeleton: &Skeleton,
    human: &Human,
    rest: &ModelPose,
    joint: usize,
    roles: &[Option<Role>],
) -> Option<Vec3A> {
    let at = |joint: usize| rest.joints()[joint].translation;
    let next = match roles[joint]? {
        Role::Left(limb) => next_part(limb).and_then(|limb| human.first(Side::Left.role(limb))),
        Role::Right(limb) => next_part(limb).and_then(|limb| human.first(Side::Right.role(limb))),
        _ => None,
    };
    let to = next.map_or_else(
        || rest.bone_end(skeleton, joint),
        |next| at(usize::from(next)),
    );
    let child = skeleton.children(joint as JointIndex).next();
    let along = [Some(to), child.map(|child| at(usize::from(child)))];
    { along.into_iter().flatten() }
        .map(|to| to - at(joint))
        .find(|bone| bone.length() > 1e-4)
}

fn next_part(limb: Limb) -> Option<Limb> {
    Some(match limb {
        Limb::Clavicle => Limb::UpperArm,
        Limb::UpperArm => Limb::Forearm,
        Limb::Forearm => Limb::Hand,
        Limb::Thigh => Limb::Shin,
        Limb::Shin => Limb::Foot,
        Limb::Foot => Limb::Toes,
        _ => return None,
    })
}
