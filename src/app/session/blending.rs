//! Blend mode: clips of the list, averaged in the background.

use std::{path::PathBuf, sync::Arc};

use super::{
    Session,
    export::{item_of, write_motion},
};
use crate::{
    app::{
        Message, SessionError, background,
        blend_worker::{BlendJob, BlendKind, Blended, InStep},
        export,
        opened_clip::OpenedClip,
    },
    convert::{ConvertOptions, Format},
    load,
    register::Pin,
    scene::{Character, ViewPreset},
    ui::{BlendShown, Blending, BlendingView, InputsShown, Mode, Progress, Section},
};

/// Clips that are blended at most: a square has four corners.
const MOST_PICKS: usize = 4;
/// Linear tints of inputs, in the order and colours of the panel.
const TINTS: [[f32; 3]; MOST_PICKS] = [
    [0.45, 0.75, 1.35],
    [1.35, 0.60, 0.45],
    [0.60, 1.25, 0.60],
    [1.05, 0.70, 1.35],
];

/// What is blended, and what has come of it.
#[derive(Default)]
pub(super) struct BlendState {
    /// Rows of the list, in the order they were taken.
    picked: Vec<usize>,
    weights: Vec<f64>,
    plain: bool,
    inputs: InputsShown,
    pins: Vec<Pin>,
    /// The last that could be made.
    pub shown: Option<Arc<Blended>>,
    fault: Option<String>,
    progress: Option<Progress>,
    /// Answers to earlier jobs are about other clips.
    first_ticket: Option<u64>,
}

impl Session {
    /// What the panel asked for.
    pub(super) fn blend(&mut self, asked: Blending) {
        let state = &mut self.blending;
        match asked {
            Blending::Pick(index) => return self.pick(index),
            Blending::Weights(weights) if weights.len() != state.picked.len() => return,
            Blending::Weights(weights) => state.weights = weights,
            Blending::Plain(plain) => state.plain = plain,
            Blending::Inputs(inputs) => {
                state.inputs = inputs;
                self.stand_inputs();
                return;
            }
            Blending::Pins(pins) => state.pins = pins,
            Blending::SendToState(state) => return self.send_to_state(state),
            Blending::DrawPath(draw) => return self.set_drawing(draw),
            Blending::ForgetPath => return self.forget_walk(),
        }
        self.ask_for_blend();
    }

    /// Writes the blend to a file of its own, which the state then plays.
    fn send_to_state(&mut self, state: String) {
        let made = self
            .played_clip()
            .filter(|_| self.seen_mode() == Mode::Blend);
        let Some(clip) = made.cloned() else {
            return;
        };
        let outbox = Arc::clone(&self.jobs.outbox);
        background(move || {
            let path = export::free_name(&export::folder(), &clip.name, "bvh");
            let options = ConvertOptions::default();
            let written = write_motion(&item_of(&clip), (&path, Format::Bvh), &options, &|| true);
            outbox(Message::ForState(state, written.map(|_| path)));
        });
    }

    pub(super) fn receive_for_state(
        &mut self,
        state: String,
        written: Result<PathBuf, SessionError>,
    ) {
        match written {
            Ok(path) => self.give_to_state(state, path),
            Err(error) => self.tell_error(&error),
        }
    }

    /// Begins with what is seen, where nothing was taken yet.
    pub(super) fn enter_blend(&mut self) {
        let open = self.panels.sections.iter();
        if !{ open }.any(|section| section.is_for(Mode::Blend) && !section.is_for(Mode::View)) {
            self.panels.sections.push(Section::Blend);
        }
        if self.blending.picked.is_empty() {
            self.pick_all(self.clips.shown_rows());
        }
    }

    /// Other files were opened: nothing is taken of the old list.
    pub(super) fn forget_blend(&mut self) {
        let BlendState { plain, inputs, .. } = self.blending;
        self.forget_walk();
        self.jobs.blend.forget();
        let was = self.seen_mode();
        self.blending = BlendState {
            plain,
            inputs,
            ..BlendState::default()
        };
        self.share_view(was);
    }

    /// Whether a clip of the list is blended.
    /// What a blend is made of, where that is on the same skeleton.
    pub(super) fn blended_inputs(
        &self,
        blend: &OpenedClip,
    ) -> Vec<(String, Arc<dyn crate::clip::SampleClip>)> {
        let picked = self.blending.picked.iter();
        let clips = picked.filter_map(|index| self.clips.clip(*index));
        let clips = clips.filter(|it| it.skeleton.len() == blend.skeleton.len());
        clips
            .filter_map(|it| Some((it.name.clone(), it.sampler()?)))
            .collect()
    }

    pub(super) fn is_picked(&self, index: usize) -> bool {
        self.blending.picked.contains(&index)
    }

    fn pick(&mut self, index: usize) {
        let mut picked = self.blending.picked.clone();
        match picked.iter().position(|known| *known == index) {
            Some(at) => drop(picked.remove(at)),
            None if picked.len() < MOST_PICKS && index < self.clips.rows.len() => {
                picked.push(index);
            }
            None => return,
        }
        self.pick_all(picked);
    }

    pub(super) fn pick_all(&mut self, mut picked: Vec<usize>) {
        picked.truncate(MOST_PICKS);
        self.jobs.blend.forget();
        let state = &mut self.blending;
        state.weights = vec![1.0 / picked.len().max(1) as f64; picked.len()];
        state.picked = picked;
        state.pins.clear();
        (state.fault, state.progress, state.first_ticket) = (None, None, None);
        for index in state.picked.clone() {
            self.clips.want(index, &self.jobs.loader);
        }
        self.ask_for_blend();
    }

    /// A clip was read, or cannot be.
    pub(super) fn picked_clip_came(&mut self, index: usize, outcome: Result<(), &SessionError>) {
        if !self.is_picked(index) {
            return;
        }
        match outcome {
            Ok(()) => self.ask_for_blend(),
            Err(error) => {
                self.blending.progress = None;
                self.blending.fault = Some(error.to_string());
            }
        }
    }

    /// As soon as all that is taken has been read.
    pub(super) fn ask_for_blend(&mut self) {
        self.forget_walk();
        let state = &mut self.blending;
        if state.picked.len() < 2 {
            state.progress = None;
            return;
        }
        let inputs: Option<Vec<Arc<OpenedClip>>> = { state.picked.iter() }
            .map(|&index| self.clips.clip(index).cloned())
            .collect();
        let Some(inputs) = inputs else {
            state.progress = Some(busy("Reading"));
            return;
        };
        let ticket = self.jobs.blend.ask(BlendJob {
            on: Arc::clone(self.retargeting.character().unwrap_or(&inputs[0])),
            inputs,
            pins: state.pins.clone(),
            mirror: self.retargeting.is_mirrored(),
            weights: state.weights.clone(),
            plain: state.plain,
        });
        state.first_ticket.get_or_insert(ticket);
        state.progress = Some(busy("Blending"));
    }

    fn is_wanted_blend(&self, ticket: u64) -> bool {
        self.blending.first_ticket.is_some_and(|it| it <= ticket)
    }

    pub(super) fn receive_blend_progress(&mut self, ticket: u64, progress: Progress) {
        if self.is_wanted_blend(ticket) {
            self.blending.progress = Some(progress);
        }
    }

    pub(super) fn receive_blended(
        &mut self,
        ticket: u64,
        outcome: Result<Arc<Blended>, SessionError>,
    ) {
        if !self.is_wanted_blend(ticket) {
            return;
        }
        if self.jobs.blend.is_current(ticket) {
            self.blending.progress = None;
        }
        match outcome {
            Ok(blended) => {
                self.blending.fault = None;
                self.show_blended(blended);
            }
            Err(error) => {
                let fault = error.to_string();
                // Once: a path that is dragged fails at every step.
                if self.blending.fault.as_ref() != Some(&fault) {
                    self.tell_error(&error);
                }
                self.blending.fault = Some(fault);
            }
        }
    }

    /// Other weights of the same clips go on from the same moment of the act;
    /// other clips begin anew.
    pub(super) fn show_blended(&mut self, blended: Arc<Blended>) {
        let before = self.blending.shown.take();
        let was = self.seen_mode();
        let same = |it: &&Arc<Blended>| {
            let same_motion = |(a, b)| Arc::ptr_eq(a, b);
            let [own, new] = [it, &&blended].map(|it| it.registration.motions());
            own.len() == new.len() && own.iter().zip(new).all(same_motion)
        };
        match before.as_ref().filter(same) {
            Some(before) => self.go_on_with(before, &blended),
            None => {
                self.blend_scene.replace_lead(blended.clip.character());
                self.blend_scene.look_from(ViewPreset::ThreeQuarter);
                self.blend_scene.jump_camera();
            }
        }
        let anew = before.is_none();
        self.blending.shown = Some(blended);
        self.stand_inputs();
        // Its own scene is seen from now on.
        self.share_view(was);
        if anew || was != Mode::Blend {
            self.blend_scene.frame_all();
            self.blend_scene.jump_camera();
        }
        self.trace_joint();
    }

    fn go_on_with(&mut self, before: &Blended, blended: &Blended) {
        let scene = &mut self.blend_scene;
        let (Some(lead), Some(clip)) = (scene.lead_mut(), blended.clip.sampler()) else {
            return;
        };
        lead.set_clip(Arc::clone(&clip));
        let now = |secs: f64| blended.time_at(before.share_at(secs));
        let (secs, (start, end)) = (scene.clock.time_secs(), scene.clock.range_secs());
        let whole = start == 0.0 && end >= before.clip.duration_secs();
        scene.clock.load(clip.duration_secs(), clip.fps());
        if !whole {
            scene.clock.set_range(now(start), now(end));
        }
        scene.clock.seek(now(secs));
    }

    /// The inputs around the blend, or none.
    fn stand_inputs(&mut self) {
        let (Some(blended), scene) = (&self.blending.shown, &mut self.blend_scene) else {
            return;
        };
        let shown = self.blending.inputs;
        scene.characters.truncate(1);
        let inputs = 0..blended.names.len();
        match shown {
            InputsShown::Hidden => {}
            InputsShown::Beside => {
                let others = inputs.map(|motion| in_step(blended, motion, true));
                scene.set_alongside(others);
            }
            InputsShown::Aligned | InputsShown::Recorded => {
                let aligned = shown == InputsShown::Aligned;
                for (motion, tint) in inputs.zip(TINTS) {
                    let mut ghost = in_step(blended, motion, aligned);
                    (ghost.see_through, ghost.ghost_tint) = (true, tint);
                    scene.characters.push(ghost);
                }
            }
        }
    }

    /// How much each clip counts, in Blend mode.
    #[must_use]
    pub fn blend_weights(&self) -> &[f64] {
        match self.mode {
            Mode::Blend => &self.blending.weights,
            Mode::View | Mode::Drive => &[],
        }
    }

    /// For the panel.
    pub(super) fn blending_view(&self) -> BlendingView<'_> {
        let state = &self.blending;
        BlendingView {
            picked: &state.picked,
            weights: &state.weights,
            plain: state.plain,
            inputs: state.inputs,
            pins: &state.pins,
            progress: state.progress.as_ref(),
            fault: state.fault.as_deref(),
            shown: state.shown.as_deref().map(|it| self.blend_shown(it)),
            path: self.path_view(),
        }
    }

    fn blend_shown<'a>(&self, blended: &'a Blended) -> BlendShown<'a> {
        let secs = self.blend_scene.clock.time_secs();
        let mut source_secs = [0.0; MOST_PICKS];
        for (motion, source) in source_secs.iter_mut().enumerate().take(blended.names.len()) {
            *source = blended.source_secs(motion, secs);
        }
        BlendShown {
            names: &blended.names,
            registration: &blended.registration,
            blend: match &blended.kind {
                BlendKind::Registered(blend) => Some(blend),
                BlendKind::Plain(_) => None,
            },
            source_secs,
            slide_m: blended.slide_m,
        }
    }
}

fn busy(text: &str) -> Progress {
    Progress {
        text: text.to_owned(),
        fraction: None,
    }
}

/// An input on the blend's character, in step with it.
fn in_step(blended: &Arc<Blended>, motion: usize, aligned: bool) -> Character {
    let clip = &blended.clip;
    let own = InStep {
        blended: Arc::clone(blended),
        motion,
        aligned,
    };
    let mut character = Character::playing(
        blended.names[motion].clone(),
        Arc::clone(&clip.skeleton),
        Arc::clone(&clip.body),
        Arc::new(own),
    );
    character.outline = clip.character().outline;
    character.with_ways_up(load::ways_up)
}
