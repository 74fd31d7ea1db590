//! Names of files, made of names that files bring along.

/// Bytes of a name: common file systems end at 255, and an ending and a number
/// are still to come.
const MOST_BYTES: usize = 120;

/// A name as the stem of a file in any folder of any system: it never leads
/// out of the folder, is never hidden, and never means a device or an option.
#[must_use]
pub fn safe_stem(name: &str) -> String {
    let safe = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() || is_invisible(c) => '_',
        c => c,
    };
    let mut stem: String = name.chars().map(safe).collect();
    let end = (0..=MOST_BYTES.min(stem.len())).rev();
    stem.truncate(
        end.into_iter()
            .find(|&at| stem.is_char_boundary(at))
            .unwrap_or(0),
    );
    let stem = stem.trim_matches(['.', ' ']);
    match stem {
        "" => "clip".to_owned(),
        stem if stem.starts_with('-') || is_device(stem) => format!("_{stem}"),
        stem => stem.to_owned(),
    }
}

/// Characters that change how others are shown, and are not seen themselves.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

/// What Windows takes for a device, whatever its ending.
fn is_device(stem: &str) -> bool {
    let first = stem.split('.').next().unwrap_or(stem).trim_end();
    let first = first.to_ascii_uppercase();
    let numbered = |port: &str| {
        let number = first.strip_prefix(port);
        number.is_some_and(|it| it.len() == 1 && it.as_bytes()[0].is_ascii_digit())
    };
    matches!(&*first, "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_becomes_a_harmless_one() {
        for (name, expected) in [
            ("walk", "walk"),
            ("Take 001", "Take 001"),
            ("v1.2 läuft", "v1.2 läuft"),
            ("a/b\\c:d", "a_b_c_d"),
            ("../../etc", "_.._etc"),
            ("..", "clip"),
            ("", "clip"),
            (".hidden. ", "hidden"),
            ("nul", "_nul"),
            ("Com1.txt", "_Com1.txt"),
            ("community", "community"),
            ("-rf", "_-rf"),
            ("a\u{1b}[2J\u{202e}b", "a_[2J_b"),
        ] {
            assert_eq!(safe_stem(name), expected, "{name:?}");
        }
        assert!(safe_stem(&"ä".repeat(500)).len() <= MOST_BYTES);
    }
}
