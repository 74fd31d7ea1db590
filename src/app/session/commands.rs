//! What panels and keys ask for, applied.

use glam::Vec3;

use super::{Session, WindowRequest};
use crate::{
    app::{export, record::Film},
    ui::{Action, Command, Mode, Side, Switch, ThemeChoice},
};

impl Session {
    /// Applies what a panel or a key asked for.
    pub fn apply(&mut self, command: Command) {
        match command {
            Command::Do(action) => self.act(action),
            Command::Seek(secs) => self.player.seek(secs),
            Command::Range(start, end) => self.player.set_range(start, end),
            Command::Speed(speed) => self.player.set_speed(speed),
            Command::Wrap(wrap) => self.player.wrap = wrap,
            Command::Display(display) => self.display = display,
            Command::Select(joint) => self.select(joint),
            Command::ShowClip(index) => self.show(index),
            Command::ToggleAlongside(index) => self.toggle_beside(index),
            Command::Open(paths) => self.open(paths),
            Command::CancelLoading => {
                self.loader.cancel();
                self.progress = None;
            }
            Command::Compress => self.compress(),
            Command::ExportKin => self.export(export::kin),
            Command::ExportErrors => self.export(export::errors),
            Command::SweepCodecs => self.sweep(),
            Command::CancelSweep => self.cancel_sweep(),
            Command::Reinterpret(overrides) => self.reinterpret(overrides),
            Command::Cloth(knobs) => self.cloth.set(knobs),
            Command::ResetCloth => self.cloth.reset(),
            Command::Tune(tuning) => {
                if let Some(drive) = &mut self.drive {
                    drive.tune(tuning);
                }
            }
            Command::TimeScale(scale) => {
                if let Some(drive) = &mut self.drive {
                    drive.set_time_scale(scale);
                }
            }
            Command::SetParameter(name, value) => {
                if let Some(drive) = &mut self.drive {
                    drive.set(&name, value);
                }
            }
            Command::ReloadAnimator => self.loader.cast(self.cast_source.clone()),
            Command::DriveAs(who) => self.drive_as(who),
            Command::Retarget(asked) => self.retarget(asked),
            Command::Dismiss(id) => self.notices.dismiss(id),
            Command::ClearRecent => self.recent.clear(),
        }
    }

    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::TogglePlay => self.player.toggle(),
            Action::Step(frames) => self.player.step(frames),
            Action::SkipSeconds(secs) => {
                self.player.seek(self.player.time_secs() + f64::from(secs));
            }
            Action::ToStart => self.player.go_to_start(),
            Action::ToEnd => self.player.go_to_end(),
            Action::RangeIn => {
                let end = self.player.view().range_secs.1;
                self.player.set_range(self.player.time_secs(), end);
            }
            Action::RangeOut => {
                let start = self.player.view().range_secs.0;
                self.player.set_range(start, self.player.time_secs());
            }
            Action::RangeClear => self.player.clear_range(),
            Action::Slower => self.change_speed(0.5),
            Action::Faster => self.change_speed(2.0),
            Action::Reverse => self.player.reverse(),
            Action::NextWrap => self.player.next_wrap(),
            Action::PreviousClip => self.show_neighbour(-1),
            Action::NextClip => self.show_neighbour(1),
            Action::FrameAll => self.frame_all(),
            Action::LookFrom(side) => self.look_from(side),
            Action::Toggle(switch) => self.toggle(switch),
            Action::NextTheme => {
                self.display.theme = match self.display.theme {
                    ThemeChoice::System => ThemeChoice::Dark,
                    ThemeChoice::Dark => ThemeChoice::Light,
                    ThemeChoice::Light => ThemeChoice::System,
                };
            }
            Action::HoldTime => self.hold_time(),
            Action::ToggleMode => self.set_mode(self.mode.other()),
            Action::Back => self.back(),
            Action::Shortcuts => self.panels.shortcuts = !self.panels.shortcuts,
            Action::SidePanel => self.panels.side = !self.panels.side,
            Action::Log => self.panels.log = !self.panels.log,
            Action::Open => self.loader.ask_for_files(),
            Action::Paste => self.requests.push(WindowRequest::Paste),
            Action::Screenshot => self
                .requests
                .push(WindowRequest::Screenshot { interface: false }),
            Action::ScreenshotWindow => self
                .requests
                .push(WindowRequest::Screenshot { interface: true }),
            Action::RecordGif => self.requests.push(WindowRequest::Record(Film::Gif)),
            Action::RecordPictures => self.requests.push(WindowRequest::Record(Film::Pictures)),
            Action::Fullscreen => self.requests.push(WindowRequest::Fullscreen),
            Action::Quit => self.requests.push(WindowRequest::Quit),
        }
    }

    /// Esc: what is open first, then Drive; never the program.
    pub(super) fn back(&mut self) {
        if self.panels.shortcuts || self.panels.log {
            self.panels.shortcuts = false;
            self.panels.log = false;
        } else if self.mode == Mode::Drive {
            self.set_mode(Mode::View);
        } else {
            self.select(None);
        }
    }

    /// Drive or View; whoever is seen then comes into the picture.
    pub fn set_mode(&mut self, mode: Mode) {
        if mode == self.mode {
            return;
        }
        self.release_keys();
        self.mode = mode;
        self.select(None);
        self.hovered = None;
        self.follow_camera.jump(self.shown_stage().footing());
    }

    pub(super) fn change_speed(&mut self, factor: f64) {
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.change_time_scale(factor),
            _ => self.player.change_speed(factor),
        }
    }

    pub(super) fn toggle(&mut self, switch: Switch) {
        let display = &mut self.display;
        let flag = match switch {
            Switch::Skin => &mut display.skin,
            Switch::Bones => &mut display.bones,
            Switch::Names => &mut display.names,
            Switch::Axes => &mut display.axes,
            Switch::Trajectory => &mut display.trajectory,
            Switch::Follow => {
                display.camera = display.camera.next();
                return;
            }
            Switch::Ghosts => {
                display.ghosts = if display.ghosts == 0 { 3 } else { 0 };
                return;
            }
        };
        *flag = !*flag;
    }

    pub(super) fn look_from(&mut self, side: Side) {
        let stage = self.shown_stage();
        let facing = stage.lead.as_ref().map_or(Vec3::Z, |take| {
            crate::humanoid::facing(&take.skeleton, &stage.pose).unwrap_or(take.facing)
        });
        self.follow_camera.look_from(side, facing);
    }

    pub(super) fn frame_all(&mut self) {
        let stage = self.shown_stage();
        let (mut room, footing) = (stage.room(), stage.footing());
        if let Some((drape, _)) = self.cloth.instance() {
            room.extend(drape.room().map(|point| point - footing));
        }
        self.follow_camera.frame(&room, footing);
    }
}
