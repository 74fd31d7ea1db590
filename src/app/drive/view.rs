//! The animator as its panel sees it. What only a new graph changes is
//! written once; what moves is written every frame.

use crate::{
    animator::{
        Animator, Graph, TraceLayer,
        description::ParameterKind,
        graph::{BlendSpace, Layer, StateMotion},
    },
    ui::{LayerView, ParameterView, SpaceView, TransitionView},
};

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

/// What a layer does at the moment.
pub(super) fn follow(
    view: &mut LayerView,
    animator: &Animator,
    (index, layer): (usize, &Layer),
    line: &TraceLayer,
) {
    let find = |name: &str| layer.states.iter().position(|state| state.name == name);
    view.state = find(&line.state).unwrap_or(0);
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
    view.space = motion.and_then(|motion| space(animator, motion));
}

fn space(animator: &Animator, motion: &StateMotion) -> Option<SpaceView> {
    let graph = animator.graph();
    let name = |parameter: usize| graph.parameters[parameter].name.clone();
    let value = |parameter: usize| animator.parameters().value(parameter, 0.0);
    let mut view = SpaceView::default();
    let mut places = vec![[0.0; 2]; motion.clips.len()];
    match &motion.space {
        BlendSpace::Single | BlendSpace::Flat(_) => return None,
        BlendSpace::Line(by, line) => {
            view.axes = [name(*by), String::new()];
            let stops = line.stops();
            stops
                .iter()
                .for_each(|&(at, clip)| places[clip] = [at, 0.0]);
            view.edges = stops
                .windows(2)
                .map(|pair| [pair[0].1, pair[1].1])
                .collect();
            view.at = [value(*by), 0.0];
        }
        BlendSpace::Plane([x, y], plane) => {
            view.axes = [name(*x), name(*y)];
            let points = plane.points().iter();
            points
                .zip(&mut places)
                .for_each(|(at, place)| *place = at.to_array());
            let sides = |&[a, b, c]: &[usize; 3]| [[a, b], [b, c], [c, a]];
            view.edges = plane.triangles().iter().flat_map(sides).collect();
            view.at = [value(*x), value(*y)];
        }
    }
    let mut weights = Vec::new();
    motion.weights(animator.parameters(), 0.0, &mut weights);
    let clips = motion.clips.iter().zip(places).zip(weights);
    view.clips = clips
        .map(|(((clip, _), place), weight)| (graph.clips[*clip].name.clone(), place, weight))
        .collect();
    Some(view)
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
