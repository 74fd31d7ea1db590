// Skinning alone, shared by the picture, the shadow and the test that holds
// it to the CPU's reference.

struct Joint {
    rotation: vec4f,
    translation: vec4f,
}

struct Skinned {
    position: vec3f,
    normal: vec3f,
}

@group(1) @binding(0) var<storage, read> palettes: array<Joint>;

fn rotate(q: vec4f, v: vec3f) -> vec3f {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn linear_blend(p: vec3f, n: vec3f, joints: vec4u, weights: vec4f, first: u32) -> Skinned {
    var skinned = Skinned(vec3f(0.0), vec3f(0.0));
    for (var i = 0; i < 4; i++) {
        let joint = palettes[first + joints[i]];
        skinned.position += (rotate(joint.rotation, p) + joint.translation.xyz) * weights[i];
        skinned.normal += rotate(joint.rotation, n) * weights[i];
    }
    skinned.normal = normalize(skinned.normal);
    return skinned;
}

fn dual_quaternion(p: vec3f, n: vec3f, joints: vec4u, weights: vec4f, first: u32) -> Skinned {
    let reference = palettes[first + joints.x].rotation;
    var real = vec4f(0.0);
    var dual = vec4f(0.0);
    for (var i = 0; i < 4; i++) {
        let joint = palettes[first + joints[i]];
        let q = joint.rotation;
        let t = joint.translation.xyz;
        // q and −q are one rotation: all go to the half of the first.
        let weight = select(weights[i], -weights[i], dot(reference, q) < 0.0);
        real += q * weight;
        dual += vec4f(t * q.w + cross(t, q.xyz), -dot(t, q.xyz)) * (0.5 * weight);
    }
    let inverse_length = 1.0 / max(length(real), 1e-9);
    real *= inverse_length;
    dual *= inverse_length;
    let shift = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    return Skinned(rotate(real, p) + shift, rotate(real, n));
}
