//! Seeded mutations of texts, for the readers' fuzz tests.

use std::path::PathBuf;

pub use kinetoscope::testing::Random;

/// Inputs are cut to this many bytes.
pub const LARGEST_INPUT: usize = 64 * 1024;

/// One to six changes, some of them words that have broken parsers before.
pub fn mutate(seed: &[u8], other: &[u8], words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] = random.bits() as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.splice(at..at, words[random.below(words.len())].bytes())),
            3 => drop(bytes.drain(random.range(bytes.len()))),
            4 => {
                let range = random.range(bytes.len().min(4096));
                let copy = bytes[range].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let range = random.range(other.len());
                bytes.splice(at..at, other[range].iter().copied());
            }
            6 => bytes.truncate(at),
            7 => replace_word(&mut bytes, at, words, random),
            _ => drop_line(&mut bytes, at),
        }
        bytes.truncate(LARGEST_INPUT);
    }
    bytes
}

fn replace_word(bytes: &mut Vec<u8>, at: usize, words: &[&str], random: &mut Random) {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = bytes[..at].iter().rposition(blank).map_or(0, |i| i + 1);
    let end = bytes[at..]
        .iter()
        .position(blank)
        .map_or(bytes.len(), |i| at + i);
    bytes.splice(start..end, words[random.below(words.len())].bytes());
}

fn drop_line(bytes: &mut Vec<u8>, at: usize) {
    let start = bytes[..at]
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |i| i + 1);
    let end = bytes[at..]
        .iter()
        .position(|&b| b == b'\n')
        .map_or(bytes.len(), |i| at + i + 1);
    bytes.drain(start..end);
}

/// Our fixtures, and heads, middles and tails of real captures.
pub fn seeds(ending: &str, more: impl IntoIterator<Item = PathBuf>) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")];
    folders.extend(more);
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                let bytes = std::fs::read(path).unwrap();
                let size = bytes.len().min(LARGEST_INPUT / 4);
                seeds.push(bytes[..size].to_vec());
                seeds.push(bytes[bytes.len() - size..].to_vec());
                seeds.push([&bytes[..size / 2], &bytes[bytes.len() - size / 2..]].concat());
            }
        }
    }
    seeds.retain(|seed| !seed.is_empty());
    seeds
}
