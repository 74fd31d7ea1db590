//! Weights as a place to be moved: on a line, in a triangle, in a square.

use egui::{Align2, Pos2, Rect, Role, Sense, Stroke, Ui, Vec2};

use super::{super::widgets, MOST};
use crate::ui::{Blending, Command, PanelView, theme};

/// Free around the corners, for their marks and names.
const MARGIN: Vec2 = Vec2::new(24.0, 22.0);
const LINE_HEIGHT: f32 = 56.0;
const PLANE_HEIGHT: f32 = 176.0;

/// Corners within a unit square, y down.
fn corners(count: usize) -> &'static [[f64; 2]] {
    match count {
        2 => &[[0.0, 0.5], [1.0, 0.5]],
        3 => &[[0.5, 0.0], [0.0, 1.0], [1.0, 1.0]],
        _ => &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    }
}

/// The weights at a place of the unit square; outside of the shape those of its
/// nearest edge.
fn weights_at(count: usize, [x, y]: [f64; 2]) -> Vec<f64> {
    let (x, y) = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
    match count {
        2 => vec![1.0 - x, x],
        3 => {
            // From the top down: how far below it, and how far to the right.
            let right = (x - 0.5 + 0.5 * y).clamp(0.0, y);
            vec![1.0 - y, y - right, right]
        }
        _ => vec![(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y],
    }
}

/// The place that weights stand for: the mean of the corners.
fn place_of(weights: &[f64]) -> [f64; 2] {
    let corners = corners(weights.len()).iter().zip(weights);
    corners.fold([0.0; 2], |sum, (corner, weight)| {
        [0, 1].map(|axis| sum[axis] + weight * corner[axis])
    })
}

pub(super) fn weights_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let blending = &view.blending;
    let count = blending.weights.len();
    let height = if count == 2 {
        LINE_HEIGHT
    } else {
        PLANE_HEIGHT
    };
    let size = Vec2::new(ui.available_width(), height);
    let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let room = area.shrink2(MARGIN);
    if let Some(pointer) = widgets::held_at(&response) {
        let at = (pointer - room.min) / room.size();
        let weights = weights_at(count, [at.x.into(), at.y.into()]);
        commands.push(Command::Blend(Blending::Weights(weights)));
    }
    let names: Vec<&str> = blending.picked.iter().map(|&row| name(view, row)).collect();
    paint(ui, room, blending.weights, &names);
    let says: Vec<String> = { names.iter().zip(blending.weights) }
        .map(|(name, weight)| format!("{name} {:.0} %", weight * 100.0))
        .collect();
    let says = format!("Weights: {}", says.join(", "));
    let response = response.on_hover_cursor(egui::CursorIcon::Crosshair);
    widgets::named(response, Role::Slider, "Weights").on_hover_text(says);
    rows_ui(ui, &names, blending.weights, commands);
}

fn name<'a>(view: &PanelView<'a>, row: usize) -> &'a str {
    view.clips.get(row).map_or("", |row| &row.name)
}

fn paint(ui: &Ui, room: Rect, weights: &[f64], names: &[&str]) {
    let colours = theme::palette(ui.style());
    let painter = ui.painter();
    let at = |[x, y]: [f64; 2]| room.min + room.size() * Vec2::new(x as f32, y as f32);
    let corners: Vec<Pos2> = corners(weights.len()).iter().map(|it| at(*it)).collect();
    match corners[..] {
        [a, b] => drop(painter.line_segment([a, b], Stroke::new(4.0, colours.line))),
        [a, b, c] => shape(ui, vec![a, c, b]),
        [a, b, c, d] => shape(ui, vec![a, b, d, c]),
        _ => return,
    }
    let present = at(place_of(weights));
    for (index, (corner, weight)) in corners.iter().zip(weights).enumerate() {
        let colour = colours.marks[index % MOST];
        let thin = Stroke::new(1.0 + 2.0 * *weight as f32, colour);
        painter.line_segment([*corner, present], thin);
        painter.circle_filled(*corner, 5.0, colour);
        let (align, aside) = match corner.y < room.center().y {
            true => (0, -8.0),
            false => (1, 8.0),
        };
        let across = ((corner.x - room.left()) / room.width() * 2.0).round() as usize;
        let anchors = [
            [
                Align2::LEFT_BOTTOM,
                Align2::CENTER_BOTTOM,
                Align2::RIGHT_BOTTOM,
            ],
            [Align2::LEFT_TOP, Align2::CENTER_TOP, Align2::RIGHT_TOP],
        ];
        let outward = [-16.0, 0.0, 16.0][across.min(2)];
        let font = egui::TextStyle::Small.resolve(ui.style());
        painter.text(
            *corner + Vec2::new(outward, aside),
            anchors[align][across.min(2)],
            short(names[index]),
            font,
            colours.quiet,
        );
    }
    painter.circle_filled(present, 8.0, colours.accent);
    painter.circle_stroke(present, 8.0, Stroke::new(1.5, colours.on_accent));
}

fn shape(ui: &Ui, points: Vec<Pos2>) {
    let colours = theme::palette(ui.style());
    let edge = Stroke::new(1.0, colours.line);
    ui.painter()
        .add(egui::Shape::convex_polygon(points, colours.groove, edge));
}

/// Names without their ending, cut where they would meet.
fn short(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem.char_indices().nth(14) {
        Some((end, _)) => format!("{}…", &stem[..end]),
        None => stem.to_owned(),
    }
}

/// The same in numbers.
fn rows_ui(ui: &mut Ui, names: &[&str], weights: &[f64], commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    for (index, (name, weight)) in names.iter().zip(weights).enumerate() {
        ui.horizontal(|ui| {
            let mut share = *weight as f32;
            let hint = "How much it counts; the others share the rest";
            let label = format!("Weight of {name}");
            if widgets::weight(ui, &mut share, hint, &label) {
                let weights = with(weights, index, share.into());
                commands.push(Command::Blend(Blending::Weights(weights)));
            }
            widgets::dotted(ui, name, colours.marks[index % MOST]);
        });
    }
}

/// One weight set, the others in their proportion.
fn with(weights: &[f64], index: usize, share: f64) -> Vec<f64> {
    let others = 1.0 - weights[index];
    let rest =
        weights
            .iter()
            .enumerate()
            .map(|(other, weight)| match (other == index, others > 1e-9) {
                (true, _) => share,
                (false, true) => weight / others * (1.0 - share),
                (false, false) => (1.0 - share) / (weights.len() - 1).max(1) as f64,
            });
    rest.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_weights_are_inverse_and_corners_are_the_clips() {
        for count in 2..=MOST {
            for (index, corner) in corners(count).iter().enumerate() {
                let weights = weights_at(count, *corner);
                assert_close!(weights[index], 1.0, 1e-12, "{count}: {weights:?}");
            }
            for place in [[0.5, 0.5], [0.4, 0.7], [0.55, 0.9]] {
                let weights = weights_at(count, place);
                assert_close!(weights.iter().sum::<f64>(), 1.0, 1e-12);
                let back = weights_at(count, place_of(&weights));
                for (a, b) in weights.iter().zip(back) {
                    assert_close!(*a, b, 1e-12, "{count} {place:?}");
                }
            }
            let outside = weights_at(count, [-3.0, 9.0]);
            assert!(outside.iter().all(|it| (0.0..=1.0).contains(it)));
            assert_close!(outside.iter().sum::<f64>(), 1.0, 1e-12);
        }
    }

    #[test]
    fn one_weight_set_leaves_the_others_in_proportion() {
        let set = with(&[0.2, 0.2, 0.6], 0, 0.6);
        for (found, due) in set.iter().zip([0.6, 0.1, 0.3]) {
            assert_close!(*found, due, 1e-12, "{set:?}");
        }
        assert_eq!(with(&[1.0, 0.0, 0.0], 0, 0.5), [0.5, 0.25, 0.25]);
    }
}
