//! Names and where they are used: a rename follows every use, and what is
//! deleted takes along what cannot be without it.

use super::Refused;
use crate::animator::description::{
    ConditionDescription, Description, KeyEffect, MotionDescription, TransitionFrom,
};

impl KeyEffect {
    /// What it acts on.
    #[must_use]
    pub fn parameter(&self) -> &str {
        match self {
            Self::Hold(name) | Self::Push(name, _) | Self::Fire(name) => name,
        }
    }

    fn parameter_mut(&mut self) -> &mut String {
        match self {
            Self::Hold(name) | Self::Push(name, _) | Self::Fire(name) => name,
        }
    }
}

fn free(name: &str, taken: bool, what: &str) -> Result<(), Refused> {
    match (name.trim().is_empty(), taken) {
        (true, _) => Err(format!("a {what} needs a name")),
        (_, true) => Err(format!("there is a {what} {name:?} already")),
        _ => Ok(()),
    }
}

fn rename(name: &mut String, from: &str, to: &str) {
    if name == from {
        to.clone_into(name);
    }
}

/// The conditions of all layers.
fn conditions(of: &mut Description) -> impl Iterator<Item = &mut ConditionDescription> {
    let ways = of.layers.iter_mut().flat_map(|it| &mut it.transitions);
    ways.flat_map(|way| &mut way.when)
}

pub fn rename_layer(of: &mut Description, index: usize, to: &str) -> Result<(), Refused> {
    let layer = of.layers.get(index).ok_or("there is no such layer")?;
    let from = layer.name.clone();
    let taken = of.layers.iter().any(|it| it.name == to) && from != to;
    free(to, taken, "layer")?;
    to.clone_into(&mut of.layers[index].name);
    for condition in conditions(of) {
        if let ConditionDescription::InState(layer, _) = condition {
            rename(layer, &from, to);
        }
    }
    Ok(())
}

/// Transitions that waited for its states can never run again.
pub fn forget_layer(of: &mut Description, name: &str) {
    let waits = |it: &ConditionDescription| matches!(it, ConditionDescription::InState(layer, _) if layer == name);
    for layer in &mut of.layers {
        layer.transitions.retain(|way| !way.when.iter().any(waits));
    }
}

fn names_of(from: &mut TransitionFrom) -> Option<&mut Vec<String>> {
    match from {
        TransitionFrom::Any => None,
        TransitionFrom::Only(names) | TransitionFrom::Except(names) => Some(names),
    }
}

pub fn rename_state(
    of: &mut Description,
    layer: usize,
    state: usize,
    to: &str,
) -> Result<(), Refused> {
    let known = of.layers.get(layer).ok_or("there is no such layer")?;
    let from = known.states.get(state).ok_or("there is no such state")?;
    let (from, layer_name) = (from.name.clone(), known.name.clone());
    let taken = known.states.iter().any(|it| it.name == to) && from != to;
    free(to, taken, "state")?;
    let known = &mut of.layers[layer];
    to.clone_into(&mut known.states[state].name);
    for way in &mut known.transitions {
        rename(&mut way.to, &from, to);
        let starts = names_of(&mut way.from).into_iter().flatten();
        starts.for_each(|it| rename(it, &from, to));
        for condition in &mut way.when {
            if let ConditionDescription::Without(name) = condition {
                rename(name, &from, to);
            }
        }
    }
    for condition in conditions(of) {
        if let ConditionDescription::InState(layer, states) = condition
            && *layer == layer_name
        {
            states.iter_mut().for_each(|it| rename(it, &from, to));
        }
    }
    Ok(())
}

/// Transitions that led into it go; those that only began in it, or that can
/// never run without it, go too.
pub fn forget_state(of: &mut Description, layer: &str, name: &str) {
    let absent = ConditionDescription::Without(name.to_owned());
    for known in of.layers.iter_mut().filter(|it| it.name == layer) {
        for way in &mut known.transitions {
            if let Some(names) = names_of(&mut way.from) {
                names.retain(|it| it != name);
            }
            way.when.retain(|it| *it != absent);
        }
        let nowhere =
            |from: &TransitionFrom| matches!(from, TransitionFrom::Only(names) if names.is_empty());
        let ways = &mut known.transitions;
        ways.retain(|way| way.to != name && !nowhere(&way.from));
    }
    for condition in conditions(of) {
        if let ConditionDescription::InState(of_layer, states) = condition
            && of_layer == layer
        {
            states.retain(|it| it != name);
        }
    }
    let never = |it: &ConditionDescription| matches!(it, ConditionDescription::InState(of, states) if of == layer && states.is_empty());
    for known in &mut of.layers {
        known.transitions.retain(|way| !way.when.iter().any(never));
    }
}

pub fn rename_parameter(of: &mut Description, from: &str, to: &str) -> Result<(), Refused> {
    free(
        to,
        of.parameters.contains_key(to) && from != to,
        "parameter",
    )?;
    let kind = of.parameters.remove(from);
    let kind = kind.ok_or_else(|| format!("there is no parameter {from:?}"))?;
    of.parameters.insert(to.to_owned(), kind);
    for binding in &mut of.bindings {
        rename(binding.does.parameter_mut(), from, to);
    }
    if let Some(steering) = &mut of.steering {
        rename(&mut steering.by, from, to);
    }
    let of_layers = of.layers.iter_mut().map(|it| &mut it.weight_by);
    let guard = of.guard.iter_mut().map(|it| &mut it.by);
    let single = of_layers.chain([&mut of.no_blending]).chain(guard);
    single.flatten().for_each(|name| rename(name, from, to));
    for state in of.layers.iter_mut().flat_map(|it| &mut it.states) {
        rename_in_motion(&mut state.motion, from, to);
    }
    for condition in conditions(of) {
        match condition {
            ConditionDescription::On(name)
            | ConditionDescription::Off(name)
            | ConditionDescription::Fired(name)
            | ConditionDescription::Above(name, _)
            | ConditionDescription::Below(name, _) => rename(name, from, to),
            _ => {}
        }
    }
    Ok(())
}

fn rename_in_motion(motion: &mut MotionDescription, from: &str, to: &str) {
    for name in motion.parameters_mut() {
        rename(name, from, to);
    }
    for child in motion.motions_mut() {
        rename_in_motion(child, from, to);
    }
}

fn rename_mask_in_motion(motion: &mut MotionDescription, from: &str, to: &str) {
    match motion {
        MotionDescription::Add {
            mask: Some(mask), ..
        }
        | MotionDescription::Masked { mask, .. } => rename(mask, from, to),
        _ => {}
    }
    for child in motion.motions_mut() {
        rename_mask_in_motion(child, from, to);
    }
}

impl MotionDescription {
    /// The parameters that this node looks at, its children aside.
    fn parameters_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Empty | Self::Clip(_) => Vec::new(),
            Self::Blend1d { by, .. } | Self::Scrub { by, .. } => vec![by],
            Self::Blend2d { x, y, .. } | Self::Bilinear { x, y, .. } => vec![x, y],
            Self::Flat(clips) => clips.iter_mut().filter_map(|it| it.by.as_mut()).collect(),
            Self::Add { by, .. } | Self::Masked { by, .. } => by.iter_mut().collect(),
        }
    }

    /// Its children that are motions of their own.
    fn motions_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Empty | Self::Clip(_) | Self::Scrub { .. } => Vec::new(),
            Self::Blend1d { clips, .. } => own(clips.iter_mut().map(|it| &mut it.motion)),
            Self::Blend2d { clips, .. } => own(clips.iter_mut().map(|it| &mut it.motion)),
            Self::Flat(clips) => own(clips.iter_mut().map(|it| &mut it.motion)),
            Self::Bilinear { corners, .. } => corners.iter_mut().collect(),
            Self::Add { onto, add, .. } => vec![onto, add],
            Self::Masked { below, above, .. } => vec![below, above],
        }
    }
}

fn own<'a>(
    motions: impl Iterator<Item = &'a mut Option<Box<MotionDescription>>>,
) -> Vec<&'a mut MotionDescription> {
    motions.filter_map(|it| it.as_deref_mut()).collect()
}

pub fn rename_mask(of: &mut Description, from: &str, to: &str) -> Result<(), Refused> {
    free(to, of.masks.contains_key(to) && from != to, "mask")?;
    let mask = of.masks.remove(from);
    let mask = mask.ok_or_else(|| format!("there is no mask {from:?}"))?;
    of.masks.insert(to.to_owned(), mask);
    for layer in &mut of.layers {
        if let Some(mask) = &mut layer.mask {
            rename(mask, from, to);
        }
        for state in &mut layer.states {
            rename_mask_in_motion(&mut state.motion, from, to);
        }
    }
    Ok(())
}
