//! Motions as files of other formats: the bytes that `convert` and the
//! window's *Export…* write. Which files are read and where the result goes is
//! the caller's affair; so is a file that is in the way.

mod container;
mod item;
mod subject;

use std::{path::Path, sync::Arc};

use clap::ValueEnum;

use crate::{
    body::Body,
    clip::{EventTrack, GriddedClip, RawClip, TrackClip},
    codec::{CodecSettings, CompressError, Stop, spline::straight},
    export::{self, CsvContent, ExportError, ExportSource, GlbClip, GlbMotion, GlbSource},
    humanoid::Stature,
    load::{Kind, LoadedMotion},
    units::{LengthScale, LengthUnit},
};

pub use container::{container, kin_clip, kin_tracks, stored_skeleton};
pub use item::{ExportItem, of_one_character};
pub use subject::{ExerciseSubject, SubjectError};

/// Formats that can be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Biovision hierarchy.
    #[default]
    Bvh,
    /// Acclaim skeleton.
    Asf,
    /// Acclaim motion.
    Amc,
    /// glTF, binary.
    Glb,
    /// Comma-separated values.
    Csv,
    /// Our container.
    Kin,
}

impl Format {
    /// In the order they are offered.
    pub const ALL: [Self; 6] = [
        Self::Bvh,
        Self::Asf,
        Self::Amc,
        Self::Glb,
        Self::Csv,
        Self::Kin,
    ];

    /// Of its files, without the dot.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Bvh => "bvh",
            Self::Asf => "asf",
            Self::Amc => "amc",
            Self::Glb => "glb",
            Self::Csv => "csv",
            Self::Kin => "kin",
        }
    }

    /// The format that a file's ending names.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let named = |format: &Self| ending.eq_ignore_ascii_case(format.ending());
        Self::ALL.into_iter().find(named)
    }

    /// Holds a motion and nothing else: a skeleton alone cannot be written.
    #[must_use]
    pub fn needs_motion(self) -> bool {
        matches!(self, Self::Amc | Self::Kin)
    }
}

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvertOptions {
    /// What a table holds.
    pub csv: CsvContent,
    /// Joints alone in a .glb, without a body.
    pub joints_only: bool,
    /// A key for every frame in a .glb, also where the motion has its own.
    pub sampled: bool,
    /// A motion's own keys in a .kin, instead of compressing it.
    pub keys: bool,
    /// Promised error of a .kin.
    pub tolerance_cm: f64,
    /// Promised error of a .glb, whose keys are then as few and as small as that
    /// allows; every frame as it is where nothing is promised.
    pub glb_tolerance_cm: Option<f64>,
}

/// Promised error of a container, unless another is asked for.
pub const DEFAULT_TOLERANCE_CM: f64 = 0.1;

impl Default for ConvertOptions {
    fn default() -> Self {
        Self {
            csv: CsvContent::Positions,
            joints_only: false,
            sampled: false,
            keys: false,
            tolerance_cm: DEFAULT_TOLERANCE_CM,
            glb_tolerance_cm: None,
        }
    }
}

impl ConvertOptions {
    /// The codec of a container.
    #[must_use]
    pub fn codec(&self) -> CodecSettings {
        CodecSettings::Spline {
            tolerance_cm: self.tolerance_cm,
        }
    }
}

/// A file's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// All of it.
    pub bytes: Vec<u8>,
    /// The skeleton that has to be beside an .amc file.
    pub skeleton: Option<Vec<u8>>,
    /// What the format cannot say.
    pub notes: Vec<String>,
}

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The format cannot hold it.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The codec refuses it.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// A pose is no motion.
    #[error("there is no motion to write as .{0}")]
    NoMotion(&'static str),
    /// Compressing twice would add up errors.
    #[error("the motion is compressed already")]
    Compressed,
}

/// One motion or skeleton as a file.
pub fn convert(
    item: &ExportItem,
    format: Format,
    options: &ConvertOptions,
) -> Result<Converted, ConvertError> {
    if item.motion.is_none() && format.needs_motion() {
        return Err(ConvertError::NoMotion(format.ending()));
    }
    match format {
        Format::Bvh => Ok(bvh(item)),
        Format::Asf => Ok(plain(asf(item)?)),
        Format::Amc => amc(item),
        Format::Glb => glb(std::slice::from_ref(item), options),
        Format::Csv => Ok(plain(csv(item, options.csv))),
        Format::Kin => container(item, options),
    }
}

fn plain(text: String) -> Converted {
    Converted {
        bytes: text.into_bytes(),
        ..Converted::default()
    }
}

fn source<'a>(item: &'a ExportItem, clip: &'a RawClip) -> ExportSource<'a> {
    let imported = &item.skeleton.imported;
    ExportSource {
        skeleton: &imported.skeleton,
        clip,
        length: imported.length,
    }
}

fn bvh(item: &ExportItem) -> Converted {
    // A skeleton of its own has no frame, not one of no duration.
    let clip = match &item.motion {
        Some(_) => item.clip(),
        None => Arc::new(item.no_clip()),
    };
    let (length, mut notes) = bvh_length(item);
    let bvh = export::bvh(ExportSource {
        length,
        ..source(item, &clip)
    });
    if !bvh.frozen_ends.is_empty() {
        notes.push("the last bones of chains stretch, which BVH cannot say".to_owned());
    }
    Converted {
        notes,
        ..plain(bvh.text)
    }
}

fn asf(item: &ExportItem) -> Result<String, ExportError> {
    export::asf(source(item, &item.clip()))
}

fn amc(item: &ExportItem) -> Result<Converted, ConvertError> {
    let amc = export::amc(source(item, &item.clip()));
    // A motion without an ASF file of its own is of no use to anybody.
    let own = Kind::of_name(&item.skeleton.path) != Some(Kind::Skeleton);
    let skeleton = match own || amc.needs_own_skeleton {
        true => Some(asf(item)?.into_bytes()),
        false => None,
    };
    Ok(Converted {
        skeleton,
        ..plain(amc.text)
    })
}

fn csv(item: &ExportItem, content: CsvContent) -> String {
    let clip = item.clip();
    let source = ExportSource {
        length: unscaled(LengthUnit::Metre),
        ..source(item, &clip)
    };
    export::csv(source, content)
}

/// A motion's own keys where it has any, or every frame.
enum Clip {
    Keys(Arc<TrackClip>),
    Frames(Arc<RawClip>),
    Gridded(Box<GriddedClip>),
}

/// Motions of a file that its body is grown for: they are much alike.
const GROWN_FOR: usize = 4;

/// Motions of one character in one file.
pub fn glb(items: &[ExportItem], options: &ConvertOptions) -> Result<Converted, ConvertError> {
    let Some(first) = items.first() else {
        return Ok(Converted::default());
    };
    let skeleton = &first.skeleton.imported.skeleton;
    let body = match (&first.skeleton.model, options.joints_only) {
        (_, true) => None,
        (Some(model), false) => Some(Arc::clone(model)),
        (None, false) => {
            let motions = items.iter().filter_map(|item| item.motion.as_ref());
            let poses = motions.take(GROWN_FOR).flat_map(LoadedMotion::few_poses);
            let poses: Vec<_> = poses.collect();
            Some(Body::grow_for(skeleton, &poses).to_model())
        }
    };
    // What could not be drawn has no mesh.
    let body = body.filter(|model| !model.parts.is_empty());
    let lost = body.iter().flat_map(|model| model.lost_pictures());
    let notes = lost.map(|name| format!("the picture {name:?} is left out"));
    let mut notes: Vec<String> = notes.collect();
    let motions = items.iter().filter_map(|item| item.motion.as_ref());
    let mut clips: Vec<(Clip, Option<&EventTrack>)> = Vec::new();
    for motion in motions {
        let keys = motion.keys().filter(|_| !options.sampled);
        let clip = match (keys, options.glb_tolerance_cm) {
            (Some(keys), promised) => {
                if promised.is_some() {
                    let name = &motion.name;
                    notes.push(format!(
                        "{name} keeps the keys that it has, without any error"
                    ));
                }
                Clip::Keys(keys)
            }
            (None, None) => Clip::Frames(Arc::clone(motion.raw())),
            (None, Some(promised)) => {
                let gridded = straight(motion.skeleton(), motion.raw(), promised, Stop::NEVER)?;
                Clip::Gridded(Box::new(gridded))
            }
        };
        clips.push((clip, motion.events.as_ref()));
    }
    let clips = clips.iter().map(|(clip, events)| GlbClip {
        motion: match clip {
            Clip::Keys(keys) => GlbMotion::Keys(keys),
            Clip::Frames(clip) => GlbMotion::Frames(clip),
            Clip::Gridded(clip) => GlbMotion::Gridded(clip),
        },
        events: *events,
    });
    let from = first.path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = export::glb(GlbSource {
        skeleton,
        model: body.as_deref(),
        clips: &clips.collect::<Vec<_>>(),
        source: &from,
    });
    Ok(Converted {
        bytes,
        skeleton: None,
        notes,
    })
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
fn bvh_length(item: &ExportItem) -> (LengthScale, Vec<String>) {
    let imported = &item.skeleton.imported;
    if Kind::of_name(&item.skeleton.path) == Some(Kind::Bvh) {
        return (imported.length, Vec::new());
    }
    let centimetres = unscaled(LengthUnit::Centimetre);
    let height_m = f64::from(Stature::of(&imported.skeleton).height_m);
    if unscaled(LengthUnit::Metre).makes_human(height_m) {
        return (centimetres, Vec::new());
    }
    let note = "written in centimetres; no person's height gives that away, so read it with \
                --file-unit cm";
    (centimetres, vec![note.to_owned()])
}
