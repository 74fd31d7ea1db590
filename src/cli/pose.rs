//! `pose`: joint positions as JSON.

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use super::{Failure, ReadArgs, message, onto::OntoArgs, print_json};
use crate::{
    clip::{ClipCursor, RawClip, SampleClip},
    codec::CompressedClip,
    load::{self, KinFile, Loaded},
    skeleton::{Joint, LocalPose, PrecisePose, Skeleton},
    units::LengthScale,
};

#[derive(Args, Debug)]
pub(super) struct PoseArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    onto: OntoArgs,
    /// Frames counted from 0, such as 0,10,20 or 0..100; all when left out
    #[arg(long, value_name = "LIST")]
    frames: Option<FrameList>,
    /// Length unit of the output: the file's own, or metres
    #[arg(long, value_enum, default_value_t = OutputUnit::M)]
    unit: OutputUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputUnit {
    File,
    M,
}

/// Parts of a `--frames` argument: first and past-the-last frame.
#[derive(Clone, Debug, PartialEq)]
struct FrameList(Vec<std::ops::Range<usize>>);

impl std::str::FromStr for FrameList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let frame = |text: &str| {
            let problem = format!("{text:?} is not a frame number");
            text.trim().parse::<usize>().map_err(|_| problem)
        };
        let part = |text: &str| match text.split_once("..") {
            Some((first, end)) => Ok(frame(first)?..frame(end)?),
            None => frame(text).map(|frame| frame..frame.saturating_add(1)),
        };
        text.split(',')
            .map(part)
            .collect::<Result<_, _>>()
            .map(FrameList)
    }
}

impl FrameList {
    fn frames(&self, available: usize, name: &str) -> Result<Vec<usize>, Failure> {
        let mut frames = Vec::new();
        for range in &self.0 {
            if range.end > available {
                return Err(Failure::Usage(format!(
                    "frame {} does not exist: {name} has {available} frames, 0 to {}",
                    range.end - 1,
                    available.saturating_sub(1)
                )));
            }
            frames.extend(range.clone());
        }
        Ok(frames)
    }
}

#[derive(Serialize)]
struct Output<'a> {
    /// Only where several motions are printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    unit: &'static str,
    frames: Vec<FrameOutput<'a>>,
}

#[derive(Serialize)]
struct FrameOutput<'a> {
    frame: usize,
    joints: Joints<'a>,
}

/// A map that keeps the skeleton's order.
struct Joints<'a>(Vec<(&'a str, BoneEnds)>);

impl Serialize for Joints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, ends)| (name, ends)))
    }
}

#[derive(Serialize)]
struct BoneEnds {
    start: [f64; 3],
    end: [f64; 3],
}

pub(super) fn run(args: &PoseArgs) -> Result<(), Failure> {
    let outcomes = load::load(&args.read.files, args.read.load_options());
    let all = outcomes.len();
    let mut failed = 0;
    let mut loaded = Vec::with_capacity(all);
    for (_, outcome) in outcomes {
        match outcome {
            Ok(item) => loaded.push(item),
            Err(error) => {
                failed += 1;
                message(&format!("error: {error}"));
            }
        }
    }
    if failed > 0 {
        return Err(Failure::SomeFiles { failed, all });
    }
    print(&args.onto.apply(loaded)?, args)
}

/// Something to take poses from.
struct Source<'a> {
    path: String,
    skeleton: &'a Skeleton,
    length: LengthScale,
    motion: Motion<'a>,
}

enum Motion<'a> {
    /// The rest pose.
    None,
    Raw(&'a RawClip),
    Compressed(&'a CompressedClip),
}

impl Motion<'_> {
    fn frames(&self) -> usize {
        match self {
            Self::None => 1,
            Self::Raw(clip) => clip.frames(),
            Self::Compressed(clip) => clip.frames(),
        }
    }
}

fn sources(item: &Loaded) -> Vec<Source<'_>> {
    let (path, file, motion) = match item {
        Loaded::Skeleton(file) => (file.path.display().to_string(), file, Motion::None),
        Loaded::Motion(it) => (it.label(), &it.skeleton, Motion::Raw(&it.imported.clip)),
        Loaded::Compressed(file) => return compressed_sources(file),
    };
    vec![Source {
        path,
        skeleton: &file.imported.skeleton,
        length: file.imported.length,
        motion,
    }]
}

fn compressed_sources(file: &KinFile) -> Vec<Source<'_>> {
    let path = file.path.display().to_string();
    let clips = file.kin.clips.iter().map(|clip| {
        let on = &file.kin.skeletons[clip.skeleton];
        Source {
            path: format!("{path}#{}", clip.name),
            skeleton: &on.skeleton,
            length: on.length,
            motion: Motion::Compressed(&clip.clip),
        }
    });
    let rest = file.kin.skeletons.iter().map(|on| Source {
        path: path.clone(),
        skeleton: &on.skeleton,
        length: on.length,
        motion: Motion::None,
    });
    if file.kin.clips.is_empty() {
        rest.collect()
    } else {
        clips.collect()
    }
}

fn print(loaded: &[Loaded], args: &PoseArgs) -> Result<(), Failure> {
    let sources: Vec<Source<'_>> = loaded.iter().flat_map(sources).collect();
    let moves = |source: &Source<'_>| !matches!(source.motion, Motion::None);
    let has_motion = sources.iter().any(moves);
    let wanted = sources.iter().filter(|it| moves(it) || !has_motion);
    let outputs = wanted.map(|source| output(source, args));
    let mut outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    if let [only] = outputs.as_mut_slice() {
        only.path = None;
        return print_json(only);
    }
    print_json(&outputs)
}

/// A motion frame by frame, or a skeleton's rest pose as its only frame.
fn output<'a>(source: &Source<'a>, args: &PoseArgs) -> Result<Output<'a>, Failure> {
    let available = source.motion.frames();
    let frames = match &args.frames {
        Some(list) => list.frames(available, &source.path)?,
        None => (0..available).collect(),
    };
    let skeleton = source.skeleton;
    let (unit, units_per_metre) = match args.unit {
        OutputUnit::M => ("m", 1.0),
        OutputUnit::File => ("file", 1.0 / source.length.metres_per_unit()),
    };
    let (mut local, mut cursor) = (LocalPose::default(), ClipCursor::default());
    let frame_output = |frame| {
        match source.motion {
            Motion::None => local.copy_from(skeleton.rest()),
            Motion::Raw(clip) => clip.frame_pose(skeleton, frame, &mut local),
            Motion::Compressed(clip) => {
                let time_secs = frame as f64 / clip.fps();
                clip.sample(skeleton, time_secs, &mut cursor, &mut local);
            }
        }
        let model = PrecisePose::of(skeleton, &local);
        let point = |p: glam::DVec3| (p * units_per_metre).to_array().map(rounded);
        let ends = |(index, joint): (usize, &'a Joint)| {
            let (start, end) = model.bone(index);
            (
                joint.name.as_str(),
                BoneEnds {
                    start: point(start),
                    end: point(end),
                },
            )
        };
        let joints = skeleton.joints().iter().enumerate().map(ends).collect();
        FrameOutput {
            frame,
            joints: Joints(joints),
        }
    };
    let frames = frames.into_iter().map(frame_output).collect();
    Ok(Output {
        path: Some(source.path.clone()),
        unit,
        frames,
    })
}

/// Six decimals: a micrometre, or less, in any unit.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_of_frames() {
        let list: FrameList = "0, 5,10..12".parse().unwrap();
        assert_eq!(list.frames(12, "x").unwrap(), [0, 5, 10, 11]);
        assert!(matches!(list.frames(11, "x"), Err(Failure::Usage(_))));
        assert!("1,a".parse::<FrameList>().is_err());
        assert!("".parse::<FrameList>().is_err());
    }
}
