//! `keys`: every track, component and key of a file that has keys.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::Args;
use glam::{Quat, Vec3};
use serde::Serialize;

use super::{
    Failure, ReadArgs,
    inputs::Inputs,
    path_as_text, print_json,
    terminal::{data_out, printable},
};
use crate::{
    clip::{Curve, KeyTrack, KeyValue, TrackClip},
    load::{Loaded, LoadedMotion},
};

#[derive(Args, Debug)]
pub(super) struct KeysArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Only tracks of this joint, as the file spells it
    #[arg(long, value_name = "NAME")]
    joint: Option<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The keys of one clip.
#[derive(Debug, Serialize)]
struct ClipKeys {
    #[serde(serialize_with = "path_as_text")]
    path: PathBuf,
    clip: String,
    /// First and last key of any track.
    start_s: f64,
    end_s: f64,
    keys: usize,
    tracks: Vec<Track>,
}

/// One value of one joint, or one morph weight.
#[derive(Debug, Serialize)]
struct Track {
    #[serde(skip_serializing_if = "Option::is_none")]
    joint: Option<String>,
    /// Counted from 0 over all meshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    morph: Option<usize>,
    component: &'static str,
    curve: &'static str,
    keys: Vec<Key>,
}

/// A key; tangents, a second, where its curve is cubic.
#[derive(Debug, Serialize)]
struct Key {
    t_s: f32,
    value: Vec<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tangent_in: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tangent_out: Option<Vec<f32>>,
}

/// A key's value as plain numbers.
trait Numbers: KeyValue {
    fn numbers(self) -> Vec<f32>;
}

impl Numbers for f32 {
    fn numbers(self) -> Vec<f32> {
        vec![self]
    }
}

impl Numbers for Vec3 {
    fn numbers(self) -> Vec<f32> {
        self.to_array().into()
    }
}

impl Numbers for Quat {
    fn numbers(self) -> Vec<f32> {
        self.to_array().into()
    }
}

pub(super) fn run(args: &KeysArgs) -> Result<(), Failure> {
    let inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.complete()?;
    let motions: Vec<LoadedMotion> = { inputs.loaded.into_iter() }
        .filter_map(Loaded::into_motion)
        .collect();
    if motions.is_empty() {
        return Err(Failure::Usage("none of the files holds a motion".into()));
    }
    let clips: Result<Vec<ClipKeys>, Failure> =
        motions.iter().map(|it| clip_keys(it, args)).collect();
    match args.json {
        true => print_json(&clips?),
        false => Ok(print(&clips?)?),
    }
}

fn clip_keys(motion: &LoadedMotion, args: &KeysArgs) -> Result<ClipKeys, Failure> {
    let clip = motion
        .keys()
        .ok_or_else(|| Failure::Usage(keyless(motion)))?;
    let names = motion.skeleton().joints().iter();
    let names: Vec<&str> = names.map(|joint| joint.name.as_str()).collect();
    let mut tracks = tracks(&clip, &names);
    if let Some(wanted) = &args.joint {
        tracks.retain(|track| track.joint.as_ref() == Some(wanted));
        if tracks.is_empty() {
            let label = motion.label();
            return Err(Failure::Usage(format!(
                "{label}: no track moves {wanted:?}"
            )));
        }
    }
    let times = tracks.iter().flat_map(|track| &track.keys);
    let times = times.map(|key| f64::from(key.t_s));
    let (start_s, end_s) = times.fold((f64::INFINITY, 0.0_f64), |(start, end), secs| {
        (start.min(secs), end.max(secs))
    });
    Ok(ClipKeys {
        path: motion.path.clone(),
        clip: motion.name.clone(),
        start_s: start_s.min(end_s),
        end_s,
        keys: tracks.iter().map(|track| track.keys.len()).sum(),
        tracks,
    })
}

/// Why there are none, and what to do.
fn keyless(motion: &LoadedMotion) -> String {
    let label = motion.label();
    match motion.compressed() {
        Some(clip) => format!(
            "{label}: {} holds coefficients or bones that stretch, no keys; `--codec spline` of `compress` does",
            clip.settings.codec_name()
        ),
        None => format!(
            "{label} holds frames, no keys; `kinetoscope compress … -o FILE.kin` chooses keys, `convert -o FILE.csv` prints frames"
        ),
    }
}

/// Joint after joint, and of each joint its components together.
fn tracks(clip: &TrackClip, names: &[&str]) -> Vec<Track> {
    let mut tracks: Vec<(usize, Track)> = Vec::new();
    tracks.extend(
        clip.translations
            .iter()
            .map(|it| of_joint(it, "translation", names)),
    );
    tracks.extend(
        clip.rotations
            .iter()
            .map(|it| of_joint(it, "rotation", names)),
    );
    tracks.extend(clip.scales.iter().map(|it| of_joint(it, "scale", names)));
    // Stable: components of a joint stay in the order above.
    tracks.sort_by_key(|(joint, _)| *joint);
    let weights = clip.weights.iter().map(|it| Track {
        morph: Some(usize::from(it.of)),
        ..track(it, "weight")
    });
    tracks
        .into_iter()
        .map(|(_, track)| track)
        .chain(weights)
        .collect()
}

fn of_joint<T: Numbers>(
    of: &KeyTrack<T>,
    component: &'static str,
    names: &[&str],
) -> (usize, Track) {
    let index = usize::from(of.of);
    let joint = names.get(index).map(|name| (*name).to_owned());
    (
        index,
        Track {
            joint,
            ..track(of, component)
        },
    )
}

fn track<T: Numbers>(of: &KeyTrack<T>, component: &'static str) -> Track {
    let (keys, values) = (&of.keys, of.keys.values());
    let cubic = keys.curve() == Curve::Cubic;
    let tangent = |index: usize| cubic.then(|| values[index].numbers());
    Track {
        joint: None,
        morph: None,
        component,
        curve: match keys.curve() {
            Curve::Step => "step",
            Curve::Linear => "linear",
            Curve::Cubic => "cubic",
        },
        keys: { keys.times_secs().iter().enumerate() }
            .map(|(index, &t_s)| Key {
                t_s,
                value: keys.value(index).numbers(),
                tangent_in: tangent(3 * index),
                tangent_out: tangent(3 * index + 2),
            })
            .collect(),
    }
}

/// A heading a clip and a track, a line a key.
fn print(clips: &[ClipKeys]) -> io::Result<()> {
    let mut out = data_out();
    for clip in clips {
        let name = format!("{}#{}", clip.path.display(), clip.clip);
        let (tracks, keys) = (clip.tracks.len(), clip.keys);
        let (start, end) = (clip.start_s, clip.end_s);
        writeln!(
            out,
            "{}: {tracks} tracks, {keys} keys, {start:.4} s to {end:.4} s",
            printable(&name)
        )?;
        for track in &clip.tracks {
            print_track(&mut out, track)?;
        }
    }
    out.flush()
}

fn print_track(out: &mut impl Write, track: &Track) -> io::Result<()> {
    let of = match (&track.joint, track.morph) {
        (Some(joint), _) => printable(joint).into_owned(),
        (None, morph) => format!("morph {}", morph.unwrap_or_default()),
    };
    let (component, curve) = (track.component, track.curve);
    writeln!(
        out,
        "  {of} {component}, {curve}, {} keys",
        track.keys.len()
    )?;
    for key in &track.keys {
        write!(out, "    {:>10.4} s {}", key.t_s, numbers(&key.value))?;
        if let (Some(arriving), Some(leaving)) = (&key.tangent_in, &key.tangent_out) {
            write!(out, "   in {}  out {}", numbers(arriving), numbers(leaving))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn numbers(values: &[f32]) -> String {
    values
        .iter()
        .map(|value| format!("{value:>11.6}"))
        .collect()
}
