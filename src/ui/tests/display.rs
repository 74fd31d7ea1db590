//! The display section.

use super::*;
use crate::{
    scene::{CameraMode, Shading, SkinView},
    ui::PosePage,
};

#[test]
fn display_switches_come_as_changed_options() {
    let mut harness = harness(Bench::new(&[Section::Display]));
    let wanted = Display {
        bones: true,
        ..Display::default()
    };
    assert_eq!(click(&mut harness, "Bones"), [Command::Display(wanted)]);
    let wanted = Display {
        light: Shading::Phong,
        ..Display::default()
    };
    assert_eq!(click(&mut harness, "Phong"), [Command::Display(wanted)]);
}

#[test]
fn camera_and_material_are_display_options() {
    let mut harness = harness(Bench::new(&[Section::Display]));
    let wanted = Display {
        camera: CameraMode::TurnAlong,
        ..Display::default()
    };
    assert_eq!(
        click(&mut harness, "Turn along"),
        [Command::Display(wanted)]
    );
    assert!(harness.query_by_label("Colour of the skin").is_some());
}

#[test]
fn colours_in_the_picture_have_a_key_clear_of_panels() {
    let mut bench = Bench::new(&[]);
    bench.display.bones = true;
    let mut harness = harness(bench);
    let left = harness.get_by_label("left").rect();
    let panel = harness.get_by_label("Display").rect();
    let timeline = harness.get_by_label("Timeline").rect();
    assert!(left.right() < panel.left() && left.bottom() < timeline.top());
    harness.state_mut().display.bones = false;
    harness.run_steps(3);
    assert!(harness.query_by_label("left").is_none());
}

#[test]
fn the_skin_is_seen_in_other_ways_with_the_usual_one_beside() {
    let mut bench = Bench::new(&[Section::Display]);
    bench.display.skin_view = SkinView::Matrices;
    let mut harness = harness(bench);
    assert!(harness.query_by_label("How the skin is seen").is_some());
    let wanted = Display {
        skin_view: SkinView::Matrices,
        skin_beside: true,
        ..Display::default()
    };
    assert_eq!(click(&mut harness, "Beside"), [Command::Display(wanted)]);
}

#[test]
fn morph_targets_are_listed_by_name_and_given_back_to_the_motion() {
    let mut bench = Bench::new(&[Section::Pose]);
    bench.panels.pose_page = PosePage::Face;
    bench.morphs = vec!["mouth smile".into(), String::new()];
    let mut harness = harness(bench);
    assert!(harness.query_all_by_label("mouth smile").next().is_some());
    assert!(harness.query_all_by_label("1").next().is_some());
    // Nothing is set by hand yet.
    assert!(click(&mut harness, "As the motion has them").is_empty());
}
