//! The GPU skins as the CPU does: the picture's WGSL in a compute pass, held
//! to the reference.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Quat};

use super::*;
use crate::{
    body::Skinning,
    render::{
        buffers::{buffer_of, buffer_sized},
        layouts::bind_group,
        shader::compile,
    },
};

/// Mirrors `In` of [`wrapper`].
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Probe {
    position: [f32; 4],
    normal: [f32; 4],
    joints: [u32; 4],
    weights: [f32; 4],
}

/// Calls a function of skinning.wgsl for every vertex `v`.
fn wrapper(call: &str) -> String {
    format!(
        "struct In {{ position: vec4f, normal: vec4f, joints: vec4u, weights: vec4f }}
        @group(0) @binding(0) var<storage, read> vertices: array<In>;
        @group(0) @binding(1) var<storage, read_write> skinned: array<vec4f>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            if id.x < arrayLength(&vertices) {{
                let v = vertices[id.x];
                let s = {call};
                skinned[id.x] = vec4f(s.position, 1.0);
            }}
        }}"
    )
}

fn compute_pipeline(gpu: &Gpu, call: &str) -> wgpu::ComputePipeline {
    let module = compile(gpu, "compute", &[SKINNING, &wrapper(call)]);
    gpu.device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
}

/// Positions of all probes, moved by a palette of joints or slots.
fn gpu_skinned<T: Pod>(gpu: &Gpu, call: &str, probes: &[Probe], palette: &[T]) -> Vec<Vec3A> {
    use wgpu::BufferUsages as Usage;
    let pipeline = compute_pipeline(gpu, call);
    let input = buffer_of(gpu, "in", Usage::STORAGE, probes);
    let palette = buffer_of(gpu, "palette", Usage::STORAGE, palette);
    let bytes = (16 * probes.len()) as u64;
    let output = buffer_sized(gpu, "out", Usage::STORAGE | Usage::COPY_SRC, bytes);
    let readback = buffer_sized(gpu, "readback", Usage::MAP_READ, bytes);
    let group = |index, buffers: &[&wgpu::Buffer]| {
        let resources: Vec<_> = buffers.iter().map(|it| it.as_entire_binding()).collect();
        bind_group(gpu, "", &pipeline.get_bind_group_layout(index), &resources)
    };
    let mut encoder = gpu
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group(0, &[&input, &output]), &[]);
    pass.set_bind_group(1, &group(1, &[&palette]), &[]);
    pass.dispatch_workgroups((probes.len() as u32).div_ceil(64), 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&output, 0, &readback, 0, bytes);
    gpu.queue.submit([encoder.finish()]);
    read_positions(gpu, &readback)
}

fn read_positions(gpu: &Gpu, readback: &wgpu::Buffer) -> Vec<Vec3A> {
    readback.slice(..).map_async(wgpu::MapMode::Read, |_| {});
    gpu.device
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
    gpu.take_fault().unwrap();
    let mapped = readback.slice(..).get_mapped_range().unwrap();
    bytemuck::cast_slice::<u8, [f32; 4]>(&mapped)
        .iter()
        .map(|p| Vec3A::new(p[0], p[1], p[2]))
        .collect()
}

fn probes(body: &Body) -> Vec<Probe> {
    let probe = |v: &crate::body::Vertex| Probe {
        position: Vec3::from(v.position).extend(1.0).to_array(),
        normal: v.normal().extend(0.0).to_array(),
        joints: v.joints.map(u32::from),
        weights: v.weights.map(|w| f32::from(w) / 65535.0),
    };
    body.vertices().iter().map(probe).collect()
}

fn assert_gpu_agrees(gpu: &Gpu, body: &Body, pose: &ModelPose, what: &str) {
    let mut palette = vec![crate::math::Transform::IDENTITY; pose.joints().len()];
    crate::body::palette(pose, body.joint_from_bind(), &mut palette);
    let joints: Vec<[f32; 8]> = palette
        .iter()
        .map(|t| {
            let (q, p) = (t.rotation.to_array(), t.translation);
            [q[0], q[1], q[2], q[3], p.x, p.y, p.z, 0.0]
        })
        .collect();
    for method in [Skinning::LinearBlend, Skinning::DualQuaternion] {
        let function = match method {
            Skinning::LinearBlend => "linear_blend",
            Skinning::DualQuaternion => "dual_quaternion",
        };
        let call = format!("{function}(v.position.xyz, v.normal.xyz, v.joints, v.weights, 0u)");
        let found = gpu_skinned(gpu, &call, &probes(body), &joints);
        let pairs = body.vertices().iter().zip(&found);
        let worst = pairs.fold(0.0f32, |worst, (vertex, gpu)| {
            worst.max((skin_vertex(vertex, &palette, method).0 - *gpu).length())
        });
        // A tenth of a millimetre: single precision at arm's length, with room
        // for the adapter's own order of sums.
        assert!(worst < 1e-4, "{what}, {method:?}: {worst} m apart");
        let moved = found.iter().any(|p| p.length() > 0.1);
        assert!(moved, "{what}: something was computed");
    }
}

#[test]
fn gpu_and_cpu_skin_alike_in_wild_poses() {
    let gpu = Gpu::offscreen().unwrap();
    let skeleton = cmu_like();
    let body = Body::grow(&skeleton);
    let mut local = skeleton.rest().clone();
    for (index, joint) in local.joints_mut().iter_mut().enumerate() {
        let a = index as f32;
        let angles = [0.9 * a.sin(), 1.1 * (1.7 * a).sin(), 0.7 * (2.3 * a).cos()];
        let [x, y, z] = angles;
        joint.rotation = Quat::from_euler(glam::EulerRot::XYZ, x, y, z);
    }
    let mut pose = ModelPose::default();
    pose.compute(&skeleton, &local);
    assert_gpu_agrees(&gpu, &body, &pose, "wild");
}

#[test]
fn gpu_and_cpu_skin_alike_on_every_built_in_clip() {
    let gpu = Gpu::offscreen().unwrap();
    let (skeleton, clips) = crate::body::testing::performer();
    let body = Body::grow(&skeleton);
    let mut local = crate::skeleton::LocalPose::default();
    let mut pose = ModelPose::default();
    for (name, clip) in clips {
        for third in [0, 1, 2] {
            let frame = (clip.frames() - 1) * third / 3;
            clip.frame_pose(&skeleton, frame, &mut local);
            pose.compute(&skeleton, &local);
            assert_gpu_agrees(&gpu, &body, &pose, name);
        }
    }
}

/// Four slots that scale unevenly, shear and mirror; a vertex of each number of
/// influences, and one that names a slot beyond its part's.
#[test]
fn gpu_and_cpu_blend_the_slots_of_models_alike() {
    let gpu = Gpu::offscreen().unwrap();
    let slots = [0.0f32, 1.0, 2.0, 3.0].map(|n| {
        let turned = Quat::from_euler(glam::EulerRot::XYZ, 0.7 * n, 1.3 - n, 0.4 * n);
        let scale = Vec3::new(1.0 + 0.5 * n, 0.3 + n, -1.2);
        Affine3A::from_scale_rotation_translation(scale, turned, Vec3::new(n, 0.2, -n))
    });
    let palette = slots.map(|slot| {
        let rows = [0, 1, 2].map(|row| {
            let linear = slot.matrix3.row(row);
            [linear.x, linear.y, linear.z, slot.translation[row]]
        });
        [rows[0], rows[1], rows[2], [0.0; 4]]
    });
    let probes = [
        ([0, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
        ([1, 2, 0, 0], [0.25, 0.75, 0.0, 0.0]),
        ([3, 1, 2, 0], [0.5, 0.25, 0.125, 0.125]),
        ([99, 1, 0, 0], [0.5, 0.5, 0.0, 0.0]),
    ]
    .map(|(joints, weights)| Probe {
        position: [0.3, -1.1, 0.8, 1.0],
        normal: [0.0, 1.0, 0.0, 0.0],
        joints,
        weights,
    });
    let call = "affine_blend(v.position.xyz, v.normal.xyz, v.joints, v.weights, 0u, 3u)";
    for (probe, found) in probes
        .iter()
        .zip(gpu_skinned(&gpu, call, &probes, &palette))
    {
        let influences = probe.joints.iter().zip(probe.weights);
        let expected: Vec3A = influences
            .map(|(&joint, weight)| {
                let slot = slots[joint.min(3) as usize];
                slot.transform_point3a(Vec3A::new(0.3, -1.1, 0.8)) * weight
            })
            .sum();
        let off_m = (found - expected).length();
        assert!(
            off_m < 1e-5,
            "{:?}: {off_m} m from {expected}",
            probe.joints
        );
    }
}
