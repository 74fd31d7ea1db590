//! The path of the character over the ground, taken out of a clip.
//!
//! A capture moves its root joint through the studio. The animator wants the
//! two halves apart: where the *character* goes (a point on the ground and a
//! heading) and how the *pelvis* moves about that point. The path is the
//! pelvis projected to the ground and low-passed, so that sway and bob stay in
//! the pose; putting both halves together again gives the capture back.
//!
//! Limit: the ground is the plane Y = const; a body that rolls over head first
//! has no heading half-way and keeps the last one.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, Quat, Vec3};

use super::RawClip;
use crate::math::Transform;

/// A place on the ground and a heading: a rigid motion of the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Planar {
    /// X and Z in metres.
    pub position: DVec2,
    /// Radians about +Y; 0 looks along +Z, a quarter along +X.
    pub heading: f64,
}

impl Planar {
    /// Neither moved nor turned.
    pub const IDENTITY: Self = Self {
        position: DVec2::ZERO,
        heading: 0.0,
    };

    /// Turns a vector of this frame into the frame it stands in.
    #[must_use]
    pub fn rotate(self, v: DVec2) -> DVec2 {
        let (sin, cos) = self.heading.sin_cos();
        // The turn about +Y seen in X and Z: forward (+Z) turns towards +X.
        DVec2::new(v.x * cos + v.y * sin, v.y * cos - v.x * sin)
    }

    /// `self` first, then `next` as seen from there.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            position: self.position + self.rotate(next.position),
            heading: self.heading + next.heading,
        }
    }

    /// The motion that leads back.
    #[must_use]
    pub fn inverse(self) -> Self {
        let back = Self {
            position: DVec2::ZERO,
            heading: -self.heading,
        };
        Self {
            position: -back.rotate(self.position),
            heading: -self.heading,
        }
    }

    /// What leads from `self` to `to`.
    #[must_use]
    pub fn until(self, to: Self) -> Self {
        let back = Self {
            position: DVec2::ZERO,
            heading: -self.heading,
        };
        Self {
            position: back.rotate(to.position - self.position),
            heading: to.heading - self.heading,
        }
    }

    /// Straight between two places, headings as numbers.
    #[must_use]
    pub fn lerp(self, to: Self, t: f64) -> Self {
        Self {
            position: self.position.lerp(to.position, t),
            // Headings along a path are unwrapped: their plain difference is
            // the way that was turned.
            heading: self.heading + (to.heading - self.heading) * t,
        }
    }

    /// A share of a small motion, such as that of one step.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        Self {
            position: self.position * by,
            heading: self.heading * by,
        }
    }

    /// The same motion in space, at height 0.
    #[must_use]
    pub fn transform(self) -> Transform {
        let ground = Vec3::new(self.position.x as f32, 0.0, self.position.y as f32);
        // Whole turns are taken off in double precision first.
        let heading = self.heading.rem_euclid(TAU) as f32;
        Transform::new(Quat::from_rotation_y(heading), ground)
    }

    /// The ground projection of a root joint: its place and its turn about Y.
    #[must_use]
    pub fn of(root: Transform) -> Self {
        let q = root.rotation;
        Self {
            position: DVec2::new(root.translation.x.into(), root.translation.z.into()),
            // The twist about Y in a swing-twist split is (0, y, 0, w) made
            // unit length, so half its angle has the tangent y / w. It holds
            // for a body that leans, until it is upside down.
            heading: 2.0 * f64::from(q.y).atan2(f64::from(q.w)),
        }
    }
}

/// How the path beyond the clip's ends continues, for the low-pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathFilter {
    /// The clip repeats; averaged over this many seconds. One gait cycle takes
    /// out sway and bob entirely.
    Loop(f64),
    /// The clip plays once; averaged over up to this many seconds, less
    /// towards the ends, where the path meets the pelvis.
    Once(f64),
}

/// The path of one clip, a place per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMotion {
    fps: f64,
    path: Vec<Planar>,
    /// Metres that the clip's ground lies above Y = 0.
    pub ground_m: f32,
}

/// Samples of the averaging window; the path is smooth at that scale.
const WINDOW_SAMPLES: usize = 64;

impl RootMotion {
    /// Extracts the path of a clip's root. Headings count from `rest`, the
    /// root's rotation in the rest pose.
    #[must_use]
    pub fn extract(clip: &RawClip, rest: Quat, filter: PathFilter) -> Self {
        let raw = raw_path(clip, rest);
        let last = raw.len().saturating_sub(1);
        let lap = raw
            .first()
            .map_or(Planar::IDENTITY, |first| first.until(raw[last]));
        let path = (0..raw.len()).map(|frame| {
            let (half, looped) = match filter {
                PathFilter::Loop(secs) => (0.5 * secs * clip.fps, true),
                PathFilter::Once(secs) => {
                    // Symmetric even at the ends: a lopsided window would push
                    // the path ahead or hold it back.
                    let room = frame.min(last - frame) as f64;
                    (room.min(0.5 * secs * clip.fps), false)
                }
            };
            average(&raw, lap, frame as f64, half, looped)
        });
        Self {
            fps: clip.fps,
            path: path.collect(),
            ground_m: 0.0,
        }
    }

    /// The place at a time inside the clip.
    #[must_use]
    pub fn at(&self, time_secs: f64) -> Planar {
        interpolate(&self.path, time_secs * self.fps)
    }

    /// The way from the first frame to the last.
    #[must_use]
    pub fn lap(&self) -> Planar {
        match (self.path.first(), self.path.last()) {
            (Some(first), Some(last)) => first.until(*last),
            _ => Planar::IDENTITY,
        }
    }

    /// Mean speed over the ground in metres a second, along the path's chord.
    #[must_use]
    pub fn speed(&self) -> f64 {
        let secs = self.path.len().saturating_sub(1) as f64 / self.fps;
        if secs > 0.0 {
            self.lap().position.length() / secs
        } else {
            0.0
        }
    }

    /// Takes the path out of a root joint: what remains is the pelvis as seen
    /// from the place on the ground.
    #[must_use]
    pub fn remove(&self, time_secs: f64, root: Transform) -> Transform {
        // The path is flat, so the height stays with the pelvis.
        let mut ground_from_root = self.at(time_secs).transform().inverse() * root;
        ground_from_root.translation.y -= self.ground_m;
        ground_from_root
    }
}

/// The pelvis projected to the ground, headings without jumps of a turn.
pub(super) fn raw_path(clip: &RawClip, rest: Quat) -> Vec<Planar> {
    let roots = (0..clip.frames()).map(|frame| root_transform(clip, frame, rest));
    ground_path(roots, rest)
}

/// The same for the root joint of frame after frame.
pub(super) fn ground_path(roots: impl Iterator<Item = Transform>, rest: Quat) -> Vec<Planar> {
    let mut path: Vec<Planar> = Vec::with_capacity(roots.size_hint().0);
    for mut root in roots {
        // A rig may rest with its root turned. What counts is the turn since.
        root.rotation *= rest.conjugate();
        let mut planar = Planar::of(root);
        if let Some(before) = path.last() {
            // Each to the one before. Half a turn within a frame could be
            // either way; no body turns that fast.
            planar.heading = unwrap_angle(planar.heading, before.heading);
        }
        path.push(planar);
    }
    path
}

/// The root joint in one frame.
fn root_transform(clip: &RawClip, frame: usize, rest: Quat) -> Transform {
    let rotation = match clip.animated.first() {
        Some(0) => clip.frame_rotations(frame)[0],
        _ => rest,
    };
    Transform::new(rotation, clip.root_translations[frame])
}

/// `angle` plus the whole turns that bring it nearest to `reference`.
#[must_use]
pub fn unwrap_angle(angle: f64, reference: f64) -> f64 {
    reference + (angle - reference + PI).rem_euclid(TAU) - PI
}

fn interpolate(path: &[Planar], position: f64) -> Planar {
    let last = path.len().saturating_sub(1);
    let position = position.clamp(0.0, last as f64);
    // The last frame is the end of the last segment, not the start of one that
    // does not exist.
    let base = (position as usize).min(last.saturating_sub(1));
    match path.get(base..) {
        Some([a, b, ..]) => a.lerp(*b, position - base as f64),
        Some([only]) => *only,
        _ => Planar::IDENTITY,
    }
}

/// Mean place over `half` frames to either side. A loop goes on past its ends
/// by whole laps.
fn average(raw: &[Planar], lap: Planar, centre: f64, half: f64, looped: bool) -> Planar {
    if half <= 0.0 {
        return interpolate(raw, centre);
    }
    let frames = (raw.len() - 1) as f64;
    let at = |position: f64| {
        if !looped || (0.0..=frames).contains(&position) {
            return interpolate(raw, position);
        }
        // `first⁻¹ · place` is the way inside the lap.
        let (first, laps) = (raw[0], (position / frames).floor());
        let inside = first.until(interpolate(raw, position - laps * frames));
        // Lap after lap, not one lap times their number: where a lap turns, the
        // next one leads elsewhere.
        let whole = (0..laps.abs() as usize).fold(Planar::IDENTITY, |sum, _| {
            sum.then(if laps > 0.0 { lap } else { lap.inverse() })
        });
        first.then(whole).then(inside)
    };
    let mut sum = Planar::IDENTITY;
    for i in 0..=WINDOW_SAMPLES {
        let fraction = i as f64 / WINDOW_SAMPLES as f64;
        // The trapezoid rule: over a whole cycle both ends are one moment and
        // must count once.
        let ends = i == 0 || i == WINDOW_SAMPLES;
        let weight = if ends { 0.5 } else { 1.0 } / WINDOW_SAMPLES as f64;
        let sample = at(centre + half * (2.0 * fraction - 1.0)).scaled(weight);
        sum.position += sample.position;
        sum.heading += sample.heading;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks along +X at 2 m/s with a sway of 5 cm and a pelvis that swings
    /// 0.1 rad, one cycle a second, three seconds.
    fn swaying() -> RawClip {
        let t = |i: usize| i as f64 / 60.0;
        let sway = |i: usize| (TAU * t(i)).sin();
        RawClip {
            fps: 60.0,
            joints: 1,
            animated: vec![0],
            rotations: (0..=180)
                .map(|i| Quat::from_rotation_y((PI / 2.0 + 0.1 * sway(i)) as f32))
                .collect(),
            root_translations: (0..=180)
                .map(|i| Vec3::new(2.0 * t(i) as f32, 1.0, 0.05 * sway(i) as f32))
                .collect(),
            ..RawClip::default()
        }
    }

    #[test]
    fn one_cycle_of_averaging_leaves_an_even_straight_walk() {
        let root = RootMotion::extract(&swaying(), Quat::IDENTITY, PathFilter::Loop(1.0));
        for i in 0..=30 {
            let t = f64::from(i) / 10.0;
            let there = root.at(t);
            assert_close!(there.position.x, 2.0 * t, 2e-3, "{there:?}");
            assert!(there.position.y.abs() < 2e-3, "{there:?}");
            assert_close!(there.heading, PI / 2.0, 2e-3, "{there:?}");
        }
        assert_close!(root.speed(), 2.0, 1e-3);
        // As seen from its own heading the walk leads forward.
        let lap = root.lap();
        assert_close!(lap.position, DVec2::new(0.0, 6.0), 2e-2);
    }

    #[test]
    fn path_and_remaining_pelvis_make_the_capture_again() {
        let clip = swaying();
        for filter in [PathFilter::Loop(1.0), PathFilter::Once(0.5)] {
            let root = RootMotion::extract(&clip, Quat::IDENTITY, filter);
            for frame in [0, 17, 90, 180] {
                let time = frame as f64 / 60.0;
                let pelvis = root.remove(time, root_transform(&clip, frame, Quat::IDENTITY));
                let back = root.at(time).transform() * pelvis;
                let captured = clip.root_translations[frame];
                assert_close!(back.position(), captured, 1e-5);
            }
        }
    }

    #[test]
    fn a_path_played_once_meets_the_pelvis_at_both_ends() {
        let clip = swaying();
        let root = RootMotion::extract(&clip, Quat::IDENTITY, PathFilter::Once(0.5));
        let raw = raw_path(&clip, Quat::IDENTITY);
        assert_eq!(root.at(0.0), raw[0]);
        assert_eq!(root.at(3.0), raw[180]);
    }

    #[test]
    fn a_circle_stays_a_circle_across_the_seam() {
        // A quarter of a circle of radius 2 per lap.
        let angle = |i: usize| PI / 2.0 * i as f64 / 120.0;
        let clip = RawClip {
            fps: 60.0,
            joints: 1,
            animated: vec![0],
            rotations: (0..=120)
                .map(|i| Quat::from_rotation_y(angle(i) as f32))
                .collect(),
            root_translations: (0..=120)
                .map(|i| 2.0 * Vec3::new(-angle(i).cos() as f32, 0.0, angle(i).sin() as f32))
                .collect(),
            ..RawClip::default()
        };
        let root = RootMotion::extract(&clip, Quat::IDENTITY, PathFilter::Loop(0.5));
        let radii = [0.0, 0.1, 1.0, 1.9, 2.0].map(|t| root.at(t).position.length());
        for radius in radii {
            assert_close!(radius, radii[2], 1e-3, "{radii:?}");
        }
        assert_close!(root.lap().heading, PI / 2.0, 1e-6);
    }

    #[test]
    fn a_way_there_and_back_is_no_way() {
        let there = Planar {
            position: DVec2::new(1.0, -3.0),
            heading: 2.5,
        };
        let none = there.then(there.inverse());
        assert!(none.position.length() < 1e-12 && none.heading.abs() < 1e-12);
        // A quarter to the left looks along +X.
        let left = Planar {
            position: DVec2::ZERO,
            heading: PI / 2.0,
        };
        assert_close!(left.rotate(DVec2::new(0.0, 1.0)), DVec2::X, 1e-12);
    }
}
