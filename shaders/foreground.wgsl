// Lays the multisampled foreground over the backdrop, pixel for pixel.

struct Placement {
    // First pixel and size of the foreground in the picture; the picture's size.
    origin: vec2f,
    size: vec2f,
    picture: vec2f,
    unused: vec2f,
}

@group(0) @binding(0) var<uniform> placement: Placement;
@group(0) @binding(1) var foreground: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u));
    let pixel = placement.origin + corner * placement.size;
    let clip = pixel / placement.picture * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return vec4f(clip, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) pixel: vec4f) -> @location(0) vec4f {
    let kept = textureLoad(foreground, vec2i(pixel.xy - placement.origin), 0);
    // Roots were averaged over the samples that are covered: root × opacity.
    // Squared and divided once it is colour × opacity, which the blend wants.
    return vec4f(kept.rgb * kept.rgb / max(kept.a, 0.5 / 255.0), kept.a);
}
