//! Tables of a motion: what they hold is what the other commands say, and
//! enough to build the motion again.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use common::kinetoscope;
use glam::{DAffine3, DMat3, DVec3};
use kinetoscope::assert_close;
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name)
}

/// Writes a table and reads it.
fn table(content: &str, files: &[PathBuf]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.csv");
    let mut command = kinetoscope();
    command.args(["convert", "--csv", content, "-o"]).arg(&out);
    let output = command.args(files).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    fs::read_to_string(&out).unwrap()
}

/// Every line as numbers by their headings.
fn rows(text: &str) -> Vec<HashMap<&str, f64>> {
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let values: Vec<f64> = line.split(',').map(|it| it.parse().unwrap()).collect();
        assert_eq!(values.len(), headings.len());
        headings.iter().copied().zip(values).collect()
    };
    lines.map(row).collect()
}

#[test]
fn csv_holds_what_pose_prints() {
    let tiny = [fixture("tiny.asf"), fixture("tiny.amc")];
    let text = table("positions", &tiny);
    let mut lines = text.lines();
    let headings: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!(
        headings[..5],
        ["frame", "time_s", "root.x", "root.y", "root.z"]
    );
    let pose = kinetoscope().arg("pose").args(&tiny).output().unwrap();
    let pose: Value = serde_json::from_slice(&pose.stdout).unwrap();
    let frames = pose["frames"].as_array().unwrap();
    assert_eq!(lines.clone().count(), frames.len());
    for (line, frame) in lines.zip(frames) {
        let values: Vec<f64> = line.split(',').map(|it| it.parse().unwrap()).collect();
        assert_eq!(values.len(), headings.len());
        for (heading, value) in headings.iter().zip(&values).skip(2) {
            let mut parts = heading.split('.');
            let joint = &frame["joints"][parts.next().unwrap()];
            let (end, axis) = match parts.next().unwrap() {
                "end" => ("end", parts.next().unwrap()),
                axis => ("start", axis),
            };
            let at = ["x", "y", "z"].iter().position(|it| *it == axis).unwrap();
            let expected = joint[end][at].as_f64().unwrap();
            assert_close!(expected, value, 2e-6, "{heading}");
        }
    }
    for (content, columns) in [("rotations", 4), ("channels", 3)] {
        let text = table(content, &tiny);
        let joints = frames[0]["joints"].as_object().unwrap().len();
        let widths: Vec<usize> = text.lines().map(|it| it.split(',').count()).collect();
        let more = if content == "channels" { 3 } else { 0 };
        assert!(
            widths.iter().all(|it| *it == 2 + columns * joints + more),
            "{widths:?}"
        );
    }
}

/// `x y z` of something in a row; `None` when the table has none.
fn triple(row: &HashMap<&str, f64>, joint: &str, axes: [&str; 3]) -> Option<DVec3> {
    let at = |axis: &str| row.get(format!("{joint}.{axis}").as_str()).copied();
    Some(DVec3::new(at(axes[0])?, at(axes[1])?, at(axes[2])?))
}

/// Positions from angles and translations; joints that only turn stay where
/// `offsets` has them in their parents.
fn rebuilt(row: &HashMap<&str, f64>, chain: &[&str], offsets: &HashMap<&str, DVec3>) -> Vec<DVec3> {
    let mut world_from_joint = DAffine3::IDENTITY;
    let mut place = |&joint: &&str| {
        let angles = triple(row, joint, ["rx", "ry", "rz"]).unwrap();
        let turn = |axis: usize| angles[axis].to_radians();
        let rotation = DMat3::from_rotation_z(turn(2))
            * DMat3::from_rotation_y(turn(1))
            * DMat3::from_rotation_x(turn(0));
        let offset = triple(row, joint, ["tx", "ty", "tz"]).unwrap_or_else(|| offsets[joint]);
        world_from_joint *= DAffine3::from_mat3_translation(rotation, offset);
        world_from_joint.translation
    };
    chain.iter().map(&mut place).collect()
}

/// A chain whose table of channels must give its table of positions; the first
/// frame stands at rest.
fn channels_rebuild(files: &[PathBuf], chain: &[&str], moving: &[&str]) {
    let (positions, channels) = (table("positions", files), table("channels", files));
    let (positions, channels) = (rows(&positions), rows(&channels));
    let place = |row, joint| triple(row, joint, ["x", "y", "z"]).unwrap();
    let mut offsets = HashMap::new();
    for pair in chain.windows(2) {
        let [parent, joint] = [pair[0], pair[1]].map(|joint| place(&positions[0], joint));
        offsets.insert(pair[1], joint - parent);
    }
    for joint in chain {
        let moves = triple(&channels[0], joint, ["tx", "ty", "tz"]).is_some();
        assert_eq!(moves, moving.contains(joint), "{joint}");
    }
    for (expected, row) in positions.iter().zip(&channels) {
        for (joint, at) in chain.iter().zip(rebuilt(row, chain, &offsets)) {
            assert_close!(place(expected, joint), at, 1e-4, "{joint}");
        }
    }
}

#[test]
fn channels_hold_every_translation_of_a_bvh() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slide.bvh");
    let joint = |name: &str, channels: &str| {
        format!("JOINT {name}\n{{\nOFFSET 0 30 5\nCHANNELS {channels}\n")
    };
    let text = [
        "HIERARCHY\nROOT hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n".to_owned(),
        joint("slider", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
        joint("hinge", "3 Zrotation Xrotation Yrotation"),
        "End Site\n{\nOFFSET 0 20 0\n}\n}\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.01\n".to_owned(),
        "0 90 0 0 0 0  0 30 5 0 0 0  0 0 0\n".to_owned(),
        "5 91 2 10 20 30  1 33 9 -40 5 60  15 25 35\n".to_owned(),
        "6 92 3 12 80 31  -4 37 5 -44 6 62  16 95 36\n".to_owned(),
    ];
    fs::write(&path, text.concat()).unwrap();
    channels_rebuild(&[path], &["hips", "slider", "hinge"], &["hips", "slider"]);
}

#[test]
fn channels_hold_what_a_stretched_bone_does_to_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let (asf, amc) = (folder.path().join("s.asf"), folder.path().join("s.amc"));
    let bone = |name: &str, dof: &str| {
        format!("begin\nname {name}\ndirection 0 1 0\nlength 10\naxis 0 0 0 XYZ\n{dof}\nend\n")
    };
    let skeleton = [
        ":version 1.10\n:name s\n:units\nmass 1\nlength 1\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\nposition 0 0 0\norientation 0 0 0\n:bonedata\n".to_owned(),
        bone("shank", "dof rx ry l"),
        bone("foot", "dof rz"),
        bone("toe", "dof rx"),
        ":hierarchy\nbegin\nroot shank\nshank foot\nfoot toe\nend\n".to_owned(),
    ];
    fs::write(&asf, skeleton.concat()).unwrap();
    let motion = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\nshank 0 0 0\nfoot 0\ntoe 0\n\
                  2\nroot 1 2 3 10 20 30\nshank 40 50 2.5\nfoot 60\ntoe 70\n";
    fs::write(&amc, motion).unwrap();
    channels_rebuild(
        &[asf, amc],
        &["root", "shank", "foot", "toe"],
        &["root", "foot"],
    );
}
