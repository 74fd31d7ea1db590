//! Own solids in the cloth's way: added, moved, turned and sized.

use egui::Ui;

use super::widgets;
use crate::scene::{ClothKnobs, OwnSolid, SolidKind};

/// A fold of the Cloth section.
pub(super) fn solids_ui(ui: &mut Ui, knobs: &mut ClothKnobs) {
    egui::CollapsingHeader::new("Own solids").show(ui, |ui| {
        let mut removed = None;
        for (index, slot) in knobs.solids.iter_mut().enumerate() {
            if let Some(solid) = slot
                && !solid_ui(ui, index, solid)
            {
                removed = Some(index);
            }
        }
        if let Some(index) = removed {
            // Those that stay move up, so that the next finds room at the end.
            knobs.solids[index..].rotate_left(1);
            if let Some(last) = knobs.solids.last_mut() {
                *last = None;
            }
        }
        let full = knobs.solids.iter().all(Option::is_some);
        let add = |ui: &mut Ui| {
            for kind in SolidKind::ALL {
                if ui.button(kind.title()).clicked()
                    && let Some(slot) = knobs.solids.iter_mut().find(|slot| slot.is_none())
                {
                    *slot = Some(OwnSolid::of(kind));
                }
            }
        };
        ui.add_enabled_ui(!full, |ui| ui.menu_button("Add solid", add))
            .response
            .on_hover_text("A solid of your own for the cloth to meet");
    });
}

/// False when it shall go.
fn solid_ui(ui: &mut Ui, index: usize, solid: &mut OwnSolid) -> bool {
    let number = index + 1;
    let mut kept = true;
    ui.horizontal(|ui| {
        let list = egui::ComboBox::from_id_salt(("solid", index));
        let response = list.selected_text(solid.kind.title()).show_ui(ui, |ui| {
            for kind in SolidKind::ALL {
                let chosen = solid.kind == kind;
                if ui.selectable_label(chosen, kind.title()).clicked() && !chosen {
                    let at_m = solid.at_m;
                    *solid = OwnSolid {
                        at_m,
                        ..OwnSolid::of(kind)
                    };
                }
            }
        });
        let name = format!("kind of solid {number}");
        widgets::named(response.response, egui::Role::ComboBox, &name);
        let response = ui.button("Remove");
        kept = !response.clicked();
        widgets::named(
            response,
            egui::Role::Button,
            &format!("remove solid {number}"),
        );
    });
    let sizes = solid.kind.sizes();
    if !sizes.is_empty() {
        let range = 0.01..=5.0;
        let numbers = &mut solid.size_m[..sizes.len()];
        numbers_ui(ui, ("size", number), (numbers, sizes), (range, " m", 0.005));
    }
    let ways = ["left", "up", "ahead"];
    let numbers = &mut solid.at_m[..];
    numbers_ui(
        ui,
        ("place", number),
        (numbers, &ways),
        (-20.0..=20.0, " m", 0.005),
    );
    if solid.kind.turns() {
        let axes = ["about left", "about up", "about ahead"];
        let numbers = &mut solid.turned_deg[..];
        numbers_ui(
            ui,
            ("turned", number),
            (numbers, &axes),
            (-360.0..=360.0, "°", 0.5),
        );
    }
    kept
}

fn numbers_ui(
    ui: &mut Ui,
    (what, solid): (&str, usize),
    (numbers, names): (&mut [f32], &[&str]),
    (range, suffix, speed): (std::ops::RangeInclusive<f32>, &str, f64),
) {
    ui.horizontal(|ui| {
        ui.label(what);
        for (number, name) in numbers.iter_mut().zip(names) {
            let value = egui::DragValue::new(number)
                .range(range.clone())
                .speed(speed)
                .max_decimals(2)
                .suffix(suffix);
            let response = ui.add(value).on_hover_text(*name);
            let name = format!("{name} of solid {solid}");
            widgets::named(response, egui::Role::SpinButton, &name);
        }
    });
}
