//! Which bones move as one body: a human's sixteen segments, or of any other
//! creature its longest bones.

use crate::{
    humanoid::{Human, Limb, Role, Side, carrier},
    skeleton::{JointIndex, NO_PARENT, Skeleton},
};

/// Bodies of a creature that is not human at most: a step costs the cube of it.
const MOST_BODIES: usize = 18;
/// Bones shorter than this share of the height go with what they hang on.
const LEAST_BONE: f32 = 0.04;

/// A segment of the human body as de Leva (1996) cuts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BodyPart {
    /// Pelvis.
    LowerTrunk,
    /// Belly.
    MiddleTrunk,
    /// Chest with the shoulder girdle.
    UpperTrunk,
    /// Head and neck.
    Head,
    /// Shoulder to elbow.
    UpperArm(Side),
    /// Elbow to wrist.
    Forearm(Side),
    /// With its fingers.
    Hand(Side),
    /// Hip to knee.
    Thigh(Side),
    /// Knee to ankle.
    Shank(Side),
    /// With its toes.
    Foot(Side),
}

impl BodyPart {
    /// All sixteen, each after the one that it hangs on.
    pub fn all() -> impl Iterator<Item = Self> {
        let trunk = [
            Self::LowerTrunk,
            Self::MiddleTrunk,
            Self::UpperTrunk,
            Self::Head,
        ];
        let limbs = Side::BOTH.into_iter().flat_map(|side| {
            [
                Self::UpperArm(side),
                Self::Forearm(side),
                Self::Hand(side),
                Self::Thigh(side),
                Self::Shank(side),
                Self::Foot(side),
            ]
        });
        trunk.into_iter().chain(limbs)
    }

    /// What it hangs on.
    #[must_use]
    pub fn above(self) -> Option<Self> {
        match self {
            Self::LowerTrunk => None,
            Self::MiddleTrunk | Self::Thigh(_) => Some(Self::LowerTrunk),
            Self::UpperTrunk => Some(Self::MiddleTrunk),
            Self::Head | Self::UpperArm(_) => Some(Self::UpperTrunk),
            Self::Forearm(side) => Some(Self::UpperArm(side)),
            Self::Hand(side) => Some(Self::Forearm(side)),
            Self::Shank(side) => Some(Self::Thigh(side)),
            Self::Foot(side) => Some(Self::Shank(side)),
        }
    }

    /// The joint that it begins in.
    fn joint(self, human: &Human) -> Option<JointIndex> {
        let spine = human.part(Role::Spine);
        match self {
            Self::LowerTrunk => human.first(Role::Hips),
            // One joint alone carries the chest.
            Self::MiddleTrunk => spine.first().copied().filter(|_| spine.len() > 1),
            Self::UpperTrunk => spine.get(spine.len() * 2 / 3).copied(),
            Self::Head => human.first(Role::Neck).or(human.first(Role::Head)),
            Self::UpperArm(side) => human.first(side.role(Limb::UpperArm)),
            Self::Forearm(side) => human.first(side.role(Limb::Forearm)),
            Self::Hand(side) => human.first(side.role(Limb::Hand)),
            Self::Thigh(side) => human.first(side.role(Limb::Thigh)),
            Self::Shank(side) => human.first(side.role(Limb::Shin)),
            Self::Foot(side) => human.first(side.role(Limb::Foot)),
        }
    }
}

/// Bones that move as one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    /// The joint that it turns in.
    pub joint: usize,
    /// The segment that it hangs on; always an earlier one.
    pub above: Option<usize>,
    /// Of a human.
    pub part: Option<BodyPart>,
}

/// All of a skeleton; the first carries the others.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segments {
    pub list: Vec<Segment>,
    /// Of every joint.
    pub of_joint: Vec<usize>,
}

impl Segments {
    pub fn of(skeleton: &Skeleton, human: &Human) -> Self {
        let parts = human_parts(skeleton, human);
        let tops = match parts.is_empty() {
            true => { long_bones(skeleton).into_iter() }
                .map(|joint| (joint, None))
                .collect(),
            false => parts,
        };
        Self::cut(skeleton, carrier(skeleton), &tops)
    }

    /// Cuts a skeleton at the joints given.
    fn cut(
        skeleton: &Skeleton,
        carrier: JointIndex,
        tops: &[(JointIndex, Option<BodyPart>)],
    ) -> Self {
        let part_of = |joint: JointIndex| tops.iter().find(|top| top.0 == joint);
        let mut list = vec![Segment {
            joint: usize::from(carrier),
            above: None,
            part: part_of(carrier).and_then(|top| top.1),
        }];
        // What is above the hips, or beside them, goes with them.
        let mut of_joint = vec![0; skeleton.len()];
        for joint in 0..skeleton.len() {
            let parent = skeleton.parents()[joint];
            let index = joint as JointIndex;
            if parent == NO_PARENT || !skeleton.descends(index, carrier) {
                continue;
            }
            let above = of_joint[usize::from(parent)];
            of_joint[joint] = match part_of(index) {
                Some(&(_, part)) => {
                    list.push(Segment {
                        joint,
                        above: Some(above),
                        part,
                    });
                    list.len() - 1
                }
                None => above,
            };
        }
        Self { list, of_joint }
    }

    /// A segment and all that hang on it.
    pub fn below(&self, top: usize) -> Vec<bool> {
        let mut below = vec![false; self.list.len()];
        for (index, segment) in self.list.iter().enumerate() {
            below[index] = index == top || segment.above.is_some_and(|above| below[above]);
        }
        below
    }
}

/// Joints that a human's parts begin in; empty where there are too few for one.
fn human_parts(skeleton: &Skeleton, human: &Human) -> Vec<(JointIndex, Option<BodyPart>)> {
    let mut tops: Vec<(JointIndex, Option<BodyPart>)> = Vec::new();
    let Some(hips) = human.first(Role::Hips) else {
        return tops;
    };
    for part in BodyPart::all() {
        let joint = part.joint(human);
        let joint = joint.filter(|joint| *joint == hips || skeleton.descends(*joint, hips));
        if let Some(joint) = joint
            && tops.iter().all(|top| top.0 != joint)
        {
            tops.push((joint, Some(part)));
        }
    }
    // Hips and two legs are the least.
    if tops.len() < 5 { Vec::new() } else { tops }
}

/// Joints of the longest bones below the carrier, those of no length left out.
fn long_bones(skeleton: &Skeleton) -> Vec<JointIndex> {
    let least_m = LEAST_BONE * skeleton.rest_height_m().max(largest_m(skeleton));
    let mut bones: Vec<(f32, JointIndex)> = (0..skeleton.len())
        .map(|joint| (bone_m(skeleton, joint), joint as JointIndex))
        .filter(|(length_m, _)| *length_m >= least_m)
        .collect();
    bones.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    bones.truncate(MOST_BODIES);
    bones.into_iter().map(|(_, joint)| joint).collect()
}

/// From a joint to the farthest of what follows it.
pub(super) fn bone_m(skeleton: &Skeleton, joint: usize) -> f32 {
    let children = skeleton.children(joint as JointIndex);
    let rest = skeleton.rest().joints();
    let lengths = children.map(|child| rest[usize::from(child)].translation.length());
    lengths.fold(skeleton.joints()[joint].tip.length(), f32::max)
}

fn largest_m(skeleton: &Skeleton) -> f32 {
    let model = skeleton.rest_model();
    let reach = model.joints().iter().map(|it| it.translation.length());
    reach.fold(0.0, f32::max)
}
