//! Description + skeleton + clips → [`Graph`].

mod mask;
mod motion;
mod registered;

use std::{collections::BTreeMap, sync::Arc};

use glam::Vec3A;

use super::{
    clips::ClipSet,
    description::{
        BlendMode, ConditionDescription, Description, KeyEffect, LayerDescription, LegNames,
        LookDescription, ReachDescription, ReferenceDescription, StateDescription,
        TransitionDescription, TransitionFrom,
    },
    graph::{
        AdditiveReference, Condition, Graph, Layer, LayerMode, Parameter, ParameterBinding,
        ParameterEffect, State, Transition,
    },
    guard::Guard,
    prepared_clip::{LegSetup, PreparedClip},
};
use crate::{
    clip::{Wrap, sole_height_m},
    humanoid::{LegChain, LegJoints},
    posing::{LookChain, LookJoint, ReachLimb},
    skeleton::{JointIndex, JointMask, Skeleton},
};

/// Why a sound description does not become a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A mask starts at a joint that this skeleton lacks.
    #[error("masks.{mask}.from: the skeleton has no joint {joint:?}")]
    NoSuchJoint {
        /// Which mask.
        mask: String,
        /// As written.
        joint: String,
    },
    /// Not one state of the first layer has a clip.
    #[error("no clip fills a state of layer {layer:?}: it plays {wanted}")]
    NoClips {
        /// Which layer.
        layer: String,
        /// What it would need.
        wanted: String,
    },
    /// A clip belongs to another skeleton, or is broken.
    #[error("clip {clip:?} does not fit: {reason}")]
    BadClip {
        /// Which clip.
        clip: String,
        /// Why.
        reason: String,
    },
}

/// Makes the graph. States whose clips are missing are left out, with the
/// transitions that touch them; [`Graph::notes`] says which.
pub fn build(
    description: &Description,
    skeleton: &Arc<Skeleton>,
    clips: &ClipSet,
) -> Result<Graph, BuildError> {
    for (name, clip) in clips {
        let bad = |reason: String| BuildError::BadClip {
            clip: name.clone(),
            reason,
        };
        let frames = clip.frames();
        frames.validate().map_err(|error| bad(error.to_string()))?;
        let sampled = clip.source().map_or(frames.joints, |it| it.joints());
        if let Some(joints) = [frames.joints, sampled]
            .into_iter()
            .find(|&joints| joints != skeleton.len())
        {
            let reason = format!("made for {joints} joints, not {}", skeleton.len());
            return Err(bad(reason));
        }
    }
    let mut builder = Builder::new(description, skeleton, clips);
    let layers = builder.layers()?;
    Ok(builder.finish(layers))
}

/// A condition cannot hold in this graph, for want of a layer, a leg or a state.
struct Never;

struct Builder<'a> {
    description: &'a Description,
    skeleton: &'a Arc<Skeleton>,
    sources: &'a ClipSet,
    parameters: Vec<Parameter>,
    legs: Vec<LegJoints>,
    steps: Vec<String>,
    prepared: Vec<PreparedClip>,
    /// By clip name and whether it loops.
    prepared_index: BTreeMap<(String, bool), usize>,
    notes: Vec<String>,
}

impl<'a> Builder<'a> {
    fn new(description: &'a Description, skeleton: &'a Arc<Skeleton>, clips: &'a ClipSet) -> Self {
        let named = description.parameters.iter();
        let parameters = named.map(|(name, &kind)| Parameter {
            name: name.clone(),
            kind,
        });
        let mut notes = Vec::new();
        let legs = description.legs.iter().map(|l| leg(skeleton, l));
        let legs: Option<Vec<LegJoints>> = legs.collect();
        if legs.is_none() {
            notes.push("no such legs on this skeleton: no contacts and no foot lock".to_owned());
        }
        Self {
            parameters: parameters.collect(),
            legs: legs.unwrap_or_default(),
            steps: description
                .legs
                .iter()
                .map(|leg| leg.step.clone())
                .collect(),
            prepared: Vec::new(),
            prepared_index: BTreeMap::new(),
            description,
            skeleton,
            sources: clips,
            notes,
        }
    }

    /// The checks have made sure that the name exists.
    fn parameter(&self, name: &str) -> usize {
        let at = self.parameters.iter().position(|p| p.name == name);
        at.unwrap_or_default()
    }

    fn prepare(&mut self, name: &str, as_loop: bool) -> Option<usize> {
        let clip = self.sources.get(name)?;
        let key = (name.to_owned(), as_loop);
        if let Some(&index) = self.prepared_index.get(&key) {
            return Some(index);
        }
        let marks = self.description.events.get(name).map(Vec::as_slice);
        let marks = marks.unwrap_or_default().iter();
        let marks: Vec<(f64, String)> = marks.map(|e| (e.at, e.name.clone())).collect();
        let setup = LegSetup {
            skeleton: self.skeleton,
            legs: &self.legs,
            steps: &self.steps,
        };
        self.prepared
            .push(PreparedClip::new(&setup, name, clip, as_loop, &marks));
        self.prepared_index.insert(key, self.prepared.len() - 1);
        Some(self.prepared.len() - 1)
    }

    fn layers(&mut self) -> Result<Vec<Layer>, BuildError> {
        let mut layers = Vec::new();
        // States first: conditions speak of other layers' states.
        for (index, layer) in self.description.layers.iter().enumerate() {
            let states: Vec<State> = layer
                .states
                .iter()
                .filter_map(|state| self.state(state))
                .collect();
            if index == 0 && states.is_empty() {
                let wanted = layer.states.iter().flat_map(|state| state.motion.clips());
                return Err(BuildError::NoClips {
                    layer: layer.name.clone(),
                    wanted: wanted.collect::<Vec<_>>().join(", "),
                });
            }
            let mode = self.mode(layer);
            if let (false, Some(mode)) = (states.is_empty(), mode) {
                layers.push(Layer {
                    name: layer.name.clone(),
                    mask: self.mask(layer.mask.as_deref())?,
                    mode,
                    weight: layer.weight.clamp(0.0, 1.0),
                    weight_by: layer.weight_by.as_deref().map(|by| self.parameter(by)),
                    states,
                    transitions: Vec::new(),
                });
            }
        }
        for index in 0..layers.len() {
            layers[index].transitions = self.transitions(&layers, index);
        }
        Ok(layers)
    }

    fn mask(&self, name: Option<&str>) -> Result<JointMask, BuildError> {
        let joints = self.skeleton.len();
        let Some(name) = name else {
            return Ok(JointMask::uniform(joints, 1.0));
        };
        let mask = &self.description.masks[name];
        mask.on(self.skeleton)
            .ok_or_else(|| BuildError::NoSuchJoint {
                mask: name.to_owned(),
                joint: mask.from.clone(),
            })
    }

    fn mode(&mut self, layer: &LayerDescription) -> Option<LayerMode> {
        Some(match &layer.mode {
            BlendMode::Override => LayerMode::Override,
            BlendMode::Additive(reference) => LayerMode::Additive(match reference {
                ReferenceDescription::Rest => AdditiveReference::Rest,
                ReferenceDescription::Pose(clip, fraction) => {
                    let clip = self.prepare(clip, true)?;
                    AdditiveReference::Pose(clip, fraction * self.prepared[clip].duration_secs())
                }
                ReferenceDescription::Clip(clip) => {
                    AdditiveReference::Running(self.prepare(clip, true)?)
                }
            }),
        })
    }

    fn state(&mut self, state: &StateDescription) -> Option<State> {
        let motion = match self.motion(&state.motion, state.wrap == Wrap::Loop) {
            None => {
                let clips = state.motion.clips().join(", ");
                self.notes
                    .push(format!("state {} is left out: no clip {clips}", state.name));
                return None;
            }
            Some(motion) => motion,
        };
        Some(State {
            name: state.name.clone(),
            motion,
            wrap: state.wrap,
            speed: state.speed,
            start: state.start,
            root_motion: state.root_motion,
            steer: state.steer,
            leave_from: state.leave_from,
        })
    }

    fn transitions(&self, layers: &[Layer], index: usize) -> Vec<Transition> {
        let layer = &layers[index];
        let written = self
            .description
            .layers
            .iter()
            .find(|l| l.name == layer.name);
        let written = written
            .map(|l| l.transitions.as_slice())
            .unwrap_or_default();
        let made = written
            .iter()
            .enumerate()
            .filter_map(|(at, written)| self.transition(layers, layer, (at, written)));
        let mut transitions: Vec<Transition> = made.collect();
        transitions.sort_by_key(|t| std::cmp::Reverse(t.priority));
        transitions
    }

    fn transition(
        &self,
        layers: &[Layer],
        layer: &Layer,
        (at, written): (usize, &TransitionDescription),
    ) -> Option<Transition> {
        let to = layer.states.iter().position(|s| s.name == written.to)?;
        let from: Vec<bool> = layer
            .states
            .iter()
            .map(|state| {
                state.name != written.to
                    && match &written.from {
                        TransitionFrom::Any => true,
                        TransitionFrom::Only(names) => names.contains(&state.name),
                        TransitionFrom::Except(names) => !names.contains(&state.name),
                    }
            })
            .collect();
        let when = written.when.iter();
        let when = when.filter_map(|c| self.condition(layers, layer, c).transpose());
        let when = when.collect::<Result<Vec<_>, Never>>().ok()?;
        from.contains(&true).then_some(Transition {
            from,
            to,
            when,
            priority: written.priority,
            fade: written.fade,
            sync: written.sync,
            stance_sync: written.stance_sync,
            written: at,
        })
    }

    /// `None` where it holds always.
    fn condition(
        &self,
        layers: &[Layer],
        own: &Layer,
        condition: &ConditionDescription,
    ) -> Result<Option<Condition>, Never> {
        Ok(Some(match condition {
            ConditionDescription::On(name) => Condition::Is(self.parameter(name), true),
            ConditionDescription::Off(name) => Condition::Is(self.parameter(name), false),
            ConditionDescription::Fired(name) => Condition::Fired(self.parameter(name)),
            ConditionDescription::Above(name, value) => {
                Condition::Above(self.parameter(name), *value)
            }
            ConditionDescription::Below(name, value) => {
                Condition::Below(self.parameter(name), *value)
            }
            ConditionDescription::AtEnd => Condition::After(1.0),
            ConditionDescription::After(fraction) => Condition::After(*fraction),
            ConditionDescription::Stance(step, share) => {
                let leg = self.steps.iter().position(|known| known == step);
                let leg = leg.ok_or(Never)?;
                Condition::Stance(leg, *share)
            }
            ConditionDescription::Landed => Condition::Landed,
            ConditionDescription::Without(name) => {
                let there = own.states.iter().any(|state| state.name == *name);
                return if there { Err(Never) } else { Ok(None) };
            }
            ConditionDescription::InState(name, states) => {
                let layer = layers.iter().position(|layer| layer.name == *name);
                let layer = layer.ok_or(Never)?;
                let all = layers[layer].states.iter().enumerate();
                let named = all.filter(|(_, state)| states.contains(&state.name));
                Condition::InState(layer, named.map(|(index, _)| index).collect())
            }
        }))
    }

    fn guard(&self) -> Option<Guard> {
        let guard = self.description.guard.as_ref()?;
        let by = guard.by.as_deref().map(|by| self.parameter(by));
        let find = |joint: &str| find(self.skeleton, joint);
        Some(Guard::new(guard, self.skeleton, find, by))
    }

    fn finish(self, layers: Vec<Layer>) -> Graph {
        let bindings = self
            .description
            .bindings
            .iter()
            .map(|binding| ParameterBinding {
                key: binding.key.clone(),
                effect: match &binding.does {
                    KeyEffect::Hold(name) => ParameterEffect::Hold(self.parameter(name)),
                    KeyEffect::Push(name, by) => ParameterEffect::Push(self.parameter(name), *by),
                    KeyEffect::Fire(name) => ParameterEffect::Fire(self.parameter(name)),
                },
                says: binding.words().to_owned(),
            });
        let steering = self.description.steering.as_ref();
        let steering = steering.map(|s| (self.parameter(&s.by), s.degrees_per_sec.to_radians()));
        Graph {
            bindings: bindings.collect(),
            steering,
            no_blending: self
                .description
                .no_blending
                .as_deref()
                .map(|by| self.parameter(by)),
            guard: self.guard(),
            look: self
                .description
                .look
                .as_ref()
                .and_then(|l| look(self.skeleton, l)),
            reaches: self
                .description
                .reaches
                .iter()
                .filter_map(|reach| limb(self.skeleton, reach))
                .collect(),
            skeleton: Arc::clone(self.skeleton),
            parameters: self.parameters,
            clips: self.prepared,
            layers,
            legs: (self.legs.iter())
                .map(|&leg| LegChain::new(self.skeleton, leg, Vec3A::X))
                .collect(),
            steps: self.steps,
            sole_m: sole_height_m(self.skeleton),
            foot_lock: self.description.foot_lock,
            notes: self.notes,
        }
    }
}

/// The first of the alternatives (`lfemur|LeftUpLeg`) that a skeleton has.
#[must_use]
pub fn find(skeleton: &Skeleton, names: &str) -> Option<JointIndex> {
    names.split('|').find_map(|name| skeleton.find(name.trim()))
}

/// `None` also where more joints lie between hip and ankle than the knee.
fn leg(skeleton: &Skeleton, names: &LegNames) -> Option<LegJoints> {
    let ankle = find(skeleton, &names.ankle)?;
    let leg = LegJoints {
        hip: find(skeleton, &names.hip)?,
        knee: find(skeleton, &names.knee)?,
        ankle,
        // A foot in one piece moves as its ankle does.
        ball: find(skeleton, &names.ball).unwrap_or(ankle),
    };
    let parent = |joint: JointIndex| skeleton.parents()[usize::from(joint)];
    (parent(leg.knee) == leg.hip && parent(leg.ankle) == leg.knee).then_some(leg)
}

fn limb(skeleton: &Skeleton, reach: &ReachDescription) -> Option<ReachLimb> {
    Some(ReachLimb {
        name: reach.name.clone(),
        joints: [
            find(skeleton, &reach.root)?,
            find(skeleton, &reach.middle)?,
            find(skeleton, &reach.end)?,
        ],
        pole: Vec3A::from_array(reach.pole),
        half_life_secs: reach.half_life,
    })
}

/// Joints of the chain that the skeleton has; `None` when it has none.
fn look(skeleton: &Skeleton, look: &LookDescription) -> Option<LookChain> {
    let rest = skeleton.rest_model();
    let joints = look.chain.iter().filter_map(|(name, most_deg)| {
        let joint = find(skeleton, name)?;
        Some(LookJoint {
            joint,
            weight: 1.0,
            most_rad: most_deg.to_radians(),
            forward: rest.joints()[usize::from(joint)].rotation.conjugate() * Vec3A::Z,
        })
    });
    let joints: Vec<LookJoint> = joints.collect();
    (!joints.is_empty()).then_some(LookChain {
        joints,
        eyes: Vec::new(),
        half_life_secs: look.half_life,
    })
}
