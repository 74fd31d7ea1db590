//! A motion as a cloud of points, frame by frame: what distances are taken of.

use glam::{DVec2, DVec3};

use crate::{
    clip::RawClip,
    skeleton::{LocalPose, ModelPose, NO_PARENT, Skeleton},
};

/// Points of every frame at an even rate. Each point is scaled by the root of
/// its weight, so that products of two clouds are weighted; weights sum to 1.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    rate_hz: f64,
    frames: usize,
    /// Point after point, each with all its frames: rows of a matrix whose
    /// columns are moments.
    axes: [Vec<f64>; 3],
    /// Roots of the weights, one a point.
    roots: Vec<f64>,
    /// Sums of all frames before: w·x, w·z, w·|p|².
    sums: Vec<[f64; 3]>,
}

impl Cloud {
    /// Joints and bone ends of every frame of a clip.
    #[must_use]
    pub fn of(skeleton: &Skeleton, clip: &RawClip) -> Self {
        let (weights, leaves) = weights(skeleton);
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let frames = clip.frames();
        let mut axes = [0, 1, 2].map(|_| vec![0.0; roots.len() * frames]);
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        for frame in 0..frames {
            clip.frame_pose(skeleton, frame, &mut local);
            model.compute(skeleton, &local);
            let joints = model.joints().iter().map(|joint| joint.translation);
            let ends = leaves.iter().map(|&leaf| model.bone_end(skeleton, leaf));
            for (point, place) in joints.chain(ends).enumerate() {
                for (axis, value) in axes.iter_mut().zip(place.to_array()) {
                    axis[point * frames + frame] = f64::from(value) * roots[point];
                }
            }
        }
        Self::new(clip.fps, frames, axes, roots)
    }

    fn new(rate_hz: f64, frames: usize, axes: [Vec<f64>; 3], roots: Vec<f64>) -> Self {
        let mut cloud = Self {
            rate_hz,
            frames,
            axes,
            roots,
            sums: vec![[0.0; 3]],
        };
        let mut sum = [0.0; 3];
        for frame in 0..frames {
            for (sum, value) in sum.iter_mut().zip(cloud.moments(frame)) {
                *sum += value;
            }
            cloud.sums.push(sum);
        }
        cloud
    }

    fn moments(&self, frame: usize) -> [f64; 3] {
        let mut moments = [0.0; 3];
        for (point, root) in self.roots.iter().enumerate() {
            let [x, y, z] = self.scaled(point, frame);
            moments[0] += root * x;
            moments[1] += root * z;
            moments[2] += x * x + y * y + z * z;
        }
        moments
    }

    /// The same motion at another rate, straight between its frames.
    #[must_use]
    pub fn resampled(&self, rate_hz: f64) -> Self {
        let frames = (self.duration_secs() * rate_hz + 1e-6) as usize + 1;
        let axes = [0, 1, 2].map(|axis| {
            let points = 0..self.roots.len();
            let moments = points.flat_map(|point| (0..frames).map(move |frame| (point, frame)));
            let at = |(point, frame)| {
                let (base, part) = self.position(frame as f64 / rate_hz);
                self.between(axis, point, base, part)
            };
            moments.map(at).collect()
        });
        Self::new(rate_hz, frames, axes, self.roots.clone())
    }

    /// Frames a second.
    #[must_use]
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// How many moments it holds.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// How many points it has in each.
    #[must_use]
    pub fn points(&self) -> usize {
        self.roots.len()
    }

    /// Seconds from the first moment to the last.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.frames.saturating_sub(1) as f64 / self.rate_hz
    }

    /// The frames of a point along an axis, scaled.
    #[must_use]
    pub fn row(&self, axis: usize, point: usize) -> &[f64] {
        &self.axes[axis][point * self.frames..(point + 1) * self.frames]
    }

    /// Sums of w·x, w·z and w·|p|² over a range of frames.
    #[must_use]
    pub fn sums(&self, frames: std::ops::Range<usize>) -> [f64; 3] {
        let (low, high) = (self.sums[frames.start], self.sums[frames.end]);
        [0, 1, 2].map(|i| high[i] - low[i])
    }

    fn scaled(&self, point: usize, frame: usize) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.axes[axis][point * self.frames + frame])
    }

    /// Frame and part of the next one; the ends hold.
    pub(super) fn position(&self, time_secs: f64) -> (usize, f64) {
        let last = self.frames.saturating_sub(1);
        let position = (time_secs * self.rate_hz).clamp(0.0, last as f64);
        let base = (position as usize).min(last.saturating_sub(1));
        (base, position - base as f64)
    }

    fn between(&self, axis: usize, point: usize, base: usize, part: f64) -> f64 {
        let row = self.row(axis, point);
        let next = row[(base + 1).min(self.frames - 1)];
        row[base] + (next - row[base]) * part
    }

    /// A scaled point between frames.
    pub(super) fn scaled_at(&self, point: usize, (base, part): (usize, f64)) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|axis| self.between(axis, point, base, part)))
    }

    /// The weighted middle of the points over the ground.
    #[must_use]
    pub fn centre(&self, time_secs: f64) -> DVec2 {
        let (base, part) = self.position(time_secs);
        let of = |frame: usize| {
            let [x, z, _] = self.sums(frame..frame + 1);
            DVec2::new(x, z)
        };
        of(base).lerp(of((base + 1).min(self.frames - 1)), part)
    }

    /// Root mean square of the points' speed in metres a second, frame by
    /// frame: how much there is to tell one moment from the next.
    #[must_use]
    pub fn speeds(&self) -> Vec<f64> {
        let last = self.frames.saturating_sub(1);
        let speed = |frame: usize| {
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
            let secs = (after - before).max(1) as f64 / self.rate_hz;
            let squares = (0..self.points()).map(|point| {
                let way = [self.scaled(point, before), self.scaled(point, after)];
                (DVec3::from_array(way[1]) - DVec3::from_array(way[0])).length_squared()
            });
            squares.sum::<f64>().sqrt() / secs
        };
        (0..self.frames).map(speed).collect()
    }
}

/// Weights of joints and of the ends of the last bones, and which joints those
/// start in. A bone counts by its length, half at either end: limbs have much
/// to say, fingers little, in any skeleton.
fn weights(skeleton: &Skeleton) -> (Vec<f64>, Vec<usize>) {
    let rest = skeleton.rest_model();
    let at = |joint: usize| rest.joints()[joint].translation;
    let is_leaf = |joint: &usize| skeleton.children(*joint as u16).next().is_none();
    let leaves: Vec<usize> = (0..skeleton.len()).filter(is_leaf).collect();
    let mut weights = vec![0.0; skeleton.len() + leaves.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        if parent != NO_PARENT {
            let parent = usize::from(parent);
            let half = f64::from((at(joint) - at(parent)).length()) / 2.0;
            weights[joint] += half;
            weights[parent] += half;
        }
    }
    for (index, &leaf) in leaves.iter().enumerate() {
        let half = f64::from((rest.bone_end(skeleton, leaf) - at(leaf)).length()) / 2.0;
        weights[leaf] += half;
        weights[skeleton.len() + index] += half;
    }
    let all: f64 = weights.iter().sum();
    match all > 1e-9 {
        true => weights.iter_mut().for_each(|weight| *weight /= all),
        // Bones of no length: every joint counts the same.
        false => weights.fill(1.0 / (skeleton.len() + leaves.len()) as f64),
    }
    (weights, leaves)
}
