//! Animations on joints.

use glam::Vec3;

use super::{
    super::{
        amc::{ImportedMotion, MotionOptions, RateSource},
        names::UniqueNames,
    },
    ImportedClip,
    channels::{Animation, Channel, ChannelKeys},
    joint_tree::JointTree,
    parts::BuiltModel,
};
use crate::{
    clip::{ASSUMED_TRACK_FPS, KeyTrack, Keys, TrackClip},
    mocap::{
        Note,
        gltf::{GltfDocument, GltfError, GltfProblem, clip_name},
    },
    skeleton::{JointIndex, Skeleton},
};

/// Numbers that the frames of all clips may have beyond what their keys
/// warrant.
const FREE_VALUES: f64 = 4e6;

pub(super) fn clips(
    stem: &str,
    document: &GltfDocument,
    animations: Vec<Animation>,
    (tree, built): (&JointTree, &BuiltModel),
    skeleton: &Skeleton,
    options: MotionOptions,
) -> Result<Vec<ImportedClip>, GltfError> {
    let count = animations.len();
    let scales = tree.rest_scales();
    let held = scales.iter().filter(|&&it| it != Vec3::ONE).count();
    let bytes = (count as u64).saturating_mul((held * size_of::<KeyTrack<Vec3>>()) as u64);
    // Held scales are made for every clip, though the file states them once.
    document.spend("animations", bytes)?;
    let mut names = UniqueNames::default();
    let clips = animations
        .into_iter()
        .enumerate()
        .filter(|(_, it)| !it.channels.is_empty())
        .map(|(index, it)| {
            let name = clip_name(it.name.as_deref(), stem, index, count);
            let (name, fps) = (names.claim(&name), it.fps);
            let tracks = tracks(name, it.channels, tree, built, &scales);
            let mut clip = imported(tracks, fps, FREE_VALUES / count as f64, skeleton, options);
            clip.events = it.events;
            // Numbers that are finite as keys may not be between them.
            match clip.motion.clip.validate() {
                Ok(()) => Ok(clip),
                Err(error) => {
                    let at = format!("animations[{index}]");
                    Err(document.error(at, GltfProblem::Other(error.to_string())))
                }
            }
        });
    clips.collect()
}

fn tracks(
    name: String,
    channels: Vec<Channel>,
    tree: &JointTree,
    built: &BuiltModel,
    scales: &[Vec3],
) -> TrackClip {
    let mut clip = TrackClip {
        name,
        joints: tree.list.len(),
        morphs: built.model.morphs,
        ..TrackClip::default()
    };
    for channel in channels {
        add_channel(&mut clip, channel, tree, built);
    }
    hold_rest_scales(&mut clip, scales);
    sort(&mut clip.translations);
    sort(&mut clip.rotations);
    sort(&mut clip.scales);
    sort(&mut clip.weights);
    clip
}

fn add_channel(
    clip: &mut TrackClip,
    Channel { node, keys }: Channel,
    tree: &JointTree,
    built: &BuiltModel,
) {
    if let ChannelKeys::Weights(tracks) = keys {
        let first = built.first_morph[node];
        let numbered = first.into_iter().flat_map(|first| first..).zip(tracks);
        clip.weights.extend(numbered.map(|(morph, keys)| KeyTrack {
            of: morph as JointIndex,
            keys,
        }));
        return;
    }
    // Nodes outside the scene are not there.
    let Some(of) = tree.joint_of[node] else {
        return;
    };
    let joint = &tree.list[usize::from(of)];
    match keys {
        ChannelKeys::Translation(keys) => {
            let keys = keys.map(
                |it| joint.joint_translation(it),
                // Tangents are changes: they turn and scale, but have no
                // offset.
                |it| joint.joint_tangent(it),
            );
            clip.translations.push(KeyTrack { of, keys });
        }
        ChannelKeys::Rotation(keys) => {
            let keys = keys.map(|it| joint.joint_rotation(it), |it| joint.joint_rotation(it));
            clip.rotations.push(KeyTrack { of, keys });
        }
        ChannelKeys::Scale(keys) if joint.scales() => clip.scales.push(KeyTrack { of, keys }),
        ChannelKeys::Scale(_) | ChannelKeys::Weights(_) => {}
    }
}

/// A joint that another animation scales stands at its own scale in this one:
/// the clip alone says how its character looks.
fn hold_rest_scales(clip: &mut TrackClip, scales: &[Vec3]) {
    let mut known = vec![false; scales.len()];
    clip.scales
        .iter()
        .for_each(|it| known[usize::from(it.of)] = true);
    for (joint, &scale) in scales.iter().enumerate() {
        if !known[joint] && scale != Vec3::ONE {
            let (of, keys) = (joint as JointIndex, Keys::constant(scale));
            clip.scales.push(KeyTrack { of, keys });
        }
    }
}

/// By joint, one each: of two tracks for one value the first counts.
fn sort<T>(tracks: &mut Vec<KeyTrack<T>>) {
    tracks.sort_by_key(|it| it.of);
    tracks.dedup_by_key(|it| it.of);
}

fn imported(
    mut tracks: TrackClip,
    stated: Option<f64>,
    free_values: f64,
    skeleton: &Skeleton,
    options: MotionOptions,
) -> ImportedClip {
    let known = stated.or_else(|| tracks.frame_rate());
    let (wanted, rate) = match (options.fps, known) {
        (Some(fps), _) => (fps, RateSource::Given),
        (None, Some(fps)) => (fps, RateSource::Header),
        (None, None) => (ASSUMED_TRACK_FPS, RateSource::Assumed),
    };
    let fps = tracks.bearable_rate(wanted, free_values);
    tracks.fps = fps;
    let mut notes = Vec::new();
    if fps < wanted {
        notes.push(Note::warning(format!(
            "{:.0} s with {} keys: sampled at {fps:.3} frames a second instead of {wanted}",
            tracks.duration_secs(),
            tracks.key_count()
        )));
    }
    ImportedClip {
        motion: ImportedMotion {
            clip: tracks.resample(skeleton, fps),
            rate,
            source_asf: None,
            notes,
        },
        tracks,
        events: None,
    }
}
