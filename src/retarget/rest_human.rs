//! A skeleton at rest with its human parts: directions, lengths, soles. The
//! source may be seen in a mirror.

use glam::{Quat, Vec3A};

use crate::{
    clip::sole_height_m,
    humanoid::{Human, Limb, Role, Side, columns},
    math::Transform,
    skeleton::{JointIndex, ModelPose, Skeleton},
};

/// The plane that left and right change places over; goes through the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mirror {
    normal: Vec3A,
}

impl Mirror {
    pub fn point(self, v: Vec3A) -> Vec3A {
        v - self.normal * (2.0 * self.normal.dot(v))
    }

    /// A turn seen in the mirror: its axis is reflected, its sense reversed.
    pub fn rotation(self, q: Quat) -> Quat {
        // Reflections turn axial vectors round: the axis in the mirror, negated.
        let v = -self.point(Vec3A::new(q.x, q.y, q.z));
        Quat::from_xyzw(v.x, v.y, v.z, q.w)
    }
}

/// Where the sole is below the joints of a foot that stands flat, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sole {
    pub ball_m: f32,
    pub ankle_m: f32,
}

/// A trunk that leans less than this in the rest pose is taken to stand.
const UPRIGHT_COS: f32 = 0.85;
/// The end of a last bone is believed when it is no further off than 60°.
const LIKELY_COS: f32 = 0.5;
/// Ankle to ball, as a share of the leg, and how much of it goes down.
const FOOT_FRACTION: f32 = 0.16;
const FOOT_SLOPE: f32 = 0.34;

pub(super) struct RestHuman<'a> {
    pub skeleton: &'a Skeleton,
    pub human: Human,
    rest: ModelPose,
    mirror: Option<Mirror>,
    /// Columns left, up, forward at rest.
    pub frame: Quat,
}

impl<'a> RestHuman<'a> {
    pub fn new(skeleton: &'a Skeleton, human: Human) -> Self {
        let rest = skeleton.rest_model();
        let mut rest_human = Self {
            skeleton,
            human,
            rest,
            mirror: None,
            frame: Quat::IDENTITY,
        };
        rest_human.frame = rest_human.find_frame();
        rest_human
    }

    /// The same in a mirror that stands along its own middle.
    pub fn mirrored(mut self) -> Self {
        let normal = self.frame * Vec3A::X;
        self.mirror = Some(Mirror { normal });
        self.human = self.human.mirrored();
        self.frame = self.find_frame();
        self
    }

    fn find_frame(&self) -> Quat {
        let mut pose = self.rest.clone();
        for joint in pose.joints_mut() {
            joint.translation = self.seen(joint.translation);
        }
        let frame = self.human.frame(&pose).unwrap_or(Quat::IDENTITY);
        // Shoulders lie a little before or behind the hips even when one stands
        // straight; taken as up, that would tilt everything by as much.
        match (frame * Vec3A::Y).y > UPRIGHT_COS {
            true => columns(frame * Vec3A::X, Vec3A::Y),
            false => frame,
        }
    }

    /// A point or direction as the mirror shows it, if there is one.
    pub fn seen(&self, v: Vec3A) -> Vec3A {
        self.mirror.map_or(v, |mirror| mirror.point(v))
    }

    /// A turn as the mirror shows it, if there is one.
    pub fn seen_rotation(&self, q: Quat) -> Quat {
        self.mirror.map_or(q, |mirror| mirror.rotation(q))
    }

    pub fn rest(&self, joint: JointIndex) -> Transform {
        self.rest.joints()[usize::from(joint)]
    }

    pub fn at(&self, joint: JointIndex) -> Vec3A {
        self.seen(self.rest(joint).translation)
    }

    pub fn end(&self, joint: JointIndex) -> Vec3A {
        self.seen(self.rest.bone_end(self.skeleton, usize::from(joint)))
    }

    /// The far end of a joint's bone, if it has a length.
    fn own_end(&self, joint: JointIndex) -> Option<Vec3A> {
        let end = self.end(joint);
        ((end - self.at(joint)).length() > 1e-4).then_some(end)
    }

    fn first(&self, role: Role) -> Option<Vec3A> {
        Some(self.at(self.human.first(role)?))
    }

    /// From where a part begins to where the next one does, or its end.
    pub fn direction(&self, side: Side, limb: Limb) -> Option<Vec3A> {
        let part = self.human.part(side.role(limb));
        let (&first, &last) = (part.first()?, part.last()?);
        let next = |limb| self.first(side.role(limb));
        let to = match limb {
            Limb::UpperArm => next(Limb::Forearm).or_else(|| self.own_end(last)),
            Limb::Forearm => next(Limb::Hand).or_else(|| self.own_end(last)),
            Limb::Thigh => next(Limb::Shin).or_else(|| self.own_end(last)),
            Limb::Shin => next(Limb::Foot).or_else(|| self.own_end(last)),
            Limb::Foot => next(Limb::Toes).or_else(|| self.foot_end(side)),
            // The knuckles' middle: fingers spread, and rigs order them as they like.
            Limb::Hand => self.knuckles(side).or_else(|| self.hand_end(side)),
            _ => None,
        };
        let along = to? - self.at(first);
        (along.length() > 1e-4).then_some(along)
    }

    /// The end of a foot's bone. The last bones of many rigs end anywhere: it
    /// counts only when it lies ahead.
    fn foot_end(&self, side: Side) -> Option<Vec3A> {
        let foot = self.human.first(side.role(Limb::Foot))?;
        let up = self.frame * Vec3A::Y;
        let along = self.own_end(foot)? - self.at(foot);
        let level = (along - up * up.dot(along)).normalize_or_zero();
        let ahead = level.dot(self.frame * Vec3A::Z) > LIKELY_COS;
        ahead.then(|| self.at(foot) + along)
    }

    /// Likewise of a hand's, which goes on as the forearm does.
    fn hand_end(&self, side: Side) -> Option<Vec3A> {
        let hand = *self.human.part(side.role(Limb::Hand)).last()?;
        let along = self.own_end(hand)? - self.at(hand);
        let forearm = self.direction(side, Limb::Forearm)?;
        let agree = along.normalize_or_zero().dot(forearm.normalize_or_zero());
        (agree > LIKELY_COS).then(|| self.at(hand) + along)
    }

    fn knuckles(&self, side: Side) -> Option<Vec3A> {
        // Without the thumb, which leads off to the side.
        let fingers = Limb::FINGERS.into_iter().skip(1);
        let bases: Vec<Vec3A> = fingers
            .filter_map(|finger| self.first(side.role(finger)))
            .collect();
        (!bases.is_empty()).then(|| bases.iter().sum::<Vec3A>() / bases.len() as f32)
    }

    /// Hip, knee and ankle at rest.
    pub fn leg(&self, side: Side) -> Option<[Vec3A; 3]> {
        let shin = *self.human.part(side.role(Limb::Shin)).last()?;
        let ankle = self.first(side.role(Limb::Foot));
        Some([
            self.first(side.role(Limb::Thigh))?,
            self.first(side.role(Limb::Shin))?,
            ankle.or_else(|| self.own_end(shin))?,
        ])
    }

    /// Metres from hip over knee to ankle, mean of both sides.
    pub fn leg_m(&self) -> Option<f32> {
        let length =
            |[hip, knee, ankle]: [Vec3A; 3]| (knee - hip).length() + (ankle - knee).length();
        let [left, right] = Side::BOTH.map(|side| self.leg(side).map(length));
        Some((left? + right?) / 2.0).filter(|&m| m > 1e-4)
    }

    /// The joint that carries the ball of a foot, and the ball in its space:
    /// where the toes begin, the foot ends, or would usually.
    pub fn ball(&self, side: Side) -> Option<(JointIndex, Vec3A)> {
        if let Some(toes) = self.human.first(side.role(Limb::Toes)) {
            return Some((toes, Vec3A::ZERO));
        }
        let foot = self.human.first(side.role(Limb::Foot))?;
        let ball = match self.foot_end(side) {
            Some(end) => self.sole_below(end),
            None => self.usual_ball(foot)?,
        };
        // Points are as the mirror shows them, joint spaces as the skeleton has
        // them: back through the mirror (it is its own inverse) before.
        let in_foot = self.rest(foot).inverse();
        Some((foot, in_foot.transform_point(self.seen(ball))))
    }

    /// A stiff foot rolls over the edge of its sole, not over its bone's end.
    fn sole_below(&self, end: Vec3A) -> Vec3A {
        let up = self.frame * Vec3A::Y;
        let height = match self.stands() {
            true => end.dot(up).max(0.0),
            false => 0.0,
        };
        end - up * height
    }

    /// A foot's length ahead of the ankle and a little below, above the ground.
    fn usual_ball(&self, foot: JointIndex) -> Option<Vec3A> {
        let length = FOOT_FRACTION * self.leg_m()?;
        let [up, ahead] = [Vec3A::Y, Vec3A::Z].map(|axis| self.frame * axis);
        let ankle = self.at(foot);
        // Not below the ground of a rest pose that stands on it.
        let room = match self.stands() {
            true => ankle.dot(up).max(0.0),
            false => f32::INFINITY,
        };
        Some(ankle + ahead * length - up * (FOOT_SLOPE * length).min(room))
    }

    /// Whether the rest pose has its feet on ground 0.
    fn stands(&self) -> bool {
        let ankles = Side::BOTH.map(|side| self.human.first(side.role(Limb::Foot)));
        let height_m = self.skeleton.rest_height_m();
        let near = |ankle: Option<JointIndex>| {
            let y = ankle.map_or(f32::MAX, |ankle| self.at(ankle).y);
            (0.0..0.15 * height_m).contains(&y)
        };
        // Upright within 8°, both ankles above the ground and no higher than
        // ankles are (people's are at 4 % of their height, heels add to it).
        (self.frame * Vec3A::Y).y > 0.99 && ankles.into_iter().all(near)
    }

    /// A rest pose that stands on the ground shows its own soles; that of a
    /// capture has its root in the origin, and the body's size must do.
    pub fn sole(&self) -> Option<Sole> {
        let up = self.frame * Vec3A::Y;
        let foot = |side: Side| {
            let [_, _, ankle] = self.leg(side)?;
            let (joint, ball) = self.ball(side)?;
            let ball = self.seen(self.rest(joint).transform_point(ball));
            Some([ball, ankle])
        };
        let [left, right] = Side::BOTH.map(foot);
        let (left, right) = (left?, right?);
        // Both sides, since captured skeletons are never quite symmetric.
        let height = |index: usize| (left[index].dot(up) + right[index].dot(up)) / 2.0;
        let (ball, ankle) = (height(0), height(1));
        let ball_m = match self.stands() {
            true => ball.max(0.0),
            false => sole_height_m(self.skeleton),
        };
        Some(Sole {
            ball_m,
            ankle_m: ball_m + (ankle - ball).max(0.0),
        })
    }
}
