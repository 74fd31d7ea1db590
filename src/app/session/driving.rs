//! Keys of Drive mode and the animator's file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Session, editing::Editing};
use crate::{
    animator::{Animator, Input},
    app::{
        SessionError,
        choices::load_options,
        drive::{CharacterSource, Drive, ReadyCharacter},
    },
    codec::CodecSettings,
    load::{self, Kind, LoadedMotion, PERFORMER},
    scene::Clock,
    ui::{AnimatorEditing, AnimatorPage, Codec, Mode, PauseReason, Section, Severity},
};

/// Seconds without a touch after which the performer rests.
const DOZE_SECS: f64 = 20.0;
/// What a motion that was taken down is called.
const RECORDED: &str = "driven";
/// Seconds of motion that are taken down at most.
const LONGEST_SECS: f64 = 600.0;
/// Keys after which nobody needs a hint.
const HINT_KEYS: u32 = 24;

/// Whether a path is a motion by its name; folders and descriptions are opened.
fn is_capture(path: &Path) -> bool {
    Kind::of_name(path).is_some_and(|kind| kind != Kind::Skeleton)
}

/// Who is driven, and by whom.
#[derive(Default)]
pub(super) struct Driving {
    pub drive: Option<Drive>,
    pub source: CharacterSource,
    /// The user said who is driven: on the command line, or in the panel. Else
    /// it is whoever is seen.
    pub chosen: bool,
    /// Why there is nobody, or not anew.
    pub fault: Option<String>,
    /// What was taken down last, to be written.
    pub recorded: Option<LoadedMotion>,
    /// The gamepad that is there.
    pub pad: Option<String>,
    /// The animator's editor, once it was opened.
    pub editing: Option<Editing>,
    /// Clips that states can play.
    pub clips: Vec<String>,
    /// Joints of whoever is driven.
    pub joints: Vec<String>,
    keys: u32,
    /// When a hand was last seen.
    touched_secs: f64,
}

impl Session {
    /// The driven character's state and animator, once it is ready.
    pub(super) fn drive_mut(&mut self) -> Option<(&mut Drive, &mut Animator)> {
        let drive = self.driving.drive.as_mut()?;
        Some((drive, self.drive_scene.lead_mut()?.animator_mut()?))
    }

    /// Whether a key belongs to the animator: its file binds it, or it is down
    /// and comes up.
    #[must_use]
    pub fn drives(&self, name: &str, down: bool) -> bool {
        if self.second_drives(name, down) {
            return true;
        }
        let drive = self.driving.drive.as_ref();
        match down {
            true => self.driven().is_some_and(|drive| drive.binds(name)),
            false => drive.is_some_and(|drive| drive.holds(name)),
        }
    }

    /// A key of the animator goes down or up.
    pub fn drive_key(&mut self, name: &str, down: bool) {
        if self.second_drives(name, down) {
            return self.drive_second(name, down);
        }
        self.drive_control(name, f64::from(u8::from(down)));
    }

    /// A control of the animator is held so far, 0 to 1.
    pub(super) fn drive_control(&mut self, name: &str, share: f64) {
        let down = share > 0.0;
        // A release counts in any mode: the key may have gone down in the
        // other.
        if down && self.mode != Mode::Drive {
            return;
        }
        if let Some((drive, animator)) = self.drive_mut() {
            let fresh = drive.hold(name, share, animator) && down;
            self.driving.keys += u32::from(fresh);
            // Whoever has driven this much knows the keys.
            self.panels.hint_seen |= self.driving.keys >= HINT_KEYS;
            self.set_pause();
        }
    }

    /// A click on the picture: a key of the animator that goes down and up.
    pub fn click(&mut self, button: &str) {
        self.drive_key(button, true);
        self.drive_key(button, false);
    }

    /// A hand was on keyboard or mouse.
    pub fn touched(&mut self) {
        self.driving.touched_secs = self.now_secs;
        if let Some(drive) = &mut self.driving.drive
            && drive.view.pause == Some(PauseReason::Dozing)
        {
            drive.view.pause = None;
            self.set_pause();
        }
    }

    pub(super) fn hold_time(&mut self) {
        if let Some(drive) = &mut self.driving.drive {
            drive.view.pause = match drive.view.pause {
                Some(_) => None,
                None => Some(PauseReason::Held),
            };
            self.set_pause();
        }
    }

    /// A performer that nobody drives does not keep the machine busy.
    pub(super) fn doze(&mut self) {
        if let Some(drive) = &mut self.driving.drive
            && self.mode == Mode::Drive
            && self.recording.is_none()
            && drive.view.pause.is_none()
            && drive.view.recorded_secs.is_none()
            && !drive.is_driven()
            && self.now_secs - self.driving.touched_secs > DOZE_SECS
        {
            drive.view.pause = Some(PauseReason::Dozing);
            self.set_pause();
        }
    }

    /// The scene's clock does as the panel says.
    fn set_pause(&mut self) {
        let pause = self.driving.drive.as_ref().and_then(|it| it.view.pause);
        self.drive_scene.clock.playing = pause.is_none();
    }

    pub(super) fn set_time_scale(&mut self, scale: f64) {
        self.drive_scene.clock.set_speed(scale);
        if let Some(drive) = &mut self.driving.drive {
            drive.view.time_scale = self.drive_scene.clock.speed();
        }
    }

    pub(super) fn set_parameter(&mut self, name: String, value: f64) {
        if let Some((_, animator)) = self.drive_mut() {
            animator.input(animator.time_secs(), Input::Set(name, value));
        }
    }

    /// No key is held any more.
    pub fn release_keys(&mut self) {
        if let Some((drive, animator)) = self.drive_mut() {
            drive.release_all(animator);
        }
    }

    /// Takes down what the animator did, while it is seen.
    pub(super) fn note_drive(&mut self) {
        let time_secs = self.drive_scene.clock.time_secs();
        if self.mode == Mode::Drive
            && let Some((drive, animator)) = self.drive_mut()
        {
            drive.note(animator, time_secs);
            self.note_posing();
            let secs = self.recorded_secs();
            if secs.is_some_and(|secs| secs >= LONGEST_SECS) {
                self.record_motion();
            }
            self.note_cast();
        }
    }

    /// Begins to take down what is driven, or ends it and asks where it goes.
    pub(super) fn record_motion(&mut self) {
        let (Some(drive), Some(lead)) = (&self.driving.drive, self.drive_scene.lead_mut()) else {
            return;
        };
        match lead.take_recording(RECORDED) {
            None => lead.start_recording(),
            Some(clip) => {
                let motion = load::recorded_motion(&drive.clip.loaded, RECORDED.into(), clip);
                self.driving.recorded = Some(motion);
                self.open_export();
            }
        }
        self.note_posing();
    }

    fn recorded_secs(&self) -> Option<f64> {
        self.drive_scene.lead()?.recorded_secs()
    }

    /// Takes down what is done to the driven pose besides.
    fn note_posing(&mut self) {
        if let (Some(drive), Some(lead)) = (&mut self.driving.drive, self.drive_scene.lead_mut()) {
            drive.view.recorded_secs = lead.recorded_secs();
            lead.tell(&mut drive.trace);
        }
    }

    /// Holds the clips that are driven as a codec leaves them, or raw.
    pub(super) fn hold_clips(&mut self, codec: Codec) {
        // The keyed ones coarser than a clip to be judged: a driven body hides more.
        self.driving.source.held = codec.settings().map(|settings| match settings {
            CodecSettings::Classic { .. } => settings.with(0.1),
            CodecSettings::Every { .. } => settings.with(8.0),
            _ => settings,
        });
        self.reload_animator();
    }

    /// Files let go over the window: over a state of the graph, or while one is
    /// chosen, it plays the first of them; anywhere else they are opened.
    pub fn drop_files(&mut self, paths: Vec<PathBuf>) {
        let state = self.state_for_files();
        let mut captures = paths.iter().filter(|it| is_capture(it)).cloned();
        let (Some(state), Some(file)) = (state, captures.next()) else {
            self.open(paths);
            return;
        };
        self.give_to_state(state, file);
        let others = captures.count();
        if others > 0 {
            let text = format!("A state plays one file; {others} more of the drop are not used");
            self.tell(Severity::Warning, text);
        }
    }

    /// The state of the graph below the pointer, or else the chosen one.
    fn state_for_files(&self) -> Option<String> {
        let drive = self.driven()?;
        let panels = &self.panels;
        let graph = panels.animator_page == AnimatorPage::Graph;
        if !(graph && panels.side && panels.sections.contains(&Section::Animator)) {
            return None;
        }
        let layer = drive.view.layers.get(panels.animator_layer)?;
        let state = panels.state_below.or(panels.animator_state)?;
        layer.states.get(state).cloned()
    }

    /// A state plays a file from now on.
    pub(super) fn give_to_state(&mut self, state: String, file: PathBuf) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.tell(Severity::Info, format!("{state} plays {name}"));
        let given = &mut self.driving.source.given;
        given.retain(|(known, _)| *known != state);
        given.push((state, file));
        self.reload_animator();
    }

    /// An animator of the user's own, which is driven at once.
    pub(super) fn open_animator(&mut self, path: PathBuf) {
        let source = CharacterSource {
            animator: Some(path),
            text: None,
            ..self.driving.source.clone()
        };
        self.driving.editing = None;
        let outbox = Arc::clone(&self.jobs.outbox);
        self.load_animator(source, &outbox);
        if self.panels.editor.open {
            self.edit_animator(AnimatorEditing::Open);
        }
        self.set_mode(Mode::Drive);
    }

    /// Drives whoever is seen, unless somebody was chosen. Until they are ready
    /// the clip is seen, and never somebody else.
    pub(super) fn drive_whoever_is_seen(&mut self) {
        let Some(lead) = self.clips.lead.clone().filter(|_| !self.driving.chosen) else {
            return;
        };
        let source = self.source_of(&lead.loaded.path, lead.path.as_deref());
        if source != self.driving.source {
            self.drive_from(source);
        }
    }

    /// Somebody else under the keyboard.
    pub(super) fn drive_from(&mut self, source: CharacterSource) {
        let recorded = self.driven().and_then(|drive| drive.view.recorded_secs);
        if recorded.is_some() {
            // Whoever leaves takes nothing along that was not offered.
            self.record_motion();
        }
        self.driving.source = source;
        self.driving.drive = None;
        self.reload_animator();
    }

    /// How the performer is driven.
    pub(super) fn performer_source(&self) -> CharacterSource {
        CharacterSource {
            animator: self.driving.source.animator.clone(),
            text: self.driving.source.text.clone(),
            given: self.driving.source.given.clone(),
            held: self.driving.source.held,
            ..CharacterSource::default()
        }
    }

    /// How somebody who is seen is driven: by the clips of their files that say
    /// what they are; the performer's do the rest.
    pub(super) fn source_of(&self, skeleton: &Path, shown: Option<&Path>) -> CharacterSource {
        if skeleton.as_os_str() == PERFORMER {
            return self.performer_source();
        }
        let mut files = vec![skeleton.to_path_buf()];
        let shown = shown.map(Path::to_path_buf);
        for path in shown.into_iter().chain(self.clips.named_paths()) {
            if !files.contains(&path) {
                files.push(path);
            }
        }
        CharacterSource {
            files,
            fill: true,
            options: load_options(self.clips.overrides),
            ..self.performer_source()
        }
    }

    pub(super) fn receive_driven(&mut self, outcome: Result<Box<ReadyCharacter>, SessionError>) {
        match outcome {
            Ok(ready) => self.take_driven(*ready),
            Err(error) => {
                // The old graph stays.
                let fault = error.to_string();
                if let Some(drive) = &mut self.driving.drive {
                    drive.view.error = Some(fault.clone());
                }
                self.driving.fault = Some(fault.clone());
                if !self.tell_in_editor(Some(fault)) {
                    self.tell_error(&error);
                }
            }
        }
    }

    fn take_driven(&mut self, ready: ReadyCharacter) {
        self.driving.clips.clone_from(&ready.clip_names);
        let joints = ready.graph.skeleton.joints().iter();
        self.driving.joints = joints.map(|joint| joint.name.clone()).collect();
        let same_body = |drive: &Drive| Arc::ptr_eq(&drive.clip.body, &ready.clip.body);
        // The same body: its file was edited, and the character goes on from
        // where it stands.
        if let Some((drive, animator)) = self.drive_mut().filter(|(drive, _)| same_body(drive)) {
            drive.reload(ready.graph, (ready.source, ready.given), animator);
            drive.view.memory = Some(ready.memory);
            let text = format!("The animator was read again: {}", drive.view.source);
            self.driving.fault = None;
            if self.driving.editing.is_none() {
                self.tell(Severity::Info, text);
            }
            return;
        }
        let notes = ready.graph.notes.clone();
        if let Some(text) = ready.told {
            self.tell(Severity::Info, text);
        }
        let mut character = ready.character;
        let Some(animator) = character.animator_mut() else {
            return;
        };
        let mut drive = Drive::new(ready.clip, (ready.source, ready.given), animator);
        drive.view.pad.clone_from(&self.driving.pad);
        drive.view.memory = Some(ready.memory);
        self.drive_scene.replace_lead(character);
        self.drive_scene.clock = Clock::endless();
        let was = self.seen_mode();
        self.driving.drive = Some(drive);
        self.driving.fault = None;
        for note in notes {
            self.tell(Severity::Warning, note);
        }
        self.share_view(was);
        self.drive_scene.chase();
        self.recast();
    }
}
