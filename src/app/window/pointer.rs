//! The pointer over the picture: orbit, pan, zoom, pick, strike.

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

use super::Viewer;
use crate::{
    animator::LEFT_BUTTON,
    app::input::Drag,
    ui::{Command, Mode},
};

impl Viewer {
    pub(super) fn over_interface(&self, at: Vec2) -> bool {
        let Some(surface) = &self.surface else {
            return false;
        };
        let context = surface.egui.egui_ctx();
        let point = at / context.pixels_per_point();
        let point = egui::Pos2::new(point.x, point.y);
        // Windows and menus float over the area that panels leave free.
        let floats = context
            .layer_id_at(point)
            .is_some_and(|layer| layer.order != egui::Order::Background);
        floats || !surface.free.contains(point)
    }

    pub(super) fn picture_size(&self) -> Vec2 {
        let size = self
            .surface
            .as_ref()
            .map_or([1, 1], |surface| surface.graphics.size());
        Vec2::new(size[0] as f32, size[1] as f32)
    }

    pub(super) fn pointer_moved(&mut self, at: Vec2) {
        let way = self.pointer.move_to(at);
        let height = self.picture_size().y.max(1.0);
        let share = way / height;
        match self.pointer.drag() {
            Some(Drag::Orbit) => self.session.scene_mut().camera.orbit(share.x, share.y),
            Some(Drag::Pan) => self.session.scene_mut().camera.pan(share.x, share.y),
            Some(Drag::Cloth) => self.session.pull_cloth(at, self.picture_size()),
            Some(Drag::Interface) => return,
            None => {
                let driving = self.session.mode == Mode::Drive;
                let hovered = if driving || self.over_interface(at) {
                    None
                } else {
                    self.session.joint_at(at, self.picture_size())
                };
                if hovered != self.session.options.hovered {
                    self.session.options.hovered = hovered;
                    self.touch();
                }
                return;
            }
        }
        self.touch();
    }

    pub(super) fn pointer_button(&mut self, state: ElementState, button: MouseButton) {
        let Some(at) = self.pointer.at else {
            return;
        };
        if state == ElementState::Pressed {
            let over = self.over_interface(at);
            if !over && self.takes_cloth(button, at) {
                self.pointer.seize(button, Drag::Cloth);
                self.touch();
                return;
            }
            let shift = self.modifiers.shift;
            self.pointer.press(button, over, shift, self.session.mode);
        } else {
            match self.pointer.release(button) {
                Some((Drag::Cloth, _)) => self.session.release_cloth(),
                Some((Drag::Orbit, true)) if self.session.mode == Mode::Drive => {
                    self.session.click(button_name(button));
                }
                Some((Drag::Orbit, true)) if button == MouseButton::Left => {
                    let joint = self.session.joint_at(at, self.picture_size());
                    self.session.apply(Command::Select(joint));
                }
                _ => {}
            }
        }
        self.touch();
    }

    /// The left button takes hold of the cloth.
    fn takes_cloth(&mut self, button: MouseButton, at: Vec2) -> bool {
        let meant = button == MouseButton::Left && self.pointer.drag().is_none();
        // Shift pans in View, and runs in Drive.
        let meant = meant && (!self.modifiers.shift || self.session.mode == Mode::Drive);
        meant && self.session.grab_cloth(at, self.picture_size())
    }

    pub(super) fn wheel(&mut self, delta: MouseScrollDelta) {
        let Some(at) = self.pointer.at else {
            return;
        };
        if self.over_interface(at) {
            return;
        }
        let lines = match delta {
            MouseScrollDelta::LineDelta(_, y) => y,
            // Touchpads tell pixels, some 40 to a line of a wheel.
            MouseScrollDelta::PixelDelta(way) => way.y as f32 / 40.0,
        };
        self.session
            .scene_mut()
            .camera
            .camera
            .zoom(1.12f32.powf(lines));
        self.touch();
    }

    pub(super) fn release_all(&mut self) {
        self.pointer.let_go();
        self.session.release_cloth();
        self.session.release_keys();
    }
}

/// What an animator calls a click with a button.
fn button_name(button: MouseButton) -> &'static str {
    match button {
        MouseButton::Right => "RightClick",
        MouseButton::Middle => "MiddleClick",
        MouseButton::Back => "BackClick",
        MouseButton::Forward => "ForwardClick",
        _ => LEFT_BUTTON,
    }
}
