//! Feet on uneven ground: what is known of them, for clips from beginning to end,
//! for what is driven some moments before and after now.

use std::collections::VecDeque;

use crate::{
    animator::{Animator, TICK_RATE},
    clip::FootContacts,
    math::Transform,
    posing::{FootPlan, FootSample, FootTrack, Footing, Ground, KnownShifts, Sole},
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
            standing_m: [0.0; 2],
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
        track.standing_m = [0, 1].map(|point| {
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
                standing_m: [standing_m; 2],
            }
        };
        let tracks = [0, 1].map(track);
        self.from_secs = animator.time_secs() - (self.past.len() - 1) as f64 / RATE;
        self.plan = FootPlan::new(ground, &tracks, RATE as f32, &mut self.known, false);
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

/// Ticks between two looks.
pub(super) const LOOK_TICKS: u64 = (TICK_RATE / RATE) as u64;
