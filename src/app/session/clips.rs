//! The list of clips: opening, reading, showing, standing side by side.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Session;
use crate::{
    animator::says_what,
    app::{
        Message, SessionError,
        choices::ReadChoice,
        loader::{Loader, Opened},
        opened_clip::OpenedClip,
        settings::ViewerSettings,
        source::Source,
    },
    load,
    scene::ViewPreset,
    ui::{ClipRow, EventPanel, ImportOverrides, Leaving, Mode, Progress, Severity, TimelineZoom},
};

/// Clips kept of long lists, so that memory follows what is seen.
const LONG_LIST: usize = 24;

/// Entries of a list whose names are looked at for clips to drive with.
const MOST_NAMED: usize = 2000;

/// An entry of the clip list.
#[derive(Clone, Debug)]
struct Entry {
    source: Source,
    /// How it is read.
    choice: ReadChoice,
    /// Once read.
    clip: Option<Arc<OpenedClip>>,
    /// It is not as its file has it.
    is_changed: bool,
}

/// All clips that can be shown, and those that are.
#[derive(Default)]
pub(super) struct ClipList {
    entries: Vec<Entry>,
    /// For the panel.
    pub rows: Vec<ClipRow>,
    shown: usize,
    /// The last that was asked for, which may still be read.
    wanted: usize,
    alongside: Vec<usize>,
    /// What is taken instead of what files say.
    pub overrides: ImportOverrides,
    /// Why what was asked for last is not shown.
    pub fault: Option<String>,
    /// The clip that is shown, on whoever plays it.
    pub lead: Option<Arc<OpenedClip>>,
    framed_once: bool,
}

impl ClipList {
    /// Once read.
    pub fn clip(&self, index: usize) -> Option<&Arc<OpenedClip>> {
        self.entries.get(index)?.clip.as_ref()
    }

    /// The shown one, on its own skeleton, whoever plays it.
    pub fn shown_entry(&self) -> Option<&Arc<OpenedClip>> {
        self.clip(self.shown)
    }

    /// Whether the one shown is other than its file has it.
    pub fn is_shown_changed(&self) -> bool {
        let shown = self.entries.get(self.shown);
        shown.is_some_and(|it| it.is_changed && it.clip.is_some())
    }

    /// The one shown and those beside it.
    pub fn shown_rows(&self) -> Vec<usize> {
        let known = !self.entries.is_empty();
        let shown = known.then_some(self.shown).into_iter();
        shown.chain(self.alongside.iter().copied()).collect()
    }

    /// The performer's clips, and nothing else.
    pub fn is_built_in(&self) -> bool {
        let ours = |entry: &Entry| matches!(entry.source, Source::BuiltIn(_));
        !self.entries.is_empty() && self.entries.iter().all(ours)
    }

    /// Every entry, and how it is read.
    pub fn sources(&self) -> Vec<(Source, ReadChoice)> {
        let all = self.entries.iter();
        all.map(|it| (it.source.clone(), it.choice.clone()))
            .collect()
    }

    /// Where a clip of a file is in the list, however its path is spelt.
    pub fn row_of(&self, path: &Path, clip: usize) -> Option<usize> {
        let real = path.canonicalize().ok();
        let same = |known: &Path| {
            known == path
                || (known.file_name() == path.file_name() && known.canonicalize().ok() == real)
        };
        self.entries.iter().position(|entry| match &entry.source {
            Source::BuiltIn(_) => false,
            Source::File { path, .. } => same(path),
            Source::Contained { path, index, .. } => *index == clip && same(path),
        })
    }

    /// Reads a clip, unless it has been.
    pub fn want(&self, index: usize, loader: &Loader) {
        if index < self.entries.len() && self.clip(index).is_none() {
            self.read(index, loader);
        }
    }

    fn read(&self, index: usize, loader: &Loader) {
        let Entry { source, choice, .. } = self.entries[index].clone();
        loader.read(index, source, choice);
    }

    /// Where those clips of the list are whose names say what they are, without
    /// repeats.
    pub fn named_paths(&self) -> Vec<PathBuf> {
        let entries = self.entries.iter().take(MOST_NAMED);
        let mut paths: Vec<PathBuf> = Vec::new();
        for path in entries.filter_map(|entry| entry.source.path()) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if says_what(&stem) && !paths.iter().any(|known| known == path) {
                paths.push(path.to_path_buf());
            }
        }
        paths
    }
}

impl Session {
    /// Opens files or folders.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        let is_ron = |path: &PathBuf| path.extension().is_some_and(|end| end == "ron");
        let (texts, paths): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_ron);
        for text in texts {
            match load::is_animator(&text) {
                true => self.ask_to_leave(Leaving::Open(text)),
                false => self.load_map(&text),
            }
        }
        if paths.is_empty() {
            return;
        }
        self.clips.fault = None;
        // The command line spoke of its own files.
        self.jobs.loader.choices().given = ImportOverrides::default();
        self.jobs.progress = Some(Progress {
            text: "Reading".into(),
            fraction: None,
        });
        self.jobs.loader.open(paths);
    }

    pub(super) fn show(&mut self, index: usize) {
        let Some(entry) = self.clips.entries.get(index) else {
            return;
        };
        self.clips.wanted = index;
        match &entry.clip {
            Some(clip) => {
                let clip = Arc::clone(clip);
                self.show_clip(index, clip);
            }
            None => {
                self.jobs.progress = Some(Progress {
                    text: format!("Reading {}", entry.source.name()),
                    fraction: None,
                });
                self.read(index);
            }
        }
    }

    fn read(&self, index: usize) {
        self.clips.read(index, &self.jobs.loader);
    }

    /// Shows the clip again that is shown, as it was read.
    pub(super) fn show_again(&mut self, clip: Arc<OpenedClip>) {
        let secs = self.view_scene.clock.time_secs();
        self.show_clip(self.clips.shown, clip);
        self.view_scene.clock.seek(secs);
    }

    /// Reads all clips again, with another rate, unit or up axis; remembered
    /// for the one that is shown.
    pub(super) fn reinterpret(&mut self, overrides: ImportOverrides) {
        let before = self.clips.overrides;
        if overrides == before {
            return;
        }
        // Another unit is another size, and the camera has to move.
        self.clips.framed_once &= (overrides.unit, overrides.up) == (before.unit, before.up);
        for entry in &mut self.clips.entries {
            // What was not changed just now may be chosen otherwise for others.
            let own = &mut entry.choice.overrides;
            take_changed(&mut own.fps, before.fps, overrides.fps);
            take_changed(&mut own.unit, before.unit, overrides.unit);
            take_changed(&mut own.up, before.up, overrides.up);
            let [was, is] = [before, overrides].map(|it| it.ignore_fingers);
            take_changed(&mut own.ignore_fingers, was, is);
            entry.clip = None;
        }
        self.read_as_chosen();
    }

    /// Another of the skeletons that the shown motion may be meant for.
    pub(super) fn choose_skeleton(&mut self, number: usize) {
        let lead = self.clips.lead.as_ref();
        let chosen = lead.and_then(|it| it.skeletons.get(number).cloned());
        let shown = self.clips.shown;
        if let (Some(chosen), Some(entry)) = (chosen, self.clips.entries.get_mut(shown)) {
            entry.choice.skeleton = Some(chosen);
            entry.clip = None;
            self.clips.framed_once = false;
            self.read_as_chosen();
        }
    }

    fn read_as_chosen(&mut self) {
        let shown = self.clips.shown;
        if let Some(entry) = self.clips.entries.get(shown) {
            self.clips.overrides = entry.choice.overrides;
            if let Some(path) = entry.source.path() {
                self.jobs.loader.choices().remember(path, &entry.choice);
            }
        }
        self.clips.alongside.clear();
        self.forget_blend();
        self.show(shown);
    }

    pub(super) fn show_neighbour(&mut self, step: isize) {
        if !self.clips.entries.is_empty() {
            let count = self.clips.entries.len() as isize;
            let index = (self.clips.shown as isize + step).rem_euclid(count);
            self.show(index as usize);
        }
    }

    pub(super) fn toggle_alongside(&mut self, index: usize) {
        let clips = &mut self.clips;
        if clips.alongside.contains(&index) {
            clips.alongside.retain(|known| *known != index);
        } else if index != clips.shown && index < clips.entries.len() {
            clips.alongside.push(index);
            if clips.entries[index].clip.is_none() {
                self.read(index);
            }
        }
        self.refresh();
    }

    /// Shows another form of the shown clip in its place, until it is read again.
    pub(super) fn replace_shown(&mut self, change: impl FnOnce(&OpenedClip) -> Option<OpenedClip>) {
        let index = self.clips.shown;
        let Some(entry) = self.clips.entries.get_mut(index) else {
            return;
        };
        let changed = entry
            .clip
            .as_ref()
            .and_then(|clip| change(clip))
            .map(Arc::new);
        if let Some(clip) = changed {
            entry.clip = Some(Arc::clone(&clip));
            entry.is_changed = true;
            self.show_clip(index, clip);
        }
    }

    /// Reads the shown clip again, as its file has it.
    pub(super) fn reread_shown(&mut self) {
        let index = self.clips.shown;
        if let Some(entry) = self.clips.entries.get_mut(index) {
            (entry.clip, entry.is_changed) = (None, false);
            self.show(index);
        }
    }

    fn show_clip(&mut self, index: usize, clip: Arc<OpenedClip>) {
        let clip = self.retargeted(clip);
        let before = self.clips.lead.as_ref();
        // Bodies come from a cache: one person, one pointer.
        let same_body = before.is_some_and(|lead| Arc::ptr_eq(&lead.body, &clip.body));
        self.clips.shown = index;
        self.clips.fault = None;
        let choice = self.clips.entries.get(index).map(|it| it.choice.overrides);
        self.clips.overrides = choice.unwrap_or_default();
        self.clips.alongside.retain(|known| *known != index);
        let looked = self.view_scene.lead().map(|lead| lead.facing);
        self.view_scene.replace_lead(clip.character());
        self.clips.lead = Some(clip);
        self.panels.events = EventPanel::default();
        self.show_events();
        self.panels.timeline = TimelineZoom::default();
        if !same_body {
            self.select(None);
        }
        self.options.hovered = None;
        self.refresh();
        // Another clip of the same person keeps the side the user chose.
        match looked.filter(|_| same_body && self.clips.framed_once) {
            Some(before) => self.view_scene.keep_side(before),
            None => {
                self.view_scene.look_from(ViewPreset::ThreeQuarter);
                self.view_scene.frame_all();
                self.clips.framed_once = true;
            }
        }
        self.view_scene.jump_camera();
        self.compression.result = None;
        self.cancel_sweep();
        self.compression.points.clear();
        self.trace_joint();
        self.compress();
        self.check();
        self.arrive();
    }

    /// Looks for what is wrong with the clip that is shown.
    fn check(&mut self) {
        self.findings = None;
        self.forget_mending();
        match self.clips.lead.clone().filter(|it| it.motion.is_some()) {
            Some(clip) => self.jobs.check.ask(clip),
            None => self.jobs.check.forget(),
        }
    }

    /// Brings rows and the characters alongside up to date.
    pub(super) fn refresh(&mut self) {
        if self.clips.entries.len() > LONG_LIST {
            for index in 0..self.clips.entries.len() {
                let seen = index == self.clips.shown || self.clips.alongside.contains(&index);
                if !seen && !self.is_picked(index) {
                    self.clips.entries[index].clip = None;
                }
            }
        }
        let clips = &mut self.clips;
        let others = clips.alongside.iter();
        let others = others.filter_map(|&index| clips.entries[index].clip.as_ref());
        let others = others.map(|clip| clip.character());
        let others = others.chain(self.measuring.characters());
        self.view_scene.set_alongside(others);
        let rows = clips.entries.iter().enumerate();
        clips.rows = rows
            .map(|(index, entry)| ClipRow {
                name: entry.source.name(),
                path: entry.source.place(),
                shown: index == clips.shown,
                alongside: clips.alongside.contains(&index),
            })
            .collect();
        let lead = clips.lead.as_ref();
        self.status.warnings = lead.map_or(0, |clip| clip.remarks.len());
    }

    /// Takes what a thread has done.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Progress(ticket, text, done) if self.jobs.loader.is_current(ticket) => {
                let fraction = Some(done);
                self.jobs.progress = Some(Progress { text, fraction });
            }
            Message::Opened(ticket, opened) if self.jobs.loader.is_current(ticket) => {
                self.jobs.progress = None;
                self.receive_opened(opened);
            }
            Message::Read(ticket, index, outcome) if self.jobs.loader.is_current(ticket) => {
                self.jobs.progress = None;
                self.receive_clip(index, outcome);
            }
            Message::Picked(paths) => self.open(paths),
            Message::NoDialog(reason) => self.tell(Severity::Error, reason),
            Message::SystemDark(dark) => self.system_dark = dark,
            Message::Compressed(ticket, outcome) if self.jobs.compress.is_current(ticket) => {
                self.receive_compressed(outcome);
            }
            Message::Checked(ticket, findings) if self.jobs.check.is_current(ticket) => {
                self.findings = Some(findings);
            }
            Message::Mended(ticket, mended) if self.jobs.mend.is_current(ticket) => {
                self.receive_mended(*mended);
            }
            Message::Curved(ticket, clips) if self.jobs.curves.is_current(ticket) => {
                self.receive_curves(clips);
            }
            Message::Exercised(ticket, made) if self.jobs.exercise.is_current(ticket) => {
                self.receive_exercise(made);
            }
            Message::Measured(ticket, report) if self.jobs.gait.is_current(ticket) => {
                self.measuring.gait = Some(*report);
            }
            Message::SweepPoint(ticket, point) if self.jobs.sweep.is_current(ticket) => {
                self.receive_sweep_point(point);
            }
            Message::BlendProgress(ticket, progress) => {
                self.receive_blend_progress(ticket, progress);
            }
            Message::Blended(ticket, outcome) => self.receive_blended(ticket, outcome),
            Message::PathProgress(ticket, progress) => {
                self.receive_path_progress(ticket, progress);
            }
            Message::Walked(ticket, outcome) => self.receive_walked(ticket, outcome),
            Message::ForState(state, written) => self.receive_for_state(state, written),
            Message::Driven(from, outcome) => self.receive_built(&from, outcome),
            Message::Character(who, outcome) => self.receive_character(who, outcome),
            Message::AnimatorChanged => self.animator_changed(),
            Message::Library(ticket, news) => self.receive_library(ticket, news),
            Message::Saved(Ok(path)) => {
                self.tell(Severity::Info, format!("Saved {}", path.display()));
            }
            Message::Saved(Err(error)) => self.tell_error(&error),
            Message::Exported(outcome) => self.receive_exported(outcome),
            Message::CountedLimits(clip, report) => self.receive_limits(clip, report),
            Message::PickedPose(action) => action.iter().for_each(|it| self.pose(it)),
            Message::PickedExport(path) => self.receive_export_path(path),
            // The window sees to it.
            Message::Access(_) | Message::Pad(_) | Message::Shown => {}
            Message::Progress(..) | Message::Opened(..) | Message::Read(..) => {}
            Message::Compressed(..) | Message::Checked(..) | Message::SweepPoint(..) => {}
            Message::Mended(..) => {}
            Message::Curved(..) | Message::Exercised(..) | Message::Measured(..) => {}
        }
    }

    fn receive_opened(&mut self, opened: Opened) {
        for fault in &opened.faults {
            self.tell_error(fault);
        }
        if opened.clips.is_empty() {
            self.receive_nothing(&opened);
            return;
        }
        // The performer, who stands in, hides no fault.
        let fault = self.clips.fault.take();
        let fault = fault.filter(|_| opened.named.is_empty());
        // Backwards, so that the first of them ends on top.
        for path in opened.named.iter().rev() {
            self.remember(path);
        }
        let sources = opened.sources.into_iter();
        let loader = &self.jobs.loader;
        let entry = |source: Source| Entry {
            choice: loader.choice_of(&source),
            source,
            clip: None,
            is_changed: false,
        };
        self.clips.entries = sources.map(entry).collect();
        for (index, clip) in opened.clips {
            self.retargeting.remember(&clip);
            self.clips.entries[index].clip = Some(clip);
        }
        self.driving.chosen &= opened.named.is_empty();
        if !opened.named.is_empty() && self.mode == Mode::Drive {
            self.set_mode(Mode::View);
        }
        self.forget_blend();
        self.clips.alongside = opened.alongside;
        self.clips.framed_once = false;
        self.show(opened.first);
        self.clips.fault = fault;
        self.library_of_opened(&opened.named, self.clips.entries.len());
        if self.mode == Mode::Blend {
            self.enter_blend();
        }
    }

    /// What was there stays; where nothing was, the performer comes.
    fn receive_nothing(&mut self, opened: &Opened) {
        if opened.faults.is_empty() {
            self.tell(Severity::Warning, "Nothing to show was found");
        }
        let fault = opened.faults.first().map(SessionError::with_advice);
        let fault = fault.unwrap_or_else(|| "Nothing to show was found".to_owned());
        let named = opened.named.iter().map(PathBuf::as_path);
        self.clips.fault = Some(without_folders(&fault, named));
        if self.clips.lead.is_none() && !opened.named.is_empty() {
            self.jobs.loader.open_built_in();
        }
    }

    fn receive_clip(&mut self, index: usize, outcome: Result<Arc<OpenedClip>, SessionError>) {
        match outcome {
            Ok(clip) => {
                self.retargeting.remember(&clip);
                if let Some(entry) = self.clips.entries.get_mut(index) {
                    entry.clip = Some(Arc::clone(&clip));
                }
                if self.clips.alongside.contains(&index) {
                    self.refresh();
                } else if index == self.clips.wanted {
                    self.show_clip(index, clip);
                }
                self.picked_clip_came(index, Ok(()));
            }
            Err(error) => {
                self.picked_clip_came(index, Err(&error));
                self.clips.alongside.retain(|known| *known != index);
                self.refresh();
                if index == self.clips.wanted {
                    let entry = self.clips.entries.get(index);
                    let path = entry.and_then(|it| it.source.path());
                    self.clips.fault = Some(without_folders(&error.with_advice(), path));
                }
                self.tell_error(&error);
            }
        }
    }

    pub(super) fn remember(&mut self, path: &Path) {
        let mut settings = ViewerSettings {
            recent: std::mem::take(&mut self.recent),
            ..ViewerSettings::default()
        };
        settings.remember(path);
        self.recent = settings.recent;
    }
}

fn take_changed<T: Copy + PartialEq>(own: &mut T, before: T, now: T) {
    if now != before {
        *own = now;
    }
}

/// A message that begins with a file, not with where it is: a title has little
/// room.
fn without_folders<'p>(text: &str, paths: impl IntoIterator<Item = &'p Path>) -> String {
    let mut short = text.to_owned();
    for folder in paths.into_iter().filter_map(Path::parent) {
        let folder = folder.join("").display().to_string();
        if !folder.is_empty() {
            short = short.replacen(&folder, "", 1);
        }
    }
    short
}
