//! Clips on other characters: the performer, or whoever was opened before.

use std::{path::Path, sync::Arc};

use super::Session;
use crate::{
    app::{export, take::Take},
    load::PERFORMER,
    retarget::{Map, retarget},
    ui::{RetargetView, Retargeting, Severity},
};

/// Characters that are remembered, the performer included.
const MOST_CHARACTERS: usize = 12;

/// Who plays the clip shown.
#[derive(Debug)]
pub(super) struct RetargetState {
    /// What the list calls them; the performer first.
    names: Vec<String>,
    /// `None` for the performer before anybody asked for it.
    characters: Vec<Option<Arc<Take>>>,
    chosen: Option<usize>,
    mirror: bool,
    map: Option<Map>,
    /// The user has changed or loaded the map: it stays while it fits.
    own_map: bool,
    /// The clip as it was read.
    original: Option<Arc<Take>>,
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
    /// Remembers whoever is on stage, as somebody to play other clips.
    fn remember(&mut self, take: &Arc<Take>) {
        let known = |it: &Option<Arc<Take>>| {
            it.as_ref()
                .is_some_and(|it| Arc::ptr_eq(&it.body, &take.body))
        };
        let performer = take.path.is_none();
        if performer {
            self.characters[0] = Some(Arc::clone(take));
        } else if !self.characters.iter().any(known) {
            if self.characters.len() >= MOST_CHARACTERS && self.chosen != Some(1) {
                self.characters.remove(1);
                self.names.remove(1);
                self.chosen = self
                    .chosen
                    .map(|index| index.saturating_sub(usize::from(index > 1)));
            }
            self.characters.push(Some(Arc::clone(take)));
            self.names.push(take.skeleton.name().to_owned());
        }
    }

    /// What the characters are called, the performer first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn character(&self) -> Option<&Arc<Take>> {
        self.characters.get(self.chosen?)?.as_ref()
    }

    /// The clip as it is to be shown, and why it cannot.
    fn carried(&mut self, take: &Arc<Take>) -> Result<Arc<Take>, String> {
        let Some(clip) = &take.clip else {
            return Ok(Arc::clone(take));
        };
        let on = self.character().unwrap_or(take).clone();
        if Arc::ptr_eq(&on, take) && !self.mirror {
            self.map = None;
            return Ok(on);
        }
        let (source, target) = (&take.skeleton, &on.skeleton);
        let fits = |map: &Map| map.check("", source, target).is_ok();
        let kept = self.map.take().filter(|map| self.own_map && fits(map));
        self.own_map &= kept.is_some();
        let mut map = kept.unwrap_or_else(|| Map::between(source, target));
        map.mirror = self.mirror;
        let carried = retarget(source, clip, target, &map).map_err(|error| error.to_string());
        self.map = Some(map);
        Ok(Arc::new(take.onto(&on, carried?)))
    }
}

impl Session {
    /// A clip that was read, on whoever is to play it.
    pub(super) fn carried(&mut self, take: Arc<Take>) -> Arc<Take> {
        self.retarget_state.remember(&take);
        self.retarget_state.original = Some(Arc::clone(&take));
        match self.retarget_state.carried(&take) {
            Ok(carried) => {
                self.retarget_state.fault = None;
                carried
            }
            Err(fault) => {
                self.tell(Severity::Error, fault.clone());
                self.retarget_state.fault = Some(fault);
                take
            }
        }
    }

    /// What the panel asked for.
    pub(super) fn retarget(&mut self, asked: Retargeting) {
        match asked {
            Retargeting::PlayOn(chosen) => self.play_on(chosen),
            Retargeting::Mirror(mirror) => {
                self.retarget_state.mirror = mirror;
                self.show_again();
            }
            Retargeting::Link { role, from, to } => {
                if let Some(map) = &mut self.retarget_state.map {
                    map.set(role, from, to);
                    self.retarget_state.own_map = true;
                    self.show_again();
                }
            }
            Retargeting::Find => {
                self.retarget_state.own_map = false;
                self.show_again();
            }
            Retargeting::SaveMap => self.save_map(),
            Retargeting::LoadMap => self.loader.ask_for_files(),
        }
    }

    fn play_on(&mut self, chosen: Option<usize>) {
        let chosen = chosen.filter(|&index| index < self.retarget_state.characters.len());
        self.retarget_state.chosen = chosen;
        self.retarget_state.own_map = false;
        if chosen.is_some_and(|index| self.retarget_state.characters[index].is_none()) {
            // Comes back through `receive_performer`.
            self.loader.performer();
            return;
        }
        self.show_again();
    }

    /// Somebody else under the keyboard.
    pub(super) fn drive_as(&mut self, who: usize) {
        let known = self.retarget_state.characters.get(who).cloned().flatten();
        self.cast_source.onto = known.and_then(|take| take.path.clone());
        self.loader.cast(self.cast_source.clone());
    }

    /// Which of the characters is driven.
    pub(super) fn driven_character(&self) -> usize {
        let characters = self.retarget_state.characters.iter();
        let mut paths = characters.map(|it| it.as_ref().and_then(|take| take.path.as_ref()));
        let onto = self.cast_source.onto.as_ref();
        onto.and_then(|path| paths.position(|it| it == Some(path)))
            .unwrap_or(0)
    }

    /// The performer is ready to play a part.
    pub(super) fn receive_performer(&mut self, outcome: Result<Arc<Take>, String>) {
        match outcome {
            Ok(take) => {
                self.retarget_state.characters[0] = Some(take);
                self.show_again();
            }
            Err(fault) => self.tell(Severity::Error, fault),
        }
    }

    fn show_again(&mut self) {
        if let Some(original) = self.retarget_state.original.clone() {
            let secs = self.player.time_secs();
            self.put_on_stage(self.shown, original);
            self.player.seek(secs);
        }
    }

    fn save_map(&mut self) {
        let Some(map) = &self.retarget_state.map else {
            return;
        };
        let stem = format!("{}-to-{}", map.source, map.target);
        match export::save(&stem, "ron", map.to_ron().as_bytes()) {
            Ok(path) => self.tell(Severity::Info, format!("Saved {}", path.display())),
            Err(fault) => self.tell(Severity::Error, fault),
        }
    }

    /// Takes a map from a file, with its errors told by line and field.
    pub(super) fn load_map(&mut self, path: &Path) {
        let read = crate::load::read(path).map_err(|error| error.to_string());
        let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let map = read.and_then(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let map = Map::parse(&text).map_err(|error| told(&error))?;
            let original = self.retarget_state.original.as_ref();
            let original = original.ok_or_else(|| told(&"there is no clip to carry over"))?;
            let target = self.retarget_state.character().unwrap_or(original);
            map.check(&text, &original.skeleton, &target.skeleton)
                .map_err(|error| told(&error))?;
            Ok(map)
        });
        match map {
            Ok(map) => {
                self.retarget_state.mirror = map.mirror;
                self.retarget_state.map = Some(map);
                self.retarget_state.own_map = true;
                self.show_again();
            }
            Err(fault) => self.tell(Severity::Error, fault),
        }
    }

    /// For the panel.
    pub(super) fn retarget_view(&self) -> Option<RetargetView<'_>> {
        let state = &self.retarget_state;
        let original = state.original.as_ref()?;
        original.clip.as_ref()?;
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
