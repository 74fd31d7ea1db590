//! What the user chose for a file instead of what was found in it: unit, up
//! axis, rate, fingers, skeleton. Remembered between runs, newest first.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{load::LoadOptions, ui::ImportOverrides};

/// Files whose choices are kept.
const KEPT: usize = 200;

/// How one file is to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadChoice {
    /// Instead of what the file says or leaves open.
    pub overrides: ImportOverrides,
    /// The skeleton a motion plays on.
    pub skeleton: Option<PathBuf>,
}

/// A choice as settings keep it. Words instead of types, so that a later
/// version's unit is no fault of the whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileChoice {
    /// The file, from the root on.
    pub path: PathBuf,
    /// Frames a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fps: Option<f64>,
    /// Unit of length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The axis that points up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
    /// Fingers are held at rest.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore_fingers: bool,
    /// The skeleton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skeleton: Option<PathBuf>,
}

impl FileChoice {
    fn new(path: PathBuf, choice: &ReadChoice) -> Self {
        let ImportOverrides {
            fps,
            unit,
            up,
            ignore_fingers,
        } = choice.overrides;
        let skeleton = choice.skeleton.as_deref();
        Self {
            path,
            fps,
            unit: unit.map(|it| it.to_string()),
            up: up.map(|it| it.to_string()),
            ignore_fingers,
            skeleton: skeleton.map(absolute),
        }
    }

    /// Words that mean nothing here are left out.
    fn to_read(&self) -> ReadChoice {
        ReadChoice {
            overrides: ImportOverrides {
                fps: self.fps.filter(|fps| (1e-3..=1e5).contains(fps)),
                unit: self.unit.as_ref().and_then(|it| it.parse().ok()),
                up: self.up.as_ref().and_then(|it| it.parse().ok()),
                ignore_fingers: self.ignore_fingers,
            },
            skeleton: self.skeleton.clone().filter(|it| it.is_file()),
        }
    }
}

/// All choices.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// For the files of the command line, before anything remembered.
    pub given: ImportOverrides,
    /// Newest first.
    pub remembered: Vec<FileChoice>,
}

impl Choices {
    /// How a file is to be read.
    #[must_use]
    pub fn of(&self, path: &Path) -> ReadChoice {
        let path = absolute(path);
        let known = self.remembered.iter().find(|it| it.path == path);
        let mut choice = known.map(FileChoice::to_read).unwrap_or_default();
        let (given, own) = (self.given, &mut choice.overrides);
        own.fps = given.fps.or(own.fps);
        own.unit = given.unit.or(own.unit);
        own.up = given.up.or(own.up);
        choice
    }

    /// Keeps a choice; one that chooses nothing is forgotten.
    pub fn remember(&mut self, path: &Path, choice: &ReadChoice) {
        let path = absolute(path);
        self.remembered.retain(|it| it.path != path);
        if *choice != ReadChoice::default() {
            self.remembered.insert(0, FileChoice::new(path, choice));
            self.remembered.truncate(KEPT);
        }
    }
}

/// The next run may begin in another folder.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// How files are read with what the user said of them.
#[must_use]
pub fn load_options(overrides: ImportOverrides) -> LoadOptions {
    let mut options = LoadOptions::default();
    (options.skeleton.unit, options.motion.fps) = (overrides.unit, overrides.fps);
    options.skeleton.up = overrides.up;
    options.ignore_fingers = overrides.ignore_fingers;
    options
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{LengthUnit, UpAxis};

    #[test]
    fn choices_are_kept_by_file_and_the_command_line_goes_first() {
        let mut choices = Choices::default();
        let chosen = ReadChoice {
            overrides: ImportOverrides {
                fps: Some(60.0),
                unit: Some(LengthUnit::Metre),
                up: Some(UpAxis::Z),
                ignore_fingers: true,
            },
            skeleton: None,
        };
        let file = Path::new("/x/walk.bvh");
        choices.remember(file, &chosen);
        assert_eq!(choices.of(file), chosen);
        assert_eq!(choices.of(Path::new("/x/run.bvh")), ReadChoice::default());
        choices.given.up = Some(UpAxis::Y);
        assert_eq!(choices.of(file).overrides.up, Some(UpAxis::Y));
        assert_eq!(choices.of(file).overrides.fps, Some(60.0));
        choices.remember(file, &ReadChoice::default());
        assert!(choices.remembered.is_empty(), "as found is forgotten");
        for index in 0..300 {
            choices.remember(Path::new(&format!("/x/{index}.bvh")), &chosen);
        }
        assert_eq!(choices.remembered.len(), KEPT);
        assert!(choices.remembered[0].path.ends_with("299.bvh"));
    }

    #[test]
    fn words_of_other_versions_and_skeletons_that_are_gone_are_left_out() {
        let odd = FileChoice {
            fps: Some(f64::NAN),
            unit: Some("furlong".into()),
            up: Some("w".into()),
            skeleton: Some("/nowhere/at/all.asf".into()),
            ..FileChoice::default()
        };
        assert_eq!(odd.to_read(), ReadChoice::default());
    }
}
