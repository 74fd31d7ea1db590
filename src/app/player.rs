//! The play head: time within a clip, its range, speed and direction.
//!
//! Pure: the caller says how much time has passed.

use crate::{clip::Wrap, ui::Playback};

/// Slowest and fastest playback.
pub const SPEEDS: (f64, f64) = (0.05, 4.0);

/// Where the play head is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Player {
    time_secs: f64,
    duration_secs: f64,
    fps: f64,
    range_secs: (f64, f64),
    /// Whether it runs.
    pub playing: bool,
    /// Behaviour at the ends of the range.
    pub wrap: Wrap,
    speed: f64,
    backwards: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            time_secs: 0.0,
            duration_secs: 0.0,
            fps: 30.0,
            range_secs: (0.0, 0.0),
            playing: true,
            wrap: Wrap::Loop,
            speed: 1.0,
            backwards: false,
        }
    }
}

impl Player {
    /// Turns to another clip: from its start, over its whole length; speed
    /// and wrap stay.
    pub fn load(&mut self, duration_secs: f64, fps: f64) {
        self.duration_secs = duration_secs.max(0.0);
        self.fps = fps;
        self.range_secs = (0.0, self.duration_secs);
        self.time_secs = if self.backwards { duration_secs } else { 0.0 };
    }

    /// Seconds of the clip.
    #[must_use]
    pub fn time_secs(&self) -> f64 {
        self.time_secs
    }

    /// The nearest frame.
    #[must_use]
    pub fn frame(&self) -> usize {
        (self.time_secs * self.fps).round() as usize
    }

    /// Whether time would change it.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.playing && self.duration_secs > 0.0
    }

    /// For the panels.
    #[must_use]
    pub fn view(&self) -> Playback {
        Playback {
            time_secs: self.time_secs,
            playing: self.playing,
            speed: self.speed,
            reverse: self.backwards,
            wrap: self.wrap,
            range_secs: self.range_secs,
        }
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        if !self.is_moving() {
            return;
        }
        let direction = if self.backwards { -1.0 } else { 1.0 };
        self.time_secs += dt_secs * self.speed * direction;
        self.stay_in_range();
    }

    fn stay_in_range(&mut self) {
        let (start, end) = self.range_secs;
        let span = end - start;
        let past = self.time_secs - start;
        if (0.0..=span).contains(&past) {
            return;
        }
        match self.wrap {
            Wrap::Once => {
                self.time_secs = self.time_secs.clamp(start, end);
                self.playing = false;
            }
            Wrap::Loop if span > 0.0 => self.time_secs = start + past.rem_euclid(span),
            Wrap::PingPong if span > 0.0 => {
                let turns = past.rem_euclid(2.0 * span);
                let returning = turns > span;
                self.time_secs = start + if returning { 2.0 * span - turns } else { turns };
                // Past an end an odd number of times the direction has turned.
                let crossed = (past / span).floor() as i64;
                if crossed.rem_euclid(2) == 1 {
                    self.backwards = !self.backwards;
                }
            }
            Wrap::Loop | Wrap::PingPong => self.time_secs = start,
        }
    }

    /// Goes to a time, within the clip.
    pub fn seek(&mut self, secs: f64) {
        if secs.is_finite() {
            self.time_secs = secs.clamp(0.0, self.duration_secs);
        }
    }

    /// Goes some frames on from the nearest one, and stops.
    pub fn step(&mut self, frames: i32) {
        self.playing = false;
        let last = (self.duration_secs * self.fps).round();
        let frame = (self.time_secs * self.fps).round() + f64::from(frames);
        self.seek(frame.clamp(0.0, last) / self.fps);
    }

    /// Plays, from the start when it had run out; or pauses.
    pub fn toggle(&mut self) {
        self.playing = !self.playing;
        let (start, end) = self.range_secs;
        if self.playing && self.wrap == Wrap::Once {
            let (from, out) = if self.backwards {
                (end, start)
            } else {
                (start, end)
            };
            if (self.time_secs - out).abs() < 1e-9 {
                self.time_secs = from;
            }
        }
    }

    /// To the start of the range.
    pub fn to_start(&mut self) {
        self.time_secs = self.range_secs.0;
    }

    /// To its end.
    pub fn to_end(&mut self) {
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

    /// Speed times a factor.
    pub fn change_speed(&mut self, factor: f64) {
        self.set_speed(self.speed * factor);
    }

    /// Turns round.
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

    fn player(wrap: Wrap) -> Player {
        let mut player = Player {
            wrap,
            ..Player::default()
        };
        player.load(2.0, 10.0);
        player
    }

    #[test]
    fn each_wrap_does_what_it_says_at_the_end() {
        let mut looped = player(Wrap::Loop);
        looped.advance(2.5);
        assert!((looped.time_secs() - 0.5).abs() < 1e-9);
        let mut back = player(Wrap::PingPong);
        back.advance(2.5);
        assert!((back.time_secs() - 1.5).abs() < 1e-9 && back.view().reverse);
        back.advance(2.0);
        assert!((back.time_secs() - 0.5).abs() < 1e-9 && !back.view().reverse);
        let mut once = player(Wrap::Once);
        once.advance(9.0);
        assert!(once.time_secs() == 2.0 && !once.playing);
        once.toggle();
        assert!(once.time_secs() == 0.0 && once.playing);
    }

    #[test]
    fn the_range_holds_forwards_and_backwards() {
        let mut player = player(Wrap::Loop);
        player.set_range(1.5, 0.5);
        player.seek(1.0);
        player.advance(0.7);
        assert!(
            (player.time_secs() - 0.7).abs() < 1e-9,
            "{}",
            player.time_secs()
        );
        player.reverse();
        player.advance(0.4);
        assert!(
            (player.time_secs() - 1.3).abs() < 1e-9,
            "{}",
            player.time_secs()
        );
        player.set_range(1.0, 1.0);
        player.advance(0.3);
        assert_eq!(player.time_secs(), 1.0);
    }

    #[test]
    fn steps_hit_frames_and_stop() {
        let mut player = player(Wrap::Loop);
        player.seek(0.44);
        player.step(1);
        assert_eq!(player.frame(), 5);
        assert!(!player.playing);
        player.step(-100);
        assert_eq!(player.frame(), 0);
        player.step(100);
        assert_eq!(player.frame(), 20);
        player.set_speed(f64::NAN);
        player.change_speed(1e9);
        assert_eq!(player.view().speed, 4.0);
        player.seek(f64::NAN);
        assert_eq!(player.frame(), 20);
    }
}
