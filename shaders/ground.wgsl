// The floor: lines every metre and every 10 cm, filtered, fading into the
// horizon; and over a small part of it the characters' shadow and the
// darkening where they touch it.

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
}

const EXTENT_M: f32 = 60.0;

fn at(world: vec3f) -> VertexOut {
    return VertexOut(globals.clip_from_world * vec4f(world, 1.0), world);
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> VertexOut {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    // Snapped to whole metres: the corners move, the lines do not.
    let xz = floor(globals.eye.xz) + corner * EXTENT_M;
    return at(vec3f(xz.x, globals.bounce_light.w, xz.y));
}

@vertex
fn depth_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let patch_ = globals.floor_patch;
    let x = select(patch_.x, patch_.z, (index & 1u) == 1u);
    let z = select(patch_.y, patch_.w, index >= 2u);
    return globals.clip_from_world * vec4f(x, globals.bounce_light.w, z, 1.0);
}

// Coverage of lines of `width` every `spacing`, averaged over the pixel's
// footprint: a box filter in closed form. Lines thinner than a pixel fade
// instead of flickering.
fn lines(p: vec2f, footprint: vec2f, spacing: f32, width: f32) -> f32 {
    let away = abs(fract(p / spacing + 0.5) - 0.5) * spacing;
    let blur = max(footprint, vec2f(width * 0.2));
    let cover = clamp((0.5 * (width + blur) - away) / blur, vec2f(0.0), vec2f(1.0)) * min(vec2f(1.0), width / blur);
    return max(cover.x, cover.y);
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let p = in.world.xz;
    let footprint = fwidth(p);
    let away = distance(globals.eye.xyz, in.world);
    let fade = clamp(away / 30.0, 0.0, 1.0);
    let coarse = lines(p, footprint, 1.0, 0.012) * (1.0 - fade) * (1.0 - fade);
    let near = clamp(1.0 - away / 8.0, 0.0, 1.0);
    let strength = max(0.85 * coarse, 0.36 * near * lines(p, footprint, 0.1, 0.005));
    // A pool of light around what is looked at.
    let off = p - globals.focus.xz;
    var colour = globals.ground.rgb * (0.82 + 0.42 / (1.0 + 0.16 * dot(off, off)));
    colour = mix(colour, globals.ground_line.rgb, strength);
    let haze = fade * fade * (3.0 - 2.0 * fade);
    colour = mix(colour, globals.horizon.rgb, haze);
    return vec4f(colour * (1.0 + 3.0 * dither(in.clip.xy)), 1.0);
}

// Depth alone, so that feet sunk into the floor are hidden by it.
@fragment
fn depth_only() {}

@vertex
fn shade_vertex(@builtin(vertex_index) index: u32) -> VertexOut {
    return at(globals.shade_corners[index].xyz);
}

// Fraction of the sky that balls near the floor hide. A ball above the horizon
// takes cos θ · (r/d)² of it; as balls overlap, their sum is an overestimate.
fn contact(world: vec3f) -> f32 {
    var hidden = 0.0;
    for (var i = 0u; i < 8u; i++) {
        let ball = globals.contacts[i];
        let to = ball.xyz - world;
        let r2 = ball.w * ball.w;
        // Never closer than 0.9 radii: inside a ball the formula has no meaning.
        let d2 = max(dot(to, to), r2 * 0.81 + 1e-6);
        hidden += max(to.y, 0.0) * r2 * inverseSqrt(d2) / d2;
    }
    return min(hidden * 0.9, 0.82);
}

// Shadow and contact, blended over the floor.
@fragment
fn shade_fragment(in: VertexOut) -> @location(0) vec4f {
    let position = shadow_map_position(in.world);
    var darkness = 0.0;
    if SHADOWS {
        darkness = globals.ground.w * (1.0 - soft_light(in.world, position, in.clip.xy));
    }
    if OCCLUSION {
        // Nothing may show where the quad ends: all within its last 6 cm.
        let inset_m = min(position.xy, 1.0 - position.xy) * globals.shadow_size.xy;
        let fade = clamp(min(inset_m.x, inset_m.y) * 16.0, 0.0, 1.0);
        darkness = 1.0 - (1.0 - darkness) * (1.0 - fade * contact(in.world));
    }
    // Some of the sky's light reaches even the darkest spot, and it is blue.
    let alpha = darkness * 0.84;
    return vec4f(globals.horizon.rgb * vec3f(0.10, 0.12, 0.16) * alpha, alpha);
}
