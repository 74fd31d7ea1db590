//! Which joints move a vertex, and how much.
//!
//! Every vertex first belongs wholly to one joint. Ownership then diffuses
//! along the surface, never through the air, so an arm held against the chest
//! takes nothing of it.

use glam::Vec3A;
use rayon::prelude::*;

use super::{
    field::{Part, segment_distance},
    polygonise::Rings,
};
use crate::skeleton::{JointIndex, ModelPose, NO_PARENT, Skeleton};

/// Most joints a vertex listens to.
pub const MAX_INFLUENCES: usize = 4;

/// Steps of diffusion: a seam can be √steps edges wide.
const STEPS: usize = 112;
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

/// Joints that a vertex listens to on the way, more than it keeps in the end.
const ROOM: usize = 8;

/// Influences without an allocation of their own.
#[derive(Clone, Copy, Debug)]
struct Shares {
    slots: [Influence; ROOM],
    len: usize,
}

impl Shares {
    fn whole(joint: JointIndex) -> Self {
        Self {
            slots: [(joint, 1.0); ROOM],
            len: 1,
        }
    }

    fn as_slice(&self) -> &[Influence] {
        &self.slots[..self.len]
    }

    /// Adds to a joint's weight; of too many joints the least is forgotten.
    fn add(&mut self, joint: JointIndex, weight: f32) {
        let own = &mut self.slots[..self.len];
        if let Some(slot) = own.iter_mut().find(|slot| slot.0 == joint) {
            slot.1 += weight;
        } else if self.len < ROOM {
            self.slots[self.len] = (joint, weight);
            self.len += 1;
        } else if let Some(least) = own.iter_mut().min_by(|a, b| a.1.total_cmp(&b.1))
            && least.1 < weight
        {
            *least = (joint, weight);
        }
    }
}

/// Influences on every vertex after diffusion, largest first, at most four.
pub(super) fn diffuse(
    skeleton: &Skeleton,
    positions: &[Vec3A],
    ring: &Rings,
    owners: &[(JointIndex, f32)],
) -> Vec<Vec<Influence>> {
    let rates = rates(positions, ring, owners);
    let mut shares: Vec<Shares> = owners.iter().map(|it| Shares::whole(it.0)).collect();
    let mut next = shares.clone();
    for _ in 0..STEPS {
        let each = next.par_iter_mut().enumerate().with_min_len(512);
        each.for_each(|(v, next)| average(&shares, ring.of(v), v, rates[v], next));
        std::mem::swap(&mut shares, &mut next);
    }
    let each = shares.par_iter();
    each.map(|it| strongest(skeleton, it)).collect()
}

/// How fast each vertex takes over from its neighbours.
fn rates(positions: &[Vec3A], ring: &Rings, owners: &[(JointIndex, f32)]) -> Vec<f32> {
    // A seam is as wide as the thinner side allows: an arm's does not run down
    // the ribs.
    let mut girths: Vec<f32> = owners.iter().map(|&(_, girth_m)| girth_m).collect();
    for _ in 0..3 {
        let thinnest = |v: usize| {
            let around = ring.of(v).iter();
            around.fold(girths[v], |g, &n| g.min(girths[n as usize]))
        };
        girths = (0..positions.len()).map(thinnest).collect();
    }
    (0..positions.len())
        .map(|v| diffusion_rate(positions, ring.of(v), v, girths[v]))
        .collect()
}

/// Share of the neighbours' mean in each step, such that all steps together
/// spread a seam over [`SPREAD`] of the limb's radius.
fn diffusion_rate(positions: &[Vec3A], ring: &[u32], vertex: usize, girth_m: f32) -> f32 {
    let p = positions[vertex];
    let edges = ring.iter().map(|&n| (positions[n as usize] - p).length());
    let edge = edges.sum::<f32>() / ring.len().max(1) as f32;
    // Averaging is a random walk: N steps of rate r spread by σ = edge·√(N·r),
    // so r = (σ/edge)²/N. At least 0.15, or a seam would be two triangles wide;
    // at most 0.9, since at 1 a vertex forgets itself and takes its neighbours'.
    let widths = SPREAD * girth_m / edge.max(1e-9);
    (widths * widths / STEPS as f32).clamp(0.15, 0.9)
}

fn average(shares: &[Shares], ring: &[u32], vertex: usize, rate: f32, mean: &mut Shares) {
    let own = &shares[vertex];
    // Far from any seam all agree.
    let agrees = |it: &Shares| it.len == 1 && it.slots[0].0 == own.slots[0].0;
    if agrees(own) && ring.iter().all(|&n| agrees(&shares[n as usize])) {
        *mean = *own;
        return;
    }
    mean.len = 0;
    for &(joint, weight) in own.as_slice() {
        mean.add(joint, weight * (1.0 - rate));
    }
    let share = rate / ring.len().max(1) as f32;
    for &neighbour in ring {
        for &(joint, weight) in shares[neighbour as usize].as_slice() {
            if weight > 1e-4 {
                mean.add(joint, weight * share);
            }
        }
    }
}

/// The strongest influences, largest first. What is left out goes to the joint
/// that is nearest to it in the hierarchy, which moves much as it does.
fn strongest(skeleton: &Skeleton, shares: &Shares) -> Vec<Influence> {
    let mut influences = shares.as_slice().to_vec();
    // Ties by index: the same body on every machine and run.
    influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let rest = influences.split_off(influences.len().min(MAX_INFLUENCES));
    for (joint, weight) in rest {
        let apart = |it: &&mut Influence| links_between(skeleton, it.0, joint);
        if let Some(heir) = influences.iter_mut().min_by_key(apart) {
            heir.1 += weight;
        }
    }
    influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let total: f32 = influences.iter().map(|s| s.1).sum();
    influences.iter_mut().for_each(|s| s.1 /= total);
    influences
}

/// Steps from one joint to another through the hierarchy.
fn links_between(skeleton: &Skeleton, mut a: JointIndex, mut b: JointIndex) -> usize {
    let mut links = 0;
    // Parents come before children, so the larger index is never the ancestor.
    while a != b {
        let later = if a > b { &mut a } else { &mut b };
        let parent = skeleton.parents()[usize::from(*later)];
        links += 1;
        if parent == NO_PARENT {
            return links + skeleton.len(); // two roots
        }
        *later = parent;
    }
    links
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
    fn what_a_vertex_cannot_keep_goes_to_the_next_of_kin() {
        let skeleton = cmu_like();
        let joint = |name: &str| skeleton.find(name).unwrap();
        let mut shares = Shares::whole(joint("lfemur"));
        for (name, weight) in [
            ("root", 0.8),
            ("rfemur", 0.6),
            ("lowerback", 0.5),
            ("ltibia", 0.1),
        ] {
            shares.add(joint(name), weight);
        }
        let kept = strongest(&skeleton, &shares);
        let of = |name: &str| {
            kept.iter()
                .find(|it| it.0 == joint(name))
                .map_or(0.0, |it| it.1)
        };
        assert_close!(of("lfemur"), 1.1 / 3.0, 1e-6);
        assert_close!(of("root"), 0.8 / 3.0, 1e-6);
        assert_eq!(of("ltibia"), 0.0);
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
