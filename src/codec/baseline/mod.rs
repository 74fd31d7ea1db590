//! The classical ways to make clips smaller, each as plain as textbooks have
//! it, to compare `spline` and `tight` with: what they save is what these do
//! not.
//!
//! | codec | what is stored | knob |
//! |---|---|---|
//! | `uniform` | every frame, `n` bits a number ([`RowClip`]) | bits |
//! | `resampled` | fewer samples a second, 16 bits a number ([`RowClip`]) | rate |
//! | `linear` | keys where a line does not do ([`mod@linear`]) | threshold |
//! | `bspline` | control points of cubic B-splines ([`BsplineClip`]) | threshold |
//! | `wavelet` | coefficients that are not small ([`WaveletClip`]) | threshold |
//!
//! All work track by track in the joints' own spaces: none knows that a hip
//! carries a foot, so none promises anything in centimetres. A threshold is the
//! largest sum of component differences at a source frame, in quaternion
//! components and metres, as `classic` has it.

mod bits;
mod bspline;
mod head;
mod lifting;
mod linear;
mod rows;
mod scalogram;
#[cfg(test)]
mod tests;
mod wavelet;

pub use bspline::BsplineClip;
pub use linear::linear;
pub use rows::{BITS, RowClip};
pub use scalogram::{Cell, Scalogram};
pub use wavelet::WaveletClip;
