//! Cloth in the scene: four set-ups around a character, stepped on their own
//! clock.
//!
//! A [`ClothInstance`] owns a sheet, the solids of the body it hangs on or is met by,
//! and the anchors that follow joints. It asks for poses at its own times, the
//! steps of 1/120 s, so that the result does not depend on the rate of display.
//! A pose that follows on no other (a clip that starts again, a seek) is told
//! by [`ClothInstance::jump`], or the body would be swept through the room.

mod alongside;
mod controller;
mod knobs;
mod picture;
mod place;
mod preset;
mod solid;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};

pub use alongside::{CURVE_STEPS, ClothSample, SolverCurve};
pub use controller::{ClothController, ClothStats};
pub(super) use controller::{Portion, TICK_SECS};
pub use knobs::ClothKnobs;
pub use picture::{ClothLook, ClothVertex, SheetMesh};
pub use preset::{ClothPreset, ClothSetup, PinChoice};

use crate::{
    body::{Body, BodySolids, BoneSolid},
    cloth::{Cloth, ClothSettings, STEP_SECS, SheetError, StepOutcome},
    collide::{Collider, Plane},
    math::Transform,
    skeleton::{Skeleton, WorldPose},
};
use place::Place;

/// A vertex that follows a joint.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    vertex: usize,
    joint: usize,
    in_joint: Vec3A,
}

/// A sheet with what it hangs on.
#[derive(Clone, Debug)]
pub struct ClothInstance {
    setup: ClothSetup,
    cloth: Cloth,
    solids: BodySolids,
    anchors: Vec<Anchor>,
    /// The joint that anchors follow and where it was when the sheet was made.
    holder: Option<(usize, Transform)>,
    fixed: Vec<Collider>,
    colliders: Vec<Collider>,
    pose: WorldPose,
    /// Takes +Z to where the character looked when the sheet was made.
    turn: Quat,
    start_secs: f64,
    ticks: u64,
    blow_ups: u32,
    indices: Arc<[u32]>,
    props: Vec<SheetMesh>,
}

/// Steps in which a cape comes to rest before it is shown.
const SETTLING: usize = 180;

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
        let floor = Plane {
            normal: Vec3::Y,
            offset_m: 0.0,
        };
        let mut fixed = vec![Collider::fixed(floor)];
        let mut props = Vec::new();
        let place = Place::of(skeleton, pose);
        let resolution = setup.resolution;
        let (mut sheet, mut anchors) = match setup.preset {
            ClothPreset::Panel => {
                let tumbled = place.tumbled_box();
                props.push(solid::cuboid(&tumbled, solid::WOOD));
                fixed.push(Collider::fixed(tumbled));
                (place.panel(resolution), Vec::new())
            }
            ClothPreset::Cape => place.cape(resolution, skeleton, &solids, pose),
            ClothPreset::Flag => {
                props.push(solid::pole(place.pole(), 0.014, solid::METAL));
                (place.flag(resolution), Vec::new())
            }
            ClothPreset::Blanket => (place.blanket(resolution), Vec::new()),
        };
        setup.pins.keep(&mut sheet.pins);
        // A pin that was let go follows no joint.
        anchors.retain(|anchor| sheet.pins.contains(&(anchor.vertex as u32)));
        let holder = anchors.first().map(|anchor| anchor.joint);
        let indices = sheet.triangles().into_iter().flatten().collect();
        let mut drape = Self {
            setup,
            cloth: Cloth::new(sheet, setup.preset.settings())?,
            solids,
            anchors,
            holder: holder.map(|joint| (joint, pose.joints()[joint])),
            fixed,
            colliders: Vec::new(),
            pose: pose.clone(),
            turn: place.turn,
            start_secs,
            ticks: 0,
            blow_ups: 0,
            indices,
            props,
        };
        drape.set_settings(setup.preset.settings());
        drape.gather(pose);
        Ok(drape)
    }

    /// Steps that it should make, its wearer still, before it is shown.
    pub(super) fn settling(&self) -> usize {
        // A cape is made stiff and stands off the back; the others may be seen
        // to fall.
        match self.setup.preset {
            ClothPreset::Cape => SETTLING,
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
        settings.wind.velocity = self.turn * settings.wind.velocity;
        self.cloth.set_settings(settings);
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
    pub fn step(&mut self, pose: &WorldPose) {
        for anchor in &self.anchors {
            let world = pose.joints()[anchor.joint].transform_point(anchor.in_joint);
            self.cloth.move_pin(anchor.vertex, world.into());
        }
        self.gather(pose);
        if self.cloth.step(&self.colliders) == StepOutcome::BlownUp {
            self.blow_ups += 1;
            // It was put back as it was made, but its wearer has moved on
            // since.
            if let Some((joint, at_first)) = self.holder {
                self.cloth.carry(pose.joints()[joint] * at_first.inverse());
            }
        }
    }

    /// The body is somewhere else all at once: what hangs on it goes along
    /// stiffly, and nothing is swept.
    pub fn jump(&mut self, pose: &WorldPose) {
        if let Some((joint, _)) = self.holder {
            let before = self.pose.joints()[joint];
            self.cloth.carry(pose.joints()[joint] * before.inverse());
        }
        self.pose.joints_mut().copy_from_slice(pose.joints());
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
        self.colliders.extend_from_slice(&self.fixed);
        // From the pose before to this one: fast limbs are swept, not
        // teleported.
        self.solids.follow(&self.pose, pose, &mut self.colliders);
        self.pose.joints_mut().copy_from_slice(pose.joints());
    }

    /// Points that the sheet and what belongs to it take up.
    pub fn room(&self) -> impl Iterator<Item = Vec3> + '_ {
        let props = self.props.iter().flat_map(|prop| &prop.vertices);
        let props = props.map(|vertex| Vec3::from(vertex.position));
        self.cloth.positions().chain(props)
    }
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
