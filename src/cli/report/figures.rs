//! The figures of `report` as JSON and as a table.

use std::path::PathBuf;

use serde::Serialize;

use super::Measured;
use crate::{
    analysis::{FootFigures, JointMotion},
    cli::path_as_text,
    skeleton::Skeleton,
};

/// Of one motion.
#[derive(Serialize)]
pub(super) struct Figures {
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    frames: usize,
    fps: f64,
    duration_s: f64,
    steps: usize,
    cadence_per_min: Option<f64>,
    speed_m_s: f64,
    way_m: f64,
    step_width_m: Option<f64>,
    double_support_share: Option<f64>,
    asymmetry_percent: Asymmetry,
    feet: Vec<Foot>,
    centre_of_mass: Option<CentreOfMass>,
    joints: Vec<Joint>,
}

#[derive(Serialize)]
struct Asymmetry {
    step_length: Option<f64>,
    step_time: Option<f64>,
    stance: Option<f64>,
}

#[derive(Serialize)]
struct Foot {
    side: &'static str,
    strikes: usize,
    step_length_m: Option<f64>,
    stride_length_m: Option<f64>,
    step_s: Option<f64>,
    stride_s: Option<f64>,
    stance_share: Option<f64>,
    contacts: Vec<Contact>,
}

#[derive(Serialize)]
struct Contact {
    start_frame: usize,
    end_frame: usize,
}

#[derive(Serialize)]
struct CentreOfMass {
    mean_height_m: f64,
    least_height_m: f64,
    most_height_m: f64,
}

#[derive(Serialize)]
struct Joint {
    joint: String,
    least_deg: [f64; 3],
    most_deg: [f64; 3],
    range_deg: [f64; 3],
    from_rest_deg: f64,
    way_m: f64,
    top_m_s: f64,
}

impl Figures {
    pub fn of(measured: &Measured) -> Self {
        let (report, skeleton) = (&measured.report, measured.motion.skeleton());
        let [step_length, step_time, stance] = report.asymmetry_percent;
        let feet = report.feet.iter().zip(["left", "right"]);
        Self {
            path: PathBuf::from(measured.motion.label()),
            frames: report.frames,
            fps: report.fps,
            duration_s: measured.motion.raw().duration_secs(),
            steps: report.steps,
            cadence_per_min: report.cadence_per_min,
            speed_m_s: report.speed_mps,
            way_m: report.way_m,
            step_width_m: report.step_width_m,
            double_support_share: report.double_support_share,
            asymmetry_percent: Asymmetry {
                step_length,
                step_time,
                stance,
            },
            feet: feet.map(|(foot, side)| Foot::of(foot, side)).collect(),
            centre_of_mass: CentreOfMass::of(&report.centre_of_mass_m),
            joints: report
                .joints
                .iter()
                .map(|it| Joint::of(it, skeleton))
                .collect(),
        }
    }

    /// What a person reads first: what, and how much.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("seconds".to_owned(), format!("{:.2}", self.duration_s)),
            ("speed".to_owned(), format!("{:.3} m/s", self.speed_m_s)),
            ("way".to_owned(), format!("{:.2} m", self.way_m)),
            ("steps".to_owned(), self.steps.to_string()),
        ];
        let mut add = |what: String, value: Option<f64>, scale: f64, unit: &str| {
            lines.extend(value.map(|value| (what, format!("{:.1} {unit}", tenths(scale * value)))));
        };
        add("cadence".into(), self.cadence_per_min, 1.0, "steps/min");
        add("step width".into(), self.step_width_m, 100.0, "cm");
        add(
            "both feet down".into(),
            self.double_support_share,
            100.0,
            "% of a stride",
        );
        for foot in &self.feet {
            let side = foot.side;
            add(format!("{side} step"), foot.step_length_m, 100.0, "cm");
            add(format!("{side} stride"), foot.stride_length_m, 100.0, "cm");
            add(format!("{side} stride takes"), foot.stride_s, 1000.0, "ms");
            add(
                format!("{side} stance"),
                foot.stance_share,
                100.0,
                "% of a stride",
            );
        }
        let asymmetry = &self.asymmetry_percent;
        add(
            "left over right, step".into(),
            asymmetry.step_length,
            1.0,
            "%",
        );
        add(
            "left over right, step time".into(),
            asymmetry.step_time,
            1.0,
            "%",
        );
        add("left over right, stance".into(), asymmetry.stance, 1.0, "%");
        if let Some(centre) = &self.centre_of_mass {
            let [least, mean, most] = [
                centre.least_height_m,
                centre.mean_height_m,
                centre.most_height_m,
            ];
            let value = format!("{mean:.3} m ({least:.3} to {most:.3})");
            lines.push(("centre of mass, height".to_owned(), value));
        }
        lines
    }
}

/// To a tenth, and 0 without a sign.
fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0 + 0.0
}

impl Foot {
    fn of(foot: &FootFigures, side: &'static str) -> Self {
        let contact = |&[start_frame, end]: &[usize; 2]| Contact {
            start_frame,
            end_frame: end.saturating_sub(1),
        };
        Self {
            side,
            strikes: foot.strikes,
            step_length_m: foot.step_length_m,
            stride_length_m: foot.stride_length_m,
            step_s: foot.step_secs,
            stride_s: foot.stride_secs,
            stance_share: foot.stance_share,
            contacts: foot.stances.iter().map(contact).collect(),
        }
    }
}

impl CentreOfMass {
    fn of(centres: &[[f32; 3]]) -> Option<Self> {
        let heights = || centres.iter().map(|it| f64::from(it[1]));
        (!centres.is_empty()).then(|| Self {
            mean_height_m: heights().sum::<f64>() / centres.len() as f64,
            least_height_m: heights().fold(f64::INFINITY, f64::min),
            most_height_m: heights().fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

impl Joint {
    fn of(motion: &JointMotion, skeleton: &Skeleton) -> Self {
        let ends = motion.angles_deg;
        Self {
            joint: skeleton.joints()[motion.joint].name.clone(),
            least_deg: ends.map(|it| it[0]),
            most_deg: ends.map(|it| it[1]),
            range_deg: ends.map(|it| it[1] - it[0]),
            from_rest_deg: motion.most_deg,
            way_m: motion.way_m,
            top_m_s: motion.top_mps,
        }
    }
}

/// A line for every figure: file, of what, which figure, value.
pub(super) fn csv(all: &[Figures]) -> String {
    let mut text = String::from("path,of,figure,value\n");
    for figures in all {
        let path = quoted(&figures.path.display().to_string());
        let mut line = |of: &str, figure: &str, value: Option<f64>| {
            if let Some(value) = value {
                text.push_str(&format!("{path},{},{figure},{value:.6}\n", quoted(of)));
            }
        };
        line("body", "duration_s", Some(figures.duration_s));
        line("body", "speed_m_s", Some(figures.speed_m_s));
        line("body", "way_m", Some(figures.way_m));
        line("body", "steps", Some(figures.steps as f64));
        line("body", "cadence_per_min", figures.cadence_per_min);
        line("body", "step_width_m", figures.step_width_m);
        line("body", "double_support_share", figures.double_support_share);
        for foot in &figures.feet {
            line(foot.side, "strikes", Some(foot.strikes as f64));
            line(foot.side, "step_length_m", foot.step_length_m);
            line(foot.side, "stride_length_m", foot.stride_length_m);
            line(foot.side, "step_s", foot.step_s);
            line(foot.side, "stride_s", foot.stride_s);
            line(foot.side, "stance_share", foot.stance_share);
        }
        for joint in &figures.joints {
            for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
                line(
                    &joint.joint,
                    &format!("least_{name}_deg"),
                    Some(joint.least_deg[axis]),
                );
                line(
                    &joint.joint,
                    &format!("most_{name}_deg"),
                    Some(joint.most_deg[axis]),
                );
            }
            line(&joint.joint, "from_rest_deg", Some(joint.from_rest_deg));
            line(&joint.joint, "way_m", Some(joint.way_m));
            line(&joint.joint, "top_m_s", Some(joint.top_m_s));
        }
    }
    text
}

/// A cell that may hold commas.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
