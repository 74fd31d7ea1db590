//! Strength: joints drawn to where the clip has them, and the hips with them.

use glam::Vec3A;
use rapier3d::prelude::{JointAxesMask, JointAxis, MotorModel};

use super::{
    BodyPart, GRAVITY, MOST_SPEED, MOST_TURN, Ragdoll, TICK_SECS, border, build::FRICTION,
};
use crate::math::quat;

/// Radians a second at which a joint at full strength comes to where the clip has
/// it; half as strong is half as fast.
const JOINT_RATE: f32 = 55.0;
/// The same of the hips.
const HIPS_RATE: f32 = 25.0;
/// The hips are held with as many times their weight at full strength: with less
/// than one they sink.
const HIPS_WEIGHTS: f32 = 3.0;
/// Seconds in which strength leaves a body that fell.
const GIVE_UP_SECS: f64 = 0.4;
/// Below this share of the clip's hips it has fallen.
const DOWN: f32 = 0.5;
/// Hips further from the clip's than this share of the height are lost.
const ASTRAY: f32 = 0.25;
/// Radius of gyration of a body about its hips, as a share of its height.
const GYRATION: f32 = 0.25;

impl Ragdoll {
    /// Strength that is left.
    fn power(&self) -> f32 {
        match self.fallen && self.whole {
            true => self.strength * (1.0 - self.fallen_secs / GIVE_UP_SECS).max(0.0) as f32,
            false => self.strength,
        }
    }

    pub(super) fn is_powered(&self) -> bool {
        self.power() > 0.0
    }

    /// Its hips are far below where the clip has them, or near the ground.
    pub(super) fn is_down(&self) -> bool {
        let above_m = |at: Vec3A| at.y - self.ground_m(at);
        let hips_m = above_m(self.joint_transform(0).translation);
        let standing_m = above_m(self.clip[1][0].translation).max(0.3 * self.height_m);
        let astray = self.joint_transform(0).translation - self.clip[1][0].translation;
        let lost = self.is_powered() && astray.length() > ASTRAY * self.height_m;
        self.whole && (hips_m < DOWN * standing_m || lost)
    }

    /// Sets every joint's motor, and pulls at the hips.
    pub(super) fn draw_towards_clip(&mut self) {
        let power = self.power();
        self.set_grip(FRICTION * (1.0 - power));
        if power <= 0.0 {
            self.let_joints_go();
            return;
        }
        let inertia = self.inertia_below();
        for (index, inertia) in inertia.into_iter().enumerate() {
            self.drive_joint(index, inertia, power);
        }
        self.carry_weight(power);
        if self.whole {
            self.hold_hips(power);
        }
    }

    fn let_joints_go(&mut self) {
        for link in &self.links {
            let Some((multibody, id)) = link.place else {
                continue;
            };
            let multibody = self.world.multibody_joints.get_multibody_mut(multibody);
            if let Some(link) = multibody.and_then(|multibody| multibody.link_mut(id)) {
                link.joint.data.motor_axes = JointAxesMask::empty();
            }
        }
    }

    /// Muscles know the weight of what they hold: without this arms sag and the trunk
    /// leans.
    fn carry_weight(&mut self, power: f32) {
        for link in self.links.iter().filter(|link| link.limp) {
            let held = Vec3A::Y * (GRAVITY * link.mass_kg * power);
            if let Some(body) = self.world.bodies.get_mut(link.body) {
                body.add_force(border::vector(held), false);
            }
        }
    }

    /// Feet of a body that is carried by its strength slide: their toes do not bend,
    /// and would catch on the ground wherever they roll off.
    fn set_grip(&mut self, grip: f32) {
        if grip == self.grip {
            return;
        }
        self.grip = grip;
        let segments = self.links.iter().zip(&self.segments.list);
        let feet = segments.filter(|(_, it)| matches!(it.part, Some(BodyPart::Foot(_))));
        for (link, _) in feet {
            let solids = self.world.bodies[link.body].colliders();
            if let Some(solid) = solids
                .first()
                .and_then(|it| self.world.colliders.get_mut(*it))
            {
                solid.set_friction(grip);
            }
        }
    }

    /// A spring in the joint for all that hangs on it: one for the inertia of a thigh
    /// alone would not move a leg.
    fn drive_joint(&mut self, index: usize, inertia: f32, power: f32) {
        let (Some(above), Some((multibody, id))) =
            (self.segments.list[index].above, self.links[index].place)
        else {
            return;
        };
        let inertia = inertia.max(self.least_inertia());
        let goal_at = |at: usize| {
            let [above, own] = [above, index].map(|it| self.clip[at][it].rotation);
            (above.conjugate() * own).normalize()
        };
        let (goal, goal_before) = (goal_at(1), goal_at(0));
        let spin = quat::log((goal * goal_before.conjugate()).normalize()) / TICK_SECS as f32;
        let spin = spin.clamp_length_max(MOST_TURN);
        let missing = quat::log((goal * self.above_from_joint(index).conjugate()).normalize());
        let multibody = self.world.multibody_joints.get_multibody_mut(multibody);
        let Some(link) = multibody.and_then(|multibody| multibody.link_mut(id)) else {
            return;
        };
        let coordinates = link.joint.coords();
        let data = &mut link.joint.data;
        let frame = border::quat(data.local_frame1.rotation).conjugate();
        let (own, spin) = (frame * missing, frame * spin);
        let rate = JOINT_RATE * power;
        let count = if link.joint.ndofs() == 1 { 1 } else { 3 };
        let axes = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];
        let asked = own.to_array().into_iter().zip(spin.to_array());
        for (axis, (missing, spin)) in axes.into_iter().zip(asked).take(count) {
            let goal = coordinates[axis as usize] + missing;
            let data = &mut link.joint.data;
            data.set_motor_model(axis, MotorModel::ForceBased);
            data.set_motor(
                axis,
                goal,
                spin,
                inertia * rate * rate,
                inertia * 2.0 * rate,
            );
        }
    }

    /// A spring at the hips, no stronger than strength allows.
    fn hold_hips(&mut self, power: f32) {
        let body = &self.world.bodies[self.links[0].body];
        let (mass_kg, [before, clip]) = (self.mass_kg(), [self.clip[0][0], self.clip[1][0]]);
        let [was, goal] = [before, clip].map(|it| it.transform_point(self.links[0].origin));
        // It goes along with the clip: one that were held still would trail behind.
        let per_sec = 1.0 / TICK_SECS as f32;
        let turned = (clip.rotation * before.rotation.conjugate()).normalize();
        let along = ((goal - was) * per_sec).clamp_length_max(MOST_SPEED);
        let along_spin = Vec3A::from(quat::log(turned)) * per_sec;
        let along_spin = along_spin.clamp_length_max(MOST_TURN);
        let velocities = self.velocities();
        let (velocity, spin) = (velocities[0].0 - along, velocities[0].1 - along_spin);
        let rate = HIPS_RATE * power;
        let missing = goal - border::vec3a(body.translation());
        // Of the weight what the joints do not carry.
        let weight = Vec3A::Y * (GRAVITY * (1.0 - power));
        let pull = missing * (rate * rate) - velocity * (2.0 * rate) + weight;
        let most = HIPS_WEIGHTS * GRAVITY * power;
        let turn = quat::log(clip.rotation * border::quat(*body.rotation()).conjugate());
        let twist = Vec3A::from(turn) * (rate * rate) - spin * (2.0 * rate);
        let inertia = mass_kg * (GYRATION * self.height_m).powi(2);
        let most_twist = most / (GYRATION * self.height_m);
        let force = pull.clamp_length_max(most) * mass_kg;
        let torque = twist.clamp_length_max(most_twist) * inertia;
        if let Some(body) = self.world.bodies.get_mut(self.links[0].body) {
            body.add_force(border::vector(force), true);
            body.add_torque(border::vector(torque), true);
        }
    }
}
