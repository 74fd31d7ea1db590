//! Pictures held to those a person has looked at.
//!
//! Offscreen, at a fixed clock, through the code that draws the window. The
//! tolerance absorbs what differs between versions of one software adapter: a
//! mean difference of 1.2 of 255 and 0.5 % of pixels off by more than 32.
//! `KINETOSCOPE_BLESS=1` rewrites the pictures; look at each before committing.
#![cfg(feature = "viewer")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod common;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use common::drive::{driver, performer};
use glam::{Quat, Vec3};
use kinetoscope::{
    animator::TICK_RATE,
    body::{Body, Skinning},
    clip::{ClipCursor, RawClip, SampleClip},
    humanoid::facing,
    import::{self, builtin},
    load::{LoadOptions, Loaded, load},
    math::Transform,
    mocap::asf,
    render::{Gpu, Offscreen, Picture, Quality},
    scene::{
        Actor, Camera, ClothInstance, ClothPreset, FrameData, Legend, Overlay, Preset, Theme,
        footing, outline,
    },
    skeleton::{Joint, JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton, WorldPose},
};

const SIZE: [u32; 2] = [512, 400];
const MEAN_TOLERANCE: f64 = 1.2;
const OUTLIER: u8 = 32;
const OUTLIER_SHARE: f64 = 0.005;

struct Take {
    skeleton: Skeleton,
    body: Arc<Body>,
    clip: RawClip,
}

impl Take {
    fn built_in(name: &str) -> Self {
        let file = builtin::SKELETON_FILE;
        let document = asf::parse(file, builtin::SKELETON_ASF.as_bytes()).unwrap();
        let skeleton = import::skeleton(file, "performer", document, Default::default()).unwrap();
        let text = builtin::clip(name).unwrap().as_bytes();
        let motion = import::motion(name, name, text, &skeleton, Default::default()).unwrap();
        Self::new(skeleton.skeleton, motion.clip)
    }

    fn new(skeleton: Skeleton, clip: RawClip) -> Self {
        let body = Arc::new(Body::grow(&skeleton));
        Self {
            skeleton,
            body,
            clip,
        }
    }

    fn pose(&self, frame: usize) -> WorldPose {
        let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
        self.clip.frame_pose(&self.skeleton, frame, &mut local);
        pose.compute(&self.skeleton, &local);
        pose.into()
    }

    fn actor<'a>(&'a self, pose: &'a WorldPose) -> Actor<'a> {
        Actor {
            skeleton: &self.skeleton,
            body: &self.body,
            pose,
        }
    }

    /// An empty scene with the camera and light on a frame.
    fn stage(&self, frame: usize) -> (FrameData, WorldPose) {
        let pose = self.pose(frame);
        let aspect = SIZE[0] as f32 / SIZE[1] as f32;
        let poses = [pose.clone()];
        let mut scene = FrameData::default();
        scene.camera = Camera::on_motion(self.actor(&pose), &poses, Preset::ThreeQuarter, aspect);
        scene.camera.target += footing(&pose);
        scene.look.light_from(scene.camera.azimuth_rad);
        (scene, pose)
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"))
}

fn save(path: &Path, picture: &Picture) {
    let rgb: Vec<u8> = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]])
        .collect();
    let colour = image::ExtendedColorType::Rgb8;
    image::save_buffer(path, &rgb, picture.width, picture.height, colour).unwrap();
}

fn check(name: &str, scene: &FrameData) {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, SIZE, Quality::SOFTWARE).unwrap();
    let picture = offscreen.render(&gpu, scene).unwrap();
    let path = golden(name);
    if std::env::var_os("KINETOSCOPE_BLESS").is_some() {
        save(&path, &picture);
        assert!(
            std::fs::metadata(&path).unwrap().len() < 300_000,
            "{name} is too large"
        );
        return;
    }
    let expected = image::open(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; KINETOSCOPE_BLESS=1 makes it", path.display()))
        .into_rgb8();
    assert_eq!(
        [expected.width(), expected.height()],
        SIZE,
        "{name} has another size"
    );
    let found = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|p| [p[0], p[1], p[2]]);
    let steps: Vec<u8> = found
        .zip(expected.into_raw())
        .map(|(a, b)| a.abs_diff(b))
        .collect();
    let mean = steps.iter().map(|&step| f64::from(step)).sum::<f64>() / steps.len() as f64;
    let far = steps
        .chunks_exact(3)
        .filter(|pixel| pixel.iter().any(|&step| step > OUTLIER))
        .count();
    let far = far as f64 / (steps.len() / 3) as f64;
    if mean > MEAN_TOLERANCE || far > OUTLIER_SHARE {
        let seen = std::env::temp_dir().join(format!("kinetoscope-{name}.png"));
        save(&seen, &picture);
        panic!(
            "{name}: mean {mean:.2}, {:.2} % far off; see {}",
            far * 100.0,
            seen.display()
        );
    }
}

fn plain(name: &str, clip: &str, frame: usize, theme: Theme) {
    let take = Take::built_in(clip);
    let (mut scene, pose) = take.stage(frame);
    scene.look.theme = theme;
    scene.push_actor(take.actor(&pose), Overlay::default(), None);
    check(name, &scene);
}

#[test]
fn performer_idle_dark() {
    plain("idle-dark", "idle", 0, Theme::Dark);
}

#[test]
fn performer_idle_light() {
    plain("idle-light", "idle", 0, Theme::Light);
}

#[test]
fn performer_running() {
    plain("run", "run", 20, Theme::Dark);
}

#[test]
fn performer_jumping() {
    let frames = Take::built_in("jump").clip.frames();
    plain("jump", "jump", frames * 45 / 100, Theme::Dark);
}

#[test]
fn skeleton_through_and_instead_of_the_skin() {
    let take = Take::built_in("forward");
    let (mut scene, pose) = take.stage(12);
    let overlay = Overlay {
        hide_skin: true,
        bones: true,
        axes: true,
        names: false,
    };
    scene.push_actor(take.actor(&pose), overlay, None);
    check("skeleton", &scene);
    let (mut scene, pose) = take.stage(12);
    let overlay = Overlay {
        bones: true,
        names: true,
        ..Overlay::default()
    };
    scene.push_actor(take.actor(&pose), overlay, None);
    check("skeleton-over-skin", &scene);
}

#[test]
fn error_colours_with_their_key() {
    let take = Take::built_in("attack");
    let (mut scene, pose) = take.stage(30);
    let count = take.skeleton.len() as f32;
    let errors: Vec<f32> = (0..take.skeleton.len())
        .map(|joint| joint as f32 / count)
        .collect();
    scene.legend = Some(Legend {
        title: "joint error".into(),
        low: "0 cm".into(),
        high: "1 cm".into(),
    });
    scene.push_actor(take.actor(&pose), Overlay::default(), Some(&errors));
    check("errors", &scene);
}

#[test]
fn ghosts_and_a_trajectory() {
    let take = Take::built_in("run");
    let (mut scene, pose) = take.stage(20);
    scene.camera.zoom(0.7);
    scene.push_actor(take.actor(&pose), Overlay::default(), None);
    for (frame, age) in [(6, -0.5), (13, -0.25), (27, 0.25), (34, 0.5)] {
        let pose = take.pose(frame.min(take.clip.frames() - 1));
        scene.push_ghost(take.actor(&pose), age);
    }
    let path: Vec<Vec3> = (0..=20)
        .map(|frame| take.pose(frame).joints()[0].position())
        .collect();
    scene.push_trajectory(&path, [0.9, 0.7, 0.3]);
    check("ghosts", &scene);
}

#[test]
fn linear_blend_and_phong() {
    let take = Take::built_in("wave");
    let (mut scene, pose) = take.stage(take.clip.frames() / 2);
    scene.skinning = Skinning::LinearBlend;
    scene.look.shading = kinetoscope::scene::Shading::Phong;
    scene.look.key.colour = Vec3::splat(1.0);
    scene.push_actor(take.actor(&pose), Overlay::default(), None);
    check("phong", &scene);
}

#[test]
fn a_real_capture() {
    let corpus = std::env::var_os("KINETOSCOPE_CORPUS")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/mocap"));
    let paths = ["02.asf", "02_01.amc"].map(|name| corpus.join("cmu-original").join(name));
    if !paths.iter().all(|path| path.exists()) {
        assert!(std::env::var_os("CI").is_none(), "the corpus is missing");
        eprintln!("skipped: no corpus at {}", corpus.display());
        return;
    }
    let loaded = load(&paths, LoadOptions::default())
        .into_iter()
        .map(|(_, loaded)| loaded.unwrap());
    let motion = loaded.filter_map(|loaded| match loaded {
        Loaded::Motion(motion) => Some(motion),
        Loaded::Skeleton(_) | Loaded::Compressed(_) => None,
    });
    let motion = motion.last().unwrap();
    let take = Take::new(
        motion.skeleton.imported.skeleton.clone(),
        motion.imported.clip,
    );
    let (mut scene, pose) = take.stage(120);
    scene.push_actor(take.actor(&pose), Overlay::default(), None);
    check("cmu-02_01", &scene);
}

/// A model of the corpus in one of its clips.
fn model(name: &str, file: &str, clip: &str, secs: f64) {
    let Some(folder) = common::beside_corpus("gltf") else {
        return;
    };
    let loaded = load(&[folder.join(file)], LoadOptions::default()).into_iter();
    let motion = loaded.filter_map(|(_, loaded)| match loaded.unwrap() {
        Loaded::Motion(motion) if motion.imported.clip.name == clip => Some(motion),
        _ => None,
    });
    let motion = { motion }.next().unwrap();
    let skeleton = &motion.skeleton.imported.skeleton;
    let body = Arc::new(Body::of_model(
        skeleton,
        motion.skeleton.model.as_ref().unwrap(),
    ));
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    motion
        .tracks
        .unwrap()
        .sample(skeleton, secs, &mut ClipCursor::default(), &mut local);
    pose.compute(skeleton, &local);
    let pose = WorldPose::from(pose);
    let actor = Actor {
        skeleton,
        body: &body,
        pose: &pose,
    };
    let aspect = SIZE[0] as f32 / SIZE[1] as f32;
    let mut scene = FrameData::default();
    let poses = std::slice::from_ref(&pose);
    scene.camera = Camera::on_motion(actor, poses, Preset::ThreeQuarter, aspect);
    scene.camera.target += footing(&pose);
    scene.look.light_from(scene.camera.azimuth_rad);
    scene.look.ground_y = body.ground_y();
    scene.push_actor(actor, Overlay::default(), None);
    check(name, &scene);
}

/// Skinned and textured, 80 m tall by its file.
#[test]
fn a_model_with_a_picture() {
    model("fox", "Fox/Fox.glb", "Run", 0.3);
}

/// A picture in JPEG, still nodes that turn Z up to Y up.
#[test]
fn a_model_that_walks() {
    model("cesium-man", "CesiumMan/CesiumMan.glb", "CesiumMan", 0.6);
}

/// Rigid meshes on joints, skinned hands, a morphed face.
#[test]
fn a_model_of_rigid_and_skinned_parts() {
    model("robot", "RobotExpressive/RobotExpressive.glb", "Wave", 0.8);
}

/// Morph targets alone.
#[test]
fn a_model_that_morphs() {
    model(
        "morphs",
        "MorphStressTest/MorphStressTest.glb",
        "TheWave",
        1.4,
    );
}

/// Steps, lines and cubics of translation, rotation and scale.
#[test]
fn a_model_that_scales() {
    model(
        "interpolation",
        "InterpolationTest/InterpolationTest.glb",
        "CubicSpline Scale",
        0.7,
    );
}

/// Four legs, a neck, a tail: nothing the names could give away.
fn creature() -> Skeleton {
    let mut joints = vec![Joint {
        name: "root".into(),
        parent: NO_PARENT,
        rest: Transform::from_translation(Vec3::Y * 0.595),
        tip: Vec3::ZERO,
        axes: Quat::IDENTITY,
        dofs: Vec::new(),
    }];
    let mut bone = |name: String, parent: &str, tip: [f32; 3]| {
        let parent = joints
            .iter()
            .position(|joint| joint.name == parent)
            .unwrap();
        joints.push(Joint {
            name,
            parent: parent as JointIndex,
            rest: Transform::from_translation(joints[parent].tip),
            tip: tip.into(),
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        });
    };
    for (name, parent, tip) in [
        ("s1", "root", [0.0, 0.03, 0.30]),
        ("s2", "s1", [0.0, 0.0, 0.28]),
        ("n1", "s2", [0.0, 0.22, 0.16]),
        ("n2", "n1", [0.0, 0.16, 0.10]),
        ("k", "n2", [0.0, -0.05, 0.20]),
        ("t1", "root", [0.0, 0.04, -0.22]),
        ("t2", "t1", [0.0, -0.10, -0.22]),
        ("t3", "t2", [0.0, -0.02, -0.20]),
    ] {
        bone(name.into(), parent, tip);
    }
    for (side, x) in [("p", 1.0), ("q", -1.0)] {
        for (end, top) in [("f", "s2"), ("h", "root")] {
            bone(format!("{side}{end}1"), top, [x * 0.12, -0.06, 0.0]);
            bone(
                format!("{side}{end}2"),
                &format!("{side}{end}1"),
                [x * 0.02, -0.26, 0.06],
            );
            bone(
                format!("{side}{end}3"),
                &format!("{side}{end}2"),
                [0.0, -0.25, -0.07],
            );
            bone(
                format!("{side}{end}4"),
                &format!("{side}{end}3"),
                [0.0, -0.02, 0.10],
            );
        }
    }
    Skeleton::new("creature", joints).unwrap()
}

#[test]
fn a_skeleton_that_is_not_human() {
    let skeleton = creature();
    let clip = RawClip {
        fps: 30.0,
        joints: skeleton.len(),
        root_translations: vec![Vec3::Y * 0.595],
        ..RawClip::default()
    };
    let take = Take::new(skeleton, clip);
    let (mut scene, pose) = take.stage(0);
    scene.push_actor(take.actor(&pose), Overlay::default(), None);
    check("creature", &scene);
}

/// The performer under a script with a sheet, some seconds on.
fn draped(preset: ClothPreset, script: &str, secs: f64, theme: Theme) {
    let graph = performer();
    let body = Arc::new(Body::grow(&graph.skeleton));
    let mut driver = driver(&graph, script, TICK_RATE);
    let mut step = || {
        let frame = driver.step();
        let mut pose = WorldPose::default();
        pose.place(frame.world_from_model, frame.model);
        pose
    };
    let mut pose = step();
    let mut drape = ClothInstance::new(preset, (&graph.skeleton, &body), &pose, 0.0).unwrap();
    drape.advance_to(secs, |_| {
        pose = step();
        pose.clone()
    });
    assert_eq!(drape.blow_ups(), 0);
    let mut scene = FrameData::default();
    let ahead = facing(&graph.skeleton, &pose).unwrap();
    scene.camera.look_from(Preset::ThreeQuarter, ahead);
    let mut room: Vec<Vec3> = drape.room().collect();
    outline(&body, &pose, &mut room);
    let aspect = SIZE[0] as f32 / SIZE[1] as f32;
    scene.camera.frame_all(&room, aspect);
    scene.look.light_from(scene.camera.azimuth_rad);
    scene.look.theme = theme;
    let actor = Actor {
        skeleton: &graph.skeleton,
        body: &body,
        pose: &pose,
    };
    scene.push_actor(actor, Overlay::default(), None);
    scene.push_cloth(&drape, Default::default());
    check(&format!("cloth-{preset}"), &scene);
}

#[test]
fn walking_through_the_panel() {
    draped(ClothPreset::Panel, "0.1 press W", 1.5, Theme::Dark);
}

#[test]
fn running_in_the_cape() {
    let script = "0.1 press W\n0.4 press Shift";
    draped(ClothPreset::Cape, script, 2.0, Theme::Light);
}

#[test]
fn standing_by_the_flag() {
    draped(ClothPreset::Flag, "", 2.0, Theme::Light);
}

#[test]
fn standing_under_the_blanket() {
    draped(ClothPreset::Blanket, "", 2.5, Theme::Dark);
}
