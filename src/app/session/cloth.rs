//! The sheet in the session: its clock, its camera, its hand.

use glam::Vec2;

use super::Session;
use crate::{
    app::cloth::TICK_SECS,
    scene::FrameData,
    ui::{Mode, Severity},
};

impl Session {
    /// Lets time pass in whole steps of the sheet, so that body and cloth are
    /// seen at one time.
    pub(super) fn advance_dressed(&mut self, dt_secs: f64) {
        let rate = match (&self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.view.time_scale,
            // A sheet moves on around a body that stands.
            _ if !self.player.is_moving() => 1.0,
            _ => self.player.view().speed,
        };
        self.pose_later(0.0);
        self.hang();
        for _ in 0..self.cloth.ticks(dt_secs * rate) {
            self.pose_later(TICK_SECS / rate);
            let stage = match (&self.drive, self.mode) {
                (Some(drive), Mode::Drive) => &drive.stage,
                _ => &self.stage,
            };
            self.cloth.step(&stage.pose);
        }
        if let Some(news) = self.cloth.news() {
            self.tell(Severity::Warning, news);
        }
    }

    /// A sheet that was asked for hangs around whoever is seen.
    fn hang(&mut self) {
        let stage = match (&self.drive, self.mode) {
            (Some(drive), Mode::Drive) => &drive.stage,
            _ => &self.stage,
        };
        let Some(lead) = &stage.lead else {
            return;
        };
        if self.cloth.dress(lead, &stage.pose) {
            self.frame_all();
            self.follow_camera.jump(self.shown_stage().footing());
        }
    }

    pub(super) fn compose_cloth(&self, frame: &mut FrameData) {
        if let Some((drape, look)) = self.cloth.instance() {
            frame.push_cloth(drape, look);
        }
    }

    /// Takes hold of the sheet at a point of the picture; both in pixels.
    pub fn grab_cloth(&mut self, at: Vec2, size: Vec2) -> bool {
        let view = self.follow_camera.camera.view(size.x / size.y.max(1.0));
        self.cloth.grab(&view, at, size)
    }

    /// Draws what is held after the pointer.
    pub fn pull_cloth(&mut self, at: Vec2, size: Vec2) {
        let view = self.follow_camera.camera.view(size.x / size.y.max(1.0));
        self.cloth.pull(&view, at, size);
    }

    /// Lets go of the sheet.
    pub fn release_cloth(&mut self) {
        self.cloth.release();
    }
}
