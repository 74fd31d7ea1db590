//! Line charts as SVG text, for files and for pages: no script, no network, no
//! font but the reader's own, colours that follow a light or a dark desktop.

mod heat;
mod landscape;
mod scale;
mod strip;
mod svg;

pub use heat::HeatMap;
pub use landscape::{Landscape, height_colour};
pub use scale::ticks;
pub use strip::{FigureStrip, Stick, StickFigure};
pub use svg::{STYLE, escaped, stacked};

/// A line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// In the legend; none where it is empty.
    pub name: String,
    /// Ascending along x. What is not finite breaks the line.
    pub points: Vec<[f64; 2]>,
    /// Dashed, in the colour of the series of this number: another version of
    /// what that shows.
    pub version_of: Option<usize>,
}

impl Series {
    /// Values one step apart, from 0 on.
    #[must_use]
    pub fn even(name: &str, step: f64, values: impl IntoIterator<Item = f64>) -> Self {
        let points = values.into_iter().enumerate();
        Self {
            name: name.to_owned(),
            points: points.map(|(i, y)| [i as f64 * step, y]).collect(),
            version_of: None,
        }
    }
}

/// A span of x that is shaded, with what it means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// From and to.
    pub span: [f64; 2],
    /// Row from the bottom, where there are several kinds of them.
    pub row: usize,
}

/// One chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below it.
    pub x_label: String,
    /// Unit of the values, at the axis.
    pub y_label: String,
    /// The lines, at most nine told apart by colour; from six on their names
    /// stand below each other.
    pub series: Vec<Series>,
    /// Both axes by powers of ten, and a dot at each point. What is not above 0
    /// breaks the line.
    pub logarithmic: bool,
    /// Places along x that are marked by a small tick, such as keys.
    pub marks: Vec<f64>,
    /// Shaded spans below the lines, such as stances.
    pub bands: Vec<Band>,
}
