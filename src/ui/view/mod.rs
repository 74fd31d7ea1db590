//! What panels show: read-only views that the application fills every frame,
//! and the few settings that panels change through commands.

mod animator;
mod blending;
mod cast;
mod clip;
mod compression;
mod curves;
mod editor;
mod events;
mod export;
mod library;
mod measures;
mod panels;
mod pose;
mod retarget;
mod status;

use std::path::PathBuf;

pub use animator::{
    AnimatorView, BindingView, BlendView, EventView, LayerView, MemoryView, ParameterView,
    PauseReason, SpaceView, TransitionView, TreeRow, Tuning,
};
pub use blending::{BlendShown, BlendingView, InputsShown, PathView, WalkFigures};
pub use cast::{CastView, Casting, Mover};
pub use clip::{ClipRow, ClipView, ImportOverrides, JointCurves, Mark, Playback, PoseView};
pub use compression::{CompressionResult, CompressionView, RateErrorPoint};
pub use curves::{CurveFile, CurvePanel, CurvePlot, FilterChoice};
pub use editor::{
    AnimatorEditing, Chosen, EditorPage, EditorPanel, EditorView, Leaving, Listening, SaveDialog,
};
pub use events::{EventLaneView, EventPanel};
pub use export::{ExportDialog, ExportKind, ExportView, Film};
pub use library::{Browsing, LibraryItem, LibraryPanel, LibraryView, Pictures};
pub use measures::{CheckPage, ExerciseFigures, ExercisePanel, MeasuresView, MendView, RepairRow};
pub use panels::{
    AnimatorPage, Codec, CodecKnobs, CompressionPlot, JointPage, MaskBrush, PanelState,
    RegistrationPage, TimelineZoom,
};
pub use pose::{LimitsView, PosePage, PosePanel};
pub use retarget::RetargetView;
pub use status::{Notice, Progress, Recording, Severity, Status};

use super::Mode;
use crate::analysis::Finding;
use crate::scene::{Character, ClothKnobs, ClothStats, Display, Happening, SolverCurve};

/// The cloth panel's content.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClothView<'a> {
    /// As set.
    pub knobs: ClothKnobs,
    /// Once a sheet hangs.
    pub stats: Option<ClothStats>,
    /// What each solver has been doing.
    pub curves: &'a [SolverCurve],
}

/// Everything panels may show.
#[derive(Clone, Copy, Debug)]
pub struct PanelView<'a> {
    /// Drive or View.
    pub mode: Mode,
    /// The clip on screen; `None` until one is loaded.
    pub clip: Option<ClipView<'a>>,
    /// How it plays.
    pub playback: Playback,
    /// The pose on screen.
    pub pose: Option<PoseView<'a>>,
    /// Joints beyond their limits.
    pub limits: LimitsView<'a>,
    /// Why what was asked for last is not shown, and what to do.
    pub fault: Option<&'a str>,
    /// All clips that can be shown.
    pub clips: &'a [ClipRow],
    /// Display options.
    pub display: Display,
    /// The camera of the file that is looked through.
    pub through: Option<&'a str>,
    /// Compression.
    pub compression: CompressionView<'a>,
    /// What is wrong with the clip; `None` until it was looked at.
    pub findings: Option<&'a [Finding]>,
    /// Curves of the clip, while their page is open.
    pub curve_plot: Option<&'a CurvePlot>,
    /// The exercise, and how somebody walks, while their pages are open.
    pub measures: MeasuresView<'a>,
    /// What of that was repaired.
    pub mending: MendView<'a>,
    /// The sheet that hangs.
    pub cloth: ClothView<'a>,
    /// The animator, once there is one.
    pub animator: Option<&'a AnimatorView>,
    /// Why there is none.
    pub animator_fault: Option<&'a str>,
    /// The animator under the pen, once its editor was opened.
    pub editor: Option<EditorView<'a>>,
    /// The row of the page of concepts that is set up.
    pub lesson: Option<usize>,
    /// The folder that is browsed.
    pub library: Option<LibraryView<'a>>,
    /// Messages, oldest first.
    pub notices: &'a [Notice],
    /// The status bar.
    pub status: &'a Status,
    /// Loading.
    pub loading: Option<&'a Progress>,
    /// A file being written.
    pub exporting: Option<&'a Progress>,
    /// Files opened before, newest first.
    pub recent: &'a [PathBuf],
    /// A film being made.
    pub recording: Option<Recording>,
    /// What the export dialog has to know.
    pub export: ExportView<'a>,
    /// Who can be driven, and which of them is.
    pub drivable: (&'a [String], usize),
    /// Who else is there.
    pub cast: CastView<'a>,
    /// Down to where the lists of a section may reach, points from the top of
    /// the window; `None` where others follow that are open.
    pub list_bottom: Option<f32>,
    /// What is blended.
    pub blending: BlendingView<'a>,
    /// Everybody else in the scene.
    pub others: &'a [Character],
    /// What happened in the last moments.
    pub happenings: &'a [Happening],
    /// Who plays the clip; `None` when there is none.
    pub retarget: Option<RetargetView<'a>>,
}
