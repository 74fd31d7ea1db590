//! The retarget section.

use egui_kittest::SnapshotResults;

use super::{
    pictures::{SECTION, compare_pictures},
    *,
};
use crate::{
    humanoid::{Limb, Role},
    retarget::JointMap,
    skeleton::{Joint, NO_PARENT},
    ui::retarget::section_ui,
};

struct Bench {
    characters: Vec<String>,
    chosen: Option<usize>,
    map: Option<JointMap>,
    skeleton: Skeleton,
    shows_pose: bool,
    panels: PanelState,
    commands: Vec<Command>,
}

impl Bench {
    fn show(&mut self, ui: &mut Ui) {
        let view = RetargetView {
            characters: &self.characters,
            chosen: self.chosen,
            map: self.map.as_ref(),
            mirror: false,
            source: &self.skeleton,
            target: &self.skeleton,
            shows_pose: self.shows_pose,
            joint: Some("lhumerus"),
            fault: None,
        };
        section_ui(ui, &mut self.panels, (Some(view), None), &mut self.commands);
    }
}

fn bench(map: bool) -> Bench {
    let skeleton = cmu_like();
    let mut found = JointMap::between(&skeleton, &skeleton);
    found.set(Role::Left(Limb::Clavicle), None, Some(Vec::new()));
    Bench {
        characters: vec!["performer".into(), "robot.glb".into()],
        chosen: map.then_some(1),
        map: map.then_some(found),
        skeleton,
        shows_pose: false,
        panels: PanelState::default(),
        commands: Vec::new(),
    }
}

fn harness(map: bool) -> Harness<'static, Bench> {
    let size = egui::Vec2::new(340.0, 1400.0);
    Harness::builder()
        .with_size(size)
        .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench(map))
}

fn asked(harness: &Harness<'_, Bench>) -> Vec<Retargeting> {
    let commands = harness.state().commands.iter();
    let asked = commands.filter_map(|command| match command {
        Command::Retarget(asked) => Some(asked.clone()),
        _ => None,
    });
    asked.collect()
}

#[test]
fn the_retarget_section_looks_as_kept() {
    let mut kept = SnapshotResults::new();
    for (name, map) in [("retarget_none", false), ("retarget", true)] {
        let show = |ui: &mut Ui, it: &mut Bench| it.show(ui);
        compare_pictures(&mut kept, name, SECTION, show, || bench(map));
    }
}

#[test]
fn the_retarget_pose_is_shown_and_a_joint_of_it_turned() {
    let mut harness = harness(true);
    harness.get_by_label("Retarget pose").click();
    harness.run_steps(2);
    assert_eq!(asked(&harness), [Retargeting::ShowPose(true)]);
    let bench = harness.state_mut();
    bench.commands.clear();
    bench.shows_pose = true;
    let map = bench.map.as_mut().unwrap();
    map.turn_pose("lhumerus", [0.0, 10.0, 0.0]);
    harness.run_steps(2);
    harness.get_by_label("Turn about up").click();
    harness.run_steps(2);
    harness.get_by_label("As found").click();
    harness.run_steps(2);
    let back = Retargeting::TurnPose("lhumerus".into(), [0.0; 3]);
    assert_eq!(asked(&harness), [back]);
}

#[test]
fn a_character_is_chosen_from_the_list() {
    let mut harness = harness(false);
    assert!(harness.query_by_label("Save map").is_none());
    harness.get_by_label("Character").click();
    harness.run();
    harness.get_by_label("performer").click();
    harness.run();
    assert_eq!(asked(&harness), [Retargeting::PlayOn(Some(0))]);
}

#[test]
fn mirror_and_buttons_ask_for_what_they_say() {
    let mut harness = harness(true);
    for label in ["Mirrored", "Match again", "Save map", "Load map…"] {
        harness.get_by_label(label).click();
        harness.run();
    }
    let wanted = [
        Retargeting::Mirror(true),
        Retargeting::Find,
        Retargeting::SaveMap,
        Retargeting::LoadMap,
    ];
    assert_eq!(asked(&harness), wanted);
}

#[test]
fn a_gap_is_shown_and_a_joint_is_set() {
    let mut harness = harness(true);
    harness.get_by_label("1 part is not matched:");
    harness.get_by_label("left clavicle: the target has none");
    harness.get_by_label("left clavicle, target").click();
    harness.run();
    // The first of the list: others may have to be scrolled to.
    harness.get_by_label("root").click();
    harness.run();
    let wanted = Retargeting::Link {
        role: Role::Left(Limb::Clavicle),
        from: None,
        to: Some(vec!["root".into()]),
    };
    assert_eq!(asked(&harness), [wanted]);
}

/// Fingers of both hands, spelt as a rig with a name space does.
fn long_names() -> Skeleton {
    let side = |side: &str, sign: f32, first: u16| {
        let name = |part: &str| format!("mixamorig:{side}{part}");
        let at = |x: f32, y: f32| Vec3::new(sign * x, y, 0.0);
        let mut joints = vec![
            Joint::new(name("UpLeg"), 0, at(0.1, 0.0), at(0.0, -0.4)),
            Joint::new(name("Leg"), first, at(0.0, -0.4), at(0.0, -0.4)),
            Joint::new(name("Foot"), first + 1, at(0.0, -0.4), Vec3::Z * 0.2),
            Joint::new(name("Arm"), 1, at(0.2, 0.4), at(0.3, 0.0)),
            Joint::new(name("ForeArm"), first + 3, at(0.3, 0.0), at(0.3, 0.0)),
            Joint::new(name("Hand"), first + 4, at(0.3, 0.0), at(0.1, 0.0)),
        ];
        for finger in ["Thumb", "Index", "Middle", "Ring", "Pinky"] {
            let name = name(&format!("Hand{finger}1"));
            joints.push(Joint::new(name, first + 5, at(0.1, 0.0), at(0.05, 0.0)));
        }
        joints
    };
    let root = Joint::new("mixamorig:Hips", NO_PARENT, Vec3::Y, Vec3::Y * 0.1);
    let spine = Joint::new("mixamorig:Spine", 0, Vec3::Y * 0.1, Vec3::Y * 0.5);
    let head = Joint::new("mixamorig:Head", 1, Vec3::Y * 0.6, Vec3::Y * 0.2);
    let mut joints = vec![root, spine, head];
    joints.extend(side("Left", 1.0, 3));
    joints.extend(side("Right", -1.0, 14));
    Skeleton::new("rig", joints).unwrap()
}

#[test]
fn a_hand_is_one_line_that_unfolds_and_names_keep_their_end() {
    let skeleton = long_names();
    let mut bench = bench(true);
    bench.map = Some(JointMap::between(&skeleton, &skeleton));
    bench.skeleton = skeleton;
    let size = egui::Vec2::new(304.0, 1400.0);
    let mut harness = Harness::builder()
        .with_size(size)
        .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    let finger = "left ring finger, source";
    assert!(harness.query_by_label(finger).is_none());
    let hand = harness.get_by_label("left fingers");
    hand.click();
    harness.run();
    assert!(harness.query_by_label(finger).is_some());
    assert!(
        harness
            .query_by_label("right ring finger, source")
            .is_none()
    );
    let shown = harness.get_by_label("left forearm, source").value();
    let shown = shown.unwrap_or_default();
    assert!(
        !shown.contains("mixamorig") && shown.ends_with("ForeArm"),
        "{shown}"
    );
}
