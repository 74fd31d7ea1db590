//! Events of clips: edited on the timeline, told and heard when they are passed.

use std::{collections::BTreeMap, path::PathBuf};

use super::Session;
use crate::{
    app::opened_clip::OpenedClip,
    clip::{EventEdit, EventHistory, EventTrack},
    load::LoadedMotion,
    output::TickPlayer,
    ui::{EventPanel, Mode, Severity, event_at},
};

/// Events that were edited, by clip, and what is heard of them.
#[derive(Default)]
pub(super) struct EventState {
    /// By the file and the name of the clip, which stay when others are shown.
    edited: BTreeMap<(Option<PathBuf>, String), EventHistory>,
    player: Option<TickPlayer>,
    /// What the lead came by since [`Session::forget_events`]: a frame is stepped
    /// more than once, and the last step is one of no time.
    came: Vec<String>,
}

fn key(clip: &OpenedClip) -> (Option<PathBuf>, String) {
    (clip.path.clone(), clip.name.clone())
}

impl EventState {
    /// What happens in a clip: as it was edited, or as it was read.
    pub fn of<'a>(&'a self, clip: &'a OpenedClip) -> &'a EventTrack {
        let edited = self.edited.get(&key(clip)).map(EventHistory::now);
        edited.unwrap_or(&clip.events)
    }

    /// A motion as it is written: with its events, if they were edited.
    pub fn written(&self, clip: &OpenedClip, motion: &LoadedMotion) -> LoadedMotion {
        let mut motion = motion.clone();
        let edited = self.edited.get(&key(clip)).filter(|it| it.is_edited());
        if let Some(edited) = edited {
            motion.events = Some(edited.now().clone());
        }
        motion
    }
}

impl Session {
    /// Changes the events of the clip on the timeline.
    pub(super) fn edit_events(&mut self, edit: &EventEdit) {
        let Some(clip) = self.clips.lead.clone().filter(|_| self.mode == Mode::View) else {
            return;
        };
        let known = self.events.edited.entry(key(&clip));
        let history = known.or_insert_with(|| EventHistory::new(clip.events.clone()));
        if history.apply(edit, clip.duration_secs()) {
            self.panels.events.follow(history.now().events(), edit);
        } else {
            self.panels.events.dragged = None;
        }
        self.show_events();
    }

    /// An event at the play head.
    pub(super) fn add_event(&mut self) {
        let secs = self.view_scene.clock.time_secs();
        self.edit_events(&event_at(secs));
    }

    /// The chosen event goes.
    pub(super) fn delete_event(&mut self) {
        if let Some(index) = self.panels.events.chosen {
            self.edit_events(&EventEdit::Delete(index));
        }
    }

    /// One step back, or forward.
    pub(super) fn step_events(&mut self, step: fn(&mut EventHistory) -> bool) {
        let Some(clip) = self.clips.lead.clone() else {
            return;
        };
        if let Some(history) = self.events.edited.get_mut(&key(&clip)) {
            step(history);
        }
        self.panels.events = EventPanel::default();
        self.show_events();
    }

    /// The clip that is seen comes by its events as they stand.
    pub(super) fn show_events(&mut self) {
        let clip = self.clips.lead.as_ref();
        let events = clip.map(|clip| self.events.of(clip).clone());
        if let (Some(lead), Some(events)) = (self.view_scene.lead_mut(), events) {
            lead.staging.events = events;
        }
    }

    /// What the lead came by in this frame.
    pub(in crate::app) fn came_by(&self) -> &[String] {
        &self.events.came
    }

    /// Begins a frame.
    pub(in crate::app) fn forget_events(&mut self) {
        self.events.came.clear();
    }

    /// Keeps what the lead came by in a step.
    pub(super) fn keep_events(&mut self) {
        let came = self.scene().lead_events().map(str::to_owned);
        let came: Vec<String> = came.collect();
        self.events.came.extend(came);
    }

    /// A tick for what everybody came by just now.
    pub(super) fn sound_events(&mut self) {
        let fresh = self.scene().happenings().iter();
        let fresh = { fresh }.any(|it| it.age_secs == 0.0);
        if !self.options.display.event_sound || !fresh {
            return;
        }
        if self.events.player.is_none() {
            match TickPlayer::find() {
                Ok(player) => self.events.player = Some(player),
                Err(reason) => {
                    self.options.display.event_sound = false;
                    self.tell(Severity::Warning, format!("Events stay silent: {reason}"));
                }
            }
        }
        if let Some(player) = &mut self.events.player {
            player.tick();
        }
    }
}
