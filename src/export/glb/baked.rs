//! A mesh whose vertices go their own way, baked: every frame a morph target.
//!
//! The animation gives each target its weight of 1 at its own time and lets it
//! rise and fall linearly, so that a reader sees vertices go straight from
//! frame to frame.

use glam::Vec3;
use serde_json::json;

use super::{
    buffer::{Buffer, Use},
    finish,
};

/// One moment of a baked mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakedFrame {
    /// Seconds, rising from frame to frame.
    pub time_secs: f64,
    /// World space, metres.
    pub positions: Vec<Vec3>,
    /// Unit.
    pub normals: Vec<Vec3>,
}

/// A mesh with its way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakedMesh {
    /// What it is called.
    pub name: String,
    /// Linear.
    pub colour: [f32; 3],
    /// Corners, counter-clockwise seen from before.
    pub triangles: Vec<[u32; 3]>,
    /// At least one; all with as many vertices.
    pub frames: Vec<BakedFrame>,
}

fn flat(values: impl Iterator<Item = Vec3>) -> Vec<f32> {
    values.flat_map(|it| it.to_array()).collect()
}

/// The bytes of a `.glb` file with meshes that move together; frames of all at
/// the times of the first.
#[must_use]
pub fn baked_glb(meshes: &[BakedMesh], source: &str) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let meshes: Vec<&BakedMesh> = meshes.iter().filter(|it| !it.frames.is_empty()).collect();
    let (mut nodes, mut entries, mut materials) = (Vec::new(), Vec::new(), Vec::new());
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (index, mesh) in meshes.iter().enumerate() {
        entries.push(mesh_entry(mesh, index, &mut buffer));
        nodes.push(json!({ "name": mesh.name, "mesh": index }));
        let [r, g, b] = mesh.colour;
        materials.push(json!({
            "name": mesh.name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.9,
            },
        }));
        let frames = mesh.frames.len();
        if frames > 1 {
            let begun = mesh.frames[0].time_secs;
            let times = mesh.frames.iter().map(|it| (it.time_secs - begun) as f32);
            let times = buffer.times(&times.collect::<Vec<f32>>());
            // Frame 0 is the mesh itself; frame k has target k - 1 alone.
            let weights = (0..frames).flat_map(|frame| {
                (1..frames).map(move |target| f32::from(u8::from(frame == target)))
            });
            let weights = buffer.floats(1, &weights.collect::<Vec<f32>>(), Use::Data);
            samplers.push(json!({ "input": times, "output": weights, "interpolation": "LINEAR" }));
            channels.push(json!({
                "sampler": samplers.len() - 1,
                "target": { "node": index, "path": "weights" },
            }));
        }
    }
    let shown: Vec<usize> = (0..nodes.len()).collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Kinetoscope" },
        "scene": 0,
        "scenes": [{ "name": "cloth", "nodes": shown }],
        "nodes": nodes,
        "meshes": entries,
        "materials": materials,
    });
    if !channels.is_empty() {
        document["animations"] = json!([{
            "name": "cloth",
            "samplers": samplers,
            "channels": channels,
            "extras": { "source": source },
        }]);
    }
    finish(document, &buffer)
}

fn mesh_entry(mesh: &BakedMesh, material: usize, buffer: &mut Buffer) -> serde_json::Value {
    let first = &mesh.frames[0];
    let positions = flat(first.positions.iter().copied());
    let normals = flat(first.normals.iter().map(|it| it.normalize_or(Vec3::Y)));
    let mut entry = json!({
        "attributes": {
            "POSITION": buffer.bounded(3, &positions, Use::Vertices),
            "NORMAL": buffer.floats(3, &normals, Use::Vertices),
        },
        "indices": buffer.indices(mesh.triangles.as_flattened()),
        "material": material,
    });
    let targets = mesh.frames.iter().skip(1).map(|frame| {
        let off = |now: &[Vec3], first: &[Vec3]| {
            flat(now.iter().zip(first).map(|(now, first)| *now - *first))
        };
        let positions = off(&frame.positions, &first.positions);
        let normals = off(&frame.normals, &first.normals);
        json!({
            "POSITION": buffer.bounded(3, &positions, Use::Vertices),
            "NORMAL": buffer.floats(3, &normals, Use::Vertices),
        })
    });
    let targets: Vec<_> = targets.collect();
    let mut whole = json!({ "name": mesh.name });
    if !targets.is_empty() {
        whole["weights"] = json!(vec![0.0; targets.len()]);
        entry["targets"] = json!(targets);
    }
    whole["primitives"] = json!([entry]);
    whole
}

/// One frame of all meshes as a Wavefront OBJ file.
#[must_use]
pub fn baked_obj(meshes: &[BakedMesh], frame: usize) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("# Kinetoscope, metres, Y up\n");
    let mut before = 1;
    for mesh in meshes {
        let Some(own) = mesh.frames.get(frame) else {
            continue;
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "o {}", mesh.name);
        for at in &own.positions {
            let _ = writeln!(text, "v {:.6} {:.6} {:.6}", at.x, at.y, at.z);
        }
        for n in &own.normals {
            let _ = writeln!(text, "vn {:.5} {:.5} {:.5}", n.x, n.y, n.z);
        }
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| corner + before);
            let _ = writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}");
        }
        before += own.positions.len() as u32;
    }
    text
}
