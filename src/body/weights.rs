//! Which joints move a vertex, and how much.
//!
//! Every vertex first belongs wholly to one joint. Ownership then diffuses
//! along the surface, never through the air, so an arm held against the chest
//! takes nothing of it. Where two branches of the hierarchy still meet (crotch,
//! neck and collar), what both claim goes to their common ancestor: the joints
//! of a vertex always lie on one path from the root.

use glam::Vec3A;
use rayon::prelude::*;

use super::field::{Part, segment_distance};
use crate::skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton};

/// Most joints a vertex listens to.
pub const MAX_INFLUENCES: usize = 4;

/// Steps of diffusion before branches are merged, and after.
const STEPS: usize = 20;
const SETTLE_STEPS: usize = 6;
/// Width of a transition as a share of the limb's radius.
const SPREAD: f32 = 1.35;

/// Joint and weight.
type Influence = (JointIndex, f32);

/// The part a vertex grew from decides who may move it; the nearest bone of
/// those does. Returns the joint and the part's girth in metres.
pub(super) fn owner_of(
    skeleton: &Skeleton,
    pose: &ModelPose,
    parts: &[Part],
    p: Vec3A,
) -> (JointIndex, f32) {
    let solid = parts.iter().filter(|part| !part.carve);
    let nearest = solid
        .map(|part| (part.distance(p), part))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, part)) = nearest else {
        return (0, 0.0);
    };
    let to_bone = |joint: JointIndex| {
        let start = pose.joints()[usize::from(joint)].translation;
        segment_distance(p, start, pose.bone_end(skeleton, usize::from(joint)))
    };
    let bones = part.joints.iter().map(|&joint| (to_bone(joint), joint));
    // Of two bones that share an end the later one wins, as it starts there.
    let owner = bones.reduce(|best, next| if next.0 <= best.0 { next } else { best });
    (
        owner.map_or(0, |(_, joint)| joint),
        // A seam as wide as the fold that the field rounds off there.
        part.girth_m().max(1.3 * part.blend_m),
    )
}

/// Influences on every vertex after diffusion, largest first, at most four.
pub(super) fn diffuse(
    skeleton: &Skeleton,
    positions: &[Vec3A],
    ring: &[Vec<u32>],
    owners: &[(JointIndex, f32)],
) -> Vec<Vec<Influence>> {
    let mut vertex_influences: Vec<Vec<Influence>> = owners
        .iter()
        .map(|&(joint, _)| vec![(joint, 1.0)])
        .collect();
    // A seam is as wide as the thinner side allows: an arm's does not run down
    // the ribs.
    let mut girths: Vec<f32> = owners.iter().map(|&(_, girth_m)| girth_m).collect();
    for _ in 0..3 {
        let thinnest = |v: usize| {
            ring[v]
                .iter()
                .fold(girths[v], |g, &n| g.min(girths[n as usize]))
        };
        girths = (0..positions.len()).map(thinnest).collect();
    }
    let rates: Vec<f32> = (0..positions.len())
        .map(|v| diffusion_rate(positions, ring, v, girths[v]))
        .collect();
    for step in 0..STEPS + SETTLE_STEPS {
        if step == STEPS {
            // Merging steepens what is left on either side; the rest smooths it.
            vertex_influences
                .iter_mut()
                .for_each(|influences| merge_branches(skeleton, influences));
        }
        vertex_influences = (0..positions.len())
            .into_par_iter()
            .map_init(
                || vec![0.0f32; skeleton.len()],
                |sums, v| average(&vertex_influences, &ring[v], v, rates[v], sums),
            )
            .collect();
    }
    for influences in &mut vertex_influences {
        merge_branches(skeleton, influences);
        // Ties by index: the same body on every machine and run.
        influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        influences.truncate(MAX_INFLUENCES);
        let total: f32 = influences.iter().map(|s| s.1).sum();
        influences.iter_mut().for_each(|s| s.1 /= total);
    }
    vertex_influences
}

/// Share of the neighbours' mean in each step, such that all steps together
/// spread a seam over [`SPREAD`] of the limb's radius.
fn diffusion_rate(positions: &[Vec3A], ring: &[Vec<u32>], vertex: usize, girth_m: f32) -> f32 {
    let p = positions[vertex];
    let edges = ring[vertex]
        .iter()
        .map(|&n| (positions[n as usize] - p).length());
    let edge = edges.sum::<f32>() / ring[vertex].len().max(1) as f32;
    // Averaging is a random walk: N steps of rate r spread by σ = edge·√(N·r),
    // so r = (σ/edge)²/N. At least 0.35, or a seam would be one triangle wide;
    // at most 0.9, since at 1 a vertex forgets itself and takes its neighbours'.
    let widths = SPREAD * girth_m / edge.max(1e-9);
    (widths * widths / STEPS as f32).clamp(0.35, 0.9)
}

fn average(
    vertex_influences: &[Vec<Influence>],
    ring: &[u32],
    vertex: usize,
    rate: f32,
    sums: &mut [f32],
) -> Vec<Influence> {
    // Far from any seam all agree.
    if let [(own, _)] = vertex_influences[vertex][..] {
        let agrees = |influences: &[Influence]| matches!(influences, &[(joint, _)] if joint == own);
        if ring.iter().all(|&n| agrees(&vertex_influences[n as usize])) {
            return vec![(own, 1.0)];
        }
    }
    let mut touched: Vec<JointIndex> = Vec::with_capacity(8);
    let mut add = |influences: &[Influence], factor: f32| {
        for &(joint, weight) in influences {
            let sum = &mut sums[usize::from(joint)];
            if *sum == 0.0 {
                touched.push(joint);
            }
            *sum += weight * factor;
        }
    };
    add(&vertex_influences[vertex], 1.0 - rate);
    for &neighbour in ring {
        add(
            &vertex_influences[neighbour as usize],
            rate / ring.len() as f32,
        );
    }
    touched
        .into_iter()
        .filter_map(|joint| {
            let weight = std::mem::take(&mut sums[usize::from(joint)]);
            (weight > 1e-4).then_some((joint, weight))
        })
        .collect()
}

/// Moves what two branches share to their common ancestor until all joints
/// lie on one path from the root.
fn merge_branches(skeleton: &Skeleton, influences: &mut Vec<Influence>) {
    while let Some((a, b, top)) = worst_conflict(skeleton, influences) {
        // As much from either: the sum is kept, and the stronger keeps what it has
        // more.
        let moved = influences[a].1.min(influences[b].1);
        influences[a].1 -= moved;
        influences[b].1 -= moved;
        match influences.iter_mut().find(|s| s.0 == top) {
            Some(ancestor) => ancestor.1 += 2.0 * moved,
            None => influences.push((top, 2.0 * moved)),
        }
        influences.retain(|s| s.1 > 0.0);
    }
}

fn worst_conflict(
    skeleton: &Skeleton,
    influences: &[Influence],
) -> Option<(usize, usize, JointIndex)> {
    let mut worst = None;
    let mut most = 0.0;
    for a in 0..influences.len() {
        for b in a + 1..influences.len() {
            let both = influences[a].1.min(influences[b].1);
            if both <= most {
                continue;
            }
            let top = meeting_joint(skeleton, influences[a].0, influences[b].0);
            if top != influences[a].0 && top != influences[b].0 {
                most = both;
                worst = Some((a, b, top));
            }
        }
    }
    worst
}

/// Lowest joint that has both below it, or is one of them.
fn meeting_joint(skeleton: &Skeleton, mut a: JointIndex, mut b: JointIndex) -> JointIndex {
    // Parents come before children, so the larger index is never the ancestor.
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        let parent = skeleton.parents()[usize::from(*later)];
        if parent == NO_PARENT {
            return a.min(b); // two roots: keep the first
        }
        *later = parent;
    }
    a
}

/// Whether all joints of a share lie on one path from the root.
#[cfg(test)]
pub(super) fn on_one_path(skeleton: &Skeleton, joints: &[JointIndex]) -> bool {
    joints.iter().all(|&a| {
        joints.iter().all(|&b| {
            let top = meeting_joint(skeleton, a, b);
            top == a || top == b
        })
    })
}

/// 16-bit weights that sum to exactly 65535.
pub(super) fn quantise(
    influences: &[Influence],
) -> ([JointIndex; MAX_INFLUENCES], [u16; MAX_INFLUENCES]) {
    let mut joints = [0; MAX_INFLUENCES];
    let mut weights = [0u16; MAX_INFLUENCES];
    for (slot, &(joint, weight)) in influences.iter().enumerate() {
        joints[slot] = joint;
        weights[slot] = (weight * 65535.0).round() as u16;
    }
    let rest: i32 = 65535 - weights.iter().map(|&w| i32::from(w)).sum::<i32>();
    // Rounding goes to the strongest, where it shows least.
    weights[0] = (i32::from(weights[0]) + rest).clamp(0, 65535) as u16;
    // An unused slot points where the first one does, so that no fetch strays.
    for slot in influences.len()..MAX_INFLUENCES {
        joints[slot] = joints[0];
    }
    (joints, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::testing::cmu_like;

    #[test]
    fn what_two_branches_share_goes_to_their_ancestor() {
        let skeleton = cmu_like();
        let joint = |name: &str| skeleton.find(name).unwrap();
        let mut influences = vec![
            (joint("lfemur"), 0.5),
            (joint("rfemur"), 0.3),
            (joint("root"), 0.2),
        ];
        merge_branches(&skeleton, &mut influences);
        let of = |j| influences.iter().find(|s| s.0 == j).map_or(0.0, |s| s.1);
        assert_close!(of(joint("lfemur")), 0.2, 1e-6);
        assert_close!(of(joint("root")), 0.8, 1e-6);
        assert_eq!(of(joint("rfemur")), 0.0);
    }

    #[test]
    fn quantised_weights_sum_to_one_exactly() {
        for influences in [
            vec![(3, 1.0)],
            vec![(1, 0.3333), (2, 0.3333), (3, 0.3334)],
            vec![(1, 0.25), (2, 0.25), (3, 0.25), (4, 0.25)],
        ] {
            let (joints, weights) = quantise(&influences);
            assert_eq!(weights.iter().map(|&w| u32::from(w)).sum::<u32>(), 65535);
            assert!(
                joints[influences.len()..]
                    .iter()
                    .all(|&j| j == influences[0].0)
            );
        }
    }
}
