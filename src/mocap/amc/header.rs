//! What stands before the first frame: keywords and telling comments.

use super::{
    super::{
        AngleUnit, MocapError, Note, Notes, Problem, TextPosition,
        lexer::{AmcSyntax, Lexer, word},
        lossy, number,
        text::decode,
    },
    Header, frames,
};

/// Faster than this no capture is.
const MAX_RATE: f64 = 100_000.0;

type AmcLexer<'a> = Lexer<'a, AmcSyntax>;

/// Reads up to the first frame number.
pub(super) fn header(lexer: &mut AmcLexer<'_>) -> Result<Header, MocapError> {
    let mut header = Header {
        no_shebang: !lexer.rest.starts_with(b"#!"),
        ..Header::default()
    };
    let mut notes = Notes::default();
    loop {
        lexer.skip_to_word();
        match lexer.rest {
            [] => {
                let expected = "an AMC motion (frames of bone values)";
                let position = TextPosition::START;
                return Err(lexer.error(position, Problem::Empty { expected }));
            }
            [b'#', ..] => comment(lexer, &mut header),
            [b':', ..] => keyword(lexer, &mut header, &mut notes)?,
            [b'0'..=b'9', ..] => break,
            _ => return Err(no_frame_number(lexer)),
        }
    }
    header.notes = notes.into_list();
    Ok(header)
}

fn no_frame_number(lexer: &AmcLexer<'_>) -> MocapError {
    let found = word::<AmcSyntax>(lexer.rest).map_or(&b""[..], |(_, found)| found);
    let why = format!(
        "expected a keyword or a frame number, found {:?}",
        lossy(found)
    );
    wrong_format(lexer, lexer.position(), why)
}

fn wrong_format(lexer: &AmcLexer<'_>, position: TextPosition, why: String) -> MocapError {
    let expected = "an AMC motion";
    lexer.error(position, Problem::WrongFormat { expected, why })
}

/// `#!OML:ASF path` names the skeleton of the capture.
fn comment(lexer: &mut AmcLexer<'_>, header: &mut Header) {
    let words = lexer.take_line().trim_ascii();
    if let Some((tag, path)) = words.split_at_checked(9)
        && tag.eq_ignore_ascii_case(b"#!OML:ASF")
    {
        header.source_asf = Some(decode(path.trim_ascii()));
    }
}

fn keyword(
    lexer: &mut AmcLexer<'_>,
    header: &mut Header,
    notes: &mut Notes,
) -> Result<(), MocapError> {
    let Some(keyword) = lexer.next_on_line() else {
        return Ok(());
    };
    let line = keyword.position.line;
    match keyword.text[1..].to_ascii_lowercase().as_slice() {
        b"degrees" => header.angle = Some((AngleUnit::Degrees, line)),
        b"radians" => header.angle = Some((AngleUnit::Radians, line)),
        b"force-all-joints-be-3dof" => header.force_3dof = true,
        // The one line in which a motion can state its rate; few have it.
        b"samples-per-second" => header.samples_per_second = Some(rate(lexer)?),
        b"asf-file" => header.asf_file = Some(lexer.text_on_line().to_text()),
        // A promise of all bones in all frames; looked at, not believed.
        b"fully-specified" => {}
        b"bonedata" | b"hierarchy" | b"root" | b"units" => {
            let why = format!("{:?} belongs to an ASF skeleton", lossy(keyword.text));
            return Err(wrong_format(lexer, keyword.position, why));
        }
        _ => notes.add_counted("unknown keywords", || {
            let message = format!("unknown keyword {:?} skipped", lossy(keyword.text));
            Note::info(message).at_line(line)
        }),
    }
    lexer.take_line();
    Ok(())
}

fn rate(lexer: &mut AmcLexer<'_>) -> Result<f64, MocapError> {
    lexer.skip_blanks();
    match number::decimal(lexer.rest) {
        Ok((_, rate)) if rate > 0.0 && rate <= MAX_RATE => Ok(rate),
        _ => Err(frames::expected(lexer, "a frame rate above zero")),
    }
}
