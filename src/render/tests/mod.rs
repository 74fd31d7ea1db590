//! Shaders validate, nothing and everything is drawn, a lost device is reported.

mod light;
mod skinning;

use std::sync::Arc;

use glam::{Quat, Vec3, Vec3A};

use super::{
    globals::GpuGlobals,
    shader::{GLOBALS, SKINNING, Shader},
    *,
};
use crate::{
    body::{Body, skin_vertex},
    scene::{Actor, Camera, Instance, Label, Overlay},
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

#[test]
fn what_is_not_finite_is_left_out_and_the_rest_is_drawn() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [96, 64], Quality::SOFTWARE).unwrap();
    for wild in [f32::NAN, f32::INFINITY, 1e20] {
        let (mut expected, _) = ball_frame(Vec3::Y);
        let mut frame = expected.clone();
        let (broken, _) = ball_frame(Vec3::splat(wild));
        assert_eq!(
            (broken.batches()[0].instances.len(), broken.left_out),
            (0, 1)
        );
        frame.labels.push(Label {
            at: Vec3::splat(wild),
            text: "nowhere".into(),
        });
        expected.left_out = 1;
        expected.caption = expected.left_out_message();
        let drawn = offscreen.render(&gpu, &frame).unwrap();
        assert_eq!(drawn, offscreen.render(&gpu, &expected).unwrap(), "{wild}");
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
    // Outside the picture a vertex need not be covered, outside the map it must.
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
