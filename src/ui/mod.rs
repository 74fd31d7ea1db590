//! The interface: one panel per file; state in, commands out.
//!
//! Panels read a [`PanelView`] that the application fills every frame, change
//! nothing but their own [`PanelState`] (folds, search fields), and return
//! [`Command`]s. They know neither the renderer nor files nor the clock, so
//! every one of them runs in a test without a window.

mod animator;
mod animator_editor;
mod blending;
mod clip;
mod cloth;
mod command;
mod compression;
mod curves;
mod display;
mod events;
mod exercise;
mod export;
mod findings;
mod gait;
mod hint;
mod joints;
pub mod keys;
mod learn;
mod legend;
mod library;
mod menu;
mod notices;
mod plots;
mod pose;
mod retarget;
mod shortcuts;
mod side;
mod solids;
mod status;
#[cfg(test)]
mod tests;
pub mod theme;
mod timeline;
mod view;
mod widgets;

pub use command::{Action, Blending, Command, Mode, Retargeting, Switch};
pub use learn::{Chapter, Lesson, Span, Step, chapters, lessons, steps_of};
pub use side::Section;
pub use timeline::event_at;
pub use view::{
    AnimatorEditing, AnimatorPage, AnimatorView, BindingView, BlendShown, BlendView, BlendingView,
    Browsing, CastView, Casting, CheckPage, Chosen, ClipRow, ClipView, ClothView, Codec,
    CodecKnobs, CompressionPlot, CompressionResult, CompressionView, CurveFile, CurvePanel,
    CurvePlot, EditorPage, EditorPanel, EditorView, EventLaneView, EventPanel, EventView,
    ExerciseFigures, ExercisePanel, ExportDialog, ExportKind, ExportView, Film, FilterChoice,
    ImportOverrides, InputsShown, JointCurves, JointPage, LayerView, Leaving, LibraryItem,
    LibraryPanel, LibraryView, LimitsView, Listening, Mark, MaskBrush, MeasuresView, MemoryView,
    MendView, Mover, Notice, PanelState, PanelView, ParameterView, PathView, PauseReason, Pictures,
    Playback, PosePage, PosePanel, PoseView, Progress, RateErrorPoint, Recording, RegistrationPage,
    RepairRow, RetargetView, SaveDialog, Severity, SpaceView, Status, TimelineZoom, TransitionView,
    TreeRow, Tuning, WalkFigures,
};

use egui::{Rect, Ui};

/// Lays out everything and returns the area left free for the picture.
pub fn show(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) -> Rect {
    let asked_before = commands.len();
    state.state_below = None;
    // Each takes its edge of what those before have left: the bars span the
    // window, the timeline lies on the status bar, the side panel between.
    menu::bar_ui(ui, state, view, commands);
    status::bar_ui(ui, state, view, commands);
    if view.mode != Mode::Drive {
        timeline::panel_ui(ui, state, view, commands);
    }
    learn::panel_ui(ui, state, view, commands);
    library::panel_ui(ui, state, view, commands);
    if state.side {
        side::panel_ui(ui, state, view, commands);
    }
    let free = ui.available_rect_before_wrap();
    legend::overlay_ui(ui, state, view, free);
    hint::overlay_ui(ui, state, view, free);
    // The log shows them all: once is enough.
    if !state.log {
        notices::toasts_ui(ui, view, free, commands);
    }
    notices::log_ui(ui, state, view, free);
    animator_editor::window_ui(ui, state, view, commands);
    export::dialog_ui(ui, state, view, commands);
    shortcuts::overlay_ui(ui, state, view);
    hint::drop_ui(ui, free);
    forget_repeated(commands, asked_before);
    free
}

/// A frame may be laid out in several passes, and what a hand did is seen in
/// the first alone: each adds to what was asked for, and none repeats it.
fn forget_repeated(commands: &mut Vec<Command>, asked_before: usize) {
    let again = commands.split_off(asked_before);
    let fresh = again.into_iter().filter(|it| !commands.contains(it));
    let fresh: Vec<Command> = fresh.collect();
    commands.extend(fresh);
}
