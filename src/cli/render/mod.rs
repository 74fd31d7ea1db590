//! `render`: offscreen pictures.
//!
//! One path from files to pixels: load, choose the moments, compose each into
//! [`FrameData`](crate::scene::FrameData), draw it, hand the picture to a sink (one PNG, a folder, a
//! GIF, a contact sheet). The clock is fixed: pictures depend on the arguments
//! alone.

mod args;
mod drive;
mod show;
mod sink;

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(super) use args::RenderArgs;

use super::{Failure, message, output};
use crate::render::{Gpu, GpuError, Offscreen, Quality};
use show::Show;
use sink::Sink;

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::TooLarge { .. } | GpuError::ZeroSize => Self::Usage(error.to_string()),
            GpuError::NoAdapter | GpuError::Unfit { .. } | GpuError::NoDevice { .. } => {
                Self::NoDisplay(error.to_string())
            }
            GpuError::Lost(_) | GpuError::Driver(_) => Self::Other(anyhow::Error::new(error)),
        }
    }
}

pub(super) fn run(args: &RenderArgs) -> Result<(), Failure> {
    args.check()?;
    let show = Show::load(args)?;
    let moments = show.moments(args)?;
    if let Some(path) = &args.trace {
        let lines = show.trace(&moments);
        let text: String = lines.iter().map(|line| line.to_json() + "\n").collect();
        output::write(path, text.as_bytes())?;
    }
    let gpu = Gpu::offscreen()?;
    let quality = Quality {
        samples: args.samples,
        ..Quality::for_adapter(&gpu)
    };
    if gpu.is_software() {
        message(&format!(
            "drawing with the processor ({}): {}× antialiasing, shadow map of {} texels",
            gpu.info.name, quality.samples, quality.shadow_size
        ));
    }
    let mut sink = Sink::open(args, moments.len())?;
    let mut offscreen = Offscreen::new(&gpu, sink.picture_size(), quality)?;
    let progress = progress_bar(moments.len());
    let mut drape = show.drape(args)?;
    let mut camera = show.camera(args, &moments, sink.picture_size(), drape.as_ref());
    let mut frame = crate::scene::FrameData::default();
    for mut moment in moments.iter().copied() {
        if let Some(drape) = &mut drape {
            show.run_cloth(&mut moment, drape);
        }
        show.compose(args, moment, &mut camera, &mut frame);
        if let Some(drape) = &drape {
            frame.push_cloth(drape, args.cloth_look());
        }
        if args.sheet {
            frame.caption = Some(moment.frame.to_string());
        }
        let picture = offscreen.render(&gpu, &frame)?;
        sink.put(moment.frame, &picture)?;
        progress.inc(1);
    }
    sink.finish()?;
    progress.finish_and_clear();
    Ok(())
}

/// On a terminal, and only when there is something to wait for.
fn progress_bar(pictures: usize) -> ProgressBar {
    if pictures < 4 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(pictures as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len} pictures, {eta} left");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
