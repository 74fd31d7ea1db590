//! The configuration space of a chain of two joints: every pose is a point
//! whose coordinates are its two angles, and how far its end is from the target
//! is a landscape over them. A solver walks down into it.
//!
//! The plane is the one that a closed form bends the limb in: through the root,
//! the target and the side of the middle joint. A pose beside that plane is
//! shown as it looks from straight above.

use glam::{Vec2, Vec3A};

use super::bend_side;

/// Two bones in a plane and a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfigurationSpace {
    root: Vec3A,
    /// The plane's own axes; a first angle of 0 is along the first.
    axes: [Vec3A; 2],
    bones_m: [f32; 2],
    target: Vec2,
}

impl ConfigurationSpace {
    /// Of a limb that is to reach a target. The first angle is counted from
    /// `down`, towards the side that the limb is bent to; the second is the bend,
    /// 0 where the limb is straight.
    #[must_use]
    pub fn new([root, middle, end]: [Vec3A; 3], target: Vec3A, down: Vec3A) -> Self {
        let towards = (target - root).normalize_or((end - root).normalize_or(Vec3A::NEG_Y));
        let side = bend_side(towards, middle - root, end - middle);
        let normal = towards.cross(side);
        let flat = down - normal * normal.dot(down);
        let first = flat.try_normalize().unwrap_or(towards);
        let axes = [first, normal.cross(first)];
        let in_plane =
            |point: Vec3A| Vec2::new(axes[0].dot(point - root), axes[1].dot(point - root));
        Self {
            root,
            axes,
            bones_m: [root.distance(middle), middle.distance(end)],
            target: in_plane(target),
        }
    }

    /// Where two angles bring the end, metres in the plane.
    #[must_use]
    pub fn end(&self, [first, bend]: [f32; 2]) -> Vec2 {
        let [upper_m, lower_m] = self.bones_m;
        Vec2::from_angle(first) * upper_m + Vec2::from_angle(first + bend) * lower_m
    }

    /// How far the end is from the target, metres.
    #[must_use]
    pub fn error_m(&self, angles: [f32; 2]) -> f32 {
        self.end(angles).distance(self.target)
    }

    /// The largest error there is: for a scale of colours.
    #[must_use]
    pub fn most_error_m(&self) -> f32 {
        self.bones_m[0] + self.bones_m[1] + self.target.length()
    }

    /// The angles of a pose, each within half a turn of 0.
    #[must_use]
    pub fn angles(&self, [_, middle, end]: [Vec3A; 3]) -> [f32; 2] {
        let [middle, end] = [middle, end].map(|point| self.in_plane(point));
        let upper = middle.to_angle();
        [upper, wrapped((end - middle).to_angle() - upper)]
    }

    fn in_plane(&self, point: Vec3A) -> Vec2 {
        let from_root = point - self.root;
        Vec2::new(self.axes[0].dot(from_root), self.axes[1].dot(from_root))
    }

    /// The two poses that reach the target, bent to either side; none out of
    /// reach.
    #[must_use]
    pub fn solutions(&self) -> Option<[[f32; 2]; 2]> {
        let [upper_m, lower_m] = self.bones_m;
        let square = self.target.length_squared();
        let cosine =
            (square - upper_m * upper_m - lower_m * lower_m) / (2.0 * upper_m * lower_m).max(1e-9);
        let bend = (cosine.abs() <= 1.0).then(|| cosine.acos())?;
        Some([bend, -bend].map(|bend| {
            let off = (lower_m * bend.sin()).atan2(upper_m + lower_m * bend.cos());
            [wrapped(self.target.to_angle() - off), bend]
        }))
    }
}

/// An angle within half a turn of 0.
fn wrapped(angle: f32) -> f32 {
    let turn = std::f32::consts::TAU;
    angle - (angle / turn).round() * turn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        math::ik::{ChainSolver, REACHED_M},
        testing::Random,
    };

    fn limb() -> [Vec3A; 3] {
        [
            Vec3A::new(0.2, 1.4, 0.0),
            Vec3A::new(0.25, 1.1, -0.03),
            Vec3A::new(0.22, 0.86, 0.06),
        ]
    }

    #[test]
    fn both_closed_forms_lie_at_the_bottom_and_solvers_end_there() {
        let mut random = Random::new(8);
        for _ in 0..200 {
            let way = Vec3A::new(random.signed(), random.signed(), random.signed());
            let target = limb()[0] + way.normalize_or(Vec3A::X) * random.between(0.1, 0.5);
            let space = ConfigurationSpace::new(limb(), target, Vec3A::NEG_Y);
            let solutions = space.solutions().unwrap();
            for angles in solutions {
                assert!(space.error_m(angles) < 1e-5, "{}", space.error_m(angles));
            }
            for solver in ChainSolver::ALL {
                let mut points = limb();
                let solved = solver.solve(&mut points, (target, Vec3A::NEG_Z), |_| {});
                assert!(solved.error_m <= 2.0 * REACHED_M);
                let angles = space.angles(points);
                // Solvers that walk through space may end in another plane; the
                // closed form stays in this one.
                if solver == ChainSolver::TwoBone {
                    assert_close!(space.error_m(angles), 0.0, 1e-4);
                    let near = |it: [f32; 2]| (it[1] - angles[1]).abs() < 2e-3;
                    assert!(solutions.into_iter().any(near), "{angles:?} {solutions:?}");
                }
            }
        }
    }

    #[test]
    fn out_of_reach_there_is_no_solution_and_the_straight_limb_is_nearest() {
        let target = limb()[0] + Vec3A::new(0.0, -2.0, 0.5);
        let space = ConfigurationSpace::new(limb(), target, Vec3A::NEG_Y);
        assert_eq!(space.solutions(), None);
        let towards = space.target.to_angle();
        let least = space.error_m([towards, 0.0]);
        for step in 0..64 {
            let angle = step as f32 * 0.1;
            assert!(space.error_m([angle, 0.3]) > least);
            assert!(space.error_m([angle, 0.0]) <= space.most_error_m());
        }
    }
}
