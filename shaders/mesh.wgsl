// Meshes of loaded models: affine slots, morph targets, a picture a material.

struct Slot {
    rows: array<vec4f, 3>, // world_from_mesh
    error: vec4f,          // x: of its joint, 0 to 1
}

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

struct Material {
    base_colour: vec4f,
    emissive: vec4f,       // w: opacity below which nothing is there
}

@group(1) @binding(0) var<storage, read> slots: array<Slot>;
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

struct Skinned {
    position: vec3f,
    normal: vec3f,
    error: f32,
}

fn offset(at: u32) -> vec3f {
    return vec3f(offsets[at], offsets[at + 1u], offsets[at + 2u]);
}

// The same as `Model::place`.
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
    var rows = array<vec4f, 3>();
    var error = 0.0;
    for (var i = 0; i < 4; i++) {
        let slot = slots[part.first_slot + min(in.slots[i], part.last_slot)];
        rows[0] += slot.rows[0] * in.weights[i];
        rows[1] += slot.rows[1] * in.weights[i];
        rows[2] += slot.rows[2] * in.weights[i];
        error += slot.error.x * in.weights[i];
    }
    let p = vec4f(position, 1.0);
    let x = vec3f(rows[0].x, rows[1].x, rows[2].x);
    let y = vec3f(rows[0].y, rows[1].y, rows[2].y);
    let z = vec3f(rows[0].z, rows[1].z, rows[2].z);
    // Normals stay upright on what is scaled unevenly.
    let n = cross(y, z) * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    return Skinned(vec3f(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p)), n, error);
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    let part = parts[in.part];
    let at = skinned(in, part);
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(at.position, 1.0);
    out.world = at.position;
    out.normal = at.normal / max(length(at.normal), 1e-20);
    out.uv = in.uv;
    out.colour = in.colour;
    out.error = at.error;
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
    var albedo = base.rgb * in.tint.rgb * 0.65;
    if ERRORS && in.shows_error != 0u {
        albedo = error_colour(in.error);
    }
    let opacity = base.a * in.tint.w;
    var visible = 1.0;
    if SHADOWS {
        // See-through characters take no shadow.
        visible = max(self_light(in.world, normal), f32(in.tint.w < 1.0));
    }
    var open = 1.0;
    if OCCLUSION {
        let floor_distance = max(in.world.y - globals.bounce_light.w, 0.0);
        open = 1.0 - max(-normal.y, 0.0) * exp(-9.0 * floor_distance) * 0.7;
    }
    let colour = surface_colour(in.world, normal, albedo, visible, open) + material.emissive.rgb;
    return for_foreground(colour, opacity);
}

@fragment
fn depth_only(in: VertexOut) {
    _ = base_colour(in);
}
