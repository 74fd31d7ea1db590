//! A thread that does the newest job it was given, and no older one.

use std::sync::{
    Arc, Condvar, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::background;

struct Shared<J> {
    /// The job that waits, with its ticket, and whether all is over.
    slot: Mutex<(Option<(u64, J)>, bool)>,
    /// The newest ticket; older work is not wanted any more.
    newest: AtomicU64,
    bell: Condvar,
}

/// The worker's front door.
pub struct NewestWorker<J> {
    shared: Arc<Shared<J>>,
    ticket: u64,
}

/// Tells whether work has been overtaken.
pub type Stale<'a> = &'a (dyn Fn() -> bool + Sync);

impl<J: Send + 'static> NewestWorker<J> {
    /// Starts a thread that works: with a job's ticket, the job, and whether it
    /// has been overtaken.
    pub fn new(mut work: impl FnMut(u64, J, Stale<'_>) + Send + 'static) -> Self {
        let shared = Arc::new(Shared {
            slot: Mutex::new((None, false)),
            newest: AtomicU64::new(0),
            bell: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        background(move || {
            while let Some((ticket, job)) = theirs.next() {
                let stale = || theirs.newest.load(Ordering::Acquire) != ticket;
                work(ticket, job, &stale);
            }
        });
        Self { shared, ticket: 0 }
    }

    /// Asks for a job; anything asked for before is void. Returns its ticket.
    pub fn ask(&mut self, job: J) -> u64 {
        self.ticket += 1;
        self.post((Some((self.ticket, job)), false), self.ticket);
        self.ticket
    }

    /// Makes everything asked for void.
    pub fn forget(&mut self) {
        self.ticket += 1;
        self.post((None, false), self.ticket);
    }

    /// Whether a result answers the last job.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        ticket == self.ticket
    }
}

impl<J> NewestWorker<J> {
    fn post(&self, slot: (Option<(u64, J)>, bool), newest: u64) {
        // First of all, so that work under way stops at its next look.
        self.shared.newest.store(newest, Ordering::Release);
        let locked = self.shared.slot.lock();
        *locked.unwrap_or_else(PoisonError::into_inner) = slot;
        self.shared.bell.notify_one();
    }
}

impl<J> Drop for NewestWorker<J> {
    fn drop(&mut self) {
        self.post((None, true), u64::MAX);
    }
}

impl<J> Shared<J> {
    /// Waits for a job; `None` at the end. Whoever posts does not wait for work
    /// under way.
    fn next(&self) -> Option<(u64, J)> {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match (slot.0.take(), slot.1) {
                (_, true) => return None,
                (Some(job), _) => return Some(job),
                // Under a loop, since a condition variable may wake for
                // nothing.
                (None, _) => {
                    slot = self.bell.wait(slot).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}
