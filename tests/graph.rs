//! Graphs of captures: walks without pops, along paths, and the whole corpus.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::sync::{Arc, Mutex};

use glam::{DVec2, Vec3A};
use kinetoscope::{
    clip::{ClipCursor, RawClip, SampleClip},
    load::{LoadOptions, load},
    register::{MotionGraph, RegisterError, Walk, for_paths},
    retarget::{JointMap, retarget},
    skeleton::{LocalPose, ModelPose, Skeleton},
    testing::corpus,
};

/// Motions of the corpus' list whose path holds a word, on the skeleton of the first.
fn library(word: &str) -> Option<(Arc<Skeleton>, Vec<Arc<RawClip>>)> {
    let corpus = corpus()?;
    let listed = common::manifest(&corpus);
    let mut first: Option<Arc<Skeleton>> = None;
    let mut clips: Vec<Arc<RawClip>> = Vec::new();
    for motion in listed
        .iter()
        .filter(|it| it.frames.is_some_and(|it| it > 0))
    {
        let Some(asf) = motion.asf.as_ref().filter(|_| motion.path.contains(word)) else {
            continue;
        };
        let files = [corpus.join(asf), corpus.join(&motion.path)];
        let loaded = load(&files, LoadOptions::default()).into_iter();
        let loaded = loaded.filter_map(|(_, outcome)| outcome.ok()?.into_motion());
        for loaded in loaded {
            let own = Arc::new(loaded.skeleton().clone());
            let target = Arc::clone(first.get_or_insert_with(|| Arc::clone(&own)));
            let map = JointMap::between(&own, &target);
            match own == target {
                true => clips.push(Arc::clone(loaded.raw())),
                false => clips.extend(retarget(&own, loaded.raw(), &target, &map).map(Arc::new)),
            }
        }
    }
    Some((first?, clips))
}

fn places(skeleton: &Skeleton, clip: &dyn SampleClip) -> Vec<Vec<Vec3A>> {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut model = ModelPose::default();
    let frame = |frame: usize| {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        model.compute(skeleton, &pose);
        model
            .joints()
            .iter()
            .map(|joint| joint.translation)
            .collect()
    };
    (0..clip.frames()).map(frame).collect()
}

/// Speeds and accelerations of all joints within 0.25 s of a moment, ascending.
fn liveliness(frames: &[Vec<Vec3A>], secs: f64, fps: f64) -> [Vec<f32>; 2] {
    let frame = |secs: f64| ((secs * fps).max(0.0) as usize).min(frames.len());
    let near = &frames[frame(secs - 0.25)..frame(secs + 0.25)];
    let (mut speeds, mut bends) = (Vec::new(), Vec::new());
    for window in near.windows(3) {
        let joints = window[0].iter().zip(&window[1]).zip(&window[2]);
        for ((&a, &b), &c) in joints {
            speeds.push((b - a).length());
            bends.push((c - 2.0 * b + a).length());
        }
    }
    [speeds, bends].map(|mut values| {
        values.sort_by(f32::total_cmp);
        values
    })
}

/// How much a walk asks of its changes.
#[derive(Debug, Default)]
struct WorstChange {
    /// Speeds and accelerations of joints, in parts of what 99.9 % of the two
    /// motions' are there.
    pop: [f32; 2],
    /// The change at which each is.
    at: [usize; 2],
}

fn worst_change(skeleton: &Skeleton, clips: &[Arc<RawClip>], walk: &Walk) -> WorstChange {
    let own = places(skeleton, walk);
    let sources: Vec<_> = clips.iter().map(|clip| places(skeleton, &**clip)).collect();
    let mut worst = WorstChange::default();
    for (index, &change) in walk.changes_secs().iter().enumerate() {
        let [from, to] = [index, index + 1].map(|k| walk.steps()[k]);
        let fps = walk.fps();
        let found = liveliness(&own, change, fps);
        let left = liveliness(&sources[from.motion], from.leave_secs, fps);
        let entered = liveliness(&sources[to.motion], to.enter_secs, fps);
        for i in 0..2 {
            let mut both = [&left[i][..], &entered[i]].concat();
            both.sort_by(f32::total_cmp);
            let usual = both[(both.len() - 1) * 999 / 1000];
            let pop = found[i].last().copied().unwrap_or(0.0) / usual;
            if pop > worst.pop[i] {
                (worst.pop[i], worst.at[i]) = (pop, index);
            }
        }
    }
    worst
}

/// At every change joints are at most 1.3 times as fast, and change their speed as much, as 99.9 %
/// of what the two motions do there; standing feet slide at most 2 cm.
fn check_walk(skeleton: &Skeleton, clips: &[Arc<RawClip>], walk: &Walk) {
    assert!(walk.slide_m() < 0.02, "{} m", walk.slide_m());
    let worst = worst_change(skeleton, clips, walk);
    println!(
        "{:.0} s, {} changes, {worst:?}, slide {:.3} m",
        walk.duration_secs(),
        walk.changes_secs().len(),
        walk.slide_m()
    );
    assert!(worst.pop.iter().all(|&pop| pop <= 1.3), "{worst:?}");
}

/// Mean and largest distance of a walk's root to a path, metres.
fn off_path(skeleton: &Skeleton, walk: &Walk, path: &[DVec2]) -> [f64; 2] {
    let off = |frame: &Vec<Vec3A>| {
        let root = DVec2::new(frame[0].x.into(), frame[0].z.into());
        let distances = path.windows(2).map(|line| {
            let way = line[1] - line[0];
            let part = (root - line[0]).dot(way) / way.length_squared().max(1e-12);
            root.distance(line[0].lerp(line[1], part.clamp(0.0, 1.0)))
        });
        distances.fold(f64::INFINITY, f64::min)
    };
    let all: Vec<f64> = places(skeleton, walk).iter().map(off).collect();
    let most = all.iter().copied().fold(0.0, f64::max);
    [all.iter().sum::<f64>() / all.len() as f64, most]
}

fn graph_of(skeleton: &Arc<Skeleton>, clips: &[Arc<RawClip>]) -> MotionGraph {
    MotionGraph::new(skeleton, clips, &|_| true).unwrap()
}

#[test]
fn a_graph_of_walks_goes_on_without_a_pop() {
    let Some((skeleton, clips)) = library("cmu-usc520/07_") else {
        return;
    };
    let graph = graph_of(&skeleton, &clips);
    assert!(graph.edges().len() > 3, "{} edges", graph.edges().len());
    assert!(graph.strongly_connected_share() > 0.0);
    let walk = graph.random_walk(60.0, 1).unwrap();
    assert_eq!(walk.steps(), graph.random_walk(60.0, 1).unwrap().steps());
    assert!(walk.duration_secs() >= 60.0);
    check_walk(&skeleton, &clips, &walk);
}

#[test]
fn motions_that_have_nothing_in_common_lead_nowhere() {
    let Some((skeleton, clips)) = library("HDM_bd_hop") else {
        return;
    };
    let graph = graph_of(&skeleton, &clips);
    assert!(graph.edges().is_empty());
    let nowhere = RegisterError::LeadsNowhere;
    assert_eq!(graph.random_walk(5.0, 1).unwrap_err(), nowhere);
    let path = [DVec2::ZERO, DVec2::X];
    assert_eq!(graph.walk_along(&path, &|_| true).unwrap_err(), nowhere);
}

#[test]
fn long_work_tells_how_far_it_is_and_is_given_up() {
    let Some((skeleton, clips)) = library("cmu-usc520/07_") else {
        return;
    };
    let given_up = Some(RegisterError::GivenUp);
    let refused = MotionGraph::new(&skeleton, &clips, &|_| false).err();
    assert_eq!(refused, given_up);
    let told = Mutex::new(Vec::new());
    let graph = MotionGraph::new(&skeleton, &clips, &|part| {
        told.lock().unwrap().push(part);
        true
    });
    let told = told.into_inner().unwrap();
    assert!(told.iter().all(|part| (0.0..=1.0).contains(part)) && told.contains(&1.0));
    let path = [DVec2::ZERO, DVec2::new(0.0, 8.0)];
    let refused = graph.unwrap().walk_along(&path, &|part| part < 0.3).err();
    assert_eq!(refused, given_up);
}

/// `cargo test --release --no-default-features --test graph -- --ignored --nocapture`
#[test]
#[ignore = "the whole corpus: half a minute"]
fn the_corpus_is_one_graph() {
    let Some((skeleton, clips)) = library("") else {
        return;
    };
    let begun = std::time::Instant::now();
    let graph = graph_of(&skeleton, &clips);
    let frames: usize = clips.iter().map(|clip| clip.frames()).sum();
    println!(
        "{} motions, {frames} frames, {} edges, share {:.3}, {:.1} s",
        clips.len(),
        graph.edges().len(),
        graph.strongly_connected_share(),
        begun.elapsed().as_secs_f64()
    );
    for seed in 1..=8 {
        let walk = graph.random_walk(300.0, seed).unwrap();
        check_walk(&skeleton, &clips, &walk);
    }
    for (name, path) in paths() {
        let walk = graph.walk_along(&path, &|_| true).unwrap();
        let [mean, most] = off_path(&skeleton, &walk, &path);
        println!(
            "{name}: {:.1} s, off {mean:.3} m on average, {most:.3} m at most; {:.1} s in all",
            walk.duration_secs(),
            begun.elapsed().as_secs_f64()
        );
        check_walk(&skeleton, &clips, &walk);
        assert!(mean < 0.25 && most < 0.6, "{name}: {mean} m, {most} m");
    }
}

/// Paths of 40 m.
fn paths() -> [(&'static str, Vec<DVec2>); 4] {
    let line = |shape: &dyn Fn(f64) -> DVec2| {
        let points: Vec<DVec2> = (0..=400).map(|k| shape(f64::from(k) / 400.0)).collect();
        let length: f64 = points.windows(2).map(|it| it[0].distance(it[1])).sum();
        let points = points.iter().map(|point| *point * 40.0 / length);
        points.collect()
    };
    let turn = |part: f64| (std::f64::consts::TAU * part).sin_cos();
    let eight = |part: f64| DVec2::new(1.6 * turn(part).0 * turn(part).1, turn(part).0);
    let circle = |part: f64| DVec2::new(turn(part).1, turn(part).0);
    let wave = |part: f64| DVec2::new(part * 4.0, 0.4 * turn(part).0);
    [
        ("a figure of eight", line(&eight)),
        ("a circle", line(&circle)),
        ("an S", line(&wave)),
        ("a straight line", line(&|part| DVec2::new(0.0, part))),
    ]
}

/// A clip of the performer, with its skeleton.
fn performers(name: &str) -> (Arc<Skeleton>, Arc<RawClip>) {
    let motion = kinetoscope::load::performer_clip(name, LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    (
        Arc::new(motion.skeleton().clone()),
        Arc::clone(motion.raw()),
    )
}

/// The furthest that a foot of a bent loop strays while that of the straight one
/// stands, metres.
fn slide_of_bent(straight: &[Vec<Vec3A>], bent: &[Vec<Vec3A>], ball: usize) -> f32 {
    let (mut worst, mut stood): (f32, Option<Vec3A>) = (0.0, None);
    for frame in 1..straight.len() {
        let stands = straight[frame][ball].distance(straight[frame - 1][ball]) < 0.001;
        let at = bent[frame][ball];
        stood = stands.then(|| stood.unwrap_or(at));
        worst = worst.max(stood.map_or(0.0, |stood| stood.distance(at)));
    }
    worst
}

#[test]
fn a_straight_loop_goes_round_and_its_feet_stand() {
    let (skeleton, walk) = performers("forward");
    let all = for_paths(&skeleton, &walk);
    assert_eq!(all.len(), 7);
    let straight = places(&skeleton, &all[0]);
    let balls = kinetoscope::humanoid::Human::find(&skeleton).legs();
    let balls: Vec<usize> = balls.iter().map(|leg| usize::from(leg.ball)).collect();
    for (clip, bend) in all[1..].iter().zip([-0.8f32, -0.4, -0.15, 0.15, 0.4, 0.8]) {
        let bent = places(&skeleton, clip);
        // The performer looks along +Z: its left is +X.
        let middle = bent[0][0] + Vec3A::X / bend;
        for frame in &bent {
            let way = (frame[0] - middle) * Vec3A::new(1.0, 0.0, 1.0);
            let off = way.length() - 1.0 / bend.abs();
            assert!(off.abs() < 0.05, "{}: {off} m", clip.name);
        }
        for &ball in &balls {
            let slide = slide_of_bent(&straight, &bent, ball);
            // 1.3 cm on the narrowest circle, where legs get too short.
            assert!(slide < 0.015, "{}: {slide} m", clip.name);
        }
    }
    // What does not close or stays where it is has no bend.
    let half = Arc::new(walk.part(0..walk.frames() / 3));
    assert_eq!(for_paths(&skeleton, &half).len(), 1);
    let (_, idle) = performers("idle");
    assert_eq!(for_paths(&skeleton, &idle).len(), 1);
}

#[test]
fn the_performers_walk_follows_a_path_with_bends() {
    let (skeleton, walk) = performers("forward");
    let clips: Vec<Arc<RawClip>> = for_paths(&skeleton, &walk)
        .into_iter()
        .map(Arc::new)
        .collect();
    let graph = graph_of(&skeleton, &clips);
    // Found: 0.24 and 0.61 m. Corners of 1 m, as the figure of eight has, are cut:
    // 0.37 and 0.99 m.
    let [_, (name, path), ..] = paths();
    let walk = graph.walk_along(&path, &|_| true).unwrap();
    let [mean, most] = off_path(&skeleton, &walk, &path);
    println!(
        "{name}: off {mean:.3} m on average, {most:.3} m at most, {:.3} m of slide",
        walk.slide_m()
    );
    check_walk(&skeleton, &clips, &walk);
    assert!(mean < 0.3 && most < 0.7, "{name}: {mean} m, {most} m");
}
