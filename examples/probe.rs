//! timing probe
#![allow(missing_docs, clippy::all, clippy::unwrap_used, clippy::print_stdout)]
use kinetoscope::{body::*, load::*, render::*, scene::*};
use std::{sync::Arc, time::Instant};
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let v: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (v[11].parse::<f64>().unwrap() + v[12].parse::<f64>().unwrap()) * 10.0
}
fn main() {
    let mut sizes = vec![[1280u32, 720u32]];
    if std::env::args().count() > 1 {
        sizes.push([64, 36]);
    }
    for size in sizes {
        let p = std::path::Path::new("assets/performer.asf");
        let sk = load_skeleton(p, LoadOptions::default())
            .unwrap()
            .imported
            .skeleton;
        let t = Instant::now();
        let body = Arc::new(Body::grow(&sk));
        println!(
            "grow {:?} verts {} tris {}",
            t.elapsed(),
            body.vertices().len(),
            body.indices().len() / 3
        );
        let mut pose = sk.rest_model();
        for j in pose.joints_mut() {
            j.translation.y += 0.96;
        }
        let gpu = Gpu::offscreen().unwrap();
        for samples in [4u32, 1] {
            let mut off = Offscreen::new(
                &gpu,
                size,
                Quality {
                    samples,
                    shadow_size: 1024,
                },
            )
            .unwrap();
            let make = |skin: bool| {
                let mut f = FrameData::default();
                if skin {
                    f.push_character(&body, &pose, Instance::default(), None);
                }
                let a = Actor {
                    skeleton: &sk,
                    body: &body,
                    pose: &pose,
                };
                f.camera = Camera::on_motion(a, &[pose.clone()], Preset::ThreeQuarter, 16.0 / 9.0);
                f.camera.target += footing(&pose);
                f
            };
            let mut run = |name: &str, f: &FrameData| {
                off.draw(&gpu, f).unwrap();
                let mut best = f64::MAX;
                let mut sum = 0.0;
                let c0 = cpu();
                for _ in 0..20 {
                    let t = Instant::now();
                    off.draw(&gpu, f).unwrap();
                    let e = t.elapsed().as_secs_f64() * 1e3;
                    best = best.min(e);
                    sum += e;
                }
                println!(
                    "{size:?} {samples}x {name:28} best {best:7.2} ms mean {:7.2} cpu {:7.2}",
                    sum / 20.0,
                    (cpu() - c0) / 20.0
                );
            };
            let f = make(true);
            run("all", &f);
            let mut f = make(true);
            f.look.shadows = false;
            run("no shadows", &f);
            let mut f = make(true);
            f.look.occlusion = false;
            run("no occlusion", &f);
            let mut f = make(true);
            f.look.ground = false;
            run("no ground", &f);
            let mut f = make(true);
            f.look.ground = false;
            f.look.transparent = true;
            run("no ground no sky", &f);
            let mut f = make(true);
            f.look.ground = false;
            f.look.transparent = true;
            f.look.shadows = false;
            f.look.occlusion = false;
            run("skin only", &f);
            let mut f = make(false);
            run("ground+sky", &f);
            f.look.ground = false;
            run("sky", &f);
            f.look.transparent = true;
            run("nothing", &f);
        }
    }
}
