//! The animator's editor: the graph where states and transitions are made, and
//! an inspector of what is chosen. Every change leaves as an [`Edit`].

mod canvas;
mod condition;
mod ease;
mod fields;
mod keys;
mod layers;
mod listen;
mod masks;
mod motion;
mod parameters;
mod saving;
mod shape;
mod state;
mod table;
mod transition;

use egui::{Key, KeyboardShortcut, Modifiers, RichText, Ui};

use super::{
    AnimatorEditing, Chosen, Command, EditorPage, EditorPanel, EditorView, LayerView, PanelState,
    PanelView, theme, widgets,
};
use crate::animator::{Edit, description::Description};

/// Width of the inspector.
const INSPECTOR: f32 = 316.0;

/// What the parts of the editor share.
struct Desk<'a> {
    view: EditorView<'a>,
    /// The running layer of the same name, drawn live.
    live: Option<&'a LayerView>,
    /// Which press of the pointer an edit belongs to.
    press: Option<u64>,
    commands: &'a mut Vec<Command>,
}

impl Desk<'_> {
    fn description(&self) -> &Description {
        self.view.editor.description()
    }

    fn edit(&mut self, edit: Edit) {
        let asked = AnimatorEditing::Apply(Box::new(edit), self.press);
        self.commands.push(Command::EditAnimator(asked));
    }

    fn ask(&mut self, asked: AnimatorEditing) {
        self.commands.push(Command::EditAnimator(asked));
    }
}

pub(super) fn window_ui(
    ui: &Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(editor) = view.editor else {
        return;
    };
    let panel = &mut state.editor;
    saving::dialog_ui(ui, panel, &editor, commands);
    if !panel.open {
        return;
    }
    panel.layer = panel
        .layer
        .min(editor.editor.description().layers.len().max(1) - 1);
    let name = editor.editor.description().layers.get(panel.layer);
    let name = name.map_or("", |layer| layer.name.as_str());
    let live = view
        .animator
        .and_then(|it| it.layers.iter().find(|layer| layer.name == name));
    let mut desk = Desk {
        view: editor,
        live,
        press: press(ui),
        commands,
    };
    // Before what opens it: the click that does is not meant for it.
    listen::dialog_ui(ui, panel, &mut desk);
    let mut open = true;
    egui::Window::new("Animator editor")
        .default_pos([16.0, 48.0])
        .default_size([890.0, 580.0])
        .min_size([640.0, 360.0])
        .collapsible(true)
        .open(&mut open)
        .show(ui.ctx(), |ui| contents_ui(ui, panel, &mut desk));
    if !open {
        panel.open = false;
        desk.ask(AnimatorEditing::Close);
    }
}

/// A number of its own for each press of the pointer.
fn press(ui: &Ui) -> Option<u64> {
    let start = ui.input(|input| input.pointer.press_start_time());
    start.map(|secs| (secs * 1e6) as u64)
}

fn contents_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    shortcuts(ui, desk);
    toolbar_ui(ui, panel, desk);
    conflict_ui(ui, desk);
    if let Some(fault) = desk.view.fault {
        widgets::note(ui, fault, theme::palette(ui.style()).error);
    }
    ui.separator();
    let room = ui.available_size();
    ui.horizontal_top(|ui| {
        let canvas = egui::Vec2::new((room.x - INSPECTOR - 16.0).max(240.0), room.y.max(240.0));
        ui.allocate_ui(canvas, |ui| {
            ui.set_min_size(canvas);
            ui.vertical(|ui| graph_ui(ui, panel, desk));
        });
        ui.separator();
        ui.vertical(|ui| {
            ui.set_width(INSPECTOR - 8.0);
            inspector_ui(ui, panel, desk);
        });
    });
}

fn shortcuts(ui: &Ui, desk: &mut Desk<'_>) {
    // A field that is typed into has an undo of its own.
    if ui.memory(|memory| memory.focused().is_some()) && ui.ctx().egui_wants_keyboard_input() {
        return;
    }
    let redo = Modifiers::COMMAND.plus(Modifiers::SHIFT);
    for (modifiers, key, asked) in [
        (redo, Key::Z, AnimatorEditing::Redo),
        (Modifiers::COMMAND, Key::Y, AnimatorEditing::Redo),
        (Modifiers::COMMAND, Key::Z, AnimatorEditing::Undo),
    ] {
        let chord = KeyboardShortcut::new(modifiers, key);
        if ui.input_mut(|input| input.consume_shortcut(&chord)) {
            desk.ask(asked);
        }
    }
}

fn toolbar_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let (back, forward) = desk.view.editor.steps();
    let changed = desk.view.editor.is_changed();
    ui.horizontal(|ui| {
        let hint = "Begins with one state";
        if ui.button("New animator…").on_hover_text(hint).clicked() {
            desk.ask(AnimatorEditing::New);
        }
        let save = ui.add_enabled(changed, egui::Button::new("Save"));
        if save.clicked() {
            match desk.view.path {
                Some(_) => desk.ask(AnimatorEditing::Save),
                None => saving::ask(panel, desk),
            }
        }
        if ui.button("Save as…").clicked() {
            saving::ask(panel, desk);
        }
        for (word, can, asked, keys) in [
            ("Undo", back, AnimatorEditing::Undo, "Ctrl+Z"),
            ("Redo", forward, AnimatorEditing::Redo, "Ctrl+Shift+Z"),
        ] {
            let button = ui.add_enabled(can, egui::Button::new(word));
            if button.on_hover_text(keys).clicked() {
                desk.ask(asked);
            }
        }
        ui.separator();
        ui.selectable_value(&mut panel.table, false, "Graph view");
        ui.selectable_value(&mut panel.table, true, "Table from × to");
        let star = if changed { " · not saved" } else { "" };
        let name = desk.view.path.unwrap_or("new animator");
        let text = RichText::new(format!("{name}{star}")).small();
        ui.add(egui::Label::new(text).truncate());
    });
}

fn conflict_ui(ui: &mut Ui, desk: &mut Desk<'_>) {
    if !desk.view.conflict {
        return;
    }
    ui.horizontal(|ui| {
        let colour = theme::palette(ui.style()).warning;
        ui.colored_label(
            colour,
            "The file was changed elsewhere, and there are unsaved edits here.",
        );
        let hint = "Reads the file; Undo brings the edits back";
        if ui.button("Take the file's").on_hover_text(hint).clicked() {
            desk.ask(AnimatorEditing::TakeFile);
        }
        let hint = "The next Save goes over what is in the file";
        if ui.button("Keep mine").on_hover_text(hint).clicked() {
            desk.ask(AnimatorEditing::KeepMine);
        }
    });
}

fn graph_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let names: Vec<String> = desk
        .description()
        .layers
        .iter()
        .map(|layer| layer.name.clone())
        .collect();
    ui.horizontal_wrapped(|ui| {
        for (index, name) in names.iter().enumerate() {
            let button = egui::Button::selectable(panel.layer == index, name);
            let response = ui.add(button).on_hover_text("Edits this layer");
            let says = format!("Edit layer {name}");
            if widgets::named(response, egui::Role::Button, &says).clicked() {
                (panel.layer, panel.chosen) = (index, Chosen::Nothing);
            }
        }
        ui.separator();
        let hint = "Adds a state; so does a double click on the ground of the graph";
        if ui.button("Add state").on_hover_text(hint).clicked() {
            state::add(panel, desk, None);
        }
    });
    let Some(layer) = desk.description().layers.get(panel.layer).cloned() else {
        return;
    };
    match panel.table {
        true => table::table_ui(ui, panel, &layer, desk),
        false => canvas::canvas_ui(ui, panel, &layer, desk),
    }
}

fn inspector_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding.x = 5.0;
        for (page, word) in [
            (EditorPage::Chosen, "Chosen"),
            (EditorPage::Layers, "Layers"),
            (EditorPage::Parameters, "Parameters"),
            (EditorPage::Keys, "Keys"),
            (EditorPage::Masks, "Masks"),
        ] {
            ui.selectable_value(&mut panel.page, page, word);
        }
    });
    egui::ScrollArea::vertical()
        .id_salt("inspector")
        .auto_shrink([false, false])
        .show(ui, |ui| match panel.page {
            EditorPage::Chosen => chosen_ui(ui, panel, desk),
            EditorPage::Layers => layers::page_ui(ui, panel, desk),
            EditorPage::Parameters => parameters::page_ui(ui, desk),
            EditorPage::Keys => keys::page_ui(ui, panel, desk),
            EditorPage::Masks => masks::page_ui(ui, desk),
        });
}

fn chosen_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let Some(layer) = desk.description().layers.get(panel.layer).cloned() else {
        return;
    };
    // What was added in this frame is chosen already and there in the next.
    let is_there = match panel.chosen {
        Chosen::Nothing => false,
        Chosen::State(index) => index < layer.states.len(),
        Chosen::Transition(index) => index < layer.transitions.len(),
    };
    match panel.chosen {
        Chosen::State(_) | Chosen::Transition(_) if !is_there => {}
        Chosen::Nothing => {
            let text = "Click a state or a transition. A double click on the ground makes a state; \
                        dragging from the dot of one state to another makes a transition.";
            ui.add(egui::Label::new(RichText::new(text).weak()).wrap());
        }
        Chosen::State(index) => state::inspector_ui(ui, panel, &layer, index, desk),
        Chosen::Transition(index) => transition::inspector_ui(ui, panel, &layer, index, desk),
    }
}
