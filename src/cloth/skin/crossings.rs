//! The exact question: does any triangle of the sheet pass through one of the
//! mesh? Nothing of the contact is used to answer it.

use glam::Vec3A;

use crate::{
    cloth::Cloth,
    collide::{Bounds, MovingMesh, triangles_cross},
};

/// A triangle of the sheet that passes through one of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Of the sheet.
    pub sheet_triangle: usize,
    /// Of the mesh.
    pub mesh_triangle: u32,
    /// The middle of the latter.
    pub at: Vec3A,
}

/// All of them as the step ends.
#[must_use]
pub fn crossings(cloth: &Cloth, mesh: &MovingMesh) -> Vec<Crossing> {
    let mut found = Vec::new();
    for (sheet_triangle, corners) in cloth.sheet().triangles().into_iter().enumerate() {
        let own = corners.map(|vertex| Vec3A::from(cloth.position(vertex as usize)));
        let bounds = Bounds {
            low: own[0].min(own[1]).min(own[2]),
            high: own[0].max(own[1]).max(own[2]),
        };
        mesh.query(&bounds, |mesh_triangle| {
            let other = mesh.shape().corners(mesh_triangle, &mesh.end);
            if triangles_cross(own, other) {
                found.push(Crossing {
                    sheet_triangle,
                    mesh_triangle,
                    at: other.iter().sum::<Vec3A>() / 3.0,
                });
            }
        });
    }
    found
}
