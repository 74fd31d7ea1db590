//! What a layer is about to do: its pose, and where and when its feet come to
//! stand once the present fade is over.

use super::{Context, LayerState, SampleScratch, timeline};
use crate::{clip::Planar, math::ease::smoothstep, skeleton::LocalPose};

/// How far ahead a foot looks for its next stance, seconds, and how finely.
const LOOK_AHEAD_SECS: f64 = 0.9;
const LOOK_AHEAD_STEPS: u32 = 54;

impl LayerState {
    /// The layer's pose `ahead_secs` after the last step, root motion taken
    /// out. Returns how much of it is there: less than 1 while empty states
    /// are active.
    pub fn pose(
        &self,
        context: &Context<'_>,
        ahead_secs: f64,
        scratch: &mut SampleScratch,
        mixed: &mut LocalPose,
        pose: &mut LocalPose,
    ) -> f32 {
        let presence = self.settled_pose(context, ahead_secs, scratch, mixed, pose);
        if presence > 0.0 {
            self.inertia.apply(ahead_secs, pose);
        }
        presence
    }

    /// The way over the ground of the current state alone in the next
    /// `dt_secs`, followed by all that inertia still has to give.
    #[must_use]
    pub fn way_to_rest(
        &self,
        context: &Context<'_>,
        dt_secs: f64,
        scratch: &mut SampleScratch,
    ) -> Planar {
        let own = self.stack.last().map(|active| {
            let (_, own) = active.step(context, dt_secs, scratch);
            own
        });
        own.unwrap_or(Planar::IDENTITY).then(self.inertia.drift())
    }

    /// How high above the ground each foot has to be `ahead_secs` from now,
    /// metres: nothing but in the swings of blended gaits.
    #[must_use]
    pub fn clearances_m(
        &self,
        context: &Context<'_>,
        ahead_secs: f64,
        scratch: &mut SampleScratch,
    ) -> [f32; 2] {
        let active = self.stack.last();
        let sampler = active.and_then(|active| context.sampler(active.state));
        let (Some(active), Some(sampler)) = (active, sampler) else {
            return [0.0; 2];
        };
        // A fade has its own steps.
        let shows = match self.stack.len() {
            1 => 1.0 - self.inertia.left(),
            _ => 0.0,
        };
        let blended = (2.0 * sampler.blended(scratch)).min(1.0) * shows;
        let stances = sampler.stances(scratch).filter(|_| blended > 0.0);
        let Some(stances) = stances else {
            return [0.0; 2];
        };
        let (phase, _) = sampler.step(active.phase, ahead_secs, scratch);
        [0, 1].map(|leg| {
            let since_strike = timeline::since_strike(phase, leg);
            blended * clearance_m(since_strike, stances[leg]) as f32
        })
    }

    /// True while a smooth fade mixes several states.
    #[must_use]
    pub fn mixes_states(&self) -> bool {
        self.stack.len() > 1
    }

    /// True while nothing but inertia moves the feet of the current state.
    #[must_use]
    pub fn carries_feet(&self) -> bool {
        self.stack.len() == 1 && self.inertia.left() > 0.0
    }

    /// True in the tick in which an inertial fade begins.
    #[must_use]
    pub fn begins_fade(&self, tick_secs: f64) -> bool {
        self.inertia.is_new(tick_secs)
    }

    /// True for a state whose phases speak of feet.
    #[must_use]
    pub fn is_gait(&self, context: &Context<'_>) -> bool {
        let active = self.stack.last();
        let sampler = active.and_then(|active| context.sampler(active.state));
        sampler.is_some_and(|sampler| sampler.is_gait())
    }

    /// Seconds until the current state, inertia aside, lifts a foot and puts it
    /// down: `None` for what does not happen soon.
    #[must_use]
    pub fn next_stance(
        &self,
        context: &Context<'_>,
        leg: usize,
        scratch: &mut SampleScratch,
    ) -> NextStance {
        let mut next = NextStance::default();
        let Some(active) = self.stack.last() else {
            return next;
        };
        let Some(sampler) = context.sampler(active.state) else {
            return next;
        };
        for step in 0..=LOOK_AHEAD_STEPS {
            let secs = LOOK_AHEAD_SECS * f64::from(step) / f64::from(LOOK_AHEAD_STEPS);
            let (phase, _) = sampler.step(active.phase, secs, scratch);
            match sampler.planted(phase, scratch)[leg] > 0.5 {
                false => {
                    next.lift_secs.get_or_insert(secs);
                }
                true if next.lift_secs.is_some() => {
                    next.strike_secs = Some(secs);
                    return next;
                }
                true => {}
            }
        }
        next
    }
}

/// In a blend of gaits that lift their feet at different moments, or at
/// different angles, a swinging foot comes too low: how high it is lifted at
/// least half-way, metres, and how much of a cycle before its stance is over.
const CLEARANCE_M: f64 = 0.045;
/// Share of a swing in which it gets there, and comes down.
const CLEAR_SHARE: f64 = 0.12;
const LIFT_CYCLES: f64 = 0.06;

/// The same `since_strike` cycles after a strike, for a stance of so many.
fn clearance_m(since_strike: f64, stance: f64) -> f64 {
    let lift = (stance - LIFT_CYCLES).clamp(0.0, 0.99);
    let swung = ((since_strike - lift) / (1.0 - lift)).clamp(0.0, 1.0);
    let inside = (swung.min(1.0 - swung) / CLEAR_SHARE).min(1.0);
    CLEARANCE_M * f64::from(smoothstep(inside as f32))
}

/// What a foot does next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NextStance {
    /// Seconds until it is off the ground; 0 when it is.
    pub lift_secs: Option<f64>,
    /// Seconds until it stands again after that.
    pub strike_secs: Option<f64>,
}
