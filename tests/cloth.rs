//! Cloth against the built-in performer. (Against chance: `cloth::trials`.)
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use common::drive::{driver, performer};
use kinetoscope::{
    body::Body,
    scene::{ClothInstance, ClothPreset, deepest_m},
    skeleton::WorldPose,
};

/// Walks, runs, strikes and jumps through the panel, and back.
const TOUR: &str = "0.3 press W\n1.2 press Shift\n1.5 click\n2.2 press Space\n2.6 release Shift\n\
    2.7 release W\n4.2 press S\n7.0 release S\n7.3 click\n8.0 press W\n8.3 press Shift\n8.8 press Space";
const RATE: f64 = 120.0;

/// World poses of the tour at every step.
fn tour(secs: f64) -> Vec<WorldPose> {
    let graph = performer();
    let mut driver = driver(&graph, TOUR, RATE);
    (0..=(secs * RATE) as usize)
        .map(|_| {
            let frame = driver.step();
            let mut pose = WorldPose::default();
            pose.place(frame.world_from_model, frame.model);
            pose
        })
        .collect()
}

fn drape(preset: ClothPreset, pose: &WorldPose) -> ClothInstance {
    let graph = performer();
    let body = Body::grow(&graph.skeleton);
    let dressed = (&*graph.skeleton, &body);
    ClothInstance::new(preset, dressed, pose, 0.0).unwrap()
}

/// Runs a preset through the tour and holds every step to the limits.
fn through_the_tour(preset: ClothPreset, secs: f64) {
    let poses = tour(secs);
    let mut drape = drape(preset, &poses[0]);
    let (mut stretch, mut depth, mut contacts, mut strained) = (0.0f32, f32::MIN, 0, 0);
    for (step, pose) in poses.iter().enumerate().skip(1) {
        drape.advance_to(step as f64 / RATE, |_| pose.clone());
        let figures = drape.cloth().stats();
        strained += usize::from(figures.max_stretch > 1.05);
        stretch = stretch.max(figures.max_stretch);
        contacts += figures.contacts;
        depth = depth.max(deepest_m(&drape));
    }
    eprintln!(
        "{preset}: stretch {stretch:.4} ({strained} of {} steps over 1.05), deepest {:.2} mm, \
         {contacts} contacts",
        poses.len() - 1,
        depth * 1e3
    );
    assert_eq!(drape.blow_ups(), 0, "{preset}");
    assert!(contacts > 1000, "{preset} met nothing: {contacts}");
    assert!(depth <= 0.002, "{preset}: {depth} m deep");
    assert!(stretch <= 1.06, "{preset}: stretched {stretch} times");
}

#[test]
fn ten_seconds_of_the_performer_through_the_panel() {
    through_the_tour(ClothPreset::Panel, 10.0);
}

#[test]
fn ten_seconds_of_the_performer_in_the_cape() {
    through_the_tour(ClothPreset::Cape, 10.0);
}

#[test]
fn the_rate_of_display_changes_nothing() {
    let poses = tour(2.0);
    let shown_at = |fps: f64| {
        let mut drape = drape(ClothPreset::Cape, &poses[0]);
        for frame in 0..=(1.5 * fps) as usize {
            drape.advance_to(frame as f64 / fps, |secs| {
                poses[(secs * RATE).round() as usize].clone()
            });
        }
        let numbers = drape.cloth().positions().flat_map(|at| at.to_array());
        numbers.map(f32::to_bits).collect::<Vec<_>>()
    };
    let at_30 = shown_at(30.0);
    assert!(at_30 == shown_at(60.0), "60 frames a second differ");
    assert!(at_30 == shown_at(144.0), "144 frames a second differ");
}
