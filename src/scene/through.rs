//! Looking through a camera of a file.

use glam::{Mat4, Vec3, camera::rh};

use super::{CameraView, FreeArea, Scene};
use crate::{
    math::Transform,
    skeleton::{Landmark, Lens, Projection},
};

/// A picture without perspective is taken from this many of its heights away:
/// what is a tenth of a picture nearer is then 0.2 % larger.
const FAR_HEIGHTS: f32 = 50.0;
/// Nearest that anything is looked at, metres.
const LEAST_FOCUS_M: f32 = 0.05;
/// Of the way to what is looked at; nothing is drawn nearer.
const NEAR: f32 = 0.01;

/// A camera that stands somewhere, with a lens of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Through {
    /// It looks along −Z, +Y up.
    pub world_from_camera: Transform,
    /// What it sees.
    pub lens: Lens,
}

impl Through {
    /// Which way it looks.
    #[must_use]
    pub fn forward(&self) -> Vec3 {
        self.world_from_camera.rotation * Vec3::NEG_Z
    }

    /// Whether the horizon lies aslant.
    #[must_use]
    pub fn rolls(&self) -> bool {
        (self.world_from_camera.rotation * Vec3::X).y.abs() > 1e-4
    }

    /// Matrices for a picture of the given width over height: all that the lens
    /// sees is within the free area, and more at two sides where that has another
    /// shape.
    #[must_use]
    pub fn view(&self, aspect: f32, free: FreeArea, focus: Vec3) -> CameraView {
        let (ahead, at) = (self.forward(), self.world_from_camera.position());
        let focus_m = (focus - at).dot(ahead).max(LEAST_FOCUS_M);
        let (tan, back_m) = match self.lens.projection {
            Projection::Perspective { fov_y_rad } => ((fov_y_rad / 2.0).tan(), 0.0),
            Projection::Orthographic { height_m } => {
                let back_m = FAR_HEIGHTS * height_m;
                (height_m / 2.0 / (back_m + focus_m), back_m)
            }
        };
        let (width, height) = (free.width(), free.height());
        let free_aspect = aspect * width / height;
        let wider = self
            .lens
            .aspect
            .map_or(1.0, |own| (own / free_aspect).max(1.0));
        let fov_y_rad = 2.0 * (tan * wider / height).atan();
        let near_m = back_m.max(NEAR * focus_m);
        let eye = at - ahead * back_m;
        let clip_from_view =
            rh::proj::directx::perspective_infinite_reverse(fov_y_rad, aspect, near_m);
        let up = self.world_from_camera.rotation * Vec3::Y;
        let view_from_world = rh::view::look_to_mat4(eye, ahead, up);
        let shifted = Mat4::from_translation(free.centre().extend(0.0));
        CameraView {
            clip_from_world: shifted * clip_from_view * view_from_world,
            eye,
            near_m,
        }
    }
}

impl Scene {
    /// Cameras of the lead's file that can be looked through.
    pub fn file_cameras(&self) -> impl Iterator<Item = &Landmark> {
        let lead = self.lead().into_iter();
        lead.flat_map(|lead| lead.skeleton.cameras().map(|(camera, _)| camera))
    }

    /// Where the camera that is looked through is now, if one is.
    pub(super) fn through(&self) -> Option<Through> {
        let (lead, wanted) = (self.lead()?, self.options.through.as_ref()?);
        let mut cameras = lead.skeleton.cameras();
        let (camera, lens) = cameras.find(|(camera, _)| camera.name == *wanted)?;
        let place = camera.in_pose(lead.world_pose(), lead.world_from_model());
        place.is_finite().then_some(Through {
            world_from_camera: place,
            lens,
        })
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec2, Vec3A};

    use super::*;

    fn looking(projection: Projection, aspect: Option<f32>) -> Through {
        Through {
            world_from_camera: Transform::new(Quat::IDENTITY, Vec3::new(0.0, 1.0, 4.0)),
            lens: Lens { projection, aspect },
        }
    }

    /// Closed form: y / (z tan) and x / (z tan · aspect).
    #[test]
    fn a_lens_sees_what_its_angle_holds() {
        let through = looking(Projection::Perspective { fov_y_rad: 1.0 }, Some(2.0));
        let edge = 4.0 * 0.5f32.tan();
        let seen = |aspect: f32, point: Vec3| {
            let view = through.view(aspect, FreeArea::default(), Vec3::Y);
            view.project(point).unwrap()
        };
        let top = Vec3::new(0.0, 1.0 + edge, 0.0);
        assert_close!(seen(2.0, top), Vec2::new(0.5, 0.0), 1e-5);
        // A narrow picture holds the whole width, and more above and below.
        let right = Vec3::new(2.0 * edge, 1.0, 0.0);
        assert_close!(seen(1.0, right), Vec2::new(1.0, 0.5), 1e-5);
        assert_close!(seen(1.0, top), Vec2::new(0.5, 0.25), 1e-5);
        // A wide one shows more to both sides.
        assert_close!(seen(4.0, right), Vec2::new(0.75, 0.5), 1e-5);
    }

    #[test]
    fn a_lens_without_perspective_shows_sizes_as_they_are() {
        let through = looking(Projection::Orthographic { height_m: 2.0 }, None);
        let view = through.view(1.0, FreeArea::default(), Vec3::Y);
        for z in [-0.2, 0.0, 0.2] {
            let at = view.project(Vec3::new(1.0, 2.0, z)).unwrap();
            assert_close!(at, Vec2::new(1.0, 0.0), 0.002);
        }
    }

    /// A camera on a joint goes where that goes, and whatever it shows is drawn
    /// through it.
    #[test]
    fn a_camera_of_the_lead_is_looked_through_by_name() {
        use std::sync::Arc;

        use crate::{
            body::Body,
            scene::{Character, FrameData},
            skeleton::testing::cmu_like,
        };
        let lens = Lens {
            projection: Projection::Perspective { fov_y_rad: 0.7 },
            aspect: None,
        };
        let head = cmu_like().find("head");
        let eye = Landmark {
            name: "eye".into(),
            joint: head,
            place: Transform::from_translation(Vec3::Z),
            lens: Some(lens),
        };
        let skeleton = Arc::new(cmu_like().with_landmarks(vec![eye]));
        let body = Arc::new(Body::bare(&skeleton));
        let mut scene = Scene::of(Character::at_rest("", skeleton, body));
        let mut frame = FrameData::default();
        scene.compose(&mut frame);
        assert_eq!(frame.camera.through, None);
        scene.options.through = Some("eye".into());
        scene.step(0.0);
        scene.compose(&mut frame);
        let through = frame.camera.through.unwrap();
        let pose = scene.lead().unwrap().world_pose();
        let head = pose.joints()[usize::from(head.unwrap())];
        let seen = through.world_from_camera.position();
        assert_close!(seen, Vec3::from(head.transform_point(Vec3A::Z)), 1e-5);
        assert_eq!(scene.camera.camera.view(1.5), frame.camera.view(1.5));
        scene.options.through = Some("nobody".into());
        scene.compose(&mut frame);
        assert_eq!(frame.camera.through, None);
    }

    #[test]
    fn what_a_lens_sees_fits_between_panels() {
        let through = looking(Projection::Perspective { fov_y_rad: 1.0 }, Some(1.0));
        let free = FreeArea {
            right: 0.5,
            ..FreeArea::default()
        };
        let view = through.view(1.0, free, Vec3::Y);
        let edge = 4.0 * 0.5f32.tan();
        let right = view.project(Vec3::new(edge, 1.0, 0.0)).unwrap();
        let left = view.project(Vec3::new(-edge, 1.0, 0.0)).unwrap();
        assert_close!(left, Vec2::new(0.0, 0.5), 1e-5);
        assert_close!(right, Vec2::new(0.5, 0.5), 1e-5);
    }
}
