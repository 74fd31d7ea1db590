//! Sheets: particles, constraints, and the solver that moves them.
//!
//! Between the pose and the picture: colliders and anchors come in, vertices go
//! out; nothing here knows of skeletons. A [`Sheet`] describes a rectangle or
//! any triangle mesh; [`Cloth`] is built from it once and then stepped at
//! [`STEP_SECS`]. The default solver takes small substeps with one pass each
//! (XPBD), holds length by tethers to the pins as well as by threads, and meets
//! solids last. Position based dynamics as published, the same by Jacobi's rule,
//! and springs by Verlet's and by Euler's rule are there to compare with.
//! Memory is a structure of arrays in an order that makes eight constraints two
//! loads; a step allocates nothing. Limits: contact is between particles and
//! solids, so that what is thinner than the gap between particles pokes through
//! the sheet.

mod build;
mod constraints;
mod contact;
#[cfg(test)]
mod fold_trials;
mod jacobi;
mod lanes;
mod layout;
mod neighbours;
mod net;
mod normals;
mod particle_rows;
mod particles;
mod parting;
mod pins;
mod self_collision;
mod self_parting;
mod settings;
mod sheet;
mod skin;
mod springs;
mod step;
mod strain;
pub mod table;
#[cfg(test)]
mod tests;
mod tether;
#[cfg(test)]
mod trials;
mod wind;

use fearless_simd::Level;
use glam::Vec3;

pub use settings::{
    ClothSettings, Compliance, ConstraintKinds, STEP_SECS, SolverMode, Springs, Wind,
};
pub use sheet::{Link, LinkKind, MAX_VERTICES, Sheet, SheetError, Weave};
pub use skin::{Crossing, crossings};
pub use step::Around;

use constraints::{Gather, Stiffness};
use contact::Contacts;
use layout::{Blocks, Layout};
use neighbours::Neighbours;
use normals::Normals;
use particles::Particles;
use pins::Pins;
use self_collision::SelfCollision;
use self_parting::SelfParting;
use skin::SkinContact;
use tether::Tethers;

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum StepOutcome {
    /// As it should.
    Fine,
    /// Something became infinite or a thread three times its length: the sheet
    /// was put back to its start.
    BlownUp,
}

/// What the last step was like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepStats {
    /// Vertices.
    pub particles: usize,
    /// Threads, diagonals and bends.
    pub constraints: usize,
    /// Substeps taken, which grow with the speed of solids.
    pub substeps: u32,
    /// Longest thread as a share of its length at rest.
    pub max_stretch: f32,
    /// Particles that touched a solid.
    pub contacts: usize,
}

/// Threads and the rest, by where the vertices lie.
#[derive(Clone, Debug)]
enum Threads {
    Grid(Blocks),
    Mesh {
        gathers: Vec<Gather>,
        /// Corners as slots.
        triangles: Vec<[u32; 3]>,
    },
}

/// A sheet in motion.
#[derive(Clone, Debug)]
pub struct Cloth {
    sheet: Sheet,
    settings: ClothSettings,
    level: Level,
    layout: Layout,
    slot_of: Vec<u32>,
    area_m2: f32,
    particles: Particles,
    threads: Threads,
    stiffness: Stiffness,
    /// Made when a solver first asks for it.
    neighbours: Neighbours,
    /// What a solver works out for every slot before it moves any.
    scratch: Vec<Vec3>,
    tethers: Tethers,
    pins: Pins,
    contacts: Contacts,
    skin: SkinContact,
    self_collision: SelfCollision,
    self_parting: SelfParting,
    normals: Normals,
    /// Of every vertex of a mesh, after each step.
    mesh_stretch: Vec<f32>,
    steps: u64,
    stats: StepStats,
}

impl Cloth {
    /// Vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slot_of.len()
    }

    /// Never true: a sheet has at least two vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slot_of.is_empty()
    }

    /// What it was built from.
    #[must_use]
    pub fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    /// As they are applied.
    #[must_use]
    pub fn settings(&self) -> &ClothSettings {
        &self.settings
    }

    /// Takes effect with the next step; numbers are brought into range.
    pub fn set_settings(&mut self, settings: ClothSettings) {
        self.settings = settings.within_limits();
        self.stats.constraints = self.count_constraints();
    }

    /// What the last step was like.
    #[must_use]
    pub fn stats(&self) -> StepStats {
        self.stats
    }

    /// Steps since the start or the last reset.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    fn slot(&self, vertex: usize) -> usize {
        self.slot_of[vertex] as usize
    }

    /// World space, metres.
    #[must_use]
    pub fn position(&self, vertex: usize) -> Vec3 {
        let slot = self.slot(vertex);
        Vec3::from_array(self.particles.x.each_ref().map(|x| x[slot]))
    }

    /// Metres a second.
    #[must_use]
    pub fn velocity(&self, vertex: usize) -> Vec3 {
        let slot = self.slot(vertex);
        Vec3::from_array(self.particles.v.each_ref().map(|v| v[slot]))
    }

    /// Unit, towards the side from which triangles run counter-clockwise.
    #[must_use]
    pub fn normal(&self, vertex: usize) -> Vec3 {
        let slot = self.slot(vertex);
        Vec3::from_array(self.normals.n.each_ref().map(|n| n[slot]))
    }

    /// Whether the vertex touched a solid in the last step.
    #[must_use]
    pub fn touches(&self, vertex: usize) -> bool {
        self.particles.touched[self.slot(vertex)] > 0.0
    }

    /// Longest of the threads at a vertex, as a share of its length at rest.
    #[must_use]
    pub fn vertex_stretch(&self, vertex: usize) -> f32 {
        let Weave::Grid {
            columns,
            rows,
            spacing_m,
        } = self.sheet.weave
        else {
            return self.mesh_stretch.get(vertex).copied().unwrap_or(1.0);
        };
        let (row, column) = (vertex / columns, vertex % columns);
        let at = self.position(vertex);
        let stretch = |exists: bool, other: usize, rest_m: f32| {
            if exists {
                self.position(other).distance(at) / rest_m
            } else {
                1.0
            }
        };
        stretch(column > 0, vertex.wrapping_sub(1), spacing_m.x)
            .max(stretch(column + 1 < columns, vertex + 1, spacing_m.x))
            .max(stretch(row > 0, vertex.wrapping_sub(columns), spacing_m.y))
            .max(stretch(row + 1 < rows, vertex + columns, spacing_m.y))
    }

    /// Joules of motion and height, above the ground at y = 0; what threads hold
    /// as springs is not counted.
    #[must_use]
    pub fn energy_j(&self) -> f32 {
        let mass_kg = self.sheet.density_kg_m2 * self.area_m2;
        let gravity = self.settings.gravity;
        let energy = |vertex: usize| {
            0.5 * self.velocity(vertex).length_squared() - gravity.dot(self.position(vertex))
        };
        mass_kg * (0..self.len()).map(energy).sum::<f32>()
    }

    /// Pairs of the sheet's own triangles that pass through each other, exactly.
    #[must_use]
    pub fn self_crossings(&self) -> Vec<[u32; 2]> {
        SelfParting::new(self).crossings(&self.particles)
    }

    /// All positions in the order of the sheet's vertices.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        (0..self.len()).map(|vertex| self.position(vertex))
    }
}
