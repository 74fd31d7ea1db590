//! Drive mode: the performer under the keyboard.
//!
//! The graph is built on a loading thread; here an [`Animator`] runs on the
//! session's clock and its pose goes on a [`Stage`] of its own.

mod view;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, SystemTime},
};

use super::{Message, Outbox, stage::Stage, take::Take};
use crate::{
    animator::{Animator, Graph, Input, TraceLine},
    body::BodyCache,
    load::{self, CastFiles, LoadOptions, Onto, OntoFiles},
    skeleton::{ModelPose, NO_PARENT, Skeleton},
    ui::{AnimatorView, EventView, Tuning},
};

/// Slowest and fastest time.
const TIME_SCALES: (f64, f64) = (0.05, 4.0);
/// Events that the panel remembers.
const EVENTS: usize = 200;

/// A graph ready to run, and who it moves.
pub struct Cast {
    /// What drives.
    pub graph: Arc<Graph>,
    /// Skeleton and body.
    pub take: Arc<Take>,
    /// Where the description came from.
    pub source: String,
}

impl std::fmt::Debug for Cast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cast from {}", self.source)
    }
}

/// What a character to drive is made from.
#[derive(Clone, Debug, Default)]
pub struct CastSource {
    /// The description, instead of the built-in one.
    pub animator: Option<PathBuf>,
    /// A skeleton and motions for the states, instead of the performer's.
    pub files: Vec<PathBuf>,
    /// The file of whoever is driven instead.
    pub onto: Option<PathBuf>,
}

/// Reads the description and builds the graph over the clips of the source, or
/// the performer's.
pub fn cast(from: &CastSource, bodies: &mut BodyCache) -> Result<Cast, String> {
    let animator = from.animator.as_deref();
    let onto = Onto::load(OntoFiles {
        character: from.onto.as_deref(),
        ..OntoFiles::default()
    });
    let onto = onto.map_err(|error| error.to_string())?;
    let files = CastFiles {
        animator,
        files: &from.files,
        onto: onto.as_ref(),
    };
    let cast = load::cast(files, LoadOptions::default()).map_err(|error| error.to_string())?;
    let source = animator.map_or_else(
        || "built-in animator".to_owned(),
        |path| path.display().to_string(),
    );
    Ok(Cast {
        take: Arc::new(Take::of_cast(&cast, bodies)),
        graph: cast.graph,
        source,
    })
}

/// Reports whenever the file changes, for as long as the program runs.
pub fn watch(path: PathBuf, outbox: Outbox) {
    let changed = |path: &Path| -> Option<SystemTime> { fs::metadata(path).ok()?.modified().ok() };
    thread::spawn(move || {
        let mut known = changed(&path);
        loop {
            thread::sleep(Duration::from_millis(500));
            let now = changed(&path);
            if now.is_some() && now != known {
                known = now;
                outbox(Message::AnimatorChanged);
            }
        }
    });
}

/// The performer on stage.
pub struct Drive {
    animator: Animator,
    /// Where it is seen.
    pub stage: Stage,
    /// For the panel.
    pub view: AnimatorView,
    /// For the trace.
    pub trace: TraceLine,
    time_secs: f64,
    held: Vec<String>,
    model: ModelPose,
}

impl Drive {
    /// Stands in the origin.
    pub fn new(cast: Cast) -> Self {
        let mut drive = Self {
            animator: Animator::new(cast.graph),
            stage: Stage::of(cast.take),
            view: AnimatorView {
                source: cast.source,
                time_scale: 1.0,
                ..AnimatorView::default()
            },
            trace: TraceLine::default(),
            time_secs: 0.0,
            held: Vec::new(),
            model: ModelPose::default(),
        };
        drive.view.layers = view::layers(drive.animator.graph());
        drive.advance(0.0);
        drive
    }

    /// Whether a cast moves the same body as this.
    #[must_use]
    pub fn moves(&self, cast: &Cast) -> bool {
        let own = self.stage.lead.as_ref();
        own.is_some_and(|own| Arc::ptr_eq(&own.body, &cast.take.body))
    }

    /// Goes on with another graph.
    pub fn reload(&mut self, cast: Cast) {
        self.animator.reload(cast.graph);
        self.view.source = cast.source;
        self.view.error = None;
        self.view.tuned = false;
        self.view.layers = view::layers(self.animator.graph());
        for key in &self.held {
            self.animator
                .input(self.time_secs, Input::Press(key.clone()));
        }
    }

    /// A key goes down or up. It takes effect with the next tick.
    pub fn key(&mut self, name: &str, down: bool) {
        let known = self.held.iter().position(|held| held == name);
        let input = match (known, down) {
            (None, true) => {
                self.view.pause = None;
                self.held.push(name.to_owned());
                Input::Press(name.to_owned())
            }
            (Some(index), false) => Input::Release(self.held.swap_remove(index)),
            _ => return,
        };
        self.animator.input(self.time_secs, input);
    }

    /// Whether a key is held or a character still moves over the ground.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        !self.held.is_empty() || self.view.speed_m_per_s > 0.05
    }

    /// No key is held any more.
    pub fn release_all(&mut self) {
        for name in std::mem::take(&mut self.held) {
            self.animator.input(self.time_secs, Input::Release(name));
        }
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: &str, value: f64) {
        let input = Input::Set(name.to_owned(), value);
        self.animator.input(self.time_secs, input);
    }

    /// Changes the running graph; the file stays as it is.
    pub fn tune(&mut self, tuning: Tuning) {
        let skeleton = Arc::clone(&self.animator.graph().skeleton);
        match tuning {
            Tuning::Fade {
                layer,
                transition,
                fade,
            } => self.animator.tune(layer, |layer| {
                if let Some(way) = layer.transitions.get_mut(transition) {
                    way.fade = fade;
                }
            }),
            Tuning::Mask {
                layer,
                joint,
                weight,
                below,
            } => self.animator.tune(layer, |layer| {
                for index in 0..skeleton.len() {
                    let hangs = below && hangs_below(&skeleton, index, joint.into());
                    if index == usize::from(joint) || hangs {
                        layer.mask.set(index as u16, weight);
                    }
                }
            }),
            Tuning::Weight { layer, weight } => {
                self.animator
                    .tune(layer, |layer| layer.weight = weight.clamp(0.0, 1.0));
            }
        }
        self.view.tuned = true;
        self.view.layers = view::layers(self.animator.graph());
        self.note(0.0);
    }

    /// Time runs faster or slower by a factor.
    pub fn change_time_scale(&mut self, factor: f64) {
        self.set_time_scale(self.view.time_scale * factor);
    }

    /// How fast time runs.
    pub fn set_time_scale(&mut self, scale: f64) {
        if scale.is_finite() {
            self.view.time_scale = scale.clamp(TIME_SCALES.0, TIME_SCALES.1);
        }
    }

    /// Lets time pass and poses the performer.
    pub fn advance(&mut self, dt_secs: f64) {
        let runs = f64::from(u8::from(self.view.pause.is_none()));
        let dt_secs = dt_secs * self.view.time_scale * runs;
        self.time_secs += dt_secs;
        self.animator.advance_to(self.time_secs);
        let mut local = std::mem::take(&mut self.stage.local);
        let world_from_model = self.animator.pose(&mut local, &mut self.model);
        self.stage.local = local;
        self.stage.pose.place(world_from_model, &self.model);
        if dt_secs > 0.0 || self.trace.layers.is_empty() {
            self.note(dt_secs);
        }
    }

    fn note(&mut self, dt_secs: f64) {
        let before = self.trace.root;
        self.trace = self.animator.trace();
        let [x, _, z] = self.trace.root;
        let way = (x - before[0]).hypot(z - before[2]);
        if dt_secs > 0.0 {
            let speed = way / dt_secs as f32;
            self.view.speed_m_per_s += 0.15 * (speed - self.view.speed_m_per_s);
        }
        let graph = Arc::clone(self.animator.graph());
        let lines = self
            .trace
            .layers
            .iter()
            .zip(graph.layers.iter().enumerate());
        for ((line, layer), view) in lines.zip(&mut self.view.layers) {
            view::follow(view, &self.animator, layer, line);
        }
        self.view.parameters = view::parameters(&self.animator);
        for event in &self.trace.events {
            let event = EventView {
                at_secs: self.time_secs,
                name: event.clone(),
            };
            self.view.events.insert(0, event);
        }
        self.view.events.truncate(EVENTS);
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
