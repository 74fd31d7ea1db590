//! One joint through codecs: its curve before and after, and what a wavelet's
//! threshold drops of it.

use super::Failure;
use crate::{
    chart::{self, Chart, HeatMap, Series},
    clip::{ClipCursor, RawClip, SampleClip},
    codec::{
        CodecSettings, CompressedClip,
        baseline::{Cell, Scalogram},
        metric::ErrorTable,
    },
    load::LoadedMotion,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// Columns of the picture of coefficients.
const COLUMNS: usize = 180;
/// Decoded poses a frame: what a codec shows between frames is seen too.
const POSES_A_FRAME: usize = 4;
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A chart for each codec: a joint's rotation as it was and as it comes back.
pub(super) fn plot(
    motion: &LoadedMotion,
    settings: &[CodecSettings],
    joint: Option<&str>,
) -> Result<String, Failure> {
    let (skeleton, raw): (&Skeleton, &RawClip) = (motion.skeleton(), motion.raw());
    let joint = chosen(motion, joint)?;
    let source = curve(skeleton, raw, joint, 1);
    let component = liveliest(&source);
    let each = settings.iter().map(|settings| {
        let clip = settings.compress(skeleton, raw).map_err(|error| {
            Failure::Usage(format!(
                "{}: {}: {error}",
                motion.label(),
                settings.codec_name()
            ))
        })?;
        let decoded = curve(skeleton, &clip, joint, POSES_A_FRAME);
        let max_cm = ErrorTable::measure_clip(skeleton, raw, &clip)
            .summary()
            .max_cm;
        let ratio = raw.raw_bytes() as f64 / clip.as_bytes().len() as f64;
        let step = 1.0 / raw.fps;
        let line = |name: &str, values: &[[f32; 4]], step: f64| {
            Series::even(name, step, values.iter().map(|it| f64::from(it[component])))
        };
        Ok(Chart {
            title: format!(
                "{} at {}: {ratio:.1} : 1, error {max_cm:.2} cm at most",
                settings.codec_name(),
                super::figures::Setting::from(*settings)
            ),
            x_label: "time, s".into(),
            y_label: format!(
                "{} of the quaternion of {}",
                COMPONENTS[component],
                skeleton.joints()[joint].name
            ),
            series: vec![
                line("source", &source, step),
                line("decoded", &decoded, step / POSES_A_FRAME as f64),
            ],
            marks: key_times(&clip, joint),
            ..Chart::default()
        })
    });
    let charts = each.collect::<Result<Vec<Chart>, Failure>>()?;
    Ok(chart::stacked(&charts))
}

/// A joint's quaternions, signs continuous.
fn curve(
    skeleton: &Skeleton,
    clip: &dyn SampleClip,
    joint: usize,
    a_frame: usize,
) -> Vec<[f32; 4]> {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut before = None;
    let poses = 0..=(clip.frames() - 1) * a_frame;
    let value = |index: usize| {
        let secs = index as f64 / (clip.fps() * a_frame as f64);
        clip.sample(skeleton, secs, &mut cursor, &mut pose);
        let q = pose.joints()[joint].rotation;
        let q = if q.dot(before.unwrap_or(q)) < 0.0 {
            -q
        } else {
            q
        };
        before = Some(q);
        // One of the two that are one rotation, the same for source and decoded.
        q.to_array()
    };
    let mut curve: Vec<[f32; 4]> = poses.map(value).collect();
    let largest = curve.first().map_or(0.0, |q| {
        { q.iter() }.fold(
            0.0f32,
            |best, it| if it.abs() > best.abs() { *it } else { best },
        )
    });
    if largest < 0.0 {
        curve.iter_mut().flatten().for_each(|it| *it = -*it);
    }
    curve
}

fn span(curve: &[[f32; 4]], component: usize) -> f32 {
    let values = curve.iter().map(|it| it[component]);
    values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
}

/// The component that changes most.
fn liveliest(curve: &[[f32; 4]]) -> usize {
    let by_span = |a: &usize, b: &usize| span(curve, *a).total_cmp(&span(curve, *b));
    (0..4).max_by(by_span).unwrap_or(0)
}

/// The joint of a name, or the one that moves most.
fn chosen(motion: &LoadedMotion, wanted: Option<&str>) -> Result<usize, Failure> {
    let (skeleton, raw): (&Skeleton, &RawClip) = (motion.skeleton(), motion.raw());
    let all = raw.animated.iter().map(|&joint| usize::from(joint));
    let found = match wanted {
        Some(name) => { all }.find(|&joint| skeleton.joints()[joint].name == name),
        None => {
            let liveliness = |joint: usize| {
                let curve = curve(skeleton, raw, joint, 1);
                span(&curve, liveliest(&curve))
            };
            // The root's turns are the way through the room, not the motion.
            let below = all
                .filter(|&joint| joint != 0)
                .map(|it| (it, liveliness(it)));
            { below.max_by(|a, b| a.1.total_cmp(&b.1)) }.map(|(joint, _)| joint)
        }
    };
    found.ok_or_else(|| {
        let wanted = wanted.unwrap_or("any joint");
        Failure::Usage(format!(
            "{}: {wanted} has no rotation to draw; `pose` tells the joints",
            motion.label()
        ))
    })
}

/// Where a keyed clip has its keys.
fn key_times(clip: &CompressedClip, joint: usize) -> Vec<f64> {
    let CompressedClip::Keys(keys) = clip else {
        return Vec::new();
    };
    let frames = keys.rotation_key_frames(joint as JointIndex);
    frames
        .into_iter()
        .map(|frame| f64::from(frame) / clip.fps())
        .collect()
}

/// The picture of a joint's coefficients.
pub(super) fn coefficients(
    motion: &LoadedMotion,
    settings: &[CodecSettings],
    joint: Option<&str>,
) -> Result<String, Failure> {
    let is_wavelet = |it: &&CodecSettings| matches!(it, CodecSettings::Wavelet { .. });
    let asked = settings.iter().chain(&CodecSettings::ALL).find(is_wavelet);
    let threshold = asked.map_or(0.01, CodecSettings::value);
    let (skeleton, raw): (&Skeleton, &RawClip) = (motion.skeleton(), motion.raw());
    let joint = chosen(motion, joint)?;
    let found = Scalogram::of(raw, joint as JointIndex, threshold, COLUMNS).unwrap_or_default();
    let levels = found.rows.len();
    Ok(HeatMap {
        title: format!(
            "{}: {} of {} wavelet coefficients reach {threshold}; the others are grey",
            skeleton.joints()[joint].name,
            found.kept,
            found.all
        ),
        rows: found.rows.iter().map(|row| picture_row(row)).collect(),
        row_names: (0..levels).map(|row| row_name(levels - row, row)).collect(),
        x_label: "time, s".into(),
        x_end: RawClip::duration_secs(raw),
    }
    .to_svg())
}

fn picture_row(cells: &[Cell]) -> Vec<(f64, bool)> {
    let cell = |it: &Cell| (f64::from(it.largest), it.kept);
    cells.iter().map(cell).collect()
}

/// A detail of level n lasts 2ⁿ frames.
fn row_name(level: usize, row: usize) -> String {
    match row {
        0 => "means".into(),
        _ => format!("{} frames", 1 << level),
    }
}
