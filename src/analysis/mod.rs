//! Motions measured and judged: how far two are apart, what is wrong with one.
//!
//! Takes raw clips on their skeletons and opens no file; figures are in the
//! units that people say them in (degrees, centimetres, seconds) where a name
//! says so, and in metres and radians else.

mod grade;

pub use grade::{FrameError, Grade, grade};
