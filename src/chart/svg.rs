//! The SVG text of charts.

use std::fmt::Write as _;

use super::{
    Chart, Series,
    scale::{extent, log_ticks, roomy, tick_text, ticks},
};

/// Of a chart, in pixels.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 38.0;
/// Height of a row of bands.
const ROW: f64 = 7.0;
/// Marks nearer to each other than this many pixels are a smear.
const NEAREST_MARKS: f64 = 3.0;

/// Colours and type, light and dark: once for a page or a file. The colours of
/// lines are told apart by people who do not see red and green apart (Okabe and
/// Ito 2008).
pub const STYLE: &str = "\
.chart{font:12px system-ui,sans-serif}\
.chart .bg{fill:#fff}.chart text{fill:#333}.chart .title{font-weight:600;font-size:13px}\
.chart .grid{stroke:#e4e4e4}.chart .axis{stroke:#999}.chart .mark{stroke:#999}\
.chart .line{fill:none;stroke-width:1.5;stroke-linejoin:round}\
.chart .s0{stroke:#0072b2}.chart .s1{stroke:#d55e00}.chart .s2{stroke:#009e73}\
.chart .s3{stroke:#cc79a7}.chart .s4{stroke:#b8860b}.chart .s5{stroke:#555}\
.chart .s6{stroke:#7b4fb5}.chart .s7{stroke:#8b1a1a}.chart .s8{stroke:#2f9ea8}\
.chart .dashed{stroke-dasharray:5 3}\
.chart .dots{stroke-width:5;stroke-linecap:round}\
.chart .b0{fill:#0072b2}.chart .b1{fill:#d55e00}\
@media(prefers-color-scheme:dark){\
.chart .bg{fill:#1c1e22}.chart text{fill:#d6d6d6}.chart .grid{stroke:#33363c}\
.chart .axis{stroke:#777}.chart .s0{stroke:#56b4e9}.chart .s1{stroke:#ee8a3c}\
.chart .s2{stroke:#3fc79a}.chart .s4{stroke:#e6c229}.chart .s5{stroke:#aaa}\
.chart .s6{stroke:#b494e6}.chart .s7{stroke:#e07070}.chart .s8{stroke:#6fd0d8}\
.chart .b0{fill:#56b4e9}.chart .b1{fill:#ee8a3c}}";

/// Charts below each other, as a file of its own.
#[must_use]
pub fn stacked(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len().max(1) as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{WIDTH}\" \
         height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n<style>{STYLE}</style>\n"
    );
    for (i, chart) in charts.iter().enumerate() {
        let _ = writeln!(
            text,
            "<g transform=\"translate(0 {})\">{}</g>",
            HEIGHT * i as f64,
            chart.content()
        );
    }
    text.push_str("</svg>\n");
    text
}

/// Text that is no markup, of SVG and of HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// How many colours lines have.
const COLOURS: usize = 9;
/// More names than this stand below each other, at the right.
const NAMES_IN_A_ROW: usize = 5;
const NAMES_WIDTH: f64 = 100.0;
const NAME_HEIGHT: f64 = 17.0;

/// From values to pixels.
struct Axes {
    x: [f64; 2],
    y: [f64; 2],
    /// Ends above are then those of logarithms.
    logarithmic: bool,
    bottom: f64,
    right: f64,
}

impl Axes {
    fn x(&self, value: f64) -> f64 {
        LEFT + (self.along(value) - self.x[0]) / (self.x[1] - self.x[0]) * (self.right - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (self.along(value) - self.y[0]) / (self.y[1] - self.y[0]);
        self.bottom - share * (self.bottom - TOP)
    }

    fn along(&self, value: f64) -> f64 {
        if self.logarithmic {
            value.log10()
        } else {
            value
        }
    }

    /// Values to be written at an axis, with their texts.
    fn ticks(&self, span: [f64; 2], count: usize) -> Vec<(f64, String)> {
        if self.logarithmic {
            let ticks = log_ticks(span, count);
            return ticks.into_iter().map(|it| (it, it.to_string())).collect();
        }
        let ticks = ticks(span, count);
        let step = ticks.get(1).map_or(1.0, |second| second - ticks[0]);
        let text = |it: f64| (it, tick_text(it, step));
        ticks.into_iter().map(text).collect()
    }
}

impl Chart {
    /// As part of a page that has [`STYLE`].
    #[must_use]
    pub fn to_svg(&self) -> String {
        let title = escaped(&self.title);
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title}\">{}</svg>",
            self.content()
        )
    }

    fn content(&self) -> String {
        let axes = self.axes();
        let mut text = format!("<rect class=\"bg\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>");
        self.write_frame(&axes, &mut text);
        for band in &self.bands {
            let [from, to] = band.span.map(|x| axes.x(x.clamp(axes.x[0], axes.x[1])));
            let _ = write!(
                text,
                "<rect class=\"b{}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\"/>",
                band.row % 2,
                axes.bottom + ROW * band.row as f64,
                (to - from).max(0.5),
                ROW - 2.0
            );
        }
        self.write_marks(&axes, &mut text);
        for (i, series) in self.series.iter().enumerate() {
            let path = path(series, &axes);
            let colour = series.version_of.unwrap_or(i) % COLOURS;
            let dashed = dashed(series);
            let _ = write!(
                text,
                "<path class=\"line s{colour}{dashed}\" d=\"{path}\"/>"
            );
            if self.logarithmic {
                // A line of no length with round ends is a dot.
                let dots = path.replace('L', "M").replace('M', "h0M");
                let dots = dots.trim_start_matches("h0");
                let _ = write!(text, "<path class=\"line dots s{colour}\" d=\"{dots}h0\"/>");
            }
        }
        self.write_legend(&mut text);
        text
    }

    fn axes(&self) -> Axes {
        let along = |value: f64| {
            if self.logarithmic {
                value.log10()
            } else {
                value
            }
        };
        let points = || {
            let points = self.series.iter().flat_map(|series| &series.points);
            points.map(|point| point.map(along))
        };
        let xs = points().map(|p| p[0]);
        let ends = self.bands.iter().flat_map(|band| band.span);
        let x = extent(xs.chain(ends)).unwrap_or([0.0, 1.0]);
        let x = if x[1] > x[0] { x } else { [x[0], x[0] + 1.0] };
        let y = extent(points().map(|p| p[1])).unwrap_or([0.0, 1.0]);
        // A logarithm has no 0 to begin at.
        let y = match self.logarithmic {
            true => [y[0].min(0.0), y[1].max(y[0].min(0.0) + 0.1)],
            false => roomy(y),
        };
        let rows = self.bands.iter().map(|band| band.row + 1).max();
        let bottom = HEIGHT - BOTTOM - ROW * rows.unwrap_or(0) as f64;
        let names = if self.names_below() { NAMES_WIDTH } else { 0.0 };
        Axes {
            x,
            y,
            logarithmic: self.logarithmic,
            bottom,
            right: WIDTH - RIGHT - names,
        }
    }

    fn write_frame(&self, axes: &Axes, text: &mut String) {
        let right = axes.right;
        for (value, label) in axes.ticks(axes.y, 5) {
            let y = axes.y(value);
            let _ = write!(
                text,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for (value, label) in axes.ticks(axes.x, 10) {
            let x = axes.x(value);
            let _ = write!(
                text,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
                HEIGHT - 22.0
            );
        }
        let bottom = axes.bottom;
        let _ = write!(
            text,
            "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\"/>\
             <text class=\"title\" x=\"{LEFT}\" y=\"18\">{}</text>\
             <text x=\"6\" y=\"{}\">{}</text>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            escaped(&self.title),
            TOP - 10.0,
            escaped(&self.y_label),
            (LEFT + right) / 2.0,
            HEIGHT - 6.0,
            escaped(&self.x_label)
        );
    }

    fn write_marks(&self, axes: &Axes, text: &mut String) {
        let places: Vec<f64> = self.marks.iter().map(|&x| axes.x(x)).collect();
        let near = places
            .windows(2)
            .any(|pair| pair[1] - pair[0] < NEAREST_MARKS);
        for x in places.into_iter().filter(|_| !near) {
            let _ = write!(
                text,
                "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{}\" x2=\"{x:.1}\" y2=\"{}\"/>",
                axes.bottom - 5.0,
                axes.bottom
            );
        }
    }

    fn names_below(&self) -> bool {
        self.series.iter().filter(|it| !it.name.is_empty()).count() > NAMES_IN_A_ROW
    }

    /// Right of the lines, one below the other.
    fn write_names(&self, text: &mut String) {
        let x = WIDTH - RIGHT - NAMES_WIDTH + 12.0;
        let named = self.series.iter().enumerate();
        let named = named.filter(|it| !it.1.name.is_empty());
        for (row, (i, series)) in named.enumerate() {
            let y = TOP + NAME_HEIGHT * row as f64 + 6.0;
            let _ = write!(
                text,
                "<line class=\"line s{}{}\" x1=\"{x}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\
                 <text x=\"{}\" y=\"{y}\">{}</text>",
                series.version_of.unwrap_or(i) % COLOURS,
                dashed(series),
                y - 4.0,
                x + 18.0,
                y - 4.0,
                x + 24.0,
                escaped(&series.name)
            );
        }
    }

    /// To the right of the title, last name at the right end.
    fn write_legend(&self, text: &mut String) {
        if self.names_below() {
            self.write_names(text);
            return;
        }
        let mut x = WIDTH - RIGHT;
        for (i, series) in self.series.iter().enumerate().rev() {
            if series.name.is_empty() {
                continue;
            }
            let _ = write!(
                text,
                "<text x=\"{x:.0}\" y=\"18\" text-anchor=\"end\">{}</text>",
                escaped(&series.name)
            );
            // No font is measured here: letters are seven pixels, on average.
            x -= 7.0 * series.name.chars().count() as f64 + 6.0;
            let _ = write!(
                text,
                "<line class=\"line s{}{}\" x1=\"{:.0}\" y1=\"14\" x2=\"{x:.0}\" y2=\"14\"/>",
                series.version_of.unwrap_or(i) % COLOURS,
                dashed(series),
                x - 18.0
            );
            x -= 30.0;
        }
    }
}

/// A class more for another version of a line.
fn dashed(series: &Series) -> &'static str {
    match series.version_of {
        Some(_) => " dashed",
        None => "",
    }
}

/// The line; of many points on one pixel the lowest and the highest, so that a
/// spike of one frame in ten thousand is still there.
fn path(series: &Series, axes: &Axes) -> String {
    let mut text = String::new();
    let mut pen_up = true;
    let mut points = series.points.iter().peekable();
    while let Some(&[x, y]) = points.next() {
        if !(axes.x(x).is_finite() && axes.y(y).is_finite()) {
            pen_up = true;
            continue;
        }
        let pixel = axes.x(x).floor();
        let (mut low, mut high, mut last) = (y, y, y);
        while let Some(&&[_, y]) = points.peek().filter(|p| axes.x(p[0]).floor() == pixel) {
            if !y.is_finite() {
                break;
            }
            (low, high, last) = (low.min(y), high.max(y), y);
            points.next();
        }
        let mut push = |value: f64| {
            let pen = if pen_up { 'M' } else { 'L' };
            pen_up = false;
            let _ = write!(text, "{pen}{:.1} {:.1}", axes.x(x), axes.y(value));
        };
        push(y);
        if low != high {
            [low, high, last].into_iter().for_each(&mut push);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(values: Vec<f64>) -> Chart {
        Chart {
            title: "a < b & \"c\"".into(),
            series: vec![Series::even("one", 0.1, values)],
            ..Chart::default()
        }
    }

    #[test]
    fn a_spike_among_many_points_is_drawn() {
        let mut values = vec![0.0; 20_000];
        values[7_777] = 5.0;
        let svg = chart(values).to_svg();
        // Five is the highest value: with its room it stands at 20/21 of the
        // height.
        let top = HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) / 1.05;
        assert!(svg.contains(&format!(" {top:.1}")), "no spike");
        assert!(svg.len() < 40_000, "{} bytes", svg.len());
    }

    #[test]
    fn another_version_is_dashed_in_the_same_colour() {
        let mut chart = chart(vec![1.0, 2.0]);
        chart.series.push(Series {
            version_of: Some(0),
            ..Series::even("filtered", 0.1, [1.0, 1.5])
        });
        let svg = chart.to_svg();
        assert_eq!(
            svg.matches("\"line s0 dashed\"").count(),
            2,
            "line and name"
        );
        assert_eq!(svg.matches("\"line s1").count(), 0);
    }

    #[test]
    fn any_text_and_any_number_make_a_sound_file() {
        let odd = [f64::NAN, 1.0, f64::INFINITY, 2.0, f64::NEG_INFINITY];
        for values in [Vec::new(), vec![3.0], odd.to_vec()] {
            let svg = stacked(&[chart(values)]);
            assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
