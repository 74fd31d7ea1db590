// Bodies grown around a skeleton: every instance has its own palette.

// Mirrors `GpuInstance` in skin.rs.
struct Instance {
    tint: vec4f,          // w: opacity
    first_joint: u32,
    first_occluder: u32,
    occluders: u32,
    shows_error: u32,
}

@group(1) @binding(1) var<storage, read> instances: array<Instance>;
@group(1) @binding(2) var<storage, read> errors: array<f32>;
@group(1) @binding(3) var<storage, read> occluders: array<vec4f>;

struct VertexIn {
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec4f,
    @location(2) joints: vec4u,
    @location(3) weights: vec4f,
    @location(4) shade: vec4f,
}

struct VertexOut {
    @builtin(position) clip: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) shade: vec3f, // light that gets in, seam field, error
    @location(3) @interpolate(flat) tint: vec4f,
    @location(4) @interpolate(flat) shows_error: u32,
}

fn skinned(in: VertexIn, first: u32) -> Skinned {
    if DUAL_QUATERNIONS {
        return dual_quaternion(in.position, in.normal.xyz, in.joints, in.weights, first);
    }
    return linear_blend(in.position, in.normal.xyz, in.joints, in.weights, first);
}

// The same formula as `body::occlusion_at`: a ball of radius r at distance d
// hides cos θ · (r/d)² of the light from around.
fn occlusion(instance: Instance, p: vec3f, n: vec3f) -> f32 {
    var hidden = 0.0;
    for (var i = 0u; i < instance.occluders; i++) {
        let ball = occluders[instance.first_occluder + i];
        let to = ball.xyz - p;
        let distance = max(length(to), max(ball.w * 0.9, 1e-6));
        let fraction = ball.w / distance;
        hidden += max(dot(n, to) / distance, 0.0) * fraction * fraction;
    }
    return min(hidden, 1.0);
}

@vertex
fn vertex(in: VertexIn) -> VertexOut {
    let instance = instances[in.instance];
    let skin = skinned(in, instance.first_joint);
    var open = 1.0;
    if OCCLUSION {
        // What the bind pose already hides is in `shade.x`.
        let more = occlusion(instance, skin.position, skin.normal) - in.shade.y;
        // Balls overlap and hide the same sky twice: 15 % of it always remain.
        let near = 1.0 - clamp(0.95 * more, 0.0, 0.85);
        open = in.shade.x * near * open_above_floor(skin.position, skin.normal);
    }
    var error = 0.0;
    if ERRORS && instance.shows_error != 0u {
        for (var i = 0; i < 4; i++) {
            error += errors[instance.first_joint + in.joints[i]] * in.weights[i];
        }
    }
    var out: VertexOut;
    out.clip = globals.clip_from_world * vec4f(skin.position, 1.0);
    out.world = skin.position;
    out.normal = skin.normal;
    out.shade = vec3f(open, in.shade.z, error);
    out.tint = instance.tint;
    out.shows_error = instance.shows_error;
    return out;
}

@vertex
fn shadow_vertex(in: VertexIn) -> @builtin(position) vec4f {
    let skin = skinned(in, instances[in.instance].first_joint);
    return globals.light_from_world * vec4f(skin.position, 1.0);
}

@fragment
fn fragment(in: VertexOut) -> @location(0) vec4f {
    let normal = normalize(in.normal);
    var albedo = character_albedo(globals.skin.rgb * in.tint.rgb, in.shade.z, in.shows_error);
    // A hairline where a joint begins: never thinner than a pixel, and fading
    // out where it would cover more than the limb can bear.
    let slope = fwidth(in.shade.y);
    let half_width = max(0.045, 0.9 * slope);
    let off = abs(in.shade.y - 0.5) / half_width;
    let seam = f32(SEAMS) * clamp(1.35 - 1.35 * off, 0.0, 1.0) * clamp(1.6 - 3.0 * slope, 0.0, 1.0);
    albedo *= 1.0 - 0.38 * seam;
    let open = in.shade.x * (1.0 - 0.25 * seam);
    let colour = character_colour(in.world, normal, albedo, open, in.tint.w);
    return for_foreground(colour, in.tint.w);
}

@fragment
fn depth_only() {}
