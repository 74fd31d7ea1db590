//! Small fields that answer with a new value, or not at all.

use egui::{DragValue, Role, Ui};

use crate::ui::{theme, widgets::named};

/// Width of the words before fields.
const WORD: f32 = 84.0;

/// A word and, beside it, fields.
pub fn row<R>(ui: &mut Ui, word: &str, fields: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        let room = egui::Vec2::new(WORD, theme::ROW);
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(room, left, |ui| {
            ui.set_min_width(WORD);
            ui.add(egui::Label::new(word).truncate());
        });
        fields(ui)
    })
    .inner
}

/// A name that counts when the field is left.
pub fn text(ui: &mut Ui, width: f32, value: &str, name: &str) -> Option<String> {
    let id = ui.make_persistent_id((name, "typed"));
    // A frame may be laid out twice, and the field is left in the first pass:
    // what was typed is kept until the frame after.
    let live = ui.memory(|memory| memory.has_focus(id) || memory.had_focus_last_frame(id));
    let typed = ui.data(|data| data.get_temp::<String>(id));
    let mut typed = typed.filter(|_| live).unwrap_or_else(|| value.to_owned());
    let field = egui::TextEdit::singleline(&mut typed)
        .id(id)
        .desired_width(width);
    let response = named(ui.add(field), Role::TextInput, name);
    let left = response.lost_focus();
    ui.data_mut(|data| data.insert_temp(id, typed.clone()));
    (left && typed != value).then_some(typed)
}

/// One of several.
pub fn choice<T: PartialEq + Clone>(
    ui: &mut Ui,
    name: &str,
    now: &T,
    choices: &[(T, String)],
) -> Option<T> {
    let known = choices.iter().find(|(it, _)| it == now);
    let word = known.map_or("", |(_, word)| word.as_str()).to_owned();
    choice_of(ui, name, &word, choices).filter(|it| it != now)
}

/// The same where what is set need not be among them.
pub fn choice_of<T: Clone>(
    ui: &mut Ui,
    name: &str,
    word: &str,
    choices: &[(T, String)],
) -> Option<T> {
    let mut chosen = None;
    let shown = egui::ComboBox::from_id_salt(name)
        .width(104.0)
        .height(420.0)
        .truncate()
        .selected_text(word)
        .show_ui(ui, |ui| {
            for (value, says) in choices {
                if ui.selectable_label(says == word, says).clicked() {
                    chosen = Some(value.clone());
                }
            }
        });
    named(shown.response, Role::ComboBox, name);
    chosen
}

/// One of several names.
pub fn name_of(ui: &mut Ui, name: &str, now: &str, names: &[String]) -> Option<String> {
    let choices: Vec<(String, String)> = names.iter().map(|it| (it.clone(), it.clone())).collect();
    choice_of(ui, name, now, &choices).filter(|it| it != now)
}

/// A number within bounds.
pub fn number(
    ui: &mut Ui,
    name: &str,
    now: f64,
    range: std::ops::RangeInclusive<f64>,
) -> Option<f64> {
    let mut value = now;
    let field = DragValue::new(&mut value)
        .range(range)
        .speed(0.01)
        .max_decimals(3);
    let response = named(ui.add(field), Role::SpinButton, name);
    (response.changed() && value != now && value.is_finite()).then_some(value)
}

/// A whole number.
pub fn whole(
    ui: &mut Ui,
    name: &str,
    now: i32,
    range: std::ops::RangeInclusive<i32>,
) -> Option<i32> {
    let mut value = now;
    let field = DragValue::new(&mut value).range(range).speed(0.05);
    let response = named(ui.add(field), Role::SpinButton, name);
    (response.changed() && value != now).then_some(value)
}

/// On or off.
pub fn switch(ui: &mut Ui, word: &str, now: bool) -> Option<bool> {
    let mut on = now;
    ui.checkbox(&mut on, word).changed().then_some(on)
}
