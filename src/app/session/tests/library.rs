//! A folder is browsed: its index, what is shown of it, what is like it.

use super::*;
use crate::ui::Browsing;

fn folder_of_three() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let copy = |from: &str, to: &str| std::fs::copy(assets.join(from), folder.path().join(to));
    copy("performer.asf", "performer.asf").unwrap();
    copy("clips/wave.amc", "wave.amc").unwrap();
    copy("clips/wave.amc", "wave_again.amc").unwrap();
    copy("clips/jump.amc", "jump.amc").unwrap();
    folder
}

#[test]
fn a_folder_is_browsed_marked_and_compared() {
    let folder = folder_of_three();
    let mut rehearsal = Rehearsal::new(vec![folder.path().to_path_buf()]);
    rehearsal.until(|session| session.clips.lead.is_some());
    assert!(
        rehearsal.session.panel_view().library.is_none(),
        "nobody asked yet"
    );
    rehearsal.session.apply(Command::Do(Action::Library));
    let is_done = |session: &Session| {
        let view = session.panel_view();
        view.library
            .is_some_and(|it| it.progress.is_none() && it.clips == 3)
    };
    rehearsal.until(is_done);
    let session = &mut rehearsal.session;
    let names = |session: &Session| -> Vec<String> {
        let view = session.panel_view().library.unwrap();
        view.items.iter().map(|it| it.found.key()).collect()
    };
    assert_eq!(names(session), ["jump.amc", "wave.amc", "wave_again.amc"]);
    session.apply(Command::Library(Browsing::Picture(0..3)));
    let pictures = session.panel_view().library.unwrap().pictures;
    assert!(pictures.len() == 3 && pictures.values().all(|it| !it.is_empty()));

    session.apply(Command::Library(Browsing::Favourite(0)));
    session.apply(Command::Library(Browsing::Tags(0, "High, far".into())));
    session.panels.library.search = "fav tag:high".into();
    session.apply(Command::Library(Browsing::Search));
    assert_eq!(names(session), ["jump.amc"]);
    session.panels.library.search.clear();
    session.apply(Command::Library(Browsing::Search));

    session.apply(Command::Library(Browsing::Show(1)));
    rehearsal.until(|session| session.clip_name() == Some("wave.amc"));
    rehearsal.session.apply(Command::Seek(1.0));
    rehearsal.session.apply(Command::Library(Browsing::Similar));
    rehearsal.until(|session| session.panel_view().library.is_some_and(|it| it.alike));
    let session = &mut rehearsal.session;
    let items = session.panel_view().library.unwrap().items;
    let (start, apart) = items[1].moment.unwrap();
    assert_eq!(items[1].found.key(), "wave_again.amc");
    assert!(
        (start - 0.8).abs() < 0.11 && apart < 2.0,
        "{start} s, {apart} cm"
    );
    session.apply(Command::Library(Browsing::Show(1)));
    rehearsal.until(|session| session.clip_name() == Some("wave_again.amc"));
    let now = rehearsal.session.clock_mut().time_secs();
    assert!((now - start).abs() < 0.02, "{now} s instead of {start} s");
    rehearsal.session.apply(Command::Library(Browsing::All));
    assert_eq!(names(&rehearsal.session).len(), 3);

    // What changed is noticed by whoever opens it next, and marks stay.
    std::fs::remove_file(folder.path().join("wave.amc")).unwrap();
    rehearsal
        .session
        .apply(Command::Library(Browsing::OpenFolder));
    rehearsal.until(|session| {
        let view = session.panel_view();
        view.library
            .is_some_and(|it| it.progress.is_none() && it.clips == 2)
    });
    assert!(
        rehearsal
            .session
            .panel_view()
            .library
            .unwrap()
            .marks
            .is_favourite("jump.amc")
    );
    rehearsal.session.apply(Command::Do(Action::Back));
    assert!(!rehearsal.session.panels.library.open);
}
