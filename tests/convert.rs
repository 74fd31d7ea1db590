//! Formats there and back: joint positions survive, files are whole, faults
//! have their exit codes.
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
    path::{Path, PathBuf},
};

use common::{alongside_corpus, corpus, kinetoscope, manifest};
use kinetoscope::{
    assert_close,
    clip::RawClip,
    codec::metric::ErrorTable,
    convert::{self, ConvertOptions, ExportItem},
    export::{self, ExportSource},
    import,
    load::{self, LoadOptions, Loaded},
    mocap::asf,
    skeleton::{LocalPose, PrecisePose, Skeleton},
    units::{LengthScale, LengthUnit},
};
use rayon::prelude::*;
use serde_json::Value;

const CM: LengthScale = LengthScale {
    unit: LengthUnit::Centimetre,
    assumed: false,
    divisor: 1.0,
};

const TENTH_OF_A_MILLIMETRE_M: f64 = 1e-4;

/// Largest distance in metres between joints of the same name, bone ends of
/// leaves included, over every frame of clips up to `dense` frames and about
/// as many of longer ones.
fn largest_gap(a: (&Skeleton, &RawClip), b: (&Skeleton, &RawClip), dense: usize) -> f64 {
    assert_eq!(a.1.frames(), b.1.frames());
    let mut worst = 0f64;
    let (mut pose_a, mut pose_b) = (LocalPose::default(), LocalPose::default());
    for frame in (0..a.1.frames()).step_by(a.1.frames().div_ceil(dense)) {
        a.1.frame_pose(a.0, frame, &mut pose_a);
        b.1.frame_pose(b.0, frame, &mut pose_b);
        let (at_a, at_b) = (PrecisePose::of(a.0, &pose_a), PrecisePose::of(b.0, &pose_b));
        for (joint, it) in a.0.joints().iter().enumerate() {
            let other = match joint {
                0 => 0,
                _ => usize::from(b.0.find(&it.name).expect("a joint of that name")),
            };
            let (start, end) = at_a.bone(joint);
            let (other_start, other_end) = at_b.bone(other);
            worst = worst.max(start.distance(other_start));
            let leaf = a.0.children(joint as u16).next().is_none();
            if leaf && joint != 0 {
                worst = worst.max(end.distance(other_end));
            }
        }
    }
    worst
}

fn through_bvh(source: ExportSource<'_>) -> (Skeleton, RawClip) {
    let text = export::bvh(source).text;
    let options = import::SkeletonOptions {
        unit: Some(source.length.unit),
        ..Default::default()
    };
    let read = import::bvh("x.bvh", "x", text.as_bytes(), options, Default::default()).unwrap();
    let motion = read.motion.unwrap();
    assert_eq!(motion.clip.fps, source.clip.fps);
    (read.skeleton.skeleton, motion.clip)
}

fn through_acclaim(source: ExportSource<'_>) -> (Skeleton, RawClip) {
    let text = export::asf(source).unwrap();
    let document = asf::parse("x.asf", text.as_bytes()).unwrap();
    let skeleton = import::skeleton("x.asf", "x", &document, Default::default()).unwrap();
    let metres = skeleton.length.metres_per_unit();
    let wanted = source.length.metres_per_unit();
    assert_close!(metres / wanted, 1.0, 1e-6, "{metres} for {wanted}");
    let text = export::amc(source).text;
    let motion = import::motion("x.amc", "x", text.as_bytes(), &skeleton, Default::default());
    let clip = motion.unwrap().clip;
    assert_eq!(clip.fps, source.clip.fps);
    (skeleton.skeleton, clip)
}

/// The motions of the corpus with the skeletons that its list gives them.
fn captures(corpus: &Path) -> Vec<Loaded> {
    let listed = manifest(corpus);
    let motions = listed.iter().filter(|it| it.path.ends_with(".amc"));
    let load = |it: &&common::Listed| {
        let skeleton = it.asf.as_ref()?;
        let paths = [corpus.join(skeleton), corpus.join(&it.path)];
        let outcomes = load::load(&paths, LoadOptions::default());
        let mut loaded = outcomes.into_iter().filter_map(|(_, it)| it.ok());
        loaded.find(|it| matches!(it, Loaded::Motion(_)))
    };
    let motions: Vec<_> = motions.collect();
    motions.par_iter().filter_map(load).collect()
}

#[test]
fn captures_come_back_through_bvh_and_through_acclaim_to_a_tenth_of_a_millimetre() {
    let Some(corpus) = corpus() else { return };
    let captures = captures(&corpus);
    // Every motion that the list pairs with a skeleton, the empty file apart.
    let paired = |it: &common::Listed| {
        it.path.ends_with(".amc") && it.asf.is_some() && !it.oddities.contains("EMPTY FILE")
    };
    let listed = manifest(&corpus).into_iter().filter(paired).count();
    assert!(listed > 0);
    assert_eq!(captures.len(), listed);
    let gaps: Vec<[f64; 2]> = captures
        .par_iter()
        .filter_map(|loaded| {
            let Loaded::Motion(motion) = loaded else {
                return None;
            };
            let skeleton = &motion.skeleton.imported;
            let ours = (&skeleton.skeleton, &**motion.raw());
            let mut source = ExportSource {
                skeleton: ours.0,
                clip: ours.1,
                length: skeleton.length,
            };
            let path = motion.path.display();
            let acclaim = through_acclaim(source);
            let acclaim = largest_gap(ours, (&acclaim.0, &acclaim.1), 300);
            source.length = CM;
            let bvh = through_bvh(source);
            let bvh = largest_gap(ours, (&bvh.0, &bvh.1), 300);
            assert!(bvh < TENTH_OF_A_MILLIMETRE_M, "{path}: BVH {bvh} m");
            assert!(acclaim < TENTH_OF_A_MILLIMETRE_M, "{path}: AMC {acclaim} m");
            Some([bvh, acclaim])
        })
        .collect();
    let worst = |at: usize| gaps.iter().map(|it| it[at]).fold(0.0, f64::max);
    eprintln!(
        "{} motions, largest gap {:.2e} m through BVH, {:.2e} m through ASF and AMC",
        gaps.len(),
        worst(0),
        worst(1)
    );
}

/// An AMC written for the skeleton that its clip was read with plays on it.
#[test]
fn a_motion_written_alone_fits_the_skeleton_it_came_from() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for stem in ["tiny", "every_dof"] {
        let asf_path = assets.join(format!("{stem}.asf"));
        let paths = [asf_path.clone(), assets.join(format!("{stem}.amc"))];
        let outcomes = load::load(&paths, LoadOptions::default());
        let mut loaded = outcomes.into_iter().map(|(_, it)| it.unwrap());
        let motion = loaded.find_map(|it| match it {
            Loaded::Motion(motion) => Some(motion),
            _ => None,
        });
        let motion = motion.unwrap();
        let skeleton = &motion.skeleton.imported;
        let ours = (&skeleton.skeleton, &**motion.raw());
        let source = ExportSource {
            skeleton: ours.0,
            clip: ours.1,
            length: skeleton.length,
        };
        let written = export::amc(source);
        assert!(!written.needs_own_skeleton);
        let bytes = written.text.as_bytes();
        let back = import::motion("x.amc", "x", bytes, skeleton, Default::default()).unwrap();
        let gap = largest_gap(ours, (ours.0, &back.clip), 1000);
        assert!(gap < TENTH_OF_A_MILLIMETRE_M, "{stem}: {gap} m");
        let own = through_acclaim(source);
        let gap = largest_gap(ours, (&own.0, &own.1), 1000);
        assert!(gap < TENTH_OF_A_MILLIMETRE_M, "{stem}: {gap} m");
    }
}

#[test]
fn every_bvh_comes_back_through_bvh_and_acclaim() {
    let Some(folder) = alongside_corpus("bvh") else {
        return;
    };
    let outcomes = load::load(&[folder], LoadOptions::default());
    let mut seen = 0;
    for (path, outcome) in outcomes {
        let Ok(Loaded::Motion(motion)) = outcome else {
            panic!("{} did not load", path.display());
        };
        let skeleton = &motion.skeleton.imported;
        let ours = (&skeleton.skeleton, &**motion.raw());
        let mut source = ExportSource {
            skeleton: ours.0,
            clip: ours.1,
            length: skeleton.length,
        };
        let acclaim = through_acclaim(source);
        source.length = CM;
        for (skeleton, clip) in [acclaim, through_bvh(source)] {
            let gap = largest_gap(ours, (&skeleton, &clip), 200);
            assert!(gap < TENTH_OF_A_MILLIMETRE_M, "{}: {gap} m", path.display());
        }
        seen += 1;
    }
    assert_eq!(seen, 10);
}

/// Forward kinematics straight from the nodes and accessors of the file, at
/// every key, against our own.
#[test]
fn a_glb_holds_the_joint_positions_of_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    for (stem, files) in [
        ("every_dof", vec!["every_dof.asf", "every_dof.amc"]),
        ("odd", vec!["odd.bvh"]),
    ] {
        let files: Vec<PathBuf> = files.into_iter().map(fixture).collect();
        let path = folder.path().join(format!("{stem}.glb"));
        let out = path.display().to_string();
        assert_eq!(run(&["convert", "-o", &out], &files).0, Some(0));
        let bytes = fs::read(&path).unwrap();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert_eq!(
            (&bytes[..4], word(4), word(8)),
            (&b"glTF"[..], 2, bytes.len())
        );
        let document: Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
        let binary = &bytes[28 + word(12)..];
        let floats = |accessor: &Value| -> Vec<f32> {
            let accessor = &document["accessors"][accessor.as_u64().unwrap() as usize];
            let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
            let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
            let end = start + view["byteLength"].as_u64().unwrap() as usize;
            let words = binary[start..end].as_chunks::<4>().0.iter();
            words.map(|it| f32::from_le_bytes(*it)).collect()
        };
        let outcomes = load::load(&files, LoadOptions::default());
        let mut loaded = outcomes.into_iter().map(|(_, it)| it.unwrap());
        let Some(Loaded::Motion(motion)) = loaded.find(|it| matches!(it, Loaded::Motion(_))) else {
            panic!("no motion");
        };
        let skeleton = &motion.skeleton.imported.skeleton;
        let clip = motion.raw();
        let animation = &document["animations"][0];
        assert_eq!(animation["extras"]["fps"], clip.fps);
        // Joints come first, the node of the body after them.
        let nodes = &document["nodes"].as_array().unwrap()[..skeleton.len()];
        // What is left out is no turn and no way.
        let vector = |value: &Value, left_out: &[f64]| match value.as_array() {
            Some(numbers) => numbers.iter().map(|it| it.as_f64().unwrap()).collect(),
            None => left_out.to_vec(),
        };
        let mut pose = LocalPose::default();
        for frame in 0..clip.frames() {
            let mut locals: Vec<(Vec<f64>, Vec<f64>)> = nodes
                .iter()
                .map(|it| {
                    let turn = vector(&it["rotation"], &[0.0, 0.0, 0.0, 1.0]);
                    (turn, vector(&it["translation"], &[0.0; 3]))
                })
                .collect();
            for channel in animation["channels"].as_array().unwrap() {
                let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
                let times = floats(&sampler["input"]);
                // What never changes has one key, or two for the length.
                let every = times.len() == clip.frames();
                assert!(every || times.len() <= 2, "{} keys", times.len());
                let key = if every { frame } else { 0 };
                let secs = key as f64 / clip.fps;
                assert_close!(f64::from(times[key]), secs, 1e-6);
                let node = channel["target"]["node"].as_u64().unwrap() as usize;
                let values = floats(&sampler["output"]);
                let width = values.len() / times.len();
                let key = values[width * key..width * (key + 1)].iter();
                let key: Vec<f64> = key.map(|it| f64::from(*it)).collect();
                match channel["target"]["path"].as_str().unwrap() {
                    "rotation" => locals[node].0 = key,
                    _ => locals[node].1 = key,
                }
            }
            let mut world = vec![(glam::DQuat::IDENTITY, glam::DVec3::ZERO); nodes.len()];
            let index = |it: &Value| it.as_u64().unwrap() as usize;
            let start = (glam::DQuat::IDENTITY, glam::DVec3::ZERO);
            let children = nodes.iter().filter_map(|it| it["children"].as_array());
            let below: Vec<usize> = children.flatten().map(index).collect();
            let joints = (0..nodes.len()).filter(|it| !below.contains(it));
            let mut stack: Vec<_> = joints.map(|it| (it, start)).collect();
            while let Some((node, (turn, place))) = stack.pop() {
                let (q, t) = &locals[node];
                let own = glam::DQuat::from_xyzw(q[0], q[1], q[2], q[3]);
                let at = place + turn * glam::DVec3::new(t[0], t[1], t[2]);
                world[node] = (turn * own, at);
                let children = nodes[node]["children"].as_array().into_iter().flatten();
                stack.extend(children.map(|it| (index(it), world[node])));
            }
            clip.frame_pose(skeleton, frame, &mut pose);
            let expected = PrecisePose::of(skeleton, &pose);
            for (joint, (node, (_, at))) in nodes.iter().zip(&world).enumerate() {
                assert_eq!(node["name"], skeleton.joints()[joint].name);
                let gap = at.distance(expected.bone(joint).0);
                assert!(
                    gap < TENTH_OF_A_MILLIMETRE_M,
                    "{stem} {frame} {joint}: {gap} m"
                );
            }
        }
    }
}

/// A .glb of promised error, joints alone: what it takes, and its largest error by
/// our own reader, which shares nothing with the writer but the format.
fn promised(motion: &load::LoadedMotion, tolerance_cm: f64, path: &Path) -> (usize, f64) {
    let options = ConvertOptions {
        joints_only: true,
        glb_tolerance_cm: Some(tolerance_cm),
        ..ConvertOptions::default()
    };
    let item = ExportItem::of_motion(motion.clone());
    let made = convert::glb(&[item], &options);
    let bytes = made
        .unwrap_or_else(|it| panic!("{}: {it}", motion.name))
        .bytes;
    fs::write(path, &bytes).unwrap();
    let read = load::load_gltf(path, LoadOptions::default()).unwrap();
    let read = read.into_iter().filter_map(Loaded::into_motion).next();
    let read = read.unwrap();
    let (raw, keys) = (motion.raw(), read.own_keys().unwrap());
    assert_eq!(read.raw().frames(), raw.frames(), "{}", motion.name);
    let skeleton = read.skeleton();
    let same = |(a, b): (&str, &str)| assert_eq!(a, b);
    let names = |it: &Skeleton| {
        it.joints()
            .iter()
            .map(|it| it.name.clone())
            .collect::<Vec<_>>()
    };
    for (a, b) in names(motion.skeleton()).iter().zip(&names(skeleton)) {
        same((a, b));
    }
    let measured = ErrorTable::measure_clip(skeleton, raw, &**keys).summary();
    (bytes.len(), measured.max_cm)
}

#[test]
fn a_glb_of_promised_error_is_small_and_keeps_the_promise() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.glb");
    for name in ["forward", "run", "jump", "idle"] {
        let motion = load::performer_clip(name, LoadOptions::default());
        let motion = motion.unwrap().unwrap();
        let mut before = usize::MAX;
        for tolerance_cm in [0.03, 0.1, 1.0] {
            let (bytes, max_cm) = promised(&motion, tolerance_cm, &out);
            assert!(
                max_cm <= tolerance_cm * 1.001,
                "{name}: {max_cm} of {tolerance_cm}"
            );
            assert!(
                bytes < before,
                "{name} at {tolerance_cm}: {bytes} of {before}"
            );
            before = bytes;
            let json = glb_json(&out);
            let extras = &json["animations"][0]["extras"];
            assert_eq!(extras["tolerance_cm"], tolerance_cm);
            let told = extras["max_error_cm"].as_f64().unwrap();
            assert_close!(told, max_cm, 1e-3, "{name}");
            assert_eq!(json["extensionsRequired"][0], "EXT_meshopt_compression");
        }
    }
    // On the command line; a motion that has keys keeps them.
    let glb = folder.path().join("walk.glb");
    let performer = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(name)
    };
    let files = [performer("performer.asf"), performer("clips/forward.amc")];
    let arguments = [
        "convert",
        "--tolerance-cm",
        "0.1",
        "-o",
        glb.to_str().unwrap(),
    ];
    let (code, _) = run(&arguments, &files);
    assert_eq!(code, Some(0));
    let again = folder.path().join("again.glb");
    let arguments = [
        "convert",
        "--tolerance-cm",
        "0.1",
        "-o",
        again.to_str().unwrap(),
    ];
    let (code, told) = run(&arguments, std::slice::from_ref(&glb));
    assert_eq!(code, Some(0));
    assert!(told.contains("keeps the keys"), "{told}");
    let bvh = folder.path().join("walk.bvh");
    let arguments = [
        "convert",
        "--tolerance-cm",
        "0.1",
        "-o",
        bvh.to_str().unwrap(),
    ];
    let (code, told) = run(&arguments, &files);
    assert_eq!(code, Some(2));
    assert!(told.contains("is for .kin and .glb"), "{told}");
}

/// `cargo test --no-default-features --test convert -- --ignored --nocapture`
#[test]
#[ignore = "the whole corpus: a minute"]
fn captures_take_few_bytes_a_frame_at_a_promised_error() {
    let Some(corpus) = corpus() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut all: std::collections::BTreeMap<bool, (usize, usize, usize)> = Default::default();
    for motion in captures(&corpus)
        .into_iter()
        .filter_map(Loaded::into_motion)
    {
        let is_cmu = motion.path.display().to_string().contains("cmu");
        let (bytes, max_cm) = promised(&motion, 0.1, &folder.path().join("out.glb"));
        assert!(max_cm <= 0.1001, "{}: {max_cm} cm", motion.name);
        let json = glb_json(&folder.path().join("out.glb"));
        let text = json.to_string().len();
        let frames = motion.raw().frames();
        eprintln!(
            "{}: {frames} frames, {:.1} bytes a frame, {:.1} of them the JSON; {max_cm:.4} cm",
            motion.name,
            bytes as f64 / frames as f64,
            text as f64 / frames as f64
        );
        let sum = all.entry(is_cmu).or_default();
        *sum = (sum.0 + frames, sum.1 + bytes, sum.2 + text);
    }
    for (is_cmu, (frames, bytes, text)) in all {
        let each = bytes as f64 / frames as f64;
        let text = text as f64 / frames as f64;
        eprintln!("cmu {is_cmu}: {frames} frames, {each:.1} bytes a frame, {text:.1} of them JSON");
        // With its JSON; every frame as it is takes some 480.
        assert!(each <= 85.0, "{each} bytes a frame");
    }
}

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name)
}

fn run(args: &[&str], files: &[PathBuf]) -> (Option<i32>, String) {
    let output = kinetoscope().args(args).args(files).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), stderr)
}

#[test]
fn the_command_writes_every_format_and_reads_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let tiny = [fixture("tiny.asf"), fixture("tiny.amc")];
    for name in ["a.bvh", "a.asf", "a.amc", "a.glb", "a.csv", "a.kin"] {
        let (code, stderr) = run(&["convert", "-o", &out(name)], &tiny);
        assert_eq!(code, Some(0), "{name}: {stderr}");
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    for name in ["a.bvh", "a.kin"] {
        let (code, stderr) = run(&["info", "--json"], &[folder.path().join(name)]);
        assert_eq!(code, Some(0), "{stderr}");
    }
    // A container and a BVH into Acclaim bring their skeleton along.
    for (from, to) in [("a.kin", "k.amc"), ("a.bvh", "b.amc")] {
        let (code, stderr) = run(&["convert", "-o", &out(to)], &[folder.path().join(from)]);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stderr.contains("its skeleton is"), "{stderr}");
        assert!(folder.path().join(to).with_extension("asf").is_file());
    }
    let left = fs::read_dir(folder.path()).unwrap();
    let hidden = |it: &fs::DirEntry| it.file_name().to_string_lossy().starts_with('.');
    assert_eq!(left.filter(|it| hidden(it.as_ref().unwrap())).count(), 0);
}

#[test]
fn folders_are_mirrored_and_faults_have_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("in/deep");
    fs::create_dir_all(&inside).unwrap();
    fs::copy(fixture("tiny.asf"), inside.join("tiny.asf")).unwrap();
    fs::copy(fixture("tiny.amc"), inside.join("tiny.amc")).unwrap();
    fs::copy(fixture("tiny.amc"), inside.join("tiny_2.amc")).unwrap();
    fs::copy(fixture("odd.bvh"), folder.path().join("in/odd.bvh")).unwrap();
    let input = [folder.path().join("in")];
    let out = folder.path().join("out").display().to_string();

    let (code, stderr) = run(&["convert", "-o", &out], &input);
    assert_eq!(code, Some(2), "no format: {stderr}");
    let (code, stderr) = run(&["convert", "-o", &format!("{out}.bvh")], &input);
    assert_eq!(code, Some(2), "several into one: {stderr}");
    let (code, stderr) = run(&["convert", "--to", "bvh", "-o", &out], &input);
    assert_eq!(code, Some(0), "{stderr}");
    for name in ["odd.bvh", "deep/tiny.bvh", "deep/tiny_2.bvh"] {
        assert!(Path::new(&out).join(name).is_file(), "{name}");
    }
    let odd = [fixture("odd.bvh")];
    let (code, stderr) = run(&["convert", "-o", &format!("{out}/x.asf")], &odd);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("one root"), "{stderr}");

    fs::write(inside.join("bad.bvh"), "HIERARCHY ROOT").unwrap();
    let (code, stderr) = run(&["convert", "--to", "csv", "-o", &out], &input);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.contains("bad.bvh:1:15"), "{stderr}");
    assert!(
        Path::new(&out).join("odd.csv").is_file(),
        "the others are written"
    );
}

/// The JSON of a .glb file.
fn glb_json(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn a_bare_skeleton_becomes_no_animation() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name).display().to_string();
    let tiny = [fixture("tiny.asf")];
    for name in ["a.bvh", "a.glb", "a.asf", "a.csv"] {
        let (code, stderr) = run(&["convert", "-o", &out(name)], &tiny);
        assert_eq!(code, Some(0), "{name}: {stderr}");
    }
    let document = glb_json(&folder.path().join("a.glb"));
    assert!(document.get("animations").is_none());
    for name in ["a.bvh", "a.glb", "a.asf"] {
        let info = kinetoscope().args(["info", "--json", &out(name)]).output();
        let info: Value = serde_json::from_slice(&info.unwrap().stdout).unwrap();
        assert_eq!(info[0]["kind"], "skeleton", "{name}: {info}");
    }
    for name in ["a.amc", "a.kin"] {
        let (code, stderr) = run(&["convert", "-o", &out(name)], &tiny);
        assert_eq!(code, Some(2), "{name}: {stderr}");
        assert!(stderr.contains("no motion"), "{stderr}");
    }
}

#[test]
fn what_never_changes_is_written_as_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.glb");
    // Two joints of which one stays, and the root too.
    let bvh = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition \
               Zrotation Xrotation Yrotation\nJOINT chest\n{\nOFFSET 0 10 0\nCHANNELS 3 Zrotation \
               Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n}\nMOTION\nFrames: 3\n\
               Frame Time: 0.5\n";
    for (last, expected) in [("0", vec![1, 1, 2]), ("30", vec![1, 1, 3])] {
        let file = folder.path().join("a.bvh");
        let rows = format!("1 2 3 0 0 0 0 0 0\n1 2 3 0 0 0 0 0 0\n1 2 3 0 0 0 {last} 0 0\n");
        fs::write(&file, format!("{bvh}{rows}")).unwrap();
        let (code, stderr) = run(&["convert", "-o", &out.display().to_string()], &[file]);
        assert_eq!(code, Some(0), "{stderr}");
        let document = glb_json(&out);
        let number = |it: &Value| it.as_u64().unwrap() as usize;
        let samplers = document["animations"][0]["samplers"].as_array().unwrap();
        let inputs = samplers
            .iter()
            .map(|it| &document["accessors"][number(&it["input"])]);
        let inputs: Vec<&Value> = inputs.collect();
        let mut counts: Vec<usize> = inputs.iter().map(|it| number(&it["count"])).collect();
        counts.sort_unstable();
        assert_eq!(counts, expected);
        let ends = inputs.iter().map(|it| it["max"][0].as_f64().unwrap());
        assert_close!(ends.fold(0.0, f64::max), 1.0, 1e-6, "the length stays");
        let info = kinetoscope().args(["info", "--json"]).arg(&out).output();
        let info: Value = serde_json::from_slice(&info.unwrap().stdout).unwrap();
        assert_eq!(info[0]["frames"], 3, "{info}");
    }
}

#[test]
fn motions_find_a_skeleton_in_a_folder_above() {
    let folder = tempfile::tempdir().unwrap();
    let takes = folder.path().join("subject/day/takes");
    fs::create_dir_all(&takes).unwrap();
    fs::copy(fixture("tiny.asf"), folder.path().join("subject/tiny.asf")).unwrap();
    for name in ["walk.amc", "tiny_2.amc"] {
        fs::copy(fixture("tiny.amc"), takes.join(name)).unwrap();
    }
    for (named, below) in [("subject", "day/takes"), ("subject/day", "takes")] {
        let input = [folder.path().join(named)];
        for (call, ending) in [
            (&["convert", "--to", "glb"][..], "glb"),
            (&["compress"], "kin"),
        ] {
            let out = tempfile::tempdir().unwrap();
            let args = [call, &["-o", out.path().to_str().unwrap()]].concat();
            let (code, stderr) = run(&args, &input);
            assert_eq!(code, Some(0), "{named} {call:?}: {stderr}");
            for name in ["walk", "tiny_2"] {
                let path = out.path().join(below).join(format!("{name}.{ending}"));
                assert!(path.is_file(), "{path:?}");
            }
        }
        // One container of a folder pairs likewise.
        let kin = folder.path().join("all.kin").display().to_string();
        let (code, stderr) = run(&["compress", "-o", &kin], &input);
        assert_eq!(code, Some(0), "{stderr}");
    }
    // Two folders up is another subject's matter, and of two nobody is the only
    // one.
    let (code, _) = run(&["compress"], std::slice::from_ref(&takes));
    assert_eq!(code, Some(3));
    fs::copy(fixture("tiny.asf"), takes.join("a.asf")).unwrap();
    fs::copy(fixture("tiny.asf"), takes.join("b.asf")).unwrap();
    let (code, stderr) = run(&["compress"], &[folder.path().join("subject")]);
    assert_eq!(code, Some(3), "{stderr}");
    assert!(
        stderr.contains("3 skeletons come into question"),
        "{stderr}"
    );
}
