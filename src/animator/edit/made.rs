//! States, transitions and layers as they are when only the least is said.

use super::Edit;
use crate::{
    animator::description::{
        BindingDescription, BlendMode, Description, Fade, KeyEffect, LayerDescription,
        MotionDescription, ParameterKind, StateDescription, TransitionDescription, TransitionFrom,
    },
    clip::Wrap,
};

impl KeyEffect {
    /// What a key can do to a parameter of a kind.
    #[must_use]
    pub fn on(kind: &ParameterKind, name: String) -> Self {
        match kind {
            ParameterKind::Bool(_) => Self::Hold(name),
            ParameterKind::Float { .. } => Self::Push(name, 1.0),
            ParameterKind::Trigger { .. } => Self::Fire(name),
        }
    }
}

impl Edit {
    /// A control in the place of a binding's, or a new binding to the first
    /// parameter; `None` without one.
    #[must_use]
    pub fn bind(of: &Description, binding: usize, control: &str) -> Option<Self> {
        let key = control.to_owned();
        if let Some(known) = of.bindings.get(binding) {
            let new = BindingDescription {
                key,
                ..known.clone()
            };
            return Some(Self::SetBinding(binding, new));
        }
        let (name, kind) = of.parameters.iter().next()?;
        Some(Self::AddBinding(BindingDescription {
            key,
            does: KeyEffect::on(kind, name.clone()),
            says: String::new(),
        }))
    }
}

impl StateDescription {
    /// One that plays a motion and leaves the rest as it is when left out.
    #[must_use]
    pub fn new(name: &str, motion: MotionDescription) -> Self {
        Self {
            name: name.to_owned(),
            motion,
            wrap: Wrap::default(),
            speed: 1.0,
            start: 0.0,
            root_motion: true,
            steer: true,
            leave_from: None,
            place: None,
        }
    }
}

impl TransitionDescription {
    /// From one state to another, at once.
    #[must_use]
    pub fn new(from: &str, to: &str) -> Self {
        Self {
            from: TransitionFrom::Only(vec![from.to_owned()]),
            to: to.to_owned(),
            when: Vec::new(),
            priority: 0,
            fade: Fade::default(),
            sync: false,
            stance_sync: false,
        }
    }
}

impl LayerDescription {
    /// One of a single state, over the whole body.
    #[must_use]
    pub fn new(name: &str, state: StateDescription) -> Self {
        Self {
            name: name.to_owned(),
            mask: None,
            mode: BlendMode::Override,
            weight: 1.0,
            weight_by: None,
            states: vec![state],
            transitions: Vec::new(),
        }
    }
}
