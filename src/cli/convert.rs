//! `convert`: motions into other formats, one file or a folder of them.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::{
    Failure, ReadArgs, compress,
    inputs::{Inputs, uncompressed},
    message,
    onto::OntoArgs,
};
use crate::{
    body::Body,
    clip::{RawClip, TrackClip},
    codec::CodecSettings,
    export::{self, CsvContent, ExportSource, GlbMotion, GlbSource},
    load::{ClipData, Kind, Loaded, LoadedMotion, LoadedSkeleton},
    output,
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

/// One motion to write.
struct ExportItem {
    /// Where it comes from, for messages.
    path: PathBuf,
    /// Below the folder of the output, without an ending.
    name: PathBuf,
    skeleton: Arc<LoadedSkeleton>,
    clip: Arc<RawClip>,
    /// The same as keys, where it has them.
    keys: Option<Arc<TrackClip>>,
}

impl ExportItem {
    /// Several motions of a file go into a folder of its name, each under its
    /// own.
    fn of_motion(motion: &LoadedMotion, given: &[PathBuf], of_its_file: usize) -> Self {
        let mut name = below(&motion.path, given);
        if of_its_file > 1 && !matches!(motion.clip, ClipData::Raw(_)) {
            name.push(output::safe_stem(&motion.name));
        }
        Self {
            path: motion.path.clone(),
            name,
            skeleton: Arc::clone(&motion.skeleton),
            clip: Arc::clone(motion.raw()),
            keys: motion.keys(),
        }
    }

    /// Its own keys where it has any, unless every frame is asked for.
    fn motion(&self, sampled: bool) -> GlbMotion<'_> {
        match &self.keys {
            Some(keys) if !sampled => GlbMotion::Keys(keys),
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
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    let loaded = args.onto.apply(std::mem::take(&mut inputs.loaded))?;
    if !loaded.is_empty() {
        match format {
            Format::Kin => write_container(loaded, args)?,
            _ => write_items(&export_items(loaded, &args.read.files)?, format, args)?,
        }
    }
    inputs.complete()
}

fn write_container(loaded: Vec<Loaded>, args: &ConvertArgs) -> Result<(), Failure> {
    let tolerance_cm = args.tolerance_cm;
    if !(tolerance_cm.is_finite() && tolerance_cm > 0.0) {
        let problem = format!("--tolerance-cm takes a positive number, not {tolerance_cm}");
        return Err(Failure::Usage(problem));
    }
    let motions = uncompressed(loaded);
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

/// Motions, or skeletons at rest when there is nothing else.
fn export_items(loaded: Vec<Loaded>, given: &[PathBuf]) -> Result<Vec<ExportItem>, Failure> {
    let (mut items, mut skeletons) = (Vec::new(), Vec::new());
    let mut motions_of: HashMap<PathBuf, usize> = HashMap::new();
    for item in &loaded {
        if let Loaded::Motion(motion) = item {
            *motions_of.entry(motion.path.clone()).or_default() += 1;
        }
    }
    for item in loaded {
        match item {
            Loaded::Skeleton(file) => skeletons.push(file),
            Loaded::Motion(motion) => {
                let of_its_file = motions_of[&motion.path];
                items.push(ExportItem::of_motion(&motion, given, of_its_file));
            }
        }
    }
    if items.is_empty() {
        items.extend(skeletons.into_iter().map(|skeleton| ExportItem {
            name: below(&skeleton.path, given),
            path: skeleton.path.clone(),
            clip: Arc::new(still(&skeleton.imported.skeleton)),
            skeleton,
            keys: None,
        }));
    }
    number_namesakes(&mut items)?;
    Ok(items)
}

/// Clips of one file may share a name and get numbers; files cannot, and are
/// told. Found before anything is written: in parallel the last one would win.
fn number_namesakes(items: &mut [ExportItem]) -> Result<(), Failure> {
    let mut names: HashMap<String, PathBuf> = HashMap::with_capacity(items.len());
    for item in items {
        let (first, mut number) = (item.name.clone(), 1);
        // Some systems do not tell capitals from small letters.
        let key = |name: &Path| name.to_string_lossy().to_lowercase();
        while let Some(other) = names.get(&key(&item.name)) {
            if *other != item.path {
                let name = item.name.display();
                return Err(Failure::Usage(format!(
                    "two motions would be written as {name}: convert them apart"
                )));
            }
            number += 1;
            item.name = append(&first, &format!("-{number}"));
        }
        names.insert(key(&item.name), item.path.clone());
    }
    Ok(())
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
    // Below the folder that was named, so that `a/walk` and `b/walk` do not
    // meet.
    let mut inside = given.iter().filter(|it| *it != path);
    let inside = inside.find_map(|folder| path.strip_prefix(folder).ok());
    let name = inside.map(Path::to_path_buf);
    let name = name.unwrap_or_else(|| path.file_name().unwrap_or_default().into());
    name.with_extension("")
}

fn write_items(items: &[ExportItem], format: Format, args: &ConvertArgs) -> Result<(), Failure> {
    let into_folder = args.output.is_dir() || Format::of_name(&args.output).is_none();
    if format == Format::Glb && !into_folder && of_one_character(items) {
        return write_glb(items, args, &args.output);
    }
    if items.len() > 1 && !into_folder {
        let problem = format!(
            "{} motions do not fit one .{ending} file: give a folder, with --to {ending}",
            items.len(),
            ending = format.ending()
        );
        return Err(Failure::Usage(problem));
    }
    let progress = compress::progress_bar(items.len());
    let write = |item: &ExportItem| {
        let path = match into_folder {
            // Not `with_extension`: a name may hold dots.
            true => append(
                &args.output.join(&item.name),
                &format!(".{}", format.ending()),
            ),
            false => args.output.clone(),
        };
        let written = write_item(item, format, args, &path);
        progress.inc(1);
        written
    };
    // All are tried before the first failure is told.
    let results: Vec<Result<(), Failure>> = items.par_iter().map(write).collect();
    progress.finish_and_clear();
    results.into_iter().collect()
}

fn append(path: &Path, text: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(text);
    name.into()
}

/// Motions that one .glb file can hold.
fn of_one_character(items: &[ExportItem]) -> bool {
    let skeleton = |item: &ExportItem| Arc::clone(&item.skeleton);
    let first = items.first().map(skeleton);
    items.iter().all(|item| {
        first.as_ref().is_some_and(|first| {
            Arc::ptr_eq(first, &item.skeleton)
                || first.imported.skeleton == item.skeleton.imported.skeleton
        })
    })
}

fn write_glb(items: &[ExportItem], args: &ConvertArgs, path: &Path) -> Result<(), Failure> {
    let Some(first) = items.first() else {
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
    for name in body.iter().flat_map(|model| model.lost_pictures()) {
        message(&format!(
            "{}: the picture {name:?} is left out",
            first.path.display()
        ));
    }
    let clips: Vec<GlbMotion<'_>> = items.iter().map(|item| item.motion(args.sampled)).collect();
    let from = first.path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = export::glb(GlbSource {
        skeleton,
        model: body.as_deref(),
        clips: &clips,
        source: &from,
    });
    make_folder(path)?;
    Ok(output::write(path, &bytes)?)
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        let made = fs::create_dir_all(folder);
        made.with_context(|| format!("making the folder {}", folder.display()))?;
    }
    Ok(())
}

fn write_item(
    item: &ExportItem,
    format: Format,
    args: &ConvertArgs,
    path: &Path,
) -> Result<(), Failure> {
    make_folder(path)?;
    let mut source = ExportSource {
        skeleton: &item.skeleton.imported.skeleton,
        clip: &item.clip,
        length: item.skeleton.imported.length,
    };
    let report = |text: &str| message(&format!("{}: {text}", item.path.display()));
    let asf = |source| {
        let refused = |error| Failure::Usage(format!("{}: {error}", item.path.display()));
        export::asf(source).map_err(refused)
    };
    let text = match format {
        Format::Bvh => {
            source.length = bvh_length(item);
            let bvh = export::bvh(source);
            if !bvh.frozen_ends.is_empty() {
                report("the last bones of chains stretch, which BVH cannot say");
            }
            bvh.text
        }
        Format::Asf => asf(source)?,
        Format::Amc => {
            let amc = export::amc(source);
            // A motion without an ASF file of its own is of no use to anybody.
            let own = Kind::of_name(&item.skeleton.path) != Some(Kind::Skeleton);
            if own || amc.needs_own_skeleton {
                let skeleton = path.with_extension("asf");
                output::write(&skeleton, asf(source)?.as_bytes())?;
                report(&format!("its skeleton is {}", skeleton.display()));
            }
            amc.text
        }
        Format::Glb => return write_glb(std::slice::from_ref(item), args, path),
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
    Ok(output::write(path, text.as_bytes())?)
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
fn bvh_length(item: &ExportItem) -> LengthScale {
    let imported = &item.skeleton.imported;
    if Kind::of_name(&item.skeleton.path) == Some(Kind::Bvh) {
        return imported.length;
    }
    if !(1.0..=2.3).contains(&imported.skeleton.rest_height_m()) {
        let path = item.path.display();
        message(&format!(
            "{path}: written in centimetres; no person's height gives that away, so read it with --file-unit cm"
        ));
    }
    unscaled(LengthUnit::Centimetre)
}
