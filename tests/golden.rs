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

use glam::{Quat, Vec3};
use kinetoscope::{
    animator::Script,
    body::{Body, BodyCache, Skinning},
    clip::RawClip,
    load::{self, CharacterFiles, DrivenCharacter, LoadOptions, Loaded},
    math::Transform,
    render::{Gpu, Offscreen, Picture, Quality},
    scene::{
        Character, ClothKnobs, ClothLook, ClothPreset, FrameData, Scene, Shading, Theme, ViewPreset,
    },
    skeleton::{Joint, JointIndex, NO_PARENT, Skeleton},
};

const SIZE: [u32; 2] = [512, 400];
const MEAN_TOLERANCE: f64 = 1.2;
const OUTLIER: u8 = 32;
const OUTLIER_SHARE: f64 = 0.005;

/// The performer in a clip.
fn performing(clip: &str) -> Character {
    let motion = load::performer_clip(clip, LoadOptions::default());
    motion
        .unwrap()
        .unwrap()
        .character(&mut BodyCache::default())
}

/// A scene of one character at a moment, which the camera is set on.
fn scene_at(mut lead: Character, secs: f64) -> Scene {
    let pose = lead.pose_at(secs);
    lead.measure(std::slice::from_ref(&pose));
    let mut scene = Scene::default();
    scene.camera.aspect = SIZE[0] as f32 / SIZE[1] as f32;
    scene.set_lead(lead);
    scene.clock.playing = false;
    scene.clock.seek(secs);
    scene.step(0.0);
    scene.look_from(ViewPreset::ThreeQuarter);
    scene.frame_all();
    scene
}

/// The performer at a frame of a clip.
fn performer_at(clip: &str, frame: usize) -> Scene {
    let lead = performing(clip);
    let secs = frame as f64 / lead.fps();
    scene_at(lead, secs)
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

fn check(name: &str, scene: &Scene) {
    check_frame(name, &composed(scene));
}

fn composed(scene: &Scene) -> FrameData {
    let mut frame = FrameData::default();
    scene.compose(&mut frame);
    frame
}

fn check_frame(name: &str, frame: &FrameData) {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, SIZE, Quality::SOFTWARE).unwrap();
    let picture = offscreen.render(&gpu, frame).unwrap();
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
    let mut scene = performer_at(clip, frame);
    scene.options.theme = theme;
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
    let jump = performing("jump");
    let frames = (jump.duration_secs() * jump.fps()).round() as usize + 1;
    plain("jump", "jump", frames * 45 / 100, Theme::Dark);
}

#[test]
fn skeleton_through_and_instead_of_the_skin() {
    let mut scene = performer_at("forward", 12);
    let display = &mut scene.options.display;
    (display.skin, display.bones, display.axes) = (false, true, true);
    check("skeleton", &scene);
    let mut scene = performer_at("forward", 12);
    let display = &mut scene.options.display;
    (display.bones, display.names) = (true, true);
    check("skeleton-over-skin", &scene);
}

/// The strike against itself a twentieth of a second later.
#[test]
fn error_colours_with_their_key() {
    let motion = load::performer_clip("attack", LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    let mut later = RawClip::clone(motion.raw());
    let joints = later.animated.len();
    later.rotations.rotate_left(6 * joints);
    let mut lead = motion.character(&mut BodyCache::default());
    lead.set_reference(Some(Arc::new(later)));
    let mut scene = scene_at(lead, 30.0 / 120.0);
    scene.options.display.error_colours = true;
    scene.options.error_scale_cm = 25.0;
    scene.step(0.0);
    check("errors", &scene);
}

#[test]
fn ghosts_and_a_trajectory() {
    let mut scene = performer_at("run", 20);
    scene.camera.camera.zoom(0.7);
    let display = &mut scene.options.display;
    (display.ghosts, display.ghost_step_secs) = (2, 7.0 / 120.0);
    display.trajectory = true;
    check("ghosts", &scene);
}

#[test]
fn linear_blend_and_phong() {
    let wave = performing("wave");
    let frames = (wave.duration_secs() * wave.fps()).round() as usize + 1;
    let mut scene = performer_at("wave", frames / 2);
    scene.options.skinning = Skinning::LinearBlend;
    scene.options.display.light = Shading::Phong;
    let mut frame = composed(&scene);
    // As published: a white light of strength 1.
    frame.look.key.colour = Vec3::splat(1.0);
    check_frame("phong", &frame);
}

#[test]
fn a_real_capture() {
    let Some(corpus) = common::corpus() else {
        return;
    };
    let paths = ["02.asf", "02_01.amc"].map(|name| corpus.join("cmu-original").join(name));
    let loaded = load::load(&paths, LoadOptions::default())
        .into_iter()
        .map(|(_, loaded)| loaded.unwrap());
    let motion = { loaded }.find_map(Loaded::into_motion).unwrap();
    let lead = motion.character(&mut BodyCache::default());
    check("cmu-02_01", &scene_at(lead, 1.0));
}

/// A model of the corpus in one of its clips.
fn model(name: &str, file: &str, clip: &str, secs: f64) {
    let Some(folder) = common::alongside_corpus("gltf") else {
        return;
    };
    let loaded = load::load(&[folder.join(file)], LoadOptions::default()).into_iter();
    let mut motions = loaded.filter_map(|(_, loaded)| loaded.unwrap().into_motion());
    let motion = motions.find(|motion| motion.name == clip).unwrap();
    let lead = motion.character(&mut BodyCache::default());
    check(name, &scene_at(lead, secs));
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
    let mut joints = vec![Joint::new("root", NO_PARENT, Vec3::Y * 0.595, Vec3::ZERO)];
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
    let body = Arc::new(Body::grow(&skeleton));
    let lead = Character::playing("creature", Arc::new(skeleton), body, Arc::new(clip));
    check("creature", &scene_at(lead, 0.0));
}

/// The performer under a script with a sheet, some seconds on.
fn draped(preset: ClothPreset, script: &str, secs: f64, theme: Theme) {
    let from = CharacterFiles {
        animator: None,
        files: &[],
        onto: None,
        fill: false,
    };
    let driven = DrivenCharacter::load(from, LoadOptions::default()).unwrap();
    let mut lead = driven.character(&mut BodyCache::default());
    for timed in Script::parse(script).unwrap().inputs() {
        let animator = lead.animator_mut().unwrap();
        animator.input(timed.at_secs, timed.input.clone());
    }
    let mut scene = Scene::default();
    scene.camera.aspect = SIZE[0] as f32 / SIZE[1] as f32;
    scene.set_lead(lead);
    scene
        .cloth
        .set(ClothKnobs::of(Some(preset), ClothLook::default()));
    scene.step(secs);
    assert_eq!(scene.cloth.stats().unwrap().blow_ups, 0);
    let lead = scene.lead_mut().unwrap();
    let pose = lead.world_pose().clone();
    lead.measure(&[pose]);
    scene.options.theme = theme;
    scene.look_from(ViewPreset::ThreeQuarter);
    scene.frame_all();
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
