//! Parameters at run time, and the keys that move them.

use std::sync::Arc;

use super::graph::{Graph, ParameterEffect};
use super::{description::ParameterKind, script::Input};
use crate::math::Spring;

/// Everything transitions and blend spaces look at.
#[derive(Clone, Debug)]
pub struct Parameters {
    graph: Arc<Graph>,
    values: Vec<Value>,
    /// One for each binding: how far its control is held, 0 to 1.
    held: Vec<f64>,
}

/// From here on a control that can be held half-way counts as down.
const DOWN: f64 = 0.5;

#[derive(Clone, Copy, Debug, Default)]
struct Value {
    /// What it was set to, keys apart.
    set: f64,
    /// What it shows.
    spring: Spring,
    /// Seconds for which a trigger is still remembered.
    armed_secs: f64,
}

impl Parameters {
    /// Start values.
    #[must_use]
    pub fn new(graph: Arc<Graph>) -> Self {
        let start = |kind: ParameterKind| {
            let set = match kind {
                ParameterKind::Bool(on) => f64::from(u8::from(on)),
                ParameterKind::Float { value, .. } => value,
                ParameterKind::Trigger { .. } => 0.0,
            };
            Value {
                set,
                spring: Spring::at(set),
                armed_secs: 0.0,
            }
        };
        Self {
            values: graph.parameters.iter().map(|p| start(p.kind)).collect(),
            held: vec![0.0; graph.bindings.len()],
            graph,
        }
    }

    /// Goes on with a graph of the same parameters and bindings.
    pub(super) fn set_graph(&mut self, graph: Arc<Graph>) {
        self.graph = graph;
    }

    /// Applies one input. Keys that are bound to nothing and names that are no
    /// parameter do nothing.
    pub fn apply(&mut self, input: &Input) {
        let graph = Arc::clone(&self.graph);
        match input {
            Input::Press(key) => self.hold(&graph, key, 1.0),
            Input::Release(key) => self.hold(&graph, key, 0.0),
            Input::Click(button) => {
                self.hold(&graph, button, 1.0);
                self.hold(&graph, button, 0.0);
            }
            Input::Axis(name, value) => self.hold(&graph, name, value.clamp(0.0, 1.0)),
            Input::Set(name, value) => {
                if let Some(index) = graph.parameter(name) {
                    self.set(index, *value);
                }
            }
            // Done by whoever owns the character.
            Input::Pose(_) => {}
        }
    }

    fn hold(&mut self, graph: &Graph, control: &str, share: f64) {
        for (index, binding) in graph.bindings.iter().enumerate() {
            if !binding.is_for(control) {
                continue;
            }
            // Keyboards repeat, and sticks report every hair: only the way
            // past the middle is a press.
            let pressed = share >= DOWN && self.held[index] < DOWN;
            self.held[index] = share;
            if let ParameterEffect::Fire(parameter) = binding.effect
                && pressed
            {
                self.arm(parameter);
            }
        }
    }

    fn set(&mut self, index: usize, value: f64) {
        match self.graph.parameters[index].kind {
            ParameterKind::Trigger { .. } if value != 0.0 => self.arm(index),
            _ => self.values[index].set = value,
        }
    }

    fn arm(&mut self, index: usize) {
        if let ParameterKind::Trigger { buffer } = self.graph.parameters[index].kind {
            // At least one tick sees it.
            self.values[index].armed_secs = buffer.max(1e-3);
        }
    }

    /// One step of time: numbers follow their targets.
    pub fn step(&mut self, dt_secs: f64) {
        let graph = Arc::clone(&self.graph);
        for (index, parameter) in graph.parameters.iter().enumerate() {
            let target = self.target(index);
            let value = &mut self.values[index];
            match parameter.kind {
                ParameterKind::Bool(_) => value.spring = Spring::at(target),
                ParameterKind::Float { half_life, .. } => {
                    value.spring.follow(target, half_life, dt_secs);
                }
                ParameterKind::Trigger { .. } => {}
            }
        }
    }

    /// Lets triggers that nobody used grow old.
    pub fn age_triggers(&mut self, dt_secs: f64) {
        for value in &mut self.values {
            value.armed_secs = (value.armed_secs - dt_secs).max(0.0);
        }
    }

    fn target(&self, index: usize) -> f64 {
        let held = self.graph.bindings.iter().zip(&self.held);
        held.fold(
            self.values[index].set,
            |target, (binding, share)| match binding.effect {
                ParameterEffect::Hold(parameter) if parameter == index && *share >= DOWN => 1.0,
                ParameterEffect::Push(parameter, by) if parameter == index => target + by * share,
                _ => target,
            },
        )
    }

    /// The number shown, `ahead_secs` after the last step.
    #[must_use]
    pub fn value(&self, index: usize, ahead_secs: f64) -> f64 {
        let spring = self.values[index].spring;
        spring.value + spring.velocity * ahead_secs
    }

    /// Is a bool on?
    #[must_use]
    pub fn is_on(&self, index: usize) -> bool {
        self.values[index].spring.value > 0.5
    }

    /// Whether motions are blended at all; off to see what blending does.
    #[must_use]
    pub fn blends(&self) -> bool {
        self.graph.no_blending.is_none_or(|off| !self.is_on(off))
    }

    /// Has a trigger fired that nobody has used?
    #[must_use]
    pub fn is_armed(&self, index: usize) -> bool {
        self.values[index].armed_secs > 0.0
    }

    /// Uses a trigger up.
    pub fn consume(&mut self, index: usize) {
        self.values[index].armed_secs = 0.0;
    }
}
