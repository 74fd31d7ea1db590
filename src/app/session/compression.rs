//! The clip on stage, compressed in the background.

use std::{path::PathBuf, sync::Arc};

use super::Session;
use crate::{
    app::{Message, background, squeeze::Squeezed, survey::POINTS, take::Take},
    ui::{Codec, Gravity, SurveyPoint},
};

impl Session {
    pub(super) fn compress(&mut self) {
        self.squeeze_error = None;
        let lead = self.stage.lead.clone().filter(|take| take.clip.is_some());
        match (self.panels.codec.settings(), lead) {
            (Some(settings), Some(take)) => {
                self.squeeze_busy = true;
                self.squeezer.ask(take, settings);
            }
            _ => {
                self.squeezer.forget();
                self.squeeze_busy = false;
                self.stage.squeezed = None;
            }
        }
    }

    pub(super) fn receive_squeezed(&mut self, outcome: Result<Arc<Squeezed>, String>) {
        self.squeeze_busy = false;
        match outcome {
            Ok(squeezed) => self.stage.squeezed = Some(squeezed),
            Err(error) => {
                self.stage.squeezed = None;
                self.squeeze_error = Some(error);
            }
        }
    }

    /// Measures all codecs on the clip shown.
    pub(super) fn survey(&mut self) {
        let lead = self.stage.lead.clone().filter(|take| take.clip.is_some());
        if let Some(take) = lead {
            self.survey.clear();
            self.surveyed = Some(0);
            self.surveyor.begin(take, &self.outbox);
        }
    }

    pub(super) fn cancel_survey(&mut self) {
        self.surveyor.cancel();
        self.surveyed = None;
    }

    pub(super) fn receive_surveyed(&mut self, point: Option<SurveyPoint>) {
        self.survey.extend(point);
        let known = self.surveyed.map_or(POINTS, |known| known + 1);
        self.surveyed = (known < POINTS).then_some(known);
    }

    /// Writes a file; a long clip takes its time, so on a thread.
    pub(super) fn export(&mut self, write: fn(&Take, &Squeezed) -> Result<PathBuf, String>) {
        let (Some(take), Some(squeezed)) = (self.stage.lead.clone(), self.stage.squeezed.clone())
        else {
            self.tell(Gravity::Error, "Nothing is compressed yet");
            return;
        };
        let outbox = Arc::clone(&self.outbox);
        background(move || outbox(Message::Saved(write(&take, &squeezed))));
    }

    /// The word for the codec in use.
    #[must_use]
    pub fn codec_word(&self) -> &'static str {
        match self.panels.codec.codec {
            Codec::Off => "off",
            codec => codec.word(),
        }
    }
}
