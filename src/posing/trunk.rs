//! Hips, spine, clavicles and neck: moved by damped least squares until the
//! points that were taken hold of are where they should be.
//!
//! With r from a joint to a point, turns θ of the joints move the point by
//! θ × r, and a shift of the hips by itself. For points a and b the block of
//! J W Jᵀ is Σ w ((rₐ · r_b) I − r_b rₐᵀ) over the joints that both hang on, plus
//! the weight of the shift; a joint turns by w Σ rₐ × fₐ.

use glam::{Mat3A, Quat, Vec3, Vec3A};

use super::whole_body::Allowed;
use crate::{
    humanoid::{Human, Limb, Role, Side},
    math::{ik, quat},
    skeleton::{JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// Points at most: four limbs, the head, the hips and one more.
const MOST_HANDLES: usize = 8;
/// Damping, metres: λ² is added to squares of lever arms.
const DAMPING_M: f32 = 0.03;
/// How willingly a turn of the spine, of clavicles and of the hips, and a shift
/// of the hips (square metres a radian squared) take part: the spine first.
const SPINE: f32 = 1.0;
const NECK: f32 = 1.0;
const CLAVICLE: f32 = 0.6;
const HIPS_TURN: f32 = 0.35;
const HIPS_SHIFT: f32 = 0.06;
/// No joint of the trunk turns further from where the motion has it, radians.
const MOST_BEND_RAD: f32 = 0.55;
/// The hips tilt less, and give way by this share of the body's height.
const MOST_TILT_RAD: f32 = 0.4;
const MOST_SHIFT: f32 = 0.2;
/// The longest step of a round, metres.
const STEP_M: f32 = 0.15;

/// A point of the trunk, and how far it is from where it should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub joint: JointIndex,
    pub error: Vec3A,
}

/// The joints between hips, shoulders and head.
#[derive(Clone, Debug)]
pub(super) struct Trunk {
    carrier: JointIndex,
    pub head: Option<JointIndex>,
    /// Joints that turn, with how willingly they do; parents first, the hips
    /// among them.
    turning: Vec<(JointIndex, f32)>,
    /// Every joint on the way to a limb or the head, parents first.
    placed: Vec<JointIndex>,
    most_shift_m: f32,
}

impl Trunk {
    pub fn of(skeleton: &Skeleton, human: &Human, carrier: JointIndex) -> Self {
        let part = |role: Role, weight: f32| {
            let joints = human.part(role).to_vec();
            joints.into_iter().map(move |joint| (joint, weight))
        };
        let mut turning: Vec<(JointIndex, f32)> = vec![(carrier, HIPS_TURN)];
        turning.extend(part(Role::Spine, SPINE));
        turning.extend(part(Role::Neck, NECK));
        for side in Side::BOTH {
            turning.extend(part(side.role(Limb::Clavicle), CLAVICLE));
        }
        turning.retain(|(joint, _)| *joint == carrier || skeleton.descends(*joint, carrier));
        turning.sort_by_key(|(joint, _)| *joint);
        turning.dedup_by_key(|(joint, _)| *joint);
        let head = human.first(Role::Head);
        let limbs = Side::BOTH.into_iter().flat_map(|side| {
            [Limb::UpperArm, Limb::Thigh].map(|limb| human.first(side.role(limb)))
        });
        let mut placed: Vec<JointIndex> = limbs
            .chain([head, Some(carrier)])
            .flatten()
            .flat_map(|end| skeleton.ancestors(end).chain([end]).collect::<Vec<_>>())
            .filter(|&joint| joint == carrier || skeleton.descends(joint, carrier))
            .collect();
        placed.sort_unstable();
        placed.dedup();
        Self {
            carrier,
            head,
            turning,
            placed,
            most_shift_m: MOST_SHIFT * skeleton.rest_height_m(),
        }
    }

    /// Places what lies between hips, limbs and head.
    pub fn place(&self, skeleton: &Skeleton, pose: &LocalPose, model: &mut ModelPose) {
        for &joint in &self.placed {
            model.place_joint(skeleton, pose, usize::from(joint));
        }
    }

    /// One step towards where the handles should be.
    pub fn step(
        &self,
        skeleton: &Skeleton,
        (handles, with_hips): (&[Handle], bool),
        allowed: &Allowed<'_>,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let handles = &handles[..handles.len().min(MOST_HANDLES)];
        let forces = self.forces(skeleton, (handles, with_hips), model);
        // Turns are about where joints are now: all are found before any is made.
        let turns = self.turns(skeleton, with_hips).map(|(joint, weight)| {
            let at = model.joints()[usize::from(joint)].translation;
            let moved = handles.iter().zip(&forces);
            let moved = moved.filter(|(handle, _)| hangs(skeleton, handle.joint, joint));
            let sum = moved.map(|(handle, force)| {
                (model.joints()[usize::from(handle.joint)].translation - at).cross(*force)
            });
            (joint, sum.fold(Vec3A::ZERO, |sum, it| sum + it) * weight)
        });
        let turns: Vec<(JointIndex, Vec3A)> = turns.collect();
        let above = |model: &ModelPose, joint: JointIndex| {
            let parent = skeleton.parents()[usize::from(joint)];
            match parent {
                NO_PARENT => Quat::IDENTITY,
                parent => model.joints()[usize::from(parent)].rotation,
            }
        };
        let parents: Vec<Quat> = { turns.iter() }
            .map(|(joint, _)| above(model, *joint))
            .collect();
        if with_hips {
            let shift = forces.iter().fold(Vec3A::ZERO, |sum, it| sum + *it) * HIPS_SHIFT;
            let local = above(model, self.carrier).conjugate() * shift;
            self.shift_hips(local, allowed, pose, (handles, model));
        }
        for ((joint, turn), above) in turns.into_iter().zip(parents) {
            let index = usize::from(joint);
            // In the parent's own axes: what the parent turns by is its own.
            let local = above.conjugate() * turn;
            let own = allowed.own().joints()[index].rotation;
            let turned = quat::exp(Vec3::from(local)) * pose.joints()[index].rotation;
            let most_rad = if joint == self.carrier {
                MOST_TILT_RAD
            } else {
                MOST_BEND_RAD
            };
            let from_own = ik::limited(turned * own.conjugate(), most_rad);
            let local = allowed.clamp(joint, (from_own * own).normalize());
            pose.joints_mut()[index].rotation = local;
        }
        self.place(skeleton, pose, model);
    }

    fn turns(&self, _: &Skeleton, with_hips: bool) -> impl Iterator<Item = (JointIndex, f32)> + '_ {
        let turning = self.turning.iter().copied();
        turning.filter(move |(joint, _)| with_hips || *joint != self.carrier)
    }

    fn shift_hips(
        &self,
        shift: Vec3A,
        allowed: &Allowed<'_>,
        pose: &mut LocalPose,
        (handles, _): (&[Handle], &ModelPose),
    ) {
        let carrier = usize::from(self.carrier);
        let own = allowed.own().joints()[carrier].translation;
        let now = pose.joints()[carrier].translation;
        // Hips that are dragged themselves go where they are dragged.
        let dragged = handles.iter().any(|it| it.joint == self.carrier);
        let most_m = if dragged { f32::MAX } else { self.most_shift_m };
        let way = (now + shift - own).clamp_length_max(most_m);
        pose.joints_mut()[carrier].translation = own + way;
    }

    /// (J W Jᵀ + λ² I)⁻¹ e.
    fn forces(
        &self,
        skeleton: &Skeleton,
        (handles, with_hips): (&[Handle], bool),
        model: &ModelPose,
    ) -> Vec<Vec3A> {
        let size = 3 * handles.len();
        let mut matrix = [0.0f32; 9 * MOST_HANDLES * MOST_HANDLES];
        let mut right = [0.0f32; 3 * MOST_HANDLES];
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        for (a, first) in handles.iter().enumerate() {
            let error = first.error.clamp_length_max(STEP_M);
            right[3 * a..3 * a + 3].copy_from_slice(&error.to_array());
            for (b, second) in handles.iter().enumerate().take(a + 1) {
                let shift = if with_hips { HIPS_SHIFT } else { 0.0 };
                let damping = if a == b { DAMPING_M * DAMPING_M } else { 0.0 };
                let mut block = diagonal(shift + damping);
                for (joint, weight) in self.turns(skeleton, with_hips) {
                    let both = [first.joint, second.joint];
                    if both.iter().all(|&it| hangs(skeleton, it, joint)) {
                        let [ra, rb] = both.map(|it| at(it) - at(joint));
                        let outer = Mat3A::from_cols(rb * ra.x, rb * ra.y, rb * ra.z);
                        block += (diagonal(ra.dot(rb)) - outer) * weight;
                    }
                }
                for row in 0..3 {
                    for column in 0..3 {
                        let value = block.col(column)[row];
                        matrix[(3 * a + row) * size + 3 * b + column] = value;
                        matrix[(3 * b + column) * size + 3 * a + row] = value;
                    }
                }
            }
        }
        solve_positive(&mut matrix, &mut right, size);
        let forces = right[..size].chunks_exact(3);
        forces.map(|it| Vec3A::new(it[0], it[1], it[2])).collect()
    }
}

fn hangs(skeleton: &Skeleton, joint: JointIndex, on: JointIndex) -> bool {
    joint == on || skeleton.descends(joint, on)
}

fn diagonal(value: f32) -> Mat3A {
    Mat3A::from_diagonal(Vec3::splat(value))
}

/// Solves A x = b in place for a symmetric positive definite A of `size` rows,
/// by Cholesky's A = L Lᵀ.
fn solve_positive(matrix: &mut [f32], right: &mut [f32], size: usize) {
    for row in 0..size {
        for column in 0..=row {
            let dot: f32 = (0..column)
                .map(|k| matrix[row * size + k] * matrix[column * size + k])
                .sum();
            let left = matrix[row * size + column] - dot;
            matrix[row * size + column] = match row == column {
                // Damping keeps it positive; a rounding must not make a NaN.
                true => left.max(1e-9).sqrt(),
                false => left / matrix[column * size + column],
            };
        }
        let dot: f32 = (0..row).map(|k| matrix[row * size + k] * right[k]).sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
    for row in (0..size).rev() {
        let dot: f32 = (row + 1..size)
            .map(|k| matrix[k * size + row] * right[k])
            .sum();
        right[row] = (right[row] - dot) / matrix[row * size + row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_positive_system_is_solved() {
        let given = [4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0f32];
        let wanted = [0.3, -1.2, 2.0f32];
        let mut right: Vec<f32> = (0..3)
            .map(|row| (0..3).map(|k| given[3 * row + k] * wanted[k]).sum())
            .collect();
        solve_positive(&mut given.clone(), &mut right, 3);
        for (got, wanted) in right.into_iter().zip(wanted) {
            assert_close!(got, wanted, 1e-5);
        }
    }
}
