//! `drive`: the motion of a character under a script, as a file.

use std::path::PathBuf;

use clap::Args;

use super::{
    Failure, convert, message,
    onto::OntoArgs,
    overwrite::ForceArgs,
    performance::{self, PerformanceFiles},
};
use crate::{
    animator::{Cast, TICK_RATE, TraceCharacter, cast::LEAD},
    body::BodyCache,
    import::{MotionOptions, SkeletonOptions, UpAxis},
    load::{self, LoadOptions},
    output::Staged,
    scene::{Character, Performance},
    units::LengthUnit,
};

#[derive(Args, Debug)]
pub(super) struct DriveArgs {
    /// A skeleton and motions that fill the animator's states, by their names
    /// or as STATE=FILE; the built-in character when left out
    files: Vec<PathBuf>,
    /// A text of inputs, a line each: seconds, then `press KEY`, `release KEY`,
    /// `click`, `set PARAMETER VALUE`, `character NAME …`, or `look`, `reach`,
    /// `locator`, `meet`, `stand`, `attach`, `detach`, `ground`, `push`, `ragdoll` (docs/posing.md)
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// The animator's description (RON), instead of the built-in one
    #[arg(long, value_name = "FILE")]
    animator: Option<PathBuf>,
    /// Whose motion is written, where the script has several characters; the
    /// lead's when left out
    #[arg(long, value_name = "NAME")]
    character: Option<String>,
    /// Frames a second of the file that is written
    #[arg(long, value_name = "F", default_value_t = TICK_RATE, value_parser = super::parse_rate)]
    fps: f64,
    /// Writes one JSON object a line and simulated frame
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The file to write, in any format that `convert` writes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    onto: OntoArgs,
    /// Length unit of the files: inch, cm, m, mm or foot, instead of the one
    /// found or guessed
    #[arg(long, value_name = "UNIT")]
    file_unit: Option<LengthUnit>,
    /// Frames a second of the files, instead of those stated or assumed
    #[arg(long, value_name = "RATE", value_parser = super::parse_rate)]
    file_fps: Option<f64>,
    /// The axis that points up in the files, y, z, x, -y, -z or -x, instead of the one found
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Holds thumbs and fingers at rest, for captures that have garbage there
    #[arg(long)]
    ignore_fingers: bool,
    #[command(flatten)]
    force: ForceArgs,
}

impl DriveArgs {
    fn performance(&self) -> PerformanceFiles<'_> {
        PerformanceFiles {
            files: &self.files,
            animator: self.animator.as_deref(),
            script: Some(&self.script),
            onto: &self.onto,
        }
    }

    fn load_options(&self) -> LoadOptions {
        LoadOptions {
            skeleton: SkeletonOptions {
                unit: self.file_unit,
                up: self.up,
            },
            motion: MotionOptions { fps: self.file_fps },
            ignore_fingers: self.ignore_fingers,
            ..LoadOptions::default()
        }
    }
}

pub(super) fn run(args: &DriveArgs) -> Result<(), Failure> {
    let performance = args.performance();
    let outputs = [Some(args.output.as_path()), args.trace.as_deref()];
    let outputs = outputs.into_iter().flatten();
    let inputs = performance.inputs();
    args.force
        .check(&inputs, outputs.chain(args.onto.output()))?;
    let cast = performance.cast()?;
    let ticks = performance::ticks(&cast)?;
    let mut staged = Staged::default();
    let driven = performance.character(args.load_options(), &mut staged)?;
    // The last frame is not after the last tick, however the rate divides it.
    let frames = (ticks as f64 / TICK_RATE * args.fps + 1e-6).floor() as usize + 1;
    let mut bodies = BodyCache::default();
    let name = args.script.file_stem().unwrap_or_default();
    let name = name.to_string_lossy();
    let motion = match who(args, &cast)? {
        0 if !performance::lead_heeds_others(&cast) => {
            let performer = performance.performer(&driven, &cast.lead, &mut bodies)?;
            let mut recorded = Performance::new(performer, &cast.lead, args.fps);
            let clip = recorded.record(&name, frames);
            performance::tell_faults(&mut recorded.character);
            driven.motion(args.script.clone(), clip)
        }
        other => {
            let mut scene = performance.stage(&driven, &cast, args.load_options(), &mut bodies)?;
            let recorded = scene.record(other, (&name, args.fps), frames);
            performance::tell_faults(&mut scene.characters[other]);
            let on = &scene.characters[other].skeleton;
            load::motion_of_scene(&driven, on, args.script.clone(), recorded)
        }
    };
    convert::stage_made(motion, &args.output, args.force, &mut staged)?;
    if let Some(path) = &args.trace {
        let performer = performance.performer(&driven, &cast.lead, &mut bodies)?;
        let scene = performance.stage(&driven, &cast, args.load_options(), &mut bodies)?;
        let text = match performance::lead_heeds_others(&cast) {
            true => performance::trace_among_others(scene, ticks)
                .map(|line| line.to_json() + "\n")
                .collect(),
            false => trace(performer, &cast, performance::trace_others(scene, ticks)),
        };
        staged.add(path, text.as_bytes())?;
    }
    staged.commit()?;
    for note in &driven.graph.notes {
        message(note);
    }
    message(&format!(
        "{frames} frames, {:.2} s",
        frames as f64 / args.fps
    ));
    Ok(())
}

/// A line a tick, whatever the file's rate: what `render` writes of it too.
fn trace(
    performer: Character,
    cast: &Cast,
    others: impl Iterator<Item = Vec<TraceCharacter>>,
) -> String {
    let mut performance = Performance::new(performer, &cast.lead, TICK_RATE);
    let line = |characters| {
        let mut line = performance.step();
        line.characters = characters;
        line.to_json() + "\n"
    };
    others.map(line).collect()
}

/// Whose motion is written, by place in the scene.
fn who(args: &DriveArgs, cast: &Cast) -> Result<usize, Failure> {
    let Some(name) = &args.character else {
        return Ok(0);
    };
    cast.place_of(name).ok_or_else(|| {
        let names = cast.members.iter().map(|it| it.name.as_str());
        let names: Vec<&str> = std::iter::once(LEAD).chain(names).collect();
        let names = names.join(", ");
        Failure::Usage(format!(
            "the script has no character {name:?}; there are {names}"
        ))
    })
}
