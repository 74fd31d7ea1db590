//! `drive`: what is driven comes home as a clip, in every format, and plays back
//! as it was driven.
#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::{fs, path::Path};

use common::{
    drive::{driver, performer},
    kinetoscope,
};
use glam::{Quat, Vec3A};
use kinetoscope::{
    animator::Cast,
    body::BodyCache,
    clip::RawClip,
    load::{self, CharacterFiles, DrivenCharacter, LoadOptions, Loaded},
    scene::{Character, Scene},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A walk, a turn, a run with a wave, a leap, a strike, backwards and sideways:
/// every layer, foot lock and fades of all kinds.
const TOUR: &str = "0.3 press W\n1.0 press A\n1.6 release A\n1.8 press Shift\n2.0 press F\n\
    2.1 release F\n3.0 press Space\n3.1 release Space\n4.2 release Shift\n4.5 release W\n\
    5.2 click\n6.2 press S\n7.0 release S\n7.1 press Q\n7.8 release Q\n";
const SECS: f64 = 9.8;

/// The driven character in the world, frame for frame.
fn driven(fps: f64, frames: usize) -> Vec<Vec<(Vec3A, Quat)>> {
    let graph = performer();
    let mut driver = driver(&graph, TOUR, fps);
    let frame = |_| {
        let frame = driver.step();
        let placed = frame.model.joints().iter().map(|&joint| {
            let world = frame.world_from_model * joint;
            (world.translation, world.rotation)
        });
        placed.collect()
    };
    (0..frames).map(frame).collect()
}

fn run(folder: &Path, ending: &str, more: &[&str]) -> String {
    let script = folder.join("tour.txt");
    fs::write(&script, TOUR).unwrap();
    let out = folder.join(format!("tour.{ending}"));
    let mut command = kinetoscope();
    command.arg("drive").arg("--script").arg(&script);
    let output = command.args(more).arg("-o").arg(&out).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{ending}: {stderr}");
    stderr
}

/// A written motion as View would play it.
fn played(folder: &Path, ending: &str) -> (Skeleton, RawClip) {
    let paths = [folder.join(format!("tour.{ending}"))];
    let loaded = load::load(&paths, LoadOptions::default()).into_iter();
    let motion = { loaded }.find_map(|(_, it)| Loaded::into_motion(it.unwrap()));
    let motion = motion.unwrap();
    (motion.skeleton().clone(), (**motion.raw()).clone())
}

/// Largest distance in metres and largest angle in degrees between what was
/// driven and what is played. A format may turn the axes of a joint: rotations
/// are compared from rest on.
fn differences(skeleton: &Skeleton, clip: &RawClip, wanted: &[Vec<(Vec3A, Quat)>]) -> (f32, f32) {
    assert_eq!(clip.frames(), wanted.len());
    let graph = performer();
    let own_rest = graph.skeleton.rest_model();
    let rest = skeleton.rest_model();
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let (mut metres, mut degrees) = (0f32, 0f32);
    for (frame, wanted) in wanted.iter().enumerate() {
        clip.frame_pose(skeleton, frame, &mut pose);
        model.compute(skeleton, &pose);
        for (own, &(at, turned)) in wanted.iter().enumerate() {
            let name = &graph.skeleton.joints()[own].name;
            let joint = usize::from(skeleton.find(name).expect("a joint of that name"));
            let played = model.joints()[joint];
            metres = metres.max(played.translation.distance(at));
            let from_rest = |now: Quat, rest: Quat| now * rest.conjugate();
            let played = from_rest(played.rotation, rest.joints()[joint].rotation);
            let wanted = from_rest(turned, own_rest.joints()[own].rotation);
            // By the sine: the cosine of so small an angle is 1 in an f32.
            let difference = played * wanted.conjugate();
            let apart = 2.0 * difference.xyz().length().min(1.0).asin();
            degrees = degrees.max(apart.to_degrees());
        }
    }
    (metres, degrees)
}

/// In every format to 1 mm and 0.1°; a container promises a distance alone.
#[test]
fn what_is_driven_plays_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for (fps, rate) in [(120.0, None), (30.0, Some("30"))] {
        let wanted = driven(fps, (SECS * fps).round() as usize + 1);
        for ending in ["amc", "bvh", "glb", "kin"] {
            let more: Vec<&str> = rate.iter().flat_map(|rate| ["--fps", rate]).collect();
            run(folder.path(), ending, &[&more[..], &["--force"]].concat());
            let (skeleton, clip) = played(folder.path(), ending);
            assert!((clip.fps - fps).abs() < 1e-3, "{ending}: {}", clip.fps);
            let (metres, degrees) = differences(&skeleton, &clip, &wanted);
            assert!(metres < 1e-3, "{ending} at {fps}: {metres} m");
            // A container promises 0.1 cm at 3 cm from the joint, and no angle.
            let most = if ending == "kin" { 1.92 } else { 0.1 };
            assert!(degrees < most, "{ending} at {fps}: {degrees} degrees");
        }
    }
}

#[test]
fn a_table_holds_where_every_joint_was() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), "csv", &["--fps", "30"]);
    let text = fs::read_to_string(folder.path().join("tour.csv")).unwrap();
    let mut rows = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = rows.next().unwrap().split(',').collect();
    let wanted = driven(30.0, (SECS * 30.0).round() as usize + 1);
    let graph = performer();
    let mut frames = 0;
    for (row, wanted) in rows.zip(&wanted) {
        let row: Vec<&str> = row.split(',').collect();
        for (joint, (at, _)) in graph.skeleton.joints().iter().zip(wanted) {
            for (axis, value) in ["x", "y", "z"].iter().zip(at.to_array()) {
                let name = format!("{}.{axis}", joint.name);
                let column = names.iter().position(|it| *it == name).expect("a column");
                let own: f32 = row[column].parse().unwrap();
                assert!((own - value).abs() < 1e-3, "{name}: {own} {value}");
            }
        }
        frames += 1;
    }
    assert_eq!(frames, wanted.len());
}

#[test]
fn the_trace_is_that_of_the_pictures_and_inputs_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("tour.jsonl");
    let told = run(
        folder.path(),
        "bvh",
        &["--fps", "25", "--trace", trace.to_str().unwrap()],
    );
    assert!(told.contains("246 frames"), "{told}");
    let trace = fs::read_to_string(trace).unwrap();
    assert_eq!(trace.lines().count(), (SECS * 120.0).round() as usize + 1);
    assert!(trace.contains("\"state\":\"LEAP_"), "a leap");

    let script = folder.path().join("tour.txt");
    let mut command = kinetoscope();
    command.arg("drive").arg("--script").arg(&script);
    let refused = command.arg("-o").arg(&script).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&script).unwrap(), TOUR);
}

/// `push`, `ragdoll on`, `ragdoll off` by script: it falls, lies, gets up.
#[test]
fn a_script_pushes_somebody_over_and_gets_them_up() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("fall.txt");
    fs::write(
        &script,
        "0.5 ragdoll on\n0.5 push thorax 0 0 90\n5.0 ragdoll off\n12.0 release W\n",
    )
    .unwrap();
    let (motion, trace) = (
        folder.path().join("fall.csv"),
        folder.path().join("fall.jsonl"),
    );
    let mut command = kinetoscope();
    command.arg("drive").arg("--script").arg(&script);
    command.arg("--trace").arg(&trace);
    let output = command.arg("-o").arg(&motion).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let words: Vec<Option<String>> = fs::read_to_string(&trace)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["posing"]["ragdoll"].as_str().map(str::to_owned))
        .collect();
    for word in ["falling", "lying", "rising"] {
        assert!(words.iter().flatten().any(|it| it == word), "never {word}");
    }
    assert_eq!(words.last(), Some(&None), "it stands in the end");
}

/// Names and moments of what a file says that happens.
fn events_of(path: &Path) -> Vec<(f64, String)> {
    let loaded = load::load(&[path.to_path_buf()], LoadOptions::default()).into_iter();
    let motion = { loaded }.find_map(|(_, it)| Loaded::into_motion(it.unwrap()));
    let track = motion.unwrap().events.unwrap_or_default();
    let events = track.events().iter();
    events.map(|it| (it.time_secs, it.name.clone())).collect()
}

fn convert(args: &[&Path]) {
    let output = kinetoscope().arg("convert").args(args).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn what_happened_comes_home_and_is_kept_from_file_to_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let trace = at("tour.jsonl");
    run(folder.path(), "glb", &["--trace", trace.to_str().unwrap()]);
    // The trace has a line a tick, which is when an event is known.
    let lines = fs::read_to_string(&trace).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let traced = lines.flat_map(|line: serde_json::Value| {
        let names = line["events"].as_array().unwrap().clone();
        let secs = line["t"].as_f64().unwrap();
        let named = names
            .into_iter()
            .map(move |it| (secs, it.as_str().unwrap().to_owned()));
        named.collect::<Vec<_>>()
    });
    let traced: Vec<(f64, String)> = traced.collect();
    assert!(traced.len() > 12, "{traced:?}");
    assert!(traced.iter().any(|it| it.1 == "strike"), "{traced:?}");
    let home = events_of(&at("tour.glb"));
    assert_eq!(home.len(), traced.len());
    for (home, traced) in home.iter().zip(&traced) {
        assert_eq!(home.1, traced.1);
        assert!((home.0 - traced.0).abs() < 1e-6, "{home:?} {traced:?}");
    }
    let on = |flag: &'static str| Path::new(flag);
    convert(&[&at("tour.glb"), on("-o"), &at("a.kin")]);
    convert(&[&at("tour.glb"), on("--keys"), on("-o"), &at("b.kin")]);
    convert(&[&at("a.kin"), on("-o"), &at("c.glb")]);
    for name in ["a.kin", "b.kin", "c.glb"] {
        assert_eq!(events_of(&at(name)), home, "{name}");
    }
    let part = format!("{}@0.5s..2s", at("tour.glb").display());
    let part = events_of(Path::new(&part));
    let inside = home.iter().filter(|it| (0.5..2.0).contains(&it.0));
    let inside: Vec<_> = inside.map(|it| (it.0 - 0.5, it.1.clone())).collect();
    assert_eq!(part.len(), inside.len());
    for (part, inside) in part.iter().zip(&inside) {
        assert!(part.1 == inside.1 && (part.0 - inside.0).abs() < 1e-6);
    }

    let info = kinetoscope()
        .arg("info")
        .arg("--json")
        .arg(at("a.kin"))
        .output()
        .unwrap();
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    let listed = info[0]["events"].as_array().unwrap();
    assert_eq!(listed.len(), home.len());
    assert_eq!(listed[0]["name"].as_str(), Some(home[0].1.as_str()));
    let told = kinetoscope().arg("info").arg(at("a.kin")).output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("events: "));
}

#[test]
fn foot_strikes_are_written_only_where_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("walk.glb");
    let files = ["assets/performer.asf", "assets/clips/forward.amc"].map(Path::new);
    convert(&[files[0], files[1], Path::new("-o"), &out]);
    assert_eq!(events_of(&out), []);
    let more = ["--foot-strikes", "--force", "-o"].map(Path::new);
    convert(&[files[0], files[1], more[0], more[1], more[2], &out]);
    let strikes = events_of(&out);
    assert!(strikes.len() >= 2, "{strikes:?}");
    assert!(
        strikes.iter().all(|it| it.1.starts_with("footstep_")),
        "{strikes:?}"
    );
}

/// A scene of the performer and a cast.
fn scene_of(script: &str) -> Scene {
    let files = CharacterFiles {
        animator: None,
        files: &[],
        onto: None,
        fill: false,
    };
    let driven = DrivenCharacter::load(files, LoadOptions::default()).unwrap();
    let (cast, bodies) = (Cast::parse(script).unwrap(), &mut BodyCache::default());
    let mut lead = driven.character(bodies);
    lead.hear(&cast.lead);
    let mut scene = Scene::of(lead);
    let from = (&driven, LoadOptions::default());
    load::join_cast(&mut scene, &cast, from, bodies).unwrap();
    scene
}

/// The moments at which characters come by an event.
fn moments(scene: &mut Scene, dt: f64, secs: f64, of: [(usize, &str); 2]) -> [Vec<f64>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for _ in 0..(secs / dt) as usize {
        scene.step(dt);
        for (found, (who, event)) in found.iter_mut().zip(of) {
            if scene.events_of(who).any(|name| name == event) {
                found.push(scene.clock.global_secs());
            }
        }
    }
    found
}

/// How far the striker's furthest joint is from the middle of the other's body,
/// metres, and how far from face to face they look, degrees.
fn meeting(striker: &Character, struck: &Character) -> (f32, f32) {
    let chest = struck.skeleton.find("upperback").unwrap();
    let chest = struck.world_pose().joints()[usize::from(chest)].position();
    let joints = striker.world_pose().joints().iter();
    let flat = |at: glam::Vec3| glam::Vec2::new(at.x, at.z);
    let near = joints.map(|it| flat(it.position()).distance(flat(chest)));
    let (a, b) = (striker.footing(), struck.footing());
    let towards = (flat(a) - flat(b)).normalize();
    let ahead = struck.heading_rad();
    let looks = glam::Vec2::new(ahead.sin(), ahead.cos());
    let off = looks.angle_to(towards).abs().to_degrees();
    (near.fold(f32::MAX, f32::min), off)
}

#[test]
fn a_blow_lands_at_one_moment_whatever_the_rates() {
    for (striker, struck, dt) in [
        (1.0, 1.0, 1.0 / 60.0),
        (0.6, 1.7, 1.0 / 24.0),
        (2.2, 0.4, 0.01),
    ] {
        let mut scene = scene_of(&format!(
            "0.3 character Ann play attack at 2 1 facing 70 rate {striker}\n\
             0 character Bob struck by Ann rate {struck}"
        ));
        let of = [(1, "strike"), (2, "struck")];
        let lap = 2.1 / striker;
        let [strikes, felt] = moments(&mut scene, dt, 0.3 + 3.0 * lap, of);
        assert_eq!(strikes.len(), 3, "{strikes:?}");
        assert_eq!(strikes, felt, "rates {striker} and {struck}");
        let expected = 0.3 + 0.714 / striker;
        assert!((strikes[0] - expected).abs() <= dt + 1e-9, "{strikes:?}");

        let mut scene = scene_of(&format!(
            "0 character Ann play attack at 2 1 facing 70 rate {striker}\n\
             0 character Bob struck by Ann rate {struck}"
        ));
        scene.step(0.714 / striker);
        let (metres, degrees) = meeting(&scene.characters[1], &scene.characters[2]);
        eprintln!("fist to the middle of the body {metres} m, {degrees} degrees off");
        assert!(metres < 0.25, "{metres} m");
        assert!(degrees < 20.0, "{degrees} degrees");
    }
}

#[test]
fn a_driven_blow_lands_too_and_misses_who_is_far() {
    for (rate, speed, dt) in [
        (1.0, 1.0, 1.0 / 60.0),
        (0.5, 2.0, 1.0 / 25.0),
        (1.8, 0.3, 1.0 / 120.0),
    ] {
        let script = format!("0.4 click\n0 character Cal struck at 0.3 1.4 facing 150 rate {rate}");
        let mut scene = scene_of(&script);
        scene.clock.set_speed(speed);
        let of = [(0, "strike"), (1, "struck")];
        let [strikes, felt] = moments(&mut scene, dt, 1.5 / speed, of);
        assert_eq!(strikes.len(), 1, "{strikes:?}");
        // Known a tick later, as all that an animator does.
        assert!(
            (strikes[0] - felt[0]).abs() <= dt + 1e-9,
            "{strikes:?} {felt:?}"
        );
        let mut scene = scene_of(&script);
        while !scene.events_of(0).any(|name| name == "strike") {
            scene.step(1.0 / 120.0);
        }
        let (metres, degrees) = meeting(&scene.characters[0], &scene.characters[1]);
        eprintln!("driven: {metres} m, {degrees} degrees off");
        assert!(
            metres < 0.25 && degrees < 20.0,
            "{metres} m, {degrees} degrees"
        );
    }
    let mut scene = scene_of("0.4 click\n0 character Cal struck at 0 4 facing 180");
    let [strikes, felt] = moments(&mut scene, 1.0 / 60.0, 3.0, [(0, "strike"), (1, "struck")]);
    assert_eq!((strikes.len(), felt.len()), (1, 0));
}

/// No joint of whoever is struck moves further in a tick than its clip moves it,
/// but for coming into place.
#[test]
fn whoever_is_struck_does_not_jump() {
    let mut scene = scene_of(
        "0.4 click\n3.0 click\n3.2 press W\n4.0 release W\n0 character Cal struck at 0 1.3 facing 180",
    );
    let mut before: Option<Vec<glam::Vec3>> = None;
    let mut furthest = 0f32;
    for _ in 0..(6.0 * 120.0) as usize {
        scene.step(1.0 / 120.0);
        let joints = scene.characters[1].world_pose().joints().iter();
        let now: Vec<glam::Vec3> = joints.map(|it| it.position()).collect();
        if let Some(before) = &before {
            let steps = now.iter().zip(before).map(|(a, b)| a.distance(*b));
            furthest = steps.fold(furthest, f32::max);
        }
        before = Some(now);
    }
    eprintln!("furthest in a tick: {:.1} mm", furthest * 1e3);
    assert!(furthest < 0.05, "{furthest} m in a tick");
}

#[test]
fn others_live_on_the_same_clock_and_leave_the_lead_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lead = "0.3 press W\n1.5 release W\n";
    let cast = "0 character Bea drive at -1.5 0 facing 90\n@Bea 0.3 press W\n@Bea 1.5 release W\n\
                0.5 character Cal play wave at 1.5 0 rate 2\n";
    let drive = |script: &str, name: &str, more: &[&str]| {
        fs::write(at("s.txt"), script).unwrap();
        let (trace, out) = (at(&format!("{name}.jsonl")), at(&format!("{name}.bvh")));
        let mut command = kinetoscope();
        command
            .arg("drive")
            .arg("--script")
            .arg(at("s.txt"))
            .args(more);
        let output = command
            .arg("--trace")
            .arg(&trace)
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        let code = output.status.code();
        (
            code,
            fs::read_to_string(trace).unwrap_or_default(),
            fs::read(out).unwrap_or_default(),
        )
    };
    let (_, alone, clip) = drive(lead, "alone", &[]);
    let (code, together, same) = drive(&format!("{cast}{lead}"), "together", &[]);
    assert_eq!(code, Some(0));
    assert!(clip == same, "the lead does what it would alone");
    let value = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    assert_eq!(alone.lines().count(), together.lines().count());
    let last = value(together.lines().last().unwrap());
    assert_eq!(value(alone.lines().last().unwrap())["root"], last["root"]);
    // Bea walked as far, along +X where the lead went along +Z.
    let (bea, cal) = (&last["characters"][0], &last["characters"][1]);
    let number = |of: &serde_json::Value, axis: usize| of["root"][axis].as_f64().unwrap();
    let walked = number(&last, 2);
    assert!(walked > 1.0, "{walked}");
    assert!((number(bea, 0) + 1.5 - walked).abs() < 1e-3, "{bea}");
    assert!(number(bea, 2).abs() < 0.02, "{bea}");
    assert_eq!(
        (bea["name"].as_str(), cal["mode"].as_str()),
        (Some("Bea"), Some("view"))
    );
    assert!((number(cal, 0) - 1.5).abs() < 0.2, "{cal}");

    let (code, _, other) = drive(&format!("{cast}{lead}"), "bea", &["--character", "Bea"]);
    assert!(code == Some(0) && !other.is_empty() && other != same);
    let (code, _, nothing) = drive(&format!("{cast}{lead}"), "nobody", &["--character", "Zoe"]);
    assert_eq!((code, nothing.len()), (Some(2), 0));
}
