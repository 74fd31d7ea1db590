//! A BVH file becomes a [`Skeleton`](crate::skeleton::Skeleton) and a
//! [`RawClip`].
//!
//! Positions replace the components of a joint's offset that have a channel;
//! rotations apply outermost first, so the degrees of freedom of our joints,
//! first applied first, are the rotation channels from the last to the first.

mod joints;
mod rate;
mod reader;
mod scale;

use super::{
    amc::{ImportedMotion, MotionOptions},
    asf::{ImportedSkeleton, SkeletonOptions},
    up_axis,
};
use crate::units::{LengthScale, UpAxis};
use crate::{
    clip::RawClip,
    humanoid::Human,
    mocap::{AngleUnit, MocapError, Note, Notes, bvh},
};
use reader::Reader;

/// What a BVH file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedBvh {
    /// Its hierarchy.
    pub skeleton: ImportedSkeleton,
    /// Its frames; `None` where it has none.
    pub motion: Option<ImportedMotion>,
}

/// Reads a whole file. `file` names the bytes in messages, `stem` the skeleton
/// and the clip.
pub fn bvh(
    file: &str,
    stem: &str,
    bytes: &[u8],
    options: SkeletonOptions,
    motion_options: MotionOptions,
) -> Result<ImportedBvh, MocapError> {
    let read = |up, person: Option<&Human>| {
        with_up(file, stem, bytes, (options, up, person), motion_options)
    };
    let asked = options.up.unwrap_or_default();
    let found = read(asked, None)?;
    let clip = found.motion.as_ref().map(|motion| &motion.clip);
    let seen = up_axis::find(&found.skeleton.skeleton, clip);
    let up = match options.up {
        Some(_) => UpAxis::Y,
        None => seen.up,
    };
    if up == UpAxis::Y {
        // Whoever only the motion shows tells the unit too.
        return match seen.person {
            Some(person) => read(asked, Some(&person)),
            None => Ok(found),
        };
    }
    let mut found = read(up, seen.person.as_ref())?;
    found.skeleton.notes.push(up_axis::found_note(up));
    if let Some(motion) = &mut found.motion {
        motion.notes.push(up_axis::found_note(up));
    }
    Ok(found)
}

fn with_up(
    file: &str,
    stem: &str,
    bytes: &[u8],
    (options, up, person): (SkeletonOptions, UpAxis, Option<&Human>),
    motion_options: MotionOptions,
) -> Result<ImportedBvh, MocapError> {
    let (document, rows) = bvh::open(file, bytes)?;
    let mut notes = Notes::default();
    let note = |notes: &mut Notes, list: Vec<Note>| list.into_iter().for_each(|it| notes.add(it));
    note(&mut notes, document.notes.clone());

    let mut first_row = Vec::new();
    // On a copy: whether the file is in inches or centimetres may take a pose
    // to tell, before any row can be converted.
    rows.clone().next_into(&mut first_row)?;
    let skeleton_in =
        |length, notes: &mut Notes| joints::skeleton(file, stem, &document, length, up, notes);
    let length = match options.unit {
        Some(unit) => LengthScale {
            unit,
            assumed: false,
            divisor: 1.0,
        },
        None => {
            let in_file_units = skeleton_in(scale::FILE_UNITS, &mut Notes::default())?;
            scale::guess(&in_file_units, person, &document, &first_row, up)
        }
    };
    let skeleton = skeleton_in(length, &mut notes)?;
    scale::note(length).into_iter().for_each(|it| notes.add(it));

    let (fps, rate) = rate::frame_rate(document.frame_time, motion_options, &mut notes);
    let mut reader = Reader::new(&document, &skeleton, length.metres_per_unit());
    let frames = reader.read(rows, &mut notes)?;
    let notes = notes.into_list();
    let motion = (frames > 0).then(|| ImportedMotion {
        clip: RawClip {
            name: stem.to_owned(),
            fps,
            ..reader.clip
        },
        rate,
        source_asf: None,
        notes: notes.clone(),
    });
    let skeleton = ImportedSkeleton {
        skeleton,
        length,
        up,
        angle: Some(AngleUnit::Degrees),
        notes,
    };
    Ok(ImportedBvh { skeleton, motion })
}
