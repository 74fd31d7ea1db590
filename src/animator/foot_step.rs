//! A foot on its way to another place: lifted, carried there, put down.
//!
//! It starts from where it stands, or goes on as the animation has it, and is
//! drawn to its place by an ease that ends a little before it lands. The place may
//! change on the way, and is followed smoothly.

use glam::DVec2;

use super::feet::FootOffset;
use crate::math::{Spring, ease::smoothstep};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootStep {
    from: StepStart,
    to: [Spring; 2],
    passed_secs: f64,
    left_secs: f64,
    /// Share of the way that is done.
    done: f64,
    /// How much of the foot is the animation's again.
    handed_over: f64,
    hands_over: bool,
    /// How high the sole is lifted half-way, metres.
    lift_m: f32,
    /// Where the foot was shown when it began, from the animation's.
    start: FootOffset,
    /// How long it still takes to come down, seconds, and how fast that passes: as
    /// `left_secs`, but where that is put off on the way down this follows smoothly.
    descent_secs: f64,
    descent_rate: f64,
}

/// Where a step begins; metres, world X and Z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepStart {
    /// The foot stood there.
    Ground(DVec2),
    /// In the air, so far from the animation's foot as it was shown.
    Air,
}

/// Seconds in which a foot that the animation has high in the air comes down from
/// there: in less its knee would shoot out straight.
const LOWER_SECS: f64 = 0.2;
/// How much the pace of a descent changes a second, in seconds of descent a second.
const DESCENT_EASE: f64 = 20.0;
/// Seconds in which a descent catches up that was put off.
const CATCH_UP_SECS: f64 = 0.05;
/// Seconds in which a foot is only lifted or only put down, so that it does not
/// brush the ground; and in which it has been lifted, and comes down.
const LIFT_SECS: f64 = 0.035;
const LAND_SECS: f64 = 0.035;
const RISE_SECS: f64 = 0.1;
/// Seconds that a step needs to give way to the animation, and metres that it
/// may be away from it.
const HAND_OVER_SECS: f64 = 0.28;
const HAND_OVER_M: f64 = 0.3;
/// A foot that lands so soon no longer changes its mind, seconds.
const DECIDED_SECS: f64 = 0.08;
/// Seconds in which half the way to another place is made.
const REDIRECT_HALF_LIFE_SECS: f64 = 0.1;
/// Seconds a step takes at least, and more for each metre.
const SHORTEST_SECS: f64 = 0.22;
const SECS_PER_M: f64 = 0.2;
/// How high a foot is lifted: for the shortest step, for each metre, at most.
const LEAST_LIFT_M: f64 = 0.03;
const LIFT_PER_M: f64 = 0.08;
const MOST_LIFT_M: f64 = 0.09;
/// What a foot that stands may be off the ground, metres: less than is seen.
pub const UNSEEN_M: f32 = 0.003;
/// How far below the ground a foot is taken for one that stands on it, metres.
const SUNK_M: f32 = 0.01;
/// A foot that the animation itself has this high is not lifted, metres.
const HIGH_M: f32 = 0.1;

/// Seconds that a step of this length takes at least.
#[must_use]
pub fn shortest_secs(way_m: f64) -> f64 {
    SHORTEST_SECS + SECS_PER_M * way_m
}

impl FootStep {
    /// Over so many seconds; the animation has the ball at `ball` now, and the
    /// foot is shown off there by `start`.
    #[must_use]
    pub fn new(from: StepStart, start: FootOffset, ball: DVec2, to: DVec2, secs: f64) -> Self {
        let way_m = match from {
            StepStart::Ground(point) => point.distance(to),
            StepStart::Air => (ball + start.ground).distance(to),
        };
        Self {
            from,
            to: [to.x, to.y].map(Spring::at),
            passed_secs: 0.0,
            left_secs: secs,
            done: 0.0,
            handed_over: 0.0,
            hands_over: false,
            lift_m: (LEAST_LIFT_M + LIFT_PER_M * way_m).min(MOST_LIFT_M) as f32,
            start,
            descent_secs: secs,
            descent_rate: -1.0,
        }
    }

    /// Seconds until it stands.
    #[must_use]
    pub fn left_secs(&self) -> f64 {
        self.left_secs
    }

    /// True when the foot stands.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.left_secs <= 1e-9
    }

    /// The share of the way that is done after `ahead_secs`. What is left is made
    /// in the time that is left, whatever that has become.
    fn done_after(&self, ahead_secs: f64) -> f64 {
        let waits_secs = match self.from {
            StepStart::Ground(_) => (LIFT_SECS - self.passed_secs).clamp(0.0, ahead_secs),
            StepStart::Air => 0.0,
        };
        let left_secs = self.left_secs - LAND_SECS - waits_secs;
        let go_secs = ahead_secs - waits_secs;
        match left_secs > go_secs {
            true => self.done + (1.0 - self.done) * go_secs / left_secs,
            false => 1.0,
        }
    }

    /// Lets time pass; the foot is to stand at `to`. Where the way has become long
    /// it takes longer.
    pub fn advance(&mut self, ball: DVec2, to: DVec2, dt_secs: f64) {
        if self.left_secs > DECIDED_SECS {
            let longer = shortest_secs(self.at(ball, 0.0).distance(to)) * (1.0 - self.done);
            self.left_secs = self.left_secs.max(longer);
            for (spring, to) in self.to.iter_mut().zip([to.x, to.y]) {
                spring.follow(to, REDIRECT_HALF_LIFE_SECS, dt_secs);
            }
        } else {
            let stay = |spring: &mut Spring| *spring = Spring::at(spring.value);
            self.to.iter_mut().for_each(stay);
        }
        self.done = self.done_after(dt_secs);
        self.handed_over = self.handed_over_after(dt_secs);
        self.passed_secs += dt_secs;
        self.left_secs = (self.left_secs - dt_secs).max(0.0);
        self.descend(dt_secs);
    }

    /// On the way down, and nothing has put that off: at a second a second.
    fn descend(&mut self, dt_secs: f64) {
        let late_secs = self.left_secs - (self.descent_secs - dt_secs);
        let wanted = (late_secs / CATCH_UP_SECS - 1.0).min(1.0);
        let most = DESCENT_EASE * dt_secs;
        self.descent_rate += (wanted - self.descent_rate).clamp(-most, most);
        let descent_secs = self.descent_secs + self.descent_rate * dt_secs;
        self.descent_secs = descent_secs.clamp(0.0, self.left_secs);
    }

    /// The animation is going to put the foot down where the step leads: from now
    /// on the step gives way to it, and is gone at the landing.
    /// With too little time left for that, or too far away, it does not begin. The
    /// animation has the ball at `ball`.
    pub fn hand_over(&mut self, hands_over: bool, ball: DVec2) {
        let near = self.at(ball, 0.0).distance(ball) < HAND_OVER_M;
        let begins = self.hands_over || near && self.left_secs > HAND_OVER_SECS;
        self.hands_over = hands_over && begins;
    }

    fn handed_over_after(&self, ahead_secs: f64) -> f64 {
        match self.hands_over {
            true if self.left_secs > ahead_secs => {
                self.handed_over + (1.0 - self.handed_over) * ahead_secs / self.left_secs
            }
            true => 1.0,
            false => self.handed_over,
        }
    }

    /// Makes it land no sooner than `secs` from now.
    pub fn delay(&mut self, secs: f64) {
        if self.done < 1.0 {
            self.left_secs = self.left_secs.max(secs);
        }
    }

    /// Where the ball is, world X and Z; the animation has it at `ball`.
    #[must_use]
    pub fn at(&self, ball: DVec2, ahead_secs: f64) -> DVec2 {
        let [x, y] = self
            .to
            .map(|spring| spring.value + spring.velocity * ahead_secs);
        let done = smoothstep(self.done_after(ahead_secs) as f32);
        let from = match self.from {
            StepStart::Ground(point) => point,
            StepStart::Air => {
                let carried = self.start.carried(self.passed_secs + ahead_secs);
                ball + self.start.ground + carried.0
            }
        };
        let stepped = from.lerp(DVec2::new(x, y), done.into());
        let animated = smoothstep(self.handed_over_after(ahead_secs) as f32);
        stepped.lerp(ball, animated.into())
    }

    /// Height of the ball that the animation has at `height_m`: that, and where it
    /// is low what the step lifts it; at the end on the ground, which is at
    /// `sole_m`. What is lifted comes on top, so that a leg that is all but
    /// straight gets no other length than the animation gives it.
    #[must_use]
    pub fn height_m(&self, height_m: f32, sole_m: f32, ahead_secs: f64) -> f32 {
        // Low in the air it is going already: up at once.
        let rise_secs = match self.from {
            StepStart::Ground(_) => RISE_SECS,
            StepStart::Air => 0.5 * RISE_SECS,
        };
        let passed_secs = self.passed_secs + ahead_secs;
        let passed = (passed_secs / rise_secs).min(1.0) as f32;
        let left_secs = self.descent_secs + self.descent_rate * ahead_secs;
        let share = |secs: f64| smoothstep((left_secs / secs).clamp(0.0, 1.0) as f32);
        let bump = smoothstep(passed).min(share(RISE_SECS));
        let left = share(LOWER_SECS);
        let rise_m = self.start.rise_m + self.start.carried(passed_secs).1;
        // Fades may have it far below the ground.
        let own = (height_m + rise_m - sole_m).max(-SUNK_M);
        let unseen = own.clamp(-UNSEEN_M, UNSEEN_M);
        let own = unseen + (own - unseen) * left;
        let low = 1.0 - smoothstep((own / HIGH_M).clamp(0.0, 1.0));
        let stepped_m = sole_m + own + self.lift_m * bump * low;
        // Over its place first, then down.
        let animated = smoothstep(self.handed_over_after(ahead_secs) as f32).powi(2);
        stepped_m + (height_m - stepped_m) * animated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 1.0 / 120.0;
    const SOLE_M: f32 = 0.02;

    #[test]
    fn a_standing_foot_is_lifted_goes_and_lands_where_it_was_sent() {
        let (ball, to) = (DVec2::new(0.1, 0.0), DVec2::new(0.0, 0.5));
        let mut step = FootStep::new(
            StepStart::Ground(DVec2::ZERO),
            FootOffset::default(),
            ball,
            to,
            0.3,
        );
        let (mut low_way_m, mut highest_m, mut before) = (0.0f64, 0.0f32, step.at(ball, 0.0));
        assert_eq!(before, DVec2::ZERO);
        while !step.is_done() {
            step.advance(ball, to, DT);
            let (at, height_m) = (step.at(ball, 0.0), step.height_m(SOLE_M, SOLE_M, 0.0));
            if height_m < SOLE_M + 0.015 {
                low_way_m += at.distance(before);
            }
            highest_m = highest_m.max(height_m);
            assert!(at.distance(before) < 0.05, "{at}");
            before = at;
        }
        assert_close!(before, to, 1e-9);
        assert_close!(step.height_m(0.1, SOLE_M, 0.0), SOLE_M + UNSEEN_M, 1e-6);
        assert!(
            highest_m > 0.06 && low_way_m < 0.01,
            "{highest_m} {low_way_m}"
        );
    }

    #[test]
    fn a_landing_that_is_put_off_turns_back_smoothly() {
        let (ball, to) = (DVec2::ZERO, DVec2::new(0.0, 0.5));
        let ground = StepStart::Ground(DVec2::ZERO);
        let mut step = FootStep::new(ground, FootOffset::default(), ball, to, 0.3);
        let mut heights: Vec<f32> = Vec::new();
        let mut put_off = false;
        while !step.is_done() {
            if step.left_secs() < 0.05 && !put_off {
                step.delay(0.4);
                put_off = true;
            }
            step.advance(ball, to, DT);
            heights.push(step.height_m(SOLE_M, SOLE_M, 0.0));
        }
        let jerk = |h: &[f32]| (h[2] - h[1] - 0.5 * (h[1] - h[0] + h[3] - h[2])).abs();
        let most_m = heights.windows(4).map(jerk).fold(0.0, f32::max);
        assert!(put_off && most_m < 0.003, "{most_m}");
        assert_close!(heights[heights.len() - 1], SOLE_M, 1e-4);
    }

    #[test]
    fn in_the_air_it_goes_on_as_the_animation_does_and_may_be_sent_elsewhere() {
        let ball = |secs: f64| DVec2::new(0.0, 4.0 * secs);
        let offset = DVec2::new(0.02, 0.0);
        let start = FootOffset {
            ground: offset,
            ground_velocity: DVec2::new(0.5, 0.0),
            ..FootOffset::default()
        };
        let mut step = FootStep::new(StepStart::Air, start, ball(0.0), DVec2::Y, 0.3);
        let early = step.at(ball(1e-3), 1e-3) - step.at(ball(0.0), 0.0);
        assert_close!(early / 1e-3, DVec2::new(0.5, 4.0), 0.1);
        let (mut secs, mut before) = (0.0, step.at(ball(0.0), 0.0));
        let elsewhere = DVec2::new(0.4, 0.6);
        while !step.is_done() {
            let to = if secs < 0.1 { DVec2::Y } else { elsewhere };
            step.advance(ball(secs), to, DT);
            secs += DT;
            let at = step.at(ball(secs), 0.0);
            assert!(at.distance(before) < 0.08, "{at} after {before}");
            before = at;
        }
        // It follows the place until it is decided: most of the way there.
        let (missed_m, asked_m) = (before.distance(elsewhere), DVec2::Y.distance(elsewhere));
        assert!(missed_m < 0.2 * asked_m, "{before}");
    }
}
