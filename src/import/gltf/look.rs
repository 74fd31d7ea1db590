//! Materials and pictures.

use std::sync::Arc;

use glam::{Affine2, Vec2};

use crate::{
    mesh::{Alpha, Image, Material, Texture, TextureWrap},
    mocap::{
        Note, Notes,
        gltf::{
            GltfDocument, GltfError,
            json::{
                self,
                material::AlphaMode,
                texture::{MagFilter, WrappingMode},
                validation::Checked,
            },
        },
    },
};

/// Which texture coordinates a material's picture goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct UvSource {
    /// TEXCOORD_n.
    pub set: u32,
    /// `KHR_texture_transform`.
    transform: Option<Affine2>,
}

impl UvSource {
    fn of(info: &json::texture::Info) -> Self {
        let extension = info.extensions.as_ref();
        let Some(it) = extension.and_then(|it| it.texture_transform.as_ref()) else {
            return Self {
                set: info.tex_coord,
                transform: None,
            };
        };
        let (sin, cos) = it.rotation.0.sin_cos();
        let (scale, offset) = (Vec2::from(it.scale.0), Vec2::from(it.offset.0));
        // Counter-clockwise as a picture shows it, with v pointing down. The
        // extension's own listing turns the other way; its words, its test
        // model and other programs turn this way.
        let placed = Affine2::from_cols(
            Vec2::new(cos, -sin) * scale.x,
            Vec2::new(sin, cos) * scale.y,
            offset,
        );
        Self {
            set: it.tex_coord.unwrap_or(info.tex_coord),
            transform: Some(placed).filter(|it| it.is_finite()),
        }
    }

    /// Where in the picture a coordinate of the file is.
    pub fn placed(&self, uv: [f32; 2]) -> [f32; 2] {
        match self.transform {
            Some(transform) => transform.transform_point2(uv.into()).to_array(),
            None => uv,
        }
    }
}

/// Every material, and the coordinates of its picture.
pub(super) fn materials(document: &GltfDocument) -> Result<Vec<(Material, UvSource)>, GltfError> {
    let materials = document.root().materials.iter().enumerate();
    materials
        .map(|(index, it)| material(document, index, it))
        .collect()
}

fn material(
    document: &GltfDocument,
    index: usize,
    it: &json::Material,
) -> Result<(Material, UvSource), GltfError> {
    let pbr = &it.pbr_metallic_roughness;
    let info = pbr.base_color_texture.as_ref();
    let texture = info
        .map(|info| texture(document, index, info))
        .transpose()?;
    let finite = |number: f32, otherwise: f32| {
        if number.is_finite() {
            number
        } else {
            otherwise
        }
    };
    let material = Material {
        name: it.name.clone().unwrap_or_default(),
        base_colour: pbr.base_color_factor.0.map(|it| finite(it, 1.0)),
        texture,
        emissive: it.emissive_factor.0.map(|it| finite(it, 0.0)),
        metallic: finite(pbr.metallic_factor.0, 1.0),
        roughness: finite(pbr.roughness_factor.0, 1.0),
        alpha: match it.alpha_mode {
            Checked::Valid(AlphaMode::Mask) => {
                // One half is the format's own default.
                Alpha::Mask(finite(it.alpha_cutoff.map_or(0.5, |it| it.0), 0.5))
            }
            Checked::Valid(AlphaMode::Blend) => Alpha::Blend,
            _ => Alpha::Opaque,
        },
        double_sided: it.double_sided,
    };
    Ok((material, info.map(UvSource::of).unwrap_or_default()))
}

fn texture(
    document: &GltfDocument,
    material: usize,
    info: &json::texture::Info,
) -> Result<Texture, GltfError> {
    let root = document.root();
    let at = || format!("materials[{material}].baseColorTexture");
    let index = document.index(at, "texture", info.index.value(), root.textures.len())?;
    let it = &root.textures[index];
    let image = document.index(at, "image", it.source.value(), root.images.len())?;
    let sampler = match it.sampler {
        Some(sampler) => {
            let index = document.index(at, "sampler", sampler.value(), root.samplers.len())?;
            Some(&root.samplers[index])
        }
        None => None,
    };
    let wrap = |mode: Checked<WrappingMode>| match mode {
        Checked::Valid(WrappingMode::ClampToEdge) => TextureWrap::Clamp,
        Checked::Valid(WrappingMode::MirroredRepeat) => TextureWrap::Mirror,
        _ => TextureWrap::Repeat,
    };
    Ok(Texture {
        image,
        wrap: sampler.map_or([TextureWrap::Repeat; 2], |it| {
            [wrap(it.wrap_s), wrap(it.wrap_t)]
        }),
        nearest: sampler
            .is_some_and(|it| it.mag_filter == Some(Checked::Valid(MagFilter::Nearest))),
    })
}

/// The pictures that materials use, as their files hold them. One that cannot
/// be read is empty: the surface keeps its colour.
pub(super) fn images(
    document: &GltfDocument,
    materials: &[Material],
    notes: &mut Notes,
) -> Result<Vec<Image>, GltfError> {
    let used = |image: usize| {
        let shown = |it: &Material| it.texture.is_some_and(|texture| texture.image == image);
        materials.iter().any(shown)
    };
    let images = document.root().images.iter().enumerate();
    let image = |(index, it): (usize, &json::Image)| {
        let mut bytes: &[u8] = &[];
        if used(index) {
            bytes = match it.buffer_view {
                Some(view) => document.view(view.value())?,
                None => document.image_file(index).unwrap_or_default(),
            };
            document.spend(&format!("images[{index}]"), bytes.len() as u64)?;
            if bytes.is_empty() {
                let why = document.image_fault(index).unwrap_or("it is empty");
                notes.add(Note::warning(format!(
                    "picture {index} could not be read ({why}); left white"
                )));
            }
        }
        // A picture of a file of its own is known by that file.
        let file = || it.uri.clone().filter(|uri| !uri.starts_with("data:"));
        let named = it.mime_type.as_ref().map(|it| it.0.clone());
        Ok(Image {
            name: it.name.clone().or_else(file).unwrap_or_default(),
            mime: named.unwrap_or_else(|| mime(bytes).to_owned()),
            bytes: Arc::from(bytes),
            pixels: None,
        })
    };
    images.map(image).collect()
}

fn mime(bytes: &[u8]) -> &'static str {
    if bytes.starts_with(b"\xFF\xD8") {
        "image/jpeg"
    } else {
        "image/png"
    }
}
