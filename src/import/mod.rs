//! From file-shaped documents to our own types.
//!
//! Between `mocap` and everything else in the data walk: units become metres
//! and radians, Euler angles become quaternions, names become indices. What
//! had to be assumed or mended comes back as notes. Nothing here opens a file.

mod amc;
mod asf;
pub mod builtin;
mod bvh;
mod channels;
mod gltf;
mod half_angle;
mod names;
pub mod pairing;
mod rotations;
mod up_axis;

pub use crate::units::UpAxis;
pub use amc::{ImportedMotion, MotionOptions, RateSource, frame_rate, motion};
pub use asf::{ImportedSkeleton, SkeletonOptions, skeleton};
pub use bvh::{ImportedBvh, bvh};
pub use gltf::{ImportedClip, ImportedModel, gltf};
