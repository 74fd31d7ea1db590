//! Trees of clips in a state: every kind of node against what it must be by
//! hand.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::drive::{driver, performer_with};
use kinetoscope::{
    animator::{self, Graph, Input, Parameters},
    assert_close,
    skeleton::LocalPose,
};

/// One state that plays `motion`, with four numbers and two masks at hand. No
/// legs: nothing but the tree makes the pose.
fn state(motion: &str) -> Arc<Graph> {
    performer_with(&format!(
        r#"(
            parameters: {{
                "a": Float(value: 0.0), "b": Float(value: 0.0), "c": Float(value: 0.0),
                "plain": Bool(false),
            }},
            no_blending: "plain",
            masks: {{ "upper": (from: "lowerback"), "arm": (from: "lhumerus") }},
            layers: [(name: "base", states: [(name: "S", motion: {motion})])],
        )"#
    ))
}

/// The pose after half a second at values of the parameters.
fn pose(motion: &str, values: &[(&str, f64)]) -> LocalPose {
    let sets = values.iter();
    let script = sets.map(|(name, value)| format!("0 set {name} {value}\n"));
    let script: String = script.collect();
    let mut driver = driver(&state(motion), &script, 2.0);
    driver.step();
    driver.step().pose.clone()
}

/// Largest distance of a component of two poses.
fn apart(a: &LocalPose, b: &LocalPose) -> f32 {
    let joints = a.joints().iter().zip(b.joints());
    let apart = joints.map(|(a, b)| {
        let moved = (a.translation - b.translation).length();
        let difference = a.rotation * b.rotation.conjugate();
        moved.max(2.0 * difference.xyz().length())
    });
    apart.fold(0.0, f32::max)
}

fn weights(graph: &Arc<Graph>, values: [f64; 3]) -> Vec<f32> {
    let mut parameters = Parameters::new(Arc::clone(graph));
    for (name, value) in ["a", "b", "c"].into_iter().zip(values) {
        parameters.apply(&Input::Set(name.to_owned(), value));
    }
    parameters.step(1.0 / 120.0);
    let motion = graph.layers[0].states[0].motion.as_ref().unwrap();
    let (mut shares, mut weights) = (Vec::new(), Vec::new());
    motion.weights(&parameters, 0.0, &mut shares, &mut weights);
    assert!(shares.is_empty(), "the stack is left as it was");
    weights
}

const LINE: &str =
    r#"Blend1d(by: "a", clips: [(at: 0.0, clip: "forward"), (at: 1.0, clip: "run")])"#;
const PLANE: &str = r#"Blend2d(x: "b", y: "c", clips: [(at: (0.0, 0.0), clip: "idle"),
    (at: (1.0, 0.0), clip: "strafe_left"), (at: (0.0, 1.0), clip: "backward")])"#;
const SQUARE: &str = r#"Bilinear(x: "a", y: "b", corners: [Clip("idle"), Clip("wave"),
    Clip("turn_left"), Clip("turn_right")])"#;
const FLAT: &str = r#"Flat([(clip: "idle", weight: 1.0), (clip: "wave", weight: 3.0, by: "c")])"#;

/// All kinds in each other.
fn everything() -> String {
    format!(
        r#"Add(
            onto: Masked(below: Blend1d(by: "c", clips: [(at: 0.0, motion: {LINE}),
                (at: 0.5, motion: {PLANE}), (at: 1.0, motion: {SQUARE})]),
                above: {FLAT}, mask: "upper", weight: 0.5),
            add: Scrub(clip: "attack", by: "b"), against: Pose("attack", 0.0), weight: 0.7, by: "a")"#
    )
}

#[test]
fn weights_of_every_kind_are_shares_of_one() {
    let kinds = [LINE, PLANE, SQUARE, FLAT].map(String::from);
    for motion in kinds.into_iter().chain([everything()]) {
        let graph = state(&motion);
        for step in 0..343 {
            let value = |n: i32| f64::from(step / n % 7) * 0.3 - 0.4;
            let weights = weights(&graph, [value(1), value(7), value(49)]);
            assert_close!(weights.iter().sum::<f32>(), 1.0, 1e-5, "{motion}");
            assert!(
                weights.iter().all(|it| (0.0..=1.0).contains(it)),
                "{weights:?}"
            );
        }
    }
}

#[test]
fn ends_and_corners_are_their_clips_bit_for_bit() {
    let clip = |name: &str| pose(&format!("Clip({name:?})"), &[]);
    for (motion, values, alone) in [
        (LINE, vec![("a", -1.0)], "forward"),
        (LINE, vec![("a", 2.0)], "run"),
        (PLANE, vec![("b", 1.0)], "strafe_left"),
        (SQUARE, vec![("a", 0.0), ("b", 0.0)], "idle"),
        (SQUARE, vec![("a", 1.0), ("b", 0.0)], "wave"),
        (SQUARE, vec![("a", 0.0), ("b", 1.0)], "turn_left"),
        (SQUARE, vec![("a", 1.0), ("b", 1.0)], "turn_right"),
        (FLAT, vec![("c", 0.0)], "idle"),
    ] {
        // Alone in its blend a clip runs at its own speed.
        let alone = clip(alone);
        assert!(
            apart(&pose(motion, &values), &alone) < 1e-5,
            "{motion} {values:?}"
        );
    }
    let middle = weights(&state(SQUARE), [0.5, 0.5, 0.0]);
    assert_eq!(middle, [0.25; 4]);
    assert_eq!(
        weights(&state(SQUARE), [0.25, 0.5, 0.0]),
        [0.375, 0.125, 0.375, 0.125]
    );
    assert_eq!(weights(&state(FLAT), [0.0, 0.0, 1.0]), [0.25, 0.75]);
}

#[test]
fn blends_of_blends_are_the_flat_blend_of_their_clips() {
    // Half, half of the half, and so on: five levels.
    let clips = [
        "forward",
        "run",
        "backward",
        "strafe_left",
        "strafe_right",
        "idle",
    ];
    let nested = clips[..5].iter().rev().fold(format!("Clip({:?})", clips[5]), |below, clip| {
        format!(r#"Blend1d(by: "a", clips: [(at: 0.0, clip: {clip:?}), (at: 1.0, motion: {below})])"#)
    });
    let shares = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125];
    let flat = clips.iter().zip(shares);
    let flat = flat.map(|(clip, weight)| format!("(clip: {clip:?}, weight: {weight})"));
    let flat = format!("Flat([{}])", flat.collect::<Vec<_>>().join(", "));
    assert_eq!(weights(&state(&nested), [0.5, 0.0, 0.0]), shares);
    let (nested, flat) = (pose(&nested, &[("a", 0.5)]), pose(&flat, &[]));
    assert!(apart(&nested, &flat) < 1e-5, "{}", apart(&nested, &flat));
}

#[test]
fn a_clip_named_twice_is_one_clip() {
    let motion = r#"Flat([(clip: "idle"), (motion: Flat([(clip: "idle"), (clip: "wave")]))])"#;
    assert_eq!(weights(&state(motion), [0.0; 3]), [0.75, 0.25]);
}

#[test]
fn additions() {
    let idle = pose(r#"Clip("idle")"#, &[]);
    // Against itself a clip adds nothing.
    let nothing = r#"Add(onto: Clip("idle"), add: Clip("wave"), against: Clip("wave"))"#;
    assert!(apart(&pose(nothing, &[]), &idle) < 1e-5);
    // Its difference to what it is added to makes it what it is.
    let whole = r#"Add(onto: Clip("idle"), add: Clip("wave"), against: Clip("idle"))"#;
    let both = r#"Masked(below: Clip("idle"), above: Clip("wave"), mask: "upper", weight: 0.0)"#;
    let wave = both.replace("0.0", "1.0");
    let (added, wave) = (pose(whole, &[]), pose(&wave, &[]));
    let arm = |pose: &LocalPose| pose.joints()[arm_joint()];
    let difference = arm(&added).rotation * arm(&wave).rotation.conjugate();
    assert!(difference.xyz().length() < 1e-5, "{difference:?}");
    // By a weight of nothing nothing is added, by a parameter as much as it says.
    let by = r#"Add(onto: Clip("idle"), add: Clip("wave"), against: Rest, by: "a")"#;
    assert_eq!(pose(by, &[("a", 0.0)]), idle);
    assert!(apart(&pose(by, &[("a", 1.0)]), &idle) > 0.1);
    // On a part the rest stays bit for bit.
    let part = r#"Add(onto: Clip("idle"), add: Clip("wave"), against: Rest, mask: "arm")"#;
    let part = pose(part, &[]);
    let graph = state(r#"Clip("idle")"#);
    let leg = usize::from(graph.skeleton.find("rfemur").unwrap());
    assert_eq!(part.joints()[leg], idle.joints()[leg]);
    assert_ne!(part.joints()[arm_joint()], idle.joints()[arm_joint()]);
}

fn arm_joint() -> usize {
    let graph = state(r#"Clip("idle")"#);
    usize::from(graph.skeleton.find("lhumerus").unwrap())
}

#[test]
fn a_mask_leaves_the_rest_of_the_body() {
    let motion = |weight: f32| {
        format!(r#"Masked(below: {LINE}, above: Clip("wave"), mask: "arm", weight: {weight:.1})"#)
    };
    let values = [("a", 0.4)];
    let (bare, half, whole) = (
        pose(&motion(0.0), &values),
        pose(&motion(0.5), &values),
        pose(&motion(1.0), &values),
    );
    let graph = state(LINE);
    for (joint, own) in graph.skeleton.joints().iter().enumerate() {
        let inside = [
            "lhumerus", "lradius", "lwrist", "lhand", "lfingers", "lthumb",
        ];
        if !inside.contains(&own.name.as_str()) {
            assert_eq!(whole.joints()[joint], bare.joints()[joint], "{}", own.name);
        }
    }
    let turn = |pose: &LocalPose| pose.joints()[arm_joint()].rotation;
    let between = turn(&bare).lerp(turn(&whole), 0.5);
    assert!(turn(&half).angle_between(between) < 1e-2);
    assert!(turn(&bare).angle_between(turn(&whole)) > 0.1);
}

#[test]
fn a_parameter_is_the_time_of_a_clip() {
    let motion = r#"Scrub(clip: "attack", by: "a", from: -1.0, to: 1.0)"#;
    let graph = state(motion);
    let clip = &graph.clips[0];
    for (value, share) in [
        (-3.0, 0.0),
        (-1.0, 0.0),
        (0.0, 0.5),
        (0.5, 0.75),
        (1.0, 1.0),
        (7.0, 1.0),
    ] {
        let mut wanted = LocalPose::default();
        let secs = share * clip.duration_secs();
        clip.pose(&graph.skeleton, secs, &mut Default::default(), &mut wanted);
        assert!(
            apart(&pose(motion, &[("a", value)]), &wanted) < 1e-5,
            "{value}"
        );
    }
}

#[test]
fn without_blending_one_clip_plays() {
    let graph = state(LINE);
    let mut parameters = Parameters::new(Arc::clone(&graph));
    parameters.apply(&Input::Set("a".into(), 0.4));
    parameters.apply(&Input::Set("plain".into(), 1.0));
    parameters.step(1.0 / 120.0);
    let motion = graph.layers[0].states[0].motion.as_ref().unwrap();
    let (mut shares, mut weights) = (Vec::new(), Vec::new());
    motion.weights(&parameters, 0.0, &mut shares, &mut weights);
    assert_eq!(weights, [1.0, 0.0]);
}

#[test]
fn what_is_missing_is_done_without() {
    let graph = state(
        r#"Add(onto: Blend1d(by: "a", clips: [(at: 0.0, clip: "idle"), (at: 1.0, clip: "dance")]),
            add: Clip("dance"), against: Rest)"#,
    );
    assert_eq!(weights(&graph, [1.0, 0.0, 0.0]), [1.0]);
    let three = r#"Bilinear(x: "a", y: "b", corners: [Clip("idle"), Clip("wave"), Clip("dance"),
        Clip("run")])"#;
    let three = weights(&state(three), [0.5, 0.5, 0.0]);
    assert_eq!(three.len(), 3);
    assert_close!(three.iter().sum::<f32>(), 1.0, 1e-6);
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (motion, wanted) in [
        (
            r#"Bilinear(x: "a", y: "b", corners: [Clip("idle")])"#,
            "layers[0].states[0].motion.corners: a square has four corners, not 1",
        ),
        (
            r#"Flat([(clip: "idle"), (motion: Blend1d(by: "speed", clips: [(at: 0.0, clip: "run")]))])"#,
            "motion[1].motion.by: no parameter \"speed\"",
        ),
        (
            r#"Blend1d(by: "a", clips: [(at: 0.0)])"#,
            "motion.clips[0]: either a clip or a motion, and not both",
        ),
        (
            r#"Masked(below: Clip("idle"), above: Empty, mask: "arm")"#,
            "motion.above: Empty is for a whole state",
        ),
        (
            r#"Masked(below: Clip("idle"), above: Clip("run"), mask: "tail")"#,
            "motion.mask: no mask \"tail\" (arm)",
        ),
        (
            r#"Scrub(clip: "idle", by: "a", from: 1.0, to: 1.0)"#,
            "motion.to: from and to are two different numbers",
        ),
    ] {
        let text = format!(
            r#"(parameters: {{ "a": Float(value: 0.0), "b": Float(value: 0.0) }},
            masks: {{ "arm": (from: "lhumerus") }},
            layers: [(name: "base", states: [(name: "S", motion: {motion})])])"#
        );
        let error = animator::parse(&text).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
