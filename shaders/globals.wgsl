// What every shader of the scene knows. Mirrors `GpuGlobals` in globals.rs.

// Fixed when a pipeline is built: a software adapter runs both sides of a
// branch, so what is switched off must not be there at all. Mirrors
// `ShaderOptions`.
override SHADING: u32 = 0u;     // 0 studio, 1 Phong, 2 Blinn-Phong
override SHADOWS: bool = true;
override FINE_SHADOWS: bool = false; // many taps, for fine maps
override OCCLUSION: bool = true;
override SEAMS: bool = true;
override DUAL_QUATERNIONS: bool = true; // instead of linear blending
override ERRORS: bool = false;  // colours by joint error

struct Globals {
    clip_from_world: mat4x4f,
    world_from_clip: mat4x4f,
    light_from_world: mat4x4f,
    eye: vec4f,
    key_towards: vec4f,
    key_colour: vec4f,
    fill_towards: vec4f,
    fill_colour: vec4f,
    sky_light: vec4f,      // ambient from above
    bounce_light: vec4f,   // ambient from below; w: height of the ground
    skin: vec4f,
    ambient: vec4f,
    diffuse: vec4f,
    specular: vec4f,       // w: shininess
    emissive: vec4f,
    zenith: vec4f,
    horizon: vec4f,
    ground: vec4f,         // w: strength of the shadow on it
    ground_line: vec4f,
    viewport: vec4f,       // width, height, 1 / width, 1 / height in pixels
    // Light space: metres along x, y and depth of the map; w: texel in metres.
    shadow_size: vec4f,
    focus: vec4f,          // what the camera looks at; w: its distance
    floor_patch: vec4f,    // low and high corner of the floor that hides something
    shade_corners: array<vec4f, 4>, // of the ground that shadow or contact darkens
    contacts: array<vec4f, 8>, // balls near the ground: centre, radius
}

@group(0) @binding(0) var<uniform> globals: Globals;

// Interleaved gradient noise (Jimenez 2014): 0 to 1, even over every 3×3
// pixels, so that a filter of that size hides it.
fn interleaved_noise(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
}

// Breaks the bands of slow gradients: a half of the last bit up or down.
fn dither(pixel: vec2f) -> f32 {
    return (interleaved_noise(pixel) - 0.5) / 255.0;
}

// A linear colour as the foreground keeps it; foreground.wgsl undoes it. Roots
// stand for sRGB's curve: dark tones keep their steps in eight bits, and the
// resolve averages edges nearly as the eye sees them.
fn for_foreground(colour: vec3f, opacity: f32) -> vec4f {
    return vec4f(sqrt(max(colour, vec3f(0.0))) * opacity, opacity);
}
