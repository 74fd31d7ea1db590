//! Who is seen: a skeleton, its body, and what moves it.

use std::sync::{Arc, OnceLock};

use glam::{Quat, Vec3};

use super::{
    compose::COMPARISON,
    driven_motion::{DrivenMotion, Stage},
    feet::{RATE, tracks},
    footing, outline,
    staging::Staging,
};
use crate::{
    animator::{Animator, Graph},
    body::{Body, BodySolids, BoneSolid},
    clip::{BetweenFrames, ClipCursor, Interpolation, SampleClip},
    codec::metric::joint_error_m,
    humanoid::{JointLimits, LimitSource, carrier, facing},
    math::Transform,
    posing::{FootPlan, FootSample, Footing, Ground, PoseContext, Posing, Start},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Poses looked at to know how much space a motion takes.
const FRAMING_POSES: usize = 16;
/// A skeleton at rest has its root in the origin; it is lifted until its lowest
/// bone ends this far above the ground, about the thickness of a sole.
const SOLE_M: f32 = 0.02;
/// Seconds of a clip whose feet are looked at; the rest stands as its end.
const LONGEST_SECS: f64 = 900.0;
/// Frames a second of what has none.
const REST_FPS: f64 = 30.0;

/// What moves a character.
#[derive(Debug)]
pub enum Motion {
    /// Nothing: it stands at rest.
    Rest,
    /// A clip, on the scene's clock.
    Clip(ClipMotion),
    /// The animator.
    Driven(Box<DrivenMotion>),
}

/// A clip that plays, and one that it is held to.
#[derive(Debug)]
pub struct ClipMotion {
    /// As it is sampled: its own way, or another between its frames.
    clip: Arc<dyn SampleClip>,
    own: Arc<dyn SampleClip>,
    between_frames: Option<Interpolation>,
    cursor: ClipCursor,
    reference: Option<Reference>,
}

impl ClipMotion {
    fn clip(&self) -> Arc<dyn SampleClip> {
        Arc::clone(&self.clip)
    }

    fn sample_between_frames(&mut self, by: Option<Interpolation>) {
        if by == self.between_frames {
            return;
        }
        self.between_frames = by;
        let own = Arc::clone(&self.own);
        self.clip = match by {
            Some(by) => Arc::new(BetweenFrames::new(own, by)),
            None => own,
        };
    }
}

#[derive(Debug)]
struct Reference {
    clip: Arc<dyn SampleClip>,
    cursor: ClipCursor,
    pose: WorldPose,
}

/// One character of a scene.
#[derive(Debug)]
pub struct Character {
    /// What labels call it.
    pub name: String,
    /// Its joints.
    pub skeleton: Arc<Skeleton>,
    /// Its skin.
    pub body: Arc<Body>,
    /// Metres from where its motion has it to where it stands.
    pub offset: Vec3,
    /// How it takes part besides.
    pub staging: Staging,
    /// Drawn as a see-through comparison, without overlays.
    pub see_through: bool,
    /// Linear, multiplied with its colours while it is see-through.
    pub ghost_tint: [f32; 3],
    /// Points on the skin over the whole motion, relative to the spot below
    /// the hips: what a camera has to hold.
    pub outline: Arc<[Vec3]>,
    /// Where the first pose looks, horizontal.
    pub facing: Vec3,
    /// Hips, which go where the body goes; roots of some files never move.
    carrier: JointIndex,
    pub(super) motion: Motion,
    lift_m: f32,
    local: LocalPose,
    pub(super) model: ModelPose,
    pub(super) world: WorldPose,
    /// How far the ground that it stands on has raised its hips, metres.
    lifted_m: f32,
    /// The moment of its clip, seconds.
    played_secs: f64,
    /// Where the model stands in the world.
    pub(super) placed: Transform,
    /// Where the feet of a clip go on uneven ground.
    feet: FootPlan,
    /// All that is done to its pose beyond its motion.
    pub(super) posing: Posing,
    solids: OnceLock<BodySolids>,
    /// Of each source, once somebody asked.
    limits: [OnceLock<JointLimits>; 3],
}

impl Character {
    /// Somebody who stands at rest.
    #[must_use]
    pub fn at_rest(name: impl Into<String>, skeleton: Arc<Skeleton>, body: Arc<Body>) -> Self {
        Self::new(name.into(), skeleton, body, Motion::Rest)
    }

    /// Somebody who plays a clip.
    #[must_use]
    pub fn playing(
        name: impl Into<String>,
        skeleton: Arc<Skeleton>,
        body: Arc<Body>,
        clip: Arc<dyn SampleClip>,
    ) -> Self {
        let motion = Motion::Clip(ClipMotion {
            clip: Arc::clone(&clip),
            own: clip,
            between_frames: None,
            cursor: ClipCursor::default(),
            reference: None,
        });
        Self::new(name.into(), skeleton, body, motion)
    }

    /// Somebody whom an animator moves, from the origin on.
    #[must_use]
    pub fn driven(name: impl Into<String>, graph: Arc<Graph>, body: Arc<Body>) -> Self {
        let skeleton = Arc::clone(&graph.skeleton);
        let motion = Motion::Driven(Box::new(DrivenMotion::new(graph)));
        Self::new(name.into(), skeleton, body, motion)
    }

    fn new(name: String, skeleton: Arc<Skeleton>, body: Arc<Body>, motion: Motion) -> Self {
        let mut character = Self {
            name,
            offset: Vec3::ZERO,
            staging: Staging::default(),
            see_through: false,
            ghost_tint: COMPARISON.tint,
            outline: Arc::new([]),
            facing: Vec3::Z,
            carrier: carrier(&skeleton),
            lift_m: lift_m(&skeleton, &body, &motion),
            local: LocalPose::default(),
            model: ModelPose::default(),
            world: WorldPose::default(),
            placed: Transform::IDENTITY,
            lifted_m: 0.0,
            played_secs: 0.0,
            feet: FootPlan::default(),
            posing: posing_of(&motion),
            motion,
            solids: OnceLock::new(),
            limits: Default::default(),
            skeleton,
            body,
        };
        character.advance_to(0.0);
        character
    }

    /// Measures what a camera has to know, over the whole motion.
    #[must_use]
    pub fn measured(mut self) -> Self {
        let last = (FRAMING_POSES - 1) as f64;
        let duration = self.duration_secs();
        // Both ends are among them: a motion reaches furthest there quite
        // often.
        let times = (0..FRAMING_POSES).map(|index| duration * index as f64 / last);
        let poses: Vec<WorldPose> = match duration > 0.0 && duration.is_finite() {
            true => times.map(|secs| self.pose_at(secs)).collect(),
            false => vec![self.world.clone()],
        };
        self.measure(&poses);
        self
    }

    /// Takes from poses what a camera has to know.
    pub fn measure(&mut self, poses: &[WorldPose]) {
        if let Some(first) = poses.first() {
            self.facing = facing(&self.skeleton, first).unwrap_or(Vec3::Z);
        }
        let mut points = Vec::new();
        for pose in poses {
            let from = points.len();
            outline(&self.body, pose, &mut points);
            let below = footing(pose, self.carrier);
            points[from..].iter_mut().for_each(|point| *point -= below);
        }
        self.outline = points.into();
    }

    /// What moves it.
    #[must_use]
    pub fn motion(&self) -> &Motion {
        &self.motion
    }

    pub(super) fn motion_mut(&mut self) -> &mut Motion {
        &mut self.motion
    }

    /// The animator, where one moves it.
    #[must_use]
    pub fn animator(&self) -> Option<&Animator> {
        match &self.motion {
            Motion::Driven(driven) => Some(&driven.animator),
            Motion::Rest | Motion::Clip(_) => None,
        }
    }

    /// The same, to be steered.
    pub fn animator_mut(&mut self) -> Option<&mut Animator> {
        match &mut self.motion {
            Motion::Driven(driven) => Some(&mut driven.animator),
            Motion::Rest | Motion::Clip(_) => None,
        }
    }

    /// Plays another form of its clip: what a codec made of it, or the original
    /// again.
    pub fn set_clip(&mut self, clip: Arc<dyn SampleClip>) {
        match &mut self.motion {
            Motion::Clip(motion) => motion.clip = clip,
            Motion::Rest | Motion::Driven(_) => {}
        }
        self.plan_feet();
    }

    /// A clip of the same skeleton that it is held to: errors are measured
    /// against it.
    pub fn set_reference(&mut self, reference: Option<Arc<dyn SampleClip>>) {
        if let Motion::Clip(motion) = &mut self.motion {
            motion.reference = reference.map(|clip| Reference {
                clip,
                cursor: ClipCursor::default(),
                pose: WorldPose::default(),
            });
        }
    }

    /// Its joints at a moment of a clip, as the clip alone has them.
    pub(super) fn sampled(&self, clip: &dyn SampleClip, secs: f64) -> LocalPose {
        let mut local = LocalPose::default();
        clip.sample(&self.skeleton, secs, &mut ClipCursor::default(), &mut local);
        local
    }

    /// The moment of its clip that is shown, seconds.
    pub(super) fn played_secs(&self) -> f64 {
        self.played_secs
    }

    pub(super) fn clip(&self) -> Option<&dyn SampleClip> {
        match &self.motion {
            Motion::Clip(motion) => Some(&*motion.clip),
            Motion::Rest | Motion::Driven(_) => None,
        }
    }

    /// Frames a second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        self.clip().map_or(REST_FPS, SampleClip::fps)
    }

    /// Seconds of its motion; endless when it is driven.
    #[must_use]
    pub fn duration_secs(&self) -> f64 {
        match &self.motion {
            Motion::Rest => 0.0,
            Motion::Clip(motion) => motion.clip.duration_secs(),
            Motion::Driven(_) => f64::INFINITY,
        }
    }

    /// Its joints in their parents.
    #[must_use]
    pub fn local_pose(&self) -> &LocalPose {
        &self.local
    }

    /// Its joints in the world.
    #[must_use]
    pub fn world_pose(&self) -> &WorldPose {
        &self.world
    }

    /// Where its motion has its joints, whatever is pulled at: cameras follow
    /// this, or they would run after the hand that pulls.
    #[must_use]
    pub fn own_pose(&self) -> &WorldPose {
        match self.posing.holds().is_empty() {
            true => &self.world,
            false => self.posing.own_pose(),
        }
    }

    /// Where the clip it is held to has its joints.
    #[must_use]
    pub fn reference_pose(&self) -> Option<&WorldPose> {
        match &self.motion {
            Motion::Clip(motion) => motion.reference.as_ref().map(|it| &it.pose),
            Motion::Rest | Motion::Driven(_) => None,
        }
    }

    /// How far any point within 3 cm of each joint is from where the reference
    /// has it, metres.
    #[must_use]
    pub fn errors_m(&self) -> Option<Vec<f32>> {
        let reference = self.reference_pose()?.joints().iter();
        let pairs = reference.zip(self.world.joints());
        Some(pairs.map(|(a, b)| joint_error_m(a, b)).collect())
    }

    /// How far every joint is beyond its limit, radians.
    #[must_use]
    pub fn excess_rad(&self, source: LimitSource) -> Vec<f32> {
        let known = &self.limits[source as usize];
        let limits = known.get_or_init(|| JointLimits::of(&self.skeleton, source));
        let joints = self.local.joints().iter().enumerate();
        let excess = joints.map(|(index, it)| limits.excess_rad(index as JointIndex, it.rotation));
        excess.collect()
    }

    /// Solids that stand for its body.
    #[must_use]
    pub fn solids(&self) -> &BodySolids {
        // Fitting is slow, and only cloth and the overlay ever ask.
        self.solids
            .get_or_init(|| BodySolids::fit(&self.skeleton, &self.body, BoneSolid::Obb))
    }

    /// The joint that goes where it goes: its hips.
    #[must_use]
    pub fn carrier(&self) -> JointIndex {
        self.carrier
    }

    /// The spot on the ground below its hips; on stairs as smooth as they are.
    #[must_use]
    pub fn footing(&self) -> Vec3 {
        self.footing_in(self.own_pose()) + Vec3::Y * self.lifted_m
    }

    /// The same in another of its poses.
    #[must_use]
    pub fn footing_in(&self, pose: &WorldPose) -> Vec3 {
        footing(pose, self.carrier)
    }

    /// Whether an animator drives it.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        matches!(self.motion, Motion::Driven(_))
    }

    /// Where it looks, radians about Y: of what is driven the way it is steered,
    /// which does not sway with its gait; else where its hips point.
    #[must_use]
    pub fn heading_rad(&self) -> f32 {
        if let Motion::Driven(driven) = &self.motion {
            return driven.heading_rad;
        }
        let ahead = facing(&self.skeleton, &self.world);
        ahead.map_or(0.0, |ahead| ahead.x.atan2(ahead.z))
    }

    /// What lies between the frames of its clip; the clip's own way for `None`.
    pub fn sample_between_frames(&mut self, by: Option<Interpolation>) {
        if let Motion::Clip(motion) = &mut self.motion {
            motion.sample_between_frames(by);
        }
    }

    /// Poses it at a time of the scene's clock.
    pub fn advance_to(&mut self, clock_secs: f64) {
        let secs = self.clip_secs(clock_secs);
        let world_from_model = self.carried_from_model();
        let start = Start::at(self.offset);
        match &mut self.motion {
            Motion::Rest => self.local.copy_from(self.skeleton.rest()),
            Motion::Clip(motion) => {
                // The reference first: `local` and `model` are lent to it and
                // must hold the character's own pose in the end.
                if let Some(it) = &mut motion.reference {
                    it.clip
                        .sample(&self.skeleton, secs, &mut it.cursor, &mut self.local);
                    self.model.compute(&self.skeleton, &self.local);
                    it.pose.place(world_from_model, &self.model);
                }
                motion
                    .clip
                    .sample(&self.skeleton, secs, &mut motion.cursor, &mut self.local);
            }
            Motion::Driven(driven) => {
                let mut stage = Stage {
                    skeleton: &self.skeleton,
                    body: &self.body,
                    posing: &mut self.posing,
                    offset: world_from_model,
                    start,
                };
                driven.advance_to(clock_secs, &mut stage);
                // The animator's post-processes leave the model pose as well as
                // the local one: nothing is left to compute.
                let placed = driven.animator.pose(&mut self.local, &mut self.model);
                let ahead = placed.rotation * Vec3::Z;
                driven.heading_rad = ahead.x.atan2(ahead.z);
                let footing = driven.footing();
                self.place(world_from_model * placed, footing);
                return;
            }
        }
        self.model.compute(&self.skeleton, &self.local);
        self.played_secs = secs;
        if self.posing.still_pose(&self.skeleton).is_some() {
            self.come_to_rest(world_from_model);
            return;
        }
        let way = self.way_on_the_spot(world_from_model);
        self.place(way * world_from_model, self.feet.at(secs));
    }

    /// Stands at rest, or in the pose that was given, below where the motion has
    /// the hips, whatever it does there.
    fn come_to_rest(&mut self, world_from_model: Transform) {
        let hips = usize::from(self.carrier);
        let now = world_from_model.transform_point(self.model.joints()[hips].translation);
        if let Some(still) = self.posing.still_pose(&self.skeleton) {
            self.local.copy_from(still);
        }
        self.model.compute(&self.skeleton, &self.local);
        let rests = self.model.joints()[hips].translation;
        let lift_m = lift_m(&self.skeleton, &self.body, &Motion::Rest);
        let at = Vec3::new(now.x - rests.x, self.offset.y + lift_m, now.z - rests.z);
        self.place(Transform::from_translation(at), Footing::default());
    }

    /// Back to where the motion began, for whoever stays on the spot.
    fn way_on_the_spot(&self, world_from_model: Transform) -> Transform {
        if !self.posing.is_in_place() {
            return Transform::IDENTITY;
        }
        let hips = self.model.joints()[usize::from(self.carrier)].translation;
        let now = world_from_model.transform_point(hips);
        let start = self.footing_in(&self.pose_at(0.0));
        Transform::from_translation(Vec3::new(start.x - now.x, 0.0, start.z - now.z))
    }

    /// Puts the pose into the world, as whatever is done to it has it.
    fn place(&mut self, world_from_model: Transform, footing: Footing) {
        self.placed = world_from_model;
        self.lifted_m = footing.hips_m;
        let context = PoseContext {
            skeleton: &self.skeleton,
            body: &self.body,
            world_from_model,
            footing,
            moment: self
                .clip()
                .map(|clip| (self.played_secs, clip.duration_secs())),
        };
        let (local, model) = (&mut self.local, &mut self.model);
        let carry = self.posing.fall().carry();
        self.posing.apply(context, local, model, &mut self.world);
        if self.posing.fall().carry() != carry {
            self.go_on_elsewhere();
        }
    }

    /// Whoever fell goes on from where they lie: an animator from there, feet of a
    /// clip on the ground that is there.
    fn go_on_elsewhere(&mut self) {
        let offset = self.world_from_model();
        match &mut self.motion {
            Motion::Driven(driven) => driven.go_on_elsewhere(&mut self.posing, offset),
            Motion::Rest | Motion::Clip(_) => self.plan_feet(),
        }
    }

    /// The pose at another time: of a clip at any, of what is driven at one of
    /// the last seconds; the present one where there is none.
    #[must_use]
    pub fn pose_at(&self, secs: f64) -> WorldPose {
        let Some(clip) = self.clip() else {
            return self.past_pose(secs).unwrap_or(&self.world).clone();
        };
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        clip.sample(&self.skeleton, secs, &mut ClipCursor::default(), &mut local);
        model.compute(&self.skeleton, &local);
        let context = PoseContext {
            skeleton: &self.skeleton,
            body: &self.body,
            world_from_model: self.carried_from_model(),
            footing: self.feet.at(secs),
            moment: None,
        };
        if self.posing.still_pose(&self.skeleton).is_some() {
            return self.world.clone();
        }
        self.posing.weigh_morphs(&mut local, &mut model);
        self.posing.stand(context, &mut local, &mut model);
        let mut world = WorldPose::default();
        world.place(context.world_from_model, &model);
        world
    }

    /// Plans where the feet of a clip go on the ground that is there.
    pub(super) fn plan_feet(&mut self) {
        self.feet = FootPlan::default();
        let (ground, lock) = (self.posing.ground(), self.posing.foot_lock() == Some(true));
        if self.is_driven() || self.posing.is_in_place() || ground.is_none() && !lock {
            return;
        }
        let flat = Ground::flat();
        let ground = ground.unwrap_or(&flat);
        let moments = (self.duration_secs().min(LONGEST_SECS) * RATE) as usize + 1;
        let (mut local, mut model) = (self.local.clone(), ModelPose::default());
        let mut cursor = ClipCursor::default();
        let placed = self.carried_from_model();
        let mut sampled = Vec::with_capacity(moments);
        for moment in 0..moments {
            match self.clip() {
                Some(clip) => {
                    let secs = moment as f64 / RATE;
                    clip.sample(&self.skeleton, secs, &mut cursor, &mut local);
                }
                None => local.copy_from(self.skeleton.rest()),
            }
            model.compute(&self.skeleton, &local);
            let feet = self.posing.soles().iter();
            let feet: Vec<FootSample> = feet.map(|sole| sole.sample(&model, placed)).collect();
            sampled.push(feet);
        }
        let tracks = tracks(self.posing.soles(), &sampled);
        let mut known = Default::default();
        self.feet = FootPlan::new(ground, &tracks, RATE as f32, &mut known, lock);
    }

    fn past_pose(&self, secs: f64) -> Option<&WorldPose> {
        match &self.motion {
            Motion::Driven(driven) => driven.past_pose(secs),
            Motion::Rest | Motion::Clip(_) => None,
        }
    }

    /// Times around a moment at which poses are known.
    #[must_use]
    pub fn known_secs(&self) -> (f64, f64) {
        match &self.motion {
            Motion::Rest => (0.0, 0.0),
            Motion::Clip(motion) => (0.0, motion.clip.duration_secs()),
            Motion::Driven(driven) => driven.known_secs(),
        }
    }

    /// A comparison ends with its clip; whoever stands alongside starts again.
    pub(super) fn clip_secs(&self, clock_secs: f64) -> f64 {
        if let Some(secs) = self.staging.bound_secs {
            return secs;
        }
        let duration = self.duration_secs();
        let clock_secs = match &self.motion {
            Motion::Clip(_) => self.staging.timing.clip_secs(clock_secs),
            Motion::Rest | Motion::Driven(_) => clock_secs,
        };
        // The end itself is not wrapped: a clip that plays once rests on its
        // last frame.
        match self.see_through || clock_secs <= duration {
            true => clock_secs,
            false if duration > 0.0 => clock_secs.rem_euclid(duration),
            false => 0.0,
        }
    }

    /// Where the model stands, carried on from where it fell.
    fn carried_from_model(&self) -> Transform {
        self.posing.fall().carry() * self.world_from_model()
    }

    pub(super) fn world_from_model(&self) -> Transform {
        Transform {
            rotation: Quat::from_rotation_y(self.staging.turn_rad),
            ..Transform::from_translation(self.offset + Vec3::Y * self.lift_m)
        }
    }
}

/// What an animator file says of looks and limbs.
fn posing_of(motion: &Motion) -> Posing {
    match motion {
        Motion::Driven(driven) => {
            let graph = driven.animator.graph();
            let mut posing = Posing::described(graph.look.clone(), graph.reaches.clone());
            let captures = graph.clips.iter().map(|clip| Arc::clone(&clip.source));
            posing.fall_mut().set_captures(captures.collect());
            posing
        }
        Motion::Clip(motion) => {
            let mut posing = Posing::default();
            posing.fall_mut().set_captures(vec![motion.clip()]);
            posing
        }
        Motion::Rest => Posing::default(),
    }
}

/// A bare skeleton is put on its feet; a model stands as it was made.
fn lift_m(skeleton: &Skeleton, body: &Body, motion: &Motion) -> f32 {
    if !matches!(motion, Motion::Rest) || body.model().is_some() {
        return 0.0;
    }
    let rest = skeleton.rest_model();
    let ends = (0..skeleton.len()).map(|joint| rest.bone_end(skeleton, joint).y);
    SOLE_M - ends.fold(f32::MAX, f32::min)
}
