//! Garments cut to a body: a skirt, a shirt, a scarf.
//!
//! They are made around the body as it was grown, or as its file has it at
//! rest, from its own measures (a shirt around stretched arms), and so begin
//! outside of it; [`Dressing`](super::dressing::Dressing) takes body and garment from
//! there to where the character stands.

mod arms;
mod cut;
mod ring;
mod scarf;
mod shirt;
mod skirt;

use glam::{Quat, Vec3, Vec3A};

use crate::{
    body::{Body, Skinning, skin_vertex},
    cloth::SheetError,
    humanoid::{Human, Limb, Role, Side, facing},
    math::Transform,
    skeleton::{NO_PARENT, Skeleton, WorldPose},
};
pub(super) use cut::Cut;
use ring::Ring;

/// The height that the measures below are of.
const PERSON_M: f32 = 1.75;
/// Between skin and the inside of a garment, of a person.
const EASE_M: f32 = 0.012;

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
    /// `turn` takes +Z, its arms stretched out where they have to be.
    pub fn measure(
        (skeleton, body): (&Skeleton, &Body),
        (ground, turn): (Vec3, Quat),
        stretched: bool,
    ) -> Self {
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
        let mut joints: Vec<Transform> = bind.joints().iter().map(|&it| lift * it).collect();
        if stretched {
            arms::stretch(&mut joints, skeleton.parents(), &human);
        }
        let regions = regions(skeleton, &human);
        let own_from_bind: Vec<Transform> = { joints.iter().zip(body.joint_from_bind()) }
            .map(|(&own, &joint_from_bind)| own * joint_from_bind)
            .collect();
        let points = { body.vertices().iter() }.map(|vertex| {
            let (at, _) = skin_vertex(vertex, &own_from_bind, Skinning::DualQuaternion);
            (at, regions[usize::from(vertex.joints[0])])
        });
        Self {
            points: points.filter(|(at, _)| at.is_finite()).collect(),
            joints,
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

    fn joint_at(&self, role: Role) -> Option<Vec3A> {
        let joint = self.human.first(role)?;
        Some(self.joints[usize::from(joint)].translation)
    }

    /// Mean of both sides' joint, the right one's mirrored at x = 0.
    fn limb_at(&self, limb: Limb, what: &'static str) -> Result<Vec3A, SheetError> {
        let joints = [Side::Left, Side::Right].map(|side| self.joint_at(side.role(limb)));
        let places: Vec<Vec3A> = joints.into_iter().flatten().collect();
        match places.len() {
            0 => Err(SheetError::NoBody(what)),
            count => {
                let mirrored = places.iter().map(|at| at.with_x(at.x.abs()));
                Ok(mirrored.sum::<Vec3A>() / count as f32)
            }
        }
    }

    /// Mean height of both sides' joint.
    fn height_m(&self, limb: Limb, what: &'static str) -> Result<f32, SheetError> {
        Ok(self.limb_at(limb, what)?.y)
    }

    /// Points of some regions.
    fn skin_of(&self, regions: &'static [Region]) -> impl Iterator<Item = Vec3A> + Clone + '_ {
        let own = self.points.iter();
        let own = own.filter(|(_, region)| regions.contains(region));
        own.map(|&(at, _)| at)
    }

    fn to_world(&self, positions: Vec<Vec3>) -> Vec<Vec3> {
        let place = |at: Vec3| Vec3::from(self.world_from_body.transform_point(at.into()));
        positions.into_iter().map(place).collect()
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
