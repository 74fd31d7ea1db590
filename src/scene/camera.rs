//! A camera that circles a target.
//!
//! Depth runs from 1 at the near plane to 0 at infinity, so there is no far
//! plane to outgrow; the near plane follows the distance. Any size of body
//! from millimetres to kilometres is seen with the same precision.

use glam::{Mat4, Vec2, Vec3, camera::rh};

use super::{Through, within_reach};

/// Standard views, relative to where the character looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPreset {
    /// 35° to its left, a little above: what every file opens with.
    ThreeQuarter,
    /// Face to face.
    Front,
    /// From its left.
    Left,
    /// From behind.
    Back,
    /// From above.
    Top,
}

/// Shares of the picture that panels cover at each side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeArea {
    /// Left share in 0..1.
    pub left: f32,
    /// Right share in 0..1.
    pub right: f32,
    /// Top share in 0..1.
    pub top: f32,
    /// Bottom share in 0..1.
    pub bottom: f32,
}

impl FreeArea {
    pub(super) fn width(self) -> f32 {
        (1.0 - self.left - self.right).max(0.1)
    }

    pub(super) fn height(self) -> f32 {
        (1.0 - self.top - self.bottom).max(0.1)
    }

    /// Centre in normalised device coordinates.
    pub(super) fn centre(self) -> Vec2 {
        // 2c − 1 for the centre c = left + (1 − left − right) / 2; y points up.
        Vec2::new(self.left - self.right, self.bottom - self.top)
    }
}

/// A camera on a sphere around what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// World point in the middle of the free area.
    pub target: Vec3,
    /// About Y; 0 looks from +Z towards −Z.
    pub azimuth_rad: f32,
    /// Above the horizon.
    pub elevation_rad: f32,
    /// From the target.
    pub distance_m: f32,
    /// Vertical field of view.
    pub fov_y_rad: f32,
    /// What panels leave free.
    pub free: FreeArea,
    /// The camera of a file that is looked through instead; all else waits.
    pub through: Option<Through>,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            target: Vec3::new(0.0, 0.9, 0.0),
            azimuth_rad: 35f32.to_radians(),
            elevation_rad: 11f32.to_radians(),
            distance_m: 4.0,
            fov_y_rad: 36f32.to_radians(),
            free: FreeArea::default(),
            through: None,
        }
    }
}

/// A camera for one picture: matrices and the planes they were made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// Projection times view; depth reversed, no far plane.
    pub clip_from_world: Mat4,
    /// Where the camera stands.
    pub eye: Vec3,
    /// Distance of the near plane.
    pub near_m: f32,
}

const MAX_ELEVATION_RAD: f32 = 1.553; // 89°: straight down has no azimuth
const MIN_DISTANCE_M: f32 = 1e-4;
const MAX_DISTANCE_M: f32 = 1e5;
/// Share of the free height a framed figure takes.
const FILL: f32 = 0.65;

impl Camera {
    /// Unit vector from target to camera.
    #[must_use]
    pub fn direction(&self) -> Vec3 {
        let (sin, cos) = self.azimuth_rad.sin_cos();
        let level = self.elevation_rad.cos();
        Vec3::new(sin * level, self.elevation_rad.sin(), cos * level)
    }

    /// The same view for a picture that no panel covers: what was in the middle
    /// of the free area is in the middle, and as large a share of the height.
    #[must_use]
    pub fn for_picture(&self) -> Self {
        Self {
            distance_m: self.distance_m * self.free.height(),
            free: FreeArea::default(),
            ..*self
        }
    }

    /// Where the camera stands.
    #[must_use]
    pub fn eye(&self) -> Vec3 {
        self.target + self.direction() * self.distance_m
    }

    /// Which way is looked, through whatever.
    #[must_use]
    pub fn forward(&self) -> Vec3 {
        self.through
            .map_or_else(|| -self.direction(), |it| it.forward())
    }

    /// Matrices for a picture of the given width over height.
    #[must_use]
    pub fn view(&self, aspect: f32) -> CameraView {
        if let Some(through) = self.through {
            return through.view(aspect, self.free, self.target);
        }
        let eye = self.eye();
        // Floats are finest near 0. With 0 at infinity that makes up for the
        // crowding of 1 / distance there, so a near plane this close costs no
        // precision.
        let near_m = self.distance_m * 0.01;
        let clip_from_view =
            rh::proj::directx::perspective_infinite_reverse(self.fov_y_rad, aspect, near_m);
        // Not towards the target: far from the origin the two round to one
        // point.
        let view_from_world = rh::view::look_to_mat4(eye, -self.direction(), Vec3::Y);
        let shift = self.free.centre();
        // In clip space a translation scales with w, so it shifts the picture.
        let shifted = Mat4::from_translation(shift.extend(0.0));
        CameraView {
            clip_from_world: shifted * clip_from_view * view_from_world,
            eye,
            near_m,
        }
    }

    /// The point of the ground that appears at `at`, x and y in 0..=1 from the
    /// top left; `None` above the horizon and beyond `furthest_m`.
    #[must_use]
    pub fn ground_at(&self, aspect: f32, at: Vec2, furthest_m: f32) -> Option<Vec3> {
        let view = self.view(aspect);
        let on_ray = view.beside(self.target, at);
        let ray = on_ray - view.eye;
        let times = -view.eye.y / ray.y;
        let point = view.eye + ray * times;
        let is_ahead = times > 0.0 && ray.y < 0.0 && point.is_finite();
        (is_ahead && point.distance(view.eye) <= furthest_m)
            .then_some(Vec3::new(point.x, 0.0, point.z))
    }

    /// Turns about the target; radians.
    pub fn orbit(&mut self, right_rad: f32, up_rad: f32) {
        // Within one turn, for the steps of a float grow with its size.
        self.azimuth_rad = (self.azimuth_rad - right_rad).rem_euclid(std::f32::consts::TAU);
        self.elevation_rad =
            (self.elevation_rad + up_rad).clamp(-MAX_ELEVATION_RAD, MAX_ELEVATION_RAD);
    }

    /// Moves the target with the pointer: shares of the picture's height, so
    /// that the point under the pointer stays under it.
    pub fn pan(&mut self, right: f32, up: f32) {
        // What the picture's height spans at the target's distance.
        let height_m = 2.0 * self.distance_m * (self.fov_y_rad / 2.0).tan();
        let side = Vec3::Y.cross(self.direction()).normalize_or(Vec3::X);
        let above = self.direction().cross(side);
        self.target -= (side * right + above * up) * height_m;
    }

    /// Goes nearer by a factor: 2 halves the distance.
    pub fn zoom(&mut self, factor: f32) {
        if factor.is_finite() && factor > 0.0 {
            self.distance_m = (self.distance_m / factor).clamp(MIN_DISTANCE_M, MAX_DISTANCE_M);
        }
    }

    /// Draws the target after a moving point, 63 % of the way in `lag_secs`; the
    /// same at any frame rate.
    pub fn follow(&mut self, point: Vec3, lag_secs: f32, dt_secs: f32) {
        let share = 1.0 - (-dt_secs.max(0.0) / lag_secs).exp();
        self.target = self.target.lerp(point, share);
    }

    /// Takes a standard view of a character that looks along `facing`.
    pub fn look_from(&mut self, preset: ViewPreset, facing: Vec3) {
        let facing = if within_reach(facing) {
            facing
        } else {
            Vec3::Z
        };
        let ahead = facing.x.atan2(facing.z);
        let (turn, up) = match preset {
            ViewPreset::ThreeQuarter => (35f32, 11f32),
            ViewPreset::Front => (0.0, 4.0),
            ViewPreset::Left => (90.0, 4.0),
            ViewPreset::Back => (180.0, 8.0),
            ViewPreset::Top => (0.0, 89.0),
        };
        self.azimuth_rad = ahead + turn.to_radians();
        self.elevation_rad = up.to_radians().min(MAX_ELEVATION_RAD);
    }

    /// Goes where all points fill 65 % of the free height (or as much of the
    /// width), the view direction kept.
    pub fn frame_all(&mut self, points: &[Vec3], aspect: f32) {
        let finite = || points.iter().copied().filter(|p| within_reach(*p));
        let (low, high) = finite().fold((Vec3::MAX, Vec3::MIN), |(low, high), p| {
            (low.min(p), high.max(p))
        });
        // No finite point: the fold has not moved.
        if low.x > high.x {
            return;
        }
        self.target = (low + high) / 2.0;
        let towards = self.direction();
        let side = Vec3::Y.cross(towards).normalize_or(Vec3::X);
        let above = towards.cross(side);
        let tan_y = (self.fov_y_rad / 2.0).tan() * FILL * self.free.height();
        let tan_x = (self.fov_y_rad / 2.0).tan() * aspect * 0.86 * self.free.width();
        // Three rounds: the middle of what is seen depends on the distance a little.
        for _ in 0..3 {
            let mut distance = MIN_DISTANCE_M;
            let (mut bottom, mut top) = (f32::MAX, f32::MIN);
            for p in finite() {
                let offset = p - self.target;
                let depth = offset.dot(towards);
                // A point y above and z towards the camera is seen on the slope
                // y / (d − z); this is the d that puts it on the edge.
                distance = distance.max(offset.dot(above).abs() / tan_y + depth);
                distance = distance.max(offset.dot(side).abs() / tan_x + depth);
            }
            for p in finite() {
                let offset = p - self.target;
                // Near points spread further: the middle of the slopes is the
                // middle of the picture, that of the box is not.
                let slope = offset.dot(above) / (distance - offset.dot(towards)).max(1e-6);
                bottom = bottom.min(slope);
                top = top.max(slope);
            }
            self.distance_m = distance.clamp(MIN_DISTANCE_M, MAX_DISTANCE_M);
            self.target += above * ((bottom + top) / 2.0 * self.distance_m);
        }
    }
}

impl CameraView {
    /// The point that appears at `at` (as [`project`](Self::project) gives it)
    /// and is as deep in the picture as `world`.
    #[must_use]
    pub fn beside(&self, world: Vec3, at: Vec2) -> Vec3 {
        let mut clip = self.clip_from_world * world.extend(1.0);
        // With the same w the point stays at its distance from the camera's
        // plane.
        clip.x = (2.0 * at.x - 1.0) * clip.w;
        clip.y = (1.0 - 2.0 * at.y) * clip.w;
        let moved = self.clip_from_world.inverse() * clip;
        moved.truncate() / moved.w
    }

    /// Where a world point appears: x and y in 0..=1 from the top left, or
    /// `None` behind the camera.
    #[must_use]
    pub fn project(&self, world: Vec3) -> Option<Vec2> {
        let clip = self.clip_from_world * world.extend(1.0);
        // w is the distance ahead of the eye: 0 beside it, negative behind.
        (clip.w > 1e-6).then(|| Vec2::new(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(scale: f32) -> Vec<Vec3> {
        let mut points = Vec::new();
        for x in [-0.3, 0.3] {
            for z in [-0.2, 0.2] {
                points.extend([Vec3::new(x, 0.0, z) * scale, Vec3::new(x, 1.75, z) * scale]);
            }
        }
        points
    }

    #[test]
    fn a_figure_of_any_size_fills_two_thirds_of_the_free_height() {
        for scale in [1e-3, 1.0, 1e3] {
            let mut camera = Camera::default();
            camera.look_from(ViewPreset::ThreeQuarter, Vec3::Z);
            camera.frame_all(&figure(scale), 16.0 / 9.0);
            let view = camera.view(16.0 / 9.0);
            let heights = figure(scale)
                .into_iter()
                .map(|p| view.project(p).unwrap().y);
            let (top, bottom) = heights.fold((1.0f32, 0.0f32), |(t, b), y| (t.min(y), b.max(y)));
            let share = bottom - top;
            assert!((0.60..=0.70).contains(&share), "{scale}: {share}");
            assert_close!(top + bottom, 1.0, 0.02, "{scale}: {top} to {bottom}");
            assert!(view.near_m < camera.distance_m - 0.5 * scale);
        }
    }

    #[test]
    fn panels_move_the_middle() {
        let camera = Camera {
            free: FreeArea {
                right: 0.25,
                bottom: 0.1,
                ..FreeArea::default()
            },
            ..Camera::default()
        };
        let at = camera.view(1.5).project(camera.target).unwrap();
        assert_close!(at, Vec2::new(0.375, 0.45), 1e-5);
    }

    #[test]
    fn front_means_face_to_face_and_side_its_left() {
        let mut camera = Camera::default();
        let facing = Vec3::X;
        camera.look_from(ViewPreset::Front, facing);
        assert!(camera.direction().dot(facing) > 0.99);
        camera.look_from(ViewPreset::Left, facing);
        // Facing +X, its left is −Z.
        assert!(camera.direction().z < -0.99);
        camera.look_from(ViewPreset::Top, facing);
        assert!(camera.direction().y > 0.999);
        assert!(camera.view(1.0).clip_from_world.is_finite());
    }

    #[test]
    fn panning_moves_the_picture_with_the_pointer() {
        let mut camera = Camera::default();
        let point = camera.target;
        camera.pan(0.1, 0.2);
        let at = camera.view(1.0).project(point).unwrap();
        assert_close!(at, Vec2::new(0.6, 0.3), 1e-3);
    }

    #[test]
    fn a_point_moved_in_the_picture_keeps_its_depth() {
        let camera = Camera::default();
        let view = camera.view(1.5);
        let from = Vec3::new(0.3, 1.2, 0.4);
        let at = Vec2::new(0.7, 0.2);
        let to = view.beside(from, at);
        assert_close!(view.project(to).unwrap(), at, 1e-4);
        let depth = |p: Vec3| (p - view.eye).dot(camera.direction());
        assert_close!(depth(to), depth(from), 1e-3);
    }

    #[test]
    fn the_ground_under_the_pointer_is_where_it_appears() {
        let camera = Camera::default();
        let point = camera.ground_at(1.6, Vec2::new(0.4, 0.8), 100.0).unwrap();
        assert_close!(point.y, 0.0, 1e-6);
        let seen = camera.view(1.6).project(point).unwrap();
        assert_close!(seen, Vec2::new(0.4, 0.8), 1e-4);
        assert_eq!(
            camera.ground_at(1.6, Vec2::new(0.5, 0.0), 1000.0),
            None,
            "the sky"
        );
    }

    #[test]
    fn following_does_not_depend_on_the_frame_rate() {
        let (mut once, mut often) = (Camera::default(), Camera::default());
        let goal = Vec3::new(3.0, 1.0, -2.0);
        once.follow(goal, 0.25, 0.5);
        (0..50).for_each(|_| often.follow(goal, 0.25, 0.01));
        assert_close!(once.target, often.target, 1e-4);
    }

    #[test]
    fn orbit_and_zoom_stay_in_range() {
        let mut camera = Camera::default();
        camera.orbit(100.0, 100.0);
        assert!(camera.elevation_rad <= MAX_ELEVATION_RAD);
        camera.zoom(1e12);
        camera.zoom(f32::NAN);
        camera.zoom(-1.0);
        assert_eq!(camera.distance_m, MIN_DISTANCE_M);
        assert!(camera.view(1.0).clip_from_world.is_finite());
    }
}
