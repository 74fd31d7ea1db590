//! The timeline.

use super::*;

#[test]
fn the_timeline_plays_steps_and_seeks() {
    let mut harness = harness(Bench::new(&[]));
    assert_eq!(
        click(&mut harness, "Pause"),
        [Command::Do(Action::TogglePlay)]
    );
    assert_eq!(click(&mut harness, "To end"), [Command::Do(Action::ToEnd)]);
    assert_eq!(
        click(&mut harness, "One frame on"),
        [Command::Do(Action::Step(1))]
    );
    assert_eq!(
        click(&mut harness, "Ping-pong"),
        [Command::Wrap(Wrap::PingPong)]
    );
    assert_eq!(
        click(&mut harness, "Reverse"),
        [Command::Do(Action::Reverse)]
    );
    let seeks = click(&mut harness, "Timeline");
    // A click in the middle of four seconds.
    assert!(!seeks.is_empty());
    for seek in seeks {
        let Command::Seek(secs) = seek else {
            panic!("{seek:?}");
        };
        assert_close!(secs, 2.0, 0.02);
    }
}

#[test]
fn a_right_click_on_loop_asks_how_often() {
    let mut harness = harness(Bench::new(&[]));
    harness.get_by_label("Loop").click_secondary();
    harness.run();
    assert_eq!(click(&mut harness, "3 passes"), [Command::Loops(Some(3))]);
}

#[test]
fn the_wheel_looks_closer_and_a_double_click_shows_all() {
    let mut harness = harness(Bench::new(&[]));
    let middle = harness.get_by_label("Timeline").rect().center();
    harness.hover_at(middle);
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Point,
        delta: egui::Vec2::new(0.0, 240.0),
        source: egui::MouseWheelSource::Wheel,
        phase: egui::TouchPhase::Move,
        modifiers: egui::Modifiers::NONE,
    });
    harness.run_steps(20);
    let shown = harness.state().panels.timeline;
    assert!(shown.share() < 0.6, "{shown:?}");
    // The head stands at 1 of 4 s: it plays, and is followed.
    assert!((shown.from..=shown.to).contains(&0.25), "{shown:?}");
    // Within a frame: steps of a test are too long for a double click.
    let button = |pressed| egui::Event::PointerButton {
        pos: middle,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let events = [true, false, true, false].map(button);
    harness.input_mut().events.extend(events);
    harness.step();
    assert_eq!(harness.state().panels.timeline, TimelineZoom::default());
}
