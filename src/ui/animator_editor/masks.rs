//! Parts of the body that layers can be for.

use egui::{Role, Ui};

use super::{Desk, fields};
use crate::{
    animator::{Edit, description::MaskDescription, free_name},
    ui::widgets::named,
};

pub fn page_ui(ui: &mut Ui, desk: &mut Desk<'_>) {
    let masks = desk.description().masks.clone();
    for (name, mask) in &masks {
        mask_ui(ui, name, mask, desk);
        ui.separator();
    }
    if ui.button("Add mask").clicked() {
        let name = free_name("part", |name| masks.contains_key(name));
        let from = desk.view.joints.first().cloned().unwrap_or_default();
        let mask = MaskDescription {
            from,
            ..MaskDescription::default()
        };
        desk.edit(Edit::SetMask(name, mask));
    }
}

fn mask_ui(ui: &mut Ui, name: &str, mask: &MaskDescription, desk: &mut Desk<'_>) {
    let mut new = mask.clone();
    ui.horizontal(|ui| {
        let says = format!("Name of mask {name}");
        if let Some(other) = fields::text(ui, 150.0, name, &says) {
            let other = other.trim().to_owned();
            desk.edit(Edit::RenameMask(name.to_owned(), other));
        }
        let button = named(ui.button("×"), Role::Button, &format!("Delete mask {name}"));
        if button.clicked() {
            desk.edit(Edit::DeleteMask(name.to_owned()));
        }
    });
    fields::row(ui, "Below joint", |ui| {
        let says = format!("Joint of mask {name}");
        if let Some(from) = fields::name_of(ui, &says, &mask.from, desk.view.joints) {
            new.from = from;
        }
    });
    fields::row(ui, "Soft over", |ui| {
        let says = format!("Feather of mask {name}");
        let joints = i32::try_from(mask.feather).unwrap_or(20);
        let joints = fields::whole(ui, &says, joints, 0..=20);
        new.feather = joints.map_or(mask.feather, i32::unsigned_abs);
        ui.label("joints");
    });
    if new != *mask {
        desk.edit(Edit::SetMask(name.to_owned(), new));
    }
}
