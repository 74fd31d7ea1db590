//! What of a scene is shown and how: the part that a user keeps between runs.

use std::{fmt::Display as Shown, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::clip::Interpolation;

use super::{Shading, SkinView};

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

/// How the camera goes along with the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CameraMode {
    /// Keeps its direction.
    #[default]
    Follow,
    /// Turns as the character turns.
    TurnAlong,
    /// Stays where it is.
    Still,
}

impl CameraMode {
    /// In the order they are offered.
    pub const ALL: [Self; 3] = [Self::Follow, Self::TurnAlong, Self::Still];

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Follow => "Follow",
            Self::TurnAlong => "Turn along",
            Self::Still => "Still",
        }
    }

    /// What it does, in a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Follow => "follows and keeps its direction",
            Self::TurnAlong => "follows and turns with the character",
            Self::Still => "stays where it is",
        }
    }

    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Follow => Self::TurnAlong,
            Self::TurnAlong => Self::Still,
            Self::Still => Self::Follow,
        }
    }
}

/// What the skin is made of. Colour is linear; the rest are coefficients of
/// the two published light models, which the studio light has no use for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkinMaterial {
    /// Red, green, blue, 0 to 1.
    pub colour: [f32; 3],
    /// Answer to light from everywhere.
    pub ambient: f32,
    /// Answer in the mirror direction.
    pub specular: f32,
    /// Exponent of the highlight.
    pub shininess: f32,
}

impl Default for SkinMaterial {
    fn default() -> Self {
        Self {
            colour: [0.46, 0.405, 0.35],
            ambient: 0.1,
            specular: 0.18,
            shininess: 24.0,
        }
    }
}

/// Display options.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Display {
    /// The skinned body.
    pub skin: bool,
    /// How the skin is seen.
    pub skin_view: SkinView,
    /// The same character as usual beside it.
    pub skin_beside: bool,
    /// Frames from one key to the next, where matrices are blended between keys.
    pub matrix_keys: u32,
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
    /// What lies between the frames of a clip; its own way when left out.
    pub between_frames: Option<Interpolation>,
    /// How the camera goes along.
    pub camera: CameraMode,
    /// The same for whoever is driven.
    pub drive_camera: CameraMode,
    /// Vertical field of view in degrees.
    pub fov_deg: f32,
    /// The floor.
    pub ground: bool,
    /// Shadows of the key light.
    pub shadows: bool,
    /// Darkening where little light reaches.
    pub occlusion: bool,
    /// Colours.
    pub theme: ThemeChoice,
    /// Light.
    pub light: Shading,
    /// Where the key light stands, degrees to the left of the camera.
    // Settings that earlier versions wrote call it so.
    #[serde(rename = "light_turn_deg")]
    pub light_azimuth_deg: f32,
    /// Brightness of the key light, 1 as designed.
    pub light_strength: f32,
    /// Brightness of the fill light, 1 as designed.
    pub fill_strength: f32,
    /// The skin.
    pub material: SkinMaterial,
    /// The uncompressed pose as a ghost while a compressed one is shown.
    pub original_ghost: bool,
    /// Colours the skin by the error of compression.
    pub error_colours: bool,
    /// Tells events at the figure that comes by them.
    pub event_labels: bool,
    /// A short sound with every event.
    pub event_sound: bool,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            skin: true,
            skin_view: SkinView::Usual,
            skin_beside: false,
            matrix_keys: 40,
            bones: false,
            names: false,
            axes: false,
            trajectory: false,
            ghosts: 0,
            ghost_step_secs: 0.25,
            between_frames: None,
            camera: CameraMode::Follow,
            drive_camera: CameraMode::TurnAlong,
            fov_deg: 36.0,
            ground: true,
            shadows: true,
            occlusion: true,
            theme: ThemeChoice::System,
            light: Shading::Studio,
            light_azimuth_deg: 0.0,
            light_strength: 1.0,
            fill_strength: 1.0,
            material: SkinMaterial::default(),
            original_ghost: false,
            error_colours: false,
            event_labels: true,
            event_sound: false,
        }
    }
}

/// The ranges that panels offer and settings may hold.
impl Display {
    /// Of [`Display::matrix_keys`].
    pub const MATRIX_KEYS: RangeInclusive<u32> = 1..=240;
    /// Of [`Display::ghosts`].
    pub const GHOSTS: RangeInclusive<u32> = 0..=8;
    /// Of [`Display::ghost_step_secs`].
    pub const GHOST_STEP_SECS: RangeInclusive<f64> = 0.02..=2.0;
    /// Of [`Display::fov_deg`].
    pub const FOV_DEG: RangeInclusive<f32> = 12.0..=90.0;
    /// Of [`Display::light_azimuth_deg`].
    pub const LIGHT_AZIMUTH_DEG: RangeInclusive<f32> = -180.0..=180.0;
    /// Of [`Display::light_strength`].
    pub const LIGHT_STRENGTH: RangeInclusive<f32> = 0.2..=2.0;
    /// Of [`Display::fill_strength`].
    pub const FILL_STRENGTH: RangeInclusive<f32> = 0.0..=4.0;
}

/// Likewise of the skin.
impl SkinMaterial {
    /// Of each of [`SkinMaterial::colour`].
    pub const COLOUR: RangeInclusive<f32> = 0.0..=1.0;
    /// Of [`SkinMaterial::ambient`].
    pub const AMBIENT: RangeInclusive<f32> = 0.0..=0.5;
    /// Of [`SkinMaterial::specular`].
    pub const SPECULAR: RangeInclusive<f32> = 0.0..=1.0;
    /// Of [`SkinMaterial::shininess`].
    pub const SHININESS: RangeInclusive<f32> = 1.0..=128.0;
}

/// A setting that no panel could have made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// As settings spell it.
    pub field: &'static str,
    /// What was found and what is possible, in words.
    pub message: String,
}

impl OutOfRange {
    /// Puts a number outside its range, NaN among them, back to its default.
    fn mend<T: PartialOrd + Copy + Shown>(
        found: &mut Vec<Self>,
        field: &'static str,
        (value, default): (&mut T, T),
        range: &RangeInclusive<T>,
    ) {
        if range.contains(value) {
            return;
        }
        let (low, high) = (range.start(), range.end());
        let message = format!("{value} does not lie between {low} and {high}; {default} applies");
        found.push(Self { field, message });
        *value = default;
    }
}

impl Display {
    /// Puts every number that is out of its range back to its default, and
    /// tells which.
    pub fn mend(&mut self) -> Vec<OutOfRange> {
        let (plain, mut found) = (Self::default(), Vec::new());
        let ghosts = (&mut self.ghosts, plain.ghosts);
        OutOfRange::mend(&mut found, "ghosts", ghosts, &Self::GHOSTS);
        let keys = (&mut self.matrix_keys, plain.matrix_keys);
        OutOfRange::mend(&mut found, "matrix_keys", keys, &Self::MATRIX_KEYS);
        let step = (&mut self.ghost_step_secs, plain.ghost_step_secs);
        OutOfRange::mend(&mut found, "ghost_step_secs", step, &Self::GHOST_STEP_SECS);
        let ranges = [
            ("fov_deg", Self::FOV_DEG),
            ("light_turn_deg", Self::LIGHT_AZIMUTH_DEG),
            ("light_strength", Self::LIGHT_STRENGTH),
            ("fill_strength", Self::FILL_STRENGTH),
            ("colour", SkinMaterial::COLOUR),
            ("colour", SkinMaterial::COLOUR),
            ("colour", SkinMaterial::COLOUR),
            ("ambient", SkinMaterial::AMBIENT),
            ("specular", SkinMaterial::SPECULAR),
            ("shininess", SkinMaterial::SHININESS),
        ];
        let (mut plain, numbers) = (plain, self.numbers());
        let pairs = numbers.into_iter().zip(plain.numbers());
        for ((value, default), (field, range)) in pairs.zip(ranges) {
            OutOfRange::mend(&mut found, field, (value, *default), &range);
        }
        found
    }

    /// All that are a fraction, in the order of the file.
    fn numbers(&mut self) -> [&mut f32; 10] {
        let [red, green, blue] = &mut self.material.colour;
        [
            &mut self.fov_deg,
            &mut self.light_azimuth_deg,
            &mut self.light_strength,
            &mut self.fill_strength,
            red,
            green,
            blue,
            &mut self.material.ambient,
            &mut self.material.specular,
            &mut self.material.shininess,
        ]
    }
}
