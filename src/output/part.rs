//! A file under way: beside its place, under a name that nobody can foresee.
//!
//! Every such file is in one list, and whoever makes, renames or removes one
//! holds the list's lock. The thread that waits for signals takes the lock for
//! good, removes what is in the list and lets the process end, so that none is
//! left behind and none is half renamed.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use tempfile::TempPath;

use super::{OutputError, Stamp};

const PREFIX: &str = ".kinetoscope-";
const SUFFIX: &str = ".part";

static UNDER_WAY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn under_way() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A list of paths is whole whatever happened to the thread that held it.
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file under way; what is not committed is removed.
#[derive(Debug)]
pub struct PartFile {
    /// As it was named, for messages.
    path: PathBuf,
    place: Place,
    file: Option<BufWriter<File>>,
    pub(super) stamp: Option<Stamp>,
}

#[derive(Debug)]
enum Place {
    /// Renamed when it is complete.
    Beside {
        part: Option<TempPath>,
        /// Where links lead: a link stays one.
        real: PathBuf,
    },
    /// A device or a pipe, which cannot be replaced: as it comes.
    Straight,
}

impl PartFile {
    /// Begins a file that shall be at `path`.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let (place, file) = begin(path).map_err(OutputError::of(path))?;
        Ok(Self {
            path: path.to_path_buf(),
            place,
            file: Some(BufWriter::new(file)),
            stamp: None,
        })
    }

    /// Where it shall be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is now, for whoever writes it in our stead; `None` for a device.
    #[cfg(feature = "viewer")]
    pub(super) fn part_path(&self) -> Option<&Path> {
        match &self.place {
            Place::Beside { part, .. } => part.as_deref(),
            Place::Straight => None,
        }
    }

    /// Writes out what is still in memory.
    pub fn complete(&mut self) -> Result<(), OutputError> {
        // A buffer that is merely dropped swallows the error of its last bytes,
        // and some systems do not rename a file that is open.
        let flushed = self.flush();
        let file = self.file.take();
        let time = self.stamp.and_then(|it| it.before(SystemTime::now()));
        if let (Some(file), Some(time)) = (file, time) {
            // Without its stamp a file is merely made again.
            let _ = file.get_ref().set_modified(time);
        }
        flushed.map_err(OutputError::of(&self.path))
    }

    /// Ends the file and puts it in its place.
    pub fn commit(mut self) -> Result<(), OutputError> {
        self.complete()?;
        self.rename().map_err(OutputError::of(&self.path))
    }

    /// The same in another place of the same folder.
    pub fn commit_as(mut self, path: &Path) -> Result<(), OutputError> {
        path.clone_into(&mut self.path);
        if let Place::Beside { real, .. } = &mut self.place {
            path.clone_into(real);
        }
        self.commit()
    }

    fn rename(&mut self) -> io::Result<()> {
        let Place::Beside { part, real } = &mut self.place else {
            return Ok(());
        };
        let Some(part) = part.take() else {
            return Ok(());
        };
        let mut under_way = under_way();
        let own = part.to_path_buf();
        // What cannot be renamed is removed with the error that is dropped.
        part.persist(real).map_err(|error| error.error)?;
        under_way.remove(&own);
        Ok(())
    }
}

fn begin(path: &Path) -> io::Result<(Place, File)> {
    let old = match fs::metadata(path) {
        Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // Renaming over it would take the device away from everybody.
        Ok(old) if !old.is_file() => {
            return Ok((Place::Straight, File::options().write(true).open(path)?));
        }
        old => old.ok(),
    };
    let real = match old {
        Some(_) => path.canonicalize()?,
        None => path.to_path_buf(),
    };
    let folder = real.parent().filter(|it| !it.as_os_str().is_empty());
    let mut under_way = under_way();
    let (file, part) = builder()
        .tempfile_in(folder.unwrap_or(Path::new(".")))?
        .into_parts();
    under_way.insert(part.to_path_buf());
    if let Some(old) = old {
        // Who may read the old file may read the new one; where the system
        // does not let us say so, its own rule holds.
        let _ = file.set_permissions(old.permissions());
    }
    let part = Some(part);
    Ok((Place::Beside { part, real }, file))
}

/// Created exclusively, in the folder it shall be in, so that renaming never
/// crosses a file system.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(12);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any file is made: the user's mask takes away what it takes.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        self.file = None;
        if let Place::Beside { part, .. } = &mut self.place
            && let Some(part) = part.take()
        {
            let mut under_way = under_way();
            under_way.remove::<Path>(&part);
            // Gone already when it was committed.
            let _ = part.close();
        }
    }
}

/// Removes from a folder what a run that was killed could not remove itself.
pub fn remove_parts(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // What cannot be removed harms nobody.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Lets INT and TERM end the process as they always do, once files under way
/// are removed.
#[cfg(unix)]
pub fn clean_up_on_signals() -> io::Result<()> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        for signal in signals.forever() {
            // Kept to the end: from here on nothing is made or renamed.
            let under_way = under_way();
            for part in &*under_way {
                let _ = fs::remove_file(part);
            }
            let _ = emulate_default_handler(signal);
        }
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).map(|_| ())
}

/// Elsewhere a process is ended without being asked.
#[cfg(not(unix))]
pub fn clean_up_on_signals() -> io::Result<()> {
    Ok(())
}
