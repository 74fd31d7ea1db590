//! Background loading: lists, clips and dialogs come back as messages.
//!
//! Every request has a ticket; whoever receives a message with an old ticket
//! drops it. That is all that cancelling needs: reading a file is short, and
//! between files the worker asks whether it is still wanted.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use crate::{
    body::BodyCache,
    import::builtin,
    load::{self, Kind, LoadError, LoadOptions, LoadOutcome, Loaded},
    posing::PoseAction,
};

use super::{
    Message, Outbox, SessionError, background,
    choices::{Choices, ReadChoice, load_options},
    desktop,
    drive::{self, CharacterSource},
    opened_clip::{OpenedClip, Origin},
    source::{Source, firsts, listed, neighbours},
};

/// Explicitly named motions up to this many are all read at once, so that
/// faults show at once; longer lists are read as they are looked at.
const EAGER: usize = 12;

/// What came of opening paths.
#[derive(Debug, Default)]
pub struct Opened {
    /// All clips found, in order.
    pub sources: Vec<Source>,
    /// Those read already, by index.
    pub clips: Vec<(usize, Arc<OpenedClip>)>,
    /// To be shown first.
    pub first: usize,
    /// To be shown alongside it.
    pub alongside: Vec<usize>,
    /// What could not be read.
    pub faults: Vec<SessionError>,
    /// What the user named.
    pub named: Vec<PathBuf>,
}

/// Starts threads and hands out tickets.
#[derive(Clone)]
pub struct Loader {
    outbox: Outbox,
    wanted: Arc<AtomicU64>,
    bodies: Arc<Mutex<BodyCache>>,
    choices: Arc<Mutex<Choices>>,
}

impl Loader {
    /// A loader that reports to `outbox`.
    pub fn new(outbox: Outbox) -> Self {
        Self {
            outbox,
            wanted: Arc::default(),
            bodies: Arc::default(),
            choices: Arc::default(),
        }
    }

    /// Whether a message is still wanted.
    #[must_use]
    pub fn is_current(&self, ticket: u64) -> bool {
        self.wanted.load(Ordering::Acquire) == ticket
    }

    /// Makes everything under way unwanted.
    pub fn cancel(&self) {
        self.wanted.fetch_add(1, Ordering::AcqRel);
    }

    fn start(&self, work: impl FnOnce(&Self, u64) -> Message + Send + 'static) {
        let ticket = self.wanted.fetch_add(1, Ordering::AcqRel) + 1;
        let loader = self.clone();
        background(move || {
            let message = work(&loader, ticket);
            (loader.outbox)(message);
        });
    }

    /// The performer's clips; the first one is read at once.
    pub fn open_built_in(&self) {
        self.start(|loader, ticket| {
            let names = builtin::CLIPS.iter().map(|(name, _)| *name);
            let sources: Vec<Source> = names.map(Source::BuiltIn).collect();
            let mut opened = Opened {
                sources,
                ..Opened::default()
            };
            loader.read_into(&mut opened, 0);
            Message::Opened(ticket, opened)
        });
    }

    /// Files and folders in any order.
    pub fn open(&self, paths: Vec<PathBuf>) {
        self.start(move |loader, ticket| {
            let opened = loader.opened(paths, ticket);
            Message::Opened(ticket, opened)
        });
    }

    /// What the user chose for files.
    pub fn choices(&self) -> MutexGuard<'_, Choices> {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How an entry of the list is to be read.
    #[must_use]
    pub fn choice_of(&self, source: &Source) -> ReadChoice {
        let path = source.path();
        let mut choice = path.map(|path| self.choices().of(path)).unwrap_or_default();
        // A skeleton that is named now goes before one that was chosen once.
        if matches!(source, Source::File { skeletons, .. } if !skeletons.is_empty()) {
            choice.skeleton = None;
        }
        choice
    }

    /// One entry of the list, read as the file says or as the user does.
    pub fn read(&self, index: usize, source: Source, choice: ReadChoice) {
        // No ticket of its own: clips that are read beside one another are all
        // wanted, until other files are opened.
        let ticket = self.wanted.load(Ordering::Acquire);
        let loader = self.clone();
        background(move || {
            let clip = loader.clip_of(&source, &choice).map(Arc::new);
            (loader.outbox)(Message::Read(ticket, index, clip));
        });
    }

    /// A character to drive; apart from the tickets of files.
    pub fn drive(&self, source: CharacterSource) {
        let loader = self.clone();
        background(move || {
            let ready = drive::load(&source, &mut loader.bodies());
            (loader.outbox)(Message::Driven(Box::new(source), ready.map(Box::new)));
        });
    }

    /// Somebody to play other clips; apart from the tickets of files.
    pub fn character(&self, who: usize, origin: Origin) {
        let loader = self.clone();
        background(move || {
            let clip = loader.clip_of(&origin.source, &origin.choice);
            (loader.outbox)(Message::Character(who, clip.map(Arc::new)));
        });
    }

    fn bodies(&self) -> MutexGuard<'_, BodyCache> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The native dialog, off the event loop.
    pub fn ask_for_files(&self) {
        let outbox = Arc::clone(&self.outbox);
        thread::spawn(move || {
            if let Some(reason) = desktop::missing_dialog() {
                outbox(Message::NoDialog(reason));
                return;
            }
            let picked = rfd::FileDialog::new()
                .set_title("Open motion capture")
                .add_filter(
                    "Motion capture",
                    &["asf", "amc", "bvh", "glb", "gltf", "kin", "ron"],
                )
                .pick_files();
            outbox(Message::Picked(picked.unwrap_or_default()));
        });
    }

    /// The same for a file that something is done with to a pose.
    pub fn ask_for_pose_file(
        &self,
        (title, endings): (&'static str, &'static [&'static str]),
        action: impl FnOnce(String) -> PoseAction + Send + 'static,
    ) {
        let outbox = Arc::clone(&self.outbox);
        thread::spawn(move || {
            if let Some(reason) = desktop::missing_dialog() {
                outbox(Message::NoDialog(reason));
                return;
            }
            let dialog = rfd::FileDialog::new().set_title(title);
            let picked = dialog.add_filter(title, endings).pick_file();
            let path = picked.map(|path| path.display().to_string());
            outbox(Message::PickedPose(path.map(action)));
        });
    }

    /// The same for a file to write, which begins with `path`.
    pub fn ask_where_to_save(&self, path: PathBuf) {
        let outbox = Arc::clone(&self.outbox);
        thread::spawn(move || {
            if let Some(reason) = desktop::missing_dialog() {
                outbox(Message::NoDialog(reason));
                return;
            }
            let mut dialog = rfd::FileDialog::new().set_title("Export");
            if let Some(folder) = path.parent().filter(|it| it.is_dir()) {
                dialog = dialog.set_directory(folder);
            }
            if let Some(name) = path.file_name() {
                dialog = dialog.set_file_name(name.to_string_lossy());
            }
            outbox(Message::PickedExport(dialog.save_file()));
        });
    }

    fn opened(&self, named: Vec<PathBuf>, ticket: u64) -> Opened {
        let (files, failed) = load::expand(&named);
        let mut opened = Opened {
            faults: failed.into_iter().map(|(_, error)| error.into()).collect(),
            ..Opened::default()
        };
        let of_kind = |kind| {
            let chosen = files.iter().filter(move |(_, known)| *known == kind);
            chosen.map(|(path, _)| path.clone()).collect::<Vec<_>>()
        };
        let mut motions: Vec<PathBuf> = files
            .iter()
            .filter(|(_, kind)| *kind != Kind::Skeleton)
            .map(|(path, _)| path.clone())
            .collect();
        let skeletons: Arc<[PathBuf]> = of_kind(Kind::Skeleton)
            .into_iter()
            .filter(|path| named.contains(path))
            .collect();
        if motions.is_empty() {
            // Nothing moves: skeletons are shown for themselves.
            motions = of_kind(Kind::Skeleton);
        }
        let explicit = motions.iter().all(|motion| named.contains(motion));
        let mut first = None;
        if let ([only], true) = (motions.as_slice(), explicit) {
            first = Some(only.clone());
            // One file alone brings its folder, so that "next" leads somewhere;
            // one of several clips brings those.
            if load::clip_names(only).len() < 2 {
                motions = neighbours(only);
            }
        }
        let all: Arc<[PathBuf]> = named.as_slice().into();
        let source = |path| Source::File {
            path,
            skeletons: Arc::clone(&skeletons),
            named: Arc::clone(&all),
        };
        opened.sources = listed(motions, source);
        opened.named = named;
        let start = |path: &Path| opened.sources.iter().position(|it| it.path() == Some(path));
        opened.first = first.as_deref().and_then(start).unwrap_or(0);
        let (order, eager) = match explicit && first.is_none() {
            // The first clip of every file.
            true => {
                let firsts = firsts(&opened.sources);
                let eager = firsts.len().min(EAGER);
                (firsts, eager)
            }
            false => ((opened.first..opened.sources.len()).collect(), 1),
        };
        self.read_first(&mut opened, (order, eager), explicit, ticket);
        opened
    }

    /// Reads what is to be seen at once. A fault in the first of a long list
    /// leads on to the next, so that something is shown.
    fn read_first(
        &self,
        opened: &mut Opened,
        (order, eager): (Vec<usize>, usize),
        explicit: bool,
        ticket: u64,
    ) {
        for (done, index) in order.into_iter().enumerate() {
            let enough = done >= eager && (!opened.clips.is_empty() || explicit);
            // Four more tries: a folder of broken files is given up soon.
            if enough || done >= eager + 4 || !self.is_current(ticket) {
                break;
            }
            let text = format!("Reading {}", opened.sources[index].name());
            let share = done as f32 / eager.max(1) as f32;
            (self.outbox)(Message::Progress(ticket, text, share));
            self.read_into(opened, index);
        }
        if let Some(&(first, _)) = opened.clips.first() {
            opened.first = first;
        }
        let shown = opened.clips.iter().skip(1).map(|(index, _)| *index);
        // Whoever names a few wants to compare them; more would be a crowd.
        if explicit && (2..=4).contains(&opened.clips.len()) {
            opened.alongside = shown.collect();
        }
    }

    fn read_into(&self, opened: &mut Opened, index: usize) {
        match self.clip_as_chosen(&opened.sources[index]) {
            Ok(clip) => opened.clips.push((index, Arc::new(clip))),
            Err(fault) => opened.faults.push(fault),
        }
    }

    /// Reads a file as was chosen once; where that does not fit any more, as
    /// found, and forgets it.
    fn clip_as_chosen(&self, source: &Source) -> Result<OpenedClip, SessionError> {
        let choice = self.choice_of(source);
        let outcome = self.clip_of(source, &choice);
        let (Err(fault), Some(path)) = (&outcome, source.path()) else {
            return outcome;
        };
        if choice == ReadChoice::default() {
            return outcome;
        }
        let remark = format!("read as found, for what was chosen does not fit: {fault}");
        let mut clip = self.clip_of(source, &ReadChoice::default())?;
        self.choices().remember(path, &ReadChoice::default());
        clip.remarks.push(remark);
        Ok(clip)
    }

    pub fn clip_of(
        &self,
        source: &Source,
        choice: &ReadChoice,
    ) -> Result<OpenedClip, SessionError> {
        let mut clip = self.read_clip(source, choice)?;
        clip.origin = Some(Origin {
            source: source.clone(),
            choice: choice.clone(),
        });
        Ok(clip)
    }

    fn read_clip(&self, source: &Source, choice: &ReadChoice) -> Result<OpenedClip, SessionError> {
        let options = load_options(choice.overrides);
        let (path, skeletons, named) = match source {
            Source::BuiltIn(name) => return OpenedClip::built_in(name, &mut self.bodies()),
            Source::Contained { path, index, .. } => {
                return OpenedClip::of_several(path, *index, options, &mut self.bodies());
            }
            Source::File {
                path,
                skeletons,
                named,
            } => (path, skeletons, named),
        };
        let known = load::skeletons_for(path, named);
        let mut outcome = match &choice.skeleton {
            Some(skeleton) => load_one(path, std::slice::from_ref(skeleton), named, options),
            None => load_one(path, skeletons, named, options),
        };
        let mut guessed = None;
        if let Some(Err(LoadError::NoSkeleton { .. })) = outcome {
            guessed = load::best_skeleton(path, &known, options);
            let guess = guessed.as_ref().map(std::slice::from_ref);
            outcome = guess.map_or(outcome, |guess| load_one(path, guess, named, options));
        }
        let nothing = || SessionError::NothingToShow { path: path.clone() };
        let mut clip = OpenedClip::of(outcome.ok_or_else(nothing)??, &mut self.bodies());
        if let Some(guess) = guessed {
            let (count, name) = (known.len(), guess.file_name().unwrap_or_default());
            let name = name.to_string_lossy();
            clip.remarks.push(format!(
                "{count} skeletons come into question; {name} fits best: choose another above"
            ));
        }
        clip.skeletons = known;
        Ok(clip)
    }
}

/// What comes of a file that plays on one of some skeletons.
fn load_one(
    path: &Path,
    skeletons: &[PathBuf],
    named: &[PathBuf],
    options: LoadOptions,
) -> Option<Result<Loaded, LoadError>> {
    let mut paths: Vec<PathBuf> = skeletons.to_vec();
    if !paths.iter().any(|it| it == path) {
        paths.push(path.to_path_buf());
    }
    let outcomes = load::load_within(&paths, named, options).into_iter();
    // What was read of a range is told of its file.
    let whole = load::without_range(path);
    let own = |(file, outcome): LoadOutcome| (file == whole).then_some(outcome);
    { outcomes }.find_map(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        clip::{ClipCursor, Curve, TrackBuilder},
        codec::{
            CodecSettings,
            kin::{ClipOrigin, Kin, KinClip, KinSkeleton, KinTracks},
            synthetic,
        },
        skeleton::LocalPose,
        units::{LengthScale, LengthUnit},
    };
    use glam::Vec3;

    fn on(skeleton: crate::skeleton::Skeleton) -> KinSkeleton {
        KinSkeleton {
            skeleton,
            source: "a.asf".into(),
            length: LengthScale {
                unit: LengthUnit::Metre,
                assumed: false,
                divisor: 1.0,
            },
        }
    }

    fn loader() -> Loader {
        Loader::new(Arc::new(|_| {}))
    }

    #[test]
    fn a_container_keeps_translations_and_stretches_of_joints() {
        let skeleton = synthetic::skeleton(6).unwrap();
        let source = synthetic::clip_with_extras(6, 40, 1);
        let settings = CodecSettings::Every { frames: 1 };
        let compressed = settings.compress(&skeleton, &source).unwrap();
        let origin = ClipOrigin {
            name: "stretched".into(),
            source: "a.amc".into(),
            fps_assumed: false,
            animated: source.animated.len(),
        };
        let mut kin = Kin::default();
        let clip = KinClip::new(origin, settings, compressed, 0.0);
        kin.add_clip(on(skeleton.clone()), clip);
        let file = tempfile::Builder::new().suffix(".kin").tempfile().unwrap();
        std::fs::write(file.path(), kin.to_bytes()).unwrap();
        let source_file = Source::File {
            path: file.path().into(),
            skeletons: Arc::new([]),
            named: Arc::new([]),
        };
        let opened = loader()
            .clip_of(&source_file, &ReadChoice::default())
            .unwrap();
        let raw = opened.raw().unwrap();
        assert!(!raw.translations.is_empty() && !raw.stretches.is_empty());
        let (mut wanted, mut found) = (LocalPose::default(), LocalPose::default());
        for frame in [0, 17, 39] {
            source.frame_pose(&skeleton, frame, &mut wanted);
            let secs = frame as f64 / source.fps;
            let clip = opened.sampler().unwrap();
            clip.sample(&skeleton, secs, &mut ClipCursor::default(), &mut found);
            for (joint, (a, b)) in wanted.joints().iter().zip(found.joints()).enumerate() {
                let off_m = (a.translation - b.translation).length();
                // Keys hold translations to a ten-thousandth of their range.
                assert!(off_m < 1e-3, "frame {frame}, joint {joint}: {off_m} m off");
                let off_m = wanted.stretch_m(joint) - found.stretch_m(joint);
                assert!(
                    off_m.abs() < 1e-3,
                    "frame {frame}, joint {joint}: {off_m} m"
                );
            }
        }
    }

    #[test]
    fn every_animation_of_a_container_of_keys_is_listed_and_opens() {
        let skeleton = synthetic::skeleton(3).unwrap();
        let joint = skeleton.joints()[1].name.clone();
        let mut kin = Kin::default();
        let number = kin.add_skeleton(on(skeleton.clone()));
        for (name, height) in [("nod", 1.0), ("bow", 2.0)] {
            let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::Y * height)];
            let clip = TrackBuilder::new(name, &skeleton).translation(&joint, Curve::Linear, keys);
            kin.tracks.push(KinTracks {
                source: "a.glb".into(),
                fps_assumed: false,
                skeleton: number,
                clip: clip.build().unwrap(),
                events: None,
            });
        }
        let file = tempfile::Builder::new().suffix(".kin").tempfile().unwrap();
        std::fs::write(file.path(), kin.to_bytes()).unwrap();
        let listed = listed(vec![file.path().to_path_buf()], |_| Source::BuiltIn("none"));
        let names: Vec<String> = listed.iter().map(Source::name).collect();
        assert_eq!(names, ["nod", "bow"]);
        let bow = loader().clip_of(&listed[1], &ReadChoice::default());
        let raw = Arc::clone(bow.unwrap().raw().unwrap());
        let last = raw.translations[0].values.last().unwrap();
        let rest = skeleton.rest().joints()[1].position();
        assert_close!(*last + rest, Vec3::Y * 2.0, 1e-5, "{last}");
    }

    #[test]
    fn motions_of_an_opened_folder_find_a_skeleton_above() {
        let folder = tempfile::tempdir().unwrap();
        let takes = folder.path().join("takes");
        std::fs::create_dir(&takes).unwrap();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        std::fs::copy(fixtures.join("tiny.asf"), folder.path().join("tiny.asf")).unwrap();
        std::fs::copy(fixtures.join("tiny.amc"), takes.join("walk.amc")).unwrap();
        let opened = loader().opened(vec![folder.path().to_path_buf()], 0);
        assert_eq!((opened.clips.len(), opened.faults.len()), (1, 0));
    }
}
