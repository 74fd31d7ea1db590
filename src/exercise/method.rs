//! The five methods, frame by frame.

use glam::{DQuat, DVec4};

use super::{
    ChannelMotion,
    bezier::{Mix, control_points, de_casteljau},
    rotation::BoneAngles,
};

/// How the frames between two keys come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// Each angle straight from key to key.
    LinearEuler,
    /// Each angle by a Bézier curve.
    BezierEuler,
    /// Quaternions along the great circle.
    Slerp,
    /// Quaternions by a Bézier curve on the sphere.
    BezierSlerp,
    /// Quaternions by Catmull-Rom, their four numbers normalised.
    CatmullRom,
}

impl Method {
    /// In the order that courses teach them.
    pub const ALL: [Self; 5] = [
        Self::LinearEuler,
        Self::BezierEuler,
        Self::Slerp,
        Self::BezierSlerp,
        Self::CatmullRom,
    ];

    /// For people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::LinearEuler => "linear Euler",
            Self::BezierEuler => "Bézier Euler",
            Self::Slerp => "SLERP",
            Self::BezierSlerp => "Bézier SLERP",
            Self::CatmullRom => "Catmull-Rom",
        }
    }

    fn by_quaternions(self) -> bool {
        matches!(self, Self::Slerp | Self::BezierSlerp | Self::CatmullRom)
    }
}

/// The last frame that is kept; those after it are copied.
#[must_use]
pub fn last_key(frames: usize, every: usize) -> usize {
    frames.saturating_sub(1) / every.max(1) * every.max(1)
}

/// The motion with frames 0, `every`, 2 · `every` … kept, the tail copied and
/// the rest interpolated. Lengths and translations take the method's way for
/// numbers, be the angles made of quaternions or not.
#[must_use]
pub fn interpolate(motion: &ChannelMotion, every: usize, method: Method) -> ChannelMotion {
    let every = every.max(1);
    let mut made = motion.clone();
    for bone in &motion.bones {
        let angles = BoneAngles::of(&bone.dofs).filter(|_| method.by_quaternions());
        let quaternions: Vec<usize> = angles.iter().flat_map(BoneAngles::columns).collect();
        let numbers = (0..bone.dofs.len()).filter(|column| !quaternions.contains(column));
        for column in numbers.map(|column| bone.first + column) {
            let keys = keyed(motion, every, |values| values[column]);
            each_between(motion, every, |frame, n, t| {
                made.frame_mut(frame)[column] = number_between(&keys, n, t, method);
            });
        }
        if let Some(angles) = angles {
            let columns = bone.first..bone.first + bone.dofs.len();
            let keys = keyed(motion, every, |values| {
                angles.rotation(&values[columns.clone()])
            });
            let curve = RotationCurve::new(keys, method);
            each_between(motion, every, |frame, n, t| {
                // Near the frame before, so that curves run on without jumps.
                let before = made.frame(frame - 1)[columns.clone()].to_vec();
                let values = &mut made.frame_mut(frame)[columns.clone()];
                angles.write(curve.at(n, t), &before, values);
            });
        }
    }
    made
}

fn keyed<P>(motion: &ChannelMotion, every: usize, of: impl Fn(&[f64]) -> P) -> Vec<P> {
    let frames = (0..=last_key(motion.frames(), every)).step_by(every);
    frames.map(|frame| of(motion.frame(frame))).collect()
}

/// Frames between keys, with the key before and the share of the way on.
fn each_between(motion: &ChannelMotion, every: usize, mut at: impl FnMut(usize, usize, f64)) {
    for frame in 0..last_key(motion.frames(), every) {
        let (n, part) = (frame / every, frame % every);
        if part > 0 {
            at(frame, n, part as f64 / every as f64);
        }
    }
}

fn number_between(keys: &[f64], n: usize, t: f64, method: Method) -> f64 {
    match method {
        Method::LinearEuler | Method::Slerp => keys[n].mix(keys[n + 1], t),
        Method::CatmullRom => {
            let weights = catmull_rom_weights(t);
            let points = around(keys.len(), n).map(|key| keys[key]);
            points.iter().zip(weights).map(|(p, w)| p * w).sum()
        }
        Method::BezierEuler | Method::BezierSlerp => {
            // Four keys settle a segment: no need to keep a list of controls.
            let first = n.saturating_sub(1);
            let last = (n + 3).min(keys.len());
            let (few, n) = (&keys[first..last], n - first);
            let controls = control_points(few);
            de_casteljau([few[n], controls[n][1], controls[n + 1][0], few[n + 1]], t)
        }
    }
}

/// The keys around segment `n`; beyond an end the end stands in.
fn around(keys: usize, n: usize) -> [usize; 4] {
    [n.saturating_sub(1), n, n + 1, (n + 2).min(keys - 1)]
}

/// As `math::spline` has them, in double precision.
fn catmull_rom_weights(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        0.5 * (2.0 * t2 - t3 - t),
        0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
        0.5 * (4.0 * t2 - 3.0 * t3 + t),
        0.5 * (t3 - t2),
    ]
}

/// A curve of rotations through keys.
struct RotationCurve {
    keys: Vec<DQuat>,
    controls: Vec<[DQuat; 2]>,
    method: Method,
}

impl RotationCurve {
    fn new(mut keys: Vec<DQuat>, method: Method) -> Self {
        // q and −q are one rotation: neighbours in one half of the sphere make
        // every way between them the short one.
        for n in 1..keys.len() {
            if keys[n].dot(keys[n - 1]) < 0.0 {
                keys[n] = -keys[n];
            }
        }
        let controls = match method {
            Method::BezierSlerp => control_points(&keys),
            _ => Vec::new(),
        };
        Self {
            keys,
            controls,
            method,
        }
    }

    fn at(&self, n: usize, t: f64) -> DQuat {
        let keys = &self.keys;
        match self.method {
            Method::BezierSlerp => {
                let [_, leaves] = self.controls[n];
                let [arrives, _] = self.controls[n + 1];
                de_casteljau([keys[n], leaves, arrives, keys[n + 1]], t)
            }
            Method::CatmullRom => {
                let points = around(keys.len(), n).map(|key| DVec4::from(keys[key]));
                let terms = points.into_iter().zip(catmull_rom_weights(t));
                let sum: DVec4 = terms.map(|(point, weight)| point * weight).sum();
                DQuat::from_vec4(sum.normalize_or(keys[n].into()))
            }
            _ => keys[n].mix(keys[n + 1], t),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exercise::ChannelBone,
        math::{Axis, Dof},
    };

    fn motion(frames: usize, value: impl Fn(usize, usize) -> f64) -> ChannelMotion {
        let dofs = [Axis::X, Axis::Y, Axis::Z].map(Dof::Rotate);
        let mut dofs = dofs.to_vec();
        dofs.push(Dof::Translate(Axis::Y));
        let bones = vec![ChannelBone {
            name: "root".into(),
            dofs,
            first: 0,
        }];
        let mut motion = ChannelMotion::new("one", bones, 120.0);
        for frame in 0..frames {
            let values: Vec<f64> = (0..4).map(|column| value(frame, column)).collect();
            motion.push(&values);
        }
        motion
    }

    #[test]
    fn keys_and_tail_stay_what_they_were() {
        let wild = motion(48, |frame, column| ((frame * 7 + column * 3) % 40) as f64);
        for method in Method::ALL {
            let made = interpolate(&wild, 10, method);
            let kept = (0..=40).step_by(10).chain(41..48);
            for frame in kept {
                assert_eq!(made.frame(frame), wild.frame(frame), "{method:?} {frame}");
            }
            assert_eq!(interpolate(&wild, 1, method), wild, "{method:?}");
            assert_eq!(interpolate(&wild, 100, method), wild, "{method:?}");
        }
    }

    /// A turn about one axis and a way at even speed: every method is exact.
    #[test]
    fn even_motion_is_found_again_by_all() {
        let even = motion(41, |frame, column| match column {
            1 => 2.0 * frame as f64 - 30.0,
            3 => 0.5 * frame as f64,
            _ => 0.0,
        });
        for method in Method::ALL {
            let made = interpolate(&even, 8, method);
            // Catmull-Rom stands its ends in for the keys beyond them, and on
            // quaternions runs unevenly: its ends and its sphere are not exact.
            // Béziers leave their first key and reach their last one at rest:
            // the neighbour that is missing there is mirrored onto the key.
            let (frames, most) = match method {
                Method::CatmullRom => (9..32, 2e-2),
                Method::BezierEuler | Method::BezierSlerp => (8..33, 1e-6),
                _ => (0..41, 1e-9),
            };
            for frame in frames {
                for column in 0..4 {
                    let (found, due) = (made.frame(frame)[column], even.frame(frame)[column]);
                    assert_close!(found, due, most, "{method:?} {frame} {column}");
                }
            }
        }
    }

    /// From 170° on to −170°: numbers go the long way, quaternions the short.
    #[test]
    fn over_the_seam_of_180_degrees() {
        let seam = motion(11, |frame, column| match (column, frame) {
            (1, 10) => -170.0,
            (1, _) => 170.0,
            _ => 0.0,
        });
        let middle = |method| interpolate(&seam, 10, method).frame(5)[1];
        assert_close!(middle(Method::LinearEuler), 0.0, 1e-9);
        assert_close!(middle(Method::Slerp), 180.0, 1e-9);
    }
}
