//! Meshes, each on a node of its own, skinned to the joints.
//!
//! Every part goes out skinned, a rigid one to its only joint: skins hold any
//! affine `joint_from_mesh`, and a reader needs no node beside the joints. The
//! first skin names all joints, so that none is lost on the way.

use glam::{Affine3A, Mat4};
use serde_json::{Value, json};

use super::buffer::{Buffer, Use};
use crate::{
    mesh::{CharacterMesh, MeshVertex, MorphTarget, Part, Primitive},
    skeleton::Skeleton,
};

/// A node whose mesh has morph targets.
#[derive(Clone, Copy, Debug)]
pub(super) struct MorphNode {
    pub node: usize,
    pub first_morph: usize,
    pub targets: usize,
}

/// What a model becomes.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub nodes: Vec<Value>,
    pub meshes: Vec<Value>,
    pub skins: Vec<Value>,
    pub morphs: Vec<MorphNode>,
}

pub(super) fn write(skeleton: &Skeleton, model: &CharacterMesh, buffer: &mut Buffer) -> Written {
    let mut written = Written::default();
    let mut meshes: Vec<Option<usize>> = vec![None; model.mesh_names.len()];
    let mut skins: Vec<(usize, usize)> = Vec::new();
    let mut before = None;
    for part in &model.parts {
        let primitive = &model.primitives[part.primitive];
        // The parts of one node follow one another and take its whole mesh.
        let node = (primitive.mesh, part.first_slot, part.first_morph);
        if before.replace(node) == Some(node) && !starts_mesh(model, part) {
            continue;
        }
        let mesh = *meshes[primitive.mesh].get_or_insert_with(|| {
            let mesh = mesh_entry(model, primitive.mesh, buffer);
            written.meshes.push(mesh);
            written.meshes.len() - 1
        });
        // Parts that share slots share a skin.
        let own = (part.first_slot, part.slots);
        let skin = skins.iter().position(|it| *it == own).unwrap_or_else(|| {
            let skin = skin_entry(skeleton, model, part, skins.is_empty(), buffer);
            written.skins.push(skin);
            skins.push(own);
            skins.len() - 1
        });
        let mut entry = json!({ "mesh": mesh, "skin": skin });
        let name = &model.mesh_names[primitive.mesh];
        if !name.is_empty() {
            entry["name"] = json!(format!("{name} mesh"));
        }
        let targets = primitive.targets.len();
        if targets > 0 {
            let weight = |morph: usize| skeleton.rest().morphs().get(morph).copied();
            let weights = (part.first_morph..part.first_morph + targets)
                .map(|morph| weight(morph).unwrap_or(0.0));
            entry["weights"] = json!(weights.collect::<Vec<f32>>());
            written.morphs.push(MorphNode {
                node: written.nodes.len(),
                first_morph: part.first_morph,
                targets,
            });
        }
        written.nodes.push(entry);
    }
    written
}

/// Whether a part is of the first primitive of its mesh.
fn starts_mesh(model: &CharacterMesh, part: &Part) -> bool {
    let mesh = model.primitives[part.primitive].mesh;
    part.primitive == 0 || model.primitives[part.primitive - 1].mesh != mesh
}

fn skin_entry(
    skeleton: &Skeleton,
    model: &CharacterMesh,
    part: &Part,
    names_all: bool,
    buffer: &mut Buffer,
) -> Value {
    let slots = &model.slots[part.first_slot..part.first_slot + part.slots];
    let mut joints: Vec<usize> = slots.iter().map(|it| usize::from(it.joint)).collect();
    let mut binds: Vec<Affine3A> = slots.iter().map(|it| it.joint_from_mesh).collect();
    if names_all {
        let missing: Vec<usize> = (0..skeleton.len())
            .filter(|it| !joints.contains(it))
            .collect();
        let rest = skeleton.rest_model();
        // No vertex follows them: their bind is the rest pose, which leaves
        // things where they are.
        binds.extend(missing.iter().map(|&it| rest.affine(it).inverse()));
        joints.extend(missing);
    }
    let floats: Vec<f32> = binds
        .iter()
        .flat_map(|it| Mat4::from(*it).to_cols_array())
        .collect();
    let binds = buffer.floats(16, &floats, Use::Data);
    json!({ "joints": joints, "inverseBindMatrices": binds })
}

/// Names of a mesh's morph targets, as its first use has them; none where none
/// has a name.
fn target_names(model: &CharacterMesh, mesh: usize) -> Option<Vec<&str>> {
    let mut parts = model.parts.iter();
    let part = parts.find(|it| model.primitives[it.primitive].mesh == mesh)?;
    let targets = model.primitives[part.primitive].targets.len();
    let name = |it: usize| model.morph_names.get(it).map_or("", String::as_str);
    let names: Vec<&str> = (part.first_morph..part.first_morph + targets)
        .map(name)
        .collect();
    names.iter().any(|it| !it.is_empty()).then_some(names)
}

fn mesh_entry(model: &CharacterMesh, mesh: usize, buffer: &mut Buffer) -> Value {
    let own = model.primitives.iter().filter(|it| it.mesh == mesh);
    let own: Vec<&Primitive> = own.collect();
    let primitives = own.iter().map(|it| primitive_entry(model, it, buffer));
    let mut entry = json!({ "primitives": primitives.collect::<Vec<Value>>() });
    if let Some(names) = target_names(model, mesh) {
        entry["extras"] = json!({ "targetNames": names });
    }
    let name = &model.mesh_names[mesh];
    if !name.is_empty() {
        entry["name"] = json!(name);
    }
    entry
}

fn attributes(model: &CharacterMesh, primitive: &Primitive, buffer: &mut Buffer) -> Value {
    let vertices = &primitive.vertices;
    let positions: Vec<f32> = vertices.iter().flat_map(|it| it.position).collect();
    let normals: Vec<f32> = vertices.iter().flat_map(|it| it.normal).collect();
    // A joint without weight is joint 0, as the format asks.
    let slots = |it: &MeshVertex| {
        [0, 1, 2, 3].map(|slot| {
            if it.weights[slot] > 0 {
                it.slots[slot]
            } else {
                0
            }
        })
    };
    let slots: Vec<[u16; 4]> = vertices.iter().map(slots).collect();
    let weights: Vec<[u16; 4]> = vertices.iter().map(|it| it.weights).collect();
    let mut attributes = json!({
        "POSITION": buffer.bounded(3, &positions, Use::Vertices),
        "NORMAL": buffer.floats(3, &normals, Use::Vertices),
        "JOINTS_0": buffer.shorts(&slots, false),
        "WEIGHTS_0": buffer.shorts(&weights, true),
    });
    let material = primitive.material.and_then(|it| model.materials.get(it));
    // Without a picture coordinates would only be bytes.
    if material.is_some_and(|it| it.texture.is_some()) {
        let uvs: Vec<f32> = vertices.iter().flat_map(|it| it.uv).collect();
        attributes["TEXCOORD_0"] = json!(buffer.floats(2, &uvs, Use::Vertices));
    }
    if vertices.iter().any(|it| it.colour != [u16::MAX; 4]) {
        let colours: Vec<[u16; 4]> = vertices.iter().map(|it| it.colour).collect();
        attributes["COLOR_0"] = json!(buffer.shorts(&colours, true));
    }
    attributes
}

fn primitive_entry(model: &CharacterMesh, primitive: &Primitive, buffer: &mut Buffer) -> Value {
    let mut entry = json!({
        "attributes": attributes(model, primitive, buffer),
        "indices": buffer.indices(&primitive.indices),
    });
    if let Some(material) = primitive.material {
        entry["material"] = json!(material);
    }
    if !primitive.targets.is_empty() {
        let targets = primitive.targets.iter();
        let targets = targets.map(|target| target_entry(target, buffer));
        entry["targets"] = json!(targets.collect::<Vec<Value>>());
    }
    entry
}

fn target_entry(target: &MorphTarget, buffer: &mut Buffer) -> Value {
    let offsets = target.offsets.as_flattened();
    let mut entry = json!({ "POSITION": buffer.bounded(3, offsets, Use::Vertices) });
    if !target.normals.is_empty() {
        let normals = target.normals.as_flattened();
        entry["NORMAL"] = json!(buffer.floats(3, normals, Use::Vertices));
    }
    entry
}
