//! The scene's clock: the play head in a clip, its range, rate and passes.
//!
//! While it plays, t = R (τ − τ₀): clip time t, rate R, global time τ and the
//! global start τ₀, brought back into the range at its ends. Pure: the caller
//! says how much time has passed.

use crate::clip::Wrap;

/// Slowest and fastest playback.
pub const SPEEDS: (f64, f64) = (0.05, 4.0);

/// Where the play head is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    global_secs: f64,
    time_secs: f64,
    duration_secs: f64,
    fps: f64,
    range_secs: (f64, f64),
    /// Whether it runs.
    pub playing: bool,
    /// What happens at the ends of the range.
    pub wrap: Wrap,
    loops: Option<u32>,
    passes: u32,
    speed: f64,
    backwards: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            global_secs: 0.0,
            time_secs: 0.0,
            duration_secs: 0.0,
            fps: 30.0,
            range_secs: (0.0, 0.0),
            playing: true,
            wrap: Wrap::Loop,
            loops: None,
            passes: 0,
            speed: 1.0,
            backwards: false,
        }
    }
}

impl Clock {
    /// A clock without an end, for what is driven.
    #[must_use]
    pub fn endless() -> Self {
        let mut clock = Self::default();
        clock.load(f64::INFINITY, 30.0);
        clock
    }

    /// Turns to another clip: from its start, over its whole length; speed
    /// and wrap stay.
    pub fn load(&mut self, duration_secs: f64, fps: f64) {
        self.duration_secs = duration_secs.max(0.0);
        self.fps = fps;
        self.range_secs = (0.0, self.duration_secs);
        self.time_secs = if self.backwards { duration_secs } else { 0.0 };
        self.passes = 0;
    }

    /// Seconds that have passed in the scene, τ.
    #[must_use]
    pub fn global_secs(&self) -> f64 {
        self.global_secs
    }

    /// The moment at which this pass was at the clip's time 0, τ₀.
    #[must_use]
    pub fn start_secs(&self) -> f64 {
        self.global_secs - self.time_secs / self.rate()
    }

    /// Clip seconds a second, R; negative backwards.
    #[must_use]
    pub fn rate(&self) -> f64 {
        if self.backwards {
            -self.speed
        } else {
            self.speed
        }
    }

    /// Seconds of the clip, t.
    #[must_use]
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// The nearest frame.
    #[must_use]
    pub fn frame(&self) -> usize {
        (self.time_secs * self.fps).round() as usize
    }

    /// Start and end of the range.
    #[must_use]
    pub fn range_secs(&self) -> (f64, f64) {
        self.range_secs
    }

    /// Playback speed, without a direction.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it runs backwards.
    #[must_use]
    pub fn is_backwards(&self) -> bool {
        self.backwards
    }

    /// Passes over the range before it stops; for ever when left out.
    #[must_use]
    pub fn loops(&self) -> Option<u32> {
        self.loops
    }

    /// Stops after so many passes from now on, or never.
    pub fn set_loops(&mut self, loops: Option<u32>) {
        (self.loops, self.passes) = (loops, 0);
    }

    /// Passes over the range that are done.
    #[must_use]
    pub fn passes(&self) -> u32 {
        self.passes
    }

    /// Whether time would change it.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.playing && self.duration_secs > 0.0
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        self.global_secs += dt_secs;
        if self.is_moving() {
            self.time_secs += dt_secs * self.rate();
            self.stay_in_range();
        }
    }

    /// The stretches of clip time passed since this clock stood as `before`,
    /// in the order and direction they were: two where it came round.
    #[must_use]
    pub fn ways_since(&self, before: &Self) -> [(f64, f64); 2] {
        // The first moment of a lap counts as passed, and a way leaves out its
        // own start.
        const CRUMB_SECS: f64 = 1e-9;
        let (from, to) = (before.time_secs, self.time_secs);
        let (start, end) = self.range_secs;
        let around = self.passes > before.passes && self.playing;
        match (self.wrap, before.backwards) {
            (Wrap::Loop, false) if around => [(from, end), (start - CRUMB_SECS, to)],
            (Wrap::Loop, true) if around => [(from, start), (end + CRUMB_SECS, to)],
            (Wrap::PingPong, false) if around => [(from, end), (end, to)],
            (Wrap::PingPong, true) if around => [(from, start), (start, to)],
            _ => [(from, to), (to, to)],
        }
    }

    fn stay_in_range(&mut self) {
        let (start, end) = self.range_secs;
        let span = end - start;
        let past = self.time_secs - start;
        if (0.0..=span).contains(&past) {
            return;
        }
        if span > 0.0 {
            // A long step may be several passes of a short range.
            let done = (past / span).floor();
            self.passes = self.passes.saturating_add(done.abs().max(1.0) as u32);
        }
        if self.wrap == Wrap::Once || self.loops.is_some_and(|most| self.passes >= most) {
            self.time_secs = self.time_secs.clamp(start, end);
            self.playing = false;
            return;
        }
        match self.wrap {
            Wrap::Loop if span > 0.0 => self.time_secs = start + past.rem_euclid(span),
            Wrap::PingPong if span > 0.0 => {
                let lap = past.rem_euclid(2.0 * span);
                let returning = lap > span;
                self.time_secs = start + if returning { 2.0 * span - lap } else { lap };
                // Past an end an odd number of times the direction has changed.
                let crossed = (past / span).floor() as i64;
                if crossed.rem_euclid(2) == 1 {
                    self.backwards = !self.backwards;
                }
            }
            // A range without length leaves nothing to wrap into.
            Wrap::Loop | Wrap::PingPong | Wrap::Once => self.time_secs = start,
        }
    }

    /// Goes to a time, within the clip.
    pub fn seek(&mut self, secs: f64) {
        if secs.is_finite() {
            self.time_secs = secs.clamp(0.0, self.duration_secs);
        }
    }

    /// Goes some frames on from the nearest one, and stops.
    pub fn step_frames(&mut self, frames: i32) {
        self.playing = false;
        let last = (self.duration_secs * self.fps).round();
        let frame = (self.time_secs * self.fps).round() + f64::from(frames);
        self.seek(frame.clamp(0.0, last) / self.fps);
    }

    /// Plays, from the start when it had run out; or pauses.
    pub fn toggle(&mut self) {
        self.playing = !self.playing;
        let (start, end) = self.range_secs;
        if self.playing && (self.wrap == Wrap::Once || self.loops.is_some()) {
            let (from, out) = if self.backwards {
                (end, start)
            } else {
                (start, end)
            };
            // A play head that was sought to the end may miss it by a rounding.
            if (self.time_secs - out).abs() < 1e-9 {
                (self.time_secs, self.passes) = (from, 0);
            }
        }
    }

    /// To the start of the range.
    pub fn go_to_start(&mut self) {
        self.time_secs = self.range_secs.0;
    }

    /// To its end.
    pub fn go_to_end(&mut self) {
        self.time_secs = self.range_secs.1;
    }

    /// The range to play; the other way round is understood.
    pub fn set_range(&mut self, start_secs: f64, end_secs: f64) {
        let within = |secs: f64| secs.clamp(0.0, self.duration_secs);
        let (a, b) = (within(start_secs), within(end_secs));
        self.range_secs = (a.min(b), a.max(b));
    }

    /// The whole clip.
    pub fn clear_range(&mut self) {
        self.range_secs = (0.0, self.duration_secs);
    }

    /// Playback speed.
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed.clamp(SPEEDS.0, SPEEDS.1);
        }
    }

    /// Runs the other way.
    pub fn reverse(&mut self) {
        self.backwards = !self.backwards;
    }

    /// Loop, ping-pong, once.
    pub fn next_wrap(&mut self) {
        self.wrap = match self.wrap {
            Wrap::Loop => Wrap::PingPong,
            Wrap::PingPong => Wrap::Once,
            Wrap::Once => Wrap::Loop,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(wrap: Wrap) -> Clock {
        let mut clock = Clock {
            wrap,
            ..Clock::default()
        };
        clock.load(2.0, 10.0);
        clock
    }

    #[track_caller]
    fn at(clock: &Clock, secs: f64) {
        let found = clock.time_secs();
        assert_close!(found, secs, 1e-9, "{found} s, not {secs} s");
    }

    #[test]
    fn each_wrap_does_what_it_says_at_the_end() {
        let mut looped = clock(Wrap::Loop);
        looped.advance(2.5);
        at(&looped, 0.5);
        let mut back = clock(Wrap::PingPong);
        back.advance(2.5);
        at(&back, 1.5);
        assert!(back.is_backwards());
        back.advance(2.0);
        at(&back, 0.5);
        assert!(!back.is_backwards());
        let mut once = clock(Wrap::Once);
        once.advance(9.0);
        assert!(once.time_secs() == 2.0 && !once.playing);
        once.toggle();
        assert!(once.time_secs() == 0.0 && once.playing);
    }

    #[test]
    fn clip_time_is_the_rate_times_the_time_since_the_global_start() {
        let mut clock = clock(Wrap::Loop);
        clock.set_speed(0.5);
        clock.advance(3.0);
        at(&clock, 0.5 * (clock.global_secs() - clock.start_secs()));
        clock.playing = false;
        clock.advance(10.0);
        clock.playing = true;
        at(&clock, 1.5);
        clock.reverse();
        clock.advance(1.0);
        at(
            &clock,
            clock.rate() * (clock.global_secs() - clock.start_secs()),
        );
        at(&clock, 1.0);
    }

    #[test]
    fn its_ways_are_what_was_passed() {
        let mut looped = clock(Wrap::Loop);
        let mut stepped = |dt_secs: f64| {
            let before = looped;
            looped.advance(dt_secs);
            looped.ways_since(&before)
        };
        assert_eq!(stepped(1.5), [(0.0, 1.5), (1.5, 1.5)]);
        let [out, into] = stepped(1.0);
        assert_eq!(out, (1.5, 2.0));
        assert!(into.0 < 0.0 && into.1 == 0.5, "{into:?}");
        let mut back = clock(Wrap::PingPong);
        back.advance(1.5);
        let before = back;
        back.advance(1.0);
        assert_eq!(back.ways_since(&before), [(1.5, 2.0), (2.0, 1.5)]);
        let mut once = clock(Wrap::Once);
        let before = once;
        once.advance(9.0);
        assert_eq!(once.ways_since(&before)[0], (0.0, 2.0));
    }

    #[test]
    fn a_number_of_loops_ends_by_itself_and_starts_afresh() {
        let mut clock = clock(Wrap::Loop);
        clock.set_loops(Some(3));
        clock.advance(5.0);
        assert!(clock.playing && clock.passes() == 2);
        clock.advance(5.0);
        assert!(!clock.playing, "after three passes");
        at(&clock, 2.0);
        clock.toggle();
        assert!(clock.playing && clock.passes() == 0);
        at(&clock, 0.0);
    }

    #[test]
    fn the_range_holds_forwards_and_backwards() {
        let mut clock = clock(Wrap::Loop);
        clock.set_range(1.5, 0.5);
        clock.seek(1.0);
        clock.advance(0.7);
        at(&clock, 0.7);
        clock.reverse();
        clock.advance(0.4);
        at(&clock, 1.3);
        clock.set_range(1.0, 1.0);
        clock.advance(0.3);
        assert_eq!(clock.time_secs(), 1.0);
    }

    #[test]
    fn steps_hit_frames_and_stop() {
        let mut clock = clock(Wrap::Loop);
        clock.seek(0.44);
        clock.step_frames(1);
        assert_eq!(clock.frame(), 5);
        assert!(!clock.playing);
        clock.step_frames(-100);
        assert_eq!(clock.frame(), 0);
        clock.step_frames(100);
        assert_eq!(clock.frame(), 20);
        clock.set_speed(f64::NAN);
        clock.set_speed(1e9);
        assert_eq!(clock.speed(), 4.0);
        clock.seek(f64::NAN);
        assert_eq!(clock.frame(), 20);
    }

    #[test]
    fn what_is_driven_has_no_end() {
        let mut clock = Clock::endless();
        clock.set_speed(2.0);
        clock.advance(1e6);
        assert_eq!(clock.time_secs(), 2e6);
        assert!(clock.is_moving());
    }
}
