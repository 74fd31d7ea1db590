//! A character under a script, without a window or a clock: what `drive` writes
//! and `render --script` rehearses.

use super::{Character, Motion, Scene};
use crate::animator::{MotionRecorder, RecordedMotion, Script, TraceLine};

/// A driven character, its script, and a frame rate.
#[derive(Debug)]
pub struct Performance {
    /// Who performs; may be asked between steps.
    pub character: Character,
    fps: f64,
    frame: u64,
}

impl Performance {
    /// Starts at time 0 with the whole script before it.
    #[must_use]
    pub fn new(mut character: Character, script: &Script, fps: f64) -> Self {
        character.hear(script);
        Self {
            character,
            fps,
            frame: 0,
        }
    }

    /// The next frame; the first is at time 0. What happened is told where an
    /// animator moves it.
    pub fn step(&mut self) -> TraceLine {
        // From the frame's number, so that no error adds up.
        let now_secs = self.frame as f64 / self.fps;
        self.character.advance_to(now_secs);
        if self.character.stand_by_own() {
            self.character.advance_to(now_secs);
        }
        self.frame += 1;
        self.character.trace().unwrap_or_default()
    }

    /// The next `frames` frames as a clip, and what happens in it.
    pub fn record(&mut self, name: &str, frames: usize) -> RecordedMotion {
        let mut recorder = MotionRecorder::from(self.frame as f64 / self.fps);
        for _ in 0..frames {
            self.step();
            recorder.put(self.character.local_pose(), self.character.placed);
            for (secs, event) in self.character.take_passed() {
                recorder.mark(secs, &event);
            }
        }
        recorder.into_motion(name, &self.character.skeleton, self.fps)
    }
}

impl Scene {
    /// What one of its characters does in the next `frames` frames, the first
    /// of them now.
    pub fn record(
        &mut self,
        character: usize,
        (name, fps): (&str, f64),
        frames: usize,
    ) -> RecordedMotion {
        let mut recorder = MotionRecorder::default();
        for frame in 0..frames {
            self.step(if frame == 0 { 0.0 } else { 1.0 / fps });
            let who = &self.characters[character];
            recorder.put(who.local_pose(), who.placed);
            let secs = frame as f64 / fps;
            let events = self.events_of(character);
            events.for_each(|event| recorder.mark(secs, event));
        }
        recorder.into_motion(name, &self.characters[character].skeleton, fps)
    }
}

impl Character {
    /// What an animator made happen since the last call, and when.
    pub(super) fn take_passed(&mut self) -> Vec<(f64, String)> {
        match self.motion_mut() {
            Motion::Driven(driven) => driven.take_passed(),
            Motion::Rest | Motion::Clip(_) => Vec::new(),
        }
    }

    /// Takes a script, each input with its time: the animator takes them up when
    /// it comes to them, whatever steps it is asked in.
    pub fn hear(&mut self, script: &Script) {
        if let Some(animator) = self.animator_mut() {
            for timed in script.inputs() {
                animator.input(timed.at_secs, timed.input.clone());
            }
        }
    }
}
