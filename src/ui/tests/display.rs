//! The display section.

use super::*;
use crate::scene::{CameraMode, Shading};

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
