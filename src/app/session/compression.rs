//! The clip that is shown, compressed in the background.

use std::{path::PathBuf, sync::Arc};

use super::Session;
use crate::{
    app::{
        Message, SessionError, background, codec_sweep::POINTS, compress_worker::CompressedResult,
        opened_clip::OpenedClip,
    },
    ui::{Codec, RateErrorPoint, Severity},
};

/// What compression has come to.
#[derive(Default)]
pub(super) struct Compression {
    pub busy: bool,
    pub error: Option<String>,
    pub result: Option<Arc<CompressedResult>>,
    /// Points of the curve over all codecs.
    pub points: Vec<RateErrorPoint>,
    /// How many points are known or known to be impossible, while they are
    /// measured.
    pub measured: Option<usize>,
}

impl Session {
    /// Compresses the clip as the panel says.
    pub(super) fn compress(&mut self) {
        self.compression.error = None;
        let clip = self.clips.lead.clone().filter(|it| it.motion.is_some());
        match (self.panels.codec.settings(), clip) {
            (Some(settings), Some(clip)) => {
                self.compression.busy = true;
                self.jobs.compress.ask(clip, settings);
            }
            _ => {
                self.jobs.compress.forget();
                self.compression.busy = false;
                self.play_compressed(None);
            }
        }
    }

    pub(super) fn receive_compressed(
        &mut self,
        outcome: Result<Arc<CompressedResult>, SessionError>,
    ) {
        self.compression.busy = false;
        match outcome {
            Ok(result) => self.play_compressed(Some(result)),
            Err(error) => {
                self.play_compressed(None);
                self.compression.error = Some(error.to_string());
            }
        }
    }

    /// Plays what a codec made of the clip, held to the original; or the
    /// original.
    pub(super) fn play_compressed(&mut self, result: Option<Arc<CompressedResult>>) {
        let original = self.clips.lead.as_ref().and_then(|clip| clip.sampler());
        if let (Some(lead), Some(original)) = (self.view_scene.lead_mut(), original) {
            match &result {
                Some(result) => {
                    lead.set_clip(Arc::clone(&result.clip) as _);
                    lead.set_reference(Some(original));
                    self.options.error_scale_cm = result.result.errors.max_cm as f32;
                }
                None => {
                    lead.set_clip(original);
                    lead.set_reference(None);
                }
            }
        }
        self.compression.result = result;
    }

    /// Measures all codecs on the clip shown.
    pub(super) fn sweep_codecs(&mut self) {
        let clip = self.clips.lead.clone().filter(|it| it.motion.is_some());
        if let Some(clip) = clip {
            self.compression.points.clear();
            self.compression.measured = Some(0);
            self.jobs.sweep.begin(clip, &self.jobs.outbox);
        }
    }

    pub(super) fn cancel_sweep(&mut self) {
        self.jobs.sweep.cancel();
        self.compression.measured = None;
    }

    pub(super) fn receive_sweep_point(&mut self, point: Option<RateErrorPoint>) {
        let compression = &mut self.compression;
        compression.points.extend(point);
        let known = compression.measured.map_or(POINTS, |known| known + 1);
        compression.measured = (known < POINTS).then_some(known);
    }

    /// Writes a file; a long clip takes its time, so on a thread.
    pub(super) fn export(
        &mut self,
        write: fn(&OpenedClip, &CompressedResult) -> Result<PathBuf, SessionError>,
    ) {
        let (Some(clip), Some(result)) = (self.clips.lead.clone(), self.compression.result.clone())
        else {
            self.tell(Severity::Error, "Nothing is compressed yet");
            return;
        };
        let outbox = Arc::clone(&self.jobs.outbox);
        background(move || outbox(Message::Saved(write(&clip, &result))));
    }

    /// The word for the codec in use.
    #[must_use]
    pub fn codec_word(&self) -> &'static str {
        match self.panels.codec.codec {
            Codec::Off => "off",
            codec => codec.word(),
        }
    }

    /// Whether a compressed clip is played.
    #[must_use]
    pub fn plays_compressed(&self) -> bool {
        self.compression.result.is_some()
    }
}
