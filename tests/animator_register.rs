//! Blend spaces with `register: true`: clips of any act kept in step.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::{f64::consts::TAU, sync::Arc};

use common::drive::{driver, performer_clips};
use glam::{DVec2, DVec3};
use kinetoscope::{
    animator::{self, ClipSet, Graph},
    clip::{ClipCursor, RawClip, SampleClip},
    register::pose_distance,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A copy that takes `longer` times as long, here slower and there faster.
fn warped(skeleton: &Skeleton, clip: &RawClip, longer: f64, swing: f64) -> RawClip {
    let own_secs = clip.duration_secs();
    let frames = (own_secs * longer * 120.0) as usize + 1;
    let mut cursor = ClipCursor::default();
    let pose = |frame: usize| {
        let mut pose = LocalPose::default();
        let part = frame as f64 / (frames - 1) as f64;
        let part = part + swing / TAU * (TAU * part).sin();
        clip.sample(skeleton, part * own_secs, &mut cursor, &mut pose);
        pose
    };
    let poses: Vec<LocalPose> = (0..frames).map(pose).collect();
    RawClip::from_poses("warped", skeleton, 120.0, &poses)
}

/// One state that plays the two copies of an act, by `a`.
fn graph(skeleton: &Arc<Skeleton>, clips: &ClipSet, register: bool) -> Graph {
    let description = animator::parse(&format!(
        r#"(
            parameters: {{ "a": Float(value: 0.0) }},
            layers: [(name: "base", states: [(name: "ACT", wrap: Once, motion: Blend1d(
                by: "a", clips: [(at: 0.0, clip: "early"), (at: 1.0, clip: "late")],
                register: {register},
            ))])],
        )"#
    ));
    animator::build(&description.unwrap(), skeleton, clips).unwrap()
}

fn joints(model: &ModelPose) -> Vec<DVec3> {
    let joints = model.joints().iter();
    joints.map(|it| it.translation.as_dvec3()).collect()
}

/// The largest distance of a joint of two poses laid on each other.
fn apart_m(a: &[DVec3], b: &[DVec3]) -> f64 {
    let place = pose_distance(a, b).1;
    let off = |(a, b): (&DVec3, &DVec3)| {
        let ground = place.position + place.rotate(DVec2::new(b.x, b.z));
        (*a - DVec3::new(ground.x, b.y, ground.y)).length()
    };
    a.iter().zip(b).map(off).fold(0.0, f64::max)
}

/// How far the driven act is at most from any moment of the act itself, metres;
/// the moments have to follow each other.
fn off_act_m(name: &str, weight: f64, register: bool) -> f64 {
    let (skeleton, clips) = performer_clips();
    let act = Arc::clone(clips[name].frames());
    let copies = [
        ("early", warped(&skeleton, &act, 0.9, 0.5)),
        ("late", warped(&skeleton, &act, 1.4, -0.5)),
    ];
    let copies = copies.map(|(name, clip)| (name.to_owned(), clip.into()));
    let graph = Arc::new(graph(&skeleton, &copies.into(), register));
    assert!(graph.notes.is_empty(), "{:?}", graph.notes);
    let (mut cursor, mut pose, mut model) = Default::default();
    let mut moment = |k: usize| {
        act.sample(&skeleton, k as f64 / 480.0, &mut cursor, &mut pose);
        ModelPose::compute(&mut model, &skeleton, &pose);
        joints(&model)
    };
    let moments = (act.duration_secs() * 480.0) as usize + 1;
    let moments: Vec<Vec<DVec3>> = (0..moments).map(&mut moment).collect();
    let mut driver = driver(&graph, &format!("0 set a {weight}\n"), 60.0);
    let frames = (0.85 * act.duration_secs() * 60.0) as usize;
    let (mut worst, mut from, mut phase) = (0.0_f64, 0, 0.0);
    for _ in 0..frames {
        let frame = driver.step();
        assert!(frame.trace.phase >= phase, "one pass is one cycle");
        phase = frame.trace.phase;
        let driven = joints(frame.model);
        // Where nothing moves many moments are as near: not far back, then.
        let near = (from..moments.len()).map(|k| (apart_m(&driven, &moments[k]), k));
        let (off, k) = near.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        worst = worst.max(off);
        from = k.saturating_sub(24);
    }
    worst
}

#[test]
fn registered_copies_of_an_act_are_the_act_at_any_weight() {
    for name in ["attack", "wave", "jump"] {
        for weight in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let off = off_act_m(name, weight, true);
            assert!(off < 0.01, "{name} at {weight}: {off} m");
        }
        let plain = off_act_m(name, 0.5, false);
        assert!(plain > 0.03, "{name} by share of length: {plain} m");
    }
}

#[test]
fn clips_with_nothing_in_common_are_told_and_still_play() {
    let (skeleton, mut clips) = performer_clips();
    let act = Arc::clone(clips["attack"].frames());
    clips.insert("early".to_owned(), act.part(0..2).into());
    clips.insert("late".to_owned(), RawClip::clone(&act).into());
    let graph = Arc::new(graph(&skeleton, &clips, true));
    let [note] = graph.notes.as_slice() else {
        panic!("{:?}", graph.notes)
    };
    assert!(note.contains("early, late cannot be registered"), "{note}");
    let mut driver = driver(&graph, "0 set a 0.5\n", 60.0);
    for _ in 0..30 {
        assert!(driver.step().pose.joints().iter().all(|it| it.is_finite()));
    }
}
