//! Channels of any number of joints over time, in one plot that goes with the
//! timeline; what codecs and filters make of them laid over it.

use egui::{Role, Slider, Ui};
use egui_plot::{Line, LineStyle, PlotBounds, VLine};

use super::{
    Command, CurveFile, CurvePanel, FilterChoice, PanelState, PanelView, plots, theme, widgets,
};
use crate::{
    analysis::{Channel, Curve, Curves},
    skeleton::Skeleton,
};

/// Height of the plot.
const HEIGHT: f32 = 168.0;

pub(super) fn page_ui(
    ui: &mut Ui,
    state: &mut PanelState,
    view: &PanelView<'_>,
    skeleton: &Skeleton,
    commands: &mut Vec<Command>,
) {
    let Some(pose) = view.pose else { return };
    channels_ui(ui, &mut state.curves);
    joints_ui(ui, state, (skeleton, pose.selected));
    let Some(plot) = view.curve_plot else {
        ui.weak("Curves need a clip: press Tab for View.");
        return;
    };
    if plot.clips.iter().all(|it| it.1.curves.is_empty()) {
        ui.weak("Choose a joint above, or in the picture.");
        return;
    }
    plot_ui(ui, state, view, commands);
    names_ui(ui, &plot.clips);
    filter_ui(ui, &mut state.curves, plot.is_filtered, commands);
    ui.horizontal(|ui| {
        for (file, word) in [(CurveFile::Csv, "Save CSV"), (CurveFile::Svg, "Save SVG")] {
            if ui.button(word).clicked() {
                commands.push(Command::SaveCurves(file));
            }
        }
    });
}

fn channels_ui(ui: &mut Ui, panel: &mut CurvePanel) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding.x = 5.0;
        for channel in Channel::ALL {
            let on = panel.channels.contains(&channel);
            if ui.selectable_label(on, channel.word()).clicked() {
                panel.channels.retain(|it| *it != channel);
                if !on {
                    panel.channels.push(channel);
                }
            }
        }
    });
}

/// Those that stay can be let go; the chosen one can be made to stay.
fn joints_ui(ui: &mut Ui, state: &mut PanelState, (skeleton, selected): (&Skeleton, Option<u16>)) {
    let panel = &mut state.curves;
    let joints = skeleton.joints();
    panel.joints.retain(|it| usize::from(*it) < joints.len());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut gone = None;
        for &joint in &panel.joints {
            let name = &joints[usize::from(joint)].name;
            let button = ui
                .small_button(name)
                .on_hover_text("Takes it out of the plot");
            if widgets::named(button, Role::Button, &format!("Take {name} out")).clicked() {
                gone = Some(joint);
            }
        }
        panel.joints.retain(|it| Some(*it) != gone);
        if let Some(joint) = selected.filter(|it| !panel.joints.contains(it)) {
            let hint = "It stays in the plot while another one is chosen";
            if ui
                .small_button("Keep this joint")
                .on_hover_text(hint)
                .clicked()
            {
                panel.joints.push(joint);
            }
        }
    });
}

fn plot_ui(ui: &mut Ui, state: &PanelState, view: &PanelView<'_>, commands: &mut Vec<Command>) {
    let (Some(plot), Some(clip)) = (view.curve_plot, &view.clip) else {
        return;
    };
    let colours = theme::palette(ui.style());
    let duration = clip.duration_secs().max(1e-9);
    let (from, to) = (state.timeline.from * duration, state.timeline.to * duration);
    let drawn = plots::plot("curves", HEIGHT, plots::secs, plots::short).show(ui, |ink| {
        let mut span = [f64::MAX, f64::MIN];
        let mut seen = 0;
        for (index, (name, curves)) in plot.clips.iter().enumerate() {
            for (number, curve) in curves.curves.iter().enumerate() {
                let points = thinned(curve, curves.fps, [from, to]);
                for point in &points {
                    span = [span[0].min(point[1]), span[1].max(point[1])];
                }
                seen += points.len();
                let style = match index {
                    0 => LineStyle::Solid,
                    _ => LineStyle::dashed_loose(),
                };
                let said = format!("{}, {name}", curve.name);
                ink.line(
                    Line::new(said, points)
                        .color(colours.curves[number % colours.curves.len()])
                        .style(style),
                );
            }
        }
        if seen > 0 {
            let room = ((span[1] - span[0]) * 0.05).max(1e-6);
            let low = [from, span[0] - room];
            ink.set_plot_bounds(PlotBounds::from_min_max(low, [to, span[1] + room]));
        }
        ink.vline(VLine::new("now", view.playback.time_secs).color(colours.text));
        ink.pointer_coordinate()
    });
    let response = widgets::named(drawn.response, Role::Image, "Curves over time");
    if (response.clicked() || response.dragged())
        && let Some(at) = drawn.inner
    {
        commands.push(Command::Seek(at.x.clamp(0.0, duration)));
    }
}

/// What lies in a span of time, thinned so that no peak is lost: the least and
/// the most of every stretch, in the order they come.
fn thinned(curve: &Curve, fps: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let first = ((from * fps).floor().max(0.0) as usize).min(curve.values.len());
    let end = ((to * fps).ceil() as usize + 1).clamp(first, curve.values.len());
    let values = &curve.values[first..end];
    let at = |index: usize| [(first + index) as f64 / fps, values[index]];
    if values.len() <= plots::MOST_POINTS {
        return (0..values.len()).map(at).collect();
    }
    let stride = (2 * values.len()).div_ceil(plots::MOST_POINTS);
    let mut points = Vec::with_capacity(plots::MOST_POINTS + 2);
    for start in (0..values.len()).step_by(stride) {
        let range = start..(start + stride).min(values.len());
        let order = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
        let (least, most) = (range.clone().min_by(order), range.max_by(order));
        if let (Some(least), Some(most)) = (least, most) {
            points.extend([at(least.min(most)), at(least.max(most))]);
        }
    }
    points
}

/// The key: every curve by its colour, and what dashed lines are.
fn names_ui(ui: &mut Ui, clips: &[(String, Curves)]) {
    let inks = theme::palette(ui.style()).curves;
    ui.horizontal_wrapped(|ui| {
        let curves = clips.first().map_or(&[][..], |it| &it.1.curves);
        for (number, curve) in curves.iter().enumerate() {
            let unit = curve.channel.unit();
            widgets::dotted(
                ui,
                &format!("{} {unit}", curve.name),
                inks[number % inks.len()],
            );
        }
    });
    let others: Vec<&str> = clips.iter().skip(1).map(|it| it.0.as_str()).collect();
    if !others.is_empty() {
        ui.weak(format!("dashed: {}", others.join(", ")));
    }
}

fn filter_ui(ui: &mut Ui, panel: &mut CurvePanel, is_filtered: bool, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.weak("filter");
        for (choice, word, hint) in [
            (FilterChoice::Off, "Off", "The clip as it is"),
            (
                FilterChoice::Butterworth,
                "Butterworth",
                "Low-pass of fourth order without delay",
            ),
            (
                FilterChoice::Average,
                "Average",
                "The mean of some frames around each",
            ),
        ] {
            ui.selectable_value(&mut panel.filter, choice, word)
                .on_hover_text(hint);
        }
    });
    match panel.filter {
        FilterChoice::Off => {}
        FilterChoice::Butterworth => drop(
            ui.add(
                Slider::new(&mut panel.cutoff_hz, 0.5..=40.0)
                    .logarithmic(true)
                    .suffix(" Hz")
                    .text("cutoff"),
            ),
        ),
        FilterChoice::Average => {
            drop(
                ui.add(
                    Slider::new(&mut panel.frames, 3..=61)
                        .step_by(2.0)
                        .text("frames"),
                ),
            );
        }
    }
    ui.horizontal(|ui| {
        if let Some(filter) = panel.filter() {
            let hint = "Filters all joints of the clip; export writes it";
            if ui.button("Apply").on_hover_text(hint).clicked() {
                commands.push(Command::FilterClip(Some(filter)));
                panel.filter = FilterChoice::Off;
            }
        }
        if is_filtered && ui.button("As captured").clicked() {
            commands.push(Command::FilterClip(None));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_both_peaks_in_order() {
        let mut values = vec![0.0; 10_000];
        (values[7777], values[7780]) = (5.0, -4.0);
        let curve = Curve {
            channel: Channel::World,
            joint: Some(0),
            part: 0,
            name: "x".into(),
            values,
        };
        let points = thinned(&curve, 100.0, [0.0, 100.0]);
        assert!(points.len() <= plots::MOST_POINTS + 2);
        assert!(points.iter().any(|it| it[1] == 5.0) && points.iter().any(|it| it[1] == -4.0));
        assert!(points.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
        // A part of it is drawn frame by frame.
        assert!((11..=12).contains(&thinned(&curve, 100.0, [77.7, 77.8]).len()));
    }
}
