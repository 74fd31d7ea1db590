//! A body does not depend on the pose that a file calls rest: captures are
//! given other rest poses, their motion unchanged, and grow the same body.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use std::collections::HashMap;

use common::{Random, alongside_corpus, corpus};

use glam::{Quat, Vec3A};
use kinetoscope::{
    body::{Body, SkinStrain, Skinning, growth_pose, palette, skin_body},
    clip::sample_poses,
    humanoid::{Human, Limb, Role, Side, Stature, StatureSource},
    load::{LoadOptions, load},
    math::{Transform, ik::arc, quat::angle_between},
    skeleton::{Joint, JointIndex, ModelPose, Skeleton},
};

/// What files call rest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RestPose {
    Stack,
    Sitting,
    ArmsDown,
    Frame,
    Twisted,
    ZUp,
    Wild,
}

const KINDS: [RestPose; 7] = [
    RestPose::Stack,
    RestPose::Sitting,
    RestPose::ArmsDown,
    RestPose::Frame,
    RestPose::Twisted,
    RestPose::ZUp,
    RestPose::Wild,
];

struct Capture {
    skeleton: Skeleton,
    poses: Vec<ModelPose>,
}

/// Where a joint's bone leads, in joint space.
fn bone(skeleton: &Skeleton, joint: usize) -> Vec3A {
    let own = Vec3A::from(skeleton.joints()[joint].tip);
    let child = skeleton.children(joint as JointIndex).next();
    let child = child.map(|it| skeleton.joints()[usize::from(it)].rest.translation);
    child.unwrap_or(own)
}

/// The capture with another rest pose: every joint is turned in the body by a
/// constant, so that `look` is how it stands when nothing is turned.
fn rerested(capture: &Capture, look: &[Quat]) -> Capture {
    let parents = capture.skeleton.parents();
    let joint = |(index, joint): (usize, &Joint)| {
        let parent = look.get(usize::from(parents[index]));
        let parent = parent.copied().unwrap_or(Quat::IDENTITY);
        Joint {
            rest: Transform::from_translation(parent * joint.rest.translation),
            tip: look[index] * joint.tip,
            axes: Quat::IDENTITY,
            ..joint.clone()
        }
    };
    let joints = capture.skeleton.joints().iter().enumerate().map(joint);
    let skeleton = Skeleton::new("other rest", joints.collect()).unwrap();
    let turned = |pose: &ModelPose| {
        let mut pose = pose.clone();
        for (joint, look) in pose.joints_mut().iter_mut().zip(look) {
            joint.rotation = (joint.rotation * look.conjugate()).normalize();
        }
        pose
    };
    Capture {
        skeleton,
        poses: capture.poses.iter().map(turned).collect(),
    }
}

/// How the joints of a rest pose stand in the model.
fn look(capture: &Capture, kind: RestPose, random: &mut Random) -> Vec<Quat> {
    let skeleton = &capture.skeleton;
    let rest: Vec<Quat> = skeleton
        .rest_model()
        .joints()
        .iter()
        .map(|it| it.rotation)
        .collect();
    let human = Human::find(skeleton);
    let mut look = rest.clone();
    let turn_below = |look: &mut [Quat], limb: Limb, turn: &dyn Fn(f32) -> Quat| {
        for (side, sign) in Side::BOTH.into_iter().zip([1.0, -1.0]) {
            let Some(top) = human.first(side.role(limb)) else {
                continue;
            };
            let below = skeleton.below(top).chain([top]);
            for joint in below.map(usize::from) {
                look[joint] = turn(sign) * look[joint];
            }
        }
    };
    match kind {
        RestPose::Stack => {
            for (joint, look) in look.iter_mut().enumerate() {
                // Every bone along one axis; what forks keeps its own shape.
                let along = *look * bone(skeleton, joint);
                *look = (arc(along, Vec3A::X) * *look).normalize();
            }
        }
        RestPose::Sitting => {
            turn_below(&mut look, Limb::Thigh, &|_| Quat::from_rotation_x(-1.5));
            turn_below(&mut look, Limb::Shin, &|_| Quat::from_rotation_x(1.5));
        }
        RestPose::ArmsDown => {
            let droop = 1.2 + 0.3 * random.between(0.0, 1.0);
            turn_below(&mut look, Limb::UpperArm, &|sign| {
                Quat::from_rotation_z(-sign * droop)
            });
        }
        RestPose::Frame => {
            let frame = (random.between(0.0, 1.0) * 0.999 * capture.poses.len() as f32) as usize;
            look = capture.poses[frame]
                .joints()
                .iter()
                .map(|it| it.rotation)
                .collect();
        }
        RestPose::Twisted => {
            for (joint, look) in look.iter_mut().enumerate() {
                let axis = bone(skeleton, joint).normalize_or(Vec3A::Y);
                let fork = skeleton.children(joint as JointIndex).nth(1).is_some();
                let angle = if fork { 0.0 } else { 3.0 * random.signed() };
                *look *= Quat::from_axis_angle(axis.into(), angle);
            }
        }
        RestPose::ZUp => {
            let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
            look.iter_mut().for_each(|it| *it = turn * *it);
        }
        RestPose::Wild => look.iter_mut().for_each(|it| *it = random.rotation()),
    }
    look
}

fn skinned(skeleton: &Skeleton, body: &Body, pose: &ModelPose) -> Vec<Vec3A> {
    let mut entries = vec![Transform::IDENTITY; skeleton.len()];
    palette(pose, body.joint_from_bind(), &mut entries);
    let mut skin = vec![Vec3A::ZERO; body.vertices().len()];
    skin_body(body, &entries, Skinning::DualQuaternion, &mut skin);
    skin
}

/// Vertices by cells of 3 cm, to find the surface near a point.
struct Surface {
    points: Vec<(Vec3A, Vec3A)>,
    cells: HashMap<[i32; 3], Vec<u32>>,
}

const CELL_M: f32 = 0.03;

impl Surface {
    fn new(points: Vec<Vec3A>, indices: &[u32]) -> Self {
        let mut normals = vec![Vec3A::ZERO; points.len()];
        for t in indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| points[t[i] as usize]);
            let face = (b - a).cross(c - a);
            t.iter().for_each(|&v| normals[v as usize] += face);
        }
        let mut cells: HashMap<[i32; 3], Vec<u32>> = HashMap::new();
        for (index, point) in points.iter().enumerate() {
            cells.entry(cell(*point)).or_default().push(index as u32);
        }
        let normals = normals.into_iter().map(Vec3A::normalize_or_zero);
        Self {
            points: points.into_iter().zip(normals).collect(),
            cells,
        }
    }

    /// Metres to the surface: to the plane of the nearest vertex where that is
    /// near; at most 6 cm are told.
    fn distance(&self, p: Vec3A) -> f32 {
        let [x, y, z] = cell(p);
        let mut best = (2.0 * CELL_M, 2.0 * CELL_M);
        for offset in 0..27 {
            let near = [
                x + offset % 3 - 1,
                y + offset / 3 % 3 - 1,
                z + offset / 9 - 1,
            ];
            for &index in self.cells.get(&near).into_iter().flatten() {
                let (q, normal) = self.points[index as usize];
                let apart = (p - q).length();
                if apart < best.0 {
                    let plane = (p - q).dot(normal).abs();
                    best = (apart, if apart < 0.015 { plane } else { apart });
                }
            }
        }
        best.1
    }
}

fn cell(p: Vec3A) -> [i32; 3] {
    (p / CELL_M).to_array().map(|x| x.floor() as i32)
}

/// Shares of the vertices further off than allowed: of head, hands and feet by
/// 3 cm, of all else by 1.5 cm.
fn off(capture: &Capture, body: &Body, other: &Capture, other_body: &Body) -> [f32; 2] {
    let human = Human::find(&capture.skeleton);
    let mut fine: Vec<JointIndex> = human.first(Role::Head).into_iter().collect();
    for side in Side::BOTH {
        fine.extend(
            [Limb::Hand, Limb::Foot]
                .iter()
                .filter_map(|&it| human.first(side.role(it))),
        );
    }
    let is_fine = |joint: JointIndex| {
        fine.iter()
            .any(|&it| it == joint || capture.skeleton.descends(joint, it))
    };
    let (mut off, mut all) = ([0.0f32; 2], [1e-6f32; 2]);
    let stride = (capture.poses.len() / 10).max(1);
    for frame in (0..capture.poses.len()).step_by(stride) {
        let surface = skinned(&capture.skeleton, body, &capture.poses[frame]);
        let surface = Surface::new(surface, body.indices());
        let skin = skinned(&other.skeleton, other_body, &other.poses[frame]);
        let vertices = other_body.vertices().iter().zip(skin).step_by(11);
        for (vertex, at) in vertices {
            let kind = usize::from(is_fine(vertex.joints[0]));
            all[kind] += 1.0;
            off[kind] += f32::from(u8::from(surface.distance(at) > [0.015, 0.03][kind]));
        }
    }
    [off[0] / all[0], off[1] / all[1]]
}

/// Files of each kind of skeleton; empty where there are none.
fn captures() -> Vec<(String, Capture)> {
    let Some((corpus, bvh)) = corpus().zip(alongside_corpus("bvh")) else {
        return Vec::new();
    };
    let odd = bvh.join("../bvh-odd");
    let files = [
        vec![bvh.join("cmu-01_01.bvh")],
        vec![bvh.join("cmu-127_29.bvh")],
        vec![bvh.join("threejs-pirouette.bvh")],
        vec![bvh.join("lawrennd-10_03.bvh")],
        vec![bvh.join("bvh11-131_01.bvh")],
        vec![odd.join("bandai-run_active.bvh")],
        ["cmu-original/02.asf", "cmu-original/02_05.amc"]
            .map(|it| corpus.join(it))
            .into(),
        ["hdm05/HDM_bk.asf", "hdm05/HDM_bk_squat1Reps_014_120.amc"]
            .map(|it| corpus.join(it))
            .into(),
    ];
    let open = |files: &Vec<_>| {
        let loaded = load(files, LoadOptions::default());
        let motions = loaded
            .into_iter()
            .filter_map(|it| it.1.unwrap().into_motion());
        let motion = { motions }.next().expect("a motion");
        let skeleton = motion.skeleton().clone();
        let poses = sample_poses(&*motion.sampler(), &skeleton);
        (motion.name.clone(), Capture { skeleton, poses })
    };
    files.iter().map(open).collect()
}

/// Rest poses of each kind and capture that are tried: 224 in all.
const ROUNDS: usize = 4;

/// Calls back with every capture, what was done to it and what came of it.
fn for_each_case(mut check: impl FnMut(&str, &Capture, &[Quat], &Capture)) {
    let mut random = Random::new(16);
    for (name, capture) in captures() {
        for kind in KINDS.into_iter().flat_map(|it| [it; ROUNDS]) {
            let look = look(&capture, kind, &mut random);
            let other = rerested(&capture, &look);
            check(&format!("{name}, {kind:?}"), &capture, &look, &other);
        }
    }
}

/// Joints far out on a limb are turned by all before them.
const POSE_TOLERANCE: f32 = 0.32;

#[test]
fn whatever_pose_a_file_calls_rest_its_body_grows_in_the_same_pose() {
    for_each_case(|case, capture, look, other| {
        let human = Human::find(&capture.skeleton);
        let own = growth_pose(&capture.skeleton, &capture.poses).rest_model();
        let pose = growth_pose(&other.skeleton, &other.poses).rest_model();
        let limbs = human.roles().filter(|it| !it.is_minor());
        for joint in limbs.filter_map(|role| human.first(role)).map(usize::from) {
            let turned = pose.joints()[joint].rotation * look[joint];
            let off = angle_between(own.joints()[joint].rotation, turned);
            let name = &capture.skeleton.joints()[joint].name;
            assert!(off < POSE_TOLERANCE, "{case}: {name} is off by {off}");
        }
    });
}

#[test]
fn whatever_pose_a_file_calls_rest_somebody_stands_as_tall() {
    for_each_case(|case, capture, _, other| {
        let [own, tall] = [capture, other].map(|it| Stature::of(&it.skeleton));
        assert_ne!(tall.from, StatureSource::RestPose, "{case}");
        let off = (own.height_m - tall.height_m).abs();
        assert!(off < 0.001, "{case}: {own:?}, {tall:?}");
    });
}

/// No edge is without a triangle on either side.
fn assert_closed(case: &str, body: &Body) {
    let mut walks: HashMap<[u32; 2], i32> = HashMap::new();
    for t in body.indices().chunks_exact(3) {
        for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            *walks.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    let open = walks.values().filter(|walks| **walks != 0).count();
    assert_eq!(open, 0, "{case}: edges of the body are open");
}

fn assert_same_body(case: &str, capture: &Capture, other: &Capture) {
    let body = Body::grow_for(&capture.skeleton, &capture.poses);
    let other_body = Body::grow_for(&other.skeleton, &other.poses);
    assert_closed(case, &body);
    assert_closed(case, &other_body);
    let strain = SkinStrain::measure(&other.skeleton, &other_body, &other.poses);
    let [plain, fine] = off(capture, &body, other, &other_body);
    assert!(plain < 0.01, "{case}: {plain} of the skin is off");
    assert!(
        fine < 0.01,
        "{case}: {fine} of head, hands and feet are off"
    );
    assert!(strain.stretch < 2.5, "{case}: {strain:?}");
}

#[test]
fn the_body_is_the_same_too() {
    let mut case_number = 0;
    for_each_case(|case, capture, _, other| {
        // One of each kind and a few more; growing all takes minutes.
        case_number += 1;
        if case_number % 13 == 0 {
            assert_same_body(case, capture, other);
        }
    });
}

/// `cargo test --release --test any_rest -- --ignored`
#[test]
#[ignore = "minutes: grows 448 bodies"]
fn all_bodies_are_the_same() {
    for_each_case(|case, capture, _, other| assert_same_body(case, capture, other));
}
