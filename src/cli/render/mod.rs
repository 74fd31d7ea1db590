//! `render`: offscreen pictures.
//!
//! One path from files to pixels: load, choose the moments, compose each into
//! [`FrameData`], draw it, hand the picture to a sink (one PNG, a folder, a GIF,
//! a contact sheet). The clock is fixed: pictures depend on the arguments alone.

mod args;
mod bake;
mod memory;
mod show;
mod sink;
mod sprites;
#[cfg(test)]
mod tests;

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(super) use args::RenderArgs;

use super::{Failure, message};
use crate::{
    output::Staged,
    render::{Gpu, GpuError, Offscreen, Quality},
    scene::FrameData,
};
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
    memory::check(args.picture_size(), args.samples)?;
    args.check_outputs()?;
    if let Some(ending @ ("mp4" | "webm")) = args.extension().as_deref() {
        // Before anything is read or drawn: it takes its time.
        sink::encoder_of(ending)?;
    }
    // Takes its place with the last picture: whatever fails before, fails all.
    let mut staged = Staged::default();
    let mut show = Show::load(args, &mut staged)?;
    let moments = show.moments();
    if let Some(path) = &args.trace {
        let lines = show.trace().iter();
        let text: String = lines.map(|line| line.to_json() + "\n").collect();
        staged.add(path, text.as_bytes())?;
    }
    if args.display.bake {
        bake::bake(args, show, &mut staged)?;
        return Ok(staged.commit()?);
    }
    let gpu = Gpu::offscreen()?;
    // Pictures that are kept may cost more than those of a window.
    let quality = Quality {
        samples: args.samples,
        ..Quality::FULL
    };
    if gpu.is_software() {
        message(&format!(
            "drawing with the processor ({}): {}× antialiasing, shadow map of {} texels",
            gpu.info.name, quality.samples, quality.shadow_size
        ));
    }
    let mut sink = Sink::open(args, (moments.len(), show.frame_secs()), show.name())?;
    let mut offscreen = Offscreen::new(&gpu, sink.picture_size(), quality)?;
    let progress = progress_bar(moments.len());
    show.aim(args, sink.picture_size())?;
    let mut frame = FrameData::default();
    let mut told = false;
    for moment in moments {
        show.go_to(moment, args);
        show.scene.compose(&mut frame);
        // Once: what is wrong in one frame is wrong in most.
        if let Some(text) = frame.left_out_message().filter(|_| !told) {
            message(&format!("warning: frame {}: {text}", moment.frame));
            told = true;
        }
        let picture = offscreen.render(&gpu, &frame)?;
        sink.put(moment.frame, &picture, &mut staged)?;
        progress.inc(1);
    }
    sink.finish(&mut staged)?;
    progress.finish_and_clear();
    Ok(staged.commit()?)
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
