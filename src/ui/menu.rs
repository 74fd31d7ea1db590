//! The bar at the top: menus made from the key table, what is shown, and the
//! badge of the mode.

use egui::{Align, Layout, Margin, Panel, RichText, Role, Ui};

use super::{
    Action, Command, Mode, PanelState, PanelView, Switch,
    keys::{self},
    theme,
    widgets::{docked, named},
};
use crate::scene::{CameraMode, ViewPreset};

pub(super) fn bar_ui(
    ui: &mut Ui,
    state: &PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let (panel, margin) = (Panel::top("menu"), Margin::symmetric(8, 0));
    docked(ui, panel, theme::TOP_HEIGHT, margin, |ui| {
        ui.horizontal_centered(|ui| {
            ui.scope(|ui| badges_ui(ui, view.mode, commands));
            ui.menu_button("File", |ui| file_ui(ui, view, commands));
            ui.menu_button("Playback", |ui| playback_ui(ui, commands));
            ui.menu_button("View", |ui| view_ui(ui, view, commands));
            ui.menu_button("Help", |ui| help_ui(ui, commands));
            // From the right, so that a long title is cut and not the button.
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let label = if state.side {
                    "Hide panel"
                } else {
                    "Show panel"
                };
                if ui.button(label).on_hover_text("F2").clicked() {
                    commands.push(Command::Do(Action::SidePanel));
                }
                title_ui(ui, view);
            });
        });
    });
}

/// One badge a mode, that of the present one lit.
fn badges_ui(ui: &mut Ui, present: Mode, commands: &mut Vec<Command>) {
    let colours = theme::palette(ui.style());
    ui.spacing_mut().item_spacing.x = 2.0;
    for mode in Mode::ALL {
        let (fill, ink) = match mode == present {
            true => (colours.accent, colours.on_accent),
            false => (colours.groove, colours.quiet),
        };
        let text = RichText::new(mode.word()).strong().color(ink);
        let badge = egui::Button::new(text)
            .fill(fill)
            .min_size([64.0, theme::ROW].into());
        let response = ui.add(badge).on_hover_text(mode.says());
        let name = format!("Mode: {}", mode.word());
        if named(response, Role::Button, &name).clicked() {
            commands.push(Command::Do(Action::Enter(mode)));
        }
    }
    ui.add_space(6.0);
}

fn title_ui(ui: &mut Ui, view: &PanelView<'_>) {
    let colours = theme::palette(ui.style());
    if let (Mode::View, Some(fault)) = (view.mode, view.fault) {
        let text = RichText::new(fault).color(colours.error);
        let label = ui.add(egui::Label::new(text).truncate());
        label.on_hover_text(fault);
        return;
    }
    let text = match (&view.mode, &view.clip) {
        (Mode::Drive, _) => {
            let (names, driven) = view.drivable;
            names.get(driven).cloned().unwrap_or_default()
        }
        (_, Some(clip)) if clip.raw.is_some() => {
            format!("{} · {} fps", clip.name, Rate(clip.fps()))
        }
        (_, Some(clip)) => clip.name.to_owned(),
        (_, None) => "loading…".to_owned(),
    };
    ui.add(egui::Label::new(RichText::new(text).color(colours.quiet)).truncate());
}

/// A frame rate without needless zeros.
pub(super) struct Rate(pub f64);

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.3}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// An entry with its key at the right.
fn entry(ui: &mut Ui, action: Action, ticked: Option<bool>, commands: &mut Vec<Command>) {
    let Some(row) = keys::of_action(action) else {
        return;
    };
    // Keys stand below each other at the right.
    ui.set_min_width(240.0);
    let button = match ticked {
        Some(on) => egui::Button::selectable(on, row.says),
        None => egui::Button::new(row.says),
    };
    let colours = theme::palette(ui.style());
    // On the accent of a ticked entry weak text could not be read.
    let ink = match ticked {
        Some(true) => colours.on_accent,
        _ => colours.quiet,
    };
    let button = button.shortcut_text(RichText::new(row.label).color(ink));
    let response = ui.add(button);
    if named(response, Role::Button, row.says).clicked() {
        commands.push(Command::Do(action));
        ui.close();
    }
}

fn file_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    entry(ui, Action::Open, None, commands);
    entry(ui, Action::Paste, None, commands);
    entry(ui, Action::Library, None, commands);
    if !view.recent.is_empty() {
        ui.separator();
        ui.weak("Recent");
        for path in view.recent.iter().take(10) {
            let name = path.file_name().unwrap_or(path.as_os_str());
            let response = ui
                .button(name.to_string_lossy())
                .on_hover_text(path.display().to_string());
            if response.clicked() {
                commands.push(Command::Open(vec![path.clone()]));
                ui.close();
            }
        }
        if ui.button("Clear this list").clicked() {
            commands.push(Command::ClearRecent);
            ui.close();
        }
    }
    ui.separator();
    entry(ui, Action::Export, None, commands);
    entry(ui, Action::Screenshot, None, commands);
    entry(ui, Action::ScreenshotWindow, None, commands);
    if view.mode == Mode::Drive {
        entry(ui, Action::RecordMotion, None, commands);
    }
    entry(ui, Action::RecordGif, None, commands);
    entry(ui, Action::RecordPictures, None, commands);
    ui.separator();
    entry(ui, Action::Quit, None, commands);
}

fn playback_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    for action in [
        Action::TogglePlay,
        Action::Step(-1),
        Action::Step(1),
        Action::ToStart,
        Action::ToEnd,
    ] {
        entry(ui, action, None, commands);
    }
    ui.separator();
    for action in [Action::RangeIn, Action::RangeOut, Action::RangeClear] {
        entry(ui, action, None, commands);
    }
    ui.separator();
    for action in [
        Action::Slower,
        Action::Faster,
        Action::Reverse,
        Action::NextWrap,
    ] {
        entry(ui, action, None, commands);
    }
    ui.separator();
    entry(ui, Action::PreviousClip, None, commands);
    entry(ui, Action::NextClip, None, commands);
}

fn view_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let mut display = view.display;
    let camera = *view.mode.camera_of(&mut display);
    for (switch, on) in [
        (Switch::Skin, display.skin),
        (Switch::Bones, display.bones),
        (Switch::Names, display.names),
        (Switch::Axes, display.axes),
        (Switch::Trajectory, display.trajectory),
        (Switch::Ghosts, display.ghosts > 0),
        (Switch::Follow, camera != CameraMode::Still),
    ] {
        entry(ui, Action::Toggle(switch), Some(on), commands);
    }
    ui.separator();
    entry(ui, Action::FrameAll, None, commands);
    for side in [
        ViewPreset::Front,
        ViewPreset::Left,
        ViewPreset::ThreeQuarter,
        ViewPreset::Top,
        ViewPreset::Back,
    ] {
        entry(ui, Action::LookFrom(side), None, commands);
    }
    ui.separator();
    entry(ui, Action::NextTheme, None, commands);
    entry(ui, Action::SidePanel, None, commands);
    entry(ui, Action::Fullscreen, None, commands);
}

fn help_ui(ui: &mut Ui, commands: &mut Vec<Command>) {
    entry(ui, Action::Learn, None, commands);
    entry(ui, Action::Shortcuts, None, commands);
    entry(ui, Action::Log, None, commands);
}
