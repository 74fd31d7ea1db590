//! Cloth in the scene: four set-ups around a character, stepped on their own
//! clock.
//!
//! A [`Drape`] owns a sheet, the solids of the body it hangs on or is met by,
//! and the anchors that follow joints. It asks for poses at its own times, the
//! steps of 1/120 s, so that the result does not depend on the rate of display.

use std::{fmt, str::FromStr, sync::Arc};

use glam::{Quat, Vec2, Vec3, Vec3A};

use super::{FrameData, Line};
use crate::{
    body::{Body, facing},
    cloth::{Cloth, Outcome, STEP_SECS, Settings, Sheet, SheetError},
    collide::{BodySolids, BoneSolid, Collider, Obb, Plane, wireframe},
    math::Transform,
    skeleton::{ModelPose, Skeleton},
};

/// The set-ups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClothPreset {
    /// Pinned by its top edge in the character's way, with a tumbled box.
    #[default]
    Panel,
    /// On the shoulders.
    Cape,
    /// On a pole beside the character, in wind.
    Flag,
    /// Dropped over the character.
    Blanket,
}

impl ClothPreset {
    /// All, in the order they are offered.
    pub const ALL: [Self; 4] = [Self::Panel, Self::Cape, Self::Flag, Self::Blanket];

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Panel => "panel",
            Self::Cape => "cape",
            Self::Flag => "flag",
            Self::Blanket => "blanket",
        }
    }

    /// What the sheet is made of and how it is solved.
    #[must_use]
    pub fn settings(self) -> Settings {
        let mut settings = Settings::default();
        match self {
            Self::Panel => settings.friction = 0.1,
            Self::Cape => settings.friction = 0.2,
            Self::Flag => {
                settings.wind.velocity = Vec3::new(6.0, 0.0, 1.0);
                settings.wind.gusts = 0.6;
            }
            Self::Blanket => settings.friction = 0.5,
        }
        settings
    }

    /// Columns and rows.
    #[must_use]
    pub fn resolution(self) -> [usize; 2] {
        match self {
            Self::Panel | Self::Blanket => [40, 40],
            Self::Cape => [24, 32],
            Self::Flag => [40, 26],
        }
    }
}

impl fmt::Display for ClothPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ClothPreset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|preset| preset.name() == text);
        known.ok_or_else(|| format!("no cloth {text:?}; there are panel, cape, flag and blanket"))
    }
}

/// A vertex that follows a joint.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    vertex: usize,
    joint: usize,
    in_joint: Vec3A,
}

/// A sheet with what it hangs on.
#[derive(Clone, Debug)]
pub struct Drape {
    preset: ClothPreset,
    cloth: Cloth,
    solids: BodySolids,
    anchors: Vec<Anchor>,
    fixed: Vec<Collider>,
    colliders: Vec<Collider>,
    pose: ModelPose,
    start_secs: f64,
    ticks: u64,
    blow_ups: u32,
    indices: Arc<[u32]>,
    pole: Option<[Vec3; 2]>,
}

/// Metres a solid must leave around an anchor.
const ANCHOR_GAP_M: f32 = 0.012;
/// Steps in which a cape comes to rest before it is shown.
const SETTLING: usize = 180;

impl Drape {
    /// Sets a sheet up around a character as it stands at `start_secs`.
    ///
    /// # Errors
    /// When the resolution makes no sheet.
    pub fn new(
        preset: ClothPreset,
        resolution: [usize; 2],
        (skeleton, body): (&Skeleton, &Body),
        pose: &ModelPose,
        start_secs: f64,
    ) -> Result<Self, SheetError> {
        let solids = BodySolids::fit(skeleton, body, BoneSolid::Obb);
        let floor = Plane {
            normal: Vec3::Y,
            offset_m: 0.0,
        };
        let mut fixed = vec![Collider::fixed(floor)];
        let place = Place::of(skeleton, pose);
        let (sheet, anchors) = match preset {
            ClothPreset::Panel => {
                fixed.push(Collider::fixed(place.tumbled_box()));
                (place.panel(resolution), Vec::new())
            }
            ClothPreset::Cape => place.cape(resolution, skeleton, &solids, pose),
            ClothPreset::Flag => (place.flag(resolution), Vec::new()),
            ClothPreset::Blanket => (place.blanket(resolution), Vec::new()),
        };
        let pole = (preset == ClothPreset::Flag).then(|| place.pole());
        let indices = sheet.triangles().into_iter().flatten().collect();
        let mut settings = preset.settings();
        settings.wind.velocity = place.turn * settings.wind.velocity;
        let mut drape = Self {
            preset,
            cloth: Cloth::new(sheet, settings)?,
            solids,
            anchors,
            fixed,
            colliders: Vec::new(),
            pose: pose.clone(),
            start_secs,
            ticks: 0,
            blow_ups: 0,
            indices,
            pole,
        };
        drape.gather(&pose.clone());
        if preset == ClothPreset::Cape {
            for _ in 0..SETTLING {
                drape.step(&pose.clone());
            }
        }
        drape.blow_ups = 0;
        Ok(drape)
    }

    /// Which set-up it is.
    #[must_use]
    pub fn preset(&self) -> ClothPreset {
        self.preset
    }

    /// The sheet.
    #[must_use]
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// The sheet, to be tuned or drawn at.
    pub fn cloth_mut(&mut self) -> &mut Cloth {
        &mut self.cloth
    }

    /// All solids of the last step.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// How often the sheet had to be put back.
    #[must_use]
    pub fn blow_ups(&self) -> u32 {
        self.blow_ups
    }

    /// Runs to a moment; `pose_at` is asked for the pose at every step on the
    /// way. Times past do nothing.
    pub fn advance_to(&mut self, time_secs: f64, mut pose_at: impl FnMut(f64) -> ModelPose) {
        let rate = f64::from(1.0 / STEP_SECS).round();
        let wanted = ((time_secs - self.start_secs) * rate + 1e-6)
            .floor()
            .max(0.0) as u64;
        while self.ticks < wanted {
            self.ticks += 1;
            let pose = pose_at(self.start_secs + self.ticks as f64 / rate);
            self.step(&pose);
        }
    }

    fn step(&mut self, pose: &ModelPose) {
        for anchor in &self.anchors {
            let world = pose.joints()[anchor.joint].transform_point(anchor.in_joint);
            self.cloth.move_pin(anchor.vertex, world.into());
        }
        self.gather(pose);
        if self.cloth.step(&self.colliders) == Outcome::BlownUp {
            self.blow_ups += 1;
        }
    }

    fn gather(&mut self, pose: &ModelPose) {
        self.colliders.clear();
        self.colliders.extend_from_slice(&self.fixed);
        self.solids.follow(&self.pose, pose, &mut self.colliders);
        self.pose.joints_mut().copy_from_slice(pose.joints());
    }
}

/// Where a character stands and looks.
struct Place {
    ground: Vec3,
    /// Takes +Z to where it looks.
    turn: Quat,
    height_m: f32,
}

impl Place {
    fn of(skeleton: &Skeleton, pose: &ModelPose) -> Self {
        let ahead = facing(skeleton, pose).unwrap_or(Vec3::Z);
        let ends = (0..skeleton.len()).map(|joint| pose.bone_end(skeleton, joint).y);
        Self {
            ground: super::footing(pose),
            turn: Quat::from_rotation_y(ahead.x.atan2(ahead.z)),
            height_m: ends.fold(0.5, f32::max),
        }
    }

    /// Right is the character's own left, as seen from before it.
    fn at(&self, left: f32, up: f32, ahead: f32) -> Vec3 {
        self.ground + self.turn * Vec3::new(left, up, ahead)
    }

    fn panel(&self, resolution: [usize; 2]) -> Sheet {
        let size = Vec2::new(2.0, 1.95);
        let mut sheet = Sheet::rectangle(resolution, size, |share| {
            self.at((share.x - 0.5) * size.x, 2.05 - share.y * size.y, 0.8)
        });
        sheet.pins = (0..resolution[0] as u32).collect();
        sheet
    }

    fn tumbled_box(&self) -> Obb {
        let tumbled = Quat::from_euler(glam::EulerRot::XYZ, 0.5, 0.6, 0.4);
        let place = Transform::new(self.turn * tumbled, self.at(0.75, 0.3, 1.35));
        Obb::new(place, Vec3::splat(0.22))
    }

    fn flag(&self, resolution: [usize; 2]) -> Sheet {
        let size = Vec2::new(1.5, 1.0);
        let mut sheet = Sheet::rectangle(resolution, size, |share| {
            self.at(0.6 + share.x * size.x, 2.25 - share.y * size.y, -0.1)
        });
        let [columns, rows] = resolution;
        sheet.pins = (0..rows).map(|row| (row * columns) as u32).collect();
        sheet.density_kg_m2 = 0.15;
        sheet
    }

    fn pole(&self) -> [Vec3; 2] {
        [self.at(0.6, 0.0, -0.1), self.at(0.6, 2.35, -0.1)]
    }

    fn blanket(&self, resolution: [usize; 2]) -> Sheet {
        let side = 1.9;
        Sheet::rectangle(resolution, Vec2::splat(side), |share| {
            let [left, ahead] = [share.x - 0.5, 0.5 - share.y].map(|s| s * side);
            self.at(left, self.height_m + 0.25, ahead)
        })
    }

    /// From shoulder to shoulder behind the neck, and down the back.
    fn cape(
        &self,
        resolution: [usize; 2],
        skeleton: &Skeleton,
        solids: &BodySolids,
        pose: &ModelPose,
    ) -> (Sheet, Vec<Anchor>) {
        let find = |names: [&str; 4]| {
            let found = names.iter().find_map(|name| skeleton.find(name));
            found.map(usize::from)
        };
        let left = find(["lhumerus", "LeftArm", "mixamorig:LeftArm", "LeftShoulder"]);
        let right = find([
            "rhumerus",
            "RightArm",
            "mixamorig:RightArm",
            "RightShoulder",
        ]);
        let holder = find(["thorax", "Spine1", "mixamorig:Spine2", "Chest"]).unwrap_or(0);
        let joint_at = |joint: Option<usize>, otherwise: Vec3| {
            joint.map_or(otherwise, |joint| pose.joints()[joint].position())
        };
        let shoulders = [
            joint_at(right, self.at(-0.17, self.height_m * 0.82, 0.0)),
            joint_at(left, self.at(0.17, self.height_m * 0.82, 0.0)),
        ];
        let mut colliders = Vec::new();
        solids.follow(pose, pose, &mut colliders);
        let back = self.turn * Vec3::NEG_Z;
        let top = |u: f32| {
            let bow = (std::f32::consts::PI * u).sin();
            let over =
                shoulders[0].lerp(shoulders[1], u) + Vec3::Y * 0.09 + back * (0.03 + 0.1 * bow);
            outside(over, &colliders)
        };
        let [columns, _] = resolution;
        // Anchors lie unevenly over the shoulders: the widest gap between two is
        // the least that the weave must span.
        let cells = columns.saturating_sub(1).max(1) as f32;
        let gap = |cell: usize| {
            let [a, b] = [cell, cell + 1].map(|at| top(at as f32 / cells));
            a.distance(b)
        };
        let widest = (0..columns.saturating_sub(1)).map(gap).fold(0.0, f32::max);
        let size = Vec2::new((widest * cells).max(0.85), self.height_m * 0.62);
        let sheet = Sheet::rectangle(resolution, size, |share| {
            let from = top(share.x);
            let wide = (share.x - 0.5) * 0.35 * share.y;
            let side = self.turn * Vec3::X;
            // Folds grow from the anchors down, whose gaps the weave just spans.
            let fold = 0.05 * share.y * (share.x * std::f32::consts::TAU * 5.0).sin();
            let off = back * (0.02 + 0.25 * share.y.min(0.4) + fold);
            from + off + side * wide - Vec3::Y * (share.y * size.y * 0.97)
        });
        let anchors = (0..columns)
            .map(|vertex| Anchor {
                vertex,
                joint: holder,
                in_joint: pose.joints()[holder]
                    .inverse()
                    .transform_point(sheet.positions[vertex].into()),
            })
            .collect();
        let pins = (0..columns as u32).collect();
        (Sheet { pins, ..sheet }, anchors)
    }
}

/// The place nearby that no solid comes near.
fn outside(mut at: Vec3, colliders: &[Collider]) -> Vec3 {
    for _ in 0..8 {
        for collider in colliders {
            let local = collider.end.inverse().transform_point(at.into());
            let found = collider.core.surface(local);
            if found.distance_m < ANCHOR_GAP_M {
                let out = local + found.normal * (ANCHOR_GAP_M - found.distance_m);
                at = collider.end.transform_point(out).into();
            }
        }
    }
    at
}

/// How a sheet is to be shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClothLook {
    /// Colours by stretch: blue at rest, red at 5 %.
    pub stretch: bool,
    /// Points that touch a solid are red.
    pub contacts: bool,
    /// Wireframes of all solids.
    pub colliders: bool,
}

/// One vertex of a sheet as the GPU reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "viewer", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct ClothVertex {
    /// World space, metres.
    pub position: [f32; 3],
    /// Unit.
    pub normal: [f32; 3],
    /// Linear.
    pub colour: [f32; 3],
}

/// A sheet to be drawn.
#[derive(Clone, Debug)]
pub struct SheetMesh {
    /// All vertices.
    pub vertices: Vec<ClothVertex>,
    /// Triangles.
    pub indices: Arc<[u32]>,
}

/// Linear colours of the four sheets.
const COLOURS: [[f32; 3]; 4] = [
    [0.12, 0.28, 0.42],
    [0.40, 0.05, 0.06],
    [0.55, 0.30, 0.05],
    [0.20, 0.32, 0.18],
];

impl FrameData {
    /// Adds a sheet, and the solids it meets when they are asked for.
    pub fn push_drape(&mut self, drape: &Drape, look: ClothLook) {
        let cloth = drape.cloth();
        let plain = COLOURS[drape.preset as usize];
        let vertex = |index: usize| {
            let mut colour = plain;
            if look.stretch {
                let share = (cloth.vertex_stretch(index) - 1.0) / 0.05;
                colour = super::error_colour(share);
            }
            if look.contacts && cloth.touches(index) {
                colour = [0.75, 0.02, 0.02];
            }
            ClothVertex {
                position: cloth.position(index).to_array(),
                normal: cloth.normal(index).to_array(),
                colour,
            }
        };
        for at in cloth.positions() {
            self.grow_around(at);
        }
        self.sheets.push(SheetMesh {
            vertices: (0..cloth.len()).map(vertex).collect(),
            indices: Arc::clone(&drape.indices),
        });
        if let Some([from, to]) = drape.pole {
            self.push_wire(from, to, [0.30, 0.30, 0.32, 1.0], 5.0);
        }
        if look.colliders || drape.preset == ClothPreset::Panel {
            // The tumbled box has no other picture of its own.
            let shown = if look.colliders {
                drape.colliders()
            } else {
                &drape.fixed[..]
            };
            self.push_solids(shown);
        }
    }

    /// Adds the wireframes of solids as they are at the end of their step.
    pub fn push_solids(&mut self, solids: &[Collider]) {
        for solid in solids {
            wireframe(&solid.core, solid.end, |from, to| {
                self.push_wire(from, to, [0.10, 0.75, 0.45, 0.9], 1.5);
            });
        }
    }

    fn push_wire(&mut self, from: Vec3, to: Vec3, colour: [f32; 4], width_px: f32) {
        self.lines.push(Line {
            from,
            to,
            colour,
            width_px,
            on_top: false,
        });
    }
}

/// Metres of the deepest vertex inside any of the solids, in their poses at
/// the end of the step; negative when all are outside.
#[must_use]
pub fn deepest_m(drape: &Drape) -> f32 {
    let cloth = drape.cloth();
    let mut deepest = f32::NEG_INFINITY;
    for vertex in (0..cloth.len()).filter(|&vertex| !cloth.is_pinned(vertex)) {
        let at = Vec3A::from(cloth.position(vertex));
        for collider in drape.colliders() {
            deepest = deepest.max(-collider.end_distance_m(at));
        }
    }
    deepest
}
