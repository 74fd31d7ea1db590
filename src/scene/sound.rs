//! The last guard before the GPU: what is not finite, or too far away for
//! single precision to draw, is left out of a picture and counted.
//!
//! Importers refuse such numbers one by one; this is for what sound numbers
//! can still grow to together, as scales do along a chain of joints.

use glam::Vec3;

use super::{Batch, Camera, FrameData, Instance, Light, Look, SheetMesh};

/// Metres from the origin beyond which nothing is drawn: ten million
/// kilometres. Its square and its cube are still finite.
pub const REACH_M: f32 = 1e10;

/// Whether a place can be drawn.
#[must_use]
pub fn within_reach(at: Vec3) -> bool {
    // A NaN is not below anything.
    at.abs().max_element() < REACH_M && !at.is_nan()
}

fn all_within_reach(numbers: &[f32]) -> bool {
    // All of them, without a branch: eight at a time.
    numbers
        .iter()
        .fold(true, |sound, it| sound & (it.abs() < REACH_M))
}

impl FrameData {
    /// Whether all of it can be drawn. Characters and sheets can: they were
    /// judged when they were pushed.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.camera.is_sound()
            && self.look.is_sound()
            && self.bones.iter().all(|it| it.is_sound())
            && self.lines.iter().all(|it| it.is_sound())
            && self.labels.iter().all(|it| within_reach(it.at))
    }

    /// Leaves out what cannot be drawn of bones, lines and labels and counts it
    /// in [`FrameData::left_out`]; a camera or a look that cannot be drawn with
    /// becomes the default.
    pub fn drop_unsound_marks(&mut self) {
        let before = self.count_marks();
        self.bones.retain(|it| it.is_sound());
        self.lines.retain(|it| it.is_sound());
        self.labels.retain(|it| within_reach(it.at));
        self.left_out += before - self.count_marks();
        if !self.camera.is_sound() {
            self.camera = Camera::default();
            self.left_out += 1;
        }
        if !self.look.is_sound() {
            self.look = Look::default();
            self.left_out += 1;
        }
    }

    fn count_marks(&self) -> usize {
        self.bones.len() + self.lines.len() + self.labels.len()
    }

    /// What a user is told; `None` when all could be drawn.
    #[must_use]
    pub fn left_out_message(&self) -> Option<String> {
        let what = match self.left_out {
            0 => return None,
            1 => "1 thing".to_owned(),
            count => format!("{count} things"),
        };
        Some(format!(
            "{what} left out of the picture: their places are not finite or beyond {REACH_M:e} m; \
             look for a wrong scale or unit in the file"
        ))
    }
}

impl super::BoneShape {
    fn is_sound(&self) -> bool {
        within_reach(self.from) && within_reach(self.to) && self.radius_m.abs() < REACH_M
    }
}

impl super::Line {
    fn is_sound(&self) -> bool {
        within_reach(self.from) && within_reach(self.to) && all_within_reach(&self.colour)
    }
}

impl SheetMesh {
    pub(super) fn is_sound(&self) -> bool {
        let mut vertices = self.vertices.iter();
        vertices.all(|it| all_within_reach(&it.position) && all_within_reach(&it.normal))
    }
}

impl Camera {
    fn is_sound(&self) -> bool {
        let angles = [self.azimuth_rad, self.elevation_rad];
        let free = [
            self.free.left,
            self.free.right,
            self.free.top,
            self.free.bottom,
        ];
        within_reach(self.target)
            && all_within_reach(&angles)
            && all_within_reach(&free)
            && (0.0..REACH_M).contains(&self.distance_m)
            && (0.0..std::f32::consts::PI).contains(&self.fov_y_rad)
    }
}

impl Look {
    fn is_sound(&self) -> bool {
        let light = |it: &Light| within_reach(it.towards) && within_reach(it.colour);
        let phong = &self.phong;
        let colours = [phong.ambient, phong.diffuse, phong.specular, phong.emissive];
        light(&self.key)
            && light(&self.fill)
            && colours.into_iter().all(within_reach)
            && within_reach(self.skin)
            && all_within_reach(&[phong.shininess, self.ground_y])
    }
}

impl Instance {
    fn is_sound(&self) -> bool {
        all_within_reach(&self.tint) && self.opacity.abs() < REACH_M
    }
}

impl Batch {
    /// Whether all characters from this one on can be drawn; asked of every
    /// character of every picture, so of whole lists at once. Occluders hang
    /// from the same joints: where those are sound, so are they.
    pub(super) fn is_sound_from(&self, instance: usize) -> bool {
        let joints = instance * self.body.joint_from_bind().len();
        let (slots, morphs) = self.model_numbers();
        let slot = |it: &glam::Affine3A| all_within_reach(&it.to_cols_array());
        all_within_reach(bytemuck::cast_slice(&self.palettes[joints..]))
            && self.slots[instance * slots..].iter().all(slot)
            && all_within_reach(&self.morphs[instance * morphs..])
            // None where no character shows any.
            && all_within_reach(self.errors.get(joints..).unwrap_or_default())
            && self.instances[instance..].iter().all(Instance::is_sound)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        body::Body,
        scene::{BoneShape, ClothVertex, Label, Line},
        skeleton::{WorldPose, testing::cmu_like},
    };

    fn frame_of(poses: &[&WorldPose], body: &Arc<Body>) -> FrameData {
        let mut frame = FrameData::default();
        let errors = vec![0.5; body.joint_from_bind().len()];
        for pose in poses {
            frame.push_character(body, pose, Instance::default(), Some(&errors));
        }
        frame
    }

    #[test]
    fn one_of_two_characters_is_left_out_whole() {
        let skeleton = cmu_like();
        let body = Arc::new(Body::grow(&skeleton));
        let sound = WorldPose::from(skeleton.rest_model());
        for wild in [f32::NAN, f32::INFINITY, -1e20] {
            let mut broken = sound.clone();
            broken.joints_mut()[3].translation.x = wild;
            let frame = frame_of(&[&sound, &broken, &sound], &body);
            assert_eq!(frame.left_out, 1);
            let alone = frame_of(&[&sound, &sound], &body);
            let (batch, expected) = (&frame.batches()[0], &alone.batches()[0]);
            assert_eq!(batch.instances, expected.instances);
            assert_eq!(batch.palettes, expected.palettes);
            assert_eq!(batch.occluders, expected.occluders);
            assert_eq!(batch.errors, expected.errors);
            assert_eq!(frame.bounds(), alone.bounds());
            assert_eq!(frame.hull(), alone.hull());
        }
    }

    #[test]
    fn a_sheet_with_a_hole_in_space_is_left_out() {
        let vertex = |x| ClothVertex {
            position: [x, 0.0, 0.0],
            ..ClothVertex::default()
        };
        let sheet = |x| SheetMesh {
            vertices: vec![vertex(0.0), vertex(x)],
            indices: Arc::new([0, 1, 0]),
        };
        let mut frame = FrameData::default();
        for x in [1.0, f32::NAN, 2.0 * REACH_M] {
            frame.push_sheet(sheet(x));
        }
        assert_eq!((frame.sheets().len(), frame.left_out), (1, 2));
    }

    #[test]
    fn marks_without_a_place_are_left_out_and_told() {
        let mut frame = FrameData::default();
        for at in [Vec3::ONE, Vec3::NAN, Vec3::splat(2.0 * REACH_M)] {
            frame.bones.push(BoneShape {
                from: Vec3::ZERO,
                to: at,
                radius_m: 0.1,
                colour: [1.0; 3],
                on_top: false,
            });
            frame.lines.push(Line {
                from: at,
                to: Vec3::ZERO,
                colour: [1.0; 4],
                width_px: 1.0,
                on_top: false,
            });
            let text = String::new();
            frame.labels.push(Label { at, text });
        }
        assert_eq!(frame.left_out_message(), None);
        frame.drop_unsound_marks();
        let left = [frame.bones.len(), frame.lines.len(), frame.labels.len()];
        assert_eq!((left, frame.left_out), ([1; 3], 6));
        let told = frame.left_out_message().unwrap();
        assert!(told.starts_with("6 things left out"), "{told}");
    }

    #[test]
    fn a_camera_nowhere_becomes_the_default() {
        let mut frame = FrameData::default();
        frame.camera.target = Vec3::NAN;
        frame.look.ground_y = f32::INFINITY;
        frame.drop_unsound_marks();
        assert_eq!(frame.camera, Camera::default());
        assert_eq!((frame.look, frame.left_out), (Look::default(), 2));
        assert!(frame.is_sound());
    }
}
