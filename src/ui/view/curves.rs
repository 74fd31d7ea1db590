//! What the page of curves keeps and shows.

use serde::{Deserialize, Serialize};

use crate::{
    analysis::{Channel, Curves, Filter},
    skeleton::JointIndex,
};

/// Which filter is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FilterChoice {
    /// None.
    #[default]
    Off,
    /// Butterworth's.
    Butterworth,
    /// The mean of some frames.
    Average,
}

/// Knobs of the page of curves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurvePanel {
    /// Joints that stay in the plot, beside the chosen one.
    #[serde(skip)]
    pub joints: Vec<JointIndex>,
    /// What is drawn of each.
    pub channels: Vec<Channel>,
    /// What is laid over it.
    #[serde(skip)]
    pub filter: FilterChoice,
    /// Of Butterworth's filter, hertz.
    pub cutoff_hz: f64,
    /// Of the mean.
    pub frames: usize,
}

impl Default for CurvePanel {
    fn default() -> Self {
        Self {
            joints: Vec::new(),
            channels: vec![Channel::World],
            filter: FilterChoice::Off,
            cutoff_hz: 6.0,
            frames: 9,
        }
    }
}

impl CurvePanel {
    /// The filter that is looked at.
    #[must_use]
    pub fn filter(&self) -> Option<Filter> {
        match self.filter {
            FilterChoice::Off => None,
            FilterChoice::Butterworth => Some(Filter::Butterworth {
                cutoff_hz: self.cutoff_hz,
            }),
            FilterChoice::Average => Some(Filter::MovingAverage {
                frames: self.frames,
            }),
        }
    }

    /// Joints in the plot: those that stay, and the chosen one.
    #[must_use]
    pub fn shown(&self, selected: Option<JointIndex>) -> Vec<JointIndex> {
        let mut joints = self.joints.clone();
        joints.extend(selected.filter(|it| !self.joints.contains(it)));
        joints
    }
}

/// Curves of the clip on screen, and of what is laid over them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePlot {
    /// By name: as captured; as a codec leaves it; through the filter.
    pub clips: Vec<(String, Curves)>,
    /// The clip was filtered, and can be had as it was captured.
    pub is_filtered: bool,
}

/// How curves are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveFile {
    /// A table.
    Csv,
    /// A picture.
    Svg,
}
