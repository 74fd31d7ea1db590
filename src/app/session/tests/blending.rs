//! Blend mode: taking clips, weights, plain and registered, what cannot be.

use super::*;
use crate::{
    app::blend_worker::BlendKind,
    clip::{ClipCursor, SampleClip},
    register::Pin,
    skeleton::{LocalPose, ModelPose},
    ui::{Blending, InputsShown},
};

/// The performer's clips, some of them taken.
fn blending(names: &[&str]) -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.set_mode(Mode::Blend);
    // What was shown is taken to begin with.
    take(&mut rehearsal, "idle");
    for name in names {
        take(&mut rehearsal, name);
    }
    rehearsal
}

fn take(rehearsal: &mut Rehearsal, name: &str) {
    let rows = &rehearsal.session.clips.rows;
    let row = rows.iter().position(|row| row.name == name).unwrap();
    ask(rehearsal, Blending::Pick(row));
}

fn ask(rehearsal: &mut Rehearsal, asked: Blending) {
    rehearsal.session.apply(Command::Blend(asked));
}

/// Waits for the answer to the last job.
fn settle(rehearsal: &mut Rehearsal) {
    rehearsal.until(|session| {
        let view = session.blending_view();
        view.progress.is_none() && (view.shown.is_some() || view.fault.is_some())
    });
}

fn blended(rehearsal: &Rehearsal) -> Arc<crate::app::blend_worker::Blended> {
    rehearsal.session.blending.shown.clone().unwrap()
}

/// Metres from where one clip has its joints to where another has them.
fn apart_m(
    blend: &crate::app::blend_worker::Blended,
    secs: f64,
    (motion, aligned): (usize, bool),
) -> f32 {
    let skeleton = &blend.clip.skeleton;
    let mut cursor = ClipCursor::default();
    let mut local = LocalPose::default();
    let mut positions = |clip: &dyn SampleClip, secs: f64| {
        let mut model = ModelPose::default();
        clip.sample(skeleton, secs, &mut cursor, &mut local);
        model.compute(skeleton, &local);
        let joints = model.joints().iter();
        joints.map(|joint| joint.position()).collect::<Vec<_>>()
    };
    let own = positions(&**blend.clip.raw().unwrap(), secs);
    let other = blend.source_secs(motion, secs);
    let mut theirs = positions(&*blend.registration.motions()[motion], other);
    if aligned && let BlendKind::Registered(it) = &blend.kind {
        let placed = it.blend_from_motion(motion, secs).transform();
        for point in &mut theirs {
            *point = placed.transform_point((*point).into()).into();
        }
    }
    let distances = own.iter().zip(theirs).map(|(a, b)| a.distance(b));
    distances.fold(0.0, f32::max)
}

#[test]
fn the_mode_is_entered_with_what_is_shown_and_esc_leaves_it() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.panels.sections = vec![crate::ui::Section::Clip];
    rehearsal.session.apply(Command::Seek(2.0));
    rehearsal
        .session
        .apply(Command::Do(Action::Enter(Mode::Blend)));
    let open = rehearsal.session.panels.open();
    assert!(open.contains(&"Blend"), "{open:?}");
    let view = rehearsal.session.panel_view();
    assert!(view.blending.picked.len() == 1 && view.blending.shown.is_none());
    // Until there is a blend, the clip is still seen.
    assert_eq!(rehearsal.session.clip_name(), Some("idle"));

    take(&mut rehearsal, "idle");
    take(&mut rehearsal, "forward");
    take(&mut rehearsal, "run");
    settle(&mut rehearsal);
    assert_eq!(rehearsal.session.clip_name(), Some("forward + run"));
    assert!(rehearsal.session.title().starts_with("forward + run · "));
    rehearsal.tick(0.2);
    assert_eq!(rehearsal.session.scene().characters.len(), 1);
    let frames = rehearsal.session.panel_view().clip.unwrap().frames();
    assert!(frames > 20, "{frames}");

    rehearsal.session.apply(Command::Do(Action::Back));
    assert_eq!(rehearsal.session.mode, Mode::View);
    assert_eq!(rehearsal.session.clip_name(), Some("idle"));
    assert_close!(rehearsal.session.playback().time_secs, 2.0, 0.01);
    // And it is there again at once.
    rehearsal
        .session
        .apply(Command::Do(Action::Enter(Mode::Blend)));
    assert_eq!(rehearsal.session.clip_name(), Some("forward + run"));
}

#[test]
fn at_its_ends_a_blend_is_the_clip_and_between_it_is_neither() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let half = blended(&rehearsal);
    let middle = half.clip.duration_secs() / 2.0;
    assert!(apart_m(&half, middle, (0, true)) > 0.03);
    assert!(apart_m(&half, middle, (1, true)) > 0.03);
    for (motion, weights) in [(0, vec![1.0, 0.0]), (1, vec![0.0, 1.0])] {
        ask(&mut rehearsal, Blending::Weights(weights));
        settle(&mut rehearsal);
        let blend = blended(&rehearsal);
        let fps = blend.clip.raw().unwrap().fps;
        for frame in [0.0, 20.0, 35.0] {
            let off = apart_m(&blend, frame / fps, (motion, true));
            assert!(off < 1e-3, "{motion}: {off} m at frame {frame}");
        }
    }
    // Weights that do not go with the clips change nothing.
    ask(&mut rehearsal, Blending::Weights(vec![1.0; 3]));
    assert_eq!(rehearsal.session.blending_view().weights.len(), 2);
}

#[test]
fn plain_and_registered_differ_and_the_feet_tell() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let registered = blended(&rehearsal);
    ask(&mut rehearsal, Blending::Plain(true));
    settle(&mut rehearsal);
    let plain = blended(&rehearsal);
    assert!(matches!(plain.kind, BlendKind::Plain(_)));
    let (own, other) = (registered.slide_m, plain.slide_m);
    assert!(own < 0.015 && own < 0.5 * other, "{own} m, plain {other} m");
    // The same registration: nothing was compared twice.
    assert!(Arc::ptr_eq(&registered.registration, &plain.registration));
}

#[test]
fn other_weights_go_on_from_the_same_moment_of_the_act() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    rehearsal.session.clock_mut().playing = false;
    let before = blended(&rehearsal);
    let middle = before.time_at(0.5);
    rehearsal.session.apply(Command::Seek(middle));
    rehearsal
        .session
        .apply(Command::Range(0.0, before.time_at(0.75)));
    ask(&mut rehearsal, Blending::Weights(vec![0.9, 0.1]));
    settle(&mut rehearsal);
    let after = blended(&rehearsal);
    assert!(after.clip.duration_secs() > before.clip.duration_secs() + 0.05);
    let playback = rehearsal.session.playback();
    assert_close!(after.share_at(playback.time_secs), 0.5, 0.01);
    assert_close!(after.share_at(playback.range_secs.1), 0.75, 0.01);
}

#[test]
fn inputs_are_seen_as_ghosts_or_beside_and_in_step() {
    let mut rehearsal = blending(&["forward", "run", "strafe_left"]);
    settle(&mut rehearsal);
    for (inputs, see_through) in [(InputsShown::Aligned, true), (InputsShown::Beside, false)] {
        ask(&mut rehearsal, Blending::Inputs(inputs));
        rehearsal.tick(0.3);
        let characters = &rehearsal.session.scene().characters;
        assert_eq!(characters.len(), 4, "{inputs:?}");
        assert!(
            characters[1..]
                .iter()
                .all(|it| it.see_through == see_through)
        );
    }
    let labels = rehearsal
        .frame
        .labels
        .iter()
        .map(|label| label.text.as_str());
    assert!(labels.collect::<Vec<_>>().contains(&"run"));
    ask(&mut rehearsal, Blending::Inputs(InputsShown::Aligned));
    rehearsal.tick(0.0);
    let footings: Vec<_> = { rehearsal.session.scene().characters.iter() }
        .map(|it| it.footing())
        .collect();
    for ghost in &footings[1..] {
        assert!(ghost.distance(footings[0]) < 0.3, "{footings:?}");
    }
    ask(&mut rehearsal, Blending::Inputs(InputsShown::Hidden));
    assert_eq!(rehearsal.session.scene().characters.len(), 1);
}

#[test]
fn a_moment_set_by_hand_is_kept_and_one_that_cannot_be_is_told() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let curve = blended(&rehearsal).registration.curves()[1].clone();
    let [first, last] = curve.range_secs();
    let at = 0.5 * (first + last);
    let pin = [at, curve.time_at(at) + 0.1];
    let of = [0, 1];
    ask(&mut rehearsal, Blending::Pins(vec![Pin { of, secs: pin }]));
    settle(&mut rehearsal);
    let pinned = blended(&rehearsal);
    let path = &pinned.registration.pairs()[0].1;
    let off = path.path.iter().map(|cell| {
        let off = |k: usize| (cell[k] as f64 / path.grid.rate_hz - pin[k]).abs();
        off(0).max(off(1))
    });
    let off = off.fold(f64::INFINITY, f64::min);
    // Steps of up to three cells pass beside it.
    assert!(off < 0.07, "the path passes {off} s beside {pin:?}");
    // Two that contradict each other.
    let crossed = [[0.2, 0.6], [0.8, 0.1]].map(|secs| Pin { of, secs });
    ask(&mut rehearsal, Blending::Pins(crossed.to_vec()));
    settle(&mut rehearsal);
    let fault = rehearsal.session.blending_view().fault.unwrap().to_owned();
    assert!(fault.contains("forward"), "{fault}");
    assert!(Arc::ptr_eq(&blended(&rehearsal), &pinned), "it stays");
    // It is told once, and the user goes on.
    ask(&mut rehearsal, Blending::Pins(Vec::new()));
    settle(&mut rehearsal);
    assert!(rehearsal.session.blending_view().fault.is_none());
}

#[test]
fn a_pair_of_three_is_set_by_hand_and_the_others_go_on() {
    let mut rehearsal = blending(&["forward", "run", "backward"]);
    settle(&mut rehearsal);
    let found = blended(&rehearsal);
    let (of, pair) = found.registration.pairs().last().unwrap();
    let middle = pair.path[pair.path.len() / 2];
    let secs = middle.map(|cell| cell as f64 / pair.grid.rate_hz);
    let secs = [secs[0], secs[1] + 0.1];
    ask(&mut rehearsal, Blending::Pins(vec![Pin { of: *of, secs }]));
    settle(&mut rehearsal);
    assert_eq!(rehearsal.session.blending_view().fault, None);
    let pinned = blended(&rehearsal);
    let pairs = pinned.registration.pairs();
    let (_, moved) = pairs.iter().find(|(known, _)| known == of).unwrap();
    assert_ne!(moved.path, pair.path);
    for ((of_before, before), (_, after)) in found.registration.pairs().iter().zip(pairs) {
        assert_eq!(before.path == after.path, of_before != of);
    }
}

#[test]
fn a_mirrored_blend_is_the_mirror_of_the_blend() {
    use crate::ui::Retargeting;
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let side = |rehearsal: &Rehearsal| {
        let clip = &blended(rehearsal).clip;
        let character = clip.character();
        let hands = ["lhand", "rhand"].map(|name| clip.skeleton.find(name).unwrap());
        let pose = character.pose_at(0.3);
        let ahead = |joint: u16| {
            let at = pose.joints()[usize::from(joint)].position() - character.footing_in(&pose);
            at.dot(character.facing)
        };
        ahead(hands[0]) - ahead(hands[1])
    };
    let own = side(&rehearsal);
    let mirror = Command::Retarget(Retargeting::Mirror(true));
    rehearsal.session.apply(mirror);
    settle(&mut rehearsal);
    let mirrored = side(&rehearsal);
    assert!(own.abs() > 0.02, "a walk swings its arms: {own}");
    assert!(
        (mirrored + own).abs() < 0.3 * own.abs(),
        "{own} and {mirrored}"
    );
}

const CHAIN: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Top
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
";

fn chain(folder: &Path, name: &str, frames: usize) -> PathBuf {
    let path = folder.join(name);
    let rows = (0..frames).map(|frame| {
        let turn = (frame as f64 * 0.2).sin() * 40.0;
        format!("{} 10 0 0 {turn} 0 {turn} 0 0\n", frame as f64)
    });
    let rows: String = rows.collect();
    let text = format!("{CHAIN}MOTION\nFrames: {frames}\nFrame Time: 0.033333\n{rows}");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_cannot_be_blended_says_why_and_what_has_no_feet_can() {
    let folder = tempfile::tempdir().unwrap();
    let [swing, swing_2, pose] = [("a.bvh", 60), ("b.bvh", 80), ("pose.bvh", 1)]
        .map(|(name, frames)| chain(folder.path(), name, frames));
    let mut rehearsal = Rehearsal::new(vec![swing, swing_2, pose]);
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.set_mode(Mode::Blend);
    let picked = rehearsal.session.blending_view().picked.to_vec();
    for row in picked {
        ask(&mut rehearsal, Blending::Pick(row));
    }
    take(&mut rehearsal, "a.bvh");
    take(&mut rehearsal, "pose.bvh");
    settle(&mut rehearsal);
    let fault = rehearsal.session.blending_view().fault.unwrap().to_owned();
    assert!(
        fault.contains("pose.bvh") && fault.contains("1 frame"),
        "{fault}"
    );
    let told = rehearsal.session.notices.list().last().unwrap();
    assert_eq!(told.severity, Severity::Error);
    assert_eq!(rehearsal.session.clip_name(), Some("a.bvh"));

    take(&mut rehearsal, "pose.bvh");
    take(&mut rehearsal, "b.bvh");
    settle(&mut rehearsal);
    let view = rehearsal.session.blending_view();
    assert_eq!(view.fault, None);
    assert!(view.shown.unwrap().registration.contacts().is_empty());
    rehearsal.tick(0.1);
}

#[test]
fn clips_of_another_skeleton_are_retargeted_to_the_first() {
    let folder = tempfile::tempdir().unwrap();
    // The performer, and somebody half as tall.
    let asf = crate::import::builtin::SKELETON_ASF;
    let half = asf.replace("length 0.45", "length 0.9");
    let mut files = Vec::new();
    for (name, asf, clip) in [("walk", &*half, "forward"), ("run", asf, "run")] {
        let own = folder.path().join(name);
        std::fs::create_dir(&own).unwrap();
        let [skeleton, motion] = ["asf", "amc"].map(|end| own.join(format!("{name}.{end}")));
        std::fs::write(&skeleton, asf).unwrap();
        std::fs::write(&motion, crate::import::builtin::clip(clip).unwrap()).unwrap();
        files.extend([skeleton, motion]);
    }
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.set_mode(Mode::Blend);
    let picked = rehearsal.session.blending_view().picked.to_vec();
    for row in picked {
        ask(&mut rehearsal, Blending::Pick(row));
    }
    take(&mut rehearsal, "run.amc");
    take(&mut rehearsal, "walk.amc");
    settle(&mut rehearsal);
    let view = rehearsal.session.blending_view();
    assert_eq!(view.fault, None);
    let blend = blended(&rehearsal);
    assert_eq!(blend.names, ["run", "walk"]);
    let run = rehearsal
        .session
        .clips
        .clip(rehearsal.session.blending_view().picked[0]);
    let [own, run] = [&blend.clip, run.unwrap()].map(|clip| clip.skeleton.rest_height_m());
    assert_close!(own, run, 1e-6);
}

#[test]
fn a_blend_is_exported_and_a_state_plays_it() {
    let mut rehearsal = blending(&["forward", "run"]);
    let outbox = rehearsal.outbox();
    let source = CharacterSource::default();
    rehearsal.session.load_animator(source, &outbox);
    rehearsal.until(|session| session.driving.drive.is_some());
    settle(&mut rehearsal);
    let folder = tempfile::tempdir().unwrap();
    rehearsal.session.apply(Command::Do(Action::Export));
    let mut dialog = rehearsal.session.panels.export.clone().unwrap();
    assert!(dialog.path.contains("forward + run"), "{}", dialog.path);
    let path = folder.path().join("jog.bvh");
    dialog.path = path.display().to_string();
    dialog.kind = crate::ui::ExportKind::Motion(crate::convert::Format::Bvh);
    rehearsal.session.apply(Command::Export(dialog));
    rehearsal.until(|session| !session.notices.list().is_empty());
    let text = std::fs::read_to_string(&path).unwrap();
    let frames = blended(&rehearsal).clip.raw().unwrap().frames();
    assert!(text.contains(&format!("Frames: {frames}")));

    let session = &mut rehearsal.session;
    session.receive(Message::ForState("FORWARD".into(), Ok(path)));
    rehearsal.until(|session| {
        let drive = session.driving.drive.as_ref().unwrap();
        drive.view.given == [("FORWARD".to_owned(), "jog.bvh".to_owned())]
    });
    assert!(rehearsal.session.driving.fault.is_none());
}

#[test]
fn an_export_that_is_given_up_leaves_nothing() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let folder = tempfile::tempdir().unwrap();
    rehearsal.session.apply(Command::Do(Action::Export));
    let mut dialog = rehearsal.session.panels.export.clone().unwrap();
    dialog.path = folder.path().join("jog.kin").display().to_string();
    dialog.kind = crate::ui::ExportKind::Motion(crate::convert::Format::Kin);
    rehearsal.session.apply(Command::Export(dialog));
    rehearsal.session.apply(Command::CancelExport);
    rehearsal.until(|session| session.jobs.exporting.is_none());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let told = rehearsal.session.notices.list().last().unwrap();
    assert!(told.text.contains("nothing was written"), "{}", told.text);
}

#[test]
fn other_files_begin_anew_and_stay_in_the_mode() {
    let mut rehearsal = blending(&["forward", "run"]);
    settle(&mut rehearsal);
    let folder = tempfile::tempdir().unwrap();
    let files = [("a.bvh", 60), ("b.bvh", 70)].map(|(name, n)| chain(folder.path(), name, n));
    rehearsal.session.open(files.to_vec());
    rehearsal.until(|session| session.clip_name() == Some("a + b"));
    assert_eq!(rehearsal.session.mode, Mode::Blend);
}
