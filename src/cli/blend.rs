//! `blend`: motions registered, and their blend as a motion.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use serde::Serialize;

use super::{
    Failure, ReadArgs, convert,
    inputs::Inputs,
    same_skeleton::{self, MotionEntry, ResultArgs},
};
use crate::{
    clip::{Planar, RawClip, SampleClip},
    output::Staged,
    register::{
        Blend, BlendContact, PathOptions, PlainBlend, RegisterError, Registration, Weights,
    },
};

#[derive(Args, Debug)]
pub(super) struct BlendArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// How much each motion counts, such as 0.3,0.7; equal when left out.
    /// Several, parted by `/`, follow each other over the blend: 1,0/0,1 leads
    /// from the first motion to the second
    #[arg(long, value_name = "W,W,…")]
    weights: Option<String>,
    /// By share of length, the root as it is, for comparison
    #[arg(long)]
    plain: bool,
    /// Writes a picture of the distances with the path through them: the first
    /// motion runs down, the second to the right
    #[arg(long, value_name = "PNG")]
    grid: Option<PathBuf>,
    /// The file to write, in any format that `convert` writes
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    result: ResultArgs,
}

#[derive(Serialize)]
struct Output {
    motions: Vec<MotionEntry>,
    weights: Vec<f64>,
    frames: usize,
    fps: f64,
    duration_s: f64,
    /// For every frame the seconds of each motion.
    warp: Vec<Vec<f64>>,
    /// For every frame where each motion is put, seen from the first.
    align: Vec<Vec<AlignEntry>>,
    contacts: Vec<ContactEntry>,
    cost_cm: f64,
    slide_cm: f64,
    plain_slide_cm: f64,
}

#[derive(Serialize)]
struct AlignEntry {
    x_m: f64,
    z_m: f64,
    yaw_deg: f64,
}

#[derive(Serialize)]
struct ContactEntry {
    joint: String,
    start_s: f64,
    end_s: f64,
    matched: bool,
}

pub(super) fn run(args: &BlendArgs) -> Result<(), Failure> {
    let inputs = Inputs::load(&args.read.files, args.read.library_options());
    let outputs = [Some(args.output.as_path()), args.grid.as_deref()];
    let force = args.result.force;
    force.check(&inputs.paths, outputs.into_iter().flatten())?;
    inputs.complete_to_write()?;
    let motions = same_skeleton::motions(inputs.loaded)?;
    let skeleton = Arc::new(motions[0].skeleton().clone());
    let clips: Vec<Arc<RawClip>> = motions.iter().map(|it| Arc::clone(it.raw())).collect();
    let weights = args.parsed_weights(clips.len())?;
    let refused = |error: RegisterError| same_skeleton::refused(&error, &motions);
    let found = Registration::new(&skeleton, clips.clone(), &PathOptions::default());
    let found = Arc::new(found.map_err(refused)?);
    let plain = PlainBlend::new(&skeleton, clips, &weights).map_err(refused)?;
    let blend = Blend::new(&found, weights).map_err(refused)?;
    let played: &dyn SampleClip = if args.plain { &plain } else { &blend };
    let clip = RawClip::sampled_from("blend", &skeleton, played);
    let mut staged = Staged::default();
    if let Some(path) = &args.grid {
        stage_grid(path, &found, &mut staged)?;
    }
    let entries = motions.iter().map(MotionEntry::of).collect();
    convert::stage_motion(&motions[0], clip, &args.output, force, &mut staged)?;
    let output = output(entries, &blend, &plain, args.plain);
    staged.commit()?;
    args.result.tell(&output, report)
}

impl BlendArgs {
    fn parsed_weights(&self, motions: usize) -> Result<Weights, Failure> {
        let Some(text) = &self.weights else {
            let equal = Weights::constant(&vec![1.0; motions]);
            return equal.map_err(|error| Failure::Usage(error.to_string()));
        };
        let number = |text: &str| {
            let problem = || Failure::Usage(format!("--weights: {text:?} is not a number"));
            text.trim().parse::<f64>().map_err(|_| problem())
        };
        let lists: Vec<&str> = text.split('/').collect();
        let mut keys = Vec::with_capacity(lists.len());
        for (index, list) in lists.iter().enumerate() {
            let weights = list
                .split(',')
                .map(number)
                .collect::<Result<Vec<f64>, _>>()?;
            let share = index as f64 / lists.len().saturating_sub(1).max(1) as f64;
            keys.push((share, weights));
        }
        let weights = Weights::over_time(&keys);
        let weights = weights.map_err(|error| Failure::Usage(format!("--weights: {error}")))?;
        match weights.motions() == motions {
            true => Ok(weights),
            false => Err(Failure::Usage(format!(
                "--weights: {} weights for {motions} motions",
                weights.motions()
            ))),
        }
    }
}

fn output(motions: Vec<MotionEntry>, blend: &Blend, plain: &PlainBlend, is_plain: bool) -> Output {
    let found = blend.registration();
    let shown: &dyn SampleClip = if is_plain { plain } else { blend };
    let secs = |frame: usize| frame as f64 / shown.fps();
    let entry = |place: Planar| AlignEntry {
        x_m: place.position.x,
        z_m: place.position.y,
        yaw_deg: place.heading.to_degrees(),
    };
    let align = |frame: usize| match is_plain {
        true => found
            .motions()
            .iter()
            .map(|_| entry(Planar::IDENTITY))
            .collect(),
        false => {
            let places = found.alignments_at(blend.reference_secs(secs(frame)));
            places.into_iter().map(entry).collect()
        }
    };
    let warp = |frame: usize| match is_plain {
        true => {
            let share = secs(frame) / shown.duration_secs().max(1e-9);
            found
                .motions()
                .iter()
                .map(|clip| share * clip.duration_secs())
                .collect()
        }
        false => blend.source_times(secs(frame)),
    };
    let contact = |contact: &BlendContact| ContactEntry {
        joint: found.skeleton().joints()[usize::from(contact.joint)]
            .name
            .clone(),
        start_s: contact.span_secs[0],
        end_s: contact.span_secs[1],
        matched: contact.matched,
    };
    Output {
        motions,
        weights: blend.weights().all_at(0.0),
        frames: shown.frames(),
        fps: shown.fps(),
        duration_s: shown.duration_secs(),
        warp: (0..shown.frames()).map(warp).collect(),
        align: (0..shown.frames()).map(align).collect(),
        contacts: blend.contacts().iter().map(contact).collect(),
        cost_cm: 100.0 * found.cost_m(),
        slide_cm: 100.0
            * if is_plain {
                plain.slide_m()
            } else {
                blend.slide_m()
            },
        plain_slide_cm: 100.0 * plain.slide_m(),
    }
}

fn report(output: &Output) -> String {
    format!(
        "{} motions, {} frames, {:.2} s; registered joints {:.1} cm apart, {} stances; \
         standing feet slide {:.1} cm, plainly blended {:.1} cm",
        output.motions.len(),
        output.frames,
        output.duration_s,
        output.cost_cm,
        output.contacts.len(),
        output.slide_cm,
        output.plain_slide_cm
    )
}

#[cfg(feature = "viewer")]
fn stage_grid(
    path: &std::path::Path,
    found: &Registration,
    staged: &mut Staged,
) -> Result<(), Failure> {
    let Some((_, pair)) = found.pairs().first() else {
        return Ok(());
    };
    let (size, rgba) = pair.picture();
    let bytes = crate::output::png_bytes(size, &rgba)?;
    Ok(staged.add(path, &bytes)?)
}

#[cfg(not(feature = "viewer"))]
fn stage_grid(_: &std::path::Path, _: &Registration, _: &mut Staged) -> Result<(), Failure> {
    Err(Failure::Usage(
        "--grid: this build draws no pictures".into(),
    ))
}
