//! `curves`: channels of joints over time, several motions laid over each other,
//! and what a filter makes of them.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Failure, ReadArgs, convert::stage_motion, folder::make_folder, inputs::Inputs, message,
    overwrite::ForceArgs, terminal,
};
use crate::{
    analysis::{self, Channel, Curves, Filter, Wanted},
    load::{Loaded, LoadedMotion},
    output::Staged,
    skeleton::JointIndex,
};

#[derive(Args, Debug)]
pub(super) struct CurvesArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Joints, by name, with commas between; the root when left out
    #[arg(long, value_name = "JOINT,…", value_delimiter = ',')]
    joint: Vec<String>,
    /// What of them: euler, quaternion, local, world, speed, acceleration, jerk or
    /// morph, with commas between
    #[arg(long, value_name = "CHANNEL,…", value_delimiter = ',', default_value = "world",
          value_parser = parse_channel)]
    channel: Vec<Channel>,
    /// Lays the same through a filter over them: butterworth=HZ or
    /// average=FRAMES
    #[arg(long, value_name = "FILTER", value_parser = parse_filter)]
    filter: Option<Filter>,
    /// A table, a row a frame; to stdout when nothing is written
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// A picture, a plot a channel, SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Writes the filtered motion, in any format that `convert` writes: all
    /// joints, or those named
    #[arg(short, long, value_name = "OUT", requires = "filter")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

fn parse_channel(text: &str) -> Result<Channel, String> {
    Channel::of_word(text).ok_or_else(|| {
        let words: Vec<&str> = Channel::ALL.iter().map(|it| it.word()).collect();
        format!("none of {}", words.join(", "))
    })
}

fn parse_filter(text: &str) -> Result<Filter, String> {
    let wrong = || format!("{text:?} is neither butterworth=HZ nor average=FRAMES");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value: f64 = value.parse().map_err(|_| wrong())?;
    match name {
        "butterworth" if value > 0.0 && value.is_finite() => {
            Ok(Filter::Butterworth { cutoff_hz: value })
        }
        "average" if (1.0..=100_000.0).contains(&value) => Ok(Filter::MovingAverage {
            frames: value as usize,
        }),
        _ => Err(wrong()),
    }
}

pub(super) fn run(args: &CurvesArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    let outputs = [
        args.csv.as_deref(),
        args.svg.as_deref(),
        args.output.as_deref(),
    ];
    args.force
        .check(&inputs.paths, outputs.into_iter().flatten())?;
    inputs.complete_to_write()?;
    let loaded = std::mem::take(&mut inputs.loaded);
    let motions: Vec<LoadedMotion> = loaded.into_iter().filter_map(Loaded::into_motion).collect();
    let Some(first) = motions.first() else {
        return Err(Failure::Usage("there is no motion to draw".into()));
    };
    let joints = joints(args, first)?;
    let all = taken(args, &motions, &joints)?;
    let named: Vec<(String, &Curves)> = all.iter().map(|(name, it)| (name.clone(), it)).collect();
    if named.iter().all(|it| it.1.curves.is_empty()) {
        return Err(Failure::Usage("the skin has no morph targets".into()));
    }
    let mut staged = Staged::default();
    let mut add = |path: &Path, text: &str| -> Result<(), Failure> {
        make_folder(path)?;
        Ok(staged.add(path, text.as_bytes())?)
    };
    if let Some(path) = &args.csv {
        add(path, &analysis::csv_of(&named))?;
    }
    if let Some(path) = &args.svg {
        add(path, &analysis::chart_of(&named))?;
    }
    if let (Some(output), Some(filter)) = (&args.output, args.filter) {
        let chosen = (!args.joint.is_empty()).then_some(joints.as_slice());
        let clip = analysis::filtered(first.raw(), filter, chosen);
        make_folder(output)?;
        stage_motion(first, clip, output, args.force, &mut staged)?;
    }
    staged.commit()?;
    if outputs.iter().all(|it| it.is_none()) {
        use std::io::Write;
        terminal::data_out().write_all(analysis::csv_of(&named).as_bytes())?;
    }
    Ok(())
}

fn joints(args: &CurvesArgs, motion: &LoadedMotion) -> Result<Vec<JointIndex>, Failure> {
    let skeleton = motion.skeleton();
    let find = |name: &String| {
        skeleton
            .find(name)
            .ok_or_else(|| Failure::Usage(format!("the skeleton has no joint named {name:?}")))
    };
    match args.joint.is_empty() {
        true => Ok(vec![0]),
        false => args.joint.iter().map(find).collect(),
    }
}

/// The curves of every motion, and of each through the filter.
fn taken(
    args: &CurvesArgs,
    motions: &[LoadedMotion],
    joints: &[JointIndex],
) -> Result<Vec<(String, Curves)>, Failure> {
    let first = &motions[0];
    let mut all = Vec::new();
    for motion in motions {
        let fps = motion.sampler().fps();
        let highest = Filter::highest_cutoff_hz(fps);
        if matches!(args.filter, Some(Filter::Butterworth { cutoff_hz }) if cutoff_hz >= highest) {
            return Err(Failure::Usage(format!(
                "{}: of {fps} frames a second a cutoff below {highest:.1} Hz filters something",
                motion.label()
            )));
        }
        if motion.skeleton().len() != first.skeleton().len() {
            let (own, other) = (motion.label(), first.label());
            return Err(Failure::Usage(format!(
                "{own}: not on the skeleton of {other}; curves are laid over each other on one"
            )));
        }
        let wanted = Wanted {
            joints: joints.to_vec(),
            channels: args.channel.clone(),
            morphs: morph_names(motion),
        };
        let own = analysis::curves(motion.skeleton(), &*motion.sampler(), &wanted);
        let name = name_of(motion, motions);
        if let Some(filter) = args.filter {
            let smooth = own.through(filter);
            all.push((name.clone(), own));
            all.push((format!("{name} filtered"), smooth));
        } else {
            all.push((name, own));
        }
    }
    if args.channel.contains(&Channel::Morph) && motions.iter().all(|it| morph_names(it).is_empty())
    {
        message("the skin has no morph targets");
    }
    Ok(all)
}

/// Short, unless two are called the same.
fn name_of(motion: &LoadedMotion, motions: &[LoadedMotion]) -> String {
    match motions.iter().filter(|it| it.name == motion.name).count() {
        1 => motion.name.clone(),
        _ => motion.label(),
    }
}

fn morph_names(motion: &LoadedMotion) -> Vec<String> {
    let model = motion.skeleton.model.as_ref();
    model.map_or(Vec::new(), |it| it.morph_names.clone())
}
