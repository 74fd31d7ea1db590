//! The animator's editor: what it shows, and what it keeps for itself.

use std::path::PathBuf;

use crate::animator::{AnimatorEditor, Edit};

/// The animator under the pen.
#[derive(Clone, Copy, Debug)]
pub struct EditorView<'a> {
    /// Its text and what it says.
    pub editor: &'a AnimatorEditor,
    /// Clips that states can play.
    pub clips: &'a [String],
    /// Joints that masks can begin at.
    pub joints: &'a [String],
    /// Where it is saved; `None` for one that never was.
    pub path: Option<&'a str>,
    /// Why the last edit was not made.
    pub fault: Option<&'a str>,
    /// The file was changed by somebody else while there are unsaved edits.
    pub conflict: bool,
}

/// What the editor asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum AnimatorEditing {
    /// Opens the editor on what is driven.
    Open,
    /// Its window was closed; what was edited stays.
    Close,
    /// Makes a change; those of one press of the pointer are one step back.
    Apply(Box<Edit>, Option<u64>),
    /// One step back.
    Undo,
    /// One step forward.
    Redo,
    /// Begins a new animator.
    New,
    /// Writes the file.
    Save,
    /// Writes a file as the dialog says, and goes on to what waits for it.
    SaveAs(SaveDialog),
    /// Goes on without what was not saved.
    Leave(Leaving),
    /// Asks where to.
    Browse(PathBuf),
    /// What the file holds counts; unsaved edits can be taken back to.
    TakeFile,
    /// The edits count; the next save goes over the file.
    KeepMine,
}

/// What edits that are not saved would be lost to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The end of the program.
    Quit,
    /// A new animator.
    New,
    /// Another file.
    Open(PathBuf),
}

/// Where an animator is to be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveDialog {
    /// As typed.
    pub path: String,
    /// It may go over a file.
    pub replace: bool,
    /// What waits until the edits are saved, or let go.
    pub leaving: Option<Leaving>,
}

/// A binding that takes the next control that is pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Its place in the file; a new one where there is none.
    pub binding: usize,
    /// Shift, Ctrl or Alt, while it is down.
    pub held: Option<&'static str>,
    /// Why what was pressed before cannot be taken.
    pub refused: Option<String>,
}

/// What the inspector shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditorPage {
    /// The chosen state or transition.
    #[default]
    Chosen,
    /// All layers.
    Layers,
    /// All parameters.
    Parameters,
    /// What keys do.
    Keys,
    /// Parts of the body.
    Masks,
}

/// A state or transition of the layer, by its place in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chosen {
    /// Neither.
    #[default]
    Nothing,
    /// A state.
    State(usize),
    /// A transition.
    Transition(usize),
}

/// What the editor keeps for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditorPanel {
    /// It is seen.
    pub open: bool,
    /// Which layer.
    pub layer: usize,
    /// What of it.
    pub chosen: Chosen,
    /// What the inspector shows.
    pub page: EditorPage,
    /// From × to instead of the graph.
    pub table: bool,
    /// The state a transition is being drawn from, and where the pointer is.
    pub drawing: Option<(usize, egui::Pos2)>,
    /// Where to save, while that is asked.
    pub saving: Option<SaveDialog>,
    /// The binding that waits for a control.
    pub listening: Option<Listening>,
}
