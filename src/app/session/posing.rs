//! Hands on whoever is seen: what the Pose section and keys ask for.

use std::path::Path;

use glam::Vec2;

use super::Session;
use crate::{
    body::BodyCache,
    load::PoseFile,
    posing::{Attachment, GroundKind, LookAt, PoseAction, PropKind},
};

/// Size of the ground that a picture becomes, metres: side, and height of white.
const FIELD_M: [f32; 2] = [40.0, 2.0];

impl Session {
    /// Does something to the pose of whoever is seen; what it names is read.
    pub fn pose(&mut self, action: &PoseAction) {
        match PoseFile::read(action, Path::new("")) {
            Ok(None) => {}
            Ok(Some(file)) => {
                let name = action.file().unwrap_or_default();
                let scene = self.scene_mut();
                file.show(name, scene, &mut BodyCache::default());
                { scene.characters.iter_mut() }.for_each(|it| file.give(name, it));
            }
            Err(error) => return self.tell_error(&error),
        }
        if let Err(error) = self.scene_mut().act(action) {
            self.tell_error(&error);
        }
    }

    pub(super) fn browse_prop(&mut self, joint: String) {
        let asks = ("A model to hold", &["glb", "gltf"][..]);
        self.jobs.loader.ask_for_pose_file(asks, move |path| {
            PoseAction::Attach(Attachment::to(PropKind::File(path), joint))
        });
    }

    pub(super) fn browse_ground(&mut self) {
        let endings = &["png", "jpg", "jpeg", "glb", "gltf"][..];
        let asks = ("A ground to stand on", endings);
        self.jobs.loader.ask_for_pose_file(asks, |path| {
            PoseAction::Ground(GroundKind::File {
                path,
                width_m: FIELD_M[0],
                height_m: FIELD_M[1],
            })
        });
    }

    /// The mouse is at a point of the picture, in pixels: whoever looks at it
    /// looks there, before the body as far away as its head is wide. True where
    /// somebody does.
    pub fn look_to_pointer(&mut self, at: Vec2, size: Vec2) -> bool {
        let scene = self.scene_mut();
        let view = scene.camera.camera.view(size.x / size.y.max(1.0));
        let Some(lead) = scene.characters.first() else {
            return false;
        };
        let Some(face) = lead
            .face()
            .filter(|_| lead.posing().look().at == LookAt::Pointer)
        else {
            return false;
        };
        // Half-way to the eye: near enough to turn to, far enough to turn calmly.
        let before = face.lerp(view.eye, 0.5);
        scene.pointer = Some(view.beside(before, at / size.max(Vec2::ONE)));
        true
    }
}
