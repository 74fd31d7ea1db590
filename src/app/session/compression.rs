//! The clip on stage, compressed in the background.

use std::{path::PathBuf, sync::Arc};

use super::Session;
use crate::{
    app::{
        Message, background, codec_sweep::POINTS, compress_worker::CompressedResult, take::Take,
    },
    ui::{Codec, RateErrorPoint, Severity},
};

impl Session {
    pub(super) fn compress(&mut self) {
        self.compress_error = None;
        let lead = self.stage.lead.clone().filter(|take| take.clip.is_some());
        match (self.panels.codec.settings(), lead) {
            (Some(settings), Some(take)) => {
                self.compress_busy = true;
                self.compress_worker.ask(take, settings);
            }
            _ => {
                self.compress_worker.forget();
                self.compress_busy = false;
                self.stage.compressed = None;
            }
        }
    }

    pub(super) fn receive_compressed(&mut self, outcome: Result<Arc<CompressedResult>, String>) {
        self.compress_busy = false;
        match outcome {
            Ok(compressed) => self.stage.compressed = Some(compressed),
            Err(error) => {
                self.stage.compressed = None;
                self.compress_error = Some(error);
            }
        }
    }

    /// Measures all codecs on the clip shown.
    pub(super) fn sweep(&mut self) {
        let lead = self.stage.lead.clone().filter(|take| take.clip.is_some());
        if let Some(take) = lead {
            self.sweep.clear();
            self.sweep_known = Some(0);
            self.codec_sweep.begin(take, &self.outbox);
        }
    }

    pub(super) fn cancel_sweep(&mut self) {
        self.codec_sweep.cancel();
        self.sweep_known = None;
    }

    pub(super) fn receive_sweep_point(&mut self, point: Option<RateErrorPoint>) {
        self.sweep.extend(point);
        let known = self.sweep_known.map_or(POINTS, |known| known + 1);
        self.sweep_known = (known < POINTS).then_some(known);
    }

    /// Writes a file; a long clip takes its time, so on a thread.
    pub(super) fn export(
        &mut self,
        write: fn(&Take, &CompressedResult) -> Result<PathBuf, String>,
    ) {
        let (Some(take), Some(compressed)) =
            (self.stage.lead.clone(), self.stage.compressed.clone())
        else {
            self.tell(Severity::Error, "Nothing is compressed yet");
            return;
        };
        let outbox = Arc::clone(&self.outbox);
        background(move || outbox(Message::Saved(write(&take, &compressed))));
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
