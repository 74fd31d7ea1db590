//! Axes: which part of the numbers is shown, and which numbers are written.

/// The smallest and largest of finite values; `None` of none.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |extent, value| match extent {
        None => Some([value, value]),
        Some([low, high]) => Some([low.min(value), high.max(value)]),
    })
}

/// A span with some room in it, from 0 where nothing is below.
pub(super) fn roomy([low, high]: [f64; 2]) -> [f64; 2] {
    let low = if low >= 0.0 && low < 0.5 * high.abs() {
        0.0
    } else {
        low
    };
    match high - low {
        span if span > 1e-9 * high.abs().max(low.abs()).max(1e-9) => [low, high + 0.05 * span],
        // A constant gets a span of its own.
        _ => [low - 0.5, high + 0.5],
    }
}

/// Round numbers within a span, about `count` of them: 1, 2 or 5 times a power
/// of ten apart.
#[must_use]
pub fn ticks([low, high]: [f64; 2], count: usize) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let rough = span / count.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= 0.999 * rough);
    let step = step.unwrap_or(10.0 * power);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|i| i as f64 * step).collect()
}

/// One, two and five times the powers of ten within a span of logarithms; the
/// powers alone where those would be too many.
pub(super) fn log_ticks([low, high]: [f64; 2], count: usize) -> Vec<f64> {
    let powers = low.floor() as i32..=high.ceil() as i32;
    let all = |factors: &'static [f64]| {
        let powers = powers.clone().map(|power| 10f64.powi(power));
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        let inside = all.filter(|it| (low - 1e-9..=high + 1e-9).contains(&it.log10()));
        inside.collect::<Vec<f64>>()
    };
    let fine = all(&[1.0, 2.0, 5.0]);
    if fine.len() <= count {
        fine
    } else {
        all(&[1.0])
    }
}

/// As short as it can be written at the ticks' own distance.
pub(super) fn tick_text(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.starts_with('-') {
        true => text.replacen('-', "−", 1),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks([0.0, 10.0], 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks([-1.0, 1.2], 4), [-1.0, 0.0, 1.0]);
        assert_eq!(ticks([3.0, 3.0], 4), Vec::<f64>::new());
        assert_eq!(ticks([0.0, f64::NAN], 4), Vec::<f64>::new());
        assert_eq!(tick_text(0.5, 0.25), "0.5");
        assert_eq!(tick_text(-20.0, 10.0), "−20");
    }

    #[test]
    fn powers_of_ten_are_divided_where_there_is_room() {
        assert_eq!(log_ticks([0.0, 1.0], 5), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(log_ticks([-2.0, 1.1], 5), [0.01, 0.1, 1.0, 10.0]);
    }

    #[test]
    fn constants_and_nothing_have_an_axis() {
        assert_eq!(roomy([2.0, 2.0]), [1.5, 2.5]);
        assert_eq!(roomy([0.0, 0.0]), [-0.5, 0.5]);
        assert_eq!(roomy([1.0, 10.0])[0], 0.0);
        assert_eq!(extent([f64::NAN].into_iter()), None);
    }
}
