//! Files that are named by what is done to a pose: grounds as pictures or
//! meshes, things to hold.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::{Vec2, Vec3, Vec3A};

use super::{Kind, LoadError, LoadOptions, Loaded, LoadedSkeleton, load_gltf, read};
use crate::{
    body::BodyCache,
    mesh::CharacterMesh,
    posing::{GroundKind, HeightField, PoseAction},
    scene::{Character, Scene},
};

/// Points along the longer side of a mesh's ground.
const MESH_POINTS: usize = 256;
/// Points along the longer side of a picture's ground; larger pictures are
/// looked at with gaps.
const PICTURE_POINTS: usize = 1024;

/// What an action's file holds.
#[derive(Clone, Debug)]
pub enum PoseFile {
    /// A ground.
    Field(HeightField),
    /// A thing to hold, at rest.
    Prop(Arc<LoadedSkeleton>),
}

impl PoseFile {
    /// Reads the file that an action names, beside `folder` where it is not
    /// absolute; nothing where it names none.
    pub fn read(action: &PoseAction, folder: &Path) -> Result<Option<Self>, LoadError> {
        let Some(name) = action.file() else {
            return Ok(None);
        };
        let path = match folder.join(name) {
            beside if beside.exists() => beside,
            _ => PathBuf::from(name),
        };
        match action {
            PoseAction::Ground(GroundKind::File {
                width_m, height_m, ..
            }) => height_field(&path, [*width_m, *height_m]).map(|it| Some(Self::Field(it))),
            _ => model(&path).map(|it| Some(Self::Prop(it))),
        }
    }

    /// Gives a character what it needs of the file.
    pub fn give(&self, name: &str, character: &mut Character) {
        if let Self::Field(field) = self {
            character.posing_mut().put_field(name, field.clone());
        }
    }

    /// Gives a scene what it draws of the file.
    pub fn show(&self, name: &str, scene: &mut Scene, bodies: &mut BodyCache) {
        if let Self::Prop(model) = self {
            let skeleton = Arc::new(model.imported.skeleton.clone());
            scene.put_model(name, skeleton, model.body(bodies));
        }
    }
}

fn model(path: &Path) -> Result<Arc<LoadedSkeleton>, LoadError> {
    if Kind::of_name(path) != Some(Kind::Gltf) {
        return Err(wrong(
            path,
            "a prop is a .glb or .gltf file, or ball, box, stick",
        ));
    }
    let loaded = load_gltf(path, LoadOptions::default())?.into_iter().next();
    match loaded {
        Some(Loaded::Skeleton(skeleton)) => Ok(skeleton),
        Some(Loaded::Motion(motion)) => Ok(Arc::clone(&motion.skeleton)),
        None => Err(wrong(path, "there is nothing in it")),
    }
}

fn height_field(path: &Path, size_m: [f32; 2]) -> Result<HeightField, LoadError> {
    if Kind::of_name(path) == Some(Kind::Gltf) {
        let loaded = model(path)?;
        let mesh = loaded.model.as_ref();
        let mesh = mesh.ok_or_else(|| wrong(path, "it has no mesh to stand on"))?;
        return mesh_field(&loaded, mesh).ok_or_else(|| wrong(path, "its mesh has no width"));
    }
    let (size, shades) = shades(path)?;
    Ok(picture_field(size, &shades, size_m))
}

fn wrong(path: &Path, message: &str) -> LoadError {
    LoadError::Animator {
        path: path.to_path_buf(),
        message: message.to_owned(),
    }
}

/// A picture as shades of 0 to 1, row by row.
#[cfg(feature = "viewer")]
fn shades(path: &Path) -> Result<([usize; 2], Vec<f32>), LoadError> {
    let bytes = read(path)?;
    let mut reader = image::ImageReader::new(std::io::Cursor::new(bytes));
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(8192);
    limits.max_image_height = Some(8192);
    reader.limits(limits);
    let reader = reader.with_guessed_format();
    let told = |text: String| wrong(path, &format!("not a picture that can be read: {text}"));
    let reader = reader.map_err(|error| told(error.to_string()))?;
    let picture = reader.decode().map_err(|error| told(error.to_string()))?;
    let grey = picture.into_luma16();
    let size = [grey.width() as usize, grey.height() as usize];
    let shades = grey
        .into_raw()
        .into_iter()
        .map(|it| f32::from(it) / 65535.0);
    Ok((size, shades.collect()))
}

/// A picture as shades of 0 to 1, row by row.
#[cfg(not(feature = "viewer"))]
fn shades(path: &Path) -> Result<([usize; 2], Vec<f32>), LoadError> {
    read(path)?;
    Err(wrong(
        path,
        "pictures are read by builds with the viewer alone; give a mesh",
    ))
}

/// Black is 0, white `height_m`; the longer side is `width_m`.
fn picture_field(size: [usize; 2], shades: &[f32], [width_m, height_m]: [f32; 2]) -> HeightField {
    let longer = size[0].max(size[1]).max(2);
    let stride = longer.div_ceil(PICTURE_POINTS).max(1);
    let points = size.map(|count| count.div_ceil(stride).max(1));
    let rows = (0..points[1]).map(|row| row * stride * size[0]);
    let heights = rows
        .flat_map(|row| (0..points[0]).map(move |column| height_m * shades[row + column * stride]));
    HeightField {
        size: points,
        step_m: width_m * stride as f32 / (longer - 1) as f32,
        heights_m: heights.collect(),
    }
}

/// The highest of a mesh at rest above every point of a grid; where nothing is,
/// its lowest. Its middle is the origin.
fn mesh_field(loaded: &LoadedSkeleton, mesh: &CharacterMesh) -> Option<HeightField> {
    let triangles = triangles(loaded, mesh);
    let points = triangles.iter().flatten();
    let (low, high) = points.fold((Vec3A::MAX, Vec3A::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
    let extent = high - low;
    let step_m = extent.x.max(extent.z) / (MESH_POINTS - 1) as f32;
    if !(step_m > 0.0 && step_m.is_finite()) {
        return None;
    }
    let size = [extent.x, extent.z].map(|metres| (metres / step_m) as usize + 1);
    let mut heights = vec![low.y; size[0] * size[1]];
    for triangle in &triangles {
        raise(triangle, low, step_m, size, &mut heights);
    }
    Some(HeightField {
        size,
        step_m,
        heights_m: heights.into(),
    })
}

fn triangles(loaded: &LoadedSkeleton, mesh: &CharacterMesh) -> Vec<[Vec3A; 3]> {
    let rest = loaded.imported.skeleton.rest_model();
    let palette: Vec<_> = mesh.palette(&rest).collect();
    let mut triangles = Vec::new();
    for part in &mesh.parts {
        let indices = &mesh.primitives[part.primitive].indices;
        let place = |index: u32| mesh.place(part, index as usize, &palette, &[]);
        let corners = indices.chunks_exact(3);
        triangles.extend(corners.map(|it| [place(it[0]), place(it[1]), place(it[2])]));
    }
    triangles
}

/// Raises the points of a grid that lie below a triangle.
fn raise([a, b, c]: &[Vec3A; 3], low: Vec3A, step_m: f32, size: [usize; 2], heights: &mut [f32]) {
    let flat = |p: &Vec3A| Vec2::new(p.x - low.x, p.z - low.z) / step_m;
    let [p, q, r] = [a, b, c].map(flat);
    let area = (q - p).perp_dot(r - p);
    if area.abs() < 1e-9 {
        return;
    }
    let (from, to) = (p.min(q).min(r).ceil(), p.max(q).max(r).floor());
    let last = |axis: usize| (size[axis] - 1) as f32;
    for z in from.y.max(0.0) as usize..=to.y.clamp(0.0, last(1)) as usize {
        for x in from.x.max(0.0) as usize..=to.x.clamp(0.0, last(0)) as usize {
            let at = Vec2::new(x as f32, z as f32);
            let shares = Vec3::new(
                (q - at).perp_dot(r - at),
                (r - at).perp_dot(p - at),
                (p - at).perp_dot(q - at),
            ) / area;
            if shares.min_element() >= -1e-4 {
                let height = shares.dot(Vec3::new(a.y, b.y, c.y));
                let known = &mut heights[z * size[0] + x];
                *known = known.max(height);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_as_wide_and_as_high_as_it_is_asked_to_be() {
        let field = picture_field([3, 2], &[0.0, 0.5, 1.0, 0.0, 0.5, 1.0], [4.0, 2.0]);
        assert_eq!(field.size, [3, 2]);
        for (x, height) in [(-2.0, 0.0), (0.0, 1.0), (1.0, 1.5), (2.0, 2.0)] {
            assert_close!(field.height_m(Vec2::new(x, 0.0)), height, 1e-6);
        }
        let wide = vec![0.25; 5000];
        let field = picture_field([5000, 1], &wide, [10.0, 1.0]);
        assert!(field.size[0] <= PICTURE_POINTS);
        assert_close!(field.height_m(Vec2::ZERO), 0.25, 1e-6);
    }

    #[test]
    fn a_triangle_raises_what_lies_below_it() {
        let triangle = [
            Vec3A::new(0.0, 0.0, 0.0),
            Vec3A::new(4.0, 4.0, 0.0),
            Vec3A::new(0.0, 0.0, 4.0),
        ];
        let mut heights = vec![0.0; 25];
        raise(&triangle, Vec3A::ZERO, 1.0, [5, 5], &mut heights);
        assert_close!(heights[2], 2.0, 1e-5);
        assert_close!(heights[5 + 3], 3.0, 1e-5);
        assert_eq!(heights[24], 0.0, "beyond its edge");
    }
}
