//! What is remembered between runs: one RON file, written to a temporary name
//! and renamed. A file that cannot be understood is left where it is under
//! another name, and defaults apply.

use std::{
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{SessionError, choices::FileChoice};
use crate::{
    load,
    output::{self, OutputError},
    ron_text,
    scene::{Display, OutOfRange},
    ui::PanelState,
};

const VERSION: u32 = 1;
const FILE: &str = "settings.ron";
/// Recent files kept.
const RECENT: usize = 12;

/// Everything remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewerSettings {
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
    /// How files are read where the user chose it.
    pub files: Vec<FileChoice>,
}

impl Default for ViewerSettings {
    fn default() -> Self {
        Self {
            version: VERSION,
            display: Display::default(),
            panels: PanelState::default(),
            recent: Vec::new(),
            window: None,
            files: Vec::new(),
        }
    }
}

impl ViewerSettings {
    /// Puts a path at the head of the recent ones.
    pub fn remember(&mut self, path: &Path) {
        // The next run may begin in another folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(RECENT);
    }
}

/// Points a side that a window may open with; beyond them lies no screen, and
/// window systems count in 16 bits.
const WINDOW_WIDTH: RangeInclusive<f64> = 320.0..=16384.0;
const WINDOW_HEIGHT: RangeInclusive<f64> = 240.0..=16384.0;

impl ViewerSettings {
    /// Puts every value that is out of range back to its default; says which
    /// and where.
    fn mend(&mut self, path: &Path, text: &str) -> Option<String> {
        let mut found = self.display.mend();
        let fits = |(width, height): (f64, f64)| {
            WINDOW_WIDTH.contains(&width) && WINDOW_HEIGHT.contains(&height)
        };
        if let Some(size) = self.window.take_if(|size| !fits(*size)) {
            found.push(OutOfRange {
                field: "window",
                message: format!(
                    "{size:?} is no size of a window; 320 by 240 to 16384 by 16384 points are"
                ),
            });
        }
        let told = |it: &OutOfRange| {
            let line = ron_text::line_of_field(text, it.field);
            format!("line {line}: {}: {}", it.field, it.message)
        };
        let told: Vec<String> = found.iter().map(told).collect();
        (!told.is_empty()).then(|| format!("{}: {}", path.display(), told.join("; ")))
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
pub fn read(folder: &Path) -> (ViewerSettings, Option<String>) {
    let path = folder.join(FILE);
    // The first run has none, and nothing to say about it.
    if !path.exists() {
        return (ViewerSettings::default(), None);
    }
    let text = match load::read_text(&path) {
        Ok(text) => text,
        Err(error) => {
            let remark = format!("{error}; default settings apply");
            return (ViewerSettings::default(), Some(remark));
        }
    };
    match ron_text::read::<ViewerSettings>(&text) {
        Ok(mut settings) if settings.version == VERSION => {
            let remark = settings.mend(&path, &text);
            (settings, remark)
        }
        Ok(settings) => {
            let reason = format!("it is of version {}", settings.version);
            (ViewerSettings::default(), Some(set_aside(&path, &reason)))
        }
        Err(error) => (
            ViewerSettings::default(),
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
pub fn write(folder: &Path, settings: &ViewerSettings) -> Result<(), SessionError> {
    let text = ron::ser::to_string_pretty(settings, ron::ser::PrettyConfig::default())?;
    let path = folder.join(FILE);
    fs::create_dir_all(folder).map_err(|source| OutputError {
        path: path.clone(),
        source,
    })?;
    Ok(output::write(&path, text.as_bytes())?)
}

/// Forgets everything.
pub fn reset(folder: &Path) {
    // Nothing to forget is as good.
    let _ = fs::remove_file(folder.join(FILE));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        scene::{CameraMode, Shading, ThemeChoice},
        testing::Random,
        ui::{AnimatorPage, CompressionPlot, JointPage, Section},
    };

    #[test]
    fn settings_come_back_and_recent_files_stay_unique() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = ViewerSettings::default();
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
        assert_eq!(read(folder.path()), (ViewerSettings::default(), None));
    }

    #[test]
    fn a_broken_or_foreign_file_gives_defaults_and_says_so() {
        for text in ["(version: 1, display: oops", "(version: 99)", "\u{0}"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), text).unwrap();
            let (settings, remark) = read(folder.path());
            assert_eq!(settings, ViewerSettings::default());
            assert!(remark.unwrap().contains(FILE), "{text}");
            assert!(folder.path().join("settings.ron.broken").exists());
            // Said once: the second start is quiet.
            assert_eq!(read(folder.path()).1, None);
        }
    }

    fn read_remarked(text: &str) -> (ViewerSettings, String) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), text).unwrap();
        let (settings, remark) = read(folder.path());
        (settings, remark.unwrap_or_default())
    }

    #[test]
    fn a_window_of_no_possible_size_opens_with_the_default() {
        for size in [
            "(1e30, -5.0)",
            "(70000.0, 800.0)",
            "(NaN, 800.0)",
            "(1280.0, inf)",
            "(0.0, 0.0)",
        ] {
            let text = format!("(version: 1,\n window: Some({size}),\n panels: (side: false))");
            let (settings, remark) = read_remarked(&text);
            assert_eq!(settings.window, None, "{size}");
            assert!(!settings.panels.side, "the rest stays");
            assert!(remark.contains(FILE), "{remark}");
            assert!(remark.contains("line 2: window: ("), "{remark}");
        }
        let (settings, remark) = read_remarked("(version: 1, window: Some((320.0, 16384.0)))");
        assert_eq!(settings.window, Some((320.0, 16384.0)));
        assert_eq!(remark, "");
    }

    #[test]
    fn numbers_out_of_range_are_defaults_and_named() {
        let text = "(version: 1, display: (bones: true, ghosts: 4000000000, fov_deg: NaN,\n\
                    light_strength: 1e30, ghost_step_secs: -1.0,\n\
                    material: (colour: (0.5, inf, 0.5), shininess: 0.0)))";
        let (settings, remark) = read_remarked(text);
        let plain = Display::default();
        let display = Display {
            bones: true,
            material: crate::scene::SkinMaterial {
                colour: [0.5, plain.material.colour[1], 0.5],
                ..plain.material
            },
            ..plain
        };
        assert_eq!(settings.display, display);
        for part in [
            "line 1: ghosts: 4000000000 does not lie between 0 and 8; 0 applies",
            "line 1: fov_deg: NaN does not lie between 12 and 90; 36 applies",
            "line 2: light_strength",
            "line 2: ghost_step_secs: -1 ",
            "line 3: colour: inf ",
            "line 3: shininess: 0 ",
        ] {
            assert!(remark.contains(part), "{part:?} is missing in {remark}");
        }
    }

    /// A number for every one of the file: whatever it says, the window opens.
    #[test]
    fn no_number_of_a_settings_file_does_harm() {
        let cases = std::env::var("KINETOSCOPE_FUZZ_CASES").ok();
        let cases: u64 = cases.map_or(300, |cases| cases.parse().unwrap());
        for case in 0..cases {
            let mut random = Random::new(case);
            let mut wild = || match random.below(4) {
                0 => ["NaN", "inf", "-inf", "1e999"][random.below(4)].to_owned(),
                _ => format!("{:e}", random.wild()),
            };
            let (display, material) = (
                format!(
                    "fov_deg: {}, ghost_step_secs: {}, light_turn_deg: {}, \
                     light_strength: {}, fill_strength: {}",
                    wild(),
                    wild(),
                    wild(),
                    wild(),
                    wild()
                ),
                format!("ambient: {}, shininess: {}", wild(), wild()),
            );
            let window = format!("window: Some(({}, {}))", wild(), wild());
            let text =
                format!("(version: 1, display: ({display}, material: ({material})), {window})");
            let (mut settings, _) = read_remarked(&text);
            assert_eq!(settings.display.mend(), [], "{text}");
            let size = settings.window.unwrap_or((320.0, 240.0));
            assert!((320.0..=16384.0).contains(&size.0), "{text}");
            assert!((240.0..=16384.0).contains(&size.1), "{text}");
        }
    }

    #[test]
    fn a_folder_in_the_place_of_settings_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(FILE)).unwrap();
        let (settings, remark) = read(folder.path());
        assert_eq!(settings, ViewerSettings::default());
        assert!(remark.unwrap().contains("a folder, not a file"));
    }

    #[test]
    fn fields_of_a_newer_program_are_ignored_and_missing_ones_default() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "(version: 1, colour_of_hat: 3)").unwrap();
        let (settings, remark) = read(folder.path());
        assert_eq!((settings, remark), (ViewerSettings::default(), None));
    }

    /// What version 0.1 wrote, no field at its default.
    const OF_0_1: &str = include_str!("../../tests/fixtures/compat/0.1/settings.ron");

    fn read_text(text: &str) -> ViewerSettings {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), text).unwrap();
        let (settings, remark) = read(folder.path());
        assert_eq!(remark, None);
        settings
    }

    #[test]
    fn display_options_of_0_1_are_read() {
        let display = read_text(OF_0_1).display;
        let on = [
            display.bones,
            display.names,
            display.axes,
            display.trajectory,
            display.original_ghost,
            display.error_colours,
        ];
        let off = [
            display.skin,
            display.ground,
            display.shadows,
            display.occlusion,
        ];
        assert_eq!((on, off), ([true; 6], [false; 4]));
        assert_eq!((display.ghosts, display.ghost_step_secs), (3, 0.125));
        assert_eq!(
            (display.camera, display.fov_deg),
            (CameraMode::TurnAlong, 50.0)
        );
        assert_eq!(
            (display.theme, display.light),
            (ThemeChoice::Light, Shading::BlinnPhong)
        );
        let light = [
            display.light_azimuth_deg,
            display.light_strength,
            display.fill_strength,
        ];
        assert_eq!(light, [-30.0, 1.5, 0.5]);
        let material = display.material;
        assert_eq!(material.colour, [0.75, 0.5, 0.25]);
        assert_eq!(
            [material.ambient, material.specular, material.shininess],
            [0.2, 0.3, 48.0]
        );
    }

    #[test]
    fn panels_files_and_window_of_0_1_are_read() {
        let settings = read_text(OF_0_1);
        let panels = settings.panels;
        assert_eq!((panels.side, panels.hint_seen), (false, true));
        let later = [
            Section::Blend,
            Section::Registration,
            Section::Pose,
            Section::Check,
        ];
        let of_0_1 = |it: &Section| !later.contains(it);
        let all: Vec<Section> = Section::ALL.into_iter().filter(of_0_1).collect();
        assert_eq!(panels.sections, all);
        assert_eq!(panels.compression_plot, CompressionPlot::Codecs);
        assert_eq!(panels.animator_page, AnimatorPage::Mask);
        assert_eq!(panels.joint_page, JointPage::Angles);
        let recent = ["/motions/walk.amc", "/motions/dance.bvh"].map(PathBuf::from);
        assert_eq!(settings.recent, recent);
        assert_eq!(settings.window, Some((1440.0, 900.0)));
    }

    #[test]
    fn every_choice_that_0_1_could_write_is_read_and_is_another() {
        for (field, written, choices) in [
            ("camera", "TurnAlong", &["Follow", "TurnAlong", "Still"][..]),
            ("theme", "Light", &["System", "Dark", "Light"]),
            ("light", "BlinnPhong", &["Studio", "Phong", "BlinnPhong"]),
            ("compression_plot", "Codecs", &["Time", "Joints", "Codecs"]),
            (
                "animator_page",
                "Mask",
                &["Graph", "Inputs", "Blend", "Mask", "Events"],
            ),
            ("joint_page", "Angles", &["Values", "Angles", "Places"]),
        ] {
            let old = format!("{field}: {written},");
            assert!(OF_0_1.contains(&old), "{old}");
            let with = |choice| read_text(&OF_0_1.replace(&old, &format!("{field}: {choice},")));
            let mut found: Vec<ViewerSettings> = choices.iter().map(with).collect();
            found.dedup();
            assert_eq!(found.len(), choices.len(), "{field}");
        }
    }
}
