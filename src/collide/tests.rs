use glam::{Quat, Vec3, Vec3A};
use proptest::prelude::*;

use super::*;
use crate::math::Transform;

fn tumbled() -> Obb {
    Obb::new(
        Transform::new(
            Quat::from_rotation_z(std::f32::consts::FRAC_PI_4),
            Vec3::new(1.0, 0.0, 0.0),
        ),
        Vec3::new(1.0, 2.0, 3.0),
    )
}

fn assert_near(found: f32, expected: f32) {
    assert_close!(found, expected, 1e-5);
}

#[test]
fn distances_have_their_closed_forms() {
    let sphere = Sphere {
        centre: Vec3::Y,
        radius_m: 0.5,
    };
    assert_near(sphere.signed_distance_m(Vec3A::new(3.0, 1.0, 4.0)), 4.5);
    assert_near(sphere.signed_distance_m(Vec3A::Y * 1.2), -0.3);
    let aabb = Aabb {
        low: Vec3::ZERO,
        high: Vec3::new(2.0, 4.0, 6.0),
    };
    assert_near(aabb.signed_distance_m(Vec3A::new(5.0, 8.0, 3.0)), 5.0);
    assert_near(aabb.signed_distance_m(Vec3A::new(1.0, 2.0, 5.5)), -0.5);
    let capsule = Capsule {
        start: Vec3::ZERO,
        end: Vec3::new(0.0, 0.0, 2.0),
        radius_m: 0.25,
    };
    assert_near(capsule.signed_distance_m(Vec3A::new(1.0, 0.0, 1.0)), 0.75);
    assert_near(capsule.signed_distance_m(Vec3A::new(0.0, 3.0, 6.0)), 4.75);
    let plane = Plane {
        normal: Vec3::new(0.6, 0.8, 0.0),
        offset_m: 2.0,
    };
    assert_near(plane.signed_distance_m(Vec3A::new(5.0, 5.0, -9.0)), 5.0);
    // Along the diagonal axis of the tumbled box its face is 1 m away.
    let along = Vec3A::new(1.0, 0.0, 0.0) + Vec3A::new(0.5f32.sqrt(), 0.5f32.sqrt(), 0.0) * 3.0;
    assert_near(tumbled().signed_distance_m(along), 2.0);
}

#[test]
fn the_nearest_face_is_the_target() {
    let aabb = Aabb {
        low: Vec3::ZERO,
        high: Vec3::new(2.0, 4.0, 6.0),
    };
    let found = aabb.surface(Vec3A::new(1.7, 2.0, 3.0));
    assert_eq!(found.normal, Vec3A::X);
    assert_close!(found.point, Vec3A::new(2.0, 2.0, 3.0), 1e-6);
    assert_near(found.distance_m, -0.3);
}

#[test]
fn degenerate_shapes_still_answer() {
    let dot = Sphere {
        centre: Vec3::ZERO,
        radius_m: 0.0,
    };
    let stick = Capsule {
        start: Vec3::ONE,
        end: Vec3::ONE,
        radius_m: 0.1,
    };
    let sheet = Aabb {
        low: Vec3::ZERO,
        high: Vec3::new(1.0, 0.0, 1.0),
    };
    for shape in [Shape::from(dot), stick.into(), sheet.into()] {
        for point in [Vec3A::ZERO, Vec3A::ONE, Vec3A::new(0.5, 0.0, 0.5)] {
            let found = shape.surface(point);
            assert!(found.point.is_finite() && found.normal.is_normalized());
        }
    }
}

#[test]
fn a_thin_wall_stops_a_fast_point() {
    let wall = Aabb {
        low: Vec3::new(-1.0, -1.0, -0.001),
        high: Vec3::new(1.0, 1.0, 0.001),
    };
    let (_, local_shape) = wall.local_shape();
    let hit = local_shape
        .sweep(Vec3A::Z * 2.0, Vec3A::Z * -2.0, 0.0)
        .unwrap();
    assert_near(hit.fraction, 1.999 / 4.0);
    assert_eq!(hit.normal, Vec3A::Z);
    let alongside = Vec3A::new(1.1, 0.0, 2.0);
    assert!(
        local_shape
            .sweep(alongside, alongside - Vec3A::Z * 4.0, 0.0)
            .is_none(),
        "it passes beside the wall"
    );
}

#[test]
fn a_carried_point_has_the_velocity_of_the_rotation() {
    let rotation = Transform::from_rotation(Quat::from_rotation_y(0.01));
    let sphere = Sphere {
        centre: Vec3::X,
        radius_m: 0.1,
    };
    let collider = Collider::moving(sphere, Transform::IDENTITY, rotation);
    let velocity = collider.velocity_of(Vec3A::X, 0.01);
    assert_close!(
        velocity,
        Vec3A::new(0.0, 0.0, -1.0),
        6e-3, // chord, not arc
        "{velocity}"
    );
    assert_eq!(collider.at(0.0), collider.start);
    assert!(collider.swept_bounds(0.0, 1.0, 0.0).overlaps(&Bounds {
        low: Vec3A::X * 1.1,
        high: Vec3A::X * 2.0
    }));
}

#[test]
fn a_box_fitted_to_a_turned_box_is_that_box() {
    let rotation = Quat::from_rotation_y(std::f32::consts::FRAC_PI_8);
    let corners: Vec<Vec3A> = (0..8)
        .map(|corner| {
            let pick = |bit: i32, half: f32| if corner >> bit & 1 == 1 { half } else { -half };
            rotation * Vec3A::new(pick(0, 0.1), pick(1, 0.4), pick(2, 0.2)) + Vec3A::Y
        })
        .collect();
    let fitted = fit_obb(&corners, Vec3::Y).unwrap();
    let mut sizes = fitted.half_extents_m.to_array();
    sizes.sort_by(f32::total_cmp);
    for (found, expected) in sizes.into_iter().zip([0.1, 0.2, 0.4]) {
        assert_near(found, expected);
    }
    assert_close!(fitted.world_from_box.translation, Vec3A::Y, 1e-5);
    assert!(fit_obb(&[], Vec3::Y).is_none() && fit_capsule(&[], Vec3::Y).is_none());
    let capsule = fit_capsule(&corners, Vec3::Y).unwrap();
    assert_near(capsule.radius_m, 0.05f32.sqrt());
}

fn any_vec(reach: f32) -> impl Strategy<Value = Vec3> {
    (-reach..reach, -reach..reach, -reach..reach).prop_map(Vec3::from)
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let rotation = any_vec(3.0).prop_map(|v| Quat::from_scaled_axis(v));
    let obb = (rotation, any_vec(1.0), any_vec(1.0)).prop_map(|(rotation, centre, size)| {
        Shape::from(Obb::new(
            Transform::new(rotation, centre),
            size.abs() + 0.01,
        ))
    });
    let ends = (any_vec(1.0), any_vec(1.0), 0.01f32..0.5);
    let capsule = ends.prop_map(|(start, end, radius_m)| {
        Shape::from(Capsule {
            start,
            end,
            radius_m,
        })
    });
    let sphere = (any_vec(1.0), 0.01f32..0.5)
        .prop_map(|(centre, radius_m)| Shape::from(Sphere { centre, radius_m }));
    let plane = (any_vec(1.0), -1.0f32..1.0).prop_map(|(normal, offset_m)| {
        Shape::from(Plane {
            normal: normal.normalize_or(Vec3::Y),
            offset_m,
        })
    });
    prop_oneof![obb, capsule, sphere, plane]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(8), ..ProptestConfig::default() })]

    #[test]
    fn the_surface_point_lies_on_the_surface(shape in any_shape(), point in any_vec(2.0)) {
        let point = Vec3A::from(point);
        let found = shape.surface(point);
        prop_assert!(shape.signed_distance_m(found.point).abs() < 2e-5);
        prop_assert!(((point - found.point).length() - found.distance_m.abs()).abs() < 2e-5);
        prop_assert!(found.normal.is_normalized());
        prop_assert_eq!(shape.contains(point), found.distance_m <= 0.0);
    }

    #[test]
    fn nothing_is_nearer_than_the_distance(
        shape in any_shape(), point in any_vec(2.0), displacement in any_vec(1.0)
    ) {
        let (point, displacement) = (Vec3A::from(point), Vec3A::from(displacement));
        let distance = shape.signed_distance_m(point);
        let there = shape.signed_distance_m(point + displacement);
        prop_assert!((there - distance).abs() <= displacement.length() + 1e-5);
    }

    #[test]
    fn a_sweep_finds_what_dense_samples_find(
        shape in any_shape(), from in any_vec(2.0), to in any_vec(2.0)
    ) {
        let (frame, local_shape) = shape.local_shape();
        let (from, to) = (
            frame.inverse().transform_point(from.into()),
            frame.inverse().transform_point(to.into()),
        );
        let deepest = (0..=400)
            .map(|k| local_shape.signed_distance_m(from.lerp(to, k as f32 / 400.0)))
            .fold(f32::INFINITY, f32::min);
        match local_shape.sweep(from, to, 0.0) {
            Some(hit) => {
                let there = local_shape.signed_distance_m(from.lerp(to, hit.fraction));
                prop_assert!(there < 1e-2, "a hit at distance {}", there);
            }
            None => prop_assert!(deepest > -1e-4, "missed a depth of {}", deepest),
        }
    }

    #[test]
    fn the_way_out_leads_out(shape in any_shape(), point in any_vec(1.0), displacement in any_vec(1.0)) {
        let (frame, local_shape) = shape.local_shape();
        let point = frame.inverse().transform_point(point.into());
        let direction = Vec3A::from(displacement).normalize_or(Vec3A::Y);
        let far = local_shape.exit_m(point, direction, 0.01);
        if far.is_finite() {
            let out = point + direction * far;
            prop_assert!(local_shape.signed_distance_m(out) > 0.01 - 1e-4);
        }
    }
}

mod triangles {
    use glam::Vec3A;

    use super::super::*;
    use crate::testing::Random;

    fn point(random: &mut Random, reach: f32) -> Vec3A {
        Vec3A::from_array([(); 3].map(|()| random.between(-reach, reach)))
    }

    fn triangle(random: &mut Random) -> [Vec3A; 3] {
        [(); 3].map(|()| point(random, 1.0))
    }

    /// Against a search over the triangle in steps of 1/60 of its sides.
    #[test]
    fn the_nearest_point_is_nearer_than_any_other() {
        let random = &mut Random::new(7);
        for _ in 0..300 {
            let corners = triangle(random);
            let at = point(random, 2.0);
            let found = nearest_on_triangle(corners, at);
            let sum: Vec3A = corners.iter().zip(found.weights).map(|(&c, w)| c * w).sum();
            assert_close!(found.point, sum, 1e-5);
            assert_close!(found.weights.iter().sum::<f32>(), 1.0, 1e-5);
            assert!(found.weights.iter().all(|&weight| weight >= -1e-6));
            let own = found.point.distance(at);
            for i in 0..=60 {
                for j in 0..=60 - i {
                    let [u, v] = [i, j].map(|k| k as f32 / 60.0);
                    let other = corners[0] * (1.0 - u - v) + corners[1] * u + corners[2] * v;
                    assert!(other.distance(at) > own - 1e-5);
                }
            }
        }
    }

    /// Against many points of one triangle's plane cut: two triangles cross where
    /// an edge of one has an end on either side of the other and meets it.
    #[test]
    fn triangles_that_cross_are_told_from_those_that_do_not() {
        let flat = |z: f32| [[-1.0, -1.0, z], [1.0, -1.0, z], [0.0, 1.0, z]].map(Vec3A::from);
        let spike =
            |x: f32, low: f32| [[x, 0.0, low], [x + 0.1, 0.0, 1.0], [x, 0.1, 1.0]].map(Vec3A::from);
        assert!(triangles_cross(flat(0.0), spike(0.0, -1e-4)), "pierced");
        assert!(!triangles_cross(flat(0.0), spike(0.0, 1e-4)), "above");
        assert!(!triangles_cross(flat(0.0), spike(2.0, -1.0)), "beside");
        assert!(!triangles_cross(flat(0.0), flat(0.0)), "in one plane");
        assert!(!triangles_cross(flat(0.0), flat(1e-6)), "parallel");
        let random = &mut Random::new(8);
        let mut crossed = 0;
        for _ in 0..2000 {
            let (a, b) = (triangle(random), triangle(random));
            let cross = triangles_cross(a, b);
            assert_eq!(cross, triangles_cross(b, a));
            crossed += usize::from(cross);
            // What lies on one side of the other's plane does not cross it.
            let normal = (b[1] - b[0]).cross(b[2] - b[0]);
            let heights = a.map(|corner| (corner - b[0]).dot(normal));
            let one_side = heights.iter().all(|&h| h > 1e-5) || heights.iter().all(|&h| h < -1e-5);
            assert!(!(one_side && cross));
        }
        assert!(crossed > 100, "{crossed}");
    }

    #[test]
    fn a_tree_finds_what_a_look_at_everything_finds() {
        let random = &mut Random::new(9);
        for count in [0, 1, 2, 3, 7, 100, 1000] {
            let boxes: Vec<Bounds> = (0..count)
                .map(|_| {
                    let (low, size) = (point(random, 1.0), point(random, 0.1).abs());
                    Bounds {
                        low,
                        high: low + size,
                    }
                })
                .collect();
            let centres: Vec<Vec3A> = boxes.iter().map(|it| it.low).collect();
            let mut tree = BoxTree::over(&centres);
            // Moved since it was built.
            let moved = |item: u32| Bounds {
                low: boxes[item as usize].low * 1.5,
                high: boxes[item as usize].high * 1.5 + 0.1,
            };
            tree.refit(moved);
            for _ in 0..50 {
                let (low, size) = (point(random, 1.5), point(random, 0.4).abs());
                let around = Bounds {
                    low,
                    high: low + size,
                };
                let mut found = Vec::new();
                tree.query(&around, |item| found.push(item));
                found.sort_unstable();
                let all = (0..count as u32).filter(|&it| moved(it).overlaps(&around));
                assert_eq!(found, all.collect::<Vec<_>>());
            }
        }
    }

    /// A ball of triangles: eight times a face of an octahedron, cut in parts.
    pub fn ball(cuts: usize) -> (Vec<Vec3A>, Vec<[u32; 3]>) {
        let (mut places, mut triangles) = (Vec::new(), Vec::new());
        let mut known = std::collections::HashMap::new();
        for sign in 0..8u8 {
            let signs = [0, 1, 2].map(|axis| if sign >> axis & 1 == 0 { 1i32 } else { -1 });
            let mut vertex = |i: usize, j: usize| {
                let k = cuts - i - j;
                let whole = [
                    i as i32 * signs[0],
                    j as i32 * signs[1],
                    k as i32 * signs[2],
                ];
                *known.entry(whole).or_insert_with(|| {
                    places.push(Vec3A::from_array(whole.map(|it| it as f32)).normalize());
                    places.len() as u32 - 1
                })
            };
            let turned = signs.iter().product::<i32>() < 0;
            let mut push = |[a, b, c]: [u32; 3]| {
                triangles.push(if turned { [a, c, b] } else { [a, b, c] });
            };
            for i in 0..cuts {
                for j in 0..cuts - i {
                    push([vertex(i, j), vertex(i + 1, j), vertex(i, j + 1)]);
                    if i + j + 2 <= cuts {
                        push([vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)]);
                    }
                }
            }
        }
        (places, triangles)
    }

    #[test]
    fn a_walk_comes_to_the_nearest_point_of_a_ball_and_knows_the_side() {
        let (places, triangles) = ball(8);
        let shape = MeshShape::new(&places, &triangles);
        let random = &mut Random::new(10);
        assert!((0..triangles.len() as u32).all(|it| shape.is_closed(it)));
        let mut from = 0;
        for _ in 0..500 {
            let at = point(random, 1.6);
            if at.length() < 1.05 {
                continue;
            }
            // From anywhere: a walk of twelve may end on its way, so it goes on.
            let mut found = shape.walk_to_nearest(from, &places, at);
            for _ in 0..8 {
                found = shape.walk_to_nearest(found.triangle, &places, at);
            }
            let all = (0..triangles.len() as u32).map(|it| shape.nearest_of(it, &places, at));
            let nearest = all
                .map(|it| it.distance_m.abs())
                .fold(f32::INFINITY, f32::min);
            assert_close!(found.distance_m, nearest, 1e-5);
            assert!(
                shape
                    .nearest_of(found.triangle, &places, at * 0.97 / at.length())
                    .distance_m
                    < 0.0
            );
            from = found.triangle;
        }
    }

    #[test]
    fn a_part_that_is_inside_out_is_turned_and_a_torn_one_is_open() {
        let (places, mut triangles) = ball(4);
        triangles
            .iter_mut()
            .for_each(|triangle| triangle.swap(1, 2));
        let shape = MeshShape::new(&places, &triangles);
        let outward = |it: u32| {
            shape
                .area_normal(it, &places)
                .dot(shape.corners(it, &places)[0])
        };
        assert!((0..triangles.len() as u32).all(|it| outward(it) > 0.0));
        triangles.pop();
        let open = MeshShape::new(&places, &triangles);
        assert!(!open.is_closed(0));
    }
}
