//! What a button of the Learn page asks for, step by step: those that wait for
//! a thread are tried again with every frame. When the page is closed, what was
//! there before it comes back.

use super::{ClipList, Session, editing::Editing};
use crate::{
    animator::Script,
    app::drive::CharacterSource,
    posing::{LookAt, PoseAction},
    scene::{ClothKnobs, Display},
    ui::{
        Codec, Command, FilterChoice, Lesson, Mode, Retargeting, Section, Step, lessons, steps_of,
    },
};

/// The page's state.
#[derive(Default)]
pub(super) struct Learning {
    /// The row that is set up.
    pub lesson: Option<usize>,
    /// What is left to do.
    steps: &'static [Step],
    /// The step under way was asked for.
    asked: bool,
    /// So were the performer's clips.
    opening: bool,
    before: Option<Box<Before>>,
}

/// What the user had before the first lesson.
struct Before {
    display: Display,
    sections: Vec<Section>,
    clips: ClipList,
    mode: Mode,
    source: CharacterSource,
    chosen: bool,
    editing: Option<Editing>,
}

impl Learning {
    /// All steps are done.
    #[cfg(test)]
    pub fn is_done(&self) -> bool {
        self.steps.is_empty()
    }
}

impl Session {
    /// Opens the page, or closes it.
    pub(super) fn toggle_learn(&mut self) {
        self.panels.learn = !self.panels.learn;
        if !self.panels.learn {
            self.end_lessons();
        }
    }

    /// Sets a row up, from a plain beginning.
    pub(super) fn learn(&mut self, index: usize) {
        let Some(lesson) = lessons().find(|lesson| lesson.index == index) else {
            return;
        };
        self.begin_lesson(lesson);
    }

    fn begin_lesson(&mut self, lesson: &'static Lesson) {
        if self.learning.before.is_none() {
            self.learning.before = Some(Box::new(self.set_aside()));
        }
        self.learning.lesson = Some(lesson.index);
        self.learning.steps = steps_of(&lesson.numbers).unwrap_or_default();
        (self.learning.asked, self.learning.opening) = (false, false);
        self.clear_the_stage();
        self.go_on_learning();
    }

    fn set_aside(&mut self) -> Before {
        let is_ours = self.clips.is_built_in();
        // The user's own files wait; the performer's may as well be used.
        let clips = match is_ours {
            true => ClipList::default(),
            false => std::mem::take(&mut self.clips),
        };
        Before {
            display: self.options.display,
            sections: self.panels.sections.clone(),
            clips,
            mode: self.mode,
            source: self.driving.source.clone(),
            chosen: self.driving.chosen,
            editing: self.driving.editing.take(),
        }
    }

    /// Nothing is left of the lesson before.
    fn clear_the_stage(&mut self) {
        let before = self.learning.before.as_ref().map(|it| it.display);
        let kept = before.unwrap_or_default();
        self.options.display = Display {
            theme: kept.theme,
            fov_deg: kept.fov_deg,
            ..Display::default()
        };
        self.panels.sections.clear();
        self.panels.side = true;
        self.panels.editor.open = false;
        self.panels.exercise.on = false;
        self.panels.curves.filter = FilterChoice::Off;
        self.apply(Command::Cloth(ClothKnobs::default()));
        self.panels.codec.codec = Codec::Off;
        self.compress();
        self.forget_blend();
        for index in self.clips.shown_rows().into_iter().skip(1) {
            self.toggle_alongside(index);
        }
        for asked in [Retargeting::PlayOn(None), Retargeting::Mirror(false)] {
            self.retarget(asked);
        }
        self.put_pose_at_ease();
        self.view_scene.clock.set_speed(1.0);
        self.view_scene.clock.playing = true;
    }

    fn put_pose_at_ease(&mut self) {
        let words = [
            "detach",
            "ground flat",
            "reach left_hand off",
            "reach right_hand off",
            "drag off",
            "solver body",
            "rest off",
            "ragdoll off",
            "morph off",
        ];
        let eased = words.into_iter().filter_map(parse_pose);
        for action in eased.chain([PoseAction::Look(LookAt::Off)]) {
            // Whoever has no such joint has nothing to put at ease.
            let _ = self.view_scene.act(&action);
        }
    }

    /// Goes on with what was begun, as far as it can.
    pub(super) fn go_on_learning(&mut self) {
        while let Some((step, later)) = self.learning.steps.split_first() {
            if !self.step_of_lesson(*step) {
                return;
            }
            self.learning.steps = later;
            self.learning.asked = false;
        }
    }

    /// Does a step, or what can be done of it by now; true once it is done.
    fn step_of_lesson(&mut self, step: Step) -> bool {
        match step {
            Step::Clip(name) => return self.clip_is_shown(name),
            Step::Blend(names) => return self.blend_is_shown(names),
            Step::Drive(script) => return self.performer_is_driven(script),
            Step::Open(section) => self.panels.sections.push(section),
            Step::Turn(turn) => turn(&mut self.panels),
            Step::Show(change) => change(&mut self.options.display),
            Step::Pose(words) => {
                if let Some(action) = parse_pose(words) {
                    self.pose(&action);
                }
            }
            Step::Compress(codec) => {
                self.panels.codec.codec = codec;
                self.compress();
            }
            Step::Cloth(preset, solvers) => {
                let knobs = ClothKnobs::of(Some(preset), self.options.cloth).by_solvers(solvers);
                self.apply(Command::Cloth(knobs));
            }
            Step::Sheet(change) => {
                let mut knobs = self.scene().cloth.knobs();
                change(&mut knobs.look);
                self.apply(Command::Cloth(knobs));
            }
            Step::Ask(command) => self.apply(command()),
        }
        true
    }

    fn clip_is_shown(&mut self, name: &str) -> bool {
        self.set_mode(Mode::View);
        if !self.our_clips_are_there() {
            return false;
        }
        let shown = self.clips.lead.as_ref().is_some_and(|it| it.name == name);
        if !shown && !std::mem::replace(&mut self.learning.asked, true) {
            let row = self.clips.rows.iter().position(|row| row.name == name);
            row.into_iter().for_each(|row| self.show(row));
        }
        shown
    }

    /// The performer's clips are in the list; else they are asked for, once.
    fn our_clips_are_there(&mut self) -> bool {
        let there = self.clips.is_built_in() && self.clips.lead.is_some();
        if !there && !std::mem::replace(&mut self.learning.opening, true) {
            self.jobs.loader.open_built_in();
        }
        there
    }

    fn blend_is_shown(&mut self, names: &[&str]) -> bool {
        if !self.our_clips_are_there() {
            return false;
        }
        if !std::mem::replace(&mut self.learning.asked, true) {
            self.set_mode(Mode::Blend);
            let rows = self.clips.rows.iter().enumerate();
            let picked = rows.filter(|(_, row)| names.contains(&row.name.as_str()));
            let picked = picked.map(|(index, _)| index).collect();
            self.pick_all(picked);
        }
        self.blending.shown.is_some()
    }

    fn performer_is_driven(&mut self, script: &str) -> bool {
        if !std::mem::replace(&mut self.learning.asked, true) {
            self.driving.chosen = true;
            self.set_mode(Mode::Drive);
            // Anew: no parameter stays as the lesson before left it.
            self.drive_from(CharacterSource::default());
        }
        let Some((_, animator)) = self.drive_mut() else {
            return false;
        };
        let now_secs = animator.time_secs();
        if let Ok(script) = Script::parse(script) {
            for timed in script.inputs() {
                animator.input(now_secs + timed.at_secs, timed.input.clone());
            }
        }
        true
    }

    /// What was there before the first lesson comes back.
    fn end_lessons(&mut self) {
        self.learning.lesson = None;
        self.learning.steps = &[];
        let Some(before) = self.learning.before.take() else {
            return;
        };
        self.clear_the_stage();
        let before = *before;
        self.options.display = before.display;
        self.panels.sections = before.sections;
        self.driving.chosen = before.chosen;
        self.driving.editing = before.editing;
        if self.driving.source != before.source {
            self.drive_from(before.source);
        }
        self.set_mode(Mode::View);
        if let Some(shown) = before.clips.shown_rows().first().copied() {
            self.clips = before.clips;
            self.show(shown);
        }
        self.set_mode(before.mode);
    }
}

fn parse_pose(words: &str) -> Option<PoseAction> {
    let words: Vec<&str> = words.split_whitespace().collect();
    PoseAction::parse(&words)?.ok()
}
