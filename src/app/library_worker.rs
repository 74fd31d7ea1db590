//! A library opened, brought up to date and compared, beside the event loop.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use super::{Message, Outbox, background, opened_clip::OpenedClip};
use crate::library::{self, AllRows, Entries, Library, Likeness, RefreshCounts, RowStore, rows_of};

/// Between one report and the next.
const EVERY: Duration = Duration::from_millis(500);
/// Moments that are listed.
const MOST_ALIKE: usize = 200;

/// What there is to tell of a library.
#[derive(Debug)]
pub enum LibraryNews {
    /// What is known now, and how many of how many files are still to be read.
    Known {
        /// The files.
        entries: Arc<Entries>,
        /// What they look like.
        rows: Arc<RowStore>,
        /// Files read, of how many.
        step: Option<(usize, usize)>,
    },
    /// It is up to date.
    Done(RefreshCounts, Vec<String>),
    /// Moments like the one asked for; files whose rows are damaged.
    Alike(Vec<Likeness>, Vec<String>),
}

/// The rows of all clips, with the entries they are of.
type Compared = Arc<Mutex<Option<(Arc<Entries>, AllRows)>>>;

/// The worker's front door.
pub struct LibraryWorker {
    outbox: Outbox,
    newest: Arc<AtomicU64>,
    /// Rows in memory, once somebody asked what is like something.
    compared: Compared,
}

impl LibraryWorker {
    /// A worker that reports to `outbox`.
    pub fn new(outbox: Outbox) -> Self {
        Self {
            outbox,
            newest: Arc::default(),
            compared: Arc::default(),
        }
    }

    /// Whether news are of the library that is open.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.newest.load(Ordering::Acquire) == ticket
    }

    /// Opens a folder and brings its index up to date; files in `damaged` are
    /// read again.
    pub fn open(&self, folder: PathBuf, damaged: Vec<String>) {
        let ticket = self.newest.fetch_add(1, Ordering::AcqRel) + 1;
        let (outbox, newest) = (Arc::clone(&self.outbox), Arc::clone(&self.newest));
        background(move || {
            let wanted = || newest.load(Ordering::Acquire) == ticket;
            let told = Mutex::new(None::<Instant>);
            let tell = |library: &Library, step| {
                let news = LibraryNews::Known {
                    entries: Arc::new(library.entries().clone()),
                    rows: Arc::clone(library.rows()),
                    step,
                };
                outbox(Message::Library(ticket, news));
            };
            let mut library = Library::open(&folder, cache().as_deref());
            library.distrust(&damaged);
            tell(&library, None);
            let counts = library.refresh(&|library, step| {
                let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                if told.is_none_or(|it| it.elapsed() > EVERY) {
                    *told = Some(Instant::now());
                    tell(library, Some((step.done, step.all)));
                }
                wanted()
            });
            tell(&library, None);
            let remarks = library.take_remarks();
            outbox(Message::Library(ticket, LibraryNews::Done(counts, remarks)));
        });
    }

    /// Looks for what is like a clip between two times.
    pub fn compare(
        &self,
        clip: Arc<OpenedClip>,
        span_secs: (f64, f64),
        entries: Arc<Entries>,
        rows: Arc<RowStore>,
    ) {
        let ticket = self.newest.load(Ordering::Acquire);
        let (outbox, compared) = (Arc::clone(&self.outbox), Arc::clone(&self.compared));
        background(move || {
            let Some(sampler) = clip.sampler() else {
                return;
            };
            let (wanted, _) = rows_of(&clip.skeleton, &*sampler, span_secs);
            let mut known = compared.lock().unwrap_or_else(PoisonError::into_inner);
            let mut damaged = Vec::new();
            let fresh = known.take().filter(|it| Arc::ptr_eq(&it.0, &entries));
            let (_, all) = known.insert(fresh.unwrap_or_else(|| {
                let (all, broken) = AllRows::read(&entries, &rows);
                damaged = broken;
                (Arc::clone(&entries), all)
            }));
            let alike = library::similar(all, &wanted, MOST_ALIKE);
            outbox(Message::Library(ticket, LibraryNews::Alike(alike, damaged)));
        });
    }
}

/// Tests leave the user's own alone.
fn cache() -> Option<PathBuf> {
    match cfg!(test) {
        true => Some(std::env::temp_dir().join("kinetoscope-test-cache")),
        false => library::cache_folder(),
    }
}

/// The same for favourites and tags.
pub fn marks_folder() -> Option<PathBuf> {
    match cfg!(test) {
        true => Some(Path::new(&std::env::temp_dir()).join("kinetoscope-test-marks")),
        false => library::marks_folder(),
    }
}
