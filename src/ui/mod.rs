//! The interface: one panel per file; state in, commands out.
//!
//! Panels read a [`Model`] that the application fills every frame, change
//! nothing but their own [`PanelState`] (folds, search fields), and return
//! [`Command`]s. They know neither the renderer nor files nor the clock, so
//! every one of them runs in a test without a window.

mod animator;
mod clip;
mod cloth;
mod command;
mod compression;
mod display;
mod hint;
mod joints;
pub mod keys;
mod menu;
mod model;
mod notices;
mod plots;
mod retarget;
mod shortcuts;
mod side;
mod status;
#[cfg(test)]
mod tests;
pub mod theme;
mod timeline;
mod widgets;

pub use command::{Action, Command, Mode, Retargeting, Side, Switch};
pub use model::{
    AnimatorPage, AnimatorView, CameraMode, ClipRow, ClipView, ClothFigures, ClothKnobs, ClothView,
    Codec, CodecKnobs, CompressionPlot, CompressionResult, CompressionView, Display, EventView,
    Gravity, JointCurves, JointPage, LayerView, LightModel, Mark, MaskBrush, Material, Model,
    Notice, PanelState, ParameterSort, ParameterView, Playback, PoseView, Progress, RateErrorPoint,
    Reading, Recording, Rest, RetargetView, SpaceView, Status, ThemeChoice, TransitionView, Tuning,
};
pub use side::Section;

use egui::{Rect, Ui};

/// Lays out everything and returns the area left free for the picture.
pub fn show(
    ui: &mut Ui,
    state: &mut PanelState,
    model: &Model<'_>,
    commands: &mut Vec<Command>,
) -> Rect {
    menu::bar_ui(ui, state, model, commands);
    status::bar_ui(ui, state, model, commands);
    if model.mode == Mode::View {
        timeline::panel_ui(ui, model, commands);
    }
    if state.side {
        side::panel_ui(ui, state, model, commands);
    }
    let free = ui.available_rect_before_wrap();
    hint::overlay_ui(ui, state, model, free);
    if !state.log {
        notices::toasts_ui(ui, model, free, commands);
    }
    notices::log_ui(ui, state, model, free);
    shortcuts::overlay_ui(ui, state, model.mode);
    hint::drop_ui(ui, free);
    free
}
