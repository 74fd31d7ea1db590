// What every shader of the scene knows. Mirrors `GpuGlobals` in globals.rs.

struct Globals {
    clip_from_world: mat4x4f,
    world_from_clip: mat4x4f,
    light_from_world: mat4x4f,
    eye: vec4f,            // w: 1 where the background is left out
    key_towards: vec4f,    // w: shading, 0 studio, 1 Phong, 2 Blinn-Phong
    key_colour: vec4f,     // w: 1 when the key casts a shadow
    fill_towards: vec4f,   // w: 1 when occlusion darkens
    fill_colour: vec4f,    // w: 1 when seams are drawn
    sky_light: vec4f,      // ambient from above; w: 1 for dual quaternions
    bounce_light: vec4f,   // ambient from below; w: height of the ground
    skin: vec4f,
    ambient: vec4f,
    diffuse: vec4f,
    specular: vec4f,       // w: shininess
    emissive: vec4f,
    zenith: vec4f,
    horizon: vec4f,
    ground: vec4f,         // w: strength of the shadow on it
    ground_line: vec4f,    // w: how many of `contacts` count
    viewport: vec4f,       // width, height, 1 / width, 1 / height in pixels
    // Light space: metres along x, y and depth of the map; w: texel in metres.
    shadow_size: vec4f,
    focus: vec4f,          // what the camera looks at; w: its distance
    shade_area: vec4f,     // x and z of the ground that shadow or contact darkens
    contacts: array<vec4f, 12>, // balls near the ground: centre, radius
}

@group(0) @binding(0) var<uniform> globals: Globals;
