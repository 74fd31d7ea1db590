//! Meshes: attributes become vertices.

use glam::Vec3;

use super::{channels::vectors, look::UvSource};
use crate::{
    mesh::{MAX_INFLUENCES, MeshVertex, MorphTarget, Primitive, quantised_weights},
    mocap::{
        MAX_MAGNITUDE, Note, Notes,
        gltf::{
            GltfDocument, GltfError, GltfProblem,
            json::{
                self,
                accessor::Type,
                mesh::{Mode, Semantic},
                validation::Checked,
            },
        },
    },
};

/// A primitive and what its parts must be checked against.
pub(super) struct Mesh {
    pub primitive: Primitive,
    /// The largest joint number of any vertex.
    pub largest_joint: u16,
}

/// A primitive, or `None` for points and lines.
pub(super) fn primitive(
    document: &GltfDocument,
    (mesh, number): (usize, usize),
    it: &json::mesh::Primitive,
    uvs: UvSource,
    notes: &mut Notes,
) -> Result<Option<Mesh>, GltfError> {
    let at = format!("meshes[{mesh}].primitives[{number}]");
    let mode = match it.mode {
        Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) => mode,
        _ => {
            notes.add_counted("points and lines", || {
                Note::warning(format!("{at} is points or lines, which are not drawn"))
            });
            return Ok(None);
        }
    };
    let mut reader = Reader::new(document, &at, it)?;
    reader.normals()?;
    reader.texture_coordinates(uvs)?;
    reader.colours()?;
    reader.influences(notes)?;
    let targets = reader.targets()?;
    let indices = reader.indices(mode)?;
    let largest_joint = reader.largest_joint;
    let mut primitive = Primitive {
        mesh,
        vertices: reader.vertices,
        indices,
        material: it.material.map(|it| it.value()),
        targets,
    };
    if reader.flat {
        flatten(document, &at, &mut primitive)?;
    }
    Ok(Some(Mesh {
        primitive,
        largest_joint,
    }))
}

/// Joints and weights, four of each a vertex.
type InfluenceSet = (Vec<u32>, Vec<f32>);

struct Reader<'a> {
    document: &'a GltfDocument,
    at: &'a str,
    it: &'a json::mesh::Primitive,
    vertices: Vec<MeshVertex>,
    largest_joint: u16,
    flat: bool,
}

impl<'a> Reader<'a> {
    fn new(
        document: &'a GltfDocument,
        at: &'a str,
        it: &'a json::mesh::Primitive,
    ) -> Result<Self, GltfError> {
        let positions = it.attributes.get(&Checked::Valid(Semantic::Positions));
        let Some(positions) = positions else {
            let problem = GltfProblem::Other("it has no POSITION".into());
            return Err(document.error(at, problem));
        };
        let positions = document.measures(positions.value(), Type::Vec3)?;
        let (positions, _) = positions.as_chunks::<3>();
        let vertex = |&position: &[f32; 3]| MeshVertex {
            position,
            // What names no joints follows the only slot of its node.
            weights: [u16::MAX, 0, 0, 0],
            colour: [u16::MAX; 4],
            ..MeshVertex::default()
        };
        Ok(Self {
            document,
            at,
            it,
            vertices: positions.iter().map(vertex).collect(),
            largest_joint: 0,
            flat: false,
        })
    }

    fn attribute(&self, semantic: Semantic) -> Option<usize> {
        let found = self.it.attributes.get(&Checked::Valid(semantic));
        found.map(|it| it.value())
    }

    /// All attributes have one element a vertex.
    fn one_a_vertex(&self, what: &str, found: usize) -> Result<(), GltfError> {
        if found == self.vertices.len() {
            return Ok(());
        }
        let problem = GltfProblem::Expected {
            expected: format!("{} {what}, one a vertex", self.vertices.len()),
            found: found.to_string(),
        };
        Err(self.document.error(self.at, problem))
    }

    fn floats(&self, accessor: usize, kind: Type, what: &str) -> Result<Vec<f32>, GltfError> {
        let floats = self.document.floats(accessor, kind)?;
        self.one_a_vertex(what, floats.len() / kind.multiplicity())?;
        Ok(floats)
    }

    fn normals(&mut self) -> Result<(), GltfError> {
        let Some(accessor) = self.attribute(Semantic::Normals) else {
            self.flat = true;
            return Ok(());
        };
        let normals = vectors(&self.floats(accessor, Type::Vec3, "normals")?);
        for (vertex, normal) in self.vertices.iter_mut().zip(normals) {
            // Unit already: as it is, so that it comes back bit for bit.
            let unit = (normal.length_squared() - 1.0).abs() < 1e-5;
            let normal = if unit {
                normal
            } else {
                normal.normalize_or(Vec3::Y)
            };
            vertex.normal = normal.to_array();
        }
        Ok(())
    }

    fn texture_coordinates(&mut self, uvs: UvSource) -> Result<(), GltfError> {
        let own = self.attribute(Semantic::TexCoords(uvs.set));
        let Some(accessor) = own else {
            return Ok(());
        };
        let floats = self.floats(accessor, Type::Vec2, "texture coordinates")?;
        let (pairs, _) = floats.as_chunks::<2>();
        for (vertex, &uv) in self.vertices.iter_mut().zip(pairs) {
            let uv = uvs.placed(uv);
            vertex.uv = uv.map(|it| if it.is_finite() { it } else { 0.0 });
        }
        Ok(())
    }

    fn colours(&mut self) -> Result<(), GltfError> {
        let Some(accessor) = self.attribute(Semantic::Colors(0)) else {
            return Ok(());
        };
        let kind = self.document.kind(accessor)?;
        let width = kind.multiplicity();
        if !matches!(kind, Type::Vec3 | Type::Vec4) {
            let problem = GltfProblem::Expected {
                expected: "colours of three or four numbers".into(),
                found: format!("{kind:?}"),
            };
            return Err(self.document.error(self.at, problem));
        }
        let floats = self.floats(accessor, kind, "colours")?;
        for (vertex, colour) in self.vertices.iter_mut().zip(floats.chunks_exact(width)) {
            for (to, &from) in vertex.colour.iter_mut().zip(colour) {
                *to = (from.clamp(0.0, 1.0) * 65535.0).round() as u16;
            }
        }
        Ok(())
    }

    /// All that the file has.
    fn influence_sets(&self) -> Result<Vec<InfluenceSet>, GltfError> {
        let mut sets = Vec::new();
        for set in 0.. {
            let joints = self.attribute(Semantic::Joints(set));
            let weights = self.attribute(Semantic::Weights(set));
            let (Some(joints), Some(weights)) = (joints, weights) else {
                break;
            };
            let joints = self.document.integers(joints, Type::Vec4)?;
            self.one_a_vertex("sets of joints", joints.len() / 4)?;
            sets.push((joints, self.floats(weights, Type::Vec4, "sets of weights")?));
        }
        Ok(sets)
    }

    /// The four strongest of all sets of joints.
    fn influences(&mut self, notes: &mut Notes) -> Result<(), GltfError> {
        let sets = self.influence_sets()?;
        if sets.is_empty() {
            return Ok(());
        }
        let mut dropped = false;
        for (index, vertex) in self.vertices.iter_mut().enumerate() {
            let mut pairs: Vec<(u32, f32)> = Vec::with_capacity(4 * sets.len());
            for (joints, weights) in &sets {
                let own = 4 * index..4 * index + 4;
                let own = joints[own.clone()].iter().zip(&weights[own]);
                pairs.extend(own.map(|(&joint, &weight)| (joint, weight)));
            }
            if sets.len() > 1 {
                // Only for several sets: four of one set keep the file's order.
                pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
                dropped |= pairs[MAX_INFLUENCES..].iter().any(|it| it.1 > 0.0);
            }
            let four = [0, 1, 2, 3].map(|it| pairs[it]);
            vertex.weights = quantised_weights(four.map(|it| it.1));
            for (slot, (joint, _)) in four.into_iter().enumerate() {
                // Joints without weight may be anything.
                let counts = vertex.weights[slot] > 0;
                let joint = if counts { joint } else { 0 };
                vertex.slots[slot] = u16::try_from(joint).unwrap_or(u16::MAX);
                self.largest_joint = self.largest_joint.max(vertex.slots[slot]);
            }
        }
        if dropped {
            let note = || {
                Note::warning("vertices follow more than four joints; the four strongest are kept")
            };
            notes.add_counted("vertices with more than four joints", note);
        }
        Ok(())
    }

    fn targets(&self) -> Result<Vec<MorphTarget>, GltfError> {
        let target = |it: &json::mesh::MorphTarget| {
            let read = |accessor: Option<json::Index<json::Accessor>>| match accessor {
                Some(accessor) => {
                    let floats = self.floats(accessor.value(), Type::Vec3, "morph offsets")?;
                    // A NaN is not below anything.
                    let sound = |x: f32| f64::from(x.abs()) < MAX_MAGNITUDE;
                    let finite = floats.iter().map(|&x| if sound(x) { x } else { 0.0 });
                    let finite: Vec<f32> = finite.collect();
                    Ok(finite.as_chunks::<3>().0.to_vec())
                }
                None => Ok(Vec::new()),
            };
            let mut offsets = read(it.positions)?;
            if offsets.is_empty() {
                let bytes = 12 * self.vertices.len() as u64;
                self.document.spend(self.at, bytes)?;
                offsets.resize(self.vertices.len(), [0.0; 3]);
            }
            let normals = read(it.normals)?;
            Ok(MorphTarget { offsets, normals })
        };
        let targets = self.it.targets.iter().flatten();
        targets.map(target).collect()
    }

    /// As triangles.
    fn indices(&self, mode: Mode) -> Result<Vec<u32>, GltfError> {
        let count = self.vertices.len();
        let listed = match self.it.indices {
            Some(accessor) => self.document.integers(accessor.value(), Type::Scalar)?,
            None => (0..count as u32).collect(),
        };
        if let Some(&index) = listed.iter().find(|&&index| index as usize >= count) {
            let problem = GltfProblem::NoSuch {
                what: "vertex",
                index: index as usize,
                count,
            };
            return Err(self.document.error(format!("{}.indices", self.at), problem));
        }
        self.document.spend(self.at, 12 * listed.len() as u64)?;
        Ok(triangles(&listed, mode))
    }
}

fn triangles(listed: &[u32], mode: Mode) -> Vec<u32> {
    let corners = listed.windows(3).enumerate();
    match mode {
        Mode::TriangleStrip => corners
            .flat_map(|(index, it)| match index % 2 {
                0 => [it[0], it[1], it[2]],
                // Every other triangle of a strip winds the other way round.
                _ => [it[1], it[0], it[2]],
            })
            .collect(),
        Mode::TriangleFan => {
            let pairs = listed.get(1..).unwrap_or_default().windows(2);
            pairs.flat_map(|it| [listed[0], it[0], it[1]]).collect()
        }
        _ => listed[..listed.len() - listed.len() % 3].to_vec(),
    }
}

/// Without normals every triangle is flat, and has its vertices to itself.
fn flatten(document: &GltfDocument, at: &str, primitive: &mut Primitive) -> Result<(), GltfError> {
    let corners = primitive.indices.len() as u64;
    let morphs = primitive.targets.len() as u64;
    let each = size_of::<MeshVertex>() as u64 + 24 * morphs;
    document.spend(at, corners.saturating_mul(each))?;
    let own = |index: &u32| *index as usize;
    let order: Vec<usize> = primitive.indices.iter().map(own).collect();
    primitive.vertices = order.iter().map(|&it| primitive.vertices[it]).collect();
    for target in &mut primitive.targets {
        target.offsets = order.iter().map(|&it| target.offsets[it]).collect();
        // Those of the file are for normals that it does not have.
        target.normals = Vec::new();
    }
    primitive.indices = (0..order.len() as u32).collect();
    for corner in primitive.vertices.as_chunks_mut::<3>().0 {
        let [a, b, c] = [0, 1, 2].map(|it| Vec3::from(corner[it].position));
        let normal = (b - a).cross(c - a).normalize_or(Vec3::Y).to_array();
        corner.iter_mut().for_each(|it| it.normal = normal);
    }
    Ok(())
}
