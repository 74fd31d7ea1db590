//! Time warp and alignment as curves over the reference's time.

use egui::{Role, Ui};
use egui_plot::{Line, VLine};

use super::{MOST, reference_secs};
use crate::{
    clip::Planar,
    register::Curve,
    ui::{
        BlendShown,
        plots::{MOST_POINTS, plot, secs, short},
        theme, widgets,
    },
};

const HEIGHT: f32 = 200.0;
const HALF_HEIGHT: f32 = 128.0;

/// Each clip's time over that of the reference.
pub(super) fn warp_ui(ui: &mut Ui, shown: &BlendShown<'_>) {
    let value = |curve: &Curve, k: usize| curve.times_secs()[k];
    lines_ui(ui, shown, ("Time of each clip", HEIGHT, secs), value);
}

/// Where each clip has to be put to lie on the first.
pub(super) fn alignment_ui(ui: &mut Ui, shown: &BlendShown<'_>) {
    let first = shown.registration.curves()[0].alignments();
    let onto_first = |curve: &Curve, k: usize| -> Planar {
        let reference_from_first = first.get(k).copied().unwrap_or(Planar::IDENTITY);
        reference_from_first.inverse().then(curve.alignments()[k])
    };
    let metres = |value: f64| format!("{} m", short(value));
    lines_ui(
        ui,
        shown,
        ("Shift of each clip", HALF_HEIGHT, metres),
        |curve, k| onto_first(curve, k).position.length(),
    );
    let degrees = |value: f64| format!("{}°", short(value));
    lines_ui(
        ui,
        shown,
        ("Turn of each clip", HALF_HEIGHT, degrees),
        |curve, k| onto_first(curve, k).heading.to_degrees(),
    );
}

fn lines_ui(
    ui: &mut Ui,
    shown: &BlendShown<'_>,
    (title, height, unit): (&str, f32, impl Fn(f64) -> String + Copy),
    value: impl Fn(&Curve, usize) -> f64,
) {
    let colours = theme::palette(ui.style());
    widgets::note(ui, title, colours.quiet);
    let drawn = plot(title, height, secs, unit).show(ui, |plot| {
        let curves = shown.registration.curves().iter().zip(shown.names);
        for (index, (curve, name)) in curves.enumerate() {
            let count = curve.times_secs().len();
            let stride = count.div_ceil(MOST_POINTS).max(1);
            let start = curve.range_secs()[0];
            let point = |k: usize| [start + k as f64 * curve.step_secs(), value(curve, k)];
            let points: Vec<[f64; 2]> = (0..count).step_by(stride).map(point).collect();
            let colour = colours.marks[index % MOST];
            plot.line(Line::new(name, points).color(colour).width(2.0));
        }
        plot.vline(VLine::new("now", reference_secs(shown)).color(colours.accent));
    });
    widgets::named(drawn.response, Role::Image, title);
}
