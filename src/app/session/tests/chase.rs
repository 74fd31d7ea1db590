//! The camera behind whoever is driven.

use super::*;
use crate::app::{drive::CharacterSource, gamepad::PadEvent};

/// Seconds, key, down or up: a walk, a run, turns both ways, a jump.
const TOUR: [(f64, &str, bool); 10] = [
    (0.5, "W", true),
    (2.0, "Shift", true),
    (3.0, "A", true),
    (5.0, "A", false),
    (6.0, "Space", true),
    (6.1, "Space", false),
    (7.0, "D", true),
    (9.5, "D", false),
    (10.0, "Shift", false),
    (11.0, "W", false),
];
const FPS: f64 = 60.0;
const ASPECT: f32 = 1.6;

fn driven() -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    rehearsal.session.set_mode(Mode::Drive);
    rehearsal
        .session
        .load_animator(CharacterSource::default(), &outbox);
    // The performer's clips arrive for View as well and must not turn the camera.
    rehearsal.until(|session| session.clips.lead.is_some() && session.driven().is_some());
    rehearsal
}

#[test]
fn it_stays_behind_and_sees_the_whole_body() {
    let mut rehearsal = driven();
    let mut tour = TOUR.iter().peekable();
    let mut eyes = Vec::new();
    for frame in 0..(12.0 * FPS) as usize {
        let secs = frame as f64 / FPS;
        while let Some((_, key, down)) = tour.next_if(|(at, ..)| *at <= secs) {
            rehearsal.session.drive_key(key, *down);
        }
        rehearsal.tick(1.0 / FPS);
        let scene = rehearsal.session.scene();
        let (camera, lead) = (scene.camera.camera, scene.lead().unwrap());
        let view = camera.view(ASPECT);
        let seen = |at| view.project(at).unwrap();
        let joints = lead.world_pose().joints();
        let hips = seen(joints[0].position());
        let middle = 1.0 / 3.0..=2.0 / 3.0;
        assert!(
            middle.contains(&hips.x) && middle.contains(&hips.y),
            "{secs} s: {hips}"
        );
        for joint in joints {
            let at = seen(joint.position());
            let inside = 0.0..=1.0;
            assert!(
                inside.contains(&at.x) && inside.contains(&at.y),
                "{secs} s: {at}"
            );
        }
        let (sin, cos) = lead.heading_rad().sin_cos();
        let ahead = glam::Vec3::new(sin, 0.0, cos);
        assert!(
            camera.direction().dot(ahead) < -0.5,
            "{secs} s: not from behind"
        );
        assert!(view.eye.y > 0.1, "above the ground");
        // Far points of one height, left and right, are at one height.
        let forward = -camera.direction().with_y(0.0).normalize();
        let right = forward.cross(glam::Vec3::Y);
        let far = view.eye + 1000.0 * forward;
        let horizon = [-300.0, 0.0, 300.0].map(|side| seen(far + side * right).y);
        let level = horizon.iter().all(|y| (y - horizon[1]).abs() < 1e-3);
        assert!(level, "{secs} s: {horizon:?}");
        // As the character sees it: behind is behind, whichever way it looks.
        let from_world = glam::Quat::from_rotation_y(-lead.heading_rad());
        eyes.push(from_world * (view.eye - lead.footing()));
    }
    let steps: Vec<glam::Vec3> = eyes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let furthest_m = steps.iter().map(|step| step.length()).fold(0.0, f32::max);
    let jerks = steps.windows(2).map(|pair| pair[0].distance(pair[1]));
    let jump_m = jerks.fold(0.0, f32::max);
    println!("the eye moves {furthest_m} m a frame at most; that changes by {jump_m} m");
    assert!(furthest_m < 0.05, "{furthest_m}");
    assert!(jump_m < 0.015, "{jump_m}");
}

/// The way over the ground in a second, with the eye taken round by `side_rad`.
fn walked(rehearsal: &mut Rehearsal, side_rad: f32) -> (glam::Vec3, glam::Vec3) {
    let camera = &mut rehearsal.session.scene_mut().camera.camera;
    camera.orbit(side_rad, 0.0);
    rehearsal.session.drive_key("W", true);
    (0..180).for_each(|_| rehearsal.tick(1.0 / FPS));
    let from = rehearsal.session.scene().footing();
    (0..60).for_each(|_| rehearsal.tick(1.0 / FPS));
    let scene = rehearsal.session.scene();
    let towards = scene.camera.camera.direction();
    (scene.footing() - from, towards)
}

#[test]
fn ahead_is_away_from_whoever_looks() {
    for side_rad in [0.0, 1.2, -2.0, 3.0] {
        let mut rehearsal = driven();
        rehearsal.tick(1.0 / FPS);
        let (way, towards) = walked(&mut rehearsal, side_rad);
        let away = -towards.with_y(0.0).normalize();
        let along = way.normalize().dot(away);
        assert!(along > 0.98, "{side_rad}: {along}");
    }
}

#[test]
fn a_camera_that_only_follows_may_be_taken_round() {
    let mut rehearsal = driven();
    rehearsal.session.options.display.drive_camera = CameraMode::Follow;
    rehearsal.tick(1.0 / FPS);
    let (way, towards) = walked(&mut rehearsal, 3.0);
    assert!(way.normalize().dot(towards) > 0.9, "towards the camera");
}

#[test]
fn a_gamepad_drives_looks_round_and_lets_go_when_it_is_unplugged() {
    let mut rehearsal = driven();
    let pad = |rehearsal: &mut Rehearsal, control, share| {
        rehearsal
            .session
            .receive_pad(PadEvent::Held(control, share));
    };
    let name = || "Pad of plastic".to_owned();
    rehearsal.session.receive_pad(PadEvent::Arrived(name()));
    assert_eq!(rehearsal.session.driven().unwrap().view.pad, Some(name()));
    pad(&mut rehearsal, "LeftStickUp", 0.9);
    (0..60).for_each(|_| rehearsal.tick(1.0 / FPS));
    let speed = |rehearsal: &Rehearsal| rehearsal.session.driven().unwrap().view.speed_m_per_s;
    assert!(speed(&rehearsal) > 0.8);
    let before = rehearsal.session.scene().camera.camera.elevation_rad;
    pad(&mut rehearsal, "RightStickUp", 1.0);
    (0..6).for_each(|_| rehearsal.tick(1.0 / FPS));
    let looked = rehearsal.session.scene().camera.camera.elevation_rad;
    assert!((before - looked).abs() > 0.1, "{before} and {looked}");
    rehearsal.session.receive_pad(PadEvent::Left(name()));
    (0..120).for_each(|_| rehearsal.tick(1.0 / FPS));
    assert!(speed(&rehearsal) < 0.1, "it went on without a hand");
    assert_eq!(rehearsal.session.driven().unwrap().view.pad, None);
}

#[test]
fn each_mode_keeps_its_own_camera() {
    let mut rehearsal = driven();
    rehearsal.tick(0.1);
    let behind = rehearsal.session.scene().camera.camera.azimuth_rad;
    rehearsal.session.set_mode(Mode::View);
    rehearsal.tick(0.1);
    let three_quarter = rehearsal.session.scene().camera.camera.azimuth_rad;
    assert!(
        (behind - three_quarter).abs() > 1.0,
        "{behind} and {three_quarter}"
    );
    rehearsal.session.set_mode(Mode::Drive);
    rehearsal.tick(0.1);
    assert_close!(
        rehearsal.session.scene().camera.camera.azimuth_rad,
        behind,
        0.05
    );
}

#[test]
fn the_key_changes_the_mode_s_own_camera_and_says_so() {
    let mut rehearsal = driven();
    rehearsal
        .session
        .apply(Command::Do(Action::Toggle(Switch::Follow)));
    let display = rehearsal.session.options.display;
    assert_eq!(display.drive_camera, CameraMode::Still);
    assert_eq!(display.camera, CameraMode::Follow);
    let told = rehearsal.session.notices.list();
    assert!(
        told.iter()
            .any(|notice| notice.text.contains("stays where it is"))
    );
}
