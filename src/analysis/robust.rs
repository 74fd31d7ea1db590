//! Statistics that a few wild values do not move.

/// The value that `share` of all lie below, by rank; 0 of none.
pub(crate) fn ranked(values: &mut [f32], share: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let rank = ((values.len() - 1) as f32 * share).round() as usize;
    *values.select_nth_unstable_by(rank, f32::total_cmp).1
}

/// The middle of them; 0 of none.
pub(crate) fn median(values: &mut [f32]) -> f32 {
    ranked(values, 0.5)
}

/// Runs of indices that `is` holds of, first and past-the-last.
pub(crate) fn runs(count: usize, is: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for index in (0..count).filter(|&index| is(index)) {
        match runs.last_mut() {
            Some(run) if run.end == index => run.end += 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_the_sorted_values() {
        let mut values = [5.0, 1.0, 900.0, 3.0, 2.0];
        assert_eq!(median(&mut values), 3.0);
        assert_eq!(ranked(&mut values, 1.0), 900.0);
        assert_eq!(ranked(&mut values, 0.0), 1.0);
        assert_eq!(median(&mut []), 0.0);
    }

    #[test]
    fn runs_are_whole() {
        let marks = [true, true, false, true];
        assert_eq!(runs(4, |i| marks[i]), [0..2, 3..4]);
        assert!(runs(0, |_| true).is_empty());
    }
}
