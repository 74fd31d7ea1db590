//! What was tuned on the running graph, as edits of its file.

use super::{Edit, free_name};
use crate::{
    animator::{
        description::{
            Child, Description, Fade, LayerDescription, MaskDescription, MotionDescription,
        },
        graph::{Graph, Layer},
    },
    skeleton::Skeleton,
};

impl Edit {
    /// Another fade of a transition of the graph. `None` where the file has no
    /// such transition any more.
    #[must_use]
    pub fn tuned_fade(
        of: &Description,
        graph: &Graph,
        (layer, transition): (usize, usize),
        fade: Fade,
    ) -> Option<Self> {
        let running: &Layer = graph.layers.get(layer)?;
        let way = running.transitions.get(transition)?;
        let (at, written) = written(of, &running.name)?;
        let mut new = written.transitions.get(way.written)?.clone();
        let same = running.states.get(way.to).map(|it| &it.name) == Some(&new.to);
        new.fade = fade;
        same.then_some(Self::SetTransition(at, way.written, new))
    }

    /// Another weight of a layer.
    #[must_use]
    pub fn tuned_weight(of: &Description, layer: &str, weight: f32) -> Option<Self> {
        let (at, layer) = written(of, layer)?;
        Some(Self::SetLayer {
            layer: at,
            mask: layer.mask.clone(),
            mode: layer.mode.clone(),
            weight,
            weight_by: layer.weight_by.clone(),
        })
    }

    /// Other weights of the joints of a layer. A mask that others have too
    /// stays as it is, and the layer gets one of its own.
    #[must_use]
    pub fn tuned_mask(
        of: &Description,
        skeleton: &Skeleton,
        layer: &str,
        weights: &[f32],
    ) -> Option<Self> {
        let (at, layer) = written(of, layer)?;
        let known = { layer.mask.as_ref() }.and_then(|name| Some((name, of.masks.get(name)?)));
        let (name, mask) = match known {
            Some((name, mask)) if uses(of, name) == 1 => (name.clone(), mask.clone()),
            Some((_, mask)) => (own_name(of, &layer.name), mask.clone()),
            None => (own_name(of, &layer.name), MaskDescription::whole(skeleton)),
        };
        let mask = mask.with_weights(skeleton, weights);
        Some(Self::MaskLayer(at, name, mask))
    }
}

fn written<'a>(of: &'a Description, name: &str) -> Option<(usize, &'a LayerDescription)> {
    of.layers.iter().enumerate().find(|(_, it)| it.name == name)
}

/// How many layers and nodes of trees have a mask.
fn uses(of: &Description, mask: &str) -> usize {
    let is = |name: Option<&String>| usize::from(name.is_some_and(|it| it == mask));
    let of_layer = |layer: &LayerDescription| {
        let nodes = layer.states.iter().map(|it| uses_in(&it.motion, mask));
        is(layer.mask.as_ref()) + nodes.sum::<usize>()
    };
    of.layers.iter().map(of_layer).sum()
}

fn uses_in(motion: &MotionDescription, mask: &str) -> usize {
    let own = motion.over().and_then(|over| over.mask);
    let below = motion.children().into_iter().map(|child| match child {
        Child::Motion(motion) => uses_in(motion, mask),
        Child::Clip(_) => 0,
    });
    usize::from(own == Some(mask)) + below.sum::<usize>()
}

/// Named after its layer.
fn own_name(of: &Description, layer: &str) -> String {
    free_name(layer, |name| of.masks.contains_key(name))
}
