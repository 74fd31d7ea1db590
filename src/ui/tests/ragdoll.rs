//! The page of a body that is limp.

use super::*;
use crate::{
    posing::{Limpness, PoseAction},
    ui::PosePage,
};

#[test]
fn its_buttons_let_a_body_fall_and_push_it() {
    let mut bench = Bench::new(&[Section::Pose]);
    bench.panels.pose_page = PosePage::Ragdoll;
    bench.panels.pose.strength = 0.25;
    let mut harness = harness(bench);
    let limp = Limpness {
        strength: 0.25,
        below: None,
    };
    let asked = click(&mut harness, "Go limp");
    assert_eq!(asked, [Command::Pose(PoseAction::Ragdoll(Some(limp)))]);
    let asked = click(&mut harness, "forward");
    let [Command::Pose(PoseAction::Push { joint, impulse })] = &asked[..] else {
        panic!("{asked:?}");
    };
    assert!(joint == "hips" && impulse.z > 10.0);
}
