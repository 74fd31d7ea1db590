//! The uniform block and shadow map that every shader of the scene shares.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec2, Vec3, Vec4};

use super::{
    Gpu,
    buffers::buffer_sized,
    drawable::FrameContext,
    layouts::{Layouts, bind_group},
    shadow::ShadowFit,
};
use crate::scene::{CameraView, FrameData, Theme};

/// Balls near the ground that darken it: few, as the shader goes through all of
/// them at every pixel of the shade.
const MAX_CONTACTS: usize = 8;

/// Mirrors `Globals` in globals.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct GpuGlobals {
    // Four floats each, as uniform blocks align three to four anyway; what the
    // fourth holds is said in the WGSL.
    clip_from_world: Mat4,
    world_from_clip: Mat4,
    light_from_world: Mat4,
    eye: Vec4,
    key_towards: Vec4,
    key_colour: Vec4,
    fill_towards: Vec4,
    fill_colour: Vec4,
    sky_light: Vec4,
    bounce_light: Vec4,
    skin: Vec4,
    ambient: Vec4,
    diffuse: Vec4,
    specular: Vec4,
    emissive: Vec4,
    zenith: Vec4,
    horizon: Vec4,
    ground: Vec4,
    ground_line: Vec4,
    viewport: Vec4,
    shadow_size: Vec4,
    focus: Vec4,
    floor_patch: Vec4,
    shade_corners: [Vec4; 4],
    contacts: [Vec4; MAX_CONTACTS],
}

/// The block for the whole picture and for the foreground's part of it, and
/// the bind groups that hold them.
#[derive(Debug)]
pub(super) struct Globals {
    whole: wgpu::Buffer,
    part: wgpu::Buffer,
    /// Group 0 of the shadow pass.
    pub light: wgpu::BindGroup,
    /// Group 0 of the foreground.
    pub foreground: wgpu::BindGroup,
    /// Group 0 of the backdrop.
    pub backdrop: wgpu::BindGroup,
}

impl Globals {
    pub fn new(gpu: &Gpu, layouts: &Layouts, shadow_map: &wgpu::TextureView) -> Self {
        let size = size_of::<GpuGlobals>() as u64;
        let block = || buffer_sized(gpu, "globals", wgpu::BufferUsages::UNIFORM, size);
        let (whole, part) = (block(), block());
        // A linear filter over comparisons is four taps in one: percentage-closer
        // filtering by the hardware.
        let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadow"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        let scene = |block: &wgpu::Buffer| {
            let resources = [
                block.as_entire_binding(),
                wgpu::BindingResource::TextureView(shadow_map),
                wgpu::BindingResource::Sampler(&sampler),
            ];
            bind_group(gpu, "scene", &layouts.scene, &resources)
        };
        Self {
            light: bind_group(gpu, "light", &layouts.light, &[whole.as_entire_binding()]),
            foreground: scene(&part),
            backdrop: scene(&whole),
            whole,
            part,
        }
    }

    /// Uploads both blocks.
    pub fn prepare(&self, context: &FrameContext<'_>) {
        let FrameContext { gpu, size, .. } = *context;
        let whole = GpuGlobals::new(context.frame, &context.view, size, &context.shadow_fit);
        gpu.queue
            .write_buffer(&self.whole, 0, bytemuck::bytes_of(&whole));
        if let Some(part) = context.rectangle {
            let cropped = whole.of_part(part.crop(size), part.size);
            gpu.queue
                .write_buffer(&self.part, 0, bytemuck::bytes_of(&cropped));
        }
    }
}

/// Backdrop colours of a theme, linear and as they appear: no film curve is
/// laid over them.
struct Backdrop {
    zenith: Vec3,
    horizon: Vec3,
    ground: Vec3,
    line: Vec3,
    sky_light: Vec3,
    bounce_light: Vec3,
    shadow_strength: f32,
}

impl Backdrop {
    fn of(theme: Theme) -> Self {
        match theme {
            Theme::Dark => Self {
                zenith: Vec3::new(0.0125, 0.0138, 0.0165),
                horizon: Vec3::new(0.047, 0.050, 0.056),
                ground: Vec3::new(0.062, 0.0635, 0.067),
                line: Vec3::new(0.130, 0.135, 0.145),
                sky_light: Vec3::new(0.42, 0.52, 0.70) * 0.42,
                bounce_light: Vec3::new(0.34, 0.28, 0.22) * 0.42,
                shadow_strength: 0.80,
            },
            Theme::Light => Self {
                zenith: Vec3::new(0.44, 0.52, 0.62),
                horizon: Vec3::new(0.73, 0.75, 0.77),
                ground: Vec3::new(0.56, 0.565, 0.57),
                line: Vec3::new(0.40, 0.41, 0.43),
                sky_light: Vec3::new(0.50, 0.58, 0.70) * 0.80,
                bounce_light: Vec3::new(0.46, 0.42, 0.37) * 0.90,
                shadow_strength: 0.62,
            },
        }
    }
}

impl GpuGlobals {
    /// For the whole picture, of `size` pixels.
    pub fn new(frame: &FrameData, view: &CameraView, size: [u32; 2], fit: &ShadowFit) -> Self {
        let look = &frame.look;
        let backdrop = Backdrop::of(look.theme);
        Self {
            clip_from_world: view.clip_from_world,
            world_from_clip: view.clip_from_world.inverse(),
            light_from_world: fit.light_from_world,
            eye: view.eye.extend(1.0),
            key_towards: look.key.towards.extend(0.0),
            key_colour: look.key.colour.extend(0.0),
            fill_towards: look.fill.towards.extend(0.0),
            fill_colour: look.fill.colour.extend(0.0),
            sky_light: backdrop.sky_light.extend(0.0),
            bounce_light: backdrop.bounce_light.extend(look.ground_y),
            skin: look.skin.extend(1.0),
            ambient: look.phong.ambient.extend(0.0),
            diffuse: look.phong.diffuse.extend(0.0),
            specular: look.phong.specular.extend(look.phong.shininess),
            emissive: look.phong.emissive.extend(0.0),
            zenith: backdrop.zenith.extend(1.0),
            horizon: backdrop.horizon.extend(1.0),
            ground: backdrop.ground.extend(backdrop.shadow_strength),
            ground_line: backdrop.line.extend(0.0),
            viewport: viewport(size),
            shadow_size: fit.size_m.extend(fit.texel_m),
            floor_patch: floor_patch(frame, view.eye),
            shade_corners: fit.ground_corners.map(|corner| corner.extend(1.0)),
            focus: frame.camera.target.extend(frame.camera.distance_m),
            contacts: contacts(frame),
        }
    }

    /// For a part of the picture, of `size` pixels; `crop` takes clip space of
    /// the whole to that of the part.
    pub fn of_part(self, crop: Mat4, size: [u32; 2]) -> Self {
        let clip_from_world = crop * self.clip_from_world;
        Self {
            clip_from_world,
            world_from_clip: clip_from_world.inverse(),
            viewport: viewport(size),
            ..self
        }
    }
}

/// Low and high corner, x and z, of the floor that may hide something sunk
/// into it; all of it where more than characters is drawn.
fn floor_patch(frame: &FrameData, eye: Vec3) -> Vec4 {
    const FAR_M: f32 = 60.0; // `EXTENT_M` of ground.wgsl
    let ground_y = frame.look.ground_y;
    // A character that stands on the floor needs none of this patch, and a
    // software adapter fills every sample of it.
    let plain = frame.bones.is_empty() && frame.lines.is_empty() && frame.sheets().is_empty();
    let (mut low, mut high) = (Vec2::MAX, Vec2::MIN);
    for &[x, y, z, radius_m] in frame.hull() {
        let depth = ground_y - (y - radius_m);
        if depth <= 0.0 {
            continue;
        }
        // Where the eye sees it through the floor, and where it is.
        let deepest = Vec3::new(x, ground_y - depth, z);
        let fraction = (eye.y - ground_y) / (eye.y - deepest.y).max(1e-6);
        for p in [eye.lerp(deepest, fraction), deepest] {
            low = low.min(Vec2::new(p.x, p.z) - radius_m);
            high = high.max(Vec2::new(p.x, p.z) + radius_m);
        }
    }
    if !plain || eye.y <= ground_y {
        let centre = Vec2::new(eye.x, eye.z);
        (low, high) = (centre - FAR_M, centre + FAR_M);
    }
    if low.x > high.x {
        return Vec4::ZERO;
    }
    Vec4::new(low.x, low.y, high.x, high.y)
}

fn viewport(size: [u32; 2]) -> Vec4 {
    let [width, height] = size.map(|pixels| pixels as f32);
    Vec4::new(width, height, 1.0 / width, 1.0 / height)
}

/// The occluders of solid characters that darken the ground most: large ones
/// close to it.
fn contacts(frame: &FrameData) -> [Vec4; MAX_CONTACTS] {
    let mut chosen = GroundContacts::default();
    for batch in frame.batches() {
        let per_character = batch.body.occluders().len().max(1);
        let balls = batch.occluders.chunks_exact(per_character);
        let solid = balls
            .zip(&batch.instances)
            .filter(|(_, instance)| instance.opacity >= 1.0);
        for ball in solid.flat_map(|(balls, _)| balls) {
            chosen.offer(*ball, frame.look.ground_y);
        }
    }
    chosen.balls()
}

/// The best so far, heaviest first, each with its weight.
#[derive(Default)]
struct GroundContacts {
    best: [(f32, [f32; 4]); MAX_CONTACTS],
}

impl GroundContacts {
    /// Nearly every ball of a crowd is turned down by the first comparison.
    fn offer(&mut self, ball: [f32; 4], ground_y: f32) {
        let radius = ball[3];
        let height = (ball[1] - ground_y).max(radius);
        // What a ball right above takes of the floor's sky. Divided before it is
        // squared: the squares of very small or large balls are 0 or infinite.
        let weight = (radius / height).powi(2);
        if weight > self.best[MAX_CONTACTS - 1].0 {
            let index = self.best.partition_point(|&(other, _)| other >= weight);
            self.best[index..].rotate_right(1);
            self.best[index] = (weight, ball);
        }
    }

    /// Spare entries repeat the first without its radius.
    fn balls(&self) -> [Vec4; MAX_CONTACTS] {
        // Not at the origin: the nearest contact sets how soft the shadow is.
        let spare = Vec4::from(self.best[0].1).truncate().extend(0.0);
        self.best
            .map(|(weight, ball)| if weight > 0.0 { ball.into() } else { spare })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_and_largest_balls_are_chosen_in_order() {
        let mut chosen = GroundContacts::default();
        for step in 0..20u8 {
            // A radius of 10 cm, ever lower.
            chosen.offer(
                [f32::from(step), 2.0 - 0.1 * f32::from(step), 0.0, 0.1],
                0.0,
            );
        }
        let order = chosen.balls().map(|ball| ball.x);
        assert_eq!(order, [19.0, 18.0, 17.0, 16.0, 15.0, 14.0, 13.0, 12.0]);
    }

    #[test]
    fn balls_of_no_size_or_place_are_passed_over() {
        let mut chosen = GroundContacts::default();
        for radius in [1.0, 1e-23, 1e30, 0.0, f32::NAN, f32::INFINITY] {
            for height in [1.0, 1e-22, 1e30, f32::INFINITY] {
                (0..10).for_each(|_| chosen.offer([0.0, height, 0.0, radius], 0.0));
            }
        }
        assert!(chosen.balls().iter().all(|ball| ball.is_finite()));
    }

    #[test]
    fn spare_entries_weigh_nothing() {
        let mut chosen = GroundContacts::default();
        chosen.offer([1.0, 0.2, 3.0, 0.1], 0.0);
        let balls = chosen.balls();
        assert_eq!(balls[0], Vec4::new(1.0, 0.2, 3.0, 0.1));
        assert!(balls[1..].iter().all(|ball| ball.x == 1.0 && ball.w == 0.0));
    }
}
