//! Who plays the clip: characters, the map between the joints, its gaps.

use egui::{Role as Kind, Ui};

use super::{Command, RetargetView, Retargeting, theme, widgets};
use crate::{humanoid::Role, retarget::Link, skeleton::Skeleton};

/// Width of the column of parts and of the gaps between columns; those of
/// joints share the rest.
const PART_WIDTH: f32 = 92.0;
const GAP: f32 = 4.0;
/// Rows of the list before it scrolls.
const LIST_ROWS: usize = 11;

pub(super) fn section_ui(ui: &mut Ui, view: Option<RetargetView<'_>>, commands: &mut Vec<Command>) {
    let Some(view) = view else {
        ui.weak("A clip is needed to play on somebody.");
        return;
    };
    let mut ask = |it: Retargeting| commands.push(Command::Retarget(it));
    character_ui(ui, &view, &mut ask);
    let mut mirror = view.mirror;
    let check = ui.checkbox(&mut mirror, "Mirrored");
    if check
        .on_hover_text("Left and right in each other's place")
        .changed()
    {
        ask(Retargeting::Mirror(mirror));
    }
    let colours = theme::palette(ui.style());
    if let Some(fault) = view.fault {
        let text = egui::RichText::new(fault).color(colours.warning);
        ui.add(egui::Label::new(text).wrap());
    }
    let Some(map) = view.map else {
        return;
    };
    buttons_ui(ui, &mut ask);
    let gaps = map.gaps();
    let summary = match gaps.len() {
        0 => "All parts are matched.".to_owned(),
        1 => "1 part is not matched:".to_owned(),
        count => format!("{count} parts are not matched:"),
    };
    ui.label(summary);
    for gap in &gaps {
        widgets::note(ui, gap.to_string(), colours.warning);
    }
    ui.add_space(4.0);
    // Lines of gaps leave less room.
    let rows = LIST_ROWS - gaps.len().min(LIST_ROWS) * 2 / 3;
    egui::ScrollArea::vertical()
        .id_salt("parts")
        .max_height(widgets::rows_height(rows))
        .auto_shrink([false, true])
        .show(ui, |ui| {
            for role in Role::all() {
                // Parts that neither has need a row only where a body should have them.
                if map.link(role).is_some() || !role.is_minor() {
                    row_ui(ui, role, map.link(role), &view, &mut ask);
                }
            }
        });
}

fn character_ui(ui: &mut Ui, view: &RetargetView<'_>, ask: &mut impl FnMut(Retargeting)) {
    ui.horizontal(|ui| {
        ui.label("Play on");
        const OWN: &str = "its own skeleton";
        let chosen = view.chosen.and_then(|index| view.characters.get(index));
        let shown = egui::ComboBox::from_id_salt("character")
            .width(ui.available_width() - 8.0)
            .selected_text(chosen.map_or(OWN, String::as_str))
            .show_ui(ui, |ui| {
                if ui.selectable_label(view.chosen.is_none(), OWN).clicked() {
                    ask(Retargeting::PlayOn(None));
                }
                for (index, name) in view.characters.iter().enumerate() {
                    let is_it = view.chosen == Some(index);
                    if ui.selectable_label(is_it, name).clicked() {
                        ask(Retargeting::PlayOn(Some(index)));
                    }
                }
            });
        let hint = "The clip's own skeleton, the performer, or a character opened before";
        let response = shown.response.on_hover_text(hint);
        widgets::named(response, Kind::ComboBox, "Character");
    });
}

fn buttons_ui(ui: &mut Ui, ask: &mut impl FnMut(Retargeting)) {
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, asks: Retargeting| {
            if ui.button(text).on_hover_text(hint).clicked() {
                ask(asks);
            }
        };
        button(
            "Match again",
            "By names and shape, forgetting changes",
            Retargeting::Find,
        );
        button(
            "Save map",
            "As a RON file beside the pictures, to be edited",
            Retargeting::SaveMap,
        );
        button(
            "Load map…",
            "A RON file; one can also be dropped on the window",
            Retargeting::LoadMap,
        );
    });
}

/// Part, joint of the source, joint of the target.
fn row_ui(
    ui: &mut Ui,
    role: Role,
    link: Option<&Link>,
    view: &RetargetView<'_>,
    ask: &mut impl FnMut(Retargeting),
) {
    let (from, to) = link.map_or((&[][..], &[][..]), |link| (&link.from[..], &link.to[..]));
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        let joint_width = (ui.available_width() - PART_WIDTH - 2.0 * GAP) / 2.0;
        let gap = from.is_empty() || to.is_empty();
        let colour = if gap { colours.warning } else { colours.quiet };
        let size = egui::Vec2::new(PART_WIDTH, theme::ROW);
        let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
        let font = egui::TextStyle::Small.resolve(ui.style());
        let left = egui::Align2::LEFT_CENTER;
        ui.painter()
            .text(rect.left_center(), left, role.to_string(), font, colour);
        if let Some(names) = joints_ui(ui, joint_width, (role, "source"), from, view.source) {
            ask(Retargeting::Link {
                role,
                from: Some(names),
                to: None,
            });
        }
        if let Some(names) = joints_ui(ui, joint_width, (role, "target"), to, view.target) {
            ask(Retargeting::Link {
                role,
                from: None,
                to: Some(names),
            });
        }
    });
}

/// A drop-down of all joints; the new choice.
fn joints_ui(
    ui: &mut Ui,
    width: f32,
    (role, whose): (Role, &str),
    names: &[String],
    skeleton: &Skeleton,
) -> Option<Vec<String>> {
    let text = match names {
        [] => "–".to_owned(),
        [only] => only.clone(),
        [first, others @ ..] => format!("{first} +{}", others.len()),
    };
    let mut choice = None;
    let size = egui::Vec2::new(width, theme::ROW);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let combo = egui::ComboBox::from_id_salt((role, whose))
        .width(width)
        .selected_text(egui::RichText::new(text).small())
        .truncate();
    let shown = ui.allocate_ui_with_layout(size, layout, |ui| {
        ui.set_max_width(width);
        combo.show_ui(ui, |ui| {
            if ui.selectable_label(names.is_empty(), "– none –").clicked() {
                choice = Some(Vec::new());
            }
            for joint in skeleton.joints() {
                let is_it = names.contains(&joint.name);
                if ui.selectable_label(is_it, &joint.name).clicked() {
                    choice = Some(vec![joint.name.clone()]);
                }
            }
        })
    });
    let shown = shown.inner;
    let response = match names {
        [] => shown.response,
        names => shown.response.on_hover_text(names.join(", ")),
    };
    widgets::named(response, Kind::ComboBox, &format!("{role}, {whose}"));
    choice
}
