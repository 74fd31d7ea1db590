//! Where the rows of all motions lie: a file of the cache, or memory.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{FileEntry, MotionRow};

/// Bytes of a row.
pub(super) const ROW_BYTES: usize = size_of::<MotionRow>();

/// Rows one after the other; appended to, never changed.
#[derive(Debug)]
pub struct RowStore(Mutex<Place>);

#[derive(Debug)]
enum Place {
    File { file: File, len: u64 },
    Memory(Vec<u8>),
}

impl RowStore {
    pub(super) fn in_memory() -> Self {
        Self(Mutex::new(Place::Memory(Vec::new())))
    }

    /// What a file holds, where it cannot be appended to.
    pub(super) fn copied(path: &Path) -> Self {
        // One that cannot be read has no rows: their files are read again.
        Self(Mutex::new(Place::Memory(
            fs::read(path).unwrap_or_default(),
        )))
    }

    pub(super) fn of_file(file: File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        Ok(Self(Mutex::new(Place::File { file, len })))
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        // Bytes are whole whatever happened to whoever read them.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &*self.place() {
            Place::File { len, .. } => *len,
            Place::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Nothing was put in yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends rows and says where they begin.
    pub(super) fn append(&self, rows: &[MotionRow]) -> io::Result<u64> {
        let bytes: &[u8] = bytemuck::cast_slice(rows);
        match &mut *self.place() {
            Place::File { file, len } => {
                let at = file.seek(SeekFrom::End(0))?;
                file.write_all(bytes)?;
                *len = at + bytes.len() as u64;
                Ok(at)
            }
            Place::Memory(all) => {
                all.extend(bytes);
                Ok((all.len() - bytes.len()) as u64)
            }
        }
    }

    /// The rows of a file; `None` where they are not what was written.
    #[must_use]
    pub fn read(&self, entry: &FileEntry) -> Option<Vec<MotionRow>> {
        let rows = self.range(entry.rows_at, entry.row_count())?;
        (crc32fast::hash(bytemuck::cast_slice(&rows)) == entry.rows_crc).then_some(rows)
    }

    /// The rows of one clip, unchecked: for a picture.
    #[must_use]
    pub fn clip(&self, entry: &FileEntry, clip: usize) -> Option<Vec<MotionRow>> {
        let facts = entry.clips.get(clip)?;
        let at = entry.rows_at + u64::from(facts.first_row) * ROW_BYTES as u64;
        self.range(at, facts.rows as usize)
    }

    fn range(&self, at: u64, count: usize) -> Option<Vec<MotionRow>> {
        let end = at.checked_add((count * ROW_BYTES) as u64)?;
        // What the index claims is not asked for before it is there.
        if end > self.len() {
            return None;
        }
        let mut rows = vec![MotionRow([0; 64]); count];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut rows);
        match &mut *self.place() {
            Place::File { file, .. } => {
                file.seek(SeekFrom::Start(at)).ok()?;
                file.read_exact(bytes).ok()?;
            }
            Place::Memory(all) => bytes.copy_from_slice(all.get(at as usize..end as usize)?),
        }
        Some(rows)
    }
}
