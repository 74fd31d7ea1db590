//! Paths in the clipboard.

use std::path::PathBuf;

use super::Session;
use crate::ui::Severity;

impl Session {
    /// Opens what a text names: one path a line, `file://` understood.
    pub fn open_text(&mut self, text: &str) {
        let paths: Vec<PathBuf> = text
            .lines()
            .map(|line| line.trim().trim_matches('"'))
            .filter(|line| !line.is_empty())
            .map(path_of_line)
            .collect();
        if paths.is_empty() {
            self.tell(Severity::Warning, "The clipboard holds no path");
        }
        self.open(paths);
    }
}

/// A path as it is, or a `file://` address, in which odd characters are written
/// as their bytes: `%20` for a blank.
fn path_of_line(line: &str) -> PathBuf {
    let Some(address) = line.strip_prefix("file://") else {
        return PathBuf::from(line);
    };
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_addresses_name_the_file_they_mean() {
        for (line, path) in [
            ("/a b/c.bvh", "/a b/c.bvh"),
            ("file:///a%20b/c.bvh", "/a b/c.bvh"),
            ("file:///a/%C3%BCber.amc", "/a/\u{fc}ber.amc"),
            ("file:///100%/x", "/100%/x"),
        ] {
            assert_eq!(path_of_line(line), PathBuf::from(path), "{line}");
        }
    }
}
