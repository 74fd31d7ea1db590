//! A way out of long work: compression asks now and then whether anybody still
//! wants its result.

use super::CompressError;

/// Asked between tracks and between attempts; true ends the work.
#[derive(Clone, Copy)]
pub struct Stop<'a>(&'a (dyn Fn() -> bool + Sync));

impl<'a> Stop<'a> {
    /// Work that is always wanted.
    pub const NEVER: Stop<'static> = Stop(&|| false);

    /// Ends once `asked` says so.
    pub fn when(asked: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self(asked)
    }

    /// Whether to end.
    #[must_use]
    pub fn is_asked(self) -> bool {
        (self.0)()
    }

    /// The same as an error to be handed up.
    pub fn check(self) -> Result<(), CompressError> {
        if self.is_asked() {
            return Err(CompressError::Stopped);
        }
        Ok(())
    }
}
