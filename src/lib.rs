//! Kinetoscope: a viewer and laboratory for character animation.
//!
//! Data walks one way, and its type changes once per arrow:
//!
//! ```text
//! bytes → mocap → file-shaped document → import → Skeleton + clip (raw, keyed or compressed)
//!   → load → LoadedMotion → Character → Scene::step → LocalPose → ModelPose → WorldPose
//!   → Scene::compose → FrameData → render
//! ```
//!
//! Modules below are listed in that order; each uses only those above it.

#[doc(hidden)]
#[macro_use]
pub mod testing;

pub mod math;

pub mod units;

pub mod ron_text;

pub mod chart;

pub mod meshopt;

pub mod mocap;

pub mod skeleton;

pub mod humanoid;

pub mod clip;

pub mod mesh;

pub mod import;

pub mod collide;

pub mod body;

pub mod ragdoll;

pub mod posing;

pub mod retarget;

pub mod register;

pub mod export;

pub mod exercise;

pub mod codec;

pub mod animator;

pub mod analysis;

pub mod cloth;

pub mod scene;

pub mod load;

pub mod output;

pub mod library;

pub mod convert;

#[cfg(feature = "viewer")]
pub mod render;

#[cfg(feature = "viewer")]
pub mod ui;

#[cfg(feature = "viewer")]
pub mod app;

pub mod cli;
