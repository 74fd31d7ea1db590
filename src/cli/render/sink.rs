//! Where pictures go. Every file is written under a temporary name beside its
//! own and renamed when it is whole.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context;
use image::{ExtendedColorType, ImageEncoder, codecs::png};

use super::args::RenderArgs;
use crate::{cli::Failure, render::Picture};

/// Pictures in, files out.
pub(super) struct Sink {
    picture_size: [u32; 2],
    kind: Kind,
}

enum Kind {
    Single(PathBuf),
    Folder(PathBuf),
    Gif(Box<GifWriter>),
    Sheet(Sheet),
}

impl Sink {
    pub fn open(args: &RenderArgs, pictures: usize) -> Result<Self, Failure> {
        let path = args.output.clone();
        let kind = match args.extension().as_deref() {
            Some(_) if args.sheet => {
                let sheet = Sheet::new(path, args.size, pictures);
                return Ok(Self {
                    picture_size: sheet.cell,
                    kind: Kind::Sheet(sheet),
                });
            }
            Some("gif") => Kind::Gif(Box::new(GifWriter::open(path, args)?)),
            Some(_) => Kind::Single(path),
            None => {
                let context = || format!("making the folder {}", path.display());
                fs::create_dir_all(&path).with_context(context)?;
                Kind::Folder(path)
            }
        };
        Ok(Self {
            picture_size: args.size,
            kind,
        })
    }

    /// Pixels of each picture; a sheet's are smaller than the sheet.
    pub fn picture_size(&self) -> [u32; 2] {
        self.picture_size
    }

    pub fn put(&mut self, frame: usize, picture: &Picture) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Single(path) => write_png(path, picture),
            Kind::Folder(folder) => {
                let number = folder.join(format!("frame_{frame:06}.png"));
                write_png(&number, picture)
            }
            Kind::Gif(gif) => gif.put(picture),
            Kind::Sheet(sheet) => {
                sheet.put(picture);
                Ok(())
            }
        }
    }

    pub fn finish(self) -> Result<(), Failure> {
        match self.kind {
            Kind::Single(_) | Kind::Folder(_) => Ok(()),
            Kind::Gif(gif) => gif.finish(),
            Kind::Sheet(sheet) => write_png(&sheet.path, &sheet.picture),
        }
    }
}

/// The name a file has while it is written.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Writes a whole file, or leaves what was there.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<()>,
) -> Result<(), Failure> {
    let part = temporary(path);
    let written = File::create(&part)
        .map_err(anyhow::Error::new)
        .and_then(|file| {
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            file.flush()?;
            Ok(fs::rename(&part, path)?)
        });
    written
        .inspect_err(|_| drop(fs::remove_file(&part)))
        .with_context(|| format!("writing {}", path.display()))
        .map_err(Failure::Other)
}

fn write_png(path: &Path, picture: &Picture) -> Result<(), Failure> {
    write_whole(path, |file| {
        let encoder = png::PngEncoder::new_with_quality(
            file,
            png::CompressionType::Default,
            png::FilterType::Adaptive,
        );
        let opaque = picture.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255);
        let (bytes, colour) = if opaque {
            let rgb = picture
                .rgba
                .chunks_exact(4)
                .flat_map(|p| [p[0], p[1], p[2]]);
            (rgb.collect(), ExtendedColorType::Rgb8)
        } else {
            (picture.rgba.clone(), ExtendedColorType::Rgba8)
        };
        Ok(encoder.write_image(&bytes, picture.width, picture.height, colour)?)
    })
}

/// An animated GIF that grows picture by picture.
struct GifWriter {
    path: PathBuf,
    part: PathBuf,
    encoder: gif::Encoder<BufWriter<File>>,
    fps: f64,
    pictures: u32,
}

impl GifWriter {
    fn open(path: PathBuf, args: &RenderArgs) -> Result<Self, Failure> {
        let [width, height] = args.size.map(u16::try_from);
        let (Ok(width), Ok(height)) = (width, height) else {
            return Err(Failure::Usage("a GIF ends at 65535 pixels a side".into()));
        };
        let part = temporary(&path);
        let context = || format!("writing {}", path.display());
        let file = BufWriter::new(File::create(&part).with_context(context)?);
        let mut encoder =
            gif::Encoder::new(file, width, height, &[]).map_err(anyhow::Error::new)?;
        encoder
            .set_repeat(gif::Repeat::Infinite)
            .map_err(anyhow::Error::new)?;
        Ok(Self {
            part,
            encoder,
            // Viewers treat delays below 2/100 s as 10/100: 50 is the end.
            fps: args.fps.unwrap_or(25.0).min(50.0),
            pictures: 0,
            path,
        })
    }

    fn put(&mut self, picture: &Picture) -> Result<(), Failure> {
        let mut rgba = picture.rgba.clone();
        let (width, height) = (picture.width as u16, picture.height as u16);
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut rgba, 10);
        // Delays are whole hundredths: rounding the times, not the delays,
        // keeps the speed right over the whole.
        let at = |picture: u32| (f64::from(picture) * 100.0 / self.fps).round() as u32;
        frame.delay = (at(self.pictures + 1) - at(self.pictures)) as u16;
        self.pictures += 1;
        let written = self.encoder.write_frame(&frame);
        Ok(written.map_err(anyhow::Error::new)?)
    }

    fn finish(self) -> Result<(), Failure> {
        let Self {
            path,
            part,
            encoder,
            ..
        } = self;
        let mut file = encoder.into_inner().map_err(anyhow::Error::new)?;
        file.flush()?;
        drop(file);
        Ok(fs::rename(&part, &path).with_context(|| format!("writing {}", path.display()))?)
    }
}

/// Pictures side by side.
struct Sheet {
    path: PathBuf,
    columns: u32,
    cell: [u32; 2],
    picture: Picture,
    filled: u32,
}

impl Sheet {
    /// Chooses the columns that keep cells closest to portrait 4 : 5.
    fn new(path: PathBuf, size: [u32; 2], pictures: usize) -> Self {
        let count = pictures.clamp(1, u32::MAX as usize) as u32;
        let misfit = |columns: u32| {
            let rows = count.div_ceil(columns);
            let aspect =
                f64::from(size[0]) / f64::from(columns) * f64::from(rows) / f64::from(size[1]);
            let empty = f64::from(columns * rows - count) / f64::from(count);
            (aspect / 0.8).ln().abs() + empty
        };
        let columns = (1..=count).min_by(|&a, &b| misfit(a).total_cmp(&misfit(b)));
        let columns = columns.unwrap_or(1);
        let cell = [
            (size[0] / columns).max(1),
            (size[1] / count.div_ceil(columns)).max(1),
        ];
        Self {
            path,
            columns,
            cell,
            picture: Picture {
                width: size[0],
                height: size[1],
                rgba: vec![0; size[0] as usize * size[1] as usize * 4],
            },
            filled: 0,
        }
    }

    fn put(&mut self, cell: &Picture) {
        if self.filled == 0 {
            // Cells left over, and pixels that do not divide, show the backdrop.
            let backdrop = cell.pixel(0, 0);
            let pixels = self.picture.rgba.chunks_exact_mut(4);
            pixels.for_each(|pixel| pixel.copy_from_slice(&backdrop));
        }
        let column = self.filled % self.columns;
        let row = self.filled / self.columns;
        self.filled += 1;
        let left = (column * self.cell[0]) as usize * 4;
        let row_bytes = self.picture.width as usize * 4;
        for (y, line) in cell.rgba.chunks_exact(cell.width as usize * 4).enumerate() {
            let start = ((row * self.cell[1]) as usize + y) * row_bytes + left;
            self.picture.rgba[start..start + line.len()].copy_from_slice(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_uses_its_area() {
        let sheet = Sheet::new("x.png".into(), [1280, 720], 12);
        assert_eq!(sheet.columns, 6);
        assert_eq!(sheet.cell, [213, 360]);
        assert_eq!(Sheet::new("x.png".into(), [100, 100], 1).cell, [100, 100]);
    }

    #[test]
    fn what_no_pose_covers_shows_the_backdrop() {
        let mut sheet = Sheet::new("x.png".into(), [90, 100], 2);
        let [width, height] = sheet.cell;
        let cell = Picture {
            width,
            height,
            rgba: [40, 41, 42, 255].repeat((width * height) as usize),
        };
        sheet.put(&cell);
        let pixels = sheet.picture.rgba.chunks_exact(4);
        assert!(pixels.into_iter().all(|pixel| pixel == [40, 41, 42, 255]));
    }
}
