//! Keys of Drive mode and the animator's file.

use glam::Vec3;

use super::Session;
use crate::{
    app::drive::{Cast, Drive},
    ui::{Mode, PauseReason, Severity, Side},
};

/// Seconds without a touch after which the performer rests.
const DOZE_SECS: f64 = 20.0;

impl Session {
    /// A key of the animator goes down or up.
    pub fn drive_key(&mut self, name: &str, down: bool) {
        if let (Some(drive), true) = (&mut self.drive, self.mode == Mode::Drive || !down) {
            drive.key(name, down);
            self.driven_keys += u32::from(down);
            // Whoever has driven this much knows the keys.
            self.panels.hint_seen |= self.driven_keys >= 24;
        }
    }

    /// A hand was on keyboard or mouse.
    pub fn touched(&mut self) {
        self.touched_secs = self.now_secs;
        if let Some(drive) = &mut self.drive
            && drive.view.pause == Some(PauseReason::Dozing)
        {
            drive.view.pause = None;
        }
    }

    pub(super) fn hold_time(&mut self) {
        if let Some(drive) = &mut self.drive {
            drive.view.pause = match drive.view.pause {
                Some(_) => None,
                None => Some(PauseReason::Held),
            };
        }
    }

    /// A performer that nobody drives does not keep the machine busy.
    pub(super) fn doze(&mut self) {
        if let Some(drive) = &mut self.drive
            && self.mode == Mode::Drive
            && self.recording.is_none()
            && drive.view.pause.is_none()
            && !drive.is_driven()
            && self.now_secs - self.touched_secs > DOZE_SECS
        {
            drive.view.pause = Some(PauseReason::Dozing);
        }
    }

    /// No key is held any more.
    pub fn release_keys(&mut self) {
        if let Some(drive) = &mut self.drive {
            drive.release_all();
        }
    }

    pub(super) fn receive_cast(&mut self, outcome: Result<Box<Cast>, String>) {
        match (outcome, &mut self.drive) {
            (Ok(cast), Some(drive)) if drive.moves(&cast) => {
                drive.reload(*cast);
                let text = format!("The animator was read again: {}", drive.view.source);
                self.tell(Severity::Info, text);
            }
            (Ok(cast), _) => {
                let notes = cast.graph.notes.clone();
                self.drive = Some(Drive::new(*cast));
                self.drive_fault = None;
                notes
                    .into_iter()
                    .for_each(|note| self.tell(Severity::Warning, note));
                if self.mode == Mode::Drive {
                    self.look_from(Side::ThreeQuarter);
                    self.frame_all();
                    self.follow_camera.jump(self.shown_stage().footing());
                }
            }
            (Err(fault), drive) => {
                // The old graph stays.
                if let Some(drive) = drive {
                    drive.view.error = Some(fault.clone());
                }
                self.drive_fault = Some(fault.clone());
                self.tell(Severity::Error, fault);
            }
        }
    }

    /// Where the root stands, and its heading in radians about Y.
    #[must_use]
    pub fn root_place(&self) -> (Vec3, f32) {
        let stage = self.shown_stage();
        let place = stage.pose.joints().first();
        let position = place.map_or(Vec3::ZERO, |root| root.position());
        let take = stage.lead.as_ref();
        let facing = take.and_then(|take| crate::humanoid::facing(&take.skeleton, &stage.pose));
        let heading = facing.map_or(0.0, |facing| facing.x.atan2(facing.z));
        (position, heading)
    }
}
