//! What is drawn beside characters: the ground they stand on, and things in
//! their hands. Each is a body of one joint, so that light, shadow and
//! antialiasing are those of everything else.

use std::{collections::HashMap, sync::Arc};

use glam::{Affine3A, Vec2, Vec3};

use super::{Character, FrameData, Instance};
use crate::{
    body::Body,
    math::Transform,
    mesh::{CharacterMesh, Material, MeshVertex, Part, Primitive, Slot},
    posing::{
        BALL_RADIUS_M, BOX_HALF_M, Ground, GroundKind, PropKind, STICK_HALF_M, STICK_RADIUS_M,
    },
    skeleton::{Joint, ModelPose, NO_PARENT, Skeleton, WorldPose},
};

/// Metres of a slope that are drawn to all sides of whoever walks on it.
const SLOPE_M: f32 = 9.0;
/// Half the width of stairs, metres.
const HALF_WIDTH_M: f32 = 1.6;
/// Metres of flat ground that are drawn before and behind a stair.
const MARGIN_M: f32 = 1.0;
/// Points a side of a drawn field at most.
const FIELD_POINTS: usize = 160;

/// A thing that is drawn: a body of one joint, or the model of a file.
#[derive(Clone, Debug)]
struct Piece {
    skeleton: Arc<Skeleton>,
    body: Arc<Body>,
}

/// Pieces, made when they are first needed.
#[derive(Debug, Default)]
pub(super) struct Stage {
    props: HashMap<PropKind, Piece>,
    ground: Option<(Ground, Piece)>,
}

impl Stage {
    /// Hands over the model of a file.
    pub fn put_model(&mut self, path: &str, skeleton: Arc<Skeleton>, body: Arc<Body>) {
        let kind = PropKind::File(path.to_owned());
        self.props.insert(kind, Piece { skeleton, body });
    }

    /// Makes what is missing of a character's things.
    pub fn prepare_props(&mut self, character: &Character) {
        for prop in character.posing().props() {
            if !self.props.contains_key(&prop.kind)
                && let Some(piece) = Piece::of_prop(&prop.kind)
            {
                self.props.insert(prop.kind.clone(), piece);
            }
        }
    }

    /// Makes the ground that the lead stands on.
    pub fn prepare_ground(&mut self, lead: Option<&Character>) {
        let wanted = lead.and_then(|lead| lead.posing().ground());
        if wanted != self.ground.as_ref().map(|(ground, _)| ground) {
            self.ground =
                wanted.and_then(|ground| Some((ground.clone(), Piece::of_ground(ground)?)));
        }
    }

    /// Puts everything of a character's into a picture.
    pub fn push(&self, character: &Character, frame: &mut FrameData) {
        for prop in character.posing().props() {
            if let Some(piece) = self.props.get(&prop.kind) {
                piece.push(prop.world_from_prop, frame);
            }
        }
    }

    /// The ground; a slope goes on wherever `footing` is.
    pub fn push_ground(&self, footing: Vec3, frame: &mut FrameData) {
        if let Some((ground, piece)) = &self.ground {
            piece.push(ground_place(ground, footing), frame);
        }
    }
}

/// Where the drawn part of a ground lies. Slopes are the same everywhere: theirs
/// goes along in whole metres, so that its squares stay where they are.
fn ground_place(ground: &Ground, footing: Vec3) -> Transform {
    let (sin, cos) = ground.heading_rad.sin_cos();
    let mut origin = Vec3::new(ground.origin.x, 0.0, ground.origin.y);
    if matches!(ground.kind, GroundKind::Slope { .. }) {
        let from = footing - origin;
        let ahead_m = (from.x * sin + from.z * cos).round();
        let aside_m = (from.x * cos - from.z * sin).round();
        origin += Vec3::new(sin, 0.0, cos) * ahead_m + Vec3::new(cos, 0.0, -sin) * aside_m;
    }
    origin.y = match ground.kind {
        GroundKind::Slope { .. } => ground.height_m(origin.x, origin.z),
        _ => ground.level_m,
    };
    Transform::new(glam::Quat::from_rotation_y(ground.heading_rad), origin)
}

impl Piece {
    fn of_prop(kind: &PropKind) -> Option<Self> {
        let mut mesh = MeshPen::default();
        let colour = match kind {
            PropKind::Ball => {
                mesh.ball(BALL_RADIUS_M);
                [0.75, 0.16, 0.08, 1.0]
            }
            PropKind::Box => {
                mesh.cuboid(Vec3::splat(BOX_HALF_M));
                [0.42, 0.26, 0.12, 1.0]
            }
            PropKind::Stick => {
                mesh.stick(STICK_RADIUS_M, STICK_HALF_M);
                [0.36, 0.20, 0.09, 1.0]
            }
            PropKind::File(_) => return None,
        };
        mesh.piece(kind.word(), colour)
    }

    fn of_ground(ground: &Ground) -> Option<Self> {
        let mut mesh = MeshPen::default();
        match &ground.kind {
            GroundKind::Flat => return None,
            GroundKind::Slope { degrees } => mesh.slope(degrees.to_radians().tan()),
            GroundKind::Stairs { .. } => mesh.stairs(ground),
            GroundKind::File { .. } => mesh.field(ground)?,
        }
        mesh.piece("ground", [0.34, 0.35, 0.38, 1.0])
    }

    fn push(&self, place: Transform, frame: &mut FrameData) {
        let mut model = ModelPose::default();
        model.compute(&self.skeleton, self.skeleton.rest());
        let mut world = WorldPose::default();
        world.place(place, &model);
        frame.push_character(&self.body, &world, Instance::default(), None);
    }
}

/// Draws triangles.
#[derive(Default)]
struct MeshPen {
    vertices: Vec<MeshVertex>,
    indices: Vec<u32>,
}

impl MeshPen {
    fn vertex(&mut self, position: Vec3, normal: Vec3, shade: f32) -> u32 {
        let shade = (shade * 65535.0) as u16;
        self.vertices.push(MeshVertex {
            position: position.to_array(),
            normal: normal.normalize_or(Vec3::Y).to_array(),
            uv: [0.0; 2],
            slots: [0; 4],
            weights: [u16::MAX, 0, 0, 0],
            colour: [shade, shade, shade, u16::MAX],
        });
        self.vertices.len() as u32 - 1
    }

    /// Four corners, counter-clockwise seen from outside.
    fn quad(&mut self, corners: [Vec3; 4], shade: f32) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let [a, b, c, d] = corners.map(|corner| self.vertex(corner, normal, shade));
        self.indices.extend([a, b, c, a, c, d]);
    }

    fn cuboid(&mut self, half: Vec3) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let unit = |axis: usize| glam::Mat3::IDENTITY.col(axis % 3);
                let out = unit(axis) * side;
                let (u, v) = (unit(axis + 1), unit(axis + 2) * side);
                let corner = |a: f32, b: f32| (out + u * a + v * b) * half;
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
                self.quad(corners.map(|(a, b)| corner(a, b)), 1.0);
            }
        }
    }

    /// Rings of points, each with its height along Y, its radius and the slope
    /// of its normal.
    fn turned(&mut self, rings: &[(f32, f32, Vec2)]) {
        const SIDES: u32 = 24;
        let first = self.vertices.len() as u32;
        for &(y, radius, normal) in rings {
            for side in 0..=SIDES {
                let angle = side as f32 / SIDES as f32 * std::f32::consts::TAU;
                let out = Vec3::new(angle.sin(), 0.0, angle.cos());
                let shade = if (side / 3) % 2 == 0 { 1.0 } else { 0.8 };
                self.vertex(
                    out * radius + Vec3::Y * y,
                    out * normal.x + Vec3::Y * normal.y,
                    shade,
                );
            }
        }
        for ring in 0..rings.len() as u32 - 1 {
            for side in 0..SIDES {
                let a = first + ring * (SIDES + 1) + side;
                let b = a + SIDES + 1;
                self.indices.extend([a, a + 1, b + 1, a, b + 1, b]);
            }
        }
    }

    fn ball(&mut self, radius_m: f32) {
        let ring = |index: u32| {
            let angle = (index as f32 / 16.0 - 0.5) * std::f32::consts::PI;
            let (sin, cos) = angle.sin_cos();
            (sin * radius_m, cos * radius_m, Vec2::new(cos, sin))
        };
        let rings: Vec<_> = (0..=16).map(ring).collect();
        self.turned(&rings);
    }

    fn stick(&mut self, radius_m: f32, half_m: f32) {
        let (out, up) = (Vec2::X, Vec2::Y);
        self.turned(&[
            (-half_m, 0.0, -up),
            (-half_m, radius_m, -up),
            (-half_m, radius_m, out),
            (half_m, radius_m, out),
            (half_m, radius_m, up),
            (half_m, 0.0, up),
        ]);
    }

    /// Squares of half a metre in two shades.
    fn slope(&mut self, rise: f32) {
        let at = |x: f32, z: f32| Vec3::new(x, z * rise, z);
        let cells = (2.0 * SLOPE_M / 0.5) as i32;
        for row in 0..cells {
            for column in 0..cells {
                let [x, z] = [column, row].map(|index| index as f32 * 0.5 - SLOPE_M);
                let corners = [
                    at(x, z),
                    at(x, z + 0.5),
                    at(x + 0.5, z + 0.5),
                    at(x + 0.5, z),
                ];
                self.quad(corners, checker(row + column));
            }
        }
    }

    /// Treads and risers, as high as the ground says.
    fn stairs(&mut self, ground: &Ground) {
        let (sin, cos) = ground.heading_rad.sin_cos();
        let height = |ahead_m: f32| {
            ground.rise_m(
                ground.origin.x + sin * ahead_m,
                ground.origin.y + cos * ahead_m,
            )
        };
        let edges = ground.edges_m();
        let (Some(&first), Some(&last)) = (edges.first(), edges.last()) else {
            return;
        };
        let mut from = first - MARGIN_M;
        for (index, to) in edges.iter().copied().chain([last + MARGIN_M]).enumerate() {
            let y = height((from + to) / 2.0);
            // The floor itself is drawn already.
            if y != 0.0 {
                let corners = [(-1.0, from), (-1.0, to), (1.0, to), (1.0, from)];
                let corner = |(x, z): (f32, f32)| Vec3::new(x * HALF_WIDTH_M, y, z);
                self.quad(corners.map(corner), checker(index as i32));
                self.sides(from, to, y);
            }
            let next = height(to + 1e-3);
            self.riser(to, y, next);
            from = to;
        }
    }

    fn riser(&mut self, z: f32, below: f32, above: f32) {
        let at = |x: f32, y: f32| Vec3::new(x * HALF_WIDTH_M, y, z);
        let corners = match below < above {
            true => [
                at(-1.0, below),
                at(-1.0, above),
                at(1.0, above),
                at(1.0, below),
            ],
            false => [
                at(1.0, above),
                at(1.0, below),
                at(-1.0, below),
                at(-1.0, above),
            ],
        };
        if below != above {
            self.quad(corners, 0.55);
        }
    }

    fn sides(&mut self, from: f32, to: f32, y: f32) {
        for side in [-1.0, 1.0] {
            let at = |y: f32, z: f32| Vec3::new(side * HALF_WIDTH_M, y, z);
            let mut corners = [at(0.0, from), at(y, from), at(y, to), at(0.0, to)];
            if (side > 0.0) == (y > 0.0) {
                corners.reverse();
            }
            corners.reverse();
            self.quad(corners, 0.6);
        }
    }

    fn field(&mut self, ground: &Ground) -> Option<()> {
        let field = ground.field.as_ref()?;
        let [columns, rows] = field.size.map(|count| count.min(FIELD_POINTS));
        let extent = field
            .size
            .map(|count| (count.max(2) - 1) as f32 * field.step_m);
        let zero = field.height_m(Vec2::ZERO);
        let at = |column: usize, row: usize| {
            let share = |index: usize, count: usize| index as f32 / (count - 1).max(1) as f32 - 0.5;
            let place = Vec2::new(
                share(column, columns) * extent[0],
                share(row, rows) * extent[1],
            );
            Vec3::new(place.x, field.height_m(place) - zero, place.y)
        };
        for row in 0..rows.max(1) - 1 {
            for column in 0..columns.max(1) - 1 {
                let corners = [
                    at(column, row),
                    at(column, row + 1),
                    at(column + 1, row + 1),
                    at(column + 1, row),
                ];
                self.quad(corners, checker((row / 4 + column / 4) as i32));
            }
        }
        Some(())
    }

    fn piece(self, name: &str, base_colour: [f32; 4]) -> Option<Piece> {
        let joint = Joint::new(name, NO_PARENT, Vec3::ZERO, Vec3::ZERO);
        let skeleton = Skeleton::new(name, vec![joint]).ok()?;
        let mesh = CharacterMesh {
            primitives: vec![Primitive {
                mesh: 0,
                vertices: self.vertices,
                indices: self.indices,
                material: Some(0),
                targets: Vec::new(),
            }],
            parts: vec![Part {
                primitive: 0,
                first_slot: 0,
                slots: 1,
                first_morph: 0,
            }],
            slots: vec![Slot {
                joint: 0,
                joint_from_mesh: Affine3A::IDENTITY,
            }],
            materials: vec![Material {
                name: name.to_owned(),
                base_colour,
                metallic: 0.0,
                roughness: 0.9,
                double_sided: true,
                ..Material::default()
            }],
            mesh_names: vec![name.to_owned()],
            ..CharacterMesh::default()
        };
        let body = Arc::new(Body::of_model(&skeleton, &Arc::new(mesh)));
        Some(Piece {
            skeleton: Arc::new(skeleton),
            body,
        })
    }
}

fn checker(index: i32) -> f32 {
    match index.rem_euclid(2) {
        0 => 1.0,
        _ => 0.82,
    }
}
