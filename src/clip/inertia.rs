//! Inertial fades: the old motion is gone, its difference to the new one dies
//! out from the value and the velocity it had.
//!
//! After D. Bollo, "Inertialization: High-Performance Animation Transitions in
//! Gears of War" (GDC 2018): only the new state is played, and an offset x with
//! x(0) = x₀, x′(0) = v₀ is added that is a quintic in time and at rest at the
//! end. Unlike there, x″(0) = 0, and the parts of x₀ and v₀ have lengths of their
//! own (see [`VELOCITY_SECS`]), so no search for the first zero is needed.
//!
//! Scales and morph weights decay linearly, not in log space: glTF scales may be
//! 0 (a part is hidden) or negative (a mirror), which have no logarithm, and a
//! linear offset meets the smooth fades, which are linear too, half-way.

use std::ops::{Add, Mul, Sub};

use glam::{Vec3, Vec3A};

use super::Planar;
use crate::{
    math::{
        Transform,
        ease::{quintic_decay, smoothstep},
        quat,
    },
    skeleton::LocalPose,
};

/// A decaying difference of poses and of velocities over the ground.
#[derive(Clone, Debug, Default)]
pub struct Inertia {
    joints: Vec<JointOffset>,
    /// Empty where neither motion scales.
    scales: Vec<Offset<Vec3>>,
    /// Empty where neither motion has morph targets.
    morphs: Vec<Offset<f32>>,
    /// Metres and radians a second over the ground.
    ground_velocity: Planar,
    elapsed_secs: f64,
    secs: f64,
    /// Nothing to see: old and new motion are the same.
    still: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct JointOffset {
    /// Rotation vector, applied in the parent's space.
    rotation: Offset<Vec3A>,
    translation: Offset<Vec3A>,
}

/// A difference at the start of the fade and how it changes a second.
#[derive(Clone, Copy, Debug, Default)]
struct Offset<T> {
    value: T,
    velocity: T,
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>> Offset<T> {
    fn new(now: T, later: T, per_sec: f32) -> Self {
        Self {
            value: now,
            velocity: (later - now) * per_sec,
        }
    }

    fn left(self, decay: Decay) -> T {
        self.value * decay.value + self.velocity * decay.velocity_secs
    }
}

/// How much is left of values and, in seconds, of velocities.
#[derive(Clone, Copy)]
struct Decay {
    value: f32,
    velocity_secs: f32,
}

/// Seconds in which the velocity part of an offset is gone at the latest. At
/// most 0.2 times as many seconds' worth of velocity are added (the peak of
/// s − 6s³ + 8s⁴ − 3s⁵): 3 cm for a hand at 1 m/s, where a second would be 20 cm.
const VELOCITY_SECS: f64 = 0.15;
/// Radians and metres, and the same a second, that nobody sees.
const UNSEEN: f32 = 1e-6;
const UNSEEN_PER_SEC: f32 = 1e-3;

/// A pose now and a moment later, and the way over the ground in between.
pub struct Moving<'a> {
    /// Now.
    pub now: &'a LocalPose,
    /// `dt_secs` later.
    pub later: &'a LocalPose,
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
        let per_sec = 1.0 / dt_secs as f32;
        let poses = [old.now, new.now, old.later, new.later];
        self.start_joints(poses, per_sec);
        let most = |count: fn(&LocalPose) -> usize| poses.into_iter().map(count).max();
        let [old_now, new_now, old_later, new_later] = poses;
        let scale = |joint| {
            let now = old_now.scale(joint) - new_now.scale(joint);
            Offset::new(
                now,
                old_later.scale(joint) - new_later.scale(joint),
                per_sec,
            )
        };
        let morph = |morph| {
            let now = old_now.morph(morph) - new_now.morph(morph);
            Offset::new(
                now,
                old_later.morph(morph) - new_later.morph(morph),
                per_sec,
            )
        };
        let scales = 0..most(|pose| pose.scales().len()).unwrap_or(0);
        let morphs = 0..most(|pose| pose.morphs().len()).unwrap_or(0);
        self.scales.clear();
        self.scales.extend(scales.map(scale));
        self.morphs.clear();
        self.morphs.extend(morphs.map(morph));
        let velocity = |moving: &Moving<'_>| moving.displacement.scaled(1.0 / dt_secs);
        self.ground_velocity = Planar {
            position: velocity(old).position - velocity(new).position,
            heading: velocity(old).heading - velocity(new).heading,
        };
        self.elapsed_secs = 0.0;
        self.secs = secs;
        self.still = self.is_still();
    }

    fn start_joints(&mut self, poses: [&LocalPose; 4], per_sec: f32) {
        let count = poses[0].joints().len();
        let lengths = poses.map(|pose| pose.joints().len());
        assert_eq!(lengths, [count; 4], "poses of one skeleton");
        let [old_now, new_now, old_later, new_later] = poses.map(LocalPose::joints);
        self.joints.clear();
        self.joints.extend((0..count).map(|joint| {
            let now = difference(old_now[joint], new_now[joint]);
            let later = difference(old_later[joint], new_later[joint]);
            let mut rotation = Offset::new(now, later, per_sec);
            // Half a turn apart the short way may change sides in between;
            // that is no velocity.
            if (later - now).length() >= 1.0 {
                rotation.velocity = Vec3A::ZERO;
            }
            let now = old_now[joint].translation - new_now[joint].translation;
            let later = old_later[joint].translation - new_later[joint].translation;
            JointOffset {
                rotation,
                translation: Offset::new(now, later, per_sec),
            }
        }));
    }

    fn is_still(&self) -> bool {
        let joint = |offset: &JointOffset| {
            let JointOffset {
                rotation,
                translation,
            } = offset;
            rotation.value.abs().max_element() < UNSEEN
                && translation.value.abs().max_element() < UNSEEN
                && rotation.velocity.length() + translation.velocity.length() < UNSEEN_PER_SEC
        };
        let scale = |offset: &Offset<Vec3>| {
            offset.value.abs().max_element() < UNSEEN && offset.velocity.length() < UNSEEN_PER_SEC
        };
        let morph = |offset: &Offset<f32>| {
            offset.value.abs() < UNSEEN && offset.velocity.abs() < UNSEEN_PER_SEC
        };
        let Planar { position, heading } = self.ground_velocity;
        position.length() + heading.abs() < 1e-6
            && self.joints.iter().all(joint)
            && self.scales.iter().all(scale)
            && self.morphs.iter().all(morph)
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
    pub fn apply(&self, ahead_secs: f64, pose: &mut LocalPose) {
        let progress = self.progress(ahead_secs);
        if progress >= 1.0 || self.still {
            return;
        }
        let decay = self.decay(progress, ahead_secs);
        for (joint, offset) in pose.joints_mut().iter_mut().zip(&self.joints) {
            let rotation = offset.rotation.left(decay);
            if rotation != Vec3A::ZERO {
                joint.rotation = (quat::exp(rotation.into()) * joint.rotation).normalize();
            }
            joint.translation += offset.translation.left(decay);
        }
        let scale = |joint: usize| self.scales.get(joint).copied().unwrap_or_default();
        pose.change_scales(self.scales.len(), |joint, own| {
            own + scale(joint).left(decay)
        });
        let morph = |morph: usize| self.morphs.get(morph).copied().unwrap_or_default();
        pose.change_morphs(self.morphs.len(), |index, own| {
            own + morph(index).left(decay)
        });
    }

    fn decay(&self, progress: f32, ahead_secs: f64) -> Decay {
        // A velocity carries the offset further before it dies out; over a
        // long fade, or a chain of interrupted ones, that would be too far.
        let velocity_secs = self.secs.min(VELOCITY_SECS);
        let gone = ((self.elapsed_secs + ahead_secs) / velocity_secs) as f32;
        Decay {
            value: quintic_decay(progress).0,
            velocity_secs: quintic_decay(gone).1 * velocity_secs as f32,
        }
    }

    /// True in the tick in which it started.
    #[must_use]
    pub fn is_new(&self, tick_secs: f64) -> bool {
        self.secs > 0.0 && !self.still && self.elapsed_secs < 1.5 * tick_secs
    }

    /// All that is left of the old way over the ground.
    #[must_use]
    pub fn drift(&self) -> Planar {
        let x = f64::from(self.progress(0.0));
        if x >= 1.0 || self.still {
            return Planar::IDENTITY;
        }
        // The integral of 1 − smoothstep from x to 1.
        let left = 0.5 - x + x.powi(3) - 0.5 * x.powi(4);
        self.ground_velocity.scaled(self.secs * left)
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

    fn pose(joint: Transform) -> LocalPose {
        LocalPose::from_transforms(vec![joint])
    }

    fn old(t: f32) -> LocalPose {
        pose(Transform::new(
            Quat::from_rotation_x(0.4 + 3.0 * t),
            Vec3::Y * (1.0 + t),
        ))
    }

    fn new(t: f32) -> LocalPose {
        pose(Transform::new(
            Quat::from_rotation_y(0.5 * t),
            Vec3::Y * 0.8,
        ))
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
            pose.joints()[0]
        };
        let close = |a: Transform, b: Transform, what: &str| {
            assert!(quat::angle_between(a.rotation, b.rotation) < 2e-3, "{what}");
            assert_close!(a.translation, b.translation, 1e-3, "{what}");
        };
        close(at(0.0), old(0.0).joints()[0], "value");
        // After one more step the old motion would be here; a quintic that
        // starts without acceleration still is.
        close(at(DT), old(DT as f32).joints()[0], "velocity");
        close(at(0.3), new(0.3).joints()[0], "end");
        assert_eq!(at(0.35), new(0.35).joints()[0]);
    }

    #[test]
    fn the_way_over_the_ground_goes_from_the_old_to_the_new_speed() {
        let mut inertia = started();
        let speed = |inertia: &Inertia| inertia.displacement(DT).position.y / DT;
        assert_close!(speed(&inertia), 2.0, 0.01, "2 m/s more than the new");
        inertia.advance(0.15);
        assert_close!(speed(&inertia), 1.0, 0.05);
        inertia.advance(0.15);
        assert_eq!(speed(&inertia), 0.0);
        assert_eq!(inertia.left(), 0.0);
    }

    #[test]
    fn the_drift_is_the_sum_of_the_ways_still_to_come() {
        let mut inertia = started();
        inertia.advance(0.1);
        let drift = inertia.drift().position.y;
        let mut way = 0.0;
        for _ in 0..60 {
            way += inertia.displacement(DT).position.y;
            inertia.advance(DT);
        }
        assert_close!(drift, way, 1e-4);
        assert_eq!(inertia.drift(), Planar::IDENTITY);
    }
}
