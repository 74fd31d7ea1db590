//! Sheets against themselves.

use super::*;

const SIDE: usize = 20;

/// A strip folded in two, one half 5 cm over the other, above a floor.
fn folded() -> Sheet {
    let rows = 2 * SIDE;
    let cell = 0.03;
    let mut sheet = Sheet::rectangle(
        [SIDE, rows],
        Vec2::new(cell * (SIDE - 1) as f32, cell * (rows - 1) as f32),
        |_| Vec3::ZERO,
    );
    for (vertex, at) in sheet.positions.iter_mut().enumerate() {
        let (row, column) = (vertex / SIDE, vertex % SIDE);
        let upper = row >= SIDE;
        let along = if upper { rows - 1 - row } else { row };
        // Out of step with the lower one, so that no vertex lies over another.
        let off = if upper { 0.37 * cell } else { 0.0 };
        *at = Vec3::new(
            column as f32 * cell + off,
            if upper { 0.07 } else { 0.02 },
            along as f32 * cell + off,
        );
    }
    sheet
}

/// Least distance between vertices of the two layers while one falls on the
/// other, and how many of the upper ones end below the lower layer.
fn falls_on_itself(self_collision: bool) -> (f32, usize) {
    let settings = ClothSettings {
        self_collision,
        ..ClothSettings::default()
    };
    let mut cloth = Cloth::new(folded(), settings).unwrap();
    let floor = Collider::fixed(Plane {
        normal: Vec3::Y,
        offset_m: 0.0,
    });
    // The fold itself belongs to both layers.
    let lower = 0..(SIDE - 4) * SIDE;
    let upper = (SIDE + 4) * SIDE..2 * SIDE * SIDE;
    let mut nearest = f32::INFINITY;
    for step in 0..240 {
        assert_eq!(cloth.step(&[floor]), StepOutcome::Fine, "step {step}");
        for a in lower.clone() {
            let at = cloth.position(a);
            for b in upper.clone() {
                nearest = nearest.min(cloth.position(b).distance(at));
            }
        }
    }
    let level = |at: Vec3| {
        let below = lower.clone().map(|a| cloth.position(a));
        let near = below.filter(|p| (p.x - at.x).hypot(p.z - at.z) < 0.03);
        near.map(|p| p.y).fold(f32::NEG_INFINITY, f32::max)
    };
    let sunk = upper
        .clone()
        .map(|b| cloth.position(b))
        .filter(|&at| at.y < level(at) - 0.002);
    (nearest, sunk.count())
}

#[test]
fn layers_stay_apart_when_they_shall() {
    // Vertices keep 0.8 of a cell, 24 mm, apart; half of that is the promise.
    let (nearest, sunk) = falls_on_itself(true);
    assert!(nearest > 0.012, "{nearest} m apart");
    assert_eq!(sunk, 0, "vertices of the upper layer under the lower one");
    let (nearest, _) = falls_on_itself(false);
    assert!(
        nearest < 0.012,
        "without it they would be {nearest} m apart"
    );
}

#[test]
fn a_crumpled_sheet_comes_to_rest_without_being_shaken() {
    let mut settings = ClothSettings {
        self_collision: true,
        friction: 0.6,
        ..ClothSettings::default()
    };
    settings.damping_per_sec = 1.0;
    let mut sheet = Sheet::rectangle([18, 18], Vec2::splat(0.5), |fraction| {
        Vec3::new(
            fraction.x * 0.5,
            0.6 - fraction.y * 0.5,
            0.02 * (9.0 * fraction.y).sin(),
        )
    });
    sheet.pins.clear();
    let mut cloth = Cloth::new(sheet, settings).unwrap();
    let floor = Collider::fixed(Plane {
        normal: Vec3::Y,
        offset_m: 0.0,
    });
    run(&mut cloth, 600, &[floor]);
    let speeds = (0..cloth.len()).map(|at| cloth.velocity(at).length());
    let fastest = speeds.fold(0.0, f32::max);
    assert!(fastest < 0.25, "{fastest} m/s after 5 s");
    assert!(cloth.stats().max_stretch < 1.05, "{:?}", cloth.stats());
}
