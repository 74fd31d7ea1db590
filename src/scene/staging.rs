//! How a character takes part in a scene besides what moves it: which way it is
//! turned, when its clip runs, and what happens in it.

use crate::clip::{EventTrack, Wrap};

/// How a clip runs on the scene's clock: t = R (τ − τ₀).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipTiming {
    /// The scene's time at which the clip is at its start, τ₀.
    pub start_secs: f64,
    /// Clip seconds a second of the scene, R; above 0.
    pub rate: f64,
}

impl Default for ClipTiming {
    fn default() -> Self {
        Self {
            start_secs: 0.0,
            rate: 1.0,
        }
    }
}

impl ClipTiming {
    /// Seconds of the clip at a moment of the scene, over as many laps as have
    /// passed; before its start it waits.
    #[must_use]
    pub fn clip_secs(&self, scene_secs: f64) -> f64 {
        (self.rate * (scene_secs - self.start_secs)).max(0.0)
    }
}

/// What a scene knows of a character beyond its motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Staging {
    /// Radians about Y by which its motion is turned, about the origin.
    pub turn_rad: f32,
    /// When its clip runs.
    pub timing: ClipTiming,
    /// What happens in its clip.
    pub events: EventTrack,
    /// Seconds of its clip that a bond has it at; its own timing is at rest.
    pub(super) bound_secs: Option<f64>,
    /// The same when its events were taken last.
    pub(super) bound_before_secs: f64,
}

impl Staging {
    /// Calls `fire` for every event of a clip that lies on the way from one
    /// moment of the scene to another. The lead's clip is what the clock itself
    /// comes round in; those of others start again by themselves.
    pub(super) fn passed(
        &self,
        (from_secs, to_secs): (f64, f64),
        (duration_secs, is_lead): (f64, bool),
        mut fire: impl FnMut(&str),
    ) {
        let (from, to, wrap) = match is_lead {
            true => (from_secs, to_secs, Wrap::Once),
            false => {
                let [from, to] = [from_secs, to_secs].map(|secs| self.timing.clip_secs(secs));
                (from, to, Wrap::Loop)
            }
        };
        let events = &self.events;
        events.passed(from, to, duration_secs, wrap, |it| fire(&it.name));
    }

    /// The same of a clip that a bond moves: forward alone, and not where it
    /// was put back to its start.
    pub(super) fn passed_bound(&self, duration_secs: f64, mut fire: impl FnMut(&str)) {
        let now = self.bound_secs.unwrap_or(0.0);
        let from = self.bound_before_secs;
        if now > from {
            let events = &self.events;
            events.passed(from, now, duration_secs, Wrap::Once, |it| fire(&it.name));
        }
    }
}
