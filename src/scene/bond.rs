//! Two characters bound together: one strikes, the other is struck.
//!
//! Whatever the rates, the blow lands at one moment τ* of the scene's clock:
//! the struck one's clip is at t = m + R (τ − τ*), where m is the moment of its
//! clip at which the blow is felt and R its own rate. τ* comes from the striker:
//! from its clip, or from what its animator plays. By then the struck one
//! stands where the blow ends, and looks at whoever deals it.

use glam::{DVec2, Vec3};

use super::{Character, Motion, Scene, footing};
use crate::{
    animator::{Animator, PreparedClip, TraceCharacter},
    clip::{ClipCursor, Planar, SampleClip},
    humanoid::facing,
    skeleton::{LocalPose, ModelPose, Skeleton, WorldPose},
};

/// From where a blow ends to the middle of the body that feels it, metres.
const BODY_M: f64 = 0.17;
/// Somebody who stands further from where a blow ends is missed, metres.
const MISSED_M: f64 = 1.0;
/// Steps in which bound characters are moved: what they do does not depend on
/// how often a picture is made.
const STEP_SECS: f64 = 1.0 / 120.0;

/// One is struck whenever the other's blow lands.
#[derive(Clone, Debug)]
pub struct Bond {
    /// Who strikes, by place in the scene.
    pub striker: usize,
    /// Who is struck.
    pub struck: usize,
    /// The striker's event.
    pub event: String,
    /// The moment of the struck one's clip at which it is felt.
    pub felt_secs: f64,
    /// Clip seconds of the struck one a second.
    pub rate: f64,
    /// Where the struck one's clip has it at that moment, and where it looks.
    felt_at: Planar,
    /// Where the coming blow ends in the striker's clip.
    ends_at: Option<Planar>,
    hits: bool,
}

/// A blow as the striker knows it, seconds of the scene.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Blow {
    since_secs: Option<f64>,
    until_secs: Option<f64>,
}

impl Bond {
    /// Binds a character that plays a clip to another's event.
    #[must_use]
    pub fn new(
        (striker, event): (usize, &str),
        (struck, character): (usize, &Character),
        felt_secs: f64,
        rate: f64,
    ) -> Self {
        // As the clip has it, wherever it stands now.
        let own = character.world_planar().inverse();
        let pose = character.pose_at(felt_secs);
        Self {
            striker,
            struck,
            event: event.to_owned(),
            felt_secs,
            rate,
            felt_at: own.then(standing(&character.skeleton, &pose)),
            ends_at: None,
            hits: false,
        }
    }

    /// Seconds of the struck one's clip, from how far off the blow is.
    fn clip_secs(&self, blow: Blow, duration_secs: f64) -> Option<f64> {
        let coming = blow
            .until_secs
            .map(|secs| self.felt_secs - self.rate * secs);
        let coming = coming.filter(|secs| *secs >= 0.0);
        let felt = blow
            .since_secs
            .map(|secs| self.felt_secs + self.rate * secs);
        let felt = felt.filter(|secs| *secs <= duration_secs);
        coming.or(felt).filter(|_| self.hits)
    }
}

impl Scene {
    /// Binds two characters; who is struck stands before whoever strikes, where
    /// that is asked for.
    pub fn bind(&mut self, mut bond: Bond, places: bool) {
        let striker = self.characters.get(bond.striker);
        let before = striker.and_then(|striker| striker.ends_of_blow(&mut bond));
        if let Some(struck) = self.characters.get_mut(bond.struck) {
            if let Some(ends) = before.filter(|_| places) {
                struck.set_planar(struck_at(ends, bond.felt_at));
            }
            struck.staging.bound_secs = Some(0.0);
            struck.staging.timing.rate = bond.rate;
        }
        bond.ends_at = None;
        self.bonds.push(bond);
        self.pose();
    }

    /// Takes everybody but the lead away, and what bound them.
    pub fn dismiss_others(&mut self) {
        self.characters.truncate(1);
        self.bonds.clear();
        self.happenings.retain(|it| it.character == 0);
    }

    /// A line of everybody but the lead for the trace, which takes their events.
    pub fn trace_others(&mut self) -> Vec<TraceCharacter> {
        let events: Vec<Vec<String>> = (0..self.characters.len())
            .map(|index| self.events_of(index).map(str::to_owned).collect())
            .collect();
        let now_secs = self.clock.time_secs();
        let others = self.characters.iter_mut().zip(events).skip(1);
        others
            .filter(|(other, _)| !other.see_through)
            .map(|(other, events)| other.trace_beside(now_secs, events))
            .collect()
    }

    /// Brings everybody to a moment; those who are bound in small steps.
    pub(super) fn pose_bound(&mut self, to_secs: f64) {
        let from_secs = self.posed_secs;
        let count = ((to_secs - from_secs) / STEP_SECS).ceil().max(1.0);
        let dt_secs = (to_secs - from_secs) / count;
        for step in 1..=count as u64 {
            // The last one is the moment itself, however sums are rounded.
            let secs = match step as f64 == count {
                true => to_secs,
                false => from_secs + dt_secs * step as f64,
            };
            for character in &mut self.characters {
                character.advance_to(secs);
            }
            let mut bonds = std::mem::take(&mut self.bonds);
            for bond in &mut bonds {
                self.follow_bond(bond, secs, dt_secs.max(0.0));
            }
            self.bonds = bonds;
        }
    }

    fn follow_bond(&mut self, bond: &mut Bond, now_secs: f64, dt_secs: f64) {
        let (Some(striker), true) = (
            self.characters.get(bond.striker),
            bond.striker != bond.struck,
        ) else {
            return;
        };
        let blow = striker.blow(&bond.event, now_secs);
        let ends = blow.until_secs.and_then(|_| striker.blow_ends(bond));
        let Some(struck) = self.characters.get_mut(bond.struck) else {
            return;
        };
        match (ends, blow.until_secs) {
            (Some(ends), Some(until_secs)) => {
                let target = struck_at(ends, bond.felt_at);
                let now = struck.world_planar();
                bond.hits = now.position.distance(target.position) < MISSED_M;
                if bond.hits {
                    // There when the blow is, however the steps fall.
                    let share = (dt_secs / (until_secs + dt_secs).max(1e-9)).clamp(0.0, 1.0);
                    struck.set_planar(now.lerp(target, share));
                }
            }
            _ => bond.ends_at = None,
        }
        let secs = bond.clip_secs(blow, struck.duration_secs());
        let before = struck.staging.bound_secs.unwrap_or(0.0);
        // A blow that was begun and not dealt is backed out of.
        let back = match before < bond.felt_secs {
            true => (before - bond.rate * dt_secs).max(0.0),
            false => 0.0,
        };
        struck.staging.bound_secs = Some(secs.unwrap_or(back));
        struck.advance_to(now_secs);
    }
}

/// Where a character is put, so that its clip has it at the end of a blow, face
/// to face.
fn struck_at(ends: Planar, felt_at: Planar) -> Planar {
    let about = Planar {
        position: ends.position,
        heading: ends.heading + std::f64::consts::PI,
    };
    about.then(felt_at.inverse())
}

/// Where a pose stands and looks.
fn standing(skeleton: &Skeleton, pose: &WorldPose) -> Planar {
    let below = footing(pose, crate::humanoid::carrier(skeleton));
    let ahead = facing(skeleton, pose).unwrap_or(Vec3::Z);
    Planar {
        position: DVec2::new(below.x.into(), below.z.into()),
        heading: f64::from(ahead.x.atan2(ahead.z)),
    }
}

/// The middle of a body that a blow reaches: straight ahead of where it was
/// begun, beyond the joint that is furthest ahead.
fn end_of_blow(start: Planar, pose: &WorldPose) -> Planar {
    let ahead = start.rotate(DVec2::Y);
    let reach = |joint: Vec3| {
        let from = DVec2::new(joint.x.into(), joint.z.into()) - start.position;
        from.dot(ahead)
    };
    let joints = pose.joints().iter().map(|it| reach(it.position()));
    let reach_m = joints.fold(0.0, f64::max) + BODY_M;
    Planar {
        position: start.position + ahead * reach_m,
        heading: start.heading,
    }
}

impl Character {
    /// Where its motion's origin is and which way that is turned.
    #[must_use]
    pub fn world_planar(&self) -> Planar {
        Planar {
            position: DVec2::new(self.offset.x.into(), self.offset.z.into()),
            heading: f64::from(self.staging.turn_rad),
        }
    }

    /// Puts the origin of its motion somewhere.
    pub fn set_planar(&mut self, at: Planar) {
        self.offset.x = at.position.x as f32;
        self.offset.z = at.position.y as f32;
        self.staging.turn_rad = at.heading as f32;
    }

    /// Puts it somewhere, as the start of its motion has it.
    pub fn stand_at(&mut self, at: Planar) {
        if let Some(animator) = self.animator_mut() {
            return animator.set_root(at);
        }
        let start = standing(&self.skeleton, &self.pose_at(0.0));
        let own = self.world_planar().inverse().then(start);
        self.set_planar(at.then(own.inverse()));
    }

    /// What the trace says of it.
    fn trace_beside(&mut self, now_secs: f64, events: Vec<String>) -> TraceCharacter {
        let name = self.name.clone();
        if let Some(animator) = self.animator_mut() {
            return TraceCharacter::of_line(&name, animator.trace());
        }
        let root = self.world_pose().joints().first();
        let root = root.map_or(Vec3::ZERO, |root| root.position());
        TraceCharacter {
            name,
            mode: "view".to_owned(),
            root: root.to_array(),
            heading: f64::from(self.heading_rad()),
            phase: self.clip_secs(now_secs) / self.duration_secs().max(1e-9),
            events,
            ..TraceCharacter::default()
        }
    }

    /// Where a blow of its own ends, coming or not.
    fn ends_of_blow(&self, bond: &mut Bond) -> Option<Planar> {
        let Motion::Driven(driven) = self.motion() else {
            return self.blow_ends(bond);
        };
        let animator = &driven.animator;
        let clips = animator.graph().clips.iter();
        let found = { clips }.find_map(|clip| Some((clip, clip.events.find(&bond.event)?)));
        let (clip, at_secs) = found?;
        let ends = clip_blow_ends(&self.skeleton, clip, at_secs);
        Some(animator.root_at_tick().then(ends))
    }

    fn blow(&self, event: &str, now_secs: f64) -> Blow {
        match self.motion() {
            Motion::Rest => Blow::default(),
            Motion::Driven(driven) => Blow {
                since_secs: driven.last_secs(event).map(|last| now_secs - last),
                until_secs: driven.animator.secs_until(event),
            },
            Motion::Clip(_) => self.clip_blow(event, now_secs).unwrap_or_default(),
        }
    }

    fn clip_blow(&self, event: &str, now_secs: f64) -> Option<Blow> {
        let (at, lap_secs) = (self.staging.events.find(event)?, self.duration_secs());
        let (timing, bound) = (self.staging.timing, self.staging.bound_secs);
        // One who is struck may strike in turn.
        let (now, rate) = match bound {
            Some(secs) => (secs, timing.rate),
            None => (timing.rate * (now_secs - timing.start_secs), timing.rate),
        };
        if lap_secs <= 0.0 || rate <= 0.0 {
            return None;
        }
        let laps = ((now - at) / lap_secs).floor();
        let past = (laps >= 0.0).then(|| (now - at - laps * lap_secs) / rate);
        let next = at + (laps + 1.0).max(0.0) * lap_secs;
        Some(Blow {
            since_secs: past,
            until_secs: Some((next - now) / rate),
        })
    }

    /// Where the coming blow ends, in the world.
    fn blow_ends(&self, bond: &mut Bond) -> Option<Planar> {
        match self.motion() {
            Motion::Rest => None,
            Motion::Clip(_) => {
                let at = self.staging.events.find(&bond.event)?;
                let start = standing(&self.skeleton, &self.pose_at(0.0));
                let ends = || end_of_blow(start, &self.pose_at(at));
                Some(*bond.ends_at.get_or_insert_with(ends))
            }
            Motion::Driven(driven) => driven_blow_ends(&driven.animator, bond),
        }
    }
}

/// The same of what an animator plays: from the frame of its clip.
fn driven_blow_ends(animator: &Animator, bond: &mut Bond) -> Option<Planar> {
    let coming = animator.coming(&bond.event)?;
    let skeleton = &animator.graph().skeleton;
    let ends = || clip_blow_ends(skeleton, coming.clip, coming.at_secs);
    let ends = *bond.ends_at.get_or_insert_with(ends);
    Some(coming.world_from_clip.then(ends))
}

/// Where the blow of a clip ends, on the clip's own ground.
fn clip_blow_ends(skeleton: &Skeleton, clip: &PreparedClip, at_secs: f64) -> Planar {
    let pose = |secs: f64| clip_pose(skeleton, &*clip.source, secs);
    end_of_blow(standing(skeleton, &pose(0.0)), &pose(at_secs))
}

fn clip_pose(skeleton: &Skeleton, clip: &dyn SampleClip, secs: f64) -> WorldPose {
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    clip.sample(skeleton, secs, &mut ClipCursor::default(), &mut local);
    model.compute(skeleton, &local);
    WorldPose::from(model)
}
