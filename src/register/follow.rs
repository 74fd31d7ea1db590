//! Walks along a path drawn on the ground: branch and bound over the graph.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec2;
use rayon::prelude::*;

use super::{GraphEdge, MotionGraph, Progress, RegisterError, Walk, WalkStep};
use crate::clip::Planar;

/// A path on the ground by its length.
struct Polyline {
    points: Vec<DVec2>,
    /// Metres from the start to each point.
    lengths_m: Vec<f64>,
}

impl Polyline {
    fn new(points: &[DVec2]) -> Option<Self> {
        let mut kept: Vec<DVec2> = Vec::new();
        let mut lengths_m = Vec::new();
        let mut length = 0.0;
        for &point in points.iter().filter(|point| point.is_finite()) {
            let step = kept.last().map_or(0.0, |last| last.distance(point));
            if kept.is_empty() || step > 1e-6 {
                length += step;
                kept.push(point);
                lengths_m.push(length);
            }
        }
        let points = kept;
        (points.len() >= 2).then_some(Self { points, lengths_m })
    }

    fn length_m(&self) -> f64 {
        self.lengths_m.last().copied().unwrap_or(0.0)
    }

    fn at(&self, length_m: f64) -> DVec2 {
        let last = self.points.len() - 1;
        let after = self.lengths_m.partition_point(|&it| it <= length_m);
        let after = after.clamp(1, last);
        let [low, high] = [after - 1, after].map(|k| self.lengths_m[k]);
        let part = ((length_m - low) / (high - low)).clamp(0.0, 1.0);
        self.points[after - 1].lerp(self.points[after], part)
    }
}

/// Moments a second at which a walk is held against the path.
const CHECK_HZ: f64 = 10.0;
/// How far a plan looks ahead, metres.
const AHEAD_M: f64 = 5.0;
/// … and in how many transitions and seconds at most.
const DEPTH: usize = 7;
const MOST_SECS: f64 = 12.0;
/// Departures that are tried of each motion.
const CHOICES: usize = 200;
/// What a second costs, square metres times metres: standing about leads
/// nowhere.
const SECOND_COST: f64 = 0.01;
/// Beyond the root of this, metres, being off counts by its sixth power.
const FAR_M2: f64 = 0.12;
/// Starts that are tried, and the speed they need, metres a second.
const STARTS: usize = 200;
const START_SPEED: f64 = 0.5;
/// The best of them are followed to the end, and the best walk is taken.
const FOLLOWED: usize = 6;
/// A walk stops when so many steps did not end it.
const MOST_STEPS: usize = 2000;

/// Somewhere on the way.
#[derive(Clone, Copy)]
struct State {
    motion: usize,
    secs: f64,
    world_from_motion: Planar,
    along_m: f64,
    cost: f64,
    played_secs: f64,
}

struct Search<'a> {
    graph: &'a MotionGraph,
    path: &'a Polyline,
    goal_m: f64,
    best: f64,
    first: Option<usize>,
}

/// A walk on its way along the path.
struct Followed {
    place: Planar,
    steps: Vec<WalkStep>,
    cost: f64,
}

impl MotionGraph {
    /// A walk along a path (X and Z in metres), put where the path is.
    pub fn walk_along(
        &self,
        path: &[DVec2],
        progress: Progress<'_>,
    ) -> Result<Walk, RegisterError> {
        let path = Polyline::new(path).ok_or(RegisterError::NoWay)?;
        let starts = self.best_starts(&path, progress)?;
        let walked = AtomicUsize::new(0);
        let all_m = path.length_m() * starts.len() as f64;
        let goes_on = |way_m: f64| {
            let way_mm = (1e3 * way_m) as usize;
            let before_mm = walked.fetch_add(way_mm, Ordering::Relaxed);
            progress((1e-3 * (before_mm + way_mm) as f64 / all_m).min(1.0))
        };
        let followed = starts
            .into_par_iter()
            .map(|start| self.follow(&path, start, &goes_on));
        let followed: Vec<Followed> = followed.collect::<Result<_, _>>()?;
        let best = followed
            .into_iter()
            .min_by(|a, b| a.cost.total_cmp(&b.cost))
            .ok_or(RegisterError::LeadsNowhere)?;
        Ok(self.walk(&best.steps)?.put(best.place))
    }

    /// Plans, takes the first transition of the plan, and plans anew.
    fn follow(
        &self,
        path: &Polyline,
        mut state: State,
        goes_on: &(dyn Fn(f64) -> bool + Sync),
    ) -> Result<Followed, RegisterError> {
        let place = state.world_from_motion;
        let mut steps = Vec::new();
        while steps.len() < MOST_STEPS {
            let Some(edge) = self.next_edge(path, state) else {
                break;
            };
            let GraphEdge { point, .. } = self.edges()[edge];
            let end = self.played(path, state, point.from_secs, f64::INFINITY);
            let reached = end.along_m >= path.length_m();
            let leave_secs = match reached {
                true => self.reaches(path, state).max(state.secs + 0.1),
                false => point.from_secs,
            };
            steps.push(WalkStep {
                motion: state.motion,
                enter_secs: state.secs,
                leave_secs,
            });
            if !goes_on(end.along_m - state.along_m) {
                return Err(RegisterError::GivenUp);
            }
            state = self.taken(end, edge);
            if reached {
                break;
            }
        }
        Ok(Followed {
            place,
            steps,
            // What is left of the path counts as if it were a metre off.
            cost: state.cost + 10.0 * (path.length_m() - state.along_m).max(0.0),
        })
    }

    fn next_edge(&self, path: &Polyline, state: State) -> Option<usize> {
        let chosen = self.plan(path, state).1;
        let open = self.departures_after(state.motion, state.secs);
        chosen.or_else(|| open.first().copied())
    }

    /// When a motion that is played on comes to the end of the path.
    fn reaches(&self, path: &Polyline, state: State) -> f64 {
        let last = self.motions[state.motion].clip.duration_secs();
        let mut now = state;
        while now.along_m < path.length_m() && now.secs < last {
            now = self.played(
                path,
                now,
                (now.secs + 1.0 / CHECK_HZ).min(last),
                f64::INFINITY,
            );
        }
        now.secs
    }

    fn best_starts(
        &self,
        path: &Polyline,
        progress: Progress<'_>,
    ) -> Result<Vec<State>, RegisterError> {
        let moving = |edge: &&GraphEdge| {
            let cloud = &self.motions[edge.to].cloud;
            let now = cloud.centre(edge.point.to_secs);
            let soon = cloud.centre(edge.point.to_secs + 1.0);
            now.distance(soon) > START_SPEED
        };
        let starts: Vec<&GraphEdge> = self.edges().iter().filter(moving).collect();
        let step = (starts.len() / STARTS).max(1);
        let starts: Vec<&GraphEdge> = starts.into_iter().step_by(step).collect();
        let planned = starts.into_par_iter().map(|edge| {
            let state = self.start(path, edge.to, edge.point.to_secs);
            match progress(0.0) {
                true => Ok((self.plan(path, state).0, state)),
                false => Err(RegisterError::GivenUp),
            }
        });
        let mut planned: Vec<(f64, State)> = planned.collect::<Result<_, _>>()?;
        planned.sort_by(|a, b| a.0.total_cmp(&b.0));
        planned.truncate(FOLLOWED);
        Ok(planned.into_iter().map(|(_, state)| state).collect())
    }

    /// A motion put at the beginning of the path, going its way.
    fn start(&self, path: &Polyline, motion: usize, secs: f64) -> State {
        let cloud = &self.motions[motion].cloud;
        let heading = |v: DVec2| v.x.atan2(v.y);
        let own = heading(cloud.centre(secs + 1.0) - cloud.centre(secs));
        let wanted = heading(path.at(1.0) - path.at(0.0));
        let turn = Planar {
            position: DVec2::ZERO,
            heading: wanted - own,
        };
        let world_from_motion = Planar {
            position: path.at(0.0) - turn.rotate(cloud.centre(secs)),
            heading: turn.heading,
        };
        State {
            motion,
            secs,
            world_from_motion,
            along_m: 0.0,
            cost: 0.0,
            played_secs: 0.0,
        }
    }

    /// The cheapest way on, and the departure it begins with.
    fn plan(&self, path: &Polyline, state: State) -> (f64, Option<usize>) {
        let from = State {
            cost: 0.0,
            played_secs: 0.0,
            ..state
        };
        let goal_m = (state.along_m + AHEAD_M).min(path.length_m());
        let mut search = Search {
            graph: self,
            path,
            goal_m,
            best: f64::INFINITY,
            first: None,
        };
        search.expand(from, 0, None);
        (search.best, search.first)
    }

    /// Plays on to a moment, or until it costs too much.
    fn played(&self, path: &Polyline, mut state: State, until: f64, most: f64) -> State {
        let cloud = &self.motions[state.motion].cloud;
        let place = state.world_from_motion;
        let at = |secs: f64| place.position + place.rotate(cloud.centre(secs));
        let mut here = at(state.secs);
        while state.secs < until && state.cost <= most {
            let secs = (state.secs + 1.0 / CHECK_HZ).min(until);
            let next = at(secs);
            let way = here.distance(next);
            state.along_m += way;
            let off = next.distance_squared(path.at(state.along_m));
            // Far off counts more than twice as much as half as far.
            let far = off / FAR_M2;
            state.cost += off * (1.0 + far * far) * way + SECOND_COST * (secs - state.secs);
            state.played_secs += secs - state.secs;
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
}

impl Search<'_> {
    fn expand(&mut self, state: State, depth: usize, first: Option<usize>) {
        if state.cost >= self.best {
            return;
        }
        if state.along_m >= self.goal_m {
            self.best = state.cost;
            self.first = first;
            return;
        }
        if depth >= DEPTH || state.played_secs > MOST_SECS {
            return;
        }
        let open = self.graph.departures_after(state.motion, state.secs);
        let mut now = state;
        for &edge in open.iter().take(CHOICES) {
            let leave = self.graph.edges()[edge].point.from_secs;
            // One motion is played once, however many departures it has.
            now = self.graph.played(self.path, now, leave, self.best);
            if now.cost >= self.best || now.played_secs > MOST_SECS {
                break;
            }
            let next = match now.along_m >= self.goal_m {
                true => now,
                false => self.graph.taken(now, edge),
            };
            self.expand(next, depth + 1, first.or(Some(edge)));
        }
    }
}
