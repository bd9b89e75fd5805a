//! The step `bert` and the rule `bert` fused into one pass, where a Spec lists nothing else and no origins are
//! recorded.
//!
//! Both map one character at a time. The exception is the order of combining marks, which only matters for the few that
//! are not removed: a text with one of those is left to the steps.

use unicode_normalization_alignments::char::{canonical_combining_class, decompose_canonical};

use crate::normalize::steps::is_chinese;
use crate::normalize::Normalized;
use crate::spec::stages::{Rule, Step};
use crate::spec::Config;
use crate::unicode::{self, CASED, NFD, NONSPACING, PUNCTUATION, UNCLEAN, WHITE};
use crate::util::cast::u32_of;
use crate::util::interrupt::Pace;

/// The role of an ASCII character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A part of a word.
    Letter,
    /// A word by itself.
    Sign,
    /// Between words.
    Gap,
    /// Nothing.
    Gone,
}

/// The stage.
pub struct Bert {
    /// Fate and byte of each ASCII character.
    ascii: [(Fate, u8); 128],
    clean: bool,
    chinese: bool,
    strips: bool,
    lower: bool,
}

/// Words written so far.
struct Words<'a> {
    text: &'a mut Vec<u8>,
    ends: &'a mut Vec<u32>,
    /// Where the last word ended.
    last: usize,
}

impl Words<'_> {
    fn end(&mut self) {
        if self.text.len() > self.last {
            self.last = self.text.len();
            self.ends.push(u32_of(self.last));
        }
    }

    fn put(&mut self, character: char) {
        let flags = unicode::flags(character);
        if flags & (WHITE | PUNCTUATION) != 0 {
            self.end();
        }
        if flags & WHITE == 0 {
            self.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if flags & PUNCTUATION != 0 {
            self.end();
        }
    }
}

impl Bert {
    /// The stage, if it is what a Spec lists.
    pub fn of(config: &Config) -> Option<Self> {
        let ([Step::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }], [Rule::Bert {}]) =
            (&config.normalizer[..], &config.split_rules[..])
        else {
            return None;
        };
        let mut stage = Self {
            ascii: [(Fate::Gone, 0); 128],
            clean: *clean_text,
            chinese: *handle_chinese_chars,
            strips: strip_accents.unwrap_or(*lowercase),
            lower: *lowercase,
        };
        for byte in 0..128 {
            stage.ascii[usize::from(byte)] = stage.fate(byte);
        }
        Some(stage)
    }

    /// The end of the last ASCII character that separates words.
    pub fn last_gap(&self, text: &[u8]) -> Option<usize> {
        let is_gap = |&byte: &u8| self.ascii.get(usize::from(byte)).is_some_and(|(fate, _)| *fate == Fate::Gap);
        text.iter().rposition(is_gap).map(|place| place + 1)
    }

    fn fate(&self, byte: u8) -> (Fate, u8) {
        let flags = unicode::flags(char::from(byte));
        let shown = if self.lower { byte.to_ascii_lowercase() } else { byte };
        let fate = match flags {
            _ if self.clean && flags & UNCLEAN != 0 => Fate::Gone,
            _ if flags & WHITE != 0 => Fate::Gap,
            _ if flags & PUNCTUATION != 0 => Fate::Sign,
            _ => Fate::Letter,
        };
        (fate, shown)
    }

    /// Writes the words of a text; false where it has to be left to the steps.
    pub fn run(&self, text: &[u8], out: &mut Normalized) -> bool {
        out.clear();
        let Normalized { bytes, chunks, .. } = &mut *out;
        bytes.clear();
        bytes.reserve(text.len() + text.len() / 8);
        let mut words = Words { text: bytes, ends: chunks, last: 0 };
        for part in text.utf8_chunks() {
            let bad = part.invalid().iter().map(|_| '\u{FFFD}');
            if !self.write(part.valid(), &mut words) || !bad.into_iter().all(|bad| self.character(bad, &mut words)) {
                return false;
            }
        }
        words.end();
        out.len = out.bytes.len();
        out.close(None);
        true
    }

    fn write(&self, text: &str, words: &mut Words<'_>) -> bool {
        let bytes = text.as_bytes();
        let (mut at, mut pace) = (0, Pace::new());
        while let Some(&byte) = bytes.get(at) {
            pace.reach(at);
            let Some(&(fate, shown)) = self.ascii.get(usize::from(byte)) else {
                let Some(character) = text[at..].chars().next() else { return false };
                if !self.character(character, words) {
                    return false;
                }
                at += character.len_utf8();
                continue;
            };
            match fate {
                Fate::Letter => words.text.push(shown),
                Fate::Gap => words.end(),
                Fate::Sign => {
                    words.end();
                    words.text.push(shown);
                    words.end();
                }
                Fate::Gone => {}
            }
            at += 1;
        }
        true
    }

    /// Writes the result of a character; false where that depends on its neighbours.
    fn character(&self, character: char, words: &mut Words<'_>) -> bool {
        let flags = unicode::flags(character);
        if self.clean && flags & (UNCLEAN | WHITE) != 0 {
            if flags & UNCLEAN == 0 {
                words.end();
            }
            return true;
        }
        let alone = self.chinese && is_chinese(character);
        if alone {
            words.end();
        }
        let mut settled = true;
        if !self.strips || flags & (NFD | NONSPACING) == NFD {
            self.lowered(character, words);
        } else {
            decompose_canonical(character, |part| {
                if !unicode::is(part, NONSPACING) {
                    settled &= canonical_combining_class(part) == 0;
                    self.lowered(part, words);
                }
            });
        }
        if alone {
            words.end();
        }
        settled
    }

    fn lowered(&self, character: char, words: &mut Words<'_>) {
        let is_cased =
            if character.is_ascii() { character.is_ascii_uppercase() } else { unicode::is(character, CASED) };
        if self.lower && is_cased {
            character.to_lowercase().for_each(|lower| words.put(lower));
        } else {
            words.put(character);
        }
    }
}
