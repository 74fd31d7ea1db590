//! The animator from outside: what its states, fades, layers and clocks do when
//! a script drives the built-in performer and real captures.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::drive::{captured, driver, performer, performer_with, world_points};
use glam::Vec3A;
use kinetoscope::{
    animator::{Animator, Graph, Input, Script, TraceLine},
    assert_close,
    math::quat::angle_between,
    skeleton::{LocalPose, ModelPose},
};

/// Everything the default graph can do, in ten seconds.
const TOUR: &str = "0.50 press W\n1.20 press Shift\n2.0 click\n3.1 press A\n3.4 release A\n\
    3.9 press Space\n4.1 release Shift\n4.4 release W\n5.9 press S\n6.6 press Q\n6.9 release S\n\
    7.3 release Q\n7.6 press D\n8.3 release D\n8.4 press F\n8.8 set speed 2.2\n8.9 press W";

fn states(lines: &[TraceLine], layer: usize) -> Vec<String> {
    let mut names: Vec<String> = lines
        .iter()
        .map(|l| l.layers[layer].state.clone())
        .collect();
    names.dedup();
    names
}

fn run(graph: &Arc<Graph>, script: &str, secs: f64, fps: f64) -> Vec<TraceLine> {
    let mut driver = driver(graph, script, fps);
    let frames = (secs * fps) as usize;
    (0..=frames).map(|_| driver.step().trace).collect()
}

#[test]
fn the_keys_lead_through_the_published_states() {
    let graph = performer();
    assert!(graph.notes.is_empty(), "{:?}", graph.notes);
    let base = |script: &str, secs| states(&run(&graph, script, secs, 60.0), 0);
    assert_eq!(
        base("0.5 press W\n1 release W", 2.0),
        ["IDLE", "FORWARD", "IDLE"]
    );
    let grown = base("0.5 press W\n1 press Shift\n2 release Shift", 3.0);
    assert_eq!(grown, ["IDLE", "FORWARD", "RUN", "FORWARD"]);
    assert_eq!(base("0 press Shift\n1 press W", 2.0), ["IDLE", "RUN"]);
    assert_eq!(
        base("0.5 press S\n1 release S", 2.0),
        ["IDLE", "BACKWARD", "IDLE"]
    );
    assert_eq!(
        base("0.5 press Q\n1 release Q", 2.0),
        ["IDLE", "STRAFE_LEFT", "IDLE"]
    );
    assert_eq!(
        base("0.5 press E\n1 release E", 2.0),
        ["IDLE", "STRAFE_RIGHT", "IDLE"]
    );
    assert_eq!(
        base("0.5 press A\n1 release A", 2.0),
        ["IDLE", "TURN_LEFT", "IDLE"]
    );
    assert_eq!(
        base("0.5 press D\n1 release D", 2.0),
        ["IDLE", "TURN_RIGHT", "IDLE"]
    );
    // One-shots finish on their own.
    assert_eq!(base("0.5 press Space", 5.0), ["IDLE", "JUMP", "IDLE"]);
    assert_eq!(base("0.5 click", 5.0), ["IDLE", "ATTACK", "IDLE"]);
    assert_eq!(base("0.5 press J", 5.0), ["IDLE", "ATTACK", "IDLE"]);
    // With a key held the early-out window leads on.
    assert_eq!(
        base("0.5 press Space\n1 press W", 5.0),
        ["IDLE", "JUMP", "FORWARD"]
    );
}

#[test]
fn a_strike_on_the_move_is_above_the_waist_and_alone_it_is_whole() {
    let graph = performer();
    for keys in ["0 press W", "0 press S", "0 press W\n0 press Shift"] {
        let lines = run(&graph, &format!("{keys}\n1 click"), 5.0, 60.0);
        assert_eq!(states(&lines, 1), ["NONE", "ATTACK", "NONE"], "{keys}");
        assert!(!states(&lines, 0).contains(&"ATTACK".to_owned()), "{keys}");
        assert!(lines.iter().any(|line| line.layers[1].weight == 1.0));
    }
    let alone = run(&graph, "1 click", 5.0, 60.0);
    assert_eq!(states(&alone, 1), ["NONE"]);
}

#[test]
fn the_transition_table_can_be_listed() {
    let table = performer().transition_table();
    assert!(
        table
            .iter()
            .any(|row| row.contains("-> JUMP [jump!] priority 20")),
        "{table:#?}"
    );
    let upper = table.iter().filter(|row| row.starts_with("upper:")).count();
    assert_eq!(upper, 4);
}

/// Poses at common moments and all events.
fn moments(graph: &Arc<Graph>, fps: f64) -> (Vec<(Vec<Vec3A>, LocalPose)>, Vec<String>) {
    let mut driver = driver(graph, TOUR, fps);
    let (mut poses, mut events) = (Vec::new(), Vec::new());
    for frame in 0..=(11.0 * fps) as usize {
        let step = driver.step();
        events.extend(step.trace.events.clone());
        // Sixths of a second are frames of 30, 60 and 144.
        if (frame * 6).is_multiple_of(fps as usize) {
            poses.push((world_points(graph, &step), step.pose.clone()));
        }
    }
    (poses, events)
}

#[test]
fn thirty_sixty_and_a_hundred_and_forty_four_updates_a_second_agree() {
    for graph in [Some(performer()), captured()].into_iter().flatten() {
        let (reference, events) = moments(&graph, 60.0);
        assert!(events.len() > 10, "{events:?}");
        for fps in [30.0, 144.0] {
            let (poses, other_events) = moments(&graph, fps);
            assert_eq!(events, other_events, "{fps}");
            assert_eq!(reference.len(), poses.len());
            for (moment, ((points, pose), (p2, pose2))) in reference.iter().zip(&poses).enumerate()
            {
                for (a, b) in points.iter().zip(p2) {
                    let off = (*a - *b).length();
                    assert!(off < 1e-3, "{off} m at {moment}/6 s, {fps} updates/s");
                }
                for (a, b) in pose.joints().iter().zip(pose2.joints()) {
                    let off = angle_between(a.rotation, b.rotation).to_degrees();
                    assert!(off < 0.1, "{off}° at {moment}/6 s, {fps} updates/s");
                }
            }
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let graph = performer();
    let (mut a, mut b) = (driver(&graph, TOUR, 60.0), driver(&graph, TOUR, 60.0));
    for _ in 0..600 {
        let (a, b) = (a.step(), b.step());
        assert!(a.pose == b.pose && a.trace == b.trace);
    }
}

#[test]
fn below_the_mask_a_strike_changes_no_bit_of_the_run() {
    let graph = performer();
    let keys = "0 press W\n0 press Shift";
    let mut plain = driver(&graph, keys, 120.0);
    let mut striking = driver(&graph, &format!("{keys}\n2 click"), 120.0);
    let upper = &graph.layers[graph.layer("upper").unwrap()];
    let mut differences = 0;
    for _ in 0..600 {
        let (a, b) = (plain.step(), striking.step());
        assert_eq!(a.world_from_model, b.world_from_model);
        let joints = a.pose.joints().iter().zip(b.pose.joints());
        for ((a, b), &mask) in joints.zip(upper.mask.weights()) {
            if mask == 0.0 {
                assert!(a == b);
            } else if a != b {
                differences += 1;
            }
        }
    }
    assert!(differences > 1000, "above it strikes: {differences}");
}

const SELF_FADE: &str = r#"(
    parameters: { "again": Bool(false) },
    bindings: [(key: "X", does: Hold("again"))],
    layers: [(
        name: "base",
        states: [
            (name: "A", motion: Clip("run")),
            (name: "B", motion: Clip("run")),
        ],
        transitions: [
            (from: Any, to: "B", when: [On("again")], sync: true,
                fade: (kind: KIND, secs: 0.5, ease: Bezier((0.4, 0.0), (0.6, 1.0)))),
        ],
    )],
    legs: [
        (step: "l", hip: "lfemur", knee: "ltibia", ankle: "lfoot", ball: "ltoes"),
        (step: "r", hip: "rfemur", knee: "rtibia", ankle: "rfoot", ball: "rtoes"),
    ],
)"#;

#[test]
fn a_fade_of_a_clip_with_itself_changes_nothing() {
    for kind in ["Smooth", "Inertial"] {
        let graph = performer_with(&SELF_FADE.replace("KIND", kind));
        let mut plain = driver(&graph, "", 120.0);
        let mut fading = driver(&graph, "0.4 press X", 120.0);
        for frame in 0..200 {
            let (a, b) = (plain.step(), fading.step());
            assert!(a.pose == b.pose, "{kind}, frame {frame}");
            assert_eq!(
                a.world_from_model, b.world_from_model,
                "{kind}, frame {frame}"
            );
        }
        assert_eq!(fading.step().trace.layers[0].state, "B");
    }
}

#[test]
fn a_frozen_fade_holds_the_old_pose_and_thirty_frames_later_it_is_gone() {
    let ron = SELF_FADE
        .replace("KIND, secs: 0.5", "Frozen, secs: 0.25")
        .replace(
            "motion: Clip(\"run\")),\n        ],",
            "motion: Clip(\"idle\")),\n        ],",
        );
    let graph = performer_with(&ron);
    let mut plain = driver(&graph, "", 120.0);
    let mut fading = driver(&graph, "0.5 press X", 120.0);
    let elbow = usize::from(graph.skeleton.find("lradius").unwrap());
    let (mut held, mut lines) = (None, Vec::new());
    for frame in 0..=120 {
        let old = plain.step().pose.joints()[elbow].rotation;
        let step = fading.step();
        if frame == 60 {
            held = Some(old);
        }
        if frame == 64 {
            // A little of the new pose, none of the old motion.
            let shown = step.pose.joints()[elbow].rotation;
            let to_held = angle_between(shown, held.unwrap());
            assert!(to_held < angle_between(shown, old) + 0.05);
        }
        lines.push(step.trace);
    }
    assert_eq!(lines[61].layers[0].previous.as_deref(), Some("A"));
    assert!(lines[89].layers[0].fade < 1.0);
    assert_eq!(
        (lines[91].layers[0].fade, &lines[91].layers[0].previous),
        (1.0, &None)
    );
}

#[test]
fn an_additive_layer_adds_the_difference_to_its_reference() {
    // Idle under (wave − idle's first pose): where the base is the reference
    // itself the sum is the wave.
    let ron = r#"(
        parameters: {},
        masks: { "all": (from: "root") },
        layers: [
            (name: "base", states: [(name: "IDLE", motion: Clip("idle"), speed: 0.0)]),
            (name: "extra", mask: "all", mode: Additive(Pose("idle", 0.0)),
                states: [(name: "WAVE", motion: Clip("wave"), wrap: Once)]),
        ],
    )"#;
    let graph = performer_with(ron);
    let alone = performer_with(
        r#"(parameters: {}, layers: [(name: "base",
            states: [(name: "WAVE", motion: Clip("wave"), wrap: Once)])])"#,
    );
    let (mut sum, mut wave) = (driver(&graph, "", 60.0), driver(&alone, "", 60.0));
    for frame in 0..150 {
        let (sum, wave) = (sum.step(), wave.step());
        for (a, b) in sum.pose.joints().iter().zip(wave.pose.joints()) {
            let turn = angle_between(a.rotation, b.rotation);
            assert!(turn < 1e-5, "{turn} rad at {frame}");
            assert_close!(a.translation, b.translation, 1e-5, "frame {frame}");
        }
    }
}

/// Bone ends in the world at a moment, foot lock off.
fn ends_at(graph: &Arc<Graph>, script: &str, at_secs: f64) -> Vec<Vec3A> {
    let mut animator = Animator::new(Arc::clone(graph));
    for timed in Script::parse(script).unwrap().inputs() {
        animator.input(timed.at_secs, timed.input.clone());
    }
    animator.set_foot_lock(false);
    animator.advance_to(at_secs);
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let world = animator.pose(&mut pose, &mut model);
    let ends = (0..graph.skeleton.len()).map(|j| model.bone_end(&graph.skeleton, j));
    ends.map(|end| world.transform_point(end)).collect()
}

#[test]
fn inertial_fades_are_continuous_in_velocity() {
    let graph = performer();
    let cases = [
        ("", "1 press W", 1.0),
        ("0 press W", "2.3 press Space", 2.3),
        ("0 press W\n0 press Shift", "3.1 release W", 3.1),
        // A fade that interrupts another.
        ("0 press W\n2.0 release W", "2.1 press S", 2.1),
    ];
    for (before, change, at) in cases {
        let after = at + 1.0 / 240.0;
        let script = format!("{before}\n{change}");
        let (old, new) = (
            ends_at(&graph, before, after),
            ends_at(&graph, &script, after),
        );
        for (joint, (old, new)) in old.iter().zip(&new).enumerate() {
            // Just after it starts, the fade still moves as the old motion
            // would have gone on.
            let off = (*old - *new).length() * 240.0;
            assert!(off < 0.1, "{script:?}: joint {joint} is off by {off} m/s");
        }
        let later = at + 0.2;
        let (old, new) = (
            ends_at(&graph, before, later),
            ends_at(&graph, &script, later),
        );
        let far = old.iter().zip(&new).map(|(a, b)| (*a - *b).length());
        assert!(
            far.fold(0.0, f32::max) > 0.02,
            "{script:?}: and then it leaves it"
        );
    }
}

#[test]
fn the_character_travels_as_its_clips_do_and_turns_as_it_is_steered() {
    let graph = performer();
    let lines = run(&graph, "0 press W", 6.0, 60.0);
    let speed = (lines[360].root[2] - lines[240].root[2]) / 2.0;
    assert_close!(speed, 1.4, 0.01, "{speed} m/s");
    let turned = run(&graph, "0 press W\n2 press A\n3 release A", 6.0, 60.0);
    let degrees = turned[360].heading.to_degrees();
    assert!(
        (100.0..120.0).contains(&degrees),
        "{degrees}° to the left in a second"
    );
    let mut in_place = driver(&graph, "0 press W", 60.0);
    in_place.animator.set_in_place(true);
    for _ in 0..200 {
        assert_eq!(in_place.step().trace.root, [0.0; 3]);
    }
}

#[test]
fn footsteps_come_once_a_step_forward_and_backward() {
    let ron = |speed: &str| {
        SELF_FADE
            .replace(
                "motion: Clip(\"run\"))",
                &format!("motion: Clip(\"run\"), speed: {speed})"),
            )
            .replace("KIND", "Smooth")
    };
    for speed in ["1.0", "-1.0", "2.5"] {
        let graph = performer_with(&ron(speed));
        // Four cycles in 2.8 s: 8 footsteps a lap.
        let laps = 3.0;
        let secs = laps * 2.8 / speed.parse::<f64>().unwrap().abs();
        let lines = run(&graph, "", secs, 60.0);
        let events: Vec<&str> = lines
            .iter()
            .flat_map(|l| &l.events)
            .map(String::as_str)
            .collect();
        assert!(
            (23..=25).contains(&events.len()),
            "{speed}: {}",
            events.len()
        );
        let alternate = events.windows(2).all(|pair| pair[0] != pair[1]);
        assert!(alternate, "{speed}: {events:?}");
    }
}

#[test]
fn a_wrong_key_or_parameter_is_no_harm_and_repeats_of_a_key_are_one() {
    let graph = performer();
    let mut driver = driver(
        &graph,
        "0 press Nothing\n0 set nothing 3\n0.2 press Space\n2.0 press Space",
        60.0,
    );
    let lines: Vec<TraceLine> = (0..500).map(|_| driver.step().trace).collect();
    assert_eq!(
        states(&lines, 0),
        ["IDLE", "JUMP", "IDLE"],
        "held down, it jumps once"
    );
    driver.animator.input(0.0, Input::Release("W".into()));
    driver.step();
}
