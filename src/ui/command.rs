//! What panels ask for. Nothing here acts: the application applies commands
//! after layout, in the order they were given.

use std::path::PathBuf;

use crate::{
    analysis::Filter,
    clip::{EventEdit, Wrap},
    humanoid::LimitSource,
    humanoid::Role,
    posing::PoseAction,
    register::Pin,
    scene::{CameraMode, ClothKnobs, Display, ViewPreset},
    skeleton::JointIndex,
};

use super::{
    AnimatorEditing, Browsing, Casting, Codec, CurveFile, ExportDialog, ImportOverrides,
    InputsShown, Tuning,
};

/// Who moves the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Clips are played and looked at.
    #[default]
    View,
    /// Clips are averaged, in step with each other.
    Blend,
    /// The keyboard moves the performer through the animator.
    Drive,
}

impl Mode {
    /// In the order they are offered.
    pub const ALL: [Self; 3] = [Self::View, Self::Blend, Self::Drive];

    /// The word on the badge.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::View => "VIEW",
            Self::Blend => "BLEND",
            Self::Drive => "DRIVE",
        }
    }

    /// How the camera goes along in this mode.
    pub fn camera_of(self, display: &mut Display) -> &mut CameraMode {
        match self {
            Self::View | Self::Blend => &mut display.camera,
            Self::Drive => &mut display.drive_camera,
        }
    }

    /// Drive, or from there back to the clips.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::View | Self::Blend => Self::Drive,
            Self::Drive => Self::View,
        }
    }

    /// What it is for.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::View => "Look at clips (Esc)",
            Self::Blend => "Average clips, in step with each other (Ctrl+B)",
            Self::Drive => "Steer a character (Tab)",
        }
    }
}

/// A switch of the display that has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// Skin.
    Skin,
    /// Bones.
    Bones,
    /// Names of joints.
    Names,
    /// Axes of joints.
    Axes,
    /// Path of the root or the chosen joint.
    Trajectory,
    /// Poses before and after.
    Ghosts,
    /// Whether the camera goes along.
    Follow,
}

/// What a key or a menu entry does: everything that needs no further value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Play or pause.
    TogglePlay,
    /// Frames forward, backward when negative.
    Step(i32),
    /// A second forward or backward.
    SkipSeconds(i32),
    /// First frame of the range.
    ToStart,
    /// Last frame of the range.
    ToEnd,
    /// The range starts here.
    RangeIn,
    /// The range ends here.
    RangeOut,
    /// The whole clip again.
    RangeClear,
    /// Half the speed.
    Slower,
    /// Twice the speed.
    Faster,
    /// Backwards, and forwards again.
    Reverse,
    /// Once, loop, ping-pong.
    NextWrap,
    /// An event at the play head.
    AddEvent,
    /// The chosen event goes.
    DeleteEvent,
    /// One edit of events back.
    UndoEvents,
    /// One forward.
    RedoEvents,
    /// The clip before in its list.
    PreviousClip,
    /// The clip after.
    NextClip,
    /// Everything in the picture.
    FrameAll,
    /// Looks from a side.
    LookFrom(ViewPreset),
    /// Turns a part of the display on or off.
    Toggle(Switch),
    /// Dark, light, as the system.
    NextTheme,
    /// Stops the animator's time, and lets it go on.
    HoldTime,
    /// Drive or View.
    ToggleMode,
    /// One of the modes.
    Enter(Mode),
    /// Closes what is open, then goes to View.
    Back,
    /// The overlay with all keys.
    Shortcuts,
    /// The side panel.
    SidePanel,
    /// The log.
    Log,
    /// The page of concepts.
    Learn,
    /// The page of a library.
    Library,
    /// The file dialog.
    Open,
    /// The export dialog.
    Export,
    /// Opens the paths in the clipboard.
    Paste,
    /// A picture without the interface.
    Screenshot,
    /// A picture of the window.
    ScreenshotWindow,
    /// Records an animated GIF, or ends it.
    RecordGif,
    /// Records numbered pictures, or ends it.
    RecordPictures,
    /// Takes down the driven motion, or ends it.
    RecordMotion,
    /// The whole screen, and back.
    Fullscreen,
    /// Ends the program.
    Quit,
}

/// What the panel of characters asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Retargeting {
    /// A character of the list, or the clip's own.
    PlayOn(Option<usize>),
    /// Left and right in each other's place.
    Mirror(bool),
    /// Sets the joints of a part on one side or both.
    Link {
        /// Which part.
        role: Role,
        /// Joints of the source; as they are when `None`.
        from: Option<Vec<String>>,
        /// Joints of the target; as they are when `None`.
        to: Option<Vec<String>>,
    },
    /// Shows the retarget pose instead of the clip, or the clip again.
    ShowPose(bool),
    /// Turns a joint of the target in the retarget pose: degrees about the body's
    /// left, up and forward.
    TurnPose(String, [f32; 3]),
    /// Matches anew, by names and shape.
    Find,
    /// Writes the map.
    SaveMap,
    /// Asks for a map's file.
    LoadMap,
}

/// What the panel of blends asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Blending {
    /// Takes a clip of the list, or lets it go.
    Pick(usize),
    /// How much each counts.
    Weights(Vec<f64>),
    /// By share of length instead of by registration.
    Plain(bool),
    /// How the inputs are seen.
    Inputs(InputsShown),
    /// Moments that are to correspond.
    Pins(Vec<Pin>),
    /// A state of the animator plays the blend from now on.
    SendToState(String),
    /// A drag draws a path on the ground, or turns the camera again.
    DrawPath(bool),
    /// Gives up the walk along the path, under way or seen.
    ForgetPath,
}

/// Everything that can be asked for.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a handful a frame at most, and none is kept
pub enum Command {
    /// An action of the key table.
    Do(Action),
    /// Goes to a time of the clip.
    Seek(f64),
    /// The range to play, in seconds of the clip.
    Range(f64, f64),
    /// Playback speed; positive.
    Speed(f64),
    /// Behaviour at the ends.
    Wrap(Wrap),
    /// Passes before it stops; for ever when left out.
    Loops(Option<u32>),
    /// Changes the events of the clip.
    EditEvents(EventEdit),
    /// Display options, changed.
    Display(Display),
    /// Looks through a camera of the file, or with one's own eye again.
    LookThrough(Option<String>),
    /// Chooses a joint, or none.
    Select(Option<JointIndex>),
    /// Shows a clip of the list.
    ShowClip(usize),
    /// Puts a clip of the list beside the one shown, or takes it away.
    ToggleAlongside(usize),
    /// Opens files or folders.
    Open(Vec<PathBuf>),
    /// Stops loading.
    CancelLoading,
    /// The codec's knobs have changed: they lie in `PanelState::codec`, and a
    /// clip shown later is compressed by the same.
    Compress,
    /// Puts the clip through a filter, or as it was captured again.
    FilterClip(Option<Filter>),
    /// Repairs what is wrong with the clip, or has it as it was captured again.
    MendClip(bool),
    /// Writes the curves on screen.
    SaveCurves(CurveFile),
    /// Writes what the dialog says.
    Export(ExportDialog),
    /// Gives up what is being written.
    CancelExport,
    /// Asks where to write it.
    BrowseExport,
    /// Writes the compressed clip to a `.kin` beside the screenshots.
    ExportKin,
    /// Writes the error table as text.
    ExportErrors,
    /// Measures all codecs on the clip.
    SweepCodecs,
    /// Stops measuring.
    CancelSweep,
    /// Reads the clip again with another frame rate or length unit; `None`
    /// takes what the file says.
    Reinterpret(ImportOverrides),
    /// Another of the skeletons that the shown motion may be meant for.
    ChooseSkeleton(usize),
    /// Does something to the pose, as a script would.
    Pose(PoseAction),
    /// Takes the last kept drag back.
    UndoDrag,
    /// Brings it again.
    RedoDrag,
    /// Switches a kept drag on or off.
    SwitchDrag(usize, bool),
    /// Looks through the clip for joints beyond their limits.
    CountLimits,
    /// Colours the skin by whose limits joints are beyond.
    ColourLimits(Option<LimitSource>),
    /// Asks for the file of a thing to put on a joint.
    BrowseProp(String),
    /// Asks for the file of a ground.
    BrowseGround,
    /// Another sheet, or other knobs of it.
    Cloth(ClothKnobs),
    /// Hangs the sheet anew.
    ResetCloth,
    /// Measures all cloth solvers on this machine and saves the table.
    ClothTable,
    /// Changes the running animator.
    Tune(Tuning),
    /// How fast the animator's time runs.
    TimeScale(f64),
    /// Sets a parameter of the animator.
    SetParameter(String, f64),
    /// Changes the animator's description.
    EditAnimator(AnimatorEditing),
    /// Reads the animator's file again.
    ReloadAnimator,
    /// Holds the clips that are driven as a codec leaves them.
    HoldClips(Codec),
    /// Drives one of the known characters; the performer comes first.
    DriveAs(usize),
    /// Brings or takes away characters beside the lead.
    Cast(Casting),
    /// Changes the blend.
    Blend(Blending),
    /// Plays the clip on somebody else.
    Retarget(Retargeting),
    /// Browses a library.
    Library(Browsing),
    /// Sets up a row of the page of concepts.
    Learn(usize),
    /// Removes a notice.
    Dismiss(u64),
    /// Forgets the list of recent files.
    ClearRecent,
}
