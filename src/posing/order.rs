//! Everything that is done to a character's pose beyond its motion, and the
//! order in which it is done.
//!
//! A clip or the animator gives a pose that stands on flat ground; then
//!
//! 1. **ground**: feet and hips come to stand on what is there;
//! 2. **offset layers**: what was kept of a pose made by hand;
//! 3. **look**: spine, neck, head and eyes turn;
//! 4. **props**: the second hand of a prop goes to its grip;
//! 5. **reach**: joints are sent to points;
//! 6. **holds**: joints in somebody's hand (the newest last);
//! 7. **ragdoll**: a body that is limp falls, drawn to the pose so far by its
//!    strength.
//!
//! Whatever comes later has the last word. Then the pose is placed in the world
//! and props follow their joints. Weights, throws and falls are stepped by
//! [`Posing::step`]; [`Posing::apply`] may be called as often as one likes.

use glam::{Vec2, Vec3, Vec3A};
use serde::Serialize;

use super::{
    Footing, Ground, GroundKind, HeightField, JointHold, LookAt, LookChain, PoseAction, Prop,
    PropKind, Reach, ReachLimb, Sole, find_joint, look::Look, props::Props, stand::Stand,
};
use crate::{
    math::Transform,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Why something cannot be done to a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseError {
    /// It has no such joint.
    #[error("the skeleton has no joint named {0:?}, nor does one play that part")]
    NoJoint(String),
    /// Nobody has read the file.
    #[error("{0} has not been read")]
    NotRead(String),
    /// It has no head to turn.
    #[error("no joint of the skeleton is its head")]
    NoHead,
    /// Nobody can do that.
    #[error("{0} is not possible yet")]
    NotYet(&'static str),
}

/// What is done to a pose, as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PosingTrace {
    /// How much of a look shows, 0 to 1.
    pub look: f32,
    /// Joints that are sent somewhere, and how much of that shows.
    pub reach: Vec<(String, f32)>,
    /// What is stood on; flat without.
    pub ground: Option<String>,
    /// Standing feet are held; as the motion has it without.
    pub foot_lock: Option<bool>,
    /// It stays on the spot.
    pub in_place: bool,
    /// Things.
    pub props: Vec<PropTrace>,
}

/// A thing, as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PropTrace {
    /// What.
    pub prop: String,
    /// Who holds it, or is going to.
    pub joint: Option<String>,
    /// In the hand, not on its way there.
    pub held: bool,
    /// Metres, world.
    pub at: [f32; 3],
}

/// Where a motion begins: grounds are laid out from there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Start {
    /// World X and Z.
    pub origin: Vec2,
    /// Radians about Y; 0 looks along +Z.
    pub heading_rad: f32,
    /// Height of the flat ground, metres.
    pub level_m: f32,
}

impl Start {
    /// From a point of the world, looking along +Z.
    #[must_use]
    pub fn at(point: Vec3) -> Self {
        Self {
            origin: Vec2::new(point.x, point.z),
            ..Self::default()
        }
    }
}

/// What a pose is changed in: the moment, as it is before.
#[derive(Clone, Copy, Debug)]
pub struct PoseContext<'a> {
    /// Whose pose.
    pub skeleton: &'a Skeleton,
    /// Where it stands.
    pub world_from_model: Transform,
    /// Where feet and hips go on the ground that is there; on flat ground nowhere
    /// else.
    pub footing: Footing,
}

/// All that is done to one character.
#[derive(Clone, Debug, Default)]
pub struct Posing {
    look: Look,
    chain: Option<LookChain>,
    limbs: Vec<ReachLimb>,
    reaches: Vec<Reach>,
    /// Joints in somebody's hand, or on their way back; the last is the newest.
    holds: Vec<JointHold>,
    props: Props,
    ground: Option<Ground>,
    /// As somebody said; else as the motion has it.
    foot_lock: Option<bool>,
    in_place: bool,
    stand: Option<Stand>,
    /// Grounds of files that were read, by the words of their actions.
    fields: Vec<(String, HeightField)>,
    /// Where the pose was before anybody pulled at it.
    own: WorldPose,
}

impl Posing {
    /// Whose look and limbs an animator file describes; found by names and shape
    /// where it does not.
    #[must_use]
    pub fn described(chain: Option<LookChain>, limbs: Vec<ReachLimb>) -> Self {
        Self {
            chain,
            limbs,
            ..Self::default()
        }
    }

    /// Does something to a character whose joints are at `pose` now.
    pub fn act(
        &mut self,
        action: &PoseAction,
        skeleton: &Skeleton,
        start: Start,
        pose: &WorldPose,
    ) -> Result<(), PoseError> {
        match action {
            PoseAction::Look(at) => self.look_at(at, skeleton)?,
            PoseAction::Reach { joint, goal } => {
                let joint = self.joint(skeleton, joint)?;
                let known = self.reaches.iter_mut().find(|it| it.joint() == joint);
                match (known, goal) {
                    (Some(known), goal) => known.set(*goal),
                    (None, None) => {}
                    (None, goal) => {
                        let mut reach = Reach::new(skeleton, joint, &self.limbs);
                        reach.set(*goal);
                        self.reaches.push(reach);
                    }
                }
            }
            PoseAction::Attach(wanted) => {
                let joint = self.joint(skeleton, &wanted.joint)?;
                let second = wanted.second.as_ref();
                let second = second.map(|name| self.joint(skeleton, name)).transpose()?;
                self.props.attach(skeleton, (joint, second), wanted, pose);
            }
            PoseAction::Detach(prop) => self.props.detach(prop.as_ref()),
            PoseAction::Ground(kind) => self.set_ground(kind, skeleton, start)?,
            PoseAction::FootLock(on) => {
                self.foot_lock = Some(*on);
                self.stand.get_or_insert_with(|| Stand::of(skeleton));
            }
            PoseAction::InPlace(on) => self.in_place = *on,
            PoseAction::Push { .. } => return Err(PoseError::NotYet("a push")),
            PoseAction::Ragdoll(None) => {}
            PoseAction::Ragdoll(Some(_)) => return Err(PoseError::NotYet("a ragdoll")),
        }
        Ok(())
    }

    /// Whether the names in an action mean something to a skeleton.
    pub fn check(&self, action: &PoseAction, skeleton: &Skeleton) -> Result<(), PoseError> {
        action
            .joints()
            .try_for_each(|name| self.joint(skeleton, name).map(drop))
    }

    /// Hands over what was read of a ground's file.
    pub fn put_field(&mut self, path: &str, field: HeightField) {
        self.fields.retain(|(known, _)| known != path);
        self.fields.push((path.to_owned(), field));
    }

    /// A limb of the animator file, a joint, or the part it plays.
    fn joint(&self, skeleton: &Skeleton, name: &str) -> Result<JointIndex, PoseError> {
        let limb = self.limbs.iter().find(|limb| limb.name == name);
        let joint = limb.map(|limb| limb.joints[2]);
        let joint = joint.or_else(|| find_joint(skeleton, name));
        joint.ok_or_else(|| PoseError::NoJoint(name.to_owned()))
    }

    fn look_at(&mut self, at: &LookAt, skeleton: &Skeleton) -> Result<(), PoseError> {
        if let LookAt::Joint(name) = at {
            self.joint(skeleton, name)?;
        }
        if *at != LookAt::Off && self.chain.is_none() {
            self.chain = LookChain::of(skeleton);
            self.chain.as_ref().ok_or(PoseError::NoHead)?;
        }
        self.look.set(at.clone());
        Ok(())
    }

    fn set_ground(
        &mut self,
        kind: &GroundKind,
        skeleton: &Skeleton,
        start: Start,
    ) -> Result<(), PoseError> {
        let field = match kind {
            GroundKind::File { path, .. } => {
                let known = self.fields.iter().find(|(known, _)| known == path);
                let known = known.ok_or_else(|| PoseError::NotRead(path.clone()))?;
                Some(known.1.clone())
            }
            _ => None,
        };
        self.ground = (*kind != GroundKind::Flat).then(|| Ground {
            kind: kind.clone(),
            origin: start.origin,
            heading_rad: start.heading_rad,
            level_m: start.level_m,
            field,
        });
        self.stand.get_or_insert_with(|| Stand::of(skeleton));
        Ok(())
    }

    /// What is looked at.
    #[must_use]
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// The same, to be told where the pointer is, or somebody else.
    pub fn look_mut(&mut self) -> &mut Look {
        &mut self.look
    }

    /// What is stood on; flat when there is none.
    #[must_use]
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    /// How far the ground at world X and Z is above flat ground, metres.
    #[must_use]
    pub fn rise_m(&self, x: f32, z: f32) -> f32 {
        self.ground.as_ref().map_or(0.0, |it| it.rise_m(x, z))
    }

    /// Whether feet are held where they stand; `None` where nobody said so.
    #[must_use]
    pub fn foot_lock(&self) -> Option<bool> {
        self.foot_lock
    }

    /// Whether it stays on the spot.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Its feet, once somebody asked for them to be set; left first.
    #[must_use]
    pub fn soles(&self) -> &[Sole] {
        self.stand.as_ref().map_or(&[], |stand| &stand.soles)
    }

    /// Joints that are sent somewhere, or on their way back.
    #[must_use]
    pub fn reaches(&self) -> &[Reach] {
        &self.reaches
    }

    /// Things that it has, or had.
    #[must_use]
    pub fn props(&self) -> &[Prop] {
        self.props.list()
    }

    /// Hands that hold one thing together: each hand, the point of its palm in
    /// its own space, and where on the thing that belongs.
    #[must_use]
    pub fn grips(&self, kind: &PropKind) -> Vec<(JointIndex, Vec3A, Vec3A)> {
        self.props.grips(kind)
    }

    /// Joints in somebody's hand, or on their way back; the last is the newest.
    #[must_use]
    pub fn holds(&self) -> &[JointHold] {
        &self.holds
    }

    /// The same, to be taken and let go.
    pub fn holds_mut(&mut self) -> &mut Vec<JointHold> {
        &mut self.holds
    }

    /// The pose before anybody pulled at it; the last that was applied.
    #[must_use]
    pub fn own_pose(&self) -> &WorldPose {
        &self.own
    }

    /// Whether the pose changes though its motion stands still.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let reaches = self.reaches.iter().any(Reach::is_moving);
        !self.holds.is_empty() || self.look.is_moving() || reaches || self.props.is_moving()
    }

    /// Stands on what somebody else stands on.
    pub fn share_ground(&mut self, ground: Option<Ground>, skeleton: &Skeleton) {
        self.ground = ground;
        self.stand.get_or_insert_with(|| Stand::of(skeleton));
    }

    /// Nothing is done to the pose, nor left of anything.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let looks = self.look.at != LookAt::Off || self.look.weight() > 0.0;
        let still = self.reaches.is_empty() && self.props().is_empty();
        let feet = self.ground.is_some() || self.foot_lock.is_some() || self.in_place;
        !looks && still && !feet && self.holds.is_empty()
    }

    /// What there is to tell of it; nothing where nothing is done.
    #[must_use]
    pub fn trace(&self, skeleton: &Skeleton) -> Option<PosingTrace> {
        if self.is_idle() {
            return None;
        }
        let name = |joint: JointIndex| skeleton.joints()[usize::from(joint)].name.clone();
        let reaches = self.reaches.iter();
        let props = self.props().iter().map(|prop| PropTrace {
            prop: prop.kind.word().to_owned(),
            joint: prop.joint().map(name),
            held: prop.is_held(),
            at: prop.world_from_prop.position().to_array(),
        });
        Some(PosingTrace {
            look: self.look.weight(),
            reach: reaches.map(|it| (name(it.joint()), it.weight())).collect(),
            ground: self.ground.as_ref().map(|it| it.kind.to_string()),
            foot_lock: self.foot_lock,
            in_place: self.in_place,
            props: props.collect(),
        })
    }

    /// As if whatever was begun had been there for long: for pictures of one
    /// moment.
    pub fn settle(&mut self) {
        const LONG_SECS: f64 = 10.0;
        self.step(LONG_SECS);
    }

    /// Lets time pass for hands that pull, on the wall clock: whoever holds a
    /// joint of a motion that stands still lets it go as quickly.
    pub fn step_holds(&mut self, dt_secs: f64) {
        self.holds.iter_mut().for_each(|hold| hold.step(dt_secs));
        self.holds.retain(|hold| !hold.is_over());
    }

    /// Lets time pass for all the rest, on the motion's clock.
    pub fn step(&mut self, dt_secs: f64) {
        let half_life_secs = self.chain.as_ref().map_or(0.0, |it| it.half_life_secs);
        self.look.step(half_life_secs, dt_secs);
        self.reaches.iter_mut().for_each(|it| it.step(dt_secs));
        self.reaches.retain(|reach| !reach.is_over());
        let ground = self.ground.as_ref();
        let ground_m = |at: Vec3| ground.map_or(0.0, |it| it.height_m(at.x, at.z));
        self.props.step(ground_m, dt_secs);
    }

    /// Feet and hips alone, on the ground that is there.
    pub fn stand(&self, context: PoseContext<'_>, pose: &mut LocalPose, model: &mut ModelPose) {
        if let (Some(stand), false) = (&self.stand, context.footing == Footing::default()) {
            let (skeleton, placed) = (context.skeleton, context.world_from_model);
            stand.apply(skeleton, &context.footing, placed, pose, model);
        }
    }

    /// Changes a pose, in the order above; `model` is up to date before and
    /// after, `world` is where it ends.
    pub fn apply(
        &mut self,
        context: PoseContext<'_>,
        pose: &mut LocalPose,
        model: &mut ModelPose,
        world: &mut WorldPose,
    ) {
        let PoseContext {
            skeleton,
            world_from_model,
            ..
        } = context;
        self.stand(context, pose, model);
        // 2. Offset layers belong here.
        if let Some(chain) = &self.chain {
            self.look
                .apply(skeleton, chain, world_from_model, pose, model);
        }
        self.props.bring_hands(skeleton, pose, model);
        for reach in &self.reaches {
            reach.apply(skeleton, world_from_model, pose, model);
        }
        if !self.holds.is_empty() {
            self.own.place(world_from_model, model);
        }
        for hold in &mut self.holds {
            hold.apply(skeleton, world_from_model, pose, model);
        }
        // 7. The ragdoll belongs here.
        world.place(world_from_model, model);
        self.props.follow(world);
    }
}
