//! The retarget pose: the target's rest pose turned until it stands as the
//! source's rest pose does, so that one turn means the same on both.
//!
//! Limbs are turned joint by joint to the source's directions, each taking
//! along what hangs on it; that absorbs T-pose, A-pose and CMU's straddle, bent
//! knees and any axes of bones. The trunk, whose joints no two rigs put in the
//! same places, is turned as a whole by the body's left, up and forward. Feet
//! keep their slope, since both rest poses stand on their soles, and are turned
//! about the upright alone. Between two skeletons of the same build every
//! joint's place is comparable, and all of them are fitted: any rest pose then
//! gives the same motion.

use glam::{Quat, Vec3A};

use super::{map::Resolved, rest_human::RestHuman};
use crate::{
    humanoid::{Limb, Role, Side},
    math::ik::arc,
    skeleton::{JointIndex, NO_PARENT, Skeleton},
};

/// Bones of one build differ by less than this share of the leg's length.
const SAME_BUILD_FRACTION: f32 = 0.02;

/// What the retarget pose is made from.
pub(super) struct Alignment<'a> {
    pub source: &'a RestHuman<'a>,
    pub target: &'a RestHuman<'a>,
    pub links: &'a [Resolved],
    /// Target lengths over source lengths.
    pub scale: f32,
    /// What a user turned beyond that, in the body's own axes.
    pub turned: &'a [(JointIndex, Quat)],
}

impl Alignment<'_> {
    /// The source's joint of every target joint where links are one to one.
    pub fn partners(&self) -> Vec<Option<JointIndex>> {
        let mut partners = vec![None; self.target.skeleton.len()];
        // Where numbers differ a joint of the one has no single counterpart.
        let even = self.links.iter().filter(|it| it.from.len() == it.to.len());
        for link in even {
            for (&from, &to) in link.from.iter().zip(&link.to) {
                partners[usize::from(to)] = Some(from);
            }
        }
        partners
    }

    /// True when all joints have partners as far from their parents.
    pub fn is_same_build(&self) -> bool {
        let partners = self.partners();
        let Some(leg_m) = self.target.leg_m() else {
            return false;
        };
        let uneven = self.links.iter().any(|it| it.from.len() != it.to.len());
        let like = |(to, from): (usize, &Option<JointIndex>)| {
            let Some(from) = *from else {
                return false;
            };
            let length = |skeleton: &Skeleton, joint: usize| {
                let joint = &skeleton.joints()[joint];
                // A root's offset is where the skeleton stands, not a bone.
                let placed = joint.parent != NO_PARENT;
                [
                    if placed {
                        joint.rest.translation.length()
                    } else {
                        0.0
                    },
                    joint.tip.length(),
                ]
            };
            let own = length(self.target.skeleton, to);
            let other = length(self.source.skeleton, usize::from(from));
            let parent = self.target.skeleton.parents()[to];
            // The same lengths in another order would be another build.
            let parents_agree = match self.source.skeleton.parents()[usize::from(from)] {
                NO_PARENT => parent == NO_PARENT,
                of => partners.get(usize::from(parent)) == Some(&Some(of)),
            };
            let off = |i: usize| (own[i] - other[i] * self.scale).abs();
            parents_agree && off(0).max(off(1)) < SAME_BUILD_FRACTION * leg_m
        };
        !uneven && partners.iter().enumerate().all(like)
    }

    /// `model_from_joint` rotations of the target in the retarget pose, placed
    /// as the source's rest pose is.
    pub fn rotations(&self, same_build: bool) -> Vec<Quat> {
        let roles = self.roles();
        let partners = self.partners();
        // The whole target turned as the source stands: what all else starts from.
        let whole = (self.source.frame * self.target.frame.conjugate()).normalize();
        let skeleton = self.target.skeleton;
        let mut from_rest: Vec<Quat> = Vec::with_capacity(skeleton.len());
        // Parents come first, so that what a joint inherits is there.
        for joint in 0..skeleton.len() as JointIndex {
            let index = usize::from(joint);
            let parent = skeleton.parents()[index];
            let inherited = from_rest.get(usize::from(parent)).copied().unwrap_or(whole);
            let rotation = match (same_build, roles[index]) {
                (true, _) => self.fitted(joint, &partners, inherited),
                (false, Some(role)) => self.limb_rotation(role, joint, &partners, whole, inherited),
                (false, None) => inherited,
            };
            from_rest.push(rotation.normalize());
        }
        self.turn_by_hand(&mut from_rest);
        let rest = |(joint, rotation): (usize, &Quat)| {
            // `from_rest` turns in model space, about the model's axes: from the left.
            (*rotation * self.target.rest(joint as JointIndex).rotation).normalize()
        };
        from_rest.iter().enumerate().map(rest).collect()
    }

    /// Turns of a user's, each taking along what hangs on its joint. The pose
    /// stands as the source's rest pose does, and so do the axes.
    fn turn_by_hand(&self, from_rest: &mut [Quat]) {
        if self.turned.is_empty() {
            return;
        }
        let (frame, skeleton) = (self.source.frame, self.target.skeleton);
        let mut carried: Vec<Quat> = Vec::with_capacity(from_rest.len());
        for (joint, rotation) in from_rest.iter_mut().enumerate() {
            let parent = usize::from(skeleton.parents()[joint]);
            let above = carried.get(parent).copied().unwrap_or(Quat::IDENTITY);
            let own = { self.turned.iter() }.find(|(it, _)| usize::from(*it) == joint);
            let own = own.map_or(Quat::IDENTITY, |(_, turn)| {
                frame * *turn * frame.conjugate()
            });
            let turn = (above * own).normalize();
            carried.push(turn);
            *rotation = (turn * *rotation).normalize();
        }
    }

    /// The part that each target joint plays.
    fn roles(&self) -> Vec<Option<Role>> {
        let mut roles = vec![None; self.target.skeleton.len()];
        for link in self.links {
            for &to in &link.to {
                roles[usize::from(to)] = link.role;
            }
        }
        roles
    }

    fn limb_rotation(
        &self,
        role: Role,
        joint: JointIndex,
        partners: &[Option<JointIndex>],
        whole: Quat,
        inherited: Quat,
    ) -> Quat {
        let (side, limb) = match role {
            Role::Left(limb) => (Side::Left, limb),
            Role::Right(limb) => (Side::Right, limb),
            Role::Hips | Role::Spine | Role::Neck | Role::Head => return whole,
        };
        let directions = || {
            let from = self.source.direction(side, limb)?;
            Some((self.target.direction(side, limb)?, from))
        };
        match limb {
            // Clavicles start and end elsewhere in every rig: their direction says
            // little, and what they lack the upper arm makes up for.
            Limb::Clavicle => whole,
            // Both soles are flat at rest: tilting one to the other's bone, which
            // starts at another height, would lift its heel or toes.
            Limb::Foot => directions().map_or(whole, |(own, other)| {
                self.about_upright(whole * own, other) * whole
            }),
            Limb::UpperArm | Limb::Forearm | Limb::Hand | Limb::Thigh | Limb::Shin => directions()
                .map_or(inherited, |(own, other)| {
                    arc(inherited * own, other) * inherited
                }),
            // A thumb's joints and toes differ too much between rigs.
            Limb::Thumb | Limb::Toes => inherited,
            Limb::Index | Limb::Middle | Limb::Ring | Limb::Little | Limb::Fingers => {
                self.fitted(joint, partners, inherited)
            }
        }
    }

    /// The turn about the body's upright from one heading to another.
    fn about_upright(&self, from: Vec3A, to: Vec3A) -> Quat {
        let up = self.source.frame * Vec3A::Y;
        let level = |v: Vec3A| v - up * up.dot(v);
        let (from, to) = (level(from), level(to));
        // A foot that points straight down has no heading.
        match from.length().min(to.length()) > 1e-4 {
            true => arc(from, to),
            false => Quat::IDENTITY,
        }
    }

    /// The turn that brings all that starts in a joint to where the source has
    /// it: one direction by the shortest way, a second about the first.
    fn fitted(&self, joint: JointIndex, partners: &[Option<JointIndex>], inherited: Quat) -> Quat {
        let offsets = self.offsets(joint, partners);
        let longest = offsets
            .iter()
            .max_by(|a, b| a.0.length().total_cmp(&b.0.length()));
        let Some(&(own, other)) = longest else {
            return inherited;
        };
        // The longest first: its direction is the most certain.
        let rotation = arc(inherited * own, other) * inherited;
        let axis = other.normalize_or_zero();
        let across = |v: Vec3A| v - axis * axis.dot(v);
        let widest = offsets
            .iter()
            .map(|&(own, other)| (across(rotation * own), across(other)))
            .filter(|(own, other)| own.length() > 1e-3 && other.length() > 1e-3)
            .max_by(|a, b| a.0.length().total_cmp(&b.0.length()));
        widest.map_or(rotation, |(own, other)| {
            // The signed angle about the first direction, from sine and cosine.
            let angle = axis.dot(own.cross(other)).atan2(own.dot(other));
            Quat::from_axis_angle(axis.into(), angle) * rotation
        })
    }

    /// Ways from a joint to what hangs on it, target and source.
    fn offsets(&self, joint: JointIndex, partners: &[Option<JointIndex>]) -> Vec<(Vec3A, Vec3A)> {
        let Some(partner) = partners[usize::from(joint)] else {
            return Vec::new();
        };
        let children = self.target.skeleton.children(joint).filter_map(|child| {
            let of = partners[usize::from(child)]?;
            let own = self.target.at(child) - self.target.at(joint);
            // Only where both hang on the pair: a joint in between would be a
            // bend of its own.
            (self.source.skeleton.parents()[usize::from(of)] == partner)
                .then(|| (own, self.source.at(of) - self.source.at(partner)))
        });
        let tip = (
            self.target.end(joint) - self.target.at(joint),
            self.source.end(partner) - self.source.at(partner),
        );
        let apart = |(own, other): &(Vec3A, Vec3A)| own.length().min(other.length()) > 1e-4;
        children.chain([tip]).filter(apart).collect()
    }
}
