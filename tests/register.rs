//! Registration of real captures: what it finds, and what blends of it do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::sync::Arc;

use glam::DVec2;
use kinetoscope::{
    clip::{ClipCursor, Interpolation, Planar, RawClip, SampleClip},
    load::{LoadOptions, load},
    register::{Blend, Cloud, PathOptions, Registration, Weights},
    skeleton::{LocalPose, ModelPose, Skeleton},
    testing::corpus,
};

fn captured(name: &str) -> Option<(Arc<Skeleton>, Arc<RawClip>)> {
    let corpus = corpus()?;
    let listed = common::manifest(&corpus);
    let asf = listed.iter().find(|it| it.path == name)?.asf.clone()?;
    let files = [corpus.join(asf), corpus.join(name)];
    let loaded = load(&files, LoadOptions::default()).into_iter();
    let motion = loaded
        .filter_map(|(_, it)| it.unwrap().into_motion())
        .next()?;
    let skeleton = Arc::new(motion.skeleton().clone());
    Some((skeleton, Arc::clone(motion.raw())))
}

fn registered(skeleton: &Arc<Skeleton>, clips: &[&Arc<RawClip>]) -> Arc<Registration> {
    let motions = clips.iter().map(|&clip| Arc::clone(clip)).collect();
    Arc::new(Registration::new(skeleton, motions, &PathOptions::default()).unwrap())
}

/// The time of the original that a warped copy shows: smooth, slopes 0.5 to 2.
fn warp(secs: f64, duration: f64) -> f64 {
    // t + a sin(2πt/T) has slopes 1 ± 2πa/T; here 0.55 to 1.45 and more.
    let share = secs / duration;
    let turn = std::f64::consts::TAU;
    secs + duration / turn * (0.3 * (turn * share).sin() + 0.03 * (6.0 * turn * share).sin())
}

fn warped_copy(skeleton: &Skeleton, clip: &RawClip, place: Planar) -> RawClip {
    let mut poses = Vec::new();
    for frame in 0..clip.frames() {
        let secs = warp(frame as f64 / clip.fps, clip.duration_secs());
        let mut pose = LocalPose::default();
        clip.sample_as(Interpolation::Cubic, skeleton, secs, &mut pose);
        let root = &mut pose.joints_mut()[0];
        *root = place.transform() * *root;
        poses.push(pose);
    }
    RawClip::from_poses("copy", skeleton, clip.fps, &poses)
}

const PLACE: Planar = Planar {
    position: DVec2::new(1.7, -2.3),
    heading: 2.1,
};

#[test]
fn explore() {
    for name in [
        "cmu-usc520/07_01-walk.amc",
        "cmu-usc520/09_06-run.amc",
        "hdm05/HDM_bd_grabHighR_001_120.amc",
        "hdm05/HDM_bk_squat1Reps_014_120.amc",
        "cmu-usc520/131_04-dance.amc",
        "cmu-usc520/135_06-martialArts.amc",
    ] {
        let Some((skeleton, clip)) = captured(name) else {
            return;
        };
        let t0 = std::time::Instant::now();
        let own = registered(&skeleton, &[&clip, &clip]);
        let t1 = t0.elapsed();
        let [a, b] = own.range_secs();
        let worst = own.curves()[1]
            .times_secs()
            .iter()
            .enumerate()
            .map(|(k, t)| (t - a - k as f64 * own.curves()[1].step_secs()).abs())
            .fold(0.0, f64::max);
        let yaw = own.curves()[1]
            .alignments()
            .iter()
            .map(|p| p.heading.abs().max(p.position.length()))
            .fold(0.0, f64::max);
        println!(
            "{name} {} frames: self {a:.3}..{b:.3} of {:.3}, warp off {worst:.6} s, align off {yaw:.6}, cost {:.5} {t1:?}",
            clip.frames(),
            clip.duration_secs(),
            own.cost_m()
        );
        let copy = Arc::new(warped_copy(&skeleton, &clip, PLACE));
        let reg = registered(&skeleton, &[&copy, &clip]);
        let c = &reg.curves()[1];
        let [a, b] = reg.range_secs();
        let speeds = Cloud::of(&skeleton, &copy).speeds();
        let mut off: Vec<f64> = vec![];
        let mut yaws = vec![];
        let mut shifts = vec![];
        for (k, t) in c.times_secs().iter().enumerate() {
            let u = a + k as f64 * c.step_secs();
            let e = (t - warp(u, clip.duration_secs())).abs() * clip.fps;
            if speeds[(u * clip.fps).round() as usize] > 0.1 {
                off.push(e);
            }
            let p = c.alignments()[k];
            yaws.push((p.heading - PLACE.heading).abs().to_degrees());
            // at body
            let mut pose = LocalPose::default();
            clip.sample(&skeleton, *t, &mut ClipCursor::default(), &mut pose);
            let r = pose.joints()[0].translation;
            let r = DVec2::new(r.x.into(), r.z.into());
            let shift = (p.position + p.rotate(r)) - (PLACE.position + PLACE.rotate(r));
            shifts.push(shift.length());
        }
        off.sort_by(f64::total_cmp);
        yaws.sort_by(f64::total_cmp);
        shifts.sort_by(f64::total_cmp);
        let n = off.len();
        println!(
            "   copy {a:.3}..{b:.3}: moving {n}, mean {:.3} p95 {:.3} max {:.3} frames; yaw max {:.3} deg; shift at body max {:.4} p95 {:.4}",
            off.iter().sum::<f64>() / n as f64,
            off[n * 95 / 100],
            off[n - 1],
            yaws[yaws.len() - 1],
            shifts[shifts.len() - 1],
            shifts[shifts.len() * 95 / 100]
        );
        for w in [0.0, 0.3, 0.5, 0.8] {
            let t0 = std::time::Instant::now();
            let blend = Blend::new(&reg, Weights::constant(&[1.0 - w, w]).unwrap()).unwrap();
            let tb = t0.elapsed();
            let mut errs = vec![];
            let (mut p, mut q) = (LocalPose::default(), LocalPose::default());
            let (mut m, mut o) = (ModelPose::default(), ModelPose::default());
            let mut cur = ClipCursor::default();
            for f in 0..blend.frames() {
                let s = f as f64 / blend.fps();
                blend.sample(&skeleton, s, &mut cur, &mut p);
                copy.sample(
                    &skeleton,
                    blend.source_times(s)[0],
                    &mut ClipCursor::default(),
                    &mut q,
                );
                m.compute(&skeleton, &p);
                o.compute(&skeleton, &q);
                for (x, y) in m.joints().iter().zip(o.joints()) {
                    errs.push((x.translation - y.translation).length() as f64);
                }
            }
            errs.sort_by(f64::total_cmp);
            let n = errs.len();
            println!(
                "     w {w}: mean {:.4} p99 {:.4} max {:.4} slide {:.4} contacts {} {tb:?}",
                errs.iter().sum::<f64>() / n as f64,
                errs[n * 99 / 100],
                errs[n - 1],
                blend.slide_m(),
                blend.contacts().len()
            );
        }
    }
}
