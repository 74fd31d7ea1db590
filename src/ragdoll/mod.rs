//! A body that falls: rigid segments, joints with limits, ground and pushes.
//!
//! Beside the animator: a [`Ragdoll`] begins in the pose and with the velocities
//! of a motion, is stepped in ticks of [`TICK_SECS`], and writes local poses of the
//! skeleton that it was made of. The engine is rapier, with joints in reduced
//! coordinates (`MultibodyJoint`): bones keep their lengths by construction, and
//! the same start gives the same bits.
//!
//! Rapier limits a joint with three degrees of freedom along the integrals of its
//! angular velocity, which are no angles. So before every tick the joint's frame is
//! laid anew along its swing and its twist, and the limits are set to what is left
//! of either (`step`): a cone and a twist, as joints of bodies have.
//!
//! Limits: metres, Y up; bodies between 5 cm and 50 m; the sheet of cloth does not
//! push back.

mod border;
mod build;
mod fall;
mod get_up;
mod limits;
mod masses;
mod measure;
mod pose;
mod power;
mod segments;
mod solids;
mod step;
mod stops;
#[cfg(test)]
mod tests;

use glam::{Quat, Vec3, Vec3A};
use rapier3d::prelude::{MultibodyIndex, PhysicsWorld, RigidBodyHandle};

use build::ContactFilter;
pub use build::RagdollStart;
pub use fall::{BRACED, Fall, FallContext};
pub use get_up::{GetUp, WaysUp};
use limits::Range;
pub use segments::BodyPart;
use segments::Segments;

use crate::{
    collide::{Shape, Terrain},
    math::Transform,
    skeleton::JointIndex,
};

/// Seconds of a step.
pub const TICK_SECS: f64 = 1.0 / 480.0;
/// Metres a second squared.
pub const GRAVITY: f32 = 9.81;

/// Metres a second that a push gives a segment at most.
const MOST_KICK: f32 = 4.0;

/// Faster than anybody's limb turns, radians a second: poses that jump.
const MOST_TURN: f32 = 40.0;
/// The same of a way, metres a second.
const MOST_SPEED: f32 = 15.0;

/// Bones of what is no human at most.
const MOST_BONES: usize = 400;

/// Why there is no ragdoll.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RagdollError {
    /// Too small or too large for solids on the ground.
    #[error("a body {0} m high cannot fall: it must be between 0.05 m and 50 m")]
    Size(f32),
    /// A chain, not a creature: a step costs the cube of its bodies, and fewer
    /// bodies than bones would be stiff.
    #[error(
        "{0} bones that are no human's are too many to fall: a ragdoll takes {most} (a human may have more)",
        most = MOST_BONES
    )]
    Bones(usize),
    /// A pose with numbers that are none.
    #[error("the pose has joints nowhere: nothing can fall from it")]
    NotFinite,
}

/// A thing that lies about and is kicked away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thing {
    /// Whoever gave it knows it by this.
    pub id: usize,
    /// In its own space.
    pub solid: Shape,
    /// Where it is in the world.
    pub place: Transform,
    /// What it weighs.
    pub mass_kg: f32,
}

/// One segment in the engine.
#[derive(Clone, Debug)]
struct Link {
    body: RigidBodyHandle,
    /// Place among the joints of the engine; none of what follows the clip.
    place: Option<(MultibodyIndex, usize)>,
    /// From the joint to the origin of the body, in the joint's space.
    origin: Vec3A,
    /// None of what carries everything.
    range: Option<Range>,
    /// Above from joint, at the start.
    start: Quat,
    solid: Shape,
    mass_kg: f32,
    /// From its mass to its far end, metres.
    reach_m: f32,
    /// Falls; else it follows the clip.
    limp: bool,
}

/// A push that has not been felt yet.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Push {
    segment: usize,
    /// World space.
    at: Vec3A,
    /// Newton-seconds.
    impulse: Vec3A,
}

/// A body in the hands of gravity.
pub struct Ragdoll {
    segments: Segments,
    links: Vec<Link>,
    /// Segment from joint, of every joint at the start.
    within: Vec<Transform>,
    world: PhysicsWorld,
    ground: Terrain,
    /// Friction of the feet.
    grip: f32,
    things: Vec<(usize, RigidBodyHandle)>,
    filter: ContactFilter,
    pushes: Vec<Push>,
    /// 0 limp, 1 as the clip has it.
    strength: f32,
    /// Where the clip has the segments: at the last tick and at this one.
    clip: [Vec<Transform>; 2],
    /// Seconds that no tick has taken yet.
    due_secs: f64,
    still_secs: f64,
    /// What a limp body had after the last tick, joules: it gains none.
    had_j: f32,
    /// Seconds that it has moved little.
    calm_secs: f64,
    /// It lies, and no strength lifts it.
    fallen: bool,
    /// Seconds since it fell.
    fallen_secs: f64,
    whole: bool,
    height_m: f32,
    /// Of motion, for a kilogram.
    energy_j_kg: f32,
    /// Accelerations of what follows the clip.
    followed: Vec<Vec3A>,
    /// And velocities; none before the first tick.
    follows_at: Vec<Option<Vec3A>>,
}

impl std::fmt::Debug for Ragdoll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limp = self.links.iter().filter(|link| link.limp).count();
        write!(f, "Ragdoll({limp} of {} segments)", self.links.len())
    }
}

impl Ragdoll {
    /// Pushes a joint: newton-seconds in the world. Felt in the next tick.
    pub fn push(&mut self, joint: JointIndex, impulse: Vec3) {
        let Some(&segment) = self.segments.of_joint.get(usize::from(joint)) else {
            return;
        };
        if !impulse.is_finite() || !self.links[segment].limp {
            return;
        }
        let within = self.within[usize::from(joint)];
        let at = self
            .joint_transform(segment)
            .transform_point(within.translation);
        self.disturb();
        // A hand does not take what throws a body: the rest goes up the arm.
        let (mut left, mut at, mut segment) = (Vec3A::from(impulse), at, segment);
        loop {
            let above = self.segments.list[segment].above;
            let above = above.filter(|above| self.links[*above].limp);
            let most = match above {
                Some(_) => MOST_KICK * self.links[segment].mass_kg,
                None => MOST_KICK * self.mass_kg(),
            };
            let impulse = left.clamp_length_max(most);
            self.pushes.push(Push {
                segment,
                at,
                impulse,
            });
            left -= impulse;
            match above {
                Some(above) if left.length() > 0.0 => segment = above,
                _ => break,
            }
            at = self.centre(segment);
        }
    }

    /// How strongly it is drawn towards the clip, 0 to 1.
    pub fn set_strength(&mut self, strength: f32) {
        if strength != self.strength && strength.is_finite() {
            self.strength = strength.clamp(0.0, 1.0);
            self.disturb();
        }
    }

    fn disturb(&mut self) {
        (self.still_secs, self.calm_secs) = (0.0, 0.0);
        self.had_j = f32::INFINITY;
    }

    /// 0 limp, 1 as the clip has it.
    #[must_use]
    pub fn strength(&self) -> f32 {
        self.strength
    }

    /// All of it falls; else a limb alone.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// It lies still.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.still_secs >= step::REST_SECS || self.calm_secs >= step::SETTLED_SECS
    }

    /// It went down, and stays there.
    #[must_use]
    pub fn is_fallen(&self) -> bool {
        self.fallen
    }

    /// Where things are that it was given at the start.
    pub fn things(&self) -> impl Iterator<Item = (usize, Transform)> + '_ {
        let place = |body: RigidBodyHandle| border::transform(self.world.bodies[body].position());
        self.things.iter().map(move |&(id, body)| (id, place(body)))
    }

    /// Of the ground below a point, metres.
    fn ground_m(&self, at: Vec3A) -> f32 {
        self.ground.height_m(at.x, at.z)
    }

    /// Where a segment's joint is in the world.
    fn joint_transform(&self, segment: usize) -> Transform {
        let link = &self.links[segment];
        let body = border::transform(self.world.bodies[link.body].position());
        Transform::new(
            body.rotation,
            body.translation - body.rotation * link.origin,
        )
    }
}
