//! What a state plays, as the file writes it: a tree of clips.
//!
//! Leaves are clips; every other node makes one motion of its children. Where a
//! node lists clips, each may be a motion of its own instead: `clip: "run"` and
//! `motion: Clip("run")` are the same.

use serde::{Deserialize, Serialize};

use super::description::{ReferenceDescription, is_default, is_one, one, one_f64};

/// What a state plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum MotionDescription {
    /// Nothing: the layers below show.
    Empty,
    /// One clip.
    Clip(String),
    /// Clips along a line.
    Blend1d {
        /// The parameter.
        by: String,
        /// In any order.
        clips: Vec<At1d>,
        /// Kept in step by registration, whatever the clips are, not by steps
        /// or shares of their lengths.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        register: bool,
    },
    /// Clips over a plane, triangulated.
    Blend2d {
        /// Parameter of the first coordinate.
        x: String,
        /// Parameter of the second.
        y: String,
        /// At least one.
        clips: Vec<At2d>,
        /// Kept in step by registration, whatever the clips are, not by steps
        /// or shares of their lengths.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        register: bool,
    },
    /// Four motions at the corners of a square: (0, 0), (1, 0), (0, 1), (1, 1).
    Bilinear {
        /// Parameter of the first coordinate, 0 to 1.
        x: String,
        /// Parameter of the second.
        y: String,
        /// Exactly four.
        corners: Vec<MotionDescription>,
        /// Kept in step by registration, whatever the clips are, not by steps
        /// or shares of their lengths.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        register: bool,
    },
    /// A weighted average.
    Flat(Vec<WeightedClip>),
    /// A clip whose time is a parameter.
    Scrub {
        /// Which clip.
        clip: String,
        /// The parameter.
        by: String,
        /// Its value at the start of the clip.
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// Its value at the end.
        #[serde(default = "one_f64", skip_serializing_if = "is_one")]
        to: f64,
    },
    /// The difference of one motion to a reference, added to another.
    Add {
        /// What it is added to; moves the character.
        onto: Box<MotionDescription>,
        /// Whose difference is added.
        add: Box<MotionDescription>,
        /// To what.
        against: ReferenceDescription,
        /// Everything when left out.
        #[serde(default, skip_serializing_if = "is_default")]
        mask: Option<String>,
        /// 0 to 1, …
        #[serde(default = "one", skip_serializing_if = "is_one")]
        weight: f32,
        /// … times this parameter, if any.
        #[serde(default, skip_serializing_if = "is_default")]
        by: Option<String>,
    },
    /// One motion over another on a part of the body.
    Masked {
        /// The rest of the body; moves the character.
        below: Box<MotionDescription>,
        /// The part.
        above: Box<MotionDescription>,
        /// Which part.
        mask: String,
        /// 0 to 1, …
        #[serde(default = "one", skip_serializing_if = "is_one")]
        weight: f32,
        /// … times this parameter, if any.
        #[serde(default, skip_serializing_if = "is_default")]
        by: Option<String>,
    },
}

/// A clip of a line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At1d {
    /// Value of the parameter at which it plays alone.
    pub at: f64,
    /// Which clip, or else …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clip: String,
    /// … which motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Box<MotionDescription>>,
}

/// A clip of a plane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At2d {
    /// Where it plays alone.
    pub at: (f64, f64),
    /// Which clip, or else …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clip: String,
    /// … which motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Box<MotionDescription>>,
}

/// A clip of an average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Share", deny_unknown_fields)]
pub struct WeightedClip {
    /// Which clip, or else …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub clip: String,
    /// … which motion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<Box<MotionDescription>>,
    /// Its weight, …
    #[serde(default = "one_f64", skip_serializing_if = "is_one")]
    pub weight: f64,
    /// … times this parameter, if any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub by: Option<String>,
}

/// What a node has below it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Child<'a> {
    /// A clip by name.
    Clip(&'a str),
    /// A motion of its own.
    Motion(&'a MotionDescription),
}

/// One motion onto or over another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Over<'a> {
    /// What carries the character.
    pub below: &'a MotionDescription,
    /// What is added to it, or put over it.
    pub above: &'a MotionDescription,
    /// What the difference is taken to, where it is added.
    pub against: Option<&'a ReferenceDescription>,
    /// Part of the body; everything when left out.
    pub mask: Option<&'a str>,
    /// 0 to 1, …
    pub weight: f32,
    /// … times this parameter, if any.
    pub by: Option<&'a str>,
}

fn child<'a>(clip: &'a str, motion: Option<&'a MotionDescription>) -> Child<'a> {
    motion.map_or(Child::Clip(clip), Child::Motion)
}

impl MotionDescription {
    /// What it is made of, in the order of the file; the first carries the
    /// character where not all do.
    #[must_use]
    pub fn children(&self) -> Vec<Child<'_>> {
        match self {
            Self::Empty => Vec::new(),
            Self::Clip(clip) | Self::Scrub { clip, .. } => vec![Child::Clip(clip)],
            Self::Blend1d { clips, .. } => {
                let all = clips.iter();
                all.map(|it| child(&it.clip, it.motion.as_deref()))
                    .collect()
            }
            Self::Blend2d { clips, .. } => {
                let all = clips.iter();
                all.map(|it| child(&it.clip, it.motion.as_deref()))
                    .collect()
            }
            Self::Flat(clips) => {
                let all = clips.iter();
                all.map(|it| child(&it.clip, it.motion.as_deref()))
                    .collect()
            }
            Self::Bilinear { corners, .. } => corners.iter().map(Child::Motion).collect(),
            Self::Add { onto, add, .. } => vec![Child::Motion(onto), Child::Motion(add)],
            Self::Masked { below, above, .. } => vec![Child::Motion(below), Child::Motion(above)],
        }
    }

    /// As one motion onto or over another, where it is that.
    #[must_use]
    pub fn over(&self) -> Option<Over<'_>> {
        match self {
            Self::Add {
                onto,
                add,
                against,
                mask,
                weight,
                by,
            } => Some(Over {
                below: onto,
                above: add,
                against: Some(against),
                mask: mask.as_deref(),
                weight: *weight,
                by: by.as_deref(),
            }),
            Self::Masked {
                below,
                above,
                mask,
                weight,
                by,
            } => Some(Over {
                below,
                above,
                against: None,
                mask: Some(mask),
                weight: *weight,
                by: by.as_deref(),
            }),
            _ => None,
        }
    }

    /// Whether its clips are to be kept in step by registration.
    #[must_use]
    pub fn registers(&self) -> bool {
        match self {
            Self::Blend1d { register, .. }
            | Self::Blend2d { register, .. }
            | Self::Bilinear { register, .. } => *register,
            _ => false,
        }
    }

    /// The clips of every blend space that says so, it or those below it.
    #[must_use]
    pub fn registered(&self) -> Vec<Vec<&str>> {
        if self.registers() {
            return vec![self.clips()];
        }
        let below = self.children().into_iter();
        let below = below.filter_map(|child| match child {
            Child::Clip(_) => None,
            Child::Motion(motion) => Some(motion.registered()),
        });
        below.flatten().collect()
    }

    /// Every clip it names, in order.
    #[must_use]
    pub fn clips(&self) -> Vec<&str> {
        let mut clips = Vec::new();
        for child in self.children() {
            match child {
                Child::Clip(clip) => clips.push(clip),
                Child::Motion(motion) => clips.extend(motion.clips()),
            }
        }
        if let Self::Add { against, .. } = self {
            clips.extend(against.clip());
        }
        clips
    }
}

impl ReferenceDescription {
    /// The clip that it names.
    #[must_use]
    pub fn clip(&self) -> Option<&str> {
        match self {
            Self::Rest => None,
            Self::Pose(clip, _) | Self::Clip(clip) => Some(clip),
        }
    }
}
