//! `transition`: from one motion to another, at the best moment.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use serde::Serialize;

use super::{
    Failure, ReadArgs, convert,
    inputs::Inputs,
    same_skeleton::{self, ResultArgs},
};
use crate::{
    clip::{RawClip, SampleClip},
    output::Staged,
    register::Transition,
};

#[derive(Args, Debug)]
pub(super) struct TransitionArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// How long leading over takes
    #[arg(long, value_name = "S", default_value_t = 0.4)]
    seconds: f64,
    /// The file to write, in any format that `convert` writes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    result: ResultArgs,
}

#[derive(Serialize)]
struct Output {
    from_s: f64,
    to_s: f64,
    seconds: f64,
    cost_cm: f64,
    frames: usize,
    slide_cm: f64,
}

pub(super) fn run(args: &TransitionArgs) -> Result<(), Failure> {
    if !(args.seconds.is_finite() && (0.0..=60.0).contains(&args.seconds)) {
        return Err(Failure::Usage("--seconds takes 0 to 60".into()));
    }
    let inputs = Inputs::load(&args.read.files, args.read.library_options());
    args.result
        .force
        .check(&inputs.paths, [args.output.as_path()])?;
    inputs.complete_to_write()?;
    let motions = same_skeleton::motions(inputs.loaded)?;
    let [from, to] = motions.as_slice() else {
        let count = motions.len();
        return Err(Failure::Usage(format!(
            "a transition is between two motions, not {count}"
        )));
    };
    let skeleton = Arc::new(from.skeleton().clone());
    let clips = [from, to].map(|motion| Arc::clone(motion.raw()));
    let joined = Transition::best(&skeleton, clips, args.seconds);
    let joined = joined.map_err(|error| same_skeleton::refused(&error, &motions))?;
    let clip = RawClip::sampled_from("transition", &skeleton, &joined);
    let mut staged = Staged::default();
    convert::stage_motion(from, clip, &args.output, args.result.force, &mut staged)?;
    let output = Output {
        from_s: joined.point.from_secs,
        to_s: joined.point.to_secs,
        seconds: joined.seconds,
        cost_cm: 100.0 * joined.point.cost_m,
        frames: joined.frames(),
        slide_cm: 100.0 * joined.slide_m(),
    };
    staged.commit()?;
    args.result.tell(&output, report)
}

fn report(output: &Output) -> String {
    format!(
        "leaves the first at {:.2} s and enters the second at {:.2} s, poses {:.1} cm apart; \
         {} frames, standing feet slide {:.1} cm",
        output.from_s, output.to_s, output.cost_cm, output.frames, output.slide_cm
    )
}
