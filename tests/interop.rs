//! Files we write, held to the Khronos validator and to three.js in Node.
//!
//! `npm ci` brings both into `target/interop` on first use. Without Node the
//! test says that it is skipped, and fails instead where `CI` is set.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use kinetoscope::{
    clip::{ClipCursor, SampleClip},
    load::{LoadOptions, Loaded, LoadedMotion, load},
    skeleton::{LocalPose, ModelPose, PrecisePose, Skeleton},
};
use serde_json::{Value, json};

/// A tenth of a millimetre.
const TOLERANCE_M: f64 = 1e-4;

/// The folder with the checker and what it needs, or `None` after saying that
/// the test is skipped.
fn checker() -> Option<PathBuf> {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !(has("node") && has("npm")) {
        assert!(
            std::env::var_os("CI").is_none(),
            "Node and npm are missing: CI must have them (.ci/setup installs them)"
        );
        eprintln!("SKIPPED: no node and npm");
        return None;
    }
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interop");
    fs::create_dir_all(&folder).unwrap();
    let mut changed = !folder.join("node_modules").is_dir();
    for name in ["package.json", "package-lock.json", ".npmrc", "check.mjs"] {
        let own = fs::read(from.join(name)).unwrap();
        if fs::read(folder.join(name)).ok() != Some(own.clone()) {
            changed |= name.starts_with("package");
            fs::write(folder.join(name), own).unwrap();
        }
    }
    if changed {
        let npm = Command::new("npm")
            .arg("ci")
            .current_dir(&folder)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&npm.stderr).into_owned();
        assert!(npm.status.success(), "npm ci failed: {told}");
    }
    Some(folder)
}

/// What Node makes of the files.
fn checked(checker: &Path, asked: &Value) -> Vec<Value> {
    let mut node = Command::new("node")
        .arg("check.mjs")
        .current_dir(checker)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = asked.to_string();
    node.stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = node.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the checker failed: {told}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn motions(paths: &[PathBuf]) -> Vec<LoadedMotion> {
    let loaded = load(paths, LoadOptions::default()).into_iter();
    let loaded = loaded.map(|(path, it)| it.unwrap_or_else(|e| panic!("{}: {e}", path.display())));
    let motion = |it| match it {
        Loaded::Motion(motion) => Some(*motion),
        Loaded::Skeleton(_) => None,
    };
    loaded.filter_map(motion).collect()
}

/// Where joints are meant to be at times spread over a clip.
fn poses(
    skeleton: &Skeleton,
    times: impl Iterator<Item = f64>,
    mut sample: impl FnMut(f64, &mut LocalPose),
) -> Vec<Value> {
    let mut local = LocalPose::default();
    times
        .map(|secs| {
            sample(secs, &mut local);
            let pose = PrecisePose::of(skeleton, &local);
            let joints = (0..skeleton.len()).map(|joint| pose.bone(joint).0.to_array());
            json!({ "secs": secs, "joints": joints.collect::<Vec<_>>() })
        })
        .collect()
}

/// At frames spread over a motion; for keys also between them.
fn intended(motion: &LoadedMotion) -> Value {
    let skeleton = &motion.skeleton.imported.skeleton;
    let clip = motion.raw();
    let shares = (0..=8).map(|step| f64::from(step) / 8.0);
    let poses = match motion.own_keys() {
        Some(tracks) => {
            let times = shares.map(|share| share * tracks.duration_secs());
            poses(skeleton, times, |secs, pose| {
                tracks.sample(skeleton, secs, &mut ClipCursor::default(), pose);
            })
        }
        None => {
            let frames = shares.map(|share| (share * (clip.frames() - 1) as f64).round());
            let times = frames.map(|frame| frame / clip.fps);
            poses(skeleton, times, |secs, pose| {
                clip.frame_pose(skeleton, (secs * clip.fps).round() as usize, pose);
            })
        }
    };
    json!({ "name": clip.name, "poses": poses })
}

/// The compressed clip of a container, as its own sampler decodes it at many
/// times on and between keys.
fn intended_of_kin(path: &Path) -> Value {
    let motion = motions(&[path.to_path_buf()]).swap_remove(0);
    let (skeleton, clip) = (motion.skeleton(), motion.sampler());
    let mut cursor = ClipCursor::default();
    let times = (0..=60).map(|step| clip.duration_secs() * f64::from(step) / 60.0);
    let poses = poses(skeleton, times, |secs, pose| {
        clip.sample(skeleton, secs, &mut cursor, pose);
    });
    json!({ "name": motion.name, "poses": poses })
}

/// A written file as our own sampler plays it, at a thousand times of a seed.
fn anywhere(path: &Path) -> Value {
    let motion = motions(&[path.to_path_buf()]).swap_remove(0);
    let tracks = motion.own_keys().unwrap();
    let mut random = kinetoscope::testing::Random::new(17);
    let end = tracks.duration_secs() as f32;
    let times: Vec<f64> = (0..1000)
        .map(|_| f64::from(random.between(0.0, end)))
        .collect();
    let poses = poses(motion.skeleton(), times.into_iter(), |secs, pose| {
        tracks.sample(motion.skeleton(), secs, &mut ClipCursor::default(), pose);
    });
    json!({ "name": motion.name, "poses": poses })
}

fn convert(from: &[PathBuf], to: &Path, more: &[&str]) {
    let mut command = common::kinetoscope();
    command
        .arg("convert")
        .args(from)
        .args(more)
        .arg("-o")
        .arg(to);
    command.assert().success();
}

#[test]
fn files_we_write_are_valid_and_move_elsewhere_as_they_do_here() {
    let (Some(corpus), Some(models)) = (common::corpus(), common::alongside_corpus("gltf")) else {
        return;
    };
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let mut asked = Vec::new();
    let mut ask = |path: &Path, clips: Vec<Value>| {
        asked.push(json!({ "path": path, "clips": clips }));
    };
    let all = |paths: &[PathBuf]| motions(paths).iter().map(intended).collect();

    // A capture on its grown body, every frame a key; joints alone; and a
    // compressed one, whose curves go out as CUBICSPLINE.
    let capture = ["02.asf", "02_01.amc"].map(|name| corpus.join("cmu-original").join(name));
    convert(&capture, &out("capture.glb"), &[]);
    ask(&out("capture.glb"), all(&capture));
    convert(&capture, &out("joints.glb"), &["--joints-only"]);
    ask(&out("joints.glb"), all(&capture));
    // Few keys in few bits, packed: a thousand times anywhere, against our sampler of
    // the file that was written.
    convert(&capture, &out("small.glb"), &["--tolerance-cm", "0.1"]);
    ask(&out("small.glb"), vec![anywhere(&out("small.glb"))]);
    for codec in ["spline", "classic"] {
        let (kin, glb) = (out(&format!("{codec}.kin")), out(&format!("{codec}.glb")));
        let mut command = common::kinetoscope();
        command
            .arg("compress")
            .args(&capture)
            .args(["--codec", codec, "-o"])
            .arg(&kin);
        command.assert().success();
        convert(std::slice::from_ref(&kin), &glb, &[]);
        ask(&glb, vec![intended_of_kin(&kin)]);
    }
    // Models with skins, morph targets, pictures, scales, many skeletons.
    for name in [
        "Fox/Fox.glb",
        "CesiumMan/CesiumMan.glb",
        "RobotExpressive/RobotExpressive.glb",
        "InterpolationTest/InterpolationTest.glb",
        "MorphStressTest/MorphStressTest.glb",
        "RecursiveSkeletons/RecursiveSkeletons.glb",
        "RiggedSimple/separate/RiggedSimple.gltf",
        "SimpleMorph/SimpleMorph.gltf",
    ] {
        let from = models.join(name);
        let stem = from.file_stem().unwrap().to_string_lossy().into_owned();
        let to = out(&format!("{stem}.glb"));
        convert(std::slice::from_ref(&from), &to, &[]);
        ask(&to, all(&[from]));
    }

    let mut worst = 0f64;
    for (asked, found) in asked.iter().zip(checked(&checker, &json!(asked))) {
        let path = &found["path"];
        assert_eq!(found["errors"], 0, "{path}: {}", found["messages"]);
        assert_eq!(found["warnings"], 0, "{path}: {}", found["messages"]);
        let clips = asked["clips"].as_array().unwrap();
        assert_eq!(found["clips"].as_array().unwrap().len(), clips.len());
        let off = found["worst_m"].as_f64().unwrap();
        assert!(found["compared"].as_u64().unwrap() > 0);
        assert!(off < TOLERANCE_M, "{path}: {off} m off in three.js");
        worst = worst.max(off);
    }
    eprintln!(
        "{} files, {worst:.2e} m off at most in three.js",
        asked.len()
    );
}

/// Out through the writer and back through the reader.
#[test]
fn what_is_written_comes_back_unchanged() {
    let Some(models) = common::alongside_corpus("gltf") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "Fox/Fox.glb",
        "CesiumMan/CesiumMan.glb",
        "RobotExpressive/RobotExpressive.glb",
        "InterpolationTest/InterpolationTest.glb",
        "AnimatedMorphCube/AnimatedMorphCube.glb",
        "RecursiveSkeletons/RecursiveSkeletons.glb",
    ] {
        let from = models.join(name);
        let to = folder.path().join("again.glb");
        convert(std::slice::from_ref(&from), &to, &[]);
        let (before, after) = (motions(&[from]), motions(&[to]));
        assert_eq!(before.len(), after.len(), "{name}");
        for (a, b) in before.iter().zip(&after) {
            assert_eq!(a.name, b.name);
            assert_eq!(a.raw().fps, b.raw().fps, "{name}");
            assert_eq!(a.raw().frames(), b.raw().frames());
            let (sa, sb) = (&a.skeleton.imported.skeleton, &b.skeleton.imported.skeleton);
            let names = |it: &Skeleton| -> Vec<String> {
                it.joints().iter().map(|joint| joint.name.clone()).collect()
            };
            assert_eq!(names(sa), names(sb), "{name}");
            let (ta, tb) = (a.own_keys().unwrap(), b.own_keys().unwrap());
            // What never changes is one key when it is written; nothing else
            // is lost, the length least of all.
            assert!(tb.key_count() <= ta.key_count(), "{name}");
            assert_eq!(ta.duration_secs(), tb.duration_secs(), "{name}");
            let (ma, mb) = (a.skeleton.model.as_ref(), b.skeleton.model.as_ref());
            let (ma, mb) = (ma.unwrap(), mb.unwrap());
            assert_eq!(ma.materials, mb.materials, "{name}");
            assert_eq!(ma.vertex_count(), mb.vertex_count(), "{name}");
            let (mut la, mut lb) = (LocalPose::default(), LocalPose::default());
            let (mut pa, mut pb) = (ModelPose::default(), ModelPose::default());
            for step in 0..5 {
                let secs = ta.duration_secs() * f64::from(step) / 4.0;
                ta.sample(sa, secs, &mut ClipCursor::default(), &mut la);
                tb.sample(sb, secs, &mut ClipCursor::default(), &mut lb);
                pa.compute(sa, &la);
                pb.compute(sb, &lb);
                let (pala, palb): (Vec<_>, Vec<_>) =
                    (ma.palette(&pa).collect(), mb.palette(&pb).collect());
                let size = sa.rest_height_m().max(1.0);
                for (part_a, part_b) in ma.parts.iter().zip(&mb.parts) {
                    let count = ma.primitives[part_a.primitive].vertices.len();
                    for vertex in (0..count).step_by(1 + count / 50) {
                        let x = ma.place(part_a, vertex, &pala, pa.morphs());
                        let y = mb.place(part_b, vertex, &palb, pb.morphs());
                        let off = (x - y).length() / size;
                        assert!(off < 1e-5, "{name}: vertex {vertex} is off by {off}");
                    }
                }
            }
        }
    }
}

/// The vertices of an OBJ file.
#[cfg(feature = "viewer")]
fn obj_vertices(path: &Path) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("v "));
    lines
        .map(|line| line.split(' ').map(|it| it.parse().unwrap()).collect())
        .collect()
}

/// Baked twice: as OBJ files, and as a .glb that three.js plays to the same
/// places, at frames and half-way between them.
#[test]
#[cfg(feature = "viewer")]
fn baked_cloth_is_valid_and_moves_elsewhere_as_it_does_here() {
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (glb, objs) = (folder.path().join("flag.glb"), folder.path().join("flag"));
    for out in [&glb, &objs] {
        let mut command = common::kinetoscope();
        command
            .args([
                "render", "--clip", "forward", "--frames", "0..20", "--fps", "30",
            ])
            .args(["--cloth", "flag", "--bake", "-o"])
            .arg(out);
        command.assert().success();
    }
    let mut files: Vec<PathBuf> = fs::read_dir(&objs)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 4, "{} frames", files.len());
    let frames: Vec<_> = files.iter().map(|path| obj_vertices(path)).collect();
    let pose = |secs: f64, place: &dyn Fn(usize) -> Vec<f64>| {
        let vertices = (0..frames[0].len()).step_by(37).map(|vertex| {
            let at = place(vertex);
            json!([vertex, at[0], at[1], at[2]])
        });
        json!({ "secs": secs, "joints": [], "vertices": vertices.collect::<Vec<_>>() })
    };
    let mut poses = Vec::new();
    for frame in 1..frames.len() {
        let secs = frame as f64 / 30.0;
        let between = |vertex: usize| {
            let (a, b) = (&frames[frame - 1][vertex], &frames[frame][vertex]);
            a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
        };
        poses.push(pose(secs - 0.5 / 30.0, &between));
        // The very last moment is where a player stops.
        poses.push(pose(secs - 1e-6, &|vertex| frames[frame][vertex].clone()));
    }
    let moved = frames[0].iter().zip(&frames[frames.len() - 1]);
    let moved = moved.map(|(a, b)| (a[2] - b[2]).abs()).fold(0.0, f64::max);
    assert!(moved > 0.02, "the flag hangs still: {moved} m");
    let asked = json!([{ "path": glb, "clips": [{ "name": "cloth", "poses": poses }] }]);
    let report = &checked(&checker, &asked)[0];
    assert_eq!(report["errors"], 0, "{report}");
    assert_eq!(report["warnings"], 0, "{report}");
    assert!(report["compared"].as_u64().unwrap() > 100, "{report}");
    assert!(
        report["worst_m"].as_f64().unwrap() < TOLERANCE_M,
        "{report}"
    );
}
