//! The Learn page: every row of the page of concepts, with a button that sets
//! it up at once and its commands to be copied. Docked at the left, so that
//! nothing it shows lies below it.

mod paper;
mod setup;

use egui::{CollapsingHeader, Margin, Panel, RichText, Role, ScrollArea, TextEdit, Ui};

pub use paper::{Chapter, Lesson, Span, chapters, lessons};
#[cfg(test)]
pub use setup::keys as setups;
pub use setup::{Step, of as steps_of};

use super::{
    Action, Command, PanelState, PanelView, theme,
    widgets::{Icon, action_icon, docked, named},
};

/// Points; with the side panel it leaves half of 1280 to the picture.
const WIDTH: f32 = 336.0;

pub(super) fn panel_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    if !state.learn {
        return;
    }
    let (panel, margin) = (Panel::left("learn"), Margin::symmetric(12, 8));
    docked(ui, panel, WIDTH, margin, |ui| {
        head_ui(ui, state, commands);
        let words = state.learn_search.trim().to_lowercase();
        let scroll = ScrollArea::vertical().auto_shrink([false, false]);
        scroll.show(ui, |ui| {
            for chapter in chapters() {
                chapter_ui(ui, chapter, &words, view.lesson, commands);
            }
        });
    });
}

fn head_ui(ui: &mut Ui, state: &mut PanelState, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.label(RichText::new("Learn").strong());
        let right = egui::Layout::right_to_left(egui::Align::Center);
        ui.with_layout(right, |ui| {
            action_icon(ui, Icon::Close, "Close Learn", Action::Learn, commands);
        });
    });
    let field = TextEdit::singleline(&mut state.learn_search)
        .hint_text("Search, or a concept's number")
        .desired_width(f32::INFINITY);
    named(ui.add(field), Role::TextInput, "Search concepts");
    ui.add_space(4.0);
}

fn chapter_ui(
    ui: &mut Ui,
    chapter: &Chapter,
    words: &str,
    shown: Option<usize>,
    commands: &mut Vec<Command>,
) {
    let found = chapter.lessons.iter().filter(|it| it.matches(words));
    let found: Vec<&Lesson> = found.collect();
    if found.is_empty() {
        return;
    }
    CollapsingHeader::new(RichText::new(&chapter.title).strong())
        .default_open(true)
        // What a search finds is seen.
        .open((!words.is_empty()).then_some(true))
        .show_unindented(ui, |ui| {
            for lesson in found {
                lesson_ui(ui, lesson, shown == Some(lesson.index), commands);
            }
        });
}

fn lesson_ui(ui: &mut Ui, lesson: &Lesson, shown: bool, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    ui.add_space(2.0);
    ui.horizontal_top(|ui| {
        // Buttons stand in a column of their own; a row that only a command
        // shows leaves its place empty.
        let size = egui::Vec2::new(52.0, theme::ROW);
        if steps_of(&lesson.numbers).is_some() {
            let mut button = egui::Button::new("Show").min_size(size);
            if shown {
                let text = RichText::new("Show").color(colours.on_accent);
                button = egui::Button::new(text).min_size(size).fill(colours.accent);
            }
            let hover = format!("Concept {}", lesson.numbers);
            let response = ui.add(button).on_hover_text(hover);
            if named(response, Role::Button, &format!("Show {}", lesson.numbers)).clicked() {
                commands.push(Command::Learn(lesson.index));
            }
        } else {
            ui.allocate_exact_size(size, egui::Sense::hover());
        }
        ui.vertical(|ui| {
            ui.add(egui::Label::new(&lesson.title).wrap());
            see_ui(ui, lesson);
            commands_ui(ui, lesson);
        });
    });
    ui.add_space(4.0);
}

/// The words; commands stand below, where they can be copied.
fn see_ui(ui: &mut Ui, lesson: &Lesson) {
    let colours = theme::palette(ui.style());
    let mut line = egui::text::LayoutJob::default();
    let font = egui::TextStyle::Body.resolve(ui.style());
    for span in &lesson.words() {
        let (text, colour) = match span {
            Span::Text(text) => (text, colours.quiet),
            Span::Code(code) => (code, colours.text),
        };
        line.append(text, 0.0, egui::TextFormat::simple(font.clone(), colour));
    }
    if line.text.chars().any(char::is_alphanumeric) {
        line.wrap.max_width = ui.available_width();
        ui.label(line);
    }
}

fn commands_ui(ui: &mut Ui, lesson: &Lesson) {
    for command in lesson.commands() {
        let text = RichText::new(command).monospace().size(11.0);
        let button = egui::Button::new(text)
            .wrap()
            .fill(theme::palette(ui.style()).groove);
        let response = ui.add(button).on_hover_text("Copies the command");
        if named(response, Role::Button, &format!("Copy {command}")).clicked() {
            ui.ctx().copy_text(command.to_owned());
        }
    }
}
