//! Look-up keys of the units of a window: all are computed before the first probe, so that the prefetches take effect.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::index::long_table;
use crate::index::table::{Key, MAX_KEY};
use crate::segment::bpe::batch::Span;
use crate::util::{u16_of, u32_of, us};

/// A unit of the window, with its look-up key.
#[derive(Clone, Copy, Default)]
pub struct Unit {
    /// Its bytes, if they fit.
    pub key: Key,
    /// Its hash.
    pub hash: u64,
    /// Where it begins.
    pub start: u32,
    /// Its length in bytes.
    pub len: u32,
    /// The index of its first character in the window, where characters are read.
    first: u16,
    /// The index of the first character after it.
    behind: u16,
    /// Whether the unit is a proper part of its chunk.
    pub part: bool,
}

impl Span for Unit {
    fn start(&self) -> u32 {
        self.start
    }

    fn bytes(&self) -> u32 {
        self.len
    }

    fn is_part(&self) -> bool {
        self.part
    }
}

impl Unit {
    /// The unit as a part of a chunk, which may have other ids than a whole chunk of equal bytes.
    #[inline(always)]
    pub fn as_part(self) -> Self {
        let key = self.key.other();
        let hash = if us(self.len) <= MAX_KEY { key.hash() } else { self.hash };
        Self { key, hash, part: true, ..self }
    }

    /// Its characters in the window, where characters are read.
    pub fn characters(&self) -> Range<usize> {
        usize::from(self.first)..usize::from(self.behind)
    }

    /// Records its characters in the window.
    pub fn set_characters(&mut self, first: usize, behind: usize) {
        (self.first, self.behind) = (u16_of(first), u16_of(behind));
    }

    /// The unit at `start`; readable bytes must follow as for [`Key::load`].
    #[inline(always)]
    pub fn load(text: &[u8], start: u32, len: u32) -> Self {
        let (first, size) = (us(start), us(len));
        let key = Key::load(text, first, size);
        let hash = if size <= MAX_KEY { key.hash() } else { long_hash(text, first, size) };
        Self { key, hash, start, len, first: 0, behind: 0, part: false }
    }
}

/// The hash of a long unit. Not inlined: the loops that load units need their registers for the short ones.
#[inline(never)]
fn long_hash(text: &[u8], first: usize, size: usize) -> u64 {
    long_table::hash(&text[first..first + size])
}

/// The start of a unit.
#[derive(Clone, Copy, Default, Zeroable)]
pub struct Cut {
    /// Place in the text.
    pub at: u32,
    /// Whether the unit is a part of a chunk of text that is split.
    pub is_part: bool,
}

impl Cut {
    /// The start of a unit that is not a part of a chunk.
    pub fn at(place: usize) -> Self {
        Self { at: u32_of(place), is_part: false }
    }
}

/// Bytes of normalized text per window.
pub const WINDOW: usize = 1024;
