//! The animator at work, a page at a time: the state graph and its fades,
//! parameters, the blend space, the mask of a layer, the log of events.

mod blend;
mod cast;
mod events;
mod graph;
mod inputs;
mod layout;
mod mask;
mod memory;
mod transitions;

pub(super) use blend::weights_ui;
use egui::{RichText, Ui};

use super::{
    AnimatorEditing, AnimatorPage, AnimatorView, Command, EditorView, LayerView, PanelState,
    PanelView, SaveDialog, Tuning, theme, widgets,
};

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(animator) = view.animator else {
        match view.animator_fault {
            Some(fault) => fault_ui(ui, fault),
            None => drop(ui.weak("The animator is being read…")),
        }
        return;
    };
    source_ui(ui, state, animator, view.editor, commands);
    drivable_ui(ui, view.drivable, commands);
    cast::rows_ui(ui, view.cast, commands);
    if let Some(memory) = &animator.memory {
        memory::row_ui(ui, memory, commands);
    }
    pages_ui(ui, state);
    match state.animator_page {
        AnimatorPage::Inputs => return inputs::page_ui(ui, animator, commands),
        AnimatorPage::Events => return events::page_ui(ui, state, animator, commands),
        AnimatorPage::Graph | AnimatorPage::Blend | AnimatorPage::Mask => {}
    }
    // A graph that was read again, or another character's, may have fewer.
    state.animator_layer = state.animator_layer.min(animator.layers.len().max(1) - 1);
    layers_ui(ui, state, animator, commands);
    let Some(layer) = animator.layers.get(state.animator_layer) else {
        ui.weak("It has no layers.");
        return;
    };
    match state.animator_page {
        AnimatorPage::Blend => blend::page_ui(ui, layer),
        AnimatorPage::Mask => mask::page_ui(ui, state, layer, view, commands),
        _ => {
            graph::page_ui(ui, state, layer, &animator.given);
            transitions::list_ui(ui, state, layer, commands);
        }
    }
}

fn fault_ui(ui: &mut Ui, fault: &str) {
    widgets::note(ui, fault, theme::palette(ui.style()).error);
}

/// Where it was read from, whether that has all edits, and why it could not be
/// read again.
fn source_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    animator: &AnimatorView,
    editor: Option<EditorView<'_>>,
    commands: &mut Vec<Command>,
) {
    let unsaved = editor.filter(|it| it.editor.is_changed());
    ui.horizontal(|ui| {
        let edit = egui::Button::selectable(state.editor.open, "Edit");
        let hint = "Opens the editor: states, transitions, layers, parameters, keys";
        if ui.add(edit).on_hover_text(hint).clicked() {
            state.editor.open = !state.editor.open;
            commands.push(Command::EditAnimator(match state.editor.open {
                true => AnimatorEditing::Open,
                false => AnimatorEditing::Close,
            }));
        }
        let hint = match unsaved {
            Some(_) => "Reads the file again; Undo in the editor brings the edits back",
            None => "Reads the file again",
        };
        if ui.button("Reload").on_hover_text(hint).clicked() {
            commands.push(Command::ReloadAnimator);
        }
        if let Some(editor) = unsaved {
            save_ui(ui, state, editor.path, commands);
        }
        let text = RichText::new(&animator.source).small();
        ui.add(egui::Label::new(text).truncate())
            .on_hover_text(&animator.source);
    });
    if let Some(error) = &animator.error {
        fault_ui(ui, error);
    }
}

/// What was edited or tuned goes to the file; the built-in one has none yet.
fn save_ui(ui: &mut Ui, state: &mut PanelState, path: Option<&str>, commands: &mut Vec<Command>) {
    let (word, hint) = match path {
        Some(_) => ("Save", "Writes what was edited or tuned into the file"),
        None => (
            "Save as…",
            "Writes what was edited or tuned into a file of your own",
        ),
    };
    let colour = theme::palette(ui.style()).warning;
    let button = ui.button(RichText::new(word).color(colour));
    let button = button.on_hover_text(hint);
    // The editor has a button of the same word.
    if !widgets::named(button, egui::Role::Button, "Save the animator").clicked() {
        return;
    }
    match path {
        Some(_) => commands.push(Command::EditAnimator(AnimatorEditing::Save)),
        None => state.editor.saving = Some(SaveDialog::of(None, None)),
    }
}

/// Who is driven, once there is a choice.
fn drivable_ui(ui: &mut Ui, (names, driven): (&[String], usize), commands: &mut Vec<Command>) {
    if names.len() < 2 {
        return;
    }
    ui.horizontal(|ui| {
        ui.label("Drives");
        let shown = egui::ComboBox::from_id_salt("driven")
            .width(ui.available_width() - 8.0)
            .selected_text(names.get(driven).map_or("", String::as_str))
            .show_ui(ui, |ui| {
                for (index, name) in names.iter().enumerate() {
                    if ui.selectable_label(index == driven, name).clicked() {
                        commands.push(Command::DriveAs(index));
                    }
                }
            });
        let hint = "The performer, or a character opened before: its clips are carried over";
        let response = shown.response.on_hover_text(hint);
        widgets::named(response, egui::Role::ComboBox, "Driven character");
    });
}

fn pages_ui(ui: &mut Ui, state: &mut PanelState) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        // Five words just fit the panel.
        ui.spacing_mut().button_padding.x = 7.0;
        for (page, word) in [
            (AnimatorPage::Graph, "Graph"),
            (AnimatorPage::Inputs, "Inputs"),
            (AnimatorPage::Blend, "Blend"),
            (AnimatorPage::Mask, "Mask"),
            (AnimatorPage::Events, "Events"),
        ] {
            ui.selectable_value(&mut state.animator_page, page, word);
        }
    });
}

/// All layers with what shows of them; a click chooses one.
fn layers_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    animator: &AnimatorView,
    commands: &mut Vec<Command>,
) {
    for (index, layer) in animator.layers.iter().enumerate() {
        ui.horizontal(|ui| {
            let chosen = state.animator_layer == index;
            let button =
                egui::Button::selectable(chosen, &layer.name).min_size([72.0, 24.0].into());
            let response = ui.add(button).on_hover_text("Shows this layer");
            let name = format!("Layer {}", layer.name);
            if widgets::named(response, egui::Role::Button, &name).clicked() {
                state.animator_layer = index;
                // States are numbered within their layer.
                state.animator_state = None;
            }
            weight_ui(ui, index, layer, commands);
        });
    }
}

/// A bar of what shows, and the most that may show.
fn weight_ui(ui: &mut Ui, index: usize, layer: &LayerView, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    let size = egui::Vec2::new(ui.available_width() - 64.0, 16.0);
    let (bar, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let inks = [colours.groove, colours.line];
    widgets::level(ui.painter(), bar, 3.0, layer.weight, inks);
    let text = format!("shows {:.0} %", layer.weight * 100.0);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let at = bar.left_center() + egui::Vec2::new(8.0, 0.0);
    let middle = egui::Align2::LEFT_CENTER;
    ui.painter().text(at, middle, &text, font, colours.text);
    let name = format!("{} {text}", layer.name);
    widgets::named(response, egui::Role::Label, &name);
    let mut weight = layer.full_weight;
    let hint = "Weight of the layer, 0 to 1: drag";
    let name = format!("Weight of {}", layer.name);
    if widgets::weight(ui, &mut weight, hint, &name) {
        commands.push(Command::Tune(Tuning::Weight {
            layer: index,
            weight,
        }));
    }
}
