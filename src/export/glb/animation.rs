//! Clips as animations.
//!
//! Two rules of the format are kept here: times of keys rise strictly, and what
//! never changes has one key. One channel then keeps a second, where without it
//! the animation would lose its length.

use glam::{Quat, Vec3};
use serde_json::{Value, json};

use super::{
    GlbClip, GlbMotion,
    buffer::{Buffer, Use},
    mesh::MorphNode,
    packed,
};
use crate::{
    clip::{Curve, KeyTrack, KeyValue, RawClip, TrackClip},
    export::moving_joints,
    skeleton::{JointIndex, LocalPose, Skeleton},
};

/// What the tolerance in an animation's extras is of.
const MEASURE: &str = "at every source frame no point within 3 cm of any joint moves by more \
                       than the tolerance, every reader going straight from key to key";

/// What moves one property of one node.
struct Channel {
    node: usize,
    path: &'static str,
    /// Numbers of a value: all weights of a node are one.
    width: usize,
    curve: Curve,
    times: Vec<f32>,
    values: Vec<f32>,
}

/// An animation being written.
#[derive(Default)]
struct Writer {
    channels: Vec<Channel>,
}

/// `None` for a clip that moves nothing: an animation must not be empty.
pub(super) fn write(
    clip: GlbClip<'_>,
    (skeleton, morphs): (&Skeleton, &[MorphNode]),
    source: &str,
    buffer: &mut Buffer,
) -> Option<Value> {
    let mut writer = Writer::default();
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut promise = None;
    let (name, fps) = match clip.motion {
        GlbMotion::Gridded(clip) => {
            (samplers, channels) = packed::entries(clip, buffer);
            // What is on no grid goes out as it is.
            let beside = TrackClip {
                rotations: Vec::new(),
                translations: Vec::new(),
                ..clip.tracks.clone()
            };
            writer.keys(skeleton, &beside, morphs);
            promise = Some(clip);
            (&clip.tracks.name, clip.tracks.fps)
        }
        GlbMotion::Frames(clip) => {
            writer.frames(skeleton, clip, morphs);
            (&clip.name, clip.fps)
        }
        GlbMotion::Keys(clip) => {
            writer.keys(skeleton, clip, morphs);
            (&clip.name, clip.fps)
        }
    };
    if writer.channels.is_empty() && channels.is_empty() {
        return None;
    }
    writer.shorten();
    let (more_samplers, mut more_channels) = writer.entries(buffer);
    for channel in &mut more_channels {
        channel["sampler"] =
            json!(channel["sampler"].as_u64().unwrap_or(0) + samplers.len() as u64);
    }
    samplers.extend(more_samplers);
    channels.extend(more_channels);
    let mut animation = json!({
        "samplers": samplers,
        "channels": channels,
        "extras": { "source": source, "fps": fps },
    });
    if let Some(promise) = promise {
        animation["extras"]["tolerance_cm"] = json!(promise.tolerance_cm);
        animation["extras"]["max_error_cm"] = json!(promise.max_error_cm);
        animation["extras"]["measure"] = json!(MEASURE);
    }
    if let Some(events) = clip.events {
        let events = events.events().iter();
        let events = events.map(|it| json!({ "time": it.time_secs, "name": it.name }));
        animation["extras"]["events"] = events.collect();
    }
    if !name.is_empty() {
        animation["name"] = json!(name);
    }
    Some(animation)
}

/// Which keys are written, and when. Of keys at one time the last counts; the
/// first, which the curve comes from, moves an instant ahead.
fn rising(times: &[f32]) -> Vec<(usize, f32)> {
    let mut kept: Vec<(usize, f32)> = Vec::with_capacity(times.len());
    let mut first = 0;
    for same in times.chunk_by(|a, b| a == b) {
        let (time, before) = (same[0], same[0].next_down());
        let is_free = kept.last().is_none_or(|key| key.1 < before);
        if same.len() > 1 && before >= 0.0 && is_free {
            kept.push((first, before));
        }
        first += same.len();
        kept.push((first - 1, time));
    }
    kept
}

impl Channel {
    /// Numbers of a key.
    fn row(&self) -> usize {
        self.width * self.curve.values_per_key()
    }

    fn with_rising_times(mut self) -> Self {
        if self.times.is_sorted_by(|a, b| a < b) {
            return self;
        }
        let (row, kept) = (self.row(), rising(&self.times));
        let rows = kept
            .iter()
            .map(|&(key, _)| &self.values[key * row..(key + 1) * row]);
        self.values = rows.collect::<Vec<_>>().concat();
        self.times = kept.into_iter().map(|key| key.1).collect();
        self
    }

    /// The value of the first key, without its tangents.
    fn first_value(&self) -> &[f32] {
        let start = match self.curve {
            Curve::Cubic => self.width,
            Curve::Step | Curve::Linear => 0,
        };
        &self.values[start..start + self.width]
    }

    /// Whether it never leaves its first value.
    fn is_constant(&self) -> bool {
        let first = self.first_value();
        let mut parts = self.values.chunks_exact(self.width).enumerate();
        parts.all(|(index, part)| match self.curve {
            Curve::Cubic if index % 3 != 1 => part.iter().all(|&it| it == 0.0),
            _ => part == first,
        })
    }

    fn end_secs(&self) -> f32 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// The first value at a few of its times.
    fn hold(&mut self, times: &[f32]) {
        self.values = self.first_value().repeat(times.len());
        self.times = times.to_vec();
        self.curve = Curve::Linear;
    }
}

impl Writer {
    fn add(&mut self, channel: Channel) {
        self.channels.push(channel.with_rising_times());
    }

    /// One key for what never changes.
    fn shorten(&mut self) {
        let end_secs = self.channels.iter().map(Channel::end_secs);
        let end_secs = end_secs.fold(0.0, f32::max);
        let constant: Vec<bool> = self.channels.iter().map(Channel::is_constant).collect();
        let reaches =
            |(channel, constant): (&Channel, &bool)| !constant && channel.end_secs() >= end_secs;
        let mut reached = self.channels.iter().zip(&constant).any(reaches);
        for (channel, _) in self.channels.iter_mut().zip(&constant).filter(|it| *it.1) {
            let (first, last) = (channel.times[0], channel.end_secs());
            if !reached && last >= end_secs && last > first {
                channel.hold(&[first, last]);
                reached = true;
            } else {
                channel.hold(&[first]);
            }
        }
    }

    /// Samplers and channels as the file has them.
    fn entries(&self, buffer: &mut Buffer) -> (Vec<Value>, Vec<Value>) {
        let entry = |(index, it): (usize, &Channel)| {
            let interpolation = match it.curve {
                Curve::Step => "STEP",
                Curve::Linear => "LINEAR",
                Curve::Cubic => "CUBICSPLINE",
            };
            // Weights are single numbers, however many a node has.
            let width = if it.path == "weights" { 1 } else { it.width };
            let output = buffer.floats(width, &it.values, Use::Data);
            let input = buffer.times(&it.times);
            let target = json!({ "node": it.node, "path": it.path });
            (
                json!({ "input": input, "output": output, "interpolation": interpolation }),
                json!({ "sampler": index, "target": target }),
            )
        };
        self.channels.iter().enumerate().map(entry).unzip()
    }

    fn vectors(
        &mut self,
        joint: JointIndex,
        path: &'static str,
        times: &[f32],
        values: &[Vec3],
        curve: Curve,
    ) {
        self.add(Channel {
            node: usize::from(joint),
            path,
            width: 3,
            curve,
            times: times.to_vec(),
            values: values.iter().flat_map(|it| it.to_array()).collect(),
        });
    }

    fn rotations(&mut self, joint: JointIndex, times: &[f32], values: &[Quat], curve: Curve) {
        self.add(Channel {
            node: usize::from(joint),
            path: "rotation",
            width: 4,
            curve,
            times: times.to_vec(),
            values: values.iter().flat_map(|it| it.to_array()).collect(),
        });
    }

    fn weights(&mut self, node: MorphNode, times: &[f32], values: Vec<f32>, curve: Curve) {
        self.add(Channel {
            node: node.node,
            path: "weights",
            width: node.targets,
            curve,
            times: times.to_vec(),
            values,
        });
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
            self.weights(*node, &times, values, Curve::Linear);
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
        self.weights(node, times, values, curve);
    }
}

fn rest_weight(skeleton: &Skeleton, morph: usize) -> f32 {
    let weights = skeleton.rest().morphs();
    weights.get(morph).copied().unwrap_or(0.0)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(curve: Curve, times: &[f32], values: &[f32]) -> Channel {
        Channel {
            node: 0,
            path: "translation",
            width: 1,
            curve,
            times: times.to_vec(),
            values: values.to_vec(),
        }
    }

    #[test]
    fn times_rise_strictly_and_a_jump_stays_one() {
        let jump = channel(Curve::Linear, &[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0]);
        let jump = jump.with_rising_times();
        assert_eq!(jump.times, [0.0, 1.0f32.next_down(), 1.0, 2.0]);
        assert_eq!(jump.values, [0.0, 1.0, 5.0, 6.0]);
        // Of three the one in the middle is never seen; before 0 nothing is.
        let crowd = channel(
            Curve::Step,
            &[0.0, 0.0, 1.0, 1.0, 1.0],
            &[1.0, 2.0, 3.0, 4.0, 5.0],
        );
        let crowd = crowd.with_rising_times();
        assert_eq!(crowd.times, [0.0, 1.0f32.next_down(), 1.0]);
        assert_eq!(crowd.values, [2.0, 3.0, 5.0]);
        // Frames closer than numbers can tell apart, a day into a take.
        let times: Vec<f32> = (0..1000)
            .map(|it| (90_000.0 + f64::from(it) / 1000.0) as f32)
            .collect();
        let kept = rising(&times);
        assert!(kept.len() > 100 && kept.is_sorted_by(|a, b| a.1 < b.1 && a.0 < b.0));
    }

    #[test]
    fn what_never_changes_has_one_key_and_the_length_stays() {
        let still = || channel(Curve::Linear, &[0.0, 1.0, 2.0], &[7.0; 3]);
        let moves = || channel(Curve::Linear, &[0.0, 1.0, 2.0], &[1.0, 2.0, 1.0]);
        let flat = [0.0, 7.0, 0.0, 0.0, 7.0, 0.0];
        let cubic = || channel(Curve::Cubic, &[0.0, 2.0], &flat);
        let bent = || channel(Curve::Cubic, &[0.0, 2.0], &[0.0, 7.0, 1.0, 0.0, 7.0, 0.0]);
        let lengths = |channels: Vec<Channel>| {
            let mut writer = Writer { channels };
            writer.shorten();
            let times = writer.channels.iter().map(|it| it.times.len());
            times.collect::<Vec<usize>>()
        };
        assert_eq!(lengths(vec![still(), moves(), cubic()]), [1, 3, 1]);
        assert_eq!(lengths(vec![still(), cubic(), still()]), [2, 1, 1]);
        assert_eq!(lengths(vec![bent(), still()]), [2, 1]);
        let mut writer = Writer {
            channels: vec![cubic(), still()],
        };
        writer.shorten();
        assert_eq!(writer.channels[0].values, [7.0, 7.0]);
        assert_eq!(writer.channels[1].values, [7.0]);
    }
}
