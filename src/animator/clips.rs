//! Clips that states may play, of any kind, and which state plays which.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    clip_names,
    description::{Description, MotionDescription},
};
use crate::clip::{EventTrack, FrameClip, RawClip, SampleClip};

/// A clip to be driven: raw, keyed or compressed.
#[derive(Clone, Debug)]
pub struct AnimatorClip {
    /// Loops, foot strikes and root motion are found on these.
    frames: Arc<RawClip>,
    /// Where poses come from, if not from the frames.
    source: Option<Arc<dyn SampleClip>>,
    /// What its file says that happens in it.
    events: EventTrack,
}

impl AnimatorClip {
    /// A clip of keys or of whatever else knows poses between frames, which are
    /// taken as they are; `frames` are all of its frames.
    #[must_use]
    pub fn with_source(frames: Arc<RawClip>, source: Arc<dyn SampleClip>) -> Self {
        Self {
            frames,
            source: Some(source),
            events: EventTrack::default(),
        }
    }

    /// With what its file says that happens in it; foot strikes are found
    /// anyway.
    #[must_use]
    pub fn with_events(self, events: EventTrack) -> Self {
        Self { events, ..self }
    }

    /// What its file says that happens in it.
    #[must_use]
    pub fn events(&self) -> &EventTrack {
        &self.events
    }

    /// A compressed clip, played as its frames would be. `frames` are those it
    /// was made from where they are known, else those it decodes to.
    #[must_use]
    pub fn compressed(frames: Arc<RawClip>, source: Arc<dyn SampleClip>) -> Self {
        Self::with_source(frames, Arc::new(FrameClip::new(source)))
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.frames.name
    }

    /// Every frame.
    #[must_use]
    pub fn frames(&self) -> &Arc<RawClip> {
        &self.frames
    }

    /// What is not raw and can be sampled by itself.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<dyn SampleClip>> {
        self.source.as_ref()
    }

    /// To be played as it is.
    #[must_use]
    pub fn sampler(&self) -> Arc<dyn SampleClip> {
        match &self.source {
            Some(source) => Arc::clone(source),
            None => Arc::clone(&self.frames) as Arc<dyn SampleClip>,
        }
    }
}

impl From<Arc<RawClip>> for AnimatorClip {
    fn from(frames: Arc<RawClip>) -> Self {
        Self {
            frames,
            source: None,
            events: EventTrack::default(),
        }
    }
}

impl From<RawClip> for AnimatorClip {
    fn from(frames: RawClip) -> Self {
        Arc::new(frames).into()
    }
}

/// Which clip plays where: by the names that states give their clips.
pub type ClipSet = BTreeMap<String, AnimatorClip>;

/// Fills the clips that an animator names from a user's own. `assigned` are
/// (state, clip) pairs; the other clips go by their names, which may be those
/// of clips or states, letter case aside, or say what they are: `Walking_01`
/// walks. Returns the clips that found no place.
pub fn fill_states(
    description: &Description,
    clips: Vec<AnimatorClip>,
    assigned: Vec<(String, AnimatorClip)>,
) -> Result<(ClipSet, Vec<AnimatorClip>), NoSuchState> {
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
        match slot_of(description, clip.name()) {
            Some(slot) if !set.contains_key(&slot) => {
                set.insert(slot, clip);
            }
            _ => left.push(clip),
        }
    }
    for slot in description.clip_names() {
        if let (false, Some(best)) = (set.contains_key(slot), clip_names::best_for(slot, &left)) {
            set.insert(slot.to_owned(), left.remove(best));
        }
    }
    Ok((set, left))
}

/// Lets the first clip fill the first state where nothing fills any.
pub fn fill_first(description: &Description, set: &mut ClipSet, left: &mut Vec<AnimatorClip>) {
    if set.is_empty()
        && !left.is_empty()
        && let Some(first) = description.clip_names().first()
    {
        set.insert((*first).to_owned(), left.remove(0));
    }
}

/// Puts a clip in the place of what a state plays; returns what the description
/// calls it.
pub fn give_to_state(
    description: &Description,
    state: &str,
    clip: AnimatorClip,
    set: &mut ClipSet,
) -> Result<String, NoSuchState> {
    let slot = slot_of(description, state).ok_or_else(|| NoSuchState {
        states: state_names(description),
        state: state.to_owned(),
    })?;
    set.insert(slot.clone(), clip);
    Ok(slot)
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

    fn clip(name: &str) -> AnimatorClip {
        let frames = RawClip {
            name: name.into(),
            ..RawClip::default()
        };
        frames.into()
    }

    fn filled(clips: &[&str], assigned: &[(&str, &str)]) -> (Vec<(String, String)>, usize) {
        let clips = clips.iter().map(|name| clip(name)).collect();
        let assigned = assigned
            .iter()
            .map(|(s, name)| ((*s).to_owned(), clip(name)));
        let (mut set, mut left) = fill_states(&description(), clips, assigned.collect()).unwrap();
        fill_first(&description(), &mut set, &mut left);
        let pairs = set
            .into_iter()
            .map(|(slot, clip)| (slot, clip.name().to_owned()));
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
