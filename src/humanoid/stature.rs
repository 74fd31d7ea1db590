//! How tall somebody stands, from the lengths of the bones.
//!
//! A rest pose may splay its legs, sit, lie or be a stack of bones; lengths are
//! the same in all of them. Segments are added from the sole to the crown:
//! ankle height, shank, thigh, hip joints to spine, spine, neck, head.

use glam::Vec3A;

use super::{Human, Limb, Names, Role, Side};
use crate::skeleton::{JointIndex, ModelPose, Skeleton};

/// Height of the ankle joint over the sole as a share of the whole: Drillis and
/// Contini, *Body Segment Parameters* (1966). How a foot's bone slopes depends
/// on the rest pose.
const ANKLE_FRACTION: f32 = 0.039;
/// Half the distance of the hip joints as a share of the leg.
const HALF_HIPS: f32 = 0.1;
/// Joints further apart than this share of the leg are not in one place.
const FIXED: f32 = 0.01;
/// A head without an end of its own ends in what hangs from it (eyes, jaw,
/// hair), yet is no longer than this share of the rest: 0.13 in Drillis and
/// Contini, from chin to crown.
const LONGEST_HEAD: f32 = 0.2;

/// Shoulder to wrist, and hip to ankle, as shares of the height: Drillis and
/// Contini again.
const ARM_FRACTION: f32 = 0.186 + 0.146;
const LEG_FRACTION: f32 = 0.530 - ANKLE_FRACTION;

/// Arms of this share of the legs are forelegs: a person's are 0.75.
const FORELEGS: f32 = 0.95;

/// How tall a skeleton is, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stature {
    /// Metres.
    pub height_m: f32,
    /// What it is taken from.
    pub from: StatureSource,
}

/// What a height is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatureSource {
    /// A person's bones, from the sole to the top of the head.
    Bones,
    /// The same as far as the head's joint: the file leaves the head out.
    BonesToHead,
    /// The extent of the rest pose: nobody was found who stands.
    RestPose,
}

impl StatureSource {
    /// As tables and panels tell it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Bones => "bones",
            Self::BonesToHead => "bones without head",
            Self::RestPose => "rest pose",
        }
    }
}

impl Stature {
    /// From the bones of a human, or the extent of the rest pose of others.
    #[must_use]
    pub fn of(skeleton: &Skeleton) -> Self {
        let bones = Bones {
            skeleton,
            human: &Human::find(skeleton),
            rest: skeleton.rest_model(),
        };
        bones.stature().unwrap_or_else(|| Self {
            height_m: skeleton.rest_height_m(),
            from: StatureSource::RestPose,
        })
    }

    /// From the bones of somebody who is known, whatever the rest pose; `None`
    /// without two legs, a trunk and a head.
    #[must_use]
    pub fn of_human(skeleton: &Skeleton, human: &Human) -> Option<Self> {
        let rest = skeleton.rest_model();
        let bones = Bones {
            skeleton,
            human,
            rest,
        };
        bones.stature()
    }

    /// How tall whoever these limbs belong to would stand, in metres, where a
    /// capture holds the arms or the legs of a person alone.
    #[must_use]
    pub fn of_half_a_body(skeleton: &Skeleton) -> Option<f32> {
        let bones = Bones {
            skeleton,
            // By shape any two long bones are a limb.
            human: &Human::by_names(skeleton),
            rest: skeleton.rest_model(),
        };
        match (bones.arm_m(), bones.leg_m(Side::Left)) {
            (Some(arm_m), None) => Some(arm_m / ARM_FRACTION),
            (None, Some(leg_m)) => Some(leg_m / LEG_FRACTION),
            _ => None,
        }
    }
}

struct Bones<'a> {
    skeleton: &'a Skeleton,
    human: &'a Human,
    rest: ModelPose,
}

impl Bones<'_> {
    /// Of somebody who stands straight; `None` without two legs, a trunk and a
    /// head, or on four legs.
    fn stature(&self) -> Option<Stature> {
        let [left, right] = Side::BOTH.map(|side| self.leg_m(side));
        let leg = (left? + right?) / 2.0;
        if self.arm_m().is_some_and(|arm| arm > FORELEGS * leg) {
            return None;
        }
        let trunk = self.trunk_m(leg)?;
        let head = self.head_m()?.min(LONGEST_HEAD * (leg + trunk));
        let height_m = (leg + trunk + head) / (1.0 - ANKLE_FRACTION);
        let from = match head > 0.01 * height_m {
            true => StatureSource::Bones,
            false => StatureSource::BonesToHead,
        };
        let known = height_m.is_finite() && height_m > 0.0;
        known.then_some(Stature { height_m, from })
    }

    /// Shoulder to wrist.
    fn arm_m(&self) -> Option<f32> {
        let first = |limb| self.human.first(Side::Left.role(limb));
        self.way_m(first(Limb::UpperArm)?, first(Limb::Hand)?)
    }

    fn at(&self, joint: JointIndex) -> Vec3A {
        self.rest.joints()[usize::from(joint)].translation
    }

    /// Bone after bone: what turns in between does not count.
    fn way_m(&self, from: JointIndex, to: JointIndex) -> Option<f32> {
        (from == to || self.skeleton.descends(to, from)).then_some(())?;
        let way = [to].into_iter().chain(self.skeleton.ancestors(to));
        let way = way.take_while(|&it| it != from);
        let parent = |joint: JointIndex| self.skeleton.parents()[usize::from(joint)];
        let bone = |joint| self.at(joint).distance(self.at(parent(joint)));
        Some(way.map(bone).sum())
    }

    /// Hip to ankle.
    fn leg_m(&self, side: Side) -> Option<f32> {
        let first = |limb| self.human.first(side.role(limb));
        let (hip, knee) = (first(Limb::Thigh)?, first(Limb::Shin)?);
        let thigh = self.way_m(hip, knee)?;
        let shank = first(Limb::Foot).and_then(|ankle| self.way_m(knee, ankle));
        // Feet may hang from an IK handle, or be left out.
        Some(thigh + shank.unwrap_or_else(|| self.bone_m(knee)))
    }

    fn bone_m(&self, joint: JointIndex) -> f32 {
        let end = self.rest.bone_end(self.skeleton, usize::from(joint));
        self.at(joint).distance(end)
    }

    /// From between the hip joints to the head's joint.
    fn trunk_m(&self, leg_m: f32) -> Option<f32> {
        let hips = self.human.first(Role::Hips)?;
        let head = self.human.first(Role::Head)?;
        // Some rigs hang legs and trunk from a joint beside both.
        let pelvis = match self.skeleton.descends(head, hips) {
            true => hips,
            false => self.skeleton.common_ancestor(hips, head)?,
        };
        let vertebra = self.child_towards(pelvis, head)?;
        Some(self.pelvis_m(pelvis, vertebra, leg_m)? + self.way_m(vertebra, head)?)
    }

    /// From between the hip joints to the first vertebra.
    fn pelvis_m(&self, pelvis: JointIndex, vertebra: JointIndex, leg_m: f32) -> Option<f32> {
        let [left, right] = Side::BOTH.map(|side| self.human.first(side.role(Limb::Thigh)));
        let thighs = [left?, right?];
        let hung = thighs.map(|thigh| self.child_towards(pelvis, thigh));
        let (left, right) = (hung[0]?, hung[1]?);
        let below_m = (self.way_m(left, thighs[0])? + self.way_m(right, thighs[1])?) / 2.0;
        let to_left = self.at(pelvis).distance(self.at(left));
        if to_left > FIXED * leg_m {
            // Fixed to the pelvis as the vertebra is, whose own joint may lie
            // anywhere beside the way between them.
            let between = (self.at(left) + self.at(right)) / 2.0;
            return Some(between.distance(self.at(vertebra)) + below_m);
        }
        // Joints that start in the pelvis' own may be turned in any rest pose:
        // of what leads aside, the usual width is left out.
        let aside_m = HALF_HIPS * leg_m;
        let drop_m = (below_m * below_m - aside_m * aside_m).max(0.0).sqrt();
        Some(self.at(pelvis).distance(self.at(vertebra)) + drop_m)
    }

    fn child_towards(&self, from: JointIndex, to: JointIndex) -> Option<JointIndex> {
        let between = self.skeleton.between(from, to)?;
        Some(between.first().copied().unwrap_or(to))
    }

    /// The head's joint to its top.
    fn head_m(&self) -> Option<f32> {
        let head = self.human.first(Role::Head)?;
        let names = Names::of(self.skeleton);
        let below: Vec<_> = self.skeleton.children(head).collect();
        let is_top = |&&it: &&JointIndex| {
            let name = &self.skeleton.joints()[usize::from(it)].name;
            names.is_helper(it) && Side::of_name(name).is_none()
        };
        if let Some(&top) = below.iter().find(is_top) {
            return Some(self.at(head).distance(self.at(top)));
        }
        if below.len() < 2 {
            return Some(self.bone_m(head));
        }
        // Eyes and jaws lie ahead as much as above.
        let middle = below.iter().map(|&it| self.at(it)).sum::<Vec3A>() / below.len() as f32;
        Some(self.at(head).distance(middle) * std::f32::consts::FRAC_1_SQRT_2)
    }
}
