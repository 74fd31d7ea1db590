//! Smooth random motion from a seed, for tests and benchmarks that must run
//! without a capture at hand. Amplitudes and frequencies are those of a body
//! in lively movement; nobody will mistake it for one.

use glam::{Quat, Vec3};

use crate::{
    clip::{RawClip, Track},
    math::Transform,
    skeleton::{Joint, JointIndex, NO_PARENT, Skeleton, SkeletonError},
    testing::Random,
};

/// Joints in a chain that hangs off the root.
const CHAIN: usize = 6;

/// A root with chains of six joints, 20 cm apart.
pub fn skeleton(joints: usize) -> Result<Skeleton, SkeletonError> {
    let joint = |index: usize| {
        let chain = (index.max(1) - 1) / CHAIN;
        let direction = Quat::from_rotation_z(1.2 * chain as f32) * Vec3::Y;
        Joint {
            name: format!("joint{index}"),
            parent: match index {
                0 => NO_PARENT,
                _ if (index - 1).is_multiple_of(CHAIN) => 0,
                _ => (index - 1) as JointIndex,
            },
            rest: Transform::from_translation(if index == 0 {
                Vec3::ZERO
            } else {
                direction * 0.2
            }),
            tip: direction * 0.2,
            axes: Quat::IDENTITY,
            dofs: Vec::new(),
        }
    };
    Skeleton::new("synthetic", (0..joints).map(joint).collect())
}

/// Three sines about a fixed axis each.
struct Wave {
    axis: Vec3,
    /// Amplitude, hertz, phase.
    sines: [[f32; 3]; 3],
}

impl Wave {
    fn new(random: &mut Random, amplitude: f32) -> Self {
        let mut sine = |i: usize| {
            // Each octave half as large: speeds stay alike.
            let size = amplitude / (1 << i) as f32;
            let hertz = random.between(0.2, 1.0) * (1 << i) as f32;
            [
                size * random.between(0.3, 1.0),
                hertz,
                random.between(0.0, 6.0),
            ]
        };
        let sines = [sine(0), sine(1), sine(2)];
        let mut axis = || random.between(-1.0, 1.0);
        let axis = Vec3::new(axis(), axis(), axis()).normalize_or(Vec3::X);
        Self { axis, sines }
    }

    fn at(&self, secs: f32) -> f32 {
        let tau = std::f32::consts::TAU;
        let sines = self.sines.iter();
        sines
            .map(|[a, hertz, phase]| a * (tau * hertz * secs + phase).sin())
            .sum()
    }
}

/// A clip for [`skeleton`] at 120 frames a second: every joint turns, the last
/// one of several stands still, the root walks in a circle.
#[must_use]
pub fn clip(joints: usize, frames: usize, seed: u64) -> RawClip {
    let mut random = Random::new(seed);
    let fps = 120.0;
    let waves: Vec<_> = (0..2 * joints)
        .map(|_| Wave::new(&mut random, 0.45))
        .collect();
    let drift = [0.3, 0.1, 0.7].map(|size| Wave::new(&mut random, size));
    let rotation = |joint: usize, secs: f32| {
        if joint > 0 && joint + 1 == joints {
            return Quat::from_rotation_x(0.4);
        }
        let [a, b] = [&waves[2 * joint], &waves[2 * joint + 1]];
        Quat::from_axis_angle(a.axis, a.at(secs)) * Quat::from_axis_angle(b.axis, b.at(secs))
    };
    let mut clip = RawClip {
        name: format!("synthetic{seed}"),
        fps,
        joints,
        animated: (0..joints as JointIndex).collect(),
        ..RawClip::default()
    };
    for frame in 0..frames {
        let secs = (frame as f64 / fps) as f32;
        clip.rotations
            .extend((0..joints).map(|joint| rotation(joint, secs)));
        let [x, y, z] = [&drift[0], &drift[1], &drift[2]].map(|wave| wave.at(secs));
        let (sin, cos) = (0.4 * secs).sin_cos();
        let walked = Vec3::new(2.0 * cos, 1.0, 2.0 * sin);
        clip.root_translations.push(walked + Vec3::new(x, y, z));
    }
    clip
}

/// The same, with a joint that slides and a bone that stretches besides.
#[must_use]
pub fn clip_with_extras(joints: usize, frames: usize, seed: u64) -> RawClip {
    let mut clip = clip(joints, frames, seed);
    let mut random = Random::new(!seed);
    let (slide, stretch) = (Wave::new(&mut random, 0.1), Wave::new(&mut random, 0.05));
    let joint = (joints / 2) as JointIndex;
    let secs = |frame: usize| (frame as f64 / clip.fps) as f32;
    let values = (0..frames).map(|frame| slide.axis * slide.at(secs(frame)));
    let translations = vec![Track {
        joint,
        values: values.collect(),
    }];
    let values = (0..frames).map(|frame| stretch.at(secs(frame)));
    let stretches = vec![Track {
        joint,
        values: values.collect(),
    }];
    clip.translations = translations;
    clip.stretches = stretches;
    clip
}
