//! What can be chosen of a sheet.

use glam::Vec3;

use super::{ClothContact, ClothLook, ClothPreset, ClothSetup, MOST_SOLIDS, OwnSolid, PinChoice};
use crate::cloth::{ClothSettings, SolverMode};

/// All that can be chosen of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothKnobs {
    /// Which sheet hangs; none at first.
    pub preset: Option<ClothPreset>,
    /// Vertices along a row.
    pub columns: usize,
    /// What holds it.
    pub pins: PinChoice,
    /// What of the body it meets.
    pub contact: ClothContact,
    /// Material and solver, but for the wind's velocity.
    pub settings: ClothSettings,
    /// Metres a second.
    pub wind_m_per_s: f32,
    /// Where it blows to: 0 ahead of the character, 90 to its left.
    pub wind_deg: f32,
    /// Further solvers that move the same sheet, each around a copy of the
    /// character alongside.
    pub alongside: [Option<SolverMode>; 2],
    /// Solids that stand in its way beside those of the body.
    pub solids: [Option<OwnSolid>; MOST_SOLIDS],
    /// How it is shown.
    pub look: ClothLook,
}

impl Default for ClothKnobs {
    fn default() -> Self {
        Self::of(None, ClothLook::default())
    }
}

impl ClothKnobs {
    /// A set-up with what it is designed with.
    #[must_use]
    pub fn of(preset: Option<ClothPreset>, look: ClothLook) -> Self {
        let designed = preset.unwrap_or_default();
        let settings = designed.settings();
        let wind = settings.wind.velocity;
        Self {
            preset,
            columns: designed.resolution()[0],
            pins: PinChoice::default(),
            contact: designed.contact(),
            settings,
            wind_m_per_s: wind.length(),
            wind_deg: wind.x.atan2(wind.z).to_degrees(),
            alongside: [None; 2],
            solids: [None; MOST_SOLIDS],
            look,
        }
    }

    /// The sheet they ask for.
    #[must_use]
    pub fn setup(&self) -> Option<ClothSetup> {
        let mut setup = ClothSetup::from(self.preset?);
        setup.pins = self.pins;
        setup.contact = self.contact;
        Some(setup.with_columns(self.columns))
    }

    /// Moved by these solvers: the first is the lead's, others stand alongside.
    /// None, and none twice, is left out.
    #[must_use]
    pub fn by_solvers(mut self, solvers: &[SolverMode]) -> Self {
        if let Some(&mode) = solvers.first() {
            self.settings = self.settings.with_solver(mode);
        }
        let mut others = solvers.iter().copied().skip(1);
        self.alongside = std::array::from_fn(|_| others.next());
        self
    }

    /// The material and solver they ask for.
    #[must_use]
    pub fn all_settings(&self) -> ClothSettings {
        let (sin, cos) = self.wind_deg.to_radians().sin_cos();
        let mut settings = self.settings;
        settings.wind.velocity = Vec3::new(sin, 0.0, cos) * self.wind_m_per_s;
        settings
    }
}
