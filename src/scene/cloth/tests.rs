use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};

use super::*;
use crate::{
    scene::{ClothLook, FrameData},
    skeleton::testing::cmu_like,
};

fn person() -> (Skeleton, Body, WorldPose) {
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let mut pose = WorldPose::from(skeleton.rest_model());
    let lift = Vec3A::Y * 0.95;
    for joint in pose.joints_mut() {
        joint.translation += lift;
    }
    (skeleton, body, pose)
}

fn moved(pose: &WorldPose, by: Transform) -> WorldPose {
    let mut pose = pose.clone();
    for joint in pose.joints_mut() {
        *joint = by * *joint;
    }
    pose
}

fn middle(drape: &ClothInstance) -> Vec3 {
    let cloth = drape.cloth();
    cloth.positions().sum::<Vec3>() / cloth.len() as f32
}

#[test]
fn every_set_up_hangs_and_is_drawn_with_what_belongs_to_it() {
    let (skeleton, body, pose) = person();
    for (preset, props) in ClothPreset::ALL.into_iter().zip([1, 0, 1, 0, 0, 0, 0]) {
        let mut drape = ClothInstance::new(preset, (&skeleton, &body), &pose, 0.0).unwrap();
        drape.advance_to(0.1, |_| pose.clone());
        assert_close!(drape.time_secs(), 0.1, 1e-9);
        let mut frame = FrameData::default();
        frame.push_cloth(&drape, ClothLook::default());
        assert_eq!(frame.sheets().len(), 1 + props, "{preset}");
        assert!(frame.lines.is_empty());
        let [columns, rows] = preset.resolution();
        let count = frame.sheets()[0].vertices.len();
        // A shirt has as many rows as its cells need.
        assert!(count == columns * rows || preset == ClothPreset::Shirt);
        assert!(Arc::ptr_eq(&frame.sheets()[0].indices, &drape.indices));
        for sheet in frame.sheets() {
            let count = sheet.vertices.len() as u32;
            assert!(sheet.indices.iter().all(|&index| index < count));
        }
        let solids = ClothLook {
            colliders: true,
            ..ClothLook::default()
        };
        frame.push_cloth(&drape, solids);
        let boxes = drape.setup().contact == ClothContact::Solids;
        // What meets the skin itself has no solids to show.
        assert!(!boxes || frame.lines.len() > 100, "{preset}");
    }
}

#[test]
fn pins_and_columns_are_as_chosen() {
    let (skeleton, body, pose) = person();
    let pinned = |preset: ClothPreset, pins: PinChoice| {
        let mut setup = ClothSetup::from(preset).with_columns(12);
        setup.pins = pins;
        let drape = ClothInstance::new(setup, (&skeleton, &body), &pose, 0.0).unwrap();
        let cloth = drape.cloth();
        (0..cloth.len()).filter(|&at| cloth.is_pinned(at)).count()
    };
    assert_eq!(pinned(ClothPreset::Panel, PinChoice::Edge), 12);
    assert_eq!(pinned(ClothPreset::Cape, PinChoice::Corners), 2);
    assert_eq!(pinned(ClothPreset::Flag, PinChoice::Corners), 2);
    assert_eq!(pinned(ClothPreset::Flag, PinChoice::Free), 0);
    assert_eq!(pinned(ClothPreset::Blanket, PinChoice::Edge), 0);
    let setup = ClothSetup::from(ClothPreset::Flag).with_columns(20);
    assert_eq!(setup.resolution, [20, 13]);
}

/// Whoever wears a cape may be far from where it was made when it tears.
#[test]
fn a_torn_cape_is_put_back_where_its_wearer_is() {
    let (skeleton, body, pose) = person();
    let mut drape = ClothInstance::new(ClothPreset::Cape, (&skeleton, &body), &pose, 0.0).unwrap();
    let before = middle(&drape);
    let by = |k: usize| {
        let turn = Quat::from_rotation_y(0.01 * k as f32);
        Transform::new(turn, Vec3::new(0.0, 0.0, 0.02 * k as f32))
    };
    for k in 1..=60 {
        drape.step(&moved(&pose, by(k)));
    }
    assert_eq!(drape.blow_ups(), 0);
    let last = drape.cloth().len() - 1;
    drape.cloth_mut().pin(last);
    drape.cloth_mut().move_pin(last, Vec3::splat(80.0));
    drape.step(&moved(&pose, by(61)));
    assert_eq!(drape.blow_ups(), 1);
    let expected = by(61).transform_point(before.into());
    assert!(middle(&drape).distance(expected.into()) < 0.2);
    for k in 62..=90 {
        drape.step(&moved(&pose, by(k)));
    }
    assert_eq!(drape.blow_ups(), 1, "it hangs on");
}

#[test]
fn a_jump_takes_the_cape_along_and_sweeps_nothing() {
    let (skeleton, body, pose) = person();
    let mut drape = ClothInstance::new(ClothPreset::Cape, (&skeleton, &body), &pose, 0.0).unwrap();
    let before = middle(&drape);
    let far = Transform::new(Quat::from_rotation_y(2.0), Vec3::new(5.0, 0.0, -3.0));
    let there = moved(&pose, far);
    assert!(drape.travel_m(&there) > 2.0);
    drape.jump(&there);
    assert!(drape.travel_m(&there) < 1e-6);
    drape.step(&there);
    assert_eq!(drape.blow_ups(), 0);
    let expected = Vec3::from(far.transform_point(before.into()));
    assert!(middle(&drape).distance(expected) < 0.05);
    assert!(drape.cloth().stats().max_stretch < 1.05);
}

/// A garment that begins through itself would never come right again.
#[test]
fn what_is_cut_does_not_pass_through_itself() {
    let (skeleton, body, pose) = person();
    let (place, mut faults) = (pose.joints()[0].position(), Vec::new());
    for preset in ClothPreset::ALL.into_iter().filter(|it| it.is_garment()) {
        let worn = ClothInstance::unsettled(preset, (&skeleton, &body), &pose, 0.0).unwrap();
        let through: Vec<_> = worn
            .crossings()
            .iter()
            .map(|it| it.at - Vec3A::from(place))
            .collect();
        let triangles = worn.cloth().sheet().triangles();
        let at = |triangle: u32| {
            worn.cloth()
                .position(triangles[triangle as usize][0] as usize)
                - place
        };
        let own: Vec<_> = { worn.cloth().self_crossings().into_iter() }
            .map(|pair| (pair, pair.map(at)))
            .collect();
        if !own.is_empty() || !through.is_empty() {
            faults.push(format!(
                "{preset}: {own:.3?} through itself, through the skin at {through:.3?}"
            ));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Whoever has no knees gets no skirt, and is told why.
#[test]
fn a_garment_needs_a_body_that_it_fits() {
    let links = [
        ("a", "root", [0.0, 0.0, 0.3]),
        ("b", "a", [0.0, 0.0, 0.3]),
        ("c", "b", [0.0, 0.0, 0.3]),
    ];
    let skeleton = crate::skeleton::testing::from_bones("snake", &links);
    let body = Body::grow(&skeleton);
    let pose = WorldPose::from(skeleton.rest_model());
    let worn = ClothInstance::new(ClothPreset::Skirt, (&skeleton, &body), &pose, 0.0);
    let fault = worn.map(|_| ()).unwrap_err();
    assert!(matches!(fault, SheetError::NoBody(_)), "{fault}");
}

/// What stands in its way holds the cloth, and what is moved takes it along.
#[test]
fn own_solids_are_met_and_moved() {
    let (skeleton, body, pose) = person();
    let dressed = (&skeleton, &body);
    let mut drape = ClothInstance::new(ClothPreset::Panel, dressed, &pose, 0.0).unwrap();
    let depth_m = |drape: &ClothInstance, at_m: [f32; 3]| {
        let centre = drape.world_from_character.transform_point(at_m.into());
        let gaps = drape.cloth().positions();
        let gaps = gaps.map(|at| at.distance(centre.into()));
        0.25 - gaps.fold(f32::INFINITY, f32::min)
    };
    let mut solids = [None; MOST_SOLIDS];
    for step in 0..90 {
        // Through the plane of the sheet, which hangs 80 cm ahead, at 1.2 m/s.
        let at_m = [0.0, 1.2, 1.3 - 0.01 * step as f32];
        solids[0] = Some(OwnSolid {
            size_m: [0.25; 3],
            at_m,
            ..OwnSolid::of(SolidKind::Sphere)
        });
        drape.set_solids(&solids);
        drape.step(&pose);
        assert!(depth_m(&drape, at_m) < 0.002, "step {step}");
    }
    assert!(drape.cloth().stats().contacts > 0);
    let mut frame = FrameData::default();
    frame.push_cloth(&drape, ClothLook::default());
    assert_eq!(frame.sheets().len(), 3, "sheet, box and ball");
}

/// A garment that is put back as it was cut is put on again.
#[test]
fn a_torn_shirt_is_put_on_anew() {
    let (skeleton, body, pose) = person();
    let dressed = (&skeleton, &body);
    let setup = ClothSetup::from(ClothPreset::Shirt).with_columns(28);
    let mut drape = ClothInstance::new(setup, dressed, &pose, 0.0).unwrap();
    assert_eq!(drape.blow_ups(), 0);
    let before = middle(&drape);
    let last = drape.cloth().len() - 1;
    drape.cloth_mut().pin(last);
    drape.cloth_mut().move_pin(last, Vec3::splat(80.0));
    drape.step(&pose);
    assert_eq!(drape.blow_ups(), 1);
    assert!(middle(&drape).distance(before) < 0.1);
    assert!(drape.crossings().is_empty());
}
