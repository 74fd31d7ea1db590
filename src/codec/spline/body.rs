//! Source and decoded motion through the hierarchy, track by track.

use glam::{Quat, Vec3A, Vec4};

use super::{
    Density,
    budget::Budget,
    fit::{Wish, fit},
    judge::{Aim, RotationJudge, ShiftJudge},
    knots::Knots,
};
use crate::{
    codec::{
        CompressError, Stop,
        keys::{TrackKeys, TrackKind, VectorBox, source::SourceTrack},
        metric::POINT_DISTANCE_M,
    },
    math::{Transform, quat::align_sign},
    skeleton::{NO_PARENT, Skeleton},
};

/// One track in the order of fitting: joints ascending, and of a joint first
/// what moves it, then its rotation, then the stretch of its bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub joint: usize,
    /// Index among the source's tracks; `None` for a joint that stands still.
    pub track: Option<usize>,
    pub kind: TrackKind,
}

impl Step {
    /// A stretch moves only what hangs on the bone.
    pub fn moves_own_points(&self) -> bool {
        self.kind != TrackKind::Stretch
    }

    pub fn is_root_translation(&self) -> bool {
        self.kind == TrackKind::RootTranslation
    }
}

/// The motion of one chunk. Tables are joint after joint, frame after frame.
pub(super) struct Body<'a> {
    skeleton: &'a Skeleton,
    tracks: &'a [SourceTrack],
    steps: Vec<Step>,
    /// Joints below each joint.
    carried: Vec<Vec<usize>>,
    /// `model_from_joint` of the source.
    source: Vec<Vec<Transform>>,
    /// `model_from_joint` as the runtime will have it; of joints not fitted
    /// yet, what they are with their own tracks as in the source.
    decoded: Vec<Vec<Transform>>,
    /// `parent_from_joint` translations as decoded so far.
    offsets: Vec<Vec<Vec3A>>,
}

impl<'a> Body<'a> {
    /// Computes the source's motion in object space.
    pub fn new(skeleton: &'a Skeleton, tracks: &'a [SourceTrack]) -> Self {
        let mut body = Self {
            skeleton,
            tracks,
            steps: steps(skeleton.len(), tracks),
            carried: carried(skeleton),
            source: Vec::new(),
            decoded: Vec::new(),
            offsets: offsets(skeleton, tracks),
        };
        for joint in 0..skeleton.len() {
            let rotation = body.step_of_rotation(joint).track;
            let placed = (0..body.frames()).map(|frame| {
                let rotation = match rotation {
                    Some(track) => Quat::from_vec4(tracks[track].samples[frame]),
                    None => skeleton.rest().joints()[joint].rotation,
                };
                let local = Transform::new(rotation, body.offsets[joint][frame]);
                match skeleton.parents()[joint] {
                    NO_PARENT => local,
                    parent => body.source[usize::from(parent)][frame] * local,
                }
            });
            let placed = placed.collect();
            body.source.push(placed);
        }
        body.decoded = body.source.clone();
        body
    }

    fn frames(&self) -> usize {
        self.tracks[0].samples.len()
    }

    fn step_of_rotation(&self, joint: usize) -> Step {
        let rotation = |step: &&Step| step.joint == joint && step.kind == TrackKind::Rotation;
        let still = Step {
            joint,
            track: None,
            kind: TrackKind::Rotation,
        };
        self.steps.iter().find(rotation).copied().unwrap_or(still)
    }

    /// Fits all tracks; keys come in the order of the source's tracks.
    pub fn fit(
        mut self,
        tolerance_m: f32,
        density: Density,
        stop: Stop<'_>,
    ) -> Result<Vec<TrackKeys>, CompressError> {
        let steps = self.steps.clone();
        let restlessness: Vec<f32> = steps.iter().map(|step| self.restlessness(step)).collect();
        let budget = Budget::new(self.skeleton.parents(), &steps, &restlessness);
        let mut keys: Vec<Option<TrackKeys>> = vec![None; self.tracks.len()];
        for (index, step) in steps.iter().enumerate() {
            stop.check()?;
            let allowance = |joint: usize| tolerance_m * budget.allowance(index, joint);
            match (step.kind, step.track) {
                (TrackKind::Rotation, track) => {
                    self.place(step.joint);
                    let Some(track) = track else { continue };
                    let knots = self.fit_rotation(step.joint, track, &allowance, density);
                    keys[track] = Some(knots.to_keys(&self.tracks[track]));
                }
                (_, Some(track)) => {
                    let knots = self.fit_shift(*step, track, &allowance, tolerance_m, density);
                    keys[track] = Some(knots.to_keys(&self.tracks[track]));
                }
                (_, None) => {}
            }
        }
        Ok(keys.into_iter().flatten().collect())
    }

    /// How far a track's points leave a straight course from frame to frame,
    /// in metres on average.
    fn restlessness(&self, step: &Step) -> f32 {
        let Some(track) = step.track.map(|track| &self.tracks[track]) else {
            return 0.0;
        };
        if track.is_constant() {
            return 0.0;
        }
        let bends = track
            .samples
            .windows(3)
            .map(|w| (w[0] - 2.0 * w[1] + w[2]).length());
        let mean = bends.sum::<f32>() / track.samples.len() as f32;
        mean * self.reach_m(step)
    }

    fn reach_m(&self, step: &Step) -> f32 {
        if step.kind != TrackKind::Rotation {
            // Half, as a turn by an angle changes a quaternion by half of it.
            return 0.5;
        }
        let place = |joint: usize| self.source[joint][0].translation;
        let carried = self.carried[step.joint].iter();
        let distances = carried.map(|&other| (place(other) - place(step.joint)).length());
        distances.fold(0.0, f32::max) + POINT_DISTANCE_M
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
    fn place(&mut self, joint: usize) {
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

    fn fit_rotation(
        &mut self,
        joint: usize,
        track: usize,
        allowance_m: &dyn Fn(usize) -> f32,
        density: Density,
    ) -> Knots {
        let carried = &self.carried[joint];
        let carried_m: Vec<f32> = carried.iter().map(|&other| allowance_m(other)).collect();
        let mut judge = RotationJudge::new(self.frames(), allowance_m(joint), &carried_m);
        let mut target: Vec<Vec4> = Vec::with_capacity(self.frames());
        let mut points = Vec::with_capacity(carried.len());
        for frame in 0..self.frames() {
            let parent_from_model = self.parent_rotation(joint, frame).conjugate();
            let source = self.source[joint][frame];
            let shift = self.decoded[joint][frame].translation - source.translation;
            let aim = Aim {
                rotation: (parent_from_model * source.rotation).normalize(),
                shift: parent_from_model * shift,
            };
            points.clear();
            points.extend(carried.iter().map(|&other| {
                parent_from_model * (self.source[other][frame].translation - source.translation)
            }));
            let before = target.last().unwrap_or(&self.tracks[track].samples[0]);
            target.push(align_sign(aim.rotation, Quat::from_vec4(*before)).into());
            judge.push(aim, &points);
        }
        let wish = Wish {
            kind: TrackKind::Rotation,
            grid: VectorBox::default(),
            target: &target,
            still: self.tracks[track].samples[0],
        };
        let knots = fit(&wish, &judge, density);
        for (frame, value) in knots.curve().into_iter().enumerate() {
            self.decoded[joint][frame].rotation =
                self.parent_rotation(joint, frame) * Quat::from_vec4(value);
        }
        knots
    }

    fn fit_shift(
        &mut self,
        step: Step,
        track: usize,
        allowance_m: &dyn Fn(usize) -> f32,
        tolerance_m: f32,
        density: Density,
    ) -> Knots {
        let samples = &self.tracks[track].samples;
        let judge = self.shift_judge(step, samples, allowance_m);
        let wish = Wish {
            kind: step.kind,
            grid: match density {
                Density::Sparse => grid(samples, 4.0 * tolerance_m),
                // The figure promised must not depend on what was asked.
                Density::EveryFrame => grid(samples, 0.0),
            },
            target: samples,
            still: samples[0],
        };
        let knots = fit(&wish, &judge, density);
        for (frame, value) in knots.curve().into_iter().enumerate() {
            let change = judge.displacement(value) - judge.source[frame];
            if step.kind == TrackKind::Stretch {
                for child in self.skeleton.children(step.joint as u16) {
                    self.offsets[usize::from(child)][frame] += change;
                }
            } else {
                self.offsets[step.joint][frame] += change;
            }
        }
        knots
    }

    fn shift_judge(
        &mut self,
        step: Step,
        samples: &[Vec4],
        allowance_m: &dyn Fn(usize) -> f32,
    ) -> ShiftJudge {
        let joint = step.joint;
        let is_stretch = step.kind == TrackKind::Stretch;
        if !is_stretch {
            self.place(joint);
        }
        let tip = Vec3A::from(self.skeleton.joints()[joint].tip).normalize_or_zero();
        let mut judge = ShiftJudge {
            direction: is_stretch.then_some(tip),
            source: Vec::new(),
            turns: Vec::new(),
            base: Vec::new(),
            swing_m: Vec::new(),
            scales: Vec::new(),
        };
        judge.source = samples
            .iter()
            .map(|&value| judge.displacement(value))
            .collect();
        let mut points = self.carried[joint].clone();
        if !is_stretch {
            points.push(joint);
        }
        if step.is_root_translation() {
            // Nothing errs yet and all move alike: the strictest point decides.
            let strictest = |a: &usize, b: &usize| allowance_m(*a).total_cmp(&allowance_m(*b));
            points = points.into_iter().min_by(strictest).into_iter().collect();
        }
        judge.scales = points
            .iter()
            .map(|&point| 1.0 / allowance_m(point))
            .collect();
        for frame in 0..self.frames() {
            let source = self.source[joint][frame];
            let (place, turned) = if is_stretch {
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
            // What is carried turns rigidly with the joint.
            let turn = (place.rotation * source.rotation.conjugate()).normalize();
            let base = points.iter().map(|&point| {
                let out = self.source[point][frame].translation - source.translation;
                place.translation - source.translation + (turn * out - out)
            });
            judge.base.extend(base);
            judge
                .swing_m
                .push(2.0 * POINT_DISTANCE_M * turn.xyz().length());
            judge.turns.push(turned);
        }
        judge
    }
}

fn steps(joints: usize, tracks: &[SourceTrack]) -> Vec<Step> {
    let of_joint = |joint: usize, kinds: &'static [TrackKind]| {
        let numbered = tracks.iter().enumerate();
        numbered.filter_map(move |(index, track)| {
            let fits = usize::from(track.joint) == joint && kinds.contains(&track.kind);
            fits.then_some(Step {
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
            steps.push(Step {
                joint,
                track: None,
                kind: TrackKind::Rotation,
            });
        }
        steps.extend(of_joint(joint, &[TrackKind::Stretch]));
    }
    steps
}

fn carried(skeleton: &Skeleton) -> Vec<Vec<usize>> {
    let mut carried = vec![Vec::new(); skeleton.len()];
    for joint in 0..skeleton.len() {
        let mut above = skeleton.parents()[joint];
        while above != NO_PARENT {
            carried[usize::from(above)].push(joint);
            above = skeleton.parents()[usize::from(above)];
        }
    }
    carried
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
            TrackKind::Rotation => {}
            TrackKind::RootTranslation => {
                offsets[0] = track.samples.iter().map(vector).collect();
            }
            TrackKind::Translation => {
                let shifts = track.samples.iter().map(vector);
                offsets[joint]
                    .iter_mut()
                    .zip(shifts)
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

/// The grid of a track, with room for keys to leave the data.
fn grid(samples: &[Vec4], margin_m: f32) -> VectorBox {
    let low = samples.iter().copied().fold(Vec4::INFINITY, Vec4::min);
    let high = samples.iter().copied().fold(Vec4::NEG_INFINITY, Vec4::max);
    if low == high {
        return VectorBox::around(&[low]);
    }
    let margin = Vec4::splat(margin_m);
    VectorBox::around(&[low - margin, high + margin])
}
