//! Where a camera must stand so that a whole motion stays in the picture.

use glam::Vec3;

use super::{Actor, Camera, ViewPreset, within_reach};
use crate::{
    body::{Body, Skinning, skin_vertex},
    humanoid::facing,
    skeleton::WorldPose,
};

/// Every so many vertices of a body are enough to know its outline.
const VERTEX_STRIDE: usize = 24;

/// Points on the skin in a pose, spread over the whole body; the joints where
/// there is no skin.
pub fn outline(body: &Body, pose: &WorldPose, points: &mut Vec<Vec3>) {
    if body.model().is_some() {
        body.outline(pose, points);
        return;
    }
    if body.vertices().is_empty() {
        points.extend(pose.joints().iter().map(|joint| joint.position()));
        return;
    }
    let mut palette = vec![crate::math::Transform::IDENTITY; pose.joints().len()];
    crate::body::palette(pose, body.joint_from_bind(), &mut palette);
    let vertices = body.vertices().iter().step_by(VERTEX_STRIDE);
    points.extend(vertices.map(|vertex| -> Vec3 {
        skin_vertex(vertex, &palette, Skinning::DualQuaternion)
            .0
            .into()
    }));
}

/// The spot on the ground below a character's root.
#[must_use]
pub fn footing(pose: &WorldPose) -> Vec3 {
    let root = pose.joints().first().map(|root| root.position());
    // Nobody stands nowhere: cameras and companions reckon from here.
    let root = root.filter(|at| within_reach(*at)).unwrap_or(Vec3::ZERO);
    Vec3::new(root.x, 0.0, root.z)
}

impl Camera {
    /// A camera on a whole motion, seen from `preset` of its first pose: every
    /// pose fits when the camera follows [`footing`]. The target is for a
    /// character that stands in the origin.
    #[must_use]
    pub fn on_motion(
        actor: Actor<'_>,
        poses: &[WorldPose],
        preset: ViewPreset,
        aspect: f32,
    ) -> Self {
        let first = poses.first().unwrap_or(actor.pose);
        let mut camera = Self::default();
        camera.look_from(preset, facing(actor.skeleton, first).unwrap_or(Vec3::Z));
        camera.frame_all(&motion_room(actor.body, poses), aspect);
        camera
    }
}

/// Points that a character takes up in all poses, around its own footing.
#[must_use]
pub fn motion_room(body: &Body, poses: &[WorldPose]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for pose in poses {
        let start = points.len();
        outline(body, pose, &mut points);
        let below = footing(pose);
        points[start..].iter_mut().for_each(|point| *point -= below);
    }
    points
}
