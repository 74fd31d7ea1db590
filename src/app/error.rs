//! What can go wrong: before the window is there, and while it is.

use std::path::PathBuf;

use crate::{
    cloth::SheetError, codec::CompressError, convert::ConvertError, load::LoadError,
    output::OutputError, render::GpuError, retarget::RetargetError,
};

/// Why the viewer did not start or ended early.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// There is nothing to open a window on.
    #[error(
        "no display to open a window on ({0}): start it from a desktop session, or under Xvfb \
         (Debian and Ubuntu: `apt install xvfb libxkbcommon-x11-0`, then `xvfb-run kinetoscope`); \
         `kinetoscope render` makes pictures without a window"
    )]
    NoDisplay(String),
    /// There is nothing to draw with.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The trace cannot be written.
    #[error("{}: {source}", path.display())]
    Trace {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The window system failed later on.
    #[error("the window system reports: {0}")]
    Window(String),
}

/// What goes wrong while the viewer runs; it is told in a notice and the viewer
/// goes on with what it had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    /// A file did not load.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file was not written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A codec cannot do what it is asked for.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// There can be no such cloth.
    #[error(transparent)]
    Cloth(#[from] SheetError),
    /// The exercise cannot be set on a clip.
    #[error("{0}")]
    Exercise(String),
    /// A motion cannot be retargeted.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// A map of joints is wrong, or does not fit.
    #[error("{}: {message}", path.display())]
    Map {
        /// Its file.
        path: PathBuf,
        /// With line and field.
        message: String,
    },
    /// A file holds less than its list said.
    #[error("{}: there is no motion {index}", path.display())]
    NoMotion {
        /// Which file.
        path: PathBuf,
        /// Counted from 0.
        index: usize,
    },
    /// A file loads but has nothing to show.
    #[error("{}: nothing to show in it", path.display())]
    NothingToShow {
        /// Which file.
        path: PathBuf,
    },
    /// The built-in character has no such clip.
    #[error("there is no built-in clip {0:?}")]
    NoBuiltIn(String),
    /// Clips do not go together.
    #[error("{name}: {reason}")]
    Blend {
        /// Which.
        name: String,
        /// Why.
        reason: String,
    },
    /// The user does not want a file any more.
    #[error("given up: nothing was written")]
    GivenUp,
    /// Only motions can be compressed.
    #[error("there is no clip to compress")]
    NoClip,
    /// Settings that cannot be written as text.
    #[error("settings: {0}")]
    ViewerSettings(#[from] ron::Error),
    /// A motion cannot be written so.
    #[error("{}: {source}", path.display())]
    Convert {
        /// The file that was to be written.
        path: PathBuf,
        /// Why not.
        source: ConvertError,
    },
    /// The file that is shown would be written over.
    #[error("{} is the file that is shown: give another name", .0.display())]
    IsShown(PathBuf),
    /// Nobody said that it may be written over.
    #[error("{} is there already", .0.display())]
    Taken(PathBuf),
    /// A film needs a program that is not there.
    #[error("{0}")]
    NoEncoder(String),
    /// A film that ended before it began.
    #[error("the film has no picture")]
    EmptyFilm,
}

impl SessionError {
    /// With what can be done about it.
    pub fn with_advice(&self) -> String {
        let advice = match self {
            Self::Load(error) => error.advice(),
            Self::NothingToShow { .. } | Self::NoMotion { .. } => "open another file",
            _ => "",
        };
        match advice {
            "" => self.to_string(),
            advice => format!("{self}: {advice}"),
        }
    }
}
