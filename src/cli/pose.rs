//! `pose`: joint positions as JSON.

use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use super::{
    Failure, ReadArgs, frames, inputs::Inputs, onto::OntoArgs, overwrite::ForceArgs, print_json,
};
use crate::{
    clip::RawClip,
    load::Loaded,
    output::Staged,
    skeleton::{Joint, LocalPose, PrecisePose, Skeleton, local_joint},
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
    /// Adds each joint's position, rotation (x, y, z, w) and scale: in its
    /// parent, or in the model
    #[arg(long, value_enum)]
    space: Option<PoseSpace>,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PoseSpace {
    Local,
    Model,
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
        let part = |text: &str| match text.find("..") {
            Some(_) => frames::parse_range(text),
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
        let mut all = Vec::new();
        for range in &self.0 {
            frames::check(range.end - 1, available, name)?;
            all.extend(range.clone());
        }
        Ok(all)
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
    #[serde(flatten)]
    joint: Option<JointOutput>,
}

/// A joint in the space that was asked for.
#[derive(Serialize)]
struct JointOutput {
    position: [f64; 3],
    rotation: [f64; 4],
    scale: [f64; 3],
}

impl JointOutput {
    fn of(joint: glam::DAffine3, units_per_metre: f64) -> Self {
        let (scale, rotation, position) = joint.to_scale_rotation_translation();
        Self {
            position: (position * units_per_metre).to_array().map(rounded),
            // A turn by more than half is written as the one that is less.
            rotation: (rotation * rotation.w.signum()).to_array().map(rounded),
            scale: scale.to_array().map(rounded),
        }
    }
}

pub(super) fn run(args: &PoseArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.complete()?;
    inputs.paths.extend(args.onto.inputs().cloned());
    args.force.check(&inputs.paths, args.onto.output())?;
    let mut staged = Staged::default();
    args.onto.apply(&mut inputs, &mut staged)?;
    inputs.complete()?;
    let sources: Vec<Source<'_>> = inputs.loaded.iter().map(Source::of).collect();
    let outputs = outputs(&sources, args)?;
    staged.commit()?;
    print(outputs)
}

/// Something to take poses from.
struct Source<'a> {
    path: String,
    skeleton: &'a Skeleton,
    length: LengthScale,
    /// `None` for a skeleton at rest.
    clip: Option<&'a RawClip>,
}

impl<'a> Source<'a> {
    fn of(item: &'a Loaded) -> Self {
        let (path, file, clip) = match item {
            Loaded::Skeleton(file) => (file.path.display().to_string(), file, None),
            Loaded::Motion(it) => (it.label(), &it.skeleton, Some(&**it.raw())),
        };
        Self {
            path,
            skeleton: &file.imported.skeleton,
            length: file.imported.length,
            clip,
        }
    }
}

fn outputs<'a>(sources: &[Source<'a>], args: &PoseArgs) -> Result<Vec<Output<'a>>, Failure> {
    let has_motion = sources.iter().any(|source| source.clip.is_some());
    // A skeleton given along with motions is only what they play on.
    let wanted = sources.iter().filter(|it| it.clip.is_some() || !has_motion);
    wanted.map(|source| output(source, args)).collect()
}

fn print(mut outputs: Vec<Output<'_>>) -> Result<(), Failure> {
    // One motion is an object, several are a list: scripts depend on both.
    if let [only] = outputs.as_mut_slice() {
        only.path = None;
        return print_json(only);
    }
    print_json(&outputs)
}

/// A motion frame by frame, or a skeleton's rest pose as its only frame.
fn output<'a>(source: &Source<'a>, args: &PoseArgs) -> Result<Output<'a>, Failure> {
    let available = source.clip.map_or(1, RawClip::frames);
    let frames = match &args.frames {
        Some(list) => list.frames(available, &source.path)?,
        None => (0..available).collect(),
    };
    let skeleton = source.skeleton;
    let (unit, units_per_metre) = match args.unit {
        OutputUnit::M => ("m", 1.0),
        OutputUnit::File => ("file", 1.0 / source.length.metres_per_unit()),
    };
    let mut local = LocalPose::default();
    let frame_output = |frame| {
        match source.clip {
            Some(clip) => clip.frame_pose(skeleton, frame, &mut local),
            None => local.copy_from(skeleton.rest()),
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
                    joint: args.space.map(|space| {
                        let joint = match space {
                            PoseSpace::Local => local_joint(&local, index),
                            PoseSpace::Model => model.model_from_joint(index),
                        };
                        JointOutput::of(joint, units_per_metre)
                    }),
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
        assert!("10..5".parse::<FrameList>().is_err());
        assert!("".parse::<FrameList>().is_err());
    }
}
