//! Motions measured and judged: how far two are apart, what is wrong with one.
//!
//! Takes raw clips on their skeletons and opens no file; figures are in the
//! units that people say them in (degrees, centimetres, seconds) where a name
//! says so, and in metres and radians else.

mod check;
mod curves;
mod gait;
mod grade;
mod mend;
mod motion;
mod robust;

pub use check::{Finding, FindingKind, check};
pub use curves::{
    Channel, Curve, Curves, Filter, Wanted, chart_of, csv_of, curves, derivatives, filtered,
};
pub use gait::{FootFigures, GaitReport, JointMotion, gait_report};
pub use grade::{FrameError, Grade, grade};
pub use mend::{Mended, Repair, mend};
