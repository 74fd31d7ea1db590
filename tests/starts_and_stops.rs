//! How the driven performer sets off and comes to a stop: feet that carry it, knees
//! no higher than the gait itself lifts them, and no hesitation.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::drive::{driver, performer, world_points};
use glam::{Vec2, Vec3A};
use kinetoscope::animator::Graph;

const FPS: f64 = 120.0;

/// One update.
struct Moment {
    t: f64,
    root: Vec2,
    airborne: bool,
    balls: [Vec3A; 2],
    knees: [f32; 2],
    hips: f32,
    state: String,
}

fn drive(graph: &Arc<Graph>, script: &str, secs: f64) -> Vec<Moment> {
    let mut driver = driver(graph, script, FPS);
    let moment = |_| {
        let step = driver.step();
        let points = world_points(graph, &step);
        let at = |joint: u16| {
            let joint = step.model.joints()[usize::from(joint)].translation;
            step.world_from_model.transform_point(joint)
        };
        let legs = [0, 1].map(|leg: usize| graph.legs[leg].joints);
        Moment {
            t: step.trace.t,
            root: Vec2::new(step.trace.root[0], step.trace.root[2]),
            airborne: points.iter().all(|point| point.y > 0.035),
            balls: legs.map(|leg| at(leg.ball)),
            knees: legs.map(|leg| at(leg.knee).y),
            hips: at(legs[0].hip).y,
            state: step.trace.layers[0].state.clone(),
        }
    };
    (0..(secs * FPS) as usize).map(moment).collect()
}

fn longest_flight(moments: &[Moment]) -> f64 {
    let (mut longest, mut now) = (0, 0);
    for m in moments {
        now = if m.airborne { now + 1 } else { 0 };
        longest = longest.max(now);
    }
    longest as f64 / FPS
}

fn answer(moments: &[Moment], key: f64, to: f32) -> f64 {
    let speed = |pair: &[Moment]| (pair[1].t, (pair[1].root - pair[0].root).length() * FPS as f32);
    let speeds: Vec<_> = moments.windows(2).map(speed).collect();
    let from = speeds.iter().find(|(t, _)| *t >= key).unwrap().1;
    let found = speeds
        .iter()
        .find(|(t, v)| *t > key && (v - from) / (to - from) >= 0.9);
    found.map_or(9.0, |it| it.0 - key)
}

#[test]
#[ignore]
fn explore() {
    let graph = performer();
    let idle = drive(&graph, "", 1.0);
    let standing = idle.last().unwrap();
    let knee0 = standing.knees[0];
    let ball0 = standing.balls[0].y;
    for (what, held) in [
        ("walk", "0 press W"),
        ("run", "0 press W\n0 press Shift"),
        ("back", "0 press S"),
        ("left", "0 press Q"),
        ("right", "0 press E"),
    ] {
        let steady = drive(&graph, held, 5.0);
        let steady = &steady[360..];
        let knee = steady.iter().flat_map(|m| m.knees).fold(0.0, f32::max) - knee0;
        let ball = steady.iter().flat_map(|m| m.balls.map(|b| b.y)).fold(0.0, f32::max) - ball0;
        let to = match what { "walk" => 1.4, "run" => 3.5, _ => (steady[120].root - steady[0].root).length() };
        eprintln!("{what}: steady flight {:.3}, knee +{:.3}, ball +{:.3}, speed {to:.2}", longest_flight(steady), knee, ball);
        // start
        let key = held.replace("0 press W", "1 press W").replace("0 press S\n", "1 press S\n").replace("0 press Q", "1 press Q").replace("0 press E", "1 press E");
        let key = if what == "back" { "1 press S".to_owned() } else { key };
        let m = drive(&graph, &key, 3.0);
        let after: Vec<&Moment> = m.iter().filter(|m| m.t >= 1.0 && m.t < 2.0).collect();
        let knee = after.iter().flat_map(|m| m.knees).fold(0.0, f32::max) - knee0;
        let ball = after.iter().flat_map(|m| m.balls.map(|b| b.y)).fold(0.0, f32::max) - ball0;
        let lift = [0, 1].map(|leg: usize| after.iter().find(|m| m.balls[leg].y > ball0 + 0.02).map_or(9.0, |m| m.t - 1.0));
        let strike = [0, 1].map(|leg: usize| after.iter().find(|m| m.t - 1.0 > lift[leg] + 0.05 && m.balls[leg].y < ball0 + 0.01).map_or(9.0, |m| m.t - 1.0));
        eprintln!("  start: 90% {:.3} s, flight {:.3}, knee +{knee:.3}, ball +{ball:.3}, lifts {lift:.3?}, strikes {strike:.3?}", answer(&m, 1.0, to), longest_flight(&m[110..240]));
        // stop
        let mut worst = (0.0, 0.0);
        let mut told = String::new();
        for k in 0..14 {
            let t = 2.0 + f64::from(k) * 0.05;
            let mut script = held.to_owned();
            for key in ["W", "S", "Q", "E"] {
                if held.contains(&format!("press {key}")) && !(key == "S" && what == "run") {
                    script += &format!("\n{t} release {key}");
                }
            }
            let m = drive(&graph, &script, t + 1.6);
            let after: Vec<&Moment> = m.iter().filter(|m| m.t >= t).collect();
            let from = m.iter().position(|m| m.t >= t).unwrap();
            let flight = longest_flight(&m[from..]);
            let answer = answer(&m, t, 0.0);
            let idle = after.iter().find(|m| m.state == "IDLE").map_or(9.0, |m| m.t - t);
            let way = (after.last().unwrap().root - after[0].root).length();
            let done = after.iter().rev().find(|m| (0..2).any(|l| m.balls[l].y > ball0 + 0.01)).map_or(0.0, |m| m.t - t);
            let low = after.iter().map(|m| m.hips).fold(9.0, f32::min) - standing.hips;
            told += &format!("\n    {k}: flight {flight:.3} 90% {answer:.3} idle {idle:.3} way {way:.2} feet down {done:.2} hips {low:+.3}");
            worst = (f64::max(worst.0, flight), f64::max(worst.1, answer));
        }
        eprintln!("  stop: worst flight {:.3}, 90% {:.3}{told}", worst.0, worst.1);
    }
}
