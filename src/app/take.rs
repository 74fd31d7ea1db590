//! A motion made ready for the stage: skeleton, body, clip, and what the
//! panels say about them. Made on a loading thread, read only afterwards.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use glam::{Vec3, Vec3A};

use crate::{
    body::{Body, BodyCache},
    clip::{ClipCursor, FootContacts, RawClip, SampleClip, TrackClip},
    humanoid::{Human, facing},
    import::{
        self, ImportedMotion, ImportedSkeleton, MotionOptions, RateSource, SkeletonOptions, builtin,
    },
    load::{self, Cast, KinFile, LoadOptions, Loaded, MotionFile, SkeletonFile},
    math::Transform,
    mocap::{Level, Note, asf},
    model::Model,
    scene::{footing, outline},
    skeleton::{LocalPose, ModelPose, Skeleton, WorldPose},
    ui::Mark,
    units::{LengthScale, LengthUnit},
};

/// Poses looked at to know how much room a motion takes.
const FRAMING_POSES: usize = 16;

/// Something to show.
#[derive(Debug)]
pub struct Take {
    /// What the list calls it.
    pub name: String,
    /// Where it came from; `None` for what is built in.
    pub path: Option<PathBuf>,
    /// Its skeleton.
    pub skeleton: Arc<Skeleton>,
    /// How its file's lengths became metres.
    pub length: LengthScale,
    /// The rate is a guess.
    pub fps_assumed: bool,
    /// Its skin.
    pub body: Arc<Body>,
    /// The motion; `None` for a bare skeleton.
    pub clip: Option<Arc<RawClip>>,
    /// The same as keys at times of their own, where its file has it so.
    pub tracks: Option<Arc<TrackClip>>,
    /// For the clip panel.
    pub facts: Vec<(String, String)>,
    /// What the reader remarked.
    pub remarks: Vec<String>,
    /// For the timeline.
    pub marks: Vec<Mark>,
    /// Points on the skin over the whole motion, relative to the spot below
    /// the root.
    pub outline: Vec<Vec3>,
    /// Where the first pose looks.
    pub facing: Vec3,
    /// Metres a bare skeleton is lifted by to stand on the ground.
    lift_m: f32,
}

impl Take {
    /// From a file that was read.
    pub fn from_loaded(loaded: Loaded, bodies: &mut BodyCache) -> Result<Self, String> {
        Ok(match loaded {
            Loaded::Skeleton(file) => Self::of_skeleton(&file, bodies),
            Loaded::Motion(file) => Self::of_motion(*file, bodies),
            Loaded::Compressed(file) => Self::of_kin(&file, 0, bodies)?,
        })
    }

    /// A motion of a glTF file.
    pub fn of_gltf(path: &Path, index: usize, bodies: &mut BodyCache) -> Result<Self, String> {
        let loaded = load::load_gltf(path, LoadOptions::default());
        let mut loaded = loaded.map_err(|error| error.to_string())?;
        if index >= loaded.len() {
            return Err(format!("{}: there is no motion {index}", path.display()));
        }
        Self::from_loaded(loaded.swap_remove(index), bodies)
    }

    /// A clip of a container, decoded; its skeleton when it has none.
    pub fn of_kin(file: &KinFile, index: usize, bodies: &mut BodyCache) -> Result<Self, String> {
        let clip = file.kin.clips.get(index);
        let number = clip.map_or(0, |clip| clip.skeleton);
        let skeleton = file.kin.skeletons.get(number);
        let skeleton = skeleton.ok_or("the container holds no skeleton")?;
        let imported = ImportedSkeleton {
            skeleton: skeleton.skeleton.clone(),
            length: skeleton.length,
            angle: None,
            notes: Vec::new(),
        };
        let motion = clip.map(|clip| ImportedMotion {
            clip: RawClip::sampled_from(&clip.name, &skeleton.skeleton, &clip.clip),
            rate: match clip.fps_assumed {
                true => RateSource::Assumed,
                false => RateSource::Header,
            },
            source_asf: None,
            notes: Vec::new(),
        });
        let mut facts = Vec::new();
        if let (Some(motion), Some(clip)) = (&motion, clip) {
            add_motion_facts(&mut facts, motion);
            let codec = format!(
                "{}, {:.3} cm off at most",
                clip.settings.codec_name(),
                clip.max_error_cm
            );
            facts.push(("codec".to_owned(), codec));
        }
        add_skeleton_facts(&mut facts, &imported, Some(&file.path));
        let name = match clip {
            Some(clip) if file.kin.clips.len() > 1 => clip.name.clone(),
            _ => file_name(&file.path),
        };
        let path = Some(file.path.clone());
        let body = bodies.get(&imported.skeleton);
        Ok(Self::new(name, path, (&imported, motion), facts, body))
    }

    fn of_skeleton(file: &SkeletonFile, bodies: &mut BodyCache) -> Self {
        let skeleton = &file.imported;
        let mut facts = Vec::new();
        add_skeleton_facts(&mut facts, skeleton, Some(&file.path));
        add_model_facts(&mut facts, file.model.as_deref());
        Self::new(
            file_name(&file.path),
            Some(file.path.clone()),
            (skeleton, None),
            facts,
            bodies.dressed(&skeleton.skeleton, file.model.as_ref()),
        )
    }

    fn of_motion(file: MotionFile, bodies: &mut BodyCache) -> Self {
        let skeleton = &file.skeleton.imported;
        let mut facts = Vec::new();
        add_motion_facts(&mut facts, &file.imported);
        add_skeleton_facts(&mut facts, skeleton, Some(&file.skeleton.path));
        let model = file.skeleton.model.as_ref();
        add_model_facts(&mut facts, model.map(|it| &**it));
        let name = match file.tracks {
            Some(_) => file.imported.clip.name.clone(),
            None => file_name(&file.path),
        };
        let body = bodies.dressed(&skeleton.skeleton, model);
        let parts = (skeleton, Some(file.imported));
        let mut take = Self::new(name, Some(file.path.clone()), parts, facts, body);
        take.tracks = file.tracks;
        take
    }

    /// A character to be driven: what it wears and how much room it takes.
    pub fn of_cast(cast: &Cast, bodies: &mut BodyCache) -> Self {
        let skeleton = ImportedSkeleton {
            skeleton: (*cast.graph.skeleton).clone(),
            // The graph is in metres, whatever its files were.
            length: LengthScale {
                unit: LengthUnit::Metre,
                assumed: false,
                divisor: 1.0,
            },
            angle: None,
            notes: Vec::new(),
        };
        let motion = ImportedMotion {
            clip: cast.shown.clone(),
            rate: RateSource::Header,
            source_asf: None,
            notes: Vec::new(),
        };
        let name = skeleton.skeleton.name().to_owned();
        let body = bodies.dressed(&skeleton.skeleton, cast.model.as_ref());
        Self::new(name, None, (&skeleton, Some(motion)), Vec::new(), body)
    }

    /// A clip of the built-in performer.
    pub fn built_in(name: &str, bodies: &mut BodyCache) -> Result<Self, String> {
        let text = builtin::clip(name).ok_or_else(|| format!("there is no clip {name:?}"))?;
        let document = asf::parse(builtin::SKELETON_FILE, builtin::SKELETON_ASF.as_bytes());
        let document = document.map_err(|error| error.to_string())?;
        let options = SkeletonOptions::default();
        let skeleton = import::skeleton(builtin::SKELETON_FILE, "performer", document, options)
            .map_err(|error| error.to_string())?;
        let file = format!("{name}.amc");
        let motion = import::motion(
            &file,
            name,
            text.as_bytes(),
            &skeleton,
            MotionOptions::default(),
        )
        .map_err(|error| error.to_string())?;
        let mut facts = Vec::new();
        add_motion_facts(&mut facts, &motion);
        add_skeleton_facts(&mut facts, &skeleton, None);
        let parts = (&skeleton, Some(motion));
        let body = bodies.get(&skeleton.skeleton);
        Ok(Self::new(name.to_owned(), None, parts, facts, body))
    }

    fn new(
        name: String,
        path: Option<PathBuf>,
        (imported, motion): (&ImportedSkeleton, Option<ImportedMotion>),
        facts: Vec<(String, String)>,
        body: Arc<Body>,
    ) -> Self {
        let skeleton = Arc::new(imported.skeleton.clone());
        let notes = motion.iter().flat_map(|motion| &motion.notes);
        let remarks = remarks_of(notes.chain(&imported.notes));
        let fps_assumed = motion
            .as_ref()
            .is_some_and(|motion| motion.rate == RateSource::Assumed);
        let mut take = Self {
            name,
            path,
            length: imported.length,
            fps_assumed,
            body,
            clip: motion.map(|motion| Arc::new(motion.clip)),
            tracks: None,
            facts,
            remarks,
            marks: Vec::new(),
            outline: Vec::new(),
            facing: Vec3::Z,
            lift_m: 0.0,
            skeleton,
        };
        take.find_room();
        take.find_contacts();
        take
    }

    /// This clip carried over to somebody else, `clip` being what became of it.
    pub fn onto(&self, character: &Self, clip: RawClip) -> Self {
        let mut facts = self.facts.clone();
        let on = format!(
            "{}, {} joints",
            character.skeleton.name(),
            character.skeleton.len()
        );
        facts.push(("played on".to_owned(), on));
        let mut take = Self {
            name: self.name.clone(),
            path: self.path.clone(),
            skeleton: Arc::clone(&character.skeleton),
            length: character.length,
            fps_assumed: self.fps_assumed,
            body: Arc::clone(&character.body),
            clip: Some(Arc::new(clip)),
            tracks: None,
            facts,
            remarks: self.remarks.clone(),
            marks: Vec::new(),
            outline: Vec::new(),
            facing: Vec3::Z,
            lift_m: 0.0,
        };
        take.find_room();
        take.find_contacts();
        take
    }

    /// Fills what the camera needs to know.
    fn find_room(&mut self) {
        // A model stands as it was made.
        if self.clip.is_none() && self.body.model().is_none() {
            let rest = self.skeleton.rest_model();
            let ends = (0..self.skeleton.len()).map(|joint| rest.bone_end(&self.skeleton, joint).y);
            self.lift_m = 0.02 - ends.fold(f32::MAX, f32::min);
        }
        let (mut local, mut pose) = (LocalPose::default(), WorldPose::default());
        let duration = self.duration_secs();
        for index in 0..FRAMING_POSES {
            let secs = duration * index as f64 / (FRAMING_POSES - 1) as f64;
            self.pose_at(secs, &mut local, &mut pose);
            if index == 0 {
                self.facing = facing(&self.skeleton, &pose).unwrap_or(Vec3::Z);
            }
            let from = self.outline.len();
            outline(&self.body, &pose, &mut self.outline);
            let below = footing(&pose);
            self.outline[from..]
                .iter_mut()
                .for_each(|point| *point -= below);
            if duration == 0.0 {
                break;
            }
        }
    }

    /// Marks the times at which each foot stands, where there are legs.
    fn find_contacts(&mut self) {
        let Some(clip) = &self.clip else {
            return;
        };
        let legs = Human::find(&self.skeleton).legs();
        let (contacts, _) = FootContacts::find(&self.skeleton, clip, &legs, false);
        for (row, (contact, foot)) in contacts.iter().zip(["left", "right"]).enumerate() {
            let secs_of = |frame: usize| frame as f64 / clip.fps;
            let mut start = None;
            for frame in 0..=clip.frames() {
                let stands = frame < clip.frames() && contact.planted(secs_of(frame));
                match (start, stands) {
                    (None, true) => start = Some(frame),
                    (Some(from), false) => {
                        self.marks.push(Mark {
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
    }

    /// Frames a second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.clip.as_ref().map_or(30.0, |clip| clip.fps)
    }

    /// Seconds from first to last frame.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.clip.as_ref().map_or(0.0, |clip| clip.duration_secs())
    }

    /// The pose at a time of the clip.
    pub fn pose_at(&self, secs: f64, local: &mut LocalPose, pose: &mut WorldPose) {
        match (&self.tracks, &self.clip) {
            (Some(tracks), _) => {
                tracks.sample(&self.skeleton, secs, &mut ClipCursor::default(), local);
            }
            (None, Some(clip)) => {
                clip.sample(&self.skeleton, secs, &mut ClipCursor::default(), local);
            }
            (None, None) => local.copy_from(self.skeleton.rest()),
        }
        self.place(local, pose);
    }

    /// From the local pose to the world.
    pub fn place(&self, local: &LocalPose, pose: &mut WorldPose) {
        let mut model = ModelPose::default();
        model.compute(&self.skeleton, local);
        pose.place(Transform::from_translation(Vec3::Y * self.lift_m), &model);
    }
}

/// Moves a whole pose.
pub fn shift(pose: &mut WorldPose, by_m: Vec3) {
    let by_m = Vec3A::from(by_m);
    for joint in pose.joints_mut() {
        joint.translation += by_m;
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

fn add_motion_facts(facts: &mut Vec<(String, String)>, motion: &ImportedMotion) {
    let clip = &motion.clip;
    let mut fact = |what: &str, value: String| facts.push((what.to_owned(), value));
    fact("clip", clip.name.clone());
    let length = format!("{} frames, {:.2} s", clip.frames(), clip.duration_secs());
    fact("length", length);
    let known = match motion.rate {
        RateSource::Assumed => "assumed",
        _ => "stated",
    };
    fact("rate", format!("{} fps, {known}", rounded(clip.fps)));
    fact("animated", format!("{} joints", clip.animated.len()));
}

fn add_skeleton_facts(
    facts: &mut Vec<(String, String)>,
    imported: &ImportedSkeleton,
    path: Option<&Path>,
) {
    let skeleton = &imported.skeleton;
    let mut fact = |what: &str, value: String| facts.push((what.to_owned(), value));
    let name = path.map_or_else(|| skeleton.name().to_owned(), file_name);
    fact("skeleton", format!("{name}, {} joints", skeleton.len()));
    fact("height", format!("{:.2} m", skeleton.rest_height_m()));
    let known = if imported.length.assumed {
        "assumed"
    } else {
        "stated"
    };
    fact("unit", format!("{}, {known}", imported.length.unit));
}

fn add_model_facts(facts: &mut Vec<(String, String)>, model: Option<&Model>) {
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
    facts.push(("meshes".to_owned(), meshes));
    if model.morphs > 0 {
        facts.push(("morphs".to_owned(), format!("{} targets", model.morphs)));
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
