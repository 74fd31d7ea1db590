//! The skeleton section.

use super::*;

#[test]
fn the_joint_tree_searches_and_selects() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.panels.joint_search = "HAND".into();
    let mut harness = harness(bench);
    assert!(harness.query_by_label("root").is_none());
    let wanted = harness.state().skeleton.find("lhand");
    assert!(wanted.is_some());
    assert_eq!(click(&mut harness, "lhand"), [Command::Select(wanted)]);
    harness.state_mut().selected = wanted;
    harness.run_steps(2);
    let parent = harness.state().skeleton.find("lwrist");
    assert_eq!(click(&mut harness, "in lwrist"), [Command::Select(parent)]);
}

#[test]
fn the_chosen_joint_shows_its_curves() {
    let mut bench = Bench::new(&[Section::Skeleton]);
    bench.selected = Some(3);
    bench.curves = Some(JointCurves {
        secs: vec![0.0, 1.0, 2.0],
        angles_deg: [vec![0.0, 10.0, 20.0], vec![5.0; 3], vec![0.0, -5.0, 0.0]],
        positions_cm: [vec![0.0, 30.0, 60.0], vec![90.0; 3], vec![0.0; 3]],
    });
    let mut harness = harness(bench);
    click(&mut harness, "Angles");
    assert!(
        harness
            .query_by_label("turned in its parent, degrees")
            .is_some()
    );
    click(&mut harness, "Position");
    assert!(
        harness
            .query_by_label("position in the world, cm")
            .is_some()
    );
}
