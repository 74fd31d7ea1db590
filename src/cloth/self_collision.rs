//! Layers of a sheet kept apart: a spatial hash once a step, the pairs it
//! finds once a substep.
//!
//! The hash is dense: a table of cell starts and one list of particles sorted
//! by cell. Memory is set aside when the sheet is built; of more than
//! [`PAIRS_EACH`] neighbours a particle the rest is passed over.

use glam::Vec3;

use super::{Cloth, Weave, particles::Particles};

/// Room for pairs, for each particle.
const PAIRS_EACH: usize = 12;

/// Distance that vertices keep, in cells: less than their neighbours have, and
/// more than from the corners of a cell to its middle, where one would slip
/// through.
const GAP_FRACTION: f32 = 0.8;

/// The same of two vertices that were made closer together.
const MADE_FRACTION: f32 = 0.9;

/// The hash and what it found.
#[derive(Clone, Debug, Default)]
pub(super) struct SelfCollision {
    slots: Vec<u32>,
    cell_starts: Vec<u32>,
    sorted: Vec<u32>,
    /// Two slots, and how far apart their centres are kept.
    pairs: Vec<([u32; 2], f32)>,
    /// Of every slot as the sheet was made, where cells are not all alike: what
    /// was nearer then than the gap may be so again.
    made_at: Vec<Vec3>,
    /// Centres of two particles are kept this far apart.
    gap_m: f32,
    neighbours_m: f32,
}

impl SelfCollision {
    pub fn new(cloth: &Cloth) -> Self {
        let count = cloth.len();
        let spacing_m = match &cloth.sheet.weave {
            Weave::Grid { spacing_m, .. } => spacing_m.min_element(),
            Weave::Mesh { .. } | Weave::Net { .. } => cloth.area_m2.sqrt(),
        };
        Self {
            slots: cloth.slot_of.clone(),
            // Twice as many buckets as particles keeps most of them to one cell.
            cell_starts: vec![0; 2 * count + 2],
            sorted: vec![0; count],
            pairs: Vec::with_capacity(count * PAIRS_EACH),
            made_at: match &cloth.sheet.weave {
                Weave::Grid { .. } => Vec::new(),
                // Slots of a mesh are its vertices.
                Weave::Mesh { .. } | Weave::Net { .. } => cloth.sheet.positions.clone(),
            },
            gap_m: GAP_FRACTION * spacing_m,
            // Half a gap more than the gap: what may come near within the step.
            neighbours_m: 1.2 * spacing_m,
        }
    }

    fn cell_of(&self, at: Vec3) -> usize {
        let cell = (at / self.neighbours_m).floor().as_ivec3();
        self.hash(cell.x, cell.y, cell.z)
    }

    fn hash(&self, x: i32, y: i32, z: i32) -> usize {
        // Teschner et al. 2003; the primes are those that Müller uses in "Ten
        // Minute Physics". Cells that share a bucket cost a look: distance decides.
        let mixed =
            x.wrapping_mul(92_837_111) ^ y.wrapping_mul(689_287_499) ^ z.wrapping_mul(283_923_481);
        mixed.unsigned_abs() as usize % (self.cell_starts.len() - 1)
    }

    /// Finds all pairs that may come near in this step.
    pub fn find(&mut self, p: &Particles) {
        let position = |slot: u32| Vec3::from_array(p.x.each_ref().map(|x| x[slot as usize]));
        self.pairs.clear();
        self.cell_starts.fill(0);
        for index in 0..self.slots.len() {
            let cell = self.cell_of(position(self.slots[index]));
            self.cell_starts[cell] += 1;
        }
        // Counts become ends, and the second walk takes them down to starts:
        // a counting sort, without a list for each cell.
        let mut sum = 0;
        for start in &mut self.cell_starts {
            sum += *start;
            *start = sum;
        }
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            let cell = self.cell_of(position(slot));
            self.cell_starts[cell] -= 1;
            self.sorted[self.cell_starts[cell] as usize] = slot;
        }
        for index in 0..self.slots.len() {
            let slot = self.slots[index];
            let at = position(slot);
            self.pair_around(slot, at, &position);
        }
    }

    fn pair_around(&mut self, slot: u32, at: Vec3, position: &impl Fn(u32) -> Vec3) {
        let cell = (at / self.neighbours_m).floor().as_ivec3();
        for dx in -1..=1 {
            for dy in -1..=1 {
                for dz in -1..=1 {
                    let hash = self.hash(cell.x + dx, cell.y + dy, cell.z + dz);
                    let range =
                        self.cell_starts[hash] as usize..self.cell_starts[hash + 1] as usize;
                    for other in range {
                        let other = self.sorted[other];
                        // Each pair once. Two of the 27 cells may share a bucket and
                        // bring a pair twice; the second time it is already apart.
                        if other > slot
                            && position(other).distance_squared(at) < self.neighbours_m.powi(2)
                            && self.pairs.len() < self.pairs.capacity()
                        {
                            self.pairs.push(([slot, other], self.gap_of(slot, other)));
                        }
                    }
                }
            }
        }
    }

    fn gap_of(&self, one: u32, other: u32) -> f32 {
        let made_at = |slot: u32| self.made_at.get(slot as usize);
        let made_m = made_at(one).zip(made_at(other));
        let made_m = made_m.map_or(f32::INFINITY, |(a, b)| a.distance(*b));
        self.gap_m.min(MADE_FRACTION * made_m)
    }

    /// Pushes pairs apart, and takes out a part of what moves them against
    /// each other. The gap is less than that of neighbours in the weave, which
    /// therefore never push.
    pub fn solve(&self, p: &mut Particles) {
        for &([a, b], gap_m) in &self.pairs {
            let (a, b) = (a as usize, b as usize);
            let at =
                |x: &[Vec<f32>; 3], slot: usize| Vec3::from_array(x.each_ref().map(|x| x[slot]));
            let along = at(&p.x, b) - at(&p.x, a);
            let distance = along.length();
            let (wa, wb) = (p.inverse_mass[a], p.inverse_mass[b]);
            if distance >= gap_m || distance < 1e-6 || wa + wb <= 0.0 {
                continue;
            }
            let push = along * ((gap_m - distance) / (distance * (wa + wb)));
            let (moved_a, moved_b) = (at(&p.x, a) - at(&p.start, a), at(&p.x, b) - at(&p.start, b));
            // A fifth of what they moved against each other: friction between
            // layers, without which they slide off and jitter.
            let together = (moved_b - moved_a) * (0.2 / (wa + wb));
            for axis in 0..3 {
                p.x[axis][a] += wa * (together[axis] - push[axis]);
                p.x[axis][b] += wb * (push[axis] - together[axis]);
            }
        }
    }
}
