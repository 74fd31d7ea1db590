//! Where the states of a graph stand, and the curves between them.

use egui::{Pos2, Rect, Vec2};

use crate::animator::description::{LayerDescription, TransitionDescription, TransitionFrom};

/// Of a node.
pub const NODE: Vec2 = Vec2::new(100.0, 24.0);

/// A node for each state, from the upper left corner of the graph: where the
/// file has it, else on an ellipse as large as they need.
pub fn nodes(layer: &LayerDescription, room: Vec2) -> Vec<Rect> {
    let round = around(layer.states.len(), room);
    let states = layer.states.iter().zip(round);
    states
        .map(|(state, round)| match state.place {
            Some((x, y)) => Rect::from_min_size(Pos2::new(x, y), NODE),
            None => round,
        })
        .collect()
}

/// Rows of a graph are no closer than this, from top to top.
const ROW: f32 = 32.0;

/// On an ellipse that fills the room: the first at the top, the others down its
/// right side and up its left one, in rows of even height. As many as fit in no
/// room make it higher.
fn around(count: usize, room: Vec2) -> Vec<Rect> {
    let margin = Vec2::new(10.0, 6.0);
    let (side, bottom) = (count.saturating_sub(1) / 2, count.saturating_sub(1) % 2);
    // Without one at the bottom the lowest two stand apart.
    let rows = side as f32 + if bottom == 1 { 1.0 } else { 0.5 };
    let height = (room.y - NODE.y - 2.0 * margin.y).max(ROW * rows);
    let reach = ((room.x - NODE.x) / 2.0 - margin.x).max(NODE.x);
    let at = |index: usize| {
        let (row, sign) = match index {
            0 => (0, 0.0),
            index if index <= side => (index, 1.0),
            index if index == side + bottom => (index, 0.0),
            index => (count - index, -1.0),
        };
        let down = row as f32 / rows;
        let out = (1.0 - (2.0 * down - 1.0).powi(2)).max(0.0).sqrt() * reach;
        let x = reach + sign * out.max(0.6 * NODE.x);
        let place = Pos2::ZERO + margin + Vec2::new(x, down * height);
        Rect::from_min_size(place, NODE)
    };
    (0..count).map(at).collect()
}

/// Room that all nodes need.
pub fn extent(nodes: &[Rect]) -> Vec2 {
    let corners = nodes.iter().map(|node| node.max.to_vec2());
    corners.fold(Vec2::ZERO, Vec2::max) + Vec2::splat(16.0)
}

/// Four points of a cubic curve between two nodes, bowed to one side so that
/// the way there and the way back stay apart.
pub fn edge(from: Rect, to: Rect) -> [Pos2; 4] {
    let (start, end) = (from.center(), to.center());
    let along = end - start;
    let aside = Vec2::new(-along.y, along.x).normalized() * (10.0 + along.length() * 0.08);
    let bend = start + along * 0.5 + aside;
    let (start, end) = (port(from, bend), port(to, bend));
    [start, start.lerp(bend, 0.66), end.lerp(bend, 0.66), end]
}

/// Where a line from the middle of a node to a point leaves it.
fn port(node: Rect, towards: Pos2) -> Pos2 {
    let way = towards - node.center();
    let reach = (node.size() / 2.0) / way.abs().max(Vec2::splat(1e-3));
    node.center() + way * reach.x.min(reach.y).min(1.0)
}

/// Whether a transition may start in a state.
pub fn leads_out_of(way: &TransitionDescription, state: &str) -> bool {
    let named = |names: &[String]| names.iter().any(|it| it == state);
    way.to != state
        && match &way.from {
            TransitionFrom::Any => true,
            TransitionFrom::Only(names) => named(names),
            TransitionFrom::Except(names) => !named(names),
        }
}

/// Transitions from one state to another, by place in the file.
pub fn ways(layer: &LayerDescription, from: usize, to: usize) -> Vec<usize> {
    let (Some(from), Some(to)) = (layer.states.get(from), layer.states.get(to)) else {
        return Vec::new();
    };
    let all = layer.transitions.iter().enumerate();
    all.filter(|(_, way)| way.to == to.name && leads_out_of(way, &from.name))
        .map(|(index, _)| index)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animator::description::{MotionDescription, StateDescription};

    fn layer(count: usize) -> LayerDescription {
        let state = |index: usize| {
            StateDescription::new(&format!("S{index}"), MotionDescription::Clip("idle".into()))
        };
        let mut layer = LayerDescription::new("base", state(0));
        layer.states.extend((1..count).map(state));
        layer
    }

    #[test]
    fn nodes_without_a_place_keep_apart_for_any_number() {
        for count in 1..=24 {
            let nodes = nodes(&layer(count), Vec2::new(520.0, 400.0));
            for (index, node) in nodes.iter().enumerate() {
                assert!(node.min.x >= 0.0 && node.min.y >= 0.0, "{count}: {node:?}");
                assert!(node.max.x <= 520.0, "{count}: {node:?}");
                for other in &nodes[..index] {
                    assert!(!node.intersects(*other), "{count}: {node:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn the_way_there_and_the_way_back_stay_apart() {
        let nodes = nodes(&layer(10), Vec2::new(520.0, 400.0));
        for from in 0..10 {
            for to in 0..from {
                let middle = |[_, b, c, _]: [Pos2; 4]| b.lerp(c, 0.5);
                let there = middle(edge(nodes[from], nodes[to]));
                let back = middle(edge(nodes[to], nodes[from]));
                assert!((there - back).length() > 8.0, "{from} and {to}");
            }
        }
    }
}
