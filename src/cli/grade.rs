//! `grade`: how far a motion is from another, in degrees and centimetres.

use std::{io::Write as _, path::Path};

use clap::Args;
use serde::Serialize;

use super::{
    Failure, ReadArgs, inputs::Inputs, message, print_json, terminal::data_out, terminal::printable,
};
use crate::{
    analysis::{self, Grade},
    load::{Loaded, LoadedMotion},
    skeleton::Skeleton,
};

#[derive(Args, Debug)]
pub(super) struct GradeArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The figures as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
pub(super) struct Figures {
    frames: usize,
    mean_deg: f64,
    max_deg: f64,
    mean_cm: f64,
    max_cm: f64,
    worst: Worst,
}

#[derive(Serialize)]
struct Worst {
    joint: String,
    frame: usize,
}

impl Figures {
    pub fn of(grade: &Grade, skeleton: &Skeleton) -> Self {
        let (joint, frame) = grade.worst;
        Self {
            frames: grade.frames.len(),
            mean_deg: grade.total.mean_deg,
            max_deg: grade.total.max_deg,
            mean_cm: grade.total.mean_cm,
            max_cm: grade.total.max_cm,
            worst: Worst {
                joint: skeleton.joints()[joint].name.clone(),
                frame,
            },
        }
    }

    /// For people.
    pub fn sentence(&self) -> String {
        format!(
            "{} frames; {:.4}° on average, {:.4}° at most ({}, frame {}); \
             {:.4} cm on average, {:.4} cm at most",
            self.frames,
            self.mean_deg,
            self.max_deg,
            self.worst.joint,
            self.worst.frame,
            self.mean_cm,
            self.max_cm
        )
    }
}

pub(super) fn run(args: &GradeArgs) -> Result<(), Failure> {
    let inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.complete()?;
    let motions: Vec<LoadedMotion> = inputs
        .loaded
        .into_iter()
        .filter_map(Loaded::into_motion)
        .collect();
    let [mine, reference] = motions.as_slice() else {
        let count = motions.len();
        return Err(Failure::Usage(format!(
            "a motion is graded against one other: two motions are needed, not {count}"
        )));
    };
    refuse_other_joints(mine, reference)?;
    tell_differences(mine, reference);
    let skeleton = reference.skeleton();
    let grade = analysis::grade(skeleton, mine.raw(), reference.raw());
    let figures = Figures::of(&grade, skeleton);
    match args.json {
        true => print_json(&figures),
        false => {
            let mut out = data_out();
            writeln!(out, "{}", printable(&figures.sentence()))?;
            Ok(out.flush()?)
        }
    }
}

/// Angles of joints with other axes say nothing of each other.
fn refuse_other_joints(mine: &LoadedMotion, reference: &LoadedMotion) -> Result<(), Failure> {
    if mine.skeleton().joints() == reference.skeleton().joints() {
        return Ok(());
    }
    let name = |path: &Path| path.display().to_string();
    Err(Failure::Usage(format!(
        "{} moves {} and {} moves {}, which are not the same joints: grade motions of one \
         skeleton, or give it before them",
        name(&mine.path),
        name(&mine.skeleton.path),
        name(&reference.path),
        name(&reference.skeleton.path)
    )))
}

fn tell_differences(mine: &LoadedMotion, reference: &LoadedMotion) {
    let [own, due] = [mine, reference].map(|it| (it.raw().frames(), it.raw().fps));
    let path = mine.label();
    if own.0 != due.0 {
        let (own, due) = (own.0, due.0);
        message(&format!(
            "{path}: has {own} frames where {due} are due; {} are compared",
            own.min(due)
        ));
    }
    if (own.1 - due.1).abs() > 1e-6 {
        let (own, due) = (own.1, due.1);
        message(&format!(
            "{path}: {own} frames a second for {due}; frames are compared, not moments"
        ));
    }
}
