//! From our own types back to files other programs read.
//!
//! The way back of the data walk: a skeleton and a raw clip become the bytes
//! of a BVH, ASF, AMC, CSV or glTF file. Nothing here opens a file. Text formats
//! know no rest rotations, so joints are turned for them such that the rest
//! pose is all zero angles ([`Aligned`]); joint positions stay what they are,
//! to the six decimals that are written.

mod acclaim;
mod aligned;
mod bvh;
mod csv;
mod error_csv;
mod glb;
mod text;

pub use acclaim::{AcclaimMotion, amc, asf};
pub use bvh::{BvhText, bvh};
pub use csv::{CsvContent, csv};
pub use error_csv::{ErrorCsvClip, error_csv};
pub use glb::{BakedFrame, BakedMesh, GlbClip, GlbMotion, GlbSource, baked_glb, baked_obj, glb};
pub use text::push_number;

use crate::{
    clip::RawClip,
    skeleton::{JointIndex, Skeleton},
    units::LengthScale,
};
use aligned::Aligned;

/// What is written: a clip on its skeleton, in the lengths of a file.
#[derive(Clone, Copy, Debug)]
pub struct ExportSource<'a> {
    /// Metres.
    pub skeleton: &'a Skeleton,
    /// Metres; made for the skeleton.
    pub clip: &'a RawClip,
    /// What lengths are written in.
    pub length: LengthScale,
}

/// Why a clip cannot be written in a format.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// Acclaim skeletons have one root.
    #[error("an ASF skeleton has one root, and {0:?} is another")]
    SeveralRoots(String),
}

/// The root, joints with translations of their own, children of bones that
/// stretch.
fn moving_joints(skeleton: &Skeleton, clip: &RawClip) -> Vec<JointIndex> {
    let mut moving = vec![0];
    moving.extend(clip.translations.iter().map(|track| track.joint));
    for track in &clip.stretches {
        moving.extend(skeleton.children(track.joint));
    }
    moving.sort_unstable();
    moving.dedup();
    moving
}
