//! Registration of real captures: what it finds, and what blends of it do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::sync::Arc;

use glam::DVec2;
use kinetoscope::{
    assert_close,
    clip::{ClipCursor, Interpolation, Planar, RawClip, SampleClip},
    load::{LoadOptions, load},
    register::{Blend, Cloud, PathOptions, PlainBlend, Registration, Transition, Weights},
    retarget::{JointMap, retarget},
    skeleton::{LocalPose, ModelPose, Skeleton},
    testing::corpus,
};

fn captured(name: &str) -> Option<(Arc<Skeleton>, Arc<RawClip>)> {
    let corpus = corpus()?;
    let listed = common::manifest(&corpus);
    let asf = listed.iter().find(|it| it.path == name)?.asf.clone()?;
    let files = [corpus.join(asf), corpus.join(name)];
    let loaded = load(&files, LoadOptions::default()).into_iter();
    let motion = loaded
        .filter_map(|(_, it)| it.unwrap().into_motion())
        .next()?;
    let skeleton = Arc::new(motion.skeleton().clone());
    Some((skeleton, Arc::clone(motion.raw())))
}

fn registered(skeleton: &Arc<Skeleton>, clips: &[&Arc<RawClip>]) -> Arc<Registration> {
    let motions = clips.iter().map(|&clip| Arc::clone(clip)).collect();
    Arc::new(Registration::new(skeleton, motions, &PathOptions::default()).unwrap())
}

/// The time of the original that a warped copy shows: smooth, slopes 0.5 to 2.
fn warp(secs: f64, duration: f64) -> f64 {
    // Slopes 1 ± 0.3 ± 0.18.
    let share = secs / duration;
    let turn = std::f64::consts::TAU;
    secs + duration / turn * (0.3 * (turn * share).sin() + 0.09 * (2.0 * turn * share).sin())
}

fn warped_copy(skeleton: &Skeleton, clip: &RawClip, place: Planar) -> RawClip {
    let mut poses = Vec::new();
    for frame in 0..clip.frames() {
        let secs = warp(frame as f64 / clip.fps, clip.duration_secs());
        let mut pose = LocalPose::default();
        clip.sample_as(Interpolation::Cubic, skeleton, secs, &mut pose);
        let root = &mut pose.joints_mut()[0];
        *root = place.transform() * *root;
        poses.push(pose);
    }
    RawClip::from_poses("copy", skeleton, clip.fps, &poses)
}

const PLACE: Planar = Planar {
    position: DVec2::new(1.7, -2.3),
    heading: 2.1,
};

/// Captures of every kind: gaits, a grab, a squat, a dance.
const CAPTURES: [&str; 5] = [
    "cmu-usc520/07_01-walk.amc",
    "cmu-usc520/09_06-run.amc",
    "hdm05/HDM_bd_grabHighR_001_120.amc",
    "hdm05/HDM_bk_squat1Reps_014_120.amc",
    "cmu-usc520/131_04-dance.amc",
];

#[test]
fn a_capture_registered_with_itself_is_the_diagonal() {
    for name in CAPTURES {
        let Some((skeleton, clip)) = captured(name) else {
            return;
        };
        let own = registered(&skeleton, &[&clip, &clip]);
        let curve = &own.curves()[1];
        let [start, end] = own.range_secs();
        assert!(start == 0.0 && end > clip.duration_secs() - 0.02, "{name}");
        for (k, time) in curve.times_secs().iter().enumerate() {
            // A tenth of a frame, and of a centimetre and a degree.
            assert_close!(*time, k as f64 * curve.step_secs(), 8e-4, "{name}");
            let place = curve.alignments()[k];
            assert!(place.position.length() < 1e-3, "{name}: {place:?}");
            assert!(place.heading.abs() < 1.7e-3, "{name}: {place:?}");
        }
    }
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share) as usize]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn a_warped_moved_and_turned_copy_is_found_again() {
    for name in CAPTURES {
        let Some((skeleton, clip)) = captured(name) else {
            return;
        };
        let copy = Arc::new(warped_copy(&skeleton, &clip, PLACE));
        let found = registered(&skeleton, &[&copy, &clip]);
        let curve = &found.curves()[1];
        let speeds = Cloud::of(&skeleton, &copy).speeds();
        let mut off_frames = Vec::new();
        for (k, &time) in curve.times_secs().iter().enumerate() {
            let secs = found.range_secs()[0] + k as f64 * curve.step_secs();
            let off = (time - warp(secs, clip.duration_secs())).abs();
            // Where points move at 10 cm/s or more.
            if speeds[(secs * clip.fps).round() as usize] > 0.1 {
                off_frames.push(off * clip.fps);
            }
            let place = curve.alignments()[k];
            let off_deg = (place.heading - PLACE.heading).to_degrees().abs();
            assert!(off_deg < 1.0, "{name}: {off_deg} degrees");
            let root_m = |secs: f64| {
                let mut pose = LocalPose::default();
                clip.sample(&skeleton, secs, &mut ClipCursor::default(), &mut pose);
                let root = pose.joints()[0].translation;
                DVec2::new(root.x.into(), root.z.into())
            };
            let at = |place: Planar, secs: f64| place.position + place.rotate(root_m(secs));
            let shift_m = (at(place, time) - at(PLACE, time)).length();
            let within_m = (root_m(time + off) - root_m(time - off)).length();
            assert!(shift_m < 0.01 + within_m, "{name}: {shift_m} m at {secs} s");
        }
        assert!(mean(&off_frames) < 1.0, "{name}: {}", mean(&off_frames));
        let most = percentile(&mut off_frames, 0.95);
        assert!(most < 3.0, "{name}: {most} frames");
        for weight in [0.0, 0.3, 0.5, 0.8] {
            let mut off_m = off_source(&found, &[1.0 - weight, weight]);
            let context = format!("{name} at {weight}");
            assert!(mean(&off_m) < 0.01, "{context}: {}", mean(&off_m));
            assert!(percentile(&mut off_m, 0.99) < 0.03, "{context}");
            if weight == 0.0 {
                assert!(percentile(&mut off_m, 1.0) < 1e-3, "{context}");
            }
        }
    }
}

/// How far joints of a blend are from those of the first motion at the times
/// that it names.
fn off_source(found: &Arc<Registration>, weights: &[f64]) -> Vec<f64> {
    let blend = Blend::new(found, Weights::constant(weights).unwrap()).unwrap();
    let skeleton = found.skeleton();
    let mut off_m = Vec::new();
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut models = [ModelPose::default(), ModelPose::default()];
    for frame in 0..blend.frames() {
        let secs = frame as f64 / blend.fps();
        blend.sample(skeleton, secs, &mut cursor, &mut pose);
        models[0].compute(skeleton, &pose);
        let own = blend.source_times(secs)[0];
        found.motions()[0].sample(skeleton, own, &mut ClipCursor::default(), &mut pose);
        models[1].compute(skeleton, &pose);
        let joints = models[0].joints().iter().zip(models[1].joints());
        off_m.extend(joints.map(|(a, b)| f64::from((a.translation - b.translation).length())));
    }
    off_m
}

/// Two captures of one act, the second on the skeleton of the first.
fn captured_pair(names: [&str; 2]) -> Option<(Arc<Skeleton>, [Arc<RawClip>; 2])> {
    let [(skeleton, first), (other, second)] = [captured(names[0])?, captured(names[1])?];
    let map = JointMap::between(&other, &skeleton);
    let second = match skeleton == other {
        true => second,
        false => Arc::new(retarget(&other, &second, &skeleton, &map).unwrap()),
    };
    Some((skeleton, [first, second]))
}

/// The largest change of a joint's speed from frame to frame, metres a second;
/// whose it is, and when.
fn largest_jump(skeleton: &Skeleton, clip: &dyn SampleClip) -> (f32, usize, f64) {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let places = |frame: usize| {
        let mut model = ModelPose::default();
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        model.compute(skeleton, &pose);
        model
    };
    let frames: Vec<ModelPose> = (0..clip.frames()).map(places).collect();
    let mut most = (0.0, 0, 0.0);
    for (frame, window) in frames.windows(3).enumerate() {
        let at = |k: usize, joint: usize| window[k].joints()[joint].translation;
        for joint in 0..skeleton.len() {
            let ways = [0, 1].map(|k| (at(k + 1, joint) - at(k, joint)).length());
            let jump = (ways[1] - ways[0]).abs() * clip.fps() as f32;
            if jump > most.0 {
                most = (jump, joint, (frame + 1) as f64 / clip.fps());
            }
        }
    }
    most
}

/// For each joint the largest change of its speed from frame to frame, metres a
/// second.
fn jumps_of_joints(skeleton: &Skeleton, clip: &dyn SampleClip) -> Vec<f32> {
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let mut model = ModelPose::default();
    let mut most = vec![0.0f32; skeleton.len()];
    let mut before: Vec<Vec<glam::Vec3A>> = Vec::new();
    for frame in 0..clip.frames() {
        clip.sample(skeleton, frame as f64 / clip.fps(), &mut cursor, &mut pose);
        model.compute(skeleton, &pose);
        let places = model.joints().iter().map(|it| it.translation);
        before.push(places.collect());
        if let [.., a, b, c] = &before[..] {
            for (joint, most) in most.iter_mut().enumerate() {
                let ways = [
                    (b[joint] - a[joint]).length(),
                    (c[joint] - b[joint]).length(),
                ];
                *most = most.max((ways[1] - ways[0]).abs() * clip.fps() as f32);
            }
        }
    }
    most
}

/// Joints of a blend whose speed jumps further than in any of its motions (or 5 cm/s,
/// where they stand still): which, how far, and what they may.
fn jumpier(skeleton: &Skeleton, blend: &Blend, clips: &[Arc<RawClip>]) -> Vec<(String, f32, f32)> {
    let own = jumps_of_joints(skeleton, blend);
    let inputs = clips.iter().map(|clip| jumps_of_joints(skeleton, &**clip));
    let inputs: Vec<Vec<f32>> = inputs.collect();
    let most = |joint: usize| inputs.iter().map(|it| it[joint]).fold(0.05, f32::max);
    let joints = (0..skeleton.len()).filter(|&joint| own[joint] > most(joint));
    let told = joints.map(|joint| {
        (
            skeleton.joints()[joint].name.clone(),
            own[joint],
            most(joint),
        )
    });
    told.collect()
}

#[test]
fn blends_of_captures_stand_where_plain_ones_slide() {
    let hdm = |name: &str| format!("hdm05/HDM_{name}_120.amc");
    let walk = |number: &str| format!("cmu-usc520/07_{number}-walk.amc");
    let pairs = [
        [walk("01"), walk("02")],
        [walk("04"), walk("09")],
        [hdm("bd_grabHighR_001"), hdm("bk_grabHighR_006")],
        [hdm("dg_grabHighR_011"), hdm("tr_grabHighR_023")],
        [hdm("bk_squat1Reps_014"), hdm("dg_squat1Reps_025")],
        [
            hdm("bd_jogLeftCircle4StepsRstart_001"),
            hdm("dg_jogLeftCircle4StepsRstart_008"),
        ],
    ];
    for names in &pairs {
        let Some((skeleton, clips)) = captured_pair([&names[0], &names[1]]) else {
            return;
        };
        let found = registered(&skeleton, &[&clips[0], &clips[1]]);
        let inputs = clips
            .each_ref()
            .map(|clip| largest_jump(&skeleton, &**clip));
        let most_jump = inputs[0].0.max(inputs[1].0);
        for weight in [0.25, 0.5, 0.75] {
            let weights = Weights::constant(&[1.0 - weight, weight]).unwrap();
            let blend = Blend::new(&found, weights.clone()).unwrap();
            let plain = PlainBlend::new(&skeleton, clips.to_vec(), &weights).unwrap();
            let (held, plain) = (blend.slide_m(), plain.slide_m());
            let context = format!("{names:?} at {weight}: {held} m against {plain} m");
            assert!(held < 0.015 && plain > 3.0 * held, "{context}");
            assert!(
                blend.contacts().iter().any(|contact| contact.matched),
                "{context}"
            );
            let jump = largest_jump(&skeleton, &blend).0;
            assert!(
                jump <= most_jump,
                "{context}: {jump} m/s against {most_jump}"
            );
        }
    }
}

/// All pairs of captures of one act, and parts of a martial arts form that are
/// alike.
fn pairs_of_one_act() -> Vec<[String; 2]> {
    let hdm = |name: &str| format!("hdm05/HDM_{name}_120.amc");
    let walk = |number: &str| format!("cmu-usc520/07_{number}-walk.amc");
    let acts = [
        [
            "bd_grabHighR_001",
            "bk_grabHighR_006",
            "dg_grabHighR_011",
            "tr_grabHighR_023",
        ]
        .as_slice(),
        &[
            "bk_squat1Reps_014",
            "dg_squat1Reps_025",
            "mm_squat1Reps_037",
        ],
        &[
            "bd_jogLeftCircle4StepsRstart_001",
            "dg_jogLeftCircle4StepsRstart_008",
            "tr_jogLeftCircle4StepsRstart_014",
        ],
        &[
            "bd_rotateArmsBothBackward1Reps_002",
            "dg_rotateArmsBothBackward1Reps_009",
            "tr_rotateArmsBothBackward1Reps_015",
        ],
        &[
            "dg_elbowToKnee1RepsLelbowStart_014",
            "mm_elbowToKnee1RepsLelbowStart_020",
        ],
        &["bd_hopBothLegs1hops_001", "mm_hopBothLegs1hops_032"],
        &["bk_depositFloorR_008", "dg_depositFloorR_013"],
    ];
    let acts = acts.map(|names| names.iter().map(|name| hdm(name)).collect::<Vec<String>>());
    let walks = [
        "01", "02", "04", "05", "06", "07", "08", "09", "10", "11", "12",
    ]
    .map(walk);
    let runs = ["cmu-usc520/09_06-run.amc".to_owned(), walk("12")].to_vec();
    let mut pairs = Vec::new();
    for names in acts.iter().chain([&walks.to_vec(), &runs]) {
        for (k, first) in names.iter().enumerate() {
            pairs.extend(
                names[k + 1..]
                    .iter()
                    .map(|second| [first.clone(), second.clone()]),
            );
        }
    }
    pairs
}

/// `cargo test --release --no-default-features --test register every_pair -- --ignored --nocapture`
#[test]
#[ignore = "some eighty pairs: a minute"]
fn every_pair_of_captures_of_one_act_blends() {
    let mut failed = Vec::new();
    for names in pairs_of_one_act() {
        let Some((skeleton, clips)) = captured_pair([&names[0], &names[1]]) else {
            return;
        };
        let found = registered(&skeleton, &[&clips[0], &clips[1]]);
        let inputs = clips
            .each_ref()
            .map(|clip| largest_jump(&skeleton, &**clip));
        let most = if inputs[0].0 > inputs[1].0 {
            inputs[0]
        } else {
            inputs[1]
        };
        for weight in [0.25, 0.5, 0.75] {
            let weights = Weights::constant(&[1.0 - weight, weight]).unwrap();
            let blend = Blend::new(&found, weights.clone()).unwrap();
            let plain = PlainBlend::new(&skeleton, clips.to_vec(), &weights).unwrap();
            let (slide, plain) = (100.0 * blend.slide_m(), 100.0 * plain.slide_m());
            let (jump, joint, secs) = largest_jump(&skeleton, &blend);
            let joint = skeleton.joints()[joint].name.clone();
            let told = format!(
                "{} {} at {weight}: {slide:.2} cm, plain {plain:.1}; jumps {jump:.2} m/s of {:.2} {:.2} ({joint} at {secs:.2} s)",
                names[0], names[1], inputs[0].0, inputs[1].0
            );
            let further = jumpier(&skeleton, &blend, &clips);
            let bad = slide > 1.5 || jump > most.0 || !further.is_empty();
            println!("{}{told}", if bad { "BAD " } else { "" });
            for (joint, own, most) in &further {
                println!("    {joint}: {own:.2} m/s of {most:.2}");
            }
            failed.extend(bad.then_some(told));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Of people who stand wide and narrow, walk, jog and squat: some moment is
/// always found to lead over without a foot that slides.
#[test]
fn transitions_of_captures_stand() {
    let hdm = |name: &str| format!("hdm05/HDM_{name}_120.amc");
    let walk = |number: &str| format!("cmu-usc520/07_{number}-walk.amc");
    let pairs = [
        [walk("01"), walk("07")],
        [walk("04"), walk("10")],
        [hdm("bd_grabHighR_001"), hdm("bk_grabHighR_006")],
        [hdm("bd_grabHighR_001"), hdm("dg_grabHighR_011")],
        [hdm("dg_squat1Reps_025"), hdm("mm_squat1Reps_037")],
        [hdm("bk_depositFloorR_008"), hdm("dg_depositFloorR_013")],
        [
            hdm("dg_rotateArmsBothBackward1Reps_009"),
            hdm("tr_rotateArmsBothBackward1Reps_015"),
        ],
        [hdm("mm_sneak2StepsLStart_011"), walk("04")],
        [hdm("bd_jogLeftCircle4StepsRstart_001"), walk("01")],
    ];
    for names in &pairs {
        let Some((skeleton, clips)) = captured_pair([&names[0], &names[1]]) else {
            return;
        };
        let joined = Transition::best(&skeleton, clips, 0.4).unwrap();
        let slide = joined.slide_m();
        assert!(slide < 0.02, "{names:?}: {slide} m");
    }
}

#[test]
fn three_motions_find_a_reference_and_a_common_span() {
    let names = ["01", "02", "09"].map(|n| format!("cmu-usc520/07_{n}-walk.amc"));
    let clips: Option<Vec<_>> = names.iter().map(|name| captured(name)).collect();
    let Some(clips) = clips else { return };
    let skeleton = &clips[0].0;
    let motions: Vec<&Arc<RawClip>> = clips.iter().map(|(_, clip)| clip).collect();
    let found = registered(skeleton, &motions);
    let [start, end] = found.range_secs();
    assert!(end - start > 1.5, "{start} to {end} s");
    let single = Weights::constant(&[0.0, 1.0, 0.0]).unwrap();
    let blend = Blend::new(&found, single).unwrap();
    // The second motion as it is, moved over the ground: bones say so.
    let (mut cursor, mut pose, mut own) = Default::default();
    blend.sample(skeleton, 0.5, &mut cursor, &mut pose);
    let secs = blend.source_times(0.5)[1];
    motions[1].sample(skeleton, secs, &mut ClipCursor::default(), &mut own);
    for (a, b) in pose.joints().iter().zip(own.joints()).skip(1) {
        assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6);
    }
}

#[test]
fn what_cannot_be_registered_is_refused_with_the_reason() {
    let Some((skeleton, clip)) = captured(CAPTURES[0]) else {
        return;
    };
    let refused = |clips: Vec<Arc<RawClip>>| {
        let outcome = Registration::new(&skeleton, clips, &PathOptions::default());
        outcome.unwrap_err().to_string()
    };
    let frames = |count: usize| {
        let mut pose = LocalPose::default();
        clip.frame_pose(&skeleton, 0, &mut pose);
        Arc::new(RawClip::from_poses(
            "still",
            &skeleton,
            120.0,
            &vec![pose; count],
        ))
    };
    assert!(refused(vec![Arc::clone(&clip)]).contains("at least two"));
    assert!(refused(vec![Arc::clone(&clip), frames(1)]).contains("1 frame"));
    let hour = frames(120 * 3600);
    assert!(refused(vec![Arc::clone(&hour), hour]).contains("FILE@A..B"));
    let mut other = RawClip::clone(&clip);
    other.joints = 3;
    assert!(refused(vec![Arc::clone(&clip), Arc::new(other)]).contains("retarget"));
    // Nothing moves and no foot ever lifts: still an answer.
    let still = registered(&skeleton, &[&frames(60), &frames(90)]);
    assert!(still.cost_m() < 1e-6);
}
