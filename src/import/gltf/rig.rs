//! Which nodes become joints, and how they stand.
//!
//! Joints are: what a skin names, what an animation moves, a mesh that hangs
//! from neither, and whatever lies between two joints. A file without meshes
//! has all its nodes as joints. Still nodes above the joints are folded into
//! the topmost ones; those below carry meshes and are folded into those.

use glam::{Affine3A, Mat4, Quat, Vec3};

use super::{
    super::{names::UniqueNames, up_axis::UpAxis},
    channels::{Animation, ChannelKeys},
};
use crate::{
    math::{Axis, Dof, Transform},
    mocap::{
        MAX_MAGNITUDE, Note, Notes,
        gltf::{GltfDocument, GltfError, GltfProblem, NodeTree, json},
    },
    skeleton::{DofRange, Joint, JointIndex, MAX_JOINTS, NO_PARENT},
    units::LengthScale,
};

/// Scales closer than this to each other are one scale.
const SCALE_NOISE: f32 = 1e-4;
/// Length of a last bone as a share of the one before it.
const LAST_BONE: f32 = 0.3;

/// A node's own transform.
#[derive(Clone, Copy, Debug)]
struct Local {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
}

impl Local {
    fn affine(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The one factor of a scale that is the same along all axes.
    fn even_scale(&self) -> Option<f32> {
        let (low, high) = (self.scale.min_element(), self.scale.max_element());
        let even = low > 0.0 && high - low <= SCALE_NOISE * high;
        even.then(|| self.scale.element_sum() / 3.0)
    }
}

/// A node that became a joint.
#[derive(Clone, Debug)]
pub(super) struct RigJoint {
    name: String,
    parent: JointIndex,
    /// Turn, factor and shift that take the node's own translation and
    /// rotation to the joint's: of still nodes above it and of even scales.
    turn: Quat,
    factor: f32,
    shift: Vec3,
    rest: Transform,
    /// Only where the joint has a scale of its own in poses.
    scale: Option<Vec3>,
    /// Even scale of everything at the joint that poses leave out.
    size: f32,
    moves: bool,
}

impl RigJoint {
    /// The node's translation as the joint's.
    pub fn place(&self, translation: Vec3) -> Vec3 {
        self.shift + self.place_tangent(translation)
    }

    /// A change of translation.
    pub fn place_tangent(&self, change: Vec3) -> Vec3 {
        self.turn * (change * self.factor)
    }

    /// The node's rotation, or a change of it, as the joint's.
    pub fn turned(&self, rotation: Quat) -> Quat {
        self.turn * rotation
    }

    /// Whether poses scale it.
    pub fn scales(&self) -> bool {
        self.scale.is_some()
    }
}

/// All joints, and where every node hangs.
#[derive(Debug)]
pub(super) struct Rig {
    pub list: Vec<RigJoint>,
    /// By node: the joint it is, if it is one.
    pub joint_of: Vec<Option<JointIndex>>,
    /// By node: the joint it hangs from, and `joint_from_node`.
    pub anchors: Vec<Option<(JointIndex, Affine3A)>>,
    /// The nodes of the scene, parents first.
    pub order: Vec<usize>,
}

/// What was found out about nodes.
struct Nodes<'a> {
    document: &'a GltfDocument,
    tree: NodeTree,
    locals: Vec<Local>,
    animated: Vec<bool>,
    moved: Vec<bool>,
    /// Its scale changes, beyond noise.
    scaled: Vec<bool>,
}

impl Rig {
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
        Ok(nodes.build(&joints, model_from_file, notes))
    }

    /// As a skeleton's.
    pub fn joints(&self) -> Vec<Joint> {
        let tips = self.tips();
        let joint = |(joint, tip): (&RigJoint, Vec3)| Joint {
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
        if !self.list.iter().any(RigJoint::scales) {
            return Vec::new();
        }
        let scale = |joint: &RigJoint| joint.scale.unwrap_or(Vec3::ONE);
        self.list.iter().map(scale).collect()
    }

    /// Where bones end: at the child that lies straightest ahead; a last one
    /// goes on a little; a root has none.
    fn tips(&self) -> Vec<Vec3> {
        let ahead = |joint: &RigJoint| joint.rest.rotation.conjugate() * joint.rest.position();
        let mut best = vec![f32::NEG_INFINITY; self.list.len()];
        let mut tips: Vec<Vec3> = self.list.iter().map(|it| ahead(it) * LAST_BONE).collect();
        for joint in &self.list {
            if joint.parent == NO_PARENT {
                continue;
            }
            let parent = usize::from(joint.parent);
            let way = joint.rest.position().normalize_or_zero();
            let straight = ahead(&self.list[parent]).normalize_or_zero().dot(way);
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

fn dofs(moves: bool) -> Vec<DofRange> {
    let axes = [Axis::X, Axis::Y, Axis::Z];
    let translations = axes.map(Dof::Translate).into_iter().filter(|_| moves);
    let all = translations.chain(axes.map(Dof::Rotate));
    all.map(DofRange::unlimited).collect()
}

impl<'a> Nodes<'a> {
    fn new(
        document: &'a GltfDocument,
        animations: &[Animation],
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        let tree = document.tree()?;
        let nodes = &document.root().nodes;
        let mut locals = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            locals.push(local(document, index, node, notes)?);
        }
        let mut found = Self {
            document,
            tree,
            locals,
            animated: vec![false; nodes.len()],
            moved: vec![false; nodes.len()],
            scaled: vec![false; nodes.len()],
        };
        for channel in animations.iter().flat_map(|it| &it.channels) {
            let node = channel.node;
            match &channel.keys {
                ChannelKeys::Weights(_) => continue,
                ChannelKeys::Translation(_) => found.moved[node] = true,
                ChannelKeys::Rotation(_) => {}
                ChannelKeys::Scale(keys) => {
                    let rest = found.locals[node].scale;
                    let noise = SCALE_NOISE * rest.abs().max_element();
                    let off = |&it: &Vec3| (it - rest).abs().max_element() > noise;
                    let cubic = keys.curve() == crate::clip::Curve::Cubic;
                    if cubic || keys.values().iter().any(off) {
                        found.scaled[node] = true;
                    }
                }
            }
            found.animated[node] = true;
        }
        Ok(found)
    }

    /// By node: whether it is a joint.
    fn joints(&self) -> Vec<bool> {
        let root = self.document.root();
        let count = self.locals.len();
        let mut joints = self.animated.clone();
        let named = root.skins.iter().flat_map(|it| &it.joints);
        named.for_each(|it| joints[it.value()] = true);
        let has_meshes = root.nodes.iter().any(|it| it.mesh.is_some());
        let mut below_joint = vec![false; count];
        for &node in &self.tree.order {
            let parent = self.tree.parents[node];
            below_joint[node] = parent.is_some_and(|it| joints[it] || below_joint[it]);
            let it = &root.nodes[node];
            let stands_alone = it.mesh.is_some() && it.skin.is_none() && !below_joint[node];
            joints[node] |= !has_meshes || stands_alone;
        }
        // Nodes outside the scene are nobody's.
        let mut shown = vec![false; count];
        self.tree.order.iter().for_each(|&node| shown[node] = true);
        joints
            .iter_mut()
            .zip(shown)
            .for_each(|(it, shown)| *it &= shown);

        let mut above_joint = vec![false; count];
        for &node in self.tree.order.iter().rev() {
            // What an uneven scale is above of cannot take it in.
            let uneven = self.locals[node].even_scale().is_none();
            joints[node] |= above_joint[node] && uneven;
            if let Some(parent) = self.tree.parents[node] {
                above_joint[parent] |= joints[node] || above_joint[node];
            }
        }
        below_joint.fill(false);
        for &node in &self.tree.order {
            let parent = self.tree.parents[node];
            below_joint[node] = parent.is_some_and(|it| joints[it] || below_joint[it]);
            joints[node] |= below_joint[node] && above_joint[node];
        }
        joints
    }

    /// Trees of many joints come first: the first joint is the character's
    /// root.
    fn sorted(&self, joints: &[bool]) -> Vec<usize> {
        let mut trees: Vec<Vec<usize>> = Vec::new();
        for &node in self.tree.order.iter().filter(|&&node| joints[node]) {
            let parent = self.tree.parents[node];
            match trees.last_mut() {
                Some(tree) if parent.is_some_and(|it| joints[it]) => tree.push(node),
                _ => trees.push(vec![node]),
            }
        }
        trees.sort_by_key(|tree| std::cmp::Reverse(tree.len()));
        trees.concat()
    }

    fn build(self, joints: &[bool], model_from_file: Affine3A, notes: &mut Notes) -> Rig {
        let count = self.locals.len();
        // Of still nodes above all joints: `model_from_node`.
        let mut above: Vec<Affine3A> = vec![model_from_file; count];
        for &node in &self.tree.order {
            if let Some(parent) = self.tree.parents[node] {
                above[node] = above[parent];
            }
            if !joints[node] {
                above[node] *= self.locals[node].affine();
            }
        }
        let mut rig = Rig {
            list: Vec::new(),
            joint_of: vec![None; count],
            anchors: vec![None; count],
            order: Vec::new(),
        };
        let mut names = UniqueNames::default();
        for node in self.sorted(joints) {
            let parent = self.tree.parents[node].and_then(|it| rig.joint_of[it]);
            let before = match self.tree.parents[node] {
                Some(it) if parent.is_none() => above[it],
                _ => model_from_file,
            };
            let joint = self.joint(node, parent.map(|it| (it, &rig)), before, &mut names, notes);
            rig.joint_of[node] = Some(rig.list.len() as JointIndex);
            rig.list.push(joint);
        }
        for &node in &self.tree.order {
            rig.anchors[node] = match rig.joint_of[node] {
                Some(joint) => {
                    let size = Vec3::splat(rig.list[usize::from(joint)].size);
                    Some((joint, Affine3A::from_scale(size)))
                }
                None => self.tree.parents[node]
                    .and_then(|it| rig.anchors[it])
                    .map(|(joint, from)| (joint, from * self.locals[node].affine())),
            };
        }
        rig.order = self.tree.order;
        rig
    }

    fn joint(
        &self,
        node: usize,
        parent: Option<(JointIndex, &Rig)>,
        before: Affine3A,
        names: &mut UniqueNames,
        notes: &mut Notes,
    ) -> RigJoint {
        let local = self.locals[node];
        let (turn, factor, shift) = match parent {
            Some((joint, rig)) => {
                let size = rig.list[usize::from(joint)].size;
                (Quat::IDENTITY, size, Vec3::ZERO)
            }
            None => {
                let (scale, turn, shift) = before.to_scale_rotation_translation();
                (turn.normalize(), scale.element_sum() / 3.0, shift)
            }
        };
        let even = local.even_scale().filter(|_| !self.scaled[node]);
        let written = self.name(node);
        let name = names.claim(&written);
        if name != written {
            notes.add_counted("node names used twice", || {
                Note::info(format!("name used before; called {name:?} here")).of_bone(&written)
            });
        }
        let mut joint = RigJoint {
            name,
            parent: parent.map_or(NO_PARENT, |(joint, _)| joint),
            turn,
            factor,
            shift,
            rest: Transform::IDENTITY,
            scale: even.is_none().then_some(local.scale),
            size: factor * even.unwrap_or(1.0),
            moves: self.moved[node],
        };
        let rotation = joint.turned(local.rotation).normalize();
        joint.rest = Transform::new(rotation, joint.place(local.translation));
        joint
    }

    fn name(&self, node: usize) -> String {
        let name = self.document.root().nodes[node].name.as_deref();
        match name.map(str::trim) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("node{node}"),
        }
    }
}

fn local(
    document: &GltfDocument,
    index: usize,
    node: &json::Node,
    notes: &mut Notes,
) -> Result<Local, GltfError> {
    let numbers = [
        node.matrix.as_ref().map(<[f32; 16]>::as_slice),
        node.translation.as_ref().map(<[f32; 3]>::as_slice),
        node.rotation.as_ref().map(|it| it.0.as_slice()),
        node.scale.as_ref().map(<[f32; 3]>::as_slice),
    ];
    let sound = |&it: &f32| it.is_finite() && f64::from(it.abs()) < MAX_MAGNITUDE;
    if let Some(wild) = numbers
        .iter()
        .flatten()
        .copied()
        .flatten()
        .find(|it| !sound(it))
    {
        let problem = GltfProblem::Expected {
            expected: "numbers below 1e9".into(),
            found: wild.to_string(),
        };
        return Err(document.error(format!("nodes[{index}]"), problem));
    }
    if let Some(matrix) = &node.matrix {
        return Ok(decomposed(index, Mat4::from_cols_array(matrix), notes));
    }
    let rotation = node
        .rotation
        .map_or(Quat::IDENTITY, |it| Quat::from_array(it.0));
    let length = rotation.length();
    Ok(Local {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
        rotation: if length > 1e-6 {
            rotation / length
        } else {
            Quat::IDENTITY
        },
        scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
    })
}

fn decomposed(index: usize, matrix: Mat4, notes: &mut Notes) -> Local {
    let translation = matrix.w_axis.truncate();
    let flat = matrix.determinant().abs() < f32::MIN_POSITIVE;
    let (scale, rotation) = if flat {
        (Vec3::ZERO, Quat::IDENTITY)
    } else {
        let (scale, rotation, _) = matrix.to_scale_rotation_translation();
        (scale, rotation)
    };
    let sound = scale.is_finite() && rotation.is_finite() && rotation.length_squared() > 0.5;
    let local = Local {
        translation,
        rotation: if sound {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        },
        scale: if sound { scale } else { Vec3::ONE },
    };
    let off = Mat4::from(local.affine()) - matrix;
    let size = matrix
        .to_cols_array()
        .iter()
        .fold(0f32, |most, it| most.max(it.abs()));
    if off.to_cols_array().iter().any(|it| it.abs() > 1e-3 * size) {
        notes.add_counted("node matrices that shear", || {
            Note::warning(format!(
                "the matrix of node {index} shears or flattens; the nearest rotation and scale are used"
            ))
        });
    }
    local
}
