//! Tab drives whoever is opened.

use super::*;
use crate::{
    app::drive::CharacterSource,
    load::PERFORMER,
    testing::{alongside_corpus, corpus},
};

/// Opens files, presses Tab and waits; nobody else is ever seen.
fn driven(files: Vec<PathBuf>) -> Rehearsal {
    let mut rehearsal = Rehearsal::new(files);
    let outbox = rehearsal.outbox();
    rehearsal
        .session
        .load_animator(CharacterSource::default(), &outbox);
    rehearsal.until(|session| session.clips.lead.is_some());
    let opened = Arc::clone(rehearsal.session.clips.lead.as_ref().unwrap());
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    rehearsal.tick(1.0 / 60.0);
    let seen = rehearsal.session.scene().lead().unwrap();
    assert!(Arc::ptr_eq(&seen.body, &opened.body), "before it is ready");
    rehearsal.until(|session| {
        assert_eq!(session.driving.fault, None);
        session.driven().is_some()
    });
    let lead = rehearsal.session.scene().lead().unwrap();
    assert_eq!(*lead.skeleton, *opened.skeleton, "after");
    rehearsal
}

fn state(rehearsal: &Rehearsal) -> String {
    let drive = rehearsal.session.driven().unwrap();
    drive.trace.layers[0].state.clone()
}

/// Metres gone in two seconds of a key, and the state at the end.
fn gone_m(rehearsal: &mut Rehearsal, keys: &[&str]) -> (f32, String) {
    let place = |it: &Rehearsal| it.session.scene().root_heading().0;
    for key in keys {
        rehearsal.session.drive_key(key, true);
    }
    (0..30).for_each(|_| rehearsal.tick(1.0 / 60.0));
    let from = place(rehearsal);
    (0..60).for_each(|_| rehearsal.tick(1.0 / 60.0));
    let (to, state) = (place(rehearsal), state(rehearsal));
    for key in keys {
        rehearsal.session.drive_key(key, false);
    }
    (0..90).for_each(|_| rehearsal.tick(1.0 / 60.0));
    (from.distance(to), state)
}

fn told(rehearsal: &Rehearsal, what: &str) -> bool {
    let notices = rehearsal.session.notices.list();
    notices.iter().any(|notice| notice.text.contains(what))
}

#[test]
fn a_model_with_named_clips_goes_by_its_own() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    let robot = folder.join("RobotExpressive/RobotExpressive.glb");
    let mut rehearsal = driven(vec![robot]);
    assert!(
        told(&rehearsal, "Walking (forward)"),
        "{:?}",
        rehearsal.session.notices.list()
    );
    assert!(told(&rehearsal, "Running (run)") && told(&rehearsal, "Idle (idle)"));
    let (walked, state) = gone_m(&mut rehearsal, &["W"]);
    assert_eq!(state, "FORWARD");
    let (ran, state) = gone_m(&mut rehearsal, &["W", "Shift"]);
    assert_eq!(state, "RUN");
    // Its clips are made on the spot; their feet say how fast they go.
    assert!(
        walked > 0.5 && ran > 1.3 * walked,
        "{walked} and {ran} m a second"
    );
}

#[test]
fn an_animal_goes_by_its_own_clips_alone() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    let fox = ["glTF-Binary/Fox.glb", "Fox.glb"].map(|file| folder.join("Fox").join(file));
    let Some(fox) = fox.into_iter().find(|path| path.is_file()) else {
        return;
    };
    let mut rehearsal = driven(vec![fox]);
    assert_eq!(state(&rehearsal), "IDLE");
    assert!(told(&rehearsal, "Walk (forward)") && !told(&rehearsal, "performer"));
    let (walked, state) = gone_m(&mut rehearsal, &["W"]);
    assert_eq!(state, "FORWARD");
    let height_m = rehearsal
        .session
        .scene()
        .lead()
        .unwrap()
        .skeleton
        .rest_height_m();
    assert!(
        walked > 0.2 * height_m,
        "{walked} m a second, {height_m} m tall"
    );
}

#[test]
fn a_capture_and_a_bvh_are_driven_with_the_performers_clips() {
    let (Some(mocap), Some(bvh)) = (corpus(), alongside_corpus("bvh")) else {
        return;
    };
    let acclaim = vec![
        mocap.join("cmu-original/02.asf"),
        mocap.join("cmu-original/02_01.amc"),
    ];
    for files in [acclaim, vec![bvh.join("cmu-01_01.bvh")]] {
        let mut rehearsal = driven(files);
        assert!(
            told(&rehearsal, "the performer's clips"),
            "{:?}",
            rehearsal.session.notices.list()
        );
        assert_ne!(
            rehearsal.session.title(),
            format!("{PERFORMER} – Kinetoscope")
        );
        let (walked, state) = gone_m(&mut rehearsal, &["W"]);
        assert_eq!(state, "FORWARD");
        assert!((0.8..2.0).contains(&walked), "{walked} m a second");
        let (ran, state) = gone_m(&mut rehearsal, &["W", "Shift"]);
        assert_eq!(state, "RUN");
        assert!((2.4..4.4).contains(&ran), "{ran} m a second");
        // And back, and again: no second reading.
        rehearsal.session.apply(Command::Do(Action::ToggleMode));
        rehearsal.session.apply(Command::Do(Action::ToggleMode));
        assert!(rehearsal.session.driven().is_some());
    }
}

#[test]
fn a_folder_of_captures_named_for_states_plays_them() {
    let Some(mocap) = corpus() else { return };
    let files = ["skeleton.asf", "run.amc"].map(|name| mocap.join("characterengine").join(name));
    let rehearsal = driven(files.to_vec());
    assert!(told(&rehearsal, "idle (idle)") && told(&rehearsal, "forward (forward)"));
    assert!(
        told(&rehearsal, "jump (jump)"),
        "{:?}",
        rehearsal.session.notices.list()
    );
}

#[test]
fn somebody_chosen_stays_until_other_files_are_opened() {
    let Some(bvh) = alongside_corpus("bvh") else {
        return;
    };
    let mut rehearsal = driven(vec![bvh.join("cmu-01_01.bvh")]);
    rehearsal.session.apply(Command::DriveAs(0));
    rehearsal.until(|session| session.driven().is_some());
    assert_eq!(rehearsal.session.driven_character(), 0);
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    assert_eq!(rehearsal.session.driven_character(), 0, "asked for");
    rehearsal
        .session
        .open(vec![bvh.join("threejs-pirouette.bvh")]);
    rehearsal.until(|session| session.mode == Mode::View);
    rehearsal.session.apply(Command::Do(Action::ToggleMode));
    rehearsal.until(|session| session.driven().is_some());
    assert_ne!(rehearsal.session.driven_character(), 0);
}

#[test]
fn a_folder_named_for_states_fills_the_animator_and_what_is_given_survives_tab() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    put("person.asf", crate::import::builtin::SKELETON_ASF);
    for name in ["idle", "run", "jump"] {
        let text = crate::import::builtin::clip(name).unwrap();
        put(&format!("{name}.amc"), text);
    }
    let mut rehearsal = driven(vec![folder.path().to_path_buf()]);
    for what in ["idle (idle)", "run (run)", "jump (jump)"] {
        assert!(
            told(&rehearsal, what),
            "{:?}",
            rehearsal.session.notices.list()
        );
    }
    let given = |rehearsal: &Rehearsal| {
        let drive = rehearsal.session.driving.drive.as_ref().unwrap();
        drive.view.given.clone()
    };
    let states: Vec<String> = given(&rehearsal).into_iter().map(|it| it.0).collect();
    for state in ["IDLE", "RUN", "JUMP"] {
        assert!(states.iter().any(|it| it == state), "the panel: {states:?}");
    }
    let wave = put("hello.amc", crate::import::builtin::clip("wave").unwrap());
    rehearsal.session.give_to_state("JUMP".to_owned(), wave);
    let is_given = |rehearsal: &Rehearsal| {
        let given = given(rehearsal);
        given.iter().any(|it| it.0 == "JUMP" && it.1 == "hello.amc")
    };
    rehearsal.until(|session| {
        let drive = session.driving.drive.as_ref();
        drive.is_some_and(|it| it.view.given.iter().any(|it| it.1 == "hello.amc"))
    });
    for _ in 0..2 {
        rehearsal.session.apply(Command::Do(Action::ToggleMode));
        rehearsal.tick(0.1);
        rehearsal.session.apply(Command::Do(Action::ToggleMode));
        rehearsal.until(|session| session.driven().is_some());
        assert!(is_given(&rehearsal), "{:?}", given(&rehearsal));
    }
}
