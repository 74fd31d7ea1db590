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
