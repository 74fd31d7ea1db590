// Skinning alone, shared by the picture, the shadow and the test that holds
// it to the CPU's reference: bodies blend rigid joints, models affine slots.

struct Joint {
    rotation: vec4f,
    translation: vec4f,
}

// Mirrors `GpuSlot` in mesh/mod.rs.
struct Slot {
    rows: array<vec4f, 3>, // world_from_mesh
    error: vec4f,          // x: of its joint, 0 to 1
}

struct Skinned {
    position: vec3f,
    normal: vec3f,
}

// One binding for whichever of the two a shader reads.
@group(1) @binding(0) var<storage, read> palettes: array<Joint>;
@group(1) @binding(0) var<storage, read> slots: array<Slot>;

// v + 2w (u × v) + 2 u × (u × v), with q = (u, w) of unit length.
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

// Dual quaternion linear blending (Kavan and others 2007): no loss of volume
// where a joint twists.
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
        // The dual part is ½ t q, with t as a quaternion without a real part.
        dual += vec4f(t * q.w + cross(t, q.xyz), -dot(t, q.xyz)) * (0.5 * weight);
    }
    let inverse_length = 1.0 / max(length(real), 1e-9);
    real *= inverse_length;
    dual *= inverse_length;
    let shift = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    return Skinned(rotate(real, p) + shift, rotate(real, n));
}

// Vertices name one of their part's own slots; `last` guards against those
// that a file counts too high.
fn affine_blend(p: vec3f, n: vec3f, own: vec4u, weights: vec4f, first: u32, last: u32) -> Skinned {
    var rows = array<vec4f, 3>();
    for (var i = 0; i < 4; i++) {
        let slot = slots[first + min(own[i], last)];
        rows[0] += slot.rows[0] * weights[i];
        rows[1] += slot.rows[1] * weights[i];
        rows[2] += slot.rows[2] * weights[i];
    }
    let q = vec4f(p, 1.0);
    let x = vec3f(rows[0].x, rows[1].x, rows[2].x);
    let y = vec3f(rows[0].y, rows[1].y, rows[2].y);
    let z = vec3f(rows[0].z, rows[1].z, rows[2].z);
    // By the matrix of cofactors, which is the inverse transpose but for its
    // length: normals stay upright on what is scaled unevenly.
    let normal = cross(y, z) * n.x + cross(z, x) * n.y + cross(x, y) * n.z;
    let position = vec3f(dot(rows[0], q), dot(rows[1], q), dot(rows[2], q));
    return Skinned(position, normal / max(length(normal), 1e-20));
}
