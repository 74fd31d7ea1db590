//! The editable description of a sheet; [`Cloth`](super::Cloth) is built from it.

use glam::{Vec2, Vec3};
use thiserror::Error;

/// How vertices hang together.
#[derive(Clone, Debug, PartialEq)]
pub enum Weave {
    /// Rows of a rectangle, left to right, top to bottom.
    Grid {
        /// Vertices along a row.
        columns: usize,
        /// Number of rows; one makes a strand.
        rows: usize,
        /// Metres between neighbours along a row and down a column, at rest.
        spacing_m: Vec2,
    },
    /// Any triangles; lengths at rest are those of the positions.
    Mesh {
        /// Corners of the triangles.
        triangles: Vec<[u32; 3]>,
    },
    /// Threads laid one by one, as tubes and cut pieces have them.
    Net {
        /// Corners of the triangles.
        triangles: Vec<[u32; 3]>,
        /// All that joins two vertices.
        links: Vec<Link>,
    },
}

/// What a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Along a thread.
    Thread,
    /// Across a cell.
    Shear,
    /// Over two cells.
    Bend,
}

/// Two vertices of a net that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Both ends.
    pub ends: [u32; 2],
    /// Metres at rest.
    pub rest_m: f32,
    /// What it is for.
    pub kind: LinkKind,
}

/// A sheet before it is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Where every vertex begins, world space.
    pub positions: Vec<Vec3>,
    /// What joins them.
    pub weave: Weave,
    /// Vertices that stay where they are put.
    pub pins: Vec<u32>,
    /// Mass of the material.
    pub density_kg_m2: f32,
}

/// Why a sheet cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SheetError {
    /// Nothing to simulate, or more than the indices hold.
    #[error("a sheet of {0} vertices; 2 to {MAX_VERTICES} can be simulated")]
    Size(usize),
    /// Positions and weave disagree.
    #[error("{found} positions for a grid of {columns} × {rows}")]
    Count {
        /// As given.
        found: usize,
        /// As given.
        columns: usize,
        /// As given.
        rows: usize,
    },
    /// A triangle or pin names a vertex that is not there.
    #[error("vertex {index} of {count}")]
    Index {
        /// The one named.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// A garment for which the body has no place.
    #[error("this body has no {0} to cut a garment to")]
    NoBody(&'static str),
    /// A number that no cloth can have.
    #[error("{what} of {value}")]
    Number {
        /// Which.
        what: &'static str,
        /// As given.
        value: f32,
    },
}

/// Largest sheet.
pub const MAX_VERTICES: usize = 1 << 22;

impl Sheet {
    /// A rectangle of `columns` × `rows` vertices and a size at rest; `position`
    /// gives every vertex its start by its share of width and height.
    #[must_use]
    pub fn rectangle(
        [columns, rows]: [usize; 2],
        size_m: Vec2,
        position: impl Fn(Vec2) -> Vec3,
    ) -> Self {
        let cells = |count: usize| count.saturating_sub(1).max(1) as f32;
        let spacing_m = size_m / Vec2::new(cells(columns), cells(rows));
        let fraction = |row: usize, column: usize| {
            Vec2::new(column as f32 / cells(columns), row as f32 / cells(rows))
        };
        let positions = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| position(fraction(row, column)))
            .collect();
        Self {
            positions,
            weave: Weave::Grid {
                columns,
                rows,
                spacing_m,
            },
            pins: Vec::new(),
            density_kg_m2: 0.3,
        }
    }

    /// Quads whose sides are threads: along the first and third side one way,
    /// along the others the other way. Lengths at rest are those of the
    /// positions; over two cells the sum of both, so that it lies flat.
    #[must_use]
    pub fn net(positions: Vec<Vec3>, quads: &[[u32; 4]]) -> Self {
        let (triangles, links) = super::net::woven(&positions, quads);
        Self {
            positions,
            weave: Weave::Net { triangles, links },
            pins: Vec::new(),
            density_kg_m2: 0.3,
        }
    }

    /// Any triangle mesh.
    #[must_use]
    pub fn mesh(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            positions,
            weave: Weave::Mesh { triangles },
            pins: Vec::new(),
            density_kg_m2: 0.3,
        }
    }

    /// Triangles, counter-clockwise seen from the side the normals point to.
    #[must_use]
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        match &self.weave {
            Weave::Grid { columns, rows, .. } => grid_triangles(*columns, *rows),
            Weave::Mesh { triangles } | Weave::Net { triangles, .. } => triangles.clone(),
        }
    }

    /// Refuses what cannot be simulated.
    ///
    /// # Errors
    /// The first thing that is wrong, with its number.
    pub fn validate(&self) -> Result<(), SheetError> {
        let count = self.positions.len();
        if !(2..=MAX_VERTICES).contains(&count) {
            return Err(SheetError::Size(count));
        }
        let number = |what, value: f32, good: bool| {
            if good {
                Ok(())
            } else {
                Err(SheetError::Number { what, value })
            }
        };
        let density = self.density_kg_m2;
        number("density", density, density.is_finite() && density > 1e-6)?;
        for position in &self.positions {
            let worst = position.abs().max_element();
            number("a position", worst, position.is_finite() && worst < 1e4)?;
        }
        let known = |&index: &u32| {
            if (index as usize) < count {
                Ok(())
            } else {
                Err(SheetError::Index { index, count })
            }
        };
        self.pins.iter().try_for_each(known)?;
        match &self.weave {
            Weave::Mesh { triangles } => triangles.iter().flatten().try_for_each(known),
            Weave::Net { triangles, links } => {
                triangles.iter().flatten().try_for_each(known)?;
                links
                    .iter()
                    .flat_map(|link| &link.ends)
                    .try_for_each(known)?;
                links.iter().try_for_each(|link| {
                    let rest_m = link.rest_m;
                    number("a link", rest_m, rest_m.is_finite() && rest_m > 1e-5)
                })
            }
            &Weave::Grid {
                columns,
                rows,
                spacing_m,
            } => {
                if columns.checked_mul(rows) != Some(count) {
                    return Err(SheetError::Count {
                        found: count,
                        columns,
                        rows,
                    });
                }
                let least = spacing_m.min_element();
                number("spacing", least, spacing_m.is_finite() && least > 1e-5)
            }
        }
    }
}

fn grid_triangles(columns: usize, rows: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(2 * columns * rows);
    for row in 1..rows {
        for column in 1..columns {
            let at = |r: usize, c: usize| (r * columns + c) as u32;
            let (a, b) = (at(row - 1, column - 1), at(row - 1, column));
            let (c, d) = (at(row, column - 1), at(row, column));
            // Diagonals alternate, so that the sheet folds alike both ways.
            if (row + column) % 2 == 0 {
                triangles.extend([[a, c, d], [a, d, b]]);
            } else {
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    triangles
}
