//! What happens to a finished pose: reaching, looking, uneven ground, other
//! sources of clips, graphs replaced while they run.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use common::drive::{
    driver, performance, performer, performer_clips, performer_with, world_points,
};
use glam::{Vec3, Vec3A};
use kinetoscope::{
    animator::{self, AnimatorClip, Graph},
    assert_close,
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    codec::spline,
    posing::{PoseAction, PoseError},
    scene::Performance,
    skeleton::{LocalPose, Skeleton},
};

fn joint(graph: &Graph, name: &str) -> usize {
    graph.skeleton.find(name).unwrap().into()
}

/// World position of a joint after so many frames.
fn after(performance: &mut Performance, frames: usize, joint: usize) -> Vec3A {
    (0..frames).for_each(|_| drop(performance.step()));
    performance.character.world_pose().joints()[joint].translation
}

fn act(performance: &mut Performance, words: &str) -> Result<(), PoseError> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let action = PoseAction::parse(&words).unwrap().unwrap();
    performance.character.act(&action)
}

#[test]
fn a_hand_reaches_where_it_is_sent_and_returns() {
    let graph = performer();
    let wrist = joint(&graph, "lwrist");
    let [mut plain, mut sent] = [(); 2].map(|()| performance(&graph, "", 60.0));
    let home = after(&mut plain, 30, wrist);
    after(&mut sent, 30, wrist);
    let target = home + Vec3A::new(0.15, 0.3, 0.25);
    let there = format!("{} {} {}", target.x, target.y, target.z);
    act(&mut sent, &format!("reach left_hand {there}")).unwrap();
    assert!(act(&mut sent, &format!("reach tail {there}")).is_err());
    let soon = after(&mut sent, 4, wrist);
    assert!(
        (soon - home).length() > 0.005 && (soon - target).length() > 0.1,
        "it fades in"
    );
    let there = after(&mut sent, 120, wrist);
    assert_close!(there, target, 1e-4);
    act(&mut sent, "reach lwrist off").unwrap();
    let back = after(&mut sent, 120, wrist);
    let home = after(&mut plain, 4 + 120 + 120, wrist);
    assert_close!(back, home, 1e-5);
}

#[test]
fn the_head_looks_within_its_limits() {
    let graph = performer();
    let head = joint(&graph, "head");
    let look = graph.look.as_ref().unwrap();
    let limit: f32 = look.joints.iter().map(|link| link.most_rad).sum();
    let forward = look.joints.last().unwrap().forward;
    let gaze = |performance: &mut Performance| {
        after(performance, 150, head);
        let head = performance.character.world_pose().joints()[head];
        (head.translation, head.rotation * forward)
    };
    let (_, straight) = gaze(&mut performance(&graph, "", 60.0));
    for target in [
        Vec3::new(1.0, 1.7, 2.0),
        Vec3::new(-1.5, 0.5, 2.0),
        Vec3::new(0.3, 1.6, -5.0),
    ] {
        let script = format!("0 look {} {} {}", target.x, target.y, target.z);
        let (eye, seen) = gaze(&mut performance(&graph, &script, 60.0));
        assert!(seen.is_finite());
        let off = seen.angle_between(Vec3A::from(target) - eye);
        let turned = seen.angle_between(straight);
        assert!(turned <= limit + 1e-3, "{turned} rad");
        if target.z > 0.0 {
            assert!(off < 0.02, "{off} rad off {target}");
        } else {
            assert!(turned > 1.0, "as far as it can: {turned}");
        }
    }
}

#[test]
fn on_a_slope_both_feet_stand_on_the_ground() {
    let graph = performer();
    for script in ["0 ground slope 14", "0 ground slope 14\n0 press W"] {
        let mut performance = performance(&graph, script, 120.0);
        let mut lowest = f32::INFINITY;
        // Ground is felt from the first tick on; before it the pose is the clip's.
        performance.step();
        performance.step();
        for _ in 0..400 {
            performance.step();
            let posing = performance.character.posing();
            for leg in &graph.legs {
                let ball = usize::from(leg.joints.ball);
                let ball = performance.character.world_pose().joints()[ball].position();
                let above = ball.y - posing.rise_m(ball.x, ball.z);
                lowest = lowest.min(above);
                assert!(above < 0.25, "{above}");
            }
        }
        assert_close!(lowest, graph.sole_m, 0.01, "{script:?}");
    }
}

#[test]
fn another_graph_takes_over_without_a_jump_and_a_broken_one_is_refused() {
    let graph = performer();
    let mut driver = driver(&graph, "0 press W\n0 press Shift", 120.0);
    (0..300).for_each(|_| drop(driver.step()));
    assert!(animator::parse("(parameters: {").is_err());
    let slower = animator::DEFAULT_GRAPH.replace("at: 3.5", "at: 3.0");
    let replaced = performer_with(&slower);
    let before = world_points(&graph, &driver.step());
    driver.animator.reload(replaced);
    assert_eq!(driver.animator.states().next(), Some("RUN"));
    let after = world_points(&graph, &driver.step());
    let steps = before.iter().zip(&after).map(|(a, b)| (*a - *b).length());
    let step = steps.fold(0.0, f32::max);
    assert!(step < 0.1, "{step} m in a frame");
}

/// A clip that counts how often it is asked.
#[derive(Debug)]
struct Counted(RawClip, AtomicUsize);

impl SampleClip for Counted {
    fn shape(&self) -> ClipShape {
        self.0.shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        *cursor.of::<usize>() += 1;
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.sample(skeleton, time_secs, cursor, pose);
    }
}

/// The default graph on clips that are made of the performer's.
fn performer_on(clip: impl Fn(&Skeleton, &Arc<RawClip>) -> AnimatorClip) -> Arc<Graph> {
    let (skeleton, clips) = performer_clips();
    let clips = clips.iter();
    let clips = clips.map(|(name, own)| (name.clone(), clip(&skeleton, own.frames())));
    let description = animator::parse(animator::DEFAULT_GRAPH).unwrap();
    Arc::new(animator::build(&description, &skeleton, &clips.collect()).unwrap())
}

#[test]
fn poses_come_from_the_clip_itself_and_loops_close_as_those_of_frames_do() {
    let counted: OnceLock<Arc<Counted>> = OnceLock::new();
    let graph = performer_on(|_, frames| {
        if frames.name != "run" {
            return AnimatorClip::from(Arc::clone(frames));
        }
        let run = || Arc::new(Counted(RawClip::clone(frames), AtomicUsize::new(0)));
        let run = Arc::clone(counted.get_or_init(run));
        AnimatorClip::with_source(Arc::clone(frames), run)
    });
    let prepared = counted.get().unwrap().1.load(Ordering::Relaxed);
    let script = "0 press W\n0 press Shift";
    let mut other = driver(&graph, script, 60.0);
    let mut usual = driver(&performer(), script, 60.0);
    for _ in 0..240 {
        let a = world_points(&graph, &other.step());
        let b = world_points(&graph, &usual.step());
        let off = a.iter().zip(&b).map(|(a, b)| (*a - *b).length());
        let off = off.fold(0.0, f32::max);
        // The loop is closed before or after rotations are interpolated.
        assert!(off < 1e-4, "{off} m");
    }
    let sampled = counted.get().unwrap().1.load(Ordering::Relaxed) - prepared;
    assert!(sampled > 200, "{sampled} samples");
}

/// Walk, run, strike, jump, in ten seconds.
const TOUR: &str = "0.3 press W\n1.5 press Shift\n3.0 click\n5.0 release Shift\n\
    5.5 press Space\n7.0 release W\n8.0 click";

/// How far driven joints are apart at most, metres.
#[derive(Debug, Default)]
struct Apart {
    /// Seen from the character, while states play.
    playing_m: f32,
    /// The same while states fade.
    fading_m: f32,
    /// In the world, at any time.
    world_m: f32,
}

/// Drives a graph and the performer's own by the same script.
fn apart(graph: &Arc<Graph>) -> Apart {
    let [mut one, mut other] = [graph, &performer()].map(|graph| driver(graph, TOUR, 60.0));
    let mut worst = Apart::default();
    for _ in 0..=600 {
        let (a, b) = (one.step(), other.step());
        let fades = b.trace.layers.iter().any(|layer| layer.previous.is_some());
        for (x, y) in a.model.joints().iter().zip(b.model.joints()) {
            let model_m = (x.translation - y.translation).length();
            let [x, y] = [
                a.world_from_model.transform_point(x.translation),
                b.world_from_model.transform_point(y.translation),
            ];
            worst.world_m = worst.world_m.max((x - y).length());
            let worst = match fades {
                true => &mut worst.fading_m,
                false => &mut worst.playing_m,
            };
            *worst = worst.max(model_m);
        }
    }
    worst
}

fn compressed(skeleton: &Skeleton, frames: &RawClip) -> Arc<dyn SampleClip> {
    Arc::new(spline::compress(skeleton, frames, 0.1).unwrap())
}

#[test]
fn compressed_clips_drive_the_character_within_their_tolerance() {
    let prepared_from_frames = performer_on(|skeleton, frames| {
        AnimatorClip::compressed(Arc::clone(frames), compressed(skeleton, frames))
    });
    let prepared_from_itself = performer_on(|skeleton, frames| {
        let source = compressed(skeleton, frames);
        let decoded = RawClip::sampled_from(&frames.name, skeleton, &*source);
        AnimatorClip::compressed(Arc::new(decoded), source)
    });
    let found = apart(&prepared_from_frames);
    eprintln!("{found:?}");
    let within = |metres: f32| (0.0..0.0015).contains(&metres);
    assert!(
        within(found.playing_m) && within(found.fading_m),
        "{found:?}"
    );
    assert!(found.world_m < 0.01, "{found:?}");
    // Foot strikes may be found a frame earlier or later.
    let found = apart(&prepared_from_itself);
    eprintln!("{found:?}");
    assert!(found.playing_m < 0.01 && found.world_m < 0.01, "{found:?}");
}
