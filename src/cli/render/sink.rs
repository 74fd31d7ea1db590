//! Where pictures go.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{
    args::RenderArgs,
    sprites::{SpriteSheet, json_path},
};
use crate::{
    cli::{Failure, folder::make_folder},
    output::{self, GifWriter, Staged, VideoEncoder, VideoFormat, VideoWriter},
    render::Picture,
};

/// Pictures in, files out.
pub(super) struct Sink {
    picture_size: [u32; 2],
    kind: Kind,
}

enum Kind {
    Single(PathBuf),
    Folder(PathBuf),
    Gif(Box<GifWriter>),
    Video(Box<VideoWriter>),
    Sheet(Sheet),
    Sprites(SpriteSheet),
}

impl Sink {
    /// `pictures`: how many, and seconds from one to the next; `name`: of what
    /// moves.
    pub fn open(
        args: &RenderArgs,
        (pictures, frame_secs): (usize, f64),
        name: &str,
    ) -> Result<Self, Failure> {
        let path = args.output.clone();
        let kind = match args.extension().as_deref() {
            Some(_) if args.sheet => {
                let sheet = Sheet::new(path, args.size, pictures);
                return Ok(Self {
                    picture_size: sheet.cell,
                    kind: Kind::Sheet(sheet),
                });
            }
            Some(_) if args.sprites => {
                let told = (name.to_owned(), frame_secs * 1e3);
                let sheet = SpriteSheet::new(path, args.cell, pictures, told);
                return Ok(Self {
                    picture_size: sheet.cell,
                    kind: Kind::Sprites(sheet),
                });
            }
            Some("gif") => Kind::Gif(Box::new(begin_gif(&path, args)?)),
            Some(ending) if VideoFormat::of_ending(ending).is_some() => {
                Kind::Video(Box::new(begin_video(&path, ending, args)?))
            }
            Some(_) => Kind::Single(path),
            None => Kind::Folder(path),
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

    /// Pictures of a folder appear one by one; anything else is staged.
    pub fn put(
        &mut self,
        frame: usize,
        picture: &Picture,
        staged: &mut Staged,
    ) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Single(path) => stage_png(path, picture, staged),
            Kind::Folder(folder) => {
                let path = folder.join(format!("frame_{frame:06}.png"));
                make_folder(&path)?;
                let size = [picture.width, picture.height];
                Ok(output::write_png(&path, size, &picture.rgba)?)
            }
            Kind::Gif(gif) => Ok(gif.put(picture.rgba.clone())?),
            Kind::Video(video) => Ok(video.put(&picture.rgba)?),
            Kind::Sheet(sheet) => {
                sheet.put(picture);
                Ok(())
            }
            Kind::Sprites(sheet) => {
                sheet.put(frame, picture);
                Ok(())
            }
        }
    }

    pub fn finish(self, staged: &mut Staged) -> Result<(), Failure> {
        match self.kind {
            Kind::Single(_) | Kind::Folder(_) => Ok(()),
            Kind::Gif(gif) => Ok(staged.add_part(gif.finish()?)?),
            Kind::Video(video) => Ok(staged.add_part(video.finish()?)?),
            Kind::Sheet(sheet) => stage_png(&sheet.path, &sheet.picture, staged),
            Kind::Sprites(sheet) => {
                stage_png(&sheet.path, &sheet.picture, staged)?;
                Ok(staged.add(&json_path(&sheet.path), sheet.json().as_bytes())?)
            }
        }
    }
}

fn stage_png(path: &Path, picture: &Picture, staged: &mut Staged) -> Result<(), Failure> {
    let size = [picture.width, picture.height];
    let bytes = output::png_bytes(size, &picture.rgba);
    let bytes = bytes.with_context(|| format!("writing {}", path.display()))?;
    Ok(staged.add(path, &bytes)?)
}

fn begin_gif(path: &Path, args: &RenderArgs) -> Result<GifWriter, Failure> {
    if args.size.iter().any(|&side| side > u32::from(u16::MAX)) {
        return Err(Failure::Usage("a GIF ends at 65535 pixels a side".into()));
    }
    Ok(GifWriter::create(path, args.size, args.film_fps())?)
}

fn begin_video(path: &Path, ending: &str, args: &RenderArgs) -> Result<VideoWriter, Failure> {
    let encoder = encoder_of(ending)?;
    Ok(VideoWriter::create(
        path,
        &encoder,
        args.size,
        args.film_fps(),
    )?)
}

/// The encoder of a film; the message says which is missing.
pub(super) fn encoder_of(ending: &str) -> Result<VideoEncoder, Failure> {
    let format = VideoFormat::of_ending(ending);
    let format = format.ok_or_else(|| Failure::Usage(format!(".{ending} is no film")))?;
    VideoEncoder::find(format).map_err(|missing| Failure::Other(anyhow::Error::msg(missing)))
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
            // Empty cells count against a layout as a wrong shape does: a ratio
            // is compared by its logarithm, where twice and half are equally
            // far from 1.
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
