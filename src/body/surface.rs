//! The skin as triangles that move, for what meets it: cloth.
//!
//! Of a grown body all vertices, of a file's model all parts, vertices that lie
//! in one place on the same joints joined (files split them where pictures or
//! normals change). Skinned on the CPU exactly as the picture is: grown bodies
//! by dual quaternions, models by their matrices and morph targets.

use std::{collections::HashMap, sync::Arc};

use glam::{Affine3A, Vec3A};
use rayon::prelude::*;

use super::{Body, Skinning, Vertex, palette, skin_vertex};
use crate::{collide::MeshShape, math::Transform, mesh::CharacterMesh, skeleton::WorldPose};

/// Vertices that a thread takes at a time.
const PORTION: usize = 1024;

/// The skin of a body, ready to be posed.
#[derive(Clone, Debug)]
pub struct BodySurface {
    shape: Arc<MeshShape>,
    skin: Skin,
}

#[derive(Clone, Debug)]
enum Skin {
    Grown {
        vertices: Vec<Vertex>,
        joint_from_bind: Vec<Transform>,
    },
    Model {
        model: Arc<CharacterMesh>,
        /// Part and vertex that stand for each.
        vertices: Vec<(u32, u32)>,
    },
}

impl BodySurface {
    /// Of a body; nothing of one without skin.
    #[must_use]
    pub fn of(body: &Body) -> Option<Self> {
        let surface = match body.model() {
            Some(model) => Self::of_model(model),
            None => Self::of_grown(body),
        };
        (!surface.shape.triangles().is_empty()).then_some(surface)
    }

    fn of_grown(body: &Body) -> Self {
        let (triangles, _) = body.indices().as_chunks::<3>();
        let places: Vec<Vec3A> = { body.vertices().iter() }
            .map(|vertex| Vec3A::from(vertex.position))
            .collect();
        Self {
            shape: Arc::new(MeshShape::new(&places, triangles)),
            skin: Skin::Grown {
                vertices: body.vertices().to_vec(),
                joint_from_bind: body.joint_from_bind().to_vec(),
            },
        }
    }

    fn of_model(model: &Arc<CharacterMesh>) -> Self {
        let mut known = HashMap::new();
        let (mut vertices, mut places, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for (part_index, part) in (0u32..).zip(&model.parts) {
            let primitive = &model.primitives[part.primitive];
            let mut of_part = Vec::with_capacity(primitive.vertices.len());
            for (index, vertex) in (0u32..).zip(&primitive.vertices) {
                let targets = { primitive.targets.iter() }
                    .map(|target| target.offsets[index as usize].map(f32::to_bits))
                    .collect::<Vec<_>>();
                let key = (
                    (part.first_slot, part.first_morph),
                    vertex.position.map(f32::to_bits),
                    (vertex.slots, vertex.weights),
                    targets,
                );
                of_part.push(*known.entry(key).or_insert_with(|| {
                    vertices.push((part_index, index));
                    places.push(Vec3A::from(vertex.position));
                    vertices.len() as u32 - 1
                }));
            }
            let (corners, _) = primitive.indices.as_chunks::<3>();
            triangles.extend(
                corners
                    .iter()
                    .map(|t| t.map(|corner| of_part[corner as usize])),
            );
        }
        Self {
            shape: Arc::new(MeshShape::new(&places, &triangles)),
            skin: Skin::Model {
                model: Arc::clone(model),
                vertices,
            },
        }
    }

    /// Its triangles.
    #[must_use]
    pub fn shape(&self) -> &Arc<MeshShape> {
        &self.shape
    }

    /// Vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.skin {
            Skin::Grown { vertices, .. } => vertices.len(),
            Skin::Model { vertices, .. } => vertices.len(),
        }
    }

    /// Never true: it has triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the vertices are in a pose, world space.
    ///
    /// # Panics
    /// When the pose is of another skeleton, or `positions` not as long as there
    /// are vertices.
    pub fn place(&self, pose: &WorldPose, positions: &mut [Vec3A]) {
        assert_eq!(positions.len(), self.len(), "one output a vertex");
        match &self.skin {
            Skin::Grown {
                vertices,
                joint_from_bind,
            } => {
                let mut world_from_bind = vec![Transform::IDENTITY; joint_from_bind.len()];
                palette(pose, joint_from_bind, &mut world_from_bind);
                each(positions, |index| {
                    skin_vertex(&vertices[index], &world_from_bind, Skinning::DualQuaternion).0
                });
            }
            Skin::Model { model, vertices } => {
                let slots: Vec<Affine3A> = model.palette(pose).collect();
                each(positions, |index| {
                    let (part, vertex) = vertices[index];
                    let part = &model.parts[part as usize];
                    model.place(part, vertex as usize, &slots, pose.morphs())
                });
            }
        }
    }
}

fn each(positions: &mut [Vec3A], place: impl Fn(usize) -> Vec3A + Sync) {
    let portions = positions.par_chunks_mut(PORTION).enumerate();
    portions.for_each(|(portion, positions)| {
        for (index, position) in positions.iter_mut().enumerate() {
            *position = place(portion * PORTION + index);
        }
    });
}
