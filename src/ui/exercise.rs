//! The interpolation exercise: every Nth frame kept, the others made by two
//! methods, which stand beside the original; the error of both over time.

use egui::{ComboBox, Role, Slider, Ui};
use egui_plot::{Line, VLine};

use super::{ExerciseFigures, PanelState, PanelView, plots, theme, widgets};
use crate::exercise::Method;

/// Height of the plot.
const HEIGHT: f32 = 120.0;
/// Frames from one key to the next.
const EVERY: std::ops::RangeInclusive<usize> = 2..=120;

pub(super) fn page_ui(ui: &mut Ui, state: &mut PanelState, view: &PanelView<'_>) {
    let panel = &mut state.exercise;
    let hint = "Frames 0, N, 2N … are kept, the others made anew, by two methods beside the clip";
    ui.checkbox(&mut panel.on, "Beside the original")
        .on_hover_text(hint);
    let slider = Slider::new(&mut panel.every, EVERY)
        .logarithmic(true)
        .text("frames a key");
    widgets::named(ui.add(slider), Role::Slider, "Frames from key to key");
    ui.horizontal(|ui| {
        for (number, method) in panel.methods.iter_mut().enumerate() {
            method_ui(ui, number, method);
        }
    });
    if !panel.on {
        return;
    }
    if let Some(fault) = view.measures.fault {
        widgets::note(ui, fault, theme::palette(ui.style()).error);
        return;
    }
    if view.measures.busy {
        ui.weak("Being made …");
    }
    if !view.measures.made.is_empty() {
        plot_ui(ui, view);
        figures_ui(ui, view.measures.made);
    }
}

fn method_ui(ui: &mut Ui, number: usize, method: &mut Method) {
    let shown = ComboBox::from_id_salt(("method", number))
        .selected_text(method.label())
        .width(124.0)
        .show_ui(ui, |ui| {
            for choice in Method::ALL {
                ui.selectable_value(method, choice, choice.label());
            }
        });
    let name = format!("Method {}", number + 1);
    widgets::named(shown.response, Role::ComboBox, &name);
}

/// The mean error of joint angles over time.
fn plot_ui(ui: &mut Ui, view: &PanelView<'_>) {
    let Some(clip) = &view.clip else { return };
    let colours = theme::palette(ui.style());
    let degrees = |value: f64| format!("{}°", plots::short(value));
    plots::plot("exercise", HEIGHT, plots::secs, degrees).show(ui, |plot| {
        for (made, ink) in view.measures.made.iter().zip(colours.curves) {
            let errors = made.grade.frames.iter().map(|it| it.mean_deg as f32);
            let points = plots::peaks(errors, clip.fps());
            plot.line(Line::new(made.method.label(), points).color(ink));
        }
        plot.vline(VLine::new("now", view.playback.time_secs).color(colours.text));
    });
    ui.horizontal(|ui| {
        for (made, ink) in view.measures.made.iter().zip(colours.curves) {
            widgets::dotted(ui, made.method.label(), ink);
        }
    });
}

fn figures_ui(ui: &mut Ui, made: &[ExerciseFigures]) {
    for it in made {
        let total = &it.grade.total;
        let text = format!(
            "mean {:.2}°, largest {:.1}°, {:.1} cm",
            total.mean_deg, total.max_deg, total.max_cm
        );
        widgets::fact(ui, it.method.label(), &text);
    }
}
