//! The animator's editor over a graph of ten states and forty transitions.

use super::*;
use crate::animator::AnimatorEditor;

/// Ten states, forty transitions.
const TEN_STATES: &str = include_str!("../../../tests/fixtures/ten_states.ron");

/// WALK is chosen, and RUN was just left for it.
pub(super) fn editor_bench() -> Bench {
    let mut bench = animator::animator_bench(AnimatorPage::Graph);
    let editor = AnimatorEditor::new(TEN_STATES.into()).unwrap();
    let layer = &editor.description().layers[0];
    let states: Vec<String> = layer.states.iter().map(|it| it.name.clone()).collect();
    assert_eq!((states.len(), layer.transitions.len()), (10, 40));
    bench.animator.layers[0] = LayerView {
        name: "base".into(),
        state: 1,
        previous: Some(2),
        taken: Some((2, 1)),
        fade: 0.5,
        weight: 1.0,
        full_weight: 1.0,
        state_weights: (0..10).map(|it| [0.0, 0.5, 0.5, 0.0][it.min(3)]).collect(),
        states,
        ..LayerView::default()
    };
    bench.editor = Some(editor);
    bench.panels.editor = EditorPanel {
        open: true,
        chosen: Chosen::State(1),
        ..EditorPanel::default()
    };
    bench
}

#[test]
fn a_control_is_bound_by_pressing_it_and_what_it_takes_away_is_told() {
    let mut bench = editor_bench();
    bench.panels.editor.page = EditorPage::Keys;
    let mut harness = harness(bench);
    let binding = |commands: &[Command]| match commands {
        [Command::EditAnimator(AnimatorEditing::Apply(edit, _))] => match &**edit {
            crate::animator::Edit::SetBinding(index, new) => (*index, new.key.clone()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert!(click(&mut harness, "Key 2").is_empty());
    harness.key_press(egui::Key::C);
    harness.run_steps(3);
    let commands = std::mem::take(&mut harness.state_mut().commands);
    assert_eq!(binding(&commands), (1, "C".to_owned()));

    // A mouse button anywhere; Esc leaves it as it is.
    click(&mut harness, "Key 1");
    harness.get_by_label("State JUMP").click_secondary();
    harness.run_steps(3);
    let commands = std::mem::take(&mut harness.state_mut().commands);
    assert_eq!(binding(&commands), (0, "RightClick".to_owned()));
    click(&mut harness, "Key 1");
    harness.key_press(egui::Key::F1);
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("F1 stays").is_some());
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert!(harness.state().commands.is_empty());
    assert_eq!(harness.state().panels.editor.listening, None);

    // A key of the viewer's own.
    let editor = harness.state_mut().editor.as_mut().unwrap();
    let edit = crate::animator::Edit::bind(editor.description(), 1, "C").unwrap();
    editor.apply(edit, None).unwrap();
    harness.run_steps(2);
    assert!(
        harness
            .query_by_label_contains("In Drive C is no longer")
            .is_some()
    );
}
