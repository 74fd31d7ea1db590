//! Limits that a file states for the degrees of freedom of a joint.

use glam::{DQuat, DVec3, Quat};

use crate::{
    math::{Axis, Dof, EulerOrder},
    skeleton::Joint,
};

/// Rotations nearer to each other are the same: single precision where axes fall
/// together, radians.
const LOCKED_RAD: f64 = 1.5e-3;

/// Ranges of a joint's angles, about its own axes in its own order.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLimit {
    order: EulerOrder,
    /// C: from the joint's degrees of freedom to joint space at rest.
    axes: DQuat,
    rest: DQuat,
    /// About x, y and z, radians. An axis that the file does not give the joint
    /// has no limit either: an ankle of two axes is turned about the third by
    /// every IK.
    ranges: [[f64; 2]; 3],
    /// Which axes the file has.
    has: [bool; 3],
}

impl OwnLimit {
    /// Of a joint with at least one range that ends somewhere.
    #[must_use]
    pub fn of(joint: &Joint) -> Option<Self> {
        let mut turns: Vec<Axis> = Vec::new();
        let mut ranges = [[f64::NEG_INFINITY, f64::INFINITY]; 3];
        let mut has = [false; 3];
        let mut stated = false;
        for it in &joint.dofs {
            let Dof::Rotate(axis) = it.dof else { continue };
            // Twice the same axis: the angles of a rotation are undetermined.
            if turns.contains(&axis) {
                return None;
            }
            turns.push(axis);
            let [a, b] = it.range.map(f64::from);
            // Some files name the larger end first.
            ranges[axis.index()] = [a.min(b), a.max(b)];
            has[axis.index()] = true;
            stated |= a.is_finite() || b.is_finite();
        }
        stated.then(|| Self {
            order: EulerOrder::starting_with(&turns),
            axes: joint.axes.as_dquat().normalize(),
            rest: joint.rest.rotation.as_dquat().normalize(),
            ranges,
            has,
        })
    }

    /// The hinge of a joint that turns about one axis alone, in its parent.
    #[must_use]
    pub fn hinge(&self) -> Option<glam::Vec3A> {
        let mut own = (0..3).filter(|&axis| self.has[axis]);
        let (first, second) = (own.next()?, own.next());
        let axis = self.axes * DVec3::AXES[first];
        second.is_none().then(|| axis.as_vec3a())
    }

    /// Of the two triples of angles that make a rotation the one that breaks the
    /// ranges least, and by how much.
    pub(super) fn angles(&self, local: Quat) -> (DVec3, f64) {
        let motion = self.motion(local);
        let both = self.order.both_angles(motion, DVec3::ZERO);
        let locked = both.into_iter().flat_map(|it| self.shifted(it));
        let same = |it: &DVec3| self.order.rotation(*it).angle_between(motion) < LOCKED_RAD;
        let all = both.into_iter().chain(locked.filter(same));
        let all = all.map(|it| (it, self.excess_of_all(it)));
        let least = all.min_by(|a, b| a.1.total_cmp(&b.1));
        least.unwrap_or((DVec3::ZERO, 0.0))
    }

    /// Where the second turn makes the axes of the first and the third fall
    /// together, only their sum or difference is known: one of them brought into
    /// its range, the other making up for it.
    fn shifted(&self, angles: DVec3) -> [DVec3; 4] {
        let [first, _, third] = self.order.axes().map(Axis::index);
        let shift = |axis: usize, other: usize, sign: f64| {
            let [low, high] = self.ranges[axis];
            let way = angles[axis].clamp(low, high) - angles[axis];
            let mut shifted = angles;
            shifted[axis] += way;
            shifted[other] += sign * way;
            shifted
        };
        [
            shift(first, third, 1.0),
            shift(first, third, -1.0),
            shift(third, first, 1.0),
            shift(third, first, -1.0),
        ]
    }

    fn excess_of_all(&self, angles: DVec3) -> f64 {
        let excess = (0..3).map(|axis| self.excess_of(axis, angles[axis]));
        excess.fold(0.0, f64::max)
    }

    fn excess_of(&self, axis: usize, angle: f64) -> f64 {
        let [low, high] = self.ranges[axis];
        (low - angle).max(angle - high).max(0.0)
    }

    pub(super) fn excess_rad(&self, local: Quat) -> f32 {
        self.angles(local).1 as f32
    }

    pub(super) fn clamped(&self, local: Quat, allowed_rad: f32) -> Quat {
        let (angles, excess) = self.angles(local);
        match excess <= f64::from(allowed_rad) {
            true => local,
            false => self.held(angles, allowed_rad),
        }
    }

    /// Of the two triples the one on the side of the last step's.
    pub(super) fn followed(&self, last: &mut DVec3, local: Quat, allowed_rad: f32) -> Quat {
        let angles = self.order.angles(self.motion(local), *last);
        if self.excess_of_all(angles) <= f64::from(allowed_rad) {
            *last = angles;
            return local;
        }
        let allowed = f64::from(allowed_rad);
        *last = DVec3::from_array([0, 1, 2].map(|axis| {
            let [low, high] = self.ranges[axis];
            angles[axis].clamp(low - allowed, high + allowed)
        }));
        self.rotation(*last)
    }

    /// The importer's C · M · C⁻¹ · rest undone.
    fn motion(&self, local: Quat) -> DQuat {
        let motion = local.as_dquat().normalize() * self.rest.inverse();
        self.axes.inverse() * motion * self.axes
    }

    /// The rotation of angles that are held to their ranges.
    fn held(&self, mut angles: DVec3, allowed_rad: f32) -> Quat {
        let allowed = f64::from(allowed_rad);
        for axis in 0..3 {
            let [low, high] = self.ranges[axis];
            angles[axis] = angles[axis].clamp(low - allowed, high + allowed);
        }
        self.rotation(angles)
    }

    fn rotation(&self, angles: DVec3) -> Quat {
        let motion = self.order.rotation(angles);
        let local = self.axes * motion * self.axes.inverse() * self.rest;
        local.normalize().as_quat()
    }
}
