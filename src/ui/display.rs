//! Display options and light.

use egui::{ComboBox, Slider, Ui};

use super::{Command, Mode, PanelView, theme, widgets};
use crate::{
    clip::Interpolation,
    scene::{CameraMode, Display, Shading, SkinMaterial, SkinView, ThemeChoice},
};

/// Width of what stands before a row of choices.
const CHOICE_WIDTH: f32 = 56.0;
/// What looks where no camera of the file does.
const OWN_EYE: &str = "your own eye";

pub(super) fn section_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let mut wanted = view.display;
    through_ui(ui, view, commands);
    options_ui(ui, view.mode, &mut wanted);
    if wanted != view.display {
        commands.push(Command::Display(wanted));
    }
}

/// Cameras of the file, where it has any.
fn through_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let cameras = view.clip.iter().flat_map(|clip| clip.skeleton.cameras());
    let names: Vec<&str> = cameras.map(|(camera, _)| camera.name.as_str()).collect();
    if names.is_empty() {
        return;
    }
    let now = view.through.filter(|it| names.contains(it));
    let mut wanted = now;
    ui.horizontal(|ui| {
        ui.weak("seen through");
        let choices = ComboBox::from_id_salt("through").selected_text(now.unwrap_or(OWN_EYE));
        let shown = choices.show_ui(ui, |ui| {
            ui.selectable_value(&mut wanted, None, OWN_EYE);
            for name in names {
                ui.selectable_value(&mut wanted, Some(name), name);
            }
        });
        widgets::named(shown.response, egui::Role::ComboBox, "Seen through");
    });
    if wanted != now {
        commands.push(Command::LookThrough(wanted.map(str::to_owned)));
    }
}

fn options_ui(ui: &mut Ui, mode: Mode, display: &mut Display) {
    egui::Grid::new("switches")
        .num_columns(2)
        .min_col_width(128.0)
        .spacing([8.0, 4.0])
        .show(ui, |ui| {
            ui.checkbox(&mut display.skin, "Skin");
            ui.checkbox(&mut display.bones, "Bones");
            ui.end_row();
            ui.checkbox(&mut display.names, "Joint names");
            ui.checkbox(&mut display.axes, "Joint axes");
            ui.end_row();
            ui.checkbox(&mut display.trajectory, "Path");
            ui.checkbox(&mut display.ground, "Ground");
            ui.end_row();
            ui.checkbox(&mut display.shadows, "Shadows");
            ui.checkbox(&mut display.occlusion, "Contact shade");
            ui.end_row();
            let hint = "Names events at the figure that comes by them";
            ui.checkbox(&mut display.event_labels, "Events")
                .on_hover_text(hint);
            let hint = "A short sound with every event";
            ui.checkbox(&mut display.event_sound, "Event sound")
                .on_hover_text(hint);
            ui.end_row();
        });
    skin_view_ui(ui, display);
    ui.add(Slider::new(&mut display.ghosts, Display::GHOSTS).text("ghosts"))
        .on_hover_text("Poses before (blue) and after (orange)");
    ui.add_enabled(
        display.ghosts > 0,
        Slider::new(&mut display.ghost_step_secs, Display::GHOST_STEP_SECS)
            .logarithmic(true)
            .suffix(" s")
            .text("apart"),
    );
    let hint = "What lies between the frames of a clip: as the clip has it, or one of three ways";
    choices_ui(
        ui,
        ("frames", hint),
        &mut display.between_frames,
        [
            (None, "Own"),
            (Some(Interpolation::Nearest), "Nearest"),
            (Some(Interpolation::Linear), "Linear"),
            (Some(Interpolation::Cubic), "Cubic"),
        ],
    );
    camera_ui(ui, mode, display);
    choices_ui(
        ui,
        ("theme", "Colours of the window (M)"),
        &mut display.theme,
        [
            (ThemeChoice::System, "System"),
            (ThemeChoice::Dark, "Dark"),
            (ThemeChoice::Light, "Light"),
        ],
    );
    light_ui(ui, display);
    material_ui(ui, display.light, &mut display.material);
    if ui.button("Reset display").clicked() {
        *display = Display::default();
    }
}

/// Another way of seeing the skin, and the usual one beside it.
fn skin_view_ui(ui: &mut Ui, display: &mut Display) {
    ui.horizontal(|ui| {
        ui.weak("skin");
        let shown = ComboBox::from_id_salt("skin view")
            .selected_text(display.skin_view.word())
            .width(132.0)
            .show_ui(ui, |ui| {
                for view in SkinView::ALL {
                    ui.selectable_value(&mut display.skin_view, view, view.word())
                        .on_hover_text(view.says());
                }
            });
        let response = shown.response.on_hover_text(display.skin_view.says());
        widgets::named(response, egui::Role::ComboBox, "How the skin is seen");
        let beside = egui::Checkbox::new(&mut display.skin_beside, "Beside");
        ui.add_enabled(display.skin_view != SkinView::Usual, beside)
            .on_hover_text("The same character as usual beside it");
    });
    match display.skin_view {
        SkinView::Weights => drop(ui.weak("of the joint chosen in Skeleton, or of the hips")),
        SkinView::Matrices => {
            ui.add(
                Slider::new(&mut display.matrix_keys, Display::MATRIX_KEYS).text("frames a key"),
            )
            .on_hover_text("Frames from one key to the next");
        }
        _ => {}
    }
}

/// A row of choices after what they are of.
fn choices_ui<T: PartialEq, const N: usize>(
    ui: &mut Ui,
    (what, hint): (&str, &str),
    value: &mut T,
    choices: [(T, &str); N],
) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let size = egui::Vec2::new(CHOICE_WIDTH, theme::ROW);
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(size, left, |ui| {
            ui.set_min_width(CHOICE_WIDTH);
            ui.weak(what);
        });
        for (choice, word) in choices {
            ui.selectable_value(value, choice, word).on_hover_text(hint);
        }
    });
}

fn camera_ui(ui: &mut Ui, mode: Mode, display: &mut Display) {
    choices_ui(
        ui,
        ("camera", "How the camera goes along (C)"),
        mode.camera_of(display),
        CameraMode::ALL.map(|mode| (mode, mode.word())),
    );
    ui.add(
        Slider::new(&mut display.fov_deg, Display::FOV_DEG)
            .suffix("°")
            .fixed_decimals(0)
            .text("field of view"),
    )
    .on_hover_text("Vertical");
}

fn light_ui(ui: &mut Ui, display: &mut Display) {
    choices_ui(
        ui,
        ("light", "How the skin answers to light"),
        &mut display.light,
        [
            (Shading::Studio, "Studio"),
            (Shading::Phong, "Phong"),
            (Shading::BlinnPhong, "Blinn-Phong"),
        ],
    );
    ui.add(
        Slider::new(&mut display.light_azimuth_deg, Display::LIGHT_AZIMUTH_DEG)
            .suffix("°")
            .fixed_decimals(0)
            .text("light turned"),
    );
    for (strength, range, text) in [
        (
            &mut display.light_strength,
            Display::LIGHT_STRENGTH,
            "light",
        ),
        (
            &mut display.fill_strength,
            Display::FILL_STRENGTH,
            "fill light",
        ),
    ] {
        let slider = Slider::new(strength, range).suffix(" ×").fixed_decimals(2);
        ui.add(slider.text(text));
    }
}

/// The studio light takes the colour alone; the published models take all.
fn material_ui(ui: &mut Ui, light: Shading, material: &mut SkinMaterial) {
    ui.horizontal(|ui| {
        // The editor rounds what it is given: only a hand on it counts.
        let mut colour = material.colour;
        let response = ui.color_edit_button_rgb(&mut colour);
        if response.changed() {
            material.colour = colour;
        }
        widgets::named(response, egui::Role::ColorWell, "Colour of the skin");
        ui.label("skin");
    });
    if light == Shading::Studio {
        return;
    }
    ui.add(Slider::new(&mut material.ambient, SkinMaterial::AMBIENT).text("ambient"));
    ui.add(Slider::new(&mut material.specular, SkinMaterial::SPECULAR).text("specular"));
    ui.add(
        Slider::new(&mut material.shininess, SkinMaterial::SHININESS)
            .logarithmic(true)
            .text("shininess"),
    );
}
