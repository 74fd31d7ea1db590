//! Joints by the words of a script: their own names, or the parts they play.

use crate::{
    humanoid::{Human, Role},
    skeleton::{JointIndex, Skeleton},
};

/// The joint of a name, or of a part such as `left_hand`, `head` or
/// `right_foot`. An underscore stands for a blank: words of a script have none.
#[must_use]
pub fn find_joint(skeleton: &Skeleton, word: &str) -> Option<JointIndex> {
    let spaced = word.replace('_', " ");
    let exact = skeleton.find(word).or_else(|| skeleton.find(&spaced));
    exact.or_else(|| {
        let role = Role::all().find(|role| role.to_string().eq_ignore_ascii_case(&spaced))?;
        Human::find(skeleton).first(role)
    })
}

/// Joints below the head that are named after eyes.
pub(super) fn eyes(skeleton: &Skeleton, head: JointIndex) -> Vec<JointIndex> {
    let is_eye = |joint: &JointIndex| {
        let name = skeleton.joints()[usize::from(*joint)].name.to_lowercase();
        let other = [
            "brow", "lid", "lash", "end", "_top", "nub", "ctrl", "target",
        ];
        name.contains("eye") && !other.iter().any(|word| name.contains(word))
    };
    skeleton.below(head).filter(is_eye).collect()
}
