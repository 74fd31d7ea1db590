//! The key to the colours in the picture, beside it and never under a panel.
//! Errors of compression have a scale of their own, which pictures show too.

use std::borrow::Cow;

use egui::{Align2, Color32, Rect, Rgba, Ui};

use super::{Mode, PanelState, PanelView, theme, widgets};
use crate::scene::ROLES;

pub(super) fn overlay_ui(ui: &Ui, state: &PanelState, view: &PanelView<'_>, free: Rect) {
    let mut entries = entries(view);
    if !state.marks_keyed {
        entries.extend(marks(ui, view));
    }
    if entries.is_empty() || free.width() < 240.0 {
        return;
    }
    let colours = theme::palette(ui.style());
    // In Drive the line of keys lies below.
    let above = if view.mode == Mode::Drive { 72.0 } else { 16.0 };
    let frame = egui::Frame::new()
        .fill(colours.panel)
        .corner_radius(6)
        .inner_margin(egui::Margin::symmetric(10, 2));
    egui::Area::new(egui::Id::unique("legend"))
        .pivot(Align2::LEFT_BOTTOM)
        .fixed_pos(free.left_bottom() + egui::Vec2::new(16.0, -above))
        .constrain_to(free)
        .interactable(false)
        .show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                ui.vertical(|ui| {
                    ui.spacing_mut().item_spacing.y = 0.0;
                    for row in &entries {
                        ui.horizontal(|ui| {
                            for (word, colour) in row {
                                widgets::dotted(ui, word, *colour);
                            }
                        });
                    }
                });
            });
        });
}

/// A word and its colour.
type Entry = (Cow<'static, str>, Color32);

/// The marks of the timeline, which is too narrow for them.
fn marks(ui: &Ui, view: &PanelView<'_>) -> Option<Vec<Entry>> {
    let clip = view.clip.filter(|_| view.mode != Mode::Drive)?;
    let colours = theme::palette(ui.style()).marks;
    let of_row = |row: usize| {
        let mark = clip.marks.iter().find(|mark| mark.row == row)?;
        Some((Cow::Owned(mark.text.clone()), colours[row % colours.len()]))
    };
    let row: Vec<Entry> = (0..).map_while(of_row).collect();
    (!row.is_empty()).then_some(row)
}

/// A row for each kind of colour that is shown.
fn entries(view: &PanelView<'_>) -> Vec<Vec<Entry>> {
    let mut rows = Vec::new();
    let ink = |[r, g, b]: [f32; 3]| Color32::from(Rgba::from_rgb(r, g, b));
    if view.display.bones {
        let [left, right, middle] = ROLES.map(ink);
        rows.push(row([("left", left), ("right", right), ("middle", middle)]));
    }
    if view.display.ghosts > 0 && view.mode == Mode::View {
        let (before, after) = (ink([0.2, 0.45, 0.9]), ink([0.9, 0.5, 0.2]));
        rows.push(row([("before", before), ("after", after)]));
    }
    if view.display.axes {
        let axes = [
            ("x", [0.85, 0.06, 0.06]),
            ("y", [0.1, 0.62, 0.1]),
            ("z", [0.08, 0.25, 0.95]),
        ];
        rows.push(row(axes.map(|(axis, colour)| (axis, ink(colour)))));
    }
    if view.cloth.stats.is_some() && view.cloth.knobs.look.stretch {
        let (slack, drawn) = (ink([0.1, 0.25, 0.8]), ink([0.85, 0.1, 0.05]));
        rows.push(row([("cloth slack", slack), ("drawn out 5 %", drawn)]));
    }
    rows
}

fn row<const N: usize>(entries: [(&'static str, Color32); N]) -> Vec<Entry> {
    entries.map(|(word, colour)| (word.into(), colour)).to_vec()
}
