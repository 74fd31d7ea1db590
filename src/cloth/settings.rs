//! What a sheet is made of and how it is solved.

use glam::Vec3;

/// Seconds of one step; every sheet runs at this rate whatever is displayed.
pub const STEP_SECS: f32 = 1.0 / 120.0;

/// How constraints are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverMode {
    /// Position based dynamics as published: one step, a few passes.
    Pbd,
    /// Extended position based dynamics in small substeps: stiffness does not
    /// depend on the number of passes.
    #[default]
    Xpbd,
}

/// Compliance is the inverse of stiffness: metres a newton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// Along the threads.
    pub stretch_m_per_n: f32,
    /// Across a cell.
    pub shear_m_per_n: f32,
    /// Over two cells.
    pub bend_m_per_n: f32,
}

/// Moving air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Metres a second, world space.
    pub velocity: Vec3,
    /// Share by which it comes and goes, 0 for steady.
    pub gusts: f32,
    /// Along the wind, about 1.2 for a plate across it.
    pub drag: f32,
    /// Across the wind.
    pub lift: f32,
}

/// All of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothSettings {
    /// How constraints are kept.
    pub mode: SolverMode,
    /// Least number of substeps of a step; more are taken when a solid that is
    /// near moves fast.
    pub substeps: u32,
    /// Passes over all constraints in each substep, or in the step for PBD.
    pub iterations: u32,
    /// Inverse stiffness; PBD is rigid.
    pub compliance: Compliance,
    /// Share of the velocity that is lost in a second, or 1 − 0.99 a step for
    /// PBD whatever this says.
    pub damping_per_sec: f32,
    /// Coulomb's coefficient against solids.
    pub friction: f32,
    /// Metres a second squared.
    pub gravity: Vec3,
    /// Moving air.
    pub wind: Wind,
    /// Keeps layers of the sheet apart.
    pub self_collision: bool,
    /// Distance kept from solids, in metres.
    pub thickness_m: f32,
    /// Longest that a thread may become, as a share of its length; strained
    /// ones are pulled in again at the end of a step.
    pub stretch_limit: f32,
}

impl Default for ClothSettings {
    fn default() -> Self {
        Self {
            mode: SolverMode::Xpbd,
            substeps: 12,
            iterations: 1,
            compliance: Compliance {
                stretch_m_per_n: 1e-7,
                shear_m_per_n: 1e-5,
                bend_m_per_n: 2e-2,
            },
            damping_per_sec: 0.2,
            friction: 0.3,
            gravity: Vec3::new(0.0, -9.81, 0.0),
            wind: Wind {
                velocity: Vec3::ZERO,
                gusts: 0.0,
                drag: 1.2,
                lift: 0.6,
            },
            self_collision: false,
            thickness_m: 0.006,
            stretch_limit: 1.03,
        }
    }
}

impl ClothSettings {
    /// As published: five passes, no friction, no air.
    #[must_use]
    pub fn published() -> Self {
        let mut settings = Self {
            mode: SolverMode::Pbd,
            substeps: 1,
            iterations: 5,
            friction: 0.0,
            thickness_m: 0.0,
            ..Self::default()
        };
        settings.wind.drag = 0.0;
        settings.wind.lift = 0.0;
        settings
    }

    /// Every number brought into the range the solver is made for; what is not
    /// finite becomes the default.
    #[must_use]
    pub fn within_limits(self) -> Self {
        let standard = Self::default();
        let clean = |value: f32, low: f32, high: f32, otherwise: f32| {
            if value.is_finite() {
                value.clamp(low, high)
            } else {
                otherwise
            }
        };
        let vector = |v: Vec3, most: f32, otherwise: Vec3| {
            if v.is_finite() {
                v.clamp_length_max(most)
            } else {
                otherwise
            }
        };
        let (c, d) = (self.compliance, standard.compliance);
        Self {
            mode: self.mode,
            substeps: self.substeps.clamp(1, 64),
            iterations: self.iterations.clamp(1, 64),
            compliance: Compliance {
                stretch_m_per_n: clean(c.stretch_m_per_n, 0.0, 1.0, d.stretch_m_per_n),
                shear_m_per_n: clean(c.shear_m_per_n, 0.0, 1e3, d.shear_m_per_n),
                bend_m_per_n: clean(c.bend_m_per_n, 0.0, 1e6, d.bend_m_per_n),
            },
            damping_per_sec: clean(self.damping_per_sec, 0.0, 100.0, standard.damping_per_sec),
            friction: clean(self.friction, 0.0, 10.0, standard.friction),
            gravity: vector(self.gravity, 100.0, standard.gravity),
            wind: Wind {
                velocity: vector(self.wind.velocity, 40.0, Vec3::ZERO),
                gusts: clean(self.wind.gusts, 0.0, 2.0, 0.0),
                drag: clean(self.wind.drag, 0.0, 10.0, standard.wind.drag),
                lift: clean(self.wind.lift, 0.0, 10.0, standard.wind.lift),
            },
            self_collision: self.self_collision,
            thickness_m: clean(self.thickness_m, 0.0, 0.1, standard.thickness_m),
            stretch_limit: clean(self.stretch_limit, 1.0, 2.0, standard.stretch_limit),
        }
    }
}
