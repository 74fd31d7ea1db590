//! The clip on stage, compressed in the background.

use std::{path::PathBuf, sync::Arc};

use super::Session;
use crate::{
    app::{Message, squeeze::Squeezed, survey::POINTS, take::Take},
    ui::{Codec, SurveyPoint},
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

    pub(super) fn export(&mut self, write: impl Fn(&Take, &Squeezed) -> Result<PathBuf, String>) {
        let outcome = match (&self.stage.lead, &self.stage.squeezed) {
            (Some(take), Some(squeezed)) => write(take, squeezed),
            _ => Err("Nothing is compressed yet".into()),
        };
        self.receive(Message::Saved(outcome));
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
