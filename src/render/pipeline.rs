//! What all drawables share: layouts, pipeline recipes, growing buffers.

use std::borrow::Cow;

use super::{DEPTH_FORMAT, Gpu};

/// How a drawable meets depth and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PipelineKind {
    /// Hides what is behind it.
    Solid,
    /// The same, seen from both sides.
    Sheet,
    /// Lays down depth without colour.
    DepthOnly,
    /// Blends where depth is its own.
    BlendAtDepth,
    /// Blends over what is behind it, as a strip.
    Lines,
    /// Lays down the floor's depth without colour, seen from both sides.
    GroundDepth,
    /// Straight onto the picture, one sample a pixel, no depth; a strip.
    Backdrop,
    /// The same, blended.
    BackdropBlend,
}

/// The ground has more than one pair of entry points in its file.
const SHADE_ENTRIES: [&str; 2] = ["shade_vertex", "shade_fragment"];

/// What every pipeline of a renderer is made of.
pub(super) struct PipelineParts<'a> {
    pub scene: &'a wgpu::PipelineLayout,
    pub skin: &'a wgpu::PipelineLayout,
    pub mesh: &'a wgpu::PipelineLayout,
    pub format: wgpu::TextureFormat,
    pub samples: u32,
    /// Values of the shaders' `override`s.
    pub constants: &'a [(&'a str, f64)],
}

impl PipelineParts<'_> {
    pub fn pipeline(
        &self,
        gpu: &Gpu,
        label: &str,
        module: &wgpu::ShaderModule,
        buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
        kind: PipelineKind,
    ) -> wgpu::RenderPipeline {
        use PipelineKind::{
            Backdrop, BackdropBlend, BlendAtDepth, DepthOnly, GroundDepth, Lines, Sheet, Solid,
        };
        use wgpu::CompareFunction as Compare;
        let of_model = label.starts_with("mesh");
        let layout = match label {
            _ if of_model => self.mesh,
            "skin" | "transparent" | "transparent depth" => self.skin,
            _ => self.scene,
        };
        // Depth is reversed: 1 is near, 0 infinitely far.
        let (compare, writes_depth) = match kind {
            Solid | Sheet | DepthOnly | GroundDepth => (Compare::Greater, true),
            BlendAtDepth => (Compare::Equal, false),
            Lines | Backdrop | BackdropBlend => (Compare::GreaterEqual, false),
        };
        let flat = matches!(kind, Backdrop | BackdropBlend);
        let strip = flat || matches!(kind, Lines | GroundDepth);
        let blends = matches!(kind, BlendAtDepth | Lines | BackdropBlend);
        let options = || wgpu::PipelineCompilationOptions {
            constants: self.constants,
            ..wgpu::PipelineCompilationOptions::default()
        };
        let entry = |name: &'static str| match label {
            "ground shade" => SHADE_ENTRIES[usize::from(name == "fragment")],
            "ground depth" => "depth_vertex",
            _ => name,
        };
        let colourless = matches!(kind, DepthOnly | GroundDepth);
        gpu.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(label),
                layout: Some(layout),
                vertex: wgpu::VertexState {
                    module,
                    entry_point: Some(entry("vertex")),
                    compilation_options: options(),
                    buffers,
                },
                primitive: wgpu::PrimitiveState {
                    topology: if strip {
                        wgpu::PrimitiveTopology::TriangleStrip
                    } else {
                        wgpu::PrimitiveTopology::TriangleList
                    },
                    // Meshes of files need not be closed.
                    cull_mode: (matches!(kind, Solid | DepthOnly | BlendAtDepth) && !of_model)
                        .then_some(wgpu::Face::Back),
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: (!flat).then(|| wgpu::DepthStencilState {
                    format: DEPTH_FORMAT,
                    depth_write_enabled: Some(writes_depth),
                    depth_compare: Some(compare),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
                multisample: wgpu::MultisampleState {
                    count: if flat { 1 } else { self.samples },
                    ..wgpu::MultisampleState::default()
                },
                fragment: Some(wgpu::FragmentState {
                    module,
                    entry_point: Some(if colourless {
                        "depth_only"
                    } else {
                        entry("fragment")
                    }),
                    compilation_options: options(),
                    targets: &[Some(wgpu::ColorTargetState {
                        format: if flat {
                            self.format
                        } else {
                            super::FOREGROUND_FORMAT
                        },
                        blend: blends.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                        write_mask: if colourless {
                            wgpu::ColorWrites::empty()
                        } else {
                            wgpu::ColorWrites::ALL
                        },
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
    }
}

/// Compiles joined sources; `tests` validates each of them.
pub(super) fn shader(gpu: &Gpu, label: &str, sources: &[&str]) -> wgpu::ShaderModule {
    gpu.device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(Cow::Owned(sources.concat())),
        })
}

/// Bind group and pipeline layouts.
#[derive(Debug)]
pub(super) struct Layouts {
    scene_entries: wgpu::BindGroupLayout,
    light_entries: wgpu::BindGroupLayout,
    pub skin_group: wgpu::BindGroupLayout,
    pub mesh_group: wgpu::BindGroupLayout,
    pub material_group: wgpu::BindGroupLayout,
    pub scene: wgpu::PipelineLayout,
    pub scene_and_skin: wgpu::PipelineLayout,
    pub light: wgpu::PipelineLayout,
    pub light_and_skin: wgpu::PipelineLayout,
    pub scene_and_mesh: wgpu::PipelineLayout,
    pub light_and_mesh: wgpu::PipelineLayout,
}

impl Layouts {
    pub fn new(gpu: &Gpu) -> Self {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty,
            count: None,
        };
        let uniform = wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        };
        let depth = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Depth,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let compare = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let group = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some(label),
                    entries,
                })
        };
        let scene_entries = group(
            "scene",
            &[entry(0, uniform), entry(1, depth), entry(2, compare)],
        );
        // The map cannot be read while it is drawn: the shadow pass goes without.
        let light_entries = group("light", &[entry(0, uniform)]);
        let skin_group = storage_layout(gpu, "skin");
        let mesh_group = storage_layout(gpu, "mesh");
        let material_group = super::mesh::material_layout(gpu);
        let layout = |label, groups: &[Option<&wgpu::BindGroupLayout>]| {
            gpu.device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some(label),
                    bind_group_layouts: groups,
                    immediate_size: 0,
                })
        };
        Self {
            scene: layout("scene", &[Some(&scene_entries)]),
            scene_and_skin: layout("scene and skin", &[Some(&scene_entries), Some(&skin_group)]),
            light: layout("light", &[Some(&light_entries)]),
            light_and_skin: layout("light and skin", &[Some(&light_entries), Some(&skin_group)]),
            scene_and_mesh: layout(
                "scene and mesh",
                &[
                    Some(&scene_entries),
                    Some(&mesh_group),
                    Some(&material_group),
                ],
            ),
            light_and_mesh: layout("light and mesh", &[Some(&light_entries), Some(&mesh_group)]),
            scene_entries,
            light_entries,
            skin_group,
            mesh_group,
            material_group,
        }
    }

    pub fn parts(&self, format: wgpu::TextureFormat, samples: u32) -> PipelineParts<'_> {
        PipelineParts {
            scene: &self.scene,
            skin: &self.scene_and_skin,
            mesh: &self.scene_and_mesh,
            format,
            samples,
            constants: &[],
        }
    }

    pub fn scene_group(
        &self,
        gpu: &Gpu,
        globals: &wgpu::Buffer,
        shadow_map: &wgpu::TextureView,
    ) -> wgpu::BindGroup {
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scene"),
            layout: &self.scene_entries,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: globals.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(shadow_map),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: wgpu::BindingResource::Sampler(&sampler),
                },
            ],
        })
    }

    pub fn light_group(&self, gpu: &Gpu, globals: &wgpu::Buffer) -> wgpu::BindGroup {
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("light"),
            layout: &self.light_entries,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: globals.as_entire_binding(),
            }],
        })
    }
}

/// A buffer filled once.
pub(super) fn buffer_of<T: bytemuck::Pod>(
    gpu: &Gpu,
    label: &str,
    usage: wgpu::BufferUsages,
    content: &[T],
) -> wgpu::Buffer {
    let bytes: &[u8] = bytemuck::cast_slice(content);
    // Not `create_buffer_init`, which panics on a device that was lost.
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: (bytes.len() as u64).max(wgpu::COPY_BUFFER_ALIGNMENT),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    if !bytes.is_empty() {
        gpu.queue.write_buffer(&buffer, 0, bytes);
    }
    buffer
}

/// The four storage buffers of group 1, of skins and of meshes alike.
fn storage_layout(gpu: &Gpu, label: &str) -> wgpu::BindGroupLayout {
    let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &[entry(0), entry(1), entry(2), entry(3)],
        })
}

/// A buffer refilled every frame, made anew when it gets too small.
#[derive(Debug)]
pub(super) struct GrowBuffer {
    buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl GrowBuffer {
    pub fn new(gpu: &Gpu, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self {
            buffer: Self::sized(gpu, label, usage, 256),
            label,
            usage,
        }
    }

    fn sized(gpu: &Gpu, label: &str, usage: wgpu::BufferUsages, size: u64) -> wgpu::Buffer {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// Uploads; true when the buffer was replaced and bindings must follow.
    pub fn write<T: bytemuck::Pod>(&mut self, gpu: &Gpu, content: &[T]) -> bool {
        self.write_all(gpu, std::iter::once(content))
    }

    /// The same for slices that are to lie one behind the other.
    pub fn write_all<'a, T: bytemuck::Pod>(
        &mut self,
        gpu: &Gpu,
        parts: impl Iterator<Item = &'a [T]> + Clone,
    ) -> bool {
        let needed: usize = parts.clone().map(size_of_val).sum();
        let grows = needed as u64 > self.buffer.size();
        if grows {
            let size = (needed as u64).next_power_of_two();
            self.buffer = Self::sized(gpu, self.label, self.usage, size);
        }
        let mut offset = 0;
        for part in parts.filter(|part| !part.is_empty()) {
            let bytes: &[u8] = bytemuck::cast_slice(part);
            gpu.queue.write_buffer(&self.buffer, offset, bytes);
            offset += bytes.len() as u64;
        }
        grows
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}
