//! Whether a picture fits the memory that is left, asked before anything is
//! read or drawn.

use std::fs;

use super::super::Failure;

/// Bytes a pixel: the target, its copy to be read back, the picture in memory,
/// the packed rows of its file.
const PICTURE_BYTES: u64 = 4 * 4;
/// Bytes a pixel of the foreground, once resolved.
const FOREGROUND_BYTES: u64 = 4;
/// Bytes a sample: colour and depth.
const SAMPLE_BYTES: u64 = 4 + 4;

/// Refuses a picture that memory cannot hold. On a graphics card part of it
/// lies there; without one all of it is ours, and that is what is reckoned.
pub(super) fn check(size: [u32; 2], samples: u32) -> Result<(), Failure> {
    check_within(size, samples, available_bytes())
}

fn check_within(size: [u32; 2], samples: u32, available: Option<u64>) -> Result<(), Failure> {
    let [width, height] = size;
    let pixels = u64::from(width) * u64::from(height);
    let each = PICTURE_BYTES + FOREGROUND_BYTES + SAMPLE_BYTES * u64::from(samples);
    let needs = pixels.saturating_mul(each);
    match available {
        Some(available) if needs > available => Err(Failure::Usage(format!(
            "--size {width}x{height} needs {} MB of memory, and {} MB are free; \
             ask for a smaller picture or fewer --samples",
            needs / 1_000_000,
            available / 1_000_000,
        ))),
        _ => Ok(()),
    }
}

/// What the system says it could still give, where it says so; less where a
/// container allows less.
fn available_bytes() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    let container = number("/sys/fs/cgroup/memory.max").map(|most| {
        let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        most.saturating_sub(used)
    });
    Some(container.unwrap_or(u64::MAX).min(kib << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_takes_what_it_needs_and_no_more() {
        // 1280 × 720 at four samples: 52 bytes a pixel.
        let needs = 1280 * 720 * 52;
        assert!(check_within([1280, 720], 4, Some(needs)).is_ok());
        let refused = check_within([1280, 720], 4, Some(needs - 1)).unwrap_err();
        assert_eq!(refused.exit_code(), 2);
        let told = refused.to_string();
        assert!(told.contains("--size 1280x720 needs 47 MB"), "{told}");
        assert!(check_within([1280, 720], 4, None).is_ok(), "nobody knows");
        assert!(check_within([u32::MAX, u32::MAX], 4, Some(1 << 40)).is_err());
    }
}
