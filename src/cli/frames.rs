//! Frames as they are named on the command line: every command answers alike.

use std::ops::Range;

use super::Failure;

/// First and past-the-last frame, as `0..120`.
pub(super) fn parse_range(text: &str) -> Result<Range<usize>, String> {
    let problem = || format!("{text:?} is not a range such as 0..120");
    let (first, end) = text.split_once("..").ok_or_else(problem)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| problem());
    let range = number(first)?..number(end)?;
    if range.is_empty() {
        return Err(format!("{text:?} holds no frame"));
    }
    Ok(range)
}

/// Refuses a frame that is not there.
pub(super) fn check(frame: usize, available: usize, name: &str) -> Result<(), Failure> {
    if frame < available {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "frame {frame} does not exist: {name} has {available} frames, 0 to {}",
        available.saturating_sub(1)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_at_least_one_frame() {
        assert_eq!(parse_range("3..7"), Ok(3..7));
        for text in ["7..7", "10..5", "-1..4", "5..", "..5", "a..b", "5"] {
            assert!(parse_range(text).is_err(), "{text}");
        }
    }
}
