//! Limits of bodies whose rest poses differ, and of files that state some.

use glam::{Quat, Vec3, Vec3A};

use super::*;
use crate::{
    humanoid::{Human, Limb, Role, Side},
    math::{Axis, Dof},
    skeleton::{DofRange, Joint, NO_PARENT},
    testing::Random,
};

/// A body whose arms point to a direction at rest (of the left one).
fn body(arm: Vec3) -> Skeleton {
    let mut joints = vec![Joint::new("Hips", NO_PARENT, Vec3::Y * 0.95, Vec3::ZERO)];
    let mut add = |name: &str, parent: u16, offset: Vec3, tip: Vec3| {
        joints.push(Joint::new(name, parent, offset, tip));
        (joints.len() - 1) as u16
    };
    let spine = add("Spine", 0, Vec3::Y * 0.1, Vec3::Y * 0.3);
    let neck = add("Neck", spine, Vec3::Y * 0.4, Vec3::Y * 0.1);
    add("Head", neck, Vec3::Y * 0.1, Vec3::Y * 0.15);
    for (side, x) in [("Left", 1.0), ("Right", -1.0)] {
        let mirrored = Vec3::new(arm.x * x, arm.y, arm.z);
        let upper = add(
            &format!("{side}Arm"),
            spine,
            Vec3::new(0.15 * x, 0.35, 0.0),
            mirrored * 0.3,
        );
        let fore = add(
            &format!("{side}ForeArm"),
            upper,
            mirrored * 0.3,
            mirrored * 0.25,
        );
        add(
            &format!("{side}Hand"),
            fore,
            mirrored * 0.25,
            mirrored * 0.1,
        );
        let down = Vec3::NEG_Y;
        let thigh = add(
            &format!("{side}UpLeg"),
            0,
            Vec3::new(0.1 * x, -0.05, 0.0),
            down * 0.42,
        );
        let shin = add(&format!("{side}Leg"), thigh, down * 0.42, down * 0.4);
        let foot = add(
            &format!("{side}Foot"),
            shin,
            down * 0.4,
            Vec3::new(0.0, -0.05, 0.12),
        );
        add(
            &format!("{side}Toe"),
            foot,
            Vec3::new(0.0, -0.05, 0.12),
            Vec3::Z * 0.05,
        );
    }
    Skeleton::new("body", joints).unwrap()
}

#[test]
fn an_elbow_bends_forward_but_not_back_whatever_the_rest_pose_is() {
    for arm in [Vec3::X, Vec3::NEG_Y, Vec3::new(0.7, -0.7, 0.0)] {
        let skeleton = body(arm.normalize());
        let limits = JointLimits::of(&skeleton, LimitSource::Human);
        let human = Human::find(&skeleton);
        for side in Side::BOTH {
            let elbow = human.first(side.role(Limb::Forearm)).unwrap();
            // With arms hanging an elbow bends forward about −X; a T-pose turned
            // down about Z has the same axis turned with it.
            let along = Vec3A::from(arm.normalize())
                * if side == Side::Left {
                    Vec3A::ONE
                } else {
                    Vec3A::new(-1.0, 1.0, 1.0)
                };
            let to_hanging = crate::math::ik::arc(along, Vec3A::NEG_Y);
            let axis = to_hanging.conjugate() * Vec3A::NEG_X;
            let bent = |degrees: f32| {
                limits
                    .excess_rad(
                        elbow,
                        Quat::from_axis_angle(axis.into(), degrees.to_radians()),
                    )
                    .to_degrees()
            };
            for degrees in [0.0, 60.0, 145.0] {
                assert_close!(bent(degrees), 0.0, 1e-3, "{side:?} {arm} {degrees}");
            }
            // Beyond the cone's edge at −10° and 155°; a cone of two radii is as far
            // as that in its middle.
            assert_close!(bent(-40.0), 30.0, 1.0, "{side:?} {arm}");
            assert_close!(bent(170.0), 15.0, 1.0, "{side:?} {arm}");
        }
    }
}

#[test]
fn arms_raised_in_any_way_are_human_and_behind_the_back_are_not() {
    let skeleton = body(Vec3::X);
    let limits = JointLimits::of(&skeleton, LimitSource::Human);
    let shoulder = Human::find(&skeleton)
        .first(Role::Left(Limb::UpperArm))
        .unwrap();
    // The rest pose is the T-pose: turned from there.
    for (turn, human) in [
        (Quat::IDENTITY, true),
        (Quat::from_rotation_z(-1.5), true),
        (Quat::from_rotation_z(1.3), true),
        (Quat::from_rotation_y(-1.5), true),
        (Quat::from_rotation_y(1.5), false),
        (Quat::from_rotation_x(2.6), false),
    ] {
        let excess = limits.excess_rad(shoulder, turn);
        assert_eq!(excess == 0.0, human, "{turn}: {} deg", excess.to_degrees());
    }
}

#[test]
fn a_clamped_rotation_is_as_far_beyond_as_it_may_be_and_no_further() {
    let mut stated = Joint::new("x", NO_PARENT, Vec3::ZERO, Vec3::Y);
    stated.axes = Quat::from_euler(glam::EulerRot::XYZ, 0.3, -0.5, 1.1);
    stated.rest.rotation = Quat::from_rotation_y(0.4);
    stated.dofs = [
        (Axis::X, [-0.5, 0.8]),
        (Axis::Y, [-0.2, 0.2]),
        (Axis::Z, [-1.0, 0.1]),
    ]
    .map(|(axis, range)| DofRange {
        dof: Dof::Rotate(axis),
        range,
    })
    .to_vec();
    let own = JointLimit::Own(OwnLimit::of(&stated).unwrap());
    let skeleton = body(Vec3::X);
    let mut all = vec![own];
    all.extend(
        human_limits(&skeleton)
            .into_iter()
            .flatten()
            .map(JointLimit::Human),
    );
    assert!(all.len() > 15);
    let mut random = Random::new(4);
    for limit in &all {
        for _ in 0..400 {
            let turn = Vec3::new(random.signed(), random.signed(), random.signed()) * 2.5;
            let local = match limit {
                JointLimit::Human(it) => it.middle * Quat::from_scaled_axis(turn),
                JointLimit::Own(_) => Quat::from_scaled_axis(turn),
            };
            let excess = limit.excess_rad(local);
            for allowed in [0.0, 0.3] {
                let clamped = limit.clamped(local, allowed);
                assert!(clamped.is_finite());
                let left = limit.excess_rad(clamped);
                // Single precision near half a turn.
                assert!(
                    left <= excess.min(allowed) + 2e-3,
                    "{limit:?}: {left} of {excess}"
                );
                if excess <= allowed {
                    assert_eq!(clamped, local);
                }
            }
        }
    }
}

#[test]
fn files_without_ranges_state_no_limits() {
    let skeleton = body(Vec3::X);
    assert!(JointLimits::of(&skeleton, LimitSource::Own).is_empty());
    let both = JointLimits::of(&skeleton, LimitSource::Both);
    assert!(!both.is_empty());
    let chain = Skeleton::new("one", vec![Joint::new("a", NO_PARENT, Vec3::ZERO, Vec3::Y)]);
    assert!(JointLimits::of(&chain.unwrap(), LimitSource::Both).is_empty());
}
