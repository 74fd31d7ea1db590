//! A skin cut into rigid pieces: every triangle follows one joint alone, as
//! characters did before skinning, and cracks open where joints bend.

use std::collections::HashMap;

use super::{CharacterMesh, MAX_INFLUENCES, MeshVertex, MorphTarget, Primitive};

impl CharacterMesh {
    /// The same mesh with every triangle on the slot that moves it most. At the
    /// bind pose it looks as before.
    #[must_use]
    pub fn in_pieces(&self) -> Self {
        Self {
            primitives: self.primitives.iter().map(cut).collect(),
            ..self.clone()
        }
    }
}

/// Triangles cannot share corners with those of another slot: such corners are
/// made once for each.
fn cut(primitive: &Primitive) -> Primitive {
    let mut known: HashMap<(u32, u16), u32> = HashMap::new();
    let mut sources = Vec::new();
    let mut indices = Vec::with_capacity(primitive.indices.len());
    let mut vertices = Vec::new();
    for triangle in primitive.indices.chunks_exact(3) {
        let slot = strongest(triangle.iter().map(|it| &primitive.vertices[*it as usize]));
        for &corner in triangle {
            let next = vertices.len() as u32;
            let index = *known.entry((corner, slot)).or_insert_with(|| {
                sources.push(corner as usize);
                vertices.push(MeshVertex {
                    slots: [slot; MAX_INFLUENCES],
                    weights: [u16::MAX, 0, 0, 0],
                    ..primitive.vertices[corner as usize]
                });
                next
            });
            indices.push(index);
        }
    }
    let pick = |from: &[[f32; 3]]| match from.is_empty() {
        true => Vec::new(),
        false => sources.iter().map(|&it| from[it]).collect(),
    };
    let targets = primitive.targets.iter().map(|target| MorphTarget {
        offsets: pick(&target.offsets),
        normals: pick(&target.normals),
    });
    Primitive {
        targets: targets.collect(),
        vertices,
        indices,
        ..primitive.clone()
    }
}

/// The slot with the largest sum of weights over a triangle's corners; the
/// lowest of equals.
fn strongest<'a>(corners: impl Iterator<Item = &'a MeshVertex>) -> u16 {
    let mut sums: Vec<(u16, u32)> = Vec::with_capacity(3 * MAX_INFLUENCES);
    for vertex in corners {
        let influences = vertex.slots.iter().zip(vertex.weights);
        for (&slot, weight) in influences.filter(|it| it.1 > 0) {
            match sums.iter_mut().find(|it| it.0 == slot) {
                Some(sum) => sum.1 += u32::from(weight),
                None => sums.push((slot, u32::from(weight))),
            }
        }
    }
    let best = sums.iter().max_by_key(|it| (it.1, std::cmp::Reverse(it.0)));
    best.map_or(0, |it| it.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(x: f32, weights: [u16; 2]) -> MeshVertex {
        MeshVertex {
            position: [x, 0.0, 0.0],
            slots: [0, 1, 0, 0],
            weights: [weights[0], weights[1], 0, 0],
            ..MeshVertex::default()
        }
    }

    #[test]
    fn every_triangle_is_rigid_and_corners_are_made_twice_only_at_a_crack() {
        let all = u16::MAX;
        let primitive = Primitive {
            vertices: vec![
                vertex(0.0, [all, 0]),
                vertex(1.0, [all / 2, all - all / 2]),
                vertex(2.0, [all, 0]),
                vertex(3.0, [0, all]),
            ],
            indices: vec![0, 1, 2, 1, 3, 3],
            targets: vec![MorphTarget {
                offsets: (0..4).map(|it| [it as f32; 3]).collect(),
                normals: Vec::new(),
            }],
            ..Primitive::default()
        };
        let cut = cut(&primitive);
        assert_eq!(cut.vertices.len(), 5, "one corner lies on the crack");
        for (corner, &source) in cut.indices.iter().zip(&primitive.indices) {
            let own = &cut.vertices[*corner as usize];
            assert_eq!(own.position, primitive.vertices[source as usize].position);
            assert_eq!(cut.targets[0].offsets[*corner as usize][0], source as f32);
            assert_eq!(own.weights, [all, 0, 0, 0]);
        }
        let slots = |triangle: usize| {
            let corners = &cut.indices[3 * triangle..3 * triangle + 3];
            corners
                .iter()
                .map(|&it| cut.vertices[it as usize].slots[0])
                .collect::<Vec<_>>()
        };
        assert_eq!(slots(0), [0; 3]);
        assert_eq!(slots(1), [1; 3]);
    }
}
