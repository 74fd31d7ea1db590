//! A body for any skeleton: motion capture carries no mesh, so one is grown.
//!
//! Solids around the bones (human ones where the joints' names say so, guessed
//! ones elsewhere) are joined into a smooth distance field, polygonised, and
//! given joint weights. A [`Body`] is read only and made once per skeleton;
//! [`BodyCache`] keeps it. Model space, metres. Limits: 8 to 20 thousand
//! vertices at any size of skeleton, four joints a vertex.

mod anatomy;
mod field;
mod guess;
mod human;
mod loaded;
mod occlusion;
mod polygonise;
mod skin;
mod solids;
#[cfg(test)]
pub(crate) mod testing;
mod weights;

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use glam::Vec3A;
use rayon::prelude::*;

pub use occlusion::{MAX_OCCLUDERS, Occluder, SKIN_OCCLUDERS, occlusion_at};
pub use skin::{Skinning, dual_quaternion_of, palette, skin_body, skin_vertex};
pub use solids::{BodySolids, BoneSolid};
pub use weights::MAX_INFLUENCES;

use crate::{
    math::Transform,
    mesh::CharacterMesh,
    skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton},
};
use anatomy::Anatomy;
use field::Part;
use polygonise::{Lens, RawMesh, neighbours, rough_mesh};

/// Vertices aimed at; the grid is made coarser or finer until the count lies
/// within 8 to 20 thousand.
const TARGET_VERTICES: f32 = 8_700.0;
const VERTEX_RANGE: std::ops::RangeInclusive<usize> = 8_100..=9_800;

/// How much coarser the grid of the mesh for shadows is.
const SHADOW_COARSENESS: f32 = 1.9;

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
}

impl Body {
    /// Grows a body around the rest pose. Never fails: a single joint gives a
    /// ball, a skeleton without extent or with wild numbers an empty mesh.
    #[must_use]
    pub fn grow(skeleton: &Skeleton) -> Self {
        let pose = skeleton.rest_model();
        let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint));
        if !ends.into_iter().all(Vec3A::is_finite) || !extent_m(skeleton, &pose).is_finite() {
            return Self::empty(&pose);
        }
        let anatomy = Anatomy::find(skeleton);
        let (parts, lenses) = match &anatomy {
            Some(anatomy) => (
                human::human_parts(skeleton, &pose, anatomy),
                human::lenses(skeleton, &pose, anatomy),
            ),
            None => (guess::guessed_parts(skeleton, &pose), Vec::new()),
        };
        let (mesh, cell_m) = sized_mesh(&parts, &lenses);
        let marks = anatomy.as_ref().map(Anatomy::marked_joints);
        let finish = |mut mesh: RawMesh, cell_m: f32| {
            mesh.settle(&parts, cell_m);
            mesh.sort_by_position();
            dress(skeleton, &pose, &parts, mesh, marks.as_deref())
        };
        let coarse_m = SHADOW_COARSENESS * cell_m;
        let (body, coarse) = rayon::join(
            || finish(mesh, cell_m),
            || finish(rough_mesh(&parts, &lenses, coarse_m), coarse_m),
        );
        Self {
            shadow_vertices: coarse.vertices,
            shadow_indices: coarse.indices,
            ..body
        }
    }

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

/// Balls around the skin, a few for each joint that moves any.
fn hull_of(
    pose: &ModelPose,
    positions: &[Vec3A],
    vertex_influences: &[Vec<(JointIndex, f32)>],
) -> Vec<Occluder> {
    // A vertex between two joints stays between where either would take it.
    let mut skins: Vec<Vec<Vec3A>> = vec![Vec::new(); pose.joints().len()];
    for (&p, influences) in positions.iter().zip(vertex_influences) {
        for &(joint, _) in influences.iter().filter(|(_, weight)| *weight > 0.02) {
            let joint = usize::from(joint);
            skins[joint].push(pose.joints()[joint].inverse().transform_point(p));
        }
    }
    let all = skins.iter().enumerate();
    all.flat_map(|(joint, skin)| hull_of_joint(joint as JointIndex, skin))
        .collect()
}

/// Slices across the longest side of one joint's skin, a ball around each.
fn hull_of_joint(joint: JointIndex, skin: &[Vec3A]) -> Vec<Occluder> {
    let span = |points: &mut dyn Iterator<Item = Vec3A>| {
        points.fold((Vec3A::MAX, Vec3A::MIN), |(low, high), p| {
            (low.min(p), high.max(p))
        })
    };
    let (low, high) = span(&mut skin.iter().copied());
    let size = high - low;
    let longest = (0..3)
        .max_by(|&a, &b| size[a].total_cmp(&size[b]))
        .unwrap_or(0);
    let middle = size[(longest + 1) % 3].max(size[(longest + 2) % 3]);
    // About as many slices as the skin is longer than wide: balls of round
    // pieces waste the least.
    let slices = (size[longest] / middle.max(1e-9)).ceil().clamp(1.0, 4.0);
    let slice_of = |p: Vec3A| {
        let fraction = (p[longest] - low[longest]) / size[longest].max(1e-9);
        (fraction * slices).min(slices - 1.0) as usize
    };
    let ball = |slice: usize| {
        let own = || skin.iter().copied().filter(|&p| slice_of(p) == slice);
        let (low, high) = span(&mut own());
        let centre = (low + high) / 2.0;
        let radius = own().fold(0.0f32, |r, p| r.max((p - centre).length()));
        (radius > 0.0).then_some(Occluder {
            joint,
            centre: centre.into(),
            radius_m: radius,
        })
    };
    (0..slices as usize).filter_map(ball).collect()
}

/// Grown bodies that are kept though nobody shows them: going back and forth
/// between a few clips grows none anew, and a tour of thousands of skeletons
/// keeps no more than these.
const KEPT_BODIES: usize = 6;

/// Bodies made so far, by skeleton or model.
#[derive(Debug, Default)]
pub struct BodyCache {
    bodies: HashMap<u64, Weak<Body>>,
    /// Those used last, the newest first.
    kept: Vec<Arc<Body>>,
    loaded: Vec<Weak<Body>>,
}

impl BodyCache {
    /// The body of a skeleton, grown on first use.
    pub fn get(&mut self, skeleton: &Skeleton) -> Arc<Body> {
        let key = shape_key(skeleton);
        let known = self.bodies.get(&key).and_then(Weak::upgrade);
        let body = known.unwrap_or_else(|| Arc::new(Body::grow(skeleton)));
        self.kept.retain(|it| !Arc::ptr_eq(it, &body));
        self.kept.insert(0, Arc::clone(&body));
        self.kept.truncate(KEPT_BODIES);
        self.bodies.retain(|_, it| it.strong_count() > 0);
        self.bodies.insert(key, Arc::downgrade(&body));
        body
    }

    /// The body that a file brings, or else one that is grown.
    pub fn dressed(
        &mut self,
        skeleton: &Skeleton,
        model: Option<&Arc<CharacterMesh>>,
    ) -> Arc<Body> {
        let Some(model) = model else {
            return self.get(skeleton);
        };
        self.loaded.retain(|it| it.strong_count() > 0);
        let mut known = self.loaded.iter().filter_map(Weak::upgrade);
        let same = |it: &Arc<Body>| it.model().is_some_and(|own| Arc::ptr_eq(own, model));
        known.find(same).unwrap_or_else(|| {
            let body = Arc::new(Body::of_model(skeleton, model));
            self.loaded.push(Arc::downgrade(&body));
            body
        })
    }
}

/// Hash of all that shapes a body: names, hierarchy, rest pose, bone ends.
fn shape_key(skeleton: &Skeleton) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    for joint in skeleton.joints() {
        joint.name.hash(&mut hasher);
        joint.parent.hash(&mut hasher);
        let rest = joint.rest;
        let numbers = [rest.position().to_array(), joint.tip.to_array()];
        let bits = numbers.iter().flatten().chain(rest.rotation.as_ref());
        bits.for_each(|number| number.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

/// Largest side of the box around all joints and bone ends, in metres.
fn extent_m(skeleton: &Skeleton, pose: &ModelPose) -> f32 {
    let (mut low, mut high) = (Vec3A::MAX, Vec3A::MIN);
    for joint in 0..skeleton.len() {
        let ends = [
            pose.joints()[joint].translation,
            pose.bone_end(skeleton, joint),
        ];
        for p in ends {
            low = low.min(p);
            high = high.max(p);
        }
    }
    let extent = (high - low).max_element();
    if extent > 1e-6 { extent } else { 1.0 }
}

/// A rough mesh with a spacing that leads to the vertex count aimed at;
/// returns the spacing in metres too. A grid of twice the spacing, eight times
/// cheaper, foretells the count.
fn sized_mesh(parts: &[Part], lenses: &[Lens]) -> (RawMesh, f32) {
    let area: f32 = parts.iter().filter(|p| !p.carve).map(Part::area_m2).sum();
    // Overlaps hide about half of the parts' own area.
    let guess_m = (1.5 * 0.5 * area / TARGET_VERTICES).sqrt();
    let fitted = |mesh: &RawMesh, cell_m: f32, coarseness: f32| {
        let count = mesh.positions.len() as f32 * coarseness * coarseness;
        cell_m * (count / TARGET_VERTICES).clamp(0.1, 10.0).sqrt()
    };
    // Vertices go with area over cell²: √(count/target) is the correction.
    let first = rough_mesh(parts, lenses, 2.0 * guess_m);
    let mut cell_m = fitted(&first, guess_m, 2.0);
    let mut mesh = rough_mesh(parts, lenses, cell_m);
    for _ in 0..3 {
        if VERTEX_RANGE.contains(&mesh.positions.len()) {
            break;
        }
        cell_m = fitted(&mesh, cell_m, 1.0);
        mesh = rough_mesh(parts, lenses, cell_m);
    }
    (mesh, cell_m)
}

/// Weights, shading attributes and inverse bind for a bare mesh.
fn dress(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
    mesh: RawMesh,
    marks: Option<&[JointIndex]>,
) -> Body {
    let ring = neighbours(mesh.positions.len(), &mesh.indices);
    let owners: Vec<(JointIndex, f32)> = mesh
        .positions
        .par_iter()
        .map(|&p| weights::owner_of(skeleton, pose, parts, p))
        .collect();
    let vertex_influences = weights::diffuse(skeleton, &mesh.positions, &ring, &owners);
    let seams = seam_field(skeleton, marks, &ring, &owners);
    let occluders = occlusion::place_occluders(skeleton, pose, parts);
    let open = occlusion::openness(parts, &mesh.positions, &mesh.normals);
    let balls: Vec<_> = occluders
        .iter()
        .take(SKIN_OCCLUDERS)
        .map(|o| (o.centre_in(pose), o.radius_m))
        .collect();
    let vertices = (0..mesh.positions.len())
        .map(|v| {
            let (joints, weights) = weights::quantise(&vertex_influences[v]);
            let (p, n) = (mesh.positions[v], mesh.normals[v]);
            let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
            let bind_occlusion = occlusion_at(&balls, p, n);
            Vertex {
                position: p.into(),
                normal: [n.x, n.y, n.z, 0.0].map(|x| (x * 32767.0).round() as i16),
                joints,
                weights,
                shade: [byte(open[v]), byte(bind_occlusion), byte(seams[v]), 0],
            }
        })
        .collect();
    let mut reach_m = vec![0.0f32; skeleton.len()];
    for (p, influences) in mesh.positions.iter().zip(&vertex_influences) {
        let joint = usize::from(influences[0].0);
        let distance = (pose.joints()[joint].translation - *p).length();
        reach_m[joint] = reach_m[joint].max(distance);
    }
    Body {
        vertices,
        indices: mesh.indices,
        shadow_vertices: Vec::new(),
        shadow_indices: Vec::new(),
        joint_from_bind: pose.joints().iter().map(|joint| joint.inverse()).collect(),
        occluders,
        reach_m,
        loaded: None,
        hull: hull_of(pose, &mesh.positions, &vertex_influences),
    }
}

/// A field along the skin that crosses one half where a marked joint begins:
/// each marked joint flips the sign for all below it.
fn seam_field(
    skeleton: &Skeleton,
    marks: Option<&[JointIndex]>,
    ring: &[Vec<u32>],
    owners: &[(JointIndex, f32)],
) -> Vec<f32> {
    let mut odd = vec![false; skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        let above = parent != NO_PARENT && odd[usize::from(parent)];
        let marked = marks.is_none_or(|marks| marks.contains(&(joint as JointIndex)));
        // Both sides of each seam then differ, whatever is above.
        odd[joint] = above ^ marked;
    }
    let side = |&(joint, _): &(JointIndex, f32)| f32::from(u8::from(odd[usize::from(joint)]));
    let mut field: Vec<f32> = owners.iter().map(side).collect();
    // Owners change from one vertex to the next; smoothed, the line where the
    // field crosses one half no longer follows the triangles.
    for _ in 0..4 {
        let mean = |ring: &Vec<u32>| {
            ring.iter().map(|&n| field[n as usize]).sum::<f32>() / ring.len().max(1) as f32
        };
        field = ring
            .iter()
            .enumerate()
            .map(|(v, ring)| 0.4 * field[v] + 0.6 * mean(ring))
            .collect();
    }
    field
}

/// Volume enclosed by a closed mesh, in cubic metres.
#[must_use]
pub fn volume_m3(positions: &[Vec3A], indices: &[u32]) -> f32 {
    let corner = |index: u32| positions[index as usize].as_dvec3();
    let six = indices
        .chunks_exact(3)
        .map(|t| corner(t[0]).dot(corner(t[1]).cross(corner(t[2]))));
    (six.sum::<f64>() / 6.0) as f32
}

#[cfg(test)]
mod tests;
