//! The window: events in, frames out.
//!
//! Draws only when something changed. While something moves on a software
//! adapter frames are of a cheaper quality; a moment after all is still one
//! frame of full quality follows, and then nothing until the next event.

mod draw;
mod events;
mod face;
mod film;
mod keys;
mod pointer;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use winit::event_loop::EventLoop;

use super::{
    AppError, Message, Options, Outbox, drive::CastSource, input::Pointer, record::Recorder,
    session::Session, settings, trace::Trace,
};
use crate::{
    load,
    scene::FrameData,
    ui::{Gravity, Mode},
};
use face::Face;

/// Stillness after which the full quality is drawn.
const SETTLE: Duration = Duration::from_millis(180);

/// Opens the viewer and runs it until it is closed.
pub fn run(options: Options) -> Result<(), AppError> {
    let trace = match &options.trace {
        Some(path) => Some(Trace::create(path).map_err(|source| AppError::Trace {
            path: path.clone(),
            source,
        })?),
        None => None,
    };
    let event_loop = EventLoop::<Message>::with_user_event()
        .build()
        .map_err(|error| AppError::NoDisplay(error.to_string()))?;
    let proxy = event_loop.create_proxy();
    let outbox: Outbox = Arc::new(move |message| {
        // The loop is gone when the program ends: nobody is left to tell.
        let _ = proxy.send_event(message);
    });
    let mut viewer = Viewer::new(options, &outbox, trace);
    event_loop
        .run_app(&mut viewer)
        .map_err(|error| AppError::Window(error.to_string()))?;
    viewer.save_settings();
    viewer.failure.map_or(Ok(()), Err)
}

struct Viewer {
    session: Session,
    outbox: Outbox,
    face: Option<Face>,
    frame: FrameData,
    pointer: Pointer,
    modifiers: egui::Modifiers,
    dropped: Vec<PathBuf>,
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
    recorder: Option<Recorder>,
    /// Its next picture shows the same moment again.
    film_waits: bool,
    /// Devices lost since the last frame that was drawn.
    losses: u32,
    failure: Option<AppError>,
}

impl Viewer {
    fn new(options: Options, outbox: &Outbox, trace: Option<Trace>) -> Self {
        let config = settings::folder();
        if let (Some(folder), true) = (&config, options.reset_config) {
            settings::reset(folder);
        }
        let (settings, remark) = match &config {
            Some(folder) => settings::read(folder),
            None => (settings::Settings::default(), None),
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
        let mut session = Session::new(settings, outbox, files);
        let source = CastSource {
            animator: options.animator,
            files: cast_files,
        };
        session.load_animator(source, outbox);
        if drives {
            session.set_mode(Mode::Drive);
        }
        if let Some(remark) = remark {
            session.tell(Gravity::Warning, remark);
        }
        Self {
            session,
            outbox: Arc::clone(outbox),
            face: None,
            frame: FrameData::default(),
            pointer: Pointer::default(),
            modifiers: egui::Modifiers::NONE,
            dropped: Vec::new(),
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
            recorder: None,
            film_waits: false,
            losses: 0,
            failure: None,
        }
    }

    fn save_settings(&mut self) {
        let mut settings = self.session.settings();
        settings.window = self.window_size;
        if let Some(folder) = &self.config
            && let Err(error) = settings::write(folder, &settings)
        {
            self.session.tell(Gravity::Warning, error);
        }
    }

    /// Something was touched: draw, cheaply for a moment where that helps.
    fn touch(&mut self) {
        self.dirty = true;
        self.busy_until = Instant::now() + SETTLE;
    }
}
