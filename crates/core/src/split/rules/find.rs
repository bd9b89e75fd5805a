//! Matching: where the rules cut.

use crate::pattern::{characters, Matcher, Stretch};
use crate::spec::stages::Splitter;
use crate::unicode;
use crate::unicode::{WHITE, WORD};
use crate::util::{Pace, Result};

/// What a rule looks for.
pub enum Finder {
    /// A user-supplied pattern.
    Pattern(Matcher),
    /// Each character with one of the given flags.
    Class(u16),
    /// Each occurrence of a character.
    Character(char),
    /// Runs of letters, marks, numbers and underscores; and runs of other characters but white space.
    Words,
    /// The chunks of GPT-2.
    Gpt2,
}

impl Finder {
    /// Appends the matches and the ranges between them.
    pub fn stretches(&self, text: &str, out: &mut Vec<Stretch>) -> Result<()> {
        match self {
            Self::Pattern(matcher) => matcher.stretches(text, out)?,
            Self::Class(flags) => characters(text, |c| unicode::is(c, *flags), out),
            Self::Character(wanted) => characters(text, |c| c == *wanted, out),
            Self::Words => words(text, out),
            Self::Gpt2 => Splitter::Gpt2.each_chunk(text.as_bytes(), text.len(), |start, end| {
                out.push(Stretch { start, end, matched: true });
            }),
        }
        Ok(())
    }
}

fn words(text: &str, out: &mut Vec<Stretch>) {
    let (mut before, mut pace) = (None, Pace::new());
    for (at, c) in text.char_indices() {
        pace.reach(at);
        let kind = unicode::flags(c) & (WORD | WHITE);
        let end = at + c.len_utf8();
        match out.last_mut() {
            Some(last) if before == Some(kind) => last.end = end,
            _ => out.push(Stretch { start: at, end, matched: kind & WHITE == 0 }),
        }
        before = Some(kind);
    }
}

/// Ranges of one script; characters without a script join what is before them, and are removed where there is nothing.
pub fn scripts(text: &str, out: &mut Vec<Stretch>) -> Result<()> {
    let mut before = 0;
    for (at, c) in text.char_indices() {
        let script = unicode::script(c);
        if script != 0 && script != before {
            if let Some(last) = out.last_mut() {
                last.end = at;
            }
            out.push(Stretch { start: at, end: text.len(), matched: false });
            before = script;
        }
    }
    Ok(())
}

/// Ranges of `length` characters.
pub fn pieces(text: &str, length: usize, out: &mut Vec<Stretch>) -> Result<()> {
    let starts = text.char_indices().map(|(at, _)| at).step_by(length);
    let ends = starts.clone().skip(1).chain([text.len()]);
    out.extend(starts.zip(ends).map(|(start, end)| Stretch { start, end, matched: false }));
    Ok(())
}
