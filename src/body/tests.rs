//! Properties every grown body must have, on a human and on other skeletons.

use std::collections::HashMap;

use std::sync::Arc;

use super::*;
use crate::skeleton::{
    Skeleton,
    testing::{cmu_like, from_bones, quadruped, rebuilt},
};

fn bodies() -> Vec<(&'static str, Skeleton, Body)> {
    [
        ("human", cmu_like()),
        ("performer", testing::performer().0),
        ("quadruped", quadruped()),
    ]
    .into_iter()
    .map(|(name, skeleton)| {
        let body = Body::grow(&skeleton);
        (name, skeleton, body)
    })
    .collect()
}

/// Hands hardly further out than the feet of splayed legs.
fn short_armed() -> Skeleton {
    const SHORT: f32 = 0.75;
    let human = cmu_like();
    let is_arm = |name: &str| name.ends_with("humerus") || name.ends_with("radius");
    rebuilt(&human, |index, joint| {
        if is_arm(&joint.name) {
            joint.tip *= SHORT;
        }
        let parent = human.joints().get(usize::from(human.parents()[index]));
        if parent.is_some_and(|it| is_arm(&it.name)) {
            joint.rest.translation *= SHORT;
        }
    })
}

fn positions(body: &Body) -> Vec<Vec3A> {
    body.vertices()
        .iter()
        .map(|v| Vec3A::from(v.position))
        .collect()
}

/// Every edge is walked once in either direction; returns how many walks.
fn closed_edges(name: &str, indices: &[u32]) -> usize {
    let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
    for t in indices.chunks_exact(3) {
        for i in 0..3 {
            *edges.entry((t[i], t[(i + 1) % 3])).or_default() += 1;
        }
    }
    for (&(a, b), &n) in &edges {
        assert_eq!(n, 1, "{name}: edge {a}-{b} walked {n} times one way");
        assert_eq!(edges.get(&(b, a)), Some(&1), "{name}: edge {a}-{b} is open");
    }
    edges.len()
}

#[test]
fn bodies_are_watertight_and_of_the_promised_size() {
    for (name, _, body) in bodies() {
        let count = body.vertices().len();
        assert!(
            (8_000..=20_000).contains(&count),
            "{name}: {count} vertices"
        );
        let edges = closed_edges(name, body.indices());
        let (coarse, triangles) = body.shadow_mesh();
        let count_coarse = coarse.len();
        assert!(
            (800..5_000).contains(&count_coarse),
            "{name}: {count_coarse}"
        );
        closed_edges(name, triangles);
        // Manifold and in one piece of genus 0: V − E + F = 2.
        let (e, f) = (edges as i64 / 2, body.indices().len() as i64 / 3);
        assert_eq!(
            count as i64 - e + f,
            2,
            "{name}: one closed surface without handles"
        );
    }
}

#[test]
fn feet_are_whole_where_arms_are_short() {
    let body = Body::grow(&short_armed());
    closed_edges("fine", body.indices());
    closed_edges("coarse", body.shadow_mesh().1);
}

#[test]
fn no_triangle_is_flipped_or_degenerate() {
    for (name, _, body) in bodies() {
        let p = positions(&body);
        let mut smallest = f32::MAX;
        for t in body.indices().chunks_exact(3) {
            let [a, b, c] = [p[t[0] as usize], p[t[1] as usize], p[t[2] as usize]];
            let face = (b - a).cross(c - a);
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            smallest = smallest.min(face.length() / (longest * longest));
            let normal: Vec3A = t
                .iter()
                .map(|&v| body.vertices()[v as usize].normal())
                .sum();
            assert!(face.dot(normal) > 0.0, "{name}: flipped at {a}");
        }
        assert!(smallest > 0.02, "{name}: a sliver of quality {smallest}");
        assert!(volume_m3(&p, body.indices()) > 0.0);
    }
}

#[test]
fn weights_sum_to_one() {
    for (name, _, body) in bodies() {
        for vertex in body.vertices() {
            let sum: f32 = vertex.influences().map(|(_, w)| w).sum();
            assert_close!(sum, 1.0, 1e-6, "{name}: weights sum to {sum}");
        }
    }
}

/// Lift the arms and close the legs: what is not near a moved limb stays.
#[test]
fn nothing_leaks_from_arm_to_trunk_or_from_leg_to_leg() {
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let name = |joint: JointIndex| skeleton.joints()[usize::from(joint)].name.as_str();
    let limb = |vertex: &Vertex, names: &[&str]| -> f32 {
        let of = vertex
            .influences()
            .filter(|&(j, _)| names.contains(&name(j)));
        of.map(|(_, w)| w).sum()
    };
    let arm = [
        "lhumerus", "lradius", "lwrist", "lhand", "lfingers", "lthumb",
    ];
    let leg = ["lfemur", "ltibia", "lfoot", "ltoes"];
    for vertex in body.vertices() {
        let [x, y, _] = vertex.position;
        // Ribs and below, and everything right of the breastbone.
        if (y < 0.20 && y > -0.05 && x < 0.35) || x < 0.05 {
            // Breast muscle and trapezius run to the arm: their seam ends beside the spine.
            let most = if x < 0.03 || y < 0.20 { 0.01 } else { 0.05 };
            assert!(
                limb(vertex, &arm) < most,
                "arm moves {:?} by {}",
                vertex.position,
                limb(vertex, &arm)
            );
        }
        // Between the legs one skin covers both: it follows either a little.
        if x < -0.02 || y > 0.06 {
            // The hips' joints are 10 cm below the origin; the seam ends on the belly.
            let most = match y > 0.06 {
                true => [0.06, 0.01][usize::from(y > 0.15)],
                false => [0.15, 0.01][usize::from(x < -0.12)],
            };
            assert!(limb(vertex, &leg) < most, "leg moves {:?}", vertex.position);
        }
        if x > 0.30 && y > 0.3 {
            assert!(
                limb(vertex, &arm) > 0.95,
                "arm lets go of {:?}",
                vertex.position
            );
        }
        if x > 0.10 && y < -0.30 {
            assert!(
                limb(vertex, &leg) > 0.95,
                "leg lets go of {:?}",
                vertex.position
            );
        }
    }
}

#[test]
fn neighbours_weigh_alike() {
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let dense = |v: &Vertex| {
        let mut row = vec![0.0; skeleton.len()];
        v.influences().for_each(|(j, w)| row[usize::from(j)] += w);
        row
    };
    let rows: Vec<_> = body.vertices().iter().map(dense).collect();
    for t in body.indices().chunks_exact(3) {
        let (a, b) = (&rows[t[0] as usize], &rows[t[1] as usize]);
        let step: f32 = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / 2.0;
        let at = body.vertices()[t[0] as usize].position;
        assert!(step < 0.35, "a step of {step} at {at:?}");
    }
}

#[test]
fn the_human_has_human_proportions() {
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let p = positions(&body);
    let volume_l = volume_m3(&p, body.indices()) * 1000.0;
    assert!((50.0..85.0).contains(&volume_l), "{volume_l} litres");
    let width_at = |low: f32, high: f32, reach: f32| {
        let band = p
            .iter()
            .filter(|p| (low..high).contains(&p.y) && p.x.abs() < reach);
        band.fold(0.0f32, |wide, p| wide.max(p.x.abs()))
    };
    let (waist, chest, hips) = (
        width_at(0.08, 0.12, 0.3),
        width_at(0.25, 0.29, 0.2),
        width_at(-0.08, -0.04, 0.3),
    );
    assert!(
        waist < chest && waist < hips,
        "waist {waist}, chest {chest}, hips {hips}"
    );
    // The face looks forward: the head reaches further in front of its joint than behind.
    let head = p.iter().filter(|p| p.y > 0.56 && p.y < 0.64);
    let pivot = skeleton.rest_model().joints()[usize::from(skeleton.find("head").unwrap())];
    let depths = head.map(|p| p.z - pivot.translation.z);
    let (back, front) = depths.fold((0.0f32, 0.0f32), |(b, f), z| (b.min(z), f.max(z)));
    assert!(front > 0.01 - back, "front {front}, back {back}");
}

/// Arms down, knee up, head turned.
#[test]
fn volume_holds_under_dual_quaternions_in_bent_poses() {
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let rest = volume_m3(&positions(&body), body.indices());
    let mut pose = skeleton.rest().clone();
    let joint = |name: &str| usize::from(skeleton.find(name).unwrap());
    let mut rotate = |name: &str, q: glam::Quat| pose.joints_mut()[joint(name)].rotation = q;
    rotate("lhumerus", glam::Quat::from_rotation_z(-1.2));
    rotate("rhumerus", glam::Quat::from_rotation_z(1.0));
    rotate("lradius", glam::Quat::from_rotation_y(-1.6));
    rotate("lfemur", glam::Quat::from_rotation_x(-1.4));
    rotate("ltibia", glam::Quat::from_rotation_x(1.7));
    rotate("lowerback", glam::Quat::from_rotation_x(0.4));
    rotate("head", glam::Quat::from_rotation_y(0.8));
    let mut model = ModelPose::default();
    model.compute(&skeleton, &pose);
    let mut entries = vec![Transform::IDENTITY; skeleton.len()];
    palette(&model, body.joint_from_bind(), &mut entries);
    let mut skinned = positions(&body);
    skin_body(&body, &entries, Skinning::DualQuaternion, &mut skinned);
    let change = volume_m3(&skinned, body.indices()) / rest - 1.0;
    assert!(
        change.abs() < 0.08,
        "volume changed by {:.1} %",
        change * 100.0
    );
}

#[test]
fn volume_holds_over_every_built_in_clip() {
    let (skeleton, clips) = testing::performer();
    let body = Body::grow(&skeleton);
    let mut skinned = positions(&body);
    let rest = volume_m3(&skinned, body.indices());
    let mut entries = vec![Transform::IDENTITY; skeleton.len()];
    let mut local = crate::skeleton::LocalPose::default();
    let mut model = ModelPose::default();
    for (name, clip) in clips {
        for frame in (0..clip.frames()).step_by(8) {
            clip.frame_pose(&skeleton, frame, &mut local);
            model.compute(&skeleton, &local);
            palette(&model, body.joint_from_bind(), &mut entries);
            skin_body(&body, &entries, Skinning::DualQuaternion, &mut skinned);
            let change = volume_m3(&skinned, body.indices()) / rest - 1.0;
            assert!(
                change.abs() < 0.08,
                "{name}, frame {frame}: {:.1} %",
                change * 100.0
            );
        }
    }
}

#[test]
fn odd_skeletons_get_a_body_too() {
    let lone = from_bones("lone", &[]);
    assert!(Body::grow(&lone).vertices().len() > 1000, "a ball");
    let stick = from_bones("stick", &[("a", "root", [0.0, 5.0, 0.0])]);
    assert!(Body::grow(&stick).vertices().len() > 1000);
    let tiny = from_bones(
        "tiny",
        &[
            ("a", "root", [1e-3, 0.0, 0.0]),
            ("b", "a", [0.0, 1e-3, 0.0]),
        ],
    );
    assert!(Body::grow(&tiny).vertices().len() > 1000);
    let wild = from_bones("wild", &[("a", "root", [f32::NAN, 0.0, 0.0])]);
    assert!(Body::grow(&wild).vertices().is_empty());
}

#[test]
fn the_cache_grows_a_skeleton_once() {
    let mut cache = BodyCache::default();
    let first = cache.get(&cmu_like(), &[]);
    assert!(Arc::ptr_eq(&first, &cache.get(&cmu_like(), &[])));
    assert!(!Arc::ptr_eq(&first, &cache.get(&quadruped(), &[])));
}

#[test]
fn bodies_that_nobody_shows_are_let_go() {
    let mut cache = BodyCache::default();
    let sizes = |it: usize| from_bones("x", &[("bone", "root", [0.0, 1.0 + it as f32, 0.0])]);
    let shown = cache.get(&sizes(0), &[]);
    let seen: Vec<_> = (1..20)
        .map(|it| Arc::downgrade(&cache.get(&sizes(it), &[])))
        .collect();
    let alive = seen.iter().filter(|it| it.strong_count() > 0).count();
    assert_eq!(alive, cache::KEPT_BODIES);
    assert!(
        Arc::ptr_eq(&shown, &cache.get(&sizes(0), &[])),
        "still shown"
    );
}

#[test]
fn of_thousands_of_bones_the_largest_have_a_skin() {
    let bones: Vec<(String, [f32; 3])> = (0..2000)
        .map(|it| (format!("b{it}"), [0.0, 1.0 + it as f32 * 1e-3, 0.0]))
        .collect();
    let bones: Vec<_> = bones
        .iter()
        .map(|(name, to)| (name.as_str(), "root", *to))
        .collect();
    let skeleton = from_bones("star", &bones);
    let parts = guess::guessed_parts(&skeleton, &skeleton.rest_model());
    assert_eq!(parts.len(), 256);
    assert!(
        parts.iter().all(|part| part.joints[0] > 1744),
        "the longest"
    );
}
