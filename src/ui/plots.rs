//! What all plots of the panels have in common: their size, their axes with
//! units, and that they belong to the panel, not to the pointer's wheel.

use egui::Rangef;
use egui_plot::{AxisHints, GridInput, GridMark, HoverPosition, Plot};

/// Points a curve is thinned to: more than the panel has pixels.
pub const MOST_POINTS: usize = 320;

/// Points from one number of an axis to the next: none at the first, full ink
/// from the second. A small plot has numbers too.
const X_SPACING: Rangef = Rangef {
    min: 32.0,
    max: 40.0,
};
const Y_SPACING: Rangef = Rangef {
    min: 14.0,
    max: 18.0,
};

/// A plot that fills the panel's width. `x` and `y` write the numbers of the
/// axes and of the hint under the pointer.
pub fn plot<'a>(
    id: &str,
    height: f32,
    x: impl Fn(f64) -> String + Copy + 'a,
    y: impl Fn(f64) -> String + Copy + 'a,
) -> Plot<'a> {
    Plot::new(id)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .show_background(false)
        .x_grid_spacer(even_marks)
        .y_grid_spacer(even_marks)
        .custom_x_axes(vec![
            AxisHints::new_x()
                .formatter(move |mark, _| x(mark.value))
                .label_spacing(X_SPACING),
        ])
        .custom_y_axes(vec![
            AxisHints::new_y()
                .formatter(move |mark, _| y(mark.value))
                .label_spacing(Y_SPACING)
                // All plots begin at the same x, whatever their numbers.
                .min_thickness(48.0),
        ])
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => Some(format!("{plot_name}\n{}, {}", x(position.x), y(position.y))),
            HoverPosition::Elsewhere { .. } => None,
        })
}

/// A handful of lines at round numbers.
#[allow(clippy::needless_pass_by_value)] // the plot asks for it so
fn even_marks(input: GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let step_size = round_step((high - low) / 4.0);
    let numbers = (low / step_size).ceil() as i64..=(high / step_size).floor() as i64;
    let mark = |number: i64| GridMark {
        value: number as f64 * step_size,
        step_size,
    };
    numbers.take(16).map(mark).collect()
}

/// 1, 2 or 5 times a power of ten, near and not below what is asked for.
fn round_step(wanted: f64) -> f64 {
    if !(wanted.is_finite() && wanted > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(wanted.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let enough = steps.into_iter().find(|step| *step >= wanted * 0.999);
    enough.unwrap_or(10.0 * power)
}

/// The largest of every stretch, so that no peak is lost: (time, value).
#[must_use]
pub fn peaks(values: impl ExactSizeIterator<Item = f32>, fps: f64) -> Vec<[f64; 2]> {
    let stride = values.len().div_ceil(MOST_POINTS).max(1);
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (index, value) in values.enumerate() {
        match points.last_mut() {
            Some(last) if index % stride != 0 => last[1] = last[1].max(f64::from(value)),
            _ => points.push([index as f64 / fps, f64::from(value)]),
        }
    }
    points
}

/// Seconds on an axis.
#[must_use]
pub fn secs(value: f64) -> String {
    format!("{} s", short(value))
}

/// A number with no more digits than it needs.
#[must_use]
pub fn short(value: f64) -> String {
    let digits = match value.abs() {
        0.0..0.01 => 4,
        0.01..0.1 => 3,
        0.1..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        let trimmed = text.trim_end_matches('0').trim_end_matches('.');
        return if trimmed == "-0" { "0" } else { trimmed }.to_owned();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_peak_and_its_time() {
        let mut values = vec![0.0; 10_000];
        values[7777] = 5.0;
        let points = peaks(values.into_iter(), 100.0);
        assert!(points.len() <= MOST_POINTS);
        let top = points.iter().find(|point| point[1] == 5.0).unwrap();
        assert_close!(top[0], 77.77, 0.33, "{top:?}");
    }

    #[test]
    fn lines_stand_at_few_round_numbers() {
        for (bounds, first, step) in [
            ((0.0, 0.09), 0.0, 0.05),
            ((-0.2, 4.2), 0.0, 2.0),
            ((0.9, 1.1), 0.9, 0.05),
        ] {
            let input = GridInput {
                bounds,
                base_step_size: 1.0,
            };
            let marks = even_marks(input);
            assert!((2..=6).contains(&marks.len()), "{marks:?}");
            assert_close!(marks[0].value, first, 1e-9, "{marks:?}");
            assert_close!(marks[0].step_size, step, 1e-9, "{marks:?}");
        }
        assert_eq!([round_step(0.0), round_step(f64::NAN)], [1.0; 2]);
    }

    #[test]
    fn numbers_are_short() {
        let all = [0.0, 0.05, 1.50, 12.0, 250.0, -0.00001].map(short);
        assert_eq!(all, ["0", "0.05", "1.5", "12", "250", "0"]);
    }
}
