//! Falls from poses and velocities of real captures: they come to rest, joints stay
//! within their limits, nothing sinks into the ground, no energy comes from nowhere.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use common::{Random, corpus, manifest};
use glam::Vec3;
use kinetoscope::{
    body::BodyCache,
    load::{LoadOptions, load},
    ragdoll::{Ragdoll, RagdollStart, TICK_SECS},
    scene::Character,
};

/// Seconds of a fall; at rest by then.
const FALL_SECS: f64 = 6.0;
/// Seconds after which nothing is in the ground any more.
const OUT_SECS: f64 = 0.5;

/// What a fall is judged by.
#[derive(Clone, Debug, Default)]
struct Fall {
    what: String,
    rest_secs: f64,
    beyond_deg: f32,
    deepest_m: f32,
    solids_m: f32,
    stretch: f32,
    energy: f32,
    last: Vec<[u32; 3]>,
}

/// A push at the trunk or a limb, as somebody walks into one or harder.
fn push(random: &mut Random, ragdoll: &mut Ragdoll, joints: usize) {
    let joint = random.below(joints);
    let way = Vec3::new(random.signed(), 0.3 * random.signed(), random.signed());
    let impulse = way.normalize_or(Vec3::X) * random.between(0.0, 120.0);
    ragdoll.push(joint as u16, impulse);
}

fn fall(character: &Character, seed: u64) -> Fall {
    let mut random = Random::new(seed);
    let dt_secs = 1.0 / character.fps();
    let at = f64::from(random.between(0.0, 1.0)) * (character.duration_secs() - dt_secs).max(0.0);
    let (before, now) = (character.pose_at(at), character.pose_at(at + dt_secs));
    let mut ragdoll = Ragdoll::new(&RagdollStart {
        skeleton: &character.skeleton,
        body: &character.body,
        now: &now,
        before: &before,
        dt_secs,
        limp: None,
    })
    .unwrap();
    push(&mut random, &mut ragdoll, character.skeleton.len());
    let lengths = |ragdoll: &Ragdoll| -> Vec<f32> {
        let joints: Vec<_> = ragdoll.joints().collect();
        let bones = joints
            .iter()
            .filter_map(|(at, above)| Some((at, (*above)?)));
        bones
            .map(|(at, above)| at.distance(joints[above].0))
            .collect()
    };
    let own = lengths(&ragdoll);
    ragdoll.advance(TICK_SECS, &now);
    let energy = ragdoll.energy_j();
    let mut fall = Fall {
        what: format!("{} at {at:.2} s, seed {seed}", character.name),
        rest_secs: f64::INFINITY,
        ..Fall::default()
    };
    for tick in 1..(FALL_SECS / TICK_SECS) as usize {
        ragdoll.advance(TICK_SECS, &now);
        let secs = tick as f64 * TICK_SECS;
        fall.energy = fall.energy.max(ragdoll.energy_j() / energy);
        fall.beyond_deg = fall
            .beyond_deg
            .max(ragdoll.beyond_limits_rad().to_degrees());
        if secs > OUT_SECS {
            let bones = ragdoll.joints().map(|(at, _)| -at.y);
            fall.deepest_m = fall.deepest_m.max(bones.fold(0.0, f32::max));
            fall.solids_m = fall.solids_m.max(-ragdoll.lowest_m());
        }
        for (now, own) in lengths(&ragdoll).iter().zip(&own) {
            fall.stretch = fall.stretch.max((now - own).abs() / own.max(0.05));
        }
        if ragdoll.is_at_rest() {
            fall.rest_secs = secs;
            break;
        }
    }
    let bits = |at: glam::Vec3A| at.to_array().map(f32::to_bits);
    fall.last = ragdoll.joints().map(|(at, _)| bits(at)).collect();
    fall
}

fn assert_good(fall: &Fall) {
    let Fall { what, .. } = fall;
    assert!(fall.rest_secs <= FALL_SECS, "{what}: never at rest");
    assert!(
        fall.beyond_deg <= 5.0,
        "{what}: {} degrees",
        fall.beyond_deg
    );
    assert!(fall.deepest_m <= 0.01, "{what}: {} m deep", fall.deepest_m);
    assert!(fall.solids_m <= 0.025, "{what}: solids {} m", fall.solids_m);
    assert!(fall.stretch <= 0.01, "{what}: stretched {}", fall.stretch);
    assert!(fall.energy <= 1.02, "{what}: energy times {}", fall.energy);
}

/// Captures of the corpus, a few of every skeleton.
fn captures(most: usize) -> Option<Vec<Character>> {
    let folder = corpus()?;
    let mut listed: Vec<_> = manifest(&folder)
        .into_iter()
        .filter(|it| it.frames.is_some_and(|frames| frames > 60) && it.asf.is_some())
        .collect();
    let every = (listed.len() / most).max(1);
    listed = listed.into_iter().step_by(every).take(most).collect();
    let mut bodies = BodyCache::default();
    let mut characters = Vec::new();
    for it in listed {
        let outcomes = load(&[folder.join(&it.path)], LoadOptions::default());
        for outcome in outcomes {
            if let Some(motion) = outcome.1.ok().and_then(|it| it.into_motion()) {
                characters.push(motion.character(&mut bodies));
            }
        }
    }
    Some(characters)
}

fn report(falls: &[Fall]) {
    let most = |value: fn(&Fall) -> f64| falls.iter().map(value).fold(0.0, f64::max);
    eprintln!(
        "{} falls: at rest after {:.2} s at most, {:.2} degrees beyond, {:.1} mm in the ground, solids {:.1} mm, \
         {:.4} % longer, energy times {:.4}",
        falls.len(),
        most(|fall| fall.rest_secs),
        most(|fall| f64::from(fall.beyond_deg)),
        most(|fall| f64::from(fall.deepest_m)) * 1e3,
        most(|fall| f64::from(fall.solids_m)) * 1e3,
        most(|fall| f64::from(fall.stretch)) * 100.0,
        most(|fall| f64::from(fall.energy)),
    );
}

fn sweep(captures_at_most: usize, count: u64) {
    let Some(characters) = captures(captures_at_most) else {
        return;
    };
    let falls: Vec<Fall> = (0..count)
        .map(|seed| fall(&characters[seed as usize % characters.len()], seed))
        .collect();
    for it in &falls {
        eprintln!(
            "{:5.2} s {:5.2} deg {:5.1} mm {:6.4} {:6.4} {}",
            it.rest_secs,
            it.beyond_deg,
            it.solids_m * 1e3,
            it.stretch,
            it.energy,
            it.what
        );
    }
    report(&falls);
    falls.iter().for_each(assert_good);
}

#[test]
fn a_few_falls_from_captures_are_sound() {
    sweep(3, 6);
}

/// `KINETOSCOPE_FALLS=200 cargo test --release --test ragdoll -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn two_hundred_falls_from_captures_are_sound() {
    let count = std::env::var("KINETOSCOPE_FALLS");
    sweep(40, count.map_or(200, |count| count.parse().unwrap()));
}
