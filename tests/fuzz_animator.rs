//! Seeded mutations of animator files under the editor: no panic, no second,
//! no more memory than the input justifies; an edit is written whole or not at
//! all, and undo brings back every byte.
//!
//! `KINETOSCOPE_FUZZ_CASES` sets how many; `make fuzz` runs 200,000.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something unforeseen shall fail loudly"
)]

mod common;

use common::{
    fuzz,
    mutate::{Random, mutate},
};
use kinetoscope::animator::{
    AnimatorEditor, DEFAULT_GRAPH, Edit, NEW_ANIMATOR,
    description::{Description, MotionDescription, ParameterKind, StateDescription},
    parse,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const SLACK_BYTES: usize = 32 * 1024 * 1024;

const WORDS: [&str; 24] = [
    "#![enable(implicit_some)]",
    "#![enable(unwrap_newtypes)]",
    "#![enable(unwrap_variant_newtypes)]",
    "Some(",
    "None",
    "/* /* */",
    "/* a /* b */ c */",
    "// x\n",
    "r#\"\"#",
    "r\"x\"",
    "\"\\u{41}\"",
    "b\"x\"",
    "'\\''",
    "inf",
    "-NaN",
    "0x1F",
    "1_0.5e-3",
    ",",
    ",)",
    "[",
    "}",
    "(",
    "\r\n",
    "\u{2028}",
];

/// Renames, additions and removals of what there is.
fn edits(of: &Description, random: &mut Random) -> Vec<Edit> {
    let layer = random.below(of.layers.len());
    let states = &of.layers[layer].states;
    let state = random.below(states.len());
    let clip = MotionDescription::Clip("idle".into());
    let mut placed = states[state].clone();
    placed.place = Some((random.below(500) as f32, 7.5));
    placed.speed = 0.5;
    let mut edits = vec![
        Edit::RenameState(layer, state, "OTHER \"\\".into()),
        Edit::DeleteState(layer, state),
        Edit::AddState(layer, StateDescription::new("NEW", clip)),
        Edit::SetState(layer, state, placed),
        Edit::AddParameter("new".into(), ParameterKind::Bool(true)),
        Edit::DeleteBinding(random.below(4)),
        Edit::DeleteTransition(layer, random.below(9)),
    ];
    if let Some(name) = of.parameters.keys().next() {
        edits.push(Edit::RenameParameter(name.clone(), "renamed".into()));
    }
    edits
}

fn edited(bytes: &[u8], random: &mut Random) -> bool {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(mut editor) = AnimatorEditor::new(text.clone()) else {
        return false;
    };
    for edit in edits(&editor.description().clone(), random) {
        let told = format!("{edit:?}");
        match editor.apply(edit, None) {
            Ok(()) => {
                assert_eq!(parse(editor.text()).as_ref(), Ok(editor.description()));
                while editor.undo() {}
                assert_eq!(editor.text(), text, "{told}");
            }
            Err(_) => assert_eq!(editor.text(), text, "{told}"),
        }
    }
    true
}

#[test]
fn mutated_files_are_edited_whole_or_not_at_all() {
    let seeds = [DEFAULT_GRAPH, NEW_ANIMATOR].map(str::as_bytes);
    let cases = fuzz::cases(400);
    let make = |random: &mut Random| {
        let seed = seeds[random.below(2)];
        mutate(seed, seeds[random.below(2)], &WORDS, random)
    };
    let read = |bytes: &[u8]| edited(bytes, &mut Random::new(bytes.len() as u64));
    let loaded = fuzz::run(&ALLOCATOR, cases, (64, SLACK_BYTES), make, read);
    // A long file seldom bears a mutation: some 2 of a hundred do.
    assert!(loaded > cases / 100, "{loaded} of {cases} could be read");
}
