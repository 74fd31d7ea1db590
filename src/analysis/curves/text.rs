//! Curves as a table and as a picture.

use super::{Channel, Curves};
use crate::chart::{self, Chart, Series};

/// A row a frame; of several clips one after the other, each column with the
/// name of its clip where there are several.
#[must_use]
pub fn csv_of(clips: &[(String, &Curves)]) -> String {
    let mut text = String::from("frame,time_s");
    for (name, curves) in clips {
        for curve in &curves.curves {
            let unit = curve.channel.unit();
            let mut head = curve.name.clone();
            if !unit.is_empty() {
                head = format!("{head} ({unit})");
            }
            if clips.len() > 1 {
                head = format!("{name}: {head}");
            }
            text.push(',');
            text.push_str(&quoted(&head));
        }
    }
    text.push('\n');
    let frames = clips.iter().map(|it| it.1.frames()).max().unwrap_or(0);
    let fps = clips.first().map_or(1.0, |it| it.1.fps);
    for frame in 0..frames {
        text.push_str(&format!("{frame},{:.6}", frame as f64 / fps));
        for curve in clips.iter().flat_map(|it| &it.1.curves) {
            text.push(',');
            if let Some(value) = curve.values.get(frame) {
                text.push_str(&format!("{value:.6}"));
            }
        }
        text.push('\n');
    }
    text
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// One chart for each channel, all joints and clips in it, as SVG.
#[must_use]
pub fn chart_of(clips: &[(String, &Curves)]) -> String {
    let used = |channel: &Channel| {
        let mut all = clips.iter().flat_map(|it| &it.1.curves);
        all.any(|it| it.channel == *channel)
    };
    let charts: Vec<Chart> = Channel::ALL
        .into_iter()
        .filter(used)
        .map(|channel| one_chart(clips, channel))
        .collect();
    chart::stacked(&charts)
}

fn one_chart(clips: &[(String, &Curves)], channel: Channel) -> Chart {
    let series = clips.iter().enumerate().flat_map(|(clip, (name, curves))| {
        let own = curves.curves.iter().filter(move |it| it.channel == channel);
        own.enumerate().map(move |(number, curve)| {
            // The title says which channel.
            let short = curve.name.replacen(&format!(" {}", channel.word()), "", 1);
            let name = match (clip, number) {
                (0, _) => short,
                (_, 0) => name.clone(),
                // Known by its colour, and its clip by the line above.
                _ => String::new(),
            };
            Series {
                version_of: (clip > 0).then_some(number),
                ..Series::even(&name, 1.0 / curves.fps, curve.values.iter().copied())
            }
        })
    });
    Chart {
        title: channel.word().to_owned(),
        x_label: "seconds".into(),
        y_label: channel.unit().to_owned(),
        series: series.collect(),
        ..Chart::default()
    }
}
