//! Compression in the background. Work that has been overtaken is stopped
//! between two tracks, and a result that comes too late all the same is dropped
//! by its ticket.

use std::{sync::Arc, time::Instant};

use crate::{
    codec::{
        CodecSettings, CompressedClip, Stop,
        metric::{ErrorTable, HalfFrameError},
        play_through,
    },
    skeleton::JointIndex,
    ui::CompressionResult,
};

use super::{Message, Outbox, SessionError, newest_worker::NewestWorker, opened_clip::OpenedClip};

/// A compressed clip and its numbers.
#[derive(Debug)]
pub struct CompressedResult {
    /// To be sampled.
    pub clip: Arc<CompressedClip>,
    /// Errors of every joint and frame.
    pub table: ErrorTable,
    /// For the panel.
    pub result: CompressionResult,
}

struct Job {
    clip: Arc<OpenedClip>,
    settings: CodecSettings,
}

/// The worker's front door.
pub struct CompressWorker(NewestWorker<Job>);

impl CompressWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        Self(NewestWorker::new(move |ticket, job: Job, stale| {
            let outcome = compress(&job.clip, job.settings, Stop::when(stale)).map(Arc::new);
            if !stale() {
                outbox(Message::Compressed(ticket, outcome));
            }
        }))
    }

    /// Asks for a clip; anything asked for before is void.
    pub fn ask(&mut self, clip: Arc<OpenedClip>, settings: CodecSettings) {
        self.0.ask(Job { clip, settings });
    }

    /// Makes everything asked for void.
    pub fn forget(&mut self) {
        self.0.forget();
    }

    /// Whether a result answers the last job.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.0.is_current(ticket)
    }
}

/// Compresses and measures.
pub fn compress(
    opened: &OpenedClip,
    settings: CodecSettings,
    stop: Stop<'_>,
) -> Result<CompressedResult, SessionError> {
    let raw = opened.raw().ok_or(SessionError::NoClip)?;
    let started = Instant::now();
    let clip = settings.compress_until(&opened.skeleton, raw, stop)?;
    // Before the errors are measured: the panel tells what the codec took.
    let compress_secs = started.elapsed().as_secs_f64();
    let started = Instant::now();
    play_through(&opened.skeleton, &clip);
    let sample_us = started.elapsed().as_secs_f64() * 1e6 / raw.frames() as f64;
    let table = ErrorTable::measure_clip(&opened.skeleton, raw, &clip);
    let joints = table.joints();
    let largest = |errors: &[f32]| errors.iter().copied().fold(0.0, f32::max) * 100.0;
    let frame_errors_cm = table.errors_m().chunks(joints).map(largest).collect();
    let joint_errors_cm = (0..joints)
        .map(|joint| {
            let own = table.errors_m().iter().skip(joint).step_by(joints);
            own.copied().fold(0.0, f32::max) * 100.0
        })
        .collect();
    let result = CompressionResult {
        settings,
        bytes: clip.as_bytes().len() as u64,
        raw_bytes: raw.raw_bytes(),
        keys: clip.keys(),
        errors: table.summary(),
        between_frames: HalfFrameError::measure_clip(&opened.skeleton, raw, &clip),
        frame_errors_cm,
        joint_errors_cm,
        compress_secs,
        sample_us,
        key_frames: key_frames(&clip, joints),
    };
    Ok(CompressedResult {
        clip: Arc::new(clip),
        table,
        result,
    })
}

/// Frames with a rotation key, joint by joint.
fn key_frames(clip: &CompressedClip, joints: usize) -> Vec<Vec<u32>> {
    let CompressedClip::Keys(clip) = clip else {
        return Vec::new();
    };
    let own = |joint: usize| clip.rotation_key_frames(joint as JointIndex);
    (0..joints).map(own).collect()
}
