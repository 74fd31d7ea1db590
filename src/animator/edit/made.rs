//! States, transitions and layers as they are when only the least is said.

use crate::{
    animator::description::{
        BlendMode, Fade, LayerDescription, MotionDescription, StateDescription,
        TransitionDescription, TransitionFrom,
    },
    clip::Wrap,
};

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
