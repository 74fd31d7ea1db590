//! Light, colour and what is drawn besides the characters. All colours are
//! linear, not gamma-encoded.

use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Backdrop for dark or light surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Slate grey.
    #[default]
    Dark,
    /// Pale grey.
    Light,
}

/// How the skin answers to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shading {
    /// Warm key, cool sky, bounce from the floor, faint rim, a filmic curve.
    #[default]
    Studio,
    /// Phong's formula as published: mirrored light against the eye.
    Phong,
    /// The same with Blinn's half vector.
    BlinnPhong,
}

/// A light so far away that its rays are parallel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Unit vector from the scene towards the light.
    pub towards: Vec3,
    /// Linear, may exceed 1.
    pub colour: Vec3,
}

/// Phong's coefficients for the skin, each per colour channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phong {
    /// Answer to light from everywhere.
    pub ambient: Vec3,
    /// Answer to light by Lambert's law.
    pub diffuse: Vec3,
    /// Answer in the mirror direction.
    pub specular: Vec3,
    /// Own glow.
    pub emissive: Vec3,
    /// Exponent of the highlight.
    pub shininess: f32,
}

impl Default for Phong {
    fn default() -> Self {
        Self {
            ambient: Vec3::new(0.10, 0.10, 0.11),
            diffuse: Vec3::new(0.62, 0.56, 0.50),
            specular: Vec3::splat(0.18),
            emissive: Vec3::ZERO,
            shininess: 24.0,
        }
    }
}

/// All of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Backdrop.
    pub theme: Theme,
    /// How the skin is lit.
    pub shading: Shading,
    /// The light that casts the shadow.
    pub key: Light,
    /// A second one without shadow.
    pub fill: Light,
    /// Coefficients for the two published models.
    pub phong: Phong,
    /// Colour of the skin in studio light.
    pub skin: Vec3,
    /// Whether the key light casts shadows.
    pub shadows: bool,
    /// Whether spots that little light reaches are darkened.
    pub occlusion: bool,
    /// Whether fine seams mark where joints begin.
    pub seams: bool,
    /// Whether the ground and its lines are drawn.
    pub ground: bool,
    /// Height of the ground in metres.
    pub ground_y: f32,
    /// Leaves the background out: nothing but characters, marks and their
    /// shadow, over zero opacity.
    pub transparent: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            theme: Theme::Dark,
            shading: Shading::Studio,
            key: Light {
                towards: Vec3::new(0.5, 0.707, 0.5).normalize(),
                colour: Vec3::new(1.0, 0.92, 0.80) * 2.6,
            },
            fill: Light {
                towards: Vec3::new(-0.8, 0.25, 0.35).normalize(),
                colour: Vec3::new(0.66, 0.80, 1.0) * 0.22,
            },
            phong: Phong::default(),
            skin: Vec3::new(0.46, 0.405, 0.35),
            shadows: true,
            occlusion: true,
            seams: true,
            ground: true,
            ground_y: 0.0,
            transparent: false,
        }
    }
}

impl Look {
    /// Turns key and fill so that they stand to the side of a viewer at
    /// `azimuth_rad` (about Y, 0 = +Z): the key 45° up and 58° to the left.
    pub fn light_from(&mut self, azimuth_rad: f32) {
        let turned = |azimuth: f32, elevation: f32| {
            let (sin, cos) = azimuth.sin_cos();
            Vec3::new(
                sin * elevation.cos(),
                elevation.sin(),
                cos * elevation.cos(),
            )
        };
        let degrees = f32::to_radians;
        self.key.towards = turned(azimuth_rad - degrees(58.0), degrees(45.0));
        self.fill.towards = turned(azimuth_rad + degrees(70.0), degrees(15.0));
    }
}

/// Blue through green and yellow to red for 0..=1; linear colour.
#[must_use]
pub fn error_colour(share: f32) -> [f32; 3] {
    const RAMP: [[f32; 3]; 5] = [
        [0.02, 0.09, 0.55],
        [0.02, 0.42, 0.62],
        [0.10, 0.55, 0.10],
        [0.80, 0.55, 0.03],
        [0.70, 0.03, 0.02],
    ];
    let position = share.clamp(0.0, 1.0) * 4.0;
    // 1 is the end of the last stretch, not the start of another.
    let low = (position as usize).min(3);
    let t = position - low as f32;
    [0, 1, 2].map(|i| RAMP[low][i] * (1.0 - t) + RAMP[low + 1][i] * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_colours_run_from_blue_to_red() {
        let [r, _, b] = error_colour(-1.0);
        assert!(b > 10.0 * r);
        let [r, _, b] = error_colour(7.0);
        assert!(r > 10.0 * b);
        assert_eq!(error_colour(0.5), [0.10, 0.55, 0.10]);
    }

    #[test]
    fn the_key_stands_45_degrees_up_beside_the_viewer() {
        let mut look = Look::default();
        look.light_from(0.3);
        assert_close!(look.key.towards.y, 45f32.to_radians().sin(), 1e-6);
        assert_close!(look.key.towards.length(), 1.0, 1e-6);
    }
}
