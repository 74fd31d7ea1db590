//! Shaders validate, the GPU skins as the CPU does, light and shadow fall
//! where the formulas say.

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};

use super::{
    buffers::buffer_of,
    globals::GpuGlobals,
    shader::{GLOBALS, SKINNING, Shader, compile},
    *,
};
use crate::{
    body::{Body, Skinning, skin_vertex},
    scene::{Actor, Camera, Instance, Light, Look, Overlay, Phong, Shading},
    skeleton::{
        ModelPose, WorldPose,
        testing::{cmu_like, from_bones},
    },
};

#[test]
fn every_shader_validates() {
    let whole = Shader::ALL.map(|shader| (format!("{shader:?}"), shader.sources()));
    let alone = ("skinning".to_owned(), &[SKINNING][..]);
    let sources: Vec<_> = whole.into_iter().chain([alone]).collect();
    for (name, parts) in &sources {
        let text = parts.concat();
        let module = naga::front::wgsl::parse_str(&text)
            .unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&text)));
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        );
        if let Err(e) = validator.validate(&module) {
            panic!("{name}: {}", e.emit_to_string(&text));
        }
    }
    // A file that no list above names would go unchecked.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(
            sources
                .iter()
                .any(|(_, parts)| parts.contains(&text.as_str())),
            "a shader is in no list"
        );
    }
}

/// The uniform block on both sides has the same size.
#[test]
fn globals_match_their_mirror() {
    let module = naga::front::wgsl::parse_str(GLOBALS).unwrap();
    let (_, block) = module
        .types
        .iter()
        .find(|(_, ty)| ty.name.as_deref() == Some("Globals"))
        .unwrap();
    let naga::TypeInner::Struct { span, .. } = block.inner else {
        panic!("Globals is a struct");
    };
    assert_eq!(span as usize, size_of::<GpuGlobals>());
}

/// A ball of 1.8 cm, grown from a lone joint, lifted to `centre`.
fn ball_frame(centre: Vec3) -> (FrameData, Arc<Body>) {
    let skeleton = from_bones("lone", &[]);
    let body = Arc::new(Body::grow(&skeleton));
    let mut pose = ModelPose::default();
    pose.compute(&skeleton, skeleton.rest());
    pose.joints_mut()[0].translation = centre.into();
    let pose = WorldPose::from(pose);
    let mut frame = FrameData::default();
    frame.push_character(&body, &pose, Instance::default(), None);
    (frame, body)
}

fn linear(byte: u8) -> f32 {
    let x = f32::from(byte) / 255.0;
    if x <= 0.04045 {
        x / 12.92
    } else {
        ((x + 0.055) / 1.055).powf(2.4)
    }
}

/// Phong's formula, written out again from the definition.
fn expected_phong(look: &Look, normal: Vec3, view: Vec3) -> Vec3 {
    let mut sum = look.phong.ambient + look.phong.emissive;
    for light in [look.key, look.fill] {
        let facing = normal.dot(light.towards);
        if facing > 0.0 {
            let mirrored = 2.0 * facing * normal - light.towards;
            let highlight = match look.shading {
                Shading::BlinnPhong => normal.dot((light.towards + view).normalize()),
                _ => mirrored.dot(view),
            };
            let highlight = highlight.max(0.0).powf(look.phong.shininess);
            sum += light.colour * (look.phong.diffuse * facing + look.phong.specular * highlight);
        }
    }
    sum
}

#[test]
fn phong_and_blinn_are_exact_at_probe_points() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [200, 200], Quality::SOFTWARE).unwrap();
    let centre = Vec3::new(0.0, 1.0, 0.0);
    let (mut frame, body) = ball_frame(centre);
    let radius = Vec3::from(body.vertices()[0].position).length();
    frame.camera = Camera {
        target: centre,
        azimuth_rad: 0.0,
        elevation_rad: 0.0,
        distance_m: 100.0 * radius,
        fov_y_rad: 2.4f32.atan() / 50.0,
        ..Camera::default()
    };
    frame.look = Look {
        shadows: false,
        occlusion: false,
        seams: false,
        ground: false,
        key: Light {
            towards: Vec3::new(0.6, 0.5, 0.7).normalize(),
            colour: Vec3::new(0.9, 0.8, 0.7),
        },
        fill: Light {
            towards: Vec3::new(-0.9, 0.1, 0.2).normalize(),
            colour: Vec3::new(0.1, 0.15, 0.2),
        },
        phong: Phong {
            ambient: Vec3::new(0.02, 0.03, 0.04),
            diffuse: Vec3::new(0.5, 0.4, 0.3),
            specular: Vec3::splat(0.25),
            emissive: Vec3::new(0.01, 0.0, 0.0),
            shininess: 16.0,
        },
        ..Look::default()
    };
    for shading in [Shading::Phong, Shading::BlinnPhong] {
        frame.look.shading = shading;
        let picture = offscreen.render(&gpu, &frame).unwrap();
        let view = frame.camera.view(1.0);
        let mut lit_and_unlit = Vec::new();
        for normal in [
            Vec3::Z,
            Vec3::new(0.6, 0.5, 0.7).normalize(),
            Vec3::new(-0.7, 0.0, 0.6).normalize(),
            Vec3::new(-0.3, -0.6, 0.6).normalize(),
            Vec3::new(0.3, 0.3, 0.8).normalize(),
        ] {
            let at = view.project(centre + normal * radius).unwrap() * 200.0;
            let found = picture.pixel(at.x as u32, at.y as u32);
            // The pixel's own middle, not the probe's exact spot, is what is lit.
            let to_eye = (view.eye - centre - normal * radius).normalize();
            let expected = expected_phong(&frame.look, normal, to_eye);
            for channel in 0..3 {
                let found = linear(found[channel]);
                let expected = expected[channel].min(1.0);
                assert!(
                    (found - expected).abs() < 0.015 + 0.03 * expected,
                    "{shading:?} at {normal}, channel {channel}: {found} is not {expected}"
                );
            }
            lit_and_unlit.push(linear(found[1]));
        }
        // The lit probe is brighter than the one turned away, as computed.
        assert!(lit_and_unlit[1] > 4.0 * lit_and_unlit[3]);
    }
}

#[test]
fn the_shadow_falls_where_the_light_says() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [400, 400], Quality::SOFTWARE).unwrap();
    // A pillar a metre long and two hands thick, in the air.
    let skeleton = from_bones("pillar", &[("a", "root", [0.0, 1.0, 0.0])]);
    let centre = Vec3::new(0.3, 0.9, -0.2);
    let mut pose = WorldPose::from(skeleton.rest_model());
    for joint in pose.joints_mut() {
        joint.translation += Vec3A::from(centre) - Vec3A::Y * 0.5;
    }
    let mut frame = FrameData::default();
    let body = Arc::new(Body::grow(&skeleton));
    frame.push_character(&body, &pose, Instance::default(), None);
    frame.look.occlusion = false;
    frame.camera = Camera {
        target: Vec3::ZERO,
        elevation_rad: 89f32.to_radians(),
        distance_m: 6.0,
        ..Camera::default()
    };
    for towards in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-0.5, 1.0, 0.8)] {
        frame.look.key.towards = towards.normalize();
        let mut at_ground = |x: f32, z: f32, frame: &FrameData| {
            let picture = offscreen.render(&gpu, frame).unwrap();
            let at = frame
                .camera
                .view(1.0)
                .project(Vec3::new(x, 0.0, z))
                .unwrap()
                * 400.0;
            linear(picture.pixel(at.x as u32, at.y as u32)[1])
        };
        let shadow = centre - towards * (centre.y / towards.y);
        let dark = at_ground(shadow.x, shadow.z, &frame);
        let mirrored = centre + towards * (centre.y / towards.y);
        let bright = at_ground(mirrored.x, mirrored.z, &frame);
        assert!(dark < 0.6 * bright, "{towards}: {dark} against {bright}");
        frame.look.shadows = false;
        let without = at_ground(shadow.x, shadow.z, &frame);
        frame.look.shadows = true;
        assert!(
            dark < 0.6 * without,
            "{dark} against {without} without shadows"
        );
    }
}

#[test]
fn a_transparent_background_is_clear_and_the_body_is_not() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [100, 100], Quality::SOFTWARE).unwrap();
    let (mut frame, _) = ball_frame(Vec3::Y);
    frame.look.transparent = true;
    frame.camera.target = Vec3::Y;
    frame.camera.distance_m = 0.5;
    let picture = offscreen.render(&gpu, &frame).unwrap();
    assert_eq!(picture.pixel(2, 2)[3], 0);
    assert_eq!(picture.pixel(50, 50)[3], 255);
    frame.look.transparent = false;
    let picture = offscreen.render(&gpu, &frame).unwrap();
    assert_eq!(picture.pixel(2, 2)[3], 255);
}

#[test]
fn an_empty_scene_and_one_of_text_and_lines_alone_draw() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [64, 48], Quality::SOFTWARE).unwrap();
    let empty = offscreen.render(&gpu, &FrameData::default()).unwrap();
    let skeleton = cmu_like();
    let body = Arc::new(Body::grow(&skeleton));
    let pose = WorldPose::from(skeleton.rest_model());
    let mut frame = FrameData::default();
    let actor = Actor {
        skeleton: &skeleton,
        body: &body,
        pose: &pose,
    };
    let overlay = Overlay {
        hide_skin: true,
        bones: true,
        axes: true,
        names: true,
    };
    frame.push_actor(actor, overlay, None);
    let marked = offscreen.render(&gpu, &frame).unwrap();
    assert_ne!(empty, marked);
}

/// The same WGSL as the picture, in a compute pass, against the CPU.
fn gpu_skinned(
    gpu: &Gpu,
    body: &Body,
    palette: &[crate::math::Transform],
    dual: bool,
) -> Vec<Vec3A> {
    let call = if dual {
        "dual_quaternion"
    } else {
        "linear_blend"
    };
    let wrapper = format!(
        "struct In {{ position: vec4f, normal: vec4f, joints: vec4u, weights: vec4f }}
        @group(0) @binding(0) var<storage, read> vertices: array<In>;
        @group(0) @binding(1) var<storage, read_write> skinned: array<vec4f>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            if id.x < arrayLength(&vertices) {{
                let v = vertices[id.x];
                let s = {call}(v.position.xyz, v.normal.xyz, v.joints, v.weights, 0u);
                skinned[id.x] = vec4f(s.position, 1.0);
            }}
        }}"
    );
    let module = compile(gpu, "compute", &[SKINNING, &wrapper]);
    let pipeline = gpu
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
    let vertices: Vec<u32> = body
        .vertices()
        .iter()
        .flat_map(|v| {
            let [x, y, z] = v.position;
            let n = v.normal();
            let weights = v.weights.map(|w| (f32::from(w) / 65535.0).to_bits());
            let head = [x, y, z, 1.0, n.x, n.y, n.z, 0.0].map(f32::to_bits);
            head.into_iter()
                .chain(v.joints.map(u32::from))
                .chain(weights)
        })
        .collect();
    let joints: Vec<[f32; 8]> = palette
        .iter()
        .map(|t| {
            let (q, p) = (t.rotation.to_array(), t.translation);
            [q[0], q[1], q[2], q[3], p.x, p.y, p.z, 0.0]
        })
        .collect();
    let usage = wgpu::BufferUsages::STORAGE;
    let input = buffer_of(gpu, "in", usage, &vertices);
    let entries = buffer_of(gpu, "palette", usage, &joints);
    let bytes = body.vertices().len() as u64 * 16;
    let make = |usage| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    };
    let output = make(usage | wgpu::BufferUsages::COPY_SRC);
    let readback = make(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let group = |index, buffers: &[&wgpu::Buffer]| {
        let entries: Vec<_> = (0u32..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(index),
            entries: &entries,
        })
    };
    let (own, shared) = (group(0, &[&input, &output]), group(1, &[&entries]));
    let mut encoder = gpu
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &own, &[]);
        pass.set_bind_group(1, &shared, &[]);
        pass.dispatch_workgroups((body.vertices().len() as u32).div_ceil(64), 1, 1);
    }
    encoder.copy_buffer_to_buffer(&output, 0, &readback, 0, bytes);
    gpu.queue.submit([encoder.finish()]);
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

fn assert_gpu_agrees(gpu: &Gpu, body: &Body, pose: &ModelPose, what: &str) {
    let mut palette = vec![crate::math::Transform::IDENTITY; pose.joints().len()];
    crate::body::palette(pose, body.joint_from_bind(), &mut palette);
    for method in [Skinning::LinearBlend, Skinning::DualQuaternion] {
        let found = gpu_skinned(gpu, body, &palette, method == Skinning::DualQuaternion);
        let pairs = body.vertices().iter().zip(&found);
        let worst = pairs.fold(0.0f32, |worst, (vertex, gpu)| {
            worst.max((skin_vertex(vertex, &palette, method).0 - *gpu).length())
        });
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

#[test]
fn a_lost_device_is_reported_and_a_new_one_draws_the_same() {
    let (mut frame, _) = ball_frame(Vec3::Y);
    frame.camera.target = Vec3::Y;
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [96, 64], Quality::SOFTWARE).unwrap();
    let before = offscreen.render(&gpu, &frame).unwrap();
    gpu.lose();
    let lost = offscreen.render(&gpu, &frame);
    assert!(matches!(lost, Err(GpuError::Lost(_))), "{lost:?}");
    // Whoever does not listen hears it again.
    assert_eq!(offscreen.render(&gpu, &frame), lost);
    let another = Offscreen::new(&gpu, [8, 8], Quality::SOFTWARE);
    assert!(matches!(another, Err(GpuError::Lost(_))));
    drop((offscreen, gpu));
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [96, 64], Quality::SOFTWARE).unwrap();
    assert_eq!(offscreen.render(&gpu, &frame).unwrap(), before);
}

/// Every vertex of a wild pose lies in the rectangle and in the shadow map
/// that the hull of balls leads to.
#[test]
fn the_hull_holds_the_skin() {
    let skeleton = cmu_like();
    let body = Arc::new(Body::grow(&skeleton));
    let mut local = skeleton.rest().clone();
    for (index, joint) in local.joints_mut().iter_mut().enumerate() {
        let a = index as f32;
        let [x, y, z] = [0.6 * a.sin(), 0.7 * (1.7 * a).sin(), 0.5 * (2.3 * a).cos()];
        joint.rotation = Quat::from_euler(glam::EulerRot::XYZ, x, y, z);
    }
    let mut pose = ModelPose::default();
    pose.compute(&skeleton, &local);
    let pose = WorldPose::from(pose);
    let mut frame = FrameData::default();
    frame.push_character(&body, &pose, Instance::default(), None);
    let mut palette = vec![crate::math::Transform::IDENTITY; pose.joints().len()];
    crate::body::palette(&pose, body.joint_from_bind(), &mut palette);
    let size = [1280u32, 720];
    let view = frame.camera.view(1280.0 / 720.0);
    let rectangle = PixelRectangle::around(&frame, &view, size).unwrap();
    let fit = ShadowFit::around(&frame, 1024);
    for vertex in body.vertices() {
        let p: Vec3 = skin_vertex(vertex, &palette, frame.skinning).0.into();
        let at = view.project(p).unwrap() * glam::Vec2::new(1280.0, 720.0);
        for axis in 0..2 {
            let from = rectangle.origin[axis] as f32;
            let end = from + rectangle.size[axis] as f32;
            let seen = at[axis].clamp(0.0, size[axis] as f32);
            assert!((from..=end).contains(&seen), "{p} at {at}: {rectangle:?}");
        }
        let light = fit.light_from_world.project_point3(p);
        assert!(light.x.abs() < 1.0 && light.y.abs() < 1.0, "{p}: {light}");
        assert!((0.0..=1.0).contains(&light.z), "{p}: {light}");
    }
}
