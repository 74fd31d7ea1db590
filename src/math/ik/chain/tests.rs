//! Random targets, targets out of reach, targets beside each other.

use super::*;
use crate::testing::Random;

fn limb() -> Vec<Vec3A> {
    vec![
        Vec3A::new(0.2, 1.4, 0.0),
        Vec3A::new(0.25, 1.1, -0.03),
        Vec3A::new(0.22, 0.86, 0.06),
    ]
}

/// Pelvis, three of the spine, shoulder, elbow, wrist.
fn long() -> Vec<Vec3A> {
    let at = |x, y, z| Vec3A::new(x, y, z);
    vec![
        at(0.0, 1.0, 0.0),
        at(0.0, 1.12, 0.01),
        at(0.01, 1.25, 0.0),
        at(0.15, 1.4, 0.0),
        at(0.22, 1.12, -0.04),
        at(0.24, 0.88, 0.08),
    ]
}

fn direction(random: &mut Random) -> Vec3A {
    let way = Vec3A::new(random.signed(), random.signed(), random.signed());
    way.normalize_or(Vec3A::X)
}

fn lengths(points: &[Vec3A]) -> Vec<f32> {
    points.windows(2).map(|it| it[0].distance(it[1])).collect()
}

/// Least and most distance from the root.
fn reach(points: &[Vec3A], solver: ChainSolver) -> (f32, f32) {
    let mut lengths = lengths(points);
    // Of the closed form: its two stiff halves.
    if solver == ChainSolver::TwoBone {
        let middle = points[(points.len() - 1) / 2];
        lengths = vec![
            points[0].distance(middle),
            middle.distance(points[points.len() - 1]),
        ];
    }
    let sum: f32 = lengths.iter().sum();
    let longest = lengths.iter().copied().fold(0.0, f32::max);
    ((2.0 * longest - sum).max(0.0), sum)
}

fn solve(solver: ChainSolver, start: &[Vec3A], target: Vec3A) -> (Vec<Vec3A>, Solved) {
    let mut points = start.to_vec();
    let solved = solver.solve(&mut points, (target, Vec3A::NEG_Z), |_| {});
    assert!(points.iter().all(|it| it.is_finite()), "{target}");
    assert_eq!(points[0], start[0], "the root stays");
    for (new, old) in lengths(&points).into_iter().zip(lengths(start)) {
        assert_close!(new, old, 1e-4, "{solver:?} to {target}");
    }
    (points, solved)
}

#[test]
fn ten_thousand_reachable_targets_are_reached() {
    for solver in ChainSolver::ALL {
        let most_m = match solver {
            ChainSolver::TwoBone => 1e-4,
            _ => 5e-4,
        };
        for start in [limb(), long()] {
            let mut random = Random::new(19);
            let (least_m, full_m) = reach(&start, solver);
            let (mut rounds, mut worst_m) = (0, 0f32);
            for _ in 0..10_000 {
                let distance = random.between(least_m, full_m);
                let target = start[0] + direction(&mut random) * distance;
                let (_, solved) = solve(solver, &start, target);
                let near = solved.error_m <= most_m;
                assert!(
                    near,
                    "{solver:?} to {target}: {solved:?}, {distance} of {full_m}"
                );
                rounds += solved.rounds;
                worst_m = worst_m.max(solved.error_m);
            }
            println!(
                "{solver:?}, {} bones: {} rounds a target, worst {} mm",
                start.len() - 1,
                f64::from(rounds) / 10_000.0,
                worst_m * 1000.0
            );
        }
    }
}

#[test]
fn out_of_reach_the_chain_is_stretched_towards_the_target() {
    let mut random = Random::new(3);
    for solver in ChainSolver::ALL {
        for start in [limb(), long()] {
            let (_, full_m) = reach(&start, solver);
            for _ in 0..500 {
                let towards = direction(&mut random);
                let target = start[0] + towards * full_m * random.between(1.001, 9.0);
                let (points, _) = solve(solver, &start, target);
                let end = points[points.len() - 1] - start[0];
                assert_close!(end.length(), full_m, 2e-4, "{solver:?}");
                assert!(end.normalize().dot(towards) > 0.999_99, "{solver:?}");
            }
        }
    }
}

#[test]
fn neighbouring_targets_have_neighbouring_poses() {
    let mut random = Random::new(11);
    for solver in ChainSolver::ALL {
        for start in [limb(), long()] {
            let (least_m, full_m) = reach(&start, solver);
            for _ in 0..60 {
                // A path of steps of 1 mm from where the end is, within what is
                // neither folded nor stretched: there a joint moves by many times
                // what its end does, by geometry alone.
                let goal = start[0]
                    + direction(&mut random)
                        * random.between(least_m + 0.3 * full_m, 0.93 * full_m);
                let end = start[start.len() - 1];
                let steps = (end.distance(goal) / 1e-3).ceil().max(1.0);
                let mut before = start.clone();
                for step in 1..=steps as usize {
                    let target = end.lerp(goal, step as f32 / steps);
                    let distance = target.distance(start[0]);
                    if !(0.3 * full_m..0.95 * full_m).contains(&distance) {
                        break;
                    }
                    let (points, _) = solve(solver, &before, target);
                    let moved = points.iter().zip(&before).map(|(a, b)| a.distance(*b));
                    let most_m = moved.fold(0.0, f32::max);
                    assert!(most_m < 0.012, "{solver:?}: {most_m} m at {target}");
                    before = points;
                }
            }
        }
    }
}

#[test]
fn nothing_degenerate_makes_a_nan() {
    let straight: Vec<Vec3A> = (0..4).map(|i| Vec3A::Y * i as f32 * 0.3).collect();
    let points = vec![Vec3A::ONE; 4];
    for solver in ChainSolver::ALL {
        for start in [
            limb(),
            long(),
            straight.clone(),
            points.clone(),
            limb()[..2].to_vec(),
        ] {
            for target in [
                start[0],
                start[0] + Vec3A::Y * 1e-9,
                start[0] + Vec3A::Y * 0.4,
                start[0] - Vec3A::Y * 0.4,
                start[start.len() - 1],
                Vec3A::splat(1e6),
            ] {
                solve(solver, &start, target);
            }
            let mut kept = start.clone();
            solver.solve(&mut kept, (Vec3A::NAN, Vec3A::ZERO), |_| {});
            assert_eq!(kept, start);
        }
        solver.solve(&mut [], (Vec3A::ZERO, Vec3A::ZERO), |_| {});
    }
}
