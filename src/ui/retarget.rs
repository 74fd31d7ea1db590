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
        let text = egui::RichText::new(gap.to_string())
            .color(colours.warning)
            .text_style(egui::TextStyle::Small);
        ui.add(egui::Label::new(text).wrap());
    }
    ui.add_space(4.0);
    // Lines of gaps leave less room.
    let rows = LIST_ROWS - gaps.len().min(LIST_ROWS) * 2 / 3;
    egui::ScrollArea::vertical()
        .id_salt("parts")
        .max_height(rows as f32 * (theme::ROW + 4.0))
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

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, SnapshotResults, kittest::Queryable};

    use super::*;
    use crate::{
        humanoid::Limb,
        retarget::Map,
        skeleton::testing::cmu_like,
        ui::tests::pictures::{SECTION, compare_pictures},
    };

    struct Bench {
        characters: Vec<String>,
        chosen: Option<usize>,
        map: Option<Map>,
        skeleton: Skeleton,
        commands: Vec<Command>,
    }

    impl Bench {
        fn show(&mut self, ui: &mut Ui) {
            let view = RetargetView {
                characters: &self.characters,
                chosen: self.chosen,
                map: self.map.as_ref(),
                mirror: false,
                source: &self.skeleton,
                target: &self.skeleton,
                fault: None,
            };
            section_ui(ui, Some(view), &mut self.commands);
        }
    }

    fn bench(map: bool) -> Bench {
        let skeleton = cmu_like();
        let mut found = Map::between(&skeleton, &skeleton);
        found.set(Role::Left(Limb::Clavicle), None, Some(Vec::new()));
        Bench {
            characters: vec!["performer".into(), "robot.glb".into()],
            chosen: map.then_some(1),
            map: map.then_some(found),
            skeleton,
            commands: Vec::new(),
        }
    }

    fn harness(map: bool) -> Harness<'static, Bench> {
        let size = egui::Vec2::new(340.0, 1400.0);
        Harness::builder()
            .with_size(size)
            .build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench(map))
    }

    fn asked(harness: &Harness<'_, Bench>) -> Vec<Retargeting> {
        let commands = harness.state().commands.iter();
        let asked = commands.filter_map(|command| match command {
            Command::Retarget(asked) => Some(asked.clone()),
            _ => None,
        });
        asked.collect()
    }

    #[test]
    fn the_retarget_section_looks_as_kept() {
        let mut kept = SnapshotResults::new();
        for (name, map) in [("retarget_none", false), ("retarget", true)] {
            let show = |ui: &mut Ui, it: &mut Bench| it.show(ui);
            compare_pictures(&mut kept, name, SECTION, show, || bench(map));
        }
    }

    #[test]
    fn a_character_is_chosen_from_the_list() {
        let mut harness = harness(false);
        assert!(harness.query_by_label("Save map").is_none());
        harness.get_by_label("Character").click();
        harness.run();
        harness.get_by_label("performer").click();
        harness.run();
        assert_eq!(asked(&harness), [Retargeting::PlayOn(Some(0))]);
    }

    #[test]
    fn mirror_and_buttons_ask_for_what_they_say() {
        let mut harness = harness(true);
        for label in ["Mirrored", "Match again", "Save map", "Load map…"] {
            harness.get_by_label(label).click();
            harness.run();
        }
        let wanted = [
            Retargeting::Mirror(true),
            Retargeting::Find,
            Retargeting::SaveMap,
            Retargeting::LoadMap,
        ];
        assert_eq!(asked(&harness), wanted);
    }

    #[test]
    fn a_gap_is_shown_and_a_joint_is_set() {
        let mut harness = harness(true);
        harness.get_by_label("1 part is not matched:");
        harness.get_by_label("left clavicle: the target has none");
        harness.get_by_label("left clavicle, target").click();
        harness.run();
        // The first of the list: others may have to be scrolled to.
        harness.get_by_label("root").click();
        harness.run();
        let wanted = Retargeting::Link {
            role: Role::Left(Limb::Clavicle),
            from: None,
            to: Some(vec!["root".into()]),
        };
        assert_eq!(asked(&harness), [wanted]);
    }
}
