//! The command line: one file per subcommand, exit codes in one place.
//!
//! Data goes to stdout, messages to stderr. Scripts depend on both and on the
//! exit codes: 0 done, 2 wrong usage, 3 a file is unreadable or malformed,
//! 4 no display or GPU, 1 anything else.

mod blend;
mod check;
mod cloth_table;
mod codec_curves;
mod codec_knobs;
mod codec_plots;
mod compress;
mod convert;
mod curves;
mod drive;
mod exercise;
mod figures;
mod file_by_file;
mod folder;
mod frames;
mod grade;
mod graph;
mod ik;
mod info;
mod inputs;
mod keys;
mod library;
mod mend;
mod onto;
mod overwrite;
mod page;
mod performance;
mod pose;
#[cfg(feature = "viewer")]
mod render;
mod report;
mod same_skeleton;
mod table;
mod terminal;
mod transition;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use terminal::message;

use crate::{
    import::{MotionOptions, SkeletonOptions, UpAxis},
    load::{LoadError, LoadOptions},
    output::{self, OutputError},
    posing::PoseAction,
    units::LengthUnit,
};

/// A viewer and laboratory for motion capture.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Skeletons and motions to open in the viewer; the built-in character
    /// when none is given.
    files: Vec<PathBuf>,
    /// The animator's description (RON), instead of the built-in one
    #[arg(long, value_name = "FILE")]
    animator: Option<PathBuf>,
    /// Writes one JSON object a line and frame
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The axis that points up in the files, y, z, x, -y, -z or -x, instead of the one found
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Forgets the settings remembered from earlier runs
    #[arg(long)]
    reset_config: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What each file holds, with every assumption and warning
    Info(info::InfoArgs),
    /// Joint positions as JSON
    Pose(pose::PoseArgs),
    /// Every track, component and key of a file that has keys (glTF, .kin)
    Keys(keys::KeysArgs),
    /// A limb sent to a point by several solvers, and its configuration space
    Ik(ik::IkArgs),
    /// Offscreen pictures: PNG, PNG sequence, animated GIF, contact sheet
    #[cfg(feature = "viewer")]
    Render(Box<render::RenderArgs>),
    /// Compress motions into a .kin container, and measure the result
    Compress(compress::CompressArgs),
    /// Between formats: into BVH, ASF, AMC, glTF, CSV and .kin
    Convert(convert::ConvertArgs),
    /// How long a step of each cloth solver takes on this machine
    ClothTable(cloth_table::ClothTableArgs),
    /// The motion of a character under a script, as a file
    Drive(drive::DriveArgs),
    /// Register two or more motions and write their blend
    Blend(blend::BlendArgs),
    /// The best moment to leave one motion for another, and the two joined
    Transition(transition::TransitionArgs),
    /// All good transitions of a library; walks through it
    Graph(graph::GraphArgs),
    /// A folder of thousands of clips: an index of it, search, moments that
    /// look like another
    Library(library::LibraryArgs),
    /// The interpolation exercise of animation courses: every Nth frame kept,
    /// the rest made anew
    Exercise(exercise::ExerciseArgs),
    /// How far a motion is from another, in degrees and centimetres
    Grade(grade::GradeArgs),
    /// Channels of joints over time, as a table and a picture; filters
    Curves(curves::CurvesArgs),
    /// What is wrong with captures: slides, pops, gaps, limits, seams, floor
    Check(check::CheckArgs),
    /// How somebody walks, and how far every joint goes, as a page with plots
    Report(report::ReportArgs),
    /// Captures repaired, and how far that moved them
    Mend(mend::MendArgs),
}

/// How files are read; the same for every subcommand.
#[derive(Args, Clone, Debug, Default)]
struct ReadArgs {
    /// Skeletons and motions in any order, or folders of them; FILE@A..B is a
    /// range of a motion, in frames or, with an `s`, in seconds
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Length unit of the files: inch, cm, m, mm or foot, instead of the one
    /// found or guessed
    #[arg(long, value_name = "UNIT")]
    file_unit: Option<LengthUnit>,
    /// Frames a second, instead of those stated or assumed
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    fps: Option<f64>,
    /// The axis that points up in the files, y, z, x, -y, -z or -x, instead of the one found
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    up: Option<UpAxis>,
    /// Holds thumbs and fingers at rest, for captures that have garbage there
    #[arg(long)]
    ignore_fingers: bool,
}

impl ReadArgs {
    fn load_options(&self) -> LoadOptions {
        LoadOptions {
            skeleton: SkeletonOptions {
                unit: self.file_unit,
                up: self.up,
            },
            motion: MotionOptions { fps: self.fps },
            ignore_fingers: self.ignore_fingers,
            ..LoadOptions::default()
        }
    }

    /// The same for motions that are put on one skeleton anyway: which one a
    /// motion was captured on may be guessed, and is told.
    fn library_options(&self) -> LoadOptions {
        LoadOptions {
            guess_skeleton: true,
            ..self.load_options()
        }
    }
}

/// Something done to a pose, in the words of a script.
pub(in crate::cli) fn parse_pose(text: &str) -> Result<PoseAction, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    PoseAction::parse(&words).unwrap_or_else(|| {
        let verbs = PoseAction::VERBS.map(|(verb, _)| verb).join(", ");
        Err(format!("none of {verbs}"))
    })
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text
        .parse()
        .map_err(|_| format!("{text:?} is not a number"))?;
    if rate > 0.0 && rate <= 100_000.0 {
        Ok(rate)
    } else {
        Err("a rate lies above 0 and at most at 100000".into())
    }
}

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Exit code 3.
    #[error(transparent)]
    File(#[from] LoadError),
    /// Exit code 3, the messages already written.
    #[error("{failed} of {all} files failed{rest}")]
    SomeFiles {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
        /// What became of the others.
        rest: &'static str,
    },
    /// Exit code 4.
    #[error("{0}")]
    NoDisplay(String),
    /// Nobody reads the output any more: no failure of ours.
    #[error("the output was closed")]
    ClosedOutput,
    /// Exit code 1.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            // `kinetoscope pose … | head` has done what was asked for.
            Self::ClosedOutput => 0,
            Self::Other(_) => 1,
            Self::Usage(_) => 2,
            Self::File(_) | Self::SomeFiles { .. } => 3,
            Self::NoDisplay(_) => 4,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedOutput
        } else {
            Self::Other(anyhow::Error::new(error).context("writing the output"))
        }
    }
}

/// The whole command line as clap knows it, for whoever checks or lists it.
#[must_use]
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Entry point of the binary.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // Help and version are no errors and go to stdout.
            let _ = usage.print();
            return ExitCode::from(u8::try_from(usage.exit_code()).unwrap_or(2));
        }
    };
    // Without it files under way are left behind at Ctrl-C; nothing else is.
    let _ = output::clean_up_on_signals();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::ClosedOutput) {
                message(&format!("error: {failure:#}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Some(Command::Info(args)) => info::run(&args),
        Some(Command::Pose(args)) => pose::run(&args),
        Some(Command::Keys(args)) => keys::run(&args),
        Some(Command::Ik(args)) => ik::run(&args),
        Some(Command::Compress(args)) => compress::run(&args),
        Some(Command::Convert(args)) => convert::run(&args),
        Some(Command::ClothTable(args)) => cloth_table::run(&args),
        Some(Command::Drive(args)) => drive::run(&args),
        Some(Command::Blend(args)) => blend::run(&args),
        Some(Command::Transition(args)) => transition::run(&args),
        Some(Command::Graph(args)) => graph::run(&args),
        Some(Command::Library(args)) => library::run(&args),
        Some(Command::Exercise(args)) => exercise::run(&args),
        Some(Command::Grade(args)) => grade::run(&args),
        Some(Command::Curves(args)) => curves::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Mend(args)) => mend::run(&args),
        #[cfg(feature = "viewer")]
        Some(Command::Render(args)) => render::run(&args),
        #[cfg(feature = "viewer")]
        None => view(cli),
        #[cfg(not(feature = "viewer"))]
        None => Err(Failure::NoDisplay(
            "the viewer is not part of this build; every command of `kinetoscope --help` works on any capture".into(),
        )),
    }
}

#[cfg(feature = "viewer")]
fn view(cli: Cli) -> Result<(), Failure> {
    use crate::app::{AppError, Options};
    let mut inputs = crate::load::without_states(&cli.files);
    inputs.extend(cli.animator.clone());
    overwrite::ForceArgs::default().check(&inputs, cli.trace.as_deref())?;
    let options = Options {
        files: cli.files,
        animator: cli.animator,
        trace: cli.trace,
        reset_config: cli.reset_config,
        up: cli.up,
    };
    crate::app::run(options).map_err(|error| match error {
        AppError::NoDisplay(_) | AppError::Gpu(_) => Failure::NoDisplay(error.to_string()),
        AppError::Trace { .. } | AppError::Window(_) => Failure::Other(error.into()),
    })
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::Other(error.into())
    }
}

/// True when standard error is a terminal.
fn on_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stderr())
}

/// A path in JSON, which is Unicode; paths need not be.
fn path_as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// JSON to stdout, ended by a line feed.
fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = terminal::data_out();
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(out.flush()?)
}
