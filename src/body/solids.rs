//! A body as solids: one per bone, fitted to the skin that follows it.

use glam::{Vec3, Vec3A};

use super::Body;
use crate::{
    collide::{Collider, Obb, Shape, fit_capsule, fit_obb},
    skeleton::{NO_PARENT, Skeleton, WorldPose},
};

/// Which shape a bone gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneSolid {
    /// A box with rounded edges around all of the bone's skin.
    #[default]
    Obb,
    /// A capsule that leaves a tenth of it out.
    Capsule,
}

/// Skin that spans less than this goes to the bone above: fingers to the hand.
const SMALL_M: f32 = 0.09;
/// No solid is thinner: a sheet of coarse weave would let it through.
const LEAST_HALF_M: f32 = 0.025;
/// Rounding of a box as a share of its least half size.
const ROUNDING: f32 = 0.75;

/// Solids in the spaces of their joints. They follow any pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodySolids {
    parts: Vec<(usize, Shape)>,
}

impl BodySolids {
    /// Fits one solid to the skin of every bone that has enough of it.
    #[must_use]
    pub fn fit(skeleton: &Skeleton, body: &Body, kind: BoneSolid) -> Self {
        let mut skins: Vec<Vec<Vec3A>> = vec![Vec::new(); skeleton.len()];
        for vertex in body.vertices() {
            // By the strongest joint: what two share is covered by one of them.
            skins[usize::from(vertex.joints[0])].push(Vec3A::from(vertex.position));
        }
        // Children come after their parents: what is small walks up.
        for joint in (1..skeleton.len()).rev() {
            let parent = skeleton.parents()[joint];
            if parent != NO_PARENT && span_m(&skins[joint]) < SMALL_M {
                let small = std::mem::take(&mut skins[joint]);
                skins[usize::from(parent)].extend(small);
            }
        }
        let fitted = skins.iter().enumerate().filter_map(|(joint, skin)| {
            let joint_from_bind = body.joint_from_bind()[joint];
            let own: Vec<Vec3A> = skin
                .iter()
                .map(|&point| joint_from_bind.transform_point(point))
                .collect();
            // Along the bone: a limb's solid then keeps its shape as it bends.
            let axis = skeleton.joints()[joint].tip;
            Some((joint, fit_one(&own, axis, kind)?))
        });
        Self {
            parts: fitted.collect(),
        }
    }

    /// How many solids there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True for a body without skin.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds all solids as they move from one pose to another in a step.
    ///
    /// # Panics
    /// When a pose is of another skeleton.
    pub fn follow(&self, start: &WorldPose, end: &WorldPose, colliders: &mut Vec<Collider>) {
        colliders.extend(self.parts.iter().map(|&(joint, shape)| {
            Collider::moving(shape, start.joints()[joint], end.joints()[joint])
        }));
    }
}

fn span_m(points: &[Vec3A]) -> f32 {
    let (low, high) = points
        .iter()
        .fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), |(low, high), &p| {
            (low.min(p), high.max(p))
        });
    (high - low).max_element().max(0.0)
}

fn fit_one(points: &[Vec3A], axis: Vec3, kind: BoneSolid) -> Option<Shape> {
    match kind {
        BoneSolid::Obb => {
            let fitted = fit_obb(points, axis)?;
            let half_extents_m = fitted.half_extents_m.max(Vec3::splat(LEAST_HALF_M));
            Some(Shape::Obb(Obb {
                half_extents_m,
                // Limbs are round; sharp edges would show through and catch threads.
                rounding_m: ROUNDING * half_extents_m.min_element(),
                ..fitted
            }))
        }
        BoneSolid::Capsule => {
            let mut fitted = fit_capsule(points, axis)?;
            fitted.radius_m = fitted.radius_m.max(LEAST_HALF_M);
            Some(Shape::Capsule(fitted))
        }
    }
}
