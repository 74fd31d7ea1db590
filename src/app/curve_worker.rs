//! Curves of the clip on screen, taken in the background: of an hour's capture
//! that takes seconds.

use std::sync::Arc;

use super::{Message, Outbox, newest_worker::NewestWorker};
use crate::{
    analysis::{self, Curves, Filter, Wanted},
    clip::SampleClip,
    skeleton::Skeleton,
};

/// What is to be drawn.
pub struct CurveJob {
    /// Of whom.
    pub skeleton: Arc<Skeleton>,
    /// By name: the clip, and what is laid over it.
    pub clips: Vec<(String, Arc<dyn SampleClip>)>,
    /// Joints and channels.
    pub wanted: Wanted,
    /// Laid over it too.
    pub filter: Option<Filter>,
}

/// The worker's front door.
pub struct CurveWorker(NewestWorker<CurveJob>);

impl CurveWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        Self(NewestWorker::new(move |ticket, job: CurveJob, stale| {
            let mut drawn: Vec<(String, Curves)> = Vec::new();
            for (name, clip) in &job.clips {
                if stale() {
                    return;
                }
                let curves = analysis::curves(&job.skeleton, &**clip, &job.wanted);
                drawn.push((name.clone(), curves));
            }
            if let (Some(filter), Some((_, own))) = (job.filter, drawn.first()) {
                drawn.push(("filtered".to_owned(), own.through(filter)));
            }
            outbox(Message::Curved(ticket, drawn));
        }))
    }

    /// Asks for curves; anything asked for before is void.
    pub fn ask(&mut self, job: CurveJob) {
        self.0.ask(job);
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
