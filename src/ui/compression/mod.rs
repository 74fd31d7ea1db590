//! Codecs, what they save and what they cost in centimetres.

mod coefficients;
mod plots;

pub use coefficients::CoefficientsState;

use egui::{Slider, Ui};

use crate::codec::{
    CodecSettings, Knob,
    baseline::BITS,
    metric::{ErrorMeasure, HalfFrameError},
};

use super::{
    ClipView, Codec, CodecKnobs, Command, CompressionResult, PanelState, PanelView, theme, widgets,
};

/// Codecs with a button of their own.
const IN_A_ROW: usize = 3;

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(clip) = view.clip.filter(|clip| clip.raw.is_some()) else {
        ui.weak("No clip to compress.");
        return;
    };
    let before = state.codec;
    knobs_ui(ui, &mut state.codec);
    match (state.codec.codec, view.compression.error) {
        (Codec::Off, _) => {
            ui.weak("The clip plays as it was captured.");
        }
        (_, Some(error)) => {
            let colours = theme::palette(ui.style());
            ui.add(egui::Label::new(egui::RichText::new(error).color(colours.error)).wrap());
        }
        _ => match view.compression.result {
            Some(result) => result_ui(ui, result, view, &clip, commands),
            None => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label("Compressing…");
                });
            }
        },
    }
    plots::pages_ui(ui, state, view, &clip, commands);
    if state.codec.codec != Codec::Off {
        options_ui(ui, view, commands);
    }
    if state.codec != before {
        commands.push(Command::Compress);
    }
}

fn knobs_ui(ui: &mut Ui, knobs: &mut CodecKnobs) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let (first, more) = Codec::ALL.split_at(IN_A_ROW);
        for &codec in first {
            ui.selectable_value(&mut knobs.codec, codec, codec.word())
                .on_hover_text(codec.says());
        }
        let chosen = more.iter().find(|codec| **codec == knobs.codec);
        let shown = egui::ComboBox::from_id_salt("more codecs")
            .width(96.0)
            .selected_text(chosen.map_or("More", |codec| codec.word()))
            .show_ui(ui, |ui| {
                for &codec in more {
                    ui.selectable_value(&mut knobs.codec, codec, codec.word())
                        .on_hover_text(codec.says());
                }
            });
        let response = shown
            .response
            .on_hover_text("The classical ways, to compare with");
        widgets::named(response, egui::Role::ComboBox, "More codecs");
    });
    let Some(settings) = knobs.codec.settings() else {
        return;
    };
    let (slider, says) = slider(knobs, settings);
    ui.add(slider).on_hover_text(says);
    if settings.knob() == Knob::ToleranceCm {
        ui.add(egui::Label::new(egui::RichText::new(promise_text()).weak()).wrap());
    }
}

/// The codec's one knob.
fn slider(knobs: &mut CodecKnobs, settings: CodecSettings) -> (Slider<'_>, &'static str) {
    match settings.knob() {
        Knob::Bits => (
            Slider::new(&mut knobs.bits, BITS)
                .suffix(" bits")
                .text("a number"),
            "Of every number of every frame; two more name a rotation's largest component",
        ),
        Knob::RateHz => (
            Slider::new(&mut knobs.rate_hz, 1.0..=240.0)
                .logarithmic(true)
                .suffix(" Hz")
                .text("samples"),
            "Samples a second, straight lines between them",
        ),
        Knob::Frames => (
            Slider::new(&mut knobs.every, 1..=60)
                .logarithmic(true)
                .suffix(" frames")
                .text("key every"),
            "Keys at even distances, as courses teach it",
        ),
        Knob::Threshold => (
            Slider::new(&mut knobs.threshold, 1e-4..=1.0)
                .logarithmic(true)
                .text("threshold"),
            match settings {
                CodecSettings::Wavelet { .. } => "Coefficients below it are dropped",
                _ => "Largest sum of component differences of a joint's quaternion",
            },
        ),
        Knob::ToleranceCm => (
            Slider::new(&mut knobs.tolerance_cm, 0.005..=10.0)
                .logarithmic(true)
                .suffix(" cm")
                .text("tolerance"),
            "Promised, and measured before the clip is handed out",
        ),
    }
}

/// The promise as a sentence.
fn promise_text() -> String {
    let mut text = ErrorMeasure::Ball.promise().to_owned();
    text[..1].make_ascii_uppercase();
    text + "."
}

fn result_ui(
    ui: &mut Ui,
    result: &CompressionResult,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) {
    let colours = theme::palette(ui.style());
    ui.horizontal(|ui| {
        let ratio = format!("{:.1} : 1", result.ratio());
        ui.label(egui::RichText::new(ratio).heading().color(colours.accent));
        let sizes = format!(
            "{} of {}",
            widgets::bytes_text(result.bytes),
            widgets::bytes_text(result.raw_bytes)
        );
        ui.label(sizes);
        if view.compression.busy {
            ui.spinner();
        }
    });
    let per_sec = |bytes: u64| {
        let secs = clip.duration_secs().max(1.0 / clip.fps());
        widgets::bytes_text((bytes as f64 / secs) as u64)
    };
    let rates = format!("{} of {}", per_sec(result.bytes), per_sec(result.raw_bytes));
    widgets::fact(ui, "bytes a second", &rates);
    let errors = &result.errors;
    widgets::fact(ui, "largest error", &widgets::cm_text(errors.max_cm));
    let (p99, mean) = (errors.p99_cm, errors.mean_cm);
    let both = format!("{} / {}", widgets::cm_text(p99), widgets::cm_text(mean));
    widgets::fact(ui, "99 % / mean", &both);
    between_frames_ui(ui, &result.between_frames);
    let (ms, us) = (result.compress_secs * 1e3, result.sample_us);
    let keys = format!("{} in {ms:.0} ms, {us:.2} µs a pose", result.keys);
    widgets::fact(ui, "keys", &keys);
    worst_ui(ui, result, clip, commands);
}

/// Where the source says nothing a curve may overshoot: both readings of it.
fn between_frames_ui(ui: &mut Ui, between: &HalfFrameError) {
    let (linear, cubic) = (between.linear_cm, between.cubic_cm);
    let text = format!("{} / {}", widgets::cm_text(linear), widgets::cm_text(cubic));
    let says = "Half-way between frames nothing is promised: largest deviation from the source \
                sampled linearly / cubically";
    ui.scope(|ui| widgets::fact(ui, "half-way", &text))
        .response
        .on_hover_text(says);
}

fn worst_ui(
    ui: &mut Ui,
    result: &CompressionResult,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) {
    let (joint, frame) = result.errors.worst;
    let Some(name) = clip.skeleton.joints().get(joint).map(|joint| &joint.name) else {
        return;
    };
    let text = format!("Worst: {name}, frame {frame}");
    let response = ui
        .button(text)
        .on_hover_text("Goes there and chooses the joint");
    if response.clicked() {
        commands.push(Command::Seek(frame as f64 / clip.fps()));
        commands.push(Command::Select(Some(joint as u16)));
    }
}

fn options_ui(ui: &mut Ui, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let mut display = view.display;
    ui.horizontal(|ui| {
        ui.checkbox(&mut display.original_ghost, "Original ghost")
            .on_hover_text("The uncompressed pose, see-through");
        ui.checkbox(&mut display.error_colours, "Error colours")
            .on_hover_text("On the skin, red where the error is largest");
    });
    if display != view.display {
        commands.push(Command::Display(display));
    }
    if view.compression.result.is_none() {
        return;
    }
    ui.horizontal(|ui| {
        if ui.button("Export .kin").clicked() {
            commands.push(Command::ExportKin);
        }
        if ui.button("Export errors (CSV)").clicked() {
            commands.push(Command::ExportErrors);
        }
    });
}
