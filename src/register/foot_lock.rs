//! Feet that stand: held in one place, over a whole clip at once.
//!
//! The animator's lock sees only what has been; a blend knows every stance
//! beforehand, so a foot is on its way to where it will stand before it comes
//! down, and nothing has to be caught up with afterwards.

use glam::{DVec2, DVec3};

use crate::math::ease::smoothstep;

/// A stance that is to be kept, seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    pub span_secs: [f64; 2],
    /// 0 leaves the foot as it is, 1 holds it.
    pub strength: f64,
    /// Where the foot stands.
    pub point: DVec2,
    /// Where it is to be, frame by frame, from `first_frame` on.
    pub goal: Vec<DVec2>,
    pub first_frame: usize,
}

/// A shift grows within this time before a stance and dies out as long after
/// it, seconds; gaps that are shorter lead straight from one to the next.
const FADE_SECS: f64 = 0.4;
/// A foot that is let go gathers its own speed within about this time, seconds.
const GATHER_SECS: f64 = 0.06;

/// One foot, frame by frame.
pub(super) struct Foot<'a> {
    /// Where the ball of the foot goes of itself.
    pub own: &'a [DVec3],
    /// At which height it is to stand.
    pub heights_m: &'a [f64],
    /// Ascending, apart.
    pub stances: &'a [Stance],
    pub fps: f64,
}

impl Foot<'_> {
    /// What to move the foot by, frame by frame.
    pub fn offsets(&self) -> Vec<DVec3> {
        let offset = |frame: usize| {
            let secs = frame as f64 / self.fps;
            let of = |index: usize| self.offset(index, secs);
            (0..self.stances.len()).map(of).sum()
        };
        (0..self.own.len()).map(offset).collect()
    }

    fn offset(&self, index: usize, secs: f64) -> DVec3 {
        let stance = &self.stances[index];
        let weight = self.weight(index, secs) * stance.strength;
        if weight == 0.0 {
            return DVec3::ZERO;
        }
        // What is made up for goes on beyond the ends for a moment, at first as
        // fast as the foot itself: it leaves from rest, not with a jerk.
        let [start, end] = stance.span_secs;
        let beyond = (secs - end).max(0.0) - (start - secs).max(0.0);
        let eased = beyond.signum() * GATHER_SECS * (1.0 - (-beyond.abs() / GATHER_SECS).exp());
        let held_secs = secs.clamp(start, end) + eased;
        let (own, height) = self.at(held_secs);
        let goal = stance.goal_at(held_secs * self.fps);
        DVec3::new(goal.x - own.x, height - own.y, goal.y - own.z) * weight
    }

    /// How much a stance has to say: all while it lasts.
    fn weight(&self, index: usize, secs: f64) -> f64 {
        let [start, end] = self.stances[index].span_secs;
        let gap = |a: usize, b: usize| {
            let spans = [a, b].map(|i| self.stances.get(i).map(|it| it.span_secs));
            match spans {
                [Some(a), Some(b)] => FADE_SECS.min(b[0] - a[1]),
                _ => FADE_SECS,
            }
        };
        let (away, fade) = match () {
            () if secs < start => (start - secs, gap(index.wrapping_sub(1), index)),
            () if secs > end => (secs - end, gap(index, index + 1)),
            () => return 1.0,
        };
        1.0 - f64::from(smoothstep((away / fade.max(1e-3)).min(1.0) as f32))
    }

    /// The foot of itself, and the height it should have.
    fn at(&self, secs: f64) -> (DVec3, f64) {
        let last = self.own.len() - 1;
        let position = (secs * self.fps).clamp(0.0, last as f64);
        let (base, part) = (position as usize, position.fract());
        let next = (base + 1).min(last);
        let height = self.heights_m[base] + (self.heights_m[next] - self.heights_m[base]) * part;
        (self.own[base].lerp(self.own[next], part), height)
    }
}

impl Stance {
    fn goal_at(&self, frame: f64) -> DVec2 {
        let last = self.goal.len().saturating_sub(1);
        let position = (frame - self.first_frame as f64).clamp(0.0, last as f64);
        let (base, part) = (position as usize, position.fract());
        self.goal[base].lerp(self.goal[(base + 1).min(last)], part)
    }
}
