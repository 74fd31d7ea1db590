//! A body for any skeleton: motion capture carries no mesh, so one is grown.
//!
//! A human is posed upright with its arms out (`canonical`), whatever its file
//! calls rest; anything else is taken in the pose that lies most open. Solids
//! around the bones (human ones, or guessed ones) are joined into a smooth
//! distance field, polygonised, and given joint weights. The result is judged
//! over the motion (`judge`); what would tear becomes capsules, bone by bone.
//! A [`Body`] is read only and made once per skeleton; [`BodyCache`] keeps it.
//! Model space, metres. Limits: 8 to 20 thousand vertices at any size of
//! skeleton, four joints a vertex.

mod anatomy;
mod cache;
mod canonical;
mod capsules;
mod derived;
mod dress;
mod field;
mod grow;
mod guess;
mod hull;
mod human;
mod judge;
mod lens;
mod loaded;
mod occlusion;
mod polygonise;
mod shape;
mod skin;
mod solids;
mod surface;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod weights;

use glam::Vec3A;

pub use cache::{BodyCache, shape_key};
pub use grow::growth_pose;
pub use judge::{SkinStrain, volume_m3};
pub use occlusion::{MAX_OCCLUDERS, Occluder, SKIN_OCCLUDERS, occlusion_at};
pub use skin::{Skinning, dual_quaternion_of, palette, skin_body, skin_vertex};
pub use solids::{BodySolids, BoneSolid};
pub use surface::BodySurface;
pub use weights::MAX_INFLUENCES;

use crate::{
    math::Transform,
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// One vertex as the GPU reads it: 40 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "viewer", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct Vertex {
    /// Bind pose, metres.
    pub position: [f32; 3],
    /// Bind normal in 16-bit signed fractions; the fourth is padding.
    pub normal: [i16; 4],
    /// Joints that move it, strongest first; unused slots repeat the first.
    pub joints: [JointIndex; MAX_INFLUENCES],
    /// Their weights in 1/65535, summing to exactly 65535.
    pub weights: [u16; MAX_INFLUENCES],
    /// In 1/255: light that reaches the spot in the bind pose; darkening that
    /// the occluders cause there in the bind pose; the seam field (a joint's
    /// mark runs where it crosses one half); padding.
    pub shade: [u8; 4],
}

impl Vertex {
    /// Unit bind normal.
    #[must_use]
    pub fn normal(&self) -> Vec3A {
        let [x, y, z, _] = self.normal.map(|n| f32::from(n) / 32767.0);
        Vec3A::new(x, y, z)
    }

    /// Joints with their weights in 0..=1, zero weights left out.
    pub fn influences(&self) -> impl Iterator<Item = (JointIndex, f32)> + '_ {
        let pairs = self.joints.iter().zip(self.weights);
        pairs
            .filter(|&(_, weight)| weight > 0)
            .map(|(&joint, weight)| (joint, f32::from(weight) / 65535.0))
    }
}

/// A skinned mesh in the bind pose of its skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    shadow_vertices: Vec<Vertex>,
    shadow_indices: Vec<u32>,
    joint_from_bind: Vec<Transform>,
    occluders: Vec<Occluder>,
    reach_m: Vec<f32>,
    loaded: Option<loaded::Loaded>,
    hull: Vec<Occluder>,
    derived: derived::Derived,
}

impl Body {
    /// Joints without a skin, for whoever shows bones alone.
    #[must_use]
    pub fn bare(skeleton: &Skeleton) -> Self {
        Self::empty(&skeleton.rest_model())
    }

    fn empty(pose: &ModelPose) -> Self {
        Self {
            vertices: Vec::new(),
            indices: Vec::new(),
            shadow_vertices: Vec::new(),
            shadow_indices: Vec::new(),
            joint_from_bind: pose.joints().iter().map(|joint| joint.inverse()).collect(),
            occluders: Vec::new(),
            reach_m: vec![0.0; pose.joints().len()],
            loaded: None,
            hull: Vec::new(),
            derived: derived::Derived::default(),
        }
    }

    /// All vertices.
    #[must_use]
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Triangles, counter-clockwise seen from outside.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The same body with about a quarter of the triangles, for shadows.
    #[must_use]
    pub fn shadow_mesh(&self) -> (&[Vertex], &[u32]) {
        (&self.shadow_vertices, &self.shadow_indices)
    }

    /// Inverse bind pose: `joint_from_bind` of every joint.
    #[must_use]
    pub fn joint_from_bind(&self) -> &[Transform] {
        &self.joint_from_bind
    }

    /// Balls inside the body that darken what is near them.
    #[must_use]
    pub fn occluders(&self) -> &[Occluder] {
        &self.occluders
    }

    /// How far the skin that follows each joint most reaches from it: balls of
    /// these radii around the joints hold the body in any pose, but for what
    /// blending bulges.
    #[must_use]
    pub fn reach_m(&self) -> &[f32] {
        &self.reach_m
    }

    /// Balls that hold the skin closely in any pose.
    #[must_use]
    pub fn hull(&self) -> &[Occluder] {
        &self.hull
    }
}
