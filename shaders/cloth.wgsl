// Sheets: two-sided, lit as the skin is.

struct VertexIn {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) colour: vec3f,
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(in.position, 1.0);
    out.world = in.position;
    out.normal = in.normal;
    out.colour = in.colour;
    return out;
}

@vertex
fn shadow_vertex(in: VertexIn) -> @builtin(position) vec4f {
    return globals.light_from_world * vec4f(in.position, 1.0);
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let view = globals.eye.xyz - in.world;
    let smooth_normal = normalize(in.normal + vec3f(0.0, 1e-6, 0.0));
    // The side that is seen, by the vertex normal: no seam where the two meet.
    let normal = select(-smooth_normal, smooth_normal, dot(smooth_normal, view) > 0.0);
    var visible = 1.0;
    if SHADOWS {
        // Off the sheet towards the light, whichever side that is.
        visible = self_light(in.world, normal);
    }
    // A little of the light comes through from behind.
    let behind = max(-dot(normal, globals.key_towards.xyz), 0.0);
    let colour = surface_colour(in.world, normal, in.colour, visible, 1.0 - 0.25 * behind);
    return for_cutout(colour, 1.0);
}
