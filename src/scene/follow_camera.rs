//! The camera and how it goes along with a character.

use glam::Vec3;

use super::{Camera, FreeArea, ViewPreset};
use crate::math::Spring;

/// Below this distance the camera has arrived.
const ARRIVED_M: f32 = 0.002;

/// Likewise for a turn.
const ARRIVED_RAD: f64 = 0.002;

/// How closely a camera goes along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pursuit {
    /// Time in which it makes up 63 % of the way.
    pub lag_secs: f32,
    /// Time in which it makes up about half of a turn.
    pub turn_half_life_secs: f64,
}

impl Pursuit {
    /// Of somebody who plays a capture: the sway of a gait does not show.
    pub const CALM: Self = Self {
        lag_secs: 0.25,
        turn_half_life_secs: 0.3,
    };
    /// Of somebody who is driven: it stays behind, so that ahead is away from
    /// whoever looks.
    pub const CLOSE: Self = Self {
        lag_secs: 0.08,
        turn_half_life_secs: 0.025,
    };
}

/// A runner is seen from this much further off than somebody who stands.
const RUN_ZOOM: f64 = 0.15;
/// Metres a second.
const RUN_SPEED: f64 = 3.5;
/// The eye of a camera that chases stays this far above the ground.
const LOWEST_EYE_M: f32 = 0.25;

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
    heading: Option<Spring>,
    /// Factor on the distance by the character's speed.
    pace_zoom: Spring,
    /// Where the character stood a step ago.
    footing_before: Option<Vec3>,
}

impl Default for FollowCamera {
    fn default() -> Self {
        let camera = Camera::default();
        Self {
            offset: camera.target,
            camera,
            aspect: 1.6,
            heading: None,
            pace_zoom: Spring::at(1.0),
            footing_before: None,
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
        self.pace_zoom = Spring::at(1.0);
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
    pub fn follow(&mut self, footing: Vec3, lag_secs: f32, dt_secs: f32) -> bool {
        let goal = footing + self.offset;
        self.camera.follow(goal, lag_secs, dt_secs);
        if self.camera.target.distance(goal) > ARRIVED_M {
            return true;
        }
        self.camera.target = goal;
        false
    }

    /// Turns as the character's heading does, a little behind; the side that was
    /// chosen stays. While the character comes round to `holds` the camera's own
    /// direction, the camera waits. True while it has not arrived.
    pub fn turn(
        &mut self,
        heading_rad: Option<f32>,
        holds: bool,
        half_life_secs: f64,
        dt_secs: f32,
    ) -> bool {
        let (Some(goal), Some(mut spring)) = (heading_rad, self.heading) else {
            // The first heading is only a mark: choosing the mode must not
            // swing the camera round.
            self.heading = heading_rad.map(|heading| Spring::at(heading.into()));
            return false;
        };
        let before = spring.value;
        // The shorter way round.
        let left = wrapped(f64::from(goal) - before);
        spring.follow(before + left, half_life_secs, dt_secs.max(0.0).into());
        if !holds {
            self.camera.orbit((before - spring.value) as f32, 0.0);
        }
        self.heading = Some(spring);
        left.abs() > ARRIVED_RAD
    }

    /// How far the eye has been taken round the character, from straight behind
    /// it; positive to its right.
    #[must_use]
    pub fn side_rad(&self) -> Option<f32> {
        let behind = self.heading?.value + std::f64::consts::PI;
        Some(wrapped(f64::from(self.camera.azimuth_rad) - behind) as f32)
    }

    /// Draws back from a character that is fast, and comes near again. True
    /// while it has not arrived.
    pub fn pace(&mut self, footing: Option<Vec3>, dt_secs: f32) -> bool {
        let before = std::mem::replace(&mut self.footing_before, footing);
        if dt_secs <= 0.0 {
            return false;
        }
        let way = before.zip(footing).map(|(a, b)| a.distance(b));
        let speed = way.map_or(0.0, |way| f64::from(way / dt_secs));
        // Somebody who was put elsewhere is not fast.
        let goal = 1.0 + RUN_ZOOM * (speed / RUN_SPEED).min(1.2);
        let zoom = self.pace_zoom.value;
        self.pace_zoom.follow(goal, 0.5, dt_secs.into());
        self.camera.zoom((zoom / self.pace_zoom.value) as f32);
        (goal - self.pace_zoom.value).abs() > 1e-3
    }

    /// Rises where the eye would be in the ground.
    pub fn stay_above_ground(&mut self) {
        let lowest = (LOWEST_EYE_M - self.camera.target.y) / self.camera.distance_m;
        let lowest = lowest.clamp(-1.0, 1.0).asin();
        self.camera.elevation_rad = self.camera.elevation_rad.max(lowest);
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

/// Within half a turn either way.
fn wrapped(angle_rad: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    (angle_rad + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(follow: &mut FollowCamera, heading_rad: f32, holds: bool) -> bool {
        let mut moves = false;
        for _ in 0..200 {
            moves = follow.turn(Some(heading_rad), holds, 0.3, 0.05);
        }
        moves
    }

    #[test]
    fn turning_along_keeps_the_side_and_takes_the_short_way() {
        let mut follow = FollowCamera::default();
        let start = follow.camera.azimuth_rad;
        follow.turn(Some(3.0), false, 0.3, 0.1);
        // From 3.0 to −3.0 is 0.28 rad to the left, not 6 to the right.
        assert!(!turn(&mut follow, -3.0, false), "it has arrived");
        assert_close!(follow.camera.azimuth_rad - start, 0.283, 0.01);
        // The user's own orbit stays.
        follow.camera.orbit(1.0, 0.0);
        let chosen = follow.camera.azimuth_rad;
        turn(&mut follow, -3.0, false);
        assert_close!(follow.camera.azimuth_rad, chosen, 0.01);
    }

    #[test]
    fn a_camera_that_waits_is_behind_once_the_character_has_come_round() {
        let mut follow = FollowCamera::default();
        follow.camera.azimuth_rad = std::f32::consts::PI;
        follow.turn(Some(0.0), false, 0.3, 0.1);
        assert_close!(follow.side_rad().unwrap(), 0.0, 1e-4);
        follow.camera.orbit(-0.8, 0.0);
        assert_close!(follow.side_rad().unwrap(), 0.8, 1e-4);
        let eye = follow.camera.azimuth_rad;
        turn(&mut follow, 0.8, true);
        assert_close!(follow.side_rad().unwrap(), 0.0, 1e-3);
        assert_eq!(follow.camera.azimuth_rad, eye);
    }

    #[test]
    fn it_draws_back_from_a_runner_and_comes_near_again() {
        let mut follow = FollowCamera::default();
        let near = follow.camera.distance_m;
        let run = |follow: &mut FollowCamera, speed: f32| {
            for step in 0..300 {
                let footing = Vec3::X * speed * (step as f32 / 60.0);
                follow.pace(Some(footing), 1.0 / 60.0);
            }
        };
        run(&mut follow, 3.5);
        assert_close!(follow.camera.distance_m / near, 1.15, 0.01);
        run(&mut follow, 0.0);
        assert_close!(follow.camera.distance_m / near, 1.0, 0.01);
    }

    #[test]
    fn a_chasing_eye_never_goes_into_the_ground() {
        let mut follow = FollowCamera::default();
        follow.camera.orbit(0.0, -10.0);
        assert!(follow.camera.view(1.0).eye.y < 0.0);
        follow.stay_above_ground();
        assert_close!(follow.camera.view(1.0).eye.y, LOWEST_EYE_M, 1e-3);
    }
}
