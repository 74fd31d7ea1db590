//! Position based dynamics by Jacobi's rule: every constraint sees the places of
//! the pass before, so that all can be solved at once, in any order.
//!
//! What the constraints of a particle ask for is averaged, or they would throw
//! it past its place together; the average falls short and is drawn out a
//! little (Macklin et al. 2014, section 4.2). More passes are needed for the
//! same stiffness than by Gauss and Seidel's rule, which is why the default
//! solvers colour their constraints instead.

use glam::Vec3;

use super::{
    Cloth,
    neighbours::{each_slot, point, set_point},
};

/// How far beyond the average: 1 to 2 is stable.
const OVER_RELAXATION: f32 = 1.5;

impl Cloth {
    /// A pass over all constraints.
    pub(super) fn jacobi_pass(&mut self) {
        let (p, neighbours, kinds) = (&self.particles, &self.neighbours, self.settings.kinds);
        each_slot(&mut self.scratch, |slot| {
            let inverse_mass = p.inverse_mass[slot];
            if inverse_mass == 0.0 {
                return Vec3::ZERO;
            }
            let at = point(&p.x, slot);
            let (mut sum, mut count) = (Vec3::ZERO, 0.0);
            for other in neighbours
                .of_slot(slot)
                .iter()
                .filter(|it| kinds.has(it.kind))
            {
                let along = point(&p.x, other.slot as usize) - at;
                let length = along.length().max(1e-9);
                // Müller et al. 2007, eq. 10: each end by its share of the mass.
                let share = inverse_mass / (inverse_mass + p.inverse_mass[other.slot as usize]);
                sum += along * (share * (length - other.rest_m) / length);
                count += 1.0;
            }
            sum * (OVER_RELAXATION / f32::max(count, 1.0))
        });
        let p = &mut self.particles;
        for (slot, moved) in self.scratch.iter().enumerate() {
            if p.inverse_mass[slot] > 0.0 {
                let at = point(&p.x, slot);
                set_point(&mut p.x, slot, at + *moved);
            }
        }
    }
}
