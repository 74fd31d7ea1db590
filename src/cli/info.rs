//! `info`: what each file holds.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::{Failure, ReadArgs, message, path_as_text, print_json, table};
use crate::{
    clip::{Event, EventTrack, SampleClip},
    codec::kin::KinClip,
    humanoid::Stature,
    import::{self, MotionOptions, RateSource},
    load::{self, ClipData, Kind, LoadError, Loaded, LoadedMotion, LoadedSkeleton},
    mesh::CharacterMesh,
    mocap::{Note, TextFacts, amc},
    skeleton::{Landmark, Lens, Projection, Skeleton},
};

#[derive(Args, Debug)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// One entry of the list; fields that do not apply are left out.
#[derive(Debug, Default, Serialize)]
pub(super) struct Entry {
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    pub kind: &'static str,
    pub format: &'static str,
    pub bones: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps_assumed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit_assumed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f64>,
    /// What that is taken from: a person's bones, or the extent of the rest pose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<String>,
    /// Which clip of a container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// What compressed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codec: Option<&'static str>,
    /// The error that the codec promises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance_cm: Option<f64>,
    /// What that means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<&'static str>,
    /// The error that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_error_cm: Option<f64>,
    /// Bytes of the clip in its container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How the skeleton was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skeleton_choice: Option<String>,
    /// Where the frame rate comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps_source: Option<&'static str>,
    /// What is to be seen of it, where it brings its own meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelFacts>,
    /// What happens in the motion, where its file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventFact>>,
    /// What can be looked through.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cameras: Vec<CameraFact>,
    /// Places that the file names beside its joints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locators: Vec<LocatorFact>,
    pub warnings: Vec<Note>,
}

/// A name at a moment.
#[derive(Debug, Serialize)]
pub(super) struct EventFact {
    pub time_s: f64,
    pub name: String,
}

/// A camera of a file.
#[derive(Debug, Serialize)]
pub(super) struct CameraFact {
    pub name: String,
    /// What it goes along with; nothing where it stands still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    pub projection: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov_y_deg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<f64>,
}

/// A place on a joint, or in the model.
#[derive(Debug, Serialize)]
pub(super) struct LocatorFact {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Metres in the joint, or in the model.
    pub at: [f64; 3],
}

fn joint_name(skeleton: &Skeleton, landmark: &Landmark) -> Option<String> {
    let joint = skeleton.joints().get(usize::from(landmark.joint?));
    joint.map(|joint| joint.name.clone())
}

fn camera_facts(skeleton: &Skeleton) -> Vec<CameraFact> {
    let fact = |(camera, lens): (&Landmark, Lens)| {
        let (projection, fov_y_deg, height_m) = match lens.projection {
            Projection::Perspective { fov_y_rad } => {
                let degrees = f64::from(fov_y_rad).to_degrees();
                ("perspective", Some(rounded(degrees, 3)), None)
            }
            Projection::Orthographic { height_m } => {
                ("orthographic", None, Some(rounded(f64::from(height_m), 4)))
            }
        };
        CameraFact {
            name: camera.name.clone(),
            joint: joint_name(skeleton, camera),
            projection,
            fov_y_deg,
            height_m,
            aspect: lens.aspect.map(|it| rounded(f64::from(it), 4)),
        }
    };
    skeleton.cameras().map(fact).collect()
}

fn locator_facts(skeleton: &Skeleton) -> Vec<LocatorFact> {
    let locators = skeleton.landmarks().iter().filter(|it| it.lens.is_none());
    let fact = |it: &Landmark| LocatorFact {
        name: it.name.clone(),
        joint: joint_name(skeleton, it),
        at: it
            .place
            .position()
            .to_array()
            .map(|value| rounded(f64::from(value), 4)),
    };
    locators.map(fact).collect()
}

/// The meshes of a file.
#[derive(Debug, Serialize)]
pub(super) struct ModelFacts {
    pub parts: usize,
    pub vertices: usize,
    pub triangles: usize,
    pub materials: usize,
    pub pictures: usize,
    pub morph_targets: usize,
}

impl ModelFacts {
    fn of(model: &CharacterMesh) -> Self {
        let primitives = model.primitives.iter();
        Self {
            parts: model.parts.len(),
            vertices: primitives.clone().map(|it| it.vertices.len()).sum(),
            triangles: primitives.map(|it| it.indices.len() / 3).sum(),
            materials: model.materials.len(),
            pictures: model.images.len(),
            morph_targets: model.morphs,
        }
    }
}

pub(super) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let mut options = args.read.load_options();
    // One more pass over each file, which only this command has a use for.
    options.text_facts = true;
    let outcomes = load::load(&args.read.files, options);
    let all = outcomes.len();
    let mut failed = 0;
    let mut entries = Vec::with_capacity(all);
    for (path, outcome) in outcomes {
        match outcome {
            Ok(Loaded::Skeleton(file)) => entries.push(skeleton_entry(&file)),
            Ok(Loaded::Motion(motion)) => entries.push(motion_entry(&motion)),
            Err(error) => match lone_motion(&path, &error, options.motion) {
                Some(entry) => entries.push(entry),
                None => {
                    failed += 1;
                    message(&format!("error: {error}"));
                }
            },
        }
    }
    if args.json {
        print_json(&entries)?;
    } else {
        table::print(&entries)?;
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure::SomeFiles {
            failed,
            all,
            rest: "",
        }),
    }
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

/// Files that hold a skeleton and its motion are named after neither.
fn format_of(path: &Path, otherwise: &'static str) -> &'static str {
    match Kind::of_name(path) {
        Some(Kind::Bvh) => "bvh",
        Some(Kind::Gltf) => "gltf",
        Some(Kind::Compressed) => "kin",
        _ => otherwise,
    }
}

fn skeleton_entry(file: &LoadedSkeleton) -> Entry {
    let imported = &file.imported;
    let stature = Stature::of(&imported.skeleton);
    Entry {
        model: file.model.as_deref().map(ModelFacts::of),
        path: file.path.clone(),
        kind: match Kind::of_name(&file.path) {
            Some(Kind::Compressed) => "compressed",
            _ => "skeleton",
        },
        format: format_of(&file.path, "asf"),
        bones: imported.skeleton.len(),
        unit: Some(imported.length.unit.to_string()),
        unit_assumed: Some(imported.length.assumed),
        height_m: Some(rounded(f64::from(stature.height_m), 4)),
        height_from: Some(stature.from.words()),
        skeleton: Some(imported.skeleton.name().to_owned()),
        cameras: camera_facts(&imported.skeleton),
        locators: locator_facts(&imported.skeleton),
        warnings: imported.notes.clone(),
        ..Entry::default()
    }
}

fn motion_entry(motion: &LoadedMotion) -> Entry {
    Entry {
        events: motion.events.as_ref().map(event_facts),
        ..clip_entry(motion)
    }
}

fn event_facts(track: &EventTrack) -> Vec<EventFact> {
    let fact = |event: &Event| EventFact {
        time_s: rounded(event.time_secs, 6),
        name: event.name.clone(),
    };
    track.events().iter().map(fact).collect()
}

fn clip_entry(motion: &LoadedMotion) -> Entry {
    match &motion.clip {
        ClipData::Compressed(clip) => compressed_entry(motion, clip),
        ClipData::Raw(clip) => frames_entry(motion, clip.animated.len()),
        // A file of several motions, of which none need move all joints.
        ClipData::Keys(_) => Entry {
            clip: Some(motion.name.clone()),
            ..frames_entry(motion, motion.skeleton().len())
        },
    }
}

fn frames_entry(motion: &LoadedMotion, bones: usize) -> Entry {
    let (clip, skeleton) = (motion.sampler(), &motion.skeleton.imported);
    let stature = Stature::of(&skeleton.skeleton);
    Entry {
        path: motion.path.clone(),
        kind: "motion",
        format: format_of(&motion.path, "amc"),
        bones,
        model: motion.skeleton.model.as_deref().map(ModelFacts::of),
        frames: Some(clip.frames()),
        fps: Some(clip.fps()),
        fps_assumed: Some(motion.rate == RateSource::Assumed),
        fps_source: Some(source_word(motion.rate)),
        duration_s: Some(rounded(clip.duration_secs(), 6)),
        unit: Some(skeleton.length.unit.to_string()),
        unit_assumed: Some(skeleton.length.assumed),
        height_m: Some(rounded(f64::from(stature.height_m), 4)),
        height_from: Some(stature.from.words()),
        skeleton: Some(motion.skeleton.path.display().to_string()),
        skeleton_choice: Some(motion.pairing.to_string()),
        cameras: camera_facts(&skeleton.skeleton),
        locators: locator_facts(&skeleton.skeleton),
        warnings: motion.notes.clone(),
        ..Entry::default()
    }
}

fn compressed_entry(motion: &LoadedMotion, clip: &KinClip) -> Entry {
    Entry {
        kind: "compressed",
        bones: clip.animated,
        frames: Some(clip.frames()),
        fps: Some(clip.fps()),
        fps_assumed: Some(clip.fps_assumed),
        duration_s: Some(rounded(clip.duration_secs(), 6)),
        clip: Some(clip.name.clone()),
        codec: Some(clip.settings.codec_name()),
        tolerance_cm: clip.settings.tolerance_cm(),
        promise: clip.settings.tolerance_cm().map(|_| clip.measure.promise()),
        max_error_cm: Some(f64::from(clip.max_error_cm)),
        bytes: Some(clip.stored_bytes()),
        ..skeleton_entry(&motion.skeleton)
    }
}

fn source_word(rate: RateSource) -> &'static str {
    match rate {
        RateSource::Given => "given",
        RateSource::Header => "file",
        RateSource::FileName => "file name",
        RateSource::Assumed => "assumed",
    }
}

/// A motion that found no skeleton can still be counted.
fn lone_motion(path: &Path, error: &LoadError, options: MotionOptions) -> Option<Entry> {
    let LoadError::NoSkeleton { cure, .. } = error else {
        return None;
    };
    let bytes = load::read(path).ok()?;
    let (header, mut frames) = amc::open("", &bytes).ok()?;
    let mut frame = amc::AmcFrame::default();
    let (mut count, mut bones) = (0u32, 0);
    while frames.next_into(&mut frame).ok()? {
        count += 1;
        // A last frame may be cut short.
        bones = bones.max(frame.bones.len());
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let (fps, rate) = import::frame_rate(&header, &stem, options);
    let mut warnings = vec![Note::warning(format!("no skeleton found: {cure}"))];
    warnings.extend(header.notes);
    warnings.extend(TextFacts::of(&bytes).notes());
    Some(Entry {
        path: path.to_path_buf(),
        kind: "motion",
        format: "amc",
        bones,
        frames: Some(count as usize),
        fps: Some(fps),
        fps_assumed: Some(rate == RateSource::Assumed),
        fps_source: Some(source_word(rate)),
        duration_s: Some(rounded(f64::from(count.max(1) - 1) / fps, 6)),
        warnings,
        ..Entry::default()
    })
}
