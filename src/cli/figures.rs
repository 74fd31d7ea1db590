//! What `compress` reports of each clip and codec.

use std::{io::Write, path::PathBuf};

use serde::Serialize;

use super::{
    Failure, path_as_text,
    terminal::{data_out, printable},
};
use crate::{
    codec::{CodecSettings, Knob, metric::ErrorTable},
    units::number_text,
};

/// One entry of the JSON list; one row of the table.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CompressReport {
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    pub codec: &'static str,
    #[serde(flatten)]
    pub setting: Setting,
    pub frames: usize,
    pub joints: usize,
    pub keys: usize,
    pub keys_per_joint: f64,
    pub bytes: u64,
    pub raw_bytes: u64,
    /// Of playing.
    pub bytes_per_s: f64,
    pub raw_bytes_per_s: f64,
    pub ratio: f64,
    pub max_error_cm: f64,
    pub mean_error_cm: f64,
    pub p99_error_cm: f64,
    pub worst: Worst,
    pub max_rotation_deg: f64,
    /// Of morph targets, where any moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_weight_percent: Option<f64>,
    /// At three points 3 cm along the joint's axes, as others measure.
    pub shell_error_cm: f64,
    /// Half-way between frames, from the source sampled straight.
    pub half_linear_cm: f64,
    /// The same from the source sampled by a curve.
    pub half_cubic_cm: f64,
    pub compress_ms: f64,
    /// One pose, playing forward frame by frame.
    pub sample_us: f64,
}

/// The knob, under the name of the codec's own.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Setting {
    Bits(u32),
    RateHz(f64),
    Every(u32),
    Threshold(f64),
    ToleranceCm(f64),
}

/// Where the largest error is.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Worst {
    pub joint: String,
    pub frame: usize,
}

impl From<CodecSettings> for Setting {
    fn from(settings: CodecSettings) -> Self {
        let value = settings.value();
        match settings.knob() {
            Knob::Bits => Self::Bits(value as u32),
            Knob::RateHz => Self::RateHz(value),
            Knob::Frames => Self::Every(value as u32),
            Knob::Threshold => Self::Threshold(value),
            Knob::ToleranceCm => Self::ToleranceCm(value),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bits(bits) => write!(f, "{bits} bits"),
            Self::RateHz(value) => write!(f, "{} Hz", number_text(*value)),
            Self::Threshold(value) => f.write_str(&number_text(*value)),
            Self::ToleranceCm(value) => write!(f, "{} cm", number_text(*value)),
            Self::Every(frames) => write!(f, "{frames} frames"),
        }
    }
}

const HEADINGS: [&str; 13] = [
    "file",
    "codec",
    "setting",
    "ratio",
    "bytes",
    "bytes/s",
    "keys/joint",
    "max cm",
    "mean cm",
    "p99 cm",
    "half-way cm",
    "ms",
    "µs/pose",
];

/// A clip's figures, with its errors while memory holds them.
pub(super) type Measured = (CompressReport, Option<ErrorTable>);

/// A table for people: every clip, then every codec over all clips.
pub(super) fn print(all: &[Measured]) -> Result<(), Failure> {
    let mut rows: Vec<[String; 13]> = all.iter().map(|(figures, _)| row(figures)).collect();
    let known = CodecSettings::ALL.iter().map(CodecSettings::codec_name);
    let used = |codec: &&str| all.iter().any(|(figures, _)| figures.codec == *codec);
    let codecs: Vec<&'static str> = known.filter(used).collect();
    // A total of one file would say everything twice.
    let files = all.len() / codecs.len().max(1);
    if files > 1 {
        rows.extend(codecs.iter().filter_map(|codec| total(codec, all)));
    }
    let headings = HEADINGS.map(str::to_owned);
    let width = |i: usize| {
        let cells = rows
            .iter()
            .chain([&headings])
            .map(|row| row[i].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    let mut out = data_out();
    for cells in [&headings].into_iter().chain(&rows) {
        let cell = |(i, (cell, &width)): (usize, (&String, &usize))| match i {
            0..=1 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        };
        let line: Vec<String> = cells.iter().zip(&widths).enumerate().map(cell).collect();
        writeln!(out, "{}", line.join("  ").trim_end())?;
    }
    Ok(out.flush()?)
}

fn row(figures: &CompressReport) -> [String; 13] {
    let cm = |value: f64| match value.is_nan() {
        true => "–".to_owned(),
        false => format!("{value:.4}"),
    };
    [
        printable(&figures.path.display().to_string()).into_owned(),
        figures.codec.to_owned(),
        figures.setting.to_string(),
        format!("{:.2}", figures.ratio),
        number_text(figures.bytes as f64),
        format!("{:.0}", figures.bytes_per_s),
        format!("{:.1}", figures.keys_per_joint),
        cm(figures.max_error_cm),
        cm(figures.mean_error_cm),
        cm(figures.p99_error_cm),
        // The nearer reading: what neither of them shows is overshoot.
        cm(figures.half_linear_cm.min(figures.half_cubic_cm)),
        format!("{:.0}", figures.compress_ms),
        format!("{:.2}", figures.sample_us),
    ]
}

/// A codec over all clips: sums of bytes, errors over all joint-frames, times
/// per 1000 frames and per pose.
fn total(codec: &'static str, all: &[Measured]) -> Option<[String; 13]> {
    let of_codec = || {
        all.iter()
            .filter(move |(figures, _)| figures.codec == codec)
    };
    let sum = |part: &dyn Fn(&CompressReport) -> f64| of_codec().map(|(f, _)| part(f)).sum::<f64>();
    let largest = |part: &dyn Fn(&CompressReport) -> f64| {
        of_codec().map(|(f, _)| part(f)).fold(0.0, f64::max)
    };
    let (first, _) = of_codec().next()?;
    // Joined before they are summed up: a percentile of percentiles is none.
    let tables: Option<Vec<&ErrorTable>> = of_codec().map(|(_, it)| it.as_ref()).collect();
    let known = tables.map(|it| ErrorTable::joined(it.into_iter()).summary());
    // Of more clips than memory shall hold the percentile is not known.
    let cells = |f: &CompressReport| (f.frames * f.joints) as f64;
    let mean = sum(&|f| f.mean_error_cm * cells(f)) / sum(&cells).max(1.0);
    let mean_cm = known.as_ref().map_or(mean, |it| it.mean_cm);
    let p99_cm = known.as_ref().map_or(f64::NAN, |it| it.p99_cm);
    let frames = sum(&|f| f.frames as f64);
    let mut cells = row(&CompressReport {
        path: format!(
            "all {} ({} frames)",
            of_codec().count(),
            number_text(frames)
        )
        .into(),
        ratio: sum(&|f| f.raw_bytes as f64) / sum(&|f| f.bytes as f64),
        bytes: sum(&|f| f.bytes as f64) as u64,
        bytes_per_s: sum(&|f| f.bytes as f64) / sum(&|f| f.bytes as f64 / f.bytes_per_s),
        keys_per_joint: sum(&|f| f.keys as f64) / sum(&|f| f.joints as f64).max(1.0),
        max_error_cm: largest(&|f| f.max_error_cm),
        mean_error_cm: mean_cm,
        p99_error_cm: p99_cm,
        shell_error_cm: largest(&|f| f.shell_error_cm),
        half_linear_cm: largest(&|f| f.half_linear_cm),
        half_cubic_cm: largest(&|f| f.half_cubic_cm),
        compress_ms: sum(&|f| f.compress_ms) * 1000.0 / frames,
        // Weighted by frames: a short clip's mean counts for its own poses
        // only.
        sample_us: sum(&|f| f.sample_us * f.frames as f64) / frames,
        ..first.clone()
    });
    cells[11] += " per 1000";
    Some(cells)
}
