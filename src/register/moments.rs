//! Sums over pairs of moments of two clouds, made of pairs of whole frames.
//!
//! Between frames points go straight, so that products of two moments are sums of
//! products of frames. A search for the best match tries the same few frames around
//! a path again and again: each pair of them is multiplied once.

use glam::DVec2;

use super::{alignment::PairSums, cloud::Cloud};

/// Frames of the second cloud that are kept for each of the first: whatever a
/// search along a path comes by, and its neighbours.
const KEPT: usize = 32;
/// A part of a frame that is none.
const NO_PART: f64 = 1e-6;

/// Two clouds whose frames are compared.
pub(super) struct MomentPairs<'a> {
    clouds: [&'a Cloud; 2],
    frames: [Frames; 2],
    /// For each frame of the first cloud some frames of the second, from one on.
    rows: Vec<Row>,
}

#[derive(Clone, Default)]
struct Row {
    first: usize,
    /// NaN where nothing was asked yet.
    products: Vec<Products>,
}

/// Dot and cross over the ground, and heights: as [`PairSums`] has them.
type Products = [f64; 3];

/// The points of a cloud, frame after frame: all x, all y, all z.
struct Frames {
    points: usize,
    places: Vec<f64>,
    /// Σ |p|² of each frame, and Σ p·p' with the next.
    squares: Vec<[f64; 2]>,
}

impl Frames {
    fn of(cloud: &Cloud) -> Self {
        let (points, count) = (cloud.points(), cloud.frames());
        let mut places = vec![0.0; 3 * points * count];
        for axis in 0..3 {
            for point in 0..points {
                let own = axis * points + point;
                for (frame, place) in cloud.row(axis, point).iter().enumerate() {
                    places[frame * 3 * points + own] = *place;
                }
            }
        }
        let mut frames = Self {
            points,
            places,
            squares: Vec::with_capacity(count),
        };
        for frame in 0..count {
            let next = (frame + 1).min(count - 1);
            let with = |other: usize| dot(frames.frame(frame), frames.frame(other));
            let squares = [with(frame), with(next)];
            frames.squares.push(squares);
        }
        frames
    }

    fn frame(&self, frame: usize) -> &[f64] {
        let size = 3 * self.points;
        &self.places[frame * size..(frame + 1) * size]
    }

    /// Σ |p|² at a moment.
    fn square(&self, [(base, left), (next, part)]: Ends) -> f64 {
        let own = |frame: usize| self.squares[frame][0];
        let across = self.squares[base][1];
        left * left * own(base) + 2.0 * left * part * across + part * part * own(next)
    }
}

/// The frames before and after a moment, and their shares of it.
type Ends = [(usize, f64); 2];

impl<'a> MomentPairs<'a> {
    pub fn new(clouds: [&'a Cloud; 2]) -> Self {
        Self {
            clouds,
            frames: clouds.map(Frames::of),
            rows: vec![Row::default(); clouds[0].frames()],
        }
    }

    pub fn clouds(&self) -> [&'a Cloud; 2] {
        self.clouds
    }

    /// Adds a moment of each cloud, in seconds.
    pub fn add(&mut self, sums: &mut PairSums, secs: [f64; 2]) {
        let [p, q] = [0, 1].map(|which| ends(self.clouds[which], secs[which]));
        sums.weight += 1.0;
        sums.squares += self.frames[0].square(p) + self.frames[1].square(q);
        for (i, own) in p {
            for (j, other) in q {
                let share = own * other;
                if share > 0.0 {
                    let [dot, cross, heights] = self.products(i, j);
                    sums.dot += share * dot;
                    sums.cross += share * cross;
                    sums.heights += share * heights;
                }
            }
        }
        sums.a += middle(self.clouds[0], p);
        sums.b += middle(self.clouds[1], q);
    }

    fn products(&mut self, i: usize, j: usize) -> Products {
        let row = &mut self.rows[i];
        if row.products.is_empty() {
            row.first = j.saturating_sub(KEPT / 2);
            row.products = vec![[f64::NAN; 3]; KEPT];
        }
        let kept = j.checked_sub(row.first);
        let kept = kept.and_then(|offset| row.products.get_mut(offset));
        match kept {
            Some(kept) if kept[0].is_nan() => {
                *kept = multiplied(self.frames[0].frame(i), self.frames[1].frame(j));
                *kept
            }
            Some(kept) => *kept,
            None => multiplied(self.frames[0].frame(i), self.frames[1].frame(j)),
        }
    }
}

fn ends(cloud: &Cloud, secs: f64) -> Ends {
    let (base, part) = cloud.position(secs);
    let part = match part {
        part if part < NO_PART => 0.0,
        part if part > 1.0 - NO_PART => 1.0,
        part => part,
    };
    let next = (base + 1).min(cloud.frames() - 1);
    [(base, 1.0 - part), (next, part)]
}

fn middle(cloud: &Cloud, ends: Ends) -> DVec2 {
    let of = |(frame, share): (usize, f64)| {
        let [x, z, _] = cloud.sums(frame..frame + 1);
        share * DVec2::new(x, z)
    };
    of(ends[0]) + of(ends[1])
}

/// Four sums at once: what one waits for, the others do not.
const LANES: usize = 4;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn multiplied(a: &[f64], b: &[f64]) -> Products {
    let points = a.len() / 3;
    let axis = |axis: usize| axis * points..(axis + 1) * points;
    let of = |p: usize, q: usize| dot(&a[axis(p)], &b[axis(q)]);
    [of(0, 0) + of(2, 2), of(0, 2) - of(2, 0), of(1, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::RawClip,
        skeleton::{LocalPose, testing::cmu_like},
    };
    use glam::{Quat, Vec3A};

    fn cloud(speed: f32) -> Cloud {
        let skeleton = cmu_like();
        let pose = |frame: usize| {
            let mut pose: LocalPose = skeleton.rest().clone();
            for (joint, local) in pose.joints_mut().iter_mut().enumerate() {
                let angle = (frame as f32 * speed + joint as f32).sin() * 0.4;
                local.rotation *= Quat::from_rotation_x(angle);
                local.translation += Vec3A::X * 0.01 * frame as f32 * speed;
            }
            pose
        };
        let poses: Vec<LocalPose> = (0..40).map(pose).collect();
        let clip = RawClip::from_poses("moved", &skeleton, 60.0, &poses);
        Cloud::of(&skeleton, &clip)
    }

    #[test]
    fn sums_of_frames_are_those_of_the_points_between_them() {
        let clouds = [&cloud(0.11), &cloud(0.07)];
        let mut pairs = MomentPairs::new(clouds);
        // Whole frames, parts of them, both ends, and far from the first asked for.
        for secs in [
            [0.1, 0.1],
            [0.113, 0.127],
            [0.0, 0.65],
            [0.65, 0.01],
            [0.113, 0.6],
        ] {
            for _ in 0..2 {
                let (mut found, mut plain) = (PairSums::default(), PairSums::default());
                pairs.add(&mut found, secs);
                let at = [0, 1].map(|which: usize| clouds[which].position(secs[which]));
                plain.add(clouds, at);
                assert_close!(found.square_m2(), plain.square_m2(), 1e-9, "{secs:?}");
                let yaws = [found, plain].map(|it| it.alignment().yaw);
                assert_close!(yaws[0], yaws[1], 1e-9, "{secs:?}");
                assert_close!(found.a, plain.a, 1e-9);
                assert_close!(found.b, plain.b, 1e-9);
            }
        }
    }
}
