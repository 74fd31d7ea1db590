//! glTF 2.0 binary: the joints as a hierarchy of nodes, a model skinned to
//! them, clips as animations.
//!
//! Metres, seconds, Y up, quaternions x y z w: glTF counts as we do, so numbers
//! go out as they are. A clip of frames has a linear key for every frame;
//! between frames a reader sees what
//! [`Interpolation::Linear`](crate::clip::Interpolation) gives, but for its
//! slerp where we normalise. A clip of tracks keeps its keys, cubic ones as
//! CUBICSPLINE; straight keys on grids are packed ([`packed`]). Limit: bone ends,
//! which are no joints, are left out.

mod animation;
mod baked;
mod buffer;
mod look;
mod mesh;
mod packed;

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use crate::{
    clip::{EventTrack, GriddedClip, RawClip, TrackClip},
    mesh::CharacterMesh,
    skeleton::{NO_PARENT, Skeleton},
};
pub use baked::{BakedFrame, BakedMesh, baked_glb, baked_obj};
use buffer::{Buffer, PACKED, container};

/// A clip to write.
#[derive(Clone, Copy, Debug)]
pub enum GlbMotion<'a> {
    /// A linear key for every frame.
    Frames(&'a RawClip),
    /// Its own keys.
    Keys(&'a TrackClip),
    /// Straight keys on grids, packed; what they promise is in the extras.
    Gridded(&'a GriddedClip),
}

/// A clip to write, and what happens in it.
#[derive(Clone, Copy, Debug)]
pub struct GlbClip<'a> {
    /// The motion.
    pub motion: GlbMotion<'a>,
    /// Kept in the extras of its animation.
    pub events: Option<&'a EventTrack>,
}

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct GlbSource<'a> {
    /// The joints.
    pub skeleton: &'a Skeleton,
    /// Its meshes; joints alone without.
    pub model: Option<&'a CharacterMesh>,
    /// All for the skeleton.
    pub clips: &'a [GlbClip<'a>],
    /// Where it comes from; kept in the extras of every animation.
    pub source: &'a str,
}

/// The bytes of a `.glb` file.
#[must_use]
pub fn glb(source: GlbSource<'_>) -> Vec<u8> {
    let GlbSource {
        skeleton, clips, ..
    } = source;
    let mut buffer = Buffer::default();
    let mut nodes = joint_nodes(skeleton);
    let roots = (0..skeleton.len()).filter(|&it| skeleton.parents()[it] == NO_PARENT);
    let roots: Vec<usize> = roots.collect();
    let mut shown = roots.clone();
    let name = match skeleton.name() {
        "" => "scene",
        name => name,
    };
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Kinetoscope" },
        "scene": 0,
    });
    let mut morphs = Vec::new();
    if let Some(model) = source.model {
        let written = mesh::write(skeleton, model, &mut buffer);
        let first = nodes.len();
        shown.extend(first..first + written.nodes.len());
        nodes.extend(written.nodes);
        morphs = written.morphs;
        // Meshes are numbered from 0 among themselves; their nodes come after
        // the joints'.
        morphs.iter_mut().for_each(|it| it.node += first);
        document["meshes"] = json!(written.meshes);
        document["skins"] = json!(written.skins);
        look::write(model, &mut buffer, &mut document);
    }
    if roots.len() > 1 && source.model.is_some() {
        // The joints of a skin must have an ancestor in common.
        shown.retain(|node| !roots.contains(node));
        shown.insert(0, nodes.len());
        nodes.push(json!({ "name": "roots", "children": roots }));
    }
    document["scenes"] = json!([{ "name": name, "nodes": shown }]);
    document["nodes"] = json!(nodes);
    let animations = clips.iter().filter_map(|clip| {
        let rest = (skeleton, morphs.as_slice());
        animation::write(*clip, rest, source.source, &mut buffer)
    });
    let animations: Vec<Value> = animations.collect();
    if !animations.is_empty() {
        document["animations"] = json!(animations);
    }
    finish(document, &buffer)
}

fn finish(mut document: Value, buffer: &Buffer) -> Vec<u8> {
    // Lists may be left out but not be empty.
    if !buffer.bytes.is_empty() {
        document["buffers"] = json!(buffer.buffers());
        document["bufferViews"] = json!(buffer.views);
        document["accessors"] = json!(buffer.accessors);
    }
    if buffer.has_packed() {
        document["extensionsUsed"] = json!([PACKED]);
        document["extensionsRequired"] = json!([PACKED]);
    }
    container(&document, &buffer.bytes)
}

/// The shortest digits that are read as the same number: as a double a float is
/// written with twice as many.
fn short(number: f32) -> Value {
    let digits = number.to_string();
    digits.parse::<f64>().map_or(json!(number), |it| json!(it))
}

fn shorts(numbers: &[f32]) -> Vec<Value> {
    numbers.iter().map(|&it| short(it)).collect()
}

fn joint_nodes(skeleton: &Skeleton) -> Vec<Value> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        if parent != NO_PARENT {
            children[usize::from(parent)].push(joint);
        }
    }
    let joints = skeleton.joints().iter().zip(children).enumerate();
    let node = joints.map(|(index, (joint, children))| {
        let mut node = json!({ "name": joint.name });
        let position = joint.rest.position();
        if position != Vec3::ZERO {
            node["translation"] = json!(shorts(&position.to_array()));
        }
        // Validators check the length, and products of rotations drift from 1.
        let rotation = joint.rest.rotation.normalize();
        if rotation != Quat::IDENTITY {
            node["rotation"] = json!(shorts(&rotation.to_array()));
        }
        if let Some(scale) = skeleton.rest().scales().get(index) {
            node["scale"] = json!(shorts(&scale.to_array()));
        }
        // An empty list is not allowed.
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    });
    node.collect()
}
