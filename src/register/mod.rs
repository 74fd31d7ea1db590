//! Captures brought into step, blended and joined.
//!
//! Beside retargeting in the data walk: clips of one skeleton in, clips out.
//! After Kovar and Gleicher's registration curves (2003): which moments of two
//! motions correspond ([`Curve`]'s times), where the figures have to be put
//! before they can be averaged (its alignments), and which stances of the feet
//! are one and the same ([`MatchedContact`]). A [`Registration`] holds these of
//! any number of motions, and a [`Blend`] of it is a clip like any other.
//!
//! Limits: motions of one skeleton (retarget them first); the ground is level;
//! no motion runs more than three times as fast as another; what is compared is
//! where limbs are and go, so two acts that merely look alike for a moment are
//! matched there.

mod alignment;
mod bend;
mod blend;
mod calm;
mod cloud;
mod contacts;
mod curve;
mod flips;
mod follow;
mod foot_lock;
mod graph;
mod grid;
mod held_feet;
mod moments;
mod pair;
mod path;
mod picture;
mod plain;
mod polyline;
mod registration;
mod slide;
mod smooth;
mod transition;
mod walk;
mod weights;

pub use alignment::pose_distance;
pub use bend::for_paths;
pub use blend::{Blend, BlendContact};
pub use cloud::Cloud;
pub use contacts::MatchedContact;
pub use curve::Curve;
pub use graph::{GraphEdge, MotionGraph};
pub use grid::{DistanceGrid, HALF_WINDOW_SECS};
pub use pair::Pair;
pub use path::{FREE_ENDS, PathOptions, cheapest_path};
pub use plain::PlainBlend;
pub use registration::{Pin, Registration};
pub use transition::{Transition, TransitionPoint, transition_points};
pub use walk::{Walk, WalkStep};
pub use weights::Weights;

/// Is told how far long work has come, from 0 to 1, now and then and from any
/// thread; its `false` gives the work up ([`RegisterError::GivenUp`]).
pub type Progress<'a> = &'a (dyn Fn(f64) -> bool + Sync);

/// Why motions cannot be registered or blended.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegisterError {
    /// It takes two.
    #[error("{0} motion(s) given: registering takes at least two")]
    TooFew(usize),
    /// A pose is no motion.
    #[error("motion {} holds {frames} frame(s): too few to register", motion + 1)]
    TooShort {
        /// Counted from 0.
        motion: usize,
        /// What it holds.
        frames: usize,
    },
    /// Another number of joints.
    #[error("motion {} is for {} joints, the first for {}: retarget it first", motion + 1, joints[0], joints[1])]
    OtherSkeleton {
        /// Counted from 0.
        motion: usize,
        /// Its own, and what is due.
        joints: [usize; 2],
    },
    /// The grid would not fit.
    #[error("{:.0} s against {:.0} s are too long to register as a whole (266 s against 266 s at most): name ranges of them (FILE@A..B)", secs[0], secs[1])]
    TooLong {
        /// Of both.
        secs: [f64; 2],
    },
    /// One motion's grid with itself would not fit.
    #[error("{secs:.0} s are too long for a graph (266 s at most): name ranges (FILE@A..B)")]
    TooLongForGraph {
        /// Counted from 0.
        motion: usize,
        /// How long it is.
        secs: f64,
    },
    /// The slope limit leaves no path.
    #[error("{:.2} s against {:.2} s: one would have to run more than three times as fast as the other; name ranges that correspond (FILE@A..B)", secs[0], secs[1])]
    NoPath {
        /// Of both.
        secs: [f64; 2],
    },
    /// Chains of registrations share no moment.
    #[error("the motions have no moment in common that all can be registered at")]
    NothingCommon,
    /// A transition takes longer than a motion lasts.
    #[error("a transition of {seconds} s does not fit into motions of {:.2} s and {:.2} s", secs[0], secs[1])]
    NoRoom {
        /// What was asked for.
        seconds: f64,
        /// Of both.
        secs: [f64; 2],
    },
    /// A path has to lead somewhere.
    #[error("a path is at least two different places on the ground")]
    NoWay,
    /// A path that nobody walks.
    #[error("a path of {length_m:.0} m is too long to be followed (2000 m at most)")]
    LongPath {
        /// How long it is, metres.
        length_m: f64,
    },
    /// A graph without transitions.
    #[error("the motions lead over to each other nowhere for good: give more that are alike")]
    LeadsNowhere,
    /// Whoever asked wants it no more.
    #[error("given up")]
    GivenUp,
    /// Weights have to be one a motion, none negative, not all 0.
    #[error("{found} weights do not go with {motions} motions: one each, none negative, not all 0")]
    BadWeights {
        /// How many there are.
        found: usize,
        /// How many are due.
        motions: usize,
    },
}

impl RegisterError {
    /// The same with names in place of numbers: whoever reads it gave files.
    #[must_use]
    pub fn told(&self, names: &[String]) -> String {
        let name = |motion: usize| names.get(motion).map_or("", String::as_str);
        match self {
            Self::TooShort { motion, frames } => {
                let name = name(*motion);
                format!("{name}: {frames} frame(s) are too few to register")
            }
            Self::OtherSkeleton { motion, joints } => {
                let (name, [own, due]) = (name(*motion), joints);
                format!("{name}: {own} joints, the first motion has {due}: retarget it first")
            }
            Self::TooLong { .. } | Self::NoPath { .. } | Self::NoRoom { .. } => {
                format!("{}: {self}", names.join(", "))
            }
            Self::TooLongForGraph { motion, .. } => format!("{}: {self}", name(*motion)),
            _ => self.to_string(),
        }
    }
}
