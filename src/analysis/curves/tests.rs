//! Curves against closed forms: a sine, a circle, a fall.

use std::f64::consts::TAU;

use glam::{Quat, Vec3};

use super::*;
use crate::{
    clip::RawClip,
    skeleton::{Joint, NO_PARENT},
};

const FPS: f64 = 120.0;
const FRAMES: usize = 361;

/// A root and an arm of half a metre along X.
fn arm() -> Skeleton {
    let joints = vec![
        Joint::new("root", NO_PARENT, Vec3::ZERO, Vec3::X * 0.5),
        Joint::new("hand", 0, Vec3::X * 0.5, Vec3::X * 0.1),
    ];
    Skeleton::new("arm", joints).unwrap()
}

fn clip(at: impl Fn(f64) -> Vec3, turn: impl Fn(f64) -> Quat) -> RawClip {
    let secs = || (0..FRAMES).map(|frame| frame as f64 / FPS);
    RawClip {
        fps: FPS,
        joints: 2,
        animated: vec![0],
        rotations: secs().map(turn).collect(),
        root_translations: secs().map(at).collect(),
        ..RawClip::default()
    }
}

fn taken(clip: &RawClip, joint: JointIndex) -> Curves {
    let wanted = Wanted {
        joints: vec![joint],
        channels: Channel::ALL.to_vec(),
        morphs: Vec::new(),
    };
    curves(&arm(), clip, &wanted)
}

fn values(curves: &Curves, channel: Channel, part: usize) -> &[f64] {
    let mut all = curves.curves.iter();
    let found = all.find(|it| it.channel == channel && it.part == part);
    &found.unwrap().values
}

/// Every value within 0.1 % of the largest one of its closed form.
fn agrees(found: &[f64], expected: impl Fn(f64) -> f64, what: &str) {
    let expected: Vec<f64> = (0..FRAMES).map(|it| expected(it as f64 / FPS)).collect();
    let most = expected.iter().fold(0.0f64, |most, it| most.max(it.abs()));
    for (frame, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let off = (found - expected).abs();
        // The window stands aside at the ends, where noise weighs more.
        let allowed = match (12..FRAMES - 12).contains(&frame) {
            true => 1e-3,
            false => 2e-2,
        };
        assert!(
            off <= allowed * most,
            "{what}, frame {frame}: {found} for {expected}"
        );
    }
}

#[test]
fn a_sine_has_the_speed_acceleration_and_jerk_of_its_derivatives() {
    let (size, w) = (0.3, TAU);
    let way = move |t: f64| Vec3::new((size * (w * t).sin()) as f32, 1.0, 0.0);
    let found = taken(&clip(way, |_| Quat::IDENTITY), 0);
    agrees(
        values(&found, Channel::World, 0),
        |t| 100.0 * size * (w * t).sin(),
        "world",
    );
    agrees(
        values(&found, Channel::Speed, 0),
        |t| (size * w * (w * t).cos()).abs(),
        "speed",
    );
    let acceleration = |t: f64| (size * w * w * (w * t).sin()).abs();
    agrees(
        values(&found, Channel::Acceleration, 0),
        acceleration,
        "acceleration",
    );
    let jerk = |t: f64| (size * w * w * w * (w * t).cos()).abs();
    agrees(values(&found, Channel::Jerk, 0), jerk, "jerk");
}

#[test]
fn a_circle_has_r_w_r_w2_and_r_w3_and_angles_without_jumps() {
    let (r, w) = (0.5, 0.8 * TAU);
    let turn = move |t: f64| Quat::from_rotation_z((w * t) as f32);
    let found = taken(&clip(|_| Vec3::ZERO, turn), 1);
    agrees(
        values(&found, Channel::World, 1),
        |t| 100.0 * r * (w * t).sin(),
        "world",
    );
    agrees(values(&found, Channel::Speed, 0), |_| r * w, "speed");
    agrees(
        values(&found, Channel::Acceleration, 0),
        |_| r * w * w,
        "acceleration",
    );
    agrees(values(&found, Channel::Jerk, 0), |_| r * w * w * w, "jerk");
    let root = taken(&clip(|_| Vec3::ZERO, turn), 0);
    agrees(
        values(&root, Channel::Euler, 2),
        |t| (w * t).to_degrees(),
        "angle",
    );
    agrees(
        values(&root, Channel::Quaternion, 3),
        |t| (w * t / 2.0).cos(),
        "quaternion",
    );
}

#[test]
fn a_fall_has_g_and_no_jerk() {
    let way = |t: f64| Vec3::new(0.0, (50.0 - 0.5 * 9.81 * t * t) as f32, 0.0);
    let found = taken(&clip(way, |_| Quat::IDENTITY), 0);
    agrees(values(&found, Channel::Speed, 0), |t| 9.81 * t, "speed");
    // Heights of 50 m are stored to 4 µm, which is all the noise there is.
    for &found in &values(&found, Channel::Acceleration, 0)[12..FRAMES - 12] {
        assert_close!(found, 9.81, 9.81e-3);
    }
}

#[test]
fn a_filter_on_a_clip_keeps_rotations_whole_and_its_curves_as_smooth() {
    let turn = |t: f64| {
        // A slow swing and a tremble of 30 Hz.
        let angle = 0.5 * (TAU * t).sin() + 0.02 * (30.0 * TAU * t).sin();
        Quat::from_rotation_z(angle as f32)
    };
    let rough = clip(|t| Vec3::X * (0.01 * (30.0 * TAU * t).sin()) as f32, turn);
    let filter = Filter::Butterworth { cutoff_hz: 6.0 };
    let smooth = filtered(&rough, filter, None);
    assert!(
        smooth
            .rotations
            .iter()
            .all(|it| (it.length() - 1.0).abs() < 1e-6)
    );
    assert!(
        smooth.root_translations[60..300]
            .iter()
            .all(|it| it.x.abs() < 1e-4)
    );
    let found = taken(&smooth, 0);
    let swing = |t: f64| (0.5 * (TAU * t).sin()).to_degrees();
    let angles = values(&found, Channel::Euler, 2);
    for (frame, &angle) in angles.iter().enumerate().take(300).skip(60) {
        assert_close!(angle, swing(frame as f64 / FPS), 0.06, "frame {frame}");
    }
    let untouched = filtered(&rough, filter, Some(&[1]));
    assert_eq!(untouched, rough);
}

#[test]
fn tables_and_pictures_name_every_curve() {
    let found = taken(&clip(|_| Vec3::ZERO, |_| Quat::IDENTITY), 1);
    let table = csv_of(&[("a".into(), &found)]);
    let head = table.lines().next().unwrap();
    assert!(
        head.starts_with("frame,time_s,hand euler x (°),hand euler y (°)"),
        "{head}"
    );
    assert_eq!(table.lines().count(), FRAMES + 1);
    let two = csv_of(&[("a".into(), &found), ("b".into(), &found)]);
    assert!(two.lines().next().unwrap().contains("b: hand speed (m/s)"));
    let picture = chart_of(&[("a".into(), &found)]);
    assert!(picture.starts_with("<svg") && picture.contains("acceleration"));
}
