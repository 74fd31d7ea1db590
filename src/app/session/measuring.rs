//! The pages of Check beside the findings: the exercise beside the clip, and how
//! somebody walks. Both are asked for when their page opens or what they are of
//! changes.

use std::sync::Arc;

use super::Session;
use crate::{
    app::{
        SessionError,
        exercise_worker::{ExerciseJob, MadeClip},
        opened_clip::OpenedClip,
    },
    scene::Character,
    ui::{CheckPage, ExerciseFigures, ExercisePanel, MeasuresView, Mode, Section},
};

/// What was measured, and of what.
#[derive(Default)]
pub(super) struct Measuring {
    /// Of the clip at this address.
    gait_of: Option<usize>,
    pub gait: Option<crate::analysis::GaitReport>,
    exercise_of: Option<(usize, ExercisePanel)>,
    figures: Vec<ExerciseFigures>,
    clips: Vec<Arc<OpenedClip>>,
    busy: bool,
    fault: Option<String>,
}

impl Measuring {
    /// Who stands beside the clip.
    pub fn characters(&self) -> impl Iterator<Item = Character> + '_ {
        self.clips.iter().map(|it| it.character())
    }

    pub fn view(&self) -> MeasuresView<'_> {
        MeasuresView {
            gait: self.gait.as_ref(),
            made: &self.figures,
            busy: self.busy,
            fault: self.fault.as_deref(),
        }
    }
}

impl Session {
    /// Asks anew where page, clip or knobs have changed.
    pub(super) fn follow_measures(&mut self) {
        let clip = self.clips.lead.clone();
        let clip = clip.filter(|it| it.motion.is_some() && self.mode == Mode::View);
        let open = self.panels.side && self.panels.sections.contains(&Section::Check);
        let at = |clip: &Arc<OpenedClip>| Arc::as_ptr(clip).addr();
        let gait = open && self.panels.check_page == CheckPage::Gait;
        let walker = clip.clone().filter(|_| gait);
        if walker.as_ref().map(at) != self.measuring.gait_of {
            self.measuring.gait_of = walker.as_ref().map(at);
            self.measuring.gait = None;
            match walker {
                Some(clip) => self.jobs.gait.ask(clip),
                None => self.jobs.gait.forget(),
            }
        }
        // It stays beside the clip while one looks at something else.
        let exercise = clip.filter(|_| self.panels.exercise.on);
        let source = exercise
            .as_ref()
            .map(|it| (at(it), self.panels.exercise.clone()));
        if source == self.measuring.exercise_of {
            return;
        }
        let other_clip = {
            let of = |it: &Option<(usize, ExercisePanel)>| it.as_ref().map(|it| it.0);
            of(&source) != of(&self.measuring.exercise_of)
        };
        self.measuring.exercise_of = source;
        if other_clip {
            self.forget_made();
        }
        match exercise {
            Some(clip) => {
                self.measuring.busy = true;
                let ExercisePanel { every, methods, .. } = self.panels.exercise;
                let methods = methods.to_vec();
                self.jobs.exercise.ask(ExerciseJob {
                    clip,
                    every,
                    methods,
                });
            }
            None => {
                self.measuring.busy = false;
                self.jobs.exercise.forget();
            }
        }
    }

    fn forget_made(&mut self) {
        let had = !self.measuring.clips.is_empty();
        self.measuring.figures.clear();
        self.measuring.clips.clear();
        self.measuring.fault = None;
        if had {
            self.refresh();
        }
    }

    pub(super) fn receive_exercise(&mut self, made: Result<Vec<MadeClip>, SessionError>) {
        self.measuring.busy = false;
        let before = self.measuring.clips.len();
        self.measuring.fault = None;
        match made {
            Ok(made) => {
                let figures = made.iter().map(|it| ExerciseFigures {
                    method: it.method,
                    grade: it.grade.clone(),
                });
                self.measuring.figures = figures.collect();
                self.measuring.clips = made.into_iter().map(|it| it.clip).collect();
            }
            Err(error) => {
                self.measuring.figures.clear();
                self.measuring.clips.clear();
                self.measuring.fault = Some(error.to_string());
            }
        }
        self.refresh();
        if before == 0 && !self.measuring.clips.is_empty() {
            self.frame_all();
        }
    }
}
