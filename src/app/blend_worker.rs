//! Blends made in the background: clips put on one skeleton, registered,
//! averaged. What was found for the last clips is kept, so that other weights
//! cost no more than the averaging.

use std::sync::Arc;

use super::{
    Message, Outbox, SessionError,
    newest_worker::{NewestWorker, Stale},
    opened_clip::OpenedClip,
};
use crate::{
    clip::{ClipCursor, ClipShape, RawClip, SampleClip},
    register::{Blend, PathOptions, Pin, PlainBlend, RegisterError, Registration, Weights},
    retarget::{JointMap, retarget},
    skeleton::{LocalPose, Skeleton},
    ui::Progress,
};

/// What is to be blended, and how.
#[derive(Clone, Debug)]
pub struct BlendJob {
    /// Clips as they were read.
    pub inputs: Vec<Arc<OpenedClip>>,
    /// Whose skeleton they play on.
    pub on: Arc<OpenedClip>,
    /// Moments that are to correspond.
    pub pins: Vec<Pin>,
    /// Left and right in each other's place.
    pub mirror: bool,
    /// One an input.
    pub weights: Vec<f64>,
    /// By share of length instead of by registration.
    pub plain: bool,
}

/// A blend that can be seen.
#[derive(Debug)]
pub struct Blended {
    /// Every frame of it, on its character.
    pub clip: Arc<OpenedClip>,
    /// What the inputs are called.
    pub names: Vec<String>,
    /// How they correspond.
    pub registration: Arc<Registration>,
    /// What plays.
    pub kind: BlendKind,
    /// How far feet slide that stand, metres.
    pub slide_m: f64,
}

/// By registration, or by share of length.
#[derive(Clone, Debug)]
pub enum BlendKind {
    /// Where motions correspond.
    Registered(Arc<Blend>),
    /// What it is compared with.
    Plain(Arc<PlainBlend>),
}

impl BlendKind {
    fn clip(&self) -> Arc<dyn SampleClip> {
        match self {
            Self::Registered(blend) => Arc::clone(blend) as _,
            Self::Plain(blend) => Arc::clone(blend) as _,
        }
    }
}

impl Blended {
    /// How much of the way is done at a time, 0 to 1: what stays when the
    /// weights change.
    #[must_use]
    pub fn share_at(&self, time_secs: f64) -> f64 {
        match &self.kind {
            BlendKind::Registered(blend) => {
                let [first, last] = self.registration.range_secs();
                (blend.reference_secs(time_secs) - first) / (last - first).max(1e-9)
            }
            BlendKind::Plain(blend) => time_secs / blend.duration_secs().max(1e-9),
        }
    }

    /// The time at which so much of the way is done.
    #[must_use]
    pub fn time_at(&self, share: f64) -> f64 {
        match &self.kind {
            BlendKind::Registered(blend) => {
                let [first, last] = self.registration.range_secs();
                blend.blend_secs(first + (last - first) * share)
            }
            BlendKind::Plain(blend) => blend.duration_secs() * share,
        }
    }

    /// The moment of an input that belongs to a moment of the blend.
    #[must_use]
    pub fn source_secs(&self, motion: usize, time_secs: f64) -> f64 {
        match &self.kind {
            BlendKind::Registered(blend) => {
                let curve = &self.registration.curves()[motion];
                curve.time_at(blend.reference_secs(time_secs))
            }
            BlendKind::Plain(_) => {
                self.share_at(time_secs) * self.registration.motions()[motion].duration_secs()
            }
        }
    }
}

/// An input of a blend, in step with it.
#[derive(Debug)]
pub struct InStep {
    /// Whose time it keeps.
    pub blended: Arc<Blended>,
    /// Which input.
    pub motion: usize,
    /// Laid on the blend, where a registration says how.
    pub aligned: bool,
}

impl SampleClip for InStep {
    fn shape(&self) -> ClipShape {
        self.blended.kind.clip().shape()
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        _: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let secs = self.blended.source_secs(self.motion, time_secs);
        let clip = &self.blended.registration.motions()[self.motion];
        clip.sample(skeleton, secs, &mut ClipCursor::default(), pose);
        if let (BlendKind::Registered(blend), true) = (&self.blended.kind, self.aligned) {
            let placed = blend.blend_from_motion(self.motion, time_secs);
            let root = &mut pose.joints_mut()[0];
            *root = placed.transform() * *root;
        }
    }
}

/// The worker's front door.
pub struct BlendWorker(NewestWorker<BlendJob>);

impl BlendWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        let mut bench = Bench::default();
        Self(NewestWorker::new(move |ticket, job: BlendJob, stale| {
            let tell = |text: &str, fraction: f32| {
                let (text, fraction) = (text.to_owned(), Some(fraction));
                outbox(Message::BlendProgress(ticket, Progress { text, fraction }));
            };
            // Overtaken by other weights, a blend is still worth seeing.
            if let Some(outcome) = bench.work(&job, &tell, stale).transpose() {
                outbox(Message::Blended(ticket, outcome.map(Arc::new)));
            }
        }))
    }

    /// Asks for a blend; one asked for before is finished only if it is under
    /// way. Returns the ticket.
    pub fn ask(&mut self, job: BlendJob) -> u64 {
        self.0.ask(job)
    }

    /// Makes everything asked for void.
    pub fn forget(&mut self) {
        self.0.forget();
    }

    /// Whether a result answers the last job.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.0.is_current(ticket)
    }
}

/// What is known of the last clips.
#[derive(Default)]
struct Bench {
    inputs: Vec<Arc<OpenedClip>>,
    on: Option<Arc<OpenedClip>>,
    mirror: bool,
    motions: Vec<Arc<RawClip>>,
    registration: Option<(Vec<Pin>, Arc<Registration>)>,
}

impl Bench {
    /// `None` where nobody wants it any more.
    fn work(
        &mut self,
        job: &BlendJob,
        tell: &dyn Fn(&str, f32),
        stale: Stale<'_>,
    ) -> Result<Option<Blended>, SessionError> {
        if !self.is_for(job) {
            *self = Self::default();
            let motions = retargeted(job, tell, stale)?;
            let Some(motions) = motions else {
                return Ok(None);
            };
            self.motions = motions;
            self.inputs.clone_from(&job.inputs);
            self.on = Some(Arc::clone(&job.on));
            self.mirror = job.mirror;
        }
        let registration = self.registration(job, tell)?;
        blended(job, registration).map(Some)
    }

    fn is_for(&self, job: &BlendJob) -> bool {
        let same = |a: &Arc<OpenedClip>, b: &Arc<OpenedClip>| Arc::ptr_eq(a, b);
        let inputs = self.inputs.len() == job.inputs.len()
            && self.inputs.iter().zip(&job.inputs).all(|(a, b)| same(a, b));
        inputs && self.mirror == job.mirror && self.on.as_ref().is_some_and(|on| same(on, &job.on))
    }

    fn registration(
        &mut self,
        job: &BlendJob,
        tell: &dyn Fn(&str, f32),
    ) -> Result<Arc<Registration>, SessionError> {
        if let Some((pins, known)) = &self.registration
            && *pins == job.pins
        {
            return Ok(Arc::clone(known));
        }
        tell("Registering", 0.6);
        let (motions, options) = (self.motions.clone(), PathOptions::default());
        let found = Registration::pinned(&job.on.skeleton, motions, &options, &job.pins);
        let found = Arc::new(found.map_err(|error| named(&error, &job.inputs))?);
        self.registration = Some((job.pins.clone(), Arc::clone(&found)));
        Ok(found)
    }
}

/// All inputs on one skeleton.
fn retargeted(
    job: &BlendJob,
    tell: &dyn Fn(&str, f32),
    stale: Stale<'_>,
) -> Result<Option<Vec<Arc<RawClip>>>, SessionError> {
    let target = &job.on.skeleton;
    let mut motions = Vec::new();
    for (index, input) in job.inputs.iter().enumerate() {
        if stale() {
            return Ok(None);
        }
        let raw = input.raw().ok_or_else(|| SessionError::Blend {
            name: input.name.clone(),
            reason: "a skeleton without a motion cannot be blended".to_owned(),
        })?;
        if input.skeleton.joints() == target.joints() && !job.mirror {
            motions.push(Arc::clone(raw));
            continue;
        }
        let done = 0.5 * index as f32 / job.inputs.len() as f32;
        tell(&format!("Retargeting {}", input.name), done);
        let mut map = JointMap::between(&input.skeleton, target);
        map.mirror = job.mirror;
        let clip = retarget(&input.skeleton, raw, target, &map).map_err(|error| {
            let reason = format!("does not play on {}: {error}", target.name());
            SessionError::Blend {
                name: input.name.clone(),
                reason,
            }
        })?;
        motions.push(Arc::new(clip));
    }
    Ok(Some(motions))
}

/// Tells which clip it is about, where it is about one.
fn named(error: &RegisterError, inputs: &[Arc<OpenedClip>]) -> SessionError {
    use RegisterError::{OtherSkeleton, TooShort};
    let name = |motion: usize| inputs.get(motion).map(|input| input.name.clone());
    let about = match error {
        TooShort { motion, .. } | OtherSkeleton { motion, .. } => name(*motion),
        _ => None,
    };
    let all = || inputs.iter().map(|input| input.name.as_str());
    SessionError::Blend {
        name: about.unwrap_or_else(|| all().collect::<Vec<_>>().join(", ")),
        reason: error.to_string(),
    }
}

fn blended(job: &BlendJob, registration: Arc<Registration>) -> Result<Blended, SessionError> {
    let wrong = |error| named(&error, &job.inputs);
    let weights = Weights::constant(&job.weights).map_err(wrong)?;
    let (skeleton, motions) = (registration.skeleton(), registration.motions());
    let (kind, slide_m) = match job.plain {
        true => {
            let blend = PlainBlend::new(skeleton, motions.to_vec(), &weights).map_err(wrong)?;
            let slide_m = blend.slide_m();
            (BlendKind::Plain(Arc::new(blend)), slide_m)
        }
        false => {
            let blend = Blend::new(&registration, weights).map_err(wrong)?;
            let slide_m = blend.slide_m();
            (BlendKind::Registered(Arc::new(blend)), slide_m)
        }
    };
    let names: Vec<String> = job.inputs.iter().map(|it| stem(&it.name)).collect();
    let name = names.join(" + ");
    let raw = RawClip::sampled_from(&name, skeleton, &*kind.clip());
    let mut clip = job.inputs[0].on(&job.on, raw);
    if let Some(motion) = &mut clip.motion {
        motion.name.clone_from(&name);
    }
    clip.name = name;
    Ok(Blended {
        clip: Arc::new(clip),
        names,
        registration,
        kind,
        slide_m,
    })
}

/// Without the ending of a file.
fn stem(name: &str) -> String {
    name.rsplit_once('.')
        .map_or(name, |(stem, _)| stem)
        .to_owned()
}
