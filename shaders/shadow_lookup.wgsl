// Soft shadows from one depth map: the penumbra widens with the distance
// between what casts and what receives.

@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

// Penumbra in metres per metre of distance: a softbox about 4° across.
const SOFTNESS: f32 = 0.055;
const SHARPEST_M: f32 = 0.006;
const SOFTEST_M: f32 = 0.09;

// Evenly spread over the unit disc (golden angle).
const DISC = array<vec2f, 8>(
    vec2f(0.250, 0.000), vec2f(-0.319, 0.292), vec2f(0.049, -0.557), vec2f(0.402, 0.525),
    vec2f(-0.739, -0.131), vec2f(0.700, -0.445), vec2f(-0.234, 0.870), vec2f(-0.446, -0.859),
);

fn light_place(world: vec3f) -> vec3f {
    let p = globals.light_from_world * vec4f(world, 1.0);
    return vec3f(p.x * 0.5 + 0.5, 0.5 - p.y * 0.5, p.z);
}

// Share of the key light that arrives, over a disc of `radius_m`. The disc is
// turned from pixel to pixel, which trades bands for fine grain.
fn filtered(place: vec3f, radius_m: f32, pixel: vec2f) -> f32 {
    let radius = radius_m / globals.shadow_size.xy;
    let angle = 6.2831853 * fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
    let turn = vec2f(cos(angle), sin(angle));
    var light = 0.0;
    for (var i = 0; i < 8; i++) {
        let d = DISC[i];
        let offset = vec2f(d.x * turn.x - d.y * turn.y, d.x * turn.y + d.y * turn.x);
        light += textureSampleCompareLevel(shadow_map, shadow_sampler, place.xy + offset * radius, place.z);
    }
    return light / 8.0;
}

// Mean distance in metres to what stands before `place`, or −1 when nothing does.
fn blocker_distance_m(place: vec3f) -> f32 {
    let size = vec2f(textureDimensions(shadow_map));
    let reach = SOFTEST_M / globals.shadow_size.xy;
    var sum = 0.0;
    var count = 0.0;
    for (var i = 0; i < 8; i++) {
        let at = clamp((place.xy + DISC[i] * reach) * size, vec2f(0.0), size - 1.0);
        let depth = textureLoad(shadow_map, vec2i(at), 0);
        if depth < place.z {
            sum += place.z - depth;
            count += 1.0;
        }
    }
    return select(-1.0, sum / max(count, 1.0) * globals.shadow_size.z, count > 0.0);
}

fn soft_light(place: vec3f, pixel: vec2f) -> f32 {
    let distance_m = blocker_distance_m(place);
    if distance_m < 0.0 {
        return 1.0;
    }
    return filtered(place, clamp(distance_m * SOFTNESS, SHARPEST_M, SOFTEST_M), pixel);
}

// For the body itself: a fixed narrow edge, lifted off the surface.
fn self_light(world: vec3f, normal: vec3f, pixel: vec2f) -> f32 {
    let lift = max(2.5 * globals.shadow_size.w, 0.004);
    let place = light_place(world + normal * lift);
    return filtered(place, max(0.010, 1.5 * globals.shadow_size.w), pixel);
}
