//! What the window system tells, and when to draw next.

use std::time::{Duration, Instant};

use glam::Vec2;
use winit::{
    application::ApplicationHandler,
    event::{StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow},
    window::WindowId,
};

use egui_winit::accesskit_winit::WindowEvent as AccessEvent;

use super::{Viewer, surface::open_window};
use crate::app::{
    Message,
    graphics::{GpuSoon, Wait},
    session::WindowRequest,
};

/// Frames are no closer than this, should the driver not wait for the screen.
const SHORTEST_FRAME: Duration = Duration::from_millis(8);

impl ApplicationHandler<Message> for Viewer {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.surface.is_some() {
            return;
        }
        let gpu = self.gpu.take().unwrap_or_else(GpuSoon::begin);
        let ways_in = (self.access.clone(), &self.outbox);
        match open_window(event_loop, self.window_size, gpu, ways_in) {
            Ok(surface) => {
                let info = &surface.graphics.gpu.info;
                self.session.status.adapter.clone_from(&info.name);
                self.session.status.software = surface.graphics.gpu.is_software();
                if let Some(theme) = surface.window.theme() {
                    self.session.system_dark = theme == winit::window::Theme::Dark;
                }
                self.surface = Some(surface);
                // Drawn before it is shown: no flash of an empty window.
                self.draw(Wait::Here);
                if let Some(surface) = &self.surface {
                    surface.window.set_visible(true);
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
        match message {
            Message::Shown => return self.frame_shown(),
            Message::Access(event) => self.take_access(event),
            Message::Pad(event) => self.session.receive_pad(event),
            message => self.session.receive(message),
        }
        self.touch();
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        self.load.awake_since = Instant::now();
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            self.dirty = true;
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(surface) = &mut self.surface else {
            return;
        };
        if matches!(event, WindowEvent::RedrawRequested) {
            if surface.graphics.is_busy() {
                // Once the frame under way is shown.
                self.dirty = true;
                return;
            }
            self.dirty = false;
            self.draw(Wait::Elsewhere);
            if self.session.requests.contains(&WindowRequest::Quit) {
                event_loop.exit();
            }
            return;
        }
        if is_input(&event, self.pointer.drag().is_some()) {
            self.load.inputs += 1;
            self.session.touched();
        }
        // What egui makes of this event comes after them, and may be taken
        // back.
        let known_events = surface.egui.egui_input().events.len();
        let response = surface.egui.on_window_event(&surface.window, &event);
        self.dirty |= response.repaint;
        match event {
            WindowEvent::CloseRequested => match self.session.may_quit() {
                true => event_loop.exit(),
                false => self.touch(),
            },
            WindowEvent::Resized(size) => {
                surface.graphics.resize([size.width, size.height]);
                let points = size.to_logical::<f64>(surface.window.scale_factor());
                // A window that is being minimised reports next to nothing,
                // which is no size to open with.
                if points.width >= 320.0 && points.height >= 240.0 {
                    self.window_size = Some((points.width, points.height));
                }
                self.touch();
            }
            WindowEvent::ThemeChanged(theme) => {
                self.session.system_dark = theme == winit::window::Theme::Dark;
                self.touch();
            }
            WindowEvent::DroppedFile(path) => self.dropped.add(path, Instant::now()),
            WindowEvent::KeyboardInput { .. } => self.take_keys(known_events),
            WindowEvent::ModifiersChanged(modifiers) => self.set_modifiers(modifiers.state()),
            WindowEvent::Focused(false) => self.release_all(),
            WindowEvent::CursorMoved { position, .. } => {
                self.pointer_moved(Vec2::new(position.x as f32, position.y as f32));
            }
            WindowEvent::MouseInput { state, button, .. } => self.pointer_button(state, button),
            WindowEvent::MouseWheel { delta, .. } => self.wheel(delta),
            WindowEvent::Occluded(hidden) => {
                self.hidden = hidden;
                self.touch();
            }
            _ => {}
        }
    }

    fn exiting(&mut self, _: &ActiveEventLoop) {
        // While there is still a screen for the frame under way.
        self.surface = None;
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if self.surface.is_none() && self.failure.is_none() {
            // The device was lost: start afresh.
            self.resumed(event_loop);
        }
        if self.failure.is_some() {
            event_loop.exit();
        }
        if let Some(paths) = self.dropped.take(Instant::now()) {
            self.session.drop_files(paths);
            self.touch();
        }
        if self.hidden && self.recorder.is_none() {
            // Minimised or covered: nobody sees what would be drawn.
            event_loop.set_control_flow(ControlFlow::Wait);
            self.load.note_busy();
            return;
        }
        if self
            .surface
            .as_ref()
            .is_some_and(|it| it.graphics.is_busy())
        {
            // Its end is a message.
            event_loop.set_control_flow(ControlFlow::Wait);
            self.load.note_busy();
            return;
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
        wake(self.dropped.due());
        if self.dirty || self.session.is_moving() {
            wake(Some(self.last_frame + SHORTEST_FRAME));
        }
        match next {
            Some(at) if at <= now => {
                self.deadline = None;
                if let Some(surface) = &self.surface {
                    surface.window.request_redraw();
                }
                event_loop.set_control_flow(ControlFlow::Wait);
            }
            Some(at) => event_loop.set_control_flow(ControlFlow::WaitUntil(at)),
            None => event_loop.set_control_flow(ControlFlow::Wait),
        }
        self.load.note_busy();
    }
}

impl Viewer {
    fn take_access(&mut self, event: AccessEvent) {
        let Some(surface) = &mut self.surface else {
            return;
        };
        let context = surface.egui.egui_ctx().clone();
        match event {
            AccessEvent::InitialTreeRequested => context.enable_accesskit(),
            AccessEvent::ActionRequested(request) => {
                surface.egui.on_accesskit_action_request(request);
            }
            AccessEvent::AccessibilityDeactivated => context.disable_accesskit(),
        }
    }
}

/// What a hand does: it must show soon.
fn is_input(event: &WindowEvent, dragging: bool) -> bool {
    match event {
        WindowEvent::KeyboardInput { .. }
        | WindowEvent::MouseInput { .. }
        | WindowEvent::MouseWheel { .. } => true,
        WindowEvent::CursorMoved { .. } => dragging,
        _ => false,
    }
}
