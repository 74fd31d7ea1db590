//! glTF 2.0 binary: the joints as a hierarchy of nodes, the clip as an
//! animation with a key for every frame.
//!
//! Metres, seconds, Y up, quaternions x y z w: glTF counts as we do, so numbers
//! go out as they are. Limit: no mesh and so no skin; bone ends, which are no
//! joints, are left out. Linear keys: between frames a reader sees what
//! [`Interpolation::Linear`](crate::clip::Interpolation) gives, but for its
//! slerp where we normalise.

use glam::Vec3;
use serde_json::{Value, json};

use crate::{
    clip::RawClip,
    skeleton::{JointIndex, LocalPose, NO_PARENT, Skeleton},
};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const FLOAT: u32 = 5126;

/// Writes a clip on its skeleton. `source` says where it comes from.
#[must_use]
pub fn glb(skeleton: &Skeleton, clip: &RawClip, source: &str) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let animation = animation(skeleton, clip, source, &mut buffer);
    let roots = (0..skeleton.len()).filter(|&it| skeleton.parents()[it] == NO_PARENT);
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Kinetoscope" },
        "scene": 0,
        "scenes": [{ "name": skeleton.name(), "nodes": roots.collect::<Vec<_>>() }],
        "nodes": nodes(skeleton),
        "animations": [animation],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
    });
    if let Some(Value::String(name)) = document.pointer("/scenes/0/name")
        && name.is_empty()
    {
        document["scenes"][0]["name"] = json!("scene");
    }
    container(&document, &buffer.bytes)
}

fn nodes(skeleton: &Skeleton) -> Vec<Value> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        if parent != NO_PARENT {
            children[usize::from(parent)].push(joint);
        }
    }
    let joints = skeleton.joints().iter().zip(children);
    let node = joints.map(|(joint, children)| {
        let mut node = json!({
            "name": joint.name,
            "translation": joint.rest.position().to_array(),
            "rotation": joint.rest.rotation.normalize().to_array(),
        });
        // An empty list is not allowed.
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    });
    node.collect()
}

fn animation(skeleton: &Skeleton, clip: &RawClip, source: &str, buffer: &mut Buffer) -> Value {
    let secs = |frame: usize| (frame as f64 / clip.fps) as f32;
    let times: Vec<f32> = (0..clip.frames()).map(secs).collect();
    let input = buffer.times(&times);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |joint: JointIndex, path: &str, output: usize| {
        let target = json!({ "node": joint, "path": path });
        channels.push(json!({ "sampler": samplers.len(), "target": target }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
    };
    for (track, &joint) in clip.animated.iter().enumerate() {
        let frames = 0..clip.frames();
        let turns = frames.map(|frame| clip.frame_rotations(frame)[track].normalize());
        let turns: Vec<[f32; 4]> = turns.map(|it| it.to_array()).collect();
        channel(
            joint,
            "rotation",
            buffer.values("VEC4", turns.as_flattened()),
        );
    }
    let moving = moving_joints(skeleton, clip);
    for (joint, places) in moving.iter().zip(places(skeleton, clip, &moving)) {
        let flat: Vec<[f32; 3]> = places.iter().map(Vec3::to_array).collect();
        channel(
            *joint,
            "translation",
            buffer.values("VEC3", flat.as_flattened()),
        );
    }
    json!({
        "name": clip.name,
        "samplers": samplers,
        "channels": channels,
        "extras": { "source": source, "fps": clip.fps },
    })
}

/// The root, joints with translations of their own, children of bones that
/// stretch.
fn moving_joints(skeleton: &Skeleton, clip: &RawClip) -> Vec<JointIndex> {
    let mut moving = vec![0];
    moving.extend(clip.translations.iter().map(|track| track.joint));
    for track in &clip.stretches {
        moving.extend(skeleton.children(track.joint));
    }
    moving.sort_unstable();
    moving.dedup();
    moving
}

/// Where those joints stand in their parents, frame after frame.
fn places(skeleton: &Skeleton, clip: &RawClip, moving: &[JointIndex]) -> Vec<Vec<Vec3>> {
    let mut places = vec![Vec::with_capacity(clip.frames()); moving.len()];
    let mut pose = LocalPose::default();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        for (places, &joint) in places.iter_mut().zip(moving) {
            places.push(pose.joints()[usize::from(joint)].position());
        }
    }
    places
}

/// The binary part and what describes it: one view for each accessor.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Key times, with the bounds that the format asks of them.
    fn times(&mut self, times: &[f32]) -> usize {
        let index = self.values("SCALAR", times);
        let bound = |time: Option<&f32>| [f64::from(*time.unwrap_or(&0.0))];
        self.accessors[index]["min"] = json!(bound(times.first()));
        self.accessors[index]["max"] = json!(bound(times.last()));
        index
    }

    fn values(&mut self, kind: &str, values: &[f32]) -> usize {
        let width = match kind {
            "VEC4" => 4,
            "VEC3" => 3,
            _ => 1,
        };
        let (offset, length) = (self.bytes.len(), 4 * values.len());
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.bytes.extend(bytes);
        self.views
            .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": length }));
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1,
            "componentType": FLOAT,
            "count": values.len() / width,
            "type": kind,
        }));
        self.accessors.len() - 1
    }
}

/// Header, JSON chunk padded with blanks, binary chunk padded with zeros.
fn container(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = binary.len().next_multiple_of(4);
    let total = 12 + 8 + text.len() + 8 + padded;
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(total as u32).to_le_bytes());
    for (chunk, kind, length) in [
        (text.as_slice(), b"JSON", text.len()),
        (binary, b"BIN\0", padded),
    ] {
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(chunk);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}
