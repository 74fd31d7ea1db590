// Straight lines with a width in pixels and smooth edges.

struct VertexIn {
    @builtin(vertex_index) corner: u32,
    @location(0) from_width: vec4f,
    @location(1) to_top: vec4f,
    @location(2) colour: vec4f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) across_px: f32,
    @location(1) @interpolate(flat) colour: vec4f,
    @location(2) @interpolate(flat) half_px: f32,
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    var a = globals.clip_from_world * vec4f(in.from_width.xyz, 1.0);
    var b = globals.clip_from_world * vec4f(in.to_top.xyz, 1.0);
    // Cut at the near plane, where depth reaches w.
    let da = a.w - a.z;
    let db = b.w - b.z;
    if da < 0.0 && db > 0.0 { a = mix(a, b, -da / (db - da) + 1e-4); }
    if db < 0.0 && da > 0.0 { b = mix(b, a, -db / (da - db) + 1e-4); }
    let size = globals.viewport.xy * 0.5;
    let along = (b.xy / b.w - a.xy / a.w) * size;
    let direction = select(vec2f(1.0, 0.0), normalize(along), dot(along, along) > 1e-8);
    let sideways = vec2f(-direction.y, direction.x);
    let half_px = in.from_width.w * 0.5;
    // A pixel more on either side for the smooth edge.
    let reach = half_px + 1.0;
    // The corners of a strip: odd ones on one side, the last two at the end.
    let side = select(-1.0, 1.0, (in.corner & 1u) == 1u);
    let at_end = in.corner >= 2u;
    var out: VertexOut;
    out.clip = select(a, b, at_end);
    let cap = select(-0.5, 0.5, at_end) * half_px;
    out.clip += vec4f((sideways * side * reach + direction * cap) / size * out.clip.w, 0.0, 0.0);
    if in.to_top.w > 0.5 {
        // Into the nearest 2 % of depth: before the skin and even its bones.
        out.clip.z = 0.98 * out.clip.w + 0.02 * out.clip.z;
    }
    out.across_px = side * reach;
    out.colour = in.colour;
    out.half_px = half_px;
    return out;
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    // How much of a pixel's width the line covers, were it to run straight up.
    let cover = clamp(in.half_px + 0.5 - abs(in.across_px), 0.0, 1.0);
    return for_foreground(in.colour.rgb, in.colour.a * cover);
}
