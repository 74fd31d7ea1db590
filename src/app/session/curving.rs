//! The page of curves: asked for whenever what it shows has changed, filters
//! applied to the clip, tables and pictures written.

use std::sync::Arc;

use super::Session;
use crate::{
    analysis::{self, Filter, Wanted},
    app::{curve_worker::CurveJob, export},
    ui::{CurveFile, CurvePlot, JointPage, Mode, Section, Severity},
};

/// What the curves on screen were taken from.
#[derive(Clone, Debug, PartialEq)]
struct Source {
    /// Where its clips lie: another clip is another address.
    clips: Vec<usize>,
    wanted: Wanted,
    filter: Option<Filter>,
}

fn said(filter: Filter) -> String {
    match filter {
        Filter::Butterworth { cutoff_hz } => format!("Butterworth, {cutoff_hz:.1} Hz"),
        Filter::MovingAverage { frames } => format!("mean of {frames} frames"),
    }
}

/// Curves, and what they are of.
#[derive(Default)]
pub(super) struct Curving {
    source: Option<Source>,
    /// Once taken.
    pub plot: Option<CurvePlot>,
}

impl Session {
    /// Takes the curves anew where what they are of has changed; none while the
    /// page is closed.
    pub(super) fn follow_curves(&mut self) {
        let job = self.curve_job();
        let source = job.as_ref().map(|job| Source {
            clips: job
                .clips
                .iter()
                .map(|it| Arc::as_ptr(&it.1).addr())
                .collect(),
            wanted: job.wanted.clone(),
            filter: job.filter,
        });
        if source == self.curving.source {
            return;
        }
        self.curving.source = source;
        match job {
            Some(job) => self.jobs.curves.ask(job),
            None => {
                self.jobs.curves.forget();
                self.curving.plot = None;
            }
        }
    }

    fn curve_job(&self) -> Option<CurveJob> {
        let open = self.panels.side
            && self.panels.sections.contains(&Section::Skeleton)
            && self.panels.joint_page == JointPage::Curves;
        let clip = self
            .shown_clip()
            .filter(|_| open && self.driven().is_none())?;
        let mut clips = vec![("the clip".to_owned(), clip.sampler()?)];
        let compressed = self.compression.result.as_ref();
        if let Some(result) = compressed.filter(|_| self.mode == Mode::View) {
            clips.push(("compressed".to_owned(), Arc::clone(&result.clip) as _));
        }
        if self.mode == Mode::Blend {
            clips.extend(self.blended_inputs(clip));
        }
        let morphs = self.scene().lead().map_or(&[][..], |it| it.morph_names());
        Some(CurveJob {
            skeleton: Arc::clone(&clip.skeleton),
            clips,
            wanted: Wanted {
                joints: self.panels.curves.shown(self.options.selected),
                channels: self.panels.curves.channels.clone(),
                morphs: morphs.to_vec(),
            },
            filter: self.panels.curves.filter(),
        })
    }

    pub(super) fn receive_curves(&mut self, clips: Vec<(String, analysis::Curves)>) {
        self.curving.plot = Some(CurvePlot {
            clips,
            is_filtered: self.clips.is_shown_changed(),
        });
    }

    /// The clip through a filter, in the place of the clip; or as it was captured
    /// again.
    pub(super) fn filter_clip(&mut self, filter: Option<Filter>) {
        if self.mode != Mode::View {
            return self.tell(Severity::Info, "Clips are filtered in View");
        }
        match filter {
            Some(filter) => self.replace_shown(|clip| {
                let smooth = analysis::filtered(clip.raw()?, filter, None);
                clip.changed(("filtered", &said(filter)), smooth)
            }),
            None => self.reread_shown(),
        }
    }

    /// Writes what the plot shows.
    pub(super) fn save_curves(&mut self, file: CurveFile) {
        let Some(plot) = self.curving.plot.as_ref() else {
            return;
        };
        let clips: Vec<_> = plot
            .clips
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect();
        let stem = self.shown_clip().map_or("clip", export::stem_of);
        let stem = format!("{stem}-curves");
        let written = match file {
            CurveFile::Csv => export::save(&stem, "csv", analysis::csv_of(&clips).as_bytes()),
            CurveFile::Svg => export::save(&stem, "svg", analysis::chart_of(&clips).as_bytes()),
        };
        match written {
            Ok(path) => self.tell(Severity::Info, format!("Saved {}", path.display())),
            Err(error) => self.tell_error(&error),
        }
    }
}
