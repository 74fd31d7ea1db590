//! What a state plays, from names to a tree of prepared clips.

use super::Builder;
use crate::{
    animator::{
        blend_space::{BlendSpace1d, BlendSpace2d},
        description::{Child, MotionDescription, Over, ReferenceDescription},
        motion_node::{
            AddNode, BlendSpace, MaskedNode, MotionLeaf, MotionNode, NodeReference, NodeWeight,
            ScrubBy, StateMotion,
        },
        timeline::Timeline,
    },
    skeleton::JointMask,
};

/// Leaves found so far: clip and where its time comes from.
pub(super) type Leaves = Vec<(usize, Option<ScrubBy>)>;

impl Builder<'_> {
    /// `None` when no clip is there; `Some(None)` for a motion that is empty
    /// on purpose. A blend makes do with the clips there are.
    #[allow(
        clippy::option_option,
        reason = "two different absences, told apart above"
    )]
    pub(super) fn motion(
        &mut self,
        motion: &MotionDescription,
        as_loop: bool,
    ) -> Option<Option<StateMotion>> {
        if *motion == MotionDescription::Empty {
            return Some(None);
        }
        let mut leaves = Leaves::new();
        let tree = self.node(motion, as_loop, &mut leaves)?;
        let clips: Vec<usize> = leaves.iter().map(|&(clip, _)| clip).collect();
        let mut timelines = self.timelines(&clips);
        self.register_timelines(&motion.registered(), &leaves, &mut timelines);
        let leaves = leaves.into_iter().zip(timelines);
        let leaves = leaves.map(|((clip, scrub), timeline)| MotionLeaf {
            clip,
            timeline,
            scrub,
        });
        Some(Some(StateMotion {
            leaves: leaves.collect(),
            tree,
        }))
    }

    fn leaf(
        &mut self,
        clip: &str,
        as_loop: bool,
        scrub: Option<ScrubBy>,
        leaves: &mut Leaves,
    ) -> Option<usize> {
        let leaf = (self.prepare(clip, as_loop)?, scrub);
        let known = leaves.iter().position(|known| *known == leaf);
        Some(known.unwrap_or_else(|| {
            leaves.push(leaf);
            leaves.len() - 1
        }))
    }

    fn node(
        &mut self,
        motion: &MotionDescription,
        as_loop: bool,
        leaves: &mut Leaves,
    ) -> Option<MotionNode> {
        match motion {
            MotionDescription::Empty => None,
            MotionDescription::Clip(clip) => {
                self.leaf(clip, as_loop, None, leaves).map(MotionNode::Leaf)
            }
            MotionDescription::Scrub { clip, by, from, to } => {
                let scrub = ScrubBy {
                    parameter: self.parameter(by),
                    from: *from,
                    to: *to,
                };
                // From end to end: a loop would lose what lies beyond its seam.
                self.leaf(clip, false, Some(scrub), leaves)
                    .map(MotionNode::Leaf)
            }
            _ => match motion.over() {
                Some(over) => self.over_node(&over, as_loop, leaves),
                None => self.blend_node(motion, as_loop, leaves),
            },
        }
    }

    fn blend_node(
        &mut self,
        motion: &MotionDescription,
        as_loop: bool,
        leaves: &mut Leaves,
    ) -> Option<MotionNode> {
        let (mut kept, mut nodes) = (Vec::new(), Vec::new());
        for (index, child) in motion.children().into_iter().enumerate() {
            let node = match child {
                Child::Clip(clip) => self.leaf(clip, as_loop, None, leaves).map(MotionNode::Leaf),
                Child::Motion(motion) => self.node(motion, as_loop, leaves),
            };
            if let Some(node) = node {
                kept.push(index);
                nodes.push(node);
            }
        }
        if nodes.is_empty() {
            return None;
        }
        Some(MotionNode::Blend(self.space(motion, &kept)?, nodes))
    }

    /// Where the weights of the children that are there come from.
    fn space(&self, motion: &MotionDescription, kept: &[usize]) -> Option<BlendSpace> {
        let kept = kept.iter().copied();
        Some(match motion {
            MotionDescription::Blend1d { by, clips, .. } => {
                let positions: Vec<f64> = kept.map(|i| clips[i].at).collect();
                BlendSpace::Line(self.parameter(by), BlendSpace1d::new(&positions))
            }
            MotionDescription::Blend2d { x, y, clips, .. } => {
                let positions: Vec<(f64, f64)> = kept.map(|i| clips[i].at).collect();
                let axes = [self.parameter(x), self.parameter(y)];
                BlendSpace::Plane(axes, BlendSpace2d::new(&positions))
            }
            MotionDescription::Bilinear { x, y, .. } => {
                let axes = [self.parameter(x), self.parameter(y)];
                let corner = |i: usize| ((i % 2) as f64, (i / 2) as f64);
                let there: Vec<(f64, f64)> = kept.map(corner).collect();
                match there.len() {
                    4 => BlendSpace::Bilinear(axes),
                    // Three corners are a triangle.
                    _ => BlendSpace::Plane(axes, BlendSpace2d::new(&there)),
                }
            }
            MotionDescription::Flat(clips) => {
                let weight = |i: usize| {
                    let by = clips[i].by.as_deref().map(|by| self.parameter(by));
                    (clips[i].weight, by)
                };
                BlendSpace::Flat(kept.map(weight).collect())
            }
            _ => return None,
        })
    }

    /// One motion onto or over another; the other alone, where there is nothing
    /// to put there.
    fn over_node(
        &mut self,
        over: &Over<'_>,
        as_loop: bool,
        leaves: &mut Leaves,
    ) -> Option<MotionNode> {
        let below = self.node(over.below, as_loop, leaves)?;
        let above = self.node(over.above, as_loop, leaves);
        let (Some(above), Some(mask)) = (above, self.node_mask(over.mask)) else {
            return Some(below);
        };
        let weight = self.node_weight(over.weight, over.by);
        let Some(against) = over.against else {
            return Some(MotionNode::Masked(Box::new(MaskedNode {
                below,
                above,
                name: over.mask.unwrap_or_default().to_owned(),
                mask,
                weight,
            })));
        };
        Some(match self.node_reference(against, as_loop, leaves) {
            Some(against) => MotionNode::Add(Box::new(AddNode {
                onto: below,
                add: above,
                against,
                mask,
                weight,
            })),
            None => below,
        })
    }

    fn node_reference(
        &mut self,
        reference: &ReferenceDescription,
        as_loop: bool,
        leaves: &mut Leaves,
    ) -> Option<NodeReference> {
        Some(match reference {
            ReferenceDescription::Rest => NodeReference::Rest,
            ReferenceDescription::Pose(clip, fraction) => {
                // Of the clip as it is: its share is no share of a loop of it.
                let clip = self.prepare(clip, false)?;
                NodeReference::Pose(clip, fraction * self.prepared[clip].duration_secs())
            }
            ReferenceDescription::Clip(clip) => {
                NodeReference::Leaf(self.leaf(clip, as_loop, None, leaves)?)
            }
        })
    }

    /// `None`, and a note, where the skeleton has no such part.
    fn node_mask(&mut self, name: Option<&str>) -> Option<JointMask> {
        let mask = self.mask(name);
        mask.inspect_err(|error| self.notes.push(error.to_string()))
            .ok()
    }

    fn node_weight(&self, factor: f32, by: Option<&str>) -> NodeWeight {
        NodeWeight {
            factor: factor.clamp(0.0, 1.0),
            by: by.map(|by| self.parameter(by)),
        }
    }

    /// Phases of clips that play together. One without steps alongside gaits is
    /// as many cycles long as comes nearest to theirs.
    fn timelines(&self, clips: &[usize]) -> Vec<Timeline> {
        let all = clips.iter().map(|&clip| &self.prepared[clip].timeline);
        let gaits: Vec<f64> = all
            .clone()
            .filter(|timeline| timeline.is_gait())
            .map(|timeline| timeline.duration_secs() / timeline.cycles())
            .collect();
        let cycle_secs = gaits.iter().sum::<f64>() / gaits.len() as f64;
        all.map(|timeline| {
            if timeline.is_gait() || gaits.is_empty() {
                timeline.clone()
            } else {
                let secs = timeline.duration_secs();
                Timeline::even(secs, (secs / cycle_secs).round() as usize)
            }
        })
        .collect()
    }
}
