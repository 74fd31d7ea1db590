//! The animator from outside: driven by scripts, on the built-in performer and
//! on real captures.

mod common;

use std::sync::Arc;

use common::drive::{Dice, captured, driver, performer, performer_with, world_points};
use glam::{Vec2, Vec3A};
use kinetoscope::{
    animator::{Animator, Driver, Graph, Input, Script, Timed, TraceLine, graph::LegChain},
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
    assert_eq!(upper, 3);
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
            assert!(
                (a.translation - b.translation).length() < 1e-5,
                "frame {frame}"
            );
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

/// How far the ball of each foot strays while it stands: from the lock's own
/// account of stance, and by height alone.
fn worst_slide_m(graph: &Arc<Graph>, script: &str) -> f32 {
    let mut driver = driver(graph, script, 120.0);
    let mut paths: Vec<Vec<(Vec3A, bool)>> = vec![Vec::new(); graph.legs.len()];
    for frame in 0..1500 {
        let (points, locked): (Vec<Vec3A>, Vec<bool>) = balls(graph, &mut driver);
        if frame >= 300 {
            let both = points.into_iter().zip(locked);
            paths
                .iter_mut()
                .zip(both)
                .for_each(|(path, both)| path.push(both));
        }
    }
    let mut worst: f32 = 0.0;
    for path in &paths {
        let (by_lock, steps) = stray(path, |(_, locked)| *locked);
        assert!(steps >= 3, "{steps} steps");
        let low = path.iter().map(|(p, _)| p.y).fold(f32::INFINITY, f32::min);
        let (by_height, _) = stray(path, |(p, _)| p.y < low + 0.015);
        worst = worst.max(by_lock).max(by_height);
    }
    worst
}

fn balls(graph: &Graph, driver: &mut Driver) -> (Vec<Vec3A>, Vec<bool>) {
    let step = driver.step();
    let ball = |leg: &LegChain| {
        let joint = step.model.joints()[usize::from(leg.joints.ball)];
        step.world_from_model.transform_point(joint.translation)
    };
    let points = graph.legs.iter().map(ball).collect();
    let locked = (0..graph.legs.len()).map(|leg| driver.animator.is_foot_locked(leg));
    (points, locked.collect())
}

/// The farthest from its first place in any whole run of frames for which
/// `stands` holds, and how many such runs there are.
fn stray(path: &[(Vec3A, bool)], stands: impl Fn(&(Vec3A, bool)) -> bool) -> (f32, usize) {
    let flat = |p: Vec3A| Vec2::new(p.x, p.z);
    let (mut worst, mut steps, mut frame) = (0.0f32, 0, 0);
    while frame < path.len() {
        let run = path[frame..].iter().take_while(|p| stands(p)).count();
        if run > 3 && frame > 0 && frame + run < path.len() {
            let first = flat(path[frame].0);
            let inside = path[frame..frame + run].iter();
            worst = inside.fold(worst, |worst, p| worst.max((flat(p.0) - first).length()));
            steps += 1;
        }
        frame += run.max(1);
    }
    (worst, steps)
}

#[test]
fn standing_feet_stay_within_two_centimetres_from_walk_to_run() {
    let graph = performer();
    for speed in [1.4, 1.75, 2.1, 2.45, 2.8, 3.15, 3.5] {
        let slide = worst_slide_m(&graph, &format!("0 set speed {speed}\n0.2 press W"));
        eprintln!("{:.1} mm at {speed} m/s", slide * 1000.0);
        assert!(slide < 0.02, "{slide} m at {speed} m/s");
    }
}

#[test]
fn standing_feet_of_real_captures_stay_within_three_centimetres() {
    let Some(graph) = captured() else { return };
    for keys in ["0.2 press W", "0 press Shift\n0.2 press W"] {
        let slide = worst_slide_m(&graph, keys);
        eprintln!("captures: {:.1} mm with {keys:?}", slide * 1000.0);
        assert!(slide < 0.03, "{slide} m with {keys:?}");
    }
}

#[test]
fn the_character_travels_as_its_clips_do_and_turns_as_it_is_steered() {
    let graph = performer();
    let lines = run(&graph, "0 press W", 6.0, 60.0);
    let speed = (lines[360].root[2] - lines[240].root[2]) / 2.0;
    assert!((speed - 1.4).abs() < 0.01, "{speed} m/s");
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

/// Keys, clicks and speeds at random, a tenth of a second apart on average.
fn random_script(seed: u64, count: usize) -> Script {
    let mut dice = Dice(seed);
    let keys = ["W", "S", "A", "D", "Q", "E", "Shift", "Space", "J", "F"];
    let mut at_secs = 0.5;
    let timed = (0..count).map(|_| {
        at_secs += dice.roll(160) as f64 / 1000.0;
        let key = keys[dice.roll(keys.len() as u64) as usize].to_owned();
        let input = match dice.roll(20) {
            0 => Input::Click("Click".into()),
            1 => Input::Set("speed".into(), dice.roll(50) as f64 / 10.0),
            2..=10 => Input::Press(key),
            _ => Input::Release(key),
        };
        Timed { at_secs, input }
    });
    Script::new(timed.collect())
}

#[test]
fn ten_thousand_random_inputs_never_break_the_pose() {
    for (graph, seed) in [
        (Some(performer()), 2024),
        (Some(performer()), 7),
        (captured(), 11),
    ] {
        let Some(graph) = graph else { continue };
        let script = random_script(seed, 10_000);
        let mut checks = Checks::new(&graph);
        let mut driver = Driver::new(Arc::clone(&graph), &script, 120.0);
        for _ in 0..((script.end_secs() + 3.0) * 120.0) as usize {
            checks.step(&graph, &mut driver);
        }
        let seen = &checks.seen;
        assert!(
            seen.iter().all(|&seen| seen),
            "every state was seen: {seen:?}"
        );
        eprintln!(
            "largest step: {:.2} of the fastest playing clip",
            checks.worst
        );
    }
}

/// What must hold in every frame.
struct Checks {
    /// Fastest joint end of each state of the first layer, m/s.
    fastest: Vec<f32>,
    /// The same for clips of the upper layer.
    upper: f32,
    before: Option<Vec<Vec3A>>,
    seen: Vec<bool>,
    /// States that still show through, with the time they last sounded.
    heard: Vec<f64>,
    worst: f32,
}

/// No fade of the default graph lasts longer.
const LONGEST_FADE_SECS: f64 = 0.6;

impl Checks {
    fn new(graph: &Graph) -> Self {
        let states = &graph.layers[0].states;
        let speed = |state: &kinetoscope::animator::graph::State| {
            let clips = &state.motion.as_ref().unwrap().clips;
            let speeds = clips.iter().map(|&(take, _)| clip_speed(graph, take));
            speeds.fold(0.0, f32::max)
        };
        let upper = &graph.layers[1].states;
        let upper = upper.iter().filter_map(|state| state.motion.as_ref());
        let upper = upper.map(|motion| clip_speed(graph, motion.clips[0].0));
        Self {
            fastest: states.iter().map(speed).collect(),
            upper: upper.fold(0.0, f32::max),
            before: None,
            seen: vec![false; states.len()],
            heard: vec![f64::NEG_INFINITY; states.len()],
            worst: 0.0,
        }
    }

    fn step(&mut self, graph: &Graph, driver: &mut Driver) {
        let frame = driver.step();
        let points = world_points(graph, &frame);
        let (t, waving) = (frame.trace.t, frame.trace.layers[1].weight > 0.0);
        assert!(points.iter().all(|p| p.is_finite()), "NaN at {t}");
        let rotations = frame.pose.joints().iter().map(|j| j.rotation);
        rotations.for_each(|q| assert!((q.length() - 1.0).abs() < 1e-4, "at {t}"));
        for layer in 0..graph.layers.len() {
            let sum: f32 = driver.animator.shares(layer).map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-5, "weights add up to {sum} at {t}");
        }
        for (state, share) in driver.animator.shares(0) {
            self.heard[state] = if share > 0.0 { t } else { self.heard[state] };
            self.seen[state] = true;
        }
        if let Some(before) = &self.before {
            let playing = self.fastest.iter().zip(&self.heard);
            let playing = playing.filter(|(_, heard)| t - **heard < LONGEST_FADE_SECS);
            let fastest = playing.map(|(speed, _)| *speed).fold(0.0, f32::max);
            let fastest = if waving {
                fastest.max(self.upper)
            } else {
                fastest
            };
            let steps = points
                .iter()
                .zip(before)
                .map(|(a, b)| (*a - *b).length() * 120.0);
            let (joint, speed) =
                steps.enumerate().fold(
                    (0, 0.0),
                    |best, next| if next.1 > best.1 { next } else { best },
                );
            self.worst = self.worst.max(speed / fastest);
            let states: Vec<&str> = driver.animator.states().collect();
            assert!(
                speed < 1.5 * fastest,
                "point {joint} moves at {speed} m/s at {t} s in {states:?}; clips at {fastest}"
            );
        }
        self.before = Some(points);
    }
}

/// The fastest bone end of a clip as captured, m/s.
fn clip_speed(graph: &Graph, take: usize) -> f32 {
    let clip = &graph.takes[take].clip;
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let ends = |frame: usize, pose: &mut LocalPose, model: &mut ModelPose| -> Vec<Vec3A> {
        clip.frame_pose(&graph.skeleton, frame, pose);
        model.compute(&graph.skeleton, pose);
        (0..graph.skeleton.len())
            .map(|j| model.bone_end(&graph.skeleton, j))
            .collect()
    };
    let mut before = ends(0, &mut pose, &mut model);
    let mut fastest: f32 = 0.0;
    for frame in 1..clip.frames() {
        let now = ends(frame, &mut pose, &mut model);
        let steps = now.iter().zip(&before).map(|(a, b)| (*a - *b).length());
        fastest = steps.fold(fastest, f32::max);
        before = now;
    }
    fastest * clip.fps as f32
}
