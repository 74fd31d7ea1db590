//! How the driven performer sets off and comes to a stop: feet that carry it, knees
//! little higher than the gait lifts them, and no hesitation.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use common::drive::{driver, performer, world_points};
use glam::Vec3A;

const FPS: f64 = 120.0;
/// Less than this above its height in standing a ball is on the ground, metres.
const LIFTED_M: f32 = 0.02;

/// One update.
struct Moment {
    t: f64,
    /// No point of the body is near the ground.
    airborne: bool,
    balls: [Vec3A; 2],
    /// Of the higher knee, metres.
    knee_m: f32,
}

fn drive(script: &str, secs: f64) -> Vec<Moment> {
    let graph = performer();
    let mut driver = driver(&graph, script, FPS);
    let moment = |_| {
        let step = driver.step();
        let points = world_points(&graph, &step);
        let at = |joint: u16| {
            let joint = step.model.joints()[usize::from(joint)].translation;
            step.world_from_model.transform_point(joint)
        };
        let legs = [0, 1].map(|leg: usize| graph.legs[leg].joints);
        let [left, right] = legs.map(|leg| at(leg.knee).y);
        Moment {
            t: step.trace.t,
            airborne: points.iter().all(|point| point.y > 0.035),
            balls: legs.map(|leg| at(leg.ball)),
            knee_m: left.max(right),
        }
    };
    (0..(secs * FPS) as usize).map(moment).collect()
}

fn longest_flight_secs(moments: &[Moment]) -> f64 {
    let flights = moments.split(|m| !m.airborne);
    flights.map(<[_]>::len).max().unwrap_or(0) as f64 / FPS
}

fn highest_knee_m(moments: &[Moment]) -> f32 {
    moments.iter().map(|m| m.knee_m).fold(0.0, f32::max)
}

/// Keys that are held in each gait.
const GAITS: [(&str, &[&str]); 5] = [
    ("walk", &["W"]),
    ("run", &["Shift", "W"]),
    ("backward", &["S"]),
    ("left", &["Q"]),
    ("right", &["E"]),
];

fn script(verb: &str, keys: &[&str], at_secs: f64) -> String {
    let lines = keys.iter().map(|key| format!("{at_secs} {verb} {key}\n"));
    lines.collect()
}

/// At 21 moments of a stride: no stop is a jump. A run's own flights take 0.125 s.
#[test]
fn whoever_stops_keeps_a_foot_on_the_ground() {
    for (gait, keys) in GAITS {
        let flights = (0..21).map(|moment| {
            let key_secs = 2.0 + f64::from(moment) / 20.0;
            let keys = script("press", keys, 0.0) + &script("release", keys, key_secs);
            let moments = drive(&keys, key_secs + 1.6);
            longest_flight_secs(&moments[(key_secs * FPS) as usize..])
        });
        let longest = flights.fold(0.0, f64::max);
        eprintln!("stop of {gait}: off the ground for {longest:.3} s");
        assert!(longest <= 0.15, "{gait}: {longest} s");
    }
}

/// One foot goes, the other carries until it is down.
#[test]
fn setting_off_is_a_step_and_no_march() {
    let standing = drive("", 0.5).pop().unwrap();
    for (gait, keys) in GAITS {
        let held = drive(&script("press", keys, 1.0), 4.0);
        let (start, steady) = (&held[120..240], &held[300..]);
        let lifts =
            |leg: usize| move |m: &&Moment| m.balls[leg].y > standing.balls[leg].y + LIFTED_M;
        let first = [0, 1].map(|leg| {
            start
                .iter()
                .find(lifts(leg))
                .map_or(f64::MAX, |m| m.t - 1.0)
        });
        let goes = usize::from(first[1] < first[0]);
        let lands = |m: &&Moment| m.t - 1.0 > first[goes] + 0.05 && !lifts(goes)(m);
        let lands_secs = start.iter().find(lands).unwrap().t - 1.0;
        let knees_m = [start, steady].map(highest_knee_m);
        let flight_secs = longest_flight_secs(start);
        eprintln!(
            "start of {gait}: lifts a foot after {:.3} s, the other after {:.3} s, lands after \
             {lands_secs:.3} s, flight {flight_secs:.3} s, knee {:.1} cm over the gait's",
            first[goes],
            first[1 - goes],
            (knees_m[0] - knees_m[1]) * 100.0
        );
        let runs = gait == "run";
        assert!(first[goes] <= 0.1, "{gait}");
        assert!(lands_secs <= 0.55, "{gait}: {lands_secs}");
        let (most_secs, most_m) = if runs { (0.22, 0.14) } else { (0.0, 0.04) };
        assert!(flight_secs <= most_secs, "{gait}: {flight_secs}");
        assert!(knees_m[0] - knees_m[1] <= most_m, "{gait}: {knees_m:?}");
        // To the side the foot of that side goes first.
        let side = ["left", "right"].iter().position(|it| *it == gait);
        assert!(side.is_none_or(|side| side == goes), "{gait}");
    }
}
