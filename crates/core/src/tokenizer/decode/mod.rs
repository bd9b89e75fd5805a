//! Decoding: from ids to text, at once or token by token.

pub(crate) mod byte_runs;
pub(crate) mod flow;
pub(crate) mod replace;
pub(crate) mod stages;
pub mod steps;
pub(crate) mod stream;

pub use crate::tokenizer::decode::stream::{StreamDecoder, StreamDecoders};

use crate::normalize::{valid_character, Normalized, Normalizer};
use crate::spec::vocab::{byte_of, Kind, SPACE_MARK};
use crate::spec::{Decoding, Spec};
use crate::util::error::{Error, Result};
use crate::util::interrupt::{report, Pace};

/// What invalid UTF-8 becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Invalid {
    /// U+FFFD for each invalid byte; for byte vocabularies, for each maximal prefix of a character. As the references
    /// do.
    Replace,
    /// Nothing.
    Ignore,
    /// An error.
    Strict,
    /// The byte itself; the result need not be UTF-8.
    Keep,
}

/// The state of a decoder.
#[derive(Clone)]
pub struct Decoder {
    invalid: Invalid,
    /// Bytes of a character that is not complete yet.
    queue: Vec<u8>,
    at_start: bool,
    is_empty: bool,
}

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

impl Decoder {
    /// Before the first id.
    pub const fn new(invalid: Invalid) -> Self {
        Self { invalid, queue: Vec::new(), at_start: true, is_empty: true }
    }

    /// Adds one id; appends the text that is final to `out`.
    pub fn push(&mut self, spec: &Spec, id: u32, out: &mut Vec<u8>) -> Result<()> {
        let before = out.len();
        let kind = spec.vocab.kind(id);
        let piece = spec.vocab.piece(id);
        if spec.has_byte_pieces() {
            if shows(spec, kind) {
                let loses_space = self.at_start && spec.config.decoding == Decoding::Unspaced;
                self.queue.extend_from_slice(piece.strip_prefix(b" ").filter(|_| loses_space).unwrap_or(piece));
            }
            self.at_start = false;
            return self.drain_parts(false, out);
        }
        if spec.config.decoding.is_literal() {
            self.queue_literal(spec, kind, piece);
            return self.drain_parts(false, out);
        }
        if let (Kind::Byte, Some(byte)) = (kind, byte_of(piece)) {
            self.queue.push(byte);
            self.drain(false, out)?;
            self.is_empty &= out.len() == before;
            return Ok(());
        }
        self.drain(true, out)?;
        self.is_empty &= out.len() == before;
        self.at_start &= self.is_empty;
        if kind == Kind::Control {
            return Ok(());
        }
        let mut shown = piece;
        let (prefix, squeeze) = (spec.config.add_dummy_prefix, spec.config.remove_extra_whitespaces);
        let mut mark_taken = false;
        if self.at_start && (prefix || squeeze) {
            if let Some(rest) = shown.strip_prefix(SPACE_MARK) {
                shown = rest;
                mark_taken = !squeeze;
            }
        }
        if kind == Kind::Unknown {
            out.extend_from_slice(spec.config.unk_surface.as_bytes());
        } else {
            push_spaces(shown, out);
        }
        self.is_empty &= out.len() == before;
        self.at_start &= self.is_empty && !mark_taken;
        Ok(())
    }

    /// Queues the text of a single piece.
    fn queue_literal(&mut self, spec: &Spec, kind: Kind, piece: &[u8]) {
        let before = self.queue.len();
        match (kind, byte_of(piece)) {
            (Kind::Byte, Some(byte)) => self.queue.push(byte),
            (Kind::Byte | Kind::Unused, _) => {}
            (Kind::Normal, _) => push_spaces(piece, &mut self.queue),
            (Kind::Control | Kind::Unknown | Kind::UserDefined, _) => self.queue.extend_from_slice(piece),
        }
        let loses_space = spec.config.add_dummy_prefix || spec.config.decoding == Decoding::Unspaced;
        if self.at_start && loses_space && self.queue.get(before) == Some(&b' ') {
            self.queue.remove(before);
        }
        self.at_start = false;
    }

    /// Possible continuations of the text: the incomplete character, or the replacement of its bytes.
    fn ahead(&self) -> Option<Vec<Vec<u8>>> {
        (!self.queue.is_empty()).then(|| vec![self.queue.clone(), REPLACEMENT.to_vec()])
    }

    /// Ends the text: an incomplete character is invalid.
    pub fn finish(&mut self, spec: &Spec, out: &mut Vec<u8>) -> Result<()> {
        if spec.has_byte_pieces() || spec.config.decoding.is_literal() {
            return self.drain_parts(true, out);
        }
        self.drain(true, out)
    }

    /// Writes the complete part of the queue; a truncated character is invalid as a whole.
    fn drain_parts(&mut self, end: bool, out: &mut Vec<u8>) -> Result<()> {
        let mut at = 0;
        while let Err(error) = std::str::from_utf8(&self.queue[at..]) {
            let bad = at + error.valid_up_to();
            let next = match error.error_len() {
                Some(length) => bad + length,
                None if end => self.queue.len(),
                None => {
                    out.extend_from_slice(&self.queue[at..bad]);
                    self.queue.drain(..bad);
                    return Ok(());
                }
            };
            out.extend_from_slice(&self.queue[at..bad]);
            self.bad(bad..next, out)?;
            at = next;
        }
        out.extend_from_slice(&self.queue[at..]);
        self.queue.clear();
        Ok(())
    }

    /// Writes the replacement of invalid bytes of the queue.
    fn bad(&self, range: std::ops::Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        match self.invalid {
            Invalid::Replace => out.extend_from_slice(REPLACEMENT),
            Invalid::Ignore => {}
            Invalid::Keep => out.extend_from_slice(&self.queue[range]),
            Invalid::Strict => {
                let message = "the byte pieces are not UTF-8; decode with errors=\"replace\" or use decode_bytes";
                return Err(Error::new("decode-invalid", message).with("byte", self.queue[range.start]));
            }
        }
        Ok(())
    }

    /// Writes the complete characters of the queue; all of it at the end of a run of bytes.
    fn drain(&mut self, end: bool, out: &mut Vec<u8>) -> Result<()> {
        let mut at = 0;
        while at < self.queue.len() {
            let rest = &self.queue[at..];
            match valid_character(rest) {
                Some(length) => {
                    out.extend_from_slice(&rest[..length]);
                    at += length;
                }
                None if !end && is_incomplete(rest) => break,
                None => {
                    self.bad(at..at + 1, out)?;
                    at += 1;
                }
            }
        }
        self.queue.drain(..at);
        Ok(())
    }
}

/// Whether a piece of a byte vocabulary is shown: unused ones may not be.
#[inline]
fn shows(spec: &Spec, kind: Kind) -> bool {
    match spec.config.decoding {
        Decoding::Surface => true,
        Decoding::Literal | Decoding::Unspaced => kind != Kind::Unused,
        Decoding::Unmarked => kind != Kind::Control,
    }
}

/// Whether further bytes could complete these to a valid character.
fn is_incomplete(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => false,
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
    }
}

fn push_spaces(piece: &[u8], out: &mut Vec<u8>) {
    let mut rest = piece;
    while let Some(&byte) = rest.first() {
        if let Some(after) = rest.strip_prefix(SPACE_MARK) {
            out.push(b' ');
            rest = after;
        } else {
            out.push(byte);
            rest = &rest[1..];
        }
    }
}

/// Appends bytes as text, one invalid byte at a time.
fn from_bytes(bytes: &[u8], invalid: Invalid, out: &mut Vec<u8>) -> Result<()> {
    Decoder { queue: bytes.to_vec(), ..Decoder::new(invalid) }.drain(true, out)
}

/// Ids that are decoded between two progress reports.
const SOME_IDS: usize = 1 << 12;

/// Decodes all ids at once.
pub fn decode(spec: &Spec, denormalizer: Option<&Normalizer>, ids: &[u32], invalid: Invalid) -> Result<Vec<u8>> {
    if let Some(steps) = &spec.config.decoder {
        return steps::run(steps, spec, ids, invalid);
    }
    let mut out = Vec::with_capacity(ids.len() * 4);
    let mut decoder = Decoder::new(invalid);
    if spec.has_byte_pieces() {
        for ids in ids.chunks(SOME_IDS) {
            report(ids.len());
            let shown = ids.iter().filter(|&&id| shows(spec, spec.vocab.kind(id)));
            shown.for_each(|&id| decoder.queue.extend_from_slice(spec.vocab.piece(id)));
        }
        let first =
            ids.first().filter(|&&id| spec.config.decoding == Decoding::Unspaced && shows(spec, spec.vocab.kind(id)));
        if first.is_some_and(|&id| spec.vocab.piece(id).starts_with(b" ")) {
            decoder.queue.remove(0);
        }
    } else {
        for ids in ids.chunks(SOME_IDS) {
            report(ids.len());
            for &id in ids {
                decoder.push(spec, id, &mut out)?;
            }
        }
    }
    decoder.finish(spec, &mut out)?;
    if spec.config.clean_spaces {
        clean_spaces(&mut out);
    }
    if let Some(stage) = denormalizer {
        let mut normalized = Normalized::default();
        stage.normalize(&out, false, &mut normalized);
        out = normalized.inner().to_vec();
    }
    Ok(out)
}

/// Removes the spaces that a word tokenizer inserts: before `?!.,`, on both sides of a lone apostrophe, and before
/// `'s`, `'m`, `'re` and `'ve`. Three passes, each over the output of the one before.
pub fn clean_spaces(text: &mut Vec<u8>) {
    keep_where(text, |text, at| !(text[at] == b' ' && matches!(text.get(at + 1), Some(b'?' | b'!' | b'.' | b','))));
    let mut lone = usize::MAX;
    keep_where(text, |text, at| {
        // A space removed with one apostrophe is not available to the next one.
        let opens = |at: usize| at != lone && text[at] == b' ' && text[at..].starts_with(b" ' ");
        if opens(at) {
            lone = at + 2;
            return false;
        }
        at != lone
    });
    keep_where(text, |text, at| {
        let rest = &text[at..];
        ![&b" 's"[..], b" 'm", b" 're", b" 've"].iter().any(|ending| rest.starts_with(ending))
    });
}

/// Keeps the bytes whose position is wanted, queried in order; `wanted` sees the original text.
fn keep_where(text: &mut Vec<u8>, mut wanted: impl FnMut(&[u8], usize) -> bool) {
    let mut pace = Pace::new();
    let mut is_wanted = |at: &usize| {
        pace.reach(*at);
        wanted(text, *at)
    };
    let kept: Vec<u8> = (0..text.len()).filter(|at| is_wanted(at)).map(|at| text[at]).collect();
    *text = kept;
}
