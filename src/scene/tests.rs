//! Scenes that are stepped and composed.

use std::sync::Arc;

use glam::{Quat, Vec3};

use super::*;
use crate::{
    body::Body,
    clip::{RawClip, Wrap},
    skeleton::testing::cmu_like,
};

/// A second in which the root walks a metre along X.
fn walking(name: &str) -> Character {
    let skeleton = Arc::new(cmu_like());
    let body = Arc::new(Body::grow(&skeleton));
    let clip = RawClip {
        fps: 10.0,
        joints: skeleton.len(),
        animated: vec![1],
        rotations: (0..=10)
            .map(|i| Quat::from_rotation_x(0.02 * i as f32))
            .collect(),
        root_translations: (0..=10)
            .map(|i| Vec3::new(0.1 * i as f32, 1.0, 0.0))
            .collect(),
        ..RawClip::default()
    };
    Character::playing(name, skeleton, body, Arc::new(clip)).measured()
}

fn composed(scene: &Scene) -> FrameData {
    let mut frame = FrameData::default();
    scene.compose(&mut frame);
    frame
}

#[test]
fn a_clip_plays_on_the_clock_and_starts_again() {
    let mut scene = Scene::of(walking("walker"));
    scene.step(0.25);
    assert_close!(scene.footing().x, 0.25, 1e-5);
    scene.step(1.0);
    assert_close!(scene.footing().x, 0.25, 1e-5, "looped");
    scene.clock.wrap = Wrap::Once;
    scene.step(3.0);
    assert_close!(scene.footing().x, 1.0, 1e-5, "it ends");
    assert!(!scene.clock.playing);
}

#[test]
fn others_start_alongside_and_are_labelled() {
    let mut scene = Scene::of(walking("one"));
    assert!(composed(&scene).labels.is_empty());
    scene.set_alongside([walking("two"), walking("three")]);
    scene.step(0.5);
    let lead = scene.characters[0].footing();
    for other in &scene.characters[1..] {
        let apart = other.footing().distance(lead);
        assert_close!(apart, ALONGSIDE_M, 1e-4, "{apart} m");
    }
    let frame = composed(&scene);
    assert_eq!(frame.labels.len(), 3);
    assert_eq!(
        frame
            .batches()
            .iter()
            .map(|it| it.instances.len())
            .sum::<usize>(),
        3
    );
}

#[test]
fn a_reference_gives_errors_in_centimetres_with_their_key() {
    let mut lead = walking("decoded");
    let shifted = RawClip {
        fps: 10.0,
        joints: lead.skeleton.len(),
        root_translations: vec![Vec3::new(0.0, 1.02, 0.0); 11],
        ..RawClip::default()
    };
    lead.set_reference(Some(Arc::new(shifted)));
    let mut scene = Scene::of(lead);
    scene.options.display.error_colours = true;
    scene.options.error_scale_cm = 4.0;
    scene.clock.playing = false;
    scene.step(0.0);
    let errors = scene.lead().unwrap().errors_m().unwrap();
    // 2 cm up, and a first frame without any rotation.
    assert!(errors.iter().all(|error| (error - 0.02).abs() < 1e-4));
    let frame = composed(&scene);
    assert_eq!(frame.legend.as_ref().unwrap().high, "4 cm");
    assert!(
        frame.batches()[0]
            .errors
            .iter()
            .all(|weight| (weight - 0.5).abs() < 0.01)
    );
}

#[test]
fn paths_and_ghosts_reach_both_ways_and_not_beyond_the_clip() {
    let mut scene = Scene::of(walking("walker"));
    scene.clock.playing = false;
    scene.clock.seek(0.5);
    let display = &mut scene.options.display;
    (display.trajectory, display.ghosts, display.ghost_step_secs) = (true, 3, 0.2);
    scene.step(0.0);
    let frame = composed(&scene);
    // Half a second either way, 60 points a second.
    assert_eq!(frame.lines.len(), 60);
    let xs = frame.lines.iter().flat_map(|line| [line.from.x, line.to.x]);
    let (low, high) = xs.fold((f32::MAX, f32::MIN), |(l, h), x| (l.min(x), h.max(x)));
    assert!(
        low.abs() < 1e-4 && (high - 1.0).abs() < 1e-4,
        "{low} to {high}"
    );
    // 0.1, 0.3, 0.7 and 0.9 s lie in the clip; -0.1 and 1.1 s do not.
    let ghosts = frame.batches()[0].instances.iter();
    assert_eq!(ghosts.filter(|it| it.opacity < 1.0).count(), 4);
}

#[test]
fn colliders_are_shown_without_cloth_too() {
    let mut scene = Scene::of(walking("walker"));
    assert!(composed(&scene).lines.is_empty());
    scene.options.cloth.colliders = true;
    assert!(composed(&scene).lines.len() > 100);
}

#[test]
fn a_still_camera_stays_and_a_following_one_goes_along() {
    let mut scene = Scene::of(walking("walker"));
    scene.clock.wrap = Wrap::Once;
    let start = scene.camera.camera.target;
    scene.options.display.camera = CameraMode::Still;
    scene.step(0.5);
    assert_eq!(scene.camera.camera.target, start);
    scene.options.display.camera = CameraMode::Follow;
    scene.step(0.1);
    (0..100).for_each(|_| scene.step(0.1));
    let moved = scene.camera.camera.target - start;
    assert_close!(moved.x, 0.5, 0.01, "{moved}");
    assert!(!scene.is_moving());
}

#[test]
fn another_clip_is_seen_from_the_side_that_was_chosen() {
    let mut scene = Scene::of(walking("walker"));
    let before = scene.characters[0].facing;
    scene.look_from(ViewPreset::Left);
    let chosen = scene.camera.camera.direction();
    let quarter = Quat::from_rotation_y(1.0);
    scene.characters[0].facing = quarter * before;
    scene.keep_side(before);
    assert_close!(scene.camera.camera.direction(), quarter * chosen, 1e-5);
}

/// A clock that is four milliseconds later whenever it is asked.
fn slow_stopwatch() -> f64 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static ASKED: AtomicU32 = AtomicU32::new(0);
    f64::from(ASKED.fetch_add(1, Ordering::Relaxed)) * 4e-3
}

/// Such a machine plays slowly rather than not at all.
#[test]
fn cloth_takes_its_portion_of_a_frame_and_no_more() {
    let mut scene = Scene::of(walking("walker"));
    scene.cloth.stopwatch = Some(slow_stopwatch);
    scene.cloth.set(ClothKnobs::of(
        Some(ClothPreset::Cape),
        ClothLook::default(),
    ));
    scene.step(0.5);
    assert!(scene.cloth.cloth().is_none(), "it settles over many frames");
    assert_eq!(scene.clock.time_secs(), 0.0, "and its wearer waits");
    let mut frames = 0;
    while scene.cloth.cloth().is_none() {
        scene.step(1.0 / 60.0);
        frames += 1;
    }
    assert!((20..200).contains(&frames), "{frames}");
    let before = scene.clock.time_secs();
    scene.step(0.5);
    let steps = (scene.clock.time_secs() - before) * 120.0;
    assert!((0.9..4.1).contains(&steps), "{steps} steps in 12 ms");
}

#[test]
fn without_a_stopwatch_cloth_takes_all_the_time_it_needs() {
    let mut scene = Scene::of(walking("walker"));
    scene.cloth.set(ClothKnobs::of(
        Some(ClothPreset::Cape),
        ClothLook::default(),
    ));
    scene.step(0.5);
    assert!(scene.cloth.cloth().is_some());
    assert_close!(scene.clock.time_secs(), 0.5, 1e-6);
}
