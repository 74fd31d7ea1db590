//! The table that `info` prints for people.

use std::io::{self, Write};

use super::{
    Failure,
    info::Entry,
    terminal::{data_out, printable},
};
use crate::{
    mocap::{Level, Note},
    units::number_text,
};

/// One column: its heading and whether its values are numbers.
struct Column {
    heading: &'static str,
    numeric: bool,
}

const fn column(heading: &'static str, numeric: bool) -> Column {
    Column { heading, numeric }
}

const COLUMNS: [Column; 8] = [
    column("file", false),
    column("kind", false),
    column("bones", true),
    column("frames", true),
    column("rate", true),
    column("length", true),
    column("unit", false),
    column("height", true),
];

fn row(entry: &Entry) -> [String; 8] {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let marked = |text: String, assumed: Option<bool>| {
        if assumed == Some(true) {
            text + " (assumed)"
        } else {
            text
        }
    };
    let rate = entry
        .fps
        .map(|fps| (number_text(fps) + " fps", entry.fps_source));
    let rate = rate.map(|(fps, source)| match source {
        Some("file name") => fps + " (from the name)",
        _ => marked(fps, entry.fps_assumed),
    });
    let cells = [
        match &entry.clip {
            Some(clip) => format!("{}#{clip}", entry.path.display()),
            None => entry.path.display().to_string(),
        },
        format!("{} {}", entry.format, entry.kind),
        entry.bones.to_string(),
        or_dash(entry.frames.map(|frames| number_text(frames as f64))),
        or_dash(rate),
        or_dash(entry.duration_s.map(|secs| metric(secs, "s"))),
        or_dash(
            entry
                .unit
                .clone()
                .map(|unit| marked(unit, entry.unit_assumed)),
        ),
        or_dash(entry.height_m.map(|metres| metric(metres, "m"))),
    ];
    cells.map(|cell| printable(&cell).into_owned())
}

/// Two decimals line up; what is too large for them is written as it is read.
fn metric(value: f64, unit: &str) -> String {
    match value.abs() < 10_000.0 {
        true => format!("{value:.2} {unit}"),
        false => format!("{} {unit}", number_text(value)),
    }
}

pub(super) fn print(entries: &[Entry]) -> Result<(), Failure> {
    let mut out = data_out();
    let rows: Vec<[String; 8]> = entries.iter().map(row).collect();
    let width = |index: usize| {
        // Characters, not bytes: names may be in any script.
        let cells = rows.iter().map(|row| row[index].chars().count());
        cells.max().unwrap_or(0).max(COLUMNS[index].heading.len())
    };
    let widths: Vec<usize> = (0..COLUMNS.len()).map(width).collect();
    let headings = COLUMNS.map(|column| column.heading.to_owned());
    write_row(&mut out, &headings, &widths)?;
    for (entry, cells) in entries.iter().zip(&rows) {
        write_row(&mut out, cells, &widths)?;
        write_remarks(&mut out, entry)?;
    }
    Ok(out.flush()?)
}

fn write_row(out: &mut impl Write, cells: &[String; 8], widths: &[usize]) -> io::Result<()> {
    let mut line = String::new();
    for ((cell, column), &width) in cells.iter().zip(&COLUMNS).zip(widths) {
        if column.numeric {
            line += &format!("{cell:>width$}  ");
        } else {
            line += &format!("{cell:<width$}  ");
        }
    }
    writeln!(out, "{}", line.trim_end())
}

/// Warnings a line each; what merely is so, on one line.
fn write_remarks(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    if let (Some(skeleton), Some(choice)) = (&entry.skeleton, &entry.skeleton_choice) {
        writeln!(out, "    skeleton: {} ({choice})", printable(skeleton))?;
    }
    if let Some(model) = &entry.model {
        writeln!(
            out,
            "    meshes: {} parts, {} vertices, {} triangles, {} materials, {} pictures, {} morph targets",
            model.parts,
            model.vertices,
            model.triangles,
            model.materials,
            model.pictures,
            model.morph_targets
        )?;
    }
    if let (Some(promise), Some(tolerance_cm)) = (entry.promise, entry.tolerance_cm) {
        let codec = entry.codec.unwrap_or_default();
        writeln!(out, "    {codec} at {tolerance_cm} cm: {promise}")?;
    }
    if let Some(events) = entry.events.as_ref().filter(|it| !it.is_empty()) {
        let events = events.iter();
        let events = events.map(|it| format!("{:.2} s {}", it.time_s, printable(&it.name)));
        let events: Vec<String> = events.collect();
        writeln!(out, "    events: {}", events.join(", "))?;
    }
    let is_warning = |note: &&Note| note.level == Level::Warning;
    for note in entry.warnings.iter().filter(is_warning) {
        writeln!(out, "    warning: {}", sentence(note))?;
    }
    let notes = entry
        .warnings
        .iter()
        .filter(|note| note.level == Level::Info);
    let notes: Vec<String> = notes.map(sentence).collect();
    if !notes.is_empty() {
        writeln!(out, "    note: {}", notes.join("; "))?;
    }
    Ok(())
}

fn sentence(note: &Note) -> String {
    let mut places = Vec::new();
    places.extend(note.line.map(|line| format!("line {line}")));
    places.extend(note.frame.map(|frame| format!("frame {frame}")));
    places.extend(note.bone.clone());
    let text = match places.is_empty() {
        true => note.message.clone(),
        false => format!("{} ({})", note.message, places.join(", ")),
    };
    printable(&text).into_owned()
}
