//! The configuration space of a limb that is sent somewhere: its two angles as a
//! map, how far its end is from the target as height, and the way of every solver
//! down into it.

use glam::Vec3A;

use super::{Drag, DragSolver};
use crate::{
    math::ik::{ChainSolver, ConfigurationSpace, Solved},
    skeleton::{JointIndex, Skeleton, SpacePose},
};

/// A limb of two bones and a target.
#[derive(Clone, Debug)]
pub struct ChainSpace {
    /// What is high and low.
    pub space: ConfigurationSpace,
    /// Angles of the pose that solvers begin in, radians.
    pub start: [f32; 2],
    /// One a solver.
    pub ways: Vec<SolverWay>,
}

/// How a solver went.
#[derive(Clone, Debug)]
pub struct SolverWay {
    /// Which.
    pub solver: ChainSolver,
    /// Angles before the first round and after every one, radians, without jumps
    /// by a whole turn.
    pub angles: Vec<[f32; 2]>,
    /// What it came to.
    pub solved: Solved,
}

impl ChainSpace {
    /// Of the limb that ends in a joint, from a pose to a target in its space;
    /// `None` where fewer than two bones end there.
    #[must_use]
    pub fn of<S>(
        skeleton: &Skeleton,
        (joint, target): (JointIndex, Vec3A),
        pose: &SpacePose<S>,
        solvers: &[ChainSolver],
    ) -> Option<Self> {
        let mut drag = Drag::of(skeleton, joint);
        let solver = ChainSolver::TwoBone;
        drag.solve_by(skeleton, DragSolver::Chain { solver, more: 0 });
        let at = |joint: &JointIndex| Some(pose.joints().get(usize::from(*joint))?.translation);
        let points: Vec<Vec3A> = drag.chain().iter().map(at).collect::<Option<_>>()?;
        let limb: [Vec3A; 3] = points.as_slice().try_into().ok()?;
        if !target.is_finite() || limb[0].distance(limb[1]) * limb[1].distance(limb[2]) < 1e-8 {
            return None;
        }
        let space = ConfigurationSpace::new(limb, target, Vec3A::NEG_Y);
        let pole = drag.pole(skeleton, pose);
        let way = |&solver: &ChainSolver| {
            let (mut points, mut angles) = (points.clone(), Vec::new());
            let solved = solver.solve(&mut points, (target, pole), |points| {
                if let Ok(limb) = points.try_into() {
                    let last = angles.last().copied();
                    angles.push(unwrapped(last, space.angles(limb)));
                }
            });
            SolverWay {
                solver,
                angles,
                solved,
            }
        };
        Some(Self {
            space,
            start: space.angles(limb),
            ways: solvers.iter().map(way).collect(),
        })
    }

    /// How far the end is from the target over both angles from −180° to 180°, as
    /// shares of the largest distance: rows from the bottom up, the first angle
    /// along them.
    #[must_use]
    pub fn heights(&self, cells: usize) -> Vec<Vec<f32>> {
        let angle = |cell: usize| {
            let share = (cell as f32 + 0.5) / cells as f32;
            (share - 0.5) * std::f32::consts::TAU
        };
        let most_m = self.space.most_error_m().max(1e-9);
        let height =
            |first: usize, bend: usize| self.space.error_m([angle(first), angle(bend)]) / most_m;
        let row = |bend: usize| (0..cells).map(|first| height(first, bend)).collect();
        (0..cells).map(row).collect()
    }
}

/// The same angles, by whole turns as near as can be to those before.
fn unwrapped(before: Option<[f32; 2]>, angles: [f32; 2]) -> [f32; 2] {
    let Some(before) = before else {
        return angles;
    };
    let turn = std::f32::consts::TAU;
    [0, 1].map(|index| {
        let away = angles[index] - before[index];
        angles[index] - (away / turn).round() * turn
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{posing::find_joint, skeleton::testing::cmu_like};

    #[test]
    fn every_solver_walks_down_to_a_solution() {
        let skeleton = cmu_like();
        let rest = skeleton.rest_model();
        let hand = find_joint(&skeleton, "left_hand").unwrap();
        let own = rest.joints()[usize::from(hand)].translation;
        let target = own + Vec3A::new(-0.15, 0.1, 0.2);
        let found = ChainSpace::of(&skeleton, (hand, target), &rest, &ChainSolver::ALL).unwrap();
        let solutions = found.space.solutions().unwrap();
        assert_eq!(found.ways.len(), ChainSolver::ALL.len());
        for way in &found.ways {
            assert_eq!(way.angles[0], found.start);
            assert!(way.solved.error_m < 5e-4, "{way:?}");
            let last = way.angles[way.angles.len() - 1];
            let off = |solution: [f32; 2]| {
                let off = unwrapped(Some(last), solution);
                (off[0] - last[0]).hypot(off[1] - last[1])
            };
            let nearest = off(solutions[0]).min(off(solutions[1]));
            assert!(nearest < 0.02, "{:?} ends {nearest} rad off", way.solver);
            let steps = way.angles.windows(2);
            let longest =
                steps.map(|it| (it[1][0] - it[0][0]).abs().max((it[1][1] - it[0][1]).abs()));
            assert!(longest.fold(0.0, f32::max) < 3.2, "no jump by a turn");
        }
    }

    #[test]
    fn the_map_is_lowest_at_the_solutions() {
        let skeleton = cmu_like();
        let rest = skeleton.rest_model();
        let foot = find_joint(&skeleton, "right_foot").unwrap();
        let target = rest.joints()[usize::from(foot)].translation + Vec3A::new(0.0, 0.2, 0.1);
        let found = ChainSpace::of(&skeleton, (foot, target), &rest, &[]).unwrap();
        let heights = found.heights(72);
        let cell = |angle: f32| {
            let share = angle / std::f32::consts::TAU + 0.5;
            ((share * 72.0) as usize).min(71)
        };
        let all = heights.iter().flatten().copied();
        assert!(all.clone().all(|it| (0.0..=1.0).contains(&it)));
        for solution in found.space.solutions().unwrap() {
            let low = heights[cell(solution[1])][cell(solution[0])];
            assert!(low < 0.06, "{low}");
        }
    }

    #[test]
    fn a_joint_without_two_bones_has_no_map() {
        let skeleton = cmu_like();
        let rest = skeleton.rest_model();
        let found = ChainSpace::of(&skeleton, (0, Vec3A::ONE), &rest, &ChainSolver::ALL);
        assert!(found.is_none());
    }
}
