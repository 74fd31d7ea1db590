//! The clip on screen mended, in the background.

use std::sync::Arc;

use super::{Message, Outbox, newest_worker::NewestWorker, opened_clip::OpenedClip};
use crate::analysis;

/// The worker's front door.
pub struct MendWorker(NewestWorker<Arc<OpenedClip>>);

impl MendWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        Self(NewestWorker::new(
            move |ticket, clip: Arc<OpenedClip>, stale| {
                let Some(raw) = clip.raw() else { return };
                let mended = analysis::mend(&clip.skeleton, raw);
                if !stale() {
                    outbox(Message::Mended(ticket, Box::new(mended)));
                }
            },
        ))
    }

    /// Asks for a clip; anything asked for before is void.
    pub fn ask(&mut self, clip: Arc<OpenedClip>) {
        self.0.ask(clip);
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
