//! Which transition runs next.

use super::{
    graph::{Condition, Transition},
    layer::{Context, LayerState},
    state_sampler::SampleScratch,
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
    scratch: &mut SampleScratch,
) -> Option<&'a Transition> {
    let moment = Moment {
        context,
        layer,
        played: layer.played(context),
        states,
    };
    let played = moment.played;
    let state = layer.state();
    let leave_from = context.layer.states[state].leave_from.unwrap_or(0.0);
    context.layer.transitions.iter().find(|transition| {
        let waits = transition
            .when
            .iter()
            .any(|c| matches!(c, Condition::After(_) | Condition::Landed));
        transition.from[state]
            && (waits || played >= leave_from - ALMOST)
            && transition.when.iter().all(|c| moment.holds(c, scratch))
    })
}

/// Rounding of phases.
const ALMOST: f64 = 1e-9;

/// What conditions look at.
struct Moment<'a, 'b> {
    context: &'b Context<'a>,
    layer: &'b LayerState,
    /// Share of the state's clip.
    played: f64,
    /// Of all layers.
    states: &'b [usize],
}

impl Moment<'_, '_> {
    fn holds(&self, condition: &Condition, scratch: &mut SampleScratch) -> bool {
        let parameters = self.context.parameters;
        match condition {
            Condition::Is(index, on) => parameters.is_on(*index) == *on,
            Condition::Fired(index) => parameters.is_armed(*index),
            Condition::Above(index, value) => parameters.value(*index, 0.0) > *value,
            Condition::Below(index, value) => parameters.value(*index, 0.0) < *value,
            Condition::After(fraction) => self.played >= fraction - ALMOST,
            Condition::InState(layer, among) => among.contains(&self.states[*layer]),
            Condition::Stance(leg, share) => {
                let passed = self.layer.stance_passed(self.context, *leg, scratch);
                passed.is_none_or(|passed| passed < *share)
            }
            Condition::Landed => self.layer.has_landed(),
        }
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
