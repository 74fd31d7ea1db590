//! A clip with every frame posed once, for whoever looks at it again and again.

use glam::{Quat, Vec3A};

use crate::{
    clip::RawClip,
    humanoid::{Human, LegChain},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A clip, its poses and what is known of who moves.
pub(crate) struct PosedMotion<'a> {
    pub skeleton: &'a Skeleton,
    pub clip: &'a RawClip,
    pub human: Human,
    pub legs: Vec<LegChain>,
    /// Of every frame, in their parents.
    pub locals: Vec<LocalPose>,
    /// The same in model space.
    pub models: Vec<ModelPose>,
    /// How far a joint's turn is felt: from it to the furthest end of a bone
    /// that it carries, metres.
    pub reach_m: Vec<f32>,
}

impl<'a> PosedMotion<'a> {
    pub fn new(skeleton: &'a Skeleton, clip: &'a RawClip) -> Self {
        let pose = |frame| {
            let mut local = LocalPose::default();
            clip.frame_pose(skeleton, frame, &mut local);
            let mut model = ModelPose::default();
            model.compute(skeleton, &local);
            (local, model)
        };
        let (locals, models) = (0..clip.frames()).map(pose).unzip();
        Self {
            skeleton,
            clip,
            human: Human::find(skeleton),
            legs: LegChain::of(skeleton),
            locals,
            models,
            reach_m: reaches_m(skeleton),
        }
    }

    pub fn frames(&self) -> usize {
        self.locals.len()
    }

    pub fn fps(&self) -> f64 {
        self.clip.fps
    }

    /// As many frames as fill a time, at least `least`.
    pub fn frames_in(&self, secs: f64, least: usize) -> usize {
        ((secs * self.fps()).round() as usize).max(least)
    }

    /// `parent_from_joint`.
    pub fn rotation(&self, frame: usize, joint: usize) -> Quat {
        self.locals[frame].joints()[joint].rotation
    }

    /// In model space, metres.
    pub fn place(&self, frame: usize, joint: usize) -> Vec3A {
        self.models[frame].joints()[joint].translation
    }

    pub fn name(&self, joint: usize) -> &str {
        &self.skeleton.joints()[joint].name
    }
}

fn reaches_m(skeleton: &Skeleton) -> Vec<f32> {
    let rest = skeleton.rest_model();
    let end = |joint: usize| rest.bone_end(skeleton, joint);
    let mut reach_m = vec![0.0f32; skeleton.len()];
    for joint in 0..skeleton.len() {
        let above = skeleton.ancestors(joint as u16).map(usize::from);
        for carrier in std::iter::once(joint).chain(above) {
            let from = rest.joints()[carrier].translation;
            reach_m[carrier] = reach_m[carrier].max(from.distance(end(joint)));
        }
    }
    reach_m
}
