//! Garments cut to a body: a skirt.
//!
//! They are made around the body as it was grown, or as its file has it at
//! rest, from its own measures, and so begin outside of it; [`Dressing`] takes
//! body and garment from there to where the character stands.

use std::{f32::consts::TAU, sync::Arc};

use glam::{Quat, Vec2, Vec3, Vec3A};

use crate::{
    body::Body,
    cloth::{Sheet, SheetError},
    humanoid::{Human, Limb, Role, Side, facing},
    math::Transform,
    skeleton::{JointIndex, NO_PARENT, Skeleton, WorldPose},
};

/// The height that the measures below are of.
const PERSON_M: f32 = 1.75;
/// Between skin and the inside of a garment, of a person.
const EASE_M: f32 = 0.012;
/// How much wider a skirt gets for each metre down.
const FLARE: f32 = 0.4;
/// What a vertex of the skin belongs to, as a tailor sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Trunk,
    Neck,
    Sleeve,
    /// From the elbow on.
    Forearm,
    Leg,
}

/// A body's measures, upright, looking along +Z, standing on y = 0.
pub(super) struct Tailor {
    points: Vec<(Vec3A, Region)>,
    /// Joints, likewise.
    joints: Vec<Transform>,
    human: Human,
    scale: f32,
    /// Takes all this to where the character stands.
    pub world_from_body: Transform,
}

impl Tailor {
    /// Measures a body for a character that stands at `ground` and looks where
    /// `turn` takes +Z.
    pub fn measure(skeleton: &Skeleton, body: &Body, ground: Vec3, turn: Quat) -> Self {
        let human = Human::find(skeleton);
        let mut bind = WorldPose::from(skeleton.rest_model());
        for (joint, joint_from_bind) in bind.joints_mut().iter_mut().zip(body.joint_from_bind()) {
            *joint = joint_from_bind.inverse();
        }
        let ahead = facing(skeleton, &bind).unwrap_or(Vec3::Z);
        let upright = Quat::from_rotation_y(-ahead.x.atan2(ahead.z));
        let own: Vec<Vec3A> = { body.vertices().iter() }
            .map(|vertex| upright * Vec3A::from(vertex.position))
            .collect();
        let low = own.iter().map(|at| at.y).fold(f32::INFINITY, f32::min);
        let high = own.iter().map(|at| at.y).fold(f32::NEG_INFINITY, f32::max);
        let hips = human.first(Role::Hips).map_or(0, usize::from);
        let hips = upright * bind.joints()[hips].position();
        let lift = Transform::new(upright, Vec3::new(-hips.x, -low, -hips.z));
        let regions = regions(skeleton, &human);
        let points = { body.vertices().iter() }.map(|vertex| {
            let at = lift.transform_point(Vec3A::from(vertex.position));
            (at, regions[usize::from(vertex.joints[0])])
        });
        Self {
            points: points.filter(|(at, _)| at.is_finite()).collect(),
            joints: bind.joints().iter().map(|&joint| lift * joint).collect(),
            human,
            scale: (high - low).clamp(0.01, 100.0) / PERSON_M,
            world_from_body: Transform::new(turn, ground),
        }
    }

    /// The pose in which the body was measured, where the character stands.
    pub fn pose(&self, like: &WorldPose) -> WorldPose {
        let mut pose = like.clone();
        for (joint, &own) in pose.joints_mut().iter_mut().zip(&self.joints) {
            *joint = self.world_from_body * own;
        }
        pose
    }

    /// Mean height of both sides' joint.
    fn height_m(&self, limb: Limb, what: &'static str) -> Result<f32, SheetError> {
        let joints = [Side::Left, Side::Right].map(|side| self.human.first(side.role(limb)));
        let heights: Vec<f32> = { joints.into_iter().flatten() }
            .map(|joint| self.joints[usize::from(joint)].translation.y)
            .collect();
        match heights.len() {
            0 => Err(SheetError::NoBody(what)),
            count => Ok(heights.iter().sum::<f32>() / count as f32),
        }
    }

    fn to_world(&self, positions: Vec<Vec3>) -> Vec<Vec3> {
        let place = |at: Vec3| Vec3::from(self.world_from_body.transform_point(at.into()));
        positions.into_iter().map(place).collect()
    }

    /// A tube from the waist to above the knees, wider towards the hem; its
    /// first row is the waistband.
    pub fn skirt(&self, [columns, rows]: [usize; 2]) -> Result<Sheet, SheetError> {
        let hip_m = self.height_m(Limb::Thigh, "hips")?;
        let knee_m = self.height_m(Limb::Shin, "knees")?;
        let leg_m = (hip_m - knee_m).max(0.05 * self.scale);
        let (waist_m, hem_m) = (hip_m + 0.28 * leg_m, knee_m + 0.12 * leg_m);
        let (columns, rows) = (columns.max(8), rows.max(3));
        let step_m = (waist_m - hem_m) / (rows - 1) as f32;
        let below = |at: &Vec3A, y: f32| (at.y - y).abs() < 1.5 * step_m.max(0.01 * self.scale);
        let mut positions = Vec::with_capacity(columns * rows);
        let mut last: Option<Ring> = None;
        for row in 0..rows {
            let y = waist_m - row as f32 * step_m;
            let slice = self.points.iter().filter(|(at, region)| {
                matches!(region, Region::Trunk | Region::Leg) && below(at, y)
            });
            let own = Ring::around(slice.map(|(at, _)| Vec2::new(at.x, at.z)));
            let Some(mut ring) = own.or(last) else {
                return Err(SheetError::NoBody("waist"));
            };
            ring.half += EASE_M * self.scale;
            if let Some(above) = last {
                ring.centre = above.centre.lerp(ring.centre, 0.3);
                ring.half = ring.half.max(above.half + FLARE * step_m);
            }
            last = Some(ring);
            positions.extend((0..columns).map(|column| {
                let angle = column as f32 / columns as f32 * TAU;
                let at = ring.centre + ring.half * Vec2::new(angle.sin(), angle.cos());
                Vec3::new(at.x, y, at.y)
            }));
        }
        let at = |row: usize, column: usize| (row * columns + column % columns) as u32;
        let quads: Vec<[u32; 4]> = (1..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| {
                [
                    at(row - 1, column),
                    at(row, column),
                    at(row, column + 1),
                    at(row - 1, column + 1),
                ]
            })
            .collect();
        let mut sheet = Sheet::net(self.to_world(positions), &quads);
        sheet.pins = (0..columns as u32).collect();
        sheet.density_kg_m2 = 0.2;
        Ok(sheet)
    }
}

/// What every joint's skin belongs to; joints of no part go with their parent.
fn regions(skeleton: &Skeleton, human: &Human) -> Vec<Region> {
    let region = |role: Role| match role {
        Role::Hips | Role::Spine => Region::Trunk,
        Role::Neck | Role::Head => Region::Neck,
        Role::Left(limb) | Role::Right(limb) => match limb {
            Limb::Clavicle => Region::Trunk,
            Limb::UpperArm => Region::Sleeve,
            Limb::Thigh | Limb::Shin | Limb::Foot | Limb::Toes => Region::Leg,
            _ => Region::Forearm,
        },
    };
    let mut own = vec![None; skeleton.len()];
    for role in human.roles() {
        for &joint in human.part(role) {
            own[usize::from(joint)] = Some(region(role));
        }
    }
    let mut regions = vec![Region::Trunk; skeleton.len()];
    for joint in 0..skeleton.len() {
        let parent = skeleton.parents()[joint];
        regions[joint] = match (own[joint], parent) {
            (Some(region), _) => region,
            (None, NO_PARENT) => Region::Trunk,
            (None, parent) => regions[usize::from(parent)],
        };
    }
    regions
}

/// An ellipse seen from above: x to the left, y ahead.
#[derive(Clone, Copy)]
struct Ring {
    centre: Vec2,
    half: Vec2,
}

impl Ring {
    /// The ellipse of the points' own proportions that holds them all.
    fn around(points: impl Iterator<Item = Vec2>) -> Option<Self> {
        let points: Vec<Vec2> = points.collect();
        let (low, high) = points
            .iter()
            .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), &at| {
                (low.min(at), high.max(at))
            });
        let (centre, half) = ((low + high) * 0.5, (high - low) * 0.5);
        (half.is_finite() && half.min_element() > 1e-4).then(|| {
            let out = points.iter().map(|&at| ((at - centre) / half).length());
            let half = half * out.fold(1.0, f32::max);
            Self { centre, half }
        })
    }
}

/// Steps in which a garment falls onto the body that it was cut to.
const FALLING: usize = 60;
/// Steps in which the body goes from there to its pose, and the garment along.
const MOVING: usize = 180;
/// Steps in which it comes to rest there.
const RESTING: usize = 60;

/// Takes a body from the pose that its garment was cut in to another.
#[derive(Clone, Debug)]
pub(super) struct Dressing {
    from: WorldPose,
    parents: Arc<[JointIndex]>,
    falling: usize,
    moving: usize,
    step: usize,
}

impl Dressing {
    /// Steps that it takes.
    pub const STEPS: usize = FALLING + MOVING + RESTING;
    /// And where there is little time.
    pub const HURRIED: usize = 90;

    /// From where the garment was cut.
    pub fn from(pose: WorldPose, parents: &Arc<[JointIndex]>) -> Self {
        Self {
            from: pose,
            parents: Arc::clone(parents),
            falling: FALLING,
            moving: MOVING,
            step: 0,
        }
    }

    /// From one pose to another in [`Self::HURRIED`] steps: after a jump in time.
    pub fn hurried(pose: WorldPose, parents: &Arc<[JointIndex]>) -> Self {
        Self {
            falling: 0,
            moving: Self::HURRIED,
            ..Self::from(pose, parents)
        }
    }

    /// The body in the next step on its way; `None` when it has come there.
    pub fn next(&mut self, to: &WorldPose) -> Option<WorldPose> {
        self.step += 1;
        if self.step > self.falling + self.moving {
            return None;
        }
        let share = self.step.saturating_sub(self.falling) as f32 / self.moving as f32;
        // Begins and ends slowly.
        let share = share * share * (3.0 - 2.0 * share);
        Some(between(&self.parents, &self.from, to, share))
    }
}

/// Joint by joint, each in its parent: bones keep their length.
fn between(parents: &[JointIndex], from: &WorldPose, to: &WorldPose, share: f32) -> WorldPose {
    let mut pose = to.clone();
    for (joint, &parent) in parents.iter().enumerate() {
        let (a, b) = (from.joints()[joint], to.joints()[joint]);
        pose.joints_mut()[joint] = match parent {
            NO_PARENT => a.lerp(b, share),
            parent => {
                let parent = usize::from(parent);
                let in_parent =
                    |pose: &WorldPose, own: Transform| pose.joints()[parent].inverse() * own;
                let local = in_parent(from, a).lerp(in_parent(to, b), share);
                pose.joints()[parent] * local
            }
        };
    }
    pose
}
