//! A stretch of any clip, played as a loop that closes.

use std::{ops::RangeInclusive, sync::Arc};

use glam::{Quat, Vec3};

use super::{ClipCursor, ClipShape, Planar, SampleClip, root_motion};
use crate::{
    math::{Transform, quat},
    skeleton::{LocalPose, Skeleton},
};

/// Some frames of a clip, last pose equal to the first up to the way travelled.
/// Poses come from the clip itself, so a compressed one stays compressed.
#[derive(Clone, Debug)]
pub struct LoopedClip {
    source: Arc<dyn SampleClip>,
    first: usize,
    last: usize,
    seam: Seam,
}

/// What a loop lacks at its end, to be added as a growing fraction.
#[derive(Clone, Debug)]
struct Seam {
    /// Rotation vectors in the parent's space; joints that lack none left out.
    rotations: Vec<(usize, Vec3)>,
    /// Metres; likewise. The root has corrections of its own.
    translations: Vec<(usize, Vec3)>,
    /// Of every joint, or empty.
    scales: Vec<Vec3>,
    /// Of every target, or empty.
    morphs: Vec<f32>,
    /// One for each frame.
    root: Vec<RootCorrection>,
}

/// What is added to the root joint: its rotation is turned in the world, its
/// translation moved. Both apart, so that frames far from the origin lose
/// nothing between one frame and the next.
#[derive(Clone, Copy, Debug)]
struct RootCorrection {
    rotation: Quat,
    offset: Vec3,
}

/// Radians of turn in a loop that are no intention.
const STRAIGHT_RAD: f64 = 0.15;

impl LoopedClip {
    /// Closes the loop between two frames of a clip.
    #[must_use]
    pub fn new(
        skeleton: &Skeleton,
        source: Arc<dyn SampleClip>,
        frames: RangeInclusive<usize>,
    ) -> Self {
        let (first, last) = frames.into_inner();
        let seam = Seam::of(skeleton, &*source, first, last.max(first));
        Self {
            source,
            first,
            last: last.max(first),
            seam,
        }
    }
}

impl SampleClip for LoopedClip {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.last - self.first + 1,
            ..self.source.shape()
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        // In this order a time that is no number becomes 0.
        let time_secs = time_secs.max(0.0).min(self.duration_secs());
        let start_secs = self.first as f64 / self.fps();
        self.source
            .sample(skeleton, start_secs + time_secs, cursor, pose);
        self.seam.apply(time_secs * self.fps(), pose);
    }
}

impl Seam {
    fn of(skeleton: &Skeleton, source: &dyn SampleClip, first: usize, last: usize) -> Self {
        let mut cursor = ClipCursor::default();
        let mut sample = |frame: usize, pose: &mut LocalPose| {
            source.sample(skeleton, frame as f64 / source.fps(), &mut cursor, pose);
        };
        let [mut start, mut pose] = [LocalPose::default(), LocalPose::default()];
        sample(first, &mut start);
        let roots: Vec<Transform> = (first..=last)
            .map(|frame| {
                sample(frame, &mut pose);
                pose.joints()[0]
            })
            .collect();
        let end = pose;
        let scales = 0..start.scales().len().max(end.scales().len());
        let morphs = 0..start.morphs().len().max(end.morphs().len());
        Self {
            rotations: lacking(&start, &end, |start, end| {
                quat::log(start.rotation * end.rotation.conjugate())
            }),
            translations: lacking(&start, &end, |start, end| start.position() - end.position()),
            scales: scales.map(|i| start.scale(i) - end.scale(i)).collect(),
            morphs: morphs.map(|i| start.morph(i) - end.morph(i)).collect(),
            root: root_corrections(&roots, skeleton.root_rest()),
        }
    }

    fn apply(&self, position: f64, pose: &mut LocalPose) {
        let last = self.root.len() - 1;
        let fraction = (position / last.max(1) as f64) as f32;
        let joints = pose.joints_mut();
        for &(joint, lacking) in &self.rotations {
            let rotation = &mut joints[joint].rotation;
            // On the left, in the parent's axes, where it was measured: at the
            // last frame the product is the first one.
            *rotation = (quat::exp(lacking * fraction) * *rotation).normalize();
        }
        for &(joint, lacking) in &self.translations {
            joints[joint].translation += glam::Vec3A::from(lacking * fraction);
        }
        self.correct_root(position, &mut joints[0]);
        // A pose in between may have fewer than its clip's ends, never more.
        let scale = |joint: usize| self.scales.get(joint).copied().unwrap_or_default();
        pose.change_scales(self.scales.len(), |joint, own| {
            own + scale(joint) * fraction
        });
        let morph = |morph: usize| self.morphs.get(morph).copied().unwrap_or_default();
        pose.change_morphs(self.morphs.len(), |index, own| {
            own + morph(index) * fraction
        });
    }

    fn correct_root(&self, position: f64, root: &mut Transform) {
        let last = self.root.len() - 1;
        let frame = (position as usize).min(last);
        let (a, b) = (self.root[frame], self.root[(frame + 1).min(last)]);
        let t = (position - frame as f64) as f32;
        let rotation = quat::nlerp(a.rotation, b.rotation, t);
        root.rotation = (rotation * root.rotation).normalize();
        root.translation += glam::Vec3A::from(a.offset.lerp(b.offset, t));
    }
}

/// What joints but the root lack at the end of a loop.
fn lacking(
    start: &LocalPose,
    end: &LocalPose,
    difference: impl Fn(Transform, Transform) -> Vec3,
) -> Vec<(usize, Vec3)> {
    let pairs = start.joints().iter().zip(end.joints()).enumerate().skip(1);
    let all = pairs.map(|(joint, (&start, &end))| (joint, difference(start, end)));
    all.filter(|(_, lacking)| *lacking != Vec3::ZERO).collect()
}

fn root_corrections(roots: &[Transform], rest: Quat) -> Vec<RootCorrection> {
    let path = root_motion::ground_path(roots.iter().copied(), rest);
    let mut closed = closed_roots(roots, &path);
    // Last, because it moves the place on the ground and the body with it: as
    // seen from there, what was closed stays closed.
    straighten(&mut closed, rest);
    let pairs = closed.iter().zip(roots);
    pairs
        .map(|(closed, root)| RootCorrection {
            rotation: (closed.rotation * root.rotation.conjugate()).normalize(),
            offset: closed.position() - root.position(),
        })
        .collect()
}

/// The root closes as seen from its place on the ground: the way stays.
fn closed_roots(roots: &[Transform], path: &[Planar]) -> Vec<Transform> {
    let last = roots.len() - 1;
    let pelvis = |frame: usize| path[frame].transform().inverse() * roots[frame];
    let (start, end) = (pelvis(0), pelvis(last));
    let lacking = quat::log(start.rotation * end.rotation.conjugate());
    let lacking_m = start.position() - end.position();
    let closed = |frame: usize| {
        let fraction = frame as f32 / last.max(1) as f32;
        let old = pelvis(frame);
        let closed = Transform::new(
            quat::exp(lacking * fraction) * old.rotation,
            old.position() + lacking_m * fraction,
        );
        path[frame].transform() * closed
    };
    (0..roots.len()).map(closed).collect()
}

/// A loop that turns a little each time leads in a circle; nobody walks
/// straight in a studio. The turn is taken out step by step, feet included.
fn straighten(roots: &mut [Transform], rest: Quat) {
    let path = root_motion::ground_path(roots.iter().copied(), rest);
    let last = roots.len() - 1;
    let turned = path[last].heading - path[0].heading;
    if turned == 0.0 || turned.abs() > STRAIGHT_RAD {
        return;
    }
    let mut before = roots[0].translation;
    for frame in 1..=last {
        let back = Quat::from_rotation_y((-turned * frame as f64 / last as f64) as f32);
        // Steps are turned, not places: the way keeps its length, and a foot
        // that stands hardly slides.
        let step = roots[frame].translation - before;
        before = roots[frame].translation;
        roots[frame].translation = roots[frame - 1].translation + back * step;
        roots[frame].rotation = (back * roots[frame].rotation).normalize();
    }
}
