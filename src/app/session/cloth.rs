//! The sheet under the pointer.

use glam::Vec2;

use super::Session;
use crate::scene::CameraView;

impl Session {
    fn camera_view(&self, size: Vec2) -> CameraView {
        let camera = &self.scene().camera.camera;
        camera.view(size.x / size.y.max(1.0))
    }

    /// Takes hold of the sheet at a point of the picture; both in pixels.
    pub fn grab_cloth(&mut self, at: Vec2, size: Vec2) -> bool {
        let view = self.camera_view(size);
        self.scene_mut().cloth.grab(&view, at, size)
    }

    /// Draws what is held after the pointer.
    pub fn pull_cloth(&mut self, at: Vec2, size: Vec2) {
        let view = self.camera_view(size);
        self.scene_mut().cloth.pull(&view, at, size);
    }

    /// Lets go of the sheet.
    pub fn release_cloth(&mut self) {
        self.scene_mut().cloth.release();
    }
}
