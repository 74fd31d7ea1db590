//! Values that are new to a file, spelt as a hand would: on one line where
//! they fit, else one item a line.

use super::tree::{Node, Shape};

/// Columns of a line.
const WIDTH: usize = 100;
/// One step of indentation.
pub const STEP: &str = "    ";

/// A value and the text it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Spelt<'a> {
    /// What the spans of the node are places in.
    pub text: &'a str,
    /// The value.
    pub node: &'a Node,
}

impl<'a> Spelt<'a> {
    /// The same text, another value.
    #[must_use]
    pub fn with(self, node: &'a Node) -> Self {
        Self { node, ..self }
    }

    /// As it is written.
    #[must_use]
    pub fn source(self) -> &'a str {
        &self.text[self.node.span.clone()]
    }

    /// With `used` columns of its line taken, and lines that begin with
    /// `indent`.
    #[must_use]
    pub fn print(self, indent: &str, used: usize, newline: &str) -> String {
        let flat = self.flat();
        match &self.node.group {
            Some(group) if used + flat.len() > WIDTH && !group.items.is_empty() => {
                let (open, close) = brackets(group.shape);
                let inner = format!("{indent}{STEP}");
                let items = group.items.iter().map(|item| {
                    let key = item.key.clone().map(|key| format!("{}: ", &self.text[key]));
                    let key = key.unwrap_or_default();
                    let used = inner.len() + key.len() + 1;
                    let value = self.with(&item.value).print(&inner, used, newline);
                    format!("{inner}{key}{value},{newline}")
                });
                let items: String = items.collect();
                let name = &self.text[group.name.clone()];
                format!("{name}{open}{newline}{items}{indent}{close}")
            }
            _ => flat,
        }
    }

    /// On one line.
    fn flat(self) -> String {
        let Some(group) = &self.node.group else {
            return self.source().to_owned();
        };
        let (open, close) = brackets(group.shape);
        let items = group.items.iter().map(|item| {
            let key = item.key.clone().map(|key| format!("{}: ", &self.text[key]));
            key.unwrap_or_default() + &self.with(&item.value).flat()
        });
        let items = items.collect::<Vec<_>>().join(", ");
        let pad = match group.shape {
            Shape::Map if !items.is_empty() => " ",
            _ => "",
        };
        let name = &self.text[group.name.clone()];
        format!("{name}{open}{pad}{items}{pad}{close}")
    }
}

fn brackets(shape: Shape) -> (char, char) {
    match shape {
        Shape::Struct | Shape::Tuple => ('(', ')'),
        Shape::List => ('[', ']'),
        Shape::Map => ('{', '}'),
    }
}
