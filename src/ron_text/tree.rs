//! RON text as a tree of spans: where each value, key and comma stands. It
//! gives values no meaning and judges none; `ron` has read the text before.

use std::ops::Range;

/// Deeper than `ron` reads, and shallow enough for any stack.
const DEEPEST: usize = 200;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Bytes of the text, a name before its brackets included.
    pub span: Range<usize>,
    /// `None` for numbers, strings and bare words.
    pub group: Option<Group>,
}

/// What stands between brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The word before the brackets; empty where there is none.
    pub name: Range<usize>,
    /// Which brackets.
    pub shape: Shape,
    /// In the order they are written.
    pub items: Vec<Item>,
    /// Just after the opening bracket.
    pub start: usize,
    /// Just before the closing one.
    pub end: usize,
}

/// Kinds of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `(name: value)`.
    Struct,
    /// `(value, value)`.
    Tuple,
    /// `[ ]`.
    List,
    /// `{ }`.
    Map,
}

/// One of the values between brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Field or key.
    pub key: Option<Range<usize>>,
    /// What it is.
    pub value: Node,
    /// Just after the comma behind it.
    pub comma: Option<usize>,
}

impl Item {
    /// Where it begins.
    #[must_use]
    pub fn start(&self) -> usize {
        self.key
            .as_ref()
            .map_or(self.value.span.start, |key| key.start)
    }

    /// Where it ends, its comma included.
    #[must_use]
    pub fn end(&self) -> usize {
        self.comma.unwrap_or(self.value.span.end)
    }
}

/// The one value of a text; `None` where the brackets do not match.
#[must_use]
pub fn tree(text: &str) -> Option<Node> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.skip();
    while scanner.rest().starts_with("#!") || scanner.rest().starts_with('#') {
        scanner.at += scanner.rest().find(']')? + 1;
        scanner.skip();
    }
    let node = scanner.value(0)?;
    scanner.skip();
    scanner.rest().is_empty().then_some(node)
}

/// Just after the spaces and comments of the rest of a line, and whether the
/// line ends there.
#[must_use]
pub fn line_rest(text: &str, from: usize) -> (usize, bool) {
    let mut scanner = Scanner { text, at: from };
    loop {
        let rest = scanner.rest();
        let at = scanner.at;
        if rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n") {
            return (at, true);
        } else if rest.starts_with(is_space) {
            scanner.bump();
        } else if rest.starts_with("//") {
            scanner.at += rest.find('\n').unwrap_or(rest.len());
            scanner.at -= usize::from(text[..scanner.at].ends_with('\r'));
        } else if rest.starts_with("/*") {
            if scanner.block_comment().is_none() || text[at..scanner.at].contains('\n') {
                return (at, false);
            }
        } else {
            return (at, false);
        }
    }
}

/// As `ron` has it.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{200e}' | '\u{200f}')
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn bump(&mut self) -> Option<char> {
        let letter = self.rest().chars().next()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    /// Spaces and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                if self.block_comment().is_none() {
                    return;
                }
            } else if rest.starts_with(is_space) {
                self.bump();
            } else {
                return;
            }
        }
    }

    /// These nest.
    fn block_comment(&mut self) -> Option<()> {
        let (mut at, mut depth) = (self.at, 0);
        loop {
            let rest = &self.text[at..];
            if rest.starts_with("/*") {
                (depth, at) = (depth + 1, at + 2);
            } else if rest.starts_with("*/") {
                (depth, at) = (depth - 1, at + 2);
            } else {
                at += rest.chars().next()?.len_utf8();
            }
            if depth == 0 {
                self.at = at;
                return Some(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let start = self.at;
        let group = match self.rest().chars().next()? {
            '[' => Some(self.group(start..start, Shape::List, depth)?),
            '{' => Some(self.group(start..start, Shape::Map, depth)?),
            '(' => Some(self.group(start..start, Shape::Tuple, depth)?),
            _ => {
                self.word()?;
                let name = start..self.at;
                self.skip();
                match self.rest().starts_with('(') {
                    true => Some(self.group(name, Shape::Tuple, depth)?),
                    false => {
                        self.at = name.end;
                        None
                    }
                }
            }
        };
        let span = start..self.at;
        Some(Node { span, group })
    }

    /// A string, a character, a number or a name.
    fn word(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(letter) = self.rest().chars().next() {
            let prefix = &self.text[start..self.at];
            match letter {
                '"' if matches!(prefix, "" | "b") => return self.quoted('"'),
                '\'' if matches!(prefix, "" | "b") => return self.quoted('\''),
                '"' | '#' if prefix.trim_end_matches('#').ends_with('r') => {
                    if self.raw_string().is_some() {
                        return Some(());
                    }
                    self.bump();
                }
                ',' | ':' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '/' => break,
                letter if is_space(letter) => break,
                _ => drop(self.bump()),
            }
        }
        (self.at > start).then_some(())
    }

    fn quoted(&mut self, quote: char) -> Option<()> {
        self.bump();
        loop {
            match self.bump()? {
                '\\' => drop(self.bump()),
                letter if letter == quote => return Some(()),
                _ => {}
            }
        }
    }

    /// From the first `#` or quote after the `r`; `None` for a raw name.
    fn raw_string(&mut self) -> Option<()> {
        let hashes = self.rest().chars().take_while(|&it| it == '#').count();
        if !self.rest()[hashes..].starts_with('"') {
            return None;
        }
        let end = format!("\"{}", "#".repeat(hashes));
        let inside = self.at + hashes + 1;
        self.at = inside + self.text[inside..].find(&end)? + end.len();
        Some(())
    }

    fn group(&mut self, name: Range<usize>, shape: Shape, depth: usize) -> Option<Group> {
        let close = match self.bump()? {
            '[' => ']',
            '{' => '}',
            _ => ')',
        };
        let start = self.at;
        let (mut shape, mut items) = (shape, Vec::new());
        loop {
            self.skip();
            let end = self.at;
            if self.take(close) {
                return Some(Group {
                    name,
                    shape,
                    items,
                    start,
                    end,
                });
            }
            let item = self.item(depth)?;
            if shape == Shape::Tuple && item.key.is_some() {
                shape = Shape::Struct;
            }
            let ends = item.comma.is_none();
            items.push(item);
            self.skip();
            if ends && !self.rest().starts_with(close) {
                return None;
            }
        }
    }

    fn item(&mut self, depth: usize) -> Option<Item> {
        let first = self.value(depth + 1)?;
        self.skip();
        let (key, value) = match self.take(':') {
            true => {
                self.skip();
                (Some(first.span), self.value(depth + 1)?)
            }
            false => (None, first),
        };
        self.skip();
        let comma = self.take(',').then_some(self.at);
        if comma.is_none() {
            self.at = value.span.end;
        }
        Some(Item { key, value, comma })
    }
}
