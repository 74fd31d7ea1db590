//! A step of a sheet allocates nothing.
#![allow(clippy::unwrap_used, reason = "a test shall fail loudly")]

use glam::{Vec2, Vec3};
use kinetoscope::{
    cloth::{Cloth, ClothSettings, Sheet, StepOutcome},
    collide::{Collider, Plane, Sphere},
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// One test, because the allocator counts for the whole process.
#[test]
fn a_step_allocates_nothing() {
    let mut sheet = Sheet::rectangle([40, 40], Vec2::splat(2.0), |share| {
        Vec3::new(share.x - 0.5, 2.0 - share.y, 0.0) * 2.0
    });
    sheet.pins = (0..40).collect();
    let ball = Sphere {
        centre: Vec3::new(0.0, 3.0, 0.2),
        radius_m: 0.3,
    };
    let floor = Plane {
        normal: Vec3::Y,
        offset_m: 0.0,
    };
    let colliders = [Collider::fixed(ball), Collider::fixed(floor)];
    for self_collision in [false, true] {
        for base in [ClothSettings::default(), ClothSettings::published()] {
            let settings = ClothSettings {
                self_collision,
                ..base
            };
            let mut cloth = Cloth::new(sheet.clone(), settings).unwrap();
            // The first step makes room for as many solids as there are.
            assert_eq!(cloth.step(&colliders), StepOutcome::Fine);
            ALLOCATOR.reset_peak_usage();
            let before = ALLOCATOR.current_usage();
            for _ in 0..30 {
                assert_eq!(cloth.step(&colliders), StepOutcome::Fine);
            }
            let more = ALLOCATOR.peak_usage().saturating_sub(before);
            assert_eq!(more, 0, "{more} bytes in {settings:?}");
        }
    }
}
