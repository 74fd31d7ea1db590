//! How somebody walks: the figures of `report`, for the clip on screen.

use egui::{ScrollArea, Ui};

use super::{PanelView, widgets};
use crate::analysis::{FootFigures, GaitReport};

/// Joints that are listed, those that turn furthest.
const JOINTS: usize = 12;

pub(super) fn page_ui(ui: &mut Ui, view: &PanelView<'_>) {
    let (Some(clip), Some(report)) = (&view.clip, view.measures.gait) else {
        ui.weak("Nothing is measured yet.");
        return;
    };
    for (what, value) in figures(report) {
        widgets::fact(ui, what, &value);
    }
    feet_ui(ui, &report.feet);
    ui.weak("Joints: least and most angle about x, y, z");
    let mut joints: Vec<_> = report.joints.iter().collect();
    joints.sort_by(|a, b| b.most_deg.total_cmp(&a.most_deg));
    ScrollArea::vertical().max_height(150.0).show(ui, |ui| {
        for joint in joints.into_iter().take(JOINTS) {
            let name = &clip.skeleton.joints()[joint.joint].name;
            let angles = joint.angles_deg;
            let angles = angles.map(|[least, most]| format!("{least:.0}…{most:.0}°"));
            widgets::fact(ui, name, &angles.join(" "));
        }
    });
    ui.weak("`kinetoscope report` writes all of it as a page, CSV and JSON.");
}

/// What is known of the whole body.
fn figures(report: &GaitReport) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("speed", format!("{:.3} m/s", report.speed_mps)),
        ("way", format!("{:.2} m", report.way_m)),
        ("steps", report.steps.to_string()),
    ];
    let mut add = |what, value: Option<f64>, scale: f64, unit: &str| {
        lines.extend(value.map(|value| (what, format!("{:.1} {unit}", scale * value))));
    };
    add("cadence", report.cadence_per_min, 1.0, "steps/min");
    add("step width", report.step_width_m, 100.0, "cm");
    add("both feet down", report.double_support_share, 100.0, "%");
    let [length, time, stance] = report.asymmetry_percent;
    add("left over right, step", length, 1.0, "%");
    add("… its time", time, 1.0, "%");
    add("… stance", stance, 1.0, "%");
    let heights = report.centre_of_mass_m.iter().map(|it| f64::from(it[1]));
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), y| {
        (low.min(y), high.max(y))
    });
    if low <= high {
        let text = format!("{:.1} to {:.1} cm", 100.0 * low, 100.0 * high);
        lines.push(("centre of mass", text));
    }
    lines
}

fn feet_ui(ui: &mut Ui, feet: &[FootFigures]) {
    let cell = |value: Option<f64>, scale: f64, digits: usize| match value {
        Some(value) => format!("{:.digits$}", scale * value),
        None => "–".to_owned(),
    };
    if feet.len() != 2 {
        return;
    }
    egui::Grid::new("feet")
        .num_columns(3)
        .min_col_width(64.0)
        .show(ui, |ui| {
            ui.weak("");
            ui.weak("left");
            ui.weak("right");
            ui.end_row();
            type Row = (&'static str, fn(&FootFigures) -> Option<f64>, f64, usize);
            let rows: [Row; 5] = [
                ("step, cm", |it| it.step_length_m, 100.0, 1),
                ("stride, cm", |it| it.stride_length_m, 100.0, 1),
                ("step, s", |it| it.step_secs, 1.0, 2),
                ("stride, s", |it| it.stride_secs, 1.0, 2),
                ("stance, %", |it| it.stance_share, 100.0, 1),
            ];
            for (what, of, scale, digits) in rows {
                ui.weak(what);
                for foot in feet {
                    ui.label(cell(of(foot), scale, digits));
                }
                ui.end_row();
            }
        });
}
