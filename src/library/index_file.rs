//! The index on disk: a log of records, each with its length and check sum.
//!
//! `index` begins with magic, generation and the folder's path; each record then
//! says what is known of a file, or that it is gone, and the last one of a file
//! counts. `rows-N` holds the rows. A record is written after its rows, so that
//! whatever the moment of an interruption the log is true up to its last whole
//! record. When most of both is out of date they are written anew, the rows
//! under the next number, the log by renaming.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Entries, FileEntry, RowStore,
    entry::{put_text, text},
    row_store::ROW_BYTES,
};
use crate::{
    codec::{DecodeError, bytes::ByteReader},
    output,
};

const MAGIC: [u8; 8] = *b"KINLIB\x01\n";
/// A record of more than this is none of ours.
const MOST_RECORD: u32 = 64 << 20;
const IS: u8 = 1;
const GONE: u8 = 2;

/// An index that can be written to.
#[derive(Debug)]
pub(super) struct IndexFile {
    own: PathBuf,
    folder: PathBuf,
    generation: u32,
    log: File,
    /// Held while this process may write; freed by the system at its end.
    _lock: File,
    /// Records in the log, those out of date counted.
    records: usize,
}

/// What opening gives.
pub(super) struct Opened {
    pub entries: Entries,
    pub rows: Arc<RowStore>,
    /// `None` where it cannot be written.
    pub index: Option<IndexFile>,
    /// Another process brings it up to date.
    pub busy: bool,
    pub remarks: Vec<String>,
}

/// What a log says.
struct Log {
    generation: u32,
    entries: Entries,
    records: usize,
    /// Bytes that are whole.
    good: u64,
    fault: Option<String>,
}

impl IndexFile {
    /// Opens or begins the index in `own`.
    pub fn open(own: &Path, folder: &Path) -> io::Result<Opened> {
        fs::create_dir_all(own)?;
        let path = own.join("index");
        let bytes = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let mut remarks = Vec::new();
        let log = bytes.map(|bytes| read_log(&bytes, folder));
        let mut log = log.unwrap_or_else(|| Log::fresh(None));
        if let Some(fault) = log.fault.take() {
            remarks.push(format!("{}: {fault}", path.display()));
        }
        let opened = match output::lock(&own.join("lock")) {
            Ok(Some(lock)) => Self::begin(own, folder, &mut log, lock).map(Some),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        let (index, rows, busy) = match opened {
            Ok(Some((index, rows))) => (Some(index), rows, false),
            Ok(None) => {
                let text =
                    "another Kinetoscope is bringing this index up to date; it is shown as it is";
                remarks.push(text.into());
                (
                    None,
                    RowStore::copied(&rows_path(own, log.generation)),
                    true,
                )
            }
            Err(error) => {
                let own = own.display();
                remarks.push(format!(
                    "{own}: {error}; what is read now is known for this run alone. Allow it to be written, or name another with --cache"
                ));
                (
                    None,
                    RowStore::copied(&rows_path(&path.with_file_name(""), log.generation)),
                    false,
                )
            }
        };
        let lost = drop_without_rows(&mut log.entries, rows.len());
        if lost > 0 {
            remarks.push(format!(
                "{}: the rows of {lost} file(s) are missing; they are read again",
                own.display()
            ));
        }
        Ok(Opened {
            entries: log.entries,
            rows: Arc::new(rows),
            index,
            busy,
            remarks,
        })
    }

    fn begin(own: &Path, folder: &Path, log: &mut Log, lock: File) -> io::Result<(Self, RowStore)> {
        let path = own.join("index");
        if log.good == 0 {
            let head = header(folder, log.generation);
            output::write(&path, &head).map_err(|error| error.source)?;
            log.good = head.len() as u64;
        }
        let file = OpenOptions::new().append(true).open(&path)?;
        // What follows the last whole record is half of one.
        if file.metadata()?.len() != log.good {
            file.set_len(log.good)?;
        }
        let rows = rows_path(own, log.generation);
        let rows = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(rows)?;
        let index = Self {
            own: own.into(),
            folder: folder.into(),
            generation: log.generation,
            log: file,
            _lock: lock,
            records: log.records,
        };
        Ok((index, RowStore::of_file(rows)?))
    }

    /// Says what is known of a file from now on.
    pub fn put(&mut self, entry: &FileEntry) -> io::Result<()> {
        let mut record = vec![IS];
        entry.put(&mut record);
        self.append(&record)
    }

    /// Says that a file is gone.
    pub fn forget(&mut self, path: &str) -> io::Result<()> {
        let mut record = vec![GONE];
        put_text(&mut record, path);
        self.append(&record)
    }

    fn append(&mut self, record: &[u8]) -> io::Result<()> {
        self.records += 1;
        // In one call: what a killed process leaves is all of it or a tail that
        // the next one cuts off.
        self.log.write_all(&framed(record))
    }

    /// Writes both files anew where most of them is out of date; the entries
    /// then point into the new rows.
    pub fn compact(
        &mut self,
        entries: &mut Entries,
        rows: &Arc<RowStore>,
    ) -> io::Result<Option<Arc<RowStore>>> {
        let live: usize = entries.values().map(|it| it.row_count() * ROW_BYTES).sum();
        let stale_rows = rows.len() > 2 * live as u64 + (1 << 20);
        if !stale_rows && self.records <= 2 * entries.len() + 100 {
            return Ok(None);
        }
        let generation = self.generation.wrapping_add(1);
        let path = rows_path(&self.own, generation);
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&path)?;
        file.set_len(0)?;
        let new = RowStore::of_file(file)?;
        let mut log = header(&self.folder, generation);
        let mut moved = Entries::new();
        for (key, entry) in entries.iter() {
            // Damaged rows are left behind with their entry: read again.
            let Some(own) = rows.read(entry) else {
                continue;
            };
            let entry = FileEntry {
                rows_at: new.append(&own)?,
                ..(**entry).clone()
            };
            let mut record = vec![IS];
            entry.put(&mut record);
            log.extend(framed(&record));
            moved.insert(key.clone(), Arc::new(entry));
        }
        let index = self.own.join("index");
        output::write(&index, &log).map_err(|error| error.source)?;
        self.log = OpenOptions::new().append(true).open(&index)?;
        // Nobody needs it any more; a left-over one does no harm.
        let _ = fs::remove_file(rows_path(&self.own, self.generation));
        (self.generation, self.records) = (generation, moved.len());
        *entries = moved;
        Ok(Some(Arc::new(new)))
    }
}

fn rows_path(own: &Path, generation: u32) -> PathBuf {
    own.join(format!("rows-{generation}"))
}

fn header(folder: &Path, generation: u32) -> Vec<u8> {
    let mut head = generation.to_le_bytes().to_vec();
    put_text(&mut head, &folder.to_string_lossy());
    let mut bytes = MAGIC.to_vec();
    bytes.extend(framed(&head));
    bytes
}

/// Length, check sum, bytes.
fn framed(record: &[u8]) -> Vec<u8> {
    let mut bytes = (record.len() as u32).to_le_bytes().to_vec();
    bytes.extend(crc32fast::hash(record).to_le_bytes());
    bytes.extend(record);
    bytes
}

impl Log {
    /// Begins anew; the rows get a number that no other had.
    fn fresh(fault: Option<String>) -> Self {
        let generation = u32::from(fault.is_some()) << 16;
        Self {
            generation,
            entries: Entries::new(),
            records: 0,
            good: 0,
            fault,
        }
    }
}

fn read_log(bytes: &[u8], folder: &Path) -> Log {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Log::fresh(Some("is no index of this version; it is made anew".into()));
    };
    let mut reader = ByteReader::new(rest);
    let head = frame(&mut reader).and_then(|head| {
        let mut head = ByteReader::new(head);
        Ok((head.u32("generation")?, text(&mut head)?))
    });
    let generation = match head {
        Ok((generation, of)) if of == folder.to_string_lossy() => generation,
        Ok((_, of)) => return Log::fresh(Some(format!("is the index of {of}; it is made anew"))),
        Err(error) => {
            return Log::fresh(Some(format!(
                "its head is damaged ({error}); it is made anew"
            )));
        }
    };
    let mut log = Log {
        generation,
        ..Log::fresh(None)
    };
    let good = |reader: &ByteReader<'_>| (MAGIC.len() + reader.position()) as u64;
    log.good = good(&reader);
    while reader.left() > 0 {
        if let Err(error) =
            frame(&mut reader).and_then(|record| take_record(record, &mut log.entries))
        {
            log.fault = Some(format!(
                "damaged at byte {} ({error}): {} file(s) before it are known, the others are read again",
                log.good,
                log.entries.len()
            ));
            break;
        }
        log.records += 1;
        log.good = good(&reader);
    }
    log
}

fn frame<'a>(reader: &mut ByteReader<'a>) -> Result<&'a [u8], DecodeError> {
    let damaged = |found: u32, expected| DecodeError::BadField {
        what: "record",
        found: found.into(),
        expected,
    };
    let (size, sum) = (
        reader.u32("length of a record")?,
        reader.u32("sum of a record")?,
    );
    if size > MOST_RECORD {
        return Err(damaged(size, "shorter"));
    }
    let record = reader.take("record", size as usize)?;
    match crc32fast::hash(record) == sum {
        true => Ok(record),
        false => Err(damaged(sum, "its check sum")),
    }
}

fn take_record(record: &[u8], entries: &mut Entries) -> Result<(), DecodeError> {
    let mut reader = ByteReader::new(record);
    match reader.u8("kind of a record")? {
        GONE => {
            entries.remove(&text(&mut reader)?);
        }
        _ => {
            let entry = FileEntry::read(&mut reader)?;
            entries.insert(entry.path.clone(), Arc::new(entry));
        }
    }
    reader.finish()
}

/// Rows that an entry names and the file does not hold.
fn drop_without_rows(entries: &mut Entries, len: u64) -> usize {
    let before = entries.len();
    entries.retain(|_, it| it.rows_at + (it.row_count() * ROW_BYTES) as u64 <= len);
    before - entries.len()
}
