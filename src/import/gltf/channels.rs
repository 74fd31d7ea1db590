//! Animations as they are in the file: keys of nodes.

use glam::{Quat, Vec3};
use serde_json::Value;

use crate::{
    clip::{Curve, Event, EventTrack, KeyValue, Keys},
    mocap::{
        Note, Notes,
        gltf::{
            GltfDocument, GltfError, GltfProblem,
            json::{
                self,
                accessor::Type,
                animation::{Interpolation, Property},
                validation::Checked,
            },
        },
    },
};

/// One channel.
pub(super) struct Channel {
    pub node: usize,
    pub keys: ChannelKeys,
}

/// What it moves.
pub(super) enum ChannelKeys {
    Translation(Keys<Vec3>),
    Rotation(Keys<Quat>),
    Scale(Keys<Vec3>),
    /// One for each morph target of the node's mesh.
    Weights(Vec<Keys<f32>>),
}

/// One animation.
pub(super) struct Animation {
    pub name: Option<String>,
    /// Frames a second, as our own files say.
    pub fps: Option<f64>,
    /// What happens in it, likewise.
    pub events: Option<EventTrack>,
    pub channels: Vec<Channel>,
}

pub(super) fn read(
    document: &GltfDocument,
    notes: &mut Notes,
) -> Result<Vec<Animation>, GltfError> {
    let animations = document.root().animations.iter().enumerate();
    animations
        .map(|(index, it)| animation(document, index, it, notes))
        .collect()
}

fn animation(
    document: &GltfDocument,
    index: usize,
    it: &json::Animation,
    notes: &mut Notes,
) -> Result<Animation, GltfError> {
    let mut channels: Vec<Channel> = Vec::with_capacity(it.channels.len());
    for (number, channel) in it.channels.iter().enumerate() {
        let at = format!("animations[{index}].channels[{number}]");
        let Checked::Valid(path) = channel.target.path else {
            let note = || Note::warning(format!("{at} moves something unknown; left out"));
            notes.add_counted("unknown animation paths", note);
            continue;
        };
        let nodes = document.root().nodes.len();
        let node = document.index(|| at.clone(), "node", channel.target.node.value(), nodes)?;
        let sampler = channel.sampler.value();
        let sampler = document.index(|| at.clone(), "sampler", sampler, it.samplers.len())?;
        let keys = keys(document, &at, node, path, &it.samplers[sampler])?;
        channels.extend(keys.map(|keys| Channel { node, keys }));
    }
    if channels.is_empty() {
        notes.add_counted("animations that move nothing", || {
            Note::warning(format!("animations[{index}] moves nothing"))
        });
    }
    let extras = it.extras.as_ref();
    let extras = extras.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
    Ok(Animation {
        name: it.name.clone(),
        fps: extras.as_ref().and_then(rate),
        events: extras.as_ref().and_then(events),
        channels,
    })
}

/// The rate that our own files carry in their extras.
fn rate(extras: &Value) -> Option<f64> {
    let fps = extras.get("fps")?.as_f64()?;
    (fps.is_finite() && (1.0..=10_000.0).contains(&fps)).then_some(fps)
}

/// The events that our own files carry there: a list of `{time, name}`. Extras
/// are anybody's, so what looks otherwise is no fault.
fn events(extras: &Value) -> Option<EventTrack> {
    let list = extras.get("events")?.as_array()?;
    let event = |it: &Value| {
        let time_secs = it.get("time")?.as_f64().filter(|secs| *secs >= 0.0)?;
        let name = it.get("name")?.as_str()?.to_owned();
        Some(Event { time_secs, name })
    };
    let events: Vec<Event> = list.iter().filter_map(event).collect();
    (!events.is_empty() || list.is_empty()).then(|| EventTrack::new(events))
}

/// `None` for weights of a node without morph targets.
fn keys(
    document: &GltfDocument,
    at: &str,
    node: usize,
    path: Property,
    sampler: &json::animation::Sampler,
) -> Result<Option<ChannelKeys>, GltfError> {
    let curve = curve(document, at, sampler)?;
    // Of any size: a century is a time, and `Keys` wants it finite.
    let times = document.floats(sampler.input.value(), Type::Scalar)?;
    let output = sampler.output.value();
    let made = |keys| checked(document, at, keys);
    Ok(match path {
        Property::Translation => {
            let values = vectors(&document.measures(output, Type::Vec3)?);
            Some(ChannelKeys::Translation(made(Keys::new(
                curve, times, values,
            ))?))
        }
        Property::Scale => {
            let values = vectors(&document.measures(output, Type::Vec3)?);
            Some(ChannelKeys::Scale(made(Keys::new(curve, times, values))?))
        }
        Property::Rotation => {
            let values = document.measures(output, Type::Vec4)?;
            Some(ChannelKeys::Rotation(rotation_keys(
                document, at, curve, times, &values,
            )?))
        }
        Property::MorphTargetWeights => {
            let targets = targets_of(document, node);
            if targets == 0 {
                return Ok(None);
            }
            let values = document.measures(output, Type::Scalar)?;
            Some(ChannelKeys::Weights(weights(
                document, at, curve, &times, &values, targets,
            )?))
        }
    })
}

fn curve(
    document: &GltfDocument,
    at: &str,
    sampler: &json::animation::Sampler,
) -> Result<Curve, GltfError> {
    match sampler.interpolation {
        Checked::Valid(Interpolation::Step) => Ok(Curve::Step),
        Checked::Valid(Interpolation::Linear) => Ok(Curve::Linear),
        Checked::Valid(Interpolation::CubicSpline) => Ok(Curve::Cubic),
        Checked::Invalid => {
            let problem = GltfProblem::Expected {
                expected: "STEP, LINEAR or CUBICSPLINE".into(),
                found: "another interpolation".into(),
            };
            Err(document.error(at, problem))
        }
    }
}

fn rotation_keys(
    document: &GltfDocument,
    at: &str,
    curve: Curve,
    times: Vec<f32>,
    values: &[f32],
) -> Result<Keys<Quat>, GltfError> {
    let (four, _) = values.as_chunks::<4>();
    let values: Vec<Quat> = four.iter().map(|&it| Quat::from_array(it)).collect();
    let keys = checked(document, at, Keys::new(curve, times, values))?;
    // Keys alone: a tangent of a rotation may well be zero.
    let no_rotation = |key: &usize| keys.value(*key).length_squared() < 1e-12;
    if let Some(key) = (0..keys.len()).find(no_rotation) {
        let problem = GltfProblem::Other(format!("key {key} is no rotation: all zero"));
        return Err(document.error(at, problem));
    }
    Ok(keys)
}

/// Morph targets of a node's mesh.
pub(super) fn targets_of(document: &GltfDocument, node: usize) -> usize {
    let root = document.root();
    let mesh = root.nodes.get(node).and_then(|it| it.mesh);
    let mesh = mesh.and_then(|it| root.meshes.get(it.value()));
    let targets = mesh.and_then(|it| it.primitives.first()?.targets.as_ref());
    targets.map_or(0, Vec::len)
}

/// Every key holds all weights, a cubic one thrice; a track holds one weight.
fn weights(
    document: &GltfDocument,
    at: &str,
    curve: Curve,
    times: &[f32],
    values: &[f32],
    targets: usize,
) -> Result<Vec<Keys<f32>>, GltfError> {
    let rows = times.len() * curve.values_per_key();
    if values.len() != rows * targets {
        let problem = GltfProblem::Expected {
            expected: format!("{} weights", rows * targets),
            found: values.len().to_string(),
        };
        return Err(document.error(at, problem));
    }
    // Each track has the times too.
    document.spend(at, 4 * (times.len() as u64).saturating_mul(targets as u64))?;
    let track = |target: usize| {
        let column = (0..rows).map(|row| values[row * targets + target]);
        let keys = Keys::new(curve, times.to_vec(), column.collect());
        checked(document, at, keys)
    };
    (0..targets).map(track).collect()
}

fn checked<T: KeyValue>(
    document: &GltfDocument,
    at: &str,
    keys: Result<Keys<T>, crate::clip::TrackError>,
) -> Result<Keys<T>, GltfError> {
    keys.map_err(|error| document.error(at, GltfProblem::Other(error.to_string())))
}

pub(super) fn vectors(floats: &[f32]) -> Vec<Vec3> {
    let (three, _) = floats.as_chunks::<3>();
    three.iter().map(|&it| Vec3::from_array(it)).collect()
}
