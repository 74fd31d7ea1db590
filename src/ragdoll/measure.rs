//! What a fall is judged by: velocities, energy, limits, ground.

use glam::{Quat, Vec3A};

use super::{GRAVITY, Link, Ragdoll, border, limits::Range};
use crate::{
    collide::{LocalShape, Solid},
    math::Transform,
};

impl Ragdoll {
    /// Velocity of every segment's mass and its spin, in the world; of a limb alone
    /// relative to what carries it.
    pub(super) fn velocities(&self) -> Vec<(Vec3A, Vec3A)> {
        let mut origins: Vec<(Vec3A, Vec3A)> = Vec::with_capacity(self.links.len());
        for (index, link) in self.links.iter().enumerate() {
            let own = self.own_velocity(index, link);
            let velocity = match self.segments.list[index].above {
                None => own,
                Some(above) => {
                    let (velocity, spin) = origins[above];
                    let arm = self.origin(index) - self.origin(above);
                    (velocity + spin.cross(arm), spin + own.1)
                }
            };
            origins.push(velocity);
        }
        let at_mass = |(index, (velocity, spin)): (usize, (Vec3A, Vec3A))| {
            let arm = self.centre(index) - self.origin(index);
            (velocity + spin.cross(arm), spin)
        };
        origins.into_iter().enumerate().map(at_mass).collect()
    }

    /// What a segment's own joint adds.
    fn own_velocity(&self, index: usize, link: &Link) -> (Vec3A, Vec3A) {
        let Some((multibody, id)) = link.place else {
            // A single body without joints.
            let body = &self.world.bodies[link.body];
            return match link.limp {
                true => (border::vec3a(body.linvel()), border::vec3a(body.angvel())),
                false => Default::default(),
            };
        };
        let Some(multibody) = self.world.multibody_joints.get_multibody(multibody) else {
            return Default::default();
        };
        let Some(at) = multibody.link(id).map(|link| link.assembly_id()) else {
            return Default::default();
        };
        let speeds = multibody.generalized_velocity();
        let three = |at: usize| Vec3A::new(speeds[at], speeds[at + 1], speeds[at + 2]);
        match &link.range {
            None => (three(at), three(at + 3)),
            Some(Range::Hinge(_)) => (
                Vec3A::ZERO,
                self.joint_frame(index) * (Vec3A::X * speeds[at]),
            ),
            Some(Range::Cone(_)) => (Vec3A::ZERO, self.joint_frame(index) * three(at)),
        }
    }

    fn origin(&self, index: usize) -> Vec3A {
        border::vec3a(self.world.bodies[self.links[index].body].translation())
    }

    /// Kilograms of all that falls.
    #[must_use]
    pub fn mass_kg(&self) -> f32 {
        let limp = self.links.iter().filter(|link| link.limp);
        limp.map(|link| link.mass_kg).sum()
    }

    pub(super) fn kinetic_j(&self, velocities: &[(Vec3A, Vec3A)]) -> f32 {
        let limp = self.links.iter().zip(velocities).filter(|it| it.0.limp);
        limp.map(|(link, &(velocity, spin))| {
            let body = &self.world.bodies[link.body];
            let own = &body.mass_properties().local_mprops;
            let frame =
                border::quat(*body.rotation()) * border::quat(own.principal_inertia_local_frame);
            let spin = frame.conjugate() * spin;
            let inertia = border::vec3a(own.principal_inertia());
            0.5 * (link.mass_kg * velocity.length_squared() + (inertia * spin).dot(spin))
        })
        .sum()
    }

    /// Joules of motion and of height above the ground.
    #[must_use]
    pub fn energy_j(&self) -> f32 {
        self.height_j() + self.kinetic_j(&self.velocities())
    }

    /// Joules of height above the ground.
    pub(super) fn height_j(&self) -> f32 {
        let limp = self.links.iter().enumerate().filter(|it| it.1.limp);
        limp.map(|(index, link)| link.mass_kg * GRAVITY * self.centre(index).y)
            .sum()
    }

    /// Every segment's joint in the world and the segment that it hangs on: bones.
    pub fn joints(&self) -> impl Iterator<Item = (Vec3A, Option<usize>)> + '_ {
        let segments = self.segments.list.iter().enumerate();
        segments.map(|(index, it)| (self.joint_transform(index).translation, it.above))
    }

    /// How far the worst joint is beyond its limits, radians.
    #[must_use]
    pub fn beyond_limits_rad(&self) -> f32 {
        let joints = self.links.iter().enumerate().filter(|it| it.1.limp);
        let beyond = |(index, link): (usize, &Link)| {
            let range = link.range.as_ref();
            range.map_or(0.0, |range| {
                range.beyond_rad(self.above_from_joint(index), link.start)
            })
        };
        joints.map(beyond).fold(0.0, f32::max)
    }

    /// The segment whose joint is furthest beyond its limits, to be named.
    #[must_use]
    pub fn worst_joint(&self) -> String {
        let beyond = |index: &usize| {
            let link = &self.links[*index];
            let range = link.range.as_ref().filter(|_| link.limp);
            range.map_or(0.0, |range| {
                range.beyond_rad(self.above_from_joint(*index), link.start)
            })
        };
        let joints = 0..self.links.len();
        let worst = joints.max_by(|a, b| beyond(a).total_cmp(&beyond(b)));
        worst.map_or_else(String::new, |index| {
            format!("{:?}", self.segments.list[index].part)
        })
    }

    /// Height of the lowest point of any solid that falls above the ground below
    /// its middle, metres.
    #[must_use]
    pub fn lowest_m(&self) -> f32 {
        let limp = self.links.iter().enumerate().filter(|it| it.1.limp);
        limp.map(|(index, link)| {
            let (joint_from_local, shape) = link.solid.local_shape();
            let place = self.joint_transform(index) * joint_from_local;
            lowest_of(place, shape) - self.ground_m(place.translation)
        })
        .fold(f32::MAX, f32::min)
    }
}

fn lowest_of(world_from_local: Transform, shape: LocalShape) -> f32 {
    let LocalShape::RoundedBox {
        half_extents_m,
        radius_m,
    } = shape
    else {
        return f32::MAX;
    };
    let up: Quat = world_from_local.rotation.conjugate();
    let reach = (up * Vec3A::Y).abs().dot(half_extents_m);
    world_from_local.translation.y - reach - radius_m
}
