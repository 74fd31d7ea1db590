// The floor: lines every metre and every 10 cm, filtered, fading into the
// horizon; the characters' shadow and the darkening where they touch it.

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
}

const EXTENT_M: f32 = 60.0;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> VertexOut {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    // Snapped to whole metres: the corners move, the lines do not.
    let centre = floor(globals.eye.xz);
    let world = vec3f(centre.x + corner.x * EXTENT_M, globals.bounce_light.w, centre.y + corner.y * EXTENT_M);
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(world, 1.0);
    out.world = world;
    return out;
}

// Coverage of lines of `width` every `spacing`, averaged over the pixel.
fn lines(p: vec2f, footprint: vec2f, spacing: f32, width: f32) -> f32 {
    let away = abs(fract(p / spacing + 0.5) - 0.5) * spacing;
    let blur = max(footprint, vec2f(width * 0.2));
    let cover = clamp((0.5 * (width + blur) - away) / blur, vec2f(0.0), vec2f(1.0)) * min(vec2f(1.0), width / blur);
    return max(cover.x, cover.y);
}

fn contact(world: vec3f) -> f32 {
    var hidden = 0.0;
    let count = u32(globals.ground_line.w);
    for (var i = 0u; i < count; i++) {
        let ball = globals.contacts[i];
        let to = ball.xyz - world;
        let d2 = max(dot(to, to), ball.w * ball.w * 0.81);
        hidden += max(to.y, 0.0) * ball.w * ball.w * inverseSqrt(d2) / d2;
    }
    return 1.0 - min(hidden * 0.9, 0.82);
}

fn dither(pixel: vec2f) -> f32 {
    return (fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let p = in.world.xz;
    let footprint = fwidth(p);
    let away = distance(globals.eye.xyz, in.world);
    let fade = clamp(away / 30.0, 0.0, 1.0);
    // A pool of light around what is looked at.
    let off = p - globals.focus.xz;
    var colour = globals.ground.rgb * (0.82 + 0.42 / (1.0 + 0.16 * dot(off, off)));
    let coarse = lines(p, footprint, 1.0, 0.012) * (1.0 - fade) * (1.0 - fade);
    var strength = 0.85 * coarse;
    if away < 8.0 {
        let near = 1.0 - away / 8.0;
        strength = max(strength, 0.36 * near * lines(p, footprint, 0.1, 0.005));
    }
    colour = mix(colour, globals.ground_line.rgb, strength);
    var darkness = 0.0;
    if all(p > globals.shade_area.xy) && all(p < globals.shade_area.zw) {
        let place = light_place(in.world);
        if !is_outside(place) && globals.key_colour.w > 0.5 {
            darkness = globals.ground.w * (1.0 - soft_light(place, in.clip.xy));
        }
        if globals.ground_line.w > 0.5 {
            darkness = 1.0 - (1.0 - darkness) * contact(in.world);
        }
    }
    if globals.eye.w > 0.5 {
        return vec4f(0.0, 0.0, 0.0, darkness * 0.85);
    }
    // Shadows keep some of the sky's blue.
    colour *= mix(vec3f(1.0), vec3f(0.16, 0.18, 0.22), darkness);
    let haze = fade * fade * (3.0 - 2.0 * fade);
    colour = mix(colour, globals.horizon.rgb, haze);
    return vec4f(colour * (1.0 + 3.0 * dither(in.clip.xy)), 1.0);
}

// Depth alone, so that feet sunk into the floor are hidden by it.
@fragment
fn depth_only() {}
