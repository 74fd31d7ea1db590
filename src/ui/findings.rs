//! What `check` finds in the clip on screen: a list whose rows lead to their
//! frames. The same findings are marks on the timeline.

use egui::{Color32, Role, Ui};

use super::{
    CheckPage, Command, PanelState, PanelView, exercise, gait,
    theme::{self, Palette},
    widgets::{self, named},
};
use crate::{
    analysis::{Finding, FindingKind},
    skeleton::JointIndex,
};

/// Rows shown at once; longer lists scroll.
const ROWS: usize = 8;

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    pages_ui(ui, state);
    match state.check_page {
        CheckPage::Findings => list_ui(ui, state, view, commands),
        CheckPage::Gait => gait::page_ui(ui, view),
        CheckPage::Exercise => exercise::page_ui(ui, state, view),
    }
}

fn pages_ui(ui: &mut Ui, state: &mut PanelState) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (page, word) in [
            (CheckPage::Findings, "Findings"),
            (CheckPage::Gait, "Gait"),
            (CheckPage::Exercise, "Exercise"),
        ] {
            ui.selectable_value(&mut state.check_page, page, word);
        }
    });
}

fn list_ui(ui: &mut Ui, state: &mut PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let (Some(clip), Some(findings)) = (&view.clip, view.findings) else {
        ui.weak("Nothing to look at yet.");
        return;
    };
    let kinds = FindingKind::ALL.map(|kind| (kind, count(findings, kind)));
    let kinds: Vec<_> = kinds.into_iter().filter(|it| it.1 > 0).collect();
    if kinds.is_empty() {
        ui.label("Nothing is wrong that could be found.");
        return;
    }
    kinds_ui(ui, state, &kinds);
    let shown: Vec<&Finding> = { findings.iter() }
        .filter(|it| !state.findings_hidden.contains(&it.kind))
        .collect();
    let rows = widgets::rows_that_fit(ui, view.list_bottom, ROWS);
    let frame = (view.playback.time_secs * clip.fps()).round() as usize;
    widgets::rows(ui, "findings", rows, shown.len(), |ui, row| {
        let finding = shown[row];
        let here = (finding.start_frame..=finding.end_frame).contains(&frame);
        let name = row_text(finding);
        let response = widgets::entry(ui, here, &name).on_hover_text(&finding.message);
        if named(response, Role::Button, &name).clicked() {
            commands.push(Command::Seek(finding.start_frame as f64 / clip.fps()));
            if let Some(joint) = finding.joint {
                commands.push(Command::Select(Some(joint as JointIndex)));
            }
        }
    });
    widgets::note(
        ui,
        "`kinetoscope mend` repairs what can be repaired.",
        theme::palette(ui.style()).quiet,
    );
}

fn count(findings: &[Finding], kind: FindingKind) -> usize {
    findings.iter().filter(|it| it.kind == kind).count()
}

/// A switch for each kind that was found.
fn kinds_ui(ui: &mut Ui, state: &mut PanelState, kinds: &[(FindingKind, usize)]) {
    ui.horizontal_wrapped(|ui| {
        for &(kind, count) in kinds {
            let shown = !state.findings_hidden.contains(&kind);
            let name = format!("{} {count}", kind.word());
            let button = egui::Button::selectable(shown, &name);
            let response = ui
                .add(button)
                .on_hover_text("Shown, here and on the timeline");
            if named(response, Role::Button, &name).clicked() {
                state.findings_hidden.retain(|it| *it != kind);
                if shown {
                    state.findings_hidden.push(kind);
                }
            }
        }
    });
}

fn row_text(finding: &Finding) -> String {
    format!("{}: {}", finding.start_frame, finding.message)
}

/// Of a kind's marks on the timeline: what is surely wrong, or doubtful.
pub(super) fn colour(kind: FindingKind, colours: Palette) -> Color32 {
    match kind {
        FindingKind::Limit | FindingKind::Still | FindingKind::Rate | FindingKind::Unit => {
            colours.warning
        }
        _ => colours.error,
    }
}
