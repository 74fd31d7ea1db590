//! The application without its window: what is loaded, how it plays, what the
//! user asked for. Runs headless; time comes from outside.
//!
//! The struct and its clock are here; what is done to it lies in one file a
//! subject: commands, clips, compression, driving, and the view for panels.

mod clips;
mod cloth;
mod commands;
mod compression;
mod driving;
mod joints;
mod retarget;
#[cfg(test)]
mod tests;
mod view;

use std::{path::PathBuf, sync::Arc};

use super::{
    Outbox,
    cloth::ClothController,
    codec_sweep::CodecSweep,
    compress_worker::CompressWorker,
    drive::{self, CastSource, Drive},
    follow_camera::FollowCamera,
    loader::Loader,
    notices::Notices,
    player::Player,
    record::Film,
    settings::Settings,
    stage::{Entry, Stage, ViewOptions},
};
use crate::{
    scene::FrameData,
    skeleton::JointIndex,
    ui::{
        CameraMode, ClipRow, Display, ImportOverrides, JointCurves, Mode, PanelState, Progress,
        RateErrorPoint, Recording, Severity, Status, ThemeChoice,
    },
};

/// What only the window can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowRequest {
    /// The whole screen, and back.
    Fullscreen,
    /// A picture, with the interface or without.
    Screenshot {
        /// With it.
        interface: bool,
    },
    /// A film, begun or ended.
    Record(Film),
    /// The clipboard.
    Paste,
    /// The end.
    Quit,
}

/// All state but the window's.
pub struct Session {
    /// Drive or View.
    pub mode: Mode,
    /// The play head.
    pub player: Player,
    /// The camera.
    pub follow_camera: FollowCamera,
    /// Who is seen.
    pub stage: Stage,
    /// Display options.
    pub display: Display,
    /// Panels.
    pub panels: PanelState,
    /// Messages.
    pub notices: Notices,
    /// The status bar.
    pub status: Status,
    /// Files opened before.
    pub recent: Vec<PathBuf>,
    /// For the window to grant.
    pub requests: Vec<WindowRequest>,
    /// The chosen joint.
    pub selected: Option<JointIndex>,
    /// The joint under the pointer.
    pub hovered: Option<JointIndex>,
    /// What the system prefers.
    pub system_dark: bool,
    /// Seconds since the start.
    pub now_secs: f64,
    entries: Vec<Entry>,
    rows: Vec<ClipRow>,
    shown: usize,
    beside: Vec<usize>,
    loader: Loader,
    progress: Option<Progress>,
    compress_worker: CompressWorker,
    compress_busy: bool,
    compress_error: Option<String>,
    codec_sweep: CodecSweep,
    sweep: Vec<RateErrorPoint>,
    /// How many points are known or known to be impossible, while it runs.
    sweep_known: Option<usize>,
    outbox: Outbox,
    overrides: ImportOverrides,
    curves: Option<JointCurves>,
    /// For the status bar, while a film is made.
    pub recording: Option<Recording>,
    cloth: ClothController,
    camera_moves: bool,
    framed_once: bool,
    drive: Option<Drive>,
    drive_fault: Option<String>,
    driven_keys: u32,
    /// When a hand was last seen.
    touched_secs: f64,
    cast_source: CastSource,
    retarget_state: retarget::RetargetState,
}

impl Session {
    /// Starts with what was remembered; `files` or the performer are loaded in
    /// the background.
    pub fn new(settings: Settings, outbox: &Outbox, files: Vec<PathBuf>) -> Self {
        let loader = Loader::new(Arc::clone(outbox));
        let progress = (!files.is_empty()).then(|| Progress {
            text: "Reading".into(),
            fraction: None,
        });
        if files.is_empty() {
            loader.open_built_in();
        } else {
            loader.open(files);
        }
        Self {
            mode: Mode::View,
            player: Player::default(),
            follow_camera: FollowCamera::default(),
            stage: Stage::default(),
            display: settings.display,
            panels: settings.panels,
            notices: Notices::default(),
            status: Status::default(),
            recent: settings.recent,
            requests: Vec::new(),
            selected: None,
            hovered: None,
            system_dark: true,
            now_secs: 0.0,
            entries: Vec::new(),
            rows: Vec::new(),
            shown: 0,
            beside: Vec::new(),
            loader,
            progress,
            compress_worker: CompressWorker::new(Arc::clone(outbox)),
            compress_busy: false,
            compress_error: None,
            codec_sweep: CodecSweep::default(),
            sweep: Vec::new(),
            sweep_known: None,
            outbox: Arc::clone(outbox),
            overrides: ImportOverrides::default(),
            curves: None,
            recording: None,
            cloth: ClothController::default(),
            camera_moves: false,
            framed_once: false,
            drive: None,
            drive_fault: None,
            driven_keys: 0,
            touched_secs: 0.0,
            cast_source: CastSource::default(),
            retarget_state: retarget::RetargetState::default(),
        }
    }

    /// Loads the animator, from files or the built-in one, and watches its
    /// description.
    pub fn load_animator(&mut self, source: CastSource, outbox: &Outbox) {
        if let Some(path) = &source.animator {
            drive::watch(path.clone(), Arc::clone(outbox));
        }
        self.loader.cast(source.clone());
        self.cast_source = source;
    }

    /// Who is seen: the performer in Drive mode, once it is ready.
    #[must_use]
    pub fn shown_stage(&self) -> &Stage {
        match (&self.drive, self.mode) {
            (Some(drive), Mode::Drive) => &drive.stage,
            _ => &self.stage,
        }
    }

    /// The performer, while it is driven.
    #[must_use]
    pub fn driven(&self) -> Option<&Drive> {
        self.drive.as_ref().filter(|_| self.mode == Mode::Drive)
    }

    /// What to remember.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            display: self.display,
            panels: self.panels.clone(),
            recent: self.recent.clone(),
            ..Settings::default()
        }
    }

    /// Dark surroundings.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        match self.display.theme {
            ThemeChoice::System => self.system_dark,
            ThemeChoice::Dark => true,
            ThemeChoice::Light => false,
        }
    }

    /// Whether the picture changes by itself.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let plays = match self.mode {
            Mode::View => self.stage.lead.is_some() && self.player.is_moving(),
            Mode::Drive => self
                .driven()
                .is_some_and(|drive| drive.view.pause.is_none()),
        };
        plays || self.camera_moves || self.cloth.is_moving()
    }

    /// Lets time pass and poses whoever is on stage.
    pub fn advance(&mut self, dt_secs: f64) {
        self.notices.age(self.now_secs);
        self.doze();
        if self.cloth.is_in_use() {
            self.advance_dressed(dt_secs);
        } else {
            self.pose_later(dt_secs);
        }
        let stage = self.shown_stage();
        let (footing, empty) = (stage.footing(), stage.lead.is_none());
        if empty {
            self.camera_moves = false;
            return;
        }
        self.follow_camera.camera.fov_y_rad = self.display.fov_deg.to_radians();
        if self.display.camera == CameraMode::Still {
            self.camera_moves = false;
            self.follow_camera.stay(footing);
            return;
        }
        let (_, heading) = self.root_place();
        let turns = self.display.camera == CameraMode::TurnAlong;
        let turned = self
            .follow_camera
            .turn(turns.then_some(heading), dt_secs as f32);
        self.camera_moves = self.follow_camera.follow(footing, dt_secs as f32) || turned;
    }

    /// Poses whoever is on stage some time later.
    fn pose_later(&mut self, dt_secs: f64) {
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.advance(dt_secs),
            _ => {
                self.player.advance(dt_secs);
                self.stage.pose_at(self.player.time_secs());
            }
        }
    }

    /// Fills a frame.
    pub fn compose(&mut self, frame: &mut FrameData) {
        frame.camera = self.follow_camera.camera;
        let mut display = self.display;
        if self.mode == Mode::Drive {
            // Both need a clip to look ahead in.
            (display.ghosts, display.trajectory) = (0, false);
        }
        let options = ViewOptions {
            display,
            dark: self.is_dark(),
            selected: self.selected,
            hovered: self.hovered,
            secs: self.player.time_secs(),
        };
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.stage.compose(&options, frame),
            _ => self.stage.compose(&options, frame),
        }
        self.compose_cloth(frame);
    }

    /// Tells the user.
    pub fn tell(&mut self, severity: Severity, text: impl Into<String>) {
        self.notices.add(severity, text, self.now_secs);
    }
}
