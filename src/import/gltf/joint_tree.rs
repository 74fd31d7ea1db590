//! The joints of a file, and how they stand.
//!
//! Still nodes above the joints are folded into the topmost ones; those below
//! carry meshes and are folded into those. Poses have no scale at most joints:
//! an even scale that never changes goes into the translations below it.

use glam::{Affine3A, Quat, Vec3};

use super::{super::names::UniqueNames, channels::Animation, nodes::Nodes};
use crate::{
    math::{Axis, Dof, Transform},
    mocap::{
        Note, Notes,
        gltf::{GltfDocument, GltfError, GltfProblem},
    },
    skeleton::{DofRange, Joint, JointIndex, MAX_JOINTS, NO_PARENT},
    units::{LengthScale, UpAxis},
};

/// Length of a last bone in parts of the one before it.
const LAST_BONE: f32 = 0.3;

/// A node that became a joint.
#[derive(Clone, Debug)]
pub(super) struct TreeJoint {
    name: String,
    parent: JointIndex,
    /// How the node's own translation t and rotation q become the joint's,
    /// `offset + rotation · (factor · t)` and `rotation · q`: what still nodes
    /// above it and even scales leave to it.
    rotation: Quat,
    factor: f32,
    offset: Vec3,
    rest: Transform,
    /// Only where the joint has a scale of its own in poses.
    scale: Option<Vec3>,
    /// Even scale of everything at the joint that poses leave out.
    size: f32,
    moves: bool,
}

impl TreeJoint {
    /// The node's translation as the joint's.
    pub fn joint_translation(&self, node_translation: Vec3) -> Vec3 {
        self.offset + self.joint_tangent(node_translation)
    }

    /// A change of translation.
    pub fn joint_tangent(&self, change: Vec3) -> Vec3 {
        self.rotation * (change * self.factor)
    }

    /// The node's rotation, or a change of it, as the joint's.
    pub fn joint_rotation(&self, node_rotation: Quat) -> Quat {
        self.rotation * node_rotation
    }

    /// Whether poses scale it.
    pub fn scales(&self) -> bool {
        self.scale.is_some()
    }
}

/// All joints, and where every node hangs.
#[derive(Debug)]
pub(super) struct JointTree {
    pub list: Vec<TreeJoint>,
    /// By node: the joint it is, if it is one.
    pub joint_of: Vec<Option<JointIndex>>,
    /// By node: the joint it hangs from, and `joint_from_node`.
    pub anchors: Vec<Option<(JointIndex, Affine3A)>>,
    /// By node that is above all joints, or beside them: `model_from_node`.
    pub model_from_node: Vec<Affine3A>,
    /// The nodes of the scene, parents first.
    pub order: Vec<usize>,
}

impl JointTree {
    pub fn new(
        document: &GltfDocument,
        animations: &[Animation],
        length: LengthScale,
        up: UpAxis,
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        let nodes = Nodes::new(document, animations, notes)?;
        let joints = nodes.joints();
        if joints.iter().filter(|&&it| it).count() > MAX_JOINTS {
            let problem = GltfProblem::Other(format!("more than {MAX_JOINTS} joints"));
            return Err(document.error("nodes", problem));
        }
        if !joints.iter().any(|&it| it) {
            let problem = GltfProblem::Other("nothing in it moves or can be seen".into());
            return Err(document.error("nodes", problem));
        }
        let metres = length.metres_per_unit() as f32;
        let model_from_file = Affine3A::from_scale_rotation_translation(
            Vec3::splat(metres),
            up.y_up_from_file().as_quat(),
            Vec3::ZERO,
        );
        Ok(Self::of_nodes(nodes, &joints, model_from_file, notes))
    }

    fn of_nodes(
        nodes: Nodes<'_>,
        joints: &[bool],
        model_from_file: Affine3A,
        notes: &mut Notes,
    ) -> Self {
        let model_from_node = still_nodes(&nodes, joints, model_from_file);
        let mut tree = Self {
            list: Vec::new(),
            joint_of: vec![None; joints.len()],
            anchors: vec![None; joints.len()],
            model_from_node: Vec::new(),
            order: Vec::new(),
        };
        let mut names = UniqueNames::default();
        for node in nodes.sorted(joints) {
            let parent_node = nodes.hierarchy.parents[node];
            let parent = parent_node.and_then(|it| tree.joint_of[it]);
            let model_from_parent = match parent_node {
                // Under a joint nothing is left to fold in: still nodes between
                // two joints have become joints.
                Some(it) if parent.is_none() => model_from_node[it],
                _ => model_from_file,
            };
            let name = unique_name(&nodes, node, &mut names, notes);
            let joint = tree.joint(&nodes, node, parent, model_from_parent, name);
            tree.joint_of[node] = Some(tree.list.len() as JointIndex);
            tree.list.push(joint);
        }
        tree.hang_nodes(&nodes);
        tree.model_from_node = model_from_node;
        tree.order = nodes.hierarchy.order;
        tree
    }

    /// A joint under a joint of the tree, or one that still nodes or nothing
    /// are above of.
    fn joint(
        &self,
        nodes: &Nodes<'_>,
        node: usize,
        parent: Option<JointIndex>,
        model_from_parent: Affine3A,
        name: String,
    ) -> TreeJoint {
        let local = nodes.locals[node];
        let (rotation, factor, offset) = match parent {
            Some(parent) => {
                let size = self.list[usize::from(parent)].size;
                (Quat::IDENTITY, size, Vec3::ZERO)
            }
            None => {
                let (scale, rotation, offset) = model_from_parent.to_scale_rotation_translation();
                // Uneven scales above have become joints, so the three factors
                // agree but for noise.
                (rotation.normalize(), scale.element_sum() / 3.0, offset)
            }
        };
        // A scale that changes cannot go into translations that do not.
        let even = local.even_scale().filter(|_| !nodes.scaled[node]);
        let mut joint = TreeJoint {
            name,
            parent: parent.unwrap_or(NO_PARENT),
            rotation,
            factor,
            offset,
            rest: Transform::IDENTITY,
            scale: even.is_none().then_some(local.scale),
            size: factor * even.unwrap_or(1.0),
            moves: nodes.moved[node],
        };
        joint.rest = Transform::new(
            joint.joint_rotation(local.rotation).normalize(),
            joint.joint_translation(local.translation),
        );
        joint
    }

    /// Finds the joint that each node hangs from.
    fn hang_nodes(&mut self, nodes: &Nodes<'_>) {
        for &node in &nodes.hierarchy.order {
            self.anchors[node] = match self.joint_of[node] {
                Some(joint) => {
                    let size = Vec3::splat(self.list[usize::from(joint)].size);
                    // Poses leave this size out; meshes and binds have to bring
                    // it back.
                    Some((joint, Affine3A::from_scale(size)))
                }
                None => nodes.hierarchy.parents[node]
                    .and_then(|it| self.anchors[it])
                    .map(|(joint, from)| (joint, from * nodes.locals[node].affine())),
            };
        }
    }

    /// As a skeleton's.
    pub fn joints(&self) -> Vec<Joint> {
        let tips = self.tips();
        let joint = |(joint, tip): (&TreeJoint, Vec3)| Joint {
            name: joint.name.clone(),
            parent: joint.parent,
            rest: joint.rest,
            tip,
            axes: Quat::IDENTITY,
            dofs: dofs(joint.moves || joint.parent == NO_PARENT),
        };
        self.list.iter().zip(tips).map(joint).collect()
    }

    /// One a joint; none where no joint scales.
    pub fn rest_scales(&self) -> Vec<Vec3> {
        if !self.list.iter().any(TreeJoint::scales) {
            return Vec::new();
        }
        let scale = |joint: &TreeJoint| joint.scale.unwrap_or(Vec3::ONE);
        self.list.iter().map(scale).collect()
    }

    /// Where bones end: at the child that lies straightest ahead; a last one
    /// goes on a little; a root has none.
    fn tips(&self) -> Vec<Vec3> {
        let ahead = |joint: &TreeJoint| joint.rest.rotation.conjugate() * joint.rest.position();
        let mut best = vec![f32::NEG_INFINITY; self.list.len()];
        let mut tips: Vec<Vec3> = self.list.iter().map(|it| ahead(it) * LAST_BONE).collect();
        for joint in &self.list {
            if joint.parent == NO_PARENT {
                continue;
            }
            let parent = usize::from(joint.parent);
            let direction = joint.rest.position().normalize_or_zero();
            let straight = ahead(&self.list[parent]).normalize_or_zero().dot(direction);
            if straight > best[parent] {
                best[parent] = straight;
                tips[parent] = joint.rest.position();
            }
        }
        for (joint, tip) in self.list.iter().zip(&mut tips) {
            if joint.parent == NO_PARENT {
                *tip = Vec3::ZERO;
            }
        }
        tips
    }
}

/// `model_from_node` of the still nodes above all joints.
fn still_nodes(nodes: &Nodes<'_>, joints: &[bool], model_from_file: Affine3A) -> Vec<Affine3A> {
    let mut model_from_node = vec![model_from_file; joints.len()];
    for &node in &nodes.hierarchy.order {
        if let Some(parent) = nodes.hierarchy.parents[node] {
            model_from_node[node] = model_from_node[parent];
        }
        if !joints[node] {
            model_from_node[node] *= nodes.locals[node].affine();
        }
    }
    model_from_node
}

fn unique_name(
    nodes: &Nodes<'_>,
    node: usize,
    names: &mut UniqueNames,
    notes: &mut Notes,
) -> String {
    let written = nodes.name(node);
    let name = names.claim(&written);
    if name != written {
        notes.add_counted("node names used twice", || {
            Note::info(format!("name used before; called {name:?} here")).of_bone(&written)
        });
    }
    name
}

fn dofs(moves: bool) -> Vec<DofRange> {
    let axes = [Axis::X, Axis::Y, Axis::Z];
    let translations = axes.map(Dof::Translate).into_iter().filter(|_| moves);
    let all = translations.chain(axes.map(Dof::Rotate));
    all.map(DofRange::unlimited).collect()
}
