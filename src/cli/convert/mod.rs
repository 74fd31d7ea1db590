//! `convert`: motions into other formats, one file or a folder of them.

mod items;
#[cfg(feature = "viewer")]
#[cfg(test)]
mod tests;
mod write;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{
    Failure, ReadArgs, compress,
    file_by_file::FileByFile,
    folder::{self, Folder, make_folder, names_folder},
    inputs::{Inputs, uncompressed},
    onto::OntoArgs,
    overwrite::ForceArgs,
};
use crate::{
    clip::RawClip,
    convert::{self, ConvertOptions, DEFAULT_TOLERANCE_CM, ExportItem, Format, of_one_character},
    export::CsvContent,
    humanoid::LimitSource,
    load::{Loaded, LoadedMotion},
    output::Staged,
    posing::{PoseAction, Posing, Start},
    skeleton::WorldPose,
};
use items::export_items;
pub(super) use write::stage_skeleton;

#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // one flag each
pub(super) struct ConvertArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    onto: OntoArgs,
    /// The file to write; its ending names the format. For several motions a
    /// folder, with --to
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The format, where OUT is a folder
    #[arg(long, value_enum)]
    to: Option<Format>,
    /// What a CSV file holds of every joint
    #[arg(long, value_enum, default_value_t = Content::Positions)]
    csv: Content,
    /// Joints alone in a .glb, without a body
    #[arg(long)]
    joints_only: bool,
    /// A key for every frame in a .glb, also where the motion has keys of its
    /// own
    #[arg(long)]
    sampled: bool,
    /// Keys as they are in a .kin container, where the motion has any, instead
    /// of compressing it
    #[arg(long)]
    keys: bool,
    /// Promised error of a .kin container, 0.1 unless told; of a .glb file, which
    /// then has as few keys in as few bits as it allows (EXT_meshopt_compression),
    /// and every frame as it is without
    #[arg(long, value_name = "CM")]
    tolerance_cm: Option<f64>,
    /// Writes the strikes of the feet as events, of motions whose files hold no
    /// events; a .glb and a .kin can hold them
    #[arg(long)]
    foot_strikes: bool,
    /// A joint drawn aside, in the words of a script: --pose "drag lhand 0 0.1 0
    /// from 1 to 2 ease 0.3"; also pin and solver (docs/posing.md)
    #[arg(long, value_name = "WORDS", value_parser = super::parse_pose)]
    pose: Vec<PoseAction>,
    /// Brings joints back to the limits that their file states, or that a human's
    /// have
    #[arg(long, value_enum)]
    clamp: Option<Clamp>,
    /// Goes on with a folder where the same call was interrupted: files that it
    /// has finished are kept
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Clamp {
    /// The file's own
    Own,
    /// A human's
    Human,
    /// The file's own, a human's where it states none
    Both,
}

impl Clamp {
    fn source(self) -> LimitSource {
        match self {
            Self::Own => LimitSource::Own,
            Self::Human => LimitSource::Human,
            Self::Both => LimitSource::Both,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Content {
    /// Joints in model space, metres
    Positions,
    /// Unit quaternions x y z w of joints in their parents
    Rotations,
    /// Angles in degrees, and metres where a joint moves
    Channels,
}

impl ConvertArgs {
    /// What clap cannot know; the format.
    fn check(&self) -> Result<Format, Failure> {
        let usage = |problem: String| Err(Failure::Usage(problem));
        let Some(format) = self.to.or_else(|| Format::of_name(&self.output)) else {
            return usage(
                "the ending of OUT names no format (.bvh, .asf, .amc, .glb, .csv, .kin): \
                 for a folder say which with --to"
                    .into(),
            );
        };
        let wrong = |it: &f64| !(it.is_finite() && *it > 0.0);
        if let Some(wrong) = self.tolerance_cm.filter(wrong) {
            return usage(format!(
                "--tolerance-cm takes a positive number, not {wrong}"
            ));
        }
        if self.tolerance_cm.is_some() && !matches!(format, Format::Kin | Format::Glb) {
            let ending = format.ending();
            return usage(format!(
                "--tolerance-cm is for .kin and .glb: a .{ending} file holds every frame"
            ));
        }
        if self.resume && !self.fills_folder() {
            return usage("--resume is for folders: a single file is whole or not there".into());
        }
        Ok(format)
    }

    fn fills_folder(&self) -> bool {
        names_folder(&self.output, Format::of_name(&self.output).is_some())
    }

    fn convert_options(&self) -> ConvertOptions {
        ConvertOptions {
            csv: match self.csv {
                Content::Positions => CsvContent::Positions,
                Content::Rotations => CsvContent::Rotations,
                Content::Channels => CsvContent::Channels,
            },
            joints_only: self.joints_only,
            sampled: self.sampled,
            keys: self.keys,
            tolerance_cm: self.tolerance_cm.unwrap_or(DEFAULT_TOLERANCE_CM),
            glb_tolerance_cm: self.tolerance_cm,
        }
    }

    /// Everything that a file's bytes depend on but its inputs.
    fn options(&self, format: Format) -> String {
        let (unit, fps, up) = (self.read.file_unit, self.read.fps, self.read.up);
        let fingers = self.read.ignore_fingers;
        let read = format!("{unit:?} {fps:?} {up:?} {fingers} {:?}", self.onto);
        let (joints, sampled, keys) = (self.joints_only, self.sampled, self.keys);
        let written = format!(
            "{:?} {joints} {sampled} {keys} {:?} {} {:?} {:?}",
            self.csv, self.tolerance_cm, self.foot_strikes, self.pose, self.clamp
        );
        format!("convert {format:?} {read} {written}")
    }
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let format = args.check()?;
    if args.fills_folder()
        && !args.onto.is_given()
        && let Some(files) = FileByFile::of(&args.read.files, args.read.load_options())
        && let Some(outcome) = fill_file_by_file(&files, format, args)
    {
        return outcome;
    }
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.paths.extend(args.onto.inputs().cloned());
    let mut staged = Staged::default();
    if args.foot_strikes {
        inputs.loaded.iter_mut().for_each(find_foot_strikes);
    }
    if args.fills_folder() {
        args.onto.apply(&mut inputs, &mut staged)?;
        pose_all(&mut inputs, args)?;
        return write_folder(inputs, format, args, staged);
    }
    let outputs = [Some(args.output.as_path()), args.onto.output()];
    let outputs = outputs.into_iter().flatten();
    args.force.check(&inputs.paths, outputs)?;
    inputs.complete_to_write()?;
    args.onto.apply(&mut inputs, &mut staged)?;
    inputs.complete_to_write()?;
    pose_all(&mut inputs, args)?;
    match format {
        Format::Kin => stage_container(inputs.loaded, args, &mut staged)?,
        _ => stage_file(inputs.loaded, format, args, &mut staged)?,
    }
    Ok(staged.commit()?)
}

/// Lays over every motion what is asked for, and holds it within limits.
fn pose_all(inputs: &mut Inputs, args: &ConvertArgs) -> Result<(), Failure> {
    if args.pose.is_empty() && args.clamp.is_none() {
        return Ok(());
    }
    for loaded in &mut inputs.loaded {
        if let Loaded::Motion(motion) = loaded {
            **motion = posed(motion, args)?;
        }
    }
    Ok(())
}

fn posed(motion: &LoadedMotion, args: &ConvertArgs) -> Result<LoadedMotion, Failure> {
    let mut posing = Posing::default();
    for action in &args.pose {
        let over_a_clip = matches!(
            action,
            PoseAction::Drag(_) | PoseAction::Pin { .. } | PoseAction::Solver(_)
        );
        if !over_a_clip {
            let text = format!("--pose \"{action}\": convert takes drag, pin and solver");
            return Err(Failure::Usage(text));
        }
        let (start, pose) = (Start::default(), WorldPose::default());
        let done = posing.act(action, motion.skeleton(), start, &pose);
        done.map_err(|error| Failure::Usage(format!("--pose \"{action}\": {error}")))?;
    }
    let clamp = args.clamp.map(Clamp::source);
    let baked = posing.baked(motion.skeleton(), motion.raw(), clamp);
    let mut changed = motion.made_of(baked);
    changed.events.clone_from(&motion.events);
    changed.notes.clone_from(&motion.notes);
    Ok(changed)
}

/// Before somebody else plays it: feet are where the capture has them.
fn find_foot_strikes(loaded: &mut Loaded) {
    if let Loaded::Motion(motion) = loaded {
        motion.events = Some(motion.events());
    }
}

/// Stages a motion that was made of others, to be written as `convert` would.
pub(super) fn stage_motion(
    of: &LoadedMotion,
    clip: RawClip,
    output: &Path,
    force: ForceArgs,
    staged: &mut Staged,
) -> Result<(), Failure> {
    stage_made(of.made_of(clip), output, force, staged)
}

/// The same of a whole motion.
pub(super) fn stage_made(
    motion: LoadedMotion,
    output: &Path,
    force: ForceArgs,
    staged: &mut Staged,
) -> Result<(), Failure> {
    let args = ConvertArgs {
        read: ReadArgs::default(),
        onto: OntoArgs::default(),
        output: output.to_path_buf(),
        to: None,
        csv: Content::Positions,
        joints_only: false,
        sampled: false,
        keys: false,
        foot_strikes: false,
        pose: Vec::new(),
        clamp: None,
        tolerance_cm: None,
        resume: false,
        force,
    };
    let format = args.check()?;
    let made = Loaded::Motion(Box::new(motion));
    match format {
        Format::Kin => stage_container(vec![made], &args, staged),
        _ => stage_file(vec![made], format, &args, staged),
    }
}

fn stage_container(
    loaded: Vec<Loaded>,
    args: &ConvertArgs,
    staged: &mut Staged,
) -> Result<(), Failure> {
    let motions = motions_to_pack(loaded)?;
    let bytes = compress::pack(motions, args.convert_options().codec(), args.keys)?;
    make_folder(&args.output)?;
    Ok(staged.add(&args.output, &bytes)?)
}

fn motions_to_pack(loaded: Vec<Loaded>) -> Result<Vec<LoadedMotion>, Failure> {
    let motions = uncompressed(loaded);
    match motions.is_empty() {
        true => Err(Failure::Usage("no motion to put into a container".into())),
        false => Ok(motions),
    }
}

fn stage_file(
    loaded: Vec<Loaded>,
    format: Format,
    args: &ConvertArgs,
    staged: &mut Staged,
) -> Result<(), Failure> {
    let items = export_items(loaded, args, format)?;
    let items: Vec<ExportItem> = items.into_iter().map(|it| it.item).collect();
    if let (Format::Glb, Some(first), true) = (format, items.first(), of_one_character(&items)) {
        make_folder(&args.output)?;
        let converted = convert::glb(&items, &args.convert_options());
        let converted = converted.map_err(write::refused(first))?;
        write::tell(first, &converted);
        return Ok(staged.add(&args.output, &converted.bytes)?);
    }
    let [item] = items.as_slice() else {
        let problem = format!(
            "{} motions do not fit one .{ending} file: give a folder, with --to {ending}",
            items.len(),
            ending = format.ending()
        );
        return Err(Failure::Usage(problem));
    };
    make_folder(&args.output)?;
    write::stage(item, format, args, (&args.output, None), staged)
}

/// The same in memory of a few; `None` where there is no motion, for then
/// skeletons stand for themselves.
fn fill_file_by_file(
    files: &FileByFile<'_>,
    format: Format,
    args: &ConvertArgs,
) -> Option<Result<(), Failure>> {
    let folder = Folder {
        root: &args.output,
        ending: format.ending(),
        resume: args.resume,
        options: args.options(format),
    };
    let changed = |motion: LoadedMotion| -> Result<LoadedMotion, Failure> {
        let mut loaded = Loaded::Motion(Box::new(motion));
        if args.foot_strikes {
            find_foot_strikes(&mut loaded);
        }
        let Loaded::Motion(motion) = loaded else {
            return Err(Failure::Usage("no motion".into()));
        };
        match args.pose.is_empty() && args.clamp.is_none() {
            true => Ok(*motion),
            false => posed(&motion, args),
        }
    };
    let made = files.make(&folder, args.force, |motion, target| {
        if format == Format::Kin && motion.compressed().is_some() {
            uncompressed(vec![Loaded::Motion(Box::new(motion))]);
            return Ok(None);
        }
        let item = ExportItem::of_motion(changed(motion)?);
        let mut staged = Staged::default();
        let place = (target.path.as_path(), Some(target.stamp));
        write::stage(&item, format, args, place, &mut staged)?;
        staged.commit()?;
        Ok(Some(()))
    });
    match made {
        Ok(made) if made.nothing => None,
        Ok(made) => Some(folder::outcome(made.failed, made.all)),
        Err(failure) => Some(Err(failure)),
    }
}

/// What can be written is, whatever becomes of the rest.
fn write_folder(
    mut inputs: Inputs,
    format: Format,
    args: &ConvertArgs,
    staged: Staged,
) -> Result<(), Failure> {
    let mut loaded = std::mem::take(&mut inputs.loaded);
    if format == Format::Kin {
        let motions = uncompressed(loaded).into_iter();
        loaded = motions.map(|it| Loaded::Motion(Box::new(it))).collect();
    }
    // A skeleton stands for itself only where no motion was meant.
    if inputs.failed() > 0 {
        loaded.retain(|it| matches!(it, Loaded::Motion(_)));
    }
    let items = match (loaded.is_empty(), inputs.failed()) {
        (true, 1..) => Vec::new(),
        _ => export_items(loaded, args, format)?,
    };
    let folder = Folder {
        root: &args.output,
        ending: format.ending(),
        resume: args.resume,
        options: args.options(format),
    };
    let onto: Vec<&PathBuf> = args.onto.inputs().collect();
    let targeted = items.into_iter().map(|named| {
        let (item, name) = (named.item, named.name);
        let from = [item.path.as_path(), item.skeleton.path.as_path()];
        let from = from.into_iter().chain(onto.iter().map(|it| it.as_path()));
        let target = folder.target(&name, from);
        (item, target)
    });
    let targeted: Vec<_> = targeted.collect();
    let outputs = targeted.iter().map(|(_, target)| target.path.as_path());
    let outputs = outputs.chain(args.onto.output());
    args.force.check(&inputs.paths, outputs)?;
    let (_, failed) = folder.make(&targeted, |item, target| {
        let mut staged = Staged::default();
        let place = (target.path.as_path(), Some(target.stamp));
        write::stage(item, format, args, place, &mut staged)?;
        Ok(staged.commit()?)
    });
    staged.commit()?;
    folder::outcome(inputs.failed() + failed, inputs.failed() + targeted.len())
}
