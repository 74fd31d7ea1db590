//! `ik`: a limb of two bones sent to a point by several solvers; its
//! configuration space as a picture.

use std::{io::Write, path::PathBuf};

use clap::Args;
use glam::Vec3;
use serde::Serialize;

use super::{
    Failure, ReadArgs, frames, inputs::Inputs, message, overwrite::ForceArgs, print_json,
    terminal::data_out,
};
use crate::{
    chart::Landscape,
    clip::ClipCursor,
    load::{Loaded, LoadedMotion},
    math::ik::ChainSolver,
    output::Staged,
    posing::{ChainSpace, DragSolver, SolverWay, find_joint},
    skeleton::{LocalPose, ModelPose},
};

/// Cells of the picture, either way: 3° each.
const CELLS: usize = 120;

#[derive(Args, Debug)]
pub(super) struct IkArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// The frame whose pose it begins in, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    frame: usize,
    /// The end of the limb: a hand or a foot, by name or by the part it plays
    #[arg(long, value_name = "JOINT", default_value = "left_hand")]
    joint: String,
    /// Where to, metres: x,y,z
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    to: Vec3,
    /// By which: two_bones, fabrik, ccd, dls; all when left out
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_solver)]
    solver: Vec<ChainSolver>,
    /// Draws the configuration space as SVG: both angles, the distance to the
    /// target as colour, the way of every solver
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

fn parse_point(text: &str) -> Result<Vec3, String> {
    let numbers: Result<Vec<f32>, _> = text.split(',').map(|it| it.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => {
            Ok(Vec3::new(*x, *y, *z))
        }
        _ => Err("three numbers with commas between, such as 0.4,1.3,0.3".to_owned()),
    }
}

fn parse_solver(text: &str) -> Result<ChainSolver, String> {
    match DragSolver::of_word(text) {
        Some(DragSolver::Chain { solver, .. }) => Ok(solver),
        _ => Err("two_bones, fabrik, ccd or dls".to_owned()),
    }
}

/// How a solver went.
#[derive(Debug, Serialize)]
struct WayFact {
    solver: &'static str,
    rounds: u32,
    error_mm: f64,
    /// Degrees, before the first round and after every one.
    angles_deg: Vec<[f64; 2]>,
}

pub(super) fn run(args: &IkArgs) -> Result<(), Failure> {
    let mut inputs = Inputs::load(&args.read.files, args.read.load_options());
    inputs.complete()?;
    args.force.check(&inputs.paths, args.plot.as_deref())?;
    let loaded = std::mem::take(&mut inputs.loaded).into_iter();
    let motion = loaded.filter_map(Loaded::into_motion).next();
    let motion =
        motion.ok_or_else(|| Failure::Usage("there is no motion to take a pose from".into()))?;
    let found = space(&motion, args)?;
    let mut staged = Staged::default();
    if let Some(path) = &args.plot {
        staged.add(path, picture(&found, args).to_svg().as_bytes())?;
    }
    staged.commit()?;
    if found.space.solutions().is_none() {
        message("the target is out of reach: the limb is stretched towards it");
    }
    let facts: Vec<WayFact> = found.ways.iter().map(fact).collect();
    match args.json {
        true => print_json(&facts),
        false => print(&facts),
    }
}

fn space(motion: &LoadedMotion, args: &IkArgs) -> Result<ChainSpace, Failure> {
    let (skeleton, clip) = (motion.skeleton(), motion.sampler());
    frames::check(args.frame, clip.frames(), &motion.name)?;
    let joint = find_joint(skeleton, &args.joint).ok_or_else(|| {
        Failure::Usage(format!("the skeleton has no joint named {:?}", args.joint))
    })?;
    let (mut pose, mut model) = (LocalPose::default(), ModelPose::default());
    let secs = args.frame as f64 / clip.fps();
    clip.sample(skeleton, secs, &mut ClipCursor::default(), &mut pose);
    model.compute(skeleton, &pose);
    let solvers = match args.solver.as_slice() {
        [] => &ChainSolver::ALL,
        some => some,
    };
    let found = ChainSpace::of(skeleton, (joint, args.to.into()), &model, solvers);
    found.ok_or_else(|| {
        Failure::Usage(format!(
            "{} is not the end of two bones: name a hand or a foot",
            args.joint
        ))
    })
}

fn degrees(angles: [f32; 2]) -> [f64; 2] {
    angles.map(|it| f64::from(it).to_degrees())
}

fn picture(found: &ChainSpace, args: &IkArgs) -> Landscape {
    let way = |it: &SolverWay| {
        let error_mm = it.solved.error_m * 1000.0;
        let name = format!(
            "{}: {} rounds, {error_mm:.2} mm",
            it.solver.name(),
            it.solved.rounds
        );
        (name, it.angles.iter().map(|it| degrees(*it)).collect())
    };
    let lows = found.space.solutions().into_iter().flatten();
    Landscape {
        title: format!(
            "{} to {} {} {}: up to {:.2} m off (yellow), 0 in the rings",
            args.joint,
            args.to.x,
            args.to.y,
            args.to.z,
            found.space.most_error_m()
        ),
        labels: [
            "angle of the upper bone, from straight down".into(),
            "bend".into(),
        ],
        half: 180.0,
        heights: found.heights(CELLS),
        ways: found.ways.iter().map(way).collect(),
        lows: lows.map(degrees).collect(),
    }
}

fn fact(way: &SolverWay) -> WayFact {
    let solver = DragSolver::Chain {
        solver: way.solver,
        more: 0,
    };
    let rounded = |value: f64, steps: f64| (value * steps).round() / steps;
    WayFact {
        solver: solver.word(),
        rounds: way.solved.rounds,
        error_mm: rounded(f64::from(way.solved.error_m) * 1e3, 1e4),
        angles_deg: { way.angles.iter() }
            .map(|it| degrees(*it).map(|angle| rounded(angle, 1e3)))
            .collect(),
    }
}

fn print(facts: &[WayFact]) -> Result<(), Failure> {
    let mut out = data_out();
    writeln!(out, "solver     rounds  error mm")?;
    for fact in facts {
        writeln!(
            out,
            "{:<10} {:>6}  {:>8.4}",
            fact.solver, fact.rounds, fact.error_mm
        )?;
    }
    Ok(out.flush()?)
}
