//! Characters beside the one that is driven, and what moves them.

/// What moves a character that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The animator, by the arrow keys.
    Arrows,
    /// The animator, by the gamepad.
    Gamepad,
    /// A clip of the animator's, over and over.
    Clip(String),
    /// The lead's blow.
    Struck,
}

impl Mover {
    /// What the panel calls it.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Arrows => "Arrow keys".to_owned(),
            Self::Gamepad => "Gamepad".to_owned(),
            Self::Clip(name) => format!("plays {name}"),
            Self::Struck => "Struck by the lead".to_owned(),
        }
    }
}

/// What the panel of characters in Drive asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Casting {
    /// One more.
    Add(Mover),
    /// Something else moves one of them.
    Set(usize, Mover),
    /// One leaves.
    Remove(usize),
}

/// Everybody but the lead.
#[derive(Clone, Copy, Debug, Default)]
pub struct CastView<'a> {
    /// Their names, and what moves each.
    pub members: &'a [(String, Mover)],
    /// Clips that one may play.
    pub clips: &'a [String],
}
