//! Messages: fresh ones over the picture, all of them in the log.

use egui::{Align2, Color32, Rect, RichText, Ui};

use super::{Command, Notice, PanelState, PanelView, Severity, theme, widgets};

/// How many are shown at once.
const SHOWN: usize = 4;

fn colour_of(ui: &Ui, severity: Severity) -> Color32 {
    let colours = theme::palette(ui.style());
    match severity {
        Severity::Info => colours.accent,
        Severity::Warning => colours.warning,
        Severity::Error => colours.error,
    }
}

fn word_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "Done",
        Severity::Warning => "Note",
        Severity::Error => "Error",
    }
}

pub(super) fn toasts_ui(ui: &Ui, view: &PanelView<'_>, free: Rect, commands: &mut Vec<Command>) {
    let fresh = view.notices.iter().rev().filter(|notice| notice.fresh);
    let fresh: Vec<&Notice> = fresh.take(SHOWN).collect();
    if fresh.is_empty() {
        return;
    }
    let width = (free.width() - 32.0).clamp(160.0, 480.0);
    egui::Area::new(egui::Id::unique("notices"))
        .pivot(Align2::LEFT_TOP)
        .fixed_pos(free.left_top() + egui::Vec2::splat(16.0))
        .show(ui.ctx(), |ui| {
            ui.set_max_width(width);
            for notice in fresh {
                toast_ui(ui, notice, width, commands);
            }
        });
}

fn toast_ui(ui: &mut Ui, notice: &Notice, width: f32, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    let colour = colour_of(ui, notice.severity);
    let frame = egui::Frame::new()
        .fill(colours.panel)
        .stroke(egui::Stroke::new(1.0, colour))
        .corner_radius(6)
        .inner_margin(egui::Margin::symmetric(12, 6));
    frame.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.label(
                RichText::new(word_of(notice.severity))
                    .strong()
                    .color(colour),
            );
            let text = egui::Label::new(&notice.text).wrap();
            ui.scope(|ui| {
                ui.set_max_width(width - 128.0);
                ui.add(text);
            });
            let close = widgets::icon_button(ui, widgets::Icon::Close, "Dismiss", "Dismiss");
            if close.clicked() {
                commands.push(Command::Dismiss(notice.id));
            }
        });
    });
}

pub(super) fn log_ui(ui: &Ui, state: &mut PanelState, view: &PanelView<'_>, free: Rect) {
    if !state.log {
        return;
    }
    let mut open = true;
    let size = egui::Vec2::new(
        (free.width() - 64.0).min(640.0),
        (free.height() - 96.0).min(360.0),
    );
    egui::Window::new("Messages")
        .default_size(size)
        .default_pos(free.left_top() + egui::Vec2::splat(32.0))
        .open(&mut open)
        .show(ui.ctx(), |ui| {
            let remarks = view.clip.map_or(&[][..], |clip| clip.remarks);
            if view.notices.is_empty() && remarks.is_empty() {
                ui.weak("Nothing to report.");
                return;
            }
            egui::ScrollArea::vertical()
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    for notice in view.notices.iter().rev() {
                        line_ui(ui, notice);
                    }
                    if !remarks.is_empty() {
                        ui.separator();
                        ui.strong("This clip");
                    }
                    for remark in remarks {
                        ui.label(remark);
                    }
                });
        });
    state.log = open;
}

fn line_ui(ui: &mut Ui, notice: &Notice) {
    let colour = colour_of(ui, notice.severity);
    ui.horizontal_top(|ui| {
        ui.weak(format!("{:7.1} s", notice.at_secs));
        ui.label(RichText::new(word_of(notice.severity)).color(colour));
        ui.add(egui::Label::new(&notice.text).wrap());
    });
}
