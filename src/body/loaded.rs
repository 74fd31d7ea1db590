//! A body that a file brings: its model, measured.
//!
//! The picture is drawn from the [`CharacterMesh`] itself. What solids, framing and
//! bounds need is taken from it once: a sample of its vertices in the rest
//! pose, each with the joints that move it, and for every slot the box of what
//! it moves. Limit: 20 thousand sampled vertices.

use std::{collections::HashSet, sync::Arc};

use glam::{Affine3A, Vec3, Vec3A};

use super::{Body, Vertex};
use crate::{
    mesh::{CharacterMesh, Material, MeshVertex, Part, Primitive, Slot},
    skeleton::{JointIndex, ModelPose, Skeleton, SpacePose},
};

/// Vertices that stand for the whole.
const MAX_SAMPLES: usize = 20_000;
/// Vertices that tell the outline.
const MAX_OUTLINE: usize = 600;

/// Share of its height that a model at rest may be below the ground.
const SUNK: f32 = 0.03;

/// Linear; what a grown body is coloured in files.
const GROWN_COLOUR: [f32; 4] = [0.62, 0.55, 0.48, 1.0];

/// What a body keeps of its model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loaded {
    model: Arc<CharacterMesh>,
    /// Part and vertex of the sample.
    samples: Vec<(u32, u32)>,
    /// By slot: low and high corner of all it moves, in mesh space.
    boxes: Vec<Option<(Vec3A, Vec3A)>>,
    ground_y: f32,
}

impl Loaded {
    /// Another form of a body, which keeps that one's own vertices.
    pub(super) fn bare(model: CharacterMesh, ground_y: f32) -> Self {
        Self {
            boxes: boxes(&model),
            model: Arc::new(model),
            samples: Vec::new(),
            ground_y,
        }
    }
}

impl Body {
    /// A body drawn from a model on its skeleton.
    #[must_use]
    pub fn of_model(skeleton: &Skeleton, model: &Arc<CharacterMesh>) -> Self {
        let pose = skeleton.rest_model();
        let palette: Vec<Affine3A> = model.palette(&pose).collect();
        let samples = sample(model);
        let vertices: Vec<Vertex> = samples
            .iter()
            .map(|&(part, vertex)| {
                let part = &model.parts[part as usize];
                rest_vertex(model, part, vertex as usize, &palette, &pose)
            })
            .collect();
        let heights = vertices.iter().map(|it| it.position[1]);
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), y| {
            (low.min(y), high.max(y))
        });
        // Feet may sink in a little; what reaches lower is not meant to stand.
        let ground_y = if low < -SUNK * (high - low) { low } else { 0.0 };
        let mut reach_m = vec![0.0f32; skeleton.len()];
        for vertex in &vertices {
            let joint = usize::from(vertex.joints[0]);
            let off = Vec3A::from(vertex.position) - pose.joints()[joint].translation;
            reach_m[joint] = reach_m[joint].max(off.length());
        }
        Self {
            vertices,
            reach_m,
            loaded: Some(Loaded {
                ground_y,
                boxes: boxes(model),
                model: Arc::clone(model),
                samples,
            }),
            ..Self::empty(&pose)
        }
    }

    /// The model that is drawn instead of this body's own vertices, which then
    /// are a sample of it.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<CharacterMesh>> {
        self.loaded.as_ref().map(|it| &it.model)
    }

    /// Where the ground belongs: at 0, or below a model that reaches lower.
    #[must_use]
    pub fn ground_y(&self) -> f32 {
        self.loaded.as_ref().map_or(0.0, |it| it.ground_y)
    }

    /// Low and high corner of a box that holds the body in a pose.
    #[must_use]
    pub fn bounds<S>(&self, pose: &SpacePose<S>) -> (Vec3, Vec3) {
        let (mut low, mut high) = (Vec3A::MAX, Vec3A::MIN);
        match &self.loaded {
            // A vertex lies between where its slots take it.
            Some(Loaded { model, boxes, .. }) => {
                for (slot, corners) in model.palette(pose).zip(boxes) {
                    let Some((from, to)) = corners else { continue };
                    let (middle, half) = ((*from + *to) * 0.5, (*to - *from) * 0.5);
                    let middle = slot.transform_point3a(middle);
                    // A turned box reaches |M|·h along the axes of the pose's space.
                    let half = slot.matrix3.abs() * half;
                    low = low.min(middle - half);
                    high = high.max(middle + half);
                }
            }
            None => {
                for (joint, &reach) in pose.joints().iter().zip(&self.reach_m) {
                    low = low.min(joint.translation - reach);
                    high = high.max(joint.translation + reach);
                }
            }
        }
        (low.into(), high.into())
    }

    /// The model itself, or a grown body as one, to be written to a file.
    #[must_use]
    pub fn to_model(&self) -> Arc<CharacterMesh> {
        if let Some(model) = self.model() {
            return Arc::clone(model);
        }
        let joints = self.joint_from_bind.iter().enumerate();
        let slots = joints.map(|(joint, &joint_from_bind)| Slot {
            joint: joint as JointIndex,
            joint_from_mesh: Affine3A::from_rotation_translation(
                joint_from_bind.rotation,
                joint_from_bind.position(),
            ),
        });
        let slots: Vec<Slot> = slots.collect();
        let vertex = |it: &Vertex| MeshVertex {
            position: it.position,
            normal: it.normal().normalize_or(Vec3A::Y).to_array(),
            slots: it.joints,
            weights: it.weights,
            colour: [u16::MAX; 4],
            ..MeshVertex::default()
        };
        let parts = (!self.indices.is_empty()).then_some(Part {
            primitive: 0,
            first_slot: 0,
            slots: slots.len(),
            first_morph: 0,
        });
        Arc::new(CharacterMesh {
            primitives: vec![Primitive {
                vertices: self.vertices.iter().map(vertex).collect(),
                indices: self.indices.clone(),
                material: Some(0),
                ..Primitive::default()
            }],
            parts: parts.into_iter().collect(),
            slots,
            materials: vec![Material {
                name: "body".into(),
                base_colour: GROWN_COLOUR,
                metallic: 0.0,
                roughness: 0.7,
                ..Material::default()
            }],
            mesh_names: vec!["body".into()],
            ..CharacterMesh::default()
        })
    }

    /// Points on a loaded body in a pose, spread over the whole of it.
    pub fn outline<S>(&self, pose: &SpacePose<S>, points: &mut Vec<Vec3>) {
        let Some(Loaded { model, samples, .. }) = &self.loaded else {
            return;
        };
        let palette: Vec<Affine3A> = model.palette(pose).collect();
        let chosen = samples.iter().step_by(samples.len() / MAX_OUTLINE + 1);
        points.extend(chosen.map(|&(part, vertex)| -> Vec3 {
            let part = &model.parts[part as usize];
            model
                .place(part, vertex as usize, &palette, pose.morphs())
                .into()
        }));
    }
}

/// Vertices at even distances through all parts.
fn sample(model: &CharacterMesh) -> Vec<(u32, u32)> {
    let step = model.vertex_count() / MAX_SAMPLES + 1;
    let mut samples = Vec::new();
    let mut next = 0;
    for (index, part) in (0u32..).zip(&model.parts) {
        let count = model.primitives[part.primitive].vertices.len();
        while next < count {
            samples.push((index, next as u32));
            next += step;
        }
        next -= count;
    }
    samples
}

fn rest_vertex(
    model: &CharacterMesh,
    part: &Part,
    vertex: usize,
    palette: &[Affine3A],
    pose: &ModelPose,
) -> Vertex {
    let own = &model.primitives[part.primitive].vertices[vertex];
    let place = model.place(part, vertex, palette, pose.morphs());
    let slot = |it: u16| part.first_slot + usize::from(it).min(part.slots - 1);
    let normal = palette[slot(own.slots[0])].matrix3 * Vec3A::from(own.normal);
    let normal = normal.normalize_or(Vec3A::Y).extend(0.0).to_array();
    // Strongest first, as everybody expects of a body.
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|&it| std::cmp::Reverse(own.weights[it]));
    Vertex {
        position: place.to_array(),
        normal: normal.map(|it| (it * 32767.0).round() as i16),
        joints: order.map(|it| model.slots[slot(own.slots[it])].joint),
        weights: order.map(|it| own.weights[it]),
        shade: [255, 0, 0, 0],
    }
}

type Corners = Option<(Vec3A, Vec3A)>;

fn grow(corners: &mut Corners, low: Vec3A, high: Vec3A) {
    *corners = Some(match *corners {
        Some((known_low, known_high)) => (known_low.min(low), known_high.max(high)),
        None => (low, high),
    });
}

/// What each slot moves, morph targets at any weight from 0 to 1.
fn boxes(model: &CharacterMesh) -> Vec<Corners> {
    let own: Vec<Vec<Corners>> = model.primitives.iter().map(primitive_boxes).collect();
    let mut boxes = vec![None; model.slots.len()];
    let mut done = HashSet::new();
    for part in &model.parts {
        // The same mesh on the same joints once more changes nothing.
        if !done.insert((part.primitive, part.first_slot)) {
            continue;
        }
        for (slot, corners) in own[part.primitive].iter().enumerate() {
            if let Some((low, high)) = *corners {
                let slot = part.first_slot + slot.min(part.slots - 1);
                grow(&mut boxes[slot], low, high);
            }
        }
    }
    boxes
}

fn primitive_boxes(primitive: &Primitive) -> Vec<Corners> {
    let mut boxes: Vec<Corners> = Vec::new();
    for (index, vertex) in primitive.vertices.iter().enumerate() {
        let at = Vec3A::from(vertex.position);
        let (mut low, mut high) = (at, at);
        for target in &primitive.targets {
            let offset = Vec3A::from(target.offsets[index]);
            // Any mix of weights from 0 to 1: each target adds its worst on its own.
            low += offset.min(Vec3A::ZERO);
            high += offset.max(Vec3A::ZERO);
        }
        for (&slot, &weight) in vertex.slots.iter().zip(&vertex.weights) {
            if weight > 0 {
                let slot = usize::from(slot);
                if boxes.len() <= slot {
                    boxes.resize(slot + 1, None);
                }
                grow(&mut boxes[slot], low, high);
            }
        }
    }
    boxes
}
