//! `compress`: motions into a container, measured by decoding the result.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::Instant,
};

use clap::Args;
use rayon::prelude::*;

use super::{
    Failure, ReadArgs,
    codec_curves::PictureArgs,
    codec_knobs::KnobArgs,
    figures::{self, CompressReport, Worst},
    file_by_file::FileByFile,
    folder::{self, Folder, names_folder, progress_bar},
    inputs::{Inputs, uncompressed},
    message,
    onto::OntoArgs,
    overwrite::ForceArgs,
    print_json,
};
use crate::{
    clip::SampleClip,
    codec::{
        CodecSettings, CompressError, CompressedClip,
        kin::{Kin, KinClip},
        metric::{ErrorTable, HalfFrameError},
        play_through,
    },
    convert::{self, kin_tracks, stored_skeleton},
    export::{self, ErrorCsvClip},
    load::{Loaded, LoadedMotion},
    output::Staged,
    skeleton::Skeleton,
};

#[derive(Args, Debug)]
pub(super) struct CompressArgs {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    onto: OntoArgs,
    /// The container to write, or a folder for a container a motion; without it
    /// the result is only measured
    #[arg(short, long, value_name = "OUT.kin")]
    output: Option<PathBuf>,
    #[command(flatten)]
    knobs: KnobArgs,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Also write the error of every joint and frame, as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureArgs,
    /// Goes on with a folder where the same call was interrupted: files that it
    /// has finished are kept, and not measured again
    #[arg(long, conflicts_with = "csv")]
    resume: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// One motion through one codec.
struct Done {
    figures: CompressReport,
    errors: ErrorTable,
    clip: CompressedClip,
    settings: CodecSettings,
}

pub(super) fn run(args: &CompressArgs) -> Result<(), Failure> {
    let settings = args.knobs.settings()?;
    let into_folder = args.folder()?;
    if let Some(folder) = into_folder.as_ref().filter(|_| args.goes_file_by_file())
        && let Some(files) = FileByFile::of(&args.read.files, args.read.load_options())
    {
        return fill_file_by_file(folder, &files, &settings, args);
    }
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.paths.extend(args.onto.inputs().cloned());
    let file = args.output.as_deref().filter(|_| into_folder.is_none());
    let outputs = file.into_iter().chain(args.csv.as_deref());
    let outputs = outputs.chain(args.pictures.outputs());
    args.force
        .check(&inputs.paths, outputs.chain(args.onto.output()))?;
    let motions = uncompressed(std::mem::take(&mut inputs.loaded));
    let mut staged = Staged::default();
    let motions = args.onto.each(motions, &mut inputs, &mut staged)?;
    if motions.is_empty() && inputs.complete().is_ok() {
        let problem = "no motion to compress: give .amc files or folders of them";
        return Err(Failure::Usage(problem.into()));
    }
    args.pictures.draw(&motions, &settings, &mut staged)?;
    if let Some(folder) = into_folder {
        return fill(&folder, motions, &settings, (args, &inputs), staged);
    }
    let (done, refused) = compress_all(&motions, &settings);
    let outcome = inputs.complete_to_write();
    let outcome = outcome.and_then(|()| all_kept(refused, motions.len() * settings.len()));
    // What was measured is told; what was asked for is written only whole.
    if outcome.is_ok() {
        if let Some(path) = file {
            staged.add(path, &container(with_done(&motions, &done)).to_bytes())?;
        }
        if let Some(path) = &args.csv {
            staged.add(path, csv(with_done(&motions, &done)).as_bytes())?;
        }
        staged.commit()?;
    }
    if done.iter().any(|done| !done.is_empty()) {
        report(done, args.json)?;
    }
    outcome
}

impl CompressArgs {
    /// Whether no motion needs the others to be at hand.
    fn goes_file_by_file(&self) -> bool {
        let pictures = self.pictures.outputs().next().is_some();
        !(self.onto.is_given() || self.csv.is_some() || pictures)
    }

    /// The folder that gets a container a motion, where one is named.
    fn folder(&self) -> Result<Option<Folder<'_>>, Failure> {
        let path = self.output.as_deref();
        let root = path.filter(|it| names_folder(it, it.extension().is_some()));
        if self.resume && root.is_none() {
            let problem = "--resume is for folders: a single container is whole or not there";
            return Err(Failure::Usage(problem.into()));
        }
        Ok(root.map(|root| Folder {
            root,
            ending: "kin",
            resume: self.resume,
            options: format!(
                "compress {:?} {:?} {:?} {:?} {:?}",
                self.read.file_unit, self.read.fps, self.read.up, self.onto, self.knobs
            ),
        }))
    }
}

/// Errors of joints and frames that are kept for the figures over all clips:
/// 64 MB of them.
const MOST_ERRORS: usize = 16 << 20;

/// A container a motion, in memory of a few.
fn fill_file_by_file(
    folder: &Folder<'_>,
    files: &FileByFile<'_>,
    settings: &[CodecSettings],
    args: &CompressArgs,
) -> Result<(), Failure> {
    let errors_kept = AtomicUsize::new(0);
    let made = files.make(folder, args.force, |motion, target| {
        // Told: containers in the folder are no work.
        let kept = uncompressed(vec![Loaded::Motion(Box::new(motion))]);
        let Some(motion) = kept.first() else {
            return Ok(None);
        };
        let done = through_all(motion, settings)?;
        let bytes = container([(motion, done.as_slice())]).to_bytes();
        let mut staged = Staged::default();
        staged.add_stamped(&target.path, &bytes, target.stamp)?;
        staged.commit()?;
        let keep = |done: Done| {
            let cells = done.errors.errors_m().len();
            let before = errors_kept.fetch_add(cells, Ordering::Relaxed);
            let fits = !args.json && before + cells <= MOST_ERRORS;
            (done.figures, fits.then_some(done.errors))
        };
        Ok(Some(done.into_iter().map(keep).collect::<Vec<_>>()))
    })?;
    let done: Vec<figures::Measured> = made.done.into_iter().flatten().collect();
    if made.nothing {
        let problem = "no motion to compress: give .amc files or folders of them";
        return Err(Failure::Usage(problem.into()));
    }
    if !done.is_empty() {
        print_figures(&done, args.json)?;
    }
    folder::outcome(made.failed, made.all)
}

/// A container a motion. What can be written is, whatever becomes of the rest.
fn fill(
    folder: &Folder<'_>,
    motions: Vec<LoadedMotion>,
    settings: &[CodecSettings],
    (args, inputs): (&CompressArgs, &Inputs),
    mut staged: Staged,
) -> Result<(), Failure> {
    let names = folder::names(&motions, &args.read.files)?;
    let onto: Vec<&PathBuf> = args.onto.inputs().collect();
    let targeted = motions.into_iter().zip(names).map(|(motion, name)| {
        let from = [motion.path.as_path(), motion.skeleton.path.as_path()];
        let from = from.into_iter().chain(onto.iter().map(|it| it.as_path()));
        let target = folder.target(&name, from);
        (motion, target)
    });
    let targeted: Vec<_> = targeted.collect();
    let paths = targeted.iter().map(|(_, target)| target.path.as_path());
    args.force.check(&inputs.paths, paths)?;
    let (done, failed) = folder.make(&targeted, |motion, target| {
        let done = through_all(motion, settings)?;
        let bytes = container([(motion, done.as_slice())]).to_bytes();
        let mut staged = Staged::default();
        staged.add_stamped(&target.path, &bytes, target.stamp)?;
        staged.commit()?;
        Ok((motion, done))
    });
    if let Some(path) = &args.csv {
        let rows = done.iter().map(|(motion, done)| (*motion, done.as_slice()));
        staged.add(path, csv(rows).as_bytes())?;
    }
    staged.commit()?;
    if !done.is_empty() {
        report(done.into_iter().map(|(_, done)| done).collect(), args.json)?;
    }
    folder::outcome(inputs.failed() + failed, inputs.failed() + targeted.len())
}

/// One motion through every codec asked for.
fn through_all(motion: &LoadedMotion, settings: &[CodecSettings]) -> Result<Vec<Done>, Failure> {
    let each = settings.iter().map(|&settings| {
        let refused = |error| Failure::Usage(refusal(motion, settings, &error));
        compress_one(motion, settings).map_err(refused)
    });
    each.collect()
}

fn refusal(motion: &LoadedMotion, settings: CodecSettings, error: &CompressError) -> String {
    let (path, codec) = (motion.path.display(), settings.codec_name());
    format!("{path}: {codec}: {error}")
}

fn all_kept(refused: usize, all: usize) -> Result<(), Failure> {
    match refused {
        0 => Ok(()),
        refused => Err(Failure::Usage(format!(
            "{refused} of {all} clips cannot be compressed as asked; nothing is written"
        ))),
    }
}

fn report(done: Vec<Vec<Done>>, json: bool) -> Result<(), Failure> {
    let figures = done.into_iter().flatten();
    let figures: Vec<_> = figures.map(|it| (it.figures, Some(it.errors))).collect();
    print_figures(&figures, json)
}

fn print_figures(all: &[figures::Measured], json: bool) -> Result<(), Failure> {
    match json {
        true => print_json(&all.iter().map(|it| &it.0).collect::<Vec<_>>()),
        false => figures::print(all),
    }
}

/// Every motion through every codec, motions in parallel. What cannot be
/// compressed as asked is told and counted; it does not stop the others.
fn compress_all(motions: &[LoadedMotion], settings: &[CodecSettings]) -> (Vec<Vec<Done>>, usize) {
    let progress = progress_bar(motions.len() * settings.len());
    let compress = |motion: &LoadedMotion| {
        let done = settings.iter().filter_map(|&settings| {
            let done = compress_one(motion, settings);
            progress.inc(1);
            let refused = |error: &CompressError| {
                let text = refusal(motion, settings, error);
                // A line written over the bar would be overwritten by its next
                // stroke.
                progress.suspend(|| message(&format!("error: {text}")));
            };
            done.inspect_err(refused).ok()
        });
        done.collect::<Vec<_>>()
    };
    let done: Vec<Vec<Done>> = motions.par_iter().map(compress).collect();
    progress.finish_and_clear();
    let count: usize = done.iter().map(Vec::len).sum();
    (done, motions.len() * settings.len() - count)
}

fn compress_one(motion: &LoadedMotion, settings: CodecSettings) -> Result<Done, CompressError> {
    let skeleton = motion.skeleton();
    let raw = motion.raw();
    let start = Instant::now();
    let clip = settings.compress(skeleton, raw)?;
    let compress_ms = start.elapsed().as_secs_f64() * 1e3;
    let errors = ErrorTable::measure_clip(skeleton, raw, &clip);
    let summary = errors.summary();
    let between = HalfFrameError::measure_clip(skeleton, raw, &clip);
    let (joint, frame) = summary.worst;
    // Every frame lasts its time, the last one too: one frame has a rate.
    let played_secs = raw.frames() as f64 / raw.fps;
    let mut done = Done {
        figures: CompressReport {
            path: motion.label().into(),
            codec: settings.codec_name(),
            setting: settings.into(),
            frames: raw.frames(),
            joints: raw.animated.len(),
            keys: clip.keys(),
            keys_per_joint: clip.keys() as f64 / raw.animated.len().max(1) as f64,
            bytes: 0,
            raw_bytes: raw.raw_bytes(),
            bytes_per_s: 0.0,
            raw_bytes_per_s: raw.raw_bytes() as f64 / played_secs,
            ratio: 0.0,
            max_error_cm: summary.max_cm,
            mean_error_cm: summary.mean_cm,
            p99_error_cm: summary.p99_cm,
            worst: Worst {
                joint: skeleton.joints()[joint].name.clone(),
                frame,
            },
            max_rotation_deg: summary.max_rotation_deg,
            max_weight_percent: { !raw.morphs.is_empty() }.then_some(summary.max_weight_percent),
            shell_error_cm: summary.shell_cm,
            half_linear_cm: between.linear_cm,
            half_cubic_cm: between.cubic_cm,
            compress_ms,
            sample_us: sample_us(skeleton, &clip),
        },
        errors,
        clip,
        settings,
    };
    // As it lies in a container, headers and all: the figure that files bear
    // out.
    done.figures.bytes = kin_clip(motion, &done).stored_bytes();
    done.figures.bytes_per_s = done.figures.bytes as f64 / played_secs;
    done.figures.ratio = raw.raw_bytes() as f64 / done.figures.bytes as f64;
    Ok(done)
}

/// Mean time of a pose, playing forward through the whole clip: the best of
/// three, for a machine has other things to do as well.
fn sample_us(skeleton: &Skeleton, clip: &CompressedClip) -> f64 {
    let play = |_| {
        let start = Instant::now();
        play_through(skeleton, clip);
        start.elapsed().as_secs_f64() * 1e6 / clip.frames() as f64
    };
    (0..3).map(play).fold(f64::INFINITY, f64::min)
}

/// Motions as the bytes of one container; a failure when any is refused. With
/// `keep_keys` those that have keys of their own go in as they are.
pub(super) fn pack(
    motions: Vec<LoadedMotion>,
    settings: CodecSettings,
    keep_keys: bool,
) -> Result<Vec<u8>, Failure> {
    let kept = |motion: &LoadedMotion| keep_keys && motion.own_keys().is_some();
    let (keyed, others): (Vec<_>, Vec<_>) = motions.into_iter().partition(kept);
    let (done, refused) = compress_all(&others, &[settings]);
    all_kept(refused, others.len())?;
    let mut kin = container(with_done(&others, &done));
    for motion in &keyed {
        let skeleton = kin.add_skeleton(stored_skeleton(motion));
        kin.tracks.extend(kin_tracks(motion, skeleton));
    }
    Ok(kin.to_bytes())
}

fn kin_clip(motion: &LoadedMotion, done: &Done) -> KinClip {
    let max_error_cm = done.figures.max_error_cm;
    convert::kin_clip(motion, done.settings, done.clip.clone(), max_error_cm)
}

/// Motions with what became of each.
fn with_done<'a>(
    motions: &'a [LoadedMotion],
    done: &'a [Vec<Done>],
) -> impl Iterator<Item = (&'a LoadedMotion, &'a [Done])> {
    motions.iter().zip(done.iter().map(Vec::as_slice))
}

fn container<'a>(all: impl IntoIterator<Item = (&'a LoadedMotion, &'a [Done])>) -> Kin {
    let mut kin = Kin::default();
    for (motion, done) in all {
        let skeleton = kin.add_skeleton(stored_skeleton(motion));
        kin.clips.extend(done.iter().map(|done| KinClip {
            skeleton,
            ..kin_clip(motion, done)
        }));
    }
    kin
}

/// A line for every motion, codec, frame and joint.
fn csv<'a>(all: impl IntoIterator<Item = (&'a LoadedMotion, &'a [Done])>) -> String {
    let all: Vec<_> = all.into_iter().collect();
    let path = |(motion, _): &(&LoadedMotion, _)| motion.path.display().to_string();
    let paths: Vec<String> = all.iter().map(path).collect();
    export::error_csv(all.iter().zip(&paths).flat_map(|((motion, done), path)| {
        done.iter().map(move |done| {
            let clip = ErrorCsvClip {
                path,
                codec: done.figures.codec,
                skeleton: motion.skeleton(),
            };
            (clip, done.errors.errors_m())
        })
    }))
}
