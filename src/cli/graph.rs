//! `graph`: all good transitions of a library, and walks through it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use clap::Args;
use glam::DVec2;
use serde::Serialize;

use super::{
    Failure, ReadArgs, convert,
    inputs::Inputs,
    same_skeleton::{self, MotionEntry, ResultArgs},
};
use crate::{
    clip::{RawClip, SampleClip},
    load::{self, LoadedMotion},
    output::Staged,
    register::{self, GraphEdge, MotionGraph, RegisterError, Walk},
};

#[derive(Args, Debug)]
pub(super) struct GraphArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Writes a random walk of so many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        conflicts_with = "path",
        requires = "output"
    )]
    walk: Option<f64>,
    /// Another number, another walk
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Writes a walk along a path: a text file of `x z` lines in metres
    #[arg(long, value_name = "FILE", requires = "output")]
    path: Option<PathBuf>,
    /// The file to write, in any format that `convert` writes
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    result: ResultArgs,
}

#[derive(Serialize)]
struct Output {
    motions: Vec<MotionEntry>,
    frames: usize,
    edges: Vec<EdgeEntry>,
    strongly_connected_share: f64,
    /// Taken to build the graph.
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    walk: Option<WalkEntry>,
}

/// Motions by their place in the list.
#[derive(Serialize)]
struct EdgeEntry {
    from: usize,
    from_s: f64,
    to: usize,
    to_s: f64,
    cost_cm: f64,
}

#[derive(Serialize)]
struct WalkEntry {
    frames: usize,
    duration_s: f64,
    /// When it leads over from one motion to the next.
    changes_s: Vec<f64>,
    slide_cm: f64,
}

pub(super) fn run(args: &GraphArgs) -> Result<(), Failure> {
    if args
        .walk
        .is_some_and(|secs| !(0.0..=36_000.0).contains(&secs))
    {
        return Err(Failure::Usage("--walk takes 0 to 36000 seconds".into()));
    }
    let path = args.path.as_deref().map(read_path).transpose()?;
    let mut inputs = Inputs::load(&args.read.files, args.read.library_options());
    inputs.paths.extend(args.path.clone());
    args.result
        .force
        .check(&inputs.paths, args.output.as_deref())?;
    inputs.complete_to_write()?;
    let mut motions = same_skeleton::library(inputs.loaded)?;
    if path.is_some() {
        motions = with_bends(motions);
    }
    let skeleton = Arc::new(motions[0].skeleton().clone());
    let clips: Vec<Arc<RawClip>> = motions.iter().map(|it| Arc::clone(it.raw())).collect();
    let begun = Instant::now();
    let refused = |error: RegisterError| same_skeleton::refused(&error, &motions);
    let graph = MotionGraph::new(&skeleton, &clips, &|_| true).map_err(refused)?;
    let seconds = begun.elapsed().as_secs_f64();
    let walk = args.walked(&graph, path.as_deref()).map_err(refused)?;
    let mut staged = Staged::default();
    if let (Some(walk), Some(output)) = (&walk, &args.output) {
        let clip = RawClip::sampled_from("walk", &skeleton, walk);
        convert::stage_motion(&motions[0], clip, output, args.result.force, &mut staged)?;
    }
    staged.commit()?;
    let output = output(&motions, &graph, walk.as_ref(), seconds);
    args.result.tell(&output, report)
}

/// Loops as a path takes them: repeated, and straight ones bent as well.
fn with_bends(motions: Vec<LoadedMotion>) -> Vec<LoadedMotion> {
    let taken = motions.into_iter().flat_map(|motion| {
        let clips = register::for_paths(motion.skeleton(), motion.raw());
        let made = move |clip: RawClip| motion.made_of(clip);
        clips.into_iter().map(made)
    });
    taken.collect()
}

impl GraphArgs {
    fn walked(
        &self,
        graph: &MotionGraph,
        path: Option<&[DVec2]>,
    ) -> Result<Option<Walk>, RegisterError> {
        match (path, self.walk) {
            (Some(path), _) => graph.walk_along(path, &|_| true).map(Some),
            (None, Some(seconds)) => graph.random_walk(seconds, self.seed).map(Some),
            (None, None) => Ok(None),
        }
    }
}

/// Lines of `x z`; empty ones and those that begin with `#` are passed over.
fn read_path(path: &Path) -> Result<Vec<DVec2>, Failure> {
    let text = load::read_text(path)?;
    let mut points = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let numbers = line.split([' ', '\t', ',']).filter(|it| !it.is_empty());
        let numbers: Vec<Option<f64>> = numbers.map(|it| it.parse().ok()).collect();
        let (Some(Some(x)), Some(Some(z)), 2) = (numbers.first(), numbers.get(1), numbers.len())
        else {
            let place = format!("{}:{}", path.display(), index + 1);
            return Err(Failure::Usage(format!(
                "{place}: {line:?} is not `x z` in metres"
            )));
        };
        points.push(DVec2::new(*x, *z));
    }
    let length: f64 = points
        .windows(2)
        .map(|pair| pair[0].distance(pair[1]))
        .sum();
    match length.is_finite() && length > 0.1 {
        true => Ok(points),
        false => Err(Failure::Usage(format!(
            "{}: a path is at least two `x z` lines, 10 cm and more in all",
            path.display()
        ))),
    }
}

fn output(
    motions: &[LoadedMotion],
    graph: &MotionGraph,
    walk: Option<&Walk>,
    seconds: f64,
) -> Output {
    let edge = |edge: &GraphEdge| EdgeEntry {
        from: edge.from,
        from_s: edge.point.from_secs,
        to: edge.to,
        to_s: edge.point.to_secs,
        cost_cm: 100.0 * edge.point.cost_m,
    };
    let walk = walk.map(|walk| WalkEntry {
        frames: walk.frames(),
        duration_s: walk.duration_secs(),
        changes_s: walk.changes_secs().to_vec(),
        slide_cm: 100.0 * walk.slide_m(),
    });
    Output {
        frames: graph.clips().map(|clip| clip.frames()).sum(),
        motions: motions.iter().map(MotionEntry::of).collect(),
        edges: graph.edges().iter().map(edge).collect(),
        strongly_connected_share: graph.strongly_connected_share(),
        seconds,
        walk,
    }
}

fn report(output: &Output) -> String {
    let graph = format!(
        "{} motions, {} frames, {} transitions; {:.0} % of the frames can be played for ever; {:.1} s",
        output.motions.len(),
        output.frames,
        output.edges.len(),
        100.0 * output.strongly_connected_share,
        output.seconds
    );
    let walk = output.walk.as_ref().map(|walk| {
        format!(
            "\na walk of {:.1} s with {} transitions; standing feet slide {:.1} cm",
            walk.duration_s,
            walk.changes_s.len(),
            walk.slide_cm
        )
    });
    graph + &walk.unwrap_or_default()
}
