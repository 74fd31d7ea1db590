//! A frame: panels laid out, scene composed, both drawn, requests granted.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use winit::window::Fullscreen;

use super::{SETTLE, Viewer};
use crate::{
    app::{
        Message, background, export,
        graphics::{Paint, Wait},
        session::WindowRequest,
        trace::{Controls, Drawn},
    },
    render::GpuError,
    scene::FreeArea,
    ui::{self, Severity},
};

/// The simulation never takes a larger step, however long a stall was.
const LONGEST_STEP: Duration = Duration::from_millis(100);
/// How often a window that cannot be drawn to is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Devices lost in a row, without a frame between, before giving up.
const MOST_LOSSES: u32 = 3;

impl Viewer {
    pub(super) fn frame_shown(&mut self) {
        let shown = self
            .surface
            .as_mut()
            .map(|surface| surface.graphics.shown());
        if let Some(Err(error)) = shown {
            self.fail(error);
        }
    }

    pub(super) fn draw(&mut self, wait: Wait) {
        let now = Instant::now();
        let wall = now.duration_since(self.last_frame).min(LONGEST_STEP);
        let step_secs = self.film_step_secs().unwrap_or(wall.as_secs_f64());
        self.session.now_secs = now.duration_since(self.started).as_secs_f64();
        self.measure_rate(now);
        self.last_frame = now;
        self.session.forget_events();
        self.session.advance(step_secs);
        let Some(mut paint) = self.lay_out() else {
            return;
        };
        // Commands may have changed the time: what is drawn is the newest.
        self.look_for_joint();
        self.session.advance(0.0);
        self.session.compose(&mut self.frame);
        if self.session.is_moving() {
            self.busy_until = now + SETTLE;
        }
        let moving = now < self.busy_until;
        // A picture that is read back comes after the frame, not beside it.
        let wait = match self.recorder.is_some() || !self.session.requests.is_empty() {
            true => Wait::Here,
            false => wait,
        };
        let Some(surface) = &mut self.surface else {
            return;
        };
        let size = surface.graphics.size();
        match surface.graphics.draw(&self.frame, &mut paint, moving, wait) {
            Ok(true) => {
                self.settled = !moving;
                self.losses = 0;
            }
            Ok(false) => self.deadline = Some(now + RETRY),
            Err(error) => self.fail(error),
        }
        self.take_picture();
        self.grant_requests(&paint);
        let took_ms = now.elapsed().as_secs_f32() * 1e3;
        self.session.status.cpu_ms = took_ms;
        let gpu_ms = self
            .surface
            .as_ref()
            .and_then(|surface| surface.graphics.gpu_ms());
        self.session.status.gpu_ms = gpu_ms;
        self.write_trace(took_ms, size, !moving);
    }

    pub(super) fn measure_rate(&mut self, now: Instant) {
        let moving = self.session.is_moving();
        let status = &mut self.session.status;
        let secs = now.duration_since(self.last_frame).as_secs_f32();
        // A longer gap is a pause, not a frame.
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
    pub(super) fn lay_out(&mut self) -> Option<Paint> {
        let surface = self.surface.as_mut()?;
        let context = surface.egui.egui_ctx().clone();
        context.set_theme(if self.session.is_dark() {
            egui::Theme::Dark
        } else {
            egui::Theme::Light
        });
        if self.load.controls.is_some() {
            context.enable_accesskit();
        }
        let input = surface.egui.take_egui_input(&surface.window);
        self.session.look_for_export();
        // Taken out, for the view borrows the rest of the session meanwhile.
        let mut panels = std::mem::take(&mut self.session.panels);
        let mut commands = Vec::new();
        let mut free = surface.free;
        let view = self.session.panel_view();
        let output = context.run_ui(input, |ui| {
            free = ui::show(ui, &mut panels, &view, &mut commands);
        });
        self.session.panels = panels;
        surface.free = free;
        if let (Some(controls), Some(tree)) = (
            &mut self.load.controls,
            &output.platform_output.accesskit_update,
        ) {
            let now = controls_of(tree, output.pixels_per_point);
            self.load.moved |= *controls != now;
            *controls = now;
        }
        surface
            .egui
            .handle_platform_output(&surface.window, output.platform_output);
        let delay = output
            .viewport_output
            .get(&egui::ViewportId::ROOT)
            .map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        // "Never" is a delay beyond all instants, and becomes none.
        self.deadline = Instant::now().checked_add(delay);
        if !commands.is_empty() {
            self.dirty = true;
        }
        // After the layout: nothing changes while panels are being drawn.
        for command in commands {
            self.session.apply(command);
        }
        let surface = self.surface.as_mut()?;
        let screen = context.viewport_rect();
        let share = |points: f32, all: f32| (points / all.max(1.0)).clamp(0.0, 0.9);
        let area = FreeArea {
            left: share(free.left(), screen.width()),
            right: share(screen.right() - free.right(), screen.width()),
            top: share(free.top(), screen.height()),
            bottom: share(screen.bottom() - free.bottom(), screen.height()),
        };
        let aspect = screen.width() / screen.height().max(1.0);
        self.session.scene_mut().camera.set_view(area, aspect);
        let title = self.session.title();
        if surface.title != title {
            surface.window.set_title(&title);
            surface.title = title;
        }
        Some(Paint {
            jobs: context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        })
    }

    fn write_trace(&mut self, frame_ms: f32, size: [u32; 2], full_quality: bool) {
        self.load.note_busy();
        let moved = std::mem::take(&mut self.load.moved);
        let drawn = Drawn {
            frame_ms,
            size,
            full_quality,
            gpu_ms: self.session.status.gpu_ms,
            blocked_ms: std::mem::take(&mut self.load.blocked_ms),
            inputs: std::mem::take(&mut self.load.inputs),
            controls: self.load.controls.as_ref().filter(|_| moved),
        };
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.write(&self.session, drawn)
        {
            self.trace = None;
            self.session
                .tell(Severity::Error, format!("The trace ends here: {error}"));
        }
    }

    /// A driver that reports a fault once may go on; a lost device may not.
    pub(super) fn fail(&mut self, error: GpuError) {
        match error {
            // Opened anew; not for ever, should each new device go the same way.
            GpuError::Lost(_) => {
                self.surface = None;
                self.losses += 1;
                if self.losses > MOST_LOSSES {
                    self.failure = Some(error.into());
                }
            }
            other => self.session.tell(Severity::Error, other.to_string()),
        }
    }

    pub(super) fn grant_requests(&mut self, paint: &Paint) {
        for request in std::mem::take(&mut self.session.requests) {
            match request {
                WindowRequest::Picture { size, path } => self.save_picture(size, path),
                WindowRequest::ScreenshotWindow => self.screenshot(paint),
                WindowRequest::Record(film) => self.toggle_film(film),
                WindowRequest::Fullscreen => self.toggle_fullscreen(),
                WindowRequest::Paste => {
                    let text = self
                        .surface
                        .as_mut()
                        .and_then(|surface| surface.egui.clipboard_text());
                    self.session.open_text(&text.unwrap_or_default());
                }
                // Left in the list: only the event loop can end itself.
                WindowRequest::Quit => self.session.requests.push(WindowRequest::Quit),
            }
        }
    }

    fn screenshot(&mut self, paint: &Paint) {
        if let Some(surface) = &mut self.surface {
            let read = surface.graphics.screenshot(&self.frame, paint);
            self.save(read, None);
        }
    }

    fn save_picture(&mut self, size: Option<[u32; 2]>, path: Option<PathBuf>) {
        if let Some(surface) = &mut self.surface {
            let read = surface.graphics.picture(&self.frame, size);
            self.save(read, path);
        }
    }

    /// Where it was chosen to be, or under a free name.
    fn save(&mut self, read: Result<([u32; 2], Vec<u8>), GpuError>, path: Option<PathBuf>) {
        let stem = format!("{}-{}", self.session.stem(), self.session.frame());
        match read {
            Ok((size, rgba)) => {
                let outbox = Arc::clone(&self.outbox);
                // A PNG of the whole window takes longer to pack than a frame
                // may last.
                background(move || {
                    outbox(Message::Saved(export::picture(&stem, path, size, &rgba)));
                });
            }
            Err(error) => self.session.tell(Severity::Error, error.to_string()),
        }
    }

    pub(super) fn toggle_fullscreen(&mut self) {
        if let Some(surface) = &self.surface {
            let full = surface.window.fullscreen().is_some();
            let wanted = (!full).then_some(Fullscreen::Borderless(None));
            surface.window.set_fullscreen(wanted);
        }
    }
}

/// The middle of every control that has a name, in pixels.
fn controls_of(tree: &egui::accesskit::TreeUpdate, pixels_per_point: f32) -> Controls {
    use egui::Role;
    let text_of = |id: &egui::accesskit::NodeId| {
        let (_, label) = tree.nodes.iter().find(|(known, _)| known == id)?;
        label.value().or(label.label())
    };
    let named = tree.nodes.iter().filter_map(|(_, node)| {
        let by_others = || node.labelled_by().first().and_then(text_of);
        let own = node.label().filter(|name| !name.is_empty());
        let (name, place) = (own.or_else(by_others)?, node.bounds()?);
        let still = matches!(node.role(), Role::Label | Role::Unknown | Role::Window);
        let middle = [(place.x0 + place.x1) / 2.0, (place.y0 + place.y1) / 2.0];
        let middle = middle.map(|at| at as f32 * pixels_per_point);
        (!still).then(|| (name.to_owned(), middle))
    });
    named.collect()
}
