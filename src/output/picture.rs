//! Pictures as PNG and GIF; rows from the top, four bytes a pixel.

use std::{
    io,
    path::{Path, PathBuf},
};

use image::{ExtendedColorType, ImageEncoder, codecs::png};

use super::{OutputError, PartFile, write};

/// Viewers treat delays below 2/100 s as 10/100: 50 pictures a second is the end.
const MOST_GIF_FPS: f64 = 50.0;
/// Of 1 (best) to 30 (fastest) in choosing a palette.
const GIF_SPEED: i32 = 10;

/// The bytes of a PNG file, without an alpha channel where nothing shows
/// through.
pub fn png_bytes([width, height]: [u32; 2], rgba: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = png::PngEncoder::new_with_quality(
        &mut bytes,
        png::CompressionType::Default,
        png::FilterType::Adaptive,
    );
    // Three bytes a pixel instead of four, and no viewer draws a chequerboard
    // behind it.
    let opaque = rgba.chunks_exact(4).all(|pixel| pixel[3] == 255);
    let written = if opaque {
        let rgb = rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]);
        let rgb: Vec<u8> = rgb.collect();
        encoder.write_image(&rgb, width, height, ExtendedColorType::Rgb8)
    } else {
        encoder.write_image(rgba, width, height, ExtendedColorType::Rgba8)
    };
    written.map_err(io::Error::other)?;
    Ok(bytes)
}

/// Writes a picture as a PNG file.
pub fn write_png(path: &Path, size: [u32; 2], rgba: &[u8]) -> Result<(), OutputError> {
    let bytes = png_bytes(size, rgba).map_err(OutputError::of(path))?;
    write(path, &bytes)
}

/// An animated GIF that grows picture by picture.
pub struct GifWriter {
    path: PathBuf,
    encoder: gif::Encoder<PartFile>,
    size: [u32; 2],
    fps: f64,
    pictures: u32,
}

impl GifWriter {
    /// Begins a GIF that repeats for ever, at most 65535 pixels a side.
    pub fn create(path: &Path, size: [u32; 2], fps: f64) -> Result<Self, OutputError> {
        let [width, height] = size.map(|side| u16::try_from(side).unwrap_or(u16::MAX));
        let file = PartFile::create(path)?;
        let failed = |error| OutputError::of(path)(io::Error::other(error));
        let mut encoder = gif::Encoder::new(file, width, height, &[]).map_err(failed)?;
        let repeat = encoder.set_repeat(gif::Repeat::Infinite);
        repeat.map_err(failed)?;
        Ok(Self {
            path: path.to_path_buf(),
            encoder,
            size,
            fps: fps.min(MOST_GIF_FPS),
            pictures: 0,
        })
    }

    /// Pixels of its pictures.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Adds a picture of the GIF's size.
    pub fn put(&mut self, mut rgba: Vec<u8>) -> Result<(), OutputError> {
        let [width, height] = self.size.map(|side| side as u16);
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut rgba, GIF_SPEED);
        // Delays are whole hundredths: rounding the times, not the delays,
        // keeps the speed right over the whole.
        let at = |picture: u32| (f64::from(picture) * 100.0 / self.fps).round() as u32;
        frame.delay = (at(self.pictures + 1) - at(self.pictures)) as u16;
        self.pictures += 1;
        let written = self.encoder.write_frame(&frame).map_err(io::Error::other);
        written.map_err(OutputError::of(&self.path))
    }

    /// Ends the GIF and puts it at a path of the same folder.
    pub fn finish_as(self, path: &Path) -> Result<(), OutputError> {
        self.finish()?.commit_as(path)
    }

    /// Ends the GIF and hands it over, not yet in its place.
    pub fn finish(self) -> Result<PartFile, OutputError> {
        let file = self.encoder.into_inner().map_err(io::Error::other);
        file.map_err(OutputError::of(&self.path))
    }
}
