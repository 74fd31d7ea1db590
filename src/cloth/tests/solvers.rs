//! Every solver against closed forms where it is stable, and where it is not.

use super::*;

/// A solver that loses nothing, its passes converged. Not more substeps than
/// twelve: Verlet's velocity is a difference of places, which rounds to 10⁻⁷ m,
/// over the time of a substep.
fn exact(mode: SolverMode) -> ClothSettings {
    ClothSettings {
        iterations: if mode.is_published_pbd() { 64 } else { 1 },
        ..in_vacuum().with_solver(mode)
    }
}

#[test]
fn every_solver_falls_by_galileo() {
    for mode in SolverMode::ALL {
        let settings = in_vacuum().with_solver(mode);
        let mut cloth = Cloth::new(level(9, 1.0, 0.0), settings).unwrap();
        run(&mut cloth, 120, &[]);
        let fallen = 0.5 * 9.81;
        for at in cloth.positions() {
            // Rules of first order are half a step's fall off: ½ g Δt.
            assert_close!(-at.y, fallen, 0.01 * fallen, "{mode}: {at}");
        }
    }
}

/// Seconds from one passage through the lowest point, the same way, to the next.
fn period_s(cloth: &mut Cloth, mode: SolverMode) -> f32 {
    let mut passages: Vec<f32> = Vec::new();
    let mut before = cloth.position(1).x;
    for step in 1..=1200 {
        assert_eq!(cloth.step(&[]), StepOutcome::Fine, "{mode}: step {step}");
        let x = cloth.position(1).x;
        if before < 0.0 && x >= 0.0 {
            // Between the two steps, where the straight line crosses zero.
            passages.push((step as f32 - x / (x - before)) * STEP_SECS);
        }
        before = x;
    }
    let (first, last) = (passages[0], passages[passages.len() - 1]);
    (last - first) / (passages.len() - 1) as f32
}

#[test]
fn a_pendulum_swings_with_its_period() {
    let (length_m, angle) = (1.0f32, 0.1f32);
    // 2π √(l/g), and what the amplitude adds: 1 + θ²/16.
    let exact_s = std::f32::consts::TAU * (length_m / 9.81).sqrt() * (1.0 + angle * angle / 16.0);
    for mode in SolverMode::ALL {
        let mut sheet = Sheet::rectangle([2, 1], Vec2::new(length_m, 0.05), |fraction| {
            Vec3::new(angle.sin(), -angle.cos(), 0.0) * (fraction.x * length_m)
        });
        sheet.pins = vec![0];
        let mut settings = exact(mode);
        settings.springs = Springs {
            stiffness_n_per_m: 300.0,
            damping_n_s_per_m: 0.2,
        };
        let mut cloth = Cloth::new(sheet, settings).unwrap();
        assert_close!(
            period_s(&mut cloth, mode),
            exact_s,
            0.01 * exact_s,
            "{mode}"
        );
    }
}

#[test]
fn a_strand_hangs_in_a_catenary_by_every_solver() {
    let (count, span, length) = (21, 1.2f32, 2.0f32);
    let a = catenary_parameter(f64::from(length), f64::from(span));
    let sag = a * ((0.5 * f64::from(span) / a).cosh() - 1.0);
    for mode in SolverMode::ALL {
        let mut sheet = Sheet::rectangle([count, 1], Vec2::new(length, 0.05), |fraction| {
            Vec3::new((fraction.x - 0.5) * span, 0.0, 0.0)
        });
        sheet.pins = vec![0, count as u32 - 1];
        let mut settings = exact(mode);
        settings.kinds = ConstraintKinds::Structural;
        settings.damping_per_sec = 3.0;
        settings.substeps = 64;
        settings.springs = Springs {
            stiffness_n_per_m: 1500.0,
            damping_n_s_per_m: 0.5,
        };
        let mut cloth = Cloth::new(sheet, settings).unwrap();
        run(&mut cloth, 1200, &[]);
        let lowest = cloth.positions().map(|at| at.y).fold(0.0, f32::min);
        assert_close!(f64::from(-lowest), sag, 0.02 * sag, "{mode}");
    }
}

/// Steps until a sheet is given up, at most ten seconds.
fn blows_up_after(settings: ClothSettings) -> Option<usize> {
    let mut cloth = Cloth::new(hanging(20), settings).unwrap();
    // Something to swing about: still and straight a sheet has nothing to gain.
    cloth.settings.wind.velocity = Vec3::new(0.5, 0.0, 2.0);
    cloth.settings.wind.drag = 1.2;
    (0..1200).find(|_| cloth.step(&[]) == StepOutcome::BlownUp)
}

#[test]
fn springs_blow_up_where_they_should_and_nothing_else_does() {
    let springs = |mode, stiffness_n_per_m, damping_n_s_per_m| ClothSettings {
        springs: Springs {
            stiffness_n_per_m,
            damping_n_s_per_m,
        },
        ..in_vacuum().with_solver(mode)
    };
    // Undamped, Euler gains energy whatever the step.
    assert!(blows_up_after(springs(SolverMode::Euler, 60.0, 0.0)).is_some());
    // c > k Δt gives back what it gains.
    assert_eq!(blows_up_after(springs(SolverMode::Euler, 60.0, 0.08)), None);
    assert_eq!(blows_up_after(springs(SolverMode::Verlet, 60.0, 0.0)), None);
    // ω Δt far beyond 2.
    let stiff = springs(SolverMode::Verlet, 60_000.0, 0.0);
    assert!(blows_up_after(stiff).is_some());
    for mode in [SolverMode::Xpbd, SolverMode::Pbd, SolverMode::Jacobi] {
        assert_eq!(
            blows_up_after(in_vacuum().with_solver(mode)),
            None,
            "{mode}"
        );
    }
}

#[test]
fn springs_overstretch_where_constraints_hold() {
    let stretch = |mode: SolverMode| {
        let mut settings = ClothSettings::default().with_solver(mode);
        settings.springs.stiffness_n_per_m = 20.0;
        settings.springs.damping_n_s_per_m = 0.08;
        let mut cloth = Cloth::new(hanging(20), settings).unwrap();
        run(&mut cloth, 600, &[]);
        cloth.stats().max_stretch
    };
    assert!(stretch(SolverMode::Xpbd) < 1.03);
    for mode in [SolverMode::Verlet, SolverMode::Euler] {
        assert!(stretch(mode) > 1.05, "{mode}: {}", stretch(mode));
    }
}

#[test]
fn kinds_are_counted_and_felt() {
    let sheet = || level(9, 1.0, 1.0);
    let count = |kinds| {
        let settings = ClothSettings {
            kinds,
            ..ClothSettings::default()
        };
        Cloth::new(sheet(), settings).unwrap().stats().constraints
    };
    // Threads 2 · 9 · 8, diagonals 2 · 8 · 8, bends 2 · 9 · 7.
    let all = ConstraintKinds::ALL.map(count);
    assert_eq!(all, [144, 144 + 128, 144 + 128 + 126]);
    // Held by one corner, only diagonals keep a cell from closing.
    let sheared = |kinds: ConstraintKinds, mode: SolverMode| {
        let mut sheet = sheet();
        sheet.pins = vec![0];
        let settings = ClothSettings {
            kinds,
            ..exact(mode)
        };
        let mut cloth = Cloth::new(sheet, settings).unwrap();
        run(&mut cloth, 600, &[]);
        cloth.position(8).distance(cloth.position(72))
    };
    for mode in [SolverMode::Xpbd, SolverMode::Pbd, SolverMode::Jacobi] {
        let loose = sheared(ConstraintKinds::Structural, mode);
        let held = sheared(ConstraintKinds::Shear, mode);
        assert!(held > loose + 0.1, "{mode}: {held} and {loose}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let bits = |mode: SolverMode, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let settings = ClothSettings::default().with_solver(mode);
            let mut cloth = Cloth::new(hanging(64), settings).unwrap();
            for _ in 0..20 {
                let _ = cloth.step(&[]);
            }
            cloth
                .positions()
                .map(|at| at.to_array().map(f32::to_bits))
                .collect::<Vec<_>>()
        })
    };
    for mode in SolverMode::ALL {
        assert!(bits(mode, 1) == bits(mode, 3), "{mode}");
    }
}
