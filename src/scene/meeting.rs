//! Characters that meet: joints that go to what others have, and whole characters
//! put where something of theirs belongs.
//!
//! Whoever meets somebody is posed after everybody has moved, so that a hand is
//! where the other's is now and not where it was a picture ago. Who go to each
//! other take turns, in the order of the scene: the last one arrives.

use glam::{DVec2, Vec3};

use super::{Character, Scene};
use crate::{
    animator::cast::LEAD, clip::Planar, math::Transform, posing::StandAction, skeleton::JointIndex,
};

impl Character {
    /// Where a locator of its own, a place of its file or a joint is in the world.
    #[must_use]
    pub fn locate(&self, name: &str) -> Option<Transform> {
        let model = &self.model;
        self.posing.locate(&self.skeleton, name, self.placed, model)
    }

    /// Where locators that somebody gave it are, by name.
    pub fn locators(&self) -> impl Iterator<Item = (&str, Transform)> {
        let names = self.posing.locators().iter().map(|it| it.name.as_str());
        names.filter_map(|name| Some((name, self.locate(name)?)))
    }

    /// Stands by something of its own, where that was asked for; true if it was.
    pub(super) fn stand_by_own(&mut self) -> bool {
        let wanted = self.posing.wanted_stand();
        if wanted.is_none_or(|wanted| wanted.goal.of.is_some()) {
            return false;
        }
        let wanted = self.posing.take_stand();
        let goal = wanted.as_ref().and_then(|it| self.locate(&it.goal.locator));
        wanted.is_some_and(|wanted| self.stand_so(&wanted, goal))
    }

    /// Puts it where its own place, seen from above, is at another and looks the
    /// same way; true if there are both.
    fn stand_so(&mut self, wanted: &StandAction, goal: Option<Transform>) -> bool {
        let (Some(own), Some(goal)) = (self.locate(&wanted.own), goal) else {
            return false;
        };
        let (own, goal) = (from_above(own), from_above(goal));
        let driven_root = self.animator().map(|animator| animator.root_at_tick());
        // W' · W⁻¹ · own = goal, whatever W is: of a clip its origin, of what is
        // driven the root, in the space that the character's offset makes.
        match driven_root {
            Some(root) => {
                let world_from_root = self.world_planar().then(root);
                let moved = goal.then(world_from_root.until(own).inverse());
                let root = self.world_planar().until(moved);
                if let Some(animator) = self.animator_mut() {
                    animator.set_root(root);
                }
            }
            None => {
                let moved = goal.then(self.world_planar().until(own).inverse());
                self.set_planar(moved);
                self.plan_feet();
            }
        }
        true
    }
}

impl Scene {
    /// Poses those anew who meet others, now that all have moved.
    pub(super) fn meet_up(&mut self, now_secs: f64) {
        for index in 0..self.characters.len() {
            let stands = self.characters[index].stand_by_own() || self.stand_by_other(index);
            let meets = self.tell_met(index);
            if stands || meets {
                self.characters[index].advance_to(now_secs);
            }
        }
    }

    fn stand_by_other(&mut self, index: usize) -> bool {
        let wanted = self.characters[index].posing.take_stand();
        let goal = wanted.as_ref().and_then(|wanted| {
            let of = wanted.goal.of.as_deref()?;
            self.named(index, of)?.locate(&wanted.goal.locator)
        });
        wanted.is_some_and(|wanted| self.characters[index].stand_so(&wanted, goal))
    }

    /// Tells a character where what it goes to is now; false if that is nothing.
    fn tell_met(&mut self, index: usize) -> bool {
        let met = self.characters[index].posing.met_elsewhere();
        let places: Vec<(JointIndex, Option<Transform>)> = met
            .map(|(joint, locator, of)| {
                let other = self.named(index, of);
                (joint, other.and_then(|other| other.locate(locator)))
            })
            .collect();
        let posing = &mut self.characters[index].posing;
        { places.iter() }.for_each(|(joint, place)| posing.see(*joint, *place));
        !places.is_empty()
    }

    /// Somebody else, by the word of a script.
    pub(super) fn named(&self, than: usize, name: &str) -> Option<&Character> {
        let mut others = self.characters.iter().enumerate();
        let named = others.find(|(other, it)| {
            let is_lead = *other == 0 && name == LEAD;
            *other != than && (is_lead || it.name.replace(' ', "_") == name)
        });
        named.map(|(_, other)| other)
    }
}

/// Where a place is and where its +Z looks, seen from above.
fn from_above(place: Transform) -> Planar {
    let ahead = place.rotation * Vec3::Z;
    // What looks straight up or down looks where its top does.
    let level = match ahead.x.hypot(ahead.z) > 0.1 {
        true => ahead,
        false => place.rotation * Vec3::Y,
    };
    Planar {
        position: DVec2::new(place.translation.x.into(), place.translation.z.into()),
        heading: f64::from(level.x.atan2(level.z)),
    }
}
