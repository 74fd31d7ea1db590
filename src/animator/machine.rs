//! Which transition runs next.

use super::{
    graph::{Condition, Transition},
    layer::{Context, LayerState},
};

/// The first transition, highest priority first, that may start from the
/// layer's state and whose conditions all hold. `states` are the states of all
/// layers at the start of the step, so that the order of layers does not
/// matter.
#[must_use]
pub fn choose<'a>(
    context: &Context<'a>,
    layer: &LayerState,
    states: &[usize],
) -> Option<&'a Transition> {
    let played = layer.played(context);
    let state = layer.state();
    let leave_from = context.layer.states[state].leave_from.unwrap_or(0.0);
    context.layer.transitions.iter().find(|transition| {
        let waits = transition
            .when
            .iter()
            .any(|c| matches!(c, Condition::After(_)));
        transition.from[state]
            && (waits || played >= leave_from - ALMOST)
            && transition
                .when
                .iter()
                .all(|c| holds(context, c, played, states))
    })
}

/// Rounding of phases.
const ALMOST: f64 = 1e-9;

fn holds(context: &Context<'_>, condition: &Condition, played: f64, states: &[usize]) -> bool {
    let parameters = context.parameters;
    match condition {
        Condition::Is(index, on) => parameters.is_on(*index) == *on,
        Condition::Fired(index) => parameters.is_armed(*index),
        Condition::Above(index, value) => parameters.value(*index, 0.0) > *value,
        Condition::Below(index, value) => parameters.value(*index, 0.0) < *value,
        Condition::After(fraction) => played >= fraction - ALMOST,
        Condition::InState(layer, among) => among.contains(&states[*layer]),
    }
}

/// The triggers a transition uses up.
pub fn triggers(transition: &Transition) -> impl Iterator<Item = usize> + '_ {
    transition
        .when
        .iter()
        .filter_map(|condition| match condition {
            Condition::Fired(index) => Some(*index),
            _ => None,
        })
}
