//! Hard stops: what a tick left beyond a limit is taken back, moving the whole body
//! as its masses are moved by a torque in that joint.
//!
//! The engine meets limits and contacts in turns, contacts last: an arm that a
//! trunk falls on is bent too far for a few ticks. Here a joint that still turns
//! outward is stopped by the impulse M⁻¹ e λ, e being its coordinate, which only
//! takes energy away; and a share of what it is beyond is taken back likewise.

use super::{
    Link, Ragdoll,
    limits::{EARLY_RAD, Range},
};

/// Joints further than this beyond where they should be met, half-way to their true
/// limit, are stopped.
const LATE_RAD: f32 = 0.5 * EARLY_RAD;
/// Share of the way back in a tick.
const BACK: f32 = 0.25;
/// No joint is turned back faster, radians a tick.
const MOST_BACK_RAD: f32 = 0.02;
/// One joint's stop turns others.
const PASSES: usize = 4;

/// A coordinate beyond its limit.
struct Stop {
    dof: usize,
    /// Outward.
    sign: f32,
    beyond_rad: f32,
}

impl Ragdoll {
    /// Stops all joints that are beyond their limits.
    pub(super) fn stop_joints(&mut self) {
        let Some(multibody) = self.links.iter().find_map(|link| link.place).map(|it| it.0) else {
            return;
        };
        let stops = self.stops();
        let Self { world, .. } = self;
        let Some(multibody) = world.multibody_joints.get_multibody_mut(multibody) else {
            return;
        };
        if stops.is_empty()
            || multibody.inv_augmented_mass().lu_internal().nrows() != multibody.ndofs()
        {
            return;
        }
        let answers: Vec<_> = { stops.iter() }
            .map(|stop| {
                let mut answer = multibody.damping().clone();
                answer.fill(0.0);
                answer[stop.dof] = stop.sign;
                multibody.inv_augmented_mass().solve_mut(&mut answer);
                answer
            })
            .collect();
        let mut speeds = multibody.generalized_velocity().clone_owned();
        let mut moved = multibody.damping().clone();
        moved.fill(0.0);
        for _ in 0..PASSES {
            for (stop, answer) in stops.iter().zip(&answers) {
                let gain = stop.sign * answer[stop.dof];
                let outward = stop.sign * speeds[stop.dof];
                let back = (stop.beyond_rad * BACK).min(MOST_BACK_RAD);
                let left = back + stop.sign * moved[stop.dof];
                if gain > f32::MIN_POSITIVE && outward > 0.0 {
                    speeds.axpy(-outward / gain, answer, 1.0);
                }
                if gain > f32::MIN_POSITIVE && left > 0.0 {
                    moved.axpy(-left / gain, answer, 1.0);
                }
            }
        }
        if speeds.iter().chain(moved.iter()).all(|it| it.is_finite()) {
            multibody.generalized_velocity_mut().copy_from(&speeds);
            multibody.apply_displacements(moved.as_slice());
            multibody.forward_kinematics(&world.bodies, false);
            multibody.update_rigid_bodies(&mut world.bodies, true);
        }
    }

    fn stops(&self) -> Vec<Stop> {
        let mut stops = Vec::new();
        for (index, link) in self.links.iter().enumerate() {
            let dof = link.place.and_then(|(multibody, id)| {
                let multibody = self.world.multibody_joints.get_multibody(multibody)?;
                Some(multibody.link(id)?.assembly_id())
            });
            if let (true, Some(dof)) = (link.limp, dof) {
                self.stops_of(index, link, dof, &mut stops);
            }
        }
        stops
    }

    fn stops_of(&self, index: usize, link: &Link, dof: usize, stops: &mut Vec<Stop>) {
        let relative = self.above_from_joint(index);
        let mut stop = |dof: usize, sign: f32, beyond_rad: f32, rate: f32| {
            let beyond_rad = (beyond_rad + EARLY_RAD - LATE_RAD) / rate;
            if beyond_rad > 0.0 {
                stops.push(Stop {
                    dof,
                    sign,
                    beyond_rad,
                });
            }
        };
        match &link.range {
            Some(Range::Hinge(hinge)) => {
                let angle_rad = hinge.angle_rad(relative, link.start);
                stop(dof, 1.0, angle_rad - hinge.high_rad, 1.0);
                stop(dof, -1.0, hinge.low_rad - angle_rad, 1.0);
            }
            Some(Range::Cone(cone)) => {
                let turn = cone.turn(relative);
                let sign = turn.twist_rad.signum();
                stop(dof, 1.0, turn.swing_rad - cone.swing_rad, 1.0);
                let beyond_rad = turn.twist_rad.abs() - cone.twist_rad;
                stop(dof + 1, sign, beyond_rad, turn.twist_rate);
            }
            None => {}
        }
    }
}
