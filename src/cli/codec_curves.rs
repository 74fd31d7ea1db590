//! How small each codec gets for how much error, as a curve and a table.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use rayon::prelude::*;

use super::{Failure, codec_plots, folder::progress_bar};
use crate::{
    chart::{self, Chart, Series},
    codec::{CodecSettings, Stop, SweepPoint},
    load::LoadedMotion,
    output::Staged,
};

#[derive(Args, Debug)]
pub(super) struct PictureArgs {
    /// Also write the curve of ratio over error of each codec asked for, over all motions, at six
    /// settings: .svg or .csv
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    curves: Option<PathBuf>,
    /// Also draw what each codec makes of one joint of the first motion, as SVG
    #[arg(long, value_name = "FILE.svg", conflicts_with = "resume")]
    plot: Option<PathBuf>,
    /// Also draw the first motion's wavelet coefficients as SVG: what the threshold drops
    #[arg(long, value_name = "FILE.svg", conflicts_with = "resume")]
    coefficients: Option<PathBuf>,
    /// Whose rotation --plot and --coefficients draw [default: the joint that moves most]
    #[arg(long, value_name = "NAME")]
    joint: Option<String>,
}

impl PictureArgs {
    pub fn outputs(&self) -> impl Iterator<Item = &Path> {
        [&self.curves, &self.plot, &self.coefficients]
            .into_iter()
            .filter_map(Option::as_deref)
    }

    /// Everything that was asked for, staged.
    pub fn draw(
        &self,
        motions: &[LoadedMotion],
        settings: &[CodecSettings],
        staged: &mut Staged,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.curves {
            let text = match path.extension().and_then(|it| it.to_str()) {
                Some("svg") => svg as fn(&[(CodecSettings, Whole)]) -> String,
                Some("csv") => csv,
                _ => {
                    let problem = "--curves writes .svg or .csv: end the name with one of them";
                    return Err(Failure::Usage(problem.into()));
                }
            };
            staged.add(path, text(&curves(motions, settings)).as_bytes())?;
        }
        let Some(motion) = motions.first() else {
            return Ok(());
        };
        let joint = self.joint.as_deref();
        if let Some(path) = &self.plot {
            let plot = codec_plots::plot(motion, settings, joint)?;
            staged.add(path, plot.as_bytes())?;
        }
        if let Some(path) = &self.coefficients {
            let picture = codec_plots::coefficients(motion, settings, joint)?;
            staged.add(path, picture.as_bytes())?;
        }
        Ok(())
    }
}

/// All motions at one setting.
#[derive(Clone, Copy, Default)]
struct Whole {
    bytes: f64,
    raw_bytes: f64,
    secs: f64,
    max_cm: f64,
    /// Sum over frames.
    mean_cm: f64,
    frames: f64,
}

impl Whole {
    fn add(mut self, other: Self) -> Self {
        self.bytes += other.bytes;
        self.raw_bytes += other.raw_bytes;
        self.secs += other.secs;
        self.max_cm = self.max_cm.max(other.max_cm);
        self.mean_cm += other.mean_cm;
        self.frames += other.frames;
        self
    }
}

/// Every codec at every setting of its sweep; settings that a codec cannot hold
/// on some motion are left out.
fn curves(motions: &[LoadedMotion], settings: &[CodecSettings]) -> Vec<(CodecSettings, Whole)> {
    let all = settings
        .iter()
        .flat_map(|it| it.knob().sweep().map(|value| it.with(value)));
    let all: Vec<CodecSettings> = all.collect();
    let progress = progress_bar(all.len() * motions.len());
    let whole = |settings: &CodecSettings| {
        let each = motions.par_iter().map(|motion| {
            let found = one(motion, *settings);
            progress.inc(1);
            found
        });
        let whole = each.try_reduce(Whole::default, |a, b| Some(a.add(b)))?;
        Some((*settings, whole))
    };
    let found = all.iter().filter_map(whole).collect();
    progress.finish_and_clear();
    found
}

fn one(motion: &LoadedMotion, settings: CodecSettings) -> Option<Whole> {
    let raw = motion.raw();
    let point = SweepPoint::measure(motion.skeleton(), raw, settings, Stop::NEVER)?;
    let frames = raw.frames() as f64;
    Some(Whole {
        bytes: point.bytes as f64,
        raw_bytes: raw.raw_bytes() as f64,
        secs: frames / raw.fps,
        max_cm: point.errors.max_cm,
        mean_cm: point.errors.mean_cm * frames,
        frames,
    })
}

fn csv(points: &[(CodecSettings, Whole)]) -> String {
    let mut text = "codec,setting,ratio,bytes,bytes_per_s,max_error_cm,mean_error_cm\n".to_owned();
    for (settings, whole) in points {
        let _ = writeln!(
            text,
            "{},{},{:.4},{},{:.1},{:.6},{:.6}",
            settings.codec_name(),
            settings.value(),
            whole.raw_bytes / whole.bytes,
            whole.bytes,
            whole.bytes / whole.secs,
            whole.max_cm,
            whole.mean_cm / whole.frames
        );
    }
    text
}

fn svg(points: &[(CodecSettings, Whole)]) -> String {
    let series = |codec: &CodecSettings| {
        let name = codec.codec_name();
        let own = points.iter().filter(|(it, _)| it.codec_name() == name);
        let points = own.map(|(_, whole)| [whole.max_cm, whole.raw_bytes / whole.bytes]);
        let mut points: Vec<[f64; 2]> = points.collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Series {
            name: name.to_owned(),
            points,
            ..Series::default()
        }
    };
    let series = CodecSettings::ALL.iter().map(series);
    chart::stacked(&[Chart {
        title: "How small for how much error".into(),
        x_label: "largest error at source frames, cm".into(),
        y_label: "raw bytes ÷ bytes".into(),
        series: series.filter(|it| !it.points.is_empty()).collect(),
        logarithmic: true,
        ..Chart::default()
    }])
}
