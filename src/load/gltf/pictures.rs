//! PNG and JPEG become pixels, where they can be shown. A few bytes can state a
//! picture of gigabytes, and a file can hold thousands of them: all pictures
//! of a file share one budget, asked before anything is decoded.

use std::{io::Cursor, sync::Arc};

use image::{DynamicImage, ImageDecoder, ImageError, ImageReader, Limits};
use rayon::prelude::*;

use crate::{
    mesh::{CharacterMesh, Image, Pixels},
    mocap::Note,
};

/// Larger pictures stay undecoded.
const MAX_SIDE: u32 = 8192;
/// Memory that decoding all pictures of a file may take: eight base colours of
/// 4096 × 4096 at once.
const MAX_BYTES_A_FILE: u64 = 512 << 20;

/// Decodes all pictures; those that cannot be are noted and left white.
pub fn decode(model: &mut CharacterMesh) -> Vec<Note> {
    decode_within(model, MAX_BYTES_A_FILE)
}

fn decode_within(model: &mut CharacterMesh, most: u64) -> Vec<Note> {
    let mut left = most;
    let chosen: Vec<_> = model
        .images
        .iter_mut()
        .enumerate()
        .filter(|(_, image)| !image.bytes.is_empty())
        .map(|(index, image)| {
            let affordable = afford(&image.bytes, &mut left, most);
            (index, image, affordable)
        })
        .collect();
    chosen
        .into_par_iter()
        .filter_map(|(index, image, affordable)| {
            let outcome = affordable.and_then(|()| pixels(image));
            outcome.err().map(|reason| {
                let text = format!("picture {index} is not decoded ({reason}); left white");
                Note::warning(text)
            })
        })
        .collect()
}

/// Takes what decoding a picture needs out of what is left, by what its head
/// states.
fn afford(bytes: &[u8], left: &mut u64, most: u64) -> Result<(), String> {
    let decoder = decoder(bytes).map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions();
    let rgba = 4 * u64::from(width) * u64::from(height);
    let needs = decoder.total_bytes().saturating_add(rgba);
    match left.checked_sub(needs) {
        Some(rest) => {
            *left = rest;
            Ok(())
        }
        None => Err(format!(
            "{width} × {height} pixels: the pictures of one file may take {} MiB together",
            most >> 20
        )),
    }
}

fn pixels(image: &mut Image) -> Result<(), String> {
    let decoded = decoder(&image.bytes).and_then(DynamicImage::from_decoder);
    let decoded = decoded.map_err(|error| error.to_string())?.into_rgba8();
    image.pixels = Some(Arc::new(Pixels {
        size: [decoded.width(), decoded.height()],
        rgba: decoded.into_raw(),
    }));
    Ok(())
}

fn decoder(bytes: &[u8]) -> Result<impl ImageDecoder + use<'_>, ImageError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_BYTES_A_FILE);
    reader.limits(limits);
    reader.into_decoder()
}

#[cfg(test)]
mod tests {
    use image::{GrayImage, ImageFormat};

    use super::*;

    fn picture(side: u32) -> Image {
        let mut bytes = Cursor::new(Vec::new());
        let plain = GrayImage::from_pixel(side, side, image::Luma([7]));
        plain.write_to(&mut bytes, ImageFormat::Png).unwrap();
        Image {
            name: String::new(),
            mime: "image/png".into(),
            bytes: bytes.into_inner().into(),
            pixels: None,
        }
    }

    fn model(images: Vec<Image>) -> CharacterMesh {
        CharacterMesh {
            images,
            ..CharacterMesh::default()
        }
    }

    #[test]
    fn all_pictures_of_a_file_share_one_budget() {
        // One byte as stored and four as shown a pixel.
        let each = 5 * 64 * 64;
        let mut model = model(vec![picture(64), picture(128), picture(64), picture(64)]);
        let notes = decode_within(&mut model, 2 * each + 7);
        let decoded: Vec<bool> = model.images.iter().map(|it| it.pixels.is_some()).collect();
        assert_eq!(decoded, [true, false, true, false]);
        let told: Vec<String> = notes.iter().map(|it| it.message.clone()).collect();
        assert!(told[0].starts_with("picture 1 is not decoded (128 × 128"));
        assert!(told[1].starts_with("picture 3 "), "{told:?}");
        let first = model.images[0].pixels.as_ref().unwrap();
        assert_eq!(
            (first.size, &first.rgba[..4]),
            ([64, 64], &[7, 7, 7, 255][..])
        );
    }

    #[test]
    fn a_picture_that_is_none_is_told() {
        let mut broken = picture(8);
        broken.bytes = Arc::from(&b"\x89PNG\r\n\x1a\n and no more"[..]);
        let mut model = model(vec![broken, picture(8)]);
        let notes = decode_within(&mut model, MAX_BYTES_A_FILE);
        assert_eq!(notes.len(), 1);
        assert!(model.images[1].pixels.is_some());
    }
}
