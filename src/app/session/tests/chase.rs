//! The camera behind whoever is driven.

use super::*;
use crate::app::drive::CharacterSource;

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
    let mut eye_before = None;
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
        let offset = view.eye - lead.footing();
        let step = eye_before.map_or(0.0, |before: glam::Vec3| before.distance(offset));
        assert!(step < 0.2, "{secs} s: it jumped by {step} m");
        eye_before = Some(offset);
    }
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
