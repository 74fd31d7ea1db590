//! A hand that is dragged by whole-body IK: feet stay, limits hold, nothing
//! flips.
#![allow(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::{collections::BTreeMap, time::Instant};

use glam::Vec3A;
use kinetoscope::{
    clip::ClipCursor,
    humanoid::{Human, JointLimits, Limb, LimitSource, ROUNDING_RAD, Side},
    load::{self, LoadOptions, Loaded, LoadedMotion},
    posing::Drag,
    skeleton::{LocalPose, ModelPose},
};

/// How far hands are dragged, and in steps of what.
const WAY_M: f32 = 0.4;
const STEP_M: f32 = 0.005;
/// A joint that goes further in such a step has flipped.
const FLIP_M: f32 = 0.03;

/// Captures of a corpus, evenly over the list of all.
fn captures(count: usize) -> Vec<LoadedMotion> {
    let Some(corpus) = common::corpus() else {
        return Vec::new();
    };
    let listed = common::manifest(&corpus);
    let motions = listed
        .iter()
        .filter(|it| it.frames > Some(30) && it.asf.is_some());
    let motions: Vec<_> = motions.collect();
    let chosen = (0..count).map(|index| motions[index * motions.len() / count]);
    let load = |it: &common::Listed| {
        let paths = [corpus.join(it.asf.as_ref().unwrap()), corpus.join(&it.path)];
        let loaded = load::load(&paths, LoadOptions::default()).into_iter();
        { loaded }
            .find_map(|(_, it)| Loaded::into_motion(it.unwrap()))
            .unwrap()
    };
    chosen.map(load).collect()
}

fn directions() -> Vec<Vec3A> {
    let sides = [-1.0, 0.0, 1.0];
    let all = sides.into_iter().flat_map(|x| {
        sides
            .into_iter()
            .flat_map(move |y| sides.map(|z| Vec3A::new(x, y, z)))
    });
    all.filter_map(Vec3A::try_normalize).collect()
}

#[derive(Debug, Default)]
struct Found {
    drags: usize,
    steps: usize,
    flips: usize,
    worst_step_m: f32,
    worst_foot_m: f32,
    worst_limit_rad: f32,
    /// How far hands stay from where they were dragged at the end.
    short_m: Vec<f32>,
    secs: f64,
    /// Joints that flip.
    flipped: BTreeMap<String, usize>,
}

fn drag(motion: &LoadedMotion, side: Side, share: f64, found: &mut Found) {
    let skeleton = motion.skeleton();
    let human = Human::find(skeleton);
    let hand = human.first(side.role(Limb::Hand)).unwrap();
    let feet = Side::BOTH.map(|side| human.first(side.role(Limb::Foot)).unwrap());
    let limits = JointLimits::of(skeleton, LimitSource::Both);
    let clip = motion.sampler();
    let mut own = LocalPose::default();
    let secs = clip.duration_secs() * share;
    clip.sample(skeleton, secs, &mut ClipCursor::default(), &mut own);
    let mut own_model = ModelPose::default();
    own_model.compute(skeleton, &own);
    let drag = Drag::of(skeleton, hand);
    let start = own_model.joints()[usize::from(hand)].translation;
    for direction in directions() {
        let mut before = own_model.clone();
        found.drags += 1;
        for step in 1..=(WAY_M / STEP_M).round() as usize {
            let target = start + direction * (step as f32 * STEP_M);
            let (mut pose, mut model) = (own.clone(), own_model.clone());
            let began = Instant::now();
            drag.apply(skeleton, target, &mut pose, &mut model);
            found.secs += began.elapsed().as_secs_f64();
            found.steps += 1;
            let pairs = model.joints().iter().zip(before.joints());
            let steps = pairs.map(|(a, b)| a.translation.distance(b.translation));
            let (joint, moved) = { steps.enumerate() }
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap();
            if moved > FLIP_M {
                found.flips += 1;
                let name = skeleton.joints()[joint].name.clone();
                *found.flipped.entry(name).or_default() += 1;
            }
            found.worst_step_m = found.worst_step_m.max(moved);
            for foot in feet.map(usize::from) {
                let [now, was] = [&model, &own_model].map(|it| it.joints()[foot].translation);
                found.worst_foot_m = found.worst_foot_m.max(now.distance(was));
            }
            for (joint, limit) in limits.iter() {
                let [now, was] = [&pose, &own]
                    .map(|it| limit.excess_rad(it.joints()[usize::from(joint)].rotation));
                found.worst_limit_rad = found.worst_limit_rad.max(now - was);
            }
            before = model;
            if (step as f32 * STEP_M - WAY_M).abs() < 1e-4 {
                let at = before.joints()[usize::from(hand)].translation;
                found.short_m.push(at.distance(target));
            }
        }
    }
}

fn drag_all(count: usize) {
    let mut found = Found::default();
    for (index, motion) in captures(count).iter().enumerate() {
        let side = Side::BOTH[index % 2];
        drag(
            motion,
            side,
            0.15 + 0.7 * (index as f64 / count as f64),
            &mut found,
        );
    }
    if found.drags == 0 {
        return;
    }
    found.short_m.sort_by(f32::total_cmp);
    let at = |share: f64| found.short_m[((found.drags - 1) as f64 * share) as usize];
    eprintln!(
        "{} drags, {} steps: {} over 3 cm (worst {:.1} cm); feet {:.2} mm; limits {:.4} rad; \
         short of the target: median {:.1} cm, 90 % {:.1} cm, worst {:.1} cm; {:.3} ms a pose\n{:?}",
        found.drags,
        found.steps,
        found.flips,
        found.worst_step_m * 100.0,
        found.worst_foot_m * 1000.0,
        found.worst_limit_rad,
        at(0.5) * 100.0,
        at(0.9) * 100.0,
        at(1.0) * 100.0,
        found.secs * 1000.0 / found.steps as f64,
        found.flipped,
    );
    assert!(found.worst_foot_m < 0.002, "{} m", found.worst_foot_m);
    assert!(
        found.worst_limit_rad < ROUNDING_RAD,
        "{} rad",
        found.worst_limit_rad
    );
    // Two in ten thousand are found, of up to 4 cm, where a capture is
    // beyond its limits already; one in fifteen were, of half a metre.
    assert!(found.worst_step_m < 0.06, "{} m", found.worst_step_m);
    assert!(found.flips * 3000 <= found.steps, "{:?}", found.flipped);
    assert!(at(0.5) < 0.01 && at(0.9) < 0.15, "hands stay behind");
}

#[test]
fn a_dragged_hand_takes_the_body_along_without_a_flip() {
    drag_all(4);
}

#[test]
#[ignore = "twenty captures take a minute; four of them run by default"]
fn twenty_captures_are_dragged_without_a_flip() {
    drag_all(20);
}
