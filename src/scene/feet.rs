//! Feet on uneven ground: what is known of them, for clips from beginning to end,
//! for what is driven some moments before and after now.

use std::collections::VecDeque;

use glam::{Vec2, Vec3};

use crate::{
    animator::{Animator, TICK_RATE},
    clip::FootContacts,
    math::{Spring, Transform, quat},
    posing::{FootPlace, FootPlan, FootSample, FootTrack, Footing, Ground, KnownShifts, Sole},
    skeleton::{LocalPose, ModelPose},
};

/// Moments a second at which feet are looked at.
pub(super) const RATE: f64 = 60.0;
/// Moments that are remembered of what is driven.
const PAST: usize = 24;
/// Seconds that are looked ahead of it.
const AHEAD_SECS: f64 = 0.5;
/// The animation is asked so many times on the way there.
const AHEAD_POSES: usize = 10;
/// Seconds in which what holds a driven foot is forgotten ahead.
const HELD_SECS: f64 = 0.3;

/// Both feet over a whole clip, or at rest; when they stand is found.
pub(super) fn tracks(soles: &[Sole], moments: &[Vec<FootSample>]) -> Vec<FootTrack> {
    let mut tracks: Vec<FootTrack> = { soles.iter().enumerate() }
        .map(|(leg, sole)| FootTrack {
            samples: moments.iter().map(|feet| feet[leg]).collect(),
            leg_m: sole.leg_m,
            standing_m: [0.0; 3],
        })
        .collect();
    for track in &mut tracks {
        // Heel and ball each bear for a part of a stance.
        let paths = [0, 1].map(|point| track.samples.iter().map(|it| it.sole[point]).collect());
        let (contacts, _) = FootContacts::of_paths(&paths, RATE, false, 0.0);
        for (moment, foot) in track.samples.iter_mut().enumerate() {
            let secs = moment as f64 / RATE;
            foot.planted = contacts.iter().any(|it| it.planted(secs)) || moments.len() == 1;
        }
        track.standing_m = [0, 1, 2].map(|point| {
            let standing = track.samples.iter().filter(|foot| foot.planted);
            low(standing.map(|foot| foot.sole[point].y).collect())
        });
    }
    tracks
}

/// The tenth percentile: one dip of a marker is no floor.
fn low(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 10).copied().unwrap_or(0.0)
}

/// The feet of somebody who is driven.
#[derive(Debug, Default)]
pub(super) struct DrivenFeet {
    /// Both feet on flat ground, oldest first; the last is now.
    past: VecDeque<[FootSample; 2]>,
    known: [KnownShifts; 2],
    /// Seconds of the first moment of the plan.
    from_secs: f64,
    plan: FootPlan,
    /// What is left of plans before it, at the last look.
    rest: PlanRest,
    looked_secs: f64,
    /// What was shown at the last look and the one before.
    seen: [Footing; 2],
    pose: LocalPose,
    model: ModelPose,
}

impl DrivenFeet {
    /// Looks at feet that stand as the animator has them now, and plans anew.
    pub fn look(
        &mut self,
        (animator, offset): (&mut Animator, Transform),
        soles: &[Sole],
        ground: &Ground,
        now: (&ModelPose, Transform),
    ) {
        if soles.len() < 2 {
            return;
        }
        let ahead = [0, 1].map(|leg| animator.stance_ahead(leg));
        let sampled = [0, 1].map(|leg| FootSample {
            planted: ahead[leg].planted,
            ..soles[leg].sample(now.0, now.1)
        });
        self.past.push_back(sampled);
        if self.past.len() > PAST {
            self.past.pop_front();
        }
        let future = self.future((animator, offset), soles, sampled);
        let standing_m = animator.graph().sole_m + offset.translation.y;
        let track = |leg: usize| {
            let past = self.past.iter().map(|feet| feet[leg]);
            let future = future.iter().enumerate().map(|(index, feet)| {
                let secs = (index + 1) as f64 / RATE;
                FootSample {
                    planted: ahead[leg].stands_at(secs),
                    ..feet[leg]
                }
            });
            FootTrack {
                samples: past.chain(future).collect(),
                leg_m: soles[leg].leg_m,
                standing_m: [standing_m, standing_m, standing_m + soles[leg].tip_m],
            }
        };
        let tracks = [0, 1].map(track);
        let now_secs = animator.time_secs();
        self.from_secs = now_secs - (self.past.len() - 1) as f64 / RATE;
        self.plan = FootPlan::new(ground, &tracks, RATE as f32, &mut self.known, false);
        let planted = sampled.map(|foot| foot.planted);
        let since_secs = now_secs - self.looked_secs;
        self.rest = match self.past.len() > 2 && since_secs < 1.5 / RATE {
            true => {
                // What was seen at the last look, against what is thought of it now.
                let known = [self.looked_secs, self.looked_secs - 1.0 / RATE];
                let thought = known.map(|secs| self.planned(secs));
                let mut rest = PlanRest::between(self.seen, thought, planted);
                rest.fade(since_secs);
                rest
            }
            false => PlanRest::default(),
        };
        self.looked_secs = now_secs;
        self.seen = [self.at(now_secs), self.seen[0]];
    }

    /// Both feet from now on, a moment each, as the animation goes on.
    fn future(
        &mut self,
        (animator, offset): (&mut Animator, Transform),
        soles: &[Sole],
        now: [FootSample; 2],
    ) -> Vec<[FootSample; 2]> {
        let mut at = |secs: f64| {
            let placed = animator.pose_ahead(secs, &mut self.pose, &mut self.model);
            [0, 1].map(|leg| soles[leg].sample(&self.model, offset * placed))
        };
        let step_secs = AHEAD_SECS / AHEAD_POSES as f64;
        let knots: Vec<[FootSample; 2]> = { 0..=AHEAD_POSES }
            .map(|index| at(index as f64 * step_secs))
            .collect();
        let moments = (AHEAD_SECS * RATE) as usize;
        let between = |moment: usize| {
            let secs = moment as f64 / RATE;
            let position = (secs / step_secs).min(AHEAD_POSES as f64 - 1e-6);
            let (base, share) = (position as usize, position.fract() as f32);
            // What holds a foot now holds it for a while.
            let held = (1.0 - secs / HELD_SECS).max(0.0) as f32;
            [0, 1].map(|leg| {
                let ahead = mix(&knots[base][leg], &knots[base + 1][leg], share);
                moved(&ahead, &knots[0][leg], &now[leg], held)
            })
        };
        (1..=moments).map(between).collect()
    }

    /// Where feet and hips go at a moment near to the last look.
    pub fn at(&self, secs: f64) -> Footing {
        let mut rest = self.rest;
        rest.fade((secs - self.looked_secs).max(0.0));
        rest.added_to(self.planned(secs))
    }

    fn planned(&self, secs: f64) -> Footing {
        self.plan.at(secs - self.from_secs)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.past.clear();
        self.plan = FootPlan::default();
    }
}

fn mix(a: &FootSample, b: &FootSample, share: f32) -> FootSample {
    FootSample {
        hip: a.hip.lerp(b.hip, share),
        ankle: a.ankle.lerp(b.ankle, share),
        sole: [0, 1, 2].map(|point| a.sole[point].lerp(b.sole[point], share)),
        planted: false,
    }
}

/// A foot moved by a share of what lies between two others.
fn moved(foot: &FootSample, from: &FootSample, to: &FootSample, share: f32) -> FootSample {
    let by = (to.ankle - from.ankle) * share;
    FootSample {
        ankle: foot.ankle + by,
        sole: foot.sole.map(|point| point + by),
        ..*foot
    }
}

/// Seconds in which half is forgotten of what a plan had otherwise: of a foot that
/// stands, of one that swings, of the hips.
const STANDING_HALF_LIFE_SECS: f64 = 0.02;
const SWING_HALF_LIFE_SECS: f64 = 0.04;
const HIPS_HALF_LIFE_SECS: f64 = 0.08;

/// What is left of plans before the present one. Who is driven changes their mind:
/// a key is pressed, and feet are going to stand elsewhere. Nothing jumps then: the
/// difference dies out, of the hips with the velocity it had. A foot that begins to
/// step begins at once, or it would be carried on into the ground.
#[derive(Clone, Copy, Debug, Default)]
struct PlanRest {
    feet: [[Spring; 6]; 2],
    hips: Spring,
    planted: [bool; 2],
}

/// Shift, lift and tilt of a foot as numbers.
fn numbers(place: &FootPlace, from: &FootPlace) -> [f64; 6] {
    let shift = place.shift - from.shift;
    let tilt = quat::log((place.tilt * from.tilt.conjugate()).normalize());
    let lift_m = place.lift_m - from.lift_m;
    [shift.x, shift.y, lift_m, tilt.x, tilt.y, tilt.z].map(f64::from)
}

impl PlanRest {
    fn fade(&mut self, secs: f64) {
        for (springs, planted) in self.feet.iter_mut().zip(self.planted) {
            let half_life_secs = match planted {
                true => STANDING_HALF_LIFE_SECS,
                false => SWING_HALF_LIFE_SECS,
            };
            springs
                .iter_mut()
                .for_each(|it| it.follow(0.0, half_life_secs, secs));
        }
        self.hips.follow(0.0, HIPS_HALF_LIFE_SECS, secs);
    }

    /// What was seen beyond what is thought of the same moments now; both with the
    /// moment before.
    fn between(seen: [Footing; 2], thought: [Footing; 2], planted: [bool; 2]) -> Self {
        let feet = [0, 1].map(|leg| {
            let beyond = numbers(&seen[0].feet[leg], &thought[0].feet[leg]);
            beyond.map(Spring::at)
        });
        let [now, before] = [0, 1].map(|at| f64::from(seen[at].hips_m - thought[at].hips_m));
        let hips = Spring {
            value: now,
            velocity: (now - before) * RATE,
        };
        Self {
            feet,
            hips,
            planted,
        }
    }

    fn added_to(&self, mut footing: Footing) -> Footing {
        for (place, springs) in footing.feet.iter_mut().zip(&self.feet) {
            let [x, z, lift_m, a, b, c] = springs.map(|it| it.value as f32);
            place.shift += Vec2::new(x, z);
            place.lift_m += lift_m;
            place.tilt = (quat::exp(Vec3::new(a, b, c)) * place.tilt).normalize();
        }
        footing.hips_m += self.hips.value as f32;
        footing
    }
}

/// Ticks between two looks.
pub(super) const LOOK_TICKS: u64 = (TICK_RATE / RATE) as u64;
