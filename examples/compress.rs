//! Compress a motion with the three codecs, measure what it costs, write a
//! container and read it back.
//!
//! ```sh
//! cargo run --example compress                                # the performer's jump
//! cargo run --example compress -- skeleton.asf walk.amc       # a motion of one's own
//! ```

use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use kinetoscope::{
    clip::SampleClip,
    codec::{
        CodecSettings,
        kin::{ClipOrigin, Kin, KinClip, KinSkeleton},
        metric::ErrorTable,
    },
    import::RateSource,
    load::{LoadOptions, Loaded, LoadedMotion, load},
    output,
};

/// One setting for each codec.
const SETTINGS: [CodecSettings; 3] = [
    CodecSettings::Classic { threshold: 0.01 },
    CodecSettings::Spline { tolerance_cm: 0.1 },
    CodecSettings::Tight { tolerance_cm: 0.1 },
];

fn main() -> Result<()> {
    let mut files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() {
        files = performer_files();
    }
    let path = env::temp_dir().join("compress-example.kin");
    run(&files, &path, &mut io::stdout().lock())
}

/// The built-in character's own files.
pub fn performer_files() -> Vec<PathBuf> {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets");
    let names = ["performer.asf", "clips/jump.amc"];
    names.map(|name| assets.join(name)).into()
}

/// All of it: a motion in, a table and a container out.
pub fn run(files: &[PathBuf], container: &Path, out: &mut dyn Write) -> Result<()> {
    let motions = load_motions(files)?;
    let motion = motions
        .first()
        .context("there is no motion in these files")?;
    writeln!(out, "{}: {} bytes", motion.name, motion.raw().raw_bytes())?;
    let mut kin = Kin::default();
    for settings in SETTINGS {
        kin.add_clip(skeleton_of(motion), compress(motion, settings, out)?);
    }
    output::write(container, &kin.to_bytes())?;

    writeln!(out, "read back:")?;
    for again in load_motions(&[container.to_path_buf()])? {
        let (clip, error_cm) = (again.sampler(), error_cm(motion, &*again.sampler()));
        ensure!(clip.frames() == motion.raw().frames(), "frames were lost");
        writeln!(
            out,
            "  {}: {} frames, {error_cm:.3} cm off",
            again.name,
            clip.frames()
        )?;
    }
    Ok(())
}

/// Motions of any files; a `.kin` is read like all others.
fn load_motions(files: &[PathBuf]) -> Result<Vec<LoadedMotion>> {
    let outcomes = load(files, LoadOptions::default()).into_iter();
    let loaded = outcomes
        .map(|(_, outcome)| Ok(outcome?))
        .collect::<Result<Vec<Loaded>>>()?;
    Ok(loaded.into_iter().filter_map(Loaded::into_motion).collect())
}

fn compress(
    motion: &LoadedMotion,
    settings: CodecSettings,
    out: &mut dyn Write,
) -> Result<KinClip> {
    let source = motion.raw();
    let clip = settings.compress(motion.skeleton(), source)?;
    let error_cm = error_cm(motion, &clip);
    let (codec, bytes) = (settings.codec_name(), clip.as_bytes().len());
    let ratio = source.raw_bytes() as f64 / bytes as f64;
    writeln!(
        out,
        "  {codec:<8}{bytes:6} bytes, {ratio:5.1} : 1, {error_cm:.3} cm off"
    )?;
    let origin = ClipOrigin {
        name: format!("{} {codec}", motion.name),
        source: motion.path.display().to_string(),
        fps_assumed: motion.rate == RateSource::Assumed,
        animated: source.animated.len(),
    };
    Ok(KinClip::new(origin, settings, clip, error_cm))
}

/// The largest error over all joints and source frames: measured by decoding,
/// never assumed.
fn error_cm(motion: &LoadedMotion, clip: &dyn SampleClip) -> f64 {
    let table = ErrorTable::measure_clip(motion.skeleton(), motion.raw(), clip);
    table.summary().max_cm
}

/// A container carries the skeletons of its clips.
fn skeleton_of(motion: &LoadedMotion) -> KinSkeleton {
    KinSkeleton {
        skeleton: motion.skeleton().clone(),
        source: motion.skeleton.path.display().to_string(),
        length: motion.skeleton.imported.length,
    }
}
