//! What is to be seen: characters, cloth, camera, options, and [`FrameData`].
//!
//! A [`Scene`] is stepped and composed, and nothing else: the window, `render`,
//! the golden pictures, benches and examples all call [`Scene::step`] and
//! [`Scene::compose`]. Poses come in, [`FrameData`] goes out; it is plain data
//! and all that the renderer knows of the scene. No GPU, no files, no wall
//! clock here. World space is metres, Y up, the ground at `y = 0`.

mod actor;
mod bond;
mod camera;
mod character;
mod clock;
mod cloth;
mod compose;
mod display;
mod driven_motion;
mod feet;
mod follow_camera;
mod frame;
mod framing;
mod happenings;
mod look;
mod meeting;
mod options;
mod performance;
mod posed;
mod skin_view;
mod sound;
mod stage;
mod staging;
#[cfg(test)]
mod tests;
mod through;

use glam::Vec3;

pub use actor::{Actor, Overlay, ROLES};
pub use bond::Bond;
pub use camera::{Camera, CameraView, FreeArea, ViewPreset};
pub use character::{Character, ClipMotion, Motion};
pub use clock::{Clock, SPEEDS};
pub use cloth::{
    CURVE_STEPS, ClothContact, ClothController, ClothInstance, ClothKnobs, ClothLook, ClothPreset,
    ClothSample, ClothSetup, ClothStats, ClothVertex, MOST_SOLIDS, OwnSolid, PinChoice, SheetMesh,
    SolidKind, SolverCurve, deepest_m,
};
use cloth::{Portion, TICK_SECS};
pub use display::{CameraMode, Display, OutOfRange, SkinMaterial, ThemeChoice};
pub use driven_motion::DrivenMotion;
pub use follow_camera::{FollowCamera, Pursuit};
pub use frame::{Batch, BoneShape, FrameData, Instance, Label, Legend, Line, PaletteEntry};
pub use framing::{footing, outline};
pub use happenings::{Happening, TOLD_SECS};
pub use look::{Light, Look, Phong, Shading, Theme, error_colour};
pub use options::ViewOptions;
pub use performance::Performance;
pub use skin_view::SkinView;
pub use sound::{REACH_M, within_reach};
pub use staging::{ClipTiming, Staging};
pub use through::Through;

use crate::humanoid::facing;

/// Metres from one character to the next.
const ALONGSIDE_M: f32 = 1.3;

/// Everything that is seen, and from where.
#[derive(Debug, Default)]
pub struct Scene {
    /// The first is the lead: clock, cloth, camera and marks are its own.
    pub characters: Vec<Character>,
    /// The lead's time.
    pub clock: Clock,
    /// What is shown and how.
    pub options: ViewOptions,
    /// Where it is seen from.
    pub camera: FollowCamera,
    /// The sheet around the lead.
    pub cloth: ClothController,
    /// The lead comes round to where the camera looks, which waits for it.
    pub camera_waits: bool,
    /// Where the mouse points, for whoever looks there.
    pub pointer: Option<Vec3>,
    camera_moves: bool,
    stage: stage::Stage,
    happenings: Vec<Happening>,
    /// Who is struck by whom.
    bonds: Vec<Bond>,
    posed_secs: f64,
}

impl Scene {
    /// A scene of one character, at the start of its motion, seen whole.
    #[must_use]
    pub fn of(lead: Character) -> Self {
        let mut scene = Self::default();
        scene.set_lead(lead);
        scene.look_from(ViewPreset::ThreeQuarter);
        scene.frame_all();
        scene
    }

    /// Whoever panels and camera speak of.
    #[must_use]
    pub fn lead(&self) -> Option<&Character> {
        self.characters.first()
    }

    /// The same, to be changed.
    pub fn lead_mut(&mut self) -> Option<&mut Character> {
        self.characters.first_mut()
    }

    /// Another lead, alone: the clock turns to its motion, cloth hangs anew.
    pub fn set_lead(&mut self, lead: Character) {
        self.clock.load(lead.duration_secs(), lead.fps());
        self.characters.clear();
        self.happenings.clear();
        self.bonds.clear();
        self.characters.push(lead);
        self.cloth.reset();
        self.pose();
    }

    /// The same, where what was done to the lead before holds of the new one too:
    /// the ground, things in hands, what is looked at.
    pub fn replace_lead(&mut self, mut lead: Character) {
        if let Some(before) = self.characters.first() {
            lead.take_over(before);
        }
        self.set_lead(lead);
    }

    /// Puts others to the right and left of the lead, each starting from where
    /// the lead does.
    pub fn set_alongside(&mut self, others: impl IntoIterator<Item = Character>) {
        let Some(lead) = self.characters.first() else {
            return;
        };
        let (start, ahead) = (lead.footing_in(&lead.pose_at(0.0)), lead.facing);
        self.characters.truncate(1);
        for (index, mut other) in others.into_iter().enumerate() {
            let own = other.footing_in(&other.pose_at(0.0));
            other.offset = start - own + alongside(index, ahead);
            self.characters.push(other);
        }
        self.pose();
    }

    /// Lets time pass: the clock, poses, cloth, and the camera that follows.
    pub fn step(&mut self, dt_secs: f64) {
        let before = self.clock;
        if self.cloth.is_in_use() {
            self.step_with_cloth(dt_secs);
        } else {
            self.advance(dt_secs);
        }
        let moves = self.clock.is_moving();
        { self.characters.iter_mut() }.for_each(|it| it.step_posing(dt_secs, moves));
        self.note_events(&before, dt_secs);
        self.follow(dt_secs as f32);
    }

    /// Whether the picture changes by itself.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        let plays = !self.characters.is_empty() && self.clock.is_moving();
        let pulled = self.characters.iter().any(Character::is_posed);
        plays || pulled || self.camera_moves || self.cloth.is_moving()
    }

    fn advance(&mut self, dt_secs: f64) {
        self.clock.advance(dt_secs);
        let moves = self.clock.is_moving();
        // Slow motion slows falls as well; a body falls on while the clock stands.
        let rate = if moves { self.clock.speed() } else { 1.0 };
        for character in &mut self.characters {
            character.step_fall(dt_secs * rate, moves);
        }
        self.pose();
    }

    fn pose(&mut self) {
        self.share_looks();
        for character in &mut self.characters {
            character.sample_between_frames(self.options.display.between_frames);
        }
        let now_secs = self.clock.time_secs();
        if self.bonds.is_empty() {
            for character in &mut self.characters {
                character.advance_to(now_secs);
            }
        } else {
            self.pose_bound(now_secs);
        }
        self.meet_up(now_secs);
        for character in &self.characters {
            self.stage.prepare_props(character);
        }
        self.stage.prepare_ground(self.characters.first());
        self.posed_secs = now_secs;
    }

    /// Time passes in whole steps of the sheet, so that body and cloth are seen
    /// at one moment.
    fn step_with_cloth(&mut self, dt_secs: f64) {
        // A sheet moves on around a body that stands.
        let rate = match self.clock.is_moving() {
            true => self.clock.speed(),
            false => 1.0,
        };
        self.pose();
        self.hang_cloth();
        if let Some(lead) = self.characters.first() {
            self.cloth.stand_on(lead.posing().terrain());
        }
        let portion = self.cloth.begin_portion();
        if let Some(lead) = self.characters.first()
            && !self.cloth.settle(lead.world_pose(), portion)
        {
            return; // the body waits for what it wears
        }
        // Cloth lives in the clip's time: in slow motion it falls slowly as
        // well, and a step of the sheet takes 1 / rate as long on the wall
        // clock.
        for _ in 0..self.cloth.ticks(dt_secs * rate) {
            // Slow motion rather than a window that does not answer.
            if self.cloth.is_spent(portion) {
                break;
            }
            self.advance(TICK_SECS / rate);
            let step = |lead: &Character| self.cloth.step(lead.world_pose());
            if !self.characters.first().is_none_or(step) && !self.hang_anew(portion) {
                break;
            }
        }
    }

    /// The body jumped in time into another pose: the sheet starts again from one
    /// that is sound there. True once it has come to rest.
    fn hang_anew(&mut self, portion: Portion) -> bool {
        self.characters.first().is_none_or(|lead| {
            self.cloth.hang(lead);
            self.cloth.settle(lead.world_pose(), portion)
        })
    }

    /// Lets the cloth alone run, the characters still.
    pub fn settle_cloth(&mut self, secs: f64) {
        self.hang_cloth();
        if let Some(lead) = self.characters.first() {
            self.cloth.stand_on(lead.posing().terrain());
            self.cloth.settle(lead.world_pose(), Portion::UNLIMITED);
            for _ in 0..self.cloth.ticks(secs) {
                self.cloth.step(lead.world_pose());
            }
        }
    }

    /// A sheet that was asked for hangs around the lead, and is seen whole.
    pub fn hang_cloth(&mut self) {
        if let Some(lead) = self.characters.first()
            && self.cloth.hang(lead)
        {
            self.frame_all();
        }
    }

    fn follow(&mut self, dt_secs: f32) {
        self.camera.camera.through = self.through();
        let Some(point) = self.focus() else {
            self.camera_moves = false;
            return;
        };
        self.camera.camera.fov_y_rad = self.options.display.fov_deg.to_radians();
        if self.options.display.camera == CameraMode::Still {
            self.camera_moves = false;
            // Its spot is kept up to date, so that following can be taken up
            // again without a jump.
            self.camera.stay(point);
            return;
        }
        let turns = self.options.display.camera == CameraMode::TurnAlong;
        let lead = self.characters.first();
        let chases = turns && lead.is_some_and(Character::is_driven);
        let heading = lead.filter(|_| turns).map(Character::heading_rad);
        let pursuit = match chases {
            true => Pursuit::CLOSE,
            false => Pursuit::CALM,
        };
        let camera = &mut self.camera;
        let half_life_secs = pursuit.turn_half_life_secs;
        let turned = camera.turn(heading, self.camera_waits, half_life_secs, dt_secs);
        let paced = camera.pace(chases.then_some(point), dt_secs);
        let moved = camera.follow(point, pursuit.lag_secs, dt_secs);
        if chases {
            camera.stay_above_ground();
        }
        self.camera_moves = moved || turned || paced;
    }

    /// What the camera goes along with: a joint where one is looked at, else
    /// the spot below the lead's hips.
    fn focus(&self) -> Option<Vec3> {
        let lead = self.characters.first()?;
        let joint = self.options.look_at.map(usize::from);
        let joint = joint.and_then(|joint| lead.own_pose().joints().get(joint));
        let point = joint.map_or_else(|| lead.footing(), |joint| joint.position());
        // A camera that went after nothing would never come back.
        Some(point).filter(|point| within_reach(*point))
    }

    /// Where the lead's root stands, and its heading in radians about Y.
    #[must_use]
    pub fn root_heading(&self) -> (Vec3, f32) {
        let Some(lead) = self.characters.first() else {
            return (Vec3::ZERO, 0.0);
        };
        let root = lead.world_pose().joints().first();
        let position = root.map_or(Vec3::ZERO, |root| root.position());
        let ahead = facing(&lead.skeleton, lead.world_pose());
        (position, ahead.map_or(0.0, |ahead| ahead.x.atan2(ahead.z)))
    }

    /// The spot below the lead's hips.
    #[must_use]
    pub fn footing(&self) -> Vec3 {
        self.characters
            .first()
            .map_or(Vec3::ZERO, Character::footing)
    }

    /// Takes a standard view of the lead as it looks now.
    pub fn look_from(&mut self, preset: ViewPreset) {
        let ahead = self.characters.first().map_or(Vec3::Z, |lead| {
            facing(&lead.skeleton, lead.world_pose()).unwrap_or(lead.facing)
        });
        self.camera.look_from(preset, ahead);
    }

    /// Turns round the lead, which looks another way than the one before it did,
    /// so that it is seen from the same side.
    pub fn keep_side(&mut self, facing_before: Vec3) {
        let heading = |ahead: Vec3| ahead.x.atan2(ahead.z);
        if let Some(lead) = self.characters.first() {
            let turned = heading(lead.facing) - heading(facing_before);
            self.camera.camera.orbit(-turned, 0.0);
        }
    }

    /// Stands behind the lead and above it, and turns as it turns from there on:
    /// whoever steers it sees where it goes.
    pub fn chase(&mut self) {
        self.look_from(ViewPreset::Back);
        self.camera.camera.elevation_rad = CHASE_ELEVATION_RAD;
        self.frame_all();
        self.camera.camera.zoom(CHASE_ZOOM);
        self.camera.turn(None, false, 0.0, 0.0);
        self.jump_camera();
    }

    /// Goes where all characters, over their whole motion, and the cloth are
    /// seen; the direction stays.
    pub fn frame_all(&mut self) {
        let (points, footing) = (self.outline(), self.footing());
        self.camera.frame(&points, footing);
    }

    /// Points that everything takes up, around the lead's footing.
    #[must_use]
    pub fn outline(&self) -> Vec<Vec3> {
        let Some(lead) = self.characters.first() else {
            return Vec::new();
        };
        let mut points = lead.outline.to_vec();
        for (index, other) in self.characters.iter().skip(1).enumerate() {
            let aside = match other.see_through {
                true => Vec3::ZERO,
                false => alongside(index, lead.facing),
            };
            points.extend(other.outline.iter().map(|point| *point + aside));
        }
        if let Some(cloth) = self.cloth.cloth() {
            let footing = lead.footing();
            points.extend(cloth.room().map(|point| point - footing));
            for (_, offset, other) in self.cloth.others() {
                points.extend(lead.outline.iter().map(|point| *point + offset));
                points.extend(other.room().map(|point| point - footing));
            }
        }
        points
    }

    /// The camera is at once where it would come to: after a jump in time or
    /// to another clip.
    pub fn jump_camera(&mut self) {
        if let Some(point) = self.focus() {
            self.camera.jump(point);
        }
    }
}

/// Of a camera that chases: high enough to see the ground ahead, low enough for
/// the horizon.
const CHASE_ELEVATION_RAD: f32 = 0.25;
/// A little further off than a portrait: there is somewhere to go.
const CHASE_ZOOM: f32 = 0.8;

/// To the right of the lead and to its left, in turn.
pub(crate) fn alongside(index: usize, facing: Vec3) -> Vec3 {
    // Looking along +Z, a character has +X to its left.
    let right = Vec3::new(-facing.z, 0.0, facing.x).normalize_or(Vec3::X);
    let steps = (index / 2 + 1) as f32;
    right
        * if index.is_multiple_of(2) {
            steps
        } else {
            -steps
        }
        * ALONGSIDE_M
}
