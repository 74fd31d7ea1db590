// The key light's view of the characters: depth alone.

struct VertexIn {
    @builtin(instance_index) instance: u32,
    @location(0) position: vec3f,
    @location(1) normal: vec4f,
    @location(2) joints: vec4u,
    @location(3) weights: vec4f,
    @location(4) shade: vec4f,
}

struct Instance {
    tint: vec4f,
    first_joint: u32,
    first_occluder: u32,
    occluders: u32,
    shows_error: u32,
}

@group(1) @binding(1) var<storage, read> instances: array<Instance>;

@vertex
fn vertex(in: VertexIn) -> @builtin(position) vec4f {
    let first = instances[in.instance].first_joint;
    var skin: Skinned;
    if DUAL {
        skin = dual_quaternion(in.position, in.normal.xyz, in.joints, in.weights, first);
    } else {
        skin = linear_blend(in.position, in.normal.xyz, in.joints, in.weights, first);
    }
    return globals.light_from_world * vec4f(skin.position, 1.0);
}
