//! Stances of feet on lanes: each clip's, and what the blend keeps of them.

use egui::{Align2, Color32, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2};

use super::{MOST, reference_secs};
use crate::ui::{BlendShown, theme, widgets};

const LANE: f32 = 14.0;
const GAP: f32 = 3.0;
/// For names at the left.
const NAMES: f32 = 76.0;

pub(super) fn page_ui(ui: &mut Ui, shown: &BlendShown<'_>) {
    let colours = theme::palette(ui.style());
    if shown.registration.contacts().is_empty() {
        ui.weak("No foot stands anywhere in these clips.");
        return;
    }
    for (leg, word) in ["Left foot", "Right foot"].into_iter().enumerate() {
        widgets::note(ui, word, colours.quiet);
        lanes_ui(ui, shown, leg, word);
        ui.add_space(4.0);
    }
    let text = "Filled where all clips have the stance, outlined where some do; over the \
                time of the reference.";
    widgets::note(ui, text, colours.quiet);
}

fn lanes_ui(ui: &mut Ui, shown: &BlendShown<'_>, leg: usize, word: &str) {
    let rows = shown.names.len() + usize::from(shown.blend.is_some());
    let size = Vec2::new(ui.available_width(), rows as f32 * (LANE + GAP));
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    widgets::named(response, Role::Image, &format!("{word}: stances"));
    let lanes = Lanes {
        area,
        range_secs: shown.registration.range_secs(),
    };
    let colours = theme::palette(ui.style());
    for (row, name) in shown.names.iter().enumerate() {
        let colour = colours.marks[row % MOST];
        lanes.name(ui, row, name);
        let own = shown.registration.contacts().iter();
        for contact in own.filter(|contact| contact.leg == leg) {
            let matched = contact.spans_secs.iter().all(Option::is_some);
            if let Some(span) = contact.spans_secs[row] {
                lanes.bar(ui, row, span, (colour, matched));
            }
        }
    }
    if let Some(blend) = shown.blend {
        lanes.name(ui, rows - 1, "blend");
        for contact in blend.contacts().iter().filter(|it| it.leg == leg) {
            let span = contact.span_secs.map(|secs| blend.reference_secs(secs));
            lanes.bar(ui, rows - 1, span, (colours.accent, contact.matched));
        }
    }
    let x = lanes.x_of(reference_secs(shown));
    let now = Stroke::new(1.5, colours.accent);
    ui.painter().vline(x, area.y_range(), now);
}

/// Seconds of the reference as pixels.
struct Lanes {
    area: Rect,
    range_secs: [f64; 2],
}

impl Lanes {
    fn x_of(&self, secs: f64) -> f32 {
        let [first, last] = self.range_secs;
        let part = ((secs - first) / (last - first).max(1e-9)).clamp(0.0, 1.0);
        let left = self.area.left() + NAMES;
        left + (self.area.right() - left) * part as f32
    }

    fn top(&self, row: usize) -> f32 {
        self.area.top() + row as f32 * (LANE + GAP)
    }

    fn name(&self, ui: &Ui, row: usize, name: &str) {
        let colours = theme::palette(ui.style());
        let middle = self.top(row) + LANE / 2.0;
        let groove = Rect::from_min_max(
            Pos2::new(self.area.left() + NAMES, self.top(row)),
            Pos2::new(self.area.right(), self.top(row) + LANE),
        );
        ui.painter().rect_filled(groove, 2.0, colours.groove);
        let room = Rect::from_min_max(
            Pos2::new(self.area.left(), self.top(row)),
            Pos2::new(groove.left() - 4.0, groove.bottom()),
        );
        let font = egui::FontId::proportional(12.0);
        let at = Pos2::new(self.area.left(), middle);
        let painter = ui.painter_at(room);
        painter.text(at, Align2::LEFT_CENTER, name, font, colours.text);
    }

    fn bar(&self, ui: &Ui, row: usize, span: [f64; 2], (colour, filled): (Color32, bool)) {
        let bar = Rect::from_min_max(
            Pos2::new(self.x_of(span[0]), self.top(row) + 2.0),
            Pos2::new(self.x_of(span[1]), self.top(row) + LANE - 2.0),
        );
        match filled {
            true => ui.painter().rect_filled(bar, 2.0, colour),
            false => {
                let stroke = Stroke::new(1.0, colour);
                ui.painter()
                    .rect_stroke(bar, 2.0, stroke, StrokeKind::Inside)
            }
        };
    }
}
