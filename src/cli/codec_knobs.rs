//! Which codec, and how its knob is set, on the command line.

use clap::{Args, ValueEnum};

use super::Failure;
use crate::codec::{CodecSettings, Knob};

#[derive(Args, Debug)]
pub(super) struct KnobArgs {
    /// How to compress; `all` compares [default: spline]
    #[arg(long, value_enum)]
    codec: Option<CodecName>,
    /// Largest sum of component differences, for linear, classic, bspline and (for a
    /// coefficient) wavelet [default: 0.01]
    #[arg(long, value_name = "X")]
    threshold: Option<f64>,
    /// For spline and tight: at every source frame no point within 3 cm of any joint moves by
    /// more than this [default: 0.1]
    #[arg(long, value_name = "CM")]
    tolerance_cm: Option<f64>,
    /// Bits a number, for uniform: 2 to 24 [default: 12]
    #[arg(long, value_name = "N")]
    bits: Option<u32>,
    /// Samples a second, for resampled [default: 30]
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    /// A key every N frames, for every [default: 4]
    #[arg(long, value_name = "N")]
    every: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CodecName {
    Uniform,
    Resampled,
    Every,
    Linear,
    Classic,
    Bspline,
    Wavelet,
    Spline,
    Tight,
    All,
}

impl CodecName {
    fn settings(self) -> Vec<CodecSettings> {
        let [
            uniform,
            resampled,
            every,
            linear,
            classic,
            bspline,
            wavelet,
            spline,
            tight,
        ] = CodecSettings::ALL;
        vec![match self {
            Self::Uniform => uniform,
            Self::Resampled => resampled,
            Self::Every => every,
            Self::Linear => linear,
            Self::Classic => classic,
            Self::Bspline => bspline,
            Self::Wavelet => wavelet,
            Self::Spline => spline,
            Self::Tight => tight,
            Self::All => return CodecSettings::ALL.to_vec(),
        }]
    }
}

impl KnobArgs {
    /// What to run, after checking that every knob belongs to a codec asked for.
    pub fn settings(&self) -> Result<Vec<CodecSettings>, Failure> {
        let given = self.given()?;
        let mut settings = self.codec().settings();
        for (knob, _) in &given {
            if !settings.iter().any(|it| it.knob() == *knob) {
                return Err(Failure::Usage(foreign(*knob, settings[0])));
            }
        }
        for settings in &mut settings {
            let own = given.iter().find(|(knob, _)| *knob == settings.knob());
            *settings = own.map_or(*settings, |(_, value)| settings.with(*value));
        }
        Ok(settings)
    }

    /// A knob alone names its codec: of those that share it the best known.
    fn codec(&self) -> CodecName {
        let by_knob = if self.threshold.is_some() {
            CodecName::Classic
        } else if self.every.is_some() {
            CodecName::Every
        } else if self.bits.is_some() {
            CodecName::Uniform
        } else if self.rate.is_some() {
            CodecName::Resampled
        } else {
            CodecName::Spline
        };
        self.codec.unwrap_or(by_knob)
    }

    /// The knobs that are set, with values that mean something.
    fn given(&self) -> Result<Vec<(Knob, f64)>, Failure> {
        let all = [
            (Knob::Threshold, self.threshold),
            (Knob::ToleranceCm, self.tolerance_cm),
            (Knob::Bits, self.bits.map(f64::from)),
            (Knob::RateHz, self.rate),
            (Knob::Frames, self.every.map(f64::from)),
        ];
        let given = all
            .into_iter()
            .filter_map(|(knob, value)| Some((knob, value?)));
        given.map(checked).collect()
    }
}

fn checked((knob, value): (Knob, f64)) -> Result<(Knob, f64), Failure> {
    let (right, wanted) = match knob {
        Knob::Frames => (value >= 1.0, "1 or more frames".to_owned()),
        Knob::Bits => ((2.0..=24.0).contains(&value), "2 to 24".to_owned()),
        _ => (
            value.is_finite() && value > 0.0,
            format!("a positive number, not {value}"),
        ),
    };
    match right {
        true => Ok((knob, value)),
        false => Err(Failure::Usage(format!("{} takes {wanted}", option(knob)))),
    }
}

fn option(knob: Knob) -> &'static str {
    match knob {
        Knob::Bits => "--bits",
        Knob::RateHz => "--rate",
        Knob::Frames => "--every",
        Knob::Threshold => "--threshold",
        Knob::ToleranceCm => "--tolerance-cm",
    }
}

fn foreign(knob: Knob, settings: CodecSettings) -> String {
    let all = CodecSettings::ALL.iter().filter(|it| it.knob() == knob);
    let takers: Vec<&str> = all.map(CodecSettings::codec_name).collect();
    format!(
        "{} cannot be used with {}, which takes {}; it is for {}",
        option(knob),
        settings.codec_name(),
        option(settings.knob()),
        takers.join(", ")
    )
}
