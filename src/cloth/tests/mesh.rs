//! Sheets of any triangles.

use super::*;

/// A round cloth of rings, every second one turned by half a step; its middle
/// has more neighbours than there are groups of constraints.
fn round(radius_m: f32, rings: usize, around: usize, y: f32) -> Sheet {
    let mut positions = vec![Vec3::Y * y];
    for ring in 1..=rings {
        for step in 0..around {
            let angle_step = step as f32 + 0.5 * (ring % 2) as f32;
            let (sin, cos) = (angle_step / around as f32 * std::f32::consts::TAU).sin_cos();
            let r = radius_m * ring as f32 / rings as f32;
            positions.push(Vec3::new(cos * r, y, -sin * r));
        }
    }
    let at = |ring: usize, step: usize| (1 + (ring - 1) * around + step % around) as u32;
    let mut triangles = Vec::new();
    for step in 0..around {
        triangles.push([0, at(1, step), at(1, step + 1)]);
    }
    for ring in 1..rings {
        for step in 0..around {
            let (inner, outer) = (ring, ring + 1);
            let ahead = step + ring % 2;
            triangles.push([at(inner, step), at(outer, ahead), at(inner, step + 1)]);
            triangles.push([
                at(inner, step),
                at(outer, ahead + around - 1),
                at(outer, ahead),
            ]);
        }
    }
    Sheet::mesh(positions, triangles)
}

/// A round cloth of even triangles.
fn lattice(radius_m: f32, cell_m: f32, y: f32) -> Sheet {
    let count = (radius_m / cell_m) as i32 + 1;
    let mut index = std::collections::BTreeMap::new();
    let mut positions = Vec::new();
    for b in -2 * count..=2 * count {
        for a in -2 * count..=2 * count {
            let x = (a as f32 + 0.5 * b as f32) * cell_m;
            let z = b as f32 * cell_m * 0.75f32.sqrt();
            if x.hypot(z) <= radius_m {
                index.insert((a, b), positions.len() as u32);
                positions.push(Vec3::new(x, y, z));
            }
        }
    }
    let mut triangles = Vec::new();
    for &(a, b) in index.keys() {
        for corners in [
            [(a, b), (a, b + 1), (a + 1, b)],
            [(a + 1, b), (a, b + 1), (a + 1, b + 1)],
        ] {
            let known = corners.map(|corner| index.get(&corner).copied());
            if let [Some(p), Some(q), Some(r)] = known {
                triangles.push([p, q, r]);
            }
        }
    }
    Sheet::mesh(positions, triangles)
}

#[test]
fn a_round_cloth_falls_by_galileo() {
    let mut cloth = Cloth::new(round(0.5, 6, 80, 0.0), in_vacuum()).unwrap();
    run(&mut cloth, 120, &[]);
    for at in cloth.positions() {
        assert!((at.y + 0.5 * 9.81).abs() < 1e-4, "{at}");
    }
}

#[test]
fn a_round_cloth_lies_over_a_ball_and_keeps_its_length() {
    let mut cloth = Cloth::new(lattice(0.6, 0.06, 0.62), ClothSettings::default()).unwrap();
    let ball = Sphere {
        centre: Vec3::Y * 0.3,
        radius_m: 0.3,
    };
    let floor = Plane {
        normal: Vec3::Y,
        offset_m: 0.0,
    };
    let colliders = [Collider::fixed(ball), Collider::fixed(floor)];
    let mut most = 0.0f32;
    for _ in 0..240 {
        assert_eq!(cloth.step(&colliders), StepOutcome::Fine);
        most = most.max(cloth.stats().max_stretch);
        for at in cloth.positions() {
            assert!(at.distance(ball.centre) > 0.3 && at.y > 0.0, "{at}");
        }
    }
    assert!(most < 1.05, "{most}");
    // It hangs down around the ball.
    let lowest = cloth.positions().map(|at| at.y).fold(f32::MAX, f32::min);
    assert!(lowest < 0.3, "{lowest}");
    let top = (0..cloth.len()).max_by(|&a, &b| {
        let height = |at: usize| cloth.position(at).y;
        height(a).total_cmp(&height(b))
    });
    let normal = cloth.normal(top.unwrap());
    assert!(normal.y > 0.8, "{normal}");
}

#[test]
fn a_mesh_that_names_no_vertex_is_refused() {
    let mut sheet = round(0.5, 2, 8, 0.0);
    let Weave::Mesh { triangles } = &mut sheet.weave else {
        panic!("a mesh");
    };
    triangles[3][1] = 400;
    let error = Cloth::new(sheet, ClothSettings::default())
        .map(|_| ())
        .unwrap_err();
    assert_eq!(error.to_string(), "vertex 400 of 17");
}
