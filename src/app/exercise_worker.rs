//! The interpolation exercise on the clip on screen, by two methods, in the
//! background; and how somebody walks, which is looked at there too.

use std::sync::Arc;

use super::{Message, Outbox, SessionError, newest_worker::NewestWorker, opened_clip::OpenedClip};
use crate::{
    analysis::{self, GaitReport, Grade},
    body::BodyCache,
    convert::{ExerciseSubject, SubjectError},
    exercise::{Method, interpolate},
    import::pairing::Pairing,
    load::{LoadedMotion, LoadedSkeleton},
};

/// What the exercise is set on.
pub struct ExerciseJob {
    /// The motion.
    pub clip: Arc<OpenedClip>,
    /// Frames from one key to the next.
    pub every: usize,
    /// How the frames between come about.
    pub methods: Vec<Method>,
}

/// What became of it by one method.
#[derive(Debug)]
pub struct MadeClip {
    /// By which.
    pub method: Method,
    /// How far it is from the original.
    pub grade: Grade,
    /// To be shown beside it.
    pub clip: Arc<OpenedClip>,
}

/// The worker's front door.
pub struct ExerciseWorker(NewestWorker<ExerciseJob>);

impl ExerciseWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        let mut bodies = BodyCache::default();
        Self(NewestWorker::new(move |ticket, job: ExerciseJob, stale| {
            let made = made(&job, &mut bodies, stale);
            if !stale() {
                outbox(Message::Exercised(ticket, made));
            }
        }))
    }

    /// Asks for a clip; anything asked for before is void.
    pub fn ask(&mut self, job: ExerciseJob) {
        self.0.ask(job);
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

fn made(
    job: &ExerciseJob,
    bodies: &mut BodyCache,
    stale: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<MadeClip>, SessionError> {
    let Some(motion) = &job.clip.motion else {
        return Ok(Vec::new());
    };
    // What is built in has no file to be read again.
    let subject = match &job.clip.path {
        Some(_) => ExerciseSubject::of(motion, false)?.0,
        None => ExerciseSubject::as_converted(motion)?,
    };
    let skeleton = match &subject.own_skeleton {
        None => Arc::clone(&job.clip.loaded),
        Some(_) => Arc::new(LoadedSkeleton {
            path: job.clip.loaded.path.clone(),
            imported: subject.skeleton.clone(),
            model: None,
        }),
    };
    let mut all = Vec::new();
    for &method in &job.methods {
        if stale() {
            break;
        }
        let text = interpolate(&subject.channels, job.every, method).to_amc();
        let grade = subject.grade(&text)?;
        let made = subject.motion(&text)?;
        let path = motion.path.clone();
        let made = LoadedMotion::of_frames(path, made, Arc::clone(&skeleton), Pairing::Given);
        let clip = Arc::new(OpenedClip::of_made(method.label(), made, bodies));
        all.push(MadeClip {
            method,
            grade,
            clip,
        });
    }
    Ok(all)
}

/// How somebody walks, measured in the background.
pub struct GaitWorker(NewestWorker<Arc<OpenedClip>>);

impl GaitWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox) -> Self {
        Self(NewestWorker::new(
            move |ticket, clip: Arc<OpenedClip>, stale| {
                let Some(raw) = clip.raw() else { return };
                // What runs on a treadmill goes nowhere, and its feet slide.
                let moved = raw.off_treadmill(&clip.skeleton);
                let walks = moved.as_ref().unwrap_or(raw);
                let report: GaitReport = analysis::gait_report(&clip.skeleton, walks);
                if !stale() {
                    outbox(Message::Measured(ticket, Box::new(report)));
                }
            },
        ))
    }

    /// Asks for a clip; anything asked for before is void.
    pub fn ask(&mut self, clip: Arc<OpenedClip>) {
        self.0.ask(clip);
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

impl From<SubjectError> for SessionError {
    fn from(error: SubjectError) -> Self {
        Self::Exercise(error.to_string())
    }
}
