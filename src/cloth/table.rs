//! The published tables for the machine at hand: milliseconds of a step by the
//! sheet's side and its passes (PBD), and by its side and its kinds of
//! constraints (springs).
//!
//! Every sheet hangs by its top edge, 2 m on a side, while a box sways through
//! it. Time comes from a clock of the caller's: nothing here reads one.

use std::fmt::Write;

use glam::{Vec2, Vec3};

use super::{
    Cloth, ClothSettings, ConstraintKinds, STEP_SECS, Sheet, SheetError, SolverMode, StepOutcome,
};
use crate::{
    collide::{Collider, Obb},
    math::Transform,
};

/// Vertices on a side.
pub const SIDES: [usize; 6] = [10, 20, 40, 60, 80, 120];
/// Passes over all constraints.
pub const PASSES: [u32; 5] = [1, 5, 10, 20, 40];
const SIZE_M: f32 = 2.0;
/// Steps before any counts: memory is touched, the sheet swings.
const WARM_UP: usize = 12;

/// One cell of the tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableCell {
    /// What moves the sheet.
    pub solver: SolverMode,
    /// Vertices on a side.
    pub side: usize,
    /// Passes, or substeps of springs.
    pub passes: u32,
    /// Which constraints there are.
    pub kinds: ConstraintKinds,
    /// How many of them.
    pub constraints: usize,
    /// Milliseconds of a step of 1/120 s, the median.
    pub step_ms: f64,
    /// Longest thread at the end as a share of its length; infinite where the
    /// sheet blew up.
    pub stretch: f32,
}

/// What moves the sheets, and a cell for every side.
pub type TableRow = (ClothSettings, Vec<TableCell>);

/// What the tables are made of: PBD and Jacobi by passes, springs by kinds.
#[must_use]
pub fn cells() -> Vec<ClothSettings> {
    let by_passes = [SolverMode::Pbd, SolverMode::Jacobi].into_iter();
    let by_passes = by_passes.flat_map(|mode| PASSES.map(|passes| (mode, passes)));
    let by_passes = by_passes.map(|(mode, iterations)| ClothSettings {
        iterations,
        ..ClothSettings::published().with_solver(mode)
    });
    let by_kinds = [SolverMode::Euler, SolverMode::Verlet].into_iter();
    let by_kinds = by_kinds.flat_map(|mode| ConstraintKinds::ALL.map(|kinds| (mode, kinds)));
    let by_kinds = by_kinds.map(|(mode, kinds)| {
        let mut settings = ClothSettings {
            kinds,
            ..ClothSettings::published().with_solver(mode)
        };
        settings.springs.damping_n_s_per_m = 0.08;
        settings
    });
    let standard = ClothSettings::default();
    by_passes.chain(by_kinds).chain([standard]).collect()
}

/// Measures a cell over some steps; `now_secs` is any clock.
///
/// # Errors
/// When there can be no such sheet.
pub fn measure(
    settings: ClothSettings,
    side: usize,
    steps: usize,
    now_secs: impl Fn() -> f64,
) -> Result<TableCell, SheetError> {
    let mut sheet = Sheet::rectangle([side, side], Vec2::splat(SIZE_M), |fraction| {
        Vec3::new((fraction.x - 0.5) * SIZE_M, 2.2 - fraction.y * SIZE_M, 0.0)
    });
    sheet.pins = (0..side as u32).collect();
    let mut cloth = Cloth::new(sheet, settings)?;
    let (mut times, mut blown_up) = (Vec::with_capacity(steps), false);
    for step in 0..WARM_UP + steps {
        let solids = [swaying(step)];
        let begun = now_secs();
        let outcome = cloth.step(&solids);
        let spent = now_secs() - begun;
        blown_up |= outcome == StepOutcome::BlownUp;
        if step >= WARM_UP {
            times.push(spent * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    let stats = cloth.stats();
    let settings = cloth.settings();
    Ok(TableCell {
        solver: settings.mode,
        side,
        passes: match settings.mode.is_published_pbd() {
            true => settings.iterations,
            false => settings.substeps,
        },
        kinds: settings.kinds,
        constraints: stats.constraints,
        step_ms: times.get(steps / 2).copied().unwrap_or_default(),
        stretch: match blown_up {
            true => f32::INFINITY,
            false => stats.max_stretch,
        },
    })
}

/// All of the tables, each cell over some steps; minutes on a slow machine.
///
/// # Errors
/// When there can be no such sheet.
pub fn measure_all(
    steps: usize,
    now_secs: impl Fn() -> f64 + Copy,
) -> Result<Vec<TableRow>, SheetError> {
    let row = |settings| {
        let cell = |side| measure(settings, side, steps, now_secs);
        let cells: Result<Vec<TableCell>, _> = SIDES.into_iter().map(cell).collect();
        Ok((settings, cells?))
    };
    cells().into_iter().map(row).collect()
}

/// A line a cell, with constraints and stretch.
#[must_use]
pub fn csv(rows: &[TableRow]) -> String {
    let mut text = "solver,side,passes,kinds,constraints,step_ms,stretch,blew_up\n".to_owned();
    for cell in rows.iter().flat_map(|(_, cells)| cells) {
        let blew_up = !cell.stretch.is_finite();
        let stretch = match blew_up {
            true => String::new(),
            false => format!("{:.4}", cell.stretch),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.5},{stretch},{blew_up}",
            cell.solver,
            cell.side,
            cell.passes,
            cell.kinds.count(),
            cell.constraints,
            cell.step_ms,
        );
    }
    text
}

/// A body's worth of a box, to and fro through the sheet.
fn swaying(step: usize) -> Collider {
    let at = |step: usize| {
        let secs = step as f32 * STEP_SECS;
        let z = 0.45 - 0.75 * (1.3 * secs).sin().max(0.0);
        Transform::from_translation(Vec3::new(0.0, 0.9, z))
    };
    let body = Obb::new(Transform::IDENTITY, Vec3::new(0.25, 0.9, 0.15));
    Collider::moving(body, at(step), at(step + 1))
}
