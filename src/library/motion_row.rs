//! What a moment of a motion looks like, in 64 bytes.
//!
//! Fifteen landmarks of the body in whole centimetres, as seen from the hips
//! (turned so that the body looks along z, scaled to a stature of 1.75 m so that
//! people of any size compare), the velocities of hips, hands and feet, and how
//! fast the body turns. The same numbers picture a clip in a list and are what
//! likeness is measured on; that velocities belong to it is from Kovar,
//! Gleicher and Pighin, *Motion Graphs* (2002), which compares windows of time.

use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3, Vec3A};

use crate::{
    clip::{ClipCursor, SampleClip},
    humanoid::{Human, Limb, Role, Side, Stature},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Rows a second of a clip: a step of a walk has five.
pub const ROWS_A_SECOND: f64 = 10.0;
/// Points of the body.
pub const LANDMARKS: usize = 15;
/// Centimetres of likeness that a difference of one metre a second counts.
const CM_A_METRE_A_SECOND: f32 = 20.0;
/// The same for a turn of one radian a second.
const CM_A_RADIAN_A_SECOND: f32 = 10.0;
/// Everybody is scaled to this.
const STATURE_M: f32 = 1.75;
/// Height of standing hips at that stature: rows count from there, so that an
/// arm overhead and a body on the floor both fit a byte.
const HIPS_M: f32 = 0.93;
/// Landmarks whose velocities count: hips, hands, feet.
const SWIFT: [usize; 5] = [0, 5, 8, 11, 14];

/// Pairs of landmarks with a bone between them.
pub const BONES: [(usize, usize); 14] = [
    (0, 1),
    (1, 2),
    (1, 3),
    (3, 4),
    (4, 5),
    (1, 6),
    (6, 7),
    (7, 8),
    (0, 9),
    (9, 10),
    (10, 11),
    (0, 12),
    (12, 13),
    (13, 14),
];

/// A moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct MotionRow(pub [i8; 64]);

impl MotionRow {
    /// Where a landmark is, in metres from the floor below the hips, the body
    /// looking along z.
    #[must_use]
    pub fn landmark(&self, index: usize) -> Vec3 {
        let at = 3 * index;
        let [x, y, z] = [at, at + 1, at + 2].map(|it| f32::from(self.0[it]) / 100.0);
        Vec3::new(x, y + HIPS_M, z)
    }

    /// Sum of squared differences, in square centimetres.
    #[must_use]
    #[inline]
    pub fn unlike(&self, other: &Self) -> u32 {
        let mut sum = 0i32;
        for (a, b) in self.0.iter().zip(&other.0) {
            let apart = i32::from(i16::from(*a) - i16::from(*b));
            sum += apart * apart;
        }
        sum as u32
    }

    fn of(now: &Moment, before: &Moment, after: &Moment, secs: f32) -> Self {
        let mut row = [0i8; 64];
        let mut cells = row.iter_mut();
        let mut put = |value: f32| {
            if let Some(cell) = cells.next() {
                // Saturates: nothing a body does is lost that counts.
                *cell = value.round().clamp(-127.0, 127.0) as i8;
            }
        };
        let level = now.points[0].with_y(HIPS_M);
        let into = now.facing.inverse();
        for point in &now.points {
            let at_cm = into * (*point - level) * 100.0;
            at_cm.to_array().into_iter().for_each(&mut put);
        }
        for index in SWIFT {
            let way = into * (after.points[index] - before.points[index]);
            let velocity = way / secs * CM_A_METRE_A_SECOND;
            velocity.to_array().into_iter().for_each(&mut put);
        }
        let turned = before.facing.inverse() * after.facing;
        let angle = 2.0 * turned.y.atan2(turned.w);
        // The shorter way round.
        let angle =
            (angle + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI;
        put(angle / secs * CM_A_RADIAN_A_SECOND);
        Self(row)
    }
}

/// Landmarks in metres at the common stature, and where the body looks.
#[derive(Clone)]
struct Moment {
    points: [Vec3; LANDMARKS],
    facing: Quat,
}

/// The joints of the landmarks.
struct Landmarks {
    human: Human,
    joints: [JointIndex; LANDMARKS],
    scale: f32,
}

impl Landmarks {
    /// `None` where nobody has two legs and two arms.
    fn of(skeleton: &Skeleton) -> Option<Self> {
        let human = Human::find(skeleton);
        let mut joints = [0; LANDMARKS];
        joints[0] = human.first(Role::Hips)?;
        joints[1] = human.part(Role::Spine).last().copied().unwrap_or(joints[0]);
        joints[2] = human.first(Role::Head).unwrap_or(joints[1]);
        for (side, first) in Side::BOTH.into_iter().zip([3, 6]) {
            joints[first] = human.first(side.role(Limb::UpperArm))?;
            joints[first + 1] = human.first(side.role(Limb::Forearm))?;
            let hand = human.first(side.role(Limb::Hand));
            joints[first + 2] = hand.unwrap_or(joints[first + 1]);
        }
        for (side, first) in Side::BOTH.into_iter().zip([9, 12]) {
            for (at, limb) in [Limb::Thigh, Limb::Shin, Limb::Foot]
                .into_iter()
                .enumerate()
            {
                joints[first + at] = human.first(side.role(limb))?;
            }
        }
        let height_m = Stature::of(skeleton).height_m;
        let scale = STATURE_M / height_m.max(0.01);
        Some(Self {
            human,
            joints,
            scale,
        })
    }

    fn moment(&self, pose: &ModelPose, before: Quat) -> Moment {
        let at = |joint: JointIndex| {
            Vec3::from(pose.joints()[usize::from(joint)].translation) * self.scale
        };
        let forward = self.human.frame(pose).map(|it| it * Vec3A::Z);
        // Somebody who lies looks where they looked before.
        let level = forward.filter(|it| it.x.hypot(it.z) > 0.3);
        let facing = level.map_or(before, |it| Quat::from_rotation_y(it.x.atan2(it.z)));
        Moment {
            points: self.joints.map(at),
            facing,
        }
    }
}

/// Rows of a clip from one time to another, ten a second, and the mean
/// horizontal speed of the hips in metres a second; no rows where no person
/// moves.
#[must_use]
pub fn rows_of(
    skeleton: &Skeleton,
    clip: &dyn SampleClip,
    (from, to): (f64, f64),
) -> (Vec<MotionRow>, f32) {
    let Some(landmarks) = Landmarks::of(skeleton) else {
        return (Vec::new(), 0.0);
    };
    let count = ((to - from).max(0.0) * ROWS_A_SECOND).floor() as usize + 1;
    let (mut cursor, mut local, mut model) = (
        ClipCursor::default(),
        LocalPose::default(),
        ModelPose::default(),
    );
    let mut facing = Quat::IDENTITY;
    let mut moments = Vec::with_capacity(count + 2);
    // One before and one after, for the velocities at the ends.
    for index in 0..count + 2 {
        let secs = from + (index as f64 - 1.0) / ROWS_A_SECOND;
        clip.sample(skeleton, secs, &mut cursor, &mut local);
        model.compute(skeleton, &local);
        let moment = landmarks.moment(&model, facing);
        facing = moment.facing;
        moments.push(moment);
    }
    let secs = (2.0 / ROWS_A_SECOND) as f32;
    let rows = moments
        .windows(3)
        .map(|it| MotionRow::of(&it[1], &it[0], &it[2], secs));
    let level = |moment: &Moment| moment.points[0].with_y(0.0) / landmarks.scale;
    let way_m: f32 = moments
        .windows(2)
        .map(|it| level(&it[0]).distance(level(&it[1])))
        .sum();
    let speed = way_m / (to - from).max(1e-3) as f32;
    let rows = rows.collect();
    (rows, if speed.is_finite() { speed } else { 0.0 })
}
