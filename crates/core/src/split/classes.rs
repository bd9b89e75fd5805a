//! Character classes of the patterns: a few bits, looked up by code point.
//!
//! Invalid bytes are characters of their own, neither letter, number nor white space.

use crate::split::classes_table::{CLASSES, PAGES};
use crate::split::newer_table::NEWER;
use crate::util::us;
use crate::util::utf8::{decode_word, word_at};

/// `\p{L}`
pub const LETTER: u8 = 1;
/// `\p{N}`
pub const NUMBER: u8 = 2;
/// `\s`
pub const SPACE: u8 = 4;
/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
pub const UPPER: u8 = 8;
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
pub const LOWER: u8 = 16;
/// `[\r\n]`
pub const NEWLINE: u8 = 32;

/// Longest character in bytes.
pub const LONGEST: usize = 4;

/// One character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Character {
    /// Its class.
    pub class: u8,
    /// Its length in bytes; 0 past the end of the text.
    pub length: usize,
}

#[cfg(test)]
thread_local! {
    /// Number of characters examined.
    pub static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Past the end of a text: in no class.
const NONE: Character = Character { class: 0, length: 0 };
/// A byte that is no part of a valid character.
const STRAY: Character = Character { class: 0, length: 1 };

impl Character {
    /// Whether it is in one of some classes.
    pub fn is(self, classes: u8) -> bool {
        self.class & classes != 0
    }

    /// Whether it is `[^\s\p{L}\p{N}]`.
    pub fn is_other(self) -> bool {
        self.length != 0 && !self.is(LETTER | NUMBER | SPACE)
    }
}

/// The class of a code point. If `OLD`, as of Unicode 15.1: newer characters are in no class.
#[inline(always)]
pub fn class_of<const OLD: bool>(code: u32) -> u8 {
    let page = PAGES.get(us(code >> 8)).map_or(0, |&page| usize::from(page));
    let class = CLASSES.get(page).map_or(0, |page| page[us(code & 0xFF)]) & 0x3F;
    if OLD && class != 0 && is_newer(code) {
        return 0;
    }
    class
}

/// Whether a code point was assigned after Unicode 15.1.
fn is_newer(code: u32) -> bool {
    let behind = NEWER.partition_point(|&(first, _)| first <= code);
    behind.checked_sub(1).and_then(|at| NEWER.get(at)).is_some_and(|&(_, last)| code <= last)
}

/// The character at `at`.
#[inline(always)]
pub fn character<const OLD: bool>(text: &[u8], at: usize) -> Character {
    #[cfg(test)]
    LOOKS.set(LOOKS.get() + 1);
    match text.get(at) {
        None => NONE,
        Some(&byte) if byte < 0x80 => Character { class: CLASSES[0][usize::from(byte)] & 0x3F, length: 1 },
        Some(_) => non_ascii::<OLD>(word_at(text, at)),
    }
}

fn non_ascii<const OLD: bool>(word: u32) -> Character {
    decode_word(word).map_or(STRAY, |(code, length)| Character { class: class_of::<OLD>(code), length: us(length) })
}

/// The character that ends at `at`, which is the end of a character.
pub fn character_before<const OLD: bool>(text: &[u8], at: usize) -> Character {
    let before = &text[..at];
    for length in 2..=LONGEST.min(at) {
        let found = character::<OLD>(before, at - length);
        if found.length == length {
            return found;
        }
    }
    at.checked_sub(1).map_or(NONE, |last| character::<OLD>(before, last))
}

/// Where the run of characters at `at` ends that belong to it, by themselves and their position.
#[inline(always)]
pub fn run_while<const OLD: bool>(text: &[u8], mut at: usize, belongs: impl Fn(Character, usize) -> bool) -> usize {
    loop {
        let next = character::<OLD>(text, at);
        if !belongs(next, at) {
            return at;
        }
        at += next.length;
    }
}

/// Where the run of characters of some classes at `at` ends.
#[inline(always)]
pub fn run_end<const OLD: bool>(text: &[u8], at: usize, classes: u8) -> usize {
    run_while::<OLD>(text, at, |next, _| next.is(classes))
}

/// Where the run of `[^\s\p{L}\p{N}]` at `at` ends.
#[inline(always)]
pub fn others_end<const OLD: bool>(text: &[u8], at: usize) -> usize {
    run_while::<OLD>(text, at, |next, _| next.is_other())
}

/// The code point at `at`; 0 past the end and for a stray byte.
pub fn code_at(text: &[u8], at: usize) -> u32 {
    match text.get(at) {
        None => 0,
        Some(&byte) if byte < 0x80 => u32::from(byte),
        Some(_) => decode_word(word_at(text, at)).map_or(0, |(code, _)| code),
    }
}
