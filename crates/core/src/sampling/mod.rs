//! Stochastic segmentation (subword regularization): paths drawn from the lattice, and BPE-dropout.
//!
//! Each unit has random numbers of its own, by its place in the normalized text. So what is drawn is a function of the text, the
//! temperature, the method and the seed alone.

pub mod cache;
pub mod draw;
pub(crate) mod dropout;
pub(crate) mod engine;

use crate::lattice::draw::Method;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// A path of the lattice, with the inverse temperature; at infinity that of encoding.
    Path(Method, f64),
    /// One of so many best paths of the whole text, with the inverse temperature.
    Best(usize, f64),
    /// Merges are passed over with this probability.
    Dropout(f64),
}

impl Draw {
    /// Whether nothing is left to chance: then it is encoding.
    pub(crate) fn is_certain(self) -> bool {
        matches!(self, Self::Path(_, alpha) if alpha.is_infinite())
    }
}
