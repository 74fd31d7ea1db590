//! The camera and how it goes along with a character.

use glam::Vec3;

use crate::{
    scene::{Camera, FreeArea, Preset},
    ui::Side,
};

/// Below this distance the camera has arrived.
const ARRIVED_M: f32 = 0.002;

/// A camera that looks at a spot relative to where a character stands.
#[derive(Clone, Copy, Debug)]
pub struct Rig {
    /// What is drawn with.
    pub camera: Camera,
    /// From the spot below the character's root to the camera's target.
    offset: Vec3,
    /// Width over height of the picture.
    pub aspect: f32,
}

impl Default for Rig {
    fn default() -> Self {
        let camera = Camera::default();
        Self {
            offset: camera.target,
            camera,
            aspect: 1.6,
        }
    }
}

impl Rig {
    /// What panels leave free, and the picture's shape.
    pub fn set_view(&mut self, free: FreeArea, aspect: f32) {
        self.camera.free = free;
        self.aspect = aspect;
    }

    /// Looks at a character that stands at `footing` and takes up `points`
    /// around it, the direction kept.
    pub fn frame(&mut self, points: &[Vec3], footing: Vec3) {
        self.camera.frame_all(points, self.aspect);
        self.offset = self.camera.target;
        self.camera.target += footing;
    }

    /// Turns to a side of a character that looks along `facing`.
    pub fn look_from(&mut self, side: Side, facing: Vec3) {
        let preset = match side {
            Side::Front => Preset::Front,
            Side::Left => Preset::Side,
            Side::Back => Preset::Back,
            Side::Top => Preset::Top,
            Side::ThreeQuarter => Preset::ThreeQuarter,
        };
        self.camera.look_from(preset, facing);
    }

    /// Turns by a drag; shares of the picture's height.
    pub fn orbit(&mut self, right: f32, down: f32) {
        // A drag over the whole height is half a turn.
        self.camera
            .orbit(right * std::f32::consts::PI, down * std::f32::consts::PI);
    }

    /// Moves by a drag; shares of the picture's height.
    pub fn pan(&mut self, right: f32, down: f32) {
        let before = self.camera.target;
        self.camera.pan(right, -down);
        self.offset += self.camera.target - before;
    }

    /// Goes after a character; true while it has not arrived.
    pub fn follow(&mut self, footing: Vec3, dt_secs: f32) -> bool {
        let goal = footing + self.offset;
        self.camera.follow(goal, dt_secs);
        if self.camera.target.distance(goal) > ARRIVED_M {
            return true;
        }
        self.camera.target = goal;
        false
    }

    /// Is there at once: after a jump in time or to another clip.
    pub fn jump(&mut self, footing: Vec3) {
        self.camera.target = footing + self.offset;
    }

    /// Stays where it is from now on; what it looks at becomes its own spot.
    pub fn stay(&mut self, footing: Vec3) {
        self.offset = self.camera.target - footing;
    }
}
