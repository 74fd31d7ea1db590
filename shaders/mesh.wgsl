// Meshes of loaded models: affine slots, morph targets, a picture a material.

// A primitive on a character. Mirrors `GpuPart` in mesh/mod.rs.
struct Part {
    tint: vec4f,           // w: opacity
    first_slot: u32,
    last_slot: u32,        // counted from the first
    first_morph: u32,
    targets: u32,
    first_offset: u32,
    vertices: u32,
    shows_error: u32,
    unused: u32,
}

// Mirrors `GpuMaterial` in mesh/upload.rs.
struct Material {
    base_colour: vec4f,
    emissive: vec4f,       // w: opacity below which nothing is there
}

@group(1) @binding(1) var<storage, read> parts: array<Part>;
@group(1) @binding(2) var<storage, read> morphs: array<f32>;
// Position and normal, three numbers each: by target, then by vertex.
@group(1) @binding(3) var<storage, read> offsets: array<f32>;

@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var picture_sampler: sampler;
@group(2) @binding(2) var<uniform> material: Material;

struct VertexIn {
    @builtin(instance_index) part: u32,
    @builtin(vertex_index) index: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) slots: vec4u,
    @location(4) weights: vec4f,
    @location(5) colour: vec4f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) colour: vec4f,
    @location(4) error: f32,
    @location(5) @interpolate(flat) tint: vec4f,
    @location(6) @interpolate(flat) shows_error: u32,
}

fn offset(at: u32) -> vec3f {
    return vec3f(offsets[at], offsets[at + 1u], offsets[at + 2u]);
}

// The same as `Model::place`: morph targets move the vertex, then slots do.
fn skinned(in: VertexIn, part: Part) -> Skinned {
    var position = in.position;
    var normal = in.normal;
    for (var target_ = 0u; target_ < part.targets; target_++) {
        let weight = morphs[part.first_morph + target_];
        if weight != 0.0 {
            let at = part.first_offset + 6u * (target_ * part.vertices + in.index);
            position += weight * offset(at);
            normal += weight * offset(at + 3u);
        }
    }
    return affine_blend(position, normal, in.slots, in.weights, part.first_slot, part.last_slot);
}

fn slot_error(in: VertexIn, part: Part) -> f32 {
    var error = 0.0;
    for (var i = 0; i < 4; i++) {
        let slot = part.first_slot + min(in.slots[i], part.last_slot);
        error += slots[slot].error.x * in.weights[i];
    }
    return error;
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    let part = parts[in.part];
    let skin = skinned(in, part);
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(skin.position, 1.0);
    out.world = skin.position;
    out.normal = skin.normal;
    out.uv = in.uv;
    out.colour = in.colour;
    out.error = 0.0;
    if ERRORS && part.shows_error != 0u {
        out.error = slot_error(in, part);
    }
    out.tint = part.tint;
    out.shows_error = part.shows_error;
    return out;
}

@vertex
fn shadow_vertex(in: VertexIn) -> @builtin(position) vec4f {
    return globals.light_from_world * vec4f(skinned(in, parts[in.part]).position, 1.0);
}

fn base_colour(in: VertexOut) -> vec4f {
    let base = material.base_colour * textureSample(picture, picture_sampler, in.uv) * in.colour;
    if base.a < material.emissive.w {
        discard;
    }
    return base;
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let base = base_colour(in);
    let view = globals.eye.xyz - in.world;
    // The side that is seen.
    let own = normalize(in.normal + vec3f(0.0, 1e-12, 0.0));
    let normal = select(-own, own, dot(own, view) > 0.0);
    // The studio is lit for skin; full white would burn out.
    let albedo = character_albedo(base.rgb * in.tint.rgb * 0.65, in.error, in.shows_error);
    var open = 1.0;
    if OCCLUSION {
        open = open_above_floor(in.world, normal);
    }
    let colour = character_colour(in.world, normal, albedo, open, in.tint.w);
    return for_foreground(colour + material.emissive.rgb, base.a * in.tint.w);
}

@fragment
fn depth_only(in: VertexOut) {
    _ = base_colour(in);
}
