//! Stochastic segmentation (subword regularization): paths sampled from the lattice, and BPE-dropout.
//!
//! Each unit has random numbers of its own, keyed by its position in the normalized text. So a sample is a function of
//! the text, the temperature, the method and the seed alone.

pub mod cache;
pub mod draw;
pub(crate) mod dropout;
pub(crate) mod engine;

use crate::lattice::draw::Method;

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

impl Draw {
    /// Whether the result is deterministic: then it is that of encoding.
    pub(crate) fn is_certain(self) -> bool {
        matches!(self, Self::Path(_, alpha) if alpha.is_infinite())
    }
}
