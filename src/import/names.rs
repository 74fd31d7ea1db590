//! Names are keys: no two joints share one, letter case aside.

use std::collections::HashSet;

/// Hands out names that nobody has yet.
#[derive(Debug, Default)]
pub(super) struct UniqueNames {
    taken: HashSet<String>,
    count: u32,
}

impl UniqueNames {
    /// The name itself, or with a number where it is taken.
    pub fn claim(&mut self, written: &str) -> String {
        let mut name = written.to_owned();
        while !self.taken.insert(name.to_ascii_lowercase()) {
            // Never reset: a thousand joints of one name cost a thousand steps.
            self.count += 1;
            name = format!("{written}_{}", self.count + 1);
        }
        name
    }
}
