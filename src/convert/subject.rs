//! The motion that the interpolation exercise is set on: a file's own numbers,
//! or those that `.amc` would have of it, and what plays them.

use std::path::Path;

use super::{ConvertError, ConvertOptions, ExportItem, Format, convert};
use crate::{
    analysis::{self, Grade},
    clip::RawClip,
    exercise::{ChannelError, ChannelMotion},
    import::{self, ImportedMotion, ImportedSkeleton, MotionOptions, SkeletonOptions},
    load::{self, Kind, LoadError, LoadedMotion},
    mocap::{MocapError, asf},
};

/// The motion as columns, and what plays them.
#[derive(Clone, Debug)]
pub struct ExerciseSubject {
    /// A column a degree of freedom.
    pub channels: ChannelMotion,
    /// What they move.
    pub skeleton: ImportedSkeleton,
    /// ASF text, where the motion came with none.
    pub own_skeleton: Option<Vec<u8>>,
}

/// Why the exercise cannot be set on a motion.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// Its file cannot be read.
    #[error(transparent)]
    Load(Box<LoadError>),
    /// It has no numbers that `.amc` could hold.
    #[error("{path}: {error}")]
    Convert {
        /// Which.
        path: String,
        /// Why.
        error: Box<ConvertError>,
    },
    /// What was written of it does not fit its skeleton.
    #[error("{path}: {error}")]
    Channels {
        /// Which.
        path: String,
        /// Why.
        error: Box<ChannelError>,
    },
    /// A text of ours does not read.
    #[error("{path}: {error}")]
    Text {
        /// Of which motion.
        path: String,
        /// Why.
        error: Box<MocapError>,
    },
}

impl From<LoadError> for SubjectError {
    fn from(error: LoadError) -> Self {
        Self::Load(Box::new(error))
    }
}

impl ExerciseSubject {
    /// The very numbers of an AMC file, or else what would be written of the
    /// motion; with what is to be said about the choice.
    pub fn of(
        motion: &LoadedMotion,
        ignore_fingers: bool,
    ) -> Result<(Self, Option<String>), SubjectError> {
        let mut remark = None;
        if !ignore_fingers && let Some(subject) = Self::as_written(motion, &mut remark)? {
            return Ok((subject, remark));
        }
        Ok((Self::as_converted(motion)?, remark))
    }

    /// `None` of files other than AMC, and of one that had to be mended to be
    /// read.
    fn as_written(
        motion: &LoadedMotion,
        remark: &mut Option<String>,
    ) -> Result<Option<Self>, LoadError> {
        let named = load::split_range(&motion.path);
        let file = named.as_ref().map_or(&motion.path, |(file, _)| file);
        let is_amc = Kind::of_name(file) == Some(Kind::Motion);
        if !is_amc || Kind::of_name(&motion.skeleton.path) != Some(Kind::Skeleton) {
            return Ok(None);
        }
        let bytes = load::read(file)?;
        let imported = &motion.skeleton.imported;
        let on = (&imported.skeleton, imported.angle);
        let fps = motion.raw().fps;
        let shown = file.display();
        let channels = match ChannelMotion::of_amc(&shown.to_string(), &bytes, on, fps) {
            Ok(channels) => channels,
            Err(problem) => {
                *remark = Some(format!(
                    "{shown}: {problem}; its frames are taken as they were mended"
                ));
                return Ok(None);
            }
        };
        let range = named.and_then(|(_, range)| range.frames(channels.frames(), fps));
        Ok(Some(Self {
            channels: range.map_or(channels.clone(), |frames| channels.part(frames)),
            skeleton: imported.clone(),
            own_skeleton: None,
        }))
    }

    /// What `convert` would write of it.
    pub fn as_converted(motion: &LoadedMotion) -> Result<Self, SubjectError> {
        let path = motion.path.display().to_string();
        let item = ExportItem::of_motion(motion.clone());
        let converted = convert(&item, Format::Amc, &ConvertOptions::default());
        let converted = converted.map_err(|error| SubjectError::Convert {
            path: path.clone(),
            error: Box::new(error),
        })?;
        let skeleton = match &converted.skeleton {
            None => motion.skeleton.imported.clone(),
            Some(text) => own(&path, text)?,
        };
        let on = (&skeleton.skeleton, skeleton.angle);
        let channels = ChannelMotion::of_amc(&path, &converted.bytes, on, motion.raw().fps)
            .map_err(|error| SubjectError::Channels {
                path,
                error: Box::new(error),
            })?;
        Ok(Self {
            channels,
            skeleton,
            own_skeleton: converted.skeleton,
        })
    }

    /// A text of ours as a reader finds it.
    pub fn motion(&self, text: &str) -> Result<ImportedMotion, SubjectError> {
        let options = MotionOptions {
            fps: Some(self.channels.fps),
        };
        let read = import::motion("", "", text.as_bytes(), &self.skeleton, options);
        read.map_err(|error| text_error("", error))
    }

    fn clip(&self, text: &str) -> Result<RawClip, SubjectError> {
        Ok(self.motion(text)?.clip)
    }

    /// Both as a reader finds them in files.
    pub fn grade(&self, made: &str) -> Result<Grade, SubjectError> {
        let reference = self.clip(&self.channels.to_amc())?;
        let skeleton = &self.skeleton.skeleton;
        Ok(analysis::grade(skeleton, &self.clip(made)?, &reference))
    }
}

fn text_error(path: &str, error: MocapError) -> SubjectError {
    SubjectError::Text {
        path: path.to_owned(),
        error: Box::new(error),
    }
}

fn own(path: &str, text: &[u8]) -> Result<ImportedSkeleton, SubjectError> {
    let document = asf::parse(path, text).map_err(|error| text_error(path, error))?;
    let stem = Path::new(path).file_stem().unwrap_or_default();
    let options = SkeletonOptions::default();
    import::skeleton(path, &stem.to_string_lossy(), &document, options)
        .map_err(|error| text_error(path, error))
}
