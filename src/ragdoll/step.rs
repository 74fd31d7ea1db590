//! Time passes: limits are laid along swing and twist, pushes are felt, and what
//! lies still is left alone.

use glam::{Quat, Vec3, Vec3A};
use rapier3d::prelude::{JointAxesMask, JointLimits};

use super::{
    Ragdoll, TICK_SECS, border,
    build::SUBSTEPS,
    limits::{EARLY_RAD, Range},
};
use crate::{math::Transform, skeleton::WorldPose};

/// Slower than this for so long is at rest: metres a second of a body of human
/// size, the spin of a segment counted at its end.
pub(super) const REST_SECS: f64 = 0.25;
const REST_SPEED: f32 = 0.05;
/// What has been calm for so long is at rest, whatever still trembles in it: its
/// joints are all but locked by then.
pub(super) const SETTLED_SECS: f64 = 3.0;
/// Rounding of an energy, as a share of it.
const ENERGY_SLACK: f32 = 5e-4;
/// Joints lose this share of their speed a second: flesh is not oiled.
const DAMPING_PER_SEC: f32 = 4.0;
/// What lies loses ever more, in joints and over the ground, until gravity
/// moves nothing faster than [`REST_SPEED`]: g over this is 2 cm/s.
const SETTLED_PER_SEC: f32 = 500.0;
/// The loss doubles in so many seconds of calm.
const DOUBLING_SECS: f32 = 0.3;
/// Kinetic energy for a kilogram below which a body is calm, joules: 1 m/s.
const CALM_J_KG: f32 = 0.5;
/// Calm for so long it is stepped more coarsely.
const CALM_SECS: f64 = 0.05;
/// Centre of mass below this share of its height in standing: it lies or sits.
const LOW: f32 = 0.62;
/// Of what is calm and does not lie, a second counts so much: nothing balances
/// for ever.
const UPRIGHT_SHARE: f64 = 0.15;
/// Nearer than this to a limit the engine looks after it: half a turn a second goes
/// far less in a tick.
const NEAR_RAD: f32 = 0.2;
/// Ticks in one call at most; a stall is not made up for.
const MOST_TICKS: usize = 120;

impl Ragdoll {
    /// Lets time pass. `clip` is where its motion would have it in the end.
    pub fn advance(&mut self, dt_secs: f64, clip: &WorldPose) {
        if !dt_secs.is_finite() {
            return;
        }
        self.due_secs += dt_secs.max(0.0);
        // Half a tick is no tick: sums of 1/60 s are a little less than they should.
        let ticks = (self.due_secs / TICK_SECS + 1e-6).floor();
        self.due_secs -= ticks * TICK_SECS;
        let ticks = (ticks as usize).min(MOST_TICKS);
        let from = self.clip[1].clone();
        for tick in 1..=ticks {
            self.follow(&from, clip, tick as f32 / ticks as f32);
            self.tick();
        }
    }

    /// Where the clip has the segments in this tick.
    fn follow(&mut self, from: &[Transform], clip: &WorldPose, share: f32) {
        self.clip.swap(0, 1);
        let segments = self.segments.list.iter();
        for ((now, from), segment) in self.clip[1].iter_mut().zip(from).zip(segments) {
            if let Some(to) = clip.joints().get(segment.joint).filter(|to| to.is_finite()) {
                *now = from.lerp(*to, share);
            }
        }
    }

    fn tick(&mut self) {
        let rests = self.is_at_rest() && self.pushes.is_empty() && self.whole;
        if rests && !self.things_move() {
            return;
        }
        self.place_followers();
        for index in 0..self.links.len() {
            self.lay_joint(index);
        }
        self.draw_towards_clip();
        if !self.pushes.is_empty() {
            self.had_j = f32::INFINITY;
        }
        self.feel_pushes();
        // A substep costs as much as all else, and what is calm passes no limit in one.
        let calm = self.calm_secs > CALM_SECS && !self.is_powered();
        let Self { world, filter, .. } = self;
        world.integration_parameters.num_solver_iterations = if calm { 1 } else { SUBSTEPS };
        world.step_with_events(&*filter, &());
        self.stop_joints();
        for link in &self.links {
            if let Some(body) = self.world.bodies.get_mut(link.body) {
                body.reset_forces(false);
                body.reset_torques(false);
            }
        }
        self.judge();
    }

    fn things_move(&self) -> bool {
        let bodies = self.things.iter().map(|it| &self.world.bodies[it.1]);
        let speeds = bodies.map(|it| border::vec3a(it.linvel()).length());
        speeds.fold(0.0, f32::max) > REST_SPEED
    }

    /// Segments that follow the clip are where it has them. What hangs on them
    /// feels how they gather speed: −m a for every limp segment, a being the
    /// acceleration of the point of the follower that its mass would be at.
    fn place_followers(&mut self) {
        if self.whole {
            return;
        }
        let dt = TICK_SECS as f32;
        for (index, link) in self.links.iter().enumerate() {
            if !link.limp
                && let Some(body) = self.world.bodies.get_mut(link.body)
            {
                let joint = self.clip[1][index];
                let place = Transform::new(joint.rotation, joint.transform_point(link.origin));
                let before = border::transform(body.position());
                let speed = (place.translation - before.translation) / dt;
                // The engine keeps no velocity of what is moved by hand.
                let known = self.follows_at[index].replace(speed).unwrap_or(speed);
                body.set_position(border::pose(place), false);
                self.followed[index] = (speed - known) / dt;
            }
        }
    }

    /// Lays the frame of a joint along its swing and its twist, and sets its limits
    /// to what is left of them.
    fn lay_joint(&mut self, index: usize) {
        let relative = self.above_from_joint(index);
        let link = &self.links[index];
        let (Some(Range::Cone(cone)), Some((multibody, id))) = (&link.range, link.place) else {
            return;
        };
        let turn = cone.turn(relative);
        let Some(multibody) = self.world.multibody_joints.get_multibody_mut(multibody) else {
            return;
        };
        let Some(link) = multibody.link_mut(id) else {
            return;
        };
        let at = link.assembly_id();
        let (coordinates, joint_rotation) =
            (link.joint.coords(), border::quat(link.joint.joint_rot()));
        let before = border::quat(link.joint.data.local_frame1.rotation);
        let data = &mut link.joint.data;
        data.local_frame1.rotation = border::rotation(turn.axes);
        // frame1 · joint · frame2⁻¹ stays what it is.
        let second = relative.conjugate() * turn.axes * joint_rotation;
        data.local_frame2.rotation = border::rotation(second.normalize());
        let swing_left = cone.swing_rad - EARLY_RAD - turn.swing_rad;
        let twist_most = cone.twist_rad - EARLY_RAD;
        let [twist_low, twist_high] =
            [-twist_most, twist_most].map(|end| (end - turn.twist_rad) / turn.twist_rate);
        let limits = |min: f32, max: f32| JointLimits {
            min,
            max,
            ..Default::default()
        };
        data.limits[3] = limits(-1e6, coordinates[3] + swing_left);
        data.limits[4] = limits(coordinates[4] + twist_low, coordinates[4] + twist_high);
        // A limit that is far away costs as much as one that is met.
        let near = |left: f32, axis| match left < NEAR_RAD {
            true => axis,
            false => JointAxesMask::empty(),
        };
        data.limit_axes = near(swing_left, JointAxesMask::ANG_X)
            | near(twist_high.min(-twist_low), JointAxesMask::ANG_Y);
        // The same velocity along the new axes.
        let mut speeds = multibody.generalized_velocity_mut();
        let old = Vec3::new(speeds[at], speeds[at + 1], speeds[at + 2]);
        let new = turn.axes.conjugate() * (before * old);
        (speeds[at], speeds[at + 1], speeds[at + 2]) = (new.x, new.y, new.z);
    }

    /// How a segment is turned in the one above.
    pub(super) fn above_from_joint(&self, index: usize) -> Quat {
        let own = self.rotation(index);
        let above = self.segments.list[index].above;
        above.map_or(own, |above| {
            (self.rotation(above).conjugate() * own).normalize()
        })
    }

    pub(super) fn rotation(&self, index: usize) -> Quat {
        border::quat(*self.world.bodies[self.links[index].body].rotation())
    }

    /// World from the frame that the joint's velocities are in.
    pub(super) fn joint_frame(&self, index: usize) -> Quat {
        let link = &self.links[index];
        let above = self.segments.list[index].above;
        let above = above.map_or(Quat::IDENTITY, |above| self.rotation(above));
        let own = link.place.and_then(|(multibody, id)| {
            let link = self
                .world
                .multibody_joints
                .get_multibody(multibody)?
                .link(id)?;
            Some(border::quat(link.joint.data.local_frame1.rotation))
        });
        above * own.unwrap_or(Quat::IDENTITY)
    }

    fn feel_pushes(&mut self) {
        for push in std::mem::take(&mut self.pushes) {
            let force = push.impulse / TICK_SECS as f32;
            if let Some(body) = self.world.bodies.get_mut(self.links[push.segment].body) {
                body.add_force_at_point(border::vector(force), border::vector(push.at), true);
            }
        }
        if self.whole {
            return;
        }
        for (index, link) in self.links.iter().enumerate().filter(|it| it.1.limp) {
            let carrier = self.carrier_of(index);
            let felt = (-self.followed[carrier]).clamp_length_max(MOST_FELT) * link.mass_kg;
            if let Some(body) = self.world.bodies.get_mut(link.body) {
                body.add_force(border::vector(felt), false);
            }
        }
    }

    /// The nearest segment above that follows the clip.
    fn carrier_of(&self, index: usize) -> usize {
        let mut at = index;
        while let Some(above) = self.segments.list[at].above {
            at = above;
            if !self.links[at].limp {
                break;
            }
        }
        at
    }

    /// Joints are braked in proportion to what they carry; what has come to lie
    /// is braked over the ground too.
    pub(super) fn set_damping(&mut self) {
        let (settling, mass_kg) = (self.settling_per_sec(), self.mass_kg());
        let rate = DAMPING_PER_SEC + settling;
        let inertia = self.inertia_below();
        for (index, link) in self.links.iter().enumerate() {
            let Some((multibody, id)) = link.place else {
                continue;
            };
            let Some(multibody) = self.world.multibody_joints.get_multibody_mut(multibody) else {
                continue;
            };
            let Some((at, count)) = multibody
                .link(id)
                .map(|link| (link.assembly_id(), link.joint().ndofs()))
            else {
                continue;
            };
            let mut damping = multibody.damping_mut().rows_mut(at, count);
            if self.segments.list[index].above.is_some() {
                damping.fill(rate * inertia[index]);
            } else {
                damping.fill(settling * inertia[index]);
                damping.rows_mut(0, 3).fill(settling * mass_kg);
            }
        }
    }

    /// Share of their speed that joints of a body at rest lose a second more.
    fn settling_per_sec(&self) -> f32 {
        let doubled = self.calm_secs as f32 / DOUBLING_SECS;
        (doubled.exp2() - 1.0).min(SETTLED_PER_SEC)
    }

    /// Rests once nothing has moved for a while; calms down before.
    fn judge(&mut self) {
        let velocities = self.velocities();
        let most = REST_SPEED * (self.height_m / HUMAN_M).max(0.1);
        let moving = { velocities.iter().zip(&self.links) }.any(|((velocity, spin), link)| {
            velocity.length() + spin.length() * link.reach_m > most
        });
        let powered = self.is_powered();
        match moving || powered {
            true => self.still_secs = 0.0,
            false => self.still_secs += TICK_SECS,
        }
        let kinetic_j = self.kinetic_j(&velocities);
        self.energy_j_kg = kinetic_j / self.mass_kg();
        if self.whole && !powered {
            self.keep_energy(kinetic_j);
        }
        self.calm_secs = match self.energy_j_kg < CALM_J_KG * (self.height_m / HUMAN_M) && !powered
        {
            true if self.is_low() => self.calm_secs + TICK_SECS,
            true => self.calm_secs + UPRIGHT_SHARE * TICK_SECS,
            false => (self.calm_secs - TICK_SECS).max(0.0),
        };
        self.fallen = self.fallen || self.is_down();
        if self.fallen {
            self.fallen_secs += TICK_SECS;
        }
        self.set_damping();
    }

    /// A limp body gains no energy. Where a step left it more than it had, from
    /// contacts that push out of the ground or limbs that whirl, all of it is slowed
    /// by as much.
    fn keep_energy(&mut self, kinetic_j: f32) {
        let energy_j = kinetic_j + self.height_j();
        // The ground lifts whoever stands a little out of it. Held to what it had
        // before, such a body could not even begin to fall.
        if self.energy_j_kg < CALM_J_KG && !self.is_low() {
            self.had_j = energy_j;
            return;
        }
        let gained_j = energy_j - self.had_j * (1.0 + ENERGY_SLACK);
        self.had_j = self.had_j.min(energy_j);
        if gained_j.is_nan() || gained_j <= 0.0 || kinetic_j <= 0.0 {
            return;
        }
        let left = (1.0 - gained_j / kinetic_j).max(0.0).sqrt();
        let multibody = self.links.iter().find_map(|link| link.place);
        let joints = &mut self.world.multibody_joints;
        if let Some(multibody) = multibody.and_then(|it| joints.get_multibody_mut(it.0)) {
            let mut speeds = multibody.generalized_velocity_mut();
            speeds.iter_mut().for_each(|speed| *speed *= left);
        }
    }

    /// It lies, sits or kneels.
    fn is_low(&self) -> bool {
        let limp = self.links.iter().enumerate().filter(|it| it.1.limp);
        let above_m = |at: Vec3A| at.y - self.ground_m(at);
        let moment: f32 = limp
            .map(|(index, link)| link.mass_kg * above_m(self.centre(index)))
            .sum();
        !self.whole || moment < LOW * MASS_CENTRE * self.height_m * self.mass_kg()
    }

    /// Of what hangs on every joint, about it, as far as its masses are off it.
    pub(super) fn inertia_below(&self) -> Vec<f32> {
        let mut inertia = vec![0.0; self.links.len()];
        for (index, link) in self.links.iter().enumerate() {
            let centre = self.centre(index);
            let mut at = Some(index);
            while let Some(here) = at {
                let arm = centre.distance_squared(self.joint_transform(here).translation);
                inertia[here] += link.mass_kg * arm;
                at = self.segments.list[here].above;
            }
        }
        inertia
    }

    /// Where a segment's mass is.
    pub(super) fn centre(&self, index: usize) -> Vec3A {
        border::vec3a(self.world.bodies[self.links[index].body].center_of_mass())
    }
}

/// Height that the constants above are made for, metres.
const HUMAN_M: f32 = 1.75;
/// Height of the centre of mass in standing, as a share of the body's.
const MASS_CENTRE: f32 = 0.56;
/// What a limb feels of its carrier at most, metres a second squared.
const MOST_FELT: f32 = 60.0;
