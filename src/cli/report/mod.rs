//! `report`: how somebody walks and how far every joint goes, as a page with
//! plots, as JSON and as a table.

mod figures;
mod html;
mod strip;

use std::{io::Write as _, path::PathBuf};

use clap::Args;
use rayon::prelude::*;

use super::{
    Failure, ReadArgs,
    folder::make_folder,
    inputs::Inputs,
    overwrite::ForceArgs,
    print_json,
    terminal::{data_out, printable},
};
use crate::{
    analysis::{self, GaitReport},
    load::{Loaded, LoadedMotion},
    output::Staged,
};
use figures::Figures;

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The page to write; opens in a browser without a network
    #[arg(short, long, value_name = "OUT.html")]
    output: Option<PathBuf>,
    /// The figures as JSON
    #[arg(long)]
    json: bool,
    /// The figures as a table, a line each
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// A motion and what was measured of it.
struct Measured {
    motion: LoadedMotion,
    report: GaitReport,
}

impl Measured {
    fn of(motion: LoadedMotion) -> Self {
        let raw = motion.raw();
        // What runs on a treadmill goes nowhere, and its feet slide.
        let moved = raw.off_treadmill(motion.skeleton());
        let report = analysis::gait_report(motion.skeleton(), moved.as_ref().unwrap_or(raw));
        Self { motion, report }
    }
}

pub(super) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    let outputs = [args.output.as_deref(), args.csv.as_deref()];
    args.force
        .check(&inputs.paths, outputs.into_iter().flatten())?;
    let loaded = std::mem::take(&mut inputs.loaded);
    let motions: Vec<LoadedMotion> = loaded.into_iter().filter_map(Loaded::into_motion).collect();
    if motions.is_empty() && inputs.failed() == 0 {
        return Err(Failure::Usage("there is no motion to report on".into()));
    }
    let measured: Vec<Measured> = motions.into_par_iter().map(Measured::of).collect();
    let figures: Vec<Figures> = measured.iter().map(Figures::of).collect();
    match args.json {
        true => print_json(&figures)?,
        false if args.output.is_none() && args.csv.is_none() => print(&figures)?,
        false => {}
    }
    inputs.complete()?;
    let mut staged = Staged::default();
    if let Some(path) = &args.output {
        make_folder(path)?;
        staged.add(path, html::page_of(&measured).as_bytes())?;
    }
    if let Some(path) = &args.csv {
        make_folder(path)?;
        staged.add(path, figures::csv(&figures).as_bytes())?;
    }
    Ok(staged.commit()?)
}

fn print(all: &[Figures]) -> Result<(), Failure> {
    let mut out = data_out();
    for figures in all {
        writeln!(out, "{}", printable(&figures.path.display().to_string()))?;
        for (what, value) in figures.lines() {
            writeln!(out, "  {what:<28} {value}")?;
        }
    }
    Ok(out.flush()?)
}
