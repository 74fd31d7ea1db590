//! A clip made ready to be driven: cut to a loop where one is wanted, its path
//! over the ground taken out, contacts, phase and events found.

use std::{collections::BTreeMap, sync::Arc};

use glam::Quat;

use super::{
    description::{Description, MotionDescription},
    timeline::Timeline,
};
use crate::{
    clip::{Event, EventTrack, FootContacts, PathFilter, RawClip, RootMotion, SampleClip, looped},
    humanoid::LegJoints,
    skeleton::Skeleton,
};

/// A clip ready to be driven.
#[derive(Clone)]
pub struct PreparedClip {
    /// What states call it.
    pub name: String,
    /// The frames that are played.
    pub clip: Arc<RawClip>,
    /// Where poses come from: the frames, or a compressed form of them.
    pub source: Arc<dyn SampleClip>,
    /// The way over the ground.
    pub root: RootMotion,
    /// When each leg's foot stands.
    pub contacts: Vec<FootContacts>,
    /// Footsteps and what the file names.
    pub events: EventTrack,
    /// Phase.
    pub timeline: Timeline,
    /// For a gait, the share of a cycle that each foot stands, from its strike
    /// on.
    pub stances: Vec<f64>,
}

impl std::fmt::Debug for PreparedClip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "PreparedClip({}, {} frames)",
            self.name,
            self.clip.frames()
        )
    }
}

/// What preparation knows of the character.
pub struct LegSetup<'a> {
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// Left, then right.
    pub legs: &'a [LegJoints],
    /// A footstep event for each leg.
    pub steps: &'a [String],
}

/// Seconds over which a path without gait is averaged.
const PATH_SECS: f64 = 0.5;

impl PreparedClip {
    /// Prepares a clip; `as_loop` cuts it to one, and `marks` are added as
    /// (share of the clip, event).
    #[must_use]
    pub fn new(
        setup: &LegSetup<'_>,
        name: &str,
        clip: &RawClip,
        as_loop: bool,
        marks: &[(f64, String)],
    ) -> Self {
        let clip = match as_loop {
            true => looped(setup.skeleton, clip),
            false => clip.clone(),
        };
        let rest = setup.skeleton.root_rest();
        let duration = clip.duration_secs();
        let (contacts, ground_m) = FootContacts::find(setup.skeleton, &clip, setup.legs, as_loop);
        let strikes: Vec<Vec<f64>> = contacts.iter().map(|c| c.strikes(as_loop)).collect();
        let gait = match strikes.as_slice() {
            [left, right] if as_loop => Timeline::gait(duration, left, right),
            _ => None,
        };
        let filter = match (&gait, as_loop) {
            (Some(gait), _) => PathFilter::Loop(duration / gait.cycles()),
            (None, true) if stays(&clip, rest) => PathFilter::Loop(duration),
            (None, true) => PathFilter::Loop(PATH_SECS.min(duration)),
            (None, false) => PathFilter::Once(PATH_SECS),
        };
        let mut root = RootMotion::extract(&clip, rest, filter);
        root.ground_m = ground_m;
        let clip = Arc::new(clip);
        let timeline = gait.unwrap_or_else(|| Timeline::even(duration, 1));
        let stance = |contact: &FootContacts| stance_fraction(contact, &timeline);
        Self {
            stances: contacts.iter().map(stance).collect(),
            name: name.to_owned(),
            source: Arc::clone(&clip) as Arc<dyn SampleClip>,
            clip,
            root,
            contacts,
            events: events(setup.steps, &strikes, duration, marks),
            timeline,
        }
    }
}

/// The mean share of a cycle that a foot stands.
fn stance_fraction(contact: &FootContacts, timeline: &Timeline) -> f64 {
    const SAMPLES: usize = 1000;
    let secs = |i: usize| {
        let phase = timeline.cycles() * (i as f64 + 0.5) / SAMPLES as f64;
        timeline
            .secs(phase)
            .rem_euclid(timeline.duration_secs().max(f64::MIN_POSITIVE))
    };
    let standing = (0..SAMPLES).filter(|&i| contact.planted(secs(i))).count();
    standing as f64 / SAMPLES as f64
}

/// True for a clip that ends where it began: its sway is all in the pose.
fn stays(clip: &RawClip, rest: Quat) -> bool {
    let lap = RootMotion::extract(clip, rest, PathFilter::Once(0.0)).lap();
    lap.position.length() < 0.1 && lap.heading.abs() < 10f64.to_radians()
}

fn events(
    steps: &[String],
    strikes: &[Vec<f64>],
    duration_secs: f64,
    marks: &[(f64, String)],
) -> EventTrack {
    let steps = steps.iter().zip(strikes).flat_map(|(name, times)| {
        times.iter().map(|&time_secs| Event {
            time_secs,
            name: name.clone(),
        })
    });
    let marks = marks.iter().map(|(fraction, name)| Event {
        time_secs: fraction * duration_secs,
        name: name.clone(),
    });
    EventTrack::new(steps.chain(marks).collect())
}

/// Which clip plays where: by the names that states give their clips.
pub type ClipSet = BTreeMap<String, RawClip>;

/// Fills the clips that an animator names from a user's own. `assigned` are
/// (state, clip) pairs; the other clips go by their names, which may be those
/// of clips or states, letter case aside. When nothing matches at all, the
/// first clip fills the first state. Returns the clips that found no place.
pub fn fill_states(
    description: &Description,
    clips: Vec<RawClip>,
    assigned: Vec<(String, RawClip)>,
) -> Result<(ClipSet, Vec<RawClip>), NoSuchState> {
    let mut set = ClipSet::new();
    for (state, clip) in assigned {
        let slot = slot_of(description, &state).ok_or_else(|| NoSuchState {
            states: state_names(description),
            state,
        })?;
        set.insert(slot, clip);
    }
    let mut left = Vec::new();
    for clip in clips {
        match slot_of(description, &clip.name) {
            Some(slot) if !set.contains_key(&slot) => {
                set.insert(slot, clip);
            }
            _ => left.push(clip),
        }
    }
    if set.is_empty()
        && !left.is_empty()
        && let Some(first) = description.clip_names().first()
    {
        set.insert((*first).to_owned(), left.remove(0));
    }
    Ok((set, left))
}

/// A `STATE=FILE` that names no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no state {state:?}; states are {states}")]
pub struct NoSuchState {
    /// What was asked for.
    pub state: String,
    /// What there is.
    pub states: String,
}

/// The clip a name stands for: a clip's own name, or that of a state, whose
/// clip is the one named like it, else its first.
fn slot_of(description: &Description, name: &str) -> Option<String> {
    let is = |other: &str| other.eq_ignore_ascii_case(name);
    if let Some(clip) = description.clip_names().into_iter().find(|clip| is(clip)) {
        return Some(clip.to_owned());
    }
    let states = description.layers.iter().flat_map(|layer| &layer.states);
    let state = states.into_iter().find(|state| is(&state.name))?;
    MotionDescription::clips(&state.motion)
        .first()
        .map(|&clip| clip.to_owned())
}

fn state_names(description: &Description) -> String {
    let states = description.layers.iter().flat_map(|layer| &layer.states);
    let playing = states.filter(|state| state.motion != MotionDescription::Empty);
    let mut names: Vec<&str> = playing.map(|state| state.name.as_str()).collect();
    names.dedup();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description() -> Description {
        super::super::parse::parse(
            r#"(parameters: {"speed": Float(value: 0.0)}, layers: [(name: "base", states: [
                (name: "IDLE", motion: Clip("idle")),
                (name: "RUN", motion: Blend1d(by: "speed", clips: [
                    (at: 1.4, clip: "forward"), (at: 3.5, clip: "run")])),
                (name: "HIT", motion: Clip("attack")),
            ])])"#,
        )
        .unwrap()
    }

    fn clip(name: &str) -> RawClip {
        RawClip {
            name: name.into(),
            ..RawClip::default()
        }
    }

    fn filled(clips: &[&str], assigned: &[(&str, &str)]) -> (Vec<(String, String)>, usize) {
        let clips = clips.iter().map(|name| clip(name)).collect();
        let assigned = assigned
            .iter()
            .map(|(s, name)| ((*s).to_owned(), clip(name)));
        let (set, left) = fill_states(&description(), clips, assigned.collect()).unwrap();
        let pairs = set.into_iter().map(|(slot, clip)| (slot, clip.name));
        (pairs.collect(), left.len())
    }

    #[test]
    fn files_fill_states_by_stem_by_state_and_by_assignment() {
        let (set, left) = filled(&["Idle", "RUN", "hit", "07_01"], &[]);
        let pairs = [("attack", "hit"), ("idle", "Idle"), ("run", "RUN")];
        assert_eq!(set, pairs.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(left, 1);
        let (set, _) = filled(&["run"], &[("RUN", "07_01"), ("IDLE", "x")]);
        let pairs = [("idle", "x"), ("run", "07_01")];
        assert_eq!(set, pairs.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn a_lone_stranger_stands_in_for_the_first_state() {
        let (set, left) = filled(&["07_01", "07_02"], &[]);
        assert_eq!(set, [("idle".to_owned(), "07_01".to_owned())]);
        assert_eq!(left, 1);
    }

    #[test]
    fn an_unknown_state_is_told_with_those_there_are() {
        let asked = vec![("DANCE".to_owned(), clip("x"))];
        let error = fill_states(&description(), vec![], asked).unwrap_err();
        assert!(error.to_string().contains("IDLE, RUN, HIT"), "{error}");
    }
}
