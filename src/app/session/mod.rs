//! The application without its window: what is loaded, how it plays, what the
//! user asked for. Runs headless; time comes from outside.
//!
//! The struct and its clock are here; what is done to it lies in one file a
//! subject: commands, clips, compression, driving, and the view for panels.

mod blending;
mod cast;
mod clips;
mod commands;
mod company;
mod compression;
mod curving;
mod driving;
mod editing;
mod events;
mod export;
mod grip;
mod joints;
mod learning;
mod library;
mod measuring;
mod mending;
mod pasted;
mod posing;
mod retarget;
mod saving;
mod steering;
#[cfg(test)]
mod tests;
mod tuning;
mod view;
mod walking;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
    time::Instant,
};

use blending::BlendState;
use clips::ClipList;
use company::CompanyState;
use compression::Compression;
use curving::Curving;
use driving::Driving;
use events::EventState;
pub use grip::Grip;
use grip::HeldJoint;
use learning::Learning;
use library::LibraryState;
use measuring::Measuring;
use mending::Mending;
use retarget::RetargetState;
use steering::PadState;
use walking::PathState;

use super::{
    Outbox,
    blend_worker::BlendWorker,
    check_worker::CheckWorker,
    choices::Choices,
    codec_sweep::CodecSweep,
    compress_worker::CompressWorker,
    curve_worker::CurveWorker,
    drive::{self, CharacterSource, Drive},
    exercise_worker::{ExerciseWorker, GaitWorker},
    library_worker::LibraryWorker,
    loader::Loader,
    mend_worker::MendWorker,
    notices::Notices,
    path_worker::PathWorker,
    record::FilmSettings,
    settings::ViewerSettings,
};
use crate::{
    analysis::Finding,
    cloth::SolverMode,
    scene::{ClothPreset, FrameData, Scene, Theme, ThemeChoice, ViewOptions},
    ui::{ImportOverrides, JointCurves, Mode, PanelState, Progress, Recording, Severity, Status},
};

/// What only the window can do.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowRequest {
    /// The whole screen, and back.
    Fullscreen,
    /// A picture without the interface.
    Picture {
        /// Pixels; the window's where left out.
        size: Option<[u32; 2]>,
        /// The chosen file; a free name where left out.
        path: Option<PathBuf>,
    },
    /// A picture of the window.
    ScreenshotWindow,
    /// A film, begun or ended.
    Record(FilmSettings),
    /// The clipboard.
    Paste,
    /// The end.
    Quit,
}

/// All state but the window's: panels, jobs, and a scene for each mode.
pub struct Session {
    /// View, Blend or Drive.
    pub mode: Mode,
    /// What is shown and how, in any scene.
    pub options: ViewOptions,
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
    /// What the system prefers.
    pub system_dark: bool,
    /// Seconds since the start.
    pub now_secs: f64,
    /// For the status bar, while a film is made.
    pub recording: Option<Recording>,
    view_scene: Scene,
    blend_scene: Scene,
    drive_scene: Scene,
    clips: ClipList,
    compression: Compression,
    findings: Option<Vec<Finding>>,
    blending: BlendState,
    walking: PathState,
    driving: Driving,
    pad: PadState,
    events: EventState,
    company: CompanyState,
    retargeting: RetargetState,
    learning: Learning,
    library: LibraryState,
    curves: Option<JointCurves>,
    curving: Curving,
    measuring: Measuring,
    mending: Mending,
    held_joint: Option<HeldJoint>,
    limits: Option<posing::CountedLimits>,
    told_left_out_of: Option<String>,
    /// A file that is where the export dialog would write.
    export_taken: Option<PathBuf>,
    jobs: Jobs,
}

/// Who works in the background, and what is under way.
struct Jobs {
    outbox: Outbox,
    loader: Loader,
    progress: Option<Progress>,
    /// A file being written.
    exporting: Option<Progress>,
    /// Set when it is not wanted any more.
    given_up: Arc<AtomicBool>,
    compress: CompressWorker,
    check: CheckWorker,
    mend: MendWorker,
    library: LibraryWorker,
    curves: CurveWorker,
    exercise: ExerciseWorker,
    gait: GaitWorker,
    sweep: CodecSweep,
    blend: BlendWorker,
    path: PathWorker,
}

impl Session {
    /// Starts with what was remembered; `files` or the performer are loaded in
    /// the background.
    pub fn new(
        settings: ViewerSettings,
        outbox: &Outbox,
        files: Vec<PathBuf>,
        given: ImportOverrides,
    ) -> Self {
        let loader = Loader::new(Arc::clone(outbox));
        *loader.choices() = Choices {
            given,
            remembered: settings.files,
        };
        let progress = (!files.is_empty()).then(|| Progress {
            text: "Reading".into(),
            fraction: None,
        });
        if files.is_empty() {
            loader.open_built_in();
        } else {
            loader.open(files);
        }
        let scene = || {
            let mut scene = Scene::default();
            scene.cloth.stopwatch = Some(stopwatch);
            scene
        };
        Self {
            mode: Mode::View,
            options: ViewOptions {
                display: settings.display,
                ..ViewOptions::default()
            },
            panels: settings.panels,
            notices: Notices::default(),
            status: Status::default(),
            recent: settings.recent,
            requests: Vec::new(),
            system_dark: true,
            now_secs: 0.0,
            recording: None,
            view_scene: scene(),
            blend_scene: scene(),
            drive_scene: scene(),
            clips: ClipList::default(),
            compression: Compression::default(),
            findings: None,
            blending: BlendState::default(),
            walking: PathState::default(),
            driving: Driving::default(),
            pad: PadState::default(),
            events: EventState::default(),
            company: CompanyState::default(),
            retargeting: RetargetState::default(),
            learning: Learning::default(),
            library: LibraryState::default(),
            curves: None,
            curving: Curving::default(),
            measuring: Measuring::default(),
            mending: Mending::default(),
            held_joint: None,
            limits: None,
            told_left_out_of: None,
            export_taken: None,
            jobs: Jobs {
                compress: CompressWorker::new(Arc::clone(outbox)),
                check: CheckWorker::new(Arc::clone(outbox)),
                mend: MendWorker::new(Arc::clone(outbox)),
                library: LibraryWorker::new(Arc::clone(outbox)),
                curves: CurveWorker::new(Arc::clone(outbox)),
                exercise: ExerciseWorker::new(Arc::clone(outbox)),
                gait: GaitWorker::new(Arc::clone(outbox)),
                sweep: CodecSweep::default(),
                blend: BlendWorker::new(Arc::clone(outbox)),
                path: PathWorker::new(Arc::clone(outbox), loader.clone()),
                outbox: Arc::clone(outbox),
                loader,
                progress,
                exporting: None,
                given_up: Arc::default(),
            },
        }
    }

    /// Loads the animator, from files or the built-in one, and watches its
    /// description.
    pub fn load_animator(&mut self, source: CharacterSource, outbox: &Outbox) {
        if let Some(path) = &source.animator {
            drive::watch(path.clone(), Arc::clone(outbox));
        }
        self.driving.chosen = !source.files.is_empty() && !source.fill;
        self.driving.source = source;
        self.reload_animator();
    }

    /// Whose scene is seen: View's until there is somebody to be driven, or a
    /// blend.
    fn seen_mode(&self) -> Mode {
        match self.mode {
            Mode::Drive if self.driving.drive.is_some() => Mode::Drive,
            Mode::Blend if self.blending.shown.is_some() => Mode::Blend,
            Mode::Blend if self.walking.shown.is_some() => Mode::Blend,
            _ => Mode::View,
        }
    }

    /// What is seen.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        match self.seen_mode() {
            Mode::View => &self.view_scene,
            Mode::Blend => &self.blend_scene,
            Mode::Drive => &self.drive_scene,
        }
    }

    /// The same, to be changed.
    pub fn scene_mut(&mut self) -> &mut Scene {
        self.scene_of(self.seen_mode())
    }

    fn scene_of(&mut self, mode: Mode) -> &mut Scene {
        match mode {
            Mode::View => &mut self.view_scene,
            Mode::Blend => &mut self.blend_scene,
            Mode::Drive => &mut self.drive_scene,
        }
    }

    /// Whoever is driven, while it is.
    #[must_use]
    pub fn driven(&self) -> Option<&Drive> {
        let drive = self.driving.drive.as_ref();
        drive.filter(|_| self.mode == Mode::Drive)
    }

    /// What to remember.
    #[must_use]
    pub fn settings(&self) -> ViewerSettings {
        ViewerSettings {
            display: self.options.display,
            panels: self.panels.clone(),
            recent: self.recent.clone(),
            files: self.jobs.loader.choices().remembered.clone(),
            ..ViewerSettings::default()
        }
    }

    /// Dark surroundings.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        match self.options.display.theme {
            ThemeChoice::System => self.system_dark,
            ThemeChoice::Dark => true,
            ThemeChoice::Light => false,
        }
    }

    /// Whether the picture changes by itself.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.scene().is_moving()
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        self.notices.age(self.now_secs);
        self.go_on_learning();
        self.doze();
        self.follow_curves();
        self.follow_measures();
        self.steer(dt_secs);
        self.options.theme = match self.is_dark() {
            true => Theme::Dark,
            false => Theme::Light,
        };
        // Either scene may be seen next, so the options are the session's and
        // are lent to the one that is stepped.
        let mut options = self.options.clone();
        options.ground_path = self.drawn_path();
        options.event_labels = options.display.event_labels;
        options.display.camera = *self.mode.camera_of(&mut options.display);
        self.draw_held_joint();
        self.keep_retarget_pose();
        let scene = self.scene_mut();
        scene.options = options;
        scene.step(dt_secs);
        if let Some((preset, solver)) = scene.cloth.take_torn() {
            let text = torn_text(preset, solver);
            self.tell(Severity::Warning, text);
        }
        self.keep_events();
        self.sound_events();
        self.note_drive();
    }

    /// Fills a frame; what cannot be drawn of a clip is told once.
    pub fn compose(&mut self, frame: &mut FrameData) {
        self.scene().compose(frame);
        let Some(text) = frame.left_out_message() else {
            return;
        };
        let name = self.clip_name().unwrap_or_default().to_owned();
        if self.told_left_out_of.as_ref() != Some(&name) {
            self.tell(Severity::Warning, format!("{name}: {text}"));
            self.told_left_out_of = Some(name);
        }
    }

    /// Tells the user.
    pub fn tell(&mut self, severity: Severity, text: impl Into<String>) {
        self.notices.add(severity, text, self.now_secs);
    }

    /// Tells what went wrong.
    pub(super) fn tell_error(&mut self, error: &impl ToString) {
        self.tell(Severity::Error, error.to_string());
    }
}

/// What became of a sheet, and what would hold it.
fn torn_text(preset: ClothPreset, solver: SolverMode) -> String {
    let name = solver.title();
    match solver.has_springs() {
        true => format!(
            "{name} blew up: the {preset} grew without end and has been hung anew. More substeps, softer springs or more damping hold it"
        ),
        false => format!("The {preset} was torn and has been hung anew"),
    }
}

/// Seconds since the first call.
fn stopwatch() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
