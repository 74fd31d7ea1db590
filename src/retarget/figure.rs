//! A skeleton at rest with its human parts: directions, lengths, soles. The
//! source may be seen in a mirror.

use glam::{Quat, Vec3A};

use super::{
    human::{Human, columns},
    role::{Limb, Role, Side},
};
use crate::{
    clip::sole_height_m,
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
    pub fn turn(self, q: Quat) -> Quat {
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

pub(super) struct Figure<'a> {
    pub skeleton: &'a Skeleton,
    pub human: Human,
    rest: ModelPose,
    mirror: Option<Mirror>,
    /// Columns left, up, forward at rest.
    pub frame: Quat,
}

impl<'a> Figure<'a> {
    pub fn new(skeleton: &'a Skeleton, human: Human) -> Self {
        let rest = skeleton.rest_model();
        let mut figure = Self {
            skeleton,
            human,
            rest,
            mirror: None,
            frame: Quat::IDENTITY,
        };
        figure.frame = figure.find_frame();
        figure
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
    pub fn seen_turn(&self, q: Quat) -> Quat {
        self.mirror.map_or(q, |mirror| mirror.turn(q))
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
            Limb::UpperArm => next(Limb::Forearm),
            Limb::Forearm => next(Limb::Hand),
            Limb::Thigh => next(Limb::Shin),
            Limb::Shin => next(Limb::Foot),
            Limb::Foot => next(Limb::Toes),
            Limb::Hand => self.knuckles(side),
            _ => None,
        };
        let to = to.or_else(|| self.own_end(last))?;
        let along = to - self.at(first);
        (along.length() > 1e-4).then_some(along)
    }

    fn knuckles(&self, side: Side) -> Option<Vec3A> {
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

    /// The joint that carries the ball of a foot, and the ball in its space.
    pub fn ball(&self, side: Side) -> Option<(JointIndex, Vec3A)> {
        if let Some(toes) = self.human.first(side.role(Limb::Toes)) {
            return Some((toes, Vec3A::ZERO));
        }
        let foot = self.human.first(side.role(Limb::Foot))?;
        let tip = self.skeleton.joints()[usize::from(foot)].tip;
        Some((foot, tip.into()))
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
        let height = |index: usize| (left[index].dot(up) + right[index].dot(up)) / 2.0;
        let (ball, ankle) = (height(0), height(1));
        let stands = (0.0..0.1 * self.skeleton.rest_height_m()).contains(&ball) && up.y > 0.99;
        let ball_m = match stands {
            true => ball,
            false => sole_height_m(self.skeleton),
        };
        Some(Sole {
            ball_m,
            ankle_m: ball_m + (ankle - ball).max(0.0),
        })
    }
}
