//! Films made from what is drawn; see [`crate::app::record`].

use std::sync::Arc;

use super::Viewer;
use crate::{
    app::{
        export,
        record::{FilmSettings, Recorder, pictures_of},
    },
    ui::{Mode, Severity},
};

impl Viewer {
    /// Begins a film, or ends the one under way.
    pub(super) fn toggle_film(&mut self, film: FilmSettings) {
        if self.recorder.take().is_some() {
            self.session.recording = None;
            return;
        }
        let viewing = self.session.mode != Mode::Drive;
        let most = pictures_of(film.fps, viewing.then(|| self.session.playback()));
        if viewing {
            // One pass, from where it begins.
            let clock = self.session.clock_mut();
            match clock.is_backwards() {
                true => clock.go_to_end(),
                false => clock.go_to_start(),
            }
            clock.playing = true;
        }
        let outbox = Arc::clone(&self.outbox);
        let recorder = Recorder::begin(film, most, export::folder(), self.session.stem(), outbox);
        self.session.recording = Some(recorder.view());
        self.recorder = Some(recorder);
        // Its first picture is the moment it begins with.
        self.film_waits = true;
        self.touch();
    }

    /// How far time goes on in this frame, while a film is made: not at all
    /// before its first picture and while the encoder is behind.
    pub(super) fn film_step_secs(&self) -> Option<f64> {
        let recorder = self.recorder.as_ref()?;
        Some(match self.film_waits {
            true => 0.0,
            false => recorder.step_secs(),
        })
    }

    /// Adds what is shown to the film.
    pub(super) fn take_picture(&mut self) {
        let (Some(recorder), Some(surface)) = (&mut self.recorder, &mut self.surface) else {
            return;
        };
        let size = recorder.size();
        match surface.graphics.picture(&self.frame, size) {
            Ok((size, rgba)) => {
                self.film_waits = !recorder.put(size, rgba);
                self.session.recording = Some(recorder.view());
                if recorder.is_done() {
                    self.recorder = None;
                    self.session.recording = None;
                }
            }
            Err(error) => {
                self.recorder = None;
                self.session.recording = None;
                self.session.tell(Severity::Error, error.to_string());
            }
        }
        self.dirty = true;
    }
}
