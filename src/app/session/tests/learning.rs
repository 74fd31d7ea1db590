//! Every button of the Learn page, pressed: its row is set up, nothing fails,
//! and the picture is sound; afterwards all is as it was.

use super::*;
use crate::ui::{Lesson, Section, Step, lessons, steps_of};

fn begun() -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal.session.apply(Command::Do(Action::Learn));
    rehearsal
}

/// Presses the button and waits until all is there.
fn press(rehearsal: &mut Rehearsal, lesson: &Lesson) {
    rehearsal.session.apply(Command::Learn(lesson.index));
    let start = Instant::now();
    while !rehearsal.session.learning.is_done() {
        if let Ok(message) = rehearsal.inbox.recv_timeout(Duration::from_millis(20)) {
            rehearsal.session.receive(message);
        }
        rehearsal.tick(0.0);
        let waited = start.elapsed();
        assert!(waited.as_secs() < 60, "{}: never there", lesson.numbers);
    }
    rehearsal.tick(1.0 / 30.0);
}

/// What a step promises is seen.
fn assert_shown(session: &Session, lesson: &Lesson, step: Step) {
    let what = &lesson.numbers;
    match step {
        Step::Clip(name) => {
            assert_eq!(session.mode, Mode::View, "{what}");
            assert_eq!(session.clip_name(), Some(name), "{what}");
        }
        Step::Blend(names) => {
            assert_eq!(session.mode, Mode::Blend, "{what}");
            let name = session.clip_name().unwrap();
            assert!(names.iter().all(|it| name.contains(it)), "{what}: {name}");
        }
        Step::Drive(_) => assert!(session.driven().is_some(), "{what}"),
        Step::Open(section) => {
            assert!(session.panels.sections.contains(&section), "{what}");
            assert!(section.is_for(session.mode), "{what}: hidden in this mode");
        }
        Step::Cloth(preset, _) => {
            assert_eq!(session.scene().cloth.knobs().preset, Some(preset), "{what}");
        }
        Step::Compress(codec) => assert_eq!(session.panels.codec.codec, codec, "{what}"),
        Step::Turn(_) | Step::Show(_) | Step::Pose(_) | Step::Sheet(_) | Step::Ask(_) => {}
    }
}

#[test]
fn every_button_sets_its_row_up() {
    let mut rehearsal = begun();
    let mut count = 0;
    for lesson in lessons() {
        let Some(steps) = steps_of(&lesson.numbers) else {
            continue;
        };
        press(&mut rehearsal, lesson);
        let session = &rehearsal.session;
        for step in steps {
            assert_shown(session, lesson, *step);
        }
        let faults = session.notices.list().iter();
        let faults: Vec<&str> = faults
            .filter(|it| it.severity == Severity::Error)
            .map(|it| it.text.as_str())
            .collect();
        assert!(faults.is_empty(), "{}: {faults:?}", lesson.numbers);
        assert_eq!(session.panel_view().lesson, Some(lesson.index));
        count += 1;
    }
    assert!(count > 50, "only {count}");
}

#[test]
fn scripts_and_words_of_the_pose_are_understood() {
    for step in lessons().filter_map(|it| steps_of(&it.numbers)).flatten() {
        match step {
            Step::Drive(script) => assert!(crate::animator::Script::parse(script).is_ok()),
            Step::Pose(words) => {
                let words: Vec<&str> = words.split(' ').collect();
                let action = crate::posing::PoseAction::parse(&words);
                assert!(matches!(action, Some(Ok(_))), "{words:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn when_the_page_is_closed_the_users_own_clip_is_back() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let files = vec![assets.join("performer.asf"), assets.join("clips/wave.amc")];
    let mut rehearsal = Rehearsal::new(files);
    rehearsal.until(|session| session.clips.lead.is_some());
    let session = &mut rehearsal.session;
    session.options.display.bones = true;
    session.panels.sections = vec![Section::Display];
    let (display, rows) = (session.options.display, session.clips.rows.len());
    session.apply(Command::Do(Action::Learn));
    for numbers in ["37", "109", "12"] {
        let lesson = lessons().find(|it| it.numbers == numbers).unwrap();
        press(&mut rehearsal, lesson);
    }
    // Esc closes the page.
    rehearsal.session.apply(Command::Do(Action::Back));
    let back = |session: &Session| session.clip_name() == Some("wave.amc");
    if !back(&rehearsal.session) {
        rehearsal.until(back);
    }
    let session = &rehearsal.session;
    assert!(!session.panels.learn && session.mode == Mode::View);
    assert_eq!(session.options.display, display);
    assert_eq!(session.panels.sections, [Section::Display]);
    assert_eq!(session.clips.rows.len(), rows);
    assert_eq!(session.scene().cloth.knobs().preset, None);
    assert_eq!(session.panel_view().lesson, None);
}
