//! Bodies made so far.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use super::{Body, anatomy::Anatomy, canonical::canonical, judge};
use crate::{
    math::quat::angle_between,
    mesh::CharacterMesh,
    skeleton::{ModelPose, Skeleton},
};

/// Grown bodies that are kept though nobody shows them: going back and forth
/// between a few clips grows none anew, and a tour of thousands of skeletons
/// keeps no more than these.
pub(super) const KEPT_BODIES: usize = 6;

/// Bodies made so far, by skeleton or model.
#[derive(Debug, Default)]
pub struct BodyCache {
    bodies: HashMap<u64, Vec<Weak<Body>>>,
    /// Those used last, the newest first.
    kept: Vec<Arc<Body>>,
    loaded: Vec<Weak<Body>>,
}

impl BodyCache {
    /// The body of a skeleton that moves through `motion`, grown on first use.
    /// Motions that agree on how the body is turned share one.
    pub fn get(&mut self, skeleton: &Skeleton, motion: &[ModelPose]) -> Arc<Body> {
        let known = self.bodies.entry(shape_key(skeleton)).or_default();
        let mut alive = known.iter().filter_map(Weak::upgrade);
        let fitting = alive.find(|body| fits(skeleton, body, motion));
        let body = fitting.unwrap_or_else(|| {
            let grown = Arc::new(Body::grow_for(skeleton, motion));
            known.push(Arc::downgrade(&grown));
            grown
        });
        self.keep(&body);
        body
    }

    /// Holds on to those used last and forgets those that nobody holds.
    fn keep(&mut self, body: &Arc<Body>) {
        self.kept.retain(|it| !Arc::ptr_eq(it, body));
        self.kept.insert(0, Arc::clone(body));
        self.kept.truncate(KEPT_BODIES);
        self.bodies.retain(|_, known| {
            known.retain(|it| it.strong_count() > 0);
            !known.is_empty()
        });
    }

    /// The body that a file brings, or else one that is grown for the poses of
    /// a motion.
    pub fn dressed(
        &mut self,
        skeleton: &Skeleton,
        model: Option<&Arc<CharacterMesh>>,
        motion: impl FnOnce() -> Vec<ModelPose>,
    ) -> Arc<Body> {
        let Some(model) = model else {
            return self.get(skeleton, &motion());
        };
        self.loaded.retain(|it| it.strong_count() > 0);
        let mut known = self.loaded.iter().filter_map(Weak::upgrade);
        let same = |it: &Arc<Body>| it.model().is_some_and(|own| Arc::ptr_eq(own, model));
        known.find(same).unwrap_or_else(|| {
            let body = Arc::new(Body::of_model(skeleton, model));
            self.loaded.push(Arc::downgrade(&body));
            body
        })
    }
}

/// Joints of a body turned by less than this, in radians, from where a motion
/// would have them do for that motion.
const CLOSE: f32 = 0.7;

/// Whether a body of the same skeleton does for a motion.
fn fits(skeleton: &Skeleton, body: &Body, motion: &[ModelPose]) -> bool {
    let Some(anatomy) = Anatomy::find(skeleton, motion) else {
        return judge::is_sound(skeleton, body, motion);
    };
    let Some(posed) = canonical(skeleton, &anatomy, motion) else {
        return true;
    };
    let posed = posed.rest_model();
    let mut pairs = posed.joints().iter().zip(body.joint_from_bind());
    pairs.all(|(own, bind)| {
        let off = angle_between(own.rotation, bind.rotation.conjugate());
        off < CLOSE
    })
}

/// Hash of all that shapes a body: names, hierarchy, rest pose, bone ends.
#[must_use]
pub fn shape_key(skeleton: &Skeleton) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    for joint in skeleton.joints() {
        joint.name.hash(&mut hasher);
        joint.parent.hash(&mut hasher);
        let rest = joint.rest;
        let numbers = [rest.position().to_array(), joint.tip.to_array()];
        let bits = numbers.iter().flatten().chain(rest.rotation.as_ref());
        bits.for_each(|number| number.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}
