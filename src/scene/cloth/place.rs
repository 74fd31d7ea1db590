//! Where each sheet begins that is not cut to a body, relative to a character.

use glam::{Quat, Vec2, Vec3};

use super::super::footing;
use crate::{
    body::BodySolids,
    cloth::Sheet,
    collide::{Collider, Obb},
    humanoid::{Human, Limb, Role, Side, Stature, carrier, facing},
    math::Transform,
    skeleton::{Skeleton, WorldPose},
};

/// Metres a solid must leave around an anchor.
const ANCHOR_GAP_M: f32 = 0.012;

/// Where a character stands and looks.
pub(super) struct Place {
    ground: Vec3,
    /// Takes +Z to where it looks.
    pub turn: Quat,
    height_m: f32,
    /// Times the size of a person.
    scale: f32,
}

/// Heights, in metres, of bodies that sheets are made for as they are, and the
/// one that others are measured by.
const PERSONS_M: std::ops::Range<f32> = 1.2..2.3;
const PERSON_M: f32 = 1.75;

impl Place {
    pub fn of(skeleton: &Skeleton, pose: &WorldPose) -> Self {
        let ahead = facing(skeleton, pose).unwrap_or(Vec3::Z);
        let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint).y);
        let height_m = ends.fold(0.5, f32::max);
        let person_m = Stature::of(skeleton).height_m;
        Self {
            ground: footing(pose, carrier(skeleton)),
            turn: Quat::from_rotation_y(ahead.x.atan2(ahead.z)),
            height_m,
            scale: match PERSONS_M.contains(&person_m) || person_m <= 0.0 {
                true => 1.0,
                false => person_m / PERSON_M,
            },
        }
    }

    /// Where it stands.
    pub fn ground(&self) -> Vec3 {
        self.ground
    }

    /// Right is the character's own left, as seen from before it.
    fn at(&self, left: f32, up: f32, ahead: f32) -> Vec3 {
        self.ground + self.turn * Vec3::new(left, up, ahead)
    }

    pub fn panel(&self, resolution: [usize; 2]) -> Sheet {
        let size = Vec2::new(2.0, 1.95) * self.scale;
        let [top, ahead] = [2.05, 0.8].map(|m| m * self.scale);
        let mut sheet = Sheet::rectangle(resolution, size, |share| {
            self.at((share.x - 0.5) * size.x, top - share.y * size.y, ahead)
        });
        sheet.pins = (0..resolution[0] as u32).collect();
        sheet
    }

    pub fn tumbled_box(&self) -> Obb {
        let tumbled = Quat::from_euler(glam::EulerRot::XYZ, 0.5, 0.6, 0.4);
        let [left, up, ahead, half] = [0.75, 0.3, 1.35, 0.22].map(|m| m * self.scale);
        let place = Transform::new(self.turn * tumbled, self.at(left, up, ahead));
        Obb::new(place, Vec3::splat(half))
    }

    pub fn flag(&self, resolution: [usize; 2]) -> Sheet {
        let size = Vec2::new(1.5, 1.0) * self.scale;
        let [left, top, behind] = [0.6, 2.25, -0.1].map(|m| m * self.scale);
        let mut sheet = Sheet::rectangle(resolution, size, |share| {
            self.at(left + share.x * size.x, top - share.y * size.y, behind)
        });
        let [columns, rows] = resolution;
        sheet.pins = (0..rows).map(|row| (row * columns) as u32).collect();
        // What flags are made of weighs some 110 to 160 g/m².
        sheet.density_kg_m2 = 0.15;
        sheet
    }

    pub fn pole(&self) -> [Vec3; 2] {
        let [left, top, behind] = [0.6, 2.35, -0.1].map(|m| m * self.scale);
        [self.at(left, 0.0, behind), self.at(left, top, behind)]
    }

    pub fn blanket(&self, resolution: [usize; 2]) -> Sheet {
        let side = 1.9 * self.scale;
        Sheet::rectangle(resolution, Vec2::splat(side), |share| {
            let [left, ahead] = [share.x - 0.5, 0.5 - share.y].map(|s| s * side);
            self.at(left, self.height_m + 0.25 * self.scale, ahead)
        })
    }

    /// From shoulder to shoulder behind the neck, and down the back; the joint
    /// that holds it.
    pub fn cape(
        &self,
        resolution: [usize; 2],
        skeleton: &Skeleton,
        solids: &BodySolids,
        pose: &WorldPose,
    ) -> (Sheet, usize) {
        let human = Human::find(skeleton);
        let arm = |side: Side| human.first(side.role(Limb::UpperArm)).map(usize::from);
        let (left, right) = (arm(Side::Left), arm(Side::Right));
        let holder = human.part(Role::Spine).last().copied();
        let holder = holder.map_or(0, usize::from);
        let joint_at = |joint: Option<usize>, otherwise: Vec3| {
            joint.map_or(otherwise, |joint| pose.joints()[joint].position())
        };
        let shoulders = [
            joint_at(right, self.at(-0.17, self.height_m * 0.82, 0.0)),
            joint_at(left, self.at(0.17, self.height_m * 0.82, 0.0)),
        ];
        let mut colliders = Vec::new();
        solids.follow(pose, pose, &mut colliders);
        let back = self.turn * Vec3::NEG_Z;
        let top = |u: f32| {
            // Up, because joints lie inside the shoulders, and back in a bow
            // around the neck.
            let bow = (std::f32::consts::PI * u).sin();
            let over =
                shoulders[0].lerp(shoulders[1], u) + Vec3::Y * 0.09 + back * (0.03 + 0.1 * bow);
            outside(over, &colliders)
        };
        let [columns, _] = resolution;
        // Anchors lie unevenly over the shoulders: the widest gap between two is
        // the least that the weave must span.
        let cells = columns.saturating_sub(1).max(1) as f32;
        let gap = |cell: usize| {
            let [a, b] = [cell, cell + 1].map(|at| top(at as f32 / cells));
            a.distance(b)
        };
        let widest = (0..columns.saturating_sub(1)).map(gap).fold(0.0, f32::max);
        let size = Vec2::new(
            (widest * cells).max(0.85 * self.scale),
            self.height_m * 0.62,
        );
        let sheet = Sheet::rectangle(resolution, size, |share| {
            let from = top(share.x);
            let wide = (share.x - 0.5) * 0.35 * share.y;
            let side = self.turn * Vec3::X;
            // Folds grow from the anchors down, whose gaps the weave just spans.
            let fold = 0.05 * share.y * (share.x * std::f32::consts::TAU * 5.0).sin();
            let off = back * (0.02 + 0.25 * share.y.min(0.4) + fold);
            from + off + side * wide - Vec3::Y * (share.y * size.y * 0.97)
        });
        let pins = (0..columns as u32).collect();
        (Sheet { pins, ..sheet }, holder)
    }
}

/// The place nearby that no solid comes near.
fn outside(mut at: Vec3, colliders: &[Collider]) -> Vec3 {
    // Out of one solid may be into the next; a few rounds settle that.
    for _ in 0..8 {
        for collider in colliders {
            let local = collider.end.inverse().transform_point(at.into());
            let found = collider.local_shape.surface(local);
            if found.distance_m < ANCHOR_GAP_M {
                let out = local + found.normal * (ANCHOR_GAP_M - found.distance_m);
                at = collider.end.transform_point(out).into();
            }
        }
    }
    at
}
