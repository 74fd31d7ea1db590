//! What a button of the Learn page sets up: for each row of the paper that can
//! be seen in the window, the steps that show it, with files of our own.

use crate::{
    analysis::Channel,
    clip::Interpolation,
    cloth::SolverMode,
    scene::{ClothLook, ClothPreset, Display, Shading, SkinView},
    ui::{
        Action, AnimatorEditing, AnimatorPage, Blending, Casting, CheckPage, Codec, Command,
        CompressionPlot, FilterChoice, JointPage, Mover, PanelState, PosePage, RegistrationPage,
        Retargeting, Section,
    },
};

/// One step. Those that wait for a thread are done when what they ask for is
/// there; the next begins then.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Shows one of the performer's clips.
    Clip(&'static str),
    /// Blends some of them, evenly.
    Blend(&'static [&'static str]),
    /// Drives the performer by the built-in animator: lines of a script, as
    /// `render --script` takes them.
    Drive(&'static str),
    /// Opens a section of the side panel; those of the steps stay open together.
    Open(Section),
    /// Turns a page or a knob of a panel.
    Turn(fn(&mut PanelState)),
    /// Changes the display.
    Show(fn(&mut Display)),
    /// Does something to the pose, in words of a script.
    Pose(&'static str),
    /// Keys by a codec.
    Compress(Codec),
    /// Hangs a sheet, moved by these solvers side by side.
    Cloth(ClothPreset, &'static [SolverMode]),
    /// Changes how it is shown.
    Sheet(fn(&mut ClothLook)),
    /// Asks for what a panel would ask for.
    Ask(fn() -> Command),
}

use Step::{Ask, Blend, Clip, Cloth, Compress, Drive, Open, Pose, Sheet, Show, Turn};

/// The steps of a row, by its first column.
pub fn of(numbers: &str) -> Option<&'static [Step]> {
    let known = SETUPS.iter().find(|(key, _)| *key == numbers);
    known.map(|(_, steps)| *steps)
}

/// Rows that have steps.
#[cfg(test)]
pub fn keys() -> impl Iterator<Item = &'static str> {
    SETUPS.iter().map(|(numbers, _)| *numbers)
}

const fn act(action: Action) -> Command {
    Command::Do(action)
}

const SETUPS: &[(&str, &[Step])] = &[
    // Captures and clips.
    (
        "1, 2",
        &[
            Clip("jump"),
            Open(Section::Clip),
            Show(|it| it.bones = true),
        ],
    ),
    (
        "3",
        &[
            Clip("jump"),
            Open(Section::Skeleton),
            Turn(|it| it.joint_page = JointPage::Angles),
        ],
    ),
    (
        "54, 102",
        &[
            Clip("jump"),
            Open(Section::Clip),
            Ask(|| Command::Speed(0.05)),
        ],
    ),
    (
        "55",
        &[
            Clip("run"),
            Open(Section::Display),
            Show(|it| it.between_frames = Some(Interpolation::Nearest)),
            Ask(|| Command::Speed(0.05)),
        ],
    ),
    ("71", &[Clip("run"), Open(Section::Clip)]),
    ("82, 83", &[Clip("jump"), Open(Section::Clip)]),
    (
        "85, 86",
        &[
            Clip("run"),
            Open(Section::Clip),
            Ask(|| act(Action::NextWrap)),
        ],
    ),
    (
        "85, 87",
        &[
            Drive("2 press J\n2.1 release J\n5 press J\n5.1 release J"),
            Open(Section::Animator),
            Ask(|| Command::Cast(Casting::Add(Mover::Struck))),
        ],
    ),
    (
        "90",
        &[
            Clip("forward"),
            Open(Section::Clip),
            Ask(|| Command::Seek(0.4)),
            Ask(|| act(Action::AddEvent)),
        ],
    ),
    // Skeletons, poses, skins.
    (
        "56, 57, 79",
        &[
            Clip("idle"),
            Open(Section::Skeleton),
            Show(|it| it.bones = true),
            Show(|it| it.names = true),
        ],
    ),
    (
        "58, 59",
        &[
            Clip("jump"),
            Open(Section::Skeleton),
            Turn(|it| it.joint_page = JointPage::Values),
        ],
    ),
    (
        "89, 104",
        &[
            Clip("run"),
            Open(Section::Skeleton),
            Turn(|it| it.joint_page = JointPage::Curves),
            Turn(|it| it.curves.channels = vec![Channel::World, Channel::Speed]),
            Turn(|it| it.curves.filter = FilterChoice::Butterworth),
            Ask(|| Command::Select(Some(3))),
        ],
    ),
    (
        "61, 73",
        &[
            Clip("run"),
            Show(|it| it.skin_view = SkinView::Pieces),
            Show(|it| it.skin_beside = true),
            Open(Section::Display),
        ],
    ),
    (
        "99",
        &[
            Clip("wave"),
            Show(|it| it.skin_view = SkinView::Weights),
            Open(Section::Display),
        ],
    ),
    (
        "78, 100",
        &[
            Clip("wave"),
            Show(|it| it.skin_view = SkinView::Linear),
            Show(|it| it.skin_beside = true),
            Open(Section::Display),
        ],
    ),
    (
        "103",
        &[
            Clip("wave"),
            Show(|it| it.skin_view = SkinView::Matrices),
            Show(|it| it.skin_beside = true),
            Open(Section::Display),
        ],
    ),
    (
        "81",
        &[
            Clip("run"),
            Show(|it| it.axes = true),
            Open(Section::Skeleton),
        ],
    ),
    (
        "72",
        &[
            Clip("run"),
            Show(|it| it.skin = false),
            Show(|it| it.bones = true),
            Open(Section::Display),
        ],
    ),
    ("78, 98", &[Clip("run"), Open(Section::Display)]),
    (
        "101",
        &[
            Clip("forward"),
            Open(Section::Clip),
            Ask(|| Command::ToggleAlongside(0)),
        ],
    ),
    (
        "31, 158",
        &[
            Clip("wave"),
            Open(Section::Display),
            Show(|it| it.light = Shading::Phong),
        ],
    ),
    // Compression.
    (
        "4, 6",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Compress(Codec::Classic),
        ],
    ),
    (
        "7",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.codec.threshold = 0.1),
            Compress(Codec::Classic),
        ],
    ),
    (
        "5",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Compress(Codec::Spline),
        ],
    ),
    (
        "8, 9",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Compress(Codec::Classic),
        ],
    ),
    (
        "12",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.compression_plot = CompressionPlot::Time),
            Show(|it| it.error_colours = true),
            Compress(Codec::Classic),
        ],
    ),
    (
        "134",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.codec.rate_hz = 15.0),
            Compress(Codec::Resampled),
        ],
    ),
    (
        "135",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Compress(Codec::Linear),
        ],
    ),
    (
        "133",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.codec.bits = 8),
            Compress(Codec::Uniform),
        ],
    ),
    (
        "136",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Compress(Codec::Bspline),
        ],
    ),
    (
        "137",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.compression_plot = CompressionPlot::Coefficients),
            Compress(Codec::Wavelet),
        ],
    ),
    (
        "133, 134, 135, 136, 137",
        &[
            Clip("jump"),
            Open(Section::Compression),
            Turn(|it| it.compression_plot = CompressionPlot::Codecs),
            Compress(Codec::Tight),
            Ask(|| Command::SweepCodecs),
        ],
    ),
    // Blending and states.
    (
        "13, 105, 146",
        &[
            Drive("1 press W\n3.5 release W\n5.5 press W\n8 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Graph),
        ],
    ),
    (
        "15",
        &[
            Drive("0 set no_blending 1\n1 press W\n2.5 press Shift\n4 release Shift\n5 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "14, 15, 161",
        &[Blend(&["forward", "run"]), Open(Section::Blend)],
    ),
    (
        "14, 144",
        &[Blend(&["idle", "forward", "run"]), Open(Section::Blend)],
    ),
    (
        "16, 17, 18, 19",
        &[
            Blend(&["turn_left", "turn_right"]),
            Open(Section::Blend),
            Open(Section::Registration),
            Turn(|it| it.registration_page = RegistrationPage::Grid),
        ],
    ),
    (
        "19, 161",
        &[
            Blend(&["forward", "run"]),
            Open(Section::Blend),
            Ask(|| Command::Blend(Blending::DrawPath(true))),
        ],
    ),
    (
        "104, 106",
        &[
            Drive("1 press W\n4 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Graph),
        ],
    ),
    (
        "104, 155",
        &[
            Clip("jump"),
            Open(Section::Check),
            Turn(|it| it.check_page = CheckPage::Findings),
        ],
    ),
    (
        "3, 104",
        &[
            Clip("wave"),
            Open(Section::Check),
            Turn(|it| it.check_page = CheckPage::Exercise),
            Turn(|it| it.exercise.on = true),
            Turn(|it| it.exercise.every = 80),
        ],
    ),
    (
        "154",
        &[
            Clip("forward"),
            Open(Section::Check),
            Turn(|it| it.check_page = CheckPage::Gait),
        ],
    ),
    (
        "112",
        &[
            Drive("1 press W\n3 press Shift\n6 release Shift\n8 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "113, 114, 115",
        &[
            Drive(
                "1 press Q\n2 press W\n4 release Q\n5 release W\n5.5 press E\n6.5 press S\n8.5 release E\n9 release S",
            ),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "16, 18, 84",
        &[
            Drive("1 press W\n3.3 press Shift\n5.6 release Shift\n8 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "17, 154",
        &[
            Drive("1 press W\n3 press A\n5 release A\n7 release W"),
            Open(Section::Animator),
            Show(|it| it.trajectory = true),
        ],
    ),
    (
        "107, 108, 110",
        &[
            Drive("1 press A\n3 release A\n4 press D\n6 release D\n7 press Q\n9 release Q"),
            Open(Section::Animator),
        ],
    ),
    (
        "22, 23, 143",
        &[
            Drive("1 press W\n2 press F\n2.1 release F\n6 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Graph),
        ],
    ),
    (
        "25, 116",
        &[
            Drive("1 press W\n2 press J\n2.1 release J\n4 press F\n4.1 release F\n8 release W"),
            Open(Section::Animator),
            Turn(|it| {
                it.animator_page = AnimatorPage::Mask;
                it.animator_layer = 1;
            }),
        ],
    ),
    (
        "117, 118",
        &[
            Drive("0 set breathing 1\n4 set tiredness 1\n8 press W\n11 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "109",
        &[
            Drive(
                "1 press W\n1 press Shift\n3 press A\n5.5 release A\n6.5 press D\n9 release D\n10 release W\n10 release Shift",
            ),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "111",
        &[
            Drive("1 press Q\n1 press W\n4 release W\n4 press S\n7 release S\n7 release Q"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Graph),
        ],
    ),
    (
        "119",
        &[
            Drive(
                "1 press W\n1 press Shift\n2.5 press F\n2.6 release F\n6 set add_wave 1\n7 press F\n7.1 release F\n11 release W\n11 release Shift",
            ),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "120",
        &[
            Drive(
                "0 set guard 0\n0 set add_wave 1\n1 press W\n1 press Shift\n2.5 press F\n2.6 release F\n8 set guard 1\n9 press F\n9.1 release F\n13 release W\n13 release Shift",
            ),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "121, 122",
        &[
            Drive("0 set tiredness 1\n4 set noise 1\n5 press W\n9 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "123",
        &[
            Drive("1 press V\n9 release V"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "124",
        &[
            Drive("1 press W\n1 press Shift\n3 press A\n6 release A\n8 release W\n8 release Shift"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "24, 142, 148",
        &[
            Drive(
                "1 press W\n3 press Shift\n5 press Space\n5.1 release Space\n7.5 release W\n7.5 release Shift\n9 press J\n9.1 release J",
            ),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Graph),
        ],
    ),
    (
        "113",
        &[
            Drive("1 press Q\n1 press W\n5 release W\n5 release Q"),
            Open(Section::Animator),
            Ask(|| Command::EditAnimator(AnimatorEditing::Open)),
        ],
    ),
    (
        "145",
        &[
            Drive("1 press W\n4 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Blend),
        ],
    ),
    (
        "149",
        &[
            Drive("1 press W\n3 release W"),
            Open(Section::Animator),
            Turn(|it| {
                it.animator_page = AnimatorPage::Graph;
                it.animator_state = Some(0);
            }),
        ],
    ),
    (
        "147, 162",
        &[
            Drive("1 press W\n3 release W"),
            Open(Section::Animator),
            Ask(|| Command::EditAnimator(AnimatorEditing::Open)),
        ],
    ),
    (
        "150",
        &[
            Drive("1 set speed 2\n1 press W\n5 release W"),
            Open(Section::Animator),
            Turn(|it| it.animator_page = AnimatorPage::Inputs),
        ],
    ),
    (
        "141",
        &[
            Drive("1 press W\n4 release W"),
            Open(Section::Animator),
            Ask(|| Command::HoldClips(Codec::Spline)),
        ],
    ),
    (
        "161, 162",
        &[
            Drive("1 press W\n4 release W"),
            Open(Section::Animator),
            Ask(|| act(Action::RecordMotion)),
        ],
    ),
    (
        "21",
        &[
            Drive("1 press W\n3 press A\n6 release A\n7 release W"),
            Open(Section::Display),
        ],
    ),
    // Posing and retargeting.
    (
        "125, 127, 155",
        &[
            Drive("1 press W\n4 release W"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Ground),
        ],
    ),
    (
        "125, 126",
        &[
            Clip("idle"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Look),
            Pose("look pointer"),
        ],
    ),
    (
        "127, 153",
        &[
            Clip("idle"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Look),
            Pose("reach left_hand 0.4 1.3 0.3 turn 0 0 90"),
        ],
    ),
    (
        "151, 157",
        &[
            Clip("forward"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Props),
            Pose("attach stick right_hand with left_hand"),
        ],
    ),
    (
        "156",
        &[
            Clip("forward"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Ground),
            Pose("ground stairs 0.18"),
        ],
    ),
    (
        "94",
        &[
            Clip("forward"),
            Open(Section::Retarget),
            Ask(|| Command::Retarget(Retargeting::Mirror(true))),
        ],
    ),
    ("95, 97", &[Clip("forward"), Open(Section::Retarget)]),
    // Cloth.
    (
        "26, 27",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Panel, &[SolverMode::Pbd]),
        ],
    ),
    (
        "40",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Cape, &[SolverMode::Xpbd]),
        ],
    ),
    (
        "33, 34",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(
                ClothPreset::Panel,
                &[SolverMode::Xpbd, SolverMode::Verlet, SolverMode::Euler],
            ),
        ],
    ),
    (
        "35, 36",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Panel, &[SolverMode::Pbd]),
        ],
    ),
    (
        "37",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Panel, &[SolverMode::Pbd, SolverMode::Jacobi]),
        ],
    ),
    (
        "28",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Panel, &[SolverMode::Pbd]),
            Sheet(|it| it.contacts = true),
        ],
    ),
    (
        "29, 30",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Cape, &[SolverMode::Xpbd]),
            Sheet(|it| it.colliders = true),
        ],
    ),
    (
        "39",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Skirt, &[SolverMode::Xpbd]),
        ],
    ),
    (
        "61",
        &[Clip("forward"), Open(Section::Pose), Pose("rest on")],
    ),
    (
        "127, 129",
        &[
            Clip("forward"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Hold),
            Pose("drag left_hand 0.1 0.35 0.15"),
        ],
    ),
    (
        "128",
        &[
            Clip("idle"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Hold),
            Pose("solver ccd"),
            Pose("drag left_hand 0.1 0.35 0.15"),
        ],
    ),
    (
        "129",
        &[
            Clip("idle"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Hold),
            Pose("solver ccd"),
            Pose("reach left_hand 0.35 1.35 0.25"),
        ],
    ),
    (
        "152",
        &[
            Drive(""),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Meet),
            Ask(|| Command::Cast(Casting::Add(Mover::Arrows))),
            Pose("locator opposite body at 0 0 0.8 turn 0 180 0"),
            Pose("stand opposite body of Bea"),
            Pose("meet right_hand right_hand of Bea"),
        ],
    ),
    (
        "120, 153",
        &[
            Clip("attack"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Limits),
        ],
    ),
    (
        "130",
        &[
            Drive("1 press W\n2.5 release W\n2.6 ragdoll on\n7 ragdoll off"),
            Open(Section::Pose),
            Turn(|it| it.pose_page = PosePage::Ragdoll),
        ],
    ),
    (
        "32, 38",
        &[
            Clip("forward"),
            Open(Section::Cloth),
            Cloth(ClothPreset::Flag, &[SolverMode::Xpbd]),
        ],
    ),
];
