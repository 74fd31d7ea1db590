// A quiet vertical gradient behind everything.

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) ray: vec3f,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> VertexOut {
    let corner = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    var out: VertexOut;
    out.clip = vec4f(corner, 0.0, 1.0); // depth 0 is infinitely far
    let near = globals.world_from_clip * vec4f(corner, 1.0, 1.0);
    out.ray = near.xyz / near.w - globals.eye.xyz;
    return out;
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let up = normalize(in.ray).y;
    let t = clamp(up * 1.9, 0.0, 1.0);
    let colour = mix(globals.horizon.rgb, globals.zenith.rgb, t * (2.0 - t));
    return vec4f(colour * (1.0 + 3.0 * dither(in.clip.xy)), 1.0);
}
