//! *Record* in Drive: what the keys did, taken home.

use super::*;
use crate::{
    animator::TICK_RATE,
    app::drive::CharacterSource,
    convert::Format,
    load::{self, LoadOptions, Loaded},
    skeleton::{LocalPose, ModelPose},
    ui::ExportKind,
};

fn driven() -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    let session = &mut rehearsal.session;
    session.set_mode(Mode::Drive);
    session.load_animator(CharacterSource::default(), &outbox);
    rehearsal.until(|session| session.clips.lead.is_some() && session.driven().is_some());
    rehearsal
}

/// Hips and balls of the feet in the world, at every tick.
fn drive_recorded(rehearsal: &mut Rehearsal) -> Vec<Vec<glam::Vec3>> {
    let joints = |session: &Session| -> Vec<glam::Vec3> {
        let pose = session.drive_scene.lead().unwrap().world_pose();
        pose.joints().iter().map(|joint| joint.position()).collect()
    };
    rehearsal.tick(0.0);
    rehearsal.session.apply(Command::Do(Action::RecordMotion));
    let mut seen = vec![joints(&rehearsal.session)];
    for tick in 0..240 {
        match tick {
            10 => rehearsal.session.drive_key("W", true),
            60 => rehearsal.session.drive_key("A", true),
            120 => rehearsal.session.drive_key("F", true),
            _ => {}
        }
        rehearsal.tick(1.0 / TICK_RATE);
        seen.push(joints(&rehearsal.session));
    }
    seen
}

#[test]
fn what_the_keys_did_is_written_and_plays_back() {
    let mut rehearsal = driven();
    let seen = drive_recorded(&mut rehearsal);
    let recorded = rehearsal.session.driven().unwrap().view.recorded_secs;
    assert_close!(recorded.unwrap(), 2.0, 1e-6);
    rehearsal.session.apply(Command::Do(Action::RecordMotion));
    let session = &mut rehearsal.session;
    assert_eq!(session.driven().unwrap().view.recorded_secs, None);
    let mut dialog = session.panels.export.clone().unwrap();
    let folder = tempfile::tempdir().unwrap();
    dialog.path = folder.path().join("mine.bvh").display().to_string();
    dialog.set_kind(ExportKind::Motion(Format::Bvh));
    let path = PathBuf::from(&dialog.path);
    session.apply(Command::Export(dialog));
    rehearsal.until(|session| !session.notices.list().is_empty());

    let loaded = load::load(&[path], LoadOptions::default()).into_iter();
    let motion = { loaded }.find_map(|(_, it)| Loaded::into_motion(it.unwrap()));
    let motion = motion.unwrap();
    assert_eq!(motion.raw().frames(), seen.len());
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let own = &rehearsal.session.driven().unwrap().clip.skeleton;
    for (frame, seen) in seen.iter().enumerate() {
        motion.raw().frame_pose(motion.skeleton(), frame, &mut pose);
        model.compute(motion.skeleton(), &pose);
        for (joint, seen) in own.joints().iter().zip(seen) {
            let played = motion.skeleton().find(&joint.name).unwrap();
            let played = model.joints()[usize::from(played)].position();
            assert!(played.distance(*seen) < 1e-3, "{frame} {}", joint.name);
        }
    }
}
