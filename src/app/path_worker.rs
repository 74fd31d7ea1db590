//! Walks along a drawn path, made in the background: the clips of the list on
//! one skeleton, their graph, the way through it. The graph of the last list is
//! kept, so that another path costs no more than the search.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use glam::DVec2;

use super::{
    Message, Outbox, SessionError,
    choices::ReadChoice,
    loader::Loader,
    newest_worker::{NewestWorker, Stale},
    opened_clip::OpenedClip,
    source::Source,
};
use crate::{
    clip::RawClip,
    register::{MotionGraph, RegisterError, for_paths},
    retarget::{JointMap, retarget},
    ui::Progress,
};

/// What is to be followed, and by whom.
#[derive(Clone, Debug)]
pub struct PathJob {
    /// Every clip of the list, and how it is read.
    pub clips: Vec<(Source, ReadChoice)>,
    /// Whose skeleton they play on; has a motion of its own.
    pub on: Arc<OpenedClip>,
    /// X and Z in metres.
    pub path: Vec<DVec2>,
}

/// A walk that can be seen.
#[derive(Debug)]
pub struct Walked {
    /// Every frame of it, on its character.
    pub clip: Arc<OpenedClip>,
    /// Transitions from one clip to another, or within one.
    pub changes: usize,
    /// How far feet slide that stand, metres.
    pub slide_m: f64,
    /// How far the hips are from the path, on average and at most, metres.
    pub off_m: [f64; 2],
    /// Clips that the graph was made of.
    pub motions: usize,
    /// Clips that do not go together with the others, and why.
    pub left_out: Vec<String>,
}

/// The worker's front door.
pub struct PathWorker(NewestWorker<PathJob>);

impl PathWorker {
    /// Starts the worker.
    pub fn new(outbox: Outbox, loader: Loader) -> Self {
        let mut library = Library::default();
        Self(NewestWorker::new(move |ticket, job: PathJob, stale| {
            let tell = |text: String, fraction: f32| {
                let fraction = Some(fraction);
                outbox(Message::PathProgress(ticket, Progress { text, fraction }));
            };
            let work = Work {
                loader: &loader,
                tell: &tell,
                told_percent: AtomicU32::new(0),
                stale,
            };
            if let Some(outcome) = library.walk(&job, &work).transpose() {
                outbox(Message::Walked(ticket, outcome.map(Arc::new)));
            }
        }))
    }

    /// Asks for a walk; one asked for before is given up. Returns the ticket.
    pub fn ask(&mut self, job: PathJob) -> u64 {
        self.0.ask(job)
    }

    /// Gives everything up.
    pub fn forget(&mut self) {
        self.0.forget();
    }

    /// Whether a result answers the last job.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.0.is_current(ticket)
    }
}

/// What a job is done with.
struct Work<'a> {
    loader: &'a Loader,
    tell: &'a (dyn Fn(String, f32) + Sync),
    told_percent: AtomicU32,
    stale: Stale<'a>,
}

/// The graph of the last list.
#[derive(Default)]
struct Library {
    clips: Vec<(Source, ReadChoice)>,
    on: Option<Arc<OpenedClip>>,
    graph: Option<Arc<MotionGraph>>,
    /// Clips of the list that are in it.
    motions: usize,
    left_out: Vec<String>,
}

/// Share of the work that reading is, and reading with the graph.
const READ: f32 = 0.4;
const GRAPH: f32 = 0.7;

impl Library {
    /// `None` where nobody wants it any more.
    fn walk(&mut self, job: &PathJob, work: &Work<'_>) -> Result<Option<Walked>, SessionError> {
        let outcome = self.graph(job, work).and_then(|graph| {
            let progress = |share: f64| work.goes_on("Following the path", [GRAPH, 1.0], share);
            graph.walk_along(&job.path, &progress)
        });
        let walk = match outcome {
            Ok(made) => made,
            Err(RegisterError::GivenUp) => return Ok(None),
            Err(error) => return Err(refused(&error)),
        };
        let raw = RawClip::sampled_from("walk", &job.on.skeleton, &walk);
        let mut clip = job.on.on(&job.on, raw);
        if let Some(motion) = &mut clip.motion {
            "walk".clone_into(&mut motion.name);
        }
        "walk".clone_into(&mut clip.name);
        Ok(Some(Walked {
            off_m: off_path_m(&clip, &job.path),
            clip: Arc::new(clip),
            changes: walk.changes_secs().len(),
            slide_m: walk.slide_m(),
            motions: self.motions,
            left_out: self.left_out.clone(),
        }))
    }

    fn graph(&mut self, job: &PathJob, work: &Work<'_>) -> Result<Arc<MotionGraph>, RegisterError> {
        let same_on = self.on.as_ref().is_some_and(|on| Arc::ptr_eq(on, &job.on));
        let known = self
            .graph
            .as_ref()
            .filter(|_| same_on && self.clips == job.clips);
        if let Some(graph) = known {
            return Ok(Arc::clone(graph));
        }
        *self = Self::default();
        let (motions, left_out) = read(job, work).ok_or(RegisterError::GivenUp)?;
        let progress = |share: f64| work.goes_on("Finding transitions", [READ, GRAPH], share);
        let skeleton = &job.on.skeleton;
        let taken = motions.iter().flat_map(|clip| for_paths(skeleton, clip));
        let taken: Vec<Arc<RawClip>> = taken.map(Arc::new).collect();
        let graph = Arc::new(MotionGraph::new(skeleton, &taken, &progress)?);
        *self = Self {
            clips: job.clips.clone(),
            on: Some(Arc::clone(&job.on)),
            graph: Some(Arc::clone(&graph)),
            motions: motions.len(),
            left_out,
        };
        Ok(graph)
    }
}

impl Work<'_> {
    /// Tells a share of a part of the whole; false when nobody wants it any more.
    fn goes_on(&self, what: &str, [start, end]: [f32; 2], share: f64) -> bool {
        let done = start + (end - start) * share as f32;
        // A search tells of every step: the window need not hear them all.
        let percent = (done * 100.0) as u32;
        if self.told_percent.fetch_max(percent, Ordering::Relaxed) < percent {
            (self.tell)(what.to_owned(), done);
        }
        !(self.stale)()
    }
}

fn refused(error: &RegisterError) -> SessionError {
    SessionError::Blend {
        name: "path".to_owned(),
        reason: error.to_string(),
    }
}

/// All motions of the list on one skeleton, each once, and what was left out.
fn read(job: &PathJob, work: &Work<'_>) -> Option<(Vec<Arc<RawClip>>, Vec<String>)> {
    let (mut motions, mut left_out) = (Vec::new(), Vec::new());
    for (index, (source, choice)) in job.clips.iter().enumerate() {
        if (work.stale)() {
            return None;
        }
        let done = READ * index as f32 / job.clips.len() as f32;
        (work.tell)(format!("Reading {}", source.name()), done);
        match one(job, work, (source, choice)) {
            Ok(clip)
                if motions
                    .iter()
                    .any(|it: &Arc<RawClip>| it.is_same_motion(&clip)) => {}
            Ok(clip) => motions.push(clip),
            Err(reason) => left_out.push(format!("{}: {reason}", source.name())),
        }
    }
    Some((motions, left_out))
}

fn one(
    job: &PathJob,
    work: &Work<'_>,
    (source, choice): (&Source, &ReadChoice),
) -> Result<Arc<RawClip>, String> {
    let read = { work.loader.clip_of(source, choice) }.map_err(|error| error.to_string())?;
    let raw = read.raw().ok_or("there is no motion in it")?;
    let target = &job.on.skeleton;
    let clip = match read.skeleton.joints() == target.joints() {
        true => Arc::clone(raw),
        false => {
            let map = JointMap::between(&read.skeleton, target);
            let clip = retarget(&read.skeleton, raw, target, &map);
            Arc::new(clip.map_err(|error| error.to_string())?)
        }
    };
    Ok(clip)
}

/// How far the spot below the hips is from a path, on average and at most.
fn off_path_m(walk: &OpenedClip, path: &[DVec2]) -> [f64; 2] {
    let character = walk.character();
    let frames = walk.raw().map_or(0, |clip| clip.frames());
    let off = |frame: usize| {
        let pose = character.pose_at(frame as f64 / character.fps());
        let spot = character.footing_in(&pose);
        distance_m(path, DVec2::new(spot.x.into(), spot.z.into()))
    };
    let offs: Vec<f64> = (0..frames).map(off).collect();
    let mean = offs.iter().sum::<f64>() / offs.len().max(1) as f64;
    [mean, offs.into_iter().fold(0.0, f64::max)]
}

/// How far a point is from a polyline.
fn distance_m(path: &[DVec2], point: DVec2) -> f64 {
    let to_segment = |pair: &[DVec2]| {
        let way = pair[1] - pair[0];
        let along = (point - pair[0]).dot(way) / way.length_squared().max(1e-12);
        point.distance(pair[0] + way * along.clamp(0.0, 1.0))
    };
    path.windows(2)
        .map(to_segment)
        .fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        load,
        math::Transform,
        skeleton::{LocalPose, ModelPose},
    };

    #[test]
    fn the_distance_from_a_path_is_that_from_its_nearest_piece() {
        let path = [DVec2::ZERO, DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0)];
        assert_close!(distance_m(&path, DVec2::new(1.0, 0.5)), 0.5, 1e-12);
        assert_close!(distance_m(&path, DVec2::new(3.0, 1.0)), 1.0, 1e-12);
        assert_close!(distance_m(&path, DVec2::new(2.0, 3.0)), 1.0, 1e-12);
    }

    #[test]
    fn loops_go_on_without_a_jump_and_others_are_refused() {
        for (name, closes) in [("forward", true), ("run", true), ("jump", false)] {
            let motion = load::performer_clip(name, load::LoadOptions::default());
            let motion = motion.unwrap().unwrap();
            let (skeleton, clip) = (motion.skeleton(), motion.raw());
            let repeated = clip.repeated(skeleton, 3);
            let Some(repeated) = repeated.filter(|_| closes) else {
                assert!(!closes, "{name}");
                continue;
            };
            let last = clip.frames() - 1;
            assert_eq!(repeated.frames(), 3 * last + 1);
            let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
            let mut places = |frame: usize| {
                repeated.frame_pose(skeleton, frame, &mut pose);
                model.compute(skeleton, &pose);
                model.joints().to_vec()
            };
            let step = |a: &[Transform], b: &[Transform]| {
                let ways = a
                    .iter()
                    .zip(b)
                    .map(|(a, b)| a.translation.distance(b.translation));
                ways.fold(0.0, f32::max)
            };
            let frames: Vec<Vec<Transform>> = (0..=2 * last).map(&mut places).collect();
            let steps: Vec<f32> = frames
                .windows(2)
                .map(|pair| step(&pair[0], &pair[1]))
                .collect();
            let usual = steps[..last].iter().copied().fold(0.0, f32::max);
            assert!(
                steps[last] <= 1.5 * usual,
                "{name}: {} of {usual}",
                steps[last]
            );
        }
    }
}
