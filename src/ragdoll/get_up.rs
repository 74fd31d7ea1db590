//! The frame of a capture, or of a get-up clip, that a lying body is most like, and
//! the way from there to standing.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};

use crate::{
    clip::{ClipCursor, SampleClip},
    collide::Terrain,
    humanoid::{Human, Role, carrier},
    math::{Transform, ease::smoothstep},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Frames that are compared, a second of a clip.
const COMPARED_PER_SEC: f64 = 10.0;
/// Frames of one clip that are compared at most.
const MOST_COMPARED: usize = 1200;
/// Hips below this share of their height in standing lie; above the second they
/// stand.
const LIES: f32 = 0.4;
const STANDS: f32 = 0.85;
/// A way up takes no longer, seconds.
const LONGEST_SECS: f64 = 8.0;
/// Seconds after it stands, to come to rest.
const AFTER_SECS: f64 = 0.5;

/// More ways up for a skeleton, asked for when they are needed.
pub type WaysUp = fn(&Skeleton) -> Vec<Arc<dyn SampleClip>>;

/// Seconds until a way up runs at its own speed: somebody who lay takes their time.
const GATHER_SECS: f64 = 0.8;

/// A way from lying to standing.
#[derive(Clone, Debug)]
pub struct GetUp {
    clip: Arc<dyn SampleClip>,
    cursor: ClipCursor,
    /// World from the space of the clip: on the ground, about the vertical; before
    /// it is tilted as the ground is.
    world_from_clip: Transform,
    /// A point of the ground that it lay on, below its hips, and how that is tilted.
    below_hips: Vec3A,
    tilt: Quat,
    /// Height of the hips in standing, metres.
    standing_m: f32,
    /// Of the clip.
    secs: f64,
    end_secs: f64,
    elapsed_secs: f64,
    /// Root mean square of the distances of joints to the body that lay, metres.
    pub distance_m: f32,
}

/// A body's shape, whatever its place and heading, and the tilt of what it lies on.
struct Likeness {
    points: Vec<Vec3A>,
    heading: Quat,
    below_hips: Vec3A,
    tilt: Quat,
}

impl GetUp {
    /// The best way up for a body that lies in `pose`, of all the clips.
    #[must_use]
    pub fn find(
        skeleton: &Skeleton,
        pose: &WorldPose,
        ground: &Terrain,
        clips: &[Arc<dyn SampleClip>],
    ) -> Option<Self> {
        let own = Likeness::on(ground, skeleton, pose.joints());
        let standing_m = standing_m(skeleton);
        let ways = clips.iter().filter(|clip| clip.joints() == skeleton.len());
        ways.flat_map(|clip| Self::ways(skeleton, clip, &own, standing_m))
            .min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))
    }

    /// Every frame of a clip in which it lies and from which it comes to stand.
    fn ways(
        skeleton: &Skeleton,
        clip: &Arc<dyn SampleClip>,
        own: &Likeness,
        standing_m: f32,
    ) -> Vec<Self> {
        let step_secs = (1.0 / COMPARED_PER_SEC).max(clip.duration_secs() / MOST_COMPARED as f64);
        let count = (clip.duration_secs() / step_secs) as usize + 1;
        let hips = usize::from(carrier(skeleton));
        let (mut local, mut cursor) = (LocalPose::default(), ClipCursor::default());
        let mut frames = Vec::with_capacity(count);
        for index in 0..count {
            let secs = index as f64 * step_secs;
            let mut model = ModelPose::default();
            clip.sample(skeleton, secs, &mut cursor, &mut local);
            model.compute(skeleton, &local);
            frames.push((secs, model));
        }
        let hips_m = |model: &ModelPose| model.joints()[hips].translation.y;
        let up = |from: usize| {
            let stands = |it: &&(f64, ModelPose)| hips_m(&it.1) > STANDS * standing_m;
            let stood = frames[from..].iter().find(stands)?.0;
            (stood - frames[from].0 < LONGEST_SECS).then_some(stood)
        };
        let lying = (0..count).filter(|index| hips_m(&frames[*index].1) < LIES * standing_m);
        lying
            .filter_map(|index| {
                let stood_secs = up(index)?;
                let (secs, model) = &frames[index];
                let likeness = Likeness::of(skeleton, model.joints());
                let turn = own.heading * likeness.heading.conjugate();
                let place = own.below_hips - turn * likeness.below_hips;
                Some(Self {
                    below_hips: own.below_hips,
                    tilt: own.tilt,
                    standing_m,
                    clip: Arc::clone(clip),
                    cursor: ClipCursor::default(),
                    world_from_clip: Transform::new(turn, place),
                    secs: *secs,
                    elapsed_secs: 0.0,
                    end_secs: (stood_secs + AFTER_SECS).min(clip.duration_secs()),
                    distance_m: own.distance_m(&likeness),
                })
            })
            .collect()
    }

    /// How fast it begins, of its own speed.
    pub(super) const FIRST_RATE: f64 = 0.25;

    /// Lets time pass.
    pub(super) fn advance(&mut self, dt_secs: f64) {
        self.elapsed_secs += dt_secs;
        let share = f64::from(smoothstep((self.elapsed_secs / GATHER_SECS).min(1.0) as f32));
        self.secs += dt_secs * (Self::FIRST_RATE + (1.0 - Self::FIRST_RATE) * share);
    }

    /// It stands.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.secs >= self.end_secs
    }

    /// The pose of the clip, roots in the world; `ahead_secs` later.
    pub(super) fn sample(&mut self, skeleton: &Skeleton, ahead_secs: f64, pose: &mut LocalPose) {
        let secs = self.secs + ahead_secs;
        self.clip.sample(skeleton, secs, &mut self.cursor, pose);
        super::fall::place_roots(skeleton, self.world_from_clip, pose);
        if self.tilt != Quat::IDENTITY {
            self.stand_on_slope(skeleton, pose);
        }
    }

    /// It lies on the ground as that is tilted, and stands upright on it.
    fn stand_on_slope(&self, skeleton: &Skeleton, pose: &mut LocalPose) {
        let mut model = ModelPose::default();
        model.compute(skeleton, pose);
        let hips = model.joints()[usize::from(carrier(skeleton))].translation;
        let up_m = (hips.y - self.below_hips.y) / self.standing_m.max(1e-3);
        let stands = smoothstep(((up_m - LIES) / (STANDS - LIES)).clamp(0.0, 1.0));
        let tilt = self.tilt.slerp(Quat::IDENTITY, stands);
        let about = Transform::from_translation(self.below_hips);
        let mut placed = about * Transform::from_rotation(tilt) * about.inverse();
        let normal = self.tilt * Vec3A::Y;
        let from = placed.transform_point(hips) - self.below_hips;
        let ground_m = -(normal.x * from.x + normal.z * from.z) / normal.y.max(0.1);
        placed.translation.y += stands * ground_m;
        super::fall::place_roots(skeleton, placed, pose);
    }
}

impl Likeness {
    /// Of a body that lies on some ground, as if that were level.
    fn on(ground: &Terrain, skeleton: &Skeleton, joints: &[Transform]) -> Self {
        let places = joints.iter().map(|joint| joint.translation);
        let (point, normal) = ground.plane_below(places);
        let hips = joints[usize::from(carrier(skeleton))].translation;
        let from = hips - point;
        let below_m = -(normal.x * from.x + normal.z * from.z) / normal.y.max(0.1);
        let below_hips = Vec3A::new(hips.x, point.y + below_m, hips.z);
        let tilt = Quat::from_rotation_arc(Vec3::Y, normal.into());
        let level =
            Transform::from_rotation(tilt.conjugate()) * Transform::from_translation(-below_hips);
        let joints: Vec<Transform> = joints.iter().map(|joint| level * *joint).collect();
        Self {
            below_hips,
            tilt,
            ..Self::of(skeleton, &joints)
        }
    }

    fn of(skeleton: &Skeleton, joints: &[Transform]) -> Self {
        let hips = joints[usize::from(carrier(skeleton))].translation;
        let below_hips = Vec3A::new(hips.x, 0.0, hips.z);
        let heading = lying_heading(skeleton, joints);
        let points =
            { joints.iter() }.map(|joint| heading.conjugate() * (joint.translation - below_hips));
        Self {
            points: points.collect(),
            heading,
            below_hips,
            tilt: Quat::IDENTITY,
        }
    }

    fn distance_m(&self, other: &Self) -> f32 {
        let pairs = self.points.iter().zip(&other.points);
        let sum: f32 = pairs.map(|(a, b)| a.distance_squared(*b)).sum();
        (sum / self.points.len().max(1) as f32).sqrt()
    }
}

/// About the vertical: where the head is, seen from the hips.
fn lying_heading(skeleton: &Skeleton, joints: &[Transform]) -> Quat {
    let human = Human::find(skeleton);
    let hips = carrier(skeleton);
    let head = human.first(Role::Head);
    let top = head.unwrap_or((skeleton.len() - 1) as JointIndex);
    let way = joints[usize::from(top)].translation - joints[usize::from(hips)].translation;
    Quat::from_rotation_y(way.x.atan2(way.z))
}

/// Height of the hips above the lowest bone in the upright pose.
fn standing_m(skeleton: &Skeleton) -> f32 {
    let rest = crate::body::growth_pose(skeleton, &[]);
    let model = rest.rest_model();
    let ends = (0..rest.len()).map(|joint| model.bone_end(&rest, joint).y);
    let low = ends.fold(f32::MAX, f32::min);
    model.joints()[usize::from(carrier(skeleton))].translation.y - low
}
