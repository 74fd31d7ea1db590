//! Where the states of a layer stand: around the edge of their area, so that
//! every edge between two of them bends through the middle and none passes
//! under a third.

use egui::{Pos2, Rect, Vec2};

/// Height of a node.
pub const NODE_HEIGHT: f32 = 24.0;
/// Room from one node to the next below.
const STEP: f32 = 32.0;

/// Height that `count` states need.
#[must_use]
pub fn height(count: usize) -> f32 {
    let rows = count.saturating_sub(1).div_ceil(2) + 1;
    // A lone one at the bottom takes a row of its own.
    rows as f32 * STEP
}

/// The first at the top, the others down the right side and up the left.
#[must_use]
pub fn nodes(area: Rect, count: usize) -> Vec<Rect> {
    let width = ((area.width() - 48.0) / 2.0).min(112.0);
    let size = Vec2::new(width, NODE_HEIGHT);
    let row = |index: usize| area.top() + (index as f32 + 0.5) * STEP;
    let (left, right) = (area.left() + width / 2.0, area.right() - width / 2.0);
    let others = count.saturating_sub(1);
    let on_right = others / 2;
    let at = |index: usize| -> Pos2 {
        match index.checked_sub(1) {
            None => Pos2::new(area.center().x, row(0)),
            Some(other) if other < on_right => Pos2::new(right, row(other + 1)),
            // An odd one out stands in the middle at the bottom.
            Some(other) if others % 2 == 1 && other == on_right => {
                Pos2::new(area.center().x, row(on_right + 1))
            }
            Some(other) => Pos2::new(left, row(others - other)),
        }
    };
    (0..count)
        .map(|index| Rect::from_center_size(at(index), size))
        .collect()
}

/// An edge from one node to another: four points of a cubic curve that bends
/// towards the middle of the area.
#[must_use]
pub fn edge(area: Rect, from: Rect, to: Rect) -> [Pos2; 4] {
    let middle = area.center();
    // Where it leaves a node: at the side that faces the middle, or below and
    // above for nodes in the middle column.
    let port = |node: Rect| -> Pos2 {
        let side = (middle.x - node.center().x).clamp(-1.0, 1.0);
        if side.abs() < 0.5 {
            let down = if node.center().y < middle.y {
                1.0
            } else {
                -1.0
            };
            node.center() + Vec2::new(0.0, down * node.height() / 2.0)
        } else {
            node.center() + Vec2::new(side * node.width() / 2.0, 0.0)
        }
    };
    let (start, end) = (port(from), port(to));
    // Most of the way to the middle across, but a third of that upright: edges
    // of neighbouring rows stay apart.
    let bend = |at: Pos2| at + (middle - at) * Vec2::new(0.8, 0.8 / 3.0);
    [start, bend(start), bend(end), end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_keep_apart_and_inside_for_any_number() {
        for count in 1..=20 {
            let area = Rect::from_min_size(Pos2::new(10.0, 20.0), Vec2::new(280.0, height(count)));
            let nodes = nodes(area, count);
            assert_eq!(nodes.len(), count);
            for (index, node) in nodes.iter().enumerate() {
                assert!(area.contains_rect(*node), "{count}: {node:?} in {area:?}");
                for other in &nodes[..index] {
                    assert!(!node.intersects(*other), "{count}: {node:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn edges_stay_off_other_nodes() {
        let area = Rect::from_min_size(Pos2::ZERO, Vec2::new(280.0, height(10)));
        let nodes = nodes(area, 10);
        for from in 0..10 {
            for to in 0..10 {
                let curve = egui::epaint::CubicBezierShape::from_points_stroke(
                    edge(area, nodes[from], nodes[to]),
                    false,
                    egui::Color32::TRANSPARENT,
                    egui::Stroke::NONE,
                );
                for step in 1..20 {
                    let at = curve.sample(step as f32 / 20.0);
                    let hit = nodes.iter().enumerate().find(|(index, node)| {
                        *index != from && *index != to && node.shrink(1.0).contains(at)
                    });
                    assert!(hit.is_none(), "{from} to {to} passes {hit:?}");
                }
            }
        }
    }
}
