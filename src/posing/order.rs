//! Everything that is done to a character's pose beyond its motion, and the
//! order in which it is done.
//!
//! A clip or the animator gives a pose that stands on flat ground; then
//!
//! 1. **ground**: feet and hips come to stand on what is there;
//! 2. **kept drags**: offsets over the motion, made by hand or by a script;
//! 3. **look**: spine, neck, head and eyes turn;
//! 4. **props**: the second hand of a prop goes to its grip;
//! 5. **reach**: joints are sent to points and locators;
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
    DragSolver, Footing, Ground, GroundKind, HeightField, JointDrag, JointHold, KeptDrag, Locator,
    LocatorAction, LookAt, LookChain, MeetAction, Morphs, OffsetLayer, PoseAction, Prop, PropKind,
    Reach, ReachLimb, Sole, StandAction, WholeBody, find_joint, locator, look::Look, props::Props,
    stand::Stand, with_offsets,
};
use crate::{
    body::Body,
    clip::RawClip,
    collide::Terrain,
    humanoid::LimitSource,
    math::Transform,
    ragdoll::{Fall, FallContext, Ragdoll, Thing},
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Why something cannot be done to a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoseError {
    /// It has no such joint.
    #[error("the skeleton has no joint named {0:?}, nor does one play that part")]
    NoJoint(String),
    /// It has nothing of that name that could go somewhere.
    #[error("{0:?} is neither a joint nor on one: `locator {0} JOINT` puts it there")]
    NotOnJoint(String),
    /// There is nothing of that name to go to.
    #[error("there is no locator {0:?}, nor a joint or a place of the file called so")]
    NoLocator(String),
    /// Nobody has read the file.
    #[error("{0} has not been read")]
    NotRead(String),
    /// It has no head to turn.
    #[error("no joint of the skeleton is its head")]
    NoHead,
    /// Its skin has none of that name.
    #[error("the skin has no morph target {0:?}{1}")]
    NoMorph(String, String),
    /// It is no body that falls.
    #[error("{0}")]
    NoFall(String),
}

/// What is done to a pose, as data.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PosingTrace {
    /// How much of a look shows, 0 to 1.
    pub look: f32,
    /// Joints that are sent somewhere, and how much of that shows.
    pub reach: Vec<(String, f32)>,
    /// Joints that go to locators: the words of each, and how far they are from
    /// there, metres.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub meets: Vec<(String, f32)>,
    /// What is stood on; flat without.
    pub ground: Option<String>,
    /// Standing feet are held; as the motion has it without.
    pub foot_lock: Option<bool>,
    /// It stays on the spot.
    pub in_place: bool,
    /// Joints that are drawn aside: the words of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drags: Vec<String>,
    /// Things.
    pub props: Vec<PropTrace>,
    /// What a body that is limp does: `limp`, `limb`, `falling`, `lying`, `rising`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ragdoll: Option<&'static str>,
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
    /// Its skin.
    pub body: &'a Body,
    /// Where it stands, carried on from where it fell.
    pub world_from_model: Transform,
    /// Where feet and hips go on the ground that is there; on flat ground nowhere
    /// else.
    pub footing: Footing,
    /// Seconds of a clip, and how long it is; what is driven has neither.
    pub moment: Option<(f64, f64)>,
}

/// All that is done to one character.
#[derive(Debug, Default)]
pub struct Posing {
    pub(super) look: Look,
    chain: Option<LookChain>,
    limbs: Vec<ReachLimb>,
    reaches: Vec<Reach>,
    locators: Vec<Locator>,
    /// Where it wants to stand, until that is found out.
    stands: Option<StandAction>,
    /// Joints in somebody's hand, or on their way back; the last is the newest.
    holds: Vec<JointHold>,
    kept: Vec<KeptDrag>,
    undone: Vec<KeptDrag>,
    /// Who follows what is dragged.
    pub(super) solver: DragSolver,
    /// Ends that stay; the feet where nobody said so.
    pins: Option<Vec<JointIndex>>,
    pub(super) props: Props,
    pub(super) ground: Option<Ground>,
    /// The same for what falls on it.
    terrain: Option<Terrain>,
    /// As somebody said; else as the motion has it.
    pub(super) foot_lock: Option<bool>,
    pub(super) in_place: bool,
    /// The rest pose stands for a clip's.
    at_rest: bool,
    morphs: Morphs,
    /// A pose that stands for a clip's, and for the rest pose too.
    still: Option<LocalPose>,
    stand: Option<Stand>,
    /// Grounds of files that were read, by the words of their actions.
    pub(super) fields: Vec<(String, HeightField)>,
    /// Where the pose was before anybody pulled at it.
    own: WorldPose,
    /// Where it was before joints were sent somewhere.
    before_reach: WorldPose,
    fall: Fall,
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
                if let Some(reach) = self.reach_of(skeleton, joint, goal.is_some()) {
                    reach.set(*goal);
                }
            }
            PoseAction::Locator(wanted) => self.set_locator(wanted, skeleton)?,
            PoseAction::Meet(wanted) => self.meet(wanted, skeleton)?,
            PoseAction::Stand(wanted) => {
                let own = locator::on_joint((skeleton, &self.locators), &wanted.own);
                let known = own.is_some() || self.has_locator(&wanted.own);
                known
                    .then_some(())
                    .ok_or_else(|| PoseError::NoLocator(wanted.own.clone()))?;
                self.stands = Some(wanted.clone());
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
            PoseAction::Push { joint, impulse } => {
                let joint = self.joint(skeleton, joint)?;
                can_fall(skeleton)?;
                self.fall.push(joint, *impulse);
            }
            PoseAction::Ragdoll(None) => self.fall.take_up(),
            PoseAction::Ragdoll(Some(limpness)) => {
                let below = limpness.below.as_deref();
                let below = below.map(|name| self.joint(skeleton, name)).transpose()?;
                can_fall(skeleton)?;
                self.fall.go_limp(limpness.strength, below);
            }
            PoseAction::Drag(wanted) => self.keep(wanted, skeleton, false)?,
            PoseAction::DragOff(joint) => {
                let joint = joint.as_ref().map(|name| self.joint(skeleton, name));
                let joint = joint.transpose()?;
                let meant = |it: &&mut KeptDrag| joint.is_none() || it.joint() == joint;
                self.kept
                    .iter_mut()
                    .filter(meant)
                    .for_each(KeptDrag::take_back);
            }
            PoseAction::Pin { joint, on } => {
                let joint = self.joint(skeleton, joint)?;
                let mut pins = self.pins(skeleton);
                pins.retain(|it| *it != joint);
                pins.extend(on.then_some(joint));
                self.pins = Some(pins);
                self.follow_anew(skeleton);
            }
            PoseAction::Rest(on) => self.at_rest = *on,
            // Its name is of the skin, which is not known here.
            PoseAction::Morph { .. } => {}
            PoseAction::Solver(solver) => {
                self.solver = *solver;
                self.follow_anew(skeleton);
            }
        }
        Ok(())
    }

    /// What sends a joint somewhere; begun where it is wanted.
    fn reach_of(
        &mut self,
        skeleton: &Skeleton,
        joint: JointIndex,
        wanted: bool,
    ) -> Option<&mut Reach> {
        let known = self.reaches.iter().position(|it| it.joint() == joint);
        if known.is_none() && wanted {
            let mut reach = Reach::new(skeleton, joint, &self.limbs);
            reach.follow(skeleton, self.solver, &self.pins(skeleton));
            self.reaches.push(reach);
            return self.reaches.last_mut();
        }
        self.reaches.get_mut(known?)
    }

    fn set_locator(
        &mut self,
        wanted: &LocatorAction,
        skeleton: &Skeleton,
    ) -> Result<(), PoseError> {
        let place = wanted.place.as_ref();
        let made = place.map(|place| {
            let made = Locator::new(skeleton, &wanted.name, place);
            made.ok_or_else(|| PoseError::NoJoint(wanted.to_string()))
        });
        let made = made.transpose()?;
        self.locators.retain(|it| it.name != wanted.name);
        self.locators.extend(made);
        Ok(())
    }

    fn meet(&mut self, wanted: &MeetAction, skeleton: &Skeleton) -> Result<(), PoseError> {
        let limb = self.limbs.iter().find(|limb| limb.name == wanted.own);
        let limb = limb.map(|limb| (limb.joints[2], Transform::IDENTITY));
        let own = limb.or_else(|| locator::on_joint((skeleton, &self.locators), &wanted.own));
        let (joint, own) = own.ok_or_else(|| PoseError::NotOnJoint(wanted.own.clone()))?;
        if let Some(goal) = wanted.goal.as_ref().filter(|goal| goal.of.is_none()) {
            let on_joint = locator::on_joint((skeleton, &self.locators), &goal.locator);
            let known = on_joint.is_some() || self.has_locator(&goal.locator);
            known
                .then_some(())
                .ok_or_else(|| PoseError::NoLocator(goal.locator.clone()))?;
        }
        let reach = self.reach_of(skeleton, joint, wanted.goal.is_some());
        match (reach, &wanted.goal) {
            (Some(reach), Some(goal)) => reach.meet(goal.clone(), own),
            (Some(reach), None) => reach.set(None),
            (None, _) => {}
        }
        Ok(())
    }

    fn has_locator(&self, name: &str) -> bool {
        name == locator::BODY || self.locators.iter().any(|it| it.name == name)
    }

    /// Places with names that somebody put somewhere.
    #[must_use]
    pub fn locators(&self) -> &[Locator] {
        &self.locators
    }

    /// Where a locator, a place of the file or a joint is in the world.
    #[must_use]
    pub fn locate(
        &self,
        skeleton: &Skeleton,
        name: &str,
        world_from_model: Transform,
        model: &ModelPose,
    ) -> Option<Transform> {
        locator::place_of((skeleton, &self.locators), name, world_from_model, model)
    }

    /// Where it wants to stand; told once.
    pub fn take_stand(&mut self) -> Option<StandAction> {
        self.stands.take()
    }

    /// The same, only looked at.
    #[must_use]
    pub fn wanted_stand(&self) -> Option<&StandAction> {
        self.stands.as_ref()
    }

    /// Joints that go to what somebody else has: what it is, and whose.
    pub fn met_elsewhere(&self) -> impl Iterator<Item = (JointIndex, &str, &str)> {
        self.reaches.iter().filter_map(|reach| {
            let goal = reach.meets()?;
            Some((reach.joint(), goal.locator.as_str(), goal.of.as_deref()?))
        })
    }

    /// Tells a joint where that is in the world, as far as it is known.
    pub fn see(&mut self, joint: JointIndex, place: Option<Transform>) {
        let reach = self.reaches.iter_mut().find(|it| it.joint() == joint);
        if let Some(reach) = reach {
            reach.see(place);
        }
    }

    /// Draws a joint aside from now on; `at_once` where it is seen so already.
    pub fn keep(
        &mut self,
        wanted: &JointDrag,
        skeleton: &Skeleton,
        at_once: bool,
    ) -> Result<(), PoseError> {
        let joint = self.joint(skeleton, &wanted.joint)?;
        let by = (self.solver, &*self.pins(skeleton));
        let mut kept = KeptDrag::new(skeleton, (joint, wanted), by);
        if at_once {
            kept.show();
        }
        self.kept.push(kept);
        self.undone.clear();
        Ok(())
    }

    /// Morph targets that are weighed by hand.
    #[must_use]
    pub fn morphs(&self) -> &Morphs {
        &self.morphs
    }

    /// The same, to be changed.
    pub fn morphs_mut(&mut self) -> &mut Morphs {
        &mut self.morphs
    }

    /// Lays morph weights set by hand over a pose.
    pub fn weigh_morphs(&self, pose: &mut LocalPose, model: &mut ModelPose) {
        self.morphs.apply(pose, model);
    }

    /// Whether the rest pose stands for a clip's.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        self.at_rest
    }

    /// Stands in a pose instead of what a clip has, or no longer.
    pub fn stand_still(&mut self, pose: Option<LocalPose>) {
        self.still = pose;
    }

    /// The pose that stands for a clip's: one that was given, else the rest pose
    /// where somebody asked for that.
    #[must_use]
    pub fn still_pose<'s>(&'s self, skeleton: &'s Skeleton) -> Option<&'s LocalPose> {
        let rest = self.at_rest.then(|| skeleton.rest());
        self.still.as_ref().or(rest)
    }

    /// The last drag that was kept, taken back; and brought again.
    pub fn undo_kept(&mut self) {
        self.undone.extend(self.kept.pop());
    }

    /// The same, brought again.
    pub fn redo_kept(&mut self) {
        self.kept.extend(self.undone.pop());
    }

    /// Whether there is something to bring again.
    #[must_use]
    pub fn can_redo_kept(&self) -> bool {
        !self.undone.is_empty()
    }

    /// Switches a kept drag on or off.
    pub fn switch_kept(&mut self, index: usize, on: bool) {
        if let Some(kept) = self.kept.get_mut(index) {
            kept.switch(on);
        }
    }

    /// A clip with all that is kept laid over it and, on request, joints held
    /// within limits: what is exported.
    #[must_use]
    pub fn baked(
        &self,
        skeleton: &Skeleton,
        clip: &RawClip,
        clamp: Option<LimitSource>,
    ) -> RawClip {
        let wanted = self.kept.iter().filter(|it| it.is_wanted());
        let layers: Vec<OffsetLayer> = wanted.map(|it| it.layer().clone()).collect();
        with_offsets(skeleton, clip, &layers, clamp)
    }

    /// Drags that are kept, as they are laid over each other.
    #[must_use]
    pub fn kept(&self) -> &[KeptDrag] {
        &self.kept
    }

    /// Who follows what is dragged.
    #[must_use]
    pub fn solver(&self) -> DragSolver {
        self.solver
    }

    /// Ends that stay while others are dragged.
    #[must_use]
    pub fn pins(&self, skeleton: &Skeleton) -> Vec<JointIndex> {
        let feet = || {
            let body = WholeBody::of(skeleton);
            body.map_or(Vec::new(), |body| body.feet().collect())
        };
        self.pins.clone().unwrap_or_else(feet)
    }

    /// Ends that somebody pinned, or left pinned.
    #[must_use]
    pub fn chosen_pins(&self) -> &[JointIndex] {
        self.pins.as_deref().unwrap_or_default()
    }

    /// Takes hold of a joint where it is.
    pub fn take_hold(&mut self, skeleton: &Skeleton, joint: JointIndex, pose: &WorldPose) {
        if usize::from(joint) >= skeleton.len() {
            return;
        }
        let known = self.holds.iter().position(|hold| hold.joint() == joint);
        let hold = match known {
            Some(index) => self.holds.remove(index).taken_again(),
            None => JointHold::new(skeleton, joint, pose),
        };
        let pins = self.pins(skeleton);
        self.holds
            .push(hold.followed_by(skeleton, self.solver, &pins));
    }

    /// What is dragged goes on with the solver and the pins that are chosen now.
    fn follow_anew(&mut self, skeleton: &Skeleton) {
        let (solver, pins) = (self.solver, self.pins(skeleton));
        for reach in &mut self.reaches {
            reach.follow(skeleton, solver, &pins);
        }
        let holds = std::mem::take(&mut self.holds).into_iter();
        let holds = holds.map(|hold| hold.followed_by(skeleton, solver, &pins));
        self.holds = holds.collect();
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

    pub(super) fn look_at(&mut self, at: &LookAt, skeleton: &Skeleton) -> Result<(), PoseError> {
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

    pub(super) fn set_ground(
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
        self.terrain = self.ground.as_ref().map(Ground::terrain);
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

    /// The same as solids and heights; level ground at height 0 when there is none.
    #[must_use]
    pub fn terrain(&self) -> Option<&Terrain> {
        self.terrain.as_ref()
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

    /// The limb that somebody draws or sends somewhere: the end of it, where to in
    /// the world, and the pose before that.
    #[must_use]
    pub fn sent(&self) -> Option<(JointIndex, Vec3, &WorldPose)> {
        if let Some(hold) = self.holds.last() {
            return Some((hold.joint(), hold.goal()?, hold.own_pose()));
        }
        let reach = self.reaches.last().filter(|it| it.is_wanted())?;
        Some((reach.joint(), reach.goal(), &self.before_reach))
    }

    /// Whether the pose changes though its motion stands still.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let reaches = self.reaches.iter().any(Reach::is_moving);
        let kept = self.kept.iter().any(KeptDrag::is_moving);
        let moved = self.look.is_moving() || reaches || kept || self.props.is_moving();
        !self.holds.is_empty() || moved || self.fall.is_moving()
    }

    /// Stands on what somebody else stands on.
    pub fn share_ground(&mut self, ground: Option<Ground>, skeleton: &Skeleton) {
        self.terrain = ground.as_ref().map(Ground::terrain);
        self.ground = ground;
        self.stand.get_or_insert_with(|| Stand::of(skeleton));
    }

    /// Nothing is done to the pose, nor left of anything.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let looks = self.look.at != LookAt::Off || self.look.weight() > 0.0;
        let still = self.reaches.is_empty() && self.props().is_empty();
        let still = still && self.locators.is_empty();
        let feet = self.ground.is_some() || self.foot_lock.is_some() || self.in_place;
        let dragged = !self.holds.is_empty() || !self.kept.is_empty();
        !looks && still && !feet && !dragged && self.fall.is_idle()
    }

    /// What there is to tell of it; nothing where nothing is done.
    #[must_use]
    pub fn trace(&self, skeleton: &Skeleton, world: &WorldPose) -> Option<PosingTrace> {
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
            meets: { self.reaches.iter() }
                .filter_map(|reach| {
                    let words = format!("{} {}", name(reach.joint()), reach.meets()?);
                    Some((words, reach.missing_m(world)?))
                })
                .collect(),
            ground: self.ground.as_ref().map(|it| it.kind.to_string()),
            foot_lock: self.foot_lock,
            in_place: self.in_place,
            drags: { self.kept.iter() }
                .filter(|it| it.is_wanted())
                .map(|it| it.layer().name.clone())
                .collect(),
            props: props.collect(),
            ragdoll: self.fall.word(),
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
        self.kept.iter_mut().for_each(|it| it.step(dt_secs));
        self.kept.retain(|it| !it.is_over());
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

    /// What falls and gets up of it.
    #[must_use]
    pub fn fall(&self) -> &Fall {
        &self.fall
    }

    /// The same, to be told of clips that lead from the ground to standing.
    pub fn fall_mut(&mut self) -> &mut Fall {
        &mut self.fall
    }

    /// Lets time pass for a body that is limp, on the motion's clock, or on the
    /// wall's while that stands.
    pub fn step_fall(&mut self, dt_secs: f64) {
        self.fall.step(dt_secs);
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
            body,
            world_from_model,
            moment,
            ..
        } = context;
        self.weigh_morphs(pose, model);
        self.stand(context, pose, model);
        for kept in &self.kept {
            kept.apply(skeleton, moment, pose, model);
        }
        if let Some(chain) = &self.chain {
            self.look
                .apply(skeleton, chain, world_from_model, pose, model);
        }
        self.props.bring_hands(skeleton, pose, model);
        self.see_own(skeleton, world_from_model, model);
        if !self.reaches.is_empty() {
            self.before_reach.place(world_from_model, model);
        }
        for reach in &self.reaches {
            reach.apply(skeleton, world_from_model, pose, model);
        }
        if !self.holds.is_empty() {
            self.own.place(world_from_model, model);
        }
        for hold in &mut self.holds {
            hold.apply(skeleton, world_from_model, pose, model);
        }
        let things: Vec<Thing> = self.props.lying().collect();
        let falls = FallContext {
            skeleton,
            body,
            world_from_model,
            ground: self.terrain.as_ref(),
            things: &things,
        };
        self.fall.apply(falls, pose, model);
        if let Some(ragdoll) = self.fall.ragdoll() {
            self.props.strike(ragdoll.things());
        }
        world.place(world_from_model, model);
        self.props.follow(world);
    }
}

impl Posing {
    /// Tells joints that go to something of its own where that is.
    fn see_own(&mut self, skeleton: &Skeleton, world_from_model: Transform, model: &ModelPose) {
        let locators = (skeleton, &*self.locators);
        for reach in &mut self.reaches {
            let Some(goal) = reach.meets().filter(|goal| goal.of.is_none()) else {
                continue;
            };
            let place = locator::place_of(locators, &goal.locator, world_from_model, model);
            reach.see(place);
        }
    }
}

fn can_fall(skeleton: &Skeleton) -> Result<(), PoseError> {
    Ragdoll::check(skeleton).map_err(|error| PoseError::NoFall(error.to_string()))
}
