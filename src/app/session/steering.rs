//! Gamepads and the camera that chases: looking round by a stick, and walking
//! away from whoever looks.

use glam::Vec2;

use super::Session;
use crate::{
    animator::Input,
    app::gamepad::PadEvent,
    scene::CameraMode,
    ui::{Mode, Severity},
};

/// Radians a second that a stick turns the camera at full.
const LOOK_RAD_PER_S: f32 = 2.5;
/// Within this the eye is behind.
const BEHIND_RAD: f32 = 0.05;
/// Shares of full steering for a radian off.
const STEER_PER_RAD: f32 = 2.0;
/// Metres a second from which somebody goes somewhere.
const GOES_M_PER_S: f32 = 0.3;

/// What gamepads and the camera have to do with steering.
#[derive(Debug, Default)]
pub(super) struct PadState {
    /// What is held, to be let go when the gamepad is gone.
    held: Vec<&'static str>,
    /// Right and up, as the right stick says.
    look: Vec2,
    /// The character is being turned to where the camera looks.
    comes_round: bool,
}

impl Session {
    /// A gamepad did something.
    pub(in crate::app) fn receive_pad(&mut self, event: PadEvent) {
        match event {
            PadEvent::Held(control, share) => self.pad_control(control, share),
            PadEvent::Arrived(name) => {
                self.tell(
                    Severity::Info,
                    format!("{name} is there: F1 lists its controls"),
                );
                self.set_pad(Some(name));
            }
            PadEvent::Left(name) => {
                // What it held would be held for ever.
                for control in std::mem::take(&mut self.pad.held) {
                    self.drive_control(control, 0.0);
                }
                self.pad.look = Vec2::ZERO;
                self.tell(
                    Severity::Info,
                    format!("{name} is gone; the keyboard still drives"),
                );
                self.set_pad(None);
            }
        }
    }

    fn set_pad(&mut self, name: Option<String>) {
        self.driving.pad = name;
        if let Some(drive) = &mut self.driving.drive {
            drive.view.pad.clone_from(&self.driving.pad);
        }
    }

    fn pad_control(&mut self, control: &'static str, share: f64) {
        // A stick that is on its way counts once it is more there than not.
        if let Some(listening) = &self.panels.editor.listening
            && share > 0.0
        {
            if share > 0.5 {
                let binding = listening.binding;
                self.bind_control(binding, control);
            }
            return;
        }
        if share > 0.0 {
            self.touched();
            if !self.pad.held.contains(&control) {
                self.pad.held.push(control);
            }
        } else {
            self.pad.held.retain(|held| *held != control);
        }
        if self.pad_drives_other(control, share) {
            return;
        }
        if self.drives(control, share > 0.0) {
            self.drive_control(control, share);
            return;
        }
        // The right stick looks round, unless the file has another use for it.
        let share = share as f32;
        match control {
            "RightStickLeft" => self.pad.look.x = self.pad.look.x.max(0.0) - share,
            "RightStickRight" => self.pad.look.x = self.pad.look.x.min(0.0) + share,
            "RightStickDown" => self.pad.look.y = self.pad.look.y.max(0.0) - share,
            "RightStickUp" => self.pad.look.y = self.pad.look.y.min(0.0) + share,
            _ => {}
        }
    }

    /// The pointer is somewhere in the picture: right and down, −1 to 1. To an
    /// animator it is a stick that never springs back.
    pub(in crate::app) fn point_at(&mut self, at: Vec2) {
        let Some((_, animator)) = self.drive_mut() else {
            return;
        };
        let now_secs = animator.time_secs();
        for (control, share) in [
            ("PointerLeft", -at.x),
            ("PointerRight", at.x),
            ("PointerUp", -at.y),
            ("PointerDown", at.y),
        ] {
            let share = f64::from(share.clamp(0.0, 1.0));
            animator.input(now_secs, Input::Axis(control.to_owned(), share));
        }
    }

    /// Before a step of time.
    pub(super) fn steer(&mut self, dt_secs: f64) {
        let turn = self.pad.look * LOOK_RAD_PER_S * dt_secs as f32;
        if turn != Vec2::ZERO {
            // A stick to the right looks to the right: the eye goes left.
            self.scene_mut().camera.camera.orbit(turn.x, -turn.y);
        }
        self.walk_away();
    }

    /// Ahead is away from whoever looks: a character that goes somewhere comes
    /// round to where the camera was turned, which waits for it.
    fn walk_away(&mut self) {
        let was = std::mem::take(&mut self.pad.comes_round);
        let side = self.side_to_come_round();
        self.drive_scene.camera_waits = side.is_some();
        self.pad.comes_round = side.is_some();
        if side.is_none() && !was {
            return;
        }
        let steering = side.map_or(0.0, |side| (side * STEER_PER_RAD).clamp(-1.0, 1.0));
        let Some((_, animator)) = self.drive_mut() else {
            return;
        };
        let graph = animator.graph();
        let by = graph
            .steering
            .and_then(|(index, _)| graph.parameters.get(index));
        if let Some(name) = by.map(|parameter| parameter.name.clone()) {
            let now_secs = animator.time_secs();
            animator.input(now_secs, Input::Set(name, f64::from(steering)));
        }
    }

    /// How far the eye is from behind somebody who goes somewhere, in a camera
    /// that chases.
    fn side_to_come_round(&self) -> Option<f32> {
        let chases = self.options.display.drive_camera == CameraMode::TurnAlong;
        let drive = self
            .driven()
            .filter(|_| chases && self.mode == Mode::Drive)?;
        let goes = drive.is_steered() && drive.view.speed_m_per_s > GOES_M_PER_S;
        let side = self.drive_scene.camera.side_rad().filter(|_| goes)?;
        (side.abs() > BEHIND_RAD).then_some(side)
    }
}
