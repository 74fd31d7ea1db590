//! How much of the tolerance each track may use.
//!
//! Every track gets a share, such that the shares along any path from the root
//! to a leaf add up to one. A track that is rough or reaches far gets more:
//! keys are saved where they are needed most. While a track is fitted, a point
//! farther down must keep free what the tracks in between will need.

use super::error_state::FitStep;
use crate::skeleton::{JointIndex, NO_PARENT};

/// Shares grow with this power of a track's roughness. Between 0.2 and 0.6
/// it hardly matters (corpus).
const POWER: f32 = 0.4;
/// The root's translation carries all, and its keys save as many as a joint's:
/// a larger share pays (corpus: 1 → 3 gains 5–15 %).
const ROOT_TRANSLATION: f32 = 3.0;
/// Tracks below seldom use up their share just where this one does, and turn
/// back what it turned, so only this part of it is kept free (corpus: 0.85 →
/// 0.55 gains 1–4 %).
const KEPT_FREE: f32 = 0.55;
/// No allowance is less than this part of the tolerance.
const LEAST: f32 = 0.01;

/// Allowances of all steps.
pub(super) struct Budget {
    /// Of the tolerance, used up along the path by this step and those before.
    after_step: Vec<f32>,
    /// The same once a joint's own points move no more.
    settled: Vec<f32>,
}

impl Budget {
    /// `roughness` of each step: metres that its points move off a straight
    /// course from frame to frame.
    pub fn new(parents: &[JointIndex], steps: &[FitStep], roughness: &[f32]) -> Self {
        let weights: Vec<f32> = roughness.iter().zip(steps).map(weight).collect();
        // A joint may have several tracks: what moves it, its rotation, its
        // bone.
        let mut of_joint = vec![0.0; parents.len()];
        for (step, weight) in steps.iter().zip(&weights) {
            of_joint[step.joint] += weight;
        }
        // The heaviest path below each joint.
        let mut below = vec![0f32; parents.len()];
        for joint in (0..parents.len()).rev() {
            if parents[joint] != NO_PARENT {
                let parent = usize::from(parents[joint]);
                below[parent] = below[parent].max(below[joint] + of_joint[joint]);
            }
        }
        let mut budget = Self {
            after_step: vec![0.0; steps.len()],
            settled: vec![0.0; parents.len()],
        };
        budget.distribute(parents, steps, &weights, &of_joint, &below);
        budget
    }

    fn distribute(
        &mut self,
        parents: &[JointIndex],
        steps: &[FitStep],
        weights: &[f32],
        of_joint: &[f32],
        below: &[f32],
    ) {
        let mut used_by_joint = vec![0f32; parents.len()];
        let mut at = 0;
        for joint in 0..parents.len() {
            let mut used = match parents[joint] {
                NO_PARENT => 0.0,
                parent => used_by_joint[usize::from(parent)],
            };
            // What the path above left over is divided by weight between this
            // joint and the heaviest path below it. On a lighter branch the
            // rest is divided anew, so that every path comes to one.
            let per_weight = (1.0 - used) / (of_joint[joint] + below[joint]).max(1e-20);
            self.settled[joint] = used;
            // Steps are in order of joints, so one walk serves all.
            while at < steps.len() && steps[at].joint == joint {
                used += weights[at] * per_weight;
                self.after_step[at] = used;
                if steps[at].moves_own_points() {
                    self.settled[joint] = used;
                }
                at += 1;
            }
            used_by_joint[joint] = used;
        }
    }

    /// The part of the tolerance that a point of `joint` may use up while
    /// `step` is fitted.
    pub fn allowance(&self, step: usize, joint: usize) -> f32 {
        // Tracks between this step and the point's own joint.
        let still_to_come = (self.settled[joint] - self.after_step[step]).max(0.0);
        (1.0 - KEPT_FREE * still_to_come).max(LEAST)
    }
}

fn weight((roughness, step): (&f32, &FitStep)) -> f32 {
    let weight = roughness.powf(POWER);
    if step.is_root_translation() {
        weight * ROOT_TRANSLATION
    } else {
        weight
    }
}
