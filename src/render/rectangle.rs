//! The rectangle of the picture around all that has edges.

use glam::{Mat4, Vec2, Vec3};

use crate::scene::{CameraView, FrameData};

/// Sides are multiples of this, so that a moving figure seldom needs new
/// attachments.
const STEP: u32 = 32;
/// Pixels added around everything: one that smooth edges reach into, one for
/// rounding.
const MARGIN_PX: f32 = 2.0;

/// Pixels of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PixelRectangle {
    pub origin: [u32; 2],
    pub size: [u32; 2],
}

impl PixelRectangle {
    /// Around all that is drawn with edges; `None` when there is nothing.
    pub fn around(frame: &FrameData, view: &CameraView, size: [u32; 2]) -> Option<Self> {
        let mut found = Extent::new(size);
        for &[x, y, z, radius_m] in frame.hull() {
            found.add_ball(view, Vec3::new(x, y, z), radius_m);
        }
        for bone in &frame.bones {
            for end in [bone.from, bone.to] {
                for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                    found.add(view, end + axis * bone.radius_m, MARGIN_PX);
                    found.add(view, end - axis * bone.radius_m, MARGIN_PX);
                }
            }
        }
        for line in &frame.lines {
            found.add(view, line.from, line.width_px + MARGIN_PX);
            found.add(view, line.to, line.width_px + MARGIN_PX);
        }
        found.rectangle()
    }

    /// Takes clip space of the picture to clip space of the rectangle.
    pub fn crop(&self, picture: [u32; 2]) -> Mat4 {
        let [w, h] = picture.map(|side| side as f32);
        let [x, y] = self.origin.map(|side| side as f32);
        let [own_w, own_h] = self.size.map(|side| side as f32);
        // The rectangle's centre and size in clip space, where y points up and
        // the picture is 2 wide: move the one to 0, scale the other to 2.
        let scale = Vec2::new(w / own_w, h / own_h);
        let centre = Vec2::new((2.0 * x + own_w) / w - 1.0, 1.0 - (2.0 * y + own_h) / h);
        Mat4::from_scale(scale.extend(1.0)) * Mat4::from_translation(-centre.extend(0.0))
    }
}

struct Extent {
    picture: Vec2,
    low: Vec2,
    high: Vec2,
}

impl Extent {
    fn new(size: [u32; 2]) -> Self {
        Self {
            picture: Vec2::new(size[0] as f32, size[1] as f32),
            low: Vec2::MAX,
            high: Vec2::MIN,
        }
    }

    fn add(&mut self, view: &CameraView, world: Vec3, margin_px: f32) {
        self.add_spot(view.project(world), Vec2::splat(margin_px));
    }

    /// A ball appears as an ellipse; its box is widened to the nearest side's.
    fn add_ball(&mut self, view: &CameraView, centre: Vec3, radius_m: f32) {
        let clip = view.clip_from_world * centre.extend(1.0);
        // A row's length is how far a metre across the view goes in clip space;
        // dividing by the smallest w of the ball makes it a bound in NDC.
        let rows = [0, 1].map(|axis| view.clip_from_world.row(axis).truncate().length());
        let nearest = (clip.w - radius_m).max(1e-6);
        let reach = Vec2::from(rows) * (radius_m / nearest) * 0.5 * self.picture;
        let at = view.project(centre).filter(|_| clip.w > radius_m);
        self.add_spot(at, reach + MARGIN_PX);
    }

    fn add_spot(&mut self, at: Option<Vec2>, margin_px: Vec2) {
        match at {
            Some(at) => {
                self.low = self.low.min(at * self.picture - margin_px);
                self.high = self.high.max(at * self.picture + margin_px);
            }
            // Beside or behind the camera: it may be anywhere.
            None => (self.low, self.high) = (Vec2::ZERO, self.picture),
        }
    }

    /// Whole steps, moved back into the picture where they stick out.
    fn rectangle(&self) -> Option<PixelRectangle> {
        let low = self.low.max(Vec2::ZERO).floor().as_uvec2();
        let high = self.high.min(self.picture).ceil();
        let picture = self.picture.as_uvec2();
        if !(high.x > low.x as f32 && high.y > low.y as f32) {
            return None;
        }
        let wanted = high.as_uvec2() - low;
        let side = |wanted: u32, all: u32| wanted.next_multiple_of(STEP).min(all);
        let size = [side(wanted.x, picture.x), side(wanted.y, picture.y)];
        Some(PixelRectangle {
            origin: [
                low.x.min(picture.x - size[0]),
                low.y.min(picture.y - size[1]),
            ],
            size,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Camera, Line};

    #[test]
    fn a_point_keeps_its_pixel_through_the_crop() {
        let picture = [640, 360];
        let view = Camera::default().view(640.0 / 360.0);
        let rectangle = PixelRectangle {
            origin: [128, 64],
            size: [256, 192],
        };
        let p = Vec3::new(0.1, 1.0, 0.2);
        let whole = view.project(p).unwrap() * Vec2::new(640.0, 360.0);
        let cropped = CameraView {
            clip_from_world: rectangle.crop(picture) * view.clip_from_world,
            ..view
        };
        let part = cropped.project(p).unwrap() * Vec2::new(256.0, 192.0);
        assert_close!(part + Vec2::new(128.0, 64.0), whole, 1e-2);
    }

    #[test]
    fn rectangles_stay_inside_and_cover_lines() {
        let mut frame = FrameData::default();
        let view = frame.camera.view(2.0);
        assert_eq!(PixelRectangle::around(&frame, &view, [400, 200]), None);
        let mut line = Line {
            from: frame.camera.target,
            to: frame.camera.target + Vec3::Y * 0.3,
            colour: [1.0; 4],
            width_px: 2.0,
            on_top: false,
        };
        frame.lines.push(line);
        let found = PixelRectangle::around(&frame, &view, [400, 200]).unwrap();
        assert!(found.origin[0] + found.size[0] <= 400 && found.size[0] == STEP);
        line.to = view.eye + frame.camera.direction();
        frame.lines.push(line);
        let all = PixelRectangle::around(&frame, &view, [400, 200]).unwrap();
        assert_eq!((all.origin, all.size), ([0, 0], [400, 200]));
    }
}
