//! BVH: what real files hold against an independent reader's figures, and
//! each oddity of the format in a file of our own.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use common::{alongside_corpus, kinetoscope};
use glam::{DQuat, DVec3};
use kinetoscope::{
    assert_close,
    import::{self, ImportedBvh, RateSource, SkeletonOptions, UpAxis},
    skeleton::{LocalPose, NO_PARENT, PrecisePose},
    units::LengthUnit,
};
use serde_json::Value;

const ODD: &str = include_str!("fixtures/odd.bvh");

fn read(text: &str) -> ImportedBvh {
    let options = SkeletonOptions {
        unit: Some(LengthUnit::Centimetre),
        ..SkeletonOptions::default()
    };
    import::bvh("t.bvh", "t", text.as_bytes(), options, Default::default()).unwrap()
}

fn error(text: &str) -> String {
    let read = import::bvh(
        "t.bvh",
        "t",
        text.as_bytes(),
        Default::default(),
        Default::default(),
    );
    read.expect_err("malformed").to_string()
}

fn messages(read: &ImportedBvh) -> String {
    let notes = read.skeleton.notes.iter();
    let text = |note: &kinetoscope::mocap::Note| format!("{:?}: {}", note.line, note.message);
    notes.map(text).collect::<Vec<_>>().join("\n")
}

/// Start of every joint in a frame, in metres.
fn starts(read: &ImportedBvh, frame: usize) -> Vec<DVec3> {
    let skeleton = &read.skeleton.skeleton;
    let mut local = LocalPose::default();
    let clip = &read.motion.as_ref().unwrap().clip;
    clip.frame_pose(skeleton, frame, &mut local);
    let pose = PrecisePose::of(skeleton, &local);
    (0..skeleton.len())
        .map(|joint| pose.bone(joint).0)
        .collect()
}

fn close(found: DVec3, expected: DVec3) {
    assert_close!(found, expected, 1e-6);
}

#[test]
fn joints_agree_with_the_reference_to_a_hundredth_of_a_unit() {
    let Some(folder) = alongside_corpus("bvh") else {
        return;
    };
    let text = std::fs::read(folder.join("reference_joints.json")).unwrap();
    let reference: Value = serde_json::from_slice(&text).unwrap();
    let (mut compared, mut worst) = (0, 0f64);
    for clip in reference["clips"].as_array().unwrap() {
        let path = folder.join(clip["bvh"].as_str().unwrap());
        let frames = clip["frames"].as_array().unwrap();
        let list: Vec<_> = frames.iter().map(|it| it["frame"].to_string()).collect();
        let run = |args: &[&str]| {
            let output = kinetoscope().args(args).arg(&path).output().unwrap();
            assert!(output.status.success(), "{}", path.display());
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        let info = run(&["info", "--json"]);
        assert_eq!(info[0]["frames"], clip["frames_in_file"], "{info}");
        assert_eq!(info[0]["format"], "bvh");
        let time = clip["frame_time"].as_f64().unwrap();
        let rate = info[0]["fps"].as_f64().unwrap();
        assert_close!(rate * time, 1.0, 1e-4, "{rate} fps for {time} s");
        let ours = run(&["pose", "--unit", "file", "--frames", &list.join(",")]);
        for (frame, ours) in frames.iter().zip(ours["frames"].as_array().unwrap()) {
            for (name, start) in frame["joints"].as_object().unwrap() {
                for axis in 0..3 {
                    let expected = start[axis].as_f64().unwrap();
                    let found = ours["joints"][name]["start"][axis].as_f64();
                    let found = found.unwrap_or_else(|| panic!("no joint {name}"));
                    let off = (expected - found).abs();
                    assert!(off < 0.01, "{} {name}: {found}", path.display());
                    worst = worst.max(off);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 5_000, "only {compared} coordinates compared");
    eprintln!("{compared} coordinates, largest difference {worst:.2e} file units");
}

#[test]
fn every_kind_of_joint_stands_where_the_channels_say() {
    let odd = read(ODD);
    assert_eq!(messages(&odd), "");
    let skeleton = &odd.skeleton.skeleton;
    let names: Vec<_> = skeleton
        .joints()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(
        names,
        ["Hips", "Left Up Leg", "LeftLeg", "Spine", "Tail", "Prop"]
    );
    assert_eq!(skeleton.parents()[5], NO_PARENT, "a second root");
    let motion = odd.motion.as_ref().unwrap();
    assert_eq!((motion.clip.frames(), motion.clip.fps), (3, 30.0));
    assert_eq!(motion.rate, RateSource::Header);

    // By hand for frame 1, outermost rotation first.
    let (x, y, z) = (
        |deg: f64| DQuat::from_rotation_x(deg.to_radians()),
        |deg: f64| DQuat::from_rotation_y(deg.to_radians()),
        |deg: f64| DQuat::from_rotation_z(deg.to_radians()),
    );
    let cm = |x: f64, y: f64, z: f64| DVec3::new(x, y, z) * 0.01;
    let found = starts(&odd, 1);
    let hips = z(11.0) * x(21.0) * y(31.0);
    close(found[0], cm(1.0, 91.0, 2.0));
    let leg = found[0] + hips * cm(10.0, -5.0, 0.0);
    close(found[1], leg);
    let leg_turn = hips * y(4.0) * z(5.0) * x(6.0);
    close(found[2], leg + leg_turn * cm(0.0, -40.0, 0.0));
    let spine = found[0] + hips * cm(1.0, 11.0, 1.0); // channels replace the offset
    close(found[3], spine);
    let spine_turn = hips * x(2.0) * y(3.0) * z(4.0);
    close(found[4], spine + spine_turn * cm(0.0, 65.0, 0.0));
    close(found[5], cm(50.0, 5.0, 0.0)); // only y has a channel
    let prop = &motion.clip.frame_rotations(1)[4];
    let expected = z(41.0) * y(51.0);
    assert!(prop.as_dquat().dot(expected).abs() > 1.0 - 1e-9, "{prop}");
    let tip = |joint: usize| skeleton.joints()[joint].tip.as_dvec3();
    close(tip(0), DVec3::ZERO);
    close(tip(2), cm(0.0, -42.0, 5.0)); // the end site
    close(tip(3), cm(0.0, 65.0, 0.0)); // the only child
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing() {
    let plain = read(ODD);
    for text in [
        ODD.replace('\n', "\r\n"),
        ODD.replace('\n', "\r"),
        format!("\u{feff}{ODD}"),
        ODD.replace(' ', " \t "),
        ODD.trim_end().to_owned(),
        ODD.replace('{', "\n\n{\n").replace('}', " } "),
    ] {
        assert_eq!(
            read(&text).motion.unwrap().clip,
            plain.motion.as_ref().unwrap().clip
        );
    }
}

#[test]
fn frames_over_several_lines_and_several_on_one() {
    let plain = read(ODD).motion.unwrap().clip;
    let rows = ODD.find("0 90 0 10").unwrap();
    let broken = format!("{}{}", &ODD[..rows], ODD[rows..].replace("  ", "\n"));
    let read_broken = read(&broken);
    assert_eq!(read_broken.motion.as_ref().unwrap().clip, plain);
    assert!(messages(&read_broken).contains("lines end inside of a frame"));
    let joined = format!("{}{}", &ODD[..rows], ODD[rows..].replace('\n', " "));
    let read_joined = read(&joined);
    assert_eq!(read_joined.motion.as_ref().unwrap().clip, plain);
    assert!(messages(&read_joined).contains("2 frames begin inside of a line"));
}

#[test]
fn lies_are_told_and_mended() {
    let cases = [
        (
            "Frames: 3",
            "Frames: 7",
            "7 frames are announced, 3 are there",
        ),
        (
            "Frame Time: .0333333",
            "Frame Time: 0",
            "a frame time of 0 s cannot be",
        ),
        (
            "Frame Time: .0333333",
            "FRAME TIME:30",
            "taken for 30 frames a second",
        ),
        ("Frame Time: .0333333\n", "", "no Frame Time: line"),
        ("Frames: 3\n", "", "no Frames: line"),
        (
            "CHANNELS 1 X",
            "CHANNELS 3 X",
            "CHANNELS 3 is followed by 1 names",
        ),
        (
            "JOINT Tail",
            "JOINT leftleg",
            "name used before; called \"leftleg_2\"",
        ),
        ("JOINT Tail", "JOINT", "called \"joint4\""),
        ("1 91 2 11", "nan 91 2 11", "value is not finite"),
        ("1 91 2 11", "1e12 91 2 11", "value is not finite"),
        ("41 51\n", "41 51\n\n\n", ""),
        (" 6 42 52", " 6 42", "ends after 18 of 19 values; dropped"),
        (
            " 6 42 52\n",
            " 6 42 -",
            "ends after 18 of 19 values; dropped",
        ),
    ];
    for (from, to, said) in cases {
        assert!(ODD.contains(from), "{from}");
        let read = read(&ODD.replace(from, to));
        assert!(messages(&read).contains(said), "{to}: {}", messages(&read));
        assert_eq!(read.motion.unwrap().clip.validate(), Ok(()));
    }
    let held = read(&ODD.replace("1 91 2 11", "nan 91 2 11"));
    close(starts(&held, 1)[0], DVec3::new(0.0, 0.91, 0.02));
}

#[test]
fn faults_name_their_line_and_column() {
    let cases = [
        ("hierarchy", "hirarchy", "t.bvh:1:1: this is not a BVH file"),
        (
            "\tJOINT Spine",
            "\tJONT Spine",
            "t.bvh:13:2: expected OFFSET, CHANNELS, JOINT, End Site or }, found \"JONT\"",
        ),
        (
            "-42 5",
            "-42 five",
            "t.bvh:11:28: expected a number (OFFSET has three), found \"five\"",
        ),
        ("-42 5", "-42 1e12", "t.bvh:11:28: 1e12 is out of range"),
        (
            "CHANNELS 1 Xrotation",
            "CHANNELS 1 Wrotation",
            "t.bvh:10:15: expected a channel such as Xrotation or Yposition, found \"Wrotation\"",
        ),
        (
            "Yrotation Zrotation Xrotation",
            "Yrotation Zrotation Yrotation",
            "channel \"Yrotation\" twice at one joint",
        ),
        (
            "ROOT Prop",
            "JOINT Prop",
            "t.bvh:24:1: expected a JOINT inside of a ROOT or JOINT",
        ),
        (
            "1 91 2 11",
            "1 91 2",
            "t.bvh:37:1: expected 19 values in frame 1, found 18",
        ),
        ("1 91 2 11", "1 91 2 11 12", "t.bvh:37:"),
        (
            "1 91 2 11",
            "1 91 two 11",
            "t.bvh:37:6: expected a number, found \"two\"",
        ),
        (
            "Frames: 3",
            "Frames: many",
            "t.bvh:34:1: expected a number after Frames: and Frame Time:, found \"many\"",
        ),
        (
            "MOTION",
            "}\nMOTION",
            "t.bvh:33:1: expected ROOT or MOTION, found \"}\"",
        ),
    ];
    for (from, to, message) in cases {
        assert!(ODD.contains(from), "{from}");
        let found = error(&ODD.replacen(from, to, 1));
        assert!(
            found.starts_with(message) || found.contains(message),
            "{found}"
        );
    }
    let open = ODD.replacen("\t\tOFFSET 0 20 0\n\t}\n}", "\t\tOFFSET 0 20 0\n\t}", 1);
    assert!(
        error(&open).contains("expected } to close \"Prop\", found MOTION"),
        "{}",
        error(&open)
    );
    assert!(error("").contains("the file is empty"));
    assert!(error("HIERARCHY MOTION").contains("a ROOT joint"));
    let deep = "HIERARCHY ROOT a {".to_owned() + &"JOINT b {".repeat(70_000);
    assert!(error(&deep).contains("more than 65534 bones"));
}

#[test]
fn a_file_without_frames_is_a_skeleton() {
    let motion = ODD.find("MOTION").unwrap();
    let still = read(&ODD[..motion]);
    assert_eq!(still.motion, None);
    assert!(messages(&still).contains("no MOTION section"));
    let rows = ODD.find("0 90 0 10").unwrap();
    assert!(messages(&read(&ODD[..rows])).contains("only the skeleton"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("still.bvh");
    std::fs::write(&path, &ODD[..motion]).unwrap();
    let output = kinetoscope().arg("info").arg("--json").arg(&path).output();
    let info: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(info[0]["kind"], "skeleton");
    assert_eq!(info[0]["format"], "bvh");
}

#[test]
fn a_person_gives_the_unit_away_in_the_rest_pose_or_the_first_frame() {
    let unit = |text: &str| {
        let read = import::bvh(
            "t",
            "t",
            text.as_bytes(),
            Default::default(),
            Default::default(),
        );
        let length = read.unwrap().skeleton.length;
        (length.unit, length.divisor)
    };
    let figure = |height: f64, axis: usize, row: &str| {
        let mut end = ["0".to_owned(), "0".to_owned(), "0".to_owned()];
        end[axis] = height.to_string();
        let end = end.join(" ");
        format!(
            "HIERARCHY ROOT a {{ OFFSET 0 0 0 CHANNELS 1 Zrotation End Site {{ OFFSET {end} }} }} \
             MOTION Frames: 1 Frame Time: 0.01\n{row}\n"
        )
        .replace(" MOTION ", "\nMOTION\n")
        .replace(" Frame Time", "\nFrame Time")
    };
    assert_eq!(unit(&figure(170.0, 1, "0")), (LengthUnit::Centimetre, 1.0));
    assert_eq!(unit(&figure(67.0, 1, "0")), (LengthUnit::Inch, 1.0));
    assert_eq!(unit(&figure(1.7, 1, "0")), (LengthUnit::Metre, 1.0));
    assert_eq!(unit(&figure(29.5, 1, "0")), (LengthUnit::Inch, 0.45)); // CMU's
    // The rest pose lies along x; the first frame stands up.
    assert_eq!(
        unit(&figure(1700.0, 0, "90")),
        (LengthUnit::Millimetre, 1.0)
    );
    assert_eq!(unit(&figure(1e6, 1, "0")), (LengthUnit::Centimetre, 1.0));
}

#[test]
fn z_up_becomes_y_up() {
    let options = SkeletonOptions {
        unit: Some(LengthUnit::Centimetre),
        up: Some(UpAxis::Z),
    };
    let turned = import::bvh("t", "t", ODD.as_bytes(), options, Default::default()).unwrap();
    let upright = read(ODD);
    for (turned, upright) in starts(&turned, 2).iter().zip(starts(&upright, 2)) {
        close(*turned, DVec3::new(upright.x, upright.z, -upright.y));
    }
}

#[test]
fn compress_takes_bvh_and_content_tells_it_without_its_ending() {
    let folder = tempfile::tempdir().unwrap();
    let (nameless, out) = (folder.path().join("take"), folder.path().join("out.kin"));
    std::fs::write(&nameless, ODD).unwrap();
    let mut command = kinetoscope();
    command.arg("compress").arg(&nameless).arg("-o").arg(&out);
    let output = command.arg("--json").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(figures[0]["frames"], 3);
    assert!(
        figures[0]["max_error_cm"].as_f64().unwrap() <= 0.1,
        "{figures}"
    );
    std::fs::write(&nameless, "HIERARCHY ROOT a { OFFSET 1 2").unwrap();
    let output = kinetoscope().arg("pose").arg(&nameless).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
}

/// The same file with its axes in turn, X as Y, Y as Z, Z as X: Z is up then.
fn with_z_up(text: &str) -> String {
    let channel = |name: &str| match name.split_at(1) {
        ("X", rest) => format!("Y{rest}"),
        ("Y", rest) => format!("Z{rest}"),
        (_, rest) => format!("X{rest}"),
    };
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["OFFSET", x, y, z] => format!("OFFSET {z} {x} {y}"),
        ["CHANNELS", count, ref names @ ..] => {
            let names: Vec<String> = names.iter().map(|name| channel(name)).collect();
            format!("CHANNELS {count} {}", names.join(" "))
        }
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(line).collect();
    lines.join("\n")
}

#[test]
fn the_up_axis_is_found_where_people_stand() {
    let found = |text: &str| {
        import::bvh(
            "t",
            "t",
            text.as_bytes(),
            Default::default(),
            Default::default(),
        )
        .unwrap()
    };
    let Some(odd) = alongside_corpus("bvh-odd") else {
        return;
    };
    let z_up = std::fs::read_to_string(odd.join("zup-example.bvh")).unwrap();
    assert_eq!(found(&z_up).skeleton.up, UpAxis::Z);
    let folders = [Some(odd), alongside_corpus("bvh")];
    let files = folders
        .iter()
        .flatten()
        .flat_map(|it| it.read_dir().unwrap());
    let mut tried = 0;
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // One is Z up itself, one is no person.
        let other = ["zup-example.bvh", "fairmotion-sinusoidal.bvh"].contains(&&*name);
        if other || path.extension().is_none_or(|end| end != "bvh") {
            continue;
        }
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let (upright, turned) = (found(&text), found(&with_z_up(&text)));
        assert_eq!(upright.skeleton.up, UpAxis::Y, "{name}");
        assert_eq!(turned.skeleton.up, UpAxis::Z, "{name}");
        assert_eq!(
            turned.skeleton.length.unit, upright.skeleton.length.unit,
            "{name}"
        );
        assert!(messages(&turned).contains("Z is up"));
        for (turned, upright) in starts(&turned, 1).iter().zip(starts(&upright, 1)) {
            assert_close!(turned.y, upright.y, 1e-4, "{name}");
        }
        tried += 1;
    }
    assert!(tried >= 9, "{tried} files");
}
