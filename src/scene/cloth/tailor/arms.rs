//! Arms stretched out to the sides, as sleeves are cut.

use glam::{Quat, Vec3A};

use crate::{
    humanoid::{Human, Limb, Side},
    math::Transform,
    skeleton::{JointIndex, NO_PARENT},
};

/// A little down from level, as arms rest best.
const DOWN: f32 = -0.12;

/// Turns arms, upper and lower, until they point to their sides.
pub(super) fn stretch(joints: &mut [Transform], parents: &[JointIndex], human: &Human) {
    for side in [Side::Left, Side::Right] {
        let sign = if side == Side::Left { 1.0 } else { -1.0 };
        let aim = Vec3A::new(sign, DOWN, 0.0).normalize();
        for [from, to] in [[Limb::UpperArm, Limb::Forearm], [Limb::Forearm, Limb::Hand]] {
            let [from, to] = [from, to].map(|limb| human.first(side.role(limb)));
            if let (Some(from), Some(to)) = (from, to) {
                point(joints, parents, [from, to].map(usize::from), aim);
            }
        }
    }
}

/// Turns a joint with all that hangs on it, so that another lies where it aims.
fn point(joints: &mut [Transform], parents: &[JointIndex], [from, to]: [usize; 2], aim: Vec3A) {
    let pivot = joints[from].translation;
    let along = (joints[to].translation - pivot).normalize_or(aim);
    let turn = Quat::from_rotation_arc(along.into(), aim.into());
    for (index, joint) in joints.iter_mut().enumerate() {
        if hangs_on(parents, index, from) {
            let at = pivot + turn * (joint.translation - pivot);
            *joint = Transform::new(turn * joint.rotation, at);
        }
    }
}

fn hangs_on(parents: &[JointIndex], mut joint: usize, on: usize) -> bool {
    loop {
        if joint == on {
            return true;
        }
        match parents[joint] {
            NO_PARENT => return false,
            parent => joint = usize::from(parent),
        }
    }
}
