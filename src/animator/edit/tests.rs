use proptest::prelude::*;

use super::*;
use crate::animator::{
    DEFAULT_GRAPH,
    description::{
        ConditionDescription, Fade, FadeKind, KeyEffect, MotionDescription, TransitionFrom,
    },
    parse,
};

fn editor() -> AnimatorEditor {
    AnimatorEditor::new(DEFAULT_GRAPH.to_owned()).unwrap()
}

fn index_of(description: &Description, layer: usize, state: &str) -> usize {
    let states = &description.layers[layer].states;
    states.iter().position(|it| it.name == state).unwrap()
}

/// The lines of one text that the other has not.
fn lost(from: &str, to: &str) -> Vec<String> {
    let kept: Vec<&str> = to.lines().collect();
    let lost = from.lines().filter(|line| !kept.contains(line));
    lost.map(str::to_owned).collect()
}

#[test]
fn a_state_is_renamed_wherever_it_is_named_and_nothing_else_changes() {
    let mut editor = editor();
    let run = index_of(editor.description(), 0, "RUN");
    editor
        .apply(Edit::RenameState(0, run, "SPRINT".into()), None)
        .unwrap();
    let wanted = DEFAULT_GRAPH.replace("\"RUN\"", "\"SPRINT\"");
    assert_eq!(editor.text(), wanted);
    assert!(editor.undo());
    assert_eq!(editor.text(), DEFAULT_GRAPH);
    assert!(editor.redo() && !editor.redo());
    assert_eq!(editor.text(), wanted);
}

#[test]
fn a_parameter_is_renamed_wherever_it_is_named() {
    let mut editor = editor();
    let edit = Edit::RenameParameter("speed".into(), "pace".into());
    editor.apply(edit, None).unwrap();
    assert_eq!(
        editor.text(),
        DEFAULT_GRAPH.replace("\"speed\"", "\"pace\"")
    );
}

#[test]
fn one_number_is_one_splice() {
    let mut editor = editor();
    let mut way = editor.description().layers[0].transitions[0].clone();
    way.fade.secs = 0.2;
    editor.apply(Edit::SetTransition(0, 0, way), None).unwrap();
    let wanted = DEFAULT_GRAPH.replacen("secs: 0.12", "secs: 0.2", 1);
    assert_eq!(editor.text(), wanted);
}

#[test]
fn what_breaks_the_animator_is_refused_and_told() {
    let mut editor = editor();
    let refused = |editor: &mut AnimatorEditor, edit: Edit, says: &str| {
        let error = editor.apply(edit, None).unwrap_err();
        assert!(error.message.contains(says), "{error}");
        assert_eq!(editor.text(), DEFAULT_GRAPH);
    };
    refused(
        &mut editor,
        Edit::DeleteParameter("speed".into()),
        "no parameter \"speed\"",
    );
    refused(&mut editor, Edit::DeleteMask("upper".into()), "no mask");
    refused(
        &mut editor,
        Edit::RenameState(0, 0, "RUN".into()),
        "already",
    );
    refused(
        &mut editor,
        Edit::RenameState(0, 0, " ".into()),
        "needs a name",
    );
    refused(&mut editor, Edit::DeleteLayer(9), "no layer 9");
    let mut idle = editor.description().layers[0].states[0].clone();
    idle.motion = MotionDescription::Empty;
    refused(&mut editor, Edit::SetState(0, 0, idle), "first layer");
    assert!(!editor.undo(), "nothing was done");
}

#[test]
fn a_deleted_state_takes_its_transitions_along() {
    let mut editor = editor();
    let jump = index_of(editor.description(), 0, "JUMP");
    editor.apply(Edit::DeleteState(0, jump), None).unwrap();
    assert!(!editor.text().contains("\"JUMP\""), "{}", editor.text());
    let attack = index_of(editor.description(), 0, "ATTACK");
    editor.apply(Edit::DeleteState(0, attack), None).unwrap();
    parse(editor.text()).unwrap();
    editor.undo();
    editor.undo();
    assert_eq!(editor.text(), DEFAULT_GRAPH);
}

#[test]
fn a_drag_is_one_step_back() {
    let mut editor = editor();
    let state = editor.description().layers[0].states[1].clone();
    for step in 0..20 {
        let place = Some((step as f32, 2.0 * step as f32));
        let moved = StateDescription {
            place,
            ..state.clone()
        };
        editor.apply(Edit::SetState(0, 1, moved), Some(7)).unwrap();
    }
    let moved = StateDescription {
        place: Some((1.0, 1.0)),
        ..state
    };
    editor.apply(Edit::SetState(0, 1, moved), Some(8)).unwrap();
    assert!(editor.undo());
    assert_eq!(
        editor.description().layers[0].states[1].place,
        Some((19.0, 38.0))
    );
    assert!(editor.undo() && !editor.undo());
    assert_eq!(editor.text(), DEFAULT_GRAPH);
}

#[test]
fn a_new_animator_can_be_built_on() {
    let mut editor = AnimatorEditor::new(NEW_ANIMATOR.to_owned()).unwrap();
    let go = Edit::AddParameter("go".into(), ParameterKind::Bool(false));
    let walk = StateDescription::new("WALK", MotionDescription::Clip("forward".into()));
    let way = TransitionDescription {
        when: vec![ConditionDescription::On("go".into())],
        ..TransitionDescription::new("IDLE", "WALK")
    };
    let key = BindingDescription {
        key: "W".into(),
        does: KeyEffect::Hold("go".into()),
        says: String::new(),
    };
    for edit in [
        go,
        Edit::AddState(0, walk),
        Edit::AddTransition(0, way),
        Edit::AddBinding(key),
    ] {
        editor.apply(edit, None).unwrap();
    }
    let text = editor.text();
    assert!(
        lost(NEW_ANIMATOR, text)
            .iter()
            .all(|line| line.contains("{}") || line.contains("[]"))
    );
    for line in [
        "    parameters: {\"go\": Bool(false)},\n",
        "    bindings: [(key: \"W\", does: Hold(\"go\"))],\n",
        "                (name: \"WALK\", motion: Clip(\"forward\")),\n",
        "                (from: Only([\"IDLE\"]), to: \"WALK\", when: [On(\"go\")]),\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

/// Any edit, sensible or not, of a description.
fn any_edit(of: &Description, numbers: [usize; 4], kind: u8) -> Edit {
    let [a, b, c, d] = numbers;
    let layer = a % of.layers.len();
    let states = &of.layers[layer].states;
    let state = b % states.len();
    let ways = &of.layers[layer].transitions;
    let way = c % ways.len().max(1);
    let names: Vec<&String> = of.parameters.keys().collect();
    let name = names
        .get(c % names.len().max(1))
        .map_or("none", |it| it.as_str())
        .to_owned();
    let masks: Vec<&String> = of.masks.keys().collect();
    let mask = masks.first().map_or("none", |it| it.as_str()).to_owned();
    match kind % 20 {
        0 => Edit::AddState(
            layer,
            StateDescription::new(&format!("NEW{d}"), MotionDescription::Clip("idle".into())),
        ),
        1 => Edit::DeleteState(layer, state),
        2 => Edit::MoveState {
            layer,
            from: state,
            to: d % states.len(),
        },
        3 => Edit::RenameState(layer, state, format!("STATE_{d}")),
        4 => Edit::SetState(
            layer,
            state,
            StateDescription {
                speed: d as f64 / 4.0,
                place: Some((c as f32, d as f32)),
                ..states[state].clone()
            },
        ),
        5 => Edit::AddTransition(
            layer,
            TransitionDescription::new(&states[state].name, &states[d % states.len()].name),
        ),
        6 => Edit::DeleteTransition(layer, way),
        7 if !ways.is_empty() => Edit::SetTransition(
            layer,
            way,
            TransitionDescription {
                from: [
                    TransitionFrom::Any,
                    TransitionFrom::Except(vec![states[state].name.clone()]),
                ][d % 2]
                    .clone(),
                fade: Fade {
                    kind: FadeKind::Frozen,
                    secs: d as f64 / 100.0,
                    ..ways[way].fade
                },
                priority: d as i32 - 3,
                when: vec![
                    ConditionDescription::AtEnd,
                    ConditionDescription::Above(name, 0.5),
                ],
                ..ways[way].clone()
            },
        ),
        8 => Edit::AddParameter(format!("new {d}"), ParameterKind::Trigger { buffer: 0.25 }),
        9 => Edit::DeleteParameter(name),
        10 => Edit::RenameParameter(name, format!("other \"{d}\" \\")),
        11 => Edit::SetParameter(
            name,
            ParameterKind::Float {
                value: d as f64,
                half_life: 0.0,
            },
        ),
        12 => Edit::AddBinding(BindingDescription {
            key: "K".into(),
            does: KeyEffect::Push(name, d as f64),
            says: String::new(),
        }),
        13 => Edit::DeleteBinding(d),
        14 => Edit::SetMask(
            format!("mask{d}"),
            MaskDescription {
                from: "root".into(),
                feather: d as u32,
                ..MaskDescription::default()
            },
        ),
        15 => Edit::RenameMask(mask, format!("mask{d}")),
        16 => Edit::AddLayer(LayerDescription::new(
            &format!("layer{d}"),
            StateDescription::new("NONE", MotionDescription::Empty),
        )),
        17 => Edit::DeleteLayer(layer),
        18 => Edit::MoveLayer(layer, d % of.layers.len()),
        _ => Edit::RenameLayer(layer, format!("layer {d}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_edits_of_the_built_in_file_read_back_and_can_be_taken_back(
        edits in prop::collection::vec((any::<u8>(), [0_usize..40, 0..40, 0..40, 0..40]), 1..12),
        new in any::<bool>(),
    ) {
        let start = if new { NEW_ANIMATOR } else { DEFAULT_GRAPH };
        let mut editor = AnimatorEditor::new(start.to_owned()).unwrap();
        let mut texts = vec![start.to_owned()];
        for (kind, numbers) in edits {
            let edit = any_edit(editor.description(), numbers, kind);
            let before = editor.text().to_owned();
            match editor.apply(edit.clone(), None) {
                Ok(()) if editor.text() != before => texts.push(editor.text().to_owned()),
                Ok(()) => {}
                Err(error) => {
                    prop_assert!(!error.message.contains("spelt"), "{edit:?}: {error}");
                    prop_assert_eq!(editor.text(), before);
                }
            }
            prop_assert_eq!(&parse(editor.text()).unwrap(), editor.description());
        }
        while let Some(text) = texts.pop() {
            prop_assert_eq!(editor.text(), &*text);
            prop_assert_eq!(editor.undo(), !texts.is_empty());
        }
    }
}
