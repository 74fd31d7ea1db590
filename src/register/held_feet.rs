//! What the feet of a blend are to do: stand where its motions stand.
//!
//! While a foot stands, each motion's own foot stays near one point, but rolls
//! and creeps about it. The blend does the mean of that, about one point of its
//! own, without the small creeping: a foot that all but stands is held, one
//! that is dragged or turned goes on being dragged.

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::{
    Blend, BlendContact,
    blend::BlendCursor,
    contacts::MatchedContact,
    foot_lock::{Foot, Stance},
};
use crate::{clip::SampleClip, math::ease::smoothstep, skeleton::LocalPose};

/// A stance of the blend, from strike to lift.
pub(super) struct WholeStance<'a> {
    pub contact: &'a MatchedContact,
    /// In the blend's seconds.
    pub span_secs: [f64; 2],
}

/// Where one motion has all but this much of the weight, its own feet begin to
/// be trusted; where it has all, they are left alone.
const TRUST: f64 = 0.08;
/// Creeping within about this far of the point is held still, metres.
const CREEP_M: f64 = 0.024;
/// A foot within this far of its point stands, metres; beyond it rolls.
const STANDS_M: f64 = 0.006;
/// A foot is held while its own way leads no further from where it stands,
/// metres.
const REACH_M: f64 = 0.1;
/// … and no faster to or from it, metres a second: it would be stopped dead.
const REACH_SPEED: f64 = 0.8;
/// A foot that stands for less than this does not, seconds.
const SHORTEST_SECS: f64 = 0.06;
/// What a foot does beyond its stance counts for about this long, seconds.
const LETS_GO_SECS: f64 = 0.1;
/// How far beyond its ends a stance has to be known, seconds.
const MARGIN_SECS: f64 = 0.1;

/// The stances that a blend keeps, and what each leg's foot is moved by, frame
/// by frame; nothing where all feet are left alone.
pub(super) fn held(
    blend: &Blend,
    stances: &[WholeStance<'_>],
) -> (Vec<BlendContact>, Vec<Vec<DVec3>>) {
    let balls = Balls::of(blend);
    let (mut contacts, mut offsets, mut any) = (Vec::new(), Vec::new(), false);
    for leg in 0..blend.registration().legs.len() {
        let own = stances.iter().filter(|it| it.contact.leg == leg);
        let mut held = Vec::new();
        for whole in own {
            let stance = balls.stance(blend, whole);
            contacts.extend(balls.kept(blend, whole, &stance));
            held.push(stance);
        }
        any |= held.iter().any(|stance| stance.strength > 0.0);
        let foot = Foot {
            own: &balls.own[leg],
            heights_m: &balls.heights_m[leg],
            stances: &held,
            fps: blend.fps(),
        };
        offsets.push(foot.offsets());
    }
    (contacts, if any { offsets } else { Vec::new() })
}

/// Balls of the feet, for each leg and frame.
struct Balls {
    /// Of the blend before it is held.
    own: Vec<Vec<DVec3>>,
    /// The mean height that the motions have them at.
    heights_m: Vec<Vec<f64>>,
    /// Of each motion (leg, motion, frame), over the ground of its own world.
    sources: Vec<Vec<Vec<DVec2>>>,
    /// The turn from a motion's world to the blend's (motion, frame).
    turns: Vec<Vec<f64>>,
}

impl Balls {
    fn of(blend: &Blend) -> Self {
        let registration = blend.registration();
        let (legs, motions) = (registration.legs.len(), registration.motions().len());
        let mut balls = Self {
            own: vec![Vec::new(); legs],
            heights_m: vec![Vec::new(); legs],
            sources: vec![vec![Vec::new(); motions]; legs],
            turns: vec![Vec::new(); motions],
        };
        let mut cursor = BlendCursor::default();
        let mut pose = LocalPose::default();
        for frame in 0..blend.frames() {
            balls.add_frame(blend, frame, &mut cursor, &mut pose);
        }
        balls
    }

    fn add_frame(
        &mut self,
        blend: &Blend,
        frame: usize,
        cursor: &mut BlendCursor,
        pose: &mut LocalPose,
    ) {
        let registration = blend.registration();
        let skeleton = registration.skeleton();
        let at = blend.segment(frame as f64 / blend.fps());
        let share = blend.share(at.0, at.1);
        let mut heights = vec![0.0; self.own.len()];
        for motion in 0..self.turns.len() {
            blend.motion_pose(skeleton, motion, at, pose);
            cursor.model.compute(skeleton, pose);
            let [place, blended] = blend.places_at(motion, at);
            self.turns[motion].push(blended.heading - place.heading);
            let weight = blend.weights().at(share, motion);
            for (leg, chain) in registration.legs.iter().enumerate() {
                let ball = cursor.model.joints()[usize::from(chain.joints.ball)].translation;
                let ground = DVec2::new(ball.x.into(), ball.z.into());
                self.sources[leg][motion].push(place.position + place.rotate(ground));
                heights[leg] += weight * f64::from(ball.y);
            }
        }
        blend.free_pose(skeleton, at, cursor, pose);
        cursor.model.compute(skeleton, pose);
        for (leg, chain) in registration.legs.iter().enumerate() {
            let ball = cursor.model.joints()[usize::from(chain.joints.ball)];
            self.own[leg].push(ball.translation.as_dvec3());
            self.heights_m[leg].push(heights[leg]);
        }
    }

    fn stance(&self, blend: &Blend, whole: &WholeStance<'_>) -> Stance {
        let fps = blend.fps();
        let last = blend.frames().saturating_sub(1);
        let frame = |secs: f64| ((secs * fps).round().max(0.0) as usize).min(last);
        let [start, end] = whole.span_secs;
        let quarter = (end - start) / 4.0;
        // Without heel strike and push-off.
        let middle = frame(start + quarter)..frame(end - quarter) + 1;
        let known = frame(start - MARGIN_SECS)..frame(end + MARGIN_SECS) + 1;
        let creep = self.creep(blend, whole.contact, known.clone());
        let level = |ball: &DVec3| DVec2::new(ball.x, ball.z);
        let path = &self.own[whole.contact.leg];
        let own: Vec<DVec2> = path[middle.clone()].iter().map(level).collect();
        let point = mean(&own);
        let goal: Vec<DVec2> = creep.into_iter().map(|creep| point + creep).collect();
        let off = |frame: usize| level(&path[frame]) - goal[frame - known.start];
        let near = |&frame: &usize| {
            let next = frame.min(known.end - 2);
            let speed = (off(next + 1) - off(next)).length() * fps;
            off(frame).length() < REACH_M && speed < REACH_SPEED
        };
        let centre = middle.start.midpoint(middle.end - 1);
        let last = (centre..=frame(end))
            .take_while(near)
            .last()
            .unwrap_or(centre);
        let first = (frame(start)..=centre)
            .rev()
            .take_while(near)
            .last()
            .unwrap_or(centre);
        let span_secs = [
            start.max(first as f64 / fps),
            end.min(last as f64 / fps)
                .max(start.max(first as f64 / fps)),
        ];
        Stance {
            strength: strength(blend, span_secs),
            span_secs,
            first_frame: known.start,
            goal,
            point,
        }
    }

    /// How the motions' feet move about their points, on the average, small
    /// creeping left out. What a foot does long before and after it stands is
    /// none of it.
    fn creep(&self, blend: &Blend, contact: &MatchedContact, known: Range<usize>) -> Vec<DVec2> {
        let sources = &self.sources[contact.leg];
        let last = blend.frames().saturating_sub(1);
        let frame = |secs: f64| ((secs * blend.fps()).round().max(0.0) as usize).min(last);
        let own_span = |span: [f64; 2]| span.map(|secs| frame(blend.blend_secs(secs)));
        let spans = contact.spans_secs.iter().map(|span| span.map(own_span));
        let spans: Vec<Option<[usize; 2]>> = spans.collect();
        let standing = spans.iter().zip(sources);
        let point = |(span, path): (&Option<[usize; 2]>, &Vec<DVec2>)| {
            span.map_or(DVec2::ZERO, |[first, last]| {
                let quarter = (last - first) / 4;
                mean(&path[first + quarter..=last - quarter])
            })
        };
        let points: Vec<DVec2> = standing.map(point).collect();
        let most = LETS_GO_SECS * blend.fps();
        let creep = |frame: usize| {
            let at = blend.segment(frame as f64 / blend.fps());
            let share = blend.share(at.0, at.1);
            let (mut sum, mut all) = (DVec2::ZERO, 0.0);
            for (motion, span) in spans.iter().enumerate() {
                if let Some([first, last]) = *span {
                    let weight = blend.weights().at(share, motion);
                    let off = lerped(&sources[motion], frame_within(frame, [first, last], most))
                        - points[motion];
                    sum += weight * turned(off, self.turns[motion][frame]);
                    all += weight;
                }
            }
            let creep = if all > 0.0 { sum / all } else { sum };
            // Rises with the third power near the point, and by what it is far
            // from it: with a higher one a foot that glides in would stop dead.
            let square = creep.length_squared();
            creep * (square / (square + CREEP_M * CREEP_M))
        };
        known.map(creep).collect()
    }

    /// The part of a stance in which the foot is on its point.
    fn kept(
        &self,
        blend: &Blend,
        whole: &WholeStance<'_>,
        stance: &Stance,
    ) -> Option<BlendContact> {
        let fps = blend.fps();
        let [start, end] = stance.span_secs;
        let stands = |frame: usize| {
            let goal = stance.goal.get(frame.wrapping_sub(stance.first_frame));
            goal.is_some_and(|goal| (*goal - stance.point).length() <= STANDS_M)
        };
        let frames = (start * fps).ceil() as usize..=(end * fps).floor() as usize;
        let middle = (0.5 * (start + end) * fps).round() as usize;
        let after = (middle..=*frames.end())
            .take_while(|&frame| stands(frame))
            .last()?;
        let before = (*frames.start()..=middle)
            .rev()
            .take_while(|&frame| stands(frame))
            .last()?;
        let span_secs = [before, after].map(|frame| frame as f64 / fps);
        (span_secs[1] - span_secs[0] >= SHORTEST_SECS).then_some(BlendContact {
            leg: whole.contact.leg,
            joint: whole.contact.joint,
            span_secs,
            matched: whole.contact.is_matched(),
        })
    }
}

/// How much a stance is held: not at all while a single motion plays.
fn strength(blend: &Blend, [start, end]: [f64; 2]) -> f64 {
    const SAMPLES: u32 = 8;
    let mixed = |i: u32| {
        let part = f64::from(i) / f64::from(SAMPLES);
        let (base, part) = blend.segment(start + part * (end - start));
        let weights = blend.weights().all_at(blend.share(base, part));
        1.0 - weights.into_iter().fold(0.0, f64::max)
    };
    let most = (0..=SAMPLES).map(mixed).fold(0.0, f64::max);
    smoothstep((most / TRUST).min(1.0) as f32).into()
}

/// The frame, or beyond the ends of a stance ever more slowly on, by at most so
/// many frames.
fn frame_within(frame: usize, [first, last]: [usize; 2], most: f64) -> f64 {
    let (low, high) = (first as f64, last as f64);
    let eased = |beyond: f64| most * (1.0 - (-beyond / most).exp());
    match frame as f64 {
        frame if frame < low => low - eased(low - frame),
        frame if frame > high => high + eased(frame - high),
        frame => frame,
    }
}

fn lerped(path: &[DVec2], frame: f64) -> DVec2 {
    let last = path.len().saturating_sub(1);
    let frame = frame.clamp(0.0, last as f64);
    let base = frame as usize;
    path[base].lerp(path[(base + 1).min(last)], frame.fract())
}

fn turned(v: DVec2, heading: f64) -> DVec2 {
    let turn = crate::clip::Planar {
        position: DVec2::ZERO,
        heading,
    };
    turn.rotate(v)
}

fn mean(path: &[DVec2]) -> DVec2 {
    path.iter().sum::<DVec2>() / path.len().max(1) as f64
}
