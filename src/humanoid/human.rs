//! A skeleton read as a human: which joints play which part.
//!
//! Limbs go by name, or by shape where names fail; what lies between them
//! (vertebrae, clavicles, joints that twist) is read off the hierarchy, so its
//! spelling and number do not matter.

use std::collections::BTreeMap;

use glam::{Mat3A, Quat, Vec3, Vec3A};

use super::{
    limb_layout::{LimbJoints, LimbLayout},
    names::Names,
    role::{Limb, Role, Side},
};
use crate::skeleton::{JointIndex, NO_PARENT, Skeleton, SpacePose};

/// Joints of every part that was found, trunk side first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Human {
    parts: BTreeMap<Role, Vec<JointIndex>>,
}

/// The joints of one leg. `ball` is where the toes begin: the point that
/// stands longest, from flat foot to push-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegJoints {
    /// Start of the thigh.
    pub hip: JointIndex,
    /// Start of the shin.
    pub knee: JointIndex,
    /// Start of the foot.
    pub ankle: JointIndex,
    /// Start of the toes.
    pub ball: JointIndex,
}

/// Of all bones a person's are at least this share by length: skirts, hair and
/// things in hands are the rest.
const MOST: f32 = 0.65;

/// The joints that decide where everything else is.
#[derive(Default)]
struct Marks {
    legs: Option<[LimbJoints; 2]>,
    arms: Option<[LimbJoints; 2]>,
    head: Option<JointIndex>,
}

impl Human {
    /// By names, and by shape where names fail.
    #[must_use]
    pub fn find(skeleton: &Skeleton) -> Self {
        let names = Names::of(skeleton);
        let mut marks = Marks::by_names(skeleton, &names);
        marks.head = marks.head.or_else(|| marks.end_of_neck(skeleton, &names));
        // Shape fills in only what names leave open: a name is somebody's word,
        // shape is a guess.
        let named = marks.legs.is_some() && marks.arms.is_some() && marks.head.is_some();
        if !named && let Some(layout) = LimbLayout::find(skeleton, &names) {
            // Half a body has no other limbs than those that are named.
            let legs = Some(layout.legs).filter(|it| !share(skeleton, it, &marks.arms));
            let arms = layout.arms.filter(|it| !share(skeleton, it, &marks.legs));
            marks.legs = marks.legs.or(legs);
            marks.arms = marks.arms.or(arms);
            marks.head = marks.head.or(layout.head);
        }
        Self::read(skeleton, &names, &marks)
    }

    /// By names alone.
    #[must_use]
    pub fn by_names(skeleton: &Skeleton) -> Self {
        let names = Names::of(skeleton);
        let marks = Marks::by_names(skeleton, &names);
        Self::read(skeleton, &names, &marks)
    }

    /// From parts that are already known.
    pub(crate) fn of(parts: impl Iterator<Item = (Role, Vec<JointIndex>)>) -> Self {
        let mut human = Self::default();
        parts.for_each(|(role, joints)| human.set(role, joints));
        human
    }

    /// Left and right in each other's place.
    pub(crate) fn mirrored(self) -> Self {
        let parts = self.parts.into_iter();
        Self::of(parts.map(|(role, joints)| (role.mirrored(), joints)))
    }

    /// Joints of a part, trunk side first; empty when there are none.
    #[must_use]
    pub fn part(&self, role: Role) -> &[JointIndex] {
        self.parts.get(&role).map_or(&[], Vec::as_slice)
    }

    /// Every joint of every finger, ascending.
    #[must_use]
    pub fn fingers(&self, skeleton: &Skeleton) -> Vec<JointIndex> {
        let roles = Side::BOTH.into_iter();
        let roles = roles.flat_map(|side| Limb::FINGERS.map(|limb| side.role(limb)));
        let joints = roles.flat_map(|role| self.part(role).to_vec());
        let mut joints: Vec<JointIndex> = joints
            .flat_map(|joint| std::iter::once(joint).chain(skeleton.below(joint)))
            .collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// The joint a part begins in.
    #[must_use]
    pub fn first(&self, role: Role) -> Option<JointIndex> {
        self.part(role).first().copied()
    }

    /// Whether a person is most of what is there: a spider has two legs and two
    /// arms, and four more.
    #[must_use]
    pub fn is_most_of(&self, skeleton: &Skeleton) -> bool {
        let mut own = vec![false; skeleton.len()];
        let ends = [Limb::Hand, Limb::Foot].into_iter();
        let ends = ends.flat_map(|limb| Side::BOTH.map(|side| side.role(limb)));
        let ends: Vec<_> = ends
            .chain([Role::Head])
            .filter_map(|it| self.first(it))
            .collect();
        for joint in self.parts.values().flatten() {
            own[usize::from(*joint)] = true;
        }
        for joint in ends.iter().flat_map(|&end| skeleton.below(end)) {
            own[usize::from(joint)] = true;
        }
        let (mut person_m, mut all_m) = (0.0, 0.0);
        for (joint, own) in skeleton.joints().iter().zip(own) {
            // The way that leads to a joint; where a root is is no part of a body.
            if joint.parent != NO_PARENT {
                let way_m = joint.rest.translation.length();
                all_m += way_m;
                person_m += if own { way_m } else { 0.0 };
            }
        }
        person_m > MOST * all_m
    }

    /// The parts that were found.
    pub fn roles(&self) -> impl Iterator<Item = Role> + '_ {
        self.parts.keys().copied()
    }

    /// Legs that have a ball of the foot, left first: for contacts.
    #[must_use]
    pub fn legs(&self) -> Vec<LegJoints> {
        let leg = |side: Side| {
            let first = |limb| self.first(side.role(limb));
            Some(LegJoints {
                hip: first(Limb::Thigh)?,
                knee: first(Limb::Shin)?,
                ankle: first(Limb::Foot)?,
                ball: first(Limb::Toes)?,
            })
        };
        Side::BOTH.into_iter().filter_map(leg).collect()
    }

    /// Columns left, up, forward of the body as it stands in `pose`, up being
    /// the way from hips to shoulders.
    #[must_use]
    pub fn frame<S>(&self, pose: &SpacePose<S>) -> Option<Quat> {
        let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
        let both = |limb| {
            let [left, right] = Side::BOTH.map(|side| self.first(side.role(limb)).map(at));
            Some([left?, right?])
        };
        let [left, right] = both(Limb::Thigh)?;
        let top = match both(Limb::UpperArm) {
            Some([left, right]) => Some((left + right) / 2.0),
            None => self.first(Role::Head).map(at),
        };
        let up = top.map_or(Vec3A::Y, |top| top - (left + right) / 2.0);
        Some(columns(left - right, up))
    }

    fn read(skeleton: &Skeleton, names: &Names, marks: &Marks) -> Self {
        let mut human = Self::default();
        let chest = human.read_trunk(skeleton, marks);
        for (index, side) in Side::BOTH.into_iter().enumerate() {
            if let Some(legs) = &marks.legs {
                human.read_leg(skeleton, names, side, &legs[index]);
            }
            if let Some(arms) = &marks.arms {
                human.read_arm(skeleton, names, side, &arms[index], chest);
            }
        }
        human
    }

    fn set(&mut self, role: Role, joints: Vec<JointIndex>) {
        if !joints.is_empty() {
            self.parts.insert(role, joints);
        }
    }

    /// Fills hips to head; the joint that the arms hang from.
    fn read_trunk(&mut self, skeleton: &Skeleton, marks: &Marks) -> Option<JointIndex> {
        let fork = |limbs: &Option<[LimbJoints; 2]>| {
            let [a, b] = limbs.as_ref()?;
            skeleton.common_ancestor(a.upper, b.upper)
        };
        // Where limbs meet, not by name: "Hips", "pelvis" and "root" are used for
        // several joints of one rig.
        let (hips, chest) = (fork(&marks.legs), fork(&marks.arms));
        if let Some(hips) = hips {
            self.set(Role::Hips, vec![hips]);
        }
        if let (Some(hips), Some(chest)) = (hips, chest)
            && let Some(mut spine) = skeleton.between(hips, chest)
        {
            spine.push(chest);
            self.set(Role::Spine, spine);
        }
        if let Some(head) = marks.head {
            let neck = chest.and_then(|chest| skeleton.between(chest, head));
            self.set(Role::Neck, neck.unwrap_or_default());
            self.set(Role::Head, vec![head]);
        }
        chest
    }

    fn read_leg(&mut self, skeleton: &Skeleton, names: &Names, side: Side, leg: &LimbJoints) {
        self.set(
            side.role(Limb::Thigh),
            with_links(skeleton, leg.upper, Some(leg.lower)),
        );
        self.set(
            side.role(Limb::Shin),
            with_links(skeleton, leg.lower, leg.end),
        );
        let Some(foot) = leg.end else {
            return;
        };
        self.set(side.role(Limb::Foot), vec![foot]);
        let named = names.one(side, Limb::Toes);
        let below = skeleton.children(foot);
        let mut below = below.filter(|&it| !names.is_helper(it) && !names.is_heel(it));
        let toes = named.or(leg.beyond).or_else(|| below.next());
        if let Some(toes) = toes.filter(|&toes| skeleton.descends(toes, foot)) {
            self.set(side.role(Limb::Toes), vec![toes]);
        }
    }

    fn read_arm(
        &mut self,
        skeleton: &Skeleton,
        names: &Names,
        side: Side,
        arm: &LimbJoints,
        chest: Option<JointIndex>,
    ) {
        let clavicle = chest.and_then(|chest| skeleton.between(chest, arm.upper));
        self.set(side.role(Limb::Clavicle), clavicle.unwrap_or_default());
        self.set(
            side.role(Limb::UpperArm),
            with_links(skeleton, arm.upper, Some(arm.lower)),
        );
        let mut forearm = with_links(skeleton, arm.lower, arm.end);
        let mut hand = hand(skeleton, names, &forearm, arm.end);
        // A wrist that is where the hand is turns the hand, not the forearm.
        while let ([_, .., wrist], Some(&first)) = (forearm.as_slice(), hand.first()) {
            let apart = skeleton.joints()[usize::from(first)].rest.translation;
            if apart.length() > 1e-4 || !skeleton.children(*wrist).any(|it| it == first) {
                break;
            }
            hand.insert(0, *wrist);
            forearm.pop();
        }
        for finger in Limb::FINGERS {
            let below = skeleton.below(arm.lower);
            let joints = below.filter(|&joint| {
                names.is(joint, side, finger) && !names.is_helper(joint) && !hand.contains(&joint)
            });
            self.set(side.role(finger), joints.collect());
        }
        self.set(side.role(Limb::Forearm), forearm);
        self.set(side.role(Limb::Hand), hand);
    }
}

impl Marks {
    fn by_names(skeleton: &Skeleton, names: &Names) -> Self {
        let limb = |upper, lower, end| {
            // Each part takes its joints away from the next: "Leg" is a thigh in one
            // rig and, beside "UpLeg", a shin in another.
            let uppers = names.pair(upper, &[])?;
            let lowers = names.pair(lower, &uppers)?;
            let ends = names.pair(end, &[uppers, lowers].concat());
            // Rigs hang IK feet elsewhere; a hand off its arm is another thing.
            let ends = ends.filter(|ends| {
                let hangs = |side: usize| skeleton.descends(ends[side], lowers[side]);
                end == Limb::Foot || (hangs(0) && hangs(1))
            });
            let branch = |side: usize| {
                skeleton
                    .descends(lowers[side], uppers[side])
                    .then(|| LimbJoints {
                        upper: uppers[side],
                        lower: lowers[side],
                        end: ends.map(|ends| ends[side]),
                        beyond: None,
                    })
            };
            Some([branch(0)?, branch(1)?])
        };
        Self {
            legs: limb(Limb::Thigh, Limb::Shin, Limb::Foot),
            arms: limb(Limb::UpperArm, Limb::Forearm, Limb::Hand),
            head: names.trunk("head"),
        }
    }
}

impl Marks {
    /// Where nothing is called a head: the last joint of the longest branch
    /// that leads on from between the arms.
    fn end_of_neck(&self, skeleton: &Skeleton, names: &Names) -> Option<JointIndex> {
        let [left, right] = self.arms.as_ref()?;
        let chest = skeleton.common_ancestor(left.upper, right.upper)?;
        let arm = |joint: JointIndex| {
            let on = |upper| joint == upper || skeleton.descends(upper, joint);
            on(left.upper) || on(right.upper)
        };
        let mut head = None;
        let mut at = chest;
        loop {
            let on = skeleton
                .children(at)
                .filter(|&it| !arm(it) && !names.is_helper(it));
            let Some(next) = on.max_by_key(|&it| skeleton.below(it).count()) else {
                return head;
            };
            (head, at) = (Some(next), next);
        }
    }
}

/// Whether limbs and others that are known are the same branches.
fn share(skeleton: &Skeleton, limbs: &[LimbJoints; 2], known: &Option<[LimbJoints; 2]>) -> bool {
    let on = |a: JointIndex, b: JointIndex| a == b || skeleton.descends(a, b);
    let one = |a: &LimbJoints, b: &LimbJoints| on(a.upper, b.upper) || on(b.upper, a.upper);
    let mut known = known.iter().flatten();
    known.any(|it| limbs.iter().any(|limb| one(limb, it)))
}

/// A joint and those that lead from it to the next part.
fn with_links(skeleton: &Skeleton, from: JointIndex, to: Option<JointIndex>) -> Vec<JointIndex> {
    let mut joints = vec![from];
    joints.extend(
        to.and_then(|to| skeleton.between(from, to))
            .unwrap_or_default(),
    );
    joints
}

/// The hand; where the forearm forks into a palm of several joints, all of
/// them. A joint that starts where the hand does turns with it (CMU's BVH
/// files split the wrist's angles so).
fn hand(
    skeleton: &Skeleton,
    names: &Names,
    forearm: &[JointIndex],
    hand: Option<JointIndex>,
) -> Vec<JointIndex> {
    if let Some(hand) = hand {
        let same_position = skeleton.children(hand).find(|&child| {
            let offset = skeleton.joints()[usize::from(child)].rest.translation;
            offset.length() < 1e-4 && !names.is_helper(child)
        });
        return [Some(hand), same_position].into_iter().flatten().collect();
    }
    let end = forearm.last().copied().unwrap_or_default();
    let palms = skeleton.children(end).filter(|&child| names.is_palm(child));
    palms.collect()
}

/// A frame with these directions as its left and up columns, up kept.
pub(crate) fn columns(left: Vec3A, up: Vec3A) -> Quat {
    let up = up.normalize_or(Vec3A::Y);
    // Gram and Schmidt, up kept: the trunk is longer than the hips are wide
    // and tells its direction better.
    let left = (left - up * left.dot(up)).normalize_or(up.any_orthonormal_vector());
    Quat::from_mat3a(&Mat3A::from_cols(left, up, left.cross(up))).normalize()
}

/// The joint that goes where the body goes: a human's hips, of others the joint
/// that limbs and trunk branch from, where the root leads to nothing else.
#[must_use]
pub fn carrier(skeleton: &Skeleton) -> JointIndex {
    if let Some(hips) = Human::find(skeleton).first(Role::Hips) {
        return hips;
    }
    let mut at = 0;
    loop {
        let below: Vec<_> = skeleton.children(at).take(BRANCHES_OF_A_BODY).collect();
        match below[..] {
            [only] => at = only,
            // A chain that ends, or forks as a claw does, is held at its root.
            [] | [_, _] => return 0,
            _ => return at,
        }
    }
}

/// Two legs and a trunk.
const BRANCHES_OF_A_BODY: usize = 3;

/// Horizontal unit vector a human looks along in `pose`, found from hips and
/// shoulders; `None` for other creatures or a body that lies.
#[must_use]
pub fn facing<S>(skeleton: &Skeleton, pose: &SpacePose<S>) -> Option<Vec3> {
    let forward = Human::find(skeleton).frame(pose)? * Vec3::Z;
    let level = Vec3::new(forward.x, 0.0, forward.z);
    (level.length() > 0.3).then(|| level.normalize())
}
