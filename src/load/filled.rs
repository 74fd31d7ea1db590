//! Whoever is opened, under the keyboard: the file's own clips where their
//! names say what they are, the performer's on its skeleton for the rest.

use super::{LoadError, LoadOptions, performer, performer_clips};
use crate::{
    animator::{AnimatorClip, ClipSet},
    clip::RawClip,
    retarget::{JointMap, retarget},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Joints of the performer that whoever plays its clips must have.
const LEGS: [&str; 4] = ["lfemur", "ltibia", "rfemur", "rtibia"];

/// The cosine of the most that an upright spine leans.
const UPRIGHT: f32 = 0.6;

/// Fills what `wanted` names and `clips` lack. Somebody who is no human, whom
/// the performer's clips do not fit, stands in one of the clips that are `left`,
/// or as at rest. True when any of the performer's clips is taken.
pub fn fill(
    skeleton: &Skeleton,
    wanted: &[&str],
    clips: &mut ClipSet,
    left: &mut Vec<AnimatorClip>,
) -> Result<bool, LoadError> {
    let mut borrowed = false;
    let source = performer()?.imported.skeleton;
    let map = JointMap::between(&source, skeleton);
    let is_human = LEGS.iter().all(|joint| part(&map, joint).is_some());
    let seen = clips.values().chain(left.iter());
    if is_human && stands_upright(skeleton, &map, seen) {
        for motion in performer_clips(LoadOptions::default())? {
            let name = motion.name.as_str();
            if wanted.contains(&name)
                && !clips.contains_key(name)
                && let Ok(clip) = retarget(&source, motion.raw(), skeleton, &map)
            {
                clips.insert(name.to_owned(), clip.into());
                borrowed = true;
            }
        }
    }
    if let Some(&first) = wanted.first()
        && !clips.contains_key(first)
    {
        let stands = match left.is_empty() {
            true => at_rest(skeleton).into(),
            false => left.remove(0),
        };
        clips.insert(first.to_owned(), stands);
    }
    Ok(borrowed)
}

/// What the target calls a joint of the performer.
fn part<'a>(map: &'a JointMap, joint: &str) -> Option<&'a str> {
    let mut links = map.links.iter();
    let link = links.find(|link| link.from.iter().any(|from| from == joint))?;
    link.to.first().map(String::as_str)
}

/// Whether the head is above the hips rather than ahead of them, at rest or in
/// any of some clips: names alone take a fox for a human on all fours.
fn stands_upright<'a>(
    skeleton: &Skeleton,
    map: &JointMap,
    mut clips: impl Iterator<Item = &'a AnimatorClip>,
) -> bool {
    let joint = |name| skeleton.find(part(map, name)?);
    let (Some(hips), Some(head)) = (joint("root"), joint("head")) else {
        return true;
    };
    let upright = |model: &ModelPose| {
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        let spine = at(head) - at(hips);
        spine.y > UPRIGHT * spine.length()
    };
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    upright(&skeleton.rest_model())
        || clips.any(|clip| {
            let frames = clip.frames();
            frames.frame_pose(skeleton, frames.frames() / 2, &mut local);
            model.compute(skeleton, &local);
            upright(&model)
        })
}

/// A second of standing as the file has it at rest.
fn at_rest(skeleton: &Skeleton) -> RawClip {
    let rest = skeleton.rest().clone();
    RawClip::from_poses("rest", skeleton, 30.0, &vec![rest; 31])
}
