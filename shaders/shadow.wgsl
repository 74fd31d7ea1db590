// Soft shadows from one depth map: the penumbra widens with the distance
// between what casts and what receives.

@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

// Penumbra in metres per metre of distance: a softbox about 4° across.
const SOFTNESS: f32 = 0.04;
// Where a foot stands on the floor, and where a shadow would dissolve; the
// margin of the map in shadow.rs follows from the latter.
const SHARPEST_M: f32 = 0.006;
const SOFTEST_M: f32 = 0.07;
// Between the taps on a body, in texels.
const TAP_TEXELS: f32 = 1.5;

// Evenly spread over the unit disc: Vogel's spiral, radius √((i + ½) / 8), each
// a golden angle further.
const DISC = array<vec2f, 8>(
    vec2f(0.250, 0.000), vec2f(-0.739, -0.131), vec2f(0.402, 0.525), vec2f(0.049, -0.557),
    vec2f(-0.319, 0.292), vec2f(0.700, -0.445), vec2f(-0.234, 0.870), vec2f(-0.446, -0.859),
);

// Texture coordinates and depth in the map; y points down in textures.
fn shadow_map_position(world: vec3f) -> vec3f {
    let p = globals.light_from_world * vec4f(world, 1.0);
    return vec3f(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5, p.z);
}

// Fraction of the key light that arrives, over a disc of `radius_m` turned by `angle`.
fn disc_light(position: vec3f, radius_m: f32, angle: f32) -> f32 {
    let radius = radius_m / globals.shadow_size.xy;
    let c = cos(angle);
    let s = sin(angle);
    var light = 0.0;
    for (var i = 0; i < 8; i++) {
        let d = DISC[i];
        let offset = vec2f(d.x * c - d.y * s, d.x * s + d.y * c);
        light += textureSampleCompareLevel(shadow_map, shadow_sampler, position.xy + offset * radius, position.z);
    }
    return light / 8.0;
}

// Fraction of the key light that arrives, under a tent that stands on the
// grid of texels: with taps that interpolate between four texels it has
// neither steps nor grain. `reach`: taps on either side of the middle one.
fn tent_light(position: vec3f, reach: i32) -> f32 {
    let texel = 1.0 / vec2f(textureDimensions(shadow_map));
    var light = 0.0;
    for (var y = -reach; y <= reach; y++) {
        for (var x = -reach; x <= reach; x++) {
            let weight = f32((reach + 1 - abs(x)) * (reach + 1 - abs(y)));
            let at = position.xy + vec2f(f32(x), f32(y)) * texel * TAP_TEXELS;
            light += weight * textureSampleCompareLevel(shadow_map, shadow_sampler, at, position.z);
        }
    }
    let sum = f32((reach + 1) * (reach + 1));
    return light / (sum * sum);
}

// Metres along the light from a spot on the floor to what stands before it,
// taking it to stand above one of the contacts: the ray climbs over that
// distance on the floor. Unlike a search in the map this is smooth and costs no
// lookups.
fn blocker_distance_m(world: vec3f) -> f32 {
    var nearest2 = 1e6;
    for (var i = 0; i < 8; i++) {
        let off = world.xz - globals.contacts[i].xz;
        nearest2 = min(nearest2, dot(off, off));
    }
    return sqrt(nearest2) / max(length(globals.key_towards.xz), 0.1);
}

// On the floor. The disc is turned from pixel to pixel, which trades bands for
// fine grain.
fn soft_light(world: vec3f, position: vec3f, pixel: vec2f) -> f32 {
    let angle = 6.2831853 * interleaved_noise(floor(pixel));
    let radius_m = clamp(blocker_distance_m(world) * SOFTNESS, SHARPEST_M, SOFTEST_M);
    if !FINE_SHADOWS {
        return disc_light(position, radius_m, angle);
    }
    // Six discs between each other's spokes.
    var light = 0.0;
    for (var i = 0; i < 6; i++) {
        light += disc_light(position, radius_m * (1.0 - 0.05 * f32(i)), angle + 0.7 * f32(i));
    }
    return light / 6.0;
}

// On the body itself: a fixed narrow edge, lifted off the surface. The lift is
// the bias: more texels than the filter reaches (1.5, and 1 by its linear taps),
// and no less than 12 mm, as the mesh that casts is coarser than the one seen.
fn self_light(world: vec3f, normal: vec3f) -> f32 {
    // Where light grazes, triangles would shade each other in teeth; the turn
    // out of the light darkens by itself there.
    let graze = smoothstep(0.04, 0.38, dot(normal, globals.key_towards.xyz));
    if graze <= 0.0 {
        // Nearly half of a body: the map is not asked.
        return 1.0;
    }
    let lift = max(3.5 * globals.shadow_size.w, 0.012);
    let position = shadow_map_position(world + (normal + globals.key_towards.xyz) * lift);
    return mix(1.0, tent_light(position, select(1, 4, FINE_SHADOWS)), graze);
}
