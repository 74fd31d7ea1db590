//! A character that is pushed, falls, lies and gets up, over whatever moves it.
//!
//! The motion comes in pose by pose; what is seen goes out. From one to the other
//! nothing jumps: every change of who moves the body is an inertial fade
//! ([`Inertia`]), continuous in pose and in speed.

use std::sync::Arc;

use glam::{DVec2, Vec3};

use super::{GetUp, Ragdoll, RagdollError, RagdollStart, Thing, WaysUp};
use crate::{
    body::Body,
    clip::{Inertia, Moving, Planar, SampleClip},
    collide::Terrain,
    humanoid::{carrier, facing},
    math::{Transform, quat},
    skeleton::{JointIndex, LocalPose, ModelPose, NO_PARENT, Skeleton, WorldPose},
};

/// Of somebody who is pushed and did not expect it.
pub const BRACED: f32 = 0.5;
/// Seconds of a fade.
const FADE_SECS: f64 = 0.5;
/// Onto the way up a body takes its time.
const RISE_FADE_SECS: f64 = 1.2;
/// Somebody who was pushed and stands has got over it after this long, seconds.
const OVER_IT_SECS: f64 = 1.2;

/// Faster than any body: a motion that begins anew has jumped, metres and radians a
/// second.
const JUMP_M_SEC: f32 = 15.0;
const JUMP_RAD_SEC: f32 = 60.0;

/// Who moves the body.
#[derive(Debug, Default)]
enum State {
    /// Its motion.
    #[default]
    Motion,
    /// Gravity.
    Limp(Box<Ragdoll>),
    /// A clip that leads from the ground to standing.
    Rising(Box<GetUp>),
}

/// What was asked for, until the next pose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    GoLimp {
        strength: f32,
        below: Option<JointIndex>,
    },
    TakeUp,
}

/// What a pose is changed in.
#[derive(Clone, Copy)]
pub struct FallContext<'a> {
    /// Whose pose.
    pub skeleton: &'a Skeleton,
    /// Its skin.
    pub body: &'a Body,
    /// Where the motion has it, and [`Fall::carry`] has taken it since.
    pub world_from_model: Transform,
    /// What it falls on; level ground at height 0 where left out.
    pub ground: Option<&'a Terrain>,
    /// What lies about, should it fall now.
    pub things: &'a [Thing],
}

/// What falls and gets up of one character.
#[derive(Debug, Default)]
pub struct Fall {
    state: State,
    wish: Option<Wish>,
    pushes: Vec<(JointIndex, Vec3)>,
    /// Asked for, not only pushed: limp until it is taken up again.
    kept: bool,
    since_push_secs: f64,
    due_secs: f64,
    fade: Inertia,
    /// From where the motion is to where it goes on after a fall, on the ground.
    carried: Planar,
    /// It goes on elsewhere: what it is there, on another ground, is seen with the
    /// next pose.
    moved: bool,
    /// What was seen last and before, roots in the world; seconds between.
    seen: [LocalPose; 2],
    seen_secs: f64,
    /// The same of the motion.
    motion: [LocalPose; 2],
    error: Option<RagdollError>,
    captures: Vec<Arc<dyn SampleClip>>,
    ways_up: Option<WaysUp>,
}

impl Fall {
    /// Captures of the same skeleton that may hold a way up.
    pub fn set_captures(&mut self, captures: Vec<Arc<dyn SampleClip>>) {
        self.captures = captures;
    }

    /// Asked for more ways up when somebody is to rise for the first time.
    pub fn set_ways_up(&mut self, ways_up: WaysUp) {
        self.ways_up = Some(ways_up);
    }

    /// Goes limp, whole or from a joint on, and stays so.
    pub fn go_limp(&mut self, strength: f32, below: Option<JointIndex>) {
        self.kept = true;
        self.wish = Some(Wish::GoLimp { strength, below });
    }

    /// Gets up where it lies, else goes back to its motion.
    pub fn take_up(&mut self) {
        self.kept = false;
        self.wish = Some(Wish::TakeUp);
    }

    /// A push in newton-seconds; whoever stands is braced, and gets over it or falls.
    pub fn push(&mut self, joint: JointIndex, impulse: Vec3) {
        self.pushes.push((joint, impulse));
        self.since_push_secs = 0.0;
        if matches!(self.state, State::Motion | State::Rising(_)) && self.wish.is_none() {
            self.wish = Some(Wish::GoLimp {
                strength: BRACED,
                below: None,
            });
        }
    }

    /// How strongly it is drawn to its motion from now on, 0 to 1.
    pub fn set_strength(&mut self, strength: f32) {
        if let State::Limp(ragdoll) = &mut self.state {
            ragdoll.set_strength(strength);
        }
    }

    /// The body while it is limp.
    #[must_use]
    pub fn ragdoll(&self) -> Option<&Ragdoll> {
        match &self.state {
            State::Limp(ragdoll) => Some(ragdoll),
            State::Motion | State::Rising(_) => None,
        }
    }

    /// On its way up.
    #[must_use]
    pub fn is_rising(&self) -> bool {
        matches!(self.state, State::Rising(_))
    }

    /// Nothing is done to the pose, nor left of anything.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        matches!(self.state, State::Motion)
            && self.wish.is_none()
            && self.fade.progress(0.0) >= 1.0
            && self.carried == Planar::IDENTITY
    }

    /// From where the motion has it to where it goes on after a fall: along the
    /// ground and about the vertical.
    #[must_use]
    pub fn carry(&self) -> Transform {
        self.carried.transform()
    }

    /// The same, once: for who moves its own root by it.
    pub fn take_carry(&mut self) -> Option<Planar> {
        let carried = std::mem::take(&mut self.carried);
        (carried != Planar::IDENTITY).then_some(carried)
    }

    /// The pose changes though its motion stands still.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let state = match &self.state {
            State::Motion => false,
            State::Limp(ragdoll) => !ragdoll.is_at_rest() || !ragdoll.is_whole(),
            State::Rising(_) => true,
        };
        state || self.wish.is_some() || self.fade.progress(0.0) < 1.0
    }

    /// Why it did not fall, once.
    pub fn take_error(&mut self) -> Option<RagdollError> {
        self.error.take()
    }

    /// One word for it.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        Some(match &self.state {
            State::Motion => return None,
            State::Limp(ragdoll) if !ragdoll.is_whole() => "limb",
            State::Limp(ragdoll) if ragdoll.is_at_rest() => "lying",
            State::Limp(ragdoll) if ragdoll.is_fallen() => "falling",
            State::Limp(_) => "limp",
            State::Rising(_) => "rising",
        })
    }

    /// Lets time pass, for the next pose.
    pub fn step(&mut self, dt_secs: f64) {
        self.due_secs += dt_secs.max(0.0);
    }

    /// Changes a pose of the motion into what is seen; `model` is up to date after.
    pub fn apply(&mut self, context: FallContext<'_>, pose: &mut LocalPose, model: &mut ModelPose) {
        let skeleton = context.skeleton;
        let dt_secs = std::mem::take(&mut self.due_secs);
        let mut motion = pose.clone();
        place_roots(skeleton, context.world_from_model, &mut motion);
        match self.moved {
            true => self.fade_anew(&motion, dt_secs),
            false => self.bridge_jump(skeleton, &mut motion, dt_secs),
        }
        if let Some(further) = self.fulfil(context, &motion) {
            place_roots(skeleton, further.transform(), &mut motion);
        }
        let idle = self.is_idle();
        let mut seen = motion.clone();
        self.since_push_secs += dt_secs;
        self.fade.advance(dt_secs);
        match &mut self.state {
            State::Motion => {}
            State::Limp(ragdoll) => {
                ragdoll.advance(dt_secs, &world_of(skeleton, &motion));
                ragdoll.write(skeleton, Transform::IDENTITY, &mut seen);
            }
            State::Rising(rise) => {
                rise.advance(dt_secs);
                rise.sample(skeleton, 0.0, &mut seen);
            }
        }
        self.fade.apply(0.0, &mut seen);
        self.remember(&seen, &motion, dt_secs);
        self.go_on(skeleton);
        if !idle {
            pose.copy_from(&seen);
            place_roots(skeleton, context.world_from_model.inverse(), pose);
            model.compute(skeleton, pose);
        }
    }

    /// A clip that begins anew goes on where the body is, once it has fallen.
    fn bridge_jump(&mut self, skeleton: &Skeleton, motion: &mut LocalPose, dt_secs: f64) {
        let known = self.motion[0].joints().len() == motion.joints().len();
        if !known || dt_secs <= 0.0 || is_steady(&self.motion[0], motion, dt_secs) {
            return;
        }
        let bridged = !self.is_idle();
        if bridged {
            let hips = usize::from(carrier(skeleton));
            let [own, new] = [&self.motion[0], &*motion].map(|it| world_of(skeleton, it));
            let way = own.joints()[hips].translation - new.joints()[hips].translation;
            let further = Planar {
                position: DVec2::new(way.x.into(), way.z.into()),
                heading: 0.0,
            };
            place_roots(skeleton, further.transform(), motion);
            self.carried = further.then(self.carried);
            self.moved = true;
        }
        self.motion = [motion.clone(), motion.clone()];
        if bridged && matches!(self.state, State::Motion) {
            self.back_to_motion(FADE_SECS);
        }
    }

    /// What the motion is where it goes on is known only now: on another ground
    /// its feet and hips stand otherwise. It moves as it did.
    fn fade_anew(&mut self, motion: &LocalPose, dt_secs: f64) {
        self.moved = false;
        let [now, before] = &self.motion;
        if now.joints().len() != motion.joints().len() {
            return;
        }
        let earlier = |pose: &LocalPose| {
            let mut earlier = pose.clone();
            let pairs = now.joints().iter().zip(before.joints());
            for (joint, (now, before)) in earlier.joints_mut().iter_mut().zip(pairs) {
                let turn = before.rotation * now.rotation.conjugate();
                joint.translation += before.translation - now.translation;
                joint.rotation = (turn * joint.rotation).normalize();
            }
            earlier
        };
        let last = match dt_secs > 0.0 {
            true => earlier(motion),
            false => motion.clone(),
        };
        self.motion = [last.clone(), earlier(&last)];
        if matches!(self.state, State::Motion) {
            self.back_to_motion(FADE_SECS);
        }
    }

    fn remember(&mut self, seen: &LocalPose, motion: &LocalPose, dt_secs: f64) {
        let known = self.seen[0].joints().len() == seen.joints().len();
        if dt_secs > 0.0 && known {
            self.seen.swap(0, 1);
            self.motion.swap(0, 1);
            self.seen_secs = dt_secs;
        }
        self.seen[0].copy_from(seen);
        self.motion[0].copy_from(motion);
    }

    /// Does what was asked for; how much further the motion goes on then.
    fn fulfil(&mut self, context: FallContext<'_>, motion: &LocalPose) -> Option<Planar> {
        let wish = self.wish.take();
        let mut further = None;
        match (wish, &mut self.state) {
            (
                Some(Wish::GoLimp {
                    strength,
                    below: None,
                }),
                State::Limp(ragdoll),
            ) if ragdoll.is_whole() => {
                ragdoll.set_strength(strength);
            }
            (Some(Wish::GoLimp { strength, below }), _) => {
                self.fall(context, motion, strength, below);
            }
            (Some(Wish::TakeUp), State::Limp(ragdoll)) => {
                match ragdoll.is_fallen() && ragdoll.is_whole() {
                    true => further = self.rise(context),
                    false => self.back_to_motion(FADE_SECS),
                }
            }
            (Some(Wish::TakeUp), _) | (None, _) => {}
        }
        if let State::Limp(ragdoll) = &mut self.state {
            let pushes = self.pushes.drain(..);
            pushes.for_each(|(joint, impulse)| ragdoll.push(joint, impulse));
        }
        self.pushes.clear();
        further
    }

    /// From what was seen last, with its velocities.
    fn fall(
        &mut self,
        context: FallContext<'_>,
        motion: &LocalPose,
        strength: f32,
        below: Option<JointIndex>,
    ) {
        let skeleton = context.skeleton;
        let known = self.seen[0].joints().len() == skeleton.len();
        let now = if known { &self.seen[0] } else { motion };
        let moves = self.seen_secs > 0.0 && is_steady(&self.seen[1], now, self.seen_secs);
        let before = if moves { &self.seen[1] } else { now };
        let ragdoll = Ragdoll::new(&RagdollStart {
            skeleton,
            body: context.body,
            now: &world_of(skeleton, now),
            before: &world_of(skeleton, before),
            dt_secs: self.seen_secs,
            limp: below,
            ground: context.ground,
            things: context.things,
        });
        match ragdoll {
            Ok(mut ragdoll) => {
                ragdoll.set_strength(strength);
                self.fade.clear();
                self.state = State::Limp(Box::new(ragdoll));
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Finds the best way up and fades onto it; without one, back to the motion,
    /// which goes on where it lies.
    fn rise(&mut self, context: FallContext<'_>) -> Option<Planar> {
        let skeleton = context.skeleton;
        let lying = world_of(skeleton, &self.seen[0]);
        let level = Terrain::default();
        let ground = context.ground.unwrap_or(&level);
        if let Some(ways_up) = self.ways_up.take() {
            self.captures.extend(ways_up(skeleton));
        }
        let Some(mut rise) = GetUp::find(skeleton, &lying, ground, &self.captures) else {
            let further = self.move_on(skeleton);
            self.back_to_motion(RISE_FADE_SECS);
            return Some(further);
        };
        let (mut before, mut now) = (LocalPose::default(), LocalPose::default());
        rise.sample(skeleton, -self.seen_secs * GetUp::FIRST_RATE, &mut before);
        rise.sample(skeleton, 0.0, &mut now);
        self.start_fade(&before, &now, RISE_FADE_SECS);
        self.state = State::Rising(Box::new(rise));
        None
    }

    /// Whoever stands again, or has got over a push, goes on as before.
    fn go_on(&mut self, skeleton: &Skeleton) {
        let over = match &self.state {
            State::Motion => false,
            State::Limp(ragdoll) => {
                let stands = !ragdoll.is_fallen() && ragdoll.strength() > 0.0;
                !self.kept && stands && self.since_push_secs > OVER_IT_SECS
            }
            State::Rising(rise) => rise.is_over(),
        };
        if over && self.is_rising() {
            self.move_on(skeleton);
        }
        if over {
            self.back_to_motion(FADE_SECS);
        }
    }

    /// The motion goes on where the body is now; how much further that is.
    fn move_on(&mut self, skeleton: &Skeleton) -> Planar {
        let [seen, own] = [&self.seen, &self.motion].map(|it| world_of(skeleton, &it[0]));
        let hips = usize::from(carrier(skeleton));
        let heading = |pose: &WorldPose| facing(skeleton, pose).map(|ahead| ahead.x.atan2(ahead.z));
        let turn_rad = match (heading(&seen), heading(&own)) {
            (Some(seen), Some(own)) => f64::from(seen - own),
            _ => 0.0,
        };
        let place = |pose: &WorldPose, heading: f64| {
            let at = pose.joints()[hips].translation;
            let position = DVec2::new(at.x.into(), at.z.into());
            Planar { position, heading }
        };
        let further = place(&seen, turn_rad).then(place(&own, 0.0).inverse());
        for motion in &mut self.motion {
            place_roots(skeleton, further.transform(), motion);
        }
        self.carried = further.then(self.carried);
        self.moved = true;
        further
    }

    fn back_to_motion(&mut self, secs: f64) {
        let [now, before] = self.motion.clone();
        self.start_fade(&before, &now, secs);
        self.state = State::Motion;
    }

    /// From what is seen to another motion, of which two poses are known.
    fn start_fade(&mut self, before: &LocalPose, now: &LocalPose, secs: f64) {
        let moving = |before, now| Moving {
            now: before,
            later: now,
            displacement: Planar::IDENTITY,
        };
        let [seen, seen_before] = &self.seen;
        let moved = self.seen_secs > 0.0
            && before.joints().len() == now.joints().len()
            && is_steady(before, now, self.seen_secs)
            && is_steady(seen_before, seen, self.seen_secs);
        let (old, new, dt_secs) = match moved {
            true => (
                moving(seen_before, seen),
                moving(before, now),
                self.seen_secs,
            ),
            false => (moving(seen, seen), moving(now, now), 1.0),
        };
        self.fade.start(&old, &new, dt_secs, secs);
        self.fade.advance(self.seen_secs);
    }
}

/// Nothing moves faster than bodies do.
fn is_steady(before: &LocalPose, now: &LocalPose, dt_secs: f64) -> bool {
    let dt_secs = dt_secs as f32;
    let mut pairs = before.joints().iter().zip(now.joints());
    before.joints().len() == now.joints().len()
        && pairs.all(|(before, now)| {
            let way = before.translation.distance(now.translation);
            let turn = quat::angle_between(before.rotation, now.rotation);
            way <= JUMP_M_SEC * dt_secs && turn <= JUMP_RAD_SEC * dt_secs + 0.05
        })
}

/// Roots moved as a whole.
pub(super) fn place_roots(skeleton: &Skeleton, by: Transform, pose: &mut LocalPose) {
    if by == Transform::IDENTITY {
        return;
    }
    for (joint, own) in pose.joints_mut().iter_mut().enumerate() {
        if skeleton.parents()[joint] == NO_PARENT {
            *own = by * *own;
        }
    }
}

/// Of a pose with its roots in the world.
fn world_of(skeleton: &Skeleton, pose: &LocalPose) -> WorldPose {
    let (mut model, mut world) = (ModelPose::default(), WorldPose::default());
    model.compute(skeleton, pose);
    world.place(Transform::IDENTITY, &model);
    world
}
