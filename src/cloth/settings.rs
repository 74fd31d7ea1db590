//! What a sheet is made of and how it is solved.

use std::{fmt, str::FromStr};

use glam::Vec3;

/// Seconds of one step; every sheet runs at this rate whatever is displayed.
pub const STEP_SECS: f32 = 1.0 / 120.0;

use super::layout::Kind;

/// How a sheet is moved on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverMode {
    /// Extended position based dynamics in small substeps: stiffness does not
    /// depend on the number of passes.
    #[default]
    Xpbd,
    /// Position based dynamics as published: one step, a few passes of Gauss
    /// and Seidel's rule.
    Pbd,
    /// The same by Jacobi's rule.
    Jacobi,
    /// Springs, by Verlet's rule.
    Verlet,
    /// Springs, by Euler's explicit rule.
    Euler,
}

impl SolverMode {
    /// All, in the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Xpbd,
        Self::Pbd,
        Self::Jacobi,
        Self::Verlet,
        Self::Euler,
    ];

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Xpbd => "xpbd",
            Self::Pbd => "pbd",
            Self::Jacobi => "jacobi",
            Self::Verlet => "verlet",
            Self::Euler => "euler",
        }
    }

    /// As a person writes it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Xpbd => "XPBD",
            Self::Pbd => "PBD",
            Self::Jacobi => "Jacobi",
            Self::Verlet => "Verlet",
            Self::Euler => "Euler",
        }
    }

    /// Forces of springs, not constraints.
    #[must_use]
    pub fn has_springs(self) -> bool {
        matches!(self, Self::Verlet | Self::Euler)
    }

    /// One step with a few passes, and velocity lost by a share a step.
    #[must_use]
    pub fn is_published_pbd(self) -> bool {
        matches!(self, Self::Pbd | Self::Jacobi)
    }
}

impl fmt::Display for SolverMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SolverMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|mode| mode.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is no solver: {names}")
        })
    }
}

/// Which constraints a sheet has: each adds to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConstraintKinds {
    /// Threads along the rows and down the columns: 2 kinds.
    Structural,
    /// And diagonals across the cells: 3 kinds.
    Shear,
    /// And threads over two cells, that keep it flat: 5 kinds.
    #[default]
    Bend,
}

impl ConstraintKinds {
    /// All, from the fewest.
    pub const ALL: [Self; 3] = [Self::Structural, Self::Shear, Self::Bend];

    /// As a person writes it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Shear => "+ shear",
            Self::Bend => "+ bend",
        }
    }

    /// How many of them.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Structural => 2,
            Self::Shear => 3,
            Self::Bend => 5,
        }
    }

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Shear => "shear",
            Self::Bend => "bend",
        }
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        (kind as usize) < self.count()
    }
}

impl fmt::Display for ConstraintKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ConstraintKinds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|kinds| kinds.name() == text);
        found.ok_or_else(|| format!("{text:?} is none of structural, shear, bend"))
    }
}

/// Threads as springs, for the modes that have them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Springs {
    /// Of a thread, newton a metre.
    pub stiffness_n_per_m: f32,
    /// Against its ends going apart, newton a metre a second.
    pub damping_n_s_per_m: f32,
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
    /// Inverse stiffness of XPBD; PBD is rigid.
    pub compliance: Compliance,
    /// Stiffness of the modes with springs.
    pub springs: Springs,
    /// Which constraints there are.
    pub kinds: ConstraintKinds,
    /// Share of the velocity that is lost in a second. PBD as published loses
    /// 1 − 0.99 a step whatever this says, but nothing where it is 0.
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
            // Soft enough for Verlet at twelve substeps, a tenth too long under a
            // sheet's own weight.
            springs: Springs {
                stiffness_n_per_m: 60.0,
                damping_n_s_per_m: 0.02,
            },
            kinds: ConstraintKinds::Bend,
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

    /// The same material by another solver, with as many substeps and passes as
    /// it is made for.
    #[must_use]
    pub fn with_solver(self, mode: SolverMode) -> Self {
        let standard = Self::default();
        let iterations = match mode {
            SolverMode::Pbd => 5,
            // About as stiff as five of Gauss and Seidel's.
            SolverMode::Jacobi => 20,
            SolverMode::Xpbd | SolverMode::Verlet | SolverMode::Euler => standard.iterations,
        };
        Self {
            mode,
            iterations,
            substeps: standard.substeps,
            ..self
        }
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
        let (k, s) = (self.springs, standard.springs);
        Self {
            mode: self.mode,
            substeps: self.substeps.clamp(1, 64),
            iterations: self.iterations.clamp(1, 64),
            compliance: Compliance {
                stretch_m_per_n: clean(c.stretch_m_per_n, 0.0, 1.0, d.stretch_m_per_n),
                shear_m_per_n: clean(c.shear_m_per_n, 0.0, 1e3, d.shear_m_per_n),
                bend_m_per_n: clean(c.bend_m_per_n, 0.0, 1e6, d.bend_m_per_n),
            },
            springs: Springs {
                stiffness_n_per_m: clean(k.stiffness_n_per_m, 0.0, 1e6, s.stiffness_n_per_m),
                damping_n_s_per_m: clean(k.damping_n_s_per_m, 0.0, 1e3, s.damping_n_s_per_m),
            },
            kinds: self.kinds,
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
