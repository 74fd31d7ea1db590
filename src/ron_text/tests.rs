use super::*;

#[derive(Debug, PartialEq, serde::Deserialize)]
struct Fade {
    seconds: f32,
    to: Option<String>,
}

#[test]
fn an_option_is_read_with_and_without_some() {
    for to in ["\"RUN\"", "Some(\"RUN\")"] {
        let fade: Fade = read(&format!("(seconds: 0.2, to: {to})")).unwrap();
        assert_eq!(fade.to.as_deref(), Some("RUN"));
    }
}

#[test]
fn an_error_names_line_and_field_and_looks_past_comments() {
    let error = read::<Fade>("(\n  seconds: // to: be decided\n    fast,\n)").unwrap_err();
    assert_eq!((error.line, error.field.as_str()), (3, "seconds"));
    let error = read::<Fade>("(to: \"RUN\")").unwrap_err();
    assert_eq!(error.field, "seconds", "{error}");
}

#[test]
fn a_letter_of_several_bytes_before_a_field_is_no_end() {
    let error = read::<Fade>("(…seconds: fast)").unwrap_err();
    let error = [error, read::<Fade>("(\u{2028}seconds: fast)").unwrap_err()];
    assert_eq!(error[1].field, "seconds", "{error:?}");
}

#[test]
fn a_field_is_found_where_it_is_set() {
    let text = "// to: 1\n(into: 2,\n to : 3)";
    assert_eq!(line_of_field(text, "to"), 3);
    assert_eq!(line_of_field(text, "from"), 1);
}

#[test]
fn a_name_is_located_where_it_is_written_not_where_a_comment_has_it() {
    let text = "// \"RUN\"\n(to: \"RUN\")";
    let error = locate(text, "to".to_owned(), "RUN", "no such state".to_owned());
    assert_eq!(error.to_string(), "line 2, column 6: to: no such state");
}

mod odd_files {
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};
    use std::collections::BTreeMap;

    use crate::ron_text::{read, rewrite, spliced, write};

    /// Every kind of value that RON has, as the files of this program use them.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    struct Document {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        items: Vec<Item>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        named: BTreeMap<String, Kind>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        maybe: Option<String>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Item {
        name: String,
        kind: Kind,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        share: Option<f64>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        list: Vec<i32>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Unit,
        One(String),
        Two(f32, (i32, i32)),
        Fields { a: bool, b: Vec<Kind> },
    }

    /// Spelt in every way that is allowed.
    const ODD: [&str; 7] = [
        "()",
        "#![enable(implicit_some)]\n/* a /* nested */ one */ Document ( // first\n)",
        r##"(
    // above
    items: [ // on the bracket
        // above the first
        (name: "a", kind: Unit), // behind the first

        Item(name: r#"b "quoted" // no comment"#, kind: One("\"]) // \u{41}")), /* behind */
        // above the last
        (
            name: "c", // its name
            kind: Fields(a: true, b: [Unit, Two(1.5, (2, 3,)),]),
            share: Some(0.5),
            list: [1, 2, 3],
        ) // no comma
    ],
    // at the end
    maybe: Some("x"),
) // after all
"##,
        "(items:[(name:\"a\",kind:Unit),(name:\"b\",kind:One(\"z\"))],named:{\"k\":Unit},maybe:\"y\")",
        "(\r\n\titems: [\r\n\t\t(name: \"a\", kind: Unit,),\r\n\t\t(name: \"b\", kind: Two(+1e2, (0x10, -1_0)), list: [],),\r\n\t],\r\n\tnamed: {\r\n\t\t\"k\": Unit, // one\r\n\t\tr\"l\"\r\n : /*?*/ One(\"v\")\r\n ,\r\n\t},\r\n)\r\n",
        "(named: { // only\n}, items: [ /* nothing\n yet */ ], maybe: None)",
        "/* one line */ (items: [(name: \"a\", kind: Unit) /* after a */, /* before b */ (name: \"b\", kind: Unit)])",
    ];

    fn kind() -> impl Strategy<Value = Kind> {
        let leaf = prop_oneof![
            Just(Kind::Unit),
            "[a-z\"\\\\\n/é]{0,6}".prop_map(Kind::One),
            (-9.0_f32..9.0, -9..9, -9..9).prop_map(|(x, a, b)| Kind::Two(x, (a, b))),
        ];
        leaf.prop_recursive(2, 6, 3, |inner| {
            let several = prop::collection::vec(inner, 0..3);
            (any::<bool>(), several).prop_map(|(a, b)| Kind::Fields { a, b })
        })
    }

    fn item() -> impl Strategy<Value = Item> {
        let list = prop::collection::vec(-9..99, 0..4);
        ("[a-e]", kind(), prop::option::of(0.0..1.0), list).prop_map(|(name, kind, share, list)| {
            Item {
                name,
                kind,
                share,
                list,
            }
        })
    }

    #[derive(Clone, Debug)]
    enum Edit {
        Insert(usize, Item),
        Remove(usize),
        Change(usize, Item),
        Rename(usize, String),
        Share(usize, Option<f64>),
        Move(usize, usize),
        List(usize, Vec<i32>),
        Put(String, Kind),
        Drop(String),
        RenameKey(String, String),
        Maybe(Option<String>),
    }

    fn edit() -> impl Strategy<Value = Edit> {
        let at = 0_usize..6;
        prop_oneof![
            (at.clone(), item()).prop_map(|(at, item)| Edit::Insert(at, item)),
            at.clone().prop_map(Edit::Remove),
            (at.clone(), item()).prop_map(|(at, item)| Edit::Change(at, item)),
            (at.clone(), "[a-z]{1,9}").prop_map(|(at, name)| Edit::Rename(at, name)),
            (at.clone(), prop::option::of(0.0..1.0)).prop_map(|(at, it)| Edit::Share(at, it)),
            (at.clone(), at.clone()).prop_map(|(from, to)| Edit::Move(from, to)),
            (at, prop::collection::vec(0..9, 0..5)).prop_map(|(at, it)| Edit::List(at, it)),
            ("[j-m]", kind()).prop_map(|(key, kind)| Edit::Put(key, kind)),
            "[j-m]".prop_map(Edit::Drop),
            ("[j-m]", "[j-p]").prop_map(|(from, to)| Edit::RenameKey(from, to)),
            prop::option::of("[a-z\"]{0,5}").prop_map(Edit::Maybe),
        ]
    }

    impl Edit {
        fn apply(self, document: &mut Document) {
            let items = &mut document.items;
            let count = items.len();
            match self {
                Self::Insert(at, item) => items.insert(at.min(count), item),
                Self::Put(key, kind) => drop(document.named.insert(key, kind)),
                Self::Drop(key) => drop(document.named.remove(&key)),
                Self::RenameKey(from, to) => {
                    if let Some(kind) = document.named.remove(&from) {
                        document.named.insert(to, kind);
                    }
                }
                Self::Maybe(text) => document.maybe = text,
                _ if count == 0 => {}
                Self::Remove(at) => drop(items.remove(at % count)),
                Self::Change(at, item) => items[at % count] = item,
                Self::Rename(at, name) => items[at % count].name = name,
                Self::Share(at, share) => items[at % count].share = share,
                Self::List(at, list) => items[at % count].list = list,
                Self::Move(from, to) => {
                    let item = items.remove(from % count);
                    items.insert(to % count, item);
                }
            }
        }
    }

    /// What stands outside the splices, told without them: the old text is the
    /// new one with each piece put back.
    fn undone(old: &str, splices: &[super::super::Splice], new: &str) -> String {
        let (mut back, mut at, mut from) = (String::new(), 0, 0);
        for splice in splices {
            let kept = splice.range.start - from;
            back += &new[at..at + kept];
            back += &old[splice.range.clone()];
            at += kept + splice.with.len();
            from = splice.range.end;
        }
        back + &new[at..]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn any_edits_of_any_spelling_are_written_and_keep_the_rest(
            file in 0..ODD.len(),
            edits in prop::collection::vec(edit(), 1..5),
        ) {
            let mut text = ODD[file].to_owned();
            let mut document: Document = read(&text).unwrap();
            for edit in edits {
                edit.apply(&mut document);
                let splices = rewrite(&text, &document).unwrap();
                let after = spliced(&text, &splices);
                prop_assert_eq!(&read::<Document>(&after).unwrap(), &document, "{}", after);
                prop_assert_eq!(undone(&text, &splices, &after), &*text);
                prop_assert!(splices.windows(2).all(|it| it[0].range.end <= it[1].range.start));
                prop_assert!(rewrite(&after, &document).unwrap().is_empty());
                text = after;
            }
            let spelt = write(&document).unwrap();
            prop_assert_eq!(&read::<Document>(&spelt).unwrap(), &document, "{}", spelt);
        }
    }

    fn after(text: &str, change: impl FnOnce(&mut Document)) -> String {
        let mut document: Document = read(text).unwrap();
        change(&mut document);
        spliced(text, &rewrite(text, &document).unwrap())
    }

    #[test]
    fn a_value_is_changed_where_it_stands() {
        let changed = after(ODD[2], |it| it.items[2].share = Some(0.75));
        assert_eq!(changed, ODD[2].replacen("Some(0.5)", "Some(0.75)", 1));
        let changed = after(ODD[4], |it| it.items[1].name = "c".into());
        assert_eq!(changed, ODD[4].replacen("\"b\"", "\"c\"", 1));
    }

    #[test]
    fn an_item_goes_with_its_line_and_leaves_the_comments_of_others() {
        let changed = after(ODD[2], |it| drop(it.items.remove(0)));
        let line = "        (name: \"a\", kind: Unit), // behind the first\n";
        assert_eq!(changed, ODD[2].replacen(line, "", 1));
    }

    #[test]
    fn a_new_item_takes_the_layout_of_its_neighbours() {
        let new = |name: &str| Item {
            name: name.into(),
            kind: Kind::Unit,
            share: None,
            list: vec![],
        };
        let changed = after(ODD[2], |it| it.items.push(new("d")));
        let (from, to) = (
            ") // no comma\n",
            "), // no comma\n        (name: \"d\", kind: Unit),\n",
        );
        assert_eq!(changed, ODD[2].replacen(from, to, 1));
        let changed = after(ODD[4], |it| it.items.insert(1, new("d")));
        let line = "\t\t(name: \"b\"";
        let wanted = format!("\t\t(name: \"d\", kind: Unit),\r\n{line}");
        assert_eq!(changed, ODD[4].replacen(line, &wanted, 1));
        let changed = after("(items: [])", |it| it.items.push(new("d")));
        assert_eq!(changed, "(items: [(name: \"d\", kind: Unit)])");
    }

    #[test]
    fn what_moves_keeps_its_spelling_and_a_key_its_place() {
        let changed = after(ODD[2], |it| it.items.swap(0, 1));
        assert!(
            changed.contains("r#\"b \"quoted\" // no comment\"#"),
            "{changed}"
        );
        let changed = after(ODD[4], |it| {
            let kind = it.named.remove("l").unwrap();
            it.named.insert("new".into(), kind);
        });
        assert_eq!(changed, ODD[4].replacen("r\"l\"", "\"new\"", 1));
    }
}
