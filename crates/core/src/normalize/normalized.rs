//! The normalizer's output buffer.

use crate::normalize::steps::Span;
use crate::normalize::PADDING;
use crate::util::{u32_of, us};

/// Readable bytes behind the text, the first [`PADDING`] of them zeros: as many as a window of units reads.
pub(crate) const BEHIND: usize = 1024 + PADDING;

/// Output of the stage: the inner form, and the origin of each of its bytes, if origins are recorded.
#[derive(Default)]
pub struct Normalized {
    /// The inner form. May be longer than `len`; what follows is scratch space.
    pub bytes: Vec<u8>,
    /// Number of valid bytes.
    pub len: usize,
    /// Byte positions in the original text, one for each byte and one for the end.
    pub origins: Vec<u32>,
    /// Where in the original the origin of each byte ends; empty where that is the next byte's origin.
    pub origin_ends: Vec<u32>,
    /// Where chunks end, if rules made them.
    pub chunks: Vec<u32>,
}

impl Normalized {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.len = 0;
        self.origins.clear();
        self.origin_ends.clear();
        self.chunks.clear();
    }

    /// Appends bytes with their ranges in the original, if these are recorded.
    pub fn append(&mut self, bytes: &[u8], spans: impl Iterator<Item = Span>) {
        self.copy(bytes, None);
        for (start, end) in spans {
            self.origins.push(start);
            self.origin_ends.push(end);
        }
    }

    /// Finishes what was added with [`Normalized::append`]; with origins, `consumed` is the length of the original in
    /// bytes.
    pub fn close(&mut self, consumed: Option<usize>) {
        self.origins.extend(consumed.map(u32_of));
        self.pad();
    }

    /// The range of the original that a range of normalized text comes from.
    pub fn span(&self, start: usize, end: usize) -> (usize, usize) {
        origin_span(&self.origins, &self.origin_ends, start, end)
    }

    /// The inner form.
    pub fn inner(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Adds a byte that comes from `origin`; there must be room.
    #[inline(always)]
    pub(crate) fn push(&mut self, byte: u8, origin: usize, origins: bool) {
        self.bytes[self.len] = byte;
        self.len += 1;
        if origins {
            self.origins.push(u32_of(origin));
        }
    }

    /// Appends bytes unchanged; their origins ascend from `origin`.
    pub(crate) fn copy(&mut self, bytes: &[u8], origin: Option<usize>) {
        self.reserve(bytes.len());
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
        if let Some(first) = origin {
            self.origins.extend(u32_of(first)..u32_of(first + bytes.len()));
        }
    }

    /// Makes room for `extra` more bytes and what readers of blocks and windows read behind them: a window of a short text
    /// need not be copied then.
    pub fn reserve(&mut self, extra: usize) {
        let needed = self.len + extra + BEHIND;
        if self.bytes.len() < needed {
            self.bytes.resize(needed + needed / 4, 0);
        }
    }

    /// Zeroes the bytes past the end, so that readers that look ahead see no text.
    pub fn pad(&mut self) {
        self.reserve(0);
        self.bytes[self.len..self.len + PADDING].fill(0);
    }
}

/// The range of the original that a range of normalized text comes from, by the origins of its bytes and their ends.
pub fn origin_span(origins: &[u32], origin_ends: &[u32], start: usize, end: usize) -> (usize, usize) {
    let origin = |at: usize| origins.get(at).map_or(0, |&origin| us(origin));
    let last = end.checked_sub(1).filter(|_| start < end);
    (origin(start), last.and_then(|at| origin_ends.get(at)).map_or_else(|| origin(end), |&end| us(end)))
}
