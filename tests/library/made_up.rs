//! A library of BVH files made up from a seed: somebody who walks, waves and
//! turns, each a little different.

use std::{fmt::Write as _, fs, path::Path};

use kinetoscope::testing::Random;

/// A joint of the made-up body: name, offset in centimetres, joints below.
struct Bone(&'static str, [f32; 3], &'static [Bone]);

/// The leg and the arm of a side, so far across from where they hang.
macro_rules! limb {
    ($side:literal, [$hip:literal, $neck:literal, $shoulder:literal, $elbow:literal, $wrist:literal]) => {
        [
            Bone(
                concat!($side, "UpLeg"),
                [$hip, -4.0, 0.0],
                &[Bone(
                    concat!($side, "Leg"),
                    [0.0, -42.0, 0.0],
                    &[Bone(
                        concat!($side, "Foot"),
                        [0.0, -41.0, 0.0],
                        &[Bone(concat!($side, "ToeBase"), [0.0, -5.0, 14.0], &[])],
                    )],
                )],
            ),
            Bone(
                concat!($side, "Shoulder"),
                [$neck, 40.0, 0.0],
                &[Bone(
                    concat!($side, "Arm"),
                    [$shoulder, 0.0, 0.0],
                    &[Bone(
                        concat!($side, "ForeArm"),
                        [$elbow, 0.0, 0.0],
                        &[Bone(concat!($side, "Hand"), [$wrist, 0.0, 0.0], &[])],
                    )],
                )],
            ),
        ]
    };
}

const LEFT: [Bone; 2] = limb!("Left", [9.0, 3.0, 14.0, 28.0, 25.0]);
const RIGHT: [Bone; 2] = limb!("Right", [-9.0, -3.0, -14.0, -28.0, -25.0]);
const TRUNK: [Bone; 1] = [Bone(
    "Spine",
    [0.0, 20.0, 0.0],
    &[Bone(
        "Neck",
        [0.0, 32.0, 0.0],
        &[Bone("Head", [0.0, 12.0, 0.0], &[])],
    )],
)];

fn hierarchy(text: &mut String, bone: &Bone, joints: &mut Vec<&'static str>) {
    let Bone(name, [x, y, z], below) = bone;
    let _ = write!(
        text,
        "JOINT {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    );
    joints.push(name);
    match below.is_empty() {
        true => text.push_str("End Site\n{\nOFFSET 0 8 0\n}\n"),
        false => below.iter().for_each(|it| hierarchy(text, it, joints)),
    }
    text.push_str("}\n");
}

/// The swing of a joint around each axis: degrees, cycles a second, phase.
type Swing = [[f32; 3]; 3];

fn swing(name: &str, random: &mut Random, hertz: f32) -> Swing {
    let size = match name {
        "LeftUpLeg" | "RightUpLeg" | "LeftLeg" | "RightLeg" => 28.0,
        "LeftArm" | "RightArm" | "LeftForeArm" | "RightForeArm" => 35.0,
        _ => 6.0,
    };
    let opposite = if name.starts_with("Left") {
        0.0
    } else {
        std::f32::consts::PI
    };
    [0.2, 1.0, 0.3].map(|share| {
        let phase = opposite + random.between(0.0, 0.6);
        [size * share * random.between(0.4, 1.2), hertz, phase]
    })
}

/// One take.
pub fn bvh(seed: u64, frames: usize, fps: f32) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(
        "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n",
    );
    let mut joints = Vec::new();
    for bone in TRUNK.iter().chain(&LEFT).chain(&RIGHT) {
        hierarchy(&mut text, bone, &mut joints);
    }
    let _ = write!(
        text,
        "}}\nMOTION\nFrames: {frames}\nFrame Time: {:.7}\n",
        1.0 / fps
    );
    let (hertz, speed, turn) = (
        random.between(0.3, 1.4),
        random.between(0.0, 250.0),
        random.between(-0.8, 0.8),
    );
    let swings: Vec<Swing> = joints
        .iter()
        .map(|it| swing(it, &mut random, hertz))
        .collect();
    let (mut x, mut z) = (0.0f32, 0.0f32);
    for frame in 0..frames {
        let secs = frame as f32 / fps;
        let heading = turn * secs;
        (x, z) = (
            x + heading.sin() * speed / fps,
            z + heading.cos() * speed / fps,
        );
        let bob = 91.0 + 2.0 * (secs * hertz * 12.566).sin();
        let _ = write!(
            text,
            "{x:.4} {bob:.4} {z:.4} 0.0000 0.0000 {:.4}",
            heading.to_degrees()
        );
        for swing in &swings {
            for [size, hertz, phase] in swing {
                let angle = size * (secs * hertz * std::f32::consts::TAU + phase).sin();
                let _ = write!(text, " {angle:.4}");
            }
        }
        text.push('\n');
    }
    text
}

/// Takes in folders of a hundred; those of one seed are always the same.
pub fn write(folder: &Path, seed: u64, files: usize, frames: usize) {
    for file in 0..files {
        let below = folder.join(format!("subject{:03}", file / 100));
        if file % 100 == 0 {
            fs::create_dir_all(&below).unwrap();
        }
        let text = bvh(seed + file as u64, frames, 120.0);
        fs::write(below.join(format!("take{file:05}.bvh")), text).unwrap();
    }
}
