//! What `check` finds in the clip on screen: a list whose rows lead to their
//! frames. The same findings are marks on the timeline.

use egui::{Color32, Role, Ui};

use super::{
    CheckPage, Command, PanelState, PanelView, exercise, gait,
    theme::Palette,
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
        return mend_ui(ui, view, false, commands);
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
    let can_mend = kinds.iter().any(|it| it.0.is_mended());
    mend_ui(ui, view, can_mend, commands);
}

/// *Mend*, or the clip as it was captured, with what was done and by how much.
fn mend_ui(ui: &mut Ui, view: &PanelView<'_>, can_mend: bool, commands: &mut Vec<Command>) {
    let mending = &view.mending;
    ui.horizontal(|ui| {
        let mend = egui::Button::new("Mend");
        let hint = "Feet held, pops and gaps bridged, joints within their limits; export writes it";
        let response = ui.add_enabled(can_mend && !mending.busy, mend);
        if response.on_hover_text(hint).clicked() {
            commands.push(Command::MendClip(true));
        }
        if mending.is_changed && ui.button("As captured").clicked() {
            commands.push(Command::MendClip(false));
        }
        if mending.busy {
            ui.spinner();
        }
    });
    let (Some(clip), false) = (&view.clip, mending.repairs.is_empty()) else {
        return;
    };
    ui.weak("mended, and the most that it moved");
    let rows = widgets::rows_that_fit(ui, view.list_bottom, ROWS);
    widgets::rows(ui, "repairs", rows, mending.repairs.len(), |ui, row| {
        let repair = &mending.repairs[row];
        let response = widgets::entry(ui, false, &repair.text);
        if named(response, Role::Button, &repair.text).clicked() {
            commands.push(Command::Seek(repair.start_frame as f64 / clip.fps()));
        }
    });
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
