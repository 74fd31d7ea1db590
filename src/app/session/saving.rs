//! Edits of the animator, to its file: as splices of the file's text, whole or
//! not at all. Nothing that is not saved is lost unasked.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Session, WindowRequest, editing::told};
use crate::{
    app::drive,
    load, output,
    ui::{Leaving, SaveDialog, Severity},
};

impl Session {
    /// Whether there are edits that no file has.
    fn has_unsaved_edits(&self) -> bool {
        let editing = self.driving.editing.as_ref();
        editing.is_some_and(|it| it.editor.is_changed())
    }

    /// Does it at once, or asks first what becomes of edits that are not saved.
    pub(super) fn ask_to_leave(&mut self, leaving: Leaving) {
        if !self.has_unsaved_edits() {
            return self.leave(leaving);
        }
        let editing = self.driving.editing.as_ref();
        let path = editing.and_then(|it| it.path.as_deref());
        self.panels.editor.saving = Some(SaveDialog::of(path, Some(leaving)));
    }

    /// Whether the program may end; else it asks what becomes of the edits.
    pub fn may_quit(&mut self) -> bool {
        self.ask_to_leave(Leaving::Quit);
        self.requests.contains(&WindowRequest::Quit)
    }

    /// Whatever is not saved is let go.
    pub(super) fn leave(&mut self, leaving: Leaving) {
        match leaving {
            Leaving::Quit => self.requests.push(WindowRequest::Quit),
            Leaving::New => self.new_animator(),
            Leaving::Open(path) => self.open_animator(path),
        }
    }

    /// The editor was closed, and what was edited runs on.
    pub(super) fn tell_of_edits(&mut self) {
        if self.has_unsaved_edits() {
            let text = "The edits of the animator run on, but no file has them: Save in its panel";
            self.tell(Severity::Warning, text);
        }
    }

    /// Whether the file has the edits now.
    pub(super) fn save_animator(&mut self) -> bool {
        let Some(path) = self.driving.source.animator.clone() else {
            return false;
        };
        let there = load::read_text(&path).ok();
        let Some(editing) = &mut self.driving.editing else {
            return false;
        };
        match there {
            Some(theirs) if theirs != editing.editor.saved() => {
                editing.conflict = Some(theirs);
                editing.fault = Some(format!("{} was changed elsewhere", path.display()));
                self.panels.editor.open = true;
                false
            }
            _ => self.write_animator(&path),
        }
    }

    pub(super) fn save_animator_as(&mut self, dialog: SaveDialog) {
        let path = PathBuf::from(dialog.path.trim());
        let own = self.driving.source.animator.as_ref() == Some(&path);
        if path.exists() && !dialog.replace && !own {
            let text = format!("{} is there already: tick Replace", path.display());
            self.tell_in_editor(Some(text));
            return;
        }
        let saved = match own && !dialog.replace {
            true => self.save_animator(),
            false => self.write_animator(&path),
        };
        if !saved {
            return;
        }
        self.panels.editor.saving = None;
        if !own {
            self.driving.source.animator = Some(path.clone());
            drive::watch(path, Arc::clone(&self.jobs.outbox));
            self.take_edited(true);
        }
        if let Some(leaving) = dialog.leaving {
            self.leave(leaving);
        }
    }

    fn write_animator(&mut self, path: &Path) -> bool {
        let Some(editing) = &mut self.driving.editing else {
            return false;
        };
        let text = editing.editor.text().to_owned();
        if let Err(error) = output::write(path, text.as_bytes()) {
            editing.fault = Some(error.to_string());
            return false;
        }
        editing.editor.set_saved(&text);
        editing.path = Some(told(path));
        (editing.fault, editing.conflict) = (None, None);
        self.tell(Severity::Info, format!("Saved {}", path.display()));
        true
    }

    /// *Save as…* goes to a file that was picked.
    pub(super) fn receive_animator_path(&mut self, path: &Path) {
        if let Some(dialog) = &mut self.panels.editor.saving {
            dialog.path = told(path);
        }
    }
}
