//! The feet: when they stand, where, and how legs and hips take them there.

use std::ops::Range;

use glam::{Quat, Vec3A};

use super::{
    Plan, Pose, in_space,
    source_motion::{SourceMotion, settled, starts_apart},
};
use crate::{
    clip::FootContacts,
    humanoid::{Limb, Side},
    math::ik,
    retarget::{
        feet::{self, Foot},
        rest_human::RestHuman,
    },
    skeleton::JointIndex,
};

/// A knee that is this share of the leg's length off its line is all but
/// straight, and its own bend says little.
const STRAIGHT_FRACTION: f32 = 0.018;
/// A leg is held a little short of straight where it can.
const FULL_REACH: f32 = 0.998;
/// A foot that goes less than this share of the leg in a stance stands.
const LOCK_FRACTION: f32 = 0.12;
/// Length of leg that thresholds of contacts are made for, metres, and how far
/// a body may be from it before it is measured in its stead.
const USUAL_LEG_M: f32 = 0.85;
const USUAL_LEGS_M: Range<f32> = 0.55..1.2;

/// A leg of the target.
pub(super) struct Leg {
    thigh: Vec<JointIndex>,
    shin: Vec<JointIndex>,
    ankle: Vec3A,
    ball: (JointIndex, Vec3A),
    /// The source's thigh, whose turn says where the knee's front is.
    source_thigh: JointIndex,
}

/// Frames in which each foot stands.
pub(super) type Stances = [Vec<Range<usize>>; 2];

/// What legs and hips have to do, frame by frame.
pub(super) struct Steps {
    /// How far each foot moves from where bare rotations take it.
    pub offsets: [Vec<Vec3A>; 2],
    /// How far the hips go down for it.
    pub lowered_m: Vec<f32>,
}

impl Plan<'_> {
    /// Stances of both feet, and the height of the source's ground.
    pub(super) fn contacts(&self, motion: &SourceMotion, fps: f64) -> (Option<Stances>, f32) {
        let (Some(balls), Some([sole, _]), Some(_)) = (&motion.balls, self.soles, &self.legs)
        else {
            return (None, 0.0);
        };
        let leg_m = self.source.leg_m().unwrap_or(USUAL_LEG_M);
        // Thresholds of speed and height are in metres of an adult; a giant or a
        // file in wrong units is measured as if it were one.
        let usual = match USUAL_LEGS_M.contains(&leg_m) {
            true => 1.0,
            false => USUAL_LEG_M / leg_m,
        };
        let paths = [0, 1].map(|side| settled(&balls[side], usual));
        let (contacts, ground_m) = FootContacts::of_paths(&paths, fps, false, sole.ball_m * usual);
        match contacts.as_slice() {
            [left, right] => (Some([left.stances(), right.stances()]), ground_m / usual),
            _ => (None, 0.0),
        }
    }

    fn leg_m(&self) -> f32 {
        self.target.leg_m().unwrap_or(USUAL_LEG_M)
    }

    fn ball_goals(&self, motion: &SourceMotion, ground_m: f32) -> [Vec<Vec3A>; 2] {
        let (Some(balls), Some([from, _])) = (&motion.balls, self.soles) else {
            return Default::default();
        };
        let goal = |ball: &Vec3A| {
            let mut goal = *ball * self.scale;
            // Likewise the ball: its height over its sole scales, the sole's does not.
            goal.y = self.floor_y(ground_m) + (ball.y - ground_m - from.ball_m) * self.scale;
            goal
        };
        [0, 1].map(|side| settled(&balls[side], 1.0).iter().map(goal).collect())
    }

    /// Height of a standing ball of the target's foot.
    fn floor_y(&self, ground_m: f32) -> f32 {
        let ball_m = self.soles.map_or(0.0, |[_, to]| to.ball_m);
        self.target_ground_m(ground_m) + ball_m
    }

    /// What the feet need to stand where they are to.
    pub(super) fn steps(
        &self,
        motion: &SourceMotion,
        hips: &[Vec3A],
        ground_m: f32,
        stances: &Stances,
        fps: f64,
    ) -> Steps {
        let own = self.own_balls(motion, hips);
        let goals = self.ball_goals(motion, ground_m);
        let offsets = [0, 1].map(|side| {
            let foot = Foot {
                goal: &goals[side],
                own: &own[side],
                stances: &stances[side],
                floor_y: self.floor_y(ground_m),
                lock_m: (!self.same_build).then_some(LOCK_FRACTION * self.leg_m()),
                fps,
            };
            let mut offsets = foot.offsets();
            let balls = motion.balls.as_ref();
            if balls.is_some_and(|balls| starts_apart(&balls[side])) {
                offsets[0] = Vec3A::ZERO;
            }
            offsets
        });
        let lowered_m = self.lowered(motion, hips, (&offsets, stances), fps);
        Steps { offsets, lowered_m }
    }

    /// Where bare rotations take the balls of the feet.
    fn own_balls(&self, motion: &SourceMotion, hips: &[Vec3A]) -> [Vec<Vec3A>; 2] {
        let mut own = [Vec::new(), Vec::new()];
        let mut pose = Pose::default();
        for (rotations, &hips) in motion.rotations.iter().zip(hips) {
            self.pose(rotations, hips, &mut pose);
            for (path, leg) in own.iter_mut().zip(self.legs.iter().flatten()) {
                path.push(pose.point(leg.ball));
            }
        }
        own
    }

    /// How much the hips must go down, frame by frame, for a leg that stands to
    /// reach. One that swings may fall short.
    fn lowered(
        &self,
        motion: &SourceMotion,
        hips: &[Vec3A],
        (offsets, stances): (&[Vec<Vec3A>; 2], &Stances),
        fps: f64,
    ) -> Vec<f32> {
        let Some(legs) = &self.legs else {
            return vec![0.0; hips.len()];
        };
        let mut pose = Pose::default();
        let needed = (0..hips.len()).map(|frame| {
            self.pose(&motion.rotations[frame], hips[frame], &mut pose);
            let lack = [0, 1].map(|side| {
                if !stances[side].iter().any(|run| run.contains(&frame)) {
                    return 0.0;
                }
                let (leg, offsets) = (&legs[side], &offsets[side]);
                let [hip, knee, ankle] = leg.points(&pose);
                let full = (knee - hip).length() + (ankle - knee).length();
                // A leg that the rotations already stretch further may stay so.
                let reach = (FULL_REACH * full).max((ankle - hip).length());
                let to = ankle + offsets[frame] - hip;
                let lack = to.length() - reach;
                // Going down shortens a steep leg by as much, a flat one by little.
                lack.max(0.0) / (-to.y / to.length().max(1e-6)).max(0.5)
            });
            lack[0].max(lack[1])
        });
        let needed: Vec<f32> = needed.collect();
        feet::smooth_above(&needed, fps)
    }

    /// Bends the legs until the feet have moved; feet keep their attitude.
    pub(super) fn move_feet(
        &self,
        rotations: &[Quat],
        hips: Vec3A,
        by: [Vec3A; 2],
        pose: &mut Pose,
    ) {
        let Some(legs) = &self.legs else {
            return;
        };
        let forward = self.source.frame * Vec3A::Z;
        let mut moved = false;
        for (leg, offset) in legs.iter().zip(by) {
            if offset.length() < 1e-6 {
                continue;
            }
            moved = true;
            let points = leg.points(pose);
            let [hip, knee, ankle] = points;
            // Where the source's kneecap points, the knee shall bend to.
            let front = rotations[usize::from(leg.source_thigh)] * forward;
            // Eased near full reach, where a knee would snap straight.
            let target = ik::soft_reach(points, ankle + offset);
            let limb = ik::two_bone(hip, knee, ankle, target, knee_side(points, front));
            for &joint in &leg.thigh {
                let rotation = &mut pose.rotations[usize::from(joint)];
                // All joints of the part, twist joints too: they turn with the bone.
                *rotation = limb.upper * *rotation;
            }
            for &joint in &leg.shin {
                let rotation = &mut pose.rotations[usize::from(joint)];
                *rotation = limb.lower * limb.upper * *rotation;
            }
        }
        if moved {
            for joint in 0..self.target.skeleton.len() {
                if self.drives[joint].is_none() {
                    // Driven joints have model rotations of their own and keep them:
                    // feet stay flat. The rest hang on what has just been turned.
                    pose.rotations[joint] = self.follows(joint, pose).normalize();
                }
            }
            self.position_joints(hips, pose);
        }
    }
}

/// Where the knee is; when that is all but on the leg's line, the front.
fn knee_side([hip, knee, ankle]: [Vec3A; 3], front: Vec3A) -> Vec3A {
    let line = (ankle - hip).normalize_or(Vec3A::NEG_Y);
    let bend = (knee - hip) - line * line.dot(knee - hip);
    let straight_m = STRAIGHT_FRACTION * ((knee - hip).length() + (ankle - knee).length());
    let weight = (bend.length() / straight_m.max(1e-6)).min(1.0);
    bend.normalize_or_zero() * weight + front * (1.0 - weight)
}

impl Leg {
    fn points(&self, pose: &Pose) -> [Vec3A; 3] {
        let last = self.shin.last().copied().unwrap_or_default();
        [
            pose.positions[usize::from(self.thigh[0])],
            pose.positions[usize::from(self.shin[0])],
            pose.point((last, self.ankle)),
        ]
    }
}

pub(super) fn legs(source: &RestHuman<'_>, target: &RestHuman<'_>) -> Option<[Leg; 2]> {
    let leg = |side: Side| {
        let thigh = target.human.part(side.role(Limb::Thigh)).to_vec();
        let shin = target.human.part(side.role(Limb::Shin)).to_vec();
        let [_, _, ankle] = target.leg(side)?;
        Some(Leg {
            ankle: in_space(target, *shin.last()?, ankle),
            ball: target.ball(side)?,
            source_thigh: source.human.first(side.role(Limb::Thigh))?,
            thigh,
            shin,
        })
    };
    Some([leg(Side::Left)?, leg(Side::Right)?])
}
