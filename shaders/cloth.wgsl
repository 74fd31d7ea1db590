// Sheets: two-sided, lit as the skin is, with the threads they are woven of.

struct VertexIn {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
    @location(3) weave_m: vec2f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
    @location(3) weave_m: vec2f,
}

// Threads a metre: coarse linen, so that it is seen at all.
const THREADS_PER_M: f32 = 320.0;

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(in.position, 1.0);
    out.world = in.position;
    out.normal = in.normal;
    out.colour = in.colour;
    out.weave_m = in.weave_m;
    return out;
}

@vertex
fn shadow_vertex(in: VertexIn) -> @builtin(position) vec4f {
    return globals.light_from_world * vec4f(in.position, 1.0);
}

// Over and under: 0 on average, gone where threads are finer than pixels and
// on what is not woven.
fn threads(weave_m: vec2f) -> f32 {
    let at = weave_m * THREADS_PER_M * 3.14159265;
    let width = max(fwidth(at.x), fwidth(at.y));
    if width == 0.0 {
        return 0.0;
    }
    return sin(at.x) * sin(at.y) * clamp(1.4 - width, 0.0, 1.0);
}

@fragment
fn fragment(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let view = normalize(globals.eye.xyz - in.world);
    let front_normal = normalize(in.normal + vec3f(0.0, 1e-6, 0.0));
    let facing = dot(front_normal, view);
    let seen = select(-front_normal, front_normal, front);
    // On the crest of a fold the smooth normal may lead away from the eye: it
    // is laid across the view there, or the crest would be black.
    let normal = normalize(seen - view * min(dot(seen, view), 0.0));
    var visible = 1.0;
    if SHADOWS {
        // Where light grazes, flat cells would shade each other in teeth; the
        // smooth normal darkens the turn by itself.
        let graze = smoothstep(0.05, 0.45, dot(normal, globals.key_towards.xyz));
        visible = mix(1.0, self_light(in.world, normal), graze);
    }
    // The back is a little paler, as a print is; the change runs over the turn.
    let back = smoothstep(0.12, -0.12, facing);
    let pale = mix(in.colour, vec3f(dot(in.colour, vec3f(0.3333))), 0.22) * 0.9;
    let albedo = mix(in.colour, pale, back) * (1.0 + 0.16 * threads(in.weave_m));
    // A little of the light comes through from behind.
    let behind = max(-dot(normal, globals.key_towards.xyz), 0.0);
    let colour = surface_colour(in.world, normal, albedo, visible, 1.0 - 0.25 * behind);
    return for_foreground(colour, 1.0);
}
