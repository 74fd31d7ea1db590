//! What is said of locators: where they are, who goes to them. See
//! [`PoseAction`](super::PoseAction) for the words.

use std::fmt;

use glam::Vec3;

use super::{action::Spaced, words::Words};

/// A place with a name, put somewhere or taken away.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatorAction {
    /// What others call it.
    pub name: String,
    /// Where; nowhere any more when left out.
    pub place: Option<LocatorPlace>,
}

/// Where a locator is.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatorPlace {
    /// What it goes along with.
    pub base: LocatorBase,
    /// From there, in its axes, metres.
    pub offset_m: Vec3,
    /// How it is turned there, degrees about X, then Y, then Z.
    pub turn_deg: Vec3,
}

/// What a locator goes along with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocatorBase {
    /// Nothing: it stands in the world.
    World,
    /// The spot on the ground below the hips, +Z ahead of the body.
    Body,
    /// A joint, by name or by the part it plays.
    Joint(String),
}

/// Who goes to a locator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeetAction {
    /// A joint of its own, or a locator on one.
    pub own: String,
    /// Where to; nowhere any more when left out.
    pub goal: Option<MeetGoal>,
}

/// Where something of one's own is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeetGoal {
    /// A locator, a place that the file names, or a joint.
    pub locator: String,
    /// Whose; its own when left out.
    pub of: Option<String>,
    /// Turned as it is, too.
    pub turned: bool,
}

/// Somebody is put where something of theirs is at a locator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandAction {
    /// A joint of its own, or a locator.
    pub own: String,
    /// Where to.
    pub goal: MeetGoal,
}

pub(super) fn locator(words: &mut Words<'_>) -> Result<LocatorAction, String> {
    let name = words.name("a name")?;
    let base = match words.name("what it goes along with")?.as_str() {
        "off" => return Ok(LocatorAction { name, place: None }),
        "world" => LocatorBase::World,
        "body" => LocatorBase::Body,
        joint => LocatorBase::Joint(joint.to_owned()),
    };
    let mut place = LocatorPlace {
        base,
        offset_m: Vec3::ZERO,
        turn_deg: Vec3::ZERO,
    };
    while !words.is_empty() {
        if let Some(offset_m) = words.vector_after("at")? {
            place.offset_m = offset_m;
        } else if let Some(turn_deg) = words.vector_after("turn")? {
            place.turn_deg = turn_deg;
        } else {
            break;
        }
    }
    let place = Some(place);
    Ok(LocatorAction { name, place })
}

pub(super) fn meet(words: &mut Words<'_>) -> Result<MeetAction, String> {
    let own = words.name("a joint or locator")?;
    if words.keyword("off") {
        return Ok(MeetAction { own, goal: None });
    }
    let mut goal = goal(words)?;
    goal.turned = words.keyword("turned");
    let goal = Some(goal);
    Ok(MeetAction { own, goal })
}

pub(super) fn stand(words: &mut Words<'_>) -> Result<StandAction, String> {
    let own = words.name("a joint or locator")?;
    let goal = goal(words)?;
    Ok(StandAction { own, goal })
}

fn goal(words: &mut Words<'_>) -> Result<MeetGoal, String> {
    let locator = words.name("a locator")?;
    let of = match words.keyword("of") {
        true => Some(words.name("a character")?),
        false => None,
    };
    Ok(MeetGoal {
        locator,
        of,
        turned: false,
    })
}

impl fmt::Display for LocatorAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return write!(f, "{} off", self.name);
        };
        let base = match &place.base {
            LocatorBase::World => "world",
            LocatorBase::Body => "body",
            LocatorBase::Joint(joint) => joint,
        };
        write!(f, "{} {base}", self.name)?;
        if place.offset_m != Vec3::ZERO {
            write!(f, " at {}", Spaced(place.offset_m))?;
        }
        match place.turn_deg == Vec3::ZERO {
            true => Ok(()),
            false => write!(f, " turn {}", Spaced(place.turn_deg)),
        }
    }
}

impl fmt::Display for MeetGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.locator)?;
        if let Some(of) = &self.of {
            write!(f, " of {of}")?;
        }
        write!(f, "{}", if self.turned { " turned" } else { "" })
    }
}

impl fmt::Display for MeetAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.goal {
            None => write!(f, "{} off", self.own),
            Some(goal) => write!(f, "{} {goal}", self.own),
        }
    }
}

impl fmt::Display for StandAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.own, self.goal)
    }
}
