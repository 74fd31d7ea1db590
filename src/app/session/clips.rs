//! The list of clips: opening, reading, showing, standing side by side.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Session;
use crate::{
    app::{Message, loader::Opened, settings::Settings, stage::Entry, take::Take},
    ui::{ClipRow, ImportOverrides, Mode, Progress, Severity, Side},
};

/// Takes kept of long lists, so that memory follows what is seen.
const LONG_LIST: usize = 24;

impl Session {
    /// Opens files or folders.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        let is_map = |path: &PathBuf| path.extension().is_some_and(|end| end == "ron");
        let (maps, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_map);
        maps.iter().for_each(|map| self.load_map(map));
        if paths.is_empty() {
            return;
        }
        self.progress = Some(Progress {
            text: "Reading".into(),
            fraction: None,
        });
        self.loader.open(paths);
    }

    /// Opens what a text names: one path a line, `file://` understood.
    pub fn open_text(&mut self, text: &str) {
        let paths: Vec<PathBuf> = text
            .lines()
            .map(|line| line.trim().trim_matches('"'))
            .filter(|line| !line.is_empty())
            .map(|line| PathBuf::from(line.strip_prefix("file://").unwrap_or(line)))
            .collect();
        if paths.is_empty() {
            self.tell(Severity::Warning, "The clipboard holds no path");
        }
        self.open(paths);
    }

    pub(super) fn show(&mut self, index: usize) {
        let Some(entry) = self.entries.get(index) else {
            return;
        };
        match &entry.take {
            Some(take) => {
                let take = Arc::clone(take);
                self.put_on_stage(index, take);
            }
            None => {
                self.progress = Some(Progress {
                    text: format!("Reading {}", entry.source.name()),
                    fraction: None,
                });
                self.loader
                    .read(index, entry.source.clone(), self.overrides);
            }
        }
    }

    /// Reads the clip shown again, with another rate or unit.
    pub(super) fn reinterpret(&mut self, overrides: ImportOverrides) {
        if overrides == self.overrides {
            return;
        }
        self.framed_once &= overrides.unit == self.overrides.unit;
        self.overrides = overrides;
        for entry in &mut self.entries {
            entry.take = None;
        }
        self.beside.clear();
        self.show(self.shown);
    }

    pub(super) fn show_neighbour(&mut self, step: isize) {
        if !self.entries.is_empty() {
            let count = self.entries.len() as isize;
            let index = (self.shown as isize + step).rem_euclid(count);
            self.show(index as usize);
        }
    }

    pub(super) fn toggle_beside(&mut self, index: usize) {
        if self.beside.contains(&index) {
            self.beside.retain(|known| *known != index);
        } else if index != self.shown && index < self.entries.len() {
            self.beside.push(index);
            let entry = &self.entries[index];
            if entry.take.is_none() {
                self.loader
                    .read(index, entry.source.clone(), self.overrides);
            }
        }
        self.refresh();
    }

    pub(super) fn put_on_stage(&mut self, index: usize, take: Arc<Take>) {
        let take = self.carried(take);
        let same_body = self
            .stage
            .lead
            .as_ref()
            .is_some_and(|lead| Arc::ptr_eq(&lead.body, &take.body));
        self.shown = index;
        self.beside.retain(|known| *known != index);
        self.player.load(take.duration_secs(), take.fps());
        self.stage.lead = Some(take);
        if !same_body {
            self.select(None);
        }
        self.hovered = None;
        self.refresh();
        self.stage.pose_at(self.player.time_secs());
        // Another clip of the same person keeps the view the user chose.
        if !(same_body && self.framed_once) {
            self.look_from(Side::ThreeQuarter);
            self.frame_all();
            self.framed_once = true;
        }
        self.follow_camera.jump(self.stage.footing());
        self.stage.compressed = None;
        self.cancel_sweep();
        self.sweep.clear();
        self.trace_joint();
        self.compress();
    }

    /// Brings rows and the characters beside up to date.
    pub(super) fn refresh(&mut self) {
        if self.entries.len() > LONG_LIST {
            for (index, entry) in self.entries.iter_mut().enumerate() {
                if index != self.shown && !self.beside.contains(&index) {
                    entry.take = None;
                }
            }
        }
        let takes = self
            .beside
            .iter()
            .map(|&index| self.entries[index].take.clone());
        self.stage.beside = takes.flatten().collect();
        let rows = self.entries.iter().enumerate();
        self.rows = rows
            .map(|(index, entry)| ClipRow {
                name: entry.source.name(),
                path: entry.source.place(),
                shown: index == self.shown,
                alongside: self.beside.contains(&index),
            })
            .collect();
        let warnings = self
            .stage
            .lead
            .as_ref()
            .map_or(0, |take| take.remarks.len());
        self.status.warnings = warnings;
    }

    /// Takes what a thread has done.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Progress(ticket, text, done) if self.loader.is_current(ticket) => {
                let fraction = Some(done);
                self.progress = Some(Progress { text, fraction });
            }
            Message::Opened(ticket, opened) if self.loader.is_current(ticket) => {
                self.progress = None;
                self.receive_opened(opened);
            }
            Message::Read(ticket, index, outcome) if self.loader.is_current(ticket) => {
                self.progress = None;
                self.receive_take(index, outcome);
            }
            Message::Picked(paths) => self.open(paths),
            Message::NoDialog(reason) => self.tell(Severity::Error, reason),
            Message::SystemDark(dark) => self.system_dark = dark,
            Message::Compressed(ticket, outcome) if self.compress_worker.is_current(ticket) => {
                self.receive_compressed(outcome);
            }
            Message::SweepPoint(ticket, point) if self.codec_sweep.is_current(ticket) => {
                self.receive_sweep_point(point);
            }
            Message::Cast(outcome) => self.receive_cast(outcome),
            Message::Performer(outcome) => self.receive_performer(outcome),
            Message::AnimatorChanged => self.loader.cast(self.cast_source.clone()),
            Message::Saved(Ok(path)) => {
                self.tell(Severity::Info, format!("Saved {}", path.display()));
            }
            Message::Saved(Err(error)) => self.tell(Severity::Error, error),
            // The window sees to it.
            Message::Access(_) | Message::Shown => {}
            Message::Progress(..) | Message::Opened(..) | Message::Read(..) => {}
            Message::Compressed(..) | Message::SweepPoint(..) => {}
        }
    }

    pub(super) fn receive_opened(&mut self, opened: Opened) {
        for fault in &opened.faults {
            self.tell(Severity::Error, fault);
        }
        if opened.takes.is_empty() {
            // What was there stays.
            if opened.faults.is_empty() {
                self.tell(Severity::Warning, "Nothing to show was found");
            }
            return;
        }
        self.overrides = ImportOverrides::default();
        for path in opened.named.iter().rev() {
            self.remember(path);
        }
        self.entries = opened
            .sources
            .into_iter()
            .map(|source| Entry { source, take: None })
            .collect();
        for (index, take) in opened.takes {
            self.entries[index].take = Some(take);
        }
        if !opened.named.is_empty() {
            self.set_mode(Mode::View);
        }
        self.beside = opened.beside;
        self.framed_once = false;
        self.show(opened.first);
    }

    pub(super) fn receive_take(&mut self, index: usize, outcome: Result<Arc<Take>, String>) {
        match outcome {
            Ok(take) => {
                if let Some(entry) = self.entries.get_mut(index) {
                    entry.take = Some(Arc::clone(&take));
                }
                if self.beside.contains(&index) {
                    self.refresh();
                } else {
                    self.put_on_stage(index, take);
                }
            }
            Err(fault) => {
                self.beside.retain(|known| *known != index);
                self.refresh();
                self.tell(Severity::Error, fault);
            }
        }
    }

    pub(super) fn remember(&mut self, path: &Path) {
        let mut settings = Settings {
            recent: std::mem::take(&mut self.recent),
            ..Settings::default()
        };
        settings.remember(path);
        self.recent = settings.recent;
    }
}
