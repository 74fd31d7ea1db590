//! What `spline` and `tight` promise, held to by a reader that shares no
//! arithmetic with the codecs: at every source frame no point within 3 cm of any
//! joint moves by more than the tolerance. The captures are made up from our own
//! and from the corpus' (other speeds, noise, mirrored, cut, far away), so that
//! no codec was tuned on them.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::path::PathBuf;

use common::{Random, corpus};
use glam::{DQuat, DVec3, Quat, Vec3};
use kinetoscope::{
    clip::{ClipCursor, Interpolation, RawClip, SampleClip},
    codec::CodecSettings,
    load::{LoadOptions, Loaded, load},
    math::Transform,
    skeleton::{Joint, LocalPose, NO_PARENT, Skeleton},
};

/// Frames of a made-up capture at most.
const FRAMES: usize = 70;

/// The joint, and 14 points on the ball around it: along the axes and the
/// diagonals.
fn ball_points() -> Vec<DVec3> {
    let signs = [-1.0, 0.0, 1.0];
    let all = signs.map(|x| signs.map(|y| signs.map(|z| DVec3::new(x, y, z))));
    let all = all.into_iter().flatten().flatten();
    // Edges apart: a point, six axes, eight diagonals.
    let wanted = all.filter(|p| [0.0, 1.0, 3.0].contains(&p.length_squared()));
    wanted.map(|p| p.normalize_or_zero() * 0.03).collect()
}

/// Every point of every joint in model space.
fn points_of(skeleton: &Skeleton, pose: &LocalPose, ball: &[DVec3]) -> Vec<DVec3> {
    let mut model: Vec<(DQuat, DVec3)> = Vec::new();
    for (local, &parent) in pose.joints().iter().zip(skeleton.parents()) {
        let rotation = local.rotation.as_dquat().normalize();
        let offset = local.position().as_dvec3();
        let (above, origin) = match parent {
            NO_PARENT => (DQuat::IDENTITY, DVec3::ZERO),
            parent => model[usize::from(parent)],
        };
        model.push((above * rotation, origin + above * offset));
    }
    let of_joint = |&(rotation, origin): &(DQuat, DVec3)| {
        ball.iter().map(move |&point| origin + rotation * point)
    };
    model.iter().flat_map(of_joint).collect()
}

fn largest_way_cm(skeleton: &Skeleton, raw: &RawClip, clip: &dyn SampleClip) -> f64 {
    let ball = ball_points();
    assert_eq!(ball.len(), 15);
    let (mut source, mut decoded) = (LocalPose::default(), LocalPose::default());
    let mut worst = 0f64;
    for frame in 0..raw.frames() {
        raw.frame_pose(skeleton, frame, &mut source);
        let time_secs = frame as f64 / raw.fps;
        clip.sample(
            skeleton,
            time_secs,
            &mut ClipCursor::default(),
            &mut decoded,
        );
        let pairs = points_of(skeleton, &source, &ball);
        let pairs = pairs.iter().zip(points_of(skeleton, &decoded, &ball));
        worst = pairs.map(|(a, b)| a.distance(b)).fold(worst, f64::max);
    }
    worst * 100.0
}

fn captures() -> Vec<(Skeleton, RawClip)> {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut files = vec![
        vec![assets.join("performer.asf"), assets.join("clips/jump.amc")],
        vec![assets.join("performer.asf"), assets.join("clips/run.amc")],
    ];
    if let Some(corpus) = corpus() {
        let pairs = [
            ["cmu-16/16.asf", "cmu-16/16_29.amc"],
            ["hdm05/HDM_bk.asf", "hdm05/HDM_bk_grabHighR_006_120.amc"],
        ];
        files.extend(pairs.map(|pair| pair.map(|file| corpus.join(file)).to_vec()));
    }
    let loaded = files
        .iter()
        .flat_map(|files| load(files, LoadOptions::default()));
    let motions = loaded.filter_map(|(_, outcome)| match outcome {
        Ok(Loaded::Motion(motion)) => Some((motion.skeleton().clone(), (**motion.raw()).clone())),
        _ => None,
    });
    motions.collect()
}

/// `frames` frames of a clip from `first` on, `speed` of its own a frame.
fn retimed(skeleton: &Skeleton, raw: &RawClip, first: f64, speed: f64) -> RawClip {
    let mut out = RawClip {
        rotations: Vec::new(),
        root_translations: Vec::new(),
        translations: Vec::new(),
        stretches: Vec::new(),
        ..raw.clone()
    };
    let last = (raw.frames() - 1) as f64;
    let mut pose = LocalPose::default();
    for frame in 0..FRAMES {
        let at = (first + frame as f64 * speed).min(last);
        raw.sample_as(Interpolation::Cubic, skeleton, at / raw.fps, &mut pose);
        let joints = pose.joints();
        let animated = out
            .animated
            .iter()
            .map(|&joint| joints[usize::from(joint)].rotation);
        out.rotations.extend(animated);
        out.root_translations.push(joints[0].position());
    }
    out
}

fn noisy(mut raw: RawClip, random: &mut Random) -> RawClip {
    let mut vector =
        |size: f32| Vec3::new(random.signed(), random.signed(), random.signed()) * size;
    for rotation in &mut raw.rotations {
        *rotation = (Quat::from_scaled_axis(vector(0.01)) * *rotation).normalize();
    }
    for place in &mut raw.root_translations {
        *place += vector(0.002);
    }
    raw
}

/// Left becomes right, in skeleton and motion.
fn mirrored(skeleton: &Skeleton, raw: &RawClip) -> (Skeleton, RawClip) {
    let turned = |q: Quat| Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
    let moved = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
    let joints = skeleton.joints().iter().map(|joint| Joint {
        rest: Transform::new(turned(joint.rest.rotation), moved(joint.rest.position())),
        tip: moved(joint.tip),
        axes: turned(joint.axes),
        ..joint.clone()
    });
    let mut raw = raw.clone();
    raw.rotations.iter_mut().for_each(|q| *q = turned(*q));
    raw.root_translations
        .iter_mut()
        .for_each(|v| *v = moved(*v));
    (Skeleton::new("mirrored", joints.collect()).unwrap(), raw)
}

fn shifted(mut raw: RawClip, by: Vec3) -> RawClip {
    raw.root_translations.iter_mut().for_each(|v| *v += by);
    raw
}

#[test]
fn no_point_of_any_ball_moves_farther_than_promised_on_captures_never_seen() {
    let mut random = Random::new(15);
    for (skeleton, raw) in captures() {
        let cut = retimed(&skeleton, &raw, 9.0, 1.0);
        let (mirror, mirrored) = mirrored(&skeleton, &cut);
        let made_up = [
            ("slow", &skeleton, retimed(&skeleton, &raw, 0.0, 0.61)),
            ("fast", &skeleton, retimed(&skeleton, &raw, 3.0, 2.3)),
            ("noisy", &skeleton, noisy(cut.clone(), &mut random)),
            ("mirrored", &mirror, mirrored),
            ("far", &skeleton, shifted(cut, Vec3::new(30.0, 0.0, -50.0))),
        ];
        for (name, skeleton, raw) in made_up {
            for settings in [
                CodecSettings::Spline { tolerance_cm: 0.1 },
                CodecSettings::Spline { tolerance_cm: 1.0 },
                CodecSettings::Tight { tolerance_cm: 0.01 },
                CodecSettings::Tight { tolerance_cm: 0.1 },
                CodecSettings::Tight { tolerance_cm: 1.0 },
            ] {
                let clip = settings.compress(skeleton, &raw).unwrap();
                let worst_cm = largest_way_cm(skeleton, &raw, &clip);
                let tolerance_cm = settings.tolerance_cm().unwrap();
                // A billionth for the order of sums in double precision.
                assert!(
                    worst_cm <= tolerance_cm * (1.0 + 1e-9),
                    "{} {name}, {settings:?}: {worst_cm} cm",
                    raw.name
                );
            }
        }
    }
}
