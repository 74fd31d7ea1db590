//! The thirty-one bones: names, hierarchy, axes and dofs as in the CMU
//! skeletons, directions at rest as theirs where a motion depends on them (a
//! T-pose with the legs 20° apart), lengths from [`super::anthropometry`].

use glam::DVec3;
use kinetoscope::math::Axis::{self, X, Y, Z};

use super::{
    anthropometry as body,
    rig::{Bone, Side, euler},
};

/// Legs stand this far out at rest, and their axes with them.
const LEG_SPLAY_DEG: f64 = 20.0;

type Dofs<'a> = &'a [(Axis, [f64; 2])];

fn bone(
    name: &'static str,
    parent: usize,
    offset: DVec3,
    axis_deg: [f64; 3],
    dofs: Dofs<'_>,
) -> Bone {
    Bone {
        name,
        parent: Some(parent),
        direction: offset.normalize_or_zero(),
        length_m: offset.length(),
        axis_deg,
        dofs: dofs.to_vec(),
    }
}

/// Limits given for the left side; the right mirrors those about Y and Z.
fn mirrored(side: Side, dofs: Dofs<'_>) -> Vec<(Axis, [f64; 2])> {
    let flip = |&(axis, [low, high]): &(Axis, [f64; 2])| match (side, axis) {
        (Side::Left, _) | (_, X) => (axis, [low, high]),
        _ => (axis, [-high, -low]),
    };
    dofs.iter().map(flip).collect()
}

/// All bones in the order of the file.
pub fn all() -> Vec<Bone> {
    let mut bones = vec![Bone {
        name: "root",
        parent: None,
        direction: DVec3::ZERO,
        length_m: 0.0,
        axis_deg: [0.0; 3],
        dofs: [X, Y, Z]
            .map(|axis| (axis, [f64::NEG_INFINITY, f64::INFINITY]))
            .to_vec(),
    }];
    bones.extend(leg(Side::Left));
    bones.extend(leg(Side::Right));
    bones.extend(spine());
    bones.extend(arm(Side::Left));
    bones.extend(arm(Side::Right));
    bones
}

fn leg(side: Side) -> Vec<Bone> {
    let s = side.sign();
    let first = side.leg();
    let names = match side {
        Side::Left => ["lhipjoint", "lfemur", "ltibia", "lfoot", "ltoes"],
        Side::Right => ["rhipjoint", "rfemur", "rtibia", "rfoot", "rtoes"],
    };
    let splay = [0.0, 0.0, s * LEG_SPLAY_DEG];
    let foot_axis = [-90.0, 0.0, s * LEG_SPLAY_DEG];
    let turned = |v: DVec3| euler(splay) * v;
    let hip = DVec3::new(
        s * body::HIP_ASIDE,
        -body::HIP_BELOW_ROOT,
        body::HIP_AHEAD_OF_ROOT,
    );
    let foot_drop = body::ANKLE_HEIGHT - body::SOLE_THICKNESS;
    let foot = DVec3::new(0.0, -foot_drop, body::BALL_AHEAD_OF_ANKLE);
    let femur_dofs = mirrored(
        side,
        &[(X, [-140.0, 35.0]), (Y, [-50.0, 50.0]), (Z, [-50.0, 50.0])],
    );
    let foot_dofs = mirrored(side, &[(X, [-45.0, 60.0]), (Z, [-35.0, 35.0])]);
    vec![
        bone(names[0], 0, hip, [0.0; 3], &[]),
        bone(
            names[1],
            first,
            turned(DVec3::NEG_Y * body::THIGH),
            splay,
            &femur_dofs,
        ),
        bone(
            names[2],
            first + 1,
            turned(DVec3::NEG_Y * body::SHANK),
            splay,
            &[(X, [0.0, 155.0])],
        ),
        bone(names[3], first + 2, turned(foot), foot_axis, &foot_dofs),
        bone(
            names[4],
            first + 3,
            DVec3::Z * body::TOES,
            foot_axis,
            &[(X, [-75.0, 35.0])],
        ),
    ]
}

/// Heights above the root at which the spine's bones end, and how far ahead
/// of it: the curve of an upright back and neck.
fn spine() -> Vec<Bone> {
    let shoulder = body::SHOULDER_HEIGHT - body::ROOT_HEIGHT;
    let top = body::STATURE - body::ROOT_HEIGHT;
    let thorax_end = shoulder - SHOULDER_ABOVE_THORAX_END;
    let points = [
        (0.0, 0.0),
        (0.34 * thorax_end, 0.006),
        (0.67 * thorax_end, -0.012),
        (thorax_end, -0.022),
        (thorax_end + 0.11, -0.010),
        (thorax_end + 0.205, 0.009),
        (top, 0.018),
    ];
    let names = [
        "lowerback",
        "upperback",
        "thorax",
        "lowerneck",
        "upperneck",
        "head",
    ];
    let back: Dofs<'_> = &[(X, [-25.0, 45.0]), (Y, [-35.0, 35.0]), (Z, [-30.0, 30.0])];
    let neck: Dofs<'_> = &[(X, [-35.0, 40.0]), (Y, [-40.0, 40.0]), (Z, [-30.0, 30.0])];
    let make = |i: usize| {
        let (from, to) = (points[i], points[i + 1]);
        let offset = DVec3::new(0.0, to.0 - from.0, to.1 - from.1);
        let parent = if i == 0 { 0 } else { 10 + i };
        bone(
            names[i],
            parent,
            offset,
            [0.0; 3],
            if i < 3 { back } else { neck },
        )
    };
    (0..6).map(make).collect()
}

/// The collar bones rise from the top of the breast bone to the shoulders.
const SHOULDER_ABOVE_THORAX_END: f64 = 0.055;

fn arm(side: Side) -> Vec<Bone> {
    let s = side.sign();
    let first = side.arm();
    let names = match side {
        Side::Left => [
            "lclavicle",
            "lhumerus",
            "lradius",
            "lwrist",
            "lhand",
            "lfingers",
            "lthumb",
        ],
        Side::Right => [
            "rclavicle",
            "rhumerus",
            "rradius",
            "rwrist",
            "rhand",
            "rfingers",
            "rthumb",
        ],
    };
    let out = DVec3::X * s;
    let upper_axis = [180.0, -30.0 * s, -90.0 * s];
    let hand_axis = [0.0, 90.0 * s, 90.0 * s];
    let clavicle = DVec3::new(s * body::SHOULDER_ASIDE, SHOULDER_ABOVE_THORAX_END, -0.012);
    let thumb = DVec3::new(s, 0.0, 1.0).normalize() * 0.35 * body::HAND;
    let clavicle_dofs = mirrored(side, &[(Y, [-30.0, 20.0]), (Z, [-10.0, 35.0])]);
    let humerus_dofs = mirrored(
        side,
        &[
            (X, [-130.0, 130.0]),
            (Y, [-90.0, 90.0]),
            (Z, [-130.0, 130.0]),
        ],
    );
    let wrist_dofs = mirrored(side, &[(Y, [-90.0, 90.0])]);
    let hand_dofs = mirrored(side, &[(X, [-70.0, 80.0]), (Z, [-40.0, 40.0])]);
    let thumb_dofs = mirrored(side, &[(X, [-45.0, 60.0]), (Z, [-45.0, 60.0])]);
    vec![
        bone(
            names[0],
            super::rig::THORAX,
            clavicle,
            [0.0; 3],
            &clavicle_dofs,
        ),
        bone(
            names[1],
            first,
            out * body::UPPER_ARM,
            upper_axis,
            &humerus_dofs,
        ),
        // CMU splits the forearm: the roll of the wrist starts at two thirds.
        bone(
            names[2],
            first + 1,
            out * body::FOREARM * 2.0 / 3.0,
            upper_axis,
            &[(X, [0.0, 155.0])],
        ),
        bone(
            names[3],
            first + 2,
            out * body::FOREARM / 3.0,
            hand_axis,
            &wrist_dofs,
        ),
        bone(
            names[4],
            first + 3,
            out * body::HAND * 0.53,
            hand_axis,
            &hand_dofs,
        ),
        bone(
            names[5],
            first + 4,
            out * body::HAND * 0.47,
            hand_axis,
            &[(X, [0.0, 100.0])],
        ),
        bone(
            names[6],
            first + 3,
            thumb,
            [-90.0, 45.0 * s, 0.0],
            &thumb_dofs,
        ),
    ]
}
