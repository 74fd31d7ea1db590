//! The library: the folder that is browsed, what was found in it, what of it is
//! shown.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::Session;
use crate::{
    app::library_worker::{LibraryNews, marks_folder},
    library::{self, Entries, Found, Likeness, Marks, RowStore, SearchWords},
    ui::{Browsing, LibraryItem, LibraryView, Mode, Pictures, Progress, Severity},
};

/// A folder of more clips than this is browsed at once.
const MANY: usize = 200;
/// Pictures that are kept; more are of lines that were left long ago.
const MOST_PICTURES: usize = 2000;
/// A moment is compared with what is before and after it.
const MOMENT_SECS: f64 = 0.2;

/// The library that is open.
#[derive(Default)]
pub(super) struct LibraryState {
    folder: Option<PathBuf>,
    entries: Arc<Entries>,
    rows: Option<Arc<RowStore>>,
    marks: Marks,
    items: Vec<LibraryItem>,
    clips: usize,
    pictures: Pictures,
    progress: Option<Progress>,
    /// What is like a moment, while that is shown.
    alike: Option<Vec<Likeness>>,
    /// Where to go in a clip, once it is shown.
    arriving: Option<(PathBuf, f64)>,
}

impl Session {
    /// Opens the page, or closes it.
    pub(super) fn toggle_library(&mut self) {
        self.panels.library.open = !self.panels.library.open;
        if !self.panels.library.open {
            return;
        }
        if self.panels.learn {
            self.toggle_learn();
        }
        if let (Some(folder), None) = (self.library.folder.clone(), &self.library.rows) {
            self.open_library(folder, Vec::new());
        }
    }

    /// A folder was opened: it can be browsed, and one of many clips is.
    pub(super) fn library_of_opened(&mut self, named: &[PathBuf], clips: usize) {
        let Some(folder) = named.iter().find(|it| it.is_dir()) else {
            return;
        };
        let folder = folder.clone();
        if clips > MANY && !self.panels.library.open {
            self.toggle_library();
        }
        match self.panels.library.open {
            true => self.open_library(folder, Vec::new()),
            // Not read before somebody wants to browse it.
            false => {
                self.library = LibraryState {
                    folder: Some(folder),
                    ..LibraryState::default()
                }
            }
        }
    }

    fn open_library(&mut self, folder: PathBuf, damaged: Vec<String>) {
        let (marks, remark) = Marks::read(&folder, marks_folder().as_deref());
        remark
            .into_iter()
            .for_each(|it| self.tell(Severity::Warning, it));
        let progress = Progress {
            text: "Opening the index".into(),
            fraction: None,
        };
        self.library = LibraryState {
            folder: Some(folder.clone()),
            marks,
            progress: Some(progress),
            ..LibraryState::default()
        };
        self.jobs.library.open(folder, damaged);
    }

    /// Does what the page asks for.
    pub(super) fn browse(&mut self, asked: Browsing) {
        match asked {
            Browsing::OpenFolder => {
                let folder = self
                    .library
                    .folder
                    .clone()
                    .or_else(|| self.folder_of_clip());
                if let Some(folder) = folder {
                    self.open_library(folder, Vec::new());
                }
            }
            Browsing::Search => self.list_library(),
            Browsing::Show(row) => self.show_item(row),
            Browsing::Favourite(row) => self.mark(row, |marks, key| {
                let on = marks.is_favourite(key);
                marks.set_favourite(key, !on);
            }),
            Browsing::Tags(row, words) => self.mark(row, |marks, key| marks.set_tags(key, &words)),
            Browsing::Similar => self.find_similar(),
            Browsing::All => {
                self.library.alike = None;
                self.list_library();
            }
            Browsing::Picture(rows) => self.picture(rows),
        }
    }

    fn folder_of_clip(&self) -> Option<PathBuf> {
        let path = self.clips.lead.as_ref()?.path.clone()?;
        let path = path.canonicalize().unwrap_or(path);
        path.parent().map(Path::to_path_buf)
    }

    /// Takes what a thread has found.
    pub(super) fn receive_library(&mut self, ticket: u64, news: LibraryNews) {
        if !self.jobs.library.is_current(ticket) {
            return;
        }
        match news {
            LibraryNews::Known {
                entries,
                rows,
                step,
            } => {
                let state = &mut self.library;
                state.clips = entries.values().map(|it| it.clips.len()).sum();
                (state.entries, state.rows) = (entries, Some(rows));
                if let Some((done, all)) = step {
                    let text = format!("{done} of {all} files read");
                    let fraction = Some(done as f32 / all.max(1) as f32);
                    state.progress = Some(Progress { text, fraction });
                }
                self.list_library();
            }
            LibraryNews::Done(counts, remarks) => {
                self.library.progress = None;
                if counts.read + counts.gone > 0 && counts.unchanged > 0 {
                    let (read, gone) = (counts.read, counts.gone);
                    let text = format!("Library: {read} files are new or changed, {gone} are gone");
                    self.tell(Severity::Info, text);
                }
                // What changed may look otherwise now.
                self.library.pictures.clear();
                remarks
                    .into_iter()
                    .for_each(|it| self.tell(Severity::Warning, it));
            }
            LibraryNews::Alike(alike, damaged) => {
                self.library.progress = None;
                if alike.is_empty() {
                    self.tell(
                        Severity::Info,
                        "Nothing in the library can be compared with this",
                    );
                }
                self.library.alike = Some(alike);
                self.panels.library.chosen = 0;
                self.list_library();
                if let (false, Some(folder)) = (damaged.is_empty(), self.library.folder.clone()) {
                    self.jobs.library.open(folder, damaged);
                }
            }
        }
    }

    /// Finds what is searched for, in order.
    fn list_library(&mut self) {
        let (state, panel) = (&mut self.library, &mut self.panels.library);
        let words = SearchWords::of(&panel.search);
        let found = library::found(&state.entries, &words, panel.sort, &state.marks);
        state.items = match &state.alike {
            None => found
                .into_iter()
                .map(|found| LibraryItem {
                    found,
                    moment: None,
                })
                .collect(),
            Some(alike) => {
                let keys: std::collections::HashSet<String> =
                    found.iter().map(Found::key).collect();
                let item = |it: &Likeness| LibraryItem {
                    found: Found {
                        entry: Arc::clone(&it.entry),
                        clip: it.clip,
                    },
                    moment: Some((it.start_s, it.apart_cm)),
                };
                let items = alike.iter().map(item);
                items.filter(|it| keys.contains(&it.found.key())).collect()
            }
        };
        panel.chosen = panel.chosen.min(state.items.len().saturating_sub(1));
    }

    fn show_item(&mut self, row: usize) {
        let (Some(item), Some(folder)) = (self.library.items.get(row), &self.library.folder) else {
            return;
        };
        let path = folder.join(&item.found.entry.path);
        if let Some((secs, _)) = item.moment {
            self.library.arriving = Some((path.clone(), secs));
        }
        let clip = item.found.clip;
        if self.mode != Mode::View {
            self.set_mode(Mode::View);
        }
        match self.clips.row_of(&path, clip) {
            Some(index) => self.show(index),
            None => self.open(vec![path]),
        }
    }

    /// A clip is shown: to the moment that was found in it.
    pub(super) fn arrive(&mut self) {
        let shown = self.clips.lead.as_ref().and_then(|it| it.path.clone());
        let here = self
            .library
            .arriving
            .take_if(|it| shown.as_ref() == Some(&it.0));
        if let Some((_, secs)) = here {
            self.view_scene.clock.seek(secs);
        }
    }

    fn mark(&mut self, row: usize, change: impl FnOnce(&mut Marks, &str)) {
        let Some(item) = self.library.items.get(row) else {
            return;
        };
        change(&mut self.library.marks, &item.found.key());
        if let Err(error) = self.library.marks.write() {
            self.tell_error(&error);
        }
        self.list_library();
    }

    fn find_similar(&mut self) {
        let (Some(clip), Some(rows)) = (self.clips.lead.clone(), self.library.rows.clone()) else {
            return;
        };
        let clock = &self.view_scene.clock;
        let (range, length) = (
            clock.range_secs(),
            clip.sampler().map_or(0.0, |it| it.duration_secs()),
        );
        let whole = range.0 <= 1e-6 && range.1 >= length - 1e-3;
        let now = clock.time_secs();
        let span = if whole {
            (now - MOMENT_SECS, now + MOMENT_SECS)
        } else {
            range
        };
        let text = "Looking for what is like this".to_owned();
        self.library.progress = Some(Progress {
            text,
            fraction: None,
        });
        let entries = Arc::clone(&self.library.entries);
        self.jobs.library.compare(clip, span, entries, rows);
    }

    fn picture(&mut self, rows: std::ops::Range<usize>) {
        let state = &mut self.library;
        if state.pictures.len() > MOST_PICTURES {
            state.pictures.clear();
        }
        for item in state.items.get(rows).unwrap_or_default() {
            let own = state.rows.as_ref();
            let rows = own.and_then(|it| it.clip(&item.found.entry, item.found.clip));
            state
                .pictures
                .insert(item.found.key(), rows.unwrap_or_default().into());
        }
    }

    pub(super) fn library_view(&self) -> Option<LibraryView<'_>> {
        let state = &self.library;
        // A folder that is known and not read yet has nothing to show.
        state
            .progress
            .as_ref()
            .map(|_| ())
            .or(state.rows.as_ref().map(|_| ()))?;
        Some(LibraryView {
            folder: state.folder.as_deref()?,
            items: &state.items,
            clips: state.clips,
            marks: &state.marks,
            pictures: &state.pictures,
            progress: state.progress.as_ref(),
            alike: state.alike.is_some(),
        })
    }
}
