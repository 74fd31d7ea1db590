//! Things on joints: held, thrown from one hand to another, put down.
//!
//! A prop is one of its kind: attached again it is handed over, in flight where
//! it is thrown. What is let go falls and stays on the ground.

use glam::{Vec3, Vec3A};

use super::{Attachment, PropKind, grip, reach::turn, two_hands::TwoHands};
use crate::{
    collide::{Capsule, Obb, Shape, Sphere},
    math::Transform,
    ragdoll::Thing,
    skeleton::{JointIndex, LocalPose, ModelPose, Skeleton, WorldPose},
};

/// Metres a second, every second.
const GRAVITY: f32 = 9.81;

/// A thing, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Prop {
    /// What it is.
    pub kind: PropKind,
    /// Where it is.
    pub world_from_prop: Transform,
    state: PropState,
    /// How it was given into somebody's hand last.
    wanted: Attachment,
    /// The other hand that holds it.
    second: Option<JointIndex>,
}

#[derive(Clone, Debug)]
enum PropState {
    /// On a joint.
    Held(Grip),
    /// On its way to one.
    Thrown {
        from: Transform,
        to: Grip,
        passed_secs: f32,
        flight_secs: f32,
    },
    /// Let go.
    Free { fall_m_per_sec: f32, rests: bool },
}

/// How a joint holds a thing.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grip {
    joint: JointIndex,
    joint_from_prop: Transform,
}

impl Grip {
    fn place(&self, pose: &WorldPose) -> Option<Transform> {
        let world_from_joint = *pose.joints().get(usize::from(self.joint))?;
        Some(world_from_joint * self.joint_from_prop)
    }
}

impl Prop {
    /// The joint that holds it, or is going to.
    #[must_use]
    pub fn joint(&self) -> Option<JointIndex> {
        match &self.state {
            PropState::Held(grip) | PropState::Thrown { to: grip, .. } => Some(grip.joint),
            PropState::Free { .. } => None,
        }
    }

    /// In a hand, neither on its way nor let go.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self.state, PropState::Held(_))
    }

    /// Where the joint that holds it would have it in a pose.
    #[must_use]
    pub fn held_place(&self, pose: &WorldPose) -> Option<Transform> {
        match &self.state {
            PropState::Held(grip) => grip.place(pose),
            _ => None,
        }
    }

    /// Its solid in its own space and its weight; nothing is known of a file's.
    fn thing(&self, id: usize) -> Option<Thing> {
        let (solid, mass_kg) = match self.kind {
            PropKind::Ball => {
                let ball = Sphere {
                    centre: Vec3::ZERO,
                    radius_m: grip::BALL_RADIUS_M,
                };
                (Shape::Sphere(ball), 0.6)
            }
            PropKind::Box => {
                let half = Vec3::splat(grip::BOX_HALF_M);
                (Shape::Obb(Obb::new(Transform::IDENTITY, half)), 3.0)
            }
            PropKind::Stick => {
                let end = Vec3::Y * (grip::STICK_HALF_M - grip::STICK_RADIUS_M);
                let stick = Capsule {
                    start: -end,
                    end,
                    radius_m: grip::STICK_RADIUS_M,
                };
                (Shape::Capsule(stick), 0.8)
            }
            PropKind::File(_) => return None,
        };
        let place = self.world_from_prop;
        Some(Thing {
            id,
            solid,
            place,
            mass_kg,
        })
    }

    fn is_free(&self) -> bool {
        matches!(self.state, PropState::Free { .. })
    }

    fn is_moving(&self) -> bool {
        match self.state {
            PropState::Held(_) => false,
            PropState::Thrown { .. } => true,
            PropState::Free { rests, .. } => !rests,
        }
    }

    fn let_go(&mut self) {
        if self.joint().is_some() {
            self.state = PropState::Free {
                fall_m_per_sec: 0.0,
                rests: false,
            };
        }
    }

    fn step(&mut self, ground_m: f32, dt_secs: f32) {
        match &mut self.state {
            PropState::Held(_) => {}
            PropState::Thrown {
                to,
                passed_secs,
                flight_secs,
                ..
            } => {
                *passed_secs += dt_secs;
                if passed_secs >= flight_secs {
                    self.state = PropState::Held(*to);
                }
            }
            PropState::Free {
                fall_m_per_sec,
                rests,
            } => {
                let floor_m = ground_m + self.kind.rest_height_m();
                let place = &mut self.world_from_prop.translation;
                *fall_m_per_sec += GRAVITY * dt_secs;
                place.y = (place.y - *fall_m_per_sec * dt_secs).max(floor_m.min(place.y));
                *rests = place.y <= floor_m;
            }
        }
    }

    /// Goes where its joint has gone.
    fn follow(&mut self, pose: &WorldPose) {
        let place = match &self.state {
            PropState::Held(grip) => grip.place(pose),
            PropState::Thrown {
                from,
                to,
                passed_secs,
                flight_secs,
            } => { to.place(pose) }.map(|to| flight(*from, to, *passed_secs, *flight_secs)),
            PropState::Free { .. } => None,
        };
        self.world_from_prop = place.unwrap_or(self.world_from_prop);
    }
}

/// A throw that ends in the hand wherever that has gone meanwhile: the straight
/// way, and the parabola of free fall above it, h(t) = g/2 · t · (T − t).
fn flight(from: Transform, to: Transform, passed_secs: f32, flight_secs: f32) -> Transform {
    let share = (passed_secs / flight_secs.max(1e-3)).clamp(0.0, 1.0);
    let above_m = GRAVITY / 2.0 * passed_secs * (flight_secs - passed_secs).max(0.0);
    Transform {
        rotation: from.rotation.slerp(to.rotation, share),
        translation: from.translation.lerp(to.translation, share) + Vec3A::Y * above_m,
    }
}

impl PropKind {
    /// Height of its middle when it lies, metres.
    #[must_use]
    pub fn rest_height_m(&self) -> f32 {
        match self {
            Self::Ball => grip::BALL_RADIUS_M,
            Self::Box => grip::BOX_HALF_M,
            Self::Stick => grip::STICK_RADIUS_M,
            Self::File(_) => 0.0,
        }
    }
}

/// All things that a character has, or had.
#[derive(Clone, Debug, Default)]
pub struct Props {
    list: Vec<Prop>,
    two_hands: Vec<TwoHands>,
}

impl Props {
    /// In the order they came.
    #[must_use]
    pub fn list(&self) -> &[Prop] {
        &self.list
    }

    /// Whether one falls or flies.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let hands = self.two_hands.iter().any(TwoHands::is_moving);
        hands || self.list.iter().any(Prop::is_moving)
    }

    /// What lies about.
    pub(super) fn lying(&self) -> impl Iterator<Item = Thing> + '_ {
        let lying = { self.list.iter().enumerate() }.filter(|(_, prop)| prop.is_free());
        lying.filter_map(|(id, prop)| prop.thing(id))
    }

    /// What lay about when somebody fell is where they knocked it.
    pub(super) fn strike(&mut self, places: impl Iterator<Item = (usize, Transform)>) {
        for (id, place) in places {
            if let Some(prop) = self.list.get_mut(id).filter(|prop| prop.is_free()) {
                prop.world_from_prop = place;
                prop.state = PropState::Free {
                    fall_m_per_sec: 0.0,
                    rests: true,
                };
            }
        }
    }

    /// Hands that hold one thing together go to it.
    pub(super) fn bring_hands(
        &self,
        skeleton: &Skeleton,
        pose: &mut LocalPose,
        model: &mut ModelPose,
    ) {
        let hands = self.two_hands.iter();
        hands.for_each(|hands| hands.apply(skeleton, pose, model));
    }

    /// Hands that hold one thing together: each hand, the point of its palm in
    /// its own space, and where on the thing that belongs.
    #[must_use]
    pub fn grips(&self, kind: &PropKind) -> Vec<(JointIndex, Vec3A, Vec3A)> {
        let hands = self.two_hands.iter().rev().find(|it| it.kind == *kind);
        hands.map_or_else(Vec::new, |hands| hands.grips().collect())
    }

    pub(super) fn attach(
        &mut self,
        skeleton: &Skeleton,
        (joint, second): (JointIndex, Option<JointIndex>),
        wanted: &Attachment,
        pose: &WorldPose,
    ) {
        self.let_hands_go(Some(&wanted.prop));
        let both = second.map(|second| TwoHands::new(skeleton, &wanted.prop, [joint, second]));
        let usual = match &both {
            Some(both) => both.joint_from_prop(),
            None => grip::joint_from_prop(skeleton, joint, &wanted.prop),
        };
        self.two_hands.extend(both);
        let to = Grip {
            joint,
            joint_from_prop: Transform {
                rotation: wanted.turn_deg.map_or(usual.rotation, turn),
                translation: wanted.offset_m.map_or(usual.translation, Vec3A::from),
            },
        };
        let known = self.list.iter().position(|prop| prop.kind == wanted.prop);
        let state = match known {
            Some(known) if wanted.flight_secs > 0.0 => PropState::Thrown {
                from: self.list[known].world_from_prop,
                to,
                passed_secs: 0.0,
                flight_secs: wanted.flight_secs,
            },
            _ => PropState::Held(to),
        };
        let mut prop = Prop {
            kind: wanted.prop.clone(),
            world_from_prop: Transform::IDENTITY,
            state,
            wanted: wanted.clone(),
            second,
        };
        prop.follow(pose);
        match known {
            Some(known) => self.list[known] = prop,
            None => self.list.push(prop),
        }
    }

    /// What somebody had before: held again by the same hands, or lying where it
    /// lay.
    pub(super) fn take_over(
        &mut self,
        before: &Self,
        same: impl Fn(JointIndex) -> Option<JointIndex>,
        (skeleton, pose): (&Skeleton, &WorldPose),
    ) {
        for prop in &before.list {
            match prop.joint().map(&same) {
                Some(Some(joint)) => {
                    let second = prop.second.and_then(&same);
                    let wanted = Attachment {
                        flight_secs: 0.0,
                        ..prop.wanted.clone()
                    };
                    self.attach(skeleton, (joint, second), &wanted, pose);
                }
                // What nobody holds, or has no hand for.
                Some(None) | None => {
                    let mut prop = prop.clone();
                    prop.let_go();
                    self.list.push(prop);
                }
            }
        }
    }

    pub(super) fn detach(&mut self, kind: Option<&PropKind>) {
        let props = self.list.iter_mut();
        let props = props.filter(|prop| kind.is_none_or(|kind| prop.kind == *kind));
        props.for_each(Prop::let_go);
        self.let_hands_go(kind);
    }

    fn let_hands_go(&mut self, kind: Option<&PropKind>) {
        let hands = self.two_hands.iter_mut();
        let hands = hands.filter(|hands| kind.is_none_or(|kind| hands.kind == *kind));
        hands.for_each(TwoHands::let_go);
    }

    pub(super) fn step(&mut self, ground_m: impl Fn(Vec3) -> f32, dt_secs: f64) {
        self.two_hands.iter_mut().for_each(|it| it.step(dt_secs));
        self.two_hands.retain(|hands| !hands.is_over());
        for prop in &mut self.list {
            let ground_m = ground_m(prop.world_from_prop.translation.into());
            prop.step(ground_m, dt_secs as f32);
        }
    }

    pub(super) fn follow(&mut self, pose: &WorldPose) {
        self.list.iter_mut().for_each(|prop| prop.follow(pose));
    }
}
