//! What a state plays: a tree of clips, each node a row of fields, children
//! below their node.

use egui::Ui;

use super::{Desk, fields, layers::reference_ui};
use crate::{
    animator::description::{
        At1d, At2d, Description, MotionDescription as Motion, ParameterKind, ReferenceDescription,
        WeightedClip,
    },
    ui::widgets::named,
};

/// Kinds of nodes, with the words they are chosen by.
const KINDS: [(&str, &str); 9] = [
    ("one clip", "A clip as it is"),
    ("clips on a line", "Along one number"),
    ("clips on a plane", "Over two numbers, by triangles"),
    ("a square of four", "Over two numbers from 0 to 1"),
    ("an average", "Each with a weight"),
    ("a scrubbed clip", "Its time is a number"),
    (
        "an addition",
        "The difference of one to a reference, added to another",
    ),
    ("one over another", "On a part of the body"),
    ("nothing", "The layers below show"),
];

fn word(motion: &Motion) -> &'static str {
    let index = match motion {
        Motion::Clip(_) => 0,
        Motion::Blend1d { .. } => 1,
        Motion::Blend2d { .. } => 2,
        Motion::Bilinear { .. } => 3,
        Motion::Flat(_) => 4,
        Motion::Scrub { .. } => 5,
        Motion::Add { .. } => 6,
        Motion::Masked { .. } => 7,
        Motion::Empty => 8,
    };
    KINDS[index].0
}

/// The names that nodes can be about.
struct Names<'a> {
    clips: &'a [String],
    numbers: Vec<String>,
    masks: Vec<String>,
}

impl Names<'_> {
    fn clip(&self) -> String {
        self.clips.first().cloned().unwrap_or_default()
    }

    /// A node of a kind that plays the clips of another.
    fn made(&self, kind: &str, from: &Motion) -> Motion {
        let mut clips: Vec<String> = from.clips().into_iter().map(str::to_owned).collect();
        if clips.is_empty() {
            clips.push(self.clip());
        }
        let leaf = |index: usize| Box::new(Motion::Clip(clips[index % clips.len()].clone()));
        let number = |index: usize| self.numbers.get(index).or(self.numbers.first()).cloned();
        let [x, y] = [0, 1].map(|index| number(index).unwrap_or_default());
        match kind {
            "clips on a line" => Motion::Blend1d {
                by: x,
                clips: numbered(&clips, |index, clip| At1d {
                    at: index as f64,
                    clip,
                    motion: None,
                }),
                register: false,
            },
            "clips on a plane" => Motion::Blend2d {
                x,
                y,
                clips: numbered(&clips, at_corner),
                register: false,
            },
            "a square of four" => Motion::Bilinear {
                x,
                y,
                corners: (0..4).map(|index| *leaf(index)).collect(),
                register: false,
            },
            "an average" => Motion::Flat(numbered(&clips, |_, clip| share_of(clip))),
            "a scrubbed clip" => Motion::Scrub {
                clip: clips[0].clone(),
                by: x,
                from: 0.0,
                to: 1.0,
            },
            "an addition" => Motion::Add {
                onto: Box::new(from.clone()).or_clip(leaf(0)),
                add: leaf(1),
                against: ReferenceDescription::Rest,
                mask: None,
                weight: 1.0,
                by: None,
            },
            "one over another" => Motion::Masked {
                below: Box::new(from.clone()).or_clip(leaf(0)),
                above: leaf(1),
                mask: self.masks.first().cloned().unwrap_or_default(),
                weight: 1.0,
                by: None,
            },
            "nothing" => Motion::Empty,
            _ => *leaf(0),
        }
    }
}

/// What a node is made from goes below it, unless it plays nothing.
trait OrClip {
    fn or_clip(self, clip: Box<Motion>) -> Box<Motion>;
}

impl OrClip for Box<Motion> {
    fn or_clip(self, clip: Box<Motion>) -> Box<Motion> {
        match *self {
            Motion::Empty => clip,
            _ => self,
        }
    }
}

fn numbered<T>(clips: &[String], make: impl Fn(usize, String) -> T) -> Vec<T> {
    let all = clips.iter().cloned().enumerate();
    all.map(|(index, clip)| make(index, clip)).collect()
}

/// The middle, then round it.
fn at_corner(index: usize, clip: String) -> At2d {
    let around = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0)];
    let turn = (index / around.len()) as f64;
    let (x, y) = around[index % around.len()];
    At2d {
        at: (x + turn, y + turn),
        clip,
        motion: None,
    }
}

fn share_of(clip: String) -> WeightedClip {
    WeightedClip {
        clip,
        motion: None,
        weight: 1.0,
        by: None,
    }
}

/// Names of the parameters that are numbers.
pub fn numbers(of: &Description) -> Vec<String> {
    let all = of.parameters.iter();
    let numbers = all.filter(|(_, kind)| matches!(kind, ParameterKind::Float { .. }));
    numbers.map(|(name, _)| name.clone()).collect()
}

/// The whole tree of a state.
pub fn motion_ui(ui: &mut Ui, motion: &mut Motion, first_layer: bool, desk: &Desk<'_>) {
    let names = Names {
        clips: desk.view.clips,
        numbers: numbers(desk.description()),
        masks: desk.description().masks.keys().cloned().collect(),
    };
    node_ui(ui, "", motion, !first_layer, &names);
}

/// One node and all below it. `path` goes before the names of its fields, so
/// that each is told from those of other nodes.
fn node_ui(ui: &mut Ui, path: &str, motion: &mut Motion, may_be_empty: bool, names: &Names<'_>) {
    let kinds = KINDS
        .iter()
        .filter(|(it, _)| may_be_empty || *it != "nothing");
    let kinds: Vec<(&str, String)> = kinds.map(|(it, _)| (*it, (*it).to_owned())).collect();
    let now = word(motion);
    fields::row(ui, "Plays", |ui| {
        let kind = fields::choice_of(ui, &format!("{path}What it plays"), now, &kinds);
        if let Some(kind) = kind.filter(|it| *it != now) {
            *motion = names.made(kind, motion);
        }
    });
    space_ui(ui, path, motion, names);
    match motion {
        Motion::Empty => drop(ui.weak("The layers below show.")),
        Motion::Clip(clip) => {
            let says = match path {
                "" => "Clip of the state".to_owned(),
                path => format!("{path}Clip"),
            };
            fields::row(ui, "Clip", |ui| name_ui(ui, &says, clip, names.clips));
        }
        Motion::Blend1d { clips, .. } => line_ui(ui, path, clips, names),
        Motion::Blend2d { clips, .. } => plane_ui(ui, path, clips, names),
        Motion::Bilinear { corners, .. } => {
            let places = ["(0, 0)", "(1, 0)", "(0, 1)", "(1, 1)"];
            for (place, corner) in places.iter().zip(corners) {
                below_ui(ui, path, place, corner, names);
            }
        }
        Motion::Flat(shares) => average_ui(ui, path, shares, names),
        Motion::Scrub { clip, by, from, to } => {
            axis_ui(ui, path, "Time by", by, names);
            fields::row(ui, "Clip", |ui| {
                name_ui(ui, &format!("{path}Scrubbed clip"), clip, names.clips);
            });
            fields::row(ui, "From, to", |ui| {
                for (says, value) in [("Scrub from", from), ("Scrub to", to)] {
                    number_ui(ui, &format!("{path}{says}"), value, -1e4..=1e4);
                }
            });
        }
        Motion::Add { .. } | Motion::Masked { .. } => over_ui(ui, path, motion, names),
    }
}

/// What every blend over numbers has: the numbers, and how clips keep in step.
fn space_ui(ui: &mut Ui, path: &str, motion: &mut Motion, names: &Names<'_>) {
    let (axes, register) = match motion {
        Motion::Blend1d { by, register, .. } => (vec![("Along", by)], register),
        Motion::Blend2d { x, y, register, .. } | Motion::Bilinear { x, y, register, .. } => {
            (vec![("Across", x), ("Upwards", y)], register)
        }
        _ => return,
    };
    for (word, by) in axes {
        axis_ui(ui, path, word, by, names);
    }
    register_ui(ui, path, register);
}

/// Kept in step by registration, not by steps.
fn register_ui(ui: &mut Ui, path: &str, register: &mut bool) {
    let word = "Registered";
    let response = ui.checkbox(register, word);
    let hint = "Keeps clips of any kind in step, not gaits alone";
    named(
        response.on_hover_text(hint),
        egui::Role::CheckBox,
        &format!("{path}{word}"),
    );
}

/// The nodes of two children: one onto or over the other.
fn over_ui(ui: &mut Ui, path: &str, motion: &mut Motion, names: &Names<'_>) {
    match motion {
        Motion::Add {
            onto,
            add,
            against,
            mask,
            weight,
            by,
        } => {
            below_ui(ui, path, "Onto", onto, names);
            below_ui(ui, path, "Add", add, names);
            fields::row(ui, "Against", |ui| {
                reference_ui(ui, &format!("{path}Reference"), against, names.clips);
            });
            let mut masks = vec![(None, "whole body".to_owned())];
            let known = names.masks.iter();
            masks.extend(known.map(|it| (Some(it.clone()), it.clone())));
            fields::row(ui, "Mask", |ui| {
                if let Some(new) = fields::choice(ui, &format!("{path}Mask"), mask, &masks) {
                    *mask = new;
                }
            });
            weight_ui(ui, path, weight, by, names);
        }
        Motion::Masked {
            below,
            above,
            mask,
            weight,
            by,
        } => {
            below_ui(ui, path, "Below", below, names);
            below_ui(ui, path, "Above", above, names);
            fields::row(ui, "Mask", |ui| {
                name_ui(ui, &format!("{path}Mask"), mask, &names.masks);
            });
            weight_ui(ui, path, weight, by, names);
        }
        _ => {}
    }
}

/// A child that is a motion of its own.
fn below_ui(ui: &mut Ui, path: &str, word: &str, motion: &mut Motion, names: &Names<'_>) {
    ui.label(word);
    ui.indent((path, word), |ui| {
        node_ui(ui, &format!("{path}{word}: "), motion, false, names);
    });
}

fn weight_ui(
    ui: &mut Ui,
    path: &str,
    weight: &mut f32,
    by: &mut Option<String>,
    names: &Names<'_>,
) {
    fields::row(ui, "Weight", |ui| {
        let mut value = f64::from(*weight);
        number_ui(ui, &format!("{path}Weight"), &mut value, 0.0..=1.0);
        *weight = value as f32;
        factor_ui(ui, &format!("{path}Factor"), by, names);
    });
}

fn factor_ui(ui: &mut Ui, says: &str, by: &mut Option<String>, names: &Names<'_>) {
    let mut choices = vec![(None, "always".to_owned())];
    let numbers = names.numbers.iter();
    choices.extend(numbers.map(|it| (Some(it.clone()), format!("× {it}"))));
    if let Some(new) = fields::choice(ui, says, by, &choices) {
        *by = new;
    }
}

fn name_ui(ui: &mut Ui, says: &str, name: &mut String, choices: &[String]) {
    if let Some(other) = fields::name_of(ui, says, name, choices) {
        *name = other;
    }
}

fn number_ui(ui: &mut Ui, says: &str, value: &mut f64, range: std::ops::RangeInclusive<f64>) {
    *value = fields::number(ui, says, *value, range).unwrap_or(*value);
}

fn axis_ui(ui: &mut Ui, path: &str, word: &str, by: &mut String, names: &Names<'_>) {
    fields::row(ui, word, |ui| {
        name_ui(ui, &format!("{path}{word}: parameter"), by, &names.numbers);
    });
}

/// A clip by name, or a motion in its place.
fn child_ui(
    ui: &mut Ui,
    says: &str,
    clip: &mut String,
    motion: &mut Option<Box<Motion>>,
    names: &Names<'_>,
) {
    let Some(own) = motion else {
        name_ui(ui, says, clip, names.clips);
        let button = ui
            .button("…")
            .on_hover_text("A blend in the place of this clip");
        if named(button, egui::Role::Button, &format!("{says}: a blend")).clicked() {
            *motion = Some(Box::new(Motion::Clip(std::mem::take(clip))));
        }
        return;
    };
    ui.vertical(|ui| node_ui(ui, &format!("{says}: "), own, false, names));
}

/// Rows with a button each that takes one out, and one that puts one in.
fn rows_ui<T>(
    ui: &mut Ui,
    path: &str,
    items: &mut Vec<T>,
    new: impl FnOnce(usize) -> T,
    mut row: impl FnMut(&mut Ui, String, &mut T),
) {
    let mut gone = None;
    let several = items.len() > 1;
    for (index, item) in items.iter_mut().enumerate() {
        ui.horizontal_top(|ui| {
            let number = index + 1;
            let button = ui.add_enabled(several, egui::Button::new("×"));
            let says = format!("{path}Take out clip {number}");
            if named(button, egui::Role::Button, &says).clicked() {
                gone = Some(index);
            }
            row(ui, number.to_string(), item);
        });
    }
    if let Some(index) = gone {
        items.remove(index);
    }
    let button = named(
        ui.button("Add clip"),
        egui::Role::Button,
        &format!("{path}Add clip"),
    );
    if button.clicked() {
        items.push(new(items.len()));
    }
}

fn line_ui(ui: &mut Ui, path: &str, at: &mut Vec<At1d>, names: &Names<'_>) {
    let last = at.iter().map(|it| it.at).fold(0.0, f64::max);
    let new = |_| At1d {
        at: last + 1.0,
        clip: names.clip(),
        motion: None,
    };
    rows_ui(ui, path, at, new, |ui, number, it| {
        let says = format!("{path}Place of clip {number}");
        number_ui(ui, &says, &mut it.at, -1e4..=1e4);
        let says = format!("{path}Clip {number}");
        child_ui(ui, &says, &mut it.clip, &mut it.motion, names);
    });
}

fn plane_ui(ui: &mut Ui, path: &str, at: &mut Vec<At2d>, names: &Names<'_>) {
    let new = |index: usize| at_corner(index, names.clip());
    rows_ui(ui, path, at, new, |ui, number, it| {
        let (x, y) = (&mut it.at.0, &mut it.at.1);
        for (word, value) in [("Across", x), ("Upwards", y)] {
            let says = format!("{path}{word} of clip {number}");
            number_ui(ui, &says, value, -1e4..=1e4);
        }
        let says = format!("{path}Clip {number}");
        child_ui(ui, &says, &mut it.clip, &mut it.motion, names);
    });
}

fn average_ui(ui: &mut Ui, path: &str, shares: &mut Vec<WeightedClip>, names: &Names<'_>) {
    let new = |_| share_of(names.clip());
    rows_ui(ui, path, shares, new, |ui, number, it| {
        let says = format!("{path}Weight of clip {number}");
        number_ui(ui, &says, &mut it.weight, 0.0..=1e4);
        factor_ui(
            ui,
            &format!("{path}Factor of clip {number}"),
            &mut it.by,
            names,
        );
        let says = format!("{path}Clip {number}");
        child_ui(ui, &says, &mut it.clip, &mut it.motion, names);
    });
}
