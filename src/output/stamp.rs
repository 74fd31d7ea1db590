//! A mark on a file that says what it was made from, without a byte more.
//!
//! A run over a folder that was interrupted, even killed, shall go on where it
//! stopped. Files appear whole, so the only question is whether one that is
//! there was made from the same inputs in the same way. The answer is in its
//! time: the fraction of the second in which it was written is replaced by a
//! digest of inputs and options, in steps of 100 ns, which is what the coarser
//! of today's file systems keep. Where a system keeps no fractions, no file
//! bears its stamp, and all is made again.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Steps in a second.
const STEPS: u32 = 10_000_000;
const NANOS_PER_STEP: u32 = 1_000_000_000 / STEPS;

/// A digest of all that a file is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    step: u32,
}

impl Stamp {
    /// Of a text that tells inputs and options.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self {
            step: crc32fast::hash(text.as_bytes()) % STEPS,
        }
    }

    /// Whether a file was made from the same.
    #[must_use]
    pub fn marks(self, path: &Path) -> bool {
        let time = fs::metadata(path).and_then(|it| it.modified()).ok();
        let since = time.and_then(|it| it.duration_since(UNIX_EPOCH).ok());
        since.is_some_and(|it| it.subsec_nanos() / NANOS_PER_STEP == self.step)
    }

    /// The last such moment before `now`: never in the future, which other
    /// programs warn of.
    pub(super) fn before(self, now: SystemTime) -> Option<SystemTime> {
        let since = now.duration_since(UNIX_EPOCH).ok()?;
        let nanos = self.step * NANOS_PER_STEP;
        let back = u64::from(nanos > since.subsec_nanos());
        let secs = since.as_secs().checked_sub(back)?;
        UNIX_EPOCH.checked_add(Duration::new(secs, nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_bears_the_stamp_of_what_it_was_made_from() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let (stamp, other) = (Stamp::of("walk at 0.1 cm"), Stamp::of("walk at 1 cm"));
        let mut staged = crate::output::Staged::default();
        staged.add_stamped(&path, b"x", stamp).unwrap();
        staged.commit().unwrap();
        assert!(stamp.marks(&path) && !other.marks(&path));
        assert!(!stamp.marks(&folder.path().join("b")));
        let written = fs::metadata(&path).unwrap().modified().unwrap();
        assert!(written <= SystemTime::now());
        fs::write(&path, "somebody else's").unwrap();
        assert!(!stamp.marks(&path));
    }

    #[test]
    fn a_stamp_lies_within_the_last_second() {
        let stamp = Stamp { step: STEPS - 1 };
        for nanos in [0, 1, 999_999_900, 999_999_999] {
            let now = UNIX_EPOCH + Duration::new(100, nanos);
            let ago = now.duration_since(stamp.before(now).unwrap()).unwrap();
            assert!(ago <= Duration::from_secs(1), "{nanos}");
        }
    }
}
