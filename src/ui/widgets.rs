//! Small parts that several panels share.

use egui::{Response, RichText, Role, Ui, WidgetInfo};

use super::{
    Action, Command,
    keys::{self},
    theme,
};

/// A button with a symbol, named for those who do not see it.
pub fn icon_button(ui: &mut Ui, symbol: &str, name: &str, hover: &str) -> Response {
    let response = ui
        .add(
            egui::Button::new(RichText::new(symbol).size(16.0)).min_size([28.0, theme::ROW].into()),
        )
        .on_hover_text(hover);
    named(response, Role::Button, name)
}

/// Gives a control the name that accessibility tools read.
pub fn named(response: Response, kind: Role, name: &str) -> Response {
    let enabled = response.enabled();
    response.widget_info(|| WidgetInfo::labeled(kind, enabled, name));
    response
}

/// A button for an action of the key table; the tooltip tells its key.
pub fn action_icon(
    ui: &mut Ui,
    symbol: &str,
    name: &str,
    action: Action,
    commands: &mut Vec<Command>,
) {
    if icon_button(ui, symbol, name, &tip_of(action)).clicked() {
        commands.push(Command::Do(action));
    }
}

/// "What it does (Key)".
pub fn tip_of(action: Action) -> String {
    keys::of_action(action).map_or_else(String::new, |row| format!("{} ({})", row.says, row.label))
}

/// A row of two columns: what, and its value.
pub fn fact(ui: &mut Ui, what: &str, value: &str) {
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        ui.set_min_height(20.0);
        ui.add_sized(
            [96.0, 20.0],
            egui::Label::new(RichText::new(what).color(colours.quiet)).halign(egui::Align::LEFT),
        );
        ui.add(egui::Label::new(value).truncate())
            .on_hover_text(value);
    });
}

/// Bytes in a unit that keeps three digits.
pub fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} B"),
        10_000..=9_999_999 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.2} MB", bytes as f64 / 1e6),
    }
}

/// Centimetres with as many digits as the size asks for.
pub fn cm_text(cm: f64) -> String {
    if cm >= 1.0 {
        format!("{cm:.2} cm")
    } else if cm >= 0.01 {
        format!("{cm:.3} cm")
    } else {
        format!("{cm:.5} cm")
    }
}
