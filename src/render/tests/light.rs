//! Light and shadow fall where the formulas say.

use super::*;
use crate::scene::{Light, Look, Phong, Shading};

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

/// A ball so far away that all rays to it are nearly parallel.
fn camera_on_ball(centre: Vec3, radius: f32) -> Camera {
    Camera {
        target: centre,
        azimuth_rad: 0.0,
        elevation_rad: 0.0,
        distance_m: 100.0 * radius,
        fov_y_rad: 2.4f32.atan() / 50.0,
        ..Camera::default()
    }
}

/// Two lights and Phong's formula alone.
fn bare_look(shading: Shading) -> Look {
    Look {
        shading,
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
    }
}

const PROBE_NORMALS: [Vec3; 5] = [
    Vec3::Z,
    Vec3::new(0.6, 0.5, 0.7),
    Vec3::new(-0.7, 0.0, 0.6),
    Vec3::new(-0.3, -0.6, 0.6),
    Vec3::new(0.3, 0.3, 0.8),
];

#[test]
fn phong_and_blinn_are_exact_at_probe_points() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [200, 200], Quality::SOFTWARE).unwrap();
    let centre = Vec3::new(0.0, 1.0, 0.0);
    let (mut frame, body) = ball_frame(centre);
    let radius = Vec3::from(body.vertices()[0].position).length();
    frame.camera = camera_on_ball(centre, radius);
    for shading in [Shading::Phong, Shading::BlinnPhong] {
        frame.look = bare_look(shading);
        let picture = offscreen.render(&gpu, &frame).unwrap();
        let view = frame.camera.view(1.0);
        let greens = PROBE_NORMALS.map(|normal| {
            let normal = normal.normalize();
            let at = view.project(centre + normal * radius).unwrap() * 200.0;
            let found = picture.pixel(at.x as u32, at.y as u32).map(linear);
            let to_eye = (view.eye - centre - normal * radius).normalize();
            let expected = expected_phong(&frame.look, normal, to_eye);
            for channel in 0..3 {
                let (found, expected) = (found[channel], expected[channel].min(1.0));
                // The pixel's own middle, not the probe's exact spot, is what is
                // lit, and eight bits hold it.
                assert_close!(
                    found,
                    expected,
                    0.015 + 0.03 * expected,
                    "{shading:?} at {normal}, channel {channel}"
                );
            }
            found[1]
        });
        // The lit probe is brighter than the one turned away, as computed.
        assert!(greens[1] > 4.0 * greens[3]);
    }
}

/// A pillar a metre long and two hands thick, in the air, from above.
fn pillar_frame(centre: Vec3) -> FrameData {
    let skeleton = from_bones("pillar", &[("a", "root", [0.0, 1.0, 0.0])]);
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
    frame
}

#[test]
fn the_shadow_falls_where_the_light_says() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [400, 400], Quality::SOFTWARE).unwrap();
    let centre = Vec3::new(0.3, 0.9, -0.2);
    let mut frame = pillar_frame(centre);
    let mut green_at = |at: Vec3, frame: &FrameData| {
        let picture = offscreen.render(&gpu, frame).unwrap();
        let at = Vec3::new(at.x, 0.0, at.z);
        let pixel = frame.camera.view(1.0).project(at).unwrap() * 400.0;
        linear(picture.pixel(pixel.x as u32, pixel.y as u32)[1])
    };
    for towards in [Vec3::new(1.0, 1.0, 0.0), Vec3::new(-0.5, 1.0, 0.8)] {
        frame.look.key.towards = towards.normalize();
        let to_ground = towards * (centre.y / towards.y);
        let dark = green_at(centre - to_ground, &frame);
        let bright = green_at(centre + to_ground, &frame);
        // The shade leaves 1 − 0.80 · 0.84 = 33 % of the floor's colour; the rest
        // of the margin is for the pool of light, which differs between the spots.
        assert!(dark < 0.6 * bright, "{towards}: {dark} against {bright}");
        frame.look.shadows = false;
        let without = green_at(centre - to_ground, &frame);
        frame.look.shadows = true;
        assert!(
            dark < 0.6 * without,
            "{dark} against {without} without shadows"
        );
    }
}
