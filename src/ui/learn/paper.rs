//! The page of concepts (`docs/concepts.md`) as rows: what the Learn page says
//! is what the paper says, so that neither can be behind the other.

use std::sync::OnceLock;

/// What joins a command to the words around it.
const JOINTS: [char; 4] = [' ', ':', ',', ';'];

/// The paper, of which its tables count.
const PAPER: &str = include_str!("../../../docs/concepts.md");

/// A chapter of the paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// Its heading.
    pub title: String,
    /// Its table.
    pub lessons: Vec<Lesson>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Counted through all chapters.
    pub index: usize,
    /// Numbers of the concepts, as in the first column.
    pub numbers: String,
    /// What is taught.
    pub title: String,
    /// Where it is seen, in words and code.
    pub see: Vec<Span>,
}

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// Words.
    Text(String),
    /// A key, a name or a command.
    Code(String),
}

impl Lesson {
    /// Whole commands among the code, to be copied.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.see.iter().filter_map(|span| match span {
            Span::Code(code) if is_command(code) => Some(code.as_str()),
            _ => None,
        })
    }

    /// What is said beside the commands, which are listed apart: without what
    /// led to them.
    pub fn words(&self) -> Vec<Span> {
        let mut said: Vec<Span> = Vec::new();
        for span in &self.see {
            match (span, said.last_mut()) {
                (Span::Code(code), Some(Span::Text(before))) if is_command(code) => {
                    before.truncate(before.trim_end_matches(JOINTS).len());
                }
                (Span::Code(code), _) if is_command(code) => {}
                (Span::Text(text), None) => {
                    said.push(Span::Text(text.trim_start_matches(JOINTS).to_owned()));
                }
                _ => said.push(span.clone()),
            }
        }
        said.retain(|span| !matches!(span, Span::Text(text) if text.is_empty()));
        said
    }

    /// Whether a search finds it; `words` in lower case.
    #[must_use]
    pub fn matches(&self, words: &str) -> bool {
        let number = self.numbers.split(", ").any(|number| number == words);
        let said = self.see.iter().map(|span| match span {
            Span::Text(text) | Span::Code(text) => text,
        });
        number
            || std::iter::once(&self.title)
                .chain(said)
                .any(|text| text.to_lowercase().contains(words))
    }
}

/// A call that can be typed as it stands: one of this program, or an example.
pub fn is_command(code: &str) -> bool {
    ["kinetoscope ", "cargo run --example "]
        .iter()
        .any(|start| code.starts_with(start))
}

/// All of the paper, read once.
pub fn chapters() -> &'static [Chapter] {
    static CHAPTERS: OnceLock<Vec<Chapter>> = OnceLock::new();
    CHAPTERS.get_or_init(|| read(PAPER))
}

/// All rows.
pub fn lessons() -> impl Iterator<Item = &'static Lesson> {
    chapters().iter().flat_map(|chapter| &chapter.lessons)
}

fn read(paper: &str) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut index = 0;
    for line in paper.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            chapters.push(Chapter {
                title: title.to_owned(),
                lessons: Vec::new(),
            });
        } else if let (Some(chapter), Some([numbers, title, see])) =
            (chapters.last_mut(), cells(line))
            && numbers.starts_with(|c: char| c.is_ascii_digit())
        {
            chapter.lessons.push(Lesson {
                index,
                numbers,
                title: plain(&title),
                see: spans(&see),
            });
            index += 1;
        }
    }
    chapters.retain(|chapter| !chapter.lessons.is_empty());
    chapters
}

/// The three cells of a table's row; `\|` is a stroke and no border.
fn cells(line: &str) -> Option<[String; 3]> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?;
    let inner = inner.replace("\\|", "\u{0}");
    let cells = inner
        .split('|')
        .map(|cell| cell.trim().replace('\u{0}', "|"));
    cells.collect::<Vec<_>>().try_into().ok()
}

/// Without links and emphasis.
fn plain(text: &str) -> String {
    let spans = spans(text).into_iter().map(|span| match span {
        Span::Text(text) | Span::Code(text) => text,
    });
    spans.collect()
}

/// Words and code by turns.
fn spans(text: &str) -> Vec<Span> {
    // The window's font has no arrows.
    let text = without_links(text).replace('→', "to");
    let pieces = text.split('`').enumerate();
    let spans = pieces.map(|(at, piece)| match at % 2 {
        0 => Span::Text(piece.replace('*', "")),
        _ => Span::Code(piece.to_owned()),
    });
    spans
        .filter(|span| *span != Span::Text(String::new()))
        .collect()
}

/// `[words](target)` becomes `words`.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after
            .split_once("](")
            .and_then(|(words, after)| Some((words, after.split_once(')')?.1)))
            .filter(|(words, _)| !words.contains('['));
        out.push_str(before);
        match link {
            Some((words, after)) => {
                out.push_str(words);
                rest = after;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_becomes_a_lesson_without_its_marks() {
        let paper = "# C\n\n## One\n\n| # | concept | see it |\n|--:|---|---|\n\
                     | 4, 6 | a **bold** [link](x.md#y) | press `A \\| B`, [see](z.md): `kinetoscope info x` |\n\n## Two\n";
        let chapters = read(paper);
        assert_eq!(chapters.len(), 1, "a chapter without rows is none");
        let lesson = &chapters[0].lessons[0];
        assert_eq!(
            (lesson.numbers.as_str(), lesson.title.as_str()),
            ("4, 6", "a bold link")
        );
        let text = |text: &str| Span::Text(text.to_owned());
        let code = |text: &str| Span::Code(text.to_owned());
        let see = [
            text("press "),
            code("A | B"),
            text(", see: "),
            code("kinetoscope info x"),
        ];
        assert_eq!(lesson.see, see);
        assert_eq!(
            lesson.commands().collect::<Vec<_>>(),
            ["kinetoscope info x"]
        );
        assert_eq!(
            lesson.words(),
            [text("press "), code("A | B"), text(", see")]
        );
        for (words, found) in [
            ("6", true),
            ("5", false),
            ("bold", true),
            ("info", true),
            ("none", false),
        ] {
            assert_eq!(lesson.matches(words), found, "{words}");
        }
    }

    #[test]
    fn brackets_that_are_no_link_stay() {
        assert_eq!(without_links("a [b] c [d](e) f["), "a [b] c d f[");
    }
}
