//! The camera and how it goes along with a character.

use glam::Vec3;

use super::{Camera, FreeArea, ViewPreset};

/// Below this distance the camera has arrived.
const ARRIVED_M: f32 = 0.002;

/// Likewise for a turn.
const ARRIVED_RAD: f32 = 0.002;
/// Time in which it makes up 63 % of a turn.
const TURN_SECS: f32 = 0.4;

/// A camera that looks at a spot relative to where a character stands.
#[derive(Clone, Copy, Debug)]
pub struct FollowCamera {
    /// What is drawn with.
    pub camera: Camera,
    /// From the spot below the character's root to the camera's target.
    offset: Vec3,
    /// Width over height of the picture.
    pub aspect: f32,
    /// The heading it has turned along with, smoothed; `None` when it does not.
    heading_rad: Option<f32>,
}

impl Default for FollowCamera {
    fn default() -> Self {
        let camera = Camera::default();
        Self {
            offset: camera.target,
            camera,
            aspect: 1.6,
            heading_rad: None,
        }
    }
}

impl FollowCamera {
    /// What panels leave free, and the picture's shape.
    pub fn set_view(&mut self, free: FreeArea, aspect: f32) {
        self.camera.free = free;
        self.aspect = aspect;
    }

    /// Looks at a character that stands at `footing` and takes up `points`
    /// around it, the direction kept.
    pub fn frame(&mut self, points: &[Vec3], footing: Vec3) {
        // Points are relative to the footing: framed around the origin, then
        // taken there.
        self.camera.frame_all(points, self.aspect);
        self.offset = self.camera.target;
        self.camera.target += footing;
    }

    /// Takes a standard view of a character that looks along `facing`.
    pub fn look_from(&mut self, preset: ViewPreset, facing: Vec3) {
        self.camera.look_from(preset, facing);
    }

    /// Looks at a point from now on, and after it as it moves.
    pub fn look_at(&mut self, point: Vec3) {
        self.camera.target = point;
        self.offset = Vec3::ZERO;
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

    /// Turns as the character's heading does, a little behind, so that the sway
    /// of a gait does not show; the side that was chosen stays. True while it
    /// has not arrived.
    pub fn turn(&mut self, heading_rad: Option<f32>, dt_secs: f32) -> bool {
        let (Some(goal), Some(before)) = (heading_rad, self.heading_rad) else {
            // The first heading is only a mark: choosing the mode must not
            // swing the camera round.
            self.heading_rad = heading_rad;
            return false;
        };
        let half_turn = std::f32::consts::PI;
        // The shorter way round.
        let left = (goal - before + half_turn).rem_euclid(2.0 * half_turn) - half_turn;
        let step = left * (1.0 - (-dt_secs.max(0.0) / TURN_SECS).exp());
        self.camera.orbit(-step, 0.0);
        self.heading_rad = Some(before + step);
        left.abs() > ARRIVED_RAD
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_along_keeps_the_side_and_takes_the_short_way() {
        let mut follow = FollowCamera::default();
        let start = follow.camera.azimuth_rad;
        follow.turn(Some(3.0), 0.1);
        // From 3.0 to −3.0 is 0.28 rad to the left, not 6 to the right.
        for _ in 0..200 {
            follow.turn(Some(-3.0), 0.05);
        }
        let turned = follow.camera.azimuth_rad - start;
        assert_close!(turned, 0.283, 0.01);
        assert!(!follow.turn(Some(-3.0), 0.05), "it has arrived");
        // The user's own orbit stays.
        follow.camera.orbit(1.0, 0.0);
        let chosen = follow.camera.azimuth_rad;
        follow.turn(Some(-3.0), 0.05);
        assert_close!(follow.camera.azimuth_rad, chosen, 0.01);
    }
}
