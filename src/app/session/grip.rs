//! What the pointer takes hold of: the sheet, or a joint.

use glam::Vec2;

use super::Session;
use crate::{
    posing::{PoseAction, WholeBody},
    scene::{CameraView, Character},
    skeleton::JointIndex,
};

/// Pixels around the pointer in which a joint is found.
const PICK_PX: f32 = 14.0;

/// Newton-seconds for a metre that a joint was drawn.
const PUSH_NS_M: f32 = 300.0;

/// What was taken hold of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// The sheet.
    Cloth,
    /// A joint of the lead.
    Joint,
}

/// Where a joint in the hand is to be, in shares of the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldJoint {
    at: Vec2,
    /// From the pointer to the joint as it was taken, so that nothing jumps.
    joint_from_pointer: Vec2,
    aspect: f32,
}

impl Session {
    /// As long before and after this moment as the panel says; of what is driven
    /// for good.
    fn kept_range_secs(&self) -> [Option<f64>; 2] {
        let around_secs = f64::from(self.panels.pose.keep_around_secs);
        let driven = self.scene().lead().is_none_or(Character::is_driven);
        if driven || around_secs <= 0.0 {
            return [None, None];
        }
        let now_secs = self.scene().clock.time_secs();
        [
            Some((now_secs - around_secs).max(0.0)),
            Some(now_secs + around_secs),
        ]
    }

    fn camera_view(&self, size: Vec2) -> CameraView {
        let camera = &self.scene().camera.camera;
        camera.view(size.x / size.y.max(1.0))
    }

    /// The joint near a point of the picture; both in pixels.
    #[must_use]
    pub fn joint_at(&self, at: Vec2, size: Vec2) -> Option<JointIndex> {
        let view = self.camera_view(size);
        let joints = self.scene().lead()?.world_pose().joints();
        let near = joints.iter().enumerate().filter_map(|(index, joint)| {
            let distance = (view.project(joint.position())? * size).distance(at);
            (distance <= PICK_PX).then_some((index, distance))
        });
        near.min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(index, _)| index as JointIndex)
    }

    /// The joint that a drag from there would take hold of: the one that is
    /// near, where no cloth is before it.
    #[must_use]
    pub fn joint_in_reach(&self, at: Vec2, size: Vec2) -> Option<JointIndex> {
        let joint = self.joint_at(at, size)?;
        let view = self.camera_view(size);
        let place = self.scene().lead()?.world_pose().joints()[usize::from(joint)];
        let cloth_m = self.scene().cloth.distance_at(&view, at, size);
        let joint_m = place.position().distance(view.eye);
        cloth_m
            .is_none_or(|cloth_m| joint_m < cloth_m)
            .then_some(joint)
    }

    /// Takes hold of whatever is under the pointer; of a joint and cloth that
    /// both are, whichever is nearer to the eye. Pixels.
    pub fn take_hold(&mut self, at: Vec2, size: Vec2) -> Option<Grip> {
        if let Some(joint) = self.joint_in_reach(at, size) {
            self.take_joint(joint, at, size);
            return Some(Grip::Joint);
        }
        self.grab_cloth(at, size).then_some(Grip::Cloth)
    }

    fn take_joint(&mut self, joint: JointIndex, at: Vec2, size: Vec2) {
        let view = self.camera_view(size);
        let Some(lead) = self.scene_mut().lead_mut() else {
            return;
        };
        let place = lead.world_pose().joints()[usize::from(joint)].position();
        lead.take_hold(joint);
        let pointer = at / size.max(Vec2::ONE);
        let seen = view.project(place).unwrap_or(pointer);
        self.held_joint = Some(HeldJoint {
            at: seen,
            joint_from_pointer: seen - pointer,
            aspect: size.x / size.y.max(1.0),
        });
    }

    /// Draws the joint after the pointer.
    pub fn pull_joint(&mut self, at: Vec2, size: Vec2) {
        if let Some(held) = &mut self.held_joint {
            held.at = at / size.max(Vec2::ONE) + held.joint_from_pointer;
            held.aspect = size.x / size.y.max(1.0);
        }
    }

    /// Before every step: a camera that goes along takes what is held along. As
    /// deep in the picture as the motion has it.
    pub(super) fn draw_held_joint(&mut self) {
        let Some(held) = self.held_joint else {
            return;
        };
        let scene = self.scene_mut();
        let view = scene.camera.camera.view(held.aspect);
        let Some(lead) = scene.lead_mut() else {
            return;
        };
        let joint = lead.held_joint().map(usize::from);
        let own = joint.and_then(|joint| lead.own_pose().joints().get(joint));
        if let Some(own) = own {
            lead.pull_to(view.beside(own.position(), held.at));
        }
    }

    /// Pins the end of a limb, head or hips, or no longer.
    pub fn toggle_pin(&mut self, joint: JointIndex) {
        let Some(lead) = self.scene().lead() else {
            return;
        };
        let Some(body) = WholeBody::of(&lead.skeleton) else {
            return;
        };
        let end = body.end_of(&lead.skeleton, joint);
        let on = !lead.posing().pins(&lead.skeleton).contains(&end);
        let name = lead.skeleton.joints()[usize::from(end)].name.clone();
        let joint = name.replace(' ', "_");
        self.pose(&PoseAction::Pin { joint, on });
    }

    /// Lets go of the joint, which eases back to its motion, or stays where it came
    /// for a stretch of the clip.
    pub fn release_joint(&mut self) {
        self.held_joint = None;
        let keep = self.panels.pose.keep;
        if let Some([from, to]) = keep.then(|| self.kept_range_secs()) {
            let ease_secs = self.panels.pose.keep_ease_secs.into();
            if let Some(lead) = self.scene_mut().lead_mut() {
                lead.keep_hold(from, to, ease_secs);
            }
        }
        let scenes = [
            &mut self.view_scene,
            &mut self.blend_scene,
            &mut self.drive_scene,
        ];
        let leads = scenes.into_iter().filter_map(|scene| scene.lead_mut());
        leads.for_each(Character::let_go);
    }

    /// Lets go of the joint with a push: the further it was drawn, the harder.
    pub fn throw_joint(&mut self) {
        let push = self
            .held_joint()
            .zip(self.scene().lead())
            .map(|(joint, lead)| {
                let index = usize::from(joint);
                let way = lead.world_pose().joints()[index].translation
                    - lead.own_pose().joints()[index].translation;
                PoseAction::Push {
                    joint: lead.skeleton.joints()[index].name.replace(' ', "_"),
                    impulse: (way * PUSH_NS_M).into(),
                }
            });
        self.release_joint();
        if let Some(push) = push {
            self.pose(&push);
        }
    }

    /// The joint in the hand.
    #[must_use]
    pub fn held_joint(&self) -> Option<JointIndex> {
        self.scene().lead()?.held_joint()
    }

    /// How far what is held is from where its motion has it.
    #[must_use]
    pub fn pulled_cm(&self) -> Option<f32> {
        let (lead, joint) = (self.scene().lead()?, self.held_joint()?);
        let [own, seen] = [lead.own_pose(), lead.world_pose()]
            .map(|pose| pose.joints()[usize::from(joint)].position());
        Some(own.distance(seen) * 100.0)
    }

    /// What the lead calls a joint.
    #[must_use]
    pub fn joint_name(&self, joint: Option<JointIndex>) -> Option<&str> {
        let joints = self.scene().lead()?.skeleton.joints();
        Some(&joints.get(usize::from(joint?))?.name)
    }

    /// Takes hold of the sheet at a point of the picture; both in pixels.
    pub fn grab_cloth(&mut self, at: Vec2, size: Vec2) -> bool {
        let view = self.camera_view(size);
        self.scene_mut().cloth.grab(&view, at, size)
    }

    /// Draws what is held after the pointer.
    pub fn pull_cloth(&mut self, at: Vec2, size: Vec2) {
        let view = self.camera_view(size);
        self.scene_mut().cloth.pull(&view, at, size);
    }

    /// Lets go of the sheet.
    pub fn release_cloth(&mut self) {
        self.scene_mut().cloth.release();
    }
}
