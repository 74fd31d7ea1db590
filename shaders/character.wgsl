// From a character's surface to its colour: what bodies grown around a
// skeleton (skin.wgsl) and models of files (mesh.wgsl) share.

// Blue through green and yellow to red; the same ramp as `scene::error_colour`.
fn error_colour(fraction: f32) -> vec3f {
    let ramp = array<vec3f, 5>(
        vec3f(0.02, 0.09, 0.55), vec3f(0.02, 0.42, 0.62), vec3f(0.10, 0.55, 0.10),
        vec3f(0.80, 0.55, 0.03), vec3f(0.70, 0.03, 0.02),
    );
    let position = clamp(fraction, 0.0, 1.0) * 4.0;
    let low = min(i32(position), 3);
    return mix(ramp[low], ramp[low + 1], position - f32(low));
}

// The surface's own colour, or that of its error where errors are shown.
fn character_albedo(own: vec3f, error: f32, shows_error: u32) -> vec3f {
    if ERRORS && shows_error != 0u {
        return error_colour(error);
    }
    return own;
}

// How much of the light from around reaches what faces the floor: 30 % on it,
// a third of the loss gone 4 cm above, nearly all at the height of a knee.
fn open_above_floor(world: vec3f, normal: vec3f) -> f32 {
    let height_m = max(world.y - globals.bounce_light.w, 0.0);
    let hidden = max(-normal.y, 0.0) * exp(-9.0 * height_m) * 0.7;
    return 1.0 - hidden;
}

// `open`: how much of the light from around arrives.
fn character_colour(world: vec3f, normal: vec3f, albedo: vec3f, open: f32, opacity: f32) -> vec3f {
    var visible = 1.0;
    if SHADOWS {
        // See-through characters cast no shadow and take none.
        visible = max(self_light(world, normal), f32(opacity < 1.0));
    }
    return surface_colour(world, normal, albedo, visible, open);
}
