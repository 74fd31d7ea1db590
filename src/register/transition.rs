//! From one motion to another: where, and the two joined.

use std::sync::Arc;

use glam::{DVec2, Vec3Swizzles};

use super::{
    Blend, Cloud, DistanceGrid, HALF_WINDOW_SECS, RegisterError, Registration, Weights,
    alignment::PairSums,
    contacts::{self, LegStances},
    curve::Curve,
    flips::without_flips,
};
use crate::{
    clip::{ClipCursor, ClipShape, Planar, RawClip, SampleClip},
    humanoid::LegChain,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// A moment to leave one motion and to enter another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransitionPoint {
    /// The moment of the first motion.
    pub from_secs: f64,
    /// The moment of the second.
    pub to_secs: f64,
    /// How far points are from each other there, metres.
    pub cost_m: f64,
}

/// Moments a second at which transitions are looked for.
const SEARCH_HZ: f64 = 30.0;
/// A transition that throws away all of a motion has to be so many times as
/// good as one that throws away nothing.
const THROWN_AWAY: f64 = 1.0;
/// Time beside a transition in which feet may find their places, seconds.
const MARGIN_SECS: f64 = 0.6;
/// No foot is held for longer beyond a transition, seconds.
const MOST_HELD_SECS: f64 = 20.0;
/// Moments that are tried, the best first, until no foot slides further than
/// this, metres, and how far they are from each other, seconds.
const CANDIDATES: usize = 60;
pub(super) const MOST_SLIDE_M: f64 = 0.018;
const APART_SECS: f64 = 0.1;

/// Points that are not beside better ones; the best come first.
fn apart(points: Vec<TransitionPoint>) -> impl Iterator<Item = TransitionPoint> {
    let mut kept: Vec<TransitionPoint> = Vec::new();
    points.into_iter().filter(move |point| {
        let is_new = kept.iter().all(|other| {
            (other.from_secs - point.from_secs).abs() > APART_SECS
                || (other.to_secs - point.to_secs).abs() > APART_SECS
        });
        if is_new {
            kept.push(*point);
        }
        is_new
    })
}

/// Moments at which two motions are nearest to each other: the local minima of
/// the grid, the best first. Both keep `room_secs` before and after them.
#[must_use]
pub fn transition_points(grid: &DistanceGrid, room_secs: f64) -> Vec<TransitionPoint> {
    let room = (room_secs * grid.rate_hz).ceil() as usize;
    let inside = |count: usize| room.max(1)..count.saturating_sub(room.max(1));
    let mut points = Vec::new();
    for row in inside(grid.rows) {
        for column in inside(grid.columns) {
            let own = grid.at(row, column);
            let around =
                (row - 1..=row + 1).flat_map(|r| (column - 1..=column + 1).map(move |c| (r, c)));
            // Of equal neighbours the first is taken.
            let is_least = around.filter(|&cell| cell != (row, column)).all(|(r, c)| {
                let other = grid.at(r, c);
                own < other || (own == other && (row, column) < (r, c))
            });
            if is_least {
                points.push(TransitionPoint {
                    from_secs: row as f64 / grid.rate_hz,
                    to_secs: column as f64 / grid.rate_hz,
                    cost_m: f64::from(own),
                });
            }
        }
    }
    points.sort_by(|a, b| a.cost_m.total_cmp(&b.cost_m));
    points
}

/// All moments of a grid that keep some room to its edges.
fn moments(grid: &DistanceGrid, room_secs: f64) -> impl Iterator<Item = TransitionPoint> + '_ {
    let room = (room_secs * grid.rate_hz).ceil() as usize;
    let rows = room..grid.rows.saturating_sub(room);
    let columns = room..grid.columns.saturating_sub(room);
    let cells = rows.flat_map(move |row| columns.clone().map(move |column| (row, column)));
    cells.map(|(row, column)| TransitionPoint {
        from_secs: row as f64 / grid.rate_hz,
        to_secs: column as f64 / grid.rate_hz,
        cost_m: f64::from(grid.at(row, column)),
    })
}

/// Two motions joined: the first until it is left, a blend, the second from
/// where it is entered. A clip like any other.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Where it leads over.
    pub point: TransitionPoint,
    /// How long the blend takes.
    pub seconds: f64,
    clips: [Arc<RawClip>; 2],
    blend: Blend,
    /// The span of the first motion that the blend stands for.
    blended_secs: [f64; 2],
    first_from_second: Planar,
    frames: usize,
    joints: usize,
}

impl Transition {
    /// Finds the best moment to lead over within `seconds`: the nearest poses,
    /// so that not too much of either motion is lost.
    pub fn best(
        skeleton: &Arc<Skeleton>,
        clips: [Arc<RawClip>; 2],
        seconds: f64,
    ) -> Result<Self, RegisterError> {
        let clouds = clips.each_ref().map(|clip| Cloud::of(skeleton, clip));
        let secs = clouds.each_ref().map(Cloud::duration_secs);
        let shortest = RegisterError::NoRoom { seconds, secs };
        if secs.iter().any(|&secs| secs < seconds + 2.0 / SEARCH_HZ) {
            return Err(shortest);
        }
        if secs[0] * secs[1] * SEARCH_HZ * SEARCH_HZ > super::pair::MOST_CELLS {
            return Err(RegisterError::TooLong { secs });
        }
        let coarse = clouds.each_ref().map(|cloud| cloud.resampled(SEARCH_HZ));
        let grid = DistanceGrid::compute(&coarse[0], &coarse[1], HALF_WINDOW_SECS);
        let lost = |point: &TransitionPoint| {
            let thrown = (1.0 - point.from_secs / secs[0]) + point.to_secs / secs[1];
            (point.cost_m + 1e-4) * (1.0 + THROWN_AWAY * thrown)
        };
        // Every moment counts: the best may lie where the room ends, in no valley.
        let mut points: Vec<TransitionPoint> = moments(&grid, seconds / 2.0).collect();
        points.sort_by(|a, b| lost(a).total_cmp(&lost(b)));
        let legs = contacts::leg_chains(skeleton);
        let motions = clips.map(|clip| PreparedMotion::new(skeleton, &legs, &clip));
        let between = |point: TransitionPoint| {
            let motions = [&motions[0], &motions[1]];
            Self::between(skeleton, &legs, motions, point, seconds, [f64::INFINITY; 2])
        };
        let mut best: Option<(f64, Self)> = None;
        for point in apart(points).take(CANDIDATES) {
            let joined = between(point)?;
            let slide_m = joined.slide_m();
            if best.as_ref().is_none_or(|(least, _)| slide_m < *least) {
                best = Some((slide_m, joined));
            }
            if slide_m <= MOST_SLIDE_M {
                break;
            }
        }
        best.map(|(_, joined)| joined).ok_or(shortest)
    }

    /// Leads over at a given moment.
    pub fn at(
        skeleton: &Arc<Skeleton>,
        clips: [Arc<RawClip>; 2],
        point: TransitionPoint,
        seconds: f64,
    ) -> Result<Self, RegisterError> {
        let legs = contacts::leg_chains(skeleton);
        let motions = clips.map(|clip| PreparedMotion::new(skeleton, &legs, &clip));
        let between = [&motions[0], &motions[1]];
        Self::between(skeleton, &legs, between, point, seconds, [f64::INFINITY; 2])
    }

    /// The same for motions that are prepared; the blend takes at most so many
    /// seconds before and after the moment.
    pub(super) fn between(
        skeleton: &Arc<Skeleton>,
        legs: &[LegChain],
        motions: [&PreparedMotion; 2],
        point: TransitionPoint,
        seconds: f64,
        most_secs: [f64; 2],
    ) -> Result<Self, RegisterError> {
        let place = aligned(motions, point);
        let first_from_second = on_standing_feet(skeleton, legs, motions, point, place).0;
        let clips = motions.map(|motion| Arc::clone(&motion.clip));
        let fps = clips[0].fps;
        let ends = clips.each_ref().map(|clip| clip.duration_secs());
        let after = (ends[0] - point.from_secs).min(ends[1] - point.to_secs);
        let room = [point.from_secs.min(point.to_secs), after];
        let room = [0, 1].map(|side| {
            let feet = standing_secs(motions, point, seconds / 2.0, side == 1);
            let wanted = seconds / 2.0 + MARGIN_SECS.max(feet);
            room[side].min(wanted).min(most_secs[side])
        });
        // On frames of the first motion: what comes before is played as it is.
        let first = ((point.from_secs - room[0]) * fps - 1e-6).ceil().max(0.0);
        let last = ((point.from_secs + room[1]) * fps + 1e-6).floor();
        let samples = (last - first).max(1.0) as usize + 1;
        let (start, span) = (first / fps, (samples - 1) as f64 / fps);
        let curves = straight_curves((start, fps, samples), point, first_from_second);
        let share = |secs: f64| (secs - start) / span;
        let weights = Weights::over_time(&[
            (share(point.from_secs - seconds / 2.0), vec![1.0, 0.0]),
            (share(point.from_secs + seconds / 2.0), vec![0.0, 1.0]),
        ])?;
        let registration = Registration::of_curves(skeleton, legs, &motions, curves);
        let rest = ends[1] - (start + span + point.to_secs - point.from_secs);
        // Where a motion plays on, its feet have to be where it has them.
        let free = [first > 0.0, rest * fps >= 1.0];
        let blend = Blend::with_free_ends(&Arc::new(registration), weights, free)?;
        Ok(Self {
            frames: ((start + span + rest.max(0.0)) * fps + 1e-6) as usize + 1,
            joints: skeleton.len(),
            point,
            seconds,
            clips,
            blend,
            blended_secs: [start, start + span],
            first_from_second,
        })
    }

    /// Where the second motion has to be put.
    #[must_use]
    pub fn first_from_second(&self) -> Planar {
        self.first_from_second
    }

    /// The span of the first motion that the blend stands for.
    #[must_use]
    pub fn blended_secs(&self) -> [f64; 2] {
        self.blended_secs
    }

    /// The largest way of a foot that stands while it leads over, metres.
    #[must_use]
    pub fn slide_m(&self) -> f64 {
        let middle = self.point.from_secs - self.blended_secs[0];
        let half = self.seconds / 2.0;
        self.blend.slide_within_m([middle - half, middle + half])
    }

    /// The blend between the two.
    #[must_use]
    pub fn blend(&self) -> &Blend {
        &self.blend
    }
}

impl SampleClip for Transition {
    fn shape(&self) -> ClipShape {
        ClipShape {
            frames: self.frames,
            fps: self.clips[0].fps,
            joints: self.joints,
        }
    }

    fn sample(
        &self,
        skeleton: &Skeleton,
        time_secs: f64,
        cursor: &mut ClipCursor,
        pose: &mut LocalPose,
    ) {
        let [start, end] = self.blended_secs;
        // In this order a time that is no number becomes 0.
        let secs = time_secs.max(0.0);
        if secs < start {
            self.clips[0].sample(skeleton, secs, cursor, pose);
        } else if secs <= end {
            self.blend.sample(skeleton, secs - start, cursor, pose);
        } else {
            let other = secs + self.point.to_secs - self.point.from_secs;
            self.clips[1].sample(skeleton, other, cursor, pose);
            let root = &mut pose.joints_mut()[0];
            *root = self.first_from_second.transform() * *root;
        }
    }
}

/// How far beyond a transition feet go on standing that stand in it, with the
/// time to find their places: so long they are held.
fn standing_secs(
    motions: [&PreparedMotion; 2],
    point: TransitionPoint,
    half_secs: f64,
    forward: bool,
) -> f64 {
    // Before it the first motion plays, after it the second.
    let (spans, secs) = match forward {
        true => (&motions[1].stances, point.to_secs),
        false => (&motions[0].stances, point.from_secs),
    };
    let beyond = |span: &[f64; 2]| match forward {
        true => span[1] - secs - half_secs,
        false => secs - half_secs - span[0],
    };
    let spans = spans.iter().flatten();
    let touched = spans.filter(|span| span[0] < secs + half_secs && span[1] > secs - half_secs);
    let most = touched.map(beyond).fold(0.0, f64::max);
    (most + MARGIN_SECS).min(MOST_HELD_SECS)
}

/// How the second figure is laid on the first around a moment.
pub(super) fn aligned(motions: [&PreparedMotion; 2], point: TransitionPoint) -> Planar {
    let clouds = motions.map(|motion| &motion.cloud);
    let mut sums = PairSums::default();
    for moment in -4..=4 {
        let offset = f64::from(moment) * HALF_WINDOW_SECS / 4.0;
        let secs = [point.from_secs + offset, point.to_secs + offset];
        let is_inside = |i: usize| (0.0..=clouds[i].duration_secs()).contains(&secs[i]);
        if is_inside(0) && is_inside(1) {
            let at = [0, 1].map(|i| clouds[i].position(secs[i]));
            sums.add(clouds, at);
        }
    }
    match sums.weight > 0.0 {
        true => {
            let alignment = sums.alignment();
            alignment.with_yaw(alignment.yaw)
        }
        false => Planar::IDENTITY,
    }
}

/// The same shifted until feet that stand in both motions stand in one place,
/// and how far each is then off, metres: a trunk may lead over by a few
/// centimetres unseen, a standing foot may not.
pub(super) fn on_standing_feet(
    skeleton: &Skeleton,
    legs: &[LegChain],
    motions: [&PreparedMotion; 2],
    point: TransitionPoint,
    mut place: Planar,
) -> (Planar, f64) {
    let secs = [point.from_secs, point.to_secs];
    let mut models = [ModelPose::default(), ModelPose::default()];
    for i in 0..2 {
        let mut pose = LocalPose::default();
        let clip = &motions[i].clip;
        clip.sample(skeleton, secs[i], &mut ClipCursor::default(), &mut pose);
        models[i].compute(skeleton, &pose);
    }
    let stands = |i: usize, leg: usize| {
        let mut spans = motions[i].stances[leg].iter();
        spans.any(|span| span[0] <= secs[i] && secs[i] <= span[1])
    };
    let held = legs.iter().enumerate();
    let held = held.filter(|&(leg, _)| stands(0, leg) && stands(1, leg));
    let apart = held.map(|(_, chain)| {
        let ball = usize::from(chain.joints.ball);
        let ground = |model: &ModelPose| model.joints()[ball].translation.xz().as_dvec2();
        let [a, b] = models.each_ref().map(ground);
        a - (place.position + place.rotate(b))
    });
    let apart: Vec<DVec2> = apart.collect();
    let Some(mean) = (!apart.is_empty()).then(|| apart.iter().sum::<DVec2>() / apart.len() as f64)
    else {
        return (place, 0.0);
    };
    place.position += mean;
    let off = apart
        .iter()
        .map(|it| (*it - mean).length())
        .fold(0.0, f64::max);
    (place, off)
}

/// Both motions at their own speed, the second put in its place.
fn straight_curves(
    (start, fps, samples): (f64, f64, usize),
    point: TransitionPoint,
    place: Planar,
) -> Vec<Curve> {
    let ahead = point.to_secs - point.from_secs;
    let times = (0..samples).map(|k| start + k as f64 / fps + ahead);
    let (places, costs) = (vec![place; samples], vec![point.cost_m as f32; samples]);
    vec![
        Curve::identity(start, 1.0 / fps, samples),
        Curve::new(start, 1.0 / fps, times.collect(), places, costs),
    ]
}

/// A motion with all that transitions ask of it.
#[derive(Clone, Debug)]
pub(super) struct PreparedMotion {
    pub clip: Arc<RawClip>,
    pub mended: Arc<RawClip>,
    pub cloud: Cloud,
    pub stances: LegStances,
}

impl PreparedMotion {
    pub fn new(skeleton: &Skeleton, legs: &[LegChain], clip: &Arc<RawClip>) -> Self {
        Self {
            clip: Arc::clone(clip),
            mended: without_flips(clip),
            cloud: Cloud::of(skeleton, clip),
            stances: contacts::stances(skeleton, clip, legs),
        }
    }
}
