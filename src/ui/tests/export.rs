//! The export dialog, and what Esc closes.

use super::*;
use crate::convert::Format;

fn bench(kind: ExportKind) -> Bench {
    let mut bench = Bench::new(&[]);
    let mut dialog = ExportDialog::new(Path::new("/captures"), "walk.v2");
    dialog.set_kind(kind);
    bench.panels.export = Some(dialog);
    bench
}

#[test]
fn the_ending_follows_the_format() {
    let mut harness = harness(bench(ExportKind::Motion(Format::Bvh)));
    click(&mut harness, "Export GLB");
    let dialog = harness.state().panels.export.clone().unwrap();
    assert_eq!(dialog.path, "/captures/walk.v2.glb");
    let asked = click(&mut harness, "Export the file");
    assert_eq!(asked, [Command::Export(dialog)]);
    assert_eq!(harness.state().panels.export, None);
}

#[test]
fn what_is_there_is_replaced_only_by_name() {
    let mut bench = bench(ExportKind::Motion(Format::Csv));
    bench.taken = Some(PathBuf::from("/captures/walk.v2.csv"));
    let mut harness = harness(bench);
    harness.get_by_label("walk.v2.csv is there already.");
    let asked = click(&mut harness, "Replace the file");
    let [Command::Export(dialog)] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert!(dialog.replace);
}

#[test]
fn a_film_that_cannot_be_made_says_why() {
    let mut harness = harness(bench(ExportKind::Film(Film::Gif)));
    assert!(click(&mut harness, "Export WebM").is_empty());
    let kind = |harness: &Harness<'_, Bench>| harness.state().panels.export.as_ref().unwrap().kind;
    assert_eq!(kind(&harness), ExportKind::Film(Film::Gif));
    harness.get_by_label("a .webm film needs `ffmpeg`");
    click(&mut harness, "Export MP4");
    assert_eq!(kind(&harness), ExportKind::Film(Film::Mp4));
}

#[test]
fn esc_is_the_menus_while_one_is_open() {
    let mut harness = harness(Bench::new(&[]));
    let ours = |harness: &Harness<'_, Bench>| !keys::closes_popup(&harness.ctx, egui::Key::Escape);
    assert!(ours(&harness));
    click(&mut harness, "File");
    assert!(!ours(&harness) && keys::closes_popup(&harness.ctx, egui::Key::Escape));
    assert!(!keys::closes_popup(&harness.ctx, egui::Key::Space));
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert!(ours(&harness), "the menu is gone");
}
