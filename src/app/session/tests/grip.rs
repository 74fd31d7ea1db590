//! Joints in the hand, in View and in Drive.

use glam::Vec3;

use super::*;
use crate::{
    app::drive::CharacterSource,
    posing::{Limpness, PoseAction},
    skeleton::JointIndex,
};

const SIZE: Vec2 = Vec2::new(1280.0, 800.0);

fn joint(session: &Session, name: &str) -> JointIndex {
    let lead = session.scene().lead().unwrap();
    lead.skeleton.find(name).unwrap()
}

fn place(session: &Session, joint: JointIndex) -> Vec3 {
    let lead = session.scene().lead().unwrap();
    lead.world_pose().joints()[usize::from(joint)].position()
}

/// Where a joint is seen, pixels.
fn seen(session: &Session, joint: JointIndex) -> Vec2 {
    let camera = session.scene().camera.camera;
    let view = camera.view(SIZE.x / SIZE.y);
    view.project(place(session, joint)).unwrap() * SIZE
}

/// A joint that the pointer finds, and where it is seen. Others may be before it.
fn in_reach(session: &Session, name: &str) -> (JointIndex, Vec2) {
    let wanted = joint(session, name);
    let at = seen(session, wanted);
    let spots = (-12..=12).flat_map(|x| (-12..=12).map(move |y| Vec2::new(x as f32, y as f32)));
    let at = { spots }
        .map(|off| at + off)
        .find(|at| session.joint_in_reach(*at, SIZE) == Some(wanted));
    (wanted, at.unwrap())
}

fn viewing() -> Rehearsal {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    rehearsal
        .session
        .scene_mut()
        .camera
        .set_view(Default::default(), SIZE.x / SIZE.y);
    rehearsal.session.view_scene.clock.playing = false;
    // The camera comes to rest.
    (0..60).for_each(|_| rehearsal.tick(0.1));
    rehearsal
}

#[test]
fn a_hand_follows_the_pointer_and_eases_back() {
    let mut rehearsal = viewing();
    let (hand, at) = in_reach(&rehearsal.session, "lhand");
    let (before, drawn) = (
        place(&rehearsal.session, hand),
        seen(&rehearsal.session, hand),
    );
    assert_eq!(rehearsal.session.take_hold(at, SIZE), Some(Grip::Joint));
    rehearsal.tick(0.1);
    assert_close!(
        place(&rehearsal.session, hand),
        before,
        1e-3,
        "nothing jumps"
    );
    let way = Vec2::new(20.0, -60.0);
    rehearsal.session.pull_joint(at + way, SIZE);
    rehearsal.tick(0.1);
    let off = seen(&rehearsal.session, hand).distance(drawn + way);
    assert!(off < 2.0, "{off} px from the pointer");
    assert!(rehearsal.session.pulled_cm().unwrap() > 5.0);
    assert!(
        rehearsal.session.is_moving(),
        "a paused clip is drawn as well"
    );
    rehearsal.session.release_joint();
    assert_eq!(rehearsal.session.held_joint(), None);
    rehearsal.tick(0.05);
    let left = place(&rehearsal.session, hand).distance(before);
    assert!(left > 0.02, "it eases back: {left} m at once");
    (0..60).for_each(|_| rehearsal.tick(0.05));
    assert_close!(place(&rehearsal.session, hand), before, 1e-3);
    assert!(!rehearsal.session.is_moving());
}

#[test]
fn hips_can_be_pulled_and_the_camera_does_not_run_after_them() {
    let mut rehearsal = viewing();
    let (hips, at) = in_reach(&rehearsal.session, "root");
    rehearsal.session.take_hold(at, SIZE);
    rehearsal
        .session
        .pull_joint(at + Vec2::new(40.0, 30.0), SIZE);
    // It comes there by small steps.
    (0..20).for_each(|_| rehearsal.tick(0.05));
    let first = place(&rehearsal.session, hips);
    (0..60).for_each(|_| rehearsal.tick(0.05));
    assert_close!(place(&rehearsal.session, hips), first, 1e-3);
}

#[test]
fn whoever_walks_takes_the_hold_along() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    let outbox = rehearsal.outbox();
    rehearsal.session.set_mode(Mode::Drive);
    let source = CharacterSource::default();
    rehearsal.session.load_animator(source, &outbox);
    rehearsal.until(|session| session.clips.lead.is_some() && session.driven().is_some());
    rehearsal
        .session
        .scene_mut()
        .camera
        .set_view(Default::default(), SIZE.x / SIZE.y);
    rehearsal.tick(0.1);
    let (hand, at) = in_reach(&rehearsal.session, "rhand");
    assert_eq!(rehearsal.session.take_hold(at, SIZE), Some(Grip::Joint));
    let goal = seen(&rehearsal.session, hand) + Vec2::new(40.0, -40.0);
    rehearsal
        .session
        .pull_joint(at + Vec2::new(40.0, -40.0), SIZE);
    rehearsal.session.drive_key("W", true);
    for _ in 0..180 {
        rehearsal.tick(1.0 / 60.0);
    }
    let (root, _) = rehearsal.session.scene().root_heading();
    assert!(root.length() > 1.0, "{root}");
    let off = seen(&rehearsal.session, hand).distance(goal);
    assert!(off < 12.0, "{off} px from the pointer after three metres");
    // Another mode lets go.
    rehearsal.session.set_mode(Mode::View);
    assert_eq!(
        rehearsal.session.drive_scene.lead().unwrap().held_joint(),
        None
    );
}

#[test]
fn cloth_before_a_joint_is_what_is_pulled() {
    let mut rehearsal = viewing();
    rehearsal.session.apply(Command::Cloth(small_sheet(1)));
    (0..20).for_each(|_| rehearsal.tick(0.05));
    let mut taken = [0, 0];
    for _ in 0..8 {
        rehearsal.session.scene_mut().camera.orbit(0.8, 0.0);
        let session = &mut rehearsal.session;
        let view = session.scene().camera.camera.view(SIZE.x / SIZE.y);
        for index in 0..session.scene().lead().unwrap().skeleton.len() as JointIndex {
            let at = seen(session, index);
            let near = session.joint_at(at, SIZE).unwrap();
            let joint_m = place(session, near).distance(view.eye);
            let cloth_m = session.scene().cloth.distance_at(&view, at, SIZE);
            let wanted = match cloth_m.is_some_and(|cloth_m| cloth_m <= joint_m) {
                true => Grip::Cloth,
                false => Grip::Joint,
            };
            assert_eq!(session.take_hold(at, SIZE), Some(wanted));
            taken[usize::from(wanted == Grip::Cloth)] += 1;
            session.release_cloth();
            session.release_joint();
        }
    }
    assert!(taken.iter().all(|count| *count > 0), "{taken:?}");
}

#[test]
fn a_joint_let_go_with_a_push_fells_the_body_and_it_gets_up() {
    let mut rehearsal = viewing();
    let (chest, at) = in_reach(&rehearsal.session, "root");
    rehearsal.session.take_hold(at, SIZE);
    rehearsal
        .session
        .pull_joint(at + Vec2::new(150.0, 0.0), SIZE);
    rehearsal.tick(0.05);
    rehearsal.session.throw_joint();
    assert_eq!(rehearsal.session.held_joint(), None);
    rehearsal.tick(0.05);
    let word = |session: &Session| session.scene().lead().unwrap().posing().fall().word();
    assert!(word(&rehearsal.session).is_some());
    rehearsal.session.pose(&PoseAction::Ragdoll(Some(Limpness {
        strength: 0.0,
        below: None,
    })));
    (0..120).for_each(|_| rehearsal.tick(0.05));
    assert_eq!(word(&rehearsal.session), Some("lying"));
    // On its back, or sunk onto its heels.
    let low = place(&rehearsal.session, chest).y;
    assert!(low < 0.6, "{low} m");
    assert!(!rehearsal.session.is_moving(), "what lies needs no frames");
    rehearsal.session.pose(&PoseAction::Ragdoll(None));
    (0..140).for_each(|_| rehearsal.tick(0.05));
    assert_eq!(word(&rehearsal.session), None);
    assert!(place(&rehearsal.session, chest).y > 0.8);
}

/// Dragged with *Keep what is dragged*: the hand stays where it was left, can be
/// taken back and brought again; a pinned hand stays.
#[test]
fn what_is_dragged_can_be_kept_and_taken_back() {
    let mut rehearsal = viewing();
    rehearsal.session.panels.pose.keep = true;
    let (hand, at) = in_reach(&rehearsal.session, "lhand");
    let before = place(&rehearsal.session, hand);
    rehearsal.session.take_hold(at, SIZE);
    rehearsal.tick(0.1);
    let way = Vec2::new(20.0, -60.0);
    rehearsal.session.pull_joint(at + way, SIZE);
    rehearsal.tick(0.1);
    let dragged = place(&rehearsal.session, hand);
    rehearsal.session.release_joint();
    (0..20).for_each(|_| rehearsal.tick(0.05));
    assert_close!(place(&rehearsal.session, hand), dragged, 5e-3);
    let kept = |session: &Session| session.scene().lead().unwrap().posing().kept().len();
    assert_eq!(kept(&rehearsal.session), 1);
    rehearsal.session.apply(Command::UndoDrag);
    rehearsal.tick(0.05);
    assert_close!(place(&rehearsal.session, hand), before, 1e-4);
    rehearsal.session.apply(Command::RedoDrag);
    rehearsal.tick(0.05);
    assert_close!(place(&rehearsal.session, hand), dragged, 5e-3);
    let other = joint(&rehearsal.session, "rhand");
    rehearsal.session.toggle_pin(other);
    let lead = rehearsal.session.scene().lead().unwrap();
    assert_eq!(lead.posing().chosen_pins().len(), 3, "both feet and a hand");
}
