//! What is wrong with a capture: where, how much, and what it is called.
//!
//! Every test here compares a motion with itself (what the same joint does
//! around, how the same foot stands elsewhere), because studios differ in
//! noise, floors and rates, and one number of metres would suit none of them.
//! Limits: a fault that was smoothed over afterwards is a movement like any
//! other; feet that slide because the person slid them slide.

mod floor;
mod gap;
mod limit;
mod pop;
mod seam;
mod slide;
mod still;
mod swap;

pub(in crate::analysis) use floor::floor_height_m;
pub(in crate::analysis) use gap::gaps;
pub(in crate::analysis) use pop::pops;
pub(in crate::analysis) use seam::{Seam, seam};
pub(in crate::analysis) use slide::{FootTrack, Slide, slides, slides_beyond};
pub(in crate::analysis) use swap::{Exchange, LimbPair, Swap, swaps};

use serde::Serialize;

use super::motion::PosedMotion;
use crate::{clip::RawClip, skeleton::Skeleton};

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// A foot that stands travels.
    Slide,
    /// A joint is elsewhere for a frame or three, or jumps.
    Pop,
    /// Nothing was recorded for a while.
    Gap,
    /// Beyond what a human's joint can do.
    Limit,
    /// A loop does not close.
    Seam,
    /// Feet below the floor, or nothing on it.
    Floor,
    /// Nobody moves at all.
    Still,
    /// Left and right are exchanged.
    Swap,
    /// Falls faster or slower than things do: another number of frames a
    /// second.
    Rate,
    /// Taller or smaller than people are: another unit of length.
    Unit,
}

impl FindingKind {
    /// As tables have them.
    pub const ALL: [Self; 10] = [
        Self::Slide,
        Self::Pop,
        Self::Gap,
        Self::Limit,
        Self::Seam,
        Self::Floor,
        Self::Still,
        Self::Swap,
        Self::Rate,
        Self::Unit,
    ];

    /// Whether [`mend`](crate::analysis::mend()) knows a repair.
    #[must_use]
    pub fn is_mended(self) -> bool {
        !matches!(self, Self::Still | Self::Rate | Self::Unit)
    }

    /// As files and tables spell it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Slide => "slide",
            Self::Pop => "pop",
            Self::Gap => "gap",
            Self::Limit => "limit",
            Self::Seam => "seam",
            Self::Floor => "floor",
            Self::Still => "still",
            Self::Swap => "swap",
            Self::Rate => "rate",
            Self::Unit => "unit",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Of what kind.
    pub kind: FindingKind,
    /// At which joint, where one can be named.
    pub joint: Option<usize>,
    /// The first frame, counted from 0.
    pub start_frame: usize,
    /// The last frame.
    pub end_frame: usize,
    /// How much.
    pub value: f64,
    /// Of what: `cm`, `deg`, `s`, `factor`.
    pub unit: &'static str,
    /// The same as a sentence.
    pub message: String,
}

impl Finding {
    fn overlaps(&self, start: usize, end: usize, margin: usize) -> bool {
        self.start_frame <= end + margin && start <= self.end_frame + margin
    }
}

/// All that is wrong with a motion, in order of time.
///
/// # Panics
/// When the clip is for another number of joints.
#[must_use]
pub fn check(skeleton: &Skeleton, clip: &RawClip) -> Vec<Finding> {
    check_posed(&PosedMotion::new(skeleton, clip))
}

/// Frames to either side of a gap or an exchange at which its ends jump.
const BORDER_FRAMES: usize = 2;

pub(in crate::analysis) fn check_posed(motion: &PosedMotion<'_>) -> Vec<Finding> {
    let mut findings = still::findings(motion);
    findings.extend(limit::findings(motion));
    // A pose that is held has no movement to judge.
    let moves = motion.frames() > 1
        && !findings.iter().any(|it| {
            it.kind == FindingKind::Still && it.end_frame + 1 - it.start_frame == motion.frames()
        });
    if moves {
        findings.extend(gap::findings(motion, &gaps(motion)));
        findings.extend(swap::findings(motion, &swaps(motion)));
        findings.extend(seam(motion).map(|it| seam::finding(motion, &it)));
        findings.extend(floor::findings(motion));
        let pops = pop::findings(motion, &pops(motion));
        add_unexplained(&mut findings, pops, &[FindingKind::Gap, FindingKind::Swap]);
        let slides = slide::findings(motion, &slides(motion));
        let jumps = [FindingKind::Gap, FindingKind::Swap, FindingKind::Pop];
        add_unexplained(&mut findings, slides, &jumps);
    }
    findings.sort_by_key(|it| (it.start_frame, it.end_frame, it.kind));
    findings
}

/// Adds what is not a mere consequence of findings of other kinds.
fn add_unexplained(findings: &mut Vec<Finding>, more: Vec<Finding>, by: &[FindingKind]) {
    let explained = |it: &Finding| {
        let mut reasons = findings.iter().filter(|known| by.contains(&known.kind));
        reasons.any(|known| known.overlaps(it.start_frame, it.end_frame, BORDER_FRAMES))
    };
    let more: Vec<Finding> = more.into_iter().filter(|it| !explained(it)).collect();
    findings.extend(more);
}
