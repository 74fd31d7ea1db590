//! Clips as animations.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use super::{
    GlbMotion,
    buffer::{Buffer, Use},
    mesh::MorphNode,
};
use crate::{
    clip::{Curve, KeyTrack, KeyValue, RawClip, TrackClip},
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// An animation being written.
struct Writer<'a> {
    buffer: &'a mut Buffer,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

/// `None` for a clip that moves nothing: an animation must not be empty.
pub(super) fn write(
    motion: GlbMotion<'_>,
    (skeleton, morphs): (&Skeleton, &[MorphNode]),
    source: &str,
    buffer: &mut Buffer,
) -> Option<Value> {
    let mut writer = Writer {
        buffer,
        samplers: Vec::new(),
        channels: Vec::new(),
    };
    let (name, fps) = match motion {
        GlbMotion::Frames(clip) => {
            writer.frames(skeleton, clip, morphs);
            (&clip.name, clip.fps)
        }
        GlbMotion::Keys(clip) => {
            writer.keys(skeleton, clip, morphs);
            (&clip.name, clip.fps)
        }
    };
    if writer.channels.is_empty() {
        return None;
    }
    let mut animation = json!({
        "samplers": writer.samplers,
        "channels": writer.channels,
        "extras": { "source": source, "fps": fps },
    });
    if !name.is_empty() {
        animation["name"] = json!(name);
    }
    Some(animation)
}

impl Writer<'_> {
    fn channel(&mut self, node: usize, path: &str, times: &[f32], output: usize, curve: Curve) {
        let interpolation = match curve {
            Curve::Step => "STEP",
            Curve::Linear => "LINEAR",
            Curve::Cubic => "CUBICSPLINE",
        };
        let input = self.buffer.times(times);
        let target = json!({ "node": node, "path": path });
        let sampler = self.samplers.len();
        self.channels
            .push(json!({ "sampler": sampler, "target": target }));
        self.samplers
            .push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    }

    fn vectors(
        &mut self,
        joint: JointIndex,
        path: &str,
        times: &[f32],
        values: &[Vec3],
        curve: Curve,
    ) {
        let flat: Vec<f32> = values.iter().flat_map(|it| it.to_array()).collect();
        let output = self.buffer.floats(3, &flat, Use::Data);
        self.channel(usize::from(joint), path, times, output, curve);
    }

    fn rotations(&mut self, joint: JointIndex, times: &[f32], values: &[Quat], curve: Curve) {
        let flat: Vec<f32> = values.iter().flat_map(|it| it.to_array()).collect();
        let output = self.buffer.floats(4, &flat, Use::Data);
        self.channel(usize::from(joint), "rotation", times, output, curve);
    }

    fn frames(&mut self, skeleton: &Skeleton, clip: &RawClip, morphs: &[MorphNode]) {
        let secs = |frame: usize| (frame as f64 / clip.fps) as f32;
        let times: Vec<f32> = (0..clip.frames()).map(secs).collect();
        for (track, &joint) in clip.animated.iter().enumerate() {
            let frames = 0..clip.frames();
            let rotations = frames.map(|frame| clip.frame_rotations(frame)[track].normalize());
            self.rotations(joint, &times, &rotations.collect::<Vec<_>>(), Curve::Linear);
        }
        let moving = moving_joints(skeleton, clip);
        for (joint, positions) in moving.iter().zip(positions(skeleton, clip, &moving)) {
            self.vectors(*joint, "translation", &times, &positions, Curve::Linear);
        }
        for track in &clip.scales {
            self.vectors(track.joint, "scale", &times, &track.values, Curve::Linear);
        }
        for node in morphs {
            let own = node.first_morph..node.first_morph + node.targets;
            let tracks = clip
                .morphs
                .iter()
                .filter(|it| own.contains(&usize::from(it.morph)));
            let tracks: Vec<_> = tracks.collect();
            if tracks.is_empty() {
                continue;
            }
            let mut values = Vec::with_capacity(clip.frames() * node.targets);
            for frame in 0..clip.frames() {
                values.extend(own.clone().map(|morph| {
                    let track = tracks.iter().find(|it| usize::from(it.morph) == morph);
                    // A channel holds all weights of its node, so those that
                    // stay are written too.
                    track.map_or(rest_weight(skeleton, morph), |it| it.values[frame])
                }));
            }
            let output = self.buffer.floats(1, &values, Use::Data);
            self.channel(node.node, "weights", &times, output, Curve::Linear);
        }
    }

    fn keys(&mut self, skeleton: &Skeleton, clip: &TrackClip, morphs: &[MorphNode]) {
        for track in &clip.rotations {
            // Key values are unit; tangents are what they are.
            let keys = track.keys.map(KeyValue::finished, |tangent| tangent);
            let keys = keys.plain();
            self.rotations(track.of, keys.times_secs(), keys.values(), keys.curve());
        }
        let vectors = clip.translations.iter().map(|it| ("translation", it));
        let vectors = vectors.chain(clip.scales.iter().map(|it| ("scale", it)));
        for (path, track) in vectors {
            let keys = track.keys.clone().plain();
            self.vectors(
                track.of,
                path,
                keys.times_secs(),
                keys.values(),
                keys.curve(),
            );
        }
        for node in morphs {
            self.morph_keys(skeleton, clip, *node);
        }
    }

    /// A node's weights share their keys; where tracks differ, the first one's
    /// times serve and the others are sampled there.
    fn morph_keys(&mut self, skeleton: &Skeleton, clip: &TrackClip, node: MorphNode) {
        let own = node.first_morph..node.first_morph + node.targets;
        let tracks = clip.weights.iter().map(|it| KeyTrack {
            of: it.of,
            keys: it.keys.clone().plain(),
        });
        let tracks: Vec<KeyTrack<f32>> = tracks.collect();
        let find = |morph: usize| tracks.iter().find(|it| usize::from(it.of) == morph);
        let Some(first) = own.clone().find_map(find) else {
            return;
        };
        let (curve, times) = (first.keys.curve(), first.keys.times_secs());
        let same = |it: &KeyTrack<f32>| it.keys.curve() == curve && it.keys.times_secs() == times;
        let mut values = Vec::new();
        for row in 0..times.len() * curve.values_per_key() {
            let key = row / curve.values_per_key();
            let is_tangent = curve == Curve::Cubic && row % 3 != 1;
            values.extend(own.clone().map(|morph| match find(morph) {
                Some(track) if same(track) => track.keys.values()[row],
                // Sampled values have no tangents of their own; flat ones at
                // least do not overshoot.
                _ if is_tangent => 0.0,
                Some(track) => track.keys.at(f64::from(times[key])),
                None => rest_weight(skeleton, morph),
            }));
        }
        let output = self.buffer.floats(1, &values, Use::Data);
        self.channel(node.node, "weights", times, output, curve);
    }
}

fn rest_weight(skeleton: &Skeleton, morph: usize) -> f32 {
    let weights = skeleton.rest().morphs();
    weights.get(morph).copied().unwrap_or(0.0)
}

/// The root, joints with translations of their own, children of bones that
/// stretch.
fn moving_joints(skeleton: &Skeleton, clip: &RawClip) -> Vec<JointIndex> {
    let mut moving = vec![0];
    moving.extend(clip.translations.iter().map(|track| track.joint));
    for track in &clip.stretches {
        moving.extend(skeleton.children(track.joint));
    }
    moving.sort_unstable();
    moving.dedup();
    moving
}

/// Where those joints stand in their parents, frame after frame.
fn positions(skeleton: &Skeleton, clip: &RawClip, moving: &[JointIndex]) -> Vec<Vec<Vec3>> {
    let mut positions = vec![Vec::with_capacity(clip.frames()); moving.len()];
    let mut pose = LocalPose::default();
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut pose);
        for (positions, &joint) in positions.iter_mut().zip(moving) {
            positions.push(pose.joints()[usize::from(joint)].position());
        }
    }
    positions
}
