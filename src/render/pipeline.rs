//! Pipelines as typed values: each drawable states what its pipelines read and
//! how they meet depth and colour; one function turns that into wgpu's terms.

use super::{
    DEPTH_FORMAT, Gpu,
    drawable::FrameContext,
    foreground,
    layouts::{BindGroups, Layouts},
    options::ShaderOptions,
    shader::{Shader, ShaderModules},
    shadow,
};

/// A pass of a frame; format, samples and depth of its target come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PassKind {
    /// The key light's map: depth alone.
    Shadow,
    /// What has edges, multisampled, with depth.
    Foreground,
    /// Straight onto the picture, one sample a pixel, no depth.
    Backdrop,
}

/// How a pipeline meets the depth and colour that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blending {
    /// Hides what is behind it.
    Opaque,
    /// Lays down depth without colour.
    DepthOnly,
    /// Blends where the depth is its own: after `DepthOnly`, the outermost
    /// surface alone.
    AtOwnDepth,
    /// Blends over what is behind it and hides nothing.
    Over,
}

/// Everything that decides about a pipeline but the renderer's quality and the
/// frame's options.
#[derive(Clone, Copy, Debug)]
pub(super) struct PipelineDescription {
    /// For debuggers and drivers' messages; decides nothing.
    pub label: &'static str,
    pub shader: Shader,
    /// Entry points; a fragment shader is run in all passes but the shadow's.
    pub vertex: &'static str,
    pub fragment: &'static str,
    /// Whether they read the shaders' `override`s.
    pub reads_options: bool,
    pub buffers: &'static [Option<wgpu::VertexBufferLayout<'static>>],
    pub groups: BindGroups,
    pub pass: PassKind,
    pub blending: Blending,
    pub topology: wgpu::PrimitiveTopology,
    pub cull_mode: Option<wgpu::Face>,
}

impl PipelineDescription {
    /// A quad without buffers: the shader knows its corners.
    pub const fn quad(label: &'static str, shader: Shader, pass: PassKind) -> Self {
        Self {
            label,
            shader,
            vertex: "vertex",
            fragment: "fragment",
            reads_options: false,
            buffers: &[],
            groups: BindGroups::Scene,
            pass,
            blending: Blending::Opaque,
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            cull_mode: None,
        }
    }

    /// Triangles of the foreground, lit, seen from both sides.
    pub const fn surface(
        label: &'static str,
        shader: Shader,
        buffers: &'static [Option<wgpu::VertexBufferLayout<'static>>],
    ) -> Self {
        Self {
            reads_options: true,
            buffers,
            topology: wgpu::PrimitiveTopology::TriangleList,
            ..Self::quad(label, shader, PassKind::Foreground)
        }
    }

    /// The same as depth alone, before `at_own_depth`.
    pub const fn depth_only(self, label: &'static str) -> Self {
        Self {
            label,
            fragment: "depth_only",
            blending: Blending::DepthOnly,
            ..self
        }
    }

    /// The same blended where `depth_only` found it outermost.
    pub const fn at_own_depth(self, label: &'static str) -> Self {
        Self {
            label,
            blending: Blending::AtOwnDepth,
            ..self
        }
    }

    /// The same as the key light sees it.
    pub const fn shadow(self, label: &'static str) -> Self {
        Self {
            label,
            vertex: "shadow_vertex",
            pass: PassKind::Shadow,
            ..self
        }
    }

    fn writes_colour(&self) -> bool {
        self.pass != PassKind::Shadow && self.blending != Blending::DepthOnly
    }

    fn depth_stencil(&self) -> Option<wgpu::DepthStencilState> {
        use wgpu::CompareFunction as Compare;
        // The picture's depth is reversed: 1 is near, 0 infinitely far. That
        // spreads the precision of floats evenly over the distance.
        let (compare, writes_depth) = match (self.pass, self.blending) {
            (PassKind::Backdrop, _) => return None,
            (PassKind::Shadow, _) => return Some(shadow::depth_stencil()),
            (_, Blending::Opaque | Blending::DepthOnly) => (Compare::Greater, true),
            (_, Blending::AtOwnDepth) => (Compare::Equal, false),
            (_, Blending::Over) => (Compare::GreaterEqual, false),
        };
        Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(writes_depth),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        })
    }

    /// Sky and floor are smooth by themselves, and the map is filtered when read.
    fn multisample(&self, samples: u32) -> wgpu::MultisampleState {
        wgpu::MultisampleState {
            count: match self.pass {
                PassKind::Foreground => samples,
                PassKind::Shadow | PassKind::Backdrop => 1,
            },
            ..wgpu::MultisampleState::default()
        }
    }

    fn colour_target(&self, picture_format: wgpu::TextureFormat) -> wgpu::ColorTargetState {
        let blends = matches!(self.blending, Blending::AtOwnDepth | Blending::Over);
        wgpu::ColorTargetState {
            format: match self.pass {
                PassKind::Backdrop => picture_format,
                PassKind::Foreground | PassKind::Shadow => foreground::FORMAT,
            },
            // `for_foreground` multiplies opacity in; so does the ground's shade.
            blend: blends.then_some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
            write_mask: if self.writes_colour() {
                wgpu::ColorWrites::ALL
            } else {
                wgpu::ColorWrites::empty()
            },
        }
    }
}

/// What every pipeline of a renderer is made of.
#[derive(Debug)]
pub(super) struct PipelineBuilder {
    pub layouts: Layouts,
    format: wgpu::TextureFormat,
    samples: u32,
    modules: ShaderModules,
}

impl PipelineBuilder {
    /// For pictures of `format` and a foreground of `samples` a pixel.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, samples: u32) -> Self {
        Self {
            layouts: Layouts::new(gpu),
            format,
            samples,
            modules: ShaderModules::default(),
        }
    }

    fn build(
        &mut self,
        gpu: &Gpu,
        description: &PipelineDescription,
        options: ShaderOptions,
    ) -> wgpu::RenderPipeline {
        let constants = options.constants();
        let compilation_options = wgpu::PipelineCompilationOptions {
            constants: if description.reads_options {
                &constants
            } else {
                &[]
            },
            ..wgpu::PipelineCompilationOptions::default()
        };
        let layout = self
            .layouts
            .pipeline_layout(gpu, description.pass, description.groups);
        let module = self.modules.module(gpu, description.shader);
        let targets = [Some(description.colour_target(self.format))];
        let fragment = wgpu::FragmentState {
            module,
            entry_point: Some(description.fragment),
            compilation_options: compilation_options.clone(),
            targets: &targets,
        };
        gpu.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(description.label),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module,
                    entry_point: Some(description.vertex),
                    compilation_options,
                    buffers: description.buffers,
                },
                primitive: wgpu::PrimitiveState {
                    topology: description.topology,
                    cull_mode: description.cull_mode,
                    ..wgpu::PrimitiveState::default()
                },
                depth_stencil: description.depth_stencil(),
                multisample: description.multisample(self.samples),
                fragment: (description.pass != PassKind::Shadow).then_some(fragment),
                multiview_mask: None,
                cache: None,
            })
    }
}

/// A pipeline that is built when first needed, once for each set of options: a
/// window's first frame does not wait for what it does not show.
#[derive(Debug)]
pub(super) struct LazyPipeline {
    description: PipelineDescription,
    /// The last used first.
    built: Vec<(ShaderOptions, wgpu::RenderPipeline)>,
}

impl LazyPipeline {
    /// More than these are given back: who plays with all switches does not
    /// fill the memory with compiled shaders (some 77 MB for all sets with the
    /// software driver). Two, because a switch goes to and fro.
    const MOST: usize = 2;

    pub const fn new(description: PipelineDescription) -> Self {
        Self {
            description,
            built: Vec::new(),
        }
    }

    /// Makes it ready for the frame's options.
    pub fn prepare(&mut self, context: &mut FrameContext<'_>) {
        let options = if self.description.reads_options {
            context.options
        } else {
            ShaderOptions::default()
        };
        if let Some(at) = self.built.iter().position(|(known, _)| *known == options) {
            self.built[..=at].rotate_right(1);
            return;
        }
        let pipeline = context
            .builder
            .build(context.gpu, &self.description, options);
        self.built.truncate(Self::MOST - 1);
        self.built.insert(0, (options, pipeline));
    }

    /// As last prepared; `None` before that.
    pub fn current(&self) -> Option<&wgpu::RenderPipeline> {
        self.built.first().map(|(_, pipeline)| pipeline)
    }
}
