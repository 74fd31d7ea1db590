//! How the driven performer answers: seconds from a key to what it asks for,
//! measured on traces and poses at 120 updates a second.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::drive::{captured, clip_speed, driver, performer, performer_clips, world_points};
use glam::{Vec2, Vec3A};
use kinetoscope::{animator::Graph, clip::RawClip};

const FPS: f64 = 120.0;
/// The run of the performer, m/s.
const RUN: f32 = 3.5;

/// One update.
struct Moment {
    t: f64,
    state: String,
    root: Vec2,
    heading: f32,
    points: Vec<Vec3A>,
    /// Balls of the feet over the ground, and whether the lock holds them.
    balls: Vec<(Vec2, bool)>,
}

impl Moment {
    /// No point of the body is near the ground.
    fn is_airborne(&self) -> bool {
        self.points.iter().all(|point| point.y > 0.035)
    }
}

fn drive(graph: &Arc<Graph>, script: &str, secs: f64) -> Vec<Moment> {
    let mut driver = driver(graph, script, FPS);
    let moment = |_| {
        let step = driver.step();
        let points = world_points(graph, &step);
        let flat = |p: Vec3A| Vec2::new(p.x, p.z);
        let balls = graph.legs.iter().map(|leg| {
            let joint = step.model.joints()[usize::from(leg.joints.ball)];
            flat(step.world_from_model.transform_point(joint.translation))
        });
        let balls: Vec<Vec2> = balls.collect();
        let root = Vec2::new(step.trace.root[0], step.trace.root[2]);
        let (t, state) = (step.trace.t, step.trace.layers[0].state.clone());
        let heading = step.trace.heading as f32;
        let locked = (0..balls.len()).map(|leg| driver.animator.is_foot_locked(leg));
        let balls = balls.iter().copied().zip(locked).collect();
        Moment {
            t,
            state,
            root,
            heading,
            points,
            balls,
        }
    };
    (0..(secs * FPS) as usize).map(moment).collect()
}

/// Metres a second over the ground from one update to the next.
fn speeds(moments: &[Moment]) -> Vec<(f64, f32)> {
    let speed = |pair: &[Moment]| {
        (
            pair[1].t,
            (pair[1].root - pair[0].root).length() * FPS as f32,
        )
    };
    moments.windows(2).map(speed).collect()
}

/// The first flight of at least 0.3 s after `from_secs`: take-off and landing.
fn flight(moments: &[Moment], from_secs: f64) -> Option<(f64, f64)> {
    let mut frame = moments.iter().position(|m| m.t >= from_secs)?;
    while frame < moments.len() {
        let flight = moments[frame..]
            .iter()
            .take_while(|m| m.is_airborne())
            .count();
        if flight as f64 >= 0.3 * FPS {
            return Some((moments[frame].t, moments[frame + flight].t));
        }
        frame += flight.max(1);
    }
    None
}

/// The furthest that a locked ball strays from where it was locked.
fn worst_slide_m(moments: &[Moment]) -> f32 {
    let mut worst: f32 = 0.0;
    for leg in 0..2 {
        let mut first = None;
        for m in moments {
            let (ball, locked) = m.balls[leg];
            let start = *first.get_or_insert(ball);
            let slid = if locked { ball.distance(start) } else { 0.0 };
            worst = worst.max(slid);
            first = first.filter(|_| locked);
        }
    }
    worst
}

/// The fastest that any joint or bone end moves, m/s.
fn fastest(moments: &[Moment]) -> f32 {
    let step = |pair: &[Moment]| {
        let points = pair[1].points.iter().zip(&pair[0].points);
        let longest = points.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        longest * FPS as f32
    };
    moments.windows(2).map(step).fold(0.0, f32::max)
}

const RUNNING: &str = "0 press Shift\n0.2 press W";

#[test]
fn a_running_jump_takes_off_at_once_keeps_its_speed_and_lands_running() {
    let graph = performer();
    let gaits = graph.clips.iter().enumerate();
    let gaits = gaits.filter(|(_, clip)| clip.name == "run" || clip.name.starts_with("leap"));
    let clips = gaits
        .map(|(index, _)| clip_speed(&graph, index))
        .fold(0.0, f32::max);
    let (mut latest, mut slowest, mut control, mut slide, mut pop) =
        (0.0f64, RUN, 0.0f64, 0.0f32, 0.0f32);
    // Through a whole stride of 0.7 s, so that the key meets every phase.
    for moment in 0..42 {
        let key_secs = 2.0 + f64::from(moment) / 60.0;
        let script = format!(
            "{RUNNING}\n{key_secs} press Space\n{} release Space",
            key_secs + 0.1
        );
        let moments = drive(&graph, &script, key_secs + 2.0);
        let (take_off, landing) = flight(&moments, key_secs).unwrap();
        let after: Vec<Moment> = moments.into_iter().skip_while(|m| m.t < key_secs).collect();
        let leapt = |m: &Moment| m.state.starts_with("LEAP");
        let back = after.iter().rev().find(|m| leapt(m)).unwrap().t;
        latest = latest.max(take_off - key_secs);
        slowest = speeds(&after)
            .into_iter()
            .map(|(_, speed)| speed)
            .fold(slowest, f32::min);
        control = control.max(back - landing);
        slide = slide.max(worst_slide_m(&after));
        pop = pop.max(fastest(&after) / clips);
    }
    eprintln!(
        "take-off within {latest:.3} s, {slowest:.2} m/s at least, control {control:.3} s after landing"
    );
    eprintln!(
        "slide {:.1} mm, fastest point {pop:.2} of the clips'",
        slide * 1000.0
    );
    assert!(latest < 0.34, "{latest} s to take-off");
    assert!(slowest >= 0.85 * RUN, "{slowest} m/s");
    assert!(control <= 0.05, "{control} s without control after landing");
    assert!(slide < 0.02, "{slide} m of slide");
    assert!(pop < 1.25, "{pop} of the clips' fastest point");
}

#[test]
fn what_is_held_at_the_landing_decides_what_follows() {
    let graph = performer();
    let states = |more: &str| {
        let script = format!("{RUNNING}\n2 press Space\n{more}");
        let mut states: Vec<String> = drive(&graph, &script, 4.5)
            .into_iter()
            .map(|m| m.state)
            .collect();
        states.dedup();
        states.retain(|state| state != "IDLE" && !state.starts_with("LEAP"));
        states
    };
    assert_eq!(states(""), ["RUN", "RUN"]);
    let stopped = drive(
        &graph,
        &format!("{RUNNING}\n2 press Space\n2.4 release W"),
        4.5,
    );
    let (_, landing) = flight(&stopped, 2.0).unwrap();
    let idle = stopped
        .iter()
        .find(|m| m.t > 2.4 && m.state == "IDLE")
        .unwrap()
        .t;
    eprintln!(
        "keys let go in the air: IDLE {:.3} s after landing",
        idle - landing
    );
    assert!(idle - landing < 0.06, "{idle} {landing}");
    assert_eq!(states("2.4 release Shift"), ["RUN", "RUN", "FORWARD"]);
    // A second jump asked for in the air comes off the landing foot.
    let twice = drive(
        &graph,
        &format!("{RUNNING}\n2 press Space\n2.1 release Space\n2.6 press Space"),
        5.0,
    );
    let (_, first) = flight(&twice, 2.0).unwrap();
    let (second, _) = flight(&twice, first).unwrap();
    assert!(second - first < 0.35, "{second} {first}");
}

#[test]
fn the_standing_jump_stays_and_captures_without_a_leap_still_jump_from_a_run() {
    let standing = drive(&performer(), "0.5 press Space", 3.0);
    assert!(standing.iter().all(|m| !m.state.starts_with("LEAP")));
    assert!(standing.iter().any(|m| m.state == "JUMP"));
    let Some(graph) = captured() else { return };
    let jumped = drive(&graph, &format!("{RUNNING}\n2 press Space"), 3.0);
    assert!(jumped.iter().any(|m| m.state == "JUMP"));
}

/// Seconds from a key until the speed over the ground has passed `share` of the
/// way from its value then to `to`.
fn answer_secs(moments: &[Moment], key_secs: f64, to: f32, share: f32) -> f64 {
    let speeds = speeds(moments);
    let from = speeds.iter().find(|(t, _)| *t >= key_secs).unwrap().1;
    let passed = |speed: f32| (speed - from) / (to - from) >= share;
    let later = speeds
        .iter()
        .find(|(t, speed)| *t > key_secs && passed(*speed));
    later.unwrap().0 - key_secs
}

#[test]
fn starts_stops_and_turns_answer_at_once() {
    let graph = performer();
    let cases = [
        ("start walking", "1 press W", 1.0, 1.4, 0.4),
        ("start running", "0 press Shift\n1 press W", 1.0, 3.5, 0.45),
        ("stop walking", "0 press W\n2 release W", 2.0, 0.0, 0.5),
        (
            "stop running",
            "0 press Shift\n0 press W\n2 release W",
            2.0,
            0.0,
            0.5,
        ),
    ];
    for (what, script, key_secs, to, most_secs) in cases {
        let moments = drive(&graph, script, key_secs + 2.0);
        let secs = answer_secs(&moments, key_secs, to, 0.9);
        eprintln!("{what}: {secs:.3} s to nine tenths of the speed");
        assert!(secs <= most_secs, "{what}: {secs} s");
    }
    for (what, held) in [
        ("on the spot", "0.9 release W"),
        ("walking", "0 press W"),
        ("running", "0 press Shift\n0 press W"),
    ] {
        let moments = drive(&graph, &format!("{held}\n1.5 press A"), 3.0);
        let at = |secs: f64| moments.iter().find(|m| m.t >= secs).unwrap().heading;
        let turned = moments
            .iter()
            .find(|m| m.heading - at(1.5) > 10f32.to_radians())
            .unwrap()
            .t
            - 1.5;
        let rate = (at(2.5) - at(2.0)).to_degrees() / 0.5;
        eprintln!("turn {what}: 10° after {turned:.3} s, then {rate:.0}°/s");
        assert!(turned <= 0.5, "{what}: {turned} s");
    }
}

#[test]
fn a_gait_on_the_spot_goes_as_fast_as_its_feet_run_back() {
    let (skeleton, clips) = performer_clips();
    for (name, speed) in [("forward", 1.4), ("run", 3.5), ("backward", -1.0)] {
        let mut clip = RawClip::clone(clips[name].frames());
        let fps = clip.fps as f32;
        for (frame, place) in clip.root_translations.iter_mut().enumerate() {
            place.z -= speed * frame as f32 / fps;
        }
        let moved = clip.off_treadmill(&skeleton).unwrap();
        let way = moved.root_translations.last().unwrap().z - moved.root_translations[0].z;
        let found = way / (moved.frames() - 1) as f32 * fps;
        eprintln!("{name} on the spot: {found:.2} for {speed} m/s");
        assert!((found / speed - 1.0).abs() < 0.12, "{name}: {found}");
    }
    for name in ["idle", "attack", "wave", "jump"] {
        let moved = clips[name].frames().off_treadmill(&skeleton);
        assert!(moved.is_none(), "{name} stays");
    }
}
