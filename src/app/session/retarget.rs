//! Clips on other characters: the performer, or whoever was opened before.

use std::{path::Path, sync::Arc};

use super::Session;
use crate::{
    app::{SessionError, export, opened_clip::OpenedClip},
    load::{self, PERFORMER},
    retarget::{JointMap, retarget},
    ui::{RetargetView, Retargeting, Severity},
};

/// Characters that are remembered, the performer included.
const MOST_CHARACTERS: usize = 16;

/// Who plays the clip shown.
#[derive(Debug)]
pub(super) struct RetargetState {
    /// What the list calls them; the performer first.
    names: Vec<String>,
    /// `None` for the performer before anybody asked for it.
    characters: Vec<Option<Arc<OpenedClip>>>,
    chosen: Option<usize>,
    mirror: bool,
    map: Option<JointMap>,
    /// The user has changed or loaded the map: it stays while it fits.
    own_map: bool,
    /// The clip as it was read.
    original: Option<Arc<OpenedClip>>,
    fault: Option<String>,
}

impl Default for RetargetState {
    fn default() -> Self {
        Self {
            names: vec![PERFORMER.to_owned()],
            characters: vec![None],
            chosen: None,
            mirror: false,
            map: None,
            own_map: false,
            original: None,
            fault: None,
        }
    }
}

impl RetargetState {
    /// Remembers whoever is shown, as somebody to play other clips.
    pub fn remember(&mut self, clip: &Arc<OpenedClip>) {
        // A file that is opened again brings another body of the same person.
        let known = |it: &Option<Arc<OpenedClip>>| {
            it.as_ref().is_some_and(|it| {
                let same_file = it.path == clip.path && it.skeleton.name() == clip.skeleton.name();
                same_file || Arc::ptr_eq(&it.body, &clip.body)
            })
        };
        let performer = clip.path.is_none();
        if performer {
            self.characters[0] = Some(Arc::clone(clip));
        } else if let Some(index) = self.characters.iter().skip(1).position(known) {
            self.characters[index + 1] = Some(Arc::clone(clip));
        } else {
            // The longest known goes, but never whoever plays at the moment.
            if self.characters.len() >= MOST_CHARACTERS && self.chosen != Some(1) {
                self.characters.remove(1);
                self.names.remove(1);
                self.chosen = self
                    .chosen
                    .map(|index| index.saturating_sub(usize::from(index > 1)));
            }
            self.characters.push(Some(Arc::clone(clip)));
            self.names.push(self.free_name(clip));
        }
    }

    /// The skeleton's name, with the file's where another has it.
    fn free_name(&self, clip: &OpenedClip) -> String {
        let name = clip.skeleton.name().to_owned();
        match self.names.contains(&name) {
            true => format!("{name} ({})", clip.name),
            false => name,
        }
    }

    /// What the characters are called, the performer first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Left and right in each other's place.
    pub fn is_mirrored(&self) -> bool {
        self.mirror
    }

    /// Whoever plays clips instead of those they were made for.
    pub fn character(&self) -> Option<&Arc<OpenedClip>> {
        self.characters.get(self.chosen?)?.as_ref()
    }

    /// The clip as it is to be shown, or why it cannot.
    fn retargeted(&mut self, clip: &Arc<OpenedClip>) -> Result<Arc<OpenedClip>, SessionError> {
        let Some(raw) = clip.raw() else {
            return Ok(Arc::clone(clip));
        };
        let on = self.character().unwrap_or(clip).clone();
        if Arc::ptr_eq(&on, clip) && !self.mirror {
            self.map = None;
            return Ok(on);
        }
        let (source, target) = (&clip.skeleton, &on.skeleton);
        let fits = |map: &JointMap| map.check("", source, target).is_ok();
        let kept = self.map.take().filter(|map| self.own_map && fits(map));
        // A map of somebody else's joints is forgotten, not kept for later.
        self.own_map &= kept.is_some();
        let mut map = kept.unwrap_or_else(|| JointMap::between(source, target));
        map.mirror = self.mirror;
        let retargeted = retarget(source, raw, target, &map);
        // Before the outcome is looked at: the panel shows the map to be
        // mended.
        self.map = Some(map);
        Ok(Arc::new(clip.on(&on, retargeted?)))
    }
}

impl Session {
    /// A clip that was read, on whoever is to play it.
    pub(super) fn retargeted(&mut self, clip: Arc<OpenedClip>) -> Arc<OpenedClip> {
        self.retargeting.remember(&clip);
        self.retargeting.original = Some(Arc::clone(&clip));
        match self.retargeting.retargeted(&clip) {
            Ok(retargeted) => {
                self.retargeting.fault = None;
                retargeted
            }
            Err(error) => {
                self.tell_error(&error);
                self.retargeting.fault = Some(error.to_string());
                clip
            }
        }
    }

    /// What the panel asked for.
    pub(super) fn retarget(&mut self, asked: Retargeting) {
        match asked {
            Retargeting::PlayOn(chosen) => self.play_on(chosen),
            Retargeting::Mirror(mirror) => {
                self.retargeting.mirror = mirror;
                self.show_original();
            }
            Retargeting::Link { role, from, to } => {
                if let Some(map) = &mut self.retargeting.map {
                    map.set(role, from, to);
                    self.retargeting.own_map = true;
                    self.show_original();
                }
            }
            Retargeting::Find => {
                self.retargeting.own_map = false;
                self.show_original();
            }
            Retargeting::SaveMap => self.save_map(),
            Retargeting::LoadMap => self.jobs.loader.ask_for_files(),
        }
    }

    fn play_on(&mut self, chosen: Option<usize>) {
        let chosen = chosen.filter(|&index| index < self.retargeting.characters.len());
        self.retargeting.chosen = chosen;
        self.retargeting.own_map = false;
        if chosen.is_some_and(|index| self.retargeting.characters[index].is_none()) {
            // Comes back through `receive_performer`.
            self.jobs.loader.performer();
            return;
        }
        self.show_original();
    }

    /// Somebody else under the keyboard.
    pub(super) fn drive_as(&mut self, who: usize) {
        let known = self.retargeting.characters.get(who).cloned().flatten();
        let source = known.map_or_else(|| self.performer_source(), |clip| self.source_of(&clip));
        self.driving.chosen = true;
        self.drive_from(source);
    }

    /// Which of the characters is driven.
    pub(super) fn driven_character(&self) -> usize {
        let characters = self.retargeting.characters.iter();
        let mut skeletons = characters.map(|it| it.as_ref().map(|clip| &clip.loaded.path));
        let driven = self.driving.source.files.first();
        driven
            .and_then(|path| skeletons.position(|it| it == Some(path)))
            .unwrap_or(0)
    }

    /// The performer is ready to play a part.
    pub(super) fn receive_performer(&mut self, outcome: Result<Arc<OpenedClip>, SessionError>) {
        match outcome {
            Ok(clip) => {
                self.retargeting.characters[0] = Some(clip);
                self.show_original();
            }
            Err(error) => self.tell_error(&error),
        }
    }

    /// Shows the clip anew, on whoever is to play it now.
    fn show_original(&mut self) {
        if let Some(original) = self.retargeting.original.clone() {
            self.show_again(original);
        }
        if self.blending.shown.is_some() {
            self.ask_for_blend();
        }
    }

    fn save_map(&mut self) {
        let Some(map) = &self.retargeting.map else {
            return;
        };
        let stem = format!("{}-to-{}", map.source, map.target);
        match export::save(&stem, "ron", map.to_ron().as_bytes()) {
            Ok(path) => self.tell(Severity::Info, format!("Saved {}", path.display())),
            Err(error) => self.tell_error(&error),
        }
    }

    /// Takes a map from a file.
    pub(super) fn load_map(&mut self, path: &Path) {
        match self.read_map(path) {
            Ok(map) => {
                self.retargeting.mirror = map.mirror;
                self.retargeting.map = Some(map);
                self.retargeting.own_map = true;
                self.show_original();
            }
            Err(error) => self.tell_error(&error),
        }
    }

    /// Errors are told by line and field.
    fn read_map(&self, path: &Path) -> Result<JointMap, SessionError> {
        let wrong = |message: String| SessionError::Map {
            path: path.to_path_buf(),
            message,
        };
        let text = load::read_text(path)?;
        let map = JointMap::parse(&text).map_err(|error| wrong(error.to_string()))?;
        let original = self.retargeting.original.as_ref();
        let original = original.ok_or_else(|| wrong("there is no clip to retarget".into()))?;
        let target = self.retargeting.character().unwrap_or(original);
        map.check(&text, &original.skeleton, &target.skeleton)
            .map_err(|error| wrong(error.to_string()))?;
        Ok(map)
    }

    /// For the panel.
    pub(super) fn retarget_view(&self) -> Option<RetargetView<'_>> {
        let state = &self.retargeting;
        let original = state.original.as_ref()?;
        original.motion.as_ref()?;
        let target = state.character().unwrap_or(original);
        Some(RetargetView {
            characters: &state.names,
            chosen: state.chosen,
            map: state.map.as_ref(),
            mirror: state.mirror,
            source: &original.skeleton,
            target: &target.skeleton,
            fault: state.fault.as_deref(),
        })
    }
}
