//! The arguments of `render`: every display option is a flag.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::sprites::{json_path, layout};
use crate::{
    body::Skinning,
    cli::{Failure, frames, onto::OntoArgs, overwrite::ForceArgs, performance::PerformanceFiles},
    clip::Interpolation,
    cloth::{ConstraintKinds, SolverMode},
    humanoid::LimitSource,
    import::{MotionOptions, SkeletonOptions, UpAxis},
    load::LoadOptions,
    posing::PoseAction,
    scene::{
        CameraMode, ClothContact, ClothLook, ClothPreset, Display, MOST_SOLIDS, OwnSolid, Shading,
        SkinView, Theme, ViewOptions, ViewPreset,
    },
    units::LengthUnit,
};

#[derive(Args, Debug)]
pub(in crate::cli) struct RenderArgs {
    /// Skeletons and motions in any order, or folders of them; the built-in
    /// character when left out
    pub files: Vec<PathBuf>,
    /// Which clip of the built-in character [default: idle], or of a file that
    /// holds several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub clip: Option<String>,
    /// A .png, .gif, .mp4 or .webm, or a folder for a PNG sequence; .mp4 and
    /// .webm by the system's `ffmpeg`
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// The frame of a single picture, counted from 0 [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "frames")]
    pub frame: Option<usize>,
    /// Frames of a sequence, first and past-the-last [default: all]
    #[arg(long, value_name = "A..B", value_parser = frames::parse_range)]
    pub frames: Option<std::ops::Range<usize>>,
    /// Pictures a second of a sequence, at the motion's own speed
    /// [default: the motion's rate for a folder, 25 for a GIF, 30 for .mp4 and
    /// .webm]
    #[arg(long, value_name = "F", value_parser = super::super::parse_rate)]
    pub fps: Option<f64>,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: [u32; 2],
    /// A contact sheet: poses across the frames, with their numbers
    #[arg(long, group = "many")]
    pub sheet: bool,
    /// A sprite sheet for 2D engines: even cells of --cell without captions or
    /// background, and OUT.json that says where each is
    #[arg(long, group = "many", conflicts_with_all = ["bake", "trace"])]
    pub sprites: bool,
    /// Pixels of a sprite
    #[arg(long, value_name = "WxH", default_value = "128x128", requires = "sprites",
          value_parser = parse_size)]
    pub cell: [u32; 2],
    /// Poses on a contact sheet or sprite sheet
    #[arg(long, value_name = "N", default_value_t = 12, requires = "many",
          value_parser = clap::value_parser!(u32).range(1..=400))]
    pub poses: u32,
    /// Drives the character by a text of inputs, a line each: seconds, then
    /// `press KEY`, `release KEY`, `click` or `set PARAMETER VALUE`. Files then
    /// fill the animator's states, by their names or as STATE=FILE
    #[arg(long, value_name = "FILE", conflicts_with = "clip")]
    pub script: Option<PathBuf>,
    /// The animator's description (RON) that a script drives, instead of the
    /// built-in one
    #[arg(long, value_name = "FILE", conflicts_with = "clip")]
    pub animator: Option<PathBuf>,
    /// Writes one JSON object a line and simulated frame
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    #[command(flatten)]
    pub onto: OntoArgs,
    #[command(flatten)]
    pub display: DisplayArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// Length unit of the files: inch, cm, m, mm or foot, instead of the one
    /// found or guessed
    #[arg(long, value_name = "UNIT")]
    pub file_unit: Option<LengthUnit>,
    /// Frames a second of the files, instead of those stated or assumed
    #[arg(long, value_name = "RATE", value_parser = super::super::parse_rate)]
    pub file_fps: Option<f64>,
    /// The axis that points up in the files, y, z, x, -y, -z or -x, instead of the one found
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub up: Option<UpAxis>,
    /// Holds thumbs and fingers at rest, for captures that have garbage there
    #[arg(long)]
    pub ignore_fingers: bool,
    /// Samples per pixel
    #[arg(long, value_name = "N", default_value = "4", value_parser = parse_samples)]
    pub samples: u32,
    #[command(flatten)]
    pub force: ForceArgs,
}

/// What is shown.
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // one flag each
pub(in crate::cli) struct DisplayArgs {
    /// The skeleton through the skin
    #[arg(long)]
    pub skeleton: bool,
    /// The skeleton instead of the skin
    #[arg(long)]
    pub skeleton_only: bool,
    /// Axes of every joint
    #[arg(long)]
    pub axes: bool,
    /// Names of every joint
    #[arg(long)]
    pub names: bool,
    /// Paths of joints over the motion, by name; the root's when none is named
    #[arg(long, value_name = "JOINT", num_args = 0.., value_delimiter = ',')]
    pub trajectory: Option<Vec<String>>,
    /// Names events at the figure that comes by them: strikes of feet, what files
    /// and animators name
    #[arg(long)]
    pub events: bool,
    /// See-through poses before and after, this many on either side
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "3")]
    pub ghosts: Option<u32>,
    /// Seconds between ghosts
    #[arg(long, value_name = "S", default_value_t = 0.2)]
    pub ghost_step: f64,
    /// Shows the second motion see-through beside the first
    #[arg(long)]
    pub compare: bool,
    /// Colours the skin by the distance of each joint from the second motion,
    /// red at this many centimetres
    #[arg(long, value_name = "CM", num_args = 0..=1, default_missing_value = "1")]
    pub errors: Option<f32>,
    /// Cloth: panel, cape, flag, blanket, skirt, shirt or scarf
    #[arg(long, value_name = "NAME")]
    pub cloth: Option<ClothPreset>,
    /// What of the body the cloth meets: skin (every triangle) or solids (a box a
    /// bone, fast)
    #[arg(long, value_name = "WHAT", requires = "cloth")]
    pub cloth_contact: Option<ClothContact>,
    /// Writes the cloth as a mesh instead of pictures: OUT.glb, a morph target
    /// for every frame, or a folder of .obj files
    #[arg(long, requires = "cloth")]
    pub bake: bool,
    /// Seconds the cloth runs before the first picture, the character still
    #[arg(long, value_name = "S", default_value_t = 0.0, requires = "cloth")]
    pub cloth_lead: f64,
    /// What moves the cloth: xpbd, pbd, jacobi, verlet or euler; up to three of
    /// them, with commas between, side by side
    #[arg(long, value_name = "LIST", requires = "cloth", value_delimiter = ',')]
    pub solver: Vec<SolverMode>,
    /// Which threads the cloth has: structural, shear (and diagonals) or bend
    /// (and over two cells)
    #[arg(long, value_name = "KINDS", requires = "cloth", default_value_t)]
    pub cloth_kinds: ConstraintKinds,
    /// A solid in the cloth's way: "sphere RADIUS", "aabb W H D", "obb W H D",
    /// "capsule RADIUS LENGTH" or "plane", then "at LEFT UP AHEAD" of the character
    /// in metres and "turned X Y Z" in degrees; up to six times
    #[arg(long, value_name = "SOLID", requires = "cloth")]
    pub solid: Vec<OwnSolid>,
    /// Colours the cloth by how far its threads are drawn out, red at 5 %
    #[arg(long, requires = "cloth")]
    pub cloth_stretch: bool,
    /// Points of the cloth that touch something are red
    #[arg(long, requires = "cloth")]
    pub cloth_contacts: bool,
    /// Wireframes of the solids that stand for the body, and of all others that
    /// cloth meets
    #[arg(long)]
    pub colliders: bool,
    /// Background
    #[arg(long, value_enum, default_value_t = ThemeArg::Dark)]
    pub theme: ThemeArg,
    /// Light model of the skin
    #[arg(long, value_enum, default_value_t = ShadingArg::Studio)]
    pub shading: ShadingArg,
    /// How the skin follows the joints
    #[arg(long, value_enum, default_value_t = SkinningArg::Dual)]
    pub skinning: SkinningArg,
    /// Another way of seeing the skin
    #[arg(long, value_enum, value_name = "WHAT")]
    pub show: Option<ShowArg>,
    /// Colours the skin by how much a joint moves it, red where it does so alone
    #[arg(long, value_name = "JOINT", conflicts_with = "show")]
    pub weights: Option<String>,
    /// The character as usual beside the one of --show or --weights
    #[arg(long)]
    pub beside: bool,
    /// Frames from one key to the next with --show matrices
    #[arg(long, value_name = "N", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..=240))]
    pub matrix_keys: u32,
    /// Weighs a morph target of the skin, by name or number: --morph smile=0.8
    #[arg(long, value_name = "NAME=WEIGHT", value_parser = parse_morph)]
    pub morph: Vec<PoseAction>,
    /// Leaves out shadows
    #[arg(long)]
    pub no_shadows: bool,
    /// Leaves out darkened corners and contacts
    #[arg(long)]
    pub no_occlusion: bool,
    /// Leaves out the seams at the joints
    #[arg(long)]
    pub no_seams: bool,
    /// Leaves out the ground
    #[arg(long)]
    pub no_ground: bool,
    /// Leaves out the background: an alpha channel instead
    #[arg(long)]
    pub transparent: bool,
    /// Something done to the pose, in the words of a script: --pose "look 1 1.6
    /// 3" --pose "ground stairs 0.18" (docs/posing.md)
    #[arg(long, value_name = "WORDS", value_parser = crate::cli::parse_pose)]
    pub pose: Vec<PoseAction>,
    /// Colours the skin where joints are beyond the limits that their file states,
    /// or that a human's have
    #[arg(long, value_enum)]
    pub limits: Option<Limits>,
    /// What lies between the frames of a clip, instead of its own way: nearest, linear or cubic
    #[arg(long, value_name = "WAY")]
    pub sampling: Option<Interpolation>,
    /// The rest pose instead of the motion's
    #[arg(long)]
    pub rest: bool,
    /// Text in the corner
    #[arg(long, value_name = "TEXT")]
    pub caption: Option<String>,
}

/// Where it is seen from.
#[derive(Args, Debug)]
pub(in crate::cli) struct ViewArgs {
    /// Standard view, relative to where the character looks
    #[arg(long, value_enum, default_value_t = ViewArg::ThreeQuarter)]
    pub view: ViewArg,
    /// Turns the view further to the character's left, degrees
    #[arg(
        long,
        value_name = "DEG",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub azimuth: f32,
    /// Raises the view, degrees
    #[arg(
        long,
        value_name = "DEG",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    pub elevation: f32,
    /// Goes nearer by a factor
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub zoom: f32,
    /// Looks at a joint instead of the whole body
    #[arg(long, value_name = "JOINT")]
    pub look_at: Option<String>,
    /// Looks through a camera of the file, by name; `info --json` lists them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["look_at", "still"])]
    pub camera: Option<String>,
    /// Keeps the camera where it is instead of following
    #[arg(long)]
    pub still: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ThemeArg {
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ShadingArg {
    Studio,
    Phong,
    Blinn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum SkinningArg {
    Dual,
    Linear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ShowArg {
    /// Rigid pieces, each on the joint that moves it most
    Pieces,
    /// Linear skinning
    Linear,
    /// Matrices blended number by number between keys
    Matrices,
    /// The pose that skin and joints were bound in
    Bind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ViewArg {
    ThreeQuarter,
    Front,
    Side,
    Back,
    Top,
}

impl RenderArgs {
    /// What clap cannot know.
    pub fn check(&self) -> Result<(), Failure> {
        let usage = |text: &str| Err(Failure::Usage(text.to_owned()));
        let extension = self.extension();
        if (self.sheet || self.sprites) && extension.as_deref() != Some("png") {
            return usage("a sheet is a single picture: give -o a name that ends in .png");
        }
        let lead = self.display.cloth_lead;
        if !(0.0..=60.0).contains(&lead) {
            return usage("--cloth-lead takes 0 to 60 seconds");
        }
        if self.display.solid.len() > MOST_SOLIDS {
            return usage("there is room for six solids: give --solid at most six times");
        }
        if self.display.solver.len() > 3 {
            return usage("--solver takes at most three solvers");
        }
        if self.display.bake {
            return match (extension.as_deref(), self.sheet, self.display.solver.len()) {
                (None | Some("glb"), false, 0..=1) => Ok(()),
                _ => usage("--bake writes one sheet into OUT.glb, or .obj files into a folder"),
            };
        }
        if extension.as_deref() == Some("glb") {
            return usage("a .glb holds no pictures: --bake writes the cloth of --cloth into it");
        }
        if !matches!(
            extension.as_deref(),
            None | Some("png" | "gif" | "mp4" | "webm")
        ) {
            return usage("pictures are written as .png, .gif, .mp4 or .webm, or into a folder");
        }
        // A GIF pixel is there or not: edges would be cut to steps.
        if self.display.transparent && self.is_film() {
            return usage("a film has no soft edges: --transparent needs .png or a folder");
        }
        if !(self.view.zoom.is_finite() && self.view.zoom > 0.0) {
            return usage("--zoom takes a number above 0");
        }
        Ok(())
    }

    /// Refuses outputs that this call reads.
    pub fn check_outputs(&self) -> Result<(), Failure> {
        let inputs = self.performance().inputs();
        let file = self.extension().map(|_| self.output.as_path());
        let json = self.sprites.then(|| json_path(&self.output));
        let outputs = file.into_iter().chain(self.trace.as_deref());
        let outputs = outputs.chain(json.as_deref());
        self.force.check(&inputs, outputs.chain(self.onto.output()))
    }

    /// Who is driven, where a script drives.
    pub fn performance(&self) -> PerformanceFiles<'_> {
        PerformanceFiles {
            files: &self.files,
            animator: self.animator.as_deref(),
            script: self.script.as_deref(),
            onto: &self.onto,
        }
    }

    /// Whether an animator moves the character instead of a clip.
    pub fn is_driven(&self) -> bool {
        self.script.is_some() || self.animator.is_some()
    }

    /// Pixels of the whole output.
    pub fn picture_size(&self) -> [u32; 2] {
        match self.sprites {
            true => layout(self.cell, self.poses).1,
            false => self.size,
        }
    }

    /// One file that moves.
    pub fn is_film(&self) -> bool {
        matches!(self.extension().as_deref(), Some("gif" | "mp4" | "webm"))
    }

    /// Pictures a second of a film.
    pub fn film_fps(&self) -> f64 {
        let usual = match self.extension().as_deref() {
            Some("gif") => 25.0,
            _ => 30.0,
        };
        self.fps.unwrap_or(usual)
    }

    /// Extension of the output in lower case; `None` means a folder.
    pub fn extension(&self) -> Option<String> {
        let extension = self.output.extension()?;
        Some(extension.to_string_lossy().to_ascii_lowercase())
    }

    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            skeleton: SkeletonOptions {
                unit: self.file_unit,
                up: self.up,
            },
            motion: MotionOptions { fps: self.file_fps },
            ignore_fingers: self.ignore_fingers,
            ..LoadOptions::default()
        }
    }

    /// What the flags ask for, but for joints, which need a skeleton.
    pub fn view_options(&self) -> ViewOptions {
        let flags = &self.display;
        ViewOptions {
            display: Display {
                skin: !flags.skeleton_only,
                skin_view: self.skin_view(),
                skin_beside: flags.beside,
                matrix_keys: flags.matrix_keys,
                bones: flags.skeleton || flags.skeleton_only,
                axes: flags.axes,
                names: flags.names,
                trajectory: flags.trajectory.is_some(),
                between_frames: flags.sampling,
                ghosts: flags.ghosts.unwrap_or(0),
                ghost_step_secs: flags.ghost_step,
                camera: match self.view.still {
                    true => CameraMode::Still,
                    false => CameraMode::Follow,
                },
                light: self.shading(),
                shadows: !flags.no_shadows,
                occlusion: !flags.no_occlusion,
                ground: !(flags.no_ground || self.sprites),
                error_colours: flags.errors.is_some(),
                ..Display::default()
            },
            theme: self.theme(),
            skinning: self.skinning(),
            seams: !flags.no_seams,
            transparent: flags.transparent || self.sprites,
            through: self.view.camera.clone(),
            event_labels: flags.events,
            error_scale_cm: flags.errors.unwrap_or(1.0),
            cloth: ClothLook {
                stretch: flags.cloth_stretch,
                contacts: flags.cloth_contacts,
                colliders: flags.colliders,
            },
            caption: flags.caption.clone(),
            limits: flags.limits.map(|it| match it {
                Limits::Own => LimitSource::Own,
                Limits::Human => LimitSource::Human,
            }),
            ..ViewOptions::default()
        }
    }

    fn theme(&self) -> Theme {
        match self.display.theme {
            ThemeArg::Dark => Theme::Dark,
            ThemeArg::Light => Theme::Light,
        }
    }

    fn shading(&self) -> Shading {
        match self.display.shading {
            ShadingArg::Studio => Shading::Studio,
            ShadingArg::Phong => Shading::Phong,
            ShadingArg::Blinn => Shading::BlinnPhong,
        }
    }

    fn skinning(&self) -> Skinning {
        match self.display.skinning {
            SkinningArg::Dual => Skinning::DualQuaternion,
            SkinningArg::Linear => Skinning::LinearBlend,
        }
    }

    fn skin_view(&self) -> SkinView {
        match (&self.display.weights, self.display.show) {
            (Some(_), _) => SkinView::Weights,
            (None, None) => SkinView::Usual,
            (None, Some(ShowArg::Pieces)) => SkinView::Pieces,
            (None, Some(ShowArg::Linear)) => SkinView::Linear,
            (None, Some(ShowArg::Matrices)) => SkinView::Matrices,
            (None, Some(ShowArg::Bind)) => SkinView::Bind,
        }
    }

    pub fn preset(&self) -> ViewPreset {
        match self.view.view {
            ViewArg::ThreeQuarter => ViewPreset::ThreeQuarter,
            ViewArg::Front => ViewPreset::Front,
            ViewArg::Side => ViewPreset::Left,
            ViewArg::Back => ViewPreset::Back,
            ViewArg::Top => ViewPreset::Top,
        }
    }
}

/// Whose limits colour the skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Limits {
    /// The file's own
    Own,
    /// A human's
    Human,
}

fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let problem = || format!("{text:?} is not a size such as 1280x720");
    let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(problem)?;
    let side = |text: &str| text.trim().parse::<u32>().map_err(|_| problem());
    match [side(width)?, side(height)?] {
        [0, _] | [_, 0] => Err("a picture needs at least one pixel a side".into()),
        size => Ok(size),
    }
}

/// `NAME=WEIGHT` as what a script calls `morph NAME WEIGHT`.
fn parse_morph(text: &str) -> Result<PoseAction, String> {
    let (name, weight) = text
        .rsplit_once('=')
        .ok_or_else(|| format!("{text:?} is not NAME=WEIGHT, such as smile=0.8"))?;
    let words = ["morph", name, weight];
    PoseAction::parse(&words).unwrap_or_else(|| Err("morph is not known".to_owned()))
}

fn parse_samples(text: &str) -> Result<u32, String> {
    match text {
        "1" => Ok(1),
        "4" => Ok(4),
        // The two counts that every adapter has to offer.
        _ => Err("1 or 4 samples a pixel".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("640x480"), Ok([640, 480]));
        assert!(parse_size("0x480").is_err() && parse_size("640").is_err());
    }
}
