//! A folder of thousands of clips: an index of it, searches in it.
//!
//! What can be said of a clip without playing it (length, rate, unit, speed,
//! warnings) and what it looks like ten times a second ([`MotionRow`]) is kept
//! in the cache folder. Opening a library reads that alone; [`Library::refresh`]
//! then looks which files are new, changed or gone, by size and time, and reads
//! those. Every file is written to the index as soon as it was read, so that an
//! interruption loses the files in work and no other. A broken index is told
//! and rebuilt, a cache that cannot be written is told and done without.
//!
//! Limits: names that are not Unicode are listed, but not read; a motion whose
//! body is not a person's has no rows, so it is neither pictured nor found by
//! its likeness.

mod entry;
mod index_file;
mod marks;
mod motion_row;
mod query;
mod refresh;
mod row_store;
mod similar;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use entry::{ClipFacts, FileEntry, FileStamp};
use index_file::IndexFile;
pub use marks::Marks;
pub use motion_row::{BONES, LANDMARKS, MotionRow, ROWS_A_SECOND, rows_of};
pub use query::{Found, SearchWords, SortBy, found};
pub use refresh::{RefreshCounts, RefreshStep};
pub use row_store::RowStore;
pub use similar::{AllRows, Likeness, similar};

/// The files of a library, in order of path.
pub type Entries = BTreeMap<String, Arc<FileEntry>>;

/// A folder and what is known of the motions in it.
#[derive(Debug)]
pub struct Library {
    folder: PathBuf,
    entries: Entries,
    rows: Arc<RowStore>,
    /// Where records go; `None` where the cache cannot be written.
    index: Option<IndexFile>,
    /// Another process brings the index up to date: it is left alone.
    busy: bool,
    remarks: Vec<String>,
}

/// Where indices are kept on this system; `None` where there is no home.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "kinetoscope")?;
    Some(dirs.cache_dir().join("library"))
}

/// Where favourites and tags are kept: not in the cache, which may be emptied.
#[must_use]
pub fn marks_folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "kinetoscope")?;
    Some(dirs.data_dir().join("library"))
}

impl Library {
    /// Opens a folder as its index knows it; reads no capture.
    #[must_use]
    pub fn open(folder: &Path, cache: Option<&Path>) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        let mut library = Self {
            entries: Entries::new(),
            rows: Arc::new(RowStore::in_memory()),
            index: None,
            busy: false,
            remarks: Vec::new(),
            folder,
        };
        let Some(cache) = cache else {
            library.remark(
                "this system names no folder for caches; the index is made for this run alone",
            );
            return library;
        };
        let own = cache.join(name_of(&library.folder));
        match IndexFile::open(&own, &library.folder) {
            Ok(opened) => {
                library.remarks.extend(opened.remarks);
                library.entries = opened.entries;
                library.rows = opened.rows;
                library.index = opened.index;
                library.busy = opened.busy;
            }
            Err(error) => library.remark(&format!(
                "{}: {error}; the index is made for this run alone. Allow it to be written, or name another with --cache",
                own.display()
            )),
        }
        library
    }

    /// The folder, links followed.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is known, in order of path.
    #[must_use]
    pub fn entries(&self) -> &Entries {
        &self.entries
    }

    /// What the motions look like.
    #[must_use]
    pub fn rows(&self) -> &Arc<RowStore> {
        &self.rows
    }

    /// What there is to be told; told once.
    pub fn take_remarks(&mut self) -> Vec<String> {
        std::mem::take(&mut self.remarks)
    }

    /// Files whose rows turned out to be damaged are read again by the next
    /// refresh.
    pub fn distrust(&mut self, paths: &[String]) {
        for path in paths {
            self.entries.remove(path);
        }
        if !paths.is_empty() {
            let text = format!(
                "the rows of {} file(s) are damaged; they are read again",
                paths.len()
            );
            self.remark(&text);
        }
    }

    /// Takes over what is known from elsewhere, without rows.
    pub fn adopt(&mut self, entries: &Entries) -> std::io::Result<()> {
        for (path, entry) in entries {
            let mut entry = FileEntry::clone(entry);
            entry.clips.iter_mut().for_each(|it| it.rows = 0);
            if let Some(index) = &mut self.index {
                index.put(&entry)?;
            }
            self.entries.insert(path.clone(), Arc::new(entry));
        }
        Ok(())
    }

    fn remark(&mut self, text: &str) {
        self.remarks.push(text.to_owned());
    }
}

/// A name for a folder's index that no other folder has: FNV-1a of its path.
/// The index tells the path too, should two ever meet.
fn name_of(folder: &Path) -> String {
    let bytes = folder.as_os_str().as_encoded_bytes();
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    format!("{hash:016x}")
}
