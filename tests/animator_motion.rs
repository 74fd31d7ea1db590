//! The quality of driven motion: feet that stand, and no pop through any
//! sequence of inputs.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::{
    Random,
    drive::{captured, clip_speed, driver, performer, world_points},
};
use glam::{Vec2, Vec3A};
use kinetoscope::{
    animator::{Driver, Graph, Input, Script, Timed, graph::State},
    assert_close,
    humanoid::LegChain,
};

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

/// Keys, clicks and speeds at random, a tenth of a second apart on average.
fn random_script(seed: u64, count: usize) -> Script {
    let mut random = Random::new(seed);
    let keys = ["W", "S", "A", "D", "Q", "E", "Shift", "Space", "J", "F"];
    let mut at_secs = 0.5;
    let timed = (0..count).map(|_| {
        at_secs += random.below(160) as f64 / 1000.0;
        let key = keys[random.below(keys.len())].to_owned();
        let input = match random.below(20) {
            0 => Input::Click("Click".into()),
            1 => Input::Set("speed".into(), random.below(50) as f64 / 10.0),
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

/// A foot that is sent on a step has a speed of its own, as in a run.
const STEP_M_PER_SEC: f32 = 9.0;

impl Checks {
    fn new(graph: &Graph) -> Self {
        let states = &graph.layers[0].states;
        let speed = |state: &State| {
            let leaves = &state.motion.as_ref().unwrap().leaves;
            let speeds = leaves.iter().map(|leaf| clip_speed(graph, leaf.clip));
            speeds.fold(0.0, f32::max)
        };
        let upper = &graph.layers[1].states;
        let upper = upper.iter().filter_map(|state| state.motion.as_ref());
        let upper = upper.map(|motion| clip_speed(graph, motion.leaves[0].clip));
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
        rotations.for_each(|q| assert_close!(q.length(), 1.0, 1e-4, "at {t}"));
        for layer in 0..graph.layers.len() {
            let sum: f32 = driver
                .animator
                .state_weights(layer)
                .map(|(_, share)| share)
                .sum();
            assert_close!(sum, 1.0, 1e-5, "weights add up to {sum} at {t}");
        }
        for (state, share) in driver.animator.state_weights(0) {
            self.heard[state] = if share > 0.0 { t } else { self.heard[state] };
            self.seen[state] = true;
        }
        if let Some(before) = &self.before {
            let playing = self.fastest.iter().zip(&self.heard);
            let playing = playing.filter(|(_, heard)| t - **heard < LONGEST_FADE_SECS);
            let fastest = playing.map(|(speed, _)| *speed).fold(0.0, f32::max);
            let steps = (0..graph.legs.len()).any(|leg| driver.animator.is_foot_stepping(leg));
            let fastest = fastest.max(if steps { STEP_M_PER_SEC } else { 0.0 });
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
