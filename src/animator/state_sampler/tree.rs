//! The pose of a tree of clips: blends of blends in one average, additions and
//! masks in poses of their own.

use super::{SampleScratch, StateSampler};
use crate::{
    animator::{
        blend,
        graph::{AddNode, MaskedNode, MotionNode, NodeReference},
    },
    clip::ClipCursor,
    skeleton::LocalPose,
};

/// A moment of a state.
#[derive(Clone, Copy)]
pub(super) struct NodeTime {
    /// Of its clips.
    pub phase: f64,
    /// Of parameters, after their last step.
    pub ahead_secs: f64,
}

impl StateSampler<'_> {
    pub(super) fn node_pose(
        &self,
        node: &MotionNode,
        at: NodeTime,
        scratch: &mut SampleScratch,
        pose: &mut LocalPose,
    ) {
        match node {
            MotionNode::Leaf(leaf) => self.sample(*leaf, at, scratch, pose),
            MotionNode::Blend(..) => self.average(node, at, scratch, pose),
            MotionNode::Add(node) => self.add(node, at, scratch, pose),
            MotionNode::Masked(node) => self.masked(node, at, scratch, pose),
        }
    }

    fn sample(&self, leaf: usize, at: NodeTime, scratch: &mut SampleScratch, pose: &mut LocalPose) {
        let leaf = &self.motion.leaves[leaf];
        let secs = self.clip_secs(leaf, at.phase, at.ahead_secs);
        let cursor = &mut scratch.cursors[leaf.clip];
        self.clip(leaf.clip)
            .pose(&self.graph.skeleton, secs, cursor, pose);
    }

    /// Each clip below once, whatever blends lie between.
    fn average(
        &self,
        node: &MotionNode,
        at: NodeTime,
        scratch: &mut SampleScratch,
        pose: &mut LocalPose,
    ) {
        let moment = self.moment(at.ahead_secs);
        let mut weights = scratch.take_weights(self.motion.leaves.len());
        let mut shares = scratch.take_weights(0);
        node.each_term(moment, 1.0, &mut shares, &mut |term, weight| {
            if let MotionNode::Leaf(leaf) = term {
                weights[*leaf] += weight;
            }
        });
        let mut average = Average {
            pose,
            begun: false,
            alone: false,
        };
        for (leaf, &weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            average.put(weight, scratch, |scratch, pose| {
                self.sample(leaf, at, scratch, pose);
            });
        }
        node.each_term(moment, 1.0, &mut shares, &mut |term, weight| {
            if !matches!(term, MotionNode::Leaf(_)) {
                average.put(weight, scratch, |scratch, pose| {
                    self.node_pose(term, at, scratch, pose);
                });
            }
        });
        average.finish();
        scratch.spare.extend([weights, shares]);
    }

    fn add(&self, node: &AddNode, at: NodeTime, scratch: &mut SampleScratch, pose: &mut LocalPose) {
        self.node_pose(&node.onto, at, scratch, pose);
        let weight = node.weight.at(self.moment(at.ahead_secs));
        if weight <= 0.0 {
            return;
        }
        let (mut source, mut reference) = (scratch.take_pose(), scratch.take_pose());
        self.node_pose(&node.add, at, scratch, &mut source);
        match node.against {
            NodeReference::Rest => reference.copy_from(self.graph.skeleton.rest()),
            NodeReference::Leaf(leaf) => self.sample(leaf, at, scratch, &mut reference),
            NodeReference::Pose(clip, secs) => {
                // Another moment than the clip's own, and so another cursor.
                let cursors = &mut scratch.reference_cursors;
                cursors.resize_with(self.graph.clips.len(), ClipCursor::default);
                let cursor = &mut cursors[clip];
                self.clip(clip)
                    .pose(&self.graph.skeleton, secs, cursor, &mut reference);
            }
        }
        blend::add_masked(pose, &source, &reference, node.mask.weights(), weight);
        scratch.poses.extend([source, reference]);
    }

    fn masked(
        &self,
        node: &MaskedNode,
        at: NodeTime,
        scratch: &mut SampleScratch,
        pose: &mut LocalPose,
    ) {
        self.node_pose(&node.below, at, scratch, pose);
        let weight = node.weight.at(self.moment(at.ahead_secs));
        if weight > 0.0 {
            let mut above = scratch.take_pose();
            self.node_pose(&node.above, at, scratch, &mut above);
            blend::mix_masked(pose, &above, node.mask.weights(), weight);
            scratch.poses.push(above);
        }
    }
}

/// A weighted average under way.
struct Average<'a> {
    pose: &'a mut LocalPose,
    begun: bool,
    /// The first has all the weight.
    alone: bool,
}

impl Average<'_> {
    /// Adds a pose. One that has all the weight is taken bit for bit.
    fn put(
        &mut self,
        weight: f32,
        scratch: &mut SampleScratch,
        sample: impl FnOnce(&mut SampleScratch, &mut LocalPose),
    ) {
        if !std::mem::replace(&mut self.begun, true) {
            sample(scratch, self.pose);
            self.alone = weight == 1.0;
            if !self.alone {
                blend::start_average(self.pose, weight);
            }
            return;
        }
        let mut other = scratch.take_pose();
        sample(scratch, &mut other);
        blend::accumulate(self.pose, &other, weight);
        scratch.poses.push(other);
    }

    fn finish(self) {
        if !self.alone {
            blend::finish_average(self.pose);
        }
    }
}
