//! A clip as a section's body.
//!
//! ```text
//! u16 skeleton    u16 animated joints    u8 codec    u8 marks
//! f64 setting    f32 largest error in cm    text name    text source
//! the codec's bytes, to the end
//! ```
//!
//! Marks: 1 the frame rate is assumed, 2 errors are those of all points within
//! 3 cm of a joint (without it of three points, as version 0.1 measured),
//! 4 scales and morph weights stand before the codec's own bytes.
//! Codecs: 1 classic (setting: threshold), 2 spline (tolerance in cm),
//! 3 tight (tolerance in cm), 4 keys at even distances (frames from key to key),
//! 5 uniform (bits), 6 resampled (samples a second), 7 linear, 8 bspline,
//! 9 wavelet (threshold).

use std::sync::Arc;

use super::{KinClip, KinSkeleton, put_text, read_text};
use crate::clip::SampleClip;
use crate::codec::{
    CodecSettings, CompressedClip, DecodeError, SidedClip, bad_field,
    baseline::{BsplineClip, RowClip, WaveletClip},
    bytes::{ByteReader, SharedBytes},
    keys::KeyClip,
    metric::ErrorMeasure,
    tight::TightClip,
};

const RATE_MARK: u8 = 1;
const BALL_MARK: u8 = 2;
const BESIDE_MARK: u8 = 4;

/// By their numbers, from 1 on.
const CODECS: [CodecSettings; 9] = [
    CodecSettings::Classic { threshold: 0.0 },
    CodecSettings::Spline { tolerance_cm: 0.0 },
    CodecSettings::Tight { tolerance_cm: 0.0 },
    CodecSettings::Every { frames: 0 },
    CodecSettings::Uniform { bits: 0 },
    CodecSettings::Resampled { rate_hz: 0.0 },
    CodecSettings::Linear { threshold: 0.0 },
    CodecSettings::Bspline { threshold: 0.0 },
    CodecSettings::Wavelet { threshold: 0.0 },
];

pub(super) fn write(kin: &KinClip) -> Vec<u8> {
    let same = |known: &CodecSettings| known.codec_name() == kin.settings.codec_name();
    let codec = CODECS.iter().position(same).map_or(0, |at| at as u8 + 1);
    let mut out = Vec::new();
    out.extend((kin.skeleton as u16).to_le_bytes());
    out.extend((kin.animated as u16).to_le_bytes());
    let ball = match kin.measure {
        ErrorMeasure::Ball => BALL_MARK,
        ErrorMeasure::ThreePoints => 0,
    };
    let beside = match kin.clip {
        CompressedClip::Sided(_) => BESIDE_MARK,
        _ => 0,
    };
    let rate = u8::from(kin.fps_assumed) * RATE_MARK;
    out.extend([codec, ball | rate | beside]);
    out.extend(kin.settings.value().to_le_bytes());
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
    let known = usize::from(codec).checked_sub(1);
    let Some(settings) = known.and_then(|at| CODECS.get(at)) else {
        return Err(bad_field("codec", codec, "1 to 9"));
    };
    let settings = settings.with(setting);
    let read = |bytes| read_codec(settings, bytes, on);
    let clip = match marks & BESIDE_MARK {
        0 => read(payload)?,
        _ => CompressedClip::Sided(SidedClip::from_bytes(payload, read)?),
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

fn read_codec(
    settings: CodecSettings,
    payload: SharedBytes,
    on: &KinSkeleton,
) -> Result<CompressedClip, DecodeError> {
    Ok(match settings {
        CodecSettings::Tight { .. } => {
            CompressedClip::Tight(Box::new(TightClip::from_bytes(payload, &on.skeleton)?))
        }
        CodecSettings::Uniform { .. } | CodecSettings::Resampled { .. } => {
            CompressedClip::Rows(RowClip::from_bytes(payload)?)
        }
        CodecSettings::Bspline { .. } => CompressedClip::Bspline(BsplineClip::from_bytes(payload)?),
        CodecSettings::Wavelet { .. } => CompressedClip::Wavelet(WaveletClip::from_bytes(payload)?),
        CodecSettings::Classic { .. }
        | CodecSettings::Every { .. }
        | CodecSettings::Linear { .. }
        | CodecSettings::Spline { .. } => CompressedClip::Keys(KeyClip::from_bytes(payload)?),
    })
}
