//! Hips, spine, clavicles and neck: moved by damped least squares until the
//! points that were taken hold of are where they should be.
//!
//! With r from a joint to a point, turns θ of the joints move the point by
//! θ × r, and a shift of the hips by itself. For points a and b the block of
//! J W Jᵀ is Σ w ((rₐ · r_b) I − r_b rₐᵀ) over the joints that both hang on, and
//! w (h × rₐ)(h × r_b)ᵀ of a hinge h, plus the weight of the shift; a joint turns by
//! w Σ rₐ × fₐ, a hinge by what of that is along it.

use glam::{Mat3A, Quat, Vec3, Vec3A};

use super::kept::KeptLimits;
use crate::{
    humanoid::{Human, Limb, Role, Side},
    math::{ik, quat},
    skeleton::{JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// Points at most: four limbs, the head, the hips and one more.
const MOST_HANDLES: usize = 8;
/// Damping, metres: λ² is added to squares of lever arms.
const DAMPING_M: f32 = 0.02;
/// How willingly a turn of the spine, of clavicles and of the hips, and a shift
/// of the hips (square metres a radian squared) take part beside the root of the
/// dragged limb, whose share is 1: the spine first.
const SPINE: f32 = 0.06;
const NECK: f32 = 0.06;
const CLAVICLE: f32 = 0.036;
const HIPS_TURN: f32 = 0.02;
const HIPS_SHIFT: f32 = 0.004;
/// Share of their bend that all joints give back in a step of a centimetre: what
/// the limb can do alone, it does, and whatever limits did on the way is
/// forgotten.
const GIVEN_BACK: f32 = 0.05;
/// No joint of limbs and of the trunk turns further in a step of a centimetre,
/// radians: a limit that is met or left again is not seen as a jerk.
const MOST_LIMB_TURN_RAD: f32 = 0.06;
const MOST_TRUNK_TURN_RAD: f32 = 0.012;
/// No joint of the trunk turns further from where the motion has it, radians.
const MOST_BEND_RAD: f32 = 0.55;
/// The hips tilt less, and give way by this share of the body's height.
const MOST_TILT_RAD: f32 = 0.4;
const MOST_SHIFT: f32 = 0.2;
/// A handle is drawn so many times as far as the step is long at most: what it
/// was left behind by it makes up for little by little.
const CATCH_UP: f32 = 2.5;

/// A point of the trunk, and how far it is from where it should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub joint: JointIndex,
    pub error: Vec3A,
}

/// A joint that turns, about one axis of the model or about any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    pub joint: JointIndex,
    pub weight: f32,
    pub hinge: Option<Vec3A>,
    /// Where to its limit lets it turn no further, in the model.
    pub blocked: Option<Vec3A>,
}

impl Turning {
    /// What of a turn it can do.
    fn can(&self, turn: Vec3A) -> Vec3A {
        match (self.hinge, self.blocked) {
            (Some(axis), _) => axis * axis.dot(turn),
            (None, Some(to)) => turn - to * to.dot(turn).max(0.0),
            (None, None) => turn,
        }
    }

    /// Its part in the block of two points at levers `a` and `b`.
    fn block(&self, [a, b]: [Vec3A; 2]) -> Mat3A {
        match self.hinge {
            None => {
                let refused = self.blocked.map(|to| outer(to.cross(a), to.cross(b)));
                diagonal(a.dot(b)) - outer(b, a) - refused.unwrap_or(Mat3A::ZERO)
            }
            Some(axis) => outer(axis.cross(a), axis.cross(b)),
        }
    }
}

/// a bᵀ.
fn outer(a: Vec3A, b: Vec3A) -> Mat3A {
    Mat3A::from_cols(a * b.x, a * b.y, a * b.z)
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

    /// Joints that turn.
    pub fn turning(&self) -> impl Iterator<Item = JointIndex> + '_ {
        self.turning.iter().map(|(joint, _)| *joint)
    }

    /// A little of the way back to the motion's pose.
    pub fn give_back(
        &self,
        (own, step_m, drags_hips): (&LocalPose, f32, bool),
        limbs: &[Turning],
        kept: &mut KeptLimits<'_>,
        pose: &mut LocalPose,
    ) {
        let share = 1.0 - (1.0 - GIVEN_BACK).powf(step_m / 0.01);
        for joint in self.turning().chain(limbs.iter().map(|it| it.joint)) {
            let index = usize::from(joint);
            let (now, own) = (pose.joints()[index].rotation, own.joints()[index].rotation);
            if now != own {
                let rotation = kept.turned(joint, now, now.slerp(own, share));
                pose.joints_mut()[index].rotation = rotation;
            }
        }
        if !drags_hips {
            let carrier = usize::from(self.carrier);
            let own = own.joints()[carrier].translation;
            let now = &mut pose.joints_mut()[carrier].translation;
            *now = now.lerp(own, share);
        }
    }

    /// One step towards where the handles should be. `limbs` turn too, and most
    /// willingly.
    pub fn step(
        &self,
        skeleton: &Skeleton,
        (handles, limbs, with_hips, step_m): (&[Handle], &[Turning], bool, f32),
        (kept, own): (&mut KeptLimits<'_>, &LocalPose),
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let handles = &handles[..handles.len().min(MOST_HANDLES)];
        let trunk = self.turning.iter().map(|&(joint, weight)| Turning {
            joint,
            weight,
            hinge: None,
            blocked: None,
        });
        let trunk = trunk.filter(|it| with_hips || it.joint != self.carrier);
        let turning = trunk.chain(limbs.iter().copied()).map(|it| Turning {
            blocked: { kept.blocked(it.joint) }.map(|to| above(skeleton, it.joint, model) * to),
            ..it
        });
        let turning: Vec<Turning> = turning.collect();
        let forces = self.forces(
            skeleton,
            (handles, &turning, with_hips, CATCH_UP * step_m),
            model,
        );
        if with_hips {
            let shift = forces.iter().fold(Vec3A::ZERO, |sum, it| sum + *it) * HIPS_SHIFT;
            let above = above(skeleton, self.carrier, model);
            let shift = (above.conjugate() * shift).clamp_length_max(step_m);
            self.shift_hips(shift, own, pose, handles);
        }
        // Turns are about where joints are now: none is placed before all are made.
        for it in &turning {
            let joint = it.joint;
            let index = usize::from(joint);
            let at = model.joints()[index].translation;
            let moved = handles.iter().zip(&forces);
            let moved = moved.filter(|(handle, _)| hangs(skeleton, handle.joint, joint));
            let turn = moved.fold(Vec3A::ZERO, |sum, (handle, force)| {
                let lever = model.joints()[usize::from(handle.joint)].translation - at;
                sum + lever.cross(*force)
            });
            let of_limb = limbs.iter().any(|limb| limb.joint == joint);
            let most_turn_rad = step_m / 0.01
                * match of_limb {
                    true => MOST_LIMB_TURN_RAD,
                    false => MOST_TRUNK_TURN_RAD,
                };
            let asked = above(skeleton, joint, model).conjugate() * turn;
            let turn = (it.can(turn) * it.weight).clamp_length_max(most_turn_rad);
            // In the parent's own axes: what the parent turns by is its own.
            let turn = above(skeleton, joint, model).conjugate() * turn;
            let now = pose.joints()[index].rotation;
            let own = own.joints()[index].rotation;
            let wanted = quat::exp(Vec3::from(turn)) * now;
            let from_own = ik::limited(wanted * own.conjugate(), self.most_bend_rad(joint));
            let wanted = (from_own * own).normalize();
            pose.joints_mut()[index].rotation = kept.pushed(joint, now, (asked, wanted));
        }
    }

    fn most_bend_rad(&self, joint: JointIndex) -> f32 {
        match self.turning.binary_search_by_key(&joint, |it| it.0) {
            Ok(_) if joint == self.carrier => MOST_TILT_RAD,
            Ok(_) => MOST_BEND_RAD,
            Err(_) => std::f32::consts::PI,
        }
    }

    fn shift_hips(&self, shift: Vec3A, own: &LocalPose, pose: &mut LocalPose, to: &[Handle]) {
        let carrier = usize::from(self.carrier);
        let own = own.joints()[carrier].translation;
        let now = pose.joints()[carrier].translation;
        // Hips that are dragged themselves go where they are dragged.
        let dragged = to.iter().any(|it| it.joint == self.carrier);
        let most_m = if dragged { f32::MAX } else { self.most_shift_m };
        let way = (now + shift - own).clamp_length_max(most_m);
        pose.joints_mut()[carrier].translation = own + way;
    }

    /// (J W Jᵀ + λ² I)⁻¹ e.
    fn forces(
        &self,
        skeleton: &Skeleton,
        (handles, turning, with_hips, most_m): (&[Handle], &[Turning], bool, f32),
        model: &ModelPose,
    ) -> Vec<Vec3A> {
        let size = 3 * handles.len();
        let mut matrix = [0.0f32; 9 * MOST_HANDLES * MOST_HANDLES];
        let mut right = [0.0f32; 3 * MOST_HANDLES];
        let at = |joint: JointIndex| model.joints()[usize::from(joint)].translation;
        for (a, first) in handles.iter().enumerate() {
            let error = first.error.clamp_length_max(most_m);
            right[3 * a..3 * a + 3].copy_from_slice(&error.to_array());
            for (b, second) in handles.iter().enumerate().take(a + 1) {
                let shift = if with_hips { HIPS_SHIFT } else { 0.0 };
                let damping = if a == b { DAMPING_M * DAMPING_M } else { 0.0 };
                let mut block = diagonal(shift + damping);
                for it in turning {
                    let both = [first.joint, second.joint];
                    if both.iter().all(|&on| hangs(skeleton, on, it.joint)) {
                        block += it.block(both.map(|on| at(on) - at(it.joint))) * it.weight;
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

/// How what a joint hangs on is turned in the model.
fn above(skeleton: &Skeleton, joint: JointIndex, model: &ModelPose) -> Quat {
    match skeleton.parents()[usize::from(joint)] {
        NO_PARENT => Quat::IDENTITY,
        parent => model.joints()[usize::from(parent)].rotation,
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
