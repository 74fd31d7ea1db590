//! `--trace`: one JSON object a line and frame, for tests and measurements.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

use serde::Serialize;

use super::session::Session;
use crate::ui::{Gravity, LayerView, Mode};

/// The file being written.
pub struct Trace {
    out: BufWriter<File>,
}

#[derive(Serialize)]
struct Layer<'a> {
    name: &'a str,
    state: &'a str,
    previous: Option<&'a str>,
    fade: f32,
    weight: f32,
}

impl<'a> From<&'a LayerView> for Layer<'a> {
    fn from(layer: &'a LayerView) -> Self {
        Self {
            name: &layer.name,
            state: &layer.state,
            previous: layer.previous.as_deref(),
            fade: layer.fade,
            weight: layer.weight,
        }
    }
}

#[derive(Serialize)]
struct Line<'a> {
    t: f64,
    mode: &'static str,
    layers: Vec<Layer<'a>>,
    root: [f32; 3],
    heading: f32,
    phase: f64,
    events: &'a [String],
    frame_ms: f32,
    clip: Option<&'a str>,
    frame: usize,
    playing: bool,
    speed: f64,
    codec: &'static str,
    compressed: bool,
    side: bool,
    errors: usize,
    size: [u32; 2],
    full_quality: bool,
}

/// What the window adds to a line.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Milliseconds the frame took on the event loop.
    pub frame_ms: f32,
    /// Pixels.
    pub size: [u32; 2],
    /// Not the cheaper one for moving pictures.
    pub full_quality: bool,
}

impl Trace {
    /// Creates the file.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            out: BufWriter::new(File::create(path)?),
        })
    }

    /// Writes a line. It is flushed at once: whoever watches the file sees
    /// every frame.
    pub fn write(
        &mut self,
        session: &Session,
        events: &[String],
        drawn: Drawn,
    ) -> std::io::Result<()> {
        let root = session.root_place();
        let view = session.player.view();
        let animator = session
            .animator
            .as_ref()
            .filter(|_| session.mode == Mode::Drive);
        let duration = (view.range_secs.1 - view.range_secs.0).max(1e-9);
        let notices = session.notices.list().iter();
        let line = Line {
            t: session.now_secs,
            mode: match session.mode {
                Mode::View => "view",
                Mode::Drive => "drive",
            },
            layers: animator.map_or_else(Vec::new, |animator| {
                animator.layers.iter().map(Layer::from).collect()
            }),
            root: root.0.to_array(),
            heading: root.1,
            phase: (view.time_secs - view.range_secs.0) / duration,
            events,
            frame_ms: drawn.frame_ms,
            clip: session.stage.lead.as_ref().map(|take| take.name.as_str()),
            frame: session.player.frame(),
            playing: view.playing,
            speed: view.speed,
            codec: session.codec_word(),
            compressed: session.stage.squeezed.is_some(),
            side: session.panels.side,
            errors: notices
                .filter(|notice| notice.gravity == Gravity::Error)
                .count(),
            size: drawn.size,
            full_quality: drawn.full_quality,
        };
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}
