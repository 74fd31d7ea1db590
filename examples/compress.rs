//! Compress a motion with the three codecs, measure what it costs, write a
//! container and read it back.
//!
//! ```sh
//! cargo run --example compress                                # the performer's jump
//! cargo run --example compress -- skeleton.asf walk.amc       # a motion of one's own
//! ```

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result, ensure};
use kinetoscope::{
    clip::SampleClip,
    codec::{
        CodecSettings, CompressedClip,
        kin::{Kin, KinClip, KinSkeleton},
        metric::ErrorTable,
    },
    load::{LoadOptions, Loaded, LoadedMotion, load},
};

/// One setting for each codec; the last is what is written.
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
    let motion = load_motion(files)?;
    let (skeleton, source) = (&motion.skeleton.imported.skeleton, motion.raw());
    writeln!(out, "{}: {} bytes", source.name, source.raw_bytes())?;
    let mut smallest = None;
    for settings in SETTINGS {
        let clip = settings.compress(skeleton, source)?;
        // Measured by decoding every source frame, never assumed.
        let error_cm = ErrorTable::measure_clip(skeleton, source, &clip)
            .summary()
            .max_cm;
        let (codec, bytes) = (settings.codec_name(), clip.as_bytes().len());
        let ratio = source.raw_bytes() as f64 / bytes as f64;
        writeln!(
            out,
            "  {codec:<8} {bytes:6} bytes, {ratio:5.1} : 1, at most {error_cm:.3} cm off"
        )?;
        smallest = Some((clip, settings, error_cm));
    }
    let (clip, settings, error_cm) = smallest.context("there is a codec")?;
    fs::write(
        container,
        packed(&motion, clip, settings, error_cm).to_bytes(),
    )?;
    let read = Kin::from_bytes(fs::read(container)?)?;
    let again = read.clips.first().context("one clip was written")?;
    let frames = again.clip.frames();
    ensure!(frames == source.frames(), "{frames} frames came back");
    let summary = ErrorTable::measure_clip(skeleton, source, &again.clip).summary();
    writeln!(
        out,
        "{} came back: {frames} frames, {:.3} cm off",
        again.name, summary.max_cm
    )?;
    Ok(())
}

fn load_motion(files: &[PathBuf]) -> Result<LoadedMotion> {
    for (_, outcome) in load(files, LoadOptions::default()) {
        if let Loaded::Motion(motion) = outcome? {
            return Ok(*motion);
        }
    }
    anyhow::bail!("there is no motion in these files")
}

/// A container of one clip: its skeleton, the motion, and where both are from.
fn packed(
    motion: &LoadedMotion,
    clip: CompressedClip,
    settings: CodecSettings,
    error_cm: f64,
) -> Kin {
    let skeleton = KinSkeleton {
        skeleton: motion.skeleton.imported.skeleton.clone(),
        source: motion.skeleton.path.display().to_string(),
        length: motion.skeleton.imported.length,
    };
    Kin {
        skeletons: vec![Arc::new(skeleton)],
        clips: vec![KinClip {
            name: motion.name.clone(),
            source: motion.path.display().to_string(),
            fps_assumed: false,
            animated: motion.raw().animated.len(),
            settings,
            max_error_cm: error_cm as f32,
            skeleton: 0,
            clip,
        }],
        tracks: Vec::new(),
    }
}
