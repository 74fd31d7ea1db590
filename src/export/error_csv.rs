//! Compression errors as comma-separated values: one line for every clip,
//! codec, frame and joint.

use std::fmt::Write;

use super::csv::quoted;
use crate::skeleton::Skeleton;

/// Which clip the errors are of.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCsvClip<'a> {
    /// The file it came from.
    pub path: &'a str,
    /// The codec it went through.
    pub codec: &'a str,
    /// Whose joints the errors are of.
    pub skeleton: &'a Skeleton,
}

/// Lines of `path,codec,frame,joint,error_cm`, clip after clip. Errors are in
/// metres, frame after frame, one value per joint.
#[must_use]
pub fn error_csv<'a>(clips: impl IntoIterator<Item = (ErrorCsvClip<'a>, &'a [f32])>) -> String {
    let mut text = String::from("path,codec,frame,joint,error_cm\n");
    for (clip, errors_m) in clips {
        let start = format!("{},{}", quoted(clip.path), quoted(clip.codec));
        let joints = clip.skeleton.joints();
        let names: Vec<String> = joints.iter().map(|joint| quoted(&joint.name)).collect();
        for (frame, errors_m) in errors_m.chunks(names.len().max(1)).enumerate() {
            for (name, error_m) in names.iter().zip(errors_m) {
                let error_cm = error_m * 100.0;
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{start},{frame},{name},{error_cm:.6}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::skeleton::{Joint, NO_PARENT};

    fn pair() -> Skeleton {
        let joint = |name: &str, parent| Joint::new(name, parent, Vec3::ZERO, Vec3::Y);
        Skeleton::new("pair", vec![joint("root", NO_PARENT), joint("a,\"b\"", 0)]).unwrap()
    }

    #[test]
    fn a_line_for_every_codec_frame_and_joint() {
        let skeleton = pair();
        let clip = |codec| ErrorCsvClip {
            path: "walk.amc",
            codec,
            skeleton: &skeleton,
        };
        let errors_m = [0.001, 0.0, 0.02, 0.000_001];
        let text = error_csv([
            (clip("spline"), &errors_m[..]),
            (clip("tight"), &errors_m[..2]),
        ]);
        let expected = "path,codec,frame,joint,error_cm\n\
            walk.amc,spline,0,root,0.100000\n\
            walk.amc,spline,0,\"a,\"\"b\"\"\",0.000000\n\
            walk.amc,spline,1,root,2.000000\n\
            walk.amc,spline,1,\"a,\"\"b\"\"\",0.000100\n\
            walk.amc,tight,0,root,0.100000\n\
            walk.amc,tight,0,\"a,\"\"b\"\"\",0.000000\n";
        assert_eq!(text, expected);
    }
}
