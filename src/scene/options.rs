//! What is shown of a scene: what a user keeps, and what the moment asks for.

use glam::Vec3;

use super::{ClothLook, Display, Look, Overlay, SkinMaterial, Theme};
use crate::{body::Skinning, humanoid::LimitSource, skeleton::JointIndex};

/// Everything a picture depends on besides the characters and the camera.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewOptions {
    /// What a user keeps.
    pub display: Display,
    /// Backdrop, once the system's choice is known.
    pub theme: Theme,
    /// How the skin follows the joints.
    pub skinning: Skinning,
    /// Fine seams where joints begin.
    pub seams: bool,
    /// No backdrop: an alpha channel instead.
    pub transparent: bool,
    /// The chosen joint of the lead.
    pub selected: Option<JointIndex>,
    /// The joint whose weights are shown; the chosen one, or the hips, when none.
    pub weights_of: Option<JointIndex>,
    /// The joint under the pointer.
    pub hovered: Option<JointIndex>,
    /// The joint that the camera looks at instead of the whole body.
    pub look_at: Option<JointIndex>,
    /// The camera of the lead's file that is looked through.
    pub through: Option<String>,
    /// Joints whose paths are shown; the chosen one, or the root, when empty.
    pub path_joints: Vec<JointIndex>,
    /// A path on the ground, metres.
    pub ground_path: Vec<Vec3>,
    /// The error that is red, centimetres.
    pub error_scale_cm: f32,
    /// Limits that joints are held against: beyond them the skin is coloured.
    pub limits: Option<LimitSource>,
    /// How cloth is shown, and solids.
    pub cloth: ClothLook,
    /// Events are told at the figure that comes by them.
    pub event_labels: bool,
    /// Text in the corner.
    pub caption: Option<String>,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            display: Display::default(),
            theme: Theme::Dark,
            skinning: Skinning::default(),
            seams: true,
            transparent: false,
            selected: None,
            weights_of: None,
            hovered: None,
            look_at: None,
            through: None,
            path_joints: Vec::new(),
            ground_path: Vec::new(),
            error_scale_cm: 1.0,
            limits: None,
            cloth: ClothLook::default(),
            event_labels: false,
            caption: None,
        }
    }
}

impl ViewOptions {
    /// What to show of a character beyond or instead of its skin.
    pub(super) fn overlay(&self) -> Overlay {
        Overlay {
            hide_skin: !self.display.skin,
            bones: self.display.bones,
            axes: self.display.axes,
            names: self.display.names,
        }
    }

    /// Light and colours, for a camera at an azimuth.
    pub(super) fn look(&self, azimuth_rad: f32) -> Look {
        let display = &self.display;
        let mut look = Look {
            theme: self.theme,
            shading: display.light,
            shadows: display.shadows,
            occlusion: display.occlusion,
            seams: self.seams,
            ground: display.ground,
            transparent: self.transparent,
            ..Look::default()
        };
        look.key.colour *= display.light_strength;
        look.fill.colour *= display.fill_strength;
        set_material(display.material, &mut look);
        // Lights go round with the camera, so that no view is of the dark side.
        look.light_from(azimuth_rad - display.light_azimuth_deg.to_radians());
        look
    }
}

/// The colour scales what the published models have for the skin, so that the
/// material as designed leaves them as published.
fn set_material(material: SkinMaterial, look: &mut Look) {
    let (colour, designed) = (Vec3::from(material.colour), look.skin);
    look.skin = colour;
    // No surface gives back more light than falls on it.
    look.phong.diffuse = (look.phong.diffuse * colour / designed).min(Vec3::ONE);
    look.phong.ambient *= material.ambient / SkinMaterial::default().ambient;
    look.phong.specular = Vec3::splat(material.specular);
    look.phong.shininess = material.shininess;
}
