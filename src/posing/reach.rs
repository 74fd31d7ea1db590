//! Reaching for something: a limb of two bones, or whatever follows a joint.

use glam::{EulerRot, Quat, Vec3, Vec3A};

use super::{
    Drag, DragSolver, MeetGoal, ReachGoal,
    goal::Goal,
    meeting::{Meeting, ROUNDS},
};
use crate::{
    math::{Transform, ik},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose, rotate_joint},
};

/// Seconds in which a reach fades in and out by about half.
const HALF_LIFE_SECS: f64 = 0.15;

/// A limb of two bones that can be sent to a point.
#[derive(Clone, Debug, PartialEq)]
pub struct ReachLimb {
    /// What callers name it.
    pub name: String,
    /// Start of the upper bone, of the lower bone, and what arrives.
    pub joints: [JointIndex; 3],
    /// Direction in model space to which the middle bends.
    pub pole: Vec3A,
    /// Of its weight, seconds.
    pub half_life_secs: f64,
}

/// What follows a joint that is sent somewhere.
#[derive(Clone, Debug)]
enum Means {
    /// Two bones, as an animator file describes them.
    Limb(ReachLimb),
    /// Its limb, the trunk where that is too short, at last the hips.
    Body(Drag),
}

/// A joint that is sent somewhere, or on its way back.
#[derive(Clone, Debug)]
pub struct Reach {
    joint: JointIndex,
    means: Means,
    goal: Goal,
    /// In the world.
    turn: Option<Quat>,
    /// What it goes along with, where its goal is no point.
    meeting: Option<Meeting>,
}

impl Reach {
    /// Of the limb that ends in a joint, where an animator file describes one.
    pub(super) fn new(skeleton: &Skeleton, joint: JointIndex, limbs: &[ReachLimb]) -> Self {
        let limb = limbs.iter().find(|limb| limb.joints[2] == joint);
        Self {
            joint,
            means: limb
                .cloned()
                .map_or_else(|| Means::Body(Drag::of(skeleton, joint)), Means::Limb),
            goal: Goal::default(),
            turn: None,
            meeting: None,
        }
    }

    /// Who follows, and which ends stay. A limb of an animator file bends as the
    /// file says, unless another solver is chosen.
    pub(super) fn follow(&mut self, skeleton: &Skeleton, solver: DragSolver, pins: &[JointIndex]) {
        if matches!(self.means, Means::Limb(_)) && solver == DragSolver::WholeBody {
            return;
        }
        let mut drag = Drag::of(skeleton, self.joint);
        drag.set_pins(pins);
        drag.solve_by(skeleton, solver);
        self.means = Means::Body(drag);
    }

    /// Which joint.
    #[must_use]
    pub fn joint(&self) -> JointIndex {
        self.joint
    }

    /// How much of it shows, 0 to 1.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.goal.weight()
    }

    /// Whether it is sent there still.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.goal.is_wanted()
    }

    /// The locator that it goes to, and whose that is; its own without.
    #[must_use]
    pub fn meets(&self) -> Option<&MeetGoal> {
        let meeting = self.meeting.as_ref().filter(|it| !it.is_over);
        meeting.map(|meeting| &meeting.goal)
    }

    /// How far it is from there in a pose of the world, metres.
    #[must_use]
    pub fn missing_m(&self, pose: &WorldPose) -> Option<f32> {
        let joint = *pose.joints().get(usize::from(self.joint))?;
        self.meeting.as_ref()?.missing_m(joint)
    }

    /// Where it goes, world.
    #[must_use]
    pub fn goal(&self) -> Vec3 {
        self.goal.point()
    }

    /// Sends a point of its own to a locator.
    pub(super) fn meet(&mut self, goal: MeetGoal, joint_from_own: Transform) {
        self.meeting = Some(Meeting::new(goal, joint_from_own));
    }

    /// Tells it where the locator is, world; nowhere when that is not known.
    pub(super) fn see(&mut self, place: Option<Transform>) {
        if let Some(meeting) = &mut self.meeting {
            meeting.see(place, &mut self.goal);
        }
    }

    pub(super) fn set(&mut self, goal: Option<ReachGoal>) {
        match (&mut self.meeting, goal) {
            // On the way back from there it is where it was.
            (Some(meeting), None) => meeting.is_over = true,
            (meeting, Some(_)) => *meeting = None,
            (None, None) => {}
        }
        self.goal.set(goal.map(|goal| goal.point));
        if let Some(goal) = goal {
            self.turn = goal.turn_deg.map(turn);
        }
    }

    pub(super) fn is_over(&self) -> bool {
        // Where a locator is shows only when the pose is made.
        let expects = self.meeting.as_ref().is_some_and(|it| !it.is_over);
        self.goal.is_over() && !expects
    }

    pub(super) fn is_moving(&self) -> bool {
        self.goal.is_moving()
    }

    pub(super) fn step(&mut self, dt_secs: f64) {
        let half_life_secs = match &self.means {
            Means::Limb(limb) => limb.half_life_secs,
            Means::Body(_) => HALF_LIFE_SECS,
        };
        self.goal.step(half_life_secs, dt_secs);
    }

    pub(super) fn apply(
        &self,
        skeleton: &Skeleton,
        world_from_model: Transform,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let weight = self.goal.weight();
        if weight <= 0.0 {
            return;
        }
        let model_from_world = world_from_model.inverse();
        let target = model_from_world.transform_point(self.goal.point().into());
        if let Some(meeting) = &self.meeting {
            let goal = (target, weight, model_from_world.rotation);
            return self.come_to_meet(skeleton, meeting, goal, pose, model);
        }
        let own = model.joints()[usize::from(self.joint)];
        match &self.means {
            Means::Limb(limb) => limb.bend(skeleton, (target, weight), pose, model),
            Means::Body(drag) => {
                let target = own.translation.lerp(target, weight);
                drag.apply(skeleton, target, pose, model);
            }
        }
        // Without a wish of its own a hand keeps the attitude of the forearm.
        if let Some(turn) = self.turn {
            let now = model.joints()[usize::from(self.joint)].rotation;
            let wanted = model_from_world.rotation * turn;
            let missing = (wanted * now.conjugate()).normalize();
            let part = Quat::IDENTITY.slerp(missing, weight);
            rotate_joint(skeleton, self.joint, part, pose, model);
        }
    }

    /// A point of its own, beside the joint, goes to the target.
    fn come_to_meet(
        &self,
        skeleton: &Skeleton,
        meeting: &Meeting,
        (target, weight, model_from_world): (Vec3A, f32, Quat),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let joint = usize::from(self.joint);
        let target = meeting.point(joint, model).lerp(target, weight);
        let turn = meeting.turn().map(|turn| {
            let now = model.joints()[joint].rotation;
            now.slerp((model_from_world * turn).normalize(), weight)
        });
        for _ in 0..ROUNDS {
            if let Some(turn) = turn {
                let now = model.joints()[joint].rotation;
                let missing = (turn * now.conjugate()).normalize();
                rotate_joint(skeleton, self.joint, missing, pose, model);
            }
            let missing = target - meeting.point(joint, model);
            let to = model.joints()[joint].translation + missing;
            match &self.means {
                Means::Limb(limb) => limb.bend(skeleton, (to, 1.0), pose, model),
                Means::Body(drag) => drag.apply(skeleton, to, pose, model),
            }
        }
        if let Some(turn) = turn {
            let now = model.joints()[joint].rotation;
            let missing = (turn * now.conjugate()).normalize();
            rotate_joint(skeleton, self.joint, missing, pose, model);
        }
    }
}

/// Degrees about X, then Y, then Z of what stands still.
pub(super) fn turn(degrees: Vec3) -> Quat {
    let [x, y, z] = degrees.to_array().map(f32::to_radians);
    Quat::from_euler(EulerRot::ZYX, z, y, x)
}

impl ReachLimb {
    /// Turns both bones until the end is at a point of the model, or points to
    /// it; `weight` 0 to 1.
    pub fn bend(
        &self,
        skeleton: &Skeleton,
        (target, weight): (Vec3A, f32),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let [root, middle, end] =
            { self.joints }.map(|joint| model.joints()[usize::from(joint)].translation);
        let turns = ik::two_bone(root, middle, end, target, self.pole);
        let part = |turn| Quat::IDENTITY.slerp(turn, weight);
        rotate_joint(skeleton, self.joints[0], part(turns.upper), pose, model);
        rotate_joint(skeleton, self.joints[1], part(turns.lower), pose, model);
    }
}
