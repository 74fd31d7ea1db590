//! A file that one process at a time may hold.

use std::{fs::File, io, path::Path, thread, time::Duration};

/// A lock that is held is asked for so often, and after such pauses.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// Holds a file until what is returned is dropped; the system lets go of it when
/// the process ends in any way. `None` while somebody else holds it.
pub fn lock(path: &Path) -> io::Result<Option<File>> {
    let lock = File::create(path)?;
    // A process that this one is just starting holds a copy of an earlier lock
    // until its program is loaded.
    for _ in 0..TRIES {
        if lock.try_lock().is_ok() {
            return Ok(Some(lock));
        }
        thread::sleep(PAUSE);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock(&path).unwrap();
        assert!(held.is_some());
        assert!(lock(&path).unwrap().is_none());
        drop(held);
        assert!(lock(&path).unwrap().is_some());
    }
}
