//! What the export dialog is set to.

use std::path::{Path, PathBuf};

use crate::convert::{ConvertOptions, Format};

/// Films that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Film {
    /// An animated GIF.
    Gif,
    /// MPEG-4, by an encoder of the system.
    Mp4,
    /// WebM, likewise.
    WebM,
    /// A folder of numbered PNG files.
    Pictures,
}

impl Film {
    /// Of its files, without the dot.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Mp4 => "mp4",
            Self::WebM => "webm",
            Self::Pictures => "frames",
        }
    }

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Mp4 => "MP4",
            Self::WebM => "WebM",
            Self::Pictures => "PNG frames",
        }
    }

    /// Pictures a second unless others are asked for; a GIF counts in
    /// hundredths, which 25 divides.
    #[must_use]
    pub fn usual_fps(self) -> f64 {
        match self {
            Self::Gif => 25.0,
            Self::Mp4 | Self::WebM | Self::Pictures => 30.0,
        }
    }
}

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// The clip that is shown, on whoever plays it.
    Motion(Format),
    /// The moment that is shown.
    Picture,
    /// One pass over the range.
    Film(Film),
}

impl ExportKind {
    /// In the order they are offered.
    pub const PICTURES: [Self; 5] = [
        Self::Picture,
        Self::Film(Film::Gif),
        Self::Film(Film::Mp4),
        Self::Film(Film::WebM),
        Self::Film(Film::Pictures),
    ];

    /// Of its files, without the dot.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Motion(format) => format.ending(),
            Self::Picture => "png",
            Self::Film(film) => film.ending(),
        }
    }

    /// The word on the button.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            Self::Motion(format) => format.ending().to_uppercase(),
            Self::Picture => "PNG".to_owned(),
            Self::Film(film) => film.word().to_owned(),
        }
    }
}

/// The dialog, while it is open.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportDialog {
    /// What is written.
    pub kind: ExportKind,
    /// Of motions.
    pub options: ConvertOptions,
    /// Pixels of pictures and films.
    pub size: [u32; 2],
    /// Pictures a second of films.
    pub fps: f64,
    /// As typed.
    pub path: String,
    /// Who gave leave to write over what is there.
    pub replace: bool,
}

impl ExportDialog {
    /// Sizes that can be asked for, pixels a side.
    pub const SIDES: std::ops::RangeInclusive<u32> = 64..=4096;

    /// A motion as a file of `folder`, called `stem`.
    #[must_use]
    pub fn new(folder: &Path, stem: &str) -> Self {
        let kind = ExportKind::Motion(Format::Bvh);
        let path = folder.join(format!("{stem}.{}", kind.ending()));
        Self {
            kind,
            options: ConvertOptions::default(),
            size: [1280, 720],
            fps: Film::Mp4.usual_fps(),
            path: path.display().to_string(),
            replace: false,
        }
    }

    /// Another format: the file's ending follows.
    pub fn set_kind(&mut self, kind: ExportKind) {
        if let ExportKind::Film(film) = kind {
            self.fps = film.usual_fps();
        }
        // A name may hold dots of its own: only the ending that we gave goes.
        let old = format!(".{}", self.kind.ending());
        let stem = self.path.strip_suffix(&old).unwrap_or(&self.path);
        self.path = format!("{stem}.{}", kind.ending());
        (self.kind, self.replace) = (kind, false);
    }

    /// Every file that is written.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let path = PathBuf::from(&self.path);
        match self.kind {
            // A motion may bring its skeleton.
            ExportKind::Motion(Format::Amc) => vec![path.with_extension("asf"), path],
            _ => vec![path],
        }
    }
}

/// What the dialog cannot know by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExportView<'a> {
    /// A file that is there already.
    pub taken: Option<&'a Path>,
    /// Why MP4 cannot be made here.
    pub no_mp4: Option<&'a str>,
    /// Why WebM cannot.
    pub no_webm: Option<&'a str>,
    /// Whether there is a motion.
    pub has_motion: bool,
}

impl ExportView<'_> {
    /// Why something cannot be written here.
    #[must_use]
    pub fn why_not(&self, kind: ExportKind) -> Option<&str> {
        match kind {
            ExportKind::Motion(format) if format.needs_motion() && !self.has_motion => {
                Some("A skeleton alone is no motion")
            }
            ExportKind::Film(Film::Mp4) => self.no_mp4,
            ExportKind::Film(Film::WebM) => self.no_webm,
            _ => None,
        }
    }
}
