//! What an error in a channel does to the joints, and how later channels can
//! undo what earlier ones did.
//!
//! Small errors δ of the channels move and rotate the joints by J·δ, and the sum
//! of the squares is δᵀHδ with H = JᵀJ. With joints for solid bodies and
//! channels for coordinates, H is exactly the mass matrix of the articulated
//! body, so it is built from composite inertias and factored as H = LᵀL
//! without fill-in, the way rigid-body dynamics does it (Featherstone, "Rigid
//! Body Dynamics Algorithms", chapter 6). L couples a channel only with those
//! of its ancestors.
//!
//! δᵀHδ = |L·δ|² is why L is wanted: coding channels from the root outwards,
//! each can aim at what cancels its ancestors' errors as well as it can, and
//! what is then left of a channel's error weighs L's diagonal. A hip may err by
//! what the spine can make up for.

use glam::{DMat3, DQuat, DVec3};

use super::{
    channels::{ChannelKind, ChannelLayout, RotationCode},
    encoder_skeleton::EncoderSkeleton,
};
use crate::codec::metric::ExactJoint;

/// Motion of the body when a channel changes by one: an angular velocity
/// about the origin, and a linear one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Twist {
    pub angular: DVec3,
    pub linear: DVec3,
}

impl Twist {
    /// Velocity of a point of model space.
    #[inline]
    pub fn at(self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point)
    }
}

/// Twists of the channels `coded` of a layout, at a pose given by its channel
/// `values` and its joints in model space.
pub(super) fn twists(
    hierarchy: &EncoderSkeleton,
    layout: &ChannelLayout,
    coded: &[usize],
    values: &[f64],
    model_pose: &[ExactJoint],
    out: &mut Vec<Twist>,
) {
    out.clear();
    for &channel in coded {
        let joint = usize::from(layout.channels[channel].joint);
        let model_from_parent = hierarchy
            .parent(joint)
            .map_or(DQuat::IDENTITY, |p| model_pose[p].rotation);
        let position = model_pose[joint].position;
        // A rotation about an axis through p moves a point x by axis × (x −
        // p): at the origin that is p × axis.
        let about = |axis: DVec3| Twist {
            angular: axis,
            linear: position.cross(axis),
        };
        out.push(match layout.channels[channel].kind {
            ChannelKind::Rotation(at, part) => {
                about(model_from_parent * parent_axis(layout, at, part, values))
            }
            ChannelKind::Translation(axis) => Twist {
                angular: DVec3::ZERO,
                // Translations are given in the parent's space.
                linear: model_from_parent * DVec3::AXES[axis],
            },
            ChannelKind::Stretch => Twist {
                angular: DVec3::ZERO,
                linear: model_pose[joint].rotation * hierarchy.bone_direction(joint),
            },
        });
    }
}

/// Axis, in the parent's space, about which a joint rotates when one of its
/// rotation channels changes.
fn parent_axis(layout: &ChannelLayout, at: usize, part: usize, values: &[f64]) -> DVec3 {
    let channels = &layout.rotations[at];
    let own = &values[channels.first..channels.first + channels.count];
    if let RotationCode::Vector(_) = channels.code {
        // A rotation vector comes first, then the mean: the mean turns its
        // axis.
        let vector = DVec3::new(own[0], own[1], own[2]);
        return channels.mean.as_dquat() * vector_axis(vector, DVec3::AXES[part]);
    }
    let axis = channels.axes[part].as_dvec3();
    // Angles applied after this one turn its axis with them.
    (part + 1..channels.count).fold(axis, |axis, later| {
        DQuat::from_axis_angle(channels.axes[later].as_dvec3(), own[later]) * axis
    })
}

/// Left Jacobian of the exponential at `vector`, applied to `direction`.
fn vector_axis(vector: DVec3, direction: DVec3) -> DVec3 {
    let angle = vector.length();
    if angle < 1e-4 {
        // The first two terms of its series; the third is below 10⁻⁸ here.
        return direction + vector.cross(direction) * 0.5;
    }
    let once = vector.cross(direction);
    // J = 1 + (1 − cos θ)/θ² [v]× + (θ − sin θ)/θ³ [v]×²
    let (sine, cosine) = angle.sin_cos();
    direction
        + once * ((1.0 - cosine) / (angle * angle))
        + vector.cross(once) * ((angle - sine) / (angle * angle * angle))
}

/// What a joint's rotation weighs beside its translation, in m²: the ball of
/// 3 cm alone would be 0.0009. A thumb could rotate by radians before its ball
/// leaves the tolerance; but joints below it have to undo what it does, and
/// their residuals pay. From 0.002 to 0.008 it hardly matters (corpus).
const STIFFNESS_M2: f64 = 0.0035;

/// Sums over points: weight, first moment, second moment as ∑(|p|²·1 − p·pᵀ).
#[derive(Clone, Copy)]
struct Inertia {
    weight: f64,
    first: DVec3,
    second: DMat3,
}

impl Inertia {
    fn of_joint(joint: &ExactJoint, weight: f64) -> Self {
        let p = joint.position;
        let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        // A point at the joint, and a resistance to rotation about any axis
        // alike.
        let around = DMat3::from_diagonal(DVec3::splat(p.length_squared() + STIFFNESS_M2));
        Self {
            weight,
            first: p * weight,
            second: (around - outer) * weight,
        }
    }

    fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
    }

    /// Force and torque that go with a twist.
    fn apply(&self, twist: Twist) -> (DVec3, DVec3) {
        // ∑ m·(v + ω × p) and ∑ m·p × (v + ω × p).
        let force = twist.linear * self.weight + twist.angular.cross(self.first);
        let torque = self.first.cross(twist.linear) + self.second * twist.angular;
        (force, torque)
    }
}

/// Which coded channels lie between each coded channel and the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Ancestry {
    starts: Vec<usize>,
    ancestors: Vec<usize>,
}

impl Ancestry {
    /// For the channels `coded` of a layout.
    pub fn new(hierarchy: &EncoderSkeleton, layout: &ChannelLayout, coded: &[usize]) -> Self {
        let joint_of = |at: usize| usize::from(layout.channels[coded[at]].joint);
        let mut ancestry = Self::default();
        for at in 0..coded.len() {
            ancestry.starts.push(ancestry.ancestors.len());
            // Channels ascend with their joints, and a joint's own earlier
            // channels count as ancestors too.
            let earlier =
                (0..at).filter(|&other| hierarchy.is_above(joint_of(other), joint_of(at)));
            ancestry.ancestors.extend(earlier);
        }
        ancestry.starts.push(ancestry.ancestors.len());
        ancestry
    }

    /// Number of (channel, ancestor) pairs.
    pub fn pairs(&self) -> usize {
        self.ancestors.len()
    }

    /// Where the pairs of a channel lie among all pairs.
    #[inline]
    pub fn range(&self, at: usize) -> std::ops::Range<usize> {
        self.starts[at]..self.starts[at + 1]
    }

    /// Ancestors of a channel, root first.
    #[inline]
    pub fn of(&self, at: usize) -> &[usize] {
        &self.ancestors[self.range(at)]
    }
}

/// L at one pose: its diagonal, and the rest of each row divided by it.
#[derive(Clone, Debug, Default)]
pub(super) struct CholeskyFactor {
    pub diagonal: Vec<f32>,
    /// In the order of [`Ancestry::range`].
    pub ratios: Vec<f32>,
}

/// Where two channels rotate about nearly the same axis one could undo the other
/// entirely, by running off to where nothing is linear any more: at least this
/// part of a channel's weight stays its own.
const LEAST_LEFT: f64 = 1e-3;
/// A channel that moves nothing still gets a finite step.
const LEAST_WEIGHT: f64 = 1e-12;

/// Memory for [`factorise`].
#[derive(Default)]
pub(super) struct FactorScratch {
    inertias: Vec<Inertia>,
    matrix: Vec<f64>,
}

/// Builds and factors the mass matrix; `weights` are the joints'.
pub(super) fn factorise(
    hierarchy: &EncoderSkeleton,
    ancestry: &Ancestry,
    joints_of_coded: &[usize],
    twists: &[Twist],
    model_pose: &[ExactJoint],
    weights: &[f64],
    scratch: &mut FactorScratch,
) -> CholeskyFactor {
    composite_inertias(hierarchy, model_pose, weights, &mut scratch.inertias);
    let count = twists.len();
    scratch.matrix.clear();
    scratch.matrix.resize(count * count, 0.0);
    let h = &mut scratch.matrix;
    for (at, &twist) in twists.iter().enumerate() {
        // H(at, above) = twist(above) · I · twist(at), with I of all that
        // hangs below `at` (composite rigid bodies): pairs on different
        // branches move no common point and stay zero.
        let (force, torque) = scratch.inertias[joints_of_coded[at]].apply(twist);
        let work = |t: Twist| t.linear.dot(force) + t.angular.dot(torque);
        h[at * count + at] = work(twist);
        for &above in ancestry.of(at) {
            h[at * count + above] = work(twists[above]);
        }
    }
    let alone: Vec<f64> = (0..count).map(|at| h[at * count + at]).collect();
    // H = LᵀL from the leaves inwards: eliminating a channel changes only its
    // ancestors' rows, which already have entries for one another.
    for at in (0..count).rev() {
        // What is left of a channel's weight once those below have made up for
        // it as well as they can.
        let floor = (alone[at] * LEAST_LEFT).max(LEAST_WEIGHT);
        let pivot = h[at * count + at].max(floor).sqrt();
        h[at * count + at] = pivot;
        let above = ancestry.of(at);
        for (i, &a) in above.iter().enumerate() {
            h[at * count + a] /= pivot;
            for &b in &above[..=i] {
                h[a * count + b] -= h[at * count + a] * h[at * count + b];
            }
        }
    }
    let diagonal: Vec<f32> = (0..count).map(|at| h[at * count + at] as f32).collect();
    // Divided by the diagonal: a channel that errs by minus ratio · (its
    // ancestor's error) undoes what that did, as far as it can.
    let mut ratios = Vec::with_capacity(ancestry.pairs());
    for (at, &pivot) in diagonal.iter().enumerate() {
        let row = ancestry
            .of(at)
            .iter()
            .map(|&above| h[at * count + above] as f32 / pivot);
        ratios.extend(row);
    }
    CholeskyFactor { diagonal, ratios }
}

fn composite_inertias(
    hierarchy: &EncoderSkeleton,
    model_pose: &[ExactJoint],
    weights: &[f64],
    out: &mut Vec<Inertia>,
) {
    out.clear();
    out.extend(
        model_pose
            .iter()
            .zip(weights)
            .map(|(p, &w)| Inertia::of_joint(p, w)),
    );
    // Children have larger numbers: each is complete when it is added.
    for joint in (1..model_pose.len()).rev() {
        if let Some(parent) = hierarchy.parent(joint) {
            let child = out[joint];
            out[parent].add(&child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        codec::{
            metric::{BALL_RADIUS_M, exact_model_pose},
            tight::{channels::Tracks, encoder_skeleton::Reconstruction},
        },
        math::{Axis, Transform},
        skeleton::{Dof, DofRange, Joint, NO_PARENT, Skeleton},
    };
    use glam::{Quat, Vec3};

    fn chain() -> Skeleton {
        let joint = |name: &str, parent, axes: &[Axis]| Joint {
            name: name.into(),
            parent,
            rest: Transform::from_translation(Vec3::new(0.1, 0.3, 0.0)),
            tip: Vec3::Y,
            axes: Quat::from_rotation_x(0.4),
            dofs: axes
                .iter()
                .map(|&axis| DofRange::unlimited(Dof::Rotate(axis)))
                .collect(),
        };
        let joints = vec![
            joint("a", NO_PARENT, &[Axis::X, Axis::Y, Axis::Z]),
            joint("b", 0, &[Axis::Z]),
            joint("c", 1, &[Axis::X, Axis::Y, Axis::Z]),
            joint("d", 0, &[Axis::Y, Axis::X]),
        ];
        Skeleton::new("chain", joints).unwrap()
    }

    /// Moves every channel a little and compares with finite differences; then
    /// checks that the factor gives the sum of the squares.
    #[test]
    fn twists_and_factor_agree_with_finite_differences() {
        let skeleton = chain();
        let codes = [
            RotationCode::Dofs,
            RotationCode::Dofs,
            RotationCode::Vector([10, -40, 5]),
            RotationCode::Dofs,
        ];
        let tracks = Tracks {
            rotations: (0..).zip(codes).collect(),
            ..Tracks::default()
        };
        let layout = ChannelLayout::new(&skeleton, &tracks);
        let hierarchy = EncoderSkeleton::new(&skeleton);
        let width = layout.channels.len();
        let values: Vec<f64> = (0..width).map(|at| (at as f64 * 1.7).sin()).collect();
        let start: Vec<f32> = values.iter().map(|&v| v as f32).collect();
        let mut reconstruction = Reconstruction::new(&layout, &start);
        let mut model_pose = Vec::new();
        let parents = skeleton.parents();
        exact_model_pose(parents, reconstruction.pose(&skeleton), &mut model_pose);
        let coded: Vec<usize> = (0..width).collect();
        let joints: Vec<usize> = layout
            .channels
            .iter()
            .map(|channel| usize::from(channel.joint))
            .collect();
        let mut found = Vec::new();
        twists(
            &hierarchy,
            &layout,
            &coded,
            &values,
            &model_pose,
            &mut found,
        );

        let step = 1e-2;
        let radius = f64::from(BALL_RADIUS_M);
        let mut errors = Vec::new();
        for at in 0..width {
            reconstruction.frame.values[at] += step;
            reconstruction.errors(&skeleton, &model_pose, &mut errors);
            reconstruction.frame.values[at] -= step;
            for (joint, error) in errors.iter().enumerate() {
                let moved = hierarchy.is_above(joints[at], joint);
                let by = f64::from(if moved { step } else { 0.0 });
                let offset = found[at].at(model_pose[joint].position) * by;
                let swing = found[at].angular * radius * by;
                let off = (error.offset - offset).length() + (error.swing - swing).length();
                assert!(off < 1e-4, "channel {at}, joint {joint}: off by {off}");
            }
        }

        let ancestry = Ancestry::new(&hierarchy, &layout, &coded);
        let weights = [1.0; 4];
        let mut scratch = FactorScratch::default();
        let factor = factorise(
            &hierarchy,
            &ancestry,
            &joints,
            &found,
            &model_pose,
            &weights,
            &mut scratch,
        );
        let deltas: Vec<f64> = (0..width)
            .map(|at| 1e-4 * (at as f64 * 2.3).cos())
            .collect();
        let left = (0..width).map(|at| {
            let ratios = &factor.ratios[ancestry.range(at)];
            let above = ancestry.of(at).iter().zip(ratios);
            let undone: f64 = above.map(|(&a, &ratio)| f64::from(ratio) * deltas[a]).sum();
            (f64::from(factor.diagonal[at]) * (deltas[at] + undone)).powi(2)
        });
        let weighed: f64 = left.sum();
        for (value, delta) in reconstruction.frame.values.iter_mut().zip(&deltas) {
            *value += *delta as f32;
        }
        reconstruction.errors(&skeleton, &model_pose, &mut errors);
        let measured = errors.iter().map(|error| {
            let rotated = error.swing / radius;
            error.offset.length_squared() + rotated.length_squared() * STIFFNESS_M2
        });
        let measured: f64 = measured.sum();
        assert_close!(weighed / measured, 1.0, 0.01, "{weighed} is not {measured}");
    }
}
