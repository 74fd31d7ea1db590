//! `exercise`: the interpolation exercise of animation courses.

use std::path::PathBuf;

use clap::Args;

use super::{
    Failure, ReadArgs, convert::stage_skeleton, folder::make_folder, grade::Figures,
    inputs::Inputs, message, overwrite::ForceArgs,
};
use crate::{
    analysis::{self, Grade},
    chart::{self, Chart, Series},
    convert::{ExerciseSubject, Format, SubjectError},
    exercise::{ChannelMotion, Method, interpolate, last_key},
    load::{Loaded, LoadedMotion},
    output::Staged,
};

#[derive(Args, Debug)]
pub(super) struct ExerciseArgs {
    #[command(flatten)]
    read: ReadArgs,
    /// Frames 0, N, 2N … are kept, those after the last of them copied, the
    /// rest interpolated
    #[arg(long, value_name = "N")]
    every: u32,
    /// How frames between two keys come about
    #[arg(long, value_enum)]
    method: Method,
    /// The motion to write, an .amc file with the degrees of freedom of its own
    #[arg(short, long, value_name = "OUT.amc")]
    output: PathBuf,
    /// A table of the error, a row a frame
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// The error over time as a picture, SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// A degree of freedom such as `lfemur.rx` to be in table and picture too,
    /// as it was and as it is made; may be given several times
    #[arg(long, value_name = "BONE.DOF")]
    channel: Vec<String>,
    #[command(flatten)]
    force: ForceArgs,
}

pub(super) fn run(args: &ExerciseArgs) -> Result<(), Failure> {
    if args.every == 0 {
        return Err(Failure::Usage("--every takes 1 or more frames".into()));
    }
    if Format::of_name(&args.output) != Some(Format::Amc) {
        let shown = args.output.display();
        return Err(Failure::Usage(format!(
            "{shown}: the exercise is written as .amc"
        )));
    }
    let inputs = Inputs::load(&args.read.files, args.read.load_options());
    let outputs = [Some(&args.output), args.csv.as_ref(), args.plot.as_ref()];
    let outputs = outputs.into_iter().flatten().map(PathBuf::as_path);
    args.force.check(&inputs.paths, outputs)?;
    inputs.complete_to_write()?;
    let motion = only_motion(inputs.loaded)?;
    let (subject, remark) = ExerciseSubject::of(&motion, args.read.ignore_fingers)?;
    remark.iter().for_each(|remark| message(remark));
    let columns = columns(&subject, &args.channel)?;
    let every = args.every as usize;
    let made = interpolate(&subject.channels, every, args.method);
    let text = made.to_amc();
    let measured = Measured {
        grade: subject.grade(&text)?,
        subject: &subject,
        made: &made,
        columns,
        every,
        method: args.method,
    };
    let mut staged = Staged::default();
    make_folder(&args.output)?;
    if let Some(skeleton) = &subject.own_skeleton {
        stage_skeleton(
            &motion.path,
            (&args.output, skeleton),
            args.force,
            &mut staged,
        )?;
    }
    staged.add(&args.output, text.as_bytes())?;
    if let Some(path) = &args.csv {
        staged.add(path, measured.csv().as_bytes())?;
    }
    if let Some(path) = &args.plot {
        staged.add(path, measured.plot().as_bytes())?;
    }
    staged.commit()?;
    message(&measured.sentence());
    Ok(())
}

fn only_motion(loaded: Vec<Loaded>) -> Result<LoadedMotion, Failure> {
    let mut motions: Vec<LoadedMotion> =
        loaded.into_iter().filter_map(Loaded::into_motion).collect();
    match motions.len() {
        1 => Ok(motions.remove(0)),
        count => Err(Failure::Usage(format!(
            "the exercise is set on one motion, not {count}"
        ))),
    }
}

/// Degrees of freedom by name.
fn columns(subject: &ExerciseSubject, names: &[String]) -> Result<Vec<(usize, String)>, Failure> {
    let column = |name: &String| {
        subject.channels.column(name).ok_or_else(|| {
            let some: Vec<String> = subject.channels.channels().map(|it| it.1).take(9).collect();
            Failure::Usage(format!(
                "there is no degree of freedom {name:?}; there are {} …",
                some.join(", ")
            ))
        })
    };
    names.iter().map(column).collect()
}

impl From<SubjectError> for Failure {
    fn from(error: SubjectError) -> Self {
        match error {
            SubjectError::Load(error) => Self::File(*error),
            SubjectError::Convert { .. } => Self::Usage(error.to_string()),
            SubjectError::Channels { .. } | SubjectError::Text { .. } => {
                Self::Other(anyhow::Error::new(error))
            }
        }
    }
}

/// The result and how far it is from the original.
struct Measured<'a> {
    grade: Grade,
    subject: &'a ExerciseSubject,
    made: &'a ChannelMotion,
    columns: Vec<(usize, String)>,
    every: usize,
    method: Method,
}

impl Measured<'_> {
    fn is_kept(&self, frame: usize) -> bool {
        frame.is_multiple_of(self.every) || frame > last_key(self.made.frames(), self.every)
    }

    fn csv(&self) -> String {
        let mut text = String::from("frame,time_s,kept,mean_deg,max_deg,mean_cm,max_cm");
        for (_, name) in &self.columns {
            text.push_str(&format!(",{name},{name}_made"));
        }
        text.push('\n');
        for (frame, error) in self.grade.frames.iter().enumerate() {
            text.push_str(&format!(
                "{frame},{:.6},{},{:.6},{:.6},{:.6},{:.6}",
                frame as f64 / self.made.fps,
                u8::from(self.is_kept(frame)),
                error.mean_deg,
                error.max_deg,
                error.mean_cm,
                error.max_cm
            ));
            for &(column, _) in &self.columns {
                let [was, is] =
                    [&self.subject.channels, self.made].map(|it| it.frame(frame)[column]);
                text.push_str(&format!(",{was:.6},{is:.6}"));
            }
            text.push('\n');
        }
        text
    }

    fn plot(&self) -> String {
        let errors = |name: &str, of: fn(&analysis::FrameError) -> f64| {
            Series::even(name, 1.0, self.grade.frames.iter().map(of))
        };
        let title = format!("{}, every {} frames", self.method.label(), self.every);
        let mut charts = vec![
            Chart {
                title: format!("{title}: error of joint angles"),
                y_label: "degrees".into(),
                series: vec![
                    errors("mean", |it| it.mean_deg),
                    errors("largest", |it| it.max_deg),
                ],
                ..self.blank()
            },
            Chart {
                title: format!("{title}: error of joint positions"),
                y_label: "cm".into(),
                series: vec![
                    errors("mean", |it| it.mean_cm),
                    errors("largest", |it| it.max_cm),
                ],
                ..self.blank()
            },
        ];
        charts.extend(self.columns.iter().map(|(column, name)| {
            let values = |label: &str, motion: &ChannelMotion| {
                let frames = 0..motion.frames();
                Series::even(label, 1.0, frames.map(|frame| motion.frame(frame)[*column]))
            };
            Chart {
                title: format!("{title}: {name}"),
                y_label: "value".into(),
                series: vec![
                    values("original", &self.subject.channels),
                    values(self.method.label(), self.made),
                ],
                ..self.blank()
            }
        }));
        chart::stacked(&charts)
    }

    fn blank(&self) -> Chart {
        let keys = (0..=last_key(self.made.frames(), self.every)).step_by(self.every);
        Chart {
            x_label: "frame".into(),
            marks: keys.map(|frame| frame as f64).collect(),
            ..Chart::default()
        }
    }

    fn sentence(&self) -> String {
        let keys = last_key(self.made.frames(), self.every) / self.every + 1;
        let figures = Figures::of(&self.grade, &self.subject.skeleton.skeleton);
        let method = self.method.label();
        format!("{method} through {keys} keys: {}", figures.sentence())
    }
}
