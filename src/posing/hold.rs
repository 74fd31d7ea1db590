//! A joint in the hand: it goes where the hand goes, and eases back to its
//! motion when it is let go.

use glam::Vec3;

use super::{Drag, DragSolver};
use crate::{
    humanoid::{Human, Role},
    math::{Spring, Transform},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Seconds in which what is let go is about half-way back.
const RETURN_HALF_LIFE_SECS: f64 = 0.12;

/// The longest way that a human's joint is dragged, as a share of the body's
/// height: from a hanging arm to one held up.
const MOST_WAY: f32 = 0.7;

/// A joint that is held, or was until just now.
#[derive(Clone, Debug)]
pub struct JointHold {
    drag: Drag,
    /// From where the motion has the joint to where the hand has it, metres in
    /// the world.
    offset: Vec3,
    /// The longest that [`Self::offset`] gets: a hand that went far beyond reach
    /// shall not be waited for when it lets go.
    most_m: f32,
    held: bool,
    /// 1 while it is held; dies out afterwards.
    weight: Spring,
    /// The pose that the motion alone would have.
    own: WorldPose,
}

impl JointHold {
    /// Takes hold of a joint where it is in `pose`.
    #[must_use]
    pub fn new(skeleton: &Skeleton, joint: JointIndex, pose: &WorldPose) -> Self {
        Self {
            drag: Drag::of(skeleton, joint),
            offset: Vec3::ZERO,
            most_m: match Human::find(skeleton).first(Role::Hips) {
                Some(_) => MOST_WAY * skeleton.rest_height_m(),
                None => f32::MAX,
            },
            held: true,
            weight: Spring::at(1.0),
            own: pose.clone(),
        }
    }

    /// Taken hold of again on its way back, where it is.
    #[must_use]
    pub fn taken_again(self) -> Self {
        Self {
            offset: self.offset * self.weight.value as f32,
            held: true,
            weight: Spring::at(1.0),
            ..self
        }
    }

    /// Which joint.
    #[must_use]
    pub fn joint(&self) -> JointIndex {
        self.drag.joint()
    }

    /// Who follows, and which ends stay.
    #[must_use]
    pub fn followed_by(
        mut self,
        skeleton: &Skeleton,
        solver: DragSolver,
        pins: &[JointIndex],
    ) -> Self {
        self.drag.set_pins(pins);
        self.drag.solve_by(skeleton, solver);
        self
    }

    /// From where the motion has the joint to where it came, metres in the world.
    #[must_use]
    pub fn way(&self, pose: &WorldPose) -> Vec3 {
        let index = usize::from(self.joint());
        let places = [pose, &self.own].map(|it| it.joints().get(index).map(|it| it.position()));
        match places {
            [Some(seen), Some(own)] => seen - own,
            _ => Vec3::ZERO,
        }
    }

    /// In the hand still.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Nothing is left of it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !self.held && self.weight.value <= 0.0
    }

    /// The pose that the motion alone would have.
    #[must_use]
    pub fn own_pose(&self) -> &WorldPose {
        &self.own
    }

    /// Draws the joint to a point of the world, as seen from where its motion
    /// has it now.
    pub fn pull_to(&mut self, world: Vec3) {
        let own = self.own.joints().get(usize::from(self.joint()));
        if let (Some(own), true) = (own, self.held && world.is_finite()) {
            self.offset = (world - own.position()).clamp_length_max(self.most_m);
        }
    }

    /// Where it is drawn to, world.
    #[must_use]
    pub fn goal(&self) -> Option<Vec3> {
        let own = self.own.joints().get(usize::from(self.joint()))?;
        Some(own.position() + self.offset * self.weight.value as f32)
    }

    /// Lets go.
    pub fn let_go(&mut self) {
        self.held = false;
    }

    /// Lets time pass.
    pub fn step(&mut self, dt_secs: f64) {
        if !self.held {
            self.weight.follow(0.0, RETURN_HALF_LIFE_SECS, dt_secs);
        }
    }

    /// Changes a pose; `model` is up to date before and after.
    pub fn apply(
        &mut self,
        skeleton: &Skeleton,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        self.own.place(world_from_model, model);
        let Some(own) = model.joints().get(usize::from(self.joint())) else {
            return;
        };
        let offset = self.offset * self.weight.value as f32;
        let offset = world_from_model.rotation.conjugate() * offset;
        let target = own.translation + glam::Vec3A::from(offset);
        self.drag.apply(skeleton, target, pose, model);
    }
}
