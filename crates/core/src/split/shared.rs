//! Helpers shared by the scanners.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, run_end, NEWLINE, NUMBER, SPACE};
use crate::util::cast::us;

/// A scanner: a pattern as code.
pub trait Scanner {
    /// Whether the classes are those of Unicode 15.1.
    const OLD: bool;

    /// Whether the pattern distinguishes upper from lower case.
    const CASED: bool;

    /// The end of the chunk at `at`, which is before the end of `text`.
    fn chunk_end(text: &[u8], at: usize) -> usize;

    /// Mask of the chunk starts of a block, if the masks determine them; the block begins with one, at `at`.
    /// [`Masks::sure`] says which of them are final.
    fn starts(block: &Masks, text: &[u8], at: usize) -> Option<u64>;
}

/// The length in bytes of `s`, `t`, `m`, `d`, `ll`, `ve` or `re` at `at`; 0 if there is none.
#[inline(always)]
pub fn contraction(text: &[u8], at: usize) -> usize {
    match text[at.min(text.len())..] {
        [b's' | b't' | b'm' | b'd', ..] => 1,
        [b'l', b'l', ..] | [b'v' | b'r', b'e', ..] => 2,
        _ => 0,
    }
}

/// The chunk starts in a block at `at`, where each apostrophe of `quotes` and the contraction after it are one chunk.
#[inline(always)]
pub fn with_contractions(mut starts: u64, mut quotes: u64, text: &[u8], at: usize) -> u64 {
    while quotes != 0 {
        let quote = quotes.trailing_zeros();
        quotes &= quotes - 1;
        let length = contraction(text, at + us(quote) + 1);
        if length != 0 {
            starts = starts & !follows(1 << quote) | (1 << quote) << 1 << length;
        }
    }
    starts
}

/// Length of a case-insensitive [`contraction`]; `ſ` is an `s` too, unless `OLD`.
#[inline(always)]
pub fn contraction_in_any_case<const OLD: bool>(text: &[u8], at: usize) -> usize {
    match text[at.min(text.len())..] {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 1,
        [b'l' | b'L', b'l' | b'L', ..] | [b'v' | b'V' | b'r' | b'R', b'e' | b'E', ..] => 2,
        [0xC5, 0xBF, ..] if !OLD => 2,
        _ => 0,
    }
}

/// A run of white space and where it may be cut.
pub struct Spaces {
    /// Its end.
    pub end: usize,
    /// The start of its last character.
    pub last: usize,
    /// The end of its last newline, if it has one.
    pub newline: Option<usize>,
}

impl Spaces {
    /// The run at `at`, which is not empty.
    pub fn read<const OLD: bool>(text: &[u8], at: usize) -> Self {
        let mut run = Self { end: at, last: at, newline: None };
        loop {
            let next = character::<OLD>(text, run.end);
            if !next.is(SPACE) {
                return run;
            }
            run.last = run.end;
            run.end += next.length;
            if next.is(NEWLINE) {
                run.newline = Some(run.end);
            }
        }
    }

    /// The end of `\s+(?!\S)|\s`.
    pub fn before_last(&self, text: &[u8], at: usize) -> usize {
        if self.end == text.len() || self.last == at {
            self.end
        } else {
            self.last
        }
    }

    /// The end of `\s*[\r\n]+|\s+(?!\S)|\s+`.
    pub fn behind_newline(&self, text: &[u8], at: usize) -> usize {
        self.newline.unwrap_or_else(|| self.before_last(text, at))
    }
}

/// The end of a run of at most `most` numbers.
#[inline(always)]
pub fn numbers_end<const OLD: bool>(text: &[u8], mut at: usize, most: usize) -> usize {
    for _ in 0..most {
        let next = character::<OLD>(text, at);
        if !next.is(NUMBER) {
            break;
        }
        at += next.length;
    }
    at
}

/// The end of `[\r\n]*`.
#[inline(always)]
pub fn newlines_end<const OLD: bool>(text: &[u8], at: usize) -> usize {
    run_end::<OLD>(text, at, NEWLINE)
}
