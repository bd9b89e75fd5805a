//! Rules that remove or isolate single characters, a Metaspace rule behind them, and the step `bert` before them, fused
//! into one pass.
//!
//! It is taken where no origins are recorded. All of them map one character at a time. The exception is the order of
//! combining marks, which only matters for the few that are not removed: a text with one of those is left to the steps.

use unicode_normalization_alignments::char::{canonical_combining_class, decompose_canonical};

use crate::normalize::steps::is_chinese;
use crate::normalize::Normalized;
use crate::spec::stages::{Prepend, Step};
use crate::unicode::{self, CASED, NFD, NONSPACING, UNCLEAN, WHITE};
use crate::util::{u32_of, Pace};

/// The role of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// A part of a chunk.
    Kept,
    /// A part of a chunk, written as the mark of the Metaspace rule.
    Marked,
    /// A chunk of its own.
    Isolated,
    /// Between chunks.
    Removed,
    /// Nothing.
    Gone,
}

/// A Metaspace rule, the last one: spaces become marks.
#[derive(Clone, Copy)]
pub struct Metaspace {
    /// The mark.
    pub mark: char,
    /// Which chunks get a mark before them if they do not begin with one.
    pub prepend: Prepend,
    /// Whether chunks are cut before each mark.
    pub cuts: bool,
}

/// Whether the step `bert` comes first, and its options, of which none is set otherwise.
#[derive(Clone, Copy, Default)]
struct Bert {
    comes_first: bool,
    clean: bool,
    chinese: bool,
    strips: bool,
    lower: bool,
}

/// The stage.
#[derive(Clone)]
pub struct OnePass {
    /// The flags of characters that the rules remove, and of those that they isolate.
    removed: u16,
    isolated: u16,
    metaspace: Option<Metaspace>,
    bert: Bert,
    /// Fate and byte of each ASCII character.
    ascii: [(Fate, u8); 128],
}

/// Chunks written so far.
struct Chunks<'a> {
    text: &'a mut Vec<u8>,
    ends: &'a mut Vec<u32>,
    /// Where the last chunk ended.
    last: usize,
    metaspace: Option<Metaspace>,
    /// Whether a mark is written before the next character, unless that is one.
    prepends: bool,
}

impl Chunks<'_> {
    /// Ends a chunk, if one is begun.
    fn end(&mut self) {
        if self.text.len() > self.last {
            self.last = self.text.len();
            self.ends.push(u32_of(self.last));
        }
    }

    /// Ends a chunk of the rules before Metaspace.
    fn part(&mut self) {
        self.end();
        self.prepends = self.metaspace.is_some_and(|rule| rule.prepend == Prepend::Always);
    }

    /// Writes the mark.
    fn mark(&mut self) {
        self.prepends = false;
        if let Some(rule) = self.metaspace {
            if rule.cuts {
                self.end();
            }
            self.text.extend_from_slice(rule.mark.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// Writes text without marks.
    #[inline(always)]
    fn keep(&mut self, text: &[u8]) {
        if self.prepends {
            self.mark();
        }
        self.text.extend_from_slice(text);
    }
}

impl OnePass {
    /// Rules that remove the characters with some flags, and isolate those with some others, and a rule behind them.
    pub fn new(removed: u16, isolated: u16, metaspace: Option<Metaspace>) -> Self {
        Self { removed, isolated, metaspace, bert: Bert::default(), ascii: [(Fate::Gone, 0); 128] }.with_ascii()
    }

    /// The rules, and steps before them, if these are the step `bert` and the rules remove the spaces that it inserts.
    pub fn after(&self, steps: &[Step]) -> Option<Self> {
        // The steps may remove what the text begins with.
        if self.metaspace.is_some_and(|rule| rule.prepend == Prepend::First) {
            return None;
        }
        let [Step::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }] = steps else { return None };
        let (clean, chinese, lower) = (*clean_text, *handle_chinese_chars, *lowercase);
        let bert = Bert { comes_first: true, clean, chinese, lower, strips: strip_accents.unwrap_or(lower) };
        (self.removed & WHITE != 0).then(|| Self { bert, ..self.clone() }.with_ascii())
    }

    fn with_ascii(mut self) -> Self {
        for byte in 0..128u8 {
            let shown = if self.bert.lower { byte.to_ascii_lowercase() } else { byte };
            let is_gone = self.bert.clean && unicode::flags(char::from(byte)) & UNCLEAN != 0;
            let fate = if is_gone { Fate::Gone } else { self.fate(char::from(shown)) };
            self.ascii[usize::from(byte)] = (fate, shown);
        }
        self
    }

    /// What the rules do with a character.
    fn fate(&self, character: char) -> Fate {
        match unicode::flags(character) {
            flags if flags & self.removed != 0 => Fate::Removed,
            flags if flags & self.isolated != 0 => Fate::Isolated,
            _ if self.is_mark(character) => Fate::Marked,
            _ => Fate::Kept,
        }
    }

    /// Whether a character becomes the mark, or is it.
    fn is_mark(&self, character: char) -> bool {
        self.metaspace.is_some_and(|rule| character == ' ' || character == rule.mark)
    }

    /// Writes a character that the steps leave.
    fn put(&self, character: char, fate: Fate, chunks: &mut Chunks<'_>) {
        match fate {
            Fate::Kept => chunks.keep(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Fate::Marked => chunks.mark(),
            Fate::Removed => chunks.part(),
            Fate::Isolated => {
                chunks.part();
                let inner = if self.is_mark(character) { Fate::Marked } else { Fate::Kept };
                self.put(character, inner, chunks);
                chunks.part();
            }
            Fate::Gone => {}
        }
    }

    /// The end of the last ASCII character that separates chunks.
    pub fn last_gap(&self, text: &[u8]) -> Option<usize> {
        let is_gap = |&byte: &u8| self.ascii.get(usize::from(byte)).is_some_and(|(fate, _)| *fate == Fate::Removed);
        text.iter().rposition(is_gap).map(|place| place + 1)
    }

    /// Writes the chunks of a text that may be invalid UTF-8; false where it has to be left to the steps.
    pub fn run_bytes(&self, text: &[u8], out: &mut Normalized) -> bool {
        self.fill(text.len(), true, out, |chunks| {
            text.utf8_chunks().all(|part| {
                let mut bad = part.invalid().iter().map(|_| '\u{FFFD}');
                self.write(part.valid(), chunks) && bad.all(|bad| self.character(bad, chunks))
            })
        })
    }

    /// Writes the chunks of a text; false where it has to be left to the steps. `first`: it begins the original text.
    pub fn run(&self, text: &str, first: bool, out: &mut Normalized) -> bool {
        self.fill(text.len(), first, out, |chunks| self.write(text, chunks))
    }

    /// Lets `write` make the chunks of a text of `length` bytes.
    fn fill(
        &self,
        length: usize,
        first: bool,
        out: &mut Normalized,
        write: impl FnOnce(&mut Chunks<'_>) -> bool,
    ) -> bool {
        out.clear();
        let Normalized { bytes, chunks, .. } = &mut *out;
        bytes.clear();
        bytes.reserve(length + length / 8);
        let metaspace = self.metaspace;
        let prepends = metaspace.is_some_and(|rule| match rule.prepend {
            Prepend::Always => true,
            Prepend::First => first,
            Prepend::Never => false,
        });
        let mut chunks = Chunks { text: bytes, ends: chunks, last: 0, metaspace, prepends };
        if !write(&mut chunks) {
            return false;
        }
        chunks.end();
        out.len = out.bytes.len();
        out.close(None);
        true
    }

    fn write(&self, text: &str, chunks: &mut Chunks<'_>) -> bool {
        let bytes = text.as_bytes();
        let (mut at, mut pace) = (0, Pace::new());
        while at < bytes.len() {
            pace.reach(at);
            let end = self.kept_end(text, at);
            if end > at {
                chunks.keep(&bytes[at..end]);
                if self.bert.lower {
                    let first = chunks.text.len() - (end - at);
                    chunks.text[first..].make_ascii_lowercase();
                }
                at = end;
            } else if let Some(&(fate, shown)) = self.ascii.get(usize::from(bytes[at])) {
                self.put(char::from(shown), fate, chunks);
                at += 1;
            } else {
                let Some(character) = text[at..].chars().next() else { return false };
                if !self.character(character, chunks) {
                    return false;
                }
                at += character.len_utf8();
            }
        }
        true
    }

    /// The end of the characters from `at` on that are kept as they are, ASCII ones as they are shown; behind a step others
    /// are not looked at.
    #[inline(always)]
    fn kept_end(&self, text: &str, mut at: usize) -> usize {
        while let Some(&byte) = text.as_bytes().get(at) {
            match self.ascii.get(usize::from(byte)) {
                Some((Fate::Kept, _)) => at += 1,
                None if !self.bert.comes_first => match text[at..].chars().next() {
                    Some(character) if self.fate(character) == Fate::Kept => at += character.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        at
    }

    /// Writes the result of a character; false where that depends on its neighbours.
    fn character(&self, character: char, chunks: &mut Chunks<'_>) -> bool {
        let flags = unicode::flags(character);
        if self.bert.clean && flags & (UNCLEAN | WHITE) != 0 {
            if flags & UNCLEAN == 0 {
                chunks.part();
            }
            return true;
        }
        let alone = self.bert.chinese && is_chinese(character);
        if alone {
            chunks.part();
        }
        let mut settled = true;
        if !self.bert.strips || flags & (NFD | NONSPACING) == NFD {
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
            chunks.part();
        }
        settled
    }

    fn lowered(&self, character: char, chunks: &mut Chunks<'_>) {
        let is_cased =
            if character.is_ascii() { character.is_ascii_uppercase() } else { unicode::is(character, CASED) };
        let mut put = |c: char| self.put(c, self.fate(c), chunks);
        if self.bert.lower && is_cased {
            character.to_lowercase().for_each(put);
        } else {
            put(character);
        }
    }
}
