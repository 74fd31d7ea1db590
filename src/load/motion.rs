//! What comes out of a file: skeletons, and motions of any kind on them.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use crate::{
    animator::AnimatorClip,
    body::{Body, BodyCache},
    clip::{EventTrack, RawClip, SampleClip, TrackClip, sample_poses},
    codec::{
        CompressedClip,
        keys::KeyClip,
        kin::{Kin, KinClip, KinSkeleton, KinTracks},
        to_tracks,
    },
    humanoid::Human,
    import::{
        ImportedMotion, ImportedSkeleton, MotionOptions, RateSource, UpAxis, pairing::Pairing,
    },
    load::{LoadOptions, ways_up},
    mesh::CharacterMesh,
    mocap::Note,
    scene::Character,
    skeleton::{ModelPose, Skeleton},
};

/// A skeleton and the file it came from.
#[derive(Clone, Debug)]
pub struct LoadedSkeleton {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub imported: ImportedSkeleton,
    /// The meshes that came with it; a body is grown where there are none.
    pub model: Option<Arc<CharacterMesh>>,
}

impl LoadedSkeleton {
    /// Somebody to be seen, at rest; who is measured for a camera.
    #[must_use]
    pub fn character(&self, bodies: &mut BodyCache) -> Character {
        let body = self.body(bodies);
        let skeleton = Arc::new(self.imported.skeleton.clone());
        Character::at_rest(skeleton.name().to_owned(), skeleton, body)
            .measured()
            .with_ways_up(ways_up)
    }

    /// The same, to be drawn: the file's own model, or one grown.
    #[must_use]
    pub fn body(&self, bodies: &mut BodyCache) -> Arc<Body> {
        bodies.dressed(&self.imported.skeleton, self.model.as_ref(), Vec::new)
    }

    /// A skeleton of a container.
    fn of_container(path: &Path, skeleton: &KinSkeleton) -> Self {
        Self {
            path: path.to_path_buf(),
            imported: ImportedSkeleton {
                skeleton: skeleton.skeleton.clone(),
                length: skeleton.length,
                up: UpAxis::Y,
                angle: None,
                notes: Vec::new(),
            },
            model: None,
        }
    }
}

/// A motion as its file holds it.
#[derive(Clone, Debug)]
pub enum ClipData {
    /// Every frame.
    Raw(Arc<RawClip>),
    /// Keys at times of their own.
    Keys(Arc<TrackClip>),
    /// As a codec left it.
    Compressed(Arc<KinClip>),
}

/// A motion, the skeleton it plays on, and what is known of both.
#[derive(Clone, Debug)]
pub struct LoadedMotion {
    /// The file.
    pub path: PathBuf,
    /// What the file calls the motion, or the file's stem.
    pub name: String,
    /// What it plays on.
    pub skeleton: Arc<LoadedSkeleton>,
    /// The motion itself.
    pub clip: ClipData,
    /// How the frame rate was found.
    pub rate: RateSource,
    /// How the skeleton was found.
    pub pairing: Pairing,
    /// What the reader noticed.
    pub notes: Vec<Note>,
    /// What happens in it, as its file says; `None` where it says nothing.
    pub events: Option<EventTrack>,
    /// Every frame, once somebody has asked for it.
    frames: OnceLock<Arc<RawClip>>,
}

impl LoadedMotion {
    /// A motion of frames, as an importer gives it.
    #[must_use]
    pub fn of_frames(
        path: PathBuf,
        motion: ImportedMotion,
        skeleton: Arc<LoadedSkeleton>,
        pairing: Pairing,
    ) -> Self {
        Self {
            path,
            name: motion.clip.name.clone(),
            skeleton,
            clip: ClipData::Raw(Arc::new(motion.clip)),
            rate: motion.rate,
            pairing,
            notes: motion.notes,
            events: None,
            frames: OnceLock::new(),
        }
    }

    /// The same motion in other frames, on another skeleton.
    #[must_use]
    pub fn retargeted(&self, clip: RawClip, skeleton: &Arc<LoadedSkeleton>) -> Self {
        Self {
            path: self.path.clone(),
            name: self.name.clone(),
            skeleton: Arc::clone(skeleton),
            clip: ClipData::Raw(Arc::new(clip)),
            rate: self.rate,
            pairing: Pairing::Given,
            notes: self.notes.clone(),
            events: self.events.clone(),
            frames: OnceLock::new(),
        }
    }

    /// A motion that was made of this one and others.
    #[must_use]
    pub fn made_of(&self, clip: RawClip) -> Self {
        let mut made = self.retargeted(clip, &self.skeleton);
        made.name.clone_from(&made.raw().name.clone());
        made.notes.clear();
        made.events = None;
        made
    }

    /// A motion of keys; `frames` where they were sampled already.
    #[must_use]
    pub fn of_keys(
        path: PathBuf,
        keys: TrackClip,
        skeleton: Arc<LoadedSkeleton>,
        rate: RateSource,
    ) -> Self {
        Self {
            path,
            name: keys.name.clone(),
            skeleton,
            clip: ClipData::Keys(Arc::new(keys)),
            rate,
            pairing: Pairing::SameFile,
            notes: Vec::new(),
            events: None,
            frames: OnceLock::new(),
        }
    }

    /// What happens in it: as its file says, or the strikes of its feet.
    #[must_use]
    pub fn events(&self) -> EventTrack {
        let found = || EventTrack::foot_strikes(self.skeleton(), self.raw());
        self.events.clone().unwrap_or_else(found)
    }

    /// Who moves.
    #[must_use]
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton.imported.skeleton
    }

    /// Somebody to be seen, playing it; who is measured for a camera.
    #[must_use]
    pub fn character(&self, bodies: &mut BodyCache) -> Character {
        let body = self.body(bodies);
        let skeleton = Arc::new(self.skeleton().clone());
        Character::playing(self.name.clone(), skeleton, body, self.sampler())
            .measured()
            .with_ways_up(ways_up)
    }

    /// Who moves, to be drawn: the file's own model, or one grown for this
    /// motion.
    #[must_use]
    pub fn body(&self, bodies: &mut BodyCache) -> Arc<Body> {
        let model = self.skeleton.model.as_ref();
        bodies.dressed(self.skeleton(), model, || self.few_poses())
    }

    /// Poses that speak for the whole motion.
    #[must_use]
    pub fn few_poses(&self) -> Vec<ModelPose> {
        sample_poses(&*self.sampler(), self.skeleton())
    }

    /// To be played, whatever it is made of.
    #[must_use]
    pub fn sampler(&self) -> Arc<dyn SampleClip> {
        match &self.clip {
            ClipData::Raw(clip) => Arc::clone(clip) as _,
            ClipData::Keys(clip) => Arc::clone(clip) as _,
            ClipData::Compressed(clip) => Arc::clone(clip) as _,
        }
    }

    /// To be driven: keys and compressed clips are sampled as they are, their
    /// frames only looked at once.
    #[must_use]
    pub fn driven(&self) -> AnimatorClip {
        let frames = || Arc::clone(self.raw());
        let clip = match &self.clip {
            ClipData::Raw(clip) => Arc::clone(clip).into(),
            ClipData::Keys(_) => AnimatorClip::with_source(frames(), self.sampler()),
            ClipData::Compressed(_) => AnimatorClip::compressed(frames(), self.sampler()),
        };
        clip.with_events(self.events.clone().unwrap_or_default())
    }

    /// Every frame, for whoever compresses, retargets or writes it. Keys and
    /// compressed clips are sampled on first use.
    #[must_use]
    pub fn raw(&self) -> &Arc<RawClip> {
        self.frames.get_or_init(|| match &self.clip {
            ClipData::Raw(clip) => Arc::clone(clip),
            ClipData::Keys(clip) => Arc::new(clip.resample(self.skeleton(), clip.fps)),
            ClipData::Compressed(clip) => Arc::new(RawClip::sampled_from(
                &self.name,
                self.skeleton(),
                &clip.clip,
            )),
        })
    }

    /// The keys that its file holds, if it holds any.
    #[must_use]
    pub fn own_keys(&self) -> Option<&Arc<TrackClip>> {
        match &self.clip {
            ClipData::Keys(keys) => Some(keys),
            ClipData::Raw(_) | ClipData::Compressed(_) => None,
        }
    }

    /// The motion as keys: its own, or those a codec chose.
    #[must_use]
    pub fn keys(&self) -> Option<Arc<TrackClip>> {
        match &self.clip {
            ClipData::Raw(_) => None,
            ClipData::Keys(keys) => Some(Arc::clone(keys)),
            ClipData::Compressed(clip) => match &clip.clip {
                CompressedClip::Keys(keys) => self.tracks_of(keys),
                CompressedClip::Sided(sided) => match sided.motion() {
                    CompressedClip::Keys(keys) => {
                        let mut tracks = self.tracks_of(keys)?;
                        let beside = self.tracks_of(sided.beside())?;
                        tracks.morphs = beside.morphs;
                        (tracks.scales, tracks.weights) = (beside.scales, beside.weights);
                        Some(tracks)
                    }
                    _ => None,
                },
                CompressedClip::Rows(_)
                | CompressedClip::Bspline(_)
                | CompressedClip::Wavelet(_)
                | CompressedClip::Tight(_) => None,
            }
            .map(Arc::new),
        }
    }

    fn tracks_of(&self, keys: &KeyClip) -> Option<TrackClip> {
        to_tracks(&self.name, self.skeleton(), keys)
    }

    /// What a codec made of it, where its file is a container.
    #[must_use]
    pub fn compressed(&self) -> Option<&KinClip> {
        match &self.clip {
            ClipData::Compressed(clip) => Some(clip),
            ClipData::Raw(_) | ClipData::Keys(_) => None,
        }
    }

    /// The same motion with the fingers held as they are at rest: where markers
    /// on thumbs and fingers were lost, captures have garbage there.
    #[must_use]
    pub fn without_fingers(self) -> Self {
        let fingers = Human::find(self.skeleton()).fingers(self.skeleton());
        if fingers.is_empty() {
            return self;
        }
        let clip = match &self.clip {
            ClipData::Keys(keys) => ClipData::Keys(Arc::new(keys.holding(&fingers))),
            ClipData::Raw(_) | ClipData::Compressed(_) => {
                ClipData::Raw(Arc::new(self.raw().holding(&fingers)))
            }
        };
        Self {
            clip,
            frames: OnceLock::new(),
            ..self
        }
    }

    /// The path, and which motion of it where a file may hold several.
    #[must_use]
    pub fn label(&self) -> String {
        let path = self.path.display();
        match &self.clip {
            ClipData::Raw(_) => path.to_string(),
            ClipData::Keys(_) | ClipData::Compressed(_) => format!("{path}#{}", self.name),
        }
    }
}

/// Anything that can be loaded.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A skeleton of its own.
    Skeleton(Arc<LoadedSkeleton>),
    /// A motion on a skeleton.
    Motion(Box<LoadedMotion>),
}

impl Loaded {
    /// With what the user wants to be left out.
    pub(super) fn with_options(self, options: LoadOptions) -> Self {
        match self {
            Self::Motion(motion) if options.ignore_fingers => {
                Self::Motion(Box::new(motion.without_fingers()))
            }
            loaded => loaded,
        }
    }

    /// The motion, if it is one.
    #[must_use]
    pub fn into_motion(self) -> Option<LoadedMotion> {
        match self {
            Self::Motion(motion) => Some(*motion),
            Self::Skeleton(_) => None,
        }
    }
}

/// Numbers that the frames of a container's keyed clips may have beyond what
/// their keys warrant.
const KIN_FREE_VALUES: f64 = 4e6;

/// The clips of a container, compressed ones first; its skeletons where it has
/// none.
pub(super) fn of_container(path: &Path, kin: Kin, options: MotionOptions) -> Vec<Loaded> {
    let skeletons: Vec<Arc<LoadedSkeleton>> = kin
        .skeletons
        .iter()
        .map(|skeleton| Arc::new(LoadedSkeleton::of_container(path, skeleton)))
        .collect();
    if kin.clips.is_empty() && kin.tracks.is_empty() {
        return skeletons.into_iter().map(Loaded::Skeleton).collect();
    }
    // Shared out, or a container of many tiny clips could ask for any amount of
    // memory.
    let free_values = KIN_FREE_VALUES / kin.tracks.len().max(1) as f64;
    let on = |index: usize| Arc::clone(&skeletons[index]);
    let compressed = kin.clips.into_iter().map(|clip| LoadedMotion {
        path: path.to_path_buf(),
        name: clip.name.clone(),
        skeleton: on(clip.skeleton),
        rate: assumed_or(clip.fps_assumed),
        events: clip.events.clone(),
        clip: ClipData::Compressed(Arc::new(clip)),
        pairing: Pairing::SameFile,
        notes: Vec::new(),
        frames: OnceLock::new(),
    });
    let keyed = kin.tracks.into_iter().map(|tracks| {
        let on = on(tracks.skeleton);
        keyed_motion(path, tracks, on, options, free_values)
    });
    let motions = compressed.chain(keyed);
    motions
        .map(|motion| Loaded::Motion(Box::new(motion)))
        .collect()
}

fn keyed_motion(
    path: &Path,
    mut tracks: KinTracks,
    on: Arc<LoadedSkeleton>,
    options: MotionOptions,
    free_values: f64,
) -> LoadedMotion {
    let wanted = options.fps.unwrap_or(tracks.clip.fps);
    tracks.clip.fps = tracks.clip.bearable_rate(wanted, free_values);
    let rate = match options.fps {
        Some(_) => RateSource::Given,
        None => assumed_or(tracks.fps_assumed),
    };
    LoadedMotion {
        events: tracks.events,
        ..LoadedMotion::of_keys(path.to_path_buf(), tracks.clip, on, rate)
    }
}

fn assumed_or(assumed: bool) -> RateSource {
    match assumed {
        true => RateSource::Assumed,
        false => RateSource::Header,
    }
}
