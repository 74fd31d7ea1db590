//! wip
#![allow(missing_docs)]
pub mod blend;
mod check;
pub mod description;
pub mod ik;
mod parse;
pub mod timeline;
