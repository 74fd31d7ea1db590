//! A sprite sheet: even cells without captions, and a JSON file that says where
//! each is, in the form that TexturePacker and Aseprite write (an array of
//! frames) and 2D engines read.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::render::Picture;

/// Cells side by side, transparent where there is nothing.
pub(super) struct SpriteSheet {
    pub path: PathBuf,
    columns: u32,
    pub cell: [u32; 2],
    pub picture: Picture,
    /// What an animation is called.
    name: String,
    /// Milliseconds that a sprite is shown.
    frame_ms: f64,
    /// The motion's frame of every cell so far.
    frames: Vec<usize>,
}

/// Columns and pixels of a sheet of so many cells: as near to a square as even
/// cells allow.
pub(super) fn layout(cell: [u32; 2], count: u32) -> (u32, [u32; 2]) {
    let side = |columns: u32| {
        let rows = count.div_ceil(columns);
        (columns * cell[0]).max(rows * cell[1])
    };
    // Of equals the wider one.
    let columns = (1..=count.max(1))
        .rev()
        .min_by_key(|&it| side(it))
        .unwrap_or(1);
    let rows = count.div_ceil(columns).max(1);
    (columns, [columns * cell[0], rows * cell[1]])
}

/// Where the JSON of a sheet goes.
pub(super) fn json_path(png: &Path) -> PathBuf {
    png.with_extension("json")
}

impl SpriteSheet {
    pub fn new(
        path: PathBuf,
        cell: [u32; 2],
        count: usize,
        (name, frame_ms): (String, f64),
    ) -> Self {
        let (columns, [width, height]) = layout(cell, count.clamp(1, u32::MAX as usize) as u32);
        Self {
            path,
            columns,
            cell,
            picture: Picture {
                width,
                height,
                rgba: vec![0; width as usize * height as usize * 4],
            },
            name,
            frame_ms,
            frames: Vec::new(),
        }
    }

    pub fn put(&mut self, frame: usize, picture: &Picture) {
        let [left, top] = self.corner(self.frames.len() as u32);
        self.frames.push(frame);
        let row_bytes = self.picture.width as usize * 4;
        let lines = picture.rgba.chunks_exact(picture.width as usize * 4);
        for (y, line) in lines.enumerate() {
            let start = (top as usize + y) * row_bytes + left as usize * 4;
            self.picture.rgba[start..start + line.len()].copy_from_slice(line);
        }
    }

    fn corner(&self, index: u32) -> [u32; 2] {
        let (column, row) = (index % self.columns, index / self.columns);
        [column * self.cell[0], row * self.cell[1]]
    }

    pub fn json(&self) -> String {
        let [width, height] = self.cell;
        let frame = |(index, &source): (usize, &usize)| {
            let [x, y] = self.corner(index as u32);
            json!({
                "filename": format!("{}_{index:02}", self.name),
                "frame": { "x": x, "y": y, "w": width, "h": height },
                "rotated": false,
                "trimmed": false,
                "spriteSourceSize": { "x": 0, "y": 0, "w": width, "h": height },
                "sourceSize": { "w": width, "h": height },
                "duration": (self.frame_ms * 1e3).round() / 1e3,
                "sourceFrame": source,
            })
        };
        let frames: Vec<Value> = self.frames.iter().enumerate().map(frame).collect();
        let image = self
            .path
            .file_name()
            .map(|it| it.to_string_lossy().into_owned());
        let sheet = json!({
            "frames": frames,
            "meta": {
                "app": "kinetoscope",
                "image": image,
                "format": "RGBA8888",
                "size": { "w": self.picture.width, "h": self.picture.height },
                "scale": "1",
                "frameTags": [{
                    "name": self.name,
                    "from": 0,
                    "to": self.frames.len().saturating_sub(1),
                    "direction": "forward",
                }],
            },
        });
        format!("{sheet:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_near_squares_of_even_cells() {
        assert_eq!(layout([64, 64], 12), (4, [256, 192]));
        assert_eq!(layout([64, 128], 8), (4, [256, 256]));
        assert_eq!(layout([10, 10], 1), (1, [10, 10]));
    }

    #[test]
    fn the_json_says_where_every_cell_is() {
        let mut sheet = SpriteSheet::new("a/run.png".into(), [2, 3], 4, ("run".into(), 62.5));
        for index in 0..4u8 {
            let picture = Picture {
                width: 2,
                height: 3,
                rgba: vec![index + 1; 24],
            };
            sheet.put(10 * usize::from(index), &picture);
        }
        let json: Value = serde_json::from_str(&sheet.json()).unwrap();
        for (index, frame) in json["frames"].as_array().unwrap().iter().enumerate() {
            let at = |key: &str| frame["frame"][key].as_u64().unwrap() as u32;
            let pixel = sheet.picture.pixel(at("x"), at("y"));
            assert_eq!(pixel, [index as u8 + 1; 4], "cell {index}");
            let end = sheet
                .picture
                .pixel(at("x") + at("w") - 1, at("y") + at("h") - 1);
            assert_eq!(end, pixel);
            assert_eq!(frame["sourceFrame"], 10 * index);
        }
        assert_eq!(json["meta"]["image"], "run.png");
        assert_eq!(json["meta"]["frameTags"][0]["to"], 3);
    }
}
