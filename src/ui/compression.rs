//! Codecs, what they save and what they cost in centimetres.

use egui::{Slider, Ui};
use egui_plot::{Line, Plot, PlotPoints, VLine};

use super::{
    ClipView, Codec, CodecKnobs, Command, CompressionResult, Model, PanelState, theme, widgets,
};

pub(super) fn section_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    model: &Model<'_>,
    commands: &mut Vec<Command>,
) {
    let Some(clip) = model.clip.filter(|clip| clip.raw.is_some()) else {
        ui.weak("No clip to compress.");
        return;
    };
    let before = state.codec;
    knobs_ui(ui, &mut state.codec);
    if state.codec != before {
        commands.push(Command::Compress(state.codec.settings()));
    }
    if state.codec.codec == Codec::Off {
        ui.weak("The clip plays as it was captured.");
        return;
    }
    if let Some(error) = model.compression.error {
        let colours = theme::palette(ui.style());
        ui.add(egui::Label::new(egui::RichText::new(error).color(colours.error)).wrap());
        return;
    }
    let Some(result) = model.compression.result else {
        ui.horizontal(|ui| {
            ui.spinner();
            ui.label("Compressing…");
        });
        return;
    };
    result_ui(ui, result, model, &clip, commands);
}

fn knobs_ui(ui: &mut Ui, knobs: &mut CodecKnobs) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for codec in Codec::ALL {
            ui.selectable_value(&mut knobs.codec, codec, codec.word());
        }
    });
    match knobs.codec {
        Codec::Off => {}
        Codec::Classic => {
            ui.add(
                Slider::new(&mut knobs.threshold, 1e-4..=1.0)
                    .logarithmic(true)
                    .text("threshold"),
            )
            .on_hover_text("Largest sum of component differences of a key's quaternion");
        }
        Codec::Spline | Codec::Tight => {
            ui.add(
                Slider::new(&mut knobs.tolerance_cm, 0.005..=10.0)
                    .logarithmic(true)
                    .suffix(" cm")
                    .text("tolerance"),
            )
            .on_hover_text("Largest error anywhere on the body, promised and measured");
        }
        Codec::Every => {
            ui.add(
                Slider::new(&mut knobs.every, 1..=60)
                    .logarithmic(true)
                    .text("frames a key"),
            );
        }
    }
}

fn result_ui(
    ui: &mut Ui,
    result: &CompressionResult,
    model: &Model<'_>,
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
        if model.compression.busy {
            ui.spinner();
        }
    });
    let errors = &result.errors;
    widgets::fact(ui, "largest error", &widgets::cm_text(errors.max_cm));
    widgets::fact(ui, "99 of 100", &widgets::cm_text(errors.p99_cm));
    widgets::fact(ui, "mean error", &widgets::cm_text(errors.mean_cm));
    widgets::fact(ui, "keys", &result.keys.to_string());
    widgets::fact(
        ui,
        "time taken",
        &format!("{:.0} ms", result.compress_secs * 1e3),
    );
    worst_ui(ui, result, clip, commands);
    plot_ui(ui, result, model, clip, commands);
    let mut display = model.display;
    ui.checkbox(&mut display.original_ghost, "Original as a ghost");
    ui.checkbox(&mut display.error_colours, "Error colours on the skin");
    if display != model.display {
        commands.push(Command::Display(display));
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

/// Error over time; a click goes to the moment.
fn plot_ui(
    ui: &mut Ui,
    result: &CompressionResult,
    model: &Model<'_>,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) {
    let colours = theme::palette(ui.style());
    let fps = clip.fps();
    // Enough points for the width; the largest of every stretch is kept.
    let stride = result.frame_errors_cm.len().div_ceil(512).max(1);
    let points: Vec<[f64; 2]> = result
        .frame_errors_cm
        .chunks(stride)
        .enumerate()
        .map(|(index, chunk)| {
            let largest = chunk.iter().copied().fold(0.0, f32::max);
            [(index * stride) as f64 / fps, f64::from(largest)]
        })
        .collect();
    let plot = Plot::new("errors")
        .height(104.0)
        .show_grid([false, true])
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .include_y(0.0)
        .y_axis_min_width(36.0)
        .x_axis_formatter(|mark, _| format!("{:.1} s", mark.value))
        .y_axis_formatter(|mark, _| format!("{:.2}", mark.value));
    ui.weak("largest error (cm) over time");
    let shown = plot.show(ui, |plot| {
        plot.line(Line::new("error", PlotPoints::from(points)).color(colours.accent));
        plot.vline(VLine::new("now", model.playback.time_secs).color(colours.text));
        plot.response().clicked().then(|| plot.pointer_coordinate())
    });
    if let Some(Some(at)) = shown.inner {
        commands.push(Command::Seek(at.x.clamp(0.0, clip.duration_secs())));
    }
}
