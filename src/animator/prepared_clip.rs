//! A clip made ready to be driven: cut to a loop where one is wanted, its path
//! over the ground taken out, contacts, phase and events found.

use std::sync::Arc;

use glam::Quat;

use super::{clips::AnimatorClip, timeline::Timeline};
use crate::{
    clip::{
        ClipCursor, Event, EventTrack, FOOT_STRIKES, FootContacts, LoopedClip, PathFilter, RawClip,
        RootMotion, SampleClip, find_loop,
    },
    humanoid::LegJoints,
    skeleton::{LocalPose, Skeleton},
};

/// A clip ready to be driven.
#[derive(Clone, Debug)]
pub struct PreparedClip {
    /// What states call it.
    pub name: String,
    /// Where poses come from: the clip itself, or a loop of it.
    pub source: Arc<dyn SampleClip>,
    /// The way over the ground.
    pub root: RootMotion,
    /// When each leg's foot stands.
    pub contacts: Vec<FootContacts>,
    /// Footsteps, what the animator's file names, and what the clip's own does.
    pub events: EventTrack,
    /// Those of the animator's file alone.
    pub named: Vec<Event>,
    /// Phase.
    pub timeline: Timeline,
    /// For a gait, the fraction of a cycle that each foot stands, from its strike
    /// on.
    pub stances: Vec<f64>,
}

/// What preparation knows of the character.
pub struct LegSetup<'a> {
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// Left, then right.
    pub legs: &'a [LegJoints],
    /// A footstep event for each leg.
    pub steps: &'a [String],
}

/// Seconds over which a path without gait is averaged.
const PATH_SECS: f64 = 0.5;

impl PreparedClip {
    /// Prepares a clip; `as_loop` cuts it to one, and `marks` are added as
    /// (fraction of the clip, event).
    #[must_use]
    pub fn new(
        setup: &LegSetup<'_>,
        name: &str,
        clip: &AnimatorClip,
        as_loop: bool,
        marks: &[(f64, String)],
    ) -> Self {
        let moved = as_loop
            .then(|| off_treadmill(setup.skeleton, clip))
            .flatten();
        let (frames, source, start_secs) =
            played(setup.skeleton, moved.as_ref().unwrap_or(clip), as_loop);
        let duration = frames.duration_secs();
        let (contacts, ground_m) = FootContacts::find(setup.skeleton, &frames, setup.legs, as_loop);
        let strikes: Vec<Vec<f64>> = contacts.iter().map(|c| c.strikes(as_loop)).collect();
        let gait = match strikes.as_slice() {
            [left, right] if as_loop => Timeline::gait(duration, left, right),
            _ => None,
        };
        let rest = setup.skeleton.root_rest();
        // Over one cycle of a gait sway and bob cancel out, over a whole lap of
        // a clip that stays everything does.
        let filter = match (&gait, as_loop) {
            (Some(gait), _) => PathFilter::Loop(duration / gait.cycles()),
            (None, true) if stays(&frames, rest) => PathFilter::Loop(duration),
            (None, true) => PathFilter::Loop(PATH_SECS.min(duration)),
            (None, false) => PathFilter::Once(PATH_SECS),
        };
        let mut root = RootMotion::extract(&frames, rest, filter);
        root.ground_m = ground_m;
        let timeline = gait.unwrap_or_else(|| Timeline::even(duration, 1));
        let stance = |contact: &FootContacts| stance_fraction(contact, &timeline);
        Self {
            stances: contacts.iter().map(stance).collect(),
            name: name.to_owned(),
            source,
            root,
            contacts,
            named: named(duration, marks).collect(),
            events: EventTrack::new(
                steps(setup.steps, &strikes)
                    .chain(named(duration, marks))
                    .chain(own(clip, (start_secs, duration), (setup.steps, marks)))
                    .collect(),
            ),
            timeline,
        }
    }

    /// The pose at a time inside the clip, root motion taken out.
    pub fn pose(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        self.source.sample(skeleton, time_secs, cursor, pose);
        let root = &mut pose.joints_mut()[0];
        *root = self.root.remove(time_secs, *root);
    }

    /// Seconds of one pass.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        self.timeline.duration_secs()
    }
}

/// A gait on the spot, moved along by its feet.
fn off_treadmill(skeleton: &Skeleton, clip: &AnimatorClip) -> Option<AnimatorClip> {
    let frames = clip.frames();
    let stays = stays(frames, skeleton.root_rest());
    let moved = stays.then(|| frames.off_treadmill(skeleton)).flatten();
    moved.map(AnimatorClip::from)
}

/// The frames that are played, and what they are sampled from. Loops of raw
/// clips are baked: sampling them costs what any frames cost. Loops of others
/// are closed while they play, or their frames would have to be kept. Last,
/// the seconds of the clip at which they begin.
fn played(
    skeleton: &Skeleton,
    clip: &AnimatorClip,
    as_loop: bool,
) -> (Arc<RawClip>, Arc<dyn SampleClip>, f64) {
    let whole = clip.frames();
    let span = as_loop.then(|| find_loop(skeleton, whole)).flatten();
    let Some(span) = span else {
        return (Arc::clone(whole), clip.sampler(), 0.0);
    };
    let start_secs = *span.start() as f64 / whole.fps;
    let baked = LoopedClip::new(skeleton, Arc::clone(whole) as _, span.clone());
    let baked = Arc::new(RawClip::sampled_from(clip.name(), skeleton, &baked));
    let source = match clip.source() {
        Some(source) => Arc::new(LoopedClip::new(skeleton, Arc::clone(source), span)) as _,
        None => Arc::clone(&baked) as _,
    };
    (baked, source, start_secs)
}

/// The mean fraction of a cycle that a foot stands.
fn stance_fraction(contact: &FootContacts, timeline: &Timeline) -> f64 {
    const SAMPLES: usize = 1000;
    let secs = |i: usize| {
        let phase = timeline.cycles() * (i as f64 + 0.5) / SAMPLES as f64;
        timeline
            .secs(phase)
            .rem_euclid(timeline.duration_secs().max(f64::MIN_POSITIVE))
    };
    let standing = (0..SAMPLES).filter(|&i| contact.planted(secs(i))).count();
    standing as f64 / SAMPLES as f64
}

/// True for a clip that ends where it began: its sway is all in the pose.
fn stays(clip: &RawClip, rest: Quat) -> bool {
    let lap = RootMotion::extract(clip, rest, PathFilter::Once(0.0)).lap();
    lap.position.length() < 0.1 && lap.heading.abs() < 10f64.to_radians()
}

fn steps(names: &[String], strikes: &[Vec<f64>]) -> impl Iterator<Item = Event> {
    names.iter().zip(strikes).flat_map(|(name, times)| {
        times.iter().map(|&time_secs| Event {
            time_secs,
            name: name.clone(),
        })
    })
}

/// What the animator's file names, by share of the clip.
fn named(duration_secs: f64, marks: &[(f64, String)]) -> impl Iterator<Item = Event> {
    marks.iter().map(move |(fraction, name)| Event {
        time_secs: fraction * duration_secs,
        name: name.clone(),
    })
}

/// What the clip's file names, of the part that is played; but for strikes of
/// feet, which are found anew, and what the animator's file has a say in.
fn own(
    clip: &AnimatorClip,
    (start_secs, duration_secs): (f64, f64),
    (steps, marks): (&[String], &[(f64, String)]),
) -> Vec<Event> {
    let is_known = |name: &str| {
        let is_step = FOOT_STRIKES.contains(&name) || steps.iter().any(|it| it == name);
        is_step || marks.iter().any(|(_, it)| it == name)
    };
    let played = clip.events().part(start_secs, start_secs + duration_secs);
    let own = played.events().iter().filter(|it| !is_known(&it.name));
    own.cloned().collect()
}
