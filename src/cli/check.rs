//! `check`: what is wrong with captures, where and how much.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use super::{
    Failure, ReadArgs,
    folder::make_folder,
    inputs::Inputs,
    overwrite::ForceArgs,
    page::{page, table},
    path_as_text, print_json,
    terminal::{data_out, printable},
};
use crate::{
    analysis::{self, Finding, FindingKind},
    chart::escaped,
    load::{Loaded, LoadedMotion},
    output::Staged,
    skeleton::Skeleton,
};

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The findings as JSON
    #[arg(long)]
    json: bool,
    /// Exit code 1 when anything is found
    #[arg(long)]
    strict: bool,
    /// An overview of all files as a page for the browser
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// One motion with its findings.
#[derive(Serialize)]
struct CheckReport {
    #[serde(serialize_with = "path_as_text")]
    path: PathBuf,
    findings: Vec<FindingReport>,
    #[serde(skip)]
    secs: f64,
}

#[derive(Serialize)]
pub(super) struct FindingReport {
    kind: FindingKind,
    joint: Option<String>,
    start_frame: usize,
    end_frame: usize,
    value: f64,
    unit: &'static str,
    message: String,
}

impl FindingReport {
    pub fn of(finding: &Finding, skeleton: &Skeleton) -> Self {
        let joint = finding.joint.and_then(|it| skeleton.joints().get(it));
        Self {
            kind: finding.kind,
            joint: joint.map(|it| it.name.clone()),
            start_frame: finding.start_frame,
            end_frame: finding.end_frame,
            value: finding.value,
            unit: finding.unit,
            message: finding.message.clone(),
        }
    }

    /// Kind, frames, what.
    pub fn line(&self) -> String {
        let (kind, frames) = (self.kind.word(), self.frames());
        format!("  {kind:<6} {frames:>11}  {}", self.message)
    }

    fn frames(&self) -> String {
        match self.start_frame == self.end_frame {
            true => self.start_frame.to_string(),
            false => format!("{}–{}", self.start_frame, self.end_frame),
        }
    }
}

pub(super) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    args.force.check(&inputs.paths, args.html.as_deref())?;
    let loaded = std::mem::take(&mut inputs.loaded);
    let motions: Vec<LoadedMotion> = loaded.into_iter().filter_map(Loaded::into_motion).collect();
    if motions.is_empty() && inputs.failed() == 0 {
        return Err(Failure::Usage("there is no motion to check".into()));
    }
    let reports: Vec<CheckReport> = motions.par_iter().map(report).collect();
    match args.json {
        true => print_json(&reports)?,
        false => print(&reports)?,
    }
    inputs.complete()?;
    if let Some(path) = &args.html {
        let mut staged = Staged::default();
        make_folder(path)?;
        staged.add(path, overview(&reports).as_bytes())?;
        staged.commit()?;
    }
    let found: usize = reports.iter().map(|it| it.findings.len()).sum();
    match (args.strict, found) {
        (true, 1..) => Err(Failure::Other(anyhow::anyhow!("{found} finding(s)"))),
        _ => Ok(()),
    }
}

fn report(motion: &LoadedMotion) -> CheckReport {
    let skeleton = motion.skeleton();
    let findings = analysis::check(skeleton, motion.raw());
    CheckReport {
        path: PathBuf::from(motion.label()),
        findings: findings
            .iter()
            .map(|it| FindingReport::of(it, skeleton))
            .collect(),
        secs: motion.raw().duration_secs(),
    }
}

fn print(reports: &[CheckReport]) -> Result<(), Failure> {
    let mut out = data_out();
    for report in reports {
        let count = match report.findings.len() {
            0 => "nothing found".to_owned(),
            1 => "1 finding".to_owned(),
            many => format!("{many} findings"),
        };
        let path = Path::new(&report.path).display().to_string();
        writeln!(out, "{}: {count}", printable(&path))?;
        for finding in &report.findings {
            writeln!(out, "{}", printable(&finding.line()))?;
        }
    }
    Ok(out.flush()?)
}

/// All files in a table, then each with what was found in it.
fn overview(reports: &[CheckReport]) -> String {
    let count = |report: &CheckReport, kind: FindingKind| {
        let own = report.findings.iter().filter(|it| it.kind == kind).count();
        if own == 0 {
            String::new()
        } else {
            own.to_string()
        }
    };
    let row = |(index, report): (usize, &CheckReport)| {
        let name = escaped(&report.path.display().to_string());
        let mut cells = vec![match report.findings.is_empty() {
            true => name,
            false => format!("<a href=\"#f{index}\">{name}</a>"),
        }];
        cells.push(format!("{:.1}", report.secs));
        cells.extend(FindingKind::ALL.map(|kind| count(report, kind)));
        cells
    };
    let rows: Vec<Vec<String>> = reports.iter().enumerate().map(row).collect();
    let kinds = FindingKind::ALL.map(FindingKind::word);
    let headings: Vec<&str> = ["file", "seconds"].into_iter().chain(kinds).collect();
    let mut body = table(&headings, &rows, 1);
    for (index, report) in reports.iter().enumerate() {
        if report.findings.is_empty() {
            continue;
        }
        let name = escaped(&report.path.display().to_string());
        body.push_str(&format!("<h2 id=\"f{index}\">{name}</h2>\n"));
        let row = |it: &FindingReport| {
            let joint = it.joint.as_deref().unwrap_or("");
            let cells = [it.kind.word(), &it.frames(), joint, &it.message];
            cells.map(escaped).to_vec()
        };
        let rows: Vec<Vec<String>> = report.findings.iter().map(row).collect();
        body.push_str(&table(&["kind", "frames", "joint", "what"], &rows, 4));
    }
    page("What is wrong with these captures", &body)
}
