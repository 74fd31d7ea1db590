//! Gaits made on the spot: game characters walk as on a treadmill, and the
//! program that plays them moves them along.
//!
//! What stands on such a ground moves with it. So the ground's velocity is that
//! of whatever is lowest, and the character's way is the opposite. No legs need
//! be known: it holds for four feet and for wheels.

use glam::{Vec2, Vec3, Vec3Swizzles};

use super::RawClip;
use crate::skeleton::{LocalPose, ModelPose, Skeleton};

/// Joints that come this near to the lowest one bear, as shares of the height.
const BEARING: f32 = 0.05;
/// … and they do while they are this near to their own lowest place.
const STANDING: f32 = 0.03;
/// Joints that move less than this over the clip are no feet.
const STILL: f32 = 0.05;
/// Body heights a second; slower is swaying.
const SLOWEST: f32 = 0.15;
/// A bearing joint goes along with the ground when it does so at this share of
/// its velocity …
const ALONG: f32 = 0.25;
/// … feet on a treadmill do so for at least this share of the time.
const AGREEING: f32 = 0.55;
/// … and who goes somewhere by themselves, at more than this share of the
/// ground's velocity, is on none.
const OWN_WAY: f32 = 0.3;

impl RawClip {
    /// The clip moved over the ground as its feet would move it, or `None` when
    /// they do not run on a treadmill.
    #[must_use]
    pub fn off_treadmill(&self, skeleton: &Skeleton) -> Option<Self> {
        let ground = ground_velocity(skeleton, self)?;
        let mut moved = self.clone();
        for (frame, place) in moved.root_translations.iter_mut().enumerate() {
            let way = -ground * (frame as f64 / self.fps) as f32;
            *place += Vec3::new(way.x, 0.0, way.y);
        }
        Some(moved)
    }
}

/// Metres a second along X and Z.
fn ground_velocity(skeleton: &Skeleton, clip: &RawClip) -> Option<Vec2> {
    let height_m = skeleton.rest_height_m();
    let mut paths = paths(skeleton, clip);
    let own_way = mean_velocity(&paths, clip);
    let lowest = |path: &Vec<Vec3>| path.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    let floor_m = paths.iter().map(lowest).fold(f32::INFINITY, f32::min);
    paths.retain(|path| range_m(path) > STILL * height_m);
    paths.retain(|path| lowest(path) < floor_m + BEARING * height_m);
    let mut velocities = Vec::new();
    for path in &paths {
        let standing = lowest(path) + STANDING * height_m;
        let down = path.windows(2).filter(|p| p[0].y.max(p[1].y) < standing);
        velocities.extend(down.map(|p| (p[1] - p[0]).xz() * clip.fps as f32));
    }
    let middle = Vec2::new(
        median(velocities.iter().map(|v| v.x).collect())?,
        median(velocities.iter().map(|v| v.y).collect())?,
    );
    let all = velocities.len() as f32;
    velocities.retain(|v| v.dot(middle) > ALONG * middle.length_squared());
    let agreeing = velocities.len() as f32;
    let ground = velocities.iter().sum::<Vec2>() / agreeing;
    let runs = agreeing >= AGREEING * all && ground.length() > SLOWEST * height_m;
    let stays = own_way.length() < OWN_WAY * ground.length();
    (runs && stays).then_some(ground)
}

/// Of the whole body from the first frame to the last.
fn mean_velocity(paths: &[Vec<Vec3>], clip: &RawClip) -> Vec2 {
    let ways = paths
        .iter()
        .filter_map(|it| Some((*it.last()? - *it.first()?).xz()));
    let secs = clip.duration_secs().max(1e-6) as f32;
    ways.sum::<Vec2>() / (paths.len().max(1) as f32 * secs)
}

/// How far a joint goes over the ground, along X or Z.
fn range_m(path: &[Vec3]) -> f32 {
    let of = |pick: fn(f32, f32) -> f32, from: f32| {
        path.iter().fold(Vec2::splat(from), |edge, p| {
            Vec2::new(pick(edge.x, p.x), pick(edge.y, p.z))
        })
    };
    (of(f32::max, f32::NEG_INFINITY) - of(f32::min, f32::INFINITY)).max_element()
}

/// The ways of all joints.
fn paths(skeleton: &Skeleton, clip: &RawClip) -> Vec<Vec<Vec3>> {
    let mut paths = vec![Vec::with_capacity(clip.frames()); skeleton.len()];
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    for frame in 0..clip.frames() {
        clip.frame_pose(skeleton, frame, &mut local);
        model.compute(skeleton, &local);
        for (joint, path) in model.joints().iter().zip(&mut paths) {
            path.push(joint.translation.into());
        }
    }
    paths
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f32::total_cmp).1)
}
