//! What is read off the source's clip.

use glam::{Quat, Vec3A};

use crate::{
    clip::RawClip,
    humanoid::{Human, Limb, Role, Side},
    math::Transform,
    retarget::rest_human::RestHuman,
    skeleton::{JointIndex, LocalPose, ModelPose},
};

/// A first frame this far from the second, metres, is a pose for calibration.
const JUMP_M: f32 = 0.2;

/// What is read off the source, frame by frame, in model space.
pub(super) struct SourceMotion {
    /// Turns since rest of every joint, frame after frame.
    pub rotations: Vec<Vec<Quat>>,
    /// Between the hip joints.
    pub hips: Vec<Vec3A>,
    /// Balls of the feet, where there are two.
    pub balls: Option<[Vec<Vec3A>; 2]>,
}

impl SourceMotion {
    pub fn of(source: &RestHuman<'_>, clip: &RawClip) -> Self {
        let skeleton = source.skeleton;
        let [left, right] = Side::BOTH.map(|side| source.ball(side));
        let feet = left.zip(right).map(|(left, right)| [left, right]);
        let mut motion = Self {
            rotations: Vec::with_capacity(clip.frames()),
            hips: Vec::with_capacity(clip.frames()),
            balls: feet.map(|_| [Vec::new(), Vec::new()]),
        };
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        for frame in 0..clip.frames() {
            clip.frame_pose(skeleton, frame, &mut local);
            model.compute(skeleton, &local);
            let rotation = |(joint, now): (usize, &Transform)| {
                // now · rest⁻¹ in model space: the same whatever axes a joint has, which
                // is why another skeleton's joint can make it.
                let rest = source.rest(joint as JointIndex).rotation;
                source.seen_rotation((now.rotation * rest.conjugate()).normalize())
            };
            let joints = model.joints().iter().enumerate();
            motion.rotations.push(joints.map(rotation).collect());
            let positions: Vec<Vec3A> = model.joints().iter().map(|j| j.translation).collect();
            motion
                .hips
                .push(source.seen(between_hips(&source.human, &positions)));
            if let (Some(balls), Some(feet)) = (&mut motion.balls, feet) {
                for (path, (joint, ball)) in balls.iter_mut().zip(feet) {
                    let ball = model.joints()[usize::from(joint)].transform_point(ball);
                    path.push(source.seen(ball));
                }
            }
        }
        motion
    }
}

/// Half way between the hip joints, or the hips themselves.
pub(super) fn between_hips(human: &Human, positions: &[Vec3A]) -> Vec3A {
    let at = |joint: JointIndex| positions[usize::from(joint)];
    let [left, right] = Side::BOTH.map(|side| human.first(side.role(Limb::Thigh)).map(at));
    match (left, right) {
        (Some(left), Some(right)) => (left + right) / 2.0,
        _ => human.first(Role::Hips).map_or(Vec3A::ZERO, at),
    }
}

/// CMU's BVH files begin with a T-pose in the origin, which says nothing about
/// the ground.
pub(super) fn starts_apart(path: &[Vec3A]) -> bool {
    matches!(path, [first, second, ..] if (*first - *second).length() > JUMP_M)
}

/// A path at another scale, without such a start.
pub(super) fn settled(path: &[Vec3A], scale: f32) -> Vec<Vec3A> {
    let mut path: Vec<Vec3A> = path.iter().map(|&p| p * scale).collect();
    if starts_apart(&path) {
        path[0] = path[1];
    }
    path
}
