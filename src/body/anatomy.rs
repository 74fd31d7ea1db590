//! A human body with all its limbs, as the skin needs it. Which joint plays
//! which part is found by [`Human`], which retargeting shares.

use std::f32::consts::FRAC_PI_2;

use glam::Quat;

use crate::{
    humanoid::{Human, Limb, Role, Side},
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// Poses of a motion that are looked at for somebody who stands.
const TRIED_POSES: usize = 9;

/// What is within this of a direction points that way, 40°.
const NEARLY_RAD: f32 = 0.7;

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
            let beast = named.goes_on_four(skeleton, motion);
            return (!beast).then_some(named);
        }
        let few = motion
            .iter()
            .step_by(motion.len().div_ceil(TRIED_POSES).max(1));
        let posed = few.filter_map(|pose| skeleton.at_rest_in(pose));
        let seen = posed.map(|posed| Human::find(&posed));
        let mut votes: Vec<(Self, usize)> = Vec::new();
        for human in std::iter::once(Human::find(skeleton)).chain(seen) {
            let found = Self::of(skeleton, human);
            let Some(found) = found.filter(|it| it.human.is_most_of(skeleton)) else {
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

    /// Beasts bear the names of people's bones too. People may crawl, but not in
    /// every pose, the rest pose included.
    fn goes_on_four(&self, skeleton: &Skeleton, motion: &[ModelPose]) -> bool {
        let step = motion.len().div_ceil(TRIED_POSES).max(1);
        let seen = motion.iter().step_by(step);
        self.is_on_four(&skeleton.rest_model()) && seen.into_iter().all(|it| self.is_on_four(it))
    }

    /// Arms hang as the legs do, across the trunk.
    fn is_on_four(&self, pose: &ModelPose) -> bool {
        let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
        let ends = |ends: [[JointIndex; 2]; 2]| ends.map(|it| (at(it[0]) + at(it[1])) / 2.0);
        let (arms, legs) = (&self.arms, &self.legs);
        let [shoulders, hands] =
            ends([[arms[0].upper, arms[1].upper], [arms[0].hand, arms[1].hand]]);
        let [hips, feet] = ends([[legs[0].thigh, legs[1].thigh], [legs[0].foot, legs[1].foot]]);
        let [trunk, arm, leg] = [shoulders - hips, hands - shoulders, feet - hips];
        // Arms held out to both sides have no mean way.
        let arm_m = at(arms[0].upper).distance(at(arms[0].hand));
        let hangs = arm.length() > 0.5 * arm_m && arm.angle_between(leg) < NEARLY_RAD;
        hangs && (trunk.angle_between(leg) - FRAC_PI_2).abs() < NEARLY_RAD
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
    use crate::skeleton::{
        LocalPose,
        testing::{cmu_like, from_bones, quadruped},
    };

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

    /// At rest but for one joint.
    fn turned(skeleton: &Skeleton, joint: &str, rotation: Quat) -> ModelPose {
        let rest = skeleton.joints().iter().map(|it| it.rest);
        let mut local = LocalPose::from_transforms(rest.collect());
        local.joints_mut()[usize::from(skeleton.find(joint).unwrap())].rotation = rotation;
        let mut model = ModelPose::default();
        model.compute(skeleton, &local);
        model
    }

    #[test]
    fn a_spider_does_not() {
        let mut bones = vec![("abdomen".to_owned(), "root".to_owned(), [0.0, 0.3, -0.3])];
        for (side, x) in [("l", 1.0), ("r", -1.0)] {
            for number in 0..4 {
                let name = |part: u32| format!("{side}{number}{part}");
                let z = 0.3 * (number as f32 - 1.5);
                bones.push((name(0), "root".into(), [x * 0.1, 0.0, z]));
                bones.push((name(1), name(0), [x * 0.2, 0.2, z]));
                bones.push((name(2), name(1), [x * 0.25, -0.25, z]));
                bones.push((name(3), name(2), [x * 0.05, -0.15, 0.0]));
            }
        }
        let bones: Vec<_> = bones
            .iter()
            .map(|(a, b, way)| (a.as_str(), b.as_str(), *way))
            .collect();
        let spider = from_bones("spider", &bones);
        for angle in 0..12 {
            let turn = Quat::from_rotation_x(0.5 * angle as f32);
            let pose = turned(&spider, "root", turn);
            assert_eq!(Anatomy::find(&spider, &[pose]), None, "{angle}");
        }
    }

    #[test]
    fn a_dog_with_the_bones_of_a_person_does_not_but_somebody_who_crawls_does() {
        let mut bones = vec![
            ("Spine".to_owned(), "root".to_owned(), [0.0, 0.02, 0.4]),
            ("Neck".into(), "Spine".into(), [0.0, 0.05, 0.1]),
            ("Head".into(), "Neck".into(), [0.0, 0.12, 0.12]),
        ];
        for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
            let limbs = [("UpLeg Leg Foot", "root"), ("Arm ForeArm Hand", "Spine")];
            for (names, top) in limbs {
                let mut above = top.to_owned();
                let ways = [
                    [x * 0.08, -0.2, 0.02],
                    [0.0, -0.2, -0.05],
                    [0.0, -0.15, 0.03],
                ];
                for (name, way) in names.split(' ').zip(ways) {
                    let name = format!("{side}{name}");
                    bones.push((name.clone(), above, way));
                    above = name;
                }
            }
        }
        let bones: Vec<_> = bones
            .iter()
            .map(|(a, b, way)| (a.as_str(), b.as_str(), *way))
            .collect();
        let dog = from_bones("dog", &bones);
        assert_eq!(Anatomy::find(&dog, &[dog.rest_model()]), None);
        // The same on its hind legs in one pose of the motion.
        let rears = turned(&dog, "Spine", Quat::from_rotation_x(-1.4));
        assert!(Anatomy::find(&dog, &[dog.rest_model(), rears]).is_some());
    }
}
