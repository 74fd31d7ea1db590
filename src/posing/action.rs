//! What a person does to a character beyond its motion: one list for scripts,
//! keys and panels, and the words it is written in.
//!
//! ```text
//! look 1 1.6 3             | look joint rwrist | look character Anna | look pointer | look off
//! reach rwrist 0.3 1.2 0.4 | reach rwrist 0.3 1.2 0.4 turn 0 90 0 | reach rwrist off
//! attach stick rwrist      | attach ball lwrist throw 0.6 | attach stick rwrist with lwrist
//! detach                   | detach ball
//! ground slope 15          | ground stairs 0.18 0.30 8 | ground hills.png 40 3 | ground flat
//! ground lock off          | ground in_place on
//! drag lwrist 0 0.1 0.05   | drag lwrist 0 0.1 0 from 1 to 2.5 ease 0.3 | drag lwrist off | drag off
//! pin lwrist | pin lfoot off | solver fabrik | solver body | rest on
//! morph smile 0.8 | morph smile off | morph off
//! locator clasp body at 0 1.1 0.45 | locator clasp off
//! meet right_hand clasp of Anna turned | meet right_hand off | stand mine clasp of Anna
//! push thorax 0 0 40       | ragdoll on | ragdoll on strength 0.3 below lhumerus | ragdoll off
//! ```
//!
//! Metres, degrees, seconds, newton-seconds; points are of the world.

use std::fmt;

use glam::Vec3;

use super::{
    DragSolver, EASE_SECS, LocatorAction, LocatorBase, LocatorPlace, MeetAction, StandAction,
    locator_action, words::Words,
};

/// One thing that is done to a character.
#[derive(Clone, Debug, PartialEq)]
pub enum PoseAction {
    /// Turns eyes, head, neck and spine to something, or no longer.
    Look(LookAt),
    /// Sends a joint to a point, or no longer.
    Reach {
        /// Its name, or the part it plays.
        joint: String,
        /// Where to; nowhere any more when left out.
        goal: Option<ReachGoal>,
    },
    /// Puts a place with a name somewhere, or takes it away.
    Locator(LocatorAction),
    /// Sends a joint to a locator, wherever that goes, or no longer.
    Meet(MeetAction),
    /// Puts the whole character where something of its own is at a locator.
    Stand(StandAction),
    /// Gives a prop into a hand, or to any other joint.
    Attach(Attachment),
    /// Lets a prop go, or all of them.
    Detach(Option<PropKind>),
    /// What is stood on.
    Ground(GroundKind),
    /// Holds standing feet where they came to stand, or no longer.
    FootLock(bool),
    /// Stays on the spot, or goes where the motion goes.
    InPlace(bool),
    /// Strikes a joint.
    Push {
        /// Its name, or the part it plays.
        joint: String,
        /// Newton-seconds, world.
        impulse: Vec3,
    },
    /// Lets the body go limp, whole or in part, or takes it up again.
    Ragdoll(Option<Limpness>),
    /// Draws a joint aside from where its motion has it.
    Drag(JointDrag),
    /// Takes that back of one joint, or of all.
    DragOff(Option<String>),
    /// An end stays where its motion has it while others are dragged, or no
    /// longer.
    Pin {
        /// Its name, or the part it plays.
        joint: String,
        /// It stays.
        on: bool,
    },
    /// Who follows what is dragged or sent somewhere.
    Solver(DragSolver),
    /// The rest pose of the skeleton instead of a clip's, or the clip again.
    Rest(bool),
    /// Weighs a morph target by hand, or leaves it to the motion again.
    Morph {
        /// Its name or number; all of them when left out.
        target: Option<String>,
        /// 0 to 1 as a rule; the motion's own when left out.
        weight: Option<f32>,
    },
}

/// A joint, drawn aside for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDrag {
    /// Its name, or the part it plays.
    pub joint: String,
    /// Metres in the heading of the body: left, up, forward.
    pub way: Vec3,
    /// Seconds of the clip; all of it when left out.
    pub from_secs: Option<f64>,
    /// The same.
    pub to_secs: Option<f64>,
    /// Seconds in which it comes and goes.
    pub ease_secs: f64,
}

/// What is looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LookAt {
    /// Nothing but what the motion looks at.
    #[default]
    Off,
    /// A point of the world.
    Point(Vec3),
    /// Wherever the mouse points.
    Pointer,
    /// A joint of its own.
    Joint(String),
    /// The head of somebody else in the scene, by name.
    Character(String),
}

/// Where a joint is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachGoal {
    /// World, metres.
    pub point: Vec3,
    /// How it is turned there, degrees about X, then Y, then Z of the world; as
    /// it comes when left out.
    pub turn_deg: Option<Vec3>,
}

/// A thing to hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PropKind {
    /// A ball.
    Ball,
    /// A box.
    Box,
    /// A stick.
    Stick,
    /// A model of a file.
    File(String),
}

/// A prop on a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// What; one of a kind: attached again, it is handed over.
    pub prop: PropKind,
    /// The joint's name, or the part it plays.
    pub joint: String,
    /// From the joint to the prop in the joint's own axes, metres; in the grip
    /// when left out.
    pub offset_m: Option<Vec3>,
    /// How the prop is turned in the joint's axes, degrees about X, then Y, then
    /// Z.
    pub turn_deg: Option<Vec3>,
    /// The other hand, which goes where the prop takes it.
    pub second: Option<String>,
    /// Seconds of flight, where it is thrown there.
    pub flight_secs: f32,
}

/// What is stood on.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum GroundKind {
    /// As captured.
    #[default]
    Flat,
    /// Rises ahead by so many degrees.
    Slope {
        /// From the horizontal.
        degrees: f32,
    },
    /// Steps ahead, a landing, and down again.
    Stairs {
        /// Height of a step; negative leads down first.
        rise_m: f32,
        /// Depth of a step.
        tread_m: f32,
        /// How many up, and as many down.
        steps: u32,
    },
    /// Heights of a picture (white is high) or of a model's mesh.
    File {
        /// Which.
        path: String,
        /// Side of a picture; a mesh has its own size.
        width_m: f32,
        /// Height of white.
        height_m: f32,
    },
}

/// How limp a body is.
#[derive(Clone, Debug, PartialEq)]
pub struct Limpness {
    /// How strongly muscles hold to the motion, 0 to 1.
    pub strength: f32,
    /// The joint whose limb alone is limp; all of the body when left out.
    pub below: Option<String>,
}

/// Depth of a step where none is given: a comfortable stair, metres.
pub const TREAD_M: f32 = 0.30;
/// Steps where no number is given.
pub const STEPS: u32 = 8;
/// The largest weight of a morph target: files make use of more than 1 now and
/// then.
const MORPH_MOST: f32 = 10.0;
/// Side and height of a picture's ground where none is given, metres.
const FIELD_M: [f32; 2] = [40.0, 2.0];

impl PoseAction {
    /// Every verb, and what may follow it.
    pub const VERBS: [(&'static str, &'static str); 15] = [
        (
            "look",
            "X Y Z | joint JOINT | character NAME | pointer | off",
        ),
        ("reach", "JOINT X Y Z [turn RX RY RZ] | JOINT off"),
        (
            "locator",
            "NAME world|body|JOINT [at X Y Z] [turn RX RY RZ] | NAME off",
        ),
        (
            "meet",
            "JOINT|LOCATOR LOCATOR [of CHARACTER] [turned] | JOINT off",
        ),
        ("stand", "JOINT|LOCATOR LOCATOR [of CHARACTER]"),
        (
            "attach",
            "FILE|ball|box|stick JOINT [at X Y Z] [turn RX RY RZ] [with JOINT] [throw SECONDS]",
        ),
        ("detach", "[FILE|ball|box|stick]"),
        (
            "ground",
            "flat | slope DEGREES | stairs RISE [TREAD [STEPS]] | FILE [WIDTH HEIGHT] | lock on|off | in_place on|off",
        ),
        ("push", "JOINT X Y Z"),
        ("ragdoll", "on [strength 0–1] [below JOINT] | off"),
        (
            "drag",
            "JOINT LEFT UP FORWARD [from SECONDS] [to SECONDS] [ease SECONDS] | JOINT off | off",
        ),
        ("pin", "JOINT [off]"),
        ("rest", "on|off"),
        ("morph", "NAME|NUMBER WEIGHT | NAME|NUMBER off | off"),
        ("solver", "body|two_bones|fabrik|ccd|dls"),
    ];

    /// Reads a verb and what follows it. `None` when the verb is none of ours;
    /// else what is wrong, and what it expects.
    #[must_use]
    pub fn parse(words: &[&str]) -> Option<Result<Self, String>> {
        let (&verb, rest) = words.split_first()?;
        let (_, expects) = Self::VERBS.iter().find(|(name, _)| *name == verb)?;
        let mut words = Words::new(rest);
        let action = match verb {
            "look" => look(&mut words),
            "reach" => reach(&mut words),
            "locator" => locator_action::locator(&mut words).map(Self::Locator),
            "meet" => locator_action::meet(&mut words).map(Self::Meet),
            "stand" => locator_action::stand(&mut words).map(Self::Stand),
            "attach" => attach(&mut words),
            "detach" => Ok(Self::Detach(words.next().map(PropKind::of))),
            "ground" => ground(&mut words),
            "push" => push(&mut words),
            "drag" => drag(&mut words),
            "pin" => pin(&mut words),
            "solver" => solver(&mut words),
            "rest" => words.switch().map(Self::Rest),
            "morph" => morph(&mut words),
            _ => ragdoll(&mut words),
        };
        let action = action.and_then(|action| words.end().map(|()| action));
        Some(action.map_err(|wrong| format!("{wrong}; {verb} expects {expects}")))
    }

    /// The file that it names, which somebody has to read first.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Attach(Attachment {
                prop: PropKind::File(path),
                ..
            })
            | Self::Ground(GroundKind::File { path, .. }) => Some(path),
            _ => None,
        }
    }

    /// Somebody else whom it speaks of.
    #[must_use]
    pub fn other(&self) -> Option<&str> {
        match self {
            Self::Look(LookAt::Character(name)) => Some(name),
            Self::Meet(MeetAction { goal, .. }) => goal.as_ref()?.of.as_deref(),
            Self::Stand(StandAction { goal, .. }) => goal.of.as_deref(),
            _ => None,
        }
    }

    /// Whether it changes where feet go.
    #[must_use]
    pub fn moves_feet(&self) -> bool {
        matches!(self, Self::Ground(_) | Self::FootLock(_) | Self::InPlace(_))
    }

    /// Names of joints in it.
    pub fn joints(&self) -> impl Iterator<Item = &str> {
        let (first, second) = match self {
            Self::Look(LookAt::Joint(joint)) | Self::Reach { joint, .. } => (Some(joint), None),
            Self::Push { joint, .. } | Self::Pin { joint, .. } => (Some(joint), None),
            Self::Drag(it) => (Some(&it.joint), None),
            Self::DragOff(joint) => (joint.as_ref(), None),
            Self::Attach(it) => (Some(&it.joint), it.second.as_ref()),
            Self::Ragdoll(Some(Limpness { below, .. })) => (below.as_ref(), None),
            Self::Locator(LocatorAction {
                place:
                    Some(LocatorPlace {
                        base: LocatorBase::Joint(joint),
                        ..
                    }),
                ..
            }) => (Some(joint), None),
            _ => (None, None),
        };
        first.into_iter().chain(second).map(String::as_str)
    }
}

impl Attachment {
    /// In the grip of a joint.
    #[must_use]
    pub fn to(prop: PropKind, joint: impl Into<String>) -> Self {
        Self {
            prop,
            joint: joint.into(),
            offset_m: None,
            turn_deg: None,
            second: None,
            flight_secs: 0.0,
        }
    }
}

impl PropKind {
    /// By the word of a script.
    #[must_use]
    pub fn of(word: &str) -> Self {
        match word {
            "ball" => Self::Ball,
            "box" => Self::Box,
            "stick" => Self::Stick,
            path => Self::File(path.to_owned()),
        }
    }

    /// The word of a script.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Ball => "ball",
            Self::Box => "box",
            Self::Stick => "stick",
            Self::File(path) => path,
        }
    }
}

fn look(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let at = if words.keyword("off") {
        LookAt::Off
    } else if words.keyword("pointer") {
        LookAt::Pointer
    } else if words.keyword("joint") {
        LookAt::Joint(words.name("a joint")?)
    } else if words.keyword("character") {
        LookAt::Character(words.name("a name")?)
    } else {
        LookAt::Point(words.vector()?)
    };
    Ok(PoseAction::Look(at))
}

fn reach(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let joint = words.name("a joint")?;
    if words.keyword("off") {
        return Ok(PoseAction::Reach { joint, goal: None });
    }
    let goal = ReachGoal {
        point: words.vector()?,
        turn_deg: words.vector_after("turn")?,
    };
    let goal = Some(goal);
    Ok(PoseAction::Reach { joint, goal })
}

fn attach(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let prop = PropKind::of(&words.name("a prop")?);
    let mut attachment = Attachment::to(prop, words.name("a joint")?);
    while !words.is_empty() {
        if words.keyword("with") {
            attachment.second = Some(words.name("a joint")?);
        } else if words.keyword("throw") {
            attachment.flight_secs = words.between(0.05, 10.0)?;
        } else if let Some(offset_m) = words.vector_after("at")? {
            attachment.offset_m = Some(offset_m);
        } else if let Some(turn_deg) = words.vector_after("turn")? {
            attachment.turn_deg = Some(turn_deg);
        } else {
            break;
        }
    }
    Ok(PoseAction::Attach(attachment))
}

fn ground(words: &mut Words<'_>) -> Result<PoseAction, String> {
    if words.keyword("lock") {
        return words.switch().map(PoseAction::FootLock);
    }
    if words.keyword("in_place") {
        return words.switch().map(PoseAction::InPlace);
    }
    let ground = match words.name("a ground")?.as_str() {
        "flat" => GroundKind::Flat,
        "slope" => GroundKind::Slope {
            degrees: words.between(-45.0, 45.0)?,
        },
        "stairs" => GroundKind::Stairs {
            rise_m: words.between(-0.5, 0.5)?,
            tread_m: words.between_or(0.1, 3.0, TREAD_M)?,
            steps: words.between_or(1.0, 100.0, STEPS as f32)? as u32,
        },
        path => GroundKind::File {
            path: path.to_owned(),
            width_m: words.between_or(0.5, 1000.0, FIELD_M[0])?,
            height_m: words.between_or(-100.0, 100.0, FIELD_M[1])?,
        },
    };
    Ok(PoseAction::Ground(ground))
}

fn morph(words: &mut Words<'_>) -> Result<PoseAction, String> {
    if words.keyword("off") {
        return Ok(PoseAction::Morph {
            target: None,
            weight: None,
        });
    }
    let target = Some(words.name("a morph target")?);
    let weight = match words.keyword("off") {
        true => None,
        false => Some(words.between(-MORPH_MOST, MORPH_MOST)?),
    };
    Ok(PoseAction::Morph { target, weight })
}

fn push(words: &mut Words<'_>) -> Result<PoseAction, String> {
    Ok(PoseAction::Push {
        joint: words.name("a joint")?,
        impulse: words.vector()?,
    })
}

fn ragdoll(words: &mut Words<'_>) -> Result<PoseAction, String> {
    if !words.switch()? {
        return Ok(PoseAction::Ragdoll(None));
    }
    let mut limpness = Limpness {
        strength: 0.0,
        below: None,
    };
    while !words.is_empty() {
        if words.keyword("strength") {
            limpness.strength = words.between(0.0, 1.0)?;
        } else if words.keyword("below") {
            limpness.below = Some(words.name("a joint")?);
        } else {
            break;
        }
    }
    Ok(PoseAction::Ragdoll(Some(limpness)))
}

fn drag(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let joint = words.name("a joint")?;
    if joint == "off" {
        return Ok(PoseAction::DragOff(None));
    }
    if words.keyword("off") {
        return Ok(PoseAction::DragOff(Some(joint)));
    }
    let mut drag = JointDrag {
        joint,
        way: words.vector()?,
        from_secs: None,
        to_secs: None,
        ease_secs: EASE_SECS,
    };
    const DAY_SECS: f32 = 86_400.0;
    while !words.is_empty() {
        if words.keyword("from") {
            drag.from_secs = Some(words.between(0.0, DAY_SECS)?.into());
        } else if words.keyword("to") {
            drag.to_secs = Some(words.between(0.0, DAY_SECS)?.into());
        } else if words.keyword("ease") {
            drag.ease_secs = words.between(0.0, 60.0)?.into();
        } else {
            break;
        }
    }
    match (drag.from_secs, drag.to_secs) {
        (Some(from), Some(to)) if to <= from => {
            Err(format!("it ends at {to} and begins at {from}"))
        }
        _ => Ok(PoseAction::Drag(drag)),
    }
}

fn pin(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let joint = words.name("a joint")?;
    let on = !words.keyword("off");
    Ok(PoseAction::Pin { joint, on })
}

fn solver(words: &mut Words<'_>) -> Result<PoseAction, String> {
    let word = words.name("a solver")?;
    let solver = DragSolver::of_word(&word);
    let solver = solver.ok_or_else(|| format!("{word:?} is no solver"))?;
    Ok(PoseAction::Solver(solver))
}

fn switch(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// A vector as three words.
pub(super) struct Spaced(pub Vec3);

impl fmt::Display for Spaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.0.x, self.0.y, self.0.z)
    }
}

/// The words of a script.
impl fmt::Display for PoseAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Look(at) => write!(f, "look {at}"),
            Self::Reach { joint, goal: None } => write!(f, "reach {joint} off"),
            Self::Reach {
                joint,
                goal: Some(goal),
            } => {
                write!(f, "reach {joint} {}", Spaced(goal.point))?;
                goal.turn_deg
                    .map_or(Ok(()), |turn| write!(f, " turn {}", Spaced(turn)))
            }
            Self::Locator(locator) => write!(f, "locator {locator}"),
            Self::Meet(meet) => write!(f, "meet {meet}"),
            Self::Stand(stand) => write!(f, "stand {stand}"),
            Self::Attach(attachment) => write!(f, "attach {attachment}"),
            Self::Detach(None) => write!(f, "detach"),
            Self::Detach(Some(prop)) => write!(f, "detach {}", prop.word()),
            Self::Ground(ground) => write!(f, "ground {ground}"),
            Self::FootLock(on) => write!(f, "ground lock {}", switch(*on)),
            Self::InPlace(on) => write!(f, "ground in_place {}", switch(*on)),
            Self::Push { joint, impulse } => write!(f, "push {joint} {}", Spaced(*impulse)),
            Self::Ragdoll(None) => write!(f, "ragdoll off"),
            Self::Ragdoll(Some(Limpness { strength, below })) => {
                write!(f, "ragdoll on strength {strength}")?;
                { below.as_ref() }.map_or(Ok(()), |joint| write!(f, " below {joint}"))
            }
            Self::Drag(drag) => write!(f, "drag {drag}"),
            Self::DragOff(None) => write!(f, "drag off"),
            Self::DragOff(Some(joint)) => write!(f, "drag {joint} off"),
            Self::Pin { joint, on: true } => write!(f, "pin {joint}"),
            Self::Pin { joint, on: false } => write!(f, "pin {joint} off"),
            Self::Rest(on) => write!(f, "rest {}", switch(*on)),
            Self::Morph { target, weight } => {
                write!(f, "morph")?;
                { target.as_ref() }.map_or(Ok(()), |name| write!(f, " {name}"))?;
                match weight {
                    None => write!(f, " off"),
                    Some(weight) => write!(f, " {weight}"),
                }
            }
            Self::Solver(solver) => write!(f, "solver {}", solver.word()),
        }
    }
}

impl fmt::Display for LookAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => write!(f, "off"),
            Self::Point(point) => write!(f, "{}", Spaced(*point)),
            Self::Pointer => write!(f, "pointer"),
            Self::Joint(joint) => write!(f, "joint {joint}"),
            Self::Character(name) => write!(f, "character {name}"),
        }
    }
}

impl fmt::Display for JointDrag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.joint, Spaced(self.way))?;
        if let Some(from) = self.from_secs {
            write!(f, " from {}", from as f32)?;
        }
        if let Some(to) = self.to_secs {
            write!(f, " to {}", to as f32)?;
        }
        write!(f, " ease {}", self.ease_secs as f32)
    }
}

impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.prop.word(), self.joint)?;
        if let Some(offset_m) = self.offset_m {
            write!(f, " at {}", Spaced(offset_m))?;
        }
        if let Some(turn_deg) = self.turn_deg {
            write!(f, " turn {}", Spaced(turn_deg))?;
        }
        if let Some(second) = &self.second {
            write!(f, " with {second}")?;
        }
        match self.flight_secs > 0.0 {
            true => write!(f, " throw {}", self.flight_secs),
            false => Ok(()),
        }
    }
}

impl fmt::Display for GroundKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat => write!(f, "flat"),
            Self::Slope { degrees } => write!(f, "slope {degrees}"),
            Self::Stairs {
                rise_m,
                tread_m,
                steps,
            } => write!(f, "stairs {rise_m} {tread_m} {steps}"),
            Self::File {
                path,
                width_m,
                height_m,
            } => write!(f, "{path} {width_m} {height_m}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Result<PoseAction, String>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        PoseAction::parse(&words)
    }

    #[test]
    fn every_verb_is_read_and_written_in_the_same_words() {
        for line in [
            "look 1 1.6 -3",
            "look joint rwrist",
            "look character Anna",
            "look pointer",
            "look off",
            "reach rwrist 0.3 1.2 0.4",
            "reach rwrist 0.3 1.2 0.4 turn 0 90 0",
            "reach rwrist off",
            "locator clasp world at 0 1.1 0.5 turn 0 180 0",
            "locator clasp body",
            "locator palm rwrist at 0.08 0 0",
            "locator clasp off",
            "meet rwrist clasp",
            "meet palm clasp of Anna turned",
            "meet palm off",
            "stand mine clasp of Anna",
            "attach stick rwrist",
            "attach ball lwrist at 0 0.1 0 turn 0 0 90 with rwrist throw 0.6",
            "attach cup.glb head",
            "detach",
            "detach ball",
            "ground flat",
            "ground slope 15",
            "ground stairs 0.18 0.3 8",
            "ground hills.png 40 2",
            "ground lock on",
            "ground in_place off",
            "push thorax 0 0 40",
            "ragdoll on strength 0.3 below lhumerus",
            "ragdoll off",
            "drag lwrist 0 0.1 -0.05 ease 0.25",
            "drag lwrist 0 0.1 0 from 1 to 2.5 ease 0.3",
            "drag lwrist off",
            "drag off",
            "pin lwrist",
            "pin lfoot off",
            "solver two_bones",
            "solver body",
            "rest on",
        ] {
            let action = read(line).unwrap().unwrap();
            assert_eq!(action.to_string(), line);
        }
        let short = read("ground stairs 0.18").unwrap().unwrap();
        assert_eq!(short.to_string(), "ground stairs 0.18 0.3 8");
        assert_eq!(
            read("ragdoll on").unwrap().unwrap().to_string(),
            "ragdoll on strength 0"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_what_was_expected() {
        for line in [
            "look",
            "drag",
            "drag lwrist 1 2",
            "drag lwrist 0 0 1 from 2 to 1",
            "drag lwrist 0 0 1 ease -1",
            "pin",
            "pin lfoot on off",
            "solver quick",
            "rest",
            "look 1 2",
            "look 1 2 nan",
            "look 1 2 3 4",
            "reach 1 2 3",
            "reach rwrist",
            "locator",
            "locator clasp",
            "locator clasp body at 1 2",
            "locator clasp body beside",
            "meet rwrist",
            "meet rwrist clasp of",
            "meet rwrist clasp upside",
            "stand mine",
            "stand mine clasp turned",
            "attach ball",
            "attach ball rwrist upside down",
            "attach ball rwrist throw -1",
            "detach ball rwrist",
            "ground",
            "ground slope steep",
            "ground slope 80",
            "ground stairs 9",
            "ground stairs 0.18 0",
            "ground lock",
            "ground in_place maybe",
            "push thorax hard",
            "ragdoll",
            "ragdoll maybe",
            "ragdoll on strength 2",
        ] {
            let wrong = read(line).unwrap().unwrap_err();
            assert!(wrong.contains("expects"), "{line}: {wrong}");
        }
        assert_eq!(read("press W"), None);
        assert_eq!(read(""), None);
    }
}
