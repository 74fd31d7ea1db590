//! The uniform block and shadow map that every shader of the scene shares.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};

use super::shadow::ShadowFit;
use crate::scene::{CameraView, FrameData, Theme};

/// Balls near the ground that darken it.
pub(super) const MAX_CONTACTS: usize = 8;

/// Mirrors `Globals` in globals.wgsl.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct GpuGlobals {
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
    shade_corners: [Vec4; 4],
    contacts: [Vec4; MAX_CONTACTS],
}

/// Backdrop colours of a theme, linear and as they appear.
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
    /// `crop` maps clip space to that of a part of the picture, of `size` pixels.
    pub fn new(
        frame: &FrameData,
        view: &CameraView,
        crop: Mat4,
        size: [u32; 2],
        fit: &ShadowFit,
    ) -> Self {
        let look = &frame.look;
        let backdrop = Backdrop::of(look.theme);
        let [width, height] = size.map(|pixels| pixels as f32);
        let contacts = contacts(frame);
        Self {
            clip_from_world: crop * view.clip_from_world,
            world_from_clip: (crop * view.clip_from_world).inverse(),
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
            viewport: Vec4::new(width, height, 1.0 / width, 1.0 / height),
            shadow_size: fit.size_m.extend(fit.texel_m),
            shade_corners: fit.ground_corners.map(|corner| corner.extend(1.0)),
            focus: frame.camera.target.extend(frame.camera.distance_m),
            contacts,
        }
    }
}

/// The occluders of solid characters that darken the ground most: large ones
/// close to it.
fn contacts(frame: &FrameData) -> [Vec4; MAX_CONTACTS] {
    let mut chosen = [Vec4::ZERO; MAX_CONTACTS];
    let weight = |ball: &[f32; 4]| {
        let height = (ball[1] - frame.look.ground_y).max(ball[3]);
        ball[3] * ball[3] / (height * height)
    };
    let mut count = 0;
    for batch in &frame.batches {
        let per_character = batch.body.occluders().len().max(1);
        let balls = batch.occluders.chunks_exact(per_character);
        for (balls, instance) in balls.zip(&batch.instances) {
            if instance.opacity < 1.0 {
                continue;
            }
            for ball in balls {
                insert_by_weight(&mut chosen, &mut count, *ball, &weight);
            }
        }
    }
    // Spare places repeat the first without its weight.
    let spare = chosen[0].truncate().extend(0.0);
    chosen[count..].fill(spare);
    chosen
}

/// Keeps `chosen` sorted, heaviest first.
fn insert_by_weight(
    chosen: &mut [Vec4; MAX_CONTACTS],
    count: &mut usize,
    ball: [f32; 4],
    weight: &impl Fn(&[f32; 4]) -> f32,
) {
    let own = weight(&ball);
    let place = chosen[..*count].partition_point(|other| weight(&other.to_array()) >= own);
    if place < MAX_CONTACTS {
        *count = (*count + 1).min(MAX_CONTACTS);
        chosen[place..*count].rotate_right(1);
        chosen[place] = ball.into();
    }
}
