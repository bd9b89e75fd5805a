//! Helpers shared by the scanners.

use crate::split::blocks::{follows, Masks};
use crate::split::classes::{character, Character, NEWLINE, NUMBER, SPACE};
use crate::util::simd::places;
use crate::util::us;

/// A scanner: a pattern as code.
pub trait Scanner {
    /// Whether the classes are those of Unicode 15.1.
    const OLD: bool = false;

    /// Whether the pattern distinguishes upper from lower case.
    const CASED: bool = false;

    /// The end of the chunk at `at`, which is before the end of `text`.
    fn chunk_end(text: &[u8], at: usize) -> usize;

    /// Mask of the chunk starts of a block, if the masks determine them; the block begins with one, at `at`.
    /// [`Masks::sure`] says which of them are final.
    #[inline(always)]
    fn starts(_block: &Masks, _text: &[u8], _at: usize) -> Option<u64> {
        None
    }
}

/// The length in bytes of `s`, `t`, `m`, `d`, `ll`, `ve` or `re` at `at`; 0 if there is none. With `FOLDS` in any case,
/// and `ſ` is an `s` too, unless `OLD`.
#[inline(always)]
pub fn contraction<const FOLDS: bool, const OLD: bool>(text: &[u8], at: usize) -> usize {
    let folded = |byte: u8| if FOLDS { byte.to_ascii_lowercase() } else { byte };
    let byte = |at: usize| text.get(at).map_or(0, |&byte| folded(byte));
    match (byte(at), byte(at + 1)) {
        (b's' | b't' | b'm' | b'd', _) => 1,
        (b'l', b'l') | (b'v' | b'r', b'e') => 2,
        (0xC5, 0xBF) if FOLDS && !OLD => 2,
        _ => 0,
    }
}

/// The end of the apostrophe at `at` and the [`contraction`] after it, if there are both.
#[inline(always)]
pub fn contraction_end<const FOLDS: bool, const OLD: bool>(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'\'') {
        return None;
    }
    let length = contraction::<FOLDS, OLD>(text, at + 1);
    (length != 0).then_some(at + 1 + length)
}

/// The chunk starts in a block at `at`, where each apostrophe of `quotes` and the contraction after it are one chunk.
#[inline(always)]
pub fn with_contractions<const FOLDS: bool, const OLD: bool>(
    mut starts: u64,
    quotes: u64,
    text: &[u8],
    at: usize,
) -> u64 {
    for quote in places(quotes) {
        let length = contraction::<FOLDS, OLD>(text, at + us(quote) + 1);
        if length != 0 {
            starts = starts & !follows(1 << quote) | (1 << quote) << 1 << length;
        }
    }
    starts
}

/// A run of white space and where it may be cut.
pub struct Spaces {
    /// Its end.
    pub end: usize,
    /// The start of its last character.
    last: usize,
    /// The end of its last newline, if it has one.
    newline: Option<usize>,
    /// Whether the text ends with it.
    pub is_last: bool,
}

impl Spaces {
    /// The run at `at`, which is not empty.
    pub fn read<const OLD: bool>(text: &[u8], at: usize) -> Self {
        Self::of(at, |at| character::<OLD>(text, at))
    }

    /// The run at `at`, where `next` gives the character at a position.
    #[inline(always)]
    pub fn of(at: usize, next: impl Fn(usize) -> Character) -> Self {
        let mut run = Self { end: at, last: at, newline: None, is_last: false };
        loop {
            let next = next(run.end);
            if !next.is(SPACE) {
                run.is_last = next.length == 0;
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
    pub fn before_last(&self, at: usize) -> usize {
        if self.is_last || self.last == at {
            self.end
        } else {
            self.last
        }
    }

    /// The end of `\s*[\r\n]+|\s+(?!\S)|\s+`.
    pub fn behind_newline(&self, at: usize) -> usize {
        self.newline.unwrap_or_else(|| self.before_last(at))
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

/// The end of the run of some bytes at `at`.
#[inline(always)]
pub fn bytes_end(text: &[u8], at: usize, bytes: &[u8]) -> usize {
    at + text[at..].iter().take_while(|byte| bytes.contains(byte)).count()
}
