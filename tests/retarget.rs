//! Captures on other characters: standing feet stay, knees bend forward, maps
//! and faults behave on the command line.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use common::{alongside_corpus, corpus, kinetoscope};
use glam::{Vec3A, Vec3Swizzles};
use kinetoscope::{
    animator::{Driver, Script, TICK_RATE},
    assert_close,
    body::{Body, Vertex},
    clip::{FootContacts, RawClip, sole_height_m},
    humanoid::{Human, Limb, Role, Side},
    load::{
        self, CharacterFiles, DrivenCharacter, LoadOptions, LoadedMotion, LoadedSkeleton,
        RetargetFiles, Retargeter,
    },
    mesh::CharacterMesh,
    retarget::{JointMap, retarget},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Slide of a standing foot that is allowed, metres.
const SLIDE_M: f32 = 0.03;
/// A source's foot that goes further than this in a stance is dragged, metres.
const DRAG_M: f32 = 0.05;

fn motion(files: &[PathBuf]) -> LoadedMotion {
    let loaded = load::load(files, LoadOptions::default());
    let mut motions = loaded
        .into_iter()
        .filter_map(|(_, it)| it.unwrap().into_motion());
    motions.next().expect("a motion")
}

/// Joints of a leg; the ball of its foot as a point of a joint's space.
struct Leg {
    hip: JointIndex,
    knee: JointIndex,
    ankle: JointIndex,
    ball: (JointIndex, Vec3A),
}

impl Leg {
    fn ball(&self, pose: &ModelPose) -> Vec3A {
        let (joint, ball) = self.ball;
        pose.joints()[usize::from(joint)].transform_point(ball)
    }
}

/// The ball is where the toes begin, the front of what a mesh stands on,
/// or the end of the foot's bone.
fn legs(skeleton: &Skeleton, model: Option<&Arc<CharacterMesh>>) -> [Leg; 2] {
    let human = Human::find(skeleton);
    Side::BOTH.map(|side| {
        let first = |limb| human.first(side.role(limb));
        let ankle = first(Limb::Foot).unwrap();
        let tip = skeleton.joints()[usize::from(ankle)].tip;
        let ball = match (first(Limb::Toes), model) {
            (Some(toes), _) => (toes, Vec3A::ZERO),
            (None, Some(model)) => (ankle, sole_of_mesh(skeleton, model, &human, ankle)),
            (None, None) => (ankle, tip.into()),
        };
        Leg {
            hip: first(Limb::Thigh).unwrap(),
            knee: first(Limb::Shin).unwrap(),
            ankle,
            ball,
        }
    })
}

/// Middle of the sole's front fifth in the rest pose, in the foot's space: a
/// stiff foot rolls over that.
fn sole_of_mesh(
    skeleton: &Skeleton,
    model: &Arc<CharacterMesh>,
    human: &Human,
    foot: JointIndex,
) -> Vec3A {
    let rest = skeleton.rest_model();
    let front = human.frame(&rest).unwrap() * Vec3A::Z;
    let body = Body::of_model(skeleton, model);
    let of_foot = |v: &&Vertex| v.joints[0] == foot || skeleton.descends(v.joints[0], foot);
    let skin = body.vertices().iter().filter(of_foot);
    let mut skin: Vec<Vec3A> = skin.map(|v| Vec3A::from(v.position)).collect();
    let low = skin.iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let high = skin.iter().map(|p| p.y).fold(f32::MIN, f32::max);
    skin.retain(|p| p.y < low + 0.3 * (high - low));
    skin.sort_by(|a, b| b.dot(front).total_cmp(&a.dot(front)));
    skin.truncate(skin.len().div_ceil(5));
    let middle = skin.iter().sum::<Vec3A>() / skin.len() as f32;
    assert!(middle.is_finite(), "{}: no sole", skeleton.name());
    let foot = rest.joints()[usize::from(foot)];
    foot.inverse().transform_point(middle)
}

fn poses(skeleton: &Skeleton, clip: &RawClip) -> Vec<ModelPose> {
    let mut local = LocalPose::default();
    let pose = |frame| {
        let mut model = ModelPose::default();
        clip.frame_pose(skeleton, frame, &mut local);
        model.compute(skeleton, &local);
        model
    };
    (0..clip.frames()).map(pose).collect()
}

/// What a motion on another body looks like, in figures.
#[derive(Debug, Default)]
struct Looks {
    /// Largest way of a ball over the ground within one stance, metres; where
    /// the source's own foot is dragged, beyond that.
    slide_m: f32,
    /// Stances, and how many of them the source drags.
    stances: usize,
    dragged: usize,
    /// Frames in which a foot stands.
    standing: usize,
    /// Lowest and highest a standing ball is over the lowest 5 % of them.
    stance_low_m: f32,
    stance_high_m: f32,
    /// Frames in which a knee that bends by more than 4 % of the leg does so
    /// other than the source's, relative to the body's front.
    odd_knees: usize,
    /// Largest angle between an arm's bone and the source's, degrees.
    arm_deg: f32,
}

/// Widest way from where a stance begins.
fn way(path: &[Vec3A], run: std::ops::Range<usize>) -> f32 {
    let start = path[run.start].xz();
    let ways = path[run].iter().map(|at| (at.xz() - start).length());
    ways.fold(0.0, f32::max)
}

/// Balls of both feet; a first frame that stands apart is passed over.
fn balls(legs: &[Leg; 2], poses: &[ModelPose]) -> [Vec<Vec3A>; 2] {
    [0, 1].map(|side| {
        let ball = |pose: &ModelPose| legs[side].ball(pose);
        let mut path: Vec<Vec3A> = poses.iter().map(ball).collect();
        path[0] = path[1];
        path
    })
}

fn joint(pose: &ModelPose, joint: JointIndex) -> Vec3A {
    pose.joints()[usize::from(joint)].translation
}

/// How far a knee is off its leg's line, along and across the body's front.
fn knee(pose: &ModelPose, human: &Human, leg: &Leg) -> (f32, f32) {
    let [hip, knee, ankle] = [leg.hip, leg.knee, leg.ankle].map(|it| joint(pose, it));
    let line = (ankle - hip).normalize();
    let bend = (knee - hip) - line * line.dot(knee - hip);
    let length = (knee - hip).length() + (ankle - knee).length();
    let front = human.frame(pose).unwrap() * Vec3A::Z;
    (bend.dot(front) / length, bend.length() / length)
}

fn looks(
    source: (&Skeleton, &RawClip),
    target: (&Skeleton, &RawClip),
    model: Option<&Arc<CharacterMesh>>,
) -> Looks {
    let (own, other) = (legs(source.0, None), legs(target.0, model));
    let (from, to) = (poses(source.0, source.1), poses(target.0, target.1));
    let paths = [balls(&own, &from), balls(&other, &to)];
    let sole_m = sole_height_m(source.0);
    let (contacts, _) = FootContacts::of_paths(&paths[0], source.1.fps, false, sole_m);
    let humans = [source.0, target.0].map(Human::find);
    let scale = target.0.rest_height_m() / source.0.rest_height_m();
    let mut looks = Looks::default();
    let mut standing = Vec::new();
    for side in 0..2 {
        for run in contacts[side].stances() {
            let [own, other] = [0, 1].map(|of| way(&paths[of][side], run.clone()));
            looks.stances += 1;
            looks.dragged += usize::from(own > DRAG_M);
            let slide = if own > DRAG_M {
                other - own * scale
            } else {
                other
            };
            looks.slide_m = looks.slide_m.max(slide);
            standing.extend(paths[1][side][run].iter().map(|at| at.y));
        }
    }
    standing.sort_by(f32::total_cmp);
    looks.standing = standing.len();
    if let Some(&floor) = standing.get(standing.len() / 20) {
        looks.stance_low_m = floor - standing[0];
        looks.stance_high_m = standing[standing.len() - 1] - floor;
    }
    for (before, after) in from.iter().zip(&to) {
        for (own, other) in own.iter().zip(&other) {
            let (wanted, _) = knee(before, &humans[0], own);
            let (found, bent) = knee(after, &humans[1], other);
            looks.odd_knees += usize::from(bent > 0.04 && wanted > 0.04 && found < 0.0);
        }
        let bones = [(Limb::UpperArm, Limb::Forearm), (Limb::Forearm, Limb::Hand)];
        for (limb, next) in bones {
            for side in Side::BOTH {
                let along = |human: &Human, pose: &ModelPose| {
                    let [a, b] = [limb, next].map(|it| human.first(side.role(it)));
                    Some((joint(pose, b?) - joint(pose, a?)).normalize())
                };
                let both = along(&humans[0], before).zip(along(&humans[1], after));
                if let Some((a, b)) = both {
                    looks.arm_deg = looks.arm_deg.max(a.angle_between(b).to_degrees());
                }
            }
        }
    }
    looks
}

fn onto(motion: &LoadedMotion, target: &Skeleton) -> RawClip {
    let source = &motion.skeleton.imported.skeleton;
    let map = JointMap::between(source, target);
    let carried = retarget(source, motion.raw(), target, &map).unwrap();
    carried.validate().unwrap();
    carried
}

fn check(what: &str, motion: &LoadedMotion, target: &LoadedSkeleton) -> Looks {
    let (target, model) = (&target.imported.skeleton, target.model.as_ref());
    let carried = onto(motion, target);
    let source = &motion.skeleton.imported.skeleton;
    let looks = looks((source, motion.raw()), (target, &carried), model);
    eprintln!("{what}: {looks:.3?}");
    assert!(
        looks.slide_m < SLIDE_M,
        "{what}: slides {} m",
        looks.slide_m
    );
    assert!(
        looks.odd_knees == 0,
        "{what}: {} odd knees",
        looks.odd_knees
    );
    assert!(
        looks.arm_deg < 1.0,
        "{what}: arms are {}° off",
        looks.arm_deg
    );
    looks
}

fn performer() -> LoadedSkeleton {
    load::performer().unwrap()
}

fn files(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| folder.join(name)).collect()
}

#[test]
fn captures_play_on_the_performer() {
    let Some(corpus) = corpus() else {
        return;
    };
    let performer = performer();
    for (folder, names) in [
        ("cmu-original", ["02.asf", "02_01.amc"]),
        ("cmu-original", ["01.asf", "01_01.amc"]),
        ("cmu-16", ["16.asf", "16_16.amc"]),
        (
            "hdm05",
            ["HDM_bd.asf", "HDM_bd_jogLeftCircle4StepsRstart_001_120.amc"],
        ),
        ("hdm05", ["HDM_dg.asf", "HDM_dg_squat1Reps_025_120.amc"]),
        (
            "hdm05",
            ["HDM_mm.asf", "HDM_mm_sneak2StepsLStart_011_120.amc"],
        ),
        (
            "hdm05",
            [
                "HDM_tr.asf",
                "HDM_tr_rotateArmsBothBackward1Reps_015_120.amc",
            ],
        ),
    ] {
        let motion = motion(&files(&corpus.join(folder), &names));
        check(names[1], &motion, &performer);
    }
}

#[test]
fn every_bvh_of_a_human_plays_on_the_performer() {
    let Some(folder) = alongside_corpus("bvh") else {
        return;
    };
    let performer = performer();
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".bvh") || name.contains("sinusoidal") {
            continue;
        }
        let looks = check(&name, &motion(&[path]), &performer);
        assert!(looks.standing > 50, "{name}: feet stand");
        played += 1;
    }
    assert_eq!(played, 9);
}

#[test]
fn onto_its_own_skeleton_a_capture_stays_as_it_is() {
    let Some(corpus) = corpus() else {
        return;
    };
    let motion = motion(&files(
        &corpus.join("cmu-original"),
        &["02.asf", "02_01.amc"],
    ));
    let skeleton = &motion.skeleton.imported.skeleton;
    let carried = onto(&motion, skeleton);
    let all = poses(skeleton, motion.raw());
    let pairs = all.iter().zip(poses(skeleton, &carried));
    let gap = pairs
        .flat_map(|(a, b)| {
            let gap = |joint: usize| {
                (a.joints()[joint].translation - b.joints()[joint].translation).length()
            };
            (0..skeleton.len()).map(gap).collect::<Vec<f32>>()
        })
        .fold(0.0, f32::max);
    eprintln!("own skeleton: {gap} m");
    assert!(gap < 1e-4, "{gap} m");
}

#[test]
fn a_chain_without_limbs_is_refused_by_name() {
    let Some(folder) = alongside_corpus("bvh") else {
        return;
    };
    let chain = folder.join("fairmotion-sinusoidal.bvh");
    let out = tempfile::tempdir().unwrap();
    let output = kinetoscope()
        .args(["convert", "--onto", "performer", "-o"])
        .arg(out.path().join("out.bvh"))
        .arg(&chain)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("sinusoidal") && text.contains("no hips"),
        "{text}"
    );
}

/// The performer's walk as files of its own.
fn walk(folder: &Path) -> Vec<PathBuf> {
    use kinetoscope::import::builtin;
    let files = files(folder, &["walker.asf", "walker.amc"]);
    std::fs::write(&files[0], builtin::SKELETON_ASF).unwrap();
    std::fs::write(&files[1], builtin::clip("forward").unwrap()).unwrap();
    files
}

#[test]
fn maps_are_written_read_and_faulted_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let walk = walk(folder.path());
    let map = folder.path().join("map.ron");
    let pose = |extra: &[&str]| {
        let output = kinetoscope()
            .args(["pose", "--frames", "0,40"])
            .args(&walk)
            .args(["--onto", "performer"])
            .args(extra)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), output.stdout, text)
    };
    let path = map.to_str().unwrap();
    let (code, found, text) = pose(&["--save-map", path]);
    assert_eq!(code, Some(0), "{text}");
    let text = std::fs::read_to_string(&map).unwrap();
    assert!(
        text.contains("role: Left(UpperArm), from: [\"lhumerus\"]"),
        "{text}"
    );
    let (code, again, _) = pose(&["--map", path]);
    assert_eq!((code, &again), (Some(0), &found));
    // Without its right arm the body moves otherwise.
    let (from, to) = ("to: [\"rhumerus\"]", "to: []");
    std::fs::write(&map, text.replace(from, to)).unwrap();
    let (code, other, told) = pose(&["--map", path]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("right upper arm: the target has none"),
        "{told}"
    );
    assert_ne!(other, found);
    std::fs::write(&map, text.replace("\"rhumerus\"", "\"rhumerous\"")).unwrap();
    let (code, _, told) = pose(&["--map", path]);
    assert_eq!(code, Some(3), "{told}");
    let line = text.lines().position(|it| it.contains("rhumerus")).unwrap() + 1;
    assert!(told.contains(&format!("map.ron: line {line}, ")), "{told}");
    assert!(
        told.contains("links[") && told.contains("].from[0]"),
        "{told}"
    );
    let (code, _, _) = pose(&["--map", "missing.ron"]);
    assert_eq!(code, Some(3));
    let bare = kinetoscope()
        .arg("pose")
        .args(&walk)
        .args(["--map", path])
        .output();
    assert_eq!(bare.unwrap().status.code(), Some(2), "--map needs --onto");
}

#[test]
fn mirrored_on_the_command_line_left_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let walk = walk(folder.path());
    let run = |extra: &[&str]| -> serde_json::Value {
        let output = kinetoscope()
            .args(["pose", "--frames", "40"])
            .args(&walk)
            .args(extra)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let (plain, mirrored) = (run(&[]), run(&["--mirror"]));
    for axis in 0..3 {
        let at = |from: &serde_json::Value, joint: &str| {
            from["frames"][0]["joints"][joint]["start"][axis]
                .as_f64()
                .unwrap()
        };
        let sign = if axis == 0 { -1.0 } else { 1.0 };
        let (a, b) = (at(&plain, "lfoot") * sign, at(&mirrored, "rfoot"));
        assert_close!(a, b, 1e-3, "axis {axis}");
    }
}

#[test]
fn compress_and_convert_take_another_character() {
    let folder = tempfile::tempdir().unwrap();
    let walk = walk(folder.path());
    let small = folder.path().join("small.bvh");
    let to_bvh = kinetoscope()
        .arg("convert")
        .args(&walk)
        .args(["--mirror", "-o"])
        .arg(&small)
        .output()
        .unwrap();
    assert!(to_bvh.status.success());
    let kin = folder.path().join("out.kin");
    let output = kinetoscope()
        .arg("compress")
        .arg(&small)
        .args(["--onto", "performer", "--json", "-o"])
        .arg(&kin)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let loaded = load::load(&[kin], LoadOptions::default());
    let motions: Vec<LoadedMotion> = loaded
        .into_iter()
        .filter_map(|(_, it)| it.unwrap().into_motion())
        .collect();
    assert_eq!(motions[0].skeleton.imported.skeleton.name(), "performer");
    assert!(Role::all().count() > 30);
}

/// Characters with names that say little, other axes, scaled and Z-up
/// armatures, feet that hang off the root.
const CHARACTERS: [&str; 3] = [
    "CesiumMan/CesiumMan.glb",
    "RiggedFigure/RiggedFigure.glb",
    "RobotExpressive/RobotExpressive.glb",
];

#[test]
fn a_walk_on_three_gltf_characters() {
    let (Some(corpus), Some(folder)) = (corpus(), alongside_corpus("gltf")) else {
        return;
    };
    let walk = motion(&files(
        &corpus.join("cmu-original"),
        &["02.asf", "02_01.amc"],
    ));
    let own = load::performer_clip("forward", LoadOptions::default())
        .unwrap()
        .unwrap();
    for name in CHARACTERS {
        let character = load::character(&folder.join(name)).unwrap();
        let skeleton = &character.imported.skeleton;
        let human = Human::find(skeleton);
        for role in Role::all().filter(|role| !role.is_minor()) {
            let names: Vec<&str> = human
                .part(role)
                .iter()
                .map(|&it| skeleton.joints()[usize::from(it)].name.as_str())
                .collect();
            eprintln!("{name}: {role}: {names:?}");
            assert!(!names.is_empty(), "{name}: {role}");
        }
        for (what, motion) in [("02_01", &walk), ("forward", &own)] {
            let looks = check(&format!("{what} on {name}"), motion, &character);
            assert!(looks.standing > 100, "{name}: feet stand");
        }
    }
}

/// The performer's clips, carried over to a model, under the keyboard.
#[test]
fn a_gltf_character_is_driven() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    for name in CHARACTERS {
        let path = folder.join(name);
        let onto = Retargeter::load(RetargetFiles {
            character: Some(&path),
            ..RetargetFiles::default()
        });
        let onto = onto.unwrap();
        let from = CharacterFiles {
            animator: None,
            files: &[],
            onto: onto.as_ref(),
            fill: false,
        };
        let cast = DrivenCharacter::load(from, LoadOptions::default()).unwrap();
        assert!(cast.loaded.model.is_some(), "{name}");
        let skeleton = Arc::clone(&cast.graph.skeleton);
        let script = Script::parse("0.2 press W\n3.0 click\n").unwrap();
        let mut driver = Driver::new(cast.graph, &script, TICK_RATE);
        let mut states = Vec::new();
        let mut last = None;
        for _ in 0..400 {
            let frame = driver.step();
            states.extend(frame.trace.layers.iter().map(|it| it.state.clone()));
            last = Some(frame.trace.root);
        }
        let ahead = last.unwrap()[2] / skeleton.rest_height_m();
        eprintln!("{name}: {ahead:.2} heights ahead");
        assert!((0.8..4.0).contains(&ahead), "{name}: {ahead} heights ahead");
        for state in ["IDLE", "FORWARD", "ATTACK"] {
            assert!(states.iter().any(|it| it == state), "{name}: no {state}");
        }
    }
}

/// Clips of one file in the states that name them.
#[test]
fn a_model_is_driven_by_its_own_clips() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    let robot = folder.join("RobotExpressive/RobotExpressive.glb");
    let files = |all: &[&str]| -> Vec<PathBuf> {
        let file = |state: &&str| PathBuf::from(state.replace('@', &robot.to_string_lossy()));
        all.iter().map(file).collect()
    };
    let cast = |files: &[PathBuf]| {
        let from = CharacterFiles {
            animator: None,
            files,
            onto: None,
            fill: false,
        };
        DrivenCharacter::load(from, LoadOptions::default())
    };
    let own = cast(&files(&["FORWARD=@#Walking", "RUN=@#running"])).unwrap();
    assert!(own.unused.contains(&"Dance".to_owned()));
    let states = own.graph.layers.iter().flat_map(|layer| &layer.states);
    let names: Vec<&str> = states.map(|state| state.name.as_str()).collect();
    for state in ["IDLE", "FORWARD", "RUN", "JUMP"] {
        assert!(names.contains(&state), "no {state}: {names:?}");
    }
    let wrong = cast(&files(&["FORWARD=@#Strolling"]))
        .unwrap_err()
        .to_string();
    assert!(
        wrong.contains("Strolling") && wrong.contains("Walking"),
        "{wrong}"
    );
}
