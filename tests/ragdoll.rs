//! Falls from poses and velocities of real captures: they come to rest, joints stay
//! within their limits, nothing sinks into the ground, no energy comes from nowhere.
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside the functions that clippy exempts"
)]

mod common;

use std::time::Instant;

use common::{Random, corpus, manifest};
use glam::{Vec2, Vec3, Vec3A};
use kinetoscope::{
    body::BodyCache,
    clip::ClipCursor,
    collide::{HeightField, Terrain},
    load::{LoadOptions, load, performer_clip, ways_up},
    math::Transform,
    posing::{Ground, GroundKind, PoseAction},
    ragdoll::{Fall, FallContext, Ragdoll, RagdollStart, TICK_SECS},
    scene::{Character, Scene},
    skeleton::{LocalPose, ModelPose},
};

/// Seconds of a fall; at rest by then.
const FALL_SECS: f64 = 6.0;
/// Seconds after which nothing is in the ground any more.
const OUT_SECS: f64 = 0.5;

/// What a fall is judged by.
#[derive(Clone, Debug, Default)]
struct Found {
    what: String,
    rest_secs: f64,
    beyond_deg: f32,
    deepest_m: f32,
    solids_m: f32,
    stretch: f32,
    energy: f32,
    last: Vec<[u32; 3]>,
    worst: String,
    step_secs: f64,
    steps: usize,
}

/// A push at the trunk or a limb, as somebody walks into one or harder.
fn push(random: &mut Random, ragdoll: &mut Ragdoll, joints: usize) {
    let joint = random.below(joints);
    let way = Vec3::new(random.signed(), 0.3 * random.signed(), random.signed());
    let impulse = way.normalize_or(Vec3::X) * random.between(0.0, 120.0);
    ragdoll.push(joint as u16, impulse);
}

fn beyond_deg(ragdoll: &Ragdoll) -> f32 {
    ragdoll.beyond_limits_rad().to_degrees()
}

/// Of all bones of the pose that is seen, fingers and toes too.
fn deepest_m(character: &Character, ragdoll: &Ragdoll) -> f32 {
    let skeleton = &character.skeleton;
    let (mut local, mut model) = (skeleton.rest().clone(), ModelPose::default());
    ragdoll.write(skeleton, Transform::IDENTITY, &mut local);
    model.compute(skeleton, &local);
    let ends = (0..skeleton.len()).map(|joint| model.bone_end(skeleton, joint).y);
    let starts = model.joints().iter().map(|joint| joint.translation.y);
    -ends.chain(starts).fold(0.0, f32::min)
}

fn fall(character: &Character, seed: u64) -> Found {
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
        ground: None,
        things: &[],
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
    let mut fall = Found {
        what: format!("{} at {at:.2} s, seed {seed}", character.name),
        rest_secs: f64::INFINITY,
        ..Found::default()
    };
    for tick in 1..(FALL_SECS / TICK_SECS) as usize {
        let started = Instant::now();
        ragdoll.advance(TICK_SECS, &now);
        fall.step_secs += started.elapsed().as_secs_f64();
        fall.steps += 1;
        let secs = tick as f64 * TICK_SECS;
        fall.energy = fall.energy.max(ragdoll.energy_j() / energy);
        if beyond_deg(&ragdoll) > fall.beyond_deg {
            fall.beyond_deg = beyond_deg(&ragdoll);
            fall.worst = format!("{} at {secs:.2} s", ragdoll.worst_joint());
        }
        if secs > OUT_SECS && tick.is_multiple_of(8) {
            fall.deepest_m = fall.deepest_m.max(deepest_m(character, &ragdoll));
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
    let bits = |at: Vec3A| at.to_array().map(f32::to_bits);
    fall.last = ragdoll.joints().map(|(at, _)| bits(at)).collect();
    fall
}

fn assert_good(fall: &Found) {
    let Found { what, .. } = fall;
    assert!(fall.rest_secs <= FALL_SECS, "{what}: never at rest");
    assert!(
        fall.beyond_deg <= 5.0,
        "{what}: {} degrees",
        fall.beyond_deg
    );
    assert!(fall.deepest_m <= 0.01, "{what}: {} m deep", fall.deepest_m);
    // What solids stand for is soft: bones are what must not sink. Found: 2.7 cm.
    assert!(fall.solids_m <= 0.03, "{what}: solids {} m", fall.solids_m);
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

fn report(falls: &[Found]) {
    let most = |value: fn(&Found) -> f64| falls.iter().map(value).fold(0.0, f64::max);
    eprintln!(
        "{} falls: at rest after {:.2} s at most, {:.2} degrees beyond, {:.1} mm in the ground, solids {:.1} mm, \
         {:.4} % longer, energy times {:.4}, a step {:.3} ms",
        falls.len(),
        most(|fall| fall.rest_secs),
        most(|fall| f64::from(fall.beyond_deg)),
        most(|fall| f64::from(fall.deepest_m)) * 1e3,
        most(|fall| f64::from(fall.solids_m)) * 1e3,
        most(|fall| f64::from(fall.stretch)) * 100.0,
        most(|fall| f64::from(fall.energy)),
        falls.iter().map(|fall| fall.step_secs).sum::<f64>() * 1e3
            / falls.iter().map(|fall| fall.steps).sum::<usize>() as f64,
    );
}

fn sweep(captures_at_most: usize, count: u64) {
    let Some(characters) = captures(captures_at_most) else {
        return;
    };
    let falls: Vec<Found> = (0..count)
        .map(|seed| fall(&characters[seed as usize % characters.len()], seed))
        .collect();
    for it in &falls {
        eprintln!(
            "{:5.2} s {:5.2} deg {:5.1} mm {:5.1} mm {:6.4} {:6.4} {} ({})",
            it.rest_secs,
            it.beyond_deg,
            it.deepest_m * 1e3,
            it.solids_m * 1e3,
            it.stretch,
            it.energy,
            it.what,
            it.worst
        );
    }
    report(&falls);
    falls.iter().for_each(assert_good);
}

#[test]
fn a_few_falls_from_captures_are_sound() {
    sweep(3, 4);
}

/// `KINETOSCOPE_FALLS=200 cargo test --release --test ragdoll -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn two_hundred_falls_from_captures_are_sound() {
    let count = std::env::var("KINETOSCOPE_FALLS");
    sweep(40, count.map_or(200, |count| count.parse().unwrap()));
}

/// One frame of a motion that stands still; where the joints are then.
fn frame(fall: &mut Fall, character: &Character, standing: &LocalPose) -> Vec<Vec3A> {
    let skeleton = &character.skeleton;
    let (mut pose, mut model) = (standing.clone(), ModelPose::default());
    model.compute(skeleton, &pose);
    fall.step(1.0 / 60.0);
    let context = FallContext {
        skeleton,
        body: &character.body,
        world_from_model: Transform::IDENTITY,
        ground: None,
        things: &[],
    };
    fall.apply(context, &mut pose, &mut model);
    let joints = model.joints().iter();
    joints.map(|joint| joint.translation).collect()
}

/// Pushed to either side, down, and up again by one of the performer's clips: no
/// joint changes its speed by more than a body's own muscles do in a frame.
#[test]
fn the_performer_gets_up_from_both_sides_without_a_jump() {
    let motion = performer_clip("idle", LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    let character = motion.character(&mut BodyCache::default());
    let mut standing = LocalPose::default();
    let mut cursor = ClipCursor::default();
    let clip = motion.sampler();
    clip.sample(&character.skeleton, 0.0, &mut cursor, &mut standing);
    let mut found = Vec::new();
    for push in [Vec3::Z, Vec3::NEG_Z] {
        let mut fall = Fall::default();
        fall.set_ways_up(ways_up);
        (0..3).for_each(|_| drop(frame(&mut fall, &character, &standing)));
        fall.go_limp(0.0, None);
        fall.push(13, push * 90.0);
        let mut places = Vec::new();
        (0..300).for_each(|_| places = frame(&mut fall, &character, &standing));
        assert_eq!(fall.word(), Some("lying"));
        fall.take_up();
        let (mut speeds, mut worst) = (vec![Vec3A::ZERO; places.len()], (0.0, 0, 0));
        let mut rose = false;
        for index in 0..480 {
            let now = frame(&mut fall, &character, &standing);
            rose |= fall.word() == Some("rising");
            for (joint, (now, before)) in now.iter().zip(&places).enumerate() {
                let speed = (*now - *before) * 60.0;
                let jump = speed.distance(speeds[joint]);
                if jump > worst.0 {
                    worst = (jump, index, joint);
                }
                speeds[joint] = speed;
            }
            places = now;
        }
        assert!(rose, "a clip leads up");
        assert_eq!(fall.word(), None);
        let head = places.iter().map(|at| at.y).fold(0.0, f32::max);
        assert!(head > 1.4, "stands: {head}");
        found.push((push, worst));
    }
    eprintln!("largest change of speed in a frame, m/s, frame, joint: {found:?}");
    assert!(found.iter().all(|(_, worst)| worst.0 < 2.1), "{found:?}");
}

/// How deep a point is in the ground: as near as any way out of it, of a step the
/// riser too.
fn depth_m(ground: &Terrain, at: Vec3A) -> f32 {
    const NEAR_M: f32 = 0.01;
    let around = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let heights = around.map(|(x, z)| ground.height_m(at.x + NEAR_M * x, at.z + NEAR_M * z) - at.y);
    heights.into_iter().fold(f32::MAX, f32::min)
}

fn grounds() -> Vec<(&'static str, Terrain)> {
    let laid = |kind: GroundKind, field: Option<HeightField>| {
        let ground = Ground {
            kind,
            origin: Vec2::ZERO,
            heading_rad: 0.4,
            level_m: 0.0,
            field,
        };
        ground.terrain()
    };
    // Dunes, 15 cm high and 2 m from one to the next.
    let size = [81, 81];
    let dune = |index: usize| {
        let [x, z] = [index % 81, index / 81].map(|it| it as f32 * 0.1);
        0.15 * (x * 3.1).sin() * (z * 2.7).cos()
    };
    let field = HeightField {
        size,
        step_m: 0.1,
        heights_m: (0..81 * 81).map(dune).collect(),
    };
    let of_file = GroundKind::File {
        path: String::new(),
        width_m: 8.0,
        height_m: 0.3,
    };
    let stairs = GroundKind::Stairs {
        rise_m: 0.18,
        tread_m: 0.3,
        steps: 6,
    };
    vec![
        ("slope", laid(GroundKind::Slope { degrees: 15.0 }, None)),
        ("stairs", laid(stairs, None)),
        ("dunes", laid(of_file, Some(field))),
    ]
}

/// Thrown onto a slope, a stair and dunes: at rest, with no bone in the ground.
#[test]
fn falls_on_uneven_ground_are_sound() {
    let motion = performer_clip("run", LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    let character = motion.character(&mut BodyCache::default());
    let skeleton = &character.skeleton;
    for (name, ground) in grounds() {
        // Over the middle of the stair, its feet on it.
        let (x, z) = (0.4f32.sin() * 1.6, 0.4f32.cos() * 1.6);
        let at = |secs: f64| {
            let mut pose = character.pose_at(secs);
            let up = Vec3::new(x, ground.height_m(x, z) + 0.25, z);
            let joints = pose.joints().to_vec();
            let mut model = ModelPose::default();
            let mut local = LocalPose::default();
            motion
                .sampler()
                .sample(skeleton, secs, &mut ClipCursor::default(), &mut local);
            model.compute(skeleton, &local);
            let hips = joints[0].translation;
            let place = Transform::from_translation(up - Vec3::new(hips.x, 0.0, hips.z));
            pose.place(place, &model);
            pose
        };
        let (before, now) = (at(0.2), at(0.2 + 1.0 / 60.0));
        let mut ragdoll = Ragdoll::new(&RagdollStart {
            skeleton,
            body: &character.body,
            now: &now,
            before: &before,
            dt_secs: 1.0 / 60.0,
            limp: None,
            ground: Some(&ground),
            things: &[],
        })
        .unwrap();
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let (mut rest_secs, mut deepest_m, mut where_) = (f64::INFINITY, 0f32, String::new());
        let (mut beyond, mut energy, mut most) = (0f32, f32::NAN, 0f32);
        for tick in 1..(FALL_SECS / TICK_SECS) as usize {
            ragdoll.advance(TICK_SECS, &now);
            beyond = beyond.max(beyond_deg(&ragdoll));
            if tick == 1 {
                energy = ragdoll.energy_j();
            }
            most = most.max(ragdoll.energy_j() / energy);
            let secs = tick as f64 * TICK_SECS;
            if secs > OUT_SECS && tick.is_multiple_of(8) {
                local.copy_from(skeleton.rest());
                ragdoll.write(skeleton, Transform::IDENTITY, &mut local);
                model.compute(skeleton, &local);
                for joint in 0..skeleton.len() {
                    let place = model.joints()[joint].translation;
                    let deep = depth_m(&ground, place)
                        .max(depth_m(&ground, model.bone_end(skeleton, joint)));
                    if deep > deepest_m {
                        deepest_m = deep;
                        where_ = format!("{} at {secs:.2} s", skeleton.joints()[joint].name);
                    }
                }
            }
            if ragdoll.is_at_rest() {
                rest_secs = secs;
                break;
            }
        }
        eprintln!(
            "{name}: at rest after {rest_secs:.2} s, {:.1} mm in the ground ({where_}), {beyond:.2} degrees, energy {most:.4}",
            deepest_m * 1e3
        );
        assert!(rest_secs <= FALL_SECS, "{name}");
        assert!(deepest_m <= 0.01, "{name}: {deepest_m} m, {where_}");
        assert!(beyond <= 5.0, "{name}: {beyond} degrees");
    }
}

/// Who falls over a ball and a box kicks them away; and gets up on a slope, without
/// a jump, to stand on it.
#[test]
fn who_falls_on_a_slope_gets_up_on_it() {
    let motion = performer_clip("idle", LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    let playing = motion.character(&mut BodyCache::default());
    let mut character = playing.measured().with_ways_up(ways_up);
    let act = |character: &mut Character, words: &str| {
        let words: Vec<&str> = words.split_whitespace().collect();
        let action = PoseAction::parse(&words).unwrap().unwrap();
        character.act(&action).unwrap();
    };
    act(&mut character, "ground slope 12");
    act(&mut character, "attach ball hips at 0 -0.2 0.45");
    let mut scene = Scene::of(character);
    let step = |scene: &mut Scene| -> Vec<Vec3A> {
        scene.step(1.0 / 60.0);
        let joints = scene.characters[0].world_pose().joints().iter();
        joints.map(|joint| joint.translation).collect()
    };
    (0..10).for_each(|_| drop(step(&mut scene)));
    act(&mut scene.characters[0], "detach ball");
    (0..60).for_each(|_| drop(step(&mut scene)));
    let ball = scene.characters[0].posing().props()[0].world_from_prop;
    act(&mut scene.characters[0], "ragdoll on");
    act(&mut scene.characters[0], "push thorax 0 0 90");
    let mut places = Vec::new();
    (0..300).for_each(|_| places = step(&mut scene));
    let kicked = scene.characters[0].posing().props()[0].world_from_prop;
    let way = kicked.translation.distance(ball.translation);
    act(&mut scene.characters[0], "ragdoll off");
    let mut speeds = vec![Vec3A::ZERO; places.len()];
    let mut worst = (0.0, 0, String::new());
    for index in 0..480 {
        let now = step(&mut scene);
        for (joint, (now, before)) in now.iter().zip(&places).enumerate() {
            let speed = (*now - *before) * 60.0;
            let jump = speed.distance(speeds[joint]);
            if jump > worst.0 {
                let name = scene.characters[0].skeleton.joints()[joint].name.clone();
                worst = (jump, index, name);
            }
            speeds[joint] = speed;
        }
        places = now;
    }
    let character = &scene.characters[0];
    let posing = character.posing();
    let above = places.iter().map(|at| at.y - posing.rise_m(at.x, at.z));
    let (low, high) = above.fold((f32::MAX, f32::MIN), |(a, b), y| (a.min(y), b.max(y)));
    eprintln!("on a slope: ball kicked {way} m, {worst:?}, stands from {low} to {high} m");
    assert!(way > 0.1, "{way}");
    assert_eq!(posing.fall().word(), None);
    assert!(high > 1.4 && low.abs() < 0.05, "{low} {high}");
    assert!(worst.0 < 1.5, "{worst:?}");
}
