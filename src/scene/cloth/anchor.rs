//! What holds a vertex of a sheet: a joint, or a spot of the skin.

use glam::{Mat3A, Vec3A};

use crate::{
    collide::{Bounds, MovingMesh},
    skeleton::WorldPose,
};

/// Metres within which skin is looked for at first; then twice as far, until
/// some is found.
const NEAR_M: f32 = 0.02;
/// No further than this.
const FAR_M: f32 = 0.5;

/// What a vertex follows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hold {
    Joint {
        joint: usize,
        in_joint: Vec3A,
    },
    Skin {
        triangle: u32,
        /// Of its corners.
        shares: [f32; 3],
        /// From the spot to the vertex, along the triangle's own axes.
        off: Vec3A,
    },
}

/// A vertex that follows something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub vertex: usize,
    pub hold: Hold,
}

impl Anchor {
    pub fn to_joint(vertex: usize, joint: usize, at: Vec3A, pose: &WorldPose) -> Self {
        let in_joint = pose.joints()[joint].inverse().transform_point(at);
        let hold = Hold::Joint { joint, in_joint };
        Self { vertex, hold }
    }

    /// To the nearest skin, no nearer to it than `clear_m`; `None` where there
    /// is none.
    pub fn to_skin(vertex: usize, at: Vec3A, mesh: &MovingMesh, clear_m: f32) -> Option<Self> {
        let nearest = nearest_skin(mesh, at)?;
        let normal = mesh
            .shape()
            .area_normal(nearest.triangle, &mesh.end)
            .normalize_or_zero();
        // What lies within the skin is put before it.
        let at = match nearest.distance_m < clear_m {
            true => nearest.point + normal * clear_m,
            false => at,
        };
        let axes = axes(mesh, nearest.triangle);
        let hold = Hold::Skin {
            triangle: nearest.triangle,
            shares: nearest.weights,
            off: axes.transpose() * (at - nearest.point),
        };
        Some(Self { vertex, hold })
    }

    /// Where the vertex belongs now.
    pub fn place(&self, pose: &WorldPose, mesh: Option<&MovingMesh>) -> Option<Vec3A> {
        match (self.hold, mesh) {
            (Hold::Joint { joint, in_joint }, _) => {
                Some(pose.joints()[joint].transform_point(in_joint))
            }
            (
                Hold::Skin {
                    triangle,
                    shares,
                    off,
                },
                Some(mesh),
            ) => {
                let corners = mesh.shape().corners(triangle, &mesh.end);
                let spot: Vec3A = corners
                    .iter()
                    .zip(shares)
                    .map(|(&at, share)| at * share)
                    .sum();
                Some(spot + axes(mesh, triangle) * off)
            }
            (Hold::Skin { .. }, None) => None,
        }
    }
}

/// The skin nearest to a place, if any is near.
pub(super) fn nearest_skin(mesh: &MovingMesh, at: Vec3A) -> Option<crate::collide::Nearest> {
    let mut reach_m = NEAR_M;
    while reach_m <= FAR_M {
        let around = Bounds {
            low: at - reach_m,
            high: at + reach_m,
        };
        let mut best: Option<crate::collide::Nearest> = None;
        mesh.query(&around, |triangle| {
            let found = mesh.shape().nearest_of(triangle, &mesh.end, at);
            let nearer =
                |it: &crate::collide::Nearest| found.distance_m.abs() < it.distance_m.abs();
            if found.distance_m.abs() < reach_m && best.as_ref().is_none_or(nearer) {
                best = Some(found);
            }
        });
        if best.is_some() {
            return best;
        }
        reach_m *= 2.0;
    }
    None
}

/// Along the first edge, along the normal, and across both.
fn axes(mesh: &MovingMesh, triangle: u32) -> Mat3A {
    let [a, b, _] = mesh.shape().corners(triangle, &mesh.end);
    let along = (b - a).normalize_or(Vec3A::X);
    let normal = mesh
        .shape()
        .area_normal(triangle, &mesh.end)
        .normalize_or(Vec3A::Y);
    Mat3A::from_cols(along, normal, along.cross(normal))
}
