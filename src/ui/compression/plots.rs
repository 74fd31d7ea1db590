//! Plots, one at a time: error over time, error of every joint, how small each
//! codec gets for how much error, and what a wavelet keeps.

use egui::Ui;
use egui_plot::{Bar, BarChart, Line, Points, VLine};

use super::coefficients;
use crate::{
    skeleton::JointIndex,
    ui::{
        ClipView, Codec, Command, CompressionPlot, CompressionResult, PanelState, PanelView,
        RateErrorPoint,
        plots::{self, peaks, plot, short},
        theme::{self, Palette},
        widgets,
    },
};

const HEIGHT: f32 = 120.0;
/// Nine curves want more room.
const CODECS_HEIGHT: f32 = 150.0;
/// How near a click must be to a point of the sweep, in points.
const NEAR: f32 = 12.0;

pub(super) fn pages_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    commands: &mut Vec<Command>,
) {
    let off = state.codec.codec == Codec::Off;
    let wavelet = state.codec.codec == Codec::Wavelet;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (page, word, enabled) in [
            (CompressionPlot::Time, "Over time", !off),
            (CompressionPlot::Joints, "Joints", !off),
            (CompressionPlot::Codecs, "Codecs", true),
            (CompressionPlot::Coefficients, "Wavelet", wavelet),
        ] {
            let chosen = egui::Button::selectable(state.compression_plot == page, word);
            if ui.add_enabled(enabled, chosen).clicked() {
                state.compression_plot = page;
            }
        }
    });
    match (state.compression_plot, view.compression.result) {
        (CompressionPlot::Codecs, _) => codecs_ui(ui, state, view, commands),
        (CompressionPlot::Coefficients, _) if wavelet => {
            let selected = view.pose.and_then(|pose| pose.selected);
            coefficients::show(
                ui,
                &mut state.coefficients,
                clip,
                selected,
                state.codec.threshold,
            );
        }
        (CompressionPlot::Coefficients, _) => {
            ui.weak("coefficients are those of the wavelet codec");
        }
        (_, None) => {}
        (CompressionPlot::Time, Some(result)) => commands.extend(time_ui(ui, view, clip, result)),
        (CompressionPlot::Joints, Some(result)) => {
            commands.extend(joints_ui(ui, view, clip, result));
        }
    }
}

fn cm(value: f64) -> String {
    format!("{} cm", short(value))
}

/// Error over time; a click goes to the moment.
fn time_ui(
    ui: &mut Ui,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    result: &CompressionResult,
) -> Option<Command> {
    let colours = theme::palette(ui.style());
    let fps = clip.fps();
    let largest = peaks(result.frame_errors_cm.iter().copied(), fps);
    let chosen = chosen_errors(view, fps);
    let name = view
        .pose
        .and_then(|pose| pose.selected)
        .and_then(|joint| clip.skeleton.joints().get(usize::from(joint)))
        .map_or_else(String::new, |joint| joint.name.clone());
    ui.weak(match chosen.is_empty() {
        true => "largest error over time; a click goes there".to_owned(),
        false => format!("largest error, and that of {name}"),
    });
    let plot = plot("errors over time", HEIGHT, plots::secs, cm).include_y(0.0);
    let shown = plot.show(ui, |plot| {
        plot.line(Line::new("largest", largest).color(colours.accent));
        if !chosen.is_empty() {
            plot.line(Line::new(name, chosen).color(colours.marks[0]));
        }
        plot.vline(VLine::new("now", view.playback.time_secs).color(colours.text));
        let pointer = plot.pointer_coordinate();
        pointer.filter(|_| plot.response().clicked())
    });
    // The axis shows a little more than the clip.
    let secs = shown.inner?.x.clamp(0.0, clip.duration_secs());
    Some(Command::Seek(secs))
}

fn chosen_errors(view: &PanelView<'_>, fps: f64) -> Vec<[f64; 2]> {
    let joint = view.pose.and_then(|pose| pose.selected);
    let (Some(joint), Some(table)) = (joint, view.compression.table) else {
        return Vec::new();
    };
    if usize::from(joint) >= table.joints() {
        return Vec::new();
    }
    let errors = (0..table.frames()).map(|frame| table.error_m(joint.into(), frame) * 100.0);
    peaks(errors, fps)
}

/// A bar a joint; a click chooses it.
fn joints_ui(
    ui: &mut Ui,
    view: &PanelView<'_>,
    clip: &ClipView<'_>,
    result: &CompressionResult,
) -> Option<Command> {
    let names = clip.skeleton.joints();
    let name_of = |joint: usize| names.get(joint).map_or("", |joint| joint.name.as_str());
    ui.weak("largest error of every joint; a click chooses it");
    let plot = plot("errors of joints", HEIGHT, |_| String::new(), cm)
        .include_y(0.0)
        .show_grid([false, true]);
    let bars = bars(&theme::palette(ui.style()), view, result, name_of);
    let shown = plot.show(ui, |plot| {
        plot.bar_chart(bars);
        let pointer = plot.pointer_coordinate();
        pointer.filter(|_| plot.response().hovered())
    });
    let joint = shown.inner.map(|at| at.x.round());
    let joints = 0.0..result.joint_errors_cm.len() as f64;
    let joint = joint.filter(|joint| joints.contains(joint));
    let joint = joint.map(|joint| joint as usize);
    // Names do not fit under the bars: the one under the pointer stands below.
    ui.weak(match joint {
        Some(joint) => name_of(joint).to_owned(),
        None => format!("worst: {}", name_of(result.errors.worst.0)),
    });
    let joint = joint.filter(|_| shown.response.clicked())?;
    Some(Command::Select(Some(joint as JointIndex)))
}

fn bars<'a>(
    colours: &Palette,
    view: &PanelView<'_>,
    result: &CompressionResult,
    name_of: impl Fn(usize) -> &'a str,
) -> BarChart {
    let selected = view.pose.and_then(|pose| pose.selected).map(usize::from);
    let errors = result.joint_errors_cm.iter().enumerate();
    let bars = errors.map(|(joint, &error)| {
        let fill = if selected == Some(joint) {
            colours.accent
        } else {
            colours.marks[0]
        };
        Bar::new(joint as f64, f64::from(error))
            .name(name_of(joint))
            .width(0.8)
            .fill(fill)
    });
    let chart = BarChart::new("joints", bars.collect());
    chart.element_formatter(Box::new(|bar, _| {
        format!("{}\n{}", bar.name, cm(bar.value))
    }))
}

/// Ratio over error; a click on a point takes over its setting.
fn codecs_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    commands: &mut Vec<Command>,
) {
    let sweep = view.compression.sweep;
    ui.horizontal(|ui| match view.compression.sweep_fraction {
        Some(fraction) => {
            ui.spinner();
            ui.label(format!("{:.0} % measured", fraction * 100.0));
            if ui.button("Stop comparing").clicked() {
                commands.push(Command::CancelSweep);
            }
        }
        None => {
            let word = if sweep.is_empty() {
                "Compare codecs"
            } else {
                "Compare again"
            };
            let button = ui
                .button(word)
                .on_hover_text("Compresses this clip with every codec at six settings each");
            if button.clicked() {
                commands.push(Command::SweepCodecs);
            }
            ui.weak("ratio over largest error");
        }
    });
    if sweep.is_empty() {
        return;
    }
    let near = curve_ui(ui, view);
    if let Some(point) = near {
        state.codec.turn_to(point.codec, point.setting);
    }
    legend_ui(ui);
}

/// Every codec with its colour.
fn curves(colours: &Palette) -> impl Iterator<Item = (Codec, egui::Color32)> + use<> {
    let codecs = Codec::ALL.into_iter().filter(|codec| *codec != Codec::Off);
    codecs.zip(colours.curves)
}

/// The point that was clicked, if any. Both axes are logarithmic.
fn curve_ui(ui: &mut Ui, view: &PanelView<'_>) -> Option<RateErrorPoint> {
    let colours = theme::palette(ui.style());
    let sweep = view.compression.sweep;
    // An error of nothing has no logarithm.
    let position = |max_cm: f64, ratio: f64| [max_cm.max(1e-6).log10(), ratio.log10()];
    let plot = plot(
        "codecs",
        CODECS_HEIGHT,
        |at| cm(10f64.powf(at)),
        |at| format!("{} ×", short(10f64.powf(at))),
    );
    let now = view.compression.result;
    let shown = plot.show(ui, |plot| {
        for (codec, colour) in curves(&colours) {
            let mut points: Vec<[f64; 2]> = sweep
                .iter()
                .filter(|point| point.codec == codec)
                .map(|point| position(point.max_cm, point.ratio))
                .collect();
            // They come in the order they were measured, which need not be by error.
            points.sort_by(|a, b| a[0].total_cmp(&b[0]));
            plot.line(Line::new(codec.word(), points.clone()).color(colour));
            plot.points(Points::new(codec.word(), points).radius(3.0).color(colour));
        }
        if let Some(now) = now {
            let at = position(now.errors.max_cm, now.ratio());
            plot.points(
                Points::new("now", vec![at])
                    .radius(5.0)
                    .color(colours.accent),
            );
        }
        let pointer = plot.response().interact_pointer_pos();
        let pointer = pointer.filter(|_| plot.response().clicked())?;
        let near = sweep.iter().map(|point| {
            let at = plot.screen_from_plot(position(point.max_cm, point.ratio).into());
            (at.distance(pointer), *point)
        });
        near.filter(|(distance, _)| *distance <= NEAR)
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, point)| point)
    });
    widgets::named(shown.response, egui::Role::Image, "Ratio over error");
    shown.inner
}

fn legend_ui(ui: &mut Ui) {
    let colours = theme::palette(ui.style());
    let codecs = curves(&colours).map(|(codec, colour)| (codec.word(), colour));
    let all: Vec<_> = codecs.chain([("now", colours.accent)]).collect();
    for row in all.chunks(3) {
        ui.horizontal(|ui| {
            for (word, colour) in row {
                widgets::dotted(ui, &word.to_lowercase(), *colour);
            }
        });
    }
}
