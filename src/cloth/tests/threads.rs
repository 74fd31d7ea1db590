//! Large sheets on several threads.

use super::*;

/// Bits after some steps of a sheet large enough to be cut, a ball in its way.
fn bits(threads: usize, settings: ClothSettings) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.build().unwrap();
    pool.install(|| {
        let mut cloth = Cloth::new(hanging(120), settings).unwrap();
        assert!(cloth.layout.band_rows < 120, "it is cut");
        for step in 0..8 {
            let pose = |k: f32| Transform::from_translation(Vec3::new(0.1, 1.4, 0.3 - 0.04 * k));
            let ball = Sphere {
                centre: Vec3::ZERO,
                radius_m: 0.2,
            };
            let k = step as f32;
            let moving = Collider::moving(ball, pose(k), pose(k + 1.0));
            assert_eq!(cloth.step(&[moving]), StepOutcome::Fine);
        }
        assert!(cloth.stats().contacts > 0, "it was met");
        let numbers = cloth.positions().flat_map(|at| at.to_array());
        numbers.map(f32::to_bits).collect()
    })
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for settings in [ClothSettings::default(), ClothSettings::published()] {
        let alone = bits(1, settings);
        assert!(alone == bits(3, settings), "three threads differ");
    }
}

/// Every constraint is there once, wherever the sheet is cut.
#[test]
fn cuts_lose_no_constraint() {
    for (columns, rows) in [(40, 40), (120, 120), (7, 3000), (256, 61)] {
        let sheet = Sheet::rectangle([columns, rows], Vec2::ONE, |fraction| fraction.extend(0.0));
        let cloth = Cloth::new(sheet, ClothSettings::default()).unwrap();
        let (c, r) = (columns, rows);
        let threads = (c - 1) * r + c * (r - 1);
        let diagonals = 2 * (c - 1) * (r - 1);
        let bends = (c - 2) * r + c * (r - 2);
        let all = threads + diagonals + bends;
        assert_eq!(cloth.stats().constraints, all, "{c} × {r}");
    }
}
