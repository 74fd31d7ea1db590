//! What a camera must hold so that a whole motion stays in the picture.

use glam::Vec3;

use super::within_reach;
use crate::{
    body::{Body, Skinning, skin_vertex},
    skeleton::{JointIndex, WorldPose},
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

/// The spot on the ground below a joint: that which carries the body.
#[must_use]
pub fn footing(pose: &WorldPose, carrier: JointIndex) -> Vec3 {
    let at = pose.joints().get(usize::from(carrier));
    // Nobody stands nowhere: cameras and companions reckon from here.
    let at = at.map(|joint| joint.position());
    let at = at.filter(|at| within_reach(*at)).unwrap_or(Vec3::ZERO);
    Vec3::new(at.x, 0.0, at.z)
}
