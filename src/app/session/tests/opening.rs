//! Opening by every way there is, and each dead end of before.

use super::*;
use crate::{
    animator::DEFAULT_GRAPH,
    app::choices::FileChoice,
    import::builtin,
    testing::alongside_corpus,
    units::{LengthUnit, UpAxis},
};

fn lead_named(session: &Session, name: &str) -> bool {
    session
        .clips
        .lead
        .as_ref()
        .is_some_and(|it| it.name == name)
}

fn rows(session: &Session) -> Vec<&str> {
    session.clips.rows.iter().map(|it| &*it.name).collect()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

#[test]
fn a_file_that_cannot_be_opened_says_what_to_do_and_somebody_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.bvh");
    std::fs::write(&bad, "HIERARCHY\nROOT a { OFFSET 1 2").unwrap();
    let mut rehearsal = Rehearsal::new(vec![bad.clone()]);
    // Nothing was there before: the performer stands in, the fault stays.
    rehearsal.until(|session| lead_named(session, "idle"));
    let fault = rehearsal.session.panel_view().fault.unwrap().to_owned();
    assert!(fault.starts_with("bad.bvh:2:"), "{fault}");
    assert!(fault.contains("export the file again"), "{fault}");
    // The next that opens takes it away.
    rehearsal.session.open(vec![fixture("odd.bvh")]);
    rehearsal.until(|session| lead_named(session, "odd.bvh"));
    assert_eq!(rehearsal.session.panel_view().fault, None);
    // The last good scene stays under the next fault.
    rehearsal.session.open(vec![bad]);
    rehearsal.until(|session| session.panel_view().fault.is_some());
    assert!(lead_named(&rehearsal.session, "odd.bvh"));
    rehearsal.session.open(vec![folder.path().join("gone.bvh")]);
    rehearsal.until(|session| {
        let fault = session.panel_view().fault;
        fault.is_some_and(|it| it.contains("check its name"))
    });
}

/// A file of two animations of one node.
fn two_clips(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    let bytes: Vec<u8> = [0.0f32, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .into_iter()
        .flat_map(f32::to_le_bytes)
        .collect();
    std::fs::write(path.with_extension("bin"), &bytes).unwrap();
    let bin = path.with_extension("bin");
    let bin = bin.file_name().unwrap().to_string_lossy();
    let animation = |name: &str| {
        format!(
            r#"{{"name":"{name}","samplers":[{{"input":0,"output":1}}],
            "channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}"#
        )
    };
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"name":"a","children":[1]}},{{"name":"b","translation":[0,1,0]}}],
        "buffers":[{{"uri":"{bin}","byteLength":32}}],
        "bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":24}}],
        "accessors":[
          {{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]}},
          {{"bufferView":1,"componentType":5126,"count":2,"type":"VEC3"}}],
        "animations":[{},{}]}}"#,
        animation("Walk"),
        animation("Run")
    );
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn every_clip_of_every_container_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let cat = two_clips(folder.path(), "cat.gltf");
    let dog = two_clips(folder.path(), "dog.gltf");
    let all = ["cat · Walk", "cat · Run", "dog · Walk", "dog · Run"];
    // A folder.
    let mut rehearsal = Rehearsal::new(vec![folder.path().to_path_buf()]);
    rehearsal.until(|session| session.clips.lead.is_some());
    assert_eq!(rows(&rehearsal.session), all);
    rehearsal.session.apply(Command::ShowClip(3));
    rehearsal.until(|session| session.clips.rows[3].shown);
    let shown = rehearsal.session.clips.lead.as_ref().unwrap();
    assert_eq!(
        (shown.name.as_str(), shown.path.as_ref()),
        ("Run", Some(&dog))
    );
    // Several files, which stand side by side with their first clips.
    let mut rehearsal = Rehearsal::new(vec![cat.clone(), dog]);
    rehearsal.until(|session| session.scene().characters.len() == 2);
    assert_eq!(rows(&rehearsal.session), all);
    // One alone.
    let mut rehearsal = Rehearsal::new(vec![cat]);
    rehearsal.until(|session| session.clips.lead.is_some());
    assert_eq!(rows(&rehearsal.session), ["Walk", "Run"]);
}

/// A motion of the performer beside two skeletons, of which the second is twice
/// as tall; neither is called like it.
fn ambiguous(folder: &Path) -> PathBuf {
    let own = builtin::SKELETON_ASF;
    let tall: Vec<String> = own
        .lines()
        .map(|line| match line.trim().strip_prefix("length ") {
            Some(length) if length.trim() != "0.45" => {
                format!("length {}", 2.0 * length.trim().parse::<f64>().unwrap())
            }
            _ => line.to_owned(),
        })
        .collect();
    std::fs::write(folder.join("a_giant.asf"), tall.join("\n")).unwrap();
    std::fs::write(folder.join("person.asf"), own).unwrap();
    let motion = folder.join("walk.amc");
    std::fs::write(&motion, builtin::clip("forward").unwrap()).unwrap();
    motion
}

#[test]
fn of_two_skeletons_the_one_that_fits_is_taken_and_another_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let motion = ambiguous(folder.path());
    let mut rehearsal = Rehearsal::new(vec![motion.clone()]);
    let on = |session: &Session, name: &str| {
        let lead = session.clips.lead.as_ref();
        lead.is_some_and(|it| it.loaded.path.ends_with(name))
    };
    rehearsal.until(|session| session.clips.lead.is_some());
    assert!(on(&rehearsal.session, "person.asf"));
    let clip = rehearsal.session.panel_view().clip.unwrap();
    assert!(
        clip.remarks
            .iter()
            .any(|it| it.contains("person.asf fits best"))
    );
    assert_eq!(clip.skeletons.len(), 2);
    rehearsal.session.apply(Command::ChooseSkeleton(0));
    rehearsal.until(|session| on(session, "a_giant.asf"));
    let settings = rehearsal.session.settings();
    let mut rehearsal = Rehearsal::with_settings(settings, vec![motion]);
    rehearsal.until(|session| session.clips.lead.is_some());
    assert!(on(&rehearsal.session, "a_giant.asf"), "the next run knows");
}

#[test]
fn what_was_chosen_for_a_file_is_remembered_and_as_found_forgets() {
    let file = fixture("odd.bvh");
    let mut rehearsal = Rehearsal::new(vec![file.clone()]);
    rehearsal.until(|session| session.clips.lead.is_some());
    let chosen = ImportOverrides {
        fps: Some(50.0),
        unit: Some(LengthUnit::Inch),
        up: Some(UpAxis::Z),
        ignore_fingers: true,
    };
    rehearsal.session.apply(Command::Reinterpret(chosen));
    let settings = rehearsal.session.settings();
    let mut rehearsal = Rehearsal::with_settings(settings, vec![file]);
    rehearsal.until(|session| session.clips.lead.is_some());
    let clip = rehearsal.session.panel_view().clip.unwrap();
    assert_eq!((clip.overrides, clip.up), (chosen, UpAxis::Z));
    assert_close!(clip.fps(), 50.0, 1e-9);
    let found = ImportOverrides::default();
    rehearsal.session.apply(Command::Reinterpret(found));
    assert!(rehearsal.session.settings().files.is_empty());
}

#[test]
fn an_animator_and_a_map_are_told_apart_by_what_they_hold() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    let folder = tempfile::tempdir().unwrap();
    let animator = folder.path().join("mine.ron");
    std::fs::write(&animator, DEFAULT_GRAPH).unwrap();
    rehearsal.session.open(vec![animator.clone()]);
    rehearsal.until(|session| session.driven().is_some());
    let source = &rehearsal.session.driven().unwrap().view.source;
    assert_eq!(*source, animator.display().to_string());
    // A map is still one, broken as it may be.
    let map = folder.path().join("map.ron");
    std::fs::write(&map, "(links: [oops])").unwrap();
    rehearsal.session.open(vec![map]);
    let told = rehearsal.session.notices.list().last().unwrap();
    assert!(told.text.contains("map.ron"), "{}", told.text);
}

#[test]
fn every_clip_of_the_sample_files_is_in_the_list() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    let mut rehearsal = Rehearsal::new(vec![folder]);
    rehearsal.until(|session| session.clips.lead.is_some());
    let rows = rows(&rehearsal.session);
    for name in [
        "Fox.glb · Survey",
        "Fox.glb · Run",
        "RobotExpressive · Wave",
    ] {
        assert!(rows.contains(&name), "{name} of {rows:?}");
    }
}

#[test]
fn a_file_dropped_on_a_state_is_what_it_plays_and_the_panel_says_so() {
    use crate::ui::Section;
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    rehearsal
        .session
        .load_animator(CharacterSource::default(), &outbox);
    rehearsal.until(|session| session.driving.drive.is_some());
    rehearsal.session.set_mode(Mode::Drive);
    assert!(
        rehearsal
            .session
            .panels
            .sections
            .contains(&Section::Animator)
    );
    let states = &rehearsal.session.driven().unwrap().view.layers[0].states;
    let run = states.iter().position(|it| it == "RUN");
    rehearsal.session.panels.state_below = run;
    // On another skeleton: carried over, and nobody is swapped.
    let folder = tempfile::tempdir().unwrap();
    let motion = ambiguous(folder.path());
    rehearsal.session.drop_files(vec![motion]);
    rehearsal.until(|session| {
        let drive = session.driving.drive.as_ref();
        drive.is_some_and(|it| !it.view.given.is_empty())
    });
    let drive = rehearsal.session.driven().unwrap();
    assert_eq!(
        drive.view.given,
        [("RUN".to_owned(), "walk.amc".to_owned())]
    );
    assert_eq!(drive.clip.skeleton.len(), 31);
    // Elsewhere a dropped file is opened.
    rehearsal.session.panels.state_below = None;
    rehearsal.session.drop_files(vec![fixture("odd.bvh")]);
    rehearsal.until(|session| lead_named(session, "odd.bvh"));
}

#[test]
fn a_choice_that_does_not_fit_any_more_is_no_dead_end() {
    let folder = tempfile::tempdir().unwrap();
    let motion = ambiguous(folder.path());
    let on = |files: Vec<PathBuf>, skeleton: PathBuf| {
        let mut settings = ViewerSettings::default();
        settings.files.push(FileChoice {
            path: motion.clone(),
            skeleton: Some(skeleton),
            ..FileChoice::default()
        });
        let mut rehearsal = Rehearsal::with_settings(settings, files);
        rehearsal.until(|session| session.clips.lead.is_some());
        let lead = rehearsal.session.clips.lead.clone().unwrap();
        (lead.loaded.path.clone(), lead.remarks.join("; "))
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let broken = elsewhere.path().join("broken.asf");
    std::fs::write(&broken, ":root nonsense").unwrap();
    let (skeleton, remarks) = on(vec![motion.clone()], broken);
    assert!(skeleton.ends_with("person.asf"), "{skeleton:?}: {remarks}");
    assert!(remarks.contains("read as found"), "{remarks}");
    // What is named now goes before what was chosen once.
    let giant = folder.path().join("a_giant.asf");
    let (skeleton, _) = on(
        vec![giant.clone(), motion.clone()],
        folder.path().join("person.asf"),
    );
    assert_eq!(skeleton, giant);
}

#[test]
fn a_range_of_a_file_is_opened_as_a_clip() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let named = assets.join("clips/forward.amc@1s..2s");
    let rehearsal = {
        let mut rehearsal = Rehearsal::new(vec![assets.join("performer.asf"), named]);
        rehearsal.until(|session| session.clips.lead.is_some() || session.clips.fault.is_some());
        rehearsal
    };
    assert_eq!(rehearsal.session.clips.fault, None);
    let lead = rehearsal.session.clips.lead.as_ref().unwrap();
    assert_eq!(lead.raw().unwrap().frames(), 120, "{}", lead.name);
}
