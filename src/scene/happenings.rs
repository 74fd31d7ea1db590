//! What happens while time passes: events that characters come by, each told at
//! the figure for a moment.

use glam::Vec3;

use super::{Character, Clock, Label, Scene};
use crate::{clip::FOOT_STRIKES, humanoid::Human, skeleton::JointIndex};

/// Seconds for which an event is told.
pub const TOLD_SECS: f64 = 0.5;
/// Metres above the highest joint, and from one line to the next.
const ABOVE_M: f32 = 0.16;
const LINE_M: f32 = 0.09;

/// An event that a character came by a moment ago.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// Which character.
    pub character: usize,
    /// What.
    pub name: String,
    /// Seconds since then; 0 in the step it came in.
    pub age_secs: f64,
    /// The foot that struck.
    foot: Option<JointIndex>,
}

impl Scene {
    /// What happened in the last moments, newest last.
    #[must_use]
    pub fn happenings(&self) -> &[Happening] {
        &self.happenings
    }

    /// Names of what the lead came by in the last step.
    pub fn lead_events(&self) -> impl Iterator<Item = &str> {
        self.events_of(0)
    }

    /// The same of any character.
    pub fn events_of(&self, character: usize) -> impl Iterator<Item = &str> {
        let fresh = self.happenings.iter();
        let fresh = fresh.filter(move |it| it.age_secs == 0.0 && it.character == character);
        fresh.map(|it| it.name.as_str())
    }

    /// Takes down what everybody came by since the clock stood at `before`.
    pub(super) fn note_events(&mut self, before: &Clock, dt_secs: f64) {
        for happening in &mut self.happenings {
            // A step of no time is none: what is new stays new.
            happening.age_secs += dt_secs.max(f64::MIN_POSITIVE);
        }
        self.happenings.retain(|it| it.age_secs < TOLD_SECS);
        let ways = self.clock.ways_since(before);
        for (index, character) in self.characters.iter_mut().enumerate() {
            let skeleton = std::sync::Arc::clone(&character.skeleton);
            let happenings = &mut self.happenings;
            character.come_by((&ways, index == 0), |name| {
                let side = FOOT_STRIKES.iter().position(|it| *it == name);
                let leg = |side: usize| Some(Human::find(&skeleton).legs().get(side)?.ankle);
                happenings.push(Happening {
                    character: index,
                    name: name.to_owned(),
                    age_secs: 0.0,
                    foot: side.and_then(leg),
                });
            });
        }
    }

    /// What is being told, at the figures.
    pub(super) fn event_labels(&self) -> Vec<Label> {
        let mut above = vec![0usize; self.characters.len()];
        let label = |it: &Happening| {
            let character = self.characters.get(it.character)?;
            let joints = character.world_pose().joints();
            let foot = it.foot.and_then(|joint| joints.get(usize::from(joint)));
            let at = foot.map_or_else(
                || {
                    let line = above[it.character] as f32;
                    above[it.character] += 1;
                    over_head(character) + Vec3::Y * (ABOVE_M + LINE_M * line)
                },
                |foot| foot.position(),
            );
            let text = it.name.clone();
            Some(Label { at, text })
        };
        // The newest lowest: it was there first when the next comes.
        self.happenings.iter().rev().filter_map(label).collect()
    }
}

/// The spot above the hips at the height of the highest joint.
fn over_head(character: &Character) -> Vec3 {
    let joints = character.world_pose().joints().iter();
    let highest = joints
        .map(|joint| joint.position().y)
        .fold(f32::MIN, f32::max);
    let footing = character.footing();
    Vec3::new(footing.x, highest.max(footing.y), footing.z)
}

impl Character {
    /// Calls `fire` for what it came by on the ways that the clock took.
    fn come_by(&mut self, (ways, is_lead): (&[(f64, f64)], bool), mut fire: impl FnMut(&str)) {
        if self.is_driven() {
            let passed = self.take_passed();
            return passed.iter().for_each(|(_, name)| fire(name));
        }
        let (duration, staging) = (self.duration_secs(), &self.staging);
        if self.see_through {
            return;
        }
        if let Some(now_secs) = staging.bound_secs {
            staging.passed_bound(duration, fire);
            self.staging.bound_before_secs = now_secs;
            return;
        }
        for way in ways {
            staging.passed(*way, (duration, is_lead), &mut fire);
        }
    }
}
