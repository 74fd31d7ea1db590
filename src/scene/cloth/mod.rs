//! Cloth in the scene: set-ups around a character, stepped on their own
//! clock.
//!
//! A [`ClothInstance`] owns a sheet, the solids of the body it hangs on or is met by,
//! and the anchors that follow joints. It asks for poses at its own times, the
//! steps of 1/120 s, so that the result does not depend on the rate of display.
//! A pose that follows on no other (a clip that starts again, a seek) is told
//! by [`ClothInstance::jump`], or the body would be swept through the room.

mod alongside;
mod anchor;
mod controller;
mod dressing;
mod held;
mod knobs;
mod own_solid;
mod picture;
mod place;
mod preset;
mod solid;
mod tailor;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::{Vec3, Vec3A};

pub use alongside::{CURVE_STEPS, ClothSample, SolverCurve};
pub use controller::{ClothController, ClothStats};
pub(super) use controller::{Portion, TICK_SECS};
pub use knobs::ClothKnobs;
pub use own_solid::{MOST_SOLIDS, OwnSolid, SolidKind};
pub use picture::{ClothLook, ClothVertex, SheetMesh};
pub use preset::{ClothContact, ClothPreset, ClothSetup, PinChoice};

use crate::{
    body::{Body, BodySolids, BodySurface, BoneSolid},
    cloth::{
        Around, Cloth, ClothSettings, Crossing, STEP_SECS, Sheet, SheetError, StepOutcome,
        crossings,
    },
    collide::{Collider, MovingMesh, Shape, Terrain},
    humanoid::carrier,
    math::Transform,
    skeleton::{JointIndex, Skeleton, WorldPose},
};
use anchor::Anchor;
use dressing::Dressing;
use held::HeldThreads;
use own_solid::OwnSolids;
use place::Place;
use tailor::Tailor;

/// A sheet with what it hangs on.
#[derive(Clone, Debug)]
pub struct ClothInstance {
    setup: ClothSetup,
    cloth: Cloth,
    solids: BodySolids,
    skin: Option<Skin>,
    anchors: Vec<Anchor>,
    held: HeldThreads,
    /// The pose that a garment was cut in.
    cut_in: Option<WorldPose>,
    /// While body and garment are still on their way to the pose.
    dressing: Option<Dressing>,
    parents: Arc<[JointIndex]>,
    /// The joint that anchors follow and where it was when the sheet was made.
    holder: Option<(usize, Transform)>,
    fixed: Vec<Collider>,
    /// The ground below: half-spaces and boxes.
    ground: Vec<Shape>,
    own: OwnSolids,
    colliders: Vec<Collider>,
    pose: WorldPose,
    /// Where the character stood and looked when the sheet was made.
    world_from_character: Transform,
    start_secs: f64,
    ticks: u64,
    blow_ups: u32,
    indices: Arc<[u32]>,
    props: Vec<SheetMesh>,
}

/// The skin that is met, as it moves.
#[derive(Clone, Debug)]
struct Skin {
    surface: BodySurface,
    mesh: MovingMesh,
}

impl Skin {
    fn of(body: &Body, pose: &WorldPose) -> Option<Self> {
        let surface = BodySurface::of(body)?;
        let mut places = vec![Vec3A::ZERO; surface.len()];
        surface.place(pose, &mut places);
        let mesh = MovingMesh::new(Arc::clone(surface.shape()), places);
        Some(Self { surface, mesh })
    }

    fn advance(&mut self, pose: &WorldPose) {
        let surface = &self.surface;
        self.mesh.advance(|places| surface.place(pose, places));
    }
}

/// Steps in which a cape comes to rest before it is shown.
const SETTLING: usize = 180;
/// How far a joint may be from where the body's jump alone would have brought it:
/// as far as the fastest limbs get in a step or two, metres.
const SAME_POSE_M: f32 = 0.15;

impl ClothInstance {
    /// Sets a sheet up around a character as it stands at `start_secs`, settled.
    ///
    /// # Errors
    /// When the resolution makes no sheet.
    pub fn new(
        setup: impl Into<ClothSetup>,
        dressed: (&Skeleton, &Body),
        pose: &WorldPose,
        start_secs: f64,
    ) -> Result<Self, SheetError> {
        let mut cloth = Self::unsettled(setup, dressed, pose, start_secs)?;
        for _ in 0..cloth.settling() {
            cloth.step(pose);
        }
        cloth.forget_tears();
        Ok(cloth)
    }

    /// The same as it was made: [`Self::settling`] steps are still to be made.
    pub(super) fn unsettled(
        setup: impl Into<ClothSetup>,
        (skeleton, body): (&Skeleton, &Body),
        pose: &WorldPose,
        start_secs: f64,
    ) -> Result<Self, SheetError> {
        let setup = setup.into();
        let solids = BodySolids::fit(skeleton, body, BoneSolid::Obb);
        let mut fixed = Vec::new();
        let mut props = Vec::new();
        let place = Place::of(skeleton, pose);
        let resolution = setup.resolution;
        // A garment begins in the pose that its body was grown in.
        let tailor = setup.preset.is_garment().then(|| {
            let stands = (place.ground(), place.turn);
            Tailor::measure((skeleton, body), stands, setup.preset.has_sleeves())
        });
        let begun = tailor
            .as_ref()
            .map_or_else(|| pose.clone(), |tailor| tailor.pose(pose));
        // A garment hangs on the skin even where it meets solids.
        let wanted = setup.contact == ClothContact::Skin || setup.preset.is_garment();
        let skin = wanted.then(|| Skin::of(body, &begun)).flatten();
        let mut nape = None;
        let mut sheet = match (setup.preset, &tailor) {
            (ClothPreset::Skirt, Some(tailor)) => tailor.skirt(resolution)?,
            (ClothPreset::Shirt, Some(tailor)) => {
                let mesh = skin.as_ref().map(|skin| &skin.mesh);
                tailor.shirt(resolution)?.fitted(mesh)
            }
            (ClothPreset::Scarf, Some(tailor)) => {
                let mesh = skin.as_ref().map(|skin| &skin.mesh);
                tailor.scarf(resolution)?.fitted(mesh)
            }
            (ClothPreset::Panel, _) => {
                let tumbled = place.tumbled_box();
                props.push(solid::cuboid(&tumbled, solid::WOOD));
                fixed.push(Collider::fixed(tumbled));
                place.panel(resolution)
            }
            (ClothPreset::Flag, _) => {
                props.push(solid::pole(place.pole(), 0.014, solid::METAL));
                place.flag(resolution)
            }
            (ClothPreset::Blanket, _) => place.blanket(resolution),
            _ => {
                let (sheet, joint) = place.cape(resolution, skeleton, &solids, pose);
                nape = Some(joint);
                sheet
            }
        };
        setup.pins.keep(&mut sheet.pins);
        let anchors = anchors(&mut sheet, setup.preset, nape, (&begun, skin.as_ref()));
        let held = HeldThreads::of(&sheet, &anchors);
        let holder = nape.or_else(|| tailor.as_ref().map(|_| usize::from(carrier(skeleton))));
        let parents = Arc::from(skeleton.parents());
        let cut_in = tailor.map(|_| begun.clone());
        let dressing = cut_in.clone().map(|from| Dressing::from(from, &parents));
        let indices = sheet.triangles().into_iter().flatten().collect();
        let mut drape = Self {
            setup,
            cloth: Cloth::new(sheet, setup.preset.settings())?,
            solids,
            skin,
            anchors,
            held,
            cut_in,
            dressing,
            parents,
            holder: holder.map(|joint| (joint, begun.joints()[joint])),
            fixed,
            ground: Terrain::default().solids,
            own: OwnSolids::default(),
            colliders: Vec::new(),
            pose: begun.clone(),
            world_from_character: Transform::new(place.turn, place.ground()),
            start_secs,
            ticks: 0,
            blow_ups: 0,
            indices,
            props,
        };
        drape.set_settings(setup.preset.settings());
        drape.gather(&begun);
        Ok(drape)
    }

    /// Meets another ground from the next step on; of heights of a file their lowest
    /// alone.
    pub(super) fn stand_on(&mut self, ground: &[Shape]) {
        if self.ground != ground {
            self.ground = ground.to_vec();
        }
    }

    /// Steps that it should make, its wearer still, before it is shown.
    pub(super) fn settling(&self) -> usize {
        // A cape is made stiff and stands off the back; the others may be seen
        // to fall.
        match self.setup.preset {
            ClothPreset::Cape => SETTLING,
            preset if preset.is_garment() => Dressing::STEPS,
            _ => 0,
        }
    }

    /// What tore while it settled nobody has seen.
    fn forget_tears(&mut self) {
        self.blow_ups = 0;
    }

    /// Which set-up it is.
    #[must_use]
    pub fn setup(&self) -> ClothSetup {
        self.setup
    }

    /// Another material or solver from the next step on; the wind blows in the
    /// axes of the character as it stood at first.
    pub fn set_settings(&mut self, mut settings: ClothSettings) {
        // Knobs speak in the character's axes, the solver in the world's.
        settings.wind.velocity = self.world_from_character.rotation * settings.wind.velocity;
        self.cloth.set_settings(settings);
    }

    /// Puts these solids in its way, beside where the character stood at first.
    pub fn set_solids(&mut self, solids: &[Option<OwnSolid>; MOST_SOLIDS]) {
        self.own.set(solids, self.world_from_character);
    }

    /// The sheet.
    #[must_use]
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// Linear colour that it is drawn in.
    #[must_use]
    pub fn colour(&self) -> [f32; 3] {
        picture::COLOURS[self.setup.preset as usize]
    }

    /// The sheet, to be tuned or drawn at.
    pub fn cloth_mut(&mut self) -> &mut Cloth {
        &mut self.cloth
    }

    /// The body's pose as the last step ended.
    #[must_use]
    pub fn pose(&self) -> &WorldPose {
        &self.pose
    }

    /// All solids of the last step.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The skin of the last step, when the sheet meets it.
    #[must_use]
    pub fn skin(&self) -> Option<&MovingMesh> {
        let met = self.setup.contact == ClothContact::Skin;
        self.skin.as_ref().filter(|_| met).map(|skin| &skin.mesh)
    }

    /// Triangles of the sheet that pass through the skin, exactly; none without
    /// it.
    #[must_use]
    pub fn crossings(&self) -> Vec<Crossing> {
        let found = self.skin().map(|mesh| crossings(&self.cloth, mesh));
        found.unwrap_or_default()
    }

    /// How often the sheet had to be put back.
    #[must_use]
    pub fn blow_ups(&self) -> u32 {
        self.blow_ups
    }

    /// The moment that the sheet has come to: a whole number of steps.
    #[must_use]
    pub fn time_secs(&self) -> f64 {
        self.start_secs + self.ticks as f64 / rate()
    }

    /// Runs to a moment; `pose_at` is asked for the pose at every step on the
    /// way. Times past do nothing.
    pub fn advance_to(&mut self, time_secs: f64, mut pose_at: impl FnMut(f64) -> WorldPose) {
        let wanted = ((time_secs - self.start_secs) * rate() + 1e-6)
            .floor()
            .max(0.0) as u64;
        while self.ticks < wanted {
            self.ticks += 1;
            let pose = pose_at(self.time_secs());
            self.step(&pose);
        }
    }

    /// One step, to the pose that the body has at its end.
    pub fn step(&mut self, wanted: &WorldPose) {
        let pose = wanted;
        let on_the_way = match &mut self.dressing {
            Some(dressing) => dressing.next(pose),
            None => None,
        };
        if on_the_way.is_none() {
            self.dressing = None;
        }
        let pose = on_the_way.as_ref().unwrap_or(pose);
        self.gather(pose);
        let mesh = self.skin.as_ref().map(|skin| &skin.mesh);
        let clear_m = clear_m(self.setup.preset);
        let spots = self.anchors.iter().map(|anchor| {
            let place = anchor.place(pose, mesh);
            place.unwrap_or_else(|| self.cloth.position(anchor.vertex).into())
        });
        let places = self.held.settle(spots, mesh.map(|mesh| (mesh, clear_m)));
        for (anchor, &world) in self.anchors.iter().zip(places) {
            self.cloth.move_pin(anchor.vertex, world.into());
        }
        let met = self.setup.contact == ClothContact::Skin;
        let around = Around {
            solids: &self.colliders,
            skin: self.skin.as_ref().filter(|_| met).map(|skin| &skin.mesh),
        };
        if self.cloth.step_among(around) == StepOutcome::BlownUp {
            self.blow_ups += 1;
            // It was put back as it was made, but its wearer has moved on
            // since.
            if let Some((joint, at_first)) = self.holder {
                let by = pose.joints()[joint] * at_first.inverse();
                self.cloth.carry(by);
                if self.dressing.is_none() {
                    self.dress_anew(by, wanted);
                }
            }
        }
    }

    /// A garment that was put back as it was cut is put on again: its wearer holds
    /// itself otherwise since.
    fn dress_anew(&mut self, by: Transform, pose: &WorldPose) {
        let Some(mut from) = self.cut_in.clone() else {
            return;
        };
        from.joints_mut().iter_mut().for_each(|it| *it = by * *it);
        self.pose.clone_from(&from);
        if let Some(skin) = &mut self.skin {
            skin.advance(&from);
            skin.mesh.stand();
            self.cloth.forget_skin();
        }
        self.dressing = Some(Dressing::hurried(from, &self.parents));
        for _ in 0..Dressing::HURRIED {
            self.step(pose);
        }
    }

    /// True when a body that is somewhere else all at once holds itself as it did
    /// before, so that what hangs on it can go along stiffly. In another pose the
    /// sheet would be in its limbs, and its pins too far apart for its threads.
    #[must_use]
    pub fn fits(&self, pose: &WorldPose) -> bool {
        let Some((holder, _)) = self.holder else {
            return true;
        };
        let carried = pose.joints()[holder] * self.pose.joints()[holder].inverse();
        let pairs = self.pose.joints().iter().zip(pose.joints());
        let off = |(was, is): (&Transform, &Transform)| {
            let at = carried.transform_point(was.translation);
            at.distance(is.translation)
        };
        pairs.map(off).fold(0.0, f32::max) < SAME_POSE_M
    }

    /// The body is somewhere else all at once: what hangs on it goes along
    /// stiffly, and nothing is swept. A garment is then taken from pose to pose,
    /// or limbs would be where cloth is.
    pub fn jump(&mut self, pose: &WorldPose) {
        let mut carried = self.pose.clone();
        if let Some((joint, _)) = self.holder {
            let by = pose.joints()[joint] * self.pose.joints()[joint].inverse();
            self.cloth.carry(by);
            carried
                .joints_mut()
                .iter_mut()
                .for_each(|it| *it = by * *it);
        }
        let worn = self.setup.preset.is_garment();
        let there = if worn { &carried } else { pose };
        self.pose.clone_from(there);
        if let Some(skin) = &mut self.skin {
            skin.advance(there);
            skin.mesh.stand();
            if !worn {
                self.cloth.forget_skin();
            }
        }
        if worn {
            self.dressing = Some(Dressing::hurried(carried, &self.parents));
            for _ in 0..Dressing::HURRIED {
                self.step(pose);
            }
        }
    }

    /// Furthest that a joint is from where it was in the last step.
    #[must_use]
    pub fn travel_m(&self, pose: &WorldPose) -> f32 {
        let pairs = self.pose.joints().iter().zip(pose.joints());
        let ways = pairs.map(|(a, b)| a.translation.distance(b.translation));
        ways.fold(0.0, f32::max)
    }

    fn gather(&mut self, pose: &WorldPose) {
        self.colliders.clear();
        let ground = self.ground.iter().map(|it| Collider::fixed(*it));
        self.colliders.extend(ground);
        self.colliders.extend_from_slice(&self.fixed);
        self.own.step(&mut self.colliders);
        // From the pose before to this one: fast limbs are swept, not
        // teleported.
        if let Some(skin) = &mut self.skin {
            skin.advance(pose);
        }
        if self.skin().is_none() {
            self.solids.follow(&self.pose, pose, &mut self.colliders);
        }
        self.pose.clone_from(pose);
    }

    /// Points that the sheet and what belongs to it take up.
    pub fn room(&self) -> impl Iterator<Item = Vec3> + '_ {
        let props = self.props.iter().flat_map(|prop| &prop.vertices);
        let props = props.map(|vertex| Vec3::from(vertex.position));
        self.cloth.positions().chain(props).chain(self.own.room())
    }
}

/// How far from the skin pins are held, metres.
fn clear_m(preset: ClothPreset) -> f32 {
    preset.settings().thickness_m + 0.002
}

/// What holds the pins: of garments the skin where it is met, else a joint.
fn anchors(
    sheet: &mut Sheet,
    preset: ClothPreset,
    nape: Option<usize>,
    (pose, skin): (&WorldPose, Option<&Skin>),
) -> Vec<Anchor> {
    let worn = preset.is_garment() || preset == ClothPreset::Cape;
    if !worn {
        return Vec::new();
    }
    let clear_m = clear_m(preset);
    let pins = sheet.pins.clone();
    let mut anchors = Vec::with_capacity(pins.len());
    for pin in pins {
        let vertex = pin as usize;
        let at = Vec3A::from(sheet.positions[vertex]);
        let to_skin = skin.and_then(|skin| Anchor::to_skin(vertex, at, &skin.mesh, clear_m));
        let to_joint = nape.map(|joint| Anchor::to_joint(vertex, joint, at, pose));
        let Some(anchor) = to_skin.or(to_joint) else {
            continue;
        };
        let place = anchor.place(pose, skin.map(|skin| &skin.mesh));
        sheet.positions[vertex] = place.unwrap_or(at).into();
        anchors.push(anchor);
    }
    anchors
}

fn rate() -> f64 {
    f64::from(1.0 / STEP_SECS).round()
}

/// Metres of the deepest vertex inside any of the solids, in their poses at
/// the end of the step; negative when all are outside.
#[must_use]
pub fn deepest_m(drape: &ClothInstance) -> f32 {
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
