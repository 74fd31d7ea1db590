//! Materials and pictures as they came.

use serde_json::{Value, json};

use super::buffer::{Buffer, Use};
use crate::mesh::{Alpha, CharacterMesh, Material, TextureWrap};

/// Adds materials, textures, samplers and images where there are any.
pub(super) fn write(model: &CharacterMesh, buffer: &mut Buffer, document: &mut Value) {
    let (numbers, images) = image_entries(model, buffer);
    let (mut textures, mut samplers) = (Vec::new(), Vec::new());
    let materials = model.materials.iter().map(|material| {
        let texture = material
            .texture
            .and_then(|it| Some((it, numbers[it.image]?)));
        let texture = texture.map(|(it, image)| {
            samplers.push(json!({
                // OpenGL's numbers: 9728 nearest, 9729 linear, 9987 linear
                // between linear mipmaps.
                "magFilter": if it.nearest { 9728 } else { 9729 },
                "minFilter": 9987,
                "wrapS": wrap_number(it.wrap[0]),
                "wrapT": wrap_number(it.wrap[1]),
            }));
            textures.push(json!({ "source": image, "sampler": samplers.len() - 1 }));
            textures.len() - 1
        });
        material_entry(material, texture)
    });
    let materials: Vec<Value> = materials.collect();
    let lists = [
        ("materials", materials),
        ("textures", textures),
        ("samplers", samplers),
        ("images", images),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            document[key] = json!(list);
        }
    }
}

/// By image: its number in the file; and the list of the file.
fn image_entries(model: &CharacterMesh, buffer: &mut Buffer) -> (Vec<Option<usize>>, Vec<Value>) {
    // Pictures that could not be read stay out, and those that nobody shows.
    let used = |image: usize| {
        let shows = |it: &Material| it.texture.is_some_and(|texture| texture.image == image);
        !model.images[image].bytes.is_empty() && model.materials.iter().any(shows)
    };
    let mut numbers = vec![None; model.images.len()];
    let mut images = Vec::new();
    for (index, image) in model.images.iter().enumerate() {
        if used(index) {
            let view = buffer.view(image.bytes.iter().copied(), Use::Data);
            numbers[index] = Some(images.len());
            let mut entry = json!({ "bufferView": view, "mimeType": image.mime });
            if !image.name.is_empty() {
                entry["name"] = json!(image.name);
            }
            images.push(entry);
        }
    }
    (numbers, images)
}

fn wrap_number(wrap: TextureWrap) -> u32 {
    match wrap {
        TextureWrap::Repeat => 10_497,
        TextureWrap::Mirror => 33_648,
        TextureWrap::Clamp => 33_071,
    }
}

fn material_entry(material: &Material, texture: Option<usize>) -> Value {
    // Importers take what they find, but the format allows 0 to 1 only.
    let unit = |it: f32| it.clamp(0.0, 1.0);
    let mut entry = json!({
        "pbrMetallicRoughness": {
            "baseColorFactor": material.base_colour.map(unit),
            "metallicFactor": unit(material.metallic),
            "roughnessFactor": unit(material.roughness),
        },
        "doubleSided": material.double_sided,
        "emissiveFactor": material.emissive.map(unit),
    });
    if !material.name.is_empty() {
        entry["name"] = json!(material.name);
    }
    if let Some(texture) = texture {
        entry["pbrMetallicRoughness"]["baseColorTexture"] = json!({ "index": texture });
    }
    match material.alpha {
        Alpha::Opaque => {}
        Alpha::Mask(cutoff) => {
            entry["alphaMode"] = json!("MASK");
            entry["alphaCutoff"] = json!(cutoff.max(0.0));
        }
        Alpha::Blend => entry["alphaMode"] = json!("BLEND"),
    }
    entry
}
