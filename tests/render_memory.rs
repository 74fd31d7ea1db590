//! Memory of the renderer while a user plays with every switch.
//!
//! A file of its own: what a process holds is told for all its tests together.
#![cfg(all(feature = "viewer", target_os = "linux"))]
#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

use std::{fs, sync::Arc};

use kinetoscope::{
    body::{Body, Skinning},
    load::{self, LoadOptions},
    render::{Gpu, Offscreen, Quality},
    scene::{Character, FrameData, Scene, Shading},
};

fn resident_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().next().unwrap();
    kilobytes.parse::<f64>().unwrap() / 1024.0
}

fn performer() -> Scene {
    let motion = load::performer_clip("idle", LoadOptions::default());
    let motion = motion.unwrap().unwrap();
    let skeleton = Arc::new(motion.skeleton().clone());
    let body = Arc::new(Body::grow(&skeleton));
    let mut scene = Scene::of(Character::playing(
        "performer",
        skeleton,
        body,
        Arc::clone(motion.raw()) as _,
    ));
    scene.frame_all();
    scene
}

/// Each set of switches that shaders are compiled for.
fn looks() -> impl Iterator<Item = (Shading, [bool; 4])> {
    let shadings = [Shading::Studio, Shading::Phong, Shading::BlinnPhong];
    let switches = (0..16u32).map(|bits| [1, 2, 4, 8].map(|bit| bits & bit != 0));
    shadings
        .into_iter()
        .flat_map(move |shading| switches.clone().map(move |switches| (shading, switches)))
}

#[test]
fn who_tries_every_switch_does_not_fill_the_memory_with_shaders() {
    let gpu = Gpu::offscreen().unwrap();
    let mut offscreen = Offscreen::new(&gpu, [96, 64], Quality::SOFTWARE).unwrap();
    let scene = performer();
    let mut frame = FrameData::default();
    let mut draw = |(shading, [shadows, occlusion, seams, dual]): (Shading, [bool; 4])| {
        scene.compose(&mut frame);
        frame.look.shading = shading;
        frame.look.shadows = shadows;
        frame.look.occlusion = occlusion;
        frame.look.seams = seams;
        if dual {
            frame.skinning = Skinning::DualQuaternion;
        }
        offscreen.render(&gpu, &frame).unwrap();
    };
    let mut after = |looks: usize| {
        self::looks().take(looks).for_each(&mut draw);
        resident_mb()
    };
    let first = after(1);
    let rounds = [(); 3].map(|()| after(usize::MAX));
    eprintln!("{first:.0} MB after a picture, {rounds:.0?} MB after all switches");
    // Those of all 48 sets would take some 70 MB.
    assert!(rounds[0] < first + 40.0, "{first:.0}, {rounds:.0?} MB");
    assert!(rounds[2] < rounds[0] + 10.0, "{rounds:.0?} MB");
}
