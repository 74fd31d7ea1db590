//! Which of the source's turns a target joint makes.

use glam::Quat;

use crate::{
    humanoid::{Limb, Role},
    math::quat::align_sign,
    retarget::map::Resolved,
    skeleton::{JointIndex, NO_PARENT, Skeleton},
};

/// Where a target joint's turn comes from: between two of the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drive {
    from: [JointIndex; 2],
    weight: f32,
}

impl Drive {
    pub fn rotation(self, rotations: &[Quat]) -> Quat {
        let [a, b] = self.from.map(|joint| rotations[usize::from(joint)]);
        match self.weight {
            // Exactly the source's, where joints match one to one.
            1.0 => b,
            weight => a.slerp(align_sign(b, a), weight),
        }
    }
}

/// A part's turn goes to its joints by their depth. Along the trunk and the
/// fingers it is spread, the source's parent standing before the first; a limb
/// bends in its first joint, and those after it only twist. The last of the one
/// always turns as the last of the other.
pub(super) fn drives(
    source: &Skeleton,
    target: &Skeleton,
    links: &[Resolved],
) -> Vec<Option<Drive>> {
    let mut drives = vec![None; target.len()];
    for link in links.iter().filter(|link| !link.from.is_empty()) {
        let depth = |joint: JointIndex| {
            let above = link.to.iter().filter(|&&of| target.descends(joint, of));
            above.count() + 1
        };
        let deepest = link.to.iter().map(|&joint| depth(joint)).max().unwrap_or(1);
        let first = link.from[0];
        // A chain spreads what lies between its parent and its end: the parent
        // is its zeroth joint.
        let before = match source.parents()[usize::from(first)] {
            NO_PARENT => first,
            parent => parent,
        };
        let chain: Vec<JointIndex> = [before]
            .into_iter()
            .chain(link.from.iter().copied())
            .collect();
        let count = link.from.len() as f32;
        let bends_first = link
            .role
            .and_then(Role::limb)
            .is_some_and(Limb::bends_first);
        for &joint in &link.to {
            let along = match (bends_first, deepest) {
                // The elbow bends in the first joint; twist joints go on from there to
                // the last in even parts.
                (true, 2..) => {
                    1.0 + (depth(joint) - 1) as f32 / (deepest - 1) as f32 * (count - 1.0)
                }
                _ => depth(joint) as f32 / deepest as f32 * count,
            };
            // A hair less, so that a whole number does not round up to the next pair.
            let upper = (along - 1e-4).ceil().max(1.0) as usize;
            let weight = 1.0 - (upper as f32 - along);
            drives[usize::from(joint)] = Some(Drive {
                from: [chain[upper - 1], chain[upper]],
                weight: if weight > 0.999 { 1.0 } else { weight },
            });
        }
    }
    drives
}
