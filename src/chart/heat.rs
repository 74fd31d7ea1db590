//! Values over time as shaded cells, a row each: what is small, what is large,
//! and what was dropped.

use std::fmt::Write as _;

use super::{
    scale::{tick_text, ticks},
    svg::{STYLE, escaped},
};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
const ROW: f64 = 22.0;
/// Shades span so many powers of ten below the largest value.
const DECADES: f64 = 4.0;

/// Rows of cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Above it.
    pub title: String,
    /// Size of each cell, and whether it was kept; what was not is grey.
    pub rows: Vec<Vec<(f64, bool)>>,
    /// Left of each row.
    pub row_names: Vec<String>,
    /// Below it.
    pub x_label: String,
    /// At the right end; the left one is 0.
    pub x_end: f64,
}

impl HeatMap {
    /// As a file of its own.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let bottom = TOP + ROW * self.rows.len() as f64;
        let height = bottom + BOTTOM;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{WIDTH}\" \
             height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n<style>{STYLE}\
             .chart .kept{{fill:#0072b2}}.chart .dropped{{fill:#999}}\
             @media(prefers-color-scheme:dark){{.chart .kept{{fill:#56b4e9}}}}</style>\n\
             <rect class=\"bg\" width=\"{WIDTH}\" height=\"{height}\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{}</text>\n",
            escaped(&self.title)
        );
        for (row, name) in self.row_names.iter().enumerate() {
            let y = TOP + ROW * row as f64 + 0.7 * ROW;
            let (x, name) = (LEFT - 6.0, escaped(name));
            let _ = write!(
                text,
                "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{name}</text>"
            );
        }
        self.write_cells(&mut text);
        self.write_time(bottom, &mut text);
        text.push_str("</svg>\n");
        text
    }

    fn write_cells(&self, text: &mut String) {
        let sizes = self.rows.iter().flatten().map(|cell| cell.0);
        let largest = sizes.fold(0.0, f64::max);
        for (row, cells) in self.rows.iter().enumerate() {
            let width = (WIDTH - LEFT - RIGHT) / cells.len().max(1) as f64;
            let mut column = 0;
            // Neighbours that are alike are drawn as one: no seams, less text.
            for alike in cells.chunk_by(|a, b| a == b) {
                let (size, kept) = alike[0];
                let left = LEFT + width * column as f64;
                column += alike.len();
                // A logarithm, as ears and eyes do: details are far smaller
                // than the coarse curve.
                let shade = 1.0 + (size / largest).log10() / DECADES;
                // Nothing, or no number.
                if shade.is_nan() || shade <= 0.0 {
                    continue;
                }
                let class = if kept { "kept" } else { "dropped" };
                let _ = write!(
                    text,
                    "<rect class=\"{class}\" x=\"{left:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{}\" \
                     fill-opacity=\"{shade:.2}\"/>",
                    TOP + ROW * row as f64,
                    width * alike.len() as f64,
                    ROW - 1.0
                );
            }
            text.push('\n');
        }
    }

    fn write_time(&self, bottom: f64, text: &mut String) {
        let along = ticks([0.0, self.x_end], 10);
        let step = along.get(1).map_or(1.0, |second| second - along[0]);
        for value in along {
            let x = LEFT + value / self.x_end * (WIDTH - LEFT - RIGHT);
            let (y, label) = (bottom + 14.0, tick_text(value, step));
            let _ = write!(
                text,
                "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
            );
        }
        let (x, y) = ((LEFT + WIDTH - RIGHT) / 2.0, bottom + 32.0);
        let label = escaped(&self.x_label);
        let _ = write!(
            text,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shaded_by_size_and_nothing_is_not_drawn() {
        let map = HeatMap {
            title: "a < b".into(),
            rows: vec![vec![(1.0, true), (0.01, false), (0.0, false)]],
            row_names: vec!["means".into()],
            x_label: "time".into(),
            x_end: 2.0,
        };
        let text = map.to_svg();
        assert!(text.contains("a &lt; b") && text.contains("means"));
        assert_eq!(text.matches("class=\"kept\"").count(), 1);
        assert_eq!(text.matches("class=\"dropped\"").count(), 1);
        assert!(
            text.contains("fill-opacity=\"0.50\""),
            "two of four decades"
        );
        let nothing = HeatMap::default().to_svg();
        assert!(nothing.ends_with("</svg>\n") && !nothing.contains("NaN"));
    }
}
