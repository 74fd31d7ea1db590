//! What the built-in animator lays over its gaits: leaning, breath, tiredness,
//! noise, gaze, a pointing arm, an added wave, and the guard.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::Arc;

use common::drive::{driver, performer, world_points};
use glam::{Quat, Vec3A};
use kinetoscope::{
    animator::{Driver, Graph, Input, Script, Timed},
    clip::ClipCursor,
    math::quat::swing_twist,
    skeleton::{LocalPose, ModelPose},
    testing::Random,
};

/// Pose and joints in model space at a moment of a script.
fn at(script: &str, secs: f64) -> (LocalPose, Vec<Vec3A>) {
    let mut driver = driver(&performer(), script, 1.0 / secs);
    driver.step();
    let frame = driver.step();
    let joints = frame.model.joints().iter();
    (
        frame.pose.clone(),
        joints.map(|joint| joint.translation).collect(),
    )
}

fn joint(name: &str) -> usize {
    usize::from(performer().skeleton.find(name).unwrap())
}

/// Height of the left shoulder over the right, metres, over a second of strides.
fn shoulder_tilt_m(script: &str) -> f32 {
    let tilt = |tick: u32| {
        let (_, joints) = at(script, 3.0 + f64::from(tick) * 0.05);
        joints[joint("lhumerus")].y - joints[joint("rhumerus")].y
    };
    (0..20).map(tilt).sum::<f32>() / 20.0
}

#[test]
fn gaits_lean_into_turns() {
    let run = "0.1 press Shift\n0.1 press W\n";
    let straight = shoulder_tilt_m(run);
    let left = shoulder_tilt_m(&format!("{run}1 press A"));
    let right = shoulder_tilt_m(&format!("{run}1 press D"));
    let walk = shoulder_tilt_m("0.1 press W\n1 press A");
    eprintln!("left shoulder higher by {straight} {left} {right}, walking {walk} m");
    assert!(left < straight - 0.03 && right > straight + 0.03);
    assert!(walk < straight - 0.01 && walk > left, "a walk leans less");
}

fn state_at(script: &str, secs: f64) -> String {
    let mut driver = driver(&performer(), script, 1.0 / secs);
    driver.step();
    driver.step().trace.layers[0].state.clone()
}

#[test]
fn sideways_has_two_hemispheres() {
    for (keys, state) in [
        ("0 press Q", "STRAFE_LEFT"),
        ("0 press Q\n0 press W", "STRAFE_LEFT"),
        ("0 press Q\n0 press S", "STRAFE_BACK"),
        ("0 press E\n0 press S", "STRAFE_BACK"),
        ("0 press E\n0 press S\n1 release S", "STRAFE_RIGHT"),
        (
            "0 press E\n0 press W\n1 release W\n1 press S",
            "STRAFE_BACK",
        ),
        ("0 press Q\n0 press S\n1 release Q", "BACKWARD"),
        ("0 press Q\n0 press S\n1 release Q\n1 release S", "IDLE"),
    ] {
        assert_eq!(state_at(keys, 2.0), state, "{keys}");
    }
}

/// What an addition moves and what it leaves, standing.
#[test]
fn additions_move_the_upper_body_and_leave_the_feet() {
    let (bare, joints) = at("", 2.0);
    for (script, least_m) in [
        ("0 set breathing 1", 0.001),
        ("0 set tiredness 1", 0.05),
        ("0 press V", 0.3),
        ("0 set aim_x 1", 0.0008),
        ("0 set add_wave 1\n0.5 press F", 0.2),
    ] {
        let (pose, moved) = at(script, 2.0);
        let largest = moved.iter().zip(&joints);
        let largest = largest.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(largest > least_m, "{script}: {largest} m");
        for name in ["root", "lfemur", "lfoot", "rtoes"] {
            let apart = pose.joints()[joint(name)].rotation
                * bare.joints()[joint(name)].rotation.conjugate();
            assert!(apart.xyz().length() < 1e-5, "{script} moves {name}");
        }
    }
    // Standing still nothing wanders; walking it does.
    let (_, still) = at("0 set noise 1", 2.0);
    assert_eq!(still, joints);
    let walk = "0.1 press W\n";
    let bare = at(walk, 3.0).1;
    let noisy = at(&format!("{walk}0 set noise 1"), 3.0).1;
    let apart = bare.iter().zip(&noisy);
    let apart = apart.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart > 0.005, "{apart} m");
}

#[test]
fn arm_and_head_follow_the_pointer() {
    let hand = |script: &str| at(&format!("0 press V\n{script}"), 2.0).1[joint("rhand")];
    let ahead = hand("");
    assert!(ahead.z > 0.4 && (ahead.y - 1.4).abs() < 0.2, "{ahead}");
    assert!(hand("0 set aim_x 1").x > ahead.x + 0.3, "to the left");
    assert!(hand("0 set aim_x -1").x < ahead.x - 0.3, "to the right");
    assert!(hand("0 set aim_y 1").y > ahead.y + 0.2, "up");
    assert!(hand("0 axis PointerDown 1").y < ahead.y - 0.2, "down");
    let nose = |script: &str| {
        let mut driver = driver(&performer(), script, 0.5);
        driver.step();
        driver.step().model.joints()[joint("head")].rotation * Vec3A::Z
    };
    let turned = nose("0 set aim_x 1").x - nose("").x;
    assert!(turned > 0.3, "{turned}");
}

/// The largest bend of the right elbow in a wave on the run.
fn largest_swing_deg(script: &str) -> f32 {
    let graph = performer();
    let arm = joint("rradius");
    let rest = graph.skeleton.rest().joints()[arm].rotation;
    let axis = graph.skeleton.rest().joints()[joint("rwrist")]
        .translation
        .normalize();
    let mut driver = driver(&graph, script, 60.0);
    let swing = |_| {
        let turned = rest.conjugate() * driver.step().pose.joints()[arm].rotation;
        let (swing, _) = swing_twist(turned, axis.into());
        swing.angle_between(Quat::IDENTITY).to_degrees()
    };
    (0..330).map(swing).fold(0.0, f32::max)
}

#[test]
fn the_guard_bends_back_what_adds_up_to_too_much() {
    let run = "0.1 press Shift\n0.1 press W\n1.5 press F\n";
    let masked = largest_swing_deg(run);
    let bare = largest_swing_deg(&format!("{run}0 set add_wave 1\n0 set guard 0"));
    let held = largest_swing_deg(&format!("{run}0 set add_wave 1"));
    eprintln!("bend of the elbow: masked {masked}, added {bare}, guarded {held} degrees");
    assert!(bare > 165.0, "without the guard: {bare}");
    assert!(
        held < 155.5 && masked < 140.0,
        "what an elbow can do, 155 degrees: {held}"
    );
}

/// Every control of the file at random; the pointer wanders.
fn random_script(seed: u64, count: usize) -> Script {
    let mut random = Random::new(seed);
    let keys = [
        "W", "S", "A", "D", "Q", "E", "Shift", "Space", "J", "F", "V",
    ];
    let shares = ["breathing", "tiredness", "noise", "looking"];
    let switches = ["add_wave", "guard"];
    let pointers = ["PointerLeft", "PointerRight", "PointerUp", "PointerDown"];
    let mut held = [0.0f64; 4];
    let mut at_secs = 0.5;
    let timed = (0..count).map(|_| {
        at_secs += random.below(160) as f64 / 1000.0;
        let key = keys[random.below(keys.len())].to_owned();
        let input = match random.below(24) {
            0 => Input::Click("Click".into()),
            1 => Input::Set("speed".into(), random.below(50) as f64 / 10.0),
            2 => Input::Set(
                shares[random.below(4)].into(),
                random.below(11) as f64 / 10.0,
            ),
            3 => Input::Set(switches[random.below(2)].into(), random.below(2) as f64),
            4..=7 => {
                let which = random.below(4);
                let step = random.below(51) as f64 / 100.0 - 0.25;
                held[which] = (held[which] + step).clamp(0.0, 1.0);
                Input::Axis(pointers[which].into(), held[which])
            }
            8..=15 => Input::Press(key),
            _ => Input::Release(key),
        };
        Timed { at_secs, input }
    });
    Script::new(timed.collect())
}

/// A pop is a step that sticks out from the steps before and after it: what it
/// exceeds their mean by, metres. It is half of h³ times the jerk for motion that
/// is smooth over a tick h, half of a step for an impact that stops a point dead,
/// and all of a jump in position, however slowly the point goes otherwise.
#[derive(Default)]
struct PopGauge {
    /// Points of the last ticks, oldest first.
    seen: std::collections::VecDeque<Vec<Vec3A>>,
}

impl PopGauge {
    /// The largest of any point around the tick before the last.
    fn put(&mut self, points: Vec<Vec3A>) -> f32 {
        self.seen.push_back(points);
        if self.seen.len() > 4 {
            self.seen.pop_front();
        }
        let [a, b, c, d] = std::array::from_fn(|tick| self.seen.get(tick));
        let (Some(a), Some(b), Some(c), Some(d)) = (a, b, c, d) else {
            return 0.0;
        };
        let points = 0..a.len();
        let out = points.map(|i| (c[i] - b[i] - 0.5 * (b[i] - a[i] + d[i] - c[i])).length());
        out.fold(0.0, f32::max)
    }
}

/// The largest pop of a performance, and when. `plant` moves points by hand.
fn largest_pop(
    graph: &Arc<Graph>,
    script: &Script,
    mut plant: impl FnMut(usize, &mut Vec<Vec3A>),
) -> (f32, f64) {
    let mut driver = Driver::new(Arc::clone(graph), script, 120.0);
    let mut gauge = PopGauge::default();
    let mut worst = (0f32, 0.0);
    for tick in 0..((script.end_secs() + 3.0) * 120.0) as usize {
        let frame = driver.step();
        let mut points = world_points(graph, &frame);
        let sound = points.iter().all(|p| p.is_finite());
        assert!(sound, "NaN at {}", frame.trace.t);
        plant(tick, &mut points);
        let pop = gauge.put(points);
        if pop > worst.0 {
            worst = (pop, frame.trace.t);
            if pop > 0.008 {
                let layers = frame.trace.layers.iter();
                let layers = layers.map(|it| format!("{}<-{:?}", it.state, it.previous));
                let layers: Vec<_> = layers.collect();
                eprintln!("{:.1} mm at {} {layers:?}", pop * 1e3, frame.trace.t);
            }
        }
    }
    worst
}

/// The largest step that sticks out of a clip as it was made, metres.
fn clip_pop(graph: &Graph, index: usize) -> f32 {
    let clip = &graph.clips[index].source;
    let (mut cursor, mut pose, mut model) = (
        ClipCursor::default(),
        LocalPose::default(),
        ModelPose::default(),
    );
    let mut gauge = PopGauge::default();
    let ticks = (clip.duration_secs() * 120.0) as usize;
    let pops = (0..=ticks).map(|tick| {
        clip.sample(&graph.skeleton, tick as f64 / 120.0, &mut cursor, &mut pose);
        model.compute(&graph.skeleton, &pose);
        let joints = 0..graph.skeleton.len();
        gauge.put(joints.map(|j| model.bone_end(&graph.skeleton, j)).collect())
    });
    pops.fold(0.0, f32::max)
}

/// What a performance may pop by, in pops of clips, which are 16 mm.
const POPS_OF_CLIPS: f32 = 3.0;

#[test]
fn ten_thousand_random_inputs_on_everything_are_without_a_pop() {
    let graph = performer();
    let clips = (0..graph.clips.len()).map(|clip| clip_pop(&graph, clip));
    let clips = clips.fold(0.0, f32::max);
    let bound = POPS_OF_CLIPS * clips;
    let (pop, at) = largest_pop(&graph, &random_script(2026, 10_000), |_, _| {});
    let mm = |metres: f32| metres * 1e3;
    eprintln!(
        "largest pop {:.2} mm at {at} s, of clips {:.2} mm, bound {:.2} mm",
        mm(pop),
        mm(clips),
        mm(bound)
    );
    assert!(pop < bound, "{} of {} mm at {at} s", mm(pop), mm(bound));

    // It would be seen: a hand that jumps by twice the bound, once.
    let script = random_script(2027, 300);
    let hand = usize::from(graph.skeleton.find("rwrist").unwrap());
    let jump = Vec3A::Y * 2.0 * bound;
    let (planted, at) = largest_pop(&graph, &script, |tick, points| {
        if tick >= 1200 {
            points[hand] += jump;
        }
    });
    eprintln!(
        "planted {:.2} mm, seen {:.2} mm at {at} s",
        mm(jump.y),
        mm(planted)
    );
    assert!(planted > bound && (at - 10.0).abs() < 0.05, "at {at} s");

    let cut = Timed {
        at_secs: 0.0,
        input: Input::Set("no_blending".into(), 1.0),
    };
    let inputs = std::iter::once(cut).chain(script.inputs().iter().cloned());
    let (pops, _) = largest_pop(&graph, &Script::new(inputs.collect()), |_, _| {});
    eprintln!("without blending {:.2} mm", mm(pops));
    assert!(
        pops > 3.0 * bound,
        "without blending it pops: {} mm",
        mm(pops)
    );
}
