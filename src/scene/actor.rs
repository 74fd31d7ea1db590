//! From poses to [`FrameData`]: skin, bones, axes, names, paths, ghosts.

use std::sync::Arc;

use glam::{Vec3, Vec3A};

use super::{BoneShape, FrameData, Instance, Label, Line};
use crate::{
    body::Body,
    humanoid::Side,
    math::Transform,
    skeleton::{NO_PARENT, Skeleton, WorldPose},
};

/// Who is to be shown: a skeleton, its body and a pose.
#[derive(Clone, Copy, Debug)]
pub struct Actor<'a> {
    /// Names and hierarchy.
    pub skeleton: &'a Skeleton,
    /// The skin.
    pub body: &'a Arc<Body>,
    /// Where its joints are in the world.
    pub pose: &'a WorldPose,
}

/// What to show of an actor beyond or instead of its skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Leaves the skin out.
    pub hide_skin: bool,
    /// Solid bones, end bones too; through the skin when that is shown.
    pub bones: bool,
    /// The three axes of every joint.
    pub axes: bool,
    /// Every joint's name.
    pub names: bool,
}

/// Linear colours of bones by what they are: left, right, middle.
pub const ROLES: [[f32; 3]; 3] = [[0.10, 0.36, 0.80], [0.80, 0.22, 0.10], [0.72, 0.58, 0.24]];

/// A joint this near to its parent's end continues its bone, as a share of the
/// body's height.
const JOINED: f32 = 0.005;
/// No bone is longer: a root that stays on the floor is no part of the body.
const LONGEST_LINK: f32 = 0.5;

impl FrameData {
    /// Adds an actor as the overlay asks.
    pub fn push_actor(&mut self, actor: Actor<'_>, overlay: Overlay, errors: Option<&[f32]>) {
        if !overlay.hide_skin {
            self.push_character(actor.body, actor.pose, Instance::default(), errors);
        }
        self.push_overlay(actor, overlay);
    }

    /// Adds all that an overlay asks for but the skin.
    pub(super) fn push_overlay(&mut self, actor: Actor<'_>, overlay: Overlay) {
        if overlay.bones {
            self.push_bones(actor, !overlay.hide_skin);
        }
        if overlay.axes {
            self.push_axes(actor);
        }
        if overlay.names {
            self.push_names(actor);
        }
    }

    /// A see-through copy in another pose; `age` from −1 (past) to 1 (future).
    pub fn push_ghost(&mut self, actor: Actor<'_>, age: f32) {
        // Cool for the past, warm for the future. Tints multiply, so a channel
        // above 1 brightens.
        let tint = if age < 0.0 {
            [0.45, 0.70, 1.25]
        } else {
            [1.25, 0.80, 0.45]
        };
        let instance = Instance {
            tint,
            opacity: 0.34 * (1.0 - 0.75 * age.abs()).max(0.2),
            shows_error: false,
        };
        self.push_character(actor.body, actor.pose, instance, None);
    }

    /// One solid per bone, links to joints that begin elsewhere than where their
    /// parent's bone ends, as thighs and collar bones do, and a ball per joint.
    fn push_bones(&mut self, actor: Actor<'_>, on_top: bool) {
        let Actor { skeleton, pose, .. } = actor;
        let size = extent_m(actor);
        let at = |joint: usize| pose.joints()[joint].position();
        let ends = (0..skeleton.len()).map(|joint| Vec3::from(pose.bone_end(skeleton, joint)));
        let ends: Vec<Vec3> = ends.collect();
        // A bone that leads to none of several children stands for the links.
        let mut leads_on = vec![None; skeleton.len()];
        for (index, joint) in skeleton.joints().iter().enumerate() {
            if joint.parent == NO_PARENT {
                continue;
            }
            let parent = usize::from(joint.parent);
            let continues = at(index).distance(ends[parent]) < JOINED * size;
            leads_on[parent] = Some(continues || leads_on[parent] == Some(true));
            if !continues && at(index).distance(at(parent)) < LONGEST_LINK * size {
                let bone = bone_shape(at(parent), at(index), size, side_colour(&joint.name));
                self.bones.extend(bone.map(|it| BoneShape { on_top, ..it }));
            }
        }
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let (from, colour) = (at(index), side_colour(&joint.name));
            if leads_on[index] != Some(false) {
                let bone = bone_shape(from, ends[index], size, colour);
                self.bones.extend(bone.map(|it| BoneShape { on_top, ..it }));
            }
            self.bones.push(BoneShape {
                from,
                to: from,
                radius_m: 0.0065 * size,
                colour: colour.map(|c| 0.35 + 0.5 * c),
                on_top,
            });
        }
    }

    fn push_axes(&mut self, actor: Actor<'_>) {
        let length_m = 0.035 * extent_m(actor);
        for joint in actor.pose.joints() {
            self.push_axes_of(*joint, length_m);
        }
    }

    /// The three axes of a place.
    pub(super) fn push_axes_of(&mut self, place: Transform, length_m: f32) {
        let axes = [
            // Red, green, blue for X, Y, Z, as every tool has them.
            (Vec3A::X, [0.85, 0.06, 0.06, 1.0]),
            (Vec3A::Y, [0.10, 0.62, 0.10, 1.0]),
            (Vec3A::Z, [0.08, 0.25, 0.95, 1.0]),
        ];
        for (axis, colour) in axes {
            self.lines.push(Line {
                from: place.position(),
                to: place.transform_point(axis * length_m).into(),
                colour,
                width_px: 2.5,
                on_top: true,
            });
        }
    }

    fn push_names(&mut self, actor: Actor<'_>) {
        let joints = actor.skeleton.joints().iter().zip(actor.pose.joints());
        self.labels.extend(joints.map(|(joint, place)| Label {
            at: place.position(),
            text: joint.name.clone(),
        }));
    }

    /// A path through points, fading towards its start.
    pub fn push_trajectory(&mut self, points: &[Vec3], colour: [f32; 3]) {
        let segments = points.len().saturating_sub(1).max(1) as f32;
        for (index, pair) in points.windows(2).enumerate() {
            let opacity = 0.25 + 0.75 * (index as f32 + 1.0) / segments;
            self.lines.push(Line {
                from: pair[0],
                to: pair[1],
                colour: [colour[0], colour[1], colour[2], opacity],
                width_px: 2.5,
                on_top: false,
            });
        }
    }
}

/// A bone between two points; none where they are one, as a spike has no
/// direction then.
fn bone_shape(from: Vec3, to: Vec3, size_m: f32, colour: [f32; 3]) -> Option<BoneShape> {
    let length_m = from.distance(to);
    // Shares of the body's height, so that a mouse's bones look like a giant's;
    // within them the long bones are the thick ones.
    let radius_m = (0.11 * length_m).clamp(0.004 * size_m, 0.017 * size_m);
    (length_m > 1e-4 * size_m).then_some(BoneShape {
        from,
        to,
        radius_m,
        colour,
        on_top: false,
    })
}

fn extent_m(actor: Actor<'_>) -> f32 {
    actor.skeleton.rest_height_m().max(1e-4)
}

/// The colour of a bone: of its side, or of the middle.
fn side_colour(joint_name: &str) -> [f32; 3] {
    ROLES[match Side::of_name(joint_name) {
        Some(Side::Left) => 0,
        Some(Side::Right) => 1,
        None => 2,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Joint, testing::cmu_like};

    #[test]
    fn bones_of_every_rig_are_coloured_by_side() {
        for (name, role) in [
            ("lfemur", 0),
            ("mixamorig:LeftUpLeg", 0),
            ("thigh_l", 0),
            ("UpperLeg.L", 0),
            ("Bip01 L Thigh", 0),
            ("L_Wrist", 0),
            ("shoulder_L", 0),
            ("rhand", 1),
            ("upperarm_r", 1),
            ("hand.R", 1),
            ("Bip01_R_Foot", 1),
            ("root", 2),
            ("lowerback", 2),
            ("head", 2),
        ] {
            assert_eq!(side_colour(name), ROLES[role], "{name}");
        }
    }

    #[test]
    fn an_overlay_adds_what_it_says() {
        let skeleton = cmu_like();
        let body = Arc::new(Body::grow(&skeleton));
        let pose = WorldPose::from(skeleton.rest_model());
        let actor = Actor {
            skeleton: &skeleton,
            body: &body,
            pose: &pose,
        };
        let mut frame = FrameData::default();
        let all = Overlay {
            hide_skin: true,
            bones: true,
            axes: true,
            names: true,
        };
        frame.push_actor(actor, all, None);
        assert!(frame.batches().is_empty());
        // 30 bones with length, 31 joints.
        assert_eq!(frame.bones.len(), 61);
        assert_eq!(frame.lines.len(), 93);
        assert_eq!(frame.labels.len(), 31);
        let spikes = frame.bones.iter().filter(|bone| bone.from != bone.to);
        assert_eq!(spikes.count(), 30);
        frame.push_trajectory(&[Vec3::ZERO, Vec3::X, Vec3::Y], [1.0; 3]);
        assert_eq!(frame.lines.len(), 95);
        frame.push_ghost(actor, -0.5);
        assert!(frame.batches()[0].instances[0].opacity < 0.5);
    }

    /// Hips of a BVH or glTF file end anywhere; thighs and spine begin apart.
    #[test]
    fn every_joint_hangs_on_its_parent() {
        let tips = |at: [f32; 3]| Vec3::from(at);
        let joint = |name: &str, parent, at, tip| Joint::new(name, parent, tips(at), tips(tip));
        let joints = vec![
            joint("reference", NO_PARENT, [0.0; 3], [0.0; 3]),
            joint("hips", 0, [0.0, 0.95, 0.0], [0.0, -0.03, 0.0]),
            joint("LeftUpLeg", 1, [0.1, -0.05, 0.0], [0.0, -0.4, 0.0]),
            joint("LeftLeg", 2, [0.0, -0.4, 0.0], [0.0, -0.45, 0.0]),
            joint("RightUpLeg", 1, [-0.1, -0.05, 0.0], [0.0, -0.4, 0.0]),
            joint("Spine", 1, [0.0, 0.1, 0.0], [0.0, 0.5, 0.0]),
            joint("LeftShoulder", 5, [0.1, 0.45, 0.0], [0.1, 0.0, 0.0]),
        ];
        let skeleton = Skeleton::new("links", joints).unwrap();
        let body = Arc::new(Body::grow(&skeleton));
        let pose = WorldPose::from(skeleton.rest_model());
        let actor = Actor {
            skeleton: &skeleton,
            body: &body,
            pose: &pose,
        };
        let mut frame = FrameData::default();
        frame.push_bones(actor, false);
        let at = |joint: usize| pose.joints()[joint].position();
        let drawn = |from: usize, to: usize| {
            let mut bones = frame.bones.iter();
            bones.any(|it| it.from == at(from) && it.to.distance(at(to)) < 1e-5)
        };
        for (parent, child) in [(1, 2), (2, 3), (1, 4), (1, 5), (5, 6)] {
            assert!(drawn(parent, child), "{parent} to {child}");
        }
        assert!(!drawn(0, 1), "the floor is no bone");
        let stub = Vec3::from(pose.bone_end(&skeleton, 1));
        assert!(!frame.bones.iter().any(|it| it.to == stub));
    }
}
