//! Bind group layouts: what a shader finds in groups 0, 1 and 2.

use super::{Gpu, pipeline::PassKind};

/// Which bind groups a pipeline reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BindGroups {
    /// 0: globals and shadow map; in the shadow pass globals alone.
    Scene,
    /// The same, and 1: the storage buffers of skins and meshes.
    Character,
    /// The same, and 2: picture and colours of a material.
    Material,
    /// 0: the foreground and where it lies.
    Foreground,
}

/// Bind group layouts, shared by all drawables.
#[derive(Debug)]
pub(super) struct Layouts {
    pub scene: wgpu::BindGroupLayout,
    pub light: wgpu::BindGroupLayout,
    pub character: wgpu::BindGroupLayout,
    pub material: wgpu::BindGroupLayout,
    pub foreground: wgpu::BindGroupLayout,
}

const UNIFORM: wgpu::BindingType = buffer(wgpu::BufferBindingType::Uniform);
const STORAGE: wgpu::BindingType = buffer(wgpu::BufferBindingType::Storage { read_only: true });

impl Layouts {
    pub fn new(gpu: &Gpu) -> Self {
        use wgpu::{
            BindingType::Sampler, SamplerBindingType as Samples, ShaderStages as Stages,
            TextureSampleType as Type,
        };
        let both = Stages::VERTEX_FRAGMENT;
        let compare = Sampler(Samples::Comparison);
        let filter = Sampler(Samples::Filtering);
        let picture = texture(Type::Float { filterable: true });
        let resolved = texture(Type::Float { filterable: false });
        Self {
            scene: group(
                gpu,
                "scene",
                both,
                &[UNIFORM, texture(Type::Depth), compare],
            ),
            // The map cannot be read while it is drawn: the shadow pass goes without.
            light: group(gpu, "light", both, &[UNIFORM]),
            // Four is what a vertex shader may count on (WebGPU's downlevel limits).
            character: group(gpu, "character", Stages::VERTEX, &[STORAGE; 4]),
            material: group(
                gpu,
                "material",
                Stages::FRAGMENT,
                &[picture, filter, UNIFORM],
            ),
            foreground: group(gpu, "foreground", both, &[UNIFORM, resolved]),
        }
    }

    /// The groups of a pipeline as a pass binds them.
    pub fn pipeline_layout(
        &self,
        gpu: &Gpu,
        pass: PassKind,
        groups: BindGroups,
    ) -> wgpu::PipelineLayout {
        let globals = match pass {
            PassKind::Shadow => &self.light,
            PassKind::Foreground | PassKind::Backdrop => &self.scene,
        };
        let all = [Some(globals), Some(&self.character), Some(&self.material)];
        let bind_group_layouts = match groups {
            BindGroups::Scene => &all[..1],
            BindGroups::Character => &all[..2],
            BindGroups::Material => &all,
            BindGroups::Foreground => &[Some(&self.foreground)],
        };
        gpu.device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts,
                immediate_size: 0,
            })
    }
}

const fn buffer(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None, // the shader's own, checked at the draw
    }
}

const fn texture(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

/// Bindings numbered from 0.
fn group(
    gpu: &Gpu,
    label: &str,
    visibility: wgpu::ShaderStages,
    types: &[wgpu::BindingType],
) -> wgpu::BindGroupLayout {
    let numbered = (0u32..).zip(types);
    let entries: Vec<_> = numbered
        .map(|(binding, &ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty,
            count: None,
        })
        .collect();
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
}

/// A bind group with its resources numbered from 0.
pub(super) fn bind_group(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let numbered = (0u32..).zip(resources);
    let entries: Vec<_> = numbered
        .map(|(binding, resource)| wgpu::BindGroupEntry {
            binding,
            resource: resource.clone(),
        })
        .collect();
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}
