//! What "moves like a person" means in numbers: every clip is measured on the
//! channel values its file holds.

mod balance;
mod body;
mod contact;
mod motion;

use std::fmt;

use super::{
    clip::{Clip, Kind},
    rig::{Rig, World},
};

/// One measured quantity and the bound it has to keep.
pub struct Measure {
    /// Stem of the clip.
    pub clip: &'static str,
    /// What was measured, with its unit.
    pub what: &'static str,
    /// The worst value found.
    pub value: f64,
    /// Inclusive bounds.
    pub bounds: [f64; 2],
}

impl Measure {
    /// Within bounds, and a number.
    pub fn passes(&self) -> bool {
        (self.bounds[0]..=self.bounds[1]).contains(&self.value)
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passes() { "ok  " } else { "FAIL" };
        let Self {
            clip,
            what,
            value,
            bounds: [low, high],
        } = self;
        write!(
            f,
            "{verdict} {clip:<12} {what:<48} {value:>9.3}  in {low} ..= {high}"
        )
    }
}

/// A clip with every frame's forward kinematics at hand.
pub struct Film<'a> {
    /// The skeleton.
    pub rig: &'a Rig,
    /// The clip.
    pub clip: &'a Clip,
    /// One per frame.
    pub worlds: Vec<World>,
}

impl Film<'_> {
    fn measure(&self, what: &'static str, value: f64, bounds: [f64; 2]) -> Measure {
        Measure {
            clip: self.clip.name,
            what,
            value,
            bounds,
        }
    }

    fn at_most(&self, what: &'static str, value: f64, most: f64) -> Measure {
        self.measure(what, value, [f64::NEG_INFINITY, most])
    }

    fn at_least(&self, what: &'static str, value: f64, least: f64) -> Measure {
        self.measure(what, value, [least, f64::INFINITY])
    }
}

/// Everything there is to measure on a clip.
pub fn measure(rig: &Rig, clip: &Clip) -> Vec<Measure> {
    let worlds = clip.frames.iter().map(|frame| rig.world(frame)).collect();
    let film = Film { rig, clip, worlds };
    if film.clip.kind == Kind::Difference {
        // Whose feet, balance and loop count is what it is laid over.
        return body::measure(&film);
    }
    if film.clip.kind == Kind::GetUp {
        // It lies, sits and kneels: neither feet nor balance are a walker's.
        let mut measures = body::measure(&film);
        measures.push(contact::out_of_ground(&film));
        return measures;
    }
    let mut measures = contact::measure(&film);
    measures.extend(motion::measure(&film));
    measures.extend(body::measure(&film));
    measures.extend(balance::measure(&film));
    measures
}

/// The largest of some numbers.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// The smallest of some numbers.
fn smallest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}
