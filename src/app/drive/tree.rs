//! The tree of clips that a state plays, with the weights of the moment.

use crate::{
    animator::{
        Animator,
        graph::{BlendSpace, MotionNode, NodeMoment, NodeReference, StateMotion},
    },
    ui::{BlendView, SpaceView, TreeRow},
};

/// `None` where one clip plays alone.
pub(super) fn blend(animator: &Animator, motion: &StateMotion) -> Option<BlendView> {
    let namer = Namer { animator, motion };
    if let MotionNode::Leaf(leaf) = motion.tree
        && motion.leaves[leaf].scrub.is_none()
    {
        return None;
    }
    let mut tree = Vec::new();
    namer.rows(&motion.tree, 0, 1.0, &mut tree);
    let children = tree.iter().filter(|row| row.depth == 1);
    let leaf = |node: &MotionNode| matches!(node, MotionNode::Leaf(_));
    let plain = matches!(&motion.tree, MotionNode::Blend(_, all) if all.iter().all(leaf));
    Some(BlendView {
        clips: children.map(|row| (row.text.clone(), row.weight)).collect(),
        space: namer.space(),
        tree: if plain { Vec::new() } else { tree },
    })
}

/// Names and values of what the tree knows by index.
struct Namer<'a> {
    animator: &'a Animator,
    motion: &'a StateMotion,
}

impl Namer<'_> {
    fn moment(&self) -> NodeMoment<'_> {
        NodeMoment {
            parameters: self.animator.parameters(),
            ahead_secs: 0.0,
        }
    }

    fn parameter(&self, index: usize) -> String {
        self.animator.graph().parameters[index].name.clone()
    }

    fn clip(&self, index: usize) -> &str {
        &self.animator.graph().clips[index].name
    }

    fn leaf(&self, index: usize) -> String {
        let leaf = &self.motion.leaves[index];
        let clip = self.clip(leaf.clip);
        match leaf.scrub {
            Some(scrub) => format!("{clip} at {}", self.parameter(scrub.parameter)),
            None => clip.to_owned(),
        }
    }

    fn text(&self, node: &MotionNode) -> String {
        match node {
            MotionNode::Leaf(leaf) => self.leaf(*leaf),
            MotionNode::Blend(BlendSpace::Line(by, _), _) => {
                format!("along {}", self.parameter(*by))
            }
            MotionNode::Blend(BlendSpace::Plane([x, y], _), _) => {
                format!("over {}, {}", self.parameter(*x), self.parameter(*y))
            }
            MotionNode::Blend(BlendSpace::Bilinear([x, y]), _) => {
                format!("square of {}, {}", self.parameter(*x), self.parameter(*y))
            }
            MotionNode::Blend(BlendSpace::Flat(_), _) => "average".to_owned(),
            MotionNode::Add(node) => match node.against {
                NodeReference::Rest => "plus difference to rest".to_owned(),
                NodeReference::Pose(clip, _) => {
                    format!("plus difference to a pose of {}", self.clip(clip))
                }
                NodeReference::Leaf(leaf) => format!("plus difference to {}", self.leaf(leaf)),
            },
            MotionNode::Masked(node) => format!("{} over the rest", node.name),
        }
    }

    /// A row for a node and for everything below it, weights as they count in
    /// the whole.
    fn rows(&self, node: &MotionNode, depth: usize, weight: f32, rows: &mut Vec<TreeRow>) {
        rows.push(TreeRow {
            depth,
            text: self.text(node),
            weight,
        });
        let mut below = |child: &MotionNode, share: f32| {
            self.rows(child, depth + 1, weight * share, rows);
        };
        match node {
            MotionNode::Leaf(_) => {}
            MotionNode::Add(node) => {
                below(&node.onto, 1.0);
                below(&node.add, node.weight.at(self.moment()));
            }
            MotionNode::Masked(node) => {
                below(&node.below, 1.0);
                below(&node.above, node.weight.at(self.moment()));
            }
            MotionNode::Blend(space, children) => {
                let mut shares = vec![0.0; children.len()];
                space.weights(self.moment(), &mut shares);
                for (child, share) in children.iter().zip(shares) {
                    below(child, share);
                }
            }
        }
    }

    /// Where the first blend stands, if it has places.
    fn space(&self) -> Option<SpaceView> {
        let MotionNode::Blend(space, children) = &self.motion.tree else {
            return None;
        };
        let value = |parameter: usize| self.moment().value(parameter);
        match space {
            BlendSpace::Flat(_) => None,
            BlendSpace::Line(by, line) => {
                let stops = line.stops();
                let mut positions = vec![[0.0; 2]; children.len()];
                for &(at, child) in stops {
                    positions[child] = [at, 0.0];
                }
                let pairs = stops.windows(2);
                Some(SpaceView {
                    axes: [self.parameter(*by), String::new()],
                    positions,
                    edges: pairs.map(|pair| [pair[0].1, pair[1].1]).collect(),
                    at: [value(*by), 0.0],
                })
            }
            BlendSpace::Plane([x, y], plane) => {
                let sides = |&[a, b, c]: &[usize; 3]| [[a, b], [b, c], [c, a]];
                Some(SpaceView {
                    axes: [*x, *y].map(|axis| self.parameter(axis)),
                    positions: plane.points().iter().map(|at| at.to_array()).collect(),
                    edges: plane.triangles().iter().flat_map(sides).collect(),
                    at: [value(*x), value(*y)],
                })
            }
            BlendSpace::Bilinear([x, y]) => Some(SpaceView {
                axes: [*x, *y].map(|axis| self.parameter(axis)),
                positions: vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
                edges: vec![[0, 1], [1, 3], [3, 2], [2, 0]],
                at: [value(*x), value(*y)],
            }),
        }
    }
}
