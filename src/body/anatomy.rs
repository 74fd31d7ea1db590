//! A human body with all its limbs, as the skin needs it. Which joint plays
//! which part is found by [`Human`], which retargeting shares.

use glam::Quat;

use crate::{
    humanoid::{Human, Limb, Role, Side},
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// Poses of a motion that are looked at for somebody who stands.
const TRIED_POSES: usize = 9;

/// Left or right arm.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arm {
    /// Joints from the chest to the upper arm, both left out.
    pub clavicle: Vec<JointIndex>,
    pub upper: JointIndex,
    /// Joints of the forearm, elbow first.
    pub fore: Vec<JointIndex>,
    pub hand: JointIndex,
    /// Joints beyond the hand that carry the fingers, the thumb's left out.
    pub fingers: Vec<JointIndex>,
    pub thumb: Option<JointIndex>,
    /// Joints of index, middle, ring and little finger, where each has its own.
    pub single_fingers: Option<[Vec<JointIndex>; 4]>,
}

/// Left or right leg.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leg {
    pub thigh: JointIndex,
    pub shin: JointIndex,
    pub foot: JointIndex,
    pub toes: Option<JointIndex>,
}

/// A skeleton read as a human; left side first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Anatomy {
    /// Hips to chest, both included.
    pub spine: Vec<JointIndex>,
    /// Joints between chest and head.
    pub neck: Vec<JointIndex>,
    pub head: JointIndex,
    pub arms: [Arm; 2],
    pub legs: [Leg; 2],
    human: Human,
}

impl Anatomy {
    /// `None` when a limb or the head is missing, or hangs in the wrong place.
    /// Where names say nothing, the rest pose and poses of the motion vote: a file
    /// may call anything rest, and seem to have its arms the other way round there.
    pub fn find(skeleton: &Skeleton, motion: &[ModelPose]) -> Option<Self> {
        if let Some(named) = Self::of(skeleton, Human::by_names(skeleton)) {
            return Some(named);
        }
        let few = motion
            .iter()
            .step_by(motion.len().div_ceil(TRIED_POSES).max(1));
        let posed = few.filter_map(|pose| skeleton.at_rest_in(pose));
        let seen = posed.map(|posed| Human::find(&posed));
        let mut votes: Vec<(Self, usize)> = Vec::new();
        for human in std::iter::once(Human::find(skeleton)).chain(seen) {
            let Some(found) = Self::of(skeleton, human) else {
                continue;
            };
            match votes.iter_mut().find(|(known, _)| *known == found) {
                Some((_, count)) => *count += 1,
                None => votes.push((found, 1)),
            }
        }
        // Of equals the first: what the rest pose says.
        let most = votes.iter().map(|(_, count)| *count).max()?;
        let mut found = votes.into_iter().filter(|(_, count)| *count == most);
        found.next().map(|(found, _)| found)
    }

    fn of(skeleton: &Skeleton, human: Human) -> Option<Self> {
        let part = |role| human.part(role).to_vec();
        let arm = |side: Side| {
            let hand = human.first(side.role(Limb::Hand))?;
            let thumb = human.first(side.role(Limb::Thumb));
            let fingers = skeleton.below(hand).filter(|&joint| {
                !thumb.is_some_and(|thumb| joint == thumb || skeleton.descends(joint, thumb))
            });
            let single = [Limb::Index, Limb::Middle, Limb::Ring, Limb::Little];
            let single = single.map(|finger| part(side.role(finger)));
            let each = single.iter().all(|finger| !finger.is_empty());
            Some(Arm {
                single_fingers: each.then_some(single),
                clavicle: part(side.role(Limb::Clavicle)),
                upper: human.first(side.role(Limb::UpperArm))?,
                fore: part(side.role(Limb::Forearm)),
                hand,
                fingers: fingers.collect(),
                thumb,
            })
        };
        let hips = human.first(Role::Hips)?;
        let leg = |side: Side| {
            let thigh = human.first(side.role(Limb::Thigh))?;
            let shin = human.first(side.role(Limb::Shin))?;
            let foot = human.first(side.role(Limb::Foot))?;
            skeleton.descends(foot, shin).then_some(())?;
            skeleton.descends(thigh, hips).then_some(())?;
            Some(Leg {
                thigh,
                shin,
                foot,
                toes: human.first(side.role(Limb::Toes)),
            })
        };
        let mut spine = vec![hips];
        spine.extend(part(Role::Spine));
        let head = human.first(Role::Head)?;
        let chest = spine.last().copied().unwrap_or(hips);
        Some(Self {
            neck: skeleton.between(chest, head)?,
            spine,
            head,
            arms: [arm(Side::Left)?, arm(Side::Right)?],
            legs: [leg(Side::Left)?, leg(Side::Right)?],
            human,
        })
    }

    /// Which joint plays which part.
    pub fn human(&self) -> &Human {
        &self.human
    }

    /// Joints whose beginning a mannequin would show as a seam.
    pub fn marked_joints(&self) -> Vec<JointIndex> {
        let mut marked = vec![self.neck.first().copied().unwrap_or(self.head)];
        for arm in &self.arms {
            marked.extend([arm.upper, arm.fore[0], arm.hand]);
        }
        for leg in &self.legs {
            marked.extend([leg.thigh, leg.shin, leg.foot]);
        }
        marked
    }

    /// Columns left, up, forward of the body as it stands in `pose`.
    pub fn frame(&self, pose: &ModelPose) -> Quat {
        self.human.frame(pose).unwrap_or(Quat::IDENTITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::testing::{cmu_like, quadruped};

    #[test]
    fn a_cmu_skeleton_reads_as_a_human() {
        let skeleton = cmu_like();
        let found = Anatomy::find(&skeleton, &[]).unwrap();
        let name = |joint: JointIndex| skeleton.joints()[usize::from(joint)].name.as_str();
        assert_eq!(name(found.spine[0]), "root");
        assert_eq!(name(*found.spine.last().unwrap()), "thorax");
        assert_eq!(found.neck.len(), 2);
        let fore: Vec<_> = found.arms[0].fore.iter().map(|&j| name(j)).collect();
        assert_eq!(fore, ["lradius", "lwrist"]);
        assert_eq!(name(found.arms[1].clavicle[0]), "rclavicle");
        assert_eq!(found.arms[0].fingers.len(), 1);
        let forward = found.frame(&skeleton.rest_model()) * glam::Vec3A::Z;
        assert!(forward.z > 0.95, "{forward}");
    }

    #[test]
    fn a_quadruped_does_not() {
        assert_eq!(Anatomy::find(&quadruped(), &[]), None);
    }
}
