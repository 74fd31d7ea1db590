//! `convert`: motions into other formats, one file or a folder of them.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::{Failure, ReadArgs, compress, message, onto::OntoArgs, output};
use crate::{
    body::Body,
    clip::{RawClip, TrackClip},
    codec::{CodecSettings, CompressedClip, to_tracks},
    export::{self, CsvContent, ExportSource, GlbMotion, GlbSource},
    load::{self, KinFile, Kind, Loaded, MotionFile, SkeletonFile},
    skeleton::Skeleton,
    units::{LengthScale, LengthUnit},
};

const DEFAULT_TOLERANCE_CM: f64 = 0.1;

#[derive(Args, Debug)]
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
    /// Promised error of a .kin container
    #[arg(long, value_name = "CM", default_value_t = DEFAULT_TOLERANCE_CM)]
    tolerance_cm: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Bvh,
    Asf,
    Amc,
    Glb,
    Csv,
    Kin,
}

impl Format {
    const ALL: [Self; 6] = [
        Self::Bvh,
        Self::Asf,
        Self::Amc,
        Self::Glb,
        Self::Csv,
        Self::Kin,
    ];

    fn ending(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Asf => "asf",
            Self::Amc => "amc",
            Self::Glb => "glb",
            Self::Csv => "csv",
            Self::Kin => "kin",
        }
    }

    fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let named = |format: &Self| ending.eq_ignore_ascii_case(format.ending());
        Self::ALL.into_iter().find(named)
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

/// One clip to write.
struct Take {
    /// Where it comes from, for messages.
    path: PathBuf,
    /// Below the folder of the output, without an ending.
    name: PathBuf,
    skeleton: Arc<SkeletonFile>,
    clip: RawClip,
    /// The same as keys, where it has them.
    tracks: Option<Arc<TrackClip>>,
}

impl Take {
    /// Its own keys where it has any, unless every frame is asked for.
    fn motion(&self, sampled: bool) -> GlbMotion<'_> {
        match &self.tracks {
            Some(tracks) if !sampled => GlbMotion::Keys(tracks),
            _ => GlbMotion::Frames(&self.clip),
        }
    }
}

pub(super) fn run(args: &ConvertArgs) -> Result<(), Failure> {
    let format = args.to.or_else(|| Format::of_name(&args.output));
    let Some(format) = format else {
        let problem = "the ending of OUT names no format (.bvh, .asf, .amc, .glb, .csv, .kin): \
                       for a folder say which with --to";
        return Err(Failure::Usage(problem.into()));
    };
    let outcomes = load::load(&args.read.files, args.read.load_options());
    let all = outcomes.len();
    let mut loaded = Vec::with_capacity(all);
    for (_, outcome) in outcomes {
        match outcome {
            Ok(item) => loaded.push(item),
            Err(error) => message(&format!("error: {error}")),
        }
    }
    let failed = all - loaded.len();
    let loaded = args.onto.apply(loaded)?;
    if !loaded.is_empty() {
        match format {
            Format::Kin => write_container(loaded, args)?,
            _ => write_takes(&takes(loaded, &args.read.files)?, format, args)?,
        }
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure::SomeFiles { failed, all }),
    }
}

fn write_container(loaded: Vec<Loaded>, args: &ConvertArgs) -> Result<(), Failure> {
    let tolerance_cm = args.tolerance_cm;
    if !(tolerance_cm.is_finite() && tolerance_cm > 0.0) {
        let problem = format!("--tolerance-cm takes a positive number, not {tolerance_cm}");
        return Err(Failure::Usage(problem));
    }
    let mut motions: Vec<MotionFile> = Vec::new();
    for item in loaded {
        match item {
            Loaded::Motion(motion) => motions.push(*motion),
            Loaded::Skeleton(_) => {}
            Loaded::Compressed(file) => {
                let path = file.path.display();
                message(&format!("{path}: already compressed, passed over"));
            }
        }
    }
    if motions.is_empty() {
        return Err(Failure::Usage("no motion to put into a container".into()));
    }
    let count = motions.len();
    let settings = CodecSettings::Spline { tolerance_cm };
    let (bytes, refused) = compress::pack(motions, settings, args.keys);
    output::write(&args.output, &bytes)?;
    match refused {
        0 => Ok(()),
        refused => Err(Failure::Usage(format!(
            "{refused} of {count} clips cannot be compressed as asked"
        ))),
    }
}

/// Motions, the clips of containers, or skeletons at rest when there is
/// nothing else.
fn takes(loaded: Vec<Loaded>, given: &[PathBuf]) -> Result<Vec<Take>, Failure> {
    let (mut takes, mut skeletons) = (Vec::new(), Vec::new());
    let mut motions_of: HashMap<PathBuf, usize> = HashMap::new();
    for item in &loaded {
        if let Loaded::Motion(motion) = item {
            *motions_of.entry(motion.path.clone()).or_default() += 1;
        }
    }
    for item in loaded {
        match item {
            Loaded::Skeleton(file) => skeletons.push(file),
            Loaded::Motion(motion) => takes.push(Take {
                name: take_name(&motion, given, motions_of[&motion.path]),
                path: motion.path,
                skeleton: motion.skeleton,
                clip: motion.imported.clip,
                tracks: motion.tracks,
            }),
            Loaded::Compressed(file) => takes.extend(compressed_takes(&file, given)),
        }
    }
    if takes.is_empty() {
        takes.extend(skeletons.into_iter().map(|skeleton| Take {
            name: below(&skeleton.path, given),
            path: skeleton.path.clone(),
            clip: still(&skeleton.imported.skeleton),
            skeleton,
            tracks: None,
        }));
    }
    let mut names = HashSet::with_capacity(takes.len());
    match takes.iter().find(|take| !names.insert(take.name.clone())) {
        Some(take) => Err(Failure::Usage(format!(
            "two motions would be written as {}: convert them apart",
            take.name.display()
        ))),
        None => Ok(takes),
    }
}

/// Several motions of a file go into a folder of its name, each under its own.
fn take_name(motion: &MotionFile, given: &[PathBuf], of_its_file: usize) -> PathBuf {
    let name = below(&motion.path, given);
    match (&motion.tracks, of_its_file) {
        (Some(_), 2..) => name.join(file_safe(&motion.imported.clip.name)),
        _ => name,
    }
}

/// A clip may be called anything; a file may not.
fn file_safe(name: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    match name.trim_matches('.') {
        "" => "clip".to_owned(),
        name => name.chars().map(safe).collect(),
    }
}

fn compressed_takes(file: &KinFile, given: &[PathBuf]) -> Vec<Take> {
    let clips = file.kin.clips.iter().map(|clip| {
        let on = &file.kin.skeletons[clip.skeleton];
        let skeleton = SkeletonFile::of_container(&file.path, on);
        let mut name = below(&file.path, given);
        if file.kin.clips.len() > 1 {
            name.push(file_safe(&clip.name));
        }
        Take {
            path: file.path.clone(),
            name,
            clip: RawClip::sampled_from(&clip.name, &on.skeleton, &clip.clip),
            skeleton: Arc::new(skeleton),
            tracks: match &clip.clip {
                CompressedClip::Keys(keys) => {
                    to_tracks(&clip.name, &on.skeleton, keys).map(Arc::new)
                }
                CompressedClip::Tight(_) => None,
            },
        }
    });
    clips.collect()
}

/// The rest pose as a single frame.
fn still(skeleton: &Skeleton) -> RawClip {
    RawClip {
        name: skeleton.name().to_owned(),
        fps: 30.0,
        joints: skeleton.len(),
        root_translations: vec![skeleton.joints()[0].rest.position()],
        ..RawClip::default()
    }
}

/// A path without its ending, below the folder that the user named.
fn below(path: &Path, given: &[PathBuf]) -> PathBuf {
    let mut inside = given.iter().filter(|it| *it != path);
    let inside = inside.find_map(|folder| path.strip_prefix(folder).ok());
    let name = inside.map(Path::to_path_buf);
    let name = name.unwrap_or_else(|| path.file_name().unwrap_or_default().into());
    name.with_extension("")
}

fn write_takes(takes: &[Take], format: Format, args: &ConvertArgs) -> Result<(), Failure> {
    let into_folder = args.output.is_dir() || Format::of_name(&args.output).is_none();
    if format == Format::Glb && !into_folder && of_one_character(takes) {
        return write_glb(takes, args, &args.output);
    }
    if takes.len() > 1 && !into_folder {
        let problem = format!(
            "{} motions do not fit one .{ending} file: give a folder, with --to {ending}",
            takes.len(),
            ending = format.ending()
        );
        return Err(Failure::Usage(problem));
    }
    let progress = compress::progress_bar(takes.len());
    let write = |take: &Take| {
        let path = match into_folder {
            // Not `with_extension`: a name may hold dots.
            true => append_ending(&args.output.join(&take.name), format),
            false => args.output.clone(),
        };
        let written = write_take(take, format, args, &path);
        progress.inc(1);
        written
    };
    let results: Vec<Result<(), Failure>> = takes.par_iter().map(write).collect();
    progress.finish_and_clear();
    results.into_iter().collect()
}

fn append_ending(path: &Path, format: Format) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(format.ending());
    name.into()
}

/// Motions that one .glb file can hold.
fn of_one_character(takes: &[Take]) -> bool {
    let skeleton = |take: &Take| Arc::clone(&take.skeleton);
    let first = takes.first().map(skeleton);
    takes.iter().all(|take| {
        first.as_ref().is_some_and(|first| {
            Arc::ptr_eq(first, &take.skeleton)
                || first.imported.skeleton == take.skeleton.imported.skeleton
        })
    })
}

fn write_glb(takes: &[Take], args: &ConvertArgs, path: &Path) -> Result<(), Failure> {
    let Some(first) = takes.first() else {
        return Ok(());
    };
    let skeleton = &first.skeleton.imported.skeleton;
    let body = match (&first.skeleton.model, args.joints_only) {
        (_, true) => None,
        (Some(model), false) => Some(Arc::clone(model)),
        (None, false) => Some(Body::grow(skeleton).to_model()),
    };
    // What could not be drawn has no mesh.
    let body = body.filter(|model| !model.parts.is_empty());
    let clips: Vec<GlbMotion<'_>> = takes.iter().map(|take| take.motion(args.sampled)).collect();
    let from = first.path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = export::glb(GlbSource {
        skeleton,
        model: body.as_deref(),
        clips: &clips,
        source: &from,
    });
    make_folder(path)?;
    output::write(path, &bytes)
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        let made = fs::create_dir_all(folder);
        made.with_context(|| format!("making the folder {}", folder.display()))?;
    }
    Ok(())
}

fn write_take(take: &Take, format: Format, args: &ConvertArgs, path: &Path) -> Result<(), Failure> {
    make_folder(path)?;
    let mut source = ExportSource {
        skeleton: &take.skeleton.imported.skeleton,
        clip: &take.clip,
        length: take.skeleton.imported.length,
    };
    let told = |text: &str| message(&format!("{}: {text}", take.path.display()));
    let asf = |source| {
        let refused = |error| Failure::Usage(format!("{}: {error}", take.path.display()));
        export::asf(source).map_err(refused)
    };
    let text = match format {
        Format::Bvh => {
            source.length = bvh_length(take);
            let bvh = export::bvh(source);
            if !bvh.frozen_ends.is_empty() {
                told("the last bones of chains stretch, which BVH cannot say");
            }
            bvh.text
        }
        Format::Asf => asf(source)?,
        Format::Amc => {
            let amc = export::amc(source);
            let own = Kind::of_name(&take.skeleton.path) != Some(Kind::Skeleton);
            if own || amc.needs_own_skeleton {
                let skeleton = path.with_extension("asf");
                output::write(&skeleton, asf(source)?.as_bytes())?;
                told(&format!("its skeleton is {}", skeleton.display()));
            }
            amc.text
        }
        Format::Glb => return write_glb(std::slice::from_ref(take), args, path),
        Format::Csv => {
            source.length = unscaled(LengthUnit::Metre);
            let content = match args.csv {
                Content::Positions => CsvContent::Positions,
                Content::Rotations => CsvContent::Rotations,
                Content::Channels => CsvContent::Channels,
            };
            export::csv(source, content)
        }
        Format::Kin => return Ok(()), // written as one container
    };
    output::write(path, text.as_bytes())
}

fn unscaled(unit: LengthUnit) -> LengthScale {
    LengthScale {
        unit,
        assumed: false,
        divisor: 1.0,
    }
}

/// A BVH file keeps its unit; others become centimetres, which is what most
/// programs take BVH for.
fn bvh_length(take: &Take) -> LengthScale {
    let imported = &take.skeleton.imported;
    if Kind::of_name(&take.skeleton.path) == Some(Kind::Bvh) {
        return imported.length;
    }
    if !(1.0..=2.3).contains(&imported.skeleton.rest_height_m()) {
        let path = take.path.display();
        message(&format!(
            "{path}: written in centimetres; no person's height gives that away, so read it with --file-unit cm"
        ));
    }
    unscaled(LengthUnit::Centimetre)
}
