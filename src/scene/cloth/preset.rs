//! Which sheets there are, what they are made of and how they are held.

use std::{fmt, str::FromStr};

use glam::Vec3;

use crate::cloth::ClothSettings;

/// The set-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClothPreset {
    /// Pinned by its top edge in the character's way, with a tumbled box.
    #[default]
    Panel,
    /// On the shoulders.
    Cape,
    /// On a pole beside the character, in wind.
    Flag,
    /// Dropped over the character.
    Blanket,
    /// From the waist to above the knees.
    Skirt,
    /// Loose, with short sleeves, from the neck over the hips.
    Shirt,
    /// Once around the neck, its ends before the chest.
    Scarf,
}

impl ClothPreset {
    /// All, in the order they are offered.
    pub const ALL: [Self; 7] = [
        Self::Panel,
        Self::Cape,
        Self::Flag,
        Self::Blanket,
        Self::Skirt,
        Self::Shirt,
        Self::Scarf,
    ];

    /// Cut to the body, and put on before it is shown.
    #[must_use]
    pub fn is_garment(self) -> bool {
        matches!(self, Self::Skirt | Self::Shirt | Self::Scarf)
    }

    /// Cut around arms that are stretched out, whatever the body's rest.
    pub(super) fn has_sleeves(self) -> bool {
        self == Self::Shirt
    }

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Panel => "panel",
            Self::Cape => "cape",
            Self::Flag => "flag",
            Self::Blanket => "blanket",
            Self::Skirt => "skirt",
            Self::Shirt => "shirt",
            Self::Scarf => "scarf",
        }
    }

    /// What the sheet is made of and how it is solved; the wind blows in the
    /// character's own axes.
    #[must_use]
    pub fn settings(self) -> ClothSettings {
        let mut settings = ClothSettings::default();
        match self {
            Self::Panel => settings.friction = 0.1,
            Self::Cape => settings.friction = 0.2,
            Self::Flag => {
                settings.wind.velocity = Vec3::new(6.0, 0.0, 1.0);
                settings.wind.gusts = 0.6;
            }
            Self::Blanket => settings.friction = 0.5,
            Self::Skirt | Self::Shirt => settings.friction = 0.2,
            Self::Scarf => {
                settings.friction = 0.4;
                // It lies on itself.
                settings.self_collision = true;
            }
        }
        settings
    }

    /// What of the body it is made to meet.
    #[must_use]
    pub fn contact(self) -> ClothContact {
        match self.is_garment() {
            true => ClothContact::Skin,
            false => ClothContact::Solids,
        }
    }

    /// Columns and rows; a shirt has as many rows as its cells need.
    #[must_use]
    pub fn resolution(self) -> [usize; 2] {
        match self {
            Self::Panel | Self::Blanket => [40, 40],
            Self::Cape => [24, 32],
            Self::Flag => [40, 26],
            Self::Skirt => [56, 26],
            Self::Shirt => [60, 30],
            Self::Scarf => [8, 110],
        }
    }
}

impl fmt::Display for ClothPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClothPreset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|preset| preset.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no cloth {text:?}; there are {names}")
        })
    }
}

/// Which of a set-up's pins hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PinChoice {
    /// All that it has: an edge, or none for the blanket.
    #[default]
    Edge,
    /// The two at the ends of the edge.
    Corners,
    /// None: the sheet falls.
    Free,
}

impl PinChoice {
    /// All, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Edge, Self::Corners, Self::Free];

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Edge => "Edge",
            Self::Corners => "Corners",
            Self::Free => "Free",
        }
    }

    pub(super) fn keep(self, pins: &mut Vec<u32>) {
        match (self, pins.first().copied(), pins.last().copied()) {
            (Self::Corners, Some(first), Some(last)) if first != last => *pins = vec![first, last],
            (Self::Free, ..) => pins.clear(),
            _ => {}
        }
    }
}

/// What of the body a sheet meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClothContact {
    /// A rounded box a bone: fast.
    #[default]
    Solids,
    /// The skin itself, every triangle of it.
    Skin,
}

impl ClothContact {
    /// All, in the order they are offered.
    pub const ALL: [Self; 2] = [Self::Skin, Self::Solids];

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Solids => "solids",
            Self::Skin => "skin",
        }
    }
}

impl fmt::Display for ClothContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClothContact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|contact| contact.name() == text);
        found.ok_or_else(|| format!("{text:?} is neither skin nor solids"))
    }
}

/// A sheet to be set up around a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClothSetup {
    /// Where and how it hangs.
    pub preset: ClothPreset,
    /// Columns and rows.
    pub resolution: [usize; 2],
    /// What holds it.
    pub pins: PinChoice,
    /// What of the body it meets.
    pub contact: ClothContact,
}

impl From<ClothPreset> for ClothSetup {
    fn from(preset: ClothPreset) -> Self {
        Self {
            preset,
            resolution: preset.resolution(),
            pins: PinChoice::default(),
            contact: preset.contact(),
        }
    }
}

impl ClothSetup {
    /// With another number of columns, the cells' shape kept.
    #[must_use]
    pub fn with_columns(mut self, columns: usize) -> Self {
        let [wide, high] = self.preset.resolution();
        let columns = columns.max(2);
        let rows = (columns as f32 * high as f32 / wide as f32).round();
        self.resolution = [columns, (rows as usize).max(2)];
        self
    }
}
