//! What panels and keys ask for, applied.

use std::{sync::Arc, time::Instant};

use super::{Session, WindowRequest};
use crate::{
    app::{Message, SessionError, background::background, export, record::FilmSettings},
    clip::EventHistory,
    cloth::table,
    posing::Posing,
    scene::{ClothKnobs, ThemeChoice, ViewPreset},
    ui::{Action, Command, Film, Leaving, Mode, Severity, Switch},
};

/// Steps of each sheet that are timed, as by `cloth-table`.
const TIMED_STEPS: usize = 60;

impl Session {
    /// Applies what a panel or a key asked for.
    pub fn apply(&mut self, command: Command) {
        match command {
            Command::Do(action) => self.act(action),
            Command::Seek(secs) => self.clock_mut().seek(secs),
            Command::Range(start, end) => self.clock_mut().set_range(start, end),
            Command::Speed(speed) => self.clock_mut().set_speed(speed),
            Command::Wrap(wrap) => self.clock_mut().wrap = wrap,
            Command::Loops(loops) => self.clock_mut().set_loops(loops),
            Command::EditEvents(edit) => self.edit_events(&edit),
            Command::Display(display) => self.options.display = display,
            Command::LookThrough(camera) => self.options.through = camera,
            Command::Select(joint) => self.select(joint),
            Command::ShowClip(index) => self.show(index),
            Command::ToggleAlongside(index) => self.toggle_alongside(index),
            Command::Open(paths) => self.open(paths),
            Command::CancelLoading => {
                self.jobs.loader.cancel();
                self.jobs.progress = None;
            }
            Command::Export(dialog) => self.export_as(&dialog),
            Command::CancelExport => self.cancel_export(),
            Command::BrowseExport => self.browse_export(),
            Command::Compress => self.compress(),
            Command::FilterClip(filter) => self.filter_clip(filter),
            Command::MendClip(mended) => self.mend_clip(mended),
            Command::SaveCurves(file) => self.save_curves(file),
            Command::ExportKin => self.export(export::kin),
            Command::ExportErrors => self.export(export::errors),
            Command::SweepCodecs => self.sweep_codecs(),
            Command::CancelSweep => self.cancel_sweep(),
            Command::Reinterpret(overrides) => self.reinterpret(overrides),
            Command::ChooseSkeleton(number) => self.choose_skeleton(number),
            Command::Pose(action) => self.pose(&action),
            Command::UndoDrag => self.with_posing(Posing::undo_kept),
            Command::RedoDrag => self.with_posing(Posing::redo_kept),
            Command::SwitchDrag(index, on) => self.with_posing(|it| it.switch_kept(index, on)),
            Command::CountLimits => self.count_limits(),
            Command::ColourLimits(source) => self.options.limits = source,
            Command::BrowseProp(joint) => self.browse_prop(joint),
            Command::BrowseGround => self.browse_ground(),
            Command::Cloth(knobs) => self.set_cloth(knobs),
            Command::ResetCloth => self.scene_mut().cloth.reset(),
            Command::ClothTable => self.time_cloth(),
            Command::Tune(tuning) => self.tune(tuning),
            Command::TimeScale(scale) => self.set_time_scale(scale),
            Command::SetParameter(name, value) => self.set_parameter(name, value),
            Command::EditAnimator(asked) => self.edit_animator(asked),
            Command::ReloadAnimator if self.driving.editing.is_some() => self.take_file(),
            Command::ReloadAnimator => self.reload_animator(),
            Command::HoldClips(codec) => self.hold_clips(codec),
            Command::DriveAs(who) => self.drive_as(who),
            Command::Cast(asked) => self.bring(asked),
            Command::Blend(asked) => self.blend(asked),
            Command::Retarget(asked) => self.retarget(asked),
            Command::Learn(index) => self.learn(index),
            Command::Library(asked) => self.browse(asked),
            Command::Dismiss(id) => self.notices.dismiss(id),
            Command::ClearRecent => self.recent.clear(),
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::TogglePlay => self.clock_mut().toggle(),
            Action::Step(frames) => self.clock_mut().step_frames(frames),
            Action::SkipSeconds(secs) => {
                let clock = self.clock_mut();
                clock.seek(clock.time_secs() + f64::from(secs));
            }
            Action::ToStart => self.clock_mut().go_to_start(),
            Action::ToEnd => self.clock_mut().go_to_end(),
            Action::RangeIn => {
                let clock = self.clock_mut();
                clock.set_range(clock.time_secs(), clock.range_secs().1);
            }
            Action::RangeOut => {
                let clock = self.clock_mut();
                clock.set_range(clock.range_secs().0, clock.time_secs());
            }
            Action::RangeClear => self.clock_mut().clear_range(),
            Action::Slower => self.change_speed(0.5),
            Action::Faster => self.change_speed(2.0),
            Action::Reverse => self.clock_mut().reverse(),
            Action::NextWrap => self.clock_mut().next_wrap(),
            Action::AddEvent => self.add_event(),
            Action::DeleteEvent => self.delete_event(),
            Action::UndoEvents => self.step_events(EventHistory::undo),
            Action::RedoEvents => self.step_events(EventHistory::redo),
            Action::PreviousClip => self.show_neighbour(-1),
            Action::NextClip => self.show_neighbour(1),
            Action::FrameAll => self.frame_all(),
            Action::LookFrom(side) => self.look_from(side),
            Action::Toggle(switch) => self.toggle(switch),
            Action::NextTheme => {
                self.options.display.theme = match self.options.display.theme {
                    ThemeChoice::System => ThemeChoice::Dark,
                    ThemeChoice::Dark => ThemeChoice::Light,
                    ThemeChoice::Light => ThemeChoice::System,
                };
            }
            Action::HoldTime => self.hold_time(),
            Action::ToggleMode => self.set_mode(self.mode.other()),
            Action::Enter(mode) => self.set_mode(mode),
            Action::Back => self.back(),
            Action::Shortcuts => self.panels.shortcuts = !self.panels.shortcuts,
            Action::SidePanel => self.panels.side = !self.panels.side,
            Action::Learn => {
                self.panels.library.open = false;
                self.toggle_learn();
            }
            Action::Library => self.toggle_library(),
            Action::Log => self.panels.log = !self.panels.log,
            Action::Open => self.jobs.loader.ask_for_files(),
            Action::Paste => self.requests.push(WindowRequest::Paste),
            Action::Export => self.open_export(),
            Action::Screenshot => self.requests.push(WindowRequest::Picture {
                size: None,
                path: None,
            }),
            Action::ScreenshotWindow => self.requests.push(WindowRequest::ScreenshotWindow),
            Action::RecordGif => self.record(Film::Gif),
            Action::RecordPictures => self.record(Film::Pictures),
            Action::RecordMotion => self.record_motion(),
            Action::Fullscreen => self.requests.push(WindowRequest::Fullscreen),
            Action::Quit => self.ask_to_leave(Leaving::Quit),
        }
    }

    fn record(&mut self, film: Film) {
        let film = FilmSettings::of_window(film);
        self.requests.push(WindowRequest::Record(film));
    }

    /// Esc: one thing, what lies on top first; never the program. Menus, lists
    /// and text fields are closed before the key comes here.
    pub(super) fn back(&mut self) {
        let panels = &mut self.panels;
        if panels.export.take().is_some() {
            return;
        }
        for open in [&mut panels.shortcuts, &mut panels.log] {
            if std::mem::take(open) {
                return;
            }
        }
        if self.options.selected.is_some() {
            self.select(None);
        } else if self.panels.learn {
            self.toggle_learn();
        } else if self.panels.library.open {
            self.toggle_library();
        } else if self.mode != Mode::View {
            self.set_mode(Mode::View);
        }
    }

    /// Another mode; whoever is seen then comes into the picture.
    pub fn set_mode(&mut self, mode: Mode) {
        if mode == self.mode {
            return;
        }
        self.release_keys();
        self.release_joint();
        let was = self.seen_mode();
        self.mode = mode;
        if mode == Mode::Drive {
            self.drive_whoever_is_seen();
        }
        if mode == Mode::Blend {
            self.enter_blend();
        }
        self.share_view(was);
        self.select(None);
        self.options.hovered = None;
        self.scene_mut().jump_camera();
    }

    /// The scene that is seen goes on with the cloth of the one before, which
    /// lets its own go. Each keeps its camera: one stands behind whoever is
    /// driven, the others where clips are seen best.
    pub(super) fn share_view(&mut self, was: Mode) {
        let is = self.seen_mode();
        if is == was {
            return;
        }
        let from = self.scene_of(was);
        let (free, aspect) = (from.camera.camera.free, from.camera.aspect);
        let knobs = from.cloth.knobs();
        from.cloth.reset();
        let to = self.scene_of(is);
        to.camera.set_view(free, aspect);
        to.cloth.set(knobs);
    }

    fn set_cloth(&mut self, knobs: ClothKnobs) {
        self.options.cloth = knobs.look;
        self.scene_mut().cloth.set(knobs);
    }

    /// What `cloth-table --csv` writes, from the window.
    fn time_cloth(&mut self) {
        self.tell(Severity::Info, "Timing every cloth solver…");
        let outbox = Arc::clone(&self.jobs.outbox);
        background(move || {
            let start = Instant::now();
            let now = || start.elapsed().as_secs_f64();
            let rows = table::measure_all(TIMED_STEPS, now).map_err(SessionError::from);
            let saved = rows
                .and_then(|rows| export::save("cloth-table", "csv", table::csv(&rows).as_bytes()));
            outbox(Message::Saved(saved));
        });
    }

    pub(super) fn reload_animator(&mut self) {
        self.jobs.loader.drive(self.driving.source.clone());
    }

    fn change_speed(&mut self, factor: f64) {
        let speed = self.scene().clock.speed() * factor;
        match self.driven() {
            Some(_) => self.set_time_scale(speed),
            None => self.clock_mut().set_speed(speed),
        }
    }

    pub(super) fn toggle(&mut self, switch: Switch) {
        let display = &mut self.options.display;
        let flag = match switch {
            Switch::Skin => &mut display.skin,
            Switch::Bones => &mut display.bones,
            Switch::Names => &mut display.names,
            Switch::Axes => &mut display.axes,
            Switch::Trajectory => &mut display.trajectory,
            Switch::Follow => {
                let camera = self.mode.camera_of(display);
                *camera = camera.next();
                let text = format!("Camera: {}", camera.says());
                self.tell(Severity::Info, text);
                return;
            }
            Switch::Ghosts => {
                display.ghosts = if display.ghosts == 0 { 3 } else { 0 };
                return;
            }
        };
        *flag = !*flag;
    }

    pub(super) fn look_from(&mut self, preset: ViewPreset) {
        self.options.through = None;
        self.scene_mut().look_from(preset);
    }

    pub(super) fn frame_all(&mut self) {
        self.options.through = None;
        self.scene_mut().frame_all();
    }
}
