//! Up axis, unit, height, facing and the spot a camera follows, right without an
//! option: of every capture beside the corpus, and of copies with Z up.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use common::{alongside_corpus, corpus};
use glam::Vec3;
use kinetoscope::{
    assert_close,
    body::{Body, growth_pose},
    clip::sample_poses,
    humanoid::{Human, Limb, Role, Side, Stature, StatureSource, facing},
    load::{LoadOptions, LoadedMotion, load},
    scene::{Character, Scene},
    skeleton::{JointIndex, ModelPose, Skeleton},
    units::UpAxis,
};

fn motions(files: &[PathBuf]) -> Vec<LoadedMotion> {
    let loaded = load(files, LoadOptions::default()).into_iter();
    loaded
        .filter_map(|(_, outcome)| outcome.ok()?.into_motion())
        .collect()
}

/// The captures of all formats; one motion of each skeleton of the corpus.
fn captures() -> Vec<LoadedMotion> {
    let folders = ["bvh", "bvh-odd", "gltf"].map(alongside_corpus);
    let mut all = motions(&folders.into_iter().flatten().collect::<Vec<_>>());
    all.extend(acclaim().iter().flat_map(|files| motions(files)));
    all
}

fn acclaim() -> Vec<[PathBuf; 2]> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let pairs = [
        ["cmu-original/02.asf", "cmu-original/02_05.amc"],
        ["cmu-original/01.asf", "cmu-original/01_01.amc"],
        ["hdm05/HDM_bk.asf", "hdm05/HDM_bk_squat1Reps_014_120.amc"],
    ];
    let pairs = pairs.map(|pair| pair.map(|it| corpus.join(it)));
    pairs
        .into_iter()
        .filter(|pair| pair.iter().all(|it| it.exists()))
        .collect()
}

/// Segments added up from the soles to the top of the head, bone by bone; of the
/// pelvis what it rises from hips to spine in somebody who is put upright, for a
/// root may lie beside that way. [`Stature`] looks at lengths alone.
fn sum_over_segments(skeleton: &Skeleton, poses: &[ModelPose]) -> f32 {
    let human = Human::find(skeleton);
    let upright = growth_pose(skeleton, poses).rest_model();
    let at = |joint: JointIndex| upright.joints()[usize::from(joint)].position();
    let first = |role: Role| human.first(role).unwrap();
    let (hips, head) = (first(Role::Hips), first(Role::Head));
    let pelvis = match skeleton.descends(head, hips) {
        true => hips,
        false => skeleton.common_ancestor(hips, head).unwrap(),
    };
    let mut spine = skeleton.between(pelvis, head).unwrap();
    spine.push(head);
    let bones = |chain: &[JointIndex]| -> f32 {
        let pairs = chain.windows(2);
        pairs.map(|pair| at(pair[0]).distance(at(pair[1]))).sum()
    };
    let legs = Side::BOTH.map(|side| {
        let leg = [Limb::Thigh, Limb::Shin, Limb::Foot].map(|limb| first(side.role(limb)));
        bones(&leg) + at(spine[0]).y - at(leg[0]).y
    });
    let below_m = (legs[0] + legs[1]) / 2.0 + bones(&spine);
    // A rig's head may end far above its crown, in a handle.
    let top_m = skeleton.joints()[usize::from(head)].tip.length();
    let top_m = top_m.min(0.2 * below_m);
    // Ankles are 0.039 of the height above the soles: Drillis and Contini, 1966.
    (below_m + top_m) / (1.0 - 0.039)
}

#[test]
fn standing_heights_are_those_of_the_segments() {
    let mut tried = 0;
    for motion in captures() {
        let skeleton = motion.skeleton();
        let stature = Stature::of(skeleton);
        if stature.from == StatureSource::RestPose {
            continue;
        }
        let poses = sample_poses(&*motion.sampler(), skeleton);
        let sum_m = sum_over_segments(skeleton, &poses[..poses.len().min(40)]);
        let off_m = (stature.height_m - sum_m).abs();
        assert!(off_m < 0.05, "{}: {stature:?}, {sum_m} m", motion.name);
        tried += 1;
    }
    assert!(tried > 10 || corpus().is_none(), "{tried} files");
}

#[test]
fn a_fox_has_no_standing_height() {
    let Some(folder) = alongside_corpus("gltf") else {
        return;
    };
    let fox = motions(&[folder.join("Fox")]);
    assert_eq!(Stature::of(fox[0].skeleton()).from, StatureSource::RestPose);
}

/// Toes point where a body looks.
fn assert_looks_where_its_toes_point(name: &str, skeleton: &Skeleton, poses: &[ModelPose]) {
    let legs = Human::find(skeleton).legs();
    let mut ahead = 0.0;
    for pose in poses.iter().step_by(10) {
        let Some(facing) = facing(skeleton, pose) else {
            continue;
        };
        for leg in &legs {
            let at = |joint: JointIndex| pose.joints()[usize::from(joint)].position();
            ahead += (at(leg.ball) - at(leg.ankle)).dot(facing);
        }
    }
    assert!(legs.is_empty() || ahead > 0.0, "{name} looks backwards");
}

#[test]
fn people_look_where_their_toes_point() {
    for motion in captures() {
        let skeleton = motion.skeleton();
        // Its last bones lead from the ankles to the heels.
        let on_heels = motion.name == "CesiumMan";
        if Stature::of(skeleton).from != StatureSource::RestPose && !on_heels {
            let poses = sample_poses(&*motion.sampler(), skeleton);
            assert_looks_where_its_toes_point(&motion.name, skeleton, &poses);
        }
    }
}

/// The same text with its axes in turn, X as Y, Y as Z, Z as X: Z is up then.
fn asf_with_z_up(text: &str) -> String {
    let turned = |word: &str| -> String {
        let axis = |letter: char| match letter {
            'x' => 'y',
            'y' => 'z',
            'z' => 'x',
            'X' => 'Y',
            'Y' => 'Z',
            'Z' => 'X',
            other => other,
        };
        word.chars().map(axis).collect()
    };
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [key @ ("direction" | "position" | "orientation"), x, y, z] => {
            format!("{key} {z} {x} {y}")
        }
        ["axis", x, y, z, order] => format!("axis {z} {x} {y} {}", turned(order)),
        [key @ ("order" | "axis" | "dof"), ref names @ ..] => {
            let names: Vec<String> = names.iter().map(|it| turned(it)).collect();
            format!("{key} {}", names.join(" "))
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

fn z_up_copy(folder: &Path, [asf, amc]: &[PathBuf; 2]) -> LoadedMotion {
    let text = String::from_utf8_lossy(&std::fs::read(asf).unwrap()).into_owned();
    let skeleton = folder.join("turned.asf");
    std::fs::write(&skeleton, asf_with_z_up(&text)).unwrap();
    motions(&[skeleton, amc.clone()]).remove(0)
}

#[test]
fn acclaim_files_with_z_up_stand_and_look_as_they_did() {
    let folder = tempfile::tempdir().unwrap();
    for files in acclaim() {
        let (own, turned) = (motions(&files).remove(0), z_up_copy(folder.path(), &files));
        let name = &own.name;
        let [ours, theirs] = [&own, &turned].map(|it| &it.skeleton.imported);
        assert_eq!((ours.up, theirs.up), (UpAxis::Y, UpAxis::Z), "{name}");
        assert_eq!(ours.length, theirs.length, "{name}");
        let told = theirs.notes.iter().any(|it| it.message.contains("Z is up"));
        assert!(told, "{name}");
        let [ours, theirs] = [&own, &turned].map(|it| {
            let poses = sample_poses(&*it.sampler(), it.skeleton());
            assert_looks_where_its_toes_point(name, it.skeleton(), &poses);
            poses
        });
        for (ours, theirs) in ours.iter().zip(&theirs).step_by(20) {
            for (a, b) in ours.joints().iter().zip(theirs.joints()) {
                // Ours along X is theirs along −Z.
                let turned = Vec3::new(a.translation.z, a.translation.y, -a.translation.x);
                assert!(turned.distance(b.position()) < 2e-3, "{name}");
            }
        }
    }
}

/// Hips that walk below a root that stays.
const STILL_ROOT: &str = "HIERARCHY
ROOT Scene {
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Xrotation Yrotation
 JOINT Hips {
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftUpLeg { OFFSET 9 -5 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftLeg { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftFoot { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET 0 -5 12 } } } }
  JOINT RightUpLeg { OFFSET -9 -5 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightLeg { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightFoot { OFFSET 0 -42 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET 0 -5 12 } } } }
  JOINT Spine { OFFSET 0 30 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftArm { OFFSET 18 15 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftForeArm { OFFSET 28 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
     JOINT LeftHand { OFFSET 26 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
      End Site { OFFSET 8 0 0 } } } }
   JOINT RightArm { OFFSET -18 15 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightForeArm { OFFSET -28 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
     JOINT RightHand { OFFSET -26 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
      End Site { OFFSET -8 0 0 } } } }
   JOINT Head { OFFSET 0 30 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 20 0 } } }
 }
}
MOTION
Frames: 3
Frame Time: 0.5
";

#[test]
fn the_camera_goes_with_the_hips_below_a_root_that_stays() {
    let row = |x: f32| {
        let joints = " 0 0 0".repeat(15);
        format!("0 0 0 {x} 90 0{joints}\n")
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("walker.bvh");
    let text = format!("{STILL_ROOT}{}{}{}", row(0.0), row(400.0), row(800.0));
    std::fs::write(&file, text).unwrap();
    let motion = motions(&[file]).remove(0);
    let skeleton = Arc::new(motion.skeleton().clone());
    let body = Arc::new(Body::grow(&skeleton));
    let walker = Character::playing("walker", skeleton, body, motion.sampler());
    let mut scene = Scene::of(walker.measured());
    let wide = scene
        .outline()
        .iter()
        .map(|it| it.x.abs())
        .fold(0.0, f32::max);
    assert!(wide < 1.1, "{wide} m of way are no part of the body");
    scene.clock.seek(0.5);
    scene.step(0.0);
    scene.jump_camera();
    assert_close!(scene.footing().x, 4.0, 1e-3);
    assert_close!(scene.camera.camera.target.x, 4.0, 0.1);
}

/// A BVH text whose axes X, Y and Z point along others, a sign each: a turn of the
/// whole file, its motion the same.
fn bvh_turned(text: &str, axes: [(usize, f64); 3]) -> String {
    let letter = |name: &str| "XYZ".find(&name[..1]).unwrap();
    let (mut signs, mut out) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        out.push(match words[..] {
            ["OFFSET", ref values @ ..] => {
                let mut turned = [0.0; 3];
                for (value, (axis, sign)) in values.iter().zip(axes) {
                    turned[axis] = value.parse::<f64>().unwrap() * sign;
                }
                let [x, y, z] = turned;
                format!("OFFSET {x} {y} {z}")
            }
            ["CHANNELS", count, ref names @ ..] => {
                signs.extend(names.iter().map(|name| axes[letter(name)].1));
                let to =
                    |name: &&str| ["X", "Y", "Z"][axes[letter(name)].0].to_owned() + &name[1..];
                let names: Vec<String> = names.iter().map(to).collect();
                format!("CHANNELS {count} {}", names.join(" "))
            }
            _ if !words.is_empty() && words.len() == signs.len() => {
                let pairs = words.iter().zip(&signs);
                let turned =
                    pairs.map(|(word, sign)| (word.parse::<f64>().unwrap() * sign).to_string());
                turned.collect::<Vec<_>>().join(" ")
            }
            _ => line.to_owned(),
        });
    }
    out.join("\n")
}

/// What Y becomes, and where the other two go so that the file stays right-handed.
const TURNS: [(UpAxis, [(usize, f64); 3]); 6] = [
    (UpAxis::Y, [(0, 1.0), (1, 1.0), (2, 1.0)]),
    (UpAxis::Z, [(0, 1.0), (2, 1.0), (1, -1.0)]),
    (UpAxis::X, [(1, -1.0), (0, 1.0), (2, 1.0)]),
    (UpAxis::MinusY, [(0, 1.0), (1, -1.0), (2, -1.0)]),
    (UpAxis::MinusZ, [(0, 1.0), (2, -1.0), (1, 1.0)]),
    (UpAxis::MinusX, [(1, 1.0), (0, -1.0), (2, 1.0)]),
];

/// Copies of a BVH text with every axis up are read like the text itself.
fn assert_read_alike_whatever_is_up(name: &str, text: &str, folder: &Path) {
    let read = |text: &str| {
        let file = folder.join("turned.bvh");
        std::fs::write(&file, text).unwrap();
        motions(&[file]).remove(0)
    };
    let upright = read(text);
    for (up, axes) in TURNS {
        let turned = read(&bvh_turned(text, axes));
        let found = &turned.skeleton.imported;
        assert_eq!(found.up, up, "{name}");
        assert_eq!(
            found.length.unit, upright.skeleton.imported.length.unit,
            "{name} {up}"
        );
        let [ours, theirs] =
            [&upright, &turned].map(|it| sample_poses(&*it.sampler(), it.skeleton()));
        for (ours, theirs) in ours.iter().zip(&theirs).step_by(40) {
            for (a, b) in ours.joints().iter().zip(theirs.joints()) {
                let (a, b) = (a.translation, b.translation);
                let [flat, other] = [a, b].map(|it| it.x.hypot(it.z));
                assert!(
                    (a.y - b.y).abs() < 2e-3 && (flat - other).abs() < 2e-3,
                    "{name} {up}"
                );
            }
        }
    }
}

#[test]
fn files_stand_whichever_of_the_six_axes_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for captures in ["bvh", "bvh-odd"].into_iter().filter_map(alongside_corpus) {
        for path in captures.read_dir().unwrap().map(|it| it.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // One is Z up itself, one is no person.
            let other = ["zup-example.bvh", "fairmotion-sinusoidal.bvh"].contains(&&*name);
            if !other && path.extension().is_some_and(|end| end == "bvh") {
                let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
                assert_read_alike_whatever_is_up(&name, &text, folder.path());
                tried += 1;
            }
        }
    }
    assert!(tried >= 9 || corpus().is_none(), "{tried} files");
}

/// Every bone along one axis and whoever wears them in a crouch.
const CROUCHED_STACK: &str = "HIERARCHY
ROOT Hips {
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT LeftUpLeg { OFFSET 9 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftLeg { OFFSET 0 42 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftFoot { OFFSET 0 42 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 12 0 } } } }
 JOINT RightUpLeg { OFFSET -9 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT RightLeg { OFFSET 0 42 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightFoot { OFFSET 0 42 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 12 0 } } } }
 JOINT Spine { OFFSET 0 10 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftArm { OFFSET 18 35 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftForeArm { OFFSET 0 28 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftHand { OFFSET 0 26 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET 0 8 0 } } } }
  JOINT RightArm { OFFSET -18 35 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightForeArm { OFFSET 0 28 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightHand { OFFSET 0 26 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET 0 8 0 } } } }
  JOINT Head { OFFSET 0 52 0 CHANNELS 3 Zrotation Xrotation Yrotation
   End Site { OFFSET 0 20 0 } } }
}
MOTION
Frames: 4
Frame Time: 0.1
";

#[test]
fn a_stack_of_bones_that_crouches_stands_whatever_is_up() {
    let folder = tempfile::tempdir().unwrap();
    // Thighs up and ahead, shins down and back, the trunk bent over the knees.
    let row = |bend: f64| {
        let leg = format!(" 0 {} 0 0 {} 0 0 -135 0", 75.0 + bend, 150.0 - 2.0 * bend);
        let arms = " 0 150 0 0 -30 0 0 0 0".repeat(2);
        format!(
            "0 45 0 0 0 0{}  0 {} 0{arms} 0 0 0\n",
            leg.repeat(2),
            25.0 + bend
        )
    };
    let rows: String = [0.0, 4.0, 2.0, 6.0].map(row).concat();
    // A word that turns begins a line.
    let lines = ["OFFSET", "CHANNELS", "}"].iter();
    let text = lines.fold(format!("{CROUCHED_STACK}{rows}"), |text, word| {
        text.replace(word, &format!("\n{word}"))
    });
    assert_read_alike_whatever_is_up("crouch", &text, folder.path());
}

/// The same text without a word of what its joints are.
fn nameless(text: &str) -> String {
    let line = |(number, line): (usize, &str)| {
        let indent = &line[..line.len() - line.trim_start().len()];
        match line.split_whitespace().next() {
            Some(word @ ("ROOT" | "JOINT")) => format!("{indent}{word} n{number}"),
            _ => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.lines().enumerate().map(line).collect();
    lines.join("\n")
}

fn text_of(folder: &str, name: &str) -> Option<String> {
    let path = alongside_corpus(folder)?.join(name);
    Some(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned())
}

#[test]
fn people_without_names_stand_whatever_is_up() {
    let folder = tempfile::tempdir().unwrap();
    for (from, name) in [
        ("bvh", "cmu-127_29.bvh"),
        ("bvh-odd", "bandai-run_active.bvh"),
    ] {
        let Some(text) = text_of(from, name) else {
            return;
        };
        assert_read_alike_whatever_is_up(name, &nameless(&text), folder.path());
    }
}

fn read_text(text: &str) -> LoadedMotion {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("read.bvh");
    std::fs::write(&file, text).unwrap();
    motions(&[file]).remove(0)
}

/// Lines of a hierarchy written on one.
fn apart(text: &str) -> String {
    let words = ["OFFSET", "CHANNELS", "End Site", "}"].iter();
    words.fold(text.to_owned(), |text, word| {
        text.replace(word, &format!("\n{word}"))
    })
}

/// A text whose offsets are a number of times as long.
fn scaled(text: &str, by: f64) -> String {
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["OFFSET", x, y, z] => {
            let [x, y, z] = [x, y, z].map(|it| it.parse::<f64>().unwrap() * by);
            format!("OFFSET {x} {y} {z}")
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

#[test]
fn a_person_of_no_unit_is_as_tall_as_usual_and_told() {
    let rows = format!("0 0 0 0 0.9 0{}\n", " 0 0 0".repeat(15)).repeat(3);
    let text = apart(&format!("{STILL_ROOT}{rows}"));
    let told = |by: f64| {
        let motion = read_text(&scaled(&text, by));
        let notes = &motion.skeleton.imported.notes;
        let told = notes.iter().any(|it| it.message.contains("no unit"));
        (Stature::of(motion.skeleton()).height_m, told)
    };
    let (usual_m, _) = told(1.0);
    let (tiny_m, tiny_told) = told(3e-5);
    assert!((1.4..2.0).contains(&usual_m), "{usual_m}");
    assert_close!(tiny_m, 1.7, 1e-3);
    assert!(tiny_told && !told(1.0).1);
    // Three metres are a giant, 0.97 m a toddler: no reason for another unit.
    assert_close!(told(1.8).0, 1.8 * usual_m, 1e-3);
    assert_close!(told(0.55).0, 0.55 * usual_m, 1e-3);
}

/// From the belt up.
const UPPER_HALF: &str = "HIERARCHY
ROOT Spine {
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Chest { OFFSET 0 4 0 CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT LeftArm { OFFSET 3 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT LeftForeArm { OFFSET 5.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftHand { OFFSET 4.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET 2 0 0 } } } }
  JOINT RightArm { OFFSET -3 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT RightForeArm { OFFSET -5.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightHand { OFFSET -4.5 0 0 CHANNELS 3 Zrotation Xrotation Yrotation
     End Site { OFFSET -2 0 0 } } } }
  JOINT Neck { OFFSET 0 3 0 CHANNELS 3 Zrotation Xrotation Yrotation
   JOINT Head { OFFSET 0 2 0 CHANNELS 3 Zrotation Xrotation Yrotation
    End Site { OFFSET 0 3 0 } } } }
}
MOTION
Frames: 2
Frame Time: 0.1
";

#[test]
fn half_a_person_has_a_body_and_a_persons_size() {
    let rows = format!("0 20 0{}\n", " 0 0 0".repeat(10)).repeat(2);
    let motion = read_text(&apart(&format!("{UPPER_HALF}{rows}")));
    // Arms of 10 units: of 30 a whole person would be, which CMU's scale makes 1.7 m.
    let high_m = motion.skeleton().rest_height_m();
    assert!((0.6..0.9).contains(&high_m), "{high_m}");
    let poses = sample_poses(&*motion.sampler(), motion.skeleton());
    let body = Body::grow_for(motion.skeleton(), &poses);
    assert!(body.vertices().len() > 1_000, "{}", body.vertices().len());
}
