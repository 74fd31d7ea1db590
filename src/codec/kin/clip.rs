//! A clip as a section's body.
//!
//! ```text
//! u16 skeleton    u16 animated joints    u8 codec    u8 marks
//! f64 setting    f32 largest error in cm    text name    text source
//! the codec's bytes, to the end
//! ```
//!
//! Marks: 1 the frame rate is assumed, 2 errors are those of all points within
//! 3 cm of a joint (without it of three points, as version 0.1 measured).
//! Codecs: 1 classic (setting: threshold), 2 spline (tolerance in cm),
//! 3 tight (tolerance in cm), 4 keys at even distances (frames from key to key).

use std::sync::Arc;

use super::{KinClip, KinSkeleton, put_text, read_text};
use crate::clip::SampleClip;
use crate::codec::{
    CodecSettings, CompressedClip, DecodeError, bad_field,
    bytes::{ByteReader, SharedBytes},
    keys::KeyClip,
    metric::ErrorMeasure,
    tight::TightClip,
};

const RATE_MARK: u8 = 1;
const BALL_MARK: u8 = 2;

pub(super) fn write(kin: &KinClip) -> Vec<u8> {
    let (codec, setting) = match kin.settings {
        CodecSettings::Classic { threshold } => (1, threshold),
        CodecSettings::Spline { tolerance_cm } => (2, tolerance_cm),
        CodecSettings::Tight { tolerance_cm } => (3, tolerance_cm),
        CodecSettings::Every { frames } => (4u8, f64::from(frames)),
    };
    let mut out = Vec::new();
    out.extend((kin.skeleton as u16).to_le_bytes());
    out.extend((kin.animated as u16).to_le_bytes());
    let ball = match kin.measure {
        ErrorMeasure::Ball => BALL_MARK,
        ErrorMeasure::ThreePoints => 0,
    };
    out.extend([codec, ball | (u8::from(kin.fps_assumed) * RATE_MARK)]);
    out.extend(setting.to_le_bytes());
    out.extend(kin.max_error_cm.to_le_bytes());
    put_text(&mut out, &kin.name);
    put_text(&mut out, &kin.source);
    out.extend(kin.clip.as_bytes());
    out
}

pub(super) fn read(
    body: &SharedBytes,
    skeletons: &[Arc<KinSkeleton>],
) -> Result<KinClip, DecodeError> {
    let mut reader = ByteReader::new(body);
    let skeleton = usize::from(reader.u16("skeleton number")?);
    let animated = usize::from(reader.u16("animated joints")?);
    let codec = reader.u8("codec")?;
    let marks = reader.u8("marks")?;
    let setting = reader.f64("codec setting")?;
    let max_error_cm = reader.f32("largest error")?;
    let name = read_text(&mut reader, "clip name")?;
    let source = read_text(&mut reader, "clip source")?;
    let Some(on) = skeletons.get(skeleton) else {
        let found = skeleton as u64;
        return Err(bad_field(
            "skeleton number",
            found,
            "of a skeleton before the clip",
        ));
    };
    let payload = body.slice(reader.position()..body.len());
    let settings = match codec {
        1 => CodecSettings::Classic { threshold: setting },
        2 => CodecSettings::Spline {
            tolerance_cm: setting,
        },
        3 => CodecSettings::Tight {
            tolerance_cm: setting,
        },
        4 => CodecSettings::Every {
            frames: setting as u32,
        },
        other => return Err(bad_field("codec", other, "1 to 4")),
    };
    let clip = match settings {
        CodecSettings::Tight { .. } => {
            CompressedClip::Tight(Box::new(TightClip::from_bytes(payload, &on.skeleton)?))
        }
        _ => CompressedClip::Keys(KeyClip::from_bytes(payload)?),
    };
    if clip.joints() != on.skeleton.len() {
        let found = clip.joints() as u64;
        return Err(bad_field(
            "joint count of the clip",
            found,
            "that of its skeleton",
        ));
    }
    Ok(KinClip {
        name,
        source,
        fps_assumed: marks & RATE_MARK != 0,
        animated,
        settings,
        max_error_cm,
        measure: match marks & BALL_MARK {
            0 => ErrorMeasure::ThreePoints,
            _ => ErrorMeasure::Ball,
        },
        skeleton,
        clip,
        events: None,
    })
}
