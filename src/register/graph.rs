//! A library of motions as a graph: all good transitions, pruned to those from
//! which one can go on for ever. (Kovar, Gleicher and Pighin 2002.)

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;

use super::{
    Cloud, DistanceGrid, HALF_WINDOW_SECS, Progress, RegisterError, Transition, TransitionPoint,
    contacts,
    pair::MOST_CELLS,
    transition::{MOST_SLIDE_M, PreparedMotion, aligned, on_standing_feet, transition_points},
};
use crate::{
    clip::{ClipCursor, Planar, RawClip, SampleClip},
    humanoid::LegChain,
    skeleton::{LocalPose, ModelPose, Skeleton},
};

/// Motions of one skeleton, and where they lead over to each other.
#[derive(Clone, Debug)]
pub struct MotionGraph {
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) legs: Vec<LegChain>,
    pub(super) motions: Vec<PreparedMotion>,
    edges: Vec<GraphEdge>,
    /// Departures of each motion, in order of time.
    departures: Vec<Vec<usize>>,
    share: f64,
    /// Where each transition puts the motion that it enters, seen from the one
    /// it leaves.
    places: Vec<Planar>,
}

/// A transition between two motions, or within one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphEdge {
    /// The motion that is left.
    pub from: usize,
    /// The motion that is entered.
    pub to: usize,
    /// When, and how near the poses are.
    pub point: TransitionPoint,
}

/// Moments a second at which transitions are looked for.
const SEARCH_HZ: f64 = 15.0;
/// How long leading over takes, seconds.
pub(super) const EDGE_SECS: f64 = 0.6;
/// What a transition takes of a motion on either side, seconds.
pub(super) const ROOM_SECS: f64 = 0.7;
/// A motion that is entered plays at least this long before it is left.
pub(super) const LEAST_PLAY_SECS: f64 = 2.0 * ROOM_SECS;
/// Poses that are further apart are no place to lead over, metres.
const MOST_COST_M: f64 = 0.14;
/// Feet that stand in both motions may be this far apart, metres.
const MOST_FOOT_M: f64 = 0.02;
/// Joints may be this many times as fast, and change their speed as much, as
/// they do in the two motions around it.
const MOST_POP: f32 = 1.25;
/// Transitions of a pair of motions that are nearer to each other than this,
/// seconds, are one.
const APART_SECS: f64 = 0.2;
/// … and of one motion to itself this far from where it would be anyway.
const LEAST_LOOP_SECS: f64 = 1.0;
/// Transitions of a pair of motions.
const MOST_OF_PAIR: usize = 40;

impl MotionGraph {
    /// Finds the transitions of all pairs of motions of one skeleton.
    pub fn new(
        skeleton: &Arc<Skeleton>,
        motions: &[Arc<RawClip>],
        progress: Progress<'_>,
    ) -> Result<Self, RegisterError> {
        for (motion, clip) in motions.iter().enumerate() {
            let secs = clip.duration_secs();
            if secs * SEARCH_HZ > MOST_CELLS.sqrt() {
                return Err(RegisterError::TooLongForGraph { motion, secs });
            }
        }
        let legs = contacts::leg_chains(skeleton);
        let prepare = |clip: &Arc<RawClip>| PreparedMotion::new(skeleton, &legs, clip);
        let motions: Vec<PreparedMotion> = motions.par_iter().map(prepare).collect();
        let mut graph = Self {
            skeleton: Arc::clone(skeleton),
            legs,
            motions,
            edges: Vec::new(),
            departures: Vec::new(),
            share: 0.0,
            places: Vec::new(),
        };
        graph.edges = graph.sound_edges(progress)?;
        graph.prune();
        let place = |edge: &GraphEdge| graph.place([edge.from, edge.to], edge.point).0;
        graph.places = graph.edges.par_iter().map(place).collect();
        Ok(graph)
    }

    /// Transitions of all pairs that lead over well.
    fn sound_edges(&self, progress: Progress<'_>) -> Result<Vec<GraphEdge>, RegisterError> {
        let coarse = |motion: &PreparedMotion| motion.cloud.resampled(SEARCH_HZ);
        let coarse: Vec<Cloud> = self.motions.par_iter().map(coarse).collect();
        let count = coarse.len();
        let pairs = (0..count).flat_map(|a| (a..count).map(move |b| [a, b]));
        let pairs: Vec<[usize; 2]> = pairs.collect();
        let done = AtomicUsize::new(0);
        let sound = pairs.par_iter().map(|&pair| {
            let found = self.pair_edges(&coarse, pair).into_iter();
            let sound: Vec<GraphEdge> = found.filter(|edge| self.leads_over_well(edge)).collect();
            let before = done.fetch_add(1, Ordering::Relaxed);
            match progress((before + 1) as f64 / pairs.len() as f64) {
                true => Ok(sound),
                false => Err(RegisterError::GivenUp),
            }
        });
        let sound: Vec<Vec<GraphEdge>> = sound.collect::<Result<_, _>>()?;
        Ok(sound.concat())
    }

    /// Transitions of a pair, both ways: the grid of one is the other's, turned.
    fn pair_edges(&self, coarse: &[Cloud], [a, b]: [usize; 2]) -> Vec<GraphEdge> {
        let grid = DistanceGrid::compute(&coarse[a], &coarse[b], HALF_WINDOW_SECS);
        let mut kept: Vec<TransitionPoint> = Vec::new();
        for point in transition_points(&grid, ROOM_SECS) {
            if point.cost_m > MOST_COST_M || kept.len() >= MOST_OF_PAIR {
                break;
            }
            let is_loop = a != b || (point.from_secs - point.to_secs).abs() >= LEAST_LOOP_SECS;
            let is_new = kept.iter().all(|other| {
                (other.from_secs - point.from_secs).abs() > APART_SECS
                    || (other.to_secs - point.to_secs).abs() > APART_SECS
            });
            if is_loop && is_new && self.feet_fit([a, b], point) {
                kept.push(point);
            }
        }
        let both = |point: TransitionPoint| {
            let there = GraphEdge {
                from: a,
                to: b,
                point,
            };
            let back = TransitionPoint {
                from_secs: point.to_secs,
                to_secs: point.from_secs,
                cost_m: point.cost_m,
            };
            let back = GraphEdge {
                from: b,
                to: a,
                point: back,
            };
            [there, back].into_iter().take(if a == b { 1 } else { 2 })
        };
        kept.into_iter().flat_map(both).collect()
    }

    fn feet_fit(&self, [a, b]: [usize; 2], point: TransitionPoint) -> bool {
        self.place([a, b], point).1 <= MOST_FOOT_M
    }

    /// Where a transition puts the motion that it enters, and how far standing
    /// feet are then off.
    fn place(&self, [a, b]: [usize; 2], point: TransitionPoint) -> (Planar, f64) {
        let motions = [&self.motions[a], &self.motions[b]];
        let place = aligned(motions, point);
        on_standing_feet(&self.skeleton, &self.legs, motions, point, place)
    }

    pub(super) fn edge_place(&self, edge: usize) -> Planar {
        self.places[edge]
    }

    /// What a transition becomes in a walk.
    pub(super) fn transition(&self, edge: &GraphEdge) -> Result<Transition, RegisterError> {
        let motions = [&self.motions[edge.from], &self.motions[edge.to]];
        let room = [ROOM_SECS; 2];
        Transition::between(
            &self.skeleton,
            &self.legs,
            motions,
            edge.point,
            EDGE_SECS,
            room,
        )
    }

    /// True of a transition in which no foot slides and nothing pops. It is made
    /// and measured: no distance of poses tells as much.
    fn leads_over_well(&self, edge: &GraphEdge) -> bool {
        let Ok(transition) = self.transition(edge) else {
            return false;
        };
        if transition.slide_m() > MOST_SLIDE_M {
            return false;
        }
        let around = |clip: &dyn SampleClip, secs: f64, beside: f64| {
            liveliness(&self.skeleton, clip, [secs - beside, secs + beside])
        };
        let [from, to] = [edge.from, edge.to].map(|motion| &*self.motions[motion].clip);
        let own = around(&transition, edge.point.from_secs, OWN_SECS);
        let left = around(from, edge.point.from_secs, SOURCE_SECS);
        let entered = around(to, edge.point.to_secs, SOURCE_SECS);
        let sources = left.into_iter().zip(entered);
        own.into_iter().zip(sources).all(|(own, (left, entered))| {
            let most = own.into_iter().fold(0.0, f32::max);
            most <= MOST_POP * usual([left, entered].concat())
        })
    }

    /// Keeps the largest part in which every transition can be reached from
    /// every other.
    fn prune(&mut self) {
        self.sort_departures();
        let next = |edge: usize| self.successors(edge);
        let component = components(self.edges.len(), next);
        let mut sizes = std::collections::BTreeMap::new();
        for &component in &component {
            *sizes.entry(component).or_insert(0usize) += 1;
        }
        let largest = sizes
            .into_iter()
            .max_by_key(|&(_, size)| size)
            .map(|it| it.0);
        let stays = |edge: usize| {
            let arrives = self.arrival(edge);
            Some(component[edge]) == largest
                && arrives.is_some_and(|next| Some(component[next]) == largest)
        };
        let kept = (0..self.edges.len()).filter(|&edge| stays(edge));
        self.edges = kept.map(|edge| self.edges[edge]).collect();
        self.sort_departures();
        self.share = self.played_share();
    }

    fn sort_departures(&mut self) {
        self.departures = vec![Vec::new(); self.motions.len()];
        for (index, edge) in self.edges.iter().enumerate() {
            self.departures[edge.from].push(index);
        }
        for list in &mut self.departures {
            list.sort_by(|&a, &b| {
                let secs = |edge: usize| self.edges[edge].point.from_secs;
                secs(a).total_cmp(&secs(b))
            });
        }
    }

    /// Departures that are open to whoever entered a motion at a moment.
    pub(super) fn departures_after(&self, motion: usize, enter_secs: f64) -> &[usize] {
        let list = &self.departures[motion];
        let from = |&edge: &usize| self.edges[edge].point.from_secs;
        let first = list.partition_point(|edge| from(edge) < enter_secs + LEAST_PLAY_SECS);
        &list[first..]
    }

    /// The first departure after a transition has arrived.
    fn arrival(&self, edge: usize) -> Option<usize> {
        let edge = &self.edges[edge];
        self.departures_after(edge.to, edge.point.to_secs)
            .first()
            .copied()
    }

    /// What can follow a departure: the next one of the motion, or what comes
    /// after its transition.
    fn successors(&self, edge: usize) -> [Option<usize>; 2] {
        let list = &self.departures[self.edges[edge].from];
        let place = list.iter().position(|&it| it == edge);
        let later = place.and_then(|place| list.get(place + 1)).copied();
        [later, self.arrival(edge)]
    }

    /// The transitions that are left.
    #[must_use]
    pub fn edges(&self) -> &[GraphEdge] {
        &self.edges
    }

    /// Its motions.
    pub fn clips(&self) -> impl Iterator<Item = &Arc<RawClip>> {
        self.motions.iter().map(|motion| &motion.clip)
    }

    /// The share of all frames that can be played again and again.
    #[must_use]
    pub fn strongly_connected_share(&self) -> f64 {
        self.share
    }

    fn played_share(&self) -> f64 {
        let of = |motion: usize| {
            let entered = self.edges.iter().filter(|edge| edge.to == motion);
            let first = entered
                .map(|edge| edge.point.to_secs)
                .fold(f64::INFINITY, f64::min);
            let last = self.departures[motion].last();
            let last = last.map_or(0.0, |&edge| self.edges[edge].point.from_secs);
            (last - first).max(0.0)
        };
        let played: f64 = (0..self.motions.len()).map(of).sum();
        let all: f64 = self
            .motions
            .iter()
            .map(|motion| motion.clip.duration_secs())
            .sum();
        if all > 0.0 { played / all } else { 0.0 }
    }
}

/// How long before and after a transition nothing may pop, seconds, and how
/// much of its two motions around it tells what is usual there: less, so that
/// no jerk of theirs which the transition leaves out excuses one of its own,
/// by whatever frame one counts.
const OWN_SECS: f64 = 0.3;
const SOURCE_SECS: f64 = 0.23;

/// Speeds and accelerations of all joints around a moment.
fn liveliness(skeleton: &Skeleton, clip: &dyn SampleClip, [start, end]: [f64; 2]) -> [Vec<f32>; 2] {
    let (fps, last) = (clip.fps(), clip.frames().saturating_sub(1));
    let frame = |secs: f64| ((secs * fps).max(0.0) as usize).min(last);
    let (mut cursor, mut pose) = (ClipCursor::default(), LocalPose::default());
    let places = |frame: usize| {
        let mut model = ModelPose::default();
        clip.sample(skeleton, frame as f64 / fps, &mut cursor, &mut pose);
        model.compute(skeleton, &pose);
        model
    };
    let frames: Vec<ModelPose> = (frame(start)..=frame(end)).map(places).collect();
    let (mut speeds, mut bends) = (Vec::new(), Vec::new());
    for window in frames.windows(3) {
        let [a, b, c] = [0, 1, 2].map(|k| window[k].joints());
        for joint in 0..skeleton.len() {
            let [a, b, c] = [a, b, c].map(|joints| joints[joint].translation);
            speeds.push((b - a).length());
            bends.push((c - 2.0 * b + a).length());
        }
    }
    [speeds, bends]
}

/// What 99.9 % are below.
fn usual(mut values: Vec<f32>) -> f32 {
    let rank = (values.len().saturating_sub(1) as f64 * 0.999) as usize;
    match values.is_empty() {
        true => 0.0,
        false => *values.select_nth_unstable_by(rank, f32::total_cmp).1,
    }
}

/// Strongly connected components of a graph whose nodes have at most two
/// successors, a number for each node. (Tarjan, without recursion.)
fn components(nodes: usize, next: impl Fn(usize) -> [Option<usize>; 2]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut order = vec![UNSEEN; nodes];
    let mut low = vec![UNSEEN; nodes];
    let mut component = vec![UNSEEN; nodes];
    let (mut stack, mut calls, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..nodes {
        if order[root] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, step)) = calls.pop() {
            if step == 0 {
                order[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
            }
            let successors = next(node);
            if step > 0
                && let Some(child) = successors[step - 1]
                && component[child] == UNSEEN
            {
                low[node] = low[node].min(low[child]);
            }
            if let Some(&child) = successors.get(step) {
                calls.push((node, step + 1));
                if let Some(child) = child.filter(|&child| order[child] == UNSEEN) {
                    calls.push((child, 0));
                }
                continue;
            }
            if low[node] == order[node] {
                while let Some(member) = stack.pop() {
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_components_and_ways_into_them_are_not() {
        // 0 → 1 → 2 → 0, 3 → 0, 4 ⇄ 5, 2 → 4.
        let next = [
            [Some(1), None],
            [Some(2), None],
            [Some(0), Some(4)],
            [Some(0), None],
            [Some(5), None],
            [Some(4), None],
        ];
        let found = components(6, |node| next[node]);
        assert!(found[0] == found[1] && found[1] == found[2]);
        assert!(found[4] == found[5] && found[4] != found[0]);
        assert!(found[3] != found[0] && found[3] != found[4]);
    }
}
