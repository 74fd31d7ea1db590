//! What an index says of a file, and how it is written.

use std::{fs::Metadata, path::Path, time::UNIX_EPOCH};

use crate::{
    codec::{DecodeError, bytes::ByteReader},
    units::LengthUnit,
};

/// What tells that a file is still the one that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    /// Its size.
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified_ns: u64,
}

impl FileStamp {
    /// Of a file as the system knows it.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        Self {
            bytes: metadata.len(),
            modified_ns: since.map_or(0, |it| it.as_nanos() as u64),
        }
    }

    /// Of the file that is there now, if one is.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|it| Self::of(&it))
    }
}

/// What is known of a clip without playing it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipFacts {
    /// Its name where the file holds several; the file's otherwise.
    pub name: String,
    /// Number of frames.
    pub frames: u32,
    /// Frames a second.
    pub fps: f64,
    /// The file does not say its rate.
    pub fps_assumed: bool,
    /// Joints, the root counted.
    pub joints: u32,
    /// Unit of length of the file.
    pub unit: Option<LengthUnit>,
    /// The file does not say its unit.
    pub unit_assumed: bool,
    /// How tall whoever moves is, in metres.
    pub height_m: f32,
    /// Mean horizontal speed of the hips, in metres a second.
    pub speed_m_s: f32,
    /// What the reader warned of: the first few.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u32,
    /// Where its rows begin among those of its file.
    pub first_row: u32,
    /// How many it has, ten a second; none where no person moves.
    pub rows: u32,
}

impl ClipFacts {
    /// Seconds from the first frame to the last.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        match self.fps > 0.0 {
            true => f64::from(self.frames.saturating_sub(1)) / self.fps,
            false => 0.0,
        }
    }
}

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileEntry {
    /// From the library's folder, with `/` between folders.
    pub path: String,
    /// The file as it was read.
    pub stamp: FileStamp,
    /// The file of its skeleton, where that is another, as it was read.
    pub skeleton: Option<(String, FileStamp)>,
    /// Why it cannot be read.
    pub fault: Option<String>,
    /// Its motions.
    pub clips: Vec<ClipFacts>,
    /// Where its rows begin in the file of rows, in bytes.
    pub rows_at: u64,
    /// Check sum of all its rows.
    pub rows_crc: u32,
}

impl FileEntry {
    /// Rows of all its clips.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.clips.iter().map(|clip| clip.rows as usize).sum()
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_text(out, &self.path);
        put_stamp(out, self.stamp);
        out.push(u8::from(self.skeleton.is_some()));
        if let Some((path, stamp)) = &self.skeleton {
            put_text(out, path);
            put_stamp(out, *stamp);
        }
        put_text(out, self.fault.as_deref().unwrap_or_default());
        out.extend(self.rows_at.to_le_bytes());
        out.extend(self.rows_crc.to_le_bytes());
        out.extend((self.clips.len() as u32).to_le_bytes());
        for clip in &self.clips {
            put_clip(out, clip);
        }
    }

    pub(super) fn read(reader: &mut ByteReader<'_>) -> Result<Self, DecodeError> {
        let path = text(reader)?;
        let stamp = stamp(reader)?;
        let skeleton = match reader.u8("skeleton flag")? {
            0 => None,
            _ => Some((text(reader)?, self::stamp(reader)?)),
        };
        let fault = Some(text(reader)?).filter(|it| !it.is_empty());
        let (rows_at, rows_crc) = (reader.u64("place of rows")?, reader.u32("sum of rows")?);
        let count = reader.u32("number of clips")?;
        let mut clips = Vec::new();
        for _ in 0..count {
            clips.push(read_clip(reader)?);
        }
        Ok(Self {
            path,
            stamp,
            skeleton,
            fault,
            clips,
            rows_at,
            rows_crc,
        })
    }
}

fn put_clip(out: &mut Vec<u8>, clip: &ClipFacts) {
    put_text(out, &clip.name);
    out.extend(clip.frames.to_le_bytes());
    out.extend(clip.fps.to_le_bytes());
    out.extend(clip.joints.to_le_bytes());
    let unit = LengthUnit::ALL.iter().position(|it| Some(*it) == clip.unit);
    out.push(unit.map_or(u8::MAX, |it| it as u8));
    out.push(u8::from(clip.fps_assumed) | u8::from(clip.unit_assumed) << 1);
    out.extend(clip.height_m.to_le_bytes());
    out.extend(clip.speed_m_s.to_le_bytes());
    out.extend(clip.warning_count.to_le_bytes());
    out.push(clip.warnings.len() as u8);
    clip.warnings.iter().for_each(|it| put_text(out, it));
    out.extend(clip.first_row.to_le_bytes());
    out.extend(clip.rows.to_le_bytes());
}

fn read_clip(reader: &mut ByteReader<'_>) -> Result<ClipFacts, DecodeError> {
    let (name, frames) = (text(reader)?, reader.u32("number of frames")?);
    let (fps, joints) = (reader.f64("rate")?, reader.u32("number of joints")?);
    let unit = LengthUnit::ALL
        .get(usize::from(reader.u8("unit")?))
        .copied();
    let flags = reader.u8("flags")?;
    let (height_m, speed_m_s) = (reader.f32("height")?, reader.f32("speed")?);
    let warning_count = reader.u32("number of warnings")?;
    let told = reader.u8("warnings told")?;
    let warnings = (0..told).map(|_| text(reader)).collect::<Result<_, _>>()?;
    Ok(ClipFacts {
        name,
        frames,
        fps,
        fps_assumed: flags & 1 != 0,
        joints,
        unit,
        unit_assumed: flags & 2 != 0,
        height_m,
        speed_m_s,
        warnings,
        warning_count,
        first_row: reader.u32("first row")?,
        rows: reader.u32("number of rows")?,
    })
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

pub(super) fn text(reader: &mut ByteReader<'_>) -> Result<String, DecodeError> {
    let size = reader.u32("length of a text")? as usize;
    let bytes = reader.take("text", size)?;
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn put_stamp(out: &mut Vec<u8>, stamp: FileStamp) {
    out.extend(stamp.bytes.to_le_bytes());
    out.extend(stamp.modified_ns.to_le_bytes());
}

fn stamp(reader: &mut ByteReader<'_>) -> Result<FileStamp, DecodeError> {
    Ok(FileStamp {
        bytes: reader.u64("size of a file")?,
        modified_ns: reader.u64("time of a file")?,
    })
}
