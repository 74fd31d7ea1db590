//! The grid of distances as a picture.

use super::Pair;

/// Distance that is drawn darkest, metres: poses that have nothing in common.
const FAR_M: f32 = 0.4;
/// The path, and what is near and far.
const PATH: [u8; 3] = [255, 196, 61];
const NEAR: [f32; 3] = [244.0, 246.0, 250.0];
const FAR: [f32; 3] = [22.0, 30.0, 58.0];
/// Pixels a side at most; larger grids are thinned out.
const MOST_PIXELS: usize = 1600;
/// Small grids are drawn larger.
const LEAST_PIXELS: usize = 480;

impl Pair {
    /// Width and height, and four bytes a pixel, rows from the top: the first
    /// motion's time runs down, the second's to the right; near is light, the
    /// path is drawn over it.
    #[must_use]
    pub fn picture(&self) -> ([u32; 2], Vec<u8>) {
        let (rows, columns) = (self.grid.rows.max(1), self.grid.columns.max(1));
        let longest = rows.max(columns);
        let larger = (LEAST_PIXELS / longest).max(1);
        let thinner = longest.div_ceil(MOST_PIXELS);
        let pixels = |cells: usize| (cells * larger).div_ceil(thinner);
        let (width, height) = (pixels(columns), pixels(rows));
        let cell = |pixel: usize, cells: usize| (pixel * thinner / larger).min(cells - 1);
        let mut rgba = Vec::with_capacity(width * height * 4);
        for y in 0..height {
            for x in 0..width {
                let distance = self.grid.at(cell(y, rows), cell(x, columns));
                // The root shows differences among good matches.
                let dark = (distance / FAR_M).min(1.0).sqrt();
                let mix = |i: usize| (NEAR[i] + (FAR[i] - NEAR[i]) * dark) as u8;
                rgba.extend([mix(0), mix(1), mix(2), 255]);
            }
        }
        self.draw_path(&mut rgba, [width, height]);
        ([width as u32, height as u32], rgba)
    }

    /// The refined curve, not the cells it was found by.
    fn draw_path(&self, rgba: &mut [u8], [width, height]: [usize; 2]) {
        let scale = [
            width as f64 / self.grid.columns.max(1) as f64,
            height as f64 / self.grid.rows.max(1) as f64,
        ];
        let [start, end] = self.curve.range_secs();
        let steps = 4 * (width + height);
        for step in 0..=steps {
            let secs = start + (end - start) * step as f64 / steps as f64;
            let cells = [self.curve.time_at(secs), secs].map(|it| it * self.grid.rate_hz + 0.5);
            let at = [0, 1].map(|i| (cells[i] * scale[i]) as usize);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (x, y) = ((at[0] + dx).min(width - 1), (at[1] + dy).min(height - 1));
                let pixel = (y * width + x) * 4;
                rgba[pixel..pixel + 3].copy_from_slice(&PATH);
            }
        }
    }
}
