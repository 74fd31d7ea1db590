//! From the source's frames to the target's.

mod drive;
mod source_motion;
mod write;

use glam::{Quat, Vec3A};

use super::{
    align::Alignment,
    feet::{self, Foot},
    map::{JointMap, Resolved},
    rest_human::{RestHuman, Sole},
};
use crate::{
    clip::{FootContacts, RawClip},
    humanoid::{Human, Limb, Names, Role, Side},
    math::ik,
    skeleton::{JointIndex, Skeleton},
};
use drive::{Drive, drives};
use source_motion::{SourceMotion, between_hips, settled, starts_apart};
use write::Writer;

/// Why motion cannot be carried over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetargetError {
    /// Nothing to begin with.
    #[error("no hips in the {which} {name:?}: a map can name them")]
    NoHips {
        /// Source or target.
        which: &'static str,
        /// The skeleton.
        name: String,
    },
    /// The clip is another skeleton's.
    #[error("the clip moves {clip} joints, the source skeleton has {skeleton}")]
    OtherSkeleton {
        /// Of the clip.
        clip: usize,
        /// Of the skeleton.
        skeleton: usize,
    },
}

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
const USUAL_LEGS_M: std::ops::Range<f32> = 0.55..1.2;

/// Plays a clip of `source` on `target`.
pub fn retarget(
    source: &Skeleton,
    clip: &RawClip,
    target: &Skeleton,
    map: &JointMap,
) -> Result<RawClip, RetargetError> {
    if !clip.fits(source) {
        return Err(RetargetError::OtherSkeleton {
            clip: clip.joints,
            skeleton: source.len(),
        });
    }
    let links = links(source, target, map);
    let [from, to] = rest_humans(source, target, &links, map.mirror)?;
    let plan = Plan::new(&from, &to, &links);
    let motion = SourceMotion::of(&from, clip);
    Ok(plan.clip(clip, &motion))
}

/// The map's links; in a mirror every part comes from its opposite.
fn links(source: &Skeleton, target: &Skeleton, map: &JointMap) -> Vec<Resolved> {
    let links = map.resolve(source, target);
    if !map.mirror {
        return links;
    }
    let names = Names::of(source);
    let opposite = |link: &Resolved| match link.role {
        Some(role) => links
            .iter()
            .find(|it| it.role == Some(role.mirrored()))
            .map_or(Vec::new(), |it| it.from.clone()),
        None => link.from.iter().map(|&j| names.opposite(j)).collect(),
    };
    let mirrored = links.iter().map(|link| Resolved {
        from: opposite(link),
        ..link.clone()
    });
    mirrored.collect()
}

fn rest_humans<'a>(
    source: &'a Skeleton,
    target: &'a Skeleton,
    links: &[Resolved],
    mirror: bool,
) -> Result<[RestHuman<'a>; 2], RetargetError> {
    let human = |joints: fn(&Resolved) -> &Vec<JointIndex>| {
        let parts = links.iter();
        Human::of(parts.filter_map(|link| Some((link.role?, joints(link).clone()))))
    };
    let (mut from, to) = (human(|link| &link.from), human(|link| &link.to));
    for (which, human, skeleton) in [("source", &from, source), ("target", &to, target)] {
        if human.first(Role::Hips).is_none() {
            let name = skeleton.name().to_owned();
            return Err(RetargetError::NoHips { which, name });
        }
    }
    let from = match mirror {
        // Links are mirrored already; the rest human mirrors its own.
        true => {
            from = from.mirrored();
            RestHuman::new(source, from).mirrored()
        }
        false => RestHuman::new(source, from),
    };
    Ok([from, RestHuman::new(target, to)])
}

/// A foot that hangs elsewhere than on its shin, as in rigs that keep IK
/// bones apart; it is put where the shin ends.
#[derive(Clone, Debug, PartialEq)]
struct Detached {
    foot: JointIndex,
    /// The foot and all below it.
    moving: Vec<JointIndex>,
    shin: JointIndex,
    /// The ankle in the shin's space.
    ankle: Vec3A,
}

/// A leg of the target.
struct Leg {
    thigh: Vec<JointIndex>,
    shin: Vec<JointIndex>,
    ankle: Vec3A,
    ball: (JointIndex, Vec3A),
    /// The source's thigh, whose turn says where the knee's front is.
    source_thigh: JointIndex,
}

struct Plan<'a> {
    source: &'a RestHuman<'a>,
    target: &'a RestHuman<'a>,
    drives: Vec<Option<Drive>>,
    /// `model_from_joint` rotations of the retarget pose.
    aligned: Vec<Quat>,
    detached: Vec<Detached>,
    legs: Option<[Leg; 2]>,
    /// Joints whose translations and stretches go along, source by target.
    partners: Vec<Option<JointIndex>>,
    /// The root that carries the hips, and all below it.
    carrier: JointIndex,
    carrier_subtree: Vec<JointIndex>,
    scale: f32,
    soles: Option<[Sole; 2]>,
    /// A body of the same build does as the source does; another is put on
    /// ground 0 and its standing feet are held.
    same_build: bool,
}

/// The target in one frame, model space.
#[derive(Clone, Default)]
struct Pose {
    rotations: Vec<Quat>,
    positions: Vec<Vec3A>,
}

impl<'a> Plan<'a> {
    fn new(source: &'a RestHuman<'a>, target: &'a RestHuman<'a>, links: &[Resolved]) -> Self {
        // Legs, not heights: a stride is as long as its legs, and feet that stand
        // still at that scale need the least help.
        let scale = match (source.leg_m(), target.leg_m()) {
            (Some(from), Some(to)) => to / from,
            _ => height_ratio(source.skeleton, target.skeleton),
        };
        let alignment = Alignment {
            source,
            target,
            links,
            scale,
        };
        let same_build = alignment.is_same_build();
        let soles = source
            .sole()
            .zip(target.sole())
            .map(|(from, to)| match same_build {
                // The same body needs the same soles, not what its own rest pose
                // shows of them: nothing may change then.
                true => [from, scaled_sole(from, scale)],
                false => [from, to],
            });
        let hips = target.human.first(Role::Hips).unwrap_or_default();
        // Rigs put a root and helpers above the hips: all of them go along.
        let carrier = target.skeleton.ancestors(hips).last().unwrap_or(hips);
        Self {
            drives: drives(source.skeleton, target.skeleton, links),
            aligned: alignment.rotations(same_build),
            detached: detached(target),
            legs: legs(source, target),
            partners: alignment.partners(),
            carrier,
            carrier_subtree: with_below(target.skeleton, carrier),
            scale,
            soles,
            same_build,
            source,
            target,
        }
    }

    fn clip(&self, clip: &RawClip, motion: &SourceMotion) -> RawClip {
        let frames = clip.frames();
        // Three walks over the frames: bare rotations, to know where the feet
        // would go; how far the hips must go down for them; and the poses.
        let (contacts, ground_m) = self.contacts(motion, clip.fps);
        let hips: Vec<Vec3A> = motion
            .hips
            .iter()
            .map(|&p| self.hips_goal(p, ground_m))
            .collect();
        let mut pose = Pose::default();
        let mut own = [Vec::new(), Vec::new()];
        if let Some(legs) = self.legs.as_ref().filter(|_| contacts.is_some()) {
            for (rotations, &hips) in motion.rotations.iter().zip(&hips) {
                self.pose(rotations, hips, &mut pose);
                for (path, leg) in own.iter_mut().zip(legs) {
                    path.push(pose.point(leg.ball));
                }
            }
        }
        let stands = contacts.clone().unwrap_or_default();
        let offsets = contacts.map(|stances| {
            let goals = self.ball_goals(motion, ground_m);
            [0, 1].map(|side| {
                let foot = Foot {
                    goal: &goals[side],
                    own: &own[side],
                    stances: &stances[side],
                    floor_y: self.floor_y(ground_m),
                    lock_m: (!self.same_build).then_some(LOCK_FRACTION * self.leg_m()),
                    fps: clip.fps,
                };
                let mut offsets = foot.offsets();
                let balls = motion.balls.as_ref();
                if balls.is_some_and(|balls| starts_apart(&balls[side])) {
                    offsets[0] = Vec3A::ZERO;
                }
                offsets
            })
        });
        let lowered = match &offsets {
            Some(offsets) => self.lowered(motion, &hips, (offsets, &stands), clip.fps),
            None => vec![0.0; frames],
        };
        let mut writer = Writer::new(self, clip);
        for frame in 0..frames {
            let down = Vec3A::Y * lowered[frame];
            self.pose(&motion.rotations[frame], hips[frame] - down, &mut pose);
            if let Some(offsets) = &offsets {
                let by = [0, 1].map(|side| offsets[side][frame] + down);
                self.move_feet(&motion.rotations[frame], hips[frame] - down, by, &mut pose);
            }
            writer.push(frame, &pose);
        }
        writer.finish()
    }

    /// Stances of both feet, and the height of the source's ground.
    fn contacts(
        &self,
        motion: &SourceMotion,
        fps: f64,
    ) -> (Option<[Vec<std::ops::Range<usize>>; 2]>, f32) {
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

    fn target_ground_m(&self, ground_m: f32) -> f32 {
        match self.same_build {
            true => ground_m * self.scale,
            false => 0.0,
        }
    }

    /// Where the target's hips go, `hips` being the source's.
    fn hips_goal(&self, hips: Vec3A, ground_m: f32) -> Vec3A {
        let mut goal = hips * self.scale;
        if let Some([from, to]) = self.soles {
            // Hips over ankles scale with the legs; ankles over the ground are the
            // target's own, since shoes and soles do not.
            let above_ankle = (hips.y - ground_m - from.ankle_m) * self.scale;
            goal.y = self.target_ground_m(ground_m) + to.ankle_m + above_ankle;
        }
        goal
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

    /// The source's turns on the target, its hips at `hips`.
    fn pose(&self, rotations: &[Quat], hips: Vec3A, pose: &mut Pose) {
        pose.rotations.clear();
        for joint in 0..self.target.skeleton.len() {
            let rotation = match self.drives[joint] {
                // The source's rotation since rest, in model space, on the pose that
                // stands as the source's rest pose does.
                Some(drive) => drive.rotation(rotations) * self.aligned[joint],
                None => self.follows(joint, pose),
            };
            pose.rotations.push(rotation.normalize());
        }
        self.position_joints(hips, pose);
    }

    /// The rotation of a joint that only goes along.
    fn follows(&self, joint: usize, pose: &Pose) -> Quat {
        let own = self.target.skeleton.joints()[joint].rest.rotation;
        let parent = usize::from(self.target.skeleton.parents()[joint]);
        pose.rotations.get(parent).map_or(own, |of| *of * own)
    }

    /// Puts every joint where rotations and hips say.
    fn position_joints(&self, hips: Vec3A, pose: &mut Pose) {
        let skeleton = self.target.skeleton;
        pose.positions.clear();
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let parent = usize::from(joint.parent);
            let position = match pose.positions.get(parent).filter(|_| parent < index) {
                Some(&of) => of + pose.rotations[parent] * joint.rest.translation,
                None => joint.rest.translation,
            };
            pose.positions.push(position);
        }
        // Hip joints, not the hips' own joint, which rigs put at any height.
        let shift = hips - between_hips(&self.target.human, &pose.positions);
        for &joint in &self.carrier_subtree {
            pose.positions[usize::from(joint)] += shift;
        }
        for it in &self.detached {
            let ankle = pose.point((it.shin, it.ankle));
            let shift = ankle - pose.positions[usize::from(it.foot)];
            for &joint in &it.moving {
                pose.positions[usize::from(joint)] += shift;
            }
        }
    }

    /// How much the hips must go down, frame by frame, for a leg that stands to
    /// reach. One that swings may fall short.
    fn lowered(
        &self,
        motion: &SourceMotion,
        hips: &[Vec3A],
        (offsets, stances): (&[Vec<Vec3A>; 2], &[Vec<std::ops::Range<usize>>; 2]),
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
    fn move_feet(&self, rotations: &[Quat], hips: Vec3A, by: [Vec3A; 2], pose: &mut Pose) {
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

impl Pose {
    /// A point of a joint's space.
    fn point(&self, (joint, point): (JointIndex, Vec3A)) -> Vec3A {
        let joint = usize::from(joint);
        self.positions[joint] + self.rotations[joint] * point
    }
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

fn with_below(skeleton: &Skeleton, top: JointIndex) -> Vec<JointIndex> {
    [top].into_iter().chain(skeleton.below(top)).collect()
}

fn height_ratio(source: &Skeleton, target: &Skeleton) -> f32 {
    let (from, to) = (source.rest_height_m(), target.rest_height_m());
    if from > 1e-4 && to > 1e-4 {
        to / from
    } else {
        1.0
    }
}

fn scaled_sole(sole: Sole, scale: f32) -> Sole {
    Sole {
        ball_m: sole.ball_m * scale,
        ankle_m: sole.ankle_m * scale,
    }
}

fn detached(target: &RestHuman<'_>) -> Vec<Detached> {
    let find = |side: Side| {
        let foot = target.human.first(side.role(Limb::Foot))?;
        let shin = *target.human.part(side.role(Limb::Shin)).last()?;
        let apart = !target.skeleton.descends(foot, shin);
        apart.then(|| Detached {
            foot,
            moving: with_below(target.skeleton, foot),
            shin,
            ankle: in_space(target, shin, target.at(foot)),
        })
    };
    Side::BOTH.into_iter().filter_map(find).collect()
}

fn in_space(rest_human: &RestHuman<'_>, joint: JointIndex, point: Vec3A) -> Vec3A {
    rest_human.rest(joint).inverse().transform_point(point)
}

fn legs(source: &RestHuman<'_>, target: &RestHuman<'_>) -> Option<[Leg; 2]> {
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
