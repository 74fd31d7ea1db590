//! A motion made ready to be shown: who moves, the clip, and what panels say
//! about it. Made on a loading thread, read only afterwards.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::Vec3;

use super::{SessionError, choices::ReadChoice, source::Source};
use crate::{
    body::{Body, BodyCache},
    clip::{EventTrack, FootContacts, RawClip, SampleClip},
    humanoid::{Human, Stature, StatureSource},
    import::RateSource,
    load::{self, DrivenCharacter, LoadOptions, Loaded, LoadedMotion, LoadedSkeleton},
    mesh::CharacterMesh,
    mocap::{Level, Note},
    scene::Character,
    skeleton::Skeleton,
    ui::Mark,
    units::{LengthScale, UpAxis},
};

/// What a clip was read from, and how: enough to read it again.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The entry of a list.
    pub source: Source,
    /// How it was read.
    pub choice: ReadChoice,
}

/// Something to show.
#[derive(Debug)]
pub struct OpenedClip {
    /// What the list calls it.
    pub name: String,
    /// Where it came from; `None` for what is built in.
    pub path: Option<PathBuf>,
    /// What it was read from; `None` for what was made of other clips.
    pub origin: Option<Origin>,
    /// Its skeleton.
    pub skeleton: Arc<Skeleton>,
    /// Its skin.
    pub body: Arc<Body>,
    /// The skeleton with its file.
    pub loaded: Arc<LoadedSkeleton>,
    /// The motion; `None` for a bare skeleton.
    pub motion: Option<LoadedMotion>,
    /// For the clip panel.
    pub facts: Vec<(String, String)>,
    /// What the reader remarked.
    pub remarks: Vec<String>,
    /// For the timeline.
    pub marks: Vec<Mark>,
    /// What happens in it: as its file says, or the strikes of its feet.
    pub events: EventTrack,
    /// Skeletons that it may be meant for.
    pub skeletons: Vec<PathBuf>,
    /// Some joints are fingers.
    pub has_fingers: bool,
    outline: Arc<[Vec3]>,
    facing: Vec3,
}

impl OpenedClip {
    /// From a file that was read.
    pub fn of(loaded: Loaded, bodies: &mut BodyCache) -> Self {
        match loaded {
            Loaded::Skeleton(skeleton) => {
                let (name, path) = (file_name(&skeleton.path), skeleton.path.clone());
                let facts = Facts::of_skeleton(&skeleton, true);
                Self::new(name, Some(path), skeleton, None, facts, bodies)
            }
            Loaded::Motion(motion) => {
                let name = match motion.own_keys() {
                    Some(_) => motion.name.clone(),
                    None => file_name(&motion.path),
                };
                let path = motion.path.clone();
                Self::of_motion(name, Some(path), *motion, bodies)
            }
        }
    }

    /// One motion of a file that holds several.
    pub fn of_several(
        path: &Path,
        index: usize,
        options: LoadOptions,
        bodies: &mut BodyCache,
    ) -> Result<Self, SessionError> {
        let paths = [path.to_path_buf()];
        let outcomes = load::load(&paths, options).into_iter();
        let loaded: Vec<Loaded> = outcomes
            .map(|(_, outcome)| outcome)
            .collect::<Result<_, _>>()?;
        let motions = loaded.into_iter().filter_map(Loaded::into_motion);
        let motion = { motions }.nth(index);
        let motion = motion.ok_or_else(|| SessionError::NoMotion {
            path: path.to_path_buf(),
            index,
        })?;
        let name = motion.name.clone();
        Ok(Self::of_motion(
            name,
            Some(path.to_path_buf()),
            motion,
            bodies,
        ))
    }

    /// A motion made of another.
    pub fn of_made(name: &str, motion: LoadedMotion, bodies: &mut BodyCache) -> Self {
        Self::of_motion(name.to_owned(), None, motion, bodies)
    }

    /// A clip of the built-in performer.
    pub fn built_in(name: &str, bodies: &mut BodyCache) -> Result<Self, SessionError> {
        let motion = load::performer_clip(name, LoadOptions::default())?;
        let motion = motion.ok_or_else(|| SessionError::NoBuiltIn(name.to_owned()))?;
        Ok(Self::of_motion(name.to_owned(), None, motion, bodies))
    }

    /// A character to be driven, in the clip that it stands in.
    pub fn of_driven(driven: &DrivenCharacter, bodies: &mut BodyCache) -> Self {
        let name = driven.graph.skeleton.name().to_owned();
        let loaded = Arc::clone(&driven.loaded);
        Self::new(name, None, loaded, None, Facts::default(), bodies)
    }

    /// This motion on somebody else, `clip` being what became of it.
    pub fn on(&self, character: &Self, clip: RawClip) -> Self {
        let mut facts = self.facts.clone();
        let on = &character.skeleton;
        let played_on = format!("{}, {} joints", on.name(), on.len());
        facts.push(("played on".to_owned(), played_on));
        let motion = self.motion.as_ref();
        let motion = motion.map(|motion| motion.retargeted(clip, &character.loaded));
        let mut opened = Self {
            name: self.name.clone(),
            path: self.path.clone(),
            origin: None,
            skeleton: Arc::clone(on),
            body: Arc::clone(&character.body),
            loaded: Arc::clone(&character.loaded),
            motion,
            facts,
            remarks: self.remarks.clone(),
            marks: Vec::new(),
            events: EventTrack::default(),
            skeletons: self.skeletons.clone(),
            has_fingers: false,
            outline: Arc::new([]),
            facing: Vec3::Z,
        };
        opened.measure();
        opened
    }

    /// The same motion in other frames, on the same body.
    pub fn changed(&self, what: (&str, &str), clip: RawClip) -> Option<Self> {
        let motion = self.motion.as_ref()?.made_of(clip);
        let mut facts = self.facts.clone();
        facts.push((what.0.to_owned(), what.1.to_owned()));
        let mut opened = Self {
            name: self.name.clone(),
            path: self.path.clone(),
            origin: self.origin.clone(),
            skeleton: Arc::clone(&self.skeleton),
            body: Arc::clone(&self.body),
            loaded: Arc::clone(&self.loaded),
            motion: Some(motion),
            facts,
            remarks: self.remarks.clone(),
            marks: self.marks.clone(),
            events: self.events.clone(),
            skeletons: self.skeletons.clone(),
            has_fingers: self.has_fingers,
            outline: Arc::new([]),
            facing: Vec3::Z,
        };
        opened.measure();
        Some(opened)
    }

    fn of_motion(
        name: String,
        path: Option<PathBuf>,
        motion: LoadedMotion,
        bodies: &mut BodyCache,
    ) -> Self {
        let mut facts = Facts::of_motion(&motion);
        let from_file = path.is_some();
        facts
            .0
            .extend(Facts::of_skeleton(&motion.skeleton, from_file).0);
        let skeleton = Arc::clone(&motion.skeleton);
        Self::new(name, path, skeleton, Some(motion), facts, bodies)
    }

    fn new(
        name: String,
        path: Option<PathBuf>,
        loaded: Arc<LoadedSkeleton>,
        motion: Option<LoadedMotion>,
        facts: Facts,
        bodies: &mut BodyCache,
    ) -> Self {
        let notes = motion.iter().flat_map(|motion| &motion.notes);
        let remarks = remarks_of(notes.chain(&loaded.imported.notes));
        let body = match &motion {
            Some(motion) => motion.body(bodies),
            None => loaded.body(bodies),
        };
        let mut opened = Self {
            name,
            path,
            origin: None,
            body,
            skeleton: Arc::new(loaded.imported.skeleton.clone()),
            loaded,
            motion,
            facts: facts.0,
            remarks,
            marks: Vec::new(),
            events: EventTrack::default(),
            skeletons: Vec::new(),
            has_fingers: false,
            outline: Arc::new([]),
            facing: Vec3::Z,
        };
        opened.measure();
        opened
    }

    /// Finds what a camera and the timeline have to know.
    fn measure(&mut self) {
        let measured = self.character().measured();
        (self.outline, self.facing) = (measured.outline, measured.facing);
        self.has_fingers = !Human::find(&self.skeleton)
            .fingers(&self.skeleton)
            .is_empty();
        if let Some(motion) = &self.motion {
            let clip = motion.raw();
            let legs = Human::find(&self.skeleton).legs();
            let (contacts, _) = FootContacts::find(&self.skeleton, clip, &legs, false);
            self.marks = contact_marks(&contacts, clip);
            let found = || EventTrack::of_contacts(&contacts);
            self.events = motion.events.clone().unwrap_or_else(found);
        }
    }

    /// Somebody to be seen.
    #[must_use]
    pub fn character(&self) -> Character {
        let (name, skeleton) = (self.name.clone(), Arc::clone(&self.skeleton));
        let body = Arc::clone(&self.body);
        let mut character = match &self.motion {
            Some(motion) => Character::playing(name, skeleton, body, motion.sampler()),
            None => Character::at_rest(name, skeleton, body),
        };
        character = character.with_ways_up(load::ways_up);
        (character.outline, character.facing) = (Arc::clone(&self.outline), self.facing);
        character.staging.events = self.events.clone();
        character
    }

    /// Every frame; `None` for a bare skeleton.
    #[must_use]
    pub fn raw(&self) -> Option<&Arc<RawClip>> {
        self.motion.as_ref().map(LoadedMotion::raw)
    }

    /// The motion as its file has it, to be played.
    #[must_use]
    pub fn sampler(&self) -> Option<Arc<dyn SampleClip>> {
        self.motion.as_ref().map(LoadedMotion::sampler)
    }

    /// Seconds from the first frame to the last.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.raw().map_or(0.0, |raw| raw.duration_secs())
    }

    /// How its file's lengths became metres.
    #[must_use]
    pub fn length(&self) -> LengthScale {
        self.loaded.imported.length
    }

    /// The axis of the file that pointed up.
    #[must_use]
    pub fn up(&self) -> UpAxis {
        self.loaded.imported.up
    }

    /// The frame rate is a guess.
    #[must_use]
    pub fn fps_assumed(&self) -> bool {
        let rate = self.motion.as_ref().map(|motion| motion.rate);
        rate == Some(RateSource::Assumed)
    }
}

/// The times at which each foot stands, where there are legs.
fn contact_marks(contacts: &[FootContacts], clip: &RawClip) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (row, (contact, foot)) in contacts.iter().zip(["left", "right"]).enumerate() {
        let secs_of = |frame: usize| frame as f64 / clip.fps;
        let mut start = None;
        // One past the end, where nobody stands: it closes the last stance.
        for frame in 0..=clip.frames() {
            let stands = frame < clip.frames() && contact.planted(secs_of(frame));
            match (start, stands) {
                (None, true) => start = Some(frame),
                (Some(from), false) => {
                    marks.push(Mark {
                        start_secs: secs_of(from),
                        end_secs: secs_of(frame.saturating_sub(1)),
                        row,
                        text: format!("{foot} foot stands"),
                    });
                    start = None;
                }
                _ => {}
            }
        }
    }
    marks
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// What the clip panel lists: what, and its value.
#[derive(Debug, Default)]
struct Facts(Vec<(String, String)>);

impl Facts {
    fn add(&mut self, what: &str, value: String) {
        self.0.push((what.to_owned(), value));
    }

    fn of_motion(motion: &LoadedMotion) -> Self {
        let mut facts = Self::default();
        let clip = motion.raw();
        facts.add("clip", motion.name.clone());
        let length = format!("{} frames, {:.2} s", clip.frames(), clip.duration_secs());
        facts.add("length", length);
        let known = known(motion.rate == RateSource::Assumed);
        facts.add("rate", format!("{} fps, {known}", rounded(clip.fps)));
        facts.add("animated", format!("{} joints", clip.animated.len()));
        if let Some(clip) = motion.compressed() {
            let (codec, error_cm) = (clip.settings.codec_name(), clip.max_error_cm);
            facts.add("codec", format!("{codec}, {error_cm:.3} cm off at most"));
        }
        facts
    }

    fn of_skeleton(loaded: &LoadedSkeleton, from_file: bool) -> Self {
        let mut facts = Self::default();
        let (imported, skeleton) = (&loaded.imported, &loaded.imported.skeleton);
        let name = match from_file {
            true => file_name(&loaded.path),
            false => skeleton.name().to_owned(),
        };
        facts.add("skeleton", format!("{name}, {} joints", skeleton.len()));
        let stature = Stature::of(skeleton);
        let by = match stature.from {
            StatureSource::BonesToHead => "head left out".to_owned(),
            from => format!("by {}", from.words()),
        };
        let height = format!("{:.2} m, {by}", stature.height_m);
        facts.add("height", height);
        let known = known(imported.length.assumed);
        facts.add("unit", format!("{}, {known}", imported.length.unit));
        facts.add_model(loaded.model.as_deref());
        facts
    }

    fn add_model(&mut self, model: Option<&CharacterMesh>) {
        let Some(model) = model else {
            return;
        };
        let triangles = model.parts.iter().map(|part| {
            let primitive = &model.primitives[part.primitive];
            primitive.indices.len() / 3
        });
        let meshes = format!(
            "{} parts, {} triangles, {} materials",
            model.parts.len(),
            triangles.sum::<usize>(),
            model.materials.len()
        );
        self.add("meshes", meshes);
        if model.morphs > 0 {
            self.add("morphs", format!("{} targets", model.morphs));
        }
    }
}

fn known(assumed: bool) -> &'static str {
    match assumed {
        true => "assumed",
        false => "stated",
    }
}

fn rounded(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn remarks_of<'n>(notes: impl Iterator<Item = &'n Note>) -> Vec<String> {
    let worth_saying = notes.filter(|note| note.level == Level::Warning);
    worth_saying
        .map(|note| match note.line {
            Some(line) => format!("line {line}: {}", note.message),
            None => note.message.clone(),
        })
        .collect()
}
