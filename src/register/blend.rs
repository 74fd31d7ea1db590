//! A blend of registered motions: a clip like any other.

use std::sync::Arc;

use glam::{DVec3, Quat, Vec3};

use super::{
    RegisterError, Registration, Weights,
    calm::{self, CalmedSpan},
    held_feet::{self, WholeStance},
    slide::slide_m,
};
use crate::{
    clip::{ClipCursor, ClipShape, Planar, SampleClip},
    math::{Transform, ease::smoothstep},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton},
};

/// Motions averaged where they correspond. It goes over the ground at the mean
/// of their speeds, and feet that stand are held.
#[derive(Clone, Debug)]
pub struct Blend {
    registration: Arc<Registration>,
    weights: Weights,
    fps: f64,
    frames: usize,
    /// Seconds of the blend, one a sample of the registration.
    times_secs: Vec<f64>,
    /// The place on the ground, likewise.
    places: Vec<Planar>,
    contacts: Vec<BlendContact>,
    /// What each leg's foot is moved by, frame by frame.
    foot_offsets: Vec<Vec<DVec3>>,
    /// One motion alone is played: it is shown as it was captured.
    pure: bool,
    /// For each motion which joints' rotations change sign.
    mirrored: Vec<Vec<bool>>,
    /// What is played where the average would throw a joint about.
    calmed: Vec<CalmedSpan>,
    /// The same of what is left when feet are held.
    calmed_after: Vec<CalmedSpan>,
}

/// A stance that the blend keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct BlendContact {
    /// Left, then right.
    pub leg: usize,
    /// The ball of the foot.
    pub joint: JointIndex,
    /// From when to when, in the blend's seconds.
    pub span_secs: [f64; 2],
    /// True when every motion has it.
    pub matched: bool,
}

/// Free ends are this long, seconds.
const FREE_END_SECS: f64 = 0.3;

impl Blend {
    /// Blends registered motions.
    pub fn new(registration: &Arc<Registration>, weights: Weights) -> Result<Self, RegisterError> {
        let mut blend = Self::unheld(registration, weights)?;
        blend.calm();
        blend.hold_feet([false; 2]);
        blend.calm_feet();
        Ok(blend)
    }

    /// A blend whose feet are, at its start, its end or both, where its motions
    /// have them: for what is joined to the motions themselves.
    pub(super) fn with_free_ends(
        registration: &Arc<Registration>,
        weights: Weights,
        free: [bool; 2],
    ) -> Result<Self, RegisterError> {
        let mut blend = Self::unheld(registration, weights)?;
        blend.hold_feet(free);
        Ok(blend)
    }

    fn unheld(registration: &Arc<Registration>, weights: Weights) -> Result<Self, RegisterError> {
        let (found, motions) = (weights.motions(), registration.motions.len());
        if found != motions {
            return Err(RegisterError::BadWeights { found, motions });
        }
        let mut blend = Self {
            registration: Arc::clone(registration),
            fps: registration.motions[0].fps,
            frames: 0,
            times_secs: Vec::new(),
            places: Vec::new(),
            contacts: Vec::new(),
            foot_offsets: Vec::new(),
            pure: weights.is_single(),
            mirrored: Vec::new(),
            calmed: Vec::new(),
            calmed_after: Vec::new(),
            weights,
        };
        blend.integrate();
        blend.find_mirrored();
        let secs = blend.times_secs.last().copied().unwrap_or(0.0);
        blend.frames = (secs * blend.fps + 1e-6) as usize + 1;
        Ok(blend)
    }

    /// Finds where it would jerk though its motions do not.
    fn calm(&mut self) {
        if self.pure {
            return;
        }
        let skeleton = &self.registration.skeleton;
        let mut cursor = BlendCursor::default();
        let pose = |frame: usize| {
            let mut pose = LocalPose::default();
            let at = self.segment(frame as f64 / self.fps);
            self.free_pose(skeleton, at, &mut cursor, &mut pose);
            pose
        };
        let poses = (0..self.frames).map(pose).collect();
        let most_mps = self.registration.largest_jumps();
        self.calmed = calm::calmed(skeleton, poses, self.fps, most_mps);
    }

    /// Where holding feet would jerk a leg though no motion does, they are held
    /// less suddenly.
    fn calm_feet(&mut self) {
        if self.pure || self.foot_offsets.is_empty() {
            return;
        }
        let registration = Arc::clone(&self.registration);
        let offsets = std::mem::take(&mut self.foot_offsets);
        self.foot_offsets = calm::calm_feet(
            registration.skeleton(),
            &registration.legs,
            registration.largest_jumps(),
            offsets,
            |offsets| {
                let mut held = self.clone();
                held.foot_offsets = offsets;
                let slide_m = held.slide_m();
                (held, slide_m)
            },
        );
        self.calm_held();
    }

    /// What still jerks when feet are held: a leg that is all but straight bends
    /// faster than its foot moves.
    fn calm_held(&mut self) {
        let registration = Arc::clone(&self.registration);
        let (skeleton, most_mps) = (registration.skeleton(), registration.largest_jumps());
        let mut cursor = ClipCursor::default();
        let pose = |frame: usize| {
            let mut pose = LocalPose::default();
            self.sample(skeleton, frame as f64 / self.fps, &mut cursor, &mut pose);
            pose
        };
        let poses = (0..self.frames).map(pose).collect();
        let calmed = calm::calmed(skeleton, poses, self.fps, most_mps);
        if calmed.is_empty() {
            return;
        }
        let mut calmer = self.clone();
        calmer.calmed_after = calmed;
        if calmer.slide_m() <= calm::MOST_SLIDE_M.max(self.slide_m()) {
            *self = calmer;
        }
    }

    fn hold_feet(&mut self, free: [bool; 2]) {
        (self.contacts, self.foot_offsets) = held_feet::held(self, &self.blended_contacts());
        self.free_ends(free);
    }

    /// Lets what feet are moved by die out towards the ends.
    fn free_ends(&mut self, [start, end]: [bool; 2]) {
        let most = self.times_secs.last().copied().unwrap_or(0.0) / 2.0;
        let fade = FREE_END_SECS.min(most).max(1e-6);
        let (fps, last) = (self.fps, self.frames.saturating_sub(1));
        for offsets in &mut self.foot_offsets {
            for (frame, offset) in offsets.iter_mut().enumerate() {
                let from_start = if start { frame } else { last };
                let from_end = if end { last - frame } else { last };
                let away = from_start.min(from_end) as f64 / fps;
                *offset *= f64::from(smoothstep((away / fade).min(1.0) as f32));
            }
        }
    }

    /// Time and the way over the ground, summed up from what each motion takes
    /// and goes between two samples.
    fn integrate(&mut self) {
        let (curves, places) = (self.registration.curves(), &self.registration.places);
        let samples = places[0].len();
        // In the world of the first motion.
        let (mut secs, mut place) = (0.0, places[0][0]);
        for k in 0..samples {
            self.times_secs.push(secs);
            self.places.push(place);
            if k + 1 == samples {
                break;
            }
            let share = (k as f64 + 0.5) / (samples - 1) as f64;
            let mut step = Planar::IDENTITY;
            for (motion, (curve, places)) in curves.iter().zip(places).enumerate() {
                let weight = self.weights.at(share, motion);
                let times = curve.times_secs();
                secs += weight * (times[k + 1] - times[k]);
                let own = places[k].until(places[k + 1]).scaled(weight);
                step.position += own.position;
                step.heading += own.heading;
            }
            place = place.then(step);
        }
    }

    /// What it is a blend of.
    #[must_use]
    pub fn registration(&self) -> &Arc<Registration> {
        &self.registration
    }

    /// Its weights.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Stances that it keeps, in order of leg and time.
    #[must_use]
    pub fn contacts(&self) -> &[BlendContact] {
        &self.contacts
    }

    /// The reference's time at a time of the blend; the ends hold.
    #[must_use]
    pub fn reference_secs(&self, time_secs: f64) -> f64 {
        let (base, part) = self.segment(time_secs);
        self.reference_of(base, part)
    }

    fn reference_of(&self, base: usize, part: f64) -> f64 {
        let curve = &self.registration.curves()[0];
        curve.range_secs()[0] + (base as f64 + part) * curve.step_secs()
    }

    /// The times of the motions that a time of the blend is made of.
    #[must_use]
    pub fn source_times(&self, time_secs: f64) -> Vec<f64> {
        self.registration.times_at(self.reference_secs(time_secs))
    }

    pub(super) fn segment(&self, time_secs: f64) -> (usize, f64) {
        let times = &self.times_secs;
        // A time that is no number becomes 0.
        let time_secs = time_secs.max(0.0);
        let after = times.partition_point(|&secs| secs <= time_secs);
        let base = after.saturating_sub(1).min(times.len().saturating_sub(2));
        let [from, to] = [base, base + 1].map(|k| times[k.min(times.len() - 1)]);
        let part = ((time_secs - from) / (to - from).max(1e-9)).clamp(0.0, 1.0);
        (base, part)
    }

    /// The common place in a motion's own world, and in the blend's.
    pub(super) fn places_at(&self, motion: usize, (base, part): (usize, f64)) -> [Planar; 2] {
        let own = &self.registration.places[motion];
        [own, &self.places].map(|places| between(places, base, part))
    }

    /// The share of the way at which weights are taken.
    pub(super) fn share(&self, base: usize, part: f64) -> f64 {
        (base as f64 + part) / self.places.len().saturating_sub(1).max(1) as f64
    }

    /// Where a motion has to be put to lie on the blend at a time of it.
    #[must_use]
    pub fn blend_from_motion(&self, motion: usize, time_secs: f64) -> Planar {
        let [own, blended] = self.places_at(motion, self.segment(time_secs));
        blended.then(own.inverse())
    }

    /// The time of the blend at a time of the reference; the ends hold.
    #[must_use]
    pub fn blend_secs(&self, reference_secs: f64) -> f64 {
        let curve = &self.registration.curves()[0];
        let position = (reference_secs - curve.range_secs()[0]) / curve.step_secs();
        let last = self.times_secs.len() - 1;
        let position = position.clamp(0.0, last as f64);
        let (base, part) = (position as usize, position.fract());
        let [from, to] = [base, (base + 1).min(last)].map(|k| self.times_secs[k]);
        from + (to - from) * part
    }

    fn blended_contacts(&self) -> Vec<WholeStance<'_>> {
        let [first, last] = self.registration.range_secs();
        let span = |spans: &[Option<[f64; 2]>]| {
            let starts: Vec<f64> = spans.iter().flatten().map(|span| span[0]).collect();
            starts.iter().sum::<f64>() / starts.len().max(1) as f64
        };
        let contacts = self.registration.contacts().iter().filter_map(|contact| {
            let share = (span(&contact.spans_secs) - first) / (last - first).max(1e-9);
            let [start, end] = contact.blended_secs(&self.weights.all_at(share))?;
            Some(WholeStance {
                contact,
                span_secs: [self.blend_secs(start), self.blend_secs(end)],
            })
        });
        let mut contacts: Vec<WholeStance<'_>> = contacts.collect();
        contacts.sort_by(|a, b| {
            let by_time = a.span_secs[0].total_cmp(&b.span_secs[0]);
            a.contact.leg.cmp(&b.contact.leg).then(by_time)
        });
        apart(contacts)
    }

    /// One motion's pose, its root as seen from the common place.
    pub(super) fn motion_pose(
        &self,
        skeleton: &Skeleton,
        motion: usize,
        (base, part): (usize, f64),
        pose: &mut LocalPose,
    ) {
        let registration = &self.registration;
        let secs = registration.curves()[motion].time_at(self.reference_of(base, part));
        let clip = match self.pure {
            true => &registration.motions[motion],
            false => &registration.mended[motion],
        };
        clip.sample(skeleton, secs, &mut ClipCursor::default(), pose);
        let place = between(&registration.places[motion], base, part);
        let root = &mut pose.joints_mut()[0];
        *root = unwrapped(place).inverse() * *root;
    }

    /// The average in its place, feet as they come.
    pub(super) fn free_pose(
        &self,
        skeleton: &Skeleton,
        at: (usize, f64),
        cursor: &mut BlendCursor,
        pose: &mut LocalPose,
    ) {
        let share = self.share(at.0, at.1);
        let mut sum = 0.0;
        for motion in 0..self.registration.motions.len() {
            let weight = self.weights.at(share, motion);
            if weight <= 0.0 {
                continue;
            }
            sum += weight;
            if sum == weight {
                self.motion_pose(skeleton, motion, at, pose);
            } else {
                self.motion_pose(skeleton, motion, at, &mut cursor.other);
                self.mix(motion, (weight / sum) as f32, cursor, pose);
            }
        }
        let root = &mut pose.joints_mut()[0];
        *root = unwrapped(between(&self.places, at.0, at.1)) * *root;
        let [from, to] = [at.0, (at.0 + 1).min(self.times_secs.len() - 1)];
        let secs = self.times_secs[from] * (1.0 - at.1) + self.times_secs[to] * at.1;
        self.calmed
            .iter()
            .for_each(|it| it.apply(secs * self.fps, pose));
    }

    /// Moves a pose towards that of another motion. Rotations go the way that
    /// is shorter over the whole blend: chosen anew in every frame, it would
    /// flip where two motions are half a turn apart.
    fn mix(&self, motion: usize, weight: f32, cursor: &mut BlendCursor, pose: &mut LocalPose) {
        let BlendCursor {
            other, rotations, ..
        } = cursor;
        let pairs = pose.joints().iter().zip(other.joints());
        let mixed = pairs
            .zip(&self.mirrored[motion])
            .map(|((own, other), &mirrored)| {
                let to = if mirrored {
                    -other.rotation
                } else {
                    other.rotation
                };
                averaged(own.rotation, to, weight)
            });
        rotations.clear();
        rotations.extend(mixed);
        pose.mix(other, weight);
        let joints = pose.joints_mut().iter_mut().zip(rotations.iter());
        for (joint, rotation) in joints.filter(|(_, it)| it.is_finite()) {
            joint.rotation = *rotation;
        }
    }

    /// For each motion the joints whose rotations are to be taken with the
    /// other sign: those that mostly lie in the other half of the sphere.
    fn find_mirrored(&mut self) {
        let registration = Arc::clone(&self.registration);
        let skeleton = registration.skeleton();
        let motions = registration.motions.len();
        let mut sums = vec![vec![0.0; skeleton.len()]; motions];
        let (mut first, mut other) = (LocalPose::default(), LocalPose::default());
        for k in 0..self.places.len() {
            self.motion_pose(skeleton, 0, (k, 0.0), &mut first);
            for (motion, sums) in sums.iter_mut().enumerate().skip(1) {
                self.motion_pose(skeleton, motion, (k, 0.0), &mut other);
                let pairs = first.joints().iter().zip(other.joints());
                for (sum, (a, b)) in sums.iter_mut().zip(pairs) {
                    *sum += a.rotation.dot(b.rotation);
                }
            }
        }
        let signs = |sums: Vec<f32>| sums.into_iter().map(|sum| sum < 0.0).collect();
        self.mirrored = sums.into_iter().map(signs).collect();
    }

    fn foot_offset(&self, leg: usize, time_secs: f64) -> DVec3 {
        let offsets = &self.foot_offsets[leg];
        let last = offsets.len() - 1;
        let position = (time_secs * self.fps).max(0.0).min(last as f64);
        let (base, part) = (position as usize, position.fract());
        offsets[base].lerp(offsets[(base + 1).min(last)], part)
    }

    /// The largest way over the ground of a foot that stands, metres.
    #[must_use]
    pub fn slide_m(&self) -> f64 {
        self.slide_within_m([f64::NEG_INFINITY, f64::INFINITY])
    }

    /// The same of feet that stand at some time of a span, seconds.
    pub(super) fn slide_within_m(&self, [start, end]: [f64; 2]) -> f64 {
        let skeleton = &self.registration.skeleton;
        let legs = &self.registration.legs;
        let mut cursor = ClipCursor::default();
        let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
        let mut paths = vec![Vec::with_capacity(self.frames); legs.len()];
        for frame in 0..self.frames {
            self.sample(skeleton, frame as f64 / self.fps, &mut cursor, &mut pose);
            model.compute(skeleton, &pose);
            for (path, leg) in paths.iter_mut().zip(legs) {
                let ball = model.joints()[usize::from(leg.joints.ball)];
                path.push(ball.translation.as_dvec3());
            }
        }
        let slide = |(leg, path): (usize, &Vec<DVec3>)| {
            let touches = |span: [f64; 2]| span[0] < end && span[1] > start;
            let own = self.contacts.iter().filter(|contact| contact.leg == leg);
            let own = own.filter(|contact| touches(contact.span_secs));
            let spans: Vec<[f64; 2]> = own.map(|contact| contact.span_secs).collect();
            slide_m(path, self.fps, &spans)
        };
        paths.iter().enumerate().map(slide).fold(0.0, f64::max)
    }
}

/// What a player of a blend keeps.
#[derive(Default)]
pub(super) struct BlendCursor {
    other: LocalPose,
    rotations: Vec<Quat>,
    pub model: ModelPose,
}

impl SampleClip for Blend {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.frames,
            fps: self.fps,
            joints: self.registration.skeleton.len(),
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let cursor = cursor.of::<BlendCursor>();
        self.free_pose(skeleton, self.segment(time_secs), cursor, pose);
        if self.foot_offsets.is_empty() {
            return;
        }
        cursor.model.compute(skeleton, pose);
        for (index, leg) in self.registration.legs.iter().enumerate() {
            let offset = self.foot_offset(index, time_secs).as_vec3a();
            if offset.length_squared() > 1e-12 {
                leg.shift_foot(skeleton, offset, pose, &mut cursor.model);
            }
        }
        let frame = time_secs * self.fps;
        self.calmed_after
            .iter()
            .for_each(|it| it.apply(frame, pose));
    }
}

/// Where the chosen way is nearly a whole turn there is no average on it, and
/// one frame would be half a turn from the next: there the short way is gone,
/// and between the two they are mixed. The cosine of half the turn, from which
/// on and where altogether.
const LONG_WAY: f32 = -0.3;
const WHOLE_TURN: f32 = -0.95;

fn averaged(own: Quat, to: Quat, weight: f32) -> Quat {
    let long = own * (1.0 - weight) + to * weight;
    let dot = own.dot(to);
    if dot >= LONG_WAY {
        return long.normalize();
    }
    let side = if weight > 0.5 { -1.0 } else { 1.0 };
    let short = (own * (1.0 - weight) - to * weight) * side;
    let share = smoothstep(((dot - WHOLE_TURN) / (LONG_WAY - WHOLE_TURN)).max(0.0));
    (long * share + short * (1.0 - share)).normalize()
}

/// The same motion in space, its quaternion without a change of sign however
/// often it turns.
fn unwrapped(place: Planar) -> Transform {
    let (sin, cos) = (0.5 * place.heading).sin_cos();
    let ground = Vec3::new(place.position.x as f32, 0.0, place.position.y as f32);
    Transform::new(Quat::from_xyzw(0.0, sin as f32, 0.0, cos as f32), ground)
}

fn between(places: &[Planar], base: usize, part: f64) -> Planar {
    let next = places[(base + 1).min(places.len() - 1)];
    places[base].lerp(next, part)
}

/// What is shorter is a touch: to hold it would stop a foot in full swing.
const LEAST_STANCE_SECS: f64 = 0.1;
/// A foot takes at least this long from one place to the next, seconds.
const LEAST_STEP_SECS: f64 = 0.15;

/// Shortens stances of one leg that leave no time for a step between them.
fn apart(mut stances: Vec<WholeStance<'_>>) -> Vec<WholeStance<'_>> {
    for i in 1..stances.len() {
        let (start, leg) = (stances[i].span_secs[0], stances[i].contact.leg);
        let end = stances[i - 1].span_secs[1];
        if stances[i - 1].contact.leg == leg && start - end < LEAST_STEP_SECS {
            let middle = 0.5 * (start + end);
            stances[i - 1].span_secs[1] = middle - 0.5 * LEAST_STEP_SECS;
            stances[i].span_secs[0] = middle + 0.5 * LEAST_STEP_SECS;
        }
    }
    stances.retain(|it| it.span_secs[1] - it.span_secs[0] >= LEAST_STANCE_SECS);
    stances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_that_passes_a_whole_turn_does_not_jump() {
        let own = Quat::from_rotation_x(0.4);
        // Turned by 300 to 420 degrees, a degree beside the axis.
        let passing = |k: i32| {
            let half_turn = std::f32::consts::PI * (1.0 + k as f32 / 1200.0);
            let (sin, cos) = half_turn.sin_cos();
            own * Quat::from_xyzw(0.0, 0.0, sin, cos) * Quat::from_rotation_y(0.02)
        };
        let to: Vec<Quat> = (-200..=200).map(passing).collect();
        assert!(to[200].dot(own) < -0.99);
        for weight in [0.25, 0.5, 0.75] {
            let mixed = to.iter().map(|&to| averaged(own, to, weight));
            let mixed: Vec<Quat> = mixed.collect();
            for pair in mixed.windows(2) {
                let step = pair[0].angle_between(pair[1]);
                // What is mixed turns by 0.3 degrees a frame.
                assert!(step < 0.1, "{step} rad at {weight}");
            }
        }
    }
}
