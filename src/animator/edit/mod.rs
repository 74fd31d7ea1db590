//! Changes to an animator's description, one by one: what the editor can do
//! and what it can take back.
//!
//! ```text
//! Edit → Description, changed → check → splices of the file's text → AnimatorEditor
//! ```
//!
//! An [`Edit`] is a plain value. [`AnimatorEditor`] applies it whole or not at
//! all: the text it holds always reads as a sound animator.

mod editor;
mod made;
mod references;
#[cfg(test)]
mod tests;
mod tuned;

pub use editor::{AnimatorEditor, NEW_ANIMATOR};

use super::description::{
    BindingDescription, BlendMode, Description, EventAt, LayerDescription, MaskDescription,
    ParameterKind, StateDescription, Steering, TransitionDescription,
};

/// One change. Layers, states, transitions and bindings go by their place in
/// the file, parameters and masks by name.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// On top of the others.
    AddLayer(LayerDescription),
    /// With all it holds.
    DeleteLayer(usize),
    /// From one place to another.
    MoveLayer(usize, usize),
    /// Wherever it is named.
    RenameLayer(usize, String),
    /// How it meets those below.
    SetLayer {
        /// Which.
        layer: usize,
        /// Part of the body.
        mask: Option<String>,
        /// Override or additive.
        mode: BlendMode,
        /// 0 to 1.
        weight: f32,
        /// Times this parameter.
        weight_by: Option<String>,
    },
    /// Behind the others.
    AddState(usize, StateDescription),
    /// With the transitions that lead into it.
    DeleteState(usize, usize),
    /// The first is where the layer starts.
    MoveState {
        /// Of this layer.
        layer: usize,
        /// From this place …
        from: usize,
        /// … to this one.
        to: usize,
    },
    /// Wherever it is named.
    RenameState(usize, usize, String),
    /// All but its name.
    SetState(usize, usize, StateDescription),
    /// Behind the others.
    AddTransition(usize, TransitionDescription),
    /// Of a layer.
    DeleteTransition(usize, usize),
    /// All of it.
    SetTransition(usize, usize, TransitionDescription),
    /// A name that nobody has.
    AddParameter(String, ParameterKind),
    /// With the keys that are bound to it; refused while states look at it.
    DeleteParameter(String),
    /// Wherever it is named.
    RenameParameter(String, String),
    /// Its kind and numbers.
    SetParameter(String, ParameterKind),
    /// Behind the others.
    AddBinding(BindingDescription),
    /// By place.
    DeleteBinding(usize),
    /// All of it.
    SetBinding(usize, BindingDescription),
    /// New, or another of the same name.
    SetMask(String, MaskDescription),
    /// The same for a layer, which has it from now on.
    MaskLayer(usize, String, MaskDescription),
    /// Refused while a layer has it.
    DeleteMask(String),
    /// Wherever it is named.
    RenameMask(String, String),
    /// What turns the character.
    SetSteering(Option<Steering>),
    /// The switch that shows what blending does.
    SetNoBlending(Option<String>),
    /// What happens in a clip, besides footsteps.
    SetEvents(String, Vec<EventAt>),
}

/// Why an edit cannot be made.
type Refused = String;

impl Edit {
    /// Makes the change; what it breaks is found by the check afterwards.
    pub(super) fn apply(self, to: &mut Description) -> Result<(), Refused> {
        match self {
            Self::AddLayer(_)
            | Self::DeleteLayer(_)
            | Self::MoveLayer(..)
            | Self::RenameLayer(..)
            | Self::SetLayer { .. } => self.apply_to_layers(to)?,
            Self::AddState(..)
            | Self::DeleteState(..)
            | Self::MoveState { .. }
            | Self::RenameState(..)
            | Self::SetState(..) => self.apply_to_states(to)?,
            Self::AddTransition(..) | Self::DeleteTransition(..) | Self::SetTransition(..) => {
                self.apply_to_transitions(to)?;
            }
            _ => self.apply_to_names(to)?,
        }
        forget_events(to);
        Ok(())
    }

    fn apply_to_layers(self, to: &mut Description) -> Result<(), Refused> {
        match self {
            Self::AddLayer(layer) => to.layers.push(layer),
            Self::DeleteLayer(index) => {
                place(index, &to.layers, "layer")?;
                let layer = to.layers.remove(index);
                references::forget_layer(to, &layer.name);
            }
            Self::MoveLayer(from, into) => shift(&mut to.layers, from, into, "layer")?,
            Self::RenameLayer(index, name) => references::rename_layer(to, index, &name)?,
            Self::SetLayer {
                layer,
                mask,
                mode,
                weight,
                weight_by,
            } => {
                let layer = layer_of(to, layer)?;
                (layer.mask, layer.mode) = (mask, mode);
                (layer.weight, layer.weight_by) = (weight, weight_by);
            }
            _ => {}
        }
        Ok(())
    }

    fn apply_to_states(self, to: &mut Description) -> Result<(), Refused> {
        match self {
            Self::AddState(layer, state) => layer_of(to, layer)?.states.push(state),
            Self::DeleteState(layer, state) => {
                let layer = layer_of(to, layer)?;
                place(state, &layer.states, "state")?;
                let (name, of) = (layer.states.remove(state).name, layer.name.clone());
                references::forget_state(to, &of, &name);
            }
            Self::MoveState {
                layer,
                from,
                to: into,
            } => shift(&mut layer_of(to, layer)?.states, from, into, "state")?,
            Self::RenameState(layer, state, name) => {
                references::rename_state(to, layer, state, &name)?;
            }
            Self::SetState(layer, index, state) => {
                let known = &mut layer_of(to, layer)?.states;
                place(index, known, "state")?;
                let name = std::mem::take(&mut known[index].name);
                known[index] = StateDescription { name, ..state };
            }
            _ => {}
        }
        Ok(())
    }

    fn apply_to_transitions(self, to: &mut Description) -> Result<(), Refused> {
        match self {
            Self::AddTransition(layer, way) => layer_of(to, layer)?.transitions.push(way),
            Self::DeleteTransition(layer, index) => {
                let ways = &mut layer_of(to, layer)?.transitions;
                place(index, ways, "transition")?;
                ways.remove(index);
            }
            Self::SetTransition(layer, index, way) => {
                let ways = &mut layer_of(to, layer)?.transitions;
                place(index, ways, "transition")?;
                ways[index] = way;
            }
            _ => {}
        }
        Ok(())
    }

    fn apply_to_names(self, to: &mut Description) -> Result<(), Refused> {
        match self {
            Self::AddParameter(name, kind) => {
                if to.parameters.contains_key(&name) {
                    return Err(format!("there is a parameter {name:?} already"));
                }
                to.parameters.insert(name, kind);
            }
            Self::DeleteParameter(name) => {
                to.parameters.remove(&name);
                to.bindings.retain(|it| it.does.parameter() != name);
                to.steering = to.steering.take().filter(|it| it.by != name);
            }
            Self::RenameParameter(from, into) => references::rename_parameter(to, &from, &into)?,
            Self::SetParameter(name, kind) => drop(to.parameters.insert(name, kind)),
            Self::AddBinding(binding) => to.bindings.push(binding),
            Self::DeleteBinding(index) => {
                place(index, &to.bindings, "binding")?;
                to.bindings.remove(index);
            }
            Self::SetBinding(index, binding) => {
                place(index, &to.bindings, "binding")?;
                to.bindings[index] = binding;
            }
            Self::SetMask(name, mask) => drop(to.masks.insert(name, mask)),
            Self::MaskLayer(layer, name, mask) => {
                layer_of(to, layer)?.mask = Some(name.clone());
                to.masks.insert(name, mask);
            }
            Self::DeleteMask(name) => drop(to.masks.remove(&name)),
            Self::RenameMask(from, into) => references::rename_mask(to, &from, &into)?,
            Self::SetSteering(steering) => to.steering = steering,
            Self::SetNoBlending(by) => to.no_blending = by,
            Self::SetEvents(clip, events) if events.is_empty() => drop(to.events.remove(&clip)),
            Self::SetEvents(clip, events) => drop(to.events.insert(clip, events)),
            _ => {}
        }
        Ok(())
    }

    /// What it changes: edits of one target while a pointer is held are one
    /// step back. `None` for what stands alone.
    #[must_use]
    pub(super) fn target(&self) -> Option<String> {
        match self {
            Self::SetLayer { layer, .. } => Some(format!("layer {layer}")),
            Self::SetState(layer, state, _) => Some(format!("state {layer} {state}")),
            Self::SetTransition(layer, way, _) => Some(format!("transition {layer} {way}")),
            Self::SetParameter(name, _) => Some(format!("parameter {name}")),
            Self::SetBinding(index, _) => Some(format!("binding {index}")),
            Self::SetMask(name, _) | Self::MaskLayer(_, name, _) => Some(format!("mask {name}")),
            Self::SetSteering(_) => Some("steering".to_owned()),
            Self::SetEvents(clip, _) => Some(format!("events {clip}")),
            _ => None,
        }
    }
}

/// A name that nobody has: `NEW`, `NEW_2`, …
#[must_use]
pub fn free_name(stem: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{stem}_{number}"));
    std::iter::once(stem.to_owned())
        .chain(numbered)
        .find(|name| !taken(name))
        .unwrap_or_default()
}

fn layer_of(to: &mut Description, index: usize) -> Result<&mut LayerDescription, Refused> {
    place(index, &to.layers, "layer")?;
    Ok(&mut to.layers[index])
}

fn place<T>(index: usize, of: &[T], what: &str) -> Result<(), Refused> {
    match index < of.len() {
        true => Ok(()),
        false => Err(format!("there is no {what} {index} any more")),
    }
}

fn shift<T>(items: &mut Vec<T>, from: usize, to: usize, what: &str) -> Result<(), Refused> {
    place(from, items, what)?;
    place(to, items, what)?;
    let item = items.remove(from);
    items.insert(to, item);
    Ok(())
}

/// Events of clips that no state plays any more go with the last of them.
fn forget_events(to: &mut Description) {
    let played: Vec<String> = to.clip_names().into_iter().map(str::to_owned).collect();
    to.events.retain(|clip, _| played.contains(clip));
}
