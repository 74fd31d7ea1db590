//! Drive mode: a character under the keyboard.
//!
//! The character is loaded on a thread; its animator runs in the driven scene.
//! What the panel shows, which keys are held and what the trace tells are kept
//! here.

mod tree;
mod view;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use super::{Message, Outbox, SessionError, opened_clip::OpenedClip};
use crate::{
    animator::{Animator, Graph, Input, TraceLine},
    body::BodyCache,
    codec::CodecSettings,
    load::{CharacterFiles, ClipMemory, DrivenCharacter, LoadOptions, RetargetFiles, Retargeter},
    scene::Character,
    skeleton::{NO_PARENT, Skeleton},
    ui::{AnimatorView, Codec, EventView, MemoryView, Tuning},
};

/// Events that the panel remembers.
const EVENTS: usize = 200;

/// A character ready to be driven.
pub struct ReadyCharacter {
    /// Stands in the origin.
    pub character: Character,
    /// What drives.
    pub graph: Arc<Graph>,
    /// What panels say of it.
    pub clip: Arc<OpenedClip>,
    /// Where the description came from.
    pub source: String,
    /// Which state plays which file, where the user said so.
    pub given: Vec<(String, String)>,
    /// Whose clips move somebody who was opened, in words.
    pub told: Option<String>,
    /// What its clips take up, and how they are held.
    pub memory: MemoryView,
    /// Clips that states can play.
    pub clip_names: Vec<String>,
}

/// Whose clips move somebody who was opened.
fn whose_clips(driven: &DrivenCharacter) -> String {
    let name = driven.graph.skeleton.name();
    let own = driven.own.iter();
    let own: Vec<String> = own.map(|(slot, clip)| format!("{clip} ({slot})")).collect();
    let own = own.join(", ");
    match (own.is_empty(), driven.borrowed) {
        (true, true) => format!("{name} is driven with the performer's clips"),
        (true, false) => format!("{name} has no clips that say how it stands or walks"),
        (false, true) => {
            format!("{name} is driven with its own {own}; the performer's do the rest")
        }
        (false, false) => format!("{name} is driven with its own {own}"),
    }
}

impl std::fmt::Debug for ReadyCharacter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReadyCharacter from {}", self.source)
    }
}

/// What a character to drive is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterSource {
    /// The description, instead of the built-in one.
    pub animator: Option<PathBuf>,
    /// Its text as it is edited, instead of the file's.
    pub text: Option<Arc<str>>,
    /// A skeleton and motions for the states, instead of the performer's.
    pub files: Vec<PathBuf>,
    /// The file of whoever is driven instead.
    pub onto: Option<PathBuf>,
    /// Files that were given to states by hand, carried onto whoever is driven.
    pub given: Vec<(String, PathBuf)>,
    /// The files are those of whoever was opened: the performer's clips, on that
    /// skeleton, do what they have none for.
    pub fill: bool,
    /// How the files are read.
    pub options: LoadOptions,
    /// How the clips are held; as they are when left out.
    pub held: Option<CodecSettings>,
}

/// Reads the description and builds the graph over the clips of the source, or
/// the performer's.
pub fn load(
    from: &CharacterSource,
    bodies: &mut BodyCache,
) -> Result<ReadyCharacter, SessionError> {
    let animator = from.animator.as_deref();
    let onto = Retargeter::load(RetargetFiles {
        character: from.onto.as_deref(),
        ..RetargetFiles::default()
    })?;
    let files = CharacterFiles {
        animator,
        files: &from.files,
        onto: onto.as_ref(),
        fill: from.fill,
    };
    let text = from.text.as_deref();
    let driven = DrivenCharacter::load_edited(files, text, &from.given, from.options, from.held)?;
    let source = animator.map_or_else(
        || "built-in animator".to_owned(),
        |path| path.display().to_string(),
    );
    Ok(ReadyCharacter {
        character: driven.character(bodies),
        told: from.fill.then(|| whose_clips(&driven)),
        memory: memory_view(from.held, driven.memory),
        clip: Arc::new(OpenedClip::of_driven(&driven, bodies)),
        given: given_or_own(from, &driven),
        clip_names: driven.clip_names,
        graph: driven.graph,
        source,
    })
}

fn memory_view(held: Option<CodecSettings>, memory: ClipMemory) -> MemoryView {
    MemoryView {
        codec: held.map_or(Codec::Off, Codec::of),
        clips: memory.clips,
        raw_bytes: memory.raw_bytes,
        bytes: memory.bytes,
        max_error_cm: memory.max_error_cm,
    }
}

/// Which state plays which file: as the user said, else by what files of whoever
/// was opened are called.
fn given_or_own(from: &CharacterSource, driven: &DrivenCharacter) -> Vec<(String, String)> {
    let mut known: Vec<(String, String)> = from.given.iter().map(told).collect();
    let own = driven.own.iter().filter(|_| from.fill);
    for (slot, clip) in own {
        let state = slot.to_uppercase();
        if !known.iter().any(|(known, _)| *known == state) {
            known.push((state, clip.to_string()));
        }
    }
    known
}

fn told((state, file): &(String, PathBuf)) -> (String, String) {
    let name = file.file_name().unwrap_or(file.as_os_str());
    (state.clone(), name.to_string_lossy().into_owned())
}

/// Reports whenever the file changes, for as long as the program runs.
pub fn watch(path: PathBuf, outbox: Outbox) {
    let changed = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    thread::spawn(move || {
        let mut known = changed(&path);
        loop {
            // Asked again and again: editors that save by renaming leave a
            // watcher with the old file. Twice a second is soon enough for a
            // hand.
            thread::sleep(Duration::from_millis(500));
            let now = changed(&path);
            // A file that is being replaced is gone for a moment.
            if now.is_some() && now != known {
                known = now;
                outbox(Message::AnimatorChanged);
            }
        }
    });
}

/// What there is to know of the driven character besides its scene.
pub struct Drive {
    /// Who it is, for panels.
    pub clip: Arc<OpenedClip>,
    /// For the animator panel.
    pub view: AnimatorView,
    /// For the trace.
    pub trace: TraceLine,
    /// Each control that is down, and how far, 0 to 1.
    held: Vec<(String, f64)>,
    graph: Arc<Graph>,
    noted_secs: f64,
}

impl Drive {
    /// Of a character that has just been loaded.
    pub fn new(
        clip: Arc<OpenedClip>,
        (source, given): (String, Vec<(String, String)>),
        animator: &mut Animator,
    ) -> Self {
        let mut drive = Self {
            clip,
            view: AnimatorView {
                source,
                given,
                time_scale: 1.0,
                layers: view::layers(animator.graph()),
                bindings: view::bindings(animator.graph()),
                ..AnimatorView::default()
            },
            trace: TraceLine::default(),
            held: Vec::new(),
            graph: Arc::clone(animator.graph()),
            noted_secs: 0.0,
        };
        drive.note(animator, 0.0);
        drive
    }

    /// Goes on with another graph.
    pub fn reload(
        &mut self,
        graph: Arc<Graph>,
        (source, given): (String, Vec<(String, String)>),
        animator: &mut Animator,
    ) {
        animator.reload(graph);
        self.view.source = source;
        self.view.given = given;
        self.view.error = None;
        self.view.layers = view::layers(animator.graph());
        self.view.bindings = view::bindings(animator.graph());
        self.graph = Arc::clone(animator.graph());
        // The new animator has heard of no key, and those that are down send no
        // second press.
        for (control, share) in &self.held {
            animator.input(animator.time_secs(), held(control, *share));
        }
    }

    /// Whether the file says what a control does.
    #[must_use]
    pub fn binds(&self, control: &str) -> bool {
        let mut bindings = self.graph.bindings.iter();
        bindings.any(|binding| binding.is_for(control))
    }

    /// Whether a control is down.
    #[must_use]
    pub fn holds(&self, control: &str) -> bool {
        self.held.iter().any(|(held, _)| held == control)
    }

    /// A control is held so far, 0 to 1. It takes effect with the next tick.
    /// Whether it went down or up.
    pub fn hold(&mut self, control: &str, share: f64, animator: &mut Animator) -> bool {
        let known = self.held.iter().position(|(held, _)| held == control);
        match known {
            Some(index) if share <= 0.0 => {
                self.held.swap_remove(index);
            }
            Some(index) if self.held[index].1 != share => self.held[index].1 = share,
            None if share > 0.0 => {
                self.view.pause = None;
                self.held.push((control.to_owned(), share));
            }
            _ => return false,
        }
        animator.input(animator.time_secs(), held(control, share));
        known.is_none() || share <= 0.0
    }

    /// Whether a key is held or a character still moves over the ground.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        !self.held.is_empty() || self.view.speed_m_per_s > 0.05
    }

    /// Whether a control is held.
    #[must_use]
    pub fn is_steered(&self) -> bool {
        !self.held.is_empty()
    }

    /// No key is held any more.
    pub fn release_all(&mut self, animator: &mut Animator) {
        for (control, _) in std::mem::take(&mut self.held) {
            animator.input(animator.time_secs(), held(&control, 0.0));
        }
    }

    /// Changes the running graph.
    pub fn tune(&mut self, tuning: Tuning, animator: &mut Animator) {
        let skeleton = Arc::clone(&animator.graph().skeleton);
        match tuning {
            Tuning::Fade {
                layer,
                transition,
                fade,
            } => animator.tune(layer, |layer| {
                if let Some(transition) = layer.transitions.get_mut(transition) {
                    transition.fade = fade;
                }
            }),
            Tuning::Mask {
                layer,
                joint,
                weight,
                below,
            } => animator.tune(layer, |layer| {
                for index in 0..skeleton.len() {
                    let hangs = below && hangs_below(&skeleton, index, joint.into());
                    if index == usize::from(joint) || hangs {
                        layer.mask.set(index as u16, weight);
                    }
                }
            }),
            Tuning::Weight { layer, weight } => {
                animator.tune(layer, |layer| layer.weight = weight.clamp(0.0, 1.0));
            }
        }
        self.view.layers = view::layers(animator.graph());
        self.note(animator, self.noted_secs);
    }

    /// Takes down what the animator has come to at a moment of its clock.
    pub fn note(&mut self, animator: &mut Animator, time_secs: f64) {
        let before = self.trace.root;
        let dt_secs = time_secs - self.noted_secs;
        self.noted_secs = time_secs;
        self.trace = animator.trace();
        let [x, _, z] = self.trace.root;
        let displacement_m = (x - before[0]).hypot(z - before[2]);
        if dt_secs > 0.0 {
            let speed = displacement_m / dt_secs as f32;
            // Smoothed: within a step a gait is fast and slow by turns.
            self.view.speed_m_per_s += 0.15 * (speed - self.view.speed_m_per_s);
        }
        let graph = Arc::clone(animator.graph());
        let layers = graph.layers.iter().enumerate();
        for ((line, layer), view) in self
            .trace
            .layers
            .iter()
            .zip(layers)
            .zip(&mut self.view.layers)
        {
            view::follow(view, animator, layer, line);
        }
        self.view.parameters = view::parameters(animator);
        self.view.lane = view::lane(animator);
        for event in &self.trace.events {
            let event = EventView {
                at_secs: time_secs,
                name: event.clone(),
            };
            self.view.events.insert(0, event);
        }
        self.view.events.truncate(EVENTS);
    }
}

/// What the animator is told of a control.
fn held(control: &str, share: f64) -> Input {
    match share {
        share if share >= 1.0 => Input::Press(control.to_owned()),
        share if share <= 0.0 => Input::Release(control.to_owned()),
        share => Input::Axis(control.to_owned(), share),
    }
}

/// Whether a joint is a descendant of another.
fn hangs_below(skeleton: &Skeleton, mut joint: usize, above: usize) -> bool {
    loop {
        match skeleton.parents()[joint] {
            NO_PARENT => return false,
            parent if usize::from(parent) == above => return true,
            parent => joint = parent.into(),
        }
    }
}
