//! All layers, the uppermost first: name, mask, mode and weight.

use egui::{Role, Ui};

use super::{Desk, fields, motion::numbers};
use crate::{
    animator::{
        Edit,
        description::{
            BlendMode, LayerDescription, MotionDescription, ReferenceDescription, StateDescription,
        },
        free_name,
    },
    ui::{Chosen, EditorPanel, widgets::named},
};

pub fn page_ui(ui: &mut Ui, panel: &mut EditorPanel, desk: &mut Desk<'_>) {
    let layers = desk.description().layers.clone();
    for (index, layer) in layers.iter().enumerate().rev() {
        layer_ui(ui, (index, layers.len()), layer, panel, desk);
        ui.separator();
    }
    if ui.button("Add layer").clicked() {
        let taken = |name: &str| layers.iter().any(|it| it.name == name);
        let name = free_name("layer", taken);
        let state = StateDescription::new("NONE", MotionDescription::Empty);
        desk.edit(Edit::AddLayer(LayerDescription::new(&name, state)));
        (panel.layer, panel.chosen) = (layers.len(), Chosen::Nothing);
    }
}

fn layer_ui(
    ui: &mut Ui,
    (index, count): (usize, usize),
    layer: &LayerDescription,
    panel: &mut EditorPanel,
    desk: &mut Desk<'_>,
) {
    let named_now = fields::row(ui, "Layer", |ui| {
        fields::text(
            ui,
            150.0,
            &layer.name,
            &format!("Name of layer {}", layer.name),
        )
    });
    if let Some(name) = named_now {
        desk.edit(Edit::RenameLayer(index, name.trim().to_owned()));
    }
    match index {
        0 => drop(ui.weak("The first moves the whole body and the root.")),
        _ => meeting_ui(ui, index, layer, desk),
    }
    ui.horizontal(|ui| {
        for (word, to, can) in [
            ("Up", index + 1, index > 0 && index + 1 < count),
            ("Down", index.saturating_sub(1), index > 1),
        ] {
            let button = ui.add_enabled(can, egui::Button::new(word));
            if named(button, Role::Button, &format!("{word}: {}", layer.name)).clicked() {
                desk.edit(Edit::MoveLayer(index, to));
                panel.layer = to;
            }
        }
        let button = ui.add_enabled(index > 0, egui::Button::new("Delete"));
        if named(
            button,
            Role::Button,
            &format!("Delete layer {}", layer.name),
        )
        .clicked()
        {
            desk.edit(Edit::DeleteLayer(index));
            (panel.layer, panel.chosen) = (0, Chosen::Nothing);
        }
    });
}

/// How a layer meets those below.
fn meeting_ui(ui: &mut Ui, index: usize, layer: &LayerDescription, desk: &mut Desk<'_>) {
    let mut new = layer.clone();
    let mut masks = vec![(None, "whole body".to_owned())];
    let known = desk.description().masks.keys();
    masks.extend(known.map(|name| (Some(name.clone()), name.clone())));
    fields::row(ui, "Mask", |ui| {
        let name = format!("Mask of {}", layer.name);
        if let Some(mask) = fields::choice(ui, &name, &layer.mask, &masks) {
            new.mask = mask;
        }
    });
    fields::row(ui, "Mode", |ui| {
        mode_ui(ui, &layer.name, &mut new.mode, desk.view.clips);
    });
    fields::row(ui, "Weight", |ui| {
        let name = format!("Weight of layer {}", layer.name);
        let weight = fields::number(ui, &name, f64::from(layer.weight), 0.0..=1.0);
        new.weight = weight.map_or(layer.weight, |it| it as f32);
        let name = format!("Factor of layer {}", layer.name);
        let mut factors = vec![(None, "always".to_owned())];
        let numbers = numbers(desk.description()).into_iter();
        factors.extend(numbers.map(|it| (Some(it.clone()), format!("× {it}"))));
        if let Some(by) = fields::choice(ui, &name, &layer.weight_by, &factors) {
            new.weight_by = by;
        }
    });
    if new != *layer {
        desk.edit(Edit::SetLayer {
            layer: index,
            mask: new.mask,
            mode: new.mode,
            weight: new.weight,
            weight_by: new.weight_by,
        });
    }
}

fn mode_ui(ui: &mut Ui, layer: &str, mode: &mut BlendMode, clips: &[String]) {
    let word = |mode: &BlendMode| match mode {
        BlendMode::Override => "override",
        BlendMode::Additive(_) => "additive",
    };
    let modes = [
        BlendMode::Override,
        BlendMode::Additive(ReferenceDescription::Rest),
    ];
    let modes = modes.map(|it| (it.clone(), word(&it).to_owned()));
    let now = word(mode);
    if let Some(new) = fields::choice_of(ui, &format!("Mode of {layer}"), now, &modes)
        && word(&new) != now
    {
        *mode = new;
    }
    if let BlendMode::Additive(reference) = mode {
        reference_ui(ui, &format!("Reference of {layer}"), reference, clips);
    }
}

/// What a difference is taken to: rest, a moment of a clip, or a clip.
pub fn reference_ui(
    ui: &mut Ui,
    says: &str,
    reference: &mut ReferenceDescription,
    clips: &[String],
) {
    let clip = reference.clip().map(str::to_owned);
    let clip = clip.or(clips.first().cloned()).unwrap_or_default();
    let word = |reference: &ReferenceDescription| match reference {
        ReferenceDescription::Rest => "to rest",
        ReferenceDescription::Pose(..) => "to a pose",
        ReferenceDescription::Clip(_) => "to a clip",
    };
    let kinds = [
        ReferenceDescription::Rest,
        ReferenceDescription::Pose(clip.clone(), 0.0),
        ReferenceDescription::Clip(clip),
    ];
    let kinds = kinds.map(|it| (it.clone(), word(&it).to_owned()));
    let now = word(reference);
    if let Some(new) = fields::choice_of(ui, says, now, &kinds)
        && word(&new) != now
    {
        *reference = new;
    }
    if let ReferenceDescription::Pose(clip, _) | ReferenceDescription::Clip(clip) = reference
        && let Some(other) = fields::name_of(ui, &format!("{says}: clip"), clip, clips)
    {
        *clip = other;
    }
    if let ReferenceDescription::Pose(_, at) = reference {
        *at = fields::number(ui, &format!("{says}: moment"), *at, 0.0..=1.0).unwrap_or(*at);
    }
}
