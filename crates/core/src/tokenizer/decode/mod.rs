//! Decoding: from ids to text, at once or token by token.

pub(crate) mod byte_runs;
pub(crate) mod flow;
pub(crate) mod replace;
pub(crate) mod stages;
pub(crate) mod stream;

pub use crate::tokenizer::decode::stream::{StreamDecoder, StreamDecoders};

use crate::normalize::replace;
use crate::spec::vocab::{byte_of, Kind, SPACE_MARK};
use crate::spec::{Decoding, Spec};
use crate::util::{report, Error, Result};

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

    /// Adds ids; appends the text that is final to `out`.
    pub fn push(&mut self, spec: &Spec, ids: &[u32], out: &mut Vec<u8>) -> Result<()> {
        let is_queued = is_queued(spec);
        for ids in ids.chunks(SOME_IDS) {
            report(ids.len());
            for &id in ids {
                let (kind, piece) = (spec.vocab.kind(id), spec.vocab.piece(id));
                if is_queued {
                    self.queue_piece(spec, kind, piece);
                } else {
                    self.push_surface(spec, kind, piece, out)?;
                }
            }
        }
        if is_queued {
            return self.drain(false, true, out);
        }
        Ok(())
    }

    /// Queues the text of a single piece.
    fn queue_piece(&mut self, spec: &Spec, kind: Kind, piece: &[u8]) {
        let before = self.queue.len();
        match kind {
            _ if spec.has_byte_pieces() && shows(spec, kind) => self.queue.extend_from_slice(piece),
            _ if spec.has_byte_pieces() => {}
            Kind::Byte => self.queue.extend(byte_of(piece)),
            Kind::Unused => {}
            Kind::Normal => replace(piece, SPACE_MARK, b" ", &mut self.queue),
            Kind::Control | Kind::Unknown | Kind::UserDefined => self.queue.extend_from_slice(piece),
        }
        let loses_space = spec.config.add_dummy_prefix || spec.config.decoding == Decoding::Unspaced;
        if self.at_start && loses_space && self.queue.get(before) == Some(&b' ') {
            self.queue.remove(before);
        }
        self.at_start = false;
    }

    /// Appends the text of a piece whose neighbours count.
    fn push_surface(&mut self, spec: &Spec, kind: Kind, piece: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let before = out.len();
        if let (Kind::Byte, Some(byte)) = (kind, byte_of(piece)) {
            self.queue.push(byte);
            self.drain(false, false, out)?;
            self.is_empty &= out.len() == before;
            return Ok(());
        }
        self.drain(true, false, out)?;
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
            replace(shown, SPACE_MARK, b" ", out);
        }
        self.is_empty &= out.len() == before;
        self.at_start &= self.is_empty && !mark_taken;
        Ok(())
    }

    /// Possible continuations of the text: the incomplete character, or the replacement of its bytes.
    fn ahead(&self) -> Option<Vec<Vec<u8>>> {
        (!self.queue.is_empty()).then(|| vec![self.queue.clone(), REPLACEMENT.to_vec()])
    }

    /// Ends the text: an incomplete character is invalid.
    pub fn finish(&mut self, spec: &Spec, out: &mut Vec<u8>) -> Result<()> {
        self.drain(true, is_queued(spec), out)
    }

    /// Writes the complete part of the queue, all of it at the `end`. A truncated character is invalid as a whole where
    /// invalid bytes are taken `together`, else each of its bytes is.
    fn drain(&mut self, end: bool, together: bool, out: &mut Vec<u8>) -> Result<()> {
        let mut at = 0;
        while let Err(error) = std::str::from_utf8(&self.queue[at..]) {
            let bad = at + error.valid_up_to();
            out.extend_from_slice(&self.queue[at..bad]);
            let length = error.error_len().or(end.then_some(self.queue.len() - bad));
            let Some(length) = length else {
                self.queue.drain(..bad);
                return Ok(());
            };
            at = bad + length;
            let step = if together { length } else { 1 };
            (bad..at).step_by(step).try_for_each(|bad| self.bad(bad..bad + step, out))?;
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
}

/// Whether each piece has a text by itself, whatever its neighbours are.
fn is_queued(spec: &Spec) -> bool {
    spec.has_byte_pieces() || spec.config.decoding.is_literal()
}

/// Whether a piece of a byte vocabulary is shown: unused ones may not be.
fn shows(spec: &Spec, kind: Kind) -> bool {
    match spec.config.decoding {
        Decoding::Surface => true,
        Decoding::Literal | Decoding::Unspaced => kind != Kind::Unused,
        Decoding::Unmarked => kind != Kind::Control,
    }
}

/// Ids that are decoded between two progress reports.
const SOME_IDS: usize = 1 << 12;
