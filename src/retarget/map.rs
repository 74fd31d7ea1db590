//! Which joints of one skeleton move which joints of another: found, saved as
//! text, edited, read back.

use std::{collections::HashSet, fmt::Write};

use glam::Quat;
use serde::{Deserialize, Serialize};

use crate::{
    humanoid::{Human, Role},
    ron_text::{self, RonError},
    skeleton::{JointIndex, Skeleton},
};

/// A map between two skeletons, by joint names. A file may open with `Map(`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "Map", deny_unknown_fields)]
pub struct JointMap {
    /// What the source was called when the map was made; informs.
    #[serde(default)]
    pub source: String,
    /// Likewise the target.
    #[serde(default)]
    pub target: String,
    /// Left and right change places.
    #[serde(default)]
    pub mirror: bool,
    /// One for each part of the body.
    pub links: Vec<Link>,
    /// Joints beyond the human parts, such as those of a prop.
    #[serde(default)]
    pub others: Vec<Other>,
    /// What a user turned in the retarget pose beyond what was found.
    #[serde(default)]
    pub pose: Vec<PoseTurn>,
}

/// A joint of the target, turned in the retarget pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoseTurn {
    /// Its name; what hangs on it goes along.
    pub joint: String,
    /// Degrees about the body's left, up and forward, in this order.
    pub turn_deg: [f32; 3],
}

/// A part of the body in both skeletons. A part that one of them lacks has an
/// empty list there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Which part.
    pub role: Role,
    /// Joints of the source, trunk side first.
    #[serde(default)]
    pub from: Vec<String>,
    /// Joints of the target, trunk side first. Where their number differs, the
    /// turn is spread over them.
    #[serde(default)]
    pub to: Vec<String>,
}

/// A joint outside the human parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// Of the source.
    pub from: String,
    /// Of the target.
    pub to: String,
}

/// Where a part is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// The target's part stays as the rest of its body carries it.
    Source,
    /// The source's motion of it is lost.
    Target,
    /// Neither has it.
    Both,
}

/// A part that cannot be carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Which part.
    pub role: Role,
    /// Where it is missing.
    pub lacking: Lacking,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let who = match self.lacking {
            Lacking::Source => "the source has none",
            Lacking::Target => "the target has none",
            Lacking::Both => "neither has one",
        };
        write!(f, "{}: {who}", self.role)
    }
}

/// A link with names resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    pub role: Option<Role>,
    pub from: Vec<JointIndex>,
    pub to: Vec<JointIndex>,
}

impl JointMap {
    /// Finds the parts of both skeletons. Joints that are left over and go by
    /// the same name in both are taken along.
    #[must_use]
    pub fn between(source: &Skeleton, target: &Skeleton) -> Self {
        let humans = [source, target].map(Human::find);
        let names = |index: usize, role: Role| {
            let skeleton = [source, target][index];
            let name = |&joint: &JointIndex| skeleton.joints()[usize::from(joint)].name.clone();
            let joints = humans[index].part(role).iter();
            joints.map(name).collect::<Vec<String>>()
        };
        let links = Role::all().map(|role| Link {
            role,
            from: names(0, role),
            to: names(1, role),
        });
        let links: Vec<Link> = links
            .filter(|link| !(link.from.is_empty() && link.to.is_empty()))
            .collect();
        let others = same_names(source, target, &links);
        Self {
            source: source.name().to_owned(),
            target: target.name().to_owned(),
            mirror: false,
            links,
            others,
            pose: Vec::new(),
        }
    }

    /// How a joint of the target is turned in the retarget pose by hand, degrees
    /// about the body's left, up and forward.
    #[must_use]
    pub fn pose_turn_deg(&self, joint: &str) -> [f32; 3] {
        let turn = { self.pose.iter() }.find(|it| it.joint.eq_ignore_ascii_case(joint));
        turn.map_or([0.0; 3], |it| it.turn_deg)
    }

    /// Turns a joint of the target in the retarget pose; no turn forgets it.
    pub fn turn_pose(&mut self, joint: &str, turn_deg: [f32; 3]) {
        self.pose.retain(|it| !it.joint.eq_ignore_ascii_case(joint));
        if turn_deg != [0.0; 3] && turn_deg.iter().all(|it| it.is_finite()) {
            let joint = joint.to_owned();
            self.pose.push(PoseTurn { joint, turn_deg });
        }
    }

    /// The link of a part.
    #[must_use]
    pub fn link(&self, role: Role) -> Option<&Link> {
        self.links.iter().find(|link| link.role == role)
    }

    /// Sets one side of a part's link, making or dropping the link as needed.
    pub fn set(&mut self, role: Role, from: Option<Vec<String>>, to: Option<Vec<String>>) {
        let at = self.links.iter().position(|link| link.role == role);
        let at = at.unwrap_or_else(|| {
            let position = self.links.partition_point(|link| link.role < role);
            let (from, to) = (Vec::new(), Vec::new());
            self.links.insert(position, Link { role, from, to });
            position
        });
        let link = &mut self.links[at];
        link.from = from.unwrap_or_else(|| link.from.clone());
        link.to = to.unwrap_or_else(|| link.to.clone());
        if link.from.is_empty() && link.to.is_empty() {
            self.links.remove(at);
        }
        // A joint has one part.
        let taken = self.links.get(at).filter(|link| link.role == role).cloned();
        for link in self.links.iter_mut().filter(|link| link.role != role) {
            let of = |names: &[String], name: &String| names.contains(name);
            if let Some(taken) = &taken {
                link.from.retain(|name| !of(&taken.from, name));
                link.to.retain(|name| !of(&taken.to, name));
            }
        }
        self.links
            .retain(|link| !(link.from.is_empty() && link.to.is_empty()));
        if let Some(taken) = taken {
            self.others
                .retain(|it| !taken.from.contains(&it.from) && !taken.to.contains(&it.to));
        }
    }

    /// Parts that only one of the two has, and the main ones that neither has.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        let gap = |role: Role| {
            let link = self.link(role);
            let has = |side: fn(&Link) -> &[String]| link.is_some_and(|it| !side(it).is_empty());
            let lacking = match (has(|it| &it.from), has(|it| &it.to)) {
                (true, true) => return None,
                (true, false) => Lacking::Target,
                (false, true) => Lacking::Source,
                (false, false) if role.is_minor() => return None,
                (false, false) => Lacking::Both,
            };
            Some(Gap { role, lacking })
        };
        Role::all().filter_map(gap).collect()
    }

    /// The text of a map file.
    #[must_use]
    pub fn to_ron(&self) -> String {
        let list = |names: &[String]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            format!("[{}]", quoted.join(", "))
        };
        let mut text = String::from(
            "// Joints of a source and of a target, part by part, trunk side first.\n\
             // Where the numbers differ the turn is spread; an empty list leaves a part out.\n(\n",
        );
        let mut line = |depth: usize, content: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}{content}", "    ".repeat(depth));
        };
        line(1, format!("source: {:?},", self.source));
        line(1, format!("target: {:?},", self.target));
        line(1, format!("mirror: {},", self.mirror));
        line(1, "links: [".into());
        for link in &self.links {
            let role = role_text(link.role);
            let (from, to) = (list(&link.from), list(&link.to));
            line(2, format!("(role: {role}, from: {from}, to: {to}),"));
        }
        line(1, "],".into());
        line(1, "others: [".into());
        for other in &self.others {
            line(2, format!("(from: {:?}, to: {:?}),", other.from, other.to));
        }
        line(1, "],".into());
        if !self.pose.is_empty() {
            line(
                1,
                "// Degrees about the target's left, up and forward, in the retarget pose.".into(),
            );
            line(1, "pose: [".into());
            for it in &self.pose {
                let [x, y, z] = it.turn_deg;
                line(
                    2,
                    format!("(joint: {:?}, turn_deg: ({x:?}, {y:?}, {z:?})),", it.joint),
                );
            }
            line(1, "],".into());
        }
        line(0, ")".into());
        text
    }

    /// Reads a map file. Names are looked for when two skeletons are at hand:
    /// [`Self::check`].
    pub fn parse(text: &str) -> Result<Self, RonError> {
        let map: Self = ron_text::read(text)?;
        let mut roles = HashSet::new();
        for (index, link) in map.links.iter().enumerate() {
            if !roles.insert(link.role) {
                let role = role_text(link.role);
                let message = format!("{} stands here twice", link.role);
                let field = format!("links[{index}].role");
                return Err(at_nth(text, &format!("role: {role}"), 1, field, message));
            }
        }
        let wild = |it: &PoseTurn| {
            it.turn_deg
                .iter()
                .any(|deg| !(-360.0..=360.0).contains(deg))
        };
        if let Some(index) = map.pose.iter().position(wild) {
            let (field, name) = (format!("pose[{index}].turn_deg"), &map.pose[index].joint);
            let message = "a turn lies between -360 and 360 degrees".to_owned();
            return Err(ron_text::locate(text, field, name, message));
        }
        Ok(map)
    }

    /// Checks every name against the two skeletons; `text` is what the map was
    /// read from, for the place of the error.
    pub fn check(&self, text: &str, source: &Skeleton, target: &Skeleton) -> Result<(), RonError> {
        let mut fault = None;
        self.each_name(|field, name, is_target| {
            let skeleton = if is_target { target } else { source };
            if fault.is_none() && skeleton.find(name).is_none() {
                let which = if is_target { "target" } else { "source" };
                let message = format!("the {which} {:?} has no joint {name:?}", skeleton.name());
                fault = Some(ron_text::locate(text, field, name, message));
            }
        });
        for (index, it) in self.pose.iter().enumerate() {
            if fault.is_none() && target.find(&it.joint).is_none() {
                let message = format!("the target {:?} has no joint {:?}", target.name(), it.joint);
                let field = format!("pose[{index}].joint");
                fault = Some(ron_text::locate(text, field, &it.joint, message));
            }
        }
        fault.or_else(|| self.twice(text)).map_or(Ok(()), Err)
    }

    fn twice(&self, text: &str) -> Option<RonError> {
        let mut seen = HashSet::new();
        let mut fault = None;
        self.each_name(|field, name, is_target| {
            if is_target && !seen.insert(name.to_ascii_lowercase()) && fault.is_none() {
                let message = format!("joint {name:?} is moved twice");
                fault = Some(at_nth(text, &format!("{name:?}"), 1, field, message));
            }
        });
        fault
    }

    /// Every name with its field and whether it is the target's.
    fn each_name(&self, mut see: impl FnMut(String, &str, bool)) {
        for (index, link) in self.links.iter().enumerate() {
            for (at, name) in link.from.iter().enumerate() {
                see(format!("links[{index}].from[{at}]"), name, false);
            }
            for (at, name) in link.to.iter().enumerate() {
                see(format!("links[{index}].to[{at}]"), name, true);
            }
        }
        for (index, other) in self.others.iter().enumerate() {
            see(format!("others[{index}].from"), &other.from, false);
            see(format!("others[{index}].to"), &other.to, true);
        }
    }

    /// Links by index; names that a skeleton lacks fall out.
    pub(super) fn resolve(&self, source: &Skeleton, target: &Skeleton) -> Vec<Resolved> {
        let find = |skeleton: &Skeleton, names: &[String]| {
            let found = names.iter().filter_map(|name| skeleton.find(name));
            found.collect::<Vec<JointIndex>>()
        };
        let links = self.links.iter().map(|link| Resolved {
            role: Some(link.role),
            from: find(source, &link.from),
            to: find(target, &link.to),
        });
        let others = self.others.iter().map(|other| Resolved {
            role: None,
            from: find(source, std::slice::from_ref(&other.from)),
            to: find(target, std::slice::from_ref(&other.to)),
        });
        links.chain(others).collect()
    }

    /// Turns of the target's joints in the retarget pose, in the body's own axes;
    /// none where nobody turned anything.
    pub(super) fn pose_turns(&self, target: &Skeleton) -> Vec<(JointIndex, Quat)> {
        let turn = |it: &PoseTurn| {
            let [x, y, z] = it.turn_deg.map(f32::to_radians);
            let turn = Quat::from_euler(glam::EulerRot::ZYX, z, y, x);
            Some((target.find(&it.joint)?, turn))
        };
        self.pose.iter().filter_map(turn).collect()
    }
}

/// A role as RON spells it.
fn role_text(role: Role) -> String {
    format!("{role:?}")
}

/// The place of the n-th occurrence, counted from 0, of a text.
fn at_nth(text: &str, needle: &str, nth: usize, field: String, message: String) -> RonError {
    let at = text.match_indices(needle).nth(nth).map_or(0, |(at, _)| at);
    let before = &text[..at];
    RonError {
        line: before.matches('\n').count() + 1,
        column: before.chars().rev().take_while(|&c| c != '\n').count() + 1,
        field,
        message,
    }
}

/// Joints that no part has and that both skeletons call the same.
fn same_names(source: &Skeleton, target: &Skeleton, links: &[Link]) -> Vec<Other> {
    let taken = |name: &str| {
        links.iter().any(|link| {
            let mut names = link.from.iter().chain(&link.to);
            names.any(|own| own.eq_ignore_ascii_case(name))
        })
    };
    let left = source.joints().iter().filter(|joint| !taken(&joint.name));
    let others = left.filter_map(|joint| {
        let to = target.find(&joint.name)?;
        Some(Other {
            from: joint.name.clone(),
            to: target.joints()[usize::from(to)].name.clone(),
        })
    });
    others.collect()
}
