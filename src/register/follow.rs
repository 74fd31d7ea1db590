//! Walks along a path drawn on the ground: branch and bound over the graph.
//!
//! All ways through the graph grow side by side along the path, stretch by
//! stretch. Of those that reach a stretch, the cheapest go on; a way that costs
//! more than the best whole walk is cut. What a turning costs later is thus
//! known before anything is decided: no transition is taken for good until the
//! path's end is reached.

use std::collections::BTreeMap;

use glam::DVec2;
use rayon::prelude::*;

use super::{
    GraphEdge, MotionGraph, Progress, RegisterError, Walk, WalkStep, graph::LEAST_PLAY_SECS,
    polyline::Polyline,
};
use crate::clip::Planar;

/// Moments a second at which a walk is held against the path.
const CHECK_HZ: f64 = 10.0;
/// Ways are compared that are on the same stretch of the path, metres.
const STRETCH_M: f64 = 0.25;
/// Ways that go on from each stretch, and of those that entered one motion at
/// one moment.
const MOST_WAYS: usize = 400;
const MOST_ALIKE: usize = 6;
/// … of those that wait to be chosen among.
const MOST_WAITING: usize = 16 * MOST_WAYS;
/// … and how many stretches behind the others they may be.
const MOST_BEHIND: usize = 4;
/// A motion is left after so many seconds where it can be.
const MOST_STAY_SECS: f64 = 12.0;
/// What a second costs, square metres times metres: standing about leads
/// nowhere.
const SECOND_COST: f64 = 0.01;
/// What a metre costs that keeps well to the path, likewise: ways of one
/// stretch that are ahead have paid for it already.
const METRE_COST: f64 = 0.02;
/// Beyond the root of this, metres, being off counts by its sixth power.
const FAR_M2: f64 = 0.12;
/// The speed that a start needs, metres a second.
const START_SPEED: f64 = 0.5;
/// Paths that are longer, metres, are refused: the ways along them would fill
/// the memory.
const MOST_PATH_M: f64 = 2000.0;

/// A motion put somewhere and played up to a moment.
#[derive(Clone, Copy)]
struct State {
    motion: usize,
    secs: f64,
    world_from_motion: Planar,
    along_m: f64,
    cost: f64,
}

/// A way through the graph so far, in a motion that may now be left.
#[derive(Clone, Copy)]
struct Way {
    state: State,
    enter_secs: f64,
    /// The way that it goes on from, and when that left its motion.
    before: Option<(usize, f64)>,
}

impl Way {
    /// Its cost, as if all ways of a stretch were at its beginning.
    fn rank(&self) -> f64 {
        self.state.cost - METRE_COST * self.state.along_m
    }

    /// Ways that are alike: they differ in where they are alone.
    fn entry(&self) -> (usize, u64) {
        (self.state.motion, self.enter_secs.to_bits())
    }
}

/// What becomes of a way: others, and maybe the end of the path.
#[derive(Default)]
struct Branches {
    ways: Vec<Way>,
    /// Of those that reached it, the best.
    arrived: Option<Way>,
}

impl Branches {
    fn add(&mut self, way: Way, path: &Polyline) {
        if way.state.along_m < path.length_m() {
            self.ways.push(way);
        } else {
            self.arrived = cheaper(self.arrived, Some(way));
        }
    }
}

fn cheaper(a: Option<Way>, b: Option<Way>) -> Option<Way> {
    let all = [a, b].into_iter().flatten();
    all.min_by(|a, b| a.state.cost.total_cmp(&b.state.cost))
}

impl MotionGraph {
    /// A walk along a path (X and Z in metres), put where the path is.
    pub fn walk_along(
        &self,
        path: &[DVec2],
        progress: Progress<'_>,
    ) -> Result<Walk, RegisterError> {
        let path = Polyline::new(path).ok_or(RegisterError::NoWay)?;
        let length_m = path.length_m();
        if length_m > MOST_PATH_M {
            return Err(RegisterError::LongPath { length_m });
        }
        let (ways, arrived) = self.grown(&path, progress)?;
        let arrived = arrived.ok_or(RegisterError::LeadsNowhere)?;
        let (steps, place) = self.traced(&ways, arrived);
        Ok(self.walk(&steps)?.put(place))
    }

    /// Grows ways along a path: those that were gone on from, and the best that
    /// arrives.
    fn grown(
        &self,
        path: &Polyline,
        progress: Progress<'_>,
    ) -> Result<(Vec<Way>, Option<Way>), RegisterError> {
        let stretch = |way: &Way| (way.state.along_m / STRETCH_M) as usize;
        let last = (path.length_m() / STRETCH_M) as usize;
        let mut open: Vec<Vec<Way>> = vec![Vec::new(); last + 1];
        let mut starts = Branches::default();
        let moving = self.edges().iter().filter(|edge| self.is_moving(edge));
        for edge in moving {
            starts.add(self.start(path, edge.to, edge.point.to_secs), path);
        }
        starts
            .ways
            .into_iter()
            .for_each(|it| open[stretch(&it)].push(it));
        let (mut ways, mut arrived) = (Vec::new(), starts.arrived);
        for here in 0..=last {
            if !progress(here as f64 / (last + 1) as f64) {
                return Err(RegisterError::GivenUp);
            }
            let most = arrived.map_or(f64::INFINITY, |it| it.state.cost);
            let first = ways.len();
            ways.extend(promising(std::mem::take(&mut open[here]), most));
            let branches = ways[first..].par_iter().enumerate();
            let branches = branches.map(|(k, way)| self.branches(path, way, first + k, most));
            for Branches { ways, arrived: new } in branches.collect::<Vec<_>>() {
                arrived = cheaper(arrived, new);
                for way in ways {
                    // What hardly moves is compared with those further on, but
                    // standing about is no way to get there.
                    let (own, next) = (stretch(&way), here + 1);
                    if own + MOST_BEHIND < next {
                        continue;
                    }
                    if let Some(open) = open.get_mut(own.max(next)) {
                        open.push(way);
                        if open.len() >= MOST_WAITING {
                            *open = promising(std::mem::take(open), most);
                        }
                    }
                }
            }
        }
        Ok((ways, arrived))
    }

    fn is_moving(&self, edge: &GraphEdge) -> bool {
        let cloud = &self.motions[edge.to].cloud;
        let now = cloud.centre(edge.point.to_secs);
        let soon = cloud.centre(edge.point.to_secs + 1.0);
        now.distance(soon) > START_SPEED
    }

    /// A motion put at the beginning of the path, going its way.
    fn start(&self, path: &Polyline, motion: usize, secs: f64) -> Way {
        let cloud = &self.motions[motion].cloud;
        let heading = |v: DVec2| v.x.atan2(v.y);
        let own = cloud.centre(secs + 1.0) - cloud.centre(secs);
        let wanted = path.at(own.length()) - path.at(0.0);
        let turn = Planar {
            position: DVec2::ZERO,
            heading: heading(wanted) - heading(own),
        };
        let world_from_motion = Planar {
            position: path.at(0.0) - turn.rotate(cloud.centre(secs)),
            heading: turn.heading,
        };
        let state = State {
            motion,
            secs,
            world_from_motion,
            along_m: 0.0,
            cost: 0.0,
        };
        self.entered(path, state, None)
    }

    /// A motion that was just entered, played until it may be left.
    fn entered(&self, path: &Polyline, state: State, before: Option<(usize, f64)>) -> Way {
        let open = self.departures_after(state.motion, state.secs);
        let first = open.first().map(|&edge| self.edges()[edge].point.from_secs);
        let until = first.unwrap_or(state.secs + LEAST_PLAY_SECS);
        Way {
            state: self.played(path, state, until),
            enter_secs: state.secs,
            before,
        }
    }

    /// The ways that go on from one, and cost no more than so much.
    fn branches(&self, path: &Polyline, way: &Way, index: usize, most: f64) -> Branches {
        let mut branches = Branches::default();
        let mut now = way.state;
        let end = self.motions[now.motion].clip.duration_secs();
        let open = self.departures_after(now.motion, way.enter_secs);
        let leaves = open.iter().map(|&edge| {
            let leave_secs = self.edges()[edge].point.from_secs;
            (leave_secs, Some(edge))
        });
        // The last motion may be played to its end.
        for (leave_secs, edge) in leaves.chain([(end, None)]) {
            // One motion is played once, however many departures it has.
            now = self.played(path, now, leave_secs);
            let state = now;
            if now.along_m >= path.length_m() {
                branches.add(Way { state, ..*way }, path);
                break;
            }
            let stayed = now.secs - way.state.secs > MOST_STAY_SECS && !branches.ways.is_empty();
            let Some(edge) = edge.filter(|_| now.cost < most && !stayed) else {
                break;
            };
            let next = self.entered(path, self.taken(now, edge), Some((index, leave_secs)));
            if next.state.cost < most {
                branches.add(next, path);
            }
        }
        branches
    }

    /// Plays on to a moment, or to the end of the path.
    fn played(&self, path: &Polyline, mut state: State, until: f64) -> State {
        let cloud = &self.motions[state.motion].cloud;
        let place = state.world_from_motion;
        let at = |secs: f64| place.position + place.rotate(cloud.centre(secs));
        let mut here = at(state.secs);
        while state.secs < until && state.along_m < path.length_m() {
            let secs = (state.secs + 1.0 / CHECK_HZ).min(until);
            let next = at(secs);
            let way = here.distance(next);
            state.along_m = path.along_m(state.along_m, way, next);
            let off = next.distance_squared(path.at(state.along_m));
            // Far off counts more than twice as much as half as far.
            let far = off / FAR_M2;
            state.cost += off * (1.0 + far * far) * way + SECOND_COST * (secs - state.secs);
            state.secs = secs;
            here = next;
        }
        state
    }

    fn taken(&self, state: State, edge: usize) -> State {
        let GraphEdge { to, point, .. } = self.edges()[edge];
        State {
            motion: to,
            secs: point.to_secs,
            world_from_motion: state.world_from_motion.then(self.edge_place(edge)),
            ..state
        }
    }

    /// The steps of a way from its start, and where that was.
    fn traced(&self, ways: &[Way], arrived: Way) -> (Vec<WalkStep>, Planar) {
        let (mut way, mut leave_secs) = (arrived, arrived.state.secs);
        let mut steps = Vec::new();
        loop {
            steps.push(WalkStep {
                motion: way.state.motion,
                enter_secs: way.enter_secs,
                leave_secs: leave_secs.max(way.enter_secs + 1.0 / CHECK_HZ),
            });
            let Some((before, left_secs)) = way.before else {
                break;
            };
            (way, leave_secs) = (ways[before], left_secs);
        }
        steps.reverse();
        (steps, way.state.world_from_motion)
    }
}

/// The cheapest ways of a stretch, the cheapest first, few of them alike.
fn promising(mut ways: Vec<Way>, most: f64) -> Vec<Way> {
    ways.retain(|way| way.state.cost < most);
    ways.sort_by(|a, b| a.rank().total_cmp(&b.rank()));
    let mut alike: BTreeMap<(usize, u64), usize> = BTreeMap::new();
    let mut is_new = |way: &Way| {
        let count = alike.entry(way.entry()).or_default();
        *count += 1;
        *count <= MOST_ALIKE
    };
    let mut kept: Vec<Way> = Vec::with_capacity(MOST_WAYS);
    kept.extend(ways.into_iter().filter(|way| is_new(way)).take(MOST_WAYS));
    kept
}
