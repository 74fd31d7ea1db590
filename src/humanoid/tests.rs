//! The same joints under every convention's names, and under none.

use std::collections::HashMap;

use glam::Quat;

use super::*;
use crate::skeleton::{
    Skeleton,
    testing::{a_posed, cmu_like, quadruped, rebuilt, with_other_axes},
};

/// A CMU skeleton's joints under another convention's names.
fn renamed(skeleton: &Skeleton, names: &HashMap<&str, String>) -> Skeleton {
    rebuilt(skeleton, |index, joint| {
        let own = names.get(joint.name.as_str()).cloned();
        joint.name = own.unwrap_or_else(|| format!("joint {index}"));
    })
}

const CMU: [&str; 23] = [
    "root",
    "lhumerus",
    "lradius",
    "lhand",
    "lfemur",
    "ltibia",
    "lfoot",
    "ltoes",
    "lthumb",
    "rhumerus",
    "rradius",
    "rhand",
    "rfemur",
    "rtibia",
    "rfoot",
    "rtoes",
    "rthumb",
    "head",
    "thorax",
    "lclavicle",
    "rclavicle",
    "upperneck",
    "lowerback",
];

/// Names in the order of [`CMU`], `#` standing for the side.
const CONVENTIONS: [(&str, [&str; 2], [&str; 9]); 8] = [
    (
        "Mixamo",
        ["Left", "Right"],
        [
            "mixamorig:Hips",
            "mixamorig:#Arm",
            "mixamorig:#ForeArm",
            "mixamorig:#Hand",
            "mixamorig:#UpLeg",
            "mixamorig:#Leg",
            "mixamorig:#Foot",
            "mixamorig:#ToeBase",
            "mixamorig:#HandThumb1",
        ],
    ),
    (
        "Unreal",
        ["l", "r"],
        [
            "pelvis",
            "upperarm_#",
            "lowerarm_#",
            "hand_#",
            "thigh_#",
            "calf_#",
            "foot_#",
            "ball_#",
            "thumb_01_#",
        ],
    ),
    (
        "VRM",
        ["left", "right"],
        [
            "hips",
            "#UpperArm",
            "#LowerArm",
            "#Hand",
            "#UpperLeg",
            "#LowerLeg",
            "#Foot",
            "#Toes",
            "#ThumbProximal",
        ],
    ),
    (
        "VRoid",
        ["L", "R"],
        [
            "J_Bip_C_Hips",
            "J_Bip_#_UpperArm",
            "J_Bip_#_LowerArm",
            "J_Bip_#_Hand",
            "J_Bip_#_UpperLeg",
            "J_Bip_#_LowerLeg",
            "J_Bip_#_Foot",
            "J_Bip_#_ToeBase",
            "J_Bip_#_Thumb1",
        ],
    ),
    (
        "Biped",
        ["L", "R"],
        [
            "Bip01 Pelvis",
            "Bip01 # UpperArm",
            "Bip01 # Forearm",
            "Bip01 # Hand",
            "Bip01 # Thigh",
            "Bip01 # Calf",
            "Bip01 # Foot",
            "Bip01 # Toe0",
            "Bip01 # Finger0",
        ],
    ),
    (
        "Rigify",
        ["L", "R"],
        [
            "spine",
            "upper_arm.#",
            "forearm.#",
            "hand.#",
            "thigh.#",
            "shin.#",
            "foot.#",
            "toe.#",
            "thumb.01.#",
        ],
    ),
    (
        "BVH by joint",
        ["Left", "Right"],
        [
            "Hips",
            "#Shoulder",
            "#Elbow",
            "#Wrist",
            "#Hip",
            "#Knee",
            "#Ankle",
            "#Toe",
            "#Thumb",
        ],
    ),
    (
        "plain",
        ["left", "right"],
        [
            "hip", "#_arm", "#_elbow", "#_hand", "#_leg", "#_knee", "#_foot", "#_toe", "#_thumb",
        ],
    ),
];

#[test]
fn every_convention_finds_the_same_joints() {
    let skeleton = cmu_like();
    let wanted = Human::by_names(&skeleton);
    for (what, sides, names) in CONVENTIONS {
        let mut table: HashMap<&str, String> = HashMap::new();
        table.insert("root", names[0].to_owned());
        table.insert("head", "Head".to_owned());
        for (side, word) in sides.into_iter().enumerate() {
            for part in 0..8 {
                let cmu = CMU[1 + side * 8 + part];
                table.insert(cmu, names[1 + part].replace('#', word));
            }
        }
        let found = Human::by_names(&renamed(&skeleton, &table));
        for role in wanted.roles() {
            let skip = matches!(role.limb(), Some(Limb::Fingers));
            assert!(
                skip || found.part(role) == wanted.part(role),
                "{what}: {role}"
            );
        }
    }
}

#[test]
fn shape_finds_what_nameless_joints_do_not_say() {
    // CMU's clavicles reach so far out that, but for their names, they could be
    // upper arms; these are as long as the performer's.
    let skeleton = rebuilt(&cmu_like(), |_, joint| match joint.name.as_str() {
        "lclavicle" | "rclavicle" => joint.tip *= 0.85,
        "lhumerus" | "rhumerus" => joint.rest.translation *= 0.85,
        _ => {}
    });
    let wanted = Human::by_names(&skeleton);
    let rotations: Vec<Quat> = (0..skeleton.len())
        .map(|joint| Quat::from_rotation_x(joint as f32) * Quat::from_rotation_z(0.7))
        .collect();
    for (what, skeleton) in [
        ("CMU's rest pose", skeleton.clone()),
        ("an A-pose", a_posed(&skeleton)),
        ("other axes", with_other_axes(&skeleton, &rotations)),
    ] {
        let found = Human::find(&renamed(&skeleton, &HashMap::new()));
        for role in [Role::Hips, Role::Spine, Role::Neck, Role::Head] {
            assert_eq!(found.part(role), wanted.part(role), "{what}: {role}");
        }
        for side in Side::BOTH {
            for limb in [
                Limb::Clavicle,
                Limb::UpperArm,
                Limb::Thigh,
                Limb::Shin,
                Limb::Foot,
                Limb::Toes,
            ] {
                let role = side.role(limb);
                assert_eq!(found.part(role), wanted.part(role), "{what}: {role}");
            }
            let forearm = side.role(Limb::Forearm);
            assert_eq!(found.first(forearm), wanted.first(forearm), "{what}");
        }
    }
}

#[test]
fn a_quadruped_is_no_human() {
    assert_eq!(Human::find(&quadruped()).roles().count(), 0);
}

#[test]
fn segments_add_up_to_a_height_whatever_the_pose() {
    let own = Stature::of(&cmu_like());
    assert_eq!(own.from, StatureSource::Bones);
    let posed = Stature::of(&a_posed(&cmu_like()));
    assert_close!(own.height_m, posed.height_m, 1e-3);
    let dog = Stature::of(&quadruped());
    assert_eq!(dog.from, StatureSource::RestPose);
}
