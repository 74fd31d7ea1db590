//! The page of `report`.

use super::{Figures, Measured, strip::strip};
use crate::{
    chart::{self, Band, Chart, Series, escaped},
    cli::page::{page, table},
};

pub(super) fn page_of(all: &[Measured]) -> String {
    let mut body = format!("<style>{}</style>\n", chart::STYLE);
    if all.len() > 1 {
        body.push_str(&overview(all));
    }
    for (index, measured) in all.iter().enumerate() {
        body.push_str(&motion(index, measured));
    }
    page("Motion report", &body)
}

fn overview(all: &[Measured]) -> String {
    let number = |value: Option<f64>, scale: f64| {
        value.map_or(String::new(), |value| format!("{:.1}", scale * value))
    };
    let row = |(index, measured): (usize, &Measured)| {
        let report = &measured.report;
        let stance = |foot: usize| report.feet.get(foot).and_then(|it| it.stance_share);
        let stride = report.feet.first().and_then(|it| it.stride_length_m);
        vec![
            format!(
                "<a href=\"#m{index}\">{}</a>",
                escaped(&measured.motion.label())
            ),
            format!("{:.1}", measured.motion.raw().duration_secs()),
            format!("{:.2}", report.speed_mps),
            report.steps.to_string(),
            number(report.cadence_per_min, 1.0),
            number(stride, 100.0),
            number(stance(0), 100.0),
            number(stance(1), 100.0),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().enumerate().map(row).collect();
    let headings = [
        "file",
        "seconds",
        "m/s",
        "steps",
        "steps/min",
        "stride, cm",
        "stance left, %",
        "stance right, %",
    ];
    table(&headings, &rows, 1)
}

fn motion(index: usize, measured: &Measured) -> String {
    let figures = Figures::of(measured);
    let name = escaped(&measured.motion.label());
    let lines = figures.lines().into_iter();
    let rows: Vec<Vec<String>> = lines
        .map(|(what, value)| vec![escaped(&what), escaped(&value)])
        .collect();
    let plots: String = charts(measured).iter().map(Chart::to_svg).collect();
    format!(
        "<h2 id=\"m{index}\">{name}</h2>\n<div class=\"plots\">{}</div>\n\
         <p class=\"quiet\">From the right of whoever moves; left limbs blue, right ones orange.</p>\n\
         {}<div class=\"plots\">{plots}</div>\n\
         <h3>How far every joint goes</h3>\n{}",
        strip(measured).to_svg(),
        table(&["", ""], &rows, 1),
        joints(measured)
    )
}

fn charts(measured: &Measured) -> Vec<Chart> {
    let report = &measured.report;
    let step = 1.0 / report.fps;
    let bands: Vec<Band> = { report.feet.iter().enumerate() }
        .flat_map(|(row, foot)| {
            let stance = move |&[start, end]: &[usize; 2]| Band {
                span: [start as f64 * step, end as f64 * step],
                row,
            };
            foot.stances.iter().map(stance)
        })
        .collect();
    let chart = |title: &str, unit: &str, series: Vec<Series>| Chart {
        title: title.to_owned(),
        x_label: "seconds; below: feet that are down, left above right".to_owned(),
        y_label: unit.to_owned(),
        series,
        bands: bands.clone(),
        ..Chart::default()
    };
    let centres = &report.centre_of_mass_m;
    if centres.is_empty() {
        return Vec::new();
    }
    let height = Series::even("", step, centres.iter().map(|it| f64::from(it[1])));
    let speed = Series::even("", step, speeds(centres, report.fps));
    vec![
        chart("Height of the centre of mass", "m", vec![height]),
        chart(
            "Speed of the centre of mass over the ground",
            "m/s",
            vec![speed],
        ),
    ]
}

/// Over the ground, from the frames a twentieth of a second before and after.
fn speeds(centres: &[[f32; 3]], fps: f64) -> Vec<f64> {
    let reach = ((fps / 20.0).round() as usize).max(1);
    let last = centres.len() - 1;
    let speed = |k: usize| {
        let (before, after) = (k.saturating_sub(reach), (k + reach).min(last));
        let [x, z] = [0, 2].map(|axis| f64::from(centres[after][axis] - centres[before][axis]));
        x.hypot(z) * fps / (after - before).max(1) as f64
    };
    (0..centres.len()).map(speed).collect()
}

/// Without decimals, and without the sign of what rounds to 0.
fn whole(value: f64) -> String {
    format!("{:.0}", value.round() + 0.0)
}

fn joints(measured: &Measured) -> String {
    let skeleton = measured.motion.skeleton();
    let row = |it: &crate::analysis::JointMotion| {
        let mut cells = vec![escaped(&skeleton.joints()[it.joint].name)];
        cells.extend(
            it.angles_deg
                .map(|[least, most]| format!("{} to {}", whole(least), whole(most))),
        );
        cells.push(format!("{:.0}", it.most_deg));
        cells.push(format!("{:.2}", it.way_m));
        cells.push(format!("{:.2}", it.top_mps));
        cells
    };
    let rows: Vec<Vec<String>> = measured.report.joints.iter().map(row).collect();
    let headings = [
        "joint",
        "about x, °",
        "about y, °",
        "about z, °",
        "most from rest, °",
        "way, m",
        "top speed, m/s",
    ];
    table(&headings, &rows, 1)
}
