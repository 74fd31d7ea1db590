//! A thousand random actions: straight to the session, and through the panels
//! with pointer, keys, text, other window sizes and files good and bad.

use egui::{Event, Modifiers, PointerButton, Pos2, Rect, Vec2};

use super::*;
use crate::testing::Random;
use crate::{
    clip::Wrap,
    ui::keys::{Binding, KeyAction, TABLE},
};

#[test]
fn a_thousand_random_commands_leave_it_sound() {
    let mut rehearsal = Rehearsal::new(Vec::new());
    rehearsal.until(|session| session.clips.lead.is_some());
    let rows: Vec<Action> = TABLE
        .iter()
        .filter_map(|row| match row.action {
            KeyAction::Act(action) => Some(action),
            _ => None,
        })
        .filter(|action| *action != Action::Open)
        .collect();
    let mut random = Random::new(7);
    for _ in 0..1000 {
        let pick = random.between(0.0, 1.0);
        let index = random.bits() as usize;
        let number = f64::from(random.between(-3.0, 15.0));
        let command = match (pick * 10.0) as u32 {
            0 => Command::Seek(number),
            1 => Command::Range(number, f64::from(random.between(-3.0, 15.0))),
            2 => Command::Speed(number),
            3 => Command::Wrap([Wrap::Once, Wrap::Loop, Wrap::PingPong][index % 3]),
            4 => Command::Select(Some((index % 40) as u16)),
            5 if index.is_multiple_of(8) => Command::ShowClip(index % 14),
            5 => Command::ToggleAlongside(index % 14),
            6 if index.is_multiple_of(4) => Command::Cloth(small_sheet(index / 4 % 5)),
            6 => Command::Blend(random_blending(index, number)),
            _ => Command::Do(rows[index % rows.len()]),
        };
        rehearsal.session.apply(command);
        rehearsal
            .session
            .scene_mut()
            .camera
            .orbit(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        rehearsal
            .session
            .scene_mut()
            .camera
            .camera
            .zoom(random.between(0.5, 2.0));
        rehearsal.session.requests.clear();
        rehearsal.tick(f64::from(random.between(0.0, 0.1)));
    }
}

/// The interface of a session, worked by events.
struct Hands {
    rehearsal: Rehearsal,
    context: egui::Context,
    random: Random,
    screen: Vec2,
    /// Good and bad ones.
    files: Vec<PathBuf>,
    _folder: tempfile::TempDir,
}

impl Hands {
    fn new(seed: u64) -> Self {
        let context = egui::Context::default();
        crate::ui::theme::install(&context);
        let folder = tempfile::tempdir().unwrap();
        let mut rehearsal = Rehearsal::new(Vec::new());
        let source = CharacterSource::default();
        let outbox = Arc::clone(&rehearsal.session.jobs.outbox);
        rehearsal.session.load_animator(source, &outbox);
        rehearsal.until(|session| session.clips.lead.is_some() && session.driving.drive.is_some());
        Self {
            rehearsal,
            context,
            random: Random::new(seed),
            screen: Vec2::new(1280.0, 800.0),
            files: files_good_and_bad(folder.path()),
            _folder: folder,
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.random.bits() as usize % count.max(1)
    }

    fn point(&mut self) -> Pos2 {
        // More often where controls are: the right, the top, the bottom.
        let share = |random: &mut Random| random.between(0.0, 1.0);
        let (x, y) = (share(&mut self.random), share(&mut self.random));
        let (x, y) = match self.below(4) {
            0 => (x, y),
            1 => (x, 1.0 - 0.12 * y),
            2 => (x, 0.04 * y),
            _ => (1.0 - 0.24 * x, y),
        };
        (self.screen * Vec2::new(x, y)).to_pos2()
    }

    /// What one action sends, frame by frame.
    fn act(&mut self) -> Vec<Vec<Event>> {
        let at = self.point();
        let button = |at, pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        match self.below(20) {
            0..8 => vec![
                vec![Event::PointerMoved(at)],
                vec![button(at, true)],
                vec![button(at, false)],
            ],
            8..11 => {
                let to = self.point();
                vec![
                    vec![Event::PointerMoved(at), button(at, true)],
                    vec![Event::PointerMoved(at.lerp(to, 0.5))],
                    vec![Event::PointerMoved(to)],
                    vec![button(to, false)],
                ]
            }
            11..16 => {
                self.press_key();
                vec![Vec::new()]
            }
            16 => vec![vec![Event::Text(
                ["a", "9", "-", "é"][self.below(4)].into(),
            )]],
            17 => {
                let size = [
                    [1280.0, 800.0],
                    [640.0, 480.0],
                    [1920.0, 1080.0],
                    [481.0, 321.0],
                ];
                self.screen = Vec2::from(size[self.below(4)]);
                vec![Vec::new()]
            }
            18 => {
                let file = self.files[self.random.bits() as usize % self.files.len()].clone();
                self.rehearsal.session.open(vec![file]);
                vec![Vec::new()]
            }
            _ => {
                let (right, down) = (
                    self.random.between(-1.0, 1.0),
                    self.random.between(-1.0, 1.0),
                );
                let follow = &mut self.rehearsal.session.scene_mut().camera;
                follow.orbit(right, down);
                follow.pan(down, right);
                follow.camera.zoom(1.5f32.powf(right * 4.0));
                vec![Vec::new()]
            }
        }
    }

    /// A row of the key table, as the window applies it.
    fn press_key(&mut self) {
        let row: &Binding = &TABLE[self.below(TABLE.len())];
        let session = &mut self.rehearsal.session;
        match row.action {
            // No dialog in a test.
            KeyAction::Act(Action::Open) | KeyAction::Pointer => {}
            KeyAction::Act(action) => session.apply(Command::Do(action)),
        }
        let names = ["W", "Shift", "A", "Q", "Space", "Click", "LeftStickUp"];
        let name = names[self.below(names.len())];
        let share = f64::from(self.random.between(-0.4, 1.4)).clamp(0.0, 1.0);
        let session = &mut self.rehearsal.session;
        session.touched();
        session.drive_control(name, share);
    }

    /// Lays out and draws, as far as that goes without a window.
    fn frame(&mut self, events: Vec<Event>) {
        let input = egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.screen)),
            events,
            ..egui::RawInput::default()
        };
        let session = &mut self.rehearsal.session;
        let mut panels = std::mem::take(&mut session.panels);
        let mut commands = Vec::new();
        let view = session.panel_view();
        let mut output = self.context.run_ui(input, |ui| {
            crate::ui::show(ui, &mut panels, &view, &mut commands);
        });
        session.panels = panels;
        for command in commands {
            let leaves = matches!(
                command,
                Command::Export(_)
                    | Command::ExportKin
                    | Command::ExportErrors
                    | Command::Blend(crate::ui::Blending::SendToState(_))
                    | Command::Do(Action::Open)
                    | Command::EditAnimator(
                        crate::ui::AnimatorEditing::SaveAs(_)
                            | crate::ui::AnimatorEditing::Save
                            | crate::ui::AnimatorEditing::Browse(_)
                    )
            );
            if !leaves {
                session.apply(command);
            }
        }
        session.requests.clear();
        output.textures_delta.clear(); // nobody draws
        let jobs = self.context.tessellate(output.shapes, 1.0);
        for job in jobs {
            if let egui::epaint::Primitive::Mesh(mesh) = job.primitive {
                assert!(mesh.vertices.iter().all(|vertex| vertex.pos.is_finite()));
            }
        }
        let dt = f64::from(self.random.between(0.0, 0.06));
        self.rehearsal.tick(dt);
    }
}

fn files_good_and_bad(folder: &Path) -> Vec<PathBuf> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let copy = |name: &str| {
        let to = folder.join(Path::new(name).file_name().unwrap());
        std::fs::copy(assets.join(name), &to).unwrap();
        to
    };
    let write = |name: &str, text: &[u8]| {
        let to = folder.join(name);
        std::fs::write(&to, text).unwrap();
        to
    };
    let motion = std::fs::read(assets.join("clips/attack.amc")).unwrap();
    vec![
        copy("performer.asf"),
        copy("clips/wave.amc"),
        copy("clips/jump.amc"),
        write("cut.amc", &motion[..motion.len() / 2]),
        write("odd.amc", b":DEGREES\n1\nroot 0 0 zero\n"),
        write("empty.bvh", b""),
        write("noise.kin", &[0x5a; 4096]),
        folder.join("absent.amc"),
        folder.to_path_buf(),
    ]
}

#[test]
fn a_thousand_random_actions_on_the_panels_leave_it_sound() {
    let mut hands = Hands::new(11);
    for _ in 0..1000 {
        for events in hands.act() {
            hands.frame(events);
        }
    }
    let session = &mut hands.rehearsal.session;
    assert!(session.notices.list().len() <= 200);
    // It still does what it is told.
    session.set_mode(Mode::View);
    session.view_scene.clock.playing = false;
    session.apply(Command::Do(Action::ToStart));
    assert_eq!(
        session.view_scene.clock.time_secs(),
        session.playback().range_secs.0
    );
}

fn random_blending(index: usize, number: f64) -> crate::ui::Blending {
    use crate::{
        register::Pin,
        ui::{Blending, InputsShown},
    };
    match index / 4 % 8 {
        0 | 1 => Blending::Pick(index % 14),
        2 => Blending::Weights(vec![number.abs(), 1.0, 0.5][..2 + index % 2].to_vec()),
        3 => Blending::Plain(index.is_multiple_of(3)),
        4 => Blending::Inputs(InputsShown::ALL[index % 4]),
        5 => Blending::DrawPath(index.is_multiple_of(2)),
        6 => Blending::ForgetPath,
        _ => Blending::Pins(vec![Pin {
            of: [index % 2, 1 + index % 3],
            secs: [number.abs() / 10.0, 0.4],
        }]),
    }
}
