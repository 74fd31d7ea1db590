//! The animator as its panel sees it. What only a new graph changes is
//! written once; what moves is written every frame.

use super::tree;
use crate::{
    animator::{Animator, Graph, TraceLayer, description::ParameterKind, graph::Layer},
    ui::{BindingView, EventLaneView, LayerView, ParameterView, TransitionView},
};

/// The clip of the first layer, and what happens in it.
pub(super) fn lane(animator: &mut Animator) -> Option<EventLaneView> {
    let (clip, now_secs) = animator.played_clip()?;
    let all = clip.events.events().iter();
    let found = all.filter(|it| !clip.named.contains(it)).cloned().collect();
    Some(EventLaneView {
        clip: clip.name.clone(),
        duration_secs: clip.duration_secs(),
        now_secs,
        events: clip.named.clone(),
        found,
    })
}

/// States, ways and masks of every layer.
pub(super) fn layers(graph: &Graph) -> Vec<LayerView> {
    let layers = graph.layers.iter();
    layers
        .map(|layer| LayerView {
            name: layer.name.clone(),
            states: layer
                .states
                .iter()
                .map(|state| state.name.clone())
                .collect(),
            transitions: ways(graph, layer),
            mask: layer.mask.weights().to_vec(),
            full_weight: layer.weight,
            state_weights: vec![0.0; layer.states.len()],
            ..LayerView::default()
        })
        .collect()
}

fn ways(graph: &Graph, layer: &Layer) -> Vec<TransitionView> {
    let ways = layer.transitions.iter();
    ways.map(|way| {
        let when = way.when.iter().map(|condition| graph.spell(condition));
        TransitionView {
            from: way.from.clone(),
            to: way.to,
            when: when.collect::<Vec<_>>().join(" and "),
            fade: way.fade,
        }
    })
    .collect()
}

/// What each control is for, in the file's words and order. Controls of one
/// purpose share a row.
pub(super) fn bindings(graph: &Graph) -> Vec<BindingView> {
    let mut rows: Vec<BindingView> = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for binding in &graph.bindings {
        // What a control does first is what it is for.
        if known.contains(&binding.key.as_str()) {
            continue;
        }
        known.push(&binding.key);
        match rows.iter_mut().find(|row| row.says == binding.says) {
            Some(row) => row.controls.push(binding.key.clone()),
            None => rows.push(BindingView {
                controls: vec![binding.key.clone()],
                says: binding.says.clone(),
            }),
        }
    }
    rows
}

/// What a layer does at the moment.
pub(super) fn follow(
    view: &mut LayerView,
    animator: &Animator,
    (index, layer): (usize, &Layer),
    line: &TraceLayer,
) {
    let find = |name: &str| layer.states.iter().position(|state| state.name == name);
    let state = find(&line.state).unwrap_or(0);
    if state != view.state {
        view.taken = Some((view.state, state));
    }
    view.state = state;
    view.previous = line.previous.as_deref().and_then(find);
    (view.fade, view.weight) = (line.fade, line.weight);
    view.state_weights.fill(0.0);
    for (state, weight) in animator.state_weights(index) {
        if let Some(own) = view.state_weights.get_mut(state) {
            *own += weight;
        }
    }
    let motion = layer.states.get(view.state);
    let motion = motion.and_then(|state| state.motion.as_ref());
    view.blend = motion.and_then(|motion| tree::blend(animator, motion));
}

/// Every parameter and its present value.
pub(super) fn parameters(animator: &Animator) -> Vec<ParameterView> {
    let values = animator.parameters();
    let all = animator.graph().parameters.iter().enumerate();
    all.map(|(index, parameter)| ParameterView {
        name: parameter.name.clone(),
        value: match parameter.kind {
            ParameterKind::Trigger { .. } => f64::from(u8::from(values.is_armed(index))),
            _ => values.value(index, 0.0),
        },
        kind: parameter.kind,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use crate::{
        app::drive::{CharacterSource, Drive, load},
        body::BodyCache,
    };

    #[test]
    fn clips_at_weights_of_their_own_are_shown_without_a_space() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = r#"(
            parameters: { "mix": Float(value: 3.0) },
            layers: [(name: "base", states: [(name: "MIX", motion: Flat([
                (clip: "idle"),
                (clip: "wave", by: Some("mix")),
            ]))])],
        )"#;
        std::fs::write(file.path(), text).unwrap();
        let from = CharacterSource {
            animator: Some(file.path().into()),
            ..CharacterSource::default()
        };
        let mut ready = load(&from, &mut BodyCache::default()).unwrap();
        let animator = ready.character.animator_mut().unwrap();
        let drive = Drive::new(ready.clip, (ready.source, ready.given), animator);
        let blend = drive.view.layers[0].blend.as_ref().unwrap();
        let wanted = [("idle".to_owned(), 0.25), ("wave".to_owned(), 0.75)];
        assert_eq!(blend.clips, wanted);
        assert_eq!(blend.space, None);
    }
}
