//! The application: window, input, loading, commands.
//!
//! The only place with threads, a wall clock and files to write. [`session`]
//! holds all state and runs headless; [`window`] feeds it events and time and
//! draws what it composes. Threads report through [`Message`]s.

mod background;
mod blend_worker;
mod check_worker;
mod choices;
mod codec_sweep;
mod compress_worker;
mod curve_worker;
mod desktop;
mod drive;
mod dropped;
mod error;
mod exercise_worker;
mod export;
mod gamepad;
mod graphics;
mod input;
mod library_worker;
mod loader;
mod mend_worker;
mod newest_worker;
mod notices;
mod opened_clip;
mod path_worker;
mod presenter;
mod record;
mod session;
mod settings;
mod source;
mod trace;
mod window;

use std::{path::PathBuf, sync::Arc};

use crate::units::UpAxis;
pub(crate) use background::background;
pub(crate) use drive::CharacterSource;
pub use error::AppError;
pub(crate) use error::SessionError;
#[cfg(test)]
pub(crate) use session::Session;
#[cfg(test)]
pub(crate) use settings::ViewerSettings;
pub use window::run;

/// How the viewer is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files and folders to open.
    pub files: Vec<PathBuf>,
    /// The animator's description, instead of the built-in one.
    pub animator: Option<PathBuf>,
    /// Where to write a line a frame.
    pub trace: Option<PathBuf>,
    /// Forgets remembered settings first.
    pub reset_config: bool,
    /// The axis that points up in the files, instead of the one found.
    pub up: Option<UpAxis>,
}

/// What threads report.
#[derive(Debug)]
pub(crate) enum Message {
    /// Loading goes on: ticket, what, share done.
    Progress(u64, String, f32),
    /// Paths were opened.
    Opened(u64, loader::Opened),
    /// An entry of the list was read.
    Read(
        u64,
        usize,
        Result<Arc<opened_clip::OpenedClip>, SessionError>,
    ),
    /// Joints beyond their limits in a clip.
    CountedLimits(Arc<opened_clip::OpenedClip>, crate::clip::LimitReport),
    /// Neither a file dialog nor a stand-in can be shown, and why.
    NoDialog(String),
    /// What the desktop prefers has changed, or is known now.
    SystemDark(bool),
    /// The file dialog was closed.
    Picked(Vec<PathBuf>),
    /// A clip was compressed.
    Compressed(
        u64,
        Result<Arc<compress_worker::CompressedResult>, SessionError>,
    ),
    /// A clip was looked at: what is wrong with it.
    Checked(u64, Vec<crate::analysis::Finding>),
    /// A clip was mended.
    Mended(u64, Box<crate::analysis::Mended>),
    /// News of the library that is open.
    Library(u64, library_worker::LibraryNews),
    /// The exercise on the clip on screen, by each method.
    Exercised(u64, Result<Vec<exercise_worker::MadeClip>, SessionError>),
    /// How somebody walks in the clip on screen.
    Measured(u64, Box<crate::analysis::GaitReport>),
    /// Curves of the clip on screen, by name.
    Curved(u64, Vec<(String, crate::analysis::Curves)>),
    /// A point of the curve over all codecs; `None` where one cannot do it.
    SweepPoint(u64, Option<crate::ui::RateErrorPoint>),
    /// A blend goes on: ticket, what, share done.
    BlendProgress(u64, crate::ui::Progress),
    /// A blend is ready, or cannot be made.
    Blended(u64, Result<Arc<blend_worker::Blended>, SessionError>),
    /// A walk along a path goes on: ticket, what, share done.
    PathProgress(u64, crate::ui::Progress),
    /// A walk is ready, or cannot be made.
    Walked(u64, Result<Arc<path_worker::Walked>, SessionError>),
    /// A file for a state of the animator was written.
    ForState(String, Result<PathBuf, SessionError>),
    /// The animator is ready, or is not.
    Driven(
        Box<CharacterSource>,
        Result<Box<drive::ReadyCharacter>, SessionError>,
    ),
    /// Somebody to play other clips, by their place in the list.
    Character(usize, Result<Arc<opened_clip::OpenedClip>, SessionError>),
    /// The animator's file was saved.
    AnimatorChanged,
    /// A gamepad did something.
    Pad(gamepad::PadEvent),
    /// A screen reader comes, goes, or asks for something.
    Access(egui_winit::accesskit_winit::WindowEvent),
    /// The frame under way is on the screen.
    Shown,
    /// A file was written.
    Saved(Result<PathBuf, SessionError>),
    /// A motion was written, with what its format cannot say.
    Exported(Result<(PathBuf, Vec<String>), SessionError>),
    /// The dialog for a file of a pose action was closed.
    PickedPose(Option<crate::posing::PoseAction>),
    /// The dialog for the file to write was closed.
    PickedExport(Option<PathBuf>),
}

impl From<egui_winit::accesskit_winit::Event> for Message {
    fn from(event: egui_winit::accesskit_winit::Event) -> Self {
        Self::Access(event.window_event)
    }
}

/// Takes messages from any thread.
pub(crate) type Outbox = Arc<dyn Fn(Message) + Send + Sync>;
