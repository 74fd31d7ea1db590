//! The window: events in, frames out.
//!
//! Draws only when something changed. While something moves on a software
//! adapter frames are of a cheaper quality; a moment after all is still one
//! frame of full quality follows, and then nothing until the next event.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use glam::Vec2;
use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::{ElementState, MouseButton, MouseScrollDelta, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    window::{Fullscreen, Window, WindowId},
};

use super::{
    AppError, Message, Options, Outbox, export,
    graphics::{Graphics, Paint},
    input::{Drag, Pointer},
    session::{Session, Wish},
    settings,
    trace::{Drawn, Trace},
};
use crate::{
    render::GpuError,
    scene::{FrameData, FreeArea},
    ui::{
        self, Command, Gravity, Mode,
        keys::{self, Deed},
        theme,
    },
};

/// The simulation never takes a larger step, however long a stall was.
const LONGEST_STEP: Duration = Duration::from_millis(100);
/// Frames are no closer than this, should the driver not wait for the screen.
const SHORTEST_FRAME: Duration = Duration::from_millis(8);
/// Stillness after which the full quality is drawn.
const SETTLE: Duration = Duration::from_millis(180);
/// How often a window that cannot be drawn to is tried again.
const RETRY: Duration = Duration::from_millis(200);

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

/// The window and what draws it.
struct Face {
    window: Arc<Window>,
    graphics: Graphics,
    egui: egui_winit::State,
    /// What panels leave free, in points.
    free: egui::Rect,
    title: String,
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
        let drives = options.files.is_empty();
        let mut session = Session::new(settings, outbox, options.files);
        session.load_animator(options.animator, outbox);
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

    // ----- drawing ---------------------------------------------------------

    fn draw(&mut self) {
        let now = Instant::now();
        let step = now.duration_since(self.last_frame).min(LONGEST_STEP);
        self.session.now_secs = now.duration_since(self.started).as_secs_f64();
        self.measure_rate(now);
        self.last_frame = now;
        self.session.advance(step.as_secs_f64());
        let Some(mut paint) = self.lay_out() else {
            return;
        };
        // Commands may have changed the time: what is drawn is the newest.
        self.session.advance(0.0);
        self.session.compose(&mut self.frame);
        if self.session.is_moving() {
            self.busy_until = now + SETTLE;
        }
        let moving = now < self.busy_until;
        let Some(face) = &mut self.face else {
            return;
        };
        let size = face.graphics.size();
        match face.graphics.draw(&self.frame, &mut paint, moving) {
            Ok(true) => self.settled = !moving,
            Ok(false) => self.deadline = Some(now + RETRY),
            Err(error) => self.fail(error),
        }
        self.grant_wishes(&paint);
        let took_ms = now.elapsed().as_secs_f32() * 1e3;
        self.session.status.cpu_ms = took_ms;
        self.write_trace(Drawn {
            frame_ms: took_ms,
            size,
            full_quality: !moving,
        });
    }

    fn measure_rate(&mut self, now: Instant) {
        let moving = self.session.is_moving();
        let status = &mut self.session.status;
        let secs = now.duration_since(self.last_frame).as_secs_f32();
        status.fps = if moving && secs < 2.0 {
            let rate = 1.0 / secs.max(1e-3);
            Some(
                status
                    .fps
                    .map_or(rate, |known| known + 0.1 * (rate - known)),
            )
        } else {
            None
        };
    }

    /// Runs the panels and applies what they ask for.
    fn lay_out(&mut self) -> Option<Paint> {
        let face = self.face.as_mut()?;
        let context = face.egui.egui_ctx().clone();
        context.set_theme(if self.session.is_dark() {
            egui::Theme::Dark
        } else {
            egui::Theme::Light
        });
        let input = face.egui.take_egui_input(&face.window);
        let mut panels = std::mem::take(&mut self.session.panels);
        let mut commands = Vec::new();
        let mut free = face.free;
        let model = self.session.model();
        let output = context.run_ui(input, |ui| {
            // A layout may take two passes; the last one counts.
            commands.clear();
            free = ui::show(ui, &mut panels, &model, &mut commands);
        });
        self.session.panels = panels;
        face.free = free;
        face.egui
            .handle_platform_output(&face.window, output.platform_output);
        let delay = output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        self.deadline = Instant::now().checked_add(delay);
        if !commands.is_empty() {
            self.dirty = true;
        }
        for command in commands {
            self.session.apply(command);
        }
        let face = self.face.as_mut()?;
        let screen = context.viewport_rect();
        let share = |points: f32, all: f32| (points / all.max(1.0)).clamp(0.0, 0.9);
        let area = FreeArea {
            left: share(free.left(), screen.width()),
            right: share(screen.right() - free.right(), screen.width()),
            top: share(free.top(), screen.height()),
            bottom: share(screen.bottom() - free.bottom(), screen.height()),
        };
        let aspect = screen.width() / screen.height().max(1.0);
        self.session.rig.set_view(area, aspect);
        let title = self.session.title();
        if face.title != title {
            face.window.set_title(&title);
            face.title = title;
        }
        Some(Paint {
            jobs: context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        })
    }

    fn write_trace(&mut self, drawn: Drawn) {
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.write(&self.session, drawn)
        {
            self.trace = None;
            self.session
                .tell(Gravity::Error, format!("The trace ends here: {error}"));
        }
    }

    /// A driver that reports a fault once may go on; a lost device may not.
    fn fail(&mut self, error: GpuError) {
        match error {
            GpuError::Lost(_) => self.face = None,
            other => self.session.tell(Gravity::Error, other.to_string()),
        }
    }

    fn grant_wishes(&mut self, paint: &Paint) {
        for wish in std::mem::take(&mut self.session.wishes) {
            match wish {
                Wish::Screenshot { interface } => self.screenshot(interface.then_some(paint)),
                Wish::Fullscreen => self.toggle_fullscreen(),
                Wish::Paste => {
                    let text = self
                        .face
                        .as_mut()
                        .and_then(|face| face.egui.clipboard_text());
                    self.session.open_text(&text.unwrap_or_default());
                }
                Wish::Quit => self.session.wishes.push(Wish::Quit),
            }
        }
    }

    fn screenshot(&mut self, paint: Option<&Paint>) {
        let Some(face) = &mut self.face else {
            return;
        };
        let stem = match &self.session.stage.lead {
            Some(take) => format!("kinetoscope-{}-{}", take.name, self.session.player.frame()),
            None => "kinetoscope".to_owned(),
        };
        match face.graphics.screenshot(&self.frame, paint) {
            Ok((size, rgba)) => {
                let outbox = Arc::clone(&self.outbox);
                std::thread::spawn(move || {
                    outbox(Message::Saved(export::picture(&stem, size, rgba)));
                });
            }
            Err(error) => self.session.tell(Gravity::Error, error.to_string()),
        }
    }

    fn toggle_fullscreen(&mut self) {
        if let Some(face) = &self.face {
            let full = face.window.fullscreen().is_some();
            let wanted = (!full).then_some(Fullscreen::Borderless(None));
            face.window.set_fullscreen(wanted);
        }
    }

    // ----- input -----------------------------------------------------------

    /// Something was touched: draw, cheaply for a moment where that helps.
    fn touch(&mut self) {
        self.dirty = true;
        self.busy_until = Instant::now() + SETTLE;
    }

    /// Keys that the interface does not want.
    fn take_keys(&mut self, from: usize) {
        let Some(face) = &mut self.face else {
            return;
        };
        let context = face.egui.egui_ctx().clone();
        let wanted_there = context.egui_wants_keyboard_input();
        let events = &mut face.egui.egui_input_mut().events;
        let fresh = events.split_off(from.min(events.len()));
        let mut ours = Vec::new();
        for event in fresh {
            let is_ours = match &event {
                egui::Event::Key { pressed: false, .. } => {
                    ours.push(event.clone());
                    false
                }
                egui::Event::Key { .. } | egui::Event::Paste(_) => !wanted_there,
                _ => false,
            };
            if is_ours {
                ours.push(event);
            } else {
                events.push(event);
            }
        }
        for event in ours {
            self.take_key(event);
        }
    }

    fn take_key(&mut self, event: egui::Event) {
        match event {
            egui::Event::Paste(text) => self.session.open_text(&text),
            egui::Event::Key {
                key,
                pressed,
                repeat,
                modifiers,
                ..
            } => {
                let Some(binding) = keys::find(key, modifiers, self.session.mode) else {
                    return;
                };
                match binding.deed {
                    Deed::Act(action) if pressed && (!repeat || repeats(action)) => {
                        self.session.apply(Command::Do(action));
                    }
                    Deed::Drive(name) if !repeat => self.session.drive_key(name, pressed),
                    _ => return,
                }
            }
            _ => return,
        }
        self.touch();
    }

    fn over_interface(&self, at: Vec2) -> bool {
        let Some(face) = &self.face else {
            return false;
        };
        let context = face.egui.egui_ctx();
        let point = at / context.pixels_per_point();
        let point = egui::Pos2::new(point.x, point.y);
        let floats = context
            .layer_id_at(point)
            .is_some_and(|layer| layer.order != egui::Order::Background);
        floats || !face.free.contains(point)
    }

    fn picture_size(&self) -> Vec2 {
        let size = self
            .face
            .as_ref()
            .map_or([1, 1], |face| face.graphics.size());
        Vec2::new(size[0] as f32, size[1] as f32)
    }

    fn pointer_moved(&mut self, at: Vec2) {
        let way = self.pointer.move_to(at);
        let height = self.picture_size().y.max(1.0);
        let share = way / height;
        match self.pointer.drag() {
            Some(Drag::Orbit) => self.session.rig.orbit(share.x, share.y),
            Some(Drag::Pan) => self.session.rig.pan(share.x, share.y),
            Some(Drag::Interface | Drag::Strike) => return,
            None => {
                let driving = self.session.mode == Mode::Drive;
                let hovered = if driving || self.over_interface(at) {
                    None
                } else {
                    self.session.joint_at(at, self.picture_size())
                };
                if hovered != self.session.hovered {
                    self.session.hovered = hovered;
                    self.touch();
                }
                return;
            }
        }
        self.touch();
    }

    fn pointer_button(&mut self, state: ElementState, button: MouseButton) {
        let Some(at) = self.pointer.at else {
            return;
        };
        if state == ElementState::Pressed {
            let over = self.over_interface(at);
            let shift = self.modifiers.shift;
            let began = self.pointer.press(button, over, shift, self.session.mode);
            if began == Some(Drag::Strike) {
                self.session.drive_key("Click", true);
            }
        } else {
            match self.pointer.release(button) {
                Some((Drag::Strike, _)) => self.session.drive_key("Click", false),
                Some((Drag::Orbit, true)) if button == MouseButton::Left => {
                    let joint = self.session.joint_at(at, self.picture_size());
                    self.session.apply(Command::Select(joint));
                }
                _ => {}
            }
        }
        self.touch();
    }

    fn wheel(&mut self, delta: MouseScrollDelta) {
        let Some(at) = self.pointer.at else {
            return;
        };
        if self.over_interface(at) {
            return;
        }
        let lines = match delta {
            MouseScrollDelta::LineDelta(_, y) => y,
            MouseScrollDelta::PixelDelta(way) => way.y as f32 / 40.0,
        };
        self.session.rig.camera.zoom(1.12f32.powf(lines));
        self.touch();
    }

    fn release_all(&mut self) {
        self.pointer.let_go();
        self.session.release_keys();
    }

    fn set_modifiers(&mut self, state: winit::keyboard::ModifiersState) {
        let shift = state.shift_key();
        if shift != self.modifiers.shift && self.session.mode == Mode::Drive {
            self.session.drive_key("Shift", shift);
        }
        self.modifiers.shift = shift;
        self.touch();
    }
}

/// Whether holding the key does it again.
fn repeats(action: ui::Action) -> bool {
    matches!(action, ui::Action::Step(_) | ui::Action::SkipSeconds(_))
}

impl ApplicationHandler<Message> for Viewer {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.face.is_some() {
            return;
        }
        match open_face(event_loop, self.window_size) {
            Ok(face) => {
                let info = &face.graphics.gpu.info;
                self.session.status.adapter.clone_from(&info.name);
                self.session.status.software = face.graphics.gpu.is_software();
                self.session.system_dark = face.window.theme() != Some(winit::window::Theme::Light);
                self.face = Some(face);
                // Drawn before it is shown: no flash of an empty window.
                self.draw();
                if let Some(face) = &self.face {
                    face.window.set_visible(true);
                }
                self.dirty = true;
            }
            Err(error) => {
                self.failure = Some(error);
                event_loop.exit();
            }
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, message: Message) {
        self.session.now_secs = self.started.elapsed().as_secs_f64();
        self.session.receive(message);
        self.touch();
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            self.dirty = true;
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(face) = &mut self.face else {
            return;
        };
        if matches!(event, WindowEvent::RedrawRequested) {
            self.dirty = false;
            self.draw();
            if self.session.wishes.contains(&Wish::Quit) {
                event_loop.exit();
            }
            return;
        }
        let known_events = face.egui.egui_input().events.len();
        let response = face.egui.on_window_event(&face.window, &event);
        self.dirty |= response.repaint;
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => {
                face.graphics.resize([size.width, size.height]);
                let points = size.to_logical::<f64>(face.window.scale_factor());
                if points.width >= 320.0 && points.height >= 240.0 {
                    self.window_size = Some((points.width, points.height));
                }
                self.touch();
            }
            WindowEvent::ThemeChanged(theme) => {
                self.session.system_dark = theme == winit::window::Theme::Dark;
                self.touch();
            }
            WindowEvent::DroppedFile(path) => self.dropped.push(path),
            WindowEvent::KeyboardInput { .. } => self.take_keys(known_events),
            WindowEvent::ModifiersChanged(modifiers) => self.set_modifiers(modifiers.state()),
            WindowEvent::Focused(false) => self.release_all(),
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer_moved(Vec2::new(position.x as f32, position.y as f32));
            }
            WindowEvent::MouseInput { state, button, .. } => self.pointer_button(state, button),
            WindowEvent::MouseWheel { delta, .. } => self.wheel(delta),
            WindowEvent::Occluded(false) => self.touch(),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.face.is_none() && self.failure.is_none() {
            // The device was lost: start afresh.
            self.resumed(event_loop);
        }
        if !self.dropped.is_empty() {
            let paths = std::mem::take(&mut self.dropped);
            self.session.open(paths);
            self.touch();
        }
        let now = Instant::now();
        let mut next = self.deadline;
        let mut wake = |at: Option<Instant>| {
            next = match (next, at) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        };
        if !self.settled {
            wake(Some(self.busy_until));
        }
        let fades = self.session.notices.next_change_secs();
        wake(fades.map(|secs| self.started + Duration::from_secs_f64(secs)));
        if self.dirty || self.session.is_moving() {
            wake(Some(self.last_frame + SHORTEST_FRAME));
        }
        match next {
            Some(at) if at <= now => {
                self.deadline = None;
                if let Some(face) = &self.face {
                    face.window.request_redraw();
                }
                event_loop.set_control_flow(ControlFlow::Wait);
            }
            Some(at) => event_loop.set_control_flow(ControlFlow::WaitUntil(at)),
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
    }
}

fn open_face(event_loop: &ActiveEventLoop, size: Option<(f64, f64)>) -> Result<Face, AppError> {
    let (width, height) = size.unwrap_or((1280.0, 800.0));
    let attributes = Window::default_attributes()
        .with_title("Kinetoscope")
        .with_inner_size(LogicalSize::new(width, height))
        .with_min_inner_size(LogicalSize::new(480.0, 320.0))
        .with_window_icon(icon())
        .with_visible(false);
    let window = event_loop
        .create_window(attributes)
        .map_err(|error| AppError::NoDisplay(error.to_string()))?;
    let window = Arc::new(window);
    let graphics = Graphics::new(&window)?;
    let context = egui::Context::default();
    theme::install(&context);
    let egui = egui_winit::State::new(
        context,
        egui::ViewportId::ROOT,
        event_loop,
        Some(window.scale_factor() as f32),
        window.theme(),
        Some(graphics.gpu.device.limits().max_texture_dimension_2d as usize),
    );
    Ok(Face {
        window,
        graphics,
        egui,
        free: egui::Rect::EVERYTHING,
        title: String::new(),
    })
}

/// A round shutter with a play mark, drawn here so that no file is needed.
fn icon() -> Option<winit::window::Icon> {
    const SIDE: i32 = 64;
    let pixel = |x: i32, y: i32| -> [u8; 4] {
        let (dx, dy) = (x - SIDE / 2, y - SIDE / 2);
        let inside = dx * dx + dy * dy <= 30 * 30;
        let play = (-10..=14).contains(&dx) && 12 * dy.abs() <= 7 * (14 - dx);
        match (inside, play) {
            (false, _) => [0, 0, 0, 0],
            (true, true) => [242, 169, 59, 255],
            (true, false) => [34, 38, 44, 255],
        }
    };
    let rgba = (0..SIDE).flat_map(|y| (0..SIDE).flat_map(move |x| pixel(x, y)));
    winit::window::Icon::from_rgba(rgba.collect(), SIDE as u32, SIDE as u32).ok()
}
