//! The window: events in, frames out.
//!
//! Draws only when something changed. While something moves on a software
//! adapter frames are of a cheaper quality; a moment after all is still one
//! frame of full quality follows, and then nothing until the next event.

mod draw;
mod events;
mod film;
mod keys;
mod pointer;
mod surface;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use winit::event_loop::{EventLoop, EventLoopProxy};

use super::{
    AppError, Message, Options, Outbox,
    background::prepare_pool,
    desktop,
    drive::CharacterSource,
    dropped::Dropped,
    gamepad,
    graphics::GpuSoon,
    input::Pointer,
    record::Recorder,
    session::Session,
    settings,
    trace::{Controls, Trace},
};
use crate::{
    load,
    scene::FrameData,
    ui::{ImportOverrides, Mode, Severity},
};
use surface::WindowSurface;

/// Stillness after which the full quality is drawn.
const SETTLE: Duration = Duration::from_millis(180);

/// When set, lines of the trace tell where controls are.
const TRACE_CONTROLS: &str = "KINETOSCOPE_TRACE_CONTROLS";

/// Opens the viewer and runs it until it is closed.
pub fn run(options: Options) -> Result<(), AppError> {
    let started = Instant::now();
    prepare_pool();
    let event_loop = EventLoop::<Message>::with_user_event()
        .build()
        .map_err(|error| AppError::NoDisplay(without_place(&error.to_string())))?;
    // Once there is a screen, for an old trace shall outlive a call that comes
    // to nothing; before there is a window, so that a file that cannot be
    // written is told at once, on the terminal.
    let trace = match &options.trace {
        Some(path) => Some(Trace::create(path).map_err(|source| AppError::Trace {
            path: path.clone(),
            source,
        })?),
        None => None,
    };
    // Once there is a screen: a driver half loaded is no way to end a program.
    let gpu = GpuSoon::begin();
    let proxy = event_loop.create_proxy();
    let access = event_loop.create_proxy();
    let outbox: Outbox = Arc::new(move |message| {
        // The loop is gone when the program ends: nobody is left to tell.
        let _ = proxy.send_event(message);
    });
    desktop::watch_theme(Arc::clone(&outbox));
    gamepad::watch(Arc::clone(&outbox));
    let mut viewer = Viewer::new(options, &outbox, access, gpu, trace);
    viewer.started = started;
    event_loop
        .run_app(&mut viewer)
        .map_err(|error| AppError::Window(error.to_string()))?;
    viewer.save_settings();
    viewer.failure.map_or(Ok(()), Err)
}

/// The window system's errors begin with where in its own source they arose.
fn without_place(error: &str) -> String {
    let rest = error.split_once(".rs:").map(|(_, rest)| rest);
    let reason = rest.and_then(|rest| rest.split_once(": "));
    reason.map_or(error, |(_, reason)| reason).to_owned()
}

struct Viewer {
    session: Session,
    outbox: Outbox,
    /// Where a screen reader's requests come in.
    access: EventLoopProxy<Message>,
    /// On its way since the program began.
    gpu: Option<GpuSoon>,
    surface: Option<WindowSurface>,
    frame: FrameData,
    pointer: Pointer,
    modifiers: egui::Modifiers,
    dropped: Dropped,
    trace: Option<Trace>,
    config: Option<PathBuf>,
    window_size: Option<(f64, f64)>,
    started: Instant,
    last_frame: Instant,
    /// Until when the picture counts as moving.
    busy_until: Instant,
    /// When to draw next if nothing happens.
    deadline: Option<Instant>,
    settled: bool,
    dirty: bool,
    /// Nothing of the window can be seen.
    hidden: bool,
    recorder: Option<Recorder>,
    /// Its next picture shows the same moment again.
    film_waits: bool,
    /// Devices lost since the last frame that was drawn.
    losses: u32,
    failure: Option<AppError>,
    load: Load,
}

/// What the trace tells of the event loop since its last line.
#[derive(Debug)]
struct Load {
    awake_since: Instant,
    blocked_ms: f32,
    inputs: u32,
    /// Filled when the environment asks for it.
    controls: Option<Controls>,
    /// They are not where they were.
    moved: bool,
}

impl Viewer {
    fn new(
        options: Options,
        outbox: &Outbox,
        access: EventLoopProxy<Message>,
        gpu: GpuSoon,
        trace: Option<Trace>,
    ) -> Self {
        let config = settings::folder();
        if let (Some(folder), true) = (&config, options.reset_config) {
            settings::reset(folder);
        }
        let (settings, remark) = match &config {
            Some(folder) => settings::read(folder),
            None => (settings::ViewerSettings::default(), None),
        };
        let now = Instant::now();
        let window_size = settings.window;
        // Files given to states are driven, others are looked at.
        let (files, cast_files) = if load::names_states(&options.files) {
            (Vec::new(), options.files)
        } else {
            (options.files, Vec::new())
        };
        let drives = files.is_empty();
        let given = ImportOverrides {
            up: options.up,
            ..ImportOverrides::default()
        };
        let mut session = Session::new(settings, outbox, files, given);
        let source = CharacterSource {
            animator: options.animator,
            files: cast_files,
            ..CharacterSource::default()
        };
        session.load_animator(source, outbox);
        if drives {
            session.set_mode(Mode::Drive);
        }
        if let Some(remark) = remark {
            session.tell(Severity::Warning, remark);
        }
        Self {
            session,
            outbox: Arc::clone(outbox),
            access,
            gpu: Some(gpu),
            surface: None,
            frame: FrameData::default(),
            pointer: Pointer::default(),
            modifiers: egui::Modifiers::NONE,
            dropped: Dropped::default(),
            trace,
            config,
            window_size,
            started: now,
            last_frame: now,
            // The first frames are wanted soon rather than perfect.
            busy_until: now + Duration::from_secs(1),
            deadline: None,
            settled: false,
            dirty: true,
            hidden: false,
            recorder: None,
            film_waits: false,
            losses: 0,
            failure: None,
            load: Load {
                awake_since: now,
                blocked_ms: 0.0,
                inputs: 0,
                controls: std::env::var_os(TRACE_CONTROLS).map(|_| Controls::default()),
                moved: false,
            },
        }
    }

    fn save_settings(&mut self) {
        let mut settings = self.session.settings();
        settings.window = self.window_size;
        if let Some(folder) = &self.config
            && let Err(error) = settings::write(folder, &settings)
        {
            self.session.tell(Severity::Warning, error.to_string());
        }
    }

    /// Something was touched: draw, cheaply for a moment where that helps.
    fn touch(&mut self) {
        self.dirty = true;
        self.busy_until = Instant::now() + SETTLE;
    }
}

impl Load {
    /// Milliseconds since the loop woke up.
    fn busy_ms(&self) -> f32 {
        self.awake_since.elapsed().as_secs_f32() * 1e3
    }

    fn note_busy(&mut self) {
        self.blocked_ms = self.blocked_ms.max(self.busy_ms());
    }
}
