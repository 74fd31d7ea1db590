//! Which nodes become joints.
//!
//! Joints are: what a skin names, what an animation moves, a mesh that hangs
//! from neither, and whatever lies between two joints. A file without meshes
//! has all its nodes as joints.

use glam::Vec3;

use super::{
    channels::{Animation, ChannelKeys},
    local::{LocalTransform, SCALE_NOISE},
};
use crate::{
    clip::Curve,
    mocap::{
        Notes,
        gltf::{GltfDocument, GltfError, NodeTree},
    },
};

/// What was found out about nodes.
pub(super) struct Nodes<'a> {
    pub document: &'a GltfDocument,
    pub hierarchy: NodeTree,
    pub locals: Vec<LocalTransform>,
    animated: Vec<bool>,
    pub moved: Vec<bool>,
    /// Its scale changes, beyond noise.
    pub scaled: Vec<bool>,
}

impl<'a> Nodes<'a> {
    pub fn new(
        document: &'a GltfDocument,
        animations: &[Animation],
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        let hierarchy = document.tree()?;
        let nodes = &document.root().nodes;
        let mut locals = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            locals.push(LocalTransform::of(document, index, node, notes)?);
        }
        let mut found = Self {
            document,
            hierarchy,
            locals,
            animated: vec![false; nodes.len()],
            moved: vec![false; nodes.len()],
            scaled: vec![false; nodes.len()],
        };
        for channel in animations.iter().flat_map(|it| &it.channels) {
            found.note_animated(channel.node, &channel.keys);
        }
        Ok(found)
    }

    fn note_animated(&mut self, node: usize, keys: &ChannelKeys) {
        match keys {
            // Morph weights move vertices, not the node.
            ChannelKeys::Weights(_) => return,
            ChannelKeys::Translation(_) => self.moved[node] = true,
            ChannelKeys::Rotation(_) => {}
            ChannelKeys::Scale(keys) => {
                let rest = self.locals[node].scale;
                let noise = SCALE_NOISE * rest.abs().max_element();
                let off = |&it: &Vec3| (it - rest).abs().max_element() > noise;
                // A cubic curve may leave its keys' values between them.
                let cubic = keys.curve() == Curve::Cubic;
                self.scaled[node] |= cubic || keys.values().iter().any(off);
            }
        }
        self.animated[node] = true;
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.hierarchy.parents[node]
    }

    /// By node: whether it is a joint.
    pub fn joints(&self) -> Vec<bool> {
        let mut joints = self.wanted();
        let above_joint = self.add_uneven_above(&mut joints);
        let mut below_joint = vec![false; joints.len()];
        for &node in &self.hierarchy.order {
            let parent = self.parent(node);
            below_joint[node] = parent.is_some_and(|it| joints[it] || below_joint[it]);
            joints[node] |= below_joint[node] && above_joint[node];
        }
        joints
    }

    /// Named by a skin, animated, or a mesh that no joint would carry. Nodes
    /// outside the scene are nobody's.
    fn wanted(&self) -> Vec<bool> {
        let root = self.document.root();
        let mut wanted = self.animated.clone();
        let named = root.skins.iter().flat_map(|it| &it.joints);
        named.for_each(|it| wanted[it.value()] = true);
        let has_meshes = root.nodes.iter().any(|it| it.mesh.is_some());
        let mut shown = vec![false; wanted.len()];
        let mut below_joint = vec![false; wanted.len()];
        for &node in &self.hierarchy.order {
            shown[node] = true;
            let parent = self.parent(node);
            below_joint[node] = parent.is_some_and(|it| wanted[it] || below_joint[it]);
            let it = &root.nodes[node];
            let stands_alone = it.mesh.is_some() && it.skin.is_none() && !below_joint[node];
            wanted[node] |= !has_meshes || stands_alone;
        }
        wanted
            .iter_mut()
            .zip(shown)
            .for_each(|(it, shown)| *it &= shown);
        wanted
    }

    /// An uneven scale turns to shear below a rotation, so no joint under it
    /// can take it in: its node becomes a joint. By node: whether a joint is
    /// below.
    fn add_uneven_above(&self, joints: &mut [bool]) -> Vec<bool> {
        let mut above_joint = vec![false; joints.len()];
        // Parents first, backwards: every node is met after all below it.
        for &node in self.hierarchy.order.iter().rev() {
            let uneven = self.locals[node].even_scale().is_none();
            joints[node] |= above_joint[node] && uneven;
            if let Some(parent) = self.parent(node) {
                above_joint[parent] |= joints[node] || above_joint[node];
            }
        }
        above_joint
    }

    /// Trees of many joints come first: the first joint is the character's
    /// root.
    pub fn sorted(&self, joints: &[bool]) -> Vec<usize> {
        let mut trees: Vec<Vec<usize>> = Vec::new();
        let order = self.hierarchy.order.iter();
        for &node in order.filter(|&&node| joints[node]) {
            let parent = self.parent(node);
            match trees.last_mut() {
                Some(tree) if parent.is_some_and(|it| joints[it]) => tree.push(node),
                _ => trees.push(vec![node]),
            }
        }
        // The sort is stable: of trees of one size the file's order decides.
        trees.sort_by_key(|tree| std::cmp::Reverse(tree.len()));
        trees.concat()
    }

    /// As written, or made up.
    pub fn name(&self, node: usize) -> String {
        let name = self.document.root().nodes[node].name.as_deref();
        match name.map(str::trim) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("node{node}"),
        }
    }
}
