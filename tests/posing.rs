//! Hands on a character: every verb through `drive`, feet on slopes and stairs,
//! things in hands.
#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::{fs, sync::Arc};

use common::{
    drive::{performance, performer},
    kinetoscope,
};
use glam::{Vec3, Vec3A};
use kinetoscope::{
    animator::Cast,
    assert_close,
    body::{Body, BodyCache},
    clip::FootContacts,
    load::{self, CharacterFiles, DrivenCharacter, LoadOptions, Loaded},
    math::Transform,
    posing::{FootSample, PoseAction, PropKind, Sole},
    scene::{Character, Performance, Scene},
    skeleton::Skeleton,
};
use serde_json::Value;

fn action(words: &str) -> PoseAction {
    let words: Vec<&str> = words.split_whitespace().collect();
    PoseAction::parse(&words).unwrap().unwrap()
}

/// Feet and hips, moment by moment.
struct Feet {
    /// Left and right.
    tracks: [Vec<FootSample>; 2],
    hips_m: Vec<f32>,
    fps: f64,
}

impl Feet {
    fn at(fps: f64) -> Self {
        Self {
            tracks: [Vec::new(), Vec::new()],
            hips_m: Vec::new(),
            fps,
        }
    }

    fn note(&mut self, character: &Character, soles: &[Sole]) {
        let pose = character.world_pose();
        for (track, sole) in self.tracks.iter_mut().zip(soles) {
            track.push(sole.sample(pose, Transform::IDENTITY));
        }
        let hips = pose.joints()[usize::from(character.carrier())];
        self.hips_m.push(hips.translation.y);
    }
}

fn driven_feet(script: &str, secs: f64) -> (Feet, Performance) {
    let graph = performer();
    let soles = Sole::of(&graph.skeleton);
    let mut acted = performance(&graph, script, 60.0);
    let mut feet = Feet::at(60.0);
    // Ground is felt from the first tick on; before it the pose is the clip's.
    acted.step();
    acted.step();
    for _ in 0..(secs * 60.0) as usize {
        acted.step();
        feet.note(&acted.character, &soles);
    }
    (feet, acted)
}

/// What feet on some ground come to, against the same motion on flat ground.
#[derive(Debug, Default)]
struct Judgement {
    /// Furthest that the bearing heel or ball is from the ground in stance.
    off_m: f32,
    /// Deepest that heel or ball is below it, ever.
    deep_m: f32,
    /// Largest vertical acceleration of the hips that the ground adds, m/s².
    hips: f32,
    /// Frames in stance.
    stances: usize,
    /// Highest that the ground was.
    risen_m: f32,
}

fn judge(flat: &Feet, shown: &Feet, rise_m: impl Fn(f32, f32) -> f32) -> Judgement {
    let mut found = Judgement::default();
    for leg in 0..2 {
        let path = |point: usize| -> Vec<Vec3A> {
            flat.tracks[leg]
                .iter()
                .map(|foot| foot.sole[point])
                .collect()
        };
        let paths = [path(0), path(1)];
        let (contacts, _) = FootContacts::of_paths(&paths, flat.fps, false, 0.0);
        // Heel, ball, or the toes that a foot rolls off over.
        let standing = [0, 1, 2].map(|point| {
            let places = path(point).into_iter().enumerate();
            let mut heights: Vec<f32> = places
                .filter(|(frame, _)| contacts[1].planted(*frame as f64 / flat.fps))
                .map(|(_, place)| place.y)
                .collect();
            heights.sort_by(f32::total_cmp);
            heights[heights.len() / 10]
        });
        let least = |heights: [f32; 3]| heights.into_iter().fold(f32::MAX, f32::min);
        for (frame, foot) in shown.tracks[leg].iter().enumerate() {
            let above = [0, 1, 2].map(|point| {
                let at = foot.sole[point];
                found.risen_m = found.risen_m.max(rise_m(at.x, at.z).abs());
                at.y - rise_m(at.x, at.z) - standing[point]
            });
            let bearing = least(above);
            let own =
                [0, 1, 2].map(|point| flat.tracks[leg][frame].sole[point].y - standing[point]);
            // A capture that is itself below its floor in the air is not ours.
            let own = least(own).min(0.0);
            if bearing - own < -found.deep_m {
                found.deep_m = own - bearing;
            }
            if contacts[1].planted(frame as f64 / flat.fps) {
                found.stances += 1;
                if bearing.abs() > found.off_m {
                    found.off_m = bearing.abs();
                    if bearing.abs() > 0.01 {
                        let flat = &flat.tracks[leg][frame].sole;
                        let flat = [0, 1, 2].map(|point| flat[point].y - standing[point]);
                        eprintln!("leg {leg} frame {frame}: {above:?} flat {flat:?}");
                    }
                }
            }
        }
    }
    let added: Vec<f32> = { shown.hips_m.iter().zip(&flat.hips_m) }
        .map(|(shown, flat)| shown - flat)
        .collect();
    for (frame, three) in added.windows(3).enumerate() {
        let bend = (three[0] - 2.0 * three[1] + three[2]).abs() * (flat.fps * flat.fps) as f32;
        if bend > found.hips.max(100.0) {
            eprintln!("hips {bend} m/s² at frame {frame}");
        }
        found.hips = found.hips.max(bend);
    }
    found
}

/// How fast hips may change their way for a ground, m/s². A walk takes two or three
/// treads of a stair a stride: down 54 cm at once, the hips have to drop.
fn most_bend(ground: &str) -> f32 {
    match ground.starts_with("stairs") {
        true => 100.0,
        false => 40.0,
    }
}

const GROUNDS: [&str; 3] = ["slope 15", "slope -15", "stairs 0.18 0.30 6"];

/// The performer's walk, driven: up and down.
#[test]
fn driven_feet_stand_on_slopes_and_stairs() {
    let walk = "0.3 press W";
    let (flat, _) = driven_feet(walk, 7.0);
    let mut all = Vec::new();
    for ground in GROUNDS {
        let (shown, acted) = driven_feet(&format!("0 ground {ground}\n{walk}"), 7.0);
        let posing = acted.character.posing();
        let found = judge(&flat, &shown, |x, z| posing.rise_m(x, z));
        eprintln!("driven, {ground}: {found:?}");
        all.push((ground, found));
    }
    for (ground, found) in all {
        assert!(found.stances > 200 && found.risen_m > 0.5, "{found:?}");
        assert!(found.off_m < 0.01, "{ground}: {found:?}");
        assert!(found.deep_m < 0.01, "{ground}: {found:?}");
        assert!(found.hips < most_bend(ground), "{ground}: {found:?}");
    }
}

fn clip_feet(character: &mut Character, soles: &[Sole]) -> Feet {
    let mut feet = Feet::at(60.0);
    for frame in 0..(character.duration_secs().min(12.0) * feet.fps) as usize {
        character.advance_to(frame as f64 / feet.fps);
        feet.note(character, soles);
    }
    feet
}

/// `most_off_m`: how far a bearing foot may be from the ground.
fn judge_clip(name: &str, skeleton: &Skeleton, mut character: Character, most_off_m: f32) {
    let soles = Sole::of(skeleton);
    let flat = clip_feet(&mut character, &soles);
    for ground in GROUNDS {
        character.act(&action(&format!("ground {ground}"))).unwrap();
        let shown = clip_feet(&mut character, &soles);
        let posing = character.posing();
        let found = judge(&flat, &shown, |x, z| posing.rise_m(x, z));
        eprintln!("{name}, {ground}: {found:?}");
        assert!(found.stances > 60, "{name} {ground}: {found:?}");
        assert!(found.off_m < most_off_m, "{name} {ground}: {found:?}");
        assert!(found.deep_m < 0.01, "{name} {ground}: {found:?}");
        assert!(found.hips < most_bend(ground), "{name} {ground}: {found:?}");
    }
    character.act(&action("ground flat")).unwrap();
    let again = clip_feet(&mut character, &soles);
    assert_eq!(again.hips_m, flat.hips_m, "flat ground changes nothing");
}

/// The performer's walk as a clip, and captures of walks.
#[test]
fn feet_of_clips_stand_on_slopes_and_stairs() {
    let motion = load::performer_clip("forward", LoadOptions::default()).unwrap();
    let motion = motion.unwrap();
    let skeleton = motion.skeleton().clone();
    let body = Arc::new(Body::bare(&skeleton));
    let playing = Character::playing("", Arc::new(skeleton.clone()), body, motion.sampler());
    judge_clip("forward", &skeleton, playing.measured(), 0.01);
}

#[test]
fn feet_of_captures_stand_on_slopes_and_stairs() {
    let Some(corpus) = common::corpus() else {
        return;
    };
    for (folder, motion) in CAPTURES {
        let paths = [corpus.join(folder), corpus.join(motion)];
        let loaded = load::load(&paths, LoadOptions::default()).into_iter();
        let motion = { loaded }.find_map(|(_, it)| Loaded::into_motion(it.unwrap()));
        let motion = motion.expect("a motion");
        let skeleton = motion.skeleton().clone();
        let body = Arc::new(Body::bare(&skeleton));
        let playing = Character::playing("", Arc::new(skeleton.clone()), body, motion.sampler());
        judge_clip(&motion.name, &skeleton, playing.measured(), 0.01);
    }
}

/// Skeleton and motion of three walks.
const CAPTURES: [(&str, &str); 3] = [
    ("cmu-original/02.asf", "cmu-original/02_01.amc"),
    ("characterengine/skeleton.asf", "cmu-usc520/07_01-walk.amc"),
    ("cmu-16/16.asf", "cmu-16/16_16.amc"),
];

#[test]
fn a_locked_foot_of_a_clip_slides_no_more() {
    let motion = load::performer_clip("forward", LoadOptions::default())
        .unwrap()
        .unwrap();
    let skeleton = motion.skeleton().clone();
    let body = Arc::new(Body::bare(&skeleton));
    let mut character = Character::playing(
        "forward",
        Arc::new(skeleton.clone()),
        body,
        motion.sampler(),
    )
    .measured();
    let soles = Sole::of(&skeleton);
    let slides = |feet: &Feet| {
        let balls: Vec<Vec3A> = feet.tracks[0].iter().map(|foot| foot.sole[1]).collect();
        let (contacts, _) =
            FootContacts::of_paths(std::slice::from_ref(&balls), feet.fps, false, 0.0);
        let pairs = balls.windows(2).enumerate();
        let stands = |frame: usize| contacts[0].planted(frame as f64 / feet.fps);
        pairs
            .filter(|(frame, _)| stands(*frame) && stands(frame + 1))
            .map(|(_, pair)| (pair[1] - pair[0]).with_y(0.0).length())
            .sum::<f32>()
    };
    let before = slides(&clip_feet(&mut character, &soles));
    character.act(&action("ground lock on")).unwrap();
    let after = slides(&clip_feet(&mut character, &soles));
    eprintln!("slides {before} m, locked {after} m");
    assert!(after <= before * 0.5 + 0.01);
    character.act(&action("ground lock off")).unwrap();
    character.act(&action("ground in_place on")).unwrap();
    let hips = usize::from(character.carrier());
    let places = [0.0, 0.3, 0.6].map(|secs| {
        character.advance_to(secs);
        character.world_pose().joints()[hips].position()
    });
    let aside = |p: Vec3| Vec3::new(p.x - places[0].x, 0.0, p.z - places[0].z).length();
    assert!(
        places.iter().all(|place| aside(*place) < 1e-4),
        "{places:?}"
    );
}

/// Thrown from hand to hand and back while walking.
#[test]
fn a_ball_follows_the_hand_that_holds_it() {
    let script = "0 attach ball right_hand\n0.2 press W\n1.5 attach ball left_hand throw 0.6\n\
                  3 attach ball right_hand throw 0.5\n4 detach ball";
    let mut acted = performance(&performer(), script, 120.0);
    let (mut in_hand, mut before, mut worst_m) = (None, None::<Vec3>, 0f32);
    let mut flew = 0;
    for frame in 0..600 {
        acted.step();
        let character = &acted.character;
        let Some(ball) = character.posing().props().first() else {
            continue;
        };
        let place = ball.world_from_prop;
        if let Some(joint) = ball.joint().filter(|_| ball.is_held()) {
            let hand = character.world_pose().joints()[usize::from(joint)];
            let seen = hand.inverse().transform_point(place.translation);
            let (known, grip) = *in_hand.get_or_insert((joint, seen));
            if known == joint {
                worst_m = worst_m.max(grip.distance(seen));
            }
            in_hand = Some((joint, seen));
        } else if ball.joint().is_some() {
            flew += 1;
        }
        // No jump at throw or catch: 8 m/s at 120 frames a second.
        if let Some(before) = before {
            let step = before.distance(place.position());
            assert!(step < 0.07, "frame {frame}: {step} m");
        }
        before = Some(place.position());
    }
    eprintln!("ball: {worst_m} m off its grip, {flew} frames of flight");
    assert!(worst_m < 0.002 && flew > 100, "{worst_m} m, {flew}");
    let ball = &acted.character.posing().props()[0];
    assert!(ball.joint().is_none());
    let rests = ball.world_from_prop.translation.y;
    assert!(
        (rests - PropKind::Ball.rest_height_m()).abs() < 1e-3,
        "{rests}"
    );
}

#[test]
fn two_hands_stay_on_a_stick_through_a_run() {
    let script = "0 attach stick right_hand with left_hand\n1 press W\n1 press Shift";
    let mut acted = performance(&performer(), script, 60.0);
    let mut worst_m = 0f32;
    for frame in 0..420 {
        acted.step();
        if frame < 90 {
            continue;
        }
        let character = &acted.character;
        let stick = character.posing().props()[0].world_from_prop;
        let grips = character.posing().grips(&PropKind::Stick);
        assert_eq!(grips.len(), 2);
        for (joint, palm, grip) in grips {
            let hand = character.world_pose().joints()[usize::from(joint)];
            let off_m = hand
                .transform_point(palm)
                .distance(stick.transform_point(grip));
            worst_m = worst_m.max(off_m);
        }
    }
    eprintln!("stick: {worst_m} m off the grips");
    assert!(worst_m < 0.005, "{worst_m} m");
}

/// A scene as `drive` and `render` make it of a script.
fn staged(script: &str) -> Scene {
    let cast = Cast::parse(script).unwrap();
    let files = CharacterFiles {
        animator: None,
        files: &[],
        onto: None,
        fill: false,
    };
    let driven = DrivenCharacter::load(files, LoadOptions::default()).unwrap();
    let mut bodies = BodyCache::default();
    let mut lead = driven.character(&mut bodies);
    "lead".clone_into(&mut lead.name);
    lead.hear(&cast.lead);
    let mut scene = Scene::default();
    scene.set_lead(lead);
    load::join_cast(
        &mut scene,
        &cast,
        (&driven, LoadOptions::default()),
        &mut bodies,
    )
    .unwrap();
    scene
}

/// Two shake hands while both breathe: Bea stands by the lead's clasp, and the
/// palms of both go there; then a push, a hand on a back that walks away.
#[test]
fn two_characters_meet_in_the_right_place() {
    let mut scene = staged(
        "0 character Bea drive at 2 2 facing 40\n\
         0 locator clasp body at 0 1.15 0.35\n\
         0 locator palm right_hand at 0.02 -0.07 0.01\n\
         @Bea 0 locator palm right_hand at 0.02 -0.07 0.01\n\
         @Bea 0 locator mine body at 0 1.15 0.35 turn 0 180 0\n\
         @Bea 0.1 stand mine clasp of lead\n\
         0.5 meet palm clasp\n\
         @Bea 0.5 meet palm palm of lead\n\
         4 meet palm off\n@Bea 4 meet palm off\n\
         6 press W\n6 release W",
    );
    let (mut worst_m, mut apart_m) = (0f32, 0f32);
    let mut before = None::<Vec3>;
    let mut jump_m = 0f32;
    for frame in 0..600 {
        scene.step(if frame == 0 { 0.0 } else { 1.0 / 120.0 });
        let places = [0, 1].map(|index| scene.characters[index].locate("palm").unwrap());
        let clasp = scene.characters[0].locate("clasp").unwrap();
        let [own, others] = places.map(Transform::position);
        // The arms are up after two seconds.
        if (320..470).contains(&frame) {
            apart_m = apart_m.max(own.distance(clasp.position()));
            worst_m = worst_m.max(own.distance(others));
        }
        if frame > 20
            && let Some(before) = before
        {
            jump_m = jump_m.max(before.distance(others));
        }
        before = Some(others);
    }
    let [lead, bea] = [0, 1].map(|index| scene.characters[index].footing());
    eprintln!(
        "palms {worst_m} m apart, {apart_m} m off the clasp, {jump_m} m a frame, {} m apart",
        lead.distance(bea)
    );
    assert!(
        worst_m < 0.002 && apart_m < 0.002,
        "{worst_m} m, {apart_m} m"
    );
    assert!(jump_m < 0.05, "{jump_m} m");
    // Each stands 35 cm from the clasp, face to face.
    assert_close!(lead.distance(bea), 0.7, 0.05);
    let faces = [0, 1].map(|index| scene.characters[index].heading_rad());
    let apart = (faces[0] - faces[1]).rem_euclid(std::f32::consts::TAU);
    assert_close!(apart, std::f32::consts::PI, 0.1);
}

/// A hand stays on a back that walks off, picture after picture, not one late.
#[test]
fn a_hand_follows_a_back_that_moves() {
    let mut scene = staged(
        "0 character Bea drive at 0 0.36 facing 0\n\
         0.2 meet right_hand thorax of Bea\n0.2 press W\n@Bea 0.2 press W",
    );
    let mut worst_m = 0f32;
    for frame in 0..300 {
        scene.step(if frame == 0 { 0.0 } else { 1.0 / 60.0 });
        if frame > 120 {
            let told = scene.characters[0].posing_trace().unwrap();
            assert!(told.meets[0].0.ends_with("thorax of Bea"), "{told:?}");
            worst_m = worst_m.max(told.meets[0].1);
        }
    }
    eprintln!("hand {worst_m} m off the back");
    assert!(worst_m < 0.005, "{worst_m} m");
}

#[test]
fn what_cannot_be_met_is_told() {
    let mut acted = performance(&performer(), "", 60.0);
    acted.step();
    for (words, says) in [
        ("meet right_hand nowhere", "no locator \"nowhere\""),
        ("locator a tail", "no joint named"),
        ("stand a b of Bea", "no locator \"a\""),
    ] {
        let told = acted.character.act(&action(words)).unwrap_err().to_string();
        assert!(told.contains(says), "{words}: {told}");
    }
    acted
        .character
        .act(&action("locator a world at 0 1 1"))
        .unwrap();
    let told = acted
        .character
        .act(&action("meet a a"))
        .unwrap_err()
        .to_string();
    assert!(told.contains("`locator a JOINT`"), "{told}");
}

/// Cameras and locators of a file are facts of `info`, without a warning.
#[test]
fn info_lists_cameras_and_locators() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/cameras.gltf");
    let ran = kinetoscope()
        .args(["info", "--json", file])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let entry = &told[0];
    assert_eq!(entry["cameras"][0]["name"], "eye");
    assert_eq!(entry["cameras"][0]["joint"], "high");
    assert_eq!(entry["cameras"][0]["fov_y_deg"], 45.837);
    assert_eq!(entry["cameras"][1]["projection"], "orthographic");
    assert_eq!(entry["cameras"][1]["height_m"], 5.0);
    assert_eq!(entry["locators"][0]["name"], "grip");
    assert_eq!(entry["locators"][1]["at"][2], 2.0);
    assert_eq!(entry["warnings"].as_array().unwrap().len(), 0, "{entry}");
}

/// Every verb in a script that `drive` runs; the written motion and the trace
/// know of it.
#[test]
fn every_verb_is_driven_traced_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("verbs.txt");
    fs::write(
        &script,
        "0 look 1 1.5 3\n0 reach left_hand 0.35 1.3 0.35 turn 0 0 90\n0.1 attach box right_hand\n\
         0.2 ground lock on\n0.2 ground in_place off\n1.5 detach box\n2 look off\n2 reach left_hand off\n\
         2.5 ground slope 10\n2.6 press W\n4 ground flat\n4.1 pin head\n4.1 solver body\n\
         4.2 locator here body at 0 1.2 0.4\n4.2 meet left_hand here\n4.3 stand body here\n\
         4.2 drag right_hand 0.1 0.2 0.1 ease 0.1\n4.5 ragdoll off\n4.9 rest off\n",
    )
    .unwrap();
    let [out, trace] = ["verbs.bvh", "trace.jsonl"].map(|name| folder.path().join(name));
    let mut command = kinetoscope();
    command
        .arg("drive")
        .arg("--script")
        .arg(&script)
        .args(["-o"])
        .arg(&out);
    let ran = command.arg("--trace").arg(&trace).output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let text = fs::read_to_string(&trace).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let at = |secs: f64| &lines[(secs * 120.0) as usize]["posing"];
    assert!(at(1.4)["look"].as_f64().unwrap() > 0.99, "{}", at(1.4));
    assert_eq!(at(1.4)["reach"][0][0], "lwrist");
    assert_eq!(at(1.4)["props"][0]["held"], true);
    assert_eq!(at(2.4)["props"][0]["held"], false);
    assert_eq!(at(3.5)["ground"], "slope 10");
    let drag = at(4.4)["drags"][0].as_str().unwrap();
    assert_eq!(drag, "right_hand 0.1 0.2 0.1 ease 0.1");
    assert_eq!(at(4.9)["meets"][0][0], "lwrist here");
    assert!(lines[450]["root"][1].as_f64().unwrap() > 0.02);
    // A fall, and the way up.
    fs::write(
        &script,
        "0 attach ball right_hand\n0.1 detach\n0.3 ragdoll on\n0.4 push thorax 0 0 90\n3 ragdoll off\n7 look off\n",
    )
    .unwrap();
    let [fallen, told] = ["fall.bvh", "fall.jsonl"].map(|name| folder.path().join(name));
    let mut command = kinetoscope();
    command.arg("drive").arg("--script").arg(&script);
    command.arg("-o").arg(&fallen).arg("--trace").arg(&told);
    assert!(command.output().unwrap().status.success());
    let text = fs::read_to_string(&told).unwrap();
    let falls: Vec<Value> = { text.lines() }
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let word = |secs: f64| &falls[(secs * 120.0) as usize]["posing"]["ragdoll"];
    assert!(["falling", "lying"].contains(&word(2.9).as_str().unwrap()));
    assert_eq!(word(3.5), "rising");
    let end = falls.last().unwrap();
    assert!(end["posing"]["ragdoll"].is_null(), "{end}");
    // The animator goes on from where the body lay.
    assert!(end["root"][2].as_f64().unwrap().abs() > 0.1, "{end}");
    // The hand in the written file is where it was sent.
    let loaded = load::load(&[out], LoadOptions::default()).into_iter();
    let motion = { loaded }.find_map(|(_, it)| Loaded::into_motion(it.unwrap()));
    let motion = motion.unwrap();
    let body = Arc::new(Body::bare(motion.skeleton()));
    let skeleton = Arc::new(motion.skeleton().clone());
    let mut playing = Character::playing("", skeleton, body, motion.sampler());
    playing.advance_to(1.4);
    let hand = usize::from(playing.skeleton.find("lwrist").unwrap());
    let hand = playing.world_pose().joints()[hand].position();
    let off_m = hand.distance(Vec3::new(0.35, 1.3, 0.35));
    assert!(off_m < 0.003, "{hand}");
    // Names are asked for before anything is done.
    fs::write(&script, "0 reach tail 1 1 1\n").unwrap();
    let mut command = kinetoscope();
    command
        .arg("drive")
        .arg("--script")
        .arg(&script)
        .args(["--force", "-o"]);
    let ran = command
        .arg(folder.path().join("other.bvh"))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(3));
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        told.contains("tail") && told.contains("verbs.txt"),
        "{told}"
    );
    fs::write(&script, "0 ground nowhere.png\n").unwrap();
    let mut command = kinetoscope();
    command
        .arg("drive")
        .arg("--script")
        .arg(&script)
        .args(["--force", "-o"]);
    let ran = command
        .arg(folder.path().join("other.bvh"))
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(3));
}

/// Another clip stands on the same ground with the same things in its hands.
#[test]
fn another_clip_keeps_ground_and_props() {
    let character = |name: &str| {
        let motion = load::performer_clip(name, LoadOptions::default()).unwrap();
        let motion = motion.unwrap();
        let skeleton = Arc::new(motion.skeleton().clone());
        let body = Arc::new(Body::bare(&skeleton));
        Character::playing(name, skeleton, body, motion.sampler()).measured()
    };
    let mut scene = Scene::of(character("forward"));
    for words in [
        "ground slope 10",
        "ground lock on",
        "attach stick right_hand with left_hand",
        "attach ball head",
        "detach ball",
        "look 0 1 5",
    ] {
        scene.act(&action(words)).unwrap();
    }
    scene.step(0.1);
    scene.replace_lead(character("run"));
    scene.step(0.1);
    let posing = scene.lead().unwrap().posing();
    assert_eq!(posing.ground().unwrap().kind.to_string(), "slope 10");
    assert_eq!(posing.foot_lock(), Some(true));
    assert!(posing.props()[0].is_held() && !posing.props()[1].is_held());
    assert_eq!(posing.grips(&PropKind::Stick).len(), 2);
    assert_eq!(posing.look().at.to_string(), "0 1 5");
    let hips = usize::from(scene.lead().unwrap().carrier());
    let at = scene.lead().unwrap().world_pose().joints()[hips].translation;
    assert!(at.y - posing.rise_m(at.x, at.z) > 0.6);
}

/// A skeleton that no file describes looks by its own parts.
#[test]
fn any_human_looks_with_spine_neck_and_head_by_their_shares() {
    let motion = load::performer_clip("idle", LoadOptions::default())
        .unwrap()
        .unwrap();
    let skeleton = Arc::new(motion.skeleton().clone());
    let body = Arc::new(Body::bare(&skeleton));
    let mut character = Character::playing("", skeleton, body, motion.sampler()).measured();
    let head = usize::from(character.skeleton.find("head").unwrap());
    let gaze = |character: &Character| character.world_pose().joints()[head];
    let own = gaze(&character);
    let rest = character.skeleton.rest_model().joints()[head].rotation;
    let forward = rest.conjugate() * Vec3A::Z;
    let eye = own.translation;
    for off in [Vec3A::new(1.0, 0.3, 2.0), Vec3A::new(-0.8, -0.3, 1.5)] {
        let target = eye + off;
        let words = format!("look {} {} {}", target.x, target.y, target.z);
        character.act(&action(&words)).unwrap();
        character.posing_mut().settle();
        character.advance_to(0.0);
        let seen = gaze(&character);
        let missing = (seen.rotation * forward).angle_between(target - seen.translation);
        assert!(missing < 0.03, "{missing} rad off {off}");
    }
    character.act(&action("look joint rwrist")).unwrap();
    character.advance_to(0.0);
    character.posing_mut().settle();
    character.advance_to(0.0);
    let down = gaze(&character).rotation * forward;
    assert!(down.y < -0.2, "looks down at its hand: {down}");
}
