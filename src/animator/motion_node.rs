//! The tree of clips that a state plays, made ready: parameters in, one weight
//! per clip out.
//!
//! Blends of blends share out one weight, so however deep they are nested each
//! clip is sampled once, at the product of the weights on the way to it. Only
//! additions and masks need poses of their own.

use glam::DVec2;

use super::{
    blend_space::{BlendSpace1d, BlendSpace2d},
    parameters::Parameters,
    timeline::Timeline,
};
use crate::skeleton::JointMask;

/// Clips and how they share.
#[derive(Clone, Debug)]
pub struct StateMotion {
    /// Each clip once, however often the tree names it. The first is one that
    /// carries the character.
    pub leaves: Vec<MotionLeaf>,
    /// How they come together.
    pub tree: MotionNode,
}

/// A clip of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionLeaf {
    /// Index into [`super::Graph::clips`].
    pub clip: usize,
    /// Phases as they play in this motion.
    pub timeline: Timeline,
    /// Where its time comes from, if not from the phase.
    pub scrub: Option<ScrubBy>,
}

/// Time from a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScrubBy {
    /// Which.
    pub parameter: usize,
    /// Its value at the start of the clip.
    pub from: f64,
    /// Its value at the end.
    pub to: f64,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub enum MotionNode {
    /// A clip, by its place among the leaves.
    Leaf(usize),
    /// A weighted average of its children.
    Blend(BlendSpace, Vec<MotionNode>),
    /// A difference added.
    Add(Box<AddNode>),
    /// A part of the body replaced.
    Masked(Box<MaskedNode>),
}

/// Where the weights of children come from.
#[derive(Clone, Debug)]
pub enum BlendSpace {
    /// Along a parameter.
    Line(usize, BlendSpace1d),
    /// Over two parameters.
    Plane([usize; 2], BlendSpace2d),
    /// Between the corners (0, 0), (1, 0), (0, 1), (1, 1) of two parameters.
    Bilinear([usize; 2]),
    /// Fixed weights, each times a parameter if any.
    Flat(Vec<(f64, Option<usize>)>),
}

/// A weight and the parameter that scales it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeWeight {
    /// 0 to 1.
    pub factor: f32,
    /// Times this, if any.
    pub by: Option<usize>,
}

/// The difference of one motion to a reference, added to another.
#[derive(Clone, Debug)]
pub struct AddNode {
    /// Carries the character.
    pub onto: MotionNode,
    /// Whose difference is added.
    pub add: MotionNode,
    /// To what.
    pub against: NodeReference,
    /// Where.
    pub mask: JointMask,
    /// How much.
    pub weight: NodeWeight,
}

/// What an addition takes the difference to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeReference {
    /// The rest pose.
    Rest,
    /// A moment of a clip: index into the graph's clips, seconds.
    Pose(usize, f64),
    /// A clip that runs along, by its place among the leaves.
    Leaf(usize),
}

/// One motion over another on a part of the body.
#[derive(Clone, Debug)]
pub struct MaskedNode {
    /// Carries the character.
    pub below: MotionNode,
    /// On the part.
    pub above: MotionNode,
    /// What the file calls the part.
    pub name: String,
    /// The part.
    pub mask: JointMask,
    /// How much.
    pub weight: NodeWeight,
}

/// Parameters at a moment.
#[derive(Clone, Copy)]
pub struct NodeMoment<'a> {
    /// Which.
    pub parameters: &'a Parameters,
    /// After their last step.
    pub ahead_secs: f64,
}

impl NodeMoment<'_> {
    /// A number.
    #[must_use]
    pub fn value(&self, parameter: usize) -> f64 {
        self.parameters.value(parameter, self.ahead_secs)
    }
}

impl NodeWeight {
    /// What it is worth, 0 to 1.
    #[must_use]
    pub fn at(&self, moment: NodeMoment<'_>) -> f32 {
        let by = self.by.map_or(1.0, |by| moment.value(by) as f32);
        (self.factor * by).clamp(0.0, 1.0)
    }
}

impl ScrubBy {
    /// The share of the clip, 0 to 1.
    #[must_use]
    pub fn share(&self, moment: NodeMoment<'_>) -> f64 {
        let span = self.to - self.from;
        match span == 0.0 {
            true => 0.0,
            false => ((moment.value(self.parameter) - self.from) / span).clamp(0.0, 1.0),
        }
    }
}

impl StateMotion {
    /// Fills one weight per leaf, `ahead_secs` after the last step: what
    /// carries the character, whose phase, way and feet count. Adds up to 1.
    pub fn weights(
        &self,
        parameters: &Parameters,
        ahead_secs: f64,
        shares: &mut Vec<f32>,
        weights: &mut Vec<f32>,
    ) {
        weights.clear();
        weights.resize(self.leaves.len(), 0.0);
        let moment = NodeMoment {
            parameters,
            ahead_secs,
        };
        self.tree.carry(moment, 1.0, shares, weights);
    }
}

impl MotionNode {
    fn carry(
        &self,
        moment: NodeMoment<'_>,
        weight: f32,
        shares: &mut Vec<f32>,
        weights: &mut [f32],
    ) {
        match self {
            Self::Leaf(leaf) => weights[*leaf] += weight,
            Self::Add(node) => node.onto.carry(moment, weight, shares, weights),
            Self::Masked(node) => node.below.carry(moment, weight, shares, weights),
            Self::Blend(..) => self.each_child(moment, shares, |child, share, shares| {
                child.carry(moment, weight * share, shares, weights);
            }),
        }
    }

    /// Calls `term` with every node below that is no blend itself, and its
    /// weight; with this one where it is none.
    pub fn each_term(
        &self,
        moment: NodeMoment<'_>,
        weight: f32,
        shares: &mut Vec<f32>,
        term: &mut dyn FnMut(&Self, f32),
    ) {
        match self {
            Self::Blend(..) => self.each_child(moment, shares, |child, share, shares| {
                child.each_term(moment, weight * share, shares, term);
            }),
            _ => term(self, weight),
        }
    }

    /// Calls `visit` with every child of a blend that has a share. `shares` is a
    /// stack, and left as it was.
    fn each_child(
        &self,
        moment: NodeMoment<'_>,
        shares: &mut Vec<f32>,
        mut visit: impl FnMut(&Self, f32, &mut Vec<f32>),
    ) {
        let Self::Blend(space, children) = self else {
            return;
        };
        let start = shares.len();
        shares.resize(start + children.len(), 0.0);
        space.weights(moment, &mut shares[start..]);
        for (index, child) in children.iter().enumerate() {
            let share = shares[start + index];
            if share > 0.0 {
                visit(child, share, shares);
            }
        }
        shares.truncate(start);
    }
}

impl BlendSpace {
    /// Fills one weight per child; they add up to 1.
    pub fn weights(&self, moment: NodeMoment<'_>, weights: &mut [f32]) {
        let value = |parameter: usize| moment.value(parameter);
        match self {
            Self::Line(by, line) => line.weights(value(*by), weights),
            Self::Plane([x, y], plane) => {
                plane.weights(DVec2::new(value(*x), value(*y)), weights);
            }
            Self::Bilinear(axes) => {
                let [x, y] = axes.map(|axis| value(axis).clamp(0.0, 1.0) as f32);
                let corners = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
                weights.copy_from_slice(&corners);
            }
            Self::Flat(children) => flat(children, value, weights),
        }
        if !moment.parameters.blends() {
            keep_largest(weights);
        }
    }
}

fn flat(children: &[(f64, Option<usize>)], value: impl Fn(usize) -> f64, weights: &mut [f32]) {
    let of = |(weight, by): &(f64, Option<usize>)| (weight * by.map_or(1.0, &value)).max(0.0);
    let sum: f64 = children.iter().map(of).sum();
    for (weight, child) in weights.iter_mut().zip(children) {
        *weight = (of(child) / sum) as f32;
    }
    if sum <= 0.0 {
        weights.fill(0.0);
        weights[0] = 1.0;
    }
}

/// Without blending only one plays.
fn keep_largest(weights: &mut [f32]) {
    let largest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    weights.fill(0.0);
    if let Some(largest) = largest {
        weights[largest] = 1.0;
    }
}
