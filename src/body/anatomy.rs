//! Which joint plays which part of a human body, found by name.
//!
//! Names follow three families: CMU's (lhumerus), the usual BVH ones
//! (LeftForeArm, also with a `mixamorig:` prefix) and those by joint
//! (LeftElbow). What lies between the named joints (clavicles, vertebrae, hip
//! links) is read off the hierarchy, so its spelling does not matter.

use glam::{Mat3A, Quat, Vec3A};

use crate::skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton};

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
}

/// Left or right leg.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leg {
    /// Joints from the hips to the thigh, both left out.
    pub link: Vec<JointIndex>,
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
}

impl Anatomy {
    /// `None` when a limb or the head is missing, or hangs in the wrong place.
    pub fn find(skeleton: &Skeleton) -> Option<Self> {
        let names = Names::new(skeleton);
        let upper = names.pair(&["humerus", "upperarm", "uparm", "arm", "shldr", "shoulder"])?;
        let fore = names.pair(&["radius", "forearm", "lowerarm", "lowarm", "elbow"])?;
        let hand = names.pair(&["hand", "wrist"])?;
        let thigh = names.pair(&["femur", "upleg", "upperleg", "thigh", "hip"])?;
        let shin = names.pair(&["tibia", "leg", "lowleg", "lowerleg", "shin", "calf", "knee"])?;
        let foot = names.pair(&["foot", "ankle"])?;
        let head = names.find("head")?;
        let chest = common_ancestor(skeleton, upper[0], upper[1])?;
        let hips = common_ancestor(skeleton, thigh[0], thigh[1])?;
        let arm = |side: usize| {
            let mut forearm = vec![fore[side]];
            forearm.extend(between(skeleton, fore[side], hand[side])?);
            descends(skeleton, fore[side], upper[side]).then_some(())?;
            let thumb = names.side(side, &["thumb", "handthumb", "thumb1", "handthumb1"]);
            let fingers = below(skeleton, hand[side]).filter(|&joint| {
                !thumb.is_some_and(|thumb| joint == thumb || descends(skeleton, joint, thumb))
            });
            Some(Arm {
                clavicle: between(skeleton, chest, upper[side])?,
                upper: upper[side],
                fore: forearm,
                hand: hand[side],
                fingers: fingers.collect(),
                thumb,
            })
        };
        let leg = |side: usize| {
            descends(skeleton, foot[side], shin[side]).then_some(())?;
            descends(skeleton, shin[side], thigh[side]).then_some(())?;
            Some(Leg {
                link: between(skeleton, hips, thigh[side])?,
                thigh: thigh[side],
                shin: shin[side],
                foot: foot[side],
                toes: names.side(side, &["toes", "toebase", "toe"]),
            })
        };
        let mut spine = vec![hips];
        if chest != hips {
            spine.extend(between(skeleton, hips, chest)?);
            spine.push(chest);
        }
        Some(Self {
            spine,
            neck: between(skeleton, chest, head)?,
            head,
            arms: [arm(0)?, arm(1)?],
            legs: [leg(0)?, leg(1)?],
        })
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
        let at = |joint: JointIndex| pose.joints()[usize::from(joint)].translation;
        let [left, right] = [0, 1].map(|side| at(self.legs[side].thigh));
        let shoulders = (at(self.arms[0].upper) + at(self.arms[1].upper)) / 2.0;
        let up = (shoulders - (left + right) / 2.0).normalize_or(Vec3A::Y);
        let across = left - right;
        let across = (across - up * across.dot(up)).normalize_or(Vec3A::X);
        Quat::from_mat3a(&Mat3A::from_cols(across, up, across.cross(up))).normalize()
    }
}

/// Horizontal unit vector a human looks along in `pose`, found from hips and
/// shoulders; `None` for other creatures or a body that lies.
#[must_use]
pub fn facing(skeleton: &Skeleton, pose: &ModelPose) -> Option<glam::Vec3> {
    let forward = Anatomy::find(skeleton)?.frame(pose) * glam::Vec3::Z;
    let level = glam::Vec3::new(forward.x, 0.0, forward.z);
    (level.length() > 0.3).then(|| level.normalize())
}

/// Names brought to one spelling: lower case, no prefix, no separators.
struct Names(Vec<String>);

impl Names {
    fn new(skeleton: &Skeleton) -> Self {
        let plain = |name: &str| {
            let name = name.rsplit(':').next().unwrap_or(name);
            name.chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect()
        };
        Self(skeleton.joints().iter().map(|j| plain(&j.name)).collect())
    }

    fn find(&self, name: &str) -> Option<JointIndex> {
        let index = self.0.iter().position(|own| own == name)?;
        Some(index as JointIndex)
    }

    fn side(&self, side: usize, parts: &[&str]) -> Option<JointIndex> {
        let prefixes = [["left", "l"], ["right", "r"]][side];
        parts.iter().find_map(|part| {
            prefixes
                .iter()
                .find_map(|prefix| self.find(&format!("{prefix}{part}")))
        })
    }

    fn pair(&self, parts: &[&str]) -> Option<[JointIndex; 2]> {
        // Both sides must use the same word: LeftArm never pairs with RightShoulder.
        parts.iter().find_map(|part| {
            let left = self.side(0, &[part])?;
            Some([left, self.side(1, &[part])?])
        })
    }
}

fn ancestors(skeleton: &Skeleton, joint: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
    let parent = |&joint: &JointIndex| {
        let parent = skeleton.parents()[usize::from(joint)];
        (parent != NO_PARENT).then_some(parent)
    };
    std::iter::successors(parent(&joint), parent)
}

fn descends(skeleton: &Skeleton, joint: JointIndex, from: JointIndex) -> bool {
    ancestors(skeleton, joint).any(|ancestor| ancestor == from)
}

pub(super) fn below(skeleton: &Skeleton, top: JointIndex) -> impl Iterator<Item = JointIndex> + '_ {
    (0..skeleton.len() as JointIndex).filter(move |&joint| descends(skeleton, joint, top))
}

fn common_ancestor(skeleton: &Skeleton, a: JointIndex, b: JointIndex) -> Option<JointIndex> {
    ancestors(skeleton, a).find(|&joint| descends(skeleton, b, joint))
}

/// Joints strictly between an ancestor and its descendant, top first.
fn between(skeleton: &Skeleton, top: JointIndex, end: JointIndex) -> Option<Vec<JointIndex>> {
    descends(skeleton, end, top).then_some(())?;
    let mut path: Vec<_> = ancestors(skeleton, end)
        .take_while(|&joint| joint != top)
        .collect();
    path.reverse();
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::testing::{cmu_like, quadruped};

    #[test]
    fn a_cmu_skeleton_reads_as_a_human() {
        let skeleton = cmu_like();
        let found = Anatomy::find(&skeleton).unwrap();
        let name = |joint: JointIndex| skeleton.joints()[usize::from(joint)].name.as_str();
        assert_eq!(name(found.spine[0]), "root");
        assert_eq!(name(*found.spine.last().unwrap()), "thorax");
        assert_eq!(found.neck.len(), 2);
        let fore: Vec<_> = found.arms[0].fore.iter().map(|&j| name(j)).collect();
        assert_eq!(fore, ["lradius", "lwrist"]);
        assert_eq!(name(found.arms[1].clavicle[0]), "rclavicle");
        assert_eq!(name(found.legs[0].link[0]), "lhipjoint");
        assert_eq!(found.arms[0].fingers.len(), 1);
        let forward = found.frame(&skeleton.rest_model()) * Vec3A::Z;
        assert!(forward.z > 0.95, "{forward}");
    }

    #[test]
    fn a_quadruped_does_not() {
        assert_eq!(Anatomy::find(&quadruped()), None);
    }
}
