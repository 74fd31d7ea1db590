//! Blend mode: which clips, how much of each, and how they correspond.

mod curves;
mod grid;
mod lanes;
mod path;
mod weights;

use egui::{RichText, Role, Ui};

use super::{
    Action, AnimatorView, BlendShown, Blending, BlendingView, Command, InputsShown, PanelState,
    PanelView, RegistrationPage, theme, widgets,
};

/// Clips that can be taken.
const MOST: usize = 4;
/// Rows of the list before it scrolls.
const LIST_ROWS: usize = 6;

/// Clips, weights, and how the blend is made and seen.
pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let blending = &view.blending;
    list_ui(ui, state, view, commands);
    path::path_ui(ui, &blending.path, commands);
    if blending.picked.len() < 2 {
        ui.add_space(4.0);
        ui.weak("Take two to four clips to blend them.");
        return;
    }
    ui.add_space(4.0);
    weights::weights_ui(ui, view, commands);
    let mut ask = |it: Blending| commands.push(Command::Blend(it));
    kind_ui(ui, blending, &mut ask);
    inputs_ui(ui, blending, &mut ask);
    outcome_ui(ui, blending);
    if blending.shown.is_some() {
        uses_ui(ui, view.animator, commands);
    }
}

/// Where a blend can go.
fn uses_ui(ui: &mut Ui, animator: Option<&AnimatorView>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let says = "Writes the blend as any format, a picture or a film";
        if ui.button("Export…").on_hover_text(says).clicked() {
            commands.push(Command::Do(Action::Export));
        }
        let Some(animator) = animator else {
            return;
        };
        let shown = ui.menu_button("Send to state", |ui| {
            for state in animator.layers.iter().flat_map(|layer| &layer.states) {
                if ui.button(state).clicked() {
                    let asked = Blending::SendToState(state.clone());
                    commands.push(Command::Blend(asked));
                    ui.close();
                }
            }
        });
        let says = "Writes the blend as a .bvh, which a state plays in Drive";
        shown.response.on_hover_text(says);
    });
}

fn list_ui(ui: &mut Ui, state: &mut PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let taken = view.blending.picked.len();
        ui.strong(format!("{taken} of {} clips", view.clips.len()));
        if view.clips.len() > LIST_ROWS {
            widgets::search(ui, &mut state.clip_search, "search", "Search clips");
        }
    });
    let wanted = state.clip_search.to_lowercase();
    let rows: Vec<usize> = (0..view.clips.len())
        .filter(|&index| view.clips[index].name.to_lowercase().contains(&wanted))
        .collect();
    widgets::rows(ui, "blended clips", LIST_ROWS, rows.len(), |ui, row| {
        row_ui(ui, rows[row], view, commands);
    });
}

fn row_ui(ui: &mut Ui, index: usize, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let (row, picked) = (&view.clips[index], view.blending.picked);
    let place = picked.iter().position(|it| *it == index);
    let mut taken = place.is_some();
    ui.horizontal(|ui| {
        let free = taken || picked.len() < MOST;
        let check = ui.add_enabled(free, egui::Checkbox::without_text(&mut taken));
        let name = format!("Blend: {}", row.name);
        let changed = widgets::named(check, Role::CheckBox, &name).changed();
        let colours = theme::palette(ui.style());
        let (dot, _) = ui.allocate_exact_size([8.0, theme::ROW].into(), egui::Sense::hover());
        if let Some(place) = place {
            let colour = colours.marks[place % MOST];
            ui.painter().circle_filled(dot.center(), 4.0, colour);
        }
        let label = ui.add_enabled_ui(free, |ui| widgets::entry(ui, place.is_some(), &row.name));
        if changed || label.inner.on_hover_text(&row.path).clicked() {
            commands.push(Command::Blend(Blending::Pick(index)));
        }
    });
}

/// Registered or plain.
fn kind_ui(ui: &mut Ui, view: &BlendingView<'_>, ask: &mut impl FnMut(Blending)) {
    ui.horizontal(|ui| {
        ui.label("In step");
        ui.spacing_mut().item_spacing.x = 2.0;
        for (plain, word, says) in [
            (false, "Registered", "Where the clips correspond; feet held"),
            (
                true,
                "Plain",
                "By share of length, as they lie: for comparison",
            ),
        ] {
            let button = egui::Button::selectable(view.plain == plain, word);
            if ui.add(button).on_hover_text(says).clicked() {
                ask(Blending::Plain(plain));
            }
        }
    });
}

fn inputs_ui(ui: &mut Ui, view: &BlendingView<'_>, ask: &mut impl FnMut(Blending)) {
    ui.horizontal(|ui| {
        ui.label("Clips");
        ui.spacing_mut().item_spacing.x = 2.0;
        for inputs in InputsShown::ALL {
            let button = egui::Button::selectable(view.inputs == inputs, inputs.word());
            if ui.add(button).on_hover_text(inputs.says()).clicked() {
                ask(Blending::Inputs(inputs));
            }
        }
    });
}

/// Work under way, what went wrong, what came of it.
fn outcome_ui(ui: &mut Ui, view: &BlendingView<'_>) {
    let colours = theme::palette(ui.style());
    if let Some(progress) = view.progress {
        ui.horizontal(|ui| widgets::progress(ui, progress));
    }
    if let Some(fault) = view.fault {
        let text = RichText::new(fault).color(colours.error);
        ui.add(egui::Label::new(text).wrap());
        if view.shown.is_some() {
            ui.weak("The last blend that could be made is still shown.");
        }
    }
    if let Some(shown) = &view.shown {
        figures_ui(ui, shown);
    }
}

fn figures_ui(ui: &mut Ui, shown: &BlendShown<'_>) {
    let matched = shown.registration.contacts().iter();
    let matched = matched.filter(|it| it.spans_secs.iter().all(Option::is_some));
    let all = shown.registration.contacts().len();
    widgets::fact(ui, "feet slide", &widgets::cm_text(shown.slide_m * 100.0));
    let apart_cm = shown.registration.cost_m() * 100.0;
    widgets::fact(ui, "apart", &format!("{apart_cm:.1} cm on average"));
    let stances = format!("{} of {all} matched", matched.count());
    widgets::fact(ui, "stances", &stances);
}

/// How the clips correspond, a page at a time.
pub(super) fn registration_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(shown) = &view.blending.shown else {
        ui.weak("Nothing is blended yet.");
        return;
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (page, word, says) in [
            (RegistrationPage::Grid, "Grid", "Distances of all moments"),
            (RegistrationPage::Warp, "Warp", "Which moments correspond"),
            (RegistrationPage::Alignment, "Alignment", "Shift and turn"),
            (RegistrationPage::Contacts, "Contacts", "Stances of feet"),
        ] {
            ui.selectable_value(&mut state.registration_page, page, word)
                .on_hover_text(says);
        }
    });
    match state.registration_page {
        RegistrationPage::Grid => grid::page_ui(ui, state, &view.blending, shown, commands),
        RegistrationPage::Warp => curves::warp_ui(ui, shown),
        RegistrationPage::Alignment => curves::alignment_ui(ui, shown),
        RegistrationPage::Contacts => lanes::page_ui(ui, shown),
    }
}

/// The present moment of the reference, seconds.
fn reference_secs(shown: &BlendShown<'_>) -> f64 {
    shown.source_secs[shown.registration.reference().min(MOST - 1)]
}
