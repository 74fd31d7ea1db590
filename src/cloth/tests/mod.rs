//! Closed forms, shapes, pins and bad input; air, layers, meshes and threads
//! have files of their own.

mod layers;
mod mesh;
mod solvers;
mod threads;
mod wind;

use glam::{Quat, Vec2, Vec3};

use super::*;
use crate::{
    collide::{Aabb, Capsule, Collider, Obb, Plane, Shape, Solid, Sphere},
    math::Transform,
};

/// A sheet that hangs by its top edge in the plane z = 0.
fn hanging(side: usize) -> Sheet {
    let mut sheet = Sheet::rectangle([side, side], Vec2::splat(1.0), |fraction| {
        Vec3::new(fraction.x - 0.5, 2.0 - fraction.y, 0.0)
    });
    sheet.pins = (0..side as u32).collect();
    sheet
}

/// A level sheet at a height.
fn level(side: usize, size_m: f32, y: f32) -> Sheet {
    Sheet::rectangle([side, side], Vec2::splat(size_m), |fraction| {
        Vec3::new((fraction.x - 0.5) * size_m, y, (fraction.y - 0.5) * size_m)
    })
}

fn in_vacuum() -> ClothSettings {
    let mut settings = ClothSettings {
        damping_per_sec: 0.0,
        ..ClothSettings::default()
    };
    settings.wind.drag = 0.0;
    settings.wind.lift = 0.0;
    settings
}

fn run(cloth: &mut Cloth, steps: usize, colliders: &[Collider]) {
    for step in 0..steps {
        assert_eq!(cloth.step(colliders), StepOutcome::Fine, "step {step}");
    }
}

#[test]
fn a_free_sheet_falls_by_galileo() {
    let mut cloth = Cloth::new(level(9, 1.0, 0.0), in_vacuum()).unwrap();
    run(&mut cloth, 120, &[]);
    for at in cloth.positions() {
        assert!((at.y + 0.5 * 9.81).abs() < 1e-4, "{at}");
    }
}

#[test]
fn the_published_mode_falls_by_its_own_recurrence() {
    let mut cloth = Cloth::new(level(9, 1.0, 0.0), ClothSettings::published()).unwrap();
    run(&mut cloth, 120, &[]);
    let (mut y, mut v) = (0.0f64, 0.0f64);
    for _ in 0..120 {
        v = (v - 9.81 / 120.0) * 0.99;
        y += v / 120.0;
    }
    for at in cloth.positions() {
        assert_close!(f64::from(at.y), y, 1e-4, "{at}");
    }
}

/// The catenary's parameter, from its length and span.
fn catenary_parameter(length: f64, span: f64) -> f64 {
    let (mut low, mut high) = (1e-3, 20.0f64);
    for _ in 0..100 {
        let u = 0.5 * (low + high);
        if u.sinh() / u < length / span {
            low = u;
        } else {
            high = u;
        }
    }
    span / (2.0 * low)
}

#[test]
fn a_strand_hangs_in_a_catenary() {
    let (count, span, length) = (41, 1.2f32, 2.0f32);
    let mut sheet = Sheet::rectangle([count, 1], Vec2::new(length, 0.05), |fraction| {
        Vec3::new((fraction.x - 0.5) * span, 0.0, 0.0)
    });
    sheet.pins = vec![0, count as u32 - 1];
    let mut settings = ClothSettings {
        damping_per_sec: 3.0,
        ..in_vacuum()
    };
    settings.compliance.bend_m_per_n = 1e6;
    let mut cloth = Cloth::new(sheet, settings).unwrap();
    run(&mut cloth, 1200, &[]);
    let a = catenary_parameter(f64::from(length), f64::from(span));
    let height = |x: f64| a * ((x / a).cosh() - (0.5 * f64::from(span) / a).cosh());
    let sag = -height(0.0);
    for at in cloth.positions() {
        let off = (f64::from(at.y) - height(f64::from(at.x))).abs();
        assert!(off < 0.01 * sag, "{at}: off by {off} of a sag of {sag}");
    }
}

/// How far a sheet slides down an incline in a second.
fn slide_m(angle_deg: f32, friction: f32) -> f32 {
    let angle = angle_deg.to_radians();
    let normal = Vec3::new(angle.sin(), angle.cos(), 0.0);
    let plane = Plane {
        normal,
        offset_m: 0.0,
    };
    let settings = ClothSettings {
        friction,
        ..in_vacuum()
    };
    let rotation = Quat::from_rotation_z(-angle);
    let lift = normal * settings.thickness_m;
    let sheet = Sheet::rectangle([12, 12], Vec2::splat(0.5), |fraction| {
        rotation * Vec3::new(fraction.x - 0.5, 0.0, fraction.y - 0.5) * 0.5 + lift
    });
    let starts = sheet.positions.clone();
    let mut cloth = Cloth::new(sheet, settings).unwrap();
    run(&mut cloth, 120, &[Collider::fixed(plane)]);
    let distances = cloth
        .positions()
        .zip(starts)
        .map(|(at, start)| at.distance(start));
    distances.sum::<f32>() / cloth.len() as f32
}

#[test]
fn a_sheet_on_an_incline_sticks_or_slides_by_its_friction_angle() {
    for friction in [0.2f32, 0.5, 0.9] {
        let critical = friction.atan().to_degrees();
        let held = slide_m(critical - 1.0, friction);
        assert!(held < 1e-3, "slid {held} m below the angle of {friction}");
        let angle = (critical + 1.0).to_radians();
        let expected = 0.5 * 9.81 * (angle.sin() - friction * angle.cos());
        let slid = slide_m(critical + 1.0, friction);
        assert_close!(
            slid / expected,
            1.0,
            0.1,
            "{friction}: slid {slid} m instead of {expected}"
        );
    }
}

#[test]
fn a_pinned_point_never_moves() {
    let sheet = hanging(16);
    let starts = sheet.positions.clone();
    for settings in [ClothSettings::default(), ClothSettings::published()] {
        let mut cloth = Cloth::new(sheet.clone(), settings).unwrap();
        let ball = Sphere {
            centre: Vec3::new(0.0, 1.75, 0.12),
            radius_m: 0.1,
        };
        run(&mut cloth, 60, &[Collider::fixed(ball)]);
        for (pin, start) in starts.iter().enumerate().take(16) {
            assert_eq!(cloth.position(pin), *start);
            assert_eq!(cloth.velocity(pin), Vec3::ZERO);
        }
    }
}

#[test]
fn same_input_same_bits() {
    let bits = || {
        let mut cloth = Cloth::new(hanging(20), ClothSettings::default()).unwrap();
        let mut found = Vec::new();
        for step in 0..80 {
            let pose = |k: f32| Transform::from_translation(Vec3::new(0.0, 1.4, 0.4 - 0.01 * k));
            let ball = Sphere {
                centre: Vec3::ZERO,
                radius_m: 0.15,
            };
            let k = step as f32;
            let moving = Collider::moving(ball, pose(k), pose(k + 1.0));
            assert_eq!(cloth.step(&[moving]), StepOutcome::Fine);
            let numbers = cloth.positions().flat_map(|at| at.to_array());
            found.extend(numbers.map(f32::to_bits));
        }
        found
    };
    assert!(bits() == bits());
}

#[test]
fn a_hanging_sheet_keeps_its_length_and_does_not_shake() {
    let mut cloth = Cloth::new(hanging(24), ClothSettings::default()).unwrap();
    run(&mut cloth, 480, &[]);
    let before: Vec<Vec3> = cloth.positions().collect();
    assert!(cloth.stats().max_stretch < 1.01, "{:?}", cloth.stats());
    run(&mut cloth, 1, &[]);
    let moved = cloth.positions().zip(before).map(|(a, b)| a.distance(b));
    let most = moved.fold(0.0, f32::max);
    assert!(most < 5e-5, "{most} m in a step at rest");
}

fn shapes() -> [Shape; 5] {
    let sphere = Sphere {
        centre: Vec3::ZERO,
        radius_m: 0.3,
    };
    let aabb = Aabb {
        low: Vec3::splat(-0.25),
        high: Vec3::splat(0.25),
    };
    let tilt = Transform::from_rotation(Quat::from_rotation_x(0.6));
    let capsule = Capsule {
        start: Vec3::new(-0.3, 0.0, 0.0),
        end: Vec3::new(0.3, 0.1, 0.0),
        radius_m: 0.15,
    };
    let plane = Plane {
        normal: Vec3::new(0.1, 1.0, 0.0).normalize(),
        offset_m: 0.1,
    };
    [
        sphere.into(),
        aabb.into(),
        Obb::new(tilt, Vec3::new(0.3, 0.2, 0.15)).into(),
        capsule.into(),
        plane.into(),
    ]
}

#[test]
fn a_sheet_rests_on_every_shape_outside_of_it() {
    for shape in shapes() {
        for settings in [ClothSettings::default(), ClothSettings::published()] {
            let mut cloth = Cloth::new(level(16, 1.0, 0.5), settings).unwrap();
            let colliders = [Collider::fixed(shape)];
            let mut met = 0;
            for _ in 0..90 {
                assert_eq!(cloth.step(&colliders), StepOutcome::Fine);
                met += cloth.stats().contacts;
                let deepest = cloth
                    .positions()
                    .map(|at| shape.signed_distance_m(at.into()))
                    .fold(f32::INFINITY, f32::min);
                assert!(deepest > -1e-3, "{shape:?}: {deepest}");
            }
            assert!(met > 0, "{shape:?} was not met");
        }
    }
}

#[test]
fn a_thin_fast_plate_takes_the_sheet_along() {
    let plate = Obb::new(Transform::IDENTITY, Vec3::new(0.6, 0.6, 0.001));
    let pose =
        |k: usize| Transform::from_translation(Vec3::new(0.0, 1.5, 0.5 - 10.0 / 120.0 * k as f32));
    let sheet = level(14, 0.8, 0.0);
    let stand = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let positions = sheet.positions.iter().map(|&p| stand * p + Vec3::Y * 1.5);
    let upright = Sheet {
        positions: positions.collect(),
        ..sheet
    };
    let mut cloth = Cloth::new(upright, ClothSettings::default()).unwrap();
    for k in 0..20 {
        let moving = Collider::moving(plate, pose(k), pose(k + 1));
        assert_eq!(cloth.step(&[moving]), StepOutcome::Fine);
        let front = pose(k + 1).translation.z;
        for at in cloth.positions() {
            assert!(at.z < front, "step {k}: {at} is behind {front}");
        }
    }
}

/// The same rectangle as a mesh, cut into triangles.
fn as_mesh(sheet: &Sheet) -> Sheet {
    Sheet {
        pins: sheet.pins.clone(),
        ..Sheet::mesh(sheet.positions.clone(), sheet.triangles())
    }
}

#[test]
fn a_mesh_hangs_as_its_grid_does() {
    let grid = hanging(12);
    let mut cloth = Cloth::new(as_mesh(&grid), ClothSettings::default()).unwrap();
    run(&mut cloth, 360, &[]);
    assert!(cloth.stats().max_stretch < 1.02, "{:?}", cloth.stats());
    for (at, start) in cloth.positions().zip(&grid.positions) {
        assert!(at.distance(*start) < 0.03, "{at} began at {start}");
    }
    assert_close!(cloth.normal(70), Vec3::Z, 0.1);
}

#[test]
fn bad_sheets_are_refused_with_their_numbers() {
    let good = hanging(4);
    let wrong = |change: fn(&mut Sheet)| {
        let mut sheet = good.clone();
        change(&mut sheet);
        Cloth::new(sheet, ClothSettings::default())
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(wrong(|s| s.positions.clear()), SheetError::Size(0));
    let count = wrong(|s| s.positions.truncate(s.positions.len() - 1));
    assert_eq!(count.to_string(), "15 positions for a grid of 4 × 4");
    let pin = wrong(|s| s.pins = vec![16]);
    assert_eq!(pin.to_string(), "vertex 16 of 16");
    let number = |error| matches!(error, SheetError::Number { .. });
    assert!(number(wrong(|s| s.positions[3].y = f32::NAN)));
    assert!(number(wrong(|s| s.density_kg_m2 = 0.0)));
}

#[test]
fn a_free_sheet_comes_to_drift_with_the_wind() {
    let mut settings = in_vacuum();
    settings.gravity = Vec3::ZERO;
    settings.wind = Wind {
        velocity: Vec3::new(0.0, 3.0, 0.0),
        gusts: 0.0,
        drag: 1.2,
        lift: 0.6,
    };
    let mut cloth = Cloth::new(level(8, 0.5, 0.0), settings).unwrap();
    run(&mut cloth, 1, &[]);
    let first = cloth.velocity(20);
    assert!(first.y > 0.0 && first.x.abs() < 1e-5, "{first}");
    run(&mut cloth, 600, &[]);
    let speeds = (0..cloth.len()).map(|vertex| cloth.velocity(vertex).y);
    let mean = speeds.sum::<f32>() / cloth.len() as f32;
    assert!((2.7..3.01).contains(&mean), "{mean}");
}

#[test]
fn a_blow_up_puts_the_sheet_back() {
    let mut cloth = Cloth::new(hanging(8), ClothSettings::default()).unwrap();
    run(&mut cloth, 10, &[]);
    cloth.move_pin(0, Vec3::new(500.0, 0.0, 0.0));
    assert_eq!(cloth.step(&[]), StepOutcome::BlownUp);
    let start = hanging(8).positions;
    assert!(cloth.positions().zip(start).all(|(at, start)| at == start));
    cloth.move_pin(0, Vec3::NAN);
    run(&mut cloth, 10, &[]);
}

#[test]
fn the_hand_draws_no_further_than_the_sheet_reaches() {
    let mut cloth = Cloth::new(hanging(12), ClothSettings::default()).unwrap();
    for _ in 0..240 {
        cloth.drag(140, Vec3::new(0.0, 3.0, 9.0));
        assert_eq!(cloth.step(&[]), StepOutcome::Fine);
        let stats = cloth.stats();
        assert!(stats.max_stretch < 1.1, "{stats:?}");
    }
    assert!(cloth.position(140).z > 0.5, "{}", cloth.position(140));
    cloth.drop_dragged();
    assert!(!cloth.is_pinned(140) && cloth.is_pinned(0));
    cloth.drag(9999, Vec3::ZERO);
    run(&mut cloth, 1, &[]);
}

#[test]
fn settings_out_of_range_are_brought_back() {
    let mut wild = ClothSettings {
        substeps: 0,
        iterations: 1_000_000,
        friction: f32::NAN,
        thickness_m: -1.0,
        ..ClothSettings::default()
    };
    wild.wind.velocity = Vec3::splat(1e9);
    let tame = wild.within_limits();
    assert_eq!((tame.substeps, tame.iterations), (1, 64));
    assert_eq!(tame.friction, ClothSettings::default().friction);
    assert_eq!(tame.thickness_m, 0.0);
    assert!(tame.wind.velocity.length() <= 40.001);
    assert_eq!(
        ClothSettings::default().within_limits(),
        ClothSettings::default()
    );
    assert_eq!(
        ClothSettings::published().within_limits(),
        ClothSettings::published()
    );
}
