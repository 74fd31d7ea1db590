//! A character under a script, without a window or a clock: what `drive` writes
//! and `render --script` rehearses.

use super::Character;
use crate::{
    animator::{MotionRecorder, Script, TraceLine},
    clip::RawClip,
};

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
        self.character.advance_to(self.frame as f64 / self.fps);
        self.frame += 1;
        self.character.trace().unwrap_or_default()
    }

    /// The next `frames` frames as a clip.
    pub fn record(&mut self, name: &str, frames: usize) -> RawClip {
        let mut recorder = MotionRecorder::default();
        for _ in 0..frames {
            self.step();
            recorder.put(self.character.local_pose(), self.character.placed);
        }
        recorder.into_clip(name, &self.character.skeleton, self.fps)
    }
}

impl Character {
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
