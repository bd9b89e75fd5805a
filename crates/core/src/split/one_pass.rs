//! Rules that remove or isolate single characters, and the step `bert` before them, fused into one pass.
//!
//! It is taken where no origins are recorded. All of them map one character at a time. The exception is the order of
//! combining marks, which only matters for the few that are not removed: a text with one of those is left to the steps.

use unicode_normalization_alignments::char::{canonical_combining_class, decompose_canonical};

use crate::normalize::steps::is_chinese;
use crate::normalize::Normalized;
use crate::spec::stages::Step;
use crate::unicode::{self, CASED, NFD, NONSPACING, UNCLEAN, WHITE};
use crate::util::{u32_of, Pace};

/// The role of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A part of a chunk.
    Kept,
    /// A chunk of its own.
    Isolated,
    /// Between chunks.
    Removed,
    /// Nothing.
    Gone,
}

/// The stage.
#[derive(Clone)]
pub struct OnePass {
    /// The flags of characters that the rules remove, and of those that they isolate.
    removed: u16,
    isolated: u16,
    /// The options of the step `bert`; none of them is set where there is no step.
    clean: bool,
    chinese: bool,
    strips: bool,
    lower: bool,
    /// Fate and byte of each ASCII character.
    ascii: [(Fate, u8); 128],
}

/// Chunks written so far.
struct Chunks<'a> {
    text: &'a mut Vec<u8>,
    ends: &'a mut Vec<u32>,
    /// Where the last chunk ended.
    last: usize,
}

impl Chunks<'_> {
    fn end(&mut self) {
        if self.text.len() > self.last {
            self.last = self.text.len();
            self.ends.push(u32_of(self.last));
        }
    }

    fn put(&mut self, fate: Fate, character: &[u8]) {
        if fate != Fate::Kept {
            self.end();
        }
        if fate != Fate::Removed {
            self.text.extend_from_slice(character);
        }
        if fate == Fate::Isolated {
            self.end();
        }
    }
}

impl OnePass {
    /// Rules that remove the characters with some flags, and isolate those with some others.
    pub fn new(removed: u16, isolated: u16) -> Self {
        let ascii = [(Fate::Gone, 0); 128];
        Self { removed, isolated, clean: false, chinese: false, strips: false, lower: false, ascii }.with_ascii()
    }

    /// The rules, and steps before them, if these are the step `bert` and the rules remove the spaces that it inserts.
    pub fn after(&self, steps: &[Step]) -> Option<Self> {
        let [Step::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }] = steps else { return None };
        let (clean, chinese, lower) = (*clean_text, *handle_chinese_chars, *lowercase);
        let stage = Self { clean, chinese, lower, strips: strip_accents.unwrap_or(lower), ..self.clone() };
        (self.removed & WHITE != 0).then(|| stage.with_ascii())
    }

    fn with_ascii(mut self) -> Self {
        for byte in 0..128u8 {
            let shown = if self.lower { byte.to_ascii_lowercase() } else { byte };
            let is_gone = self.clean && unicode::flags(char::from(byte)) & UNCLEAN != 0;
            let fate = if is_gone { Fate::Gone } else { self.fate(char::from(byte)) };
            self.ascii[usize::from(byte)] = (fate, shown);
        }
        self
    }

    /// What the rules do with a character.
    fn fate(&self, character: char) -> Fate {
        match unicode::flags(character) {
            flags if flags & self.removed != 0 => Fate::Removed,
            flags if flags & self.isolated != 0 => Fate::Isolated,
            _ => Fate::Kept,
        }
    }

    /// The end of the last ASCII character that separates chunks.
    pub fn last_gap(&self, text: &[u8]) -> Option<usize> {
        let is_gap = |&byte: &u8| self.ascii.get(usize::from(byte)).is_some_and(|(fate, _)| *fate == Fate::Removed);
        text.iter().rposition(is_gap).map(|place| place + 1)
    }

    /// Writes the chunks of a text; false where it has to be left to the steps.
    pub fn run(&self, text: &[u8], out: &mut Normalized) -> bool {
        out.clear();
        let Normalized { bytes, chunks, .. } = &mut *out;
        bytes.clear();
        bytes.reserve(text.len() + text.len() / 8);
        let mut chunks = Chunks { text: bytes, ends: chunks, last: 0 };
        for part in text.utf8_chunks() {
            let bad = part.invalid().iter().map(|_| '\u{FFFD}');
            if !self.write(part.valid(), &mut chunks) || !bad.into_iter().all(|bad| self.character(bad, &mut chunks)) {
                return false;
            }
        }
        chunks.end();
        out.len = out.bytes.len();
        out.close(None);
        true
    }

    fn write(&self, text: &str, chunks: &mut Chunks<'_>) -> bool {
        let bytes = text.as_bytes();
        let (mut at, mut pace) = (0, Pace::new());
        while let Some(&byte) = bytes.get(at) {
            pace.reach(at);
            let Some(&(fate, shown)) = self.ascii.get(usize::from(byte)) else {
                let Some(character) = text[at..].chars().next() else { return false };
                if !self.character(character, chunks) {
                    return false;
                }
                at += character.len_utf8();
                continue;
            };
            match fate {
                Fate::Kept => chunks.text.push(shown),
                Fate::Removed => chunks.end(),
                Fate::Isolated => {
                    chunks.end();
                    chunks.text.push(shown);
                    chunks.end();
                }
                Fate::Gone => {}
            }
            at += 1;
        }
        true
    }

    /// Writes the result of a character; false where that depends on its neighbours.
    fn character(&self, character: char, chunks: &mut Chunks<'_>) -> bool {
        let flags = unicode::flags(character);
        if self.clean && flags & (UNCLEAN | WHITE) != 0 {
            if flags & UNCLEAN == 0 {
                chunks.end();
            }
            return true;
        }
        let alone = self.chinese && is_chinese(character);
        if alone {
            chunks.end();
        }
        let mut settled = true;
        if !self.strips || flags & (NFD | NONSPACING) == NFD {
            self.lowered(character, chunks);
        } else {
            decompose_canonical(character, |part| {
                if !unicode::is(part, NONSPACING) {
                    settled &= canonical_combining_class(part) == 0;
                    self.lowered(part, chunks);
                }
            });
        }
        if alone {
            chunks.end();
        }
        settled
    }

    fn lowered(&self, character: char, chunks: &mut Chunks<'_>) {
        let is_cased =
            if character.is_ascii() { character.is_ascii_uppercase() } else { unicode::is(character, CASED) };
        let mut put = |c: char| chunks.put(self.fate(c), c.encode_utf8(&mut [0; 4]).as_bytes());
        if self.lower && is_cased {
            character.to_lowercase().for_each(put);
        } else {
            put(character);
        }
    }
}
