//! Scripts for several characters: who is there, what moves each, and whose
//! inputs a line means.
//!
//! ```text
//! 0 character Bea drive at 1.2 0 facing 180   # under the same animator
//! @Bea 0.5 press W                            # her inputs
//! 1 character Cal play wave at -1.2 0 rate 0.8   # a clip, from 1 s on
//! 0 character Dee struck rate 0.7             # reels when the lead strikes
//! ```
//!
//! All of them live on one clock. Lines without an `@` are the lead's.

use super::script::{Script, ScriptError};
use crate::clip::Planar;
use glam::DVec2;

/// What the lead is called where somebody is bound to it.
pub const LEAD: &str = "lead";
/// The event at which a blow lands.
pub const STRIKE: &str = "strike";
/// The event at which a blow is felt, and the clip it is in.
pub const STRUCK: &str = "struck";

/// What moves a member of the cast.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// The animator, by inputs of its own.
    Drive,
    /// A clip, from a moment of the clock on, over and over.
    Play {
        /// Its name, or a file.
        clip: String,
        /// When it starts.
        start_secs: f64,
    },
    /// A clip that is bound to somebody's blow.
    Struck {
        /// Its name, or a file.
        clip: String,
        /// Who strikes.
        by: String,
        /// The striker's event.
        event: String,
    },
}

/// One more character.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// How the script calls it.
    pub name: String,
    /// What moves it.
    pub role: Role,
    /// Where it starts and where it looks; beside the lead, or before whoever
    /// strikes it, when left out.
    pub at: Option<Planar>,
    /// Clip seconds a second.
    pub rate: f64,
    /// What it is told.
    pub script: Script,
    /// The line that brings it, counted from 1.
    pub line: usize,
}

/// A script of several characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cast {
    /// What the lead is told.
    pub lead: Script,
    /// Everybody else, in the order of the text.
    pub members: Vec<Member>,
}

impl Cast {
    /// Reads a script: lines of others are taken out, and what is left is the
    /// lead's. Line numbers stay.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut lines = Lines::default();
        for (index, line) in text.lines().enumerate() {
            let told = |message| ScriptError {
                line: index + 1,
                message,
            };
            lines.take(index, line).map_err(told)?;
        }
        let mut cast = Self {
            lead: Script::parse(&lines.text_of(None))?,
            members: lines.members.clone(),
        };
        for member in &mut cast.members {
            member.script = Script::parse(&lines.text_of(Some(&member.name)))?;
            if member.role != Role::Drive && !member.script.inputs().is_empty() {
                let message = format!("{} plays a clip and hears no input", member.name);
                let line = member.line;
                return Err(ScriptError { line, message });
            }
        }
        Ok(cast)
    }

    /// The moment of the last input of anybody.
    #[must_use]
    pub fn end_secs(&self) -> f64 {
        let others = self.members.iter().map(|it| it.script.end_secs());
        others.fold(self.lead.end_secs(), f64::max)
    }

    /// The members whom somebody may strike: those named before, and the lead.
    #[must_use]
    pub fn place_of(&self, name: &str) -> Option<usize> {
        let named = self.members.iter().position(|it| it.name == name);
        match name {
            LEAD => Some(0),
            _ => named.map(|index| index + 1),
        }
    }
}

/// Whose line is which.
#[derive(Default)]
struct Lines<'t> {
    /// The name it begins with, and the rest; `None` for who is brought.
    inputs: Vec<(Option<&'t str>, &'t str)>,
    members: Vec<Member>,
}

impl<'t> Lines<'t> {
    fn take(&mut self, index: usize, line: &'t str) -> Result<(), String> {
        let bare = line.split('#').next().unwrap_or_default().trim();
        let words: Vec<&str> = bare.split_whitespace().collect();
        if let [time, "character", rest @ ..] = words.as_slice() {
            let member = member(time, rest, index + 1)?;
            if member.name == LEAD || self.members.iter().any(|it| it.name == member.name) {
                return Err(format!("there is a character {:?} already", member.name));
            }
            if let Role::Struck { by, .. } = &member.role
                && by != LEAD
                && !self.members.iter().any(|it| it.name == *by)
            {
                return Err(format!("there is no character {by:?} before this line"));
            }
            self.members.push(member);
            self.inputs.push((None, ""));
            return Ok(());
        }
        let Some(named) = bare.strip_prefix('@') else {
            self.inputs.push((None, line));
            return Ok(());
        };
        let (name, rest) = named.split_once(char::is_whitespace).unwrap_or((named, ""));
        if name != LEAD && !self.members.iter().any(|it| it.name == name) {
            return Err(format!("there is no character {name:?} before this line"));
        }
        self.inputs
            .push((Some(name).filter(|it| *it != LEAD), rest));
        Ok(())
    }

    /// The lines of one character, those of others empty.
    fn text_of(&self, name: Option<&str>) -> String {
        let line = |(of, text): &(Option<&str>, &str)| match *of == name {
            true => format!("{text}\n"),
            false => "\n".to_owned(),
        };
        self.inputs.iter().map(line).collect()
    }
}

fn member(time: &str, words: &[&str], line: usize) -> Result<Member, String> {
    let start_secs = number(time).filter(|secs| *secs >= 0.0);
    let start_secs = start_secs.ok_or_else(|| format!("{time:?} is not a time"))?;
    let [name, role, rest @ ..] = words else {
        return Err("expected: SECONDS character NAME drive|play CLIP|struck".to_owned());
    };
    let (role, options) = match (*role, rest) {
        ("drive", rest) => (Role::Drive, rest),
        ("play", [clip, rest @ ..]) => {
            let clip = (*clip).to_owned();
            (Role::Play { clip, start_secs }, rest)
        }
        ("struck", rest) => {
            let struck = Role::Struck {
                clip: STRUCK.to_owned(),
                by: LEAD.to_owned(),
                event: STRIKE.to_owned(),
            };
            (struck, rest)
        }
        (other, _) => {
            return Err(format!(
                "{other:?} moves nobody: drive, play CLIP or struck do"
            ));
        }
    };
    if start_secs > 0.0 && !matches!(role, Role::Play { .. }) {
        return Err("a character is there from 0 s on".to_owned());
    }
    let mut member = Member {
        name: (*name).to_owned(),
        role,
        at: None,
        rate: 1.0,
        script: Script::default(),
        line,
    };
    set_options(&mut member, options)?;
    Ok(member)
}

fn set_options(member: &mut Member, mut words: &[&str]) -> Result<(), String> {
    let finite = |word: &str| number(word).ok_or_else(|| format!("{word:?} is not a number"));
    while !words.is_empty() {
        words = match words {
            ["at", x, z, rest @ ..] => {
                let heading = member.at.map_or(0.0, |it| it.heading);
                let position = DVec2::new(finite(x)?, finite(z)?);
                member.at = Some(Planar { position, heading });
                rest
            }
            ["facing", degrees, rest @ ..] => {
                let at = member.at.get_or_insert(Planar::IDENTITY);
                at.heading = finite(degrees)?.to_radians();
                rest
            }
            ["rate", rate, rest @ ..] if member.role != Role::Drive => {
                member.rate = finite(rate)?;
                if !(0.05..=20.0).contains(&member.rate) {
                    return Err(format!("a rate lies between 0.05 and 20, not at {rate}"));
                }
                rest
            }
            [option @ ("by" | "on" | "clip"), value, rest @ ..] => {
                let Role::Struck { clip, by, event } = &mut member.role else {
                    return Err(format!("{option:?} is for who is struck"));
                };
                let of = match *option {
                    "by" => by,
                    "on" => event,
                    _ => clip,
                };
                (*value).clone_into(of);
                rest
            }
            [other, ..] => {
                return Err(format!(
                    "{other:?} is no option with what follows it (at X Z, facing DEGREES, \
                     rate R; of who is struck by NAME, on EVENT, clip CLIP)"
                ));
            }
            [] => break,
        };
    }
    Ok(())
}

fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animator::Input;

    #[test]
    fn every_line_goes_to_whom_it_names() {
        let text = "0.5 press W # the lead\n0 character Bea drive at 1.2 -3 facing 90\n\
                    @Bea 0.7 press S\n@lead 2 click\n1 character Cal play wave rate 0.8\n\
                    0 character Dee struck by Cal on hit clip reel.bvh rate 2";
        let cast = Cast::parse(text).unwrap();
        assert_eq!(cast.lead.inputs().len(), 2);
        let [bea, cal, dee] = cast.members.as_slice() else {
            panic!("{:?}", cast.members);
        };
        assert_eq!(bea.script.inputs()[0].input, Input::Press("S".into()));
        let at = bea.at.unwrap();
        assert_eq!(at.position, DVec2::new(1.2, -3.0));
        assert_close!(at.heading, 90f64.to_radians(), 1e-12);
        assert_eq!((cal.rate, dee.rate), (0.8, 2.0));
        let clip = "wave".to_owned();
        assert_eq!(
            cal.role,
            Role::Play {
                clip,
                start_secs: 1.0
            }
        );
        let [clip, by, event] = ["reel.bvh", "Cal", "hit"].map(str::to_owned);
        assert_eq!(dee.role, Role::Struck { clip, by, event });
        assert_eq!(cast.end_secs(), 2.0);
        assert_eq!(
            (cast.place_of("lead"), cast.place_of("Dee")),
            (Some(0), Some(3))
        );
    }

    #[test]
    fn a_script_of_one_is_as_it_was() {
        let text = "0.5 press W\n\n# nobody else\n2 set speed 2";
        let cast = Cast::parse(text).unwrap();
        assert_eq!(cast.lead, Script::parse(text).unwrap());
        assert!(cast.members.is_empty());
    }

    #[test]
    fn a_bad_line_is_told_by_number_whoever_it_is_for() {
        for (line, text) in [
            (2, "0 press W\n@Bea 1 press W"),
            (2, "0 character Bea drive\n@Bea 1 hit W"),
            (1, "0 character Bea"),
            (1, "0 character Bea swim"),
            (1, "0 character Bea play"),
            (1, "1 character Bea drive"),
            (1, "0 character Bea drive rate 2"),
            (1, "0 character Bea play wave rate 0"),
            (1, "0 character Bea play wave at 1"),
            (1, "0 character Bea play wave by Cal"),
            (1, "0 character Bea struck by Cal"),
            (1, "0 character lead drive"),
            (2, "0 character Bea drive\n0 character Bea drive"),
            (1, "0 character Bea play wave\n@Bea 1 press W"),
            (1, "soon character Bea drive"),
        ] {
            let error = Cast::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
        }
    }
}
