//! A path on the ground, and the walk of all clips along it.

use egui::{RichText, Ui};

use super::super::{Action, Blending, Command, PathView, WalkFigures, theme, widgets};

/// Clips that are named among those left out.
const MOST_NAMED: usize = 3;

pub(super) fn path_ui(ui: &mut Ui, view: &PathView<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let button = egui::Button::selectable(view.drawing, "Draw a path");
        let says = "Then drag on the ground: the clips of the list follow the path, \
                    led over from one to the next";
        if ui.add(button).on_hover_text(says).clicked() {
            commands.push(Command::Blend(Blending::DrawPath(!view.drawing)));
        }
        match view.length_m > 0.0 {
            true => ui.label(format!("{:.1} m", view.length_m)),
            false if view.drawing => ui.weak("drag on the ground"),
            false => ui.weak("all clips follow it"),
        };
    });
    if let Some(progress) = view.progress {
        // On lines of their own: names of files are long.
        let share = progress.fraction.unwrap_or(0.0);
        ui.horizontal(|ui| {
            widgets::progress_bar(ui, share, "Share of the walk");
            if ui.small_button("Cancel the walk").clicked() {
                commands.push(Command::Blend(Blending::ForgetPath));
            }
        });
        ui.add(egui::Label::new(&progress.text).truncate());
    }
    if let Some(fault) = view.fault {
        let text = RichText::new(fault).color(theme::palette(ui.style()).error);
        ui.add(egui::Label::new(text).wrap());
    }
    if let Some(walk) = &view.walk {
        figures_ui(ui, walk);
        ui.horizontal(|ui| {
            if ui.button("Export walk…").clicked() {
                commands.push(Command::Do(Action::Export));
            }
            let says = "Shows the blend again";
            if ui.button("Clear path").on_hover_text(says).clicked() {
                commands.push(Command::Blend(Blending::ForgetPath));
            }
        });
    }
}

fn figures_ui(ui: &mut Ui, walk: &WalkFigures<'_>) {
    let walked = format!("{:.1} s, {} transitions", walk.duration_secs, walk.changes);
    widgets::fact(ui, "walk", &walked);
    let [mean, most] = walk.off_m.map(|it| it * 100.0);
    let off = format!("{mean:.0} cm, at most {most:.0} cm");
    widgets::fact(ui, "off the path", &off);
    widgets::fact(ui, "feet slide", &widgets::cm_text(walk.slide_m * 100.0));
    let mut made_of = format!("{} clips", walk.motions);
    if !walk.left_out.is_empty() {
        made_of += &format!(", {} left out", walk.left_out.len());
    }
    widgets::fact(ui, "made of", &made_of);
    for reason in walk.left_out.iter().take(MOST_NAMED) {
        ui.add(egui::Label::new(RichText::new(reason).weak()).wrap());
    }
}
