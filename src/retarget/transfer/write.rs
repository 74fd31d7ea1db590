//! Poses of the target into a clip.

use glam::{Quat, Vec3, Vec3A};

use super::{Plan, Pose};
use crate::{
    clip::{RawClip, Track},
    math::quat::align_sign,
    retarget::rest_human::RestHuman,
    skeleton::{JointIndex, NO_PARENT},
};

/// Gathers frames into a clip.
pub(super) struct Writer<'a> {
    plan: &'a Plan<'a>,
    source: &'a RawClip,
    clip: RawClip,
}

impl<'a> Writer<'a> {
    pub fn new(plan: &'a Plan<'a>, source: &'a RawClip) -> Self {
        let skeleton = plan.target.skeleton;
        let joints = skeleton.len() as JointIndex;
        let animated = (0..joints).filter(|&joint| plan.drives[usize::from(joint)].is_some());
        let mut moving: Vec<JointIndex> = plan.detached.iter().map(|it| it.foot).collect();
        if plan.carrier != 0 {
            moving.push(plan.carrier);
        }
        let tracks = moving.into_iter().map(|joint| Track {
            joint,
            values: Vec::with_capacity(source.frames()),
        });
        let clip = RawClip {
            name: source.name.clone(),
            fps: source.fps,
            joints: skeleton.len(),
            animated: animated.collect(),
            translations: tracks.collect(),
            ..RawClip::default()
        };
        Self { plan, source, clip }
    }

    pub fn push(&mut self, frame: usize, pose: &Pose) {
        let skeleton = self.plan.target.skeleton;
        let in_parent = |joint: usize| {
            let parent = usize::from(skeleton.parents()[joint]);
            let (rotation, position) = match pose.rotations.get(parent) {
                Some(&rotation) => (rotation, pose.positions[parent]),
                None => (Quat::IDENTITY, Vec3A::ZERO),
            };
            let inverse = rotation.conjugate();
            (
                inverse * pose.rotations[joint],
                inverse * (pose.positions[joint] - position),
            )
        };
        let count = self.clip.animated.len();
        for index in 0..count {
            let joint = usize::from(self.clip.animated[index]);
            let rotation = in_parent(joint).0.normalize();
            // q and −q are one rotation; the nearer one keeps curves without jumps
            // for codecs and for interpolation.
            let before = match frame {
                0 => rotation,
                _ => self.clip.rotations[self.clip.rotations.len() - count],
            };
            self.clip.rotations.push(align_sign(rotation, before));
        }
        self.clip.root_translations.push(in_parent(0).1.into());
        for track in &mut self.clip.translations {
            let joint = usize::from(track.joint);
            // Tracks of translations hold what is added to the rest pose.
            let rest = skeleton.joints()[joint].rest.translation;
            track.values.push((in_parent(joint).1 - rest).into());
        }
    }

    /// Adds what joints with partners move and stretch by.
    pub fn finish(mut self) -> RawClip {
        let partners = self.plan.partners.iter().enumerate();
        let roots = [0, usize::from(self.plan.carrier)];
        for (joint, partner) in partners {
            let Some(partner) = partner.filter(|_| !roots.contains(&joint)) else {
                continue;
            };
            let joint = joint as JointIndex;
            if self.clip.translations.iter().any(|it| it.joint == joint) {
                continue;
            }
            let moves = self
                .source
                .translations
                .iter()
                .find(|it| it.joint == partner);
            if let Some(track) = moves {
                // A sliding joint slides as far as its skeleton is large.
                let values = self.moved(joint, partner, &track.values);
                self.clip.translations.push(Track { joint, values });
            }
            let stretches = self.source.stretches.iter().find(|it| it.joint == partner);
            if let Some(track) = stretches {
                let values = track.values.iter().map(|by| by * self.plan.scale).collect();
                self.clip.stretches.push(Track { joint, values });
            }
        }
        self.clip
    }

    /// A joint's own movement, from the space of the one parent to the other's.
    fn moved(&self, joint: JointIndex, partner: JointIndex, values: &[Vec3]) -> Vec<Vec3> {
        let parent_of = |rest_human: &RestHuman<'_>, joint: JointIndex| match rest_human
            .skeleton
            .parents()[usize::from(joint)]
        {
            NO_PARENT => None,
            parent => Some(parent),
        };
        let from = parent_of(self.plan.source, partner);
        let from = from.map_or(Quat::IDENTITY, |it| self.plan.source.rest(it).rotation);
        let to = parent_of(self.plan.target, joint);
        // Through model space: there both parents stand alike, one at rest, the
        // other in the retarget pose.
        let to = to.map_or(Quat::IDENTITY, |it| self.plan.aligned[usize::from(it)]);
        let retargeted = values.iter().map(|&by| {
            let by = self.plan.source.seen(from * Vec3A::from(by));
            (to.conjugate() * by * self.plan.scale).into()
        });
        retargeted.collect()
    }
}
