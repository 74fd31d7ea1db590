//! A path on the ground, drawn with the pointer and followed.

use super::*;
use crate::ui::Blending;

const SIZE: Vec2 = Vec2::new(1280.0, 800.0);

fn ask(rehearsal: &mut Rehearsal, asked: Blending) {
    rehearsal.session.apply(Command::Blend(asked));
}

/// The performer's walk and run, in Blend mode, ready to be drawn for.
fn ready(folder: &Path) -> Rehearsal {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let copy = |name: &str| {
        let from = assets.join(name);
        let to = folder.join(from.file_name().unwrap());
        std::fs::copy(&from, &to).unwrap();
        to
    };
    opened(
        ["performer.asf", "clips/forward.amc", "clips/run.amc"]
            .map(copy)
            .to_vec(),
    )
}

fn opened(files: Vec<PathBuf>) -> Rehearsal {
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.set_mode(Mode::Blend);
    ask(&mut rehearsal, Blending::DrawPath(true));
    rehearsal
}

/// A drag over the ground from the left to the right, bent by so many pixels.
fn draw(rehearsal: &mut Rehearsal, bend_px: f32) {
    let at = |share: f32| Vec2::new(300.0 + 600.0 * share, 620.0 - bend_px * (share * 3.1).sin());
    assert!(rehearsal.session.begin_path(at(0.0), SIZE));
    for step in 1..=60 {
        rehearsal.session.draw_path(at(step as f32 / 60.0), SIZE);
        rehearsal.tick(0.01);
    }
    assert!(
        !rehearsal.frame.lines.is_empty(),
        "it is seen while it is drawn"
    );
    rehearsal.session.end_path();
}

#[test]
fn a_drawn_path_is_followed_and_the_walk_is_a_clip() {
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = ready(folder.path());
    draw(&mut rehearsal, 0.0);
    let length_m = rehearsal.session.blending_view().path.length_m;
    assert!(length_m > 2.0, "{length_m} m");
    assert!(rehearsal.session.blending_view().path.progress.is_some());
    rehearsal.until(|session| session.blending_view().path.progress.is_none());
    let view = rehearsal.session.blending_view().path;
    assert_eq!(view.fault, None);
    let walk = view.walk.unwrap();
    assert!(walk.off_m[0] < 0.4 && walk.off_m[1] < 1.0, "{walk:?}");
    assert_eq!((walk.motions, walk.left_out.len()), (2, 0));
    assert_eq!(rehearsal.session.clip_name(), Some("walk"));
    rehearsal.tick(0.5);

    rehearsal.session.apply(Command::Do(Action::Export));
    let mut dialog = rehearsal.session.panels.export.clone().unwrap();
    let path = folder.path().join("walk.bvh");
    dialog.path = path.display().to_string();
    dialog.kind = crate::ui::ExportKind::Motion(crate::convert::Format::Bvh);
    rehearsal.session.apply(Command::Export(dialog));
    rehearsal.until(|session| !session.notices.list().is_empty());
    let frames = rehearsal
        .session
        .shown_clip()
        .unwrap()
        .raw()
        .unwrap()
        .frames();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&format!("Frames: {frames}")));

    ask(&mut rehearsal, Blending::ForgetPath);
    assert_ne!(rehearsal.session.clip_name(), Some("walk"));
    assert!(rehearsal.session.drawn_path().is_empty());
    rehearsal.tick(0.1);
}

#[test]
fn a_walk_can_be_cancelled_and_a_short_path_is_a_slip() {
    let folder = tempfile::tempdir().unwrap();
    let mut rehearsal = ready(folder.path());
    draw(&mut rehearsal, 60.0);
    ask(&mut rehearsal, Blending::ForgetPath);
    let view = rehearsal.session.blending_view().path;
    assert!(view.progress.is_none() && view.length_m == 0.0 && view.drawing);
    assert!(rehearsal.session.begin_path(Vec2::new(500.0, 600.0), SIZE));
    rehearsal.session.end_path();
    let told = rehearsal.session.notices.list().last().unwrap();
    assert!(told.text.contains("too short"), "{}", told.text);
    // Only in Blend, and only while it is asked for.
    rehearsal.session.set_mode(Mode::View);
    assert!(!rehearsal.session.begin_path(Vec2::new(500.0, 600.0), SIZE));
    rehearsal.session.set_mode(Mode::Blend);
    ask(&mut rehearsal, Blending::DrawPath(false));
    assert!(!rehearsal.session.begin_path(Vec2::new(500.0, 600.0), SIZE));
}

#[test]
fn captures_follow_a_bend() {
    let Some(corpus) = crate::testing::corpus() else {
        return;
    };
    let mut rehearsal = opened(vec![corpus.join("cmu-16")]);
    draw(&mut rehearsal, 60.0);
    rehearsal.until(|session| session.blending_view().path.progress.is_none());
    let walk = rehearsal.session.blending_view().path.walk.unwrap();
    assert!(walk.changes > 0 && walk.motions > 3, "{walk:?}");
    assert!(walk.off_m[0] < 0.5 && walk.slide_m < 0.02, "{walk:?}");
}
