//! What the Pose section keeps for itself: its page and knobs.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use crate::posing::{STEPS, TREAD_M};

/// Pages of the Pose section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PosePage {
    /// Joints pulled by hand, and what is kept of it.
    Hold,
    /// Looking and reaching.
    #[default]
    Look,
    /// Things on joints.
    Props,
    /// What is stood on.
    Ground,
    /// A body that is limp.
    Ragdoll,
    /// How far joints turn.
    Limits,
}

/// Knobs that wait for somebody to press a button.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePanel {
    /// Where a joint is sent, metres.
    pub reach: Vec3,
    /// The joint that [`Self::reach`] was read from; another one reads it anew.
    pub reach_of: Option<u16>,
    /// Of a slope, degrees.
    pub slope_deg: f32,
    /// Height of a step, metres.
    pub rise_m: f32,
    /// Depth of a step, metres.
    pub tread_m: f32,
    /// How many steps.
    pub steps: u32,
}

impl Default for PosePanel {
    fn default() -> Self {
        Self {
            reach: Vec3::ZERO,
            reach_of: None,
            slope_deg: 10.0,
            rise_m: 0.18,
            tread_m: TREAD_M,
            steps: STEPS,
        }
    }
}
