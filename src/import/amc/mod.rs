//! An AMC motion and the skeleton it belongs to become a [`RawClip`].

mod plan;
mod reader;

use super::asf::ImportedSkeleton;
use crate::{
    clip::RawClip,
    mocap::{
        AngleUnit, MocapError, Note, Notes,
        amc::{self, Frames, Header},
    },
};
use plan::{Plan, bones_of_all_frames, bones_of_first_frame};
use reader::{Outcome, Reader};

/// What the user may override.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionOptions {
    /// Frames a second, instead of those stated or assumed.
    pub fps: Option<f64>,
}

/// Where the frame rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateSource {
    /// The user.
    Given,
    /// A line of the file.
    Header,
    /// A suffix such as `_120` of the file's name.
    FileName,
    /// Nothing says; 120 is usual.
    Assumed,
}

/// A clip and how its file's numbers were read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedMotion {
    /// In metres and quaternions.
    pub clip: RawClip,
    /// Where its frame rate comes from.
    pub rate: RateSource,
    /// The skeleton that the file says it was captured with.
    pub source_asf: Option<String>,
    /// Assumptions and repairs.
    pub notes: Vec<Note>,
}

const ASSUMED_FPS: f64 = 120.0;

/// Reads a whole motion. `file` names the bytes in messages, `stem` the clip.
pub fn motion(
    file: &str,
    stem: &str,
    bytes: &[u8],
    skeleton: &ImportedSkeleton,
    options: MotionOptions,
) -> Result<ImportedMotion, MocapError> {
    let (header, frames) = amc::open(file, bytes)?;
    let mut notes = Notes::default();
    for note in &header.notes {
        notes.add(note.clone());
    }
    if header.no_shebang {
        notes.add(Note::info("no #! header line"));
    }
    let angle = angle_unit(&header, skeleton.angle, &mut notes);
    let (fps, rate) = frame_rate(&header, stem, options);

    let clip = read_frames(file, &header, &frames, skeleton, angle, &mut notes)?;
    Ok(ImportedMotion {
        clip: RawClip {
            name: stem.to_owned(),
            fps,
            ..clip
        },
        rate,
        source_asf: header.source_asf,
        notes: notes.into_list(),
    })
}

/// Plans columns by the first frame and reads all of them; by all frames where
/// that was not enough.
fn read_frames(
    file: &str,
    header: &Header,
    frames: &Frames<'_>,
    skeleton: &ImportedSkeleton,
    angle: AngleUnit,
    notes: &mut Notes,
) -> Result<RawClip, MocapError> {
    // The first frame nearly always names every bone; to look through all of
    // them first would be to read the file twice.
    let mut plan = Plan::new(&skeleton.skeleton, bones_of_first_frame(frames.clone())?);
    loop {
        plan.refuse_strangers(file)?;
        plan.choose_dofs(header);
        let mut reader = Reader::new(file, &skeleton.skeleton, plan.clone(), angle.degrees());
        reader.metres_per_unit = skeleton.length.metres_per_unit();
        match reader.read(frames.clone())? {
            Outcome::Done => {
                reader.note_plan(notes);
                for note in reader.notes.into_list() {
                    notes.add(note);
                }
                return Ok(reader.clip);
            }
            // A bone that no frame had so far: look at all frames first.
            Outcome::NewBone => {
                plan = Plan::new(&skeleton.skeleton, bones_of_all_frames(frames.clone())?);
            }
        }
    }
}

fn angle_unit(header: &Header, skeleton: Option<AngleUnit>, notes: &mut Notes) -> AngleUnit {
    match (header.angle, skeleton) {
        (Some((motion, line)), Some(skeleton)) if motion != skeleton => {
            let message = format!(
                "the motion counts in {motion}, its skeleton in {skeleton}; the motion's word is taken"
            );
            notes.add(Note::warning(message).at_line(line));
            motion
        }
        (Some((motion, _)), _) => motion,
        (None, Some(skeleton)) => skeleton,
        (None, None) => {
            notes.add(Note::warning(
                "neither motion nor skeleton names the unit of angles; degrees assumed",
            ));
            AngleUnit::Degrees
        }
    }
}

/// The user's word, the header's, the file name's, or the usual 120.
#[must_use]
pub fn frame_rate(header: &Header, stem: &str, options: MotionOptions) -> (f64, RateSource) {
    if let Some(fps) = options.fps {
        (fps, RateSource::Given)
    } else if let Some(fps) = header.samples_per_second {
        (fps, RateSource::Header)
    } else if let Some(fps) = rate_in_name(stem) {
        (fps, RateSource::FileName)
    } else {
        (ASSUMED_FPS, RateSource::Assumed)
    }
}

/// `grab_001_120` → 120. Three digits, and no take number: 24 and up.
fn rate_in_name(stem: &str) -> Option<f64> {
    let (_, suffix) = stem.rsplit_once('_')?;
    let digits = suffix.len() == 3 && suffix.bytes().all(|byte| byte.is_ascii_digit());
    let rate: u16 = if digits {
        suffix.parse().ok()?
    } else {
        return None;
    };
    (rate >= 24).then_some(f64::from(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_in_names() {
        assert_eq!(rate_in_name("HDM_bd_grabHighR_001_120"), Some(120.0));
        assert_eq!(rate_in_name("walk_060"), Some(60.0));
        for stem in ["07_01", "take_001", "walk", "walk_120a", "walk_1200", "_"] {
            assert_eq!(rate_in_name(stem), None, "{stem}");
        }
    }
}
