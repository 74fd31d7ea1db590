//! Which feet are held, let go, or sent on a step.
//!
//! In a gait or an act that simply plays, the clip lifts and plants the feet and
//! the lock keeps them in place. Through an inertial fade the animation's feet
//! are carried over the ground by what is left of the old motion; then a foot
//! that does not stand steps to where the new motion is going to have it, and one
//! that stands is held until its leg gets too long. Whoever then stands still
//! with a foot out of place puts it right.

use glam::{DVec2, Vec3A};

use super::{Animator, TICK_SECS, VELOCITY_SPAN_SECS};
use crate::{
    animator::{
        feet::{self, FootHold, FootOffset},
        foot_step::{FootStep, StepStart, UNSEEN_M, shortest_secs},
        layer::NextStance,
    },
    clip::Planar,
    math::ik,
};

/// How far a held foot may stay behind where it is held, for want of leg, before
/// it steps; metres.
const SHORT_M: f32 = 0.01;
/// How far a foot may stand from its place in an act that stays, metres.
const OUT_OF_PLACE_M: f64 = 0.06;
/// A foot of a fade that is low, and near to its place or slow, simply stands.
const LOW_M: f32 = 0.015;
const IN_PLACE_M: f64 = 0.015;
const SLOW_M_PER_SEC: f64 = 0.8;
/// Seconds before it stands in which a low foot is landing.
const LANDING_SECS: f64 = 0.1;
/// Seconds before it stands in which a foot may touch the ground.
const TOUCH_SECS: f64 = 0.035;
/// A foot that the act is about to lift anyway is not put right, seconds.
const SOON_SECS: f64 = 0.6;
/// While no fade runs, legs are looked at every so many ticks.
const LOOK_TICKS: u64 = 4;

/// What a foot is going to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StanceAhead {
    /// It stands now.
    pub planted: bool,
    /// Seconds until it is off the ground.
    pub lift_secs: Option<f64>,
    /// Seconds until it stands again after that.
    pub strike_secs: Option<f64>,
}

impl StanceAhead {
    /// Whether it stands a while from now.
    #[must_use]
    pub fn stands_at(&self, ahead_secs: f64) -> bool {
        match (self.lift_secs, self.strike_secs) {
            _ if ahead_secs <= 0.0 => self.planted,
            (Some(lift), Some(strike)) => ahead_secs < lift || ahead_secs >= strike,
            (Some(lift), None) => ahead_secs < lift,
            (None, _) => self.planted,
        }
    }
}

/// A leg as the animation alone has it.
#[derive(Clone, Copy)]
struct AnimatedLeg {
    /// World X and Z.
    ball: DVec2,
    /// Of the ball above the ground, metres.
    height_m: f32,
    /// Model space.
    hip_knee_ankle: [Vec3A; 3],
}

impl Animator {
    /// Locks feet that have come to stand, frees those that lift, and sends on a
    /// step those that a fade would drag.
    pub(super) fn update_feet(&mut self) {
        if self.post.feet.is_empty() {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let planted = layer.planted(&context, 0.0, &mut scratch);
        let soon = layer.planted(&context, TOUCH_SECS, &mut scratch);
        let (fading, begins) = (layer.carries_feet(), layer.begins_fade(TICK_SECS));
        let mixes = layer.mixes_states();
        self.scratch = scratch;
        let on = self.foot_lock && !self.in_place;
        for (leg, planted) in planted.into_iter().enumerate().take(self.post.feet.len()) {
            let stands = on && planted > 0.5;
            if begins && self.post.clearing[leg].after(TICK_SECS) > UNSEEN_M {
                // A gait was lifting it already, whatever held it.
                self.release(leg);
            }
            match self.post.feet[leg] {
                _ if !on => self.let_go(leg),
                // It has touched the ground, a moment early.
                FootHold::Locked { .. } if !stands && on && !fading && soon[leg] > 0.5 => {}
                FootHold::Locked { .. } if !stands && fading => self.step_or_release(leg),
                FootHold::Locked { .. } if !stands => self.let_go(leg),
                FootHold::Locked { point, .. } => self.keep_locked(leg, point, fading),
                // A leap's feet are the clip's own.
                FootHold::Stepping(_) if !stands && mixes => self.let_go(leg),
                FootHold::Stepping(step) => self.go_on(leg, step, stands, fading),
                FootHold::Free { .. } if stands => self.come_to_stand(leg, fading),
                FootHold::Free { .. } if begins => self.step_unless_landing(leg),
                FootHold::Free { .. } if on && !fading && soon[leg] > 0.5 => self.touch(leg),
                FootHold::Free { .. } => {}
            }
        }
    }

    fn let_go(&mut self, leg: usize) {
        if matches!(self.post.feet[leg], FootHold::Free { .. }) {
            return;
        }
        self.release(leg);
    }

    /// Free from now on, as it goes.
    fn release(&mut self, leg: usize) {
        let own = self.animated_leg(leg, 0.0);
        self.post.feet[leg] = FootHold::released(self.shown_offset(leg, &own));
    }

    /// Where a foot is shown now, from where the animation has it, and how that
    /// changes: whatever becomes of it next begins with both.
    fn shown_offset(&mut self, leg: usize, own: &AnimatedLeg) -> FootOffset {
        let later = self.animated_leg(leg, VELOCITY_SPAN_SECS);
        let (foot, settings) = (self.post.feet[leg], &self.graph.foot_lock);
        let offset = |it: &AnimatedLeg, ahead_secs| {
            let ground = foot.offset(it.ball, ahead_secs, settings);
            (ground, self.shown_rise_m(leg, it.height_m, ahead_secs))
        };
        // A step has not been advanced in this tick yet.
        let late_secs = match foot.is_stepping() {
            true => TICK_SECS,
            false => 0.0,
        };
        let now = offset(own, late_secs);
        let next = offset(&later, late_secs + VELOCITY_SPAN_SECS);
        FootOffset {
            ground: now.0,
            rise_m: now.1,
            ground_velocity: (next.0 - now.0) / VELOCITY_SPAN_SECS,
            rise_velocity: (next.1 - now.1) / VELOCITY_SPAN_SECS as f32,
        }
    }

    /// How much higher a foot is shown than the animation has it; that it had to
    /// clear the ground in its swing counts, for a fade forgets it.
    fn shown_rise_m(&self, leg: usize, height_m: f32, ahead_secs: f64) -> f32 {
        let (sole_m, settings) = (self.graph.sole_m, &self.graph.foot_lock);
        let rise_m = self.post.feet[leg].rise_m(height_m, sole_m, ahead_secs, settings);
        let clear_m = self.post.clearing[leg].after(TICK_SECS + ahead_secs);
        match clear_m > 0.0 {
            true => rise_m.max(sole_m + clear_m - height_m),
            false => rise_m,
        }
    }

    fn lock(&mut self, leg: usize) {
        let ball = self.animated_leg(leg, 0.0).ball;
        let settings = self.graph.foot_lock;
        self.post.feet[leg].lock(ball, &settings);
    }

    /// Off the ground in a fade: towards its next stance, if there is one.
    fn step_or_release(&mut self, leg: usize) {
        match self.next_stance(leg).strike_secs {
            Some(strike_secs) => self.begin_step(leg, strike_secs),
            None => self.let_go(leg),
        }
    }

    /// In the air when a fade begins. A foot that is just landing does so.
    fn step_unless_landing(&mut self, leg: usize) {
        let low = self.animated_leg(leg, 0.0).height_m < self.graph.sole_m + LOW_M;
        let strike_secs = self.next_stance(leg).strike_secs;
        match !low || strike_secs.is_none_or(|secs| secs > LANDING_SECS) {
            true => self.step_or_release(leg),
            false => self.release(leg),
        }
    }

    /// About to stand, of a blend of gaits whose weights may change: from when it is
    /// down it is held, or it would be carried over the ground until then.
    fn touch(&mut self, leg: usize) {
        if self.post.clearing[leg].after(TICK_SECS) <= 0.0 {
            return;
        }
        let height_m = self.animated_leg(leg, 0.0).height_m;
        if height_m + self.shown_rise_m(leg, height_m, 0.0) < self.graph.sole_m + LOW_M {
            self.lock(leg);
        }
    }

    /// The state has the foot on the ground: it stands there, or steps down to
    /// where a fade leads.
    fn come_to_stand(&mut self, leg: usize, fading: bool) {
        let own = self.animated_leg(leg, 0.0);
        let sole_m = self.graph.sole_m;
        let rise_m = self.shown_rise_m(leg, own.height_m, 0.0);
        if !fading && rise_m < LOW_M {
            return self.lock(leg);
        }
        let low = own.height_m + rise_m < sole_m + LOW_M;
        let in_place = own.ball.distance(self.landing(leg, 0.0)) < IN_PLACE_M;
        let later = self.animated_leg(leg, TICK_SECS);
        let slow = own.ball.distance(later.ball) < SLOW_M_PER_SEC * TICK_SECS;
        match low && (in_place || slow) {
            true => self.lock(leg),
            false => self.begin_step(leg, 0.0),
        }
    }

    fn keep_locked(&mut self, leg: usize, point: DVec2, fading: bool) {
        if !fading && !self.tick.is_multiple_of(LOOK_TICKS) {
            return;
        }
        // Whoever is going to stand steps to where that will be; a gait lifts the
        // foot by itself before the fade has come so far.
        let own = self.animated_leg(leg, 0.0);
        let (context, layer) = self.base();
        let place = match fading && !layer.is_gait(&context) {
            true => self.landing(leg, 0.0),
            false => own.ball,
        };
        let off_m = place.distance(point);
        let strained =
            off_m > f64::from(self.graph.foot_lock.reach_m) || fading && self.is_short(&own, point);
        if strained {
            let strike_secs = self.next_stance(leg).strike_secs;
            return self.begin_step(leg, strike_secs.unwrap_or(0.0));
        }
        let others = self.post.feet.iter().enumerate();
        let others_stand = others
            .filter(|(other, _)| *other != leg)
            .all(|(_, foot)| foot.is_locked());
        if !fading && off_m > OUT_OF_PLACE_M && others_stand && self.stays(leg) {
            self.begin_step(leg, 0.0);
        }
    }

    /// True when the current state keeps the foot where it is for a while.
    fn stays(&mut self, leg: usize) -> bool {
        let lift_secs = self.next_stance(leg).lift_secs;
        let (context, layer) = self.base();
        !layer.is_gait(&context) && lift_secs.is_none_or(|secs| secs > SOON_SECS)
    }

    /// True when the leg does not reach to where its foot is held.
    fn is_short(&self, own: &AnimatedLeg, point: DVec2) -> bool {
        let offset = point - own.ball;
        let offset = Vec3A::new(offset.x as f32, 0.0, offset.y as f32);
        let offset = self.root.transform().rotation.conjugate() * offset;
        let wanted = own.hip_knee_ankle[2] + offset;
        let reached = ik::soft_reach(own.hip_knee_ankle, wanted);
        let reached = ik::calm_reach(own.hip_knee_ankle, reached);
        reached.distance(wanted) > SHORT_M
    }

    fn go_on(&mut self, leg: usize, mut step: FootStep, stands: bool, fading: bool) {
        let ball = self.animated_leg(leg, 0.0).ball;
        if !stands && self.tick.is_multiple_of(LOOK_TICKS) {
            match self.next_stance(leg).strike_secs {
                Some(strike_secs) => step.delay(strike_secs),
                None => return self.let_go(leg),
            }
        }
        if !step.is_done() {
            let (context, layer) = self.base();
            let hands_over = !fading && layer.is_gait(&context);
            step.hand_over(hands_over, ball);
            let to = self.landing(leg, step.left_secs());
            step.advance(ball, to, TICK_SECS);
            self.post.feet[leg] = FootHold::Stepping(step);
            return;
        }
        self.post.feet[leg] = FootHold::locked(step.at(ball, 0.0), 1.0);
        match (stands, fading) {
            (true, _) => {}
            (false, true) => self.step_or_release(leg),
            (false, false) => self.let_go(leg),
        }
    }

    /// Begins a step that takes at least so long.
    fn begin_step(&mut self, leg: usize, least_secs: f64) {
        let own = self.animated_leg(leg, 0.0);
        let start = self.shown_offset(leg, &own);
        let from = match self.post.feet[leg] {
            FootHold::Locked { point, .. } => StepStart::Ground(point),
            _ => StepStart::Air,
        };
        let way_m = self
            .landing(leg, least_secs)
            .distance(own.ball + start.ground);
        let secs = least_secs.max(shortest_secs(way_m));
        let to = self.landing(leg, secs);
        self.post.feet[leg] = FootHold::Stepping(FootStep::new(from, start, own.ball, to, secs));
    }

    /// Whether a leg's foot stands, and when it lifts and comes down next, as far
    /// as that is known.
    pub fn stance_ahead(&mut self, leg: usize) -> StanceAhead {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let planted = layer.planted(&context, 0.0, &mut scratch)[leg.min(1)] > 0.5;
        self.scratch = scratch;
        let next = self.next_stance(leg.min(1));
        StanceAhead {
            planted,
            lift_secs: next.lift_secs,
            strike_secs: next.strike_secs,
        }
    }

    pub(super) fn clearances_m(&mut self, ahead_secs: f64) -> [f32; 2] {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let clearances_m = layer.clearances_m(&context, ahead_secs, &mut scratch);
        self.scratch = scratch;
        clearances_m
    }

    fn next_stance(&mut self, leg: usize) -> NextStance {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (context, layer) = self.base();
        let next = layer.next_stance(&context, leg, &mut scratch);
        self.scratch = scratch;
        next
    }

    /// Where the ball of a foot will be `ahead_secs` from now, all of the fade's
    /// drift included; world X and Z.
    fn landing(&mut self, leg: usize, ahead_secs: f64) -> DVec2 {
        let mut scratch = std::mem::take(&mut self.scratch);
        let (mut pose, mut mixed) = (
            std::mem::take(&mut self.poses.whole),
            std::mem::take(&mut self.poses.mixed),
        );
        let (context, layer) = self.base();
        let way = layer.way_to_rest(&context, ahead_secs, &mut scratch);
        layer.settled_pose(&context, ahead_secs, &mut scratch, &mut mixed, &mut pose);
        let steered_rad = self.steered(ahead_secs);
        let root = self.root.then(self.along(way, steered_rad));
        (self.scratch, self.poses.whole, self.poses.mixed) = (scratch, pose, mixed);
        self.leg_of_whole(leg, root).ball
    }

    /// A leg as the animation alone has it.
    fn animated_leg(&mut self, leg: usize, ahead_secs: f64) -> AnimatedLeg {
        let mut pose = std::mem::take(&mut self.poses.whole);
        self.base_pose(ahead_secs, &mut pose);
        self.poses.whole = pose;
        let root = match ahead_secs > 0.0 {
            true => self.root_after(ahead_secs),
            false => self.root,
        };
        self.leg_of_whole(leg, root)
    }

    fn leg_of_whole(&mut self, leg: usize, root: Planar) -> AnimatedLeg {
        let mut model = std::mem::take(&mut self.poses.model);
        model.compute(&self.graph.skeleton, &self.poses.whole);
        let joints = self.graph.legs[leg].joints;
        let place = |joint| model.joints()[usize::from(joint)].translation;
        let ball = place(joints.ball);
        let found = AnimatedLeg {
            ball: feet::ground_point(root.transform(), ball),
            height_m: ball.y,
            hip_knee_ankle: [joints.hip, joints.knee, joints.ankle].map(place),
        };
        self.poses.model = model;
        found
    }
}
