//! Stochastic segmentation (subword regularization): paths sampled from the lattice, and BPE-dropout.
//!
//! Each unit has random numbers of its own, keyed by its position in the normalized text. So a sample is a function of
//! the text, the temperature, the method and the seed alone.

pub mod cache;
pub mod draw;
pub(crate) mod dropout;
pub(crate) mod engine;

use crate::lattice::draw::Method;
use crate::segment::Segmenter;

/// The sampling method and its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// A path of the lattice, with the inverse temperature; at infinity the result of encoding.
    Path(Method, f64),
    /// One of the k best paths of the whole text, with the inverse temperature.
    Best(usize, f64),
    /// BPE-dropout: merges are skipped with this probability.
    Dropout(f64),
}

/// The ids that a fragment is sampled as.
pub struct Sampled<'a> {
    pub segmenter: &'a Segmenter,
    /// Whether unknown ids fuse within a unit only.
    pub by_chunk: bool,
    /// Whether one of the ids may be the unknown one.
    pub unknown: bool,
    pub ids: &'a mut Vec<u32>,
}

impl Sampled<'_> {
    /// Appends the ids of a unit's pieces; returns whether one may be the unknown id.
    pub fn emit(&mut self, text: &[u8], found: &[(u32, u32)]) -> bool {
        let unit = self.ids.len();
        let has_unknown = self.segmenter.emit(text, found, self.ids);
        if has_unknown && self.by_chunk {
            self.segmenter.fuse_from(unit, self.ids);
        }
        self.unknown |= has_unknown;
        has_unknown
    }
}

impl Draw {
    /// Whether the result is deterministic: then it is that of encoding.
    pub(crate) fn is_certain(self) -> bool {
        matches!(self, Self::Path(_, alpha) if alpha.is_infinite())
    }
}
