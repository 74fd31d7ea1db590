//! Stick figures in a row, as SVG text.

use std::fmt::Write as _;

use super::svg::escaped;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 150.0;
/// Room for the captions below the ground.
const BOTTOM: f64 = 22.0;
const TOP: f64 = 8.0;

/// A line of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// To the right and up, in the unit of the figure.
    pub ends: [[f64; 2]; 2],
    /// Which colour of lines; 5 is the quiet one.
    pub colour: usize,
}

/// One moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StickFigure {
    /// Below it.
    pub caption: String,
    /// In the order in which they are drawn, the ground at height 0.
    pub sticks: Vec<Stick>,
}

/// Moments side by side, all in one scale and on one ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FigureStrip {
    /// From left to right.
    pub figures: Vec<StickFigure>,
}

impl FigureStrip {
    /// Within a page that has [`super::STYLE`].
    #[must_use]
    pub fn to_svg(&self) -> String {
        let cell = WIDTH / self.figures.len().max(1) as f64;
        let ends = self.figures.iter().flat_map(|it| &it.sticks);
        let ends = ends
            .flat_map(|it| it.ends)
            .filter(|it| it.iter().all(|v| v.is_finite()));
        let (mut wide, mut low, mut high) = (1e-6f64, 0.0f64, 1e-6f64);
        for [x, y] in ends {
            wide = wide.max(x.abs());
            low = low.min(y);
            high = high.max(y);
        }
        let scale = ((HEIGHT - TOP - BOTTOM) / (high - low)).min(0.5 * cell / wide);
        let ground = HEIGHT - BOTTOM + scale * low;
        let mut text = format!(
            "<svg class=\"chart\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\
             <rect class=\"bg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\
             <line class=\"axis\" x1=\"0\" y1=\"{ground:.1}\" x2=\"{WIDTH}\" y2=\"{ground:.1}\"/>\n"
        );
        for (index, figure) in self.figures.iter().enumerate() {
            let middle = cell * (index as f64 + 0.5);
            for stick in &figure.sticks {
                let [a, b] = stick
                    .ends
                    .map(|[x, y]| [middle + scale * x, ground - scale * y]);
                if a.iter().chain(&b).all(|it| it.is_finite()) {
                    let _ = write!(
                        text,
                        "<line class=\"s{}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" \
                         stroke-width=\"2\" stroke-linecap=\"round\"/>",
                        stick.colour, a[0], a[1], b[0], b[1]
                    );
                }
            }
            let _ = writeln!(
                text,
                "<text x=\"{middle:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - 6.0,
                escaped(&figure.caption)
            );
        }
        text.push_str("</svg>\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upright(caption: &str, height: f64) -> StickFigure {
        let ends = [[0.0, 0.0], [0.1, height]];
        StickFigure {
            caption: caption.to_owned(),
            sticks: vec![Stick { ends, colour: 0 }],
        }
    }

    #[test]
    fn figures_stand_on_one_ground_in_their_cells_in_one_scale() {
        let strip = FigureStrip {
            figures: vec![upright("0 s", 1.0), upright("<1 s>", 2.0)],
        };
        let text = strip.to_svg();
        assert!(text.contains("&lt;1 s&gt;"), "{text}");
        let numbers: Vec<Vec<f64>> = text
            .split("<line class=\"s0\"")
            .skip(1)
            .map(|line| {
                let parts = line.split('"').skip(1).step_by(2).take(4);
                parts.map(|it| it.parse().unwrap()).collect()
            })
            .collect();
        let [first, second] = &numbers[..] else {
            panic!("{numbers:?}")
        };
        assert_eq!((first[0], second[0]), (WIDTH / 4.0, 3.0 * WIDTH / 4.0));
        assert_eq!(first[1], second[1], "one ground");
        let heights = [first, second].map(|it| it[1] - it[3]);
        assert!((heights[1] - 2.0 * heights[0]).abs() < 0.2, "{heights:?}");
        assert!(second[3] >= TOP - 0.1, "{second:?}");
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        let strip = FigureStrip {
            figures: vec![upright("", f64::NAN), StickFigure::default()],
        };
        assert!(!strip.to_svg().contains("NaN"));
        assert!(!FigureStrip::default().to_svg().contains("NaN"));
    }
}
