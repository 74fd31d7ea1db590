//! Where feet and hips go on uneven ground, planned from how they go on flat
//! ground: moments before and after are known, so that a foot is high enough
//! before it meets a step, and hips go down before a leg is too short.
//!
//! A standing foot is moved over the ground by as little as lets its whole sole
//! lie on one surface (a tread, not its edge), and stands there exactly. Between
//! two stances it is nowhere lower than its motion has it above flat ground: the
//! highest ground that it meets nearby, averaged over the same time. Hips are
//! nowhere higher than the standing legs reach.

use std::ops::Range;

use glam::{Quat, Vec2, Vec3, Vec3A, Vec3Swizzles};

use super::{
    Ground,
    sole::{FootSample, FootTrack},
};
use crate::math::{ease::smoothstep, ik};

/// How far a standing foot is moved over the ground at most, metres, and in
/// which steps it is tried.
const SHIFT_M: f32 = 0.2;
const SHIFT_STEPS: i32 = 20;
/// What a metre of such a shift costs, in metres of unevenness below the sole.
const SHIFT_COST: f32 = 0.04;
/// Ground that is further from a plane than this below a foot is an edge, and
/// the foot stays level on it, metres.
const EDGE_M: f32 = 0.012;
/// Seconds around a moment in which the ground that a swinging foot meets counts.
const SWING_SECS: f32 = 0.14;
/// The same for hips.
const HIPS_SECS: f32 = 0.22;
/// Share of its length to which a standing leg is stretched at most, unless its
/// motion stretches it further.
const REACH: f32 = 0.985;
/// How much a foot that does not bear counts for the hips.
const IDLE: f32 = 0.02;
/// How far a standing foot is brought down or up to its ground, metres: contacts of
/// captures are told while the foot has risen by 5 cm already.
const SINK_M: f32 = 0.06;
/// Feet that stand within this distance stand in one place, metres.
const SAME_PLACE_M: f32 = 0.12;

/// What is done to one foot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootPlace {
    /// Over the ground, world X and Z, metres.
    pub shift: Vec2,
    /// Upwards, metres.
    pub lift_m: f32,
    /// About the ankle, world.
    pub tilt: Quat,
}

/// What is done to a body at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footing {
    /// Left first.
    pub feet: [FootPlace; 2],
    /// Hips upwards, metres.
    pub hips_m: f32,
}

/// Footings at an even rate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FootPlan {
    rate: f32,
    moments: Vec<Footing>,
}

/// Where a foot stood or is going to stand, world X and Z, and how it was shifted
/// there: whoever plans again and again as time goes by does not change the mind.
#[derive(Clone, Debug, Default)]
pub struct KnownShifts(Vec<(Vec2, Vec2)>);

impl KnownShifts {
    fn near(&self, place: Vec2) -> Option<Vec2> {
        let near = { self.0.iter() }.map(|(known, shift)| (known.distance(place), *shift));
        let near = near.filter(|(distance_m, _)| *distance_m < SAME_PLACE_M);
        near.min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, shift)| shift)
    }
}

/// One foot's stances and what was found for them.
struct Stances {
    runs: Vec<Range<usize>>,
    shifts: Vec<Vec2>,
    tilts: Vec<Quat>,
}

impl FootPlan {
    /// Plans for feet that were sampled `rate` times a second. Shifts that were
    /// found before are kept where they are still good.
    #[must_use]
    pub fn new(
        ground: &Ground,
        feet: &[FootTrack],
        rate: f32,
        known: &mut [KnownShifts; 2],
        lock: bool,
    ) -> Self {
        let moments = feet.iter().map(|track| track.samples.len()).min();
        let moments = moments.unwrap_or(0);
        let mut plan = Self {
            rate,
            moments: vec![Footing::default(); moments],
        };
        for (leg, (track, known)) in feet.iter().zip(known).enumerate() {
            let places = foot_places(ground, track, (rate, lock), known);
            for (moment, place) in plan.moments.iter_mut().zip(places) {
                moment.feet[leg] = place;
            }
        }
        plan.plan_hips(feet);
        plan
    }

    /// At a moment, seconds from the first.
    #[must_use]
    pub fn at(&self, secs: f64) -> Footing {
        let last = self.moments.len().saturating_sub(1);
        let position = (secs * f64::from(self.rate)).clamp(0.0, last as f64);
        let (base, share) = (position as usize, position.fract() as f32);
        let Some(a) = self.moments.get(base) else {
            return Footing::default();
        };
        let b = self.moments.get(base + 1).unwrap_or(a);
        let mix = |a: f32, b: f32| a + (b - a) * share;
        Footing {
            feet: [0, 1].map(|leg| FootPlace {
                shift: a.feet[leg].shift.lerp(b.feet[leg].shift, share),
                lift_m: mix(a.feet[leg].lift_m, b.feet[leg].lift_m),
                tilt: a.feet[leg].tilt.slerp(b.feet[leg].tilt, share),
            }),
            hips_m: mix(a.hips_m, b.hips_m),
        }
    }

    fn plan_hips(&mut self, feet: &[FootTrack]) {
        let highest = |moment: usize| {
            let (mut wanted, mut all, mut bound) = (0.0, 0.0, f32::MAX);
            for (leg, track) in feet.iter().enumerate().take(2) {
                let foot = &track.samples[moment];
                let place = &self.moments[moment].feet[leg];
                let weight = if foot.planted { 1.0 } else { IDLE };
                wanted += weight * place.lift_m;
                all += weight;
                if foot.planted {
                    bound = bound.min(hips_bound_m(foot, place, track.leg_m));
                }
            }
            (wanted / all.max(IDLE)).min(bound)
        };
        let highest: Vec<f32> = (0..self.moments.len()).map(highest).collect();
        let radius = vec![(HIPS_SECS * self.rate) as usize; highest.len()];
        let hips = envelope(&highest, &radius, f32::min);
        for (moment, hips_m) in self.moments.iter_mut().zip(hips) {
            moment.hips_m = hips_m;
        }
    }
}

/// How far up hips can go before a leg no longer reaches its foot's place.
fn hips_bound_m(foot: &FootSample, place: &FootPlace, leg_m: f32) -> f32 {
    let own_m = foot.hip.distance(foot.ankle);
    let reach_m = (REACH * leg_m).max(own_m);
    let ankle = foot.ankle + Vec3A::new(place.shift.x, place.lift_m, place.shift.y);
    let aside_m = (foot.hip - ankle).with_y(0.0).length();
    let up_m = (reach_m * reach_m - aside_m * aside_m).max(0.0).sqrt();
    ankle.y + up_m - foot.hip.y
}

fn foot_places(
    ground: &Ground,
    track: &FootTrack,
    (rate, lock): (f32, bool),
    known: &mut KnownShifts,
) -> Vec<FootPlace> {
    let stances = Stances::find(ground, &track.samples, known);
    let sinks = stances.sinks(track);
    let drifts = stances.drifts(track, lock);
    let track = &track.samples;
    let mut places: Vec<FootPlace> = { 0..track.len() }
        .map(|moment| {
            let place = stances.between(moment);
            FootPlace {
                shift: place.shift - drifts[moment],
                ..place
            }
        })
        .collect();
    let lifts: Vec<f32> = { track.iter().zip(&places).zip(sinks) }
        .map(|((foot, place), sink_m)| lift_m(ground, foot, place) - sink_m)
        .collect();
    // Nothing is smoothed where a foot stands or has just left the ground, and less
    // the nearer it is to standing: it comes down exactly.
    let most = (SWING_SECS * rate) as usize;
    let radius: Vec<usize> = { 0..track.len() }
        .map(|moment| stances.away(moment).saturating_sub(1).min(most))
        .collect();
    let lifts = envelope(&lifts, &radius, f32::max);
    for (place, lift_m) in places.iter_mut().zip(lifts) {
        place.lift_m = lift_m;
    }
    places
}

/// How far a foot has to go up so that no part of its sole is nearer to the
/// ground than it was to the flat one.
fn lift_m(ground: &Ground, foot: &FootSample, place: &FootPlace) -> f32 {
    let lift = |point: &Vec3A| {
        let arm = *point - foot.ankle;
        let by = place.tilt * arm - arm;
        let at = *point + by + Vec3A::new(place.shift.x, 0.0, place.shift.y);
        ground.rise_m(at.x, at.z) - by.y
    };
    foot.sole.iter().map(lift).fold(f32::MIN, f32::max)
}

impl Stances {
    fn find(ground: &Ground, track: &[FootSample], known: &mut KnownShifts) -> Self {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for moment in (0..track.len()).filter(|&moment| track[moment].planted) {
            match runs.last_mut() {
                Some(run) if run.end == moment => run.end += 1,
                _ => runs.push(moment..moment + 1),
            }
        }
        let (sin, cos) = ground.heading_rad.sin_cos();
        let ahead = Vec2::new(sin, cos);
        let mut found = KnownShifts::default();
        let (shifts, tilts) = { runs.iter() }
            .map(|run| {
                let feet = &track[run.clone()];
                let sole: Vec<Vec3A> = feet.iter().flat_map(|foot| foot.sole).collect();
                let balls = feet.iter().map(|foot| foot.sole[1].xz());
                let place = balls.sum::<Vec2>() / feet.len().max(1) as f32;
                let (shift, tilt) = settle(ground, &sole, ahead, known.near(place));
                found.0.push((place, shift));
                (shift, tilt)
            })
            .unzip();
        *known = found;
        Self {
            runs,
            shifts,
            tilts,
        }
    }

    /// How far a foot floats above where it stands, moment by moment: captures
    /// are noisy, and no ground forgives it. Between stances on the way from one
    /// to the next.
    fn sinks(&self, track: &FootTrack) -> Vec<f32> {
        // Rolling off, a foot stands on its toes alone.
        let above_m = |moment: usize| {
            let points = track.samples[moment].sole.iter().zip(track.standing_m);
            let above_m = points.map(|(at, stands_m)| at.y - stands_m);
            above_m.fold(f32::MAX, f32::min)
        };
        let float_m =
            |_: usize, moment: usize| Vec2::new(above_m(moment).clamp(-SINK_M, SINK_M), 0.0);
        let floats = self.handed_on(track.samples.len(), float_m).into_iter();
        // In the air no foot is brought below the floor that it is above.
        let sinks = floats.enumerate();
        sinks
            .map(|(moment, sink)| sink.x.min(above_m(moment).max(0.0)))
            .collect()
    }

    /// How far a foot slides from where it came to stand, world X and Z, where
    /// that is to be undone.
    fn drifts(&self, track: &FootTrack, lock: bool) -> Vec<Vec2> {
        let drift = |stance: usize, moment: usize| {
            let run = &self.runs[stance];
            let ball = |moment: usize| track.samples[moment].sole[1].xz();
            // The middle of a stance neither rolls in nor out.
            (ball(moment) - ball((run.start + run.end) / 2)).clamp_length_max(SHIFT_M)
        };
        match lock {
            true => self.handed_on(track.samples.len(), drift),
            false => vec![Vec2::ZERO; track.samples.len()],
        }
    }

    /// What holds of a stance's moments, handed on from one stance to the next
    /// between them.
    fn handed_on(&self, moments: usize, of: impl Fn(usize, usize) -> Vec2) -> Vec<Vec2> {
        let at = |moment: usize| {
            let after = self.runs.partition_point(|run| run.end <= moment);
            let before = after.checked_sub(1);
            let end = before.map(|before| (before, self.runs[before].end - 1));
            match (end, self.runs.get(after)) {
                (_, Some(run)) if run.contains(&moment) => of(after, moment),
                (Some((before, end)), Some(run)) => {
                    let share = (moment - end) as f32 / (run.start - end).max(1) as f32;
                    of(before, end).lerp(of(after, run.start), smoothstep(share))
                }
                (Some((before, end)), None) => of(before, end),
                (None, Some(run)) => of(after, run.start),
                (None, None) => Vec2::ZERO,
            }
        };
        (0..moments).map(at).collect()
    }

    /// Frames to the nearest stance; 0 within one.
    fn away(&self, moment: usize) -> usize {
        let away = |run: &Range<usize>| match moment {
            before if before < run.start => run.start - before,
            after if after >= run.end => after - (run.end - 1),
            _ => 0,
        };
        self.runs.iter().map(away).min().unwrap_or(usize::MAX)
    }

    /// Shift and tilt at a moment: a stance's own, or on the way from one to the
    /// next.
    fn between(&self, moment: usize) -> FootPlace {
        let after = self.runs.partition_point(|run| run.end <= moment);
        let stance = |index: usize| FootPlace {
            shift: self.shifts[index],
            lift_m: 0.0,
            tilt: self.tilts[index],
        };
        let before = after.checked_sub(1);
        match (before, self.runs.get(after)) {
            (None, None) => FootPlace::default(),
            (Some(before), None) => stance(before),
            (None, Some(_)) => stance(after),
            (Some(_), Some(run)) if run.contains(&moment) => stance(after),
            (Some(before), Some(run)) => {
                let from = self.runs[before].end - 1;
                let share = (moment - from) as f32 / (run.start - from).max(1) as f32;
                let (a, b, share) = (stance(before), stance(after), smoothstep(share));
                FootPlace {
                    shift: a.shift.lerp(b.shift, share),
                    lift_m: 0.0,
                    tilt: a.tilt.slerp(b.tilt, share),
                }
            }
        }
    }
}

/// The least shift that lays a sole's way through a stance on one surface, and
/// the tilt of that surface.
fn settle(ground: &Ground, sole: &[Vec3A], ahead: Vec2, known: Option<Vec2>) -> (Vec2, Quat) {
    let tries = (-SHIFT_STEPS..=SHIFT_STEPS)
        .map(|step| ahead * (SHIFT_M * step as f32 / SHIFT_STEPS as f32));
    let cost = |shift: Vec2| {
        let (slope, off_m) = plane(ground, sole, shift);
        // A foot stays level on what is no plane.
        let level = off_m > EDGE_M;
        let off_m = if level {
            uneven_m(ground, sole, shift)
        } else {
            off_m
        };
        let slope = if level { Vec2::ZERO } else { slope };
        (off_m + SHIFT_COST * shift.length(), shift, slope)
    };
    let best = tries.map(cost).min_by(|a, b| a.0.total_cmp(&b.0));
    let best = best.unwrap_or_default();
    let known = known.map(cost).filter(|known| known.0 < best.0 + EDGE_M);
    let (_, shift, slope) = known.unwrap_or(best);
    let normal = Vec3A::new(-slope.x, 1.0, -slope.y);
    (shift, ik::arc(Vec3A::Y, normal))
}

/// The difference of the highest and the lowest ground below a sole.
fn uneven_m(ground: &Ground, sole: &[Vec3A], shift: Vec2) -> f32 {
    let heights = { sole.iter() }.map(|p| ground.rise_m(p.x + shift.x, p.z + shift.y));
    let (least, most) = heights.fold((f32::MAX, f32::MIN), |(a, b), h| (a.min(h), b.max(h)));
    most - least
}

/// The slope along X and Z of the ground below a sole by least squares, and how
/// far it is from that plane at most.
fn plane(ground: &Ground, sole: &[Vec3A], shift: Vec2) -> (Vec2, f32) {
    let at = |p: &Vec3A| {
        let (x, z) = (p.x + shift.x, p.z + shift.y);
        Vec3::new(x, ground.rise_m(x, z), z)
    };
    let count = sole.len().max(1) as f32;
    let mean = sole.iter().map(at).sum::<Vec3>() / count;
    // A sole is narrow: little slope across is read from it, by a weight of a square
    // centimetre that holds the plane level there.
    let (mut xx, mut zz, mut xz) = (1e-4 * count, 1e-4 * count, 0.0);
    let (mut xy, mut zy) = (0.0, 0.0);
    for from in sole.iter().map(|p| at(p) - mean) {
        xx += from.x * from.x;
        zz += from.z * from.z;
        xz += from.x * from.z;
        xy += from.x * from.y;
        zy += from.z * from.y;
    }
    let determinant = (xx * zz - xz * xz).max(1e-9);
    let slope = Vec2::new(xy * zz - zy * xz, zy * xx - xy * xz) / determinant;
    let off = |from: Vec3| (from.y - slope.x * from.x - slope.y * from.z).abs();
    let off_m = { sole.iter() }
        .map(|p| off(at(p) - mean))
        .fold(0.0, f32::max);
    (slope, off_m)
}

/// The calmest curve that is nowhere below `needed` (`f32::max`) or above it
/// (`f32::min`): the extreme of a window around each moment, averaged over half
/// that window by a raised cosine. Where windows grow by at most one moment from
/// one to the next, every averaged window holds the moment itself.
fn envelope(needed: &[f32], radius: &[usize], extreme: fn(f32, f32) -> f32) -> Vec<f32> {
    let last = needed.len().saturating_sub(1);
    let around = |moment: usize, radius: usize| {
        moment.saturating_sub(radius)..=moment.saturating_add(radius).min(last)
    };
    let outer: Vec<f32> = { 0..needed.len() }
        .map(|moment| {
            let window = around(moment, radius[moment]);
            window.map(|i| needed[i]).fold(needed[moment], extreme)
        })
        .collect();
    let mean = |moment: usize| {
        let half = radius[moment] / 2;
        let (mut sum, mut all) = (0.0, 0.0);
        for i in around(moment, half) {
            let share = (i as f32 - moment as f32) / (half + 1) as f32;
            let weight = 1.0 + (share * std::f32::consts::PI).cos();
            sum += weight * outer[i];
            all += weight;
        }
        sum / all
    };
    (0..needed.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_nowhere_below_what_is_needed_and_meets_it_where_it_stands() {
        let mut needed = vec![0.0; 60];
        needed[30..].fill(0.18);
        // Stances end at 20 and begin at 45.
        let radius: Vec<usize> = (0..60usize)
            .map(|i| i.saturating_sub(20).min(45usize.saturating_sub(i)).min(8))
            .collect();
        let curve = envelope(&needed, &radius, f32::max);
        for (moment, (shown, needed)) in curve.iter().zip(&needed).enumerate() {
            assert!(shown >= &(needed - 1e-6), "{moment}");
        }
        assert_eq!(curve[20], 0.0);
        assert_eq!(curve[45], 0.18);
        let steepest = curve.windows(2).map(|w| w[1] - w[0]).fold(0.0, f32::max);
        assert!(steepest < 0.07, "{steepest}");
    }
}
