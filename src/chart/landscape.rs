//! Heights over two angles as colour, with the ways that lead down.

use std::fmt::Write as _;

use super::svg::{STYLE, escaped};

const SIDE: f64 = 480.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 52.0;
/// Room for the names of the ways.
const RIGHT: f64 = 190.0;
/// Shades that are told apart: neighbours of one shade are drawn as one.
const SHADES: f32 = 32.0;
/// From low to high: dark blue, green, yellow (the ends and middle of viridis).
const RAMP: [[f32; 3]; 4] = [
    [68.0, 1.0, 84.0],
    [49.0, 104.0, 142.0],
    [53.0, 183.0, 121.0],
    [253.0, 231.0, 37.0],
];
/// Of ways, seen on all of these.
const WAYS: [&str; 4] = ["#ffffff", "#ff5d3a", "#ffb000", "#ff7ad9"];

/// A square map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Landscape {
    /// Above it.
    pub title: String,
    /// Below it, and left of it.
    pub labels: [String; 2],
    /// Both axes go from −`half` to `half`.
    pub half: f64,
    /// 0 to 1, rows from the bottom up.
    pub heights: Vec<Vec<f32>>,
    /// Names and points.
    pub ways: Vec<(String, Vec<[f64; 2]>)>,
    /// Places where the map is 0.
    pub lows: Vec<[f64; 2]>,
}

/// The colour of a height, 0 to 1.
#[must_use]
pub fn height_colour(height: f32) -> [u8; 3] {
    let at = height.clamp(0.0, 1.0) * (RAMP.len() - 1) as f32;
    let base = (at as usize).min(RAMP.len() - 2);
    let share = at - base as f32;
    [0, 1, 2].map(|i| (RAMP[base][i] + (RAMP[base + 1][i] - RAMP[base][i]) * share) as u8)
}

impl Landscape {
    /// As a file of its own.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let (width, height) = (LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<style>{STYLE}</style>\n\
             <rect class=\"bg\" width=\"{width}\" height=\"{height}\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"22\">{}</text>\n",
            escaped(&self.title)
        );
        self.write_cells(&mut text);
        self.write_axes(&mut text);
        self.write_ways(&mut text);
        text.push_str("</svg>\n");
        text
    }

    fn write_cells(&self, text: &mut String) {
        let count = self.heights.len().max(1) as f64;
        let size = SIDE / count;
        for (row, cells) in self.heights.iter().enumerate() {
            let top = TOP + SIDE - size * (row + 1) as f64;
            let shade = |height: &f32| (height * SHADES).round();
            let mut column = 0;
            for alike in cells.chunk_by(|a, b| shade(a) == shade(b)) {
                let [r, g, b] = height_colour(shade(&alike[0]) / SHADES);
                let left = LEFT + size * column as f64;
                column += alike.len();
                // A little wider than it is: no seams.
                let _ = write!(
                    text,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                     fill=\"#{r:02x}{g:02x}{b:02x}\"/>",
                    size * alike.len() as f64 + 0.4,
                    size + 0.4
                );
            }
            text.push('\n');
        }
    }

    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let share = |value: f64| (value / self.half.max(1e-9) + 1.0) / 2.0;
        [LEFT + SIDE * share(x), TOP + SIDE * (1.0 - share(y))]
    }

    fn write_axes(&self, text: &mut String) {
        for share in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            let value = share * self.half;
            let [x, y] = self.place([value, value]);
            let _ = write!(
                text,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{value}°</text>\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{value}°</text>",
                TOP + SIDE + 16.0,
                LEFT - 6.0,
                y + 4.0
            );
        }
        let [below, left] = self.labels.each_ref().map(|it| escaped(it));
        let (middle, bottom) = (LEFT + SIDE / 2.0, TOP + SIDE + 38.0);
        let (x, y) = (14.0, TOP + SIDE / 2.0);
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{below}</text>\
             <text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" \
             transform=\"rotate(-90 {x} {y})\">{left}</text>"
        );
    }

    fn write_ways(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "<clipPath id=\"map\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\"/></clipPath>"
        );
        for (index, (name, points)) in self.ways.iter().enumerate() {
            let colour = WAYS[index % WAYS.len()];
            let mut line = String::new();
            let mut dots = String::new();
            for [x, y] in points.iter().map(|point| self.place(*point)) {
                let _ = write!(line, "{x:.1},{y:.1} ");
                let _ = write!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\"/>");
            }
            let (x, y) = (LEFT + SIDE + 16.0, TOP + 14.0 + 20.0 * index as f64);
            let _ = writeln!(
                text,
                "<g clip-path=\"url(#map)\" stroke=\"{colour}\" fill=\"{colour}\">\
                 <polyline points=\"{line}\" fill=\"none\" stroke-width=\"1.8\"/>{dots}</g>\
                 <rect x=\"{x}\" y=\"{}\" width=\"16\" height=\"5\" fill=\"{colour}\" stroke=\"#777\" \
                 stroke-width=\"0.5\"/><text x=\"{}\" y=\"{y}\">{}</text>",
                y - 7.0,
                x + 22.0,
                escaped(name)
            );
        }
        for [x, y] in self.lows.iter().map(|point| self.place(*point)) {
            let _ = write!(
                text,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2\"/>"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_lies_where_its_angles_are() {
        let map = Landscape {
            title: "a < b".into(),
            half: 180.0,
            heights: vec![vec![0.0, 1.0], vec![0.5, 0.5]],
            ways: vec![("way".into(), vec![[-180.0, -180.0], [0.0, 90.0]])],
            lows: vec![[180.0, 180.0]],
            ..Landscape::default()
        };
        let text = map.to_svg();
        assert!(text.contains("a &lt; b"));
        // Bottom left, then the middle of the width, a quarter from the top.
        assert!(
            text.contains("points=\"64.0,516.0 304.0,156.0 \""),
            "{text}"
        );
        assert!(text.contains("cx=\"544.0\" cy=\"36.0\" r=\"6\""));
        // Alike neighbours are one: the upper row is one rectangle.
        assert_eq!(text.matches("<rect x=\"64.0\"").count(), 2);
        assert!(!Landscape::default().to_svg().contains("NaN"));
    }

    #[test]
    fn heights_go_from_dark_to_light() {
        assert_eq!(height_colour(0.0), [68, 1, 84]);
        assert_eq!(height_colour(2.0), [253, 231, 37]);
        let luma = |height: f32| {
            height_colour(height)
                .iter()
                .map(|it| u32::from(*it))
                .sum::<u32>()
        };
        assert!((0..10).all(|i| luma(i as f32 / 10.0) < luma((i + 1) as f32 / 10.0)));
    }
}
