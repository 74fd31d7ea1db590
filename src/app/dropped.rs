//! Files that are dropped on the window.
//!
//! The window system tells those of one drop one by one, and where they fell
//! only afterwards: while files are dragged it is their source that hears of
//! the pointer. So they are handed on together, once a frame has seen what lies
//! below it.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

/// From the last file to when they are opened: the pointer's return and a frame
/// of a slow adapter.
const SETTLE: Duration = Duration::from_millis(250);

/// Files of the drop under way.
#[derive(Debug, Default)]
pub struct Dropped {
    paths: Vec<PathBuf>,
    due: Option<Instant>,
}

impl Dropped {
    /// Another file of the drop.
    pub fn add(&mut self, path: PathBuf, now: Instant) {
        self.paths.push(path);
        self.due = Some(now + SETTLE);
    }

    /// When there is something to take.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// All files of a drop that is over, in the order they were told.
    pub fn take(&mut self, now: Instant) -> Option<Vec<PathBuf>> {
        self.due.filter(|due| *due <= now)?;
        self.due = None;
        Some(std::mem::take(&mut self.paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_drop_are_handed_on_together_and_once() {
        let (mut dropped, start) = (Dropped::default(), Instant::now());
        assert_eq!((dropped.due(), dropped.take(start)), (None, None));
        let paths = ["b.amc", "a.asf", "folder"].map(PathBuf::from);
        let told = |index: u64| start + Duration::from_millis(100 * index);
        for (index, path) in (0..).zip(&paths) {
            assert_eq!(dropped.take(told(index)), None, "not before the last");
            dropped.add(path.clone(), told(index));
        }
        let due = dropped.due().unwrap();
        assert!(due > told(2));
        assert_eq!(dropped.take(due), Some(paths.to_vec()));
        assert_eq!((dropped.due(), dropped.take(due)), (None, None));
    }
}
