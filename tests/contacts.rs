//! When feet stand in real captures: the same whether the capture lies level,
//! tilted or higher, and as the eye sees it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::ops::Range;

use common::{Random, corpus};
use glam::{Quat, Vec3, Vec3A};
use kinetoscope::{
    clip::{FootContacts, RawClip},
    humanoid::Human,
    load::{self, LoadOptions, LoadedMotion},
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Way of the balls of both feet.
fn balls(skeleton: &Skeleton, clip: &RawClip) -> Vec<Vec<Vec3A>> {
    let legs = Human::find(skeleton).legs();
    let mut paths = vec![Vec::new(); legs.len()];
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut local);
        model.compute(skeleton, &local);
        for (path, leg) in paths.iter_mut().zip(&legs) {
            path.push(model.joints()[usize::from(leg.ball)].translation);
        }
    }
    paths
}

fn stances(paths: &[Vec<Vec3A>], fps: f64) -> Vec<Vec<Range<usize>>> {
    let (contacts, _) = FootContacts::of_paths(paths, fps, false, 0.02);
    contacts.iter().map(FootContacts::stances).collect()
}

fn motions(folders: &[&str]) -> Vec<LoadedMotion> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let folders: Vec<_> = folders.iter().map(|it| corpus.join(it)).collect();
    let loaded = load::load(&folders, LoadOptions::default());
    let motions = loaded.into_iter();
    let motions = motions.filter_map(|(_, it)| it.ok().and_then(|it| it.into_motion()));
    motions.collect()
}

/// Frames of which one says that a foot stands and the other does not.
fn disputed(a: &[Range<usize>], b: &[Range<usize>], frames: usize) -> usize {
    let stands = |runs: &[Range<usize>], frame| runs.iter().any(|run| run.contains(&frame));
    let differ = |&frame: &usize| stands(a, frame) != stands(b, frame);
    (0..frames).filter(differ).count()
}

#[test]
fn a_walk_over_a_tilted_floor_has_steps_to_its_end() {
    for motion in motions(&["cmu-original"]) {
        if motion.name != "02_01" {
            continue;
        }
        let (skeleton, clip) = (&motion.skeleton.imported.skeleton, motion.raw());
        let feet = stances(&balls(skeleton, clip), clip.fps);
        // As seen: the left ball is down from 0.1 to 0.7 s, from 1.2 to 1.8 s and
        // from 2.3 s on; the right one to 0.1 s, from 0.65 to 1.25 s and from 1.75
        // to 2.35 s. Its last way down ends with the clip.
        let starts = |foot: usize| feet[foot].iter().map(|run| run.start);
        let in_time: Vec<usize> = [0, 1]
            .map(|foot| starts(foot).filter(|&it| it < 330).count())
            .into();
        assert_eq!(in_time, [3, 3], "{feet:?}");
        assert!(
            feet[0][2].contains(&300) && feet[1][2].contains(&246),
            "{feet:?}"
        );
    }
}

/// The same ways, tilted about a horizontal axis by up to 3° and 6 cm higher.
fn tilted(paths: &[Vec<Vec3A>], random: &mut Random) -> Vec<Vec<Vec3A>> {
    let direction = random.between(0.0, std::f32::consts::TAU);
    let axis = Vec3::new(direction.cos(), 0.0, direction.sin());
    let tilt = Quat::from_axis_angle(axis, random.between(1.0, 3.0).to_radians());
    let moved = |p: &Vec3A| tilt * *p + Vec3A::Y * 0.06;
    let path = |path: &Vec<Vec3A>| path.iter().map(moved).collect();
    paths.iter().map(path).collect()
}

#[test]
fn tilted_and_lifted_captures_have_the_same_contacts() {
    let mut random = Random::new(16);
    let (mut all, mut off) = (0, 0);
    for motion in motions(&["cmu-original", "hdm05"]) {
        let (skeleton, clip) = (&motion.skeleton.imported.skeleton, motion.raw());
        let level = balls(skeleton, clip);
        let before = stances(&level, clip.fps);
        for _ in 0..3 {
            let after = stances(&tilted(&level, &mut random), clip.fps);
            for (a, b) in before.iter().zip(&after) {
                let frames = disputed(a, b, clip.frames());
                (all, off) = (all + clip.frames(), off + frames);
                if ["02_01", "02_02", "02_03"].contains(&motion.name.as_str()) {
                    assert_eq!(a.len(), b.len(), "{}: {a:?} {b:?}", motion.name);
                    // A frame at either end of a step.
                    assert!(frames <= 2 * a.len(), "{}: {a:?} {b:?}", motion.name);
                }
            }
        }
    }
    // Who climbs, lies or drags a foot may be seen either way.
    assert!(off * 100 <= all, "{off} of {all} frames");
}
