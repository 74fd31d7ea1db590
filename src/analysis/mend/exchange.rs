//! Limbs that were exchanged, exchanged back.

use glam::{Quat, Vec3A};

use crate::{
    analysis::{
        check::{Exchange, LimbPair, Swap},
        motion::PosedMotion,
    },
    math::ik,
    skeleton::{JointIndex, LocalPose, ModelPose},
};

/// Gives each limb what the other does, in the frames of a swap.
pub(super) fn exchange(motion: &PosedMotion<'_>, swap: &Swap, poses: &mut [LocalPose]) {
    let limbs = Limbs::of(motion, &swap.pair);
    for frame in swap.frames.clone() {
        limbs.exchange(&motion.models[frame], swap.exchange, &mut poses[frame]);
    }
}

/// Two limbs as they rest, in the body's left, up and forward.
struct Limbs<'a> {
    motion: &'a PosedMotion<'a>,
    pair: &'a LimbPair,
    /// Of each joint of a pair, how it rests.
    rests: Vec<[Quat; 2]>,
    /// From each left bone to where the right one points.
    across: Vec<Quat>,
}

impl<'a> Limbs<'a> {
    fn of(motion: &'a PosedMotion<'a>, pair: &'a LimbPair) -> Self {
        let rest = motion.skeleton.rest_model();
        let body = rest.joints()[pair.trunk].rotation * pair.trunk_from_body;
        let unturned = |joint: usize| body.conjugate() * rest.joints()[joint].rotation;
        let bone = |joint: usize| {
            let way = rest.bone_end(motion.skeleton, joint) - rest.joints()[joint].translation;
            (body.conjugate() * way).normalize_or(Vec3A::Y)
        };
        let joints = pair.joints.iter();
        Self {
            motion,
            pair,
            rests: joints.clone().map(|it| it.map(unturned)).collect(),
            across: joints
                .map(|&[left, right]| ik::arc(bone(left), bone(right)))
                .collect(),
        }
    }

    fn exchange(&self, own: &ModelPose, exchange: Exchange, pose: &mut LocalPose) {
        let body = own.joints()[self.pair.trunk].rotation * self.pair.trunk_from_body;
        let mut model = own.clone();
        for (index, joints) in self.pair.joints.iter().enumerate() {
            for (to, from) in [(0, 1), (1, 0)] {
                let rotation = own.joints()[joints[from]].rotation;
                let turn = body.conjugate() * rotation * self.rests[index][from].conjugate();
                let turn = match (exchange, to) {
                    (Exchange::Mirrored, _) => mirrored(turn),
                    (Exchange::Places, 0) => turn * self.across[index],
                    (Exchange::Places, _) => turn * self.across[index].conjugate(),
                };
                self.turn(
                    joints[to],
                    body * turn * self.rests[index][to],
                    &mut model,
                    pose,
                );
            }
        }
    }

    /// Turns a joint in model space, and takes what hangs below along.
    fn turn(&self, joint: usize, rotation: Quat, model: &mut ModelPose, pose: &mut LocalPose) {
        let skeleton = self.motion.skeleton;
        let above = usize::from(skeleton.parents()[joint]);
        let above = model
            .joints()
            .get(above)
            .map_or(Quat::IDENTITY, |it| it.rotation);
        pose.joints_mut()[joint].rotation = (above.conjugate() * rotation).normalize();
        model.place_joint(skeleton, pose, joint);
        for below in skeleton.below(joint as JointIndex) {
            model.place_joint(skeleton, pose, usize::from(below));
        }
    }
}

/// The same turn in a mirror between left and right.
fn mirrored(turn: Quat) -> Quat {
    Quat::from_xyzw(turn.x, -turn.y, -turn.z, turn.w)
}
