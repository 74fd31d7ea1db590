//! Masks, from names of joints to a weight a joint and back.

use super::find;
use crate::{
    animator::description::MaskDescription,
    skeleton::{JointIndex, JointMask, Skeleton},
};

impl MaskDescription {
    /// On a skeleton; `None` where it has no such topmost joint.
    pub(in crate::animator) fn on(&self, skeleton: &Skeleton) -> Option<JointMask> {
        let top = find(skeleton, &self.from)?;
        let mut mask = JointMask::subtree(skeleton, top, self.feather);
        for (name, &weight) in &self.joints {
            if let Some(joint) = find(skeleton, name).filter(|_| weight.is_finite()) {
                mask.set(joint, weight);
            }
        }
        Some(mask)
    }

    /// The same part with other weights: joints that differ from what the part
    /// gives them are named.
    #[must_use]
    pub(in crate::animator) fn with_weights(&self, skeleton: &Skeleton, weights: &[f32]) -> Self {
        let mut plain = Self {
            joints: Default::default(),
            ..self.clone()
        };
        let Some(given) = plain.on(skeleton) else {
            return plain;
        };
        let joints = skeleton.joints().iter();
        let weighed = joints.zip(given.weights().iter().zip(weights));
        let own = weighed.filter(|(_, (given, weight))| given != weight);
        plain.joints = own
            .map(|(joint, (_, weight))| (joint.name.clone(), *weight))
            .collect();
        plain
    }

    /// Everything that hangs from a skeleton's first joint.
    #[must_use]
    pub(in crate::animator) fn whole(skeleton: &Skeleton) -> Self {
        let root: JointIndex = 0;
        Self {
            from: skeleton.joints()[usize::from(root)].name.clone(),
            ..Self::default()
        }
    }
}
