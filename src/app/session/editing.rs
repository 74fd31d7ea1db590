//! The animator under the pen: edits make the running graph anew.

use std::{path::Path, sync::Arc};

use super::Session;
use crate::{
    animator::{AnimatorEditor, DEFAULT_GRAPH, Description, Edit, NEW_ANIMATOR},
    app::{
        SessionError,
        drive::{CharacterSource, ReadyCharacter},
    },
    load,
    ui::{AnimatorEditing, EditorPanel, EditorView, Leaving, Severity},
};

/// An editor and how it stands to its file.
pub(super) struct Editing {
    pub editor: AnimatorEditor,
    /// Where it is saved, in words.
    pub path: Option<String>,
    /// Why the last edit was not made.
    pub fault: Option<String>,
    /// What somebody else wrote into the file while there were unsaved edits.
    pub conflict: Option<String>,
    /// A graph of it is being built.
    building: bool,
}

impl Session {
    pub(super) fn editor_view(&self) -> Option<EditorView<'_>> {
        let editing = self.driving.editing.as_ref()?;
        Some(EditorView {
            editor: &editing.editor,
            clips: &self.driving.clips,
            joints: &self.driving.joints,
            path: editing.path.as_deref(),
            fault: editing.fault.as_deref(),
            conflict: editing.conflict.is_some(),
        })
    }

    pub(super) fn edit_animator(&mut self, asked: AnimatorEditing) {
        match asked {
            AnimatorEditing::Open => self.open_editor(),
            AnimatorEditing::Apply(edit, press) => self.apply_edit(*edit, press),
            AnimatorEditing::Undo => self.step_edits(AnimatorEditor::undo),
            AnimatorEditing::Redo => self.step_edits(AnimatorEditor::redo),
            AnimatorEditing::New => self.ask_to_leave(Leaving::New),
            AnimatorEditing::Save => drop(self.save_animator()),
            AnimatorEditing::SaveAs(dialog) => self.save_animator_as(dialog),
            AnimatorEditing::Leave(leaving) => self.leave(leaving),
            AnimatorEditing::Close => self.tell_of_edits(),
            AnimatorEditing::Browse(path) => self.jobs.loader.ask_where_to_save(path),
            AnimatorEditing::TakeFile => self.take_file(),
            AnimatorEditing::KeepMine => {
                if let Some(editing) = &mut self.driving.editing
                    && let Some(theirs) = editing.conflict.take()
                {
                    editing.editor.set_saved(&theirs);
                    editing.fault = None;
                }
            }
        }
    }

    /// The text of the animator's file, or of the built-in one.
    fn animator_text(&self) -> Result<String, String> {
        match &self.driving.source.animator {
            Some(path) => load::read_text(path).map_err(|error| error.to_string()),
            None => Ok(DEFAULT_GRAPH.to_owned()),
        }
    }

    pub(super) fn open_editor(&mut self) {
        if self.driving.editing.is_some() {
            return;
        }
        let opened = self
            .animator_text()
            .and_then(|text| AnimatorEditor::new(text).map_err(|error| error.to_string()));
        match opened {
            Ok(editor) => {
                let path = self.driving.source.animator.as_deref().map(told);
                self.driving.editing = Some(Editing {
                    editor,
                    path,
                    fault: None,
                    conflict: None,
                    building: false,
                });
            }
            Err(fault) => {
                self.panels.editor.open = false;
                self.tell(Severity::Error, fault);
            }
        }
    }

    pub(super) fn apply_edit(&mut self, edit: Edit, press: Option<u64>) {
        let Some(editing) = &mut self.driving.editing else {
            return;
        };
        let before = without_places(editing.editor.description());
        match editing.editor.apply(edit, press) {
            Ok(()) => {
                editing.fault = None;
                let moves = before != without_places(editing.editor.description());
                self.take_edited(moves);
            }
            Err(error) => editing.fault = Some(error.message),
        }
    }

    /// The binding that waits for it takes a control of a gamepad.
    pub(super) fn bind_control(&mut self, binding: usize, control: &str) {
        self.panels.editor.listening = None;
        let editing = self.driving.editing.as_ref();
        let edit = editing.and_then(|it| Edit::bind(it.editor.description(), binding, control));
        if let Some(edit) = edit {
            self.apply_edit(edit, None);
        }
    }

    fn step_edits(&mut self, step: fn(&mut AnimatorEditor) -> bool) {
        if let Some(editing) = &mut self.driving.editing
            && step(&mut editing.editor)
        {
            editing.fault = None;
            self.take_edited(true);
        }
    }

    /// The edited text is what is driven from now on.
    pub(super) fn take_edited(&mut self, build: bool) {
        let Some(editing) = &mut self.driving.editing else {
            return;
        };
        self.driving.source.text = Some(Arc::from(editing.editor.text()));
        // One at a time: a drag makes many, and only the last counts.
        if build && !std::mem::replace(&mut editing.building, true) {
            self.jobs.loader.drive(self.driving.source.clone());
        }
    }

    /// A graph has come; only what was asked for last counts.
    pub(super) fn receive_built(
        &mut self,
        from: &CharacterSource,
        outcome: Result<Box<ReadyCharacter>, SessionError>,
    ) {
        let newest = *from == self.driving.source;
        if let Some(editing) = &mut self.driving.editing
            && std::mem::take(&mut editing.building)
            && !newest
        {
            self.take_edited(true);
        }
        if newest {
            self.receive_driven(outcome);
        }
    }

    /// Why the edited animator could not be built; true where there is an
    /// editor to say it.
    pub(super) fn tell_in_editor(&mut self, fault: Option<String>) -> bool {
        let Some(editing) = &mut self.driving.editing else {
            return false;
        };
        editing.fault = fault;
        true
    }

    pub(super) fn new_animator(&mut self) {
        self.driving.source.animator = None;
        self.driving.source.given.clear();
        self.panels.editor = EditorPanel {
            open: true,
            ..EditorPanel::default()
        };
        if let Some(editing) = &mut self.driving.editing {
            editing.path = None;
            editing.conflict = None;
            editing.editor.set_saved("");
        }
        self.replace_text(NEW_ANIMATOR.to_owned());
    }

    fn replace_text(&mut self, text: String) {
        let Some(editing) = &mut self.driving.editing else {
            return;
        };
        let taken = editing.editor.take_text(text);
        editing.fault = taken.err().map(|error| error.to_string());
        self.take_edited(true);
    }

    /// The file counts; the edits can be taken back to.
    pub(super) fn take_file(&mut self) {
        match self.animator_text() {
            Ok(text) => {
                if let Some(editing) = &mut self.driving.editing {
                    editing.conflict = None;
                    editing.editor.set_saved(&text);
                }
                self.replace_text(text);
            }
            Err(fault) => drop(self.tell_in_editor(Some(fault))),
        }
    }

    /// The file was written: by this editor, or by somebody else.
    pub(super) fn animator_changed(&mut self) {
        let text = self.animator_text();
        let Some(editing) = &mut self.driving.editing else {
            return self.reload_animator();
        };
        match text {
            Ok(text) if text == editing.editor.saved() => {}
            Ok(text) if editing.editor.is_changed() => {
                editing.conflict = Some(text);
                // Where it is told, and where the hand decides.
                self.panels.editor.open = true;
            }
            _ => self.take_file(),
        }
    }

    #[cfg(test)]
    pub(super) fn is_building(&self) -> bool {
        self.driving.editing.as_ref().is_some_and(|it| it.building)
    }

    #[cfg(test)]
    pub(super) fn edited_text(&self) -> &str {
        let editing = self.driving.editing.as_ref();
        editing.map_or("", |it| it.editor.text())
    }
}

pub(super) fn told(path: &Path) -> String {
    path.display().to_string()
}

/// Where states are drawn moves nobody.
fn without_places(description: &Description) -> Description {
    let mut description = description.clone();
    for state in description.layers.iter_mut().flat_map(|it| &mut it.states) {
        state.place = None;
    }
    description
}
