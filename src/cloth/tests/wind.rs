//! The wind's force against its formula.

use super::*;

/// Acceleration of a flat sheet in still space as a wind begins to blow; the
/// sheet's normal leads `tilt` away from the wind.
fn first_push(tilt_deg: f32, drag: f32, lift: f32) -> (Vec3, Vec3) {
    let mut settings = in_vacuum();
    settings.gravity = Vec3::ZERO;
    settings.wind = Wind {
        velocity: Vec3::X * 4.0,
        gusts: 0.0,
        drag,
        lift,
    };
    let rotation = Quat::from_rotation_z(tilt_deg.to_radians());
    let sheet = Sheet::rectangle([9, 9], Vec2::splat(0.4), |fraction| {
        rotation * Vec3::new(0.0, 0.5 - fraction.y, fraction.x - 0.5) * 0.4
    });
    let density = sheet.density_kg_m2;
    let mut cloth = Cloth::new(sheet, settings).unwrap();
    run(&mut cloth, 1, &[]);
    let sum: Vec3 = (0..cloth.len()).map(|at| cloth.velocity(at)).sum();
    let found = sum / (cloth.len() as f32 * STEP_SECS);
    // ½ρ |v·n| (Cd v + Cl (n |v| − v |v·n| / |v|)) on a square metre, taken
    // implicitly over a step.
    let (speed, across) = (4.0f32, 4.0 * tilt_deg.to_radians().cos());
    let n = rotation * Vec3::X;
    let push = Vec3::X * speed * drag + (n * speed - Vec3::X * across) * lift;
    let rate = 0.6 * across / density;
    let rate = rate / (1.0 + rate * (drag + lift) * STEP_SECS);
    (found, push * rate)
}

#[test]
fn drag_and_lift_follow_their_formula() {
    for tilt_deg in [0.0, 20.0, 45.0, 70.0] {
        for (drag, lift) in [(1.2, 0.0), (0.0, 0.8), (1.2, 0.6)] {
            let (found, expected) = first_push(tilt_deg, drag, lift);
            let off = found.distance(expected);
            assert!(
                off < 0.01 * expected.length() + 1e-3,
                "{tilt_deg}°, drag {drag}, lift {lift}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn lift_is_across_the_wind_and_none_on_a_sheet_square_to_it() {
    let (square, _) = first_push(0.0, 0.0, 0.8);
    assert!(square.length() < 1e-3, "{square}");
    let (tilted, _) = first_push(45.0, 0.0, 0.8);
    assert!(
        tilted.y > 1.0 && tilted.x.abs() < 1e-3 * tilted.y,
        "{tilted}"
    );
    let (edge_on, _) = first_push(90.0, 1.2, 0.6);
    assert!(edge_on.length() < 1e-3, "{edge_on}");
}

#[test]
fn a_flag_in_the_wind_flies_and_one_without_hangs() {
    let flown = |speed: f32| {
        let mut sheet = Sheet::rectangle([20, 14], Vec2::new(0.9, 0.6), |fraction| {
            let ripple = 0.03 * (9.0 * fraction.x).sin();
            Vec3::new(fraction.x * 0.88, 2.0 - fraction.y * 0.6, ripple)
        });
        sheet.pins = (0..14).map(|row| row * 20).collect();
        sheet.density_kg_m2 = 0.15;
        let mut settings = ClothSettings::default();
        settings.wind.velocity = Vec3::new(speed, 0.0, 0.2 * speed);
        let mut cloth = Cloth::new(sheet, settings).unwrap();
        run(&mut cloth, 360, &[]);
        let tips = (0..14).map(|row| cloth.position(row * 20 + 19).x);
        tips.sum::<f32>() / 14.0
    };
    let (still, blown) = (flown(0.0), flown(8.0));
    assert!(blown > still + 0.2, "{still} m out, {blown} m in the wind");
}
