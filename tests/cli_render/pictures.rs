//! Pictures of `render` to compare: where two differ, and where the figure is.

use std::sync::OnceLock;

use image::{Rgba, RgbaImage};

use crate::kinetoscope;

/// Pixels a side of all pictures here.
pub const SIDE: u32 = 240;

/// A channel that differs by more than this, of 255, is seen to differ.
const VISIBLE: u8 = 8;

/// One moment of a run, as the options have it.
pub fn draw(options: &[&str]) -> RgbaImage {
    let moment = ["--clip", "run", "--frame", "60"];
    let quality = ["--size", "240x240", "--samples", "1"];
    draw_with(&[&moment[..], &quality, options].concat())
}

/// The picture that these arguments give.
pub fn draw_with(arguments: &[&str]) -> RgbaImage {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.png");
    let output = kinetoscope()
        .arg("render")
        .args(arguments)
        .arg("-o")
        .arg(&path)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    image::open(&path).unwrap().into_rgba8()
}

/// The moment with no option at all.
pub fn plain() -> &'static RgbaImage {
    static PLAIN: OnceLock<RgbaImage> = OnceLock::new();
    PLAIN.get_or_init(|| draw(&[]))
}

/// Where the figure is in [`plain`].
pub fn figure() -> &'static Area {
    static FIGURE: OnceLock<Area> = OnceLock::new();
    FIGURE.get_or_init(|| figure_of(&[]))
}

/// Where the figure is with these options.
pub fn figure_of(options: &[&str]) -> Area {
    let alone = ["--transparent", "--no-ground"];
    let picture = draw(&[&alone[..], options].concat());
    Area::of(&picture, |pixel| pixel[3] > 127)
}

/// A set of pixels.
#[derive(Clone, PartialEq)]
pub struct Area(Vec<bool>);

impl Area {
    /// Where a pixel is of a kind.
    pub fn of(picture: &RgbaImage, kind: impl Fn(&Rgba<u8>) -> bool) -> Self {
        Self(picture.pixels().map(kind).collect())
    }

    /// Where two pictures are seen to differ.
    pub fn changed(a: &RgbaImage, b: &RgbaImage) -> Self {
        assert_eq!(a.dimensions(), b.dimensions());
        let differ = |(a, b): (&Rgba<u8>, &Rgba<u8>)| {
            let channels = a.0.iter().zip(b.0);
            { channels }.any(|(&a, b)| a.abs_diff(b) > VISIBLE)
        };
        Self(a.pixels().zip(b.pixels()).map(differ).collect())
    }

    pub fn count(&self) -> usize {
        self.0.iter().filter(|&&is_in| is_in).count()
    }

    pub fn and(&self, other: &Self) -> Self {
        let both = self.0.iter().zip(&other.0).map(|(&a, &b)| a && b);
        Self(both.collect())
    }

    pub fn without(&self, other: &Self) -> Self {
        let left = self.0.iter().zip(&other.0).map(|(&a, &b)| a && !b);
        Self(left.collect())
    }

    /// All pixels at most so many columns and rows away.
    pub fn grown(&self, by: u32) -> Self {
        let mut grown = vec![false; self.0.len()];
        for (x, y) in self.pixels() {
            for v in y.saturating_sub(by)..(y + by + 1).min(SIDE) {
                for u in x.saturating_sub(by)..(x + by + 1).min(SIDE) {
                    grown[(v * SIDE + u) as usize] = true;
                }
            }
        }
        Self(grown)
    }

    /// Without its rim.
    pub fn shrunk(&self, by: u32) -> Self {
        let outside = Self(self.0.iter().map(|is_in| !is_in).collect());
        self.without(&outside.grown(by))
    }

    pub fn pixels(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let indices = (0u32..).zip(&self.0).filter(|(_, is_in)| **is_in);
        indices.map(|(index, _)| (index % SIDE, index / SIDE))
    }

    /// First and last column, first and last row.
    pub fn bounds(&self) -> [u32; 4] {
        let columns = || self.pixels().map(|(x, _)| x);
        let rows = || self.pixels().map(|(_, y)| y);
        [
            columns().min().unwrap(),
            columns().max().unwrap(),
            rows().min().unwrap(),
            rows().max().unwrap(),
        ]
    }

    pub fn height(&self) -> f64 {
        let [.., first, last] = self.bounds();
        f64::from(last - first + 1)
    }

    /// Mean column and row.
    pub fn centre(&self) -> (f64, f64) {
        let count = self.count() as f64;
        let sum = |(x, y): (f64, f64), (u, v): (u32, u32)| (x + f64::from(u), y + f64::from(v));
        let (x, y) = self.pixels().fold((0.0, 0.0), sum);
        (x / count, y / count)
    }

    /// How much brighter the second picture is here, a mean over pixels of 255.
    pub fn brightening(&self, a: &RgbaImage, b: &RgbaImage) -> f64 {
        let light = |picture: &RgbaImage, x, y| f64::from(brightness(picture.get_pixel(x, y)));
        let gain = |(x, y)| light(b, x, y) - light(a, x, y);
        self.pixels().map(gain).sum::<f64>() / self.count().max(1) as f64
    }

    /// Where the second picture is seen to be darker.
    pub fn darker(a: &RgbaImage, b: &RgbaImage) -> Self {
        let darker = |(a, b)| brightness(a) > brightness(b) + i32::from(VISIBLE);
        Self(a.pixels().zip(b.pixels()).map(darker).collect())
    }
}

pub fn brightness(pixel: &Rgba<u8>) -> i32 {
    (i32::from(pixel[0]) + i32::from(pixel[1]) + i32::from(pixel[2])) / 3
}

/// How much a channel stands out above both others.
pub fn excess(pixel: &Rgba<u8>, channel: usize) -> i32 {
    let value = |channel: usize| i32::from(pixel[channel % 3]);
    value(channel) - value(channel + 1).max(value(channel + 2))
}

/// Nearly white, as text is.
pub fn is_white(pixel: &Rgba<u8>) -> bool {
    pixel.0[..3].iter().all(|&channel| channel > 200)
}
