//! A session without a window: messages by hand, time by the test.

mod blending;
mod building;
mod cast;
mod chase;
mod editing;
mod grip;
mod hand;
mod held;
mod learning;
mod library;
mod measuring;
mod opening;
mod random;
mod recorded;
mod walking;
mod whoever;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use glam::Vec2;

use super::*;
use crate::{
    app::Message,
    scene::{CameraMode, ClothKnobs, ClothLook, ClothPreset, PaletteEntry},
    ui::{Action, Codec, CodecKnobs, Command, ImportOverrides, Switch},
};

/// A session and what its threads have to say.
struct Rehearsal {
    session: Session,
    outbox: Outbox,
    inbox: mpsc::Receiver<Message>,
    frame: FrameData,
}

impl Rehearsal {
    fn new(files: Vec<PathBuf>) -> Self {
        Self::with_settings(ViewerSettings::default(), files)
    }

    fn with_settings(settings: ViewerSettings, files: Vec<PathBuf>) -> Self {
        let (sender, inbox) = mpsc::channel();
        let sender = Mutex::new(sender);
        let outbox: Outbox = Arc::new(move |message| {
            let _ = sender.lock().unwrap().send(message);
        });
        let mut session = Session::new(settings, &outbox, files, ImportOverrides::default());
        // By a clock of its own cloth would leave out steps on a busy machine.
        for scene in [&mut session.view_scene, &mut session.drive_scene] {
            scene.cloth.stopwatch = None;
        }
        Self {
            outbox: Arc::clone(&outbox),
            session,
            inbox,
            frame: FrameData::default(),
        }
    }

    fn outbox(&self) -> Outbox {
        Arc::clone(&self.outbox)
    }

    /// Waits for messages until something holds.
    fn until(&mut self, holds: impl Fn(&Session) -> bool) {
        while !holds(&self.session) {
            let message = self.inbox.recv_timeout(Duration::from_secs(60)).unwrap();
            self.session.receive(message);
        }
    }

    fn tick(&mut self, dt_secs: f64) {
        while let Ok(message) = self.inbox.try_recv() {
            self.session.receive(message);
        }
        self.session.now_secs += dt_secs;
        self.session.advance(dt_secs);
        self.session.compose(&mut self.frame);
        let camera = self.frame.camera;
        assert!(camera.target.is_finite() && camera.distance_m.is_finite());
        let finite = |batch: &crate::scene::Batch| {
            let numbers = |entry: &PaletteEntry| [entry.rotation, entry.translation].concat();
            let mut all = batch.palettes.iter().flat_map(numbers);
            all.all(f32::is_finite)
        };
        assert!(self.frame.batches().iter().all(finite));
    }
}

#[test]
fn a_bad_file_is_told_and_what_was_there_stays() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.asf");
    std::fs::write(&bad, ":root nonsense").unwrap();
    rehearsal.session.open(vec![bad]);
    rehearsal.until(|session| !session.notices.list().is_empty());
    let notice = &rehearsal.session.notices.list()[0];
    assert_eq!(notice.severity, Severity::Error);
    assert!(notice.text.contains("bad.asf"), "{}", notice.text);
    let lead = rehearsal.session.clips.lead.as_ref().unwrap();
    assert_eq!(lead.name, "idle");
    assert!(rehearsal.session.jobs.progress.is_none());
}

#[test]
fn files_in_any_order_open_and_neighbours_follow() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let files = vec![assets.join("clips/wave.amc"), assets.join("performer.asf")];
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.clips.lead.is_some());
    let session = &mut rehearsal.session;
    assert_eq!(session.title(), "wave.amc · 120 fps – Kinetoscope");
    assert_eq!(session.clips.rows.len(), 29);
    assert_eq!(session.recent.len(), 2);
    let feet = &session.clips.lead.as_ref().unwrap().marks;
    assert!(!feet.is_empty(), "contacts are marked");
    session.apply(Command::Do(Action::NextClip));
    // The last by name: round to the first.
    rehearsal.until(|session| {
        let lead = session.clips.lead.as_ref();
        lead.is_some_and(|lead| lead.name == "aim.amc")
    });
}

#[test]
fn clips_put_alongside_in_quick_succession_all_come() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.apply(Command::ToggleAlongside(1));
    rehearsal.session.apply(Command::ToggleAlongside(2));
    rehearsal.until(|session| session.scene().characters.len() == 3);
    // Of two that are asked for, the last is shown, whichever is read first.
    rehearsal.session.apply(Command::ShowClip(4));
    rehearsal.session.apply(Command::ShowClip(5));
    let wanted = rehearsal.session.clips.rows[5].name.clone();
    rehearsal.until(|session| session.clip_name() == Some(&wanted));
}

#[test]
fn a_clip_is_compressed_in_the_background_and_only_the_last_request_counts() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    for every in [9, 5, 3] {
        rehearsal.session.panels.codec = CodecKnobs {
            codec: Codec::Every,
            every,
            ..CodecKnobs::default()
        };
        rehearsal.session.apply(Command::Compress);
    }
    rehearsal.until(|session| session.compression.result.is_some());
    let compressed = rehearsal.session.compression.result.clone().unwrap();
    let wanted = crate::codec::CodecSettings::Every { frames: 3 };
    assert_eq!(compressed.result.settings, wanted);
    assert!(compressed.result.ratio() > 2.0);
    assert_eq!(compressed.result.frame_errors_cm.len(), 1441);
    assert!(!compressed.result.key_frames[0].is_empty());
}

#[test]
fn a_clip_plays_on_the_performer_mirrored_and_by_a_map_of_ones_own() {
    use crate::{
        humanoid::{Limb, Role},
        retarget::JointMap,
        ui::Retargeting,
    };
    let folder = tempfile::tempdir().unwrap();
    // A stranger half as tall: the performer's own files in other units.
    let stranger = folder.path().join("stranger.asf");
    std::fs::write(&stranger, crate::import::builtin::SKELETON_ASF).unwrap();
    let walk = folder.path().join("stranger.amc");
    let text = crate::import::builtin::clip("forward").unwrap();
    std::fs::write(&walk, text).unwrap();
    let mut rehearsal = Rehearsal::new(vec![stranger, walk]);
    rehearsal.until(|session| {
        session
            .clips
            .lead
            .as_ref()
            .is_some_and(|it| it.motion.is_some())
    });
    let own = rehearsal.session.clips.lead.clone().unwrap();
    let retarget = |rehearsal: &mut Rehearsal, asked| {
        rehearsal.session.apply(Command::Retarget(asked));
    };
    retarget(&mut rehearsal, Retargeting::PlayOn(Some(0)));
    rehearsal.until(|session| {
        let lead = session.clips.lead.as_ref();
        lead.is_some_and(|it| it.facts.iter().any(|(what, _)| what == "played on"))
    });
    rehearsal.tick(0.1);
    let view = rehearsal.session.panel_view().retarget.unwrap();
    assert!(view.map.unwrap().gaps().is_empty() && view.chosen == Some(0));
    let retargeted = rehearsal.session.clips.lead.clone().unwrap();
    assert_eq!(
        retargeted.raw().unwrap().frames(),
        own.raw().unwrap().frames()
    );

    // Mirrored: the clip changes, and the time stays.
    rehearsal.session.apply(Command::Seek(1.0));
    retarget(&mut rehearsal, Retargeting::Mirror(true));
    assert_close!(rehearsal.session.view_scene.clock.time_secs(), 1.0, 1e-6);
    let mirrored = rehearsal.session.clips.lead.clone().unwrap();
    assert_ne!(mirrored.raw(), retargeted.raw());
    retarget(&mut rehearsal, Retargeting::Mirror(false));

    // A part taken out is a gap; a map from a file puts it right.
    let text = rehearsal
        .session
        .panel_view()
        .retarget
        .unwrap()
        .map
        .unwrap()
        .to_ron();
    let hand = Role::Left(Limb::Hand);
    retarget(
        &mut rehearsal,
        Retargeting::Link {
            role: hand,
            from: None,
            to: Some(Vec::new()),
        },
    );
    let gaps = |rehearsal: &Rehearsal| {
        let view = rehearsal.session.panel_view().retarget.unwrap();
        view.map.map(JointMap::gaps).unwrap_or_default()
    };
    assert_eq!(gaps(&rehearsal).len(), 1);
    let file = folder.path().join("map.ron");
    std::fs::write(&file, &text).unwrap();
    rehearsal.session.apply(Command::Open(vec![file.clone()]));
    assert!(gaps(&rehearsal).is_empty());

    // A wrong one is told, and what was there stays.
    std::fs::write(&file, text.replacen("lfemur", "lfemurr", 1)).unwrap();
    rehearsal.session.apply(Command::Open(vec![file]));
    let notice = rehearsal.session.notices.list().last().unwrap();
    assert!(notice.text.contains("map.ron: line"), "{}", notice.text);
    assert!(notice.text.contains("lfemurr"), "{}", notice.text);
    assert!(gaps(&rehearsal).is_empty());

    retarget(&mut rehearsal, Retargeting::PlayOn(None));
    let lead = rehearsal.session.clips.lead.clone().unwrap();
    assert!(Arc::ptr_eq(&lead, &own));
}

/// None or one of the four, coarse.
fn small_sheet(index: usize) -> ClothKnobs {
    let preset = ClothPreset::ALL.get(index).copied();
    let mut knobs = ClothKnobs::of(preset, ClothLook::default());
    knobs.columns = 10;
    knobs
}

#[test]
fn a_sheet_hangs_in_both_modes_and_can_be_pulled_at() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.view_scene.clock.playing = false;
    rehearsal.session.apply(Command::Cloth(small_sheet(2)));
    rehearsal.tick(0.1);
    let stats = rehearsal.session.panel_view().cloth.stats.unwrap();
    assert_eq!(stats.particles, 10 * 7);
    assert_eq!(rehearsal.frame.sheets().len(), 2, "flag and pole");
    assert!(
        rehearsal.session.is_moving(),
        "it blows while the clip stands"
    );
    let size = Vec2::new(1280.0, 720.0);
    let place = |rehearsal: &Rehearsal| {
        let cloth = rehearsal.session.scene().cloth.cloth().unwrap();
        cloth.cloth().position(69)
    };
    let before = place(&rehearsal);
    let view = rehearsal
        .session
        .scene_mut()
        .camera
        .camera
        .view(size.x / size.y);
    let at = view.project(before).unwrap() * size;
    assert!(!rehearsal.session.grab_cloth(Vec2::ZERO, size));
    assert!(rehearsal.session.grab_cloth(at, size));
    rehearsal
        .session
        .pull_cloth(at + Vec2::new(0.0, 200.0), size);
    (0..20).for_each(|_| rehearsal.tick(0.05));
    let held = place(&rehearsal);
    assert!(held.y < before.y - 0.2, "{before} to {held}");
    rehearsal.session.release_cloth();
    let outbox = rehearsal.outbox();
    rehearsal
        .session
        .load_animator(CharacterSource::default(), &outbox);
    rehearsal.until(|session| session.driving.drive.is_some());
    rehearsal.session.apply(Command::Cloth(small_sheet(1)));
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    rehearsal.session.drive_key("W", true);
    (0..30).for_each(|_| rehearsal.tick(0.04));
    let stats = rehearsal.session.panel_view().cloth.stats.unwrap();
    assert_eq!(stats.blow_ups, 0);
    let (root, _) = rehearsal.session.scene().root_heading();
    let cloth = rehearsal.session.scene().cloth.cloth().unwrap();
    let off = cloth.cloth().position(35) - root;
    assert!(
        root.length() > 0.5 && off.length() < 1.2,
        "{root}, cape {off} off"
    );
    rehearsal.session.apply(Command::ResetCloth);
    rehearsal
        .session
        .apply(Command::Cloth(ClothKnobs::default()));
    rehearsal.tick(0.1);
    assert!(rehearsal.frame.sheets().is_empty());
}

#[test]
fn a_torn_sheet_is_told() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.apply(Command::Cloth(small_sheet(0)));
    rehearsal.tick(0.1);
    rehearsal.session.scene_mut().cloth.tear();
    rehearsal.tick(0.1);
    let told = rehearsal.session.notices.list().last().unwrap();
    assert!(told.text.contains("panel"), "{}", told.text);
    assert_eq!(told.severity, Severity::Warning);
}

#[test]
fn esc_closes_one_thing_at_a_time_from_the_top() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    let session = &mut rehearsal.session;
    session.set_mode(Mode::Drive);
    session.select(Some(3));
    session.panels.log = true;
    session.panels.shortcuts = true;
    session.apply(Command::Do(Action::Export));
    let open = |session: &Session| {
        let panels = &session.panels;
        let floats = [panels.export.is_some(), panels.shortcuts, panels.log];
        let chosen = session.options.selected.is_some();
        let all = [chosen, session.mode == Mode::Drive].into_iter();
        all.chain(floats).filter(|it| *it).count()
    };
    for left in (0..5).rev() {
        session.apply(Command::Do(Action::Back));
        assert_eq!(open(session), left);
    }
    session.apply(Command::Do(Action::Back));
    assert!(session.requests.is_empty(), "never the program");
}

#[test]
fn a_cape_hangs_sound_after_a_jump_in_time() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    for clip in ["jump", "attack"] {
        let rows = &rehearsal.session.clips.rows;
        let row = rows.iter().position(|row| row.name == clip).unwrap();
        rehearsal.session.apply(Command::ShowClip(row));
        rehearsal.until(|session| session.clip_name() == Some(clip));
        rehearsal.session.apply(Command::Cloth(small_sheet(1)));
        for _ in 0..3 {
            // Somewhere in the act, then its start.
            (0..15).for_each(|_| rehearsal.tick(0.06));
            rehearsal.session.apply(Command::Do(Action::ToStart));
            (0..30).for_each(|_| rehearsal.tick(0.01));
            let stats = rehearsal.session.panel_view().cloth.stats.unwrap();
            assert_eq!(stats.blow_ups, 0, "{clip}");
            assert!(stats.max_stretch < 1.1, "{clip}: {}", stats.max_stretch);
        }
    }
}
