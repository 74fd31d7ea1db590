//! The pose a human body is grown in: upright, arms out, legs a little apart,
//! whatever pose its file calls rest.
//!
//! The rest pose is turned there bone by bone, as retargeting turns it. What
//! it cannot tell (a stack of bones along one axis) or tells wrongly (bones
//! turned about themselves) the motion does: knees and elbows bend about one
//! axis to one side, hips and shoulders face where the body does, heads look
//! ahead. Between a rest pose and a motion that roughly agree the rest pose is
//! believed: it is somebody's word, the motion a mean. Two files of one motion
//! thus give one body, whatever their rest poses.

mod aim;
mod stance;

use glam::{Quat, Vec3A};

use super::anatomy::Anatomy;
use crate::{
    humanoid::columns,
    math::{Transform, ik::arc, quat},
    skeleton::{Joint, JointIndex, ModelPose, NO_PARENT, Skeleton},
};
use aim::{Aim, Kind, aims};
use stance::{Seen, Stance};

/// A bone this short has no direction, in metres.
const SHORT_M: f32 = 1e-4;
/// A last bone is believed when it is no further off than 60°.
const LIKELY_COS: f32 = 0.5;
/// Trunk bones within this of the upright are left as the rest pose has them
/// where there is no motion to ask.
const UPRIGHT_COS: f32 = 0.82;

/// The same joints, at rest in the canonical pose; bones end where the next
/// joint of their limb begins.
pub(super) fn canonical(
    skeleton: &Skeleton,
    anatomy: &Anatomy,
    motion: &[ModelPose],
) -> Option<Skeleton> {
    let stances = motion
        .iter()
        .map(|pose| Stance::new(skeleton, anatomy, pose));
    let stances: Vec<Stance<'_>> = stances.collect();
    let mut posing = Posing {
        skeleton,
        aims: aims(skeleton, anatomy),
        offsets: offsets(skeleton, motion),
        gravity: gravity(&stances),
        rest: skeleton.rest_model(),
        stances,
        turned: Vec::new(),
        whole: Quat::IDENTITY,
    };
    posing.whole = anatomy.frame(&posing.rest).conjugate();
    let from_rest = posing.turn(Posing::rest_rotation);
    let from_motion = posing.turn(|posing, joint| {
        let moving = posing.motion_rotation(joint);
        moving.unwrap_or_else(|| posing.rest_rotation(joint))
    });
    // As a whole: of a rest pose that is wrong anywhere nothing is believed.
    posing.turned = match posing.agree(&from_rest, &from_motion) {
        true => from_rest,
        false => from_motion,
    };
    posing.posed()
}

/// Where each joint is in its parent: as at rest, or as the motion has it
/// where that is elsewhere throughout.
fn offsets(skeleton: &Skeleton, motion: &[ModelPose]) -> Vec<Vec3A> {
    let parent_of = |joint: usize| usize::from(skeleton.parents()[joint]);
    let moving = |joint: usize| {
        let at = |pose: &ModelPose| {
            let to_parent = pose.joints()[parent_of(joint)].inverse();
            to_parent.transform_point(pose.joints()[joint].translation)
        };
        motion.iter().map(at).sum::<Vec3A>() / motion.len() as f32
    };
    let offset = |joint: usize| {
        let rest = skeleton.joints()[joint].rest.translation;
        if skeleton.parents()[joint] == NO_PARENT || motion.is_empty() {
            return rest;
        }
        let moved = moving(joint);
        let near = (moved - rest).length() < 0.05 * rest.length().max(moved.length()) + SHORT_M;
        if near { rest } else { moved }
    };
    (0..skeleton.len()).map(offset).collect()
}

/// The upright of the whole motion, if it has one: an axis of its space.
fn gravity(stances: &[Stance<'_>]) -> Option<Vec3A> {
    let sum = stances.iter().map(|it| it.up * it.straightness());
    let mean = sum.sum::<Vec3A>().try_normalize()?;
    let axes = [Vec3A::X, Vec3A::Y, Vec3A::Z];
    let signed = axes.into_iter().flat_map(|axis| [axis, -axis]);
    signed.into_iter().find(|axis| axis.dot(mean) > UPRIGHT_COS)
}

struct Posing<'a> {
    skeleton: &'a Skeleton,
    aims: Vec<Aim>,
    offsets: Vec<Vec3A>,
    gravity: Option<Vec3A>,
    rest: ModelPose,
    stances: Vec<Stance<'a>>,
    /// Takes the body as it stands at rest to the canonical axes.
    whole: Quat,
    /// `model_from_joint` in the canonical pose of all joints so far.
    turned: Vec<Quat>,
}

impl Posing<'_> {
    /// Turns every joint, parents first.
    fn turn(&mut self, rotation: impl Fn(&Self, usize) -> Quat) -> Vec<Quat> {
        self.turned.clear();
        for joint in 0..self.skeleton.len() {
            let rotation = rotation(self, joint);
            self.turned.push(rotation.normalize());
        }
        std::mem::take(&mut self.turned)
    }

    fn agree(&self, rest: &[Quat], motion: &[Quat]) -> bool {
        let mut aims = self.aims.iter().enumerate();
        aims.all(|(joint, aim)| {
            let off = quat::angle_between(rest[joint], motion[joint]);
            off < aim.kind.trust()
        })
    }

    fn parent(&self, joint: usize) -> Option<usize> {
        let parent = self.skeleton.parents()[joint];
        (parent != NO_PARENT).then_some(usize::from(parent))
    }

    /// The way to the next joint of the limb, or to the bone's own end, in
    /// joint space.
    fn bone(&self, joint: usize) -> Option<Vec3A> {
        let own = Vec3A::from(self.skeleton.joints()[joint].tip);
        let bone = match (self.aims[joint].next, self.aims[joint].kind) {
            (Some(next), _) => self.way_to(joint, next)?,
            // The last bones of many rigs end anywhere.
            (None, Kind::Foot(_)) if self.is_likely(joint, own) => own,
            (None, Kind::Finger(_) | Kind::Thumb(_)) => own,
            (None, _) => return None,
        };
        (bone.length() > SHORT_M).then_some(bone)
    }

    /// Whether a last bone points about where it should.
    fn is_likely(&self, joint: usize, bone: Vec3A) -> bool {
        let kind = self.aims[joint].kind;
        let bone = bone.normalize_or_zero();
        let agreement = |stance: &Stance<'_>| {
            let seen = stance.seen(kind, self.gravity);
            let along = seen.map_or(Vec3A::ZERO, |it| it.along.normalize_or_zero());
            (stance.pose.joints()[joint].rotation * bone).dot(along)
        };
        let goal = kind.canonical_frame() * Vec3A::Y;
        let at_rest = self.whole * (self.rest.joints()[joint].rotation * bone);
        let mean = match self.stances.len() {
            0 => at_rest.dot(goal),
            count => self.stances.iter().map(agreement).sum::<f32>() / count as f32,
        };
        mean > LIKELY_COS
    }

    /// From a joint to one below it, whatever lies between at rest.
    fn way_to(&self, joint: usize, next: JointIndex) -> Option<Vec3A> {
        let next = usize::from(next);
        match self.parent(next) == Some(joint) {
            true => Some(self.offsets[next]),
            false => None,
        }
    }

    fn turned_parent(&self, joint: usize) -> Quat {
        // A root that is no part of the body stands as the body does.
        let inherited =
            |parent: usize| self.turned[parent] * self.rest.joints()[parent].rotation.conjugate();
        self.parent(joint).map_or(self.whole, inherited)
    }

    /// The rest pose, turned.
    fn rest_rotation(&self, joint: usize) -> Quat {
        let rest = self.rest.joints()[joint].rotation;
        let kind = self.aims[joint].kind;
        let inherited = self.turned_parent(joint);
        let goal = kind.canonical_frame() * Vec3A::Y;
        let towards = |turn: Quat| match self.bone(joint) {
            Some(bone) => arc(turn * (rest * bone), goal) * turn,
            None => turn,
        };
        let turn = match kind {
            Kind::Follow => inherited,
            Kind::Hips | Kind::Head => self.whole,
            Kind::Trunk(_) => {
                let bone = self.bone(joint).unwrap_or(Vec3A::ZERO);
                let up = (self.whole * (rest * bone)).normalize_or(goal);
                // Backs are not straight: what nearly is stays as it is.
                if up.dot(goal) > UPRIGHT_COS {
                    self.whole
                } else {
                    towards(self.whole)
                }
            }
            _ => towards(inherited),
        };
        turn * rest
    }

    /// As the motion mostly has it.
    fn motion_rotation(&self, joint: usize) -> Option<Quat> {
        let kind = self.aims[joint].kind;
        match kind {
            _ if self.stances.is_empty() => None,
            Kind::Follow => self.follow(joint),
            Kind::Finger(_) | Kind::Thumb(_) => self.along_parent(joint),
            _ => {
                let joint_from_part = self.joint_from_part(joint, kind)?;
                Some(kind.canonical_frame() * joint_from_part.conjugate())
            }
        }
    }

    /// The frame of a joint's part in its own space, over all poses.
    fn joint_from_part(&self, joint: usize, kind: Kind) -> Option<Quat> {
        let (mut across, mut along) = (Vec3A::ZERO, Vec3A::ZERO);
        for stance in &self.stances {
            let seen: Seen = stance.seen(kind, self.gravity)?;
            let to_joint = stance.pose.joints()[joint].rotation.conjugate();
            across += to_joint * seen.across * seen.weight;
            along += to_joint * seen.along * seen.weight;
        }
        if kind == Kind::Hips {
            // The hips' own line is exact; what is up is a mean.
            let turned = columns(along, across.normalize_or_zero());
            // Columns up, left, up × left: back to left, up, forward.
            let swap = Quat::from_mat3(&glam::Mat3::from_cols(
                glam::Vec3::Y,
                glam::Vec3::X,
                -glam::Vec3::Z,
            ));
            return Some(turned * swap);
        }
        Some(columns(across, self.bone(joint).unwrap_or(along)))
    }

    /// Standing to its parent as it does on the whole.
    fn follow(&self, joint: usize) -> Option<Quat> {
        let parent = self.parent(joint)?;
        let mut sum = glam::Vec4::ZERO;
        for stance in &self.stances {
            let [own, above] = [joint, parent].map(|it| stance.pose.joints()[it].rotation);
            let local = glam::Vec4::from(above.conjugate() * own);
            // Of q and −q the one that adds to the sum.
            sum += if sum.dot(local) < 0.0 { -local } else { local };
        }
        let mean = Quat::from_vec4(sum.try_normalize()?);
        Some(self.turned[parent] * mean)
    }

    /// A finger straight on, turned as its parent is.
    fn along_parent(&self, joint: usize) -> Option<Quat> {
        let follow = self.follow(joint)?;
        let goal = self.aims[joint].kind.canonical_frame() * Vec3A::Y;
        let bone = self.bone(joint)?;
        Some(arc(follow * bone, goal) * follow)
    }

    /// Where a joint's bone ends, in joint space.
    fn tip(&self, joint: usize) -> Vec3A {
        let own = Vec3A::from(self.skeleton.joints()[joint].tip);
        let kind = self.aims[joint].kind;
        let goal = kind.canonical_frame() * Vec3A::Y;
        let next = self.aims[joint].next;
        match (next.and_then(|next| self.way_to(joint, next)), kind) {
            (Some(way), _) => way,
            (None, Kind::Foot(_)) => self.bone(joint).unwrap_or(Vec3A::ZERO),
            (None, Kind::Hand(_)) => {
                let along = (self.turned[joint] * own).normalize_or_zero();
                if along.dot(goal) > LIKELY_COS {
                    own
                } else {
                    Vec3A::ZERO
                }
            }
            (None, _) => own,
        }
    }

    /// The skeleton with this pose as its rest.
    fn posed(&self) -> Option<Skeleton> {
        let joint = |(index, joint): (usize, &Joint)| {
            let above = self
                .parent(index)
                .map_or(Quat::IDENTITY, |it| self.turned[it]);
            let rotation = (above.conjugate() * self.turned[index]).normalize();
            // The body stands over the origin, wherever its file puts it.
            let offset = self
                .parent(index)
                .map_or(Vec3A::ZERO, |_| self.offsets[index]);
            Joint {
                rest: Transform::new(rotation, offset),
                tip: self.tip(index).into(),
                ..joint.clone()
            }
        };
        let joints = self.skeleton.joints().iter().enumerate().map(joint);
        Skeleton::new(self.skeleton.name(), joints.collect()).ok()
    }
}
