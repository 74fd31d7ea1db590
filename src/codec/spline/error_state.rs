//! Source and decoded motion through the hierarchy, track by track.

use glam::{Quat, Vec3A, Vec4};

use super::{
    budget::Budget,
    fit::{TrackFitter, TrackTarget},
    tolerance::{RotationTarget, RotationTolerance, TranslationTolerance},
};
use crate::{
    codec::{
        CompressError, Stop,
        keys::{TrackKind, source::SourceTrack},
        metric::BALL_RADIUS_M,
    },
    math::{Transform, quat::align_sign},
    skeleton::{NO_PARENT, Skeleton},
};

/// Ancestors leave at least this part of an allowance, where grids are chosen.
const LEAST_LEFT: f32 = 0.02;

/// One track in the order of fitting: joints ascending, and of a joint first
/// what moves it, then its rotation, then the stretch of its bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FitStep {
    pub joint: usize,
    /// Index among the source's tracks; `None` for a joint that stands still.
    pub track: Option<usize>,
    pub kind: TrackKind,
}

impl FitStep {
    /// A stretch moves only what hangs on the bone.
    pub fn moves_own_points(&self) -> bool {
        self.kind != TrackKind::Stretch
    }

    pub fn is_root_translation(&self) -> bool {
        self.kind == TrackKind::RootTranslation
    }
}

/// The motion of one chunk. Tables are joint after joint, frame after frame.
pub(super) struct ErrorState<'a> {
    skeleton: &'a Skeleton,
    tracks: &'a [SourceTrack],
    steps: Vec<FitStep>,
    /// Joints below each joint.
    descendants: Vec<Vec<usize>>,
    /// `model_from_joint` of the source.
    source: Vec<Vec<Transform>>,
    /// `model_from_joint` as the runtime will have it; of joints not fitted
    /// yet, what they are with their own tracks as in the source.
    decoded: Vec<Vec<Transform>>,
    /// `parent_from_joint` translations as decoded so far.
    offsets: Vec<Vec<Vec3A>>,
}

impl<'a> ErrorState<'a> {
    /// Computes the source's motion in object space.
    pub fn new(skeleton: &'a Skeleton, tracks: &'a [SourceTrack]) -> Self {
        let mut state = Self {
            skeleton,
            tracks,
            steps: steps(skeleton.len(), tracks),
            descendants: descendants(skeleton),
            source: Vec::new(),
            decoded: Vec::new(),
            offsets: offsets(skeleton, tracks),
        };
        // Parents come before children, so their transforms are there.
        for joint in 0..skeleton.len() {
            let rotation = state.step_of_rotation(joint).track;
            let transforms = (0..state.frames()).map(|frame| {
                let rotation = match rotation {
                    Some(track) => Quat::from_vec4(tracks[track].samples[frame]),
                    None => skeleton.rest().joints()[joint].rotation,
                };
                let local = Transform::new(rotation, state.offsets[joint][frame]);
                match skeleton.parents()[joint] {
                    NO_PARENT => local,
                    parent => state.source[usize::from(parent)][frame] * local,
                }
            });
            let transforms = transforms.collect();
            state.source.push(transforms);
        }
        state.decoded = state.source.clone();
        state
    }

    fn frames(&self) -> usize {
        self.tracks[0].samples.len()
    }

    fn step_of_rotation(&self, joint: usize) -> FitStep {
        let rotation = |step: &&FitStep| step.joint == joint && step.kind == TrackKind::Rotation;
        let still = FitStep {
            joint,
            track: None,
            kind: TrackKind::Rotation,
        };
        self.steps.iter().find(rotation).copied().unwrap_or(still)
    }

    /// Fits all tracks; keys come in the order of the source's tracks.
    pub fn fit<F: TrackFitter>(
        mut self,
        tolerance_m: f32,
        fitter: &F,
        stop: Stop<'_>,
    ) -> Result<Vec<F::Keys>, CompressError> {
        let steps = self.steps.clone();
        let roughness: Vec<f32> = steps.iter().map(|step| self.roughness(step)).collect();
        let budget = Budget::new(self.skeleton.parents(), &steps, &roughness);
        let mut keys: Vec<Option<F::Keys>> = self.tracks.iter().map(|_| None).collect();
        // Each is fitted against what those before it will decode to.
        for (index, step) in steps.iter().enumerate() {
            stop.check()?;
            let allowance = |joint: usize| tolerance_m * budget.allowance(index, joint);
            match (step.kind, step.track) {
                // Also without a track: its children hang on where it is.
                (TrackKind::Rotation, track) => {
                    self.update_decoded(step.joint);
                    let Some(track) = track else { continue };
                    keys[track] = Some(self.fit_rotation(step.joint, track, &allowance, fitter));
                }
                (_, Some(track)) => {
                    keys[track] = Some(self.fit_translation(*step, track, &allowance, fitter));
                }
                (_, None) => {}
            }
        }
        Ok(keys.into_iter().flatten().collect())
    }

    /// How far a track's points leave a straight course from frame to frame,
    /// in metres on average.
    fn roughness(&self, step: &FitStep) -> f32 {
        let Some(track) = step.track.map(|track| &self.tracks[track]) else {
            return 0.0;
        };
        if track.is_constant() {
            return 0.0;
        }
        // The second difference: what a straight line between neighbours
        // leaves, and so what makes a track want keys.
        let bends = track
            .samples
            .windows(3)
            .map(|w| (w[0] - 2.0 * w[1] + w[2]).length());
        let mean = bends.sum::<f32>() / track.samples.len() as f32;
        mean * self.reach_m(step)
    }

    fn reach_m(&self, step: &FitStep) -> f32 {
        if step.kind != TrackKind::Rotation {
            // Half, as a rotation by an angle changes a quaternion by half of it.
            return 0.5;
        }
        let position = |joint: usize| self.source[joint][0].translation;
        let descendants = self.descendants[step.joint].iter();
        // In the first frame: reaches change little, and only weights hang on
        // it.
        let distances = descendants.map(|&other| (position(other) - position(step.joint)).length());
        distances.fold(0.0, f32::max) + BALL_RADIUS_M
    }

    /// Decoded rotation of a joint's parent.
    fn parent_rotation(&self, joint: usize, frame: usize) -> Quat {
        match self.skeleton.parents()[joint] {
            NO_PARENT => Quat::IDENTITY,
            parent => self.decoded[usize::from(parent)][frame].rotation,
        }
    }

    /// Puts a joint where its parent's decoded motion takes it, with its own
    /// rotation as in the source.
    fn update_decoded(&mut self, joint: usize) {
        let rotation = self.step_of_rotation(joint).track;
        for frame in 0..self.frames() {
            let rotation = match rotation {
                Some(track) => Quat::from_vec4(self.tracks[track].samples[frame]),
                None => self.skeleton.rest().joints()[joint].rotation,
            };
            let local = Transform::new(rotation, self.offsets[joint][frame]);
            self.decoded[joint][frame] = match self.skeleton.parents()[joint] {
                NO_PARENT => local,
                parent => self.decoded[usize::from(parent)][frame] * local,
            };
        }
    }

    fn fit_rotation<F: TrackFitter>(
        &mut self,
        joint: usize,
        track: usize,
        allowance_m: &dyn Fn(usize) -> f32,
        fitter: &F,
    ) -> F::Keys {
        let descendants = &self.descendants[joint];
        let descendants_m: Vec<f32> = descendants
            .iter()
            .map(|&other| allowance_m(other))
            .collect();
        let mut tolerance =
            RotationTolerance::new(self.frames(), allowance_m(joint), &descendants_m);
        let mut values: Vec<Vec4> = Vec::with_capacity(self.frames());
        let mut points = Vec::with_capacity(descendants.len());
        for frame in 0..self.frames() {
            // The ancestors' errors are settled by now. Aiming at the source's
            // orientation in model space, not at its local rotation, ends the
            // errors of rotation here instead of handing them on.
            let parent_from_model = self.parent_rotation(joint, frame).conjugate();
            let source = self.source[joint][frame];
            let offset = self.decoded[joint][frame].translation - source.translation;
            let target = RotationTarget {
                rotation: (parent_from_model * source.rotation).normalize(),
                offset: parent_from_model * offset,
            };
            points.clear();
            points.extend(descendants.iter().map(|&other| {
                parent_from_model * (self.source[other][frame].translation - source.translation)
            }));
            // q and −q are one rotation; neighbours shall have one sign.
            let before = values.last().unwrap_or(&self.tracks[track].samples[0]);
            values.push(align_sign(target.rotation, Quat::from_vec4(*before)).into());
            tolerance.push(target, &points);
        }
        // What ancestors have left over where they are off most.
        let off_m = self.largest_offset_m(joint);
        let at = |joint: usize| self.source[joint][0].translation;
        let left = |m: f32| (m - off_m).max(LEAST_LEFT * m);
        let angles = descendants.iter().zip(&descendants_m);
        let angles =
            angles.map(|(&other, &m)| left(m) / (at(other).distance(at(joint)) + BALL_RADIUS_M));
        let allowance = angles.fold(left(allowance_m(joint)) / BALL_RADIUS_M, f32::min);
        let target = TrackTarget {
            track: &self.tracks[track],
            values: &values,
            allowance,
        };
        let (keys, curve) = fitter.fit(&target, &tolerance);
        for (frame, value) in curve.into_iter().enumerate() {
            self.decoded[joint][frame].rotation =
                self.parent_rotation(joint, frame) * Quat::from_vec4(value);
        }
        keys
    }

    fn largest_offset_m(&self, joint: usize) -> f32 {
        let frames = self.decoded[joint].iter().zip(&self.source[joint]);
        let offsets = frames.map(|(a, b)| a.translation.distance(b.translation));
        offsets.fold(0.0, f32::max)
    }

    fn fit_translation<F: TrackFitter>(
        &mut self,
        step: FitStep,
        track: usize,
        allowance_m: &dyn Fn(usize) -> f32,
        fitter: &F,
    ) -> F::Keys {
        let samples = &self.tracks[track].samples;
        let tolerance = self.translation_tolerance(step, samples, allowance_m);
        let scales = tolerance.scales.iter().copied();
        let target = TrackTarget {
            track: &self.tracks[track],
            values: samples,
            allowance: 1.0 / scales.fold(f32::MIN_POSITIVE, f32::max),
        };
        let (keys, curve) = fitter.fit(&target, &tolerance);
        for (frame, value) in curve.into_iter().enumerate() {
            // The decoded offset, for all that is fitted later.
            let change = tolerance.displacement(value) - tolerance.source[frame];
            if step.kind == TrackKind::Stretch {
                for child in self.skeleton.children(step.joint as u16) {
                    self.offsets[usize::from(child)][frame] += change;
                }
            } else {
                self.offsets[step.joint][frame] += change;
            }
        }
        keys
    }

    fn translation_tolerance(
        &mut self,
        step: FitStep,
        samples: &[Vec4],
        allowance_m: &dyn Fn(usize) -> f32,
    ) -> TranslationTolerance {
        let joint = step.joint;
        let is_stretch = step.kind == TrackKind::Stretch;
        if !is_stretch {
            self.update_decoded(joint);
        }
        let tip = Vec3A::from(self.skeleton.joints()[joint].tip).normalize_or_zero();
        let mut tolerance = TranslationTolerance {
            // A stretch moves what hangs on the bone, along the bone.
            direction: is_stretch.then_some(tip),
            source: Vec::new(),
            model_from_value: Vec::new(),
            base: Vec::new(),
            swing_m: Vec::new(),
            scales: Vec::new(),
        };
        tolerance.source = samples
            .iter()
            .map(|&value| tolerance.displacement(value))
            .collect();
        let mut points = self.descendants[joint].clone();
        if !is_stretch {
            points.push(joint);
        }
        if step.is_root_translation() {
            // Nothing errs yet and all move alike: the strictest point decides.
            let strictest = |a: &usize, b: &usize| allowance_m(*a).total_cmp(&allowance_m(*b));
            points = points.into_iter().min_by(strictest).into_iter().collect();
        }
        tolerance.scales = points
            .iter()
            .map(|&point| 1.0 / allowance_m(point))
            .collect();
        for frame in 0..self.frames() {
            let source = self.source[joint][frame];
            let (decoded, model_from_value) = if is_stretch {
                (
                    self.decoded[joint][frame],
                    self.decoded[joint][frame].rotation,
                )
            } else {
                (
                    self.decoded[joint][frame],
                    self.parent_rotation(joint, frame),
                )
            };
            // Descendants rotate rigidly with the joint.
            let rotation = (decoded.rotation * source.rotation.conjugate()).normalize();
            // Where each point already errs: by the joint's offset, and by its
            // own swing about the joint.
            let base = points.iter().map(|&point| {
                let out = self.source[point][frame].translation - source.translation;
                decoded.translation - source.translation + (rotation * out - out)
            });
            tolerance.base.extend(base);
            tolerance
                .swing_m
                .push(Vec3A::from(rotation.xyz()) * (2.0 * BALL_RADIUS_M));
            tolerance.model_from_value.push(model_from_value);
        }
        tolerance
    }
}

fn steps(joints: usize, tracks: &[SourceTrack]) -> Vec<FitStep> {
    let of_joint = |joint: usize, kinds: &'static [TrackKind]| {
        let numbered = tracks.iter().enumerate();
        numbered.filter_map(move |(index, track)| {
            let fits = usize::from(track.joint) == joint && kinds.contains(&track.kind);
            fits.then_some(FitStep {
                joint,
                track: Some(index),
                kind: track.kind,
            })
        })
    };
    let mut steps = Vec::new();
    for joint in 0..joints {
        let moves = &[TrackKind::RootTranslation, TrackKind::Translation];
        steps.extend(of_joint(joint, moves));
        let before = steps.len();
        steps.extend(of_joint(joint, &[TrackKind::Rotation]));
        if steps.len() == before {
            steps.push(FitStep {
                joint,
                track: None,
                kind: TrackKind::Rotation,
            });
        }
        steps.extend(of_joint(joint, &[TrackKind::Stretch]));
    }
    steps
}

/// Number of pairs of a joint and one below it.
pub(super) fn pairs(skeleton: &Skeleton) -> usize {
    let mut above = vec![0usize; skeleton.len()];
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        if parent != NO_PARENT {
            above[joint] = above[usize::from(parent)] + 1;
        }
    }
    above.into_iter().sum()
}

fn descendants(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut descendants = vec![Vec::new(); skeleton.len()];
    for joint in 0..skeleton.len() {
        // Every joint is entered at all of its ancestors, so lists ascend.
        let mut above = skeleton.parents()[joint];
        while above != NO_PARENT {
            descendants[usize::from(above)].push(joint);
            above = skeleton.parents()[usize::from(above)];
        }
    }
    descendants
}

/// `parent_from_joint` translations of the source.
fn offsets(skeleton: &Skeleton, tracks: &[SourceTrack]) -> Vec<Vec<Vec3A>> {
    let frames = tracks[0].samples.len();
    let rest = skeleton.rest().joints().iter();
    let mut offsets: Vec<Vec<Vec3A>> = rest.map(|rest| vec![rest.translation; frames]).collect();
    let vector = |value: &Vec4| Vec3A::from(value.truncate());
    for track in tracks {
        let joint = usize::from(track.joint);
        match track.kind {
            TrackKind::Rotation | TrackKind::Scale | TrackKind::Morph => {}
            TrackKind::RootTranslation => {
                offsets[0] = track.samples.iter().map(vector).collect();
            }
            TrackKind::Translation => {
                let translations = track.samples.iter().map(vector);
                offsets[joint]
                    .iter_mut()
                    .zip(translations)
                    .for_each(|(at, by)| *at += by);
            }
            TrackKind::Stretch => {
                let tip = Vec3A::from(skeleton.joints()[joint].tip).normalize_or_zero();
                for child in skeleton.children(track.joint) {
                    let lengths = track.samples.iter().map(|value| tip * value.x);
                    let child = offsets[usize::from(child)].iter_mut();
                    child.zip(lengths).for_each(|(at, by)| *at += by);
                }
            }
        }
    }
    offsets
}
