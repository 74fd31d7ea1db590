//! The pointer over the picture: orbit, pan, zoom, pick, pull, strike.

use egui::PointerButton;
use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta};

use super::Viewer;
use crate::{
    app::{input::Drag, session::Grip},
    ui::{Command, Mode, keys},
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
            Some(Drag::Orbit) => self.session.own_eye().orbit(share.x, share.y),
            Some(Drag::Pan) => self.session.own_eye().pan(share.x, share.y),
            Some(Drag::Cloth) => self.session.pull_cloth(at, self.picture_size()),
            Some(Drag::Joint) => self.session.pull_joint(at, self.picture_size()),
            Some(Drag::Path) => self.session.draw_path(at, self.picture_size()),
            Some(Drag::Interface) => return,
            None => {
                let driving = self.session.mode == Mode::Drive;
                if driving && !self.over_interface(at) {
                    let picture = self.picture_size();
                    self.session.point_at(2.0 * at / picture - Vec2::ONE);
                    self.touch();
                }
                let picture = self.picture_size();
                let looks = !self.over_interface(at) && self.session.look_to_pointer(at, picture);
                if self.look_for_joint() || looks {
                    self.touch();
                }
                return;
            }
        }
        self.touch();
    }

    /// Highlights the joint under the pointer, which a drag would take hold of;
    /// true where that is another one.
    pub(super) fn look_for_joint(&mut self) -> bool {
        // Not in what is written.
        let written = self.recorder.is_some() || !self.session.requests.is_empty();
        let hovered = match self.pointer.drag() {
            Some(Drag::Joint) => return false,
            Some(_) => None,
            None => { self.pointer.at }
                .filter(|_| !written)
                .filter(|at| !self.over_interface(*at))
                .and_then(|at| self.session.joint_in_reach(at, self.picture_size())),
        };
        let before = std::mem::replace(&mut self.session.options.hovered, hovered);
        before != hovered
    }

    pub(super) fn pointer_button(&mut self, state: ElementState, button: MouseButton) {
        let Some(at) = self.pointer.at else {
            return;
        };
        if state == ElementState::Pressed {
            let over = self.over_interface(at);
            if let Some(drag) = self.takes_hold(button, at) {
                self.pointer.seize(button, drag);
                self.touch();
                return;
            }
            let shift = self.modifiers.shift;
            self.pointer.press(button, over, shift, self.session.mode);
        } else {
            match self.pointer.release(button) {
                Some((Drag::Cloth, _)) => self.session.release_cloth(),
                Some((Drag::Path, _)) => self.session.end_path(),
                Some((Drag::Joint, click)) => {
                    match self.modifiers.ctrl && !click {
                        true => self.session.throw_joint(),
                        false => self.session.release_joint(),
                    }
                    if click {
                        self.clicked(button, at);
                    }
                }
                Some((Drag::Orbit, true)) => self.clicked(button, at),
                _ => {}
            }
        }
        self.touch();
    }

    /// A click does what the animator says, or chooses a joint.
    fn clicked(&mut self, button: MouseButton, at: Vec2) {
        if button == MouseButton::Left && self.modifiers.command {
            if let Some(joint) = self.session.joint_at(at, self.picture_size()) {
                self.session.toggle_pin(joint);
            }
        } else if self.session.mode == Mode::Drive {
            self.session.click(button_name(button));
        } else if button == MouseButton::Left {
            let joint = self.session.joint_at(at, self.picture_size());
            self.session.apply(Command::Select(joint));
        }
    }

    /// The left button draws, or takes hold of the cloth or a joint.
    fn takes_hold(&mut self, button: MouseButton, at: Vec2) -> Option<Drag> {
        let meant = button == MouseButton::Left && self.pointer.drag().is_none();
        // Shift pans in View, and runs in Drive.
        let meant = meant && (!self.modifiers.shift || self.session.mode == Mode::Drive);
        if !meant || self.over_interface(at) {
            return None;
        }
        if self.session.begin_path(at, self.picture_size()) {
            return Some(Drag::Path);
        }
        self.session
            .take_hold(at, self.picture_size())
            .map(|grip| match grip {
                Grip::Cloth => Drag::Cloth,
                Grip::Joint => Drag::Joint,
            })
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
        self.session.own_eye().camera.zoom(1.12f32.powf(lines));
        self.touch();
    }

    pub(super) fn release_all(&mut self) {
        self.pointer.let_go();
        self.session.release_cloth();
        self.session.release_joint();
        self.session.end_path();
        self.session.release_keys();
    }
}

/// What an animator calls a click with a button.
fn button_name(button: MouseButton) -> &'static str {
    keys::button_name(match button {
        MouseButton::Right => PointerButton::Secondary,
        MouseButton::Middle => PointerButton::Middle,
        MouseButton::Back => PointerButton::Extra1,
        MouseButton::Forward => PointerButton::Extra2,
        MouseButton::Left | MouseButton::Other(_) => PointerButton::Primary,
    })
}
