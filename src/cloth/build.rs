//! From a [`Sheet`] to a [`Cloth`].

use std::collections::BTreeMap;

use fearless_simd::Level;
use glam::{Vec2, Vec3};

use super::{
    Cloth, ClothSettings, Contacts, Normals, Particles, Pins, SelfCollision, SelfParting, Sheet,
    SheetError, SkinContact, StepStats, Stiffness, Tethers, Threads, Weave,
    constraints::Gather,
    lanes::LANES,
    layout::{Kind, Layout},
    neighbours::Neighbours,
    sheet::{Link, LinkKind},
};

impl Cloth {
    /// A sheet at rest where its description puts it.
    ///
    /// # Errors
    /// When the description cannot be simulated.
    pub fn new(sheet: Sheet, settings: ClothSettings) -> Result<Self, SheetError> {
        sheet.validate()?;
        let woven = Woven::of(&sheet);
        let slots = woven.layout.slots();
        let mut cloth = Self {
            settings: settings.within_limits(),
            level: Level::new(),
            layout: woven.layout,
            slot_of: woven.slot_of,
            area_m2: woven.area_m2,
            particles: Particles::new(slots),
            stiffness: Stiffness {
                rest_m: woven.rest_m,
                alpha: [0.0; 5],
            },
            tethers: Tethers::new(slots),
            pins: Pins::default(),
            contacts: Contacts::default(),
            skin: SkinContact::default(),
            self_collision: SelfCollision::default(),
            self_parting: SelfParting::default(),
            normals: Normals::new(&woven.layout),
            threads: woven.threads,
            neighbours: Neighbours::default(),
            scratch: Vec::new(),
            mesh_stretch: Vec::new(),
            steps: 0,
            stats: StepStats::default(),
            sheet,
        };
        cloth.stats.particles = cloth.len();
        cloth.reset();
        Ok(cloth)
    }

    /// Of the kinds that it has.
    pub(super) fn count_constraints(&self) -> usize {
        let lanes = |mask: &[f32; LANES]| mask.iter().filter(|&&on| on > 0.0).count();
        let kinds = self.settings.kinds;
        match &self.threads {
            Threads::Grid(all) => { all.blocks.iter() }
                .filter(|block| kinds.has(block.kind))
                .map(|block| lanes(&all.masks[usize::from(block.mask)]))
                .sum(),
            Threads::Mesh { gathers, .. } => { gathers.iter() }
                .filter(|gather| kinds.has(gather.kind))
                .map(|gather| lanes(&gather.mask))
                .sum(),
        }
    }

    /// Makes the lists that solvers go by which walk over particles; most sheets
    /// never need them.
    pub(super) fn meet_neighbours(&mut self) {
        let slots = self.layout.slots();
        if self.scratch.len() != slots {
            self.neighbours = Neighbours::of(&self.threads, &self.stiffness, slots);
            self.scratch = vec![Vec3::ZERO; slots];
        }
    }

    /// Back to the start, at rest, with the sheet's own pins.
    pub fn reset(&mut self) {
        let slots = self.layout.slots();
        self.particles = Particles::new(slots);
        // Every particle carries a whole cell, those of the rim too, as it offers
        // the wind a whole cell: all are accelerated alike.
        let mass = self.sheet.density_kg_m2 * self.area_m2;
        for (vertex, position) in self.sheet.positions.iter().enumerate() {
            let slot = self.slot_of[vertex] as usize;
            for (axis, value) in position.to_array().into_iter().enumerate() {
                self.particles.x[axis][slot] = value;
            }
            self.particles.inverse_mass[slot] = 1.0 / mass;
        }
        self.particles.start.clone_from(&self.particles.x);
        self.particles.predicted.clone_from(&self.particles.x);
        self.pins = Pins::default();
        // After the positions: a pin is held where its vertex now is.
        for vertex in self.sheet.pins.clone() {
            self.pin(vertex as usize);
        }
        self.contacts = Contacts::default();
        self.skin = SkinContact::new(self);
        self.self_collision = SelfCollision::new(self);
        self.self_parting = SelfParting::new(self);
        self.steps = 0;
        self.stats.constraints = self.count_constraints();
        self.stats.max_stretch = self.max_stretch();
        self.stats.contacts = 0;
        self.finish_normals();
    }

    /// Ties every particle to the pin the least of the sheet away.
    pub(super) fn tie_tethers(&mut self) {
        self.tethers.clear();
        let pinned: Vec<usize> = self.pins.lasting().collect();
        if pinned.is_empty() {
            return;
        }
        let nearest = match &self.sheet.weave {
            Weave::Grid {
                columns, spacing_m, ..
            } => nearest_on_grid(self.len(), *columns, *spacing_m, &pinned),
            Weave::Mesh { triangles } => nearest_along(
                self.len(),
                &edges_with_lengths(&self.sheet.positions, triangles),
                &pinned,
            ),
            Weave::Net { links, .. } => {
                let links = links.iter().filter(|link| link.kind != LinkKind::Bend);
                let links: Vec<_> = links.map(|link| (link.ends, link.rest_m)).collect();
                nearest_along(self.len(), &links, &pinned)
            }
        };
        for (vertex, (pin, distance_m)) in nearest.into_iter().enumerate() {
            if distance_m.is_finite() && !pinned.contains(&vertex) {
                let reach_m = distance_m * TETHER_SLACK;
                let (slot, pin) = (self.slot(vertex), self.slot(pin));
                self.tethers.tie(slot, pin, reach_m);
            }
        }
        self.tethers.follow(&self.particles.x);
    }
}

/// Share of its way that a tether allows beyond it: enough that rounding and the
/// give of the threads do not set tethers and threads against each other.
const TETHER_SLACK: f32 = 1.004;

/// Nearest pin of every vertex and the way there on the flat rectangle.
fn nearest_on_grid(
    count: usize,
    columns: usize,
    spacing_m: Vec2,
    pinned: &[usize],
) -> Vec<(usize, f32)> {
    let position =
        |vertex: usize| Vec2::new((vertex % columns) as f32, (vertex / columns) as f32) * spacing_m;
    let nearest = |vertex: usize| {
        let distances = pinned
            .iter()
            .map(|&pin| (pin, position(pin).distance(position(vertex))));
        distances
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or((0, f32::INFINITY))
    };
    (0..count).map(nearest).collect()
}

fn edges_with_lengths(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<([u32; 2], f32)> {
    let length = |[a, b]: [u32; 2]| positions[a as usize].distance(positions[b as usize]);
    { edges_of(triangles).into_keys() }
        .map(|edge| (edge, length(edge)))
        .collect()
}

/// The same along edges, which is never too short.
fn nearest_along(count: usize, edges: &[([u32; 2], f32)], pinned: &[usize]) -> Vec<(usize, f32)> {
    let mut nearest = vec![(0, f32::INFINITY); count];
    pinned.iter().for_each(|&pin| nearest[pin] = (pin, 0.0));
    // Bellman and Ford: until nothing gets shorter, at most as often as the
    // longest way has edges. Pins change rarely.
    for _ in 0..count {
        let mut changed = false;
        for &([a, b], length) in edges {
            for (from, to) in [(a as usize, b as usize), (b as usize, a as usize)] {
                if nearest[from].1 + length < nearest[to].1 {
                    nearest[to] = (nearest[from].0, nearest[from].1 + length);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    nearest
}

/// Edges with the corners opposite to them.
fn edges_of(triangles: &[[u32; 3]]) -> BTreeMap<[u32; 2], Vec<u32>> {
    let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [from, to, opposite] in [[a, b, c], [b, c, a], [c, a, b]] {
            if from != to {
                let key = [from.min(to), from.max(to)];
                edges.entry(key).or_default().push(opposite);
            }
        }
    }
    edges
}

struct Woven {
    layout: Layout,
    slot_of: Vec<u32>,
    threads: Threads,
    rest_m: [f32; 5],
    area_m2: f32,
}

impl Woven {
    fn of(sheet: &Sheet) -> Self {
        match &sheet.weave {
            &Weave::Grid {
                columns,
                rows,
                spacing_m,
            } => Self::grid(columns, rows, spacing_m),
            Weave::Mesh { triangles } => {
                let links = mesh_links(&sheet.positions, triangles);
                Self::mesh(&sheet.positions, triangles, &links)
            }
            Weave::Net { triangles, links } => Self::mesh(&sheet.positions, triangles, links),
        }
    }

    fn grid(columns: usize, rows: usize, spacing_m: Vec2) -> Self {
        let layout = Layout::grid(columns, rows);
        let slot_of = (0..columns * rows)
            .map(|vertex| layout.grid_slot(vertex / columns, vertex % columns) as u32)
            .collect();
        let Vec2 { x, y } = spacing_m;
        Self {
            layout,
            slot_of,
            threads: Threads::Grid(layout.blocks()),
            // In the order of `Kind`. Bending is a thread over two cells: flat when
            // at its length, shorter the more the sheet folds between.
            rest_m: [x, y, spacing_m.length(), 2.0 * x, 2.0 * y],
            area_m2: x * y,
        }
    }

    fn mesh(positions: &[Vec3], triangles: &[[u32; 3]], links: &[Link]) -> Self {
        let corner = |index: u32| positions[index as usize];
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(corner);
            0.5 * (b - a).cross(c - a).length()
        };
        let area_m2: f32 = triangles.iter().map(area).sum();
        Self {
            layout: Layout::list(positions.len()),
            slot_of: (0..positions.len() as u32).collect(),
            threads: Threads::Mesh {
                gathers: gathered(positions.len(), links),
                triangles: triangles.to_vec(),
            },
            rest_m: [1.0; 5],
            area_m2: (area_m2 / positions.len() as f32).max(1e-8),
        }
    }
}

/// Threads along the edges, bends between the corners opposite to them.
fn mesh_links(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Link> {
    let link = |ends: [u32; 2], kind| {
        let [a, b] = ends.map(|end| positions[end as usize]);
        let rest_m = a.distance(b).max(1e-6);
        Link { ends, rest_m, kind }
    };
    let edges = edges_of(triangles);
    let threads = edges.keys().map(|&ends| link(ends, LinkKind::Thread));
    let bends = { edges.values() }
        .filter(|opposite| opposite.len() == 2 && opposite[0] != opposite[1])
        .map(|opposite| link([opposite[0], opposite[1]], LinkKind::Bend));
    threads.chain(bends).collect()
}

/// Eight links of a kind that share no vertex at a time.
fn gathered(vertices: usize, links: &[Link]) -> Vec<Gather> {
    let mut gathers = Vec::new();
    for (link_kind, kind) in [
        (LinkKind::Thread, Kind::Warp),
        (LinkKind::Shear, Kind::Shear),
        (LinkKind::Bend, Kind::BendWarp),
    ] {
        let own: Vec<Link> = { links.iter() }
            .filter(|link| link.kind == link_kind)
            .copied()
            .collect();
        for colour in coloured(vertices, &own) {
            gathers.extend(colour.chunks(LANES).map(|part| gather(part, kind)));
        }
    }
    gathers
}

/// Groups of links none of which share a vertex.
fn coloured(vertices: usize, links: &[Link]) -> Vec<Vec<Link>> {
    let mut used = vec![0u64; vertices];
    let mut colours: Vec<Vec<Link>> = Vec::new();
    for &link in links {
        let [a, b] = link.ends;
        // Greedy: the first colour that neither end has. Links of one colour
        // share no vertex, so eight of them may be solved at once.
        let taken = used[a as usize] | used[b as usize];
        // Vertices of more than 64 pairs share the last group, one a block.
        let colour = (taken.trailing_ones() as usize).min(63);
        used[a as usize] |= 1 << colour;
        used[b as usize] |= 1 << colour;
        if colours.len() <= colour {
            colours.resize(colour + 1, Vec::new());
        }
        colours[colour].push(link);
    }
    if colours.len() == 64 {
        let crowded = colours.pop().unwrap_or_default();
        colours.extend(crowded.into_iter().map(|link| vec![link]));
    }
    colours
}

fn gather(links: &[Link], kind: Kind) -> Gather {
    let at = |lane: usize| links.get(lane).copied();
    let first = links[0];
    Gather {
        // Idle lanes read the first link's ends, which exist, and write nothing.
        a: std::array::from_fn(|lane| at(lane).unwrap_or(first).ends[0]),
        b: std::array::from_fn(|lane| at(lane).unwrap_or(first).ends[1]),
        rest_m: std::array::from_fn(|lane| at(lane).map_or(1.0, |link| link.rest_m)),
        mask: std::array::from_fn(|lane| f32::from(u8::from(at(lane).is_some()))),
        kind,
    }
}
