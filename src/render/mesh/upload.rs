//! A model's buffers and pictures.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use crate::mesh::{Alpha, CharacterMesh, Material, Part, Pixels, Primitive, TextureWrap};
use crate::render::{
    Gpu,
    buffers::buffer_of,
    layouts::bind_group,
    textures::{extent, texture_2d},
};

/// Mirrors `Material` in mesh.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuMaterial {
    base_colour: [f32; 4],
    emissive: [f32; 4],
}

/// A primitive's buffers.
#[derive(Debug)]
pub(super) struct GpuPrimitive {
    pub vertices: wgpu::Buffer,
    pub indices: wgpu::Buffer,
    /// Indices to draw; none where the GPU cannot hold them.
    pub count: u32,
    pub vertex_count: u32,
    pub material: usize,
    pub targets: u32,
    pub first_offset: u32,
}

/// A model's buffers.
#[derive(Debug)]
pub(super) struct GpuModel {
    pub model: Arc<CharacterMesh>,
    pub primitives: Vec<GpuPrimitive>,
    /// By primitive: where it is used.
    pub parts: Vec<Vec<Part>>,
    /// The last is for primitives without a material.
    pub materials: Vec<wgpu::BindGroup>,
    pub bind_group: Option<wgpu::BindGroup>,
    offsets: wgpu::Buffer,
}

impl GpuModel {
    pub fn new(gpu: &Gpu, model: &Arc<CharacterMesh>, layout: &wgpu::BindGroupLayout) -> Self {
        let mut offsets: Vec<f32> = Vec::new();
        let most = gpu.device.limits().max_storage_buffer_binding_size as usize / size_of::<f32>();
        let mut primitives = Vec::with_capacity(model.primitives.len());
        for primitive in &model.primitives {
            let first_offset = offsets.len();
            // Offset and change of normal, three numbers each.
            let needs = 6 * primitive.targets.len() * primitive.vertices.len();
            // What does not fit is drawn unmoved rather than not at all.
            let fits = first_offset + needs <= most;
            if fits {
                push_offsets(primitive, &mut offsets);
            }
            let targets = if fits { primitive.targets.len() } else { 0 };
            primitives.push(GpuPrimitive {
                targets: targets as u32,
                first_offset: first_offset as u32,
                ..buffers(gpu, primitive, model.materials.len())
            });
        }
        // A binding may not be empty.
        if offsets.is_empty() {
            offsets.push(0.0);
        }
        let mut parts = vec![Vec::new(); model.primitives.len()];
        for part in &model.parts {
            parts[part.primitive].push(*part);
        }
        Self {
            materials: materials(gpu, model, layout),
            offsets: buffer_of(gpu, "morph offsets", wgpu::BufferUsages::STORAGE, &offsets),
            model: Arc::clone(model),
            primitives,
            parts,
            bind_group: None,
        }
    }

    /// Binds the frame's buffers and the model's own.
    pub fn bind(
        &mut self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        buffers: [&wgpu::Buffer; 3],
        grown: bool,
    ) {
        if self.bind_group.is_some() && !grown {
            return;
        }
        let [slots, parts, morphs] = buffers;
        let all = [slots, parts, morphs, &self.offsets];
        let resources = all.map(wgpu::Buffer::as_entire_binding);
        self.bind_group = Some(bind_group(gpu, "mesh", layout, &resources));
    }
}

fn push_offsets(primitive: &Primitive, offsets: &mut Vec<f32>) {
    for target in &primitive.targets {
        for vertex in 0..primitive.vertices.len() {
            offsets.extend(target.offsets[vertex]);
            offsets.extend(target.normals.get(vertex).unwrap_or(&[0.0; 3]));
        }
    }
}

fn buffers(gpu: &Gpu, primitive: &Primitive, materials: usize) -> GpuPrimitive {
    let most = gpu.device.limits().max_buffer_size as usize;
    let fits = size_of_val(primitive.vertices.as_slice()) <= most
        && size_of_val(primitive.indices.as_slice()) <= most
        && !primitive.indices.is_empty();
    let (vertices, indices) = if fits {
        (primitive.vertices.as_slice(), primitive.indices.as_slice())
    } else {
        (&[][..], &[][..])
    };
    GpuPrimitive {
        vertices: buffer_of(gpu, "model vertices", wgpu::BufferUsages::VERTEX, vertices),
        indices: buffer_of(gpu, "model indices", wgpu::BufferUsages::INDEX, indices),
        count: indices.len() as u32,
        vertex_count: primitive.vertices.len() as u32,
        material: primitive.material.unwrap_or(materials).min(materials),
        targets: 0,
        first_offset: 0,
    }
}

/// Picture, sampler and colours of each material: group 2.
fn materials(
    gpu: &Gpu,
    model: &CharacterMesh,
    layout: &wgpu::BindGroupLayout,
) -> Vec<wgpu::BindGroup> {
    let white = Pixels {
        size: [1, 1],
        rgba: vec![255; 4],
    };
    let white = upload(gpu, &white);
    let upload_one = |image: &crate::mesh::Image| {
        let pixels = image.pixels.as_deref();
        pixels.map(|pixels| upload(gpu, pixels))
    };
    let pictures: Vec<_> = model.images.iter().map(upload_one).collect();
    let plain = Material::default();
    let all = model.materials.iter().chain([&plain]);
    all.map(|material| {
        let own = material.texture;
        let picture = own.and_then(|it| pictures.get(it.image)?.as_ref());
        let colours = [GpuMaterial::from(material)];
        let colours = buffer_of(gpu, "material", wgpu::BufferUsages::UNIFORM, &colours);
        let resources = [
            wgpu::BindingResource::TextureView(picture.unwrap_or(&white)),
            wgpu::BindingResource::Sampler(&sampler(gpu, material)),
            colours.as_entire_binding(),
        ];
        bind_group(gpu, "material", layout, &resources)
    })
    .collect()
}

impl From<&Material> for GpuMaterial {
    fn from(material: &Material) -> Self {
        // Below any opacity where nothing is to be cut out.
        let cutoff = match material.alpha {
            Alpha::Mask(cutoff) => cutoff,
            Alpha::Opaque | Alpha::Blend => -1.0,
        };
        let mut base_colour = material.base_colour;
        // glTF: an opaque material's alpha is to be ignored.
        if material.alpha == Alpha::Opaque {
            base_colour[3] = 1.0;
        }
        let [r, g, b] = material.emissive;
        Self {
            base_colour,
            emissive: [r, g, b, cutoff],
        }
    }
}

fn sampler(gpu: &Gpu, material: &Material) -> wgpu::Sampler {
    let mode = |wrap: TextureWrap| match wrap {
        TextureWrap::Repeat => wgpu::AddressMode::Repeat,
        TextureWrap::Mirror => wgpu::AddressMode::MirrorRepeat,
        TextureWrap::Clamp => wgpu::AddressMode::ClampToEdge,
    };
    let [u, v] = material
        .texture
        .map_or([TextureWrap::Repeat; 2], |it| it.wrap);
    let near = match material.texture.is_some_and(|it| it.nearest) {
        true => wgpu::FilterMode::Nearest,
        false => wgpu::FilterMode::Linear,
    };
    gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("picture"),
        address_mode_u: mode(u),
        address_mode_v: mode(v),
        mag_filter: near,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..wgpu::SamplerDescriptor::default()
    })
}

/// A picture with all its halvings.
fn upload(gpu: &Gpu, pixels: &Pixels) -> wgpu::TextureView {
    let levels = mip_levels(pixels, gpu.device.limits().max_texture_dimension_2d);
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        mip_level_count: levels.len() as u32,
        ..texture_2d("picture", levels[0].size, format, usage)
    });
    for (mip_level, pixels) in (0u32..).zip(&levels) {
        let [width, height] = pixels.size;
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                mip_level,
                ..texture.as_image_copy()
            },
            &pixels.rgba,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * width),
                rows_per_image: Some(height),
            },
            extent(pixels.size),
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// Down to a single pixel; the first is halved until no side is beyond `most`.
fn mip_levels(pixels: &Pixels, most: u32) -> Vec<Pixels> {
    let mut levels = vec![pixels.clone()];
    while levels[0].size.iter().any(|&side| side > most) {
        levels[0] = halved(&levels[0]);
    }
    while let Some(last) = levels.last().filter(|it| it.size != [1, 1]) {
        levels.push(halved(last));
    }
    levels
}

/// Half as large in both directions: the mean of four pixels. Of their sRGB
/// bytes, not of linear light: a little dark where they differ, and quick.
fn halved(pixels: &Pixels) -> Pixels {
    let [width, height] = pixels.size;
    let size = [(width / 2).max(1), (height / 2).max(1)];
    let at = |x: u32, y: u32, channel: u32| {
        let (x, y) = (x.min(width - 1), y.min(height - 1));
        u32::from(pixels.rgba[(4 * (y * width + x) + channel) as usize])
    };
    let mut rgba = Vec::with_capacity((4 * size[0] * size[1]) as usize);
    for y in 0..size[1] {
        for x in 0..size[0] {
            rgba.extend((0..4).map(|channel| {
                let (x, y) = (2 * x, 2 * y);
                let sum = at(x, y, channel)
                    + at(x + 1, y, channel)
                    + at(x, y + 1, channel)
                    + at(x + 1, y + 1, channel);
                ((sum + 2) / 4) as u8
            }));
        }
    }
    Pixels { size, rgba }
}
