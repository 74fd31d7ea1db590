//! A session without a window: messages by hand, time by the test.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use glam::Vec2;

use super::*;
use crate::{
    app::Message,
    clip::Wrap,
    codec::synthetic::Random,
    scene::{ClothLook, ClothPreset, PaletteEntry},
    ui::{Action, ClothKnobs, Codec, CodecKnobs, Command},
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
        let (sender, inbox) = mpsc::channel();
        let sender = Mutex::new(sender);
        let outbox: Outbox = Arc::new(move |message| {
            let _ = sender.lock().unwrap().send(message);
        });
        Self {
            outbox: Arc::clone(&outbox),
            session: Session::new(Settings::default(), &outbox, files),
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
        assert!(self.frame.batches.iter().all(finite));
    }
}

#[test]
fn a_bad_file_is_told_and_what_was_there_stays() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.stage.lead.is_some());
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.asf");
    std::fs::write(&bad, ":root nonsense").unwrap();
    rehearsal.session.open(vec![bad]);
    rehearsal.until(|session| !session.notices.list().is_empty());
    let notice = &rehearsal.session.notices.list()[0];
    assert_eq!(notice.gravity, Gravity::Error);
    assert!(notice.text.contains("bad.asf"), "{}", notice.text);
    let lead = rehearsal.session.stage.lead.as_ref().unwrap();
    assert_eq!(lead.name, "idle");
    assert!(rehearsal.session.progress.is_none());
}

#[test]
fn files_in_any_order_open_and_neighbours_follow() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let files = vec![assets.join("clips/wave.amc"), assets.join("performer.asf")];
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.stage.lead.is_some());
    let session = &mut rehearsal.session;
    assert_eq!(session.title(), "wave.amc · 120 fps – Kinetoscope");
    assert_eq!(session.rows.len(), 11);
    assert_eq!(session.recent.len(), 2);
    session.apply(Command::Do(Action::NextClip));
    // The last by name: round to the first.
    rehearsal.until(|session| {
        let lead = session.stage.lead.as_ref();
        lead.is_some_and(|lead| lead.name == "attack.amc")
    });
    let feet = &rehearsal.session.stage.lead.as_ref().unwrap().marks;
    assert!(!feet.is_empty(), "contacts are marked");
}

#[test]
fn a_clip_is_compressed_in_the_background_and_only_the_last_wish_counts() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.stage.lead.is_some());
    for every in [9, 5, 3] {
        rehearsal.session.panels.codec = CodecKnobs {
            codec: Codec::Every,
            every,
            ..CodecKnobs::default()
        };
        let wanted = rehearsal.session.panels.codec.settings();
        rehearsal.session.apply(Command::Compress(wanted));
    }
    rehearsal.until(|session| session.stage.squeezed.is_some());
    let squeezed = rehearsal.session.stage.squeezed.clone().unwrap();
    let wanted = crate::codec::Settings::Every { frames: 3 };
    assert_eq!(squeezed.result.settings, wanted);
    assert!(squeezed.result.ratio() > 2.0);
    assert_eq!(squeezed.result.frame_errors_cm.len(), 1441);
    assert!(!squeezed.result.key_frames[0].is_empty());
}

#[test]
fn a_thousand_random_wishes_leave_it_sound() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.stage.lead.is_some());
    let rows: Vec<Action> = crate::ui::keys::TABLE
        .iter()
        .filter_map(|row| match row.deed {
            crate::ui::keys::Deed::Act(action) => Some(action),
            _ => None,
        })
        .filter(|action| *action != Action::Open)
        .collect();
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let pick = random.between(0.0, 1.0);
        let index = random.bits() as usize;
        let number = f64::from(random.between(-3.0, 15.0));
        let command = match (pick * 10.0) as u32 {
            0 => Command::Seek(number),
            1 => Command::Range(number, f64::from(random.between(-3.0, 15.0))),
            2 => Command::Speed(number),
            3 => Command::Wrap([Wrap::Once, Wrap::Loop, Wrap::PingPong][index % 3]),
            4 => Command::Select(Some((index % 40) as u16)),
            5 if index.is_multiple_of(8) => Command::ShowClip(index % 14),
            5 => Command::ToggleBeside(index % 14),
            6 if index.is_multiple_of(4) => Command::Cloth(small_sheet(index / 4 % 5)),
            _ => Command::Do(rows[index % rows.len()]),
        };
        rehearsal.session.apply(command);
        rehearsal
            .session
            .rig
            .orbit(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        rehearsal.session.rig.camera.zoom(random.between(0.5, 2.0));
        rehearsal.session.wishes.clear();
        rehearsal.tick(f64::from(random.between(0.0, 0.1)));
    }
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
    rehearsal.until(|session| session.stage.lead.is_some());
    rehearsal.session.player.playing = false;
    rehearsal.session.apply(Command::Cloth(small_sheet(2)));
    rehearsal.tick(0.1);
    let figures = rehearsal.session.model().cloth.figures.unwrap();
    assert_eq!(figures.particles, 10 * 7);
    assert_eq!(rehearsal.frame.sheets.len(), 2, "flag and pole");
    assert!(
        rehearsal.session.is_moving(),
        "it blows while the clip stands"
    );
    let size = Vec2::new(1280.0, 720.0);
    let place = |rehearsal: &Rehearsal| {
        let (drape, _) = rehearsal.session.wardrobe.drape().unwrap();
        drape.cloth().position(69)
    };
    let before = place(&rehearsal);
    let view = rehearsal.session.rig.camera.view(size.x / size.y);
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
        .load_animator(CastSource::default(), &outbox);
    rehearsal.until(|session| session.drive.is_some());
    rehearsal.session.apply(Command::Cloth(small_sheet(1)));
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    rehearsal.session.drive_key("W", true);
    (0..30).for_each(|_| rehearsal.tick(0.04));
    let figures = rehearsal.session.model().cloth.figures.unwrap();
    assert_eq!(figures.blow_ups, 0);
    let (root, _) = rehearsal.session.root_place();
    let (drape, _) = rehearsal.session.wardrobe.drape().unwrap();
    let off = drape.cloth().position(35) - root;
    assert!(
        root.length() > 0.5 && off.length() < 1.2,
        "{root}, cape {off} off"
    );
    rehearsal.session.apply(Command::ResetCloth);
    rehearsal
        .session
        .apply(Command::Cloth(ClothKnobs::default()));
    rehearsal.tick(0.1);
    assert!(rehearsal.frame.sheets.is_empty());
}

#[test]
fn a_torn_sheet_is_told() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.stage.lead.is_some());
    rehearsal.session.apply(Command::Cloth(small_sheet(0)));
    rehearsal.tick(0.1);
    rehearsal.session.wardrobe.tear();
    rehearsal.tick(0.1);
    let told = rehearsal.session.notices.list().last().unwrap();
    assert!(told.text.contains("panel"), "{}", told.text);
    assert_eq!(told.gravity, Gravity::Warning);
}
