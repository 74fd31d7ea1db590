//! Hints over the picture: the keys while the performer is driven, and that
//! what is held over the window may be dropped.

use egui::{Align2, Rect, Ui};

use super::{Mode, PanelState, PanelView, theme};

/// Bindings that fit beside each other.
const MOST_ROWS: usize = 6;
/// Points at either side of them.
const MARGIN: f32 = 16.0;

pub(super) fn overlay_ui(ui: &Ui, state: &PanelState, view: &PanelView<'_>, free: Rect) {
    if view.mode != Mode::Drive || state.hint_seen || free.width() < 560.0 {
        return;
    }
    let colours = theme::palette(ui.style());
    let frame = egui::Frame::new()
        .fill(colours.panel)
        .corner_radius(8)
        .inner_margin(egui::Margin::symmetric(MARGIN as i8, 8));
    egui::Area::new(egui::Id::unique("hint"))
        .pivot(Align2::CENTER_BOTTOM)
        .fixed_pos(free.center_bottom() - egui::Vec2::new(0.0, 16.0))
        .interactable(false)
        .show(ui.ctx(), |ui| {
            frame.show(ui, |ui| {
                // A narrow picture has them in several lines.
                ui.set_max_width(free.width() - 2.0 * MARGIN);
                ui.horizontal_wrapped(|ui| {
                    ui.spacing_mut().item_spacing.x = 18.0;
                    for (key, says) in rows(view) {
                        let text = pair(ui, (&key, &says), [colours.accent, colours.text]);
                        ui.add(egui::Label::new(text).extend());
                    }
                });
            });
        });
}

/// A key and what it does, which no line break parts.
fn pair(ui: &Ui, words: (&str, &str), colours: [egui::Color32; 2]) -> egui::text::LayoutJob {
    let font = egui::TextStyle::Body.resolve(ui.style());
    let mut text = egui::text::LayoutJob::default();
    let format = |colour| egui::TextFormat::simple(font.clone(), colour);
    text.append(words.0, 0.0, format(colours[0]));
    text.append(words.1, 6.0, format(colours[1]));
    text
}

/// One line: what the file binds first, and the keys that every file leaves;
/// F1 has the others.
fn rows(view: &PanelView<'_>) -> Vec<(String, String)> {
    let animator = view.animator;
    let bindings = animator.map_or(&[][..], |animator| &animator.bindings);
    let on_pad = animator.is_some_and(|animator| animator.pad.is_some());
    let rows = bindings.iter().map(|row| {
        let label = Some(row.label(on_pad)).filter(|label| !label.is_empty());
        (
            label.unwrap_or_else(|| row.label(!on_pad)),
            row.says.clone(),
        )
    });
    let fixed = [
        ("Drag", "Look round; pull at a joint"),
        ("C", "Camera"),
        ("Tab", "View clips"),
    ];
    let fixed = fixed.map(|(key, says)| (key.to_owned(), says.to_owned()));
    rows.take(MOST_ROWS).chain(fixed).collect()
}

/// While files are held over the window.
pub(super) fn drop_ui(ui: &Ui, free: Rect) {
    let held = ui.input(|input| input.raw.hovered_files.len());
    if held == 0 {
        return;
    }
    let colours = theme::palette(ui.style());
    let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop"));
    let painter = ui.ctx().layer_painter(layer);
    let area = free.shrink(16.0);
    painter.rect_filled(area, 8.0, colours.panel.gamma_multiply(0.8));
    let edge = egui::Stroke::new(2.0, colours.accent);
    painter.rect_stroke(area, 8.0, edge, egui::StrokeKind::Inside);
    let text = match held {
        1 => "Drop to open".to_owned(),
        count => format!("Drop to open {count} files"),
    };
    let font = egui::TextStyle::Heading.resolve(ui.style());
    painter.text(
        area.center(),
        Align2::CENTER_CENTER,
        text,
        font,
        colours.text,
    );
}
