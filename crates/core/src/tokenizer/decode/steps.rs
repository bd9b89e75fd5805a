//! Decoding by a list of steps: the spellings of the pieces go through them in order and are joined at the end.

use crate::spec::stages::DecodeStep;
use crate::spec::Spec;
use crate::tokenizer::decode::{from_bytes, Decoder, Invalid};
use crate::util::allowance::Bounds;
use crate::util::cast::us;
use crate::util::error::Result;
use crate::util::interrupt::Pace;

/// Tokens: token `i` is `text[ends[i - 1]..ends[i]]`.
#[derive(Default)]
struct Row {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Maximum bytes of the text.
    most: usize,
    /// Whether output was dropped, since the text would have become too long.
    is_short: bool,
    pace: Pace,
}

impl Row {
    /// No tokens yet, with a bound of `most` bytes.
    fn up_to(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Appends inserted content to the current token.
    fn put(&mut self, content: &[u8]) {
        if self.text.len() + content.len() > self.most {
            self.is_short = true;
            return;
        }
        self.text.extend_from_slice(content);
        self.pace.reach(self.text.len());
    }

    fn push(&mut self, token: &[u8]) {
        self.text.extend_from_slice(token);
        self.end();
    }

    fn end(&mut self) {
        self.ends.push(self.text.len());
        self.pace.reach(self.text.len() + self.ends.len());
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &[u8]> + ExactSizeIterator {
        (0..self.ends.len()).map(|index| {
            let start = if index == 0 { 0 } else { self.ends[index - 1] };
            &self.text[start..self.ends[index]]
        })
    }
}

/// The text of ids.
pub fn run(steps: &[DecodeStep], spec: &Spec, ids: &[u32], invalid: Invalid) -> Result<Vec<u8>> {
    let mut row = Row::default();
    let pieces = ids.iter().map(|&id| spec.vocab.piece(id));
    pieces.filter(|piece| !is_gap(piece)).for_each(|piece| row.push(piece));
    let mut bounds = Bounds::of(row.text.len());
    for step in steps {
        bounds.spend(row.text.len() + row.ends.len())?;
        row = step.apply(&row, invalid, bounds.most())?;
        if row.is_short {
            return Err(bounds.too_long());
        }
        bounds.check(row.text.len())?;
    }
    Ok(row.text)
}

/// Whether no piece has the id: then there is no token, not even an empty one.
pub fn is_gap(piece: &[u8]) -> bool {
    piece.is_empty()
}

impl DecodeStep {
    /// Applies a step to tokens; output beyond `most` bytes is dropped.
    fn apply(&self, row: &Row, invalid: Invalid, most: usize) -> Result<Row> {
        let mut out = Row::up_to(most);
        match self {
            Self::ByteFallback => bytes(row, invalid, &mut out)?,
            Self::Metaspace { replacement, prepended } => {
                let mark = replacement.to_string();
                for (index, token) in row.iter().enumerate() {
                    let is_first = index == 0 && *prepended;
                    replace(token, mark.as_bytes(), if is_first { b"" } else { b" " }, &mut out);
                }
            }
            Self::Replace { pattern, content } => {
                row.iter().for_each(|token| replace(token, pattern.as_bytes(), content.as_bytes(), &mut out));
            }
            Self::Fuse => out.push(&row.text),
            Self::Strip { content, start, stop } => {
                let mark = content.to_string();
                row.iter().for_each(|token| out.push(strip(token, mark.as_bytes(), *start, *stop)));
            }
            Self::Wordpiece { prefix, cleanup } => {
                for (index, token) in row.iter().enumerate() {
                    word(token, prefix.as_bytes(), index == 0, *cleanup, &mut out);
                }
            }
            Self::Suffix { suffix } => {
                let last = row.ends.len().saturating_sub(1);
                for (index, token) in row.iter().enumerate() {
                    replace(token, suffix.as_bytes(), if index == last { b"" } else { b" " }, &mut out);
                }
            }
            Self::Ctc { pad, delimiter, cleanup } => ctc(row, pad, delimiter, *cleanup, &mut out),
            Self::Respell { pieces } => {
                let spelled = |token| std::str::from_utf8(token).ok().and_then(|token| pieces.get(token));
                for token in row.iter() {
                    out.put(spelled(token).map_or(token, String::as_bytes));
                    out.end();
                }
            }
            Self::ByteLetters => {
                let letters = Letters::new();
                for token in row.iter() {
                    let mut buffer = [0; 4];
                    for &byte in token {
                        let letter = letters.of(byte);
                        out.text.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
                    }
                    out.end();
                }
            }
            Self::ByteLevel => {
                let (letters, mut bytes) = (Letters::new(), Vec::with_capacity(row.text.len()));
                row.iter().for_each(|token| push_byte_level(&letters, token, &mut bytes));
                whole_text(&bytes, invalid, &mut out)?;
            }
            Self::Join { separator } => {
                for (index, token) in row.iter().enumerate() {
                    if index > 0 {
                        out.put(separator.as_bytes());
                    }
                    out.push(token);
                }
            }
        }
        Ok(out)
    }
}

/// The byte-level letters: printable bytes stand for themselves, the others are characters from U+0100 on.
pub(crate) struct Letters {
    of: [char; 256],
    /// The inverse, by character.
    back: [Option<u8>; LETTERS],
}

/// One more than the largest byte-level letter.
const LETTERS: usize = 0x144;

impl Letters {
    /// Computes both directions.
    pub(crate) fn new() -> Self {
        let mut letters = Self { of: ['\0'; 256], back: [None; LETTERS] };
        let mut free = '\u{100}'..='\u{143}';
        for byte in 0..=u8::MAX {
            let is_seen = matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
            let letter = if is_seen { char::from(byte) } else { free.next().unwrap_or_default() };
            letters.of[usize::from(byte)] = letter;
            letters.back[us(letter.into())] = Some(byte);
        }
        letters
    }

    /// The letter of a byte.
    pub(crate) fn of(&self, byte: u8) -> char {
        self.of[usize::from(byte)]
    }

    fn byte_of(&self, letter: char) -> Option<u8> {
        self.back.get(us(letter.into())).copied().flatten()
    }
}

/// Appends the bytes of a token's letters, or the token itself if a character of it is no letter.
pub(crate) fn push_byte_level(letters: &Letters, token: &[u8], bytes: &mut Vec<u8>) {
    let before = bytes.len();
    let text = std::str::from_utf8(token).unwrap_or_default();
    for letter in text.chars() {
        let Some(byte) = letters.byte_of(letter) else {
            bytes.truncate(before);
            break;
        };
        bytes.push(byte);
    }
    if bytes.len() == before {
        bytes.extend_from_slice(token);
    }
}

/// Decodes bytes as one text; each maximal prefix of a character is one invalid sequence.
fn whole_text(bytes: &[u8], invalid: Invalid, out: &mut Row) -> Result<()> {
    let mut text = Vec::with_capacity(bytes.len());
    Decoder { queue: bytes.to_vec(), ..Decoder::new(invalid) }.drain_parts(true, &mut text)?;
    out.push(&text);
    Ok(())
}

/// The byte that a token spells.
pub fn spelled_byte(token: &[u8]) -> Option<u8> {
    let [b'<', b'0', b'x', high, low, b'>'] = token else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match (high, low) {
        (b'+', low) => digit(*low),
        _ => Some(digit(*high)? << 4 | digit(*low)?),
    }
}

fn bytes(row: &Row, invalid: Invalid, out: &mut Row) -> Result<()> {
    let mut run = Vec::new();
    for token in row.iter() {
        if let Some(byte) = spelled_byte(token) {
            run.push(byte);
            continue;
        }
        end_run(&mut run, invalid, out)?;
        out.push(token);
    }
    end_run(&mut run, invalid, out)
}

/// Ends a run: if it is not valid UTF-8 as a whole, each of its bytes is invalid.
fn end_run(run: &mut Vec<u8>, invalid: Invalid, out: &mut Row) -> Result<()> {
    if run.is_empty() {
        return Ok(());
    }
    match (std::str::from_utf8(run).is_ok(), invalid) {
        (false, Invalid::Replace) => run.iter().for_each(|_| out.push("\u{FFFD}".as_bytes())),
        (true, _) => out.push(run),
        (false, _) => {
            let mut text = Vec::new();
            from_bytes(run, invalid, &mut text)?;
            out.push(&text);
        }
    }
    run.clear();
    Ok(())
}

fn replace(token: &[u8], pattern: &[u8], content: &[u8], out: &mut Row) {
    let mut rest = token;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(pattern) {
            out.put(content);
            rest = after;
        } else {
            out.text.push(rest[0]);
            rest = &rest[1..];
        }
    }
    out.end();
}

fn strip<'a>(token: &'a [u8], mark: &[u8], start: usize, stop: usize) -> &'a [u8] {
    let mut rest = token;
    for _ in 0..start {
        match rest.strip_prefix(mark) {
            Some(after) => rest = after,
            None => break,
        }
    }
    for _ in 0..stop {
        match rest.strip_suffix(mark) {
            Some(before) => rest = before,
            None => break,
        }
    }
    rest
}

fn word(token: &[u8], prefix: &[u8], first: bool, cleanup: bool, out: &mut Row) {
    let mut text = Vec::with_capacity(token.len() + 1);
    match token.strip_prefix(prefix).filter(|_| !first) {
        Some(rest) => text.extend_from_slice(rest),
        None => {
            if !first {
                text.push(b' ');
            }
            text.extend_from_slice(token);
        }
    }
    out.push(&if cleanup { cleaned(text) } else { text });
}

/// The replacements of a step's cleanup, in order.
pub const CLEANUP: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

fn cleaned(mut text: Vec<u8>) -> Vec<u8> {
    if !text.contains(&b' ') {
        return text;
    }
    for (from, to) in CLEANUP {
        let mut out = Row::up_to(usize::MAX);
        replace(&text, from.as_bytes(), to.as_bytes(), &mut out);
        text = out.text;
    }
    text
}

fn ctc(row: &Row, pad: &str, delimiter: &str, cleanup: bool, out: &mut Row) {
    let mut last: Option<&[u8]> = None;
    for token in row.iter() {
        if last == Some(token) {
            continue;
        }
        last = Some(token);
        let mut text = replaced(token, pad, "");
        if cleanup {
            text = replaced(&cleaned(text), delimiter, " ");
        }
        if !text.is_empty() {
            out.push(&text);
        }
    }
}

fn replaced(token: &[u8], pattern: &str, content: &str) -> Vec<u8> {
    if pattern.is_empty() {
        return token.to_vec();
    }
    let mut out = Row::up_to(usize::MAX);
    replace(token, pattern.as_bytes(), content.as_bytes(), &mut out);
    out.text
}
