//! What is done to a character's pose beyond its motion, as scenes, scripts and
//! hands do it. The order is [`crate::posing::Posing`]'s.

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};

use super::{Character, Motion, Scene, driven_motion::Stage};
use crate::{
    animator::{RecordedMotion, TraceLine},
    body::Body,
    humanoid::{Role, facing},
    posing::{
        JointDrag, JointHold, LookAt, PoseAction, PoseError, Posing, PosingTrace, Start, find_joint,
    },
    ragdoll::WaysUp,
    skeleton::{JointIndex, Skeleton},
};

/// A clip that leads this far goes somewhere, metres.
const WAY_M: f32 = 1.0;
/// Moments at which it is asked where it is.
const WAY_POSES: usize = 32;
/// A joint that was dragged less is where it was, metres.
const LEAST_WAY_M: f32 = 0.002;

impl Character {
    /// All that is done to its pose.
    #[must_use]
    pub fn posing(&self) -> &Posing {
        &self.posing
    }

    /// The same, to be given what was read of files.
    pub fn posing_mut(&mut self) -> &mut Posing {
        &mut self.posing
    }

    /// Does something to its pose, from now on.
    pub fn act(&mut self, action: &PoseAction) -> Result<(), PoseError> {
        if let PoseAction::Morph { target, weight } = action {
            let morphs = self.posing.morphs_mut();
            return morphs.weigh(&self.body, target.as_deref(), *weight);
        }
        let start = self.start();
        let done = self.posing.act(action, &self.skeleton, start, &self.world);
        match (action, self.animator_mut()) {
            (PoseAction::FootLock(on), Some(animator)) => animator.set_foot_lock(*on),
            (PoseAction::InPlace(on), Some(animator)) => animator.set_in_place(*on),
            _ => {}
        }
        if action.moves_feet() {
            self.plan_feet();
        }
        done
    }

    /// Takes over the ground, things in hands, what is looked at and the switches
    /// of who stood here before.
    pub fn take_over(&mut self, before: &Self) {
        let known = (&before.posing, &*before.skeleton);
        let start = self.start();
        self.posing
            .take_over(known, &self.skeleton, start, &self.world);
        let (lock, in_place) = (self.posing.foot_lock(), self.posing.is_in_place());
        if let Some(animator) = self.animator_mut() {
            lock.into_iter().for_each(|on| animator.set_foot_lock(on));
            animator.set_in_place(in_place);
        }
        self.plan_feet();
    }

    /// Names of the morph targets of its skin, by number; empty where the file
    /// has none.
    #[must_use]
    pub fn morph_names(&self) -> &[String] {
        self.body.model().map_or(&[], |it| &it.morph_names)
    }

    /// What a script asked for and could not be done, since the last call.
    pub fn take_faults(&mut self) -> Vec<PoseError> {
        match &mut self.motion {
            Motion::Driven(driven) => driven.take_faults(),
            Motion::Rest | Motion::Clip(_) => Vec::new(),
        }
    }

    /// Where its motion begins, and where it looks there.
    pub(super) fn start(&self) -> Start {
        let heading = |ahead: Vec3| ahead.x.atan2(ahead.z);
        match &self.motion {
            Motion::Driven(_) => Start::at(self.offset),
            Motion::Rest | Motion::Clip(_) => {
                let at = self.footing_in(&self.pose_at(0.0));
                Start {
                    origin: Vec2::new(at.x, at.z),
                    heading_rad: heading(self.way_ahead(at)),
                    level_m: self.body.ground_y() + self.offset.y,
                }
            }
        }
    }

    /// Where a clip leads from its first place, or looks if it stays there.
    fn way_ahead(&self, start: Vec3) -> Vec3 {
        let duration_secs = self.duration_secs();
        let times = (1..=WAY_POSES).map(|index| duration_secs * index as f64 / WAY_POSES as f64);
        let mut ways = times.map(|secs| self.footing_in(&self.pose_at(secs)) - start);
        let gone = ways.find(|way| way.length() > WAY_M);
        gone.unwrap_or(self.facing)
    }

    /// The joint in somebody's hand.
    #[must_use]
    pub fn held_joint(&self) -> Option<JointIndex> {
        let held = self.posing.holds().last().filter(|hold| hold.is_held());
        held.map(JointHold::joint)
    }

    /// Whether its pose changes though its motion stands still.
    #[must_use]
    pub fn is_posed(&self) -> bool {
        self.posing.is_moving()
    }

    /// Takes hold of a joint where it is.
    pub fn take_hold(&mut self, joint: JointIndex) {
        self.posing.take_hold(&self.skeleton, joint, &self.world);
    }

    /// Draws what is held to a point of the world, from the next pose on.
    pub fn pull_to(&mut self, world: Vec3) {
        if let Some(hold) = self.posing.holds_mut().last_mut() {
            hold.pull_to(world);
        }
    }

    /// Lets go: it eases back to its motion.
    pub fn let_go(&mut self) {
        if let Some(hold) = self.posing.holds_mut().last_mut() {
            hold.let_go();
        }
    }

    /// Keeps what is dragged where it is, for a stretch of the clip; it is let go.
    pub fn keep_hold(&mut self, from_secs: Option<f64>, to_secs: Option<f64>, ease_secs: f64) {
        let Some(hold) = self.posing.holds().last().filter(|hold| hold.is_held()) else {
            return;
        };
        let ahead = facing(&self.skeleton, hold.own_pose()).unwrap_or(Vec3::Z);
        let heading = Quat::from_rotation_y(ahead.x.atan2(ahead.z));
        let wanted = JointDrag {
            joint: self.skeleton.joints()[usize::from(hold.joint())]
                .name
                .replace(' ', "_"),
            way: heading.conjugate() * hold.way(&self.world),
            from_secs,
            to_secs,
            ease_secs,
        };
        // A pose that was not moved is not worth a line in a list.
        if wanted.way.length() > LEAST_WAY_M {
            // The joint has its name of this skeleton.
            let kept = self.posing.keep(&wanted, &self.skeleton, true);
            debug_assert!(kept.is_ok(), "{kept:?}");
            self.posing.holds_mut().pop();
        }
    }

    /// Lets time pass for what is done to it. What an animator moves was stepped
    /// tick by tick while its clock ran.
    pub(super) fn step_posing(&mut self, dt_secs: f64, clock_moves: bool) {
        self.posing.step_holds(dt_secs);
        if !(clock_moves && self.is_driven()) {
            self.posing.step(dt_secs);
        }
    }

    /// Asked for ways to get up besides its own captures.
    #[must_use]
    pub fn with_ways_up(mut self, ways_up: WaysUp) -> Self {
        self.posing.fall_mut().set_ways_up(ways_up);
        self
    }

    /// Lets time pass for a body that is limp, before it is posed. What an animator
    /// moves falls tick by tick while its clock runs.
    pub(super) fn step_fall(&mut self, dt_secs: f64, clock_moves: bool) {
        if !(clock_moves && self.is_driven()) {
            self.posing.step_fall(dt_secs);
        }
    }

    /// Takes down what it is driven to from now on.
    pub fn start_recording(&mut self) {
        let (start, offset) = (self.start(), self.world_from_model());
        if let Motion::Driven(driven) = &mut self.motion {
            driven.start_recording(&mut Stage {
                skeleton: &self.skeleton,
                body: &self.body,
                posing: &mut self.posing,
                offset,
                start,
            });
        }
    }

    /// Seconds that have been taken down, while it is.
    #[must_use]
    pub fn recorded_secs(&self) -> Option<f64> {
        match &self.motion {
            Motion::Driven(driven) => driven.recorded_secs(),
            Motion::Rest | Motion::Clip(_) => None,
        }
    }

    /// Ends recording: the motion in the world, a frame a tick.
    pub fn take_recording(&mut self, name: &str) -> Option<RecordedMotion> {
        match &mut self.motion {
            Motion::Driven(driven) => driven.take_recording(name),
            Motion::Rest | Motion::Clip(_) => None,
        }
    }

    /// What there is to tell of the present moment, where an animator moves it;
    /// takes the events.
    pub fn trace(&mut self) -> Option<TraceLine> {
        let mut line = self.animator_mut()?.trace();
        self.tell(&mut line);
        Some(line)
    }

    /// Adds to a line what is done to the pose.
    pub fn tell(&self, line: &mut TraceLine) {
        let [x, y, z] = &mut line.root;
        *y += self.posing.rise_m(*x, *z);
        line.posing = self.posing_trace();
    }

    /// What is done to the pose, as data; nothing where nothing is.
    #[must_use]
    pub fn posing_trace(&self) -> Option<PosingTrace> {
        self.posing.trace(&self.skeleton, &self.world)
    }

    /// Where others look when they look at it: its head, or what is highest.
    #[must_use]
    pub fn face(&self) -> Option<Vec3> {
        let head = find_joint(&self.skeleton, &Role::Head.to_string()).map(usize::from);
        let head = head.and_then(|head| self.world.joints().get(head));
        let places = self.world.joints().iter();
        let highest = || places.max_by(|a, b| a.translation.y.total_cmp(&b.translation.y));
        head.or_else(highest).map(|joint| joint.position())
    }
}

impl Scene {
    /// Does something to the lead; a ground is everybody's.
    pub fn act(&mut self, action: &PoseAction) -> Result<(), PoseError> {
        let lead = self.characters.first_mut();
        lead.map_or(Ok(()), |lead| lead.act(action))?;
        if matches!(action, PoseAction::Ground(_)) {
            let ground = self.lead().and_then(|lead| lead.posing.ground().cloned());
            for other in self.characters.iter_mut().skip(1) {
                other.posing.share_ground(ground.clone(), &other.skeleton);
                other.plan_feet();
            }
        }
        Ok(())
    }

    /// Hands over the model of a file, to be drawn as a prop.
    pub fn put_model(&mut self, path: &str, skeleton: Arc<Skeleton>, body: Arc<Body>) {
        self.stage.put_model(path, skeleton, body);
    }

    /// Tells those who look at each other or at the pointer where that is.
    pub(super) fn share_looks(&mut self) {
        for index in 0..self.characters.len() {
            let seen = match &self.characters[index].posing.look().at {
                LookAt::Pointer => self.pointer,
                LookAt::Character(name) => self.named(index, name).and_then(Character::face),
                _ => continue,
            };
            self.characters[index].posing.look_mut().set_seen(seen);
        }
    }
}
