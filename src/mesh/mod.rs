//! Meshes as files bring them: vertices, joints' weights, morph targets,
//! materials and pictures, as plain data.
//!
//! Beside the skeleton in the data walk: an importer makes a [`CharacterMesh`], `body`
//! measures it, `render` draws it, `export` writes it. Skinning is linear, as
//! glTF defines it, through affine slots: `model_from_mesh` = `model_from_joint`
//! · [`Slot::joint_from_mesh`], so that skins of any scale work while poses stay
//! rigid. Limits: triangles, four joints a vertex, one picture a material.

mod pieces;

use std::sync::Arc;

use glam::{Affine3A, Vec3, Vec3A};

use crate::skeleton::{JointIndex, SpacePose};

/// Joints that move one vertex.
pub const MAX_INFLUENCES: usize = 4;

/// One vertex as the GPU reads it: 56 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "viewer", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct MeshVertex {
    /// Mesh space.
    pub position: [f32; 3],
    /// Unit, mesh space.
    pub normal: [f32; 3],
    /// Where in the picture.
    pub uv: [f32; 2],
    /// Slots of its part that move it.
    pub slots: [u16; MAX_INFLUENCES],
    /// Their weights in 1/65535, summing to exactly 65535.
    pub weights: [u16; MAX_INFLUENCES],
    /// Linear, in 1/65535; multiplies the material's colour.
    pub colour: [u16; 4],
}

/// How far a vertex moves when a morph target has weight 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// One a vertex, mesh space.
    pub offsets: Vec<[f32; 3]>,
    /// Change of the normal, one a vertex; empty where the file gives none.
    pub normals: Vec<[f32; 3]>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// Which mesh of the file it belongs to.
    pub mesh: usize,
    /// All vertices.
    pub vertices: Vec<MeshVertex>,
    /// Three a triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
    /// `None`: plain white.
    pub material: Option<usize>,
    /// Morph targets, as many as the other primitives of the mesh have.
    pub targets: Vec<MorphTarget>,
}

/// What moves a vertex that names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Which joint.
    pub joint: JointIndex,
    /// Inverse bind, or how a rigid mesh hangs from its joint.
    pub joint_from_mesh: Affine3A,
}

/// A primitive somewhere on the character: one mesh may be used many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which primitive.
    pub primitive: usize,
    /// Where its slots start.
    pub first_slot: usize,
    /// How many there are; a rigid part has one.
    pub slots: usize,
    /// Where its morph weights start in the pose's.
    pub first_morph: usize,
}

/// What becomes of see-through parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Alpha {
    /// There are none.
    #[default]
    Opaque,
    /// Anything below this is not there.
    Mask(f32),
    /// Blended over what is behind.
    Blend,
}

/// How a picture goes on beyond its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureWrap {
    /// Over and over.
    #[default]
    Repeat,
    /// Over and over, every other one mirrored.
    Mirror,
    /// Its edge goes on.
    Clamp,
}

/// A picture on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Which picture.
    pub image: usize,
    /// Across and down.
    pub wrap: [TextureWrap; 2],
    /// Shows its pixels when seen from near.
    pub nearest: bool,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// What the file calls it.
    pub name: String,
    /// Linear colour and opacity; multiplies the picture.
    pub base_colour: [f32; 4],
    /// Its picture.
    pub texture: Option<Texture>,
    /// Linear light of its own.
    pub emissive: [f32; 3],
    /// 0 to 1; kept for those who shade by it.
    pub metallic: f32,
    /// 0 to 1; likewise.
    pub roughness: f32,
    /// See-through parts.
    pub alpha: Alpha,
    /// Seen from both sides.
    pub double_sided: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_colour: [1.0; 4],
            texture: None,
            emissive: [0.0; 3],
            metallic: 1.0,
            roughness: 1.0,
            alpha: Alpha::Opaque,
            double_sided: false,
        }
    }
}

/// Decoded pixels, sRGB with linear opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// In pixels.
    pub size: [u32; 2],
    /// Four bytes a pixel, row after row from the top.
    pub rgba: Vec<u8>,
}

/// A picture as its file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// What the file calls it.
    pub name: String,
    /// `image/png` or `image/jpeg`.
    pub mime: String,
    /// PNG or JPEG; empty where it could not be read.
    pub bytes: Arc<[u8]>,
    /// Once decoded; the importer leaves that to whoever may decode pictures.
    pub pixels: Option<Arc<Pixels>>,
}

/// A character's meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterMesh {
    /// Shared by parts.
    pub primitives: Vec<Primitive>,
    /// What is to be seen.
    pub parts: Vec<Part>,
    /// What moves it.
    pub slots: Vec<Slot>,
    /// Named by primitives.
    pub materials: Vec<Material>,
    /// Named by materials.
    pub images: Vec<Image>,
    /// Names of meshes, by number.
    pub mesh_names: Vec<String>,
    /// Number of morph weights of all parts.
    pub morphs: usize,
    /// What the file calls them, by number; shorter where it names none.
    pub morph_names: Vec<String>,
}

impl CharacterMesh {
    /// Every slot's mesh in the pose's space.
    pub fn palette<'a, S>(&'a self, pose: &'a SpacePose<S>) -> impl Iterator<Item = Affine3A> + 'a {
        let slots = self.slots.iter();
        slots.map(|slot| pose.affine(usize::from(slot.joint)) * slot.joint_from_mesh)
    }

    /// What a morph weight is called; its number where the file has no name.
    #[must_use]
    pub fn morph_name(&self, morph: usize) -> String {
        let name = self.morph_names.get(morph).filter(|it| !it.is_empty());
        name.cloned().unwrap_or_else(|| morph.to_string())
    }

    /// The morph weights of a name, or of a number; several meshes may share
    /// one name.
    #[must_use]
    pub fn find_morphs(&self, name: &str) -> Vec<usize> {
        // A word of a script holds no blank.
        let is_meant = |own: String| own == name || own.replace(' ', "_") == name;
        let named = (0..self.morphs).filter(|&it| is_meant(self.morph_name(it)));
        let named: Vec<usize> = named.collect();
        match (named.is_empty(), name.parse()) {
            (true, Ok(number)) if number < self.morphs => vec![number],
            _ => named,
        }
    }

    /// Number of vertices over all parts.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        let count = |part: &Part| self.primitives[part.primitive].vertices.len();
        self.parts.iter().map(count).sum()
    }

    /// Names of pictures that materials show and that could not be read.
    pub fn lost_pictures(&self) -> impl Iterator<Item = &str> {
        let shown = |image: usize| {
            let shows = |it: &Material| it.texture.is_some_and(|texture| texture.image == image);
            self.materials.iter().any(shows)
        };
        let images = self.images.iter().enumerate();
        let lost = images.filter(move |(index, it)| it.bytes.is_empty() && shown(*index));
        lost.map(|(_, it)| it.name.as_str())
    }

    /// Where a vertex is in a pose: the reference that the GPU is held to.
    /// `palette` is that of the pose.
    #[must_use]
    pub fn place(&self, part: &Part, vertex: usize, palette: &[Affine3A], morphs: &[f32]) -> Vec3A {
        let primitive = &self.primitives[part.primitive];
        let own = &primitive.vertices[vertex];
        let mut at = Vec3::from(own.position);
        // Morphs act in mesh space, before the skin: glTF defines that order.
        for (target, it) in primitive.targets.iter().enumerate() {
            let weight = morphs.get(part.first_morph + target).copied();
            at += Vec3::from(it.offsets[vertex]) * weight.unwrap_or(0.0);
        }
        let influences = own.slots.iter().zip(own.weights);
        influences
            .filter(|&(_, weight)| weight > 0)
            .map(|(&slot, weight)| {
                // A file may name a slot that its skin lacks. The shaders clamp
                // likewise, and are held to this.
                let slot = part.first_slot + usize::from(slot).min(part.slots - 1);
                palette[slot].transform_point3a(at.into()) * (f32::from(weight) / 65535.0)
            })
            .sum()
    }

    /// The joint that moves a vertex most.
    #[must_use]
    pub fn owner(&self, part: &Part, vertex: &MeshVertex) -> JointIndex {
        let strongest = (0..MAX_INFLUENCES).max_by_key(|&it| vertex.weights[it]);
        let slot = usize::from(vertex.slots[strongest.unwrap_or(0)]).min(part.slots - 1);
        self.slots[part.first_slot + slot].joint
    }
}

/// Weights in 1/65535 that sum to exactly 65535; all on the first where they
/// sum to nothing.
#[must_use]
pub fn quantised_weights(weights: [f32; MAX_INFLUENCES]) -> [u16; MAX_INFLUENCES] {
    let clean = weights.map(|weight| {
        if weight.is_finite() {
            weight.max(0.0)
        } else {
            0.0
        }
    });
    let sum: f32 = clean.iter().sum();
    // Four large finite weights may sum to infinity.
    if !(sum > 0.0 && sum.is_finite()) {
        return [u16::MAX, 0, 0, 0];
    }
    let mut whole = clean.map(|weight| (weight / sum * 65535.0).round() as i32);
    let rest = 65535 - whole.iter().sum::<i32>();
    let strongest = (0..MAX_INFLUENCES).max_by_key(|&it| whole[it]).unwrap_or(0);
    // The error of rounding is a few units at most. On the strongest it shows
    // least, and no weight of 0 starts to count.
    whole[strongest] += rest;
    whole.map(|weight| weight.clamp(0, 65535) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_whatever_they_are() {
        for weights in [
            [0.3333, 0.3333, 0.3334, 0.0],
            [0.25; 4],
            [0.0, 0.0, 0.0, 1.0],
            [1e-9, 0.0, 0.0, 0.0],
            [300.0, 100.0, 0.0, 0.0],
        ] {
            let sum: u32 = quantised_weights(weights)
                .iter()
                .map(|&w| u32::from(w))
                .sum();
            assert_eq!(sum, 65535, "{weights:?}");
        }
        assert_eq!(quantised_weights([0.0; 4]), [65535, 0, 0, 0]);
        assert_eq!(
            quantised_weights([f32::NAN, -1.0, 0.0, 0.0]),
            [65535, 0, 0, 0]
        );
        // What is quantised already stays as it is.
        let once = quantised_weights([0.5, 0.3, 0.15, 0.05]);
        let again = quantised_weights(once.map(|w| f32::from(w) / 65535.0));
        assert_eq!(once, again);
    }
}
