//! Checks an animator description: every name it uses must be defined, and
//! used as what it is.

use std::collections::HashSet;

use super::description::{
    BlendMode, ConditionDescription, Description, KeyEffect, LayerDescription, MotionDescription,
    ParameterKind, StateDescription, TransitionDescription, TransitionFrom,
};

/// A fault, the path of its field, and the offending name, which leads back to
/// its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// As `layers[0].transitions[2].to`.
    pub field: String,
    /// As written in the file.
    pub name: String,
    /// What is wrong.
    pub message: String,
}

type Checked = Result<(), Fault>;

fn fault(field: impl Into<String>, name: &str, message: impl Into<String>) -> Checked {
    Err(Fault {
        field: field.into(),
        name: name.to_owned(),
        message: message.into(),
    })
}

/// Runs all checks; the first fault is returned.
pub fn check(description: &Description) -> Checked {
    let checker = Checker(description);
    checker.parameters()?;
    checker.bindings()?;
    checker.names()?;
    for (index, layer) in description.layers.iter().enumerate() {
        checker.layer(&format!("layers[{index}]"), index, layer)?;
    }
    checker.events()
}

struct Checker<'a>(&'a Description);

/// What a parameter is asked to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Bool,
    Number,
    Trigger,
}

impl Wanted {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "a Bool",
            Self::Number => "a Float",
            Self::Trigger => "a Trigger",
        }
    }

    fn is(self, kind: ParameterKind) -> bool {
        match kind {
            ParameterKind::Bool(_) => self == Self::Bool,
            ParameterKind::Float { .. } => self == Self::Number,
            ParameterKind::Trigger { .. } => self == Self::Trigger,
        }
    }
}

impl Checker<'_> {
    fn parameter(&self, field: &str, name: &str, wanted: Wanted) -> Checked {
        match self.0.parameters.get(name) {
            Some(&kind) if wanted.is(kind) => Ok(()),
            Some(_) => fault(field, name, format!("{name:?} is not {}", wanted.name())),
            None => {
                let known = list(self.0.parameters.keys());
                fault(field, name, format!("no parameter {name:?} ({known})"))
            }
        }
    }

    fn parameters(&self) -> Checked {
        for (name, kind) in &self.0.parameters {
            let (value, span) = match *kind {
                ParameterKind::Bool(_) => (0.0, 0.0),
                ParameterKind::Float { value, half_life } => (value, half_life),
                ParameterKind::Trigger { buffer } => (0.0, buffer),
            };
            if !value.is_finite() || !(0.0..=60.0).contains(&span) {
                let message = "numbers must be finite and times 0 to 60 s";
                return fault(format!("parameters.{name}"), name, message);
            }
        }
        Ok(())
    }

    fn bindings(&self) -> Checked {
        for (index, binding) in self.0.bindings.iter().enumerate() {
            let field = format!("bindings[{index}].does");
            match &binding.does {
                KeyEffect::Hold(name) => self.parameter(&field, name, Wanted::Bool)?,
                KeyEffect::Push(name, _) => self.parameter(&field, name, Wanted::Number)?,
                KeyEffect::Fire(name) => self.parameter(&field, name, Wanted::Trigger)?,
            }
        }
        if let Some(by) = self.0.guard.as_ref().and_then(|guard| guard.by.as_ref()) {
            self.parameter("guard.by", by, Wanted::Number)?;
        }
        if let Some(name) = &self.0.no_blending {
            self.parameter("no_blending", name, Wanted::Bool)?;
        }
        match &self.0.steering {
            Some(steering) => self.parameter("steering.by", &steering.by, Wanted::Number),
            None => Ok(()),
        }
    }

    fn names(&self) -> Checked {
        if ![0, 2].contains(&self.0.legs.len()) {
            let first = self.0.legs.first().map_or("", |leg| leg.step.as_str());
            return fault(
                "legs",
                first,
                "there are two legs, left then right, or none",
            );
        }
        if self.0.layers.is_empty() {
            return fault("layers", "", "at least one layer is needed");
        }
        let layers = self.0.layers.iter().map(|layer| layer.name.as_str());
        if let Some(name) = repeated(layers) {
            return fault("layers", name, format!("layer {name:?} is defined twice"));
        }
        Ok(())
    }

    fn layer(&self, field: &str, index: usize, layer: &LayerDescription) -> Checked {
        self.mask(field, layer.mask.as_deref())?;
        self.number(field, "weight_by", layer.weight_by.as_ref())?;
        if layer.states.is_empty() {
            return fault(
                format!("{field}.states"),
                &layer.name,
                "a layer needs a state",
            );
        }
        if index == 0 && (layer.mask.is_some() || layer.mode != BlendMode::Override) {
            let message = "the first layer carries the whole body: no mask, no Additive";
            return fault(field, &layer.name, message);
        }
        let states = layer.states.iter().map(|state| state.name.as_str());
        if let Some(name) = repeated(states) {
            let message = format!("state {name:?} is defined twice");
            return fault(format!("{field}.states"), name, message);
        }
        for (i, state) in layer.states.iter().enumerate() {
            self.state(&format!("{field}.states[{i}]"), index, state)?;
        }
        for (i, transition) in layer.transitions.iter().enumerate() {
            self.transition(&format!("{field}.transitions[{i}]"), layer, transition)?;
        }
        Ok(())
    }

    fn state(&self, field: &str, layer: usize, state: &StateDescription) -> Checked {
        if !state.speed.is_finite() || !(0.0..=1.0).contains(&state.start) {
            let message = "speed must be finite and start 0 to 1";
            return fault(field, &state.name, message);
        }
        let motion = format!("{field}.motion");
        match &state.motion {
            MotionDescription::Empty if layer == 0 => {
                let message = "the first layer has nothing below it to show: Empty is for others";
                fault(motion, &state.name, message)
            }
            MotionDescription::Empty => Ok(()),
            tree => self.motion(&motion, &state.name, tree),
        }
    }

    /// A node of a state's tree and all below it.
    fn motion(&self, field: &str, state: &str, motion: &MotionDescription) -> Checked {
        match motion {
            MotionDescription::Empty => fault(
                field,
                state,
                "Empty is for a whole state, not for a part of one",
            ),
            MotionDescription::Clip(_) => Ok(()),
            MotionDescription::Blend1d { by, clips, .. } => {
                self.some_clips(field, state, clips.len())?;
                self.number(field, "by", Some(by))?;
                let parts = clips.iter().map(|it| (&it.clip, it.motion.as_deref()));
                self.parts(&format!("{field}.clips"), state, parts)
            }
            MotionDescription::Blend2d { x, y, clips, .. } => {
                self.some_clips(field, state, clips.len())?;
                self.number(field, "x", Some(x))?;
                self.number(field, "y", Some(y))?;
                let parts = clips.iter().map(|it| (&it.clip, it.motion.as_deref()));
                self.parts(&format!("{field}.clips"), state, parts)
            }
            MotionDescription::Flat(clips) => {
                self.some_clips(field, state, clips.len())?;
                for (i, clip) in clips.iter().enumerate() {
                    self.number(&format!("{field}[{i}]"), "by", clip.by.as_ref())?;
                }
                let parts = clips.iter().map(|it| (&it.clip, it.motion.as_deref()));
                self.parts(field, state, parts)
            }
            MotionDescription::Bilinear { x, y, corners, .. } => {
                if corners.len() != 4 {
                    let message = format!("a square has four corners, not {}", corners.len());
                    return fault(format!("{field}.corners"), state, message);
                }
                self.number(field, "x", Some(x))?;
                self.number(field, "y", Some(y))?;
                corners.iter().enumerate().try_for_each(|(i, corner)| {
                    self.motion(&format!("{field}.corners[{i}]"), state, corner)
                })
            }
            MotionDescription::Scrub { by, from, to, .. } => {
                if !from.is_finite() || !to.is_finite() || from == to {
                    let message = "from and to are two different numbers";
                    return fault(format!("{field}.to"), state, message);
                }
                self.number(field, "by", Some(by))
            }
            MotionDescription::Add {
                onto,
                add,
                mask,
                by,
                ..
            } => {
                self.number(field, "by", by.as_ref())?;
                self.mask(field, mask.as_deref())?;
                self.motion(&format!("{field}.onto"), state, onto)?;
                self.motion(&format!("{field}.add"), state, add)
            }
            MotionDescription::Masked {
                below,
                above,
                mask,
                by,
                ..
            } => {
                self.number(field, "by", by.as_ref())?;
                self.mask(field, Some(mask))?;
                self.motion(&format!("{field}.below"), state, below)?;
                self.motion(&format!("{field}.above"), state, above)
            }
        }
    }

    fn number(&self, field: &str, name: &str, parameter: Option<&String>) -> Checked {
        let field = format!("{field}.{name}");
        parameter.map_or(Ok(()), |it| self.parameter(&field, it, Wanted::Number))
    }

    /// Children of which each is a clip or a motion of its own.
    fn parts<'a>(
        &self,
        field: &str,
        state: &str,
        parts: impl Iterator<Item = (&'a String, Option<&'a MotionDescription>)>,
    ) -> Checked {
        for (i, (clip, motion)) in parts.enumerate() {
            let field = format!("{field}[{i}]");
            match (clip.is_empty(), motion) {
                (false, None) => {}
                (true, Some(motion)) => self.motion(&format!("{field}.motion"), state, motion)?,
                _ => return fault(field, state, "either a clip or a motion, and not both"),
            }
        }
        Ok(())
    }

    fn mask(&self, field: &str, mask: Option<&str>) -> Checked {
        match mask {
            Some(mask) if !self.0.masks.contains_key(mask) => {
                let known = list(self.0.masks.keys());
                let message = format!("no mask {mask:?} ({known})");
                fault(format!("{field}.mask"), mask, message)
            }
            _ => Ok(()),
        }
    }

    fn some_clips(&self, field: &str, state: &str, count: usize) -> Checked {
        match count {
            0 => fault(field, state, "at least one clip is needed"),
            _ => Ok(()),
        }
    }

    fn transition(
        &self,
        field: &str,
        layer: &LayerDescription,
        transition: &TransitionDescription,
    ) -> Checked {
        known_state(&format!("{field}.to"), layer, &transition.to)?;
        let (TransitionFrom::Only(from) | TransitionFrom::Except(from)) = &transition.from else {
            return self.conditions(field, layer, transition);
        };
        for name in from {
            known_state(&format!("{field}.from"), layer, name)?;
        }
        self.conditions(field, layer, transition)
    }

    fn conditions(
        &self,
        field: &str,
        layer: &LayerDescription,
        transition: &TransitionDescription,
    ) -> Checked {
        let fade = transition.fade;
        if !(0.0..=60.0).contains(&fade.secs) {
            let message = "a fade lasts 0 to 60 s";
            return fault(format!("{field}.fade.secs"), &transition.to, message);
        }
        for (i, condition) in transition.when.iter().enumerate() {
            let field = format!("{field}.when[{i}]");
            match condition {
                ConditionDescription::On(name) | ConditionDescription::Off(name) => {
                    self.parameter(&field, name, Wanted::Bool)?;
                }
                ConditionDescription::Fired(name) => {
                    self.parameter(&field, name, Wanted::Trigger)?;
                }
                ConditionDescription::Above(name, _) | ConditionDescription::Below(name, _) => {
                    self.parameter(&field, name, Wanted::Number)?;
                }
                ConditionDescription::AtEnd
                | ConditionDescription::After(_)
                | ConditionDescription::Landed => {}
                ConditionDescription::Stance(step, _) => self.step(&field, step)?,
                ConditionDescription::Without(state) => known_state(&field, layer, state)?,
                ConditionDescription::InState(name, states) => {
                    self.in_state(&field, name, states)?;
                }
            }
        }
        Ok(())
    }

    fn step(&self, field: &str, name: &str) -> Checked {
        match self.0.legs.iter().any(|leg| leg.step == name) {
            true => Ok(()),
            false => {
                let known = list(self.0.legs.iter().map(|leg| &leg.step));
                fault(field, name, format!("no leg has a step {name:?} ({known})"))
            }
        }
    }

    fn in_state(&self, field: &str, name: &str, states: &[String]) -> Checked {
        let Some(layer) = self.0.layers.iter().find(|layer| layer.name == name) else {
            return fault(field, name, format!("no layer {name:?}"));
        };
        states
            .iter()
            .try_for_each(|state| known_state(field, layer, state))
    }

    fn events(&self) -> Checked {
        let clips: HashSet<&str> = self.0.clip_names().into_iter().collect();
        match self
            .0
            .events
            .keys()
            .find(|clip| !clips.contains(clip.as_str()))
        {
            Some(clip) => {
                let message = format!("no state plays a clip {clip:?}");
                fault("events", clip, message)
            }
            None => Ok(()),
        }
    }
}

fn known_state(field: &str, layer: &LayerDescription, name: &str) -> Checked {
    if layer.states.iter().any(|state| state.name == name) {
        return Ok(());
    }
    let known = list(layer.states.iter().map(|state| &state.name));
    let message = format!("no state {name:?} in layer {:?} ({known})", layer.name);
    fault(field, name, message)
}

fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    names.map(String::as_str).collect::<Vec<_>>().join(", ")
}
