//! Display options: kept between runs, changed through commands.

use serde::{Deserialize, Serialize};

/// Dark, light, or what the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// Follows the system.
    #[default]
    System,
    /// Always dark.
    Dark,
    /// Always light.
    Light,
}

/// How the skin answers to light.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LightModel {
    /// Warm key, cool sky, filmic curve.
    #[default]
    Studio,
    /// Phong's formula.
    Phong,
    /// Blinn's variant.
    BlinnPhong,
}

/// Display options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Display {
    /// The skinned body.
    pub skin: bool,
    /// Bones, through the skin.
    pub bones: bool,
    /// All joint names.
    pub names: bool,
    /// Axes of every joint.
    pub axes: bool,
    /// The way of the chosen joint, or of the root.
    pub trajectory: bool,
    /// How many poses before and after are shown; 0 for none.
    pub ghosts: u32,
    /// Seconds from one ghost to the next.
    pub ghost_step_secs: f64,
    /// The camera goes along with the character.
    pub follow: bool,
    /// The floor.
    pub ground: bool,
    /// Shadows of the key light.
    pub shadows: bool,
    /// Darkening where little light reaches.
    pub occlusion: bool,
    /// Colours.
    pub theme: ThemeChoice,
    /// Light.
    pub light: LightModel,
    /// Where the key light stands, degrees to the left of the camera.
    pub light_turn_deg: f32,
    /// Brightness of the key light, 1 as designed.
    pub light_strength: f32,
    /// The uncompressed pose as a ghost while a compressed one is shown.
    pub original_ghost: bool,
    /// Colours the skin by the error of compression.
    pub error_colours: bool,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            skin: true,
            bones: false,
            names: false,
            axes: false,
            trajectory: false,
            ghosts: 0,
            ghost_step_secs: 0.25,
            follow: true,
            ground: true,
            shadows: true,
            occlusion: true,
            theme: ThemeChoice::System,
            light: LightModel::Studio,
            light_turn_deg: 0.0,
            light_strength: 1.0,
            original_ghost: false,
            error_colours: false,
        }
    }
}
