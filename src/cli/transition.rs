//! `transition`: from one motion to another, at the best moment.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use serde::Serialize;

use super::{
    Failure, ReadArgs, convert, inputs::Inputs, message, overwrite::ForceArgs, print_json,
    same_skeleton,
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
    /// What was found, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
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
    let inputs = Inputs::load(&args.read.files, args.read.load_options());
    args.force.check(&inputs.paths, [args.output.as_path()])?;
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
    let joined = joined.map_err(|error| Failure::Usage(error.to_string()))?;
    let clip = RawClip::sampled_from("transition", &skeleton, &joined);
    let mut staged = Staged::default();
    convert::stage_motion(from, clip, &args.output, args.force, &mut staged)?;
    let output = Output {
        from_s: joined.point.from_secs,
        to_s: joined.point.to_secs,
        seconds: joined.seconds,
        cost_cm: 100.0 * joined.point.cost_m,
        frames: joined.frames(),
        slide_cm: 100.0 * joined.slide_m(),
    };
    staged.commit()?;
    if args.json {
        return print_json(&output);
    }
    message(&format!(
        "leaves the first at {:.2} s and enters the second at {:.2} s, poses {:.1} cm apart; \
         {} frames, standing feet slide {:.1} cm",
        output.from_s, output.to_s, output.cost_cm, output.frames, output.slide_cm
    ));
    Ok(())
}
