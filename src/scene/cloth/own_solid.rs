//! Solids that whoever looks puts in the cloth's way: what they are, how they are
//! spelt, and where they stand.

use std::{fmt, str::FromStr};

use glam::{EulerRot, Quat, Vec3};

use super::{picture::SheetMesh, solid};
use crate::{
    collide::{Aabb, Capsule, Collider, LocalShape, Obb, Plane, Shape, Sphere},
    math::Transform,
};

/// Most of them.
pub const MOST_SOLIDS: usize = 6;
/// Sizes and places that they can have, metres.
const SIZES_M: std::ops::RangeInclusive<f32> = 0.01..=5.0;
const FURTHEST_M: f32 = 20.0;
/// What one is moved further in a step, it has not gone through but is elsewhere.
const JUMP_M: f32 = 0.3;
/// Half the side of the piece that is drawn of a plane, and its thickness.
const PLANE_M: [f32; 2] = [1.5, 0.004];
/// Linear.
const COLOUR: [f32; 3] = [0.16, 0.22, 0.26];

/// What a solid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolidKind {
    /// A ball.
    #[default]
    Sphere,
    /// A box along the axes of the world.
    Aabb,
    /// A box that is turned.
    Obb,
    /// All that is near a straight line.
    Capsule,
    /// Everything below a plane.
    Plane,
}

impl SolidKind {
    /// All, in the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Sphere,
        Self::Aabb,
        Self::Obb,
        Self::Capsule,
        Self::Plane,
    ];

    /// As it is spelt on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sphere => "sphere",
            Self::Aabb => "aabb",
            Self::Obb => "obb",
            Self::Capsule => "capsule",
            Self::Plane => "plane",
        }
    }

    /// As a person writes it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Sphere => "Sphere",
            Self::Aabb => "Box (AABB)",
            Self::Obb => "Turned box (OBB)",
            Self::Capsule => "Capsule",
            Self::Plane => "Plane",
        }
    }

    /// What each number of its size means.
    #[must_use]
    pub fn sizes(self) -> &'static [&'static str] {
        match self {
            Self::Sphere => &["radius"],
            Self::Aabb | Self::Obb => &["width", "height", "depth"],
            Self::Capsule => &["radius", "length"],
            Self::Plane => &[],
        }
    }

    /// Whether it can be turned.
    #[must_use]
    pub fn turns(self) -> bool {
        matches!(self, Self::Obb | Self::Capsule | Self::Plane)
    }
}

/// A solid beside the character as it stood when the cloth was hung.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnSolid {
    /// What it is.
    pub kind: SolidKind,
    /// Metres, as many as [`SolidKind::sizes`] names.
    pub size_m: [f32; 3],
    /// Its middle, or of a plane any point: metres to the character's left, up
    /// from where it stands, and ahead.
    pub at_m: [f32; 3],
    /// Degrees about the character's left, up and ahead, in that order.
    pub turned_deg: [f32; 3],
}

impl OwnSolid {
    /// As one is added: a little before the character.
    #[must_use]
    pub fn of(kind: SolidKind) -> Self {
        let (size_m, at_m) = match kind {
            SolidKind::Sphere => ([0.2, 0.2, 0.2], [0.0, 1.0, 0.7]),
            SolidKind::Aabb | SolidKind::Obb => ([0.4, 0.4, 0.4], [0.0, 0.6, 0.7]),
            SolidKind::Capsule => ([0.12, 0.5, 0.12], [0.0, 0.9, 0.7]),
            SolidKind::Plane => ([1.0; 3], [0.0, 0.4, 0.0]),
        };
        Self {
            kind,
            size_m,
            at_m,
            turned_deg: match kind {
                SolidKind::Obb => [25.0, 35.0, 0.0],
                SolidKind::Capsule => [0.0, 0.0, 90.0],
                _ => [0.0; 3],
            },
        }
    }

    /// Every number brought into the range that solids are made for.
    #[must_use]
    pub fn within_limits(mut self) -> Self {
        let (least, most) = (*SIZES_M.start(), *SIZES_M.end());
        let clean = |value: f32, low: f32, high: f32| match value.is_finite() {
            true => value.clamp(low, high),
            false => low.max(0.0),
        };
        self.size_m = self.size_m.map(|it| clean(it, least, most));
        self.at_m = self.at_m.map(|it| clean(it, -FURTHEST_M, FURTHEST_M));
        self.turned_deg = self.turned_deg.map(|it| clean(it, -360.0, 360.0));
        self
    }

    /// Where it is for a character that stands at `world_from_character`.
    pub(super) fn collider(self, world_from_character: Transform) -> Collider {
        let own = self.within_limits();
        let at = Vec3::from(world_from_character.transform_point(own.at_m.into()));
        let [x, y, z] = own.turned_deg.map(f32::to_radians);
        let turned = world_from_character.rotation * Quat::from_euler(EulerRot::XYZ, x, y, z);
        let size = Vec3::from(own.size_m);
        let shape: Shape = match own.kind {
            SolidKind::Sphere => Sphere {
                centre: at,
                radius_m: size.x,
            }
            .into(),
            SolidKind::Aabb => Aabb {
                low: at - 0.5 * size,
                high: at + 0.5 * size,
            }
            .into(),
            SolidKind::Obb => Obb::new(Transform::new(turned, at), 0.5 * size).into(),
            SolidKind::Capsule => {
                let half = turned * Vec3::Y * (0.5 * size.y);
                Capsule {
                    start: at - half,
                    end: at + half,
                    radius_m: size.x,
                }
                .into()
            }
            SolidKind::Plane => {
                let normal = turned * Vec3::Y;
                Plane {
                    normal,
                    offset_m: normal.dot(at),
                }
                .into()
            }
        };
        Collider::fixed(shape)
    }
}

impl fmt::Display for OwnSolid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        for size in &self.size_m[..self.kind.sizes().len()] {
            write!(f, " {size}")?;
        }
        let [left, up, ahead] = self.at_m;
        write!(f, " at {left} {up} {ahead}")?;
        let [x, y, z] = self.turned_deg;
        match self.kind.turns() && self.turned_deg != [0.0; 3] {
            true => write!(f, " turned {x} {y} {z}"),
            false => Ok(()),
        }
    }
}

impl FromStr for OwnSolid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace().peekable();
        let name = words.next().unwrap_or_default();
        let mut kinds = SolidKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.name() == name).ok_or_else(|| {
            let names = SolidKind::ALL.map(SolidKind::name).join(", ");
            format!("no solid {name:?}; there are {names}")
        })?;
        let mut solid = Self {
            turned_deg: [0.0; 3],
            ..Self::of(kind)
        };
        let sizes = kind.sizes();
        for (size_m, what) in solid.size_m.iter_mut().zip(sizes) {
            *size_m = number(words.next(), what, SIZES_M)?;
        }
        let places = -FURTHEST_M..=FURTHEST_M;
        while let Some(word) = words.next() {
            let (numbers, range) = match word {
                "at" => (&mut solid.at_m, places.clone()),
                "turned" if kind.turns() => (&mut solid.turned_deg, -360.0..=360.0),
                _ => return Err(format!("{word:?} in {text:?}: {}", usage(kind))),
            };
            for number_of in numbers {
                *number_of = number(words.next(), word, range.clone())?;
            }
        }
        Ok(solid)
    }
}

fn number(
    word: Option<&str>,
    what: &str,
    range: std::ops::RangeInclusive<f32>,
) -> Result<f32, String> {
    let (low, high) = (*range.start(), *range.end());
    let value = word.and_then(|word| word.parse().ok());
    value
        .filter(|value| range.contains(value))
        .ok_or_else(|| format!("{what:?} takes numbers from {low} to {high}"))
}

/// How a kind is spelt.
fn usage(kind: SolidKind) -> String {
    let sizes = kind
        .sizes()
        .iter()
        .map(|it| format!(" {}", it.to_uppercase()));
    let turned = if kind.turns() { " [turned X Y Z]" } else { "" };
    let sizes: String = sizes.collect();
    format!(
        "write \"{}{sizes} [at LEFT UP AHEAD]{turned}\"",
        kind.name()
    )
}

/// The solids around a sheet, moved when they are.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnSolids {
    colliders: Vec<Collider>,
}

impl OwnSolids {
    /// Others, or others places of the same: what has moved a little sweeps from
    /// where it was in the step that follows.
    pub fn set(
        &mut self,
        solids: &[Option<OwnSolid>; MOST_SOLIDS],
        world_from_character: Transform,
    ) {
        let before = std::mem::take(&mut self.colliders);
        let wanted = solids.iter().flatten();
        self.colliders = wanted.map(|it| it.collider(world_from_character)).collect();
        for (new, old) in self.colliders.iter_mut().zip(&before) {
            let way_m = new.end.translation.distance(old.end.translation);
            if new.local_shape == old.local_shape && way_m < JUMP_M {
                new.start = old.end;
            }
        }
    }

    /// As they go in a step, after which they stand.
    pub fn step(&mut self, colliders: &mut Vec<Collider>) {
        colliders.extend_from_slice(&self.colliders);
        for solid in &mut self.colliders {
            solid.start = solid.end;
        }
    }

    /// As they are drawn.
    pub fn meshes(&self) -> impl Iterator<Item = SheetMesh> + '_ {
        self.colliders.iter().map(|solid| match solid.local_shape {
            LocalShape::HalfSpace => {
                let [half, thin] = PLANE_M;
                let lowered = solid.end.transform_point(Vec3::new(0.0, -thin, 0.0).into());
                let place = Transform::new(solid.end.rotation, lowered);
                solid::cuboid(&Obb::new(place, Vec3::new(half, thin, half)), COLOUR)
            }
            LocalShape::RoundedBox {
                half_extents_m,
                radius_m: 0.0,
            } => solid::cuboid(&Obb::new(solid.end, half_extents_m.into()), COLOUR),
            LocalShape::RoundedBox {
                half_extents_m,
                radius_m,
            } => solid::round(solid.end, half_extents_m.into(), radius_m, COLOUR),
        })
    }

    /// Points that they take up; planes none.
    pub fn room(&self) -> impl Iterator<Item = Vec3> + '_ {
        let bounded = self.colliders.iter().filter_map(|solid| {
            let LocalShape::RoundedBox {
                half_extents_m,
                radius_m,
            } = solid.local_shape
            else {
                return None;
            };
            Some((solid.end.position(), half_extents_m.length() + radius_m))
        });
        bounded
            .flat_map(|(at, reach_m)| Vec3::AXES.map(|it| [at + it * reach_m, at - it * reach_m]))
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_faults_are_told() {
        for kind in SolidKind::ALL {
            let solid = OwnSolid::of(kind);
            assert_eq!(solid.to_string().parse(), Ok(solid), "{solid}");
        }
        let turned: OwnSolid = "capsule 0.1 0.6 turned 0 0 90".parse().unwrap();
        assert_eq!(turned.turned_deg, [0.0, 0.0, 90.0]);
        assert_eq!(turned.at_m, OwnSolid::of(SolidKind::Capsule).at_m);
        for (text, says) in [
            ("", "there are sphere, aabb, obb, capsule, plane"),
            ("cube 1", "no solid \"cube\""),
            ("sphere", "\"radius\" takes numbers"),
            ("sphere -1", "\"radius\" takes numbers"),
            ("sphere NaN", "\"radius\" takes numbers"),
            ("sphere 0.1 at 1 2", "\"at\" takes numbers"),
            ("sphere 0.1 turned 1 2 3", "write \"sphere RADIUS"),
            ("aabb 1 1 1 1", "write \"aabb WIDTH HEIGHT DEPTH"),
        ] {
            let fault = text.parse::<OwnSolid>().unwrap_err();
            assert!(fault.contains(says), "{text}: {fault}");
        }
    }

    /// In the character's axes: what is ahead of one that looks along +X is at +X.
    #[test]
    fn they_stand_where_the_character_looks() {
        let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
        let stands = Transform::new(quarter, Vec3::new(2.0, 0.5, 0.0));
        let solid = OwnSolid {
            at_m: [0.0, 1.0, 0.5],
            ..OwnSolid::of(SolidKind::Sphere)
        };
        let collider = solid.collider(stands);
        let at = collider.end.position();
        assert!(at.distance(Vec3::new(2.5, 1.5, 0.0)) < 1e-5, "{at}");
        assert!((collider.end_distance_m(at.into()) + 0.2).abs() < 1e-5);
    }
}
