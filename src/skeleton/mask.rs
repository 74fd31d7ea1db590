//! Per-joint weights that say which part of the body a layer moves.

use super::{JointIndex, NO_PARENT, Skeleton};

/// A weight in 0..=1 for every joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMask {
    weights: Vec<f32>,
}

impl JointMask {
    /// The same weight everywhere.
    #[must_use]
    pub fn uniform(joints: usize, weight: f32) -> Self {
        Self {
            weights: vec![weight; joints],
        }
    }

    /// `top` and everything below it. The weight climbs to 1 over the first
    /// `feather` joints of the subtree, so that the seam does not show:
    /// with `feather` 0 `top` itself already has weight 1.
    #[must_use]
    pub fn subtree(skeleton: &Skeleton, top: JointIndex, feather: u32) -> Self {
        let step = 1.0 / (feather + 1) as f32;
        let mut weights = vec![0.0; skeleton.len()];
        // Parents come first, so one pass carries the weight down.
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            if joint == usize::from(top) {
                weights[joint] = step;
            } else if parent != NO_PARENT && weights[usize::from(parent)] > 0.0 {
                weights[joint] = f32::min(1.0, weights[usize::from(parent)] + step);
            }
        }
        Self { weights }
    }

    /// One weight a joint.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Sets one joint's weight, held to 0..=1.
    pub fn set(&mut self, joint: JointIndex, weight: f32) {
        self.weights[usize::from(joint)] = weight.clamp(0.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;

    #[test]
    fn a_subtree_is_itself_and_what_hangs_below() {
        let joint = |name: &str, parent| Joint::new(name, parent, glam::Vec3::ZERO, glam::Vec3::Y);
        let skeleton = Skeleton::new(
            "x",
            vec![
                joint("root", NO_PARENT),
                joint("leg", 0),
                joint("spine", 0),
                joint("chest", 2),
                joint("head", 3),
            ],
        )
        .unwrap();
        let sharp = JointMask::subtree(&skeleton, 2, 0);
        assert_eq!(sharp.weights(), [0.0, 0.0, 1.0, 1.0, 1.0]);
        let soft = JointMask::subtree(&skeleton, 2, 1);
        assert_eq!(soft.weights(), [0.0, 0.0, 0.5, 1.0, 1.0]);
    }
}
