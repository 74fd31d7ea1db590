//! Messages, progress, and what the machine is doing.

use super::Film;

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Done, or good to know.
    Info,
    /// Something was assumed or mended.
    Warning,
    /// Something did not work.
    Error,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// To dismiss it by.
    pub id: u64,
    /// How grave.
    pub severity: Severity,
    /// The text.
    pub text: String,
    /// Seconds since the program started.
    pub at_secs: f64,
    /// Still on screen.
    pub fresh: bool,
}

/// The status bar's content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Status {
    /// Milliseconds the processor spent on the last frame.
    pub cpu_ms: f32,
    /// Milliseconds the adapter spent on a recent frame, where it has a clock.
    pub gpu_ms: Option<f32>,
    /// Frames a second while something moves; `None` at rest.
    pub fps: Option<f32>,
    /// What draws.
    pub adapter: String,
    /// The processor draws.
    pub software: bool,
    /// Warnings about the clip.
    pub warnings: usize,
}

/// Loading in the background.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being read.
    pub text: String,
    /// 0 to 1 where known.
    pub fraction: Option<f32>,
}

/// A film being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recording {
    /// What is made.
    pub film: Film,
    /// Pictures taken.
    pub taken: u32,
    /// Pictures it will have at most.
    pub most: u32,
}
