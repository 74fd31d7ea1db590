//! A node's own transform, from its matrix or from its parts.

use glam::{Affine3A, Mat4, Quat, Vec3};

use crate::mocap::{
    MAX_MAGNITUDE, Note, Notes,
    gltf::{GltfDocument, GltfError, GltfProblem, json},
};

/// Scales closer than this to each other, in parts of the larger, are one
/// scale: exporters write 0.99999994 where they mean 1.
pub(super) const SCALE_NOISE: f32 = 1e-4;

/// A matrix that its parts miss by more than this much of its largest element
/// is no product of a rotation and a scale.
const SHEAR_NOISE: f32 = 1e-3;

/// `parent_from_node` in its three parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalTransform {
    pub translation: Vec3,
    pub rotation: Quat,
    pub scale: Vec3,
}

impl LocalTransform {
    /// Of a node of the file; numbers beyond all measure are refused.
    pub fn of(
        document: &GltfDocument,
        index: usize,
        node: &json::Node,
        notes: &mut Notes,
    ) -> Result<Self, GltfError> {
        refuse_wild_numbers(document, index, node)?;
        if let Some(matrix) = &node.matrix {
            return Ok(decomposed(index, Mat4::from_cols_array(matrix), notes));
        }
        let rotation = node
            .rotation
            .map_or(Quat::IDENTITY, |it| Quat::from_array(it.0));
        let length = rotation.length();
        Ok(Self {
            translation: node.translation.map_or(Vec3::ZERO, Vec3::from_array),
            rotation: if length > 1e-6 {
                rotation / length
            } else {
                Quat::IDENTITY
            },
            scale: node.scale.map_or(Vec3::ONE, Vec3::from_array),
        })
    }

    pub fn affine(&self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// The one factor of a scale that is the same along all axes.
    pub fn even_scale(&self) -> Option<f32> {
        let (low, high) = (self.scale.min_element(), self.scale.max_element());
        let even = low > 0.0 && high - low <= SCALE_NOISE * high;
        even.then(|| self.scale.element_sum() / 3.0)
    }
}

fn refuse_wild_numbers(
    document: &GltfDocument,
    index: usize,
    node: &json::Node,
) -> Result<(), GltfError> {
    let numbers = [
        node.matrix.as_ref().map(<[f32; 16]>::as_slice),
        node.translation.as_ref().map(<[f32; 3]>::as_slice),
        node.rotation.as_ref().map(|it| it.0.as_slice()),
        node.scale.as_ref().map(<[f32; 3]>::as_slice),
    ];
    let sound = |it: &f32| it.is_finite() && f64::from(it.abs()) < MAX_MAGNITUDE;
    let mut all = numbers.iter().flatten().copied().flatten();
    match all.find(|it| !sound(it)) {
        None => Ok(()),
        Some(wild) => {
            let problem = GltfProblem::Expected {
                expected: "numbers below 1,000,000,000".into(),
                found: format!("{wild:e}"),
            };
            Err(document.error(format!("nodes[{index}]"), problem))
        }
    }
}

/// The format asks for matrices that are a translation, a rotation and a
/// scale; one that shears is met as nearly as those can.
fn decomposed(index: usize, matrix: Mat4, notes: &mut Notes) -> LocalTransform {
    let translation = matrix.w_axis.truncate();
    // A matrix that flattens has no inverse to take the parts from.
    let flat = matrix.determinant().abs() < f32::MIN_POSITIVE;
    let (scale, rotation) = if flat {
        (Vec3::ZERO, Quat::IDENTITY)
    } else {
        let (scale, rotation, _) = matrix.to_scale_rotation_translation();
        (scale, rotation)
    };
    let sound = scale.is_finite() && rotation.is_finite() && rotation.length_squared() > 0.5;
    let local = LocalTransform {
        translation,
        rotation: if sound {
            rotation.normalize()
        } else {
            Quat::IDENTITY
        },
        scale: if sound { scale } else { Vec3::ONE },
    };
    let off = Mat4::from(local.affine()) - matrix;
    let largest = |matrix: Mat4| {
        let elements = matrix.to_cols_array();
        elements.iter().fold(0f32, |most, it| most.max(it.abs()))
    };
    if largest(off) > SHEAR_NOISE * largest(matrix) {
        notes.add_counted("node matrices that shear", || {
            Note::warning(format!(
                "the matrix of node {index} shears or flattens; the nearest rotation and scale are used"
            ))
        });
    }
    local
}
