//! A character to drive: an animator's description and the clips its states
//! play, from files or built in.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    ClipMemory, LoadError, LoadOptions, Loaded, LoadedMotion, LoadedSkeleton, Retargeter,
    clip_memory, filled::fill, given, load, performer, performer_clips, read_text, ways_up,
};
use crate::{
    animator::{self, AnimatorClip, ClipSet, DEFAULT_GRAPH, Description, Graph, RecordedMotion},
    body::BodyCache,
    clip::{SampleClip, sample_poses},
    codec::CodecSettings,
    import::{ImportedMotion, ImportedSkeleton, RateSource, builtin, pairing::Pairing},
    retarget::{JointMap, retarget},
    scene::Character,
    skeleton::Skeleton,
};

/// What a character is made from.
#[derive(Clone, Copy, Debug)]
pub struct CharacterFiles<'a> {
    /// The animator's description; the built-in one when left out.
    pub animator: Option<&'a Path>,
    /// A skeleton and motions for its states, which go by file stem or as
    /// `STATE=FILE`; the performer when there is none.
    pub files: &'a [PathBuf],
    /// Who plays them, instead of the one they were made for.
    pub onto: Option<&'a Retargeter>,
    /// States that the files have no clip for play the performer's, on the
    /// skeleton of the files; a skeleton alone will do.
    pub fill: bool,
}

/// The clip a character stands in, where it has one.
const IDLE: &str = "idle";

/// A character and the graph that drives it.
#[derive(Debug)]
pub struct DrivenCharacter {
    /// What drives; holds the skeleton.
    pub graph: Arc<Graph>,
    /// One of its clips: how it stands and how much room it takes.
    pub shown: Arc<dyn SampleClip>,
    /// Names of clips that no state plays.
    pub unused: Vec<String>,
    /// Names of all clips that states can play.
    pub clip_names: Vec<String>,
    /// What the animator calls a clip, and the clip of the files that it is;
    /// empty for the performer.
    pub own: Vec<(String, String)>,
    /// The performer's clips do what the character's own do not.
    pub borrowed: bool,
    /// Who it is, with their file and its meshes.
    pub loaded: Arc<LoadedSkeleton>,
    /// How their joints move the character's, where the clips are somebody
    /// else's.
    pub map: Option<JointMap>,
    /// What its clips take up.
    pub memory: ClipMemory,
}

impl DrivenCharacter {
    /// What it did, as a motion like any file's; `from` says what made it.
    #[must_use]
    pub fn motion(&self, from: PathBuf, recorded: RecordedMotion) -> LoadedMotion {
        recorded_motion(&self.loaded, from, recorded)
    }

    /// Somebody to be seen, under the animator; measured for a camera by one
    /// of the clips.
    #[must_use]
    pub fn character(&self, bodies: &mut BodyCache) -> Character {
        let skeleton = &self.graph.skeleton;
        let body = bodies.dressed(skeleton, self.loaded.model.as_ref(), || {
            sample_poses(&*self.shown, skeleton)
        });
        let shown = Arc::clone(&self.shown);
        let shown = Character::playing("", Arc::clone(skeleton), Arc::clone(&body), shown);
        // What an animator does has no length to measure over; one clip stands
        // for it.
        let shown = shown.measured();
        let driven = Character::driven(skeleton.name(), Arc::clone(&self.graph), body);
        let mut driven = driven.with_ways_up(ways_up);
        (driven.outline, driven.facing) = (shown.outline, shown.facing);
        driven
    }
}

/// What somebody did as a motion like any file's, at the clip's own rate.
#[must_use]
pub fn recorded_motion(
    character: &Arc<LoadedSkeleton>,
    from: PathBuf,
    recorded: RecordedMotion,
) -> LoadedMotion {
    let motion = ImportedMotion {
        clip: recorded.clip,
        rate: RateSource::Given,
        source_asf: None,
        notes: Vec::new(),
    };
    let character = Arc::clone(character);
    let mut motion = LoadedMotion::of_frames(from, motion, character, Pairing::Given);
    motion.events = Some(recorded.events);
    motion
}

/// What somebody did in the scene of a driven character. Who plays a clip of
/// another skeleton is written on that one.
#[must_use]
pub fn motion_of_scene(
    lead: &DrivenCharacter,
    on: &Skeleton,
    from: PathBuf,
    recorded: RecordedMotion,
) -> LoadedMotion {
    let known = &lead.loaded;
    if known.imported.skeleton == *on {
        return recorded_motion(known, from, recorded);
    }
    let own = LoadedSkeleton {
        // No ending: its skeleton is written with it.
        path: on.name().into(),
        imported: ImportedSkeleton {
            skeleton: on.clone(),
            ..known.imported.clone()
        },
        model: None,
    };
    recorded_motion(&Arc::new(own), from, recorded)
}

/// Who is driven and by which clips, before the graph is built.
struct StateClips {
    loaded: Arc<LoadedSkeleton>,
    clips: ClipSet,
    unused: Vec<String>,
    own: Vec<(String, String)>,
    borrowed: bool,
}

impl DrivenCharacter {
    /// Reads everything and builds the graph.
    pub fn load(from: CharacterFiles<'_>, options: LoadOptions) -> Result<Self, LoadError> {
        Self::load_given(from, &[], options, None)
    }

    /// The same with files that were given to states by hand, carried onto
    /// whoever is driven, and clips held as a codec leaves them.
    pub fn load_given(
        from: CharacterFiles<'_>,
        given: &[(String, PathBuf)],
        options: LoadOptions,
        held: Option<CodecSettings>,
    ) -> Result<Self, LoadError> {
        Self::load_edited(from, None, given, options, held)
    }

    /// The same with the text of a description that is being edited, instead of
    /// what its file holds.
    pub fn load_edited(
        from: CharacterFiles<'_>,
        text: Option<&str>,
        given: &[(String, PathBuf)],
        options: LoadOptions,
        held: Option<CodecSettings>,
    ) -> Result<Self, LoadError> {
        let source = from.animator.unwrap_or(Path::new("the built-in animator"));
        let wrong = |message: String| LoadError::Animator {
            path: source.to_path_buf(),
            message,
        };
        let mut description = match text {
            Some(text) => animator::parse(text).map_err(|error| wrong(error.to_string()))?,
            None => describe(from.animator)?,
        };
        let mut clips_of = match from.files.is_empty() {
            true => StateClips::performer(options)?,
            false => StateClips::of_files(&description, &from, options)?,
        };
        let onto = from.onto.map(|onto| clips_of.retarget(onto, &wrong));
        let map = onto.transpose()?;
        for (state, file) in given {
            let clip = given::clip_on(clips_of.skeleton(), file, options)?;
            animator::give_to_state(&description, state, clip, &mut clips_of.clips)
                .map_err(|error| wrong(error.to_string()))?;
        }
        let clip_names = clips_of.names(from.fill);
        // Once it is known who is driven: the description's joints are theirs.
        find_parts(&mut description, clips_of.skeleton())?;
        if from.fill {
            drop_missing_masks(&mut description, clips_of.skeleton());
        }
        let skeleton = Arc::new(clips_of.skeleton().clone());
        let memory = clip_memory::hold(&mut clips_of.clips, &skeleton, held);
        let graph = animator::build(&description, &skeleton, &clips_of.clips)
            .map_err(|error| wrong(error.to_string()))?;
        let idle = clips_of.clips.remove(IDLE);
        let shown = idle.or_else(|| clips_of.clips.into_values().next());
        Ok(Self {
            graph: Arc::new(graph),
            shown: shown
                .ok_or_else(|| wrong("there is no motion for a state to play".into()))?
                .sampler(),
            unused: clips_of.unused,
            clip_names,
            own: clips_of.own,
            borrowed: clips_of.borrowed,
            loaded: clips_of.loaded,
            map,
            memory,
        })
    }
}

impl StateClips {
    fn performer(options: LoadOptions) -> Result<Self, LoadError> {
        let clips = performer_clips(options)?;
        let clips = clips
            .iter()
            .map(|motion| (motion.name.clone(), motion.driven()));
        Ok(Self {
            loaded: Arc::new(performer()?),
            clips: clips.collect(),
            unused: Vec::new(),
            own: Vec::new(),
            borrowed: false,
        })
    }

    fn skeleton(&self) -> &Skeleton {
        &self.loaded.imported.skeleton
    }

    /// All that a state may name.
    fn names(&self, fill: bool) -> Vec<String> {
        let built_in = builtin::CLIPS.iter().filter(|_| fill);
        let built_in = built_in.map(|(name, _)| (*name).to_owned());
        let known = self.clips.keys().chain(&self.unused).cloned();
        let names: BTreeSet<String> = known.chain(built_in).collect();
        names.into_iter().collect()
    }

    /// Somebody else plays the clips.
    fn retarget(
        &mut self,
        onto: &Retargeter,
        wrong: &impl Fn(String) -> LoadError,
    ) -> Result<JointMap, LoadError> {
        let map = onto.map(self.skeleton())?;
        let target = Arc::clone(onto.character().unwrap_or(&self.loaded));
        let (from, to) = (&self.loaded.imported.skeleton, &target.imported.skeleton);
        for (name, clip) in &mut self.clips {
            let retargeted = retarget(from, clip.frames(), to, &map)
                .map_err(|error| wrong(format!("{name}: {error}")))?;
            let events = clip.events().clone();
            *clip = AnimatorClip::from(retargeted).with_events(events);
        }
        self.loaded = target;
        Ok(map)
    }
}

fn describe(path: Option<&Path>) -> Result<Description, LoadError> {
    let Some(path) = path else {
        return animator::parse(DEFAULT_GRAPH).map_err(|error| LoadError::Animator {
            path: "the built-in animator".into(),
            message: error.to_string(),
        });
    };
    let text = read_text(path)?;
    animator::parse(&text).map_err(|error| LoadError::Animator {
        path: path.to_path_buf(),
        message: error.to_string(),
    })
}

/// A description names joints; where a skeleton calls them otherwise, the part
/// of the body that the performer's joint plays is meant.
fn find_parts(description: &mut Description, skeleton: &Skeleton) -> Result<(), LoadError> {
    // Asked first, changing nothing: most descriptions fit, and the performer
    // need not be read for them.
    let mut unknown = false;
    description.rename_joints(|names| {
        unknown |= animator::find_joint(skeleton, names).is_none();
        None
    });
    if !unknown {
        return Ok(());
    }
    let performer = performer()?.imported.skeleton;
    let map = JointMap::between(&performer, skeleton);
    description.rename_joints(|names| {
        if animator::find_joint(skeleton, names).is_some() {
            return None;
        }
        let known = animator::find_joint(&performer, names)?;
        let known = &performer.joints()[usize::from(known)].name;
        let link = map.links.iter().find(|link| link.from.contains(known))?;
        link.to.first().cloned()
    });
    Ok(())
}

/// An animal has no upper body: layers for parts that it lacks are left out.
fn drop_missing_masks(description: &mut Description, skeleton: &Skeleton) {
    let lacks = |from: &str| animator::find_joint(skeleton, from).is_none();
    let masks = description.masks.iter();
    let missing = masks.filter(|(_, mask)| lacks(&mask.from));
    let missing: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
    let kept = |mask: &Option<String>| mask.as_ref().is_none_or(|mask| !missing.contains(mask));
    description.layers.retain(|layer| kept(&layer.mask));
}

/// What a state is to play.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Assignment {
    state: String,
    file: PathBuf,
    /// Which clip, where the file holds several.
    clip: Option<String>,
}

impl Assignment {
    /// `STATE=FILE` or `STATE=FILE#CLIP`, unless a file is called just so.
    fn of(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        let (state, file) = text.split_once('=')?;
        let names_a_state = !state.is_empty() && !state.contains(['/', '\\']);
        if !names_a_state || file.is_empty() || path.exists() {
            return None;
        }
        let (file, clip) = match file.rsplit_once('#') {
            Some((file, clip)) if !clip.is_empty() => (file, Some(clip.to_owned())),
            _ => (file, None),
        };
        Some(Self {
            state: state.to_owned(),
            file: PathBuf::from(file),
            clip,
        })
    }

    fn means(&self, path: &Path, clip: &str) -> bool {
        let wanted = self.clip.as_ref();
        self.file == path && wanted.is_none_or(|it| it.eq_ignore_ascii_case(clip))
    }
}

/// Whether a RON file describes an animator, whole or broken; maps of joints
/// are the others.
#[must_use]
pub fn is_animator(path: &Path) -> bool {
    let text = read_text(path).unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next());
    let mut words = lines
        .flatten()
        .flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
    // Either has one of these, and none has both.
    words.find(|word| matches!(*word, "layers" | "links")) == Some("layers")
}

/// Whether any of the paths is `STATE=FILE`.
#[must_use]
pub fn names_states(files: &[PathBuf]) -> bool {
    files.iter().any(|path| Assignment::of(path).is_some())
}

/// The files alone, once each, whatever states they are given to.
#[must_use]
pub fn without_states(files: &[PathBuf]) -> Vec<PathBuf> {
    let mut known = Vec::new();
    for path in files {
        let file = Assignment::of(path).map_or_else(|| path.clone(), |it| it.file);
        if !known.contains(&file) {
            known.push(file);
        }
    }
    known
}

impl StateClips {
    /// The clips of one skeleton in the places that names and assignments give
    /// them.
    fn of_files(
        description: &Description,
        from: &CharacterFiles<'_>,
        options: LoadOptions,
    ) -> Result<Self, LoadError> {
        let files = from.files;
        let read = FileClips::read(files, options, from.fill)?;
        let wrong = |message: String| wrong(&files[0], message);
        let (mut clips, mut left) = animator::fill_states(description, read.by_name, read.by_state)
            .map_err(|error| wrong(error.to_string()))?;
        let name = |(slot, clip): (&String, &AnimatorClip)| (slot.clone(), clip.name().to_owned());
        let own = clips.iter().map(name).collect();
        let skeleton = &read.skeleton.imported.skeleton;
        let borrowed = match from.fill {
            true => fill(skeleton, &description.clip_names(), &mut clips, &mut left)?,
            false => {
                animator::fill_first(description, &mut clips, &mut left);
                false
            }
        };
        Ok(Self {
            clips,
            own,
            borrowed,
            unused: left.iter().map(|clip| clip.name().to_owned()).collect(),
            loaded: read.skeleton,
        })
    }
}

/// The clips of files, by what they are called and by the state they are given
/// to, and who plays them.
struct FileClips {
    skeleton: Arc<LoadedSkeleton>,
    by_name: Vec<AnimatorClip>,
    by_state: Vec<(String, AnimatorClip)>,
}

impl FileClips {
    /// `lenient` passes over what belongs to others or cannot be read, as long
    /// as the first file can, and takes a skeleton without a motion.
    fn read(files: &[PathBuf], options: LoadOptions, lenient: bool) -> Result<Self, LoadError> {
        let assigned: Vec<Assignment> = files.iter().filter_map(|it| Assignment::of(it)).collect();
        let mut left = assigned.clone();
        let mut first: Option<Arc<LoadedSkeleton>> = None;
        let (mut by_name, mut by_state) = (Vec::new(), Vec::new());
        for (path, outcome) in load(&without_states(files), options) {
            let motion = match outcome {
                Ok(Loaded::Motion(motion)) => motion,
                Ok(Loaded::Skeleton(skeleton)) => {
                    first = first.or(lenient.then_some(skeleton));
                    continue;
                }
                Err(_) if lenient && first.is_some() => continue,
                Err(error) => return Err(error),
            };
            let first = first.get_or_insert_with(|| Arc::clone(&motion.skeleton));
            if !same_joints(&first.imported.skeleton, motion.skeleton()) {
                if lenient {
                    continue;
                }
                let other = first.path.display();
                let text = format!("plays on another skeleton than {other}; one character has one");
                return Err(wrong(&path, text));
            }
            let clip = motion.driven();
            let meant = assigned.iter().filter(|it| it.means(&path, &motion.name));
            let states: Vec<String> = meant.map(|it| it.state.clone()).collect();
            left.retain(|it| !it.means(&path, &motion.name));
            match states.is_empty() {
                true => by_name.push(clip),
                false => by_state.extend(states.into_iter().map(|state| (state, clip.clone()))),
            }
        }
        if let Some((file, clip)) = left
            .iter()
            .find_map(|it| Some((&it.file, it.clip.as_ref()?)))
        {
            let names: Vec<&str> = by_name.iter().map(AnimatorClip::name).collect();
            let text = format!("there is no clip {clip:?}; there are {}", names.join(", "));
            return Err(wrong(file, text));
        }
        let nothing = || wrong(&files[0], "there is no motion for a state to play".into());
        Ok(Self {
            skeleton: first.ok_or_else(nothing)?,
            by_name,
            by_state,
        })
    }
}

fn wrong(path: &Path, message: String) -> LoadError {
    LoadError::Animator {
        path: path.to_path_buf(),
        message,
    }
}

/// Whether clips of one skeleton can be played on the other: the rest poses of
/// two files of one rig may differ a little, their joints may not.
pub(super) fn same_joints(a: &Skeleton, b: &Skeleton) -> bool {
    let names = |skeleton: &Skeleton| -> Vec<String> {
        let joints = skeleton.joints().iter();
        joints.map(|joint| joint.name.to_lowercase()).collect()
    };
    a.parents() == b.parents() && names(a) == names(b)
}

#[cfg(test)]
mod tests;
