//! Inertial fades: the old motion is gone, its difference to the new one dies
//! out from the value and the velocity it had.

use glam::Vec3A;

use crate::{
    clip::Planar,
    math::{
        Transform,
        ease::{quintic_decay, smoothstep},
        quat,
    },
};

/// A decaying difference of poses and of velocities over the ground.
#[derive(Clone, Debug, Default)]
pub struct Inertia {
    joints: Vec<Offset>,
    /// Metres and radians a second over the ground.
    ground_velocity: Planar,
    elapsed_secs: f64,
    secs: f64,
    /// Nothing to see: old and new motion are the same.
    still: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Offset {
    /// Rotation vector, applied in the parent's space.
    rotation: Vec3A,
    rotation_velocity: Vec3A,
    translation: Vec3A,
    translation_velocity: Vec3A,
}

/// Seconds in which the velocity part of an offset is gone at the latest.
const VELOCITY_SECS: f64 = 0.15;

/// A pose now and a moment later, and the way over the ground in between.
pub struct Moving<'a> {
    /// Now.
    pub now: &'a [Transform],
    /// `dt_secs` later.
    pub later: &'a [Transform],
    /// From now to later.
    pub displacement: Planar,
}

impl Inertia {
    /// Starts to lead `old` into `new` over `secs`; both moments are
    /// `dt_secs` apart.
    ///
    /// # Panics
    /// When poses differ in length.
    pub fn start(&mut self, old: &Moving<'_>, new: &Moving<'_>, dt_secs: f64, secs: f64) {
        let count = old.now.len();
        let lengths = [old.later.len(), new.now.len(), new.later.len()];
        assert_eq!(lengths, [count; 3], "poses of one skeleton");
        let per_sec = 1.0 / dt_secs as f32;
        self.joints.clear();
        self.joints.extend((0..count).map(|joint| {
            let rotation = difference(old.now[joint], new.now[joint]);
            let later = difference(old.later[joint], new.later[joint]);
            let translation = old.now[joint].translation - new.now[joint].translation;
            let translation_later = old.later[joint].translation - new.later[joint].translation;
            // Half a turn apart the short way may change sides in between;
            // that is no velocity.
            let sound = (later - rotation).length() < 1.0;
            let rotation_velocity = if sound {
                (later - rotation) * per_sec
            } else {
                Vec3A::ZERO
            };
            Offset {
                rotation,
                rotation_velocity,
                translation,
                translation_velocity: (translation_later - translation) * per_sec,
            }
        }));
        let velocity = |moving: &Moving<'_>| moving.displacement.scaled(1.0 / dt_secs);
        self.ground_velocity = Planar {
            position: velocity(old).position - velocity(new).position,
            heading: velocity(old).heading - velocity(new).heading,
        };
        self.elapsed_secs = 0.0;
        self.secs = secs;
        let none = |offset: &Offset| {
            let Offset {
                rotation,
                translation,
                ..
            } = *offset;
            rotation.max_element().max(-rotation.min_element()) < 1e-6
                && translation.max_element().max(-translation.min_element()) < 1e-6
                && offset.rotation_velocity.length() + offset.translation_velocity.length() < 1e-3
        };
        let steady =
            self.ground_velocity.position.length() + self.ground_velocity.heading.abs() < 1e-6;
        self.still = steady && self.joints.iter().all(none);
    }

    /// Forgets what is left.
    pub fn clear(&mut self) {
        self.secs = 0.0;
    }

    /// Lets time pass.
    pub fn advance(&mut self, dt_secs: f64) {
        self.elapsed_secs += dt_secs;
    }

    /// 0 at the start, 1 when nothing is left.
    #[must_use]
    pub fn progress(&self, ahead_secs: f64) -> f32 {
        if self.secs <= 0.0 {
            return 1.0;
        }
        ((self.elapsed_secs + ahead_secs) / self.secs).min(1.0) as f32
    }

    /// The share of the offset that is left.
    #[must_use]
    pub fn left(&self) -> f32 {
        if self.still {
            return 0.0;
        }
        quintic_decay(self.progress(0.0)).0
    }

    /// Adds what is left to a pose of the new motion.
    pub fn apply(&self, ahead_secs: f64, pose: &mut [Transform]) {
        let progress = self.progress(ahead_secs);
        if progress >= 1.0 || self.still {
            return;
        }
        let (value, _) = quintic_decay(progress);
        // A velocity carries the offset further before it dies out; over a
        // long fade, or a chain of interrupted ones, that would be too far.
        let velocity_secs = self.secs.min(VELOCITY_SECS);
        let gone = ((self.elapsed_secs + ahead_secs) / velocity_secs) as f32;
        let velocity = quintic_decay(gone).1 * velocity_secs as f32;
        for (joint, offset) in pose.iter_mut().zip(&self.joints) {
            let rotation = offset.rotation * value + offset.rotation_velocity * velocity;
            if rotation != Vec3A::ZERO {
                joint.rotation = (quat::exp(rotation.into()) * joint.rotation).normalize();
            }
            joint.translation +=
                offset.translation * value + offset.translation_velocity * velocity;
        }
    }

    /// What is left of the old way over the ground during the next `dt_secs`.
    #[must_use]
    pub fn displacement(&self, dt_secs: f64) -> Planar {
        let progress = self.progress(0.5 * dt_secs);
        if progress >= 1.0 || self.still {
            return Planar::IDENTITY;
        }
        let left = f64::from(1.0 - smoothstep(progress));
        self.ground_velocity.scaled(dt_secs * left)
    }
}

/// The rotation vector that leads from `new` to `old`.
fn difference(old: Transform, new: Transform) -> Vec3A {
    quat::log(old.rotation * new.rotation.conjugate()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, Quat, Vec3};

    const DT: f64 = 1.0 / 240.0;

    fn old(t: f32) -> Vec<Transform> {
        vec![Transform::new(
            Quat::from_rotation_x(0.4 + 3.0 * t),
            Vec3::Y * (1.0 + t),
        )]
    }

    fn new(t: f32) -> Vec<Transform> {
        vec![Transform::new(
            Quat::from_rotation_y(0.5 * t),
            Vec3::Y * 0.8,
        )]
    }

    fn started() -> Inertia {
        let mut inertia = Inertia::default();
        let displacement = |speed: f64| Planar {
            position: DVec2::new(0.0, speed * DT),
            heading: 0.0,
        };
        let dt = DT as f32;
        let (old_now, old_later, new_now, new_later) = (old(0.0), old(dt), new(0.0), new(dt));
        let from = Moving {
            now: &old_now,
            later: &old_later,
            displacement: displacement(3.0),
        };
        let to = Moving {
            now: &new_now,
            later: &new_later,
            displacement: displacement(1.0),
        };
        inertia.start(&from, &to, DT, 0.3);
        inertia
    }

    #[test]
    fn it_starts_at_the_old_pose_with_the_old_velocity() {
        let inertia = started();
        let at = |t: f64| {
            let mut pose = new(t as f32);
            inertia.apply(t, &mut pose);
            pose[0]
        };
        let close = |a: Transform, b: Transform, what: &str| {
            assert!(quat::angle_between(a.rotation, b.rotation) < 2e-3, "{what}");
            assert!((a.translation - b.translation).length() < 1e-3, "{what}");
        };
        close(at(0.0), old(0.0)[0], "value");
        // After one more step the old motion would be here; a quintic that
        // starts without acceleration still is.
        close(at(DT), old(DT as f32)[0], "velocity");
        close(at(0.3), new(0.3)[0], "end");
        assert_eq!(at(0.35), new(0.35)[0]);
    }

    #[test]
    fn the_way_over_the_ground_goes_from_the_old_to_the_new_speed() {
        let mut inertia = started();
        let speed = |inertia: &Inertia| inertia.displacement(DT).position.y / DT;
        assert!(
            (speed(&inertia) - 2.0).abs() < 0.01,
            "2 m/s more than the new"
        );
        inertia.advance(0.15);
        assert!((speed(&inertia) - 1.0).abs() < 0.05);
        inertia.advance(0.15);
        assert_eq!(speed(&inertia), 0.0);
        assert_eq!(inertia.left(), 0.0);
    }
}
