//! Characters that were added beside the one that is driven: on the same clock,
//! each moved by keys of its own, by a gamepad, by a clip, or by the lead's blow.

use std::sync::Arc;

use super::Session;
use crate::{
    animator::{
        Input, TraceCharacter,
        cast::{STRIKE, STRUCK},
    },
    body::BodyCache,
    load::{self, LoadOptions},
    scene::Character,
    ui::{CastView, Casting, Mode, Mover, Severity},
};

/// What the arrow keys are to the second character, in the words of the lead's.
const SECOND_KEYS: [(&str, &str); 7] = [
    ("Up", "W"),
    ("Down", "S"),
    ("Left", "A"),
    ("Right", "D"),
    ("Home", "Shift"),
    ("End", "Space"),
    ("Enter", "Click"),
];
/// Names in the order they are given.
const NAMES: [&str; 6] = ["Bea", "Cal", "Dee", "Eli", "Fay", "Gus"];

/// Who was added.
#[derive(Default)]
pub(super) struct CompanyState {
    members: Vec<(String, Mover)>,
    /// Keys of the second character that are down.
    held: Vec<String>,
    /// What they did in the last step.
    traced: Vec<TraceCharacter>,
}

impl Session {
    pub(super) fn cast_view(&self) -> CastView<'_> {
        CastView {
            members: &self.company.members,
            clips: &self.driving.clips,
        }
    }

    /// For the trace.
    #[must_use]
    pub fn traced_others(&self) -> Vec<TraceCharacter> {
        match self.mode {
            Mode::Drive => self.company.traced.clone(),
            Mode::View | Mode::Blend => Vec::new(),
        }
    }

    /// Takes down what the others did.
    pub(super) fn note_cast(&mut self) {
        self.company.traced = self.drive_scene.trace_others();
    }

    pub(super) fn bring(&mut self, asked: Casting) {
        match asked {
            Casting::Add(mover) => {
                let taken = |name: &&&str| self.company.members.iter().any(|it| it.0 == **name);
                let name = NAMES.iter().find(|name| !taken(name));
                let number = self.company.members.len() + 2;
                let name = name.map_or_else(|| format!("No. {number}"), |it| (*it).to_owned());
                self.company.members.push((name, mover));
            }
            Casting::Set(index, mover) => {
                if let Some(member) = self.company.members.get_mut(index) {
                    member.1 = mover;
                }
            }
            Casting::Remove(index) if index < self.company.members.len() => {
                self.company.members.remove(index);
            }
            Casting::Remove(_) => {}
        }
        self.recast();
    }

    /// Everybody anew beside the lead, who stays where it is.
    pub(super) fn recast(&mut self) {
        self.drive_scene.dismiss_others();
        self.company.held.clear();
        let Some(lead) = self.drive_scene.lead() else {
            return;
        };
        let Some(root) = lead.animator().map(|animator| animator.root_at_tick()) else {
            return;
        };
        for (index, (name, mover)) in self.company.members.clone().into_iter().enumerate() {
            match self.member(&name, &mover) {
                Ok(mut character) => {
                    if mover != Mover::Struck {
                        character.stand_at(root.then(load::beside(index)));
                    }
                    self.drive_scene.characters.push(character);
                    if mover == Mover::Struck {
                        load::bind_last(&mut self.drive_scene, (0, STRIKE), 1.0, None);
                    }
                }
                Err(reason) => {
                    self.company.members.retain(|it| it.0 != name);
                    self.tell(Severity::Error, format!("{name}: {reason}"));
                    return self.recast();
                }
            }
        }
    }

    fn member(&self, name: &str, mover: &Mover) -> Result<Character, String> {
        let lead = self.drive_scene.lead().ok_or("nobody is driven")?;
        let graph = lead.animator().map(|animator| Arc::clone(animator.graph()));
        let graph = graph.ok_or("nobody is driven")?;
        let (skeleton, body) = (Arc::clone(&lead.skeleton), Arc::clone(&lead.body));
        let mut character = match mover {
            Mover::Arrows | Mover::Gamepad => {
                // In the time of the scene: it was here all along, and stood.
                let character = Character::driven(name, graph, body);
                let mut character = character.with_ways_up(load::ways_up);
                character.advance_to(self.drive_scene.clock.time_secs());
                character
            }
            Mover::Clip(clip) => {
                let known = graph.clips.iter().find(|it| it.name == *clip);
                match known {
                    Some(known) => {
                        let source = Arc::clone(&known.source);
                        let playing = Character::playing(name, skeleton, body, source);
                        let mut playing = playing.with_ways_up(load::ways_up);
                        playing.staging.events = known.events.clone();
                        playing
                    }
                    None => self.built_in_clip(clip, name)?,
                }
            }
            Mover::Struck => self.built_in_clip(STRUCK, name)?,
        };
        character.outline = Arc::clone(&lead.outline);
        Ok(character)
    }

    fn built_in_clip(&self, clip: &str, name: &str) -> Result<Character, String> {
        let bodies = &mut BodyCache::default();
        let loaded = load::playing(clip, name, LoadOptions::default(), bodies);
        loaded.map_err(|error| error.to_string())
    }

    /// The place in the scene of whoever a control moves instead of the lead.
    fn moved_by(&self, mover: &Mover) -> Option<usize> {
        let members = self.company.members.iter();
        let found = { members }.position(|it| it.1 == *mover)?;
        Some(found + 1).filter(|_| self.mode == Mode::Drive)
    }

    /// Whether a key belongs to the second character.
    pub(super) fn second_drives(&self, key: &str, down: bool) -> bool {
        let known = SECOND_KEYS.iter().any(|(name, _)| *name == key);
        match down {
            true => known && self.moved_by(&Mover::Arrows).is_some(),
            false => self.company.held.iter().any(|held| held == key),
        }
    }

    /// A key of the second character goes down or up.
    pub(super) fn drive_second(&mut self, key: &str, down: bool) {
        let means = SECOND_KEYS.iter().find(|(name, _)| *name == key);
        let (Some(&(_, means)), Some(index)) = (means, self.moved_by(&Mover::Arrows)) else {
            return;
        };
        self.company.held.retain(|held| held != key);
        if down {
            self.company.held.push(key.to_owned());
        }
        self.tell_member(index, means, f64::from(u8::from(down)));
    }

    /// A control of the gamepad, where it moves somebody else than the lead;
    /// whether it does.
    pub(super) fn pad_drives_other(&mut self, control: &str, share: f64) -> bool {
        let Some(index) = self.moved_by(&Mover::Gamepad) else {
            return false;
        };
        let bound = self.driven().is_some_and(|drive| drive.binds(control));
        if bound {
            self.tell_member(index, control, share);
        }
        bound
    }

    fn tell_member(&mut self, index: usize, control: &str, share: f64) {
        self.touched();
        let member = self.drive_scene.characters.get_mut(index);
        if let Some(animator) = member.and_then(Character::animator_mut) {
            let control = control.to_owned();
            let input = match share {
                share if share >= 1.0 => Input::Press(control),
                share if share <= 0.0 => Input::Release(control),
                share => Input::Axis(control, share),
            };
            animator.input(animator.time_secs(), input);
        }
    }
}
