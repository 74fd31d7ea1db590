//! The chosen transition.

use egui::Ui;

use super::{Desk, condition, ease, fields};
use crate::{
    animator::{
        Edit,
        description::{FadeKind, LayerDescription, TransitionDescription, TransitionFrom},
    },
    math::Ease,
    ui::{Chosen, EditorPanel},
};

/// A transition in a few words: where to, or where from, and when.
pub fn telling(way: &TransitionDescription, into: bool) -> String {
    let when: Vec<String> = way.when.iter().map(condition::telling).collect();
    let when = match when.is_empty() {
        true => "always".to_owned(),
        false => when.join(" and "),
    };
    let end = match (into, &way.from) {
        (false, _) => format!("to {}", way.to),
        (true, TransitionFrom::Any) => "from any".to_owned(),
        (true, TransitionFrom::Only(names)) => format!("from {}", names.join(", ")),
        (true, TransitionFrom::Except(names)) => format!("from any but {}", names.join(", ")),
    };
    format!("{end}: {when}")
}

/// Several in words, a line each.
pub fn tellings(layer: &LayerDescription, ways: &[usize]) -> String {
    let tell = |way: &usize| telling(&layer.transitions[*way], false);
    ways.iter().map(tell).collect::<Vec<_>>().join("\n")
}

pub fn inspector_ui(
    ui: &mut Ui,
    panel: &mut EditorPanel,
    layer: &LayerDescription,
    index: usize,
    desk: &mut Desk<'_>,
) {
    let old = &layer.transitions[index];
    let mut way = old.clone();
    let names: Vec<String> = layer.states.iter().map(|it| it.name.clone()).collect();
    ui.strong(format!("Transition {}", telling(old, false)));
    from_ui(ui, &mut way.from, &names);
    fields::row(ui, "To", |ui| {
        if let Some(to) = fields::name_of(ui, "To", &way.to, &names) {
            way.to = to;
        }
    });
    condition::list_ui(ui, &mut way.when, layer, desk);
    ui.separator();
    fields::row(ui, "Priority", |ui| {
        let priority = fields::whole(ui, "Priority", way.priority, -1000..=1000);
        way.priority = priority.unwrap_or(way.priority);
    });
    fade_ui(ui, &mut way);
    ui.horizontal(|ui| {
        for (word, on) in [
            ("In step", &mut way.sync),
            ("In step by stance", &mut way.stance_sync),
        ] {
            if let Some(new) = fields::switch(ui, word, *on) {
                *on = new;
            }
        }
    });
    if way != *old {
        desk.edit(Edit::SetTransition(panel.layer, index, way));
    }
    ui.separator();
    if ui.button("Delete transition").clicked() {
        desk.edit(Edit::DeleteTransition(panel.layer, index));
        panel.chosen = Chosen::Nothing;
    }
}

/// Any state, some, or all but some.
fn from_ui(ui: &mut Ui, from: &mut TransitionFrom, names: &[String]) {
    let (which, mut chosen) = match from.clone() {
        TransitionFrom::Any => (0, Vec::new()),
        TransitionFrom::Only(names) => (1, names),
        TransitionFrom::Except(names) => (2, names),
    };
    let kinds = ["any state", "these states", "all but these"];
    let kinds: Vec<(usize, String)> = kinds.map(str::to_owned).into_iter().enumerate().collect();
    let mut new = which;
    fields::row(ui, "From", |ui| {
        new = fields::choice(ui, "From", &which, &kinds).unwrap_or(which);
    });
    if which != 0 {
        ui.horizontal_wrapped(|ui| {
            for name in names {
                let on = chosen.contains(name);
                if ui.selectable_label(on, name).clicked() {
                    match on {
                        true => chosen.retain(|it| it != name),
                        false => chosen.push(name.clone()),
                    }
                }
            }
        });
    }
    if new == 1 && chosen.is_empty() {
        chosen.extend(names.first().cloned());
    }
    *from = match new {
        0 => TransitionFrom::Any,
        1 => TransitionFrom::Only(chosen),
        _ => TransitionFrom::Except(chosen),
    };
}

fn fade_ui(ui: &mut Ui, way: &mut TransitionDescription) {
    let kinds = [
        (FadeKind::Smooth, "smooth".to_owned()),
        (FadeKind::Frozen, "frozen".to_owned()),
        (FadeKind::Inertial, "inertial".to_owned()),
    ];
    let fade = &mut way.fade;
    fields::row(ui, "Fade", |ui| {
        if let Some(kind) = fields::choice(ui, "Kind of fade", &fade.kind, &kinds) {
            fade.kind = kind;
        }
        fade.secs =
            fields::number(ui, "Seconds of the fade", fade.secs, 0.0..=60.0).unwrap_or(fade.secs);
        ui.label("s");
    });
    if fade.kind == FadeKind::Inertial {
        ui.weak("An inertial fade has a curve of its own.");
        return;
    }
    let drawn = Ease::Bezier([0.4, 0.0], [0.6, 1.0]);
    let word = |ease: Ease| match ease {
        Ease::Linear => "even",
        Ease::Smoothstep => "smoothstep",
        Ease::Bezier(..) => "drawn",
    };
    let eases = [Ease::Linear, Ease::Smoothstep, drawn].map(|it| (it, word(it).to_owned()));
    fields::row(ui, "Ease", |ui| {
        if let Some(new) = fields::choice_of(ui, "Ease", word(fade.ease), &eases)
            && word(new) != word(fade.ease)
        {
            fade.ease = new;
        }
    });
    ease::curve_ui(ui, &mut fade.ease);
}
