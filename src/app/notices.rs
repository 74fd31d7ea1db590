//! Messages to the user: fresh for a while, in the log for good.

use crate::ui::{Notice, Severity};

/// Seconds a message stays on screen; errors stay until dismissed or this
/// much longer.
const FRESH_SECS: f64 = 6.0;
const FRESH_ERROR_SECS: f64 = 20.0;
/// Messages kept.
const KEPT: usize = 200;

/// The list.
#[derive(Debug, Default)]
pub struct Notices {
    list: Vec<Notice>,
    next: u64,
}

impl Notices {
    /// All, oldest first.
    #[must_use]
    pub fn list(&self) -> &[Notice] {
        &self.list
    }

    /// Adds a message.
    pub fn add(&mut self, severity: Severity, text: impl Into<String>, now_secs: f64) {
        self.next += 1;
        self.list.push(Notice {
            id: self.next,
            severity,
            text: text.into(),
            at_secs: now_secs,
            fresh: true,
        });
        if self.list.len() > KEPT {
            self.list.drain(..self.list.len() - KEPT);
        }
    }

    /// Takes a message off the screen.
    pub fn dismiss(&mut self, id: u64) {
        for notice in &mut self.list {
            notice.fresh &= notice.id != id;
        }
    }

    /// Takes old messages off the screen; true when any went.
    pub fn age(&mut self, now_secs: f64) -> bool {
        let mut changed = false;
        for notice in self.list.iter_mut().filter(|notice| notice.fresh) {
            if now_secs >= expiry_secs(notice) {
                notice.fresh = false;
                changed = true;
            }
        }
        changed
    }

    /// When the next one goes.
    #[must_use]
    pub fn next_change_secs(&self) -> Option<f64> {
        let fresh = self.list.iter().filter(|notice| notice.fresh);
        fresh.map(expiry_secs).min_by(f64::total_cmp)
    }
}

fn expiry_secs(notice: &Notice) -> f64 {
    notice.at_secs
        + match notice.severity {
            Severity::Error => FRESH_ERROR_SECS,
            Severity::Info | Severity::Warning => FRESH_SECS,
        }
}
