// Solid bones and joint balls, one instance each.

struct VertexIn {
    @location(0) shape: vec3f,      // y from 0 at the start to 1 at the end
    @location(1) normal: vec3f,
    @location(2) from_radius: vec4f,
    @location(3) to_top: vec4f,     // w: 1 when it shines through the skin
    @location(4) colour: vec4f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    let from_m = in.from_radius.xyz;
    let along = in.to_top.xyz - from_m;
    let length_m = length(along);
    let radius = in.from_radius.w;
    var y = vec3f(0.0, 1.0, 0.0);
    var stretch = radius;
    if length_m > 1e-6 {
        y = along / length_m;
        stretch = length_m;
    }
    let side = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 0.0, 1.0), abs(y.x) > 0.8);
    let z = normalize(cross(side, y));
    let x = cross(y, z);
    let world = from_m + (x * in.shape.x + z * in.shape.z) * radius + y * in.shape.y * stretch;
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(world, 1.0);
    if in.to_top.w > 0.5 {
        // Into the nearest 5 % of depth: before the skin, in order among themselves.
        out.clip.z = 0.95 * out.clip.w + 0.05 * out.clip.z;
    }
    out.world = world;
    out.normal = x * in.normal.x / radius + z * in.normal.z / radius + y * in.normal.y / stretch;
    out.colour = in.colour.rgb;
    return out;
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let normal = normalize(in.normal);
    return for_foreground(surface_colour(in.world, normal, in.colour, 1.0, 1.0), 1.0);
}
