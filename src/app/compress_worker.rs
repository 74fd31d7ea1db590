//! Compression in the background. Only the newest job counts: work that has
//! been overtaken is stopped between two tracks, and a result that comes too
//! late all the same is dropped by its ticket.

use std::{
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::{
    clip::SampleClip,
    codec::{
        CodecSettings, CompressedClip, Stop,
        metric::{ErrorTable, HalfFrameError},
    },
    ui::CompressionResult,
};

use super::{Message, Outbox, SessionError, background, opened_clip::OpenedClip};

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
    ticket: u64,
    clip: Arc<OpenedClip>,
    settings: CodecSettings,
}

#[derive(Default)]
struct Shared {
    job: Mutex<(Option<Job>, bool)>,
    /// The newest ticket; older work is not wanted any more.
    newest: AtomicU64,
    bell: Condvar,
}

/// The worker's front door.
pub struct CompressWorker {
    shared: Arc<Shared>,
    ticket: u64,
}

impl CompressWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        background(move || work(&theirs, &outbox));
        Self { shared, ticket: 0 }
    }

    /// Asks for a clip; anything asked for before is void.
    pub fn ask(&mut self, clip: Arc<OpenedClip>, settings: CodecSettings) {
        self.ticket += 1;
        let job = Job {
            ticket: self.ticket,
            clip,
            settings,
        };
        self.post(Some(job));
    }

    /// Makes everything asked for void.
    pub fn forget(&mut self) {
        self.ticket += 1;
        self.post(None);
    }

    fn post(&self, job: Option<Job>) {
        // First of all, so that work under way stops at its next look.
        self.shared.newest.store(self.ticket, Ordering::Release);
        let mut slot = self
            .shared
            .job
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        slot.0 = job;
        self.shared.bell.notify_one();
    }

    /// Whether a result answers the last job.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        ticket == self.ticket
    }
}

impl Drop for CompressWorker {
    fn drop(&mut self) {
        self.shared.newest.store(u64::MAX, Ordering::Release);
        let mut slot = self
            .shared
            .job
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *slot = (None, true);
        self.shared.bell.notify_one();
    }
}

fn work(shared: &Shared, outbox: &Outbox) {
    loop {
        let mut slot = shared.job.lock().unwrap_or_else(PoisonError::into_inner);
        let job = loop {
            match (slot.0.take(), slot.1) {
                (_, true) => return,
                (Some(job), _) => break job,
                // Under a loop, since a condition variable may wake for
                // nothing.
                (None, _) => {
                    slot = shared
                        .bell
                        .wait(slot)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        };
        // Whoever posts must not wait for a compression.
        drop(slot);
        let stale = || shared.newest.load(Ordering::Acquire) != job.ticket;
        let outcome = compress(&job.clip, job.settings, Stop::when(&stale)).map(Arc::new);
        if stale() {
            continue;
        }
        outbox(Message::Compressed(job.ticket, outcome));
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
    use crate::codec::keys::{TrackKind, chunk_ranges};
    let CompressedClip::Keys(clip) = clip else {
        return Vec::new();
    };
    let mut frames = vec![Vec::new(); joints];
    let starts = chunk_ranges(clip.frames()).map(|(start, _)| start as u32);
    for (chunk, start) in clip.tracks().into_iter().zip(starts) {
        for track in chunk {
            if matches!(track.kind, TrackKind::Rotation)
                && let Some(own) = frames.get_mut(usize::from(track.joint))
            {
                own.extend(track.frames.iter().map(|&frame| start + u32::from(frame)));
            }
        }
    }
    frames
}
