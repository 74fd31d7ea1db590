//! Clips on other characters: the performer, or whoever was opened before.

use std::{path::Path, sync::Arc};

use super::{Session, cast::Cast};
use crate::{
    app::{SessionError, export, opened_clip::OpenedClip},
    load,
    retarget::{JointMap, retarget, retarget_pose},
    skeleton::LocalPose,
    ui::{Mode, RetargetView, Retargeting, Severity},
};

/// Who plays the clip shown.
#[derive(Debug, Default)]
pub(super) struct RetargetState {
    /// Whom it can be played on.
    cast: Cast,
    chosen: Option<usize>,
    mirror: bool,
    map: Option<JointMap>,
    /// The user has changed or loaded the map: it stays while it fits.
    own_map: bool,
    /// The clip as it was read.
    original: Option<Arc<OpenedClip>>,
    /// The retarget pose is shown instead of the clip.
    shows_pose: bool,
    /// The lead stands in it, as the map has it now.
    pose_stands: bool,
    fault: Option<String>,
}

impl RetargetState {
    /// Remembers whoever is shown, as somebody to play other clips.
    pub fn remember(&mut self, clip: &Arc<OpenedClip>) {
        self.cast.remember(clip, self.chosen);
    }

    /// What the characters are called, the performer first.
    pub fn names(&self) -> &[String] {
        self.cast.names()
    }

    /// Whether somebody is held with mesh and motion.
    #[cfg(test)]
    pub fn is_held(&self, who: usize) -> bool {
        self.cast.clip(who).is_some()
    }

    /// Left and right in each other's place.
    pub fn is_mirrored(&self) -> bool {
        self.mirror
    }

    /// Whoever plays clips instead of those they were made for.
    pub fn character(&self) -> Option<&Arc<OpenedClip>> {
        self.cast.clip(self.chosen?)
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
        let mut retargeted = retargeted?;
        retargeted.morphs = load::carried_face((&clip.loaded, &on.loaded), raw);
        Ok(Arc::new(clip.on(&on, retargeted)))
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
            Retargeting::ShowPose(shows) => self.retargeting.shows_pose = shows,
            Retargeting::TurnPose(joint, turn_deg) => {
                if let Some(map) = &mut self.retargeting.map {
                    map.turn_pose(&joint, turn_deg);
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

    /// The retarget pose stands for the clip while it is asked for; whoever is
    /// shown anew has to be told again.
    pub(super) fn keep_retarget_pose(&mut self) {
        let wanted = self.wanted_retarget_pose();
        let before = std::mem::replace(&mut self.retargeting.pose_stands, wanted.is_some());
        if (wanted.is_some() || before)
            && let Some(lead) = self.scene_mut().lead_mut()
        {
            lead.posing_mut().stand_still(wanted);
        }
    }

    fn wanted_retarget_pose(&self) -> Option<LocalPose> {
        let state = &self.retargeting;
        if !state.shows_pose || self.seen_mode() != Mode::View {
            return None;
        }
        let (map, original) = (state.map.as_ref()?, state.original.as_ref()?);
        let target = state.character().unwrap_or(original);
        retarget_pose(&original.skeleton, &target.skeleton, map).ok()
    }

    fn play_on(&mut self, chosen: Option<usize>) {
        let chosen = chosen.filter(|&index| index < self.retargeting.names().len());
        self.retargeting.chosen = chosen;
        self.retargeting.own_map = false;
        let to_read = chosen.and_then(|who| Some((who, self.retargeting.cast.to_read(who)?)));
        match to_read {
            // Comes back through `receive_character`.
            Some((who, origin)) => self.jobs.loader.character(who, origin),
            None => self.show_original(),
        }
    }

    /// Somebody else under the keyboard.
    pub(super) fn drive_as(&mut self, who: usize) {
        let files = self.retargeting.cast.files(who);
        let source = files.map(|(skeleton, path)| self.source_of(skeleton, path));
        let source = source.unwrap_or_else(|| self.performer_source());
        self.driving.chosen = true;
        self.drive_from(source);
    }

    /// Which of the characters is driven.
    pub(super) fn driven_character(&self) -> usize {
        let driven = self.driving.source.files.first();
        let who = driven.and_then(|path| self.retargeting.cast.by_skeleton(path));
        who.unwrap_or(0)
    }

    /// Somebody who was not held is ready to play a part.
    pub(super) fn receive_character(
        &mut self,
        who: usize,
        outcome: Result<Arc<OpenedClip>, SessionError>,
    ) {
        match outcome {
            Ok(clip) => self.retargeting.cast.hold(who, clip),
            Err(error) => {
                self.tell_error(&error);
                if self.retargeting.chosen == Some(who) {
                    self.retargeting.chosen = None;
                }
            }
        }
        self.show_original();
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
            characters: state.names(),
            chosen: state.chosen,
            map: state.map.as_ref(),
            mirror: state.mirror,
            source: &original.skeleton,
            target: &target.skeleton,
            shows_pose: state.shows_pose,
            joint: { self.options.selected.map(usize::from) }
                .and_then(|joint| target.skeleton.joints().get(joint))
                .map(|joint| joint.name.as_str()),
            fault: state.fault.as_deref(),
        })
    }
}
