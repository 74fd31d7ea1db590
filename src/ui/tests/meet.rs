//! The page of places and who goes to them.

use super::*;
use crate::{
    posing::{LocatorBase, PoseAction, Start},
    ui::PosePage,
};

#[test]
fn a_place_is_put_and_a_joint_sent_there() {
    let mut bench = Bench::new(&[Section::Pose]);
    bench.panels.pose_page = PosePage::Meet;
    let mut harness = harness(bench);
    let asked = click(&mut harness, "In space");
    let [Command::Pose(PoseAction::Locator(put))] = &asked[..] else {
        panic!("{asked:?}");
    };
    let place = put.place.as_ref().unwrap();
    assert_eq!((&*put.name, &place.base), ("place1", &LocatorBase::World));
    let bench = harness.state_mut();
    let action = PoseAction::Locator(put.clone());
    let done = bench
        .posing
        .act(&action, &bench.skeleton, Start::default(), &bench.pose);
    done.unwrap();
    harness.run_steps(2);
    let asked = click(&mut harness, "Send there");
    let [Command::Pose(meet)] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(meet.to_string(), "meet right_hand place1");
    let bench = harness.state_mut();
    let done = bench
        .posing
        .act(meet, &bench.skeleton, Start::default(), &bench.pose);
    done.unwrap();
    harness.run_steps(2);
    let asked = click(&mut harness, "Let go");
    let [Command::Pose(off)] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert!(off.to_string().ends_with(" off"), "{off}");
    let asked = click(&mut harness, "Stand there");
    let [Command::Pose(stand)] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(stand.to_string(), "stand body place1");
    let asked = click(&mut harness, "Remove");
    let [Command::Pose(gone)] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(gone.to_string(), "locator place1 off");
}

/// A camera of the file is a choice of the Display panel, and there alone.
#[test]
fn cameras_of_the_file_can_be_looked_through() {
    use crate::{
        math::Transform,
        skeleton::{Landmark, Lens, Projection},
    };
    let mut bench = Bench::new(&[Section::Display]);
    let lens = Lens {
        projection: Projection::Perspective { fov_y_rad: 0.7 },
        aspect: None,
    };
    let eye = Landmark {
        name: "eye".into(),
        joint: None,
        place: Transform::IDENTITY,
        lens: Some(lens),
    };
    bench.skeleton = cmu_like().with_landmarks(vec![eye]);
    let mut harness = harness(bench);
    assert_eq!(click(&mut harness, "Seen through"), []);
    let asked = click(&mut harness, "eye");
    assert_eq!(asked, [Command::LookThrough(Some("eye".into()))]);
}

/// A hand that is sent somewhere has a map of its angles.
#[test]
fn the_configuration_space_is_drawn_of_what_is_sent() {
    let mut bench = Bench::new(&[Section::Pose]);
    bench.panels.pose_page = PosePage::Hold;
    let words = ["reach", "left_hand", "0.4", "1.2", "0.3"];
    let action = PoseAction::parse(&words).unwrap().unwrap();
    let (skeleton, mut local) = (bench.skeleton.clone(), bench.local.clone());
    let body = crate::body::Body::bare(&skeleton);
    let posing = &mut bench.posing;
    posing
        .act(&action, &skeleton, Start::default(), &bench.pose)
        .unwrap();
    let context = crate::posing::PoseContext {
        skeleton: &skeleton,
        body: &body,
        world_from_model: Default::default(),
        footing: Default::default(),
        moment: None,
    };
    let mut model = skeleton.rest_model();
    posing.apply(context, &mut local, &mut model, &mut bench.pose);
    let mut harness = harness(bench);
    click(&mut harness, "Configuration space");
    harness.run_steps(20);
    harness.get_by_label("Map of both angles");
    harness.get_by_label_contains("FABRIK");
}
