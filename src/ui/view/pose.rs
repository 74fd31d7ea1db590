//! What the Pose section keeps for itself: its page and knobs.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::{
    clip::LimitReport,
    humanoid::LimitSource,
    posing::{EASE_SECS, MeetGoal, STEPS, TREAD_M},
};

/// Pages of the Pose section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PosePage {
    /// Joints pulled by hand, and what is kept of it.
    Hold,
    /// Looking and reaching.
    #[default]
    Look,
    /// Places with names, and who goes to them.
    Meet,
    /// Things on joints.
    Props,
    /// What is stood on.
    Ground,
    /// A body that is limp.
    Ragdoll,
    /// How far joints turn.
    Limits,
    /// Weights of morph targets.
    Face,
}

/// What is known of joints beyond their limits.
#[derive(Clone, Copy, Debug, Default)]
pub struct LimitsView<'a> {
    /// Of the shown clip, once it was counted.
    pub report: Option<&'a LimitReport>,
    /// There is a motion to count.
    pub can_count: bool,
    /// Whose limits colour the skin.
    pub coloured: Option<LimitSource>,
}

/// Knobs that wait for somebody to press a button.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePanel {
    /// Where a joint is sent, metres.
    pub reach: Vec3,
    /// The joint that [`Self::reach`] was read from; another one reads it anew.
    pub reach_of: Option<u16>,
    /// Where something is sent.
    pub meets: Option<MeetGoal>,
    /// Turned as that is.
    pub meets_turned: bool,
    /// Of a slope, degrees.
    pub slope_deg: f32,
    /// Height of a step, metres.
    pub rise_m: f32,
    /// Depth of a step, metres.
    pub tread_m: f32,
    /// How many steps.
    pub steps: u32,
    /// Of a ragdoll, 0 to 1.
    pub strength: f32,
    /// What is dragged stays when it is let go.
    pub keep: bool,
    /// Seconds before and after the moment in which it stays; 0 for all of it.
    pub keep_around_secs: f32,
    /// Seconds in which it comes and goes.
    pub keep_ease_secs: f32,
}

impl Default for PosePanel {
    fn default() -> Self {
        Self {
            reach: Vec3::ZERO,
            reach_of: None,
            meets: None,
            meets_turned: false,
            slope_deg: 10.0,
            rise_m: 0.18,
            tread_m: TREAD_M,
            steps: STEPS,
            strength: 0.0,
            keep: false,
            keep_around_secs: 0.5,
            keep_ease_secs: EASE_SECS as f32,
        }
    }
}
