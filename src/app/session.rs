//! The application without its window: what is loaded, how it plays, what the
//! user asked for. Runs headless; time comes from outside.

use std::{path::PathBuf, sync::Arc};

use glam::{Vec2, Vec3};

use super::{
    Message, Outbox,
    drive::{self, Cast, Drive},
    loader::{Loader, Opened},
    notices::Notices,
    player::Player,
    rig::Rig,
    settings::Settings,
    squeeze::{Squeezed, Squeezer},
    stage::{Dress, Entry, Stage},
    take::Take,
};
use crate::{
    scene::FrameData,
    skeleton::JointIndex,
    ui::{
        Action, ClipRow, ClipView, Codec, Command, CompressionView, Display, Gravity, Mode, Model,
        PanelState, PoseView, Progress, Side, Status, Switch, ThemeChoice,
    },
};

/// Takes kept of long lists, so that memory follows what is seen.
const LONG_LIST: usize = 24;
/// Pixels around the pointer in which a joint is found.
const PICK_PX: f32 = 14.0;

/// What only the window can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The whole screen, and back.
    Fullscreen,
    /// A picture, with the interface or without.
    Screenshot {
        /// With it.
        interface: bool,
    },
    /// The clipboard.
    Paste,
    /// The end.
    Quit,
}

/// All state but the window's.
pub struct Session {
    /// Drive or View.
    pub mode: Mode,
    /// The play head.
    pub player: Player,
    /// The camera.
    pub rig: Rig,
    /// Who is seen.
    pub stage: Stage,
    /// Display options.
    pub display: Display,
    /// Panels.
    pub panels: PanelState,
    /// Messages.
    pub notices: Notices,
    /// The status bar.
    pub status: Status,
    /// Files opened before.
    pub recent: Vec<PathBuf>,
    /// For the window to grant.
    pub wishes: Vec<Wish>,
    /// The chosen joint.
    pub selected: Option<JointIndex>,
    /// The joint under the pointer.
    pub hovered: Option<JointIndex>,
    /// What the system prefers.
    pub system_dark: bool,
    /// Seconds since the start.
    pub now_secs: f64,
    entries: Vec<Entry>,
    rows: Vec<ClipRow>,
    shown: usize,
    beside: Vec<usize>,
    loader: Loader,
    progress: Option<Progress>,
    squeezer: Squeezer,
    squeeze_busy: bool,
    squeeze_error: Option<String>,
    camera_moves: bool,
    framed_once: bool,
    drive: Option<Drive>,
    drive_fault: Option<String>,
    driven_keys: u32,
    animator_path: Option<PathBuf>,
}

impl Session {
    /// Starts with what was remembered; `files` or the performer are loaded in
    /// the background.
    pub fn new(settings: Settings, outbox: &Outbox, files: Vec<PathBuf>) -> Self {
        let loader = Loader::new(Arc::clone(outbox));
        let progress = (!files.is_empty()).then(|| Progress {
            text: "Reading".into(),
            share: None,
        });
        if files.is_empty() {
            loader.open_built_in();
        } else {
            loader.open(files);
        }
        Self {
            mode: Mode::View,
            player: Player::default(),
            rig: Rig::default(),
            stage: Stage::default(),
            display: settings.display,
            panels: settings.panels,
            notices: Notices::default(),
            status: Status::default(),
            recent: settings.recent,
            wishes: Vec::new(),
            selected: None,
            hovered: None,
            system_dark: true,
            now_secs: 0.0,
            entries: Vec::new(),
            rows: Vec::new(),
            shown: 0,
            beside: Vec::new(),
            loader,
            progress,
            squeezer: Squeezer::new(Arc::clone(outbox)),
            squeeze_busy: false,
            squeeze_error: None,
            camera_moves: false,
            framed_once: false,
            drive: None,
            drive_fault: None,
            driven_keys: 0,
            animator_path: None,
        }
    }

    /// Loads the animator, from a file or the built-in one, and watches it.
    pub fn load_animator(&mut self, path: Option<PathBuf>, outbox: &Outbox) {
        if let Some(path) = &path {
            drive::watch(path.clone(), Arc::clone(outbox));
        }
        self.loader.cast(path.clone());
        self.animator_path = path;
    }

    /// Who is seen: the performer in Drive mode, once it is ready.
    #[must_use]
    pub fn shown_stage(&self) -> &Stage {
        match (&self.drive, self.mode) {
            (Some(drive), Mode::Drive) => &drive.stage,
            _ => &self.stage,
        }
    }

    /// The performer, while it is driven.
    #[must_use]
    pub fn driven(&self) -> Option<&Drive> {
        self.drive.as_ref().filter(|_| self.mode == Mode::Drive)
    }

    /// What to remember.
    #[must_use]
    pub fn settings(&self) -> Settings {
        Settings {
            display: self.display,
            panels: self.panels.clone(),
            recent: self.recent.clone(),
            ..Settings::default()
        }
    }

    /// Dark surroundings.
    #[must_use]
    pub fn is_dark(&self) -> bool {
        match self.display.theme {
            ThemeChoice::System => self.system_dark,
            ThemeChoice::Dark => true,
            ThemeChoice::Light => false,
        }
    }

    /// Whether the picture changes by itself.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let plays = match self.mode {
            Mode::View => self.stage.lead.is_some() && self.player.is_moving(),
            Mode::Drive => self.drive.is_some(),
        };
        plays || self.camera_moves
    }

    /// Lets time pass and poses whoever is on stage.
    pub fn advance(&mut self, dt_secs: f64) {
        self.notices.age(self.now_secs);
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.advance(dt_secs),
            _ => {
                self.player.advance(dt_secs);
                self.stage.pose_at(self.player.time_secs());
            }
        }
        let stage = self.shown_stage();
        let (footing, empty) = (stage.footing(), stage.lead.is_none());
        if empty {
            self.camera_moves = false;
        } else if self.display.follow {
            self.camera_moves = self.rig.follow(footing, dt_secs as f32);
        } else {
            self.camera_moves = false;
            self.rig.stay(footing);
        }
    }

    /// Fills a frame.
    pub fn compose(&mut self, frame: &mut FrameData) {
        frame.camera = self.rig.camera;
        let mut display = self.display;
        if self.mode == Mode::Drive {
            // Both need a clip to look ahead in.
            (display.ghosts, display.trajectory) = (0, false);
        }
        let dress = Dress {
            display,
            dark: self.is_dark(),
            selected: self.selected,
            hovered: self.hovered,
            secs: self.player.time_secs(),
        };
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.stage.compose(&dress, frame),
            _ => self.stage.compose(&dress, frame),
        }
    }

    /// The window's title.
    #[must_use]
    pub fn title(&self) -> String {
        match (&self.stage.lead, self.mode) {
            (Some(take), Mode::View) if take.clip.is_some() => {
                format!("{} · {:.0} fps – Kinetoscope", take.name, take.fps())
            }
            (Some(take), Mode::View) => format!("{} – Kinetoscope", take.name),
            (_, Mode::Drive) => "performer – Kinetoscope".into(),
            (None, Mode::View) => "Kinetoscope".into(),
        }
    }

    /// For the panels.
    #[must_use]
    pub fn model(&self) -> Model<'_> {
        let stage = self.shown_stage();
        let clip = stage.lead.as_ref().map(|take| ClipView {
            name: &take.name,
            path: take.path.as_deref(),
            skeleton: &take.skeleton,
            raw: take.clip.as_deref(),
            facts: &take.facts,
            remarks: &take.remarks,
            marks: &take.marks,
        });
        let pose = stage.lead.as_ref().map(|_| PoseView {
            local: &stage.local,
            model: &stage.pose,
            selected: self.selected,
        });
        Model {
            mode: self.mode,
            clip,
            playback: self.player.view(),
            pose,
            clips: &self.rows,
            display: self.display,
            compression: CompressionView {
                busy: self.squeeze_busy,
                error: self.squeeze_error.as_deref(),
                result: self
                    .stage
                    .squeezed
                    .as_ref()
                    .map(|squeezed| &squeezed.result),
            },
            animator: self.drive.as_ref().map(|drive| &drive.view),
            animator_fault: self.drive_fault.as_deref(),
            notices: self.notices.list(),
            status: &self.status,
            loading: self.progress.as_ref(),
            recent: &self.recent,
        }
    }

    /// Tells the user.
    pub fn tell(&mut self, gravity: Gravity, text: impl Into<String>) {
        self.notices.add(gravity, text, self.now_secs);
    }

    /// Applies what a panel or a key asked for.
    pub fn apply(&mut self, command: Command) {
        match command {
            Command::Do(action) => self.act(action),
            Command::Seek(secs) => self.player.seek(secs),
            Command::Range(start, end) => self.player.set_range(start, end),
            Command::Speed(speed) => self.player.set_speed(speed),
            Command::Wrap(wrap) => self.player.wrap = wrap,
            Command::Display(display) => self.display = display,
            Command::Select(joint) => self.selected = joint,
            Command::ShowClip(index) => self.show(index),
            Command::ToggleBeside(index) => self.toggle_beside(index),
            Command::Open(paths) => self.open(paths),
            Command::CancelLoading => {
                self.loader.cancel();
                self.progress = None;
            }
            Command::Compress(_) => self.compress(),
            Command::ExportKin => self.export(super::export::kin),
            Command::ExportErrors => self.export(super::export::errors),
            Command::SetParameter(name, value) => {
                if let Some(drive) = &mut self.drive {
                    drive.set(&name, value);
                }
            }
            Command::ReloadAnimator => self.loader.cast(self.animator_path.clone()),
            Command::Dismiss(id) => self.notices.dismiss(id),
            Command::ClearRecent => self.recent.clear(),
        }
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::TogglePlay => self.player.toggle(),
            Action::Step(frames) => self.player.step(frames),
            Action::SkipSeconds(secs) => {
                self.player.seek(self.player.time_secs() + f64::from(secs));
            }
            Action::ToStart => self.player.to_start(),
            Action::ToEnd => self.player.to_end(),
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
            Action::ToggleMode => self.set_mode(self.mode.other()),
            Action::Back => self.back(),
            Action::Shortcuts => self.panels.shortcuts = !self.panels.shortcuts,
            Action::SidePanel => self.panels.side = !self.panels.side,
            Action::Log => self.panels.log = !self.panels.log,
            Action::Open => self.loader.ask_for_files(),
            Action::Paste => self.wishes.push(Wish::Paste),
            Action::Screenshot => self.wishes.push(Wish::Screenshot { interface: false }),
            Action::ScreenshotWindow => self.wishes.push(Wish::Screenshot { interface: true }),
            Action::Fullscreen => self.wishes.push(Wish::Fullscreen),
            Action::Quit => self.wishes.push(Wish::Quit),
        }
    }

    /// Esc: what is open first, then Drive; never the program.
    fn back(&mut self) {
        if self.panels.shortcuts || self.panels.log {
            self.panels.shortcuts = false;
            self.panels.log = false;
        } else if self.mode == Mode::Drive {
            self.set_mode(Mode::View);
        } else {
            self.selected = None;
        }
    }

    /// Drive or View; whoever is seen then comes into the picture.
    pub fn set_mode(&mut self, mode: Mode) {
        if mode == self.mode {
            return;
        }
        self.release_keys();
        self.mode = mode;
        self.selected = None;
        self.hovered = None;
        self.rig.jump(self.shown_stage().footing());
    }

    fn change_speed(&mut self, factor: f64) {
        match (&mut self.drive, self.mode) {
            (Some(drive), Mode::Drive) => drive.change_time_scale(factor),
            _ => self.player.change_speed(factor),
        }
    }

    fn toggle(&mut self, switch: Switch) {
        let display = &mut self.display;
        let flag = match switch {
            Switch::Skin => &mut display.skin,
            Switch::Bones => &mut display.bones,
            Switch::Names => &mut display.names,
            Switch::Axes => &mut display.axes,
            Switch::Trajectory => &mut display.trajectory,
            Switch::Follow => &mut display.follow,
            Switch::Ghosts => {
                display.ghosts = if display.ghosts == 0 { 3 } else { 0 };
                return;
            }
        };
        *flag = !*flag;
    }

    fn look_from(&mut self, side: Side) {
        let stage = self.shown_stage();
        let facing = stage.lead.as_ref().map_or(Vec3::Z, |take| {
            crate::body::facing(&take.skeleton, &stage.pose).unwrap_or(take.facing)
        });
        self.rig.look_from(side, facing);
    }

    fn frame_all(&mut self) {
        let stage = self.shown_stage();
        let (room, footing) = (stage.room(), stage.footing());
        self.rig.frame(&room, footing);
    }

    // ----- clips -----------------------------------------------------------

    /// Opens files or folders.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        if paths.is_empty() {
            return;
        }
        self.progress = Some(Progress {
            text: "Reading".into(),
            share: None,
        });
        self.loader.open(paths);
    }

    /// Opens what a text names: one path a line, `file://` understood.
    pub fn open_text(&mut self, text: &str) {
        let paths: Vec<PathBuf> = text
            .lines()
            .map(|line| line.trim().trim_matches('"'))
            .filter(|line| !line.is_empty())
            .map(|line| PathBuf::from(line.strip_prefix("file://").unwrap_or(line)))
            .collect();
        if paths.is_empty() {
            self.tell(Gravity::Warning, "The clipboard holds no path");
        }
        self.open(paths);
    }

    fn show(&mut self, index: usize) {
        let Some(entry) = self.entries.get(index) else {
            return;
        };
        match &entry.take {
            Some(take) => {
                let take = Arc::clone(take);
                self.put_on_stage(index, take);
            }
            None => {
                self.progress = Some(Progress {
                    text: format!("Reading {}", entry.source.name()),
                    share: None,
                });
                self.loader.read(index, entry.source.clone());
            }
        }
    }

    fn show_neighbour(&mut self, step: isize) {
        if !self.entries.is_empty() {
            let count = self.entries.len() as isize;
            let index = (self.shown as isize + step).rem_euclid(count);
            self.show(index as usize);
        }
    }

    fn toggle_beside(&mut self, index: usize) {
        if self.beside.contains(&index) {
            self.beside.retain(|known| *known != index);
        } else if index != self.shown && index < self.entries.len() {
            self.beside.push(index);
            let entry = &self.entries[index];
            if entry.take.is_none() {
                self.loader.read(index, entry.source.clone());
            }
        }
        self.refresh();
    }

    fn put_on_stage(&mut self, index: usize, take: Arc<Take>) {
        let same_body = self
            .stage
            .lead
            .as_ref()
            .is_some_and(|lead| Arc::ptr_eq(&lead.body, &take.body));
        self.shown = index;
        self.beside.retain(|known| *known != index);
        self.player.load(take.duration_secs(), take.fps());
        self.stage.lead = Some(take);
        if !same_body {
            self.selected = None;
        }
        self.hovered = None;
        self.refresh();
        self.stage.pose_at(self.player.time_secs());
        // Another clip of the same person keeps the view the user chose.
        if !(same_body && self.framed_once) {
            self.look_from(Side::ThreeQuarter);
            self.frame_all();
            self.framed_once = true;
        }
        self.rig.jump(self.stage.footing());
        self.stage.squeezed = None;
        self.compress();
    }

    /// Brings rows and the characters beside up to date.
    fn refresh(&mut self) {
        if self.entries.len() > LONG_LIST {
            for (index, entry) in self.entries.iter_mut().enumerate() {
                if index != self.shown && !self.beside.contains(&index) {
                    entry.take = None;
                }
            }
        }
        let takes = self
            .beside
            .iter()
            .map(|&index| self.entries[index].take.clone());
        self.stage.beside = takes.flatten().collect();
        let rows = self.entries.iter().enumerate();
        self.rows = rows
            .map(|(index, entry)| ClipRow {
                name: entry.source.name(),
                place: entry.source.place(),
                shown: index == self.shown,
                beside: self.beside.contains(&index),
            })
            .collect();
        let warnings = self
            .stage
            .lead
            .as_ref()
            .map_or(0, |take| take.remarks.len());
        self.status.warnings = warnings;
    }

    /// Takes what a thread has done.
    pub fn receive(&mut self, message: Message) {
        match message {
            Message::Progress(ticket, text, share) if self.loader.is_current(ticket) => {
                let share = Some(share);
                self.progress = Some(Progress { text, share });
            }
            Message::Opened(ticket, opened) if self.loader.is_current(ticket) => {
                self.progress = None;
                self.receive_opened(opened);
            }
            Message::Read(ticket, index, outcome) if self.loader.is_current(ticket) => {
                self.progress = None;
                self.receive_take(index, outcome);
            }
            Message::Picked(paths) => self.open(paths),
            Message::Squeezed(ticket, outcome) if self.squeezer.is_current(ticket) => {
                self.receive_squeezed(outcome);
            }
            Message::Cast(outcome) => self.receive_cast(outcome),
            Message::AnimatorChanged => self.loader.cast(self.animator_path.clone()),
            Message::Saved(Ok(path)) => {
                self.tell(Gravity::Info, format!("Saved {}", path.display()));
            }
            Message::Saved(Err(error)) => self.tell(Gravity::Error, error),
            Message::Progress(..) | Message::Opened(..) | Message::Read(..) => {}
            Message::Squeezed(..) => {}
        }
    }

    fn receive_opened(&mut self, opened: Opened) {
        for fault in &opened.faults {
            self.tell(Gravity::Error, fault);
        }
        if opened.takes.is_empty() {
            // What was there stays.
            if opened.faults.is_empty() {
                self.tell(Gravity::Warning, "Nothing to show was found");
            }
            return;
        }
        for path in opened.named.iter().rev() {
            self.remember(path);
        }
        self.entries = opened
            .sources
            .into_iter()
            .map(|source| Entry { source, take: None })
            .collect();
        for (index, take) in opened.takes {
            self.entries[index].take = Some(take);
        }
        if !opened.named.is_empty() {
            self.set_mode(Mode::View);
        }
        self.beside = opened.beside;
        self.framed_once = false;
        self.show(opened.first);
    }

    fn receive_take(&mut self, index: usize, outcome: Result<Arc<Take>, String>) {
        match outcome {
            Ok(take) => {
                if let Some(entry) = self.entries.get_mut(index) {
                    entry.take = Some(Arc::clone(&take));
                }
                if self.beside.contains(&index) {
                    self.refresh();
                } else {
                    self.put_on_stage(index, take);
                }
            }
            Err(fault) => {
                self.beside.retain(|known| *known != index);
                self.refresh();
                self.tell(Gravity::Error, fault);
            }
        }
    }

    fn remember(&mut self, path: &std::path::Path) {
        let mut settings = Settings {
            recent: std::mem::take(&mut self.recent),
            ..Settings::default()
        };
        settings.remember(path);
        self.recent = settings.recent;
    }

    // ----- compression -----------------------------------------------------

    fn compress(&mut self) {
        self.squeeze_error = None;
        let lead = self.stage.lead.clone().filter(|take| take.clip.is_some());
        match (self.panels.codec.settings(), lead) {
            (Some(settings), Some(take)) => {
                self.squeeze_busy = true;
                self.squeezer.ask(take, settings);
            }
            _ => {
                self.squeezer.forget();
                self.squeeze_busy = false;
                self.stage.squeezed = None;
            }
        }
    }

    fn receive_squeezed(&mut self, outcome: Result<Arc<Squeezed>, String>) {
        self.squeeze_busy = false;
        match outcome {
            Ok(squeezed) => self.stage.squeezed = Some(squeezed),
            Err(error) => {
                self.stage.squeezed = None;
                self.squeeze_error = Some(error);
            }
        }
    }

    fn export(&mut self, write: impl Fn(&Take, &Squeezed) -> Result<PathBuf, String>) {
        let outcome = match (&self.stage.lead, &self.stage.squeezed) {
            (Some(take), Some(squeezed)) => write(take, squeezed),
            _ => Err("Nothing is compressed yet".into()),
        };
        self.receive(Message::Saved(outcome));
    }

    // ----- driving ---------------------------------------------------------

    /// A key of the animator goes down or up.
    pub fn drive_key(&mut self, name: &str, down: bool) {
        if let (Some(drive), true) = (&mut self.drive, self.mode == Mode::Drive || !down) {
            drive.key(name, down);
            self.driven_keys += u32::from(down);
            // Whoever has driven this much knows the keys.
            self.panels.hint_seen |= self.driven_keys >= 24;
        }
    }

    /// No key is held any more.
    pub fn release_keys(&mut self) {
        if let Some(drive) = &mut self.drive {
            drive.release_all();
        }
    }

    fn receive_cast(&mut self, outcome: Result<Box<Cast>, String>) {
        match (outcome, &mut self.drive) {
            (Ok(cast), Some(drive)) => {
                drive.reload(*cast);
                let text = format!("The animator was read again: {}", drive.view.source);
                self.tell(Gravity::Info, text);
            }
            (Ok(cast), None) => {
                let notes = cast.graph.notes.clone();
                self.drive = Some(Drive::new(*cast));
                self.drive_fault = None;
                notes
                    .into_iter()
                    .for_each(|note| self.tell(Gravity::Warning, note));
                if self.mode == Mode::Drive {
                    self.look_from(Side::ThreeQuarter);
                    self.frame_all();
                    self.rig.jump(self.shown_stage().footing());
                }
            }
            (Err(fault), drive) => {
                // The old graph stays.
                if let Some(drive) = drive {
                    drive.view.error = Some(fault.clone());
                }
                self.drive_fault = Some(fault.clone());
                self.tell(Gravity::Error, fault);
            }
        }
    }

    /// Where the root stands, and its heading in radians about Y.
    #[must_use]
    pub fn root_place(&self) -> (Vec3, f32) {
        let stage = self.shown_stage();
        let place = stage.pose.joints().first();
        let position = place.map_or(Vec3::ZERO, |root| root.position());
        let take = stage.lead.as_ref();
        let facing = take.and_then(|take| crate::body::facing(&take.skeleton, &stage.pose));
        let heading = facing.map_or(0.0, |facing| facing.x.atan2(facing.z));
        (position, heading)
    }

    // ----- pointing --------------------------------------------------------

    /// The joint near a point of the picture; both in pixels.
    #[must_use]
    pub fn joint_at(&self, at: Vec2, size: Vec2) -> Option<JointIndex> {
        let stage = self.shown_stage();
        stage.lead.as_ref()?;
        let view = self.rig.camera.view(size.x / size.y.max(1.0));
        let joints = stage.pose.joints().iter().enumerate();
        let near = joints.filter_map(|(index, joint)| {
            let distance = (view.project(joint.position())? * size).distance(at);
            (distance <= PICK_PX).then_some((index, distance))
        });
        near.min_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(index, _)| index as JointIndex)
    }

    /// The word for the codec in use.
    #[must_use]
    pub fn codec_word(&self) -> &'static str {
        match self.panels.codec.codec {
            Codec::Off => "off",
            codec => codec.word(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        path::Path,
        sync::{Mutex, mpsc},
        time::Duration,
    };

    use super::*;
    use crate::{clip::Wrap, codec::synthetic::Random, ui::CodecKnobs};

    /// A session and what its threads have to say.
    struct Rehearsal {
        session: Session,
        inbox: mpsc::Receiver<Message>,
        frame: FrameData,
    }

    impl Rehearsal {
        fn new(files: Vec<PathBuf>) -> Self {
            let (sender, inbox) = mpsc::channel();
            let sender = Mutex::new(sender);
            let outbox: Outbox = Arc::new(move |message| {
                let _ = sender.lock().unwrap().send(message);
            });
            Self {
                session: Session::new(Settings::default(), &outbox, files),
                inbox,
                frame: FrameData::default(),
            }
        }

        /// Waits for messages until something holds.
        fn until(&mut self, holds: impl Fn(&Session) -> bool) {
            while !holds(&self.session) {
                let message = self.inbox.recv_timeout(Duration::from_secs(60)).unwrap();
                self.session.receive(message);
            }
        }

        fn tick(&mut self, dt_secs: f64) {
            while let Ok(message) = self.inbox.try_recv() {
                self.session.receive(message);
            }
            self.session.now_secs += dt_secs;
            self.session.advance(dt_secs);
            self.session.compose(&mut self.frame);
            let camera = self.frame.camera;
            assert!(camera.target.is_finite() && camera.distance_m.is_finite());
            let finite = |batch: &crate::scene::Batch| {
                let mut all = batch.palettes.iter();
                all.all(|entry| entry.translation.is_finite() && entry.rotation.is_finite())
            };
            assert!(self.frame.batches.iter().all(finite));
        }
    }

    #[test]
    fn a_bad_file_is_told_and_what_was_there_stays() {
        let mut rehearsal = Rehearsal::new(Vec::new());
        rehearsal.until(|session| session.stage.lead.is_some());
        let folder = tempfile::tempdir().unwrap();
        let bad = folder.path().join("bad.asf");
        std::fs::write(&bad, ":root nonsense").unwrap();
        rehearsal.session.open(vec![bad]);
        rehearsal.until(|session| !session.notices.list().is_empty());
        let notice = &rehearsal.session.notices.list()[0];
        assert_eq!(notice.gravity, Gravity::Error);
        assert!(notice.text.contains("bad.asf"), "{}", notice.text);
        let lead = rehearsal.session.stage.lead.as_ref().unwrap();
        assert_eq!(lead.name, "idle");
        assert!(rehearsal.session.progress.is_none());
    }

    #[test]
    fn files_in_any_order_open_and_neighbours_follow() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let files = vec![assets.join("clips/wave.amc"), assets.join("performer.asf")];
        let mut rehearsal = Rehearsal::new(files);
        rehearsal.until(|session| session.stage.lead.is_some());
        let session = &mut rehearsal.session;
        assert_eq!(session.title(), "wave.amc · 120 fps – Kinetoscope");
        assert_eq!(session.rows.len(), 11);
        assert_eq!(session.recent.len(), 2);
        session.apply(Command::Do(Action::NextClip));
        // The last by name: round to the first.
        rehearsal.until(|session| {
            let lead = session.stage.lead.as_ref();
            lead.is_some_and(|lead| lead.name == "attack.amc")
        });
        let feet = &rehearsal.session.stage.lead.as_ref().unwrap().marks;
        assert!(!feet.is_empty(), "contacts are marked");
    }

    #[test]
    fn a_clip_is_compressed_in_the_background_and_only_the_last_wish_counts() {
        let mut rehearsal = Rehearsal::new(Vec::new());
        rehearsal.until(|session| session.stage.lead.is_some());
        for every in [9, 5, 3] {
            rehearsal.session.panels.codec = CodecKnobs {
                codec: Codec::Every,
                every,
                ..CodecKnobs::default()
            };
            let wanted = rehearsal.session.panels.codec.settings();
            rehearsal.session.apply(Command::Compress(wanted));
        }
        rehearsal.until(|session| session.stage.squeezed.is_some());
        let squeezed = rehearsal.session.stage.squeezed.clone().unwrap();
        let wanted = crate::codec::Settings::Every { frames: 3 };
        assert_eq!(squeezed.result.settings, wanted);
        assert!(squeezed.result.ratio() > 2.0);
        assert_eq!(squeezed.result.frame_errors_cm.len(), 1441);
        assert!(!squeezed.result.key_frames[0].is_empty());
    }

    #[test]
    fn a_thousand_random_wishes_leave_it_sound() {
        let mut rehearsal = Rehearsal::new(Vec::new());
        rehearsal.until(|session| session.stage.lead.is_some());
        let rows: Vec<Action> = crate::ui::keys::TABLE
            .iter()
            .filter_map(|row| match row.deed {
                crate::ui::keys::Deed::Act(action) => Some(action),
                _ => None,
            })
            .filter(|action| *action != Action::Open)
            .collect();
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let pick = random.between(0.0, 1.0);
            let index = random.bits() as usize;
            let number = f64::from(random.between(-3.0, 15.0));
            let command = match (pick * 10.0) as u32 {
                0 => Command::Seek(number),
                1 => Command::Range(number, f64::from(random.between(-3.0, 15.0))),
                2 => Command::Speed(number),
                3 => Command::Wrap([Wrap::Once, Wrap::Loop, Wrap::PingPong][index % 3]),
                4 => Command::Select(Some((index % 40) as u16)),
                5 if index.is_multiple_of(8) => Command::ShowClip(index % 14),
                5 => Command::ToggleBeside(index % 14),
                _ => Command::Do(rows[index % rows.len()]),
            };
            rehearsal.session.apply(command);
            rehearsal
                .session
                .rig
                .orbit(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
            rehearsal.session.rig.camera.zoom(random.between(0.5, 2.0));
            rehearsal.session.wishes.clear();
            rehearsal.tick(f64::from(random.between(0.0, 0.1)));
        }
    }
}
