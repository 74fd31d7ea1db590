//! Animations of few bits: straight keys on grids, packed.
//!
//! All key times of an animation are one view, all rotations another, all positions
//! a third: each packed once (`EXT_meshopt_compression`), its numbers behind the
//! filter that has few digits for them. Rotations are 16-bit fractions, as the format
//! allows. A buffer without bytes stands for the plain views, so that the file needs
//! a reader that knows the extension; those in wide use do.

use std::collections::HashMap;

use glam::Vec3;
use serde_json::{Value, json};

use super::{buffer::Buffer, short};
use crate::{
    clip::{GriddedClip, Keys},
    meshopt::{Filter, exponential, from_exponential},
};

/// Where a sampler's numbers begin in a view, and how many there are.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    count: usize,
}

/// The numbers of an animation, track after track.
#[derive(Default)]
struct Streams {
    times: Vec<i32>,
    rotations: Vec<[i16; 4]>,
    positions: Vec<[i32; 3]>,
}

/// A track on its way.
struct Track {
    node: u16,
    path: &'static str,
    times: Span,
    end_secs: f32,
    values: Span,
}

/// Samplers and channels of a gridded clip's rotations and positions.
pub(super) fn entries(clip: &GriddedClip, buffer: &mut Buffer) -> (Vec<Value>, Vec<Value>) {
    let mut streams = Streams::default();
    let mut known = HashMap::new();
    let mut tracks = Vec::new();
    let rotations = clip.tracks.rotations.iter().zip(&clip.rotation_elements);
    for (track, elements) in rotations {
        let values = Span::of(streams.rotations.len(), track.keys.len());
        streams.rotations.extend(elements);
        tracks.push(Track {
            node: track.of,
            path: "rotation",
            times: streams.times_of(&track.keys, clip.time_exponents, &mut known),
            end_secs: end_secs(&track.keys),
            values,
        });
    }
    let positions = clip.tracks.translations.iter();
    for (track, &exponent) in positions.zip(&clip.translation_exponents) {
        let values = Span::of(streams.positions.len(), track.keys.len());
        let packed = track.keys.values().iter();
        let packed = packed.map(|it: &Vec3| it.to_array().map(|it| exponential(it, exponent)));
        streams.positions.extend(packed);
        tracks.push(Track {
            node: track.of,
            path: "translation",
            times: streams.times_of(&track.keys, clip.time_exponents, &mut known),
            end_secs: end_secs(&track.keys),
            values,
        });
    }
    streams.write(&tracks, buffer)
}

fn end_secs<T: crate::clip::KeyValue>(keys: &Keys<T>) -> f32 {
    keys.times_secs().last().copied().unwrap_or(0.0)
}

impl Span {
    fn of(first: usize, count: usize) -> Self {
        Self { first, count }
    }
}

impl Streams {
    /// Key times; the same ones are stored once.
    fn times_of<T: crate::clip::KeyValue>(
        &mut self,
        keys: &Keys<T>,
        [coarse, fine]: [i8; 2],
        known: &mut HashMap<Vec<i32>, Span>,
    ) -> Span {
        // As coarse as all but the last allow.
        let secs = keys.times_secs();
        let is_exact = |secs: &f32, e: i8| from_exponential(exponential(*secs, e)) == *secs;
        let (_, inner) = secs.split_last().unwrap_or((&0.0, &[]));
        let own = (fine..=coarse).rev();
        let own = own
            .into_iter()
            .find(|&e| inner.iter().all(|it| is_exact(it, e)));
        let own = own.unwrap_or(fine);
        let number = |secs: &f32| match is_exact(secs, own) {
            true => exponential(*secs, own),
            false => exponential(*secs, fine),
        };
        let times: Vec<i32> = secs.iter().map(number).collect();
        let span = Span::of(self.times.len(), times.len());
        if let Some(span) = known.get(&times) {
            return *span;
        }
        self.times.extend(&times);
        known.insert(times, span);
        span
    }

    fn write(&self, tracks: &[Track], buffer: &mut Buffer) -> (Vec<Value>, Vec<Value>) {
        let times: Vec<u8> = self.times.iter().flat_map(|it| it.to_le_bytes()).collect();
        let times = buffer.packed(&times, 4, Filter::Exponential);
        let rotations = self.rotations.iter().flatten();
        let rotations: Vec<u8> = rotations.flat_map(|it| it.to_le_bytes()).collect();
        let rotations = buffer.packed(&rotations, 8, Filter::Quaternion);
        let positions = self.positions.iter().flatten();
        let positions: Vec<u8> = positions.flat_map(|it| it.to_le_bytes()).collect();
        let positions = buffer.packed(&positions, 12, Filter::Exponential);
        let mut inputs: HashMap<usize, usize> = HashMap::new();
        let entry = |(index, track): (usize, &Track)| {
            let at = track.times.first;
            let input = *inputs.entry(at).or_insert_with(|| {
                let mut accessor = accessor(times, track.times, (4, FLOAT, "SCALAR"));
                (accessor["min"], accessor["max"]) = (json!([0]), json!([short(track.end_secs)]));
                buffer.push_accessor(accessor)
            });
            let output = match track.path {
                "rotation" => {
                    let mut accessor = accessor(rotations, track.values, (8, SHORT, "VEC4"));
                    accessor["normalized"] = json!(true);
                    buffer.push_accessor(accessor)
                }
                _ => buffer.push_accessor(accessor(positions, track.values, (12, FLOAT, "VEC3"))),
            };
            let target = json!({ "node": track.node, "path": track.path });
            (
                json!({ "input": input, "output": output }),
                json!({ "sampler": index, "target": target }),
            )
        };
        tracks.iter().enumerate().map(entry).unzip()
    }
}

const FLOAT: u32 = 5126;
const SHORT: u32 = 5122;

fn accessor(view: usize, span: Span, (size, component, kind): (usize, u32, &str)) -> Value {
    let mut accessor = json!({
        "bufferView": view,
        "componentType": component,
        "count": span.count,
        "type": kind,
    });
    if span.first > 0 {
        accessor["byteOffset"] = json!(span.first * size);
    }
    accessor
}
