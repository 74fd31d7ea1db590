//! A human found by shape, where names say nothing: two legs, two arms, a head
//! over a trunk that stands.
//!
//! Limbs are pairs of branches of one joint with the same bone lengths, which
//! hold in any pose; the rest pose decides which pair is the legs (it reaches
//! lowest), whether the trunk stands, and, where names tell no side, left and
//! right by where the feet point. Limit: a limb with joints that only twist
//! between hip and knee is not seen through.

use glam::Vec3A;

use super::{names::Names, role::Side};
use crate::skeleton::{JointIndex, Skeleton};

/// The joints of an arm or leg, from the trunk outward. `upper` and `lower`
/// are the two long bones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LimbJoints {
    pub upper: JointIndex,
    pub lower: JointIndex,
    pub end: Option<JointIndex>,
    pub beyond: Option<JointIndex>,
}

/// Left first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LimbLayout {
    pub legs: [LimbJoints; 2],
    pub arms: Option<[LimbJoints; 2]>,
    pub head: Option<JointIndex>,
}

/// Lengths that two sides of a body may differ by.
const LIKE_FRACTION: f32 = 0.2;
/// Least length of a leg, of an arm, as shares of the rest pose's height.
const LEG_FRACTION: f32 = 0.25;
const ARM_FRACTION: f32 = 0.15;
/// Bones of a limb, and branches of a joint, that are looked at: a star of
/// thousands of branches would have millions of pairs.
const MOST_BONES: usize = 64;
const MOST_BRANCHES: usize = 64;

struct RestBones<'a> {
    skeleton: &'a Skeleton,
    at: Vec<Vec3A>,
    ends: Vec<Vec3A>,
    /// Length of the longest way down from a joint.
    reach: Vec<f32>,
    children: Vec<Vec<JointIndex>>,
}

/// Two branches of `from`.
struct Pair {
    from: JointIndex,
    tops: [JointIndex; 2],
    reach: f32,
    /// Mean height of the two ends.
    low: f32,
}

/// One branch of a joint.
struct Branch {
    top: JointIndex,
    /// Of its bones, one after the other, the way from the joint first.
    lengths: Vec<f32>,
    reach: f32,
    end_y: f32,
}

impl Branch {
    fn new(bones: &RestBones<'_>, from: usize, top: JointIndex) -> Self {
        let mut points = vec![bones.at[from]];
        points.extend(bones.points(&bones.path(top)));
        let lengths = points.windows(2).map(|bone| (bone[1] - bone[0]).length());
        Self {
            top,
            lengths: lengths.collect(),
            reach: bones.reach[usize::from(top)],
            end_y: points.last().map_or(0.0, |point| point.y),
        }
    }

    /// Same bones, one after the other, and as far from where they branch.
    fn is_like(&self, other: &Self) -> bool {
        let whole: f32 = self.lengths.iter().sum();
        // A fifth of the bone, and a little of the whole limb for the short ones
        // at its end, whose lengths are mostly noise.
        let like = |(a, b): (&f32, &f32)| (a - b).abs() < LIKE_FRACTION * a.max(*b) + 0.03 * whole;
        let mut bones = self.lengths.iter().zip(&other.lengths);
        self.lengths.len() == other.lengths.len() && bones.all(like)
    }
}

impl LimbLayout {
    /// `None` when no two branches can be legs, or the body does not stand.
    pub fn find(skeleton: &Skeleton, names: &Names) -> Option<Self> {
        let bones = RestBones::new(skeleton);
        let height = skeleton.rest_height_m();
        let pairs = bones.pairs();
        // Of all pairs of long branches the legs are those that end lowest, the
        // arms the longest of those above.
        let legs = pairs
            .iter()
            .filter(|pair| pair.reach > LEG_FRACTION * height)
            .min_by(|a, b| a.low.total_cmp(&b.low))?;
        let arms = pairs
            .iter()
            .filter(|pair| pair.reach > ARM_FRACTION * height && bones.is_above(pair, legs))
            .max_by(|a, b| a.reach.total_cmp(&b.reach));
        if arms.is_some_and(|arms| bones.stands_on_arms(arms, legs, height)) {
            return None;
        }
        let branches = |pair: &Pair| {
            let [a, b] = pair.tops.map(|top| bones.branch(top));
            Some([a?, b?])
        };
        let leg_branches = branches(legs)?;
        let left = bones.left(&leg_branches);
        Some(Self {
            legs: bones.sorted(leg_branches, names, left),
            arms: arms
                .and_then(branches)
                .map(|arms| bones.sorted(arms, names, left)),
            head: bones.head(arms, legs.from, names),
        })
    }
}

impl<'a> RestBones<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        let rest = skeleton.rest_model();
        let at: Vec<Vec3A> = rest
            .joints()
            .iter()
            .map(|joint| joint.translation)
            .collect();
        let count = skeleton.len();
        let ends: Vec<Vec3A> = (0..count).map(|j| rest.bone_end(skeleton, j)).collect();
        let mut children: Vec<Vec<JointIndex>> = vec![Vec::new(); count];
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            if let Some(siblings) = children.get_mut(usize::from(parent)) {
                siblings.push(joint as JointIndex);
            }
        }
        let mut reach = vec![0.0f32; count];
        // Children come after their parents: backwards, theirs is known first.
        for joint in (0..count).rev() {
            let own = (ends[joint] - at[joint]).length();
            let below = children[joint].iter().map(|&child| {
                let child = usize::from(child);
                (at[child] - at[joint]).length() + reach[child]
            });
            reach[joint] = below.fold(own, f32::max);
        }
        Self {
            skeleton,
            at,
            ends,
            reach,
            children,
        }
    }

    /// The longest way down from a joint, itself first.
    fn path(&self, top: JointIndex) -> Vec<JointIndex> {
        let longest = |joint: &JointIndex| {
            let from = self.at[usize::from(*joint)];
            let length = |child: &JointIndex| {
                let child = usize::from(*child);
                (self.at[child] - from).length() + self.reach[child]
            };
            let children = self.children[usize::from(*joint)].iter().copied();
            children.max_by(|a, b| length(a).total_cmp(&length(b)))
        };
        let path = std::iter::successors(Some(top), longest);
        path.take(MOST_BONES).collect()
    }

    /// Points along a path, the end of its last bone included.
    fn points(&self, path: &[JointIndex]) -> Vec<Vec3A> {
        let mut points: Vec<Vec3A> = path.iter().map(|&j| self.at[usize::from(j)]).collect();
        if let (Some(&last), Some(&joint)) = (path.last(), points.last()) {
            let end = self.ends[usize::from(last)];
            if (end - joint).length() > 1e-4 {
                points.push(end);
            }
        }
        points
    }

    fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (from, children) in self.children.iter().enumerate() {
            let branches = self.branches(from, children);
            for (i, a) in branches.iter().enumerate() {
                let alike = branches[i + 1..].iter().filter(|b| a.is_like(b));
                pairs.extend(alike.map(|b| Pair {
                    from: from as JointIndex,
                    tops: [a.top, b.top],
                    reach: a.reach.min(b.reach),
                    low: (a.end_y + b.end_y) / 2.0,
                }));
            }
        }
        pairs
    }

    /// The branches of a joint that could be limbs, in the order of the file;
    /// of very many the longest.
    fn branches(&self, from: usize, children: &[JointIndex]) -> Vec<Branch> {
        // A joint without a second branch has no pair.
        if children.len() < 2 {
            return Vec::new();
        }
        let mut tops = children.to_vec();
        if tops.len() > MOST_BRANCHES {
            let reach = |top: &JointIndex| self.reach[usize::from(*top)];
            tops.sort_by(|a, b| reach(b).total_cmp(&reach(a)));
            tops.truncate(MOST_BRANCHES);
            tops.sort_unstable();
        }
        let branches = tops.iter().map(|&top| Branch::new(self, from, top));
        // Three bones: less is a tail, a strand of hair or a pair of eyes.
        branches.filter(|it| it.lengths.len() >= 3).collect()
    }

    /// Arms branch off above where legs do.
    fn is_above(&self, arms: &Pair, legs: &Pair) -> bool {
        let same = arms.from == legs.from;
        // The same pair is no second one; toes hang inside a leg.
        let apart = arms.tops.iter().all(|top| !legs.tops.contains(top));
        let above = self.skeleton.descends(arms.from, legs.from);
        let inside_leg = legs
            .tops
            .iter()
            .any(|&leg| arms.from == leg || self.skeleton.descends(arms.from, leg));
        apart && !inside_leg && (same || above)
    }

    /// What stands on all its limbs, or lies, is no human.
    fn stands_on_arms(&self, arms: &Pair, legs: &Pair, height: f32) -> bool {
        let rise = self.at[usize::from(arms.from)] - self.at[usize::from(legs.from)];
        // A trunk less than 45° from level.
        let lies = rise.y < Vec3A::new(rise.x, 0.0, rise.z).length();
        lies || arms.low < legs.low + 0.1 * height
    }

    /// The two longest bones in a row that can be an upper and a lower one, and
    /// what follows.
    fn branch(&self, top: JointIndex) -> Option<LimbJoints> {
        let path = self.path(top);
        let points = self.points(&path);
        let bones: Vec<f32> = points
            .windows(2)
            .map(|bone| (bone[1] - bone[0]).length())
            .collect();
        // A clavicle is much shorter than the bone after it; a thigh is not, and
        // a forearm may be cut by a joint that twists.
        let both = |i: &usize| bones[*i] + bones[*i + 1];
        let is_upper = |i: &usize| {
            let ratio = bones[*i] / bones[*i + 1].max(1e-6);
            // People's upper arm and thigh are 1.0 to 1.3 times what follows, their
            // clavicle 0.6 to 0.7 of it: a close call, since limbs vary too.
            (0.68..2.5).contains(&ratio)
        };
        let upper = (0..bones.len().checked_sub(1)?)
            .filter(is_upper)
            .max_by(|a, b| both(a).total_cmp(&both(b)))?;
        Some(LimbJoints {
            upper: path[upper],
            lower: *path.get(upper + 1)?,
            end: path.get(upper + 2).copied(),
            beyond: path.get(upper + 3).copied(),
        })
    }

    /// The body's left, from where the feet point; +X when they do not say.
    fn left(&self, legs: &[LimbJoints; 2]) -> Vec3A {
        let toe = |leg: &LimbJoints| {
            let foot = leg.end?;
            let tip = leg.beyond.map(|toe| self.at[usize::from(toe)]);
            let tip = tip.unwrap_or(self.ends[usize::from(foot)]);
            let along = tip - self.at[usize::from(foot)];
            Some(Vec3A::new(along.x, 0.0, along.z))
        };
        let forward: Vec3A = legs.iter().filter_map(toe).sum();
        // Up × forward is left in a right-handed space.
        Vec3A::Y.cross(forward.normalize_or(Vec3A::Z))
    }

    fn sorted(&self, [a, b]: [LimbJoints; 2], names: &Names, left: Vec3A) -> [LimbJoints; 2] {
        let named = (names.side_of(a.upper), names.side_of(b.upper));
        let a_is_left = match named {
            // Names decide where they tell, even against the feet.
            (Some(a), Some(b)) if a != b => a == Side::Left,
            _ => {
                let across = self.at[usize::from(a.upper)] - self.at[usize::from(b.upper)];
                across.dot(left) > 0.0
            }
        };
        if a_is_left { [a, b] } else { [b, a] }
    }

    /// A neck has no like beside it; a spider's raised leg has.
    fn has_a_like(&self, chest: JointIndex, neck: JointIndex) -> bool {
        let chest = usize::from(chest);
        let branches = self.branches(chest, &self.children[chest]);
        let own = branches.iter().find(|it| it.top == neck);
        own.is_some_and(|own| branches.iter().any(|it| it.top != neck && own.is_like(it)))
    }

    /// The end of the branch that rises highest from where the arms hang.
    fn head(&self, arms: Option<&Pair>, hips: JointIndex, names: &Names) -> Option<JointIndex> {
        let chest = arms.map_or(hips, |pair| pair.from);
        let arm_tops = arms.map_or([chest; 2], |pair| pair.tops);
        let top_y = |child: &JointIndex| {
            let points = self.points(&self.path(*child));
            points.iter().map(|p| p.y).fold(f32::MIN, f32::max)
        };
        let branches = self.children[usize::from(chest)].iter().copied();
        let mut head = branches
            .filter(|child| !arm_tops.contains(child))
            .max_by(|a, b| top_y(a).total_cmp(&top_y(b)))?;
        if top_y(&head) < self.at[usize::from(chest)].y || self.has_a_like(chest, head) {
            return None;
        }
        // Up the neck, as far as it does not fork into a face.
        while let [only] = self.children[usize::from(head)][..] {
            if names.is_helper(only) {
                break;
            }
            head = only;
        }
        Some(head)
    }
}
