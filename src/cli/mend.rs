//! `mend`: captures repaired, and how far each repair moved the body.

use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use super::{
    Failure, ReadArgs,
    check::FindingReport,
    convert::stage_motion,
    folder::{self, make_folder, names_folder},
    inputs::{Inputs, uncompressed},
    message,
    overwrite::ForceArgs,
    path_as_text, print_json,
    terminal::printable,
};
use crate::{
    analysis::{self, FindingKind, Mended, Repair},
    convert::Format,
    load::{self, LoadedMotion},
    output::Staged,
    skeleton::Skeleton,
};

#[derive(Args, Debug)]
pub(super) struct MendArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The file to write, in any format that `convert` writes; for several
    /// motions a folder
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The format in a folder, instead of each file's own
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// What was mended and what is left, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Serialize)]
struct MendReport {
    #[serde(serialize_with = "path_as_text")]
    path: PathBuf,
    #[serde(serialize_with = "path_as_text")]
    output: PathBuf,
    repairs: Vec<RepairReport>,
    left: Vec<FindingReport>,
}

#[derive(Serialize)]
struct RepairReport {
    kind: FindingKind,
    joint: Option<String>,
    start_frame: usize,
    end_frame: usize,
    moved_cm: f64,
}

impl RepairReport {
    fn of(repair: &Repair, skeleton: &Skeleton) -> Self {
        let joint = repair.joint.and_then(|it| skeleton.joints().get(it));
        Self {
            kind: repair.kind,
            joint: joint.map(|it| it.name.clone()),
            start_frame: repair.start_frame,
            end_frame: repair.end_frame,
            moved_cm: repair.moved_cm,
        }
    }

    fn line(&self) -> String {
        let who = self.joint.as_deref().unwrap_or("the whole body");
        let frames = format!("{}–{}", self.start_frame, self.end_frame);
        let kind = self.kind.word();
        format!(
            "  {kind:<6} {frames:>11}  {who}: moved by {:.1} cm at most",
            self.moved_cm
        )
    }
}

pub(super) fn run(args: &MendArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    let motions = uncompressed(std::mem::take(&mut inputs.loaded));
    if motions.is_empty() && inputs.failed() == 0 {
        return Err(Failure::Usage("there is no motion to mend".into()));
    }
    let outputs = outputs(args, &motions)?;
    args.force
        .check(&inputs.paths, outputs.iter().map(PathBuf::as_path))?;
    // A single file is mended whole or not at all; of a folder what can be is.
    if !fills_folder(args) {
        inputs.complete_to_write()?;
    }
    let mended: Vec<Mended> = motions
        .par_iter()
        .map(|motion| analysis::mend(motion.skeleton(), motion.raw()))
        .collect();
    let mut staged = Staged::default();
    let mut reports = Vec::with_capacity(motions.len());
    for ((motion, mended), output) in motions.iter().zip(mended).zip(outputs) {
        make_folder(&output)?;
        reports.push(report(motion, &mended, &output));
        stage_motion(motion, mended.clip, &output, args.force, &mut staged)?;
    }
    staged.commit()?;
    match args.json {
        true => print_json(&reports)?,
        false => reports.iter().for_each(tell),
    }
    folder::outcome(inputs.failed(), inputs.failed() + reports.len())
}

fn fills_folder(args: &MendArgs) -> bool {
    names_folder(&args.output, Format::of_name(&args.output).is_some())
}

/// Where each motion goes.
fn outputs(args: &MendArgs, motions: &[LoadedMotion]) -> Result<Vec<PathBuf>, Failure> {
    if !fills_folder(args) {
        return match motions.len() {
            0 | 1 => Ok(vec![args.output.clone(); motions.len()]),
            many => Err(Failure::Usage(format!(
                "{many} motions do not fit one file: give a folder"
            ))),
        };
    }
    let names = folder::names(motions, &args.read.files)?;
    let file = |(motion, name): (&LoadedMotion, PathBuf)| {
        let format = args.to.unwrap_or_else(|| own_format(&motion.path));
        // Not `with_extension`: a name may hold dots.
        let mut name = name.into_os_string();
        name.push(format!(".{}", format.ending()));
        args.output.join(name)
    };
    Ok(motions.iter().zip(names).map(file).collect())
}

fn own_format(path: &Path) -> Format {
    let named = load::split_range(path);
    let file = named.as_ref().map_or(path, |(file, _)| file.as_path());
    match Format::of_name(file) {
        Some(Format::Csv | Format::Asf | Format::Kin) | None => Format::Bvh,
        Some(format) => format,
    }
}

fn report(motion: &LoadedMotion, mended: &Mended, output: &Path) -> MendReport {
    let skeleton = motion.skeleton();
    let repairs = mended.repairs.iter();
    MendReport {
        path: PathBuf::from(motion.label()),
        output: output.to_path_buf(),
        repairs: repairs.map(|it| RepairReport::of(it, skeleton)).collect(),
        left: mended
            .left
            .iter()
            .map(|it| FindingReport::of(it, skeleton))
            .collect(),
    }
}

fn tell(report: &MendReport) {
    let path = report.path.display().to_string();
    let (repairs, left) = (report.repairs.len(), report.left.len());
    message(&format!(
        "{}: {repairs} repair(s), {left} finding(s) left",
        printable(&path)
    ));
    for repair in &report.repairs {
        message(&repair.line());
    }
    for finding in &report.left {
        message(&format!("{} (left)", finding.line()));
    }
}
