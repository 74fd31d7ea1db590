//! `cloth-table`: how long a step of each cloth solver takes on this machine.

use std::{io::Write, path::PathBuf, time::Instant};

use clap::Args;

use super::{Failure, overwrite::ForceArgs, terminal::data_out};
use crate::{
    cloth::{
        ClothSettings, SolverMode,
        table::{self, SIDES, TableCell, TableRow},
    },
    output::PartFile,
};

#[derive(Args, Debug)]
pub(super) struct ClothTableArgs {
    /// Also writes a line a cell, with constraints and stretch
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Steps that are measured of each sheet
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn run(args: &ClothTableArgs) -> Result<(), Failure> {
    args.force.check(&[], args.csv.as_deref())?;
    // Before minutes are spent on what cannot be kept.
    let part = args.csv.as_deref().map(PartFile::create).transpose()?;
    let start = Instant::now();
    let now = || start.elapsed().as_secs_f64();
    let rows = table::measure_all(args.steps as usize, now).map_err(anyhow::Error::from)?;
    if let Some(mut part) = part {
        part.write_all(table::csv(&rows).as_bytes())?;
        part.complete()?;
        part.commit()?;
    }
    print(&rows)
}

/// A heading for every solver, a line for every number of passes or kinds.
fn print(rows: &[TableRow]) -> Result<(), Failure> {
    let mut out = data_out();
    writeln!(out, "Milliseconds of a step of 1/120 s; * grew without end")?;
    let mut solver = None;
    for (settings, cells) in rows {
        if solver.replace(settings.mode) != Some(settings.mode) {
            let heading = heading(settings.mode);
            let sides: String = SIDES
                .map(|side| format!("{:>10}", format!("{side}²")))
                .concat();
            writeln!(out, "\n{heading:<24}{sides}")?;
        }
        let cells: String = cells.iter().map(cell_text).collect();
        writeln!(out, "{:<24}{cells}", line_name(settings))?;
    }
    Ok(out.flush()?)
}

fn heading(mode: SolverMode) -> String {
    let by = match mode {
        SolverMode::Pbd | SolverMode::Jacobi => ", passes",
        SolverMode::Verlet | SolverMode::Euler => ", kinds",
        SolverMode::Xpbd => ", substeps",
    };
    mode.title().to_owned() + by
}

fn line_name(settings: &ClothSettings) -> String {
    match settings.mode {
        SolverMode::Pbd | SolverMode::Jacobi => settings.iterations.to_string(),
        SolverMode::Verlet | SolverMode::Euler => {
            let (count, last) = (settings.kinds.count(), settings.kinds.title());
            format!("{count} ({last})")
        }
        SolverMode::Xpbd => settings.substeps.to_string(),
    }
}

fn cell_text(cell: &TableCell) -> String {
    let mark = if cell.stretch.is_finite() { " " } else { "*" };
    format!("{:>9.3}{mark}", cell.step_ms)
}
