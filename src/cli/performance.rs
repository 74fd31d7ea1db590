//! A character under a script: what `drive` and `render --script` have in common.

use std::path::{Path, PathBuf};

use super::{Failure, message, onto::OntoArgs};
use crate::{
    animator::{Cast, Input, Script, TICK_RATE, Timed, TraceCharacter, TraceLine, cast::LEAD},
    body::BodyCache,
    load::{self, CharacterFiles, DrivenCharacter, LoadError, LoadOptions, PoseFile},
    output::Staged,
    scene::{Character, Scene},
};

/// Seconds that a performance goes on after its last input.
const SETTLE_SECS: f64 = 2.0;
/// Longest performance, an hour.
const MAX_SECS: f64 = 3600.0;

/// Who is driven, and by what.
pub(super) struct PerformanceFiles<'a> {
    pub files: &'a [PathBuf],
    pub animator: Option<&'a Path>,
    pub script: Option<&'a Path>,
    pub onto: &'a OntoArgs,
}

impl PerformanceFiles<'_> {
    /// Every file that is read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let (files, _) = load::expand(&load::without_states(self.files));
        let mut inputs: Vec<PathBuf> = files.into_iter().map(|(path, _)| path).collect();
        inputs.extend(self.script.iter().chain(&self.animator).map(PathBuf::from));
        inputs.extend(self.onto.inputs().cloned());
        inputs
    }

    /// The character; clips that no state plays are told. The map to it, where
    /// one is asked for, goes to `staged`.
    pub fn character(
        &self,
        options: LoadOptions,
        staged: &mut Staged,
    ) -> Result<DrivenCharacter, Failure> {
        let onto = self.onto.load()?;
        let from = CharacterFiles {
            animator: self.animator,
            files: self.files,
            onto: onto.as_ref(),
            fill: false,
        };
        let driven = DrivenCharacter::load(from, options)?;
        if !driven.unused.is_empty() {
            let names = driven.unused.join(", ");
            message(&format!("no state plays {names}: give STATE=FILE"));
        }
        if let Some(map) = &driven.map {
            self.onto.keep_map(map, staged)?;
        }
        Ok(driven)
    }

    /// Whoever performs a script, with all that it names.
    pub fn performer(
        &self,
        driven: &DrivenCharacter,
        script: &Script,
        bodies: &mut BodyCache,
    ) -> Result<Character, Failure> {
        let mut performer = driven.character(bodies);
        let path = self.script.unwrap_or(Path::new("the script"));
        for Timed { at_secs, input } in script.inputs() {
            let Input::Pose(action) = input else { continue };
            let checked = performer.posing().check(action, &performer.skeleton);
            checked.map_err(|error| LoadError::Animator {
                path: path.to_path_buf(),
                message: format!("at {at_secs} s: {action}: {error}"),
            })?;
        }
        for (name, file) in self.pose_files(script)? {
            file.give(&name, &mut performer);
        }
        Ok(performer)
    }

    /// Files that a script names, which are beside it or where they say.
    pub fn pose_files(&self, script: &Script) -> Result<Vec<(String, PoseFile)>, Failure> {
        let folder = self.script.and_then(Path::parent).unwrap_or(Path::new(""));
        let mut files = Vec::new();
        for timed in script.inputs() {
            let Input::Pose(action) = &timed.input else {
                continue;
            };
            if let (Some(name), Some(file)) = (action.file(), PoseFile::read(action, folder)?) {
                files.push((name.to_owned(), file));
            }
        }
        Ok(files)
    }

    /// The scene of a performance, everybody at the start.
    pub fn stage(
        &self,
        driven: &DrivenCharacter,
        cast: &Cast,
        options: LoadOptions,
        bodies: &mut BodyCache,
    ) -> Result<Scene, Failure> {
        let mut lead = self.performer(driven, &cast.lead, bodies)?;
        if !cast.members.is_empty() {
            LEAD.clone_into(&mut lead.name);
        }
        lead.hear(&cast.lead);
        let mut scene = Scene::default();
        for (name, file) in self.pose_files(&cast.lead)? {
            file.show(&name, &mut scene, bodies);
        }
        scene.set_lead(lead);
        load::join_cast(&mut scene, cast, (driven, options), bodies)?;
        Ok(scene)
    }

    /// Who is there and what they are told; nobody presses a key without a
    /// script.
    pub fn cast(&self) -> Result<Cast, Failure> {
        let Some(path) = self.script else {
            return Ok(Cast::default());
        };
        let text = load::read_text(path)?;
        let wrong = |message: String| {
            Failure::File(LoadError::Animator {
                path: path.to_path_buf(),
                message,
            })
        };
        let cast = Cast::parse(&text).map_err(|error| wrong(error.to_string()))?;
        match stranger(&cast) {
            None => Ok(cast),
            Some(told) => Err(wrong(told)),
        }
    }
}

/// A line that speaks of somebody who is not there.
fn stranger(cast: &Cast) -> Option<String> {
    let members = cast.members.iter().map(|it| &it.script);
    let inputs = std::iter::once(&cast.lead).chain(members);
    inputs.flat_map(Script::inputs).find_map(|timed| {
        let Input::Pose(action) = &timed.input else {
            return None;
        };
        let name = action.other().filter(|name| cast.place_of(name).is_none())?;
        let at_secs = timed.at_secs;
        Some(format!(
            "at {at_secs} s: {action}: there is no character {name:?}; `0 character {name} drive` brings one"
        ))
    })
}

/// Whether what the lead does depends on where others are.
pub(super) fn lead_heeds_others(cast: &Cast) -> bool {
    let mut inputs = cast.lead.inputs().iter();
    inputs.any(|timed| matches!(&timed.input, Input::Pose(action) if action.other().is_some()))
}

/// What the lead does among others, a line a tick.
pub(super) fn trace_among_others(
    mut scene: Scene,
    ticks: usize,
) -> impl Iterator<Item = TraceLine> {
    (0..=ticks).map(move |tick| {
        scene.step(if tick == 0 { 0.0 } else { 1.0 / TICK_RATE });
        let line = scene.lead_mut().and_then(Character::trace);
        TraceLine {
            characters: scene.trace_others(),
            ..line.unwrap_or_default()
        }
    })
}

/// Says what a script asked for and could not be done.
pub(super) fn tell_faults(performer: &mut Character) {
    for fault in performer.take_faults() {
        message(&format!("warning: {fault}"));
    }
}

/// Ticks from the start to the end of a script, and what follows it.
pub(super) fn ticks(cast: &Cast) -> Result<usize, Failure> {
    let secs = cast.end_secs() + SETTLE_SECS;
    check_secs(secs)?;
    Ok((secs * TICK_RATE).ceil() as usize)
}

/// Refuses what lasts too long.
pub(super) fn check_secs(secs: f64) -> Result<(), Failure> {
    match secs <= MAX_SECS {
        true => Ok(()),
        false => Err(Failure::Usage("a performance lasts at most an hour".into())),
    }
}

/// What everybody but the lead does, a list for every tick; none where nobody
/// else is there.
pub(super) fn trace_others(
    mut scene: Scene,
    ticks: usize,
) -> impl Iterator<Item = Vec<TraceCharacter>> {
    let alone = scene.characters.len() < 2;
    (0..=ticks).map(move |tick| {
        if alone {
            return Vec::new();
        }
        scene.step(if tick == 0 { 0.0 } else { 1.0 / TICK_RATE });
        scene.trace_others()
    })
}
