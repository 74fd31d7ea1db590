//! What the export dialog asks for: a motion on a thread, pictures and films
//! by the window.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, atomic::Ordering},
};

use super::{Session, WindowRequest};
use crate::{
    app::{
        Message, SessionError, background, export, opened_clip::OpenedClip, record::FilmSettings,
    },
    convert::{self, ConvertOptions, ExportItem, Format},
    load::LoadedMotion,
    output::{Staged, VideoEncoder, VideoFormat},
    scene::Character,
    ui::{ExportDialog, ExportKind, ExportView, Mode, Progress, Severity},
};

/// Why this machine makes no videos: asked once, when it may matter.
static NO_MP4: OnceLock<Option<String>> = OnceLock::new();
static NO_WEBM: OnceLock<Option<String>> = OnceLock::new();

fn look_for_encoders() {
    NO_MP4.get_or_init(|| VideoEncoder::find(VideoFormat::Mp4).err());
    NO_WEBM.get_or_init(|| VideoEncoder::find(VideoFormat::WebM).err());
}

impl Session {
    pub(super) fn open_export(&mut self) {
        let clip = self.played_clip().map(|clip| &**clip);
        let stem = clip.map_or("kinetoscope", export::stem_of);
        // Beside the capture, where it can be told from it; else with pictures.
        let folder = clip.and_then(|clip| Some(clip.path.as_ref()?.parent()?.to_path_buf()));
        let folder = folder
            .filter(|it| it.is_dir())
            .unwrap_or_else(export::folder);
        let mut dialog = ExportDialog::new(&folder, stem);
        if let Some(recorded) = self.recorded_motion() {
            dialog = ExportDialog::new(&export::folder(), &recorded.name);
        } else if self.mode == Mode::Drive {
            // What is driven is no clip: the picture is what one sees.
            dialog = ExportDialog::new(&export::folder(), "kinetoscope");
            dialog.set_kind(ExportKind::Picture);
        }
        self.panels.export = Some(dialog);
        background(look_for_encoders);
    }

    /// What was taken down of the character that is driven.
    fn recorded_motion(&self) -> Option<&LoadedMotion> {
        let recorded = self.driving.recorded.as_ref();
        recorded.filter(|_| self.mode == Mode::Drive)
    }

    pub(super) fn export_view(&self) -> ExportView<'_> {
        let why_not = |known: &'static OnceLock<Option<String>>| known.get()?.as_deref();
        ExportView {
            taken: self.export_taken.as_deref(),
            no_mp4: why_not(&NO_MP4),
            no_webm: why_not(&NO_WEBM),
            has_motion: self.recorded_motion().is_some()
                || self.played_clip().is_some_and(|it| it.motion.is_some()),
        }
    }

    /// Looks whether the dialog's file is there already.
    pub fn look_for_export(&mut self) {
        let dialog = self.panels.export.as_ref();
        self.export_taken = dialog.and_then(|it| it.files().into_iter().find(|it| it.exists()));
    }

    pub(super) fn browse_export(&mut self) {
        if let Some(dialog) = &self.panels.export {
            self.jobs
                .loader
                .ask_where_to_save(PathBuf::from(&dialog.path));
        }
    }

    pub(super) fn receive_export_path(&mut self, path: Option<PathBuf>) {
        if self.panels.export.is_none() {
            return path
                .iter()
                .for_each(|path| self.receive_animator_path(path));
        }
        if let (Some(dialog), Some(path)) = (&mut self.panels.export, path) {
            dialog.path = path.display().to_string();
        }
    }

    /// Does what the dialog says.
    pub(super) fn export_as(&mut self, dialog: &ExportDialog) {
        let taken = dialog.files().into_iter().find(|it| it.exists());
        if let Some(taken) = taken.filter(|_| !dialog.replace) {
            return self.tell_error(&SessionError::Taken(taken));
        }
        let path = PathBuf::from(dialog.path.trim());
        match dialog.kind {
            ExportKind::Motion(format) => self.export_motion(path, format, dialog.options),
            ExportKind::Picture => self.requests.push(WindowRequest::Picture {
                size: Some(dialog.size),
                path: Some(path),
            }),
            ExportKind::Film(_) if self.recording.is_some() => {
                self.tell(Severity::Warning, "Another film is being made");
            }
            ExportKind::Film(film) => self.requests.push(WindowRequest::Record(FilmSettings {
                film,
                size: Some(dialog.size),
                fps: dialog.fps,
                path: Some(path),
            })),
        }
    }

    fn export_motion(&mut self, path: PathBuf, format: Format, options: ConvertOptions) {
        let item = match (self.recorded_motion(), self.played_clip()) {
            (Some(recorded), _) => ExportItem::of_motion(recorded.clone()),
            (None, Some(clip)) => match &clip.motion {
                Some(motion) => {
                    let written = self.events.written(clip, motion);
                    ExportItem::of_motion(self.with_kept_drags(written))
                }
                None => item_of(clip),
            },
            (None, None) => return self.tell(Severity::Error, "Nothing is shown yet"),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.jobs.exporting = Some(Progress {
            text: format!("Writing {name}"),
            fraction: None,
        });
        let outbox = Arc::clone(&self.jobs.outbox);
        self.jobs.given_up = Arc::default();
        let given_up = Arc::clone(&self.jobs.given_up);
        background(move || {
            let wanted = || !given_up.load(Ordering::Acquire);
            let written = write_motion(&item, (&path, format), &options, &wanted);
            outbox(Message::Exported(written.map(|notes| (path, notes))));
        });
    }

    /// The motion with what is kept of drags laid over it.
    fn with_kept_drags(&self, motion: LoadedMotion) -> LoadedMotion {
        let posing = self.scene().lead().map(Character::posing);
        let Some(posing) = posing.filter(|it| !it.kept().is_empty()) else {
            return motion;
        };
        let baked = posing.baked(motion.skeleton(), motion.raw(), None);
        let mut changed = motion.made_of(baked);
        changed.events = motion.events;
        changed
    }

    /// What is being written is not: nothing is left of it.
    pub(super) fn cancel_export(&mut self) {
        self.jobs.given_up.store(true, Ordering::Release);
    }

    pub(super) fn receive_exported(
        &mut self,
        outcome: Result<(PathBuf, Vec<String>), SessionError>,
    ) {
        self.jobs.exporting = None;
        match outcome {
            Ok((path, notes)) => {
                self.tell(Severity::Info, format!("Saved {}", path.display()));
                for note in notes {
                    self.tell(Severity::Warning, note);
                }
            }
            Err(error @ SessionError::GivenUp) => self.tell(Severity::Info, error.to_string()),
            Err(error) => self.tell_error(&error),
        }
    }
}

/// What is written of a clip.
pub(super) fn item_of(clip: &OpenedClip) -> ExportItem {
    match &clip.motion {
        Some(motion) => ExportItem::of_motion(motion.clone()),
        None => ExportItem::of_skeleton(Arc::clone(&clip.loaded)),
    }
}

/// Writes the file that `convert` would write of the same capture, if it is still
/// wanted by then.
pub(super) fn write_motion(
    item: &ExportItem,
    (path, format): (&Path, Format),
    options: &ConvertOptions,
    wanted: &dyn Fn() -> bool,
) -> Result<Vec<String>, SessionError> {
    let converted = convert::convert(item, format, options);
    let converted = converted.map_err(|source| SessionError::Convert {
        path: path.to_path_buf(),
        source,
    })?;
    let beside = converted.skeleton.as_deref();
    let beside = beside.map(|bytes| (path.with_extension("asf"), bytes));
    let files = [(path.to_path_buf(), converted.bytes.as_slice())];
    let mut staged = Staged::default();
    for (file, bytes) in files.into_iter().chain(beside) {
        let read = [&item.path, &item.skeleton.path];
        if read.into_iter().any(|it| is_same(it, &file)) {
            return Err(SessionError::IsShown(file));
        }
        staged.add(&file, bytes)?;
    }
    if !wanted() {
        return Err(SessionError::GivenUp);
    }
    staged.commit()?;
    Ok(converted.notes)
}

fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
