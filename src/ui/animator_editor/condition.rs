//! When a transition runs: a list of conditions, all of which must hold.

use egui::Ui;

use super::{Desk, fields};
use crate::{
    animator::description::{
        ConditionDescription as Condition, Description, LayerDescription, ParameterKind,
    },
    ui::widgets,
};

/// A condition in words.
pub fn telling(condition: &Condition) -> String {
    match condition {
        Condition::On(name) => name.clone(),
        Condition::Off(name) => format!("not {name}"),
        Condition::Fired(name) => format!("{name}!"),
        Condition::Above(name, value) => format!("{name} > {value}"),
        Condition::Below(name, value) => format!("{name} < {value}"),
        Condition::AtEnd => "at its end".to_owned(),
        Condition::After(share) => format!("played {share}"),
        Condition::InState(layer, states) => format!("{layer} in {}", states.join("|")),
        Condition::Stance(step, share) => format!("{step} < {share}"),
        Condition::Landed => "landed".to_owned(),
        Condition::Without(state) => format!("without {state}"),
    }
}

/// The names that conditions can be about.
struct Names {
    switches: Vec<String>,
    triggers: Vec<String>,
    numbers: Vec<String>,
    steps: Vec<String>,
    states: Vec<String>,
    layers: Vec<(String, Vec<String>)>,
}

impl Names {
    fn of(description: &Description, layer: &LayerDescription) -> Self {
        let of_kind = |is: fn(&ParameterKind) -> bool| {
            let all = description.parameters.iter().filter(|(_, kind)| is(kind));
            all.map(|(name, _)| name.clone()).collect()
        };
        let states = |layer: &LayerDescription| -> Vec<String> {
            layer.states.iter().map(|it| it.name.clone()).collect()
        };
        let layers = description.layers.iter();
        Self {
            switches: of_kind(|kind| matches!(kind, ParameterKind::Bool(_))),
            triggers: of_kind(|kind| matches!(kind, ParameterKind::Trigger { .. })),
            numbers: of_kind(|kind| matches!(kind, ParameterKind::Float { .. })),
            steps: description
                .legs
                .iter()
                .map(|leg| leg.step.clone())
                .collect(),
            states: states(layer),
            layers: layers.map(|it| (it.name.clone(), states(it))).collect(),
        }
    }

    /// Every kind of condition that there are names for.
    fn kinds(&self) -> Vec<(Condition, String)> {
        let first = |names: &[String]| names.first().cloned();
        let layer = self.layers.iter().rev().find(|it| it.1 != self.states);
        let layer = layer.or(self.layers.first()).cloned();
        let kinds = [
            ("is on", first(&self.switches).map(Condition::On)),
            ("is off", first(&self.switches).map(Condition::Off)),
            ("has fired", first(&self.triggers).map(Condition::Fired)),
            (
                "is above",
                first(&self.numbers).map(|it| Condition::Above(it, 0.5)),
            ),
            (
                "is below",
                first(&self.numbers).map(|it| Condition::Below(it, 0.5)),
            ),
            ("at its end", Some(Condition::AtEnd)),
            ("has played", Some(Condition::After(0.5))),
            (
                "a layer is in",
                layer.map(|(name, states)| Condition::InState(name, states[..1].to_vec())),
            ),
            (
                "foot stands",
                first(&self.steps).map(|it| Condition::Stance(it, 1.0)),
            ),
            ("has landed", Some(Condition::Landed)),
            ("is left out", first(&self.states).map(Condition::Without)),
        ];
        let known = kinds.into_iter();
        known
            .filter_map(|(word, kind)| Some((kind?, word.to_owned())))
            .collect()
    }
}

fn word_of(condition: &Condition) -> &'static str {
    match condition {
        Condition::On(_) => "is on",
        Condition::Off(_) => "is off",
        Condition::Fired(_) => "has fired",
        Condition::Above(..) => "is above",
        Condition::Below(..) => "is below",
        Condition::AtEnd => "at its end",
        Condition::After(_) => "has played",
        Condition::InState(..) => "a layer is in",
        Condition::Stance(..) => "foot stands",
        Condition::Landed => "has landed",
        Condition::Without(_) => "is left out",
    }
}

pub fn list_ui(ui: &mut Ui, when: &mut Vec<Condition>, layer: &LayerDescription, desk: &Desk<'_>) {
    let names = Names::of(desk.description(), layer);
    ui.strong("When all of these hold");
    let mut gone = None;
    for (index, condition) in when.iter_mut().enumerate() {
        ui.horizontal_wrapped(|ui| {
            condition_ui(ui, index + 1, condition, &names);
            let name = format!("Take out condition {}", index + 1);
            if widgets::named(ui.button("×"), egui::Role::Button, &name).clicked() {
                gone = Some(index);
            }
        });
    }
    if let Some(index) = gone {
        when.remove(index);
    }
    if when.is_empty() {
        ui.weak("Always: at once.");
    }
    if ui.button("Add condition").clicked() {
        when.push(Condition::AtEnd);
    }
}

fn condition_ui(ui: &mut Ui, number: usize, condition: &mut Condition, names: &Names) {
    about_ui(ui, number, condition, names);
    let word = word_of(condition);
    let kind = fields::choice_of(ui, &format!("Condition {number}"), word, &names.kinds());
    if let Some(kind) = kind.filter(|it| word_of(it) != word) {
        *condition = carried_over(condition, kind);
        return;
    }
    let value = match condition {
        Condition::Above(_, value) | Condition::Below(_, value) => Some((value, -1e6..=1e6)),
        Condition::After(value) | Condition::Stance(_, value) => Some((value, 0.0..=1.0)),
        _ => None,
    };
    if let Some((value, range)) = value {
        let name = format!("Value of condition {number}");
        *value = fields::number(ui, &name, *value, range).unwrap_or(*value);
    }
}

/// On and Off of the same switch, Above and Below of the same number.
fn carried_over(old: &Condition, new: Condition) -> Condition {
    match (old, new) {
        (Condition::Off(name), Condition::On(_)) => Condition::On(name.clone()),
        (Condition::On(name), Condition::Off(_)) => Condition::Off(name.clone()),
        (Condition::Below(name, at), Condition::Above(..)) => Condition::Above(name.clone(), *at),
        (Condition::Above(name, at), Condition::Below(..)) => Condition::Below(name.clone(), *at),
        (_, new) => new,
    }
}

/// What it is about.
fn about_ui(ui: &mut Ui, number: usize, condition: &mut Condition, names: &Names) {
    let (name, choices) = match condition {
        Condition::On(name) | Condition::Off(name) => (name, &names.switches),
        Condition::Fired(name) => (name, &names.triggers),
        Condition::Above(name, _) | Condition::Below(name, _) => (name, &names.numbers),
        Condition::Stance(name, _) => (name, &names.steps),
        Condition::Without(name) => (name, &names.states),
        Condition::InState(layer, states) => return in_state_ui(ui, number, layer, states, names),
        Condition::AtEnd | Condition::After(_) | Condition::Landed => return,
    };
    if let Some(other) =
        fields::name_of(ui, &format!("Subject of condition {number}"), name, choices)
    {
        *name = other;
    }
}

fn in_state_ui(
    ui: &mut Ui,
    number: usize,
    layer: &mut String,
    states: &mut Vec<String>,
    names: &Names,
) {
    let layers: Vec<String> = names.layers.iter().map(|it| it.0.clone()).collect();
    let known = names.layers.iter().find(|it| it.0 == *layer);
    let of_layer = known.map_or(&[][..], |it| &it.1[..]);
    for name in of_layer {
        let on = states.contains(name);
        if ui.selectable_label(on, name).clicked() {
            match on && states.len() > 1 {
                true => states.retain(|it| it != name),
                false if !on => states.push(name.clone()),
                false => {}
            }
        }
    }
    let other = fields::name_of(ui, &format!("Layer of condition {number}"), layer, &layers);
    if let Some(other) = other
        && let Some((name, known)) = names.layers.iter().find(|it| it.0 == other)
    {
        layer.clone_from(name);
        *states = known[..1].to_vec();
    }
}
