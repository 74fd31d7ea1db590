//! How far joints turn, and where a motion turns them further.

use egui::Ui;

use super::Posed;
use crate::{
    clip::{LimitBreach, LimitReport},
    humanoid::LimitSource,
    ui::{Command, LimitsView},
};

/// Joints that are listed, the worst first.
const LISTED: usize = 5;

pub(super) fn page_ui(
    ui: &mut Ui,
    posed: Posed<'_>,
    view: LimitsView<'_>,
    commands: &mut Vec<Command>,
) {
    ui.horizontal(|ui| {
        ui.label("Colour");
        ui.spacing_mut().item_spacing.x = 2.0;
        for (source, word, says) in [
            (None, "Off", "The skin as it is"),
            (
                Some(LimitSource::Own),
                "File's",
                "Beyond what the ASF states",
            ),
            (Some(LimitSource::Human), "Human", "Beyond what a human can"),
        ] {
            let chosen = view.coloured == source;
            if ui
                .selectable_label(chosen, word)
                .on_hover_text(says)
                .clicked()
            {
                commands.push(Command::ColourLimits(source));
            }
        }
    });
    let Some(report) = view.report else {
        let count = ui.add_enabled(view.can_count, egui::Button::new("Count"));
        let says =
            "Looks at every frame, and marks on the timeline where joints are beyond their limits";
        if count.on_hover_text(says).clicked() {
            commands.push(Command::CountLimits);
        }
        return;
    };
    match report.states_limits {
        true => list_ui(ui, "The file's own", &report.own, posed),
        false => drop(ui.weak("The file states no limits.")),
    }
    list_ui(ui, "A human's", &report.human, posed);
    ui.weak("convert --clamp own|human writes the clip within them.");
}

fn list_ui(ui: &mut Ui, whose: &str, breaches: &[LimitBreach], posed: Posed<'_>) {
    let frames = LimitReport::frames(breaches);
    ui.label(format!(
        "{whose}: {frames} frames, {} stretches",
        breaches.len()
    ));
    let mut worst: Vec<&LimitBreach> = Vec::new();
    for breach in breaches {
        match worst.iter_mut().find(|it| it.joint == breach.joint) {
            Some(known) if known.worst_rad < breach.worst_rad => *known = breach,
            Some(_) => {}
            None => worst.push(breach),
        }
    }
    worst.sort_by(|a, b| b.worst_rad.total_cmp(&a.worst_rad));
    for breach in worst.iter().take(LISTED) {
        let name = &posed.skeleton.joints()[usize::from(breach.joint)].name;
        let (deg, frame) = (breach.worst_rad.to_degrees(), breach.worst_frame);
        ui.weak(format!("{name} {deg:.1}° beyond, frame {frame}"));
    }
}
