//! What is remembered between runs: one RON file, written to a temporary name
//! and renamed. A file that cannot be understood is left where it is under
//! another name, and defaults apply.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    ron_text,
    ui::{Display, PanelState},
};

const VERSION: u32 = 1;
const FILE: &str = "settings.ron";
/// Recent files kept.
const RECENT: usize = 12;

/// Everything remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Of the file's layout.
    pub version: u32,
    /// Display options.
    pub display: Display,
    /// Panels.
    pub panels: PanelState,
    /// Newest first.
    pub recent: Vec<PathBuf>,
    /// Size of the window in points.
    pub window: Option<(f64, f64)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: VERSION,
            display: Display::default(),
            panels: PanelState::default(),
            recent: Vec::new(),
            window: None,
        }
    }
}

impl Settings {
    /// Puts a path at the head of the recent ones.
    pub fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }
}

/// Where settings live on this system; `None` where there is no home.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "kinetoscope")?;
    Some(dirs.config_dir().to_path_buf())
}

/// Reads settings, with a remark when they could not be understood.
#[must_use]
pub fn read(folder: &Path) -> (Settings, Option<String>) {
    let path = folder.join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return (Settings::default(), None);
        }
        Err(error) => return (Settings::default(), Some(unread(&path, &error.to_string()))),
    };
    match ron_text::read::<Settings>(&text) {
        Ok(settings) if settings.version == VERSION => (settings, None),
        Ok(settings) => {
            let reason = format!("it is of version {}", settings.version);
            (Settings::default(), Some(set_aside(&path, &reason)))
        }
        Err(error) => (
            Settings::default(),
            Some(set_aside(&path, &error.to_string())),
        ),
    }
}

fn unread(path: &Path, reason: &str) -> String {
    format!("{}: {reason}; default settings apply", path.display())
}

fn set_aside(path: &Path, reason: &str) -> String {
    // Best effort: the next save would otherwise overwrite what can be mended.
    let _ = fs::rename(path, path.with_extension("ron.broken"));
    unread(path, reason)
}

/// Writes settings.
pub fn write(folder: &Path, settings: &Settings) -> Result<(), String> {
    let text = ron::ser::to_string_pretty(settings, ron::ser::PrettyConfig::default())
        .map_err(|error| error.to_string())?;
    let path = folder.join(FILE);
    fs::create_dir_all(folder)
        .and_then(|()| write_atomically(&path, text.as_bytes()))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Forgets everything.
pub fn reset(folder: &Path) {
    // Nothing to forget is as good.
    let _ = fs::remove_file(folder.join(FILE));
}

/// Writes to a temporary name in the same folder, then renames.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(name);
    fs::write(&temporary, bytes)?;
    fs::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_recent_files_stay_unique() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::default();
        settings.display.bones = true;
        settings.window = Some((1280.0, 800.0));
        for name in ["a.amc", "b.amc", "a.amc"] {
            settings.remember(Path::new("/x").join(name).as_path());
        }
        assert_eq!(settings.recent.len(), 2);
        assert!(settings.recent[0].ends_with("a.amc"));
        write(folder.path(), &settings).unwrap();
        assert_eq!(read(folder.path()), (settings, None));
        reset(folder.path());
        assert_eq!(read(folder.path()), (Settings::default(), None));
    }

    #[test]
    fn a_broken_or_foreign_file_gives_defaults_and_says_so() {
        for text in ["(version: 1, display: oops", "(version: 99)", "\u{0}"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), text).unwrap();
            let (settings, remark) = read(folder.path());
            assert_eq!(settings, Settings::default());
            assert!(remark.unwrap().contains(FILE), "{text}");
            assert!(folder.path().join("settings.ron.broken").exists());
            // Said once: the second start is quiet.
            assert_eq!(read(folder.path()).1, None);
        }
    }

    #[test]
    fn fields_of_a_newer_program_are_ignored_and_missing_ones_default() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "(version: 1, colour_of_hat: 3)").unwrap();
        let (settings, remark) = read(folder.path());
        assert_eq!((settings, remark), (Settings::default(), None));
    }
}
