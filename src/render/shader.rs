//! The WGSL of each drawable and the shared sources it is joined with.

use std::borrow::Cow;

use super::Gpu;

/// The uniform block and what every shader of the scene may call.
pub(super) const GLOBALS: &str = include_str!("../../shaders/globals.wgsl");
/// Skinning alone; a test also runs it in a compute pass.
pub(super) const SKINNING: &str = include_str!("../../shaders/skinning.wgsl");
const SHADOW: &str = include_str!("../../shaders/shadow.wgsl");
const LIGHT: &str = include_str!("../../shaders/light.wgsl");
const CHARACTER: &str = include_str!("../../shaders/character.wgsl");

/// A shader module: one for each drawable, in a file of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shader {
    Sky,
    Ground,
    Skin,
    Mesh,
    Cloth,
    Bones,
    Lines,
    Foreground,
}

impl Shader {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 8] = [
        Self::Sky,
        Self::Ground,
        Self::Skin,
        Self::Mesh,
        Self::Cloth,
        Self::Bones,
        Self::Lines,
        Self::Foreground,
    ];

    /// WGSL has no imports: sources are joined, and a name is declared once.
    pub fn sources(self) -> &'static [&'static str] {
        match self {
            Self::Sky => &[GLOBALS, include_str!("../../shaders/sky.wgsl")],
            Self::Ground => &[GLOBALS, SHADOW, include_str!("../../shaders/ground.wgsl")],
            Self::Skin => &[
                GLOBALS,
                SKINNING,
                SHADOW,
                LIGHT,
                CHARACTER,
                include_str!("../../shaders/skin.wgsl"),
            ],
            Self::Mesh => &[
                GLOBALS,
                SKINNING,
                SHADOW,
                LIGHT,
                CHARACTER,
                include_str!("../../shaders/mesh.wgsl"),
            ],
            Self::Cloth => &[
                GLOBALS,
                SHADOW,
                LIGHT,
                include_str!("../../shaders/cloth.wgsl"),
            ],
            Self::Bones => &[GLOBALS, LIGHT, include_str!("../../shaders/bones.wgsl")],
            Self::Lines => &[GLOBALS, include_str!("../../shaders/lines.wgsl")],
            Self::Foreground => &[include_str!("../../shaders/foreground.wgsl")],
        }
    }
}

/// The modules compiled so far, by the shader's number.
#[derive(Debug, Default)]
pub(super) struct ShaderModules([Option<wgpu::ShaderModule>; Shader::ALL.len()]);

impl ShaderModules {
    /// Compiled when first asked for: pipelines of one drawable share it.
    pub fn module(&mut self, gpu: &Gpu, shader: Shader) -> &wgpu::ShaderModule {
        self.0[shader as usize]
            .get_or_insert_with(|| compile(gpu, &format!("{shader:?}"), shader.sources()))
    }
}

/// Compiles joined sources; `tests` validates each of them.
pub(super) fn compile(gpu: &Gpu, label: &str, sources: &[&str]) -> wgpu::ShaderModule {
    gpu.device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(Cow::Owned(sources.concat())),
        })
}
