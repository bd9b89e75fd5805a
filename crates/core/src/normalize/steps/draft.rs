//! A text that is rewritten step by step, and the range of the original that each byte came from.
//!
//! The ranges are those that `tokenizers` reports: every byte has one, which a replacement inherits, and which an
//! inserted character takes from the one before it.

use crate::normalize::Normalized;
use crate::util::{u32_of, Pace};

/// Half-open range in the original text.
pub type Span = (u32, u32);

/// The text so far.
#[derive(Default)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// A range for each byte; empty if ranges are not recorded.
    pub spans: Vec<Span>,
    /// Whether ranges are recorded.
    pub tracked: bool,
    /// Whether output was dropped, since the text would have become too long.
    pub(crate) is_short: bool,
}

impl Draft {
    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + size_of::<Span>() * self.spans.capacity()
    }

    /// Begins with a text as it is; an invalid byte becomes U+FFFD.
    pub fn begin(&mut self, text: &[u8], tracked: bool) {
        self.text.clear();
        self.spans.clear();
        self.tracked = tracked;
        if let (Ok(text), false) = (std::str::from_utf8(text), tracked) {
            self.text.push_str(text);
            return;
        }
        let mut at = 0;
        for part in text.utf8_chunks() {
            let valid = part.valid().chars().map(|c| (c, c.len_utf8()));
            for (character, length) in valid.chain(part.invalid().iter().map(|_| ('\u{FFFD}', 1))) {
                self.text.push(character);
                if tracked {
                    let span = (u32_of(at), u32_of(at + length));
                    self.spans.extend(std::iter::repeat_n(span, character.len_utf8()));
                }
                at += length;
            }
        }
    }

    /// Begins with a text that a draft was written to.
    pub fn read(&mut self, text: &Normalized) {
        self.text.clear();
        self.text.push_str(&String::from_utf8_lossy(text.inner()));
        self.tracked = !text.origins.is_empty();
        self.spans.clear();
        self.spans.extend(text.origins.iter().copied().zip(text.origin_ends.iter().copied()));
    }

    /// Empties it for the output of the next step.
    fn renew(&mut self, old: &Self) {
        self.text.clear();
        self.text.reserve(old.text.len());
        self.spans.clear();
        self.tracked = old.tracked;
        self.is_short = false;
    }
}

/// Writes a new text from an old one, which is read from its beginning to its end.
pub struct Editor<'a> {
    old: &'a Draft,
    new: &'a mut Draft,
    at: usize,
    most: usize,
    pace: Pace,
}

impl<'a> Editor<'a> {
    /// At the beginning of `old`; output beyond `most` bytes is dropped.
    pub fn new(old: &'a Draft, new: &'a mut Draft, most: usize) -> Self {
        new.renew(old);
        Self { old, new, at: 0, most, pace: Pace::new() }
    }

    /// The unread rest.
    pub fn rest(&self) -> &'a str {
        &self.old.text[self.at..]
    }

    /// The read position.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The number of bytes written.
    pub fn written(&self) -> usize {
        self.new.text.len()
    }

    /// Whether `bytes` more bytes would exceed the bound.
    fn is_too_long(&mut self, bytes: usize) -> bool {
        let is_short = self.new.text.len() + bytes > self.most;
        self.new.is_short |= is_short;
        is_short
    }

    /// Copies `bytes` bytes.
    pub fn keep(&mut self, bytes: usize) {
        let end = self.at + bytes;
        if self.is_too_long(bytes) {
            self.at = end;
            return;
        }
        self.pace.reach(self.at);
        self.new.text.push_str(&self.old.text[self.at..end]);
        if self.old.tracked {
            self.new.spans.extend_from_slice(&self.old.spans[self.at..end]);
        }
        self.at = end;
    }

    /// Copies up to position `place`.
    pub fn keep_to(&mut self, place: usize) {
        self.keep(place - self.at);
    }

    /// Skips `bytes` bytes.
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Writes a text with the origin of byte `place` of the old one; `None` is before its beginning and has no origin.
    pub fn put(&mut self, text: &str, place: Option<usize>) {
        if self.is_too_long(text.len()) {
            return;
        }
        self.pace.reach(self.at);
        self.new.text.push_str(text);
        if self.old.tracked {
            let span = place.and_then(|place| self.old.spans.get(place)).copied().unwrap_or((0, 0));
            self.new.spans.extend(text.bytes().map(|_| span));
        }
    }

    /// Writes a character. `change` 0 replaces the next one of the old text, a negative one also removes as many after
    /// it, a positive one inserts.
    pub fn write(&mut self, character: char, change: isize) {
        let place = if change > 0 { self.at.checked_sub(1) } else { Some(self.at) };
        self.put(character.encode_utf8(&mut [0; 4]), place);
        if change <= 0 {
            let taken = 1 + change.unsigned_abs();
            self.at += self.rest().chars().take(taken).map(char::len_utf8).sum::<usize>();
        }
    }

    /// Copies the rest.
    pub fn finish(mut self) {
        self.keep(self.rest().len());
    }
}
