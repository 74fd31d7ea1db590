//! Which freedoms each bone is written with.

use glam::{DQuat, DVec3};

use super::super::{Aligned, ExportSource, aligned::RootRotation};
use crate::{
    math::{Axis, Dof, EulerOrder},
    skeleton::{Joint, LocalPose},
};

pub(super) const ROTATIONS: [Dof; 3] = [
    Dof::Rotate(Axis::X),
    Dof::Rotate(Axis::Y),
    Dof::Rotate(Axis::Z),
];
const TRANSLATIONS: [Dof; 3] = [
    Dof::Translate(Axis::X),
    Dof::Translate(Axis::Y),
    Dof::Translate(Axis::Z),
];

/// A turn about an axis that a joint does not have, up to which it is taken
/// for rounding: a fiftieth of a millimetre at a metre.
const STRAY_RAD: f64 = 2e-5;

/// Freedoms for every joint, the root first.
pub(super) struct Plan {
    pub dofs: Vec<Vec<Dof>>,
    /// Some joint turns about axes that the skeleton does not give it.
    pub rotates_more: bool,
    /// Some joint moves or stretches though the skeleton does not say so.
    pub moves_more: bool,
}

impl Plan {
    /// The skeleton's own freedoms, and what its clip needs beyond.
    pub fn new(source: ExportSource<'_>) -> Self {
        let joints = source.skeleton.joints().iter();
        let own = |joint: &Joint| joint.dofs.iter().map(|it| it.dof).collect();
        let mut dofs: Vec<Vec<Dof>> = joints.map(own).collect();
        let stray = stray_joints(source, &dofs);
        fill_up_root(&mut dofs[0]);
        for &joint in &stray {
            // The order so far stays the order of evaluation.
            add_missing(&mut dofs[joint], &ROTATIONS);
        }
        let mut moves_more = false;
        for track in source.clip.translations.iter().filter(|it| it.joint != 0) {
            moves_more |= add_missing(&mut dofs[usize::from(track.joint)], &TRANSLATIONS);
        }
        for track in source.clip.stretches.iter().filter(|it| it.joint != 0) {
            moves_more |= add_missing(&mut dofs[usize::from(track.joint)], &[Dof::Length]);
        }
        Self {
            dofs,
            rotates_more: !stray.is_empty(),
            moves_more,
        }
    }
}

/// `true` when something was missing.
fn add_missing(dofs: &mut Vec<Dof>, wanted: &[Dof]) -> bool {
    let before = dofs.len();
    for dof in wanted {
        if !dofs.contains(dof) {
            dofs.push(*dof);
        }
    }
    dofs.len() > before
}

/// All six, as files expect of a root.
fn fill_up_root(dofs: &mut Vec<Dof>) {
    dofs.retain(|dof| *dof != Dof::Length);
    add_missing(dofs, &TRANSLATIONS);
    add_missing(dofs, &ROTATIONS);
}

/// Bones that turn about an axis they do not have.
fn stray_joints(source: ExportSource<'_>, dofs: &[Vec<Dof>]) -> Vec<usize> {
    let aligned = Aligned::new(source.skeleton, RootRotation::Kept);
    let animated = source.clip.animated.iter().map(|&joint| usize::from(joint));
    let mut doubtful: Vec<(usize, JointAngles)> = animated
        .filter(|&joint| joint != 0)
        .map(|joint| (joint, JointAngles::new(&dofs[joint], aligned.axes(joint))))
        // With three axes a joint can turn in every way.
        .filter(|(_, angles)| angles.count < 3)
        .collect();
    let mut stray = Vec::new();
    let mut pose = LocalPose::default();
    for frame in 0..source.clip.frames() {
        if doubtful.is_empty() {
            break;
        }
        source.clip.frame_pose(source.skeleton, frame, &mut pose);
        doubtful.retain_mut(|(joint, angles)| {
            let (rotation, _) = aligned.local(*joint, pose.joints()[*joint]);
            angles.next(rotation);
            let strays = angles.stray() > STRAY_RAD;
            if strays {
                stray.push(*joint);
            }
            !strays
        });
    }
    stray
}

/// The angles of one joint from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct JointAngles {
    order: EulerOrder,
    /// How many of the order's axes the joint has, from the first.
    count: usize,
    axes: DQuat,
    angles_rad: DVec3,
}

impl JointAngles {
    pub fn new(dofs: &[Dof], axes: DQuat) -> Self {
        let own_axes = dofs.iter().filter_map(|dof| match dof {
            Dof::Rotate(axis) => Some(*axis),
            _ => None,
        });
        let own_axes: Vec<Axis> = own_axes.collect();
        Self {
            order: EulerOrder::starting_with(&own_axes),
            count: own_axes.len(),
            axes,
            angles_rad: DVec3::ZERO,
        }
    }

    /// Angles about x, y, z for a rotation from rest, near those before. Of
    /// the two triples the one that needs the axes least that are not there.
    pub fn next(&mut self, rotation: DQuat) -> DVec3 {
        const STRAY_COUNTS: f64 = 1e3;
        // The importer's C · M · C⁻¹ undone: M = C⁻¹ · local · C.
        let about_axes = self.axes.inverse() * rotation * self.axes;
        let mut near = self.angles_rad;
        let order = self.order.axes();
        let missing = &order[self.count..];
        // An axis that is not written is read as 0, whatever it was before.
        missing.iter().for_each(|axis| near[axis.index()] = 0.0);
        let cost = |angles: &DVec3| {
            let mut off = *angles - near;
            for axis in missing {
                off[axis.index()] *= STRAY_COUNTS;
            }
            off.length_squared()
        };
        let [a, b] = self.order.both_angles(about_axes, near);
        self.angles_rad = if cost(&a) <= cost(&b) { a } else { b };
        self.angles_rad
    }

    /// The largest of the last angles about an axis that is not there.
    fn stray(&self) -> f64 {
        let order = self.order.axes();
        let missing = order[self.count..].iter();
        let angles = missing.map(|axis| self.angles_rad[axis.index()].abs());
        angles.fold(0.0, f64::max)
    }
}
