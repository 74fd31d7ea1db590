//! Who plays the clip: characters, the map between the joints, its gaps.

use egui::{Role as Kind, Ui};

use super::{Command, PanelState, RetargetView, Retargeting, theme, widgets};
use crate::{
    humanoid::{Limb, Role, Side},
    retarget::{JointMap, Link},
    skeleton::Skeleton,
};

/// Width of the column of parts and of the gaps between columns; those of
/// joints share the rest.
const PART_WIDTH: f32 = 88.0;
const GAP: f32 = 4.0;
/// What the arrow of a drop-down and its margins take.
const ARROW_WIDTH: f32 = 30.0;
/// Rows of the list before it scrolls.
const LIST_ROWS: usize = 11;

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    (view, room): (Option<RetargetView<'_>>, Option<f32>),
    commands: &mut Vec<Command>,
) {
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
    pose_ui(ui, &view, map, &mut ask);
    let lines = gaps_ui(ui, map);
    ui.add_space(4.0);
    // Lines of gaps leave less room.
    let rows = LIST_ROWS - lines.min(LIST_ROWS) * 2 / 3;
    let rows = widgets::rows_that_fit(ui, room, rows);
    egui::ScrollArea::vertical()
        .id_salt("parts")
        .max_height(widgets::rows_height(rows))
        .auto_shrink([false, true])
        .show(ui, |ui| {
            for role in Role::all() {
                let folded = hand_ui(ui, role, map, &mut state.hands);
                // Parts that neither has need a row only where a body should have them.
                if !folded && (map.link(role).is_some() || !role.is_minor()) {
                    row_ui(ui, role, map.link(role), &view, &mut ask);
                }
            }
        });
}

/// A finger's side.
fn finger_side(role: Role) -> Option<Side> {
    match role {
        Role::Left(limb) if Limb::FINGERS.contains(&limb) => Some(Side::Left),
        Role::Right(limb) if Limb::FINGERS.contains(&limb) => Some(Side::Right),
        _ => None,
    }
}

/// What is not matched, the fingers of a hand in one line; how many lines.
fn gaps_ui(ui: &mut Ui, map: &JointMap) -> usize {
    let colours = theme::palette(ui.style());
    let gaps = map.gaps();
    let summary = match gaps.len() {
        0 => "All parts are matched.".to_owned(),
        1 => "1 part is not matched:".to_owned(),
        count => format!("{count} parts are not matched:"),
    };
    ui.label(summary);
    let mut lines = Vec::new();
    for gap in &gaps {
        let hand = finger_side(gap.role);
        let of_hand = gaps.iter().filter(|it| finger_side(it.role) == hand);
        let line = match (hand, of_hand.count()) {
            (Some(side), count @ 2..) => format!("{} hand: {count} fingers", side_word(side)),
            _ => gap.to_string(),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    for line in &lines {
        widgets::note(ui, line, colours.warning);
    }
    lines.len()
}

fn side_word(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

/// One line for a hand at its first finger, to be unfolded; whether the finger
/// is folded away.
fn hand_ui(ui: &mut Ui, role: Role, map: &JointMap, hands: &mut [bool; 2]) -> bool {
    let Some(side) = finger_side(role) else {
        return false;
    };
    let fingers = Limb::FINGERS.map(|limb| side.role(limb));
    let linked: Vec<&Link> = fingers.iter().filter_map(|&it| map.link(it)).collect();
    if linked.len() < 2 {
        return false;
    }
    let open = &mut hands[usize::from(side == Side::Right)];
    if fingers.first() == Some(&role) {
        let whole = linked
            .iter()
            .filter(|it| !it.from.is_empty() && !it.to.is_empty());
        let text = format!("{} of {} matched", whole.count(), linked.len());
        let icon = if *open {
            widgets::Icon::Unfolded
        } else {
            widgets::Icon::Folded
        };
        let name = format!("{} fingers", side_word(side));
        let label = egui::RichText::new(format!("      {name}: {text}")).small();
        let button = egui::Button::new(label).frame(false);
        let left = egui::Layout::top_down_justified(egui::Align::LEFT);
        let response = ui.with_layout(left, |ui| ui.add(button)).inner;
        let at = response.rect.left_center() + egui::Vec2::new(8.0, 0.0);
        icon.paint(ui.painter(), at, theme::palette(ui.style()).quiet);
        if widgets::named(response, Kind::Button, &name).clicked() {
            *open = !*open;
        }
    }
    !*open
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

/// The pose in which both stand alike, and the chosen joint turned in it.
fn pose_ui(
    ui: &mut Ui,
    view: &RetargetView<'_>,
    map: &JointMap,
    ask: &mut impl FnMut(Retargeting),
) {
    let mut shows = view.shows_pose;
    let hint =
        "How the target stands where the source is at rest. Where this is right, so is the motion";
    let check = ui.checkbox(&mut shows, "Retarget pose").on_hover_text(hint);
    if check.changed() {
        ask(Retargeting::ShowPose(shows));
    }
    if !view.shows_pose {
        return;
    }
    let Some(joint) = view.joint else {
        ui.weak("Choose a joint in the picture to turn it.");
        return;
    };
    let before = map.pose_turn_deg(joint);
    let mut turn_deg = before;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        ui.label(joint);
        for (value, axis) in turn_deg.iter_mut().zip(["left", "up", "forward"]) {
            let knob = egui::DragValue::new(value)
                .range(-180.0..=180.0)
                .speed(0.5)
                .fixed_decimals(0)
                .suffix("°");
            let name = format!("Turn about {axis}");
            let knob = ui.add(knob).on_hover_text(&name);
            widgets::named(knob, Kind::SpinButton, &name);
        }
        let turned = before != [0.0; 3];
        if ui
            .add_enabled(turned, egui::Button::new("As found"))
            .clicked()
        {
            turn_deg = [0.0; 3];
        }
    });
    if turn_deg != before {
        ask(Retargeting::TurnPose(joint.to_owned(), turn_deg));
    }
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
        // A small arrow leaves more of the name.
        ui.spacing_mut().icon_width = 10.0;
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

/// A name without what all joints of its skeleton begin with, then without as
/// much of its front as it takes to fit: what tells joints apart is their end.
fn shortened(ui: &Ui, name: &str, skeleton: &Skeleton, width: f32) -> String {
    let font = egui::TextStyle::Small.resolve(ui.style());
    let fits = |text: &str| {
        let galley =
            ui.painter()
                .layout_no_wrap(text.to_owned(), font.clone(), egui::Color32::WHITE);
        galley.size().x <= width
    };
    let own = name.strip_prefix(common_front(skeleton)).unwrap_or(name);
    if fits(own) {
        return own.to_owned();
    }
    let ends = own.char_indices().map(|(at, _)| format!("…{}", &own[at..]));
    let fitting = ends.skip(1).find(|it| fits(it));
    fitting.unwrap_or_else(|| own.to_owned())
}

/// A name space such as `mixamorig:` or `Bip01 `, up to its last sign.
fn common_front(skeleton: &Skeleton) -> &str {
    let mut names = skeleton.joints().iter().map(|joint| joint.name.as_str());
    let Some(first) = names.next() else {
        return "";
    };
    let shared = |front: &'_ str, name: &str| {
        let same = front.char_indices().zip(name.chars());
        let same = same.take_while(|((_, a), b)| a == b).last();
        same.map_or(0, |((at, c), _)| at + c.len_utf8())
    };
    // The root alone may be called otherwise, or be the bare name space.
    let mut rest = names.clone();
    let front = rest.next().unwrap_or(first);
    let length = rest.fold(front.len(), |length, name| shared(&front[..length], name));
    let end = front[..length].rfind([':', ' ', '_', '.', '|']);
    end.map_or("", |end| &front[..=end])
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
    let text = shortened(ui, &text, skeleton, width - ARROW_WIDTH);
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
